from pathlib import Path

import pytest

from vaultkit.checks import form, links, mirrors, typeset
from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, UNJUDGED, Check, strictly
from vaultkit.checks.equations import Equations
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.markdown import parse
from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml


def vault(tmp_path: Path, **notes: str) -> Vault:
    for name, text in notes.items():
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / f"{name.replace('_', ' ')}.md").write_text(text, encoding="utf-8")
    return Vault(tmp_path / "docs")


def found(check, a_vault: Vault, name: str = "A") -> list[tuple[int, str]]:
    (note,) = (n for n in a_vault.notes.values() if n.name == name)
    wants = {typeset.check: to_mathml, mirrors.check: a_vault.root.parent}
    checks = strictly(check(note, wants.get(check, a_vault)))
    return [(c.line, c.why) for c in checks if c.outcome == FAILS]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("```python\n1\n", 1, "never closed"),
        ("a\n\n> <!-- b\n\nc\n", 3, "<!-- is never closed"),
        ("<?php\n\nc\n", 1, "<? is never closed"),
        ("```python skip\n1\n```\n", 1, "unknown word 'skip'"),
        ('```python title="a\n1\n```\n', 1, "cannot be read"),
        ("```{.python}\n1\n```\n", 1, "does not run"),
        ("---\ntags: [a\n---\n", 2, "front matter"),
        ("---\njust words\n---\n", 2, "front matter"),
    ],
)
def test_what_a_note_cannot_hold(tmp_path: Path, text: str, line: int, said: str) -> None:
    problems = found(form.check, vault(tmp_path, A=text))
    assert [number for number, message in problems if said in message] == [line]


def test_form_leaves_good_notes_alone(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    text = (
        "![[a.svg]] and [](B.md) and ![words](a.svg)\n\n"
        "---\naliases: [B]\n---\n# A\n\nword `$$` and `^[x]` and [^1].\n\n$$\na = b\n$$\n\n"
        "$$x$$\n\n- a\n    - b\n\n        ```python\n        - x\n        ```\n\n1. a\n2. b\n\n"
        "> [!note] T\n> text\n>\n> $$\n> x\n> $$\n>\n> - a\n\n[^1]: foot\n\n%%\n$$\n- a\n%%\n"
        "```sh\nword\n- a\n$$\n```\n"
        "\n<!-- c --> <!-- d -->\n\n<!-- over\nlines -->\n\nword <!-- c --> word\n"
        "\nQ\n?\n- a\n\nQ\n?\n$$x$$\n"
    )
    assert found(form.check, vault(tmp_path, A=text)) == []


def test_two_notes_cannot_share_an_alias_or_an_address(tmp_path: Path) -> None:
    notes = vault(
        tmp_path, A="---\naliases: [b]\n---\n", B="---\naliases: [x]\n---\n", C="", c_="", d="# d"
    )
    assert found(form.check, notes) == [(1, "its alias 'b' also names B.md")]


def test_formulas(tmp_path: Path) -> None:
    notes = vault(tmp_path, A="# A\n\n$\\alpha$ then\n$\\sofmax x$\n\n$$\n\\frac{1}{\n$$\n")
    problems = found(typeset.check, notes)
    assert [line for line, _ in problems] == [4, 6]
    assert "sofmax" in problems[0][1]


def test_the_links_of_a_drawing_are_those_of_its_note(tmp_path: Path) -> None:
    notes = vault(tmp_path, A="# A\n\n![words](a.svg)\n", B="# B\n\n## Part\n")
    drawing = '<svg><a href="[[B#Part]]"/><a xlink:href=\'[[B#Prat]]\'/><a href="[[C]]"/></svg>'
    (tmp_path / "docs" / "a.svg").write_text(drawing)
    notes = Vault(notes.root)
    (prat, c) = found(links.check, notes)
    assert prat == (
        3,
        "in the drawing, [[B#Prat]]: 'B' has no heading 'Prat'; did you mean 'Part'?",
    )
    assert c[0] == 3
    (b,) = (note for note in notes.notes.values() if note.name == "B")
    assert [link.source.name for link in notes.backlinks(b)] == ["A"]


def test_links_name_what_comes_near(tmp_path: Path) -> None:
    text = "[[Sofmax]]\n\n[[Softmax#Row]]\n\n[[Softmax#^idd]]\n\n[s](Softmx.md)\n\n![x](a.svg)\n"
    notes = vault(tmp_path, A=text, Softmax="# Softmax\n\n## Rows\n\ntext ^id\n")
    assert found(links.check, notes) == [
        (1, "[[Sofmax]]: there is no note or file 'Sofmax'; did you mean 'Softmax'?"),
        (3, "[[Softmax#Row]]: 'Softmax' has no heading 'Row'; did you mean 'Rows'?"),
        (5, "[[Softmax#^idd]]: 'Softmax' has no block '^idd'; did you mean '^id'?"),
        (7, "[s](Softmx.md): there is no note or file 'Softmx.md'; did you mean 'Softmax'?"),
        (9, "![x](a.svg): there is no note or file 'a.svg'"),
    ]


def test_a_link_is_reported_with_its_place_and_the_time_it_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = vault(tmp_path, A="# A\n\na [[B]] and\n[c](C.md)\n", B="# B\n")
    ticks = iter([1.0, 1.5, 3.0, 3.25])
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    note = next(n for n in notes.notes.values() if n.name == "A")
    why = "[c](C.md): there is no note or file 'C.md'"
    assert list(links.check(note, notes)) == [
        Check("link", 3, "[[B]]", HOLDS, column=3, seconds=0.5),
        Check("link", 4, "[c](C.md)", FAILS, why, seconds=0.25),
    ]


def test_a_formula_is_reported_with_its_place_and_the_time_it_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool]] = []

    def typesetter(tex: str, display: bool) -> None:
        seen.append((tex, display))
        if tex.startswith("z"):
            raise ValueError("no such sign")

    long, longer = "z" * 500, "z" * 501
    notes = vault(tmp_path, A=f"# A\n\na $x$ and ${long}$\n\n$$\n{longer}\n$$\n")
    ticks = iter([1.0, 1.5, 3.0, 3.25, 4.0, 4.125])
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    (note,) = notes.notes.values()
    why = " cannot be typeset: no such sign"
    assert list(typeset.check(note, typesetter)) == [
        Check("formula", 3, "x", HOLDS, column=3, seconds=0.5),
        Check("formula", 3, long, FAILS, f"${long}${why}", 11, seconds=0.25),
        Check("formula", 5, longer, FAILS, f"${long}…${why}", seconds=0.125),
    ]
    assert seen == [("x", False), (long, False), (longer, True)]


