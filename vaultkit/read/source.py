"""Reads the text of any file, in bounded time and memory, or explains why it is not text."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

from vaultkit.read.syntax import LINE_END, printable

#: Most bytes of a note; a notebook may contain pictures, so it may be larger.
LARGEST, LARGEST_WITH_PICTURES = 2_000_000, 16_000_000

#: The byte order marks with which a file in UTF-16 begins.
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class UnreadableError(ValueError):
    """A file that cannot be read as text.

    Parameters
    ----------
    reason
        The explanation.
    line
        The line of the problem.
    text
        The readable part of the text, so that links to its headings still resolve.
    """

    def __init__(self, reason: str, line: int = 1, text: str = "") -> None:
        super().__init__(reason)
        self.reason, self.line, self.text = reason, line, text


def read(path: Path, largest: int = LARGEST) -> str:
    """Read a text file in UTF-8, without a byte order mark.

    Raises
    ------
    UnreadableError
        If it is not a regular file, cannot be opened, is too large, or is not UTF-8.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            # Opening a FIFO would wait for a writer.
            raise UnreadableError("this is not a regular file")
        if status.st_size > largest:
            raise UnreadableError(f"larger than {largest:,} bytes: too large for a note")
        with path.open("rb") as file:
            content = file.read(largest)  # it may have grown meanwhile
    except OSError as error:
        raise UnreadableError(_explain(path, error)) from error
    return _decode(content)


def _decode(content: bytes) -> str:
    """Return the text of a UTF-8 file; raise UnreadableError, with the line, for others."""
    if content.startswith(_UTF_16):
        text = content.decode("utf-16", errors="replace")
        raise UnreadableError("this file is UTF-16: save it as UTF-8", text=text)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Latin-1 decodes any bytes, and has the same line ends.
        before = LINE_END.sub("\n", content[: error.start].decode("latin-1"))
        byte = f"byte 0x{content[error.start]:02x}"
        raise UnreadableError(
            f"this file is not UTF-8 (at {byte}): save it as UTF-8",
            before.count("\n") + 1,
            content.decode("utf-8-sig", errors="replace"),
        ) from error


def _explain(path: Path, error: OSError) -> str:
    """Return why a file cannot be opened, in words for its author."""
    if error.errno == errno.ELOOP:
        return "a symbolic link that leads in a circle"
    if isinstance(error, FileNotFoundError) and path.is_symlink():
        return f"a symbolic link whose target does not exist: {printable(str(path.readlink()))}"
    return f"this file cannot be read: {error.strerror or error}"
