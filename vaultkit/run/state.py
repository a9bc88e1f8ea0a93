"""The global state that a note may set, and that must be restored when it ends.

It consists of settings such as the working folder, seeds and print options (`State`), and of the
contents of the note's variables (`Variables`), for the time in which its functions are called.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import decimal
import gc
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
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from operator import eq, is_
from typing import Any

import numpy as np


@dataclass(frozen=True)
class _Facet:
    """A global setting.

    Attributes
    ----------
    get, set
        The functions that read it and set it.
    fresh
        Returns its value when a note begins, if that is fixed.
    same
        Compares two values, if ``==`` does not do, or if comparing costs less than setting one.
    """

    get: Callable[[], Any]
    set: Callable[[Any], object]
    fresh: Callable[[], Any] | None = None
    same: Callable[[Any, Any], bool] | None = None


class State:
    """The values of all facets at one time."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    @classmethod
    def capture(cls, names: Iterable[str] = ()) -> State:
        """Return the present state: all facets, or those named."""
        values = {}
        for name in names or _FACETS:
            with contextlib.suppress(OSError):  # the working folder may not exist
                values[name] = _FACETS[name].get()
        return cls(values)

    @classmethod
    def fresh(cls, state: State) -> State:
        """Return the state in which a note begins: a given one, with the fixed values of facets."""
        state = cls(dict(state._values))
        for name, facet in _FACETS.items():
            if facet.fresh:
                state._values[name] = facet.fresh()
        return state

    def equals(self, other: State) -> bool:
        """Return whether all facets have the same values."""
        values, others = self._values, other._values
        return values.keys() == others.keys() and all(
            bool((_FACETS[name].same or eq)(value, others[name])) for name, value in values.items()
        )

    def apply(self, names: Iterable[str] = (), *, present: State | None = None) -> None:
        """Restore this state: all that was captured, or the facets named.

        With the ``present`` state, facets that have the wanted value already are not set again.
        """
        present_values = present._values if present else {}
        for name in names or self._values:
            facet = _FACETS[name]
            # KeyError: the facet was not captured.
            with contextlib.suppress(OSError, KeyError):
                wanted = self._values[name]
                compares = facet.same if name in present_values else None
                if compares is None or not compares(present_values[name], wanted):
                    facet.set(wanted)


def _are_same_objects(one: Any, other: Any) -> bool:
    """Return whether two sequences contain the same objects in the same order."""
    return len(one) == len(other) and all(map(is_, one, other))


def _have_same_parts(one: Any, other: Any) -> bool:
    """Return whether two structures consist of the same objects.

    Objects are compared by identity, since the ``==`` of a note's object may return anything.
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        if _are_same_objects(one, other) and _are_same_objects(one.values(), other.values()):
            return True
        return one.keys() == other.keys() and all(
            _have_same_parts(one[key], other[key]) for key in one
        )
    if isinstance(one, (list, tuple)):
        return _are_same_objects(one, other) or (
            len(one) == len(other) and all(map(_have_same_parts, one, other))
        )
    if one is other:
        return True
    return isinstance(one, (str, int, float)) and bool(one == other)


#: Kinds of warnings for programmers, which Python does not show either.
_QUIET = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Print a warning without the path and line, which differ between machines."""
    print(f"{category.__name__}: {message}")


def _fresh_warnings() -> tuple[list[Any], Any]:
    """Return the filters of warnings that a note starts with, and the function that prints them."""
    # Each filter: action, message, category, module, line (None and 0 mean any).
    filters = [
        ("default", None, DeprecationWarning, "__main__", 0),
        *(("ignore", None, kind, None, 0) for kind in _QUIET),
        # Not "default", which shows a warning only once, in the first note that raises it.
        ("always", None, Warning, None, 0),
    ]
    return filters, _show_warning


def _set_warnings(state: tuple[list[Any], Any]) -> None:
    """Set the filters of warnings, and the function that prints them."""
    warnings.resetwarnings()  # also forgets which warnings have been shown
    warnings.filters[:], warnings.showwarning = state  # type: ignore[index]


