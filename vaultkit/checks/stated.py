"""Compares the value of a bound expression with the words before it."""

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
from vaultkit.claims.relations import order_of_difference
from vaultkit.claims.stated import Stated, numbers
from vaultkit.claims.units import unit_behind, unit_named

_HUNDRED = re.compile(r"(?<![\w.])100(?:\.0*)?(?![\w.])|percent|pct", re.IGNORECASE)
#: The units of time in seconds.
_TIMES = (60, 3600, 86400)
#: Most words between a multiple and the comment behind it: *twice as heavy*.
_AFTER_MULTIPLE = 3
#: Most words between a name and the comment that binds it.
_BETWEEN = 2
_WORD = re.compile(r"[^\W_]+(?:[’'.-][^\W_]+)*")


@dataclass(frozen=True)
class Judged:
    """Whether words state a value, the evidence or failure, and the places of the numbers.

    ``rewrites`` are the numbers that differ: line, column, digits, and the digits of the value.
    ``now`` are the numbers if one differs: each as the text has it, and as the code gives it.
    """

    holds: bool
    why: str
    places: tuple[tuple[int, int], ...] = ()
    rewrites: tuple[tuple[int, int, str, str], ...] = ()
    now: tuple[tuple[str, str], ...] = ()


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
    is_ = f"{binding.code} is {text}"
    held = f"value of {binding.code}: {text}"
    match value:
        case Fraction():
            return _number(binding, [value], [text], words)
        case datetime.date() | datetime.time():
            ahead = binding.words[: binding.at]
            return (
                Judged(True, held) if _ends_with_date(ahead, value, words) else Judged(False, is_)
            )
        case str():
            return Judged(True, held) if _ends_with(binding, [value], words) else Judged(False, is_)
        case [*several] if several and all(isinstance(one, Fraction) for one in several):
            return _number(binding, several, [shortened(one) for one in several], words)
        case [*several] if several:
            named = [str(one) for one in several]
            return Judged(True, held) if _ends_with(binding, named, words) else Judged(False, is_)
    return Judged(False, f"{is_}, which no words can state")


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
    # *As heavy* may follow a multiple.
    if ahead[last.end :].split()[_AFTER_MULTIPLE if last.times else 1 :]:
        return StatedBound()
    literals = [side for side in sides if is_literal(side)]
    if last.times:
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
    # Fractions are rounded, as 1/3 is in code.
    known = [last.value * scale for scale in last.scales]
    if last.scales[-1] in _TIMES:
        # *One day* is 24 hours, too.
        known += [known[-1] / seconds for seconds in _TIMES]
    known += [1 / own for own in known if own and last.times]
    agrees = any(abs(own - one) <= abs(own) / 1000 for one in values for own in known)
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
    agrees = any(abs(own - one) <= own / 1000 for one in values for own in known)
    return "" if agrees or not values else stated.text


