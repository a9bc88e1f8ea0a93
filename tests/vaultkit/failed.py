"""Notes of one block and a text, and the numbers of the text that fail."""

from __future__ import annotations

from pathlib import Path

from vaultkit.checks.check import FAILS, Check
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.vault import Vault


def failed_numbers(folder: Path, code: str, text: str) -> list[Check]:
    """Return the failed checks of the numbers of a note."""
    (folder / "Note.md").write_text(f"# Note\n\n```python\n{code}\n```\n\n{text}\n")
    vault = Vault(folder)
    (note,) = vault.notes.values()
    return [c for c in inspect(note, vault) if c.kind == "number" and c.outcome == FAILS]
