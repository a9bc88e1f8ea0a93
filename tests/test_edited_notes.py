"""A page that a reader edits runs again only what the edit can change, and finds the same."""

import json
import random
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from own_vault import ROOT, VAULT

from vaultkit.doors.browser import BrowserChecker, replace_code
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.discovery import read_draft
from vaultkit.read.note import Block
from vaultkit.read.renumbered import with_other_numbers
from vaultkit.run.session import NoteRun
from vaultkit.run.steps import Step

NOTES = sorted(path for path, note in VAULT.notes.items() if note.blocks)
#: Notes that draw random numbers, train, and change arrays in place.
USUAL = ("/A Head That Learns.md", "/Softmax Saturation.md", "/Multi-Head Attention.md")
NUMBER = re.compile(r"(?<![\w.])\d+(\.\d+)?(?![\w.])")
#: Notes that the gate compares, too; `make test-all` compares all.
SAMPLE = (*USUAL, "/Attention Equation.md", "/KV Cache.md", "/Induction Heads.md")


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the vault, since an edited note is written there while it is inspected."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("docs", "snippets", "figures"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def edited(code: str, chance: random.Random) -> str:
    """Return code with another number, and perhaps a line more, so that all below it moves."""
    if chance.random() < 0.5:
        code = f"# One line more.\n{code}"
    found = list(NUMBER.finditer(code))
    if not found:
        return f"{code}\n"
    place = chance.choice(found)
    number = f"{float(place[0]) * 1.1 + 0.1:.3f}" if "." in place[0] else str(int(place[0]) + 1)
    return code[: place.start()] + number + code[place.end() :]


def found_by(desk: BrowserChecker, name: str, edits: dict[int, str]) -> list[Any]:
    """Return what a run reports, apart from times and limits."""
    reports: list[dict[str, Any]] = []
    try:
        desk.check(name, edits, reports.append)
    except ValueError as error:
        return [str(error)]
    for report in reports:
        report.get("check", {}).pop("seconds", None)
    return [report for report in reports if "limit" not in report]


def found_in_file(desk: BrowserChecker, name: str, edits: dict[int, str]) -> list[Any]:
    """Return the checks of the note that has the edits in its file, read and run as a whole."""
    path = desk.vault.root / name
    note = read_draft(path, replace_code(desk.vault.notes[path], edits))
    return in_order(check.plain() for check in inspect(note, desk.vault.replacing(note)))


def in_order(checks: Iterable[dict[str, Any]]) -> list[str]:
    """Return checks as sorted texts, without times and what is for the page alone."""
    left_out = {"seconds", "shown"}
    return sorted(
        json.dumps({name: value for name, value in check.items() if name not in left_out})
        for check in checks
    )


@pytest.mark.usually(*USUAL)
@pytest.mark.sample(*SAMPLE)
@pytest.mark.parametrize("path", NOTES, ids=lambda path: f"/{path.name}")
def test_edits_are_judged_as_in_a_whole_run(
    path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(vault)
    monkeypatch.syspath_prepend(str(vault))
    name = str(path.relative_to(ROOT / "docs"))
    chance = random.Random(name)
    one = BrowserChecker(vault / "docs", figures_module="figures")
    blocks = one.vault.notes[vault / "docs" / name].blocks
    found_by(one, name, {})
    edits: dict[int, str] = {}
    for _ in range(3):
        index = chance.randrange(len(blocks))
        edits[index] = edited(blocks[index].fence.text.rstrip("\n"), chance)
        whole = BrowserChecker(vault / "docs", figures_module="figures")
        found = found_by(one, name, edits)
        assert found == found_by(whole, name, edits)
        assert in_order(r["check"] for r in found if "check" in r) == found_in_file(
            whole, name, edits
        )


@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.stem)
def test_a_note_with_another_number_in_its_code_is_as_if_read_again(path: Path) -> None:
    note = VAULT.notes[path]
    chance = random.Random(path.name)
    numbers = [
        (line, number)
        for block in note.blocks
        for line in range(block.fence.line, block.fence.end - 1)
        for number in NUMBER.finditer(note.lines[line])
    ]
    for line, number in chance.sample(numbers, min(3, len(numbers))):
        lines = list(note.lines)
        lines[line] = f"{lines[line][: number.start()]}17{lines[line][number.end() :]}"
        text = "\n".join(lines) + "\n"
        assert with_other_numbers(note, text) in (None, read_draft(path, text))


@pytest.mark.parametrize("path", [p for p in NOTES if f"/{p.name}" in USUAL], ids=lambda p: p.stem)
def test_only_an_edited_block_runs_again(
    path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(vault)
    monkeypatch.syspath_prepend(str(vault))
    name = str(path.relative_to(ROOT / "docs"))
    desk = BrowserChecker(vault / "docs", figures_module="figures")
    blocks = desk.vault.notes[vault / "docs" / name].blocks
    found_by(desk, name, {})
    ran: list[int] = []
    run_block = NoteRun._run_block

    def counted(session: NoteRun, block: Block) -> list[Step]:
        ran.append(session.note.blocks.index(block))
        return run_block(session, block)

    monkeypatch.setattr(NoteRun, "_run_block", counted)
    last = len(blocks) - 1
    found_by(desk, name, {last: f"{blocks[last].fence.text}unused = 1"})
    assert ran == [last]
