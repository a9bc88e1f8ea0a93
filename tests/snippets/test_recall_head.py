"""The head that learns the recall task, against sums written out; its gradients: test_backward."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.recall_head import (
    HeadWeights,
    accuracy,
    answer_scores,
    first_weights,
    loss_and_gradients,
    train,
)

SCALES = [(None, 1 / np.sqrt(3)), (1.0, 1.0), (0.2, 0.2)]


@pytest.fixture
def case():
    """Weights with d_model = 6, d_k = 3, d_v = 4, and five sequences of seven tokens."""
    rng = np.random.default_rng(0)
    weights = HeadWeights(*(2 * rng.normal(size=(6, width)) for width in (3, 3, 4)))
    return weights, rng.normal(size=(5, 7, 6)), rng.integers(4, size=5)


def read_by_hand(weights, tokens, scale):
    q = tokens[-1] @ weights.W_Q
    powers = [np.exp(scale * (q @ (token @ weights.W_K))) for token in tokens]
    return sum(p / sum(powers) * (x @ weights.W_V) for p, x in zip(powers, tokens, strict=True))


@pytest.mark.parametrize(("given", "scale"), SCALES)
def test_the_last_token_reads_from_all(case, given, scale):
    weights, X, _ = case
    expected = [read_by_hand(weights, tokens, scale) for tokens in X]
    assert_allclose(answer_scores(weights, X, given), expected, rtol=1e-12)
    assert_allclose(answer_scores(weights, X[0], given), expected[0], rtol=1e-12)


@pytest.mark.parametrize(("given", "scale"), SCALES)
def test_the_loss_is_how_unlikely_the_answers_were(case, given, scale):
    weights, X, answer = case
    scores = np.array([read_by_hand(weights, tokens, scale) for tokens in X])
    probabilities = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    expected = -np.log(probabilities[range(5), answer]).mean()
    assert_allclose(loss_and_gradients(weights, X, answer, given)[0], expected, rtol=1e-12)


@pytest.mark.parametrize("scale", [None, 0.2])
def test_each_step_moves_the_weights_against_the_gradient_of_a_new_batch(case, scale):
    weights, X, answer = case
    batches = [(X, answer), (X[:2], answer[:2])]
    waiting = iter(batches)
    # Adam's first step has the length of the learning rate; the second is given below.
    after, losses = train(weights, lambda: next(waiting), 1, lr=0.01, scale=scale)
    loss, gradients = loss_and_gradients(weights, X, answer, scale)
    assert losses.shape == (1,)
    assert_allclose(losses[0], loss)
    for before, now, gradient in zip(weights, after, gradients, strict=True):
        assert_allclose(now - before, -0.01 * np.sign(gradient), rtol=1e-4)

    waiting = iter(batches)
    last, losses = train(weights, lambda: next(waiting), 2, lr=0.01, scale=scale)
    loss, second = loss_and_gradients(after, *batches[1], scale)
    assert_allclose(losses[1], loss)
    for before, now, g_1, g_2 in zip(after, last, gradients, second, strict=True):
        mean = (0.9 * 0.1 * g_1 + 0.1 * g_2) / (1 - 0.9**2)
        square = (0.999 * 0.001 * g_1**2 + 0.001 * g_2**2) / (1 - 0.999**2)
        assert_allclose(now - before, -0.01 * mean / (np.sqrt(square) + 1e-8), rtol=1e-9)


def test_the_learning_rate_is_0_03_by_default(case):
    weights, X, answer = case
    default, explicit = (
        train(weights, lambda: (X, answer), 3, **options)[0] for options in ({}, {"lr": 0.03})
    )
    assert_array_equal(default.W_V, explicit.W_V)


@pytest.mark.parametrize(("scale", "digit"), [(None, 0), (2.0, 0), (0.3, 1), (0.0, 1)])
def test_the_answer_is_the_digit_with_the_highest_score(scale, digit):
    """One token speaks for 0 and fits best, two speak for 1: the scale decides who wins."""
    weights = HeadWeights(np.eye(3)[:, :1] * 4, np.eye(3)[:, :1], np.eye(3)[:, 1:])
    tokens = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.1], [0.5, 0.0, 0.6]])
    answer = np.array([digit, digit, 1 - digit, digit])
    assert accuracy(weights, np.stack([tokens] * 4), answer, scale) == 0.75


def test_weights_begin_small():
    W_Q, W_K, W_V = first_weights(np.random.default_rng(0), 400, 50, 100)
    assert (W_Q.shape, W_K.shape, W_V.shape) == ((400, 50), (400, 50), (400, 100))
    for weight in (W_Q, W_K, W_V):
        assert_allclose(weight.var(), 1 / 400, rtol=0.05)
        assert abs(weight.mean()) < 0.002
    assert not np.array_equal(W_Q, W_K)
