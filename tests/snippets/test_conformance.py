"""The conformance vectors of ONNX, computed with the snippets.

They lie inside the onnx wheel, and the release is pinned: golden files of earlier ones
are wrong. Up to 1.18 the three-dimensional cases split heads without a transpose, up to
1.19 grouped queries met the wrong keys, and up to 1.21 the soft cap came after the mask,
so that masked keys kept some weight.
"""

import math
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from snippets.attention import (
    attention_scores,
    attention_weights,
    scaled_dot_product_attention,
)
from snippets.bounded_scores import soft_cap
from snippets.feed_forward import gelu, relu
from snippets.flex_attention import flex_attention
from snippets.gated_delta import causal_conv, chunked_linear_attention
from snippets.grouped_heads import repeat_heads
from snippets.kv_cache import write_cache
from snippets.layer_norm import layer_norm
from snippets.linear_attention import linear_attention
from snippets.masks import causal_mask, padding_mask
from snippets.multi_head import merge_heads, split_heads
from snippets.quantized_cache import dequantize, quantize, quantize_range, to_e4m3
from snippets.rms_norm import rms_norm
from snippets.rotary import rotate
from snippets.softmax import softmax
from snippets.swiglu import swish

CASES = Path(onnx.__file__).parent / "backend" / "test" / "data" / "node"
# How many cases each operator has, and what their names begin with.
OPERATORS = {
    "Attention": (64, "attention"),
    "Softmax": (7, "softmax"),
    "LayerNormalization": (19, "layer_normalization"),
    "Gelu": (4, "gelu"),
    "Relu": (1, "relu"),
    "TensorScatter": (3, "tensorscatter"),
    "RMSNormalization": (19, "rms_normalization"),
    "Swish": (1, "swish"),
    "LinearAttention": (14, "linear_attention"),
    "CausalConvWithState": (13, "causal_conv_with_state"),
    "RotaryEmbedding": (8, "rotary_embedding"),
    "FlexAttention": (11, "flexattention"),
    "QuantizeLinear": (13, "quantizelinear"),
    "DequantizeLinear": (14, "dequantizelinear"),
    "DynamicQuantizeLinear": (3, "dynamicquantizelinear"),
}


@cache
def cases() -> dict[str, dict[str, Path]]:
    """Find the cases that are one single operator, by operator and name."""
    found: dict[str, dict[str, Path]] = {operator: {} for operator in OPERATORS}
    for operator, (_, prefix) in OPERATORS.items():
        for folder in sorted(CASES.glob(f"test_{prefix}*")):
            nodes = onnx.load(folder / "model.onnx").graph.node
            if [node.op_type for node in nodes] == [operator]:
                found[operator][folder.name.removeprefix("test_")] = folder
    return found


def of(operator: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "folder", cases()[operator].values(), ids=cases()[operator].keys()
    )


def tensors(folder: Path, kind: str) -> Iterator[np.ndarray]:
    data = folder / "test_data_set_0"
    for number in range(len(list(data.glob(f"{kind}_*.pb")))):
        yield numpy_helper.to_array(onnx.load_tensor(data / f"{kind}_{number}.pb"))


def load(folder: Path) -> tuple[dict, dict, dict]:
    """Load inputs and outputs by their names, and the attributes of the operator."""
    (node,) = onnx.load(folder / "model.onnx").graph.node
    inputs = zip(filter(None, node.input), tensors(folder, "input"), strict=True)
    outputs = zip(filter(None, node.output), tensors(folder, "output"), strict=True)
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return dict(inputs), dict(outputs), attributes


def test_the_release_is_the_pinned_one_and_all_cases_are_there():
    assert version("onnx") == "1.22.0"
    counts = {operator: count for operator, (count, _) in OPERATORS.items()}
    assert {operator: len(found) for operator, found in cases().items()} == counts


# Attention


def merged_mask(n, m, past, attn_mask=None, is_causal=0, nonpad_kv_seqlen=None):
    """Make one mask of ONNX's three: boolean if all are, else float."""
    allowed = np.ones((n, m), bool)
    if is_causal:  # query i is behind `past` cached keys
        allowed = allowed & causal_mask(past + n, m)[past:]
    if nonpad_kv_seqlen is not None:
        allowed = allowed & padding_mask(nonpad_kv_seqlen[:, np.newaxis], m)
    if attn_mask is None:
        return allowed
    boolean = attn_mask.dtype == np.bool_
    rest = [(0, 0)] * (attn_mask.ndim - 1) + [(0, m - attn_mask.shape[-1])]
    attn_mask = np.pad(attn_mask, rest, constant_values=False if boolean else -np.inf)
    return allowed & attn_mask if boolean else np.where(allowed, attn_mask, -np.inf)


