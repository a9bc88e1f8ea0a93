"""Texts and files that a parser must refuse or survive, and a note with every kind of syntax."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path

_LAUGHS = "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in pairwise("abcdefghijklm"))
_CELL = {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": []}

_OPEN = {"cell_type": "markdown", "id": "b", "metadata": {}, "source": ["<!-- open"]}


def _front(text: str) -> bytes:
    return f"---\n{text}\n---\n# Title\n".encode()


def _notebook(cells: object, **more: object) -> bytes:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, **more}, indent=1).encode()


#: By the name of a file: its bytes, the line of its problem, and a word of the message.
WRONG: dict[str, tuple[bytes, int, str]] = {
    "utf16.md": ("# Title\n".encode("utf-16"), 1, "UTF-16"),
    "utf16 bare.md": ("# Title\n".encode("utf-16-le"), 1, "UTF-16"),
    "latin.md": ("# Title\n\nA caf\u00e9.\n".encode("latin-1"), 3, "0xe9"),
    "latin of windows.md": (b"# Title\r\n\r\ncaf\xe9\r\n", 3, "0xe9"),
    "latin of old.md": (b"# Title\r\rcaf\xe9\r", 3, "0xe9"),
    "invalid.md": (b"# Title\n\xff\xfe\xfd\n", 2, "0xff"),
    "nul.md": (b"# Title\n\nword\0word\n", 3, "NUL"),
    "large.md": (b"word " * 10_000_000, 1, "too large"),
    "date.md": (_front("date: 2024-13-45"), 2, "month"),
    "digits.md": (_front("a: 1\nsize: " + "9" * 10_000), 3, "digits"),
    "lists.md": (_front("a: " + "[" * 5000 + "]" * 5000), 2, "nested too deeply"),
    "laughs.md": (_front("a: &a [x, x]\n" + _LAUGHS + "aliases: *m"), 2, "anchors"),
    "tabs.md": (_front("a: b\n\tc: d"), 3, "front matter"),
    "keys.md": (_front("[a]: b"), 2, "key"),
    "long.md": (_front("a: " + "b" * 100_000), 2, "longer"),
    "object.md": (_front("a: !!python/object:os.system {}"), 2, "front matter"),
    "control.md": (_front("a: \x07"), 2, "front matter"),
    "quotes.md": (b"> " * 500 + b"word\n", 1, "nested too deeply"),
    "nested.md": (b"".join(b" " * (4 * i) + b"- a\n" for i in range(200)), 25, "nested too"),
    "brackets.md": (b"# Title\n\n" + b"[" * 10_000 + b"\n", 3, "brackets"),
    "double brackets.md": (b"# Title\n\n" + b"[[a|" * 5000 + b"\n", 3, "brackets"),
    "letters.md": (b"# Title\n\n" + b"a" * 500_000, 3, "characters"),
    "line.md": (b"# Title\n\n" + b"word " * 1_000_000, 1, "too large"),
    "entities.md": (b"# Title\n\n" + b"&amp" * 5000, 3, "marks"),
    "stars.md": (b"# Title\n\n" + b"*a **b " * 3000, 3, "marks"),
    "backticks.md": (b"# Title\n\n" + b" ".join(b"`" * i for i in range(300)), 3, "marks"),
    "dollars.md": (b"# Title\n\n" + b"$ " * 10_000, 3, "marks"),
    "text.ipynb": (b"# Title\n", 1, "not JSON"),
    "nested.ipynb": (b"[" * 100_000 + b"]" * 100_000, 1, "nested too deeply"),
    "list.ipynb": (b"[]", 1, "nbformat 4"),
    "old.ipynb": (b'{"nbformat": 3, "worksheets": []}', 1, "nbformat 4"),
    "number.ipynb": (b'{"cells": 1}', 1, "list"),
    "cells.ipynb": (_notebook([1]), 1, "cell 1"),
    "type.ipynb": (_notebook([{"cell_type": 1}]), 1, "cell 1"),
    "source.ipynb": (_notebook([{**_CELL, "source": 3}]), 1, "source of cell 1"),
    "outputs.ipynb": (_notebook([{**_CELL, "source": ["1"], "outputs": 3}]), 1, "not laid out"),
    "one line.ipynb": (b'{"cells": [{"cell_type": "raw", "source": ["1"]}]}', 1, "of its own"),
    "two lines.ipynb": (_notebook([{**_CELL, "source": ["1\n2"]}]), 9, "two lines"),
    "open.ipynb": (_notebook([_OPEN, {**_CELL, "source": ["1"]}]), 8, "never closed"),
    "digits.ipynb": (b'{"nbformat": ' + b"9" * 10_000 + b"}", 1, "digits"),
    "half.ipynb": (_notebook([{"cell_type": "markdown", "source": ["\ud800"]}]), 6, "half"),
}  # fmt: skip

#: Odd, large or deep texts that are no errors of form.
ODD: dict[str, bytes] = {
    "empty.md": b"",
    "bom.md": b"\xef\xbb\xbf# Title\n",
    "carriage returns.md": b"# Title\r\rword\r",
    "separators.md": "# Title\n\nword\u2028word\x0bword\x0cword\x85word\n".encode(),
    "parentheses.md": b"# Title\n\n(" + b"(" * 10_000 + b")" * 10_000 + b"\n",
    "headings.md": b"# Title\n\n" * 10_000,
    "underscores.md": b"# Title\n\n" + b"_a " * 1900,
    "links.md": b"# Title\n\n" + b"[[Good]] " * 250 + b"[a][" * 200 + b"\n",
    "marks.md": b"# Title\n\n" + b"[" * 990 + b"![a](" * 300 + b"\n",
    "angles.md": b"# Title\n\n" + b"<a " * 1900,
    "comments.md": b"# Title\n\n" + b"word <!-- " * 900,
    "percents.md": b"# Title\n\nword " + b"%% " * 901,
    "bars.md": b"|a" * 500 + b"\n" + b"|-" * 500 + b"\n" + (b"|b" * 500 + b"\n") * 20,
    "blank.md": b"\n" * 200_000,
    "spaces.md": b"# Title\n\n" + b" " * 200_000 + b"word\n",
}  # fmt: skip

#: Formulas that only the typesetter or the parser of formulas refuses.
FORMULAS = {
    "fractions.md": "# Title\n\n$$\n" + "\\frac{" * 10_000 + "1" + "}{2}" * 10_000 + "\n$$\n",
    "roots.md": "# Title\n\n$" + "\\sqrt" * 1500 + "1$\n",
    "brackets in a formula.md": "# Title\n\n$" + "(" * 3000 + ")" * 3000 + "$\n",
}


#: One of each kind, and none that is large.
FEW = {
    "utf16.md", "latin.md", "nul.md", "date.md", "laughs.md", "brackets.md", "text.ipynb",
    "two lines.ipynb", "bom.md", "parentheses.md", "separators.md", "roots.md",
}  # fmt: skip


def write(folder: Path, name: str) -> None:
    """Write one of them into a folder."""
    text = FORMULAS.get(name)
    wrong = WRONG[name][0] if name in WRONG else b""
    content = text.encode() if text else ODD.get(name, wrong)
    (folder / name).write_bytes(content)


def write_files(folder: Path) -> dict[str, str]:
    """Write special files; return, by name, a word of the message about each."""
    (folder / "nowhere.md").symlink_to("is not here.md")
    (folder / "itself.md").symlink_to("itself.md")
    (folder / "one.md").symlink_to("two.md")
    (folder / "two.md").symlink_to("one.md")
    os.mkfifo(folder / "fifo.md")
    (folder / "device.md").symlink_to("/dev/zero")
    (folder / "inner").mkdir()
    (folder / "inner" / "Deep.md").write_text("# Deep\n")
    (folder / "inner" / "again").symlink_to(folder)
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")).write_text("# Cafe\n")
    return {
        "nowhere.md": "does not exist",
        "itself.md": "circle",
        "one.md": "circle",
        "two.md": "circle",
        "fifo.md": "not a regular file",
        "device.md": "not a regular file",
        "inner/again": "contains it",
        "caf\\xe9.md": "not UTF-8",
    }
