"""Numbers equations: tags in a form that the converter accepts, labels, references to labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from vaultkit.read.macros import argument_at
from vaultkit.render.environments import BEGINS, split_at_end, split_rows

#: Environments whose rows may have tags, and the one in which the converter accepts tags.
_WITH_TAGS = {"align": "align", "aligned": "align", "gather": "gather", "gathered": "gather"}
#: Environments whose rows may have numbers.
_WITH_NUMBERS = {*_WITH_TAGS, "alignat", "flalign", "eqnarray"}
_LABEL = re.compile(r"\\label\s*\{(?P<name>[^{}]*)\}")
REFERENCE = re.compile(r"\\(?P<eq>eq)?ref\s*\{(?P<name>[^{}]*)\}")
_TAG = re.compile(r"\\tag(?P<star>\*?)\s*(?=\{)")
#: A formula that is an environment, with a star or without.
_ENVIRONMENT = re.compile(
    r"\s*\\begin\{(?P<name>\w+)\*?\}(?P<inner>.*)\\end\{(?P=name)\*?\}\s*", re.DOTALL
)


def number_labels(formulas: Iterable[str]) -> dict[str, str]:
    r"""Return the number of each label in the formulas of a page; a tag is its own number.

    Examples
    --------
    >>> number_labels([r"a \label{x}", r"b \tag{A}\label{y}", r"c \label{z}"])
    {'x': '1', 'y': 'A', 'z': '2'}
    """
    numbers: dict[str, str] = {}
    number = 0
    for row in (row for tex in formulas for row in _split_numbered_rows(tex)):
        _, tags = _take_tags(row)
        for label in _LABEL.finditer(row):
            if not tags:
                number += 1
            numbers.setdefault(label["name"], _without_brackets(tags[0] if tags else str(number)))
    return numbers


def insert_numbers(tex: str, numbers: Mapping[str, str]) -> str:
    r"""Insert the numbers of labels and references into a formula, given those of the labels.

    An unknown label has the number ``?``.

    Examples
    --------
    >>> insert_numbers(r"a \label{x} by \eqref{y}", {"x": "1", "y": "A"})
    'a \\tag{1} by \\text{(A)}'
    """

    def to_tag(label: re.Match[str]) -> str:
        return rf"\tag{{{numbers.get(label['name'], '?')}}}"

    def to_number(reference: re.Match[str]) -> str:
        number = numbers.get(reference["name"], "?")
        return rf"\text{{({number})}}" if reference["eq"] else rf"\text{{{number}}}"

    # A row with a tag keeps its label, which `prepare_formula` drops.
    rows = _split_numbered_rows(tex)
    rows = [row if _TAG.search(row) else _LABEL.sub(to_tag, row) for row in rows]
    return REFERENCE.sub(to_number, r"\\".join(rows))


def _split_numbered_rows(tex: str) -> list[str]:
    r"""Split a formula into rows with numbers of their own; joined by ``\\`` they are the formula.

    >>> _split_numbered_rows(r"\begin{align}a\\b\end{align}"), _split_numbered_rows(r"a\\b")
    (['\\begin{align}a', 'b\\end{align}'], ['a\\\\b'])
    """
    begins = BEGINS.match(tex)
    if not begins or begins["name"] not in _WITH_NUMBERS:
        return [tex]
    inner, end = split_at_end(tex, begins)
    if end < len(tex):
        return [tex]  # more follows the environment
    rows = split_rows(inner)
    rows[0] = begins[0] + rows[0]
    rows[-1] += tex[begins.end() + len(inner) :]
    return rows


def move_tags_to_row_ends(tex: str, display: bool) -> str:
    r"""Return a formula with its tags at the ends of rows, where the converter accepts them.

    Examples
    --------
    >>> move_tags_to_row_ends(r"a \tag{1} = b", True)
    '\\begin{equation}a  = b\\tag{1}\\end{equation}'
    >>> move_tags_to_row_ends(r"a \tag{1} = b", False)
    'a  = b\\quad\\text{(1)}'
    """
    if r"\tag" not in tex:
        return tex
    without_tags, tags = _take_tags(tex)
    if not display:
        # A formula within a line has no margin for a tag.
        return without_tags + "".join(rf"\quad\text{{{tag}}}" for tag in tags)
    whole = _ENVIRONMENT.fullmatch(tex)
    is_nested = whole and r"\begin{" + whole["name"] in whole["inner"]
    if whole and whole["name"] in _WITH_TAGS and not is_nested:
        # Each row keeps its own tag.
        name = _WITH_TAGS[whole["name"]]
        rows = [row if _TAG.search(row) else rf"{row}\notag " for row in split_rows(whole["inner"])]
        return rf"\begin{{{name}}}" + r"\\".join(rows) + rf"\end{{{name}}}"
    # Elsewhere, all tags become one. `\tag` adds brackets, `\tag*` does not.
    bare = [_without_brackets(tag) for tag in tags]
    have_brackets = tags == [f"({tag})" for tag in bare]
    tag = rf"\tag{{{', '.join(bare)}}}" if have_brackets else rf"\tag*{{{', '.join(tags)}}}"
    return rf"\begin{{equation}}{without_tags}{tag}\end{{equation}}"


def _without_brackets(tag: str) -> str:
    """Return a tag without the brackets around it: ``(1)`` → ``1``."""
    return tag.removeprefix("(").removesuffix(")")


def _take_tags(tex: str) -> tuple[str, list[str]]:
    r"""Return a formula without ``\tag{…}``, and the tags; those without a star get brackets.

    Examples
    --------
    >>> _take_tags(r"a \tag{1} = b \tag*{x}")
    ('a  = b ', ['(1)', 'x'])
    """
    tags = []
    while match := _TAG.search(tex):
        words, end = argument_at(tex, match.end())
        words = words.replace("$", "")
        tags.append(words if match["star"] else f"({words})")
        tex = tex[: match.start()] + tex[end:]
    return tex, tags
