"""Reads what a sentence says of its own numbers: *falls from 5 to 3*, *a third (33 %)*.

Such a sentence can contradict itself, whatever the code of the note computes. A form is read only
if it hardly ever means something else; each was tried on 460,000 paragraphs of public text.
"""

from __future__ import annotations

import datetime
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
    said, known
        For a date: the weekday in the text, and that of the calendar; else empty.
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
    said: str = ""
    known: str = ""
    given: str = ""


#: What a pattern finds: both numbers, the relation between them, and how far they may be from it.
_Found = tuple[Fraction, str, Fraction, Fraction]
_Reader = Callable[[re.Match[str], Lexicon], _Found | None]

_MARKS = re.compile(f"[{CODE}{END}{NAME}{LINK}]|{REASONS.pattern}")
#: Text without any of these contains nothing of the kind.
_ANY = re.compile(r"\d.*\d|\d.*\b(?:half|third|quarter|fifth|most|majority)|day\b.*\d", re.DOTALL)
#: Words by which a sentence does not state a relation, and more of them for two bare numbers.
_NOT_SAID = r"not|never|if|unless|whether|would|could|should|suppos(?:e|ing)|imagine|why"
_ABOUT_CODE = supposition_pattern(
    "tests?", "errors?", "raises", "returns?", "versions?", "alphabetical\\w*", "lexicographic\\w*",
    "strings?", "sort\\w*", "how", "can", "said", "says",
)  # fmt: skip
#: Words of comparison whose numbers may be in the other order: near things have a high similarity.
_UNCLEAR = {
    "nearer", "closer", "farther", "further", "stronger", "weaker", "sharper", "milder", "steeper",
    "likelier", "rarer", "busier", "rougher", "ahead of", "falls behind", "older", "younger",
    "later", "earlier", "sooner", "dominates", "dominate", "loses", "lose", "lost", "gains", "gain",
    "gained",
    # Below zero, or below the surface, what is deeper has the smaller number.
    "deeper", "shallower",
}  # fmt: skip
_DENIED = re.compile(r"\b(?:not|never|no|would|could|should)\b|n['’]t\b", re.IGNORECASE)
#: It denies nothing of the numbers before it.
_QUITE = re.compile(r"\bnot (?:quite|only)\b", re.IGNORECASE)
_FAR = 300
_STOP = re.compile(r"[.!?;:](?=\s|$)|\n")

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"


def _number(name: str) -> str:
    """Return a pattern for a number and its unit, as groups of this name."""
    return (
        rf"(?<![\w.,/^:+*=<>~±×·–−-])(?<!\d\s)[$€£]?(?P<{name}>{_DIGITS})(?![\d.,]*\d)"
        rf"(?!(?:st|nd|rd|th)\b|\s?[/^×*:]|\s?[x–+−-]\s?\d|e[-+\d])"
        rf"(?P<{name}_unit>\s?(?:%|‰|per\s?cent\b|°\s?[CF]?)|\s?[A-Za-zµμ]+(?:/[A-Za-z]+)?[²³]?)?"
    )


_A, _B = _number("a"), _number("b")
_ABOUT = r"(?:(?:about|around|roughly|nearly|almost|approximately|only|just|over|some)\s+)?"
#: Words of a phrase, without numbers, stops and brackets.
_WORDS = r"[^.;:!?()\[\]\d" + FORMULA + r"]"
#: Words after which a number is not the subject of its clause: *the square root of 12 is …*.
_PART = re.compile(
    r"(?:\b(?:of|and|or|to|by|than|plus|minus|times|over|per|in|at|for|from|with|between|root|log|page"
    r"|no|number|level|layer|step|question|chapter|section|table|figure|version|python|line|bit|bits"
    r"|the|every|each|first|last|next|top|base|mod|size|width|case|point|port|rfc|error|code"
    r"|unless|until|whether|if|when|while|where|as|only|[a-z])[.\s]+|[$€£(\[{=,/'\"]\s?)$",
    re.IGNORECASE,
)
_YEARS = range(1500, 2101)
_SCALES = {"k", "m", "bn", "thousand", "million", "millions", "billion", "billions", "trillion"}
_SHARES = {"%", "‰"}
_FUNCTION_WORDS = re.compile(
    r"(?:to|at|in|on|and|or|of|for|by|with|when|while|as|if|is|are|than|from|after|before|because|so"
    r"|but|per|which|that|the|a|an|since|over|during|within|between|under|was|were|again|now|here"
    r"|then|it|we|they|this|these|its|each|respectively|instead|rather|against|versus|vs|compared"
    r"|until|although|though|not|once|where|whereas|even|only|just|almost)",
    re.IGNORECASE,
)

