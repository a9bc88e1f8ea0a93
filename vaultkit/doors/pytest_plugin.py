"""The door to pytest: one item a block, one a kind of check, and ``--update``."""

from __future__ import annotations

import importlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vaultkit.checks import STATIC, outputs
from vaultkit.checks.equations import Equations
from vaultkit.checks.numbers import Numbers
from vaultkit.figure import Figure, stamp_of
from vaultkit.ledger import EXCEPTED, FAILS, HOLDS, KINDS, Check, Ledger, path_of
from vaultkit.read import notebook
from vaultkit.read.note import Block, Note, Problem
from vaultkit.read.vault import READERS, Vault
from vaultkit.run.session import NoteRun, Step
from vaultkit.update import apply, mirror_edits, output_edit

_VAULTS = pytest.StashKey[dict[Path, Vault]]()
_TALLY = pytest.StashKey[Counter[str]]()
_LEDGERS = pytest.StashKey[dict[Path, Ledger]]()
# What the line of totals counts.
_CHECKED = ("notes", *KINDS.values())
_EXCEPTED = {"block": "blocks not run", "equation": "formulas not run", "number": "numbers given"}
_CHANGED = ("outputs rewritten", "mirrors rewritten", "figures redrawn")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update`` and the settings of a vault."""
    group = parser.getgroup("vault")
    group.addoption(
        "--update",
        action="store_true",
        help="rewrite stale outputs and mirrored code in the notes, and stale figures",
    )
    parser.addini("vault", "folder of notes", default="docs")
    parser.addini("vault_timeout", "seconds that one block of a note may take", default="10")
    parser.addini("vault_figures", "module whose FIGURES draw the SVGs of the vault", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Make room for what the session learns."""
    config.stash[_VAULTS] = {}
    config.stash[_TALLY] = Counter()
    config.stash[_LEDGERS] = {}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write down what was found, for the site to show."""
    for root, ledger in session.config.stash[_LEDGERS].items():
        ledger.write(path_of(root))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> NoteFile | DrawingFile | None:
    """Collect the notes of a vault, and its drawings where code draws them."""
    if file_path.suffix not in (*READERS, ".svg"):
        return None
    root = _vault_root(file_path, parent.config)
    if root is None or any(part.startswith(".") for part in file_path.relative_to(root).parts):
        return None
    if file_path.suffix in READERS:
        return NoteFile.from_parent(parent, path=file_path)
    if parent.config.getini("vault_figures"):
        return DrawingFile.from_parent(parent, path=file_path)
    return None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say in one line what was checked."""
    tally = config.stash[_TALLY]
    if tally:
        checked, excepted, changed = (
            ", ".join(f"{tally[what]} {what}" for what in group if tally[what] or group != _CHANGED)
            for group in (_CHECKED, _EXCEPTED.values(), _CHANGED)
        )
        line = f"vault: {checked}; exceptions: {excepted}"
        terminalreporter.write_line(f"{line}; {changed}" if changed else line)


def _vault_root(path: Path, config: pytest.Config) -> Path | None:
    """Find the vault that a file belongs to: the folder that Obsidian opens, or the one named."""
    named = config.rootpath / config.getini("vault")
    for folder in path.parents:
        if folder == named or (folder / ".obsidian").is_dir():
            return folder
    return None


def _vault(path: Path, config: pytest.Config) -> Vault:
    root = _vault_root(path, config)
    assert root is not None
    vaults = config.stash[_VAULTS]
    if root not in vaults:
        vaults[root] = Vault(root)
    return vaults[root]


