import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.difference_quotient import difference_quotient
from snippets.embedding import embed, embed_backward

E = np.array([[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]])
POSITIONS = np.array([[0.1, 0.2], [0.3, 0.5], [0.7, 1.1], [1.3, 1.7]])


def test_the_row_of_the_token_and_the_row_of_the_place_are_added():
    numbers = np.array([[2, 0, 2], [1, 1, 0]])
    expected = [[[7.1, 11.2], [1.3, 2.5], [7.7, 12.1]], [[3.1, 5.2], [3.3, 5.5], [1.7, 3.1]]]
    assert_allclose(embed(numbers, E, POSITIONS), expected, rtol=1e-15)


def test_with_the_positions_that_are_left_it_goes_on_where_it_stopped():
    whole = embed(np.array([2, 0, 1]), E, POSITIONS)
    assert_array_equal(embed(np.array([1]), E, POSITIONS[2:]), whole[2:])


@pytest.mark.parametrize("numbers", [[0, 2, 2], [[2, 0, 2], [1, 1, 0]]])
def test_the_gradients_are_difference_quotients(numbers):
    numbers = np.array(numbers)
    dL_dx = np.random.default_rng(0).standard_normal((*numbers.shape, 2))
    dL_dE, dL_dpositions = embed_backward(dL_dx, numbers, E, POSITIONS)
    quotient = difference_quotient(lambda E: (dL_dx * embed(numbers, E, POSITIONS)).sum(), E)
    assert_allclose(dL_dE, quotient, atol=1e-7)
    quotient = difference_quotient(lambda p: (dL_dx * embed(numbers, E, p)).sum(), POSITIONS)
    assert_allclose(dL_dpositions, quotient, atol=1e-7)
    assert not dL_dpositions[3].any()  # nothing stood there


@pytest.mark.parametrize("number", [-1, 3])
def test_a_number_of_no_token_is_refused(number):
    with pytest.raises(ValueError, match="not between 0 and 2"):
        embed(np.array([0, number]), E, POSITIONS)


def test_more_tokens_than_positions_are_refused():
    with pytest.raises(ValueError, match=r"numbers \(2, 5\): more than 4 tokens"):
        embed(np.zeros((2, 5), int), E, POSITIONS)


def test_a_gradient_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"dL_dx \(3, 2\) does not fit numbers \(2,\), E \(3, 2\)"):
        embed_backward(np.zeros((3, 2)), np.zeros(2, int), E, POSITIONS)
