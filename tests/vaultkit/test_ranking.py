"""The order of two names, or a superlative, is contradicted if the page shows another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaultkit.failed import failed_numbers

LENGTHS = (
    "units = {'hand': 4, 'yard': 36, 'fathom': 72}\n"
    "for unit, n in units.items():\n    print(f'{unit:7} {n * 2.54:.1f} cm')"
)
VOTES = "votes = {'Brandt': 212, 'Okafor': 265, 'Lindqvist': 53}\nprint(votes)"
FLOW = "flow = {'Jul': 14, 'Sep': 11, 'Nov': 30}\nprint(flow)"
#: Code, a sentence that is right, and the same with a slip.
WRONG = [
    (LENGTHS, "A fathom is longer than a yard.", "A yard is longer than a fathom."),
    (LENGTHS, "The hand is smaller than the yard.", "The yard is smaller than the hand."),
    (LENGTHS, "A fathom is the longest, and a hand the shortest.",
     "A hand is the longest, and a fathom the shortest."),
    (LENGTHS, "The longest unit is the fathom.", "The longest unit is the yard."),
    (VOTES, "Okafor outweighs Brandt by 53.", "Brandt outweighs Okafor by 53."),
    (VOTES, "Okafor has more votes than Brandt.", "Brandt has more votes than Okafor."),
    (VOTES, "Okafor has the most votes.", "Lindqvist has the most votes."),
    (FLOW, "July carries more than September.", "September carries more than July."),
    (FLOW, "November is the highest.", "September is the highest."),
]  # fmt: skip
#: Code, and sentences that may be about something else.
OPEN = [
    (
        "lives = {'Mozart': (1756, 1791), 'Schubert': (1797, 1828)}",
        "Mozart got more than Schubert.",
    ),
    (
        "print('Bern-Thun 09:05 103 km/h')\nprint('Olten-Bern 08:33 149 km/h')\n"
        "print('Basel-Olten 08:02 90 km/h')",
        "Bern-Thun is the shortest.",
    ),
    (
        "towns = {'Oslo': 59.9, 'Rome': 41.9, 'Lima': -12.1}",
        "The farthest is Lima, and Oslo the nearest.",
    ),
    (VOTES, "Lindqvist is the most northern."),
    (VOTES, "The largest is Lindqvist to Brandt."),
    (VOTES, "Brandt is heavier than Okafor."),
    (VOTES, "Brandt has more friends than Okafor."),
    (VOTES, "Brandt is not larger than Okafor."),
    (VOTES, "Brandt's share is larger than Okafor."),
    (VOTES, "The hall of Brandt is larger than Okafor."),
    (VOTES, "Brandt is larger than Okafor was."),
    (VOTES, "Is Brandt larger than Okafor?"),
    (VOTES, "Lindqvist has the most friends."),
    (VOTES, "Lindqvist won most often."),
    (VOTES, "Lindqvist is the second highest."),
    (VOTES, "Lindqvist is the strongest."),
    (LENGTHS, "The yard is the longest of the old ones."),
    ("km = {'Arden': 0, 'Cole': 3, 'Elm': 11}\nprint(km)", "The nearest place is Cole."),
    ("a = {'oak': 3, 'elm': 4}\nb = {'oak': 7, 'elm': 6}", "The elm is smaller than the oak."),
]


@pytest.mark.parametrize(("code", "right", "wrong"), WRONG)
def test_an_order_that_the_page_reverses_is_contradicted(
    tmp_path: Path, code: str, right: str, wrong: str
) -> None:
    assert failed_numbers(tmp_path, code, right) == []
    assert failed_numbers(tmp_path, code, wrong) != []


@pytest.mark.parametrize(("code", "text"), OPEN)
def test_an_order_of_something_else_is_not_contradicted(
    tmp_path: Path, code: str, text: str
) -> None:
    assert failed_numbers(tmp_path, code, text) == []


def test_the_message_has_both_numbers(tmp_path: Path) -> None:
    (check,) = failed_numbers(tmp_path, LENGTHS, "A yard is longer than a fathom.")
    assert check.why == "longer: in output at line 7, yard has 91.4, and fathom has 182.9"
