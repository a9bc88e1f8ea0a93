"""The values that agree with a number and the words around it: *about twice*, *at least 5*, *none*.

Unlike `vaultkit.claims.quantities`, this module takes every number, however small, since its
callers know what the number is said of.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache

from vaultkit.claims.amounts import as_float
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.numbers import Number, read_numbers

#: How far a value may be from a multiple or a fraction in words with *about*, as a share of it.
_ROUGH = Fraction(3, 20)
#: How far a value may be below a number with *almost*, as a share of it.
_ALMOST = Fraction(3, 20)
#: Most characters before and behind a number in which words say something of it.
_NEAR = 60
_ZERO = Fraction(0)


@dataclass(frozen=True)
class Range:
    """The values from ``low`` to ``high`` that agree with a text; None is no bound."""

    low: Fraction | None
    high: Fraction | None
    #: Whether the bounds themselves do not agree.
    strict: bool = False

    def holds(self, value: Fraction) -> bool:
        """Return whether a value is in the range, apart from rounding errors."""
        if self._is_far(value):
            return False
        largest = max(abs(bound) for bound in (value, self.low, self.high) if bound is not None)
        rounding = largest / 10**9
        slack = -rounding if self.strict else rounding  # a strict bound must be exceeded
        is_above = self.low is None or value >= self.low - slack
        return is_above and (self.high is None or value <= self.high + slack)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The bounds as floats, which may be infinite."""
        low = -math.inf if self.low is None else as_float(self.low)
        return low, math.inf if self.high is None else as_float(self.high)

    def _is_far(self, value: Fraction) -> bool:
        """Return whether a value is clearly out of the range, by floats, which are faster."""
        low, high = self.bounds
        about = as_float(value)
        slack = 1e-8 * max((abs(x) for x in (about, low, high) if math.isfinite(x)), default=0.0)
        return about < low - slack or about > high + slack

    def scaled(self, factor: Fraction, add: int = 0) -> Range:
        """Return the range of the values times ``factor``, plus ``add``."""
        low, high = (None if b is None else b * factor + add for b in (self.low, self.high))
        return replace(self, low=low, high=high) if factor > 0 else Range(high, low, self.strict)


@dataclass(frozen=True)
class Stated:
    """A number that words state.

    Attributes
    ----------
    start, end
        Its place in the text.
    text
        The words themselves.
    ranges
        The values that agree with it, which may be in any of these.
    digits
        Its digits, if it is a plain number in digits; else empty.
    value
        The number itself, without its unit.
    bounds
        Whether the words before it make it a bound: *less than 5*.
    scales
        The factors of its unit: 1, and 1/100 for a percentage, whose value may be either.
    """

    start: int
    end: int
    text: str
    ranges: tuple[Range, ...]
    digits: str = ""
    scales: tuple[Fraction, ...] = (Fraction(1),)
    value: Fraction = Fraction(0)
    bounds: bool = False
    #: Whether it is a multiple or a part: *twice*, *3 times*, *a third*.
    times: bool = False
    #: What the words around it say of its sign: ``up``, ``down`` or ``apart`` of a change,
    #: ``minus``; else empty.
    sign: str = ""

    def agrees(self, value: Fraction) -> bool:
        """Return whether a value agrees with the words."""
        return any(range_.holds(value) for range_ in self.ranges)


def numbers(text: str, ends: int, words: Lexicon, *, in_percent: bool = False) -> list[Stated]:
    """Return the numbers of ``text[:ends]``, in order.

    What follows may say the sign of the last one: *2 below zero*. With ``in_percent``, the value of
    *0.4 %* may be 0.4.

    Examples
    --------
    >>> from vaultkit.claims.lexicon import lexicon
    >>> text = "It falls by 0.25, about twice as much, in five steps."
    >>> [text[s.start : s.end] for s in numbers(text, len(text), lexicon())]
    ['0.25', 'twice', 'five']
    """
    from_zero = _Patterns.for_lexicon(words).from_zero
    # The *zero* of *below zero* is no number of its own.
    plain = from_zero.sub(lambda own: "\ufffc" * len(own[0]), text[:ends])
    candidates = sorted(read_numbers(plain, words), key=lambda one: (one.start, -one.end))
    # Of overlapping numbers, the first and longest; but *third* is both a part and an ordinal.
    chosen: list[Number] = []
    for number in candidates:
        is_apart = not chosen or number.start >= chosen[-1].end
        if is_apart or (number.start, number.end) == (chosen[-1].start, chosen[-1].end):
            chosen.append(number)
    stated: list[Stated] = []
    for number in chosen:
        if number.is_percent and abs(number.value) < 1 and not in_percent:
            number = replace(number, scales=number.scales[1:])
        in_context = _values_in_context(text, number, words)
        if stated and stated[-1].start == in_context.start:
            in_context = replace(in_context, ranges=stated.pop().ranges + in_context.ranges)
        stated.append(in_context)
    return stated


