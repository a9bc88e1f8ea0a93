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

# Python sets these itself, or a facet of `State` restores them.
_RESTLESS = {
    "sys": {*HOOKS, "path", "last_exc", "last_type", "last_value", "last_traceback", "meta_path",
            "path_hooks", "flags", "ps1", "ps2"},
    "warnings": {"filters", "showwarning"},
    "logging": {"lastResort", "raiseExceptions"},
    "builtins": {"_"},
    "threading": {"excepthook"},
    "tempfile": {"tempdir"},
}  # fmt: skip
_CODE = attrgetter("__code__", "__defaults__", "__kwdefaults__")
_GONE = object()
#: The modules that the engine needs to continue and to report what happened.
_ESSENTIAL = ("builtins", "sys", "os", "io", "re", "json", "numpy")
# Bound here, since a block may replace the functions that detect replacements.
_all, _map, _setattr = all, map, setattr


@dataclass
class _Snapshot:
    """A snapshot of the attributes of a module or class."""

    owner: Any
    called: str
    held: dict[str, Any]
    #: The contents of containers of constants.
    containers: tuple[tuple[str, Any, Any], ...] = ()
    #: All names of the module, where a new one could hide a built-in name.
    all: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        self._names, self._values = tuple(self.held), tuple(self.held.values())

    @property
    def is_unchanged(self) -> bool:
        """Whether names are bound to the same objects, and containers have the same contents."""
        now = self.owner.__dict__
        if not _all(_map(is_, _map(now.get, self._names), self._values)):
            return False
        for _, container, before in self.containers:
            if container != before:
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
        #: All snapshots, those of the essential modules first; and these alone.
        self._kept: list[_Snapshot] = []
        self._essential: list[_Snapshot] = []
        self._functions: dict[int, tuple[types.FunctionType, Any]] = {}
        self._counts = 0, 0
        self._ahead = self._hooked = False
        #: The ids of functions whose code or defaults were set.
        self._recoded: set[int] = set()

    def remember(self, *, ahead: bool = False) -> None:
        """Take the snapshot.

        With ``ahead``, no note runs before the next call, which then reuses this snapshot.
        """
        if not self._hooked:
            # An audit hook cannot be removed.
            sys.addaudithook(self._on_event)
            self._hooked = True
        known, self._ahead = self._ahead, ahead
        if known and self._counts[0] == len(sys.modules):
            return
        counts = len(sys.modules), sum(name.startswith(_ENGINE) for name in sys.modules)
        if self._counts[1] == counts[1] and (known or not self._differences(undo=False)):
            return
        self._counts = counts
        modules, self._imported = dict(sys.modules), sys.modules
        self._modules = {
            name: module
            for name in sorted(_watched(modules), key=lambda name: (name not in _ESSENTIAL, name))
            if isinstance(module := modules.get(name), types.ModuleType)
        }
        found = (kept for item in self._modules.items() for kept in _keep_module(*item))
        # A class may have several names.
        self._kept = list({id(k.owner): k for k in found}.values())
        # Modules import containers from each other; one snapshot of each is enough.
        owners = {id(each[1]): kept for kept in self._kept for each in kept.containers}
        for kept in self._kept:
            kept.containers = tuple(c for c in kept.containers if owners[id(c[1])] is kept)
        self._essential = [kept for kept in self._kept if kept.called in _ESSENTIAL]
        values = (value for kept in self._kept for value in kept.held.values())
        self._functions = {
            id(v): (v, _CODE(v)) for v in values if isinstance(v, types.FunctionType)
        }
        self._recoded.clear()

    def restore(self, *, essential: bool = False) -> list[str]:
        """Undo replacements and deletions since the snapshot; return their names.

        With ``essential``, only those in the modules that the engine needs to continue.
        """
        return self._differences(undo=True, essential=essential)

    def _differences(self, *, undo: bool, essential: bool = False) -> list[str]:
        """Return what was replaced, in words; with ``undo``, restore it.

        With ``essential``, only what the engine itself needs is compared.
        """
        found = []
        for kept in self._essential if essential else self._kept:
            if not kept.is_unchanged:
                found += [*_compare(kept, undo)]
        if sys.modules is not self._imported:
            found.append("sys.modules was replaced")
            if undo:
                sys.modules = self._imported
        for name, module in self._modules.items():
            if sys.modules.get(name) is not module:
                found.append(f"sys.modules[{name!r}] was {_what(name not in sys.modules)}")
                if undo:
                    sys.modules[name] = module
        found += self._compare_code(undo)
        return found

    def _compare_code(self, undo: bool) -> Iterator[str]:
        """Yield the functions whose code was replaced; with ``undo``, restore it."""
        for place in self._functions.keys() & self._recoded:
            function, before = self._functions[place]
            if not _all(_map(is_, _CODE(function), before)):
                yield f"the code of {function.__module__}.{function.__qualname__} was replaced"
                if undo:
                    function.__code__, function.__defaults__, function.__kwdefaults__ = before
        self._recoded.clear()

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        # Python raises this event when the code or the defaults of a function are set.
        if event in ("object.__setattr__", "object.__delattr__"):
            self._recoded.add(id(arguments[0]))


