"""Right functions pass, however they are written, and wrong ones are told apart."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from snippets.attention import scaled_dot_product_attention
from snippets.mistakes import Layer, cases, diagnose, expected_output, roles
from snippets.own_attention import EXAMPLES, function_of, report
from snippets.wrong_steps import MISTAKES, OTHERS, Steps

SOFTMAX = """
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
"""
ATTENTION = """
def attention(Q, K, V, mask=None):
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    return softmax(S) @ V
"""
CAUSAL = """
def causal_attention(q, k, v):
    n = q.shape[-2]
    s = np.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
    s = np.where(np.arange(n) <= np.arange(n)[:, None], s, -1e30)
    return softmax(s) @ v, softmax(s)
"""
HEADS = """
def block(x, Wq, Wk, Wv, Wo, n_heads, is_causal=False):
    n, d = x.shape[-2:]
    def split(y):
        return np.moveaxis(y.reshape(*y.shape[:-1], n_heads, d // n_heads), -2, -3)
    q, k, v = split(x @ Wq), split(x @ Wk), split(x @ Wv)
    s = q @ k.swapaxes(-1, -2) / np.sqrt(d // n_heads)
    if is_causal:
        s = np.where(np.tri(n, dtype=bool), s, -np.inf)
    z = np.moveaxis(softmax(s) @ v, -3, -2).reshape(x.shape) @ Wo
    y = x + z
    return (y - y.mean(-1, keepdims=True)) / y.std(-1, keepdims=True)
"""
RIGHT = {
    "plain": ATTENTION,
    "causal": CAUSAL,
    "block": HEADS,
    "heads": HEADS.replace("y = x + z", "return z"),
    "residual": HEADS.replace("y = x + z", "return x + z"),
    "needs its mask": ATTENTION.replace("mask=None", "mask"),
    "changes its inputs": ATTENTION.replace("S = Q", "Q *= 1; K += 0; S = Q").replace(
        "    return", "    K *= 0; V = 1.0 * V\n    return"
    ),
    "receives d_k": HEADS.replace("n_heads, is", "n_heads, d_k, is").replace(
        "(d // n_heads)", "(d_k)"
    ),
    "causal, for the last keys": CAUSAL.replace(
        "np.arange(n) <= np.arange(n)[:, None]", "np.tri(n, k.shape[-2], k.shape[-2] - n) > 0"
    ),
    "added mask": ATTENTION.replace("np.where(mask, S, -np.inf)", "S + mask"),
    "one sequence": ATTENTION.replace("K.swapaxes(-1, -2)", "K.T"),
    "loops": EXAMPLES["loops"],
    "einsum": EXAMPLES["einsum"],
    "single precision": ATTENTION.replace("S = Q", "Q, K = np.float32(Q), np.float32(K); S = Q"),
    "from X": """
def own(X, W_query, W_key, W_value):
    Q, K, V = X @ W_query, X @ W_key, X @ W_value
    return softmax(Q @ K.T / K.shape[-1] ** 0.5) @ V
""",
}
ROOT = "/ np.sqrt(K.shape[-1])"
WRONG = {
    "QueriesAndKeysSwapped": ("Q @ K.swapaxes(-1, -2)", "K @ Q.swapaxes(-1, -2)"),
    "NoScale": (ROOT, ""),
    "ScaleWithoutRoot": (ROOT, "/ K.shape[-1]"),
    "ScaleInverted": (ROOT, "* np.sqrt(K.shape[-1])"),
    "SoftmaxOverQueries": ("softmax(S)", "softmax(S, -2)"),
    "MaskAsZeros": ("-np.inf", "0"),
    "MaskMeansTheOpposite": ("mask, S, -np.inf", "mask, -np.inf, S"),
    "MaskTransposed": ("(mask,", "(mask.T,"),
    "MaskAfterSoftmax": (
        "S = np.where(mask, S, -np.inf)",
        "return (softmax(S) * mask) @ V",
    ),
}
WRONG_LAYER = {
    "SplitWithoutTranspose": (
        "np.moveaxis(y.reshape(*y.shape[:-1], n_heads, d // n_heads), -2, -3)",
        "y.reshape(*y.shape[:-2], n_heads, n, -1)",
    ),
    "MergeWithoutTranspose": ("np.moveaxis(softmax(s) @ v, -3, -2)", "(softmax(s) @ v)"),
    "TransposeOfAllAxes": ("k.swapaxes(-1, -2)", "k.T"),
    "ScaleByModelWidth": ("(d // n_heads)\n    if", "(d)\n    if"),
    "SoftmaxOverHeads": ("softmax(s)", "softmax(s, -3)"),
    "MaskOneTooFar": ("np.tri(n,", "np.tri(n, k=1,"),
    "MaskOneTooShort": ("np.tri(n,", "np.tri(n, k=-1,"),
    "HalfPrecisionMask": (
        "np.where(np.tri(n, dtype=bool), s, -np.inf)",
        "s + (1 - np.tri(n, dtype=np.float16)) * np.float16(-1e9)",
    ),
    "InputsForValues": ("split(x @ Wv)", "split(x)"),
    "WeightNotTransposed": ("", ""),
    "ResidualForgotten": ("x + z", "z"),
    "NormDividesByOneLess": ("y.std(-1, keepdims=True)", "y.std(-1, keepdims=True, ddof=1)"),
    "NormOverTokens": ("(-1, keepdims=True)) / y.std(-1,", "(-2, keepdims=True)) / y.std(-2,"),
}


def changed(code: str, old: str, new: str) -> str:
    assert old in code
    for name in ("Wq", "Wk", "Wv", "Wo") if not old else ():
        code = code.replace(f"@ {name}", f"@ {name}.T")
    return code.replace(old, new) if old else code


def made(code: str) -> Callable[..., Any]:
    return function_of(SOFTMAX + code)


@pytest.mark.parametrize("name", RIGHT)
def test_right_functions_pass(name: str) -> None:
    assert diagnose(made(RIGHT[name])).mistakes == ()


def test_each_mistake_is_recognized() -> None:
    assert {*WRONG, *WRONG_LAYER} == {*MISTAKES}
    for code, wrong in ((ATTENTION, WRONG), (HEADS, WRONG_LAYER)):
        for name, (old, new) in wrong.items():
            found = diagnose(made(changed(code, old, new)))
            assert found.mistakes == (name,), name
            assert found.found is not None, name
            assert not np.allclose(found.found, found.expected)


def test_two_mistakes_are_recognized() -> None:
    for names in itertools.combinations(("NoScale", "SoftmaxOverQueries", "MaskAsZeros"), 2):
        code = ATTENTION
        for name in names:
            code = changed(code, *WRONG[name])
        found = diagnose(made(code))
        assert found.mistakes == names
        # Without a mask, only the first mistake would show.
        assert found.case == (
            "six tokens and a causal mask" if "MaskAsZeros" in names else "six tokens"
        )


@pytest.mark.parametrize("axes", ["sum(axis=0)", "max(axis=0)"])
@pytest.mark.parametrize("keys", ["K.T", "K.swapaxes(-1, -2)"])
def test_an_axis_counted_from_the_front_is_recognized(axes: str, keys: str) -> None:
    """In a batch it is another axis, so that only single sequences can be compared."""
    shifted = "S - S.max(axis=0)" if axes.startswith("max") else "S"
    lines = [f"S = {keys.replace('K', 'Q @ K', 1)} / np.sqrt(K.shape[1])", f"E = np.exp({shifted})"]
    code = "def own(Q, K, V):\n    " + "\n    ".join([*lines, "return E / E.sum(axis=0) @ V"])
    overflow = () if axes.startswith("max") else ("MaximumNotSubtracted",)
    assert diagnose(made(code)).mistakes == ("SoftmaxOverQueries", *overflow)
    unscaled = diagnose(made(code.replace(" / np.sqrt(K.shape[1])", "")))
    assert unscaled.mistakes == ("NoScale", "SoftmaxOverQueries", *overflow)
    right = json.loads(report(code.replace("axis=0)", "axis=1, keepdims=True)")))
    if overflow:
        assert [name for name, *_ in right["formulas"]] == [*overflow]
        return
    assert right["verdict"] == "right"
    assert right["words"][-1].endswith("six tokens with large scores.")
    assert ("right for one sequence" in right["words"][0]) == ("swap" in keys)


@pytest.mark.parametrize(
    ("scores", "weights", "names"),
    [
        ("Q @ K.T / 2", "S", "NoSoftmax"),
        ("Q @ K.T", "S", "NoScale NoSoftmax"),
        ("Q @ K.T", "softmax(S) / np.sqrt(Q.shape[-1])", "ScaleAfterSoftmax"),
        ("Q @ K.T / len(Q) ** 0.5", "softmax(S)", "ScaleByQueries"),
        ("Q @ K.T / len(K) ** 0.5", "softmax(S)", "ScaleByKeys"),
        ("Q @ K.T / V.shape[-1] ** 0.5", "softmax(S)", "ScaleByValueWidth"),
        ("Q @ K.T / 2", "np.exp(S) / np.exp(S).sum(-1)", "SumWithoutKeepdims"),
        ("Q @ K.T / 2", "np.exp(S) / np.exp(S).sum(-1, keepdims=True)", "MaximumNotSubtracted"),
        (
            "Q @ K.T",
            "np.exp(S) / np.exp(S).sum(-1, keepdims=True)",
            "NoScale MaximumNotSubtracted",
        ),
        ("np.exp(S - S.max(-1, keepdims=True))", "S / S.sum(-1)", "SumWithoutKeepdimsBelowMaximum"),
        ("np.exp(S - S.max(-1))", "S / S.sum(-1, keepdims=True)", "MaximumWithoutKeepdims"),
        ("np.exp(S - S.max(-1))", "S / S.sum(-1)", "MaximumAndSumWithoutKeepdims"),
    ],
)
def test_mistakes_beside_those_of_the_note_are_recognized(
    scores: str, weights: str, names: str
) -> None:
    lines = ["S = Q @ K.T / 2"] * ("exp" in scores) + [f"S = {scores}", f"return ({weights}) @ V"]
    found = diagnose(made("def own(Q, K, V):\n    " + "\n    ".join(lines)))
    assert found.mistakes == tuple(names.split())
    assert {*names.split()} <= {*MISTAKES, *OTHERS}


def test_keys_in_place_of_values_are_recognized() -> None:
    found = diagnose(made(ATTENTION.replace("@ V", "@ K")))
    assert found.mistakes == ("KeysForValues",)


@pytest.mark.parametrize("code", [ATTENTION, CAUSAL, HEADS, EXAMPLES["heads"]])
def test_an_overflow_is_a_mistake(code: str) -> None:
    """Whatever the function receives: without the maximum, large scores become NaN."""
    without = SOFTMAX.replace("x - x.max(axis=axis, keepdims=True)", "x")
    whole = without + code.replace("S - S.max(-1, keepdims=True)", "S")
    mistakes = diagnose(function_of(whole)).mistakes
    assert mistakes is not None
    assert mistakes[-1:] == ("MaximumNotSubtracted",)
    told = json.loads(report(whole))
    assert told["verdict"] == "mistake"
    if len(mistakes) == 1:
        assert told["case"] == "six tokens with large scores"
        assert None in told["found"][0]


def test_all_mistakes_differ_in_their_outputs() -> None:
    """No two mistakes, and no right layer, agree on all inputs."""
    every = cases({"X", "W_Q", "W_O", "h", "mask"})
    layer = Layer(residual=True, norm=True)
    outputs = {}
    for name, wrong in {"right": {}, **{n: m.wrong for n, m in MISTAKES.items()}}.items():
        made = []
        for case in every:
            try:
                made.append(expected_output(case.given, layer, Steps()._replace(**wrong)))
            except ValueError:
                made.append(np.zeros(0))
        outputs[name] = made
    for one, other in itertools.combinations(outputs, 2):
        assert any(
            a.shape != b.shape or not np.allclose(a, b, rtol=0, atol=3e-3, equal_nan=True)
            for a, b in zip(outputs[one], outputs[other], strict=True)
        ), (one, other)


def test_the_right_layer_is_the_snippets() -> None:
    given = cases({"Q"})[0].given
    found = expected_output(given, Layer(causal=True), Steps())
    expected = scaled_dot_product_attention(given["Q"], given["K"], given["V"], is_causal=True)
    np.testing.assert_allclose(found, expected)


def test_the_last_function_of_attention_is_meant() -> None:
    code = SOFTMAX + ATTENTION + "def own(q, k, v): return v\ndef helper(x): return x"
    assert function_of(code).__name__ == "own"


def test_unknown_functions_fail_a_formula() -> None:
    whole = "S = Q @ K.T\n    E = np.exp(S)\n    return E / E.sum() @ V"
    found = diagnose(made(f"def own(Q, K, V):\n    {whole}"))
    assert found.mistakes is None
    assert "a row of weights does not sum to 1" in found.remarks[0]
    row = diagnose(made("def own(Q, K, V): return Q[0]"))
    assert row.remarks == ("The output is (4,), not (6, 5).",)
    with pytest.raises(ValueError, match="it is not clear what 'gain' is for"):
        roles(made("def own(Q, K, V, gain): pass"))
    with pytest.raises(ValueError, match="has the parameters Q, K and V, or X"):
        roles(made("def own(Q, K): pass"))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def attention(Q, K, V:\n    pass", "Line 1: '(' was never closed"),
        ("x = 1", "There is no function: begin with def attention(Q, K, V):"),
        ("import torch", "No module named 'torch': only Python and NumPy are here"),
        ("x = 1\nraise TypeError('no')", "TypeError in line 2: no."),
        ("exit()", "SystemExit in line 1: "),
        (
            "def own(Q, K, V): return P",
            "own(Q, K, V), for six tokens, raises NameError in line 1: ",
        ),
        ("def own(Q, K, V): pass", "own(Q, K, V) returns nothing: is there a return?"),
        ("def own(Q, K, V): return None, None", "own(Q, K, V) returns nothing: is there a return?"),
        (
            "def own(Q, K, V):\n    return Q @ K / 2 @ V",
            "own(Q, K, V), for six tokens, raises ValueError in line 2: Q @ K is (6, 4) times"
            " (6, 4), and the last length of the first, 4, differs from the second to last of the"
            " second, 6. K.swapaxes(-1, -2) would fit: is a transpose missing?",
        ),
        (
            "def own(Q, K, V):\n    S = Q @ K.T\n    return S + V",
            "own(Q, K, V), for six tokens, raises ValueError in line 3: operands could not be",
        ),
        ("def own(a): return a", "it is not clear what 'a' is for; known are Q, K, V"),
    ],
)
def test_code_that_fails_is_explained(code: str, words: str) -> None:
    told = json.loads(report(code))
    assert told["verdict"] == "error"
    assert told["words"][0].startswith(words)


def test_a_syntax_error_shows_its_line() -> None:
    told = json.loads(report("x = 1\ndef own(Q, K, V) return V"))
    assert told["words"] == ["Line 2: expected ':'"]
    assert told["line"] == "def own(Q, K, V) return V\n" + " " * 17 + "^"


def test_a_page_gets_a_report() -> None:
    verdicts = {name: json.loads(report(code)) for name, code in EXAMPLES.items()}
    assert {name: [n for n, *_ in told["formulas"]] for name, told in verdicts.items()} == {
        "one mistake": ["ScaleWithoutRoot"],
        "two": ["NoScale", "MaskAsZeros"],
        "loops": [],
        "einsum": [],
        "heads": ["SplitWithoutTranspose"],
    }
    first = verdicts["one mistake"]
    assert np.shape(first["found"]) == np.shape(first["expected"]) == (6, 5)
    assert "found" not in verdicts["loops"]
    assert ".T reverses" in " ".join(json.loads(report(SOFTMAX + RIGHT["one sequence"]))["words"])
    nan = json.loads(report(SOFTMAX + changed(HEADS, *WRONG_LAYER["HalfPrecisionMask"])))
    assert nan["found"][0][0] is None
