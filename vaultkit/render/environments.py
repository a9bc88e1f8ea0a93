"""Rewrites TeX environments that the converter to MathML lacks with those that it has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vaultkit.read.macros import argument_at

#: The replacement of an environment, with the text after its beginning.
_ENVIRONMENTS = {
    "split": (r"\begin{aligned}", r"\end{aligned}"),
    "alignedat": (r"\begin{aligned}", r"\end{aligned}"),
    "flalign": (r"\begin{align*}", r"\end{align*}"),
    "alignat": (r"\begin{align*}", r"\end{align*}"),
    "eqnarray": (r"\begin{array}{rcl}", r"\end{array}"),
    "smallmatrix": (r"{\scriptstyle\begin{matrix}", r"\end{matrix}}"),
    "subarray": (r"\begin{matrix}", r"\end{matrix}"),
    "multlined": (r"\begin{gathered}", r"\end{gathered}"),
    "lgathered": (r"\begin{gathered}", r"\end{gathered}"),
    "rgathered": (r"\begin{gathered}", r"\end{gathered}"),
    "psmallmatrix": (r"\left(\scriptstyle\begin{matrix}", r"\end{matrix}\right)"),
    "bsmallmatrix": (r"\left[\scriptstyle\begin{matrix}", r"\end{matrix}\right]"),
    "empheq": (r"\begin{aligned}", r"\end{aligned}"),
    "numcases": (r"\begin{cases}", r"\end{cases}"),
    "equation": ("", ""),
    "displaymath": ("", ""),
    "math": ("", ""),
}
#: Environments with an argument: the number of columns, or a kind.
_WITH_A_WORD = {"alignat", "alignedat", "subarray", "empheq"}
#: Environments with options for the alignment of columns; matrices with a star have them, too.
_WITH_OPTIONS = {
    *("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix"),
    *("psmallmatrix", "bsmallmatrix", "multlined", "empheq"),
}
BEGINS = re.compile(r"\\(?P<what>begin|end)\s*\{(?P<name>[A-Za-z]+)(?P<star>\*?)\}")

#: An arrow of `CD` with its labels: ``@>f>g>``, ``@VVV``, ``@=``.
_LABELLED = r"(?:\{(?:[^{}]|\{[^{}]*\})*+\}|\\[A-Za-z]++|[^{}\\])*?"
_ARROW = re.compile(
    rf"@(?:(?P<way>[<>AV])(?P<first>{_LABELLED})(?P=way)(?P<second>{_LABELLED})(?P=way)"
    r"|(?P<plain>[=|.]|\\vert))"
)
_ARROWS = {
    ">": r"\longrightarrow",
    "<": r"\longleftarrow",
    "V": r"\Big\downarrow ",
    "A": r"\Big\uparrow ",
    "=": r"=\!=",
    "|": r"\Big\Vert ",
    r"\vert": r"\Big\Vert ",
    ".": "",
}


def _arrow(found: re.Match[str]) -> str:
    """Return the TeX of an arrow of a commutative diagram (``CD``), with its two labels."""
    written = _ARROWS[found["way"] or found["plain"]]
    if found["way"] and found["way"] in "<>":
        return rf"\overset{{{found['first']}}}{{\underset{{{found['second']}}}{{{written}}}}}"
    first, second = (rf"{{\scriptstyle {found[side] or ''}}}" for side in ("first", "second"))
    return first + written + second


def _diagram(tex: str) -> str:
    r"""Rewrite a commutative diagram as a table with rows of objects and rows of arrows.

    >>> _diagram(r"A @>f>> B \\\\ @VVV @VVV \\\\ C @= D").count("&")
    6
    """
    rows = []
    for row in rows_of(tex):
        arrows = [_arrow(found) for found in _ARROW.finditer(row)]
        objects = [part.strip() for part in _ARROW.sub("@", row).split("@")]
        pairs = zip(objects, (*arrows, ""), strict=True)
        between = [cell for pair in pairs for cell in pair][:-1]
        rows.append(between if any(objects) else [x for a in arrows for x in (a, "")][:-1])
    columns = max(map(len, rows))
    cells = r"\\".join("&".join(row) for row in rows if any(row))
    return rf"\begin{{array}}{{{'c' * columns}}}{cells}\end{{array}}"


def environments(tex: str) -> Iterator[str]:
    """Yield the rewritten pieces of a formula with environments."""
    at = 0
    for found in BEGINS.finditer(tex):
        if found.start() < at:
            continue
        yield tex[at : found.start()]
        at = found.end()
        name, begins = found["name"], found["what"] == "begin"
        if begins and name in ("gather", "gathered"):
            inner, end = whole(tex, found)
            rows = [cells_of(row) for row in rows_of(inner)]
            if any(len(row) > 1 for row in rows):
                yield _columns(rows)
                at = end
                continue
        if begins and name == "CD":
            inner, at = whole(tex, found)
            yield from environments(_diagram(inner))
            continue
        options = name in _WITH_OPTIONS and (found["star"] or name in ("multlined", "empheq"))
        if begins and options and tex[at : at + 1] == "[":
            at = tex.find("]", at) + 1 or len(tex)
        if begins and name == "array" and not (given := argument_at(tex, at))[0].strip():
            at = given[1]
            inner = whole(tex, found)[0][at - found.end() :]
            columns = max(len(cells_of(row)) for row in rows_of(inner))
            yield rf"{found[0]}{{{'c' * columns}}}"
        elif name in _ENVIRONMENTS:
            if begins and name == "numcases":
                left, at = argument_at(tex, at)
                yield left
            elif begins and name in _WITH_A_WORD:
                at = argument_at(tex, at)[1]
            yield _ENVIRONMENTS[name][not begins]
        elif name in _WITH_OPTIONS:
            yield rf"\{found['what']}{{{name}}}"
        elif name in ("align", "gather", "multline"):
            # Obsidian does not number equations.
            yield rf"\{found['what']}{{{name}*}}"
        else:
            yield found[0]
    yield tex[at:]


def whole(tex: str, begins: re.Match[str]) -> tuple[str, int]:
    """Return an environment up to its end, and the position of the end."""
    depth = 0
    for found in BEGINS.finditer(tex, begins.start()):
        depth += 1 if found["what"] == "begin" else -1
        if depth == 0:
            return tex[begins.end() : found.start()], found.end()
    return tex[begins.end() :], len(tex)


def _columns(rows: list[list[str]]) -> str:
    """Rewrite the rows of a `gather` with several columns, which MathJax accepts."""
    cells = r"\\".join(
        "&".join(rf"\displaystyle {''.join(environments(cell))}" for cell in row) for row in rows
    )
    return rf"\begin{{array}}{{{'c' * max(map(len, rows))}}}{cells}\end{{array}}"


def rows_of(tex: str) -> list[str]:
    """Split an environment into rows."""
    return _parted(tex, r"\\")


def cells_of(row: str) -> list[str]:
    """Split a row into cells."""
    return _parted(row, "&")


def _parted(tex: str, mark: str) -> list[str]:
    """Split TeX at a mark, except within braces and environments."""
    parts, depth, begun = [], 0, 0
    for sign in re.finditer(r"\\begin\b|\\end\b|\\\\|\\.|[{}&]", tex, re.DOTALL):
        if sign[0] == mark and depth == 0:
            parts.append(tex[begun : sign.start()])
            begun = sign.end()
        depth += sign[0] in ("{", r"\begin")
        depth -= sign[0] in ("}", r"\end")
    return [*parts, tex[begun:]]
