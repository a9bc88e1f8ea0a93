"""Hides comments, ``%% … %%``, which only the author of a note sees.

Comments are found before the text is parsed, since one may begin in the middle of a line, contain
blank lines and headings, and end in the middle of another line. Each of their characters is
replaced by a filler, so that all lines and columns stay those of the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from vaultkit.read.syntax import HTML_COMMENT, LINE_END, REASON

#: The filler: a code point that is not a character and that no file may contain.
FILLER = "\ufdd0"
_FILLED = re.compile(f"{FILLER}+")
#: Filler at the end of a line, with the blanks before it, which would become a line break.
_TRAILING = re.compile(rf"[ \t]*{FILLER}[{FILLER} \t]*$", re.MULTILINE)

#: The front matter at the beginning of a text, from ``---`` to ``---``.
_FRONT = re.compile(r"---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)")
#: The marks of quotes and the indentation at the beginning of a line: ``> > ``.
_PREFIX = re.compile(r"[> \t]*")
#: The mark of a list item with the blank behind it: ``- `` or ``12. ``.
_ITEM = r"(?:[-*+]|\d{1,9}[.)])[ \t]+"
#: The end of a line below which is a blank line, a list item, a heading or a fence.
_ENDS_PARAGRAPH = re.compile(
    rf"""\n [> \t]*
    (?: \n | \Z | {_ITEM} | \#{{1,6}}[ \t] | ``` | ~~~ )""",
    re.VERBOSE,
)
#: The end of a comment; one that begins alone on a line ends where a line begins or ends with it.
_CLOSES = re.compile("%%")
_CLOSES_BLOCK = re.compile(r"(?<=\n)[> \t]*%%|%%(?=[ \t]*(?:\n|\Z))")
#: The HTML comments behind the last bar of a row, up to the end: ``| 1 | <!-- a --> <!-- b -->``.
_BEHIND_ROW = re.compile(r"(?<=\|)\s*(?:<!--(?:(?!-->).)*-->\s*)+$")
#: What may begin a comment, or contain ``%%`` that begin none.
_SIGNS = re.compile(
    rf"""
    # The opening line of a fence of code, such as "> - ```python".
    (?P<fence> ^ (?P<before>[> \t]*(?:{_ITEM})*) (?P<mark>`{{3,}}(?=[^`\n]*$)|~{{3,}}) .*$ )
    | (?P<html> <!-- )
    | (?P<escape> \\%%[^\n%]*%% | \\. )
    | (?P<code> `+ )
    | (?P<display> \$\$ )
    # A formula within a line, as dollarmath parses it.
    | (?P<inline> (?<!\$)\$(?![\s$]) (?:\\.|[^$\\\n])*? (?<!\s)\$(?!\d) )
    | (?P<comment> %% )
    """,
    re.MULTILINE | re.VERBOSE,
)

#: Parses the blocks of a text, which shows what is indented code.
_BLOCKS = MarkdownIt("commonmark").use(footnote_plugin).disable("inline")

#: The positions in a text where a part of it begins and ends.
Span = tuple[int, int]


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
        The content of the comments ``%%= … %%``, which bind the text before them to code, by their
        lines and columns.
    """

    text: str
    lines: tuple[tuple[int, int], ...] = ()
    unclosed: int = 0
    bound: Mapping[tuple[int, int], str] = field(default_factory=dict)


def hide(text: str) -> Hidden:
    r"""Return a text with its comments replaced by filler.

    Blanks replace those that are alone on a line.

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
    copied = 0  # the position up to which the text is in the pieces
    with_comment: set[int] = set()  # numbers of lines, counted from 0
    bound = {}
    for first, last in spans:
        if text.startswith("%%=", first):
            line, column = text.count("\n", 0, first) + 1, first - text.rfind("\n", 0, first)
            bound[line, column] = text[first + len("%%") : last].removesuffix("%%")
        pieces += [text[copied:first], re.sub(r"[^\n]", FILLER, text[first:last])]
        with_comment.update(range(text.count("\n", 0, first), text.count("\n", 0, last) + 1))
        copied = last
    filled_lines = "".join([*pieces, text[copied:]]).split("\n")
    lines = text.split("\n")
    emptied = []
    for index in sorted(with_comment):
        prefix = _PREFIX.match(lines[index])[0]  # type: ignore[index]
        behind_prefix = filled_lines[index][len(prefix) :]
        if not behind_prefix.strip(f"{FILLER} \t"):
            # Filler alone would be a paragraph; a line of blanks is none.
            filled_lines[index] = prefix + " " * len(behind_prefix)
            emptied.append(index + 1)
        elif filled_lines[index].startswith(FILLER) and ">" in prefix:
            # Text follows the end of a comment that began above in this quote; its marks were
            # filled, too.
            filled_lines[index] = prefix + behind_prefix
    return Hidden("\n".join(filled_lines), tuple(_consecutive(emptied)), unclosed, bound)


