"""Chemistry in formulas, as mhchem writes it: what is typeset, and what the checks make of it."""

import re
from xml.etree.ElementTree import Element, fromstring

import pytest

from vaultkit.claims.claims import claims_of
from vaultkit.read.markdown import parse
from vaultkit.read.prose import plain_tex, states
from vaultkit.render.chemistry import formula, quantity
from vaultkit.render.mathematics import FormulaError, spoken, to_mathml
from vaultkit.tex import parse as statements


def read(tex: str) -> str:
    """Return a formula in a line, with ^ before superscripts and _ before subscripts."""
    text = _line(fromstring(to_mathml(tex, True)))
    return re.sub("[\u2061-\u2064\\s]", "", text)


def _line(element: Element) -> str:
    parts = [_line(child) for child in element]
    match element.tag.rpartition("}")[2], parts:
        case "msup", [base, above]:
            return f"{base}^{above}"
        case "msub", [base, below]:
            return f"{base}_{below}"
        case "msubsup", [base, below, above]:
            return f"{base}_{below}^{above}"
        case "mmultiscripts", [base, _, after, _, below, above]:
            return f"^{above}_{below}{base}^{after}"
        case "mmultiscripts", [base, _, below, above]:
            return f"^{above}_{below}{base}"
        case "mfrac", [above, below]:
            return f"{above}/{below}"
        case "mover" | "munder", [base, ""]:
            return base
        case "mover", [base, above]:
            return f"{base}[{above}]"
        case "munder", [base, below]:
            return f"{base}[][{below}]"
        case "munderover", [base, below, above]:
            return f"{base}[{above}][{below}]"
    return (element.text or "") + "".join(parts)


#: The examples of mhchem's manual, and a few more.
FORMULAS = {
    "H2O": "H_2O",
    "Sb2O3": "Sb_2O_3",
    "H+": "H^+",
    "CrO4^2-": "CrO_4^2−",
    "[AgCl2]-": "[AgCl_2]^−",
    "Y^99+": "Y^99+",
    "Y^{99+}": "Y^99+",
    "SO4^{2-}(aq)": "SO_4^2−(aq)",
    "O_2^-": "O_2^−",
    "H2O+": "H_2O^+",
    "2 H2O": "2H_2O",
    "2H2O": "2H_2O",
    "0.5 H2O": "0.5H_2O",
    "0,5H2O": "0,5H_2O",
    "1/2 H2O": "1/2H_2O",
    "(1/2) H2O": "(1/2)H_2O",
    "-1/2 H2O": "−1/2H_2O",
    "$n$ H2O": "nH_2O",
    "nH2O": "nH_2O",
    "2n H2O": "2nH_2O",
    "n/2 H2O": "n/2H_2O",
    "pH": "pH",
    "^{227}_{90}Th+": "^227_90Th^+",
    "^227_90Th+": "^227_90Th^+",
    "_6^14C": "^14_6C",
    "^0_-1n-": "^0_−1n^−",
    "H^3HO": "H^3_HO",
    "H{}^3HO": "H^3_HO",
    "A -> B": "A⟶B",
    "A <- B": "A⟵B",
    "A <-> B": "A⟷B",
    "A <--> B": "A⇄B",
    "A <=> B": "A⇌B",
    "A <=>> B": "A⥂B",
    "A <<=>[x] B": "A⥄[x]B",
    "A → B": "A⟶B",
    "A ->[H2O] B": "A⟶[H_2O]B",
    "A ->[{above}][{below}] B": "A⟶[above][][below]B",
    "A <=>[$x$][$x_i$] B": "A⇌[x][][x_i]B",
    "A ->[[Cu]] B": "A⟶[[Cu]]B",
    "(NH4)2S": "(NH_4)_2S",
    r"[\{(X2)3\}2]^3+": "[{(X_2)_3}_2]^3+",
    "H2(aq)": "H_2(aq)",
    "CO3^2-_{(aq)}": "CO_3_(aq)^2−",
    r"NaOH(aq,$\infty$)": "NaOH(aq,∞)",
    "ZnS ($c$)": "ZnS(c)",
    "NO_x": "NO_x",
    "Fe^n+": "Fe^n+",
    r"\mu-Cl": "μ-Cl",
    r"[Pt(\eta^2-C2H4)Cl3]-": "[Pt(η^2-C_2H_4)Cl_3]^−",
    r"\beta +": "β^+",
    r"^40_18Ar + \gamma{} + \nu_e": "^40_18Ar+γ+ν_e",
    r"Fe(CN)_{$\frac{6}{2}$}": "Fe(CN)_6/2",
    "X_$i$^$x$": "X_i^x",
    "$cis${-}[PtCl2(NH3)2]": "cis-[PtCl_2(NH_3)_2]",
    "{Gluconic Acid} + H2O2": "GluconicAcid+H_2O_2",
    "X_{{red}}": "X_red",
    "C6H5-CHO": "C_6H_5−CHO",
    "A-B=C#D": "A−B=C≡D",
    r"A\bond{1}B\bond{=}C\bond{~}D\bond{->}E": "A−B=C⋯D→E",
    "KCr(SO4)2*12H2O": "KCr(SO_4)_2⋅12H_2O",
    "KCr(SO4)2.12H2O": "KCr(SO_4)_2⋅12H_2O",
    "KCr(SO4)2 * 12 H2O": "KCr(SO_4)_2⋅12H_2O",
    "Fe^{II}Fe^{III}2O4": "Fe^IIFe^III_2O_4",
    "OCO^{.-}": "OCO^∙−",
    "Li^x_{Li,1-2x}": "Li_Li,1−2x^×",
    "O''_{i,x}": "O_i,x^′′",
    "A + B - C = D \\pm E": "A+B−C=D±E",
    "SO4^2- + Ba^2+ -> BaSO4 v": "SO_4^2−+Ba^2+⟶BaSO_4↓",
    "A (v) -> B ^": "A↓⟶B↑",
    "NO^*": "NO^∗",
    "1s^2-N": "1s^2-N",
    "(-CH2-)_n": "(−CH_2−)_n",
    "1,2-dichloroethane": "1,2-dichloroethane",
    r"\ca Fe": "∼Fe",
    "A, B; C": "A,B;C",
    r"\frac{[Hg^2+]}{Hg2}": "[Hg^2+]/Hg_2",
    r"$\underset{a}{\ce{Zn(OH)2 v}}$ + B": "Zn(OH)_2↓[][a]+B",
    "2H+(aq) + 2e- -> H2(g) ^": "2H^+(aq)+2e^−⟶H_2(g)↑",
    r"\color{red}{H2}O": "H_2O",
    "AB...": "AB...",
}
QUANTITIES = {
    "123 kJ": "123kJ",
    "123kJ": "123kJ",
    "123 mm2": "123mm^2",
    "123 J s": "123Js",
    "123 J*s": "123J⋅s",
    "123 kJ/mol": "123kJ/mol",
    "123 kJ//mol": "123kJ/mol",
    "123 l//100km": "123l/100km",
    "123 kJ mol^-1": "123kJmol^−1",
    "123 kJ.mol^{-1}": "123kJ⋅mol^−1",
    "1.2e3 kJ": "1.2⋅10^3kJ",
    "1,2E-3 kJ": "1,2×10^−3kJ",
    "12345": "12345",
    "1°C": "1^∘C",
    "23.4782(32) m": "23.4782(32)m",
    r"8.00001 \pm 0.00005 nm": "8.00001±0.00005nm",
    ".25": ".25",
    "8.3 J/(mol K)": "8.3J/(molK)",
    r"5 \mu m": "5μm",
    "3.0*10^8 m/s": "3.0⋅10^8m/s",
    r"1 \frac{m}{s}": "1m/s",
}


