import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.testing import assert_allclose, assert_array_equal

from snippets.softmax import softmax

scores = npst.arrays(
    np.float64,
    npst.array_shapes(min_dims=1, max_dims=3, max_side=6),
    elements=st.floats(-1e4, 1e4),
)


def test_equals_the_formula_worked_by_hand():
    assert_allclose(softmax(np.log([[1.0, 3.0], [2.0, 2.0]])), [[0.25, 0.75], [0.5, 0.5]])


def test_works_along_the_axis_it_is_given():
    x = np.log([[1.0, 3.0], [4.0, 2.0]])
    assert_allclose(softmax(x, axis=0), [[0.2, 0.6], [0.8, 0.4]])
    assert_allclose(softmax(x[np.newaxis], axis=1), [[[0.2, 0.6], [0.8, 0.4]]])


@settings(deadline=None)
@given(scores)
def test_weights_are_never_negative_and_sum_to_one(x):
    weights = softmax(x)
    assert (weights >= 0).all()
    assert_allclose(weights.sum(axis=-1), 1)


@settings(deadline=None)
@given(scores, st.floats(-1e4, 1e4))
def test_adding_a_constant_to_a_row_changes_nothing(x, constant):
    assert_allclose(softmax(x + constant), softmax(x), rtol=1e-9, atol=1e-12)


@settings(deadline=None)
@given(scores)
def test_keeps_the_order_of_the_scores(x):
    weights = softmax(x)
    assert_array_equal(
        weights.max(axis=-1),
        np.take_along_axis(weights, x.argmax(axis=-1)[..., np.newaxis], axis=-1)[..., 0],
    )


@pytest.mark.parametrize(
    ("dtype", "huge"), [(np.float16, 3e4), (np.float32, 1e38), (np.float64, 1e307)]
)
def test_is_finite_for_huge_scores(dtype, huge):
    assert_array_equal(softmax(np.array([huge, huge, 0, -huge], dtype)), [0.5, 0.5, 0, 0])
    assert_array_equal(softmax(np.array([-huge, -huge], dtype)), [0.5, 0.5])


def test_minus_infinity_gets_no_weight():
    assert_array_equal(softmax(np.array([-np.inf, 5.0, 5.0])), [0, 0.5, 0.5])


def test_a_row_of_minus_infinity_gets_zeros_beside_ordinary_rows():
    x = np.array([[-np.inf, -np.inf], [1.0, 1.0]])
    assert_array_equal(softmax(x), [[0, 0], [0.5, 0.5]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_floats_keep_their_dtype(dtype):
    assert softmax(np.array([1, 2, -np.inf], dtype)).dtype == dtype


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int32, np.int64, np.uint8])
def test_integers_become_float64(dtype):
    weights = softmax(np.array([0, 1], dtype))
    assert weights.dtype == np.float64
    assert_allclose(weights, [1 / (1 + np.e), np.e / (1 + np.e)], rtol=1e-14)


def test_takes_a_list():
    assert_array_equal(softmax([3, 3]), [0.5, 0.5])


def test_leaves_its_input_alone():
    x = np.array([1.0, -np.inf])
    softmax(x)
    assert_array_equal(x, [1.0, -np.inf])
