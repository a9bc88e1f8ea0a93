"""Builds the search index from finished pages: notes, their sections, and their plain text.

Formulas are indexed in the form in which users type them; navigation and buttons are left out.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vaultkit.read.html import HTMLReader
from vaultkit.render.mathematics import formula_to_text

_WORDS = Path(__file__).with_name("search.toml")
#: The number of formulas at the beginning of a note that are indexed as its main ones.
_MAIN_FORMULAS = 2
_HEADINGS = ("h1", "h2", "h3", "h4")
_INLINE = frozenset(
    re.findall(
        "[a-z]+",
        "a abbr b bdi cite code del em i ins kbd mark q s small span strong sub sup u var wbr",
    )
)
_VOID = frozenset(
    re.findall("[a-z]+", "area base br col embed hr img input link meta source track wbr")
)
#: Elements without text of the page, and classes of elements that are left out.
_UNREAD = ("script", "style", "svg")
_LEFT_OUT = frozenset(
    (
        *("headerlink", "footnote-backref", "linked-from", "vk-math__copy", "vk-unfold"),
        *("vk-checks", "vk-ledger"),
    )
)
#: The element with links back, which ends a page.
_LINKS = '<aside class="linked-from"'
#: The MathML of a formula; its TeX is in an attribute of the opening tag.
_MATH = re.compile(r"(<math\b[^<>]*>)(?:[^<]++|<(?!/math>|math\b))*+</math>")
#: Mark the ends of a block of code, the end of a line in it, and a space before a line.
_CODE, _CODE_ENDS, _LINE, _SPACE = "\ue000\ue001\ue002\ue003"
#: Ends a cell of a table, and what is between two cells that have words.
_CELL_ENDS = "\ue004"
_BETWEEN_CELLS = re.compile(rf"(?: ?{_CELL_ENDS})+ ?")
# Nobody searches for printed numbers, but the words of an error message are searched for.
_WORD = re.compile(r"[A-Za-z]{3}")
_INDENT = re.compile(r"\n( *)")


@dataclass
class Section:
    """The text below a heading; ``anchor`` is empty for the text before the first one."""

    anchor: str = ""
    heading: str = ""
    text: str = ""
    #: Its display formulas.
    formulas: list[str] = field(default_factory=list, repr=False)


@dataclass
class Entry:
    """A page in the search index."""

    url: str
    title: str
    aliases: Sequence[str] = ()
    tags: Sequence[str] = ()
    summary: str = ""
    #: Number of notes that link to it; it ranks equal matches.
    linked: int = 0
    sections: list[Section] = field(default_factory=list)
    #: The sentences of other notes that link to it: often other words for the same thing.
    said: Sequence[str] = ()
    #: Words and questions that readers type for it; no page shows them.
    keywords: Sequence[str] = ()
    #: The HTML of its title, where it is not the title itself.
    shown: str = ""


def split_sections(html: str) -> list[Section]:
    """Split the content of a page at its headings.

    Examples
    --------
    >>> split_sections('<h1>T</h1><p>One.</p><h2 id="a">In <em>a</em></h2><p>Two,<br>three.</p>')
    [Section(anchor='', heading='', text='One.'), Section(anchor='a', heading='In a', text='Two, three.')]
    """  # noqa: E501 (the output is one line)
    reader = _Reader()
    # The links back are cut off here, which is faster than parsing and dropping them.
    before, mark, aside = html.rpartition(_LINKS)
    if mark and aside.endswith("</aside>"):
        html = before
    reader.read_all(_MATH.sub(r"\1</math>", html))
    return [section for section in reader.finish() if section.heading or section.text]


def serialize_entry(entry: Entry) -> bytes:
    """Return an entry as a JSON list, which is a third shorter than an object."""
    formulas = [formula for part in entry.sections for formula in part.formulas]
    fields = [
        entry.url,
        entry.title,
        list(entry.aliases),
        list(entry.tags),
        entry.summary,
        entry.linked,
        formulas[:_MAIN_FORMULAS],
        [[part.anchor, part.heading, part.text] for part in entry.sections],
        " ".join(dict.fromkeys(entry.said)),
        list(entry.keywords),
        *([entry.shown] if entry.shown else []),
    ]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def join_entries(pages: Iterable[bytes]) -> bytes:
    """Return the index that `search-notes.js` reads, given serialised entries."""
    return b'{"words":' + _words() + b',"notes":[' + b",".join(pages) + b"]}"


def _words() -> bytes:
    """Return the words of ``search.toml`` as JSON."""
    words = tomllib.loads(_WORDS.read_text("utf-8"))
    lists = {name: words[name].split() for name in ("stop", "asking")}
    return json.dumps({**lists, "same": words["same"]}, separators=(",", ":")).encode()


class _Reader(HTMLReader):
    """Collects the sections of a page and their text."""

    def __init__(self) -> None:
        super().__init__()
        self.sections = [Section()]
        #: The pieces of the text since the last heading or section.
        self.parts: list[str] = []
        #: The tags of the open elements.
        self.open: list[str] = []
        #: The number of open elements when one that is left out, and the output of a block, began;
        #: 0 outside of them.
        self.left_out_from = 0
        self.output_from = 0
        #: The tag of the open heading.
        self.heading = ""
        #: The number of parts before the open block of code.
        self.code_from: int | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a section at a heading, add a formula as text, and skip what is not searched."""
        if tag not in _INLINE and tag != "math":
            self.parts.append(" ")
        if tag in _VOID:
            return
        self.open.append(tag)
        may_matter = attrs or tag in _HEADINGS or tag in _UNREAD or tag == "code"
        if self.left_out_from or not may_matter:
            return
        values = dict(attrs)
        names = (values.get("class") or "").split()
        if tag in _HEADINGS and (tag == "h1" or values.get("id")):
            # The title of the page begins no section of its own.
            self._end_section()
            self.heading = tag
            if tag != "h1":
                self.sections.append(Section(anchor=values.get("id") or ""))
        elif tag == "math" and values.get("data-tex"):
            formula = formula_to_text(values["data-tex"] or "")
            self.parts.append(formula)
            if values.get("display") == "block":
                self.sections[-1].formulas.append(formula)
            self.left_out_from = len(self.open)
        elif tag in _UNREAD or _LEFT_OUT & set(names):
            self.left_out_from = len(self.open)
        elif "output" in names:
            self.output_from = len(self.open)
        elif tag == "code" and "pre" in self.open and not self.output_from:
            self.code_from = len(self.parts)

    def handle_endtag(self, tag: str) -> None:
        """End elements, also those that were never closed.

        The end of a heading names its section.
        """
        if tag not in self.open:
            return
        while self.open:
            last = self.open.pop()
            if len(self.open) < self.left_out_from:
                self.left_out_from = 0
            if len(self.open) < self.output_from:
                self.output_from = 0
            if last == "code" and self.code_from is not None:
                code = "".join(self.parts[self.code_from :]).strip("\n")
                lines = _INDENT.sub(lambda match: _LINE + _SPACE * len(match[1]), code)
                self.parts[self.code_from :] = [_CODE, lines, _CODE_ENDS]
                self.code_from = None
            if last == tag:
                break
        if tag == self.heading:
            words = self._take_text()
            if tag != "h1":
                self.sections[-1].heading = words
            self.heading = ""
        elif tag in ("td", "th") and not self.left_out_from:
            self.parts.append(_CELL_ENDS)
        elif tag not in _INLINE and tag != "math":
            self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        """Add the text of an element, unless it is left out."""
        if self.left_out_from:
            return
        if self.output_from:  # only lines with words
            data = "\n".join(line for line in data.splitlines() if _WORD.search(line))
        self.parts.append(data)

    def finish(self) -> list[Section]:
        """Return all sections, at the end of the page."""
        self._end_section()
        return self.sections

    def _end_section(self) -> None:
        """Add the text since the last call of `_take_text` to the open section."""
        self.sections[-1].text = " ".join(filter(None, [self.sections[-1].text, self._take_text()]))

    def _take_text(self) -> str:
        """Return the text since the last call, on one line."""
        words = " ".join("".join(self.parts).split())
        self.parts = []
        words = _BETWEEN_CELLS.sub(" | ", words).removeprefix(" | ").removesuffix(" | ")
        return re.sub(r" (?=[,.;:!?)])", "", words)
