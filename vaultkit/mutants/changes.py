r"""Generates mutants of a note from its raw text, without the engine's parsers.

So parts that the engine does not parse are mutated, too, and appear as gaps. A *mutant* is the note
with one change, which should make a check fail.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from vaultkit.mutants.words import Change, word_changes


@dataclass(frozen=True)
class Mutant:
    """A change: the file, the line, the position, the old and the new text."""

    kind: str
    path: str
    line: int
    start: int
    before: str
    after: str

    def apply(self, text: str) -> str:
        """Return the text of the file with the change."""
        assert text[self.start : self.start + len(self.before)] == self.before
        return text[: self.start] + self.after + text[self.start + len(self.before) :]

    def __str__(self) -> str:
        """Describe the change and its place."""
        before, after = (" ".join(t.split()) or "nothing" for t in (self.before, self.after))
        return f"{self.path}:{self.line}: {self.kind}: {before} → {after}"


#: Parts of a note with different syntax; earlier alternatives take precedence. All else is prose.
_PIECES = re.compile(
    r"""
    (?P<front>\A---\n.*?^---\n)
  | ^(?P<quote>(?:[ ]*>[ ]?)*[ ]*)(?P<mark>```+|~~~+)(?P<info>[^\n]*)\n
    (?P<body>.*?)^[> ]*(?P=mark)[ ]*$
  | (?P<comment><!--.*?-->|%%.*?%%)
  | (?P<display>\$\$.+?\$\$)
  | (?P<inline>(?<![\\$\w])\$(?=\S)[^$\n]+?(?<=\S)\$(?![\d$]))
  | (?P<code>(?P<ticks>`+)[^`\n].*?(?P=ticks))
  | (?P<wiki>!?\[\[[^\]\n]*\]\])
  | (?P<target>(?<=\])\((?:[^()\n]|\([^()\n]*\))*\))
  | (?P<address>https?://\S+)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
#: *−1,200.5*, but not within a name or a date.
_NUMBER = re.compile(r"(?<![\w.,§#^-])[-−]?\d+(?:[,\u202f]\d{3})*(?:\.\d+)?(?![\w]|\.\d)")
_REFERENCE = re.compile(
    r"\b(?:[Ss]ections?|[Cc]hapters?|[Ff]igures?|[Tt]ables?|[Ee]quations?|[Ff]ootnotes?|[Pp]ages?|[Vv]ersions?|p\.|§)\s*$"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
#: Most characters between a formula and its comment.
_NEAR = 40
#: What each relation becomes, so that a true statement is false.
_RELATIONS = {
    "=": r"\ne ", r"\approx": "=", r"\ne": "=", r"\neq": "=", r"\le": ">", r"\leq": ">",
    r"\ge": "<", r"\geq": "<", "<": r"\ge ", ">": r"\le ",
}  # fmt: skip
_OTHER_FUNCTIONS = {r"\exp": r"\sin", r"\log": r"\exp", r"\ln": r"\exp", r"\sin": r"\cos",
                    r"\cos": r"\sin", r"\max": r"\min", r"\min": r"\max", r"\sum": r"\prod",
                    r"\tanh": r"\sin"}  # fmt: skip


def mutants_of(text: str, path: str, rng: random.Random) -> Iterator[Mutant]:
    """Yield mutants of a note: some for each output, number, formula and link.

    Parameters
    ----------
    text
        The note's text.
    path
        The note's path, for reports.
    rng
        Chooses the digits and letters.
    """
    line_starts = [match.end() for match in re.finditer(r"\A|\n", text)]

    for change in _changes_of(text, path, rng):
        line = sum(start <= change.at for start in line_starts)
        end = change.at + len(change.before)
        assert text[change.at : end] == change.before, change
        yield Mutant(change.kind, path, line, change.at, change.before, change.after)


def _changes_of(text: str, path: str, rng: random.Random) -> Iterator[Change]:
    """Yield changes of a note; the parameters are those of `mutants_of`."""
    yield from word_changes(text, prose_of(text), random.Random(path))
    symbols: set[str] = set()
    sizes: set[str] = set()
    for piece in _PIECES.finditer(text):
        if piece["display"] or piece["inline"]:
            symbols.update(symbol for _, symbol in _symbols_of(piece[0]))
        if piece["code"] or piece["inline"]:
            sizes.update(re.findall(_LETTER, piece[0]))
    parts = _Parts(text, sorted(symbols), sorted(sizes), rng)
    last_end = 0
    for piece in _PIECES.finditer(text):
        yield from parts.change_prose(last_end, piece.start())
        yield from parts.change_piece(piece)
        last_end = piece.end()
    yield from parts.change_prose(last_end, len(text))


@dataclass(frozen=True)
class _Parts:
    """Changes the parts of a note.

    ``symbols`` are those of its formulas, ``sizes`` the letters that it uses for sizes.
    """

    text: str
    symbols: list[str]
    sizes: list[str]
    rng: random.Random

    def change_prose(self, start: int, end: int) -> Iterator[Change]:
        """Yield changes of the numbers and shapes in a part of the text."""
        yield from _change_numbers(self.text, start, end, self.rng)
        yield from _change_shapes(self.text, start, end, self.sizes, self.rng)

    def change_piece(self, piece: re.Match[str]) -> Iterator[Change]:
        """Yield changes of a piece with a syntax of its own, a match of ``_PIECES``."""
        if piece["front"]:
            yield from self.change_summary(piece)
        elif piece["mark"] and piece["info"].split()[:1] == ["text"]:
            yield from _change_output(self.text, *piece.span("body"), self.rng)
        elif piece["display"] or piece["inline"]:
            behind = self.text[piece.end() : piece.end() + _NEAR].lstrip()
            if behind.startswith("<!-- not run"):  # the note says that it is not judged
                return
            for change in change_formula(piece[0], self.symbols, self.rng):
                yield change._replace(at=piece.start() + change.at)
            has_relation = re.search(r"[=<>]|\\(?:approx|ne|le|ge|in)", piece[0])
            if not has_relation:  # such as $n \times m$
                yield from _change_shapes(self.text, *piece.span(), self.sizes, self.rng)
        elif piece["code"]:
            yield from _change_shapes(self.text, *piece.span(), self.sizes, self.rng)
        elif piece["wiki"] or piece["target"]:
            yield from _change_link(piece, self.rng)

    def change_summary(self, front: re.Match[str]) -> Iterator[Change]:
        """Yield changes of the numbers in the summary of the front matter."""
        if summary := re.search(r"^summary:.*$", front[0], re.MULTILINE):
            for change in _change_numbers(self.text, *summary.span(), self.rng):
                yield change._replace(kind=f"{change.kind} in a summary")


def prose_of(text: str) -> str:
    """Return a text with blanks for everything except prose and inline code."""

    def blank(piece: re.Match[str]) -> str:
        return piece[0] if piece["code"] else re.sub(r"[^\n]", "\ufffc", piece[0])

    return _PIECES.sub(blank, text)


def _is_any_shift(tex: str, at: int) -> bool:
    r"""Return whether a formula holds for any number at a position, and so for its negative.

    >>> [_is_any_shift(tex, 5) for tex in ("f(x +c) = f(x)", "f(x +c) = c f(x)")]
    [True, False]
    """
    shift = re.match(r"\s*([a-z])\)\s*(?:=|\\approx)", tex[at:])
    function = re.match(r"\W*(?:operatorname\{)?(\w+)", tex)
    if not shift or not function:
        return False
    occurs_once = len(re.findall(rf"(?<![\\\w]){shift[1]}(?!\w)", tex)) == 1
    return occurs_once and bool(re.search(rf"\b{function[1]}\b", tex[at + shift.end() :]))


def _change_output(text: str, start: int, end: int, rng: random.Random) -> Iterator[Change]:
    """Yield changes of an output: one digit of each number, one letter of each word."""
    for match in re.finditer(r"(?<![\w.])-?\d+\.?\d*(?![\w.])", text[start:end]):
        at = start + match.start() + _place_of_digit(match[0], rng)
        yield Change(at, text[at], _other_digit(text[at], rng), "output")
    for match in re.finditer(r"[A-Za-z]{3,}", text[start:end]):
        at = start + match.start() + rng.randrange(len(match[0]))
        yield Change(at, text[at], "x" if text[at] != "x" else "y", "output")


def _change_numbers(text: str, start: int, end: int, rng: random.Random) -> Iterator[Change]:
    """Yield a changed digit in each number of a text that a check may notice.

    Checks do not judge integers of one digit, years, names and given numbers.
    """
    for match in _NUMBER.finditer(text, start, end):
        number = match[0].lstrip("-−")
        line_start = text.rfind("\n", 0, match.start()) + 1
        before = text[line_start : match.start()]
        if "." not in number and (len(number) < 2 or _YEAR.fullmatch(number)):
            continue
        if re.match(r"0\d", number) or re.search(r"(?<![\w.])0\d+-$", before):
            continue  # a name: *007*, *003-12*
        if _REFERENCE.search(before) or re.match(r"[>\s]*\d*$", before):
            continue  # *section 12*, or the number of a list item
        if text[match.end() :].lstrip(" ).,;:").startswith("<!-- given"):
            continue
        kind = "decimal" if "." in number else "integer"
        for name, pattern in _PLACES.items():
            if re.match(pattern, before):
                kind += f" in {name}"
                break
        at = match.start() + _place_of_digit(match[0], rng)
        yield Change(at, text[at], _other_digit(text[at], rng), kind)


#: The usual letter of a size: *n*, *d_k*; a size: *64*, *2 n*; and shapes: *(n, d_k)*, *6 by 4*.
_LETTER = r"(?:[dn]_(?:\{\\text\{\w+\}\}|\w+)|[BHLNTdhmnst])(?!\w)"
_SIZE = rf"(?<!\w)(?:\d{{1,5}}(?!\w)|(?:\d{{1,5}} ?)?{_LETTER})"
_SHAPE = re.compile(
    rf"(?<![\w)\]([.])\((?:{_SIZE}, )+{_SIZE}\)"
    rf"|(?<![\w.,^(\\{{-]){_SIZE}(?:(?:\s?×\s?| by |\s?\\times\s){_SIZE})+(?!\.?\d|[\^_(])"
)
PROSE_SHAPE = "prose shape"


def _change_shapes(
    text: str, start: int, end: int, letters: list[str], rng: random.Random
) -> Iterator[Change]:
    """Yield changes of each shape: two sizes exchanged, and one replaced.

    ``letters`` are those that may replace the letter of a size.
    """
    for match in _SHAPE.finditer(text, start, end):
        sizes = list(re.compile(_SIZE).finditer(text, *match.span()))
        are_digits = all(re.fullmatch(r"\d", size[0]) for size in sizes)
        if match[0][0] == "(" and are_digits:
            continue  # a point, or an index
        line = text[text.rfind("\n", 0, start) + 1 : start]
        is_wrong_answer = re.fullmatch(r"[> ]*- ", line)
        is_given = re.match(r"[`$ ,.]*<!-- given", text[match.end() :])
        if is_wrong_answer or is_given:
            continue
        different = (pair for pair in itertools.pairwise(sizes) if pair[0][0] != pair[1][0])
        if neighbours := next(different, None):
            left, right = neighbours
            between = text[left.end() : right.start()]
            before = text[left.start() : right.end()]
            yield Change(left.start(), before, right[0] + between + left[0], PROSE_SHAPE)
        size = rng.choice(sizes)
        if size[0].isdigit():
            at = size.start() + _place_of_digit(size[0], rng)
            yield Change(at, text[at], _other_digit(text[at], rng), PROSE_SHAPE)
        elif others := [letter for letter in letters if letter not in size[0]]:
            yield Change(size.start(), size[0], rng.choice(others), PROSE_SHAPE)


