"""Shapes that running text states: ``(n, d_k)``, ``n × m``, *6 by 6*, *12-dimensional*.

The *subject* of a shape is the array that it is said of: *Q* in *Q is a 6 by 4 matrix*.
"""

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
    is_called_shape
        Whether the text calls it a shape, or calls its array a matrix.
    is_product
        Whether it is written with a multiplication sign or *by*, and may be a product.
    is_alone
        Whether there is nothing else in its table cell or code.
    is_transposed
        Whether the words before it mention a transpose.
    factors
        For the second factor of a product, the shape of the first one; for a product, those of
        both factors; for a first factor, an empty shape; empty for other shapes.
    given
        The note's reason why nothing backs it; empty if there is none.
    axis
        For a count, what is counted: ``rows``, ``columns``, ``entries``, ``axes`` or
        ``dimensions``; the subject may then be several arrays: ``Q, K``. Empty for a shape.
    word_before
        The word directly before brackets, which may name an array with as many axes.
    is_square
        Whether it is in words and without a subject: *square, four by four*.
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
    is_called_shape: bool = False
    is_product: bool = False
    is_alone: bool = False
    is_transposed: bool = False
    factors: tuple[tuple[str, ...], ...] = ()
    given: str = ""
    axis: str = ""
    word_before: str = ""
    is_square: bool = False
    code: str = ""
    code_at: tuple[int, int] = (0, 0)

    def is_said_of(self, line: int, column: int) -> bool:
        """Return whether a place is in the code whose shape is stated."""
        line_of_code, first = self.code_at
        is_within = line == line_of_code and first <= column < first + len(self.code)
        return bool(self.code) and is_within


_ENGLISH = lexicon()


def _compiled(template: str) -> re.Pattern[str]:
    return _ENGLISH.regex(template, re.NOFLAG)


