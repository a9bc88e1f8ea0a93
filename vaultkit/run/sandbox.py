"""What code can change for all that runs after it: kept, compared and put back.

Two kinds of things. What a note may well set for itself, and takes with it when it ends: the
working folder, seeds, print options (`State`). And what is the ground the engine stands on:
functions of NumPy, of Python, of the engine itself (`Originals`); to replace these is a failure.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import decimal
import gc
import inspect
import locale
import logging
import os
import random
import signal
import sys
import threading
import types
import warnings
from _signal import getsignal as _handler  # type: ignore[import-not-found]
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter, eq, is_
from typing import Any

import numpy as np

from vaultkit.run.dictionaries import Dictionaries

_ENGINE = __name__.partition(".")[0]

# The state that a note may set for itself


@dataclass(frozen=True)
class _Facet:
    """One thing that can be set for all code, how to see what it is, and how to set it."""

    get: Callable[[], Any]
    set: Callable[[Any], object]
    #: What it is where a note begins, if not what it happens to be.
    fresh: Callable[[], Any] | None = None
    #: Where to compare costs less than to set: tells whether two values are the same.
    same: Callable[[Any, Any], bool] | None = None


class State:
    """What code can set for all that runs after it, as it was at one time."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    @classmethod
    def capture(cls, names: Iterable[str] = ()) -> State:
        """Return the state as it is now: all of it, or the facets named."""
        values = {}
        for name in names or _FACETS:
            with contextlib.suppress(OSError):  # the working folder may be gone
                values[name] = _FACETS[name].get()
        return cls(values)

    @classmethod
    def fresh(cls, state: State) -> State:
        """Return the state in which a note begins: a given one, but for what has defaults."""
        state = cls(dict(state._values))
        for name, facet in _FACETS.items():
            if facet.fresh:
                state._values[name] = facet.fresh()
        return state

    def apply(self, names: Iterable[str] = (), *, now: State | None = None) -> None:
        """Make it the state again: all that was captured, or the facets named.

        ``now`` is the state there is, where that is known.
        """
        known = now._values if now else {}
        for name in names or self._values:
            facet = _FACETS[name]
            with contextlib.suppress(OSError, KeyError):
                wanted = self._values[name]
                if not (facet.same and name in known and facet.same(known[name], wanted)):
                    facet.set(wanted)


def _same(one: Any, other: Any) -> bool:
    """Tell whether two hold the very same objects in the same order."""
    return len(one) == len(other) and all(map(is_, one, other))


def _alike(one: Any, other: Any) -> bool:
    """Tell whether the same objects make up two: those of a note may claim to equal any other."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        if _same(one, other) and _same(one.values(), other.values()):
            return True
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return _same(one, other) or (len(one) == len(other) and all(map(_alike, one, other)))
    return one is other or (isinstance(one, (str, int, float)) and one == other)


_QUIET = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Show a warning among the output, without the path and line that differ between machines."""
    print(f"{category.__name__}: {message}")


def _fresh_warnings() -> tuple[list[Any], Any]:
    filters = [
        ("default", None, DeprecationWarning, "__main__", 0),
        *(("ignore", None, kind, None, 0) for kind in _QUIET),
        # Not "default": that shows a warning but once, in whichever note comes first.
        ("always", None, Warning, None, 0),
    ]
    return filters, _show_warning


def _set_warnings(state: tuple[list[Any], Any]) -> None:
    warnings.resetwarnings()  # also forgets which warnings have been shown
    warnings.filters[:], warnings.showwarning = state  # type: ignore[index]


def _environment() -> dict[Any, Any]:
    # As the system has it: to decode it would take longer than all the other facets.
    return dict(os.environ._data)  # type: ignore[attr-defined]


def _set_environment(wanted: dict[Any, Any]) -> None:
    if _environment() != wanted:
        os.environ.clear()
        for name, value in wanted.items():
            os.environ[os.environ.decodekey(name)] = os.environ.decodevalue(value)


