import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import attention_scores, scaled_dot_product_attention
from snippets.rotary import alibi_bias, alibi_slopes, rotary_angles, rotate

rng = np.random.default_rng(0)


def turned(x, positions, **options):
    angles = rotary_angles(positions, x.shape[-1])
    return rotate(x, np.cos(angles), np.sin(angles), **options)


def test_angles_are_those_of_the_paper():
    angles = rotary_angles(np.array([0, 3]), 6, base=1000.0)
    assert_allclose(angles, [[0, 0, 0], [3, 0.3, 0.03]])


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_a_pair_is_a_complex_number_and_a_turn_a_factor(batch, interleaved):
    x, positions = rng.normal(size=(*batch, 5, 8)), np.arange(5)
    factor = np.exp(1j * rotary_angles(positions, 8))
    if interleaved:
        wanted = (x[..., ::2] + 1j * x[..., 1::2]) * factor
        got = turned(x, positions, interleaved=True)
        assert_allclose(got[..., ::2] + 1j * got[..., 1::2], wanted)
    else:
        wanted = (x[..., :4] + 1j * x[..., 4:]) * factor
        got = turned(x, positions)
        assert_allclose(got[..., :4] + 1j * got[..., 4:], wanted)


@pytest.mark.parametrize("interleaved", [False, True])
def test_scores_depend_on_the_difference_of_positions(interleaved):
    q, k = rng.normal(size=(2, 5, 8))
    here, there = (
        attention_scores(
            turned(q, np.arange(5) + shift, interleaved=interleaved),
            turned(k, np.arange(5) + shift, interleaved=interleaved),
        )
        for shift in (0, 1000)
    )
    assert_allclose(here, there, atol=1e-10)
    assert abs(here - attention_scores(q, k)).max() > 0.1


def test_numbers_behind_the_rotary_width_stay():
    x, angles = rng.normal(size=(5, 8)), rotary_angles(np.arange(5), 4)
    got = rotate(x, np.cos(angles), np.sin(angles))
    assert_array_equal(got[:, 4:], x[:, 4:])
    assert_allclose(got[:, :4], turned(x[:, :4], np.arange(5)))


def test_one_table_serves_all_heads_and_dtypes_stay():
    x = rng.normal(size=(2, 3, 5, 8)).astype(np.float16)
    got = turned(x, np.arange(5))
    assert got.dtype == np.float16
    assert_allclose(got[1, 2], turned(x[1, 2], np.arange(5)))
    one = turned(x[0, 0, :1], np.arange(5))  # one query at five positions
    assert one.shape == (5, 8)


def test_slopes_of_eight_heads_are_those_of_the_paper():
    assert_array_equal(
        alibi_slopes(8), [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    )
    assert_allclose(alibi_slopes(16)[:2], [2**-0.5, 0.5])


def test_the_bias_falls_with_distance_and_masks_the_future():
    bias = alibi_bias(8, 4)
    assert_array_equal(bias[1, 3], [-0.75, -0.5, -0.25, 0])
    assert_array_equal(np.isneginf(bias[0]), ~np.tri(4, dtype=bool))
    assert not np.signbit(bias[0].diagonal()).any()
    x = rng.normal(size=(8, 4, 3))
    whole = scaled_dot_product_attention(x, x, x, bias)
    assert_allclose(whole[:, :2], scaled_dot_product_attention(*[x[:, :2]] * 3, alibi_bias(8, 2)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rotary_angles(np.arange(2), 3), "width must be even, not 3"),
        (lambda: alibi_slopes(6), "num_heads must be a power of 2, not 6"),
        (lambda: alibi_bias(0, 2), "num_heads must be a power of 2, not 0"),
        (
            lambda: rotate(np.ones((2, 4)), np.ones((2, 2)), np.ones((2, 1))),
            r"x \(2, 4\), cos \(2, 2\) and sin \(2, 1\) are not",
        ),
        (
            lambda: rotate(np.ones((2, 4)), np.ones((2, 3)), np.ones((2, 3))),
            r"x \(2, 4\), cos \(2, 3\) and sin \(2, 3\) are not",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
