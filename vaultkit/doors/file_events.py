"""Has MkDocs' server look for changes at once when the system tells of one.

It looks by itself twice a second, which finds a change in every kind of folder, also where the
system tells of none: on a network, behind a link. It goes on doing so.
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

#: Seconds without a change, after which the server builds. A tenth of a second by default, since
#: what it finds by itself may be written still.
_QUIET = 0.03
#: What is closed is written; to open a file changes nothing.
_CHANGES = [FileClosedEvent, FileCreatedEvent, FileDeletedEvent, FileMovedEvent]


class FileEvents:
    """Listens to the system for changes in a folder that a server watches.

    Parameters
    ----------
    server
        That of MkDocs.
    folder
        The folder.
    """

    def __init__(self, server: Any, folder: Path) -> None:
        self._observer = Observer()
        # Elsewhere the system does not tell when a file is written to its end.
        if sys.platform != "linux":
            return
        with suppress(OSError):  # the system may watch no more folders
            handler = _Handler(lambda: _poll(server, folder))
            self._observer.schedule(handler, str(folder), recursive=True, event_filter=_CHANGES)
            self._observer.start()
            server.build_delay = _QUIET

    def end(self) -> None:
        """Listen no more."""
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()


class _Handler(FileSystemEventHandler):
    def __init__(self, poll: Callable[[], None]) -> None:
        self._poll = poll

    def on_any_event(self, event: FileSystemEvent) -> None:
        if not event.is_directory:
            self._poll()


def _poll(server: Any, folder: Path) -> None:
    for emitter in list(server.observer.emitters):
        if emitter.is_alive() and os.fspath(emitter.watch.path) == os.fspath(folder):
            emitter.queue_events(0)
