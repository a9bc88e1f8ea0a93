"""The door to JupyterLab: tells jupyter-lsp how to start the language server."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any


def specification(_: Any = None) -> dict[str, Any]:
    """Return the specification of the server, as jupyter-lsp asks for it by an entry point.

    Without pygls there is no server.

    Examples
    --------
    >>> specification()["vaultkit"]["languages"]
    ['ipythongfm', 'markdown']
    """
    if find_spec("pygls") is None:
        return {}
    server = {
        "version": 2,
        "argv": [sys.executable, "-m", "vaultkit", "lsp"],
        # What JupyterLab calls Markdown.
        "languages": ["ipythongfm", "markdown"],
        "mime_types": ["text/x-ipythongfm", "text/markdown"],
        "display_name": "vaultkit",
    }
    return {"vaultkit": server}
