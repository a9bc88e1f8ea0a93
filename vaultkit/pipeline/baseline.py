"""The baseline of a vault: failures from when it was first checked, which are excepted later."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from vaultkit.checks.check import EXCEPTED, FAILS, Check
from vaultkit.files import write_atomically
from vaultkit.pipeline.process import Inspection
from vaultkit.read.vault import Vault

#: The file in the vault's folder; sites and Obsidian ignore names that begin with a dot.
NAME = ".vaultkit-baseline.json"


class Key(NamedTuple):
    """A failure without its line and message, which may change."""

    note: str
    kind: str
    what: str


class BaselineError(ValueError):
    """A baseline that cannot be read."""


def path_of(vault: Vault) -> Path:
    """Return the path of the baseline of a vault."""
    return vault.root / NAME


def read(vault: Vault) -> Counter[Key] | None:
    """Read the number of failures by key; None if there is no baseline.

    Raises
    ------
    BaselineError
        If the file has another content.
    """
    file = path_of(vault)
    if not file.exists():
        return None
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return Counter(
            {
                Key(note, row["kind"], row["what"]): int(row["times"])
                for note, rows_of_note in rows.items()
                for row in rows_of_note
            }
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise BaselineError(f"{file} is not a baseline file: {error}") from error


def write(vault: Vault, inspections: Sequence[Inspection]) -> int:
    """Write the failures of some inspections as the baseline, and return their number."""
    failing = Counter(
        _key(vault, inspection, check)
        for inspection in inspections
        for check in inspection.checks
        if check.outcome == FAILS
    )
    rows: dict[str, list[dict[str, object]]] = {}
    for (note, kind, what), times in sorted(failing.items()):
        rows.setdefault(note, []).append({"kind": kind, "what": what, "times": times})
    write_atomically(path_of(vault), json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    return failing.total()


def except_known(
    vault: Vault, inspections: Sequence[Inspection], baseline: Counter[Key]
) -> tuple[list[Inspection], int]:
    """Return the inspections with the failures of a baseline excepted.

    Also return how many of these failures no longer occur.
    """
    remaining = Counter(baseline)
    excepted = []
    for inspection in inspections:
        checks = []
        for check in inspection.checks:
            key = _key(vault, inspection, check)
            # If a failure occurs more often than before, the last ones are new.
            if check.outcome == FAILS and remaining[key] > 0:
                remaining[key] -= 1
                check = replace(check, outcome=EXCEPTED, why=f"failed before: {check.why}")
            checks.append(check)
        excepted.append(replace(inspection, checks=checks))
    return excepted, remaining.total()


def _key(vault: Vault, inspection: Inspection, check: Check) -> Key:
    """Return the key that identifies a failure."""
    return Key(vault.relative(inspection.note.path), check.kind, check.what)
