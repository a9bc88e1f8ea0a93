"""Contradicts a number quoted from another note: *[[Sag]], where the beam sags 15.2 mm*.

The numbers that a note shows in its outputs and sentences are compared with those in sentences of
other notes, behind a link to it or ahead of one in brackets. A number is contradicted if neither
note shows it, and the linked one shows, in a sentence or output with the same words, a number that
differs by a slip, or the only number with the same label (the word before it), unit and two common
words. A comment may also name the number of another note: *12.5 mm<!-- = [[Sag]].sag -->*.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path

from vaultkit.checks.check import FAILS, HOLDS, Check
from vaultkit.checks.literals import is_number, source_of
from vaultkit.checks.lookup import exact_fraction, parse_number
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.checks.stated import is_slip, judge_value, shortened
from vaultkit.claims.attributions import is_apart, is_cited, words_behind
from vaultkit.claims.bindings import Binding
from vaultkit.claims.claims import claims_of
from vaultkit.claims.clauses import clause_end
from vaultkit.claims.expressions import nodes_of
from vaultkit.claims.lexicon import Lexicon, lexicon
from vaultkit.claims.mentions import Sentence, label_stems, sentences
from vaultkit.claims.stated import Range, Stated, significant_digits
from vaultkit.read.note import Link, Note
from vaultkit.read.vault import BrokenLinkError, Vault
from vaultkit.store import key_of

#: The least digits of a number that is compared.
_LEAST_DIGITS = 2
#: A slip in a number with so many digits needs no common words; each digit less needs one more.
_SURE_DIGITS = 4
#: The least common words for two numbers with the same label and unit.
_LEAST_WORDS = 2
#: How many words before a link may deny what it says.
_BEFORE = 4
#: Longer numbers in outputs are not numbers of a sentence.
_LONGEST = 20
#: How many words before a number may be its label: the last one of substance.
_BEFORE_NUMBER = 3
_UNIT = re.compile(r"\s?(?P<unit>[%°]|[A-Za-z]+)")
#: What is ahead of a link in brackets: *(see [[Sag]])*.
_OPENS_BRACKET = re.compile(r"\((?:[^\W\d]+ ){0,3}$")


@dataclass(frozen=True)
class Shown:
    """A number that a note shows, with the stems of the words around it."""

    value: Fraction
    words: frozenset[str]
    line: int
    #: The stems of the word right before it; empty if there is none, or none of substance.
    label: frozenset[str] = frozenset()
    unit: str = ""


def citations(note: Note) -> Iterator[tuple[Link, Sentence, Stated]]:
    """Yield the numbers in the words of a link to a note, or behind the only one of a sentence.

    Those in the clause ahead of a link in brackets belong to it, too. Numbers with one significant
    digit are left out, numbers in words, and those with bounds or factors (*at least 12*, *12
    times*).

    Examples
    --------
    >>> from vaultkit.read.markdown import parse
    >>> note = parse("As in [[Sag]], where the beam sags 12.5 mm.")
    >>> [(link.target, number.text) for link, _, number in citations(note)]
    [('Sag', '12.5 mm')]
    """
    links = [link for link in note.links if not link.embed and link.target]
    links.sort(key=_position)
    for sentence in sentences(note, _lexicon(note), {link.line for link in links}) if links else ():
        begins, ends = sentence.place_of(0), sentence.place_of(max(0, len(sentence.text) - 1))
        first = bisect_left(links, begins, key=_position)
        if first and _covers(links[first - 1], begins):
            first -= 1  # the sentence begins with the words of the link
        links_within = links[first : bisect_right(links, ends, first, key=_position)]
        for number in filter(_is_comparable, sentence.numbers):
            around = [link for link in links_within if _is_in_link(link, sentence, number)]
            candidates = around or links_within
            # Of several links in a sentence, none is known to be the source.
            if len(candidates) == 1 and _belongs_to_link(candidates[0], sentence, number):
                yield candidates[0], sentence, number


def _is_comparable(number: Stated) -> bool:
    """Return whether a number has two digits or more, in digits, and is no bound or factor."""
    is_long = significant_digits(number) >= _LEAST_DIGITS
    return bool(number.digits) and is_long and not number.bounds and not number.times


def _is_in_link(link: Link, sentence: Sentence, number: Stated) -> bool:
    """Return whether a number is in the words of a link."""
    return _covers(link, sentence.place_of(number.start))


def _covers(link: Link, place: tuple[int, int]) -> bool:
    """Return whether a place is within the brackets of a link."""
    line, column = place
    return line == link.line and link.column <= column < link.column + len(str(link))


def _belongs_to_link(link: Link, sentence: Sentence, number: Stated) -> bool:
    """Return whether a number is quoted from the linked note.

    It is in the words of the link, or shortly behind it, or before a link in brackets in the same
    clause.
    """
    ahead = [n for n in range(len(sentence.text)) if sentence.place_of(n) <= _position(link)]
    link_start = max(ahead, default=0)  # in the text of the sentence, without the mark-up of links
    if sentence.place_of(number.start) < _position(link):
        bracket = _OPENS_BRACKET.search(sentence.text, 0, link_start)
        if not bracket or clause_end(sentence.lexicon).search(
            sentence.text, number.end, bracket.start()
        ):
            return False
        return not is_apart(sentence, _clause(sentence, number))
    if not _is_in_link(link, sentence, number) and not is_cited(sentence, link_start, number.start):
        return False
    # *It is not [[Sag|12.5 mm]].*
    before = " ".join(sentence.text[:link_start].split()[-_BEFORE:])
    if re.search(rf"\b{sentence.lexicon.pattern('negations', 'words')}\b", before, re.IGNORECASE):
        return False
    from_link = sentence.text[link_start : number.end] + _text_up_to_pause(sentence, number)
    return not is_apart(sentence, from_link)


def _position(link: Link) -> tuple[int, int]:
    """Return the line and column of a link."""
    return link.line, link.column


def cited_notes(note: Note, vault: Vault) -> dict[Link, Note]:
    """Return the notes that a note cites for a number, by the links to them.

    These are the links of `citations`: a number of at least two significant digits belongs to
    each. A link that is broken, or leads to the note itself, is left out.
    """
    cited: dict[Link, Note] = {}
    for link, _, _ in citations(note):
        try:
            other = vault.notes.get(vault.find(link.target, note.path))
        except BrokenLinkError:
            continue
        if other is not None and other.path != note.path:
            cited[link] = other
    return cited


def quoted_notes(note: Note, vault: Vault) -> dict[Path, Note]:
    """Return the notes that a note cites for a number, or names in a comment, by their paths."""
    quoted = {other.path: other for other in cited_notes(note, vault).values()}
    for binding in _references(note):
        other = _referenced_note(binding, note, vault)
        if other is not None:
            quoted[other.path] = other
    return quoted


def _references(note: Note) -> list[Binding]:
    """Return the comments that name a number of another note: *12.5 mm<!-- = [[Sag]].sag -->*."""
    # Most notes have none, and deriving all claims of a note takes long.
    if not any("[[" in comment.content for piece in note.prose for comment in piece.comments):
        return []
    return [binding for binding in claims_of(note).bindings if binding.note]


def _referenced_note(binding: Binding, note: Note, vault: Vault) -> Note | None:
    """Return the note that a comment names; None if there is none."""
    try:
        return vault.notes.get(vault.find(binding.note, note.path))
    except BrokenLinkError:
        return None


def _check_references(note: Note, vault: Vault) -> Iterator[Check]:
    """Yield a check for each comment that names a number of another note."""
    for binding in _references(note):
        other = _referenced_note(binding, note, vault)
        values = _values_of_name(other, binding.source) if other else set()
        if len(values) == 1:
            (value,) = values
            judged = judge_value(binding, value, shortened(value))
            why, holds = judged.why, judged.holds
        else:
            lacks = f"shows no single number for {binding.source}" if other else "does not exist"
            why, holds = f"[[{binding.note}]] {lacks}", False
        outcome, why = (HOLDS, why) if holds else (FAILS, f"{binding.text}: {why}")
        yield Check("sentence", binding.line, binding.text, outcome, why, binding.column)


def _values_of_name(note: Note, name: str) -> set[Fraction]:
    """Return what a note assigns to a name as a number, or else shows behind it in its outputs.

    If any binding of the name is not an assignment of a number (but an expression, a loop, …), only
    the value that is shown counts, since the notes that are cited are not run.
    """
    assigned: list[object] = []
    bindings = 0
    for block in note.blocks:
        for node in nodes_of(source_of(block)):
            match node:
                case ast.Name(id=bound_name, ctx=ast.Store()) if bound_name == name:
                    bindings += 1
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        assigned += _assigned_values(target, value, name)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    assigned += _assigned_values(target, value, name)
    if bindings and bindings == len(assigned) and all(map(is_number, assigned)):
        return {Fraction(repr(value)) for value in assigned}
    label = label_stems(name, _lexicon(note))
    # `_shown_numbers` yields a percentage as a share, too: the value that code has.
    shown = (number for number in _shown_numbers(note) if number.label and number.unit != "%")
    return {number.value for number in shown if number.label == label}


def _assigned_values(target: ast.expr, value: ast.expr, name: str) -> Iterator[object]:
    """Yield the literal that an assignment gives a name, or None if it is no literal.

    >>> (statement,) = ast.parse("sag, load = 12.5, f()").body
    >>> targets = statement.targets[0]
    >>> [list(_assigned_values(targets, statement.value, name)) for name in ("sag", "load", "x")]
    [[12.5], [None], []]
    """
    match target, value:
        case ast.Name(bound_name), _ if bound_name == name:
            try:
                yield ast.literal_eval(value)
            except (ValueError, TypeError, RecursionError, MemoryError):  # `{[1]: 2}`, or too deep
                yield None
        case ast.Tuple(targets), ast.Tuple(values) if len(targets) == len(values):
            for inner_target, inner_value in zip(targets, values, strict=True):
                yield from _assigned_values(inner_target, inner_value, name)


def hash_of_numbers(note: Note) -> str:
    """Return a hash of the numbers that a note shows, with their words.

    The checks of notes that cite it are fresh as long as this is the same.
    """
    return key_of([str(number) for number in _shown_numbers(note)]).hex()


class _Numbers:
    """The numbers that a note shows, in their order and sorted by their values."""

    def __init__(self, shown: Iterable[Shown]) -> None:
        self.all = list(shown)
        self._sorted = sorted(self.all, key=_value)

    def agree(self, number: Stated, apart_from: int = 0) -> bool:
        """Return whether one of the numbers agrees with what is stated.

        ``apart_from`` is a line whose numbers do not count, for the line with the statement itself.
        """
        return any(
            range_.holds(shown.value)
            for range_ in number.ranges
            for shown in self._numbers_near(range_)
            if shown.line != apart_from
        )

    def _numbers_near(self, range_: Range) -> Iterator[Shown]:
        """Yield the numbers in a range, and those that are outside by a rounding error."""
        bounds = [bound for bound in (range_.low, range_.high) if bound is not None]
        slack = max(map(abs, bounds), default=Fraction(0)) / 10**8
        first, last = 0, len(self._sorted)
        if range_.low is not None:
            first = bisect_left(self._sorted, range_.low - slack, key=_value)
        if range_.high is not None:
            last = bisect_right(self._sorted, range_.high + slack, key=_value)
        return islice(self._sorted, first, last)


def _value(shown: Shown) -> Fraction:
    """Return the value of a number, by which `_Numbers` are sorted."""
    return shown.value


def check(note: Note, vault: Vault) -> Iterator[Check]:
    """Yield the numbers that a note quotes from a linked note, and that it contradicts."""
    yield from _check_references(note, vault)
    others = cited_notes(note, vault)
    if not others:
        return
    shown_here = _Numbers(_shown_numbers(note))
    linked = {other.path: other for other in others.values()}
    shown = {path: _Numbers(_shown_numbers(other)) for path, other in linked.items()}
    for link, sentence, number in citations(note):
        if link not in others:
            continue
        line, column = sentence.place_of(number.start)
        theirs = shown[others[link].path]
        # A number that this note shows elsewhere may be its own, in spite of the link.
        if shown_here.agree(number, apart_from=line) or theirs.agree(number):
            continue
        if why := _contradiction(sentence, number, theirs.all):
            why = f"{number.text}: [[{others[link].name}]] {why}"
            yield Check("number", line, number.text, FAILS, why, column)


def _contradiction(sentence: Sentence, number: Stated, shown: list[Shown]) -> str:
    """Return what a linked note shows in place of a number; empty if that is in doubt.

    It is the value that differs by a slip and has most words in common, or the only value with the
    same label, the same unit, and at least two common words.
    """
    unit, label = _unit(sentence, number), _label_before(sentence, number)
    words = label_stems(sentence.text, sentence.lexicon) - label_stems(unit, sentence.lexicon)

    def has_label(other: Shown) -> bool:
        """Return whether the same word is before both numbers."""
        return bool(label) and other.label == label

    def common_words(other: Shown) -> int:
        """Return how many words are around both numbers; the label counts twice."""
        return len(words & other.words) + has_label(other)

    slips = [other for other in shown if is_slip(number, other.value)]
    # Zeros at the end count here, unlike in `significant_digits`: the author has written them all.
    digits = len(re.sub(r"\D", "", number.digits).lstrip("0"))
    # Of several with as many words, the first one in the note.
    best = max(slips, key=lambda other: (common_words(other), -other.line), default=None)
    if best and common_words(best) >= _SURE_DIGITS - digits:
        return f"has {float(best.value):.6g} there (line {best.line})"
    alike = [
        other
        for other in shown
        if has_label(other) and other.unit == unit and len(words & other.words) >= _LEAST_WORDS
    ]
    if len({other.value for other in alike}) == 1:
        return f"has {float(alike[0].value):.6g} there (line {alike[0].line})"
    return ""


def _shown_numbers(note: Note) -> Iterator[Shown]:
    """Yield the numbers that a note shows in sentences, outputs, code and tables."""
    words = _lexicon(note)
    for sentence in sentences(note, words):
        stems = label_stems(sentence.text, words)
        for number in sentence.numbers:
            line, unit = sentence.place_of(number.start)[0], _unit(sentence, number)
            yield Shown(number.value, stems, line, _label_before(sentence, number), unit)
            for scale in number.scales:
                yield Shown(number.value * scale, stems, line)
    for fence in note.fences:
        for line, text in enumerate(fence.text.splitlines(), fence.line + 1):
            stems = label_stems(text, words)
            for value, match in _short_numbers(text):
                last_word = " ".join(text[: match.start()].split()[-1:])
                is_output = fence.language == "text"
                label = label_stems(last_word, words) if is_output else frozenset[str]()
                behind = _UNIT.match(text, match.end())
                unit = behind["unit"] if behind else ""
                yield Shown(value, stems, line, label, unit)
                if unit == "%":
                    yield Shown(value / 100, stems, line, label)
    for cell in note.cells:
        stems = label_stems(f"{cell.label.text} {cell.title}", words)
        for value, _ in _short_numbers(cell.text):
            yield Shown(value, stems, cell.line)


def _short_numbers(text: str) -> Iterator[tuple[Fraction, re.Match[str]]]:
    """Yield the values of the numbers in a text of at most `_LONGEST` characters, with matches."""
    for match in NUMBER_IN_OUTPUT.finditer(text):
        if len(match[0]) <= _LONGEST:
            yield exact_fraction(parse_number(match[0])), match


def _lexicon(note: Note) -> Lexicon:
    """Return the words of the language of a note: its property ``lang``, or English."""
    return lexicon(str(note.meta.get("lang") or "en"))


def _clause(sentence: Sentence, number: Stated) -> str:
    """Return the words that are around the only number of a sentence, or between two pauses."""
    if len(sentence.numbers) == 1:
        return sentence.text
    ahead, stated = _text_from_pause(sentence, number), sentence.text[number.start : number.end]
    return ahead + stated + _text_up_to_pause(sentence, number)


def _text_from_pause(sentence: Sentence, number: Stated) -> str:
    """Return the words ahead of a number from the pause before it on."""
    pauses = clause_end(sentence.lexicon).finditer(sentence.text, 0, number.start)
    return sentence.text[max((pause.end() for pause in pauses), default=0) : number.start]


def _text_up_to_pause(sentence: Sentence, number: Stated) -> str:
    """Return the words behind a number up to the next pause."""
    return clause_end(sentence.lexicon).split(sentence.text[number.end :], maxsplit=1)[0]


def _unit(sentence: Sentence, number: Stated) -> str:
    """Return the word or sign behind a number that may be its unit; empty if there is none."""
    return next(iter(words_behind(sentence, number)), "")


def _label_before(sentence: Sentence, number: Stated) -> frozenset[str]:
    """Return the stem of the last word of substance shortly before a number; or no stem."""
    words_before = [word.stem for word in sentence.words if word.end <= number.start]
    last_words = words_before[-_BEFORE_NUMBER:]
    of_substance = [word for word in last_words if label_stems(word, sentence.lexicon)]
    return frozenset(of_substance[-1:])
