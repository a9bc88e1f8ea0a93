"""How much the grammar of formulas reads, and where each statement is."""

from collections.abc import Callable

import pytest

from vaultkit.tex import parse, parse_expression
from vaultkit.tex.tree import TexError


@pytest.mark.parametrize(
    "nested",
    [
        lambda depth: "(" * depth + "x" + ")" * depth,
        lambda depth: r"\frac{1}{" * depth + "x" + "}" * depth,
        lambda depth: r"\sqrt{" * depth + "x" + "}" * depth,
        # What has been closed again counts no more, and hides nothing of what is still open.
        lambda depth: "(" * 15 + "(x) + " + "(" * (depth - 15) + "x" + ")" * depth,
        lambda depth: "(x) + " * 100 + "(" * depth + "x" + ")" * depth,
    ],
)
def test_thirty_brackets_deep_and_no_deeper(nested: Callable[[int], str]) -> None:
    assert len(parse(nested(30) + " = x")) == 1
    with pytest.raises(TexError, match="nested more than 30 deep"):
        parse(nested(31) + " = x")


def test_a_long_chain_of_factors_is_refused() -> None:
    assert len(parse(" ".join("x" * 121) + " = x")) == 1
    with pytest.raises(TexError, match="a chain of more than 120 factors"):
        parse(" ".join("x" * 122) + " = x")
    assert len(parse(" + ".join("x" * 999) + " = x")) == 1
    with pytest.raises(TexError, match="a formula of more than 2000 signs"):
        parse(" + ".join("x" * 1000) + " = x")


@pytest.mark.parametrize(
    ("tex", "spans"),
    [
        (
            r"Q = XW_Q,\quad K = XW_K, \quad i = 1, \dots, n",
            ["Q = XW_Q", "K = XW_K", r"i = 1, \dots, n"],
        ),
        (
            r"\begin{aligned} a &= b \\ &= c \\ d &< e \end{aligned}",
            [r"a &= b \\ &= c", "d &< e"],
        ),
        ("d_k, d_v = 2.", ["d_k, d_v = 2"] * 2),
        (
            r"x \in \mathbb{R}^{n}, a = b \text{ if } c > 1",
            [r"x \in \mathbb{R}^{n}", "a = b"],
        ),
    ],
)
def test_a_statement_knows_where_it_stands(tex: str, spans: list[str]) -> None:
    assert [tex[slice(*statement.span)] for statement in parse(tex)] == spans


@pytest.mark.parametrize(
    ("tex", "why"),
    [
        (r"\alpha" * 31 + "= x", ""),
        (r"\alpha" * 32 + "= x", "too many commands in a row"),
        (r"\alpha" * 31 + " a" + r"\alpha" * 31 + "= x", ""),
        ("(" * 29 + "x" + ")" * 29 + "= x", ""),
        ("(" * 31 + "x" + ")" * 31 + "= x", "it is nested more than 30 deep"),
        (r"\frac{1}{2}" * 40 + "= x", ""),
        (r"\begin{bmatrix} 1 \end{bmatrix}" * 40 + "= x", ""),
        ("x" * 121 + "= x", ""),
        ("x" * 122 + "= x", "a chain of more than 120 factors"),
        ("x" + "/ x" * 120 + "= x", ""),
        ("x" + "/ x" * 121 + "= x", "a chain of more than 120 factors"),
        ("x" + "'" * 120 + "= x", ""),
        ("x" + "'" * 121 + "= x", "more than 120 marks on one thing"),
        ("x = " + "1" * 60, ""),
        ("x = " + "1" * 61, "a number of 61 digits; at most 60 are read"),
        ("x = 1" + " " * 20_000, "a formula of 20005 characters; at most 20000 are read"),
        ("x = 1" + " " * 19_995, ""),
    ],
)
def test_what_is_too_much(tex: str, why: str) -> None:
    if not why:
        parse(tex)
        return
    with pytest.raises(TexError) as raised:
        parse(tex)
    assert str(raised.value) == why


@pytest.mark.parametrize("tex", [r"\exp 2 x", r"\exp{2} x", r"\exp{2 x}"])
def test_a_function_without_brackets_takes_the_factors_beside_it(tex: str) -> None:
    assert parse_expression(tex) == parse_expression(r"\exp(2 x)")
    assert parse_expression(r"\exp(2) x") != parse_expression(tex)
