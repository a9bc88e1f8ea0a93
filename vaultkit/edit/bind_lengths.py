"""Decides whether a count is the length of the lists that a note is about: *for six days*.

The lists need not be called *days*. But a note is about them, so that a number of several things
that is the length of all of them is hardly anything else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.stated import Stated
from vaultkit.claims.units import unit_named
from vaultkit.edit.described import is_plural
from vaultkit.edit.expressions import Atom
from vaultkit.edit.sentences import Passage

#: The shortest list of which a number says the length.
_FEW = 3
#: Units of time by which things are counted.
_COUNTED = ("", "d", "wk", "mo", "y")
_LENGTH = re.compile(r"len\([^\W\d]\w*\)")


def is_length_of_all(
    stated: Stated, atom: Atom, sentence: Passage, lengths: Sequence[Atom], words: Lexicon, *,
    is_first: bool,
) -> bool:  # fmt: skip
    """Return whether a number counts the things that a note is about, and so an expression.

    Parameters
    ----------
    stated
        The number.
    atom
        The expression.
    sentence
        The sentence.
    lengths
        All lengths.
    words
        The words of the language.
    is_first
        Whether the sentence is above all code: there, other lists may have other lengths.
    """
    if not _LENGTH.fullmatch(atom.code) or float(atom.value) < _FEW:
        return False
    if stated.digits and not is_first:
        return False  # *the number 3 comes first*
    text = sentence.piece.text
    # *Six days* or *six rainy days*
    first = re.match(r"\s([^\W\d_]{3,})\b", text[stated.end :])
    second = re.match(r"\s(?:[^\W\d_]+\s)?([^\W\d_]{3,})\b", text[stated.end :])
    nouns = [match[1] for match in (first, second) if match and is_plural(match[1])]
    if not nouns or unit_named(nouns[0], words) not in _COUNTED:
        return False
    if words.regex(r"\b<lengths.other>\s$").search(text[: stated.start]):
        return False  # *the other six days*
    if words.regex(r"\s\w+\s<lengths.later>\b").match(text, stated.end):
        return False  # *six days later*
    known = [one for one in lengths if _LENGTH.fullmatch(one.code) and float(one.value) >= _FEW]
    return is_first or all(length.value == atom.value for length in known)