class _Patterns:
    """The patterns of a language, by what they match.

    ``modes`` are the words right before a number that say how exact it is, by the lists of the
    table *before*; ``signs_before`` and ``signs_behind``, those that say its sign, by the lists of
    the table *signs*: *falls by 3*, *3 cm lower*.
    """

    def __init__(self, words: Lexicon) -> None:
        pattern = words.pattern
        self.from_zero = re.compile(rf"(?<=\w\s){pattern('grammar', 'from_zero')}")
        self.minus = re.compile(rf"{pattern('before', 'minus')}\s$", re.IGNORECASE)
        # *As many as the five* is no bound.
        articles = pattern("roles", "articles_of_any")
        # *Adds up to* is no bound.
        self.sums = re.compile(
            rf"(?<![\w-]){pattern('grammar', 'adding')}\sup\sto\s*$", re.IGNORECASE
        )
        self.articles = re.compile(rf"(?:(?<!\w){articles}\s+)$", re.IGNORECASE)
        self.modes = {
            name: re.compile(rf"(?<![\w-])(?P<words>{pattern('before', name)})\s*$", re.IGNORECASE)
            for name in words.words["before"]
        }
        self.any_mode = re.compile(rf"(?<![\w-]){pattern('before')}\s*$", re.IGNORECASE)
        about = rf"(?:{pattern('before', 'about', 'almost', 'exactly')}\s+)?(?:an?\s+)?"
        by = r"(?:\s+(?:[\w’'-]+\s+){0,4}?(?:by|of))?\s+"
        behind = r"[\s\W]*(?:[\w²³°%/]+\s+){0,2}?"
        signs = {name: pattern("signs", name) for name in ("apart", "down", "up")}
        self.signs_before = {
            name: re.compile(rf"(?<![\w-]){own}{by}{about}$", re.IGNORECASE)
            for name, own in signs.items()
        }
        self.signs_behind = {
            name: re.compile(rf"{behind}{own}(?![\w-])", re.IGNORECASE)
            for name, own in signs.items()
        }
        any_sign = "|".join(signs.values())
        self.any_sign = re.compile(rf"(?<!\w)(?:{any_sign})(?![\w-])", re.IGNORECASE)

    @staticmethod
    @cache
    def for_lexicon(words: Lexicon) -> _Patterns:
        """Return the patterns of a language, which are compiled once."""
        return _Patterns(words)


def _values_in_context(text: str, number: Number, words: Lexicon) -> Stated:
    """Return the values that agree with a number, given the words around it."""
    before = text[max(0, number.start - _NEAR) : number.start]
    behind = text[number.end : number.end + _NEAR]
    ranges = [own for scale in number.scales for own in _ranges(number, before, scale, words)]
    sign = _sign(before, behind, words)
    if _Patterns.for_lexicon(words).minus.search(before):
        ranges = [own.scaled(Fraction(-1)) for own in ranges]
        sign = sign or "minus"
    if sign in ("down", "apart"):
        # The difference may be taken either way.
        ranges += [own.scaled(Fraction(-1)) for own in ranges]
    if sign in ("down", "up") and (number.is_percent or (number.is_share and number.value < 1)):
        # *12 % less* is a change of −0.12, or a ratio of 0.88.
        factor = number.scales[-1] * (-1 if sign == "down" else 1)
        ranges += [own.scaled(factor, 1) for own in _ranges(number, before, Fraction(1), words)]
    if sign == "down" and number.is_multiple and number.value:
        # *Three times smaller* is a ratio of a third.
        inverse = replace(number, value=1 / number.value, half=number.half / number.value**2)
        ranges += _ranges(inverse, before, Fraction(1), words)
    exactness = _words_of_exactness(before, words)
    return Stated(
        number.start,
        number.end,
        text[number.start : number.end],
        tuple(ranges),
        number.digits,
        number.scales,
        number.value,
        bounds=not exactness.keys().isdisjoint({"over", "under", "at_least", "at_most"}),
        times=number.is_multiple or number.is_share,
        sign=sign,
    )


