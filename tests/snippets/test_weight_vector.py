import numpy as np
import pytest
from numpy.testing import assert_array_equal

from snippets.adam import AdamState
from snippets.weight_vector import parameters_to_vector, vector_to_parameters

NESTED = (
    np.arange(6.0).reshape(2, 3),
    (AdamState(np.array([7.0]), np.array([[8.0]]), None),),
    None,
)


def test_there_and_back():
    vector = parameters_to_vector(NESTED)
    assert_array_equal(vector, [0, 1, 2, 3, 4, 5, 7, 8])
    back = vector_to_parameters(-vector, like=NESTED)
    assert_array_equal(back[0], [[0, -1, -2], [-3, -4, -5]])
    assert isinstance(back[1][0], AdamState)
    assert_array_equal(back[1][0].square, [[-8]])
    assert back[1][0].step is None
    assert back[2] is None


def test_nothing_is_nothing():
    assert parameters_to_vector((None, ())).shape == (0,)


@pytest.mark.parametrize("count", [7, 9])
def test_another_count_is_refused(count):
    with pytest.raises(ValueError, match=rf"vector \({count},\) is not \(8,\)"):
        vector_to_parameters(np.zeros(count), like=NESTED)
