"""Extracts the text of a note that readers see, except code, as `Prose` with line numbers."""

from __future__ import annotations

import contextlib
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from markdown_it.token import Token

from vaultkit.read.html import HTMLReader
from vaultkit.read.note import Inline, Link, ParagraphWithCode, Passage
from vaultkit.read.positions import Places, parts_of
from vaultkit.read.prose import Prose
from vaultkit.read.sentences import LONGEST as LONGEST_SENTENCE
from vaultkit.read.syntax import BLOCK_ID, HTML_COMMENT, SIZE, reason

#: Most comments behind an image that are about its alt text.
_MOST_COMMENTS = 4
#: Attributes of HTML that browsers show or read aloud.
_SHOWN = {"alt": "alt text", "title": "title", "aria-label": "label"}
#: Elements that do not separate words: `<b>a</b>b` is one.
_WITHIN_WORDS = ("b", "i", "em", "strong", "span", "sub", "code", "a", "mark", "u")
#: Properties that the site and Obsidian show.
PROPERTIES = ("title", "summary", "description")
#: The type of a callout.
_CALLOUT = re.compile(r"^\[![\w-]+\][+-]?")


def text_of_inline(
    children: list[Token],
    places: Callable[[int], tuple[int, int]],
    place: str = "",
    hidden: Mapping[tuple[int, int], str] = MappingProxyType({}),
) -> Iterator[Prose]:
    """Yield the texts of images, links and tags in a paragraph, heading or cell; last its own text.

    Parameters
    ----------
    children
        The tokens of the paragraph, from `join_texts`.
    places
        Maps a position in the paragraph to line and column.
    place
        ``heading`` for a heading, else empty.
    hidden
        The content of the comments ``%%= … %%``, by their lines and columns.
    """
    prose = Prose(place, covers_last=place == "heading")
    is_behind_image = False
    for index, child in enumerate(children):
        begins = places(child.meta.get("at", 0))
        behind = children[index + 1 : index + 1 + _MOST_COMMENTS]
        is_behind_image = child.type == "image" or (is_behind_image and _is_html(child))
        match child.type:
            case "softbreak" | "hardbreak":
                prose.add(" ", *begins)
            case "text":
                for text, at in parts_of(child):
                    prose.add(text, *places(at))
            case "code_inline":
                prose.add_code(child.content, *begins)
            case "math_inline" | "math_inline_double":
                not_run = bool(reason_behind(children[index + 1 :], "not run"))
                prose.add_formula(child.content, *begins, not_run=not_run)
            case "wikilink":
                match_of_link = child.meta["match"]
                link = Link.from_match(match_of_link)
                if link.words:
                    # The words of a link follow the name of its note.
                    ahead = match_of_link.start("words") - match_of_link.start()
                    begins = places(child.meta.get("at", 0) + ahead)
                if link.embed:
                    yield from _text_beside("alt text", _without_size(link.words), begins, behind)
                else:
                    # The name of a note that is shown as a link's words is not a statement.
                    prose.add(link.words or " ", *begins)
                    prose.add_end_of_link()
            case "image":
                alt = _without_size(child.content)
                yield from _text_beside("alt text", alt, begins, behind, places)
                yield from _text_beside("title", _title_of(child), begins, behind)
            case "link_open":
                types = [token.type for token in children]
                closing = types.index("link_close", index) if "link_close" in types[index:] else -1
                behind = children[closing + 1 : closing + 2] if closing >= 0 else []
                yield from _text_beside("title", _title_of(child), begins, behind)
            case "link_close":
                prose.add_end_of_link()
            case "html_inline":
                if why := reason(child.content, "given"):
                    prose.add_reason(why)
                elif comment := HTML_COMMENT.fullmatch(child.content.strip()):
                    if not is_behind_image:  # else it is a comment on the alt text
                        prose.add_comment(comment[1], *begins, _tex_before(children, index))
                elif child.content.startswith("<sup"):
                    prose.add("^", *begins)  # `10<sup>3</sup>` is read as `10^3`
                else:
                    yield from _text_of_attributes(child.content, begins[0])
            case "comment" if begins in hidden:
                prose.add_comment(hidden[begins], *begins, _tex_before(children, index))
    # The type of a callout and the id of a block are not text.
    for pattern in (BLOCK_ID, _CALLOUT):
        prose.text = pattern.sub(lambda match: " " * len(match[0]), prose.text)
    yield prose