def _get_environment() -> dict[Any, Any]:
    # As bytes: decoding takes longer than all the other facets.
    return dict(os.environ._data)  # type: ignore[attr-defined]


def _set_environment(wanted: dict[Any, Any]) -> None:
    """Set the environment's variables, given as bytes."""
    if _get_environment() != wanted:
        os.environ.clear()
        for name, value in wanted.items():
            os.environ[os.environ.decodekey(name)] = os.environ.decodevalue(value)


def _set_path(wanted: list[str]) -> None:
    sys.path[:] = wanted


def _get_numpy() -> tuple[Any, ...]:
    return np.get_printoptions(), np.geterr(), np.geterrcall(), np.getbufsize()


def _set_numpy(state: tuple[Any, ...]) -> None:
    """Restore NumPy's print options, error handling and buffer size."""
    options, errors, on_error, size = state
    np.set_printoptions(**options)
    np.seterr(**errors)
    np.seterrcall(on_error)
    np.setbufsize(size)


def _get_logging() -> tuple[Any, ...]:
    """Return the configuration of the root logger, for `_set_logging`."""
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
    """Restore the configuration that `_get_logging` returned."""
    root = logging.getLogger()
    root.handlers[:], root.filters[:], level, root.disabled, root.manager.disable = state[:5]
    logging.lastResort, logging.raiseExceptions = state[5:]
    if root.level != level:
        root.setLevel(level)  # which also forgets what it had concluded from it


def _are_equal_generators(one: Any, other: Any) -> bool:
    """Return whether two states of NumPy's generator are the same.

    A state is a tuple: name, key, position, and a cached normal number.
    """
    have_same_key = bool(one[1].tobytes() == other[1].tobytes())
    return have_same_key and (one[0], *one[2:]) == (other[0], *other[2:])


HOOKS = ("displayhook", "excepthook", "unraisablehook", "breakpointhook", "stdin", "stdout",
          "stderr", "argv")  # fmt: skip


def _get_hooks() -> dict[str, Any]:
    return {name: getattr(sys, name) for name in HOOKS}


def _set_hooks(wanted: dict[str, Any]) -> None:
    for name, value in wanted.items():
        setattr(sys, name, value)


_SIGNALS = [
    number
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM",
                 "SIGPROF", "SIGPIPE", "SIGCHLD", "SIGQUIT")
    if (number := getattr(signal, name, None)) is not None
]  # fmt: skip


def _get_signals() -> dict[Any, Any]:
    return dict(zip(_SIGNALS, map(_handler, _SIGNALS), strict=True))


def _set_signals(wanted: dict[Any, Any]) -> None:
    """Set the handlers of signals, by their numbers; only the main thread can."""
    if threading.current_thread() is threading.main_thread():
        for number, handler in wanted.items():
            if handler is not None and _handler(number) is not handler:
                signal.signal(number, handler)


def _set_locale(wanted: str) -> None:
    if locale.setlocale(locale.LC_ALL) != wanted:
        locale.setlocale(locale.LC_ALL, wanted)


def _set_trace(wanted: tuple[Any, Any]) -> None:
    """Set the functions that debuggers and profilers call."""
    if sys.gettrace() is not wanted[0]:
        sys.settrace(wanted[0])
    if sys.getprofile() is not wanted[1]:
        sys.setprofile(wanted[1])


def _get_interpreter() -> tuple[Any, ...]:
    return sys.getrecursionlimit(), sys.getswitchinterval(), sys.get_int_max_str_digits()


def _set_interpreter(state: tuple[Any, ...]) -> None:
    """Set the limits of the interpreter: recursion, threads, digits of integers."""
    if _get_interpreter() != state:
        sys.setrecursionlimit(state[0])
        sys.setswitchinterval(state[1])
        sys.set_int_max_str_digits(state[2])


def _set_collector(wanted: tuple[bool, Any]) -> None:
    """Set whether garbage is collected, and how often."""
    (gc.enable if wanted[0] else gc.disable)()
    gc.set_threshold(*wanted[1])


_UNSET = object()


def _get_last_value() -> Any:
    """Return what the display hook has shown last, which it binds to ``_`` for all modules."""
    return vars(builtins).get("_", _UNSET)


