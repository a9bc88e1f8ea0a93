"""Finds names similar to one that does not exist.

A name is similar if it differs by slips, or if the words of one are most of the words of the other.
The ratio of difflib is not used: it is 0.75 for *Futurism* and *Futurama*.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from vaultkit.read.syntax import comparable

_WORD = re.compile(r"\w+")
#: How many characters of a name are compared; a broken link may be of any length.
_LONGEST = 200
#: A word of so many letters or fewer becomes another word by one slip.
_SHORT = 3
#: One slip is allowed, and one more for each so many letters.
_LETTERS_A_SLIP = 8
#: Least ratio of the lengths of two names if the wanted name is the shorter one; if it is the
#: longer one, the other name must be more than this part of it (*Daily notes* is not *Notes*).
_LEAST, _LIMIT_OF_WANTED = 0.4, 0.5
#: The number of names that are compared letter by letter: those with most pairs in common.
_MOST = 30


class Nearest:
    """An index of names by their pairs of letters.

    Parameters
    ----------
    names
        The names as they are written.

    Examples
    --------
    >>> Nearest(["Softmax", "Softmax Function", "Soft Mask", "Query"]).similar("softmx")
    ['Softmax', 'Softmax Function']
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {key: name for name in names if (key := comparable(name))}
        self._keys_by_pair: dict[str, list[str]] = defaultdict(list)
        for key in self._names:
            for pair in _pairs(key):
                self._keys_by_pair[pair].append(key)

    def similar(self, wanted: str) -> list[str]:
        """Return at most three similar names, the most similar first."""
        key = comparable(wanted[:_LONGEST])
        pairs_in_common: Counter[str] = Counter()
        for pair in _pairs(key):
            pairs_in_common.update(self._keys_by_pair.get(pair, ()))

        def share(name: str) -> float:
            # Divided by the lengths, since long names have some pairs in common by chance.
            return pairs_in_common[name] / (len(key) + len(name))

        likely = sorted(pairs_in_common, key=share, reverse=True)[:_MOST]
        near = [name for name in likely if _is_near(key, name)]
        return [self._names[name] for name in difflib.get_close_matches(key, near, 3, cutoff=0)]


def _is_near(wanted: str, name: str) -> bool:
    """Return whether an existing name is similar to the wanted one.

    >>> _is_near("softmx", "softmax"), _is_near("softmax", "softmax function")
    (True, True)
    >>> _is_near("notes", "daily notes"), _is_near("daily notes", "notes")
    (True, False)
    """
    if _is_slip(wanted, name):
        return True
    words, others = _WORD.findall(wanted), _WORD.findall(name)
    # A name may have no words: *++*.
    ratio = sum(map(len, words)) / (sum(map(len, others)) or 1)
    if _LEAST <= ratio <= 1 and _are_among(words, others):
        return True
    return 1 <= ratio < 1 / _LIMIT_OF_WANTED and _are_among(others, words)


def _are_among(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether each word is among the others, up to one slip in a long word.

    >>> _are_among(["softmx", "rows"], ["softmax", "of", "rows"]), _are_among(["rows"], ["row"])
    (True, False)
    """
    return all(word in others or _is_misspelt_one_of(word, others) for word in words)


def _is_misspelt_one_of(word: str, others: Sequence[str]) -> bool:
    """Return whether a long word is another long one with a slip."""
    return _is_long(word) and any(_is_slip(word, other) for other in others if _is_long(other))


def _is_long(word: str) -> bool:
    """Return whether a word is long enough to be recognised with a slip; numbers never are."""
    return len(word) > _SHORT and not word.isdecimal()


def _is_slip(one: str, other: str) -> bool:
    """Return whether two words differ by few slips for their length.

    A slip is a letter deleted, inserted or replaced, or two swapped (Damerau-Levenshtein).

    >>> [_is_slip("softmax", word) for word in ("sofmax", "sotfmax", "softmask", "minmax")]
    [True, True, False, False]
    """
    most = 1 + min(len(one), len(other)) // _LETTERS_A_SLIP
    if abs(len(one) - len(other)) > most:
        return False
    # `row[j]` is the number of slips between `one[:i]` and `other[:j]`; the last two rows are kept.
    row_before, last_row = [0], list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, counterpart in enumerate(other, 1):
            is_replaced = letter != counterpart
            # A letter is deleted, inserted or replaced.
            slips = min(last_row[j] + 1, row[-1] + 1, last_row[j - 1] + is_replaced)
            if min(i, j) > 1 and one[i - 2 : i] == counterpart + other[j - 2]:
                slips = min(slips, row_before[j - 2] + 1)  # the last two letters are swapped
            row.append(slips)
        row_before, last_row = last_row, row
    return last_row[-1] <= most


def _pairs(key: str) -> set[str]:
    """Return the pairs of adjacent letters of a name, with a blank at both ends."""
    padded = f" {key} "
    return {padded[at : at + 2] for at in range(len(padded) - 1)}