#: Superscripts, and the characters that they stand for.
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹ˣⁿᵐᵈᵏᵛʰᵗᵇ"
_TO_LINE = str.maketrans(_SUPERSCRIPTS, "0123456789xnmdkvhtb")
#: *Q ∈*, before a space.
_MEMBER = re.compile(rf"(?P<subject>[A-Za-zα-ω]\w*)[{END}]?\s?∈\s?$")
_WORD = r"[A-Za-z]\w{0,15}"
#: A length: *6*, *n*, *2 d_k*, *n + 1*.
_DIM = rf"(?:\d{{1,7}}|(?:\d{{1,4}}\s?)?{_WORD}(?:\s?[·*+×-]?\s?(?:\d{{1,4}}|{_WORD}))?)"
#: *(6, 2)*, *(n,)*; and *[6, 2]*.
_TUPLE = re.compile(
    rf"(?<![\w(\[.{END}])\(\s?(?P<dims>{_DIM}(?:\s?,\s?{_DIM})+|{_DIM}(?=\s?,))\s?,?\s?\)"
)
_BRACKETS = re.compile(rf"\[\s?(?P<dims>{_DIM}(?:\s?,\s?{_DIM})+)\s?\]")
#: A length beside × or *by*: a number, a single letter, or a name with an underscore; in a formula
#: with nothing else, also a quotient or product of these.
_NAME_ = r"(?:[A-Za-z](?:_\w+)?|[a-z]+(?:_[a-z]+)+)"
_SIDE = rf"[{CODE}]?(?:\d{{1,6}}|(?i:{NUMERAL})|{_NAME_})[{END}]?"
_SIGN = _ENGLISH.expand(r"(?:\s?×\s?|\sx\s|(?<=\d)x(?=\d)|\s<roles.by>\s|[-‑]<roles.by>[-‑])")
#: *n × m*, *6 by 6*, *6x6*, outside of formulas; and code that is nothing else: *2 n × d / h*.
_TIMES = re.compile(
    rf"(?<![\w.,^×*/])(?<![×+*/] )(?P<dims>{_SIDE}(?:{_SIGN}{_SIDE})+)"
    r"(?![\w^=(/⁰-⁹¹²³⁻⁺]|\.\d|\s?[×*/^=+])"
)
_LONG_SIDE = rf"(?:\d{{1,4}}\s)?{_NAME_}(?:\s[/·]?\s?(?:\d{{1,4}}|{_NAME_}))?|\d{{1,6}}"
_LONG_TIMES = re.compile(
    rf"(?<={CODE})(?P<dims>(?:{_LONG_SIDE})(?:\s×\s(?:{_LONG_SIDE}))+)(?={END})"
)
_SEPARATOR = re.compile(_SIGN)
#: ℝ⁴ˣ³, ℝⁿ, ℝ^(4×3), ℝ^{n × d_k}: in Unicode, or after the mark of ``<sup>``.
_REAL = re.compile(
    rf"ℝ\s?(?:(?P<high>[{_SUPERSCRIPTS}]+)|\^\s?[({{]?(?P<dims>{_DIM}(?:{_SIGN}{_DIM})*))"
)
#: Words between a Python expression and its stated shape.
_COMES_TO = _compiled(
    rf"\s(?:<shapes.comes_to>\s(?:<shapes.adverbs>\s)?(?:<shapes.the_shape>\s)?){CODE}?"
)
_PART_OF = _compiled(r"\b<shapes.parts>\s(?:\w\s)?<roles.of_value>\s(?:<binding.article>\s)?$")
#: *12-dimensional* is the length of a last axis; of an array it would be the number of axes.
_DIMENSIONAL = _compiled(rf"(?<![\w.,]){_SIDE}[-‑]<counting.dimensional>\b(?!\s<shapes.of_axes>\b)")
_JOINED = r"\s(?:(?:<shapes.joining_value>)\s)?$"
#: Words before brackets that contain a place; and words before brackets that contain a vector.
_PLACE = _ENGLISH.regex(rf"\b<shapes.places>{_JOINED}")
_VECTOR = _ENGLISH.regex(rf"\b<shapes.vectors>{_JOINED}")
_SCALED = _ENGLISH.regex(r"\b<shapes.scaled>\s$")
#: *Its shape is*; and the same right before square brackets: *Size([6, 2])*.
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
#: The word before a bracket: *weights (*; and a cell with a word alone.
_WORD_BEFORE_BRACKET = re.compile(r"(?<![\w'’.-])(?P<word>[a-z]\w{2,})\s[(]$")
_ROW_WORD = re.compile(rf"\s*(?P<word>[A-Za-z]\w+)[{LINK}]?\s*")
_TRANSPOSED = _compiled(r"ᵀ|\^\s?T\b|\.T\b|(?i:<shapes.transposed>)")

#: *The product of an a × b and a b × c matrix is a × c*; *Q, n by d, times K, d by m, gives*.
_MULTIPLIES = _ENGLISH.regex(r"\b<shapes.multiplies>\b")
_NOUN = rf"{END}?(?:\s(?!(?:\d+|<shapes.counts>)\b)[\w*]+)"
_TIMES_WORD = _compiled(rf"{_NOUN}?{END}?[,;]?\s<shapes.times>\b")
_AND = _compiled(rf"{_NOUN}{{0,3}}{END}?,?\s<shapes.and_by>\b")
_GIVES = _compiled(r"\b<shapes.gives>\b")
_ELEMENTWISE = _ENGLISH.regex(r"<shapes.elementwise>")
_SENTENCE = re.compile(r"[.!?:](?:\s|$)")
#: Most characters of a sentence that are searched, and most before a shape; and those before it
#: that may have the word beside it, or a transpose.
_LONGEST, _BEFORE, _CLOSE_BEFORE = 400, 60, 30
_NO_MARKS = str.maketrans("", "", CODE + END + LINK)


class _Subject(NamedTuple):
    """The array that a shape is said of: as code or else as a word; or neither."""

    code: str = ""
    word: str = ""


