"""Makes MkDocs' server look for changes as soon as the operating system reports one.

The server polls twice a second, and continues to: polling also finds changes in folders for which
the system sends no events, such as network folders and symbolic links.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from watchdog.events import (
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

#: Seconds without a change before the server builds. The server's default is 0.1, since a file that
#: is found by polling may still be being written; an event comes after the file is closed.
_QUIET = 0.03
#: The events that matter. Each write is an event, too, but only a closed file is complete.
_CHANGES = [FileClosedEvent, FileCreatedEvent, FileDeletedEvent, FileMovedEvent]


class FileEvents:
    """Listens to the system's events for a folder that a server watches.

    Parameters
    ----------
    server
        The server of MkDocs.
    folder
        The folder.
    """

    def __init__(self, server: Any, folder: Path) -> None:
        self._observer = Observer()
        # Other systems send no event when a file is closed.
        if sys.platform != "linux":
            return
        with suppress(OSError):  # the limit of watched folders may be reached
            handler = _Handler(lambda: _poll(server, folder))
            self._observer.schedule(handler, str(folder), recursive=True, event_filter=_CHANGES)
            self._observer.start()
            server.build_delay = _QUIET

    def end(self) -> None:
        """Stop listening."""
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()


class _Handler(FileSystemEventHandler):
    """Calls a function at each change of a file."""

    def __init__(self, poll: Callable[[], None]) -> None:
        self._poll = poll

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Poll after each event of a file."""
        if not event.is_directory:
            self._poll()


def _poll(server: Any, folder: Path) -> None:
    """Make the server's own observer of a folder poll at once (an *emitter* of watchdog polls)."""
    for emitter in list(server.observer.emitters):
        if emitter.is_alive() and os.fspath(emitter.watch.path) == os.fspath(folder):
            emitter.queue_events(0)