def _ranges(number: Number, before: str, scale: Fraction, words: Lexicon) -> list[Range]:
    """Return the ranges that a number may mean, by the words before it: *about*, *at least*.

    ``scale`` is one of the factors of its unit.
    """
    value, half = number.value * scale, number.half * scale
    exactness = _words_of_exactness(before, words)
    stated = Range(value - half, value + half)
    if "exactly" in exactness:
        half = half if number.digits and not number.is_whole else _ZERO
        return [Range(value - half, value + half)]
    if "about" in exactness:
        if number.is_share:
            half = abs(value) * _ROUGH
        elif "." not in number.digits:
            # *About 1200* may be rounded to hundreds.
            half_of_last_digit = Fraction(10 ** _final_zeros(number.value), 2) * scale
            half = max(scale / 2, min(half_of_last_digit, abs(value) * _ROUGH))
        stated = Range(value - half, value + half)
    for name, bounded in (
        ("over", Range(value, None, strict=True)),
        ("under", Range(None, value, strict=True)),
        ("at_least", Range(value, None)),
        ("at_most", Range(None, value)),
        ("almost", Range(value - abs(value) * _ALMOST, value)),
    ):
        if name in exactness:
            # *Over five steps* and *within 5 m* need not be bounds.
            return [bounded, stated] if exactness[name] in _PLACES else [bounded]
    return [stated]


def _final_zeros(value: Fraction) -> int:
    """Return the number of zeros at the end of an integer: 2 for 1200."""
    digits = str(abs(value))
    return len(digits) - len(digits.rstrip("0"))


#: Words that are bounds or name a place or time.
_PLACES = {"over", "under", "above", "below", "up to", "within", "beyond"}


@lru_cache(256)  # each scale of a number asks
def _words_of_exactness(before: str, words: Lexicon) -> Mapping[str, str]:
    """Return the words right before a number that say how exact it is, by their list.

    Before *3* in *no more than 3*, they are ``{"at_most": "no more than"}``.
    """
    phrases: dict[str, str] = {}
    patterns = _Patterns.for_lexicon(words)
    without_article = patterns.articles.sub("", before)
    if not patterns.any_mode.search(without_article) or patterns.sums.search(without_article):
        return phrases
    for name, pattern in patterns.modes.items():
        if match := pattern.search(without_article):
            phrases[name] = " ".join(match["words"].lower().split())
    # The longer phrase counts: *no more than*, not *more than*.
    longest = max(map(len, phrases.values()), default=0)
    return {name: phrase for name, phrase in phrases.items() if len(phrase) == longest}


def _sign(before: str, behind: str, words: Lexicon) -> str:
    """Return what the words around a number say of its sign: ``down``, ``up`` or ``apart``.

    It is empty if they say nothing.
    """
    patterns = _Patterns.for_lexicon(words)
    if patterns.any_sign.search(before):
        for name, pattern in patterns.signs_before.items():
            if pattern.search(before):
                return name
    if patterns.any_sign.search(behind):
        for name, pattern in patterns.signs_behind.items():
            if pattern.match(behind):
                return name
    return ""


def significant_digits(stated: Stated) -> int:
    """Return the number of significant digits; 0 for a number in words, and for zero.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [significant_digits(one) for one in numbers("0.050, 1200 or half", 19, lexicon())]
    [2, 2, 0]
    """
    shown = re.sub(r"\D", "", stated.digits).lstrip("0")
    return len(shown if "." in stated.digits else shown.rstrip("0"))
