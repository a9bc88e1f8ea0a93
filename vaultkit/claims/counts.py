"""Lengths of arrays that the text counts in words: *Q has 4 rows*, *the three columns of K*."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from vaultkit.claims.numerals import NUMERAL, parse_numeral
from vaultkit.claims.shapes import Shape, product_as_code
from vaultkit.claims.suppositions import supposition_pattern
from vaultkit.read.prose import CODE, END, LINK, REASONS, Prose
from vaultkit.read.sentences import clause_span

#: Nouns that are counted, with the axis of an array along which they are.
_COUNTED = {
    "row": "rows",
    "column": "columns",
    "entry": "entries",
    "entrie": "entries",
    "element": "entries",
    "component": "entries",
    "coordinate": "entries",
    "number": "entries",
    "axe": "axes",
    "axi": "axes",
    "dimension": "dimensions",
}
_ACROSS = {"rows": "columns", "columns": "rows"}
_NOUN = (
    r"(?:rows?|columns?|entry|entries|elements?|components?|coordinates?|numbers?|axes|axis"
    r"|dimensions?)"
)
_NUMBER = rf"(?:\d{{1,5}}|(?i:{NUMERAL})|{CODE}[A-Za-z]\w*{END}|[A-Za-z]+_\w+)"
_SIZE = rf"(?:\d{{1,5}}|(?i:{NUMERAL})|{CODE}[a-z]\w*{END}|[a-z]+_\w+)"
#: A word of a count; text without any of these contains no count.
_ANY = re.compile(
    rf"(?:\d|\b(?i:{NUMERAL})|{END}|_\w+)\s{_NOUN}\b|\b(?:number\sof|of\slength)\b|[-‑]dimensional\b"
)
#: Every match contains one of these; searching for them first is faster.
_NOUNS = ("row", "column", "entr", "element", "component", "coordinate", "number", "axes", "axis",
          "dimension", "length")  # fmt: skip
_COUNT = rf"(?P<number>{_NUMBER})\s(?P<noun>{_NOUN})"
_THING = rf"(?:{CODE}[^{CODE}{END}]{{1,40}}{END}|(?<![\w'’.^-])[A-Za-zα-ω]\w{{0,20}}(?:ᵀ|\^\s?T)?)"
#: The end of a count; after *two rows that …*, only some of the rows are counted.
_ENDS = (
    rf"(?=[{LINK}]?(?:[.,;:!?)]|\s?$|\s\(|\s(?:and|but|while|whereas|so|because|since|as|each"
    rf"|in all|in total|too|here|now|again)\b|{REASONS.pattern}))"
)
_SAYS = rf"(?=[{LINK}]?(?:[.,;:!?)]|\s?$|\s(?:are|is|have|hold|sum|add|were|stand)\b))"
#: *of two numbers each*, after rows or columns.
_OF = rf"\s(?:of|with)\s(?P<number>{_NUMBER})(?:\s(?P<noun>{_NOUN}))?(?:\seach)?{_ENDS}"
_EACH_OF = re.compile(_OF)
_BOTH_WAYS = rf"(?={re.sub(r'[?]P<[a-z]+>', '?:', _OF)})"
_HOW = (
    r"(?:\s(?:also|both|each|all|still|always|again|now|then|thus|therefore|only|just|exactly"
    r"|too))*"
)
_WITH = r"(?:is|are)\san?\s(?:matrix|array|table|tensor|vector|stack)\s(?:of|with)"
_THINGS = rf"(?P<things>(?:{_THING}(?:,\s{_THING}){{0,8}},?\sand\s)?{_THING})"
#: *Q has 4 rows*, *Q and K have 4 rows*, *Q is a matrix with 4 rows*.
_HAS = re.compile(
    rf"{_THINGS},?{_HOW}\s(?:ha(?:s|ve)|holds?|contains?|consists?\sof|with\s(?:its|all)|{_WITH}){_HOW}\s{_COUNT}"
    rf"(?:{_ENDS}|{_BOTH_WAYS})"
)
#: *Q, six rows of two numbers*: a count of both axes, which describes the whole array.
_IS = re.compile(
    rf"{_THINGS}(?:\stransposed)?[,:]\s(?P<number>{_NUMBER})\s(?P<noun>rows?|columns?){_BOTH_WAYS}"
)
#: *Q (4 rows, 3 columns)*.
_BRACKETS = re.compile(rf"{_THINGS}\s\({_COUNT}{_ENDS}")
#: *The matrix Q of 4 rows and 3 columns*.
_OF_SIZE = re.compile(
    rf"\b(?:matrix|array|table|tensor)\s(?P<things>{_THING}),?\s(?:of|with)\s{_COUNT}"
    rf"(?:{_ENDS}|(?=\sand\s(?:{_NUMBER})\s(?:columns|rows)\b)|{_BOTH_WAYS})"
)
#: *Q's four rows*, *the number of rows of Q is 4*, *there are 4 rows in Q*.
_OWN = re.compile(rf"(?P<things>{_THING})['’]s\s{_COUNT}{_SAYS}")
_NUMBER_OF = re.compile(
    rf"\bnumber\sof\s(?P<noun>{_NOUN})\s(?:of|in)\s(?:the\s)?(?P<things>{_THING})\sis\s"
    rf"(?P<number>{_NUMBER}){_ENDS}"
)
_THERE = re.compile(rf"\bare\s{_COUNT}\s(?:of|in)\s(?P<things>{_THING}){_ENDS}")
#: *Four rows and three columns in Q*: two counts of one array.
_AND_ALSO = re.compile(rf"\sand\s{_COUNT}\b")
_BOTH_IN = re.compile(
    r"(?<![\w.-])(?<!first\s)(?<!last\s)(?<!next\s)(?<!other\s)(?<!only\s)"
    rf"{_COUNT}(?=\sand\s{_NUMBER}\s(?:columns|rows)\s(?:of|in)\s(?P<things>{_THING}){_ENDS})"
)
#: *The four rows of Q are*, *all 6 columns of K*.
_THE = re.compile(
    rf"\b(?:[Tt]he|[Aa]ll|[Aa]ll\sthe)\s{_COUNT}\sof\s(?:the\s)?(?:matrix\s|array\s|vector\s|table\s)?"
    rf"(?P<things>{_THING}){_SAYS}"
)
#: *H is a 4-dimensional array*.
_DIMENSIONAL = re.compile(
    rf"{_THINGS}\s(?:is|are)\s(?:an?\s)?(?P<number>\d|{NUMERAL})[-‑](?P<noun>dimension)al\s(?:arrays?|tensors?)\b"
)
#: *Six rows and 64 columns*, *six rows of two numbers*: counts of an array without a name.
_TABLE = re.compile(
    rf"(?<![\w.,-])(?P<number>{_SIZE})\s(?P<noun>rows|columns)"
    rf"(?:(?:,|\sand|\sby)\s(?P<other>{_SIZE})\s(?:rows|columns)\b"
    rf"|\sof\s(?P<each>{_SIZE})(?:\s(?:numbers|entries|elements|components))?(?:\seach)?{_ENDS})"
)
#: *A vector of three numbers*, *rows of length 2*, *keys are three numbers wide*.
_VECTOR = re.compile(
    rf"\b(?:vectors?|rows?)\sof\s(?:(?P<number>{_SIZE})\s(?:numbers|entries|elements|components)"
    rf"|(?P<long>length\s(?P<length>{_SIZE})))(?!\w|\.\d)"
    rf"|\b(?:is|are){_HOW}\s(?P<width>{_SIZE})\s(?:numbers|columns)\swide\b"
)
#: *A key in this head has two numbers*: a count of something without a name, which may be anything.
_SOMETHING = re.compile(
    r"\b(?!(?:[A-Za-z’'-]+\s){0,4}?(?:shapes?|rows?|columns?|half|parts?|tables?|lists?|figures?|files?"
    r"|pages?|of)\s)"
    r"(?:(?:[Ee]ach|[Tt]he|[Aa]n?|[Ee]very|[Tt]his)(?:\s[a-z][a-z’'-]+){0,4}|[Ii]t|[Tt]hey|[A-Za-z][a-z]+s)"
    rf"\s(?:has|have|holds?|contains?|consists?\sof){_HOW}\s(?P<number>{_NUMBER})\s"
    rf"(?P<noun>rows?|columns?|entry|entries|coordinates?|numbers?|axes|axis)(?:{_ENDS}|{_BOTH_WAYS})"
)
#: A subject that is a word; it names an array only if the code has an array of that name.
_WORD = re.compile(r"[A-Za-z][a-z]+(?:, [A-Za-z][a-z]+)*")
#: Words before a count of only a part of the rows or columns.
_SOME = re.compile(
    r"(?i:\b(?:first|last|next|other|others|only|more|these|those|some|any|another|remaining|same"
    r"|every|all|than|least|most|table|figure|file|list|page)\s(?:of\s)?(?:the\s)?)$"
)
_NEXT = re.compile(rf"(?:,|,?\sand)\s{_COUNT}{_ENDS}")
#: *Q has four rows, and each row has three entries*.
_EACH = re.compile(rf"\beach\s(?P<part>row|column)\s(?:has|holds|contains)\s{_COUNT}{_ENDS}")
#: Words that make a part or the transpose of the following thing the subject.
_PART = re.compile(r"\b(?P<part>rows?|columns?|transpose)\s(?:\w\s)?of\s(?:the\s)?(?:matrix\s)?$")
#: Words after which a thing is not the subject of the count.
_ASIDE = re.compile(
    r"\b(?:of|in|from|than|like|with|without|for|to|by|at|per|under|over|plus|times|minus|on|into|as"
    r"|nor|or|if)\s(?:the\s)?$"
)
#: Words by which a count is not stated: conditions, questions, denials.
_SUPPOSED = supposition_pattern(
    "without", "neither", "no", "none", "where", "otherwise", "mistake", "cannot", "more"
)
_PATTERNS = (
    _HAS, _IS, _BRACKETS, _OF_SIZE, _OWN, _NUMBER_OF, _THERE, _BOTH_IN, _THE, _DIMENSIONAL,
)  # fmt: skip
#: Those in which the array is named behind *of* or *in*.
_WITHIN = (_THE, _NUMBER_OF, _THERE, _BOTH_IN)


def stated_counts(prose: Prose) -> Iterator[Shape]:
    """Yield the numbers of rows, columns or entries that a piece of text states."""
    if not any(noun in prose.text for noun in _NOUNS) or not _ANY.search(prose.text):
        return
    named: dict[tuple[int, int], list[str]] = {}
    for shape in _counts_of_arrays(prose):
        named.setdefault((shape.line, shape.column), []).append(shape.subject)
        yield shape
    yield from _counts_of_things(prose, named)


def _counts_of_things(prose: Prose, named: Mapping[tuple[int, int], list[str]]) -> Iterator[Shape]:
    """Yield the counts of things that are not named arrays."""
    text = prose.text
    for pattern in (_TABLE, _VECTOR, _SOMETHING):
        for found in pattern.finditer(text):
            number = next(n for n in ("number", "length", "width") if found.groupdict().get(n))
            start = found.start("long" if number == "length" else number)
            place = prose.place_of(start)
            words = named.get(place, [])
            if not all(map(_WORD.fullmatch, words)):
                continue  # this is the count of a named array
            if not _is_stated(text, found):
                continue
            if _SOME.search(text[max(0, found.start() - 30) : found.start()]):
                continue
            dims = [found[number]]
            axis = ""
            if pattern is _TABLE:
                other = found["other"] or found["each"]
                dims = [found[number], other]
                dims = dims[::-1] if found["noun"] == "columns" else dims
            else:
                axis = _COUNTED[found["noun"].rstrip("s")] if pattern is _SOMETHING else "columns"
            lengths = tuple(map(_length, dims))
            if lengths == ("1",):
                continue  # *of length 1* is often a norm
            end = found.end("noun" if pattern is _SOMETHING else 0)
            yield Shape(
                *place,
                re.sub(f"[{CODE}{END}{LINK}]", "", text[start:end]).strip(),
                lengths,
                word=words[0] if words else "",
                axis=axis,
                called=not axis,
                given=prose.reason_behind(text, found.end()),
            )


def _counts_of_arrays(prose: Prose) -> Iterator[Shape]:
    """Yield the counts of named arrays: *Q has 4 rows*, *the transpose of Q has 3 rows*."""
    text = prose.text
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            if not _is_stated(text, found):
                continue
            begins, ends = clause_span(text, found.start(), found.start())
            before = text[begins : found.start()]
            # *Each row of Q* and *the transpose of Q* are not Q itself.
            part = _PART.search(before)
            if not part and pattern not in _WITHIN and _ASIDE.search(before):
                continue
            transposed = " transposed" in text[found.start() : found.start("number")]
            transposed |= bool(part and part["part"] == "transpose")
            within = part["part"].rstrip("s") if part and not transposed else ""
            things = re.findall(_THING, found["things"])
            subject = ", ".join(product_as_code(thing.strip(CODE + END)) for thing in things)
            if not subject:
                continue
            for count, counted in _joined_counts(found, pattern):
                axis = "axes" if pattern is _DIMENSIONAL else _axis(counted, within)
                if axis:
                    yield _shape(prose, count, subject, axis, transposed)
            if pattern is _HAS and not part:
                for each in _EACH.finditer(text, found.end(), ends):
                    yield _shape(prose, each, subject, _axis("entries", each["part"]), transposed)


def _is_stated(text: str, found: re.Match[str]) -> bool:
    """Return whether a count is stated, not supposed, denied or asked for."""
    begins, ends = clause_span(text, found.start(), found.start())
    return not _SUPPOSED.search(text, begins, found.start()) and text[ends : ends + 1] != "?"


def _joined_counts(
    first: re.Match[str], pattern: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the first count and those joined to it, each with what it counts.

    *Q has 4 rows and 3 columns* has two, *4 rows of 3 numbers* too.
    """
    text = first.string
    two_only = pattern in (_BOTH_IN, _OF_SIZE)
    count: re.Match[str] | None = first
    counted = _COUNTED[first["noun"].rstrip("s")]
    while count:
        yield count, counted
        each = _EACH_OF.match(text, count.end()) if counted in _ACROSS else None
        if each:
            count, counted = each, _ACROSS[counted]
            continue
        if two_only:
            count = _AND_ALSO.match(text, count.end()) if count is first else None
        else:
            count = None if pattern in _WITHIN else _NEXT.match(text, count.end())
        if count:
            counted = _COUNTED[count["noun"].rstrip("s")]


def _axis(counted: str, within: str) -> str:
    """Return the axis that is counted: of an array, or ``within`` one of its rows or columns."""
    if not within:
        return counted
    return {"row": "columns", "column": "rows"}[within] if counted == "entries" else ""


def _shape(prose: Prose, found: re.Match[str], subject: str, axis: str, transposed: bool) -> Shape:
    """Return the length that a match states, as a shape with one dimension along ``axis``."""
    start, end = found.start("number"), max(found.end("number"), found.end("noun"))
    dim = _length(found["number"])
    shown = re.sub(f"[{CODE}{END}{LINK}]", "", prose.text[start:end])
    given = prose.reason_behind(prose.text, end)
    return Shape(
        *prose.place_of(start), shown, (dim,), subject, axis=axis, turned=transposed, given=given
    )


def _length(number: str) -> str:
    number = number.strip(CODE + END)
    return str(parse_numeral(number)) if re.fullmatch(NUMERAL, number.lower()) else number
