"""`Note` and the records that it consists of, created by `vaultkit.read.markdown`."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from vaultkit.read import fences
from vaultkit.read.comments import hide, shown
from vaultkit.read.macros import definitions_in
from vaultkit.read.positions import Places, place_in_paragraph
from vaultkit.read.predictions import Prediction
from vaultkit.read.prose import Prose
from vaultkit.read.syntax import LINE_END, WIKILINK, comparable, printable


@dataclass(frozen=True, slots=True)
class Problem:
    """A defect in a note's syntax: line, message, column."""

    line: int
    message: str
    column: int = 1
    #: Whether it is a problem only in a note whose code runs.
    of_code: bool = False
    #: Whether a reader of the page does not see it.
    unseen: bool = False
    #: Whether it may be meant: mark-up of another program, which Obsidian shows as text.
    foreign: bool = False


@dataclass(frozen=True)
class Fence:
    """A fenced block: ``line`` and ``end`` are the lines of its opening and closing marks."""

    line: int
    end: int
    #: The words behind the opening mark: ``python no-run``.
    info: str
    #: The lines between the marks, without the prefix.
    lines: tuple[str, ...]
    #: What is before each line of it in the file: the marks of a quote, an indentation.
    prefix: str
    closed: bool
    #: The number of quotes, list items and lists around it.
    depth: int = 0
    #: Its relation to the block of code directly above it: ``compared`` if it is the output of a
    #: ``python`` block, ``behind`` if it follows a session; empty if no block is above it.
    role: str = ""
    #: The number of characters before each line in the file, which may be fewer than the prefix.
    indents: tuple[int, ...] = ()

    @property
    def language(self) -> str:
        """The first word after the opening mark."""
        return self.info.split(maxsplit=1)[0] if self.info.strip() else ""

    @cached_property
    def options(self) -> dict[str, str | None]:
        """The words after the language: ``title="a.py" no-run`` is ``{title: a.py, no-run: None}``.

        Options that cannot be parsed are left out; the check *form* reports them.
        """
        return fences.readable_options(self.info)

    @property
    def text(self) -> str:
        """The text between the marks."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code that runs, its output if it shows one, and the words that name it."""

    fence: Fence
    output: Fence | None
    section: str

    @property
    def kind(self) -> str:
        """``python`` or ``pycon``."""
        return fences.RUNS[self.fence.language]

    @property
    def closed(self) -> bool:
        """Whether the fences of the code and of its output are closed."""
        return self.fence.closed and (self.output is None or self.output.closed)

    @property
    def volatile(self) -> str:
        """The regular expression of those parts of the output that change from run to run.

        It is empty if there is none.

        An invalid one is left out; the check *form* reports it.
        """
        pattern = self.fence.options.get("volatile") or ""
        return pattern if fences.is_pattern(pattern) else ""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in TeX."""

    line: int
    tex: str
    display: bool
    #: The note's reason why it cannot be evaluated; empty if it gives none.
    not_run: str = ""
    #: The note's reason why it holds only for the numbers of the page; empty if it gives none.
    here: str = ""
    column: int = 1
    #: The number of lines of a display before its TeX.
    lead: int = 0

    @property
    def lines(self) -> range:
        """The lines of the formula."""
        return range(self.line, self.line_at(len(self.tex)) + 1)

    def line_at(self, at: int) -> int:
        """Return the line of a place in the TeX."""
        return self.line + self.lead + self.tex.count("\n", 0, at)


@dataclass(frozen=True)
class Heading:
    """A heading: its plain words, its anchor on the site, and its source."""

    line: int
    level: int
    text: str
    slug: str
    column: int = 1
    source: str = ""

    @cached_property
    def names(self) -> frozenset[str]:
        """The texts by which links may name it, without characters that links cannot contain."""
        return frozenset({comparable(self.text), comparable(self.source or self.text)})


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written: to a note, a heading (``sub`` is its words) or a block (``^id``).

    ``wiki`` is true for ``[[Note]]``, false for ``[words](Note.md)``; ``embed`` is true for
    ``![[…]]`` and images; ``alone`` if the link is its whole paragraph; ``sentence`` is the
    sentence around it. A link that is made by code, not written, has the line 0.
    """

    line: int
    target: str
    sub: str
    words: str
    embed: bool
    wiki: bool
    alone: bool = False
    sentence: str = ""
    column: int = 1

    @classmethod
    def from_match(cls, match: re.Match[str], line: int = 0, column: int = 1) -> Link:
        """Return the link of a match of `WIKILINK`."""
        return cls(
            line=line,
            target=match["target"].strip(),
            sub=(match["sub"] or "")[1:].strip(),
            words=(match["words"] or "").strip(),
            embed=bool(match["embed"]),
            wiki=True,
            column=column,
        )

    @property
    def shown(self) -> str:
        """The text of the link: its own, or the one that Obsidian shows for its target."""
        return self.words or " > ".join(
            part.strip() for part in (self.target, *self.sub.split("#")) if part.strip()
        )

    def __str__(self) -> str:
        """Return the link in its syntax, without blanks and a title that the note may have."""
        sub = f"#{self.sub}" if self.sub else ""
        if self.wiki:
            words = f"|{self.words}" if self.words else ""
            return f"{'!' * self.embed}[[{self.target}{sub}{words}]]"
        return f"{'!' * self.embed}[{self.words}]({self.target}{sub})"


