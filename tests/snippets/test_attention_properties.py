"""What holds for every query, key and value: hypothesis looks for exceptions."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention

LENGTHS = st.integers(1, 6)
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def matrices(n, d):
    return npst.arrays(np.float64, (n, d), elements=st.floats(-10, 10))


@st.composite
def attention_inputs(draw, *, mask=False):
    n, m, d_k, d_v = (draw(LENGTHS) for _ in range(4))
    inputs = draw(matrices(n, d_k)), draw(matrices(m, d_k)), draw(matrices(m, d_v))
    return (*inputs, draw(npst.arrays(np.bool_, (n, m)))) if mask else inputs


def attend(*inputs, **options):
    return scaled_dot_product_attention(*inputs, return_weights=True, **options)


@settings(deadline=None)
@given(attention_inputs(mask=True))
def test_each_row_of_weights_sums_to_one_or_is_masked_whole(inputs):
    *_, mask = inputs
    _, weights = attend(*inputs)
    assert (weights >= 0).all()
    assert_array_equal(weights[~mask], 0)
    assert_allclose(weights.sum(axis=-1), mask.any(axis=-1), **CLOSE)


@settings(deadline=None)
@given(attention_inputs())
def test_outputs_are_in_the_convex_hull_of_the_values(inputs):
    *_, value = inputs
    output, weights = attend(*inputs)
    # weights that are at least 0, sum to 1 and mix the values into the output: that is the hull
    assert (weights >= 0).all()
    assert_allclose(weights.sum(axis=-1), 1)
    assert_allclose(output, np.einsum("ij,jd->id", weights, value), **CLOSE)
    assert (output >= value.min(axis=0) - 1e-9).all()
    assert (output <= value.max(axis=0) + 1e-9).all()


@settings(deadline=None)
@given(attention_inputs(mask=True))
def test_a_boolean_mask_equals_a_float_mask_of_minus_infinity(inputs):
    query, key, value, mask = inputs
    output, weights = attend(*inputs)
    float_output, float_weights = attend(query, key, value, np.where(mask, 0.0, -np.inf))
    assert_array_equal(weights, float_weights)
    assert_array_equal(output, float_output)


@settings(deadline=None)
@given(attention_inputs(mask=True), st.data())
def test_masked_keys_might_as_well_not_be_there(inputs, data):
    query, key, value, mask = inputs
    kept = data.draw(npst.arrays(np.bool_, len(key)))
    assume(kept.any())
    output = scaled_dot_product_attention(query, key, value, mask & kept)
    shorter = scaled_dot_product_attention(query, key[kept], value[kept], mask[:, kept])
    assert_allclose(output, shorter, **CLOSE)


@settings(deadline=None)
@given(attention_inputs())
def test_is_causal_equals_a_mask_of_the_lower_triangle(inputs):
    query, key, _ = inputs
    mask = np.arange(len(key)) <= np.arange(len(query))[:, np.newaxis]
    causal, _ = attend(*inputs, is_causal=True)
    assert_array_equal(causal, attend(*inputs, mask)[0])


@settings(deadline=None)
@given(attention_inputs())
def test_causal_output_does_not_depend_on_the_future(inputs):
    query, key, value = inputs
    output, _ = attend(*inputs, is_causal=True)
    for i in range(min(len(query), len(key))):
        past, _ = attend(query[i : i + 1], key[: i + 1], value[: i + 1])
        assert_allclose(output[i], past[0], **CLOSE)


@settings(deadline=None)
@given(attention_inputs(), st.floats(0.1, 3))
def test_scaling_the_scores_equals_scaling_the_queries(inputs, factor):
    query, key, value = inputs
    default = 1 / np.sqrt(query.shape[-1])
    output, _ = attend(query, key, value, scale=factor * default)
    assert_allclose(output, attend(factor * query, key, value)[0], rtol=1e-7, atol=1e-7)


@settings(deadline=None)
@given(attention_inputs(), st.data())
def test_the_order_of_keys_and_values_does_not_matter(inputs, data):
    query, key, value = inputs
    order = data.draw(st.permutations(range(len(key))))
    output, _ = attend(*inputs)
    assert_allclose(attend(query, key[order], value[order])[0], output, **CLOSE)


@settings(deadline=None)
@given(LENGTHS.flatmap(lambda n: st.tuples(matrices(n, 3), st.permutations(range(n)))))
def test_self_attention_is_permutation_equivariant(tokens_and_order):
    x, order = tokens_and_order
    assert_allclose(attend(x[order], x[order], x[order])[0], attend(x, x, x)[0][order], **CLOSE)


def test_a_causal_mask_ends_permutation_equivariance():
    x = np.array([[1.0, 0.0], [0.0, 1.0]])
    output, _ = attend(x, x, x, is_causal=True)
    reversed_output, _ = attend(x[::-1], x[::-1], x[::-1], is_causal=True)
    assert_array_equal(output[0], [1, 0])
    assert_array_equal(reversed_output[0], [0, 1])
    assert np.abs(reversed_output - output[::-1]).max() > 0.3
