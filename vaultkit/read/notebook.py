"""Reads a Jupyter notebook as a note: Markdown cells are its text, code cells its blocks.

The text of such a note has as many lines as the notebook's file, and every line of a cell stands
where it stands there. So a line named by a check or a traceback is a line of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vaultkit.read.markdown import parse
from vaultkit.read.note import Fence, Note, Problem


def read(path: Path) -> Note:
    """Read a notebook (nbformat 4), one line of a cell to a line of the file, as Jupyter saves it.

    A cell with the tag ``raises-exception`` must raise, one with the tag ``no-run`` does not run.
    """
    raw = path.read_text(encoding="utf-8")
    try:
        return _read(path, raw, json.loads(raw)["cells"])
    except (KeyError, TypeError, ValueError) as error:
        told = f"this is no notebook, or not laid out as Jupyter saves it: {error}"
        return Note(path, raw, problems=(Problem(getattr(error, "lineno", 1), told),))


def _read(path: Path, raw: str, cells: list[dict[str, Any]]) -> Note:
    file = [line.strip() for line in raw.splitlines()]
    lines = [""] * len(file)
    outputs: list[Fence | None] = []
    at = 0
    for cell in cells:
        if cell["cell_type"] == "code" and (shown := _shown(cell)):
            last = file.index('"source": [', at)
            # The first line that is shown; what Jupyter notes of it stands above.
            begins = json.dumps(shown.split("\n")[0], ensure_ascii=False)[:-1]
            places = (n for n in range(at, last) if file[n].startswith(begins))
            first = next(places, file.index('"outputs": [', at))
            outputs.append(Fence(first, last, "text", tuple(shown.split("\n")), "", True))
        elif cell["cell_type"] == "code":
            outputs.append(None)
        source = "".join(cell["source"]).split("\n")
        if not cell["source"]:
            outputs = outputs[:-1] if cell["cell_type"] == "code" else outputs
            continue
        at = file.index('"source": [', at)
        lines[at + 1 : at + 1 + len(source)] = source
        if cell["cell_type"] == "code":
            lines[at] = f"```python{_words(cell)}"
            lines[at + 1 + len(source)] = "```"
        at += 1 + len(source)
    note = parse("\n".join(lines), path)
    blocks = (replace(b, output=o) for b, o in zip(note.blocks, outputs, strict=True))
    return replace(note, blocks=tuple(blocks))


def _shown(cell: Mapping[str, Any]) -> str:
    """Text of all outputs of a cell, in their order."""
    parts = []
    for output in cell["outputs"]:
        match output["output_type"]:
            case "stream":
                parts.append("".join(output["text"]))
            case "error":
                parts.append(f"{output['ename']}: {output['evalue']}")
            case _:
                parts.append("".join(output["data"].get("text/plain", "")))
    return "\n".join(part.rstrip("\n") for part in parts)


def _words(cell: Mapping[str, Any]) -> str:
    tags = cell["metadata"].get("tags", ())
    raises = " raises=Exception" if "raises-exception" in tags else ""
    return raises + (" no-run" if "no-run" in tags else "")
