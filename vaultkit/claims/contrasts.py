"""Reads what a sentence says of its own numbers: *falls from 5 to 3*, *a third (33 %)*.

Such a sentence can contradict itself, whatever the code of the note computes. A form is read only
if it hardly ever means something else; each was tried on 460,000 paragraphs of public text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from vaultkit.claims.lexicon import Lexicon, alternatives, lexicon
from vaultkit.claims.suppositions import supposition_pattern
from vaultkit.read.prose import CODE, END, FORMULA, LINK, NAME, REASONS, Prose


@dataclass(frozen=True)
class Contrast:
    """A relation that a sentence states between two of its numbers.

    Attributes
    ----------
    line, column
        The place of the words.
    text
        The words.
    left, right
        The numbers.
    relation
        ``<``, ``>`` or ``=``.
    slack
        How far the numbers may be from this relation.
    given
        The note's reason why it is right nevertheless.
    """

    line: int
    column: int
    text: str
    left: Fraction = Fraction(0)
    relation: str = "="
    right: Fraction = Fraction(0)
    slack: Fraction = Fraction(0)
    given: str = ""


#: What a pattern finds: both numbers, the relation between them, and how far they may be from it.
_Found = tuple[Fraction, str, Fraction, Fraction]
_Reader = Callable[[re.Match[str], Lexicon], _Found | None]

_MARKS = re.compile(f"[{CODE}{END}{NAME}{LINK}]|{REASONS.pattern}")
#: Text without any of these contains nothing of the kind.
_ANY = r"\d.*\d|\d.*\b<contrasts.shares>"
#: Words by which a sentence does not state a relation.
_NOT_SAID = r"\b(?:<contrasts.not_said>|<roles.denied>)\b|<contrasts.not_at_end>\b"
_DENIED = r"\b<contrasts.denied>\b|<contrasts.not_at_end>\b"
_ABOUT_CODE = supposition_pattern(*lexicon().words["contrasts"]["about_code"])
_FAR = 300
_STOP = re.compile(r"[.!?;:](?=\s|$)|\n")

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"


def _number(name: str) -> str:
    """Return a pattern for a number and its unit, as groups of this name."""
    return (
        rf"(?<![\w.,/^:+*=<>~±×·–−-])(?<!\d\s)[$€£]?(?P<{name}>{_DIGITS})(?![\d.,]*\d)"
        rf"(?!<grammar.ordinal_endings>\b|\s?[/^×*:]|\s?[x–+−-]\s?\d|e[-+\d])"
        rf"(?P<{name}_unit>\s?(?:%|‰|<contrasts.percent>\b|°\s?[CF]?)|\s?[A-Za-zµμ]+(?:/[A-Za-z]+)?[²³]?)?"
    )


_A, _B = _number("a"), _number("b")
_ABOUT = r"(?:<contrasts.about>\s+)?"
#: Words of a phrase, without numbers, stops and brackets.
_WORDS = r"[^.;:!?()\[\]\d" + FORMULA + r"]"
#: Words after which a number is not the subject of its clause: *the square root of 12 is …*.
_PART = r"(?:\b(?:<contrasts.before_part>|[a-z])[.\s]+|[$€£(\[{=,/'\"]\s?)$"
_YEARS = range(1500, 2101)
#: A word behind the last number that is not a unit.
_LAST_WORD = r"\s<contrasts.function_words>$"


def contrasts(prose: Prose, language: str = "") -> Iterator[Contrast]:
    """Yield what the sentences of a piece of text state about their own numbers.

    ``language`` is the code of the language of the text; English if it is empty.

    Examples
    --------
    >>> prose = Prose()
    >>> prose.add("It falls from 0.2 to 1.0, a third (24.6 %).", 1)
    >>> [(c.text, str(c.left), c.relation, str(c.right)) for c in contrasts(prose)]
    [('falls from 0.2 to 1.0', '1', '<', '1/5'), ('a third (24.6 %)', '123/500', '=', '1/3')]
    """
    words = lexicon(language or "en")
    if not words.regex(_ANY, re.DOTALL).search(prose.text):
        return
    text = _MARKS.sub(" ", prose.text)
    lower = text.lower()
    for pattern, reader, needed in _patterns(words):
        for found in pattern.finditer(text) if any(map(lower.__contains__, needed)) else ():
            if not _is_stated(text, found, words) or words.regex(_DENIED).search(found[0]):
                continue
            relation_found = reader(found, words)
            if relation_found is None:
                continue
            left, relation, right, slack = relation_found
            line, column = prose.place_of(found.start())
            said = words.regex(_LAST_WORD).sub("", " ".join(found[0].split()))
            given = prose.reason_behind(prose.text, found.end())
            yield Contrast(line, column, said, left, relation, right, slack, given=given)


def _is_stated(text: str, found: re.Match[str], words: Lexicon) -> bool:
    """Return whether the sentence around a match states it: it does not ask, deny or suppose."""
    begins, ends = _sentence_span(text, found.start(), found.end())
    around = text[begins : found.start()] + " " + text[found.end() : ends + 1]
    # *Not quite* denies nothing of the numbers before it.
    around = words.regex(r"\b<contrasts.not_quite>\b").sub("", around)
    return "?" not in around and not words.regex(_NOT_SAID).search(around)


def _sentence_span(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the span of the sentence around a part of a text, at most `_FAR` characters away."""
    far = max(0, first - _FAR)
    begins = max((stop.end() for stop in _STOP.finditer(text, far, first)), default=far)
    stop = _STOP.search(text, last, last + _FAR)
    return begins, stop.start() if stop else min(len(text), last + _FAR)


