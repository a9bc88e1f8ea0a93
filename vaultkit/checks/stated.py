"""Compares the value of a bound expression with the words before it.

In ``67.05 %<!-- = wins -->``, the comment binds the number to ``wins`` (a `Binding`).
"""

from __future__ import annotations

import ast
import datetime
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from vaultkit.checks.values import as_plain_data
from vaultkit.claims.amounts import as_float
from vaultkit.claims.bindings import Binding
from vaultkit.claims.comparisons import contrary_extreme
from vaultkit.claims.expressions import is_literal
from vaultkit.claims.lexicon import Lexicon, lexicon
from vaultkit.claims.numbers import MINUS
from vaultkit.claims.relations import order_of_difference
from vaultkit.claims.stated import Stated, numbers
from vaultkit.claims.units import unit_behind, unit_named

#: What shows that the code computes a percentage: ``100 * share``, ``percent``.
_HUNDRED = re.compile(r"(?<![\w.])100(?:\.0*)?(?![\w.])|percent|pct", re.IGNORECASE)
#: The units of time in seconds.
_TIMES = (60, 3600, 86400)
#: Most words between a multiple and the comment behind it: *twice as heavy*.
_AFTER_MULTIPLE = 3
#: Most words between a name and the comment that binds it.
_BETWEEN = 2
#: How far a number may be from a literal of the code: ``0.333`` is a third.
_ROUNDING = Fraction(1, 1000)
#: How far a value may be from a share in words: *one in ten*.
_ROUGH = Fraction(1, 20)
#: Most values that a message lists.
_LISTED = 12
#: Numbers from here on are shown without decimals in place of a number in words.
_LARGE = 999.5
#: Most decimals beyond those stated in which a value is shown.
_MORE = 6
#: The words and numbers of a date, ``12/6/2024``, ``2024-06-12``, ``14:30``, *June*; and most of
#: them that are read.
_DATE_TOKEN = re.compile(r"\d\d?[/.]\d\d?[/.]\d{4}|\d+(?::\d+)*(?:-\d+)*|[^\W\d_]+")
_DATE_TOKENS = 10
#: The digits of a number that can be rewritten.
_PLAIN = re.compile(r"[\d,]+(?:\.\d+)?")
_WORD = re.compile(r"[^\W_]+(?:[’'.-][^\W_]+)*")


@dataclass(frozen=True)
class Judged:
    """Whether words state a value, the evidence or failure, and the places of the numbers.

    ``rewrites`` are the numbers that differ: line, column, digits, and the digits of the value;
    these have their signs.
    ``now`` are the numbers if one differs: each as the text has it, and as the code gives it.
    """

    holds: bool
    why: str
    places: tuple[tuple[int, int], ...] = ()
    rewrites: tuple[tuple[int, int, str, str], ...] = ()
    now: tuple[tuple[str, str], ...] = ()


class Placed(NamedTuple):
    """A number that a text states, with its line and column; these are None in a formula."""

    number: Stated
    place: tuple[int, int] | None


def judge_value(binding: Binding, value: Any, text: str) -> Judged:
    """Judge whether the words before a comment state a value.

    Parameters
    ----------
    binding
        The words and the code.
    value
        The value as plain data.
    text
        The value as text, for messages.
    """
    words = lexicon(binding.language or "en")
    extreme = contrary_extreme(binding.sentence, binding.words[binding.at :], binding.tree, words)
    if extreme:
        return Judged(False, f"“{extreme}” contradicts {binding.code}, which is {text}")
    match value:
        case Fraction():
            return _judge_numbers(binding, [value], [text], words)
        case [*several] if several and all(isinstance(one, Fraction) for one in several):
            return _judge_numbers(binding, several, [shortened(one) for one in several], words)
        case datetime.date() | datetime.time():
            is_stated = _ends_with_date(binding.words[: binding.at], value, words)
        case str():
            is_stated = _ends_with(binding, [value], words)
        case [*several] if several:
            is_stated = _ends_with(binding, [str(one) for one in several], words)
        case _:
            return Judged(False, f"{binding.code} is {text}, which no words can state")
    why = f"value of {binding.code}: {text}" if is_stated else f"{binding.code} is {text}"
    return Judged(is_stated, why)