class CheckError(Exception):
    """What checks found. Holds it; says nothing itself."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        super().__init__(path, problems)
        self.path = path
        self.problems = problems


class _Item(pytest.Item):
    """An item that shows what it found with the line, and nothing of the engine."""

    line = 1

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        failure = excinfo.value
        if not isinstance(failure, CheckError):
            return super().repr_failure(excinfo, style)
        try:
            shown = failure.path.relative_to(self.config.invocation_params.dir)
        except ValueError:
            shown = failure.path
        return "\n".join(f"{shown}:{p.line}: {p.message}" for p in failure.problems)

    def fail_on(self, problems: Iterable[Problem]) -> None:
        found = list(problems)
        if found:
            raise CheckError(self.path, found)


class NoteFile(pytest.File):
    """A note, as a file of tests."""

    note: Note
    run: NoteRun
    equations: Equations
    numbers: Numbers
    found: list[Check]
    items: int
    stale: list[tuple[int, Step]]

    def collect(self) -> Iterator[pytest.Item]:
        """One item for each block, in their order, then one for each kind of check."""
        vault = _vault(self.path, self.config)
        self.note = vault.notes[self.path]
        tally = self.config.stash[_TALLY]
        if self.config.getoption("--update") and not self.config.option.collectonly:
            edits = mirror_edits(self.note, vault.root.parent)
            if edits:
                apply(self.note, edits)
                tally["mirrors rewritten"] += len(edits)
                vault.refresh()
                self.note = vault.notes[self.path]
        self.equations = Equations(self.note)
        self.numbers = Numbers(self.note)
        self.run = NoteRun(
            self.note,
            float(self.config.getini("vault_timeout")),
            (self.equations.look, self.numbers.look),
        )
        self.stale = []
        self.found = []
        self.items = 0
        names = Counter(_item_name(block) for block in self.note.blocks)
        seen: Counter[str] = Counter()
        for index, block in enumerate(self.note.blocks):
            name = _item_name(block)
            seen[name] += 1
            # pytest finds `Section[1]` and `Section[2]` when asked for `Section`.
            label = name if names[name] == 1 else f"{name}[{seen[name]}]"
            yield BlockItem.from_parent(self, name=label, index=index)
        for kind in STATIC:
            yield CheckItem.from_parent(self, name=f"({kind})", kind=kind, vault=vault)
        yield EquationsItem.from_parent(self, name="(equations)")
        yield NumbersItem.from_parent(self, name="(numbers)")

    def teardown(self) -> None:
        """Write what ``--update`` has gathered; note down what was found, if all of it ran."""
        self.config.stash[_TALLY]["outputs rewritten"] += len(self.stale)
        if self.stale and self.path.suffix == ".ipynb":
            outputs = {index: step.got for index, step in self.stale}
            notebook.write_outputs(self.note, outputs)
        elif self.stale:
            blocks = self.note.blocks
            apply(self.note, [output_edit(blocks[index], step) for index, step in self.stale])
        self.stale = []
        if self.items == len(self.note.blocks) + len(STATIC) + 2:
            vault = _vault(self.path, self.config)
            ledgers = self.config.stash[_LEDGERS]
            if vault.root not in ledgers:
                known = {vault.relative(path) for path in vault.notes}
                old = Ledger.read(path_of(vault.root)).entries
                kept = {name: entry for name, entry in old.items() if name in known}
                ledgers[vault.root] = Ledger(kept)
            ledgers[vault.root].record(vault.relative(self.path), self.note, self.found)
            self.items = 0

    def note_down(self, kind: str, checks: list[Check], problems: Iterable[Problem] = ()) -> None:
        """Count checks; those on the line of a problem fail, and a problem of no check is one."""
        messages = {problem.line: problem.message.split("\n")[0] for problem in problems}
        tally = self.config.stash[_TALLY]
        self.items += 1
        for check in checks:
            excepted = check.outcome == EXCEPTED
            tally[_EXCEPTED[check.kind] if excepted else KINDS[check.kind]] += 1
            fails = check.line in messages and not excepted
            self.found.append(replace(check, outcome=FAILS) if fails else check)
        told = {check.line for check in checks if check.outcome != EXCEPTED}
        self.found += [
            Check(kind, line, message, FAILS)
            for line, message in messages.items()
            if line not in told
        ]


class BlockItem(_Item):
    """A block runs, and shows what it shows."""

    parent: NoteFile

    def __init__(self, *, index: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.index = index
        self.block: Block = self.parent.note.blocks[index]
        self.line = self.block.fence.line

    def runtest(self) -> None:
        """Run what stands above, then this; compare."""
        check = Check("block", self.line, self.block.section)
        if "no-run" in self.block.fence.options:
            self.parent.note_down("block", [replace(check, outcome=EXCEPTED)])
            pytest.skip("no-run")
        problems = []
        for step in self.parent.run.steps(self.index):
            found = list(outputs.check(step))
            if found and not step.error and self.config.getoption("--update"):
                self.parent.stale.append((self.index, step))
            else:
                problems += found
        outcome = FAILS if problems else HOLDS
        seconds = self.parent.run.seconds[self.index]
        self.parent.note_down("block", [replace(check, outcome=outcome, seconds=seconds)])
        self.fail_on(problems)


class CheckItem(_Item):
    """Nothing of one kind is wrong with a note."""

    parent: NoteFile

    def __init__(self, *, kind: str, vault: Vault, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.kind = kind
        self.vault = vault

    def runtest(self) -> None:
        """Check the text of the note."""
        note = self.parent.note
        began = time.perf_counter()
        problems = list(STATIC[self.kind](note, self.vault))
        seconds = time.perf_counter() - began
        checks = []
        if self.kind == "form":
            self.config.stash[_TALLY]["notes"] += 1
        elif self.kind == "links":
            share = seconds / max(1, len(note.links))
            checks = [Check("link", k.line, str(k), seconds=share) for k in note.links]
        elif self.kind == "formulas":
            share = seconds / max(1, len(note.formulas))
            checks = [Check("formula", f.line, f.tex, seconds=share) for f in note.formulas]
        self.parent.note_down(self.kind.removesuffix("s"), checks, problems)
        self.fail_on(problems)


class EquationsItem(_Item):
    """What the formulas of a note state holds."""

    parent: NoteFile

    def runtest(self) -> None:
        """Run all blocks; judge."""
        equations = self.parent.equations
        self.parent.run.finish()
        problems = list(equations.check())
        checks = [
            Check(claim.kind, claim.formula.line, claim.formula.tex, seconds=claim.seconds)
            for claim in equations.claims
        ]
        checks += [
            Check("equation", formula.line, formula.tex, EXCEPTED)
            for formula in self.parent.note.formulas
            if formula.not_run
        ]
        self.parent.note_down("equation", checks, problems)
        self.fail_on(problems)


class NumbersItem(_Item):
    """The decimal numbers in the prose of a note were computed on it."""

    parent: NoteFile

    def runtest(self) -> None:
        """Run all blocks; look the numbers up."""
        self.parent.run.finish()
        problems = list(self.parent.numbers.check())
        checks = [
            Check("number", q.line, q.text, EXCEPTED if q.given else HOLDS)
            for q in self.parent.note.quantities
        ]
        self.parent.note_down("number", checks, problems)
        self.fail_on(problems)


class DrawingFile(pytest.File):
    """A drawing, as a file of one test."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item: the drawing is fresh."""
        yield DrawingItem.from_parent(self, name="fresh")


class DrawingItem(_Item):
    """A drawing shows the data that the code computes now."""

    def runtest(self) -> None:
        """Compare fingerprints; with ``--update`` draw again."""
        module = self.config.getini("vault_figures")
        figures: dict[str, Figure] = importlib.import_module(module).FIGURES
        figure = figures.get(self.path.name)
        if figure is None:
            self.fail_on([Problem(1, f"no figure of {module!r} draws this")])
            return
        if stamp_of(self.path.read_text(encoding="utf-8")) == figure.fingerprint():
            return
        if self.config.getoption("--update"):
            self.path.write_text(figure.render(), encoding="utf-8", newline="\n")
            self.config.stash[_TALLY]["figures redrawn"] += 1
            return
        self.fail_on([Problem(1, "drawn from data that have changed since; --update redraws it")])


def _item_name(block: Block) -> str:
    return block.section.replace("::", ":").replace("[", "(").replace("]", ")")
