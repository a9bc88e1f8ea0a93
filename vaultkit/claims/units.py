"""Units of measurement: their words and symbols, their prefixes, and what they measure."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from vaultkit.claims.lexicon import Lexicon, alternatives

#: Prefixes with their powers of ten.
PREFIXES = {"T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "c": -2, "m": -3, "µ": -6, "μ": -6, "u": -6,
            "n": -9, "p": -12, "f": -15}  # fmt: skip
#: Symbols of units, and those that are the names of other things as often.
_SYMBOLS = ("mol", "Hz", "Pa", "eV", "Wh", "m", "g", "s", "A", "J", "W", "V", "F", "L", "Ω")
_DOUBTFUL = ("cal", "bit", "K", "N", "C", "T", "H", "B", "l")
_PREFIX = f"(?P<prefix>[{''.join(PREFIXES)}])?"
#: A unit alone: *kg*, *km/h*; and behind a number, with its power: *km/h*, *cm²*.
_PREFIXED = re.compile(rf"{_PREFIX}(?P<unit>{alternatives((*_SYMBOLS, *_DOUBTFUL))})(?:/\w+)?")
SYMBOL = re.compile(
    rf"[ \u00a0\u202f]?{_PREFIX}(?P<unit>{alternatives((*_SYMBOLS, *_DOUBTFUL))})"
    r"(?:\^?(?P<power>[23]|[²³]))?(?![A-Za-z²³^])(?:\s?/\s?(?P<per>h|min|s)(?![A-Za-z]))?"
)
#: The units of time in seconds.
SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "wk": 604_800, "mo": 2_629_746,
           "y": 31_556_952}  # fmt: skip
#: The least letters of a unit in words, whose case has no meaning.
_SHORTEST_WORD = 3
#: A unit that is a sign, and money before its number.
_SIGN = re.compile(r"[ \u00a0\u202f]?(?:[%‰€$£]|°\s?[CFK](?!\w))")
_MONEY_BEFORE = re.compile(r"[€$£]\s?$")
#: A number in digits, or a word.
_NUMBER = re.compile(r"[-+−‐‑﹣－–]?[\d.,]*\d|[^\W\d_]+")
_BEHIND = re.compile(r"[\s-]?(?P<unit>[%°]|[^\W\d_]+(?:/[^\W\d_]+)?)")


def unit_behind(text: str, start: int, words: Lexicon) -> str:
    """Return the symbol of the unit of a number at a place; empty if it has none that is known.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> texts = "484 kg of dough", "six centimetres", "21 g", "3 km/h", "12 °C", "5 steps"
    >>> [unit_behind(text, 0, lexicon()) for text in texts], unit_behind("$3", 1, lexicon())
    (['kg', 'cm', 'g', 'km/h', '°C', ''], '$')
    """
    number = _NUMBER.match(text, start)
    unit = _match_unit(text[number.end() :], words) if number else None
    if unit:
        return _symbol(unit[0], words)
    money = _MONEY_BEFORE.search(text[:start])
    return money[0].strip() if money else ""


def unit_named(text: str, words: Lexicon) -> str:
    """Return the symbol of the unit that a text names; empty if it is anything else.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [unit_named(text, lexicon()) for text in ("kilograms", "km/h", "per cent", "total")]
    ['kg', 'km/h', '%', '']
    """
    unit = _match_unit(text, words)
    return _symbol(text, words) if unit and unit.end() == len(text) else ""


def _match_unit(text: str, words: Lexicon) -> re.Match[str] | None:
    """Return the unit at the beginning of a text, in words or as a symbol."""
    return _measure(words).match(text) or _SIGN.match(text) or SYMBOL.match(text)


@cache
def _measure(words: Lexicon) -> re.Pattern[str]:
    """Return a pattern of the units of a lexicon, as symbols in their case or as words."""
    symbols = "|".join(map(re.escape, words.words["measures"]))
    named = f"{words.pattern('measures')}|{words.pattern('signs_of_units')}"
    return re.compile(rf"[- \u00a0\u202f]?(?:{symbols}|(?i:{named}))(?![\w/²³^])")


def _symbol(unit: str, words: Lexicon) -> str:
    """Return the symbol of a unit, so that its forms can be compared: *kg* for *kilograms*."""
    name = " ".join(unit.strip("- \u00a0\u202f").split())
    tables = words.words["measures"], words.words["signs_of_units"]
    if any(name in table for table in tables):
        return name
    symbols = (
        symbol for table in tables for symbol, names in table.items() if name.lower() in names
    )
    return next(symbols, name.replace(" ", "").replace("^2", "²").replace("^3", "³"))


def unit_of(text: str, end: int, lexicon: Lexicon) -> str:
    """Return the unit behind a place of a text in a form that can be compared; empty without one.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [unit_of(text, 2, lexicon()) for text in ("30 minutes", "30 min", "30 cats")]
    ['60s', '60s', '']
    """
    behind = _BEHIND.match(text, end)
    if not behind:
        return ""
    if behind["unit"] in "%°":
        return behind["unit"]
    size = size_of(behind["unit"], lexicon)
    if size is None:
        return ""
    base, factor = size
    return f"{float(factor):g}{base}"


@cache
def size_of(unit: str, lexicon: Lexicon) -> tuple[str, Fraction] | None:
    """Return the base of a unit and its size in it; None if it is unknown.

    The case of a symbol has a meaning: ``h`` is an hour, and ``H`` is not.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [str(size_of(unit, lexicon())) for unit in ("km/h", "Hours", "H", "eggs")]
    ["('m/h', Fraction(1000, 1))", "('s', Fraction(3600, 1))", 'None', 'None']
    >>> [str(size_of(unit, lexicon())[1]) for unit in ("ml", "ML", "min", "Min")]
    ['1/1000', '1000000', '60', '60']
    """
    above, stroke, below = unit.partition("/")
    spellings = {above} if len(above) < _SHORTEST_WORD else {above, above.lower()}
    measures = lexicon.words["measures"].items()
    symbol = next((symbol for symbol, words in measures if spellings & {*words}), above)
    if symbol in SECONDS:
        return f"s{stroke}{below}", Fraction(SECONDS[symbol])
    power, base = power_of_prefix(symbol)
    return None if power is None else (f"{base}{stroke}{below}", Fraction(10) ** power)


def differ_in_prefix(one: str, other: str) -> bool:
    """Return whether two units differ only in their prefix.

    >>> differ_in_prefix("kg", "g"), differ_in_prefix("g", "m")
    (True, False)
    """
    first, second = _PREFIXED.fullmatch(one), _PREFIXED.fullmatch(other)
    if not first or not second or one == other:
        return False
    return one[first.start("unit") :] == other[second.start("unit") :]


def power_of_prefix(unit: str) -> tuple[int | None, str]:
    """Return the power of ten of the prefix of a unit, and the unit without it.

    They are None and empty for an unknown unit, and for a symbol that may be something else.

    >>> power_of_prefix("kHz"), power_of_prefix("m"), power_of_prefix("eggs")
    ((3, 'Hz'), (0, 'm'), (None, ''))
    """
    match = _PREFIXED.fullmatch(unit)
    if not match or match["unit"] not in _SYMBOLS or "/" in unit:
        return None, ""
    return PREFIXES.get(match["prefix"], 0), match["unit"]
