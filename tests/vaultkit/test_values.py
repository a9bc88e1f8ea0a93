"""Formulas mean what they mean in the papers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vaultkit.cases.tables import SAMPLE, VALUES, VERDICTS, K, Q
from vaultkit.tex import parse
from vaultkit.tex.tree import Statement
from vaultkit.values import UnboundError, Verdict, judge, shape_mismatch

RNG = np.random.default_rng(0)


def verdicts(tex: str, variables: Mapping[str, Any] = VALUES) -> list[Verdict]:
    return [judge(statement, variables) for statement in parse(tex)]


@pytest.mark.parametrize("seed", range(5))
def test_a_variance_that_a_few_members_make_is_shown_by_no_sample(seed: int) -> None:
    s = np.random.default_rng(seed).normal(size=20_000)
    assert not holds(r"\operatorname{Var}(1 / s) = 1", s=s)
    assert holds(r"\operatorname{Var}(s) = 1", s=s)
    # A small sample of what is not normal is uncertain, too, and shows something.
    few = (s[:120] * s[120:240]) * 2
    assert holds(r"\operatorname{Var}(x) = 4", x=few)
    assert holds(r"\operatorname{Var}(c) = 0", c=np.full(200, 0.1))


def test_a_letter_that_the_note_binds_is_no_index() -> None:
    assert not any(verdict.holds for verdict in verdicts("s = Q, a = 3"))
    tex = r"\operatorname{Var}\left(s / \sqrt{d_k}\right) = \operatorname{Var}(s) / d_k = 1"
    too_large = {"s": 1.2 * (SAMPLE["q"] * SAMPLE["k"]).sum(-1), "d_k": 16}
    assert not any(verdict.holds for verdict in verdicts(tex, too_large))


def test_a_letter_of_a_name_may_have_a_value_of_its_own() -> None:
    tex = "d_k = 4, k = 3"
    assert holds(tex, d_k=4, k=3)
    assert not holds(tex, d_k=5, k=3)
    assert not holds(tex, d_k=4, k=5)
    with pytest.raises(UnboundError, match="k"):
        verdicts(tex, {"d_k": 4})
    # Of an array, k is the index, whatever the note binds.
    assert holds("x_k = 4, k = 3", x=np.array([1, 2, 4]), k=9)


@pytest.mark.parametrize(
    "tex", [r"\lVert x \rVert_\infty = 1", r"\max(x) = 1", r"\operatorname{min}(x) = 1"]
)
def test_an_empty_array_has_no_largest_element(tex: str) -> None:
    (verdict,) = verdicts(tex, {"x": np.zeros(0)})
    assert not verdict.holds
    assert verdict.why.endswith("of an array without elements")


def test_an_element_of_a_product_that_overflows_is_not_infinite() -> None:
    names = {"A": np.array([[np.inf, 1.0], [1e300, 1.0]]), "x": np.array([1e300, 1.0])}
    # The infinity is in the first row alone.
    assert not holds("A x = b", **names, b=np.array([np.inf, np.inf]))
    assert holds("a x = b", a=names["A"][:1], x=names["x"], b=np.array([np.inf]))


def test_a_verdict_names_the_variables_and_the_worst_element() -> None:
    (verdict,) = verdicts(r"\text{scores} = Q K^\top + 1", VALUES)
    assert verdict.bound == ("scores (5, 5)", "Q (5, 3)", "K (5, 3)")
    assert "the largest difference is 1 at element" in verdict.why


# --- Random expressions, written as TeX and computed by NumPy -----------------------------------

SIZE = 3
NAMES = {name: RNG.uniform(0.5, 2.0, (SIZE, SIZE)) for name in ("A", "B", "C")} | {
    "u": RNG.uniform(0.5, 2.0, SIZE), "w": RNG.uniform(0.5, 2.0, SIZE),
    "a": 1.5, "b_1": 0.75, "gamma": 2.25, "n": SIZE,
}  # fmt: skip
Pair = tuple[str, Any]

scalar_atoms: st.SearchStrategy[Pair] = st.sampled_from(
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("a", NAMES["a"]),
        ("b_1", NAMES["b_1"]),
        (r"\gamma", NAMES["gamma"]),
        (r"A_{12}", NAMES["A"][0, 1]),
        (r"u \cdot w", NAMES["u"] @ NAMES["w"]),
        (r"\sum_{i=1}^{n} u_i w_i", NAMES["u"] @ NAMES["w"]),
        (r"\sum_{i=1}^{n} \sum_{j=1}^{i} B_{ij}", np.tril(NAMES["B"]).sum()),
        (r"\max_i u_i", NAMES["u"].max()),
        (r"\lVert A \rVert", np.linalg.norm(NAMES["A"])),
        (r"u^\top A w", NAMES["u"] @ NAMES["A"] @ NAMES["w"]),
        (r"\lVert u \rVert_1", np.abs(NAMES["u"]).sum()),
        (r"\lVert u \rVert_\infty", NAMES["u"].max()),
        (r"\max(u)", NAMES["u"].max()),
        (r"\operatorname{tr}(A)", np.trace(NAMES["A"])),
        (r"\det B", np.linalg.det(NAMES["B"])),
        (r"\log_2 a", np.log2(NAMES["a"])),
        (r"\lfloor \gamma \rfloor", 2.0),
        (r"\sqrt[3]{a}", np.cbrt(NAMES["a"])),
        (r"3!", 6.0),
        (r"(u_1 + \dots + u_n)", NAMES["u"].sum()),
        (r"\sum_{i<j} u_i w_j", np.triu(np.outer(NAMES["u"], NAMES["w"]), 1).sum()),
        (r"\sum_{i,j} A_{ij} B_{ij}", (NAMES["A"] * NAMES["B"]).sum()),
        (r"\sum_{i} [i \ne 2] \, u_i", NAMES["u"][[0, 2]].sum()),
        (r"\langle u, w \rangle", NAMES["u"] @ NAMES["w"]),
        (r"\mathbf{1}^\top u", NAMES["u"].sum()),
    ]
)
matrix_atoms: st.SearchStrategy[Pair] = st.sampled_from(
    [
        *((name, NAMES[name]) for name in "ABC"),
        *((f"{name}^\\top", NAMES[name].T) for name in "ABC"),
        (r"I_3", np.eye(SIZE)),
        (r"\operatorname{diag}(u)", np.diag(NAMES["u"])),
        (r"u \otimes w", np.outer(NAMES["u"], NAMES["w"])),
        (r"(A + I)", NAMES["A"] + np.eye(SIZE)),
        (r"A^{-1}", np.linalg.inv(NAMES["A"])),
        (r"B^2", NAMES["B"] @ NAMES["B"]),
    ]
)


def scalars(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda p: (f"({p[0][0]} + {p[1][0]})", p[0][1] + p[1][1])),
        two.map(lambda p: (f"({p[0][0]} - {p[1][0]})", p[0][1] - p[1][1])),
        two.map(lambda p: (rf"({p[0][0]}) ({p[1][0]})", p[0][1] * p[1][1])),
        two.map(lambda p: (rf"\left({p[0][0]}\right) \cdot ({p[1][0]})", p[0][1] * p[1][1])),
        two.map(
            lambda p: (rf"\frac{{{p[0][0]}}}{{1 + ({p[1][0]})^2}}", p[0][1] / (1 + p[1][1] ** 2))
        ),
        inner.map(lambda p: (rf"\sqrt{{1 + ({p[0]})^2}}", np.sqrt(1 + p[1] ** 2))),
        inner.map(lambda p: (rf"\cos({p[0]})", np.cos(p[1]))),
        inner.map(lambda p: (rf"-({p[0]})", -p[1])),
        inner.map(lambda p: (rf"\lvert {p[0]} \rvert", abs(p[1]))),
    )


all_scalars = st.recursive(scalar_atoms, scalars, max_leaves=6)


def matrices(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda p: (f"({p[0][0]} + {p[1][0]})", p[0][1] + p[1][1])),
        two.map(lambda p: (f"({p[0][0]}) ({p[1][0]})", p[0][1] @ p[1][1])),
        two.map(lambda p: (rf"(({p[0][0]}) \odot ({p[1][0]}))", p[0][1] * p[1][1])),
        inner.map(lambda p: (f"({p[0]})^{{\\top}}", p[1].T)),
        st.tuples(all_scalars, inner).map(lambda p: (f"({p[0][0]}) {p[1][0]}", p[0][1] * p[1][1])),
        st.tuples(inner, all_scalars).map(
            lambda p: (rf"\frac{{{p[0][0]}}}{{1 + ({p[1][0]})^2}}", p[0][1] / (1 + p[1][1] ** 2))
        ),
    )


all_matrices = st.recursive(matrix_atoms, matrices, max_leaves=6)


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(st.one_of(all_scalars, all_matrices))
def test_random_expressions_are_what_numpy_says(pair: Pair) -> None:
    tex, value = pair
    variables = {**NAMES, "result": value, "other": value + np.abs(value).max() * 0.01 + 0.01}
    (verdict,) = verdicts(rf"{tex} = \text{{result}}", variables)
    assert verdict.holds, (tex, verdict)
    (verdict,) = verdicts(rf"{tex} = \text{{other}}", variables)
    assert not verdict.holds, tex


# --- How near is equal: every constant, from both sides -----------------------------------------


def holds(tex: str, **variables: Any) -> bool:
    return all(verdict.holds for verdict in verdicts(tex, variables))


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize(
    ("kind", "share"), [(np.float64, 2.0**-40), (np.float32, 2.0**-20), (np.float16, 2.0**-9)]
)
def test_equality_is_a_share_of_the_elements(kind: Any, share: float, size: float) -> None:
    if kind is np.float16 and size != 1:
        return
    x = np.array([kind(size)])
    # Four roundings of each side come on top; they are far less, but in half precision.
    allowed = share + 8 * {8: 2.0**-53, 4: 2.0**-24, 2: 2.0**-11}[x.itemsize]
    near, far = 0.97 * allowed, 1.03 * allowed
    for sign in (-1, 1):
        assert holds("x = y", x=x, y=x.astype(float) * (1 + sign * near))
        assert not holds("x = y", x=x, y=x.astype(float) * (1 + sign * far))
        assert holds(r"x \ne y", x=x, y=x.astype(float) * (1 + sign * far))
        assert not holds(r"x \ne y", x=x, y=x.astype(float) * (1 + sign * near))


def test_a_difference_is_known_as_well_as_its_parts_are() -> None:
    # 10^16 + 0.3 is rounded to steps of 2.
    assert holds("x + 10^{16} - 10^{16} = 0.3", x=0.3)
    assert not holds("x + 10^{16} - 10^{16} = 9", x=0.3)
    assert holds("x + 10^{8} - 10^{8} = 0.3", x=0.3)
    assert not holds("x + 10^{8} - 10^{8} = 0.3000002", x=0.3)
    assert not holds(r"y_1 + y_2 - y_2 = 0.3000002, \quad y_3 = 0.3", y=np.array([0.3, 1e8, 1e16]))


def test_a_quotient_is_known_as_well_as_its_parts_are() -> None:
    assert holds(r"\frac{x + 10^{8} - 10^{8}}{10^{-6}} = 300000", x=0.3)
    assert not holds(r"\frac{x + 10^{8} - 10^{8}}{10^{-6}} = 300001", x=0.3)
    assert not holds(r"\frac{x + 10^{16} - 10^{16}}{10^{6}} = 0.001", x=0.3)
    assert holds(r"\frac{x + 10^{16} - 10^{16}}{10^{6}} = 0", x=0.3)


def test_a_sum_is_known_as_well_as_its_terms_are_many() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=1000)
    shuffled = float(sum(sorted(x.tolist())))
    assert holds(r"\sum_i x_i = y", x=x, y=shuffled)
    assert not holds(r"\sum_i x_i = y", x=x, y=shuffled + 1e-10)
    single = x.astype(np.float32)
    assert holds(r"\sum_i x_i = y", x=single, y=np.float32(single[::-1].cumsum()[-1]))
    assert not holds(r"\sum_i x_i = y", x=single, y=float(single.sum(dtype=float)) + 0.02)


def test_near_is_five_percent_of_each_element() -> None:
    # Of the larger of the two: 0.05 · 1.0526 = 0.05263.
    for near, far in ((1.0526, 1.0527), (-1.0526, -1.0527)):
        x = np.array([np.sign(near), 1e9])
        for other, as_said in ((near, True), (far, False)):
            y = np.array([other, 1e9])
            assert holds(r"x \approx y", x=x, y=y) is as_said
            assert holds(r"x \approx y", x=y, y=x) is as_said
    assert not holds(r"x \approx y", x=np.array([0.0, 1.0]), y=np.array([1e-6, 1.0]))
    assert holds(r"x \approx y", x=np.array([0.0, 1.0]), y=np.array([0.0, 1.0]))


@pytest.mark.parametrize(
    ("shown", "true", "false"),
    [
        ("0.82", (0.8151, 0.8249, 0.815, 0.825), (0.8149, 0.8251)),
        ("12", (11.5, 12.49), (11.49, 12.51)),
        ("-0.50", (-0.504, -0.496), (-0.506, -0.494, 0.5)),
        (r"1.300 \times 10^{-3}", (0.0013004, 0.0012996), (0.0013006, 0.0012994)),
        (r"2.5\,\%", (0.0254, 0.0246), (0.0256, 0.0244)),
    ],
)
def test_a_number_shows_so_many_digits(
    shown: str, true: tuple[float, ...], false: tuple[float, ...]
) -> None:
    for x in true:
        assert holds(rf"x \approx {shown}", x=x)
    for x in false:
        assert not holds(rf"x \approx {shown}", x=x)
    assert not holds(f"x = {shown}", x=true[0])


def test_much_less_is_ten_times() -> None:
    assert holds(r"x \ll y, \quad y \gg x", x=1.0, y=10.0)
    assert not holds(r"x \ll y", x=1.0, y=9.99)


def test_less_is_more_than_rounding() -> None:
    assert holds("x < 1", x=1 - 1e-14)
    assert not holds("x < 1", x=1 - 1e-16)
    assert holds(r"x \le 1", x=1 + 1e-13)
    assert not holds(r"x \le 1", x=1 + 1e-11)


# --- Populations --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [200, 2_000, 40_000])
def test_a_population_is_known_to_four_standard_errors(size: int) -> None:
    draw = np.random.default_rng(3).normal(size=size)
    draw = (draw - draw.mean()) / draw.std()
    # The delete-a-group jackknife in its own words: forty estimates, each without one group.
    groups = draw.reshape(40, -1)
    rest = [np.delete(groups, group, axis=0) for group in range(40)]

    def error(estimates: list[float]) -> float:
        return float(np.sqrt(39 * np.var(estimates)))

    mean, variance = error([part.mean() for part in rest]), error([part.var() for part in rest])
    # As theory has it, give or take what forty groups can show.
    assert 0.7 < mean * np.sqrt(size) < 1.3
    assert 0.7 < variance * np.sqrt(size / 2) < 1.3
    for sign in (-1, 1):
        for errors, as_said in ((3.98, True), (4.02, False)):
            # Rows of five are left out whole, and so in the same groups.
            for x in (draw, draw.reshape(-1, 5)):
                m, v = sign * errors * mean, 1 + sign * errors * variance
                assert holds(r"\mathbb{E}[x] = m", x=x, m=m) is as_said
                assert holds(r"\operatorname{Var}(x) = v", x=x, v=v) is as_said


@pytest.mark.parametrize(("size", "sample"), [(99, False), (100, True)])
def test_from_a_hundred_numbers_on_they_are_a_sample(size: int, sample: bool) -> None:
    x = np.random.default_rng(0).normal(size=size)
    assert holds(r"\mathbb{E}[x] = m", x=x, m=x.mean())
    assert holds(r"\mathbb{E}[x] = m", x=x, m=x.mean() + 0.05) is sample


def test_a_few_numbers_are_no_sample() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    assert holds(r"\operatorname{Var}(x) = 1.25, \quad \mathbb{E}[x] = 2.5", x=x)
    assert not holds(r"\operatorname{Var}(x) = 1.3", x=x)
    for a, variance in ((x - 1, 1.25), (0 * x, 0.0)):
        assert holds(
            r"\operatorname{Var}(a) = v, \quad \operatorname{Cov}(a, x) = v", a=a, x=x, v=variance
        )
        assert not holds(r"\operatorname{Var}(a) = v", a=a, v=variance + 1e-6)
        assert not holds(r"\operatorname{Cov}(a, x) = v", a=a, x=x, v=variance + 1e-6)
    (number,) = verdicts(r"\mathbb{E}[c] = 3", {"c": 3.0})
    assert "needs a sample" in number.why


def test_what_holds_of_every_sample_needs_no_tolerance() -> None:
    x = np.random.default_rng(0).normal(size=5_000)
    assert holds(r"\operatorname{Var}(c x) = c^2 \operatorname{Var}(x)", x=x, c=3.0)
    assert not holds(r"\operatorname{Var}(c x) = 9.001 \operatorname{Var}(x)", x=x, c=3.0)
    assert holds(r"\operatorname{Var}(x) = \mathbb{E}[x^2] - \mathbb{E}[x]^2", x=x)
    assert holds(r"\operatorname{Var}(x) = \mathbb{E}[(x - \mathbb{E}[x])^2]", x=x)
    assert holds(r"\operatorname{Cov}(x, x) = \operatorname{Var}(x)", x=x)


def test_an_identity_that_the_note_binds_is_its_own() -> None:
    own = np.array([[1.0, 5.0], [2.0, 3.0]])
    assert holds("I_{12} = 5", I=own)
    assert not holds("I_{12} = 0", I=own)


def test_a_product_of_two_samples_of_numbers_is_a_sample() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=2_000), 2 + rng.normal(size=2_000)
    assert holds(r"\operatorname{Var}(x \odot x) = 2", x=x)
    assert holds(r"\mathbb{E}[x \odot y] = \operatorname{Cov}(x, y) = 0", x=x, y=y)
    assert not holds(r"\operatorname{Var}(x \odot x) = 3", x=x)
    assert not holds(r"\mathbb{E}[x \odot x] = 0", x=x)


@pytest.mark.parametrize(
    ("tex", "mean"),
    [(r"\frac{x}{2} y", 2), (r"\frac{x}{u} y", 4), ("a x y", 8), (r"\frac{x y}{a^2} y", 2)],
)
def test_a_multiple_or_quotient_of_samples_is_a_sample(tex: str, mean: float) -> None:
    rng = np.random.default_rng(0)
    x, y = 2 + 0.1 * rng.normal(size=2_000), 2 + 0.1 * rng.normal(size=2_000)
    values = {"x": x, "y": y, "u": np.full(2_000, 1.0), "a": 2}
    assert holds(rf"\mathbb{{E}}[{tex}] \approx {mean}", **values)
    assert not holds(rf"\mathbb{{E}}[{tex}] \approx {mean + 2}", **values)


def test_a_sum_of_samples_is_a_sample() -> None:
    assert holds(r"\mathbb{E}[(q_i + k_i) q_i] = \mathbb{E}[q_i^2] = 1", **SAMPLE)
    assert not holds(r"\mathbb{E}[(q_i + k_i) q_i] = 0", **SAMPLE)


@pytest.mark.parametrize(
    ("stated", "as_said"),
    [
        ("1", True),
        ("1.0", True),
        ("0.9661", True),
        ("0.9662", False),
        ("1.0000", False),
        ("2", False),
    ],
)
def test_digits_finer_than_a_sample_can_show_are_those_of_the_sample(
    stated: str, as_said: bool
) -> None:
    x = np.random.default_rng(0).normal(size=5000)
    x = x / x.std() * np.sqrt(0.96608)
    assert holds(rf"\operatorname{{Var}}(x) \approx {stated}", x=x) is as_said


def test_a_product_of_samples_is_known_as_its_parts_vary() -> None:
    assert holds(r"\mathbb{E}[q_i k_i] = \mathbb{E}[q_i] \mathbb{E}[k_i] = 0", **SAMPLE)
    assert not holds(r"\mathbb{E}[q_i q_i] = \mathbb{E}[q_i] \mathbb{E}[q_i]", **SAMPLE)
    assert not holds(r"\operatorname{Var}(q_i) = 1.04", **SAMPLE)
    assert not holds(r"\operatorname{Var}(q \cdot k) = 1.04 d_k", **SAMPLE)


# --- Shapes, laws -------------------------------------------------------------------------------


def test_shapes_that_do_not_fit_are_reported_for_an_expression() -> None:
    def mismatch(tex: str, **names: Any) -> str:
        (statement,) = parse(f"{tex} > 99")
        assert isinstance(statement, Statement)
        return shape_mismatch(statement.sides[0], names)

    why = "shapes (5, 3) and (5, 3) cannot be multiplied: 3 is not 5"
    assert mismatch("Q K", Q=Q, K=K) == why
    assert mismatch(r"Q K^\top", Q=Q, K=K) == ""
    # Either way to lay a vector will do, and other errors are reported elsewhere.
    assert mismatch("x Q", x=np.ones(5), Q=Q) == mismatch("Q x", x=np.ones(3), Q=Q) == ""
    assert mismatch("f(Q)", f=lambda q: q.nothing, Q=Q) == ""
    with pytest.raises(UnboundError):
        mismatch("Q K", Q=Q)


@pytest.mark.parametrize(
    ("tex", "bound"),
    [
        (r"n x = A y", ("n = 2", "x (2,)", "A (2, 2)", "y (2,)")),
        (r"\text{relu}(x) = c", ("relu (function)", "x (2,)", "c = 2.5")),
        (r"\text{heads}_1 = I", ("heads (2 items)",)),
        (r"1 = 1", ()),
    ],
)
def test_what_it_was_judged_on(tex: str, bound: tuple[str, ...]) -> None:
    (statement,) = parse(tex)
    assert judge(statement, VERDICTS).bound == bound


@pytest.mark.parametrize(
    ("tex", "part"),
    [
        # The right side of the relation that fails.
        (r"n = 2, \quad n = m", "m"),
        (r"n = 2 = m < 4", "m"),
        (r"x \in \mathbb{R}^m", r"x \in \mathbb{R}^m"),
        (r"C A = 1", "C A = 1"),
    ],
)
def test_where_it_fails(tex: str, part: str) -> None:
    wrong = [verdict for verdict in (judge(s, VERDICTS) for s in parse(tex)) if not verdict.holds]
    assert [tex[slice(*verdict.span)] for verdict in wrong] == [part]
