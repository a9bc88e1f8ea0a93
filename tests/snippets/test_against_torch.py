"""PyTorch as a witness, where it is installed: the same numbers for the same input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.bounded_scores import soft_cap
from snippets.feed_forward import gelu, relu
from snippets.flex_attention import flex_attention
from snippets.grouped_heads import grouped_query_attention
from snippets.layer_norm import layer_norm
from snippets.masks import causal_mask, padding_mask
from snippets.multi_head import MultiHeadWeights, multi_head_attention
from snippets.patches import to_patches
from snippets.projection import project
from snippets.rms_norm import rms_norm
from snippets.rotary import alibi_slopes
from snippets.softmax import softmax
from snippets.swiglu import swish
from snippets.torch_random import TorchRandom
from snippets.transformer_block import BlockWeights, transformer_block

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


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kv_heads", [1, 2, 6])
def test_grouped_heads_agree(kv_heads, dtype):
    rng = np.random.default_rng(0)
    query, key, value = (
        rng.normal(size=(2, heads, 5, 4)).astype(dtype) for heads in (6, kv_heads, kv_heads)
    )
    expected = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (query, key, value)), is_causal=True, enable_gqa=True
    )
    output = grouped_query_attention(query, key, value, is_causal=True)
    assert_allclose(output, expected.numpy(), rtol=DTYPES[dtype], atol=DTYPES[dtype])


def test_the_lower_right_triangle_is_the_last_rows():
    rng = np.random.default_rng(0)
    query, key, value = (rng.normal(size=(1, 2, count, 4)) for count in (2, 5, 5))
    tensors = [torch.from_numpy(x) for x in (query, key, value)]
    lower_right = pytest.importorskip("torch.nn.attention.bias").causal_lower_right(2, 5)
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors, lower_right)
    output = scaled_dot_product_attention(query, key, value, causal_mask(5)[-2:])
    assert_allclose(output, expected.numpy(), atol=1e-13)


SLOPES = alibi_slopes(4)


def where(library):
    """Make functions on scores that read the same for both libraries."""
    slopes = SLOPES if library is np else torch.from_numpy(SLOPES)
    cap = soft_cap if library is np else lambda score, cap: cap * torch.tanh(score / cap)

    def causal(score, _b, _h, q_idx, kv_idx):
        return library.where(q_idx >= kv_idx, score, -np.inf)

    def alibi(score, _b, h, q_idx, kv_idx):
        biased = score - slopes[h] * (q_idx - kv_idx)
        return library.where(q_idx >= kv_idx, biased, -np.inf)

    def capped(score, *place):
        return causal(cap(score, 2.0), *place)

    return {"causal": causal, "alibi": alibi, "capped": capped}


@pytest.mark.filterwarnings("ignore")  # that it is slow without torch.compile
@pytest.mark.parametrize("name", ["causal", "alibi", "capped"])
def test_flex_attention_agrees(name):
    module = pytest.importorskip("torch.nn.attention.flex_attention")
    rng = np.random.default_rng(0)
    query, key, value = (rng.normal(size=(2, 4, 6, 8)) for _ in range(3))
    expected = module.flex_attention(
        *map(torch.from_numpy, (query, key, value)), score_mod=where(torch)[name]
    )
    output = flex_attention(query, key, value, where(np)[name])
    assert_allclose(output, expected.numpy(), atol=1e-13)


# Layers: weights are drawn again, because PyTorch starts biases at 0 and gains at 1


def numpy(tensor):
    return tensor.detach().numpy()


def redraw(layer):
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    return layer.double()


def multi_head_weights(layer):
    """Take the weights out of torch.nn.MultiheadAttention."""
    if layer.in_proj_weight is None:
        maps = [layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight]
    else:
        maps = torch.chunk(layer.in_proj_weight, 3)
    matrices = [numpy(x).T for x in (*maps, layer.out_proj.weight)]
    if layer.in_proj_bias is None:
        return MultiHeadWeights(*matrices)
    biases = (*torch.chunk(layer.in_proj_bias, 3), layer.out_proj.bias)
    return MultiHeadWeights(*matrices, *(numpy(x) for x in biases))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("mask", [None, "bool", "float", "causal", "padding"])
def test_multi_head_attention_agrees(mask, bias):
    torch.manual_seed(0)
    layer = redraw(torch.nn.MultiheadAttention(12, 3, bias=bias, batch_first=True))
    query, memory = torch.randn(2, 5, 12).double(), torch.randn(2, 7, 12).double()
    allowed = torch.rand(5, 7) < 0.6
    allowed[:, 0] = True
    bent = torch.randn(5, 7).double()
    lengths = np.array([7, 4])
    # PyTorch's boolean masks for this layer say True where one may NOT attend
    ours, theirs = {
        None: ({}, {}),
        "bool": ({"attn_mask": numpy(allowed)}, {"attn_mask": ~allowed}),
        "float": ({"attn_mask": numpy(bent)}, {"attn_mask": bent}),
        "causal": (
            {"is_causal": True},
            {"attn_mask": ~torch.from_numpy(causal_mask(5, 7)), "is_causal": True},
        ),
        "padding": (
            {"attn_mask": padding_mask(lengths[:, np.newaxis], 7)},
            {"key_padding_mask": ~torch.from_numpy(padding_mask(lengths, 7)[:, 0])},
        ),
    }[mask]
    expected = layer(query, memory, memory, average_attn_weights=False, **theirs)
    output = multi_head_attention(
        numpy(query),
        numpy(memory),
        numpy(memory),
        multi_head_weights(layer),
        3,
        return_weights=True,
        **ours,
    )
    for actual, wanted in zip(output, expected, strict=True):
        assert_allclose(actual, numpy(wanted), atol=1e-12)


def test_rows_of_the_stacked_weights_are_queries_then_keys_then_values():
    torch.manual_seed(0)
    layer = redraw(torch.nn.MultiheadAttention(12, 3, bias=False))
    x = torch.randn(5, 2, 12).double()  # (L, N, E): batch_first is False by default
    expected, averaged = layer(x, x, x)
    stacked = numpy(layer.in_proj_weight)
    matrices = (stacked[:12].T, stacked[12:24].T, stacked[24:].T, numpy(layer.out_proj.weight).T)
    tokens = numpy(x).swapaxes(0, 1)
    output, alpha = multi_head_attention(
        tokens, tokens, tokens, MultiHeadWeights(*matrices), 3, return_weights=True
    )
    assert_allclose(output.swapaxes(0, 1), numpy(expected), atol=1e-12)
    assert_allclose(alpha.mean(axis=1), numpy(averaged), atol=1e-12)


def test_a_projection_of_patches_is_a_convolution_that_does_not_overlap():
    torch.manual_seed(0)
    layer = redraw(torch.nn.Conv2d(3, 10, kernel_size=4, stride=4))
    image = torch.randn(2, 3, 8, 12).double()  # channels before height and width
    expected = numpy(layer(image)).reshape(2, 10, 6).swapaxes(1, 2)
    kernel = numpy(layer.weight).transpose(2, 3, 1, 0).reshape(4 * 4 * 3, 10)
    patches = to_patches(numpy(image).transpose(0, 2, 3, 1), 4)
    assert_allclose(project(patches, kernel, numpy(layer.bias)), expected, atol=1e-12)


def test_dropout_of_the_function_acts_outside_training():
    ones = torch.ones(1, 1, 4, 100)
    attend = torch.nn.functional.scaled_dot_product_attention
    with torch.no_grad():
        assert_allclose(attend(ones, ones, ones).numpy(), 1, rtol=1e-5)
        assert (attend(ones, ones, ones, dropout_p=0.5) - 1).abs().max() > 0.1


def test_keys_and_values_of_other_widths_agree():
    torch.manual_seed(0)
    layer = redraw(torch.nn.MultiheadAttention(12, 3, kdim=5, vdim=8, batch_first=True))
    arrays = [torch.randn(2, *shape).double() for shape in [(4, 12), (6, 5), (6, 8)]]
    expected, _ = layer(*arrays)
    output = multi_head_attention(*map(numpy, arrays), multi_head_weights(layer), 3)
    assert_allclose(output, numpy(expected), atol=1e-12)


def test_swish_and_rms_norm_agree():
    x = np.linspace(-20, 20, 2001).reshape(3, 667)
    gain = np.linspace(0.5, 2, 667)
    assert_allclose(swish(x), torch.nn.functional.silu(torch.from_numpy(x)).numpy(), atol=1e-13)
    expected = torch.nn.functional.rms_norm(
        torch.from_numpy(x), (667,), torch.from_numpy(gain), eps=1e-6
    )
    assert_allclose(rms_norm(x, gain, 1e-6), expected.numpy(), atol=1e-12)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_gelu_agrees(dtype, approximate):
    x = np.linspace(-20, 20, 2001).astype(dtype)
    expected = torch.nn.functional.gelu(torch.from_numpy(x), approximate=approximate).numpy()
    assert_allclose(gelu(x, approximate), expected, rtol=0, atol=DTYPES[dtype])


@pytest.mark.parametrize("eps", [1e-5, 1e-12, 0.1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_layer_norm_agrees(dtype, eps):
    rng = np.random.default_rng(0)
    x, gain, bias = (rng.normal(3, 2, shape).astype(dtype) for shape in [(2, 5, 8), (8,), (8,)])
    expected = torch.nn.functional.layer_norm(
        torch.from_numpy(x), (8,), torch.from_numpy(gain), torch.from_numpy(bias), eps
    ).numpy()
    output = layer_norm(x, gain, bias, eps)
    assert output.dtype == expected.dtype
    assert_allclose(output, expected, rtol=DTYPES[dtype], atol=DTYPES[dtype])


@pytest.mark.parametrize("eps", [1e-5, 0.1])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("activation", [relu, gelu])
@pytest.mark.parametrize("norm_first", [False, True])
def test_transformer_block_agrees(norm_first, activation, is_causal, eps):
    torch.manual_seed(0)
    layer = redraw(
        torch.nn.TransformerEncoderLayer(
            *(12, 3, 20),
            dropout=0.0,
            activation=activation.__name__,
            layer_norm_eps=eps,
            batch_first=True,
            norm_first=norm_first,
        )
    )
    x = torch.randn(2, 5, 12).double()
    mask = torch.nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
    expected = layer(x, src_mask=mask if is_causal else None, is_causal=is_causal)
    weights = BlockWeights(
        multi_head_weights(layer.self_attn),
        *(numpy(layer.linear1.weight).T, numpy(layer.linear1.bias)),
        *(numpy(layer.linear2.weight).T, numpy(layer.linear2.bias)),
        *(numpy(layer.norm1.weight), numpy(layer.norm1.bias)),
        *(numpy(layer.norm2.weight), numpy(layer.norm2.bias)),
    )
    output = transformer_block(
        numpy(x),
        weights,
        3,
        norm_first=norm_first,
        is_causal=is_causal,
        activation=activation,
        eps=eps,
    )
    assert_allclose(output, numpy(expected), atol=1e-11)
