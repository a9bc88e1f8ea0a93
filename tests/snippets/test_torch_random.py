"""Figures that torch 2.13.0 printed; test_against_torch.py compares whole streams."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.torch_random import TorchRandom


def test_fewer_than_16_normal_numbers():
    random = TorchRandom(123)
    assert_allclose(random.randn(3), [-0.11146712, 0.12036294, -0.3696345], rtol=1e-6)
    # the fourth number waits while uniform ones are drawn
    assert_allclose(random.rand(2), [0.18405646, 0.72644675], rtol=1e-6)
    assert_allclose(random.randn(2), [-0.24041797, -1.3501028], rtol=1e-6)


def test_a_block_of_normal_numbers_and_a_rest():
    expected = """
        0.3373702 -0.17777722 -0.3035276 0.9177646 1.5809696 1.3010399 1.2753012 -0.2009531
        -0.16056378 -0.401488 0.6957241 -1.148144 -1.1588678 0.325471 -0.63150537 -2.839994
        -0.78485334 -1.4095725 -0.40762687"""
    numbers = TorchRandom(123).randn(19)
    assert_allclose(numbers, np.array(expected.split(), float), rtol=0, atol=5e-7)


def test_whole_blocks_of_normal_numbers_draw_no_further_words():
    random = TorchRandom(123)
    numbers = random.randn(16)
    expected = [0.3373702, -0.37916982, 0.76710707, 0.26919857]
    assert_allclose(numbers[[0, 7, 8, 15]], expected, rtol=0, atol=5e-7)
    assert_allclose(random.rand(1), [0.1185683], rtol=1e-6)
    random = TorchRandom(123)
    numbers = random.randn(2, 16).ravel()
    expected = [0.3373702, 0.76710707, -0.07702024, 0.496471, -2.839994]
    assert_allclose(numbers[[0, 8, 16, 24, 31]], expected, rtol=0, atol=5e-7)
    assert_allclose(random.rand(1), [0.7178835], rtol=1e-6)


def test_the_weight_and_the_bias_of_a_linear_layer():
    weight, bias = TorchRandom(123).linear(4, 2)
    expected = [
        [-0.20388806, 0.01656228, -0.24832928, 0.18855679],
        [-0.42602754, 0.36652195, -0.36342013, -0.39752096],
    ]
    assert_allclose(weight, expected, rtol=0, atol=1e-7)
    assert_allclose(bias, [-0.31594354, 0.22644675], rtol=0, atol=1e-7)


def test_calls_continue_one_stream():
    random = TorchRandom(7)
    parts = np.concatenate([random.rand(5), random.rand(2, 3).ravel()])
    assert_array_equal(parts, TorchRandom(7).rand(11))


def test_uniform_numbers_have_24_bits_and_stay_below_one():
    numbers = TorchRandom(42).rand(10_000) * 2.0**24
    assert_array_equal(numbers, np.round(numbers))
    assert numbers.min() >= 0
    assert numbers.max() < 2**24


def test_the_second_of_a_pair_of_normal_numbers_is_kept():
    one_by_one = TorchRandom(0)
    numbers = [one_by_one.randn(1)[0] for _ in range(7)]
    assert_array_equal(numbers, TorchRandom(0).randn(7))


def test_linear_is_uniform_on_plus_minus_one_over_root_in_features():
    weight, bias = TorchRandom(0).linear(400, 1000)
    for parameters in (weight, bias):
        assert -0.05 <= parameters.min() < -0.0499
        assert 0.0499 < parameters.max() <= 0.05
    assert abs(weight.mean()) < 2e-4


def test_linear_without_bias_draws_none():
    random = TorchRandom(0)
    weight, bias = random.linear(3, 2, bias=False)
    assert bias is None
    assert_array_equal(weight, TorchRandom(0).linear(3, 2)[0])
    again = TorchRandom(0)
    again.rand(6)
    assert_array_equal(random.rand(4), again.rand(4))


@pytest.mark.parametrize("count", [15, 16, 17, 100_000])
def test_everything_is_float32_and_shaped_as_asked(count):
    random = TorchRandom(1)
    weight, bias = random.linear(count, 2)
    for array, shape in [
        (random.rand(count, 1), (count, 1)),
        (random.randn(1, count), (1, count)),
        (weight, (2, count)),
        (bias, (2,)),
    ]:
        assert (array.dtype, array.shape) == (np.float32, shape)


def test_normal_numbers_have_mean_zero_and_variance_one():
    numbers = TorchRandom(1337).randn(100_000)
    assert_allclose([numbers.mean(), numbers.var()], [0, 1], atol=0.02)
