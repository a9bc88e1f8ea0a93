"""The grammar of formulas."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

import vaultkit.tex
from vaultkit.tex import (
    Apply,
    Bracketed,
    Function,
    Membership,
    Norm,
    Number,
    Power,
    Product,
    Reduce,
    Statement,
    Subscript,
    Sum,
    Symbol,
    TexError,
    Transpose,
    parse,
    parse_expression,
)

Q, K, X = Symbol("Q"), Symbol("K"), Symbol("X")


def product(*factors, op=""):
    node = factors[0]
    for factor in factors[1:]:
        node = Product(op, node, factor)
    return node


@pytest.mark.parametrize(
    ("tex", "node"),
    [
        ("QK^T", product(Q, Transpose(K))),
        (r"Q\,K^{\top}", product(Q, Transpose(K))),
        ("a + b c - d / e", "a+(bc)-(d/e)"),
        (r"a \cdot b c", product(Symbol("a"), product(Symbol("b"), Symbol("c")), op=r"\cdot")),
        (r"d_{\text{model}}", Subscript(Symbol("d"), (Symbol("model"),), "d_model")),
        (r"\text{scaled\_scores}", Symbol("scaled_scores")),
        (r"\text{scaled scores}", Symbol("scaled_scores")),
        (r"\mathrm{softmax}(X)", Apply(Symbol("softmax"), (X,))),
        (r"\lambda", Symbol("lambda_")),
        (r"\varepsilon", Symbol("epsilon")),
        (r"\hat{x}", Symbol("x_hat")),
        (r"\alpha_{ij}", Subscript(Symbol("alpha"), (Symbol("i"), Symbol("j")), "alpha_ij")),
        (r"\alpha_{i, j+1}", "alpha indexed by i and j+1"),
        ("e_{bank\\_new}", Symbol("e_bank_new")),
        ("z^{(2)}", Bracketed(Symbol("z"), Number("2"))),
        ("x^2", Power(Symbol("x"), Number("2"))),
        ("e^{x}", Power(Symbol("e"), Symbol("x"))),
        (r"\sqrt{x}", Apply(Function("sqrt"), (Symbol("x"),))),
        (r"\frac{a}{b}", product(Symbol("a"), Symbol("b"), op="/")),
        (r"\lVert X \rVert_F", Norm("F", X)),
        (r"|x|", Norm("abs", Symbol("x"))),
        (
            r"\sum_{j=1}^{n} a_j",
            Reduce("sum", ("j",), Number("1"), Symbol("n"),
                   Subscript(Symbol("a"), (Symbol("j"),), "a_j")),
        ),
        (r"\cos\theta", Apply(Function("cos"), (Symbol("theta"),))),
        (r"\exp(x) y", product(Apply(Function("exp"), (Symbol("x"),)), Symbol("y"))),
    ],
)  # fmt: skip
def test_expressions(tex: str, node: object) -> None:
    read = parse_expression(tex)
    if node == "a+(bc)-(d/e)":
        a, b, c, d, e = (Symbol(letter) for letter in "abcde")
        node = Sum(((1, a), (1, product(b, c)), (-1, product(d, e, op="/"))))
    elif node == "alpha indexed by i and j+1":
        assert isinstance(read, Subscript)
        node = (Symbol("i"), Sum(((1, Symbol("j")), (1, Number("1")))))
        read = read.indices
    assert read == node


def test_a_sum_reaches_as_far_as_its_term() -> None:
    read = parse_expression(r"\sum_j a_j b_j + c")
    assert isinstance(read, Sum)
    assert isinstance(read.terms[0][1], Reduce)
    assert read.terms[1] == (1, Symbol("c"))


@pytest.mark.parametrize(
    ("tex", "count"),
    [
        ("QK^T", 0),
        (r"\approx", 0),
        ("a = b", 1),
        (r"Q = XW_Q,\quad K = XW_K,\quad V = XW_V", 3),
        ("Q = XW_Q, K = XW_K", 2),
        (r"W_Q, W_K \in \mathbb{R}^{n \times m}", 2),
        ("d_k, d_v = 2", 2),
        (r"\begin{aligned} a &= b \\ &= c \\ d &< e \end{aligned}", 2),
        (r"a = b \quad \text{for all } i", 1),
        (r"a = b.", 1),
        (r"i = 1, \dots, n", 1),
        (r"a_i = b, \quad i = 1, \dots, n", 1),
        (r"a = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", 1),
        (r"a = \begin{bmatrix} 1 & 2 \end{bmatrix}, b = c", 2),
        (r"f(\begin{bmatrix} 1 & 2 \end{bmatrix}, x) = 1", 1),
        (r"a = 1 \text{ and } b = 2", 2),
        (r"x_i = 1 \text{ for } i = 1 \text{ and } i = 2", 1),
    ],
)
def test_statements(tex: str, count: int) -> None:
    assert len(parse(tex)) == count


def test_chains_and_rows_that_go_on() -> None:
    (read,) = parse(r"\begin{aligned} a &= b \\ &\le c \end{aligned}")
    assert isinstance(read, Statement)
    assert read.relations == ("=", "≤")


@pytest.mark.parametrize("sign", ["+", "-", r"\cdot", r"\odot", r"\times", "/"])
@pytest.mark.parametrize("before", ["", r"\quad ", "{} "])
def test_a_row_goes_on_with_a_sign(sign: str, before: str) -> None:
    rows = rf"\begin{{aligned}} a &= 2 b \\ &{before}{sign} c \end{{aligned}}"
    assert parse(rows) == parse(rf"a = 2 b {sign} c")


@pytest.mark.parametrize("sign", ["+", r"\cdot"])
def test_rows_go_on_one_after_another(sign: str) -> None:
    assert parse(rf"a = b \\ {sign} c \\ {sign} d") == parse(rf"a = b {sign} c {sign} d")


def test_shapes() -> None:
    (read,) = parse(r"X \in \mathbb{R}^{n \times 4 d_{\text{model}}}")
    assert isinstance(read, Membership)
    assert len(read.dims) == 2


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


SETS = (
    r"of all sets, only \mathbb{R}, \mathbb{N}, \mathbb{Z}, intervals and sets of numbers are known"
)


@pytest.mark.parametrize(
    ("tex", "why", "before", "at"),
    [
        ("a = (b", "cannot read 'the end' here", "a = (b", ""),
        ("a = b)", "cannot read ')' here", "a = b", ")"),
        (r"\frac{a} = b", "cannot read '=' here", r"\frac{a} ", "="),
        ("a = ", "cannot read 'the end' here", "a =", ""),
        (
            r"x \in \mathbb{C}",
            SETS,
            r"x \in \mathbb{C}",
            "",
        ),
        (
            r"a = \begin{tikzpicture} \end{tikzpicture}",
            "the environment tikzpicture is not known",
            r"a = \begin{tikzpicture} ",
            r"\end",
        ),
        ("a = b ? c", "cannot read '?' here", "a = b ", "?"),
        (r"\sum (a_i b_j) = 3", r"\sum has no index to run over", r"\sum (a_i b_j) ", "="),
        (r"\exp(x, y) = 1", r"\exp takes one argument", r"\exp(x, y) ", "="),
        (r"\argmax(c) = 1", r"cannot read '\\argmax' here", "", r"\argmax"),
        (r"\partial = 2", "cannot read '=' here", r"\partial ", "="),
        (r"\sum x = 6", r"\sum has no index to run over", r"\sum x ", "="),
        (
            r"x_i = i, i \in x",
            SETS,
            r"x_i = i, i \in ",
            "x",
        ),
        (r"a \to b", r"the relation \to cannot be judged", "a ", r"\to"),
        (r"a \pm b = c", r"\pm cannot be judged", "a ", r"\pm"),
        (r"\sqrt[] = 3", "cannot read ']' here", r"\sqrt[", "]"),
        ("3e-5 = x", "write powers of ten as 10^{-3}", "3", "e"),
        ("a = b^", "it ends too early", "a = b^", ""),
        ("a = _1", "cannot read '_' here", "a = ", "_"),
        (r"\left( a = b", "it ends too early", r"\left( a = b", ""),
        ("|a = b", "expected '|', found '='", "|a ", "="),
        (r"\lVert a = b", r"expected '\\rVert', found '='", r"\lVert a ", "="),
        (r"\int x = 3", r"\int cannot be judged", "", r"\int"),
        (r"\lim_{n \to \infty} a = 1", r"\lim cannot be judged", "", r"\lim"),
        (r"\foo = 1", r"the command \foo is not known", "", r"\foo"),
        (r"\text{a = 1", "it ends too early", r"\text{a = 1", ""),
        (r"\{1, 2 = a", "cannot read '=' here", r"\{1, 2 ", "="),
        (
            r"\begin{cases} 1 & 2 \\ 3 \end{cases} = a",
            "a condition that states nothing",
            r"\begin{cases} 1 & 2",
            "",
        ),
        ("f( = 1", "'f' states nothing", "", "f"),
        (r"x \in \{1, 2", "cannot read 'the end' here", r"x \in \{1, 2", ""),
        (r"x \in [0, 1", "it ends too early", r"x \in [0, 1", ""),
        (r"a \not b", r"the relation \not cannot be judged", "a ", r"\not"),
        ("1.2.3 = a", "two numbers side by side", "1.2", ".3"),
        (
            r"x \in",
            SETS,
            r"x \in",
            "",
        ),
        ("a <", "cannot read 'the end' here", "a <", ""),
        (
            r"\begin{aligned} a &= b",
            r"\begin{aligned} is never ended",
            r"\begin{aligned} a &= b",
            "",
        ),
        (
            r"a = b \end{aligned}",
            r"\end{aligned} ends nothing that has begun",
            "a = b ",
            r"\end",
        ),
        (
            r"\begin{split} a &= b \end{aligned}",
            r"\end{aligned} ends nothing that has begun",
            r"\begin{split} a &= b ",
            r"\end",
        ),
        (
            r"\text{the radius is 3}",
            "a statement in words cannot be judged",
            "",
            r"\text{the radius is 3}",
        ),
    ],
)
def test_what_the_grammar_does_not_hold_is_said_and_where(
    tex: str, why: str, before: str, at: str
) -> None:
    with pytest.raises(TexError) as told:
        parse(tex)
    error = told.value
    assert (str(error), tex[: error.start], tex[error.start : error.end]) == (why, before, at)


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


# The equations of the five sources, as they are written there.
SOURCES = [
    r"X \in \mathbb{R}^{n \times d_{model}}",
    r"Q = XW_Q,\quad K = XW_K,\quad V = XW_V",
    r"W_Q, W_K, W_V \in \mathbb{R}^{d_{model} \times d_k}",
    r"\text{scores} = QK^T",
    r"\text{scaled\_scores} = \frac{\text{scores}}{\sqrt{d_k}}",
    r"\alpha_{ij} = \frac{\exp(\text{scaled\_scores}_{ij})}"
    r"{\sum_{k=1}^n \exp(\text{scaled\_scores}_{ik})}",
    r"\text{Attention}(Q,K,V) = \text{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V",
    r"Q = xW_Q",
    r"\text{Attention Score} = QK^T",
    r"\text{Scaled Scores} = QK^T/\text{sqrt}(d_k)",
    r"\text{Attention Weights} = \text{softmax}(QK^T/\text{sqrt}(d_k))",
    r"\text{Output} = (\text{Attention Weights}) \text{ dot } (V)",
    r"\text{Attention}(Q, K, V) = \text{softmax}((QK^T)/\text{sqrt}(d_k)) V",
    r"\text{head}_i = \text{Attention}(Q_i, K_i, V_i)",
    r"\text{MultiHeadOutput} = \text{Concat}(\text{head}_1, \text{head}_2, \dots, \text{head}_h)",
    r"d_{\text{head}} = d_{\text{model}} / h",
    r"Q = XW_Q, K = XW_K, V = XW_V",
    r"\text{Scores} = QK^T",
    r"\text{Output} = \text{Attention Weights} \times V",
    r"e_{bank\_new} = \sum (\text{weight}_i \times \text{embedding}_i)",
    r"A \cdot B = \|A\| \|B\| \cos(\theta)",
    r"\text{Q.K} = \text Q K^T",
    r"\text{weights} = \text{softmax}(Q K^T)",
    r"\text{Attention} = \text{softmax}(Q K^T)V",
    r"Q \cdot K = \sum_{i=1}^{d_k} q_i k_i",
    r"\text{Var}(QK^T) = d_k",
    r"\text{Var}(aX) = a^2 \text{Var}(X)",
    r"a = \frac{1}{\sqrt{d_k}}",
    r"\text{Var}\left(\frac{QK^T}{\sqrt{d_k}}\right) = \left(\frac{1}{\sqrt{d_k}}\right)^2 "
    r"\times \text{Var}(QK^T)",
    r"\text{Var}\left(\frac{QK^T}{\sqrt{d_k}}\right) = \frac{1}{d_k} \times d_k = 1",
]


@pytest.mark.parametrize("tex", SOURCES)
def test_every_equation_of_the_sources_can_be_read(tex: str) -> None:
    assert parse(tex)


def test_reading_needs_no_numbers_and_meaning_needs_nothing_but_reading() -> None:
    root = Path(vaultkit.tex.__file__).parents[1]
    for folder, known in [("tex", {"tex"}), ("values", {"tex", "values"})]:
        for path in (root / folder).glob("*.py"):
            found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            names = {
                name
                for node in found
                for name in (
                    [node.module or ""]
                    if isinstance(node, ast.ImportFrom)
                    else [a.name for a in node.names]
                    if isinstance(node, ast.Import)
                    else []
                )
            }
            own = {name.split(".")[1] for name in names if name.startswith("vaultkit.")}
            assert own <= known, path
            if folder == "tex":
                assert "numpy" not in names, path


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
        ("x" + "!" * 119 + "= x", ""),
        ("x" + "!" * 120 + "= x", "more than 120 marks on one thing"),
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
    with pytest.raises(TexError) as told:
        parse(tex)
    assert str(told.value) == why


@pytest.mark.parametrize(
    ("tex", "parts"),
    [
        (r"a = b, \quad c \in \mathbb{R}^n", ["a = b", r"c \in \mathbb{R}^n"]),
        (r"i = 1, \dots, n", [r"i = 1, \dots, n"]),
    ],
)
def test_where_a_statement_stands(tex: str, parts: list[str]) -> None:
    assert [tex[slice(*statement.span)] for statement in parse(tex)] == parts
