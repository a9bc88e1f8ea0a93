import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import (
    attention,
    attention_scores,
    attention_weights,
    scaled_dot_product_attention,
)

# Worked by hand: with d_k = 4 the scale is 1/2, so the scaled scores are log 1, log 3, …
QUERY = np.array([[2.0, 0, 0, 0], [0, 2.0, 0, 0]])
KEY = np.array([[np.log(1), np.log(2), 0, 0], [np.log(3), np.log(2), 0, 0], [0, 0, 7, 7]])
VALUE = np.array([[5.0, 0], [0, 5.0], [10.0, 10.0]])
WEIGHTS = np.array([[0.2, 0.6, 0.2], [0.4, 0.4, 0.2]])
OUTPUT = np.array([[3.0, 5.0], [4.0, 4.0]])


def draw(*shape, dtype=np.float64):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


def test_scores_are_dot_products_of_queries_and_keys():
    scores = attention_scores(np.array([[1.0, 2], [3, 4]]), np.array([[5.0, 6], [7, 8], [9, 0]]))
    assert_array_equal(scores, [[17, 23, 9], [39, 53, 27]])


def test_scores_of_one_query_are_a_row():
    assert_array_equal(attention_scores(np.array([1.0, 2]), np.array([[5.0, 6], [7, 8]])), [17, 23])


def test_weights_leave_scores_unscaled_without_a_scale():
    assert_allclose(attention_weights(np.log([[1.0, 4.0]])), [[0.2, 0.8]])


def test_weights_multiply_the_scores_by_the_scale():
    assert_allclose(attention_weights(np.log([[1.0, 16.0]]), scale=0.5), [[0.2, 0.8]])


def test_a_float_mask_is_added_after_scaling():
    mask = np.log([[4.0, 1.0]])
    assert_allclose(attention_weights(np.log([[1.0, 16.0]]), mask, 0.5), [[0.5, 0.5]])


def test_true_in_a_boolean_mask_lets_attend():
    weights = attention_weights(np.log([[1.0, 4.0, 9.0]]), np.array([[True, True, False]]))
    assert_allclose(weights, [[0.2, 0.8, 0]])


def test_output_equals_the_formula_worked_by_hand():
    output, weights = scaled_dot_product_attention(QUERY, KEY, VALUE, return_weights=True)
    assert_allclose(weights, WEIGHTS)
    assert_allclose(output, OUTPUT)
    assert_allclose(scaled_dot_product_attention(QUERY, KEY, VALUE), OUTPUT)


def test_the_equation_alone_gives_output_and_weights():
    output, weights = attention(QUERY, KEY, VALUE)
    assert_allclose(weights, WEIGHTS)
    assert_allclose(output, OUTPUT)


def test_the_equation_adds_its_mask_to_the_scaled_scores():
    output, weights = attention(QUERY, KEY, VALUE, mask=np.log([[4.0, 1.0, 1.0], [1.0, 1.0, 3.0]]))
    assert_allclose(weights, [[0.5, 0.375, 0.125], [2 / 7, 2 / 7, 3 / 7]])
    assert_allclose(output, weights @ VALUE)


def test_a_scale_replaces_the_default():
    _, weights = scaled_dot_product_attention(QUERY, KEY, VALUE, scale=1.0, return_weights=True)
    assert_allclose(weights, [[1 / 11, 9 / 11, 1 / 11], [4 / 9, 4 / 9, 1 / 9]])


def test_a_scale_of_zero_gives_every_key_the_same_weight():
    output = scaled_dot_product_attention(QUERY, KEY, VALUE, scale=0.0)
    assert_allclose(output, np.tile(VALUE.mean(axis=0), (2, 1)))


def test_a_masked_key_has_no_influence():
    output = scaled_dot_product_attention(QUERY, KEY, VALUE, np.array([True, True, False]))
    assert_allclose(output, [[1.25, 3.75], [2.5, 2.5]])


