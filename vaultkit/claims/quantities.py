"""Chooses the numbers of running text that must occur on its page, with their possible meanings.

In a piece of text (`Prose`), matches of `vaultkit.claims.naming` are not numbers. The numbers
themselves are read by `vaultkit.claims.numbers`. A *reading* of a number is a tuple of amounts, all
of which the page must have; a number with several readings may mean any of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from vaultkit.claims.amounts import Amount, Quantity
from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.naming import mask_names
from vaultkit.claims.numbers import (
    BLANK,
    MINUS,
    NUMBER,
    ROUGH,
    TEN,
    VULGAR,
    Digits,
    Number,
    numbers_in_words,
    read_digits,
    scales_of_suffix,
)
from vaultkit.claims.suppositions import NOT_STATED, is_condition, is_supposed
from vaultkit.read.prose import CODE, END, Prose
from vaultkit.read.sentences import clause_span

_ENGLISH = lexicon()
_FROM_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_DIGIT = re.compile(rf"[\d{VULGAR}]")
#: Most characters before a number in which words say something of it.
_CLOSE_BEFORE = 60
#: Letters that may follow an integer directly; others make it a name.
_GLUED = {"s", "x", "th", "st", "nd", "rd", "px", "pt", "em", "d", "D", "h", "m", "min", "cm", "mm",
          "W"}  # fmt: skip
_PERCENT_SIGNS = {"%", *_ENGLISH.words["signs_of_units"]["%"]}
_PERCENT = _ENGLISH.regex(r"\s<signs_of_units.%>$")
_ABOUT_OR_ONLY = r"(?:(?:<amounts.only>)\s)?$"
#: A number behind one of these may be the distance from a larger number.
_FALLING = _ENGLISH.regex(
    rf"\b<amounts.falling>\s<amounts.by>\s{_ABOUT_OR_ONLY}|\b<amounts.saving>\s{_ABOUT_OR_ONLY}"
)
#: Words behind a number and its unit that say that it is below another one.
_LESS = _ENGLISH.regex(r"\s?(?:%|°\s?[CF]|[^\W\d]{1,12})?\s<amounts.below>\b")
_ABOUT = _ENGLISH.regex(r"\b<amounts.about>\s(?:<binding.article>\s)?$|[≈~∼]\s?$")
#: All of the text between two numbers of a list: *0.1, 0.2 and 0.7*.
_JOINING = _ENGLISH.regex(
    rf"[\s,;|&{CODE}{END}\[\]()]*(?:\b<quantities.joining>\b|–)?[\s{CODE}{END}\[\]()]*", re.NOFLAG
)
_NEGATIVE = _ENGLISH.regex(r"\b<before.minus>\s$")


#: A variable, or an element of one: ``x``, ``alpha[1, 0]``.
_ELEMENT = r"[A-Za-z]\w*(?:\[-?\d{1,3}(?:\s?,\s?-?\d{1,3}){0,3}\])?"
#: The subject of a value: code, mathematics, or a letter or a name with an underscore in text.
_OF = _ENGLISH.regex(
    rf"(?:{CODE}(?P<code>{_ELEMENT}){END}\s?(?:=|==|<quantities.equals>)\s?{CODE}?"
    rf"|{CODE}(?P<within>{_ELEMENT})\s?==?\s?"
    rf"|(?<![\w'’.,\-{CODE}])(?P<plain>[B-HJ-Zb-z]|[A-Za-z]+_\w+|[A-Za-z]\w*[₀-₉])\s?=\s?)$",
    re.NOFLAG,
)
#: What may follow the value of a subject; not *or 4*, *%* or a sign.
_VALUE_END = _ENGLISH.regex(
    rf"{END}?(?![\w%^]|\.\d|\s?[-+*/·×−–%]|,\d|{END}?\s(?:<quantities.not_alone>|<clauses.joining>\s\d)\b)",
    re.NOFLAG,
)
_SENTENCE = re.compile(r"[.!?:;](?:\s|$)")


def _name_before(text: str, found: re.Match[str]) -> tuple[str, bool]:
    """Return the name whose value a number is, and whether it is in code; or an empty name.

    It is ``n`` for the 6 in *`n` = 6*. An index counts from 0: ``S[1, 0]`` for *S₂₁ = 3*.
    """
    named = _OF.search(text, max(0, found.start() - _CLOSE_BEFORE), found.start())
    if not named or not _VALUE_END.match(text, found.end()):
        return "", False
    if named["plain"] and _is_in_code(text, named.start()):
        return "", False  # the name of an argument in a call
    begins, ends = clause_span(text, named.start(), found.end())
    if NOT_STATED.search(text, begins, named.start()) or text[ends : ends + 1] == "?":
        return "", not named["plain"]
    name = named["code"] or named["within"] or named["plain"]
    if subscript := re.search("[₀-₉]+$", name):
        index = [int(digit) - 1 for digit in subscript[0].translate(_FROM_SUBSCRIPTS)]
        # *x₀* is no element of x, and *x₁₀* none of a matrix.
        name = f"{name[: subscript.start()]}{index}" if min(index) >= 0 else ""
    return name, not named["plain"]


def _is_in_code(text: str, at: int) -> bool:
    """Return whether a position of a text is between the marks of code."""
    return text.rfind(CODE, 0, at) > text.rfind(END, 0, at)


_TICKS = str.maketrans(CODE + END, "``")


def _states_nothing(text: str, at: int) -> bool:
    """Return whether a number is in code that states nothing, as in *Set `n = 12`, and look*.

    Only code with a sign such as ``=`` or ``<`` could state something about the number.
    """
    first, last = text.rfind(CODE, 0, at), text.find(END, at)
    code = text[first:last] if last >= 0 and _is_in_code(text, at) else ""
    if not re.search("[=<>]", code):
        return False
    begins, ends = clause_span(text, first, last)
    before, behind = text[begins:first].lstrip(), text[last + 1 : ends + 1]
    if re.search("==|!=|[<>]", code) and is_condition(before, behind):
        return True
    return is_supposed(before.translate(_TICKS), behind.translate(_TICKS))


#: Numbers in brackets that are too small to be judged one by one; a shape may look like this, too.
_SMALL = rf"(?:\s?[{MINUS[:-1]}]?\d\s?,){{1,}}\s?[{MINUS[:-1]}]?\d\s?"
#: In square brackets only as a stated value, since these may also refer to sources.
_BEFORE_VECTOR = "|".join(
    rf"(?<=\b{word}\s)" for word in _ENGLISH.words["quantities"]["before_vector"]
)
_VECTOR = re.compile(rf"(?<![\w)\]}}{END}])\({_SMALL}\)|(?:{_BEFORE_VECTOR})\[{_SMALL}\]")
#: Words after which brackets contain a place or bounds; and words that continue such a list.
_PLACE = _ENGLISH.regex(
    rf"\b<quantities.before_place>\s(?:<quantities.the_or_of>\s)?[{CODE}(]?$", re.IGNORECASE
)
_NEXT = _ENGLISH.regex(rf"{END}?,?(?:\s<quantities.joining>)?\s{CODE}?", re.NOFLAG)
_MINUS_TO_ASCII = str.maketrans(MINUS, "-" * len(MINUS))
#: Most characters before brackets in which words say what they contain.
_CLOSE_BEFORE_BRACKETS = 30


def _stated_vectors(prose: Prose) -> Iterator[Quantity]:
    """Yield the vectors of small integers in a piece of text: *(2, −1)*."""
    text, end = prose.text, -1
    is_place = is_vector = False
    for found in _VECTOR.finditer(text):
        start = found.start()
        # In *at (0, 1) and (1, 2)*, the second brackets contain a place like the first.
        is_next = end >= 0 and bool(_NEXT.fullmatch(text, end, start))
        if not is_next:
            is_place = bool(_PLACE.search(text, max(0, start - _CLOSE_BEFORE_BRACKETS), start))
        end = found.end()
        is_whole_code = text[start - 1 : start] == CODE and text[end : end + 1] == END
        continues_list = is_next and is_vector
        is_vector = not is_place and (is_whole_code or not _is_in_code(text, start))
        if not is_vector:
            continue
        numbers = re.findall(r"-?\d", found[0].translate(_MINUS_TO_ASCII))
        row = tuple(Amount(Fraction(number), Fraction(1), is_integer=True) for number in numbers)
        line, column = prose.place_of(start)
        yield Quantity(
            line,
            found[0],
            prose.reason_behind(text, end),
            prose.place,
            (row,),
            column,
            continues_list,
            is_vector=True,
        )


def stated_quantities(prose: Prose) -> Iterator[Quantity]:
    """Yield the numbers in a piece of text that must occur on its page."""
    yield from _stated_in_words(prose)
    if not _DIGIT.search(prose.text):
        return
    yield from _stated_vectors(prose)
    yield from _numbers_in_digits(prose)


@dataclass(frozen=True)
class _Number:
    """A number in digits with its readings; see the attributes of the same names of `Quantity`."""

    match: re.Match[str]
    readings: tuple[tuple[Amount, ...], ...]
    name: str
    is_name_in_code: bool
    is_small: bool


def _numbers_in_digits(prose: Prose) -> Iterator[Quantity]:
    """Yield the numbers in digits."""
    text = _FACTOR.sub(" ", mask_names(prose.text))
    numbers = [number for match in NUMBER.finditer(text) if (number := _read_number(text, match))]
    sentence_starts = [0, *(stop.end() for stop in _SENTENCE.finditer(text))]
    last_end = -1  # where the number before ends
    for number in numbers:
        first, end = number.match.span()
        start = sentence_starts[bisect_right(sentence_starts, first) - 1]
        continues_list = last_end >= 0 and bool(_JOINING.fullmatch(text, last_end, first))
        last_end = end
        reason = prose.reason_behind(text, end)
        # It may be at the end of the text, with words behind the number.
        if not reason and prose.covers_last and number is numbers[-1]:
            reason = prose.last_reason()
        line, column = prose.place_of(first)
        yield Quantity(
            line,
            number.match[0].strip(),
            reason,
            prose.place,
            number.readings,
            column,
            continues_list,
            name=number.name,
            is_name_in_code=number.is_name_in_code,
            is_small=number.is_small,
            sentence=prose.place_of(start),
            is_bound=_is_bound(text[max(0, start, first - _CLOSE_BEFORE) : first]),
        )


def _read_number(text: str, match: re.Match[str]) -> _Number | None:
    """Return a number in digits with its readings; None if it states nothing or has no reading.

    A small integer has no readings, as it may mean anything, but for the value of a name: *n = 3*.
    """
    if _states_nothing(text, match.start()):
        return None
    before = text[max(0, match.start() - _CLOSE_BEFORE) : match.start()]
    readings = tuple(dict.fromkeys(_readings(match, before)))
    if added := _ADDED_DIGIT.match(text, match.end()):
        readings = tuple(_with_digit_added(reading, int(added["digit"])) for reading in readings)
    name, is_name_in_code = _name_before(text, match)
    is_small = bool(name and not readings and match[0].isdigit())
    if is_small:
        readings = ((Amount(Fraction(match[0]), Fraction(1), is_integer=True),),)
    return _Number(match, readings, name, is_name_in_code, is_small) if readings else None


#: Words before a number that is a bound: *less than 0.9*, *between 2 and 3*.
_BOUND = _ENGLISH.regex(
    r"(?P<denied>\b<quantities.denying>\s(?:\w+\s)?)?\b"
    r"(?:<before.over>|<before.under>|<before.at_least>|<before.at_most>|<quantities.between>)"
    r"\s(?:<quantities.about>\s)?$"
)


def _is_bound(before: str) -> bool:
    """Return whether a number is a bound of a value, by the words before it.

    >>> _is_bound("it is less than "), _is_bound("between "), _is_bound("not less than ")
    (True, True, False)
    """
    found = _BOUND.search(before)
    return bool(found and not found["denied"])


#: *20 000 + 1*: a digit that is added to an exact number.
_ADDED_DIGIT = re.compile(r"\s?\+\s?(?P<digit>\d)(?!\w|[.,]\d|\s?[-+*/^×·−])")


def _with_digit_added(reading: tuple[Amount, ...], digit: int) -> tuple[Amount, ...]:
    """Return the reading of *20 000 + 1*: the sum, if the first number is an integer alone."""
    if len(reading) != 1 or reading[0].value.denominator != 1:
        return reading
    (number,) = reading
    return (replace(number, value=number.value + digit, step=Fraction(1), is_integer=True),)


#: *x1.5* and *x129* are factors, except in code, where they are names.
_FACTOR = re.compile(rf"(?<![\w{CODE}.])x(?=\d{{2}}|\d\.\d)")
#: Integers in words below this may be figures of speech.
_LEAST_IN_WORDS = 11
#: Of a smaller part in words, the tolerance (half of `ROUGH`) would be too large a share.
_LEAST_PART = Fraction(1, 10)
_NO_FRACTION = _ENGLISH.regex(r"\s<quantities.no_fraction>\b")
_AGO = _ENGLISH.regex(r"\s<quantities.ago>\b")


def _stated_in_words(prose: Prose) -> Iterator[Quantity]:
    """Yield the fractions, the percentages and the numbers from eleven on that are in words.

    *Half*, *a third*, *ten* and *a hundred* may be figures of speech.
    """
    for number in sorted(numbers_in_words(prose.text, _ENGLISH), key=lambda one: one.start):
        readings = tuple((amount,) for amount in _readings_of_words(number, prose.text))
        if not readings:
            continue
        reason = prose.reason_behind(prose.text, number.end)
        line, column = prose.place_of(number.start)
        text = prose.text[number.start : number.end]
        yield Quantity(line, text, reason, prose.place, readings, column)


def _readings_of_words(number: Number, text: str) -> Iterator[Amount]:
    """Yield what a number in words may mean, one amount for each reading.

    There is none if it may be a figure of speech, or is part of a title: *Twelve Angry Men*.
    """
    value = number.value
    if number.kind == "part" and number.is_counted and _LEAST_PART <= value < 1:
        if not _NO_FRACTION.match(text, number.end):
            # The code may have it in per cent.
            yield Amount(value, ROUGH, (Fraction(1), Fraction(1, 100)), is_rough=True)
        return
    is_title = text[number.start].isupper() and text[number.end + 1 : number.end + 2].isupper()
    if number.kind != "word" or is_title or _AGO.match(text, number.end):
        return
    is_percent = bool(_PERCENT.search(text, number.start, number.end))
    is_small = value < _LEAST_IN_WORDS
    # *Five per cent* is no figure of speech; *five* and *zero per cent* may be.
    if is_small and not (is_percent and value):
        return
    scales = (Fraction(1), Fraction(100)) if is_percent else (Fraction(1),)
    yield Amount(value, Fraction(1), scales, is_integer=not is_percent, is_rough=is_small)
    if value % TEN == 0:
        # *Fifty* may be rounded.
        zeros = len(str(value)) - len(str(value).rstrip("0"))
        yield Amount(value, Fraction(10**zeros), scales)


def _readings(found: re.Match[str], before: str) -> Iterator[tuple[Amount, ...]]:
    """Yield each possible reading of a number: amounts that must all be backed.

    ``found`` is a match of `NUMBER`; ``before`` is the text before it, which may say that it falls
    or is approximate.
    """
    number = read_digits(found)
    sign = -1 if _NEGATIVE.search(before) else 1
    falls = _FALLING.search(before) or _LESS.match(found.string, found.end())
    either_sign = found["sign"] == "±" or bool(falls)
    if not found["vulgar"] and _is_name(found):
        return
    is_power = number.base is not None
    if not is_power and number.step:
        is_about = bool(_ABOUT.search(before))
        yield from _scaled_readings(found, number, sign, either_sign, is_about)
        return
    if number.value is not None:
        yield (Amount(sign * number.value, Fraction(0), either_sign=either_sign),)
    if number.base is not None and number.exponent > 0:
        # The base and the exponent may be two numbers.
        digits = found["number"]
        step = Fraction(1, 10 ** len(digits.partition(".")[2]))
        yield (
            Amount(number.base, step, is_integer="." not in digits),
            Amount(Fraction(number.exponent), Fraction(1), is_integer=True),
        )


def _is_name(found: re.Match[str]) -> bool:
    """Return whether letters directly behind a number make it a name: *7B* is that of a model."""
    unit, is_decimal = found["unit"] or "", "." in found["number"]
    if unit in ("k", "K", "M", "B", "G") and not is_decimal and len(found["number"]) < 2:
        return True
    return bool(found["glued"]) and not is_decimal and not unit and found["glued"] not in _GLUED


def _scaled_readings(
    found: re.Match[str], number: Digits, sign: int, either_sign: bool, is_about: bool
) -> Iterator[tuple[Amount, ...]]:
    """Yield the readings of a number that may have a power of ten, a unit and a divisor.

    ``sign`` is −1 if a word before the number is a minus; ``either_sign``, whether the number may
    have the other sign, too; ``is_about``, whether words before it say that it is approximate.
    """
    digits, is_decimal = found["number"], "." in found["number"]
    unit = (found["unit"] or "").strip(BLANK)
    value, divisor = sign * (number.value or Fraction(0)), number.divisor
    scales = tuple(1 / scale for scale in scales_of_suffix(unit))
    if len(scales) > 1 and unit in _PERCENT_SIGNS and abs(value) < 1:
        scales = scales[1:]  # 0.37 % cannot be a rounding of 0.37
    # An integer is exact, unless a unit, a power of ten or *about* shows that it is rounded.
    is_rounded = is_decimal or unit or number.has_factor or is_about
    amount = Amount(value, number.step, scales, either_sign, is_integer=not is_rounded)
    if divisor is not None:
        if divisor:
            quotient = value / divisor
            yield (Amount(quotient, Fraction(0), scales, either_sign, denominator=divisor),)
        if max(abs(value), divisor) >= TEN:  # two numbers; smaller ones need not be on the page
            step = Fraction(1, 10 ** len(found["over"].partition(".")[2]))
            yield amount, Amount(divisor, step, is_integer=divisor.denominator == 1)
        return
    if not is_decimal and digits[0] == "0" and len(digits) > 1:
        yield ()  # a leading zero: not a number, so nothing backs it
    elif _must_be_backed(amount) or unit or number.has_factor:
        yield (amount,)
        # *12 345* may be two numbers.
        parts = re.split("[ ,]", digits)
        if not is_decimal and len(parts) > 1 and not any(part.startswith("0") for part in parts):
            several = [Amount(Fraction(part), Fraction(1), is_integer=True) for part in parts]
            yield tuple(part for part in several if _must_be_backed(part))


def _must_be_backed(amount: Amount) -> bool:
    """Return whether a number must be backed: decimals, and integers from 10 on."""
    return amount.step != 1 or abs(amount.value) >= TEN