def onnx_attention(
    Q,
    K,
    V,
    *,
    past_key=None,
    past_value=None,
    q_num_heads=None,
    kv_num_heads=None,
    scale=None,
    softcap=0.0,
    qk_matmul_output_mode=0,
    **masks,
):
    """Say ONNX's Attention in the snippets' words; return all four outputs by name."""
    three_axes = Q.ndim == 3
    if three_axes:
        Q = split_heads(Q, q_num_heads)
        K, V = (split_heads(x, kv_num_heads) for x in (K, V))
    past = 0 if past_key is None else past_key.shape[-2]
    if past:
        K, V = np.concatenate([past_key, K], axis=-2), np.concatenate([past_value, V], axis=-2)
    present = {"present_key": K, "present_value": V}
    K, V = repeat_heads(K, Q.shape[1]), repeat_heads(V, Q.shape[1])
    mask = merged_mask(Q.shape[-2], K.shape[-2], past, **masks)

    scores = attention_scores(Q, K) * (1 / math.sqrt(Q.shape[-1]) if scale is None else scale)
    if softcap:  # scaled_dot_product_attention knows no cap, its parts do
        capped = soft_cap(scores, softcap)
        weights = attention_weights(capped, mask)
        Y = weights @ V
    else:
        capped = scores
        Y, weights = scaled_dot_product_attention(Q, K, V, mask, scale=scale, return_weights=True)
    bias = np.where(mask, 0, -np.inf) if mask.dtype == np.bool_ else mask
    return present | {
        "Y": merge_heads(Y) if three_axes else Y,
        "qk_matmul_output": [scores, capped, capped + bias, weights][qk_matmul_output_mode],
    }


@of("Attention")
def test_attention(folder):
    inputs, expected, attributes = load(folder)
    outputs = onnx_attention(**inputs, **attributes)
    for name, array in expected.items():
        assert outputs[name].shape == array.shape
        tolerance = 2e-3 if array.dtype == np.float16 else 1e-5
        assert_allclose(outputs[name], array, rtol=tolerance, atol=tolerance, err_msg=name)
    assert outputs["Y"].dtype == expected["Y"].dtype


def test_the_attention_cases_hold_every_feature():
    features = {"Y": 0, "present_key": 0, "qk_matmul_output": 0, "attn_mask": 0, "past_key": 0}
    features |= {"nonpad_kv_seqlen": 0, "is_causal": 0, "scale": 0, "softcap": 0, "q_num_heads": 0}
    for folder in cases()["Attention"].values():
        for part in load(folder):
            for name in features.keys() & part.keys():
                features[name] += 1
    assert min(features.values()) >= 1
    assert features["Y"] == 64


# Attention with a function between scores and softmax


def modifier(attributes, name):
    """Make a function of the graph that changes scores or weights, run by ONNX itself."""
    if name not in attributes:
        return None
    graph = attributes[name]
    run = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 26)]))
    return lambda x, *_places: run.run(None, {graph.input[0].name: x})[0]


@of("FlexAttention")
def test_flex_attention(folder):
    inputs, expected, attributes = load(folder)
    output = flex_attention(
        inputs["Q"],
        inputs["K"],
        inputs["V"],
        modifier(attributes, "score_mod"),
        scale=attributes.get("scale"),
        prob_mod=modifier(attributes, "prob_mod"),
    )
    assert output.dtype == expected["Y"].dtype
    tolerance = 2e-3 if output.dtype == np.float16 else 1e-5
    assert_allclose(output, expected["Y"], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("case", "score_mod"),
    [
        (
            "flexattention_causal_mask",
            lambda score, _b, _h, q_idx, kv_idx: np.where(q_idx >= kv_idx, score, -np.inf),
        ),
        (
            "flexattention_relative_positional",
            lambda score, _b, _h, q_idx, kv_idx: score + (q_idx - kv_idx).astype(np.float32),
        ),
        ("flexattention_soft_cap", lambda score, *_places: soft_cap(score, 20.0)),
    ],
)
def test_a_function_of_places_equals_the_graph(case, score_mod):
    inputs, expected, _ = load(cases()["FlexAttention"][case])
    output = flex_attention(inputs["Q"], inputs["K"], inputs["V"], score_mod)
    assert_allclose(output, expected["Y"], rtol=1e-5, atol=1e-5)


# Softmax, layer normalization, activations


@of("Softmax")
def test_softmax(folder):
    inputs, expected, attributes = load(folder)
    output = softmax(inputs["x"], **attributes)
    assert output.dtype == expected["y"].dtype
    assert_allclose(output, expected["y"], rtol=1e-5, atol=1e-7)


