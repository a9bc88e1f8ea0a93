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

#: How far a value may be from a multiple or a fraction in words with *about*.
_ROUGH = Fraction(3, 20)
#: How far a value may be below a number with *almost*.
_ALMOST = Fraction(3, 20)
_ZERO = Fraction(0)


@dataclass(frozen=True)
class Range:
    """The values that agree with what a text states; without a bound, it is None."""

    low: Fraction | None
    high: Fraction | None
    #: Whether the bounds themselves do not agree.
    strict: bool = False

    def holds(self, value: Fraction) -> bool:
        """Return whether a value is in the range, apart from rounding errors."""
        if self._is_far(value):
            return False
        largest = max(abs(bound) for bound in (value, self.low, self.high) if bound is not None)
        slack = largest / 10**9
        slack = -slack if self.strict else slack
        above = self.low is None or value >= self.low - slack
        return above and (self.high is None or value <= self.high + slack)

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
        The values that agree with it.
    digits
        Its digits, if it is a plain number in digits.
    value
        The number itself, without its unit.
    bounds
        Whether the words before it make it a bound: *less than 5*.
    scales
        The factors by which its digits may differ from the value: 1, and 1/100 for a percentage.
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
    #: ``up`` or ``down`` if it is said to be a change in this direction.
    sign: str = ""

    def agrees(self, value: Fraction) -> bool:
        """Return whether a value agrees with the words."""
        return any(range_.holds(value) for range_ in self.ranges)


def numbers(text: str, ends: int, words: Lexicon, *, in_percent: bool = False) -> list[Stated]:
    """Return the numbers that a text states before a place, in order.

    What follows that place may say the sign of a number: *2 below zero*. With ``in_percent``, the
    value of *0.4 %* may be 0.4.

    Examples
    --------
    >>> from vaultkit.claims.lexicon import lexicon
    >>> text = "It falls by 0.25, about twice as much, in five steps."
    >>> [text[s.start : s.end] for s in numbers(text, len(text), lexicon())]
    ['0.25', 'twice', 'five']
    """
    from_zero = _Patterns.for_lexicon(words).from_zero
    plain = from_zero.sub(lambda own: "\ufffc" * len(own[0]), text[:ends])
    read = sorted(read_numbers(plain, words), key=lambda one: (one.start, -one.end))
    found: list[Number] = []
    for one in read:
        if found and one.start < found[-1].end:
            if (one.start, one.end) == (found[-1].start, found[-1].end):
                found.append(one)  # *third* is a part or an ordinal
            continue
        found.append(one)
    stated: list[Stated] = []
    for one in found:
        if one.is_percent and abs(one.value) < 1 and not in_percent:
            one = replace(one, scales=one.scales[1:])
        made = _values_in_context(text, one, words)
        if stated and stated[-1].start == made.start:
            made = replace(made, ranges=stated.pop().ranges + made.ranges)
        stated.append(made)
    return stated


class _Patterns:
    """The patterns of a language, by what they match."""

    def __init__(self, words: Lexicon) -> None:
        pattern = words.pattern
        self.from_zero = re.compile(rf"(?<=\w\s){pattern('grammar', 'from_zero')}")
        self.minus = re.compile(rf"{pattern('before', 'minus')}\s$", re.IGNORECASE)
        articles = pattern("grammar", "articles")
        self.sums = re.compile(
            rf"(?<![\w-]){pattern('grammar', 'adding')}\sup\sto\s*$", re.IGNORECASE
        )
        self.articles = re.compile(rf"(?:(?<!\w){articles}\s+)$", re.IGNORECASE)
        self.modes = {
            name: re.compile(rf"(?<![\w-])(?P<own>{pattern('before', name)})\s*$", re.IGNORECASE)
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


def _values_in_context(text: str, read: Number, words: Lexicon) -> Stated:
    """Return the values that agree with a number, given the words around it."""
    before, behind = text[max(0, read.start - 60) : read.start], text[read.end : read.end + 60]
    ranges = [range_ for scale in read.scales for range_ in _ranges(read, before, scale, words)]
    if _Patterns.for_lexicon(words).minus.search(before):
        ranges = [own.scaled(Fraction(-1)) for own in ranges]
    sign = _sign(before, behind, words)
    if sign in ("down", "apart"):
        ranges += [own.scaled(Fraction(-1)) for own in ranges]
    if sign in ("down", "up") and (read.is_percent or (read.is_share and read.value < 1)):
        # *12 % less* is a change of −0.12, or a ratio of 0.88.
        factor = read.scales[-1] * (-1 if sign == "down" else 1)
        ranges += [own.scaled(factor, 1) for own in _ranges(read, before, Fraction(1), words)]
    if sign == "down" and read.is_multiple and read.value:
        inverse = replace(read, value=1 / read.value, half=read.half / read.value**2)
        ranges += _ranges(inverse, before, Fraction(1), words)
    own = text[read.start : read.end]
    bounds = bool(
        _words_of_exactness(before, words).keys() & {"over", "under", "at_least", "at_most"}
    )
    return Stated(
        read.start,
        read.end,
        own,
        tuple(ranges),
        read.digits,
        read.scales,
        read.value,
        bounds,
        read.is_multiple or read.is_share,
        sign,
    )


def _ranges(read: Number, before: str, scale: Fraction, words: Lexicon) -> list[Range]:
    """Return the ranges that a number may mean, by the words before it: *about*, *at least*."""
    value, half = read.value * scale, read.half * scale
    how = _words_of_exactness(before, words)
    exact = Range(value - half, value + half)
    if "exactly" in how:
        least = half if read.digits and not read.is_whole else _ZERO
        return [Range(value - least, value + least)]
    if "about" in how:
        if read.is_share:
            half = abs(value) * _ROUGH
        elif "." not in read.digits:
            zeros = len(str(abs(read.value))) - len(str(abs(read.value)).rstrip("0"))
            least = Fraction(1, 2) * scale
            half = max(least, min(Fraction(10**zeros, 2) * scale, abs(value) * _ROUGH))
        exact = Range(value - half, value + half)
    near = abs(value) * _ALMOST
    for name, own in (
        ("over", Range(value, None, strict=True)),
        ("under", Range(None, value, strict=True)),
        ("at_least", Range(value, None)),
        ("at_most", Range(None, value)),
        ("almost", Range(value - near, value)),
    ):
        if name in how:
            # *Over five steps* and *within 5 m* need not be bounds.
            return [own, exact] if how[name] in _PLACES else [own]
    return [exact]


#: Words that are bounds or name a place or time.
_PLACES = {"over", "under", "above", "below", "up to", "within", "beyond"}


@lru_cache(256)  # each scale of a number asks
def _words_of_exactness(before: str, words: Lexicon) -> Mapping[str, str]:
    """Return the words right before a number that say how exact it is, by their list."""
    found: dict[str, str] = {}
    patterns = _Patterns.for_lexicon(words)
    rest = patterns.articles.sub("", before)
    if not patterns.any_mode.search(rest) or patterns.sums.search(rest):
        return found
    for name, pattern in patterns.modes.items():
        if own := pattern.search(rest):
            found[name] = " ".join(own["own"].lower().split())
    # The longer phrase counts: *no more than*, not *more than*.
    longest = max(map(len, found.values()), default=0)
    return {name: own for name, own in found.items() if len(own) == longest}


def _sign(before: str, behind: str, words: Lexicon) -> str:
    """Return what the words around a number say of its sign: ``down``, ``up`` or ``apart``."""
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