@dataclass(frozen=True)
class _PossibleShape:
    """A match that may be a shape; see the attributes of the same names of `Shape`."""

    match: re.Match[str]
    dims: tuple[str, ...]
    subject: _Subject
    is_called_shape: bool
    is_product: bool = False


def stated_shapes(prose: Prose) -> Iterator[Shape]:
    """Yield the possible shapes in a piece of text, in its order."""
    text = prose.text
    products = list(_shapes_in_products(prose))
    shapes = [
        *_shapes_in_tuples(prose),
        *_shapes_in_lists(prose),
        *products,
        *_last_axis_lengths(prose),
        *_shapes_of_spaces(prose, {_start_without_mark(product.match) for product in products}),
    ]
    if not shapes:
        return
    shapes.sort(key=lambda shape: shape.match.start())
    factors = list(_factor_shapes(text, shapes))
    for index, following in enumerate(factors[1:]):
        if not factors[index] and len(following) == 1:  # a first factor
            factors[index] = ((),)
    for shape, factors_of_shape in zip(shapes, factors, strict=True):
        start, end = shape.match.span()
        code, begins = _expression_with_shape(text, start)
        around = text[:start] + text[end:]
        is_begin_of_code = text[start - 1 : start] == CODE
        word_before = _WORD_BEFORE_BRACKET.search(text, max(0, start - _CLOSE_BEFORE), start + 1)
        is_named = shape.is_called_shape or shape.subject.code
        yield Shape(
            *prose.place_of(start),
            shape.match[0].translate(_NO_MARKS).strip(),
            shape.dims,
            *shape.subject,
            shape.is_called_shape,
            shape.is_product,
            is_alone=is_begin_of_code or not re.sub(rf"[{CODE}{END}]", "", around).strip(),
            is_transposed=bool(_TRANSPOSED.search(text[max(0, start - _CLOSE_BEFORE) : start])),
            factors=factors_of_shape,
            word_before=word_before["word"] if word_before else "",
            code=code,
            code_at=prose.place_of(begins),
            # In words, a product without a name or *matrix* is read only where it is square.
            is_square=shape.is_product and not is_named and bool(_WORDS.match(shape.match[0])),
            given=prose.reason_behind(text, end),
        )


def _context(match: re.Match[str]) -> tuple[str, str]:
    """Return the text just before a match, and all of the text behind it."""
    text = match.string
    return text[max(0, match.start() - _BEFORE) : match.start()], text[match.end() :]


def _start_without_mark(match: re.Match[str]) -> int:
    """Return where a match begins, without the mark of code with which it may begin."""
    return match.start() + (match[0][:1] == CODE)


def _split_lengths(lengths: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in lengths.split(","))


def _shapes_in_tuples(prose: Prose) -> Iterator[_PossibleShape]:
    """Yield ``(6, 2)`` and ``(n, d_k)``, but for places and vectors by the words before them."""
    text = prose.text
    for match in _TUPLE.finditer(text) if "(" in text else ():
        before, behind = _context(match)
        is_called_shape = bool(_CALLED.search(before) or _OF.match(behind))
        has_names = re.search(r"[A-Za-z]", match["dims"])
        words_before = before.rstrip(CODE)
        is_other = _PLACE.search(words_before) or (not has_names and _VECTOR.search(words_before))
        if is_other and not is_called_shape and not _OF_SHAPE.search(before):
            continue
        # In the middle of code, brackets are the arguments of a call.
        begins_code = re.search(rf"(?:{CODE}|\.shape\s?[=:]*\s?)$", before)
        if _in_code(text, match.start()) and not begins_code:
            continue
        # *Q has (6, 2) or (2, 6)*: one of several is not said to be its shape.
        is_listed = _LISTED.match(behind)
        subject = _Subject() if is_listed else _subject(prose, before, behind)
        yield _PossibleShape(match, _split_lengths(match["dims"]), subject, is_called_shape)


