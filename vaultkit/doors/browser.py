"""The door to a page in a browser: inspects notes in the file system of Pyodide.

A reader may replace the code of some blocks. The lines of the note then move, so each check is
identified by the part of the note that it concerns, such as the third block or the fifth formula.
The page names its parts in the same way.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from vaultkit.checks.check import EXCEPTED, LACKS, UNPROVEN, Check
from vaultkit.claims.claims import claims_of
from vaultkit.claims.places import lines_of_code, page_places
from vaultkit.figure import Figure
from vaultkit.pipeline.inspect import Settings, inspect, run_code
from vaultkit.pipeline.redrawn import RedrawnFigures
from vaultkit.read.discovery import read_note
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.run.memory import Memory

Report = Callable[[dict[str, Any]], None]

#: Matches the errors of code that needs what a browser lacks: packages, files, processes, threads.
_LACKING = re.compile(
    r"ModuleNotFoundError: .*|FileNotFoundError: .*|BlockingIOError: .*"
    r"|RuntimeError: can't start new thread|OSError: .*(?:emscripten|not implemented).*"
)


class BrowserChecker:
    """Inspects the notes of a vault, edited or not, and reports each check when it is known.

    Parameters
    ----------
    root
        The vault's folder. An edited note is written there while it is inspected.
    settings
        The settings of the inspection.
    figures_module
        Name of the module whose ``FIGURES`` draw the figures of the vault; empty if there is none.
    """

    def __init__(
        self, root: Path, settings: Settings | None = None, figures_module: str = ""
    ) -> None:
        self.vault = Vault(root)
        self.settings = settings or Settings()
        self._module = figures_module
        #: The note that ran last, and what is remembered of its run.
        self._last: tuple[Path, Memory] | None = None

    @cached_property
    def figures(self) -> Mapping[str, Figure]:
        """The figures of the vault; none if their module needs what a browser lacks."""
        if not self._module:
            return {}
        try:
            found: Mapping[str, Figure] = importlib.import_module(self._module).FIGURES
        except (ImportError, OSError):
            return {}
        return found

    def check(self, name: str, edits: Mapping[int, str], report: Report) -> None:
        """Inspect a note.

        Parameters
        ----------
        name
            The path of the note, relative to the vault's root.
        edits
            The new code of the edited blocks, by the number of the block.
        report
            Gets ``{"block": number, "limit": seconds}`` before each block runs, and
            ``{"check": …, "places": […]}`` for each check. After an edit also gets
            ``{"figure": name, "svg": …, "error": …}`` for each figure that is a function of
            variables of the note.

        Raises
        ------
        ValueError
            If the edited text has other blocks than the note: an edit contains a closing fence.
        """
        path = self.vault.root / name
        original = self.vault.notes[path]
        if not edits:
            self._inspect(original, self.vault, report, is_edited=False)
            return
        before = path.read_bytes()
        try:
            path.write_text(replace_code(original, edits), encoding="utf-8", newline="\n")
            note = read_note(path)
            if _parts_of(note) != _parts_of(original):
                raise ValueError("the edit holds a mark that ends the block: nothing was run")
            self._inspect(note, self.vault.replacing(note), report, is_edited=True)
        finally:
            path.write_bytes(before)

    def _inspect(self, note: Note, vault: Vault, report: Report, *, is_edited: bool) -> None:
        """Report each check of a note as soon as it is made, with the places on the page."""

        def begin(block: int, seconds: float) -> None:
            report({"block": block, "limit": seconds})

        if self._last is None or self._last[0] != note.path:
            self._last = note.path, Memory()
        memory = self._last[1]
        redrawn = RedrawnFigures(note, vault, self.figures, memory=memory, is_edited=is_edited)
        run = partial(run_code, beat=begin, watch=redrawn.observe, memory=memory)
        where = page_places(note)
        lacking: set[int] = set()
        for check in inspect(note, vault, self.settings, run=run):
            found = [f"block-{check.block}"]
            if check.block is None:
                found = where.names_of(check.kind, check.line, check.column, check.what)
            report({"check": _except_lacking(check, lacking).plain(), "places": found})
        # Last, since a page can show the results without them.
        for figure in redrawn.drawn if is_edited else ():
            report({"figure": figure.name, "svg": figure.svg, "error": figure.error})


def _except_lacking(check: Check, lacking: set[int]) -> Check:
    """Return a check as excepted if a browser cannot run the code that it depends on.

    Checks that depend on a block that could not run cannot be judged either.
    """
    if check.outcome not in UNPROVEN:
        return check
    last = check.why.rstrip().rpartition("\n")[2].strip()
    if check.kind == "block" and _LACKING.fullmatch(last):
        lacking.add(check.block if check.block is not None else -1)
        why = f"cannot run in a browser: {last}"
        return replace(check, outcome=EXCEPTED, why=why, fix=None, reason=LACKS)
    if lacking:
        why = "depends on a block that cannot run in a browser"
        return replace(check, outcome=EXCEPTED, why=why, fix=None, reason=LACKS)
    return check


def replace_code(note: Note, edits: Mapping[int, str]) -> str:
    """Return the text of a note with other code in some of its blocks."""
    if note.path.suffix == ".ipynb":
        notebook = json.loads(note.path.read_text(encoding="utf-8"))
        cells = [c for c in notebook["cells"] if c["cell_type"] == "code" and c["source"]]
        for index, code in edits.items():
            cells[index]["source"] = code.splitlines(keepends=True)
        return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
    lines = list(note.lines)
    for index in sorted(edits, reverse=True):
        fence = note.blocks[index].fence
        others = edits[index].split("\n")
        lines[fence.line : fence.end - 1] = [(fence.prefix + line).rstrip() for line in others]
    return "\n".join(lines) + "\n"


def _parts_of(note: Note) -> tuple[Any, ...]:
    """Return what the names of places count; if two notes agree in it, so do their places."""
    claims, code = claims_of(note), lines_of_code(note)
    return (
        [(b.kind, b.output is None) for b in note.blocks],
        [f.tex for f in note.formulas],
        [q.text for q in claims.quantities if q.line not in code],
        [s.text for s in claims.shapes if s.line not in code],
        [str(link) for link in note.links],
    )
