"""A multiple or part is contradicted if the page has another one for its two names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaultkit.failed import failed_numbers

LITRES = 'litres = {"Monday": 20, "Tuesday": 40, "Wednesday": 60}'


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("Monday is half of Tuesday.", "Monday is a third of Tuesday."),
        ("So Wednesday is three times Monday.", "So Wednesday is twice Monday."),
        ("On Monday there are half as many litres as on Tuesday.",
         "On Monday there are a third as many litres as on Tuesday."),
        ("Monday has a third of Wednesday's litres.", "Monday has half of Wednesday's litres."),
        ("Tuesday is about two thirds of Wednesday.", "Tuesday is nearly half of Wednesday."),
    ],
)  # fmt: skip
def test_a_multiple_of_another_key(right: str, wrong: str, tmp_path: Path) -> None:
    assert not failed_numbers(tmp_path, LITRES, right)
    assert len(failed_numbers(tmp_path, LITRES, wrong)) == 1


DOUGH = "flour, cost, debt = 500, 382, 6000\nmass = flour / 5\nprint(mass)"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("It weighs 100 g, which is a fifth of the flour.",
         "It weighs 100 g, which is a quarter of the flour."),
        ("The cost is less than a tenth of the debt.",
         "The cost is more than a tenth of the debt."),
        ("There are 100 g, or a fifth of the flour, and more.",
         "There are 100 g, or half of the flour, and more."),
    ],
)  # fmt: skip
def test_a_part_of_a_variable(right: str, wrong: str, tmp_path: Path) -> None:
    assert not failed_numbers(tmp_path, DOUGH, right)
    assert len(failed_numbers(tmp_path, DOUGH, wrong)) == 1
    for text in ("The cost is a third of the debt of Rome.", "0.1 kg, a third of the flour."):
        assert not failed_numbers(tmp_path, DOUGH, text)


def test_short_names_of_days(tmp_path: Path) -> None:
    code = 'delay = {"Mon": 3, "Tue": 1, "Fri": 4}'
    assert not failed_numbers(
        tmp_path, code, "Friday's delay of 4 minutes was four times Tuesday's."
    )
    assert failed_numbers(tmp_path, code, "Friday's delay of 4 minutes was twice that of Tuesday.")


@pytest.mark.parametrize(
    "text",
    [
        "Monday is a third as warm as Tuesday.",
        "On Tuesday he sold a third of Monday's litres.",
        "Monday is more than a third of Tuesday.",
        "Every Monday is a third of Tuesday.",
        "Monday is a third of Sunday.",
        "Is Monday a third of Tuesday?",
    ],
)
def test_a_multiple_of_something_else_is_left_alone(text: str, tmp_path: Path) -> None:
    assert not failed_numbers(tmp_path, LITRES, text)
