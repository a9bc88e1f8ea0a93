"""Guards files: a note may change only files that it has created itself.

A note may create none in the vault, and leave none beside it. An audit hook stops its own attempts;
changes by programs that it starts are found by comparing the files before and after.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

#: The events of `sys.addaudithook` that change files, and which of their arguments are paths that
#: change: of a link, only the new one.
_CHANGES = {
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.link": (1,),
    "os.mkdir": (0,),
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.rmdir": (0,),
    "os.setxattr": (0,),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.utime": (0,),
    "shutil.move": (0, 1),
    "shutil.rmtree": (0,),
}
_MOVES = frozenset({"os.rename", "shutil.move"})
#: Events whose last argument is the descriptor of the folder that a relative path starts from.
_RELATIVE = frozenset({"os.remove", "os.rmdir", "os.mkdir"})
#: Events that start another program, whose changes no audit hook sees.
_STARTS = frozenset({
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system",
    "pty.spawn", "subprocess.Popen",
})  # fmt: skip
_EVENTS = frozenset({"open", *_CHANGES, *_STARTS})
#: Most files that a message names.
_FEW = 3
#: The flags of `os.open` with which a file may be written.
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

#: Size, time of the last change and inode of each file, by its path.
Stamps = dict[str, tuple[int, int, int]]


class _Created(NamedTuple):
    """A file that a note has created.

    Attributes
    ----------
    line
        The line of the note that has created it.
    is_written
        Whether the note has written it; otherwise it was moved there, and may not be deleted.
    """

    line: int
    is_written: bool


@dataclass
class Watch:
    """The guard of a vault's files while a note runs.

    Attributes
    ----------
    root
        The vault, whose folder is guarded, too; None to guard nothing.
    """

    root: Path | None
    #: The attempts that were stopped, with the line of the note.
    refused: list[tuple[int, str]] = field(default_factory=list)
    #: Whether the note has changed any file, or started any program.
    touched: bool = False
    #: The lines that have started other programs.
    started: list[int] = field(default_factory=list)
    #: The file name with which the note's code was compiled.
    filename: str = ""
    #: The files that it has created, by their paths.
    _created: dict[str, _Created] = field(default_factory=dict)
    #: The folder of the vault, and the one around it.
    _root: str = ""
    _beside: str = ""
    #: The files of the vault before the first program was started; None if none was.
    _before: Stamps | None = None

    def __post_init__(self) -> None:
        self._root = str(self.root.resolve()) if self.root else ""
        self._beside = str(Path(self._root).parent)

    def describe_changes(self) -> list[str]:
        """Describe each file of the vault that other programs have changed since the last call.

        For example ``docs/A.md was deleted``. Empty if the note has started no program.
        """
        if self._before is None:
            return []
        before, now = self._before, take_stamps(self._root)
        self._before = now
        changed = [p for p in sorted(before.keys() | now.keys()) if before.get(p) != now.get(p)]
        return [f"{os.path.relpath(path)} was {_change(path, before, now)}" for path in changed]

    def remove_left_files(self) -> tuple[int, str] | None:
        """Remove the files that the note has written and left; return line and message about them.

        Files that it has moved are kept, and so are folders, which may contain such files. Return
        None if it has left nothing.
        """
        created, self._created = self._created, {}
        left = [path for path in created if os.path.lexists(path) and not self._is_hidden(path)]
        if not left:
            return None
        for path in left:
            is_file = Path(path).is_symlink() or not Path(path).is_dir()
            if created[path].is_written and is_file:
                with contextlib.suppress(OSError):
                    Path(path).unlink()
        names = ", ".join(os.path.relpath(path) for path in left[:_FEW])
        if len(left) > _FEW:
            names += f" and {len(left) - _FEW} more"
        removed = "" if any(map(os.path.lexists, left)) else " (removed now)"
        why = f"a note may not leave files beside its vault: {names}{removed}"
        return created[left[0]].line, f"{why}; a folder of tempfile is removed by itself"

    def check_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Check an audit event before it takes effect.

        Raises
        ------
        PermissionError
            If it would change a file that the note has not created.
        """
        if event in _STARTS:
            self.touched = True
            self.started.append(self._line())
            if self._before is None and self._root:
                self._before = take_stamps(self._root)
            return
        if event == "open":
            path, mode, flags = arguments
            # `os.open` gives flags as a number, `open` gives a mode.
            may_write = flags & _WRITES if isinstance(flags, int) else set(str(mode)) & set("wax+")
            if not may_write:
                return
            paths = [path]
        else:
            paths = [arguments[i] for i in _CHANGES[event]]
        # Python's own cache of compiled modules is no effect of the note.
        self.touched |= not all(f"{os.sep}__pycache__" in str(path) for path in paths)
        if not self._root:
            return
        folder = arguments[-1] if event in _RELATIVE else None
        for path in paths:
            self._check_path(event, path, folder)

    def _check_path(self, event: str, path: Any, folder: Any) -> None:
        """Refuse to change a file that the note has not created; remember one that it creates.

        ``folder`` is the descriptor of the folder that a relative path starts from, if any.
        """
        if isinstance(path, int) or path is None:
            return  # a descriptor of an open file: its opening was checked
        name = os.fsdecode(path)
        if isinstance(folder, int) and folder >= 0:  # it is -1 if there is none
            with contextlib.suppress(OSError):
                name = str(Path(f"/proc/self/fd/{folder}").readlink() / name)
        # A link itself is what is changed, not its target.
        name = str(Path(name).parent.resolve() / Path(name).name)
        if not _is_in(name, self._beside) or f"{os.sep}__pycache__" in name:
            return
        if any(_is_in(name, path) for path in self._created):
            # What is moved to a file of the note replaces it, and may be somebody's file.
            if name in self._created and event in _MOVES:
                self._created[name] = _Created(self._created[name].line, False)
            return
        exists = os.path.lexists(name)
        if exists or _is_in(name, self._root):
            verb = "change" if exists else "make"
            what = f"a note may not {verb} files that are not its own: {os.path.relpath(name)}"
            self.refused.append((self._line(), what))
            raise PermissionError(what)
        self._created[name] = _Created(self._line(), event not in _MOVES)

    def _is_hidden(self, path: str) -> bool:
        """Return whether a file is in a hidden folder, such as a cache, or in tempfile's folder."""
        parts = Path(path).relative_to(self._beside).parts
        temporary = str(Path(tempfile.gettempdir()).resolve())
        is_temporary = _is_in(temporary, self._beside) and _is_in(path, temporary)
        return is_temporary or any(part.startswith(".") for part in parts)

    def _line(self) -> int:
        """Return the line of the note that is being executed: of the outermost call there."""
        line, frame = 0, sys._getframe()
        while frame:
            if frame.f_code.co_filename == self.filename:
                line = frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return line


