"""The ledger: the checks of each note, in the store of its vault.

Every run writes it; the site shows it. Checks are fresh while their key equals the fingerprint of
all that they rest on (`vaultkit.pipeline.rests_on`); there is no other rule.

A *trial* runs a note on other numbers. It gives an equation that holds a scope: in general, or for
the numbers of the page. A number that merely occurs on its page also has a scope (`Check.scope`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vaultkit.checks.check import COMPARISON, FOUND, GENERAL, HOLDS, UNJUDGED, Check
from vaultkit.english import count_in_words
from vaultkit.pipeline.rests_on import Facts, fingerprint, relative_name, rests_on
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.store import Row, Store, store_beside

#: Kinds of checks in the order of reports, with their plurals.
KINDS = {
    "block": "blocks",
    "equation": "equations",
    "shape": "shapes",
    "number": "numbers",
    "sentence": "sentences",
    "prediction": "predictions",
    "link": "links",
    "formula": "formulas",
}
#: The kind of these entries in the store.
_KIND = "checks"


@dataclass(frozen=True)
class Entry:
    """The checks of a note when it was last checked.

    Attributes
    ----------
    checks
        The checks.
    read
        The files that its code has read, relative to the folder beside the vault.
    machines
        The names of other machines on which it was run again with equal results.
    is_fresh
        Whether nothing has changed that the checks rest on.
    """

    checks: tuple[Check, ...]
    read: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()
    is_fresh: bool = True


class Ledger:
    """The ledger of a vault.

    Parameters
    ----------
    vault
        The vault.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self._store = store_beside(vault.root)
        #: Touched at each change of the ledger, for a server that watches it.
        self.stamp = self._store.file.with_name("checked")

    def record(
        self, note: Note, checks: Iterable[Check], read: Iterable[Path] = (), *, stale: bool = False
    ) -> None:
        """Store the checks of a note.

        Results of earlier trials on other numbers, and on other machines, are kept as long as
        nothing has changed.

        Parameters
        ----------
        note, checks
            The note, and all its checks.
        read
            The files that its code has read.
        stale
            Whether something that the checks rest on has changed since they were made.
        """
        files = tuple(sorted(relative_name(path, self.vault.root.parent) for path in read))
        earlier = self.entry(note)
        if earlier and (not earlier.is_fresh or earlier.read != files):
            earlier = None  # something has changed
        with_scope = {_identity(c): c for c in (earlier.checks if earlier else ()) if c.scope}
        recorded = []
        for check in sorted(checks, key=lambda check: (check.line, check.column)):
            if not check.scope and (same := with_scope.get(_identity(check))):
                check = replace(check, scope=same.scope, pinned=same.pinned)
            recorded.append(check)
        entry = Entry(tuple(recorded), files, earlier.machines if earlier else ())
        # A server builds the site again when the ledger changes; other times are no reason for it.
        if stale or earlier is None or _without_seconds(entry) != _without_seconds(earlier):
            self._write(note, entry, stale)

    def entry(self, note: Note) -> Entry | None:
        """Return what was found when a note was last checked; None if it never was."""
        return self._entry(note, self._store.latest(_KIND, self._name(note)))

    def entries(self, notes: Iterable[Note]) -> Iterator[Entry | None]:
        """Yield the entry of each note, much faster than by reading them one by one."""
        rows = {row.name: row for row in self._store.rows(_KIND)}
        for note in notes:
            yield self._entry(note, rows.get(self._name(note)))

    def _entry(self, note: Note, row: Row | None) -> Entry | None:
        """Return the entry of a stored row; None for no row.

        An entry is stale if its fingerprint differs from that of the note as it is now.
        """
        if row is None:
            return None
        with suppress(LookupError, TypeError, ValueError):  # written by an older version
            data = json.loads(row.content)
            read, machines = tuple(data["read"]), tuple(data["machines"])
            checks = tuple(map(Check.from_plain, data["checks"]))
            is_fresh = row.key == fingerprint(self._facts(note, read))
            return Entry(checks, read, machines, is_fresh)
        return Entry((), is_fresh=False)

    def fresh_checks(self, note: Note) -> list[Check] | None:
        """Return the checks of a note; None if there are none, or they are stale."""
        entry = self.entry(note)
        return list(entry.checks) if entry and entry.is_fresh else None

    def record_machines(self, note: Note, names: Iterable[str]) -> None:
        """Store the machines on which a note was run again with equal results.

        Those of earlier runs are kept, as long as nothing has changed; without names, as the
        results differed on a machine, all are dropped.
        """
        entry = self.entry(note)
        if entry and entry.is_fresh:
            names = set(names)
            machines = tuple(sorted({*entry.machines, *names})) if names else ()
            self._write(note, replace(entry, machines=machines))

    def rests_on(self, note: Note) -> Facts:
        """Return what the checks of a note rest on, with the files that its last run has read."""
        row = self._store.latest(_KIND, self._name(note))
        with suppress(LookupError, TypeError, ValueError):
            return self._facts(note, json.loads(row.content)["read"] if row else ())
        return self._facts(note, ())

    def merge(self, other: Store) -> int:
        """Add the checks in the store of another machine; return the number of their notes.

        Checks that are fresh here already are kept.
        """
        notes = {self._name(note): note for note in self.vault.notes.values()}
        rows = [row for row in other.rows(_KIND) if row.name in notes]
        new = [row for row in rows if self.fresh_checks(notes[row.name]) is None]
        for row in new:
            self._store.put(_KIND, *row)
        return len(new)

    def prune_deleted(self) -> None:
        """Delete the entries of notes that no longer exist; other vaults may share the store."""
        names = map(self._name, self.vault.notes.values())
        self._store.forget_others(_KIND, names, f"{self.vault.root.name}/")

    def _write(self, note: Note, entry: Entry, stale: bool = False) -> None:
        """Store the entry of a note; a stale one gets a fingerprint that matches nothing."""
        key = b"" if stale else fingerprint(self._facts(note, entry.read))
        checks = [check.plain() for check in entry.checks]
        data = {"checks": checks, "read": entry.read, "machines": entry.machines}
        self._store.put(_KIND, self._name(note), key, json.dumps(data).encode())
        with suppress(OSError):
            self.stamp.touch()

    def _name(self, note: Note) -> str:
        """Return the name of a note in the store, which is the same on all machines."""
        return relative_name(note.path, self.vault.root.parent)

    def _facts(self, note: Note, read: Iterable[str]) -> Facts:
        """Return what the checks of a note rest on, given the names of the files it has read."""
        beside = self.vault.root.parent
        return rests_on(note, self.vault, [beside / name for name in read])


