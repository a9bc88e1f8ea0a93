"""Checks in the ledger are stale as soon as anything that they rest on has changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, GENERAL, HERE, Check, Fix
from vaultkit.pipeline import rests_on
from vaultkit.pipeline.ledger import Ledger, describe_proven, public_data
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.store import code_digest, store_beside

CHECKS = [
    Check("number", 9, "2.5", FAILS, "no such number", column=7),
    Check("equation", 5, "$a$", scope=GENERAL, column=2, seconds=0.25),
    Check("equation", 5, "$a$", scope=HERE, column=12),
    Check("block", 3, "Run", block=0, fix=Fix(4, 5, ("1", "2"), "x", "3")),
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
    (tmp_path / "lib.py").write_text("import numpy\nx = 1\n")
    return Vault(docs)


def note(vault: Vault, name: str = "A") -> Note:
    return next(note for note in vault.notes.values() if note.name == name)


def checks(vault: Vault, name: str = "A") -> list[Check] | None:
    """What the ledger has of a note as it is on disk now."""
    now = Vault(vault.root)
    return Ledger(now).fresh_checks(note(now, name))


def record(vault: Vault, checks: list[Check] = CHECKS, name: str = "A", **options: bool) -> Ledger:
    vault = Vault(vault.root)
    ledger = Ledger(vault)
    root = vault.root.parent
    read = [root / "lib.py", root / "data" / "later.txt"]
    ledger.record(note(vault, name), checks, read, **options)
    return ledger


def test_it_gives_what_was_found_in_the_order_of_the_note(vault: Vault) -> None:
    ledger = Ledger(vault)
    assert ledger.entry(note(vault)) is None
    assert ledger.fresh_checks(note(vault)) is None
    record(vault)
    assert ledger.fresh_checks(note(vault)) == [CHECKS[i] for i in (3, 1, 2, 0)]
    assert ledger.fresh_checks(note(vault, "B")) is None
    record(vault, [])
    assert ledger.fresh_checks(note(vault)) == []
    assert ledger.entry(note(vault))


def test_a_change_is_announced_but_not_one_of_the_times_only(vault: Vault) -> None:
    ledger = record(vault)
    os.utime(ledger.stamp, ns=(1, 1))
    slower = [replace(check, seconds=9.5) for check in CHECKS]
    record(vault, slower)
    assert ledger.stamp.stat().st_mtime_ns == 1
    record(vault, [*slower[:2], replace(slower[2], why="x"), slower[3]])
    assert ledger.stamp.stat().st_mtime_ns != 1
    found = checks(vault)
    assert found
    assert found[2].why == "x"


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_notes_with_names_in_odd_bytes_are_known(vault: Vault) -> None:
    for name in (b"caf\xe9.md", b"caf\xe8.md"):
        (vault.root / os.fsdecode(name)).write_text("# Coffee\n")
    vault = Vault(vault.root)
    ledger = Ledger(vault)
    for number, found in enumerate(vault.notes.values()):
        ledger.record(found, [Check("block", number + 1, "Run")])
    for number, found in enumerate(vault.notes.values()):
        assert ledger.fresh_checks(found) == [Check("block", number + 1, "Run")]


CHANGES: dict[str, Callable[[Path], Any]] = {
    "the note": lambda root: (root / "docs/A.md").write_text(TEXT + "\n"),
    "a setting": lambda root: (root / "vaultkit.toml").write_text("every_digit = true\n"),
    "TeX for all notes": lambda root: (root / "docs/preamble.sty").write_text(r"\def\x{1}"),
    "a module": lambda root: (root / "lib.py").write_text("x = 2\n"),
    "a module that is gone": lambda root: (root / "lib.py").unlink(),
    "a module found before it": lambda root: (root / "numpy.py").write_text("x = 2\n"),
    "a package found before it": lambda root: (root / "numpy").mkdir(),
    "a file that was not there": lambda root: (
        (root / "data").mkdir(),
        (root / "data/later.txt").touch(),
    ),
    "a file beside one that is read": lambda root: (
        (root / "data").mkdir(),
        (root / "data/other.txt").touch(),
    ),
    "a heading of a note it links to": lambda root: (root / "docs/B.md").write_text("# B\n"),
    "a note it links to is gone": lambda root: (root / "docs/B.md").unlink(),
    "a note that was not there": lambda root: (root / "docs/Gone.md").write_text("# Gone\n"),
    "where a note it links to is": lambda root: (
        (root / "docs/sub").mkdir(),
        (root / "docs/B.md").rename(root / "docs/sub/B.md"),
    ),
    "another note of its name": lambda root: (root / "docs/Z.md").write_text(
        "---\naliases: [a]\n---\n"
    ),
    "a file it links to": lambda root: (root / "docs/data.csv").write_text("1,3\n"),
    "a figure": lambda root: (root / "docs/a.svg").write_text('<svg><a href="[[C]]"/> </svg>'),
    "what a figure links to": lambda root: (root / "docs/C.md").write_text("# C\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_rests_on_it_is_stale_after_a_change(
    vault: Vault, change: Callable[[Path], Any]
) -> None:
    record(vault)
    assert checks(vault)
    change(vault.root.parent)
    assert checks(vault) is None
    assert Ledger(vault).entry(note(vault))
    record(vault)
    assert checks(vault)


@pytest.mark.parametrize("name", ["words.md", "site", "lib2.py", "docs/other.csv", "docs/New.md"])
def test_nothing_else_makes_it_stale(vault: Vault, name: str) -> None:
    record(vault)
    (vault.root.parent / name).write_text("x = 1\n")
    assert checks(vault)


def test_another_python_numpy_or_engine_makes_it_stale(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(vault)
    others = {
        "numpy.__version__": "9.9",
        "sys.version": "4.0 (any)",
        "vaultkit.pipeline.rests_on.code_digest": lambda _: b"another",
        "vaultkit.pipeline.rests_on._state_of_options": lambda *_: "others",
    }
    for name, other in others.items():
        with monkeypatch.context() as patch:
            patch.setattr(name, other)
            assert checks(vault) is None, name
        assert checks(vault)


def test_another_version_of_a_package_makes_it_stale(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = vault.root.parent / "installed"
    for name, version, required in ("owls", "1.0", "terns>=1"), ("terns", "1.0", ""):
        (site / f"{name}-1.dist-info").mkdir(parents=True)
        (site / f"{name}-1.dist-info" / "top_level.txt").write_text(name)
        (site / f"{name}-1.dist-info" / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            + (f"Requires-Dist: {required}\n" if required else "")
        )
    monkeypatch.syspath_prepend(site)
    (vault.root / "A.md").write_text("# A\n\n```python\nimport owls.x\n```\n")
    with _forgotten():
        record(vault)
        assert checks(vault)
    metadata = site / "terns-1.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.0", "1.1"))
    with _forgotten():
        assert checks(vault) is None


@contextmanager
def _forgotten() -> Iterator[None]:
    """Ask for the versions of packages as in a new process."""
    rests_on._versions.cache_clear()
    rests_on._distributions.cache_clear()
    yield
    rests_on._versions.cache_clear()
    rests_on._distributions.cache_clear()


def test_the_engine_is_all_its_code(tmp_path: Path) -> None:
    seen = set()
    for name, text in (
        ("ledger.py", "1"),
        ("room/a.py", "1"),
        ("room/a.py", "2"),
        ("room/b.py", "2"),
        ("a.py", "2"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        seen.add(code_digest.__wrapped__(tmp_path))
    (tmp_path / "room/b.py").rename(tmp_path / "room/c.py")
    seen.add(code_digest.__wrapped__(tmp_path))
    assert len(seen) == 6
    (tmp_path / "words.md").write_text("words")
    assert code_digest.__wrapped__(tmp_path) in seen


def test_the_words_of_another_note_do_not_make_it_stale(vault: Vault) -> None:
    record(vault)
    (vault.root / "B.md").write_text("# B\n\nOther words.\n\n## One\n")
    assert checks(vault)


def test_what_has_changed_while_it_was_checked_is_stale(vault: Vault) -> None:
    record(vault, stale=True)
    assert checks(vault) is None
    record(vault)
    assert checks(vault)
    record(vault, stale=True)
    assert checks(vault) is None


def test_what_trials_have_found_stays_until_something_changes(vault: Vault) -> None:
    plain = [Check("equation", 5, "$a$", column=2), Check("equation", 5, "$b$", column=12)]

    def scopes() -> list[str]:
        record(vault, plain)
        found = checks(vault)
        assert found is not None
        return [check.scope for check in found]

    record(vault)
    # The equation in the same place is another one.
    assert scopes() == [GENERAL, ""]
    assert scopes() == [GENERAL, ""]
    record(vault, [Check("equation", 5, "$a$", column=2, scope=HERE)])
    assert scopes() == [HERE, ""]
    record(vault, [Check("equation", 5, "$a$", column=2, scope=HERE, pinned="d, n")])
    assert scopes() == [HERE, ""]
    assert [check.pinned for check in checks(vault) or ()] == ["d, n", ""]
    (vault.root / "A.md").write_text(TEXT + "\n")
    assert scopes() == ["", ""]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"7",
        b"{}",
        b'{"checks": []}',
        b'{"checks": [], "read": 7, "machines": []}',
        b'{"checks": [], "read": [7], "machines": []}',
        *(
            b'{"checks": %s, "read": [], "machines": []}' % rows
            for rows in (b"7", b'["x"]', b"[{}]", b'[{"kind": "block", "line": 3, "colour": 1}]')
        ),
    ],
)
def test_an_entry_of_another_form_is_stale(vault: Vault, content: bytes) -> None:
    record(vault)
    store_beside(vault.root).put("checks", "docs/A.md", b"key", content)
    assert checks(vault) is None
    record(vault)
    assert checks(vault)


def test_the_results_of_other_machines_are_added(vault: Vault, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "docs").mkdir(parents=True)
    for name in ("docs/A.md", "docs/B.md", "docs/C.md", "docs/data.csv", "docs/a.svg", "lib.py"):
        (other / name).write_bytes((tmp_path / name).read_bytes())
    there = Vault(other / "docs")
    mine, theirs = ([Check("block", line, "Run")] for line in (1, 2))
    record(vault, mine)
    record(vault, mine, "B", stale=True)
    for name in "AB":
        record(there, theirs, name)
    (other / "docs" / "New.md").write_text("# New\n")
    record(there, theirs, "New")
    assert Ledger(vault).merge(store_beside(there.root)) == 1
    assert checks(vault) == mine
    assert checks(vault, "B") == theirs
    assert Ledger(vault).merge(store_beside(there.root)) == 0


def test_what_machines_may_read() -> None:
    found = [*(CHECKS[i] for i in (3, 1, 2, 0)), Check("link", 11, "[[B]]", seconds=0.123456789)]
    public = public_data({"A.md": found, "B.md": None})
    assert sorted(public) == ["A.md", "B.md"]
    assert public["B.md"] is None
    block, equation, _, number, link = public["A.md"]
    row = {"kind": "block", "line": 3, "what": "Run", "outcome": "holds", "column": 1}
    assert block == {**row, "seconds": 0}
    assert (equation["scope"], equation["seconds"]) == (GENERAL, 0.25)
    assert (number["outcome"], number["why"]) == ("fails", "no such number")
    assert link["seconds"] == 0.123457


def test_notes_that_are_gone_are_forgotten(vault: Vault) -> None:
    record(vault)
    record(vault, name="B")
    other = vault.root.parent / "docs2"
    other.mkdir()
    (other / "A.md").write_text("# A\n")
    record(Vault(other))
    (vault.root / "B.md").unlink()
    Ledger(Vault(vault.root)).prune_deleted()
    assert store_beside(vault.root).names("checks") == {"docs/A.md", "docs2/A.md"}


def test_it_says_in_words_what_holds() -> None:
    kinds = ("link", "block", "block", "number", "shape", "shape", "formula", "equation", "form")
    checks = [Check(kind, 1, "") for kind in kinds]
    others = [Check("link", 1, "", FAILS), Check("number", 1, "", EXCEPTED)]
    assert (
        describe_proven(checks + others)
        == "2 blocks, 1 equation, 2 shapes, 1 number, 1 link, 1 formula"
    )
    tried = [Check("equation", 1, "", scope=scope) for scope in (GENERAL, GENERAL, "here")]
    assert describe_proven(tried) == "3 equations (2 in general)"
    assert describe_proven(tried[2:]) == "1 equation (none in general)"
    many = [Check(kind, 1, "") for kind in ("equation", "number", "link", "formula")] * 2
    assert describe_proven(many) == "2 equations, 2 numbers, 2 links, 2 formulas"
    assert describe_proven(others) == ""
