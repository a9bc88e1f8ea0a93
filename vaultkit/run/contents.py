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

#: Most objects that are inspected, and most bytes of arrays that are copied: beyond this, running a
#: block again is usually faster. Comparing that many objects of a uniform list takes as long as
#: inspecting one object alone.
_MOST, _LARGEST = 20_000, 128 << 20
_UNIFORM_PER_OBJECT = 50
#: Types of objects that never change: equal values cannot be told apart.
_BY_VALUE = {bool, bytes, int, str, type(None), type(...), type(NotImplemented)}
_BY_REPR = {complex, float, range, slice, Decimal, Fraction}
#: Types of which equal objects are the same in all respects.
_UNIFORM = {bytes, int, str}
_SEQUENCES = {list, set, frozenset, deque}
_MAPPINGS = {dict, Counter, OrderedDict, defaultdict}
#: Modules whose functions and classes never change.
_CONSTANT = {*sys.stdlib_module_names, "numpy"}
#: Classes without contents of their own, of which a note may derive classes.
_EMPTY = {object, ABC, Generic, Protocol}
#: Names by which code reads or changes what its text does not name: variables, frames, modules.
_OPAQUE = frozenset({
    "__import__", "__main__", "_getframe", "breakpoint", "currentframe", "dir", "eval", "exec",
    "gc", "globals", "input", "locals", "sys", "threading", "vars",
})  # fmt: skip
#: Types of compiled functions, and of others that never change.
_COMPILED = {"TypeVar", "_ArrayFunctionDispatcher", "cython_function_or_method", "ufunc"}
_ABSENT, _PLAIN = "absent", "plain"


class UnknownContentsError(Exception):
    """Raised for an object whose contents cannot be inspected."""


