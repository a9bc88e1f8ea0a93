"""Compares weekdays in the text with the calendar: *Monday, 3 March 2024* was a Sunday."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from functools import cache

from vaultkit.checks.check import Contradiction
from vaultkit.claims.lexicon import Lexicon
from vaultkit.read.note import Note
from vaultkit.read.prose import Prose
from vaultkit.read.sentences import clause_span


def wrong_weekdays(note: Note, lexicon: Lexicon) -> Iterator[Contradiction]:
    """Yield the dates of the text whose weekday is another one in the calendar."""
    months, weekdays = lexicon.words["dates"]["months"], lexicon.words["dates"]["weekdays"]
    for piece in note.prose:
        for date in _pattern(lexicon).finditer(piece.text):
            if not _is_stated(date, piece, lexicon):
                continue
            month = _index(date["month"] or date["month2"], months) + 1
            day = int(date["day"] or date["day2"])
            try:
                weekday = datetime.date(int(date["year"]), month, day).weekday()
            except ValueError:  # the 31st of April
                continue
            if weekday != _index(date["weekday"], weekdays):
                why = f"that day is a {weekdays[weekday].capitalize()}"
                yield Contradiction(piece.place_of(date.start()), date[0], why)


@cache
def _pattern(lexicon: Lexicon) -> re.Pattern[str]:
    """Return a pattern of *Monday, the 4th of March 2024* and *Mon Mar 4, 2024*."""
    months = "|".join(map(_abbreviated, lexicon.words["dates"]["months"]))
    weekdays = "|".join(map(_abbreviated, lexicon.words["dates"]["weekdays"]))
    return re.compile(
        rf"(?<![\w-])(?P<weekday>{weekdays})\.?,?\s(?:the\s)?(?:"
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month>{months})(?![a-z])"
        rf"|(?P<month2>{months})\.?\s(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)(?![\w.]*\d)"
        r",?\s(?:in\s)?(?P<year>(?:1[4-9]|20)\d\d)(?![\d.]*\d)",
        re.IGNORECASE,
    )


def _abbreviated(name: str) -> str:
    """Return a regular expression for a name and its abbreviations to at least three letters.

    >>> _abbreviated("sunday")
    'sun(?:d(?:a(?:y)?)?)?'
    """
    ending = ""
    for letter in reversed(name[3:]):
        ending = f"(?:{letter}{ending})?"
    return name[:3] + ending


def _index(written: str, names: list[str]) -> int:
    """Return the index of the name that is written, perhaps abbreviated.

    >>> _index("Tues", ["monday", "tuesday"])
    1
    """
    return next(n for n, name in enumerate(names) if name.startswith(written.lower()))


def _is_stated(date: re.Match[str], piece: Prose, lexicon: Lexicon) -> bool:
    """Return whether a text states a date: no question does, nor a clause with *not* or *if*."""
    begins, ends = clause_span(piece.text, date.start(), date.end())
    not_stated = lexicon.regex(r"\b<contrasts.not_said>\b|<contrasts.not_at_end>\b")
    return piece.text[ends : ends + 1] != "?" and not not_stated.search(
        piece.text[begins : date.start()]
    )
