"""What a page in a browser asks of the engine, and what it is sent: tried here, without one."""

import importlib
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from markdown import markdown

from vaultkit.claims.places import page_places
from vaultkit.doors.browser import BrowserChecker, replace_code
from vaultkit.read.markdown import parse
from vaultkit.read.renumbered import with_other_numbers
from vaultkit.read.vault import Vault
from vaultkit.render.host import EXTENSIONS
from vaultkit.site.runnable import (
    PYODIDE,
    addresses_script,
    controls_html,
    local_modules,
    zip_files,
)

NOTE = """---
summary: It is 12.5 wide.
---

# A

The width is `12.5`, and (2, 30) is a shape of $x$; $n = 12.5$ and $12.5$.

```python
import numpy as np
import beside
from os import path
x = np.zeros((2, 30))
n = 12.5
n
```

```text
12.5
```

> [!note]- Folded 12.5
> ```python
> print(n * beside.two)
> ```
>
> ```text
> 25.0
> ```

**25.0** is twice that, $$ $$ and $2 n = 25$.[^1]

[^1]: A foot of $n = 12.5$.
""".replace(" $$ $$", "")


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    root = tmp_path / "docs"
    root.mkdir()
    (root / "A.md").write_text(NOTE)
    (tmp_path / "beside.py").write_text("two = 2\n")
    (tmp_path / "alone.py").write_text("raise SystemExit\n")
    (root / "drawing.svg").write_text("<svg/>")
    return Vault(root)


