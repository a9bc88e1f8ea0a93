"""The numbers that words state, as ranges of values: *67.05 %*, *about twice*, *the third*, *none*.

Unlike `vaultkit.claims.quantities`, this module reads every number, however small, since it reads
only those that a note binds to an expression.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache

from vaultkit.claims.amounts import as_float
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.numerals import NUMERAL, parse_numeral
from vaultkit.claims.quantities import (
    BINARY,
    NUMBER,
    SCALE,
    factor_of_ten,
    parse_divisor,
    parse_exponent,
    parse_grouped_digits,
    parse_power,
    parse_vulgar,
    unit_of_last_digit,
)
from vaultkit.claims.units import PREFIXES, SECONDS, SYMBOL

#: How far a value may be from a multiple or a fraction in words, and from one with *about*.
_WORDY, _ROUGH = Fraction(1, 20), Fraction(3, 20)
#: How far a value may be below a number with *almost*.
_ALMOST = Fraction(3, 20)
_MINUS = "-−‐‑﹣－–"
_ZERO, _TEN = Fraction(0), 10

_GREEK = {"tera": 12, "giga": 9, "mega": 6, "kilo": 3, "hecto": 2, "centi": -2, "milli": -3,
          "micro": -6, "nano": -9, "pico": -12}  # fmt: skip
_NAMED = re.compile(
    rf"[ \u00a0]?(?P<prefix>{'|'.join(_GREEK)})(?:met(?:er|re)|gram|second|hertz|watt|volt|joule"
    r"|newton|pascal|byte|bit|lit(?:er|re)|amp(?:ere)?|ohm|electronvolt|mole)s?\b",
    re.IGNORECASE,
)
_DEGREE = re.compile(r"[ \u00a0]?°(?!\s?[CFK])")


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


@dataclass(frozen=True)
class _Read:
    """A number before its context counts: half a unit of its last digit, and its kind."""

    start: int
    end: int
    value: Fraction
    half: Fraction
    scales: tuple[Fraction, ...] = (Fraction(1),)
    whole: bool = False
    wordy: bool = False
    times: bool = False
    ordinal: bool = False
    percent: bool = False
    digits: str = ""


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
    read = sorted(_read_numbers(plain, words), key=lambda one: (one.start, -one.end))
    found: list[_Read] = []
    for one in read:
        if found and one.start < found[-1].end:
            if (one.start, one.end) == (found[-1].start, found[-1].end):
                found.append(one)  # *third* is a part or an ordinal
            continue
        found.append(one)
    stated: list[Stated] = []
    for one in found:
        if one.percent and abs(one.value) < 1 and not in_percent:
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
        one, times = pattern("grammar", "one"), pattern("grammar", "times")
        self.from_zero = re.compile(rf"(?<=\w\s){pattern('grammar', 'from_zero')}")
        prefix = rf"(?:(?P<above>{NUMERAL}|{one}|\d+)[- ])?"
        self.parts = _whole_word_pattern(rf"{prefix}(?P<part>{pattern('parts')})")
        self.behind_the = re.compile(rf"\b{pattern('grammar', 'the')}\s$", re.IGNORECASE)
        self.behind_one = re.compile(rf"(?<![\w-]){one}\s$", re.IGNORECASE)
        self.multiples, self.counts = (
            _whole_word_pattern(pattern("multiples")),
            _whole_word_pattern(pattern("counts")),
        )
        self.times = _whole_word_pattern(rf"(?P<n>{NUMERAL})[- ]?{times}")
        self.times_behind = re.compile(rf"\s?{times}(?![\w-])", re.IGNORECASE)
        tens = "(?:(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ])?"
        self.ordinals = _whole_word_pattern(rf"{tens}(?P<n>{pattern('ordinals')})")
        self.ordinals_in_digits = _whole_word_pattern(
            rf"(?P<n>\d+){pattern('grammar', 'ordinal_endings')}"
        )
        units = "|".join(words.words["units"]["1e-2"])
        percent = rf"(?P<percent>\s(?:percent|per\scent|{units})\b)?"
        self.numerals = _whole_word_pattern(rf"(?P<n>{NUMERAL}){percent}")
        self.unit = re.compile(rf"[- ]{pattern('units')}(?!\w)", re.IGNORECASE)
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


def _whole_word_pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern that matches no part of a word."""
    return re.compile(rf"(?<![\w-]){pattern}(?![\w’'-])", re.IGNORECASE)


