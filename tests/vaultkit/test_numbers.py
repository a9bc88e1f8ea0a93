"""What counts as a number, and when one is the rounding or a slip of another."""

from fractions import Fraction

import pytest

from vaultkit.checks.check import EXCEPTED, Check
from vaultkit.checks.lookup import Evidence
from vaultkit.checks.numbers import Numbers, _is_slip
from vaultkit.checks.observed import Observed
from vaultkit.claims.amounts import Amount
from vaultkit.claims.claims import claims_of
from vaultkit.claims.naming import NAMING
from vaultkit.claims.quantities import stated_quantities
from vaultkit.read.markdown import parse
from vaultkit.read.prose import Prose


@pytest.mark.parametrize("naming", NAMING, ids=lambda naming: naming.what)
def test_what_names_is_distinguished_from_what_counts(naming) -> None:
    for example in naming.names:
        prose = Prose()
        prose.add(example, 1)
        assert list(stated_quantities(prose)) == [], example
    for example in naming.counts:
        prose = Prose()
        prose.add(example, 1)
        assert list(stated_quantities(prose)), example


@pytest.mark.parametrize("icon", ["\ue001", "\ue002", "\ue003", "\ue004", "\ue006", "\ue100"])
@pytest.mark.parametrize("around", ["{}", "{} = 3", "`{}`", "${}$"])
def test_copied_text_of_an_icon_font_is_no_mark(icon: str, around: str) -> None:
    texts = [around.format(sign) + " It is 30.5 m." for sign in (icon, "\ufffd")]
    icons, unknown = (parse(text) for text in texts)
    assert icons.texts.prose[0].text == unknown.texts.prose[0].text
    assert claims_of(icons).quantities


def test_columns_count_invisible_characters() -> None:
    text = "a\u200bb 7 and\u00ad 8\nand\ufeff 9"
    (piece,) = parse(text).texts.prose
    assert piece.text == "ab 7 and 8 and 9"
    places = [piece.place_of(piece.text.index(digit)) for digit in "789"]
    assert places == [(1, 5), (1, 12), (2, 6)]


def test_a_comment_need_not_give_a_reason() -> None:
    quantities = claims_of(parse("It is 30<!-- given --> and 40.")).quantities
    assert [bool(q.given) for q in quantities] == [True, False]
    (formula,) = parse("It is $x = 3$<!-- not run -->.").formulas
    assert formula.not_run


def test_a_given_number_is_reported_with_its_reason() -> None:
    (check,) = Numbers(Observed(parse("\nIt is 0.1<!-- given: so -->."))).check()
    assert check == Check("number", 2, "0.1", EXCEPTED, "so", 7)


def amount(value: str, unit: str = "0", **given: object) -> Amount:
    return Amount(Fraction(value), Fraction(unit), **given)  # type: ignore[arg-type]


PERCENT = (Fraction(1), Fraction(100))


@pytest.mark.parametrize(
    ("number", "stated", "rounded", "exact"),
    [
        (0.125, amount("0.125", "0.001"), True, True),
        (0.1254, amount("0.125", "0.001"), True, False),
        (0.1255, amount("0.125", "0.001"), True, False),
        (0.12551, amount("0.125", "0.001"), False, False),
        (0.1245, amount("0.125", "0.001"), True, False),
        (0.12449, amount("0.125", "0.001"), False, False),
        (-0.125, amount("0.125", "0.001"), False, False),
        (-0.125, amount("0.125", "0.001", either_sign=True), True, True),
        (0.125, amount("-0.125", "0.001", either_sign=True), True, True),
        (0.125, amount("12.5", "0.1", scales=PERCENT), True, True),
        (0.12549, amount("12.5", "0.1", scales=PERCENT), True, False),
        (0.12551, amount("12.5", "0.1", scales=PERCENT), False, False),
        (12.5, amount("12.5", "0.1", scales=PERCENT), True, True),
        (1 / 6, amount("1/6", denominator=Fraction(6)), True, True),
        (1 / 3, amount("1/3", denominator=Fraction(3)), True, True),
        (0.333, amount("1/3", denominator=Fraction(3)), True, False),
        (0.33, amount("1/3", denominator=Fraction(3)), False, False),
        (0.334, amount("1/3", denominator=Fraction(3)), False, False),
        (0.667, amount("2/3", denominator=Fraction(3)), True, False),
        (0.0667, amount("1/15", denominator=Fraction(15)), True, False),
        (0.0666, amount("1/15", denominator=Fraction(15)), False, False),
        (1.234e-05, amount("1/80000", denominator=Fraction(80000)), False, False),
        (1.25e-05, amount("1/80000", denominator=Fraction(80000)), True, True),
        (1.06, amount("1055/1000", denominator=Fraction(1000)), True, False),
        (101.0, amount("100501/1000", denominator=Fraction(1000)), False, False),
        (0.0, amount("0", "1"), True, True),
        (0.0, amount("0", "0.1"), True, True),
        (0.05, amount("0", "0.1"), True, False),
        (0.051, amount("0", "0.1"), False, False),
        (float("inf"), amount("1/3", denominator=Fraction(3)), False, False),
        (float("nan"), amount("1", "1"), False, False),
        (1e308, amount("1e400", "1e399"), False, False),
        (-1e308, amount("-1e400", "1e399"), False, False),
    ],
)
def test_when_a_number_is_another(
    number: float, stated: Amount, rounded: bool, exact: bool
) -> None:
    evidence = Evidence()
    evidence.add([5.0, number, -5.0], "here")
    assert (evidence.rounds_to(stated), evidence.holds(stated)) == (rounded, exact)
    assert evidence.rounded(stated) == (number if rounded else None)
    assert evidence.exact(stated) == (number if exact else None)


@pytest.mark.parametrize(
    ("stated", "number", "edit"),
    [
        ("0.181", 0.189, True),
        ("0.181", 0.1887, True),
        ("0.181", 0.1809, False),
        ("0.181", 0.118, True),
        ("0.181", 0.192, False),
        ("0.181", -0.181, True),
        ("0.181", -0.189, False),
        ("0.05", 0.5, True),
        ("100", 0.0, False),
        ("100", 120, True),
        ("48 %", 0.84, True),
        ("0.181", float("nan"), False),
        ("0.181", float("inf"), False),
    ],
)
def test_a_slip_is_one_digit_two_that_change_places_or_the_sign(
    stated: str, number: float, edit: bool
) -> None:
    prose = Prose()
    prose.add(f"It is {stated}.", 1)
    (quantity,) = stated_quantities(prose)
    assert _is_slip(quantity.readings[0][0], number) is edit
