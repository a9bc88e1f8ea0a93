"""An entry of the store is found only under its key; a damaged file is replaced."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import pytest

from vaultkit.store import Store


def never() -> bytes:
    raise AssertionError("made again")


def test_a_thing_is_made_once_for_a_key(tmp_path: Path) -> None:
    file = tmp_path / "a" / "store"
    assert Store(file).get("page", "A", b"1", lambda: b"one") == b"one"
    assert Store(file).get("page", "A", b"1", never) == b"one"
    assert Store(file).get("page", "A", b"2", lambda: b"two") == b"two"
    # There is one row for a name, whatever keys it has had.
    assert Store(file).get("page", "A", b"1", lambda: b"new") == b"new"
    assert Store(file).names("page") == {"A"}


def test_kinds_and_names_are_apart(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    odd = os.fsdecode(b"caf\xe9.md")
    for kind in ("page", "note"):
        for name in ("A", "a", odd, "很"):
            store.put(kind, name, b"", f"{kind} {name!a}".encode())
    assert store.find("note", odd, b"") == f"note {odd!a}".encode()
    store.forget_others("note", ["A", odd])
    assert store.names("note") == {"A", odd}
    assert store.names("page") == {"A", "a", odd, "很"}


def test_nothing_is_written_to_look(tmp_path: Path) -> None:
    store = Store(tmp_path / "a" / "store")
    assert store.find("page", "A", b"") is None
    store.forget_others("page", [])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda _: b"no store" * 999,
        lambda content: content[:5000],
        lambda content: content.replace(b"one" * 99, b"two" * 99),
    ],
)
def test_a_damaged_file_is_made_again(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.put("page", "A", b"", b"one" * 99)
    store.close()
    store.file.write_bytes(damage(store.file.read_bytes()))
    for content in (b"new", b"newer"):
        store.find("page", "A", b"")
        store.put("page", "A", b"", content)
    assert Store(tmp_path / "store").find("page", "A", b"") == b"newer"


def test_what_was_changed_in_a_file_is_not_given_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.put("page", "A", b"", b"one")
    with sqlite3.connect(store.file) as direct:
        direct.execute("UPDATE kept SET content = 'one'")
    assert store.find("page", "A", b"") is None


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "store")
    assert [store.get("page", "A", b"", lambda: b"one") for _ in range(3)] == [b"one"] * 3


def _write(store: Store, name: str) -> None:
    for number in range(200):
        store.put("page", f"{name}{number}", b"", name.encode())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX forks")
def test_processes_write_at_the_same_time(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.put("page", "A", b"", b"one")
    children = [get_context("fork").Process(target=_write, args=(store, name)) for name in "BC"]
    for child in children:
        child.start()
    _write(store, "D")
    for child in children:
        child.join()
    assert len(store.names("page")) == 601
    assert store.find("page", "B199", b"") == b"B"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the open files of a process")
def test_a_process_that_is_forked_has_no_store_open(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.put("page", "A", b"", b"one")
    opened = tmp_path / "opened"

    def read() -> None:
        paths = (os.path.realpath(path) for path in Path("/proc/self/fd").iterdir())
        opened.write_text(" ".join(path for path in paths if str(tmp_path) in path))

    child = get_context("fork").Process(target=read)
    child.start()
    child.join()
    assert str(store.file) not in opened.read_text()
    assert store.find("page", "A", b"") == b"one"


FORKS = """
import os, sys, threading
from pathlib import Path
from vaultkit.store import Store

stores = [Store(Path(sys.argv[1]) / str(number)) for number in range(3)]

def fork():
    for _ in range(50):
        process = os.fork()
        if process == 0:
            os._exit(0)
        os.waitpid(process, 0)
        for store in stores:
            store.put("page", "A", b"", b"one")

threads = [threading.Thread(target=fork) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print([store.find("page", "A", b"") for store in stores])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX forks")
def test_two_threads_fork_at_the_same_time(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == (f"{[b'one'] * 3}\n", "")