def _set_last_value(wanted: Any) -> None:
    """Bind ``_`` to a value, or remove it (`_UNSET`)."""
    if wanted is _UNSET:
        vars(builtins).pop("_", None)
    else:
        vars(builtins)["_"] = wanted


_FACETS: dict[str, _Facet] = {
    "hooks": _Facet(_get_hooks, _set_hooks, same=_have_same_parts),
    "folder": _Facet(os.getcwd, os.chdir),
    "environment": _Facet(_get_environment, _set_environment, same=eq),
    "search path": _Facet(lambda: list(sys.path), _set_path),
    "warnings": _Facet(
        lambda: (list(warnings.filters), warnings.showwarning), _set_warnings, _fresh_warnings
    ),
    "random": _Facet(random.getstate, random.setstate, same=eq),
    "numpy": _Facet(_get_numpy, _set_numpy, same=_have_same_parts),
    "numpy.random": _Facet(np.random.get_state, np.random.set_state, same=_are_equal_generators),
    "decimal": _Facet(
        lambda: decimal.getcontext().copy(),
        lambda c: decimal.setcontext(c.copy()),
        decimal.Context,
        same=lambda one, other: repr(one) == repr(other),
    ),
    "logging": _Facet(
        _get_logging,
        _set_logging,
        lambda: ([], [], logging.WARNING, False, 0, logging.lastResort, True),
        same=_have_same_parts,
    ),
    "locale": _Facet(lambda: locale.setlocale(locale.LC_ALL), _set_locale, same=eq),
    "signals": _Facet(_get_signals, _set_signals, same=_have_same_parts),
    "trace": _Facet(lambda: (sys.gettrace(), sys.getprofile()), _set_trace),
    "interpreter": _Facet(_get_interpreter, _set_interpreter),
    "collector": _Facet(
        lambda: (gc.isenabled(), gc.get_threshold()), _set_collector, same=_have_same_parts
    ),
    "last value": _Facet(_get_last_value, _set_last_value, lambda: _UNSET, same=is_),
}

#: The facets that affect a computation and its warnings.
COMPUTING = ("numpy", "warnings")


#: Types of objects that never change.
_IMMUTABLE = {bool, bytes, complex, float, int, str, type(None), np.float64, np.int64}


class Variables:
    """The variables of a note and their contents, to be restored.

    These are names, generators of random numbers, arrays, lists, dictionaries and sets, including
    those in objects, functions and each other. Objects that cannot be inspected are left out, and
    so are arrays of more than a few megabytes.
    """

    #: Most objects that are inspected, and most bytes of an array that is copied: more would take
    #: longer than most calls.
    _MOST, _LARGEST = 5000, 4 << 20

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._restore: list[Callable[[], object]] = []
        seen: dict[int, Any] = {}
        queue: deque[Any] = deque([namespace])
        while queue and len(seen) < self._MOST:
            thing = queue.popleft()
            if id(thing) not in seen:
                seen[id(thing)] = thing
                with contextlib.suppress(Exception):  # objects of a note may raise anything
                    contents = self._keep(thing)
                    queue.extend(part for part in contents if type(part) not in _IMMUTABLE)

    def restore(self) -> None:
        """Restore everything."""
        for restore in self._restore:
            with contextlib.suppress(Exception):
                restore()

    def _keep(self, thing: Any) -> Iterable[Any]:
        """Store how to restore an object; return the objects in it."""
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
            self._restore.append(partial(_restore_contents, thing, thing.copy(), thing.update))
            return list(thing.values())
        elif kind is list:
            self._restore.append(partial(_restore_contents, thing, thing.copy(), thing.extend))
            return list(thing)
        elif kind is set:
            self._restore.append(partial(_restore_contents, thing, thing.copy(), thing.update))
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


def _restore_contents(container: Any, content: Any, fill: Callable[[Any], object]) -> None:
    """Restore the content of a container with its method ``fill``, unless it is the same."""
    is_same = _are_same_objects(container, content)
    if is_same and isinstance(content, dict):
        is_same = _are_same_objects(container.values(), content.values())
    if not is_same:
        container.clear()
        fill(content)
