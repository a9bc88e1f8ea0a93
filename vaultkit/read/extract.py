"""Extracts the text of a note that readers see, except code, as `Prose` with line numbers."""

from __future__ import annotations

import contextlib
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from markdown_it.token import Token

from vaultkit.read.html import HTMLReader
from vaultkit.read.note import Inline, Link, ParagraphWithCode, Passage
from vaultkit.read.positions import Places, parts_of
from vaultkit.read.prose import LINK, Prose
from vaultkit.read.syntax import BLOCK_ID, HTML_COMMENT, SIZE, reason

#: Attributes of HTML that browsers show or read aloud.
_SHOWN = {"alt": "alt text", "title": "title", "aria-label": "label"}
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
    """Yield the text of a paragraph, heading or cell, and that of the images and tags in it.

    ``places`` maps the beginning of a token to line and column; ``hidden`` are the comments that
    are hidden before the text is parsed, by their places.
    """
    prose = Prose(place, covers_last=place == "heading")
    for position, child in enumerate(children):
        if child.type != "text":
            begins = places(child.meta.get("at", 0))
        match child.type:
            case "softbreak" | "hardbreak":
                prose.add(" ", *begins)
            case "text":
                for text, at in parts_of(child):
                    prose.add(text, *places(at))
            case "code_inline":
                prose.add_code(child.content, *begins)
            case "math_inline" | "math_inline_double":
                not_run = bool(reason_behind(children, "not run", position + 1))
                prose.add_formula(child.content, *begins, not_run=not_run)
            case "wikilink":
                match_of_link = child.meta["match"]
                link = Link.from_match(match_of_link)
                if link.words:
                    # The words of a link follow the name of its note.
                    ahead = match_of_link.start("words") - match_of_link.start()
                    begins = places(child.meta.get("at", 0) + ahead)
                if link.embed:
                    yield from _text_beside(
                        "alt text", _without_size(link.words), begins, children, position
                    )
                else:
                    # The name of a note that is shown as a link's words is not a statement.
                    prose.add((link.words or " ") + LINK, *begins)
            case "image":
                yield from _text_beside(
                    "alt text", _without_size(child.content), begins, children, position
                )
                title = str(child.attrs.get("title") or "")
                yield from _text_beside("title", title, begins, children, position)
            case "link_open":
                closing = position + 1
                while closing < len(children) and children[closing].type != "link_close":
                    closing += 1
                title = str(child.attrs.get("title") or "")
                yield from _text_beside("title", title, begins, children, closing)
            case "link_close":
                prose.add(LINK, *begins)
            case "html_inline":
                if why := reason(child.content, "given"):
                    prose.add_reason(why)
                elif comment := HTML_COMMENT.fullmatch(child.content.strip()):
                    prose.add_comment(comment[1], *begins, _tex_before(children, position))
                elif child.content.startswith("<sup"):
                    prose.add("^", *begins)
                else:
                    yield from _text_of_attributes(child.content, begins[0])
            case "comment" if begins in hidden:
                prose.add_comment(hidden[begins], *begins, _tex_before(children, position))
    # The type of a callout and the id of a block are not text.
    for pattern in (BLOCK_ID, _CALLOUT):
        prose.text = pattern.sub(lambda match: " " * len(match[0]), prose.text)
    yield prose


def reason_behind(tokens: Sequence[Token], what: str, first: int = 0) -> str:
    """Return the reason in a comment right after a formula; empty if there is none.

    The tokens from index ``first`` on are behind the formula; ``what`` is the word with which the
    comment begins.
    """
    for token in tokens[first:]:
        if token.type in ("html_inline", "html_block"):
            return reason(token.content, what)
        if token.content.strip() and token.type != "softbreak":
            return ""
    return ""


def _tex_before(children: list[Token], position: int) -> str:
    """Return the formula directly before a token; empty if there is none."""
    before = children[position - 1] if position else None
    return before.content if before and before.type.startswith("math_inline") else ""


def passage_of(content: str, children: list[Token], line: int) -> Passage:
    """Return the passage of a paragraph, given its Markdown, its tokens and its line."""
    words = _only_words(content, children)
    # Most paragraphs are words only: share the string, in memory and in the cache.
    return Passage(line, content, content if words == content else words)


def _only_words(content: str, children: list[Token]) -> str:
    """Return the Markdown of a paragraph with blanks for links, code, mathematics and tags."""
    words: list[str] = []
    length = open_links = 0
    for child in children:
        open_links += (child.type == "link_open") - (child.type == "link_close")
        if child.type == "text" and not open_links:
            for text, at in parts_of(child):
                words += " " * (at - length), text
                length = max(at, length) + len(text)
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


