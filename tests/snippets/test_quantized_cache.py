"""The steps are held to ONNX's vectors in test_conformance.py; here is what KIVI adds to them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.quantized_cache import quantize_range, restore_range, to_e4m3

rng = np.random.default_rng(0)


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@pytest.mark.parametrize(("axis", "group"), [(-1, 3), (-2, 4), (-2, 32)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_no_number_is_off_by_more_than_half_a_step(batch, dtype, axis, group, bits):
    x = rng.normal(5, 3, size=(*batch, 7, 8)).astype(dtype)
    codes, scale, smallest = quantize_range(x, bits, axis=axis, group=group)
    found = restore_range(codes, scale, smallest, axis=axis, group=group)
    assert found.dtype == scale.dtype == smallest.dtype == dtype
    assert found.shape == codes.shape == x.shape
    assert scale.shape[axis] == -(-x.shape[axis] // group)
    each = np.repeat(scale, group, axis).take(np.arange(x.shape[axis]), axis).astype(float)
    rounding = 2**bits * np.finfo(dtype).eps * abs(x.astype(float)).max()
    assert (abs(found.astype(float) - x) <= each / 2 + rounding).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_what_lies_on_the_steps_comes_back(dtype):
    """Liu et al. 2024, section 3.1: the smallest has code 0, the largest 2^bits - 1."""
    x = np.array([[4.0, 7.0, 5.0, 6.0], [-1.0, 0.5, 0.0, -0.5]], dtype)
    codes, scale, smallest = quantize_range(x, 2, axis=-1, group=4)
    assert_array_equal(codes, [[0, 3, 1, 2], [0, 3, 2, 1]])
    assert_array_equal(scale, [[1], [0.5]])
    assert_array_equal(smallest, [[4], [-1]])
    assert_array_equal(restore_range(codes, scale, smallest, axis=-1, group=4), x)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("value", [0.0, 3.0, 6e4])
def test_equal_numbers_come_back(value, dtype):
    x = np.full((4, 2), value, dtype)
    kept = quantize_range(x, 2, axis=-2, group=4)
    assert_array_equal(restore_range(*kept, axis=-2, group=4), x)


def test_differences_in_half_precision_do_not_overflow():
    x = np.array([[6e4, -6e4, 0.0]], np.float16)
    kept = quantize_range(x, 2, axis=-1, group=3)
    found = restore_range(*kept, axis=-1, group=3)
    assert_allclose(found, [[6e4, -6e4, 2e4]], rtol=2e-3)


def test_large_channels_cost_little_by_channel_and_much_by_token():
    """Liu et al. 2024, table 2: the error of weights is then almost five times larger by token."""
    keys = rng.normal(size=(128, 32))
    keys[:, 3] += 20
    errors = {}
    for axis in (-1, -2):
        kept = quantize_range(keys, 2, axis=axis, group=32)
        errors[axis] = abs(restore_range(*kept, axis=axis, group=32) - keys).mean()
    assert errors[-1] > 3 * errors[-2]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fp8_keeps_four_digits_of_two(dtype):
    x = np.concatenate([-np.geomspace(2**-6, 448, 999), np.geomspace(2**-6, 448, 999)])
    found = to_e4m3(x.astype(dtype))
    assert (abs(found - x) <= abs(x) / 16 * 1.001).all()
    assert_array_equal(to_e4m3(found), found)
    assert len(np.unique(found)) == 2 * (15 * 8 - 1)  # exponents -6 to 8; 480 is not a number


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quantize_range(np.ones((2, 2)), 0, axis=-1, group=2), "bits 0 are not 1 to 8"),
        (lambda: quantize_range(np.ones((2, 2)), 9, axis=-1, group=2), "bits 9 are not 1 to 8"),
        (lambda: quantize_range(np.ones((0, 2)), 4, axis=-1, group=2), r".* x \(0, 2\) is empty"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
