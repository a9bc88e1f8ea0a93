"""The check *sentence*: words that a comment binds to code agree with its value.

The code is evaluated after the last block above it; if a name in it is not bound there, after the
first block below that binds all of its names.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from vaultkit.checks.bound_keys import exchanged, other_key, other_place, other_quantity
from vaultkit.checks.check import FAILS, GENERAL, HERE, HOLDS, UNBOUND, Check, Fix
from vaultkit.checks.computed import Caller, call_directly, evaluate
from vaultkit.checks.literals import bound_names
from vaultkit.checks.stated import Judged, judge_value, other_limit, stated_bound
from vaultkit.checks.values import as_plain_data, text_of, truth
from vaultkit.claims.bindings import Binding
from vaultkit.claims.claims import claims_of
from vaultkit.claims.comparisons import contradiction
from vaultkit.claims.expressions import free_names
from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.relations import relation
from vaultkit.read.expansion import Expanded
from vaultkit.read.note import Block, Note
from vaultkit.run.session import Step
from vaultkit.tex import parse
from vaultkit.values import Verdict as Judgement
from vaultkit.values import judge as judge_statement

#: Most characters of a side of a condition in a message.
_LONGEST = 80
#: The name of the value of bound code beside the formula before it.
_VALUE = "boundvalue"


@dataclass
class Verdict:
    """Whether bound words hold, with the values of their variables and the results of trials."""

    holds: bool
    why: str
    #: The places of the bound numbers.
    places: tuple[tuple[int, int], ...] = ()
    #: The place of a number, its digits, and those of the value.
    rewrites: tuple[tuple[int, int, str, str], ...] = ()
    #: The numbers as the text has them, and as the code gives them, if one differs.
    now: tuple[tuple[str, str], ...] = ()
    #: The expressions that the words are about, with their values.
    facts: tuple[tuple[str, str], ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
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
        self.found: dict[Binding, Verdict] = {}
        self.unbound: dict[Binding, str] = {}

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block observed."""
        self.note = note
        own = set(claims_of(note).bindings)
        self.found = {binding: found for binding, found in self.found.items() if binding in own}

    def observe(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Judge the words between this block and the next, and those whose names were not bound."""
        following = [b.fence.line for b in self.note.blocks if b.fence.line > block.fence.line]
        for binding in claims_of(self.note).bindings:
            late = following and binding.line > following[0]
            if binding in self.found or late or not binding.source or binding.note:
                continue
            names = free_names(binding.tree)
            lacking = names - variables.keys() - vars(builtins).keys()
            if lacking:
                self.unbound[binding] = min(lacking)
                continue
            verdict = self.judge(binding, variables)
            verdict.values = _sampled_values(names, variables)
            self.found[binding] = verdict

    def judge(self, binding: Binding, variables: Mapping[str, Any]) -> Verdict:
        """Evaluate the code of a binding, and compare its value with the words."""
        evaluate_here = partial(
            self.evaluate, variables=variables, describe=_described, call=self.call, built_in=True
        )
        formula = judge_formula(binding, variables, self.note, self.call)
        if formula and formula.holds:
            return Verdict(True, f"value of {binding.code}: {formula.right}")
        if formula and any(not one.startswith(_VALUE) for one in formula.bound):
            why = f"this formula is {formula.left}, but {binding.code} is {formula.right}"
            return Verdict(False, why if formula.left else formula.why)
        try:
            value, text = evaluate_here(binding.source)
        except Exception as error:  # code of a note may raise anything
            why = f"{binding.code} cannot be evaluated: {type(error).__name__}: {error}"
            return Verdict(False, " ".join(why.split()))
        sides = _values_of_sides(binding.tree, evaluate_here)
        facts = sides or ((binding.code, text[:_LONGEST]),)
        verdict = self._judge_words(binding, value, text, sides, variables)
        return replace(verdict, facts=facts)

    def _judge_words(
        self,
        binding: Binding,
        value: Any,
        text: str,
        sides: tuple[tuple[str, str], ...],
        variables: Mapping[str, Any],
    ) -> Verdict:
        """Judge the words before a comment by its value, and what they are about."""
        said = ", ".join(f"{code} is {its}" for code, its in sides)
        verdict = judge_words(binding, value, text, said)
        other = other_key(binding, variables) or other_place(binding, variables)
        other = other or other_quantity(binding, variables)
        if verdict.holds and (turned := exchanged(binding, variables)):
            why = f"the sentence is about “{turned}”, the other side of {binding.code}"
            return Verdict(False, why, verdict.places)
        if verdict.holds and other:
            return Verdict(False, f"“{other}” is not what {binding.code} is about", verdict.places)
        return verdict

    def judges(self, line: int, column: int) -> bool:
        """Return whether a comment binds the number at a place to code."""
        if any((line, column) in verdict.places for verdict in self.found.values()):
            return True
        of_others = (binding for binding in claims_of(self.note).bindings if binding.note)
        return any((other.line, other.column) == (line, column) for other in of_others)

    def names(self) -> set[str]:
        """Return the names in the code of all bindings."""
        return {name for b in self.found if b.source for name in free_names(b.tree)}

    def compare(self, other: Bindings) -> None:
        """Take over the results of a run on other numbers."""
        for binding, verdict in self.found.items():
            tried = other.found.get(binding)
            if not verdict.holds or tried is None:
                continue
            same = {n for n, value in verdict.values.items() if tried.values.get(n) == value}
            verdict.same = verdict.same & same if verdict.tried else same
            verdict.tried += 1
            verdict.fails_elsewhere |= not tried.holds

    def check(self) -> Iterator[Check]:
        """Yield a check for each binding."""
        rewritten = self._rewritten_lines()
        for binding in claims_of(self.note).bindings:
            if binding.note:
                continue  # see `vaultkit.checks.cited`
            at = binding.line, binding.text, binding.column
            verdict = self.found.get(binding)
            if verdict is None:
                why = (
                    binding.why and f"{binding.code or 'the comment'} cannot be read: {binding.why}"
                )
                name = self.unbound.get(binding, "anything")
                why = why or f"{binding.code}: no code of this note defines {name}"
                yield _check(*at, FAILS, why, reason="" if binding.why else UNBOUND)
                continue
            fix = rewritten.get(binding.line) if verdict.rewrites and not verdict.holds else None
            yield _check(
                *at, HOLDS if verdict.holds else FAILS, verdict.why,
                scope=verdict.scope if verdict.holds else "", fix=fix, now=verdict.now,
                values=verdict.facts,
            )  # fmt: skip

    def _rewritten_lines(self) -> dict[int, Fix]:
        """Return the lines with the digits of the values, by the lines of the bindings."""
        if self.note.path.suffix == ".ipynb":
            return {}
        changes: dict[int, list[tuple[int, str, str]]] = {}
        for verdict in self.found.values():
            for line, column, old, new in () if verdict.holds else verdict.rewrites:
                changes.setdefault(line, []).append((column, old, new))
        fixes = {}
        for line, own in changes.items():
            text = self.note.lines[line - 1]
            for column, old, new in sorted(own, reverse=True):
                if text.startswith(old, column - 1):
                    text = text[: column - 1] + new + text[column - 1 + len(old) :]
            if text != self.note.lines[line - 1]:
                fixes[line] = Fix(line, line, (text,))
        return fixes


def judge_formula(
    binding: Binding, variables: Mapping[str, Any], note: Note, call: Caller = call_directly
) -> Judgement | None:
    """Judge whether the formula directly before a comment has the value of its code.

    Return None if the comment follows no such formula: one that has a relation states something
    itself, and one with a name that the note does not bind has no value.
    """
    if not binding.tex or not binding.is_value:
        return None
    equation = f"{Expanded(binding.tex, note.preamble).tex} = {_VALUE}"
    try:
        (statement,) = parse(equation, {*bound_names(note.blocks), _VALUE})
        value = evaluate(binding.source, variables, deepcopy, call, built_in=True)
        return judge_statement(statement, {**variables, _VALUE: value}, call=call)
    except Exception:  # code of a note may raise anything
        return None


def judge_words(binding: Binding, value: Any, text: str, sides: str = "") -> Verdict:
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
        return Verdict(False, f"{binding.code} is {text}, which is neither true nor false")
    if holds is None:
        return _verdict(judge_value(binding, value, text))
    compared = sides and f": {sides}"
    if not holds:
        return Verdict(False, f"{binding.code} does not hold{compared}")
    words = lexicon(binding.language or "en")
    ahead = binding.words[: binding.at]
    ahead = ahead if ahead.strip() else binding.sentence
    wrong = contradiction(ahead, relation(binding.tree), words, binding.words[binding.at :])
    if wrong:
        return Verdict(False, f"“{wrong}” contradicts {binding.code}, which holds{compared}")
    bound = stated_bound(binding)
    if wrong_number := bound.wrong or other_limit(binding):
        why = f"“{wrong_number}” is not the number in {binding.code}"
        return Verdict(False, why, bound.places)
    return Verdict(True, f"{binding.code}{compared}", bound.places)


def _check(line: int, what: str, column: int, outcome: str, why: str, **more: Any) -> Check:
    message = f"{what}: {why}" if outcome == FAILS else why
    return Check("sentence", line, what, outcome, message, column, **more)


def _verdict(judged: Judged) -> Verdict:
    return Verdict(judged.holds, judged.why, judged.places, judged.rewrites, judged.now)


def _described(value: Any) -> tuple[Any, str]:
    return as_plain_data(value), text_of(value)


def _values_of_sides(tree: ast.expr, evaluate: Any) -> tuple[tuple[str, str], ...]:
    """Return the sides of a comparison that are no numbers, with their values."""
    while isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        tree = tree.operand
    if not isinstance(tree, ast.Compare):
        return ()
    found: dict[str, str] = {}
    for side in (tree.left, *tree.comparators):
        code = ast.unparse(side)
        if isinstance(side, ast.Constant) or len(code) > _LONGEST:
            continue
        with contextlib.suppress(Exception):
            _, text = evaluate(code)
            found[code] = text[:_LONGEST]
    return tuple(found.items())


def _sampled_values(names: set[str], variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return samples of the values of variables, to detect what trials change."""
    found: dict[str, Any] = {}
    for name in names & variables.keys():
        value = variables[name]
        if callable(value) or type(value).__name__ == "module":
            continue
        with contextlib.suppress(Exception):  # an object of the note may raise anything
            array = np.asarray(value)
            if array.dtype == object:
                found[name] = repr(value)[:2000]
            else:
                found[name] = array.shape, array.ravel()[:: array.size // 256 + 1].tolist()
    return found
