import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.sampling import next_token_probabilities
from snippets.softmax import softmax

P = np.array([0.1, 0.5, 0.05, 0.3, 0.05])
LOGITS = np.log(P) + 7


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, P),
        ({"top_k": 5}, P),
        ({"top_k": 9}, P),
        ({"top_k": 1}, [0, 1, 0, 0, 0]),
        ({"top_k": 3}, np.array([0.1, 0.5, 0, 0.3, 0]) / 0.9),
        ({"top_k": 4}, P),  # two are equally likely
        ({"top_p": 0.01}, [0, 1, 0, 0, 0]),
        ({"top_p": 0.49}, [0, 1, 0, 0, 0]),
        ({"top_p": 0.7}, np.array([0, 0.5, 0, 0.3, 0]) / 0.8),
        ({"top_p": 0.92}, np.array([0.1, 0.5, 0.05, 0.3, 0]) / 0.95),
        ({"temperature": 0.5}, P**2 / sum(P**2)),
        ({"temperature": 2}, P**0.5 / sum(P**0.5)),
        ({"temperature": 0.5, "top_k": 2}, np.array([0, 0.25, 0, 0.09, 0]) / 0.34),
        # top_p looks at what top_k left: 0.5 of 0.8 is 0.625
        ({"top_k": 2, "top_p": 0.6}, [0, 1, 0, 0, 0]),
        ({"min_p": 0.15}, np.array([0.1, 0.5, 0, 0.3, 0]) / 0.9),
        ({"min_p": 1.0}, [0, 1, 0, 0, 0]),
        ({"temperature": 0.5, "min_p": 0.3}, np.array([0, 0.25, 0, 0.09, 0]) / 0.34),
    ],
)
def test_what_is_kept(options, expected):
    assert_allclose(next_token_probabilities(LOGITS, **options), expected, atol=1e-12)
    both = next_token_probabilities(np.stack([LOGITS, LOGITS[::-1]]), **options)
    assert_allclose(both.sum(axis=-1), 1)
    assert_allclose(both[0], expected, atol=1e-12)


def test_min_p_keeps_what_hugging_faces_test_keeps():
    """tests/generation/test_logits_process.py, test_min_p_dist_warper, with 0.05."""
    p = np.array([[0.9, 0.0274, 0.047, 0.0274], [0.15, 0.3, 0.3, 0.25], [0.97, 0.01, 0.01, 0.01]])
    kept = np.array([[0.9, 0, 0.047, 0], [0.15, 0.3, 0.3, 0.25], [0.97, 0, 0, 0]])
    found = next_token_probabilities(np.log(p), min_p=0.05)
    assert_allclose(found, kept / kept.sum(axis=-1, keepdims=True))


def test_no_token_is_too_rare_where_nothing_is_left_out():
    rare = next_token_probabilities(np.array([0.0, -60.0, -70.0]), top_p=1.0)
    assert_allclose(rare[1:], np.exp([-60.0, -70.0]))


def test_huge_logits_are_finite():
    p = next_token_probabilities(np.array([1e5, -1e5, 0.0]), temperature=1e-3, top_k=2, top_p=0.5)
    assert_array_equal(p, [1, 0, 0])
    assert_array_equal(next_token_probabilities(np.zeros(3)), softmax(np.zeros(3)))


@pytest.mark.parametrize(
    "options",
    [{"temperature": 0}, {"temperature": -1}, {"top_p": 0}, {"top_p": 1.1}, {"top_k": 0}],
)
def test_settings_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match="must be above 0"):
        next_token_probabilities(LOGITS, **options)


@pytest.mark.parametrize("min_p", [-0.1, 1.1])
def test_a_share_out_of_range_is_refused(min_p):
    with pytest.raises(ValueError, match=r"^min_p .* between 0 and 1"):
        next_token_probabilities(LOGITS, min_p=min_p)
