"""All weights of a model as one vector, and back: what training moves, and what a file keeps."""

from typing import Any

import numpy as np


def parameters_to_vector(weights: Any) -> np.ndarray:
    """Put the numbers of all arrays of a model behind one another.

    The name is that of PyTorch's function in `torch.nn.utils`.

    Parameters
    ----------
    weights : an array, None, or a tuple of such, nested as deep as you like

    Returns
    -------
    (count,)

    Examples
    --------
    >>> parameters_to_vector((np.array([[1.0, 2.0]]), (None, np.array([3.0]))))
    array([1., 2., 3.])
    """
    arrays = _arrays(weights)
    return np.concatenate([array.ravel() for array in arrays]) if arrays else np.zeros(0)


def vector_to_parameters(vector: np.ndarray, like: Any) -> Any:
    """Give a vector's numbers the places they had; undoes `parameters_to_vector`.

    Parameters
    ----------
    vector : (count,)
    like : weights of the wanted shapes
        Only the shapes of its arrays count.

    Returns
    -------
    As `like`, with the vector's numbers

    Raises
    ------
    ValueError
        If the vector holds more or fewer numbers than `like`.

    Examples
    --------
    >>> vector_to_parameters(np.array([1.0, 2.0, 3.0]), like=(np.zeros((1, 2)), None, np.zeros(1)))
    (array([[1., 2.]]), None, array([3.]))
    """
    count = sum(array.size for array in _arrays(like))
    if vector.shape != (count,):
        raise ValueError(f"vector {vector.shape} is not ({count},)")
    return _fill(like, vector)[0]


def _arrays(weights: Any) -> list[np.ndarray]:
    if weights is None:
        return []
    if isinstance(weights, np.ndarray):
        return [weights]
    return [array for part in weights for array in _arrays(part)]


def _fill(like: Any, vector: np.ndarray) -> tuple[Any, np.ndarray]:
    """Take what `like` needs from the front of the vector, and give back the rest."""
    if like is None:
        return None, vector
    if isinstance(like, np.ndarray):
        return vector[: like.size].reshape(like.shape), vector[like.size :]
    parts = []
    for part in like:
        filled, vector = _fill(part, vector)
        parts.append(filled)
    return (type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)), vector
