import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.bounded_scores import gated, soft_cap, unit_rms

rng = np.random.default_rng(0)


def test_a_cap_is_never_passed_and_small_scores_stay():
    scores = np.array([-1e6, -3.0, 0.0, 0.01, 3.0, 1e6])
    assert_allclose(soft_cap(scores, 2.0), 2 * np.tanh(scores / 2))
    assert abs(soft_cap(scores, 2.0)).max() == 2
    assert_allclose(soft_cap(scores, 1e12), scores)
    assert soft_cap(np.ones(2, np.float16), 2.0).dtype == np.float16


@pytest.mark.parametrize("cap", [0.0, -1.0, np.nan])
def test_a_cap_that_is_none_is_refused(cap):
    with pytest.raises(ValueError, match=f"^cap must be above 0, not {cap}$"):
        soft_cap(np.ones(2), cap)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_unit_queries_and_keys_have_bounded_scores(batch):
    q, k = 100 * rng.normal(size=(2, *batch, 5, 16))
    assert_allclose(np.linalg.norm(unit_rms(q), axis=-1), 4)
    scores = unit_rms(q) @ unit_rms(k).swapaxes(-1, -2) / 4
    assert abs(scores).max() <= 4
    assert_array_equal(unit_rms(np.zeros((2, 3))), 0)
    assert unit_rms(np.full((1, 2), 1000, np.float16)).tolist() == [[1, 1]]


def test_a_gate_lets_a_share_through():
    output = np.array([[2.0, -4.0, 6.0]])
    gate = np.array([[0.0, np.log(3), -np.log(3)]])
    assert_allclose(gated(output, gate), [[1, -3, 1.5]])
    assert_array_equal(gated(output, np.array([[1e4, -1e4, 1e4]])), [[2, 0, 6]])
    with pytest.raises(ValueError, match=r"^gate_scores \(2, 3\) do not fit output \(1, 3\)$"):
        gated(output, np.ones((2, 3)))
