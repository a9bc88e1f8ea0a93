import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.bounded_scores import soft_cap
from snippets.flex_attention import flex_attention
from snippets.grouped_heads import grouped_query_attention
from snippets.masks import window_mask
from snippets.rotary import alibi_bias, alibi_slopes
from snippets.softmax import softmax

B, H, N, M, D_K, D_V = 2, 4, 6, 7, 5, 3
CLOSE = {"rtol": 1e-12, "atol": 1e-14}


def draw(*shape, dtype=np.float64):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


QUERY, KEY, VALUE = draw(B, H, N, D_K), draw(B, H, M, D_K), draw(B, H, M, D_V)
SELF = draw(B, H, N, D_K), draw(B, H, N, D_K) * 2, draw(B, H, N, D_V)


def test_without_a_function_it_is_attention():
    output = flex_attention(QUERY, KEY, VALUE)
    assert_allclose(output, scaled_dot_product_attention(QUERY, KEY, VALUE), **CLOSE)


def test_a_scale_replaces_the_default():
    output = flex_attention(QUERY, KEY, VALUE, scale=0.3)
    assert_allclose(output, scaled_dot_product_attention(QUERY, KEY, VALUE, scale=0.3), **CLOSE)


def test_the_function_gets_scaled_scores_and_the_place_of_each():
    seen = {}

    def look(score, b, h, q_idx, kv_idx):
        seen["score"] = score
        seen["places"] = np.broadcast_arrays(b, h, q_idx, kv_idx)
        return score

    flex_attention(QUERY, KEY, VALUE, look)
    assert_allclose(seen["score"], QUERY @ KEY.swapaxes(-1, -2) / np.sqrt(D_K))
    for place in [(0, 0, 0, 0), (1, 3, 5, 6), (1, 2, 0, 4)]:
        assert tuple(index[place] for index in seen["places"]) == place


def test_a_window_is_a_mask():
    def window(score, _b, _h, q_idx, kv_idx):
        return np.where((q_idx >= kv_idx) & (q_idx - kv_idx < 3), score, -np.inf)

    expected = scaled_dot_product_attention(*SELF, window_mask(N, 3))
    assert_allclose(flex_attention(*SELF, window), expected, **CLOSE)


def test_a_bias_may_differ_between_heads():
    slopes = alibi_slopes(H)

    def alibi(score, _b, h, q_idx, kv_idx):
        return np.where(q_idx >= kv_idx, score - slopes[h] * (q_idx - kv_idx), -np.inf)

    expected = scaled_dot_product_attention(*SELF, alibi_bias(H, N))
    assert_allclose(flex_attention(*SELF, alibi), expected, **CLOSE)


def test_a_mask_may_differ_between_sequences():
    lengths = np.array([2, 6])

    def padding(score, b, _h, _q_idx, kv_idx):
        return np.where(kv_idx < lengths[b], score, -np.inf)

    output = flex_attention(QUERY, KEY, VALUE, padding)
    for b, length in enumerate(lengths):
        alone = scaled_dot_product_attention(QUERY[b], KEY[b, :, :length], VALUE[b, :, :length])
        assert_allclose(output[b], alone, **CLOSE)


def test_a_cap_acts_on_scaled_scores():
    output = flex_attention(QUERY, KEY, VALUE, lambda score, *_: soft_cap(score, 0.5))
    capped = soft_cap(QUERY @ KEY.swapaxes(-1, -2) / np.sqrt(D_K), 0.5)
    assert_allclose(output, softmax(capped) @ VALUE, **CLOSE)


def test_the_weights_can_be_changed_too():
    output = flex_attention(QUERY, KEY, VALUE, prob_mod=lambda weights: 0.5 * weights)
    assert_allclose(output, 0.5 * scaled_dot_product_attention(QUERY, KEY, VALUE), **CLOSE)


def test_heads_share_keys_in_groups():
    output = flex_attention(QUERY, KEY[:, :2], VALUE[:, :2])
    assert_allclose(output, grouped_query_attention(QUERY, KEY[:, :2], VALUE[:, :2]), **CLOSE)


def test_a_query_that_may_attend_to_nothing_gets_zeros():
    output = flex_attention(
        QUERY, KEY, VALUE, lambda s, _b, _h, q, _k: np.where(q == 1, -np.inf, s)
    )
    assert_array_equal(output[:, :, 1], 0)
    assert_allclose(output[:, :, 2], flex_attention(QUERY, KEY, VALUE)[:, :, 2], **CLOSE)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_dtype(dtype):
    arrays = [x.astype(dtype) for x in (QUERY, KEY, VALUE)]
    assert flex_attention(*arrays, lambda score, *_: score).dtype == dtype


def test_float16_scores_do_not_overflow():
    query = np.full((1, 1, 1, 4), 250, np.float16)
    key = np.array([[[[250] * 4, [-250] * 4]]], np.float16)
    value = np.array([[[[3], [7]]]], np.float16)
    assert_array_equal(flex_attention(query, key, value), [[[[3]]]])


@pytest.mark.parametrize(
    ("query", "key", "value"),
    [
        ((4, 5), (4, 5), (4, 3)),
        ((1, 2, 4, 5), (2, 4, 5), (2, 4, 3)),
        ((1, 2, 4, 5), (1, 2, 6, 5), (1, 2, 7, 3)),
        ((1, 2, 4, 5), (1, 2, 6, 5), (1, 1, 6, 3)),
    ],
)
def test_the_shapes_are_named(query, key, value):
    with pytest.raises(ValueError, match="are not") as error:
        flex_attention(np.ones(query), np.ones(key), np.ones(value))
    assert str(error.value) == (
        f"query {query}, key {key} and value {value} are not (B, h, n, d_k), (B, g, m, d_k) and"
        " (B, g, m, d_v)"
    )


def test_a_function_that_changes_the_shape_is_refused():
    with pytest.raises(ValueError, match=r"made \(2, 4, 6, 1\) of scores \(2, 4, 6, 7\)"):
        flex_attention(QUERY, KEY, VALUE, lambda score, *_: score[..., :1])
