"""Sentences that compare: on the road each is bound to code, or has its number in it.

`python -m tests.test_comparisons` lists those of the other notes that are not.
"""

from __future__ import annotations

import re

import pytest

from tests.own_vault import VAULT
from tests.test_road import ROAD
from vaultkit.claims.lexicon import lexicon
from vaultkit.mutants.changes import prose_of
from vaultkit.mutants.words import statements, turned
from vaultkit.read.note import Note

BOUND = re.compile(r"<!--")
NUMBER = re.compile(
    r"\d|\$|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|half|third|"
    r"quarter)\b",
    re.IGNORECASE,
)


def unbound(text: str) -> list[str]:
    """Return the sentences that compare without evidence; headings and titles are left out."""
    prose = re.sub(r"`[^`\n]*`", lambda own: "\ufffc" * len(own[0]), prose_of(text))
    found = []
    for start, end in statements(prose):
        sentence = text[start:end]
        if re.match(r"\s*(?:#|> ?\[!)", sentence) or not any(turned(prose, start, end, lexicon())):
            continue
        shown = re.sub(r"!?\[\[[^]|]*\||\]\([^)]*\)", "", sentence)
        if not BOUND.search(sentence) and not NUMBER.search(shown):
            found.append(" ".join(sentence.split()))
    return found


@pytest.mark.parametrize("note", ROAD, ids=lambda note: note.name)
def test_a_comparison_on_the_road_is_bound_or_has_its_number(note: Note) -> None:
    assert unbound(note.path.read_text("utf-8")) == []


def test_an_unbound_comparison_is_found() -> None:
    text = "It is longer. It is longer<!-- a > b -->. It is 2 longer. Is it longer?\n"
    assert unbound(text) == ["It is longer."]


if __name__ == "__main__":
    for other in VAULT.notes.values():
        if other not in ROAD and other.path.suffix == ".md":
            for one in unbound(other.path.read_text("utf-8")):
                print(f"{other.name}: {one}")
