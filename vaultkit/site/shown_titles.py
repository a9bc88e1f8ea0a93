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
#: Elements whose text is not text of the page, and tags.
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
            lambda found: self._shown[found[0]] if found["title"] else found[0], page
        )


def title_to_html(title: str) -> str:
    """Return the HTML of a title with formulas.

    Examples
    --------
    >>> title_to_html("Root of $d_k$ & more")
    'Root of <i class="vk-symbol">d<sub>k</sub></i> &amp; more'
    """

    def formula(found: re.Match[str]) -> str:
        tex = html.unescape(found[1])
        symbol = _SYMBOL.fullmatch(tex)
        if not symbol:
            return html.escape(formula_to_text(tex), quote=False)
        index = symbol["index"].strip("{}")
        return f'<i class="vk-symbol">{symbol["letter"]}<sub>{index}</sub></i>'

    return _FORMULA.sub(formula, html.escape(title, quote=False))
