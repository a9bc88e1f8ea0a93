"""`Prose`: a piece of visible text as one string, with its words, code and mathematics.

`vaultkit.read.extract` makes these pieces; `vaultkit.claims` extracts claims from them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from vaultkit.read.macros import replace_chemistry, spans_of_definitions

#: Marks in the string of a `Prose`: the beginning and end of code, a formula that is judged
#: elsewhere, a word that only names something, the end of a link; and from `_REASONS` on, a given
#: reason.
CODE, END, FORMULA, NAME, LINK = "\ue001", "\ue002", "\ue003", "\ue004", "\ue006"
_REASONS = 0xE100
#: Invisible characters: a reader sees one number, even if they are between its digits.
_UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment in a text, which readers do not see.

    Attributes
    ----------
    at
        The position in the text of its `Prose` that it precedes.
    content
        What is between its marks.
    line, column
        Its place in the file.
    tex
        The formula directly before it.
    """

    at: int
    content: str
    line: int
    column: int
    tex: str = ""

    @property
    def formula(self) -> str:
        """The formula directly before it, as text."""
        return plain_tex(self.tex) if self.tex else ""


class PartStart(NamedTuple):
    """Where a part of a `Prose` begins: its position in the text, line and column in the file."""

    position: int
    line: int
    column: int


@dataclass(slots=True)
class Prose:
    """A piece of visible text, with its lines."""

    #: What it is: ``heading``, ``alt text``, ``summary`` and so on; empty for running text.
    place: str = ""
    #: The text, with marks such as `CODE` and `FORMULA`.
    text: str = ""
    parts: list[PartStart] = field(default_factory=list)
    #: The reasons in comments ``<!-- given: reason -->``; the marks in the text refer to them.
    reasons: tuple[str, ...] = ()
    #: Whether a reason at its end is one for its last number, even if words follow the number.
    covers_last: bool = False
    #: The text of the first cell of its row, if it is a table's cell.
    row: str = ""
    #: The cells before it in its row, if it is a table's cell.
    cells: tuple[Prose, ...] = ()
    #: The comments in it that are not reasons.
    comments: tuple[Comment, ...] = ()

    def add(self, text: str, line: int, column: int = 1) -> None:
        """Add text that begins at this place of the file.

        Each line becomes a part; a blank joins it to the one before. Invisible characters are left
        out; another part begins behind them.
        """
        self._add_marked(_without_marks(text), line, column)

    def _add_marked(self, text: str, line: int, column: int) -> None:
        """Add text that may contain marks."""
        for number, written in enumerate(text.split("\n")):
            if number:
                self.text += " "
                column = 1
            for visible in _UNSEEN.split(written):
                self.parts.append(PartStart(len(self.text), line + number, column))
                self.text += visible
                column += len(visible) + 1  # behind the invisible character

    def add_code(self, code: str, line: int, column: int = 1) -> None:
        """Add code within text."""
        code = _without_marks(code).replace("\n", " ")
        self._add_marked(CODE + code + END, line, column)

    def add_end_of_link(self) -> None:
        """Add the mark for the end of a link."""
        self.text += LINK

    def add_formula(self, tex: str, line: int, column: int = 1, *, not_run: bool = False) -> None:
        """Add a formula: its text if it states nothing, else a mark, as it is judged elsewhere.

        One that is not run is a mark, too: it is excepted there.
        """
        for first, last in reversed(spans_of_definitions(tex)):
            tex = tex[:first] + tex[last:]
        is_judged = not_run or has_relation(tex)
        text = FORMULA if is_judged else CODE + plain_tex(_without_marks(tex)) + END
        self._add_marked(text, line, column)

    def add_reason(self, why: str) -> None:
        """Add a comment that gives a reason for the number before it, as a mark in the text."""
        self.text += chr(_REASONS + len(self.reasons) % _MOST_REASONS)
        self.reasons += (why,)

    def add_comment(self, content: str, line: int, column: int = 1, tex: str = "") -> None:
        """Add a comment behind the text so far; ``tex`` is the formula directly before it."""
        self.comments += (Comment(len(self.text), content, line, column, tex),)

    def place_of(self, at: int) -> tuple[int, int]:
        """Return line and column of a place of the text."""
        if not self.parts:
            return 1, 1
        index = max(0, bisect_right(self.parts, at, key=attrgetter("position")) - 1)
        part = self.parts[index]
        return part.line, part.column + at - part.position

    @property
    def lines(self) -> range:
        """The lines of the file from the first to the last one of the text."""
        lines = [part.line for part in self.parts] or [1]
        return range(min(lines), max(lines) + 1)

    def reason_behind(self, text: str, end: int) -> str:
        """Return the reason for the number that ends at a position of a text; empty without one.

        It follows the number, its unit, or the link around it. The text is this one, or its copy of
        the same length.
        """
        match = _REASON_BEHIND.match(text, end)
        return self.reasons[ord(match["reason"]) - _REASONS] if match else ""

    def last_reason(self) -> str:
        """Return the reason at the end of the text; empty if there is none."""
        return self.reasons[-1] if re.search(rf"{REASONS.pattern}\s*$", self.text) else ""


