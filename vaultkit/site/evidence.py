"""Shows what backs the statements of a page: a mark at each formula and shape, and data for a box.

The marks are HTML; a script opens the box for the part of the page that a reader points at. What
did not run, or did not hold, is not marked.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping

#: How far a statement holds, as its mark says it.
WORDS = {
    "excepted": "not run",
    "checked": "✓ checked",
    "here": "✓ holds here",
    "general": "✓ holds in general",
}

_FORMULA = re.compile(
    r'(?P<opening><(?P<tag>span|div) class="vk-math(?: vk-math--display)?")'
    r"(?P<before>(?:(?!</div>|</span>|vk-math[\" ]).)*?"
    # A display scrolls in a box, and its mark stands behind that.
    r'<math\b[^>]*\bdata-check="(?P<place>formula-\d+)"[^>]*>.*?</math>(?:</div>)?)',
    re.DOTALL,
)
_SHAPE = re.compile(r'<span data-check="(?P<place>shape-\d+)"')


def marked(page: str, scopes: Mapping[str, str]) -> str:
    """Return the HTML of a page with marks, given the scope of each formula and shape."""

    def formula(found: re.Match[str]) -> str:
        scope = scopes.get(found["place"])
        if not scope:
            return found[0]
        words = WORDS[scope]
        # In a line there is no room for words: its mark is a line below the formula.
        mark = (
            f'<span class="vk-mark">{words}</span>'
            if found["tag"] == "div"
            else f'<span class="vk-mark" role="img" aria-label="{words.removeprefix("✓ ")}"></span>'
        )
        return f'{found["opening"]} data-scope="{scope}"{found["before"]}{mark}'

    def shape(found: re.Match[str]) -> str:
        scope = scopes.get(found["place"])
        return f'{found[0]} data-scope="{scope}"' if scope else found[0]

    return _SHAPE.sub(shape, _FORMULA.sub(formula, page))


def data(parts: Mapping[str, object]) -> str:
    """Return the data of the parts of a page in a script element; empty if there are none."""
    if not parts:
        return ""
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return f'<template class="vk-evidence">{html.escape(text, quote=False)}</template>'