@of("LayerNormalization")
def test_layer_norm(folder):
    """Compare Y; the operator's other outputs, mean and 1/root, stay inside layer_norm."""
    inputs, expected, attributes = load(folder)
    X, gain, bias = inputs["X"], inputs["W"], inputs["B"]
    axis = attributes.get("axis", -1) % X.ndim
    # ONNX may normalize over several axes at once: make them one
    rows = X.reshape(*X.shape[:axis], -1)
    output = layer_norm(rows, gain.ravel(), bias.ravel(), attributes.get("epsilon", 1e-5))
    assert output.dtype == expected["Y"].dtype
    assert_allclose(output.reshape(X.shape), expected["Y"], rtol=1e-5, atol=1e-5)


@of("RMSNormalization")
def test_rms_norm(folder):
    inputs, expected, attributes = load(folder)
    X, gain = inputs["X"], inputs["W"]
    axis = attributes.get("axis", -1) % X.ndim
    rows = X.reshape(*X.shape[:axis], -1)  # as above: several axes become one
    output = rms_norm(rows, gain.ravel(), attributes.get("epsilon", 1e-5))
    assert output.dtype == expected["Y"].dtype
    assert_allclose(output.reshape(X.shape), expected["Y"], rtol=1e-5, atol=1e-5)


@of("Swish")
def test_swish(folder):
    inputs, expected, attributes = load(folder)
    output = swish(inputs["x"], attributes["alpha"])
    assert output.dtype == expected["y"].dtype
    assert_allclose(output, expected["y"], rtol=1e-5, atol=1e-6)


@of("Gelu")
def test_gelu(folder):
    inputs, expected, attributes = load(folder)
    output = gelu(inputs["x"], attributes.get("approximate", b"none").decode())
    assert_allclose(output, expected["y"], rtol=1e-5, atol=1e-6)


@of("Relu")
def test_relu(folder):
    inputs, expected, _ = load(folder)
    assert_array_equal(relu(inputs["x"]), expected["y"])


# A cache


@of("TensorScatter")
def test_write_cache(folder):
    inputs, expected, attributes = load(folder)
    circular = attributes.get("mode", b"linear") == b"circular"
    present = [
        write_cache(cache, update, int(start), circular=circular)
        for cache, update, start in zip(
            inputs["past_cache"], inputs["update"], inputs["write_indices"], strict=True
        )
    ]
    assert_array_equal(present, expected["present_cache"])


# Fewer bits


def load_quantized(folder):
    """Load numbers, codes, and the words in which `quantize` says how they share scales."""
    inputs, expected, attributes = load(folder)
    (x, scale, *zero), (y,) = inputs.values(), expected.values()
    zero = zero[0].astype(np.int32) if zero else np.zeros(scale.shape, np.int32)
    axis, group = attributes.get("axis", 1), attributes.get("block_size", 1)
    if scale.ndim == 1 < x.ndim:  # one scale for each slice along the axis
        shape = np.where(np.arange(x.ndim) == axis, -1, 1)
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    return x, y, scale, zero, {"axis": axis if scale.ndim else -1, "group": group}


def of_kind(operator, *kinds):
    """Choose the cases of an operator whose names end so: other kinds of codes are not ours."""
    found = [cases()[operator][OPERATORS[operator][1] + kind] for kind in kinds]
    return pytest.mark.parametrize("folder", found, ids=kinds)


INTEGERS = ["_int2", "_int4", "_int16", "_uint2", "_uint4", "_uint16"]


@of_kind("QuantizeLinear", "", "_axis", "_blocked_symmetric", "_blocked_asymmetric", *INTEGERS)
def test_quantize(folder):
    x, y, scale, zero, grouped = load_quantized(folder)
    kind = y.dtype.name
    bits = int(kind.split("int")[1])
    low = 0 if kind.startswith("u") else -(2 ** (bits - 1))
    codes = quantize(x, scale, zero, low=low, high=low + 2**bits - 1, **grouped)
    assert_array_equal(codes, y.astype(np.int32))
    assert codes.dtype == kind if bits >= 8 else codes.itemsize == 1


@of_kind("DequantizeLinear", "", "_axis", "_blocked", *INTEGERS)
def test_dequantize(folder):
    x, y, scale, zero, grouped = load_quantized(folder)
    found = dequantize(x.astype(np.int32), scale, zero, **grouped)
    assert found.dtype == y.dtype
    assert_array_equal(found, y)


@of("DynamicQuantizeLinear")
def test_quantize_range(folder):
    """Their range always includes 0: here a 0 more does it. They round halves before the shift."""
    inputs, expected, _ = load(folder)
    x = np.append(inputs["x"], np.float32(0))
    codes, (scale,), (smallest,) = quantize_range(x, 8, axis=0, group=x.size)
    half = np.isclose(x[:-1] / scale % 1, 0.5, atol=1e-5)
    assert_array_equal(codes[:-1][~half], expected["y"].ravel()[~half])
    assert_allclose(codes[:-1].astype(int), expected["y"].ravel(), atol=1)
    assert scale == expected["y_scale"]
    assert np.rint(-smallest / scale) == expected["y_zero_point"]