def test_a_query_that_may_attend_to_nothing_gets_zeros():
    mask = np.array([[False, False, False], [True, True, True]])
    for attn_mask in (mask, np.where(mask, 0.0, -np.inf)):
        output, weights = scaled_dot_product_attention(
            QUERY, KEY, VALUE, attn_mask, return_weights=True
        )
        assert_array_equal(weights[0], np.zeros(3))
        assert_array_equal(output[0], np.zeros(2))
        assert_allclose(output[1], OUTPUT[1])


@pytest.mark.parametrize(
    ("n", "m", "allowed"),
    [
        (2, 4, [[1, 0, 0, 0], [1, 1, 0, 0]]),
        (4, 2, [[1, 0], [1, 1], [1, 1], [1, 1]]),
        (3, 3, [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
    ],
)
def test_the_causal_mask_is_aligned_at_the_top_left(n, m, allowed):
    query, key, value = np.zeros((n, 5)), draw(m, 5), draw(m, 3)
    output, weights = scaled_dot_product_attention(
        query, key, value, is_causal=True, return_weights=True
    )
    expected = np.array(allowed) / np.sum(allowed, axis=-1, keepdims=True)
    assert_allclose(weights, expected)
    assert_allclose(output, expected @ value)


def test_a_mask_and_is_causal_exclude_each_other():
    with pytest.raises(ValueError, match="attn_mask and is_causal exclude each other"):
        scaled_dot_product_attention(QUERY, KEY, VALUE, np.ones((2, 3), bool), is_causal=True)


def test_an_integer_mask_is_refused():
    with pytest.raises(TypeError, match="boolean or float, not int64"):
        scaled_dot_product_attention(QUERY, KEY, VALUE, np.ones((2, 3), np.int64))


# Batch axes


def test_a_batch_equals_a_loop():
    query, key, value = draw(2, 3, 4, 5), draw(2, 3, 6, 5), draw(2, 3, 6, 7)
    output = scaled_dot_product_attention(query, key, value)
    for index in np.ndindex(2, 3):
        alone = scaled_dot_product_attention(query[index], key[index], value[index])
        assert_allclose(output[index], alone, rtol=1e-12)


def test_batch_axes_broadcast():
    query, key, value = draw(2, 1, 4, 5), draw(3, 6, 5), draw(6, 7)
    mask = draw(2, 1, 4, 6)
    output = scaled_dot_product_attention(query, key, value, mask)
    assert output.shape == (2, 3, 4, 7)
    for i, j in np.ndindex(2, 3):
        alone = scaled_dot_product_attention(query[i, 0], key[j], value, mask[i, 0])
        assert_allclose(output[i, j], alone, rtol=1e-12)


def test_a_mask_may_differ_between_batches_that_only_the_values_have():
    value, mask = draw(3, 6, 7), draw(3, 4, 6)
    output = scaled_dot_product_attention(draw(4, 5), draw(6, 5), value, mask)
    for i in range(3):
        alone = scaled_dot_product_attention(draw(4, 5), draw(6, 5), value[i], mask[i])
        assert_allclose(output[i], alone, rtol=1e-12)


# Dtypes


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"is_causal": True},
        {"scale": np.float64(0.5)},
        {"attn_mask": np.ones((2, 3), bool)},
        {"attn_mask": np.zeros((2, 3))},
    ],
    ids=["nothing", "causal", "scale", "mask of truths", "mask of floats"],
)
def test_floats_keep_their_dtype(dtype, options):
    arrays = [x.astype(dtype) for x in (QUERY, KEY, VALUE)]
    output, weights = scaled_dot_product_attention(*arrays, **options, return_weights=True)
    assert (output.dtype, weights.dtype) == (dtype, dtype)
    assert scaled_dot_product_attention(*arrays, **options).dtype == dtype


def test_weights_keep_float32_beside_float64_masks_and_scales():
    scores = np.ones((2, 3), np.float32)
    assert attention_weights(scores, np.zeros((2, 3)), np.float64(0.5)).dtype == np.float32


def test_integers_become_floats():
    value = np.array([[1], [2]])
    output = scaled_dot_product_attention(np.zeros((1, 2), int), np.zeros((2, 2), int), value)
    assert output.dtype == np.float64
    assert_array_equal(output, [[1.5]])


