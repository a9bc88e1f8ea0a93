"""Formulas: what is typeset, what is refused, and what becomes of them in a page."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree.ElementTree import fromstring

import pytest
from markdown import Markdown

from vaultkit.read.vault import Vault
from vaultkit.render.latex import FormulaError
from vaultkit.render.mathematics import to_mathml


def render(text: str) -> tuple[str, Markdown]:
    with TemporaryDirectory() as folder:
        vault = Vault(Path(folder))
        settings = {"vault": vault, "note": str(vault.root / "Note.md")}
        md = Markdown(
            extensions=["toc", "vaultkit.render.host"],
            extension_configs={"vaultkit.render.host": settings},
        )
        return md.convert(text), md


def test_words_in_the_name_of_an_operator_stay_apart() -> None:
    assert "<mi>lim\u00a0sup</mi>" in to_mathml(r"\operatorname{\text{lim sup}}_n", False)


def test_what_is_defined_elsewhere_is_known() -> None:
    preamble = r"\newcommand{\R}{\mathbb{Q}} \newcommand{\f}[1]{#1^2}"
    assert "ℚ" in to_mathml(r"\R", False, preamble)
    assert "<msup>" in to_mathml(r"\f{x}", False, preamble)
    # What is wrong with it spoils no other formula.
    assert to_mathml("x", False, r"\newcommand{\f}{\nothing") == to_mathml("x", False)


def test_in_a_page() -> None:
    html, md = render(
        "# Why $\\sqrt{d_k}$ & more\n\n"
        "If $i<j$ & `$code$` cost $5 or $6.\n\n"
        "$$\n\\begin{aligned} a &< b \\\\ c &= d \\end{aligned}\n$$\n\n"
        "> [!note] On $x_1$\n> $$\n> y\n> $$\n\n"
        "| a |\n|---|\n| $\\lvert x \\rvert$ |\n"
    )
    assert html.count("<math") == 6
    assert 'data-tex="i&lt;j"' in html
    assert "<mo>&lt;</mo>" in html
    assert "<code>$code$</code> cost $5 or $6." in html
    assert 'data-clipboard-text="\\begin{aligned} a &amp;&lt; b' in html
    assert "arithmatex" not in html
    [heading] = md.toc_tokens  # type: ignore[attr-defined]
    assert heading["name"] == "Why √d_k &amp; more"
    assert "<math" in heading["html"]


def test_a_formula_that_does_not_compile_shows_itself_and_why() -> None:
    html, _ = render('A bad $\\foo{"<"}$ one.')
    assert '<span class="math-error" title="Unknown command &quot;\\foo&quot;' in html
    assert '>\\foo{"&lt;"}</span>' in html


def test_tex_is_not_among_the_words_to_search_for() -> None:
    html, _ = render(r"$\operatorname{softmax}(x)$")
    words = "".join(fromstring(f"<div>{html}</div>").itertext())
    assert words.replace("\u2061", "") == "softmax(x)"


# The first three would end the process; the fourth is too deep for what reads it next.
@pytest.mark.parametrize(
    "tex",
    [
        "\\frac{" * 100_000 + "1" + "}{2}" * 100_000,
        "\\sqrt" * 4000 + "1",
        "(" * 9000 + ")" * 9000,
        "\\sqrt" * 150 + "1",
        "x^{" * 120 + "1" + "}" * 120,
    ],
    ids=len,
)
def test_what_is_nested_too_deeply_is_refused(tex: str) -> None:
    with pytest.raises(FormulaError):
        to_mathml(tex, True)


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\verb|50% of|", "50%\u00a0of"),
        (r"\verb|\alpha\\|", "\\alpha\\\\"),
        (r"\verb|{$#&_~|", "{$#&_\u02dc"),
        (r"\verb |x|", "x"),
        (r"\verb*+a |+", "a␣|"),
        (r"\verb|a  b|" + "% \\verb|c\n", "a\u00a0\u00a0b"),
        (r"\text{in \verb|x_1|}", "in\u00a0x_1"),
    ],
)
def test_verbatim_text_is_shown_as_it_is(tex: str, text: str) -> None:
    assert "".join(fromstring(to_mathml(tex, False)).itertext()) == text


@pytest.mark.parametrize("tex", [r"\verb|abc", r"\verb", "\\verb|a\nb|", r"\verb ab"])
def test_verbatim_text_that_is_not_closed_is_refused(tex: str) -> None:
    with pytest.raises(FormulaError, match="not closed on its line") as caught:
        to_mathml("1 + " + tex, False, r"\newcommand{\R}{\mathbb{R}}")
    assert caught.value.position == 4
    assert to_mathml("x", False, r"\newcommand{\f}{\verb|}") == to_mathml("x", False)


def test_what_is_long_is_not_nested() -> None:
    assert to_mathml(" + ".join(["\\frac{1}{2}"] * 200), True)


def test_equations_with_a_label_are_numbered_and_referenced(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    md = Markdown(extensions=["vaultkit"], extension_configs={"vaultkit": {"vault": vault}})
    html = md.convert(
        "$$\na \\label{x}\n$$\n\n$$\nb\n$$\n\n$$\n\\begin{align}c \\label{y} \\\\ d\\end{align}\n$$"
        "\n\n"
        "$$\ne \\tag{E} \\label{z}\n$$\n\nBy $\\eqref{y}$, $\\ref{z}$, $\\eqref{none}$."
    )
    assert '<a href="#equation-3">(2)</a>, <a href="#equation-4">E</a>' in html
    assert re.findall(r"<mtext>(\(\w+\))</mtext>", html) == ["(1)", "(2)", "(E)"]


@pytest.mark.parametrize("name", ["align", "gather", "aligned", "alignat"])
def test_each_row_has_a_number_of_its_own(name: str) -> None:
    begins = rf"\begin{{{name}}}" + "{2}" * (name == "alignat")
    html, _ = render(
        f"$$\n{begins}\na \\label{{x}} \\\\ \\begin{{matrix}}b\\\\c\\end{{matrix}} \\tag{{*}}"
        f" \\label{{y}} \\\\ d \\\\ e \\label{{z}}\n\\end{{{name}}}\n$$\n\n"
        r"By $1+\eqref{x}$, $1+\eqref{y}$, $1+\eqref{z}$."
    )
    numbers = re.findall(r"<mtext>(\([^<]*\))</mtext>", html)
    assert numbers == ["(1)", "(*)", "(2)", "(1)", "(*)", "(2)"]


def test_a_line_below_a_table_is_as_wide_as_the_table() -> None:
    tex = r"\begin{array}{|c|c|} \hline a & b \\ \hline c & d \\ \hline \end{array}"
    table = fromstring(to_mathml(tex, False)).find(".//mtable")
    assert table is not None
    assert [len(row) for row in table] == [2, 2]
    assert "border-bottom: 0.05em solid currentcolor;" in table.get("style", "")
    # A row that an author has left empty stays.
    empty = fromstring(to_mathml(r"\begin{array}{c} a \\ {} \\ b \end{array}", False))
    assert len(empty.findall(".//mtr")) == 3


def test_a_formula_that_is_longer_than_a_line_can_be_reported() -> None:
    html, _ = render(f"$a = b$ and ${' + '.join('abcdefghijklmnopqrst')}$")
    assert re.findall('class="(vk-math[^"]*)"', html) == ["vk-math", "vk-math vk-math--long"]


@pytest.mark.parametrize("bracket", ["(", "[", r"\{", r"\langle ", "{(}", r"\left( a \right. ["])
def test_brackets_left_open_do_not_take_for_ever(bracket: str) -> None:
    with pytest.raises(FormulaError, match="40 brackets are not closed"):
        to_mathml(f"{bracket}a" * 40, False)
    assert to_mathml("(a" * 40 + "]" * 40, False)
