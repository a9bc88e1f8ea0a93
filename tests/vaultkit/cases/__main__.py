"""Rewrite outcomes for review: ``python -m tests.vaultkit.cases --update [table ...]``."""

from __future__ import annotations

import argparse
import sys

from tests.vaultkit.cases.files import failures, update
from tests.vaultkit.cases.tables import TABLES, file


def main() -> int:
    """Compare the cases of all tables, or of those named, and rewrite the outcomes if asked to."""
    parser = argparse.ArgumentParser(prog="python -m tests.vaultkit.cases", description=__doc__)
    parser.add_argument("table", nargs="*", help=f"one of {', '.join(TABLES)}; else all")
    parser.add_argument("--update", action="store_true", help="write the outcomes that are found")
    options = parser.parse_args()
    if unknown := sorted(set(options.table) - set(TABLES)):
        parser.error(f"there is no table {', '.join(unknown)}")
    wrong = 0
    for name in options.table or TABLES:
        if options.update:
            print(f"{file(name)}: rewritten: {update(file(name), TABLES[name])}")
        else:
            for failure in failures(file(name), TABLES[name]):
                print(failure)
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
