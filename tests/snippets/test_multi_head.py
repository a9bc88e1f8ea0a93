import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.masks import causal_mask, padding_mask
from snippets.multi_head import (
    MultiHeadWeights,
    merge_heads,
    multi_head_attention,
    split_heads,
)
from snippets.projection import project

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
HEADS, D_MODEL, D_K, D_V = 3, 5, 4, 2


def draw(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def weights(d_k=D_K, d_v=D_V, bias=True):
    shapes = [(D_MODEL, HEADS * d_k)] * 2 + [(D_MODEL, HEADS * d_v), (HEADS * d_v, D_MODEL)]
    matrices = [draw(*shape, seed=i) for i, shape in enumerate(shapes)]
    biases = [draw(shape[1], seed=i) for i, shape in enumerate(shapes)] if bias else []
    return MultiHeadWeights(*matrices, *biases)


QUERY, KEY, VALUE = draw(4, D_MODEL), draw(6, D_MODEL), draw(6, D_MODEL, seed=1)


def head(i, w, query=QUERY, key=KEY, value=VALUE, **options):
    """One head with matrices of its own: the columns that are its part of the whole."""
    k, v = slice(i * D_K, (i + 1) * D_K), slice(i * D_V, (i + 1) * D_V)
    Q = project(query, w.W_Q[:, k], w.b_Q[k])
    K = project(key, w.W_K[:, k], w.b_K[k])
    V = project(value, w.W_V[:, v], w.b_V[v])
    return scaled_dot_product_attention(Q, K, V, return_weights=True, **options)


# Splitting and merging


def test_each_head_gets_its_own_columns_of_every_token():
    x = np.array([[0, 1, 10, 11, 20, 21], [100, 101, 110, 111, 120, 121]])
    heads = split_heads(x, 3)
    assert_array_equal(
        heads,
        [[[0, 1], [100, 101]], [[10, 11], [110, 111]], [[20, 21], [120, 121]]],
    )
    assert_array_equal(merge_heads(heads), x)


@settings(deadline=None)
@given(*[st.integers(0, 3)] * 2, *[st.integers(1, 4)] * 2)
def test_merging_undoes_splitting(batch, n, num_heads, d):
    x = draw(batch, n, num_heads * d)
    heads = split_heads(x, num_heads)
    assert heads.shape == (batch, num_heads, n, d)
    assert_array_equal(merge_heads(heads), x)
    assert_array_equal(split_heads(merge_heads(heads), num_heads), heads)


def test_a_reshape_without_a_transpose_would_mix_tokens():
    x = draw(3, 4)
    assert not np.array_equal(split_heads(x, 2), x.reshape(2, 3, 2))


@pytest.mark.parametrize(
    ("shape", "num_heads"), [((2, 4), 3), ((4,), 2), ((2, 4), 0), ((2, 4), -2)]
)
def test_splitting_names_the_shape(shape, num_heads):
    with pytest.raises(ValueError, match="is not") as error:
        split_heads(np.ones(shape), num_heads)
    assert str(error.value) == f"x {shape} is not (..., n, {num_heads} · d)"


@pytest.mark.parametrize("shape", [(), (2,), (2, 4)])
def test_merging_names_the_shape(shape):
    with pytest.raises(ValueError, match="is not") as error:
        merge_heads(np.ones(shape))
    assert str(error.value) == f"x {shape} is not (..., h, n, d)"


# Attention of all heads


def test_equals_separate_heads_side_by_side():
    w = weights()
    outputs, maps = zip(*(head(i, w) for i in range(HEADS)), strict=True)
    output, alpha = multi_head_attention(QUERY, KEY, VALUE, w, HEADS, return_weights=True)
    assert_allclose(alpha, np.stack(maps), **CLOSE)
    assert_allclose(output, np.concatenate(outputs, axis=-1) @ w.W_O + w.b_O, **CLOSE)
    assert_array_equal(multi_head_attention(QUERY, KEY, VALUE, w, HEADS), output)


def test_equals_a_sum_over_heads_each_with_its_rows_of_the_output_matrix():
    w = weights()
    rows = np.split(w.W_O, HEADS)
    expected = sum(head(i, w)[0] @ rows[i] for i in range(HEADS)) + w.b_O
    assert_allclose(multi_head_attention(QUERY, KEY, VALUE, w, HEADS), expected, **CLOSE)


def test_one_head_is_attention_between_projections():
    w = weights(bias=False)
    expected = scaled_dot_product_attention(QUERY @ w.W_Q, KEY @ w.W_K, VALUE @ w.W_V) @ w.W_O
    assert_allclose(multi_head_attention(QUERY, KEY, VALUE, w, 1), expected, **CLOSE)


def test_the_scale_is_that_of_one_head_not_of_the_model():
    one = np.eye(4)
    x = np.array([[2.0, 0, 0, 0], [0, 0, 0, 0]])
    _, alpha = multi_head_attention(
        x, x, x, MultiHeadWeights(one, one, one, one), 4, return_weights=True
    )
    # d_k = 1: the score 2 · 2 stays 4; by √d_model it would become 2
    assert_allclose(alpha[0, 0], [1 / (1 + np.exp(-4)), 1 / (1 + np.exp(4))])


@pytest.mark.parametrize("name", MultiHeadWeights._fields)
def test_every_weight_counts_but_the_bias_of_the_keys(name):
    w = weights()
    other = w._replace(**{name: getattr(w, name) + draw(*getattr(w, name).shape, seed=9)})
    change = multi_head_attention(QUERY, KEY, VALUE, other, HEADS) - multi_head_attention(
        QUERY, KEY, VALUE, w, HEADS
    )
    if name == "b_K":  # it adds the same to a whole row of scores, and softmax cancels it
        assert_allclose(change, 0, atol=1e-9)
    else:
        assert np.abs(change).max() > 0.1


def test_biases_may_be_left_out():
    w = weights()
    zero = w._replace(**{name: 0 * getattr(w, name) for name in w._fields[4:]})
    none = MultiHeadWeights(*w[:4])
    assert none[4:] == (None,) * 4
    assert_array_equal(
        multi_head_attention(QUERY, KEY, VALUE, none, HEADS),
        multi_head_attention(QUERY, KEY, VALUE, zero, HEADS),
    )


def test_a_mask_serves_all_heads_or_each_its_own():
    w = weights()
    masks = np.random.default_rng(0).random((HEADS, 4, 6)) < 0.5
    masks[:, :, 0] = True
    for mask in (masks, masks[0]):
        _, alpha = multi_head_attention(QUERY, KEY, VALUE, w, HEADS, mask, return_weights=True)
        for i in range(HEADS):
            own = mask[i] if mask.ndim == 3 else mask
            assert_allclose(alpha[i], head(i, w, attn_mask=own)[1], **CLOSE)


def test_is_causal_equals_a_causal_mask():
    w = weights()
    assert_array_equal(
        multi_head_attention(QUERY, KEY, VALUE, w, HEADS, is_causal=True),
        multi_head_attention(QUERY, KEY, VALUE, w, HEADS, causal_mask(4, 6)),
    )


def test_a_prefix_gives_the_same_output_when_causal():
    x, w = draw(6, D_MODEL), weights()
    whole = multi_head_attention(x, x, x, w, HEADS, is_causal=True)
    for n in range(1, 7):
        part = multi_head_attention(x[:n], x[:n], x[:n], w, HEADS, is_causal=True)
        assert_allclose(part, whole[:n], **CLOSE)


def test_padding_has_no_influence():
    lengths = np.array([6, 2, 4])
    key, w = draw(3, 6, D_MODEL), weights()
    mask = padding_mask(lengths[:, np.newaxis], 6)
    output = multi_head_attention(key, key, key, w, HEADS, mask)
    garbage = np.where(padding_mask(lengths, 6).swapaxes(-1, -2), key, 1e3)
    assert_allclose(multi_head_attention(key, garbage, garbage, w, HEADS, mask), output, **CLOSE)
    for i, length in enumerate(lengths):
        alone = key[i, :length]
        expected = multi_head_attention(alone, alone, alone, w, HEADS)
        assert_allclose(output[i, :length], expected, **CLOSE)


@settings(deadline=None)
@given(st.permutations(range(6)))
def test_self_attention_is_permutation_equivariant(order):
    x, w = draw(6, D_MODEL), weights()
    output = multi_head_attention(x, x, x, w, HEADS)
    assert_allclose(
        multi_head_attention(x[order], x[order], x[order], w, HEADS), output[order], **CLOSE
    )


def test_a_batch_equals_a_loop():
    query, key, value = draw(2, 7, 4, D_MODEL), draw(2, 7, 6, D_MODEL), draw(2, 7, 6, D_MODEL)
    output, alpha = multi_head_attention(query, key, value, weights(), HEADS, return_weights=True)
    assert (output.shape, alpha.shape) == ((2, 7, 4, D_MODEL), (2, 7, HEADS, 4, 6))
    for index in np.ndindex(2, 7):
        arrays = (query[index], key[index], value[index])
        assert_allclose(output[index], multi_head_attention(*arrays, weights(), HEADS), **CLOSE)


def test_float32_stays():
    w = MultiHeadWeights(*(x.astype(np.float32) for x in weights()))
    x = QUERY.astype(np.float32)
    output, alpha = multi_head_attention(x, x, x, w, HEADS, return_weights=True)
    assert (output.dtype, alpha.dtype) == (np.float32, np.float32)


def test_the_number_of_heads_must_divide_the_projections():
    with pytest.raises(ValueError, match=r"x \(4, 12\) is not \(..., n, 5 · d\)"):
        multi_head_attention(QUERY, KEY, VALUE, weights(), 5)


def test_a_mask_and_is_causal_exclude_each_other():
    with pytest.raises(ValueError, match="exclude each other"):
        multi_head_attention(
            QUERY, KEY, VALUE, weights(), HEADS, np.ones((4, 6), bool), is_causal=True
        )


def test_an_integer_mask_is_refused():
    with pytest.raises(TypeError, match="boolean or float"):
        multi_head_attention(QUERY, KEY, VALUE, weights(), HEADS, np.ones((4, 6), np.int64))
