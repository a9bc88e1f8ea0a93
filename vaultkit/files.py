"""Writes files in one stroke, so that nobody ever sees half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_atomically(path: Path, content: bytes | str) -> None:
    """Write a file; its folder is made where there is none, its permissions stay as they are.

    Raises
    ------
    OSError
        If it cannot be written. Nothing is left behind, and the file is as it was.
    """
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    written = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # A new file gets what any new file gets, and not the narrow rights of a temporary one.
        written.chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
