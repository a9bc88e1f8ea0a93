"""A number that a text calls an extreme or the mean of a list is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaultkit.failed import failed_numbers

DIVES = "depth = {'Ida': 12.5, 'Ole': 31.0, 'Kim': 18.5, 'Pia': 22.0}\nprint(depth)"
LAPS = "import numpy as np\nlap = np.array([64.2, 61.8, 66.9, 63.1])\nprint(lap, lap.mean())"
PAIRS = "fares = [('bus', 4, 2.5), ('tram', 6, 3.5), ('ferry', 11, 9.0)]\nprint(fares)"
TABLE = "\n\n| kiln | degrees |\n|---|---|\n| a | 940 |\n| b | 1180 |\n| c | 1060 |"
#: Code, a sentence that is right, one that is wrong, and why.
WRONG = [
    (DIVES, "It was the deepest, 31.0 m.", "It was the deepest, 22.0 m.",
     "22.0 m: “deepest” is said of it, but variable depth has numbers from 12.5 to 31"),
    (LAPS, "One lap was the fastest, at 61.8 s.", "One lap was the fastest, at 63.1 s.",
     "63.1 s: “fastest” is said of it, but variable lap has numbers from 61.8 to 66.9"),
    (LAPS, "That is an average of 64.0 s.", "That is an average of 66.9 s.",
     "66.9 s: “an average of” is said of it, but variable lap has numbers with mean 64"),
    (DIVES, "Altogether they dived 84 m.", "Altogether they dived 31 m.",
     "31 m: “Altogether” is said of it, but variable depth has numbers with sum 84"),
    (PAIRS, "The dearest ride costs 9.0.", "The dearest ride costs 3.5.",
     "3.5: “dearest” is said of it, but variable fares has numbers from 2.5 to 9"),
    (f"x = 1{{}}{TABLE}", "The hottest has 1180 degrees.", "The hottest has 1060 degrees.",
     "1060: “hottest” is said of it, but the table has numbers from 940 to 1180"),
]  # fmt: skip
#: Code, and sentences whose number may be of something else.
SILENT = [
    (LAPS, "Of those up to the longest, 61.8 never came."),
    (DIVES, "The last two together dived 22 m."),
    (DIVES, "The second deepest was 22.0 m."),
    (DIVES, "The deepest of those below 20 m reached 18.5 m."),
    (DIVES, "The deepest was more than 22.0 m."),
    (DIVES, "Ole was the deepest and Pia reached 22.0 m."),
    (DIVES + "\nlast = 22.0", "The deepest dive of the last day was 22.0 m."),
    (LAPS + "\nrest = [61.0, 62.0, 63.1]", "The slowest lap took 63.1 s."),
]


@pytest.mark.parametrize(("code", "right", "wrong", "why"), WRONG)
def test_an_extreme_or_mean_of_a_list_is_one(
    code: str, right: str, wrong: str, why: str, tmp_path: Path
) -> None:
    code, _, table = code.partition("{}")
    assert not failed_numbers(tmp_path, code, right + table)
    assert [c.why for c in failed_numbers(tmp_path, code, wrong + table)] == [why]


@pytest.mark.parametrize(("code", "text"), SILENT)
def test_a_number_that_may_be_of_something_else_is_left_alone(
    code: str, text: str, tmp_path: Path
) -> None:
    assert failed_numbers(tmp_path, code, text) == []
