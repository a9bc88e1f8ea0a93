"""A note as the search for bindings sees it: its sentences, and the expressions at each place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.stated import Stated
from vaultkit.edit.expressions import Atom
from vaultkit.edit.families import Family, families
from vaultkit.edit.spans import span_of_link
from vaultkit.edit.syntax import identifiers
from vaultkit.edit.text import Edit, Span
from vaultkit.edit.wording import stems
from vaultkit.read.note import Note
from vaultkit.read.prose import CODE, END, Prose
from vaultkit.read.sentences import Sentences

#: How far ahead of the next one a candidate has to be, to be alone.
AHEAD = 0.25
#: How far equal values differ by rounding, and below which value integers may be equal by chance.
_EQUAL, _BY_CHANCE = 1e-12, 100
#: What each block between a sentence and the block below that binds a name costs, and the most
#: blocks that count.
_PER_BLOCK, _FARTHEST = 0.1, 5
#: The least score of a condition of which the sentence names the series, or has a number of it.
_KNOWN = 3.9


@dataclass(frozen=True)
class Candidate:
    """An expression that fits, with its score.

    Attributes
    ----------
    code
        The expression or condition.
    score
        How well it fits.
    sure
        Whether the sentence says enough of its names for it to be accepted without asking.
    atoms
        The atoms in it.
    value
        Its value; a condition is true.
    """

    code: str
    score: float
    sure: bool = False
    atoms: tuple[Atom, ...] = ()
    value: float | str | bool = True

    @property
    def is_condition(self) -> bool:
        """Whether it is a condition rather than a number or a name."""
        return self.value is True


@dataclass(frozen=True)
class Proposal:
    """The candidates for a number or a word, the best first.

    Attributes
    ----------
    text
        The number or word.
    sentence
        The sentence around it.
    line, column
        The place behind it, where the comment goes.
    candidates
        The candidates.
    states
        Whether it is a condition rather than a value.
    """

    text: str
    sentence: str
    line: int
    column: int
    candidates: tuple[Candidate, ...]
    states: bool = False
    #: The unit behind the number.
    unit: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the best candidate is alone and scores well."""
        return self.candidates[0].sure and is_alone(self.candidates)

    def code(self, candidate: Candidate) -> str:
        """Return the code of a candidate, with the unit of its value."""
        return f"{candidate.code} # {self.unit}" if self.unit else candidate.code

    def comment(self, candidate: Candidate) -> str:
        """Return the comment that binds the text to a candidate."""
        return f"<!-- {'' if self.states else '= '}{self.code(candidate)} -->"

    def edit(self, candidate: Candidate) -> Edit:
        """Return the insertion of that comment."""
        span = Span(self.line, self.column, self.line, self.column)
        return Edit(span, self.comment(candidate))


@dataclass(frozen=True)
class Passage:
    """A sentence or a cell of a table, with what is known of the words in it.

    Attributes
    ----------
    piece
        The text that it is a part of.
    start, end
        Its span there.
    beside
        The words of the row and column, if it is a cell.
    column
        The title of the column, if it is a cell.
    """

    piece: Prose
    start: int
    end: int
    beside: frozenset[str] = frozenset()
    column: str | None = None

    @property
    def line(self) -> int:
        """The line in which it begins."""
        return self.piece.place_of(self.start)[0]

    @property
    def shown(self) -> str:
        """The sentence without marks for code and links."""
        return re.sub("[\ue000-\uf8ff]", "", self.piece.text[self.start : self.end]).strip()

    @cached_property
    def said(self) -> frozenset[str]:
        """The words that it says."""
        return words_of(self.piece.text[self.start : self.end]) | self.beside

    def without(self, stated: Stated) -> frozenset[str]:
        """Return the words that it says besides a number."""
        text = self.piece.text
        rest = f"{text[self.start : stated.start]} {text[stated.end : self.end]}"
        return words_of(rest) | self.beside


#: Links of Markdown, which may lead to other sites.
_LINK = re.compile(r"\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])|<[^<>\s]*>")
_ROUNDED = re.compile(r"(?:round|float|int)\((?P<inner>.*?)(?:, -?\d+)?\)")


def is_alone(candidates: Sequence[Candidate]) -> bool:
    """Return whether there is a best candidate, well ahead of others that mean something else."""
    if not candidates:
        return False
    best, *others = candidates
    # A rival that is not sure need not be `AHEAD` behind.
    return all(
        best.score - other.score >= (AHEAD if other.sure or not best.sure else 0.0)
        or means_the_same(best, other)
        for other in others
    )


def means_the_same(one: Candidate, other: Candidate) -> bool:
    """Return whether two candidates are one quantity, such as ``a`` and ``round(a, 2)``.

    Equal numbers are the same quantity, except small integers, which are equal by chance unless
    both have the same labels, are lengths, or are of one list: ``x[3]`` and ``max(x)``.
    """
    if unrounded(one.code) == unrounded(other.code):
        return True
    if isinstance(one.value, str) or isinstance(other.value, str):
        return False
    if one.is_condition or other.is_condition:
        # *The tit is the most common*, by number and by share, if the sentence names both.
        known = min(one.score, other.score) >= _KNOWN and bool(one.atoms and other.atoms)
        return known and one.atoms[0].labels == other.atoms[0].labels
    if abs(one.value - other.value) > _EQUAL * abs(one.value):
        return False
    if abs(one.value) >= _BY_CHANCE or one.value != int(one.value):
        return True
    if one.code.startswith("len(") and other.code.startswith("len("):
        return True
    labels, others = (tuple(atom.labels for atom in candidate.atoms) for candidate in (one, other))
    return (any(labels) and labels == others) or _are_of_one_list(one, other)


