"""Finds the folder of a vault, given a note in it or a folder around it."""

from __future__ import annotations

from pathlib import Path

from vaultkit.read.options import FILES

#: Files that only the folder of a vault contains.
_SIGNS = (".obsidian", FILES[0])


def vault_of(note: Path) -> Path:
    """Return the vault of a note: the nearest folder above that is one, or else its own folder.

    Examples
    --------
    >>> vault_of(Path("nowhere/Note.md")) == Path("nowhere").resolve()
    True
    """
    return vault_above(note) or note.resolve().parent


def vault_above(note: Path) -> Path | None:
    """Return the nearest folder above a note that is a vault, if there is one.

    Examples
    --------
    >>> vault_above(Path("/nowhere/Note.md"))
    """
    return next((folder for folder in note.resolve().parents if _is_vault(folder)), None)


def vault_in(folder: Path) -> Path:
    """Return the vault of a working folder: itself, or a folder directly below it.

    A folder that Obsidian opens comes first, then one with settings, then the ``docs`` of MkDocs.
    If there is no such folder, it is the working folder.

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
    """Return whether a folder has the files of a vault, or is the ``docs`` of MkDocs."""
    if any((folder / sign).exists() for sign in _SIGNS):
        return True
    has_settings = (folder.parent / "mkdocs.yml").is_file()
    return folder.name == "docs" and folder.is_dir() and has_settings