def _title_of(token: Token) -> str:
    """Return the title of an image or link, ``[words](address "title")``; empty without one."""
    return str(token.attrs.get("title") or "")


def reason_behind(tokens: Sequence[Token], what: str) -> str:
    """Return the reason in a comment right after a formula; empty if there is none.

    ``tokens`` are those behind the formula; ``what`` is the word with which the comment begins. It
    may follow on the next line, but not behind other text.
    """
    for token in tokens:
        if token.type in ("html_inline", "html_block"):
            return reason(token.content, what)
        if token.content.strip():
            return ""
    return ""


def _tex_before(children: list[Token], index: int) -> str:
    """Return the formula directly before the token with an index; empty if there is none."""
    before = children[index - 1] if index else None
    return before.content if before and before.type.startswith("math_inline") else ""


def words_of_link(children: list[Token], opening: int) -> str:
    """Return the visible words between the token with the index ``opening`` and its link's end."""
    words = []
    # A paragraph may open thousands of links and end none.
    for child in children[opening + 1 : opening + 1 + LONGEST_SENTENCE]:
        if child.type == "link_close":
            break
        words.append(plain_words(child))
    return "".join(words)


def plain_words(token: Token) -> str:
    """Return the plain words of an inline token."""
    match token.type:
        case "wikilink":
            return Link.from_match(token.meta["match"]).shown
        case "comment" | "html_inline" | "image":
            return ""
        case "softbreak" | "hardbreak":
            return " "
        case _:
            return token.content


def passage_of(content: str, children: list[Token], line: int) -> Passage:
    """Return the passage of a paragraph, given its Markdown, its tokens and its line."""
    words = _only_words(content, children)
    # Most paragraphs are words only: share the string, in memory and in the cache.
    return Passage(line, content, content if words == content else words)


def _only_words(content: str, children: list[Token]) -> str:
    """Return the Markdown of a paragraph with blanks for links, code, mathematics and tags.

    The result is as long as ``content``, so that positions are the same: ``a `b` c`` → ``a     c``.
    """
    words: list[str] = []
    length = open_links = 0  # the length of the words so far
    for child in children:
        open_links += (child.type == "link_open") - (child.type == "link_close")
        if child.type == "text" and not open_links:
            for text, at in parts_of(child):
                words += " " * (at - length), text
                length = max(at, length) + len(text)
    # An entity such as `&hellip;` is one character of text, so the words may be too short.
    return "".join(words)[: len(content)].ljust(len(content))


def paragraph_with_code(content: str, children: list[Token], places: Places) -> ParagraphWithCode:
    """Return a paragraph with inline code, given its Markdown, its tokens and their places."""
    parts = []
    for child in children:
        at = child.meta.get("at", 0)
        length = len(child.content) + 2 * len(child.markup)
        parts.append(Inline(child.type, child.content, at, length, *places(at)))
    return ParagraphWithCode(content, tuple(parts))


def _without_size(words: str) -> str:
    """Return an alt text without the size of the image.

    >>> _without_size("a cat|300"), _without_size("a cat")
    ('a cat', 'a cat')
    """
    sized = SIZE.fullmatch(words)
    return (sized["alt"] or "") if sized else words


def text_of_html(source: str, line: int) -> Iterator[Prose]:
    """Yield the text of a block of HTML, and the text in its attributes."""
    parser = _Text(line)
    parser.feed(source)
    parser.close()
    yield parser.prose
    yield from parser.asides


