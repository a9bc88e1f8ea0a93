import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from snippets.patches import from_patches, to_patches


def test_patches_come_in_reading_order_and_so_do_their_pixels():
    image = np.arange(16).reshape(4, 4, 1)
    expected = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    assert_array_equal(to_patches(image, 2), expected)


def test_the_channels_of_a_pixel_are_side_by_side():
    image = np.arange(24).reshape(2, 4, 3)
    expected = [[0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17]]
    assert_array_equal(to_patches(image, 2)[:1], expected)


def test_each_patch_is_a_slice_of_the_image():
    image = np.random.default_rng(0).random((2, 6, 12, 3))
    patches = to_patches(image, 3)
    assert patches.shape == (2, 8, 27)
    for place, (row, column) in enumerate(np.ndindex(2, 4)):
        part = image[:, 3 * row : 3 * row + 3, 3 * column : 3 * column + 3]
        assert_array_equal(patches[:, place], part.reshape(2, 27))


@given(
    st.lists(st.integers(1, 3), max_size=2), st.integers(1, 4), *(st.integers(1, 3) for _ in "rcd")
)
def test_an_image_can_be_put_together_again(batch, size, rows, columns, channels):
    shape = (rows * size, columns * size, channels)
    image = np.arange(np.prod([*batch, *shape])).reshape(*batch, *shape)
    assert_array_equal(from_patches(to_patches(image, size), size, shape), image)


@pytest.mark.parametrize(
    ("shape", "size"), [((5, 4, 1), 2), ((4, 5, 1), 2), ((4, 4), 2), ((4, 4, 1), 0)]
)
def test_an_image_that_cannot_be_cut_is_named(shape, size):
    with pytest.raises(ValueError, match=r"^image ") as error:
        to_patches(np.ones(shape), size)
    assert f"image {shape} is not (..., {size} · rows, {size} · columns, c)" in str(error.value)


@pytest.mark.parametrize(
    ("patches", "size", "shape"),
    [
        ((4, 4), 2, (4, 6, 1)),
        ((4, 5), 2, (4, 4, 1)),
        ((4, 4), 2, (5, 4, 1)),
        ((4, 4), 2, (4, 5, 1)),
        ((4, 12), 2, (4, 4, 1)),
    ],
)
def test_patches_that_make_no_image_are_named(patches, size, shape):
    with pytest.raises(ValueError, match="do not make") as error:
        from_patches(np.ones(patches), size, shape)
    expected = f"patches {patches} of size {size} do not make an image {shape}"
    assert str(error.value) == expected
