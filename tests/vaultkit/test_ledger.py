"""A result in the ledger is dropped as soon as anything that it depends on has changed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, GENERAL, HERE, Check, Mend
from vaultkit.pipeline import ledger as module
from vaultkit.pipeline.ledger import OF_TEXT, Ledger, folder_of, in_words, published
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault

CHECKS = [
    Check("number", 9, "2.5", FAILS, "no such number", column=7),
    Check("equation", 5, "$a$", scope=GENERAL, column=2, seconds=0.25),
    Check("equation", 5, "$a$", scope=HERE, column=12),
    Check("block", 3, "Run", block=0, mend=Mend(4, 5, ("1", "2"), "x", "3")),
]
TEXT = "# A\n\n[[B#One]], [[data.csv]], [[A#Two]], [[Gone]] and ![x](a.svg).\n\n## Two\n"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "A.md").write_text(TEXT)
    (docs / "B.md").write_text("# B\n\nWords.\n\n## One\n")
    (docs / "C.md").write_text("# C\n\n## Three\n")
    (docs / "data.csv").write_text("1,2\n")
    (docs / "a.svg").write_text('<svg><a href="[[C]]"/></svg>')
    (tmp_path / "lib.py").write_text("x = 1\n")
    return Vault(docs)


def note(vault: Vault, name: str = "A") -> Note:
    return next(note for note in vault.notes.values() if note.name == name)


def record(vault: Vault, checks: list[Check] = CHECKS, name: str = "A") -> Ledger:
    ledger = Ledger(vault)
    root = vault.root.parent
    ledger.record(note(vault, name), checks, [root / "lib.py", root / "docs" / "later.txt"])
    return ledger


def test_it_gives_what_was_found_in_the_order_of_the_note(vault: Vault) -> None:
    ledger = Ledger(vault)
    assert not ledger.knows(note(vault))
    assert ledger.checks(note(vault)) is None
    record(vault)
    assert ledger.knows(note(vault))
    assert ledger.checks(note(vault)) == [CHECKS[i] for i in (3, 1, 2, 0)]
    assert ledger.checks(note(vault, "B")) is None
    (file,) = (vault.root.parent / ".cache" / "vaultkit" / "ledger").iterdir()
    assert file.suffix == ".json"
    assert json.loads(file.read_bytes())["note"] == "A.md"
    record(vault, [])
    assert ledger.checks(note(vault)) == []
    assert ledger.knows(note(vault))


def test_what_is_known_already_is_not_written_again(vault: Vault) -> None:
    record(vault)
    (file,) = (vault.root.parent / ".cache" / "vaultkit" / "ledger").iterdir()
    content = file.read_bytes()
    os.utime(file, ns=(1, 1))
    slower = [replace(check, seconds=9.5) for check in CHECKS]
    record(vault, slower)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (content, 1)
    record(vault, [*slower[:2], replace(slower[2], why="x"), slower[3]])
    assert file.stat().st_mtime_ns != 1
    assert ledger_of(vault)[2].why == "x"
    file.write_bytes(content.replace(b'"engine": "', b'"engine": "0'))
    record(vault)
    assert json.loads(file.read_bytes()) == json.loads(content)


def ledger_of(vault: Vault) -> list[Check]:
    return Ledger(vault).checks(note(vault)) or []


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_notes_with_names_in_odd_bytes_are_known(vault: Vault) -> None:
    for name in (b"caf\xe9.md", b"caf\xe8.md"):
        (vault.root / os.fsdecode(name)).write_text("# Coffee\n")
    vault.refresh()
    ledger = Ledger(vault)
    for number, found in enumerate(vault.notes.values()):
        ledger.record(found, [Check("block", number + 1, "Run")])
    for number, found in enumerate(vault.notes.values()):
        assert ledger.checks(found) == [Check("block", number + 1, "Run")]


CHANGES: dict[str, Callable[[Path], Any]] = {
    "the note": lambda root: (root / "docs/A.md").write_text(TEXT + "\n"),
    "a module": lambda root: (root / "lib.py").write_text("x = 2\n"),
    "a module that is gone": lambda root: (root / "lib.py").unlink(),
    "a file that was not there": lambda root: (root / "docs/later.txt").write_text(""),
    "a heading of a note it links to": lambda root: (root / "docs/B.md").write_text("# B\n"),
    "a note it links to is gone": lambda root: (root / "docs/B.md").unlink(),
    "a note that was not there": lambda root: (root / "docs/Gone.md").write_text("# Gone\n"),
    "a file it links to": lambda root: (root / "docs/data.csv").write_text("1,3\n"),
    "a figure": lambda root: (root / "docs/a.svg").write_text('<svg><a href="[[C]]"/> </svg>'),
    "what a figure links to": lambda root: (root / "docs/C.md").write_text("# C\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_it_forgets_where_that_changes(vault: Vault, change: Callable[[Path], Any]) -> None:
    ledger = record(vault)
    change(vault.root.parent)
    vault.refresh()
    assert ledger.checks(note(vault)) is None
    assert ledger.knows(note(vault))
    record(vault)
    assert ledger.checks(note(vault))


def test_it_forgets_where_the_engine_or_numpy_changes(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = record(vault)
    with monkeypatch.context() as patch:
        patch.setattr(np, "__version__", "9.9")
        assert ledger.checks(note(vault)) is None
    assert ledger.checks(note(vault))
    monkeypatch.setattr(module, "_engine", lambda: "another")
    assert ledger.checks(note(vault)) is None


def test_the_engine_is_all_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "__file__", str(tmp_path / "pipeline/ledger.py"))
    (tmp_path / "room").mkdir()
    seen = set()
    for name, text in (
        ("ledger.py", "1"),
        ("room/a.py", "1"),
        ("room/a.py", "2"),
        ("room/b.py", "2"),
        ("a.py", "2"),
    ):
        (tmp_path / name).write_text(text)
        seen.add(module._engine.__wrapped__())
    (tmp_path / "room/b.py").rename(tmp_path / "room/c.py")
    seen.add(module._engine.__wrapped__())
    assert len(seen) == 6
    (tmp_path / "words.md").write_text("words")
    assert module._engine.__wrapped__() in seen


def test_it_does_not_forget_for_the_words_of_another_note(vault: Vault) -> None:
    ledger = record(vault)
    (vault.root / "B.md").write_text("# B\n\nOther words.\n\n## One\n")
    vault.refresh()
    assert ledger.checks(note(vault))


def test_what_trials_have_told_stays_until_something_changes(vault: Vault) -> None:
    plain = [Check("equation", 5, "$a$", column=2), Check("equation", 5, "$b$", column=12)]

    def scopes() -> list[str]:
        found = record(vault, plain).checks(note(vault))
        assert found is not None
        return [check.scope for check in found]

    record(vault)
    # That in the same place is another equation.
    assert scopes() == [GENERAL, ""]
    assert scopes() == [GENERAL, ""]
    record(vault, [Check("equation", 5, "$a$", column=2, scope=HERE)])
    assert scopes() == [HERE, ""]
    record(vault, [Check("equation", 5, "$a$", column=2, scope=HERE, pinned="d, n")])
    again = record(vault, plain).checks(note(vault))
    assert again
    assert [(check.scope, check.pinned) for check in again] == [(HERE, "d, n"), ("", "")]
    (vault.root / "A.md").write_text(TEXT + "\n")
    vault.refresh()
    assert scopes() == ["", ""]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[" * 100_000,
        b"[]",
        b"null",
        b"7",
        b"{}",
        b'{"checks": []}',
        b'{"key": 7, "checks": []}',
        b'{"key": [], "checks": []}',
        b'{"key": {}, "checks": []}',
    ],
)
def test_a_damaged_ledger_is_borne(vault: Vault, content: bytes) -> None:
    ledger = record(vault)
    (file,) = folder_of(vault).iterdir()
    file.write_bytes(content)
    assert ledger.checks(note(vault)) is None
    assert ledger.may_read(note(vault), [])
    record(vault)
    assert ledger.checks(note(vault))


@pytest.mark.parametrize(
    "rows",
    [
        7,
        [7],
        ["x"],
        [{}],
        [{"kind": "block"}],
        [{"kind": "block", "line": "3", "what": ""}],
        [{"kind": 3, "line": 3, "what": ""}],
        [{"kind": "block", "line": 3, "what": "", "colour": "red"}],
        [{"kind": "block", "line": 3, "what": "", "mend": 7}],
        [{"kind": "block", "line": 3, "what": "", "mend": {"lines": []}}],
        [{"kind": "block", "line": 3, "what": "", "mend": {"first": 1, "last": 2}}],
    ],
)
def test_so_are_damaged_checks(vault: Vault, rows: object) -> None:
    ledger = record(vault)
    (file,) = folder_of(vault).iterdir()
    entry = json.loads(file.read_bytes())
    file.write_text(json.dumps({**entry, "checks": rows}))
    assert ledger.checks(note(vault)) is None
    file.write_text(json.dumps(entry))
    assert ledger.checks(note(vault))


def test_whose_code_may_read_a_file(vault: Vault) -> None:
    ledger = record(vault)
    root = vault.root.parent
    linked, read = root / "docs" / "data.csv", root / "docs" / "later.txt"
    assert ledger.may_read(note(vault), [linked, read])
    assert not ledger.may_read(note(vault), [linked, root / "docs" / "other.txt"])
    assert ledger.may_read(note(vault, "B"), [linked]), "nobody knows what was never checked"
    (root / "lib.py").write_text("x = 2\n")
    assert ledger.may_read(note(vault), [linked]), "nor what has changed since"


def test_what_was_found_by_running_is_taken_while_nothing_has_changed(vault: Vault) -> None:
    ledger = Ledger(vault)
    root = vault.root.parent
    (root / "data").mkdir()
    checks = [
        Check("block", 3, "Run"),
        Check("equation", 5, "$a$", scope=GENERAL),
        Check("number", 6, "2.5", EXCEPTED),
        *(Check(kind, 7, "") for kind in OF_TEXT),
    ]
    odd = root / os.fsdecode(b"\xff") / "x.txt"
    read = [root / "data/x.txt", root / "no/such/folder.txt", odd]
    ledger.record(note(vault), checks, read, "3.11")
    # What trials have told does not come from this run.
    ran = [checks[0], Check("equation", 5, "$a$"), checks[2]]
    for name in ("__pycache__", "data/__pycache__", "site-1.0", "words.md"):
        assert ledger.found_by_running(note(vault), "3.11") == ran
        (root / name).mkdir()
    assert ledger.found_by_running(note(vault), "3.11") == ran
    assert ledger.found_by_running(note(vault), "3.12") is None
    for name in ("lib2", "numpy.py", "data/y.txt"):
        (root / name).mkdir()
        assert ledger.found_by_running(note(vault), "3.11") is None, name
        (root / name).rmdir()
        assert ledger.found_by_running(note(vault), "3.11") == ran
    ledger.record(note(vault), [*checks, Check("number", 9, "2.5", FAILS)], environment="3.11")
    assert ledger.found_by_running(note(vault), "3.11") is None
    ledger.record(note(vault), checks)
    assert ledger.found_by_running(note(vault), "") is None


def test_what_machines_may_read(vault: Vault) -> None:
    checks = [*CHECKS, Check("link", 11, "[[B]]", seconds=0.123456789)]
    public = published({"A.md": record(vault, checks).checks(note(vault)), "B.md": None})
    assert sorted(public) == ["A.md", "B.md"]
    assert public["B.md"] is None
    block, equation, _, number, link = public["A.md"]
    row = {"kind": "block", "line": 3, "what": "Run", "outcome": "holds", "column": 1}
    assert block == {**row, "seconds": 0}
    assert (equation["scope"], equation["seconds"]) == (GENERAL, 0.25)
    assert (number["outcome"], number["why"]) == ("fails", "no such number")
    assert link["seconds"] == 0.123457


def test_notes_that_are_gone_are_forgotten(vault: Vault) -> None:
    ledger = record(vault)
    record(vault, name="B")
    (vault.root / "B.md").unlink()
    vault.refresh()
    ledger.forget_the_gone()
    assert len(list(folder_of(vault).iterdir())) == 1
    (vault.root / "B.md").write_text("# B\n\nWords.\n\n## One\n")
    vault.refresh()
    assert not ledger.knows(note(vault, "B"))
    assert ledger.checks(note(vault))


def test_it_says_in_words_what_holds() -> None:
    kinds = ("link", "block", "block", "number", "shape", "shape", "formula", "equation", "form")
    checks = [Check(kind, 1, "") for kind in kinds]
    others = [Check("link", 1, "", FAILS), Check("number", 1, "", EXCEPTED)]
    assert (
        in_words(checks + others) == "2 blocks, 1 equation, 2 shapes, 1 number, 1 link, 1 formula"
    )
    tried = [Check("equation", 1, "", scope=scope) for scope in (GENERAL, GENERAL, "here")]
    assert in_words(tried) == "3 equations (2 in general)"
    assert in_words(tried[2:]) == "1 equation (none in general)"
    many = [Check(kind, 1, "") for kind in ("equation", "number", "link", "formula")] * 2
    assert in_words(many) == "2 equations, 2 numbers, 2 links, 2 formulas"
    assert in_words(others) == ""
