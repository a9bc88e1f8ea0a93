"""Renders inline tokens as elements: words, links, code, formulas, images, footnotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from xml.etree.ElementTree import Element, SubElement

from markdown_it.token import Token

from vaultkit.read.note import Link
from vaultkit.read.positions import Places
from vaultkit.read.syntax import address
from vaultkit.read.tokenizer import tokenize_line
from vaultkit.render.footnotes import Footnotes
from vaultkit.render.links import image, link, wikilink
from vaultkit.render.page import SIGNS, Page
from vaultkit.render.places import Names, Spot

#: A web address in running text, without the punctuation that ends a sentence.
_ADDRESS = re.compile(r"(?<![\w\"'<=/])https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]*_~]", re.IGNORECASE)
#: A reference to a missing footnote.
_MARK = re.compile(r"\[\^[^\]\s]+\]")
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
    return SIGNS.sub("", _ENTITY.sub("&amp;", text))


def append(element: Element, text: str) -> None:
    """Append text to an element, after its children."""
    if not text:
        return
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def begins(token: Token) -> int:
    """Return the position of a token in its paragraph."""
    return int(token.meta.get("at", 0))


def part(tokens: Sequence[Token], first: int, last: int | None = None) -> list[Token]:
    """Return the tokens between two positions of a paragraph; text tokens may be split."""
    cut = []
    for token in tokens:
        at = begins(token)
        # The closing token of a link has the position of the opening one.
        if token.type in _TEXT and not token.info:
            end = None if last is None else max(0, last - at)
            content = token.content[max(0, first - at) : end]
            if content:
                moved = Token("text", "", 0, content=content, meta={"at": max(at, first)})
                cut.append(token if content == token.content else moved)
        elif at >= first and (last is None or at < last):
            cut.append(token)
    while cut and cut[0].type in _ENDS:
        del cut[0]
    while cut and cut[-1].type in _ENDS:
        del cut[-1]
    return cut


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
    ahead
        Elements to be inserted before the tokens, such as the box of a task.
    """

    page: Page
    footnotes: Footnotes | None = None
    names: Names | None = None
    places: Callable[[int], tuple[int, int]] | None = None
    is_heading: bool = False
    ahead: str = ""

    def fill(self, element: Element, tokens: Sequence[Token]) -> None:
        """Render tokens into an element."""
        append(element, self.ahead)
        self.ahead = ""
        _Writer(self, element).write(tokens)

    def name(self, kind: str, at: int) -> str | None:
        """Return the name of the link or formula that begins at a position."""
        if self.names is None or self.places is None:
            return None
        return self.names.at(kind, *self.places(at))

    def within(self, at: int) -> InlineRenderer:
        """Return the renderer for the words of a link, which begin at a position."""
        places = self.places
        inner = places.of_part(at) if isinstance(places, Places) else None
        return replace(self, places=inner, ahead="")


