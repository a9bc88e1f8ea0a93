"""Sentences that compare in words alone: counted, and no failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaultkit.checks.check import FAILS, UNJUDGED, Check
from vaultkit.claims.compared import compared
from vaultkit.pipeline.inspect import inspect
from vaultkit.pipeline.ledger import describe_verdicts, not_judged
from vaultkit.read.markdown import parse
from vaultkit.read.vault import Vault
from vaultkit.site.report import Entry, Totals, summarize

CODE = "```python\nbeam, rod = 3.0, 2.0\n```\n\n"
#: Sentences that compare, with the word that says so.
ALONE = {
    "The beam is longer than the rod.": "longer",
    "Steel needs more room than glass.": "more",
    "After an hour the tide falls.": "falls",
    "Both scales show the same weight.": "the same",
    "- Copper is the cheapest metal here.": "cheapest",
    "> [!note] Price\n> The tram is cheaper than the bus.": "cheaper",
    "![The bars shrink from left to right.](a.svg)": "shrink",
    "The pump is faster than the fan `pump[1]`, as [[Lens]] says.": "",
    "The results differ from each other": "differ",
    "It is not heavier than oak.": "heavier",
    "The *lightest* alloy floats; see [[Lens]].": "lightest",
}
#: Sentences with evidence, and sentences that state no comparison.
SILENT = (
    "The beam is longer<!-- beam > rod --> than the rod.",
    "The beam is 3 m long, longer than the rod.",
    "It is twice as long, and heavier.",
    "It is longer by a third, but lighter by half.",
    "There are five planks, more than we need.",
    "The beam is longer: $b > r$.",
    "It is longer than usual (by 4 %<!-- given: the foreman -->).",
    "Is the beam longer?",
    "Then make the beam longer.",
    "Note how the beam gets longer.",
    "# A longer beam",
    "| beam | longer |\n|---|---|\n| rod | shorter |",
    "An amplifier has a gain and a bias.",
    "We return to it at a later time.",
    "There are many different ways.",
    "Fit it with least squares.",
    "For more on this, ask the smith.",
    "*Other, smaller parts*: [[Lens]], [[Lens]].",
    "The beam is long and the rod is short.",
    "*More*",
)


@pytest.mark.parametrize(("text", "word"), ALONE.items())
def test_a_comparison_in_words_is_found_at_its_place(text: str, word: str) -> None:
    note = parse(CODE + text)
    found = list(compared(note))
    assert [own.text for own in found] == ([word] if word else [])
    for own in found:
        line = note.lines[own.line - 1]
        assert line.startswith(word, own.column - 1) or "![" in line


@pytest.mark.parametrize("text", SILENT)
def test_what_is_bound_or_has_a_number_or_states_no_comparison_is_left_out(text: str) -> None:
    assert list(compared(parse(CODE + text))) == []


def checks(folder: Path, text: str, settings: str = "") -> list[Check]:
    (folder / "notes").mkdir(exist_ok=True)
    (folder / "notes/Lens.md").write_text(text)
    (folder / "vaultkit.toml").write_text(settings)
    vault = Vault(folder / "notes")
    (note,) = vault.notes.values()
    return [check for check in inspect(note, vault) if check.kind == "comparison"]


@pytest.mark.parametrize(
    ("setting", "outcome"), [("count", UNJUDGED), ("fail", UNJUDGED), ("fail-all", FAILS)]
)
def test_a_comparison_in_words_is_a_failure_only_on_request(
    setting: str, outcome: str, tmp_path: Path
) -> None:
    text = f"{CODE}The beam is longer.\n"
    (found,) = checks(tmp_path, text, f'unjudged = "{setting}"')
    assert (found.outcome, found.line, found.column, found.what) == (outcome, 5, 13, "longer")
    assert "no code is bound to it" in found.why


def test_notes_whose_numbers_are_not_checked_are_not_searched(tmp_path: Path) -> None:
    assert checks(tmp_path, "The beam is longer.\n") == []
    assert checks(tmp_path, f"{CODE}The beam is longer.\n", 'checks = ["code"]') == []


def test_the_counts_say_how_many_are_comparisons() -> None:
    words = [Check("comparison", n, "longer", UNJUDGED, "longer: no code") for n in (1, 2)]
    entry = Entry("Owl", "Owl.md", [*words, Check("number", 3, "7", UNJUDGED, "nothing")])
    assert describe_verdicts(entry.checks or ()) == "3 not judged, 2 of them comparisons"
    assert Totals.of([entry]).words == "0 hold, 3 not judged, 2 of them comparisons"
    assert summarize(words) == [
        "Verdicts: 2 comparisons not judged", "Not judged, comparison: no code (2 times)",
    ]  # fmt: skip
    assert not_judged(1, 1) == "1 comparison not judged"
