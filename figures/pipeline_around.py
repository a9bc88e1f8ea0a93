"""What lies around the head in the drawing of the pipeline: the block, and the model around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from figures import touch
from snippets import bank_by_hand as ex

ROW = ex.BANK  # the row of the token that is followed

# Around the head is a drawing of the block, and around that one of the model, each 480 by 400 units
# of its own. A unit is as large as so many of the pipeline, and the box of what is inside is there.
_BLOCK_SCALE, HEAD_AT = 7.5, (84.0, 90.0)
_MODEL_SCALE, BLOCK_AT = 5 * _BLOCK_SCALE, (82.0, 104.0)
_BLOCK_ORIGIN = (-_BLOCK_SCALE * HEAD_AT[0], -_BLOCK_SCALE * HEAD_AT[1])
_MODEL_ORIGIN = (
    _BLOCK_ORIGIN[0] - _MODEL_SCALE * BLOCK_AT[0],
    _BLOCK_ORIGIN[1] - _MODEL_SCALE * BLOCK_AT[1],
)


def _view(width: float, scale: float, origin: tuple[float, float]) -> tuple[float, float, float]:
    """Return the middle of an outer drawing and a width of it, in the units of the pipeline."""
    return origin[0] + scale * 240, origin[1] + scale * 200, width * scale


#: Where the zoom shows the block, and the model: x, y and width.
BLOCK_VIEW = _view(500, _BLOCK_SCALE, _BLOCK_ORIGIN)
MODEL_VIEW = _view(480, _MODEL_SCALE, _MODEL_ORIGIN)


def drawings(data: Mapping[str, Any]) -> dict[str, list[str]]:
    """Draw the block around the head, and the model around the block."""
    return {
        "around": [
            _scaled(_BLOCK_SCALE, _BLOCK_ORIGIN, _block(data)),
            _scaled(_MODEL_SCALE, _MODEL_ORIGIN, _model(data)),
        ]
    }


def _scaled(scale: float, origin: tuple[float, float], fragments: list[str]) -> str:
    place = f"translate({st.num(origin[0])} {st.num(origin[1])}) scale({scale:g})"
    return "\n".join([f'<g transform="{place}">', *fragments, "</g>"])


def _frame(x: float, y: float, width: float, height: float, hue: str, radius: float = 4) -> str:
    return (
        f'<rect class="vk-{hue} vk-frame" x="{st.num(x)}" y="{st.num(y)}"'
        f' width="{st.num(width)}" height="{st.num(height)}" rx="{radius:g}"/>'
    )


def _named(note: str, x: float, y: float, words: str, size: float = 15) -> str:
    return st.link(note, [st.text(x, y, words, cls="vk-name", bold=True, size=size)])


def _block(data: Mapping[str, Any]) -> list[str]:
    """Draw two heads, the feed-forward layer, and the token before and after them."""
    (x, y), asks = HEAD_AT, data["tokens"][ROW]
    width, height = 480 / _BLOCK_SCALE, 822 / _BLOCK_SCALE
    other, spine, past = x + 90, x + 77.0, 14.0
    one, two = x + width / 2, other + width / 2
    parts = [
        st.path(f"M{spine} 38V74M{one} 74H{two}", cls="fg", width=1.5),
        st.arrow([(one, 74), (one, y - 3)], "fg"),
        st.arrow([(two, 74), (two, y - 3)], "fg"),
        st.path(f"M{one} {y + height + 3}V214H{two}V{y + height + 3}", cls="fg", width=1.5),
        st.arrow([(spine, 214), (spine, 230)], "fg"),
        st.text(spine + 8, 50, "$X$"),
        _named("Transformer Block", 10, 22, "Block"),
        _frame(x - 2, y - 2, width + 4, height + 4, "score"),
        _frame(other, y, width, height, "score"),
        # Where the zoom shows the head alone, these would be torn letters of giant size.
        touch.part(
            "beyond Head",
            "\n".join(
                [
                    "<g>",
                    _named("One Head by Hand", x - 64, y + 52, "Head 1", size=14),
                    _named("Multi-Head Attention", two - 24, y + 48, "Head 2", size=14),
                    st.text(two, y + 66, "people", anchor="middle", size=13.5, cls="vk-muted"),
                    "</g>",
                ]
            ),
        ),
    ]
    for top, plus in ((54, 240), (262, 350)):
        parts.append(st.arrow([(spine, top), (past, top), (past, plus), (spine - 10, plus)], "fg"))
    parts += [
        st.plus(spine, 240),
        st.arrow([(spine, 250), (spine, 280)], "fg"),
        st.link(
            "Feed-Forward Layer",
            [
                _frame(spine - 76, 282, 152, 34, "value", 17),
                st.text(spine, 304, "Feed-forward", cls="vk-name", anchor="middle", bold=True),
            ],
        ),
        st.arrow([(spine, 316), (spine, 340)], "fg"),
        st.plus(spine, 350),
        st.arrow([(spine, 360), (spine, 392)], "fg"),
    ]
    left, cell = 258, 43.0
    parts += [
        st.text(left + (i + 0.5) * cell, 62 - 18 * (i % 2), name, anchor="middle", size=14)
        for i, name in enumerate(data["features"])
    ]
    names = (f"{asks}, looked up", f"{asks} has read", f"{asks} has settled")
    for row, name, (top, cells) in zip(
        data["block"], names, ((24, 70), (214, 222), (324, 332)), strict=True
    ):
        parts += [
            st.text(left, top, name, bold=True),
            st.heat_map(left, cells, row[np.newaxis], "input", (cell, 28)),
        ]
    return parts


def _model(data: Mapping[str, Any]) -> list[str]:
    """Draw the decoder: token vectors, a stack of blocks, and the next word."""
    (x, y), spine = BLOCK_AT, BLOCK_AT[0] + 48
    width, height = 96, 80
    second = y + height + 18
    parts = [
        st.text(24, 26, f"“{' '.join(data['tokens'])}”", bold=True),
        st.arrow([(spine, 36), (spine, 50)], "fg"),
        st.link(
            "Input Representation",
            [
                _frame(spine - 76, 52, 152, 32, "input", 16),
                st.text(spine, 73, "Token vectors", cls="vk-name", anchor="middle", bold=True),
            ],
        ),
        st.arrow([(spine, 84), (spine, y - 4)], "fg"),
        _frame(x - 3, y - 3, width + 6, height + 6, "score"),
        st.text(x - 12, y + height / 2 + 5, "Block 1", anchor="end", size=13.5),
        _named("A Decoder, End to End", 262, 76, "A trained decoder"),
        st.text(262, 98, f"{data['blocks']} blocks of {data['heads']} heads", size=13.5),
        st.arrow([(spine, y + height + 3), (spine, second - 3)], "fg"),
        _frame(x - 3, second - 3, width + 6, height + 6, "score"),
        st.text(spine, second + height / 2 + 5, "Block 2", anchor="middle", size=13.5),
        st.arrow([(spine, second + height + 3), (spine, 306)], "fg"),
        st.link(
            "Writing With a Decoder",
            [
                _frame(spine - 76, 308, 152, 34, "value", 17),
                st.text(spine, 330, "Next word", cls="vk-name", anchor="middle", bold=True),
            ],
        ),
        st.arrow([(spine + 76, 325), (250, 325)], "fg"),
    ]
    top = 325 - 13 * len(data["next"])
    parts += [
        st.text(316, top + 26 * i + 18, word, anchor="end", size=13.5)
        for i, word in enumerate(data["next"])
    ]
    most = float(data["p"].max())
    return [*parts, st.bars(324, top, data["p"], most, length=100, hue="value")]
