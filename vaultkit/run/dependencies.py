"""What the code of a note rests on: the modules and data files of its vault that it reads."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_recording: list[tuple[Path, set[Path]]] = []
_hooked = False


@contextlib.contextmanager
def recording(root: Path, read: set[Path]) -> Iterator[None]:
    """Note down which files below a folder are read; its modules are imported afresh.

    Parameters
    ----------
    root
        The folder.
    read
        Gets the modules imported and the files opened for reading.
    """
    global _hooked
    if not _hooked:
        # Such a hook stays for good; it does nothing while nobody records.
        sys.addaudithook(_on_event)
        _hooked = True
    before = {name: sys.modules[name] for name in local_modules(root)}
    for name in before:
        del sys.modules[name]
    _recording.append((root, read))
    try:
        yield
    finally:
        _recording.pop()
        for name in local_modules(root):
            read.add(Path(str(sys.modules.pop(name).__file__)))
        sys.modules.update(before)


def local_modules(root: Path) -> list[str]:
    """Names of the modules below a folder that are imported now."""
    found = [(name, getattr(module, "__file__", None)) for name, module in sys.modules.items()]
    return [name for name, origin in found if is_local(name, origin, root)]


def is_local(name: str, origin: object, root: Path) -> bool:
    """Tell whether a module stands below a folder: not installed there, and not the engine's."""
    if not isinstance(origin, str) or not origin.endswith(".py") or name == "__main__":
        return False
    installed = Path(origin).is_relative_to(sys.prefix) and sys.prefix != sys.base_prefix
    return (
        name.partition(".")[0] != __name__.partition(".")[0]
        and Path(origin).is_relative_to(root)
        and not installed
        and "site-packages" not in Path(origin).parts
    )


def _on_event(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not _recording:
        return
    path, mode, flags = arguments
    writes = flags & 3 if isinstance(flags, int) else "r" not in str(mode)
    if writes or not isinstance(path, (str, bytes)):
        return
    root, read = _recording[-1]
    name = path if isinstance(path, str) else path.decode(errors="surrogateescape")
    if name.startswith(str(root)) or not name.startswith("/"):
        opened = Path(name).absolute()
        hidden = opened.suffix in (".py", ".pyc") or "site-packages" in opened.parts
        if opened.is_relative_to(root) and not hidden:
            read.add(opened)
