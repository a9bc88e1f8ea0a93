"""A note shows no garbage, and shares no alias with another one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from vaultkit.checks.check import FAILS, Check
from vaultkit.read.discovery import IMAGES
from vaultkit.read.note import Note, Problem
from vaultkit.read.vault import Vault


def check(note: Note, vault: Vault, shown: bool = False) -> Iterator[Check]:
    """Find what a reader would see as garbage, and what two notes cannot share.

    Code that does not run for a slip looks on the page like code that does: where only what is
    ``shown`` counts, nothing is said of it.
    """
    for problem in _problems(note, vault):
        if shown and problem.unseen:
            continue
        what = problem.message.split("\n")[0]
        yield Check("form", problem.line, what, FAILS, problem.message, problem.column)


def _problems(note: Note, vault: Vault) -> Iterator[Problem]:
    runs = bool(note.blocks) or vault.options.without_code
    yield from (problem for problem in note.problems if runs or not problem.of_code)
    yield from _names(note, vault)
    for link in note.links:
        pictured = PurePosixPath(link.target).suffix.lower() in IMAGES
        if runs and link.embed and not link.wiki and pictured and not link.words.strip():
            yield Problem(link.line, f"{link} has no alt text")


def _names(note: Note, vault: Vault) -> Iterator[Problem]:
    for alias in note.aliases:
        for other in vault.taken.get(alias.casefold(), ()):
            if other != note.path:
                yield Problem(1, f"its alias {alias!r} also names {vault.relative(other)}")