class StatedBound(NamedTuple):
    """A bound or multiple that a sentence states before a condition.

    Attributes
    ----------
    wrong
        Its words, if the condition has another number; else empty.
    places
        Its line and column; empty if there is none.
    """

    wrong: str = ""
    places: tuple[tuple[int, int], ...] = ()


def stated_bound(binding: Binding) -> StatedBound:
    """Compare a bound or multiple before a condition with the number in the condition.

    *Less than half* belongs to `share < 0.5`, and *twice as heavy* to `a == 2 * b`.
    """
    words = lexicon(binding.language or "en")
    ahead = binding.words[: binding.at]
    stated = [
        number
        for number in numbers(ahead, binding.at, words, in_percent=True)
        if number.bounds or number.times
    ]
    if not isinstance(binding.tree, ast.Compare) or len(binding.tree.ops) != 1 or not stated:
        return StatedBound()
    last = stated[-1]
    sides = [binding.tree.left, *binding.tree.comparators]
    # A unit may follow a bound, and *as heavy* a multiple.
    most_between = _AFTER_MULTIPLE if last.times else 1
    if len(ahead[last.end :].split()) > most_between:
        return StatedBound()
    literals = [side for side in sides if is_literal(side)]
    if last.times:  # the 2 of ``2 * b``
        literals += [
            factor
            for side in sides
            if isinstance(side, ast.BinOp) and isinstance(side.op, (ast.Mult, ast.Div))
            for factor in (side.left, side.right)
            if is_literal(factor)
        ]
    values = [as_plain_data(ast.literal_eval(literal)) for literal in literals]
    values = [value for value in values if isinstance(value, Fraction) and value]
    if not values:
        return StatedBound()
    known = [last.value * scale for scale in last.scales]
    if last.scales[-1] in _TIMES:
        # *One day* is 24 hours, too.
        known += [known[-1] / seconds for seconds in _TIMES]
    # *Twice as heavy* is ``b == a / 2``, too.
    known += [1 / own for own in known if own and last.times]
    agrees = any(abs(own - one) <= abs(own) * _ROUNDING for one in values for own in known)
    return StatedBound("" if agrees else last.text, (binding.place_of(last.start),))


def other_limit(binding: Binding) -> str:
    """Return the number right behind a condition if no number in the condition is equal to it.

    *More<!-- a > 20 --> than 20*, and *below<!-- all(v < 5 for v in x) --> 5 mm*.
    """
    words = lexicon(binding.language or "en")
    behind = binding.words[binding.at :]
    stated = next(iter(numbers(behind, len(behind), words, in_percent=True)), None)
    if not stated or not stated.digits or stated.times:
        return ""
    between = behind[: stated.start]
    bounds = words.regex(
        r"\b(?:<before.over>|<before.under>|<before.at_least>|<before.at_most>)\s*$"
    )
    is_bound = words.regex(r"\s*<binding.than>\s+").fullmatch(between)
    if not is_bound and (between.strip() or not bounds.search(binding.words[: binding.at])):
        return ""
    literals = [
        as_plain_data(ast.literal_eval(side))
        for node in ast.walk(binding.tree)
        if isinstance(node, ast.Compare)
        for side in node.comparators
        if is_literal(side)
    ]
    values = [abs(one) for one in literals if isinstance(one, Fraction) and one]
    known = [abs(stated.value * scale) for scale in stated.scales]
    agrees = any(abs(own - one) <= own * _ROUNDING for one in values for own in known)
    return "" if agrees or not values else stated.text


