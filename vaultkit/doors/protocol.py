"""Translates places, failures, symbols and edits to and from the language server protocol.

The engine counts lines and columns from 1, columns in characters. The protocol counts both from 0,
columns in an encoding's units: in UTF-16, *😀* has two.
"""

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
_KINDS_OF_WARNINGS = {"form"}


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
        The encoding in whose units the editor counts columns, such as ``utf-16``.
    folder
        The folder of the vault as the editor names it, perhaps through a symbolic link.
    """

    drafts: Drafts
    encoding: str
    folder: Path

    def span(self, rows: Sequence[str], where: types.Range) -> Span:
        """Return a range of the protocol as a span of a text, given the lines of the text."""
        line, column = self.place(rows, where.start)
        return Span(line, column, *self.place(rows, where.end))

    def place(self, rows: Sequence[str], where: types.Position) -> tuple[int, int]:
        """Return a position of the protocol as a line and a column, given the lines of the text.

        A position behind the last line is the end of the text.
        """
        if where.line >= len(rows):
            return len(rows), len(rows[-1]) + 1
        return where.line + 1, from_units(rows[where.line], where.character, self.encoding)

    def range(self, rows: Sequence[str], where: Span) -> types.Range:
        """Return a span of a text as a range of the protocol, given the lines of the text."""

        def position(line: int, column: int) -> types.Position:
            """Return a place as a position; a span of whole lines ends behind the last one."""
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
        """Return the path of a file as the editor names it.

        A file in the vault is named by way of `folder`, one beside it by way of its parent.
        """
        root = self.drafts.vault.root
        for real, named in ((root, self.folder), (root.parent, self.folder.parent)):
            # If the folder is a link, its parent may be another folder than that of the vault.
            if path.is_relative_to(real) and named.resolve() == real:
                return named / path.relative_to(real)
        return path

    def location(self, place: Place) -> types.Location:
        """Return a place in a file as a location of the protocol."""
        # The beginning of a line has the same position in every unit: no file has to be read.
        rows = self.drafts.rows(place.path) if place.span.end_column > 1 else []
        return types.Location(self.uri(place.path), self.range(rows, place.span))

    def diagnostic(self, note: Note, check: Check) -> types.Diagnostic:
        """Return a check that does not hold as a diagnostic, as severe as its outcome."""
        severity = types.DiagnosticSeverity.Error
        if check.outcome == EXCEPTED:
            severity = types.DiagnosticSeverity.Information
        elif check.outcome == UNJUDGED:
            severity = types.DiagnosticSeverity.Hint
        elif check.kind in _KINDS_OF_WARNINGS:
            severity = types.DiagnosticSeverity.Warning
        where = self.range(note.lines, span_of_check(check, note))
        return types.Diagnostic(where, check.why, severity, check.kind, source="vaultkit")

    def wrong_settings(self, error: OptionsError) -> types.Diagnostic:
        """Return an error in the settings of the vault as a diagnostic of its line."""
        message = str(error).removeprefix(f"{error.path}: ")
        whole_line = types.Range(types.Position(error.line - 1, 0), types.Position(error.line, 0))
        return types.Diagnostic(whole_line, message, code="settings", source="vaultkit")

    def hint(self, note: Note, hint: Hint) -> types.InlayHint:
        """Return a hint as an inlay hint."""
        position = self.range(note.lines, Span.within(hint.line, hint.column, 0)).start
        return types.InlayHint(position, hint.words, padding_left=True, tooltip=hint.why or None)

    def outline(self, note: Note, parts: Sequence[Symbol]) -> list[types.DocumentSymbol]:
        """Return the parts of a note as a tree, each below its heading."""
        top: list[types.DocumentSymbol] = []
        #: The levels of the headings around a part, outermost first, and the symbols below each.
        open_sections: list[tuple[int, list[types.DocumentSymbol]]] = [(0, top)]
        for part in sorted(parts, key=lambda part: (part.whole.line, part.kind != "heading")):
            children: list[types.DocumentSymbol] = []
            symbol = types.DocumentSymbol(
                part.name or " ",  # the protocol allows no empty name
                SYMBOLS[part.kind],
                self.range(note.lines, part.whole),
                self.range(note.lines, part.span),
                children=children,
            )
            if part.kind == "heading":
                open_sections = [(level, s) for level, s in open_sections if level < part.level]
            _, siblings = open_sections[-1]
            siblings.append(symbol)
            if part.kind == "heading":
                open_sections.append((part.level, children))
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
            document = types.OptionalVersionedTextDocumentIdentifier(self.uri(path))
            changes.append(types.TextDocumentEdit(document, [types.TextEdit(start, text)]))
        for path, edits_of_file in edits.items():
            draft = self.drafts.get(path)
            rows = self.drafts.rows(path)
            # With the version, the editor refuses the edits if its text has changed meanwhile.
            document = types.OptionalVersionedTextDocumentIdentifier(
                self.uri(path), draft.version if draft else None
            )
            text_edits = [
                types.TextEdit(self.range(rows, edit.span), edit.text)
                for edit in sorted(edits_of_file)
            ]
            changes.append(types.TextDocumentEdit(document, text_edits))
        if moved:
            old, new = moved
            changes.append(types.RenameFile(self.uri(old), self.uri(new)))
        return types.WorkspaceEdit(document_changes=changes)
