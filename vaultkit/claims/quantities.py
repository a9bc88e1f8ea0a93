"""Finds the numbers in running text.

In a piece of text (`Prose`), matches of `vaultkit.claims.naming` are not numbers; all other matches
of `NUMBER` are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from vaultkit.claims.amounts import Amount, Quantity
from vaultkit.claims.naming import mask_names
from vaultkit.claims.numerals import LARGE, NUMERAL, TENS, parse_numeral
from vaultkit.claims.suppositions import NOT_STATED, is_condition, is_supposed, supposition_pattern
from vaultkit.read.prose import CODE, END, LINK, NAME, Prose
from vaultkit.read.sentences import clause_span

_MINUS = "-\u2212\u2010\u2011\ufe63\uff0d"
_HIGH = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUPER = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5),
           "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7),
           "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8)}  # fmt: skip
_BLANK = " \u00a0\u202f\u2009"
# Longer numbers are cut: Python refuses to parse thousands of digits.
_LONGEST = 60
_DIGITS = rf"(?:\d{{1,3}}(?:[,_]\d{{3}})+|\d{{1,3}}(?:[{_BLANK}]\d{{3}})+|\d+)(?!\d)"
_POWER = r"(?:\^[-−+]?\d+|\^\{[-−+]?\d+\}|\*\*-?\d+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
SCALE = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "k": 3, "K": 3, "M": 6,
          "B": 9, "G": 9, "kB": 3, "KB": 3, "MB": 6, "GB": 9, "TB": 12, "KiB": 3, "MiB": 6,
          "GiB": 9, "ms": -3, "µs": -6, "μs": -6, "us": -6, "ns": -9, "percent": -2,
          "per cent": -2, "%": -2, "‰": -3}  # fmt: skip
_PERCENT_SIGNS = {"%", "percent", "per cent"}
BINARY = {"kB": 10, "KB": 10, "MB": 20, "GB": 30, "TB": 40, "KiB": 10, "MiB": 20, "GiB": 30}
_UNITS = "|".join(sorted(map(re.escape, SCALE), key=len, reverse=True))
NUMBER = re.compile(
    rf"(?:(?<![\w.^])|(?<=[\w)]\^)(?=[{_MINUS}]?\d*\.\d))"
    rf"(?:(?<![\w)\]{END}{NAME}½¼¾%])(?P<sign>[\{_MINUS}+±–]))?"
    rf"(?:(?P<whole>{_DIGITS})?(?P<vulgar>[{''.join(VULGAR)}])"
    rf"|(?P<number>{_DIGITS}(?:\.\d+)?|\.\d+)"
    rf"(?P<exponent>[eE][-+−]?\d+|[{_BLANK}]?[×·⋅x*][{_BLANK}]?10{_POWER}|{_POWER})?"
    rf"(?P<over>[{_BLANK}]?[/⁄∕][{_BLANK}]?\d+(?:\.\d+)?(?![\w/]))?)"
    rf"(?P<unit>[{_BLANK}]?(?:{_UNITS})(?!\w))?"
    r"(?P<glued>[^\W\d_]+)?(?![\d]|\.\d)"
)
_FACTOR_OF_TEN = re.compile(rf"[eE]|[{_BLANK}]?[×·⋅x*][{_BLANK}]?10")
_DIGIT = re.compile(rf"[\d{''.join(VULGAR)}]")
#: Letters that may follow an integer directly; others make it a name.
_GLUED = {"s", "x", "th", "st", "nd", "rd", "px", "pt", "em", "d", "D", "h", "m", "min", "cm", "mm",
          "W"}  # fmt: skip
_FALLING = re.compile(
    r"(?i:\b(?:fell|falls?|fallen|dropp?(?:s|ed)?|decreas(?:es?|ed|ing)|shrinks?|shrank|shrunk"
    r"|lower(?:s|ed)?|reduc(?:es?|ed|ing)|los(?:es?|t|ing)|sinks?|sank|sunk|declin(?:es?|ed)|smaller|less|differs?"
    r"|differing|down|apart|off|away|drop|decline|decrease|reduction|loss|saving)\s(?:by|of)\s(?:about\s|only\s)?"
    r"|\b(?:sav(?:es?|ed|ing)|los(?:es?|t|ing))\s(?:about\s|only\s)?)$"
)
#: Words behind a number and its unit that say that it is below another one.
_LESS = re.compile(
    r"\s?(?:%|°\s?[CF]|[^\W\d]{1,12})?\s(?i:below|beneath|less|lower|smaller|fewer|cheaper|shorter)\b"
)
_ABOUT = re.compile(
    r"(?i:\b(?:about|around|roughly|nearly|almost|approximately|some|circa|over|under|more than"
    r"|less than)\s(?:the\s)?|[≈~∼]\s?)$"
)
_AND = re.compile(rf"[\s,;|&{CODE}{END}\[\]()]*(?:\band\b|\bor\b|\bto\b|–)?[\s{CODE}{END}\[\]()]*")
_OPENS, _CLOSES = re.compile(r"[(\[]\s?$"), re.compile(r"\s?[)\]]")
_NEGATIVE = re.compile(r"(?i:\b(?:minus|negative)\s)$")


#: A variable, or an element of one: ``x``, ``alpha[1, 0]``.
_ELEMENT = r"[A-Za-z]\w*(?:\[-?\d{1,3}(?:\s?,\s?-?\d{1,3}){0,3}\])?"
#: The subject of a value: code, mathematics, or a letter or a name with an underscore in text.
_OF = re.compile(
    rf"(?:{CODE}(?P<code>{_ELEMENT}){END}\s?(?:=|==|is|equals)\s?{CODE}?"
    rf"|{CODE}(?P<within>{_ELEMENT})\s?==?\s?"
    rf"|(?<![\w'’.,\-{CODE}])(?P<plain>[B-HJ-Zb-z]|[A-Za-z]+_\w+|[A-Za-z]\w*[₀-₉])\s?=\s?)$"
)
#: What may follow the value of a subject.
_STATED = re.compile(
    rf"{END}?(?![\w%^]|\.\d|\s?[-+*/·×−–%]|,\d|{END}?\s(?:or|to|times|if|when|unless|more|less|of|by|and"
    r"\s\d|percent|per)\b)"
)
_SENTENCE = re.compile(r"[.!?:;](?:\s|$)")


def _name_before(text: str, found: re.Match[str]) -> tuple[str, bool]:
    """Return the name whose value the text states, and whether it is in code; or an empty name."""
    named = _OF.search(text, max(0, found.start() - 60), found.start())
    if not named or not _STATED.match(text, found.end()):
        return "", False
    if named["plain"] and text.rfind(CODE, 0, named.start()) > text.rfind(END, 0, named.start()):
        return "", False  # the name of an argument in a call
    begins, ends = clause_span(text, named.start(), found.end())
    supposed = NOT_STATED.search(text, begins, named.start()) or text[ends : ends + 1] == "?"
    name = named["code"] or named["within"] or named["plain"]
    # Formulas count from 1: x₂ is x[1], and S₂₁ is S[1, 0].
    if low := re.search("[₀-₉]+$", name):
        name = name[: low.start()] + str([int(digit) - 1 for digit in low[0].translate(_HIGH)])
    is_below_first = bool(low) and "[-" in name
    return ("" if supposed or is_below_first else name), not named["plain"]


_TICKS = str.maketrans(CODE + END, "``")


def _states_nothing(text: str, at: int) -> bool:
    """Return whether a number is in code that states nothing, as in *Set `n = 12`, and look*.

    Formulas with a relation are not handled here.
    """
    first, last = text.rfind(CODE, 0, at), text.find(END, at)
    is_in_code = first >= 0 and last >= 0 and text.rfind(END, 0, at) <= first
    code = text[first:last]
    if not is_in_code or not re.search("[=<>]", code):
        return False
    begins, ends = clause_span(text, first, last)
    before, behind = text[begins:first].lstrip(), text[last + 1 : ends + 1]
    if re.search("==|!=|[<>]", code) and is_condition(before, behind):
        return True
    return is_supposed(before.translate(_TICKS), behind.translate(_TICKS))


#: Numbers in brackets that are too small to be judged one by one; a shape may look like this, too.
_SMALL = rf"(?:\s?[{_MINUS}]?\d\s?,){{1,}}\s?[{_MINUS}]?\d\s?"
#: In square brackets only as a stated value, since these may also refer to sources.
_VECTOR = re.compile(
    rf"(?<![\w)\]}}{END}])\({_SMALL}\)"
    rf"|(?:(?<=\bis )|(?<=\bare )|(?<=\bvector )|(?<=\brow ))\[{_SMALL}\]"
)
#: Words after which brackets contain a place or bounds; and words that continue such a list.
_PLACE = re.compile(
    r"(?i:\b(?:elements?|entry|entries|position|index|indices|cells?|axis|axes|intervals?|range|between"
    r"|pairs?|scores?|seeds?|equations?|exercises?|sections?|steps?|cases?|parts?|at|in|on|within|over"
    r"|not|than|instead of)\s(?:the\s|of\s)?)"
    rf"[{CODE}(]?$"
)
_NEXT = re.compile(rf"{END}?,?(?:\s(?:and|or|to))?\s{CODE}?")


def stated_vectors(prose: Prose) -> Iterator[Quantity]:
    """Yield the vectors of small integers in a piece of text."""
    text, end = prose.text, -1
    is_place = is_vector = False
    for found in _VECTOR.finditer(text):
        start = found.start()
        # In *at (0, 1) and (1, 2)*, the second brackets contain a place like the first.
        continues_list = end >= 0 and bool(_NEXT.fullmatch(text, end, start))
        if not continues_list:
            is_place = bool(_PLACE.search(text, max(0, start - 30), start))
        end = found.end()
        within_code = text.rfind(CODE, 0, start) > text.rfind(END, 0, start)
        all_of_code = text[start - 1 : start] == CODE and text[end : end + 1] == END
        continues = continues_list and is_vector
        is_vector = not is_place and (all_of_code or not within_code)
        if not is_vector:
            continue
        minus = str.maketrans(_MINUS, "-" * len(_MINUS))
        numbers = re.findall(r"-?\d", found[0].translate(minus))
        row = tuple(Amount(Fraction(number), Fraction(1), whole=True) for number in numbers)
        reason = prose.reason_behind(text, end)
        line, column = prose.place_of(start)
        yield Quantity(
            line, found[0], reason, prose.place, (row,), column, continues, is_vector=True
        )


def stated_quantities(prose: Prose) -> Iterator[Quantity]:
    """Yield the numbers in a piece of text."""
    yield from _numbers_in_words(prose)
    yield from _fractions(prose)
    if not _DIGIT.search(prose.text):
        return
    yield from stated_vectors(prose)
    yield from _numbers_in_digits(prose)


@dataclass(frozen=True)
class _Number:
    """A number in digits with its readings; a small one is read only if it follows a name."""

    number: re.Match[str]
    #: What it may mean; of one reading, the page must have all amounts.
    readings: tuple[tuple[Amount, ...], ...]
    name: str
    is_of_code: bool
    is_small: bool


def _numbers_in_digits(prose: Prose) -> Iterator[Quantity]:
    """Yield the numbers in digits."""
    text = _FACTOR.sub(" ", mask_names(prose.text))
    found = [one for number in NUMBER.finditer(text) if (one := _read_number(text, number))]
    sentence_starts = [0, *(stop.end() for stop in _SENTENCE.finditer(text))]
    last_end = last_start = -1  # where the number before ends, and where its sentence starts
    for one in found:
        first, end = one.number.span()
        start = sentence_starts[bisect_right(sentence_starts, first) - 1]
        continues = last_end >= 0 and bool(_AND.fullmatch(text, last_end, first))
        between = text[last_end:first] if start == last_start and last_end >= 0 else ""
        last_end, last_start = end, start
        reason = prose.reason_behind(text, end)
        if not reason and prose.covers_last and one is found[-1]:
            reason = prose.last_reason()
        line, column = prose.place_of(first)
        yield Quantity(
            line,
            one.number[0].strip(),
            reason,
            prose.place,
            one.readings,
            column,
            continues,
            opens=bool(_OPENS.search(text, max(0, first - 2), first)),
            closes=bool(_CLOSES.match(text, end)),
            of=one.name,
            is_of_code=one.is_of_code,
            is_small=one.is_small,
            sentence=prose.place_of(start),
            text_before=between[:_LONGEST],
            leads=bool(_LEADS.fullmatch(text[start:first].strip())),
            word=_value_word(text[start:first], one.number, text[end:][:_LONGEST]),
            bounds=_bounds(text[max(0, start, first - 60) : first]),
        )


def _read_number(text: str, number: re.Match[str]) -> _Number | None:
    """Return a number in digits with its readings; None if it states nothing or has no reading.

    A small integer has no readings, as it may mean anything, but for the value of a name: *n = 3*.
    """
    if _states_nothing(text, number.start()):
        return None
    before = text[max(0, number.start() - 60) : number.start()]
    readings = tuple(dict.fromkeys(_readings(number, before)))
    if more := _MORE.match(text, number.end()):
        readings = tuple(_with_digit_added(reading, int(more[1])) for reading in readings)
    name, is_of_code = _name_before(text, number)
    is_small = bool(name and not readings and number[0].isdigit())
    if is_small:
        readings = ((Amount(Fraction(number[0]), Fraction(1), whole=True),),)
    return _Number(number, readings, name, is_of_code, is_small) if readings else None


_LEADS = re.compile(rf"(?:At|After|For|With|In)(?:\s[a-z]+){{0,2}}(?:\s{CODE}?[A-Za-z_]\w*\s?=)?")
#: *The loss is 0.37*, *has slope 1.04*: only the verb is between the word and its value.
_WORD = re.compile(
    rf"(?:^|[,:(]\s|\b(?:the|and|has|have|with|then)\s[{CODE}*]*)(?P<word>[A-Za-z][a-z]{{2,}})[{END}{LINK}*]*"
    r"(?:(?P<verb>\s(?:is|was|equals|comes\sto)(?:\s(?:about|only|now|just|exactly|nearly))?|\s?=)?)"
    rf"\s[{CODE}]?$",
    re.IGNORECASE,
)
_WORD_ENDS = re.compile(rf"[{END}*]*(?:[.,;:!?)](?:\s|$)|\s?$|\s(?:and|but|so|while|which)\s)")
_IF = supposition_pattern(
    "no", "without", "than", "other", "another", "mistake", "first", "last", "next", "each", "every"
)


def _value_word(before: str, number: re.Match[str], behind: str) -> str:
    """Return the word whose value a number states; empty if there is none."""
    found = _WORD.search(before.lstrip())
    if not found or not _WORD_ENDS.match(behind) or _IF.search(before):
        return ""
    # *Layer 12* does not state a value of 12.
    return found["word"] if found["verb"] or "." in number[0] else ""


#: *Less than 0.9* states that some number is smaller, whatever it rounds to.
_BOUNDS = re.compile(
    r"(?i:(?P<no>\b(?:not?|never|nor|hardly|cannot be)\s(?:\w+\s)?)?\b"
    r"(?:(?P<less>(?:less|smaller|lower|fewer)\sthan|below|at\smost)"
    r"|(?P<more>(?:more|greater|larger|higher|bigger)\sthan|above|at\sleast)|(?P<between>between))"
    r"\s(?:about\s)?)$"
)


def _bounds(before: str) -> str:
    """Return which bound of a value a number is, by the words before it; empty if it is none.

    >>> _bounds("it is less than "), _bounds("between "), _bounds("no more than "), _bounds("is ")
    ('less', 'between', '', '')
    """
    found = _BOUNDS.search(before)
    if not found or found["no"]:
        return ""
    return found.lastgroup or ""


#: *20 000 + 1*: a digit that is added to an exact number.
_MORE = re.compile(r"\s?\+\s?(\d)(?!\w|[.,]\d|\s?[-+*/^×·−])")


def _with_digit_added(reading: tuple[Amount, ...], more: int) -> tuple[Amount, ...]:
    """Return the reading of *20 000 + 1*: the sum, if the first number is an integer alone."""
    *others, last = reading or (None,)
    if last is None or others or last.value.denominator != 1:
        return reading
    return (replace(last, value=last.value + more, unit=Fraction(1), whole=True),)


#: *x1.5* and *x129* are factors, except in code, where they are names.
_FACTOR = re.compile(rf"(?<![\w{CODE}.])x(?=\d{{2}}|\d\.\d)")
#: Numbers in words, from *eleven* on: *ten* and *a hundred* may be figures of speech.
_SPELLED = re.compile(rf"(?<![\w-])(?i:{NUMERAL})(?![\w’'-]|\syears\sago)")


_PERCENT = re.compile(r"\sper\s?cent\b")
#: Every match contains one of these; searching for them first is faster.
_WORDS = ("eleven", "twelve", "teen", *TENS, *LARGE, "cent")


#: Fractions in words: *two thirds*, *one quarter*; *half* and *a third* may be figures of speech.
_PARTS = {
    "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10,
}  # fmt: skip
_FRACTION = re.compile(
    rf"(?<![\w-])(?i:(?P<one>one)|(?P<above>two|three|four|five|six|seven|eight|nine))[- ]"
    rf"(?P<part>{'|'.join(_PARTS)})(?(one)|s)(?![\w’'-]|\s(?:way|time)s?\b)"
)
#: Largest distance of a number from the fraction in words that states it.
_ROUGH = Fraction(1, 20)


def _fractions(prose: Prose) -> Iterator[Quantity]:
    """Yield the fractions in words: *two thirds*."""
    text = prose.text.lower()
    if not any(part in text for part in _PARTS):
        return
    for found in _FRACTION.finditer(prose.text):
        value = Fraction(
            parse_numeral(found["one"] or found["above"]), _PARTS[found["part"].lower()]
        )
        if value >= 1:
            continue
        share = Amount(value, _ROUGH, (Fraction(1), Fraction(1, 100)), is_rough=True)
        reason = prose.reason_behind(prose.text, found.end())
        line, column = prose.place_of(found.start())
        yield Quantity(line, found[0], reason, prose.place, ((share,),), column)


def _numbers_in_words(prose: Prose) -> Iterator[Quantity]:
    """Yield the numbers in words from eleven on, and all percentages in words."""
    text = prose.text.lower()
    if not any(word in text for word in _WORDS):
        return
    for found in _SPELLED.finditer(prose.text):
        value = parse_numeral(found[0])
        title = found[0][0].isupper() and prose.text[found.end() + 1 : found.end() + 2].isupper()
        percent = _PERCENT.match(prose.text, found.end())
        if (value < 11 and not (percent and value)) or title:
            continue
        scales = (Fraction(1), Fraction(100)) if percent else (Fraction(1),)
        exact = Amount(Fraction(value), Fraction(1), scales, whole=not percent)
        readings = [replace(exact, is_rough=value < 11)]
        if value % 10 == 0:
            # *Fifty* may be rounded.
            unit = 10 ** (len(str(value)) - len(str(value).rstrip("0")))
            readings.append(Amount(Fraction(value), Fraction(unit), scales))
        end = percent.end() if percent else found.end()
        reason = prose.reason_behind(prose.text, end)
        line, column = prose.place_of(found.start())
        text = prose.text[found.start() : end]
        own = tuple((amount,) for amount in readings)
        yield Quantity(line, text, reason, prose.place, own, column)


def _readings(found: re.Match[str], before: str) -> Iterator[tuple[Amount, ...]]:
    """Yield each possible reading of a number: amounts that must all be backed.

    ``before`` is the text before the number, which may say that it falls or is approximate.
    """
    is_negative = found["sign"] in (*_MINUS, "–") or bool(_NEGATIVE.search(before))
    sign = -1 if is_negative else 1
    falls = _FALLING.search(before) or _LESS.match(found.string, found.end())
    either = found["sign"] == "±" or bool(falls)
    if found["vulgar"]:
        yield (Amount(sign * parse_vulgar(found), Fraction(0), either_sign=either),)
        return
    digits = found["number"]
    decimal = "." in digits
    if _is_name(found, decimal):
        return
    exponent = found["exponent"] or ""
    if not exponent or factor_of_ten(exponent) is not None:
        yield from _scaled_readings(found, sign, either, bool(_ABOUT.search(before)))
    elif digits == "10":
        # A power of ten without a factor.
        value = Fraction(10) ** parse_exponent(exponent) * sign
        yield (Amount(value, Fraction(0), either_sign=either),)
    else:
        # Another power: its value, or its base and exponent as two numbers.
        base, top = Fraction(parse_grouped_digits(digits)), parse_exponent(exponent)
        power = parse_power(digits, exponent)
        if power is not None:
            yield (Amount(sign * power, Fraction(0), either_sign=either),)
        if top > 0:
            yield (
                Amount(base, unit_of_last_digit(digits), whole=not decimal),
                Amount(Fraction(top), Fraction(1), whole=True),
            )


def _is_name(found: re.Match[str], decimal: bool) -> bool:
    """Return whether letters directly behind a number make it a name: *7B* is that of a model."""
    unit = found["unit"] or ""
    if unit in ("k", "K", "M", "B", "G") and not decimal and len(found["number"]) < 2:
        return True
    return bool(found["glued"]) and not decimal and not unit and found["glued"] not in _GLUED


def _scaled_readings(
    found: re.Match[str], sign: int, either: bool, about: bool
) -> Iterator[tuple[Amount, ...]]:
    """Yield the readings of a number that may have a power of ten, a unit and a divisor.

    ``sign`` is that of the number; ``either``, whether it may have the other one, too; ``about``,
    whether the words before it say that it is approximate.
    """
    digits, exponent = found["number"], found["exponent"] or ""
    decimal = "." in digits
    unit = (found["unit"] or "").strip(_BLANK)
    power = factor_of_ten(exponent)
    scale = Fraction(10) ** power if power is not None else Fraction(1)
    scales = [Fraction(1)]
    if unit:
        # 0.37 % cannot be a rounding of 0.37.
        scales = (
            []
            if unit in _PERCENT_SIGNS and abs(Decimal(parse_grouped_digits(digits))) < 1
            else scales
        )
        scales.append(1 / Fraction(10) ** SCALE[unit])
        if unit in BINARY:
            scales.append(1 / Fraction(2) ** BINARY[unit])
    value = sign * Fraction(parse_grouped_digits(digits)) * scale
    # An integer is exact, unless a unit, a power of ten or *about* shows that it is rounded.
    rounded = decimal or unit or power is not None or about
    amount = Amount(value, unit_of_last_digit(digits) * scale, tuple(scales), either, not rounded)
    if found["over"]:
        below = parse_divisor(found)
        if below:
            yield (Amount(value / below, Fraction(0), tuple(scales), either, over=below),)
        if max(abs(value), below) >= 10:
            yield (
                amount,
                Amount(below, unit_of_last_digit(found["over"]), whole=below.denominator == 1),
            )
        return
    if not decimal and digits[0] == "0" and len(digits) > 1:
        yield ()  # a leading zero: not a number, so nothing backs it
    elif _must_be_backed(amount) or unit or power is not None:
        yield (amount,)
        parts = re.split("[ ,]", digits)
        if not decimal and len(parts) > 1 and not any(part.startswith("0") for part in parts):
            several = [Amount(Fraction(part), Fraction(1), whole=True) for part in parts]
            yield tuple(part for part in several if _must_be_backed(part))


def _must_be_backed(amount: Amount) -> bool:
    """Return whether a number must be backed: decimals, and integers from 10 on."""
    return amount.unit != 1 or abs(amount.value) >= 10


def factor_of_ten(exponent: str) -> int | None:
    """Return the power of a factor of ten behind a number; None for a power of the number itself.

    >>> factor_of_ten("e-3"), factor_of_ten(" × 10⁵"), factor_of_ten("*10^-3"), factor_of_ten("^2")
    (-3, 5, -3, None)
    """
    found = _FACTOR_OF_TEN.match(exponent)
    return parse_exponent(exponent[found.end() :]) if found else None


def parse_exponent(text: str) -> int:
    """Return the exponent of a power of ten, as in ``^{-3}``; at most 400."""
    power = int(re.sub(r"[\^{}*]", "", text.translate(_SUPER)).replace("−", "-")[:_LONGEST])
    return max(-400, min(400, power))


def parse_vulgar(found: re.Match[str]) -> Fraction:
    """Return the value of a match of `NUMBER` with a fraction in one character.

    >>> parse_vulgar(NUMBER.search("2½"))
    Fraction(5, 2)
    """
    whole = Fraction(parse_grouped_digits(found["whole"])) if found["whole"] else Fraction(0)
    return whole + Fraction(*VULGAR[found["vulgar"]])


def parse_divisor(found: re.Match[str]) -> Fraction:
    """Return the number behind the stroke in a match of `NUMBER`: 4 in *3/4*."""
    return Fraction(found["over"].strip(_BLANK + "/⁄∕")[:_LONGEST])


def parse_power(digits: str, exponent: str) -> Fraction | None:
    """Return the power of a number; None if it has too many digits, or none.

    >>> parse_power("3", "^2"), parse_power("2", "^999"), parse_power("0", "^-1")
    (Fraction(9, 1), None, None)
    """
    base, top = Fraction(parse_grouped_digits(digits)), parse_exponent(exponent)
    return Fraction(base**top) if abs(top) <= 64 and (base or top > 0) else None


def parse_grouped_digits(digits: str) -> Decimal:
    """Return a number whose digits are in groups.

    >>> parse_grouped_digits("12 345"), parse_grouped_digits("1,024.5")
    (Decimal('12345'), Decimal('1024.5'))
    """
    return Decimal(re.sub(rf"[{_BLANK},_]", "", digits)[:_LONGEST])


def unit_of_last_digit(digits: str) -> Fraction:
    """Return one unit in the last digit of a number.

    >>> unit_of_last_digit("0.25"), unit_of_last_digit("12")
    (Fraction(1, 100), Fraction(1, 1))
    """
    return Fraction(1, 10 ** len(digits.partition(".")[2][:_LONGEST]))