class _Inspected(NamedTuple):
    """An object that can change, with its contents at one time.

    Attributes
    ----------
    object
        The object.
    content
        Its contents, to be compared with ``==``: the keys (`Contents._key`) of its parts.
    restore
        Gives it these contents again; None if that is impossible, as for a function.
    """

    object: Any
    content: Any
    restore: Callable[[], None] | None = None


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
        self._inspected: dict[int, _Inspected] = {}
        self._queue: list[Any] = []
        self._size = 0
        try:
            self._bindings = {name: self._key_in(variables, name) for name in names}
            while self._queue:
                thing = self._queue.pop()
                if id(thing) not in self._inspected:
                    self._count(1)
                    self._inspected[id(thing)] = self._inspect(thing)
        except UnknownContentsError:
            raise
        except Exception as error:  # an object of a note may raise anything
            raise UnknownContentsError from error

    def __eq__(self, other: object) -> bool:
        """Return whether the same names refer to the same objects with the same contents.

        Immutable objects are the same if their types and values are.
        """
        return (
            isinstance(other, Contents)
            and self._bindings == other._bindings
            and self._inspected.keys() == other._inspected.keys()
            and all(
                inspected.content == other._inspected[i].content
                for i, inspected in self._inspected.items()
            )
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def functions(self) -> list[types.FunctionType]:
        """The functions among the objects."""
        return [
            each.object
            for each in self._inspected.values()
            if isinstance(each.object, types.FunctionType)
        ]

    @property
    def code_by_function(self) -> dict[int, types.CodeType]:
        """The code that each function had, by the id of the function."""
        return {id(f): self._inspected[id(f)].content[0].code for f in self.functions}

    def restore(self, variables: Mapping[str, Any]) -> bool:
        """Restore the contents of all objects, and return whether that was possible.

        The values of ``variables`` themselves are left to the caller.
        """
        restores = []
        for inspected in self._inspected.values():
            try:
                content = Contents({}, ())._inspect(inspected.object).content
            except Exception:  # an object of a note may raise anything
                return False
            is_function = isinstance(inspected.object, types.FunctionType)
            if is_function and inspected.object.__globals__ is variables:
                # All but the values of its global names, which the caller restores.
                is_same = content[:-1] == inspected.content[:-1]
            else:
                is_same = content == inspected.content
            if not is_same:
                if inspected.restore is None:
                    return False
                restores.append(inspected.restore)
        for restore in restores:
            restore()
        return True

    def _count(self, objects: int) -> None:
        """Count inspected objects; raise `UnknownContentsError` if there are too many."""
        self._size += objects
        if self._size > _MOST:
            raise UnknownContentsError

    def _key_in(self, variables: Mapping[str, Any], name: str) -> Any:
        """Return the key of a variable; that of an unbound name is ``_ABSENT``."""
        return self._key(variables[name]) if name in variables else _ABSENT

    def _keys(self, things: Iterable[Any]) -> tuple[Any, ...]:
        """Return the keys of several objects; of a uniform list, one key for all.

        ``[1, 2]`` gives ``("plain", int, (1, 2))``, and ``[1, None]`` the keys of both.
        """
        things = tuple(things)
        kinds = set(map(type, things))
        if len(kinds) == 1 and kinds <= _UNIFORM:  # much faster than one by one
            self._count(len(things) // _UNIFORM_PER_OBJECT)
            return _PLAIN, kinds.pop(), things
        if kinds == {float}:  # as bytes, since NaN is not equal to itself
            self._count(len(things) // _UNIFORM_PER_OBJECT)
            return _PLAIN, float, array("d", things).tobytes()
        self._count(len(things))
        return tuple(map(self._key, things))

    def _key(self, thing: Any) -> Any:
        """Return what identifies an object: its type and value if it cannot change, else its id.

        An object with an id is put into the queue, so that its contents are inspected later, unless
        it is constant (`_is_constant`).
        """
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

    def _inspect(self, thing: Any) -> _Inspected:
        """Return the contents of an object that can change.

        Raises
        ------
        UnknownContentsError
            If its type is unknown: an iterator, a file, an object of a compiled class.
        """
        kind = type(thing)
        if kind is np.ndarray:
            return self._inspect_array(thing)
        if kind in _SEQUENCES:
            return self._inspect_sequence(thing)
        if kind in _MAPPINGS:
            return self._inspect_mapping(thing)
        if kind is types.FunctionType:
            return _Inspected(thing, self._content_of_function(thing))
        if kind is types.MethodType:
            return _Inspected(thing, self._keys((thing.__func__, thing.__self__)))
        if kind is types.BuiltinFunctionType:
            return _Inspected(thing, self._key(thing.__self__))
        if kind is functools.partial:
            return _Inspected(thing, self._keys((thing.func, thing.args, thing.keywords)))
        if kind is np.random.Generator:
            bits = thing.bit_generator
            if _number_of_spawned(thing):
                raise UnknownContentsError
            state = bits.state
            return _Inspected(thing, pickle.dumps(state), lambda: setattr(bits, "state", state))
        if kind is np.random.RandomState:
            state = thing.get_state()
            return _Inspected(thing, pickle.dumps(state), lambda: thing.set_state(state))
        if kind is random.Random:
            state = thing.getstate()
            return _Inspected(thing, state, lambda: thing.setstate(state))
        if isinstance(thing, types.ModuleType):
            return _Inspected(thing, self._keys(_variables_of(thing).items()))
        if isinstance(thing, type):
            # Those of a former run are found by `__subclasses__`.
            return _Inspected(thing, self._keys([*_members(thing), *type.__subclasses__(thing)]))
        # An object of a class written in Python, whose contents are its attributes.
        for base in kind.__mro__:
            if base not in _EMPTY and (_is_constant(base) or vars(base).get("__slots__")):
                raise UnknownContentsError
        return _Inspected(thing, (self._key(kind), self._key(vars(thing))))

    def _inspect_array(self, array: np.ndarray) -> _Inspected:
        """Return the contents of an array: its bytes, and how they are arranged."""
        self._count(array.nbytes * _MOST // _LARGEST)
        if array.dtype.hasobject:
            raise UnknownContentsError
        data = array.tobytes()
        form = array.dtype, array.shape, array.strides, array.flags.writeable

        def restore() -> None:
            array[...] = np.frombuffer(data, array.dtype).reshape(array.shape)

        return _Inspected(array, (form, data), restore if array.flags.writeable else None)

    def _inspect_sequence(self, sequence: Any) -> _Inspected:
        """Return the contents of a list, set or the like: its elements, in order."""
        old = sequence.copy()
        # A frozenset has neither method, and never needs to be restored.
        fill = getattr(sequence, "update" if type(sequence) is set else "extend", None)

        def restore() -> None:
            assert fill
            sequence.clear()
            fill(old)

        return _Inspected(sequence, self._keys(sequence), restore if fill else None)

    def _inspect_mapping(self, mapping: Any) -> _Inspected:
        """Return the contents of a dictionary: its keys, then its values, in order."""
        old = dict(mapping)
        factory = getattr(mapping, "default_factory", None)

        def restore() -> None:
            mapping.clear()
            mapping.update(old)

        return _Inspected(mapping, self._keys([*old, *old.values(), factory]), restore)

    def _content_of_function(self, function: types.FunctionType) -> tuple[Any, ...]:
        """Return the contents of a function: code, closure with defaults, and global names."""
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
    """Return the variables of a module, without the modules that imports bind."""
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


def becomes_former(value: Any, former: Any, contents: Contents) -> bool:
    """Give a former object its contents of that time, if a new one has the same; say whether.

    True means that the former object can replace the new one: both are arrays, generators of random
    numbers, functions, or lists or dictionaries of numbers and texts, and share nothing.

    Parameters
    ----------
    value, former
        The new object, and the former one.
    contents
        The contents that the former object had.
    """
    if type(value) is not type(former):
        return False
    if isinstance(value, types.FunctionType):
        return _becomes_former_function(value, former)
    inspected = contents._inspected.get(id(former))
    kinds = (np.ndarray, np.random.Generator, list, dict)
    if inspected is None or inspected.restore is None or type(value) not in kinds:
        return False
    try:
        content = Contents({}, ())._inspect(value).content
        if isinstance(value, np.ndarray):
            shares_nothing = value.base is None and former.base is None  # no views
        elif isinstance(value, np.random.Generator):
            shares_nothing = _number_of_spawned(former) == 0
        else:
            # All parts have keys by value, not ids.
            shares_nothing = content[:1] == (_PLAIN,) or all(
                isinstance(key, tuple) and key[0] in _BY_VALUE | _BY_REPR for key in content
            )
        if not shares_nothing or content != inspected.content:
            return False
        inspected.restore()
    except Exception:  # an object of a note may raise anything
        return False
    return True


def _becomes_former_function(value: types.FunctionType, former: types.FunctionType) -> bool:
    """Give a former function the lines of a new one, if their code is the same; say whether."""
    refers_to_objects = bool(
        value.__closure__ or value.__defaults__ or value.__kwdefaults__ or value.__dict__
    )
    is_copy = (
        not refers_to_objects
        and value.__globals__ is former.__globals__
        and is_same_code(value.__code__, former.__code__)
        and not (value.__annotations__ or former.__annotations__ or former.__dict__)
    )
    if is_copy:
        former.__code__ = value.__code__
    return is_copy
