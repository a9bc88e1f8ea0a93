"""Reads what a sentence says of its own numbers: *falls from 5 to 3*, *a third (33 %)*.

Such a sentence can contradict itself, whatever the code of the note computes. A form is read only
if it hardly ever means something else; each was tried on 460,000 paragraphs of public text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

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
        ``<``, ``>`` or ``=``, as the words state it.
    slack
        How far the numbers may be from this relation.
    given
        The note's reason why it is right nevertheless; empty if there is none.
    """

    line: int
    column: int
    text: str
    left: Fraction = Fraction(0)
    relation: str = "="
    right: Fraction = Fraction(0)
    slack: Fraction = Fraction(0)
    given: str = ""


class _Stated(NamedTuple):
    """What a match states; see the attributes of the same names of `Contrast`."""

    left: Fraction
    relation: str
    right: Fraction
    slack: Fraction = Fraction(0)


#: A function that reads the match of a form; None if it states nothing that can be compared.
_Reader = Callable[[re.Match[str], Lexicon], _Stated | None]


class _Form(NamedTuple):
    """A form of sentences, with the function that reads its matches."""

    pattern: re.Pattern[str]
    reader: _Reader
    #: Each text that matches contains one of these words, which is faster to see.
    needed: frozenset[str]


_MARKS = re.compile(f"[{CODE}{END}{NAME}{LINK}]|{REASONS.pattern}")
#: Text without any of these contains nothing of the kind.
_ANY = r"\d.*\d|\d.*\b<contrasts.shares>"
#: Words by which a sentence does not state a relation.
_NOT_SAID = r"\b(?:<contrasts.not_said>|<roles.denied>)\b|<contrasts.not_at_end>\b"
_DENIED = r"\b<contrasts.denied>\b|<contrasts.not_at_end>\b"
_ABOUT_CODE = supposition_pattern(*lexicon().words["contrasts"]["about_code"])
#: Most characters of a sentence on each side of a match.
_FAR = 300
_STOP = re.compile(r"[.!?;:](?=\s|$)|\n")
#: How far a share in words may be from the number: a fifth of itself, or five points.
_ROUGH, _LEAST_ROUGH = Fraction(1, 5), Fraction(1, 20)

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"


def _number(name: str) -> str:
    """Return a pattern for a number, as the group ``name``, and its unit, as ``name_unit``.

    Around it there is no sign of a formula, a range, an address or a version.
    """
    return (
        # Not behind a sign or another number; nor before one, as in *3/4*, *3–5*, *3rd*, *3e5*.
        rf"(?<![\w.,/^:+*=<>~±×·–−-])(?<!\d\s)[$€£]?(?P<{name}>{_DIGITS})(?![\d.,]*\d)"
        rf"(?!<grammar.ordinal_endings>\b|\s?[/^×*:]|\s?[x–+−-]\s?\d|e[-+\d])"
        # *%*, *°C*, or a word: *km/h*, *m²*, *trees*.
        rf"(?P<{name}_unit>\s?(?:%|‰|<contrasts.percent>\b|°\s?[CF]?)|\s?[A-Za-zµμ]+(?:/[A-Za-z]+)?[²³]?)?"
    )


_A, _B = _number("a"), _number("b")
_ABOUT = r"(?:<contrasts.about>\s+)?"
#: Words of a phrase, without numbers, stops and brackets.
_WORDS = r"[^.;:!?()\[\]\d" + FORMULA + r"]"
#: Words after which a number is not the subject of its clause: *the square root of 12 is …*.
_PART = r"(?:\b(?:<contrasts.before_part>|[a-z])[.\s]+|[$€£(\[{=,/'\"]\s?)$"
#: Numbers without a unit that may be years.
_YEARS = range(1500, 2101)
#: A word behind the last number that is not a unit.
_LAST_WORD = r"\s<contrasts.function_words>$"
#: Longest unit whose last *s* is no plural: *ms*.
_LONGEST_SYMBOL = 2


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
    for form in _forms(words):
        if not any(word in lower for word in form.needed):
            continue
        for match in form.pattern.finditer(text):
            stated = form.reader(match, words) if _is_stated(match, words) else None
            if stated is None:
                continue
            said = words.regex(_LAST_WORD).sub("", " ".join(match[0].split()))
            given = prose.reason_behind(prose.text, match.end())
            line, column = prose.place_of(match.start())
            yield Contrast(line, column, said, *stated, given=given)