#: Most reasons in a text that have marks of their own.
_MOST_REASONS = 0x800
_FIRST, _LAST = chr(_REASONS), chr(_REASONS + _MOST_REASONS - 1)
REASONS = re.compile(f"[{_FIRST}-{_LAST}]")
_ANY_MARK = re.compile(f"[{CODE}{END}{FORMULA}{NAME}{LINK}{_FIRST}-{_LAST}]")
#: The unit or the noun between a number and its reason: *30 kg*, *4 m/s^2*, *12 l per day*.
_WORD = rf"[^\s\d.,;:!?(){LINK}{_FIRST}-{_LAST}]{{1,20}}\d?(?![\w.])"
_UNIT = rf"\s?{_WORD}(?:\sper\s{_WORD})?"
#: What may be between a number and the mark of its reason, and the mark.
_REASON_BEHIND = re.compile(
    rf"""(?:[-‑]\w+)?                                         # the *-fold* of *30-fold*
    (?: [^\d{LINK}{_FIRST}-{_LAST}]{{0,400}}{LINK} | {_UNIT} )?  # the end of its link, or a unit
    [\s).,;:!?{END}\]*]*
    (?P<reason>[{_FIRST}-{_LAST}])""",
    re.VERBOSE,
)


def _without_marks(text: str) -> str:
    """Return text of the file without the code points of marks.

    Icon fonts use them, too, so copied text may contain them.
    """
    return _ANY_MARK.sub("\N{REPLACEMENT CHARACTER}", text)


def has_relation(tex: str) -> bool:
    r"""Return whether a formula has a relation sign, so that it states something.

    >>> list(map(has_relation, ["x = 2", r"x \approx 2", r"2 \times 10^{-3}", r"\left( 1"]))
    [True, True, False, False]
    >>> chemistry = [r"\ce{A -> B}", r"m_{\ce{H2O}} = 3", r"\begin{CD}A @= B\end{CD}"]
    >>> list(map(has_relation, chemistry))
    [False, True, False]
    """
    tex = _DIAGRAM.sub("", replace_chemistry(tex, lambda _name, _inner: "{}"))
    return bool(_RELATION.search(tex))


#: A commutative diagram, in which an equals sign is an arrow.
_DIAGRAM = re.compile(r"\\begin\{CD\}(?:(?!\\begin\{CD\}).)*?\\end\{CD\}", re.DOTALL)
_RELATION = re.compile(
    r"(?<!\\)[=<>≤≥≈≠∈∉≡≪≫≜≔]|\\(?:approx|leq?|geq?|neq?|in|notin|ni|equiv|sim|simeq|cong|propto|ll|gg"
    r"|to|rightarrow|Rightarrow|implies|iff|mapsto|leftarrow|subset|subseteq|perp|parallel|mid"
    r"|triangleq|coloneqq|doteq|lesssim|gtrsim|leqslant|geqslant|lt|gt|prec|succ)(?![A-Za-z])"
)


_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
#: The space between groups of three digits.
_NARROW_SPACE = "\u202f"
_SIGNS = {"times": "×", "cdot": "·", "pm": "±", "top": "T", "infty": "∞"}
_SHAPE = r"(?:[^{}]|\{[^{}]*\})*"


def _index_to_text(match: re.Match[str]) -> str:
    """Return an index in low digits: it counts nothing, but x₁ must stay different from x."""
    return (match["braced"] or match["digit"]).translate(_LOW)


#: Patterns in TeX and what replaces them in text, in this order.
_REPLACEMENTS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\\(?:text|mathrm|operatorname|mathit|textbf|mathbf)\s*\{([^{}]*)\}", r"\1"),
    (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2"),
    (r"\\[dt]?frac\s*(\d)\s*(\d)", r"\1/\2"),  # \frac12
    (r"(?<=\d)\\[,;:]\s?(?=\d{3}(?!\d))", _NARROW_SPACE),  # 158\,629
    (r"\{([,.])\}", r"\1"),  # 1{,}000
    # The text "an ℝ^{n × d}" states a shape.
    (rf"\\mathbb\{{R\}}\s*\^\s*\{{({_SHAPE}\\times{_SHAPE})\}}", r" \1"),
    (r"_\{([A-Za-z]\w*)\}", r"_\1"),  # d_{\text{model}} is a name
    (r"_(?:\{(?P<braced>\d+)\}|(?P<digit>\d))", _index_to_text),
    (r"_\{[^{}]*\}", ""),  # other indices
    *((rf"\\{command}(?![A-Za-z])", sign) for command, sign in _SIGNS.items()),
    (r"\\%", " %"),
    (r"\\[,;:! ]|~", " "),  # spaces
    (r"\\([A-Za-z]+)", r" \1 "),  # other commands
    (r"[{}]", ""),
    (r"±\s+(?=[\d.])", "±"),  # the sign is part of the number
    (rf"[^\S{_NARROW_SPACE}]+", " "),
)
_COMPILED = [(re.compile(pattern), replacement) for pattern, replacement in _REPLACEMENTS]


def plain_tex(tex: str) -> str:
    r"""Return a formula that states nothing as text.

    >>> plain_tex(r"7.5 \times 10^{-3}"), plain_tex(r"\tfrac{9}{10}"), plain_tex(r"16.5\,\%")
    ('7.5 × 10^-3', '9/10', '16.5 %')
    >>> plain_tex(r"S_{12}"), plain_tex(r"158\,629.75"), plain_tex(r"n \times d_{\text{model}}")
    ('S₁₂', '158\u202f629.75', 'n × d_model')
    """
    # The numbers of atoms in a molecule count nothing in the note.
    text = replace_chemistry(tex, lambda name, inner: inner if name == "pu" else NAME)
    for pattern, replacement in _COMPILED:
        text = pattern.sub(replacement, text)
    return text.strip(" ")