#: A word behind the last number that is not a unit.
_LAST_WORD = re.compile(rf"\s{_FUNCTION_WORDS.pattern}$", re.IGNORECASE)


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
    if not _ANY.search(prose.text):
        return
    text = _MARKS.sub(" ", prose.text)
    words = lexicon(language or "en")
    lower = text.lower()
    for pattern, reader, needed in _patterns(words):
        for found in pattern.finditer(text) if any(map(lower.__contains__, needed)) else ():
            if not _is_stated(text, found, words) or _DENIED.search(found[0]):
                continue
            own = reader(found, words)
            if own is None:
                continue
            left, relation, right, slack = own
            line, column = prose.place_of(found.start())
            said = _LAST_WORD.sub("", " ".join(found[0].split()))
            given = prose.reason_behind(prose.text, found.end())
            yield Contrast(line, column, said, left, relation, right, slack, given=given)
    yield from _weekdays_of_dates(prose, text, words)


def _is_stated(text: str, found: re.Match[str], words: Lexicon) -> bool:
    """Return whether the sentence around a match states it: it does not ask, deny or suppose."""
    begins, ends = _sentence_span(text, found.start(), found.end())
    around = _QUITE.sub("", text[begins : found.start()] + " " + text[found.end() : ends + 1])
    return "?" not in around and not _not_said(words).search(around)


@cache
def _not_said(words: Lexicon) -> re.Pattern[str]:
    denied = words.pattern("roles", "denied")
    return re.compile(rf"\b(?:{_NOT_SAID}|{denied})\b|n['’]t\b", re.IGNORECASE)


