"""Held to the tables that huggingface/transformers prints in its tests, test_modeling_rope_utils.

Their settings: a head of width 128, the base 10,000, 2,048 tokens of training, the factor 10.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.context_extension import (
    attention_factor,
    by_parts,
    dynamic_stretch,
    ntk_base,
    yarn_frequencies,
)
from snippets.rotary import rotary_angles, rotate

WIDTH, TRAINED, FACTOR = 128, 2048, 10.0
TRAINED_THETA = rotary_angles(1, WIDTH)


def dynamic(length):
    return rotary_angles(1, WIDTH, ntk_base(WIDTH, dynamic_stretch(length, TRAINED, FACTOR)))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("default", TRAINED_THETA),
        ("default", dynamic(1)),
        ("dynamic", dynamic(16_384)),
        ("yarn", yarn_frequencies(WIDTH, FACTOR, TRAINED)),
        ("llama3", by_parts(TRAINED_THETA, FACTOR, TRAINED, slow=1, fast=4)),
    ],
)
def test_the_printed_tables_come_out(name, found, published):
    table = published(f"transformers.{name}")
    assert table.shape == found.shape == (64,)
    assert_array_equal([float(f"{theta:.4e}") for theta in found], table)  # every printed digit


def test_the_ramp_of_the_code_is_not_that_of_the_paper(published):
    paper = by_parts(TRAINED_THETA, FACTOR, TRAINED, slow=1, fast=32)
    assert abs(paper / published("transformers.yarn") - 1).max() > 0.3


@pytest.mark.parametrize("factor", [2.0, 10.0, 20.0])
def test_bounds_that_their_tests_state(factor):
    for slowed in (
        yarn_frequencies(WIDTH, factor, TRAINED),
        by_parts(TRAINED_THETA, factor, TRAINED, fast=4.0),
    ):
        assert (slowed <= TRAINED_THETA + 1e-8).all()
        assert (slowed >= TRAINED_THETA / factor - 1e-8).all()
    wide = yarn_frequencies(WIDTH, factor, TRAINED, fast=1000.0)
    assert (wide[1:] < TRAINED_THETA[1:] + 1e-8).all()
    assert_allclose(wide[-20:], TRAINED_THETA[-20:] / factor)
    assert attention_factor(factor) == 0.1 * np.log(factor) + 1.0


def test_the_paper_prints_the_factor_for_eight():
    assert round(float(attention_factor(8.0)), 3) == 1.208  # equation 25


def test_the_larger_base_keeps_the_first_pair_and_slows_the_last_as_interpolation_does():
    theta = rotary_angles(1, WIDTH, ntk_base(WIDTH, 10.0))
    assert theta[0] == 1
    assert_allclose(theta[-1], TRAINED_THETA[-1] / 10)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_each_text_may_have_a_stretch_of_its_own(batch):
    stretch = 1 + np.arange(np.prod(batch, dtype=int)).reshape(batch)
    for function in (
        lambda s: by_parts(TRAINED_THETA, s, TRAINED),
        lambda s: yarn_frequencies(WIDTH, s, TRAINED),
    ):
        found = function(stretch)
        assert found.shape == (*batch, 64)
        for place in np.ndindex(batch):
            assert_array_equal(found[place], function(stretch[place]))
    lengths = TRAINED * stretch
    assert_array_equal(dynamic_stretch(lengths, TRAINED), stretch)
    assert ntk_base(WIDTH, stretch).shape == attention_factor(stretch).shape == batch


def test_a_stretch_of_one_changes_nothing():
    assert ntk_base(WIDTH, 1.0) == 10_000
    assert_array_equal(by_parts(TRAINED_THETA, 1.0, TRAINED), TRAINED_THETA)
    assert_allclose(yarn_frequencies(WIDTH, 1.0, TRAINED), TRAINED_THETA, rtol=1e-14)
    assert attention_factor(1.0) == 1


def test_a_ramp_of_no_length_is_a_step():
    step = yarn_frequencies(8, 10.0, trained=1, slow=1.0, fast=32.0)
    assert_allclose(step, rotary_angles(1, 8) / [1, 10, 10, 10])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_scores_in_less_precision_are_those_of_double(dtype):
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 5, WIDTH)).astype(dtype)
    angles = np.array([0, 1, 2049, 8191, 32_767])[:, None] * yarn_frequencies(WIDTH, 16.0, TRAINED)

    def scores(dtype):
        cos, sin = ((attention_factor(16.0) * f(angles)).astype(dtype) for f in (np.cos, np.sin))
        a, b = (rotate(x.astype(dtype), cos, sin) for x in (q, k))
        return (a @ b.T).astype(np.float64)

    wanted = scores(np.float64)
    plain = rotate(q.astype(float), np.cos(angles), np.sin(angles))
    other = rotate(k.astype(float), np.cos(angles), np.sin(angles))
    assert_allclose(wanted, attention_factor(16.0) ** 2 * plain @ other.T)
    assert abs(scores(dtype) - wanted).max() <= 40 * np.finfo(dtype).eps * abs(wanted).max()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ntk_base(5, 2.0), "width must be even and at least 4, not 5"),
        (lambda: ntk_base(2, 2.0), "width must be even and at least 4, not 2"),
        (lambda: ntk_base(8, np.array([1.0, 0.5])), r"a stretch \(2,\) is below 1: 0.5"),
        (lambda: attention_factor(np.nan), "a stretch"),
        (lambda: dynamic_stretch(8, 0), "trained must be positive, not 0"),
        (lambda: by_parts(np.ones((2, 4)), 2.0, 8), r"frequencies \(2, 4\) are not \(r,\)"),
        (lambda: by_parts(np.ones(4), 2.0, 8, 4.0, 4.0), "frequencies .* slow 4.0 is not below"),
        (lambda: by_parts(np.ones(4), 0.5, 8), "a stretch"),
        (lambda: yarn_frequencies(5, 2.0, 8), "width 5 is odd"),
        (lambda: yarn_frequencies(4, 2.0, 8, slow=2.0, fast=1.0), "width 4 .* slow 2.0 is not"),
        (lambda: yarn_frequencies(4, 0.5, 8), "a stretch"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
