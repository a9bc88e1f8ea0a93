"""The code action of the language server that binds a number or a comparison to code.

A *candidate* is an expression of the note's variables with which a number or comparison agrees; a
comment after the words binds them to it. The candidates are known only after the note has run, so
the action is a command: it runs the note, asks the writer which candidate is meant, and sends the
edit to the editor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from vaultkit.checks.check import FAILS, Check
from vaultkit.claims.claims import claims_of
from vaultkit.doors import binding
from vaultkit.edit.bind import insertions, propose
from vaultkit.edit.text import Span
from vaultkit.read.note import Note

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from vaultkit.doors.protocol import Protocol

#: The command: the URI of a note, and a line and character as in the protocol.
BIND = "vaultkit.bind"
#: The most candidates that are offered: editors show a button for each.
_MOST_OFFERED = 9


def bind_actions(
    note: Note, where: Span, checks: Iterable[Check], uri: str, position: types.Position
) -> list[types.CodeAction]:
    """Return the action that binds the number or comparison in a span of one line.

    The list is empty if there is none, or if a comment binds it already. ``uri`` and ``position``
    say in the terms of the protocol where the editor asked; the command gets them.
    """
    bound = {(binding.line, binding.column) for binding in claims_of(note).bindings}

    def can_be_bound(check: Check) -> bool:
        """Return whether a check is of a number or comparison that no comment binds.

        A wrong number is left out: no value of the code agrees with it.
        """
        is_claim = check.kind in ("number", "comparison") and check.outcome != FAILS
        return is_claim and (check.line, check.column) not in bound

    def is_in_span(check: Check) -> bool:
        """Return whether a part of the check's words is in the span, or touches it."""
        begins_before_end = check.column <= where.end_column
        ends_after_begin = where.column <= check.column + len(check.what)
        return check.line == where.line == where.end_line and begins_before_end and ends_after_begin

    check = next((c for c in checks if is_in_span(c) and can_be_bound(c)), None)
    if check is None:
        return []
    arguments = [uri, position.line, position.character]
    title = f"Bind {check.what} to code …"
    command = types.Command(title, BIND, None, arguments)
    return [types.CodeAction(title, types.CodeActionKind.RefactorRewrite, command=command)]


async def find_candidates(
    protocol: Protocol, note: Note, line: int, column: int, is_current: Callable[[], bool]
) -> list[dict[str, Any]]:
    """Run a note; return the comments that bind the number at a place, or those of its line.

    Each has a ``title`` (the number with the comment after it) and an ``edit`` that inserts it.
    There are none if the note is no longer the current text of its draft after the run.
    """
    inspection = await asyncio.to_thread(binding.run_note, note, protocol.drafts.vault)
    if not is_current():
        return []
    of_line = [
        proposal for proposal in propose(note, inspection.collected) if proposal.line == line
    ]
    # The column of a proposal is behind its text, where the comment goes.
    at_place = [
        proposal
        for proposal in of_line
        if proposal.column - len(proposal.text) <= column <= proposal.column
    ]
    return [
        {
            "title": f"{proposal.text}{proposal.comment(candidate)}",
            "edit": protocol.workspace_edit({note.path: edits}),
        }
        for proposal in at_place or of_line
        for candidate in proposal.candidates
        if (edits := insertions(note, [(proposal, candidate)]))
    ]


async def choose(server: LanguageServer, candidates: Sequence[dict[str, Any]]) -> None:
    """Ask the writer which candidate is meant, and send its edit to the editor.

    ``candidates`` are those of `find_candidates`; if there are none, the writer is told why.
    """
    if not candidates:
        words = "No small expression of the page's variables agrees with these words."
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, words))
        return
    titles = dict.fromkeys(candidate["title"] for candidate in candidates)
    items = [types.MessageActionItem(title) for title in list(titles)[:_MOST_OFFERED]]
    request = types.ShowMessageRequestParams(types.MessageType.Info, "Which code is meant?", items)
    answer = await server.window_show_message_request_async(request)
    chosen = next(
        (candidate for candidate in candidates if answer and candidate["title"] == answer.title),
        None,
    )
    if chosen:
        edit = types.ApplyWorkspaceEditParams(chosen["edit"], chosen["title"])
        await server.workspace_apply_edit_async(edit)
