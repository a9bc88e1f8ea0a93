"""The steps of a right attention layer, and the wrong steps of common mistakes."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from snippets.multi_head import merge_heads, split_heads
from snippets.softmax import softmax


def _norm(axis: int = -1, ddof: int = 0) -> Callable[..., Any]:
    def norm(x: np.ndarray) -> np.ndarray:
        variance = x.var(axis=axis, keepdims=True, ddof=ddof)
        return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(variance + 1e-5)

    return norm


class Steps(NamedTuple):
    """The steps of a right layer, each as a function."""

    project: Callable[..., Any] = lambda x, W: x @ W
    split: Callable[..., Any] = split_heads
    score: Callable[..., Any] = lambda Q, K: Q @ K.swapaxes(-1, -2)
    width: Callable[..., Any] = lambda Q, _V: Q.shape[-1]
    scale: Callable[..., Any] = lambda S, d_k, _d_model: S / np.sqrt(d_k)
    allow: Callable[..., Any] = lambda allowed: allowed
    hide: Callable[..., Any] = lambda S, allowed: np.where(allowed, S, -np.inf)
    softmax: Callable[..., Any] = softmax
    after: Callable[..., Any] = lambda alpha, _allowed: alpha
    rescale: Callable[..., Any] = lambda alpha, _d_k: alpha
    mixed: Callable[..., Any] = lambda _K, V: V
    mix: Callable[..., Any] = lambda alpha, V, _X: alpha @ V
    merge: Callable[..., Any] = merge_heads
    add: Callable[..., Any] = lambda X, Z: X + Z
    norm: Callable[..., Any] = _norm()


class Mistake(NamedTuple):
    """A wrong step: in words, as code, the formula that fails, and what is computed instead."""

    words: str
    wrong: Mapping[str, Callable[..., Any]]
    formula: str
    instead: str


def _in_half_precision(S: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        return S + (1 - np.float16(allowed)) * np.float16(-1e9)


MISTAKES: dict[str, Mistake] = {
    "SplitWithoutTranspose": Mistake(
        "The heads are split without a transpose",
        {"split": lambda x, h: x.reshape(*x.shape[:-2], h, x.shape[-2], -1)},
        "a head gets some features of every token",
        "a head gets all features of some tokens",
    ),
    "MergeWithoutTranspose": Mistake(
        "The heads are merged without a transpose",
        {"merge": lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1)},
        "a token gets its row of every head",
        "a token gets several rows of one head",
    ),
    "QueriesAndKeysSwapped": Mistake(
        "Queries and keys are exchanged",
        {"score": lambda Q, K: K @ Q.swapaxes(-1, -2)},
        "S = Q Kᵀ",
        "S = K Qᵀ",
    ),
    "TransposeOfAllAxes": Mistake(
        "All axes of K are reversed",
        {"score": lambda Q, K: Q @ K.T},
        "S = Q Kᵀ with the last two axes of K exchanged",
        "S = Q Kᵀ with all axes of K reversed",
    ),
    "NoScale": Mistake(
        "The scores are not scaled", {"scale": lambda S, _d_k, _d_model: S}, "S / √d_k", "S"
    ),
    "ScaleByModelWidth": Mistake(
        "The scale is that of the whole model",
        {"scale": lambda S, _d_k, d_model: S / np.sqrt(d_model)},
        "S / √d_k",
        "S / √d_model",
    ),
    "ScaleWithoutRoot": Mistake(
        "The scale has no root", {"scale": lambda S, d_k, _d_model: S / d_k}, "S / √d_k", "S / d_k"
    ),
    "ScaleInverted": Mistake(
        "The scores are multiplied, not divided",
        {"scale": lambda S, d_k, _d_model: S * np.sqrt(d_k)},
        "S / √d_k",
        "S · √d_k",
    ),
    "SoftmaxOverQueries": Mistake(
        "Softmax runs over the queries",
        {"softmax": lambda S: softmax(S, axis=-2)},
        "each row of weights sums to 1",
        "each column of weights sums to 1",
    ),
    "SoftmaxOverHeads": Mistake(
        "Softmax runs over the heads",
        {"softmax": lambda S: softmax(S, axis=-3)},
        "each row of weights sums to 1",
        "the weights of all heads, place by place, sum to 1",
    ),
    "MaskAfterSoftmax": Mistake(
        "The mask comes after softmax",
        {"hide": lambda S, _allowed: S, "after": lambda alpha, allowed: alpha * allowed},
        "α = softmax(S, −∞ where hidden)",
        "α = softmax(S), then 0 where hidden",
    ),
    "MaskAsZeros": Mistake(
        "Hidden scores become 0",
        {"hide": lambda S, allowed: np.where(allowed, S, 0)},
        "a hidden score is −∞",
        "a hidden score is 0",
    ),
    "MaskTransposed": Mistake(
        "The mask is transposed",
        {"allow": lambda allowed: allowed.swapaxes(-1, -2)},
        "token i may read j where j ≤ i",
        "token i may read j where j ≥ i",
    ),
    "MaskMeansTheOpposite": Mistake(
        "The mask hides what it should allow",
        {"hide": lambda S, allowed: np.where(allowed, -np.inf, S)},
        "True: may be read",
        "True: is hidden",
    ),
    "MaskOneTooFar": Mistake(
        "The mask ends one token too late",
        {"allow": lambda allowed: np.tri(len(allowed), k=1, dtype=bool)},
        "token i may read j where j ≤ i",
        "token i may read j where j ≤ i + 1",
    ),
    "MaskOneTooShort": Mistake(
        "The mask ends one token too early",
        {"allow": lambda allowed: np.tri(len(allowed), k=-1, dtype=bool)},
        "token i may read j where j ≤ i",
        "token i may read j where j < i",
    ),
    "HalfPrecisionMask": Mistake(
        "The mask overflows in half precision",
        {"hide": _in_half_precision},
        "a score that is not hidden stays as it is",
        "a score that is not hidden becomes NaN, since 0 · ∞ is added to it",
    ),
    "InputsForValues": Mistake(
        "Inputs are mixed in place of values",
        {"mix": lambda alpha, _V, X: alpha @ X},
        "Z = α V",
        "Z = α X",
    ),
    "WeightNotTransposed": Mistake(
        "The matrices are transposed",
        {"project": lambda x, W: x @ (W.T if W.shape[0] == W.shape[1] else W)},
        "Q = X W, K = X W, V = X W",
        "Q = X Wᵀ, K = X Wᵀ, V = X Wᵀ",
    ),
    "ResidualForgotten": Mistake(
        "The input is not added", {"add": lambda _X, Z: Z}, "norm(X + Z)", "norm(Z)"
    ),
    "NormDividesByOneLess": Mistake(
        "The variance divides by one less",
        {"norm": _norm(ddof=1)},
        "the variance divides by d_model",
        "the variance divides by d_model − 1",
    ),
    "NormOverTokens": Mistake(
        "The norm runs over the tokens",
        {"norm": _norm(axis=-2)},
        "mean and variance of the features of one token",
        "mean and variance over the tokens",
    ),
}


def _without_keepdims(of_max: bool | None, of_sum: bool) -> Callable[..., Any]:
    """Return softmax over rows; True is for keepdims, and None for a maximum not subtracted."""

    def wrong_softmax(S: np.ndarray) -> np.ndarray:
        E = np.exp(S if of_max is None else S - S.max(axis=-1, keepdims=of_max))
        return E / E.sum(axis=-1, keepdims=of_sum)

    return wrong_softmax


_SUM_OF_ANOTHER_ROW = (
    "each row of weights is divided by its sum",
    "column j is divided by the sum of row j",
)
_MAXIMUM_OF_ANOTHER_ROW = (
    "the maximum of its row is subtracted from a score",
    "the maximum of row j is subtracted in column j",
)
#: Mistakes of a pasted function that the note does not show as code.
OTHERS: dict[str, Mistake] = {
    "NoSoftmax": Mistake(
        "There is no softmax", {"softmax": lambda S: S}, "Z = softmax(S) V", "Z = S V"
    ),
    "ScaleAfterSoftmax": Mistake(
        "The scale comes after softmax",
        {"scale": lambda S, _d_k, _d_model: S, "rescale": lambda alpha, d_k: alpha / np.sqrt(d_k)},
        "α = softmax(S / √d_k)",
        "α = softmax(S) / √d_k",
    ),
    "ScaleByQueries": Mistake(
        "The scale is the number of queries",
        {"scale": lambda S, _d_k, _d_model: S / np.sqrt(S.shape[-2])},
        "S / √d_k",
        "S / √n, where n is the number of queries",
    ),
    "ScaleByKeys": Mistake(
        "The scale is the number of keys",
        {"scale": lambda S, _d_k, _d_model: S / np.sqrt(S.shape[-1])},
        "S / √d_k",
        "S / √n, where n is the number of keys",
    ),
    "ScaleByValueWidth": Mistake(
        "The scale is that of the values",
        {"width": lambda _Q, V: V.shape[-1]},
        "S / √d_k",
        "S / √d_v",
    ),
    "KeysForValues": Mistake(
        "Keys are mixed in place of values",
        {"mixed": lambda K, _V: K},
        "Z = α V",
        "Z = α K",
    ),
    "SumWithoutKeepdims": Mistake(
        "The sum is taken without keepdims",
        {"softmax": _without_keepdims(of_max=None, of_sum=False)},
        *_SUM_OF_ANOTHER_ROW,
    ),
    "SumWithoutKeepdimsBelowMaximum": Mistake(
        "The sum is taken without keepdims",
        {"softmax": _without_keepdims(of_max=True, of_sum=False)},
        *_SUM_OF_ANOTHER_ROW,
    ),
    "MaximumWithoutKeepdims": Mistake(
        "The maximum is taken without keepdims",
        {"softmax": _without_keepdims(of_max=False, of_sum=True)},
        *_MAXIMUM_OF_ANOTHER_ROW,
    ),
    "MaximumAndSumWithoutKeepdims": Mistake(
        "The maximum and the sum are taken without keepdims",
        {"softmax": _without_keepdims(of_max=False, of_sum=False)},
        *_SUM_OF_ANOTHER_ROW,
    ),
    "MaximumNotSubtracted": Mistake(
        "The maximum is not subtracted",
        {"softmax": _without_keepdims(of_max=None, of_sum=True)},
        "exp of a score minus the maximum of its row, which is at most 1",
        "exp of a score, which overflows for large scores",
    ),
}
