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
    """Yield a check for each defect of form, in their order in the note.

    A defect that a reader of the page does not see (``unseen``), such as a typo in a fence whose
    code then does not run, is not judged, since the author may mean it; nor is mark-up of another
    program (``foreign``). With ``shown``, unseen defects are left out.
    """
    for problem in sorted(_problems(note, vault), key=lambda one: (one.line, one.column)):
        if shown and problem.unseen:
            continue
        what = problem.message.split("\n")[0]
        outcome = UNJUDGED if problem.unseen or problem.foreign else FAILS
        yield Check("form", problem.line, what, outcome, problem.message, problem.column)


def _problems(note: Note, vault: Vault) -> Iterator[Problem]:
    """Yield all problems of the form of a note.

    In a note without code, fences that look like code that should run are left alone, and so are
    images without alt text, unless the vault has an option that such notes are checked.
    """
    is_checked = bool(note.blocks) or vault.options.without_code
    problems = (*note.problems, *misread.problems(note))
    yield from (problem for problem in problems if is_checked or not problem.of_code)
    yield from _shared_aliases(note, vault)
    yield from _old_headings(note)
    yield from _keywords(note)
    for link in note.links if is_checked else ():
        is_image = link.embed and PurePosixPath(link.target).suffix.lower() in IMAGES
        has_alt_text = link.wiki or bool(link.words.strip())  # Obsidian's embeds have no place
        if is_image and not has_alt_text:
            yield Problem(link.line, f"{link} has no alt text", unseen=True)


def _old_headings(note: Note) -> Iterator[Problem]:
    """Yield what is wrong with the property `old_headings`: links from the headings that it had.

    An old heading must not be one of today's, which has that address now.
    """
    items = note.meta.get("old_headings")
    # YAML reads a link without quotes as a list in a list, whose text looks like a link.
    has_lists = isinstance(items, list) and any(isinstance(item, list) for item in items)
    if has_lists or len(strings_of(items)) > len(note.old_headings):  # which has only links
        yield Problem(1, 'old_headings: each item is a link, "[[Note#Heading|its old words]]"')
    slugs = {heading.slug for heading in note.headings}
    for link in note.old_headings:
        if slug(link.words) in slugs:
            yield Problem(1, f"old_headings: this note has a heading {link.words!r}")


def _keywords(note: Note) -> Iterator[Problem]:
    """Yield what is wrong with the property `keywords`: YAML reads ``a: b`` as a dictionary."""
    keywords = note.meta.get("keywords")
    for item in keywords if isinstance(keywords, list) else [keywords]:
        if isinstance(item, dict | list):
            yield Problem(1, "keywords: each item is a text; one with a colon needs quotes")


def _shared_aliases(note: Note, vault: Vault) -> Iterator[Problem]:
    """Yield each alias of a note that is also a name of another note."""
    for alias in note.aliases:
        for other in vault.notes_by_name.get(alias.casefold(), ()):
            if other != note.path:
                yield Problem(1, f"its alias {alias!r} also names {vault.relative(other)}")
