"""A cache of keys and values: written in as tokens come, and how many bytes it takes.

What is cached does not change any more, because a causal mask hides later tokens from earlier
ones. Attention over the cache is that of `attention`.
"""

import numpy as np


def write_cache(
    cache: np.ndarray, update: np.ndarray, start: int, *, circular: bool = False
) -> np.ndarray:
    """Write the rows of new tokens into a cache that has room for them.

    Row start + i of the cache becomes row i of the update, as the operator TensorScatter of
    ONNX writes (opset 24). A copy is returned; the cache that is passed in does not change.

    Parameters
    ----------
    cache : (..., max_len, d)
        Keys or values; rows that hold no token yet may hold anything.
    update : (..., n, d)
        Those of the new tokens, n of them.
    start : int
        How many tokens came before.
    circular : bool
        Write row max_len over row 0 again, so that the last max_len tokens are kept.

    Returns
    -------
    (..., max_len, d), of the cache's dtype

    Raises
    ------
    ValueError
        If the shapes do not fit (the message names both), or the new rows have no room.

    Examples
    --------
    >>> write_cache(np.zeros((4, 2)), np.array([[1.0, 2.0]]), start=1)
    array([[0., 0.],
           [1., 2.],
           [0., 0.],
           [0., 0.]])
    """
    max_len, n = cache.shape[-2], update.shape[-2]
    if cache.shape[:-2] + cache.shape[-1:] != update.shape[:-2] + update.shape[-1:]:
        raise ValueError(
            f"cache {cache.shape} and update {update.shape} are not (..., max_len, d) and"
            " (..., n, d)"
        )
    if start < 0 or n > max_len or (start + n > max_len and not circular):
        raise ValueError(f"{n} rows from row {start} on have no room in cache {cache.shape}")
    written = cache.copy()
    written[..., np.arange(start, start + n) % max_len, :] = update
    return written


def kv_cache_bytes(
    num_tokens: int,
    num_layers: int,
    num_kv_heads: int,
    head_dim: int,
    *,
    bytes_per_element: int = 2,
    batch_size: int = 1,
) -> int:
    """Count the bytes of the keys and values that a model keeps while it writes.

    2 · batch · tokens · layers · key-value heads · head width · bytes, the first 2 for keys
    and values (Raschka 2024, LLMs-from-scratch, chapter 4, folder 04).

    Parameters
    ----------
    num_tokens : int
        Tokens read and written so far, of one sequence.
    num_layers : int
    num_kv_heads : int
        Heads of keys and values in a layer; with grouped heads fewer than of queries.
    head_dim : int
        Width of a key, and of a value.
    bytes_per_element : int
        2 for float16 and bfloat16.
    batch_size : int
        Sequences written at once.

    Returns
    -------
    int, in bytes

    Raises
    ------
    ValueError
        If a count is negative.

    Examples
    --------
    >>> kv_cache_bytes(32_768, num_layers=32, num_kv_heads=32, head_dim=128)
    17179869184
    """
    factors = (num_tokens, num_layers, num_kv_heads, head_dim, bytes_per_element, batch_size)
    if min(factors) < 0:
        raise ValueError(f"counts must not be negative: {factors}")
    return 2 * int(np.prod(factors, dtype=object))
