"""Hover: the text shown about a formula, a name, a block or a link at a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vaultkit.checks.check import EXCEPTED, FAILS, UNPROVEN, Check
from vaultkit.checks.evidence import Part, Value, parts
from vaultkit.claims.places import page_places
from vaultkit.edit.find import block_in, formula_in, link_in, name_in
from vaultkit.edit.spans import span_of_check, span_of_formula, span_of_link, span_to_line_end
from vaultkit.edit.text import Span
from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Vault

#: Most lines of a section that are shown.
_LONGEST = 16


def hover_text(
    vault: Vault,
    note: Note,
    line: int,
    column: int,
    checks: Sequence[Check],
    values: Mapping[str, Sequence[Value]],
) -> tuple[Span, str] | None:
    """Return the hover text for a place, in Markdown, with the span that it applies to.

    Parameters
    ----------
    vault, note, line, column
        The place.
    checks
        All checks of the note.
    values
        The values that its blocks have bound to each name, in order.
    """
    if link := link_in(note, line, column):
        return span_of_link(note, link), _target_text(vault, note, line, column)
    if block_hover := _block_hover(note, line, checks):
        return block_hover
    texts: list[str] = []
    span: Span | None = None
    named = name_in(note, line, column)
    if named and (value := _value_text(note, named[0], line, values)):
        texts.append(value)
        span = named[1]
    known = parts(note, checks)
    where = page_places(note)
    formula = formula_in(note, line, column)
    for check in checks:
        if check.kind not in ("equation", "number", "shape", "sentence", "formula"):
            continue
        checked = span_of_check(check, note)
        is_of_formula = formula is not None and checked == span_of_formula(note, formula)
        if not checked.holds(line, column) and not is_of_formula:
            continue
        span = span or checked
        if check.outcome in UNPROVEN:
            texts.append(f"```text\n{check.why}\n```")
        places = where.names_of(check.kind, check.line, check.column, check.what)
        texts += [_evidence_text(note, known[place]) for place in places if place in known]
    if span is None:
        return None
    return span, "\n\n".join(dict.fromkeys(texts))


def _block_hover(note: Note, line: int, checks: Sequence[Check]) -> tuple[Span, str] | None:
    """Return the outcome of a block, for its first line."""
    index = block_in(note, line)
    if index is None or note.blocks[index].fence.line != line:
        return None
    state = block_outcome(index, checks)
    return (span_to_line_end(note, line, 1), state) if state else None


def block_outcome(index: int, checks: Sequence[Check]) -> str:
    """Return the outcome of a block in a word or two; empty if it has not run."""
    of_block = [check for check in checks if check.block == index and check.kind == "block"]
    if not of_block:
        return ""
    if any(check.outcome == FAILS for check in of_block):
        return "fails"
    if all(check.outcome == EXCEPTED for check in of_block):
        return "not run"
    seconds = sum(check.seconds for check in of_block)
    return f"holds · {_duration_text(seconds)}"


def _value_text(note: Note, name: str, line: int, values: Mapping[str, Sequence[Value]]) -> str:
    """Return the value of a name at a line, after the last block above that binds it, or below.

    Inside a block, it is the value after that block.
    """
    known = values.get(name, ())
    above = [value for value in known if _line_of_value(note, value) <= line]
    for value in above[-1:] or known[:1]:
        where = f"block {value.block + 1}, line {_line_of_value(note, value)}"
        shown = f"\n\n```text\n{value.print}\n```" if value.print else ""
        return f"`{name}`: {value.what} ({where}){shown}"
    return ""


def _line_of_value(note: Note, value: Value) -> int:
    return note.blocks[value.block].fence.line if value.block < len(note.blocks) else 0


def _evidence_text(note: Note, part: Part) -> str:
    """Return the text about the evidence of a formula, number or shape."""
    rows = [part.title]
    for words, *place in part.lines:  # each line may have a place on the page
        rows.append(f"- {words}{_place_in_words(note, place[0]) if place else ''}")
    return "\n".join(rows)


def _place_in_words(note: Note, place: str) -> str:
    """Return which block or formula of a note a place such as ``block-2`` is."""
    kind, _, number = place.rpartition("-")
    if kind in ("block", "output"):
        fence = note.blocks[int(number)].fence
        return f" (block {int(number) + 1}, line {fence.line})"
    if kind == "formula":
        return f" (line {note.formulas[int(number)].line})"
    return ""


def _target_text(vault: Vault, note: Note, line: int, column: int) -> str:
    """Return the target of a link as text: a section, a block, or the beginning of a note."""
    link = link_in(note, line, column)
    assert link
    try:
        target = vault.resolve(link, note)
    except BrokenLinkError as error:
        return str(error)
    if target.note is None:
        return vault.relative(target.path)
    if target.lines:
        first, last = target.lines
        rows = target.note.shown[first - 1 : last]
    else:
        rows = target.note.shown[target.note.front :]
    while rows and not rows[0].strip():
        rows = rows[1:]
    more = ["", "…"] if len(rows) > _LONGEST else []
    head = [f"*{target.note.summary}*", ""] if target.note.summary and not target.lines else []
    shown = rows[:_LONGEST]
    if sum(row.lstrip("> ").startswith("```") for row in shown) % 2:
        more = ["```", *more]  # close the fence that was cut
    return "\n".join([*head, *shown, *more]).strip()


def _duration_text(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