def _is_in(path: str, folder: str) -> bool:
    """Return whether a path is a folder or below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _change(path: str, before: Stamps, now: Stamps) -> str:
    """Return what was done to a file: ``made``, ``deleted`` or ``changed``."""
    if path not in before:
        return "made"
    return "changed" if path in now else "deleted"


def take_stamps(root: str) -> Stamps:
    """Return the stamp of each file below a folder, by its path.

    Hidden files and folders and ``__pycache__`` are left out, and links are not followed.
    """
    found: Stamps = {}
    folders = [root]
    while folders:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.name == "__pycache__":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    with contextlib.suppress(OSError):  # it may have been deleted meanwhile
                        stat = entry.stat(follow_symlinks=False)
                        found[entry.path] = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
    return found


_watching: list[Watch] = []
_hooked = False


@contextlib.contextmanager
def guard_files(watch: Watch, filename: str) -> Iterator[None]:
    """Guard files while code runs that was compiled as ``filename``."""
    global _hooked
    if not _hooked:
        # An audit hook cannot be removed; it does nothing unless a note runs.
        sys.addaudithook(_on_event)
        _hooked = True
    watch.filename = filename
    _watching.append(watch)
    try:
        yield
    finally:
        _watching.pop()


def _on_event(event: str, arguments: tuple[Any, ...]) -> None:
    """Pass an audit event to the innermost guard, if it starts a process or may change a file."""
    if _watching and event in _EVENTS:
        # The guard must not see its own access to the files.
        watch = _watching.pop()
        try:
            watch.check_event(event, arguments)
        finally:
            _watching.append(watch)