@dataclass(frozen=True, slots=True)
class Passage:
    """The Markdown of a paragraph, a list item or a table cell.

    ``plain`` is of the same length, with blanks for links, code and mathematics.
    """

    line: int
    source: str
    plain: str


@dataclass(frozen=True, slots=True)
class Inline:
    """A part of a paragraph: the type of its token, its content and its position.

    ``at`` is its place in the source of the paragraph; ``length`` is its length there.
    """

    type: str
    content: str
    at: int
    length: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ParagraphWithCode:
    """The source of a paragraph that holds inline code, and its parts."""

    source: str
    parts: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class RowLabel:
    """The first cell of a row, which names the row: its text, its place, its column's title."""

    text: str
    line: int
    column: int
    title: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell below the heads of a table, with the title of its column and the label of its row.

    The first cell of a row is no `Cell`, but the `RowLabel` of the others.
    """

    text: str
    line: int
    column: int
    title: str
    label: RowLabel


@dataclass(frozen=True, slots=True)
class UnparsedMarkup:
    """Plain text that still contains mark-up, such as brackets or dollars, which was not parsed.

    Attributes
    ----------
    paragraph
        The source of the paragraph around it.
    words
        The text.
    parts
        The places where its parts begin, in the text and in the paragraph.
    places
        Maps places of the paragraph to lines and columns.
    """

    paragraph: str
    words: str
    parts: tuple[tuple[int, int], ...]
    places: Places

    def place_of(self, offset: int) -> int:
        """Return the place in the paragraph of a character of the text."""
        return place_in_paragraph(self.parts, offset)


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of a note in which claims are found; half of the memory of a note."""

    #: All text that a reader sees; `vaultkit.claims` finds the statements in it.
    prose: tuple[Prose, ...] = ()
    #: The paragraphs, headings and cells that hold inline code.
    coded: tuple[ParagraphWithCode, ...] = ()
    #: The cells of tables, except the heads and the first cell of each row, its label.
    cells: tuple[Cell, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Return whether the texts are equal; one of them may be packed."""
        return isinstance(other, Texts) and (self.prose, self.coded, self.cells) == (
            other.prose,
            other.coded,
            other.cells,
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Note:
    """A parsed note. Lines are counted from 1, as in editors."""

    path: Path
    text: str
    meta: dict[str, Any] = field(default_factory=dict)
    #: The number of lines of its front matter.
    front: int = 0
    headings: tuple[Heading, ...] = ()
    fences: tuple[Fence, ...] = ()
    blocks: tuple[Block, ...] = ()
    formulas: tuple[Formula, ...] = ()
    #: Formulas that state something outside typeset text: in a summary, in an alt text.
    untypeset_formulas: tuple[Formula, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    texts: Texts = field(default_factory=Texts)
    links: tuple[Link, ...] = ()
    passages: tuple[Passage, ...] = ()
    block_ids: dict[str, tuple[int, int]] = field(default_factory=dict)
    comments: tuple[tuple[int, int], ...] = ()
    tags: tuple[str, ...] = ()
    #: Code without a fence, indented or in HTML: its line and text.
    unfenced: tuple[tuple[int, str], ...] = ()
    #: Plain text with mark-up that was not parsed, and paragraphs with LaTeX's brackets.
    marked: tuple[UnparsedMarkup, ...] = ()
    bracketed: tuple[UnparsedMarkup, ...] = ()
    problems: tuple[Problem, ...] = ()
    #: Why it must not be rendered: it could not be read, or exceeds a limit.
    refused: str = ""

    @property
    def name(self) -> str:
        """The name by which links refer to it: the file's name without its suffix."""
        return printable(unicodedata.normalize("NFC", self.path.stem))

    @property
    def prose(self) -> tuple[Prose, ...]:
        """See `Texts`."""
        return self.texts.prose

    @property
    def coded(self) -> tuple[ParagraphWithCode, ...]:
        """See `Texts`."""
        return self.texts.coded

    @property
    def cells(self) -> tuple[Cell, ...]:
        """See `Texts`."""
        return self.texts.cells

    @property
    def title(self) -> str:
        """Its title: the first-level heading at its beginning, or else its name."""
        heading = self.headings[0] if self.headings else None
        if not heading or heading.level != 1 or not heading.text:
            return self.name
        # After other text, a heading titles a section, unless it equals the name.
        if self._has_text_above(heading) and comparable(self.name) not in heading.names:
            return self.name
        return heading.text

    def _has_text_above(self, heading: Heading) -> bool:
        """Return whether text is between the front matter and a heading."""
        # Most notes begin with their heading: their lines need not be split.
        return heading.line - 1 > self.front and any(
            line.strip() for line in self.lines[self.front : heading.line - 1]
        )

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its other names."""
        return strings_of(self.meta.get("aliases"))

    @property
    def keywords(self) -> tuple[str, ...]:
        """Words and short questions that readers type to find it; no page shows them."""
        return strings_of(self.meta.get("keywords"))

    @property
    def old_headings(self) -> tuple[Link, ...]:
        """Links from headings that the note had before to where their content is now.

        The words of each link are the old heading: ``[[#New heading|Old heading]]``.
        """
        matches = map(WIKILINK.fullmatch, strings_of(self.meta.get("old_headings")))
        return tuple(Link.from_match(match) for match in matches if match and match["words"])

    @property
    def summary(self) -> str:
        """One sentence on what the note says."""
        return str(self.meta.get("summary") or "")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text and of the outputs, which are not part of a notebook's text."""
        outputs = [block.output.text for block in self.blocks if block.output]
        return hashlib.sha256("\0".join([self.text, *outputs]).encode()).hexdigest()

    @cached_property
    def outline(self) -> str:
        """SHA-256 of all that links from other notes can name: names, headings, block ids."""
        names = (self.name, *self.aliases, *self.block_ids)
        headings = (f"{heading.level} {heading.text}" for heading in self.headings)
        return hashlib.sha256("\n".join((*names, *headings)).encode()).hexdigest()

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the file, without their ends."""
        return LINE_END.sub("\n", self.text).removesuffix("\n").split("\n")

    @cached_property
    def shown(self) -> list[str]:
        """Its lines without hidden comments, which may be published."""
        return shown(hide(self.text).text).removesuffix("\n").split("\n")

    def forget_lines(self) -> None:
        """Drop the cached lines, to save memory; they are split again on request."""
        for cached in ("lines", "shown"):
            self.__dict__.pop(cached, None)

    @cached_property
    def formulas_by_line(self) -> dict[int, list[Formula]]:
        """Its formulas, by the line on which they begin."""
        formulas: dict[int, list[Formula]] = defaultdict(list)
        for formula in self.formulas:
            formulas[formula.line].append(formula)
        return dict(formulas)

    @cached_property
    def preamble(self) -> str:
        """The TeX commands that its formulas define."""
        return "".join(definitions_in(formula.tex) for formula in self.formulas)

    def heading(self, words: str) -> Heading | None:
        """Return the heading with these words, as Obsidian does; None if there is none.

        ``Outer#Inner`` is the first Inner after Outer with a deeper level. Of several headings with
        the same name, it is the one with exactly these words, or else the first.
        """
        path = [comparable(part) for part in words.split("#")]
        if len(path) == 1:
            named = self._headings.get(path[0], ())
            return next((h for h in named if h.text == words.strip()), next(iter(named), None))
        level = 0
        for heading in self.headings:
            if heading.level > level and path[0] in heading.names:
                path, level = path[1:], heading.level
                if not path:
                    return heading
        return None

    def heading_with_anchor(self, anchor: str) -> Heading | None:
        """Return the heading with an anchor on the site; None if there is none."""
        return self._anchors.get(anchor)

    def section_lines(self, heading: Heading) -> tuple[int, int]:
        """Return the first and the last line of a section, including its heading."""
        return heading.line, self._section_ends.get(heading.line, len(self.lines))

    @cached_property
    def _headings(self) -> dict[str, list[Heading]]:
        """The headings by each of the names by which links may name them (`Heading.names`)."""
        headings: dict[str, list[Heading]] = defaultdict(list)
        for heading in self.headings:
            for name in heading.names:
                headings[name].append(heading)
        return headings

    @cached_property
    def _anchors(self) -> dict[str, Heading]:
        """The headings by their anchors on the site."""
        return {heading.slug: heading for heading in self.headings}

    @cached_property
    def _section_ends(self) -> dict[int, int]:
        """The last line of each section, by the line of its heading.

        A section ends above the next heading of its level or a higher one. The sections that end
        with the note are left out.
        """
        ends: dict[int, int] = {}
        unfinished: list[Heading] = []
        for heading in self.headings:
            while unfinished and unfinished[-1].level >= heading.level:
                ends[unfinished.pop().line] = heading.line - 1
            unfinished.append(heading)
        return ends


def tags_of(value: Any) -> tuple[str, ...]:
    """Return the tags in the property `tags`: a list, or words separated by commas or blanks.

    Examples
    --------
    >>> tags_of("one, #two"), tags_of(["one", 2]), tags_of(None)
    (('one', 'two'), ('one', '2'), ())
    """
    words = strings_of(value)
    if isinstance(value, str):
        words = tuple(word for word in re.split(r"[,\s]+", value) if word)
    return tuple(word.removeprefix("#") for word in words)


def strings_of(value: Any) -> tuple[str, ...]:
    """Return a property as strings: the items of a list, or its one value; none for None."""
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(str(item) for item in value if item is not None)
    return (str(value),)
