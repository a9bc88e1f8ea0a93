"""Writes files atomically."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path


class ChangedError(RuntimeError):
    """A file has changed since it was read."""


def write_atomically(path: Path, content: bytes | str, expected: bytes | None = None) -> None:
    """Write a file atomically; create its folder, and keep its permissions.

    If the path is a symbolic link, its target is written.

    Parameters
    ----------
    path
        The file.
    content
        The new content.
    expected
        The content when it was read, which is compared right before the file is replaced.

    Raises
    ------
    OSError
        If it cannot be written. Then the file is unchanged, and no temporary file remains.
    ChangedError
        If its content is not ``expected``; it is left unchanged.
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
        # A new file gets the default permissions, not those of a temporary file.
        written.chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        if expected is not None and path.read_bytes() != expected:
            raise ChangedError(f"{path} has changed meanwhile; run again")
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Return the permissions that new files of this process do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
