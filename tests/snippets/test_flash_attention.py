import numpy as np
import pytest
from numpy.testing import assert_allclose

from snippets.attention import scaled_dot_product_attention
from snippets.backward import scaled_dot_product_attention_backward
from snippets.flash_attention import (
    EXP2,
    exp2_by_polynomial,
    flash_attention,
    flash_attention_backward,
)
from snippets.small_floats import round_to_float

rng = np.random.default_rng(0)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("tile", [1, 2, 3, 5, 64])
@pytest.mark.parametrize(("n", "m"), [(5, 5), (7, 4), (4, 7), (1, 3)])
@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_tiles_change_nothing(batch, n, m, tile, is_causal):
    q, k = rng.normal(size=(*batch, n, 4)), rng.normal(size=(*batch, m, 4))
    v = rng.normal(size=(*batch, m, 3))
    output, log_sum_exp = flash_attention(q, k, v, tile=tile, is_causal=is_causal)
    wanted = scaled_dot_product_attention(q, k, v, is_causal=is_causal)
    assert_allclose(output, wanted)
    scores = q @ k.swapaxes(-1, -2) / 2
    scores = np.where(np.tri(n, m) if is_causal else True, scores, -np.inf)
    assert_allclose(log_sum_exp, np.log(np.exp(scores).sum(axis=-1)))

    gradient = rng.normal(size=output.shape)
    got = flash_attention_backward(
        gradient, q, k, v, output, log_sum_exp, tile=tile, is_causal=is_causal
    )
    truth = scaled_dot_product_attention_backward(gradient, q, k, v, is_causal=is_causal)
    for a, b in zip(got, truth, strict=True):
        assert_allclose(a, b, atol=1e-12)


def test_large_scores_stay_finite_whichever_tile_they_are_in():
    q, k = np.full((1, 1), 1e3), np.array([[1.0], [3.0], [2.0]])
    output, log_sum_exp = flash_attention(q, k, np.array([[1.0], [2.0], [3.0]]), tile=1, scale=1.0)
    assert_allclose(output, [[2.0]])
    assert_allclose(log_sum_exp, [3000.0])


def test_a_scale_is_taken_in_both_directions():
    q, k, v, gradient = rng.normal(size=(4, 5, 4))
    output, log_sum_exp = flash_attention(q, k, v, tile=2, scale=0.3)
    assert_allclose(output, scaled_dot_product_attention(q, k, v, scale=0.3))
    got = flash_attention_backward(gradient, q, k, v, output, log_sum_exp, tile=3, scale=0.3)
    truth = scaled_dot_product_attention_backward(gradient, q, k, v, scale=0.3)
    for a, b in zip(got, truth, strict=True):
        assert_allclose(a, b)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtypes_stay_and_the_error_is_that_of_the_type(dtype):
    q, k, v = rng.normal(size=(3, 50, 8))
    output, _ = flash_attention(*(x.astype(dtype) for x in (q, k, v)), tile=7)
    assert output.dtype == dtype
    assert_allclose(output, scaled_dot_product_attention(q, k, v), atol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize(("dtype", "units"), [(np.float16, 0.5), (np.float32, 8), (np.float64, 8)])
def test_gradients_keep_the_dtype_and_have_the_error_of_the_type(dtype, units):
    q, k, v, gradient = (x.astype(dtype) for x in rng.normal(size=(4, 200, 8)))
    output, log_sum_exp = flash_attention(q, k, v, tile=7)
    got = flash_attention_backward(gradient, q, k, v, output, log_sum_exp, tile=7)
    exact = (x.astype(float) for x in (gradient, q, k, v))
    for a, b in zip(got, scaled_dot_product_attention_backward(*exact), strict=True):
        assert a.dtype == dtype
        assert_allclose(a, b, rtol=0, atol=units * np.finfo(dtype).eps)


def test_gradients_stay_finite_where_scores_exceed_float16():
    q, k = np.full((2, 3, 64), 40, np.float16)  # scores of 102,400
    v, gradient = np.ones((2, 3, 64), np.float16)
    v[0] = 0
    output, log_sum_exp = flash_attention(q, k, v)
    got = flash_attention_backward(gradient, q, k, v, output, log_sum_exp)
    assert all(np.isfinite(x).all() for x in got)
    assert_allclose(got[2], v * 0 + 1, rtol=1e-3)  # the weights are even


@pytest.mark.parametrize(
    "shapes", [((2, 3), (2, 4), (2, 1)), ((2, 3), (2, 3), (3, 1)), ((2, 3), (0, 3), (0, 1))]
)
def test_what_does_not_fit_is_refused(shapes):
    names = "query {}, key {} and value {} are not".format(*shapes)
    with pytest.raises(ValueError, match="^" + names.replace("(", r"\(").replace(")", r"\)")):
        flash_attention(*map(np.ones, shapes))


def test_a_gradient_of_another_shape_is_refused():
    one = np.ones((2, 3))
    with pytest.raises(ValueError, match=r"^dL_doutput \(2, 1\) and output \(2, 3\) differ"):
        flash_attention_backward(np.ones((2, 1)), one, one, one, one, np.ones(2))


def worst(coefficients):
    """Give the largest relative error of a polynomial for 2^r."""
    r = np.linspace(0, 1, 10_001)
    return np.abs(np.polynomial.Polynomial(coefficients)(r) / 2**r - 1).max()


def test_the_polynomial_is_as_good_as_that_of_flash_attention_4(published):
    theirs = published("flashattention4.exp2")
    assert_allclose(EXP2, theirs, atol=1e-4)
    assert worst(EXP2) < worst(theirs)
    assert round(worst(theirs), 6) == 8.8e-5


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_a_power_of_two_by_products_and_sums(batch, dtype):
    x = rng.uniform(-14, 15, (*batch, 50)).astype(dtype)
    found = exp2_by_polynomial(x)
    assert found.dtype == dtype
    assert_allclose(found, np.exp2(x.astype(float)), rtol=8.6e-5 + 2 * np.finfo(dtype).eps)
    whole = np.array([-np.inf, -np.inf, -3, 0, 10], dtype)
    assert exp2_by_polynomial(whole).tolist() == [0, 0, 0.125, 1, 1024]


def test_in_bfloat16_it_is_nearly_always_the_same():
    """The paper says so of 99 % of all inputs, up to one unit in the last place."""
    x = np.linspace(-16, 0, 20_001)
    found, wanted = (round_to_float(y, 8, 7) for y in (exp2_by_polynomial(x), 2**x))
    assert np.mean(found == wanted) > 0.985
    assert_allclose(found, wanted, rtol=2.0**-7)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_sums_that_are_rescaled_seldom_give_the_same(dtype, is_causal):
    q, k, v = (3 * rng.normal(size=(3, 40, 8))).astype(dtype)
    often = flash_attention(q, k, v, tile=4, is_causal=is_causal)
    for above in (np.log(256), 1e9):
        seldom = flash_attention(q, k, v, tile=4, is_causal=is_causal, rescale_above=above)
        for a, b in zip(often, seldom, strict=True):
            assert a.dtype == b.dtype
            unit = 16 * np.finfo(dtype).eps
            assert_allclose(a, b, rtol=unit, atol=unit)
    with np.errstate(over="ignore", invalid="ignore"):  # the old maximum was kept
        assert np.isnan(flash_attention(50 * q, k, v, tile=4, rescale_above=1e9)[0]).any()