def _set_path(wanted: list[str]) -> None:
    sys.path[:] = wanted


def _numpy() -> tuple[Any, ...]:
    return np.get_printoptions(), np.geterr(), np.geterrcall(), np.getbufsize()


def _set_numpy(state: tuple[Any, ...]) -> None:
    options, errors, on_error, size = state
    np.set_printoptions(**options)
    np.seterr(**errors)
    np.seterrcall(on_error)
    np.setbufsize(size)


def _logging() -> tuple[Any, ...]:
    root = logging.getLogger()
    return (
        list(root.handlers),
        list(root.filters),
        root.level,
        root.disabled,
        root.manager.disable,
        logging.lastResort,
        logging.raiseExceptions,
    )


def _set_logging(state: tuple[Any, ...]) -> None:
    root = logging.getLogger()
    root.handlers[:], root.filters[:], level, root.disabled, root.manager.disable = state[:5]
    logging.lastResort, logging.raiseExceptions = state[5:]
    if root.level != level:
        root.setLevel(level)  # which also forgets what it had concluded from it


def _same_random(one: Any, other: Any) -> bool:
    """Compare states of NumPy's generator: name, key, position, and a normal number in hand."""
    same = (one[0], *one[2:]) == (other[0], *other[2:])
    return same and bool(one[1].tobytes() == other[1].tobytes())


_HOOKS = ("displayhook", "excepthook", "unraisablehook", "breakpointhook", "stdin", "stdout",
          "stderr", "argv")  # fmt: skip


def _hooks() -> dict[str, Any]:
    return {name: getattr(sys, name) for name in _HOOKS}


def _set_hooks(wanted: dict[str, Any]) -> None:
    for name, value in wanted.items():
        setattr(sys, name, value)


_SIGNALS = [
    number
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM",
                 "SIGPROF", "SIGPIPE", "SIGCHLD", "SIGQUIT")
    if (number := getattr(signal, name, None)) is not None
]  # fmt: skip


def _signals() -> dict[Any, Any]:
    return dict(zip(_SIGNALS, map(_handler, _SIGNALS), strict=True))


def _set_signals(wanted: dict[Any, Any]) -> None:
    if threading.current_thread() is threading.main_thread():
        for number, handler in wanted.items():
            if handler is not None and _handler(number) is not handler:
                signal.signal(number, handler)


def _set_locale(wanted: str) -> None:
    if locale.setlocale(locale.LC_ALL) != wanted:
        locale.setlocale(locale.LC_ALL, wanted)


def _set_trace(wanted: tuple[Any, Any]) -> None:
    if sys.gettrace() is not wanted[0]:
        sys.settrace(wanted[0])
    if sys.getprofile() is not wanted[1]:
        sys.setprofile(wanted[1])


def _interpreter() -> tuple[Any, ...]:
    return sys.getrecursionlimit(), sys.getswitchinterval(), sys.get_int_max_str_digits()


def _set_interpreter(state: tuple[Any, ...]) -> None:
    if _interpreter() != state:
        sys.setrecursionlimit(state[0])
        sys.setswitchinterval(state[1])
        sys.set_int_max_str_digits(state[2])


def _set_collector(wanted: tuple[bool, Any]) -> None:
    (gc.enable if wanted[0] else gc.disable)()
    gc.set_threshold(*wanted[1])


