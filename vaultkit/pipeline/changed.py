"""Finds the notes to check again when files have changed: those files, and what depends on them.

If in doubt, a note is included: the failures of a note that is left out would go unseen.

A *fact* is something that the checks of a note rest on (`vaultkit.pipeline.rests_on`). Its name
says what it is: ``file:data.csv``, ``link:A.md``.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from vaultkit.pipeline.ledger import Ledger
from vaultkit.pipeline.rests_on import BROKEN, relative_name, uses_local_modules
from vaultkit.read.discovery import READERS
from vaultkit.read.note import Note
from vaultkit.read.options import FILES
from vaultkit.read.vault import Vault


class GitError(RuntimeError):
    """Git cannot list the changes."""


def files_changed_since(root: Path, commit: str) -> set[Path]:
    """Return the files that have changed since a commit, or are untracked, as git lists them.

    Raises
    ------
    GitError
        If there is no git, no repository or no such commit.
    """
    top = Path(_git(root, "rev-parse", "--show-toplevel").strip())
    names = _git(top, "diff", "--name-only", "-z", commit, "--").split("\0")
    names += _git(top, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    return {top / name for name in names if name}


def affected_notes(vault: Vault, changed: Iterable[Path]) -> list[Note]:
    """Return the notes whose checks rest on changed files, in the order of the vault.

    Parameters
    ----------
    vault
        The vault as it is now.
    changed
        Files that have changed, are new or were removed.
    """
    changed = {path.absolute() for path in changed}
    notes = list(vault.notes.values())
    if changed & {(vault.root / name).resolve() for name in FILES}:  # the settings
        return notes
    ledger, names = Ledger(vault), set(_names_of_facts(changed, vault))
    module_changed = any(path.suffix == ".py" for path in changed)
    data_changed = any(path.suffix not in (*READERS, ".py") for path in changed)

    def is_affected(note: Note) -> bool:
        """Return whether a change may have changed the checks of a note."""
        facts = ledger.rests_on(note)
        if note.path in changed or not names.isdisjoint(facts):
            return True
        if BROKEN in facts:
            return True  # the link may have led to a note, or to an alias, that is gone
        # The facts have the files that the code read when the note was last checked. If its checks
        # are stale, for another reason, it may read others now.
        may_read = data_changed or (module_changed and uses_local_modules(facts))
        return bool(note.blocks) and may_read and ledger.fresh_checks(note) is None

    return list(filter(is_affected, notes))


def _names_of_facts(changed: set[Path], vault: Vault) -> Iterator[str]:
    """Yield the names of the facts that changed files may be, as `rests_on` gives them."""
    beside = vault.root.parent
    for path in changed:
        # A link names a note by its stem, another file by its name.
        for name in (path.name, path.stem):
            yield f"called:{name.casefold()}"
        for alias in vault.notes[path].aliases if path in vault.notes else ():
            yield f"called:{alias.casefold()}"
        if path.is_relative_to(vault.root):
            yield f"link:{vault.relative(path)}"
        if path.is_relative_to(beside):
            yield f"file:{relative_name(path, beside)}"
            if path.parent == beside:
                yield f"module:{path.stem}"
            if path.suffix not in (*READERS, ".py"):  # code may list a folder of data
                yield f"folder:{relative_name(path.parent, beside)}"


def _git(folder: Path, *arguments: str) -> str:
    """Return the output of a git command in a folder; raise `GitError` if it fails."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, encoding="utf-8"
        )
    except OSError as error:
        raise GitError(f"git cannot be run: {error}") from error
    if done.returncode:
        raise GitError(done.stderr.strip().removeprefix("fatal: "))
    return done.stdout
