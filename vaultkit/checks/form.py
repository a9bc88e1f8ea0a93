"""The check *form*: broken Markdown, and aliases that two notes share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from vaultkit.checks import misread
from vaultkit.checks.check import FAILS, UNJUDGED, Check
from vaultkit.read.discovery import IMAGES
from vaultkit.read.note import Note, Problem, strings_of
from vaultkit.read.syntax import slug
from vaultkit.read.vault import Vault


def check(note: Note, vault: Vault, shown: bool = False) -> Iterator[Check]:
    """Yield a check for each defect of form: broken mark-up, and names that two notes share.

    A fence with a typo looks like any other, but its code does not run. Such a fence is not judged,
    since the author may mean it; nor is the mark-up of other programs. With ``shown``, such fences
    are left out, since a reader does not see the fault.
    """
    for problem in sorted(_problems(note, vault), key=lambda one: (one.line, one.column)):
        if shown and problem.unseen:
            continue
        what = problem.message.split("\n")[0]
        outcome = UNJUDGED if problem.unseen or problem.foreign else FAILS
        yield Check("form", problem.line, what, outcome, problem.message, problem.column)


def _problems(note: Note, vault: Vault) -> Iterator[Problem]:
    """Yield all problems of the form of a note, without those of code in a vault without code."""
    runs = bool(note.blocks) or vault.options.without_code
    found = (*note.problems, *misread.problems(note))
    yield from (problem for problem in found if runs or not problem.of_code)
    yield from _shared_aliases(note, vault)
    yield from _old_headings(note)
    yield from _keywords(note)
    for link in note.links:
        is_image = link.embed and PurePosixPath(link.target).suffix.lower() in IMAGES
        has_alt_text = link.wiki or bool(link.words.strip())
        if runs and is_image and not has_alt_text:
            yield Problem(link.line, f"{link} has no alt text", unseen=True)


def _old_headings(note: Note) -> Iterator[Problem]:
    """Yield what is wrong with the property `old_headings`."""
    asked = strings_of(note.meta.get("old_headings"))
    if len(asked) > len(note.old_headings):
        yield Problem(1, "old_headings: each item is a link, [[Note#Heading|its old words]]")
    present = {heading.slug for heading in note.headings}
    for link in note.old_headings:
        if slug(link.words) in present:
            yield Problem(1, f"old_headings: this note has a heading {link.words!r}")


def _keywords(note: Note) -> Iterator[Problem]:
    """Yield what is wrong with the property `keywords`."""
    given = note.meta.get("keywords")
    for item in given if isinstance(given, list) else [given]:
        if isinstance(item, dict | list):
            yield Problem(1, "keywords: each item is a text; one with a colon needs quotes")


def _shared_aliases(note: Note, vault: Vault) -> Iterator[Problem]:
    """Yield each alias of a note that is also a name of another note."""
    for alias in note.aliases:
        for other in vault.notes_by_name.get(alias.casefold(), ()):
            if other != note.path:
                yield Problem(1, f"its alias {alias!r} also names {vault.relative(other)}")
