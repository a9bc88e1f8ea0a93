"""Records the dependencies of a note's code: the modules and data files beside its vault."""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from vaultkit.run.memory import LocalModules

_ENGINE = Path(__file__).parents[1]
#: The recordings that are active, the innermost last: the folder, and the files read in it.
_recording: list[tuple[Path, set[Path]]] = []
#: Whether the audit hook has been added.
_hooked = False
#: The bits of the flags of `os.open` that say whether a file is read or written (``O_ACCMODE``).
_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR


@contextlib.contextmanager
def record_dependencies(
    root: Path,
    read: set[Path],
    compile_module: Callable[[str], CodeType] | None = None,
    modules: LocalModules | None = None,
) -> Iterator[None]:
    """Record the files below a folder that code reads; its modules are imported afresh.

    Parameters
    ----------
    root
        The folder.
    read
        A set to which imported modules and opened files are added. It is complete when the context
        ends, even by an error.
    compile_module
        Compiles the module of a path; by default without changes.
    modules
        Those that earlier runs imported; they are not imported again while unchanged.
    """
    global _hooked
    if not _hooked:
        # An audit hook cannot be removed; it does nothing unless a recording is active.
        sys.addaudithook(_on_event)
        _hooked = True
    _recording.append((root, read))

    def code_of(path: str) -> CodeType:
        read.add(Path(path))  # including cached ones, which are not opened again
        return (compile_module or code_of_module)(path)

    try:
        with import_afresh(root, code_of, modules) as found:
            try:
                yield
            finally:
                read.update(found.values())
    finally:
        _recording.pop()


@contextlib.contextmanager
def import_afresh(
    root: Path, code_of: Callable[[str], CodeType], modules: LocalModules | None = None
) -> Iterator[dict[str, Path]]:
    """Import the modules below a folder afresh within the context, from given code.

    Parameters
    ----------
    root
        The folder.
    code_of
        Compiles the module of a path.
    modules
        Those that earlier runs imported; they are not imported again while unchanged.

    Yields
    ------
    dict
        The modules that are imported within, with their paths; it grows.
    """
    imported = {name: sys.modules[name] for name in local_modules(root)}
    for name in imported:
        del sys.modules[name]
    finder = LocalFinder(root, code_of, modules)
    for name, (module, path) in modules.reusable().items() if modules else ():
        sys.modules[name], finder.found[name] = module, path
    sys.meta_path.insert(0, finder)
    try:
        yield finder.found
    finally:
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(finder)
        for name in finder.found:
            sys.modules.pop(name, None)
        sys.modules.update(imported)


#: The local modules of each folder, with the state of `sys.modules` in which they were found.
_local: dict[Path, tuple[object, list[str]]] = {}


def local_modules(root: Path) -> list[str]:
    """Return the names of the modules below a folder that are imported now."""
    # Cached, as most forked processes have the modules of their parent. Importing a module changes
    # their number or the last one.
    state = len(sys.modules), next(reversed(sys.modules))
    if root not in _local or _local[root][0] != state:
        files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
        _local[root] = state, [name for name, file in files.items() if is_local(name, file, root)]
    return _local[root][1]


def is_local(name: str, origin: object, root: Path) -> bool:
    """Return whether a module is in a folder, but not installed there, and not the engine's."""
    # Called for thousands of modules per note, so the test that excludes most comes first.
    if not isinstance(origin, str) or not origin.startswith(f"{root}{os.sep}"):
        return False
    in_environment = sys.prefix != sys.base_prefix and origin.startswith(f"{sys.prefix}{os.sep}")
    is_installed = in_environment or "site-packages" in Path(origin).parts
    is_of_engine = name.partition(".")[0] == __name__.partition(".")[0]
    if is_installed or is_of_engine:
        return False
    return origin.endswith(".py") and name != "__main__"


class LocalFinder:
    """Imports the modules below a folder, from given code.

    They are found even if the folder is not on Python's path, as when a command was started that is
    installed elsewhere.

    Parameters
    ----------
    root
        The folder.
    code_of
        Compiles the module of a path.
    modules
        Remembers the modules, if given.
    """

    def __init__(
        self, root: Path, code_of: Callable[[str], CodeType], modules: LocalModules | None = None
    ) -> None:
        self.root = root
        self.code_of = code_of
        self.modules = modules
        #: The modules that were found, with their files.
        self.found: dict[str, Path] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find a module as Python does, if it is one of them."""
        places = [str(self.root), *sys.path] if path is None else path
        spec = importlib.machinery.PathFinder.find_spec(name, places, target)
        if spec is None or not is_local(name, spec.origin, self.root):
            return None
        self.found[name] = Path(str(spec.origin))
        spec.loader = _Loader(name, str(spec.origin), self.code_of, self.modules)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from code that was compiled before."""

    def __init__(
        self, name: str, path: str, code_of: Callable[[str], CodeType], modules: LocalModules | None
    ) -> None:
        super().__init__(name, path)
        self.code_of = code_of
        self.modules = modules

    def exec_module(self, module: ModuleType) -> None:
        """Execute a module that is imported."""
        execute = partial(super().exec_module, module)
        if self.modules:
            self.modules.execute(module, Path(self.path), execute)
        else:
            execute()

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        return self.code_of(self.path)


_codes: dict[tuple[str, int, int], CodeType] = {}


def code_of_module(path: str) -> CodeType:
    """Compile a module, cached for this process and those forked from it."""
    status = Path(path).stat()
    key = path, status.st_mtime_ns, status.st_size
    if key not in _codes:
        source = Path(path).read_bytes()
        _codes[key] = compile(source, path, "exec", dont_inherit=True)
    return _codes[key]


def compile_ahead(root: Path, sources: Iterable[str]) -> None:
    """Compile the modules below a folder that some code imports, with all of their packages.

    Then the processes that are forked from this one need not compile them (`code_of_module`).
    """
    names: set[str] = set()
    for source in sources:
        names.update(re.findall(r"^\s*(?:from|import)\s+(\w+)", source, re.MULTILINE))
    for name in names:
        for path in (root / f"{name}.py", *(root / name).glob("*.py")):
            with contextlib.suppress(OSError, SyntaxError, ValueError):
                code_of_module(str(path))


def _on_event(event: str, arguments: tuple[Any, ...]) -> None:
    """Record each file beside the vault that is opened for reading, as an audit hook."""
    if event != "open" or not _recording:
        return
    path, mode, flags = arguments
    # `os.open` gives flags as a number, `open` gives a mode.
    writes = flags & _ACCESS != os.O_RDONLY if isinstance(flags, int) else "r" not in str(mode)
    if writes or not isinstance(path, (str, bytes)):
        return
    root, read = _recording[-1]
    name = path if isinstance(path, str) else path.decode(errors="surrogateescape")
    if name.startswith("/") and not name.startswith(str(root)):
        return
    opened = Path(name).absolute()
    if opened.suffix == ".pyc":  # the cache of a module: what matters is its source
        with contextlib.suppress(ValueError):
            opened = Path(importlib.util.source_from_cache(str(opened)))
    is_installed = "site-packages" in opened.parts or opened.is_relative_to(_ENGINE)
    if opened.is_relative_to(root) and not is_installed:
        read.add(opened)
