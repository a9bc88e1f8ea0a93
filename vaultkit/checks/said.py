"""The check of inline code: a comparison holds, an expression has the value stated after it.

`` `len(x)` is 3 `` states that the expression ``len(x)`` has the value ``3``.
"""

from __future__ import annotations

import ast
import contextlib
import math
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from vaultkit.checks.check import FAILS, HOLDS, Check
from vaultkit.checks.computed import Caller, call_directly, evaluate
from vaultkit.checks.outputs import agrees, describe_difference
from vaultkit.claims.claims import claims_of
from vaultkit.claims.said import CodeStatement
from vaultkit.read.note import Block, Note
from vaultkit.run.steps import Step

#: Most characters of a text that are compared, and of a value in a message.
_LONGEST, _LONGEST_SHOWN = 5000, 200
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?")


class Statements:
    """Judges the statements in the inline code of a note.

    A statement is judged after the last block above it; if a name in it is not bound there, after
    the first block below that binds all of its names. A statement that cannot be evaluated there is
    left out: it may be about something else.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        self.note = note
        #: Calls a function of the note without lasting effects; by default, without protection.
        self.call: Caller = call_directly
        #: Whether each statement is right, and the value of its expression.
        self.found: dict[CodeStatement, tuple[bool, str]] = {}
        #: Those that could not be evaluated at their places.
        self.left_out: set[CodeStatement] = set()

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note
        stated = claims_of(note).said
        self.found = {said: self.found[said] for said in stated if said in self.found}
        self.left_out.intersection_update(stated)

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Judge the statements between this block and the next, and those above not judged yet."""
        blocks_below = (b.fence.line for b in self.note.blocks if b.fence.line > block.fence.line)
        next_block = next(blocks_below, math.inf)
        for said in claims_of(self.note).said:
            if said in self.found or said in self.left_out or said.line > next_block:
                continue
            try:
                self.found[said] = self.judge(said, variables)
            except NameError:
                continue  # a block below may bind the name
            except Exception:  # code of a note may raise anything
                self.left_out.add(said)

    def judge(self, said: CodeStatement, variables: Mapping[str, Any]) -> tuple[bool, str]:
        """Evaluate an expression; return whether it has the stated value, and its value as text.

        For a statement that the code raises an error, the stated value is the name of its class.
        Errors of other statements are raised, and `NameError` if its class is not stated.
        """
        is_shape = said.shown.startswith("(")
        describe = partial(_possible_texts, but_arrays=is_shape)
        try:
            # With a stated value, the code may use Python's own functions: `len(x)` is 3.
            texts: list[str] = evaluate(
                said.code, variables, describe, self.call, built_in=bool(said.shown)
            )
        except Exception as error:
            classes = [kind.__name__ for kind in type(error).__mro__]
            if not said.raises or (isinstance(error, NameError) and said.shown not in classes):
                raise
            return said.shown in classes, f"{classes[0]}: {error}"
        if said.raises:
            return False, texts[0]
        if said.shown in ("", "True", "False"):  # without a value, it states that it is true
            return texts[-1] == (said.shown or "True") or said.shown in texts, texts[0]
        # The last text is the truth value, which is left out: in Python, True equals 1.
        return any(_is_same_value(said.shown, text) for text in texts[:-1]), texts[0]

    def judges(self, line: int, column: int) -> bool:
        """Return whether a place is in a statement that has been judged."""
        return any(said.includes(line, column) for said in self.found)

    def check(self) -> Iterator[Check]:
        """Yield a check for each statement that could be judged."""
        for said in claims_of(self.note).said:
            if said not in self.found:
                continue
            is_right, value = self.found[said]
            value = " ".join(value.split())[:_LONGEST_SHOWN]
            verb = "raises" if said.raises else "is"
            what = f"{said.code} {verb} {said.shown}" if said.shown else said.code
            why = f"value of {said.code}: {value}" if is_right else f"{what}: its value is {value}"
            outcome = HOLDS if is_right else FAILS
            yield Check("number", said.line, said.code, outcome, why, said.column)


def _possible_texts(value: Any, *, but_arrays: bool = False) -> list[str]:
    """Return the texts with which a note may show a value; the last one is its truth value.

    Raise TypeError for a function, and with ``but_arrays`` for an array.
    """
    if but_arrays and isinstance(value, np.ndarray):
        raise TypeError("the shape of an array is judged by another check")
    if callable(value) and not isinstance(value, type):
        raise TypeError("a function is not a value")
    texts = [repr(value), str(value)]
    if isinstance(value, np.generic):
        # First the form for messages, without the name of NumPy's type.
        texts.insert(0, repr(value.item()))
    if isinstance(value, np.ndarray):
        texts.append(repr(value.tolist()))
    if isinstance(value, type):
        texts.append(value.__name__)
    try:
        texts.append(str(bool(np.all(value))))
    except Exception:
        texts.append("")  # it has no truth value
    return [text[:_LONGEST] for text in texts]


def _is_same_value(shown: str, real: str) -> bool:
    """Return whether a value in a sentence is the computed one, in one of its forms."""
    if _NUMBER.fullmatch(shown) and _NUMBER.fullmatch(real):
        # In a sentence, a whole float may be written without the point.
        return agrees(shown, real) or float(shown) == float(real)
    if not describe_difference(shown, real):
        return True
    with contextlib.suppress(Exception):  # one of them is no literal
        return bool(ast.literal_eval(shown) == ast.literal_eval(real))
    return "".join(shown.split()) == "".join(real.split())