_FACETS: dict[str, _Facet] = {
    "hooks": _Facet(_hooks, _set_hooks, same=_alike),
    "folder": _Facet(os.getcwd, os.chdir),
    "environment": _Facet(_environment, _set_environment, same=eq),
    "search path": _Facet(lambda: list(sys.path), _set_path),
    "warnings": _Facet(
        lambda: (list(warnings.filters), warnings.showwarning), _set_warnings, _fresh_warnings
    ),
    "random": _Facet(random.getstate, random.setstate, same=eq),
    "numpy": _Facet(_numpy, _set_numpy, same=_alike),
    "numpy.random": _Facet(np.random.get_state, np.random.set_state, same=_same_random),
    "decimal": _Facet(
        lambda: decimal.getcontext().copy(), lambda c: decimal.setcontext(c.copy()), decimal.Context
    ),
    "logging": _Facet(
        _logging,
        _set_logging,
        lambda: ([], [], logging.WARNING, False, 0, logging.lastResort, True),
        same=_alike,
    ),
    "locale": _Facet(lambda: locale.setlocale(locale.LC_ALL), _set_locale, same=eq),
    "signals": _Facet(_signals, _set_signals, same=_alike),
    "trace": _Facet(lambda: (sys.gettrace(), sys.getprofile()), _set_trace),
    "interpreter": _Facet(_interpreter, _set_interpreter),
    "collector": _Facet(lambda: (gc.isenabled(), gc.get_threshold()), _set_collector, same=_alike),
}

#: What bears upon a computation, and how it warns.
COMPUTING = ("numpy", "warnings")


class Variables:
    """The variables of a note and what they hold, to be put back as they were.

    That is: names, generators of random numbers, arrays, lists, dictionaries and sets, those held
    by objects, by functions and by each other, too. What cannot be looked into is left out, and so
    are arrays of more than a few megabytes.
    """

    _MOST, _LARGEST = 5000, 4 << 20

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._restore: list[Callable[[], object]] = []
        seen: dict[int, Any] = {}
        queue: deque[Any] = deque([namespace])
        while queue and len(seen) < self._MOST:
            thing = queue.popleft()
            if id(thing) not in seen:
                seen[id(thing)] = thing
                with contextlib.suppress(Exception):  # objects of a note may do as they like
                    queue.extend(self._keep(thing))

    def restore(self) -> None:
        """Put everything back."""
        for restore in self._restore:
            with contextlib.suppress(Exception):
                restore()

    def _keep(self, thing: Any) -> Iterable[Any]:
        """Remember what a thing holds; return what may have to be remembered of that."""
        kind = type(thing)
        if isinstance(thing, np.random.Generator):
            bits = thing.bit_generator
            self._restore.append(partial(setattr, bits, "state", copy.deepcopy(bits.state)))
        elif isinstance(thing, np.random.RandomState):
            self._restore.append(partial(thing.set_state, thing.get_state()))
        elif isinstance(thing, random.Random):
            self._restore.append(partial(thing.setstate, thing.getstate()))
        elif kind is np.ndarray:
            if thing.flags.writeable and thing.nbytes <= self._LARGEST:
                self._restore.append(partial(np.copyto, thing, thing.copy()))
        elif kind is dict:
            self._restore.append(partial(_refill, thing, thing.copy(), thing.update))
            return list(thing.values())
        elif kind is list:
            self._restore.append(partial(_refill, thing, thing.copy(), thing.extend))
            return list(thing)
        elif kind is set:
            self._restore.append(partial(_refill, thing, thing.copy(), thing.update))
        elif kind is tuple:
            return list(thing)
        elif isinstance(thing, types.FunctionType):
            cells = [cell.cell_contents for cell in thing.__closure__ or ()]
            return [*cells, *(thing.__defaults__ or ()), vars(thing)]
        elif isinstance(thing, types.MethodType):
            return [thing.__self__]
        elif not isinstance(thing, (type, types.ModuleType)) and hasattr(thing, "__dict__"):
            return [vars(thing)]
        return ()


def _refill(container: Any, content: Any, fill: Callable[[Any], object]) -> None:
    same = len(container) == len(content) and all(map(is_, container, content))
    if same and isinstance(content, dict):
        same = all(map(is_, container.values(), content.values()))
    if not same:
        container.clear()
        fill(content)


# The ground that the engine stands on