def _number(
    binding: Binding, values: Sequence[Fraction], texts: Sequence[str], words: Lexicon
) -> Judged:
    """Judge the last numbers before a comment: as many as there are values."""
    hundred = bool(_HUNDRED.search(binding.source))
    formula = binding.formula
    ahead, at = (formula, len(formula)) if formula else (binding.words, binding.at)
    # Each number with its place; one in a formula has none.
    stated: list[tuple[Stated, tuple[int, int] | None]] = [
        (number, None if formula else binding.place_of(number.start))
        for number in numbers(ahead, at, words, in_percent=hundred)
    ]
    if len(stated) < len(values):
        cells = [
            (one, (line, column + one.start))
            for cell, line, column in binding.row
            for one in numbers(cell, len(cell), words, in_percent=hundred)
        ]
        stated = [*cells, *stated]
    if len(stated) < len(values):
        if len(values) == 1:
            return Judged(False, f"there is no number before {binding.code}, which is {texts[0]}")
        why = f"{binding.code} is {', '.join(texts[:12])}: {len(values)} numbers"
        return Judged(False, f"{why}, but only {len(stated)} before it")
    before = stated[: len(stated) - len(values)]
    stated = stated[len(stated) - len(values) :]
    places = tuple(place for _, place in stated if place)
    wrong = [n for n, (one, _) in enumerate(stated) if not one.agrees(values[n])]
    is_part = len(values) == 1 and _is_part(ahead, before, stated[-1][0], words)
    if wrong and is_part and before[-1][0].agrees(values[0]):
        # *Three of the five*: the comment may be for either.
        stated, wrong = [before[-1]], []
    if wrong and len(values) == 1 and _is_ratio(ahead, before, stated[-1][0], values[0], words):
        wrong = []
    order = order_of_difference(binding.tree) if len(values) == 1 else 0
    sign = stated[-1][0].sign
    rises = values[0] * order > 0
    if not wrong and order and sign in ("up", "down") and values[0] and rises != (sign == "up"):
        way = "rise" if rises else "fall"
        return Judged(False, f"{binding.code} is {texts[0]}, a {way}", places)
    is_change = sign in ("up", "down") and len(values) == 1 and values[0] > 0
    if not wrong and is_change and _named_otherwise(binding.tree, sign, words):
        return Judged(
            False,
            f"{binding.code} is {texts[0]}, but the sentence names the other direction",
            places,
        )
    if not wrong and len(values) == 1 and not formula:
        unit = unit_named(binding.remark, words)
        own = unit_behind(ahead, stated[-1][0].start, words)
        if unit and own != unit:
            code = binding.source.partition("#")[0].strip()
            why = f"{code} is {texts[0]} {unit}, but the text has {own or 'no unit'}"
            return Judged(False, why, places)
    if not wrong:
        said = texts[0] if len(values) == 1 else ", ".join(texts[:12])
        return Judged(True, f"value of {binding.code}: {said}", places)
    rewrites = tuple(
        (*place, one.digits, new)
        for n, (one, place) in enumerate(stated)
        if n in wrong and place and (new := digits_of(one, values[n]))
    )
    now = tuple(
        (one.text, as_stated(one, values[n]) if n in wrong else one.text)
        for n, (one, _) in enumerate(stated)
    )
    if len(values) == 1:
        return Judged(False, f"{binding.code} is {texts[0]}", places, rewrites, now)
    first = wrong[0]
    own = stated[first][0].text
    why = f"{own} is compared with number {first + 1} of {binding.code}, {texts[first]}"
    return Judged(False, why, places, rewrites, now)


def _is_part(
    text: str,
    before: Sequence[tuple[Stated, tuple[int, int] | None]],
    last: Stated,
    words: Lexicon,
) -> bool:
    """Return whether a number is the whole, and the number before it a part of it: *3 of 4*."""
    if not before or before[-1][0].end > last.start:
        return False
    between = text[before[-1][0].end : last.start].strip().lower()
    return " ".join(between.split()) in words.words["grammar"]["of"]


def _is_ratio(
    text: str,
    before: Sequence[tuple[Stated, tuple[int, int] | None]],
    last: Stated,
    value: Fraction,
    words: Lexicon,
) -> bool:
    """Return whether two numbers are a share, and a value agrees with it: *one in ten*."""
    if not before or not 0 < before[-1][0].value < last.value:
        return False
    between = " ".join(text[before[-1][0].end : last.start].lower().split())
    if between not in words.words["grammar"]["out_of"]:
        return False
    share = before[-1][0].value / last.value
    return abs(value - share) <= share / 20


def _named_otherwise(tree: ast.expr, sign: str, words: Lexicon) -> bool:
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


def digits_of(stated: Stated, value: Fraction) -> str:
    """Return a value in as many digits as are stated; empty if the number has another form."""
    if not re.fullmatch(r"[\d,]+(?:\.\d+)?", stated.digits) or value == 0:
        return ""
    old = Fraction(stated.digits.replace(",", ""))
    decimals = len(stated.digits.partition(".")[2])
    # The nearest scale counts: 0.6705 is 67.05 %.
    scaled = [abs(value) / scale for scale in stated.scales]
    best = min(scaled, key=lambda one: max(one / old, old / one) if old and one else one)
    comma = "," if "," in stated.digits else ""
    return f"{as_float(best):{comma}.{decimals}f}"