#: The places of numbers, by the line before them.
_PLACES = {
    "a heading": r"#+ ",
    "a table": r"[> ]*\|",
    "an alt text": r".*!\[[^\]]*$",
    "a caption": r"\*[^*]*$",
    "the words of a link": r".*(?<!!)\[[^\]]*$",
}


def _change_link(piece: re.Match[str], rng: random.Random) -> Iterator[Change]:
    """Yield a link with one letter of its target changed or removed.

    An address of the web (``https:``) is left alone, since no check asks for it.
    """
    match = re.match(r"!?\[\[#?(?P<wiki>[^\]|]*)|\((?P<path>[^)\s]*)", piece[0])
    assert match
    group = "path" if match["wiki"] is None else "wiki"
    if not match[group] or re.match(r"[a-z]+:", match[group]):
        return
    letters = [at for at in range(*match.span(group)) if piece[0][at].isalpha()]
    if letters:
        at = rng.choice(letters)
        letter = piece[0][at]
        other = rng.choice(["", "x" if letter in "qQ" else "q"])
        yield Change(piece.start() + at, letter, other, "link")


def change_formula(tex: str, symbols: list[str], rng: random.Random) -> Iterator[Change]:
    """Yield changes of a formula that states something; of one that states a shape, its sizes."""
    if re.search(r"\\in\b", tex) and r"\mathbb{R}" in tex:
        yield from _change_sizes(tex, symbols, rng)
        return
    relations = [
        match
        for match in re.finditer(r"\\(?:approx|neq?|leq?|geq?)(?![A-Za-z])|[=<>]", tex)
        if not _is_inside_index(tex, match.start())
    ]
    if not relations:
        return
    for match in relations:
        yield Change(match.start(), match[0], _RELATIONS[match[0]], "relation")
    # A sign or factor after the first relation changes only one side; it does not change 0.
    blank = re.compile(r"\s*&?\s*").match(tex, relations[0].end())
    at = blank.end() if blank else relations[0].end()
    is_zero = re.match(r"[^\\]*(?:\\(?!\\)[^\\]*)*?(?:^|=)\s*0\s*(?:$|[$,;&\\}])", tex[at:])
    if at < len(tex) and tex[at] not in "-+$" and not is_zero:
        yield Change(at, "", "-", "sign")
        yield Change(at, "", r"2 \cdot ", "factor")
    yield from _change_parts(tex, symbols, rng)


