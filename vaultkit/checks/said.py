"""What inline code states is so: a comparison holds, an expression comes to the value behind it."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from vaultkit.checks.check import FAILS, HOLDS, Check
from vaultkit.checks.computed import Caller, computed, just_call
from vaultkit.checks.outputs import agrees, compare
from vaultkit.claims.claims import claims_of
from vaultkit.claims.said import Said
from vaultkit.read.note import Block, Note
from vaultkit.run.session import Step

#: How long a text is compared.
_LONGEST = 5000
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?")


class Statements:
    """The statements in the inline code of a note, each judged where it stands.

    That is, after the block above it; where it does not hold then, after those below. What cannot
    be computed states nothing: it may be about something else.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        self.note = note
        #: Calls a function so that nothing in the note is changed by it; by default, just that.
        self.call: Caller = just_call
        #: What each came to, and whether that is right.
        self.found: dict[Said, tuple[bool, str]] = {}

    def turn_to(self, note: Note) -> None:
        """Take up a note that reads the same up to where this one was looked at."""
        self.note = note
        self.found = {
            said: found for said, found in self.found.items() if said in claims_of(note).said
        }

    def look(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Judge what stands between this block and the next, and what did not hold yet."""
        following = [b.fence.line for b in self.note.blocks if b.fence.line > block.fence.line]
        for said in claims_of(self.note).said:
            if self.found.get(said, (False, ""))[0]:
                continue
            if following and said.line > following[0]:
                continue
            with contextlib.suppress(Exception):  # whatever the code of a note does
                self.found[said] = self.judge(said, variables)

    def judge(self, said: Said, variables: Mapping[str, Any]) -> tuple[bool, str]:
        """Compute an expression, and compare it with what it is said to come to."""
        is_shape = said.shown.startswith("(")
        tell = partial(_told, but_arrays=is_shape)
        try:
            told: list[str] = computed(
                said.code, variables, tell, self.call, built_in=bool(said.shown)
            )
        except Exception as error:
            if not said.raises:
                raise
            kinds = [kind.__name__ for kind in type(error).__mro__]
            return said.shown in kinds, f"{kinds[0]}: {error}"
        if said.raises:
            return False, told[0]
        if said.shown in ("", "True", "False"):
            return told[-1] == (said.shown or "True") or said.shown in told, told[0]
        # That something is not 0 is no 1.
        return any(_same(said.shown, text) for text in told[:-1]), told[0]

    def judges(self, line: int, column: int) -> bool:
        """Tell whether a place lies in a statement that has been judged."""
        return any(said.holds(line, column) for said in self.found)

    def check(self) -> Iterator[Check]:
        """Tell of each whether it is so."""
        for said in claims_of(self.note).said:
            if said not in self.found:
                continue
            right, came = self.found[said]
            came = " ".join(came.split())[:200]
            verb = "raises" if said.raises else "is"
            what = f"{said.code} {verb} {said.shown}" if said.shown else said.code
            why = f"value of {said.code}: {came}" if right else f"{what}: it comes to {came}"
            yield Check("number", said.line, said.code, HOLDS if right else FAILS, why, said.column)


def _told(value: Any, *, but_arrays: bool = False) -> list[str]:
    """Write a value in the ways in which a note may show it; last, whether it holds."""
    if but_arrays and isinstance(value, np.ndarray):
        raise TypeError("its shape, which others judge")
    if callable(value) and not isinstance(value, type):
        raise TypeError("a function is no value")
    texts = [repr(value), str(value)]
    if isinstance(value, np.generic):
        # First, as it is told: without the name of its type.
        texts.insert(0, repr(value.item()))
    if isinstance(value, np.ndarray):
        texts.append(repr(value.tolist()))
    if isinstance(value, type):
        texts.append(value.__name__)
    try:
        texts.append(str(bool(np.all(value))))
    except Exception:
        texts.append("")  # nobody can say
    return [text[:_LONGEST] for text in texts]


def _same(shown: str, told: str) -> bool:
    if _NUMBER.fullmatch(shown) and _NUMBER.fullmatch(told):
        # A number of a sentence may leave out the point of a float that is whole.
        return agrees(shown, told) or float(shown) == float(told)
    if not compare(shown, told):
        return True
    with contextlib.suppress(Exception):
        return bool(ast.literal_eval(shown) == ast.literal_eval(told))
    return "".join(shown.split()) == "".join(told.split())
