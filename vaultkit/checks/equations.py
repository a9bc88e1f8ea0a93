"""Judges the formulas of a note that state something, on the note's variables."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vaultkit.checks.check import (
    EXCEPTED,
    FAILS,
    GENERAL,
    HERE,
    HOLDS,
    UNBOUND,
    UNCOMPUTABLE,
    UNFIT,
    UNJUDGED,
    UNPROVEN,
    Check,
)
from vaultkit.checks.computed import Caller, call_directly
from vaultkit.checks.literals import bound_names
from vaultkit.checks.origins import find_origins
from vaultkit.claims.free import free_formulas
from vaultkit.claims.suppositions import NOT_STATED
from vaultkit.read.expansion import Expanded
from vaultkit.read.note import Block, Formula, Note
from vaultkit.run.session import Step
from vaultkit.tex import parse, parse_expression
from vaultkit.tex.tree import Membership, Node, TexError
from vaultkit.values import UnboundError, Verdict, is_law, judge, relates_names, shape_mismatch

#: Landau symbols before their arguments: O(n), o(1), Θ(n log n), Ω(n).
_GROWTH = re.compile(
    r"(?:(?<![A-Za-z\\_^])[Oo]|\\mathcal\s*\{\s*O\s*\}|\\mathcal\s+O|\\(?:Theta|[Oo]mega)(?![A-Za-z]))"
    r"\s*(?:\\left|\\[Bb]igg?l?)?\s*\("
)
_GROWS = "states a rate of growth, which numbers cannot confirm"
#: A side that is one name; and how far a rounded number may be from what a formula gives.
_LONE = re.compile(r"\s*\\?[A-Za-z]+(?:_(?:\w|\{[^{}]*\}))?\s*=")
_ROUNDED = 0.01
#: The value of a name.
_VALUE = re.compile(r"\s*\\?[A-Za-z]\w*(?:_\{.*\})?\s*(?:=|\\approx)\s*-?[\d.,{}]+\s*")

_Value = tuple[tuple[int, ...], list[Any]]


@dataclass
class Claim:
    """A statement of a formula, with its verdict."""

    formula: Formula
    statement: Node
    #: Returns the place in the TeX of a place in the formula whose commands are expanded.
    origin: Callable[[int], int] = int
    verdict: Verdict | None = None
    unbound: str = ""
    seconds: float = 0.0
    #: The integers that were bound when it was judged; shapes and samples of its variables.
    sizes: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, _Value] = field(default_factory=dict)
    #: The number of sets of other numbers on which it was judged, a set on which it failed, and the
    #: variables that were the same in all of them.
    tried: int = 0
    counterexample: str = ""
    pinned: Collection[str] = ()

    @property
    def is_law(self) -> bool:
        """Whether it is a general law; see `vaultkit.values.is_law`."""
        return is_law(self.statement)

    @property
    def fails(self) -> bool:
        """Whether it was judged, and does not hold."""
        return self.verdict is not None and not self.verdict.holds

    @property
    def scope(self) -> str:
        """`GENERAL`, `HERE`, or empty if it was not tried on other numbers."""
        if self.counterexample or (self.tried and self.pinned):
            return HERE
        return GENERAL if self.tried else ""

    @property
    def place(self) -> int:
        """The position of the fault in the TeX; if none is known, that of the statement."""
        start, end = self.verdict.span if self.verdict else (0, 0)
        return self.origin(start if end else self.statement.span[0])

    @property
    def kind(self) -> str:
        """``shape`` or ``equation``."""
        return "shape" if isinstance(self.statement, Membership) else "equation"


@dataclass
class Expression:
    """A formula without a relation, and the reason if its shapes do not fit."""

    formula: Formula
    tree: Node
    why: str = ""
    fits: bool = False


class Equations:
    """Judges the formulas of a note.

    A formula is judged after the last block above it; if a name in it is not bound there, after the
    first block below that binds all of its names.

    Parameters
    ----------
    note
        The note.
    macros
        The definitions of TeX commands of the vault.
    """

    def __init__(self, note: Note, macros: str = "") -> None:
        self.macros = macros
        #: Calls a function of the note without lasting effects; by default, without protection.
        self.call: Caller = call_directly
        self.claims: list[Claim] = []
        self.expressions: list[Expression] = []
        #: Names of whole numbers: those that may be sizes.
        self.sizes: set[str] = set()
        self.rebase(note)

    def rebase(self, note: Note) -> None:
        """Rebase onto the edited note: its text is the same up to the last block observed."""
        names, macros = bound_names(note.blocks), self.macros + note.preamble
        judged = {
            (claim.formula, claim.statement.span, claim.statement): claim
            for claim in self.claims
            if claim.verdict or claim.unbound
        }
        expressions = {expression.formula: expression for expression in self.expressions}
        self.note = note
        self.expressions = []
        self.claims, self.others = [], list[Check]()
        for formula in (*note.formulas, *note.untypeset_formulas):
            if formula.not_run:
                self.others.append(_check("equation", formula, EXCEPTED, formula.not_run))
                continue
            expanded = Expanded(formula.tex, macros)
            try:
                statements = parse(expanded.tex, names)
            except TexError as error:
                if "\\in" in formula.tex and _GROWTH.search(formula.tex):
                    self.others.append(_check("equation", formula, EXCEPTED, _GROWS))
                    continue
                why = f"{_quoted(formula)} cannot be read: {error}"
                self.others.append(
                    _check("equation", formula, UNJUDGED, why, expanded.origin(error.start or 0))
                )
            else:
                claims = [Claim(formula, statement, expanded.origin) for statement in statements]
                self.claims += [
                    judged.get((c.formula, c.statement.span, c.statement), c) for c in claims
                ]
                if not claims:
                    with contextlib.suppress(TexError):
                        expression = Expression(formula, parse_expression(expanded.tex, names))
                        self.expressions.append(expressions.get(formula, expression))

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Judge the claims between this block and the next one, and those above not judged yet."""
        sizes = {name: value for name, value in variables.items() if type(value) is int}
        self.sizes |= sizes.keys()
        following = [b.fence.line for b in self.note.blocks if b.fence.line > block.fence.line]
        for claim in self.claims:
            if claim.verdict is None and not (following and claim.formula.line > following[0]):
                began = time.perf_counter()
                claim.sizes = sizes
                try:
                    claim.verdict = judge(claim.statement, variables, call=self.call)
                except UnboundError as error:
                    claim.unbound = str(error.args[0])
                except Exception as error:  # whatever an object of the note does when looked at
                    why = f"{type(error).__name__}: {error}"
                    claim.verdict = Verdict(holds=False, why=why, evaluated=False)
                claim.values = _sampled_values(claim.verdict, variables)
                claim.seconds += time.perf_counter() - began

        for expression in self.expressions:
            if not expression.fits:
                # One of several bindings of these names is meant: the one whose shapes fit.
                with contextlib.suppress(UnboundError):
                    expression.why = shape_mismatch(expression.tree, variables, call=self.call)
                    expression.fits = not expression.why

    @property
    def none_can_be_judged(self) -> bool:
        """Whether the note has formulas, and none could be judged on its variables."""
        stated = self.claims or any(check.outcome == UNJUDGED for check in self.others)
        return bool(stated) and not self.are_judged

    @property
    def are_judged(self) -> bool:
        """Whether at least one could be judged."""
        return any(claim.verdict for claim in self.claims)

    def check(self) -> Iterator[Check]:
        """Yield a check for each claim, and for each formula that cannot be judged."""
        yield from self.others
        for expression in self.expressions:
            if expression.why:
                why = f"{_quoted(expression.formula)} cannot be computed: {expression.why}"
                yield _check("equation", expression.formula, FAILS, why)
        fails = any(claim.fails for claim in self.claims)
        free = free_formulas(self.note) if fails else {}
        for claim in self.claims:
            holds = bool(claim.verdict and claim.verdict.holds)
            pinned = claim.pinned if holds and claim.tried and not claim.counterexample else ()
            yield replace(
                _check(
                    claim.kind, claim.formula, *self._outcome_on_page(claim, free), at=claim.place
                ),
                seconds=claim.seconds,
                scope=claim.scope if holds else "",
                pinned=", ".join(sorted(pinned)),
                sides=_sides_in_words(claim.verdict)
                if claim.verdict and claim.kind == "equation"
                else "",
                reason=_reason(claim),
                sizes=_sizes(claim),
                is_law=claim.kind == "equation" and relates_names(claim.statement),
            )

    def _outcome_on_page(
        self, claim: Claim, free: Mapping[tuple[int, int], str]
    ) -> tuple[str, str]:
        """Return the outcome of a claim, and why; a value that is only supposed is not judged."""
        outcome, why = _outcome(claim, free)
        if outcome == FAILS and _VALUE.fullmatch(claim.formula.tex):
            before = self.note.lines[claim.formula.line - 1][: claim.formula.column - 1]
            clause = re.split(r"[.;:!?](?:\s|$)", before)[-1]
            outcome = UNJUDGED if NOT_STATED.search(clause) else FAILS
        if outcome == FAILS and claim.fails and self._is_about_data(claim):
            outcome = UNJUDGED
        return outcome, why

    def _is_about_data(self, claim: Claim) -> bool:
        """Return whether a statement is about data, a rounded number or a loop's last value."""
        assert claim.verdict
        names = [name.partition(" ")[0] for name in claim.verdict.bound]
        found = find_origins(self.note.blocks)
        if found.loops & set(names):
            return True
        if not names or not _LONE.match(claim.formula.tex):
            return False
        is_value = _VALUE.fullmatch(claim.formula.tex) is not None
        if names[0] in found.written:
            with contextlib.suppress(ValueError):
                left, right = float(claim.verdict.left), float(claim.verdict.right)
                decimals = len(claim.formula.tex.partition(".")[2].strip())
                off = 0.51 * 10.0**-decimals if is_value else _ROUNDED * abs(right)
                return abs(left - right) <= off
        # That a name has a certain value is about the name, wherever its value comes from.
        return names[0] in found.data and not is_value