def _read_numbers(text: str, words: Lexicon) -> Iterator[_Read]:
    """Yield the numbers in a text, which may overlap."""
    yield from _numbers_in_digits(text, words)
    grammar, patterns = words.words["grammar"], _Patterns.for_lexicon(words)
    for found in patterns.parts.finditer(text) if words.may_find("parts", text) else ():
        below, above = words.value("parts", found["part"]), found["above"]
        if not below or (not above and patterns.behind_the.search(text[: found.start()])):
            continue
        count = 1 if not above or above.lower() in grammar["one"] else _count(above)
        value = count / below
        yield _Read(found.start(), found.end(), value, value * _WORDY, wordy=True)
    for found in patterns.multiples.finditer(text) if words.may_find("multiples", text) else ():
        factor = words.value("multiples", found[0]) or _ZERO
        half = factor * _WORDY
        yield _Read(found.start(), found.end(), factor, half, wordy=True, times=factor > 1)
    for found in patterns.times.finditer(text):
        value = Fraction(parse_numeral(found["n"]))
        yield _Read(found.start(), found.end(), value, value * _WORDY, wordy=True, times=True)
    for found in patterns.ordinals.finditer(text) if words.may_find("ordinals", text) else ():
        value = words.value("ordinals", found["n"]) or _ZERO
        if patterns.behind_one.search(text[: found.start()]):
            continue  # *a third* is a part
        value += parse_numeral(found["tens"]) if found["tens"] else 0
        yield _Read(found.start(), found.end(), value, _ZERO, whole=True, ordinal=True)
    for found in patterns.ordinals_in_digits.finditer(text):
        yield _Read(
            found.start(), found.end(), Fraction(found["n"]), _ZERO, whole=True, ordinal=True
        )
    for found in patterns.numerals.finditer(text):
        value = Fraction(parse_numeral(found["n"]))
        if found["percent"]:
            yield _Read(
                found.start(), found.end(), value, Fraction(1, 2), (Fraction(1), Fraction(1, 100)),
                percent=True,
            )  # fmt: skip
        else:
            unit = _unit_word(text, found.end("n"), words)
            scales = (Fraction(1), unit) if unit else (Fraction(1),)
            half = Fraction(1, 2) if unit else _ZERO
            yield _Read(found.start(), found.end("n"), value, half, scales, whole=not unit)
    for found in patterns.counts.finditer(text) if words.may_find("counts", text) else ():
        value = words.value("counts", found[0]) or _ZERO
        yield _Read(found.start(), found.end(), value, _ZERO, whole=True)


def _numbers_in_digits(text: str, words: Lexicon) -> Iterator[_Read]:
    """Yield the numbers in digits, with their units."""
    for found in NUMBER.finditer(text):
        sign = -1 if found["sign"] and found["sign"] in _MINUS else 1
        start, end = found.start(), found.end()
        if found["vulgar"]:
            value = sign * parse_vulgar(found)
            yield _Read(start, end, value, abs(value) * Fraction(1, 10**6))
            continue
        digits = found["number"]
        glued = found["glued"] or ""
        if glued:
            end = found.start("glued")
        value, half = sign * Fraction(parse_grouped_digits(digits)), unit_of_last_digit(digits) / 2
        rounded = "." in digits
        if exponent := found["exponent"]:
            power = _power(exponent, digits)
            if power is None:
                continue
            if isinstance(power, Fraction):  # a power of another number
                yield _Read(start, end, sign * power, _ZERO)
                continue
            scale = Fraction(10) ** power
            # A power of ten alone is exact.
            alone = digits == "10" and exponent[0] in "^*⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹"
            value, half = (sign * scale, _ZERO) if alone else (value * scale, half * scale)
            rounded = not alone
        if found["over"]:
            if below := parse_divisor(found):
                yield _Read(start, end, value / below, abs(value / below) * Fraction(1, 10**6))
            continue
        unit = (found["unit"] or "").strip()
        scales, end, percent = _unit_scales(
            text, found.end("unit") if unit else end, unit, glued, words
        )
        multiple = _Patterns.for_lexicon(words).times_behind.match(text, end)
        whole = not (rounded or unit or len(scales) > 1 or percent or multiple)
        # Ten or more may be rounded, as *286* is; smaller numbers count something.
        half = _ZERO if whole and abs(value) < _TEN else half
        yield _Read(
            start, multiple.end() if multiple else end, value, half, scales,
            whole, times=bool(multiple), percent=percent, digits=digits,
        )  # fmt: skip


