"""One product of three matrices in two orders, in true proportions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from figures import style as st


def data(length: int = 4096, width: int = 64) -> dict[str, Any]:
    """Return the sizes, and the multiply-adds of both orders."""
    return {
        "n": length,
        "d": width,
        "left": 2 * length**2 * width,
        "right": 2 * length * width**2,
    }


def draw(data: Mapping[str, Any]) -> str:
    """Draw both orders one below the other: a large square, or a small one, between."""
    n, d = data["n"], data["d"]
    long, narrow = 150.0, 150 * d / n
    parts: list[str] = []

    def box(x: float, middle: float, size: tuple[float, float], hue: str, name: str) -> float:
        """Draw a matrix, its name above it, and return where it ends."""
        width, height = size
        wide = max(width, 2.4)
        top = middle - height / 2
        parts.extend(
            [
                st.rect(
                    x,
                    top,
                    wide,
                    max(height, 2.4),
                    cls=f"vk-{hue}",
                    opacity=0.5 if width == height else 0.9,
                    radius=0,
                ),
                # Beside a square too small for a name.
                st.text(x + 12, middle + 5, name, cls=f"vk-{hue}")
                if height < 5 and width < 5
                else st.text(x + wide / 2, top - 9, name, anchor="middle", cls=f"vk-{hue}"),
            ]
        )
        return x + wide

    def sign(x: float, middle: float, words: str) -> float:
        parts.append(st.text(x + 18, middle + 6, words, anchor="middle", size=18))
        return x + 36

    tall, flat, square = (narrow, long), (long, narrow), (long, long)
    for title, y, steps, inner, work in (
        (
            "scores first",
            126.0,
            (
                (tall, "query", "$Q$", "·"),
                (flat, "key", "$K^T$", "="),
                (square, "score", "$QK^T$", "·"),
                (tall, "value", "$V$", ""),
            ),
            f"{n:,} × {n:,} scores",
            data["left"],
        ),
        (
            "keys and values first",
            380.0,
            (
                (flat, "key", "$K^T$", "·"),
                (tall, "value", "$V$", "="),
                ((narrow, narrow), "fg", "$K^T V$, which $Q$ multiplies", ""),
            ),
            f"{d} × {d} numbers",
            data["right"],
        ),
    ):
        x = 26.0
        parts.append(st.text(20, y - long / 2 - 34, title, bold=True))
        for size, hue, name, after in steps:
            end = box(x, y, size, hue, name)
            x = sign(end, y, after) if after else end
        parts += [
            st.text(20, y + long / 2 + 24, inner, cls="vk-muted"),
            st.text(
                490, y + long / 2 + 24, f"{work:,} multiply-adds", anchor="end", cls="vk-muted"
            ),
        ]
    return st.figure_svg(
        "two-orders",
        "Three matrices, multiplied in two orders",
        f"Matrices of {n:,} tokens and width {d} in true proportions. Scores first, there is a"
        f" square of {n:,} by {n:,} between, and {data['left']:,} multiply-adds; keys and"
        f" values first, a square of {d} by {d}, and {data['right']:,}.",
        492,
        parts,
        left=20,
        right=490,
    )
