"""The baseline of a vault: failures from when it was first checked, which are excepted later."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vaultkit.checks.check import EXCEPTED, FAILS, Check
from vaultkit.files import write_atomically
from vaultkit.pipeline.process import Inspection
from vaultkit.read.vault import Vault

#: The file in the vault's folder; sites and Obsidian ignore names that begin with a dot.
NAME = ".vaultkit-baseline.json"

#: A failure without its line and message, which may change: the note, the kind, the text judged.
Key = tuple[str, str, str]


class BaselineError(ValueError):
    """A baseline that cannot be read."""


def path(vault: Vault) -> Path:
    """Return the path of the baseline of a vault."""
    return vault.root / NAME


def read(vault: Vault) -> Counter[Key] | None:
    """Read the number of failures by key; None if there is no baseline.

    Raises
    ------
    BaselineError
        If the file has another content.
    """
    file = path(vault)
    if not file.exists():
        return None
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return Counter(
            {
                (note, row["kind"], row["what"]): int(row["times"])
                for note, found in rows.items()
                for row in found
            }
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise BaselineError(f"{file} is not a baseline file: {error}") from error


def write(vault: Vault, found: Sequence[Inspection]) -> int:
    """Write the failures, and return their number."""
    failing = _failing(vault, found)
    rows: dict[str, list[dict[str, object]]] = {}
    for (note, kind, what), times in sorted(failing.items()):
        rows.setdefault(note, []).append({"kind": kind, "what": what, "times": times})
    write_atomically(path(vault), json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    return failing.total()


def excepted(
    vault: Vault, found: Sequence[Inspection], before: Counter[Key]
) -> tuple[list[Inspection], int]:
    """Exclude the failures in the baseline; also return how many of these no longer occur."""
    left = Counter(before)
    known = []
    for inspection in found:
        checks = []
        for check in inspection.checks:
            key = _key(vault, inspection, check)
            if check.outcome == FAILS and left[key] > 0:
                left[key] -= 1
                check = replace(check, outcome=EXCEPTED, why=f"failed before: {check.why}")
            checks.append(check)
        known.append(replace(inspection, checks=checks))
    return known, left.total()


def _failing(vault: Vault, found: Sequence[Inspection]) -> Counter[Key]:
    """Count the failures of all notes by what identifies them."""
    return Counter(
        _key(vault, inspection, check)
        for inspection in found
        for check in inspection.checks
        if check.outcome == FAILS
    )


def _key(vault: Vault, inspection: Inspection, check: Check) -> Key:
    return vault.relative(inspection.note.path), check.kind, check.what
