"""The settings of a vault, and which checks its notes get."""

from pathlib import Path

import pytest

from vaultkit.checks.check import strictly
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.options import Options, OptionsError
from vaultkit.read.vault import Vault

CODE = "```python\nx = 2\nx\n```\n\n```text\n3\n```\n\n$x = 3$ and 4.5\n"


def vault(folder: Path, notes: dict[str, str], settings: str = "") -> Vault:
    for name, text in notes.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "vaultkit.toml").write_text(settings)
    return Vault(folder / "docs")


def failing(vault: Vault) -> dict[str, list[str]]:
    return {
        vault.relative(path): sorted(
            c.kind for c in strictly(inspect(note, vault)) if c.outcome == "fails"
        )
        for path, note in vault.notes.items()
    }


ALL = ["block", "equation", "link", "number"]


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("", ALL),
        ("checks: [code, links]", ["block", "link"]),
        ("checks: links", ["link"]),
        ("checks: [equations]", ["equation"]),
        ("checks: [cod]", ["form"]),
    ],
)
def test_a_note_says_which_checks_it_gets(tmp_path: Path, front: str, expected: list[str]) -> None:
    text = f"---\n{front}\n---\n# A\n\n[[No]]\n\n{CODE}"
    assert failing(vault(tmp_path, {"A.md": text})) == {"A.md": expected}


def test_so_do_the_settings_and_the_deepest_folder(tmp_path: Path) -> None:
    text = f"# A\n\n[[No]]\n\n{CODE}"
    notes = dict.fromkeys(("A.md", "Diary/A1.md", "Diary/Work/A2.md", "Diary 2/A3.md"), text)
    settings = 'checks = ["numbers"]\n[folders]\nDiary = ["links"]\n"Diary/Work" = ["code"]\n'
    assert failing(vault(tmp_path, notes, settings)) == {
        "A.md": ["number"],
        "Diary/A1.md": ["link"],
        "Diary/Work/A2.md": ["block"],
        "Diary 2/A3.md": ["number"],
    }


@pytest.mark.parametrize("outside", ["", 'Old = ["links"]\n'])
def test_a_folder_may_have_no_checks(tmp_path: Path, outside: str) -> None:
    text = f"# A\n\n[[No]]\n\n{CODE}\nx is 9, which is less than 4.\n"
    own = vault(tmp_path, {"Old/A/B.md": text}, f'[folders]\n{outside}"Old/A" = []\n')
    assert [check for note in own.notes.values() for check in inspect(note, own)] == []


def test_equations_and_numbers_are_judged_where_there_is_code(tmp_path: Path) -> None:
    text = "# A\n\n$x = 3$ and 4.5\n"
    asked = f"---\nchecks: [equations, numbers]\n---\n{text}"
    both = ["equation", "number"]
    assert failing(vault(tmp_path, {"A.md": text, "B.md": asked})) == {"A.md": [], "B.md": both}
    everywhere = vault(tmp_path, {}, "without_code = true\n")
    assert failing(everywhere) == {"A.md": both, "B.md": both}


def test_code_that_only_defines_or_is_no_python_is_a_listing(tmp_path: Path) -> None:
    text = "# A\n\n```python\ndef f(n):\n    return n\n```\n\n$m = 3$ of 4.5\n"
    assert failing(vault(tmp_path, {"A.md": text})) == {"A.md": []}
    not_python = text.replace("def f(n):", "m = 3\ndef f(n)")
    assert "equation" not in failing(vault(tmp_path, {"A.md": not_python}))["A.md"]
    computed = text.replace("return n\n", "return n\nm = 4\n")
    called = {"A.md": text.replace("$m = 3$", r"$\operatorname{f}(2) = 3$")}
    assert failing(vault(tmp_path, called)) == {"A.md": ["equation", "number"]}
    assert failing(vault(tmp_path, {"A.md": computed})) == {"A.md": ["equation", "number"]}
    shown = text.replace("return n\n```\n", "return n\nf(7)\n```\n\n```text\n7\n```\n")
    assert failing(vault(tmp_path, {"A.md": shown})) == {"A.md": ["equation", "number"]}


@pytest.mark.parametrize(
    "fence", ["```text\n7\n```", "```plain\n7\n```", "```\nx = 7\n```", "<pre>\nx = 7\n</pre>"]
)
def test_where_no_code_runs_no_text_need_be_an_output(tmp_path: Path, fence: str) -> None:
    text = f"# A\n\n{fence}\n"
    assert failing(vault(tmp_path, {"A.md": text})) == {"A.md": []}
    code = f"{text}\nwords\n\n```python\nx = 1\n```\n"
    assert failing(vault(tmp_path, {"A.md": code})) == {"A.md": ["form"]}
    assert failing(vault(tmp_path, {"A.md": text}, "without_code = true\n")) == {"A.md": ["form"]}


