"""Whatever is between two dollar signs: it is read or refused, soon, and nothing else."""

import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.vaultkit.cases import files
from tests.vaultkit.cases.tables import file
from tests.vaultkit.formulas import NOTE
from vaultkit.tex import parse, parse_expression
from vaultkit.tex.cursor import DEEPEST
from vaultkit.tex.tokens import LONGEST, MOST_TOKENS
from vaultkit.tex.tree import TexError, walk
from vaultkit.values import UnboundError, judge

TOKENS = [
    "=", r"\approx", "<", r"\in", r"\ne", r"\to", "+", "-", "*", "/", r"\cdot", r"\times", "(", ")",
    "[", "]", "{", "}", r"\{", r"\}", "|", r"\|", "_", "^", "_{", "^{", "&", r"\\", ",", ";", ".",
    "'", "!", "x", "y", "A", "Q", "K", "i", "j", "n", "d_k", "e", "1", "2", "0.5", "12", r"\alpha",
    r"\sum", r"\prod", r"\max", r"\arg", r"\frac", r"\sqrt", r"\exp", r"\log", r"\text{if}",
    r"\text{for all}", r"\text{and}", r"\text{ms}", r"\text{softmax}", r"\operatorname{relu}",
    r"\begin{cases}", r"\end{cases}", r"\begin{bmatrix}", r"\end{bmatrix}", r"\begin{aligned}",
    r"\end{aligned}", r"\mathbb{R}", r"\mathbb{E}", r"\mathbf{1}", r"\partial", r"\quad", r"\dots",
    r"\left(", r"\right)", r"\lVert", r"\rVert", r"\lfloor", r"\rfloor", r"\infty", r"\top",
    r"\bmod", r"\%", r"\underbrace", r"\hat", r"\forall", r"\implies", "≤", "∈", "→", "α", "√",
    r"\nabla", r"\underset", r"\binom", r"\delta", "I", r"\mid", r"\foo", "\N{SNOWMAN}", "\0", "$",
]  # fmt: skip
KNOWN = [
    case.input for table in ("true", "false") for case in files.read(file(table).read_text())[0]
]
soup = st.lists(st.sampled_from(TOKENS), max_size=25).map(" ".join)
pieces = st.lists(
    st.sampled_from(KNOWN).flatmap(
        lambda tex: st.tuples(
            st.just(tex), st.integers(0, len(tex)), st.integers(0, len(tex))
        )
    ).map(lambda cut: cut[0][min(cut[1:]) : max(cut[1:])]),
    max_size=3,
).map(" ".join)  # fmt: skip


def read(tex: str) -> None:
    refused: TexError | None = None
    statements = []
    try:
        statements = parse(tex)
    except TexError as error:
        refused = error
    if refused:
        assert str(refused)
        assert 0 <= (refused.start or 0) <= (refused.end or 0) <= len(tex)
    for statement in statements:
        for node in walk(statement):
            assert 0 <= node.span[0] <= node.span[1] <= len(tex)
        try:
            verdict = judge(statement, NOTE)
        except UnboundError:
            continue
        assert verdict.holds != bool(verdict.why)


@settings(max_examples=15 * settings().max_examples, deadline=None)
@given(st.one_of(soup, pieces))
@example(r"x_{\alpha")
@example("i = 1, \\dots, n")
def test_any_signs_are_read_or_refused(tex: str) -> None:
    read(tex)