def _judge_numbers(
    binding: Binding, values: Sequence[Fraction], texts: Sequence[str], words: Lexicon
) -> Judged:
    """Judge the last numbers before a comment: as many as there are values.

    ``texts`` are the values in messages.
    """
    stated = _numbers_before(binding, len(values), words)
    if len(stated) < len(values):
        if len(values) == 1:
            return Judged(False, f"there is no number before {binding.code}, which is {texts[0]}")
        why = f"{binding.code} is {', '.join(texts[:_LISTED])}: {len(values)} numbers"
        return Judged(False, f"{why}, but only {len(stated)} before it")
    before, stated = stated[: -len(values)], stated[-len(values) :]
    if len(values) == 1:
        return _judge_number(binding, values[0], texts[0], before, stated[0], words)
    wrong = [n for n, one in enumerate(stated) if not one.number.agrees(values[n])]
    if not wrong:
        places = _places(stated)
        return Judged(True, f"value of {binding.code}: {', '.join(texts[:_LISTED])}", places)
    first = wrong[0]
    own = stated[first].number.text
    why = f"{own} is compared with number {first + 1} of {binding.code}, {texts[first]}"
    return _failure(why, stated, values)


def _numbers_before(binding: Binding, wanted: int, words: Lexicon) -> list[Placed]:
    """Return the numbers before a comment, in order.

    They are those of its formula or sentence, and if these are fewer than ``wanted``, those of the
    cells before it in its row, too.
    """
    text, end = _text_before(binding)
    in_percent = bool(_HUNDRED.search(binding.source))
    stated = [
        Placed(number, None if binding.formula else binding.place_of(number.start))
        for number in numbers(text, end, words, in_percent=in_percent)
    ]
    if len(stated) >= wanted:
        return stated
    in_cells = [
        Placed(number, (line, column + number.start))
        for cell, line, column in binding.row
        for number in numbers(cell, len(cell), words, in_percent=in_percent)
    ]
    return [*in_cells, *stated]


def _text_before(binding: Binding) -> tuple[str, int]:
    """Return the text that states a value, and its end: a formula, or the words of a sentence.

    The words go on behind the end, since they may say the sign of a number: *2 below zero*.
    """
    formula = binding.formula
    return (formula, len(formula)) if formula else (binding.words, binding.at)


def _judge_number(
    binding: Binding, value: Fraction, text: str, before: Sequence[Placed], last: Placed,
    words: Lexicon,
) -> Judged:  # fmt: skip
    """Judge the last number before a comment; ``before`` are the numbers before it."""
    ahead, _ = _text_before(binding)
    places = _places([last])
    number = last.number
    if not number.agrees(value):
        previous = before[-1].number if before else None
        if previous and _is_part(ahead, previous, number, words) and previous.agrees(value):
            number = previous  # *three of the five*: the comment may be for either
        elif not (previous and _is_ratio(ahead, previous, number, value, words)):
            return _failure(f"{binding.code} is {text}", [last], [value])
    why = _wrong_direction(binding, value, number, words)
    if why:
        return Judged(False, f"{binding.code} is {text}, {why}", places)
    unit = "" if binding.formula else unit_named(binding.remark, words)
    stated_unit = unit_behind(ahead, number.start, words) if unit else ""
    if unit != stated_unit:
        code = binding.source.partition("#")[0].strip()
        why = f"{code} is {text} {unit}, but the text has {stated_unit or 'no unit'}"
        return Judged(False, why, places)
    return Judged(True, f"value of {binding.code}: {text}", places)


def _wrong_direction(binding: Binding, value: Fraction, number: Stated, words: Lexicon) -> str:
    """Return how the direction of a change contradicts its words, *falls by 3*; empty if not.

    The direction is known from the order of a difference, ``new - old``, or from a name.
    """
    if number.sign not in ("up", "down"):
        return ""
    order = order_of_difference(binding.tree)  # 1 for new - old, −1 for old - new
    rises = value * order > 0
    if order and value and rises != (number.sign == "up"):
        return "a rise" if rises else "a fall"
    if value > 0 and _names_other_direction(binding.tree, number.sign, words):
        return "but the sentence names the other direction"
    return ""


