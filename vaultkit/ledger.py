"""What was found when the notes were checked, a note at a time, tied to the text it was found in.

The checks write it; the site shows it. A note that has changed since has no entry any more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vaultkit.checks.check import HOLDS, Check
from vaultkit.read.note import Note

#: Kinds of checks in the order in which they are told, with their plurals.
KINDS = {
    "block": "blocks",
    "equation": "equations",
    "shape": "shapes",
    "number": "numbers",
    "link": "links",
    "formula": "formulas",
}


@dataclass
class Ledger:
    """All checks of a vault.

    Parameters
    ----------
    entries
        By the path of a note below the vault's root: the hash of its text, and its checks.
    """

    entries: dict[str, tuple[str, list[Check]]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Ledger:
        """Read a ledger from its file; an empty one where there is none."""
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                {
                    name: (entry["hash"], [Check.from_plain(row) for row in entry["checks"]])
                    for name, entry in stored["notes"].items()
                }
            )
        except (FileNotFoundError, json.JSONDecodeError, KeyError, TypeError):
            return cls()

    def write(self, path: Path) -> None:
        """Write the ledger to a file."""
        notes = {
            name: {"hash": digest, "checks": [check.plain() for check in checks]}
            for name, (digest, checks) in sorted(self.entries.items())
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"notes": notes}, ensure_ascii=False), encoding="utf-8")

    def record(self, name: str, note: Note, checks: Iterable[Check]) -> None:
        """Put down what was found in a note."""
        self.entries[name] = (note.digest, sorted(checks, key=lambda check: check.line))

    def checks(self, name: str, note: Note) -> list[Check] | None:
        """Return the checks of a note; None if it has changed since, or never was checked."""
        digest, checks = self.entries.get(name, ("", []))
        return checks if digest == note.digest else None

    def public(self, notes: Mapping[str, Note]) -> dict[str, Any]:
        """Return what machines may read of it: for each note its checks, or None."""
        return {
            name: None
            if found is None
            else [{**check.plain(), "seconds": round(check.seconds, 6)} for check in found]
            for name, found in ((name, self.checks(name, note)) for name, note in notes.items())
        }


def told(checks: Iterable[Check]) -> str:
    """Say in words how many checks of each kind there were: *6 blocks, 1 equation*."""
    counts = Counter(check.kind for check in checks if check.outcome == HOLDS)
    return ", ".join(
        f"{counts[kind]} {kind if counts[kind] == 1 else plural}"
        for kind, plural in KINDS.items()
        if counts[kind]
    )


def path_of(root: Path) -> Path:
    """Where the ledger of the vault at ``root`` stands."""
    return root.parent / ".cache" / "vaultkit" / "ledger.json"
