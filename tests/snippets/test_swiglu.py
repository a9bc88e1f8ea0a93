import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.swiglu import swiglu, swish

rng = np.random.default_rng(0)


def test_swish_is_x_times_its_logistic_share():
    x = rng.normal(size=(2, 5))
    assert_allclose(swish(x, 1.7), x / (1 + np.exp(-1.7 * x)))
    assert_allclose(swish(x, 0.0), x / 2)


def test_swish_stays_finite_far_out_and_keeps_dtypes():
    assert_array_equal(swish(np.array([-1e4, 1e4])), [0, 1e4])
    assert swish(np.ones(2, np.float16)).dtype == np.float16
    assert swish(np.array([1, 2])).dtype == np.float64


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_swiglu_is_the_formula(batch):
    x, gate, up = rng.normal(size=(*batch, 5, 4)), *rng.normal(size=(2, 4, 6))
    down = rng.normal(size=(6, 4))
    assert_allclose(swiglu(x, gate, up, down), (swish(x @ gate) * (x @ up)) @ down)


def test_matrices_of_two_widths_are_refused():
    with pytest.raises(ValueError, match=r"^W_gate \(4, 6\) and W_up \(4, 5\) differ"):
        swiglu(np.ones((2, 4)), np.ones((4, 6)), np.ones((4, 5)), np.ones((6, 4)))
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        swiglu(np.ones((2, 3)), np.ones((4, 6)), np.ones((4, 6)), np.ones((6, 4)))
