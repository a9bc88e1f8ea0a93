"""Chemistry in formulas, as mhchem writes it: its limits, and what the checks make of it."""

import re

import pytest

from vaultkit.claims.claims import claims_of
from vaultkit.read.markdown import parse
from vaultkit.read.prose import has_relation, plain_tex
from vaultkit.render.chemistry import formula_to_tex, quantity_to_tex
from vaultkit.render.latex import FormulaError
from vaultkit.render.mathematics import to_mathml
from vaultkit.tex import parse as statements


def test_space_parts_a_number_from_what_it_counts() -> None:
    assert quantity_to_tex("123kJ") == quantity_to_tex("123 kJ") == r"123~\mathrm{kJ}"
    assert quantity_to_tex("12345.678901") == r"12\,345.678\,901"
    assert quantity_to_tex("123456") == r"123\,456"
    assert quantity_to_tex("1" * 18_000).count(r"\,") == 5_999  # in no time


def test_a_fraction_of_a_variable_is_an_amount() -> None:
    water = r"\,\mathrm{H}_{2}\mathrm{O}"
    assert formula_to_tex("$n$/2 H2O") == r"\tfrac{n}{2}" + water
    assert formula_to_tex("-1/2 H2O") == r"-\tfrac{1}{2}" + water


def test_elements_are_upright_and_variables_lean() -> None:
    upright = '<mi mathvariant="normal">C</mi>'
    assert upright in to_mathml(r"\ce{C_nH2}", False)
    assert "<mi>n</mi>" in to_mathml(r"\ce{C_nH2}", False)


@pytest.mark.parametrize(
    "tex",
    [r"\ce{" + r"\frac{" * 600, r"\ce{" + "A ->[" * 600, r"\ce{A" + "^2_3" * 4000 + "}"],
    ids=["fractions", "arrows", "scripts"],
)
def test_what_is_nested_too_deeply_is_refused(tex: str) -> None:
    with pytest.raises(FormulaError, match="deeply"):
        to_mathml(tex, False)


@pytest.mark.parametrize("text", ["", "^", "_", "{", "$", "->[", "[", "\\", "^{", "-", "'"])
def test_what_is_unfinished_is_read_as_far_as_it_goes(text: str) -> None:
    assert formula_to_tex(f"A{text}").startswith(r"\mathrm{A}")


@pytest.mark.parametrize(
    "tex", [r"\ce{2H2 + O2 -> 2H2O}", r"\ce{A <=> B}", r"\ce{A = B}", r"\ce{^{14}C}", r"\pu{kJ}"]
)
def test_a_reaction_states_nothing(tex: str) -> None:
    assert not has_relation(tex)
    assert statements(tex) == []
    note = parse(f"# A\n\nIt is ${tex}$, and more.\n")
    assert claims_of(note).quantities == ()


def test_a_diagram_states_nothing() -> None:
    diagram = r"\begin{CD}A @>f>> B\\ @| @VVV\\ A @= B\end{CD}"
    assert not has_relation(diagram)
    assert statements(diagram) == []
    assert len(statements(rf"x = 3 \quad {diagram}")) == 1


def test_a_substance_is_a_name_and_a_quantity_a_number() -> None:
    assert str(statements(r"m_{\ce{H2O}} = 3")) == str(statements(r"m_{\text{H2O}} = 3"))
    (beside,) = statements(r"\ce{A ->[x = 2] B} \qquad x = 3")
    assert str(beside.relations) == str(statements("x = 3")[0].relations)
    for written, number in (("12 mol", "12"), ("1.5e3 J", r"1.5 \times 10^{3}"), ("-2 V", "-2")):
        own, other = statements(rf"n = \pu{{{written}}}"), statements(f"n = {number}")
        assert re.sub(r"span=\(\d+, \d+\)", "", str(own)) == re.sub(
            r"span=\(\d+, \d+\)", "", str(other)
        )
    assert plain_tex(r"\pu{123 kJ} of \ce{C12H22O11}").startswith("123 kJ of ")
    assert [
        q.text for q in claims_of(parse("# A\n\n$\\pu{123 kJ}$ of $\\ce{C12H22}$\n")).quantities
    ] == ["123"]
