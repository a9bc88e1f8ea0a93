"""The check *prediction*: a question has an answer, and its wrong answers are wrong.

A prediction is a callout above a block that asks for a part of the block's output; a *distractor*
is one of the wrong answers that the callout lists.
The note does not contain the right answer: it is the part of the checked output that the question
asks for. Each wrong answer is an expression, evaluated on the variables after the block; its value
must differ from the right answer in the digits that the output shows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaultkit.checks.check import FAILS, HOLDS, Check
from vaultkit.checks.computed import Caller, call_directly, evaluate_unchecked
from vaultkit.checks.outputs import NUMBER
from vaultkit.read.note import Block, Note
from vaultkit.read.predictions import ORDINALS, PARTS, Distractor, Prediction
from vaultkit.run.steps import Step

#: Most words and numbers of an answer that a reader would type.
_LONGEST = 64
#: Patterns of the parts of an output that a question may ask for; other parts are whole lines.
_PATTERNS = {
    "row": re.compile(r"\[[^\[\]]*\]"),
    "shape": re.compile(r"\((?:\s*\d+\s*,)*(?:\s*\d+)?\s*\)"),
    "number": NUMBER,
}
#: The comma in ``98,304``.
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
#: Tolerance of a float such as `3.`, which NumPy prints if it is whole to eight digits.
_WHOLE = 5e-9
_POWER = re.compile(r"\d[eE]")
#: A word or number of an answer.
_PIECE = re.compile(r"[^\s,;:=%()\[\]{}'\"]+")

#: The words and numbers of an answer.
Tokens = tuple[float | str, ...]


@dataclass(frozen=True)
class Answer:
    """The right answer: the words and numbers of an output, and the tolerance of each of them.

    A number is right within half a unit of the last digit shown. The number with most digits
    decides for a whole row, since NumPy leaves out zeros at the end. An integer must be equal.
    """

    tokens: Tokens
    tolerances: tuple[float, ...]

    def equals(self, tokens: Tokens) -> bool:
        """Return whether other tokens are equal within the tolerances."""
        return len(tokens) == len(self.tokens) and all(
            map(_are_near, self.tokens, tokens, self.tolerances)
        )


def _are_near(own: float | str, other: float | str, tolerance: float) -> bool:
    """Return whether two words are equal, or two numbers within a tolerance.

    >>> _are_near(0.25, 0.252, 0.005), _are_near(0.25, 0.26, 0.005), _are_near("true", "true", 0.0)
    (True, False, True)
    """
    if isinstance(own, str) or isinstance(other, str):
        return own == other
    if not math.isfinite(own):
        return own == other or (math.isnan(own) and math.isnan(other))
    return abs(own - other) <= tolerance * (1 + 1e-9)


def answer_tokens(text: str, part: str) -> Tokens:
    """Return the words and numbers of an answer, which is the ``part`` of an output asked for.

    >>> answer_tokens("[0.5 1.]", "row"), answer_tokens("98,304", "number")
    ((0.5, 1.0), (98304.0,))
    """
    return tuple(
        float(piece) if NUMBER.fullmatch(piece) else piece.casefold()
        for piece in _pieces(text, part)
    )


def _pieces(text: str, part: str) -> list[str]:
    """Return the texts of the words and numbers of an answer.

    In a row or shape, a comma separates numbers: ``(1,024)`` has two.
    """
    if part in ("number", "line", "output"):
        text = _THOUSANDS.sub("", text)
    return _PIECE.findall(text)


def right_answer(prediction: Prediction, output: str) -> Answer:
    """Return the part of an output that a question asks for.

    Raises
    ------
    ValueError
        If there is no such part, or several and the title does not say which (``which``, an index);
        or if it is too long.
    """
    part, text = prediction.part, output.rstrip()
    pattern = _PATTERNS.get(part)
    if pattern:
        text = _THOUSANDS.sub("", text) if part == "number" else text
        found = [match[0] for match in pattern.finditer(text)]
    else:
        found = [text] if part == "output" else [line for line in text.split("\n") if line.strip()]
    try:
        if prediction.which is None and len(found) != 1:
            raise IndexError
        chosen = found[prediction.which or 0]
    except IndexError:
        many = f"{len(found)} {part}s" if len(found) != 1 else f"one {part}"
        words = ", ".join(word.strip() for word in ORDINALS if word)
        raise ValueError(f"the output holds {many}; the title says which: {words}") from None
    pieces = _pieces(chosen, part)
    is_empty_shape = chosen == "()"
    if not 0 < len(pieces) <= _LONGEST and not is_empty_shape:
        raise ValueError(f"{len(pieces)} words and numbers are too many to type")
    return Answer(answer_tokens(chosen, part), tuple(_tolerances(pieces, prediction.decimals)))


def _tolerances(pieces: Sequence[str], decimals: int | None) -> Iterator[float]:
    """Yield the tolerance of each word or number; 0 for words and integers.

    ``decimals`` are those that the question asks for, if fewer than the output shows are enough.
    """
    asked = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    half_units = [_half_unit(piece) for piece in pieces]
    plain = (
        unit for piece, unit in zip(pieces, half_units, strict=True) if not _POWER.search(piece)
    )
    # NumPy leaves out zeros at the end: the number with most decimals has the unit of all.
    shared = min(filter(None, plain), default=_WHOLE)
    for piece, unit in zip(pieces, half_units, strict=True):
        is_float = "." in piece and NUMBER.fullmatch(piece)
        own = shared if is_float and not _POWER.search(piece) else unit
        yield max(own, asked) if own else own


def _half_unit(piece: str) -> float:
    """Return half a unit in the last decimal of a number; 0 if it has no decimals.

    >>> _half_unit("0.25"), _half_unit("2e-3"), _half_unit("7"), _half_unit("nan")
    (0.005, 0.0005, 0.0, 0.0)
    """
    digits, _, power = piece.lower().partition("e")
    decimals = len(digits.partition(".")[2])
    is_finite = NUMBER.fullmatch(piece) and "n" not in digits  # neither nan nor inf
    if not is_finite or not (decimals or power):
        return 0.0
    return float(0.5 * 10.0 ** (int(power or 0) - decimals))


def as_typed(value: object) -> str:
    """Return the value of an expression as a reader would type it, with all its digits.

    >>> as_typed(np.array([0.5, 1 / 3])), as_typed((6,)), as_typed(np.float64(2)), as_typed(True)
    ('[0.5, 0.3333333333]', '(6,)', '2', 'True')
    """
    match value:
        case np.ndarray() | np.generic():
            return as_typed(value.tolist())
        case bool() | str():
            return str(value)
        case float():
            return f"{value:.10g}"
        case [*items]:
            inner = ", ".join(as_typed(item) for item in items)
            comma = "," if isinstance(value, tuple) and len(items) == 1 else ""
            return f"({inner}{comma})" if isinstance(value, tuple) else f"[{inner}]"
    return str(value)


class Predictions:
    """Judges the questions of a note, each on the variables after the block below it.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        self.note = note
        #: Calls a function of the note without lasting effects; by default, without protection.
        self.call: Caller = call_directly
        #: The checks of each question that has been judged, by its line.
        self.found: dict[int, list[Check]] = {}

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Judge the question above a block."""
        for prediction in self.note.predictions:
            if prediction.below == block.fence.line:
                self.found[prediction.line] = list(self.judge(prediction, block, variables))

    def check(self) -> Iterator[Check]:
        """Yield a check of each question and of each of its wrong answers."""
        for prediction in self.note.predictions:
            why = "no block of code that runs is directly below, or first in a callout there"
            yield from self.found.get(prediction.line, [_check(prediction, FAILS, why)])

    def judge(
        self, prediction: Prediction, block: Block, variables: Mapping[str, Any]
    ) -> Iterator[Check]:
        """Yield the checks of a question and of its wrong answers.

        ``block`` is the block below it, and ``variables`` are those after the block.
        """
        if missing := _missing_part(prediction, block):
            yield _check(prediction, FAILS, missing)
            return
        assert block.output
        try:
            right = right_answer(prediction, block.output.text)
        except ValueError as error:
            yield _check(prediction, FAILS, str(error))
            return
        yield _check(prediction, HOLDS, f"the output at line {block.output.line} answers it")
        others: list[Tokens] = []
        for wrong in prediction.distractors:
            try:
                text = self.value_as_text(wrong, prediction.part, variables)
                given = answer_tokens(text, prediction.part)
                if right.equals(given):
                    raise ValueError(f"its value {text} is the right answer")
                if any(Answer(other, right.tolerances).equals(given) for other in others):
                    raise ValueError(f"its value {text} is that of another wrong answer")
            except ValueError as error:
                yield Check("distractor", wrong.line, wrong.code, FAILS, str(error), wrong.column)
            else:
                others.append(given)
                yield Check("distractor", wrong.line, wrong.code, HOLDS, text, wrong.column)

    def value_as_text(self, wrong: Distractor, part: str, variables: Mapping[str, Any]) -> str:
        """Return the value of a wrong answer's expression as text.

        Raises
        ------
        ValueError
            If it raises an error, or its value is not of the kind asked for.
        """
        if not wrong.code or not wrong.why:
            raise ValueError("a wrong answer is written `expression`: what is wrong with it")
        try:
            text = str(evaluate_unchecked(wrong.code, variables, as_typed, self.call))
        except Exception as error:  # code of a note may raise anything
            raise ValueError(f"it cannot be computed: {type(error).__name__}: {error}") from error
        tokens = answer_tokens(text, part)
        match part:
            case "number":
                is_of_kind = len(tokens) == 1 and isinstance(tokens[0], float)
            case "shape":
                is_of_kind = bool(_PATTERNS["shape"].fullmatch(text))
            case "row":  # a tuple is a row, too
                in_brackets = text.replace("(", "[").replace(")", "]")
                is_of_kind = bool(_PATTERNS["row"].fullmatch(in_brackets))
            case _:
                is_of_kind = True
        if not is_of_kind or len(tokens) > _LONGEST:
            raise ValueError(f"its value {text[:200]} is not a {part}")
        return text


def _missing_part(prediction: Prediction, block: Block) -> str:
    """Return what a prediction lacks; empty if it is complete."""
    if not prediction.part:
        words = "|".join(word.strip() for word in ORDINALS if word)
        return (
            f"{prediction.title!r} does not say what is asked for: "
            f"write Predict, or Predict the [{words}] {'|'.join(PARTS)}"
        )
    if not prediction.question:
        return "it asks nothing"
    if not prediction.distractors:
        return "it has no wrong answer: a list item such as - `A.T @ B`: the wrong factor"
    return "" if block.output else "the block right below shows no output"


def _check(prediction: Prediction, outcome: str, why: str) -> Check:
    """Return the check of a question, which is called by its title and text."""
    what = f"{prediction.title}: {' '.join(prediction.question.split())}"
    return Check("prediction", prediction.line, what, outcome, why)
