"""The contents of all objects that some variables refer to, to be compared and restored later.

An object is identified by its identity if it can change, and by its value if it cannot. Modules of
the standard library and NumPy are taken as constant; the functions, classes and variables of all
others belong to the contents.
"""

from __future__ import annotations

import functools
import pickle
import random
import re
import sys
import types
from abc import ABC
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Generic, NamedTuple, Protocol

import numpy as np

#: Most objects that are inspected, and most bytes of arrays that are copied.
_MOST, _LARGEST = 20_000, 128 << 20
#: Types of objects that never change: equal values cannot be told apart.
_BY_VALUE = {bool, bytes, int, str, type(None), type(...), type(NotImplemented)}
_BY_REPR = {complex, float, range, slice, Decimal, Fraction}
#: Types of which equal objects are the same in all respects.
_UNIFORM = {bytes, int, str}
_SEQUENCES = {list, set, frozenset, deque}
_MAPPINGS = {dict, Counter, OrderedDict, defaultdict}
#: Modules whose functions and classes never change.
_CONSTANT = {*sys.stdlib_module_names, "numpy"} - {"__main__"}
#: Classes without contents of their own, of which a note may derive classes.
_EMPTY = {object, ABC, Generic, Protocol}
#: Names of functions by which code reads or changes what its text does not name.
_OPAQUE = frozenset({
    "__import__", "__main__", "_getframe", "breakpoint", "currentframe", "dir", "eval", "exec",
    "gc", "globals", "input", "locals", "sys", "threading", "vars",
})  # fmt: skip
#: Types of compiled functions, and of others that never change.
_COMPILED = {"TypeVar", "_ArrayFunctionDispatcher", "cython_function_or_method", "ufunc"}
_ABSENT, _PLAIN = "absent", "plain"


class UnknownContentsError(Exception):
    """Raised for an object whose contents cannot be inspected."""


class _Held(NamedTuple):
    """An object with its contents: to be compared, and to be restored."""

    thing: Any
    content: Any
    restore: Callable[[], object] | None = None


class _Code:
    """The code of a function. It is equal to the same code at other lines of the note."""

    def __init__(self, code: types.CodeType) -> None:
        self.code = code

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Code) and is_same_code(self.code, other.code)

    __hash__ = None  # type: ignore[assignment]


def is_same_code(one: types.CodeType, other: types.CodeType) -> bool:
    """Return whether two pieces of code are the same, whatever their lines are."""
    return one is other or code_at_line(one, 1) == code_at_line(other, 1)


def code_at_line(code: types.CodeType, line: int) -> types.CodeType:
    """Return the code as if it began at another line, with all functions in it."""
    down = line - code.co_firstlineno
    constants = [
        code_at_line(c, c.co_firstlineno + down) if isinstance(c, types.CodeType) else c
        for c in code.co_consts
    ]
    return code.replace(co_firstlineno=line, co_consts=tuple(constants))


def names_of_code(code: types.CodeType) -> set[str]:
    """Return all names that code and the functions in it use, except for their local variables.

    Raises
    ------
    UnknownContentsError
        If it could use names that it does not contain.
    """
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_of_code(constant)
    if names & _OPAQUE:
        raise UnknownContentsError
    return names


