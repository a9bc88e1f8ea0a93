"""The modules of figures that can be touched compute what the snippets compute."""

from __future__ import annotations

from typing import Any

import numpy as np
from touching import (
    run,
)
from visitor import Visitor

from snippets import running_example as ex
from snippets.attention import (
    attention_scores,
    attention_weights,
    scaled_dot_product_attention,
)
from snippets.masks import causal_mask, padding_mask
from snippets.positional_encoding import sinusoidal_positions
from snippets.rotary import rotary_angles, rotate
from snippets.softmax import softmax


def grid(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers from tiny to far beyond what exp can hold."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((24, *shape)) * np.logspace(-3, 4, 24).reshape(-1, *[1] * len(shape))


def same(found: Any, expected: Any) -> None:
    assert np.isfinite(np.asarray(found, dtype=float)).all()
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_softmax(visit: Visitor) -> None:
    page = visit.modules_alone()
    rows = [*grid(1), *grid(6, seed=1), *grid(40, seed=2)]
    rows += [np.array([-np.inf, 1.0, -np.inf]), np.array([-np.inf, -np.inf])]
    for x in [*rows, np.array([1e300, -1e300])]:
        same(run(visit, page, "attention", "softmax", x), softmax(x))
    tau = np.logspace(-2, 2, 24)
    for x, t in zip(grid(4, seed=3), tau, strict=True):
        p = run(visit, page, "softmax-temperature", "shares", {"x": x, "tau": t})
        same(p, softmax(x / t))


def test_attention(visit: Visitor) -> None:
    page = visit.modules_alone()
    rng = np.random.default_rng(1)
    for n, (Q, K) in enumerate(zip(grid(3, 4), grid(5, 4, seed=1), strict=True)):
        V = rng.standard_normal((5, 2))
        mask = rng.random((3, 5)) < 0.6
        mask[n % 3] = False  # a query that may read nothing
        same(run(visit, page, "attention", "attention_scores", Q, K), attention_scores(Q, K))
        for attn_mask in (None, mask, mask[:1]):
            found = run(
                visit, page, "attention", "scaled_dot_product_attention", Q, K, V, attn_mask
            )
            expected = scaled_dot_product_attention(Q, K, V, attn_mask, return_weights=True)
            same(found["output"], expected[0])
            same(found["weights"], expected[1])
        found = run(
            visit, page, "attention", "scaled_dot_product_attention", Q, K, V, None, True, 0.3
        )
        same(found["output"], scaled_dot_product_attention(Q, K, V, is_causal=True, scale=0.3))
        S = attention_scores(Q, K)
        found = run(visit, page, "attention", "attention_weights", S, mask, 0.5)
        same(found, attention_weights(S, mask, 0.5))


def test_masks(visit: Visitor) -> None:
    page = visit.modules_alone()
    for n, m in ((1, 1), (4, 4), (2, 6), (6, 2)):
        assert run(visit, page, "attention", "causal_mask", n, m) == causal_mask(n, m).tolist()
    for length in range(5):
        found = run(visit, page, "attention", "padding_mask", length, 4)
        assert found == padding_mask(np.array(length), 4).tolist()


def test_positions(visit: Visitor) -> None:
    page = visit.modules_alone()
    for n, d_model in ((1, 2), (65, 8), (500, 32)):
        PE = sinusoidal_positions(n, d_model)
        same(run(visit, page, "attention", "sinusoidal_positions", n, d_model), PE)
    PE = sinusoidal_positions(97, 8)
    for position in (0, 1, 10, 64):
        pairs = run(visit, page, "rotation-of-positions", "pairs_at", position, 8)
        same(pairs, PE[position].reshape(4, 2))
        for move in (0, 3, 32):
            moved = run(visit, page, "rotation-of-positions", "moved", pairs, move)
            same(moved, PE[position + move].reshape(4, 2))
    for x in grid(10):
        for position in (0, 1, 1024):
            angles = rotary_angles(position, 8, 500.0)
            same(run(visit, page, "attention", "rotary_angles", position, 8, 500.0), angles)
            cos, sin = np.cos(angles), np.sin(angles)
            for interleaved in (False, True):
                found = run(visit, page, "attention", "rotate", x, cos, sin, interleaved)
                same(found, rotate(x[None], cos, sin, interleaved=interleaved)[0])


def test_measures(visit: Visitor) -> None:
    page = visit.modules_alone()
    for q, k in zip(grid(2), grid(2, seed=1), strict=True):
        same(run(visit, page, "attention", "dot_product", q, k), q @ k)
        cosine = q @ k / (np.linalg.norm(q) * np.linalg.norm(k))
        same(run(visit, page, "attention", "cosine", q, k), cosine)
    for x in grid(8, seed=2):
        alpha = softmax(x)
        J = np.diag(alpha) - np.outer(alpha, alpha)
        same(run(visit, page, "attention", "jacobian", alpha), J)
        same(run(visit, page, "attention", "jacobian_norm", alpha), np.linalg.norm(J))
        logs = np.log(np.where(alpha > 0, alpha, 1))
        same(run(visit, page, "attention", "entropy", alpha), -alpha @ logs)


def test_rows_and_walks(visit: Visitor) -> None:
    page = visit.modules_alone()
    for d_k in (1, 64, 1024):
        for scores in grid(8)[::4]:
            for name, divisor in (("none", 1), ("root", np.sqrt(d_k)), ("d_k", d_k)):
                found = run(visit, page, "scale-and-gradient", "row", scores, d_k, name)
                same(found["weights"], softmax(scores / divisor))
                same(found["norm"], np.linalg.norm(found["J"]))
    data = {"Q": ex.Q, "K": ex.K, "V": ex.V, "d_k": ex.d_k}
    for row in range(ex.n):
        found = run(visit, page, "single-query", "walk", data, row)
        same(found["scores"], ex.S[row])
        same(found["scaled"], ex.scaled_scores[row])
        same(found["weights"], ex.alpha[row])
        same(found["z"], ex.Z[row])
        same(run(visit, page, "context-vector", "context_vector", ex.alpha[row], ex.V), ex.Z[row])
    for other in ([1.0, 0.0], [0.0, 1.0], [0.3, 1.1]):
        X = np.array([other, [0.6, 0.6]])
        found = run(visit, page, "two-banks", "beside", *X)
        same(found["weight"], softmax(X @ X.T)[1, 0])
        same(found["vector"], (softmax(X @ X.T) @ X)[1])
    for weights in (ex.alpha[1], np.eye(6)[2]):
        for chosen, weight in ((2, 0.0), (2, 0.25), (2, 1.0), (4, 0.5)):
            found = run(visit, page, "context-vector", "reweighted", weights, chosen, weight)
            same(np.sum(found), 1)
            assert found[chosen] == weight
            others = np.delete(weights, chosen)
            if others.sum():
                same(np.delete(found, chosen), others * (1 - weight) / others.sum())
