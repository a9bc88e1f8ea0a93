"""The messages between an editor and the language server, where pygls handles them otherwise."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol, lsp_method


class Messages(LanguageServerProtocol):
    """The protocol of pygls, without its copies of the texts, which `vaultkit.doors.drafts` holds.

    pygls splits lines at more characters than editors do, and its conversion of a position changes
    the object that it gets. It does not answer after the request to shut down, and it keeps the
    future of each notification.
    """

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Any:
        """Pass the opening of a note on to the server, without storing its text."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Any:
        """Pass a change of a note on to the server, without applying it to a stored text."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Any:
        """Pass the closing of a note on to the server."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    def handle_message(self, message: Any) -> None:
        """Answer each request after the one to shut down with an error; drop finished futures.

        A request has an ``id`` and a ``method``, a notification no ``id``, an answer no ``method``.
        """
        if self._shutdown and hasattr(message, "id") and hasattr(message, "method"):
            why = JsonRpcInvalidRequest("the server is shutting down").to_response_error()
            self._send_response(message.id, error=why)
            return
        super().handle_message(message)
        for key in [key for key, future in self._request_futures.items() if future.done()]:
            del self._request_futures[key]
