"""Where a clause of a sentence ends: at a mark, or before a word that begins another one."""

from __future__ import annotations

import re
from functools import cache

from vaultkit.claims.lexicon import Lexicon

#: The marks that end a clause, if a blank or another mark follows: not in *1,200*.
MARKS = ",;:()—–"
#: Those that begin an aside, and end the clause behind a blank, whatever follows: *oak (two of 3)*.
_OPENING = "(—–"


@cache
def clause_end(lexicon: Lexicon, *lists: str, marks: str = MARKS) -> re.Pattern[str]:
    """Return a pattern of the ends of clauses: some marks, and the words of some lists.

    The lists are those of the table *clauses* of the lexicon.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> end = clause_end(lexicon(), "contrasting")
    >>> end.split("Ash has 1,200 (two of 3), oak and elm 3 but yew 4")
    ['Ash has 1,200 ', 'two of 3', '', ' oak and elm 3 ', ' yew 4']
    """
    opening = "".join(mark for mark in marks if mark in _OPENING)
    alternatives = [rf"[{marks}](?=[\s,.;]|$)"]
    if opening:
        alternatives.append(rf"(?<=\s)[{opening}]")
    if lists:
        alternatives.append(words_of_clauses(lexicon, *lists).pattern)
    return re.compile("|".join(alternatives), re.IGNORECASE)


@cache
def words_of_clauses(lexicon: Lexicon, *lists: str) -> re.Pattern[str]:
    """Return a pattern of the words of some lists of the table *clauses*, as whole words.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> words_of_clauses(lexicon(), "following").search("It falls, then rises")[0]
    'then'
    """
    return re.compile(rf"(?<![\w-]){lexicon.pattern('clauses', *lists)}(?![\w-])", re.IGNORECASE)
