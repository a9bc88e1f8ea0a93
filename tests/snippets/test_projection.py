import numpy as np
import pytest
from numpy.testing import assert_array_equal

from snippets.projection import project

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
WEIGHT = np.array([[10.0, 1.0, 0.0], [0.0, 1.0, 100.0]])


def test_multiplies_every_token_by_the_weight():
    assert_array_equal(project(X, WEIGHT), [[10, 3, 200], [30, 7, 400], [50, 11, 600]])


def test_adds_the_bias_to_every_token():
    bias = np.array([1.0, 2.0, 3.0])
    assert_array_equal(project(X, WEIGHT, bias), [[11, 5, 203], [31, 9, 403], [51, 13, 603]])


def test_takes_one_token():
    assert_array_equal(project(X[1], WEIGHT), [30, 7, 400])


def test_takes_any_batch_axes():
    batch = np.array([[X, 2 * X]])
    assert_array_equal(project(batch, WEIGHT), [[X @ WEIGHT, 2 * X @ WEIGHT]])


def test_keeps_float32():
    arrays = (X.astype(np.float32), WEIGHT.astype(np.float32), np.ones(3, np.float32))
    assert project(*arrays).dtype == np.float32


@pytest.mark.parametrize(
    ("x", "weight"),
    [((3, 2), (3, 2)), ((3, 2), (2,)), ((3, 2), (1, 2, 3)), ((), (2, 3)), ((2, 2), ())],
)
def test_names_both_shapes_when_the_weight_does_not_fit(x, weight):
    with pytest.raises(ValueError, match="does not fit") as error:
        project(np.ones(x), np.ones(weight))
    assert str(error.value) == f"x {x} does not fit weight {weight}"


@pytest.mark.parametrize("bias", [(2,), (1,), (), (3, 3)])
def test_names_both_shapes_when_the_bias_does_not_fit(bias):
    with pytest.raises(ValueError, match="does not fit") as error:
        project(X, WEIGHT, np.ones(bias))
    assert str(error.value) == f"bias {bias} does not fit weight (2, 3)"
