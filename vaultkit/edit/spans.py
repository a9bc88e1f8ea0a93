"""Finds the span of text that a check is about."""

from __future__ import annotations

import re

from vaultkit.checks.check import Check
from vaultkit.edit.text import Span
from vaultkit.read.note import Formula, Link, Note
from vaultkit.read.syntax import WIKILINK

#: ``[words](address "title")``, with brackets in each part.
_MARKDOWN_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\((?:[^()\s]|\([^()]*\))*[^()]*\)")
_BLANK = re.compile(r"\s+")


def span_of_check(check: Check, note: Note) -> Span:
    """Return the span of a check in a note."""
    if check.line > len(note.lines):
        return span_to_line_end(note, len(note.lines), 1)
    match check.kind:
        case "link":
            return span_of_link_at(note, check.line, check.column)
        case "equation" | "formula" | "number" | "shape" | "sentence" | "comparison":
            for formula in note.formulas_by_line.get(check.line, ()):
                if formula.tex == check.what and check.column in (1, formula.column):
                    return span_of_formula(note, formula)
            return _span_of_words(note, check)
        case "block" | "output" | "mirror" | "prediction" | "distractor":
            return span_to_line_end(note, check.line, 1)
    return span_to_line_end(note, check.line, check.column)


def span_of_formula(note: Note, formula: Formula) -> Span:
    """Return the span of a formula, its dollars included."""
    if not formula.display and "\n" not in formula.tex:
        return Span.within(formula.line, formula.column, len(formula.tex) + 2)
    mark = "$$" if formula.display else "$"
    column = formula.column + len(mark)
    for number in range(formula.line, len(note.lines) + 1):
        end = note.lines[number - 1].find(mark, column - 1)
        if end >= 0:
            return Span(formula.line, formula.column, number, end + 1 + len(mark))
        column = 1
    return span_to_line_end(note, formula.line, formula.column)


def span_of_link_at(note: Note, line: int, column: int) -> Span:
    """Return the span of the link that begins at a place."""
    text = note.lines[line - 1] if line <= len(note.lines) else ""
    for pattern in (WIKILINK, _MARKDOWN_LINK):
        if match := pattern.match(text, column - 1):
            return Span.within(line, column, len(match[0]))
    return span_to_line_end(note, line, column)


def span_of_link(note: Note, link: Link) -> Span:
    """Return the span of a link."""
    return span_of_link_at(note, link.line, link.column)


def span_to_line_end(note: Note, line: int, column: int) -> Span:
    """Return the span from a column to the end of the line, without blanks."""
    text = note.lines[line - 1] if 0 < line <= len(note.lines) else ""
    begins = min(column - 1, len(text))
    begins += len(text[begins:]) - len(text[begins:].lstrip())
    return Span(line, begins + 1, line, max(len(text.rstrip()), begins) + 1)


def _span_of_words(note: Note, check: Check) -> Span:
    """Return the span of a check's words, regardless of blanks and line ends between them."""
    words = (re.escape(word) for word in _BLANK.split(check.what.strip()))
    pattern = re.compile(r"\s+(?:>\s*)*".join(words))  # in a quote, lines begin with signs
    behind = "\n".join(note.lines[check.line - 1 : check.line + 2])
    match = pattern.match(behind, check.column - 1)
    if not match:
        return span_to_line_end(note, check.line, check.column)
    *above, last = match[0].split("\n")
    end = len(last) + 1 + (0 if above else check.column - 1)
    return Span(check.line, check.column, check.line + len(above), end)
