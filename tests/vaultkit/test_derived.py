"""A number that follows from others of its sentence needs no line of an output."""

from __future__ import annotations

from pathlib import Path

from vaultkit.checks.check import HOLDS, UNJUDGED
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.vault import Vault

CODE = "```python\na, b, c, d = 120, 310, 340, 500\nf, g = 12, 31\n```"
#: A sentence, a number in it, and whether the others give it.
CASES = [
    ("It rose from 120 to 310, by 190.", "190", True),
    ("It rose from 120 to 310, by 180.", "180", False),
    ("It is 340 of 500, so 160 are missing.", "160", True),
    ("From 120 to 310 it rose by 158 %.", "158 %", True),
    ("From 120 to 310 it rose by 157 %.", "157 %", False),
    ("The ratio of 310 to 120 is 2.58.", "2.58", True),
    ("The ratio of 310 to 120 is 2.85.", "2.85", False),
    ("From 12 to 31 it rose by 19.", "19", True),
    ("With 12, 31 and 340 we have 43 now.", "43", False),
    ("From 120 to 799 it rose by 679.", "679", False),
]


def test_a_number_follows_from_others_of_its_sentence(tmp_path: Path) -> None:
    text = "\n\n".join(["# N", CODE, *(sentence for sentence, _, _ in CASES)])
    (tmp_path / "N.md").write_text(f"{text}\n")
    vault = Vault(tmp_path)
    found = {(c.line, c.what): c.outcome for c in inspect(vault.notes[tmp_path / "N.md"], vault)}
    lines = text.split("\n")
    for sentence, number, follows in CASES:
        outcome = found[lines.index(sentence) + 1, number]
        assert outcome == (HOLDS if follows else UNJUDGED), sentence