def test_mirrors(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text("# shown\ndef f(x):\n    return x\n\n\ndef g(): ...\n")
    block = '```python title="lib.py"\n{}\n```\n'
    notes = vault(
        tmp_path,
        A=block.format("def f(x):\n    return x"),
        B=block.format("# shown\ndef f(x):\n    return -x"),
        C=block.format("def h(): ..."),
        D='```python title="no.py"\nx\n```\n',
        E='```python title="By hand"\nx\n```\n',
        F=block.format("# not there\ndef g(): ..."),
    )
    assert found(mirrors.check, notes) == []
    ((line, message),) = found(mirrors.check, notes, "B")
    assert line == 3
    assert "-    return -x\n    +    return x" in message
    assert "lib.py has no 'h'" in found(mirrors.check, notes, "C")[0][1]
    assert "no such file" in found(mirrors.check, notes, "D")[0][1]
    assert found(mirrors.check, notes, "E") == []
    assert found(mirrors.check, notes, "F") == [(2, "'# not there' is not in lib.py")]
    failing = [
        n.name
        for n in notes.notes.values()
        for c in inspect(n, notes, run=None)
        if c.outcome == FAILS
    ]
    assert failing == ["B", "C", "D", "F"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("$$\nx\n= 1 ? 2\n+ 3\n$$\n", 3),
        ("$$\n\\begin{aligned}\nx &= 1 \\\\\nx &= ? \\\\\nx &= 1\n\\end{aligned}\n$$\n", 4),
        ("$x = ?$\n", 1),
    ],
)
def test_what_cannot_be_read_of_a_formula_is_reported_in_its_row(text: str, line: int) -> None:
    (check,) = Equations(parse(text)).check()
    assert (check.kind, check.line, check.outcome) == ("equation", line, UNJUDGED)
    assert check.why.endswith("cannot read '?' here")


def test_how_something_grows_is_an_equation_that_no_numbers_decide() -> None:
    for tex in ("T \\in O(n \\log n)", "T \\in O(n"):
        (check,) = Equations(parse(f"${tex}$\n")).check()
        why = "states a rate of growth, which numbers cannot confirm"
        assert (check.kind, check.outcome, check.why) == ("equation", EXCEPTED, why)


def test_code_that_does_not_run_is_reported_where_other_code_does(tmp_path: Path) -> None:
    code = "```\nx = f(2)\n```\n"
    says = "this looks like Python, and does not run; write ```python"
    assert found(form.check, vault(tmp_path, A=code)) == []
    assert found(form.check, vault(tmp_path, A=f"{code}\n```python\n1\n```\n")) == [(1, says)]
    (tmp_path / "vaultkit.toml").write_text("without_code = true\n")
    assert found(form.check, vault(tmp_path, A=code)) == [(1, says)]


def test_numbers_are_those_that_an_array_holds_after_any_block(tmp_path: Path) -> None:
    blocks = ("import numpy as np\nx = np.array([1.25, 3.75])", "x = 2 * x", "x[0] = 7.125")
    code = "\n".join(f"```python\n{block}\n```\n" for block in blocks)
    text = f"{code}\nAt first 1.25 and 3.75, then 2.50 and 7.50, then 7.125; never 8.125.\n"
    notes = vault(tmp_path, A=text)
    (note,) = notes.notes.values()
    numbers = [c for c in inspect(note, notes) if c.kind == "number"]
    assert [c.what for c in numbers if c.outcome == UNJUDGED] == ["8.125"]
    assert len(numbers) == 6