def _failure(why: str, stated: Sequence[Placed], values: Sequence[Fraction]) -> Judged:
    """Return the failure of numbers, with the digits that would be right."""
    pairs = list(zip(stated, values, strict=True))
    rewrites = tuple(
        (*one.place, *change)
        for one, value in pairs
        if one.place and not one.number.agrees(value) and (change := _change(one.number, value))
    )
    now = tuple(
        (number.text, number.text if number.agrees(value) else as_stated(number, value))
        for (number, _), value in pairs
    )
    return Judged(False, why, _places(stated), rewrites, now)


def _change(stated: Stated, value: Fraction) -> tuple[str, str] | None:
    """Return the sign and digits of a number, and those of a value, if possible in as many digits.

    None if the number is in words, or if the words around it do not allow the sign of the value:
    *minus 2*.
    """
    is_other_sign = (stated.sign == "minus" and value > 0) or (stated.sign == "up" and value < 0)
    if is_other_sign or not _PLAIN.fullmatch(stated.digits):
        return None
    new = _in_form(stated, value, digits_of(stated, value))
    signed = abs(value) if stated.sign else value
    read_again = numbers(new, len(new), lexicon(), in_percent=True)
    agrees = any(number.agrees(signed) for number in read_again)
    new = new if agrees else as_stated(stated, value)
    # The unit may have other characters in the file: *2 **cm***.
    unit = stated.text.partition(stated.digits)[2]
    return stated.text.removesuffix(unit), new.removesuffix(unit)


def _places(stated: Sequence[Placed]) -> tuple[tuple[int, int], ...]:
    return tuple(one.place for one in stated if one.place)


def _is_part(text: str, part: Stated, whole: Stated, words: Lexicon) -> bool:
    """Return whether a number is a part of another one behind it: *3 of 4*."""
    if part.end > whole.start:
        return False
    between = text[part.end : whole.start].strip().lower()
    return " ".join(between.split()) in words.words["grammar"]["of"]


def _is_ratio(text: str, part: Stated, whole: Stated, value: Fraction, words: Lexicon) -> bool:
    """Return whether two numbers are a share, and a value agrees with it: *one in ten*."""
    if not 0 < part.value < whole.value:
        return False
    between = " ".join(text[part.end : whole.start].lower().split())
    if between not in words.words["grammar"]["out_of"]:
        return False
    share = part.value / whole.value
    return abs(value - share) <= share * _ROUGH


def _names_other_direction(tree: ast.expr, sign: str, words: Lexicon) -> bool:
    """Return whether the name of a value says another direction, as *fell by* beside ``growth``."""
    match tree:
        case ast.Name(name) | ast.Attribute(_, name):
            parts = set(name.lower().split("_"))
        case _:
            return False
    signs = words.words["signs"]
    other = {"up": "down", "down": "up"}[sign]
    return bool(parts & set(signs[other])) and not parts & set(signs[sign])


def shortened(value: Fraction) -> str:
    """Return a value in at most six digits."""
    return f"{as_float(value):.6g}"


def digits_of(stated: Stated, value: Fraction, more: int = 0) -> str:
    """Return a value without its sign, in as many decimals as a number has, and in its unit.

    It is empty for 0, and if the number has another form than ``1,024.5``. A power of ten remains
    that of the number. ``more`` is the number of decimals beyond those stated.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> read = [numbers(text, len(text), lexicon())[0] for text in ("0.5", "67.05 %", "3e5")]
    >>> digits_of(read[0], Fraction(-3, 4)), digits_of(read[1], Fraction(3, 4))
    ('0.8', '75.00')
    >>> digits_of(read[2], Fraction(420_000)), digits_of(read[2], Fraction(420_000), 1)
    ('4', '4.2')
    """
    if not _PLAIN.fullmatch(stated.digits) or value == 0:
        return ""
    old = Fraction(stated.digits.replace(",", ""))
    power_of_ten = abs(stated.value) / old if old else 1
    decimals = len(stated.digits.partition(".")[2]) + more
    # The nearest scale counts: 0.6705 is 67.05 %. Of a stated 0, it is the smallest.
    scaled = [abs(value) / scale / power_of_ten for scale in stated.scales]
    best = min(scaled, key=lambda one: max(one / old, old / one) if old else one)
    comma = "," if "," in stated.digits else ""
    return f"{as_float(best):{comma}.{decimals}f}"