@pytest.mark.parametrize(("chemistry", "line"), FORMULAS.items())
def test_formulas_read_as_in_the_manual(chemistry: str, line: str) -> None:
    assert read(rf"\ce{{{chemistry}}}") == line


@pytest.mark.parametrize(("text", "line"), QUANTITIES.items())
def test_quantities_read_as_in_the_manual(text: str, line: str) -> None:
    assert read(rf"\pu{{{text}}}") == line


def test_space_parts_a_number_from_what_it_counts() -> None:
    assert quantity("123kJ") == quantity("123 kJ") == r"123~\mathrm{kJ}"
    assert quantity("12345.678901") == r"12\,345.678\,901"
    assert quantity("123456") == r"123\,456"
    assert quantity("1" * 18_000).count(r"\,") == 5_999  # in no time


def test_elements_stand_upright_and_variables_lean() -> None:
    upright = '<mi mathvariant="normal">C</mi>'
    assert upright in to_mathml(r"\ce{C_nH2}", False)
    assert "<mi>n</mi>" in to_mathml(r"\ce{C_nH2}", False)


def test_it_stands_within_mathematics() -> None:
    assert read(r"K = \frac{[\ce{Hg^2+}]}{m_{\ce{H2O}}}") == "K=[Hg^2+]/m_H_2O"
    assert read(r"\begin{align} \ce{Na &-> Na+} \\ \ce{A &-> B}\end{align}") == "Na⟶Na^+A⟶B"
    assert spoken(r"\ce{2H2 + O2 -> 2H2O}") == "2 H₂ + O₂ ⟶ 2 H₂O"


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
    assert formula(f"A{text}").startswith(r"\mathrm{A}")


@pytest.mark.parametrize(
    "tex", [r"\ce{2H2 + O2 -> 2H2O}", r"\ce{A <=> B}", r"\ce{A = B}", r"\ce{^{14}C}", r"\pu{kJ}"]
)
def test_a_reaction_states_nothing(tex: str) -> None:
    assert not states(tex)
    assert statements(tex) == []
    note = parse(f"# A\n\nIt is ${tex}$, and more.\n")
    assert claims_of(note).quantities == ()


def test_a_diagram_states_nothing() -> None:
    diagram = r"\begin{CD}A @>f>> B\\ @| @VVV\\ A @= B\end{CD}"
    assert not states(diagram)
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
