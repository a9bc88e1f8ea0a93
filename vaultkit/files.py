"""Writes files atomically: a reader sees the old content or the new one, never a part."""

from __future__ import annotations

import codecs
import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

#: The bits of a file's mode: its permissions, and those to write it; the default of a new file.
_PERMISSIONS, _WRITABLE_BY_ANYONE, _MODE_OF_NEW_FILES = 0o7777, 0o222, 0o666
_CHANGED = "{} has changed meanwhile; run again"


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
    mode = _MODE_OF_NEW_FILES & ~_umask()
    if path.exists():
        mode = path.stat().st_mode
        # The system would allow it: replacing a file needs only the permission of its folder.
        if not mode & _WRITABLE_BY_ANYONE:
            raise PermissionError(errno.EACCES, "the file is read-only", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        temporary.chmod(mode & _PERMISSIONS)  # only its owner may read a temporary file
        if expected is not None and path.read_bytes() != expected:
            raise ChangedError(_CHANGED.format(path))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def rewrite_text(path: Path, rewrite: Callable[[str], str], expected: str | None = None) -> None:
    """Replace the text of a UTF-8 file atomically, and keep its byte order mark if it has one.

    Parameters
    ----------
    path
        The file.
    rewrite
        Returns the new text, given the present one.
    expected
        The text when it was read; None if it need not be compared.

    Raises
    ------
    OSError
        If it cannot be read or written.
    ChangedError
        If its text is not ``expected``, or changes meanwhile; it is left unchanged.
    """
    raw = path.read_bytes()
    text = raw.decode("utf-8-sig")
    if expected is not None and text != expected:
        raise ChangedError(_CHANGED.format(path))
    mark = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    write_atomically(path, mark + rewrite(text).encode(), raw)


def _umask() -> int:
    """Return the permissions that new files of this process do not get."""
    mask = os.umask(0)  # the only way to read it is to set it
    os.umask(mask)
    return mask
