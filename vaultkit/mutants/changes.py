r"""Generates mutants of a note from its raw text, without the engine's parsers.

So parts that the engine does not parse are mutated, too, and appear as gaps.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from vaultkit.mutants.words import word_changes


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


#: Parts of a note with different syntax; earlier alternatives take precedence.
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
_NUMBER = re.compile(r"(?<![\w.,§#^-])[-−]?\d+(?:[,\u202f]\d{3})*(?:\.\d+)?(?![\w]|\.\d)")
_REFERENCE = re.compile(
    r"\b(?:[Ss]ections?|[Cc]hapters?|[Ff]igures?|[Tt]ables?|[Ee]quations?|[Ff]ootnotes?|[Pp]ages?|[Vv]ersions?|p\.|§)\s*$"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_RELATIONS = {
    "=": r"\ne ", r"\approx": "=", r"\ne": "=", r"\neq": "=", r"\le": ">", r"\leq": ">",
    r"\ge": "<", r"\geq": "<", "<": r"\ge ", ">": r"\le ",
}  # fmt: skip
_OTHER_FUNCTIONS = {r"\exp": r"\sin", r"\log": r"\exp", r"\ln": r"\exp", r"\sin": r"\cos",
                    r"\cos": r"\sin", r"\max": r"\min", r"\min": r"\max", r"\sum": r"\prod",
                    r"\tanh": r"\sin"}  # fmt: skip


def changes(text: str, path: str, rng: random.Random) -> Iterator[Mutant]:
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
    line_starts = [found.end() for found in re.finditer(r"\A|\n", text)]

    def mutant(kind: str, at: int, before: str, after: str) -> Mutant:
        line = sum(start <= at for start in line_starts)
        assert text[at : at + len(before)] == before, (before, text[at : at + 20])
        return Mutant(kind, path, line, at, before, after)

    for at, before, after, kind in word_changes(text, prose_of(text), random.Random(path)):
        yield mutant(kind, at, before, after)
    formulas = [m for m in _PIECES.finditer(text) if m["display"] or m["inline"]]
    symbols = sorted({s for m in formulas for _, s in _symbols(m[0])})
    spans = [m.span() for m in _PIECES.finditer(text) if m["code"] or m["inline"]]
    sizes = sorted({s for a, b in spans for s in re.findall(_LETTER, text[a:b])})
    end = 0
    for piece in [*_PIECES.finditer(text), None]:
        upto = piece.start() if piece else len(text)
        for at, before, after, kind in _numbers(text, end, upto, rng):
            yield mutant(kind, at, before, after)
        for at, before, after in _shapes(text, end, upto, sizes, rng):
            yield mutant(PROSE_SHAPE, at, before, after)
        if piece is None:
            return
        end = piece.end()
        if piece["front"]:
            summary = re.search(r"^summary:.*$", piece[0], re.MULTILINE)
            if summary:
                for at, before, after, kind in _numbers(text, *summary.span(), rng):
                    yield mutant(f"{kind} in a summary", at, before, after)
        elif piece["mark"] and piece["info"].split()[:1] == ["text"]:
            yield from (mutant("output", *c) for c in _outputs(text, *piece.span("body"), rng))
        elif piece["display"] or piece["inline"]:
            behind = text[end : end + 40].lstrip()
            if not behind.startswith("<!-- not run"):
                for at, before, after, kind in formula_changes(piece[0], symbols, rng):
                    yield mutant(kind, piece.start() + at, before, after)
                if not re.search(r"[=<>]|\\(?:approx|ne|le|ge|in)", piece[0]):
                    for at, before, after in _shapes(text, *piece.span(), sizes, rng):
                        yield mutant(PROSE_SHAPE, at, before, after)
        elif piece["code"]:
            for at, before, after in _shapes(text, *piece.span(), sizes, rng):
                yield mutant(PROSE_SHAPE, at, before, after)
        elif piece["wiki"] or piece["target"]:
            yield from (mutant("link", *change) for change in _links(piece, rng))


def prose_of(text: str) -> str:
    """Return a text with blanks for everything except prose and inline code."""

    def blank(piece: re.Match[str]) -> str:
        return piece[0] if piece["code"] else re.sub(r"[^\n]", "\ufffc", piece[0])

    return _PIECES.sub(blank, text)


def _outputs(text: str, start: int, end: int, rng: random.Random) -> Iterator[tuple[int, str, str]]:
    """Yield changes of an output: one digit of each number, one letter of each word."""
    for found in re.finditer(r"(?<![\w.])-?\d+\.?\d*(?![\w.])", text[start:end]):
        at = start + found.start() + _digit(found[0], rng)
        yield at, text[at], _other_digit(text[at], rng)
    for found in re.finditer(r"[A-Za-z]{3,}", text[start:end]):
        at = start + found.start() + rng.randrange(len(found[0]))
        yield at, text[at], "x" if text[at] != "x" else "y"


def _numbers(
    text: str, start: int, end: int, rng: random.Random
) -> Iterator[tuple[int, str, str, str]]:
    """Yield a changed digit in each number of a text that a check may notice, with its kind."""
    for found in _NUMBER.finditer(text, start, end):
        number = found[0].lstrip("-−")
        line = text.rfind("\n", 0, found.start()) + 1
        before = text[line : found.start()]
        if "." not in number and (len(number) < 2 or _YEAR.fullmatch(number)):
            continue
        if re.match(r"0\d", number) or re.search(r"(?<![\w.])0\d+-$", before):
            continue  # a name: *007*, *003-12*
        if _REFERENCE.search(before) or re.match(r"[>\s]*\d*$", before):
            continue  # a name, or the number of a list item
        if text[found.end() :].lstrip(" ).,;:").startswith("<!-- given"):
            continue
        kind = "decimal" if "." in number else "integer"
        for name, pattern in _PLACES.items():
            if re.match(pattern, before):
                kind += f" in {name}"
                break
        at = found.start() + _digit(found[0], rng)
        yield at, text[at], _other_digit(text[at], rng), kind


#: A size: a number, or a usual letter; and shapes of such sizes.
_LETTER = r"(?:[dn]_(?:\{\\text\{\w+\}\}|\w+)|[BHLNTdhmnst])(?!\w)"
_SIZE = rf"(?<!\w)(?:\d{{1,5}}(?!\w)|(?:\d{{1,5}} ?)?{_LETTER})"
_SHAPE = re.compile(
    rf"(?<![\w)\]([.])\((?:{_SIZE}, )+{_SIZE}\)"
    rf"|(?<![\w.,^(\\{{-]){_SIZE}(?:(?:\s?×\s?| by |\s?\\times\s){_SIZE})+(?!\.?\d|[\^_(])"
)
PROSE_SHAPE = "prose shape"


def _shapes(
    text: str, start: int, end: int, letters: list[str], rng: random.Random
) -> Iterator[tuple[int, str, str]]:
    """Yield mutants of a shape: two sizes exchanged, and one replaced."""
    for found in _SHAPE.finditer(text, start, end):
        sizes = list(re.compile(_SIZE).finditer(text, *found.span()))
        words = [size[0] for size in sizes]
        if found[0][0] == "(" and all(word.isdigit() and len(word) == 1 for word in words):
            continue  # a point, or an index
        line = text[text.rfind("\n", 0, start) + 1 : start]
        if re.fullmatch(r"[> ]*- ", line) or re.match(r"[`$ ,.]*<!-- given", text[found.end() :]):
            continue  # a wrong answer, or a given number
        for left, right in itertools.pairwise(sizes):
            if left[0] != right[0]:
                between = text[left.end() : right.start()]
                before = text[left.start() : right.end()]
                yield left.start(), before, right[0] + between + left[0]
                break
        size = rng.choice(sizes)
        if size[0].isdigit():
            at = size.start() + _digit(size[0], rng)
            yield at, text[at], _other_digit(text[at], rng)
        elif others := [letter for letter in letters if letter not in size[0]]:
            yield size.start(), size[0], rng.choice(others)


_PLACES = {
    "a heading": r"#+ ",
    "a table": r"[> ]*\|",
    "an alt text": r".*!\[[^\]]*$",
    "a caption": r"\*[^*]*$",
    "the words of a link": r".*(?<!!)\[[^\]]*$",
}


def _links(piece: re.Match[str], rng: random.Random) -> Iterator[tuple[int, str, str]]:
    """Yield a link with one letter of its target changed or removed."""
    target = re.match(r"!?\[\[#?([^\]|]*)|\(([^)\s]*)", piece[0])
    assert target
    group = 1 if target[1] is not None else 2
    if not target[group] or re.match(r"[a-z]+:", target[group]):
        return
    letters = [i for i in range(*target.span(group)) if piece[0][i].isalpha()]
    if letters:
        at = rng.choice(letters)
        letter = piece[0][at]
        yield piece.start() + at, letter, rng.choice(["", "x" if letter in "qQ" else "q"])


def formula_changes(
    tex: str, symbols: list[str], rng: random.Random
) -> Iterator[tuple[int, str, str, str]]:
    """Yield mutants of a formula: place, old text, new text, kind."""
    begin = re.search(r"\\in\b", tex)
    if begin and r"\mathbb{R}" in tex:
        sizes = [found.span() for found in re.finditer(r"(?<=\^)\{(?:[^{}]|\{[^{}]*\})*\}", tex)]
        for at, symbol in _symbols(tex):
            if any(start < at < end for start, end in sizes):
                others = [s for s in symbols if s != symbol and re.match(r"[dhmn]", s)]
                if others:
                    yield at, symbol, rng.choice(others), "shape"
                yield at, symbol, f"2 {symbol}", "shape"
        return
    relations = [
        found
        for found in re.finditer(r"\\(?:approx|neq?|leq?|geq?)(?![A-Za-z])|[=<>]", tex)
        if not _inside_index(tex, found.start())
    ]
    if not relations:
        return
    for found in relations:
        yield found.start(), found[0], _RELATIONS[found[0]], "relation"
    # A sign after the first relation changes only one side.
    at = relations[0].end()
    aligned = re.match(r"\s*&?\s*", tex[at:])
    at += aligned.end() if aligned else 0
    if at < len(tex) and tex[at] not in "-+$" and not re.match(r"0\s*(?:$|[$,;&\\}])", tex[at:]):
        yield at, "", "-", "sign"
        yield at, "", r"2 \cdot ", "factor"
    for found in re.finditer(r"\^\{?\\top\}?|\^T", tex):
        yield found.start(), found[0], "", "transposition"
    for found in re.finditer(r"(?<![{=(&^_,\s$])\s*([+-])", tex):
        yield found.start(1), found[1], "-" if found[1] == "+" else "+", "sign"
    for found in re.finditer(r"\^\{?(\d)\}?(?!\))", tex):
        yield found.start(1), found[1], "3" if found[1] == "2" else "2", "exponent"
    for found in re.finditer(r"\\sqrt(?=\{)", tex):
        yield found.start(), found[0], "", "root"
    for found in re.finditer(r"\\frac\{([^{}]+)\}\{([^{}]+)\}", tex):
        if found[1] != found[2]:
            yield found.start(), found[0], rf"\frac{{{found[2]}}}{{{found[1]}}}", "fraction"
    for found in re.finditer(r"\\[a-z]+(?![A-Za-z])", tex):
        if found[0] in _OTHER_FUNCTIONS:
            yield found.start(), found[0], _OTHER_FUNCTIONS[found[0]], "function"
    for found in re.finditer(r"_\{([a-z])([a-z])\}", tex):
        if found[1] != found[2]:
            yield found.start(1), found[1] + found[2], found[2] + found[1], "index"
    for found in re.finditer(r"_\{[a-z]\s*=\s*(\d)\}", tex):
        yield found.start(1), found[1], str(int(found[1]) + 1), "index"
    for found in re.finditer(r"(?<![\w^\\.{=])\d+(?:\.\d+)?(?![\w.])", tex):
        at = found.start() + _digit(found[0], rng)
        yield at, tex[at], _other_digit(tex[at], rng), "number in an equation"
    for at, symbol in _symbols(tex):
        others = [s for s in symbols if s != symbol]
        if others:
            yield at, symbol, rng.choice(others), "symbol"


def _inside_index(tex: str, at: int) -> bool:
    """Return whether a relation is in the subscript of a sum: a bound, not a statement."""
    depth = 0
    for character in reversed(tex[:at]):
        depth += (character == "}") - (character == "{")
        if depth < 0:
            return True
    return False


_SYMBOL = re.compile(
    r"\\text\{[^{}]+\}(?!\s*\()|\\(?:alpha|beta|gamma|delta|theta|mu|sigma|omega|tau)(?![A-Za-z])|"
    r"(?<![A-Za-z\\])[A-Za-z]_(?:\{\\text\{\w+\}\}|\{?[A-Z]\}?|k|v)(?![A-Za-z])|"
    r"(?<![A-Za-z\\_])(?<!_\{)[A-Za-z](?![A-Za-z_])"
)


def _symbols(tex: str) -> list[tuple[int, str]]:
    """Return the symbols of a formula that may be exchanged, with their positions."""
    names = re.compile(r"\\(?:operatorname\*?|mathrm|mathbb|begin|end)\s*\{[^{}]*\}")
    hidden = [range(*m.span()) for m in names.finditer(tex)]
    words = re.compile(r"\\text\{\s*(?:for|where|if|and|so|with|when|or)\b")
    return [
        (found.start(), found[0])
        for found in _SYMBOL.finditer(tex)
        if not any(found.start() in span for span in hidden)
        and not words.match(found[0])
        and found[0] not in ("i", "j", "T", "e")
    ]


def _digit(number: str, rng: random.Random) -> int:
    return rng.choice([i for i, c in enumerate(number) if c.isdigit()])


def _other_digit(digit: str, rng: random.Random) -> str:
    return rng.choice([d for d in "0123456789" if d != digit])
