"""Writes the tables in the output of a block as HTML tables.

The text of the HTML, spaces and line ends included, is the text that was printed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Sequence

from vaultkit.render.printed_heads import NUMBER, Cell, Row, Table, find_tables
from vaultkit.render.printed_rows import Rows, find_rows

#: A number as a power of ten, ``1.5e-07``, and a name that is a letter with an index, ``d_k``.
_POWER = re.compile(r"(?P<factor>[-−+]?[\d.]+)e(?P<sign>[-+]?)0*(?P<power>\d+)")
_SYMBOL = re.compile(r"\b(?P<letter>[A-Za-z])_(?P<index>[A-Za-z\d]+)\b")


def tables_to_html(text: str, names: Collection[str] = ()) -> str:
    """Return an output as HTML in which its tables are tables; empty if it has none.

    Parameters
    ----------
    text : str
        What was printed.
    names : Collection[str]
        The arrays that have a colour: a cell that names one has the class of that array.
    """
    lines = text.split("\n")
    pieces: list[str] = []
    written = 0  # the number of lines written so far
    for first, table in find_tables(lines):
        pieces += _without_heads_to_html(lines[written:first], names)
        written = first + table.size
        pieces.append(_table_to_html(table, lines[first:written], names))
    pieces += _without_heads_to_html(lines[written:], names)
    return "".join(pieces) if any("<table" in piece for piece in pieces) else ""


def _without_heads_to_html(lines: Sequence[str], names: Collection[str]) -> list[str]:
    """Return the HTML of lines among which is no table with heads: tables without, other lines."""
    pieces: list[str] = []
    written = 0
    for first, table in find_rows(lines):
        pieces.append(_lines_to_html(lines[written:first]))
        written = first + len(table.rows)
        pieces.append(_rows_to_html(table, lines[first:written], names))
    return [*pieces, _lines_to_html(lines[written:])]


def _rows_to_html(table: Rows, lines: Sequence[str], names: Collection[str]) -> str:
    """Write a table whose heads are repeated in each line: there they are not shown."""
    rows = []
    for row, line in zip(table.rows, lines, strict=True):
        end_of_last, cells = 0, []
        for number, part in enumerate(row):
            text = _name_to_html(line[part.shown_start : part.shown_end], names)
            before, behind = line[part.start : part.shown_start], line[part.shown_end : part.end]
            if before or behind:
                text = f'{_hide(before)}<span class="vk-own">{text}</span>{_hide(behind)}'
            opening, tag = ("td", "td") if number else ("th scope=row", "th")
            cells.append(f"{line[end_of_last : part.start]}<{opening}>{text}</{tag}>")
            end_of_last = part.end
        rows.append(f"<tr>{''.join(cells)}{line[end_of_last:]}\n</tr>")
    # The heads are attributes, which a style sheet shows: they are not part of the text. Whoever
    # hears the table hears the words in the lines.
    heads = "".join(f'<td data-head="{html.escape(head)}"></td>' for head in table.heads)
    head_row = f'<tr aria-hidden="true"><td></td>{heads}</tr>'
    thead = f"<thead>{head_row}</thead>" if any(table.heads) else ""
    return (
        f'<div class="vk-values__box"><table class="vk-values">{thead}'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _hide(words: str) -> str:
    """Return words around a value so that the style sheet hides them: the head shows them."""
    text = html.escape(words, quote=False)
    return f'<span class="vk-said">{text}</span>' if words else ""


def _lines_to_html(lines: Sequence[str]) -> str:
    """Write lines that are no table, as code."""
    if not any(line.strip() for line in lines):
        return "\n" * len(lines)
    text = "".join(f"{html.escape(line, quote=False)}\n" for line in lines)
    return f"<pre><code>{text}</code></pre>"


def _table_to_html(table: Table, lines: Sequence[str], names: Collection[str]) -> str:
    """Write a table, whose lines these are; the spaces between its cells are those of the lines."""
    *above, heads = lines[: len(lines) - len(table.rows)]
    cells = [("th scope=col", cell) for cell in (table.corner, *table.heads)]
    head = _row_to_html(heads, cells, names)
    if above:  # the heads of groups of columns
        groups = [(f"th scope=colgroup colspan={count}", cell) for cell, count in table.groups]
        head = _row_to_html(above[0], [("td", None), *groups], names) + head
    rows = [
        _row_to_html(line, [_label_of(row), *(("td", cell) for cell in row.values)], names)
        for row, line in zip(table.rows, lines[-len(table.rows) :], strict=True)
    ]
    is_numbered = all(NUMBER.fullmatch(row.label.text) for row in table.rows)
    classes = "vk-values vk-values--numbered" if is_numbered else "vk-values"
    return (
        f'<div class="vk-values__box"><table class="{classes}">'
        f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


#: The tag of a cell with its attributes, without brackets, and the cell; None if it is empty.
_TaggedCell = tuple[str, Cell | None]


def _label_of(row: Row) -> _TaggedCell:
    """Return the label of a row as a head; an empty one is no head."""
    return ("th scope=row", row.label) if row.label.text else ("td", None)


def _row_to_html(line: str, cells: Sequence[_TaggedCell], names: Collection[str]) -> str:
    """Write a row of a table, whose cells are in a line."""
    parts, end_of_last = [], 0
    for opening, cell in cells:
        if cell is None:
            parts.append("<td></td>")
            continue
        text, tag = _name_to_html(cell.text, names), opening.split()[0]
        parts.append(f"{line[end_of_last : cell.start]}<{opening}>{text}</{tag}>")
        end_of_last = cell.end
    return f"<tr>{''.join(parts)}{line[end_of_last:]}\n</tr>"


def _name_to_html(text: str, names: Collection[str]) -> str:
    """Write the text of a cell, with the class of the array that it names, if it names one."""
    written = _cell_to_html(text)
    return f'<span class="vk-of-{text}">{written}</span>' if text in names else written


def _cell_to_html(text: str) -> str:
    """Write the text of a cell, in which the style sheet sets signs, powers and indices.

    Examples
    --------
    >>> _cell_to_html("-0.5")
    '<span class="vk-minus">-</span>0.5'
    >>> _cell_to_html("8.8e-07")
    '<span class="vk-power" data-factor="8.8" data-power="−7">8.8e-07</span>'
    >>> _cell_to_html("width d_k")
    'width <i class="vk-symbol">d<span>_</span><sub>k</sub></i>'
    >>> _cell_to_html("[0.50 -1.00]")  # an array keeps its columns
    '<code>[0.50 -1.00]</code>'
    """
    if power := _POWER.fullmatch(text):
        factor, sign = power["factor"].replace("-", "−"), power["sign"].replace("-", "−").strip("+")
        attributes = f'data-factor="{factor}" data-power="{sign}{power["power"]}"'
        return f'<span class="vk-power" {attributes}>{text}</span>'
    if text.startswith("-") and NUMBER.fullmatch(text):
        return f'<span class="vk-minus">-</span>{text[1:]}'
    if text.startswith("["):
        return f"<code>{html.escape(text, quote=False)}</code>"
    symbol = r'<i class="vk-symbol">\g<letter><span>_</span><sub>\g<index></sub></i>'
    return _SYMBOL.sub(symbol, html.escape(text, quote=False))
