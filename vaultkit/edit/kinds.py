"""The kinds of numbers that a sentence states, and how well a value fits one."""

from __future__ import annotations

import re

from vaultkit.claims.stated import Stated, significant_digits

#: The largest integer that may agree by chance.
_SMALL = 20
#: Integers below it, and powers of two, need a name in the sentence.
_MANY = 100
#: How far the value of a number with one digit may be from it without suspicion.
_COARSE = 0.02
#: What it costs to read a number in another than its first sense (per cent, thousands), and to
#: accept a value that one digit gives badly.
_OTHER_SENSE, _BADLY = 0.3, 1.5
#: A limit fits a value within this factor: *more than 3* is not said of 1,000.
_FACTOR = 2
#: The share of a limit by which a value that the sentence may mean differs from it at most.
_NEAR_LIMIT = 0.25
#: What agreement is worth by the number of significant digits, as many digits do not agree by
#: chance; a limit (*more than 3*) agrees with most values.
_BY_DIGITS, _MORE_DIGITS, _OF_LIMIT = {0: 0.0, 1: -0.3, 2: 0.6, 3: 1.6}, 2.4, -2.0
_ORDINAL = re.compile(r".*(?:first|second|third|[a-z]{2}th|\d(?:st|nd|rd|th))", re.IGNORECASE)


def is_count(stated: Stated) -> bool:
    """Return whether a number is a small integer, with or without a unit.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> from vaultkit.claims.stated import numbers
    >>> text = "6 of 4.0 or six hours, twice, a third, 6 %"
    >>> [is_count(one) for one in numbers(text, len(text), lexicon())]
    [True, False, True, False, False, False]
    """
    exact = [
        interval
        for interval in stated.ranges
        if interval.low is not None and interval.high is not None
    ]
    # *Over six weeks* may be exactly six, too: then it has one range that is exact.
    if not exact or stated.value.denominator > 1:
        return False
    is_in_words = not stated.digits and not stated.times
    is_exact = is_in_words or all(interval.low == interval.high for interval in exact)
    is_share = float(stated.scales[-1]) < 1
    return is_exact and abs(stated.value) <= _SMALL and not is_share


def counts_exactly(stated: Stated, value: float) -> bool:
    """Return whether a value is a number itself, not rounded, in one of its senses.

    *5 %* is 5 or 0.05. The sign does not count: *it falls by 3* is said of -3.
    """
    numbers = [abs(float(stated.value * scale)) for scale in stated.scales]
    # The value may have the rounding errors of code.
    return any(abs(abs(value) - number) <= 1e-9 * max(1.0, number) for number in numbers)


def is_limit(stated: Stated) -> bool:
    """Return whether a number is a limit of a value, not the value: *more than 3*."""
    return any(interval.low is None or interval.high is None for interval in stated.ranges)


def is_percent(stated: Stated) -> bool:
    """Return whether a number is a percentage."""
    return float(stated.scales[-1]) == 0.01


def is_multiple(stated: Stated) -> bool:
    """Return whether a number is a fraction or multiple in words: *half*, *twice*, *a third*."""
    return not stated.digits and not is_count(stated)


def needs_name(stated: Stated) -> bool:
    """Return whether many expressions have a number by chance: integers below 100, powers of 2."""
    if not stated.digits.isdecimal():
        return False
    number = int(stated.digits)
    is_power_of_two = number & (number - 1) == 0
    return number < _MANY or is_power_of_two


def is_ordinal(stated: Stated, text: str) -> bool:
    """Return whether a number is an ordinal, as *the third* and *the 24th* are."""
    return bool(_ORDINAL.fullmatch(text, stated.start, stated.end)) and is_count(stated)


def cost_of_fit(stated: Stated, value: float) -> float | None:
    """Return what it costs to read a value as a number of the text; None if it does not fit.

    ``stated.ranges`` has one range for each sense of the number, the most usual first: *5 %* is 5
    or 0.05. A later sense costs more, and so does a number of one digit that is a coarse rounding.
    A range without one end is a limit, near which the value must be (`_FACTOR`).
    """
    for rank, within in enumerate(stated.ranges):
        low, high = within.bounds
        # Values may be inexact. At a limit that is excluded (*below 3*), this works the other way.
        slack = 1e-9 * max(abs(value), abs(low) if within.low is not None else 0.0)
        slack = -slack if within.strict else slack
        if not low - slack <= value <= high + slack:
            continue
        if within.low is not None and within.high is not None:
            middle = (low + high) / 2
            coarse = significant_digits(stated) == 1 and abs(value - middle) > _COARSE * abs(middle)
            return _OTHER_SENSE * rank + _BADLY * coarse
        limit = low if within.high is None else high
        if limit and 1 / _FACTOR < value / limit < _FACTOR:
            return _OTHER_SENSE * rank
    return None


def is_near_limit(stated: Stated, value: float) -> bool:
    """Return whether a value is near a limit, as 2.2 is to *over twice*."""
    return any(
        limit is not None and abs(value - float(limit)) <= _NEAR_LIMIT * abs(float(limit))
        for interval in stated.ranges for limit in (interval.low, interval.high)
    )  # fmt: skip


def weight_of_digits(stated: Stated) -> float:
    """Return how unlikely it is that a value agrees by chance; more digits, less likely."""
    if is_limit(stated):
        return _OF_LIMIT
    return _BY_DIGITS.get(significant_digits(stated), _MORE_DIGITS)
