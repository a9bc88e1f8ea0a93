"""Other numbers of the same kind: sizes, seeds, arrays that are written out."""

import ast
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from vaultkit.run import variation
from vaultkit.run.variation import DOUBLED, GROWN, Variation, sizes_of, varied_modules


def rewritten(code: str, trial: int = 1, **places: int) -> str:
    return ast.unparse(Variation(trial, places).rewrite(ast.parse(code)))


@pytest.mark.parametrize(
    ("size", "sizes"),
    [
        (1, [2, 3, 4, 5, 6, 7, 8]),
        (0, [0, 0, 0, 0, 0, 0, 0]),
        (2, [4, 6, 8, 10, 12, 14, 16]),
        (15, [30, 45, 60, 75, 90, 105, 120]),
        (16, [8, 12, 20, 24, 28, 9, 13]),
        (512, [256, 384, 640, 768, 896, 257, 385]),
        (520, [130, 195, 325, 390, 455, 131, 196]),
        (-3, [-3] * 7),
    ],
)
def test_sizes_become_others_that_differ(size: int, sizes: list[int]) -> None:
    assert [Variation(1).size(size, place) for place in range(7)] == sizes


def test_sizes_are_doubled_or_grow_by_one() -> None:
    sizes = [0, 1, 2, 15, 64, 513]
    assert [Variation(1).size(size, DOUBLED) for size in sizes] == [0, 2, 4, 30, 128, 1026]
    assert [Variation(1).size(size, GROWN) for size in sizes] == [0, 2, 3, 16, 65, 514]


@pytest.mark.parametrize(
    ("code", "names", "found"),
    [
        ("n, m = 3, 4", {"n"}, {"n"}),
        ("h = heads\nheads = 3", {"h"}, {"heads"}),
        ("d = h * (w + 1)\nh = 2\nw = x\nx = 4", {"d"}, {"h", "x"}),
        ("n = len(x)\nx = 3", {"n"}, set()),
        ("n = 3.0", {"n"}, set()),
        ("a = b\nb = a", {"a"}, set()),
        ("n = (", {"n"}, set()),
    ],
)
def test_sizes_that_are_written_out_are_found(code: str, names: set[str], found: set[str]) -> None:
    assert sizes_of([code], names)[0] == found


@pytest.mark.parametrize(
    ("grows", "shapes"),
    [
        ("", [(2,), (2, 3)]),
        ("all", [(3,), (3, 4)]),
        ("columns", [(3,), (2, 4)]),
        ("rows", [(2,), (3, 3)]),
    ],
)
def test_arrays_that_are_written_out_grow(grows: str, shapes: list[tuple[int, ...]]) -> None:
    varied = Variation(1, grows=grows)
    assert [varied.values(np.full(s, 0.4)).shape for s in ((2,), (2, 3))] == shapes
    assert varied.values(np.array(2.5)).shape == ()
    # What is one more is of the same kind, and shares stay shares.
    more = varied.values(np.array([[0.25, 0.75, 0.0], [0.5, 0.5, 0.0]]))
    np.testing.assert_allclose(more.sum(axis=-1), 1)
    assert not more[:, 2:].any()


def test_numbers_that_are_written_out_under_a_name_change() -> None:
    assert rewritten("x = 2.5") not in ("x = 2.5", rewritten("x = 2.5", 2))
    assert rewritten("x = 0.0; f(2.5)").split("\n") == ["x = 0.0", "f(2.5)"]
    for code in ("x = -2.5", "x: float = 2.5", "x, y = 2.5, k", "x = 5 / 2"):
        assert rewritten(code) not in (code, rewritten(code, 2), ast.unparse(ast.parse(code)))
    assert rewritten("x = 1e999") == "x = 1e309"
    kept = Variation(1, numbers=False).rewrite(ast.parse("x = 2.5"))
    assert ast.unparse(kept) == "x = 2.5"
    shares = [Variation(trial).number(0.9) for trial in range(1, 200)]
    assert 0.5 < min(shares) < 0.85 < 0.95 < max(shares) < 1
    # The odds are log-normal, as numbers are.
    odds = np.log([share / (1 - share) / 9 for share in shares])
    assert abs(odds.mean()) < 0.15
    assert abs(odds.std() - 0.5) < 0.1


@pytest.mark.parametrize("call", ["np.array({})", "asarray({})", "np.array({}, dtype=float)"])
def test_arrays_that_are_written_out_get_other_values(call: str) -> None:
    before = [[2.5, -3.0, 0.0], [1.0, 4, 1e-3]]
    tree = ast.parse(f"\nx = {call.format(before)}")
    (assign,) = Variation(1).rewrite(tree).body
    changed = assign.value.args[0]  # type: ignore[attr-defined]
    after = np.array(ast.literal_eval(changed))
    assert {node.lineno for node in ast.walk(changed) if isinstance(node, ast.expr)} == {2}
    np.testing.assert_array_equal(after, Variation(1).values(np.array(before)))
    assert after[0, 2] == 0
    assert after[1, 0] == 1
    changed_ones = [0, 0, 1, 1], [0, 1, 1, 2]
    ratios = after[changed_ones] / np.array(before)[changed_ones]
    assert np.all(ratios > 0.05)
    assert len(set(ratios)) == 4
    # Another trial, and other numbers, give others; the same ones the same.
    assert not np.array_equal(after, Variation(2).values(np.array(before)))
    np.testing.assert_array_equal(after, Variation(1).values(np.array(before)))


