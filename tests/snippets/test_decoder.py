"""The decoder: its parts written out, its gradient nudged, its cache compared."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.decoder import (
    empty_cache,
    first_weights,
    hidden_states,
    loss_and_gradients,
    next_token_logits,
    next_token_logits_cached,
)
from snippets.difference_quotient import difference_quotient
from snippets.weight_vector import parameters_to_vector, vector_to_parameters


@pytest.fixture
def small():
    """All weights drawn, so that none is 0 or 1: c = 5, n_max = 4, d_model = 4, two blocks."""
    rng = np.random.default_rng(0)
    weights = first_weights(rng, c=5, n_max=4, d_model=4, d_ff=6, num_blocks=2)
    vector = parameters_to_vector(weights)
    return vector_to_parameters(rng.normal(size=vector.size), like=weights)


def norm(x, gain, bias):
    return gain * (x - x.mean()) / np.sqrt(x.var() + 1e-5) + bias


def logits_by_hand(weights, numbers):
    """Two heads, token by token."""
    x = [weights.E[number] + weights.positions[i] for i, number in enumerate(numbers)]
    for block in weights.blocks:
        read = [norm(t, block.gain_1, block.bias_1) for t in x]
        mixed = []
        for i, token in enumerate(read):
            heads = []
            for part in (slice(0, 2), slice(2, 4)):
                q = token @ block.attention.W_Q[:, part]
                keys = [t @ block.attention.W_K[:, part] for t in read[: i + 1]]
                values = [t @ block.attention.W_V[:, part] for t in read[: i + 1]]
                powers = np.exp([q @ k / np.sqrt(2) for k in keys])
                heads.append(sum(p * v for p, v in zip(powers, values, strict=True)) / sum(powers))
            mixed.append(x[i] + np.concatenate(heads) @ block.attention.W_O)
        x = []
        for t in mixed:
            inner = norm(t, block.gain_2, block.bias_2) @ block.W_1 + block.b_1
            x.append(t + np.maximum(inner, 0) @ block.W_2 + block.b_2)
    return [weights.E @ norm(t, weights.gain, weights.bias) for t in x]


def test_the_logits_are_those_of_the_steps_written_out(small):
    numbers = np.array([[3, 1, 4, 1], [0, 2, 2, 3]])
    expected = [logits_by_hand(small, row) for row in numbers]
    assert_allclose(next_token_logits(small, numbers, 2), expected, rtol=1e-10)
    assert_allclose(next_token_logits(small, numbers[0, :2], 2), expected[0][:2], rtol=1e-10)


def test_every_gradient_is_a_difference_quotient(small):
    numbers = np.array([[3, 1, 4, 1], [0, 2, 2, 3]])
    counted = np.array([[True, True, True], [True, True, False]])
    loss, gradients = loss_and_gradients(small, numbers, 2, counted)
    quotient = difference_quotient(
        lambda vector: loss_and_gradients(
            vector_to_parameters(vector, like=small), numbers, 2, counted
        )[0],
        parameters_to_vector(small),
    )
    assert_allclose(parameters_to_vector(gradients), quotient, rtol=1e-5, atol=1e-8)
    assert not gradients.positions[3].any()  # position 3 is never read
    logits = next_token_logits(small, numbers[:, :-1], 2)[counted]
    log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    target = numbers[:, 1:][counted]
    assert_allclose(loss, -log_p[np.arange(5), target].mean(), rtol=1e-12)


def test_no_later_token_changes_an_earlier_prediction(small):
    numbers = np.array([3, 1, 4, 1])
    before = next_token_logits(small, numbers, 2)
    numbers[3] = 0
    after = next_token_logits(small, numbers, 2)
    assert_allclose(after[:3], before[:3], rtol=1e-12)
    assert abs(after[3] - before[3]).max() > 0.01


@pytest.mark.parametrize("num_heads", [1, 2, 4])
def test_a_cache_changes_nothing(small, num_heads):
    numbers = np.array([3, 1, 4, 1])
    cache = empty_cache(small, num_heads)
    for i, number in enumerate(numbers):
        logits, cache = next_token_logits_cached(small, number, cache, num_heads)
        expected = next_token_logits(small, numbers[: i + 1], num_heads)[-1]
        assert_allclose(logits, expected, rtol=1e-10, atol=1e-12)
        assert cache.length == i + 1
        assert_array_equal(cache.keys[:, :, i + 1 :], 0)
    with pytest.raises(ValueError, match="a cache of 4 tokens has no room"):
        next_token_logits_cached(small, 0, cache, num_heads)


@pytest.mark.parametrize(("dtype", "close"), [(np.float32, 1e-5), (np.float16, 0.05)])
def test_floats_keep_their_dtype(small, dtype, close):
    low = vector_to_parameters(parameters_to_vector(small).astype(dtype), like=small)
    numbers, cache = np.array([3, 1, 4]), empty_cache(low, 2)
    for number in numbers:
        logits, cache = next_token_logits_cached(low, number, cache, 2)
    assert logits.dtype == cache.keys.dtype == next_token_logits(low, numbers, 2).dtype == dtype
    expected = next_token_logits(small, numbers, 2)[-1]
    assert_allclose(logits, expected, atol=close * abs(expected).max())


def test_weights_begin_as_they_should():
    weights = first_weights(np.random.default_rng(0), 300, 200, 64, 256, num_blocks=1)
    block = weights.blocks[0]
    assert_allclose([weights.E.std(), weights.positions.std()], 0.1, rtol=0.05)
    for matrix in (*block.attention[:4], block.W_1, block.W_2):
        assert_allclose(matrix.var(), 1 / len(matrix), rtol=0.1)
    assert not any(b.any() for b in (block.b_1, block.b_2, block.bias_1, block.bias_2))
    assert_array_equal([block.gain_1, block.gain_2, weights.gain], 1)


def test_what_does_not_fit_is_refused(small):
    with pytest.raises(ValueError, match=r"numbers \(5,\): more than 4 tokens"):
        hidden_states(small, np.zeros(5, int), 2)
    for wrong in (-1, 5):
        with pytest.raises(ValueError, match="not between 0 and 4"):
            hidden_states(small, np.array([wrong]), 2)
