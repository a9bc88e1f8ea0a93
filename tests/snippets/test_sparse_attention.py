"""Held to what the inference code of DeepSeek-V3.2 and fla's references compute."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.latent_attention import LatentWeights, attend_to_latents, latent_queries, latent_rows
from snippets.layer_norm import layer_norm
from snippets.masks import window_mask
from snippets.rms_norm import rms_norm
from snippets.rotary import rotary_angles, rotate
from snippets.sparse_attention import (
    index_scores,
    kept_mass,
    native_sparse_attention,
    top_k_mask,
)

H, D_MODEL, D_Q, D_C, D_K, D_R, D_V = 3, 10, 6, 5, 4, 8, 3
H_INDEX, D_INDEX = 2, 16
PRINTED = 2e-5  # five decimals; their norms, rotation and softmax are in float32
rng = np.random.default_rng(0)


def filled(shape, seed):
    """Fill an array with numbers that need no file: the same as were given to their code."""
    k = np.arange(np.prod(shape))
    return (((k * k * (seed % 7 + 1) + 7 * k + 13 * seed) % 101) / 50.5 - 1).reshape(shape)


@pytest.fixture(scope="module")
def theirs():
    """Compute DeepSeek's queries and keys for the index, queries and rows from their parameters."""
    wq_b = filled((H * (D_K + D_R), D_Q), 3).reshape(H, D_K + D_R, D_Q).swapaxes(-1, -2)
    up = filled((H * (D_K + D_V), D_C), 6).reshape(H, D_K + D_V, D_C).swapaxes(-1, -2)
    wkv_a = filled((D_C + D_R, D_MODEL), 4)
    weights = LatentWeights(
        W_DQ=filled((D_Q, D_MODEL), 1).T,
        gain_Q=1 + filled((D_Q,), 2) / 2,
        W_UQ=wq_b[..., :D_K],
        W_QR=wq_b[..., D_K:],
        W_DKV=wkv_a[:D_C].T,
        gain_KV=1 + filled((D_C,), 5) / 2,
        W_KR=wkv_a[D_C:].T,
        W_UK=up[..., :D_K],
        W_UV=up[..., D_K:],
        W_O=filled((D_MODEL, H * D_V), 7).T,
    )
    x = filled((2, 6, D_MODEL), 100)
    angles = rotary_angles(np.arange(6), D_R)
    cos, sin = np.cos(angles), np.sin(angles)

    def turned(y):  # the first components are rotated, the others not
        front = rotate(y[..., :D_R], cos, sin, interleaved=True)
        return np.concatenate([front, y[..., D_R:]], axis=-1)

    C_Q = rms_norm(x @ weights.W_DQ, weights.gain_Q, 1e-6)
    q = (C_Q @ filled((H_INDEX * D_INDEX, D_Q), 8).T).reshape(2, 6, H_INDEX, D_INDEX)
    k = layer_norm(
        x @ filled((D_INDEX, D_MODEL), 9).T,
        1 + filled((D_INDEX,), 10) / 2,
        filled((D_INDEX,), 11) / 2,
        eps=1e-6,
    )
    w = x @ filled((H_INDEX, D_MODEL), 12).T / np.sqrt(H_INDEX * D_INDEX)
    # they turn q and k by one more matrix, for the sake of 8 bits; it leaves all products equal
    indexer = turned(q.swapaxes(1, 2)), turned(k), w
    rows = latent_rows(x, weights, cos, sin)
    return indexer, (*latent_queries(x, weights, cos, sin), rows, weights)


@pytest.mark.parametrize(
    ("dtype", "within"), [(float, PRINTED), (np.float32, PRINTED), (np.float16, 5e-3)]
)
def test_the_index_scores_are_deepseeks(theirs, dtype, within, published):
    index = index_scores(*(x.astype(dtype) for x in theirs[0]))
    assert_allclose(index[:, :4, :4], published("deepseek.index"), atol=within)
    assert_allclose(index[:, 5:], published("deepseek.index_last"), atol=within)


@pytest.mark.parametrize("k", [3, 6])
@pytest.mark.parametrize("absorbed", [False, True])
def test_the_layer_that_chooses_is_deepseeks(theirs, absorbed, k, published):
    index, layer = index_scores(*theirs[0]), theirs[1]
    chosen = top_k_mask(index, k, np.tri(6, dtype=bool))
    output = attend_to_latents(*layer, chosen[:, np.newaxis], absorbed=absorbed)
    assert_allclose(output, published(f"deepseek.sparse{k}"), atol=PRINTED)


@pytest.mark.parametrize("absorbed", [False, True])
def test_all_keys_are_dense_attention_exactly(theirs, absorbed):
    index, layer = index_scores(*theirs[0]), theirs[1]
    causal = np.tri(6, dtype=bool)
    dense = attend_to_latents(*layer, causal, absorbed=absorbed)
    for k in (6, 9):
        chosen = top_k_mask(index, k, causal)
        assert_array_equal(chosen, np.broadcast_to(causal, chosen.shape))
        output = attend_to_latents(*layer, chosen[:, np.newaxis], absorbed=absorbed)
        assert_array_equal(output, dense)


