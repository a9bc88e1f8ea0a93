"""What is read and found in notes, in lines."""

from __future__ import annotations

import ast
import atexit
import re
import shutil
import tempfile
import textwrap
from functools import cache
from pathlib import Path
from unittest.mock import patch

from vaultkit.checks.check import HOLDS, Check
from vaultkit.checks.outputs import describe_difference
from vaultkit.claims.amounts import Quantity
from vaultkit.claims.claims import claims_of
from vaultkit.pipeline.inspect import inspect
from vaultkit.pipeline.update import apply_edits
from vaultkit.read.markdown import parse, read
from vaultkit.read.vault import Vault
from vaultkit.run.originals import Originals
from vaultkit.run.variation import Variation


@cache
def vault() -> Vault:
    """Make a vault without notes, once for all texts."""
    root = Path(tempfile.mkdtemp(prefix="vaultkit-notes-")).resolve()
    atexit.register(shutil.rmtree, root)
    return Vault(root)


def checks(text: str) -> list[str]:
    """Return the checks of a note, except those of links, of blocks that hold and of outputs."""
    note = parse(f"{text}\n", vault().root / "Note.md")
    # No note of a table replaces functions, and to look for that takes half of the time.
    with patch.object(Originals, "_differences", return_value=[]):
        found = list(inspect(note, vault()))
    return [
        f"{check.kind} {check.what.replace(chr(10), ' ')} {check.outcome}{reason(check)}"
        for check in found
        if check.kind != "link"
        and not (check.kind == "block" and (check.outcome == HOLDS or check.fix))
    ] or ["nothing"]


def reason(check: Check) -> str:
    """Return why a check has its outcome, behind a colon."""
    why = " / ".join(line.strip() for line in check.why.split("\n"))
    return f": {why}" if why else ""


def form(text: str) -> list[str]:
    """Return what is wrong with the form of a note, with its line and column."""
    note = parse(f"{text}\n", vault().root / "Note.md")
    found = inspect(note, vault(), run=None)
    return [
        f"{check.line}:{check.column}{reason(check)}" for check in found if check.kind == "form"
    ] or ["nothing"]


def quantities(text: str) -> list[str]:
    """Return the numbers that a note states, each with its place and what has that value."""

    def line(number: Quantity) -> str:
        written = f"{number.line}:{number.column} {number.text}"
        written += f" of {number.name}" if number.name else ""
        written += " in a vector" if number.is_vector else ""
        return written + (f" given: {number.given}" if number.given else "")

    return [line(number) for number in claims_of(parse(f"{text}\n")).quantities] or ["nothing"]


def agreement(text: str) -> list[str]:
    """Compare an output shown with the one that comes, which is below a line of three dashes."""
    shown, _, real = text.partition("\n---\n")
    why = describe_difference(shown, real)
    if not why:
        asked = describe_difference(shown, real, every_digit=True)
        return [f"agrees, {asked.rpartition(chr(10))[2].strip()}" if asked else "agrees"]
    written = re.sub(r"(?m)^  (?:shown|really):(?: .*|(?:\n    .*)*)\n?", "", why)
    written = textwrap.dedent(written.removeprefix("the output differs\n"))
    return [line.rstrip() for line in written.rstrip("\n").split("\n")]


def updated(text: str) -> list[str]:
    """Return a note after ``--update``, behind bars; a second one must change nothing."""
    path = vault().root / "Updated.md"
    for _ in range(2):
        path.write_text(f"{text}\n", encoding="utf-8")
        note = read(path)
        apply_edits(note, [check.fix for check in inspect(note, vault()) if check.fix])
        before, text = text, path.read_text("utf-8").removesuffix("\n")
    path.unlink()
    assert text == before
    return [f"| {line}".rstrip() for line in text.split("\n")]


def varied(code: str) -> list[str]:
    """Return code as a trial runs it, with other values of the sizes ``n`` and ``m``."""
    tree = Variation(2, {"n": 1, "m": 0}).rewrite(ast.parse(code))
    return ast.unparse(tree).split("\n")
