import numpy as np
import pytest
from numpy.testing import assert_allclose

from snippets.layer_norm import layer_norm
from snippets.rms_norm import rms_norm

rng = np.random.default_rng(0)


def test_it_is_layer_norm_where_the_mean_is_zero():
    x, gain = rng.normal(size=(2, 3, 8)), rng.normal(size=8)
    centred = x - x.mean(axis=-1, keepdims=True)
    assert_allclose(rms_norm(centred, gain), layer_norm(centred, gain, np.zeros(8)))
    assert abs(rms_norm(x, gain) - layer_norm(x, gain, np.zeros(8))).max() > 0.01


def test_eps_is_inside_the_root_and_zeros_stay():
    assert_allclose(rms_norm(np.array([3.0, 4.0]), np.ones(2), eps=12.5), [0.6, 0.8])
    assert_allclose(rms_norm(np.zeros(3), np.ones(3)), 0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_large_numbers_do_not_overflow_and_dtypes_stay(dtype):
    output = rms_norm(np.full(4, 1000, dtype), np.full(4, 2, dtype))
    assert output.dtype == dtype
    assert_allclose(output, 2)
    assert rms_norm(np.array([1, 2]), np.array([1, 1])).dtype == np.float64


def test_a_gain_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"^gain \(3,\) does not fit x \(2, 4\)$"):
        rms_norm(np.ones((2, 4)), np.ones(3))