def _change_parts(tex: str, symbols: list[str], rng: random.Random) -> Iterator[Change]:
    """Yield changes of the operators, functions, indices, numbers and symbols of a formula."""
    for match in re.finditer(r"\^\{?\\top\}?|\^T", tex):
        yield Change(match.start(), match[0], "", "transposition")
    # A sign between two terms, such as the one in *a + b*, but not *(-a*.
    for match in re.finditer(r"(?<![{=(&^_,\s$])\s*(?P<sign>[+-])", tex):
        if _is_any_shift(tex, match.end()):
            continue
        other = "-" if match["sign"] == "+" else "+"
        yield Change(match.start("sign"), match["sign"], other, "sign")
    for match in re.finditer(r"\^\{?(?P<power>\d)\}?(?!\))", tex):
        other = "3" if match["power"] == "2" else "2"
        yield Change(match.start("power"), match["power"], other, "exponent")
    for match in re.finditer(r"\\sqrt(?=\{)", tex):
        yield Change(match.start(), match[0], "", "root")
    for match in re.finditer(r"\\frac\{(?P<above>[^{}]+)\}\{(?P<below>[^{}]+)\}", tex):
        if match["above"] != match["below"]:
            inverse = rf"\frac{{{match['below']}}}{{{match['above']}}}"
            yield Change(match.start(), match[0], inverse, "fraction")
    for match in re.finditer(r"\\[a-z]+(?![A-Za-z])", tex):
        if match[0] in _OTHER_FUNCTIONS:
            yield Change(match.start(), match[0], _OTHER_FUNCTIONS[match[0]], "function")
    # a_{ij} → a_{ji}; and the beginning of a sum, \sum_{i=1} → \sum_{i=2}.
    for match in re.finditer(r"_\{(?P<pair>[a-z]{2})\}", tex):
        first, second = tuple(match["pair"])
        if first != second:
            yield Change(match.start("pair"), match["pair"], second + first, "index")
    for match in re.finditer(r"_\{[a-z]\s*=\s*(?P<low>\d)\}", tex):
        yield Change(match.start("low"), match["low"], str(int(match["low"]) + 1), "index")
    for match in re.finditer(r"(?<![\w^\\.{=])\d+(?:\.\d+)?(?![\w.])", tex):
        at = match.start() + _place_of_digit(match[0], rng)
        yield Change(at, tex[at], _other_digit(tex[at], rng), "number in an equation")
    for at, symbol in _symbols_of(tex):
        others = [s for s in symbols if s != symbol]
        if others:
            yield Change(at, symbol, rng.choice(others), "symbol")