def test_the_widest_dtype_wins():
    output = scaled_dot_product_attention(QUERY.astype(np.float16), KEY.astype(np.float32), VALUE)
    assert output.dtype == np.float64


def test_float32_input_is_computed_in_float32():
    query, key, value = (draw(*shape, dtype=np.float32) for shape in [(4, 8), (6, 8), (6, 3)])
    weights = attention_weights(attention_scores(query, key) / np.float32(np.sqrt(8)))
    assert_array_equal(scaled_dot_product_attention(query, key, value), weights @ value)


def test_float16_scores_do_not_overflow():
    # each score is 250 * 250 * 4 = 250 000; float16 ends at 65 504
    query = np.full((1, 4), 250, np.float16)
    key = np.array([[250] * 4, [250] * 4, [-250] * 4], np.float16)
    value = np.array([[2], [4], [100]], np.float16)
    output, weights = scaled_dot_product_attention(query, key, value, return_weights=True)
    assert_array_equal(weights, [[0.5, 0.5, 0]])
    assert_array_equal(output, [[3]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_scores_pick_one_key(dtype):
    query, value = np.full((1, 4), 1e4, dtype), VALUE.astype(dtype)
    key = np.array([[1e4] * 4, [0.0] * 4, [-1e4] * 4], dtype)
    assert_array_equal(scaled_dot_product_attention(query, key, value), [[5, 0]])


# Errors name the shapes


@pytest.mark.parametrize(
    ("query", "key"), [((2, 3), (2, 4)), ((3,), (3,)), ((), (2, 3)), ((2, 3, 4), (3, 5, 4))]
)
def test_scores_name_both_shapes(query, key):
    with pytest.raises(ValueError, match="query") as error:
        attention_scores(np.ones(query), np.ones(key))
    shapes = f"query {query} and key {key}"
    assert str(error.value) == f"{shapes} are not (..., n, d_k) and (..., m, d_k)"


@pytest.mark.parametrize("mask", [(3, 2), (2, 2), (4, 2, 3), (4,)])
def test_weights_name_both_shapes(mask):
    for dtype in (bool, float):
        with pytest.raises(ValueError, match="broadcast") as error:
            attention_weights(np.ones((2, 3)), np.ones(mask, dtype))
        assert f"attn_mask {mask} does not broadcast to scores (2, 3)" in str(error.value)


@pytest.mark.parametrize(
    ("query", "key", "value", "words"),
    [
        ((2, 3), (4, 5), (4, 6), "query (2, 3), key (4, 5), value (4, 6) are not (..., n, d_k)"),
        ((2, 3), (4, 3), (5, 6), "query (2, 3), key (4, 3), value (5, 6) are not (..., n, d_k)"),
        (
            (7, 2, 3),
            (4, 3),
            (6, 4, 3),
            "query (7, 2, 3), key (4, 3), value (6, 4, 3): the batch axes do not broadcast",
        ),
        ((3,), (4, 3), (4, 6), "query (3,), key (4, 3), value (4, 6): each needs two axes or more"),
        ((2, 3), (3,), (4, 6), "query (2, 3), key (3,), value (4, 6)"),
        ((2, 3), (4, 3), (4,), "query (2, 3), key (4, 3), value (4,)"),
    ],
)
def test_attention_names_the_shapes(query, key, value, words):
    with pytest.raises(ValueError, match="query") as error:
        scaled_dot_product_attention(np.ones(query), np.ones(key), np.ones(value))
    assert words in str(error.value)


def test_inputs_are_left_alone():
    scores = np.array([[1.0, 2.0]])
    attention_weights(scores, np.array([[True, False]]), 0.5)
    attention_weights(scores, np.array([[0.0, -np.inf]]), 0.5)
    assert_array_equal(scores, [[1.0, 2.0]])


@pytest.mark.parametrize("wide", range(3))
def test_the_widest_of_the_inputs_decides(wide):
    inputs = [np.eye(3, dtype=np.float64 if i == wide else np.float32) for i in range(3)]
    output, weights = scaled_dot_product_attention(*inputs, return_weights=True)
    assert (output.dtype, weights.dtype) == (np.float64, np.float64)
