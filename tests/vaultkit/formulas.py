"""The variables that statements are judged on: ``cases/true.txt`` and ``cases/false.txt``."""

from typing import Any

import numpy as np

_RNG = np.random.default_rng(7)
Q, K, V = _RNG.normal(size=(5, 3)), _RNG.normal(size=(5, 3)), _RNG.normal(size=(5, 2))
S = Q @ K.T


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def relu(x: Any) -> Any:
    return np.maximum(0, x)


def shout(x: Any) -> Any:
    x[:] = 0
    return x


_ALPHA = softmax(S / np.sqrt(3))
_MASK = np.where(np.tri(5, dtype=bool), 0.0, -1e9)
NOTE: dict[str, Any] = {
    "Q": Q, "K": K, "V": V, "S": S, "alpha": _ALPHA, "Z": _ALPHA @ V, "softmax": softmax,
    "relu": relu, "shout": shout, "n": 5, "d_k": 3, "d_v": 2, "M": _MASK, "masked": S + _MASK,
    "x": np.array([3.0, -4.0, 12.0]), "y": np.array([1.0, 2.0, 3.0]),
    "u": np.array([1.0, 0.0, 0.0]),
    "A": np.array([[2.0, 1.0], [0.0, 3.0]]), "B": np.array([[1.0, 4.0], [2.0, 2.0]]),
    "big": np.array([1.0, 1.0, 1e9]), "other": np.array([1.5, 0.5, 1e9]), "huge": 1e12,
    "p": np.array([0.25, 0.25, 0.5]), "m": np.array([[True, False], [True, True]]),
    "c": 2.0, "t": 0.7, "theta": np.pi / 3, "epsilon": 1e-5, "rate": 1.3e-3, "share": 0.125,
    "x32": np.float32(Q), "y32": np.float32(Q) @ np.float32(K).T, "h16": np.float16([0.1, 0.2]),
    "long": np.arange(1.0, 31.0), "w": np.array([[1, 0, 1], [0, 0, 1]]), "i": 4, "j": 2,
    "wait": 12.0, "dL_dV": V, "dL_dW_Q": K, "loss": 0.25, "numbers": np.arange(1, 8),
    "x_0": 5.0, "z": np.array([1, 2, 3]), "W_1": np.eye(3), "head": [Q, K], "H": np.hstack([Q, K]),
    "tiny": 1e-20, "zero": 0.0, "counts": np.array([0, 3, 5]), "R": np.eye(2)[::-1],
    "small": 1e-3, "large": 1e3, "v_big": np.array([1e9, 0.5]), "f_pair": lambda x: (x, x),
    "PE": np.array([[np.sin(p), np.cos(p)] for p in range(4)]), "b": np.array([[1.0, 2.0, 3.0]]),
    "w_max": 9, "g": _RNG.normal(size=20_000), "h": _RNG.normal(size=20_000),
}  # fmt: skip
