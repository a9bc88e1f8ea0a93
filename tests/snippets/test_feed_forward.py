import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.feed_forward import feed_forward, gelu, relu

X = np.array([[1.0, 2.0], [-3.0, 1.0]])
W_1 = np.array([[1.0, 0.0, -1.0], [0.0, 2.0, 1.0]])
B_1 = np.array([0.0, -1.0, 0.5])
W_2 = np.array([[1.0, 10.0], [2.0, 0.0], [3.0, 0.0]])
B_2 = np.array([100.0, 0.0])


def test_relu_replaces_what_is_below_zero():
    assert_array_equal(relu(np.array([[-2.0, 3.0], [0.0, -0.0]])), [[0, 3], [0, 0]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_relu_keeps_the_dtype(dtype):
    assert relu(np.array([-1, 1], dtype)).dtype == dtype


# Φ from tables of the normal distribution
@pytest.mark.parametrize(
    ("x", "phi"),
    [(0, 0.5), (1, 0.8413447460685429), (-1.5, 0.06680720126885807), (3, 0.99865010197)],
)
def test_gelu_weighs_x_by_the_normal_distribution_below_it(x, phi):
    assert_allclose(gelu(np.array(float(x))), x * phi, rtol=1e-10)
    assert_allclose(gelu(np.array(float(x)), "tanh"), x * phi, atol=5e-4)


def test_the_tanh_form_worked_by_hand():
    inner = math.sqrt(2 / math.pi) * (2 + 0.044715 * 8)
    assert_allclose(gelu(np.array([2.0]), "tanh"), [1 + math.tanh(inner)], rtol=1e-14)


def test_the_two_forms_differ_by_less_than_five_in_ten_thousand():
    x = np.linspace(-8, 8, 4001)
    difference = np.abs(gelu(x) - gelu(x, "tanh")).max()
    assert 4e-4 < difference < 5e-4


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_of_x_and_minus_x_differ_by_x(approximate):
    x = np.linspace(-5, 5, 101)
    assert_allclose(gelu(x, approximate) - gelu(-x, approximate), x, atol=1e-14)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_gelu_rounds_once(dtype, approximate):
    x = np.linspace(-4, 4, 801, dtype=dtype)
    exact = gelu(x.astype(np.float64), approximate)
    assert_array_equal(gelu(x, approximate), exact.astype(dtype))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gelu_keeps_the_dtype_and_is_exact_far_out(dtype, approximate):
    output = gelu(np.array([[-300, 0, 300]], dtype), approximate)
    assert output.dtype == dtype
    assert_array_equal(output, [[0, 0, 300]])


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_makes_floats_of_integers_and_takes_no_numbers_at_all(approximate):
    assert gelu(np.array([1, 2]), approximate).dtype == np.float64
    assert gelu(np.zeros((0, 3)), approximate).shape == (0, 3)


def test_gelu_knows_two_forms():
    with pytest.raises(ValueError, match='must be "none" or "tanh", not True'):
        gelu(X, True)


def test_feed_forward_worked_by_hand():
    # hidden: [1, 3, 1.5] and [-3, 1, 4.5]
    assert_array_equal(feed_forward(X, W_1, B_1, W_2, B_2), [[111.5, 10], [115.5, 0]])


def test_the_activation_is_between_the_two_maps():
    linear = feed_forward(X, W_1, B_1, W_2, B_2, lambda x: x)
    assert_array_equal(linear, (X @ W_1 + B_1) @ W_2 + B_2)
    smooth = feed_forward(X, W_1, B_1, W_2, B_2, gelu)
    assert_array_equal(smooth, gelu(X @ W_1 + B_1) @ W_2 + B_2)


def test_every_token_is_worked_on_alone():
    output = feed_forward(np.stack([X, X[::-1]]), W_1, B_1, W_2, B_2)
    assert_array_equal(output[0], output[1, ::-1])
    assert_array_equal(output[0, 1], feed_forward(X[1], W_1, B_1, W_2, B_2))


@pytest.mark.parametrize("activation", [relu, gelu])
def test_feed_forward_keeps_float32(activation):
    arrays = (array.astype(np.float32) for array in (X, W_1, B_1, W_2, B_2))
    assert feed_forward(*arrays, activation).dtype == np.float32


def test_names_the_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"x \(2, 3\) does not fit weight \(2, 3\)"):
        feed_forward(X, W_1, B_1, W_1, B_2)
    with pytest.raises(ValueError, match=r"bias \(3,\) does not fit weight \(3, 2\)"):
        feed_forward(X, W_1, B_1, W_2, B_1)
