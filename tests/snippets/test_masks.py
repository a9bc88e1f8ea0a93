import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.masks import additive_mask, causal_mask, document_mask, padding_mask, window_mask


def draw(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


def test_causal_mask_lets_attend_to_itself_and_before():
    assert_array_equal(causal_mask(3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])


def test_causal_mask_counts_from_the_start_when_lengths_differ():
    assert_array_equal(causal_mask(2, 4), [[1, 0, 0, 0], [1, 1, 0, 0]])
    assert_array_equal(causal_mask(3, 2), [[1, 0], [1, 1], [1, 1]])


def test_the_last_rows_serve_queries_beside_a_cache():
    x = draw(6, 4)
    whole = scaled_dot_product_attention(x, x, x, is_causal=True)
    last = scaled_dot_product_attention(x[-2:], x, x, causal_mask(6)[-2:])
    assert_allclose(last, whole[-2:])


def test_padding_mask_lets_attend_to_the_first_tokens():
    mask = padding_mask(np.array([0, 2, 3]), 3)
    assert mask.shape == (3, 1, 3)
    assert_array_equal(mask[:, 0], [[0, 0, 0], [1, 1, 0], [1, 1, 1]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("is_causal", [False, True])
def test_packed_texts_get_what_each_gets_alone(is_causal, dtype):
    """The mask is that of PyTorch's own test, document_masking_causal in test_flex_attention.py."""
    documents = np.array([[3, 3, 3, 1, 1, 7], [2, 2, 2, 2, 2, 0]])
    x = draw(2, 6, 4).astype(dtype)
    mask = document_mask(documents)
    for row, q_idx, kv_idx in np.ndindex(2, 6, 6):
        assert mask[row, q_idx, kv_idx] == (documents[row, q_idx] == documents[row, kv_idx])
    packed = scaled_dot_product_attention(x, x, x, mask & causal_mask(6) if is_causal else mask)
    assert packed.dtype == dtype
    for row, numbers in enumerate(documents):
        for number in set(numbers.tolist()):
            text = x[row][numbers == number]
            alone = scaled_dot_product_attention(text, text, text, is_causal=is_causal)
            found = packed[row][numbers == number]
            assert_allclose(found, alone, rtol=0, atol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("mask", [causal_mask(3), causal_mask(2, 3), padding_mask([1, 2], 3)])
def test_masks_are_boolean(mask):
    assert mask.dtype == np.bool_


def test_one_length_makes_a_mask_for_one_sequence():
    assert_array_equal(padding_mask(2, 3), [[True, True, False]])


def test_padding_mask_broadcasts_to_scores_with_and_without_heads():
    x = draw(2, 4, 3)
    one_head = scaled_dot_product_attention(x, x, x, padding_mask(np.array([4, 2]), 4))
    heads = np.stack([x, 2 * x], axis=1)
    two_heads = scaled_dot_product_attention(
        heads, heads, heads, padding_mask(np.array([[4], [2]]), 4)
    )
    assert_array_equal(two_heads[:, 0], one_head)
    alone = scaled_dot_product_attention(x[1], x[1, :2], x[1, :2])
    assert_allclose(one_head[1], alone)


def test_masks_combine():
    both = causal_mask(3) & padding_mask(np.array([3, 1]), 3)
    assert_array_equal(both[0], causal_mask(3))
    assert_array_equal(both[1], [[1, 0, 0], [1, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize("lengths", [[4], [-1, 2], [[3], [7]]])
def test_a_length_that_cannot_be_is_refused(lengths):
    with pytest.raises(ValueError, match="not all between 0 and 3") as error:
        padding_mask(np.array(lengths), 3)
    assert str(error.value) == f"lengths {lengths} are not all between 0 and 3"


@pytest.mark.parametrize("n", [1, 4, 7])
@pytest.mark.parametrize("window", [1, 2, 3, 9])
@pytest.mark.parametrize("num_sinks", [0, 1, 2, 9])
def test_a_window_lets_attend_to_its_tokens_and_the_sinks(n, window, num_sinks):
    mask = window_mask(n, window, num_sinks)
    for i, j in np.ndindex(n, n):
        assert mask[i, j] == (j <= i and (i - j < window or j < num_sinks))


@pytest.mark.parametrize("arguments", [(0, 0), (1, -1)])
def test_a_window_of_nothing_is_refused(arguments):
    with pytest.raises(
        ValueError, match="^window {} must be at least 1, num_sinks {}".format(*arguments)
    ):
        window_mask(3, *arguments)


# What is added to the scores


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_truths_become_zero_and_minus_infinity(dtype):
    mask = additive_mask(np.array([[True, False]]), (5, 3, 2), dtype)
    assert_array_equal(mask, [[0, -np.inf]])
    assert mask.dtype == dtype


def test_a_mask_of_floats_is_kept_in_the_scores_dtype():
    mask = additive_mask(np.array([[0.5], [-np.inf]]), (2, 4), np.float32)
    assert_array_equal(mask, [[0.5], [-np.inf]])
    assert mask.dtype == np.float32