@cache
def _patterns(words: Lexicon) -> tuple[tuple[re.Pattern[str], _Reader, frozenset[str]], ...]:
    """Return the patterns of a language, each with the function that reads its matches.

    The third item are words of which a text that matches contains one, which is faster to find.
    """
    unclear = words.words["contrasts"]["unclear"]

    def either(*names: str) -> str:
        lists = ((name, words.words["directions"][name]) for name in names)
        clear = ((name, [word for word in own if word not in unclear]) for name, own in lists)
        return "|".join(f"(?P<{name}>{alternatives(own)})" for name, own in clear)

    def last_words(*tables: str) -> frozenset[str]:
        pairs = (table.split(".") for table in tables)
        several = (words.words[t[0]][t[1]] if t[1:] else _all(words, t[0]) for t in pairs)
        return frozenset(word.split()[-1] for own in several for word in own)

    how, change = either("more", "less"), either("rises", "falls")
    parts = (
        rf"(?:(?P<one><grammar.one>)|(?P<above>{words.pattern('small')}))[\s-]"
        rf"(?P<part>{words.pattern('parts')})"
    )
    part = rf"(?:(?P<half><contrasts.half>(?!-))|{parts})"
    # Bounds are read by other patterns.
    alone = "".join(rf"(?<!\b{word}\s)" for word in words.words["contrasts"]["bounding"])
    adverb = r"(?:\s+(?:\w+<binding.adverb>|<contrasts.adverbs>))?"
    much = r"(?:<contrasts.much>\s+)?"
    bound = r"(?P<bound>(?P<below><contrasts.less>)|<contrasts.more>)"
    readers: list[tuple[str, _Reader, tuple[str, ...]]] = [
        # It falls from 5 to 3.
        (rf"\b(?:{change}){adverb}\s+<binding.start>\s+{_ABOUT}{_A}(?P<between>{_WORDS}{{0,40}}?)"
         rf"(?<=\s)<binding.to>\s+{_ABOUT}{_B}", _from_to, ("binding.start",)),
        # The mean is shorter (4) than the median (5).
        (rf"\b(?:{how})\s*\({_ABOUT}{_A}\)\s*<binding.than>\b{_WORDS}{{0,60}}?\({_ABOUT}{_B}\)",
         _comparison, ("binding.than",)),
        # 12 is less than 9.
        (rf"{_A}\s+<grammar.being>{adverb}\s+{much}(?:{how})\s+<binding.than>\s+{_ABOUT}{_B}",
         _comparison_with_subject, ("binding.than",)),
        # Fewer: 5 instead of 3.
        (rf"\b(?:{how})(?:\s[a-z]+){{0,2}}(?:\s<binding.than>(?:\s[a-z]+){{1,4}})?\s?[:,(]\s?{_ABOUT}{_A}"
         rf"\s+<contrasts.against>\s+{_ABOUT}{_B}", _comparison, ("contrasts.against",)),
        # 0.43, more than half.
        (rf"{_A}\s?[,(–—]\s?(?:<contrasts.that_is>,?\s)?(?:<contrasts.slightly>\s)?"
         rf"{bound}(?:\s+<binding.than>)?\s{part}(?P<rest>\s\w+)?",
         _share_with_bound, ("contrasts.half", "parts")),
        (rf"{bound}(?:\s+<binding.than>)?\s{part}{_WORDS}{{0,40}}?\({_A}\)",
         _share_with_bound, ("contrasts.half", "parts")),
        # A third, 24.6 %; half of them (43 %).
        (rf"{alone}\b{part},\s{_ABOUT}{_A}(?=\s?[.;)]|\s*$|,\s<contrasts.of_or_being>\b)",
         _share_in_words, ("contrasts.half", "parts")),
        (rf"{alone}\b{part}{_WORDS}{{0,40}}?\({_ABOUT}{_A}\)",
         _share_in_words, ("contrasts.half", "parts")),
        # 12 of 48 (30 %).
        (rf"{_A}\s<contrasts.out_of>\s(?:<contrasts.the_whole>\s)?{_B}{_WORDS}{{0,30}}?"
         rf"\((?P<c>{_DIGITS})\s?<contrasts.percent>\)", _ratio_in_percent, ("contrasts.percent",)),
    ]  # fmt: skip
    return tuple(
        (words.regex(template), reader, last_words(*needed)) for template, reader, needed in readers
    )