#: The labels in a Mermaid diagram; each alternative has one group, which is the label.
_LABEL = re.compile(
    r"""
    \| (?P<on_arrow> [^|]+ ) \|                                          # A -->|yes| B
    | [\[({/>]+ (?P<in_node> [^\[\](){}|]+ ) [\])}/]                     # A[Start]
    | \" (?P<quoted> [^\"]+ ) \"                                         # "Start"
    | \s:\s* (?P<behind_colon> \S.* )                                    # A->>B : Hello
    | \w:\s (?P<behind_word> .+ )                                        # Note over A: Hello
    | (?:--|==|-\.) \s (?P<within_arrow> [^->]+? ) \s (?:--|==|\.-)      # A -- yes --> B
    """,
    re.VERBOSE,
)
#: The beginning of a line that only styles a diagram, or that is a comment.
_STYLE = re.compile(r"\s*(?:style|classDef|class|linkStyle|click|accTitle|accDescr)\b|\s*%%")
_GIVEN = re.compile(r"\s*%%\s*given:\s*(?P<why>\S.*)")
#: The comment ``# given: reason`` at the end of a line of Python or YAML.
_GIVEN_BEHIND_HASH = re.compile(r"\s#\s*given:\s*(?P<why>\S.*)$")
#: A formula between single dollars: ``a $x$ b`` is split into ``a ``, ``x``, `` b``.
_DOLLARS = re.compile(r"(?<!\\)\$([^$\n]+)\$")


def text_of_diagram(lines: Sequence[str], line: int, indents: Sequence[int]) -> Iterator[Prose]:
    """Yield the labels of a Mermaid diagram, which begins at this line of the file.

    ``indents`` are the numbers of characters before its lines in the file. If the line
    ``%% given: reason`` follows, the reason is for the labels of the line above it.
    """
    for number, written in enumerate(lines):
        if _STYLE.match(written):
            continue
        given = _GIVEN.match(lines[number + 1]) if number + 1 < len(lines) else None
        for match in _LABEL.finditer(written):
            group = str(match.lastgroup)
            prose = Prose("diagram", covers_last=True)
            prose.add(match[group], line + number, indents[number] + match.start(group) + 1)
            if given:
                prose.add_reason(given["why"].strip())
            yield prose


#: A link of a Mermaid diagram: ``click A href "Note.md"``.
_CLICK = re.compile(r"\s*click\s+\S+\s+(?:href\s+)?\"(?P<href>[^\"]+)\"")


