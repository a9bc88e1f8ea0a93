"""The end of a run with many failures: what they are, where most of them are, what to do next."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from vaultkit.checks.check import FAILS, Check
from vaultkit.doors.command_line import main
from vaultkit.pipeline.summary import _MOST_WITHOUT_TABLE, summary

pytest_plugins = ["pytester"]


def vault(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "vaultkit.toml").touch()
    links = "".join(f"[[Missing{i}]]\n\n" for i in range(12))
    (folder / "A.md").write_text(f"# A\n\n{links}")
    (folder / "B.md").write_text("# B\n\n[[Missing]]\n\n```python\n1\n```\n\n```text\n2\n```\n")


def test_few_failures_need_no_table() -> None:
    found = [("A.md", Check("link", 1, "", FAILS, "no"))]
    assert summary(found * _MOST_WITHOUT_TABLE, "u", "b") == []
    assert summary(found * (_MOST_WITHOUT_TABLE + 1), "u", "b")[1] == "11 failures in 1 note"


@pytest.mark.long
def test_the_command_ends_with_a_table(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    vault(notes)
    done = CliRunner().invoke(main, ["check", str(notes)])
    lines = [" ".join(line.split()) for line in done.output.splitlines()]
    assert sum("there is no note" in line for line in lines) == 5 + 1 + 1  # one in the table
    assert f"{notes}/A.md: 7 more; -v shows them" in lines
    assert "14 failures in 2 notes" in lines
    assert "block 1 B.md:10: the output differs" in lines
    at = lines.index("failures the notes with most of them")
    assert lines[at + 1 : at + 3] == [f"12 {notes}/A.md", f"2 {notes}/B.md"]
    update = f"vaultkit check {notes} --update rewrites outputs and code that are stale: 1 of these"
    assert update in lines
    assert f"vaultkit check {notes} --baseline " in done.output
    printed = CliRunner().invoke(main, ["check", str(notes), "-v"]).output
    assert printed.count("there is no note") == 13 + 1
    assert "-v shows" not in printed


@pytest.mark.long
def test_pytest_ends_with_a_table(pytester: pytest.Pytester) -> None:
    vault(pytester.path / "notes")
    done = pytester.runpytest_subprocess("--vault", "notes", "notes")
    done.stdout.fnmatch_lines(
        [
            "notes/A.md: 7 more; -v shows them",
            "14 failures in 2 notes",
            "link *13*",
            "*12  notes/A.md",
            "*pytest --vault=notes notes --vault-update *",
            "*vaultkit check notes --baseline *",
        ]
    )
