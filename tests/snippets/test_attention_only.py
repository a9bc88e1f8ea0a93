import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention_only import (
    first_weights,
    loss_and_gradients,
    next_token_logits,
    run,
    without_head,
)
from snippets.difference_quotient import difference_quotient
from snippets.weight_vector import parameters_to_vector, vector_to_parameters

NUMBERS = np.array([[0, 3, 1, 4, 1], [0, 2, 2, 3, 0]])


@pytest.fixture
def small():
    return first_weights(np.random.default_rng(0), c=5, n_max=6, d_model=4, num_layers=2)


def by_hand(weights, numbers, heads):
    """Token by token; `heads` are the pairs (layer, head) that are there."""
    x = [weights.E[number] + weights.positions[i] for i, number in enumerate(numbers)]
    for index, layer in enumerate(weights.layers):
        added = [np.zeros(4) for _ in x]
        for head in range(2):
            if (index, head) not in heads:
                continue
            part = slice(2 * head, 2 * head + 2)
            for i, token in enumerate(x):
                q = token @ layer.W_Q[:, part]
                powers = np.exp([q @ (t @ layer.W_K[:, part]) / np.sqrt(2) for t in x[: i + 1]])
                read = sum(p * (t @ layer.W_V[:, part]) for p, t in zip(powers, x, strict=False))
                added[i] = added[i] + read / powers.sum() @ layer.W_O[part]
        x = [token + more for token, more in zip(x, added, strict=True)]
    return np.array(x) @ weights.U


ALL = [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_the_logits_are_those_of_the_steps_written_out(small):
    expected = [by_hand(small, row, ALL) for row in NUMBERS]
    assert_allclose(next_token_logits(small, NUMBERS, 2), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("gone", ALL)
def test_without_a_head_the_others_stay(small, gone):
    less = without_head(small, *gone, num_heads=2)
    expected = by_hand(small, NUMBERS[0], [pair for pair in ALL if pair != gone])
    assert_allclose(next_token_logits(less, NUMBERS[0], 2), expected, rtol=1e-10, atol=1e-12)
    assert small.layers[gone[0]].W_O.all()  # what was given is left as it was


@pytest.mark.parametrize("head", [(-1, 0), (2, 0), (0, -1), (0, 2)])
def test_a_head_that_is_not_there_cannot_go(small, head):
    with pytest.raises(ValueError, match="no such head"):
        without_head(small, *head, num_heads=2)


def test_every_gradient_is_a_difference_quotient(small):
    loss, gradients = loss_and_gradients(small, NUMBERS, 2)
    quotient = difference_quotient(
        lambda vector: loss_and_gradients(vector_to_parameters(vector, like=small), NUMBERS, 2)[0],
        parameters_to_vector(small),
    )
    assert_allclose(parameters_to_vector(gradients), quotient, rtol=1e-6, atol=1e-9)
    logits = np.array([by_hand(small, row, ALL) for row in NUMBERS[:, :-1]])
    p = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    right = np.take_along_axis(p, NUMBERS[:, 1:, np.newaxis], axis=-1)
    assert_allclose(loss, -np.log(right).mean(), rtol=1e-12)


def test_states_and_weights_of_each_layer_are_kept(small):
    states, alpha = run(small, NUMBERS, 2)
    assert [x.shape for x in states] == [(2, 5, 4)] * 3
    assert [read.shape for read in alpha] == [(2, 2, 5, 5)] * 2
    assert_array_equal(states[0], small.E[NUMBERS] + small.positions[:5])
    for read in alpha:
        assert_allclose(read.sum(axis=-1), 1)
        assert_array_equal(np.triu(read, 1), 0)


def test_weights_begin_as_they_should():
    weights = first_weights(np.random.default_rng(0), 300, 200, 64, num_layers=1)
    assert_allclose([weights.E.std(), weights.positions.std()], 0.3, rtol=0.05)
    for matrix in (*weights.layers[0][:4], weights.U):
        assert_allclose(matrix.var(), 1 / 64, rtol=0.1)


def test_too_many_tokens_are_refused(small):
    with pytest.raises(ValueError, match=r"numbers \(7,\): more than 6 tokens"):
        run(small, np.zeros(7, int), 2)