def _sentence_span(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the span of the sentence around a part of a text, at most `_FAR` characters away."""
    far = max(0, first - _FAR)
    begins = max((stop.end() for stop in _STOP.finditer(text, far, first)), default=far)
    stop = _STOP.search(text, last, last + _FAR)
    return begins, stop.start() if stop else min(len(text), last + _FAR)


@cache
def _patterns(words: Lexicon) -> tuple[tuple[re.Pattern[str], _Reader, list[str]], ...]:
    """Return the patterns of a language, each with the function that reads its matches.

    The third item are words of which a text that matches contains one, which is faster to find.
    """

    def last_words(*tables: str) -> str:
        lists = (own for table in tables for own in words.words[table].values())
        return " ".join({word.split()[-1] for own in lists for word in own})

    shares, multiples = f"half {last_words('parts')}", f"times {last_words('multiples')}"
    directions = words.words["directions"]

    def either(*names: str) -> str:
        lists = ((name, [w for w in directions[name] if w not in _UNCLEAR]) for name in names)
        return "|".join(f"(?P<{name}>{alternatives(own)})" for name, own in lists)

    how, change = either("more", "less"), either("rises", "falls")
    parts = (
        rf"(?:(?P<one>an?|one)|(?P<above>two|three|four))[\s-](?P<part>{words.pattern('parts')})"
    )
    part = rf"(?:(?P<half>half(?!-))|{parts})"
    # Bounds are read by other patterns.
    bounding = ("than", "over", "under", "least", "most", "above", "below", "every", "to")
    alone = "".join(rf"(?<!\b{word}\s)" for word in bounding)
    times = (
        rf"(?P<times>{words.pattern('multiples')}|(?P<count>two|three|four|five|six|ten)\stimes)"
    )
    adverb = r"(?:\s+(?:\w+ly|again|back|further|even|only|once more))?"
    bound = r"(?P<bound>more|greater|larger|higher|less|fewer|smaller|lower|over|under|above|below)"
    than = r"(?:\s+than)?"
    day = (
        rf"(?:day|week|weekday|weekend|morning|noon|afternoon|evening|night|spring|summer|autumn|winter"
        rf"|{words.pattern('dates', 'weekdays')})"
    )
    readers: list[tuple[str, _Reader, str]] = [
        # It falls from 5 to 3.
        (rf"\b(?:{change}){adverb}\s+from\s+{_ABOUT}{_A}(?P<between>{_WORDS}{{0,40}}?)"
         rf"(?<=\s)to\s+{_ABOUT}{_B}", _from_to, "from"),
        # It falls in every step, from 5 to 3; but not: it climbs every day, from 9 to 5.
        (rf"\b(?:{change})(?!(?:\s[a-z]+){{0,3}}\s{day}s?\b)(?:\s[a-z]+){{1,4}},\sfrom\s{_ABOUT}{_A}(?P<between>{_WORDS}{{0,20}}?)"
         rf"(?<=\s)to\s{_ABOUT}{_B}", _from_to, "from"),
        # The mean is shorter (4) than the median (5).
        (rf"\b(?:{how})\s*\({_ABOUT}{_A}\)\s*than\b{_WORDS}{{0,60}}?\({_ABOUT}{_B}\)",
         _comparison, "than"),
        (rf"[a-z]{{3,}}\s\({_ABOUT}{_A}\)(?P<between>\s(?:is|are|was|were)\s{adverb}(?:much\s|far\s|slightly\s)?)"
         rf"(?:{how})\sthan\b{_WORDS}{{0,40}}?[a-z]{{3,}}\s\({_ABOUT}{_B}\)", _comparison, "than"),
        # 12 is less than 9.
        (rf"{_A}\s+(?:is|are|was|were){adverb}\s+(?:much\s+|far\s+|slightly\s+|still\s+)?(?:{how})"
         rf"\s+than\s+{_ABOUT}{_B}", _comparison_with_subject, "than"),
        # 0.44, which is larger than the 0.36 of others.
        (rf"{_A},?\swhich\s(?:is|are|was|were){adverb}\s+(?:much\s+|far\s+|slightly\s+|still\s+)?(?:{how})"
         rf"\s+than\s+(?:the\s)?{_ABOUT}{_B}", _unequal, "which"),
        # One takes 5 ms and the other 3, which is less.
        (rf"{_B}(?P<between>{_WORDS}{{0,60}}?\s(?:and|but){_WORDS}{{0,40}}?\s){_A},\swhich\s(?:is|was)"
         rf"{adverb}\s(?:a\s(?:little|bit)\s|much\s|far\s|slightly\s)?(?:{how})(?=\s?[.,;]|\s*$)",
         _unequal, "which"),
        # 38 boxes, more than the other week's 33; 5.1 m, below the limit of 6 m.
        (rf"{_A},\s(?:just\s|well\s|far\s|slightly\s|much\s)?"
         rf"(?:(?:{how})\sthan|(?P<over>above)|(?P<under>below))\s(?:the|its|their)\s"
         rf"(?:(?!or\b|and\b)[a-z]+(?:['’]s)?\s){{0,3}}{_B}", _beside, "than above below"),
        # 41 % of the 10,000 votes, which is less than half.
        (rf"{_A}(?<=%)\s(?:of|were|are|is|have|has)\b[^.;:!?()%,{FORMULA}]{{0,40}}?(?:\d{{1,3}},\d{{3}}[^.;:!?()%,\d]{{0,20}})?"
         rf",\s(?:which\sis\s)?{bound}\sthan\s{part}(?=\s?[.;])(?P<rest>)",
         _share_with_bound, "than"),
        # Fewer: 5 instead of 3.
        (rf"\b(?:{how})(?:\s[a-z]+){{0,2}}(?:\sthan(?:\s[a-z]+){{1,4}})?(?:\sof\sthe\stwo)?\s?[:,(]\s?(?:at\s)?{_ABOUT}{_A}"
         rf"\s+(?:instead\sof|rather\sthan|against|versus|vs\.?|compared\s(?:with|to))\s+{_ABOUT}{_B}",
         _comparison, "instead rather against versus vs compared"),
        # It lowers the level to 4; the other one raises it to 5.
        (rf"\b(?P<falls>lowers|reduces|drops|cuts)\s(?:[^.;:!?]|\.\d){{0,60}}?\sto\s{_A}[;,]{_WORDS}{{0,60}}?"
         rf"\b(?P<rises>raises|lifts|increases)\sit\sto\s{_B}",
         _opposite_changes, "lowers reduces drops cuts"),
        (rf"\b(?P<rises>raises|lifts|increases)\s(?:[^.;:!?]|\.\d){{0,60}}?\sto\s{_A}[;,]{_WORDS}{{0,60}}?"
         rf"\b(?P<falls>lowers|reduces|drops|cuts)\sit\sto\s{_B}",
         _opposite_changes, "raises lifts increases"),
        # 36 mm against 19 mm, not quite twice as much.
        (rf"{_A}\s(?:against|instead\sof|compared\s(?:with|to))\s{_ABOUT}{_B}{_WORDS}{{0,30}}?,\s"
         rf"(?:not\squite\s|almost\s|nearly\s|about\s|roughly\s)?{times}\sas\s(?:much|many|large|long|high|far|big)",
         _ratio, "against instead compared"),
        # 22 words, but only 14 different ones.
        (rf"{_A}(?<=s),?\s(?:but|of\swhich|and)\s(?:only\s)?(?P<b>{_DIGITS})(?P<b_unit>)\s"
         r"(?:different|distinct|unique)\s", _part_of_whole, "different distinct unique"),
        # 0.43, more than half.
        (rf"{_A}\s?[,(–—]\s?(?:(?:that\sis|i\.e\.|so|or|which\sis),?\s)?(?:(?:a\slittle|slightly|just|well|far)\s)?"
         rf"{bound}{than}\s{part}(?P<rest>\s\w+)?", _share_with_bound, shares),
        (rf"{bound}{than}\s{part}{_WORDS}{{0,40}}?\({_A}\)", _share_with_bound, shares),
        # A third, 24.6 %; half of them (43 %).
        (rf"{alone}\b{part},\s{_ABOUT}{_A}(?=\s?[.;)]|\s*$|,\s(?:of|is|are|was|were)\b)",
         _share_in_words, shares),
        # Half of the boats, 43 %; but half of the total, 0.22, has the total.
        (rf"{alone}\b{part}\sof\s[a-z]+(?:\s[a-z]+){{0,2}},\s{_ABOUT}{_A}(?<=[%t])(?=\s?[.;)]|\s*$|,\s)",
         _share_in_words, shares),
        (rf"{alone}\b{part}{_WORDS}{{0,40}}?\({_ABOUT}{_A}\)", _share_in_words, shares),
        # Half as many: 10 of 40.
        (rf"\b{times}\sas\s(?:many|much|large|long|high|big|heavy|wide|tall|fast|old|often|strong|far)"
         rf"(?:\s[a-z]+)?\s?[:,(]\s?{_ABOUT}{_A}\s+(?:of|instead\sof|against|versus|vs\.?|"
         rf"compared\s(?:with|to)|rather\sthan)\s+(?:the\s)?{_ABOUT}{_B}", _ratio, multiples),
        (rf"\b{times}\sas\s[a-z]+\s\({_ABOUT}{_A}\)\sas\b{_WORDS}{{0,60}}?\({_ABOUT}{_B}\)",
         _ratio, multiples),
        (rf"\b{times}{adverb}\sfrom\s{_ABOUT}{_A}\sto\s{_ABOUT}{_B}", _change_by_factor, multiples),
        # 4.5 V: half of the 9 V.
        (rf"{_A}\s?(?:[:,–—(]|is|are|was|were)\s?(?:that\sis\s)?{_ABOUT}(?:exactly\s)?{part}\sof\s"
         rf"(?:the\s)?{_B}(?=\s?[.,;:!?)]|\s*$)", _share_of_whole, shares),
        # 2.0 s, twice the 1.0 s of the other one.
        (rf"{_A},\s{_ABOUT}(?:exactly\s)?{times}\sthe\s{_B}", _ratio, multiples),
        # 263 of its 350, about three quarters.
        (rf"{_A}\s(?:out\s)?of\s(?:the\s|its\s|all\s|our\s|their\s)?{_B}(?:\sin\sall)?,\s{_ABOUT}(?:exactly\s)?{part}"
         rf"(?=\s?[.,;:!?)]|\s*$)", _share_of_whole, shares),
        # 20 words, 18 of them short.
        (rf"{_A}{_WORDS}{{0,40}}?(?:,|\band|,\sand)\s{_ABOUT}(?P<b>{_DIGITS})(?P<b_unit>)\sof\s"
         r"(?:them|these|those|which|whom)\b", _part_of_whole, "them these those which whom"),
        # 12 of 48 (30 %); 30 % (12 of 48).
        (rf"{_A}\s(?:out\s)?of\s(?:the\s|all\s)?{_B}{_WORDS}{{0,30}}?\((?P<c>{_DIGITS})\s?(?:%|percent|per\scent)\)",
         _ratio_in_percent, "% cent"),
        (rf"{_A}\s(?:out\s)?of\s(?:the\s|its\s|all\s)?{_B}\s(?:is|are|was|were)\s(?P<c>{_DIGITS})\s?(?:%|percent|per\scent)",
         _ratio_in_percent, "% cent"),
        (rf"(?<![\w.,–-])(?P<c>{_DIGITS})\s?(?:%|percent|per\scent)\s\({_A}\s(?:out\s)?of\s(?:the\s)?{_B}\)",
         _ratio_in_percent, "% cent"),
    ]  # fmt: skip
    return tuple(
        (re.compile(p, re.IGNORECASE), reader, need.split()) for p, reader, need in readers
    )


def _value(found: re.Match[str], name: str) -> Fraction:
    return Fraction(found[name].replace(",", ""))


def _half_last_digit(found: re.Match[str], name: str) -> Fraction:
    """Return half a unit of the last digit of a number."""
    return Fraction(1, 2 * 10 ** len(found[name].partition(".")[2]))


def _unit(found: re.Match[str], name: str) -> str:
    """Return the unit or noun behind a number; empty if there is none."""
    unit = (found[f"{name}_unit"] or "").strip().lower()
    if re.fullmatch(r"per\s?cent", unit):
        return "%"
    if _FUNCTION_WORDS.fullmatch(unit):
        return ""
    # The *s* of *ms* is no plural.
    return unit.removesuffix("s") if len(unit) > 2 else unit


def _are_comparable(found: re.Match[str]) -> bool:
    """Return whether two numbers may be compared: they have one unit, and are not years.

    Only the second one may have a unit that the first one lacks: *from 3 to 5 kg*; but *from 3 to
    5 million* may be from three.
    """
    one, other = _unit(found, "a"), _unit(found, "b")
    if (one and one != other) or (not one and other in _SCALES):
        return False
    return not all(_value(found, name) in _YEARS for name in ("a", "b")) or bool(one or other)


def _from_to(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what *falls from 5 to 3* compares: the second number with the first."""
    before, after = _value(found, "a"), _value(found, "b")
    turns = next(iter(words.find("directions", found["between"] or "")), None)
    joined = re.search(r"\b(?:and|then|but|while|or|when|as)\b", found["between"] or "")
    if turns or joined or not _are_comparable(found) or not before:
        return None
    return after, "<" if found["falls"] else ">", before, Fraction(0)


def _comparison(found: re.Match[str], words: Lexicon) -> _Found | None:  # noqa: ARG001
    """Return what *shorter (4) than the median (5)* compares."""
    if not _are_comparable(found):
        return None
    return _value(found, "a"), "<" if found["less"] else ">", _value(found, "b"), Fraction(0)


def _opposite_changes(found: re.Match[str], words: Lexicon) -> _Found | None:  # noqa: ARG001
    """Return what *lowers it to 4; the other raises it to 5* compares."""
    if not _are_comparable(found):
        return None
    is_first_lower = found.start("falls") < found.start("rises")
    return _value(found, "a"), "<" if is_first_lower else ">", _value(found, "b"), Fraction(0)


def _unequal(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return a comparison like `_comparison`, which is false for two equal numbers."""
    own = _comparison(found, words)
    if own is None or own[0] != own[2]:
        return own
    return own[0], own[1], own[2], Fraction(-1, 10**9)


def _beside(found: re.Match[str], words: Lexicon) -> _Found | None:  # noqa: ARG001
    """Return what *38 boxes, more than the other week's 33* compares."""
    one, other = _unit(found, "a"), _unit(found, "b")
    if one != other and ((one and other) or {one, other} & (_SCALES | _SHARES)):
        return None
    less = found["less"] or found["under"]
    return _value(found, "a"), "<" if less else ">", _value(found, "b"), Fraction(0)


def _comparison_with_subject(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what a sentence compares whose subject has a number of its own."""
    begins, ends = _sentence_span(found.string, found.start(), found.end())
    before, behind = found.string[begins : found.start()], found.string[found.end() : ends]
    if _PART.search(before) or _ABOUT_CODE.search(f"{before} {behind}"):
        return None
    return _comparison(found, words)


def _fraction(found: re.Match[str], words: Lexicon) -> Fraction | None:
    """Return the fraction in words."""
    if found["half"]:
        return Fraction(1, 2)
    below = words.value("parts", found["part"])
    above = {"two": 2, "three": 3, "four": 4}.get((found["above"] or "").lower(), 1)
    return above / below if below and above < below else None


def _as_share_of_one(found: re.Match[str]) -> tuple[Fraction, Fraction] | None:
    """Return a number that is a share of one, with half a unit of its last digit."""
    value, half, unit = _value(found, "a"), _half_last_digit(found, "a"), _unit(found, "a")
    begins, ends = _sentence_span(found.string, found.start(), found.end())
    others = re.findall(r"\d\s?(?:%|per\s?cent)", found.string[begins:ends])
    if unit == "%" and value <= 100 and len(others) == 1:
        return value / 100, half / 100
    return (value, half) if not unit and "." in found["a"] and value < 1 else None


def _share_with_bound(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what *0.43, more than half* compares: the number with the share."""
    part, shared = _fraction(found, words), _as_share_of_one(found)
    rest = (found.groupdict().get("rest") or "").strip().lower()
    if part is None or shared is None or (rest and rest not in ("and", "but", "so", "while")):
        return None
    less = found["bound"].lower() in ("less", "fewer", "smaller", "lower", "under", "below")
    return shared[0], "<" if less else ">", part, shared[1]


def _share_in_words(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what *a third (24.6 %)* compares: the number with the share, which is rounded."""
    part, shared = _fraction(found, words), _as_share_of_one(found)
    if part is None or shared is None:
        return None
    return shared[0], "=", part, max(part / 5, Fraction(1, 20)) + shared[1]


def _factor(found: re.Match[str], words: Lexicon) -> Fraction | None:
    """Return the number that *half* or *three times* multiplies by."""
    counts = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
    if found["count"]:
        return Fraction(counts[found["count"].lower()])
    return words.value("multiples", found["times"])


def _ratio(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what *half as many: 10 of 40* compares: the ratio of the numbers with a factor."""
    factor = _factor(found, words)
    if factor is None or not _are_comparable(found) or not _value(found, "b"):
        return None
    return _value(found, "a") / _value(found, "b"), "=", factor, factor / 4


def _change_by_factor(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what *doubles from 2 to 5* compares: the ratio of the numbers with a factor."""
    factor = _factor(found, words)
    if factor is None or not _are_comparable(found) or not _value(found, "a"):
        return None
    return _value(found, "b") / _value(found, "a"), "=", factor, factor / 10


def _share_of_whole(found: re.Match[str], words: Lexicon) -> _Found | None:
    """Return what *4.5 V: half of the 9 V* compares: the ratio of the numbers with a share."""
    part, whole = _fraction(found, words), _value(found, "b")
    if part is None or not whole or _unit(found, "a") != _unit(found, "b"):
        return None
    return _value(found, "a") / whole, "=", part, part / 8


def _part_of_whole(found: re.Match[str], words: Lexicon) -> _Found | None:  # noqa: ARG001
    """Return what *20 words, 18 of them short* compares: the part must be smaller."""
    unit, number = _unit(found, "a"), found["a"] + found["b"]
    plural = re.fullmatch(r"[a-z]+", unit) and (found["a_unit"] or "").strip().endswith("s")
    if "." in number or not (plural or unit in ("people", "children")) or unit in _SCALES:
        return None
    return _value(found, "b"), "<", _value(found, "a"), Fraction(0)


def _ratio_in_percent(found: re.Match[str], words: Lexicon) -> _Found | None:  # noqa: ARG001
    """Return what *12 of 48 (30 %)* compares: the percentage with the ratio of the numbers."""
    above, below = _value(found, "a"), _value(found, "b")
    if not 0 < above <= below or "." in found["a"] + found["b"]:
        return None
    return _value(found, "c") / 100, "=", above / below, 2 * _half_last_digit(found, "c") / 100


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = r"[A-Z][a-z]{2,8}"
_TH = r"(?:st|nd|rd|th)?"
_DAY = (
    rf"(?:(?P<day>\d{{1,2}}){_TH}\s(?:of\s)?(?P<month>{_MONTH})"
    rf"|(?P<month2>{_MONTH})\s(?P<day2>\d{{1,2}}){_TH}),?\s(?P<year>(?:19|20)\d\d)\b"
)
_WEEKDAY = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})"
#: *Monday, 2 March 2026*; *2 March 2026, a Monday*.
_DATES = tuple(
    map(
        re.compile,
        (rf"\b{_WEEKDAY},?\s(?:the\s)?{_DAY}", rf"\b{_DAY},?\s(?:is\s|was\s)?a\s{_WEEKDAY}"),
    )
)


def _weekdays_of_dates(prose: Prose, text: str, words: Lexicon) -> Iterator[Contrast]:
    """Yield the weekday that is said of each date, and its true one: *Monday, 2 March 2026*.

    ``text`` is the text of ``prose`` with its marks left blank.
    """
    for found in (found for pattern in _DATES for found in pattern.finditer(text)):
        month = (found["month"] or found["month2"])[:3]
        if month not in _MONTHS or not _is_stated(text, found, words):
            continue
        day, year = int(found["day"] or found["day2"]), int(found["year"])
        try:
            date = datetime.date(year, _MONTHS.index(month) + 1, day)
        except ValueError:
            continue
        line, column = prose.place_of(found.start())
        known = _WEEKDAYS[date.weekday()]
        given = prose.reason_behind(prose.text, found.end())
        yield Contrast(line, column, found[0], said=found["weekday"], known=known, given=given)
