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

#: The item of a term: ``**Tern** (also sea swallow): what it means: [[Birds]].``
_TERM = re.compile(
    r"\*\*(?P<name>.+?)\*\*(?: \(also (?P<also>[^)]*\)?[^)]*)\))?: (?P<text>.+)", re.DOTALL
)
#: The cell with letters: ``$n$, $m$``.
_LETTERS = re.compile(r"\$[^$]+\$(?:, \$[^$]+\$)*")
_FORMULA = re.compile(r"\$([^$]+)\$")
#: The end of an explanation: a link to the note that says more.
_ONWARD = re.compile(r"[:,;]? (?:[\w ]+ )?\[\[")

#: A comment or a tag of HTML.
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
    #: The explanation, a paragraph each.
    lines: tuple[str, ...]
    #: The link to its explanation, relative to the note that contains it.
    link: Link | None
    #: Whether it is that of letters.
    letters: bool = False

    def is_named(self, names: Iterable[str]) -> bool:
        """Return whether one of the names is the term."""
        return not {name.casefold() for name in names}.isdisjoint(
            word.casefold() for word in self.words
        )


def read_meanings(note: Note) -> list[Meaning]:
    """Return the terms and letters that a note explains.

    Parameters
    ----------
    note
        The note.
    """
    first_link: dict[int, Link] = {}  # by line
    for link in note.links:
        first_link.setdefault(link.line, link)
    rows: dict[int, list[Passage]] = defaultdict(list)  # the cells of a table, by line
    meanings = []
    for passage in note.passages:
        rows[passage.line].append(passage)
        if term := _TERM.fullmatch(passage.source):
            words = (term["name"], *filter(None, (term["also"] or "").split(", ")))
            text = _to_plain_text(_ONWARD.split(term["text"])[0])
            meanings.append(Meaning(term["name"], words, (text,), first_link.get(passage.line)))
    for line, row in rows.items():
        if len(row) > 1 and _LETTERS.fullmatch(row[0].source):
            letters = tuple(_FORMULA.findall(row[0].source))
            lines = tuple(_to_plain_text(cell.source) for cell in row[1:] if cell.source)
            name = ", ".join(map(formula_to_text, letters))
            meanings.append(Meaning(name, letters, lines, first_link.get(line), letters=True))
    return meanings


def _to_plain_text(markdown: str) -> str:
    """Return a line of Markdown as plain text, with code in backticks.

    Its first word, if it is no letter, gets a capital.
    """
    text = WIKILINK.sub(lambda link: link["words"] or link["target"], markdown)
    text = _FORMULA.sub(lambda formula: formula_to_text(formula[1]), text)
    text = text.replace("*", "").strip().rstrip(":;,")
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
                    self.letters.setdefault(_without_blanks(word), meaning)
                else:
                    self.terms.setdefault(word.casefold(), meaning)
        longest = sorted(self.terms, key=lambda word: (-len(word), word))
        either = "|".join(map(_word_pattern, longest))
        self.pattern = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])", re.IGNORECASE)

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

        Examples
        --------
        >>> tern = Meaning("tern", ("tern",), ("A bird.",), None)
        >>> Meanings([tern]).mark("<p>Terns, and a tern.</p>")[0]
        '<p><span data-term="term-0">Terns</span>, and a tern.</p>'
        """
        if not self.terms and not self.letters:
            return html, []
        marking = _Marking(self, leave)
        return marking.mark(html), marking.used

    def letters_of(self, tex: str) -> Meaning | None:
        """Return the meaning of the letters of a formula, if it is known."""
        return self.letters.get(_without_blanks(tex))

    def meaning_of(self, words: str) -> Meaning | None:
        """Return the meaning of a term in the singular or plural, if it is known."""
        key = " ".join(words.casefold().split())
        singular = (key, key.removesuffix("s"), key.removesuffix("es"), re.sub("ies$", "y", key))
        return next((self.terms[form] for form in singular if form in self.terms), None)


class _Marking:
    """Marks the first uses of terms and letters in a page, from its beginning to its end.

    Parameters
    ----------
    known
        The terms and letters.
    leave
        The meanings that are not marked.
    """

    def __init__(self, known: Meanings, leave: Iterable[Meaning]) -> None:
        self.known = known
        #: The meanings of which no further use is marked.
        self.done = list(leave)
        #: The meanings with a mark.
        self.used: list[Meaning] = []
        self.pieces: list[str] = []
        self.open_tags: list[str] = []
        #: How many open elements are such that nothing in them is marked, and that terms in them
        #: are being defined.
        self.closed = self.defining = 0
        #: The index of the piece that began the last inline formula.
        self.formula = -1

    def mark(self, html: str) -> str:
        """Return a page with the marks."""
        end = 0
        for piece in _PIECE.finditer(html):
            self.add_text(html[end : piece.start()])
            end = piece.end()
            self.pieces.append(piece[0])
            tag = (piece["tag"] or "").lower()
            if not tag or tag in _VOID or piece["rest"].endswith("/"):
                continue
            if piece["closes"]:
                self.end_element(tag)
            else:
                self.begin_element(tag, piece["rest"])
        return "".join([*self.pieces, html[end:]])

    def add_text(self, text: str) -> None:
        """Add the text between two tags, with terms marked."""
        if self.known.terms and not self.closed:
            text = self.known.pattern.sub(self.mark_term, text)
        self.pieces.append(text)

    def mark_term(self, match: re.Match[str]) -> str:
        """Return a term with a mark if this is its first use, but not if it is defined here."""
        meaning = self.known.meaning_of(match[0])
        if meaning is None or meaning in self.done:
            return match[0]
        self.done.append(meaning)
        if self.defining:
            return match[0]
        self.used.append(meaning)
        return f'<span data-term="term-{len(self.used) - 1}">{match[0]}</span>'

    def begin_element(self, tag: str, rest: str) -> None:
        """Begin an element, given the rest of its tag; mark a formula of letters."""
        if tag == "span" and 'class="vk-math"' in rest:
            self.formula = len(self.pieces) - 1
        # Between the tags of the formula and of its MathML is one piece, an empty text.
        is_formula = tag == "math" and self.formula == len(self.pieces) - 3
        if is_formula and not self.closed and (tex := _TEX.search(rest)):
            letters = self.known.letters_of(tex[1])
            if letters and letters not in self.done:
                self.done.append(letters)
                self.used.append(letters)
                opening = self.pieces[self.formula].removesuffix(">")
                self.pieces[self.formula] = f'{opening} data-term="term-{len(self.used) - 1}">'
        self.open_tags.append(tag)
        self.closed += tag in _CLOSED
        self.defining += tag in _DEFINES

    def end_element(self, tag: str) -> None:
        """End an element, and those within it that were not closed."""
        while self.open_tags:
            last = self.open_tags.pop()
            self.closed -= last in _CLOSED
            self.defining -= last in _DEFINES
            if last == tag:
                break


def _word_pattern(word: str) -> str:
    r"""Return a regular expression for a word and its plural.

    Examples
    --------
    >>> _word_pattern("query"), _word_pattern("head")
    ('quer(?:y|ies)', 'head(?:s|es)?')
    """
    pattern = r"\s+".join(map(re.escape, word.split()))
    return f"{pattern[:-1]}(?:y|ies)" if word.endswith("y") else f"{pattern}(?:s|es)?"


def _without_blanks(tex: str) -> str:
    """Return TeX in the form in which letters are compared."""
    return re.sub(r"\s+", "", tex)