def _telling_digits(stated: Stated, value: Fraction) -> str:
    """Return a value in as many digits as are stated, or more if these would not tell it.

    They tell it if they are exact, or if two of them (three of a plain whole number) are no leading
    zeros and they differ from those stated.
    """
    wanted = 3 if "." not in stated.digits and len(stated.scales) == 1 else 2
    exact = digits_of(stated, value, _MORE)
    if not exact:
        return f"{as_float(abs(value)):.{len(stated.digits.partition('.')[2])}f}"
    for more in range(_MORE):
        text = digits_of(stated, value, more)
        is_exact = float(exact.replace(",", "")) == float(text.replace(",", ""))
        counted = re.sub(r"[.,]", "", text).lstrip("0")
        if is_exact or (len(counted) >= wanted and text != stated.digits):
            return text
    return exact


def as_stated(stated: Stated, value: Fraction) -> str:
    """Return a value in the form in which a text states a number, in digits.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> texts = "−2", "67.05 %", "falls by 0.5", "three quarters", "3 × 10^-2"
    >>> read = [numbers(text, len(text), lexicon())[0] for text in texts]
    >>> [as_stated(number, Fraction(1, 8)) for number in read]
    ['0.125', '12.50 %', '0.12', '0.125', '12.5 × 10^-2']
    >>> as_stated(read[0], Fraction(-3)), as_stated(read[0], Fraction(-26, 10))
    ('−3', '−2.6')
    >>> as_stated(read[3], Fraction(1000))
    '1,000'
    """
    is_plain = _PLAIN.fullmatch(stated.digits) is not None  # else it is in words, or a fraction
    if is_plain:
        return _in_form(stated, value, _telling_digits(stated, value))
    size = as_float(abs(value))
    # Three digits of a larger number would be written as a power of ten.
    return _in_form(stated, value, f"{size:,.0f}" if size >= _LARGE else f"{size:.3g}")


def _in_form(stated: Stated, value: Fraction, digits: str) -> str:
    """Return the digits of a value with its sign, in place of those of a number in digits."""
    # Words such as *falls by* have the sign, and a rounded zero has none.
    minus = "−" if value < 0 and not stated.sign and re.search("[1-9]", digits) else ""
    if not _PLAIN.fullmatch(stated.digits):
        return minus + digits
    old = rf"[{MINUS}+]?{re.escape(stated.digits)}"
    return re.sub(old, minus + digits, stated.text, count=1)


def is_slip(number: Stated, value: Fraction) -> bool:
    """Return whether a value differs from a number in one digit, or in two exchanged ones."""
    one, other = number.digits.replace(",", ""), digits_of(number, value).replace(",", "")
    if len(one) != len(other):
        return False
    wrong = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(wrong) == 2 and wrong[1] - wrong[0] == 1:
        return one[wrong[0]] == other[wrong[1]] and one[wrong[1]] == other[wrong[0]]
    return len(wrong) == 1


def _ends_with_date(ahead: str, value: datetime.date | datetime.time, words: Lexicon) -> bool:
    """Return whether a text ends with a date, or the parts of one, as *a Monday*, *12 June*."""
    parts = _date_parts(ahead, getattr(value, "day", 0), words)

    def part_of_value(name: str) -> Any:
        part = getattr(value, name, None)
        return part() if callable(part) else part  # weekday() is a method

    return bool(parts) and all(part_of_value(name) == part for name, part in parts.items())


