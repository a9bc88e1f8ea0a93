"""Marks the arrays to which the settings of a vault give a colour, in formulas and in code.

An array ``Q`` gets the class ``vk-of-Q``, for the style sheets of the site: wherever a page shows
it, it may have the colour that it has in the figures.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from xml.etree.ElementTree import Element

#: A row of a matrix, which has the letter of the matrix and the number of the row.
_ROW = re.compile(r"(?P<letter>[a-z])_[ijlmnst0-9]")
#: Greek letters by their names in Unicode, as in "GREEK SMALL LETTER ALPHA".
_GREEK = re.compile(r"GREEK (?P<size>SMALL|CAPITAL) LETTER (?P<name>\w+)")
#: A name in inline code, which is no attribute of another one.
_NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*")
#: A name in code as Pygments highlights it.
_NAME_IN_CODE = re.compile(r'<span class="n">(?P<name>\w+)</span>')


def mark_formula(formula: Element, names: Collection[str]) -> None:
    """Mark these arrays in a typeset formula.

    Examples
    --------
    >>> from xml.etree.ElementTree import fromstring, tostring
    >>> formula = fromstring("<math><mi>Q</mi><msub><mi>W</mi><mi>Q</mi></msub></math>")
    >>> mark_formula(formula, ["Q", "W_Q"])
    >>> [part.get("class") for part in formula]
    ['vk-of-Q', 'vk-of-W_Q']
    >>> formula[1][1].get("class") is None  # the index of another name is not an array
    True
    >>> power = fromstring(
    ...     "<math><msubsup><mi>W</mi><mi>K</mi><mo>⊤</mo></msubsup></math>"
    ... )
    >>> mark_formula(power, ["K", "W_K"])
    >>> [part.get("class") for part in power[0]]  # not the exponent
    ['vk-of-W_K', 'vk-of-W_K', None]
    >>> row = fromstring("<math><msub><mi>q</mi><mi>i</mi></msub><mi>q</mi></math>")
    >>> mark_formula(row, ["Q"])
    >>> [part.get("class") for part in row]  # a row of Q; a letter alone may mean anything
    ['vk-of-Q', None]
    """
    for part in formula:
        if (name := _array_of(part)) in names:
            part.set("class", f"vk-of-{name}")
        else:
            mark_formula(part, names)
    if formula.tag in ("msub", "msubsup", "munder", "munderover"):
        # A letter of an index is not an array.
        for part in formula[1].iter():
            part.attrib.pop("class", None)
    if formula.tag == "msubsup" and (name := _name_with_index(*formula[:2])) in names:
        for part in formula[:2]:
            part.set("class", f"vk-of-{name}")


def _array_of(part: Element) -> str:
    """Return the name of the array that a symbol is or, as ``q_i`` does, takes a row from."""
    name = _name_in_code(part)
    return row["letter"].upper() if (row := _ROW.fullmatch(name)) else name


def _name_in_code(part: Element) -> str:
    """Return the name that a symbol of a formula has in code; empty if it is no symbol.

    Examples
    --------
    >>> from xml.etree.ElementTree import fromstring
    >>> _name_in_code(fromstring("<msub><mi>W</mi><mi>Q</mi></msub>"))
    'W_Q'
    >>> _name_in_code(fromstring("<mi>α</mi>")), _name_in_code(fromstring("<mn>2</mn>"))
    ('alpha', '')
    >>> _name_in_code(fromstring("<mover><mi>Q</mi><mo>^</mo></mover>"))  # an accent
    'Q'
    """
    if part.tag == "msub":
        return _name_with_index(*part)
    if part.tag == "mover" and part[1].tag == "mo":
        return _name_in_code(part[0])
    if part.tag not in ("mi", "mtext") or len(part):
        return ""
    letter = unicodedata.normalize("NFKC", (part.text or "").strip())
    greek = _GREEK.fullmatch(unicodedata.name(letter, "")) if len(letter) == 1 else None
    if not greek:
        return letter
    return greek["name"].lower() if greek["size"] == "SMALL" else greek["name"].capitalize()


def _name_with_index(base: Element, index: Element) -> str:
    """Return the name of a symbol with an index, ``W_Q``; empty if one of them has no name."""
    name, letter = _name_in_code(base), _name_in_code(index)
    return f"{name}_{letter}" if name and letter else ""


def split_at_arrays(code: str, names: Collection[str]) -> list[str]:
    """Split inline code at these arrays: each second piece is the name of one.

    Examples
    --------
    >>> split_at_arrays("Q @ block.Q + q", ["Q"])
    ['', 'Q', ' @ block.Q + q']
    """
    pieces, end = [], 0
    for match in _NAME.finditer(code):
        if match[0] in names:
            pieces += [code[end : match.start()], match[0]]
            end = match.end()
    return [*pieces, code[end:]]


def mark_code(coloured: str, names: Collection[str]) -> str:
    """Mark these arrays in highlighted code.

    Examples
    --------
    >>> mark_code('<span class="n">Q</span> <span class="n">q</span>', ["Q"])
    '<span class="n vk-of-Q">Q</span> <span class="n">q</span>'
    """
    if not names:
        return coloured

    def mark(match: re.Match[str]) -> str:
        name = match["name"]
        return f'<span class="n vk-of-{name}">{name}</span>' if name in names else match[0]

    return _NAME_IN_CODE.sub(mark, coloured)
