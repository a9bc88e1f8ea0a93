"""How the notes are worded: what a reader would stumble over, and a machine can find."""

from __future__ import annotations

import re

import pytest

from tests.own_vault import VAULT
from vaultkit.read.note import Note

NOTES = sorted(VAULT.notes.values(), key=lambda note: note.path)

# "So far" and "so that" continue nothing.
CONTINUED = re.compile(r"(?:^|[.!?)] |> |\* |- )(?:And|But|Nor|So(?! (?:far|that)\b))\b[^.]*")
ISE = re.compile(
    r"\b\w*(?:normal|optim|initial|general|special|recogn|standard|vector|summar|maxim|minim|real)"
    r"is(?:e[ds]?|ing|ation|ations)\b",
    re.IGNORECASE,
)
# The field has a word for each of these: non-linearity, padding, argmax.
HOME_MADE = re.compile(
    r"\b(?:bends?|filling|favourites?|one row a token|is told in)\b", re.IGNORECASE
)


def sentences(note: Note) -> list[tuple[int, str]]:
    """Give the lines that are read, without code and formulas."""
    hidden = {n for fence in note.fences for n in range(fence.line, fence.end + 1)}
    return [
        (number, re.sub(r"`[^`]*`|\$[^$]*\$|\[\[[^]|]*\||\]\([^)]*\)", "", line))
        for number, line in enumerate(note.lines, 1)
        # A link in the properties has the old words of a heading.
        if number not in hidden and not (number <= note.front and "[[" in line)
    ]


@pytest.mark.parametrize("pattern", [CONTINUED, ISE, HOME_MADE], ids=["starts", "ise", "words"])
@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.name)
def test_plain_words(note: Note, pattern: re.Pattern[str]) -> None:
    aliases = set(note.aliases)
    found = [
        f"docs/{note.path.name}:{number}: {match[0]}"
        for number, line in sentences(note)
        for match in pattern.finditer(line)
        if line.strip(" -") not in aliases  # what someone may type in the search box
    ]
    assert not found


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("It works. So does this.", CONTINUED),
        ("> But not this.", CONTINUED),
        ("They normalise.", ISE),
        ("an initialisation", ISE),
        ("its favourite key", HOME_MADE),
    ],
)
def test_each_is_found(text: str, pattern: re.Pattern[str]) -> None:
    assert pattern.search(text)
