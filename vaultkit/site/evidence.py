"""Marks the statements of a page that were checked, and writes the data of what backs them.

The marks are HTML; a script shows the data in a box for the statement that a reader points at. A
statement that was not checked, or does not hold, is not marked.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping

#: The words of a mark for each scope of a statement.
WORDS = {
    "excepted": "not run",
    "checked": "✓ checked",
    "here": "✓ holds here",
    "general": "✓ holds in general",
}

_FORMULA = re.compile(
    r'(?P<opening><(?P<tag>span|div) class="vk-math(?: vk-math--display)?")'
    r"(?P<before>(?:(?!</div>|</span>|vk-math[\" ]).)*?"
    # A display formula is in a box that scrolls; its mark follows the box.
    r'<math\b[^>]*\bdata-check="(?P<place>formula-\d+)"[^>]*>.*?</math>(?:</div>)?)',
    re.DOTALL,
)
_SHAPE = re.compile(r'<span data-check="(?P<place>shape-\d+)"')


def insert_marks(page: str, scopes: Mapping[str, str]) -> str:
    """Return the HTML of a page with a mark after each statement, given their scopes.

    Parameters
    ----------
    page
        The HTML of a page.
    scopes
        The scope of each formula and shape that holds, by the name of its place.

    Examples
    --------
    >>> insert_marks('<span data-check="shape-0">(2, 3)</span>', {"shape-0": "here"})
    '<span data-check="shape-0" data-scope="here">(2, 3)</span>'
    """

    def formula(match: re.Match[str]) -> str:
        """Return the opening tag of a formula with its scope and mark."""
        scope = scopes.get(match["place"])
        if not scope:
            return match[0]
        words = WORDS[scope]
        # An inline formula has no room for words: it is underlined instead.
        mark = (
            f'<span class="vk-mark">{words}</span>'
            if match["tag"] == "div"
            else f'<span class="vk-mark" role="img" aria-label="{words.removeprefix("✓ ")}"></span>'
        )
        return f'{match["opening"]} data-scope="{scope}"{match["before"]}{mark}'

    def shape(match: re.Match[str]) -> str:
        scope = scopes.get(match["place"])
        return f'{match[0]} data-scope="{scope}"' if scope else match[0]

    return _SHAPE.sub(shape, _FORMULA.sub(formula, page))


def data_element(parts: Mapping[str, object]) -> str:
    """Return the data of the statements of a page in a script element; empty if there are none."""
    if not parts:
        return ""
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return f'<template class="vk-evidence">{html.escape(text, quote=False)}</template>'