def as_stated(stated: Stated, value: Fraction) -> str:
    """Return a value in the form in which a text states a number, in digits.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> texts = "−2", "67.05 %", "falls by 0.5", "three quarters"
    >>> read = [numbers(text, len(text), lexicon())[0] for text in texts]
    >>> [as_stated(number, Fraction(1, 8)) for number in read]
    ['0', '12.50 %', '0.1', '0.125']
    >>> as_stated(read[0], Fraction(-3))
    '−3'
    """
    plain = re.fullmatch(r"[\d,]+(?:\.(?P<decimals>\d+))?", stated.digits)
    if not plain:
        text = f"{as_float(abs(value)):.3g}"
    else:
        decimals = len(plain["decimals"] or "")
        text = digits_of(stated, value) or f"{as_float(abs(value)):.{decimals}f}"
    minus = "−" if value < 0 and not stated.sign and re.search("[1-9]", text) else ""
    if not plain:
        return minus + text
    return re.sub(rf"[-−+]?{re.escape(stated.digits)}", minus + text, stated.text, count=1)


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
    months = words.words["dates"]["months"]
    days = words.words["dates"]["weekdays"]
    tokens = re.findall(r"\d\d?[/.]\d\d?[/.]\d{4}|\d+(?::\d+)*(?:-\d+)*|[^\W\d_]+", ahead)[-10:]
    stated: list[tuple[str, int]] = []
    skipped = 0
    endings = words.words["grammar"]["ordinal_endings"]
    for token in reversed(tokens):
        word = token.lower()
        if found := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", token):
            stated += zip(("year", "month", "day"), map(int, found.groups()), strict=True)
        elif found := re.fullmatch(r"(\d\d?)[/.](\d\d?)[/.](\d{4})", token):
            one, other, year = map(int, found.groups())
            # The day may come first or second.
            turned = getattr(value, "day", 0) == other
            day, month = (other, one) if turned else (one, other)
            stated += [("year", year), ("month", month), ("day", day)]
        elif found := re.fullmatch(r"(\d\d?):(\d\d)", token):
            stated += zip(("hour", "minute"), map(int, found.groups()), strict=True)
        elif word in months:
            stated.append(("month", months.index(word) + 1))
        elif word in days:
            stated.append(("weekday", days.index(word)))
        elif token.isdigit() and len(token) == len("2017"):
            stated.append(("year", int(token)))
        elif token.isdigit() and len(token) <= len("31") and 1 <= int(token) <= 31:
            stated.append(("day", int(token)))
        elif word in (*endings, *words.words["grammar"]["in_dates"]):
            continue
        elif stated:
            break
        else:
            skipped += 1
            if skipped > _BETWEEN:
                break
    parts = dict(reversed(stated))

    def is_so(name: str, number: int) -> bool:
        own = getattr(value, name, None)
        return bool((own() if callable(own) else own) == number)

    return bool(parts) and all(is_so(name, number) for name, number in parts.items())


def _ends_with(binding: Binding, names: Sequence[str], words: Lexicon) -> bool:
    """Return whether the words before a comment end with names, in order.

    Some words may follow the last name, *the `f` node*, unless they are names themselves. Between
    two names there may be words that join a list: *`f`, `g` and `h`*.
    """
    said, last_name = _words_of(binding.words[: binding.at]), _words_of(binding.text)
    if numbers(binding.text, len(binding.text), words):
        last_name = said[-1:]  # a number before the name: *two rows show bank in money*
    wanted = [word for name in names for word in _words_of(name)]
    joining = words.words["grammar"]["in_lists"] if len(names) > 1 else ()
    for end in range(len(said), len(said) - _BETWEEN - 1, -1):
        if wanted and _ends_with_words(said[: max(end, 0)], wanted, joining):
            return True
        # This word is to be skipped. But *New York City* does not name York, and of two names in
        # code, the last one counts.
        if end > 0 and (said[end - 1][:1].isupper() or said[:end][-len(last_name) :] == last_name):
            return False
    return False


def _ends_with_words(said: Sequence[str], wanted: Sequence[str], joining: Collection[str]) -> bool:
    """Return whether words end with the wanted ones, perhaps with joining words between these."""
    left = list(wanted)
    for word in reversed(said):
        if _are_equal_words(word, left[-1]):
            left.pop()
        elif word.lower() not in joining or len(left) == len(wanted):
            return False
        if not left:
            return True
    return False


def _words_of(text: str) -> list[str]:
    return [found[0] for found in _WORD.finditer(text.replace("_", " "))] or text.split()


def _are_equal_words(word: str, wanted: str) -> bool:
    """Return whether words are equal; the first letter of a longer word may be a capital one."""
    if word == wanted:
        return True
    return len(word) > 1 and word[1:] == wanted[1:] and word[0].lower() == wanted[0].lower()
