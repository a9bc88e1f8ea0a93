"""Numbers in words: *four*, *twenty-one*, *thirty thousand*."""

from __future__ import annotations

import re

from vaultkit.claims.lexicon import alternatives, lexicon

_TABLE = lexicon().words["numerals"]
_VALUES = {word: int(value) for value, words in _TABLE.items() for word in words}
#: The words up to nine, up to nineteen, for tens, and for a hundred and more.
_ONES = [word for word, value in _VALUES.items() if 0 < value < 10]
_BELOW_TWENTY = [word for word, value in _VALUES.items() if value < 20]
TENS = [word for word, value in _VALUES.items() if 20 <= value < 100]
_LARGE = [word for word, value in _VALUES.items() if value >= 100]

_BELOW = rf"(?:{alternatives(TENS)}(?:[-‑ ]{alternatives(_ONES)})?|{alternatives(_BELOW_TWENTY)})"
#: A number in words, from *zero* on; *hundreds*, *a thousand* and *dozens* are not numbers.
NUMERAL = lexicon().expand(
    rf"(?:{_BELOW}(?:(?:[-‑ ]{alternatives(_LARGE)}){{1,2}}"
    rf"(?:(?:\s<clauses.joining>)?[-‑ ]{_BELOW})?){{0,3}})"
)


def parse_numeral(words: str) -> int:
    """Return the value of a number in words.

    >>> parse_numeral("four"), parse_numeral("Twenty-one"), parse_numeral("thirty thousand")
    (4, 21, 30000)
    >>> parse_numeral("two hundred and five"), parse_numeral("three thousand five hundred")
    (205, 3500)
    """
    total = below_thousand = 0  # so far; *thousand* multiplies the second, and adds it
    for word in re.findall(r"[^\W\d_]+", words.lower()):
        value = _VALUES.get(word, 0)  # *and* adds nothing
        if value == 100:
            below_thousand *= value
        elif value > 100:
            total, below_thousand = total + below_thousand * value, 0
        else:
            below_thousand += value
    return total + below_thousand
