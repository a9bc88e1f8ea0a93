import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.testing import assert_allclose, assert_array_equal

from snippets.layer_norm import layer_norm

ONE, ZERO = np.ones(4), np.zeros(4)
tokens = npst.arrays(np.float64, (3, 4), elements=st.floats(-100, 100).map(lambda x: round(x, 3)))


def test_one_to_four():
    # mean 2.5, variance 1.25: ±1.5/√1.25 and ±0.5/√1.25
    output = layer_norm(np.array([1.0, 2, 3, 4]), ONE, ZERO, eps=0.0)
    assert_allclose(output, np.array([-3, -1, 1, 3]) / np.sqrt(5), rtol=1e-15)
    assert_allclose(
        layer_norm(np.array([1.0, 2, 3, 4]), ONE, ZERO),
        [-1.3416, -0.4472, 0.4472, 1.3416],
        atol=5e-5,
    )


def test_the_variance_is_divided_by_d_and_eps_is_inside_the_root():
    # variance 1 with d = 2 (2 with d - 1); eps 3 makes the root 2 (outside: 4)
    output = layer_norm(np.array([1.0, 3.0]), np.ones(2), np.zeros(2), eps=3.0)
    assert_array_equal(output, [-0.5, 0.5])


def test_eps_is_one_in_a_hundred_thousand():
    output = layer_norm(np.array([-0.001, 0.001]), np.ones(2), np.zeros(2))
    assert_allclose(output[1], 0.001 / np.sqrt(1e-6 + 1e-5), rtol=1e-12)


def test_gain_then_bias():
    output = layer_norm(
        np.array([[1.0, 3.0], [30.0, 10.0]]), np.array([2.0, 4.0]), np.array([10.0, 20.0]), 0.0
    )
    assert_allclose(output, [[8, 24], [12, 16]])


@settings(deadline=None)
@given(tokens)
def test_every_token_gets_mean_zero_and_variance_at_most_one(x):
    output = layer_norm(x, ONE, ZERO)
    variance = x.var(axis=-1)
    assert_allclose(output.mean(axis=-1), 0, atol=1e-9)
    assert_allclose(output.var(axis=-1), variance / (variance + 1e-5), rtol=1e-6, atol=1e-9)


@settings(deadline=None)
@given(tokens, st.floats(-1e3, 1e3), st.floats(0.1, 10))
def test_shifting_and_stretching_a_token_changes_nothing(x, shift, factor):
    output = layer_norm(x, ONE, ZERO, 1e-5)
    assert_allclose(layer_norm(x + shift, ONE, ZERO), output, atol=1e-6)
    assert_allclose(layer_norm(factor * x, ONE, ZERO, factor**2 * 1e-5), output, atol=1e-9)


@settings(deadline=None)
@given(tokens)
def test_a_second_time_changes_next_to_nothing(x):
    x = x + np.arange(4) * 1000  # far from equal numbers
    once = layer_norm(x, ONE, ZERO)
    assert_allclose(layer_norm(once, ONE, ZERO), once, atol=1e-4)


def test_each_token_is_normalized_by_itself():
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    output = layer_norm(x, ONE + 1, ZERO + 3)
    for index in np.ndindex(2, 3):
        assert_allclose(output[index], layer_norm(x[index], ONE + 1, ZERO + 3), rtol=1e-12)


def test_equal_numbers_become_the_bias():
    assert_array_equal(layer_norm(np.full((2, 4), 7.0), ONE, ZERO + 3), np.full((2, 4), 3.0))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_dtype(dtype):
    output = layer_norm(*(array.astype(dtype) for array in (np.arange(4), ONE, ZERO)))
    assert output.dtype == dtype
    equal = layer_norm(*(array.astype(dtype) for array in (ONE, ONE, ZERO)), 1e-12)
    assert_array_equal(equal, ZERO)


def test_float16_does_not_overflow():
    x = np.array([-300, 300, -300, 300], np.float16)  # 300² is more than float16 holds
    output = layer_norm(x, ONE.astype(np.float16), ZERO.astype(np.float16))
    assert_array_equal(output, [-1, 1, -1, 1])


def test_integers_become_floats():
    output = layer_norm(np.array([1, 2, 3, 4]), np.ones(4, int), np.zeros(4, int))
    assert output.dtype == np.float64


@pytest.mark.parametrize(
    ("gain", "bias"), [((3,), (4,)), ((4,), (3,)), ((), (4,)), ((4,), (1,)), ((2, 4), (2, 4))]
)
def test_names_the_shapes_that_do_not_fit(gain, bias):
    with pytest.raises(ValueError, match="do not fit") as error:
        layer_norm(np.ones((2, 4)), np.ones(gain), np.ones(bias))
    assert str(error.value) == f"gain {gain} and bias {bias} do not fit x (2, 4)"


@pytest.mark.parametrize("wide", range(3))
def test_the_widest_of_the_inputs_decides(wide):
    inputs = [array.astype(np.float32) for array in (np.arange(4), ONE, ZERO)]
    inputs[wide] = inputs[wide].astype(np.float64)
    output = layer_norm(*inputs)
    assert output.dtype == np.float64
    assert_allclose(output, np.array([-3, -1, 1, 3]) / np.sqrt(5 + 4e-5), rtol=1e-7)
