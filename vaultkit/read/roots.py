"""Finds the folder of a vault, for who names a note of it, or nothing but the folder around it."""

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


def vault_in(folder: Path) -> Path:
    """Find the vault in a folder where somebody works: it, or one right below it.

    Examples
    --------
    >>> vault_in(Path("snippets")) == Path("snippets")
    True
    """
    below = sorted(path for path in folder.iterdir() if path.is_dir())
    for sign in _SIGNS:
        for candidate in (folder, *below):
            if (candidate / sign).exists():
                return candidate
    docs = folder / "docs"
    return docs if _is_vault(docs) else folder


def _is_vault(folder: Path) -> bool:
    if any((folder / sign).exists() for sign in _SIGNS):
        return True
    return folder.name == "docs" and folder.is_dir() and (folder.parent / "mkdocs.yml").is_file()
