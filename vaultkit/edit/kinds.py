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
#: A bound is near its value, within this factor: *more than 3* is not said of 1,000.
_FACTOR = 2
#: How near a value is to a bound that the sentence may mean.
_NEAR_BOUND = 0.25
#: What agreement is worth by the number of significant digits, as many digits do not agree by
#: chance; a number that bounds a value (*more than 3*) agrees with most values.
_BY_DIGITS, _MORE_DIGITS, _OF_BOUND = {0: 0.0, 1: -0.3, 2: 0.6, 3: 1.6}, 2.4, -2.0
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
    # *Over six weeks* is a count or a bound.
    if not exact or stated.value.denominator > 1:
        return False
    in_words = not stated.digits and not stated.times
    is_exact = in_words or all(interval.low == interval.high for interval in exact)
    return is_exact and abs(stated.value) <= _SMALL and float(stated.scales[-1]) >= 1


def counts_exactly(stated: Stated, value: float) -> bool:
    """Return whether a value is a small integer itself, not rounded, in some unit."""
    wanted = [float(stated.value * scale) for scale in stated.scales]
    return any(
        abs(abs(value) - abs(integer)) <= 1e-9 * max(1.0, abs(integer)) for integer in wanted
    )


def is_bound(stated: Stated) -> bool:
    """Return whether a number bounds a value: *more than 3*."""
    return any(interval.low is None or interval.high is None for interval in stated.ranges)


def is_percent(stated: Stated) -> bool:
    """Return whether a number is a percentage."""
    return float(stated.scales[-1]) == 0.01


def is_multiple(stated: Stated) -> bool:
    """Return whether a number is a fraction or multiple in words."""
    return not stated.digits and not is_count(stated)


def needs_name(stated: Stated) -> bool:
    """Return whether a number is an integer that many expressions have: 64, 1024."""
    if not stated.digits.isdecimal():
        return False
    number = int(stated.digits)
    return number < _MANY or number & (number - 1) == 0


def is_ordinal(stated: Stated, text: str) -> bool:
    """Return whether a number is an ordinal, as *the third* and *the 24th* are."""
    return bool(_ORDINAL.fullmatch(text, stated.start, stated.end)) and is_count(stated)


def cost_of_fit(stated: Stated, value: float) -> float | None:
    """Return what it costs to read a value as a number; None if it is another number.

    ``stated.ranges`` has one range for each sense of the number, the most usual first: *5 %* is 5
    or 0.05. A later sense costs more, and so does a number of one digit that is a coarse rounding.
    """
    for rank, within in enumerate(stated.ranges):
        low, high = within.bounds
        slack = 1e-9 * max(abs(value), abs(low) if within.low is not None else 0.0)
        slack = -slack if within.strict else slack
        if not low - slack <= value <= high + slack:
            continue
        if within.low is not None and within.high is not None:
            middle = (low + high) / 2
            coarse = significant_digits(stated) == 1 and abs(value - middle) > _COARSE * abs(middle)
            return _OTHER_SENSE * rank + _BADLY * coarse
        bound = low if within.high is None else high
        if bound and 1 / _FACTOR < value / bound < _FACTOR:
            return _OTHER_SENSE * rank
    return None


def is_near_bound(stated: Stated, value: float) -> bool:
    """Return whether a value is near a bound, as 2.2 is to *over twice*."""
    return any(
        bound is not None and abs(value - float(bound)) <= _NEAR_BOUND * abs(float(bound))
        for interval in stated.ranges for bound in (interval.low, interval.high)
    )  # fmt: skip


def weight_of_digits(stated: Stated) -> float:
    """Return how unlikely it is that a value agrees by chance; more digits, less likely."""
    if is_bound(stated):
        return _OF_BOUND
    return _BY_DIGITS.get(significant_digits(stated), _MORE_DIGITS)