class _Writer:
    """Writes tokens into an element: each into the innermost element that is open.

    Adjacent text tokens wait until another token comes, since an address or a number may extend
    over several of them.
    """

    def __init__(self, line: InlineRenderer, element: Element) -> None:
        self.line, self.page = line, line.page
        #: The open elements, outermost first.
        self.open = [element]
        #: The number of open links, including broken ones.
        self.links = 0
        #: Pending text tokens.
        self.waiting: list[Token] = []

    def write(self, tokens: Sequence[Token]) -> None:
        """Append the elements of all tokens; adjacent text is joined first."""
        for position, token in enumerate(tokens):
            if token.type in _TEXT:
                self.waiting.append(token)
                continue
            if token.type == "comment" and self.waiting and _ends(tokens, position + 1):
                # Blanks before a line break would be at the end of a line.
                last = self.waiting[-1]
                self.waiting[-1] = last.copy(content=last.content.rstrip())
            self.flush()
            self.add_token(token)
        self.flush()

    def add_token(self, token: Token) -> None:
        """Add what a token stands for: an element that begins or ends, text, or a formula."""
        name, _, end = token.type.rpartition("_")
        if name in _PAIRS:
            if end == "open":
                self.push(Element(_PAIRS[name]))
            else:
                self.pop(_PAIRS[name])
            return
        match token.type:
            case "softbreak" | "hardbreak":
                self.end_line(token.type == "hardbreak")
            case "code_inline":
                code = Element("code")
                self.spots(code, token.content, [(0, begins(token) + len(token.markup))])
                self.add(code)
            case "math_inline" | "math_inline_double":
                self.formula(token)
            case "link_open":
                self.links += 1
                self.push(link(self.page, token, self.line.name("link", begins(token))))
            case "link_close":
                self.links -= 1
                self.pop("a", "span")
            case "image":
                self.image(token)
            case "wikilink":
                self.wikilink(token)
            case "html_inline":
                self.html(token.content)
            case "tag":
                self.tag(token)
            case "footnote_ref" if self.line.footnotes is not None:
                self.add(self.line.footnotes.mark(token))

    def push(self, element: Element) -> None:
        self.open[-1].append(element)
        self.open.append(element)

    def pop(self, *tags: str) -> None:
        # A part of a paragraph may contain the end of an element that began before it.
        if len(self.open) > 1 and self.open[-1].tag in tags:
            self.open.pop()

    def add(self, element: Element) -> None:
        self.open[-1].append(element)

    def text(self, text: str) -> None:
        append(self.open[-1], literal(text))

    def end_line(self, hard: bool) -> None:
        """End a line.

        With ``<br>`` if it is hard or the vault keeps breaks, else with a newline.
        """
        if self.line.is_heading:
            self.text(" ")
        elif hard or self.page.vault.has_hard_breaks:
            SubElement(self.open[-1], "br")
        else:
            self.text("\n")

    def flush(self) -> None:
        """Render the pending text; bare addresses in it become links."""
        if not self.waiting:
            return
        text, pieces = "", []
        for token in self.waiting:
            pieces.append((len(text), begins(token)))
            text += token.content
        self.waiting = []
        done = 0
        if "://" in text and not self.links:
            for found in _ADDRESS.finditer(text):
                if found.start() < done:
                    continue
                self.words(text, pieces, done, found.start())
                done = found.end()
                # A closing bracket ends the address unless it was opened within: X_(y), but (X).
                while text[done : done + 1] == ")" and _is_open(text[found.start() : done]):
                    done += 1
                whole = text[found.start() : done]
                anchor = SubElement(self.open[-1], "a", {"href": whole})
                anchor.text = literal(whole)
        self.words(text, pieces, done, len(text))

    def words(self, text: str, pieces: list[tuple[int, int]], first: int, last: int) -> None:
        """Append ``text[first:last]``, with an element around each number or shape to name."""
        if first >= last:
            return
        marks = self.find(text, pieces)
        within = [(a, b, name) for a, b, name in marks if first <= a and b <= last]
        self.cut(self.open[-1], text, first, last, within)

    def spots(self, element: Element, text: str, pieces: list[tuple[int, int]]) -> None:
        """Render literal text, with names for the numbers and shapes in it."""
        self.cut(element, text, 0, len(text), self.find(text, pieces, -1), quoted=True)

    def find(
        self, text: str, pieces: Iterable[tuple[int, int]], least: int = 0
    ) -> list[tuple[int, int, str]]:
        """Return the numbers and shapes in a text, outer ones first.

        None begins before ``least``; in code, that is the length of the opening backticks.
        """
        line = self.line
        if line.names is None or line.places is None or not line.names.spots:
            return []
        found = {
            (first, last, spot.name)
            for offset, at in pieces
            for first, last, spot in _spots(
                text, offset, line.names.spots_from(*line.places(at)), least
            )
        }
        return sorted(found, key=lambda one: (one[0], -one[1], one[2]))

    def cut(
        self,
        element: Element,
        text: str,
        first: int,
        last: int,
        marks: list[tuple[int, int, str]],
        quoted: bool = False,
    ) -> None:
        """Render a part of a text, with an element around each named number and shape."""
        done = first
        for position, (begin, end, name) in enumerate(marks):
            if begin < done:
                continue
            self.plain(element, text[done:begin], quoted)
            inner = [one for one in marks[position + 1 :] if one[1] <= end]
            span = SubElement(element, "span", {"data-check": name})
            self.cut(span, text, begin, end, inner, quoted)
            done = end
        self.plain(element, text[done:last], quoted)

    def plain(self, element: Element, text: str, quoted: bool) -> None:
        if self.page.trail and not quoted:
            # The footnotes of a quoted sentence are on another page.
            text = _MARK.sub("", text)
        append(element, literal(text))

    def formula(self, token: Token) -> None:
        """Append a formula, in the delimiters that the typesetting looks for."""
        display = token.type == "math_inline_double"
        tex = literal(token.content.strip() if display else token.content)
        box = SubElement(self.open[-1], "span", {"class": "arithmatex"})
        box.text = f"\\[{tex}\\]" if display else f"\\({tex}\\)"
        if name := self.line.name("formula", begins(token)):
            box.set("data-check", name)

    def image(self, token: Token) -> None:
        """Append an image of Markdown, ``![alt](source)``."""
        words = shown(token.children or [])
        source, name = str(token.attrs.get("src", "")), self.line.name("link", begins(token))
        made = image(self.page, source, words, name)
        if made.tag == "img" and token.attrs.get("title"):
            made.set("title", literal(str(token.attrs["title"])))
        self.say(made, token.content, begins(token))
        self.add(made)

    def wikilink(self, token: Token) -> None:
        """Append a link or embed, ``[[Note|words]]``, with its words."""
        found: re.Match[str] = token.meta["match"]
        written = Link.from_match(found)
        footnotes = self.line.footnotes
        env = footnotes.env if footnotes else None
        words = tokenize_line(written.words, env) if written.words else []
        made, literal_text = wikilink(self.page, written, shown(words))
        if name := self.line.name("link", begins(token)):
            made.set("data-check", name)
        if written.embed:
            self.say(made, written.words, begins(token) + found.start("words") - found.start())
        self.add(made)
        if literal_text is not None:
            made.text = literal(literal_text)
        elif made.tag in ("a", "span"):
            if written.words:
                ahead = begins(token) + found.start("words") - found.start()
                self.line.within(ahead).fill(made, words)
            else:
                made.text = literal(unescape(written.shown))

    def say(self, element: Element, words: str, at: int) -> None:
        """Add the names of the numbers in the alt text of an image."""
        if element.tag == "img" and (names := [name for _, _, name in self.find(words, [(0, at)])]):
            element.set("data-says", " ".join(names))

    def html(self, source: str) -> None:
        if self.page.options["html"]:
            append(self.open[-1], self.page.html(source))
        elif not source.startswith("<!--"):
            self.text(source)

    def tag(self, token: Token) -> None:
        """Append a tag, as a link to the page of tags if there is one.

        Within a link, and at the beginning of an attribute list (``{ #id }``), it is plain text.
        """
        before = self.open[-1][-1].tail if len(self.open[-1]) else self.open[-1].text
        if self.links or (before or "").rstrip(" ").endswith("{"):
            self.text(token.content)
            return
        leads = bool(self.page.options["tags_page"])
        tag = SubElement(self.open[-1], "a" if leads else "span", {"class": "md-tag"})
        if leads:
            # Material's plugin creates these anchors after MkDocs has validated all links, so the
            # address must not be a link that MkDocs sees.
            tag.attrib |= {"href": "", "data-tag": address(token.meta["match"]["tag"])}
        tag.text = literal(token.content)


