"""Evaluates Python expressions in the text of a note on the variables of the note."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping
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

#: Type of a function that calls another one without lasting effects on the note.
Caller = Callable[..., Any]


def call_directly(function: Callable[..., Any], *given: Any) -> Any:
    """Call a function without any protection; the default `Caller`."""
    return function(*given)


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
        The expression.
    variables
        The variables of the note.
    describe
        Called with the value, within ``call``, so that it cannot change the note.
    call
        Calls a function on copies of the variables.
    built_in
        Whether an expression may name nothing but Python's built-in functions.

    Raises
    ------
    NameError
        If it names something else.
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
    # Mutable variables are passed as arguments, since arguments are copied.
    own = {n: v for n, v in variables.items() if n in names and isinstance(v, _MUTABLE)}
    return call(lambda given: describe(eval(compiled, {**variables, **given})), own)
