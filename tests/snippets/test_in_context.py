"""Held to gradient descent on random problems, and to the matrices of the authors' own code."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.difference_quotient import difference_quotient
from snippets.in_context import DescentWeights, descent_weights, gradient_step, linear_layer
from snippets.linear_attention import linear_attention

rng = np.random.default_rng(0)


def problem(*batch, n=12, d_x=5, d_y=2, asked=3):
    x, q = rng.normal(size=(*batch, n, d_x)), rng.normal(size=(*batch, asked, d_x))
    return x, rng.normal(size=(*batch, n, d_y)), q


def test_the_matrices_are_those_of_their_code():
    """create_weights(2, 1, 4, 0.5, [[[0.3, -0.2]]]) of google-research/self-organising-systems,
    transformers_learn_icl_by_gd/src/data.py at 3d5547c."""
    found = descent_weights(np.array([[0.3], [-0.2]]), rate=0.5, n=4)
    assert_array_equal(found.W_Q, [[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    assert_array_equal(found.W_K, found.W_Q)
    assert_array_equal(found.W_V, [[0, 0, 0.3], [0, 0, -0.2], [0, 0, -1]])
    assert_array_equal(found.W_O, [[0, 0, 0], [0, 0, 0], [0, 0, 0.125]])


def test_a_step_is_against_the_gradient():
    x, y, _ = problem()
    W = rng.normal(size=(5, 2))

    def loss(W):
        return ((x @ W - y) ** 2).sum() / (2 * len(x))

    assert_allclose(gradient_step(x, y, W, 0.3), W - 0.3 * difference_quotient(loss, W), atol=1e-6)


@pytest.mark.parametrize("d_y", [1, 2])
@pytest.mark.parametrize("batch", [(), (200,), (2, 3)])
def test_one_layer_is_one_step_from_any_weights(batch, d_y):
    x, y, q = problem(*batch, d_y=d_y)
    W = rng.normal(size=(5, d_y))
    weights = descent_weights(W, 0.3, 12)
    tokens = np.concatenate([q, -q @ W], axis=-1)
    found = linear_layer(tokens, np.concatenate([x, y], axis=-1), weights)
    assert_array_equal(found[..., :5], q)
    assert_allclose(-found[..., 5:], q @ gradient_step(x, y, W, 0.3), atol=1e-12)


@pytest.mark.parametrize("layers", [2, 5, 20])
def test_as_many_layers_are_as_many_steps(layers):
    x, y, q = problem()
    W = np.zeros((5, 2))
    weights = descent_weights(W, 0.3, 12)
    context = np.concatenate([x, y], axis=-1)
    tokens = np.concatenate([q, np.zeros((3, 2))], axis=-1)
    for _ in range(layers):
        tokens, context = (
            linear_layer(tokens, context, weights),
            linear_layer(context, context, weights),
        )
        W = gradient_step(x, y, W, 0.3)
    assert_allclose(-tokens[:, 5:], q @ W, atol=1e-12)
    assert_allclose(context[:, 5:], y - x @ W, atol=1e-12)


def test_it_is_linear_attention():
    x, y, q = problem(asked=12)
    _, state = linear_attention(x, x, y, scale=1.0)
    assert_allclose(q @ state * 0.3 / 12, q @ gradient_step(x, y, np.zeros((5, 2)), 0.3))


def test_the_delta_rule_takes_a_step_after_each_example():
    x, y, _ = problem()
    _, state = linear_attention(x, x, y, beta=np.full((12, 1), 0.1), scale=1.0)
    W = np.zeros((5, 2))
    for i in range(12):
        W = gradient_step(x[i : i + 1], y[i : i + 1], W, 0.1)
    assert_allclose(state, W)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_less_precision_gives_the_same_up_to_its_rounding(dtype):
    x, y, q = problem()
    weights = descent_weights(np.zeros((5, 2)), 0.3, 12)
    context, tokens = np.hstack([x, y]), np.hstack([q, np.zeros((3, 2))])
    exact = linear_layer(tokens, context, weights)
    found = linear_layer(tokens.astype(dtype), context.astype(dtype), weights)
    assert found.dtype == dtype
    error = abs(found.astype(np.float64) - exact).max()
    assert error <= 8 * np.finfo(dtype).eps * abs(exact).max()
    large = linear_layer(np.full((1, 7), 1e-3, dtype), np.full((4, 7), 2e3, dtype), weights)
    assert np.isfinite(large).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: gradient_step(np.ones((3, 2)), np.ones((4, 1)), np.ones((2, 1)), 0.1),
            r"x \(3, 2\), y \(4, 1\) and W \(2, 1\) are not",
        ),
        (
            lambda: gradient_step(np.ones((3, 2)), np.ones((3, 1)), np.ones((1, 2)), 0.1),
            r"x \(3, 2\), y \(3, 1\) and W \(1, 2\) are not",
        ),
        (lambda: descent_weights(np.ones(2), 0.1, 3), r"W \(2,\) is not"),
        (
            lambda: linear_layer(
                np.ones((1, 2)), np.ones((3, 3)), DescentWeights(*[np.eye(3)] * 4)
            ),
            r"tokens \(1, 2\) and context \(3, 3\) are not \(\.\.\., 3\)",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
