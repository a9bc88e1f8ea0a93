"""Numbers equations: tags in a form that the converter accepts, labels, references to labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from vaultkit.read.macros import argument_at
from vaultkit.render.environments import BEGINS, rows_of, whole

_ROWS = {"align": "align", "aligned": "align", "gather": "gather", "gathered": "gather"}
#: Environments whose rows may have numbers.
_WITH_NUMBERS = {*_ROWS, "alignat", "flalign", "eqnarray"}
_LABEL = re.compile(r"\\label\s*\{(?P<name>[^{}]*)\}")
REFERENCE = re.compile(r"\\(?P<eq>eq)?ref\s*\{(?P<name>[^{}]*)\}")
_TAG = re.compile(r"\\tag(?P<star>\*?)\s*(?=\{)")


def labels(formulas: Iterable[str]) -> dict[str, str]:
    r"""Assign numbers to the labelled equations of a page; a tag is its own number.

    Examples
    --------
    >>> labels([r"a \label{x}", r"b \tag{A}\label{y}", r"c \label{z}"])
    {'x': '1', 'y': 'A', 'z': '2'}
    """
    found: dict[str, str] = {}
    number = 0
    for row in (row for tex in formulas for row in _numbered_rows(tex)):
        tags: list[str] = []
        _without_tags(row, tags)
        for label in _LABEL.finditer(row):
            number += not tags
            found.setdefault(label["name"], _bare(tags[0] if tags else str(number)))
    return found


def numbered(tex: str, known: Mapping[str, str]) -> str:
    r"""Insert the numbers of labels and references into a formula.

    Examples
    --------
    >>> numbered(r"a \label{x} by \eqref{y}", {"x": "1", "y": "A"})
    'a \\tag{1} by \\text{(A)}'
    """

    def tag(found: re.Match[str]) -> str:
        return rf"\tag{{{known.get(found['name'], '?')}}}"

    def reference(found: re.Match[str]) -> str:
        number = known.get(found["name"], "?")
        return rf"\text{{({number})}}" if found["eq"] else rf"\text{{{number}}}"

    rows = [row if _TAG.search(row) else _LABEL.sub(tag, row) for row in _numbered_rows(tex)]
    return REFERENCE.sub(reference, r"\\".join(rows))


def _numbered_rows(tex: str) -> list[str]:
    r"""Split a formula into rows with numbers of their own; joined by ``\\`` they are the formula.

    >>> _numbered_rows(r"\begin{align}a\\b\end{align}"), _numbered_rows(r"a\\b")
    (['\\begin{align}a', 'b\\end{align}'], ['a\\\\b'])
    """
    begins = BEGINS.match(tex)
    if not begins or begins["name"] not in _WITH_NUMBERS:
        return [tex]
    inner, end = whole(tex, begins)
    if end < len(tex):
        return [tex]
    rows = rows_of(inner)
    rows[0] = begins[0] + rows[0]
    rows[-1] += tex[begins.end() + len(inner) :]
    return rows


def tagged(tex: str, display: bool) -> str:
    """Move tags to the ends of numbered rows, where the converter accepts them."""
    if r"\tag" not in tex:
        return tex
    tags: list[str] = []
    if not display:
        return _without_tags(tex, tags) + "".join(rf"\quad\text{{{tag}}}" for tag in tags)
    found = re.fullmatch(r"\s*\\begin\{(\w+)\*?\}(.*)\\end\{\1\*?\}\s*", tex, re.DOTALL)
    rows = rows_of(found[2]) if found and found[1] in _ROWS else []
    if found and rows and r"\begin{" + found[1] not in found[2]:
        name = _ROWS[found[1]]
        numbered = [row if _TAG.search(row) else rf"{row}\notag " for row in rows]
        return rf"\begin{{{name}}}" + r"\\".join(numbered) + rf"\end{{{name}}}"
    rest = _without_tags(tex, tags)
    tag = ", ".join(map(_bare, tags))
    if all(f"({_bare(tag)})" == tag for tag in tags):
        return rf"\begin{{equation}}{rest}\tag{{{tag}}}\end{{equation}}"
    return rf"\begin{{equation}}{rest}\tag*{{{', '.join(tags)}}}\end{{equation}}"


def _bare(tag: str) -> str:
    return tag.removeprefix("(").removesuffix(")")


def _without_tags(tex: str, tags: list[str]) -> str:
    r"""Return the formula without ``\tag{…}``; the labels are appended to ``tags``."""
    while found := _TAG.search(tex):
        words, end = argument_at(tex, found.end())
        words = words.replace("$", "")
        tags.append(words if found["star"] else f"({words})")
        tex = tex[: found.start()] + tex[end:]
    return tex