@of_kind("QuantizeLinear", "_e4m3fn")
def test_floats_of_eight_bits_with_a_scale(folder):
    x, y, scale, _, _ = load_quantized(folder)
    assert_array_equal(to_e4m3(x / scale), y.astype(np.float32))


@pytest.mark.parametrize("name", ["FLOAT16", "FLOAT"])
def test_floats_of_eight_bits(name):
    inputs, expected, _ = load(CASES / f"test_cast_{name}_to_FLOAT8E4M3FN")
    ((x,), (y,)) = inputs.values(), expected.values()
    assert_array_equal(to_e4m3(x), y.astype(x.dtype))


def test_floats_of_eight_bits_near_zero_and_at_the_end():
    """Compare with the type that onnx itself uses, from the least number to the largest."""
    theirs = helper.tensor_dtype_to_np_dtype(onnx.TensorProto.FLOAT8E4M3FN)
    x = np.concatenate([np.linspace(-0.04, 0.04, 999), np.geomspace(2**-7, 448, 999)])
    x = np.append(x, [2**-10, 3 * 2**-10, 5 * 2**-10]).astype(np.float32)  # halves of steps
    assert_array_equal(to_e4m3(x), x.astype(theirs).astype(np.float32))


# Positions


@of("RotaryEmbedding")
def test_rotate(folder):
    inputs, expected, attributes = load(folder)
    x, cos, sin = inputs["input"], inputs["cos_cache"], inputs["sin_cache"]
    if "position_ids" in inputs:  # else the tables hold a row for each token already
        cos, sin = cos[inputs["position_ids"]], sin[inputs["position_ids"]]
    three_axes = x.ndim == 3
    if three_axes:
        x = split_heads(x, attributes["num_heads"])
    cos, sin = cos[:, np.newaxis], sin[:, np.newaxis]  # the same for all heads
    output = rotate(x, cos, sin, interleaved=bool(attributes.get("interleaved", 0)))
    assert output.dtype == expected["output"].dtype
    wanted = expected["output"]
    assert_allclose(merge_heads(output) if three_axes else output, wanted, rtol=1e-5, atol=1e-6)


# Attention without softmax


@of("LinearAttention")
@pytest.mark.parametrize("attend", [linear_attention, chunked_linear_attention])
def test_linear_attention(folder, attend):
    inputs, expected, attributes = load(folder)
    h, g = attributes["q_num_heads"], attributes["kv_num_heads"]
    rule = attributes.get("update_rule", b"gated_delta").decode()
    query = split_heads(inputs["query"], h)
    key, value = (repeat_heads(split_heads(inputs[name], g), h) for name in ("key", "value"))
    past, decay, beta = (inputs.get(name) for name in ("past_state", "decay", "beta"))
    if decay is not None:
        decay = repeat_heads(split_heads(decay, g), h)
    if beta is not None:
        beta = repeat_heads(split_heads(beta, g) if beta.shape[-1] > 1 else beta[:, None], h)
    output, state = attend(
        query,
        key,
        value,
        log_decay=decay if "gated" in rule else None,
        beta=beta if "delta" in rule else None,
        scale=attributes.get("scale", 0.0) or None,
        state=None if past is None else repeat_heads(past, h),
    )
    assert output.dtype == expected["output"].dtype
    tolerance = 2e-3 if output.dtype == np.float16 else 1e-5
    assert_allclose(merge_heads(output), expected["output"], rtol=tolerance, atol=tolerance)
    kept = state[:, :: h // g]  # query heads of a group have the same state
    assert_allclose(kept, expected["present_state"], rtol=tolerance, atol=tolerance)


@of("CausalConvWithState")
def test_causal_conv(folder):
    inputs, expected, attributes = load(folder)
    x, past = (
        None if y is None else y.swapaxes(1, 2) for y in map(inputs.get, ("input", "past_state"))
    )
    output, present = causal_conv(x, inputs["weight"][:, 0].T, inputs.get("bias"), past)
    if attributes.get("activation", b"none") in (b"silu", b"swish"):
        output = swish(output)
    wanted, present_state = expected["output"], expected["present_state"]
    assert output.dtype == wanted.dtype
    tolerance = 2e-3 if output.dtype == np.float16 else 1e-5
    assert_allclose(output.swapaxes(1, 2), wanted, rtol=tolerance, atol=tolerance)
    assert_array_equal(present.swapaxes(1, 2), present_state)
