"""Pages of a cache: two tables of one prompt, and the pages that they name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from figures import style as st
from snippets.paged_cache import own_page, slots

WORDS = ["Four", "score", "and", "seven", "years", "ago", "our"]
ANSWERS = ("fathers", "mothers")
PAGE = 4


def data() -> dict[str, Any]:
    """Return the tables, the words in all pages and how many tables name each page.

    Figure 8 of Kwon et al. 2023; pages 0 and 2 belong to other texts.
    """
    users = np.array([1, 2, 1, 0, 0, 0, 0, 2, 0])
    table = np.array([7, 1])
    words = np.full((len(users), PAGE, 1), "", dtype="U8")
    words.reshape(-1)[slots(table, np.arange(len(WORDS)), PAGE)] = WORDS
    tables = [table, table]
    for i, answer in enumerate(ANSWERS):
        words, tables[i], users = own_page(words, tables[i], users, len(WORDS))
        words = words.copy()
        words.reshape(-1)[slots(tables[i], np.array(len(WORDS)), PAGE)] = answer
    return {"tables": np.array(tables), "words": words[..., 0], "users": users}


def draw(data: Mapping[str, Any]) -> str:
    """Tables on the left, pages on the right; a page that both tables name is filled darker."""
    left, top, width, height, pitch = 178, 44, 72, 26, 34
    named = set(data["tables"].ravel().tolist())
    parts = [
        st.text(24, 28, "tables"),
        st.text(left, 28, "pages"),
    ]
    for page, (row, users) in enumerate(zip(data["words"], data["users"], strict=True)):
        y = top + page * pitch
        parts.append(
            st.text(left - 10, y + 18, str(page), anchor="end", cls="vk-muted", size=st.SMALL)
        )
        if users and page not in named:
            middle = left + PAGE * width / 2
            parts.append(st.rect(left, y, PAGE * width, height, cls="vk-line", stroke=1))
            parts.append(
                st.text(
                    middle, y + 18, "another text", anchor="middle", cls="vk-muted", size=st.SMALL
                )
            )
            continue
        if page in named:
            shade = 0.32 if users > 1 else 0.14
            parts.append(st.rect(left, y, PAGE * width, height, cls="vk-key", opacity=shade))
        for j, word in enumerate(row):
            x = left + j * width
            parts.append(st.rect(x, y, width, height, cls="vk-line", stroke=1))
            parts.append(st.text(x + width / 2, y + 18, word, anchor="middle", size=st.SMALL))
    for i, (table, answer) in enumerate(zip(data["tables"], ANSWERS, strict=True)):
        y = top + 70 + 120 * i
        parts.append(st.text(24, y - 10, answer, size=st.SMALL))
        for j, page in enumerate(table):
            at = y + 30 * j
            parts.append(st.rect(24, at, 56, height, cls="vk-query", stroke=1.25))
            parts.append(st.text(52, at + 18, str(page), anchor="middle", cls="vk-query"))
            end = top + int(page) * pitch + height / 2 + (-5 if i == 0 else 5)
            parts.append(st.arrow([(82, at + 13), (left - 26, end)]))
    bottom = top + len(data["users"]) * pitch + 8
    parts += [
        st.rect(24, bottom, 16, 16, cls="vk-key", opacity=0.32),
        st.text(48, bottom + 13, "in both tables", cls="vk-muted", size=st.SMALL),
        st.rect(178, bottom, 16, 16, cls="vk-key", opacity=0.14),
        st.text(202, bottom + 13, "in one table", cls="vk-muted", size=st.SMALL),
    ]
    return st.figure_svg(
        "paged-cache",
        "Two tables and the pages they name",
        "Two tables on the left, nine pages of four tokens on the right. Both tables begin with"
        " page 7, Four score and seven. The first goes on with page 3, years ago our fathers; the"
        " second with page 1, years ago our mothers. Pages 0 and 2 belong to other texts; the rest"
        " are free.",
        bottom + 32,
        parts,
        left=24,
        right=467.5,
    )


def used_data() -> dict[str, Any]:
    """Return the tokens of the longest text, of a usual one, and of a page."""
    return {"longest": 2048, "mean": 161.31 + 337.99, "page": 16}


def draw_used(data: Mapping[str, Any]) -> str:
    """Draw what an array for the longest text holds, and what pages hold, to one scale."""
    left, width, high, mean = 12.0, 462.0, 40.0, data["mean"]
    scale = width / data["longest"]
    pages = int(np.ceil(mean / data["page"]))
    parts = [
        st.text(left, 24, "one array, as long as the longest text", size=st.SMALL),
        st.rect(left, 34, width, high, cls="vk-line", stroke=1, radius=2),
        st.rect(left, 34, scale * mean, high, cls="vk-key", opacity=0.5, radius=2),
        st.text(left + 8, 59, f"{mean:.0f} tokens", size=st.SMALL),
        st.text(
            left + (scale * mean + width) / 2,
            59,
            "empty, but reserved",
            anchor="middle",
            cls="vk-muted",
            size=st.SMALL,
        ),
        st.text(left, 108, f"{pages} pages of {data['page']} tokens", size=st.SMALL),
    ]
    for i in range(pages):
        full = min(1.0, mean / data["page"] - i)
        x, wide = left + scale * data["page"] * i, scale * data["page"]
        parts += [
            st.rect(x, 118, wide * full, high, cls="vk-key", opacity=0.5, radius=0),
            st.rect(x, 118, wide, high, cls="vk-line", stroke=0.75, radius=0),
        ]
    parts.append(
        st.text(
            left + scale * data["page"] * pages + 14,
            143,
            "free for other texts",
            cls="vk-muted",
            size=st.SMALL,
        )
    )
    return st.figure_svg(
        "array-or-pages",
        "What one text keeps",
        f"A text of {mean:.0f} tokens fills {mean / data['longest']:.0%} of an array for"
        f" {data['longest']:,} tokens, or {pages} pages of {data['page']}, the last one partly.",
        166,
        parts,
        left=left,
        right=left + width,
    )
