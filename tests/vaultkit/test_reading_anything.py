"""Whatever the text: it is read, nothing is raised, and every place is inside the file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.vaultkit.agreement import converter
from vaultkit.checks import misread
from vaultkit.claims.claims import claims_of
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.markdown import parse
from vaultkit.read.note import Note
from vaultkit.read.notebook import parse_notebook
from vaultkit.read.vault import Vault

# What a line of a note is made of, right or wrong.
PIECES = st.sampled_from(
    [
        *"abz19 \t.|*_`~$%^#>-+=[](){}!\\/&<;:'\"é\u2028\x0b\x0c\0\u200b", "\r\n", "\r", "\n\n",
        "    ", "- ", "1. ", "> ", "> [!note]- T\n> ", "# ", "## a\n", "[[", "]]", "![[",
        "[[A#^b]]",
        "[[A#a|w $x$]]", "[w](A.md)", "![a](b.svg)", "\n*caption*", "$x = 1.5$",
        "$$\n", "\n$$\n",
        "```python\n", "```text\n", "\n```\n", "```", "~~~", "| a | b |\n|---|---|\n", " ^b\n",
        "%%", "<!-- given: a -->", "<!--", "-->", "<div>\n", "</div>", '<a href="A.md">', "<![",
        "<!",
        "<?", "<p title='1.5' ", "&amp;", "&#1;", "---\n",
        "a: [b, *c]\n", "tags: [x]\n", "[^1]",
        "\n[^1]: f\n", "[r]: A.md\n", "[r]", "#tag", "==m==", "a\n?\nb\n\n", "1.5 %", "10^{-3}",
        "\\frac{", "\ud800", "\ufeff", "\u0301", "\u202e",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=60))
bounded = settings(
    deadline=2000,
    max_examples=int(os.environ.get("VAULT_EXAMPLES", settings().max_examples * 3 // 2)),
    suppress_health_check=[HealthCheck.too_slow],
)


def places_are_inside(note: Note) -> None:
    lines = note.lines
    found = (
        *note.links,
        *note.formulas,
        *note.headings,
        *claims_of(note).quantities,
        *note.problems,
        *misread.problems(note),
    )
    for what in found:
        assert 1 <= what.line <= len(lines), what
        # A refused notebook has lines, and nothing on them.
        assert note.refused or 1 <= what.column <= len(lines[what.line - 1]) + 1, what
    last = 0
    for fence in note.fences:
        assert last < fence.line <= fence.end <= len(lines)
        last = fence.end
    for first, end in [*note.comments, *note.block_ids.values()]:
        assert 1 <= first <= end <= len(lines)
    assert 0 <= note.front <= len(lines)
    places = [(link.line, link.column) for link in note.links if link.wiki]
    assert len(set(places)) == len(places)
    for link in note.links:
        if link.wiki:
            assert lines[link.line - 1][link.column - 1 :].startswith(("[[", "![["))


@given(TEXTS)
@bounded
@example("<![a\n")
@example("[[A|[[b]] ]]")
@example("^[^1]")
def test_any_text_is_a_note(text: str) -> None:
    places_are_inside(parse(text))


@given(st.lists(TEXTS, min_size=1, max_size=3))
@bounded
@example(["<?><![1"])
@example(["<div><![1]]></div>", "<details>\n<![2\n</details>"])
def test_any_vault_is_inspected_and_shown(texts: list[str]) -> None:
    with TemporaryDirectory() as folder:
        for name, text in zip("ABC", texts, strict=False):
            content = text.encode("utf-8", "surrogatepass")
            (Path(folder) / f"{name}.md").write_bytes(content)
        vault = Vault(Path(folder))
        assert len(vault.notes) == len(texts)
        for path, note in vault.notes.items():
            for check in inspect(note, vault, run=None):
                assert 1 <= check.line <= len(note.lines)
            converter(vault, path).convert(note.text)


@given(st.binary(max_size=80))
@bounded
def test_any_bytes_are_a_note(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        for name in ("a.md", "b.ipynb"):
            (Path(folder) / name).write_bytes(content)
        for note in Vault(Path(folder)).notes.values():
            places_are_inside(note)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
LINES = TEXTS.map(lambda text: text.split("\n")).map(lambda lines: [f"{line}\n" for line in lines])
OUTPUTS = st.lists(
    st.fixed_dictionaries(
        {"output_type": st.sampled_from(["stream", "error", "execute_result"])},
        optional={"text": LINES | TEXTS | JSON, "data": JSON, "ename": TEXTS, "evalue": TEXTS},
    ),
    max_size=2,
)
CELLS = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", "raw"])},
    optional={"source": LINES | JSON, "outputs": OUTPUTS | JSON, "metadata": JSON},
)
NOTEBOOKS = st.fixed_dictionaries({"cells": st.lists(CELLS | JSON, max_size=4)})


NO_DATA = {"cells": [{"cell_type": "code", "source": ["1\n"],
                      "outputs": [{"output_type": "execute_result", "data": None}]}]}  # fmt: skip


@pytest.mark.long
@given(NOTEBOOKS | JSON, st.sampled_from([None, 1]))
@example(NO_DATA, 1)
@bounded
def test_any_notebook_is_a_note(data: object, indent: int | None) -> None:
    raw = json.dumps(data, indent=indent)
    note = parse_notebook(raw, Path("a.ipynb"))
    assert len(note.lines) <= raw.count("\n") + 1
    places_are_inside(note)


@pytest.mark.parametrize("sign", ["\ue001", "\ue006", "\ue100", "\ue345", "\ue8ff", "\uf8ff"])
def test_a_sign_of_a_font_with_icons_is_none_of_our_marks(sign: str) -> None:
    note = parse(f"Of shape (3, 4) {sign} and 12 {sign}, `a{sign}` and $x = 1${sign}.\n")
    assert not note.refused
    assert all(not quantity.given for quantity in claims_of(note).quantities)
