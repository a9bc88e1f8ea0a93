"""Finds the folder of a vault, for those who name a note, or a folder that holds more than one."""

from __future__ import annotations

from pathlib import Path

from vaultkit.read.options import FILES

#: What stands in the folder of a vault and in no other.
_SIGNS = (".obsidian", FILES[0])


def vault_of(note: Path) -> Path:
    """Find the vault of a note: the nearest folder above that is one, or else its own.

    Examples
    --------
    >>> vault_of(Path("nowhere/Note.md")) == Path("nowhere").resolve()
    True
    """
    above = note.resolve().parents
    return next((folder for folder in above if _is_vault(folder)), above[0])


def _is_vault(folder: Path) -> bool:
    if any((folder / sign).exists() for sign in _SIGNS):
        return True
    return folder.name == "docs" and (folder.parent / "mkdocs.yml").is_file()
