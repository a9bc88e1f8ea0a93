"""Every gradient against a difference quotient, of a loss that weighs all outputs differently."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.backward import (
    multi_head_attention_backward,
    project_backward,
    scaled_dot_product_attention_backward,
    softmax_backward,
)
from snippets.difference_quotient import difference_quotient
from snippets.multi_head import MultiHeadWeights, multi_head_attention
from snippets.projection import project
from snippets.recall_head import HeadWeights, first_weights, loss_and_gradients
from snippets.recall_task import recall_batch
from snippets.softmax import softmax

CLOSE = {"rtol": 1e-7, "atol": 1e-9}


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def test_the_difference_quotient_knows_a_gradient():
    x = numbers(2, 3)
    quotient = difference_quotient(lambda x: float((x**3).sum()), x)
    assert_allclose(quotient, 3 * x**2, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)])
def test_softmax(shape):
    x, g = numbers(*shape), numbers(*shape, seed=1)
    quotient = difference_quotient(lambda x: float((softmax(x) * g).sum()), x)
    assert_allclose(softmax_backward(g, softmax(x)), quotient, **CLOSE)


def test_softmax_is_its_jacobian_times_the_gradient():
    alpha, g = softmax(numbers(5)), numbers(5, seed=1)
    assert_allclose(softmax_backward(g, alpha), (np.diag(alpha) - np.outer(alpha, alpha)) @ g)


def test_softmax_refuses_another_shape():
    with pytest.raises(ValueError, match=r"dL_dalpha \(2, 3\) and alpha \(3,\)"):
        softmax_backward(np.ones((2, 3)), np.ones(3))


@pytest.mark.parametrize(
    ("query", "key", "value"),
    [
        ((3, 2), (4, 2), (4, 5)),
        ((2, 3, 2), (2, 4, 2), (2, 4, 5)),
        ((2, 2, 3, 2), (2, 2, 4, 2), (2, 2, 4, 3)),
        ((2, 3, 2), (4, 2), (4, 5)),  # keys and values shared by all sequences
        ((2, 3, 3, 2), (2, 1, 4, 2), (2, 1, 4, 3)),  # … or by all heads
    ],
)
@pytest.mark.parametrize("masked", ["not", "boolean", "float", "causal"])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_attention(query, key, value, masked, scale):
    inputs = [numbers(*query), numbers(*key, seed=1), numbers(*value, seed=2)]
    mask = np.array([[True, False, True, True], [True] * 4, [False, False, True, False]])
    options = {
        "not": {},
        "boolean": {"attn_mask": mask},
        "float": {"attn_mask": numbers(3, 4, seed=3)},
        "causal": {"is_causal": True},
    }[masked] | {"scale": scale}
    g = numbers(*scaled_dot_product_attention(*inputs).shape, seed=4)
    gradients = scaled_dot_product_attention_backward(g, *inputs, **options)
    for i, gradient in enumerate(gradients):

        def loss(x, i=i):
            changed = [*inputs[:i], x, *inputs[i + 1 :]]
            return float((scaled_dot_product_attention(*changed, **options) * g).sum())

        assert gradient.shape == inputs[i].shape
        assert_allclose(gradient, difference_quotient(loss, inputs[i]), **CLOSE)


def test_a_row_that_is_all_masked_has_no_gradient():
    Q, K, V = numbers(2, 3), numbers(4, 3, seed=1), numbers(4, 2, seed=2)
    mask = np.array([[False] * 4, [True, True, False, False]])
    dQ, dK, dV = scaled_dot_product_attention_backward(np.ones((2, 2)), Q, K, V, mask)
    assert_array_equal(dQ[0], 0)
    assert dQ[1].all()
    for gradient in (dK, dV):
        assert_array_equal(gradient[2:], 0)
        assert gradient[:2].all()


def test_huge_scores_have_no_gradient_but_a_finite_one():
    Q, K, V = 1e4 * numbers(3, 4), 1e4 * numbers(5, 4, seed=1), numbers(5, 2, seed=2)
    dQ, dK, dV = scaled_dot_product_attention_backward(np.ones((3, 2)), Q, K, V)
    assert_array_equal(dQ, 0)
    assert_array_equal(dK, 0)
    assert_allclose(dV.sum(axis=0), 3)  # each row hands its gradient to one value


def test_floats_keep_their_dtype():
    Q, K, V = (numbers(3, 2, seed=i).astype(np.float32) for i in range(3))
    gradients = scaled_dot_product_attention_backward(np.ones((3, 2), np.float32), Q, K, V)
    assert {gradient.dtype for gradient in gradients} == {np.dtype(np.float32)}


def test_attention_refuses_a_gradient_of_another_shape():
    one = np.ones((2, 3))
    with pytest.raises(ValueError, match=r"dL_doutput \(2, 2\) and output \(2, 3\)"):
        scaled_dot_product_attention_backward(np.ones((2, 2)), one, one, one)


@pytest.mark.parametrize("lead", [(), (4,), (2, 4)])
def test_projection(lead):
    x, weight, bias = numbers(*lead, 3), numbers(3, 2, seed=1), numbers(2, seed=2)
    g = numbers(*lead, 2, seed=3)
    dx, dweight, dbias = project_backward(g, x, weight)

    def loss(x, weight, bias):
        return float((project(x, weight, bias) * g).sum())

    assert_allclose(dx, difference_quotient(lambda x: loss(x, weight, bias), x), **CLOSE)
    assert_allclose(dweight, difference_quotient(lambda w: loss(x, w, bias), weight), **CLOSE)
    assert_allclose(dbias, difference_quotient(lambda b: loss(x, weight, b), bias), **CLOSE)


@pytest.mark.parametrize(
    ("g", "x", "weight"),
    [((4, 3), (4, 3), (3, 2)), ((5, 2), (4, 3), (3, 2)), ((4, 2), (4, 2), (3, 2))],
)
def test_projection_refuses_what_does_not_fit(g, x, weight):
    with pytest.raises(ValueError, match=r"are not \(\.\.\., n, d_out\)"):
        project_backward(np.ones(g), np.ones(x), np.ones(weight))


@pytest.mark.parametrize("num_heads", [1, 2, 4])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("masked", ["not", "boolean", "float", "causal"])
def test_multi_head_attention(num_heads, biased, masked):
    options = {
        "not": {},
        "boolean": {"attn_mask": np.tri(3, 5, 2, dtype=bool)},
        "float": {"attn_mask": numbers(num_heads, 3, 5, seed=9)},
        "causal": {"is_causal": True},
    }[masked]
    query, key, value = numbers(2, 3, 4), numbers(2, 5, 4, seed=1), numbers(2, 5, 4, seed=2)
    matrices = [numbers(4, width, seed=3 + i) for i, width in enumerate((8, 8, 12))]
    matrices.append(numbers(12, 4, seed=6))
    biases = [numbers(matrix.shape[1], seed=7) for matrix in matrices] if biased else [None] * 4
    weights = MultiHeadWeights(*matrices, *biases)
    g = numbers(2, 3, 4, seed=8)
    gradients = multi_head_attention_backward(g, query, key, value, weights, num_heads, **options)

    def loss(**changed):
        inputs = {"query": query, "key": key, "value": value}
        inputs |= {name: x for name, x in changed.items() if name in inputs}
        learned = weights._replace(**{n: x for n, x in changed.items() if n not in inputs})
        output = multi_head_attention(**inputs, weights=learned, num_heads=num_heads, **options)
        return float((output * g).sum())

    for name, x in (("query", query), ("key", key), ("value", value)):
        quotient = difference_quotient(lambda x, name=name: loss(**{name: x}), x)
        assert_allclose(getattr(gradients, f"dL_d{name}"), quotient, **CLOSE)
    for name, x in weights._asdict().items():
        gradient = getattr(gradients.dL_dweights, name)
        if x is None:
            assert gradient is None
        else:
            quotient = difference_quotient(lambda x, name=name: loss(**{name: x}), x)
            assert_allclose(gradient, quotient, err_msg=name, **CLOSE)


def test_a_bias_on_the_keys_has_no_gradient():
    x = numbers(5, 4)
    square = [numbers(4, 4, seed=1 + i) for i in range(4)]
    weights = MultiHeadWeights(*square, b_K=numbers(4, seed=9))
    gradients = multi_head_attention_backward(numbers(5, 4, seed=8), x, x, x, weights, 2)
    assert_allclose(gradients.dL_dweights.b_K, 0, atol=1e-14)


@pytest.mark.parametrize("scale", [None, 1.5])
def test_the_recall_head(scale):
    rng = np.random.default_rng(0)
    weights, (X, answer) = first_weights(rng, 18, 4, 10), recall_batch(rng, 6)
    _, gradients = loss_and_gradients(weights, X, answer, scale)
    for name in HeadWeights._fields:

        def loss(x, name=name):
            return loss_and_gradients(weights._replace(**{name: x}), X, answer, scale)[0]

        quotient = difference_quotient(loss, getattr(weights, name))
        assert_allclose(getattr(gradients, name), quotient, err_msg=name, **CLOSE)


@pytest.mark.parametrize("masked", [False, True])
def test_equals_pytorch(masked):
    torch = pytest.importorskip("torch")
    inputs = [numbers(2, 3, 4), numbers(2, 5, 4, seed=1), numbers(2, 5, 2, seed=2)]
    mask = numbers(3, 5) > -0.5 if masked else None
    g = numbers(2, 3, 2, seed=4)
    tensors = [torch.tensor(x, requires_grad=True) for x in inputs]
    torch_mask = None if mask is None else torch.tensor(mask)
    torch.nn.functional.scaled_dot_product_attention(*tensors, torch_mask).backward(torch.tensor(g))
    gradients = scaled_dot_product_attention_backward(g, *inputs, mask)
    for gradient, tensor in zip(gradients, tensors, strict=True):
        assert_allclose(gradient, tensor.grad.numpy(), rtol=1e-10, atol=1e-12)
