"""Searches conditions of a bound: *none of them weighs more than 21 g*, *all lie above 5*.

A quantifier before the comparison says of how many elements it holds; without one, a label says of
which.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vaultkit.claims.comparisons import Spoken
from vaultkit.claims.stated import Stated
from vaultkit.edit.bind_beside import unit_or_noun
from vaultkit.edit.bind_compared import SCORE
from vaultkit.edit.families import Family
from vaultkit.edit.scope import Scope, only_natural
from vaultkit.edit.sentences import Candidate
from vaultkit.edit.wording import stems

#: The signs of the words that bound.
_SIGNS = {"more": ">", "less": "<", "at_least": ">=", "at_most": "<="}
#: How far the nearest element may be from a bound that is meant.
_NEAR = 0.5
#: The same if the sentence does not name the family.
_NEXT = 0.2
#: What is between a word that bounds and its number.
_NEXT_TO = re.compile(r"(?:\s(?:than\s)?)?")
#: Most characters between the word and its number.
_GAP = 8
_Reading = tuple[float, bool, Candidate]


def conditions(scope: Scope, spoken: Spoken) -> list[Candidate]:
    """Return the conditions for a word that bounds the number behind it."""
    if spoken.what not in _SIGNS:
        return []
    behind = (own for own, _ in scope.readings
              if own.start == spoken.start or 0 <= own.start - spoken.end <= _GAP)  # fmt: skip
    number = next(behind, None)
    if number is None or number.times or spoken.word == "up to":
        return []
    if not _NEXT_TO.fullmatch(scope.text[spoken.end : max(number.start, spoken.end)]):
        return []
    return only_natural(list(_bounded(scope, spoken, number)))


def _bounded(scope: Scope, spoken: Spoken, number: Stated) -> Iterator[_Reading]:
    """Yield for each family whether its elements are as a quantifier and a bound say."""
    quantifier = quantifier_before(scope, spoken)
    start, _ = scope.clause(spoken.start)
    sign = _SIGNS[spoken.what]
    unit = scope.dimensions_of(stems(unit_or_noun(scope.text, number)))
    for family in scope.families:
        if family.is_text:
            continue
        evidence = scope.evidence(spoken, family)
        known = scope.dimensions_of(family.names)
        if evidence is None or (unit and known and not unit & known):
            continue
        own = [one for one in scope.mentions(family) if start <= one.start < spoken.start]
        for scale in number.scales[:2]:
            limit = float(number.value * scale)
            nearest = min(abs(value - limit) for value in family.numbers)
            if not limit or nearest > _NEAR * abs(limit):
                continue
            if quantifier:
                if own or (not evidence and nearest > _NEXT * abs(limit)):
                    continue
                code = _quantified(family, quantifier, f"{sign} {limit:.12g}")
                is_so = _holds(family, quantifier, sign, limit)
                score = SCORE + 1 + evidence
            elif own and own[-1].is_text and not spoken.denied:
                element = family.elements[own[-1].index]
                value = float(element.value)
                if not evidence:
                    continue
                code = f"{element.code} {sign} {limit:.12g}"
                is_so = _compares(value, sign, limit)
                score = SCORE + 1 + evidence - element.cost
            else:
                continue
            if not code:
                continue
            yield evidence, is_so and scope.decides(spoken, code), Candidate(code, score, True)


def quantifier_before(scope: Scope, spoken: Spoken) -> str:
    """Return the name in the lexicon of a quantifier in the clause of a word, before it."""
    start, _ = scope.part(spoken.start)
    text = scope.text[start : spoken.start]
    found = [name for _, name in scope.page.words.find("quantifiers", text)]
    denied = [name for _, name in scope.page.words.find("counts", text) if name == "0"]
    if denied and found[-1:] not in (["all"], ["most"], ["not_all"]):
        return "none"
    return found[-1] if found else ""


def _compares(value: float, sign: str, limit: float) -> bool:
    return {
        ">": value > limit, "<": value < limit, ">=": value >= limit, "<=": value <= limit
    }[sign]  # fmt: skip


def _holds(family: Family, quantifier: str, sign: str, limit: float) -> bool:
    """Return whether as many elements are beyond a bound as a quantifier says."""
    met = [_compares(value, sign, limit) for value in family.numbers]
    share = sum(met) / len(met)
    return {
        "all": share == 1, "none": share == 0, "most": 0.5 < share < 1,
        "few": 0 < share < 0.5,
    }.get(quantifier, False)  # fmt: skip


def _quantified(family: Family, quantifier: str, condition: str) -> str:
    """Return the code of a statement about a share of the elements of a family."""
    if family.loop is None:
        return ""
    each, half = family.loop.that(condition), f"{len(family.elements)} / 2"
    if family.owner and family.count == len(family.elements):
        half = f"len({family.owner}) / 2"
    return {
        "all": f"all({each})", "none": f"not any({each})", "most": f"sum({each}) > {half}",
        "few": f"sum({each}) < {half}",
    }.get(quantifier, "")  # fmt: skip