def _unit_scales(
    text: str, end: int, unit: str, glued: str, words: Lexicon
) -> tuple[tuple[Fraction, ...], int, bool]:
    """Return the factors of the unit behind a number, its end, and whether it is a per cent.

    The value may be the number as it is (factor 1), or times the factor of its prefix: 4.7 kΩ is
    4.7 or 4700. ``unit`` is a scale that belongs to the number, such as ``%`` or ``k``; ``glued``
    are letters right behind the digits, which are not words. ``end`` is where the number ends.
    """
    one = Fraction(1)
    if unit:
        factor = Fraction(10) ** SCALE[unit]
        scales: tuple[Fraction, ...] = (one, factor)
        if unit in BINARY:
            scales = (*scales, Fraction(2) ** BINARY[unit])
        return scales, end, SCALE[unit] == -2
    begins = end
    if found := SYMBOL.match(text, begins):
        power = {"": 1, "2": 2, "²": 2, "3": 3, "³": 3}[found["power"] or ""]
        exponent = PREFIXES.get(found["prefix"] or "", 0)
        factor = Fraction(10) ** (exponent * power)
        if found["per"]:
            factor /= SECONDS[found["per"]]
        # A gram is a thousandth of the unit of mass.
        more = (factor / 1000,) if found["unit"] == "g" else ()
        known = dict.fromkeys((one, factor, *more))
        return tuple(known) if factor != 1 or more else (one, one), found.end(), False
    if found := _NAMED.match(text, begins):
        factor = Fraction(10) ** _GREEK[found["prefix"].lower()]
        return (one, factor), found.end(), False
    if found := _DEGREE.match(text, begins):
        return (one, Fraction(words.value("units", "degrees") or 1)), found.end(), False
    if not glued and (named := _unit_word(text, begins, words)):
        return (one, named), begins, named == Fraction(1, 100)
    return (one,), end, False


def _unit_word(text: str, end: int, words: Lexicon) -> Fraction | None:
    """Return the factor of the word for a unit directly behind a number."""
    found = _Patterns.for_lexicon(words).unit.match(text, end)
    return words.value("units", found[0].strip("- ")) if found else None


def _power(exponent: str, digits: str) -> int | Fraction | None:
    """Return the power of ten of a number, or the value of a power of another base."""
    if (power := factor_of_ten(exponent)) is not None:
        return power
    if digits == "10":
        return parse_exponent(exponent)
    return parse_power(digits, exponent)


def _count(word: str) -> Fraction:
    return Fraction(word) if word.isdigit() else Fraction(parse_numeral(word))


def _values_in_context(text: str, read: _Read, words: Lexicon) -> Stated:
    """Return the values that agree with a number, given the words around it."""
    before, behind = text[max(0, read.start - 60) : read.start], text[read.end : read.end + 60]
    ranges = [range_ for scale in read.scales for range_ in _ranges(read, before, scale, words)]
    if _Patterns.for_lexicon(words).minus.search(before):
        ranges = [own.scaled(Fraction(-1)) for own in ranges]
    sign = _sign(before, behind, words)
    if sign in ("down", "apart"):
        ranges += [own.scaled(Fraction(-1)) for own in ranges]
    if sign in ("down", "up") and (read.percent or (read.wordy and read.value < 1)):
        # *12 % less* is a change of −0.12, or a ratio of 0.88.
        factor = read.scales[-1] * (-1 if sign == "down" else 1)
        ranges += [own.scaled(factor, 1) for own in _ranges(read, before, Fraction(1), words)]
    if sign == "down" and read.times and read.value:
        inverse = replace(read, value=1 / read.value, half=read.half / read.value**2)
        ranges += _ranges(inverse, before, Fraction(1), words)
    plain = read.digits if not read.ordinal and not read.wordy else ""
    own = text[read.start : read.end]
    bounds = bool(
        _words_of_exactness(before, words).keys() & {"over", "under", "at_least", "at_most"}
    )
    return Stated(
        read.start,
        read.end,
        own,
        tuple(ranges),
        plain,
        read.scales,
        read.value,
        bounds,
        read.times or read.wordy,
        sign,
    )


def _ranges(read: _Read, before: str, scale: Fraction, words: Lexicon) -> list[Range]:
    """Return the ranges that a number may mean, by the words before it: *about*, *at least*."""
    value, half = read.value * scale, read.half * scale
    how = _words_of_exactness(before, words)
    exact = Range(value - half, value + half)
    if "exactly" in how:
        least = half if read.digits and not read.whole else _ZERO
        return [Range(value - least, value + least)]
    if "about" in how:
        if read.wordy:
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
    """Return the number of significant digits; 0 for a number in words.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [significant_digits(one) for one in numbers("0.050, 1200 or half", 19, lexicon())]
    [2, 2, 0]
    """
    shown = re.sub(r"\D", "", stated.digits).lstrip("0")
    return len(shown if "." in stated.digits else shown.rstrip("0"))
