import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.kv_cache import kv_cache_bytes, write_cache


def test_rows_are_written_where_the_tokens_are_and_nowhere_else():
    cache = np.arange(8.0).reshape(4, 2)
    written = write_cache(cache, np.array([[9.0, 8.0], [7.0, 6.0]]), start=1)
    assert_array_equal(written, [[0, 1], [9, 8], [7, 6], [6, 7]])
    assert_array_equal(cache, np.arange(8.0).reshape(4, 2))  # what an earlier step holds stays


def test_a_full_circle_keeps_the_last_rows():
    ring = np.zeros((3, 1))
    for t in range(5):
        ring = write_cache(ring, np.array([[t + 1.0]]), t, circular=True)
    assert_array_equal(ring[:, 0], [4, 5, 3])
    two = write_cache(np.zeros((3, 1)), np.array([[1.0], [2.0]]), 2, circular=True)
    assert_array_equal(two[:, 0], [2, 0, 1])


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_token_by_token_gives_what_a_causal_mask_gives(batch, dtype):
    q, k, v = np.random.default_rng(0).normal(size=(3, *batch, 7, 4)).astype(dtype)
    whole = scaled_dot_product_attention(q, k, v, is_causal=True)
    keys, values = np.full_like(k, np.nan), np.full_like(v, np.nan)
    for t in range(7):
        keys = write_cache(keys, k[..., t : t + 1, :], t)
        values = write_cache(values, v[..., t : t + 1, :], t)
        step = scaled_dot_product_attention(
            q[..., t : t + 1, :], keys[..., : t + 1, :], values[..., : t + 1, :]
        )
        assert step.dtype == dtype
        assert_allclose(step[..., 0, :], whole[..., t, :], atol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize(
    ("cache", "update", "start", "circular", "message"),
    [
        ((4, 2), (1, 3), 0, False, "cache (4, 2) and update (1, 3) are not (..., max_len, d)"),
        ((2, 4, 2), (1, 2), 0, False, "cache (2, 4, 2) and update (1, 2) are not"),
        ((4, 2), (2, 2), 3, False, "2 rows from row 3 on have no room in cache (4, 2)"),
        ((4, 2), (1, 2), -1, True, "1 rows from row -1 on have no room"),
        ((4, 2), (5, 2), 0, True, "5 rows from row 0 on have no room"),
    ],
)
def test_what_does_not_fit_is_refused(cache, update, start, circular, message):
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(").replace(")", r"\)")):
        write_cache(np.zeros(cache), np.zeros(update), start, circular=circular)


# Raschka, LLMs-from-scratch, chapter 4, folders 04 to 06, as printed, in GB of 10^9 bytes.
@pytest.mark.parametrize(
    ("printed", "bytes_"),
    [
        ("17.18", kv_cache_bytes(32_768, 32, 32, 128)),
        ("4.29", kv_cache_bytes(32_768, 32, 8, 128)),
        ("3.14", kv_cache_bytes(1024, 27, 32, 128) + kv_cache_bytes(32_768, 5, 32, 128)),
        ("0.78", kv_cache_bytes(1024, 27, 8, 128) + kv_cache_bytes(32_768, 5, 8, 128)),
        ("3.25", kv_cache_bytes(8192, 48, 24, 86)),
        ("0.81", kv_cache_bytes(8192, 48, 6, 86)),
    ],
)
def test_bytes_are_those_that_raschka_prints(printed, bytes_):
    assert f"{bytes_ / 1e9:.2f}" == printed


def test_bytes_take_every_factor_once_and_never_overflow():
    assert (
        kv_cache_bytes(3, 5, 7, 11, bytes_per_element=4, batch_size=13) == 2 * 3 * 5 * 7 * 11 * 52
    )
    assert kv_cache_bytes(10**9, 10**3, 10**3, 10**3, batch_size=10**6) == 4 * 10**24
    assert kv_cache_bytes(0, 32, 32, 128) == 0
    with pytest.raises(ValueError, match=r"^counts must not be negative: \(-1, 1, 1, 1, 2, 1\)"):
        kv_cache_bytes(-1, 1, 1, 1)
