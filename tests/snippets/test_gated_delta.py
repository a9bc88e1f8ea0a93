"""Held to the reference code of Gated DeltaNet's and Mamba-2's authors, and to the recurrence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.gated_delta import (
    causal_conv,
    chunked_linear_attention,
    faded_products,
    token_matrix,
    wy_form,
)
from snippets.linear_attention import linear_attention

PRINTED = 1e-5  # five decimals; fla's are float32
rng = np.random.default_rng(0)


def filled(shape, seed):
    """Fill an array with numbers that need no file: the same as were given to their code."""
    k = np.arange(np.prod(shape))
    return (((k * k * (seed % 7 + 1) + 7 * k + 13 * seed) % 101) / 50.5 - 1).reshape(shape)


def given(n):
    """Give what their code was given, with heads before tokens."""
    q, k, v = filled((n, 2, 4), 1), filled((n, 2, 4), 2), filled((n, 2, 3), 3)
    beta, g = (1 + filled((n, 2), 4)) / 2, -(1 + filled((n, 2), 5)) / 2
    q, k, v, beta, g = (x.swapaxes(0, 1) for x in (q, k, v, beta[..., None], g[..., None]))
    return q, k, v, {"beta": beta, "log_decay": g}


def drawn(n=50, d_k=6, d_v=5, batch=(2,)):
    q, k = rng.normal(size=(2, *batch, n, d_k))
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    v = rng.normal(size=(*batch, n, d_v))
    return q, k, v, rng.uniform(0, 1, (*batch, n, 1)), -rng.uniform(0, 0.5, (*batch, n, d_k))


@pytest.mark.parametrize("chunk", [1, 3, 4, 10, 64])
@pytest.mark.parametrize("name", ["fla.gated_delta", "mamba.ssd"])
def test_what_their_code_gives_comes_out(name, chunk, published):
    delta = name == "fla.gated_delta"
    q, k, v, gates = given(10 if delta else 8)
    if delta:
        k = k / np.linalg.norm(k, axis=-1, keepdims=True)
        scale, state = None, filled((2, 4, 3), 6)
    else:
        del gates["beta"]
        scale, state = 1.0, filled((2, 3, 4), 6).swapaxes(-1, -2)  # theirs is transposed
    output, state = chunked_linear_attention(
        q, k, v, scale=scale, state=state, chunk=chunk, **gates
    )
    assert_allclose(output, published(f"{name}.output"), atol=PRINTED)
    wanted = published(f"{name}.state")
    assert_allclose(state, wanted if delta else wanted.swapaxes(-1, -2), atol=PRINTED)


@pytest.mark.parametrize("decay", [None, "token", "feature"])
@pytest.mark.parametrize("delta", [False, True])
@pytest.mark.parametrize("chunk", [1, 7, 50])
def test_chunks_are_the_recurrence_and_the_masked_product(chunk, delta, decay):
    q, k, v, beta, g = drawn()
    gates = {
        "beta": beta if delta else None,
        "log_decay": None if decay is None else g if decay == "feature" else g[..., :1],
    }
    wanted, last = linear_attention(q, k, v, **gates)
    output, state = chunked_linear_attention(q, k, v, chunk=chunk, **gates)
    assert_allclose(output, wanted, rtol=1e-9, atol=1e-12)
    assert_allclose(state, last, rtol=1e-9, atol=1e-12)
    M = token_matrix(q, k, **gates)
    assert_allclose(M @ v / np.sqrt(6), wanted, rtol=1e-9, atol=1e-12)
    assert_array_equal(np.triu(M, 1), 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_less_precision_gives_the_same_up_to_its_rounding(dtype):
    q, k, v, beta, g = drawn(n=200)
    exact, _ = linear_attention(q, k, v, beta=beta, log_decay=g)
    q, k, v, beta, g = (x.astype(dtype) for x in (q, k, v, beta, g))
    output, state = chunked_linear_attention(q, k, v, beta=beta, log_decay=g)
    assert (output.dtype, state.dtype) == (dtype, np.float32)
    assert abs(output - exact).max() < 60 * np.finfo(dtype).eps * abs(exact).max()


def test_it_goes_on_from_a_state():
    q, k, v, beta, g = drawn(n=20)
    whole, last = chunked_linear_attention(q, k, v, beta=beta, log_decay=g, chunk=8)
    state, rows = None, []
    for part in (slice(0, 13), slice(13, 20)):
        now = (x[..., part, :] for x in (q, k, v, beta, g))
        q_, k_, v_, beta_, g_ = now
        output, state = chunked_linear_attention(q_, k_, v_, beta=beta_, log_decay=g_, state=state)
        rows.append(output)
    assert_allclose(np.concatenate(rows, axis=-2), whole)
    assert_allclose(state, last)


def test_the_wy_form_is_the_product_of_the_steps():
    _, k, v, beta, _ = drawn(n=6, batch=())
    W, U = wy_form(k, v, np.zeros((6, 1)), beta)
    product, written = np.eye(6), np.zeros((6, 5))
    for t in range(6):
        step = np.eye(6) - beta[t] * np.outer(k[t], k[t])
        product, written = step @ product, step @ written + beta[t] * np.outer(k[t], v[t])
    assert_allclose(np.eye(6) - k.T @ W, product, atol=1e-12)
    assert_allclose(k.T @ U, written, atol=1e-12)


def test_a_strong_decay_does_not_overflow():
    """exp of minus the running sum alone would: products of exp(G) and exp(-G) are not taken."""
    q, k, v, beta, _ = drawn(n=64)
    for g in (np.full((2, 64, 1), -800.0), np.full((2, 64, 6), -800.0)):
        output, _ = chunked_linear_attention(q, k, v, beta=beta, log_decay=g)
        alone = (q * k).sum(axis=-1, keepdims=True) * beta * v / np.sqrt(6)
        assert_allclose(output, alone)
    assert faded_products(q, k, g).shape == (2, 64, 64)


def test_any_block_below_the_diagonal_has_a_small_rank():
    q, k, _, beta, g = drawn(n=30, d_k=3, batch=())
    M = token_matrix(q, k, beta=beta, log_decay=g / 10)
    assert [np.linalg.matrix_rank(M[i:, :i]) for i in (5, 15, 25)] == [3, 3, 3]
    assert np.linalg.matrix_rank(M) > 20


def test_the_convolution_goes_on_from_the_last_tokens():
    x, kernel, bias = rng.normal(size=(2, 9, 3)), rng.normal(size=(4, 3)), rng.normal(size=3)
    whole, last = causal_conv(x, kernel, bias)
    for t in range(9):
        before = np.concatenate([np.zeros((2, 3, 3)), x[:, :t]], axis=1)[:, t : t + 3]
        one, past = causal_conv(x[:, t : t + 1], kernel, bias, before)
        assert_allclose(one[:, 0], whole[:, t])
    assert_array_equal(past, last)
    assert_array_equal(last, x[:, -3:])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda one: chunked_linear_attention(one, one[:, :1], one),
            r"query \(3, 2\), key \(3, 1\)",
        ),
        (lambda one: chunked_linear_attention(one, one, one[1:]), r"query .* value \(2, 2\)"),
        (
            lambda one: chunked_linear_attention(one, one, one, chunk=0),
            "query .* chunk 0 is below 1",
        ),
        (lambda one: causal_conv(one, np.ones((2, 3))), r"x \(3, 2\), kernel \(2, 3\)"),
        (lambda one: causal_conv(one, one, past=one), r"x .* past \(3, 2\)"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call(np.ones((3, 2)))