def _date_parts(ahead: str, day: int, words: Lexicon) -> dict[str, int]:
    """Return the parts of the date or time at the end of a text, by the names of `datetime`.

    *on Monday, 12 June* gives ``{"weekday": 0, "day": 12, "month": 6}``. Of 3/6/2024, the number
    that is the ``day`` looked for is the day, since it may come first or second.
    """
    months, weekdays = words.words["dates"]["months"], words.words["dates"]["weekdays"]
    between = {*words.words["grammar"]["ordinal_endings"], *words.words["grammar"]["in_dates"]}
    stated: list[tuple[str, int]] = []
    skipped = 0
    for token in reversed(_DATE_TOKEN.findall(ahead)[-_DATE_TOKENS:]):
        word = token.lower()
        if found := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", token):
            stated += zip(("year", "month", "day"), map(int, found.groups()), strict=True)
        elif found := re.fullmatch(r"(\d\d?)[/.](\d\d?)[/.](\d{4})", token):
            first, second, year = map(int, found.groups())
            days, month = (second, first) if day == second else (first, second)
            stated += [("year", year), ("month", month), ("day", days)]
        elif found := re.fullmatch(r"(\d\d?):(\d\d)", token):
            stated += zip(("hour", "minute"), map(int, found.groups()), strict=True)
        elif word in months:
            stated.append(("month", months.index(word) + 1))
        elif word in weekdays:
            stated.append(("weekday", weekdays.index(word)))
        elif token.isdigit() and len(token) == len("2017"):
            stated.append(("year", int(token)))
        elif token.isdigit() and len(token) <= len("31") and 1 <= int(token) <= 31:
            stated.append(("day", int(token)))
        elif word in between:
            continue
        elif stated:
            break  # the words before the date
        else:  # the words between the date and the comment
            skipped += 1
            if skipped > _BETWEEN:
                break
    return dict(reversed(stated))


def _ends_with(binding: Binding, names: Sequence[str], words: Lexicon) -> bool:
    """Return whether the words before a comment end with names, in order.

    Some words may follow the last name, *the `f` node*, unless they are names themselves. Between
    two names there may be words that join a list: *`f`, `g` and `h`*.
    """
    stated, last_name = _words_of(binding.words[: binding.at]), _words_of(binding.text)
    if numbers(binding.text, len(binding.text), words):
        last_name = stated[-1:]  # a number before the name: *two rows show bank in money*
    wanted = [word for name in names for word in _words_of(name)]
    joining = words.words["grammar"]["in_lists"] if len(names) > 1 else ()
    for skipped in range(min(_BETWEEN, len(stated)) + 1):
        remaining = stated[: len(stated) - skipped]
        if wanted and _ends_with_words(remaining, wanted, joining):
            return True
        # The next word is to be skipped. But *New York City* does not name York, and of two names
        # in code, the last one counts.
        is_name = remaining and remaining[-1][:1].isupper()
        if is_name or remaining[-len(last_name) :] == last_name:
            return False
    return False


def _ends_with_words(
    stated: Sequence[str], wanted: Sequence[str], joining: Collection[str]
) -> bool:
    """Return whether words end with the wanted ones, perhaps with joining words between these."""
    missing = list(wanted)
    for word in reversed(stated):
        if _are_equal_words(word, missing[-1]):
            missing.pop()
        elif word.lower() not in joining or len(missing) == len(wanted):
            return False
        if not missing:
            return True
    return False


def _words_of(text: str) -> list[str]:
    """Return the words of a text or name, ``north_bed`` → *north*, *bed*; its signs if none."""
    return [found[0] for found in _WORD.finditer(text.replace("_", " "))] or text.split()


def _are_equal_words(word: str, wanted: str) -> bool:
    """Return whether words are equal; the first letter of a longer word may be a capital one."""
    if word == wanted:
        return True
    return len(word) > 1 and word[1:] == wanted[1:] and word[0].lower() == wanted[0].lower()
