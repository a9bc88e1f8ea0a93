"""Held to closed forms, and to the figures that the papers state them with."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.dilution import keys_until, log_length_factor, scalable_softmax, weight_of_one
from snippets.softmax import softmax

rng = np.random.default_rng(0)
LENGTHS = np.array([2, 10, 1000, 100_000])


def one_above(gap, n, dtype=np.float64):
    """Give n scores: n - 1 times -2, and one that is larger by the gap."""
    return np.append(np.full(n - 1, -2.0), gap - 2.0).astype(dtype)


@pytest.mark.parametrize("gap", [0.0, 1.0, 5.0, 30.0])
@pytest.mark.parametrize("n", LENGTHS)
def test_the_closed_form_is_what_softmax_gives(n, gap):
    assert_allclose(softmax(one_above(gap, n))[-1], weight_of_one(gap, n))


@pytest.mark.parametrize("weight", [0.01, 0.5, 0.99, 1.0])
def test_the_number_of_keys_reverses_the_weight(weight):
    gaps = np.array([0.0, 3.0, 10.0])
    assert_allclose(weight_of_one(gaps, keys_until(gaps, weight)), weight)
    assert_allclose(keys_until(3.0, 0.5), 1 + np.exp(3))


@pytest.mark.parametrize("n", LENGTHS[:3])
def test_no_weight_of_bounded_scores_is_larger(n):
    scores = rng.uniform(-1.5, 1.5, size=(50, n))
    alpha = softmax(scores)
    assert (alpha <= weight_of_one(3.0, n) + 1e-12).all()
    # Veličković et al. 2024, lemma 2.1: between exp(-δ) / n and exp(δ) / n
    assert (alpha <= np.exp(3) / n).all()
    assert (alpha >= np.exp(-3) / n).all()
    assert weight_of_one(3.0, n) <= np.exp(3) / n


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_the_figure_of_the_paper(dtype):
    """Nakanishi 2025, figure 1: -2 but for one +3, s = 0.43; softmax fades, SSMax stays near 1."""
    tops = [scalable_softmax(one_above(5, n, dtype), 0.43)[-1] for n in LENGTHS]
    assert tops[0].dtype == dtype
    assert_allclose(
        [float(top) for top in tops],
        1 / (1 + (LENGTHS - 1) * LENGTHS ** (-0.43 * 5)),
        rtol=20 * np.finfo(dtype).eps,
    )
    assert (np.diff(tops[1:]) >= 0).all()
    assert tops[-1] > 0.99
    assert softmax(one_above(5, LENGTHS[-1], dtype))[-1] < 0.01


def test_a_gap_below_one_over_s_fades_too():
    tops = [scalable_softmax(one_above(2, n), 0.43)[-1] for n in LENGTHS]
    assert (np.diff(tops) < 0).all()


def test_the_factor_is_that_of_qwens_code():
    lengths = np.arange(1, 300)
    wanted = [np.log(i) / np.log(100) if i > 100 else 1 for i in range(1, 300)]
    assert_allclose(log_length_factor(lengths, 100), wanted)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_only_keys_that_may_be_read_are_counted(batch):
    scores = rng.normal(size=(*batch, 5, 5))
    masked = np.where(np.tri(5, dtype=bool), scores, -np.inf)
    alpha = scalable_softmax(masked, 0.7)
    assert alpha.shape == masked.shape
    for place in np.ndindex(batch):
        for i in range(5):
            alone = softmax(0.7 * np.log(i + 1) * scores[place][i, : i + 1])
            assert_allclose(alpha[place][i, : i + 1], alone)
    assert_array_equal(np.where(np.tri(5), 0, alpha), 0)
    assert_array_equal(scalable_softmax(np.full(3, -np.inf), 0.7), 0)


def test_each_head_has_a_sharpness_of_its_own():
    scores, sharpness = rng.normal(size=(3, 4, 6)), np.array([0.1, 0.5, 2.0])[:, None, None]
    alpha = scalable_softmax(scores, sharpness)
    for head in range(3):
        assert_allclose(alpha[head], scalable_softmax(scores[head], sharpness[head]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_large_scores_stay_finite(dtype):
    alpha = scalable_softmax(np.array([6e4, 6e4, -6e4, -np.inf], dtype), 0.43)
    assert_array_equal(alpha, [0.5, 0.5, 0, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weight_of_one(1.0, np.array([3, 0])), r"n \(2,\) is below 1: 0"),
        (lambda: keys_until(1.0, np.array([0.5, 0.0])), r"weight \(2,\) is not above 0"),
        (lambda: keys_until(1.0, 1.5), r"weight \(\) is not above 0"),
        (lambda: log_length_factor(3, 1), "trained 1 is below 2"),
        (lambda: log_length_factor(np.array([0, 1]), 4), r"trained 4 .* n \(2,\) below 1"),
        (lambda: scalable_softmax(np.array(1.0), 0.4), r"scores \(\) are not \(\.\.\., m\)"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
