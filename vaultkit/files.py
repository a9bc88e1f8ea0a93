"""Writes files in one stroke, so that nobody ever sees half of one."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path


class ChangedError(RuntimeError):
    """The file is not what it was when it was read."""


def write_atomically(path: Path, content: bytes | str, before: bytes | None = None) -> None:
    """Write a file; its folder is made where there is none, its permissions stay as they are.

    A link stays one: what it leads to is written.

    Parameters
    ----------
    path
        The file.
    content
        What it is to hold.
    before
        What it held when it was read. Compared right before the new one takes its place.

    Raises
    ------
    OSError
        If it cannot be written, or may not be: no one has the right to. Nothing is left behind, and
        the file is as it was.
    ChangedError
        If it holds something else than ``before``; it is left as it is.
    """
    data = content.encode() if isinstance(content, str) else content
    path = Path(os.path.realpath(path))
    if path.exists() and not path.stat().st_mode & 0o222:
        raise PermissionError(errno.EACCES, "the file is read-only", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    written = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # A new file gets what any new file gets, and not the narrow rights of a temporary one.
        written.chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        if before is not None and path.read_bytes() != before:
            raise ChangedError(f"{path} has changed meanwhile; run again")
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def keep(path: Path, content: bytes) -> None:
    """Write a file of a cache, which nobody else writes otherwise, in one stroke as well.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    written = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        try:
            written.write_bytes(content)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            written.write_bytes(content)
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