def test_how_far_numbers_go() -> None:
    """Factors are log-normal: e to the power of a normal number with deviation 0.5."""
    factors = np.log(Variation(1).values(np.full(4000, 2.0)) / 2.0)
    assert abs(factors.mean()) < 0.03
    assert abs(factors.std() - 0.5) < 0.03


def test_shares_stay_shares() -> None:
    shares = np.array([[0.25, 0.75], [0.5, 0.5]])
    varied = Variation(1).values(shares)
    np.testing.assert_allclose(varied.sum(axis=-1), 1, rtol=1e-12)
    assert not np.allclose(varied, shares)
    # Of numbers that only happen to have this sum, and of one number, nothing is kept.
    assert not np.isclose(Variation(1).values(np.array([-0.5, 1.5])).sum(), 1)
    assert not np.isclose(Variation(1).values(np.array([[0.25, 0.75], [0.5, 0.6]]))[0].sum(), 1)
    assert Variation(1).values(np.array(2.5)).shape == ()
    assert Variation(1).values(np.array(2.5)) != 2.5


def test_modules_of_the_vault_are_imported_with_other_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "a_varied_module.py").write_text("n = 3\nseed = 1\n")
    before = list(sys.meta_path)
    import a_varied_module as outside  # type: ignore[import-not-found]

    with varied_modules(tmp_path, Variation(1, {"n": 0})):
        import a_varied_module as inside

        assert (inside.n, inside.seed, inside is outside) == (6, 1001, False)
    assert sys.modules["a_varied_module"] is outside
    assert outside.n == 3
    del sys.modules["a_varied_module"]
    with varied_modules(tmp_path, Variation(1, {"n": 0})):
        import a_varied_module  # noqa: F401
    assert "a_varied_module" not in sys.modules
    assert sys.meta_path == before


DATA = [
    ("x = [2, 5, 9]", "x = [7, 3, 3]"),
    ("x = {'a': [2.5, 0], 'b': 4}", "x = [[2, 3], [5, 7]]"),
    ("x = [(2, 2.5), (3, 'a')]", "x = array([4, 5, 6])"),
    ("x = f(2.5, by=3.5)", "x = linspace(-2, 3, 5)"),
    ("x = Fraction(1, 3)", "x = Fraction(-7, 2)"),
]


@pytest.mark.parametrize("code", [code for pair in DATA for code in pair])
def test_data_change_only_if_asked(code: str) -> None:
    def varied(trial: int, *, data: bool) -> str:
        variation = Variation(trial, data=data, functions=frozenset({"f"}))
        return ast.unparse(variation.rewrite(ast.parse(code)))

    assert varied(1, data=False) == ast.unparse(ast.parse(code))
    assert len({varied(trial, data=True) for trial in range(5)} | {varied(0, data=False)}) > 3


@pytest.mark.parametrize(
    "code",
    ["x = (3, 4)", "x = [(3, 4)]", "x = [0, 1, True, -1]", "x = g(2.5)", "x = linspace(0, 1, 5)"],
)
def test_what_may_be_a_place_or_a_size_is_no_data(code: str) -> None:
    variation = Variation(2, data=True, functions=frozenset({"f"}))
    assert ast.unparse(variation.rewrite(ast.parse(code))) == code


def test_other_data_are_of_the_same_kind() -> None:
    for trial in range(1, 30):
        variation = Variation(trial, data=True)
        whole = variation.values(np.array([2, 5, 3, -4, 0, 1, 7, 8, 9]))
        assert whole.dtype.kind == "i"
        assert len(set(whole.tolist())) == 9
        np.testing.assert_array_equal(np.sign(whole), [1, 1, 1, -1, 0, 1, 1, 1, 1])
        assert (np.diff(variation.values(np.array([0.5, 2.5, 2.75, 9.0]))) > 0).all()
        assert (np.diff(variation.values(np.array([9, 8, 7]))) < 0).all()
        matrix = variation.values(np.array([[2.0, 0.5], [0.5, 3.0]]))
        np.testing.assert_array_equal(matrix, matrix.T)
        part = eval(
            ast.unparse(variation.rewrite(ast.parse("Fraction(1, 3)"))), {"Fraction": Fraction}
        )
        assert 0 < part < 1


@pytest.mark.parametrize(
    "code",
    ["1 << (1 << 33)", "10**60 * 10**60 * 10**60 * 10**60 * 10**60 * 10**60", "2.0**60 * 1e308"],
)
def test_a_constant_that_is_too_large_is_left_as_it_is(code: str) -> None:
    assert rewritten(f"n = {code}") == ast.unparse(ast.parse(f"n = {code}"))


def test_a_constant_for_which_memory_does_not_suffice_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(variation, "eval", fail, raising=False)
    assert rewritten("n = 2 * 3") == "n = 2 * 3"
