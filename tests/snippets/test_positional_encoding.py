import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.positional_encoding import sinusoidal_positions


def test_equals_the_formula_number_by_number():
    positions = sinusoidal_positions(50, 6)
    assert positions.shape == (50, 6)
    for pos, i in np.ndindex(50, 3):
        angle = pos / 10000 ** (2 * i / 6)
        assert_allclose(positions[pos, 2 * i], np.sin(angle), atol=1e-14)
        assert_allclose(positions[pos, 2 * i + 1], np.cos(angle), atol=1e-14)


def test_position_zero_is_zeros_and_ones():
    assert_array_equal(sinusoidal_positions(1, 4), [[0, 1, 0, 1]])


def test_every_row_has_the_same_length_and_no_two_are_alike():
    positions = sinusoidal_positions(2000, 16)
    assert_allclose((positions**2).sum(axis=-1), 8)
    assert len(np.unique(positions.round(9), axis=0)) == 2000


def test_dot_products_depend_on_the_distance_alone():
    positions = sinusoidal_positions(40, 32)
    products = positions @ positions.T
    for distance in range(40):
        assert_allclose(np.diag(products, distance), products[0, distance], rtol=1e-12)


def test_a_shift_is_one_rotation_for_all_positions():
    positions = sinusoidal_positions(40, 8)
    angles = 7 / 10000 ** (np.arange(0, 8, 2) / 8)
    sines, cosines = positions[:-7, 0::2], positions[:-7, 1::2]
    shifted = np.cos(angles) * sines + np.sin(angles) * cosines
    assert_allclose(positions[7:, 0::2], shifted, atol=1e-12)


def test_longest_wavelength_of_the_paper_is_below_ten_thousand_turns():
    # 2π · 10000^(510/512); the last pair of columns turns once in that many positions
    longest = 2 * np.pi / np.arcsin(sinusoidal_positions(2, 512)[1, -2])
    assert_allclose(longest / (2 * np.pi), 9646.6, atol=0.05)


def test_more_positions_leave_the_first_ones_as_they_are():
    assert_array_equal(sinusoidal_positions(9, 4)[:5], sinusoidal_positions(5, 4))


def test_an_odd_width_is_refused():
    with pytest.raises(ValueError, match="d_model must be even, not 5"):
        sinusoidal_positions(3, 5)
