"""Proposes bindings: an expression for each number of a note, a condition for each comparison.

Every proposal holds, but the author decides: an expression with the value of a number need not be
what the sentence means. The score therefore counts the names that the sentence mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from vaultkit.checks.bindings import judge_words
from vaultkit.checks.bound_keys import other_key
from vaultkit.checks.values import as_plain_data
from vaultkit.claims.bindings import bindings
from vaultkit.claims.stated import Stated
from vaultkit.claims.units import SECONDS, unit_behind
from vaultkit.edit import bind_numbers, bind_words
from vaultkit.edit.kinds import is_multiple, is_ordinal
from vaultkit.edit.sentences import Candidate, Page, Passage, Proposal
from vaultkit.edit.text import Edit, text_with_edits
from vaultkit.read.markdown import parse
from vaultkit.read.note import Note
from vaultkit.read.prose import LINK

#: Most candidates that are offered, and the least score of the best one.
_OFFERED, _LEAST = 5, -1.0

#: The longest code of a comment.
_LONGEST = 240

#: An element of a dictionary.
_KEY = re.compile(r"(\w+)\['([^']+)'\]")


def propose(note: Note, collected: Mapping[int, Sequence[Sequence[object]]]) -> list[Proposal]:
    """Return the proposals for the numbers and words of a note, in the order of the text.

    Parameters
    ----------
    note
        The note.
    collected
        The atoms after each block, by its index (`vaultkit.edit.expressions.collected`).
    """
    page = Page(note, collected)
    sentences = list(page.sentences())
    readings = {id(sentence): bind_numbers.readings(page, sentence) for sentence in sentences}
    for cells in bind_numbers.tables(sentences):
        bind_numbers.of_column([readings[id(cell)] for cell in cells])
    proposals = []
    for passage in sentences:
        for stated, candidates in readings[id(passage)]:
            if LINK in passage.piece.text[passage.start : stated.start]:
                # Behind a link, a number may be that of the other note.
                candidates = [replace(candidate, sure=False) for candidate in candidates]
            unit = _unit(page, passage, stated)
            proposals += _proposal(
                page, passage, stated.start, stated.end, candidates, states=False, unit=unit
            )
        for word in bind_words.of_sentence(page, passage, readings[id(passage)]):
            proposals += _proposal(
                page, passage, word.start, word.end, word.candidates, states=word.states
            )
    # Behind one word there is one comment: what would be accepted goes first.
    proposals.sort(key=_rank)
    places = groupby(proposals, key=lambda proposal: (proposal.line, proposal.column))
    return [next(at_place) for _, at_place in places]


def _rank(proposal: Proposal) -> tuple[int, int, bool, bool, float]:
    """Return the order of proposals: by place, and at one place the best first."""
    return (
        proposal.line,
        proposal.column,
        not proposal.accepted,
        proposal.states,
        -proposal.candidates[0].score,
    )


def _unit(page: Page, sentence: Passage, stated: Stated) -> str:
    """Return the unit of a number; *6 days* and *the third month* are counted, not measured."""
    text = sentence.piece.text
    if is_multiple(stated) or is_ordinal(stated, text):
        return ""
    unit = unit_behind(text, stated.start, page.words)
    is_counted = stated.value.denominator == 1 and SECONDS.get(unit, 0) >= SECONDS["d"]
    # The check of the number reads *67 %* as 0.67, too.
    return "" if is_counted or unit in ("%", "‰") else unit


def _proposal(
    page: Page, sentence: Passage, start: int, end: int, candidates: Sequence[Candidate], *,
    states: bool, unit: str = "",
) -> list[Proposal]:  # fmt: skip
    """Return the proposal for words of a sentence; none if no candidate is good enough."""
    candidates = [candidate for candidate in candidates if len(candidate.code) <= _LONGEST]
    if not candidates or candidates[0].score < _LEAST:
        return []
    place = page.place_behind(sentence, start, end)
    if place is None:
        return []
    text, shown = sentence.piece.text[start:end], sentence.shown
    return [Proposal(text, shown, *place, tuple(candidates[:_OFFERED]), states, unit)]


def insertions(note: Note, chosen: Sequence[tuple[Proposal, Candidate]]) -> list[Edit]:
    """Return the insertions of chosen candidates that are harmless and that will hold.

    A candidate was found by its words alone. The words around it decide with it whether the check
    *sentence* accepts it: *the four* may not be bound to 4.43, nor *the lowest* to a maximum.
    """
    edits = [(one.edit(candidate), candidate) for one, candidate in chosen]
    safe = harmless(note, [edit for edit, _ in edits])
    kept = [(edit, candidate) for edit, candidate in edits if edit in safe]
    # Without one comment, the words of another may be judged differently.
    while kept:
        bound = parse(text_with_edits(note.text, [edit for edit, _ in kept]), note.path)
        holding = list(_holding(bound, kept))
        if len(holding) == len(kept):
            break
        kept = holding
    return [edit for edit, _ in kept]


def _holding(
    bound: Note, inserted: Sequence[tuple[Edit, Candidate]]
) -> Iterator[tuple[Edit, Candidate]]:
    """Yield the insertions whose words agree with the values of the candidates."""
    unmatched = list(bindings(bound))
    keys = _known_keys(inserted)
    for edit, candidate in inserted:
        # Several comments may have the same code.
        binding = min(
            (other for other in unmatched if other.code == code_of(edit)),
            key=lambda other: abs(other.line - edit.span.line),
            default=None,
        )
        if binding is None:
            continue
        unmatched.remove(binding)
        agrees = judge_words(binding, as_plain_data(candidate.value), str(candidate.value)).holds
        if agrees and not other_key(binding, keys):
            yield edit, candidate


def code_of(edit: Edit) -> str:
    """Return the code in an inserted comment."""
    return edit.text.removeprefix("<!-- ").removeprefix("= ").removesuffix(" -->")


def _known_keys(
    inserted: Sequence[tuple[Edit, Candidate]],
) -> dict[str, dict[str, None]]:
    """Return the keys of each dictionary that the code of some candidates names."""
    keys: dict[str, dict[str, None]] = {}
    for _, candidate in inserted:
        for owner, key in _KEY.findall(candidate.code):
            keys.setdefault(owner, {})[key] = None
    return keys


def harmless(note: Note, edits: Sequence[Edit], kept: Sequence[Edit] = ()) -> list[Edit]:
    """Return the edits that change nothing but add comments, as the note is parsed again.

    They change nothing together with each other, and with those that are ``kept`` already.

    >>> from vaultkit.edit.text import Span
    >>> note = parse("The sum is **3** or `4`.")
    >>> at = [Span(1, column, 1, column) for column in (15, 23)]
    >>> [edit.span.column for edit in harmless(note, [Edit(one, "<!-- = s -->") for one in at])]
    [15]
    """
    edited = text_with_edits(note.text, [*kept, *edits]) if edits else note.text
    if not edits or _reads_the_same(note, parse(edited, note.path)):
        return list(edits)
    if len(edits) == 1:
        return []
    # One of them does harm: it is found by halving, since parsing each time takes long.
    half = len(edits) // 2
    first = harmless(note, edits[:half], kept)
    return first + harmless(note, edits[half:], [*kept, *first])


def _reads_the_same(one: Note, other: Note) -> bool:
    """Return whether two notes differ only in what readers do not see."""

    def seen(note: Note) -> list[object]:
        """Return what readers see of a note."""
        texts = [(piece.place, piece.text) for piece in note.prose]
        links = [(link.target, link.sub, link.words, link.line) for link in note.links]
        formulas = [(formula.tex, formula.line) for formula in note.formulas]
        parts = [(part.type, part.content) for coded in note.coded for part in coded.parts
                 if part.type == "code_inline"]  # fmt: skip
        return [texts, links, formulas, parts, note.blocks, note.fences, note.meta, note.block_ids]

    return seen(one) == seen(other)