# Python sets these itself, or a facet above looks after them.
_RESTLESS = {
    "sys": {*_HOOKS, "path", "last_exc", "last_type", "last_value", "last_traceback", "meta_path",
            "path_hooks", "flags", "ps1", "ps2"},
    "warnings": {"filters", "showwarning"},
    "logging": {"lastResort", "raiseExceptions"},
    "builtins": {"_"},
    "threading": {"excepthook"},
    "tempfile": {"tempdir"},
}  # fmt: skip
_CODE = attrgetter("__code__", "__defaults__", "__kwdefaults__")
_GONE = object()
_setattr = setattr


@dataclass
class _Kept:
    """The attributes of a module or class as they were."""

    owner: Any
    called: str
    held: dict[str, Any]
    #: What containers of constants hold.
    containers: tuple[tuple[str, Any, Any], ...] = ()
    #: All names there were, where a new one can hide a built-in.
    all: frozenset[str] = field(default_factory=frozenset)


class Originals:
    """What the engine itself runs on, to notice when a note replaces some of it, and undo that.

    That is: the functions and classes of Python (``builtins``), NumPy, the engine, and of those
    modules of the standard library that the engine has imported.
    """

    def __init__(self) -> None:
        self._modules: dict[str, types.ModuleType] = {}
        self._ground = _Ground([])
        self._table, self._imported = Dictionaries([]), sys.modules
        self._counts = 0, 0
        self._ahead = self._hooked = False
        #: Functions whose code or defaults were set, by where they stand in memory.
        self._recoded: set[int] = set()

    def remember(self, *, ahead: bool = False) -> None:
        """Take things as they are now.

        ``ahead``: no note runs before the next call, in this process or in one forked from it,
        which then has nothing to do.
        """
        if not self._hooked:
            # Such a hook stays for good.
            sys.addaudithook(self._on_event)
            self._hooked = True
        known, self._ahead = self._ahead, ahead
        if known and self._counts[0] == len(sys.modules):
            return
        counts = len(sys.modules), sum(name.startswith(_ENGINE) for name in sys.modules)
        if self._counts[1] == counts[1] and (known or not self._differences(undo=False)):
            return
        self._counts = counts
        modules = dict(sys.modules)
        self._modules = {
            name: module
            for name in sorted(_watched(modules))
            if isinstance(module := modules.get(name), types.ModuleType)
        }
        found = (kept for item in self._modules.items() for kept in _keep_module(*item))
        self._table, self._imported = Dictionaries([sys.modules]), sys.modules
        # Classes go by many names.
        self._ground = _Ground(list({id(k.owner): k for k in found}.values()))
        self._recoded.clear()

    def restore(self) -> list[str]:
        """Undo what was replaced or deleted since then; name it."""
        return self._differences(undo=True)

    def _differences(self, *, undo: bool) -> list[str]:
        found = [*self._ground.compare(undo)]
        if sys.modules is not self._imported:
            found.append("sys.modules was replaced")
            if undo:
                sys.modules = self._imported
        if self._table.changed():
            for name, module in self._modules.items():
                if sys.modules.get(name) is not module:
                    found.append(f"sys.modules[{name!r}] was {_what(name not in sys.modules)}")
                    if undo:
                        sys.modules[name] = module
            self._table.look(0)
        if self._recoded:
            found += self._ground.compare_code(self._recoded, undo)
            self._recoded.clear()
        return found

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        # Python announces it when the code or the defaults of a function are set.
        if event in ("object.__setattr__", "object.__delattr__"):
            self._recoded.add(id(arguments[0]))