def test_flas_reference_chooses_and_attends_as_we_do(published):
    n, d = 24, 4
    q, k, v = filled((n, 2, d), 1).swapaxes(0, 1), filled((n, d), 2), filled((n, 3), 3)
    index = index_scores(filled((n, 3, d), 5).swapaxes(0, 1), filled((n, d), 6), filled((n, 3), 8))
    chosen = top_k_mask(index, 5, np.tri(n, dtype=bool))
    assert_array_equal(chosen.sum(axis=1), np.minimum(np.arange(n) + 1, 5))
    output = scaled_dot_product_attention(q, k, v, chosen)
    assert_allclose(output, published("fla.dsa"), atol=1e-5)


@pytest.mark.parametrize(
    ("dtype", "within"), [(float, 1e-5), (np.float32, 1e-5), (np.float16, 5e-3)]
)
def test_native_sparse_attention_is_flas_reference(dtype, within, published):
    n, d = 24, 4
    q, k, v = 2 * filled((n, 2, d), 1).swapaxes(0, 1), filled((n, d), 2), filled((n, 3), 3)
    gates = (1 + filled((n, 2, 2), 4).swapaxes(0, 1)) / 2
    gates = np.concatenate([gates, np.zeros((2, n, 1))], axis=-1)
    q, k, v, gates = (x.astype(dtype) for x in (q, k, v, gates))
    output = native_sparse_attention(q, k, v, gates, block=4, count=4, window=1)
    assert output.dtype == dtype
    assert_allclose(output, published("fla.nsa"), atol=within)


def test_enough_blocks_or_a_wide_window_are_dense_attention():
    q, (k, v) = rng.normal(size=(2, 3, 12, 4)), rng.normal(size=(2, 2, 12, 4))
    dense = scaled_dot_product_attention(q, k[:, None], v[:, None], is_causal=True)
    for branch, sizes in ((1, {"count": 4, "window": 1}), (2, {"count": 3, "window": 12})):
        gates = np.broadcast_to(np.eye(3)[branch], (2, 3, 12, 3))
        output = native_sparse_attention(q, k, v, gates, block=3, **sizes)
        assert_allclose(output, dense)
    near = native_sparse_attention(q, k, v, gates, block=3, count=3, window=5)
    windowed = scaled_dot_product_attention(q, k[:, None], v[:, None], window_mask(12, 5))
    assert_allclose(near, windowed)


def test_the_heads_of_a_group_choose_together():
    """Block 1 has the largest weight in one head, block 2 the largest mean."""
    shares = np.full((2, 6, 6), 1 / 6)
    shares[0, 5], shares[1, 5] = [0.02, 0.6, 0.3, 0.02, 0.03, 0.03], [0.1, 0.1, 0.5, 0.1, 0.1, 0.1]
    query = np.log(shares) * np.sqrt(6)
    gates = np.broadcast_to([0.0, 1.0, 0.0], (2, 6, 3))
    output = native_sparse_attention(query, np.eye(6), np.eye(6), gates, block=1, count=4, window=1)
    assert_array_equal(output[:, 5] > 0, [[True, False, True, False, True, True]] * 2)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_top_k_takes_the_largest_of_each_row(batch):
    scores = rng.normal(size=(*batch, 5, 9))
    alpha = rng.uniform(size=scores.shape)
    for k in (1, 4, 9, 20):
        chosen = top_k_mask(scores, k)
        assert_array_equal(chosen.sum(axis=-1), min(k, 9))
        floor = np.where(chosen, scores, np.inf).min(axis=-1, keepdims=True)
        assert (scores[~chosen] < np.broadcast_to(floor, scores.shape)[~chosen]).all()
        assert_allclose(kept_mass(alpha, chosen), (alpha * chosen).sum(axis=-1))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_large_products_of_the_indexer_stay_finite(dtype):
    scores = index_scores(
        np.full((2, 1, 64), 100, dtype), np.full((3, 64), 100, dtype), np.ones((1, 2), dtype)
    )
    assert scores.dtype == np.result_type(dtype, np.float32)
    assert_array_equal(scores, np.full((1, 3), 2 * 64 * 1e4))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: index_scores(np.ones((2, 3, 4)), np.ones((5, 3)), np.ones((3, 2))),
            r"queries \(2, 3, 4\), keys \(5, 3\) and weights \(3, 2\) are not",
        ),
        (
            lambda: index_scores(np.ones((2, 3, 4)), np.ones((5, 4)), np.ones((2, 3))),
            r"queries .* weights \(2, 3\) are not",
        ),
        (lambda: top_k_mask(np.ones((2, 2)), 0), "k is 0: a query without keys"),
        (
            lambda: native_sparse_attention(
                *(np.ones((1, 5, 2)),) * 3, np.ones((1, 5, 3)), block=2, count=3, window=1
            ),
            "5 tokens are not blocks of 2",
        ),
        (
            lambda: native_sparse_attention(
                *(np.ones((1, 4, 2)),) * 3, np.ones((1, 4, 3)), block=2, count=2, window=1
            ),
            "4 tokens .* count 2 is below 3",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