#: The labels in a Mermaid diagram, and lines that only style it.
_LABEL = re.compile(
    r"\|(?P<a>[^|]+)\||[\[({/>]+(?P<b>[^\[\](){}|]+)[\])}/]|\"(?P<c>[^\"]+)\"|\s:\s*(?P<d>\S.*)|\w:\s(?P<e>.+)"
    r"|(?:--|==|-\.)\s(?P<f>[^->]+?)\s(?:--|==|\.-)"
)
_STYLE = re.compile(r"\s*(?:style|classDef|class|linkStyle|click|accTitle|accDescr|%%)\b|\s*%%")
_GIVEN = re.compile(r"\s*%%\s*given:\s*(\S.*)")


def text_of_diagram(lines: Sequence[str], line: int, column: int = 1) -> Iterator[Prose]:
    """Yield the text of a Mermaid diagram; ``%% given: reason`` may follow a line."""
    for number, raw in enumerate(lines):
        if _STYLE.match(raw):
            continue
        following = _GIVEN.match(lines[number + 1]) if number + 1 < len(lines) else None
        for match in _LABEL.finditer(raw):
            kind = str(match.lastgroup)
            prose = Prose("diagram", covers_last=True)
            prose.add(match[kind], line + number, column + match.start(kind))
            if following:
                prose.add_reason(following[1].strip())
            yield prose


_CLICK = re.compile(r"\s*click\s+\S+\s+(?:href\s+)?\"(?P<href>[^\"]+)\"")


def links_of_diagram(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the links of a Mermaid diagram, each with the number of its line."""
    for number, raw in enumerate(lines):
        if match := _CLICK.match(raw):
            yield number, match


def text_of_comments(code: str, line: int, column: int = 1) -> Iterator[Prose]:
    """Yield the comments of Python code; ``given: reason`` may end one."""
    with contextlib.suppress(tokenize.TokenError, SyntaxError, ValueError):
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                prose = Prose("comment", covers_last=True)
                given = re.search(r"\s#\s*given:\s*(\S.*)$", token.string)
                text = token.string[: given.start()] if given else token.string
                prose.add(text, line + token.start[0] - 1, column + token.start[1])
                if given:
                    prose.add_reason(given[1].strip())
                yield prose


def text_of_properties(meta: Mapping[str, Any], source: str, line: int) -> Iterator[Prose]:
    """Yield the text of the properties that are shown; ``# given: reason`` may follow."""
    lines = source.split("\n")
    for key in PROPERTIES:
        value = meta.get(key)
        if not isinstance(value, (str, int, float)) or isinstance(value, bool):
            continue
        where = (n for n, raw in enumerate(lines) if re.match(rf"{key}\s*:", raw))
        number = next(where, 0)
        prose = Prose(key, covers_last=True)
        prose.add(str(value).replace("\n", " "), line + number)
        last = number + 1
        while last < len(lines) and lines[last].startswith((" ", "\t")):
            last += 1
        if given := re.search(r"\s#\s*given:\s*(\S.*)$", lines[last - 1]):
            prose.text = prose.text.removesuffix(given[0].strip())
            prose.add_reason(given[1].strip())
        yield prose


def _text_beside(
    place: str, text: str, begins: tuple[int, int], children: list[Token], position: int
) -> Iterator[Prose]:
    """Yield a text beside a paragraph, an alternative text or a title, unless it is blank.

    ``place`` says which it is, and ``begins`` where it is in the file. The token behind
    ``position`` may be a comment with a reason, which is for its last number.
    """
    if not text.strip():
        return
    prose = Prose(place, covers_last=True)
    # Formulas in it are not typeset, but they are read.
    for number, part in enumerate(re.split(r"(?<!\\)\$([^$\n]+)\$", text)):
        if number % 2:
            prose.add_code(part, *begins)
        else:
            prose.add(part, *begins)
    for token in children[position + 1 : position + 2]:
        if token.type == "html_inline" and (why := reason(token.content, "given")):
            prose.add_reason(why)
    yield prose


def _text_of_attributes(source: str, line: int) -> Iterator[Prose]:
    """Yield the attributes of a tag that readers see, such as an alt text."""
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
            self.prose.add("^", self._at())
        elif tag not in ("b", "i", "em", "strong", "span", "sub", "code", "a", "mark", "u"):
            self.prose.add(" ", self._at())
        for name, value in attrs:
            if name in _SHOWN and value:
                prose = Prose(_SHOWN[name])
                prose.add(value, self._at())
                self.asides.append(prose)

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style") and self.hidden > 0

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            for number, part in enumerate(re.split(r"(?<!\\)\$([^$\n]+)\$", data)):
                (self.prose.add_formula if number % 2 else self.prose.add)(part, self._at())

    def handle_comment(self, data: str) -> None:
        """Add a comment, or the reason that it gives for the number before it, to the text."""
        if why := reason(f"<!--{data}-->", "given"):
            self.prose.add_reason(why)
        else:
            self.prose.add_comment(data, self._at())

    def _at(self) -> int:
        return self.line + self.getpos()[0] - 1
