"""Caches parsed notes, so that a run parses only what has changed.

An entry is used only for the same engine, bytes and path. It is unpickled with the classes of a
note's records only, so that a damaged or forged entry cannot run other code.
"""

from __future__ import annotations

import io
import os
import pickle
import stat
import sys
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import is_dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import markdown_it
import mdit_py_plugins
import yaml

from vaultkit.read.note import Cell, Note, ParagraphWithCode, Texts
from vaultkit.read.prose import Prose
from vaultkit.store import Store, code_digest, key_of

#: Bytes beyond which a file is not cached: a notebook with pictures, which would fill the store.
_LARGEST = 4 << 20
#: The kind of these entries in the store.
_KIND = "note"
#: For how many notes the texts stay unpickled: checks read those of one note, and of notes that it
#: links to, several times in a row.
_MOST_UNPACKED = 8
_PACKAGE = __name__.rpartition(".")[0]
#: Classes in records that are neither records nor built in.
_OTHER_CLASSES = {
    ("pathlib", "PosixPath"), ("pathlib", "WindowsPath"), ("pathlib._local", "PosixPath"),
    ("pathlib._local", "WindowsPath"), ("datetime", "date"), ("datetime", "datetime"),
    ("datetime", "timedelta"), ("datetime", "timezone"), ("fractions", "Fraction"),
}  # fmt: skip


class Cache:
    """Parsed notes of vaults in a store.

    Parameters
    ----------
    store
        The store.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def note(self, path: Path, read: Callable[[Path], Note]) -> Note:
        """Return the parsed note of a file, from the store if that is current, else by ``read``."""
        key, name = _key_of_file(path), os.fspath(path)
        in_memory = self._store.recent.get(key)
        if isinstance(in_memory, Note):
            return in_memory
        if key and (pickled := self._store.find(_KIND, name, key)) is not None:
            with suppress(Exception):  # a damaged record may raise anything
                note = _NoteUnpickler(io.BytesIO(pickled)).load()
                if isinstance(note, Note) and note.path == path:
                    self._store.recent[key] = note
                    return note
        note = read(path)
        if key and key == _key_of_file(path):  # unless the file was changed meanwhile
            # A note that cannot be pickled, such as one nested too deeply, is not cached.
            with suppress(pickle.PicklingError, RecursionError, TypeError, ValueError):
                note = replace(note, texts=_PackedTexts(note.texts))
                self._store.put(_KIND, name, key, pickle.dumps(note, protocol=5))
                self._store.recent[key] = note
        return note

    def prune_deleted(self, root: Path, paths: Iterable[Path]) -> None:
        """Delete the entries of files below the folder ``root``, except those of ``paths``."""
        root_with_slash = os.path.join(root, "")  # noqa: PTH118
        self._store.forget_others(_KIND, map(os.fspath, paths), root_with_slash)

    def is_empty(self) -> bool:
        """Return whether the store has no notes."""
        return not self._store.names(_KIND)


class _PackedTexts(Texts):
    """Texts that are unpickled on demand, since those of all notes would fill much memory.

    Parameters
    ----------
    texts
        The texts, which are pickled and compressed.
    """

    packed: bytes

    def __init__(self, texts: Texts) -> None:
        data = zlib.compress(pickle.dumps(texts, protocol=5), level=1)
        object.__setattr__(self, "packed", data)  # the class is frozen

    @property
    def prose(self) -> tuple[Prose, ...]:
        """See `Texts`; so for the others."""
        return _unpacked(self.packed).prose

    @property
    def coded(self) -> tuple[ParagraphWithCode, ...]:
        return _unpacked(self.packed).coded

    @property
    def cells(self) -> tuple[Cell, ...]:
        return _unpacked(self.packed).cells


@lru_cache(maxsize=_MOST_UNPACKED)
def _unpacked(packed: bytes) -> Texts:
    """Return texts that were pickled and compressed."""
    texts = _NoteUnpickler(io.BytesIO(zlib.decompress(packed))).load()
    assert isinstance(texts, Texts)
    return texts


class _NoteUnpickler(pickle.Unpickler):
    """Unpickles notes. It knows only the classes that notes consist of."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class by its name; raise UnpicklingError unless notes consist of such records.

        These are the records of this package, and `_OTHER_CLASSES`.
        """
        is_other = (module, name) in _OTHER_CLASSES
        if is_other or module.startswith(f"{_PACKAGE}."):
            named = super().find_class(module, name)
            if isinstance(named, type):
                is_record = is_dataclass(named) or issubclass(named, tuple)  # a `NamedTuple` is one
                if is_other or is_record:
                    return named
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a note")


def _key_of_file(path: Path) -> bytes:
    """Return the fingerprint of the parser, a file's path and its content.

    It is empty if the file must not be cached: one that is too large, is no regular file (reading
    a pipe would wait), or cannot be opened.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return b""
        content = path.read_bytes()
    except (OSError, ValueError):
        return b""
    return key_of(_parser_digest(), os.fsencode(path), content)


@cache
def _parser_digest() -> bytes:
    """Return the fingerprint of the parser: its code, and the versions of what it uses."""
    versions = (sys.version, markdown_it.__version__, mdit_py_plugins.__version__, yaml.__version__)
    return key_of(versions, code_digest(Path(__file__).parent))
