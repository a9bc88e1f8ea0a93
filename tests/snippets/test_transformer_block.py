import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from snippets.feed_forward import feed_forward, gelu, relu
from snippets.layer_norm import layer_norm
from snippets.masks import causal_mask, padding_mask
from snippets.multi_head import MultiHeadWeights, multi_head_attention
from snippets.positional_encoding import sinusoidal_positions
from snippets.transformer_block import BlockWeights, transformer_block

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
HEADS, D_MODEL, D_FF = 2, 4, 6


def draw(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).normal(size=shape)


X = draw(5, D_MODEL)
WEIGHTS = BlockWeights(
    MultiHeadWeights(
        *(draw(D_MODEL, D_MODEL, seed=i) for i in range(4)),
        *(draw(D_MODEL, seed=i) for i in range(4)),
    ),
    W_1=draw(D_MODEL, D_FF),
    b_1=draw(D_FF),
    W_2=draw(D_FF, D_MODEL),
    b_2=draw(D_MODEL, seed=4),
    gain_1=draw(D_MODEL, seed=5),
    bias_1=draw(D_MODEL, seed=6),
    gain_2=draw(D_MODEL, seed=7),
    bias_2=draw(D_MODEL, seed=8),
)


def attend(x, **options):
    return multi_head_attention(x, x, x, WEIGHTS.attention, HEADS, **options)


def feed(x, activation=relu):
    return feed_forward(x, *WEIGHTS[1:5], activation)


def norm_1(x, eps=1e-5):
    return layer_norm(x, WEIGHTS.gain_1, WEIGHTS.bias_1, eps)


def norm_2(x, eps=1e-5):
    return layer_norm(x, WEIGHTS.gain_2, WEIGHTS.bias_2, eps)


def block(x=X, weights=WEIGHTS, mask=None, **options):
    return transformer_block(x, weights, HEADS, mask, **options)


def test_post_norm_normalizes_each_sum():
    x = norm_1(X + attend(X))
    assert_allclose(block(), norm_2(x + feed(x)), **CLOSE)


def test_pre_norm_normalizes_what_each_sublayer_reads():
    x = X + attend(norm_1(X))
    assert_allclose(block(norm_first=True), x + feed(norm_2(x)), **CLOSE)


def test_post_norm_ends_with_norm_2_and_pre_norm_does_not():
    plain = WEIGHTS._replace(gain_2=np.ones(D_MODEL), bias_2=np.zeros(D_MODEL))
    assert_allclose(block(weights=plain).mean(axis=-1), 0, atol=1e-12)
    assert np.abs(block(weights=plain, norm_first=True).mean(axis=-1)).min() > 1e-3


def test_pre_norm_whose_sublayers_are_silent_is_the_identity():
    silent = WEIGHTS._replace(
        attention=WEIGHTS.attention._replace(W_O=np.zeros((D_MODEL, D_MODEL)), b_O=None),
        W_2=0 * WEIGHTS.W_2,
        b_2=0 * WEIGHTS.b_2,
    )
    assert_array_equal(block(weights=silent, norm_first=True), X)
    assert_allclose(block(weights=silent), norm_2(norm_1(X)), **CLOSE)


@pytest.mark.parametrize("norm_first", [False, True])
def test_options_reach_their_places(norm_first):
    options = {"norm_first": norm_first}
    assert_array_equal(block(is_causal=True, **options), block(mask=causal_mask(5), **options))
    assert_array_equal(block(activation=relu, **options), block(**options))
    assert_array_equal(block(eps=1e-5, **options), block(**options))
    for changed in ({"is_causal": True}, {"activation": gelu}, {"eps": 0.1}):
        assert np.abs(block(**changed, **options) - block(**options)).max() > 1e-3


@pytest.mark.parametrize("norm_first", [False, True])
def test_eps_and_activation_equal_the_formula(norm_first):
    output = block(norm_first=norm_first, activation=gelu, eps=0.1)
    if norm_first:
        x = X + attend(norm_1(X, 0.1))
        expected = x + feed(norm_2(x, 0.1), gelu)
    else:
        x = norm_1(X + attend(X), 0.1)
        expected = norm_2(x + feed(x, gelu), 0.1)
    assert_allclose(output, expected, **CLOSE)


@pytest.mark.parametrize("norm_first", [False, True])
@settings(deadline=None)
@given(order=st.permutations(range(5)))
def test_without_positions_the_order_of_tokens_means_nothing(norm_first, order):
    output = block(norm_first=norm_first)
    assert_allclose(block(X[order], norm_first=norm_first), output[order], **CLOSE)


@pytest.mark.parametrize("norm_first", [False, True])
def test_positions_or_a_causal_mask_give_the_order_a_meaning(norm_first):
    positions = sinusoidal_positions(5, D_MODEL)
    output = block(X + positions, norm_first=norm_first)
    turned = block(X[::-1] + positions, norm_first=norm_first)
    assert np.abs(turned - output[::-1]).max() > 0.01
    output = block(norm_first=norm_first, is_causal=True)
    turned = block(X[::-1], norm_first=norm_first, is_causal=True)
    assert np.abs(turned - output[::-1]).max() > 0.01


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_prefix_gives_the_same_output_when_causal(norm_first):
    whole = block(norm_first=norm_first, is_causal=True)
    for n in range(1, 6):
        part = block(X[:n], norm_first=norm_first, is_causal=True)
        assert_allclose(part, whole[:n], **CLOSE)


@pytest.mark.parametrize("norm_first", [False, True])
def test_padding_has_no_influence(norm_first):
    lengths = np.array([[3], [5]])
    mask = padding_mask(lengths, 5)
    output = block(np.stack([X, X]), mask=mask, norm_first=norm_first)
    assert_allclose(output[0, :3], block(X[:3], norm_first=norm_first), **CLOSE)
    assert_allclose(output[1], block(norm_first=norm_first), **CLOSE)


def test_float32_stays_and_the_input_is_left_alone():
    narrow = [array.astype(np.float32) for array in WEIGHTS[1:]]
    attention = MultiHeadWeights(*(array.astype(np.float32) for array in WEIGHTS.attention))
    x = X.astype(np.float32)
    before = x.copy()
    for options in ({}, {"norm_first": True}, {"activation": gelu}):
        assert block(x, BlockWeights(attention, *narrow), **options).dtype == np.float32
    assert_array_equal(x, before)


def test_errors_of_the_parts_come_through():
    with pytest.raises(ValueError, match="exclude each other"):
        block(mask=causal_mask(5), is_causal=True)
    with pytest.raises(ValueError, match="does not fit weight"):
        block(draw(5, 3))
    with pytest.raises(TypeError, match="boolean or float"):
        block(mask=np.ones((5, 5), np.int64))