@pytest.mark.parametrize("unwritten", ["fail", "mark", "plain"])
def test_what_becomes_of_links_to_notes_not_written_yet(tmp_path: Path, unwritten: str) -> None:
    text = "# A\n\n[[Later]], [[Version 1.5]], ![[gone.svg]], [[A#Gone]]\n"
    found = vault(tmp_path, {"A.md": text}, f'unwritten = "{unwritten}"\n')
    (note,) = found.notes.values()
    outcome = "fails" if unwritten == "fail" else "excepted"
    # A file, or a part of a note that is there, is no note still to be written.
    expected = [outcome, outcome, "fails", "fails"]
    assert [c.outcome for c in inspect(note, found) if c.kind == "link"] == expected


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("cheks = 1", "setting 'cheks' is not one of checks, .*; did you mean 'checks'"),
        ('checks = ["cod"]', "did you mean 'code'"),
        ("checks = 1", "a list of checks"),
        ('unwritten = "marked"', "did you mean 'mark'"),
        ('timeout = "1"', "timeout: float"),
        ("timeout = 0", "more than 0"),
        ("unpublished = 'a'", "a list of words"),
        ("html = 1", "html: bool"),
        ("folders = 1", "a table of"),
        ('[folders]\n"/" = ["links"]', "the whole vault are set by `checks`"),
        ("checks = [", "vaultkit.toml"),
    ],
)
def test_wrong_settings_are_reported(tmp_path: Path, settings: str, message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        vault(tmp_path, {"A.md": "# A\n"}, settings + "\n")


def test_settings_are_read_as_they_were_written(tmp_path: Path) -> None:
    options = Options(
        checks=("code",),
        folders=(('a "b"/ü', ("links",)),),
        without_code=True,
        timeout=2.5,
        trials=3,
        unwritten="mark",
        unpublished=("Private", "*.draft.md"),
        html=False,
        template="t.md",
        every_digit=True,
    )
    (tmp_path / "vaultkit.toml").write_text(options.toml(), encoding="utf-8")
    assert Options.read(tmp_path) == options


def test_an_output_may_have_to_show_every_digit(tmp_path: Path) -> None:
    text = "# A\n\n```python\nprint(0.1502)\n```\n\n```text\n0.15\n```\n"
    assert failing(vault(tmp_path, {"A.md": text})) == {"A.md": []}
    assert failing(vault(tmp_path, {"A.md": text}, "every_digit = true\n")) == {"A.md": ["block"]}


def test_they_may_be_in_pyproject(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.vaultkit]\ntrials = 2\n")
    assert Options.read(tmp_path / "docs").trials == 2
    (tmp_path / "docs" / "vaultkit.toml").write_text("trials = 3\n")
    assert Options.read(tmp_path / "docs").trials == 3


LISTING = """\
# Paths

A graph is a list:

```python
G = [[(1, 17)], [(0, 17)]]
```

The cheapest of 2.5 edges, $D[x] + p(x, y) \\ge D[u]$, of shape (4, 7):

```python
def cheapest(s, G):
    return min(G[s])
```
"""
CALLED = f"{LISTING}\n```python\nbest = cheapest(0, G)\n```\n"
SHOWN = f"{LISTING}\n```python\n1 + 1\n```\n\n```text\n2\n```\n"


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        (LISTING, "", []),
        (LISTING, "without_code = true", ["equation", "number", "shape"]),
        (f"---\nchecks: equations\n---\n{LISTING}", "", ["equation", "shape"]),
        # A function that is called, an output, a formula that is about a variable: it computes.
        (CALLED, "", ["equation", "number", "shape"]),
        (SHOWN, "", ["equation", "number", "shape"]),
        (f"{LISTING}\n```python\nx = 2\n```\n\n$x = 2$\n", "", ["equation", "number", "shape"]),
        (
            f"{LISTING}\n```python\nx = 2\n```\n\n$x = 3$\n",
            "",
            ["equation"] * 2 + ["number", "shape"],
        ),
        (LISTING.replace("$D[x] + p(x, y) \\ge D[u]$", "cheapest"), "", ["number", "shape"]),
    ],
)
def test_formulas_beside_code_that_is_only_read_are_about_something_else(
    tmp_path: Path, text: str, settings: str, expected: list[str]
) -> None:
    assert failing(vault(tmp_path, {"A.md": text}, settings)) == {"A.md": expected}


def test_they_are_excepted_for_all_to_see(tmp_path: Path) -> None:
    own = vault(tmp_path, {"A.md": LISTING})
    checks = [c for note in own.notes.values() for c in inspect(note, own) if c.kind != "block"]
    assert sorted(c.kind for c in checks) == ["equation", "number", "shape"]
    assert {c.outcome for c in checks} == {"excepted"}
    assert {c.why for c in checks} == {
        "the code of this note is a listing: its formulas are about something else"
    }


@pytest.mark.parametrize(
    ("code", "settings", "expected"),
    [
        ("import no_such_module\n\nx = no_such_module.f(3)", "", ["block"]),
        ("import no_such_module", "without_code = true", ["block", "equation", "number"]),
        ("x = 3\nimport no_such_module", "", ["block", "equation", "number"]),
        ("import math", "", []),
    ],
)
def test_where_nothing_comes_of_the_code_its_numbers_are_not_what_is_wrong(
    tmp_path: Path, code: str, settings: str, expected: list[str]
) -> None:
    text = f"# A\n\nIt took 82 days, so $y = 2$.\n\n```python\n{code}\n```\n"
    assert failing(vault(tmp_path, {"A.md": text}, settings)) == {"A.md": expected}
