"""Finds the notes to check again when files have changed: those files, and what depends on them.

If in doubt, a note is included: the failures of a note that is left out would go unseen.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.discovery import READERS
from vaultkit.read.note import Note
from vaultkit.read.options import FILES
from vaultkit.read.vault import BrokenLinkError, Vault

_IMPORT = re.compile(r"^[\s>]*(?:from|import)\s+(\w+)", re.MULTILINE)


class GitError(RuntimeError):
    """Git cannot list the changes."""


def since(root: Path, commit: str) -> set[Path]:
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


def affected(vault: Vault, changed: Iterable[Path]) -> list[Note]:
    """Return the notes whose checks depend on changed files, in the order of the vault.

    Parameters
    ----------
    vault
        The vault as it is now.
    changed
        Files that have changed, are new or were removed.
    """
    changed = {path.absolute() for path in changed}
    settings = {(vault.root / name).resolve() for name in FILES}
    notes = list(vault.notes.values())
    if changed & settings:
        return notes
    code = any(path.suffix == ".py" for path in changed)
    gone_or_new = {_key(path.name) for path in changed} | {_key(path.stem) for path in changed}
    gone_or_new |= {_key(a) for path in changed & vault.notes.keys() for a in _names(vault, path)}
    ledger = Ledger(vault)
    data = {path for path in changed if path.suffix not in (*READERS, ".py")}

    def rests(note: Note) -> bool:
        if note.path in changed or (code and _imports_what_is_beside(note, vault)):
            return True
        if gone_or_new & {_key(name) for name in _names(vault, note.path)}:
            return True  # an alias that two notes have
        if data and note.blocks and ledger.may_read(note, data):
            return True
        return any(leads(link.target) for link in (*note.links, *vault.drawn(note)))

    def leads(target: str) -> bool:
        name = PurePosixPath(target).name
        return bool({_key(name), _key(PurePosixPath(name).stem)} & gone_or_new)

    broken = {note.path for note in notes if _has_broken_link(note, vault)}
    return [note for note in notes if note.path in broken or rests(note)]


def _names(vault: Vault, path: Path) -> tuple[str, ...]:
    note = vault.notes[path]
    return (note.name, *note.aliases)


def _has_broken_link(note: Note, vault: Vault) -> bool:
    for link in note.links:
        try:
            vault.find(link.target, note.path)
        except BrokenLinkError:
            return True
    return False


def _imports_what_is_beside(note: Note, vault: Vault) -> bool:
    beside = vault.root.parent
    names = {name for block in note.blocks for name in _IMPORT.findall(block.fence.text)}
    shows = any(block.fence.info.count(".py") for block in note.blocks)
    return shows or any((beside / n).is_dir() or (beside / f"{n}.py").is_file() for n in names)


def _key(name: str) -> str:
    return name.casefold()


def _git(folder: Path, *arguments: str) -> str:
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
