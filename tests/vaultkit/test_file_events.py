"""A server is woken by a save, and by nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mkdocs.livereload import LiveReloadServer

from vaultkit.doors.file_events import FileEvents

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports what is closed")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveReloadServer]:
    """A server that polls for changes once an hour."""
    (tmp_path / "docs" / "Sea").mkdir(parents=True)
    (tmp_path / "docs" / "Sea" / "Tern.md").write_text("# Tern\n")
    site = str(tmp_path / "site")
    server = LiveReloadServer(lambda: None, "127.0.0.1", 0, site, polling_interval=3600)
    server.watch(str(tmp_path / "docs"))
    events = FileEvents(server, tmp_path / "docs")
    server.observer.start()
    yield server
    events.end()
    server.observer.stop()
    server.server_close()


def was_woken(server: LiveReloadServer, seconds: float = 20) -> bool:
    with server._rebuild_cond:
        woken = server._rebuild_cond.wait_for(lambda: server._want_rebuild, seconds)
        server._want_rebuild = False
    return woken


def test_a_save_wakes_the_server(server: LiveReloadServer, tmp_path: Path) -> None:
    note = tmp_path / "docs" / "Sea" / "Tern.md"
    note.write_text("# Arctic Tern\n")
    assert was_woken(server)
    # As many editors do it.
    other = note.with_name(".Tern.md.tmp")
    other.write_text("# Common Tern\n")
    assert was_woken(server)
    other.replace(note)
    assert was_woken(server)
    note.unlink()
    assert was_woken(server)
    (tmp_path / "docs" / "Land").mkdir()
    (tmp_path / "docs" / "Land" / "Owl.md").write_text("# Owl\n")
    assert was_woken(server)


def test_to_read_a_note_wakes_nobody(server: LiveReloadServer, tmp_path: Path) -> None:
    note = tmp_path / "docs" / "Sea" / "Tern.md"
    note.read_text()
    assert not was_woken(server, 0.3)
    note.write_text("# Arctic Tern\n")
    assert was_woken(server)
