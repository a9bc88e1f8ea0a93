"""Formulas: what is typeset, what is refused, and what becomes of them in a page."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest
from markdown import Markdown

from vaultkit.site.mathematics import FormulaError, characters, spoken, to_mathml


def render(text: str) -> tuple[str, Markdown]:
    md = Markdown(
        extensions=[
            "toc",
            "tables",
            "md_in_html",
            "pymdownx.quotes",
            "pymdownx.superfences",
            "pymdownx.arithmatex",
            "vaultkit.site.mathematics",
        ],
        extension_configs={
            "pymdownx.arithmatex": {"generic": True},
            "pymdownx.quotes": {"callouts": True},
        },
    )
    return md.convert(text), md


@pytest.mark.parametrize(
    "tex",
    [
        r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
        r"\begin{aligned} a &= b \\ c &\le d \end{aligned}",
        r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}",
        r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
        r"W_Q \in \mathbb{R}^{d_{\text{model}} \times d_k}",
        r"\lVert x \rVert, \mathbb{E}[x], \text{d\_k}, \mathbf{x}, \mathcal{L}, \hat{y}",
    ],
)
@pytest.mark.parametrize("display", [True, False])
def test_what_papers_use_is_well_formed(tex: str, display: bool) -> None:
    element = fromstring(to_mathml(tex, display))
    assert element.tag == "math"
    assert (element.get("display") == "block") == display


def test_a_tag_stands_in_any_display() -> None:
    for tex in (r"a = b \tag{7}", r"\begin{equation} a = b \tag{7} \end{equation}"):
        assert "".join(fromstring(to_mathml(tex, True)).itertext()) == "a=b(7)"
    with pytest.raises(FormulaError, match=r"\\tag"):
        to_mathml(r"a = b \tag{7}", False)
    with pytest.raises(FormulaError) as told:
        to_mathml(r"a \foo \tag{7}", True)
    assert told.value.position == 2


@pytest.mark.parametrize(
    ("tex", "position", "words"),
    [
        (r"a + \foo{b}", 4, r"\foo"),
        (r"\alpha é \foo", 9, r"\foo"),
        (r"\frac{1}{", 9, "}"),
        (r"a & b", 2, "&"),
        (r"\left( a", None, ""),
    ],
)
def test_what_does_not_compile_is_refused(tex: str, position: int | None, words: str) -> None:
    with pytest.raises(FormulaError) as caught:
        to_mathml(tex, False)
    assert words in str(caught.value)
    assert caught.value.tex == tex
    if position is not None:
        assert caught.value.position == position


def test_a_line_of_text_for_lists_of_headings() -> None:
    assert spoken(r"\sqrt{d_k}") == "√d_k"
    assert spoken(r"\operatorname{softmax}(x)_i^2") == "softmax(x)ᵢ²"
    assert spoken(r"\foo") == r"\foo"


@pytest.mark.parametrize(
    ("tex", "words"),
    [
        (r"\frac{QK^\top}{\sqrt{d_k}}", "QKᵀ/√d_k"),
        (r"\sqrt{\sigma^2 + \epsilon}", "√(σ² + ϵ)"),
        (r"\frac{a + b}{c + d}", "(a + b)/(c + d)"),
        (r"\frac{-a}{b}", "−a/b"),
        (r"\alpha_{ij} \ne K^{-1}", "αᵢⱼ ≠ K⁻¹"),
        (r"z_i = \sum_{j=1}^{n} \alpha_{ij} v_j", "zᵢ = Σ_(j=1)ⁿ αᵢⱼvⱼ"),
        (r"W_Q \in \mathbb{R}^{d_{\text{model}} \times d_k}", "W_Q ∈ ℝ^(d_model×d_k)"),
        (r"\begin{bmatrix} 1 & -2 \\ 3 & 4 \end{bmatrix}", "[1 −2; 3 4]"),
        (r"\hat{x} = (x - \mu) / \sigma", "x̂ = (x − μ)/σ"),
    ],
)
def test_roots_indices_and_fractions_keep_their_meaning(tex: str, words: str) -> None:
    assert spoken(tex) == words


def test_characters_for_the_font() -> None:
    assert characters(r"\sqrt{\alpha} \in \mathbb{R}") >= {"α", "∈", "ℝ"}
    assert characters(r"\foo") == set()


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


def test_what_is_long_is_not_nested() -> None:
    assert to_mathml(" + ".join(["\\frac{1}{2}"] * 200), True)