@settings(max_examples=3 * settings().max_examples, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(tex: str) -> None:
    read(tex)


@settings(max_examples=6 * settings().max_examples, deadline=None)
@given(soup, soup)
def test_any_two_sides_are_judged_or_refused(left: str, right: str) -> None:
    read(f"{left} = {right}")


MANY = 10_000


@pytest.mark.parametrize(
    "tex",
    [
        "(" * MANY + "x" + ")" * MANY + " = 1",
        "(" * MANY,
        r"\frac{" * MANY + "x" + "}{2}" * MANY + " = 1",
        r"\frac" * 1_500 + "x = 1",
        r"\sqrt" * 1_500 + "x = 1",
        r"\hat" * 1_500 + "x",
        r"\operatorname{tr}" * 1_500 + "A = 1",
        r"\log " * 1_500 + "c = 1",
        "x_{" * 1_000 + "i" + "}" * 1_000 + " = 1",
        "2^" * 500 + "2 = 1",
        "x" + "'" * 1_500 + " = 1",
        "|" * 1_000 + "x = 1",
        "-" * 1_500 + "c = c",
        "c " * 1_500 + "= 1",
        "c + " * 900 + "c = 901 c",
        r"\begin{cases}" * 400 + "1 = 1",
        "=" * 1_500,
        "c = " * 900 + "c",
        "9" * MANY + " = 1",
        "0." + "1" * MANY + " = 1",
        r"\text{" + "x" * MANY + "} = 1",
        "x" * 200_000,
        r"\sum_{i=1}^{2} " * 300 + "1 = 1",
        ", ".join(["c = 2"] * 300),
        r"\begin{bmatrix} 1 & 2 \\ \\ \end{bmatrix} = A",
        r"x = \begin{cases} \\ \end{cases}",
        r"x = \begin{cases} 1 & x > 0 \\ \\ 0 & \text{otherwise} \end{cases}",
        r"x = \begin{cases} & x > 0 \end{cases}",
        r"x = \begin{bmatrix} \end{bmatrix}",
        r"x = \begin{bmatrix} & \end{bmatrix}",
    ],
    ids=lambda tex: tex[:24],
)
def test_too_much_is_refused_in_words(tex: str) -> None:
    began = time.process_time()
    read(tex)
    assert time.process_time() - began < 20  # it is a matter of milliseconds; a hang is not


@pytest.mark.parametrize(
    ("tex", "why"),
    [
        (r"\sum_{i=1}^{10^{12}} i = 1", "more than 1,000,000"),
        (r"\sum_{i=1}^{\infty} \frac{1}{i^2} = 1", "without an end"),
        (r"\prod_{i=1}^{9^{9^{9}}} i = 1", "without an end|does not run"),
        (r"\sum_{i=1}^{10^5} \sum_{j=1}^{10^5} i j = 1", "numbers at once"),
        (r"\sum_{i=1}^{0.5} i = 1", "whole numbers"),
        (r"\text{long}_i \text{long}_j \text{long}_k \text{long}_l \text{long}_r = 1", "at once"),
        (r"I_{100000} = 1", "too large"),
        (r"\mathbf{1}_{10^{9}}^\top \mathbf{1}_{10^{9}} = 10^9", "too long"),
        (r"10^{10^{10}} = 1", "nan"),
        (r"100000! = 1", "from 0 to 170"),
        (r"\binom{10^6}{500} = 1", "from 0 to 1000"),
        (r"A^{1000} = A", "beyond 64"),
        (r"\operatorname{relu}(\text{long}_i \text{long}_j \text{long}_k) = 1", "27000 times"),
    ],
)
def test_what_would_take_too_long_is_refused_before_it_begins(tex: str, why: str) -> None:
    (statement,) = parse(tex)
    verdict = judge(statement, NOTE)
    assert not verdict.holds
    assert any(part in verdict.why for part in why.split("|")), verdict.why


def test_the_limits_are_where_they_say() -> None:
    deep = "(" * (DEEPEST - 1) + "c" + ")" * (DEEPEST - 1)
    assert parse(f"{deep} = 2")
    with pytest.raises(TexError, match="nested more than"):
        parse(f"(({deep})) = 2")
    with pytest.raises(TexError, match="signs"):
        parse("+" * MOST_TOKENS + " = 1")
    with pytest.raises(TexError, match="characters"):
        parse(" " * (LONGEST + 1))


@pytest.mark.parametrize(
    ("tex", "part"),
    [
        (r"c = \foo", r"\foo"),
        (r"c \to 2", r"\to"),
        (r"c = 2 ) + 1", ")"),
        (r"c = 2 3", "3"),
        (r"c = 2, t", "t"),
        (r"c = \begin{tikz} 1", "1"),
        (r"c \in \mathbb{C}", ""),
    ],
)
def test_a_refusal_says_where(tex: str, part: str) -> None:
    with pytest.raises(TexError) as refusal:
        parse(tex)
    assert tex[refusal.value.start : refusal.value.end] == part


def test_a_verdict_says_where_and_by_how_much() -> None:
    tex = r"c = 2 = \sqrt{4} = \frac{7}{2}"
    (statement,) = parse(tex)
    verdict = judge(statement, NOTE)
    assert tex[slice(*verdict.span)] == r"\frac{7}{2}"
    assert (verdict.left, verdict.right, verdict.difference) == ("2", "3.5", 1.5)
    (statement,) = parse("y = (1, 2, 4)")
    verdict = judge(statement, NOTE)
    assert (verdict.difference, verdict.place) == (1.0, "element (3,)")
    assert verdict.bound == ("y (3,)",)
    assert judge(parse("y = (1, 2, 3)")[0], NOTE).left == "[1. 2. 3.]"


def test_nodes_know_where_they_stand() -> None:
    tex = r"\frac{a + b}{\sqrt{c}} \operatorname{f}(x_{ij}^2)"
    spans = {tex[slice(*node.span)] for node in walk(parse_expression(tex))}
    assert {"a + b", r"\sqrt{c}", r"\frac{a + b}{\sqrt{c}}", "x_{ij}^2", tex} <= spans


@pytest.mark.parametrize(
    ("tex", "parts"),
    [
        (r"y = z + \underset{i}{x}", {r"\underset{i}{x}", r"z + \underset{i}{x}"}),
        ("x_1^2 = y", {"x_1", "x_1^2"}),
        ("y = (a + b)^2", {"a + b", "(a + b)^2"}),
        (r"\max(a, b)! = y", {r"\max(a, b)!"}),
    ],
)
def test_a_node_with_marks_begins_where_the_thing_begins(tex: str, parts: set[str]) -> None:
    (statement,) = parse(tex)
    assert statement.span == (0, len(tex))
    assert parts <= {tex[slice(*node.span)] for node in walk(statement)}


def test_functions_are_called_through_the_hook() -> None:
    seen = []

    def call(function, *given):
        seen.append(given)
        return function(*given)

    (statement,) = parse(r"\operatorname{relu}(x) = \max(0, x)")
    assert judge(statement, NOTE, call=call).holds
    ((given,),) = seen
    # The hook copies it, within the limits of a call: code of the note may run then.
    assert given is NOTE["x"]


def test_without_a_hook_functions_are_called_with_copies() -> None:
    x = np.array([1.0, -2.0])

    def empty(given):
        given[:] = 0
        return given

    (statement,) = parse(r"\operatorname{empty}(x) = 0 x")
    assert judge(statement, {"empty": empty, "x": x}).holds
    assert list(x) == [1.0, -2.0]
