"""Evaluates Python expressions in the text of a note on its variables, and samples these."""

from __future__ import annotations

import ast
import builtins
import contextlib
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from types import ModuleType
from typing import Any

import numpy as np

from vaultkit.claims.expressions import free_names

#: Python's functions that an expression in the text may call though no block does.
_BUILT_IN = {
    f.__name__
    for f in (abs, bool, divmod, float, int, len, list, max, min, pow, range, repr, round, set,
              sorted, str, sum, tuple, type)
}  # fmt: skip
#: Types whose objects are passed as copies.
_MUTABLE = (list, dict, set, np.ndarray)
#: Most elements of an array, and most characters of another object, that are compared.
_ELEMENTS, _CHARACTERS = 256, 2000

#: Type of a function that calls another one without lasting effects on the note.
Caller = Callable[..., Any]


def call_directly(function: Callable[..., Any], *given: Any) -> Any:
    """Call a function on copies of its arguments, without protection; the default `Caller`."""
    return function(*deepcopy(given))


def evaluate(
    code: str,
    variables: Mapping[str, Any],
    describe: Callable[[Any], Any],
    call: Caller = call_directly,
    *,
    built_in: bool = False,
) -> Any:
    """Evaluate an expression, and return a description of its value.

    Parameters
    ----------
    code
        The expression. It must have a variable of the note, or it is a constant and not code.
    variables
        The variables of the note.
    describe
        Called with the value, within ``call``, so that it cannot change the note.
    call
        Calls a function on copies of the variables.
    built_in
        Whether an expression without a variable is permitted if its names are Python's functions.

    Raises
    ------
    NameError
        If it has no variable, or a name that has no value.
    Exception
        Whatever the code raises.

    Examples
    --------
    >>> evaluate("len(x) + 1", {"x": [1, 2]}, str)
    '3'
    """
    names = free_names(ast.parse(code.strip(), mode="eval"))
    if not names & variables.keys() and not (names <= _BUILT_IN and built_in):
        raise NameError(code)
    if unbound := names - variables.keys() - set(vars(builtins)):
        raise NameError(min(unbound))
    return evaluate_unchecked(code, variables, describe, call)


def evaluate_unchecked(
    code: str,
    variables: Mapping[str, Any],
    describe: Callable[[Any], Any],
    call: Caller = call_directly,
) -> Any:
    """Evaluate an expression as `evaluate` does, but do not check which names it has.

    Return what ``describe`` returns for its value; ``call`` is what runs the code.
    """
    tree = ast.parse(code.strip(), mode="eval")
    compiled = compile(tree, "inline code", "eval")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    # Mutable variables are passed as arguments, since `call` copies arguments.
    mutable = {n: v for n, v in variables.items() if n in names and isinstance(v, _MUTABLE)}
    return call(lambda copies: describe(eval(compiled, {**variables, **copies})), mutable)


def sampled_values(
    names: Iterable[str], variables: Mapping[str, Any]
) -> dict[str, tuple[tuple[int, ...], list[Any]]]:
    """Return the shapes of variables and samples of their elements, to detect what trials change.

    Functions and modules are left out, and objects that raise an error when they are read.

    >>> sampled_values(["x", "n", "len"], {"x": [3, 4], "n": 2, "len": len})
    {'x': ((2,), [3, 4]), 'n': ((), [2])}
    """
    samples: dict[str, tuple[tuple[int, ...], list[Any]]] = {}
    for name in names:
        with contextlib.suppress(Exception):  # an object of the note may raise anything
            value = variables[name]
            if callable(value) or isinstance(value, ModuleType):
                continue
            array = np.asarray(value)
            elements = array.ravel()[:: array.size // _ELEMENTS + 1].tolist()
            if array.dtype == object:  # to compare the elements would run code of the note
                elements = [repr(value)[:_CHARACTERS]]
            samples[name] = array.shape, elements
    return samples
