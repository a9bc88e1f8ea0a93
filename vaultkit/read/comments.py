"""Hides comments, ``%% … %%``, which only the author of a note sees.

Comments are found before the text is parsed, since one may begin in the middle of a line, contain
blank lines and headings, and end in the middle of another line. Each of their characters is
replaced by a filler, so that all lines and columns stay those of the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from vaultkit.read.syntax import HTML_COMMENT, LINE_END, REASON

#: The filler: a code point that is not a character and that no file may contain.
FILLER = "\ufdd0"
_FILLED = re.compile(f"{FILLER}+")
#: Filler at the end of a line, with the blanks before it, which would become a line break.
_TRAILING = re.compile(rf"[ \t]*{FILLER}[{FILLER} \t]*$", re.MULTILINE)

_FRONT = re.compile(r"---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)")
_PREFIX = re.compile(r"[> \t]*")
_ITEM = r"(?:[-*+]|\d{1,9}[.)])[ \t]+"
_BEGINS_ITEM = re.compile(rf" {{0,3}}{_ITEM}")
_ENDS_PARAGRAPH = re.compile(rf"\n(?:[> \t]*(?:\n|\Z)|[> \t]*(?:{_ITEM}|\#{{1,6}}[ \t]|```|~~~))")
#: The end of a comment; one that begins alone on a line ends where a line begins or ends with it.
_CLOSES = re.compile("%%")
_CLOSES_BLOCK = re.compile(r"(?<=\n)[> \t]*%%|%%(?=[ \t]*(?:\n|\Z))")
_BEHIND_ROW = re.compile(r"(?<=\|)\s*(?:<!--(?:(?!-->).)*-->\s*)+$")
_SIGNS = re.compile(
    rf"(?P<fence>^(?P<before>[> \t]*(?:{_ITEM})*)(?P<mark>`{{3,}}(?=[^`\n]*$)|~{{3,}}).*$)"
    r"|(?P<indented>(?:(?<=\A)|(?<=\n\n))(?:(?: {4}|\t).*(?:\n(?=[ \t]*\n?(?: {4}|\t))|\n?))+)"
    r"|(?P<html><!--)|(?P<escape>\\%%[^\n%]*%%|\\.)|(?P<code>`+)|(?P<display>\$\$)"
    # An inline formula, as dollarmath parses it.
    r"|(?P<inline>(?<!\$)\$(?![\s$])(?:\\.|[^$\\\n])*?(?<!\s)\$(?!\d))"
    r"|(?P<comment>%%)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Hidden:
    """A text with hidden comments.

    Attributes
    ----------
    text
        The text, of the same length in each line; ``FILLER`` replaces hidden characters.
    lines
        First and last line of each range that is empty because of a comment.
    unclosed
        The line of a comment that is not closed; 0 if there is none.
    bound
        The comments ``%%= … %%`` by line and column, with their content.
    """

    text: str
    lines: tuple[tuple[int, int], ...] = ()
    unclosed: int = 0
    bound: Mapping[tuple[int, int], str] = field(default_factory=dict)


def hide(text: str) -> Hidden:
    r"""Overwrite the comments of a text.

    Examples
    --------
    >>> shown(hide("a %%secret\n\nsecret%% b, `%%c%%`").text)
    'a\n\n b, `%%c%%`'
    """
    text = LINE_END.sub("\n", text).replace(FILLER, "\ufffd")
    if "%%" not in text:
        return Hidden(text)
    spans, unclosed = _spans_of_comments(text)
    pieces: list[str] = []
    done = 0
    touched: set[int] = set()  # numbers of lines, counted from 0
    bound = {}
    for first, last in spans:
        if text.startswith("%%=", first):
            line, column = text.count("\n", 0, first) + 1, first - text.rfind("\n", 0, first)
            bound[line, column] = text[first + 2 : last].removesuffix("%%")
        pieces += [text[done:first], re.sub(r"[^\n]", FILLER, text[first:last])]
        touched.update(range(text.count("\n", 0, first), text.count("\n", 0, last) + 1))
        done = last
    hidden = "".join([*pieces, text[done:]]).split("\n")
    lines = text.split("\n")
    emptied = []
    for index in sorted(touched):
        prefix = _PREFIX.match(lines[index])[0]  # type: ignore[index]
        rest = hidden[index][len(prefix) :]
        if not rest.strip(f"{FILLER} \t"):
            hidden[index] = prefix + " " * len(rest)
            emptied.append(index + 1)
        elif hidden[index].startswith(FILLER) and ">" in prefix:
            hidden[index] = prefix + rest  # the comment continues in its quote
    return Hidden("\n".join(hidden), tuple(_consecutive(emptied)), unclosed, bound)


def shown(text: str) -> str:
    """Remove the fillers of `hide` from a text."""
    return _FILLED.sub("", _TRAILING.sub("", text)) if FILLER in text else text


def comments_in_html(html: str) -> list[str]:
    """Return the comments of a block of HTML that holds nothing else, but no reasons.

    >>> comments_in_html("<!-- = a --> <!-- given: b -->"), comments_in_html("<!-- a --> b")
    ([' = a '], [])
    """
    if HTML_COMMENT.sub("", html).strip():
        return []
    return [c[1] for c in HTML_COMMENT.finditer(html) if not REASON.fullmatch(c[0])]


def comments_behind_row(line: str) -> list[tuple[int, str]]:
    """Return the comments behind the last bar of a row of a table, with their columns.

    >>> comments_behind_row("| 1 | 2 | <!-- = row -->")
    [(11, ' = row ')]
    >>> comments_behind_row("| 1 | 2<!-- = row --> |")
    []
    """
    match = _BEHIND_ROW.search(line)
    comments = HTML_COMMENT.finditer(line, match.start()) if match else ()
    return [(comment.start() + 1, comment[1]) for comment in comments]


def _spans_of_comments(text: str) -> tuple[list[tuple[int, int]], int]:
    r"""Return the spans of the comments of a text, and the line of one that is not closed.

    That line is 0 if all are closed, or nothing follows the one that is not.

    >>> _spans_of_comments("a %%b%% c"), _spans_of_comments("a\n%%\nb")
    (([(2, 7)], 0), ([(2, 6)], 2))
    """
    front = _FRONT.match(text)
    at = front.end() if front else 0
    spans = []
    while match := _SIGNS.search(text, at):
        at = match.end()
        match match.lastgroup:
            case "mark" | "fence":
                at = _end_of_fence(text, match)
            case "indented" if _is_in_list(text, match.start()):
                at = match.start() + len(match[0]) - len(match[0].lstrip())
            case "html":
                end = text.find("-->", at)
                at = end + 3 if end >= 0 else at
            case "code" | "display":
                mark = match[0]
                until = _ENDS_PARAGRAPH.search(text, at)
                limit = until.start() + 1 if until else len(text)
                pattern = rf"(?<!`){mark}(?!`)" if mark[0] == "`" else r"(?<!\\)\$\$"
                closing = re.compile(pattern).search(text, at, limit)
                at = closing.end() if closing else at
            case "comment":
                begins, line = match.start(), text.rfind("\n", 0, match.start()) + 1
                line_end = text.find("\n", at) if "\n" in text[at:] else len(text)
                begins_line = not text[line:begins].strip("> \t")
                ends_line = not text[at:line_end].strip()
                closes = _CLOSES_BLOCK if begins_line and ends_line else _CLOSES
                if closing := closes.search(text, at):
                    at = closing.end()
                    spans.append((begins, at))
                elif begins_line or (ends_line and text[line_end:].strip()):
                    spans.append((begins, len(text.removesuffix("\n"))))
                    hides = bool(text[at:].strip())
                    return spans, text.count("\n", 0, begins) + 1 if hides else 0
    return spans, 0


def _is_in_list(text: str, at: int) -> bool:
    r"""Return whether the indented text that begins at ``at`` is in an item of a list.

    >>> texts = ("  - item\nits text\n\n", "- item\n\nno text of it\n\n")
    >>> [_is_in_list(text, len(text)) for text in texts]
    [True, False]
    """
    may_be_of_item = False  # so is an unindented line directly below an item
    while at > 0:
        begins = text.rfind("\n", 0, at - 1) + 1
        line = text[begins:at]
        if _BEGINS_ITEM.match(line):
            return True
        if line.startswith("#") or (may_be_of_item and not line.strip()):
            return False
        may_be_of_item = bool(line.strip()) and not line.startswith((" ", "\t"))
        at = begins
    return False


def _end_of_fence(text: str, match: re.Match[str]) -> int:
    """Return the position behind the closing line of a fence, given its opening line."""
    mark = match["mark"]
    closes = re.compile(rf"\n[> \t]*{mark[0]}{{{len(mark)},}}[ \t]*(?=\n|\Z)")
    closing = closes.search(text, match.end())
    if ">" in match["before"]:
        # Code in a quote ends where the quote ends.
        outside = re.compile(r"\n(?![ \t]*>)").search(text, match.end())
        ends = outside.start() if outside else len(text)
        return min(closing.end(), ends) if closing else ends
    return closing.end() if closing else len(text)


def _consecutive(numbers: list[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each run of consecutive numbers.

    >>> _consecutive([1, 2, 3, 7])
    [(1, 3), (7, 7)]
    """
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
