"""The feed-forward layer of newer models: one product decides how much of another passes."""

import numpy as np

from snippets.projection import project


def swish(x: np.ndarray, beta: float = 1.0) -> np.ndarray:
    """Weigh x by a smooth step: x / (1 + exp(-β x)); with β = 1 also called SiLU.

    Ramachandran et al. 2017, equation 1. Floats keep their dtype.

    Examples
    --------
    >>> swish(np.array([-1.0, 0.0, 2.0])).round(4)
    array([-0.2689,  0.    ,  1.7616])
    """
    x = np.asarray(x)
    wide = x.astype(np.result_type(x, np.float32))
    # exp of a number that is never positive cannot overflow
    small = np.exp(-np.abs(beta * wide))
    share = np.where(beta * wide >= 0, 1, small) / (1 + small)
    output = wide * share
    return output.astype(np.result_type(x, np.float16))


def swiglu(x: np.ndarray, W_gate: np.ndarray, W_up: np.ndarray, W_down: np.ndarray) -> np.ndarray:
    """Widen every token twice, multiply, narrow again: (swish(x W_gate) ⊙ x W_up) W_down.

    Shazeer 2020, equation 6, without biases; the names of the matrices are those of Llama.

    Parameters
    ----------
    x : (..., n, d_model)
    W_gate : (d_model, d_ff)
    W_up : (d_model, d_ff)
    W_down : (d_ff, d_model)

    Returns
    -------
    (..., n, d_model)

    Raises
    ------
    ValueError
        If shapes do not fit; the message names them.

    Examples
    --------
    >>> one = np.array([[1.0]])
    >>> swiglu(np.array([[-1.0], [2.0]]), one, one, one).round(4)
    array([[0.2689],
           [3.5232]])
    """
    if W_gate.shape != W_up.shape:
        raise ValueError(f"W_gate {W_gate.shape} and W_up {W_up.shape} differ in shape")
    return project(swish(project(x, W_gate)) * project(x, W_up), W_down)
