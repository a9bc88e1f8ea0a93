"""A picture cut into patches, and the patches as rows of a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.patches import to_patches

SIZE = 2


def picture() -> np.ndarray:
    """Make the picture of the note: a dark sky, a light sun, and ground."""
    image = np.full((8, 8, 1), 0.2)
    image[1:4, 4:7] = 1.0
    image[6:] = 0.6
    return image


def data() -> dict[str, Any]:
    """Return the picture and its patches."""
    return {"image": picture()[..., 0], "patches": to_patches(picture(), SIZE)}


def draw(data: Mapping[str, Any]) -> str:
    """Draw the picture with its patches numbered on the left, a row for each on the right."""
    image, patches = data["image"], data["patches"]
    cell, left, top = 30, 30, 56
    side = len(image) * cell
    parts = [
        st.text(left, 28, "8 by 8 pixels, patches of 2 by 2"),
        st.text(366, 28, "16 rows of 4"),
    ]

    def pixel(x: float, y: float, width: float, height: float, value: float) -> str:
        return st.rect(
            x,
            y,
            width,
            height,
            cls="vk-petrol",
            opacity=st.FAINT + (st.FULL - st.FAINT) * value,
            radius=0,
        )

    for (i, j), value in np.ndenumerate(image):
        parts.append(pixel(left + j * cell, top + i * cell, cell, cell, float(value)))
    for k in range(0, len(image) + 1, SIZE):
        at = k * cell
        parts.append(st.path(f"M{left} {top + at}h{side}M{left + at} {top}v{side}", cls="fg"))
    per_row = len(image) // SIZE
    height = 16
    for number, row in enumerate(patches):
        i, j = divmod(number, per_row)
        x, y = left + (2 * j + 1) * cell, top + (2 * i + 1) * cell + 5
        parts.append(st.text(x, y, str(number + 1), anchor="middle", size=st.SMALL))
        low = top - 12 + number * height
        parts.append(st.text(384, low + 11, str(number + 1), anchor="end", cls="vk-muted", size=13))
        for column, value in enumerate(row):
            parts.append(pixel(392 + column * 29, low, 28, height - 2, float(value)))
    parts.append(st.arrow([(left + side + 24, top + side / 2), (346, top + side / 2)]))
    return st.figure_svg(
        "patches",
        "A picture as a sequence of patches",
        "On the left a picture of 8 by 8 pixels: dark sky, a light sun, ground of middle"
        " brightness, cut into 16 numbered patches of 2 by 2. On the right a row of four numbers"
        " for each patch, in the order of reading.",
        top + 16 * height + 4,
        parts,
        left=30,
    )


def strips_data() -> dict[str, Any]:
    """Return for each pixel the row that it comes to, by the cut and by one reshape."""
    numbers = np.arange(picture().size).reshape(picture().shape)
    found = {"image": picture()[..., 0]}
    for name, rows in (
        ("cut", to_patches(numbers, SIZE)),
        ("reshaped", numbers.reshape(-1, SIZE * SIZE)),
    ):
        owner = np.empty(numbers.size, int)
        owner[rows.astype(int)] = np.arange(len(rows))[:, None]
        found[name] = owner.reshape(found["image"].shape)
    return found


def draw_strips(data: Mapping[str, Any]) -> str:
    """Draw the picture twice, with lines around the pixels of each row."""
    image, parts, cell, top = data["image"], [], 28, 46
    for left, name, words in ((12, "cut", "cut: squares"), (256, "reshaped", "reshape: strips")):
        owner = data[name]
        parts.append(st.text(left, 24, words, bold=True))
        levels = np.digitize(image, (0.1, 0.5, 0.9))
        opacities = (0, *(round(st.FAINT + (st.FULL - st.FAINT) * v, 2) for v in (0.2, 0.6, 1)))
        parts.append(
            f'<g transform="translate({left} {top})">'
            + st.shades(0, 0, levels, "petrol", (cell, cell), opacities)
            + "</g>"
        )
        for number in range(int(owner.max()) + 1):
            rows, columns = np.nonzero(owner == number)
            x, y = left + cell * int(columns.min()), top + cell * int(rows.min())
            wide, high = (cell * (int(np.ptp(each)) + 1) for each in (columns, rows))
            parts += [
                st.path(f"M{x} {y}h{wide}v{high}h-{wide}z", cls="fg", width=1),
                st.text(
                    x + wide / 2, y + high / 2 + 5, str(number + 1), anchor="middle", size=st.SMALL
                ),
            ]
    return st.figure_svg(
        "patches-or-strips",
        "Which pixels come into one row",
        "The picture of 8 by 8 pixels twice. The cut puts squares of 2 by 2 into the rows 1 to 16,"
        " a reshape alone puts half a line into each row.",
        top + cell * len(image) + 8,
        parts,
        left=12,
        right=256 + cell * image.shape[1],
    )
