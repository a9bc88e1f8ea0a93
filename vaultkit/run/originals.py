"""Detects and undoes replaced functions and classes of Python, NumPy and the engine.

Replacing any of these is a failure of the note, since the engine depends on them. After each block,
the few modules are compared that the engine needs to continue; at the end, all of them.
"""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter, is_
from typing import Any

import numpy as np

from vaultkit.run.state import HOOKS

_ENGINE = __name__.partition(".")[0]

#: Attributes that are not compared: Python sets them itself, or a facet of `State` restores them.
_RESTLESS = {
    "sys": {*HOOKS, "path", "last_exc", "last_type", "last_value", "last_traceback", "meta_path",
            "path_hooks", "flags", "ps1", "ps2"},
    "warnings": {"filters", "showwarning"},
    "logging": {"lastResort", "raiseExceptions"},
    "builtins": {"_"},
    "threading": {"excepthook"},
    "tempfile": {"tempdir"},
}  # fmt: skip
#: Returns what a function executes: its code, and the default values of its parameters.
_code_of = attrgetter("__code__", "__defaults__", "__kwdefaults__")
_GONE = object()
#: The flag of classes that are made while a program runs: ``Py_TPFLAGS_HEAPTYPE``.
_HEAP_TYPE = 1 << 9
#: The modules that the engine needs to continue and to report what happened.
_ESSENTIAL = ("builtins", "sys", "os", "io", "re", "json", "numpy")
# Bound here, since a block may replace the functions that detect replacements.
_all, _map, _setattr = all, map, setattr


#: A container of constants: its name, itself, and a copy with its contents.
_Container = tuple[str, Any, Any]


@dataclass
class _Snapshot:
    """A snapshot of the attributes of a module or class."""

    owner: Any
    name: str
    attributes: dict[str, Any]
    #: The containers of constants among them.
    containers: tuple[_Container, ...] = ()
    #: All names of the module, where a new one could hide a built-in name.
    all: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        self._names, self._values = tuple(self.attributes), tuple(self.attributes.values())

    @property
    def is_unchanged(self) -> bool:
        """Whether all is as it was.

        Names have the same objects, containers the same contents, and a module of the engine no new
        names. A name that is added need not be a failure (`_find_changes`).
        """
        now = self.owner.__dict__
        if not _all(_map(is_, _map(now.get, self._names), self._values)):
            return False
        for _, container, contents in self.containers:
            if container != contents:
                return False
        return not self.all or now.keys() <= self.all


