"""Shapes that running text states: ``(n, d_k)``, ``n × m``, *6 by 6*, *12-dimensional*."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from vaultkit.claims.expressions import is_steady, uses_names
from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.numerals import NUMERAL, parse_numeral
from vaultkit.claims.suppositions import is_doubtful
from vaultkit.read.prose import CODE, END, LINK, REASONS, Prose
from vaultkit.read.sentences import clause_span


@dataclass(frozen=True)
class Shape:
    """A shape of an array that the text may state.

    Attributes
    ----------
    line, column
        Its position.
    text
        The shape as it is written.
    dims
        Its lengths: numbers, names, and products and quotients of both. For *12-dimensional*, the
        length of the last axis.
    subject
        The array whose shape it is, as an expression of code: ``Q``, ``Q @ K.T``.
    word
        The word before it, which may also be the name of an array.
    called
        Whether the text calls it a shape, or calls its array a matrix.
    product
        Whether it is written with a multiplication sign, and may be a product.
    alone
        Whether there is nothing else in its table cell or code.
    turned
        Whether the words before it mention a transpose.
    factors
        For the second factor of a product, the shape of the first one; for a product, those of
        both factors; for a first factor, an empty shape.
    given
        The note's reason why nothing backs it; empty if there is none.
    axis
        For a count, what is counted: ``rows``, ``columns``, ``entries``, ``axes`` or
        ``dimensions``; the subject may then be several arrays: ``Q, K``.
    beside
        The word directly before brackets, which may name an array with as many axes.
    square
        Whether it is written in words, and the text calls the array square.
    code
        The Python expression directly before it whose shape it is: ``np.outer(x, x)``.
    code_at
        Line and column of the beginning of that expression.
    """

    line: int
    column: int
    text: str
    dims: tuple[str, ...]
    subject: str = ""
    word: str = ""
    called: bool = False
    product: bool = False
    alone: bool = False
    turned: bool = False
    factors: tuple[tuple[str, ...], ...] = ()
    given: str = ""
    axis: str = ""
    beside: str = ""
    square: bool = False
    code: str = ""
    code_at: tuple[int, int] = (0, 0)

    def is_said_of(self, line: int, column: int) -> bool:
        """Return whether a place is in the code whose shape is stated."""
        own, first = self.code_at
        return bool(self.code) and line == own and first <= column < first + len(self.code)


_ENGLISH = lexicon()


def _compiled(template: str) -> re.Pattern[str]:
    return _ENGLISH.regex(template, re.NOFLAG)


#: Superscripts, and the characters that they stand for.
HIGH = "⁰¹²³⁴⁵⁶⁷⁸⁹ˣⁿᵐᵈᵏᵛʰᵗᵇ"
LOW = str.maketrans(HIGH, "0123456789xnmdkvhtb")
_MEMBER = re.compile(rf"([A-Za-zα-ω]\w*)[{END}]?\s?∈\s?$")
_WORD = r"[A-Za-z]\w{0,15}"
_DIM = rf"(?:\d{{1,7}}|(?:\d{{1,4}}\s?)?{_WORD}(?:\s?[·*+×-]?\s?(?:\d{{1,4}}|{_WORD}))?)"
_TUPLE = re.compile(rf"(?<![\w(\[.{END}])\(\s?({_DIM}(?:\s?,\s?{_DIM})+|{_DIM}(?=\s?,))\s?,?\s?\)")
_BRACKETS = re.compile(rf"\[\s?({_DIM}(?:\s?,\s?{_DIM})+)\s?\]")
#: A length beside × or *by*: a number, a single letter, or a name with an underscore; in a formula
#: with nothing else, also a quotient or product of these.
_NAME_ = r"(?:[A-Za-z](?:_\w+)?|[a-z]+(?:_[a-z]+)+)"
_SIDE = rf"[{CODE}]?(?:\d{{1,6}}|(?i:{NUMERAL})|{_NAME_})[{END}]?"
_SIGN = _ENGLISH.expand(r"(?:\s?×\s?|\sx\s|(?<=\d)x(?=\d)|\s<roles.by>\s|[-‑]<roles.by>[-‑])")
_TIMES = re.compile(
    rf"(?<![\w.,^×*/])(?<![×+*/] )({_SIDE}(?:{_SIGN}{_SIDE})+)"
    r"(?![\w^=(/⁰-⁹¹²³⁻⁺]|\.\d|\s?[×*/^=+])"
)
_LONG_SIDE = rf"(?:\d{{1,4}}\s)?{_NAME_}(?:\s[/·]?\s?(?:\d{{1,4}}|{_NAME_}))?|\d{{1,6}}"
_LONG_TIMES = re.compile(rf"(?<={CODE})((?:{_LONG_SIDE})(?:\s×\s(?:{_LONG_SIDE}))+)(?={END})")
_SEPARATOR = re.compile(_SIGN)
#: ℝ⁴ˣ³, ℝⁿ, ℝ^(4×3), ℝ^{n × d_k}: in Unicode, or after the mark of ``<sup>``.
_REAL = re.compile(rf"ℝ\s?(?:(?P<high>[{HIGH}]+)|\^\s?[({{]?(?P<dims>{_DIM}(?:{_SIGN}{_DIM})*))")
#: Words between a Python expression and its stated shape.
_COMES_TO = _compiled(
    rf"\s(?:<shapes.comes_to>\s(?:<shapes.adverbs>\s)?(?:<shapes.the_shape>\s)?){CODE}?"
)
_PART_OF = _compiled(r"\b<shapes.parts>\s(?:\w\s)?<roles.of_value>\s(?:<binding.article>\s)?$")
#: *12-dimensional* is the length of a last axis; of an array it would be the number of axes.
_WIDE = _compiled(rf"(?<![\w.,]){_SIDE}[-‑]<counting.dimensional>\b(?!\s<shapes.of_axes>\b)")
_JOINED = r"\s(?:(?:<shapes.joining_value>)\s)?$"
#: Words before brackets that contain a place; and words before brackets that contain a vector.
_PLACE = _ENGLISH.regex(rf"\b<shapes.places>{_JOINED}")
_VECTOR = _ENGLISH.regex(rf"\b<shapes.vectors>{_JOINED}")
_SCALED = _ENGLISH.regex(r"\b<shapes.scaled>\s$")
_CALLED = _ENGLISH.regex(r"\b<shapes.shape>\b[^.;]{0,12}$")
_SHAPE_BEFORE = _compiled(r"(?:\b<shapes.shape>\s(?:<shapes.is_or_of>\s)?|Size\()$")
_LISTED = _compiled(rf"[{END}]?(?:,|\s<shapes.and_or>)\s[{CODE}]?\(")
_BY = _compiled(r"\s<roles.by>\s")
_WORDS = re.compile(NUMERAL, re.IGNORECASE)
_SQUARE = _ENGLISH.regex(r"\b<shapes.square>\b[^.;:?!]{0,30}$")
_OF = _compiled(rf"[{END}{LINK}]?\s<shapes.arrays>\b")

#: Words between a thing and its shape, but not *becomes*, since it may have had another one before:
#: *is*, *, of shape*, *transposed has the shape*.
_LINKS = r"(?:,?\s<shapes.links>\b)*,?:?\s?(?:∈\s?)?(?:ℝ\^?)?[({]?"
_IN_CODE = rf"{CODE}(?P<code>[^{CODE}{END}]+){END}"
_SYMBOL = r"(?<![\w'’.^])(?P<symbol>[A-Z]|[A-Za-z]\w*_\w+|[A-Z]\w?(?:ᵀ|\^T)|[α-ω])"
_OF_SHAPE = re.compile(rf"{CODE}(?P<code>[^{CODE}{END}]+)(?P<symbol>\.shape)\s?[=:]*\s?$")
_NAMED = _compiled(rf"(?:{_IN_CODE}|{_SYMBOL}){_LINKS}{CODE}?$")
#: *Q times Kᵀ* is a product.
_TIMES_BEFORE = _compiled(rf"(?:{_IN_CODE}|{_SYMBOL})\s(?:<shapes.times>|@|·)\s$")
#: *The mask* may be an array with that name in the code, *a mask* may not.
_WORD_BEFORE = _compiled(
    rf"(?<![\w'’.^])(?<!\b[Aa]\s)(?<!\b[Aa]n\s)(?P<word>[a-z]\w{{2,}})"
    rf"(?=\s<shapes.has_shape>\b){_LINKS}{CODE}?$"
)
_ARTICLE = re.compile(rf"(?<![\w'’.])[AI]\s{CODE}?$")
#: *Q has four rows, and is four by three*: the subject is before *and*.
_ALSO = _compiled(
    rf"(?:{_IN_CODE}|{_SYMBOL})\s<shapes.verbs>\b[^.;:?!{CODE}{END}]{{0,60}},?\s<clauses.joining>\s"
    rf"<shapes.is_shape>\s(?:<counting.article>\s)?{CODE}?$"
)
#: After a shape: *6 by 4 matrix Q*, *n × n weights W*.
_BEHIND = _compiled(
    rf"{END}?\s(?!<shapes.no_noun>\b)[a-z]+(?:\s{_IN_CODE}|\s(?P<symbol>[A-Z]|[A-Za-z]\w*_\w+))(?!\w)"
)
#: A cell that names the array of its row: *Q*, *queries Q*, but not *times Q*.
_ROW = _compiled(
    rf"(?!.*\b(?i:<shapes.between_arrays>)\b)[\w\s{LINK}]*?(?:{_IN_CODE}|{_SYMBOL})\s*"
)
_BESIDE = re.compile(r"(?<![\w'’.-])(?P<word>[a-z]\w{2,})\s[(]$")
_ROW_WORD = re.compile(rf"\s*(?P<word>[A-Za-z]\w+)[{LINK}]?\s*")
_TURNED = _compiled(r"ᵀ|\^\s?T\b|\.T\b|(?i:<shapes.transposed>)")

#: *The product of an a × b and a b × c matrix is a × c*; *Q, n by d, times K, d by m, gives*.
_MULTIPLIES = _ENGLISH.regex(r"\b<shapes.multiplies>\b")
_NOUN = rf"{END}?(?:\s(?!(?:\d+|<shapes.counts>)\b)[\w*]+)"
_TIMES_WORD = _compiled(rf"{_NOUN}?{END}?[,;]?\s<shapes.times>\b")
_AND = _compiled(rf"{_NOUN}{{0,3}}{END}?,?\s<shapes.and_by>\b")
_GIVES = _compiled(r"\b<shapes.gives>\b")
_ELEMENTWISE = _ENGLISH.regex(r"<shapes.elementwise>")
_SENTENCE = re.compile(r"[.!?:](?:\s|$)")
#: Most characters of a sentence that are searched, and most before a shape.
_LONGEST, _BEFORE = 400, 60


class _Subject(NamedTuple):
    """The array that a shape is said of: as an expression of code, or else as a word."""

    code: str = ""
    word: str = ""


@dataclass(frozen=True)
class _PossibleShape:
    """A match that may be a shape, with its lengths and the array that it is said of.

    ``subject`` is the array as code and as a word, ``called`` whether the text calls it a shape,
    and ``product`` whether it is written with × or *by*.
    """

    match: re.Match[str]
    dims: tuple[str, ...]
    subject: _Subject
    called: bool
    product: bool = False


def stated_shapes(prose: Prose) -> Iterator[Shape]:
    """Yield the possible shapes in a piece of text, in its order."""
    text = prose.text
    products = list(_shapes_in_products(prose))
    taken = {product.match.start() + (text[product.match.start()] == CODE) for product in products}
    found = [
        *_shapes_in_tuples(prose),
        *_shapes_in_lists(prose),
        *products,
        *_last_axis_lengths(prose),
        *_shapes_of_spaces(prose, taken),
    ]
    if not found:
        return
    found.sort(key=lambda one: one.match.start())
    factors = list(_factor_shapes(text, [(one.match.span(), one.dims) for one in found]))
    for index, of in enumerate(factors[1:]):
        factors[index] = factors[index] or (((),) if len(of) == 1 else ())
    for one, of in zip(found, factors, strict=True):
        start, end = one.match.span()
        code, begins = _expression_with_shape(text, start)
        around = text[:start] + text[end:]
        closed = text[start - 1 : start] == CODE
        beside = _BESIDE.search(text, max(0, start - 30), start + 1)
        is_named = one.called or one.subject.code
        yield Shape(
            *prose.place_of(start),
            re.sub(rf"[{CODE}{END}{LINK}]", "", one.match[0]).strip(),
            one.dims,
            *one.subject,
            one.called,
            one.product,
            alone=not re.sub(rf"[{CODE}{END}]", "", around).strip() or closed,
            turned=bool(_TURNED.search(text[max(0, start - 30) : start])),
            factors=of,
            beside=beside["word"] if beside else "",
            code=code,
            code_at=prose.place_of(begins),
            square=one.product and not is_named and bool(_WORDS.match(one.match[0])),
            given=prose.reason_behind(text, end),
        )


def _context(match: re.Match[str]) -> tuple[str, str]:
    """Return the text just before a match, and all of the text behind it."""
    text = match.string
    return text[max(0, match.start() - _BEFORE) : match.start()], text[match.end() :]


def _split_lengths(lengths: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in lengths.split(","))


def _shapes_in_tuples(prose: Prose) -> Iterator[_PossibleShape]:
    """Yield ``(6, 2)`` and ``(n, d_k)``, but for places and vectors by the words before them."""
    text = prose.text
    for match in _TUPLE.finditer(text) if "(" in text else ():
        before, behind = _context(match)
        called = bool(_CALLED.search(before) or _OF.match(behind))
        words = re.search(r"[A-Za-z]", match[1])
        near = before.rstrip(CODE)
        no_shape = _PLACE.search(near) or (not words and _VECTOR.search(near))
        if not called and not _OF_SHAPE.search(before) and no_shape:
            continue
        if _in_code(text, match.start()) and not re.search(
            rf"(?:{CODE}|\.shape\s?[=:]*\s?)$", before
        ):
            continue
        listed = _LISTED.match(behind)
        subject = _Subject() if listed else _subject(prose, before, behind)
        yield _PossibleShape(match, _split_lengths(match[1]), subject, called)


def _shapes_in_lists(prose: Prose) -> Iterator[_PossibleShape]:
    """Yield ``[6, 2]`` after *shape* or *size*."""
    for match in _BRACKETS.finditer(prose.text):
        before, _ = _context(match)
        if _SHAPE_BEFORE.search(before.rstrip(CODE)):
            yield _PossibleShape(match, _split_lengths(match[1]), _subject(prose, before, ""), True)


def _shapes_in_products(prose: Prose) -> Iterator[_PossibleShape]:
    """Yield ``n × m`` and *6 by 6*; each place once, as a whole formula if it is one."""
    text = prose.text
    # Searching for multiplication signs is faster than trying each word as a length.
    if not _has_sign(text):
        return
    taken: set[int] = set()
    for match in (*_LONG_TIMES.finditer(text), *_TIMES.finditer(text)):
        before, behind = _context(match)
        first = match.start() + (text[match.start()] == CODE)
        if first in taken or (_BY.search(match[0]) and _SCALED.search(before)):
            continue
        taken.add(first)
        marks = str.maketrans("", "", CODE + END)
        dims = tuple(part.translate(marks).strip() for part in _SEPARATOR.split(match[1]))
        called = bool(_CALLED.search(before) or _OF.match(behind))
        subject = _subject(prose, before, behind)
        if spelled := [dim for dim in dims if re.fullmatch(NUMERAL, dim.lower())]:
            # *Two by two* may be said of anything.
            if "×" in match[0] or not (called or subject.code or _SQUARE.search(before)):
                continue
            dims = tuple(str(parse_numeral(dim)) if dim in spelled else dim for dim in dims)
        yield _PossibleShape(match, dims, subject, called, product=True)


def _has_width(text: str) -> bool:
    """Return whether a text may have *12-dimensional*, which is faster to ask than to find."""
    return any(word in text for word in _ENGLISH.words["counting"]["dimensional"])


def _last_axis_lengths(prose: Prose) -> Iterator[_PossibleShape]:
    """Yield *12-dimensional*, the length of a last axis."""
    for match in _WIDE.finditer(prose.text) if _has_width(prose.text) else ():
        before, _ = _context(match)
        subject = _subject(prose, before, "")
        dim = re.sub(rf"[{CODE}{END}]|[-‑]\w+$", "", match[0])
        if re.fullmatch(NUMERAL, dim.lower()):
            if not subject.code:
                continue
            dim = str(parse_numeral(dim))
        yield _PossibleShape(match, (dim,), subject, True)


def _shapes_of_spaces(prose: Prose, taken: set[int]) -> Iterator[_PossibleShape]:
    """Yield the shapes of ``ℝⁿˣᵐ`` and the like, unless a product at one of ``taken`` is in it."""
    for match in _REAL.finditer(prose.text) if "ℝ" in prose.text else ():
        before, _ = _context(match)
        dims = tuple(re.split(r"\s?[×x]\s?", (match["dims"] or match["high"].translate(LOW))))
        if all(dims) and not taken.intersection(range(*match.span())):
            member = _MEMBER.search(before)
            subject = (
                _Subject(product_as_code(member[1])) if member else _subject(prose, before, "")
            )
            yield _PossibleShape(match, dims, subject, True)


def _has_sign(text: str) -> bool:
    may_have_sign = any(sign in text for sign in _ENGLISH.words["roles"]["lengths"])
    return may_have_sign and bool(_SEPARATOR.search(text))


def _in_code(text: str, at: int) -> bool:
    return text.rfind(CODE, 0, at) > text.rfind(END, 0, at)


def _expression_with_shape(text: str, start: int) -> tuple[str, int]:
    """Return the expression before a shape that is said to have it, and where it begins."""
    last = text.rfind(END, 0, start)
    first = text.rfind(CODE, 0, last) if last >= 0 else -1
    if first < 0 or not _COMES_TO.fullmatch(text, last + 1, start):
        return "", 0
    code = text[first + 1 : last].removesuffix(".shape")
    begins, ends = clause_span(text, first, start)
    doubtful = is_doubtful(text[begins:first], text[last + 1 : ends + 1])
    if doubtful or _PART_OF.search(text, begins, first):
        return "", 0
    named = code.isidentifier() or not uses_names(code)
    return ("", 0) if named or not is_steady(code) else (code, first + 1)


def _subject(prose: Prose, before: str, behind: str) -> _Subject:
    """Return the subject of a shape: before it, after it, or in the first cell of its row."""
    named = _OF_SHAPE.search(before) or _NAMED.search(before)
    if not named or _ARTICLE.search(before):
        named = _BEHIND.match(behind)
    named = named or _ALSO.search(before) or _ROW.fullmatch(prose.row)
    if named:
        thing = named["code"] or named["symbol"]
        if factor := _TIMES_BEFORE.search(named.string, 0, named.start()):
            thing = f"{factor['code'] or factor['symbol']} {thing}"
        return _Subject(code=product_as_code(thing))
    word = _WORD_BEFORE.search(before) or _ROW_WORD.fullmatch(prose.row)
    return _Subject(word=word["word"]) if word else _Subject()


def product_as_code(text: str) -> str:
    """Return a name or a product of names as code; empty if the text is neither.

    >>> product_as_code("Q K^T"), product_as_code("α"), product_as_code("2 + x")
    ('Q @ K.T', 'alpha', '')
    """
    text = re.sub("[α-ω]", lambda found: unicodedata.name(found[0]).split()[-1].lower(), text)
    text = re.sub(r"ᵀ|\s?\^\s?T\b", ".T", text.strip().removesuffix(".shape"))
    text = re.sub("[₀-₉]", "", text)  # an index names one of several arrays
    text = re.sub(r"(?<=[\w\])])\s+(?=[A-Za-z])", " @ ", text)
    return text if re.fullmatch(r"[A-Za-z][\w.@\[\], :]*", text) else ""


def _factor_shapes(
    text: str, found: list[tuple[tuple[int, int], tuple[str, ...]]]
) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield, for each shape, the shapes that it is a product of or multiplied by, if any.

    In *Q, 2 × 3, times K, 3 × 4, gives 2 × 4* these are: none, (2, 3), and both of the first two.
    """
    # The shapes of the sentence so far: the last one, and the pair of the last product.
    last: tuple[str, ...] | None = None
    pair: tuple[tuple[str, ...], ...] = ()
    ends, begins = 0, 0
    for (start, end), dims in found:
        between = REASONS.sub("", text[ends:start])
        if _SENTENCE.search(between):
            last, pair = None, ()
            begins = ends + max(m.end() for m in _SENTENCE.finditer(between))
        begins = max(begins, start - _LONGEST)
        sentence = text[begins:start]
        factors: tuple[tuple[str, ...], ...] = ()
        if last is not None and not _ELEMENTWISE.search(sentence):
            joined = not pair and _MULTIPLIES.search(text[begins:ends]) and _AND.match(between)
            if joined or _TIMES_WORD.match(between):
                factors, pair = (last,), (last, dims)
            elif len(pair) == 2 and _GIVES.search(between):
                factors, pair = pair, ()
            else:
                pair = ()
        yield factors
        last, ends = dims, end
