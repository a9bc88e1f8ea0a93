"""Keeps what was read of a note, so that a run has to read again only what has changed.

Taken from the cache is what the same engine has read from the same bytes under the same path, and
nothing else. What lies in a cache is data: it can name no code but that of the records of a note.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import stat
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import markdown_it
import mdit_py_plugins
import yaml

from vaultkit.files import keep
from vaultkit.read.note import Note

#: Bytes of a file, beyond which it is read each time.
_LARGEST = 4 << 20
_ROOM = __name__.rpartition(".")[0]
#: What records hold that is neither theirs nor built in.
_PLAIN = {
    ("pathlib", "PosixPath"), ("pathlib", "WindowsPath"), ("pathlib._local", "PosixPath"),
    ("pathlib._local", "WindowsPath"), ("datetime", "date"), ("datetime", "datetime"),
    ("datetime", "timedelta"), ("datetime", "timezone"), ("fractions", "Fraction"),
}  # fmt: skip


class Cache:
    """What was read of the notes of a vault, a file a note.

    Parameters
    ----------
    folder
        Where it is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def note(self, path: Path, read: Callable[[Path], Note]) -> Note:
        """Return what is kept of a file, if that is what it holds; else read it, and keep that."""
        key = _key(path)
        file = self._file(path)
        if key:
            with suppress(Exception):  # whatever a damaged file leads to
                kept = file.read_bytes()
                if kept.startswith(key):
                    note = _Records(io.BytesIO(kept[len(key) :])).load()
                    if isinstance(note, Note) and note.path == path:
                        return note
        note = read(path)
        if key and key == _key(path):  # it was not changed meanwhile
            with suppress(OSError, pickle.PicklingError, RecursionError, TypeError, ValueError):
                keep(file, key + pickle.dumps(note, protocol=5))
        return note

    def forget_the_gone(self, paths: Iterable[Path]) -> None:
        """Drop what is kept of other files than these."""
        wanted = {self._file(path) for path in paths}
        for file in self.folder.glob("*.note"):
            if file not in wanted:
                file.unlink(missing_ok=True)

    def _file(self, path: Path) -> Path:
        return self.folder / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:24]}.note"


class _Records(pickle.Unpickler):
    """Reads records of notes, and what they hold."""

    def find_class(self, module: str, name: str) -> Any:
        """Find a class by its name, if it is one of these."""
        if module.startswith(f"{_ROOM}.") or (module, name) in _PLAIN:
            found = super().find_class(module, name)
            if isinstance(found, type) and (is_dataclass(found) or (module, name) in _PLAIN):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a note")


def folder_beside(root: Path) -> Path:
    """Where the cache of a vault stands."""
    return root.parent / ".cache" / "vaultkit" / "read"


def _key(path: Path) -> bytes:
    """Fingerprint of all that what is read of a file rests on; empty if it is not for keeping."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return b""
        content = path.read_bytes()
    except (OSError, ValueError):
        return b""
    digest = hashlib.sha256(_reader())
    digest.update(os.fsencode(path) + b"\0" + content)
    return digest.digest()


@cache
def _reader() -> bytes:
    """Fingerprint of the code that reads."""
    versions = (sys.version, markdown_it.__version__, mdit_py_plugins.__version__, yaml.__version__)
    digest = hashlib.sha256(repr(versions).encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.digest()