def links_of_diagram(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the links of a Mermaid diagram, each with the number of its line, counted from 0."""
    for number, line in enumerate(lines):
        if match := _CLICK.match(line):
            yield number, match


def text_of_comments(code: str, line: int, indents: Sequence[int]) -> Iterator[Prose]:
    """Yield the comments of Python code, which begins at this line of the file.

    ``indents`` are the numbers of characters before its lines in the file.
    ``# given: reason`` may end one. Code that is not Python has none from its error on.
    """
    with contextlib.suppress(tokenize.TokenError, SyntaxError, ValueError):
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                prose = Prose("comment", covers_last=True)
                given = _GIVEN_BEHIND_HASH.search(token.string)
                text = token.string[: given.start()] if given else token.string
                number = token.start[0] - 1
                prose.add(text, line + number, indents[number] + token.start[1] + 1)
                if given:
                    prose.add_reason(given["why"].strip())
                yield prose


def text_of_properties(values: Mapping[str, Any], source: str, line: int) -> Iterator[Prose]:
    """Yield the text of the properties that are shown; ``# given: reason`` may follow.

    ``source`` is the front matter, whose first property is on this line of the file, and ``values``
    are its parsed values.
    """
    lines = source.split("\n")
    for key in PROPERTIES:
        value = values.get(key)
        if not isinstance(value, (str, int, float)) or isinstance(value, bool):
            continue
        number = next((n for n, text in enumerate(lines) if re.match(rf"{key}\s*:", text)), 0)
        prose = Prose(key, covers_last=True)
        prose.add(str(value).replace("\n", " "), line + number)
        end = number + 1  # behind the lines of this property, which are indented but for the first
        while end < len(lines) and lines[end].startswith((" ", "\t")):
            end += 1
        if given := _GIVEN_BEHIND_HASH.search(lines[end - 1]):
            # In a quoted or folded value, YAML reads the comment as text.
            prose.text = prose.text.removesuffix(given[0].strip())
            prose.add_reason(given["why"].strip())
        yield prose


def _is_html(token: Token) -> bool:
    """Return whether a token is HTML within a line, such as a comment."""
    return token.type == "html_inline"


def _text_beside(
    place: str,
    text: str,
    begins: tuple[int, int],
    behind: Sequence[Token],
    places: Callable[[int], tuple[int, int]] | None = None,
) -> Iterator[Prose]:
    """Yield a text beside a paragraph, an alternative text or a title, unless it is blank.

    Parameters
    ----------
    place, begins
        Which text it is, and where it is in the file.
    behind
        The tokens behind the image or link; a comment may give the reason for the last number.
    places
        Maps their positions to line and column, for a text to which they may bind code.
    """
    if not text.strip():
        return
    prose = Prose(place, covers_last=True)
    # Formulas in it are not typeset, but they are read.
    for number, part in enumerate(_DOLLARS.split(text)):
        is_formula = number % 2 == 1
        (prose.add_code if is_formula else prose.add)(part, *begins)
    for token in takewhile(_is_html, behind):
        if why := reason(token.content, "given"):
            prose.add_reason(why)
        elif places and (comment := HTML_COMMENT.fullmatch(token.content.strip())):
            prose.add_comment(comment[1], *places(token.meta.get("at", 0)))
    yield prose


def _text_of_attributes(source: str, line: int) -> Iterator[Prose]:
    """Yield the texts in attributes of a tag that readers see or hear, such as an alt text."""
    parser = _Text(line)
    parser.feed(source)
    yield from parser.asides


class _Text(HTMLReader):
    """Collects the visible text of HTML.

    Parameters
    ----------
    line
        The line of the note on which the HTML begins.
    """

    def __init__(self, line: int) -> None:
        super().__init__(convert_charrefs=True)
        self.line = line
        self.prose = Prose("HTML")
        #: The texts of attributes that are shown: alternative texts and titles.
        self.asides: list[Prose] = []
        #: The number of open elements whose text is not shown.
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Add the text that a tag stands for, such as a blank.

        Texts of attributes become asides.
        """
        self.hidden += tag in ("script", "style")
        if tag == "sup":
            self.prose.add("^", self._line())
        elif tag not in _WITHIN_WORDS:
            self.prose.add(" ", self._line())
        for name, value in attrs:
            if name in _SHOWN and value:
                prose = Prose(_SHOWN[name])
                prose.add(value, self._line())
                self.asides.append(prose)

    def handle_endtag(self, tag: str) -> None:
        """Count the end of an element whose text is not shown."""
        self.hidden -= tag in ("script", "style") and self.hidden > 0

    def handle_data(self, data: str) -> None:
        """Add text, with the formulas in it, unless it is hidden."""
        if not self.hidden:
            for number, part in enumerate(_DOLLARS.split(data)):
                is_formula = number % 2 == 1
                (self.prose.add_formula if is_formula else self.prose.add)(part, self._line())

    def handle_comment(self, data: str) -> None:
        """Add a comment, or the reason that it gives for the number before it, to the text."""
        if why := reason(f"<!--{data}-->", "given"):
            self.prose.add_reason(why)
        else:
            self.prose.add_comment(data, self._line())

    def _line(self) -> int:
        """Return the line of the note at which the parser is."""
        return self.line + self.getpos()[0] - 1
