"""Compares weekdays and dates in the text with the calendar and with dates of outputs and code.

*Monday, 3 March 2024* is contradicted by the calendar, *Thursday 8 November* by an output
``Wed 08 Nov``, and *Pentecost* beside *15 June* in a table by ``Pentecost 2025-06-08``.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from vaultkit.checks.check import Contradiction
from vaultkit.claims.lexicon import Lexicon
from vaultkit.read.note import Block, Note
from vaultkit.read.prose import Prose
from vaultkit.read.sentences import clause_span
from vaultkit.run.session import Step

_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?!\d)")
_CALL = re.compile(r"\bdate(?:time)?\(\s*(\d{4})\s*,\s*(\d{1,2})\s*,\s*(\d{1,2})")
#: Most items of a list that are read.
_MOST = 400


@dataclass(frozen=True)
class Day:
    """A date as a text has it: year and weekday (0 is Monday) may be missing."""

    day: int
    month: int
    year: int | None = None
    weekday: int | None = None
    label: str = ""
    line: int = 0

    @property
    def weekdays(self) -> set[int]:
        """The weekdays that it can have, as far as they are known."""
        if self.weekday is not None:
            return {self.weekday}
        if self.year is None:
            return set()
        return {datetime.date(self.year, self.month, self.day).weekday()}


@dataclass(frozen=True)
class _Found:
    """A date in a text with its place."""

    day: Day
    start: int
    text: str


def _abbreviated(name: str) -> str:
    """Return a regular expression for a name and its abbreviations to at least three letters.

    >>> _abbreviated("sunday")
    'sun(?:d(?:a(?:y)?)?)?'
    """
    rest = ""
    for letter in reversed(name[3:]):
        rest = f"(?:{letter}{rest})?"
    return name[:3] + rest


class Dates:
    """Collects the dates of outputs and variables, and compares those of the text.

    Parameters
    ----------
    lexicon
        The words of its language.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._months = [name[:3] for name in lexicon.words["dates"]["months"]]
        self._names = lexicon.words["dates"]["weekdays"]
        self._weekdays = [name[:3] for name in self._names]
        self._not_stated = lexicon.regex(r"\b<contrasts.not_said>\b|<contrasts.not_at_end>\b")
        months = "|".join(map(_abbreviated, lexicon.words["dates"]["months"]))
        weekdays = "|".join(map(_abbreviated, lexicon.words["dates"]["weekdays"]))
        self._pattern = re.compile(
            rf"(?<![\w-])(?:(?P<weekday>{weekdays})\.?,?\s(?:the\s)?)?(?:"
            rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month>{months})(?![a-z])"
            rf"|(?P<month2>{months})\.?\s(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)(?![\w.]*\d)"
            rf"(?:,?\s(?:in\s)?(?P<year>(?:1[4-9]|20)\d\d)(?![\d.]*\d))?",
            re.IGNORECASE,
        )
        #: A name before its date: *Easter is on*.
        self._subject = re.compile(
            r"(?:^|[.;:!?]\s)\W*(?P<label>\w+(?:\s\w+){0,2}?)"
            rf"\s{lexicon.pattern('dates', 'being')}\s$",
            re.IGNORECASE,
        )
        #: The dates that the page prints or binds.
        self.known: set[Day] = set()

    def observe(self, block: Block, steps: Sequence[Step], variables: Mapping[str, Any]) -> None:
        """Collect the dates of a block's outputs, code and variables."""
        for year, month, day in _CALL.findall(block.fence.text):
            self._add(int(year), int(month), int(day))
        for step in steps:
            for text, line in islice(step.output_lines(), _MOST):
                iso = list(_ISO.finditer(text))
                label = text[: iso[0].start()].strip(" :=") if len(iso) == 1 else ""
                for date in iso:
                    self._add(int(date[1]), int(date[2]), int(date[3]), label, line)
                for stated in self._dates_in(text):
                    self.known.add(stated.day)
        if self.known or "date" in block.fence.text:
            for value in variables.values():
                items = [value] if isinstance(value, datetime.date) else value
                if isinstance(items, dict):
                    items = [*items.keys(), *items.values()]
                if isinstance(items, list | tuple):
                    for item in items[:_MOST]:
                        for date in item if isinstance(item, list | tuple) else (item,):
                            if isinstance(date, datetime.date):
                                self._add(date.year, date.month, date.day)

    def _add(self, year: int, month: int, day: int, label: str = "", line: int = 0) -> None:
        """Remember a date, if there is one with these numbers."""
        try:
            datetime.date(year, month, day)
        except ValueError:
            return
        self.known.add(Day(day, month, year, None, label, line))

    def _dates_in(self, text: str) -> Iterator[_Found]:
        """Yield the dates in a text."""
        for match in self._pattern.finditer(text):
            month = self._months.index((match["month"] or match["month2"])[:3].lower()) + 1
            name = (match["weekday"] or "")[:3].lower()
            weekday = self._weekdays.index(name) if name else None
            year = int(match["year"]) if match["year"] else None
            day = Day(int(match["day"] or match["day2"]), month, year, weekday)
            try:
                datetime.date(year or 2000, month, day.day)
            except ValueError:
                continue
            yield _Found(day, match.start(), match[0])

    def contradictions(self, note: Note) -> Iterator[Contradiction]:
        """Yield the dates of the text that are wrong."""
        for piece in note.prose:
            for stated in self._dates_in(piece.text):
                why = self._calendar(stated, piece) or self._contradiction_of(stated, piece)
                if why:
                    yield Contradiction(piece.place_of(stated.start), stated.text, why)

    def _calendar(self, stated: _Found, piece: Prose) -> str:
        """Return the weekday of a date with a year, if the text states another one."""
        day = stated.day
        if day.weekday is None or day.year is None:
            return ""
        begins, ends = clause_span(piece.text, stated.start, stated.start + len(stated.text))
        ahead = piece.text[begins : stated.start]
        is_stated = piece.text[ends : ends + 1] != "?" and not self._not_stated.search(ahead)
        weekday = datetime.date(day.year, day.month, day.day).weekday()
        if day.weekday == weekday or not is_stated:
            return ""
        return f"that day is a {self._names[weekday].capitalize()}"

    def _contradiction_of(self, stated: _Found, piece: Prose) -> str:
        """Return what the page has in place of a date of the text; empty if nothing differs."""
        date = stated.day
        same = [
            known
            for known in self.known
            if (date.day, date.month) == (known.day, known.month)
            if None in (date.year, known.year) or date.year == known.year
        ]
        weekdays = {weekday for known in same for weekday in known.weekdays}
        if date.weekday is not None and weekdays and date.weekday not in weekdays:
            names = " or ".join(self._names[n].capitalize() for n in sorted(weekdays))
            return f"the page has {names} for this date"
        if same:
            return ""
        if piece.row and piece.text.strip() == stated.text:
            return self._date_of_label(date, piece.row)
        subject = self._subject.search(piece.text, 0, stated.start)
        return self._date_of_label(date, subject["label"]) if subject else ""

    def _date_of_label(self, date: Day, row: str) -> str:
        """Return the date that an output has behind the label of a row."""
        label = row.strip(" *_`").casefold()
        of_label = [day for day in self.known if day.label and day.label.casefold() == label]
        if len(of_label) != 1 or date.year not in (None, of_label[0].year):
            return ""
        day = of_label[0]
        return f"the output at line {day.line} has {day.year}-{day.month:02}-{day.day:02}"
