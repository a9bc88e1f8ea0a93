"""Held to what DeepSeek-V3's own inference code computes, by both its paths (naive, absorb).

Two texts of six tokens: four are read at once, the last two one by one from the cache.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.context_extension import attention_factor, yarn_frequencies
from snippets.grouped_heads import latent_attention
from snippets.latent_attention import (
    LatentWeights,
    attend_to_latents,
    latent_queries,
    latent_rows,
)
from snippets.masks import causal_mask
from snippets.multi_head import merge_heads
from snippets.rotary import rotary_angles

H, D_MODEL, D_Q, D_C, D_K, D_R, D_V = 3, 10, 6, 5, 4, 8, 3
PRINTED = 2e-5  # five decimals; their softmax and rotation are in float32


def filled(shape, seed):
    """Fill an array with numbers that need no file: the same as were given to their code."""
    k = np.arange(np.prod(shape))
    return (((k * k * (seed % 7 + 1) + 7 * k + 13 * seed) % 101) / 50.5 - 1).reshape(shape)


def their_weights():
    """Rename their parameters, which are stored transposed and side by side."""
    wq_a, wq_b = filled((D_Q, D_MODEL), 1), filled((H * (D_K + D_R), D_Q), 3)
    wkv_a, wkv_b = filled((D_C + D_R, D_MODEL), 4), filled((H * (D_K + D_V), D_C), 6)
    by_head = wq_b.reshape(H, D_K + D_R, D_Q).swapaxes(-1, -2)
    up = wkv_b.reshape(H, D_K + D_V, D_C).swapaxes(-1, -2)
    return LatentWeights(
        W_DQ=wq_a.T,
        gain_Q=1 + filled((D_Q,), 2) / 2,
        W_UQ=by_head[..., :D_K],
        W_QR=by_head[..., D_K:],
        W_DKV=wkv_a[:D_C].T,
        gain_KV=1 + filled((D_C,), 5) / 2,
        W_KR=wkv_a[D_C:].T,
        W_UK=up[..., :D_K],
        W_UV=up[..., D_K:],
        W_O=filled((D_MODEL, H * D_V), 7).T,
    )


WEIGHTS = their_weights()
X = filled((2, 6, D_MODEL), 100)
TURN = np.ones((2, D_R // 2))
MODES = {
    "plain": (rotary_angles(np.array(1), D_R), 1.0),
    "stretched": (yarn_frequencies(D_R, 40.0, 4096), float(attention_factor(40.0))),
}


def layer(x, mode, absorbed, weights=WEIGHTS, dtype=np.float64, one_by_one_from=4):
    """Read the first tokens at once and the others one by one, and keep rows alone."""
    theta, factor = MODES[mode]
    angles = np.arange(x.shape[-2])[:, np.newaxis] * theta
    cos, sin = np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)
    x, weights = x.astype(dtype), LatentWeights(*(W.astype(dtype) for W in weights))
    rows = latent_rows(x, weights, cos, sin)
    outputs = []
    for start, end in [(0, one_by_one_from), *((t, t + 1) for t in range(one_by_one_from, 6))]:
        now = slice(start, end)
        Q_C, Q_R = latent_queries(x[..., now, :], weights, cos[now], sin[now])
        mask = causal_mask(6)[now, :end]
        outputs.append(
            attend_to_latents(
                Q_C, Q_R, rows[..., :end, :], weights, mask, factor=factor, absorbed=absorbed
            )
        )
    return np.concatenate(outputs, axis=-2)


@pytest.mark.parametrize("absorbed", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_what_both_paths_of_their_code_give_comes_out(mode, absorbed, published):
    table = published(f"deepseek.{mode}")  # naive and absorb: equal in all five decimals
    assert_allclose(layer(X, mode, absorbed), table, atol=PRINTED)


@pytest.mark.parametrize("one_by_one_from", [1, 4, 6])
@pytest.mark.parametrize("mode", MODES)
def test_the_two_orders_agree_and_a_cache_changes_nothing(mode, one_by_one_from):
    whole = layer(X, mode, absorbed=False, one_by_one_from=6)
    for absorbed in (False, True):
        found = layer(X, mode, absorbed, one_by_one_from=one_by_one_from)
        assert_allclose(found, whole, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("absorbed", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_less_precision_gives_the_same_up_to_its_rounding(dtype, absorbed):
    exact = layer(X, "stretched", absorbed)
    found = layer(X, "stretched", absorbed, dtype=dtype)
    assert found.dtype == dtype
    error = abs(found.astype(np.float64) - exact).max()
    assert error < 60 * np.finfo(dtype).eps * abs(exact).max()


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_any_leading_axes(batch):
    x = filled((*batch, 6, D_MODEL), 8)
    found = layer(x, "plain", absorbed=True)
    assert found.shape == x.shape
    for place in np.ndindex(batch):
        assert_allclose(found[place], layer(x[place], "plain", absorbed=True), rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_large_scores_stay_finite(dtype):
    Q_C, Q_R = np.full((H, 2, D_K), 2e4, dtype), np.full((H, 2, D_R), 2e4, dtype)
    rows = np.full((3, D_C + D_R), 100, dtype)
    ones = LatentWeights(*(np.ones_like(W, dtype) for W in WEIGHTS))
    for absorbed in (False, True):
        output = attend_to_latents(Q_C, Q_R, rows, ones, absorbed=absorbed)
        assert_allclose(output, D_C * 100 * H * D_V, rtol=1e-3)


def test_without_a_rotated_part_it_is_the_idea_alone():
    rng = np.random.default_rng(0)
    Q_C, C = rng.normal(size=(2, H, 4, D_K)), rng.normal(size=(2, 6, D_C))
    for absorbed in (False, True):
        found = attend_to_latents(Q_C, np.zeros((2, H, 4, 0)), C, WEIGHTS, absorbed=absorbed)
        heads = latent_attention(Q_C, C, WEIGHTS.W_UK, WEIGHTS.W_UV, absorbed=absorbed)
        assert_allclose(found, merge_heads(heads) @ WEIGHTS.W_O)


def test_rows_are_normalized_but_for_the_rotated_key():
    cos, sin = np.ones((6, D_R // 2)), np.zeros((6, D_R // 2))
    plain = WEIGHTS._replace(gain_KV=np.ones(D_C))
    rows = latent_rows(X, plain, cos, sin)
    assert_allclose((rows[..., :D_C] ** 2).mean(axis=-1), 1, rtol=1e-3)
    longer = latent_rows(10 * X, plain, cos, sin)
    assert_allclose(longer[..., :D_C], rows[..., :D_C], rtol=1e-3)
    assert_allclose(longer[..., D_C:], 10 * rows[..., D_C:])


def test_a_masked_row_is_zero():
    Q_C, Q_R, rows = np.ones((H, 2, D_K)), np.ones((H, 2, D_R)), np.ones((2, D_C + D_R))
    mask = np.array([[True, True], [False, False]])
    output = attend_to_latents(Q_C, Q_R, rows, WEIGHTS, mask, absorbed=True)
    assert abs(output[0]).max() > 0
    assert_array_equal(output[1], 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: latent_queries(np.ones((2, 3)), WEIGHTS, TURN, TURN), r"x \(2, 3\) .* W_DQ \(10"),
        (lambda: latent_rows(np.ones((2, 3)), WEIGHTS, TURN, TURN), r"x \(2, 3\) .* W_DKV \(10"),
        (lambda: latent_rows(np.ones(10), WEIGHTS, TURN, TURN), r"x \(10,\) is not"),
        (
            lambda: latent_rows(
                np.ones((2, 10)), WEIGHTS._replace(W_KR=np.ones((9, 8))), TURN, TURN
            ),
            r"x \(2, 10\) is not .* W_KR \(9, 8",
        ),
        (
            lambda: attend_to_latents(
                np.ones((3, 2, 5)), np.ones((3, 2, 8)), np.ones((2, 13)), WEIGHTS, absorbed=True
            ),
            r"Q_C \(3, 2, 5\), Q_R \(3, 2, 8\) and rows \(2, 13\) are not",
        ),
        (
            lambda: attend_to_latents(
                np.ones((3, 2, 4)), np.ones((3, 2, 8)), np.ones((2, 12)), WEIGHTS, absorbed=False
            ),
            r"Q_C .* rows \(2, 12\) are not .* \(\.\.\., m, 5 \+ d_r\)",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
