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
from vaultkit.render.coloured import split_at_arrays
from vaultkit.render.footnotes import Footnotes
from vaultkit.render.links import render_image, render_link, render_wikilink
from vaultkit.render.page import PLACEHOLDER_MARKS, Page
from vaultkit.render.places import Names, Spot

#: A web address in running text, without the punctuation that ends a sentence.
_ADDRESS = re.compile(r"(?<![\w\"'<=/])https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]*_~]", re.IGNORECASE)
#: A reference to a missing footnote.
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]+\]")
#: The ampersand of text that the host would read as an entity: ``&amp;``, ``&#38;``.
_ENTITY = re.compile(r"&(?=(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)", re.IGNORECASE)
#: The elements for paired tokens, by the types of these without ``_open`` and ``_close``.
_PAIRS = {"em": "em", "strong": "strong", "s": "del", "mark": "mark"}
_TEXT = ("text", "text_special")
#: How far a spot is searched behind its place, since marks before it are not part of the text.
_FARTHEST = 4
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
        # Text with an `info` is an entity or escape, which is shorter than its Markdown.
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
        # The closing token of a link has the position of the opening one.
        elif position >= first and (last is None or position < last):
            between.append(token)
    while between and between[0].type in _ENDS:
        del between[0]
    while between and between[-1].type in _ENDS:
        del between[-1]
    return between


