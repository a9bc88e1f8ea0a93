"""PyTorch as a witness, where it is installed: the same numbers for the same input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.projection import project
from snippets.softmax import softmax
from snippets.torch_random import TorchRandom

torch = pytest.importorskip("torch", reason="PyTorch, an optional witness, is not installed")

SEEDS = [0, 7, 42, 123, 1234, 1337]
DTYPES = {np.float16: 2e-3, np.float32: 1e-5, np.float64: 1e-13}


# Random streams


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shape", [(1,), (6, 3), (100, 64), (5000,)])
def test_rand_is_exact(seed, shape):
    torch.manual_seed(seed)
    assert_array_equal(TorchRandom(seed).rand(*shape), torch.rand(*shape).numpy())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("count", [1, 2, 3, 8, 15])
def test_few_normal_numbers_are_exact(seed, count):
    torch.manual_seed(seed)
    assert_array_equal(TorchRandom(seed).randn(count), torch.randn(count).numpy())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shape", [(16,), (17,), (31,), (2, 16), (5, 7), (100, 33)])
def test_many_normal_numbers_agree(seed, shape):
    torch.manual_seed(seed)
    expected = torch.randn(*shape).numpy()
    assert_allclose(TorchRandom(seed).randn(*shape), expected, rtol=0, atol=5e-7)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("in_features", "out_features"), [(3, 2), (64, 16), (1, 1), (768, 10)])
def test_linear_agrees(seed, in_features, out_features, bias):
    torch.manual_seed(seed)
    layer = torch.nn.Linear(in_features, out_features, bias=bias)
    x = torch.rand(5, in_features)
    random = TorchRandom(seed)
    weight, b = random.linear(in_features, out_features, bias=bias)
    assert_allclose(weight, layer.weight.detach().numpy(), rtol=0, atol=1e-7)
    if bias:
        assert_allclose(b, layer.bias.detach().numpy(), rtol=0, atol=1e-7)
    output = project(random.rand(5, in_features), weight.T, b)
    assert_allclose(output, layer(x).detach().numpy(), rtol=0, atol=2e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stream_of_all_kinds_agrees(seed):
    torch.manual_seed(seed)
    random = TorchRandom(seed)
    for count in [3, 20, 1, 16, 4, 15, 100, 5]:
        assert_allclose(random.randn(count), torch.randn(count).numpy(), rtol=0, atol=5e-7)
        assert_array_equal(random.rand(count), torch.rand(count).numpy())


# Softmax and attention


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_softmax_agrees(dtype, axis):
    x = 10 * np.random.default_rng(0).normal(size=(3, 4, 5))
    x[0, 0, 0] = -np.inf
    x = x.astype(dtype)
    expected = torch.softmax(torch.from_numpy(x), dim=axis).numpy()
    assert_allclose(softmax(x, axis), expected, rtol=0, atol=DTYPES[dtype])


SHAPES = [  # batch axes, n, m, d_k, d_v
    ((), 1, 1, 1, 1),
    ((), 4, 4, 8, 8),
    ((), 3, 7, 4, 2),
    ((2,), 7, 3, 5, 6),
    ((2, 3), 5, 5, 16, 16),
    ((2, 1, 3), 6, 2, 4, 9),
    ((1, 4), 40, 50, 64, 64),
]
OPTIONS = {
    "plain": {},
    "scaled": {"scale": 0.3},
    "causal": {"is_causal": True},
    "boolean mask": {"attn_mask": "bool"},
    "float mask": {"attn_mask": "float"},
    "mask of keys": {"attn_mask": "keys"},
    "mask of a batch": {"attn_mask": "batch"},
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_attention_agrees(shape, options, dtype):
    batch, n, m, d_k, d_v = shape
    rng = np.random.default_rng(0)
    query, key, value = (
        rng.normal(size=batch + tail).astype(dtype) for tail in [(n, d_k), (m, d_k), (m, d_v)]
    )
    masks = {
        "bool": rng.random((n, m)) < 0.5,  # some rows may attend to nothing
        "float": rng.normal(size=(n, m)).astype(dtype),
        "keys": np.arange(m)[np.newaxis] < (m + 1) // 2,
        "batch": rng.random((*batch, n, m)) < 0.7,
    }
    mask = masks.get(options.get("attn_mask"))
    ours = options if mask is None else {"attn_mask": mask}
    theirs = options if mask is None else {"attn_mask": torch.from_numpy(mask)}
    expected = torch.nn.functional.scaled_dot_product_attention(
        *(torch.from_numpy(x) for x in (query, key, value)), **theirs
    ).numpy()
    output = scaled_dot_product_attention(query, key, value, **ours)
    assert output.dtype == expected.dtype
    assert_allclose(output, expected, rtol=DTYPES[dtype], atol=DTYPES[dtype])


def test_batch_axes_broadcast_as_in_torch():
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in [(2, 1, 4, 5), (3, 6, 5), (1, 1, 6, 7)]]
    expected = torch.nn.functional.scaled_dot_product_attention(*map(torch.from_numpy, arrays))
    assert_allclose(scaled_dot_product_attention(*arrays), expected.numpy(), atol=1e-13)


def test_multi_head_attention_agrees():
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.rand(3, 5, 8)
    expected, expected_weights = layer(x, x, x, average_attn_weights=False)
    weight, bias, W_O, b_O = (parameter.detach().numpy() for parameter in layer.parameters())
    heads = [
        project(x.numpy(), w.T, b).reshape(3, 5, 2, 4).swapaxes(1, 2)
        for w, b in zip(np.split(weight, 3), np.split(bias, 3), strict=True)
    ]
    output, weights = scaled_dot_product_attention(*heads, return_weights=True)
    output = project(output.swapaxes(1, 2).reshape(3, 5, 8), W_O.T, b_O)
    assert_allclose(weights, expected_weights.detach().numpy(), atol=1e-6)
    assert_allclose(output, expected.detach().numpy(), atol=1e-6)
