"""The checks *equation* and *shape*: judges what the formulas of a note state, on its variables.

A formula may state several things; each is a `Claim`. A claim is a *law* if it may hold for other
numbers, too (`vaultkit.values.is_law`). With trials (`vaultkit.checks.trials`), the note is run
again with other numbers; a trial in which a claim fails is its *counterexample*.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

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
from vaultkit.checks.computed import Caller, call_directly, sampled_values
from vaultkit.checks.literals import bound_names, why_unbound
from vaultkit.checks.origins import find_origins
from vaultkit.claims.free import free_formulas
from vaultkit.claims.suppositions import NOT_STATED
from vaultkit.read.expansion import Expanded
from vaultkit.read.note import Block, Formula, Note
from vaultkit.run.steps import Step
from vaultkit.tex import parse, parse_expression
from vaultkit.tex.tree import Membership, Node, TexError
from vaultkit.values import UnboundError, Verdict, is_law, judge, relates_names, shape_mismatch

#: Landau symbols before their arguments: ``O(n)``, ``\Theta(n \log n)``, ``\mathcal{O}(n)``.
_GROWTH = re.compile(
    r"""
    (?: (?<![A-Za-z\\_^])[Oo]
      | \\mathcal\s*\{\s*O\s*\} | \\mathcal\s+O
      | \\(?:Theta|[Oo]mega)(?![A-Za-z])
    )
    \s* (?:\\left|\\[Bb]igg?l?)? \s* \(
    """,
    re.VERBOSE,
)
_GROWS = "states a rate of growth, which numbers cannot confirm"
#: A left side that is one name, ``\alpha =``, ``d_{\text{model}} =``.
_NAME_ALONE = re.compile(r"\s*\\?[A-Za-z]+(?:_(?:\w|\{[^{}]*\}))?\s*=")
#: How far a rounded number in code may be from what a formula gives, as a share of it.
_ROUNDED = 0.01
#: The error of a number that is rounded in its last digit, in units of this digit; a little more
#: than a half, since binary numbers are not exact.
_HALF_DIGIT = 0.51
#: The value of a name, ``n = 12``, ``x_{i} \approx -0.5``.
_VALUE = re.compile(r"\s*\\?[A-Za-z]\w*(?:_\{.*\})?\s*(?:=|\\approx)\s*-?[\d.,{}]+\s*")

#: The shape of a variable and a sample of its elements (`sampled_values`).
_Value = tuple[tuple[int, ...], list[Any]]


@dataclass
class Claim:
    """A statement of a formula, with its verdict."""

    formula: Formula
    statement: Node
    #: Returns the place in the TeX of a place in the formula whose commands are expanded.
    origin: Callable[[int], int] = int
    #: None if it was not judged, since a name in it has no value.
    verdict: Verdict | None = None
    #: This name.
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
        is_known = end > 0  # the span of no fault is (0, 0)
        return self.origin(start if is_known else self.statement.span[0])

    @property
    def kind(self) -> str:
        """``shape`` or ``equation``."""
        return "shape" if isinstance(self.statement, Membership) else "equation"


@dataclass
class Expression:
    """A formula without a relation, ``X W``; it states only that it can be computed."""

    formula: Formula
    tree: Node
    #: Why the shapes of its arrays do not fit; empty if they do, or are not known.
    why: str = ""
    #: Whether they have fitted after some block.
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
        #: The checks of formulas that are not read.
        self.unread: list[Check] = []
        #: Names of whole numbers: those that may be sizes.
        self.sizes: set[str] = set()
        self.rebase(note)

    def rebase(self, note: Note) -> None:
        """Read the formulas of a note; keep what was judged, if they are the same as before.

        The text of the note is the same up to the last block observed.
        """
        names, macros = bound_names(note.blocks), self.macros + note.preamble
        judged = {
            (claim.formula, claim.statement.span, claim.statement): claim
            for claim in self.claims
            if claim.verdict or claim.unbound
        }
        expressions = {expression.formula: expression for expression in self.expressions}
        self.note = note
        self.expressions, self.claims, self.unread = [], [], []
        for formula in (*note.formulas, *note.untypeset_formulas):
            if formula.not_run:
                self.unread.append(_check("equation", formula, EXCEPTED, formula.not_run))
                continue
            expanded = Expanded(formula.tex, macros)
            try:
                statements = parse(expanded.tex, names)
            except TexError as error:
                self.unread.append(_check_of_unread(formula, error, expanded))
                continue
            claims = [Claim(formula, statement, expanded.origin) for statement in statements]
            self.claims += [
                judged.get((c.formula, c.statement.span, c.statement), c) for c in claims
            ]
            if not claims:
                with contextlib.suppress(TexError):
                    expression = Expression(formula, parse_expression(expanded.tex, names))
                    self.expressions.append(expressions.get(formula, expression))

    # All observers of a run have the same parameters.
    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Judge the claims between this block and the next one, and those above not judged yet."""
        sizes = {name: value for name, value in variables.items() if type(value) is int}
        self.sizes |= sizes.keys()
        following = [b.fence.line for b in self.note.blocks if b.fence.line > block.fence.line]
        for claim in self.claims:
            is_of_later_block = following and claim.formula.line > following[0]
            if claim.verdict is None and not is_of_later_block:
                claim.sizes = sizes
                self._judge(claim, variables)

        for expression in self.expressions:
            if not expression.fits:
                # One of several bindings of these names is meant: the one whose shapes fit.
                with contextlib.suppress(UnboundError):
                    expression.why = shape_mismatch(expression.tree, variables, call=self.call)
                    expression.fits = not expression.why

    def _judge(self, claim: Claim, variables: Mapping[str, Any]) -> None:
        """Judge a claim on the variables after a block, or note which of its names has no value."""
        began = time.perf_counter()
        try:
            claim.verdict = judge(claim.statement, variables, call=self.call)
        except UnboundError as error:
            claim.unbound = str(error.args[0])
        except Exception as error:  # whatever an object of the note does when it is read
            why = f"{type(error).__name__}: {error}"
            claim.verdict = Verdict(holds=False, why=why, evaluated=False)
        claim.values = sampled_values(_names_of(claim.verdict), variables)
        claim.seconds += time.perf_counter() - began

    @property
    def none_can_be_judged(self) -> bool:
        """Whether the note has formulas, and none could be judged on its variables."""
        are_stated = self.claims or any(check.outcome == UNJUDGED for check in self.unread)
        return bool(are_stated) and not self.are_judged

    @property
    def are_judged(self) -> bool:
        """Whether at least one formula could be judged."""
        return any(claim.verdict for claim in self.claims)

    def check(self) -> Iterator[Check]:
        """Yield a check for each claim, and for each formula that cannot be read or computed."""
        yield from self.unread
        for expression in self.expressions:
            if expression.why:
                why = f"{_quoted(expression.formula)} cannot be computed: {expression.why}"
                yield _check("equation", expression.formula, FAILS, why)
        fails = any(claim.fails for claim in self.claims)
        free = free_formulas(self.note) if fails else {}  # which takes long
        for claim in self.claims:
            outcome, why = self._outcome(claim, free.get(_position(claim.formula), ""))
            holds = bool(claim.verdict and claim.verdict.holds)
            is_equation = claim.kind == "equation"
            pinned = claim.pinned if holds and claim.tried and not claim.counterexample else ()
            yield replace(
                _check(claim.kind, claim.formula, outcome, why, at=claim.place),
                seconds=claim.seconds,
                scope=claim.scope if holds else "",
                pinned=", ".join(sorted(pinned)),
                sides=_sides_in_words(claim.verdict) if claim.verdict and is_equation else "",
                reason=_reason(claim),
                sizes=_sizes(claim),
                is_law=is_equation and relates_names(claim.statement),
            )

    def _outcome(self, claim: Claim, why_free: str) -> tuple[str, str]:
        """Return the outcome of a claim, and why.

        ``why_free`` is why the formula is not about the variables of the note, although they have
        its names; empty if it is about them.
        """
        formula, verdict, quoted = claim.formula, claim.verdict, _quoted(claim.formula)
        if verdict is None:
            if _GROWTH.search(formula.tex):
                return EXCEPTED, _GROWS
            return UNJUDGED, f"{quoted}: {why_unbound(self.note.blocks, claim.unbound)}"
        if verdict.holds and claim.counterexample and claim.is_law and not formula.here:
            return FAILS, (
                f"{quoted} holds for the numbers of this page, but not for others; "
                f"if that is meant, write <!-- here: reason --> after it\n  {claim.counterexample}"
            )
        if verdict.holds:
            return HOLDS, "; ".join(verdict.bound)
        if claim.kind == "equation" and why_free:
            return UNJUDGED, f"{quoted} is not about the variables of this note: {why_free}"
        what = "does not hold" if verdict.evaluated else "cannot be judged"
        hint = "\n  a rounded number is written behind \\approx" if verdict.rounds else ""
        values = f"\n  with {'; '.join(verdict.bound)}" if verdict.bound else ""
        is_sure = (
            verdict.evaluated
            and not verdict.rounds
            and not self._is_supposed(formula)
            and not self._is_about_data(formula, verdict)
        )
        return FAILS if is_sure else UNJUDGED, f"{quoted} {what}\n  {verdict.why}{hint}{values}"

    def _is_supposed(self, formula: Formula) -> bool:
        """Return whether a formula is a value that its sentence does not state: *if $n = 3$*."""
        if not _VALUE.fullmatch(formula.tex):
            return False
        before = self.note.lines[formula.line - 1][: formula.column - 1]
        clause = re.split(r"[.;:!?](?:\s|$)", before)[-1]
        return NOT_STATED.search(clause) is not None

    def _is_about_data(self, formula: Formula, verdict: Verdict) -> bool:
        """Return whether a false statement is about data, a rounded number or a loop's last value.

        - After a loop over ``n``, a formula may be about any n.
        - The code has ``g = 9.81``, and the formula computes 9.807: the code is rounded.
        - The code has measured data, ``T = [...]``, and ``T = a + b t`` is only their model.
        """
        names = _names_of(verdict)
        origins = find_origins(self.note.blocks)
        if origins.loops & set(names):
            return True
        if not names or not _NAME_ALONE.match(formula.tex):
            return False
        is_value = _VALUE.fullmatch(formula.tex) is not None
        if names[0] in origins.written:
            with contextlib.suppress(ValueError):  # the sides are texts, of numbers or arrays
                left, right = float(verdict.left), float(verdict.right)
                decimals = len(formula.tex.partition(".")[2].strip())
                error = _HALF_DIGIT * 10.0**-decimals if is_value else _ROUNDED * abs(right)
                return abs(left - right) <= error
        # That a name has a certain value is about the name, wherever its value comes from.
        return names[0] in origins.data and not is_value


def _position(formula: Formula) -> tuple[int, int]:
    """Return the line and column of a formula."""
    return formula.line, formula.column


def _names_of(verdict: Verdict | None) -> list[str]:
    """Return the variables on which a claim was judged; `Verdict.bound` has their shapes, too."""
    return [name.partition(" ")[0] for name in verdict.bound] if verdict else []


def _check_of_unread(formula: Formula, error: TexError, expanded: Expanded) -> Check:
    """Return the check of a formula that cannot be parsed."""
    if "\\in" in formula.tex and _GROWTH.search(formula.tex):  # f \in O(n)
        return _check("equation", formula, EXCEPTED, _GROWS)
    why = f"{_quoted(formula)} cannot be read: {error}"
    return _check("equation", formula, UNJUDGED, why, expanded.origin(error.start or 0))


def _reason(claim: Claim) -> str:
    """Return why a claim could not be computed; empty if it could."""
    if claim.verdict is None:
        return UNBOUND
    if claim.verdict.unfit:
        return UNFIT if _sizes(claim) else UNCOMPUTABLE
    return "" if claim.verdict.evaluated else UNCOMPUTABLE


def _sizes(claim: Claim) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return the shapes of the arrays in a claim whose sizes do not fit; none for other claims."""
    if claim.verdict is None or not claim.verdict.unfit:
        return ()
    return tuple((name, shape) for name, (shape, _) in claim.values.items() if shape)


def _sides_in_words(verdict: Verdict) -> str:
    """Describe the values of both sides of a statement that holds; empty for another one.

    For example, *left 0.25, right 0.2501; they differ by at most 0.0001*.
    """
    if not (verdict.holds and verdict.left and verdict.right):
        return ""
    they = f"differ by at most {verdict.difference:.2g}" if verdict.difference else "are equal"
    if verdict.left == verdict.right:
        return f"both sides {verdict.left}; they {they}"
    return f"left {verdict.left}, right {verdict.right}; they {they}"


def _check(kind: str, formula: Formula, outcome: str, why: str, at: int = 0) -> Check:
    """Return a check of a formula, at the line of the row that is wrong.

    ``at`` is a place in its TeX, in that row. In a row below the first one, the column is 1.
    """
    has_rows = formula.display and "\n" in formula.tex
    line = formula.line_at(at) if has_rows and outcome in UNPROVEN else formula.line
    column = formula.column if line == formula.line else 1
    return Check(kind, line, formula.tex, outcome, why, column)


def _quoted(formula: Formula) -> str:
    """Return a formula as a message has it: between dollars, on one line."""
    return f"${' '.join(formula.tex.split())}$"
