"""Reads numbers as they are written: *67.05 %*, *3 × 10⁻⁴*, *4.7 kΩ*, *two thirds*, *the third*.

This is the only reader of numbers in text. What the words before and behind a number say of it
(*about 3*, *fell by 3*) is read by `vaultkit.claims.stated`; which numbers of a text must occur on
its page, by `vaultkit.claims.quantities`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from vaultkit.claims.lexicon import Lexicon, alternatives
from vaultkit.claims.numerals import NUMERAL, TENS, parse_numeral
from vaultkit.claims.units import PREFIXES, SECONDS, SYMBOL
from vaultkit.read.prose import END, NAME

#: The characters of a minus; the last one is only a sign, and may also be a dash.
MINUS = "-\u2212\u2010\u2011\ufe63\uff0d–"
_SUPER = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
_FRACTIONS = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5),
           "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7),
           "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8)}  # fmt: skip
BLANK = " \u00a0\u202f\u2009"
#: The fractions in one character.
VULGAR = "".join(_FRACTIONS)
# Longer numbers are cut: Python refuses to parse thousands of digits.
_LONGEST = 60
#: The largest power that is computed; and the largest of ten, beyond which no float has a number.
_MOST_POWER, _MOST_POWER_OF_TEN = 64, 400
#: An integer, whose digits may be in groups: *1,200*, *12 345*, *1_000*.
_DIGITS = rf"(?:\d{{1,3}}(?:[,_]\d{{3}})+|\d{{1,3}}(?:[{BLANK}]\d{{3}})+|\d+)(?!\d)"
#: An exponent: *^5*, *^{-2}*, *\*\*2*, *⁻³*.
_POWER = r"(?:\^[-−+]?\d+|\^\{[-−+]?\d+\}|\*\*-?\d+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
#: The powers of ten of what may follow a number.
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "k": 3, "K": 3, "M": 6,
          "B": 9, "G": 9, "kB": 3, "KB": 3, "MB": 6, "GB": 9, "TB": 12, "KiB": 3, "MiB": 6,
          "GiB": 9, "ms": -3, "µs": -6, "μs": -6, "us": -6, "ns": -9, "percent": -2,
          "per cent": -2, "%": -2, "‰": -3}  # fmt: skip
#: The powers of two of the units of memory, which have both.
_BINARY = {"kB": 10, "KB": 10, "MB": 20, "GB": 30, "TB": 40, "KiB": 10, "MiB": 20, "GiB": 30}
_UNITS = "|".join(sorted(map(re.escape, _SCALES), key=len, reverse=True))
NUMBER = re.compile(
    # Not within a word or number; as an exponent, only a decimal.
    rf"(?:(?<![\w.^])|(?<=[\w)]\^)(?=[{MINUS[:-1]}]?\d*\.\d))"
    # A sign, but no minus between two numbers.
    rf"(?:(?<![\w)\]{END}{NAME}½¼¾%])(?P<sign>[\{MINUS[:-1]}+±–]))?"
    # *2½*; or digits, with a factor or power (*× 10⁻⁴*, *e5*, *²*) and a divisor (*/4*).
    rf"(?:(?P<whole>{_DIGITS})?(?P<vulgar>[{VULGAR}])"
    rf"|(?P<number>{_DIGITS}(?:\.\d+)?|\.\d+)"
    rf"(?P<exponent>[eE][-+−]?\d+|[{BLANK}]?[×·⋅x*][{BLANK}]?10{_POWER}|{_POWER})?"
    rf"(?P<over>[{BLANK}]?[/⁄∕][{BLANK}]?\d+(?:\.\d+)?(?![\w/]))?)"
    # A scale such as *%* or *million*; or letters without a blank.
    rf"(?P<unit>[{BLANK}]?(?:{_UNITS})(?!\w))?"
    r"(?P<glued>[^\W\d_]+)?(?![\d]|\.\d)"
)
_FACTOR_OF_TEN = re.compile(rf"[eE]|[{BLANK}]?[×·⋅x*][{BLANK}]?10")
#: How far a value may be from a multiple or a fraction in words.
ROUGH = Fraction(1, 20)
#: Fractions in digits are exact but for rounding errors.
_EXACT = Fraction(1, 10**6)
#: Ten or more may be rounded, as *286* is; smaller integers count something.
TEN = 10
_ONE, _ZERO = Fraction(1), Fraction(0)
_GREEK = {"tera": 12, "giga": 9, "mega": 6, "kilo": 3, "hecto": 2, "centi": -2, "milli": -3,
          "micro": -6, "nano": -9, "pico": -12}  # fmt: skip
_NAMED = re.compile(
    rf"[ \u00a0]?(?P<prefix>{'|'.join(_GREEK)})(?:met(?:er|re)|gram|second|hertz|watt|volt|joule"
    r"|newton|pascal|byte|bit|lit(?:er|re)|amp(?:ere)?|ohm|electronvolt|mole)s?\b",
    re.IGNORECASE,
)
_DEGREE = re.compile(r"[ \u00a0]?°(?!\s?[CFK])")


@dataclass(frozen=True)
class Digits:
    """A number in digits, without its unit.

    Attributes
    ----------
    value
        The number, with its sign and its power of ten; None for a power that is too large.
    step
        One unit of its last digit; 0 for a power or a fraction, which is exact.
    divisor
        The number behind its stroke: 4 in *3/4*; None if there is none.
    has_factor
        Whether it has a factor that is a power of ten: *3 × 10⁴*.
    base, exponent
        Those of a power of another number: 2 and 5 in *2⁵*.
    """

    value: Fraction | None
    step: Fraction
    divisor: Fraction | None = None
    has_factor: bool = False
    base: Fraction | None = None
    exponent: int = 0


def read_digits(found: re.Match[str]) -> Digits:
    """Return the number of a match of `NUMBER`.

    >>> texts = "−1,200", "2½", "3 × 10^-2", "2^5"
    >>> [str(read_digits(NUMBER.search(text)).value) for text in texts]
    ['-1200', '5/2', '3/100', '32']
    """
    sign = -1 if found["sign"] and found["sign"] in MINUS else 1
    if found["vulgar"]:
        return Digits(sign * _parse_vulgar(found), _ZERO)
    digits, exponent = found["number"], found["exponent"] or ""
    value, step = sign * Fraction(_parse_grouped_digits(digits)), _unit_of_last_digit(digits)
    divisor = _parse_divisor(found) if found["over"] else None
    power_of_ten = _factor_of_ten(exponent)
    if not exponent or power_of_ten is not None:
        factor = Fraction(10) ** (power_of_ten or 0)
        has_factor = power_of_ten is not None
        return Digits(value * factor, step * factor, divisor, has_factor=has_factor)
    power = _parse_exponent(exponent)
    if digits == "10":  # *10⁵* is one number, *2⁵* may be two
        return Digits(sign * Fraction(10) ** power, _ZERO)
    result = _parse_power(digits, exponent)
    signed = None if result is None else sign * result
    return Digits(signed, _ZERO, base=abs(value), exponent=power)


@dataclass(frozen=True)
class Number:
    """A number of a text, as it is written there.

    Attributes
    ----------
    start, end
        Its place in the text, with its unit.
    value
        The number itself, without its unit.
    half
        How far a value may be from it: half a unit of its last digit, 0 for a small integer, or a
        share of a multiple or part in words.
    kind
        ``digits``, ``word`` (*five*), ``count`` (*none*), ``part`` (*two thirds*), ``multiple``
        (*twice*) or ``ordinal`` (*third*).
    scales
        The factors of its units: 1 and 1000 for *4.7 kΩ*, which is 4.7 or 4700.
    is_whole
        Whether it is an integer without a unit.
    is_multiple
        Whether it multiplies: *twice*, *3 times*.
    is_percent
        Whether it is a percentage.
    digits
        Its digits, if it has any.
    is_counted
        Whether a number is before a part: *two thirds*, *one third*, but not *a third*.
    """

    start: int
    end: int
    value: Fraction
    half: Fraction
    kind: str
    scales: tuple[Fraction, ...] = (Fraction(1),)
    is_whole: bool = False
    is_multiple: bool = False
    is_percent: bool = False
    digits: str = ""
    is_counted: bool = False

    @property
    def is_share(self) -> bool:
        """Whether it is a multiple or a part in words, which is approximate."""
        return self.kind in ("part", "multiple")


class _Patterns:
    """The patterns of the number words of a language, by what they match.

    ``behind_the`` and ``behind_one`` match the text before a word: *the*, and *a* or *one*.
    """

    def __init__(self, words: Lexicon) -> None:
        def whole(template: str) -> re.Pattern[str]:
            """Return a pattern of whole words."""
            return words.regex(rf"(?<![\w-]){template}(?![\w’'-])")

        self.parts = whole(
            rf"(?:(?P<above>{NUMERAL}|<grammar.one>|\d+)[- ])?(?P<part>{words.pattern('parts')})"
        )
        self.behind_the = words.regex(r"\b<grammar.the>\s$")
        self.behind_one = words.regex(r"(?<![\w-])<grammar.one>\s$")
        self.multiples = whole(words.pattern("multiples"))
        self.counts = whole(words.pattern("counts"))
        self.times = whole(rf"(?P<n>{NUMERAL})[- ]?<grammar.times>")
        self.times_behind = words.regex(r"\s?<grammar.times>(?![\w-])")
        self.ordinals = whole(
            rf"(?:(?P<tens>{'|'.join(TENS)})[- ])?(?P<n>{words.pattern('ordinals')})"
        )
        self.ordinals_in_digits = whole(r"(?P<n>\d+)<grammar.ordinal_endings>")
        percent = alternatives(words.words["units"]["1e-2"])
        self.numerals = whole(rf"(?P<n>{NUMERAL})(?P<percent>\s{percent}\b)?")
        self.unit = words.regex(rf"[- ]{words.pattern('units')}(?!\w)")

    @staticmethod
    @cache
    def of(words: Lexicon) -> _Patterns:
        """Return the patterns of a language, which are compiled once."""
        return _Patterns(words)


def read_numbers(text: str, words: Lexicon) -> Iterator[Number]:
    """Yield the numbers of a text, which may overlap: *third* is a part or an ordinal.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [(str(n.value), n.kind) for n in read_numbers("Half of 12, two thirds", lexicon())]
    [('12', 'digits'), ('2/3', 'part'), ('1/2', 'multiple'), ('2', 'word')]
    """
    yield from _numbers_in_digits(text, words)
    yield from numbers_in_words(text, words)


def numbers_in_words(text: str, words: Lexicon) -> Iterator[Number]:
    """Yield the numbers of a text that are in words, and ordinals: *two thirds*, *twice*, *3rd*."""
    patterns = _Patterns.of(words)

    def find(pattern: re.Pattern[str], table: str) -> Iterator[re.Match[str]]:
        """Yield the matches of a pattern, each of which has a word of the table."""
        return pattern.finditer(text) if words.may_find(table, text) else iter(())

    for match in find(patterns.parts, "parts"):
        below, above = words.value("parts", match["part"]), match["above"]
        is_ordinal = not above and patterns.behind_the.search(text[: match.start()])  # *the third*
        if not below or is_ordinal:
            continue
        is_one = not above or above.lower() in words.words["grammar"]["one"]
        value = (1 if is_one else _count(above)) / below
        # The article of *a third* counts nothing.
        is_counted = bool(above) and above.lower() not in words.words["grammar"]["articles"]
        yield Number(*match.span(), value, value * ROUGH, "part", is_counted=is_counted)
    for match in find(patterns.multiples, "multiples"):
        factor = words.value("multiples", match[0]) or _ZERO
        yield Number(*match.span(), factor, factor * ROUGH, "multiple", is_multiple=factor > 1)
    for match in patterns.times.finditer(text):  # also in one word: *fourfold*
        value = Fraction(parse_numeral(match["n"]))
        yield Number(*match.span(), value, value * ROUGH, "multiple", is_multiple=True)
    for match in find(patterns.ordinals, "ordinals"):
        value = words.value("ordinals", match["n"]) or _ZERO
        if patterns.behind_one.search(text[: match.start()]):
            continue  # *a third* is a part
        value += parse_numeral(match["tens"]) if match["tens"] else 0
        yield Number(*match.span(), value, _ZERO, "ordinal", is_whole=True)
    for match in patterns.ordinals_in_digits.finditer(text):
        yield Number(*match.span(), Fraction(match["n"]), _ZERO, "ordinal", is_whole=True)
    yield from (_numeral(match, words) for match in find(patterns.numerals, "numerals"))
    for match in find(patterns.counts, "counts"):
        value = words.value("counts", match[0]) or _ZERO
        yield Number(*match.span(), value, _ZERO, "count", is_whole=True)


def _numeral(match: re.Match[str], words: Lexicon) -> Number:
    """Return a number such as *twelve*, *twelve per cent* or *twelve minutes*."""
    value, half = Fraction(parse_numeral(match["n"])), Fraction(1, 2)
    if match["percent"]:
        scales = (_ONE, Fraction(1, 100))
        return Number(*match.span(), value, half, "word", scales, is_percent=True)
    if factor := _factor_of_unit_word(match.string, match.end("n"), words):
        return Number(*match.span("n"), value, half, "word", (_ONE, factor))
    return Number(*match.span("n"), value, _ZERO, "word", is_whole=True)


def _numbers_in_digits(text: str, words: Lexicon) -> Iterator[Number]:
    """Yield the numbers in digits, with their units."""
    for match in NUMBER.finditer(text):
        number = read_digits(match)
        value, start, end = number.value, match.start(), match.end()
        if value is None:
            continue
        if match["vulgar"]:
            yield Number(start, end, value, abs(value) * _EXACT, "digits")
            continue
        glued = match["glued"] or ""
        end = match.start("glued") if glued else end
        if number.base is not None:  # a power of another number
            yield Number(start, end, value, _ZERO, "digits")
            continue
        if number.divisor is not None:
            if number.divisor:
                value /= number.divisor
                yield Number(start, end, value, abs(value) * _EXACT, "digits")
            continue
        digits, scale = match["number"], (match["unit"] or "").strip()
        if scale:
            is_percent = _SCALES[scale] == _SCALES["%"]
            unit = _Unit(scales_of_suffix(scale), match.end("unit"), is_percent)
        else:
            unit = _unit_behind(text, end, glued, words)
        multiple = _Patterns.of(words).times_behind.match(text, unit.end)
        is_rounded = "." in digits or number.has_factor
        has_unit = scale or len(unit.scales) > 1 or unit.is_percent or multiple
        is_whole = not is_rounded and not has_unit
        yield Number(
            start,
            multiple.end() if multiple else unit.end,
            value,
            # A small integer counts something, and is exact.
            _ZERO if is_whole and abs(value) < TEN else number.step / 2,
            "digits",
            unit.scales,
            is_whole,
            is_multiple=bool(multiple),
            is_percent=unit.is_percent,
            digits=digits,
        )


def scales_of_suffix(suffix: str) -> tuple[Fraction, ...]:
    """Return the factors by which a suffix of `NUMBER` may multiply; 1 is always one of them.

    >>> [[str(scale) for scale in scales_of_suffix(suffix)] for suffix in ("%", "kB", "")]
    [['1', '1/100'], ['1', '1000', '1024'], ['1']]
    """
    if not suffix:
        return (_ONE,)
    scales = _ONE, Fraction(10) ** _SCALES[suffix]
    return (*scales, Fraction(2) ** _BINARY[suffix]) if suffix in _BINARY else scales


class _Unit(NamedTuple):
    """The unit of a number: its factors, where it ends, and whether it is a per cent.

    The value may be the number as it is (factor 1), or times the factor of its prefix: 4.7 kΩ is
    4.7 or 4700. Without a unit, the only factor is 1, and the end that of the number.
    """

    scales: tuple[Fraction, ...]
    end: int
    is_percent: bool = False


def _unit_behind(text: str, end: int, glued: str, words: Lexicon) -> _Unit:
    """Return the unit behind the end of a number, as a symbol or as a word.

    ``glued`` are the letters right behind the digits, which may be a symbol but no word.
    """
    if symbol := SYMBOL.match(text, end):
        power = {"": 1, "2": 2, "²": 2, "3": 3, "³": 3}[symbol["power"] or ""]
        prefix = PREFIXES.get(symbol["prefix"] or "", 0)
        factor = Fraction(10) ** (prefix * power)
        if symbol["per"]:
            factor /= SECONDS[symbol["per"]]
        # A gram is a thousandth of the unit of mass.
        scales = (_ONE, factor, factor / 1000) if symbol["unit"] == "g" else (_ONE, factor)
        distinct = tuple(dict.fromkeys(scales))
        # Two factors say that there is a unit, even if both are 1.
        return _Unit(distinct if len(distinct) > 1 else (_ONE, _ONE), symbol.end())
    if named := _NAMED.match(text, end):
        return _Unit((_ONE, Fraction(10) ** _GREEK[named["prefix"].lower()]), named.end())
    if degree := _DEGREE.match(text, end):
        return _Unit((_ONE, words.value("units", "degrees") or _ONE), degree.end())
    if not glued and (factor_of_word := _factor_of_unit_word(text, end, words)):
        return _Unit((_ONE, factor_of_word), end, factor_of_word == Fraction(1, 100))
    return _Unit((_ONE,), end)


def _factor_of_unit_word(text: str, end: int, words: Lexicon) -> Fraction | None:
    """Return the factor of the word for a unit directly behind a number: 60 for *minutes*."""
    found = _Patterns.of(words).unit.match(text, end)
    return words.value("units", found[0].strip("- ")) if found else None


def _count(word: str) -> Fraction:
    """Return the value of an integer in digits or in words."""
    return Fraction(word) if word.isdigit() else Fraction(parse_numeral(word))


def _factor_of_ten(exponent: str) -> int | None:
    """Return the power of a factor of ten behind a number; None for a power of the number itself.

    >>> _factor_of_ten("e-3"), _factor_of_ten(" × 10⁵"), _factor_of_ten("^2")
    (-3, 5, None)
    """
    found = _FACTOR_OF_TEN.match(exponent)
    return _parse_exponent(exponent[found.end() :]) if found else None


def _parse_exponent(text: str) -> int:
    """Return an exponent as an integer: −3 for ``^{-3}`` and ``⁻³``; a large one is cut."""
    power = int(re.sub(r"[\^{}*]", "", text.translate(_SUPER)).replace("−", "-")[:_LONGEST])
    return max(-_MOST_POWER_OF_TEN, min(_MOST_POWER_OF_TEN, power))


def _parse_vulgar(found: re.Match[str]) -> Fraction:
    """Return the value of a match of `NUMBER` with a fraction in one character.

    >>> _parse_vulgar(NUMBER.search("2½"))
    Fraction(5, 2)
    """
    whole = Fraction(_parse_grouped_digits(found["whole"])) if found["whole"] else Fraction(0)
    return whole + Fraction(*_FRACTIONS[found["vulgar"]])


def _parse_divisor(found: re.Match[str]) -> Fraction:
    """Return the number behind the stroke in a match of `NUMBER`: 4 in *3/4*."""
    return Fraction(found["over"].strip(BLANK + "/⁄∕")[:_LONGEST])


def _parse_power(digits: str, exponent: str) -> Fraction | None:
    """Return the power of a number; None if it has too many digits, or none.

    >>> _parse_power("3", "^2"), _parse_power("2", "^999"), _parse_power("0", "^-1")
    (Fraction(9, 1), None, None)
    """
    base, power = Fraction(_parse_grouped_digits(digits)), _parse_exponent(exponent)
    has_value = bool(base) or power > 0  # 0⁻¹ has none
    return Fraction(base**power) if has_value and abs(power) <= _MOST_POWER else None


def _parse_grouped_digits(digits: str) -> Decimal:
    """Return a number whose digits are in groups.

    >>> _parse_grouped_digits("12 345"), _parse_grouped_digits("1,024.5")
    (Decimal('12345'), Decimal('1024.5'))
    """
    return Decimal(re.sub(rf"[{BLANK},_]", "", digits)[:_LONGEST])


def _unit_of_last_digit(digits: str) -> Fraction:
    """Return one unit in the last digit of a number.

    >>> _unit_of_last_digit("0.25"), _unit_of_last_digit("12")
    (Fraction(1, 100), Fraction(1, 1))
    """
    return Fraction(1, 10 ** len(digits.partition(".")[2][:_LONGEST]))
