"""A note twice as long takes twice the work, and not four times as much."""

import pytest

from tests.vaultkit.work import growth, lines_executed
from vaultkit.checks.check import FAILS, Check
from vaultkit.edit.spans import span_of_check
from vaultkit.read.markdown import parse


@pytest.mark.parametrize(
    "part",
    ["A word.\n\n", "$$ a\n", "$$ a\n\n", "$$\na\n$$\n\n", "> a\n", "- a\n", "# A\n\n"],
)
def test_reading_is_linear(part: str) -> None:
    assert growth(lambda size: parse(part * size), 200) < 2.3


def test_places_of_checks_are_found_in_linear_work() -> None:
    def places(size: int) -> None:
        checks = [Check("formula", 2 * i + 1, "a = 1", FAILS, column=6) for i in range(size)]
        for check in checks:
            assert span_of_check(check, notes[size]).column == 6

    notes = {size: parse("Here $a = 1$.\n\n" * size) for size in (1, 200, 400)}
    assert growth(places, 200) < 2.3


def test_lines_are_counted() -> None:
    def loop(size: int) -> None:
        for _ in range(size):
            pass

    assert lines_executed(lambda: loop(50)) - lines_executed(lambda: loop(10)) == 80
    assert growth(lambda size: loop(size**2), 200) > 3.9