def _shapes_in_lists(prose: Prose) -> Iterator[_PossibleShape]:
    """Yield ``[6, 2]`` after *shape* or *size*."""
    for match in _BRACKETS.finditer(prose.text):
        before, _ = _context(match)
        if _SHAPE_BEFORE.search(before.rstrip(CODE)):
            yield _PossibleShape(
                match,
                _split_lengths(match["dims"]),
                _subject(prose, before, ""),
                is_called_shape=True,
            )


def _shapes_in_products(prose: Prose) -> Iterator[_PossibleShape]:
    """Yield ``n × m`` and *6 by 6*; each place once, as a whole formula if it is one."""
    text = prose.text
    # Searching for multiplication signs is faster than trying each word as a length.
    if not _has_sign(text):
        return
    starts: set[int] = set()
    for match in (*_LONG_TIMES.finditer(text), *_TIMES.finditer(text)):
        before, behind = _context(match)
        start = _start_without_mark(match)
        is_factor = _BY.search(match[0]) and _SCALED.search(before)  # *scaled 2 by 3*
        if start in starts or is_factor:
            continue
        starts.add(start)
        dims = tuple(part.translate(_NO_MARKS).strip() for part in _SEPARATOR.split(match["dims"]))
        is_called_shape = bool(_CALLED.search(before) or _OF.match(behind))
        subject = _subject(prose, before, behind)
        if spelled := [dim for dim in dims if re.fullmatch(NUMERAL, dim.lower())]:
            # *Two by two* may be said of anything.
            is_said_of_array = is_called_shape or subject.code or _SQUARE.search(before)
            if "×" in match[0] or not is_said_of_array:
                continue
            dims = tuple(str(parse_numeral(dim)) if dim in spelled else dim for dim in dims)
        yield _PossibleShape(match, dims, subject, is_called_shape, is_product=True)


def _last_axis_lengths(prose: Prose) -> Iterator[_PossibleShape]:
    """Yield *12-dimensional*, the length of a last axis; *twelve-dimensional*, of a named array."""
    # Searching for the word is faster than for the pattern.
    if not any(word in prose.text for word in _ENGLISH.words["counting"]["dimensional"]):
        return
    for match in _DIMENSIONAL.finditer(prose.text):
        before, _ = _context(match)
        subject = _subject(prose, before, "")
        dim = re.sub(rf"[{CODE}{END}]|[-‑]\w+$", "", match[0])
        if re.fullmatch(NUMERAL, dim.lower()):
            if not subject.code:
                continue
            dim = str(parse_numeral(dim))
        yield _PossibleShape(match, (dim,), subject, is_called_shape=True)


def _shapes_of_spaces(prose: Prose, products: set[int]) -> Iterator[_PossibleShape]:
    """Yield the shapes of ``ℝⁿˣᵐ`` and the like, but those that were read as a product.

    ``products`` are the positions at which a product begins.
    """
    for match in _REAL.finditer(prose.text) if "ℝ" in prose.text else ():
        before, _ = _context(match)
        exponent = match["dims"] or match["high"].translate(_TO_LINE)
        dims = tuple(re.split(r"\s?[×x]\s?", exponent))
        if all(dims) and products.isdisjoint(range(*match.span())):
            if member := _MEMBER.search(before):
                subject = _Subject(product_as_code(member["subject"]))
            else:
                subject = _subject(prose, before, "")
            yield _PossibleShape(match, dims, subject, is_called_shape=True)


def _has_sign(text: str) -> bool:
    """Return whether a text has a multiplication sign or *by*."""
    may_have_sign = any(sign in text for sign in _ENGLISH.words["roles"]["lengths"])
    return may_have_sign and bool(_SEPARATOR.search(text))


def _in_code(text: str, at: int) -> bool:
    """Return whether a position of a text is between the marks of code."""
    return text.rfind(CODE, 0, at) > text.rfind(END, 0, at)


