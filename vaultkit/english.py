"""Lists and counts in words."""

from __future__ import annotations

from collections.abc import Sequence


def join_names(names: Sequence[str]) -> str:
    """Return names as a list in words.

    >>> join_names(["a"]), join_names(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def count_in_words(number: int, one: str, many: str = "") -> str:
    """Return a count in words; the plural ends in *s* if none is given.

    >>> count_in_words(1, "note"), count_in_words(2, "fails", "fail")
    ('1 note', '2 fail')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