def _are_of_one_list(one: Candidate, other: Candidate) -> bool:
    """Return whether two candidates use elements of the same list or dictionary."""
    lists, others = ({atom.series for atom in candidate.atoms} - {""} for candidate in (one, other))
    return not lists.isdisjoint(others)


def unrounded(code: str) -> str:
    """Return an expression without the rounding around it.

    >>> unrounded("round(float(x / y), 2)"), unrounded("int(a) + int(b)")
    ('x / y', 'int(a) + int(b)')
    """
    match = _ROUNDED.fullmatch(code)
    inner = match["inner"] if match else ""
    # In ``int(a) + int(b)``, the first bracket is not closed by the last.
    is_whole = inner.count("(") == inner.count(")") and inner.find("(") <= inner.find(")")
    return unrounded(inner) if inner and is_whole else code


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, with those of its code and formulas."""
    code = " ".join(re.findall(f"{CODE}([^{END}]*){END}", text))
    return stems(text, spoken=True) | stems(code) | _initials(text)


def _initials(text: str) -> frozenset[str]:
    """Return the initials of two or three words side by side, which code abbreviates.

    >>> sorted(_initials("The moving average falls"))
    ['af', 'ma', 'maf', 'tm', 'tma']
    """
    letters = [word[0].lower() for word in re.findall(r"[^\W\d_]+", text)]
    return frozenset(
        "".join(letters[n : n + count]) for count in (2, 3) for n in range(len(letters) - count + 1)
    )


class Page:
    """A note, its sentences and the atoms at each place.

    Parameters
    ----------
    note
        The note.
    collected
        The atoms after each block, by its index.
    """

    def __init__(self, note: Note, collected: Mapping[int, Sequence[Sequence[object]]]) -> None:
        self.note = note
        self.words = lexicon(str(note.meta.get("lang", "en")))
        #: The atoms after each block, and the merged ones for each number of blocks above a line.
        self._after = {
            n: [Atom.from_plain(plain) for plain in data] for n, data in collected.items()
        }
        self._pools: dict[int, list[Atom]] = {}
        self._families: dict[tuple[int, bool], list[Family]] = {}
        #: By the piece of text, the places and atoms of the numbers of its sentences so far.
        self.places: dict[int, list[tuple[int, Atom]]] = {}
        self._links = [span_of_link(note, link) for link in note.links]

    def pool(self, line: int) -> list[Atom]:
        """Return the atoms that can be evaluated at a line.

        A name has the value that the blocks above have given it or else the first block below.
        """
        above = sum(block.fence.line < line for block in self.note.blocks)
        if above not in self._pools:
            atoms: dict[str, Atom] = {}
            bound: set[str] = set()
            # From the last block above on.
            for distance, index in enumerate(range(max(above - 1, 0), len(self.note.blocks))):
                new = [atom for atom in self._after.get(index, []) if atom.code not in atoms]
                for atom in new:
                    # A block below counts only for the names that it binds first.
                    if not distance or not identifiers(atom.code) <= bound:
                        cost = atom.cost + _PER_BLOCK * min(distance, _FARTHEST)
                        atoms[atom.code] = replace(atom, cost=cost)
                bound |= {name for atom in new for name in identifiers(atom.code)}
            self._pools[above] = list(atoms.values())
        return self._pools[above]

    def families(self, line: int, *, distinct: bool = True) -> list[Family]:
        """Return the families of elements that can be evaluated at a line.

        Of families that are multiples of each other, ``distinct`` ones are the simplest.
        """
        above = sum(block.fence.line < line for block in self.note.blocks)
        key = above, distinct
        if key not in self._families:
            self._families[key] = families(self.pool(line), distinct=distinct)
        return self._families[key]

    def sentences(self) -> Iterator[Passage]:
        """Yield the sentences and cells in which comments may be inserted."""
        cells = {(cell.line, cell.column): cell for cell in self.note.cells}
        for piece in self.note.prose:
            if piece.place or not piece.parts:
                continue  # it is a heading, a summary or the like, or it is empty
            cell = cells.get(piece.place_of(0))
            if piece.row or cell:
                title, row = (cell.title, piece.row) if cell else ("", "")
                yield Passage(piece, 0, len(piece.text), words_of(f"{title} {row}"), title)
                continue
            for start, end in Sentences(piece.text).spans():
                yield Passage(piece, start, end)

    def place_behind(self, sentence: Passage, start: int, end: int) -> tuple[int, int] | None:
        """Return the place behind a part of a sentence; None if no comment may be there.

        None may be inside a link, in the middle of code, or where there is a comment already.
        """
        piece = sentence.piece
        line, column = piece.place_of(end - 1)
        row = self.note.lines[line - 1] if line <= len(self.note.lines) else ""
        last_word = piece.text[start:end].rpartition(" ")[2]
        if not row[:column].endswith(last_word):
            return None  # mark-up is within it
        if any(link.holds(line, column) for link in self._links):
            return None
        if any(link.start() < column < link.end() for link in _LINK.finditer(row)):
            return None
        is_in_code = piece.text.rfind(CODE, 0, start) > piece.text.rfind(END, 0, start)
        if is_in_code:
            # The comment goes behind the code, if the name is all of it.
            if piece.text[start - 1] != CODE or piece.text[end : end + 1] != END:
                return None
            column += len(row[column:]) - len(row[column:].lstrip("`"))
        if row[column:].lstrip().startswith(("<!--", "%%")):
            return None
        return line, column + 1
