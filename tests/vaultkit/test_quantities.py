"""Which numbers of a text are read, and what it says has that value."""

import pytest

from vaultkit.claims.claims import claims_of
from vaultkit.read.markdown import parse
from vaultkit.read.prose import plain_tex


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("so 5% of it", ["5%"]),
        ("so 5 % of it", ["5 %"]),
        ("within 5ms", ["5ms"]),
        # The name of a model is no number of parameters, unless it is told in more digits.
        ("a 7B model", []),
        ("a 7 B model", ["7 B"]),
        ("a 70B model", ["70B"]),
        ("a 1.5B model", ["1.5B"]),
    ],
)
def test_a_number_and_its_unit(text: str, read: list[str]) -> None:
    assert [number.text for number in claims_of(parse(f"{text}\n")).quantities] == read


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("n = 12 and `x`.", ["n"]),
        ("`f(x)`, n = 12, `x`.", ["n"]),
        ("`n = 12`.", ["n"]),
        ("`n` = 12.", ["n"]),
        # What a call is given is no value of a variable.
        ("`f(a, n = 12)`.", [""]),
        ("`x`, `f(a, n = 12)`, m = 15.", ["", "m"]),
        ("If n = 12.", [""]),
        ("Is n = 12?", [""]),
    ],
)
def test_what_a_number_is_said_to_be_of(text: str, of: list[str]) -> None:
    assert [number.of for number in claims_of(parse(f"{text}\n")).quantities] == of


def test_signs_of_tex_are_those_of_text() -> None:
    assert plain_tex(r"\pm 0.02 \cdot K^\top \times \infty") == "±0.02 · K^T × ∞"
    (either,) = claims_of(parse("# A\n\nIt is off by $\\pm 0.02$.\n")).quantities
    assert either.readings[0][0].either_sign


def test_what_stands_within_code_is_no_vector_wherever_the_code_begins() -> None:
    for text in ("`f((1, 2))` is so.", "So is `f((1, 2))`."):
        assert not any(q.is_vector for q in claims_of(parse(f"# A\n\n{text}\n")).quantities)
    for text in ("`(1, -2)` is so.", "(1, -2) is so."):
        assert [q.is_vector for q in claims_of(parse(f"# A\n\n{text}\n")).quantities] == [True]