def _ends(tokens: Sequence[Token], at: int) -> bool:
    return at >= len(tokens) or tokens[at].type in _ENDS


def _is_open(address: str) -> bool:
    return address.count("(") > address.count(")")


def _spots(
    text: str, offset: int, spots: Iterable[tuple[int, Spot]], least: int
) -> Iterator[tuple[int, int, Spot]]:
    """Yield begin, end and name of each spot that occurs in a text.

    ``spots`` come with their distance from the begin of the token; ``offset`` is where that begin
    is in the text. No spot begins before ``least``.
    """
    for ahead, spot in spots:
        # Code is shown without the blank that it begins with; its opening mark, or that of a link,
        # may precede the first letter.
        first = max(offset + ahead - 1, 0)
        at = text.find(spot.text, first, first + len(spot.text) + 4) if ahead >= least else -1
        if at >= 0:
            yield at, at + len(spot.text), spot


def shown(tokens: Sequence[Token]) -> str:
    """Return the plain text of tokens."""
    return "".join(map(_shown, tokens))


def _shown(token: Token) -> str:
    """Return the text of a token that readers see."""
    match token.type:
        case "math_inline":
            return f"\\({token.content}\\)"
        case "image" | "link":
            return shown(token.children or [])
        case "wikilink":
            return Link.from_match(token.meta["match"]).shown
        case "softbreak" | "hardbreak":
            return "\n"
        case "comment" | "html_inline" | "footnote_ref":
            return ""
    return token.content
