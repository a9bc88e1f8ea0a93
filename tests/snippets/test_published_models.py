"""Held to what the code of published models computes; "sources" in published_numbers.json says how.

Each test runs in double, single and half precision.
"""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.bounded_scores import qk_clip, soft_cap
from snippets.feed_forward import gelu
from snippets.flex_attention import flex_attention
from snippets.latent_attention import LatentWeights
from snippets.masks import causal_mask, document_mask, prefix_mask, window_mask
from snippets.mixture_of_experts import balance_loss, mixture_of_experts, route
from snippets.multi_head import merge_heads, split_heads
from snippets.rms_norm import rms_norm
from snippets.rotary import axial_angles, rotary_angles, rotate
from snippets.sinks import attend_by_place, softmax_with_sink
from snippets.swiglu import swiglu
from snippets.transformer_block import add_sublayer

#: Five decimals are printed; norms, softmax or rotation are float32 in most of these codes.
WITHIN = {np.float64: 2e-5, np.float32: 2e-5, np.float16: 2e-2}
dtypes = pytest.mark.parametrize("dtype", WITHIN)


def filled(shape, seed, dtype=float):
    """Fill an array with numbers that need no file: the same as were given to their code."""
    k = np.arange(np.prod(shape))
    numbers = ((k * k * (seed % 7 + 1) + 7 * k + 13 * seed) % 101) / 50.5 - 1
    return numbers.reshape(shape).astype(dtype)


# Sinks


@dtypes
@pytest.mark.parametrize("window", [0, 3])
def test_a_learned_sink_is_that_of_gpt_oss(window, dtype, published):
    query = 2 * filled((6, 2, 2, 4), 1, dtype).reshape(6, 4, 4).swapaxes(0, 1)
    key, value = (
        filled((6, 2, 4), seed, dtype).swapaxes(0, 1).repeat(2, axis=0) for seed in (2, 3)
    )
    scores = query @ (2 * key).swapaxes(-1, -2) / 2
    mask = window_mask(6, window) if window else causal_mask(6)
    sinks = 2 * filled((4, 1, 1), 4, dtype)
    weights = softmax_with_sink(np.where(mask, scores, -np.inf).astype(dtype), sinks)
    assert weights.dtype == dtype
    expected = published(f"gptoss.window{window}")
    assert_allclose((weights @ value).swapaxes(0, 1), expected, atol=WITHIN[dtype])


@dtypes
def test_softmax_off_by_one_is_pytorchs_key_of_zeros(dtype, published):
    q, k, v = (3 * filled((5, 4), seed, dtype) for seed in (5, 6, 7))
    output = softmax_with_sink(q @ k.T / 2) @ v
    assert_allclose(output, published("torch.zero_attn"), atol=WITHIN[dtype])


@dtypes
def test_a_sink_takes_no_part_if_all_else_is_hidden(dtype):
    scores = np.array([[-np.inf, -np.inf], [3e4, 3e4]], dtype)
    assert_array_equal(softmax_with_sink(scores, -2.0), [[0, 0], [0.5, 0.5]])


@dtypes
def test_places_in_the_cache_are_those_of_streaming_llm(dtype, published):
    W_Q, W_K, W_V, W_O = (filled((8, 8), seed).T for seed in (1, 2, 3, 4))
    x = filled((9, 8), 6)
    Q, K, V = (split_heads(x @ W, 2).astype(dtype) for W in (W_Q, W_K, W_V))
    outputs = []
    for t, row in enumerate(window_mask(9, window=4, num_sinks=2)):
        kept = np.flatnonzero(row)
        outputs.append(attend_by_place(Q[:, t : t + 1], K[:, kept], V[:, kept]))
    output = merge_heads(np.concatenate(outputs, axis=1)).astype(float) @ W_O
    assert outputs[0].dtype == dtype
    assert_allclose(output, published("streaming.output"), atol=WITHIN[dtype])


