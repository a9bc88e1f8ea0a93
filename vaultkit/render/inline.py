"""Renders inline tokens as elements: words, links, code, formulas, images, footnotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from markdown_it.token import Token

from vaultkit.read.note import Link
from vaultkit.read.positions import Places
from vaultkit.read.syntax import address as address_of
from vaultkit.read.tokenizer import tokenize_line
from vaultkit.render.footnotes import Footnotes
from vaultkit.render.links import render_image, render_link, render_wikilink
from vaultkit.render.page import PLACEHOLDER_MARKS, Page
from vaultkit.render.places import Names, Spot

#: A web address in running text, without the punctuation that ends a sentence.
_ADDRESS = re.compile(r"(?<![\w\"'<=/])https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]*_~]", re.IGNORECASE)
#: A reference to a missing footnote.
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]+\]")
#: Text that the host would read as an entity.
_ENTITY = re.compile(r"&(?=(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)", re.IGNORECASE)
#: The elements for paired tokens.
_PAIRS = {"em": "em", "strong": "strong", "s": "del", "mark": "mark"}
_TEXT = ("text", "text_special")
_ENDS = ("softbreak", "hardbreak")


def literal(text: str) -> str:
    """Escape a text so that the host shows it unchanged.

    >>> literal("a & b &amp; c")
    'a & b &amp;amp; c'
    """
    return PLACEHOLDER_MARKS.sub("", _ENTITY.sub("&amp;", text))


def append(element: Element, text: str) -> None:
    """Append text to an element, after its children."""
    if not text:
        return
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def position_of(token: Token) -> int:
    """Return the position of a token in its paragraph."""
    return int(token.meta.get("at", 0))


def tokens_between(tokens: Sequence[Token], first: int, last: int | None = None) -> list[Token]:
    """Return the tokens between two positions of a paragraph, without line ends around them.

    A text token that extends over one of the positions is cut.

    Examples
    --------
    >>> from vaultkit.read.tokenizer import tokenize_line
    >>> tokens = tokens_between(tokenize_line("one *two* three"), 2, 13)
    >>> [token.content for token in tokens if token.type == "text"]
    ['e ', 'two', ' thr']
    """
    between = []
    for token in tokens:
        position = position_of(token)
        # The closing token of a link has the position of the opening one, and is no text.
        if token.type in _TEXT and not token.info:
            end = None if last is None else max(0, last - position)
            content = token.content[max(0, first - position) : end]
            if not content:
                continue
            if content == token.content:
                between.append(token)
            else:
                meta = {"at": max(position, first)}
                between.append(Token("text", "", 0, content=content, meta=meta))
        elif position >= first and (last is None or position < last):
            between.append(token)
    while between and between[0].type in _ENDS:
        del between[0]
    while between and between[-1].type in _ENDS:
        del between[-1]
    return between


@dataclass
class InlineRenderer:
    """Renders the tokens of a paragraph into an element.

    Attributes
    ----------
    page
        The page.
    footnotes
        The footnotes of the text; None if none can be shown, as in a quoted backlink.
    names
        The names of the parts of the text; None if they have none.
    places
        Maps places of the paragraph to lines and columns of the file.
    is_heading
        Whether it is a heading, in which line ends are blanks.
    html_before
        Placeholder of HTML to be inserted before the tokens, such as the box of a task.
    """

    page: Page
    footnotes: Footnotes | None = None
    names: Names | None = None
    places: Callable[[int], tuple[int, int]] | None = None
    is_heading: bool = False
    html_before: str = ""

    def fill(self, element: Element, tokens: Sequence[Token]) -> None:
        """Render tokens into an element."""
        append(element, self.html_before)
        self.html_before = ""
        _Writer(self, element).write(tokens)

    def check_name(self, kind: str, position: int) -> str | None:
        """Return the name of the link or formula that begins at a position."""
        if self.names is None or self.places is None:
            return None
        return self.names.at(kind, *self.places(position))

    def for_words_at(self, position: int) -> InlineRenderer:
        """Return the renderer for the words of a link, which begin at a position."""
        places = self.places
        inner = places.of_part(position) if isinstance(places, Places) else None
        return replace(self, places=inner, html_before="")


class _Piece(NamedTuple):
    """Where a token begins: in the text of adjacent tokens, and in its paragraph."""

    start: int
    position: int


class _Mark(NamedTuple):
    """A part of a text, ``text[start:end]``, with the name of its check."""

    start: int
    end: int
    name: str


class _Writer:
    """Writes tokens into an element: each into the innermost element that is open.

    Adjacent text tokens wait until another token comes, since an address or a number may extend
    over several of them.
    """

    def __init__(self, line: InlineRenderer, element: Element) -> None:
        self.line, self.page = line, line.page
        #: The open elements, outermost first.
        self.open_elements = [element]
        #: The number of open links, including broken ones.
        self.open_links = 0
        #: The text tokens that are not written yet.
        self.pending: list[Token] = []

    def write(self, tokens: Sequence[Token]) -> None:
        """Append the elements of all tokens; adjacent text is joined first."""
        for index, token in enumerate(tokens):
            if token.type in _TEXT:
                self.pending.append(token)
                continue
            if token.type == "comment" and self.pending and _is_line_end(tokens, index + 1):
                # Blanks before a line break would be at the end of a line.
                last = self.pending[-1]
                self.pending[-1] = last.copy(content=last.content.rstrip())
            self.write_pending()
            self.write_token(token)
        self.write_pending()

    def write_token(self, token: Token) -> None:
        """Write a token that is not text: begin or end an element, or append a whole one."""
        name, _, end = token.type.rpartition("_")
        if name in _PAIRS:
            if end == "open":
                self.open_element(Element(_PAIRS[name]))
            else:
                self.close_element(_PAIRS[name])
            return
        match token.type:
            case "softbreak" | "hardbreak":
                self.write_line_end(token.type == "hardbreak")
            case "code_inline":
                self.write_code(token)
            case "math_inline" | "math_inline_double":
                self.write_formula(token)
            case "link_open":
                self.open_links += 1
                check = self.line.check_name("link", position_of(token))
                self.open_element(render_link(self.page, token, check))
            case "link_close":
                self.open_links -= 1
                self.close_element("a", "span")
            case "image":
                self.write_image(token)
            case "wikilink":
                self.write_wikilink(token)
            case "html_inline":
                self.write_html(token.content)
            case "tag":
                self.write_tag(token)
            case "footnote_ref" if self.line.footnotes is not None:
                self.append_element(self.line.footnotes.add_reference(token))

    def open_element(self, element: Element) -> None:
        self.open_elements[-1].append(element)
        self.open_elements.append(element)

    def close_element(self, *tags: str) -> None:
        # A part of a paragraph may contain the end of an element that began before it.
        if len(self.open_elements) > 1 and self.open_elements[-1].tag in tags:
            self.open_elements.pop()

    def append_element(self, element: Element) -> None:
        self.open_elements[-1].append(element)

    def write_text(self, text: str) -> None:
        append(self.open_elements[-1], literal(text))

    def write_line_end(self, is_hard: bool) -> None:
        """End a line: with ``<br>`` if hard or if the vault keeps breaks, else with a newline."""
        if self.line.is_heading:
            self.write_text(" ")
        elif is_hard or self.page.vault.has_hard_breaks:
            SubElement(self.open_elements[-1], "br")
        else:
            self.write_text("\n")

    def write_pending(self) -> None:
        """Write the pending text; bare addresses in it become links."""
        if not self.pending:
            return
        text, pieces = "", []
        for token in self.pending:
            pieces.append(_Piece(len(text), position_of(token)))
            text += token.content
        self.pending = []
        marks = self.find_marks(text, pieces)
        done = 0
        if "://" in text and not self.open_links:
            for match in _ADDRESS.finditer(text):
                if match.start() < done:
                    continue
                self.write_marked(self.open_elements[-1], text, done, match.start(), marks)
                done = match.end()
                address = match[0]
                # A closing bracket ends the address unless it was opened within: X_(y), but (X).
                while text[done : done + 1] == ")" and _has_open_bracket(address):
                    done += 1
                    address += ")"
                anchor = SubElement(self.open_elements[-1], "a", {"href": address})
                anchor.text = literal(address)
        self.write_marked(self.open_elements[-1], text, done, len(text), marks)

    def write_code(self, token: Token) -> None:
        """Append inline code, with names for the numbers and shapes in it."""
        text = token.content
        code = SubElement(self.open_elements[-1], "code")
        # The first number may begin right behind the opening backticks.
        pieces = [_Piece(0, position_of(token) + len(token.markup))]
        marks = self.find_marks(text, pieces, least=-1)
        self.write_marked(code, text, 0, len(text), marks, is_code=True)

    def find_marks(self, text: str, pieces: Iterable[_Piece], least: int = 0) -> list[_Mark]:
        """Return the numbers and shapes in a text, outer ones first.

        None begins before the column ``least`` of its piece.
        """
        line = self.line
        if line.names is None or line.places is None or not line.names.spots:
            return []
        marks = {
            mark
            for piece in pieces
            for mark in _find_spots(
                text, piece.start, line.names.spots_from(*line.places(piece.position)), least
            )
        }
        return sorted(marks, key=lambda mark: (mark.start, -mark.end, mark.name))

    def write_marked(
        self,
        element: Element,
        text: str,
        first: int,
        last: int,
        marks: list[_Mark],
        is_code: bool = False,
    ) -> None:
        """Append ``text[first:last]``, with an element around each mark that is within it."""
        done = first
        for index, mark in enumerate(marks):
            if mark.start < done or mark.end > last:
                continue
            self.write_unmarked(element, text[done : mark.start], is_code)
            span = SubElement(element, "span", {"data-check": mark.name})
            self.write_marked(span, text, mark.start, mark.end, marks[index + 1 :], is_code)
            done = mark.end
        self.write_unmarked(element, text[done:last], is_code)

    def write_unmarked(self, element: Element, text: str, is_code: bool) -> None:
        if self.page.open_embeds and not is_code:
            # The footnotes of a quoted sentence are on another page.
            text = _FOOTNOTE_MARK.sub("", text)
        append(element, literal(text))

    def write_formula(self, token: Token) -> None:
        """Append a formula, in the delimiters that the typesetting looks for."""
        is_display = token.type == "math_inline_double"
        tex = literal(token.content.strip() if is_display else token.content)
        box = SubElement(self.open_elements[-1], "span", {"class": "arithmatex"})
        box.text = f"\\[{tex}\\]" if is_display else f"\\({tex}\\)"
        if name := self.line.check_name("formula", position_of(token)):
            box.set("data-check", name)

    def write_image(self, token: Token) -> None:
        """Append an image of Markdown, ``![alt](source)``."""
        alt, source = plain_text(token.children or []), str(token.attrs.get("src", ""))
        name = self.line.check_name("link", position_of(token))
        made = render_image(self.page, source, alt, name)
        if made.tag == "img" and token.attrs.get("title"):
            made.set("title", literal(str(token.attrs["title"])))
        self.name_alt_text(made, token.content, position_of(token))
        self.append_element(made)

    def write_wikilink(self, token: Token) -> None:
        """Append a link or embed, ``[[Note|words]]``, with its words."""
        match: re.Match[str] = token.meta["match"]
        written = Link.from_match(match)
        words_begin = position_of(token) + match.start("words") - match.start()
        footnotes = self.line.footnotes
        env = footnotes.env if footnotes else None
        words = tokenize_line(written.words, env) if written.words else []
        made, own_text = render_wikilink(self.page, written, plain_text(words))
        if name := self.line.check_name("link", position_of(token)):
            made.set("data-check", name)
        if written.embed:
            self.name_alt_text(made, written.words, words_begin)
        self.append_element(made)
        if own_text is not None:
            made.text = literal(own_text)
        elif made.tag not in ("a", "span"):
            return
        elif written.words:
            self.line.for_words_at(words_begin).fill(made, words)
        else:
            made.text = literal(unescape(written.shown))

    def name_alt_text(self, element: Element, words: str, position: int) -> None:
        """Add the names of the numbers in the alt text of an image."""
        if element.tag != "img":
            return
        marks = self.find_marks(words, [_Piece(0, position)])
        if marks:
            element.set("data-says", " ".join(mark.name for mark in marks))

    def write_html(self, source: str) -> None:
        if self.page.options["html"]:
            append(self.open_elements[-1], self.page.stash_author_html(source))
        elif not source.startswith("<!--"):
            self.write_text(source)

    def write_tag(self, token: Token) -> None:
        """Append a tag, as a link to the page of tags if there is one.

        Within a link, and at the beginning of an attribute list (``{ #id }``), it is plain text.
        """
        element = self.open_elements[-1]
        text_before = (element[-1].tail if len(element) else element.text) or ""
        if self.open_links or text_before.rstrip(" ").endswith("{"):
            self.write_text(token.content)
            return
        if self.page.options["tags_page"]:
            # Material's plugin creates these anchors after MkDocs has validated all links, so the
            # address must not be a link that MkDocs sees.
            address = address_of(token.meta["match"]["tag"])
            tag = SubElement(element, "a", {"class": "md-tag", "href": "", "data-tag": address})
        else:
            tag = SubElement(element, "span", {"class": "md-tag"})
        tag.text = literal(token.content)


def _is_line_end(tokens: Sequence[Token], index: int) -> bool:
    return index >= len(tokens) or tokens[index].type in _ENDS


def _has_open_bracket(address: str) -> bool:
    return address.count("(") > address.count(")")


def _find_spots(
    text: str, start: int, spots: Iterable[tuple[int, Spot]], least: int
) -> Iterator[_Mark]:
    """Yield each spot that occurs in a text.

    Each of ``spots`` comes with its distance from the begin of a token, which is at ``start`` in
    the text. No spot has a distance below ``least``.
    """
    for distance, spot in spots:
        if distance < least:
            continue
        # Code is shown without the blank that it begins with; its opening mark, or that of a link,
        # may precede the first letter.
        first = max(start + distance - 1, 0)
        place = text.find(spot.text, first, first + len(spot.text) + 4)
        if place >= 0:
            yield _Mark(place, place + len(spot.text), spot.name)


def plain_text(tokens: Sequence[Token]) -> str:
    """Return the text of tokens that readers see, without markup."""
    return "".join(map(_plain_text_of, tokens))


def _plain_text_of(token: Token) -> str:
    """Return the text of a token; a formula keeps its delimiters."""
    match token.type:
        case "math_inline":
            return f"\\({token.content}\\)"
        case "image" | "link":
            return plain_text(token.children or [])
        case "wikilink":
            return Link.from_match(token.meta["match"]).shown
        case "softbreak" | "hardbreak":
            return "\n"
        case "comment" | "html_inline" | "footnote_ref":
            return ""
    return token.content