def _outcome(claim: Claim, free: Mapping[tuple[int, int], str]) -> tuple[str, str]:
    """Return the outcome of a claim, and why.

    ``free`` has, by line and column, why a formula is not about the variables of the note.
    """
    formula, verdict = claim.formula, claim.verdict
    if verdict is None:
        if _GROWTH.search(formula.tex):
            return EXCEPTED, _GROWS
        what = f"no code of this note defines {claim.unbound or 'anything'}"
        return UNJUDGED, f"{_quoted(formula)}: {what}"
    if verdict.holds and claim.counterexample and claim.is_law and not formula.here:
        return FAILS, (
            f"{_quoted(formula)} holds for the numbers of this page, but not for others; "
            f"if that is meant, write <!-- here: reason --> after it\n  {claim.counterexample}"
        )
    if verdict.holds:
        return HOLDS, "; ".join(verdict.bound)
    if claim.kind == "equation" and (why := free.get((formula.line, formula.column))):
        return UNJUDGED, f"{_quoted(formula)} is not about the variables of this note: {why}"
    bound = f"\n  with {'; '.join(verdict.bound)}" if verdict.bound else ""
    outcome = FAILS if verdict.evaluated and not verdict.rounds else UNJUDGED
    hint = "\n  a rounded number is written behind \\approx" if verdict.rounds else ""
    what = "does not hold" if verdict.evaluated else "cannot be judged"
    return outcome, f"{_quoted(formula)} {what}\n  {verdict.why}{hint}{bound}"