def _expression_with_shape(text: str, start: int) -> tuple[str, int]:
    """Return the expression before a shape that is said to have it, and where it begins.

    It is empty, at 0, if there is none: *`np.outer(x, x)` has shape (3, 3)* has one.
    """
    last = text.rfind(END, 0, start)
    first = text.rfind(CODE, 0, last) if last >= 0 else -1
    if first < 0 or not _COMES_TO.fullmatch(text, last + 1, start):
        return "", 0
    code = text[first + 1 : last].removesuffix(".shape")
    begins, ends = clause_span(text, first, start)
    if is_doubtful(text[begins:first], text[last + 1 : ends + 1]):
        return "", 0
    if _PART_OF.search(text, begins, first):  # *each row of `np.outer(x, x)`*
        return "", 0
    # A name alone is the subject of the shape, which is judged by its variable.
    is_computed = not code.isidentifier() and uses_names(code) and is_steady(code)
    return (code, first + 1) if is_computed else ("", 0)


def _subject(prose: Prose, before: str, behind: str) -> _Subject:
    """Return the subject of a shape: before it, after it, or in the first cell of its row.

    ``before`` and ``behind`` are the text before and behind the shape.
    """
    named = _OF_SHAPE.search(before) or _NAMED.search(before)
    if not named or _ARTICLE.search(before):  # *A 6 by 4 matrix* is none of an array *A*
        named = _BEHIND.match(behind)
    named = named or _ALSO.search(before) or _ROW.fullmatch(prose.row)
    if named:
        array = named["code"] or named["symbol"]
        if factor := _TIMES_BEFORE.search(named.string, 0, named.start()):
            array = f"{factor['code'] or factor['symbol']} {array}"
        return _Subject(code=product_as_code(array))
    word = _WORD_BEFORE.search(before) or _ROW_WORD.fullmatch(prose.row)
    return _Subject(word=word["word"]) if word else _Subject()


def product_as_code(text: str) -> str:
    """Return a name or a product of names as code; empty if the text is neither.

    >>> product_as_code("Q K^T"), product_as_code("α"), product_as_code("2 + x")
    ('Q @ K.T', 'alpha', '')
    """
    text = re.sub("[α-ω]", lambda letter: unicodedata.name(letter[0]).split()[-1].lower(), text)
    text = re.sub(r"ᵀ|\s?\^\s?T\b", ".T", text.strip().removesuffix(".shape"))
    text = re.sub("[₀-₉]", "", text)  # an index names one of several arrays
    text = re.sub(r"(?<=[\w\])])\s+(?=[A-Za-z])", " @ ", text)
    return text if re.fullmatch(r"[A-Za-z][\w.@\[\], :]*", text) else ""


def _factor_shapes(
    text: str, shapes: list[_PossibleShape]
) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield, for each shape, the shapes that it is a product of or multiplied by, if any.

    In *Q, 2 × 3, times K, 3 × 4, gives 2 × 4* these are: none, (2, 3), and both of the first two.
    """
    # In the sentence so far: the last shape, and the factors whose product is not yet named.
    last: tuple[str, ...] | None = None
    pair: tuple[tuple[str, ...], ...] = ()
    last_end, sentence_start = 0, 0
    for shape in shapes:
        start, end = shape.match.span()
        between = REASONS.sub("", text[last_end:start])
        if _SENTENCE.search(between):
            last, pair = None, ()
            sentence_start = last_end + max(stop.end() for stop in _SENTENCE.finditer(between))
        sentence_start = max(sentence_start, start - _LONGEST)
        factors: tuple[tuple[str, ...], ...] = ()
        if last is not None and not _ELEMENTWISE.search(text[sentence_start:start]):
            # *The product of an a × b and a b × c matrix.*
            is_second = not pair and _AND.match(between)
            is_second = is_second and _MULTIPLIES.search(text[sentence_start:last_end])
            if is_second or _TIMES_WORD.match(between):
                factors, pair = (last,), (last, shape.dims)
            elif pair and _GIVES.search(between):
                factors, pair = pair, ()
            else:
                pair = ()
        yield factors
        last, last_end = shape.dims, end