def test_what_was_dropped_leaves_no_gap():
    Q, K, V = np.random.default_rng(0).normal(size=(3, 2, 7, 4))
    kept = [0, 4, 5, 6]
    by_place = attend_by_place(Q[:, -1:], K[:, kept], V[:, kept])
    assert_allclose(by_place, attend_by_place(Q[:, kept], K[:, kept], V[:, kept])[:, -1:])
    turn = rotary_angles(np.arange(7), 4)
    cos, sin = np.cos(turn), np.sin(turn)
    by_mask = scaled_dot_product_attention(
        rotate(Q, cos, sin), rotate(K, cos, sin), V, window_mask(7, 3, 1)
    )
    assert abs(by_place[:, 0] - by_mask[:, -1]).max() > 0.1


# QK-Clip


@dtypes
def test_clipped_weights_are_those_of_megatron(dtype, published):
    h, d_q, d_k, d_r, d_v, d_c = 3, 2, 2, 2, 1, 2
    q = filled((h, d_k + d_r, d_q), 3, dtype).swapaxes(-1, -2)
    kv = filled((h, d_k + d_v, d_c), 6, dtype).swapaxes(-1, -2)
    other = np.ones((1, 1), dtype)
    weights = LatentWeights(
        other, other, q[..., :d_k], q[..., d_k:], other, other, other,
        kv[..., :d_k], kv[..., d_k:], other,
    )  # fmt: skip
    clipped = qk_clip(weights, np.array([250.0, 40.0, 101.0]))
    found = np.concatenate([clipped.W_UQ, clipped.W_QR], axis=-1).swapaxes(-1, -2)
    assert found.dtype == dtype
    within = {"atol": max(1e-5, np.finfo(dtype).eps)}
    assert_allclose(found.reshape(-1, d_q), published("megatron.q"), **within)
    found = np.concatenate([clipped.W_UK, clipped.W_UV], axis=-1).swapaxes(-1, -2)
    assert_allclose(found.reshape(-1, d_c), published("megatron.kv"), **within)
    assert clipped.W_KR is weights.W_KR


# Positions in two and three dimensions


@dtypes
def test_two_coordinates_in_turn_are_pixtrals(dtype, published):
    places = np.stack(np.indices((3, 4)), axis=-1).reshape(12, 2)
    angles = axial_angles(places, np.array([0, 1, 0, 1]))
    angles = angles[:, [0, 2, 1, 3]]  # they put the pairs of the rows first
    x = filled((12, 8), 1, dtype)
    found = rotate(x, np.cos(angles), np.sin(angles), interleaved=True)
    assert found.dtype == dtype
    assert_allclose(found, published("pixtral.q"), atol=max(2e-5, 2 * np.finfo(dtype).eps))


@dtypes
def test_three_coordinates_in_sections_are_qwen2_vls(dtype, published):
    """Two words, a picture of two by two, a word: the positions as its docstring counts them."""
    places = np.array([[0, 1, 2, 2, 2, 2, 4], [0, 1, 2, 2, 3, 3, 4], [0, 1, 2, 3, 2, 3, 4]]).T
    angles = axial_angles(places, np.repeat([0, 1, 2], [2, 3, 3]))
    found = rotate(filled((7, 16), 1, dtype), np.cos(angles), np.sin(angles))
    assert_allclose(found, published("qwen2vl.q"), atol=max(2e-5, 2 * np.finfo(dtype).eps))
    text = [0, 1, 6]
    assert_allclose(angles[text], rotary_angles(np.array([0, 1, 4]), 16))


@dtypes
def test_all_frequencies_for_each_axis_are_those_of_qwen2_vls_encoder(dtype, published):
    rows, columns = np.indices((2, 3)).reshape(2, 6)
    angles = np.concatenate([rotary_angles(rows, 4), rotary_angles(columns, 4)], axis=-1)
    found = rotate(filled((6, 8), 1, dtype), np.cos(angles), np.sin(angles))
    assert_allclose(found, published("qwen2vl.vision"), atol=max(2e-5, 2 * np.finfo(dtype).eps))


# Masks


@pytest.mark.parametrize(
    ("prefix", "documents", "expected"),
    [
        ("1110000", "1111100", "1110000 1110000 1110000 1111000 1111100 0 0"),
        ("1101100", "1112220", "1100000 1100000 1110000 0001100 0001100 0001110 0"),
        ("1100110", "1111110", "1100110 1100110 1110000 1111000 1111110 1111110 0"),
    ],
    ids=["unpacked", "packed", "composite"],
)
def test_prefixes_are_those_of_t5x(prefix, documents, expected):
    """The masks printed in t5x/examples/t5/layers_test.py; 0 is padding."""
    documents = np.array([int(c) for c in documents])
    real = documents > 0
    mask = prefix_mask(np.array([c == "1" for c in prefix])) & document_mask(documents)
    rows = [f"{row:0<7}" for row in expected.split()]
    wanted = np.array([[c == "1" for c in row] for row in rows])
    assert_array_equal(mask & real & real[:, np.newaxis], wanted)