class _Ground:
    """Modules and classes with the code of their functions."""

    def __init__(self, kept: list[_Kept]) -> None:
        self._kept = kept
        self._builtins = [n for n, part in enumerate(kept) if part.owner is builtins]
        self._spaces = Dictionaries([_dictionary(part.owner) for part in kept])
        # Those that modules import from each other are looked at once.
        named = [(n, *each[1:]) for n, part in enumerate(kept) for each in part.containers]
        held = list({id(container): (n, container, was) for n, container, was in named}.values())
        tables = [(n, container) for n, container, _ in held if isinstance(container, dict)]
        self._owners = [n for n, _ in tables]
        self._tables = Dictionaries([table for _, table in tables])
        self._others = [each for each in held if not isinstance(each[1], dict)]
        values = (value for part in kept for value in part.held.values())
        self._functions = {id(v): v for v in values if isinstance(v, types.FunctionType)}
        self._codes = {place: _CODE(v) for place, v in self._functions.items()}

    def compare(self, undo: bool) -> Iterator[str]:
        """Find the names that no longer mean what they meant."""
        suspects = {*self._spaces.changed()}
        # First what is called to find the others.
        for n in self._builtins:
            if n in suspects:
                yield from _compare(self._kept[n], undo)
        tables = self._tables.changed()
        suspects |= {self._owners[n] for n in tables}
        suspects |= {n for n, container, before in self._others if container != before}
        for n in sorted(suspects):
            yield from _compare(self._kept[n], undo)
            self._spaces.look(n)
        for n in tables:
            self._tables.look(n)

    def compare_code(self, places: Iterable[int], undo: bool) -> Iterator[str]:
        """Find out of some functions those whose code is no longer theirs."""
        for place in self._functions.keys() & places:
            function, before = self._functions[place], self._codes[place]
            if not all(map(is_, _CODE(function), before)):
                yield f"the code of {function.__module__}.{function.__qualname__} was replaced"
                if undo:
                    function.__code__, function.__defaults__, function.__kwdefaults__ = before


def _dictionary(owner: Any) -> dict[str, Any]:
    """Return the dictionary of a module or class; a class lends out but a view of it."""
    space = vars(owner)
    return space if type(space) is dict else next(iter(gc.get_referents(space)))


def _what(gone: bool) -> str:
    return "deleted" if gone else "replaced"


def _watched(modules: dict[str, Any]) -> set[str]:
    """Name the modules that the engine runs on."""
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


def _keep_module(name: str, module: types.ModuleType) -> Iterator[_Kept]:
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
    """Tell whether a class is of a module, or of another one in the same package."""
    return kind.__module__.partition(".")[0] == name.partition(".")[0]


def _is_python(kind: type) -> bool:
    """Tell whether attributes of a class can be replaced: it was made by Python code."""
    return bool(kind.__flags__ & (1 << 9)) and "__dict__" in dir(kind)


def _is_code(value: object) -> bool:
    return isinstance(
        value, (types.FunctionType, property, classmethod, staticmethod)
    ) or inspect.isroutine(value)


def _keep(
    owner: Any, called: str, held: dict[str, Any], *, everything: bool = False
) -> Iterator[_Kept]:
    if not held:
        return
    containers = (
        (name, value, value.copy())
        for name, value in held.items()
        if everything and name.isupper() and isinstance(value, (dict, list, set))
    )
    yield _Kept(
        owner,
        called,
        held,
        tuple(containers),
        frozenset(vars(owner)) if everything else frozenset(),
    )


def _compare(kept: _Kept, undo: bool) -> Iterator[str]:
    """Find what is no longer as it was; names first, and without a call of anything built in."""
    now = kept.owner.__dict__
    for name, value in kept.held.items():
        found = now.get(name, _GONE)
        if found is not value:
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
        # A built-in name in a module of the engine hides the built-in one.
        if hasattr(builtins, name):
            yield f"{kept.called}.{name} was added"
            if undo:
                delattr(kept.owner, name)


#: One for the process: what the engine has imported is the same for all its notes.
ORIGINALS = Originals()


def named(changes: Iterable[str]) -> str:
    """Name a few changes in one line."""
    few = list(changes)
    more = f", and {len(few) - 5} more" if len(few) > 5 else ""
    return ", ".join(few[:5]) + more