def shown(text: str) -> str:
    """Remove the fillers of `hide` from a text, and the blanks before those that end a line."""
    return _FILLED.sub("", _TRAILING.sub("", text)) if FILLER in text else text


def comments_in_html(html: str) -> list[str]:
    """Return the comments of a block of HTML, except reasons; none if it has more than comments.

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


def _spans_of_comments(text: str) -> tuple[list[Span], int]:
    r"""Return the spans of the comments of a text, and the line of one that is not closed.

    That line is 0 if all are closed, or nothing follows the one that is not.

    >>> _spans_of_comments("a %%b%% c"), _spans_of_comments("a\n%%\nb")
    (([(2, 7)], 0), ([(2, 6)], 2))
    """
    front = _FRONT.match(text)
    at = front.end() if front else 0
    spans = []
    indented = _ends_of_indented_code(text, at) if "    " in text or "\t" in text else {}
    while sign := _SIGNS.search(text, at):
        at = sign.end()  # behind an escape or a formula within a line
        if end := indented.get(text.rfind("\n", 0, sign.end()) + 1):
            at = end
            continue
        match sign.lastgroup:
            case "fence":
                at = _end_of_fence(text, sign)
            case "html":
                # Its marks may share hyphens: `<!-->` is a whole comment.
                end = text.find("-->", sign.start() + len("<!"))
                at = end + len("-->") if end >= 0 else at
            case "code" | "display":
                at = _end_of_code_or_display(text, at, sign[0])
            case "comment":
                begins, line_start = sign.start(), text.rfind("\n", 0, sign.start()) + 1
                line_end = text.find("\n", at) if "\n" in text[at:] else len(text)
                begins_line = not text[line_start:begins].strip("> \t")
                ends_line = not text[at:line_end].strip()
                closes = _CLOSES_BLOCK if begins_line and ends_line else _CLOSES
                if closing := closes.search(text, at):
                    at = closing.end()
                    spans.append((begins, at))
                elif begins_line or (ends_line and text[line_end:].strip()):
                    # Not closed: it hides all that follows. Elsewhere, such as in *5 %% of it*, it
                    # is text.
                    spans.append((begins, len(text.removesuffix("\n"))))
                    hides_text = bool(text[at:].strip())
                    return spans, text.count("\n", 0, begins) + 1 if hides_text else 0
    return spans, 0


def _end_of_code_or_display(text: str, at: int, mark: str) -> int:
    """Return the position behind the code or formula whose opening mark ends at ``at``.

    If the same mark does not close it within the paragraph, the mark is text, and this is ``at``.

    >>> _end_of_code_or_display("`a` b", 1, "`"), _end_of_code_or_display("`a b", 1, "`")
    (3, 1)
    """
    paragraph_end = _ENDS_PARAGRAPH.search(text, at)
    limit = paragraph_end.start() + 1 if paragraph_end else len(text)
    pattern = rf"(?<!`){mark}(?!`)" if mark.startswith("`") else r"(?<!\\)\$\$"
    closing = re.compile(pattern).search(text, at, limit)
    return closing.end() if closing else at


def _ends_of_indented_code(text: str, at: int) -> dict[int, int]:
    r"""Return where each line of indented code begins and ends, as if the text had no comments.

    ``at`` is where the text begins, behind the front matter.

    >>> _ends_of_indented_code("a\n\n    b\n- c\n\n    d\n", 0)
    {3: 9}
    """
    begins = [match.start() for match in re.finditer("^", text[at:], re.MULTILINE)]
    ends = [*begins[1:], len(text) - at]
    return {
        at + begins[line]: at + ends[line]
        for token in _BLOCKS.parse(text[at:])
        if token.type == "code_block" and token.map
        for line in range(*token.map)
    }


def _end_of_fence(text: str, opening: re.Match[str]) -> int:
    """Return the position behind the closing line of a fence, given the match of its first line.

    A fence that is not closed ends with the text.
    """
    mark = opening["mark"]
    closes = re.compile(rf"\n[> \t]*{mark[0]}{{{len(mark)},}}[ \t]*(?=\n|\Z)")
    closing = closes.search(text, opening.end())
    if ">" in opening["before"]:
        # Code in a quote ends where the quote ends.
        outside = re.compile(r"\n(?![ \t]*>)").search(text, opening.end())
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