def _without_seconds(entry: Entry) -> list[Check]:
    """Return the checks of an entry without the times that they took."""
    return [replace(check, seconds=0) for check in entry.checks]


def _identity(check: Check) -> tuple[str, int, int, str]:
    """Return the key that identifies a check in a later run: its kind, place and text."""
    return check.kind, check.line, check.column, check.what


def public_data(checks_of_notes: Mapping[str, Iterable[Check] | None]) -> dict[str, Any]:
    """Return the public data of the checks of notes, by the names of the notes.

    None instead of the checks says that a note has no fresh ones.
    """
    return {
        name: None if checks is None else [_public_check(check) for check in checks]
        for name, checks in checks_of_notes.items()
    }


def _public_check(check: Check) -> dict[str, Any]:
    """Return the public data of a check: without what only editors and updates need."""
    data = check.plain()
    data.pop("fix", None)
    data.pop("block", None)
    return {**data, "seconds": round(check.seconds, 6)}


def describe_verdicts(checks: Sequence[Check]) -> str:
    """Describe the verdicts: *6 blocks proven; 5 more numbers found on this page; 4 not judged*.

    A number that is found on the page need not be the right one, so it is counted apart.
    """
    proven = describe_proven(checks)
    found = sum(check.outcome == HOLDS and check.scope == FOUND for check in checks)
    unjudged = [check.kind for check in checks if check.outcome == UNJUDGED]
    parts = [
        f"{proven} proven" if proven else "",
        f"{count_in_words(found, 'more number')} found on this page" if found else "",
        not_judged(len(unjudged), unjudged.count(COMPARISON)) if unjudged else "",
    ]
    return "; ".join(filter(None, parts))


def not_judged(total: int, comparisons: int) -> str:
    """Say how many statements are not judged, and how many of them compare in words alone.

    >>> not_judged(4, 0), not_judged(7, 1), not_judged(3, 3)
    ('4 not judged', '7 not judged, 1 of them a comparison', '3 comparisons not judged')
    """
    kind = "comparison" if comparisons == 1 else "comparisons"
    if comparisons == total:
        return f"{total:,} {kind} not judged"
    which = f", {comparisons:,} of them {'a ' * (comparisons == 1)}{kind}" if comparisons else ""
    return f"{total:,} not judged{which}"


def describe_proven(checks: Iterable[Check]) -> str:
    """Describe how many checks of each kind hold: *6 blocks, 2 equations (1 in general)*.

    Numbers that occur on the page are left out: they need not be the right ones.
    """
    proven = [check for check in checks if check.outcome == HOLDS and check.scope != FOUND]
    counts = Counter(check.kind for check in proven)
    general = Counter(check.kind for check in proven if check.scope == GENERAL)
    kinds_with_trials = {check.kind for check in proven if check.scope}
    parts = []
    for kind, plural in KINDS.items():
        if counts[kind]:
            has_trials = kind in kinds_with_trials
            of_trials = f" ({general[kind] or 'none'} in general)" if has_trials else ""
            parts.append(f"{counts[kind]} {kind if counts[kind] == 1 else plural}{of_trials}")
    return ", ".join(parts)
