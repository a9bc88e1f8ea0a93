"""The gradients of a block against difference quotients, of a loss that weighs all differently."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from snippets.block_backward import (
    feed_forward_backward,
    layer_norm_backward,
    transformer_block_backward,
)
from snippets.difference_quotient import difference_quotient
from snippets.feed_forward import feed_forward
from snippets.layer_norm import layer_norm
from snippets.multi_head import MultiHeadWeights
from snippets.transformer_block import BlockWeights, transformer_block
from snippets.weight_vector import parameters_to_vector, vector_to_parameters

CLOSE = {"rtol": 1e-6, "atol": 1e-8}


def numbers(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).normal(size=shape)


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)])
@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_layer_norm(shape, eps):
    inputs, g = (numbers(*shape), numbers(4, seed=1), numbers(4, seed=2)), numbers(*shape, seed=3)
    gradients = layer_norm_backward(g, *inputs[:2], eps)
    for i, gradient in enumerate(gradients):

        def loss(x, i=i):
            return (layer_norm(*inputs[:i], x, *inputs[i + 1 :], eps) * g).sum()

        assert_allclose(gradient, difference_quotient(loss, inputs[i]), **CLOSE)


@pytest.mark.parametrize("lead", [(), (3,), (2, 3)])
def test_feed_forward(lead):
    inputs = [numbers(*lead, 4), numbers(4, 6, seed=1), numbers(6, seed=2)]
    inputs += [numbers(6, 4, seed=3), numbers(4, seed=4)]
    g = numbers(*lead, 4, seed=5)
    gradients = feed_forward_backward(g, *inputs[:4])
    for i, gradient in enumerate(gradients):

        def loss(x, i=i):
            return (feed_forward(*inputs[:i], x, *inputs[i + 1 :]) * g).sum()

        assert_allclose(gradient, difference_quotient(loss, inputs[i]), **CLOSE)


@pytest.mark.parametrize("lead", [(), (2,)])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_block(lead, is_causal, biased):
    d, d_ff = 4, 6
    biases = [numbers(d, seed=10 + i) for i in range(4)] if biased else [None] * 4
    attention = MultiHeadWeights(*(numbers(d, d, seed=i) for i in range(4)), *biases)
    weights = BlockWeights(
        attention, numbers(d, d_ff, seed=4), numbers(d_ff), numbers(d_ff, d), numbers(d, seed=5),
        *(numbers(d, seed=6 + i) for i in range(4)),
    )  # fmt: skip
    x, g = numbers(*lead, 3, d), numbers(*lead, 3, d, seed=1)

    def loss(x, weights):
        options = {"norm_first": True, "is_causal": is_causal, "eps": 0.1}
        return (transformer_block(x, weights, 2, **options) * g).sum()

    dx, dweights = transformer_block_backward(g, x, weights, 2, is_causal=is_causal, eps=0.1)
    assert_allclose(dx, difference_quotient(lambda x: loss(x, weights), x), **CLOSE)
    quotient = difference_quotient(
        lambda vector: loss(x, vector_to_parameters(vector, like=weights)),
        parameters_to_vector(weights),
    )
    assert_allclose(parameters_to_vector(dweights), quotient, **CLOSE)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"dL_doutput \(2, 4\), x \(3, 4\) and gain \(4,\)"):
        layer_norm_backward(numbers(2, 4), numbers(3, 4), numbers(4))
    with pytest.raises(ValueError, match=r"x \(3, 4\) and gain \(3,\)"):
        layer_norm_backward(numbers(3, 4), numbers(3, 4), numbers(3))
