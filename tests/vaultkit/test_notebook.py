import json
from pathlib import Path
from typing import Any

import pytest

from vaultkit.read.notebook import read
from vaultkit.read.vault import Vault


def cell(
    kind: str, source: str, outputs: list[Any] | None = None, **metadata: Any
) -> dict[str, Any]:
    common = {"cell_type": kind, "metadata": metadata, "source": source.splitlines(keepends=True)}
    code = {"execution_count": 1, "outputs": outputs or []} if kind == "code" else {}
    return {**common, **code, "id": source[:4]}


def result(text: str) -> dict[str, Any]:
    data = {"text/plain": text.splitlines(keepends=True)}
    return {"data": data, "execution_count": 1, "metadata": {}, "output_type": "execute_result"}


CELLS = [
    cell("markdown", "# Book\n\nSee [A](A.md) and $x = 2$ or 2.5."),
    cell("code", "x = 2\nprint(x)\nx + 0.5", [
        {"name": "stdout", "output_type": "stream", "text": ["2\n"]}, result("2.5")]),
    cell("code", ""),
    cell("code", "'2.5'", [result("'2.4'")]),
    cell("code", "1 / 0", [], tags=["raises-exception"]),
]  # fmt: skip


@pytest.fixture
def book(pytester: pytest.Pytester) -> Path:
    path = pytester.mkdir("docs") / "Book.ipynb"
    notebook = {"cells": CELLS, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook, indent=1, sort_keys=True) + "\n")
    path.with_name("A.md").write_text("[[Book]] and [[Book#Book]]\n")
    return path


def test_lines_are_those_of_the_file(book: Path) -> None:
    file = book.read_text().splitlines()
    note = read(book)
    assert note.headings[0].text == "Book"
    assert [block.fence.text for block in note.blocks] == [
        "x = 2\nprint(x)\nx + 0.5",
        "'2.5'",
        "1 / 0",
    ]
    assert "x + 0.5" in file[note.blocks[0].fence.line + 2]
    assert "See [A]" in file[note.links[0].line - 1]
    assert "See [A]" in file[note.formulas[0].line - 1]
    first = note.blocks[0].output
    assert first
    assert (first.lines, first.text) == (("2", "2.5"), "2\n2.5")
    assert note.blocks[2].output is None


def test_a_notebook_is_a_note_of_the_vault(book: Path) -> None:
    vault = Vault(book.parent)
    (note,) = (note for note in vault.notes.values() if note.path.suffix == ".md")
    assert [vault.resolve(link, note).path for link in note.links] == [book, book]
    assert vault.backlinks(vault.notes[book])


@pytest.mark.long
def test_it_runs_and_is_updated(pytester: pytest.Pytester, book: Path) -> None:
    result = pytester.runpytest_inprocess("--vault", "docs", "docs/Book.ipynb")
    result.assert_outcomes(passed=8, failed=1)  # a number on no output is not judged
    line = next(n for n, text in enumerate(book.read_text().splitlines(), 1) if "'2.4'" in text)
    result.stdout.fnmatch_lines([f"docs/Book.ipynb:{line}: the output differs*"])
    pytester.runpytest_inprocess("--vault", "docs", "docs/Book.ipynb", "--update").assert_outcomes(
        passed=9
    )
    stored = [c["outputs"] for c in json.loads(book.read_text())["cells"] if "outputs" in c]
    assert stored[0] == CELLS[1]["outputs"]
    assert stored[2][0]["text"] == ["'2.5'"]
    assert stored[3][0]["text"] == ["ZeroDivisionError: division by zero"]
    before = book.read_bytes()
    pytester.runpytest_inprocess("--vault", "docs", "docs", "--update").assert_outcomes(
        passed=13
    )  # A.md holds no code
    assert book.read_bytes() == before


def test_what_is_no_notebook_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text("{\n,}")
    (problem,) = read(path).problems
    assert (problem.line, problem.column) == (2, 1)
    assert problem.message.startswith("not a notebook: this is not JSON")
    path.write_text('{"cells": [{"cell_type": "code", "source": "1", "outputs": []}]}')
    assert "not laid out as Jupyter" in read(path).problems[0].message
    path.write_text('{"cells": [{"cell_type": "code",\n"source": [\n"x\\n",\n""]}]}')
    assert "a line of a cell is not on a line of its own" in read(path).problems[0].message
    path.write_text("{}")
    assert read(path).problems[0].message.endswith("as Jupyter saves it: it has no 'cells'")


def test_a_cell_may_say_which_file_it_shows(tmp_path: Path) -> None:
    kept: list[Any] = [{"title": "lib/a b.py"}, {"title": 'a" no-run'}, {"title": 1}, "a.py", None]
    cells = [{**cell("code", "1"), "metadata": {"vaultkit": own}} for own in kept]
    path = tmp_path / "Book.ipynb"
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook, indent=1, sort_keys=True) + "\n")
    found = [block.fence.options for block in read(path).blocks]
    assert found == [{"title": "lib/a b.py"}, {}, {}, {}, {}]