def _is_stated(match: re.Match[str], words: Lexicon) -> bool:
    """Return whether a sentence states a match in it: it does not ask, deny or suppose it."""
    text = match.string
    begins, ends = _sentence_span(text, match.start(), match.end())
    # *Not quite* and *not only* deny nothing of the numbers.
    not_quite = words.regex(r"\b<contrasts.not_quite>\b")
    before = not_quite.sub("", text[begins : match.start()])
    behind = not_quite.sub("", text[match.end() : ends + 1])
    if "?" in behind or words.regex(_NOT_SAID).search(f"{before} {behind}"):
        return False
    # *No* and *nothing* deny what is behind them; *falls from 5 to 3 with no change* is stated.
    return not words.regex(_DENIED).search(before + match[0])


def _sentence_span(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the span of the sentence around a part of a text, at most `_FAR` characters away."""
    far = max(0, first - _FAR)
    begins = max((stop.end() for stop in _STOP.finditer(text, far, first)), default=far)
    stop = _STOP.search(text, last, last + _FAR)
    return begins, stop.start() if stop else min(len(text), last + _FAR)


@cache
def _forms(words: Lexicon) -> tuple[_Form, ...]:
    """Return the forms that are read in a language, with their numbers in the groups *a* and *b*.

    The third item of each row below are the lists of which each match contains a word.
    """
    how, change = _clear_words(words, "more", "less"), _clear_words(words, "rises", "falls")
    # *A third*, *two thirds*.
    parts = (
        rf"(?:(?P<one><grammar.one>)|(?P<above>{words.pattern('small')}))[\s-]"
        rf"(?P<part>{words.pattern('parts')})"
    )
    part = rf"(?:(?P<half><contrasts.half>(?!-))|{parts})"
    # *More than half* is read by other forms than *half*.
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
        _Form(words.regex(template), reader, _last_words(words, lists))
        for template, reader, lists in readers
    )


def _clear_words(words: Lexicon, *meanings: str) -> str:
    """Return a pattern for words of comparison, each meaning as a group of its name.

    It leaves out those whose numbers may be in the other order, such as *nearer*.
    """
    unclear = words.words["contrasts"]["unclear"]
    groups = []
    for meaning in meanings:
        clear = [word for word in words.words["directions"][meaning] if word not in unclear]
        groups.append(f"(?P<{meaning}>{alternatives(clear)})")
    return "|".join(groups)


def _last_words(words: Lexicon, lists: Sequence[str]) -> frozenset[str]:
    """Return the last word of each entry of some lists (``binding.than``) or tables (``parts``).

    A text is searched for them before the slower pattern, so the last word of an entry must be no
    regular expression.
    """
    last_words = set()
    for path in lists:
        table, _, name = path.partition(".")
        entries = [words.words[table][name]] if name else words.words[table].values()
        last_words |= {entry.split()[-1] for several in entries for entry in several}
    return frozenset(last_words)


def _value(match: re.Match[str], name: str) -> Fraction:
    return Fraction(match[name].replace(",", ""))


def _half_last_digit(match: re.Match[str], name: str) -> Fraction:
    """Return half a unit of the last digit of a number: 0.05 for 2.5."""
    return Fraction(1, 2 * 10 ** len(match[name].partition(".")[2]))


def _unit(match: re.Match[str], name: str, words: Lexicon) -> str:
    """Return the unit or noun behind a number, in the singular; empty if there is none."""
    unit = (match[f"{name}_unit"] or "").strip().lower()
    if words.regex(r"<contrasts.percent>").fullmatch(unit):
        return "%"
    if words.regex(r"<contrasts.function_words>").fullmatch(unit):
        return ""
    return unit.removesuffix("s") if len(unit) > _LONGEST_SYMBOL else unit


def _are_comparable(match: re.Match[str], words: Lexicon) -> bool:
    """Return whether two numbers may be compared: they have one unit, and are not years.

    Only the second one may have a unit that the first one lacks: *from 3 to 5 kg*; but *from 3 to
    5 million* may be from three.
    """
    one, other = _unit(match, "a", words), _unit(match, "b", words)
    if (one and one != other) or (not one and other in words.words["contrasts"]["scales"]):
        return False
    may_be_years = all(_value(match, name) in _YEARS for name in ("a", "b"))
    return bool(one or other) or not may_be_years


def _from_to(match: re.Match[str], words: Lexicon) -> _Stated | None:
    """Return what *falls from 5 to 3* compares: the second number with the first."""
    before, after = _value(match, "a"), _value(match, "b")
    between = match["between"] or ""
    # *Falls from 5, then rises to 8*, *from 5 at noon and to 8*.
    turns = any(True for _ in words.find("directions", between))
    is_joined = words.regex(r"\b<contrasts.joins>\b").search(between)
    # A change from 0 may be one from nothing.
    if turns or is_joined or not _are_comparable(match, words) or not before:
        return None
    return _Stated(after, "<" if match["falls"] else ">", before)


def _comparison(match: re.Match[str], words: Lexicon) -> _Stated | None:
    """Return what *shorter (4) than the median (5)* compares."""
    begins, _ = _sentence_span(match.string, match.start(), match.end())
    found = words.find("directions", match.string[begins : match.start()])
    # *They differ more, 71 against 73* does not say which is more.
    if any(meaning == "different" for _, meaning in found) or not _are_comparable(match, words):
        return None
    return _Stated(_value(match, "a"), "<" if match["less"] else ">", _value(match, "b"))


def _comparison_with_subject(match: re.Match[str], words: Lexicon) -> _Stated | None:
    """Return what *12 is less than 9* compares; None if 12 is no subject, or code may be meant."""
    begins, ends = _sentence_span(match.string, match.start(), match.end())
    before, behind = match.string[begins : match.start()], match.string[match.end() : ends]
    if words.regex(_PART).search(before) or _ABOUT_CODE.search(f"{before} {behind}"):
        return None
    # *Of these, 5 are longer than 1000 km* counts things.
    if _unit(match, "b", words) and not _unit(match, "a", words):
        return None
    return _comparison(match, words)


def _fraction(match: re.Match[str], words: Lexicon) -> Fraction | None:
    """Return the fraction in words below one: 2/3 for *two thirds*; None if it is not below one."""
    if match["half"]:
        return Fraction(1, 2)
    below = words.value("parts", match["part"])
    above = words.value("small", match["above"]) if match["above"] else Fraction(1)
    return above / below if above and below and above < below else None


def _as_share_of_one(match: re.Match[str], words: Lexicon) -> tuple[Fraction, Fraction] | None:
    """Return the number as a share of one, and half a unit of its last digit; None if it is none.

    *43 %* is 0.43, and 0.005. Another percentage of the sentence might be the share instead. A
    number without a unit must be a decimal below 1.
    """
    value, half, unit = _value(match, "a"), _half_last_digit(match, "a"), _unit(match, "a", words)
    begins, ends = _sentence_span(match.string, match.start(), match.end())
    percentages = words.regex(r"\d\s?<contrasts.percent>").findall(match.string[begins:ends])
    if unit == "%" and value <= 100 and len(percentages) == 1:
        return value / 100, half / 100
    return (value, half) if not unit and "." in match["a"] and value < 1 else None


def _share_with_bound(match: re.Match[str], words: Lexicon) -> _Stated | None:
    """Return what *0.43, more than half* compares: the number with the share."""
    part, share = _fraction(match, words), _as_share_of_one(match, words)
    # *More than half* must end its clause: *more than half empty* is of something else.
    following = (match.groupdict().get("rest") or "").strip().lower()
    ends_clause = not following or following in words.words["contrasts"]["next_clause"]
    if part is None or share is None or not ends_clause:
        return None
    value, half = share
    return _Stated(value, "<" if match["below"] else ">", part, half)


def _share_in_words(match: re.Match[str], words: Lexicon) -> _Stated | None:
    """Return what *a third (24.6 %)* compares: the number with the share, which is rounded."""
    part, share = _fraction(match, words), _as_share_of_one(match, words)
    if part is None or share is None:
        return None
    value, half = share
    return _Stated(value, "=", part, max(part * _ROUGH, _LEAST_ROUGH) + half)


def _ratio_in_percent(match: re.Match[str], words: Lexicon) -> _Stated | None:  # noqa: ARG001
    """Return what *12 of 48 (30 %)* compares: the percentage with the ratio of the numbers.

    The percentage may be cut instead of rounded, so it may be a whole unit of its last digit off.
    """
    above, below = _value(match, "a"), _value(match, "b")
    is_count = "." not in match["a"] + match["b"]
    if not is_count or not 0 < above <= below:  # else the first is no part of the second
        return None
    percentage, half = _value(match, "c"), _half_last_digit(match, "c")
    return _Stated(percentage / 100, "=", above / below, 2 * half / 100)
