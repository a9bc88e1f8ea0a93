"""Reads a Jupyter notebook as a note: Markdown cells are its text, code cells its blocks.

The text of such a note has as many lines as the notebook's file, with each line of a cell at its
line in the file. So lines in checks and tracebacks are those of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vaultkit.read.markdown import parse, unreadable
from vaultkit.read.note import Fence, Note, Problem
from vaultkit.read.source import LARGEST_WITH_PICTURES, UnreadableError
from vaultkit.read.source import read as read_text
from vaultkit.read.syntax import LINE_END

#: The line above the source of a cell in Jupyter's layout, and the line that begins its outputs.
_SOURCE, _OUTPUTS = '"source": [', '"outputs": ['
#: The path of a file that a cell may mirror: no quotation marks, which would end the option.
_PATH = re.compile(r"[\w./ -]+")


def read(path: Path) -> Note:
    """Read a notebook (nbformat 4) in Jupyter's layout, with each line of a cell on its own line.

    A cell with the tag ``raises-exception`` must raise, one with the tag ``no-run`` does not run.
    One with the metadata ``{"vaultkit": {"title": "a.py"}}`` mirrors that file.
    A file that is not such a notebook gives a note with a problem.
    """
    try:
        return parse_notebook(read_text(path, LARGEST_WITH_PICTURES), path)
    except UnreadableError as error:
        return unreadable(path, error)


def parse_notebook(text: str, path: Path) -> Note:
    """Return the note of a notebook, given the text of its file.

    A text that is not a notebook gives a note without text, with a problem.
    """
    try:
        return _note_of(path, text)
    except json.JSONDecodeError as error:
        return _refused(path, text, f"this is not JSON: {error.msg}", error.lineno, error.colno)
    except RecursionError:
        return _refused(path, text, "nested too deeply")
    except (KeyError, TypeError, ValueError) as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else error
        why = f"not laid out as Jupyter saves it: {what}"
        return _refused(path, text, why, getattr(error, "line", 1))


def _refused(path: Path, text: str, why: str, line: int = 1, column: int = 1) -> Note:
    """Return the note of a file that is not a notebook, with the problem."""
    # A notebook's JSON must not be parsed as Markdown: the note has as many lines, all empty.
    lines = LINE_END.sub("\n", text).removesuffix("\n").count("\n") + 1
    text, line = "\n" * lines, min(line, lines)
    return Note(
        path, text, problems=(Problem(line, f"not a notebook: {why}", column),), refused=why
    )


class _LayoutError(ValueError):
    """A notebook is not laid out as Jupyter saves it, at a line of the file."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


def _note_of(path: Path, text: str) -> Note:
    """Return the note of a notebook, with its text on the same lines as in the JSON file.

    A code cell is a fence: its opening mark is on the line of ``"source": [``, its closing mark on
    the line of the ``]``.
    """
    json_lines = [line.strip() for line in LINE_END.sub("\n", text).split("\n")]
    note_lines = [""] * len(json_lines)
    #: The output of each code cell, by the line of its fence.
    outputs: dict[int, Fence | None] = {}
    at = 0
    for cell in _cells(json.loads(text)):
        source = cell["source"]
        if not source:
            continue
        cell_begins, at = at, _line_of_source(json_lines, source, at)
        if any("\n" in line.rstrip("\r\n") for line in source):
            raise _LayoutError("two lines of a cell are on one line of the file", at + 1)
        lines = [re.sub(r"[\r\n]+$", "", line).replace("\r", " ") for line in source]
        if cell["cell_type"] == "code":
            outputs[at + 1] = _output_fence(json_lines, cell, cell_begins, at)
            # The mark is longer than any backticks in the code, which would close the fence.
            backticks = re.findall("`+", "\n".join(lines))
            mark = "`" * max([3, *(len(run) + 1 for run in backticks)])
            note_lines[at] = f"{mark}python{_fence_options(cell)}"
            note_lines[at + 1 + len(source)] = mark
        if cell["cell_type"] != "raw":
            note_lines[at + 1 : at + 1 + len(source)] = lines
        at += 1 + len(source)
    note = parse("\n".join(note_lines), path)
    parsed_fences = {block.fence.line for block in note.blocks}
    problems = [
        Problem(line, "this cell is within a part that a cell above leaves open")
        for line in outputs
        if line not in parsed_fences and not note.problems  # which say what is open
    ]
    blocks = (replace(b, output=outputs.get(b.fence.line, b.output)) for b in note.blocks)
    return replace(note, blocks=tuple(blocks), problems=(*note.problems, *problems))


