"""The index of similar names finds the same names as comparing all of them letter by letter."""

from __future__ import annotations

import difflib
import random

import pytest

from vaultkit.read.nearest import Nearest
from vaultkit.read.syntax import comparable

WORDS = [
    "query",
    "key",
    "value",
    "softmax",
    "head",
    "mask",
    "layer",
    "norm",
    "residual",
    "token",
    "position",
    "scaled",
    "dot",
]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_a_slip_of_the_pen_is_found_among_many(seed: int) -> None:
    chance = random.Random(seed)
    names = [f"{' '.join(chance.sample(WORDS, 3)).title()} {n}" for n in range(2000)]
    nearest, keys = Nearest(names), {comparable(name): name for name in names}
    for name in chance.sample(names, 20):
        at = chance.randrange(1, len(name))
        slip = name[:at] + chance.choice(["", "x", name[at - 1]]) + name[at + 1 :]
        first = difflib.get_close_matches(comparable(slip), list(keys), n=1, cutoff=0.5)
        assert nearest.similar(slip)[:1] == [keys[key] for key in first] or name in nearest.similar(
            slip
        )


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("Othr", ["Other"]),
        ("othr", ["Other"]),
        ("x", ["X"]),
        ("^fakt", ["^fact"]),
        ("很好的", ["很好"]),
        ("nothing like it", []),
        ("", []),
        ("a" * 100_000, []),
    ],
)
def test_what_comes_near(wanted: str, found: list[str]) -> None:
    assert Nearest(["Other", "X", "^fact", "很好", "", "#"]).similar(wanted) == found


#: Broken links, and names that are similar to them; most pairs are invented.
OFFERED = [
    ("Embed files", "Embeds"),
    ("Softmax", "Softmax Function"),
    ("Degree of freedom", "Degrees of Freedom"),
    ("Atention Scores", "Attention Scores"),
    ("Recieve", "Receive"),
    ("backlink", "Backlinks"),
    ("Graph view", "The graph view"),
    ("Keyboard-shortcuts", "Keyboard shortcuts"),
    ("Evergreen note", "Evergreen notes"),
]
#: Broken links in public vaults, and existing names.
NOT_OFFERED = [
    ("Degrees of Freedom", "Degree Correlation"),
    ("Futurism", "Futurama"),
    ("Everything is a remix", "Everything.base"),
    ("Daily notes", "Link notes"),
    ("Daily notes", "Format your notes"),
    ("Daily notes", "Notes"),
    ("Emergence", "Evergreen"),
    ("Cities", "Recipes"),
    ("Japan", "Catan"),
    ("Musicians", "Obsidian"),
    ("Humanism", "Companies"),
    ("2022-04", "2023-09-30"),
    ("Composability", "Companies"),
    ("Command palette", "lucide-palette.svg"),
    ("Plugin system", "Link notes"),
    ("Open world", "People"),
    ("UI", "Sci-fi"),
    ("Command palette", "Comment"),
    ("DONE", "Footnote"),
    ("Authors", "Shows"),
    ("American", "Meetings"),
    ("/scripts", "Trips"),
]


@pytest.mark.parametrize(("wanted", "name"), OFFERED)
def test_what_is_near_is_offered(wanted: str, name: str) -> None:
    assert Nearest([name, "Query"]).similar(wanted) == [name]


@pytest.mark.parametrize(("wanted", "name"), NOT_OFFERED)
def test_what_is_not_near_is_not_offered(wanted: str, name: str) -> None:
    assert Nearest([name, "Query"]).similar(wanted) == []