@pytest.fixture
def desk(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> BrowserChecker:
    monkeypatch.syspath_prepend(str(vault.root.parent))
    return BrowserChecker(vault.root)


def reports(desk: BrowserChecker, edits: dict[int, str] | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    desk.check("A.md", edits or {}, found.append)
    json.dumps(found)
    return found


def by_place(found: list[dict[str, Any]]) -> dict[str, str]:
    checks = [message for message in found if "check" in message]
    return {place: m["check"]["outcome"] for m in checks for place in m["places"]}


def test_each_check_names_its_part_of_the_page(desk: BrowserChecker) -> None:
    found = reports(desk)
    # Of block 0 before the note is read, too, and of the last one while all is judged.
    limits = [m["block"] for m in found if "limit" in m]
    assert limits[:3] == [0, 0, 1]
    assert set(limits[3:]) == {1}
    parts = by_place(found)
    assert set(parts.values()) == {"holds"}
    # 0 is the summary, 3 is in a formula that states nothing: the formula is marked.
    assert sorted(parts) == [
        "block-0", "block-1", "formula-1", "formula-2", "formula-3", "formula-4",
        "number-0", "number-1", "number-2", "number-4", "number-5", "shape-0",
    ]  # fmt: skip


def test_an_edit_is_judged_at_the_same_places_and_then_gone(desk: BrowserChecker) -> None:
    before = (desk.vault.root / "A.md").read_bytes()
    code = "import numpy as np\nimport beside\nx = np.zeros((2, 31))\n\n\nn = 13.5\nn"
    parts = by_place(reports(desk, {0: code}))
    fails = {place for place, outcome in parts.items() if outcome == "fails"}
    assert fails >= {"block-0", "block-1", "formula-1", "formula-3", "formula-4"}
    assert (parts["number-2"], parts["shape-0"]) == ("unjudged", "unjudged")
    assert (desk.vault.root / "A.md").read_bytes() == before
    assert set(by_place(reports(desk)).values()) == {"holds"}
    [folded] = [
        m["check"] for m in reports(desk, {1: "print(n)\n\nn"}) if m.get("places") == ["block-1"]
    ]
    assert folded["fix"]["output"] == "12.5\n12.5"


def test_an_edit_that_makes_another_page_is_refused(desk: BrowserChecker) -> None:
    before = (desk.vault.root / "A.md").read_bytes()
    with pytest.raises(ValueError, match="ends the block"):
        reports(desk, {0: "n = 12.5\n```\n\n$n = 3$\n\n```python\nn"})
    assert (desk.vault.root / "A.md").read_bytes() == before


def test_a_comment_with_another_number_is_no_other_page(desk: BrowserChecker) -> None:
    code = "import numpy as np\nimport beside\nx = np.zeros((2, 30))\nn = 12.5\nn"
    before = by_place(reports(desk))
    parts = by_place(reports(desk, {0: f"# 5,000 pairs, (2, 30)\n{code}  # 2 by 30"}))
    assert {place: outcome for place, outcome in parts.items() if "-in-" not in place} == before
    assert "number-in-0-0" in parts


def test_what_a_browser_lacks_is_no_fault(desk: BrowserChecker) -> None:
    code = "import numpy as np\nimport beside\nn = 12.5\nx = np.zeros((2, 30))\n"
    found = reports(desk, {0: code + "open('/no/such/file')"})
    [first] = [m["check"] for m in found if m.get("places") == ["block-0"]]
    assert first["outcome"] == "excepted"
    assert first["why"].startswith("cannot run in a browser: FileNotFoundError")
    # What does not hold for another reason stays a fault.
    [one] = [m["check"] for m in reports(desk, {0: "1 / 0"}) if m.get("places") == ["block-0"]]
    assert one["outcome"] == "fails"


DRAWINGS = """
from vaultkit.figure import Figure

def data(n=12.5): return {"n": n}
def lists(x=()): return {"n": x[0, 0]}
def draw(data): return f"<svg><text>{data['n'] + 0.0}</text></svg>"

FIGURES = {"n.svg": Figure("n.svg", data, draw), "x.svg": Figure("x.svg", lists, draw),
           "own.svg": Figure("own.svg", lambda: {"n": 1}, draw)}
"""


def test_an_edit_draws_the_figures_of_its_variables(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = vault.root.parent
    monkeypatch.syspath_prepend(str(beside))
    (beside / "drawings_of_a.py").write_text(DRAWINGS)
    for name in ("n", "x", "own"):
        (vault.root / f"{name}.svg").write_text("<svg><text>12.5</text></svg>")
    # x.svg stands above the block that binds x, and gets it from there.
    shown = NOTE.replace("The width", "![x](x.svg) ![own](own.svg)\n\nThe width")
    (vault.root / "A.md").write_text(shown + "\n![n](n.svg)\n")
    desk = BrowserChecker(vault.root, figures_module="drawings_of_a")

    def figures(code: str) -> dict[str, tuple[str | None, str]]:
        found = reports(desk, {0: "import numpy as np\nimport beside\n" + code})
        return {m["figure"]: (m["svg"], m["error"]) for m in found if "figure" in m}

    assert figures("x = np.full((2, 30), 12.5)\nn = 13.5\nn") == {
        "n.svg": ("<svg><text>13.5</text></svg>", ""),
        "x.svg": (None, ""),  # as published
    }
    wrong = figures("x = None\nn = 12.5\nn")
    assert wrong["n.svg"] == (None, "")
    assert wrong["x.svg"] == (
        None,
        "the figure needs variables of the same kinds and shapes as on the page"
        " (TypeError: 'NoneType' object is not subscriptable)",
    )
    assert figures("n = 13.5\nn").keys() == {"n.svg"}
    assert not any("figure" in message for message in reports(desk))
    assert beside / "drawings_of_a.py" in local_modules(vault, "drawings_of_a")
    # A module that needs what a browser lacks draws nothing, and the rest is judged.
    assert BrowserChecker(vault.root, figures_module="no_such_module").figures == {}
    # What is wrong in the module itself is not hidden.
    (beside / "drawings_with_a_fault.py").write_text("FIGURES = nothing\n")
    with pytest.raises(NameError):
        _ = BrowserChecker(vault.root, figures_module="drawings_with_a_fault").figures


def test_a_figure_is_drawn_again_only_if_its_variables_have_changed(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = vault.root.parent
    monkeypatch.syspath_prepend(str(beside))
    (beside / "drawings_counted.py").write_text(
        DRAWINGS.replace("return f", "drawn.append(data['n'] + 0.0); return f") + "drawn = []\n"
    )
    (vault.root / "A.md").write_text(f"{NOTE}\n![n](n.svg) ![x](x.svg)\n")
    for name in ("n", "x"):
        (vault.root / f"{name}.svg").write_text("<svg/>")
    desk = BrowserChecker(vault.root, figures_module="drawings_counted")
    drawn = importlib.import_module("drawings_counted").drawn

    def figures(edits: dict[int, str]) -> tuple[dict[str, str | None], list[float]]:
        drawn.clear()
        found = reports(desk, edits)
        return {m["figure"]: m["svg"] for m in found if "figure" in m}, drawn[:]

    code = "import numpy as np\nimport beside\nx = np.zeros((2, 30))\nn = "
    new = "<svg><text>13.5</text></svg>"
    assert figures({}) == ({}, [])
    assert figures({1: "print(n)"}) == ({"n.svg": None, "x.svg": None}, [])
    assert figures({0: code + "13.5"}) == ({"n.svg": new, "x.svg": None}, [13.5])
    assert figures({0: code + "13.5", 1: "n"}) == ({"n.svg": new, "x.svg": None}, [])
    changed = {0: code + "13.5\nx[0] = 2"}
    assert figures(changed)[1] == [2.0]
    assert figures({**changed, 1: "x[0] = 3"})[1] == [3.0]
    # What has been drawn before is not drawn again, either.
    assert figures({}) == ({}, [])
    assert figures({0: code + "13.5"}) == ({"n.svg": new, "x.svg": None}, [])


def test_a_figure_shows_its_variables_as_the_blocks_above_it_left_them(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = vault.root.parent
    monkeypatch.syspath_prepend(str(beside))
    (beside / "drawings_of_arrays.py").write_text(
        DRAWINGS.replace("data['n']", "data['n'][0]")
        .replace("n=12.5", "x=()")
        .replace('"n": n', '"n": x[0]')
    )
    (vault.root / "n.svg").write_text("<svg><text>12.5</text></svg>")
    later = "\n![n](n.svg)\n\n```python\nx *= 3\n```\n"
    (vault.root / "A.md").write_text(NOTE + later)
    desk = BrowserChecker(vault.root, figures_module="drawings_of_arrays")
    found = reports(
        desk, {0: "import numpy as np\nimport beside\nx = np.full((2, 30), 2.0)\nn = 12.5\nn"}
    )
    assert [m["svg"] for m in found if "figure" in m] == ["<svg><text>2.0</text></svg>"]


def test_a_notebook_is_edited_like_a_note(desk: BrowserChecker) -> None:
    cell = {"cell_type": "code", "metadata": {}, "execution_count": 1}
    shown = {"output_type": "stream", "name": "stdout", "text": ["3\n"]}
    notebook = {
        "cells": [{**cell, "source": ["x = 3\n", "print(x)"], "outputs": [shown]}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (desk.vault.root / "B.ipynb").write_text(json.dumps(notebook, indent=1) + "\n")
    desk = BrowserChecker(desk.vault.root, desk.settings)
    found: list[dict[str, Any]] = []
    desk.check("B.ipynb", {}, found.append)
    assert by_place(found) == {"block-0": "holds"}
    desk.check("B.ipynb", {0: "x = 4\n\nprint(x)"}, found.append)
    assert by_place(found) == {"block-0": "fails"}


def test_an_edit_finds_its_cell_behind_a_block_in_a_markdown_cell(desk: BrowserChecker) -> None:
    cell = {"cell_type": "code", "metadata": {}, "execution_count": 1, "outputs": []}
    words = {"cell_type": "markdown", "metadata": {}, "source": ["```python\n", "y = 1\n", "```"]}
    notebook = {
        "cells": [words, {**cell, "source": ["x = 3\n"]}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path = desk.vault.root / "B.ipynb"
    path.write_text(json.dumps(notebook, indent=1) + "\n")
    desk = BrowserChecker(desk.vault.root, desk.settings)
    note = desk.vault.notes[path]
    edited = json.loads(replace_code(note, {1: "x = 4"}))
    assert [cell["source"] for cell in edited["cells"]] == [words["source"], ["x = 4"]]
    with pytest.raises(ValueError, match="Markdown cell"):
        replace_code(note, {0: "y = 2"})


def test_the_page_calls_its_parts_the_same(vault: Vault) -> None:
    [note] = vault.notes.values()
    options = {"vaultkit.render.host": {"vault": vault, "note": str(note.path), "places": True}}
    html = markdown(
        note.text, extensions=list(EXTENSIONS), extension_configs={**EXTENSIONS, **options}
    )
    assert not re.search("[\U000f0000-\U0010fffd]", html)
    assert '<code><span data-check="number-1">12.5</span></code>' in html
    assert '<span data-check="shape-0">(2, <span data-check="number-2">30</span>)</span>' in html
    assert re.findall(r'data-check="(block-\d|output-\d)"', html) == [
        "block-0", "output-0", "block-1", "output-1",
    ]  # fmt: skip
    formulas = re.findall(r'data-check="formula-(\d)" data-tex="([^"]+)"', html)
    assert {int(number): tex for number, tex in formulas} == {
        number: formula.tex for number, formula in enumerate(note.formulas)
    }
    where = page_places(note)
    named = {name for names in where.spots.values() for name in names} - {"number-0"}
    assert named <= set(re.findall(r'data-check="([^"]+)"', html))
    plain = markdown(
        note.text,
        extensions=list(EXTENSIONS),
        extension_configs={**EXTENSIONS, "vaultkit.render.host": {"vault": vault}},
    )
    assert "data-check" not in plain
    tags = re.compile("<[^>]*>")
    assert tags.sub("", html) == tags.sub("", plain)


def test_links_and_pictures_are_marked_and_formulas_of_one_kind_apart(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    (root / "other.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" class="vk-figure"><a href="[[Gone]]"/></svg>'
    )
    (root / "A.md").write_text(
        """---
up: "[[A]]"
---

# A

See [[A]], [[Nowhere|words]] and [there](Nowhere.md); $n = 3$ is not $n = 3$.

![[other.svg]]

```python
n = 3
n
```

```text
3
```
"""
    )
    vault = Vault(root)
    [note] = vault.notes.values()
    found: list[dict[str, Any]] = []
    BrowserChecker(root).check("A.md", {}, found.append)
    parts = [
        (m["check"]["what"], m["check"]["outcome"], m["places"]) for m in found if "check" in m
    ]
    options = {"vaultkit.render.host": {"vault": vault, "note": str(note.path), "places": True}}
    html = markdown(
        note.text, extensions=list(EXTENSIONS), extension_configs={**EXTENSIONS, **options}
    )
    assert "data-written" not in html
    element = {
        place: re.search(rf"<[^<>]*data-check=\"{place}\"[^<>]*>(?:words|there)?", html)
        for _, _, [place] in parts
    }
    words = {what: found[0] for what, _, [place] in parts if (found := element[place])}
    assert words["[[Nowhere|words]]"].endswith("words")
    assert words["[there](Nowhere.md)"].endswith("there")
    # What is wrong with a link in a drawing is shown at the drawing.
    assert "vk-figure-box" in words["[[Gone]]"]
    failing = [what for what, outcome, _ in parts if outcome == "fails"]
    assert sorted(failing) == ["[[Gone]]", "[[Nowhere|words]]", "[there](Nowhere.md)"]
    assert [places for what, _, places in parts if what == "n = 3"] == [
        ["formula-0"], ["formula-1"],
    ]  # fmt: skip


def test_nothing_is_marked_on_what_is_no_note(vault: Vault) -> None:
    options = {"vault": vault, "note": str(vault.root / "made.md"), "places": True}
    html = markdown(
        "See [143](#143-265), 26.5.\n",
        extensions=list(EXTENSIONS),
        extension_configs={**EXTENSIONS, "vaultkit.render.host": options},
    )
    assert html == '<p>See <a href="#143-265">143</a>, 26.5.</p>'


def test_what_is_packed_is_enough_and_no_more(vault: Vault, tmp_path: Path) -> None:
    assert local_modules(vault) == [vault.root.parent / "beside.py"]
    packed = zip_files(vault)
    assert packed == zip_files(Vault(vault.root))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "there")
    assert "vault/docs/A.md" in names
    assert "vault/beside.py" in names
    assert "vault/alone.py" not in names
    assert not any(name.endswith((".so", ".pyc")) for name in names)
    assert any("pyyaml" in name.lower() and "LICENSE" in name for name in names)
    code = """
import json, sys
sys.path[:0] = ["packages", "vault"]
from pathlib import Path
from vaultkit.doors.browser import BrowserChecker
found = []
BrowserChecker(Path("vault/docs")).check("A.md", {}, found.append)
ours = {name: getattr(module, "__file__", "") or "" for name, module in sys.modules.items()}
away = [n for n in ours if n.split(".")[0] in ("vaultkit", "yaml", "markdown_it", "mdit_py_plugins")
        and not ours[n].startswith((str(Path.cwd()), "packages"))]
print(away, {m["check"]["outcome"] for m in found if "check" in m})
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "there",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == "[] {'holds'}\n"


def test_the_page_contains_where_everything_is(vault: Vault) -> None:
    given = {
        "worker": "w.js",
        "results": "r.js",
        "bundle": "e.zip",
        "size": 2_000_000,
        "root": "../..",
    }
    line = addresses_script(vault, "https://example.org/py", **given)  # type: ignore[arg-type]
    reports = json.loads(line.removeprefix("const VAULTKIT_ENGINE = ").removesuffix(";\n"))
    assert reports["pyodide"] == "https://example.org/py/"
    assert reports["ledger"] == "../../checks.json"
    assert reports["megabytes"] == 11
    assert all(re.fullmatch("[0-9a-f]{64}", sha256) for _, sha256 in reports["files"].values())
    assert set(reports["files"]) == set(PYODIDE)
    assert '"../../py/"' in addresses_script(vault, "py/", **given)  # type: ignore[arg-type]
    assert controls_html("A & B.md") == '<div class="vk-run" data-note="A &amp; B.md"></div>'


def test_outputs_are_reported_before_the_checks_of_the_text(desk: BrowserChecker) -> None:
    (desk.vault.root / "A.md").write_text(NOTE + "\nSee [[Nowhere]].\n")
    desk = BrowserChecker(desk.vault.root)
    reports: list[dict[str, Any]] = []
    desk.check("A.md", {}, reports.append)
    kinds = [report["check"]["kind"] for report in reports if "check" in report]
    assert kinds[0] == "block"
    assert max(n for n, kind in enumerate(kinds) if kind == "block") < kinds.index("link")


def test_a_note_in_which_only_a_number_of_code_is_new_is_not_read_again(
    desk: BrowserChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = desk.vault.notes[desk.vault.root / "A.md"].blocks[0].fence.text
    monkeypatch.delattr("vaultkit.doors.browser.read_note")
    reports: list[dict[str, Any]] = []
    for number in ("13.5", "7"):
        desk.check("A.md", {0: code.replace("12.5", number)}, reports.append)
    outputs = [report["check"].get("fix") for report in reports if "check" in report]
    assert [fix["output"] for fix in outputs if fix and "output" in fix][::2] == ["13.5", "7"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\nn = 12.5", "\nn = 012.5"),  # an error of syntax
        ("\nn = 12.5", "\nn = 12.5  # of 3"),
        ("\nn = 12.5", "\nm = 12.5"),
        ("\nn = 12.5", "\nn = 12.5\nm = 1"),
        ("It is 12.5", "It is 13.5"),
        ("```text\n12.5", "```text\n13.5"),
    ],
)
def test_a_note_in_which_more_is_new_is_read_again(old: str, new: str) -> None:
    note = parse(NOTE)
    assert NOTE.count(old) == 1
    assert with_other_numbers(note, NOTE.replace(old, new)) is None


def test_a_note_is_read_again_if_a_number_is_new_in_a_comment() -> None:
    text = "```python\nn = 2  # of 3\n```\n"
    assert with_other_numbers(parse(text), text.replace("3", "4")) is None