def cell_of_block(note: Note, data: Mapping[str, Any], index: int) -> dict[str, Any]:
    """Return the code cell that is a block of a notebook, in the notebook's JSON.

    The cell is found by its code, since blocks in Markdown cells count, too; of several cells with
    the same code, by the number of blocks above that have it.

    Raises
    ------
    LookupError
        If there is none: the block is in a Markdown cell.
    """
    # As lines, since the code of a cell may end with a line break, which a block does not keep.
    *codes_above, code = [block.fence.text.splitlines() for block in note.blocks[: index + 1]]
    cells: list[dict[str, Any]] = [c for c in data["cells"] if c["cell_type"] == "code"]
    equal_cells = [cell for cell in cells if "".join(cell["source"]).splitlines() == code]
    return equal_cells[codes_above.count(code)]


def _cells(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the cells of a notebook, given its JSON.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it is no notebook of nbformat 4 with lists of lines as sources.
    """
    if not isinstance(data, dict) or data.get("nbformat", 4) != 4:
        raise _LayoutError("only nbformat 4 is read; save it again", 1)
    if not isinstance(data["cells"], list):
        raise TypeError("cells is not a list")
    for number, cell in enumerate(data["cells"], 1):
        kind = cell.get("cell_type") if isinstance(cell, dict) else None
        if kind not in ("code", "markdown", "raw"):
            raise TypeError(f"cell {number} has none of the types code, markdown and raw")
        source = cell.get("source")
        if not isinstance(source, list) or not all(isinstance(line, str) for line in source):
            raise TypeError(f"the source of cell {number} is not a list of lines")
        yield cell


def _line_of_source(json_lines: list[str], source: list[str], begins: int) -> int:
    """Return the index of the line ``"source": [`` of a cell, at or below the line ``begins``.

    It is above the lines of this source: an output may also contain such a line.
    """
    at = begins
    while True:
        try:
            at = json_lines.index(_SOURCE, at)
        except ValueError:
            why = "a line of a cell is not on a line of its own"
            raise _LayoutError(why, begins + 1) from None
        below = json_lines[at + 1 : at + 1 + len(source)]
        if len(below) == len(source) and all(map(_is_json_of, below, source)):
            return at
        at += 1


def _is_json_of(written: str, line: str) -> bool:
    """Return whether a line of the file is the JSON of a line of a cell: ``"x = 1",``."""
    try:
        return bool(json.loads(written.removesuffix(",")) == line)
    except (ValueError, RecursionError):
        return False


def _output_fence(
    json_lines: list[str], cell: Mapping[str, Any], cell_begins: int, source_begins: int
) -> Fence | None:
    """Return the outputs of a cell as a fence, with an approximate line; None if it has none.

    The cell begins at one line of the JSON, its source at the other; the outputs are between them.
    """
    text = _text_of_outputs(cell)
    if not text:
        return None
    # Find the first line of the output; Jupyter writes metadata above it.
    first_line = json.dumps(text.split("\n")[0], ensure_ascii=False).removesuffix('"')
    between = range(cell_begins, source_begins)
    of_first_line = (line for line in between if json_lines[line].startswith(first_line))
    of_outputs = (line for line in between if json_lines[line].startswith(_OUTPUTS))
    line = next(of_first_line, next(of_outputs, cell_begins))
    return Fence(line, source_begins, "text", tuple(text.split("\n")), prefix="", closed=True)


def _text_of_outputs(cell: Mapping[str, Any]) -> str:
    """Return the text of all outputs of a cell, in their order; empty if they are pictures."""
    parts = []
    for output in cell.get("outputs", []):
        match output["output_type"]:
            case "stream":
                parts.append(_as_text(output["text"]))
            case "error":
                parts.append(f"{output['ename']}: {output['evalue']}")
            case _:
                if not isinstance(output["data"], dict):
                    raise TypeError("the data of an output is not a table by type")
                parts.append(_as_text(output["data"].get("text/plain", "")))
    return "\n".join(part.rstrip("\n") for part in parts)


def _as_text(value: Any) -> str:
    """Return text that a notebook stores as a string or as a list of lines."""
    text = value if isinstance(value, str) else "".join(value)
    # JSON may contain half a surrogate pair, which cannot be encoded.
    return LINE_END.sub("\n", text).encode(errors="replace").decode()


def _fence_options(cell: Mapping[str, Any]) -> str:
    """Return the options of a cell in the form of those of a fence.

    >>> _fence_options({"metadata": {"tags": ["no-run"], "vaultkit": {"title": "a.py"}}})
    ' title="a.py" no-run'
    """
    metadata = cell.get("metadata")
    if not isinstance(metadata, dict):
        return ""
    tags = metadata.get("tags")
    tags = tags if isinstance(tags, list) else []
    settings = metadata.get("vaultkit")
    title = settings.get("title") if isinstance(settings, dict) else None
    is_path = isinstance(title, str) and _PATH.fullmatch(title)
    return (
        (" raises=Exception" if "raises-exception" in tags else "")
        + (f' title="{title}"' if is_path else "")
        + (" no-run" if "no-run" in tags else "")
    )
