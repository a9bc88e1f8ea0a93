"""Translates places, failures, symbols and edits to and from the language server protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lsprotocol import types

from vaultkit.checks.check import EXCEPTED, UNJUDGED, Check
from vaultkit.doors.drafts import Drafts
from vaultkit.edit.find import Place, Symbol
from vaultkit.edit.hints import Hint
from vaultkit.edit.spans import span_of_check
from vaultkit.edit.text import Edit, Span, from_units, to_units
from vaultkit.read.note import Note
from vaultkit.read.options import OptionsError

COMPLETIONS = {
    "note": types.CompletionItemKind.File,
    "alias": types.CompletionItemKind.Reference,
    "file": types.CompletionItemKind.File,
    "heading": types.CompletionItemKind.Reference,
    "id": types.CompletionItemKind.Reference,
    "tag": types.CompletionItemKind.Keyword,
    "option": types.CompletionItemKind.Property,
    "variable": types.CompletionItemKind.Variable,
}
SYMBOLS = {
    "note": types.SymbolKind.File,
    "alias": types.SymbolKind.Key,
    "heading": types.SymbolKind.String,
    "block": types.SymbolKind.Function,
    "id": types.SymbolKind.Key,
}
#: Kinds of checks that concern only the form of a note; their failures are warnings.
_WARNINGS = {"form"}


class RequestedPlace(NamedTuple):
    """The position in a note that a request names, and the protocol of the note's vault."""

    protocol: Protocol
    note: Note
    line: int
    column: int


@dataclass
class Protocol:
    """Translates between the engine and the protocol.

    Attributes
    ----------
    drafts
        The open notes.
    encoding
        The unit in which the editor counts columns.
    folder
        The folder of the vault as the editor names it, perhaps through a symbolic link.
    """

    drafts: Drafts
    encoding: str
    folder: Path

    def span(self, rows: Sequence[str], where: types.Range) -> Span:
        """Return a range of the protocol as a span of a text, given its lines."""
        line, column = self.place(rows, where.start)
        return Span(line, column, *self.place(rows, where.end))

    def place(self, rows: Sequence[str], where: types.Position) -> tuple[int, int]:
        """Return a position of the protocol as a line and a column."""
        if where.line >= len(rows):
            return len(rows), len(rows[-1]) + 1
        return where.line + 1, from_units(rows[where.line], where.character, self.encoding)

    def range(self, rows: Sequence[str], where: Span) -> types.Range:
        """Return a span of a text as a range of the protocol, given the lines of the text.

        A range counts lines and columns from 0, columns in the unit of the editor.
        """

        def position(line: int, column: int) -> types.Position:
            text = rows[line - 1] if line <= len(rows) else ""
            return types.Position(line - 1, to_units(text, column, self.encoding))

        return types.Range(
            position(where.line, where.column), position(where.end_line, where.end_column)
        )

    def uri(self, path: Path) -> str:
        """Return the URI of a file; of an open one, the URI that the editor has sent."""
        draft = self.drafts.get(path)
        return draft.uri if draft else self.named(path).as_uri()

    def named(self, path: Path) -> Path:
        """Return the path of a file as the editor names it."""
        root = self.drafts.vault.root
        for real, named in ((root, self.folder), (root.parent, self.folder.parent)):
            if path.is_relative_to(real) and named.resolve() == real:
                return named / path.relative_to(real)
        return path

    def location(self, place: Place) -> types.Location:
        """Return a place in a file as a location of the protocol."""
        # The beginning of a file has the same position in every unit.
        rows = self.drafts.rows(place.path) if place.span.end_column > 1 else []
        return types.Location(self.uri(place.path), self.range(rows, place.span))

    def diagnostic(self, note: Note, check: Check) -> types.Diagnostic:
        """Return a check that does not hold as a diagnostic; one not judged is a hint."""
        severity = types.DiagnosticSeverity.Error
        if check.outcome == EXCEPTED:
            severity = types.DiagnosticSeverity.Information
        elif check.outcome == UNJUDGED:
            severity = types.DiagnosticSeverity.Hint
        elif check.kind in _WARNINGS:
            severity = types.DiagnosticSeverity.Warning
        where = self.range(note.lines, span_of_check(check, note))
        return types.Diagnostic(where, check.why, severity, check.kind, source="vaultkit")

    def wrong_settings(self, error: OptionsError) -> types.Diagnostic:
        """Return an error in the settings of the vault as a diagnostic of its line."""
        words = str(error).removeprefix(f"{error.path}: ")
        where = types.Range(types.Position(error.line - 1, 0), types.Position(error.line, 0))
        return types.Diagnostic(where, words, code="settings", source="vaultkit")

    def hint(self, note: Note, hint: Hint) -> types.InlayHint:
        """Return a hint as an inlay hint."""
        here = self.range(note.lines, Span.within(hint.line, hint.column, 0)).start
        return types.InlayHint(here, hint.words, padding_left=True, tooltip=hint.why or None)

    def outline(self, note: Note, parts: Sequence[Symbol]) -> list[types.DocumentSymbol]:
        """Return the parts of a note as a tree, each below its heading."""
        top: list[types.DocumentSymbol] = []
        above: list[tuple[int, list[types.DocumentSymbol]]] = [(0, top)]
        for part in sorted(parts, key=lambda part: (part.whole.line, part.kind != "heading")):
            below: list[types.DocumentSymbol] = []
            symbol = types.DocumentSymbol(
                part.name or " ",
                SYMBOLS[part.kind],
                self.range(note.lines, part.whole),
                self.range(note.lines, part.span),
                children=below,
            )
            if part.kind == "heading":
                while above[-1][0] >= part.level:
                    above.pop()
            above[-1][1].append(symbol)
            if part.kind == "heading":
                above.append((part.level, below))
        return top

    def workspace_edit(
        self,
        edits: Mapping[Path, Sequence[Edit]],
        moved: tuple[Path, Path] | None = None,
        makes: tuple[Path, str] | None = None,
    ) -> types.WorkspaceEdit:
        """Return edits of files, and operations on files, as one edit of the workspace.

        Parameters
        ----------
        edits
            The edits of each file; their spans are those of its present text.
        moved
            The path of a file and its new path; it is renamed after the edits.
        makes
            The path of a new file, and its text; it is made before the edits.
        """
        changes: list[Any] = []
        if makes:
            path, text = makes
            changes.append(types.CreateFile(self.uri(path)))
            start = types.Range(types.Position(0, 0), types.Position(0, 0))
            identified = types.OptionalVersionedTextDocumentIdentifier(self.uri(path))
            changes.append(types.TextDocumentEdit(identified, [types.TextEdit(start, text)]))
        for path, changed in edits.items():
            draft = self.drafts.get(path)
            rows = self.drafts.rows(path)
            version = draft.version if draft else None
            changes.append(
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(self.uri(path), version),
                    [types.TextEdit(self.range(rows, e.span), e.text) for e in sorted(changed)],
                )
            )
        if moved:
            old, new = moved
            changes.append(types.RenameFile(self.uri(old), self.uri(new)))
        return types.WorkspaceEdit(document_changes=changes)
