"""The check *sentence*: words that a comment binds to code agree with its value.

In ``twice<!-- = a / b -->``, the comment gives the value that the word before it states; in
``larger<!-- a > b -->``, a condition that it states. Both are a `Binding`.

The code is evaluated after the last block above it; if a name in it is not bound there, after the
first block below that binds all of its names. With trials, the note is run again with other
numbers; then it is known whether the words hold in general.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from vaultkit.checks.bound_keys import exchanged, other_key, other_place, other_quantity
from vaultkit.checks.check import FAILS, GENERAL, HERE, HOLDS, UNBOUND, Check, Fix
from vaultkit.checks.computed import Caller, call_directly, evaluate, sampled_values
from vaultkit.checks.literals import bound_names, why_unbound
from vaultkit.checks.origins import names_of_cases
from vaultkit.checks.shown import decimals_of, in_values, shortened
from vaultkit.checks.stated import judge_value, other_limit, stated_bound
from vaultkit.checks.values import as_plain_data, text_of, truth
from vaultkit.claims.bindings import Binding
from vaultkit.claims.claims import claims_of
from vaultkit.claims.comparisons import contradiction
from vaultkit.claims.expressions import free_names
from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.relations import relation
from vaultkit.read.expansion import Expanded
from vaultkit.read.note import Block, Note
from vaultkit.run.steps import Step
from vaultkit.tex import parse
from vaultkit.values import UnboundError, Verdict, judge

#: Most characters of a side of a condition in a message.
_LONGEST = 80
#: The name of the value of bound code beside the formula before it; no note has such a name.
_VALUE = "boundvalue"

#: Expressions with their values as text.
Facts = tuple[tuple[str, str], ...]


@dataclass
class JudgedWords:
    """Whether bound words hold, with the values of their variables and the results of trials."""

    holds: bool
    #: The failure; if it holds, the evidence.
    why: str
    #: The lines and columns of the bound numbers.
    places: tuple[tuple[int, int], ...] = ()
    #: The line and column of a number, its digits, and those of the value.
    rewrites: tuple[tuple[int, int, str, str], ...] = ()
    #: The numbers as the text has them, and as the code gives them, if one differs.
    now: tuple[tuple[str, str], ...] = ()
    #: Whether the code reads what a loop over cases has assigned (`names_of_cases`).
    of_cases: bool = False
    #: The code and its value in the digits of the page; of a comparison, those of its sides.
    facts: Facts = ()
    #: Samples of the variables in the code (`sampled_values`).
    samples: Mapping[str, Any] = field(default_factory=dict)
    #: The number of trials, and whether the words were false in one of them.
    tried: int = 0
    fails_elsewhere: bool = False
    #: The variables that were the same in all trials.
    same: set[str] = field(default_factory=set)

    @property
    def scope(self) -> str:
        """`GENERAL`, `HERE`, or empty if it was not tried on other numbers."""
        if self.fails_elsewhere or (self.tried and self.same):
            return HERE
        return GENERAL if self.tried else ""


class Bindings:
    """Judges the bound words of a note.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        self.note = note
        #: Calls a function of the note without lasting effects; by default, without protection.
        self.call: Caller = call_directly
        self.evaluate: Callable[..., Any] = evaluate
        self.judged: dict[Binding, JudgedWords] = {}
        #: The first of the names of a binding (by the alphabet) that no block has bound so far.
        self.unbound: dict[Binding, str] = {}

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note
        own = set(claims_of(note).bindings)
        self.judged = {binding: words for binding, words in self.judged.items() if binding in own}

    # All observers of a run have the same parameters.
    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Judge the words between this block and the next, and those whose names were not bound."""
        following = [b.fence.line for b in self.note.blocks if b.fence.line > block.fence.line]
        for binding in claims_of(self.note).bindings:
            is_of_later_block = following and binding.line > following[0]
            if binding in self.judged or is_of_later_block or not binding.source or binding.note:
                continue
            names = free_names(binding.tree)
            lacking = names - variables.keys() - vars(builtins).keys()
            if lacking:
                self.unbound[binding] = min(lacking)
                continue
            judged = self.judge(binding, variables)
            judged.samples = sampled_values(names, variables)
            if judged.now:
                run = [b for b in self.note.blocks if b.fence.line <= block.fence.line]
                judged.of_cases = not names.isdisjoint(names_of_cases(run))
            self.judged[binding] = judged

    def judge(self, binding: Binding, variables: Mapping[str, Any]) -> JudgedWords:
        """Evaluate the code of a binding, and compare its value with the words."""
        formula = judge_formula(binding, variables, self.note, self.call)
        decimals = decimals_of(self.note, binding.text)
        if formula and formula.holds:
            facts = ((binding.code, shortened(formula.right, decimals)),)
            return JudgedWords(True, f"value of {binding.code}: {formula.right}", facts=facts)
        has_variables = formula and any(not name.startswith(_VALUE) for name in formula.bound)
        if formula and has_variables:  # a formula that is only a number is judged as words are
            why = f"this formula is {formula.left}, but {binding.code} is {formula.right}"
            return JudgedWords(False, why if formula.left else formula.why)
        evaluate_here = partial(
            self.evaluate, variables=variables, describe=_described, call=self.call, built_in=True
        )
        try:
            value, text = evaluate_here(binding.source)
        except Exception as error:  # code of a note may raise anything
            why = f"{binding.code} cannot be evaluated: {type(error).__name__}: {error}"
            return JudgedWords(False, " ".join(why.split()))
        comparison = _comparison(binding.tree)
        sides = _sides(comparison, evaluate_here) if comparison else []
        told = {code: its for code, _, its, is_literal in sides if not is_literal}
        judged = judge_words(
            binding, value, text, ", ".join(f"{c} is {its}" for c, its in told.items())
        )
        if formula and not formula.evaluated and not judged.holds and not judged.places:
            judged = JudgedWords(False, f"the formula before it cannot be computed: {formula.why}")
        if judged.holds and (why := _is_about_another(binding, variables)):
            judged = JudgedWords(False, why, judged.places)
        shown = shortened(text[:_LONGEST], decimals)
        if comparison:
            shown = in_values(comparison, [side.value for side in sides], decimals)
        return replace(judged, facts=((binding.code, shown),))

    def judges(self, line: int, column: int) -> bool:
        """Return whether a comment binds the number at a place to code."""
        if any((line, column) in judged.places for judged in self.judged.values()):
            return True
        # `vaultkit.checks.cited` judges those that name a number of another note.
        of_others = (binding for binding in claims_of(self.note).bindings if binding.note)
        return any((other.line, other.column) == (line, column) for other in of_others)

    def names(self) -> set[str]:
        """Return the names in the code of all bindings."""
        return {name for b in self.judged if b.source for name in free_names(b.tree)}

    def compare(self, trial: Bindings) -> None:
        """Take over the results of a trial: a run on other numbers."""
        for binding, judged in self.judged.items():
            in_trial = trial.judged.get(binding)
            if not judged.holds or in_trial is None:
                continue
            same = {n for n, value in judged.samples.items() if in_trial.samples.get(n) == value}
            judged.same = judged.same & same if judged.tried else same
            judged.tried += 1
            judged.fails_elsewhere |= not in_trial.holds

    def check(self) -> Iterator[Check]:
        """Yield a check for each binding."""
        rewritten = self._rewritten_lines()
        for binding in claims_of(self.note).bindings:
            if binding.note:
                continue  # see `vaultkit.checks.cited`
            judged = self.judged.get(binding)
            if judged is None:
                yield self._check_without_verdict(binding)
                continue
            fix = rewritten.get(binding.line) if judged.rewrites and not judged.holds else None
            yield _check(
                binding, HOLDS if judged.holds else FAILS, judged.why,
                scope=judged.scope if judged.holds else "", fix=fix, now=judged.now,
                values=judged.facts, of_cases=judged.of_cases,
            )  # fmt: skip

    def _check_without_verdict(self, binding: Binding) -> Check:
        """Return the failure of a binding whose code is no Python, or has a name without value."""
        if binding.why:
            why = f"{binding.code or 'the comment'} cannot be read: {binding.why}"
            return _check(binding, FAILS, why)
        why = f"{binding.code}: {why_unbound(self.note.blocks, self.unbound.get(binding, ''))}"
        return _check(binding, FAILS, why, reason=UNBOUND)

    def _rewritten_lines(self) -> dict[int, Fix]:
        """Return the lines of false bindings, with the digits of the values in place of theirs.

        A notebook has none: its file does not have these lines.
        """
        if self.note.path.suffix == ".ipynb":
            return {}
        changes: dict[int, list[tuple[int, str, str]]] = {}
        for judged in self.judged.values():
            for line, column, old, new in () if judged.holds else judged.rewrites:
                changes.setdefault(line, []).append((column, old, new))
        fixes = {}
        for line, changes_of_line in changes.items():
            text = self.note.lines[line - 1]
            # From the end of the line, so that no change moves the place of another one.
            for column, old, new in sorted(changes_of_line, reverse=True):
                if text.startswith(old, column - 1):
                    text = text[: column - 1] + new + text[column - 1 + len(old) :]
            if text != self.note.lines[line - 1]:
                fixes[line] = Fix(line, line, (text,))
        return fixes


def _is_about_another(binding: Binding, variables: Mapping[str, Any]) -> str:
    """Return why the words are about something else than the code; empty if they are not."""
    if turned := exchanged(binding, variables):
        return f"the sentence is about “{turned}”, the other side of {binding.code}"
    other = other_key(binding, variables) or other_place(binding, variables)
    other = other or other_quantity(binding, variables)
    return f"“{other}” is not what {binding.code} is about" if other else ""


def judge_formula(
    binding: Binding, variables: Mapping[str, Any], note: Note, call: Caller = call_directly
) -> Verdict | None:
    """Judge whether the formula directly before a comment has the value of its code.

    Return None if the comment follows no such formula: one that has a relation states something
    itself. One with a name that the note does not bind is not evaluated.
    """
    if not binding.tex or not binding.is_value:
        return None
    equation = f"{Expanded(binding.tex, note.preamble).tex} = {_VALUE}"
    try:
        (statement,) = parse(equation, {*bound_names(note.blocks), _VALUE})
        value = evaluate(binding.source, variables, deepcopy, call, built_in=True)
        return judge(statement, {**variables, _VALUE: value}, call=call)
    except UnboundError as error:
        return Verdict(False, why_unbound(note.blocks, error.args[0]), evaluated=False)
    except Exception:  # code of a note may raise anything
        return None


def judge_words(binding: Binding, value: Any, text: str, sides: str = "") -> JudgedWords:
    """Judge whether the words before a comment agree with the value of its code.

    Parameters
    ----------
    binding
        The words and the code.
    value
        The value as plain data (`vaultkit.checks.values.as_plain_data`).
    text
        The value as text, for messages.
    sides
        The values of the sides of a comparison, for messages.
    """
    holds = truth(value)
    if holds is None and not binding.is_value:
        return JudgedWords(False, f"{binding.code} is {text}, which is neither true nor false")
    if holds is None:
        of_value = judge_value(binding, value, text)
        return JudgedWords(
            of_value.holds, of_value.why, of_value.places, of_value.rewrites, of_value.now
        )
    compared = sides and f": {sides}"
    if not holds:
        return JudgedWords(False, f"{binding.code} does not hold{compared}")
    words = lexicon(binding.language or "en")
    ahead, behind = binding.words[: binding.at], binding.words[binding.at :]
    if not ahead.strip():  # another comment is directly before this one
        ahead = binding.sentence
    if wrong := contradiction(ahead, relation(binding.tree), words, behind):
        why = f"“{wrong}” contradicts {binding.code}, which holds{compared}"
        return JudgedWords(False, why)
    bound = stated_bound(binding)
    if wrong_number := bound.wrong or other_limit(binding):
        why = f"“{wrong_number}” is not the number in {binding.code}"
        return JudgedWords(False, why, bound.places)
    return JudgedWords(True, f"{binding.code}{compared}", bound.places)


def _check(binding: Binding, outcome: str, why: str, **more: Any) -> Check:
    """Return the check of a binding; a failure begins with its words. ``more``: other fields."""
    what = binding.text
    message = f"{what}: {why}" if outcome == FAILS else why
    return Check("sentence", binding.line, what, outcome, message, binding.column, **more)


def _described(value: Any) -> tuple[Any, str]:
    """Return a value as plain data and as text."""
    return as_plain_data(value), text_of(value)


class _Side(NamedTuple):
    """A side of a comparison: its code, and its value as plain data and as text."""

    code: str
    value: Any
    text: str
    is_literal: bool


def _comparison(tree: ast.expr) -> ast.Compare | None:
    """Return the comparison that a condition is, perhaps negated; None if it is none."""
    while isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        tree = tree.operand
    return tree if isinstance(tree, ast.Compare) else None


def _sides(comparison: ast.Compare, evaluate_here: Callable[[str], tuple[Any, str]]) -> list[_Side]:
    """Return the sides of a comparison, but for those with long code or without a value.

    ``evaluate_here`` returns the value of code as plain data and as text.
    """
    sides = []
    for node in (comparison.left, *comparison.comparators):
        code = ast.unparse(node)
        if isinstance(node, ast.Constant):
            sides.append(_Side(code, as_plain_data(node.value), code, True))
        elif len(code) <= _LONGEST:
            with contextlib.suppress(Exception):  # code of a note may raise anything
                value, text = evaluate_here(code)
                sides.append(_Side(code, value, text[:_LONGEST], False))
    return sides
