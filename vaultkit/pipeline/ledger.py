"""The ledger: the checks of each note, with fingerprints of all that they depend on.

Every run writes it; the site shows it. An entry is stale, and ignored, once a fingerprint has
changed: of the note, a module that it imports, a file that it reads, a note that it links to, the
engine or NumPy.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from vaultkit.checks.check import FAILS, GENERAL, HOLDS, Check
from vaultkit.checks.listings import checks_of
from vaultkit.files import write_atomically
from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Vault

#: Kinds of checks in the order of reports, with their plurals.
KINDS = {
    "block": "blocks",
    "equation": "equations",
    "shape": "shapes",
    "number": "numbers",
    "prediction": "predictions",
    "link": "links",
    "formula": "formulas",
}
#: Kinds of checks that do not run a note's code.
OF_TEXT = ("form", "link", "formula", "mirror")


class Ledger:
    """The ledger of a vault.

    Parameters
    ----------
    vault
        The vault. Its ledger is the folder ``.cache/vaultkit/ledger`` beside the vault's folder.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.folder = folder_of(vault)

    def record(
        self,
        note: Note,
        checks: Iterable[Check],
        rests_on: Iterable[Path] = (),
        environment: str = "",
    ) -> None:
        """Store the checks of a note.

        Results of earlier trials on other numbers are kept, as long as nothing has changed.

        Parameters
        ----------
        note
            The note.
        checks
            All checks of the note.
        rests_on
            The files that its code has read.
        environment
            Fingerprint of the environment of the run; empty if the results must not be reused.
        """
        files = [self._named(path) for path in rests_on]
        key = self._key(note, files)
        before = self._entry(note)
        known = _checks_of(before, tried=True) if before.get("key") == key else None
        tried = {_place(check): check for check in known or () if check.scope}
        found = [
            replace(check, scope=once.scope, pinned=once.pinned)
            if not check.scope and (once := tried.get(_place(check)))
            else check
            for check in checks
        ]
        entry = {
            "note": self.vault.relative(note.path),
            "key": key,
            "machines": before.get("machines", []) if before.get("key") == key else [],
            "environment": environment and self._environment(environment, files),
            "checks": [check.plain() for check in sorted(found, key=lambda c: (c.line, c.column))],
        }
        # Replacing a file takes milliseconds, which is too long if only the times of the checks
        # differ.
        if _timeless(entry) != _timeless(before):
            write_atomically(self._file(note), json.dumps(entry))

    def checks(self, note: Note) -> list[Check] | None:
        """Return the checks of a note; None if there are none, or they are stale."""
        return self._still_true(self._entry(note), note)

    def _still_true(self, entry: Mapping[str, Any], note: Note) -> list[Check] | None:
        try:
            key = entry["key"]
            if key != self._key(note, _files_of(entry)):
                return None
        except (KeyError, TypeError, ValueError, AttributeError):
            return None  # an old ledger, or a damaged one
        return _checks_of(entry)

    def found_by_running(self, note: Note, environment: str) -> list[Check] | None:
        """Return the checks of a note's code, if running it again would give the same; else None.

        They are reused if nothing failed, and the environment, the dependencies and the names of
        files beside them are the same. Code that depends on the time, the network or other folders
        is not detected.
        """
        entry = self._entry(note)
        checks = self._still_true(entry, note)
        if checks is None or any(check.outcome == FAILS for check in checks):
            return None
        if entry.get("environment") != self._environment(environment, _files_of(entry)):
            return None
        of_code = (check for check in checks if check.kind not in OF_TEXT)
        return [replace(check, scope="", pinned="") for check in of_code]

    def record_machines(self, note: Note, names: Iterable[str]) -> None:
        """Store the machines on which a note was run again with equal results.

        Those of earlier runs are kept, as long as nothing has changed.
        """
        entry = self._entry(note)
        if self._still_true(entry, note) is not None:
            names = set(names)
            known = sorted({*entry.get("machines", ()), *names}) if names else []
            write_atomically(self._file(note), json.dumps({**entry, "machines": known}))

    def machines(self, note: Note) -> int:
        """Return on how many machines a note was run, this one included; 0 if on no other.

        See `vaultkit.pipeline.machines`.
        """
        entry = self._entry(note)
        known = entry.get("machines")
        if not isinstance(known, list) or not known or self._still_true(entry, note) is None:
            return 0
        return len(known) + 1

    def knows(self, note: Note) -> bool:
        """Return whether a note has ever been checked."""
        return bool(self._entry(note))

    def may_read(self, note: Note, files: Iterable[Path]) -> bool:
        """Return whether a note's code may read one of these files: it did, or was never run."""
        beside = self.vault.root.parent
        try:
            read = {beside / name[5:] for name in self._entry(note)["key"] if name[:5] == "file:"}
        except (KeyError, TypeError):
            return True
        return not read.isdisjoint(files) or self.checks(note) is None

    def forget_the_gone(self) -> None:
        """Delete the entries of notes that no longer exist."""
        kept = {self._file(note) for note in self._notes().values()}
        for file in self.folder.glob("*.json"):
            if file not in kept:
                file.unlink(missing_ok=True)

    def _notes(self) -> dict[str, Note]:
        return {self.vault.relative(path): note for path, note in self.vault.notes.items()}

    def _file(self, note: Note) -> Path:
        name = self.vault.relative(note.path)
        return self.folder / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.json"

    def _entry(self, note: Note) -> dict[str, Any]:
        try:
            entry = json.loads(self._file(note).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return entry if isinstance(entry, dict) else {}

    def _key(self, note: Note, files: Iterable[str]) -> dict[str, str]:
        """Return the fingerprints of all that the checks of a note depend on, by kind."""
        key = {"note": note.digest, "engine": _engine(), "numpy": np.__version__}
        key["checks"] = " ".join(sorted(checks_of(note, self.vault.options, self._path(note))))
        for name in files:
            key[f"file:{name}"] = _digest_of(self.vault.root.parent / name)
        for link in (*note.links, *self.vault.drawn(note)):
            try:
                path = self.vault.find(link.target, note.path)
            except BrokenLinkError:
                key[f"link:{link.target}"] = ""
                continue
            other = self.vault.notes.get(path)
            if other is None:
                key[f"link:{self.vault.relative(path)}"] = _digest_of(path)
            elif other.path != note.path:
                key[f"link:{self.vault.relative(path)}"] = other.outline
        return key

    def _path(self, note: Note) -> str:
        return self.vault.relative(note.path)

    def _environment(self, environment: str, files: Iterable[str]) -> str:
        """Return the fingerprint of an environment and of the names of files beside those read."""
        digest = hashlib.sha256(environment.encode())
        beside = self.vault.root.parent
        folders = {(beside / name).parent for name in files}
        for folder in sorted({beside, *folders}):
            digest.update(f"\n{os.fspath(folder)}".encode(errors="surrogateescape"))
            with suppress(OSError):
                names = {path.name for path in folder.iterdir()} - {"__pycache__"}
                if folder == beside:  # only modules count: other files there change often
                    names = {name for name in names if name.removesuffix(".py").isidentifier()}
                digest.update("\0".join(sorted(names)).encode(errors="surrogateescape"))
        return digest.hexdigest()

    def _named(self, path: Path) -> str:
        return path.relative_to(self.vault.root.parent).as_posix()


def _files_of(entry: Mapping[str, Any]) -> list[str]:
    return [name[5:] for name in entry["key"] if name.startswith("file:")]


def _timeless(entry: Mapping[str, Any]) -> str:
    with suppress(TypeError, KeyError):  # a damaged ledger
        return json.dumps({**entry, "checks": [{**row, "seconds": 0} for row in entry["checks"]]})
    return ""


def _checks_of(entry: Mapping[str, Any], *, tried: bool = False) -> list[Check] | None:
    """Return the checks of an entry: all, or only those repeated with other numbers."""
    try:
        rows = [row for row in entry["checks"] if not tried or row.get("scope")]
        return [Check.from_plain(row) for row in rows]
    except (KeyError, TypeError, ValueError, AttributeError):
        return None  # an old ledger, or a damaged one


def _place(check: Check) -> tuple[str, int, int, str]:
    return check.kind, check.line, check.column, check.what


def published(known: Mapping[str, Iterable[Check] | None]) -> dict[str, Any]:
    """Return the public data of the checks of notes, by the names of the notes."""
    return {
        name: None if checks is None else [_public(check) for check in checks]
        for name, checks in known.items()
    }


def _public(check: Check) -> dict[str, Any]:
    data = check.plain()
    data.pop("mend", None)
    data.pop("block", None)
    return {**data, "seconds": round(check.seconds, 6)}


def _digest_of(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


@cache
def _engine() -> str:
    """Return the fingerprint of the engine's code."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def in_words(checks: Iterable[Check]) -> str:
    """Describe how many checks of each kind hold: *6 blocks, 2 equations (1 in general)*."""
    held = [check for check in checks if check.outcome == HOLDS]
    counts = Counter(check.kind for check in held)
    general = Counter(check.kind for check in held if check.scope == GENERAL)
    tried = {check.kind for check in held if check.scope}
    return ", ".join(
        f"{counts[kind]} {kind if counts[kind] == 1 else plural}"
        + (f" ({general[kind] or 'none'} in general)" if kind in tried else "")
        for kind, plural in KINDS.items()
        if counts[kind]
    )


def folder_of(vault: Vault) -> Path:
    """Return the folder of the ledger of a vault."""
    return vault.root.parent / ".cache" / "vaultkit" / "ledger"
