"""Typesets symbols in the titles of notes, which as names of files cannot contain formulas.

A note says so by the property ``shown_title``: *Importance of $d_k$ in Scaling*.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from vaultkit.read.note import Note
from vaultkit.render.mathematics import formula_to_text

_FORMULA = re.compile(r"\$([^$]+)\$")
#: A letter with an index, which needs no font for formulas.
_SYMBOL = re.compile(r"(?P<letter>[^\W\d_])_(?P<index>\w|\{\w+\})")
#: Elements whose text is not text of the page, and tags, whose attributes may have a title:
#: ``<title>…</title>``, ``<a href="…">``.
_SKIPPED = (
    r"<(?P<tag>script|style|template|title|svg|textarea|option|pre|code)\b.*?</(?P=tag)>"
    r"|<(?:[^>\"']|\"[^\"]*\"|'[^']*')*>"
)


class ShownTitles:
    """The titles of a vault that are shown in another form than that of a file's name.

    Parameters
    ----------
    notes
        The notes of the vault.
    """

    def __init__(self, notes: Iterable[Note]) -> None:
        given = {note.title: note.meta.get("shown_title") for note in notes}
        self._shown = {
            html.escape(title, quote=False): title_to_html(str(shown))
            for title, shown in given.items()
            if shown
        }
        titles = "|".join(map(re.escape, self._shown))
        self._found = re.compile(rf"{_SKIPPED}|(?P<title>{titles})", re.DOTALL)

    def of(self, title: str) -> str:
        """Return the HTML of a title; empty if it is shown as it is."""
        return self._shown.get(html.escape(title, quote=False), "")

    def insert(self, page: str) -> str:
        """Return the HTML of a page in which each of these titles is shown in its other form."""
        if not any(title in page for title in self._shown):
            return page
        return self._found.sub(
            lambda match: self._shown[match[0]] if match["title"] else match[0], page
        )


def title_to_html(title: str) -> str:
    """Return the HTML of a title with formulas.

    Examples
    --------
    >>> title_to_html("Root of $d_k$ & more")
    'Root of <i class="vk-symbol">d<sub>k</sub></i> &amp; more'
    """
    symbol = r'<i class="vk-symbol">{letter}<sub>{index}</sub></i>'
    return _FORMULA.sub(
        lambda match: _formula_to_html(match, symbol), html.escape(title, quote=False)
    )


def title_to_svg(line: str) -> str:
    """Return a line of a title as the content of an element of text in a drawing.

    Examples
    --------
    >>> title_to_svg("$d_k$")
    '<tspan class="vk-symbol">d<tspan dy=".2em">k</tspan></tspan>'
    """
    symbol = '<tspan class="vk-symbol">{letter}<tspan dy=".2em">{index}</tspan></tspan>\0'
    first, *rest = _FORMULA.sub(
        lambda match: _formula_to_html(match, symbol), html.escape(line, quote=False)
    ).split("\0")  # the mark behind each symbol
    # The index is lowered; what follows it is raised back to the line.
    return first + "".join(f'<tspan dy="-.15em">{part}</tspan>' for part in rest if part)


def _formula_to_html(formula: re.Match[str], symbol: str) -> str:
    """Return a formula as text, or as the given form of a letter with an index."""
    tex = html.unescape(formula[1])
    match = _SYMBOL.fullmatch(tex)
    if not match:
        return html.escape(formula_to_text(tex), quote=False)
    return symbol.format(letter=match["letter"], index=match["index"].strip("{}"))
