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
