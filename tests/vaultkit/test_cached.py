"""With results from the ledger and without, a run finds the same, whatever was edited."""

import importlib
import random
from pathlib import Path
from typing import Any

import pytest

from vaultkit.pipeline.figures import Figures
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.ledger import Ledger
from vaultkit.pipeline.process import Inspection
from vaultkit.pipeline.runner import Runner
from vaultkit.read.vault import Vault
from vaultkit.store import Store

FILES = {
    "lib.py": "from deep import y\n\nx = 1 + y\n",
    "deep.py": "y = 1\n",
    "data/one.txt": "3",
    "docs/A.md": "# A\n\n```python\nimport lib\n\nlib.x\n```\n\n```text\n2\n```\n\n"
    "$x = 2$ [[B#Part]]\n\n```python\nx = lib.x\n```\n",
    "docs/B.md": "# B\n\n## Part\n\n```python\nfrom pathlib import Path\n\n"
    'd = sum(int(path.read_text()) for path in Path("data").iterdir())\nd\n```\n\n'
    "```text\n3\n```\n\n$d = 3$ and [[C]]\n",
    "docs/C.md": "# C\n\n```python\nm = 12.5\nm\n```\n\n```text\n12.5\n```\n\nIt is 12.50.\n",
    "docs/D.md": "# D\n\nNo code, [[A]] and [[C]].\n",
}

#: A file, a text in it, and the text that replaces it.
EDITS = [
    ("lib.py", "1 + y", "2 + y"),
    ("deep.py", "y = 1", "y = 5"),
    ("data/one.txt", "3", "4"),
    ("docs/A.md", "$x = 2$", "$x = 3$"),
    ("docs/A.md", "text\n2", "text\n7"),
    ("docs/B.md", "## Part", "## Other"),
    ("docs/B.md", "$d = 3$", "$d = 4$"),
    ("docs/C.md", "m = 12.5", "m = 12.6"),
    ("docs/C.md", "12.50", "12.51"),
    ("docs/C.md", "# C", "# C\n\nMore words."),
    ("docs/D.md", "[[C]]", "[[E]]"),
]
#: Files that are created and deleted.
GUESTS = {
    "docs/E.md": "# E\n",
    "data/two.txt": "1",
    "lib/__init__.py": "x = 9\n",  # found before lib.py
    "docs/sub/C.md": "# C\n",
}


def edit(root: Path, chance: random.Random) -> None:
    if chance.random() < 0.3:
        name = chance.choice(sorted(GUESTS))
        path = root / name
        if path.exists():
            path.unlink()
            if not any(path.parent.iterdir()) or path.parent.name == "lib":
                for left in path.parent.rglob("*.pyc"):
                    left.unlink()
                for folder in (path.parent / "__pycache__", path.parent):
                    if folder.exists():
                        folder.rmdir()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(GUESTS[name])
        return
    name, one, other = chance.choice(EDITS)
    text = (root / name).read_text()
    there, wanted = (other, one) if other in text else (one, other)
    (root / name).write_text(text.replace(there, wanted, 1))


def plain(found: Inspection) -> list[dict[str, Any]]:
    checks = [{**check.plain(), "seconds": 0} for check in found.checks]
    return sorted(checks, key=lambda check: (check["line"], check["kind"], str(check)))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path.resolve()


def checked(root: Path, *, cached: bool) -> dict[str, Inspection]:
    vault = Vault(root / "docs")
    ledger = Ledger(vault)
    runner = Runner(vault, Settings(), ledger=ledger if cached else None)
    try:
        runner.submit([(note, None) for note in vault.notes.values()])
        found = {str(path): runner.result(note) for path, note in vault.notes.items()}
        if cached:
            for inspection in found.values():
                runner.record(inspection, ledger)
    finally:
        runner.close()
    return found


@pytest.mark.long
def test_random_edits_are_judged_as_without(root: Path, pytestconfig: pytest.Config) -> None:
    chance = random.Random(1)
    rounds = 12 if pytestconfig.option.all else 6
    taken = ran = failed = 0
    for _ in range(rounds):
        with_it, without = checked(root, cached=True), checked(root, cached=False)
        assert {name: plain(found) for name, found in with_it.items()} == {
            name: plain(found) for name, found in without.items()
        }
        taken += sum(found.is_from_ledger for found in with_it.values())
        ran += sum(not found.is_from_ledger for found in with_it.values())
        failed += sum(check.outcome == "fails" for f in without.values() for check in f.checks)
        for _ in range(chance.choice((0, 1, 1, 2))):
            edit(root, chance)
    assert taken > 4
    assert ran > 4
    assert failed > 1


def test_what_failed_runs_again(root: Path) -> None:
    (root / "docs/C.md").write_text(FILES["docs/C.md"].replace("12.50", "12.51"))
    checked(root, cached=True)
    found = checked(root, cached=True)
    assert {Path(name).stem for name, one in found.items() if not one.is_from_ledger} == set()
    # Only in the strict mode, a number that is not judged is a failure.
    (root / "vaultkit.toml").write_text('unjudged = "fail"\n')
    checked(root, cached=True)
    found = checked(root, cached=True)
    assert {Path(name).stem for name, one in found.items() if not one.is_from_ledger} == {"C"}


def test_another_python_runs_all_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked(root, cached=True)
    assert all(found.is_from_ledger for found in checked(root, cached=True).values())
    monkeypatch.setattr("sys.version", "4.0")
    assert not any(found.is_from_ledger for found in checked(root, cached=True).values())


def test_what_was_edited_while_it_ran_runs_again(root: Path) -> None:
    vault = Vault(root / "docs")
    ledger = Ledger(vault)
    runner = Runner(vault, Settings(), ledger=ledger)
    found = runner.result(vault.notes[root / "docs/A.md"])
    (root / "deep.py").write_text("y = 7\n")
    runner.record(found, ledger)
    runner.close()
    again = checked(root, cached=True)[str(root / "docs/A.md")]
    assert not again.is_from_ledger
    assert any(check.outcome == "fails" for check in again.checks)


def test_a_figure_is_computed_again_only_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    files = {
        "drawn_here/__init__.py": "from pathlib import Path\n\nfrom helps_here import read\n"
        "from vaultkit.figure import Figure\n\n"
        "data = lambda: {'x': read(Path(__file__).parent / 'x.txt')}\n"
        "FIGURES = {'x.svg': Figure('x.svg', data, lambda _data: '<svg/>')}\n",
        "drawn_here/x.txt": "1",
        "helps_here.py": "calls = []\n\ndef read(path):\n    calls.append(1)\n"
        "    return int(path.read_text())\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    store = Store(tmp_path / "store.sqlite")

    def fingerprint(*, reuses: bool = True) -> str:
        return Figures("drawn_here", 0, store=store, reuses=reuses).fingerprint("x.svg")

    first = fingerprint()
    helps: Any = importlib.import_module("helps_here")
    assert fingerprint() == first
    assert len(helps.calls) == 1
    fingerprint(reuses=False)
    assert len(helps.calls) == 2
    (tmp_path / "drawn_here" / "x.txt").write_text("2")
    assert fingerprint() != first
    assert len(helps.calls) == 3
    with (tmp_path / "helps_here.py").open("a") as file:
        file.write("# Edited.\n")
    fingerprint()
    assert len(helps.calls) == 4