class Originals:
    """A snapshot of the functions and classes that the engine depends on.

    These are the ones of ``builtins``, NumPy, the engine, and the modules of the standard library
    that the engine has imported.
    """

    def __init__(self) -> None:
        self._modules: dict[str, types.ModuleType] = {}
        self._imported = sys.modules
        #: All snapshots, those of the essential modules first; then these alone.
        self._snapshots: list[_Snapshot] = []
        self._essential: list[_Snapshot] = []
        #: The functions with their code (`_code_of`), by their ids.
        self._functions: dict[int, tuple[types.FunctionType, Any]] = {}
        #: How many modules were imported at the snapshot, and how many of these are the engine's.
        self._counts_of_modules = 0, 0
        self._taken_ahead = self._hooked = False
        #: The ids of functions whose code or defaults were set.
        self._ids_of_recoded: set[int] = set()

    def remember(self, *, ahead: bool = False) -> None:
        """Take the snapshot, unless the last one is still right.

        With ``ahead``, no note runs before the next call, which then reuses this snapshot.
        """
        if not self._hooked:
            # An audit hook cannot be removed.
            sys.addaudithook(self._on_event)
            self._hooked = True
        no_note_has_run, self._taken_ahead = self._taken_ahead, ahead
        if no_note_has_run and self._counts_of_modules[0] == len(sys.modules):
            return
        counts = len(sys.modules), sum(map(_is_of_engine, sys.modules))
        # A new module of the engine is one more that notes must not change.
        has_same_engine = self._counts_of_modules[1] == counts[1]
        self._counts_of_modules = counts
        if has_same_engine and (no_note_has_run or not self._differences(undo=False)):
            return
        self._take(dict(sys.modules))

    def _take(self, modules: dict[str, Any]) -> None:
        """Take the snapshot of the watched ones of some modules, the essential ones first."""
        self._imported = sys.modules
        self._modules = {
            name: module
            for name in sorted(
                _names_of_watched_modules(modules), key=lambda name: (name not in _ESSENTIAL, name)
            )
            if isinstance(module := modules.get(name), types.ModuleType)
        }
        # A class may have several names.
        by_owner: dict[int, _Snapshot] = {}
        for name, module in self._modules.items():
            by_owner.update({id(s.owner): s for s in _snapshots_of_module(name, module)})
        self._snapshots = list(by_owner.values())
        # Modules import containers from each other; one snapshot of each is enough.
        holders = {id(c): s for s in self._snapshots for _, c, _ in s.containers}
        for snapshot in self._snapshots:
            snapshot.containers = tuple(
                each for each in snapshot.containers if holders[id(each[1])] is snapshot
            )
        self._essential = [s for s in self._snapshots if s.name in _ESSENTIAL]
        values = (value for s in self._snapshots for value in s.attributes.values())
        functions = (value for value in values if isinstance(value, types.FunctionType))
        self._functions = {id(function): (function, _code_of(function)) for function in functions}
        self._ids_of_recoded.clear()

    def restore(self, *, essential: bool = False) -> list[str]:
        """Undo replacements and deletions since the snapshot; return their names.

        With ``essential``, only those in the modules that the engine needs to continue.
        """
        return self._differences(undo=True, essential=essential)

    def _differences(self, *, undo: bool, essential: bool = False) -> list[str]:
        """Return messages such as *numpy.sum was replaced*; with ``undo``, restore all.

        With ``essential``, only what the engine itself needs is compared.
        """
        found = []
        for snapshot in self._essential if essential else self._snapshots:
            if not snapshot.is_unchanged:
                found += [*_find_changes(snapshot, undo)]
        if sys.modules is not self._imported:
            found.append("sys.modules was replaced")
            if undo:
                sys.modules = self._imported
        for name, module in self._modules.items():
            if sys.modules.get(name) is not module:
                verb = "replaced" if name in sys.modules else "deleted"
                found.append(f"sys.modules[{name!r}] was {verb}")
                if undo:
                    sys.modules[name] = module
        found += self._find_changed_code(undo)
        return found

    def _find_changed_code(self, undo: bool) -> Iterator[str]:
        """Yield the functions whose code was replaced; with ``undo``, restore it."""
        for identity in self._functions.keys() & self._ids_of_recoded:
            function, code = self._functions[identity]
            if not _all(_map(is_, _code_of(function), code)):
                yield f"the code of {function.__module__}.{function.__qualname__} was replaced"
                if undo:
                    function.__code__, function.__defaults__, function.__kwdefaults__ = code
        self._ids_of_recoded.clear()

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Record, as an audit hook, which functions get other code or defaults."""
        if event in ("object.__setattr__", "object.__delattr__"):
            self._ids_of_recoded.add(id(arguments[0]))


def _is_of_engine(name: str) -> bool:
    """Return whether a module is one of the engine, by its name."""
    return name.partition(".")[0] == _ENGINE


def _names_of_watched_modules(modules: dict[str, Any]) -> set[str]:
    """Return the names of the modules that the engine depends on, among the imported ones.

    They are the engine's own, those of the standard library whose modules, classes or functions a
    module of the engine names, and of NumPy the package itself and those that define what the
    engine calls: arrays and their functions, linear algebra and random numbers.
    """
    engine = set(filter(_is_of_engine, modules))
    used: set[str] = set()
    for name in engine:
        for value in vars(modules[name]).values():
            if isinstance(value, types.ModuleType):
                used.add(value.__name__)
            elif isinstance(value, (type, types.FunctionType)):
                used.add(str(getattr(value, "__module__", "")))
    standard = {name for name in used if name.partition(".")[0] in sys.stdlib_module_names}
    parts = ("numpy._core.", "numpy.lib.", "numpy.linalg", "numpy.random")
    numpy = {name for name in modules if name == "numpy" or name.startswith(parts)}
    always = {"builtins", "sys", "os", "io", "re", "json"}
    return always | engine | standard | numpy


def _snapshots_of_module(name: str, module: types.ModuleType) -> Iterator[_Snapshot]:
    """Yield snapshots of a module and of its classes that are written in Python."""
    is_of_engine = _is_of_engine(name)
    restless = _RESTLESS.get(name, set())
    attributes = {}
    for key, value in vars(module).items():
        if key in restless or value is None or isinstance(value, (bool, np.random.Generator)):
            continue
        is_public = not key.startswith("_") or key in ("__import__", "__build_class__")
        if is_of_engine or is_public:
            attributes[key] = value
    if name == "sys":  # its other attributes are settings
        attributes = {key: value for key, value in attributes.items() if callable(value)}
    if attributes:
        yield _snapshot(module, name, attributes, everything=is_of_engine)
    for value in attributes.values():
        if inspect.isclass(value) and _is_python(value) and _is_defined_in(value, name):
            members = {key: member for key, member in vars(value).items() if _is_code(member)}
            if members:
                yield _snapshot(value, f"{value.__module__}.{value.__qualname__}", members)


def _is_defined_in(kind: type, name: str) -> bool:
    """Return whether a class is defined in a module or in its package."""
    return kind.__module__.partition(".")[0] == name.partition(".")[0]


def _is_python(kind: type) -> bool:
    """Return whether a class is defined in Python, so that its attributes can be replaced."""
    return bool(kind.__flags__ & _HEAP_TYPE) and "__dict__" in dir(kind)


def _is_code(value: object) -> bool:
    """Return whether an attribute of a class is a method, a property or the like."""
    return isinstance(value, (property, classmethod, staticmethod)) or inspect.isroutine(value)


def _snapshot(
    owner: Any, name: str, attributes: dict[str, Any], *, everything: bool = False
) -> _Snapshot:
    """Return a snapshot of some attributes of a module or class.

    With ``everything``, it includes the contents of constants and the set of all names.
    """
    if not everything:
        return _Snapshot(owner, name, attributes)
    containers = (
        (key, value, value.copy())
        for key, value in attributes.items()
        if key.isupper() and isinstance(value, (dict, list, set))
    )
    return _Snapshot(owner, name, attributes, tuple(containers), frozenset(vars(owner)))


#: What `time.tzset` binds anew, which some packages call when they are imported.
_OF_TZSET = ("tzname", "timezone", "altzone", "daylight")


def _find_changes(snapshot: _Snapshot, undo: bool) -> Iterator[str]:
    """Yield what was changed in a module or class, in words; with ``undo``, restore it.

    It calls no built-in function before those are restored, since they may be replaced themselves.
    """
    now = snapshot.owner.__dict__
    for name, value in snapshot.attributes.items():
        found = now.get(name, _GONE)
        is_of_tzset = snapshot.name == "time" and name in _OF_TZSET
        if found is not value and not is_of_tzset:
            yield f"{snapshot.name}.{name} was {'deleted' if found is _GONE else 'replaced'}"
            if undo:
                _setattr(snapshot.owner, name, value)
    for name, container, contents in snapshot.containers:
        if container != contents:
            yield f"{snapshot.name}.{name} was changed"
            if undo:
                container.clear()
                (container.extend if isinstance(container, list) else container.update)(contents)
    for name in set(now) - snapshot.all if snapshot.all else ():
        # A built-in name in a module of the engine hides the built-in object.
        if hasattr(builtins, name):
            yield f"{snapshot.name}.{name} was added"
            if undo:
                delattr(snapshot.owner, name)


#: One for the process, since the engine's modules are the same for all its notes.
ORIGINALS = Originals()


def list_first(changes: Iterable[str]) -> str:
    """Return the first five changes in one line, and the number of the others.

    >>> list_first("abcdefg")
    'a, b, c, d, e, and 2 more'
    """
    names = list(changes)
    more = f", and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more
