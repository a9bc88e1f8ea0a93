"""The door to a page in a browser: inspects notes in the file system of Pyodide.

A reader may replace the code of some blocks. The lines of the note then move, so each check is
identified by the part of the note that it concerns, its *place*: ``block-2`` is the third block,
``formula-4`` the fifth formula. The elements of the page have the same names.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from vaultkit.checks.check import EXCEPTED, LACKS, UNPROVEN, Check
from vaultkit.checks.shown import decimals_of, shortened
from vaultkit.claims.claims import claims_of, share_claims
from vaultkit.claims.places import lines_of_code, page_places
from vaultkit.figure import Figure
from vaultkit.pipeline.inspect import Settings, run_code, task_of, text_checks
from vaultkit.pipeline.redrawn import RedrawnFigures
from vaultkit.read.discovery import read_note
from vaultkit.read.note import Note
from vaultkit.read.notebook import cell_of_block
from vaultkit.read.renumbered import with_other_numbers
from vaultkit.read.vault import Vault
from vaultkit.run.memory import Memory

Report = Callable[[dict[str, Any]], None]

#: Matches the errors of code that needs what a browser lacks: packages, files, processes, threads.
_ERROR_OF_BROWSER = re.compile(
    r"""
    ModuleNotFoundError:\ .*
    | FileNotFoundError:\ .*
    | BlockingIOError:\ .*
    | RuntimeError:\ can't\ start\ new\ thread
    | OSError:\ .*(?:emscripten|not\ implemented).*
    """,
    re.VERBOSE,
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
        self._figures_module = figures_module
        #: The note that ran last, as edited, and what is remembered of its run.
        self._last_note: Note | None = None
        self._memory = Memory()

    @cached_property
    def figures(self) -> Mapping[str, Figure]:
        """The figures of the vault, by name; none if their module needs what a browser lacks."""
        if not self._figures_module:
            return {}
        try:
            figures: Mapping[str, Figure] = importlib.import_module(self._figures_module).FIGURES
        except (ImportError, OSError):
            return {}
        return figures

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
            If the edited text has other blocks than the note (an edit contains a closing fence), or
            if an edited block is in a Markdown cell of a notebook.
        """
        path = self.vault.root / name
        original = self.vault.notes[path]
        if not edits:
            self._inspect(original, self.vault, report, is_edited=False)
            return
        before = path.read_bytes()
        try:
            text = replace_code(original, edits)
            path.write_text(text, encoding="utf-8", newline="\n")
            note = self._renumbered(original, text) or read_note(path)
            if _parts_outside_code(note) != _parts_outside_code(original):
                raise ValueError("the edit holds a mark that ends the block: nothing was run")
            self._inspect(note, self.vault.replacing(note), report, is_edited=True)
        finally:
            path.write_bytes(before)

    def _renumbered(self, original: Note, text: str) -> Note | None:
        """Return the edited note if only numbers of code are new in its text; None otherwise.

        It is made from the note as it was edited last, or as published. This is much faster than
        reading it, which takes most of the time until its first block runs.
        """
        last = self._last_note
        for known in (last, original) if last and last.path == original.path else (original,):
            if note := with_other_numbers(known, text):
                share_claims(known, note)
                return note
        return None

    def _inspect(self, note: Note, vault: Vault, report: Report, *, is_edited: bool) -> None:
        """Report each check of a note as soon as it is made, with its places on the page.

        The blocks run first, since a reader waits for their outputs.
        """

        def report_block(block: int, seconds: float) -> None:
            report({"block": block, "limit": seconds})

        if not self._last_note or self._last_note.path != note.path:
            self._memory = Memory()
        self._last_note, memory = note, self._memory
        redrawn = RedrawnFigures(note, vault, self.figures, memory=memory, is_edited=is_edited)
        page = page_places(note)

        def report_check(check: Check) -> None:
            places = [f"block-{check.block}"]
            if check.block is None:
                places = page.names_of(check.kind, check.line, check.column, check.what)
            report({"check": check.plain() | _shown(check, note), "places": places})

        task = task_of(note, vault, self.settings)
        excuse = _BrowserExcuse()
        for check in run_code(task, beat=report_block, watch=redrawn.observe, memory=memory):
            report_check(excuse.apply(check))
        for check in text_checks(task, vault):
            report_check(check)
        # Last, since a page can show the results without them.
        for figure in redrawn.drawn if is_edited else ():
            report({"figure": figure.name, "svg": figure.svg, "error": figure.error})


def _shown(check: Check, note: Note) -> dict[str, str]:
    """Return why an equation does not hold in the digits of the page; nothing for other checks."""
    statement, line_end, reason = check.why.partition("\n")
    if check.kind != "equation" or check.outcome not in UNPROVEN or not reason:
        return {}
    return {"shown": f"{statement}{line_end}{shortened(reason, decimals_of(note, check.what))}"}


class _BrowserExcuse:
    """Excepts the checks of a note that fail because a browser cannot run some of its blocks."""

    def __init__(self) -> None:
        #: Whether a block so far could not run; what follows may depend on it.
        self._has_lacked = False

    def apply(self, check: Check) -> Check:
        """Return a check, as excepted if a browser cannot run the code that it depends on."""
        if check.outcome not in UNPROVEN:
            return check
        error = check.why.rstrip().rpartition("\n")[2].strip()  # the last line of the traceback
        if check.kind == "block" and _ERROR_OF_BROWSER.fullmatch(error):
            self._has_lacked = True
            why = f"cannot run in a browser: {error}"
        elif self._has_lacked:
            why = "depends on a block that cannot run in a browser"
        else:
            return check
        return replace(check, outcome=EXCEPTED, why=why, fix=None, reason=LACKS)


def replace_code(note: Note, edits: Mapping[int, str]) -> str:
    """Return the content of a note's file with other code in some of its blocks.

    ``edits`` has the new code by the index of the block.

    Raises
    ------
    ValueError
        If a block is in a Markdown cell of a notebook.
    """
    if note.path.suffix == ".ipynb":
        notebook = json.loads(note.path.read_text(encoding="utf-8"))
        try:
            # All cells are found before one is changed, since they are found by their code.
            cells = {index: cell_of_block(note, notebook, index) for index in edits}
        except LookupError:
            raise ValueError("a block in a Markdown cell cannot be edited here") from None
        for index, code in edits.items():
            cells[index]["source"] = code.splitlines(keepends=True)
        return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
    lines = list(note.lines)
    # From the last to the first, so that the lines of the blocks above stay where they are.
    for index in sorted(edits, reverse=True):
        fence = note.blocks[index].fence
        # In a list or callout, each line begins with the prefix of the fence.
        code_lines = [(fence.prefix + line).rstrip() for line in edits[index].split("\n")]
        lines[fence.line : fence.end - 1] = code_lines  # between the marks; `lines` begins at 0
    return "\n".join(lines) + "\n"


def _parts_outside_code(note: Note) -> tuple[Any, ...]:
    """Return the parts of a note that an edit of code must not change.

    The names of places count them: if two notes agree in these parts, so do their places.
    """
    claims, code = claims_of(note), lines_of_code(note)
    return (
        [(block.kind, block.output is None) for block in note.blocks],
        [formula.tex for formula in note.formulas],
        [number.text for number in claims.quantities if number.line not in code],
        [shape.text for shape in claims.shapes if shape.line not in code],
        [str(link) for link in note.links],
    )
