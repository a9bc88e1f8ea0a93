"""The cache of everything derived from files, so that a run recomputes only what has changed.

It is a single SQLite file. Each entry is a row with a name and a key: the fingerprint of everything
that the entry was derived from (`key_of`). A lookup states the key that the entry must have. An
entry with that key is fresh; there is no other rule. There is one row for each name, so edits do
not enlarge the file.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import threading
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import sqlite3

#: Seconds for which a process waits while another one writes.
_PATIENCE = 5
#: The only table: a row for each entry, with the CRC-32 of its content, by which damage is found.
_TABLE = (
    "CREATE TABLE IF NOT EXISTS kept (kind TEXT, name BLOB, key BLOB, sum INTEGER, content BLOB,"
    " PRIMARY KEY (kind, name)) WITHOUT ROWID"
)


class Row(NamedTuple):
    """An entry of the store."""

    name: str
    key: bytes
    content: bytes


class Store:
    """A cache in a file that any number of processes may use at the same time.

    If the file cannot be read or written, every entry is computed again.

    Parameters
    ----------
    file
        The file. It is created with the first entry.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._is_broken = False
        #: Entries that are in use as objects, by their keys.
        self.recent: weakref.WeakValueDictionary[bytes, Any] = weakref.WeakValueDictionary()
        _open.add(self)

    def get(self, kind: str, name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        """Return the entry of a name if it has this key; else make and store it.

        Parameters
        ----------
        kind, name
            The kind of the entry, and its name within that kind.
        key
            Fingerprint of everything that the entry is derived from.
        make
            Computes the entry.
        """
        content = self.find(kind, name, key)
        if content is None:
            content = make()
            self.put(kind, name, key, content)
        return content

    def find(self, kind: str, name: str, key: bytes) -> bytes | None:
        """Return the entry of a name; None if it has another key, or is damaged."""
        query = "SELECT sum, content FROM kept WHERE kind = ? AND name = ? AND key = ?"
        for checksum, content in self._run(query, (kind, _encode(name), key)):
            if isinstance(content, bytes) and zlib.crc32(content) == checksum:
                return content
        return None

    def latest(self, kind: str, name: str) -> Row | None:
        """Return the entry of a name, whatever its key is; None if there is none."""
        return next(self.rows(kind, name), None)

    def rows(self, kind: str, name: str | None = None) -> Iterator[Row]:
        """Yield each undamaged entry of a kind, or only that of a name, whatever its key is."""
        query = "SELECT name, key, sum, content FROM kept WHERE kind = ?"
        if name is None:
            rows = self._run(query, (kind,))
        else:
            rows = self._run(f"{query} AND name = ?", (kind, _encode(name)))
        for row in rows:
            # SQLite itself does not ensure the types of columns.
            if [type(value) for value in row] != [bytes, bytes, int, bytes]:
                continue
            encoded_name, key, checksum, content = row
            if zlib.crc32(content) == checksum:
                yield Row(_decode(encoded_name), key, content)

    def put(self, kind: str, name: str, key: bytes, content: bytes) -> None:
        """Store the entry of a name, replacing an older one."""
        row = kind, _encode(name), key, zlib.crc32(content), content
        self._run("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", row, writes=True)

    def names(self, kind: str) -> set[str]:
        """Return the names of all entries of a kind."""
        rows = self._run("SELECT name FROM kept WHERE kind = ?", (kind,))
        return {_decode(bytes(name)) for (name,) in rows}

    def forget_others(self, kind: str, names: Iterable[str], prefix: str = "") -> None:
        """Delete the entries of a kind with other names than these.

        Parameters
        ----------
        kind, names
            The kind, and the names of the entries that stay.
        prefix
            Only names that begin with this are deleted.
        """
        for name in self.names(kind).difference(names):
            if name.startswith(prefix):
                row = kind, _encode(name)
                self._run("DELETE FROM kept WHERE kind = ? AND name = ?", row, writes=True)

    def close(self) -> None:
        """Close the file until the next access."""
        with self._lock:
            self._close()

    def __del__(self) -> None:
        """Close the file; from Python 3.13 on, an open connection warns when it is collected."""
        self._close()

    def before_fork(self) -> None:
        """Close the file until `forked`, as the new process must not inherit it."""
        self._lock.acquire()
        self._close()

    def forked(self) -> None:
        """Allow the file to be opened again, in either process."""
        self._lock.release()

    def _close(self) -> None:
        """Close the connection. The caller holds the lock."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def _run(
        self, command: str, values: tuple[object, ...], writes: bool = False
    ) -> list[tuple[Any, ...]]:
        """Execute an SQL command and return its rows; no rows if the file is locked or damaged.

        A missing file is made only if the command ``writes``.
        """
        try:
            import sqlite3
        except ImportError:  # in a browser, where nothing is cached
            return []
        with self._lock:
            exists = self._connection is not None or self.file.is_file()
            if self._is_broken or not (writes or exists):
                return []
            try:
                return self._connect().execute(command, values).fetchall()
            except sqlite3.OperationalError:  # locked for too long, read-only, a full disk
                return []
            except (sqlite3.DatabaseError, OSError):  # the file is damaged
                self._delete_file()
                return []

    def _connect(self) -> sqlite3.Connection:
        """Return the connection to the database, which is opened, or made, at the first call."""
        import sqlite3

        if self._connection is None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            # Each command is a transaction of its own. Threads share the connection, one at a time.
            self._connection = sqlite3.connect(
                self.file, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            # Writes need not reach the disk: what a crash of the machine destroys is computed
            # again. With WAL, reading does not wait for writing.
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.execute("PRAGMA journal_mode = WAL").fetchall()
            self._connection.execute(_TABLE)
        return self._connection

    def _delete_file(self) -> None:
        """Delete a damaged file; if that fails, disable the store."""
        self._close()
        try:
            for ending in ("", "-wal", "-shm"):
                Path(f"{self.file}{ending}").unlink(missing_ok=True)
        except OSError:
            self._is_broken = True


#: All stores, which are closed before a fork, since SQLite connections must not be inherited.
_open: weakref.WeakSet[Store] = weakref.WeakSet()
#: Held during a fork: two threads may fork at once, and there is one list of locked stores.
_forking = threading.Lock()
_locked_for_fork: list[Store] = []


def _before_fork() -> None:
    """Close all stores and lock them, so that no thread opens one while this process forks."""
    _forking.acquire()
    _locked_for_fork[:] = _open
    for store in _locked_for_fork:
        store.before_fork()


def _after_fork() -> None:
    """Unlock the stores, in both processes."""
    for store in _locked_for_fork:
        store.forked()
    _locked_for_fork.clear()
    _forking.release()


@atexit.register
def _close_all() -> None:
    """Close all stores, so that SQLite leaves a single file, which may be copied."""
    for store in list(_open):
        store.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


def store_beside(root: Path) -> Store:
    """Return the store of a vault, in ``.cache/vaultkit`` beside its folder."""
    return store_in(root.parent / ".cache" / "vaultkit")


#: The stores of this process, by their files.
_stores: dict[Path, Store] = {}


def store_in(folder: Path) -> Store:
    """Return the store of a folder; the same object at each call."""
    file = Path(os.path.abspath(folder)) / "store.sqlite"  # noqa: PTH100 (links stay links)
    return _stores.setdefault(file, Store(file))


def key_of(*facts: object) -> bytes:
    """Return the key of an entry: the fingerprint of everything that it is derived from.

    Parameters
    ----------
    *facts
        Bytes, or objects whose representation changes with their value.

    Examples
    --------
    >>> key_of("a", 1) == key_of("a", 1), key_of("a", 1) == key_of("a1")
    (True, False)
    """
    digest = hashlib.sha256()
    for fact in facts:
        data = fact if isinstance(fact, bytes) else _encode(repr(fact))
        # With its length, so that "ab" and "c" differ from "a" and "bc".
        digest.update(b"%d:" % len(data) + data)
    return digest.digest()


@cache
def code_digest(folder: Path) -> bytes:
    """Return the fingerprint of the Python code below a folder, and of its data in TOML."""
    digest = hashlib.sha256()
    for path in sorted([*folder.rglob("*.py"), *folder.glob("*/*.toml")]):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()


def _encode(text: str) -> bytes:
    """Encode a file name or another text, which may have lone surrogates for invalid bytes."""
    return text.encode("utf-8", "surrogatepass")


def _decode(data: bytes) -> str:
    """Return the text that `_encode` has encoded."""
    return data.decode("utf-8", "surrogatepass")