class Contents:
    """The contents of some variables, and of all objects that they refer to.

    Parameters
    ----------
    variables
        The variables.
    names
        The names of those that are wanted; some may be unbound.

    Raises
    ------
    UnknownContentsError
        If an object is of an unknown type, or there are too many.
    """

    def __init__(self, variables: Mapping[str, Any], names: Iterable[str]) -> None:
        self._held: dict[int, _Held] = {}
        self._queue: list[Any] = []
        self._size = 0
        try:
            self._bindings = {name: self._key_in(variables, name) for name in names}
            while self._queue:
                thing = self._queue.pop()
                if id(thing) not in self._held:
                    self._count(1)
                    self._held[id(thing)] = self._hold(thing)
        except UnknownContentsError:
            raise
        except Exception as error:  # an object of a note may raise anything
            raise UnknownContentsError from error

    def __eq__(self, other: object) -> bool:
        """Return whether the same names refer to the same objects with the same contents."""
        return (
            isinstance(other, Contents)
            and self._bindings == other._bindings
            and self._held.keys() == other._held.keys()
            and all(held.content == other._held[i].content for i, held in self._held.items())
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def functions(self) -> list[types.FunctionType]:
        """The functions among the objects."""
        return [h.thing for h in self._held.values() if isinstance(h.thing, types.FunctionType)]

    @property
    def code_by_function(self) -> dict[int, types.CodeType]:
        """The code that each function had, by the id of the function."""
        return {id(f): self._held[id(f)].content[0].code for f in self.functions}

    def restore(self, variables: Mapping[str, Any]) -> bool:
        """Restore the contents of all objects, and return whether that was possible.

        The values of ``variables`` themselves are left to the caller.
        """
        restores = []
        for held in self._held.values():
            try:
                content = Contents({}, ())._hold(held.thing).content
            except Exception:  # an object of a note may raise anything
                return False
            is_function = isinstance(held.thing, types.FunctionType)
            if is_function and held.thing.__globals__ is variables:
                is_same = content[:-1] == held.content[:-1]
            else:
                is_same = content == held.content
            if not is_same:
                if held.restore is None:
                    return False
                restores.append(held.restore)
        for restore in restores:
            restore()
        return True

    def _count(self, more: int) -> None:
        """Count objects; raise an error if there are too many."""
        self._size += more
        if self._size > _MOST:
            raise UnknownContentsError

    def _key_in(self, variables: Mapping[str, Any], name: str) -> Any:
        """Return the key of a variable."""
        return self._key(variables[name]) if name in variables else _ABSENT

    def _keys(self, things: Iterable[Any]) -> tuple[Any, ...]:
        """Return what identifies each of several objects."""
        things = tuple(things)
        kinds = set(map(type, things))
        if len(kinds) == 1 and kinds <= _UNIFORM:  # much faster than one by one
            self._count(len(things) // 50)
            return _PLAIN, kinds.pop(), things
        if kinds == {float}:
            self._count(len(things) // 50)
            return _PLAIN, float, array("d", things).tobytes()
        self._count(len(things))
        return tuple(map(self._key, things))

    def _key(self, thing: Any) -> Any:
        """Return what identifies an object; its contents are inspected later if it has any."""
        kind = type(thing)
        if kind in _BY_VALUE:
            return kind, thing
        if kind in _BY_REPR:
            return kind, repr(thing)
        if isinstance(thing, PurePath):
            return kind, str(thing)
        if isinstance(thing, re.Pattern):
            return kind, thing.pattern, thing.flags
        if isinstance(thing, (types.GenericAlias, types.UnionType)):
            return kind, repr(thing)
        if isinstance(thing, np.generic) and not thing.dtype.hasobject:
            return kind, thing.dtype.str, thing.tobytes()
        if kind is tuple:
            return kind, self._keys(thing)
        if isinstance(thing, tuple):  # a named tuple, which has no other contents
            return self._key(kind), self._keys(thing)
        if isinstance(thing, np.dtype):
            return kind, repr(thing)
        if not _is_constant(thing):
            self._queue.append(thing)
        return id(thing)

    def _hold(self, thing: Any) -> _Held:
        """Return the contents of an object that can change."""
        kind = type(thing)
        if kind is np.ndarray:
            return self._hold_array(thing)
        if kind in _SEQUENCES:
            old = thing.copy()
            fill = getattr(thing, "update" if kind is set else "extend", None)
            return _Held(thing, self._keys(thing), fill and (lambda: (thing.clear(), fill(old))))
        if kind in _MAPPINGS:
            return self._hold_mapping(thing)
        if kind is types.FunctionType:
            return _Held(thing, self._content_of_function(thing))
        if kind is types.MethodType:
            return _Held(thing, self._keys((thing.__func__, thing.__self__)))
        if kind is types.BuiltinFunctionType:
            return _Held(thing, self._key(thing.__self__))
        if kind is functools.partial:
            return _Held(thing, self._keys((thing.func, thing.args, thing.keywords)))
        if kind is np.random.Generator:
            bits = thing.bit_generator
            if _number_of_spawned(thing):
                raise UnknownContentsError
            state = bits.state
            return _Held(thing, pickle.dumps(state), lambda: setattr(bits, "state", state))
        if kind is np.random.RandomState:
            state = thing.get_state()
            return _Held(thing, pickle.dumps(state), lambda: thing.set_state(state))
        if kind is random.Random:
            state = thing.getstate()
            return _Held(thing, state, lambda: thing.setstate(state))
        if isinstance(thing, types.ModuleType):
            return _Held(thing, self._keys(_variables_of(thing).items()))
        if isinstance(thing, type):
            # Those of a former run are found by `__subclasses__`.
            return _Held(thing, self._keys([*_members(thing), *type.__subclasses__(thing)]))
        for base in kind.__mro__:
            if base not in _EMPTY and (_is_constant(base) or vars(base).get("__slots__")):
                raise UnknownContentsError
        return _Held(thing, (self._key(kind), self._key(vars(thing))))

    def _hold_array(self, array: np.ndarray) -> _Held:
        """Return the contents of an array."""
        self._count(array.nbytes * _MOST // _LARGEST)
        if array.dtype.hasobject:
            raise UnknownContentsError
        data = array.tobytes()
        form = array.dtype, array.shape, array.strides, array.flags.writeable

        def restore() -> None:
            array[...] = np.frombuffer(data, array.dtype).reshape(array.shape)

        return _Held(array, (form, data), restore if array.flags.writeable else None)

    def _hold_mapping(self, mapping: Any) -> _Held:
        """Return the contents of a dictionary."""
        old = dict(mapping)
        factory = getattr(mapping, "default_factory", None)

        def restore() -> None:
            mapping.clear()
            mapping.update(old)

        return _Held(mapping, self._keys([*old, *old.values(), factory]), restore)

    def _content_of_function(self, function: types.FunctionType) -> Any:
        """Return the contents of a function: its code, and the values of the names in it."""
        names = sorted(names_of_code(function.__code__))
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        given = function.__defaults__, function.__kwdefaults__, function.__dict__ or None
        return (
            _Code(function.__code__),
            self._keys((*cells, *given)),
            [self._key_in(function.__globals__, name) for name in names],
        )


def _number_of_spawned(generator: np.random.Generator) -> int:
    """Return how many generators one has spawned, on which the next depends; it cannot be reset."""
    return getattr(generator.bit_generator.seed_seq, "n_children_spawned", 0)


def _is_constant(thing: Any) -> bool:
    """Return whether an object belongs to the standard library or to NumPy, and never changes."""
    if isinstance(thing, types.ModuleType):
        return thing.__name__.partition(".")[0] in _CONSTANT
    if isinstance(thing, types.BuiltinFunctionType):
        return thing.__self__ is None or isinstance(thing.__self__, types.ModuleType)
    if isinstance(thing, (type, types.FunctionType)):
        return str(thing.__module__).partition(".")[0] in _CONSTANT
    return type(thing).__name__ in _COMPILED


def _variables_of(module: types.ModuleType) -> dict[str, Any]:
    """Return the variables of a module, without those that importing its parts binds."""
    return {
        name: value
        for name, value in vars(module).items()
        if not _is_dunder(name) and not isinstance(value, types.ModuleType)
    }


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _members(kind: type) -> Iterator[Any]:
    """Yield the functions and values of a class, and the classes that it is derived from."""
    yield from (base for base in kind.__bases__ if base not in _EMPTY)
    for name, member in vars(kind).items():
        if isinstance(member, (staticmethod, classmethod)):
            yield member.__func__
        elif isinstance(member, property):
            yield from (member.fget, member.fset, member.fdel)
        elif isinstance(member, types.FunctionType):
            yield member
        elif not _is_dunder(name) and type(member).__name__ != "_tuplegetter":
            if hasattr(type(member), "__get__"):
                raise UnknownContentsError
            yield member


def is_plain_copy(value: Any, former: Any, contents: Contents) -> bool:
    """Return whether an object equals a former one, and make the former one equal to it.

    Parameters
    ----------
    value, former
        An array, a function, or a list or dictionary of numbers and texts; and the former one.
    contents
        The contents of the former one at the time with which it is compared.
    """
    if type(value) is not type(former):
        return False
    if isinstance(value, types.FunctionType):
        plain = value.__closure__, value.__defaults__, value.__kwdefaults__, value.__dict__ or None
        is_copy = (
            plain == (None, None, None, None)
            and value.__globals__ is former.__globals__
            and is_same_code(value.__code__, former.__code__)
            and not (value.__annotations__ or former.__annotations__ or former.__dict__)
        )
        if is_copy:
            former.__code__ = value.__code__  # the same at the present lines
        return is_copy
    held = contents._held.get(id(former))
    if held is None or type(value) not in (np.ndarray, np.random.Generator, list, dict):
        return False
    try:
        content = Contents({}, ())._hold(value).content
        if isinstance(value, np.ndarray):
            is_plain = value.base is None and former.base is None
        elif isinstance(value, np.random.Generator):
            is_plain = _number_of_spawned(former) == 0
        else:
            is_plain = content[:1] == (_PLAIN,) or all(
                isinstance(key, tuple) and key[0] in _BY_VALUE | _BY_REPR for key in content
            )
        if not is_plain or content != held.content or held.restore is None:
            return False
        held.restore()
    except Exception:  # an object of a note may raise anything
        return False
    return True
