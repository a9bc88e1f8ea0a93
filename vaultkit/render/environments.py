"""Rewrites TeX environments that the converter to MathML lacks with those that it has."""

from __future__ import annotations

import re

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
#: The beginning or end of an environment: ``\begin{align*}``.
BEGINS = re.compile(r"\\(?P<what>begin|end)\s*\{(?P<name>[A-Za-z]+)(?P<star>\*?)\}")

#: A label: groups in braces, commands and other characters.
_LABEL = r"(?:\{(?:[^{}]|\{[^{}]*\})*+\}|\\[A-Za-z]++|[^{}\\])*?"
#: An arrow of `CD` with its labels, in one of the directions ``<``, ``>``, A (up) and V (down), or
#: a sign without labels: ``@>f>g>``, ``@VVV``, ``@=``.
_ARROW = re.compile(
    rf"@(?:(?P<way>[<>AV])(?P<first>{_LABEL})(?P=way)(?P<second>{_LABEL})(?P=way)"
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


def _arrow_to_tex(match: re.Match[str]) -> str:
    """Return the TeX of an arrow of a commutative diagram (``CD``), with its two labels.

    They are above and below a horizontal arrow, left and right of a vertical one.
    """
    arrow = _ARROWS[match["way"] or match["plain"]]
    if match["way"] in ("<", ">"):
        return rf"\overset{{{match['first']}}}{{\underset{{{match['second']}}}{{{arrow}}}}}"
    left, right = (rf"{{\scriptstyle {match[side] or ''}}}" for side in ("first", "second"))
    return left + arrow + right


def _diagram_to_array(tex: str) -> str:
    r"""Rewrite a commutative diagram as a table with rows of objects and rows of arrows.

    >>> _diagram_to_array(r"A @>f>> B \\\\ @VVV @VVV \\\\ C @= D").count("&")
    6
    """
    rows = []
    for row in split_rows(tex):
        arrows = [_arrow_to_tex(match) for match in _ARROW.finditer(row)]
        objects = [part.strip() for part in _ARROW.sub("@", row).split("@")]
        if any(objects):
            # Objects and the arrows between them take turns; no arrow is behind the last object.
            pairs = zip(objects, (*arrows, ""), strict=True)
            rows.append([cell for pair in pairs for cell in pair][:-1])
        else:
            # Arrows between two rows are in the columns of the objects.
            rows.append([cell for arrow in arrows for cell in (arrow, "")][:-1])
    columns = max(map(len, rows))
    cells = r"\\".join("&".join(row) for row in rows if any(row))
    return rf"\begin{{array}}{{{'c' * columns}}}{cells}\end{{array}}"


def rewrite_environments(tex: str) -> str:
    r"""Return a formula in which the environments that the converter lacks are replaced.

    Examples
    --------
    >>> rewrite_environments(r"\begin{split}a &= b\end{split}")
    '\\begin{aligned}a &= b\\end{aligned}'
    """
    pieces, at = [], 0
    for match in BEGINS.finditer(tex):
        if match.start() < at:
            continue  # within an environment that was replaced as a whole
        pieces.append(tex[at : match.start()])
        if match["what"] == "begin":
            written, at = _rewrite_begin(tex, match)
        else:
            written, at = _rename(match), match.end()
        pieces.append(written)
    return "".join([*pieces, tex[at:]])


def _rewrite_begin(tex: str, match: re.Match[str]) -> tuple[str, int]:
    r"""Return what replaces a ``\begin{…}``, and the position behind all that it replaces.

    It may also replace the options and arguments of the environment, or the whole environment.
    """
    name, at = match["name"], match.end()
    if name == "CD":
        inner, end = split_at_end(tex, match)
        return rewrite_environments(_diagram_to_array(inner)), end
    if name in ("gather", "gathered"):
        inner, end = split_at_end(tex, match)
        rows = [split_cells(row) for row in split_rows(inner)]
        if any(len(row) > 1 for row in rows):
            return _rows_to_array(rows), end
    if name == "array":
        alignment, behind_alignment = argument_at(tex, at)
        if not alignment.strip():  # MathJax centres all columns, the converter needs their number
            inner = split_at_end(tex, match)[0][behind_alignment - at :]
            columns = max(len(split_cells(row)) for row in split_rows(inner))
            return rf"{match[0]}{{{'c' * columns}}}", behind_alignment
    # Without a star, the first bracket of a matrix is part of its content.
    may_have_options = name in _WITH_OPTIONS and (match["star"] or name in ("multlined", "empheq"))
    if may_have_options and tex[at : at + 1] == "[":
        at = tex.find("]", at) + 1 or len(tex)
    if name == "numcases":
        left_side, at = argument_at(tex, at)
        return left_side + _rename(match), at
    if name in _WITH_A_WORD:
        at = argument_at(tex, at)[1]
    return _rename(match), at


def _rename(match: re.Match[str]) -> str:
    r"""Return a ``\begin{…}`` or ``\end{…}`` with the name of an environment that is supported."""
    what, name = match["what"], match["name"]
    if name in _ENVIRONMENTS:
        opening, closing = _ENVIRONMENTS[name]
        return opening if what == "begin" else closing
    if name in _WITH_OPTIONS:
        return rf"\{what}{{{name}}}"
    if name in ("align", "gather", "multline"):
        # Obsidian does not number equations.
        return rf"\{what}{{{name}*}}"
    return match[0]


def split_at_end(tex: str, begin: re.Match[str]) -> tuple[str, int]:
    r"""Return the content of an environment, and the position behind its ``\end{…}``.

    Examples
    --------
    >>> tex = r"\begin{align}a\end{align}b"
    >>> split_at_end(tex, BEGINS.match(tex))
    ('a', 25)
    """
    depth = 0
    for match in BEGINS.finditer(tex, begin.start()):
        depth += 1 if match["what"] == "begin" else -1
        if depth == 0:
            return tex[begin.end() : match.start()], match.end()
    return tex[begin.end() :], len(tex)


def _rows_to_array(rows: list[list[str]]) -> str:
    """Write the rows of a `gather` with several columns, which MathJax accepts, as an array."""
    cells = [[rf"\displaystyle {rewrite_environments(cell)}" for cell in row] for row in rows]
    columns = max(map(len, rows))
    content = r"\\".join(map("&".join, cells))
    return rf"\begin{{array}}{{{'c' * columns}}}{content}\end{{array}}"


def split_rows(tex: str) -> list[str]:
    r"""Split an environment into rows.

    Examples
    --------
    >>> split_rows(r"a & b \\ {c \\ d}")
    ['a & b ', ' {c \\\\ d}']
    """
    return _split_outside_groups(tex, r"\\")


def split_cells(row: str) -> list[str]:
    """Split a row of an environment into cells: ``a & {b & c}`` → ``a `` and `` {b & c}``."""
    return _split_outside_groups(row, "&")


def _split_outside_groups(tex: str, mark: str) -> list[str]:
    r"""Split TeX at a mark (``\\`` or ``&``), except within braces and environments."""
    parts, depth, start = [], 0, 0  # the start of the part that is not finished
    for sign in re.finditer(r"\\begin\b|\\end\b|\\\\|\\.|[{}&]", tex, re.DOTALL):
        if sign[0] == mark and depth == 0:
            parts.append(tex[start : sign.start()])
            start = sign.end()
        depth += sign[0] in ("{", r"\begin")
        depth -= sign[0] in ("}", r"\end")
    return [*parts, tex[start:]]