@dtypes
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_a_prefix_that_is_the_whole_text_hides_nothing(batch, dtype):
    x = np.random.default_rng(0).normal(size=(*batch, 4, 3)).astype(dtype)
    whole = scaled_dot_product_attention(x, x, x, prefix_mask(np.ones((*batch, 4), bool)))
    assert_array_equal(whole, scaled_dot_product_attention(x, x, x))
    none = scaled_dot_product_attention(x, x, x, prefix_mask(np.zeros((*batch, 4), bool)))
    assert_array_equal(none, scaled_dot_product_attention(x, x, x, is_causal=True))


# A mixture of experts

MOE = [2 * filled((5, 4), 1).T] + [
    filled(shape, seed).swapaxes(-1, -2)
    for shape, seed in (((5, 3, 4), 2), ((5, 3, 4), 3), ((5, 4, 3), 4))
]


@dtypes
def test_a_mixture_of_experts_is_mixtrals(dtype, published):
    x = filled((8, 4), 5)
    output = mixture_of_experts(x.astype(dtype), *(W.astype(dtype) for W in MOE), k=2)
    assert output.dtype == dtype
    assert_allclose(output, published("mixtral.output"), atol=WITHIN[dtype])
    assert_allclose(x @ MOE[0], published("mixtral.logits"), atol=1e-5)
    assert_allclose(balance_loss(x @ MOE[0], 2), published("mixtral.balance"), atol=1e-5)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_every_token_goes_its_own_way(batch):
    x = np.random.default_rng(0).normal(size=(*batch, 6, 4))
    output = mixture_of_experts(x, *MOE, k=2)
    for place in np.ndindex(*batch, 6):
        chosen, weights = route(x[place] @ MOE[0], 2)
        by_hand = sum(
            w * swiglu(x[place][np.newaxis], *(W[i] for W in MOE[1:]))[0]
            for i, w in zip(chosen, weights, strict=True)
        )
        assert_allclose(output[place], by_hand)


def test_all_experts_are_a_softmax_over_all_and_equal_ones_are_one_layer():
    x = np.random.default_rng(0).normal(size=(6, 4))
    same = [MOE[0], *(np.broadcast_to(W[:1], W.shape) for W in MOE[1:])]
    one = swiglu(x, *(W[0] for W in MOE[1:]))
    for k in (1, 2, 5):
        assert_allclose(mixture_of_experts(x, *same, k=k), one)
    chosen, weights = route(np.array([[0.0, 2000.0, -2000.0]]), 3)
    assert_array_equal(chosen, [[1, 0, 2]])
    assert_array_equal(weights, [[1, 0, 0]])


def test_half_precision_does_not_overflow_inside():
    x, ones = np.full((1, 4), 100, np.float16), np.ones((2, 4, 3), np.float16)
    down = np.full((2, 3, 4), 0.01, np.float16)
    output = mixture_of_experts(x, np.eye(4, 2, dtype=np.float16), ones, ones, down, k=1)
    assert_allclose(output, 3 * 0.01 * 400**2, rtol=1e-3)


@pytest.mark.parametrize("k", [0, 6])
def test_more_experts_than_there_are_cannot_be_chosen(k):
    with pytest.raises(ValueError, match=rf"^k is {k}, and logits \(8, 5\) are of 5 experts"):
        route(np.ones((8, 5)), k)


# Where norms are


def projected(x, heads, W):
    return split_heads(x @ W, heads)