def _change_sizes(tex: str, symbols: list[str], rng: random.Random) -> Iterator[Change]:
    r"""Yield changes of the sizes in ``\mathbb{R}^{n}``: another letter, and twice the size."""
    exponents = [m.span() for m in re.finditer(r"(?<=\^)\{(?:[^{}]|\{[^{}]*\})*\}", tex)]
    for at, symbol in _symbols_of(tex):
        if any(start < at < end for start, end in exponents):
            others = [other for other in symbols if other != symbol and re.match("[dhmn]", other)]
            if others:
                yield Change(at, symbol, rng.choice(others), "shape")
            yield Change(at, symbol, f"2 {symbol}", "shape")


def _is_inside_index(tex: str, at: int) -> bool:
    """Return whether a relation is in braces, as in the subscript of a sum: it states nothing."""
    depth = 0
    for character in reversed(tex[:at]):
        depth += (character == "}") - (character == "{")
        if depth < 0:
            return True
    return False


#: A symbol: ``\text{scores}``, ``\alpha``, ``d_{\text{model}}``, ``W_Q``, ``x``.
_SYMBOL = re.compile(
    r"\\text\{[^{}]+\}(?!\s*\()|\\(?:alpha|beta|gamma|delta|theta|mu|sigma|omega|tau)(?![A-Za-z])|"
    r"(?<![A-Za-z\\])[A-Za-z]_(?:\{\\text\{\w+\}\}|\{?[A-Z]\}?|k|v)(?![A-Za-z])|"
    r"(?<![A-Za-z\\_])(?<!_\{)[A-Za-z](?![A-Za-z_])"
)


def _symbols_of(tex: str) -> list[tuple[int, str]]:
    """Return the symbols of a formula that may be exchanged, with their positions."""
    commands = re.compile(r"\\(?:operatorname\*?|mathrm|mathbb|begin|end)\s*\{[^{}]*\}")
    arguments = [range(*match.span()) for match in commands.finditer(tex)]
    # Indices, the sign of a transpose, Euler's number and words between formulas stay.
    kept = re.compile(r"[ijTe]|\\text\{\s*(?:for|where|if|and|so|with|when|or)\b.*", re.DOTALL)
    return [
        (match.start(), match[0])
        for match in _SYMBOL.finditer(tex)
        if not kept.fullmatch(match[0]) and not any(match.start() in span for span in arguments)
    ]


def _place_of_digit(number: str, rng: random.Random) -> int:
    """Return the position of one of the digits of a number."""
    return rng.choice([at for at, character in enumerate(number) if character.isdigit()])


def _other_digit(digit: str, rng: random.Random) -> str:
    """Return a digit other than a given one."""
    return rng.choice([other for other in "0123456789" if other != digit])
