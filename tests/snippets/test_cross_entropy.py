import numpy as np
import pytest
from numpy.testing import assert_allclose

from snippets.cross_entropy import cross_entropy, cross_entropy_backward
from snippets.difference_quotient import difference_quotient


def test_is_the_negative_logarithm_of_the_probability():
    logits = np.log([[0.2, 0.3, 0.5], [0.9, 0.05, 0.05]]) + 7  # a constant cancels
    assert_allclose(cross_entropy(logits[:1], np.array([2])), np.log(2), rtol=1e-12)
    assert_allclose(
        cross_entropy(logits, np.array([1, 0])), -(np.log(0.3) + np.log(0.9)) / 2, rtol=1e-12
    )


def test_is_finite_where_the_probability_underflows():
    logits, target = np.array([[0.0, 2000.0]]), np.array([0])
    assert cross_entropy(logits, target) == 2000
    assert_allclose(cross_entropy_backward(logits, target), [[-1, 1]])


def test_each_row_has_its_own_largest_score():
    logits = np.array([[0.0, 0.0], [1e5, 1e5]])
    assert_allclose(cross_entropy(logits, np.array([0, 0])), np.log(2), rtol=1e-12)


@pytest.mark.parametrize("lead", [(), (3,), (2, 3)])
def test_the_gradient_is_the_difference_quotient(lead):
    rng = np.random.default_rng(0)
    logits, target = rng.normal(size=(*lead, 5)), rng.integers(5, size=lead)
    assert_allclose(
        cross_entropy_backward(logits, target),
        difference_quotient(lambda x: cross_entropy(x, target), logits),
        atol=1e-9,
    )


@pytest.mark.parametrize("function", [cross_entropy, cross_entropy_backward])
@pytest.mark.parametrize(
    ("shape", "target", "words"),
    [
        ((2, 3), [0], r"logits \(2, 3\) and target \(1,\)"),
        ((0, 3), [], r"logits \(0, 3\) and target \(0,\)"),
        ((2, 3), [0, 3], "not between 0 and 2"),
        ((2, 3), [-1, 0], "not between 0 and 2"),
        ((1, 2, 5), [[0, 7]], "not between 0 and 4"),
    ],
)
def test_refuses_what_does_not_fit(function, shape, target, words):
    with pytest.raises(ValueError, match=words):
        function(np.zeros(shape), np.array(target, dtype=int))
