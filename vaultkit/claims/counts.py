"""Lengths of arrays that the text counts in words: *Q has 4 rows*, *the three columns of K*.

Each count is a `Shape` with one dimension, along the axis that is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.numerals import NUMERAL, parse_numeral
from vaultkit.claims.shapes import Shape, product_as_code
from vaultkit.claims.suppositions import supposition_pattern
from vaultkit.read.prose import CODE, END, LINK, REASONS, Prose
from vaultkit.read.sentences import clause_span

_ENGLISH = lexicon()
#: Nouns that are counted, with the axis of an array along which they are.
_AXES = {noun: axis for axis, nouns in _ENGLISH.words["counted"].items() for noun in nouns}
_AXES |= dict.fromkeys(_ENGLISH.words["counting"]["dimensional"], "axes")
_OTHER_AXIS = {"rows": "columns", "columns": "rows"}
_NOUN = _ENGLISH.pattern("counted")
#: A number in digits or in words, or a name; the name of a size begins with a small letter.
_NUMBER = rf"(?:\d{{1,5}}|(?i:{NUMERAL})|{CODE}[A-Za-z]\w*{END}|[A-Za-z]+_\w+)"
_SIZE = rf"(?:\d{{1,5}}|(?i:{NUMERAL})|{CODE}[a-z]\w*{END}|[a-z]+_\w+)"
#: Most characters before a count in which a word such as *first* may be.
_CLOSE_BEFORE = 30
_NO_MARKS = str.maketrans("", "", CODE + END + LINK)


def _compiled(template: str) -> re.Pattern[str]:
    return _ENGLISH.regex(template, re.NOFLAG)


#: A word of a count; text without any of these contains no count.
_ANY = _compiled(
    rf"(?:\d|\b(?i:{NUMERAL})|{END}|_\w+)\s{_NOUN}\b|\b<counting.number_of>\b|[-‑]<counting.dimensional>\b"
)
#: Every match contains one of these; searching for them first is faster.
_NOUNS = (*_AXES, *_ENGLISH.words["counting"]["length"])
_COUNT = rf"(?P<number>{_NUMBER})\s(?P<noun>{_NOUN})"
#: An array, as code or as a name: *Q*, *Kᵀ*, *scores*.
_THING = rf"(?:{CODE}[^{CODE}{END}]{{1,40}}{END}|(?<![\w'’.^-])[A-Za-zα-ω]\w{{0,20}}(?:ᵀ|\^\s?T)?)"
#: The end of a count; after *two rows that …*, only some of the rows are counted.
_ENDS = rf"(?=[{LINK}]?(?:[.,;:!?)]|\s?$|\s\(|\s<counting.next_clause>\b|{REASONS.pattern}))"
_SAYS = rf"(?=[{LINK}]?(?:[.,;:!?)]|\s?$|\s<counting.verbs_behind>\b))"
#: *of two numbers each*, after rows or columns.
_OF = (
    rf"\s<counting.of>\s(?P<number>{_NUMBER})(?:\s(?P<noun>{_NOUN}))?(?:\s<counting.each>)?{_ENDS}"
)
_EACH_OF = _compiled(_OF)
_BOTH_WAYS = rf"(?={re.sub(r'[?]P<[a-z]+>', '?:', _OF)})"
_HOW = r"(?:\s<counting.adverbs>)*"
_THINGS = rf"(?P<things>(?:{_THING}(?:,\s{_THING}){{0,8}},?\s<clauses.joining>\s)?{_THING})"
#: *Q has 4 rows*, *Q and K have 4 rows*, *Q is a matrix with 4 rows*.
_HAS = _compiled(
    rf"{_THINGS},?{_HOW}\s(?:<counting.has>|<counting.with_all>"
    rf"|<counting.is>\s<counting.any_array>\s<counting.of>){_HOW}\s{_COUNT}(?:{_ENDS}|{_BOTH_WAYS})"
)
#: *Q, six rows of two numbers*: a count of both axes, which describes the whole array.
_IS = _compiled(
    rf"{_THINGS}(?:\s<counting.transposed>)?[,:]\s(?P<number>{_NUMBER})\s(?P<noun><counting.lines>){_BOTH_WAYS}"
)
#: *Q (4 rows, 3 columns)*.
_BRACKETS = _compiled(rf"{_THINGS}\s\({_COUNT}{_ENDS}")
#: *The matrix Q of 4 rows and 3 columns*.
_OF_SIZE = _compiled(
    rf"\b<counting.arrays>\s(?P<things>{_THING}),?\s<counting.of>\s{_COUNT}"
    rf"(?:{_ENDS}|(?=\s<clauses.joining>\s(?:{_NUMBER})\s<counting.lines>\b)|{_BOTH_WAYS})"
)
#: *Q's four rows*, *the number of rows of Q is 4*, *there are 4 rows in Q*.
_OWN = _compiled(rf"(?P<things>{_THING})['’]s\s{_COUNT}{_SAYS}")
_NUMBER_OF = _compiled(
    rf"\b<counting.the_number>\s(?P<noun>{_NOUN})\s<counting.within>\s(?:<binding.article>\s)?(?P<things>{_THING})"
    rf"\s<counting.is>\s(?P<number>{_NUMBER}){_ENDS}"
)
_THERE = _compiled(rf"\b<counting.are>\s{_COUNT}\s<counting.within>\s(?P<things>{_THING}){_ENDS}")
#: *Four rows and three columns in Q*: two counts of one array.
_AND_ALSO = _compiled(rf"\s<clauses.joining>\s{_COUNT}\b")
_NOT_BEHIND = "".join(rf"(?<!{word}\s)" for word in _ENGLISH.words["counting"]["some_of"])
_BOTH_IN = _compiled(
    rf"(?<![\w.-]){_NOT_BEHIND}{_COUNT}"
    rf"(?=\s<clauses.joining>\s{_NUMBER}\s<counting.lines>\s<counting.within>\s(?P<things>{_THING}){_ENDS})"
)
#: *The four rows of Q are*, *all 6 columns of K*.
_THE = _compiled(
    rf"\b(?i:<counting.the_or_all>)\s{_COUNT}\s<roles.of_value>\s(?:<binding.article>\s)?(?:<counting.arrays>\s)?"
    rf"(?P<things>{_THING}){_SAYS}"
)
#: *H is a 4-dimensional array*.
_DIMENSIONAL = _compiled(
    rf"{_THINGS}\s<counting.is>\s(?:<counting.article>\s)?(?P<number>\d|{NUMERAL})[-‑]"
    r"(?P<noun><counting.dimensional>)\s<counting.arrays>\b"
)
#: *Six rows and 64 columns*, *six rows of two numbers*: counts of an array without a name.
_TABLE = _compiled(
    rf"(?<![\w.,-])(?P<number>{_SIZE})\s(?P<noun><counting.lines>)"
    rf"(?:(?:,|\s<counting.and_or_by>)\s(?P<other>{_SIZE})\s<counting.lines>\b"
    rf"|\s<roles.of_value>\s(?P<each>{_SIZE})(?:\s<counted.entries>)?(?:\s<counting.each>)?{_ENDS})"
)
#: *A vector of three numbers*, *rows of length 2*, *keys are three numbers wide*.
_VECTOR = _compiled(
    rf"\b<counting.vectors>\s<roles.of_value>\s(?:(?P<number>{_SIZE})\s<counted.entries>"
    rf"|(?P<long><counting.length>\s(?P<length>{_SIZE})))(?!\w|\.\d)"
    rf"|\b<counting.is>{_HOW}\s(?P<width>{_SIZE})\s<counting.wide>\b"
)
#: *A key in this head has two numbers*: a count of something without a name, which may be anything.
_SOMETHING = _compiled(
    r"\b(?!(?:[A-Za-z’'-]+\s){0,4}?<counting.parts>\s)"
    r"(?:(?i:<counting.determiners>)(?:\s[a-z][a-z’'-]+){0,4}|(?i:<counting.pronouns>)|[A-Za-z][a-z]+s)"
    rf"\s<counting.has>{_HOW}\s(?P<number>{_NUMBER})\s(?P<noun><counting.of_anything>)(?:{_ENDS}|{_BOTH_WAYS})"
)
#: A subject that is a word; it names an array only if the code has an array of that name.
_WORD = re.compile(r"[A-Za-z][a-z]+(?:, [A-Za-z][a-z]+)*")
#: Words before a count of only a part of the rows or columns.
_SOME = _compiled(r"(?i:\b<counting.some_of>\s(?:<roles.of_value>\s)?(?:<binding.article>\s)?)$")
_NEXT = _compiled(rf"(?:,|,?\s<clauses.joining>)\s{_COUNT}{_ENDS}")
#: *Q has four rows, and each row has three entries*.
_EACH = _compiled(
    rf"\b<counting.each>\s(?:(?P<row><counted.rows>)|<counted.columns>)\s<counting.has>\s{_COUNT}{_ENDS}"
)
#: Words that make a part or the transpose of the following thing the subject.
_PART = _compiled(
    r"\b(?:(?P<row><counted.rows>)|(?P<column><counted.columns>)|<counting.transpose>)\s(?:\w\s)?"
    r"<roles.of_value>\s(?:<binding.article>\s)?(?:<counting.arrays>\s)?$"
)
_TRANSPOSED = _compiled(r"\s<counting.transposed>")
#: Words after which a thing is not the subject of the count.
_ASIDE = _compiled(r"\b<counting.before_other>\s(?:<binding.article>\s)?$")
#: Words by which a count is not stated: conditions, questions, denials.
_SUPPOSED = supposition_pattern(*_ENGLISH.words["counting"]["supposed"])
_PATTERNS = (
    _HAS, _IS, _BRACKETS, _OF_SIZE, _OWN, _NUMBER_OF, _THERE, _BOTH_IN, _THE, _DIMENSIONAL,
)  # fmt: skip
#: Those in which the array is named behind *of* or *in*.
_ARRAY_BEHIND = (_THE, _NUMBER_OF, _THERE, _BOTH_IN)


def stated_counts(prose: Prose) -> Iterator[Shape]:
    """Yield the numbers of rows, columns or entries that a piece of text states."""
    if not any(noun in prose.text for noun in _NOUNS) or not _ANY.search(prose.text):
        return
    subjects: dict[tuple[int, int], list[str]] = {}
    for shape in _counts_of_arrays(prose):
        subjects.setdefault((shape.line, shape.column), []).append(shape.subject)
        yield shape
    yield from _counts_without_name(prose, subjects)


def _counts_without_name(
    prose: Prose, subjects: Mapping[tuple[int, int], list[str]]
) -> Iterator[Shape]:
    """Yield the counts of arrays without a name: *a vector of three numbers*.

    ``subjects`` are those of the counts at each place that were read as counts of named arrays. If
    such a subject is a mere word, it may be no array, so that the count is read here as well.
    """
    text = prose.text
    for pattern in (_TABLE, _VECTOR, _SOMETHING):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            number = next(n for n in ("number", "length", "width") if groups.get(n))
            start = match.start("long" if number == "length" else number)
            place = prose.place_of(start)
            words = subjects.get(place, [])
            if not all(map(_WORD.fullmatch, words)) or not _is_stated(match):
                continue
            if _SOME.search(text[max(0, match.start() - _CLOSE_BEFORE) : match.start()]):
                continue
            dims, axis = [match[number]], "columns"
            if pattern is _SOMETHING:
                axis = _AXES[match["noun"]]
            elif pattern is _TABLE:  # the whole shape
                dims, axis = [match[number], match["other"] or match["each"]], ""
                if _AXES[match["noun"]] == "columns":
                    dims.reverse()
            lengths = tuple(map(_length, dims))
            if lengths == ("1",):
                continue  # *of length 1* is often a norm
            end = match.end("noun" if pattern is _SOMETHING else 0)
            yield Shape(
                *place,
                text[start:end].translate(_NO_MARKS).strip(),
                lengths,
                word=words[0] if words else "",
                axis=axis,
                is_called_shape=not axis,
                given=prose.reason_behind(text, match.end()),
            )


def _counts_of_arrays(prose: Prose) -> Iterator[Shape]:
    """Yield the counts of named arrays: *Q has 4 rows*, *the transpose of Q has 3 rows*."""
    text = prose.text
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if not _is_stated(match):
                continue
            begins, ends = clause_span(text, match.start(), match.start())
            before = text[begins : match.start()]
            # *Each row of Q* and *the transpose of Q* are not Q itself.
            part = _PART.search(before)
            if not part and pattern not in _ARRAY_BEHIND and _ASIDE.search(before):
                continue
            line = ("row" if part["row"] else "column" if part["column"] else "") if part else ""
            is_transposed = bool(_TRANSPOSED.search(text, match.start(), match.start("number")))
            is_transposed |= bool(part and not line)
            things = re.findall(_THING, match["things"])
            subject = ", ".join(product_as_code(thing.strip(CODE + END)) for thing in things)
            if not subject:
                continue
            for count, counted in _joined_counts(match, pattern):
                if axis := _axis(counted, "" if is_transposed else line):
                    yield _shape(prose, count, subject, axis, is_transposed)
            if pattern is _HAS and not part:
                for each in _EACH.finditer(text, match.end(), ends):
                    axis = "columns" if each["row"] else "rows"
                    yield _shape(prose, each, subject, axis, is_transposed)


def _is_stated(match: re.Match[str]) -> bool:
    """Return whether a count is stated, not supposed, denied or asked for."""
    text, start = match.string, match.start()
    begins, ends = clause_span(text, start, start)
    return not _SUPPOSED.search(text, begins, start) and text[ends : ends + 1] != "?"


def _joined_counts(
    first: re.Match[str], pattern: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the first count and those joined to it, each with what it counts.

    *Q has 4 rows and 3 columns* has two, *4 rows of 3 numbers* too.
    """
    text = first.string
    has_two_counts = pattern in (_BOTH_IN, _OF_SIZE)
    count: re.Match[str] | None = first
    counted = _AXES[first["noun"]]
    while count:
        yield count, counted
        of_each = _EACH_OF.match(text, count.end()) if counted in _OTHER_AXIS else None
        if of_each:
            count, counted = of_each, _OTHER_AXIS[counted]
            continue
        if has_two_counts:
            count = _AND_ALSO.match(text, count.end()) if count is first else None
        else:
            count = None if pattern in _ARRAY_BEHIND else _NEXT.match(text, count.end())
        if count:
            counted = _AXES[count["noun"]]


def _axis(counted: str, line: str) -> str:
    """Return the axis of an array that is counted; empty for what is no axis of it.

    ``line`` is ``row`` or ``column`` if only one of these is counted: the entries of a row are
    columns, and a row has no rows.
    """
    if not line:
        return counted
    return {"row": "columns", "column": "rows"}[line] if counted == "entries" else ""


def _shape(
    prose: Prose, count: re.Match[str], subject: str, axis: str, is_transposed: bool
) -> Shape:
    """Return the length that a match states, as a shape with one dimension along ``axis``."""
    start, end = count.start("number"), max(count.end("number"), count.end("noun"))
    return Shape(
        *prose.place_of(start),
        prose.text[start:end].translate(_NO_MARKS),
        (_length(count["number"]),),
        subject,
        axis=axis,
        is_transposed=is_transposed,
        given=prose.reason_behind(prose.text, end),
    )


def _length(number: str) -> str:
    """Return a number in digits, or the name of a length: *four* → ``4``, *n* → ``n``."""
    number = number.strip(CODE + END)
    return str(parse_numeral(number)) if re.fullmatch(NUMERAL, number.lower()) else number