def _what(gone: bool) -> str:
    return "deleted" if gone else "replaced"


def _watched(modules: dict[str, Any]) -> set[str]:
    """Return the names of the modules that the engine depends on."""
    engine = {name for name in modules if name.partition(".")[0] == _ENGINE}
    used = {
        value.__name__
        for name in engine
        for value in vars(modules[name]).values()
        if isinstance(value, types.ModuleType)
    }
    used |= {
        str(getattr(value, "__module__", ""))
        for name in engine
        for value in vars(modules[name]).values()
        if isinstance(value, (type, types.FunctionType))
    }
    standard = {name for name in used if name.partition(".")[0] in sys.stdlib_module_names}
    parts = ("numpy._core.", "numpy.lib.", "numpy.linalg", "numpy.random")
    numpy = {name for name in modules if name == "numpy" or name.startswith(parts)}
    always = {"builtins", "sys", "os", "io", "re", "json"}
    return (always | engine | standard | numpy) - {"__main__"}


def _keep_module(name: str, module: types.ModuleType) -> Iterator[_Snapshot]:
    """Yield snapshots of a module and of its classes that are written in Python."""
    engine = name.partition(".")[0] == _ENGINE
    restless = _RESTLESS.get(name, set())
    held = {}
    for key, value in vars(module).items():
        if key in restless or value is None or isinstance(value, (bool, np.random.Generator)):
            continue
        if engine or key == "__import__" or key == "__build_class__" or not key.startswith("_"):
            held[key] = value
    if name == "sys":
        held = {key: value for key, value in held.items() if callable(value)}
    yield from _keep(module, name, held, everything=engine)
    for value in held.values():
        if inspect.isclass(value) and _is_python(value) and _is_of(value, name):
            members = {k: v for k, v in vars(value).items() if _is_code(v)}
            yield from _keep(value, f"{value.__module__}.{value.__qualname__}", members)


def _is_of(kind: type, name: str) -> bool:
    """Return whether a class is defined in a module or in its package."""
    return kind.__module__.partition(".")[0] == name.partition(".")[0]


def _is_python(kind: type) -> bool:
    """Return whether a class is defined in Python, so that its attributes can be replaced."""
    return bool(kind.__flags__ & (1 << 9)) and "__dict__" in dir(kind)


def _is_code(value: object) -> bool:
    return isinstance(
        value, (types.FunctionType, property, classmethod, staticmethod)
    ) or inspect.isroutine(value)


def _keep(
    owner: Any, called: str, held: dict[str, Any], *, everything: bool = False
) -> Iterator[_Snapshot]:
    """Yield a snapshot of the attributes ``held`` of a module or class, unless there are none.

    With ``everything``, it includes the contents of constants and the set of all names.
    """
    if not held:
        return
    containers = (
        (name, value, value.copy())
        for name, value in held.items()
        if everything and name.isupper() and isinstance(value, (dict, list, set))
    )
    yield _Snapshot(
        owner,
        called,
        held,
        tuple(containers),
        frozenset(vars(owner)) if everything else frozenset(),
    )


#: What `time.tzset` binds anew, which some packages call when they are imported.
_OF_TZSET = ("tzname", "timezone", "altzone", "daylight")


def _compare(kept: _Snapshot, undo: bool) -> Iterator[str]:
    """Yield changed names; it calls no built-in function, which may be replaced itself."""
    now = kept.owner.__dict__
    for name, value in kept.held.items():
        found = now.get(name, _GONE)
        if found is not value and not (kept.called == "time" and name in _OF_TZSET):
            yield f"{kept.called}.{name} was {_what(found is _GONE)}"
            if undo:
                _setattr(kept.owner, name, value)
    for name, container, before in kept.containers:
        if container != before:
            yield f"{kept.called}.{name} was changed"
            if undo:
                container.clear()
                (container.extend if isinstance(container, list) else container.update)(before)
    for name in set(now) - kept.all if kept.all else ():
        # A built-in name in a module of the engine hides the built-in object.
        if hasattr(builtins, name):
            yield f"{kept.called}.{name} was added"
            if undo:
                delattr(kept.owner, name)


#: One for the process, since the engine's modules are the same for all its notes.
ORIGINALS = Originals()


def named(changes: Iterable[str]) -> str:
    """Return some of the names in one line."""
    few = list(changes)
    more = f", and {len(few) - 5} more" if len(few) > 5 else ""
    return ", ".join(few[:5]) + more