def _reason(claim: Claim) -> str:
    """Return why a claim has no verdict; empty if it has one."""
    if claim.verdict is None:
        return UNBOUND
    if claim.verdict.unfit and _sizes(claim):
        return UNFIT
    return "" if claim.verdict.evaluated and not claim.verdict.unfit else UNCOMPUTABLE


def _sizes(claim: Claim) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return the shapes of the arrays in a claim whose sizes do not fit."""
    if claim.verdict is None or not claim.verdict.unfit:
        return ()
    return tuple((name, shape) for name, (shape, _) in claim.values.items() if shape)


def _sampled_values(verdict: Verdict | None, variables: Mapping[str, Any]) -> dict[str, _Value]:
    """Return shapes and samples of the variables of a claim, to detect what trials change."""
    values = {}
    for name in verdict.bound if verdict else ():
        name = name.partition(" ")[0]
        # Values that are not arrays are left out, as are objects of the note that raise an error.
        with contextlib.suppress(Exception):
            array = np.asarray(variables[name])
            values[name] = array.shape, array.ravel()[:: array.size // 256 + 1].tolist()
    return {n: value for n, value in values.items() if not callable(variables[n])}


def _sides_in_words(verdict: Verdict) -> str:
    """Describe the values of both sides of a statement that holds."""
    if not (verdict.holds and verdict.left and verdict.right):
        return ""
    by = f"differ by at most {verdict.difference:.2g}" if verdict.difference else "are equal"
    if verdict.left == verdict.right:
        return f"both sides {verdict.left}; they {by}"
    return f"left {verdict.left}, right {verdict.right}; they {by}"


def _check(kind: str, formula: Formula, outcome: str, why: str, at: int = 0) -> Check:
    """Return a check of a formula, at the line of the row that is wrong.

    ``at`` is a place in its TeX, in that row.
    """
    has_rows = formula.display and "\n" in formula.tex
    line = formula.line_at(at) if has_rows and outcome in UNPROVEN else formula.line
    column = formula.column if line == formula.line else 1
    return Check(kind, line, formula.tex, outcome, why, column)


def _quoted(formula: Formula) -> str:
    return f"${' '.join(formula.tex.split())}$"
