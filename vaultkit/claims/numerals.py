"""Numbers in words: *four*, *twenty-one*, *thirty thousand*."""

from __future__ import annotations

import re

_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
LARGE = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_VALUES = {word: number for number, word in enumerate(_ONES)}
_VALUES |= {word: 20 + 10 * number for number, word in enumerate(TENS)}

_BELOW = rf"(?:(?:{'|'.join(TENS)})(?:[-‑ ](?:{'|'.join(_ONES[1:10])}))?|{'|'.join(_ONES)})"
#: A number in words, from *one* on; *hundreds*, *a thousand* and *dozens* are not numbers.
NUMERAL = (
    rf"(?:{_BELOW}(?:(?:[-‑ ](?:{'|'.join(LARGE)})){{1,2}}(?:(?:\sand)?[-‑ ]{_BELOW})?){{0,3}})"
)


def parse_numeral(words: str) -> int:
    """Return the value of a number in words.

    >>> parse_numeral("four"), parse_numeral("Twenty-one"), parse_numeral("thirty thousand")
    (4, 21, 30000)
    >>> parse_numeral("two hundred and five"), parse_numeral("three thousand five hundred")
    (205, 3500)
    """
    total = part = 0
    for word in re.findall("[a-z]+", words.lower()):
        if word == "hundred":
            part *= 100
        elif word in LARGE:
            total, part = total + part * LARGE[word], 0
        elif word != "and":
            part += _VALUES[word]
    return total + part
