"""Reports of a vault to an editor: diagnostics, messages, progress, the status of all notes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from lsprotocol import types

from vaultkit.checks.check import FAILS, Check
from vaultkit.doors.drafts import Draft, Drafts, EditorSettings, Status
from vaultkit.doors.protocol import Protocol
from vaultkit.read.note import Note
from vaultkit.read.options import OptionsError

#: The notification of the status of a vault.
STATUS = "vaultkit/status"
#: The notification of a message, for an editor that asks for it.
MESSAGE = "vaultkit/message"
#: Seconds between two reports of the status, which changes with each note that is checked.
_STATUS_EVERY = 0.2


class NotePath(NamedTuple):
    """The path of a note, and the reports of its vault."""

    reports: Reports
    path: Path


class Reports:
    """The reports of one vault.

    Parameters
    ----------
    server
        Sends messages to the editor.
    folder
        The folder of the vault, as the editor names it.
    encoding
        The unit in which the editor counts columns.
    editor_settings
        What the editor has set.
    """

    def __init__(
        self, server: Any, folder: Path, encoding: str, editor_settings: EditorSettings
    ) -> None:
        self._server = server
        self._folder = folder
        self._timer: asyncio.TimerHandle | None = None
        self._last_status: Status | None = None
        #: The progress that the editor shows: its token, which is empty if it shows none, and the
        #: most notes so far that waited at once.
        self._token, self._most_waiting = "", 0
        self.drafts = Drafts(folder, self, editor_settings)
        self.protocol = Protocol(self.drafts, encoding, folder)

    def begin(self) -> None:
        """Report an error in the settings, and check all notes that are not open."""
        if self.drafts.options_error:
            self.settings_read(self.drafts.options_error, None)
        self.drafts.check_all()

    def close(self) -> None:
        """End all runs and timers; what was reported stays."""
        if self._timer:
            self._timer.cancel()
        self.drafts.close()

    def remove(self) -> None:
        """Close a vault that the editor has closed, and remove its reports."""
        self.close()
        for path in self.drafts.reported:
            self._publish(self.protocol.uri(path), [], None)

    def note_checked(self, note: Note, checks: Iterable[Check], draft: Draft | None) -> None:
        """Publish the checks of a note that are given, in place of those published before."""
        diagnostics = [self.protocol.diagnostic(note, check) for check in checks]
        uri = draft.uri if draft else self.protocol.uri(note.path)
        self._publish(uri, diagnostics, draft.version if draft else None)

    def code_ran(self) -> None:
        """Make the editor request the lenses and hints again."""
        workspace = self._server.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self._server.workspace_code_lens_refresh(None)
        if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self._server.workspace_inlay_hint_refresh(None)

    def say(self, words: str, outcome: str) -> None:
        """Show a message to the user.

        An editor that would join its lines gets it as a notification, and shows it itself.
        """
        if self.drafts.editor_settings.notifies:
            self._server.protocol.notify(MESSAGE, {"text": words, "fails": outcome == FAILS})
            return
        kind = types.MessageType.Warning if outcome == FAILS else types.MessageType.Info
        self._server.window_show_message(types.ShowMessageParams(kind, words))

    def settings_read(self, error: OptionsError | None, before: OptionsError | None) -> None:
        """Publish the error in the settings at its line, and remove the one that was there."""
        if before and before.path:
            self._publish(self.protocol.uri(before.path), [], None)
        if error and error.path:
            diagnostics = [self.protocol.wrong_settings(error)]
            self._publish(self.protocol.uri(error.path), diagnostics, None)

    def status_changed(self) -> None:
        """Report how many notes hold and fail, at most a few times a second."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(_STATUS_EVERY, self._report_status)

    def _report_status(self) -> None:
        """Send the state of the vault to the editor if it has changed."""
        self._timer = None
        status = self.drafts.status
        if status != self._last_status:
            self._last_status = status
            folder = self._folder.as_uri()
            data = {"folder": folder, "text": str(status), **vars(status)}
            self._server.protocol.notify(STATUS, data)
            self._report_progress(status)

    def _report_progress(self, status: Status) -> None:
        """Show the progress of checking many notes, if the editor can."""
        window = self._server.client_capabilities.window
        if not (window and window.work_done_progress) or not self.drafts.editor_settings.run_all:
            return
        progress = self._server.work_done_progress
        if not self._token and status.waiting > 1:  # one note alone is checked soon enough
            self._token, self._most_waiting = f"vaultkit {self._folder}", status.waiting
            begun = types.WorkDoneProgressBegin("Checking notes", percentage=0)
            create = types.WorkDoneProgressCreateParams(self._token)
            self._server.window_work_done_progress_create(create)
            progress.begin(self._token, begun)
        elif self._token and status.waiting:
            self._most_waiting = max(self._most_waiting, status.waiting)
            percentage = 100 * (self._most_waiting - status.waiting) // self._most_waiting
            report = types.WorkDoneProgressReport(message=str(status), percentage=percentage)
            progress.report(self._token, report)
        elif self._token:
            progress.end(self._token, types.WorkDoneProgressEnd(message=str(status)))
            self._token = ""

    def _publish(self, uri: str, diagnostics: list[types.Diagnostic], version: int | None) -> None:
        """Send the diagnostics of a file, which replace those before; ``version`` is of a draft."""
        params = types.PublishDiagnosticsParams(uri, diagnostics, version)
        self._server.text_document_publish_diagnostics(params)
