"""Images as tokens: cut into square patches, each made one row, and put together again."""

import numpy as np


def to_patches(image: np.ndarray, size: int) -> np.ndarray:
    """Cut an image into squares, and write the numbers of each as a row.

    Patches come in reading order, row of patches by row; inside a patch the pixels do, too, and
    the channels of a pixel are side by side (Dosovitskiy et al. 2020, section 3.1).

    Parameters
    ----------
    image : (..., height, width, channels)
    size : int
        Pixels on a side of a patch; it divides height and width.

    Returns
    -------
    (..., height / size · width / size, size · size · channels)

    Raises
    ------
    ValueError
        If size does not divide both sides; the message names the image's shape.

    Examples
    --------
    >>> image = np.arange(8).reshape(2, 4, 1)
    >>> image[..., 0]
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]])
    >>> to_patches(image, 2)
    array([[0, 1, 4, 5],
           [2, 3, 6, 7]])
    """
    if image.ndim < 3 or size < 1 or image.shape[-3] % size or image.shape[-2] % size:
        raise ValueError(f"image {image.shape} is not (..., {size} · rows, {size} · columns, c)")
    *batch, height, width, channels = image.shape
    rows, columns = height // size, width // size
    tiles = image.reshape(*batch, rows, size, columns, size, channels)
    tiles = tiles.swapaxes(-4, -3)  # reshape alone would cut the image into strips
    return tiles.reshape(*batch, rows * columns, size * size * channels)


def from_patches(patches: np.ndarray, size: int, shape: tuple[int, int, int]) -> np.ndarray:
    """Put an image together from its patches; undoes to_patches.

    Parameters
    ----------
    patches : (..., height / size · width / size, size · size · channels)
    size : int
        Pixels on a side of a patch.
    shape : tuple of int
        (height, width, channels) of the image.

    Returns
    -------
    (..., height, width, channels)

    Raises
    ------
    ValueError
        If the patches do not make an image of this shape.

    Examples
    --------
    >>> from_patches(np.array([[0, 1, 4, 5], [2, 3, 6, 7]]), 2, (2, 4, 1))[..., 0]
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]])
    """
    height, width, channels = shape
    rows, columns = height // size, width // size
    wanted = (rows * columns, size * size * channels)
    if patches.shape[-2:] != wanted or (rows * size, columns * size) != (height, width):
        raise ValueError(f"patches {patches.shape} of size {size} do not make an image {shape}")
    tiles = patches.reshape(*patches.shape[:-2], rows, columns, size, size, channels)
    return tiles.swapaxes(-4, -3).reshape(*patches.shape[:-2], height, width, channels)
