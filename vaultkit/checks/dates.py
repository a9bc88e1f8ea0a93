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
from vaultkit.run.steps import Step

#: A date in an output: ``2024-03-04``.
_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?!\d)")
#: A date in code: ``date(2024, 3, 4)``.
_CALL = re.compile(r"\bdate(?:time)?\(\s*(\d{4})\s*,\s*(\d{1,2})\s*,\s*(\d{1,2})")
#: Most items of a list, and most lines of an output, that are read.
_MOST = 400
#: A year in which each day of a year exists, for a date without a year.
_LEAP_YEAR = 2000


@dataclass(frozen=True)
class Day:
    """A date as a text has it: year and weekday (0 is Monday) may be missing."""

    day: int
    month: int
    year: int | None = None
    weekday: int | None = None
    #: The text before it in its line of an output, *Pentecost*, and this line of the note.
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
    ending = ""
    for letter in reversed(name[3:]):
        ending = f"(?:{letter}{ending})?"
    return name[:3] + ending


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
        #: Words such as *not* or *if* before a date that is not stated.
        self._not_stated = lexicon.regex(r"\b<contrasts.not_said>\b|<contrasts.not_at_end>\b")
        months = "|".join(map(_abbreviated, lexicon.words["dates"]["months"]))
        weekdays = "|".join(map(_abbreviated, lexicon.words["dates"]["weekdays"]))
        #: A date, *Monday, the 4th of March 2024* or *Mon Mar 4, 2024*, but not *may 3.5*.
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
        for date in _CALL.findall(block.fence.text):
            self._add(*map(int, date))
        for step in steps:
            for text, line in islice(step.output_lines(), _MOST):
                dates = list(_ISO.finditer(text))
                # Of several dates, any may be that of the label.
                label = text[: dates[0].start()].strip(" :=") if len(dates) == 1 else ""
                for date in dates:
                    self._add(*map(int, date.groups()), label=label, line=line)
                self.known.update(found.day for found in self._dates_in(text))
        if self.known or "date" in block.fence.text:  # else it would take long for nothing
            for value in variables.values():
                for day in _days_of(value):
                    self._add(day.year, day.month, day.day)

    def _add(self, year: int, month: int, day: int, *, label: str = "", line: int = 0) -> None:
        """Remember a date, if there is one with these numbers."""
        try:
            datetime.date(year, month, day)
        except ValueError:
            return
        self.known.add(Day(day, month, year, None, label, line))

    def _dates_in(self, text: str) -> Iterator[_Found]:
        """Yield the dates in a text that exist: not the 31st of April."""
        for match in self._pattern.finditer(text):
            month = self._months.index((match["month"] or match["month2"])[:3].lower()) + 1
            name = (match["weekday"] or "")[:3].lower()
            weekday = self._weekdays.index(name) if name else None
            year = int(match["year"]) if match["year"] else None
            day = Day(int(match["day"] or match["day2"]), month, year, weekday)
            try:
                datetime.date(year or _LEAP_YEAR, month, day.day)
            except ValueError:
                continue
            yield _Found(day, match.start(), match[0])

    def contradictions(self, note: Note) -> Iterator[Contradiction]:
        """Yield the dates of the text that are wrong."""
        for piece in note.prose:
            for stated in self._dates_in(piece.text):
                if not self._is_stated(stated, piece):
                    continue
                if why := self._calendar(stated.day) or self._contradiction_of(stated, piece):
                    yield Contradiction(piece.place_of(stated.start), stated.text, why)

    def _is_stated(self, found: _Found, piece: Prose) -> bool:
        """Return whether a text states a date: no question does, nor a clause with *not*."""
        begins, ends = clause_span(piece.text, found.start, found.start + len(found.text))
        is_asked = piece.text[ends : ends + 1] == "?"
        return not is_asked and not self._not_stated.search(piece.text[begins : found.start])

    def _calendar(self, day: Day) -> str:
        """Return the weekday of a date with a year, if the text has another one; else nothing."""
        if day.weekday is None or day.year is None:
            return ""
        weekday = datetime.date(day.year, day.month, day.day).weekday()
        if day.weekday == weekday:
            return ""
        return f"that day is a {self._names[weekday].capitalize()}"

    def _contradiction_of(self, stated: _Found, piece: Prose) -> str:
        """Return what the page has in place of a date of the text; empty if nothing differs.

        That is another weekday for the same date, or another date for the label of the date: for
        the first cell of its row, if its own cell has only the date, or for the subject of its
        sentence.
        """
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

    def _date_of_label(self, date: Day, label: str) -> str:
        """Return the only date that an output has behind a label; empty if there is none.

        ``date`` is the one that the text gives the label; one of another year is about another day.
        """
        label = label.strip(" *_`").casefold()
        of_label = [day for day in self.known if day.label and day.label.casefold() == label]
        if len(of_label) != 1 or date.year not in (None, of_label[0].year):
            return ""
        day = of_label[0]
        return f"the output at line {day.line} has {day.year}-{day.month:02}-{day.day:02}"


def _days_of(value: Any) -> Iterator[datetime.date]:
    """Yield the dates in a variable: itself, items of a list or dictionary, and parts of these."""
    items = [value] if isinstance(value, datetime.date) else value
    if isinstance(items, dict):
        items = [*items.keys(), *items.values()]
    for item in items[:_MOST] if isinstance(items, list | tuple) else ():
        parts = item if isinstance(item, list | tuple) else (item,)
        yield from (part for part in parts if isinstance(part, datetime.date))
