"""Formulas: what is typeset, what is refused, and what becomes of them in a page."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree.ElementTree import fromstring

import pytest
from markdown import Markdown

from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import FormulaError, characters, spoken, to_mathml


def render(text: str) -> tuple[str, Markdown]:
    with TemporaryDirectory() as folder:
        vault = Vault(Path(folder))
        settings = {"vault": vault, "note": str(vault.root / "Note.md")}
        md = Markdown(
            extensions=["toc", "vaultkit.render.host"],
            extension_configs={"vaultkit.render.host": settings},
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
    assert "".join(fromstring(to_mathml(r"a \tag{7}", False)).itertext()) == "a(7)"
    # With a star it has no brackets but those that it is given.
    for tag, shown in (("*{A}", "aA"), ("*{(A)}", "a(A)"), (r"{1}\tag{2}", "a(1, 2)")):
        assert "".join(fromstring(to_mathml(rf"a \tag{tag}", True)).itertext()) == shown
    assert "".join(fromstring(to_mathml(r"a \tag*{A}\tag{2}", True)).itertext()) == "aA, (2)"
    with pytest.raises(FormulaError) as told:
        to_mathml(r"a \foo \tag{7}", True)
    assert told.value.position == 2


@pytest.mark.parametrize(
    ("tex", "display", "shown"),
    [
        (r"\widetilde{x}", False, "x˜"),
        (r"\widetilde{xy}", False, "xy∼"),
        (r"\large x {\tiny y}", False, "xy"),
        (r"\text{if $x_1$ or $y$}", False, "if x1 or y"),
        (r"\text{100\% of a_b^c \to d}", False, "100% of a_bˆc →d"),
        (r"\text{a $}", False, "a $"),
        (r"\text{\textcolor{red}{a}b}", False, "ab"),
        (r"\mbox{a} \hbox{b}", False, "ab"),
        (r"\sum_{\substack{i\\j}}", True, "∑ij"),
        (r"\begin{split}a&=b\\&=c\end{split}", True, "a=b=c"),
        (r"\begin{alignat}{2}a&=b&c&=d\end{alignat}", True, "a=bc=d"),
        (r"\begin{flalign*}a&=b\end{flalign*}", True, "a=b"),
        (r"\begin{eqnarray}a&=&b\end{eqnarray}", True, "a=b"),
        (r"\begin{smallmatrix}a&b\end{smallmatrix}", False, "ab"),
        # Obsidian numbers nothing by itself.
        (r"\begin{align}a\\b\end{align}", True, "ab"),
        (r"\begin{equation}a\label{e}\end{equation}", True, "a"),
        (r"\begin{gather}a\\b\end{gather}", True, "ab"),
        (r"\begin{gather*}a&b\\&\begin{matrix}c&d\end{matrix}\\e\end{gather*}", True, "abcde"),
        (r"\begin{gather}a\\\begin{gathered}b&c\end{gathered}\end{gather}", True, "abc"),
        (r"\left<a\middle> b\right > \bigl<", True, "⟨a⟩b⟩⟨"),
        (r"a \leftarrow b < \mu*(c)", True, "a←b<μ∗(c)"),
        ("a \\\\\\\n b", True, "ab"),
        (r"\begin{align}a\tag{3}\\b\end{align}", True, "a(3)b"),
        (r"\begin{aligned}a\\b\tag{x}\end{aligned}", True, "ab(x)"),
        (r"\begin{cases}a\tag{1}\\b\end{cases}", True, "{ab(1)"),
        (r"\newcommand{\alpha}{b}\alpha", False, "b"),
        (r"\newcommand{\f}[2]{#1+#2}\f{a}{b}", False, "a+b"),
        (r"\renewcommand{\g}{c}\g", False, "c"),
        (r"\DeclareMathOperator*{\h}{max}\h_x", False, "maxx"),
        (r"\def\k#1{#1!}\k{a}", False, "a!"),
        (r"\operatorname{\mathcal{Hom}} \operatorname*{\mathscr Hom}", False, "ℋ\ufe00ℴ𝓂ℋ\ufe01om"),
        (r"\operatorname{R\mathit{Hom}} \operatorname{\mathbb{1}}", False, "R𝐻𝑜𝑚𝟙"),
        (r"\operatorname{\mathrm{H}\mathsf{om}} \operatorname{\mathbf R f}", False, "H𝗈𝗆𝐑f"),
        (r"\DeclareMathOperator{\l}{\mathfrak{Hom}}\l", False, "ℌ𝔬𝔪"),
        ("a % words\nb \\% c", False, "ab%c"),
        (r"\href{https://a.org}{b} \bbox[red]{c} \colorbox{red}{d} \smash[b]{e}", False, "bcde"),
        (r"\unicode{x25A1} \euro \require{cancel}", False, "□€"),
        (r"a \eqref{e} \ref{f}", False, "a(e)f"),
        (r"\displaylines{a \\ b}", True, "ab"),
        ("L ≠ ∅ ⊥ ∠ \\text{∅}", False, "L≠∅⟂∠∅"),
        (r"\begin{array}{}a&b\\\hline c\end{array}", True, "abc"),
        # What other packages bring that Obsidian's MathJax has.
        (r"\celsius \ohm \perthousand \textcopyright \texttimes", False, "∘CΩ‰©×"),
        (r"\cancelto{0}{\dotsb} \ketbra{a}{b} \upalpha", False, "⋯0|a⟩⟨b|α"),
        (r"a \smallsetminus b \thickapprox c \centernot= d", False, "a∖b≈c≠d"),
        (r"\mathop{\pmb a}\limits_i \varliminf \TeX", True, "𝒂ilim\u0332TeX"),
        (r"\buildrel a \over b \root 3 \of x \rule{1em}{2em} \strut", False, "bax3"),
        (r"\cases{a & b \cr c & d} \matrix{e \cr f}", True, "{abcdef"),
        (r"\begin{align}a\\ \intertext{so} &b\end{align}", True, "asob"),
        (r"\begin{multlined}[b]a\\b\end{multlined} \mathclap{c}", True, "abc"),
        (
            r"\begin{pmatrix*}[r]a\\b\end{pmatrix*} \begin{psmallmatrix}c\end{psmallmatrix}",
            True,
            "(ab)(c)",
        ),
        (
            r"\begin{empheq}[left=x]{align}a&=b\end{empheq} \begin{numcases}{c=}d&e\end{numcases}",
            True,
            "a=bc={de",
        ),
        (r"\begin{CD}A @>f>g> B\\ @VaVV @| \\ C @<<{<V}< D\end{CD}", True, "A⟶gfBa↓‖C⟵<VD"),
        (r"\begin{CD}A @= B @. C\\ @A\Vert AA @VVV @.\end{CD}", True, "A==BC‖↑↓"),
        (r"\text{a \(x\) b} \verb|c_d| \textcolor{#ff0000}{e} \bgroup f\egroup", False, "axbc_def"),
    ],
)
def test_what_mathjax_knows_is_typeset(tex: str, display: bool, shown: str) -> None:
    text = "".join(fromstring(to_mathml(tex, display)).itertext())
    assert re.sub("[\u2061-\u2064\\s]", "", text) == shown.replace(" ", "")


def test_words_in_the_name_of_an_operator_stay_apart() -> None:
    assert "<mi>lim\u00a0sup</mi>" in to_mathml(r"\operatorname{\text{lim sup}}_n", False)


def test_what_is_defined_elsewhere_is_known() -> None:
    preamble = r"\newcommand{\R}{\mathbb{Q}} \newcommand{\f}[1]{#1^2}"
    assert "ℚ" in to_mathml(r"\R", False, preamble)
    assert "<msup>" in to_mathml(r"\f{x}", False, preamble)
    # What is wrong with it spoils no other formula.
    assert to_mathml("x", False, r"\newcommand{\f}{\nothing") == to_mathml("x", False)


@pytest.mark.parametrize(
    ("tex", "position", "what"),
    [(r"\large \nope x", 7, r"\nope"), (r"x \hline", 2, r"\h"), (r"\text{a} \nope", 9, r"\nope")],
)
def test_an_error_names_the_command_and_its_place(tex: str, position: int, what: str) -> None:
    with pytest.raises(FormulaError) as told:
        to_mathml(tex, False)
    assert what in told.value.reason
    assert told.value.position == position


@pytest.mark.parametrize(
    ("tex", "position", "words"),
    [
        (r"a + \foo{b}", 4, r"\foo"),
        (r"\alpha é \foo", 9, r"\foo"),
        (r"\frac{1}{", 9, "}"),
        (r"a & b", 2, "&"),
        (r"\left( a", None, ""),
        (r"\operatorname{\mathcal{H}", None, "}"),
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


def test_a_formula_that_is_longer_than_a_line_can_be_told() -> None:
    html, _ = render(f"$a = b$ and ${' + '.join('abcdefghijklmnopqrst')}$")
    assert re.findall('class="(vk-math[^"]*)"', html) == ["vk-math", "vk-math vk-math--long"]


@pytest.mark.parametrize("bracket", ["(", "[", r"\{", r"\langle ", "{(}", r"\left( a \right. ["])
def test_brackets_left_open_do_not_take_for_ever(bracket: str) -> None:
    with pytest.raises(FormulaError, match="40 brackets are not closed"):
        to_mathml(f"{bracket}a" * 40, False)
    assert to_mathml("(a" * 40 + "]" * 40, False)