def _all(words: Lexicon, table: str) -> list[str]:
    """Return all words of a table."""
    return [word for own in words.words[table].values() for word in own]


def _value(found: re.Match[str], name: str) -> Fraction:
    return Fraction(found[name].replace(",", ""))


def _half_last_digit(found: re.Match[str], name: str) -> Fraction:
    """Return half a unit of the last digit of a number."""
    return Fraction(1, 2 * 10 ** len(found[name].partition(".")[2]))


def _unit(found: re.Match[str], name: str, words: Lexicon) -> str:
    """Return the unit or noun behind a number; empty if there is none."""
    unit = (found[f"{name}_unit"] or "").strip().lower()
    if words.regex(r"<contrasts.percent>").fullmatch(unit):
        return "%"
    if words.regex(r"<contrasts.function_words>").fullmatch(unit):
        return ""
    # The *s* of *ms* is no plural.
    return unit.removesuffix("s") if len(unit) > 2 else unit


def _are_comparable(found: re.Match[str], words: Lexicon) -> bool:
    """Return whether two numbers may be compared: they have one unit, and are not years.

    Only the second one may have a unit that the first one lacks: *from 3 to 5 kg*; but *from 3 to
    5 million* may be from three.
    """
    one, other = _unit(found, "a", words), _unit(found, "b", words)
    if (one and one != other) or (not one and other in words.words["contrasts"]["scales"]):
        return False
    return not all(_value(found, name) in _YEARS for name in ("a", "b")) or bool(one or other)


def _from_to(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what *falls from 5 to 3* compares: the second number with the first."""
    before, after = _value(found, "a"), _value(found, "b")
    turns = next(iter(words.find("directions", found["between"] or "")), None)
    joined = words.regex(r"\b<contrasts.joins>\b").search(found["between"] or "")
    if turns or joined or not _are_comparable(found, words) or not before:
        return None
    return after, "<" if found["falls"] else ">", before, Fraction(0)


def _comparison(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what *shorter (4) than the median (5)* compares."""
    if not _are_comparable(found, words):
        return None
    return _value(found, "a"), "<" if found["less"] else ">", _value(found, "b"), Fraction(0)


def _comparison_with_subject(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what a sentence compares whose subject has a number of its own."""
    begins, ends = _sentence_span(found.string, found.start(), found.end())
    before, behind = found.string[begins : found.start()], found.string[found.end() : ends]
    if words.regex(_PART).search(before) or _ABOUT_CODE.search(f"{before} {behind}"):
        return None
    return _comparison(found, words)


def _fraction(found: re.Match[str], words: Lexicon) -> Fraction | None:
    """Return the fraction in words."""
    if found["half"]:
        return Fraction(1, 2)
    below = words.value("parts", found["part"])
    above = words.value("small", found["above"]) if found["above"] else Fraction(1)
    return above / below if above and below and above < below else None


def _as_share_of_one(found: re.Match[str], words: Lexicon) -> tuple[Fraction, Fraction] | None:
    """Return a number that is a share of one, with half a unit of its last digit."""
    value, half, unit = _value(found, "a"), _half_last_digit(found, "a"), _unit(found, "a", words)
    begins, ends = _sentence_span(found.string, found.start(), found.end())
    others = words.regex(r"\d\s?<contrasts.percent>").findall(found.string[begins:ends])
    if unit == "%" and value <= 100 and len(others) == 1:
        return value / 100, half / 100
    return (value, half) if not unit and "." in found["a"] and value < 1 else None


def _share_with_bound(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what *0.43, more than half* compares: the number with the share."""
    part, shared = _fraction(found, words), _as_share_of_one(found, words)
    rest = (found.groupdict().get("rest") or "").strip().lower()
    if (
        part is None
        or shared is None
        or (rest and rest not in words.words["contrasts"]["next_clause"])
    ):
        return None
    return shared[0], "<" if found["below"] else ">", part, shared[1]


def _share_in_words(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what *a third (24.6 %)* compares: the number with the share, which is rounded."""
    part, shared = _fraction(found, words), _as_share_of_one(found, words)
    if part is None or shared is None:
        return None
    return shared[0], "=", part, max(part / 5, Fraction(1, 20)) + shared[1]


def _ratio_in_percent(found: re.Match[str], words: Lexicon) -> _Found | None:  # noqa: ARG001
    """Return what *12 of 48 (30 %)* compares: the percentage with the ratio of the numbers."""
    above, below = _value(found, "a"), _value(found, "b")
    if not 0 < above <= below or "." in found["a"] + found["b"]:
        return None
    return _value(found, "c") / 100, "=", above / below, 2 * _half_last_digit(found, "c") / 100