@dtypes
def test_norms_after_a_layer_are_olmo_2s(dtype, published):
    W_Q, W_K, W_V, W_O = (filled((8, 8), seed, dtype).T for seed in (1, 2, 3, 4))
    gate, up, down = (filled(s, i, dtype).T for s, i in (((6, 8), 7), ((6, 8), 8), ((8, 6), 9)))
    gain_q, gain_k, gain_1, gain_2 = (filled(8, i, dtype) / 2 + 1 for i in (5, 6, 10, 11))
    angles = rotary_angles(np.arange(5), 4)
    cos, sin = np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)

    def attend(x):
        q, k = rms_norm(x @ W_Q, gain_q), rms_norm(x @ W_K, gain_k)  # over all heads together
        q, k = (rotate(split_heads(y, 2), cos, sin) for y in (q, k))
        heads = scaled_dot_product_attention(q, k, projected(x, 2, W_V), is_causal=True)
        return merge_heads(heads) @ W_O

    x = add_sublayer(filled((5, 8), 20, dtype), attend, norm_after=partial(rms_norm, gain=gain_1))
    x = add_sublayer(
        x, lambda x: swiglu(x, gate, up, down), norm_after=partial(rms_norm, gain=gain_2)
    )
    assert x.dtype == dtype
    assert_allclose(x, published("olmo2.layer"), atol=WITHIN[dtype])


@dtypes
def test_norms_on_both_sides_are_gemma_2s(dtype, published):
    W_Q, W_K, W_V, W_O = (
        filled(s, i, dtype).T for s, i in (((8, 8), 1), ((4, 8), 2), ((4, 8), 3), ((8, 8), 4))
    )
    gate, up, down = (filled(s, i, dtype).T for s, i in (((6, 8), 5), ((6, 8), 6), ((8, 6), 7)))
    # their gain is stored as its difference from 1
    norms = [partial(rms_norm, gain=1 + filled(8, i, dtype) / 2, eps=1e-6) for i in (8, 9, 10, 11)]
    angles = rotary_angles(np.arange(5), 4)
    cos, sin = np.cos(angles), np.sin(angles)

    def score_mod(score, _b, _h, q_idx, kv_idx):
        near = (q_idx >= kv_idx) & (q_idx - kv_idx < 3)
        return np.where(near, soft_cap(score, 2.0), -np.inf)

    def attend(x):
        q, k = (rotate(projected(x, h, W), cos, sin)[np.newaxis] for h, W in ((2, W_Q), (1, W_K)))
        heads = flex_attention(q, k, projected(x, 1, W_V)[np.newaxis], score_mod)[0]
        return merge_heads(heads) @ W_O

    def feed(x):
        return (gelu(x @ gate, "tanh") * (x @ up)) @ down

    x = add_sublayer(filled((5, 8), 20, dtype), attend, norm_before=norms[0], norm_after=norms[1])
    x = add_sublayer(x, feed, norm_before=norms[2], norm_after=norms[3])
    assert x.dtype == dtype
    assert_allclose(x, published("gemma2.layer"), atol=WITHIN[dtype])


def test_without_norms_a_sublayer_is_added():
    x = filled((5, 8), 1)
    assert_array_equal(add_sublayer(x, np.square), x + x**2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: attend_by_place(np.ones((3, 4)), np.ones((2, 4)), np.ones((2, 4))),
            r"query \(3, 4\) has more tokens than the cache, key \(2, 4\)",
        ),
        (
            lambda: axial_angles(np.ones((5, 2)), np.array([0, 2])),
            r"axes \[0, 2\] are not all of positions \(5, 2\)",
        ),
        (
            lambda: axial_angles(np.ones((5, 2)), np.array([-1, 1])),
            r"axes \[-1, 1\] are not all",
        ),
        (
            lambda: mixture_of_experts(np.ones((2, 3)), *MOE, k=2),
            r"x \(2, 3\), W_router \(4, 5\), W_gate \(5, 4, 3\) and W_down \(5, 3, 4\) are not",
        ),
        (
            lambda: mixture_of_experts(np.ones((2, 4)), *MOE[:3], MOE[3][:4], k=2),
            r"x \(2, 4\), .* W_down \(4, 3, 4\) are not",
        ),
        (
            lambda: qk_clip(LatentWeights(*[np.ones((2, 1, 1))] * 10), np.ones(2), 0.0),
            r"threshold 0.0 must be above 0",
        ),
        (
            lambda: qk_clip(LatentWeights(*[np.ones((2, 1, 1))] * 10), np.ones(3)),
            r"threshold 100.0 .* max_scores \(3,\) one for each head of W_UQ \(2, 1, 1\)",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
