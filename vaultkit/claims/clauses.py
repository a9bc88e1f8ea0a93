"""Where a clause of a sentence ends: at a mark, or before a word that begins another one."""

from __future__ import annotations

import re
from functools import cache

from vaultkit.claims.lexicon import Lexicon

#: The marks that end a clause.
MARKS = ",;:()—–"
#: Those that do so behind a blank, whatever follows.
_OPENING = "(—–"


@cache
def clause_end(lexicon: Lexicon, *lists: str, marks: str = MARKS) -> re.Pattern[str]:
    """Return a pattern of the ends of clauses: marks, and the words of some lists of *clauses*.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> end = clause_end(lexicon(), "contrasting")
    >>> end.split("Ash has 1,200 (two of 3), oak and elm 3 but yew 4")
    ['Ash has 1,200 ', 'two of 3', '', ' oak and elm 3 ', ' yew 4']
    """
    opening = "".join(mark for mark in marks if mark in _OPENING)
    forms = [rf"[{marks}](?=[\s,.;]|$)"]
    if opening:
        forms.append(rf"(?<=\s)[{opening}]")
    if lists:
        forms.append(words_of_clauses(lexicon, *lists).pattern)
    return re.compile("|".join(forms), re.IGNORECASE)


@cache
def words_of_clauses(lexicon: Lexicon, *lists: str) -> re.Pattern[str]:
    """Return a pattern of the words of some lists of *clauses*.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> words_of_clauses(lexicon(), "following").search("It falls, then rises")[0]
    'then'
    """
    return re.compile(rf"(?<![\w-]){lexicon.pattern('clauses', *lists)}(?![\w-])", re.IGNORECASE)
