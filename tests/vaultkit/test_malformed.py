"""A malformed note is one failure: in words, with its line, and without a call of the engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from vaultkit.checks.check import FAILS, Check
from vaultkit.claims.naming import NAMING
from vaultkit.doors.command_line import main
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.runner import Runner
from vaultkit.read.markdown import parse
from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml
from vaultkit.workers.ending import Ending

pytest_plugins = ["pytester"]
MINUS = "-" * 50_000


def fence(body: str, words: str = "") -> str:
    return f"```python{words and ' '}{words}\n{body}\n```\n"


SHOWN = fence("x = 1\nx") + "\n```text\n1\n```\n"
#: Notes below their title on line 1; the line of the failure; words of its message.
MALFORMED = {
    "a quotation mark is left open": (
        fence("x = 1\nx", 'title="a') + "\n```text\n1\n```\n",
        3,
        'words after ```python cannot be read: a quotation mark is not closed: python title="a',
    ),
    "it is open, and the block is not to run": (
        fence("1 / 0", 'no-run title="a'),
        3,
        "a quotation mark is not closed",
    ),
    "a backslash comes last": (fence("x = 1", "title=a\\"), 3, "a backslash at the end"),
    "no regular expression": (
        fence("1", 'volatile="(("') + "\n```text\n1\n```\n",
        3,
        "not a regular expression: missing )",
    ),
    "a word is there twice": (
        fence("x = 1", "title=a title=b"),
        3,
        "'title' occurs twice: python title=a title=b",
    ),
    "a file of another note": (
        fence('from pathlib import Path\nPath("notes/Other.md").write_text("")'),
        5,
        "a note may not change files that are not its own: ",
    ),
    "minus signs": (fence(f"y = 2\nx = {MINUS}1\ny"), 5, "Python cannot compile this line: "),
    "minus signs in a session": (
        f"```pycon\n>>> {MINUS}1\n1\n```\n",
        4,
        "an expression in it is nested too deeply",
    ),
    "a long sum": (fence("x = " + "+".join("1" * 90_000)), 4, "is nested too deeply"),
    "minus signs in a sentence": (SHOWN + f"\nIt is ${MINUS}1 = 1$.\n", 12, "more than 50,000"),
    "a path out of the vault": (
        fence("x = 1", 'title="../../etc/passwd"'),
        3,
        'title="../../etc/passwd" leads out of ',
    ),
    "a path of Python out of the vault": (
        fence("x = 1", 'title="../../etc/passwd.py"'),
        3,
        'title="../../etc/passwd.py" leads out of ',
    ),
    "text below a block that is never closed": (
        "```python\nx = 1\n\nSome text below it.\n\n# Part 2024\n",
        3,
        "this block of code is never closed",
    ),
    "text below an output that is never closed": (
        "```python\n1\n```\n\n```text\n1\n\nSome text below it.\n",
        7,
        "this block of code is never closed",
    ),
    "a NUL behind a language": (fence("x = 1", 'title="a\0b.py"'), 3, "a NUL character"),
    "a NUL in a link": ("[[Oth\0er]]\n", 3, "a NUL character"),
    "a NUL in an equation": (SHOWN + "\n$x\0 = 1$\n", 12, "a NUL character"),
    "deep braces": (SHOWN + f"\n${'{' * 3000}x{'}' * 3000} = 1$\n", 12, "{{{…$ cannot be typeset"),
    "deep braces in a display": (
        SHOWN + f"\n$$\n{'{' * 3000}x{'}' * 3000} = 1\n$$\n",
        12,
        "{{{…$ cannot be typeset",
    ),
    "a command that is none": (SHOWN + "\n$x = \\foo 1$\n", 12, 'Unknown command "\\foo"'),
    "a formula that is never closed": (
        SHOWN + "\n$$\nx = \\frac{34}{34}\n\nText below it.\n",
        12,
        "$$: no other $$ ends this formula, which is read as text",
    ),
    "a formula in a callout that is never closed": (
        SHOWN + "\n> [!note] A\n> $$\n> x = 1.0\n\nText.\n",
        13,
        "$$: no other $$ ends this formula",
    ),
    "a path from the root": (fence("x = 1", "title=/etc/passwd"), 3, "leads out of "),
    "a path of Windows": (fence("x = 1", "title='C:\\a.py'"), 3, "leads out of "),
}


def failures_of(folder: Path, texts: dict[str, str]) -> dict[str, list[Check]]:
    """Check notes by name in one vault, and return the failures of each."""
    notes = folder / "notes"
    notes.mkdir()
    (notes / "Other.md").write_text("# Other\n")
    (folder / "vaultkit.toml").write_text('unjudged = "fail"\n')
    for name, text in texts.items():
        (notes / f"{name}.md").write_text(text)
    vault = Vault(notes)
    runner = Runner(vault, Settings(typeset=to_mathml), count=1)
    try:
        found = {name: runner.result(vault.notes[notes / f"{name}.md"]) for name in texts}
    finally:
        runner.close()
    return {
        name: [check for check in one.checks if check.outcome == FAILS]
        for name, one in found.items()
    }


def failures(tmp_path: Path, text: str, above: str = "# Note\n\n") -> list[Check]:
    return failures_of(tmp_path, {"Note": above + text})["Note"]


@pytest.fixture(scope="module")
def malformed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Check]]:
    """Check all of them in one run, since starting one takes longer than checking a note."""
    folder = tmp_path_factory.mktemp("malformed")
    texts = {name: f"# {name}\n\n{text}" for name, (text, *_) in MALFORMED.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return failures_of(folder, texts)


@pytest.mark.parametrize("name", MALFORMED)
def test_it_is_one_failure(malformed: dict[str, list[Check]], name: str) -> None:
    _, line, words = MALFORMED[name]
    [failure] = malformed[name]
    assert failure.line == line
    assert words in failure.why
    assert "vaultkit" not in failure.why


@pytest.mark.parametrize("properties", ["aliases: [A]\nsummary: Text.\n", "tags:\n- a\n"])
def test_properties_that_are_never_closed(tmp_path: Path, properties: str) -> None:
    [failure] = failures(tmp_path, "# Note\n\nText.\n", above=f"---\n{properties}\n")
    assert (failure.line, failure.why.partition(",")[0]) == (1, "these properties are never closed")


@pytest.mark.parametrize(
    "text",
    [
        "Below a line:\n\n---\na: b\n",
        "Text\n$$ x = 1 $$\nmore\n\n- a\n\n  $$\n  x = 1\n  $$\n\n> $$\n> x = 1\n> $$\n",
        "$$ is cheap.\n\n| a | b |\n|---|---|\n| c | $$ |\n",
    ],
)
def test_other_dollars_and_lines_are_what_they_are(tmp_path: Path, text: str) -> None:
    assert not failures(tmp_path, SHOWN + "\n" + text)


def test_a_line_at_the_top_is_a_line(tmp_path: Path) -> None:
    assert not failures(tmp_path, "# Note\n\nText.\n", above="---\n\n")


@pytest.mark.parametrize(
    "text",
    [
        f"[[{'a' * 5000}]]\n",
        f"Text[^{'a' * 5000}].\n",
        SHOWN + f"\n$x = {'+'.join(['z'] * 2500)}$\n",
        SHOWN + f"\n$x = {' + '.join(['z'] * 900)}$\n",
        SHOWN + f"\n$x = \\text{{{'a' * 5000}}}$\n",
        fence("x = 1", f'title="{"a" * 5000}.py"'),
    ],
)
def test_long_names_and_formulas_are_shortened(tmp_path: Path, text: str) -> None:
    [failure] = failures(tmp_path, text)
    assert 200 < len(failure.why) < 500
    assert "…" in failure.why
    assert Check.from_plain(failure.plain()) == failure


def test_an_output_is_reported_whole() -> None:
    assert Check("block", 1, "Note", FAILS, "a" * 5000).why == "a" * 5000


def test_the_text_below_an_open_output_is_not_rewritten(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    text = "# Note\n\n```python\n1\n```\n\n```text\n2\n\nSome text below it.\n"
    (notes / "Note.md").write_text(text)
    for checks in ("", 'checks = ["code"]\n'):
        (notes / "vaultkit.toml").write_text(checks)
        done = CliRunner().invoke(main, ["check", str(notes), "--update"])
        assert done.exit_code == 1
        assert (notes / "Note.md").read_text() == text


@pytest.mark.parametrize("title", ["a/b.toml", "docs/../x.txt", "a .. b", "1/2", "A title"])
def test_other_titles_are_titles(tmp_path: Path, title: str) -> None:
    assert not failures(tmp_path, fence("x = 1", f'title="{title}"'))


@pytest.mark.parametrize("part", ["-", "a-", "A1-", "1.", "1-", "a.", "/", "x@"])
def test_names_are_looked_for_in_linear_time(part: str) -> None:
    # Each of these took up to minutes.
    parse(f"# Note\n\n`{part * (6000 // len(part))}` is 12.\n")
    for naming in NAMING:
        list(naming.pattern.finditer(part * 2000))


def test_a_fault_of_the_engine_is_reported_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    report = 'Traceback:\n  File "/a/vaultkit/read/note.py", line 61, in f\n    g()\nValueError: no'
    ending = Ending("raised", details=report)
    assert str(ending) == (
        "could not be checked, because of an error in vaultkit: ValueError: no; in read/note.py, "
        "line 61 (VAULTKIT_TRACEBACK=1 shows all of it)"
    )
    monkeypatch.setenv("VAULTKIT_TRACEBACK", "1")
    assert str(ending).endswith(report)


@pytest.mark.long
def test_a_note_that_ends_early_is_one_failure_of_pytest(pytester: pytest.Pytester) -> None:
    notes = pytester.mkdir("notes")
    text = fence("import os\nos._exit(3)") + "\n" + SHOWN
    (notes / "Note.md").write_text(f"# Note\n\n{text}\nSee [[Nowhere]].\n")
    done = pytester.runpytest_subprocess("--vault", "notes", "notes", "-rs")
    # The links are judged, with or without code.
    done.assert_outcomes(failed=2, skipped=4, passed=2)
    done.stdout.fnmatch_lines(["*Note.md:3: ended its process with exit status 3*"])
    done.stdout.fnmatch_lines(["*SKIPPED*not judged: at line * ended its process*"])
    alone = pytester.runpytest_subprocess("--vault", "notes", "notes/Note.md::(numbers)")
    alone.assert_outcomes(failed=1)


def test_the_command_reports_the_same(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "vaultkit.toml").write_text('unjudged = "fail"\n')
    (notes / "Note.md").write_text("# Note\n\n" + MALFORMED["a quotation mark is left open"][0])
    done = CliRunner().invoke(main, ["check", str(notes)])
    assert done.exit_code == 1
    assert "Traceback" not in done.output
    assert done.output.count("quotation mark") == 1
