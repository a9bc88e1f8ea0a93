"""Marks terms and letters where a page first uses them, with their meanings from the vault's notes.

A note that explains terms has items like ``**Term** (also other words): what it means: [[Where]].``
A note that explains letters has tables with formulas in the first column and their meanings in the
others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vaultkit.read.note import Link, Note, Passage
from vaultkit.read.syntax import WIKILINK
from vaultkit.render.mathematics import formula_to_text

_TERM = re.compile(
    r"\*\*(?P<name>.+?)\*\*(?: \(also (?P<also>[^)]*\)?[^)]*)\))?: (?P<text>.+)", re.DOTALL
)
_LETTERS = re.compile(r"\$[^$]+\$(?:, \$[^$]+\$)*")
_FORMULA = re.compile(r"\$([^$]+)\$")
#: The end of an explanation: a link to the note that says more.
_ONWARD = re.compile(r"[:,;]? (?:[\w ]+ )?\[\[")

_PIECE = re.compile(
    r"<!--.*?-->|<(?P<closes>/?)(?P<tag>[a-zA-Z][\w-]*)(?P<rest>[^<>]*)>", re.DOTALL
)
_VOID = frozenset(("area", "br", "col", "hr", "img", "input", "link", "source", "wbr"))
#: Elements without running text, and elements that react to a click.
_CLOSED = frozenset(
    re.findall(
        r"\w+",
        "a aside button code h1 h2 h3 h4 h5 h6 math pre script style summary svg template textarea"
        " th",
    )
)
#: Elements in which a page defines a term itself.
_DEFINES = frozenset(("strong", "b", "dfn"))
_TEX = re.compile(r'\bdata-tex="([^"]*)"')


@dataclass(frozen=True)
class Meaning:
    """The meaning of a term, or of some letters."""

    name: str
    #: The words of a term, or the TeX of some letters.
    words: tuple[str, ...]
    lines: tuple[str, ...]
    #: The link to its explanation, relative to the note that contains it.
    link: Link | None
    letters: bool = False

    def is_named(self, names: Iterable[str]) -> bool:
        """Return whether one of the names is the term."""
        return not {name.casefold() for name in names}.isdisjoint(
            word.casefold() for word in self.words
        )


def read(note: Note) -> list[Meaning]:
    """Return the terms and letters that a note explains.

    Parameters
    ----------
    note
        The note.
    """
    links = defaultdict(list)
    for link in note.links:
        links[link.line].append(link)
    cells: dict[int, list[Passage]] = defaultdict(list)
    found = []
    for passage in note.passages:
        first = next(iter(links[passage.line]), None)
        cells[passage.line].append(passage)
        if term := _TERM.fullmatch(passage.source):
            words = (term["name"], *filter(None, (term["also"] or "").split(", ")))
            text = _ONWARD.split(term["text"])[0]
            found.append(Meaning(term["name"], words, (_plain(text),), first))
    for line, row in cells.items():
        if len(row) > 1 and _LETTERS.fullmatch(row[0].source):
            letters = tuple(_FORMULA.findall(row[0].source))
            lines = tuple(_plain(cell.source) for cell in row[1:] if cell.source)
            first = next(iter(links[line]), None)
            name = ", ".join(map(formula_to_text, letters))
            found.append(Meaning(name, letters, lines, first, letters=True))
    return found


def _plain(markdown: str) -> str:
    """Return a line of Markdown as plain text; its first word, if no letter, gets a capital."""
    text = WIKILINK.sub(lambda link: link["words"] or link["target"], markdown)
    text = _FORMULA.sub(lambda formula: formula_to_text(formula[1]), text)
    text = re.sub(r"[*`]", "", text).strip().rstrip(":;,")
    return text[:1].upper() + text[1:] if re.match(r"[^\W\d_]{2}|a\b", text) else text


class Meanings:
    """The terms and letters of a vault.

    Parameters
    ----------
    known
        Their meanings; of two for the same word, the first is used.
    """

    def __init__(self, known: Iterable[Meaning]) -> None:
        self.terms: dict[str, Meaning] = {}
        self.letters: dict[str, Meaning] = {}
        for meaning in known:
            for word in meaning.words:
                if meaning.letters:
                    self.letters.setdefault(_tex(word), meaning)
                else:
                    self.terms.setdefault(word.casefold(), meaning)
        longest = sorted(self.terms, key=lambda word: (-len(word), word))
        either = "|".join(map(_spelt, longest))
        self._pattern = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])", re.IGNORECASE)

    def mark(self, html: str, leave: Sequence[Meaning] = ()) -> tuple[str, list[Meaning]]:
        """Mark the first use of each term in a page.

        Parameters
        ----------
        html
            The content of the page.
        leave
            Terms that the page explains itself, which are not marked.

        Returns
        -------
        tuple of str and list of Meaning
            The page, with ``data-term="term-0"`` at the first use of the first meaning, and so on;
            and the meanings used, in that order.
        """
        if not self.terms and not self.letters:
            return html, []
        done = list(leave)
        used: list[Meaning] = []

        def term(found: re.Match[str]) -> str:
            """Mark a term if it is its first use, and not within its own definition."""
            meaning = self._meaning_of(found[0])
            if meaning is None or meaning in done:
                return found[0]
            done.append(meaning)
            if defines:
                return found[0]
            used.append(meaning)
            return f'<span data-term="term-{len(used) - 1}">{found[0]}</span>'

        pieces: list[str] = []
        opened: list[str] = []
        closed = defines = 0
        formula = -1
        at = 0
        for piece in _PIECE.finditer(html):
            text = html[at : piece.start()]
            pieces.append(text if closed or not self.terms else self._pattern.sub(term, text))
            at = piece.end()
            pieces.append(piece[0])
            tag = (piece["tag"] or "").lower()
            if not tag or tag in _VOID or piece["rest"].endswith("/"):
                continue
            if piece["closes"]:
                while opened and (last := opened.pop()):
                    closed -= last in _CLOSED
                    defines -= last in _DEFINES
                    if last == tag:
                        break
                continue
            if tag == "span" and 'class="vk-math"' in piece["rest"]:
                formula = len(pieces) - 1
            if tag == "math" and not closed and formula == len(pieces) - 3:
                tex = _TEX.search(piece["rest"])
                letter = self.letters.get(_tex(tex[1])) if tex else None
                if letter and letter not in done:
                    done.append(letter)
                    used.append(letter)
                    pieces[formula] = f'{pieces[formula][:-1]} data-term="term-{len(used) - 1}">'
            opened.append(tag)
            closed += tag in _CLOSED
            defines += tag in _DEFINES
        pieces.append(html[at:])
        return "".join(pieces), used

    def _meaning_of(self, words: str) -> Meaning | None:
        key = " ".join(words.casefold().split())
        singular = (key, key.removesuffix("s"), key.removesuffix("es"), re.sub("ies$", "y", key))
        return next((self.terms[one] for one in singular if one in self.terms), None)


def _spelt(word: str) -> str:
    """Return a regular expression for a word and its plural."""
    pattern = r"\s+".join(map(re.escape, word.split()))
    return f"{pattern[:-1]}(?:y|ies)" if word.endswith("y") else f"{pattern}(?:s|es)?"


def _tex(tex: str) -> str:
    return re.sub(r"\s+", "", tex)
