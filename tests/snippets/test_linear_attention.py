import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.linear_attention import elu_plus_one, linear_attention

rng = np.random.default_rng(0)


def test_the_feature_map_is_positive_and_smooth_at_zero():
    assert_allclose(elu_plus_one(np.array([-1000.0, -2.0, 0.0, 3.0])), [0, np.exp(-2), 1, 4])


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_the_recurrence_is_the_masked_product(batch):
    q, k = rng.normal(size=(2, *batch, 7, 4))
    v = rng.normal(size=(*batch, 7, 3))
    output, state = linear_attention(q, k, v)
    at_once = (q @ k.swapaxes(-1, -2) * np.tri(7)) @ v / 2
    assert_allclose(output, at_once)
    assert_allclose(state, k.swapaxes(-1, -2) @ v)


def test_it_goes_on_from_a_state():
    q, k, v = rng.normal(size=(3, 7, 4))
    g, beta = -rng.random((7, 4)), rng.random((7, 1))
    whole, last = linear_attention(q, k, v, log_decay=g, beta=beta)
    first, state = linear_attention(q[:3], k[:3], v[:3], log_decay=g[:3], beta=beta[:3])
    rest, end = linear_attention(q[3:], k[3:], v[3:], log_decay=g[3:], beta=beta[3:], state=state)
    assert_allclose(np.concatenate([first, rest]), whole)
    assert_allclose(end, last)


def test_decay_weighs_by_age_and_by_feature():
    q, k, v = rng.normal(size=(3, 4, 2))
    g = np.log(np.array([0.5, 0.25]))
    output, _ = linear_attention(q, k, v, log_decay=np.tile(g, (4, 1)), scale=1.0)
    wanted = sum((q[3] * k[s] * np.exp(g * (3 - s))).sum() * v[s] for s in range(4))
    assert_allclose(output[3], wanted)


def test_the_delta_rule_replaces_and_half_of_it_halves():
    key = np.array([[0.6, 0.8], [0.6, 0.8]])
    value = np.array([[1.0], [5.0]])
    for beta, wanted in ((1.0, 5.0), (0.5, 0.5 * 0.5 + 0.5 * 5)):
        output, _ = linear_attention(key, key, value, beta=np.full((2, 1), beta), scale=1.0)
        assert_allclose(output[1], [wanted])
    added, _ = linear_attention(key, key, value, scale=1.0)
    assert_allclose(added[1], [6.0])


def test_float16_keeps_a_wider_state_and_no_tokens_give_no_rows():
    ones = np.ones((4000, 1), np.float16)
    output, state = linear_attention(ones, ones, ones)
    assert output.dtype == np.float16
    assert state.dtype == np.float32
    assert_array_equal(state, [[4000]])
    none, state = linear_attention(ones[:0], ones[:0], ones[:0])
    assert none.shape == (0, 1)
    assert_array_equal(state, [[0]])
    # Values alone may come in a batch.
    none, state = linear_attention(ones[:0], ones[:0], np.ones((2, 0, 3)))
    assert none.shape == (2, 0, 3)
    assert_array_equal(state, np.zeros((2, 1, 3)))


@pytest.mark.parametrize(
    "shapes", [((3, 2), (3, 4), (3, 1)), ((3, 2), (4, 2), (4, 1)), ((3, 2), (3, 2), (4, 1))]
)
def test_what_does_not_fit_is_refused(shapes):
    names = "query {}, key {} and value {} are not".format(*shapes)
    with pytest.raises(ValueError, match="^" + names.replace("(", r"\(").replace(")", r"\)")):
        linear_attention(*map(np.ones, shapes))