@dataclass
class InlineRenderer:
    """Renders the tokens of a paragraph, heading or cell into an element.

    The names by which checks refer to parts of the text become the attribute ``data-check``.

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
        """Return the name of the link or formula that begins at a position; None without one.

        ``kind`` is ``link`` or ``formula``.
        """
        if self.names is None or self.places is None:
            return None
        return self.names.at(kind, *self.places(position))

    def for_words_at(self, position: int) -> InlineRenderer:
        """Return the renderer for the words of a link, which begin at a position."""
        places = self.places
        inner = places.of_part(position) if isinstance(places, Places) else None
        return replace(self, places=inner, html_before="")


class _Piece(NamedTuple):
    """Where a text token begins: in the joined text of adjacent tokens, and in its paragraph."""

    start: int
    position: int


class _Mark(NamedTuple):
    """A number, shape or bound words in a text, ``text[start:end]``, with the name of its check."""

    start: int
    end: int
    name: str


class _Writer:
    """Writes tokens into an element: each into the innermost element that is open.

    Adjacent text tokens wait until another token comes, since an address or a number may extend
    over several of them.
    """

    def __init__(self, renderer: InlineRenderer, element: Element) -> None:
        self.renderer, self.page = renderer, renderer.page
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
                # Blanks before the comment would be at the end of a line, as it is not shown.
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
                check = self.renderer.check_name("link", position_of(token))
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
            case "footnote_ref" if self.renderer.footnotes is not None:
                self.append_element(self.renderer.footnotes.add_reference(token))

    def open_element(self, element: Element) -> None:
        """Append an element, into which the next tokens are written."""
        self.open_elements[-1].append(element)
        self.open_elements.append(element)

    def close_element(self, *tags: str) -> None:
        """Close the innermost element if it has one of these tags.

        A part of a paragraph may contain the end of an element that began before it.
        """
        if len(self.open_elements) > 1 and self.open_elements[-1].tag in tags:
            self.open_elements.pop()

    def append_element(self, element: Element) -> None:
        """Append a whole element to the innermost open one."""
        self.open_elements[-1].append(element)

    def write_text(self, text: str) -> None:
        """Append text to the innermost open element."""
        append(self.open_elements[-1], literal(text))

    def write_line_end(self, is_hard: bool) -> None:
        """End a line: with ``<br>`` if hard or if the vault keeps breaks, else with a newline."""
        if self.renderer.is_heading:
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
        element = self.open_elements[-1]
        written = 0  # the position up to which the text is written
        may_have_addresses = "://" in text and not self.open_links
        for match in _ADDRESS.finditer(text) if may_have_addresses else ():
            if match.start() < written:
                continue
            self.write_marked(element, text, written, match.start(), marks)
            written = match.end()
            address = match[0]
            # A closing bracket ends the address unless it was opened within: X_(y), but (X).
            while text[written : written + 1] == ")" and _has_open_bracket(address):
                written += 1
                address += ")"
            SubElement(element, "a", {"href": address}).text = literal(address)
        self.write_marked(element, text, written, len(text), marks)

    def write_code(self, token: Token) -> None:
        """Append inline code, with names for the numbers and shapes in it."""
        text = token.content
        code = SubElement(self.open_elements[-1], "code")
        # The columns of claims count the backticks as one mark: behind two of them, the first claim
        # seems to begin one place further left.
        pieces = [_Piece(0, position_of(token) + len(token.markup))]
        marks = self.find_marks(text, pieces, least=-1)
        self.write_marked(code, text, 0, len(text), marks, is_code=True)

    def find_marks(self, text: str, pieces: Iterable[_Piece], least: int = 0) -> list[_Mark]:
        """Return the numbers and shapes in a text, outer ones first.

        ``least`` is the least distance of one from the begin of its piece.
        """
        names, places = self.renderer.names, self.renderer.places
        if names is None or places is None or not names.spots:
            return []
        marks: set[_Mark] = set()
        for piece in pieces:
            spots = names.spots_from(*places(piece.position))
            marks.update(_find_spots(text, piece.start, spots, least))
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
        """Append ``text[first:last]``, with an element around each mark that is within it.

        A mark may contain others, which come after it in ``marks``.
        """
        written = first
        for index, mark in enumerate(marks):
            if mark.start < written or mark.end > last:
                continue
            self.write_unmarked(element, text[written : mark.start], is_code)
            span = SubElement(element, "span", {"data-check": mark.name})
            self.write_marked(span, text, mark.start, mark.end, marks[index + 1 :], is_code)
            written = mark.end
        self.write_unmarked(element, text[written:last], is_code)

    def write_unmarked(self, element: Element, text: str, is_code: bool) -> None:
        """Append text, without footnotes if it is quoted; in code, arrays are marked."""
        if self.page.open_embeds and not is_code:
            # The footnotes of a quoted sentence are on another page.
            text = _FOOTNOTE_MARK.sub("", text)
        arrays = self.page.vault.options.coloured if is_code else ()
        plain, *marked = split_at_arrays(text, arrays)
        append(element, literal(plain))
        for name, behind in zip(marked[::2], marked[1::2], strict=True):
            SubElement(element, "span", {"class": f"vk-of-{name}"}).text = name
            append(element, literal(behind))

    def write_formula(self, token: Token) -> None:
        """Append a formula, in the delimiters that the typesetting looks for."""
        is_display = token.type == "math_inline_double"
        tex = literal(token.content.strip() if is_display else token.content)
        box = SubElement(self.open_elements[-1], "span", {"class": "arithmatex"})
        box.text = f"\\[{tex}\\]" if is_display else f"\\({tex}\\)"
        if name := self.renderer.check_name("formula", position_of(token)):
            box.set("data-check", name)

    def write_image(self, token: Token) -> None:
        """Append an image of Markdown, ``![alt](source)``."""
        alt, source = plain_text(token.children or []), str(token.attrs.get("src", ""))
        name = self.renderer.check_name("link", position_of(token))
        image = render_image(self.page, source, alt, name)
        if image.tag == "img" and token.attrs.get("title"):
            image.set("title", literal(str(token.attrs["title"])))
        self.name_alt_text(image, token.content, position_of(token))
        self.append_element(image)

    def write_wikilink(self, token: Token) -> None:
        """Append a link or embed, ``[[Note|words]]``, with its words."""
        match: re.Match[str] = token.meta["match"]
        link = Link.from_match(match)
        words_begin = position_of(token) + match.start("words") - match.start()
        footnotes = self.renderer.footnotes
        env = footnotes.env if footnotes else None
        words = tokenize_line(link.words, env) if link.words else []
        element, text = render_wikilink(self.page, link, plain_text(words))
        if name := self.renderer.check_name("link", position_of(token)):
            element.set("data-check", name)
        if link.embed:
            self.name_alt_text(element, link.words, words_begin)
        self.append_element(element)
        if text is not None:
            element.text = literal(text)
        elif element.tag not in ("a", "span"):
            return  # an image or player
        elif link.words:
            self.renderer.for_words_at(words_begin).fill(element, words)
        else:
            element.text = literal(unescape(link.shown))

    def name_alt_text(self, element: Element, words: str, position: int) -> None:
        """Add the names of the numbers in the alt text of an image, which begins at a position.

        Nothing is added if the element is no image, but a link in place of one.
        """
        if element.tag != "img":
            return
        marks = self.find_marks(words, [_Piece(0, position)])
        if marks:
            element.set("data-says", " ".join(mark.name for mark in marks))

    def write_html(self, source: str) -> None:
        """Append HTML if the page may contain it; else its text, but no comments."""
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
        is_in_attribute_list = text_before.rstrip(" ").endswith("{")
        if self.open_links or is_in_attribute_list:
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
    """Return whether a token ends a line; so does the end of the tokens."""
    return index >= len(tokens) or tokens[index].type in _ENDS


def _has_open_bracket(address: str) -> bool:
    """Return whether a round bracket in an address is not closed."""
    return address.count("(") > address.count(")")


def _find_spots(
    text: str, start: int, spots: Iterable[tuple[int, Spot]], least: int
) -> Iterator[_Mark]:
    """Yield the marks of those spots that occur in a text.

    Each of ``spots`` comes with its distance from the begin of a token, which is at ``start`` in
    the text. Spots with a distance below ``least`` belong to other tokens.
    """
    for distance, spot in spots:
        if distance < least:
            continue
        # Code is shown without the blank that it begins with, so a spot may be one place to the
        # left; its opening mark, or that of a link, may precede the first letter.
        first = max(start + distance - 1, 0)
        begins = text.find(spot.text, first, first + len(spot.text) + _FARTHEST)
        if begins >= 0:
            yield _Mark(begins, begins + len(spot.text), spot.name)


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
