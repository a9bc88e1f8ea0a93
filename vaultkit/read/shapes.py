"""Shapes stated in running text: ``(n, d_k)``, ``n × m``, *6 by 6*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vaultkit.read.quantities import CODE, END, LINK, Prose


@dataclass(frozen=True)
class Shape:
    """What may be the shape of an array.

    Attributes
    ----------
    line, column
        Where it stands.
    text
        As it is written.
    dims
        Its lengths: numbers, names, products of both.
    name
        The name right before it, as in ``Q is (n, d_k)``; it may be that of an array.
    called
        Whether the text calls it a shape, or what it is of a matrix.
    product
        Whether it is written with a sign of multiplication, and may be a product.
    given
        The note's reason why nothing backs it.
    """

    line: int
    column: int
    text: str
    dims: tuple[str, ...]
    name: str = ""
    called: bool = False
    product: bool = False
    #: Whether it stands alone, in a cell of a table or in code.
    alone: bool = False
    #: Whether the words before it speak of a transpose.
    turned: bool = False
    given: str = ""


_WORD = r"[A-Za-z]\w{0,15}"
_DIM = rf"(?:\d{{1,7}}|(?:\d{{1,4}}\s?)?{_WORD}(?:\s?[·*+×-]?\s?(?:\d{{1,4}}|{_WORD}))?)"
_TUPLE = re.compile(rf"(?<![\w(\[.{END}])\(\s?({_DIM}(?:\s?,\s?{_DIM})+)\s?,?\s?\)")
#: A length beside × or *by*: a number, one letter, or a name with an underscore.
_SIDE = rf"[{CODE}]?(?:\d{{1,6}}|[A-Za-z](?:_\w+)?|[a-z]+(?:_[a-z]+)+)[{END}]?"
_TIMES = re.compile(
    rf"(?<![\w.,^×*/])(?<![×+*/] )({_SIDE}(?:(?:\s?×\s?|\sx\s|(?<=\d)x(?=\d)|\sby\s){_SIDE})+)"
    r"(?![\w^=(/⁰-⁹¹²³⁻⁺]|\.\d|\s?[×*/^=+])"
)
_SEPARATOR = re.compile(r"\s?×\s?|\sx\s|(?<=\d)x(?=\d)|\sby\s")
#: Words behind which a pair of numbers is none: it is a place, an interval, a pair of numbers.
_PLACE = re.compile(
    r"(?i:\b(?:elements?|entry|entries|position|index|indices|cells?|points?|coordinates?|interval"
    r"|pairs?|between|range|axis|axes|at|seeds?|rows?|columns?|vectors?|numbers?|values?|lengths?"
    r"|keys?|query|queries|scores?|coefficients?|for|from|in|to|against|sides|arguments?|times|weights?)\s(?:the\s|of\s|is\s)?)$"
)
_SCALED = re.compile(r"(?i:\b(?:multipl\w+|divid\w+|increas\w+|grow\w*|scal\w+|shift\w*)\s)$")
_CALLED = re.compile(r"(?i:\b(?:shapes?|shaped|sizes?)\b[^.;]{0,12})$")
_OF = re.compile(rf"[{END}{LINK}]?\s(?:matrix|matrices|arrays?|tensors?|grids?|tables?)\b")
_LINKS = r"(?:\s?(?:is|has|have|was|of|the|shape|with|a|an|comes|as|out|then|here|now)\b\s?)*"
#: A name: in code or a formula, or one that is no word.
_NAME = (
    rf"(?:{CODE}[^{CODE}{END}]*?(?P<name>[A-Za-z]\w*(?:\.T|\s?\^\s?T|ᵀ)?(?:\.shape)?){END}"
    r"|(?P<symbol>\b(?:[A-Z]|\w+_\w+|[A-Z]\w?ᵀ)))"
)
_NAMED = re.compile(rf"{_NAME}(?:\s|:\s|\s?==?\s?){_LINKS}{CODE}?$")


_TURNED = re.compile(r"ᵀ|\^\s?T\b|\.T\b|[Tt]ranspos")


def shapes(prose: Prose) -> Iterator[Shape]:
    """Find what may be shapes in a piece of text."""
    text = prose.text
    for found in _TUPLE.finditer(text):
        before, behind = text[max(0, found.start() - 60) : found.start()], text[found.end() :]
        name = _NAMED.search(before)
        called = bool(_CALLED.search(before) or _OF.match(behind))
        plain = before.rstrip(CODE)
        shaped = bool(name and (name["name"] or "").endswith(".shape"))
        if not called and not shaped and _PLACE.search(plain):
            continue
        if _in_code(text, found.start()) and not re.search(
            rf"(?:{CODE}|\.shape\s?[=:]*\s?)$", before
        ):
            continue
        dims = tuple(part.strip() for part in found[1].split(","))
        listed = re.match(rf"[{END}]?(?:,| and| or)\s[{CODE}]?\(", behind)
        word = (name["name"] or name["symbol"]) if name and not listed else ""
        yield _shape(prose, found, dims, word, called, False)
    for found in _TIMES.finditer(text):
        before, behind = text[max(0, found.start() - 60) : found.start()], text[found.end() :]
        if " by " in found[0] and _SCALED.search(before):
            continue
        marks = str.maketrans("", "", CODE + END)
        dims = tuple(part.translate(marks).strip() for part in _SEPARATOR.split(found[1]))
        called = bool(_CALLED.search(before) or _OF.match(behind))
        name = _NAMED.search(before)
        word = (name["name"] or name["symbol"]) if name else ""
        yield _shape(prose, found, dims, word, called, True)


def _in_code(text: str, at: int) -> bool:
    return text.rfind(CODE, 0, at) > text.rfind(END, 0, at)


def _shape(
    prose: Prose,
    found: re.Match[str],
    dims: tuple[str, ...],
    name: str,
    called: bool,
    product: bool,
) -> Shape:
    reason = prose.reason_behind(prose.text, found.end())
    text = re.sub(rf"[{CODE}{END}{LINK}]", "", found[0]).strip()
    around = prose.text[: found.start()] + prose.text[found.end() :]
    closed = prose.text[found.start() - 1 : found.start()] == CODE
    alone = not re.sub(rf"[{CODE}{END}]", "", around).strip() or closed
    place = prose.place_of(found.start())
    before = prose.text[max(0, found.start() - 30) : found.start()]
    turned = bool(_TURNED.search(before))
    return Shape(*place, text, dims, name, called, product, alone, turned, reason)
