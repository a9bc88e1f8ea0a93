"""What the commands do, and what they exit with."""

import contextlib
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from vaultkit.doors.command_line import main

OWL = "# Owl\n\nSee [[Tern]].\n\n```python\n1 + 1\n```\n\n```text\n2\n```\n"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "birds"
    folder.mkdir()
    (folder / "Owl.md").write_text(OWL)
    (folder / "Tern.md").write_text("# Tern\n\nUnlike an [[Owl]].\n")
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def break_owl(vault: Path) -> None:
    (vault / "Owl.md").write_text(OWL.replace("\n2\n", "\n3\n"))


def test_all_is_well(vault: Path) -> None:
    done = run("check", str(vault))
    assert done.exit_code == 0
    assert done.stdout.endswith("birds: 2 notes: 1 block, 2 links hold; nothing wrong\n")


def test_one_is_one(vault: Path) -> None:
    (vault / "Tern.md").unlink()
    (vault / "Owl.md").write_text("# Owl\n\n[[Owl]]\n")
    assert "birds: 1 note: 1 link holds; nothing wrong\n" in run("check", str(vault)).stdout
    (vault / "Owl.md").write_text("# Owl\n")
    assert "birds: 1 note: nothing to check; nothing wrong\n" in run("check", str(vault)).stdout


def test_what_is_wrong_in_many_places_is_reported_once(vault: Path) -> None:
    cells = "```{code-cell}\n1\n```\n\n" * 7
    (vault / "Owl.md").write_text(f"# Owl\n\n[[Tern]]\n\n[[No]] [[No]]\n\n{cells}")
    (vault / "vaultkit.toml").write_text('unjudged = "fail"\n')
    printed = run("check", str(vault)).stdout
    assert "Owl.md:7: ```{code-cell} does not run; write ```python (also in " in printed
    assert " (also in lines 11, 15, 19, 23 and 2 more)\n" in printed
    assert "'No' (also in line 5)\n" in printed
    assert "2 links hold; 9 wrong" in printed


def test_what_is_wrong_is_reported_with_its_line(vault: Path) -> None:
    break_owl(vault)
    done = run("check", "birds")
    assert done.exit_code == 1
    assert "birds/Owl.md:10: the output differs" in done.stdout
    assert "1 wrong" in done.stdout
    assert run("check", "birds", "--note", "tern").exit_code == 0


def test_a_note_is_checked_in_the_vault_that_it_is_of(vault: Path) -> None:
    below = vault / "sea"
    below.mkdir()
    (below / "Gull.md").write_text("# Gull\n\nUnlike a [[Tern]].\n")
    done = run("check", "birds/sea/Gull.md")
    assert "there is no note or file 'Tern'" in done.stdout
    for sign in (vault / ".obsidian", below / ".obsidian"):
        sign.mkdir()
        done = run("check", "birds/sea/Gull.md")
        assert done.exit_code == int(sign.parent == below)
        assert f"{sign.parent.name}: 1 note:" in done.stdout
    break_owl(vault)
    assert run("check", "birds/Owl.md").exit_code == 1
    assert run("check", "birds/Tern.md").exit_code == 0
    (vault / "list.txt").touch()
    assert run("check", "birds/list.txt").exit_code == 2


def test_without_a_folder_the_vault_is_found(vault: Path) -> None:
    (vault.parent / "README.md").write_text("See [[Nothing]].\n")
    assert run("check").exit_code == 1
    (vault / ".obsidian").mkdir()
    done = run("check")
    assert (done.exit_code, "birds: 2 notes" in done.stdout) == (0, True)
    assert "birds/Ibis.md" in run("new", "Ibis").stdout


def test_a_note_that_ends_its_process_is_wrong(vault: Path) -> None:
    (vault / "Owl.md").write_text("```python\nimport os\nos._exit(0)\n```\n")
    done = run("check", "birds", "--note", "Owl")
    assert done.exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["check", "nowhere"], "does not exist"),
        (["check", "birds", "--note", "Tren"], "did you mean 'Tern'?"),
        (["check", "birds", "--changed"], "not a git repository"),
        (["check", "birds", "--changed", "--baseline"], "not a git repository"),
        (["check", "birds", "--note", "Owl", "--baseline"], "with all notes first"),
        (["new", "Tern", "--vault", "birds"], "taken: Tern.md"),
        (["new", "../x", "--vault", "birds"], "cannot be the name of a note"),
    ],
)
def test_what_is_asked_wrongly_exits_with_2(
    vault: Path, arguments: list[str], printed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(vault.parent.parent))
    done = run(*arguments)
    assert done.exit_code == 2
    assert printed in done.stderr
    assert "Traceback" not in done.output


def test_wrong_settings_exit_with_2(vault: Path) -> None:
    (vault.parent / "vaultkit.toml").write_text('cheks = ["code"]\n')
    done = run("check", "birds")
    assert done.exit_code == 2
    assert "vaultkit.toml: setting 'cheks' is not one of" in done.stderr
    assert "did you mean 'checks'?" in done.stderr


def test_json_and_junit_report_the_same(vault: Path) -> None:
    break_owl(vault)
    done = run("check", "birds", "--json", "--junit", "report.xml")
    assert done.exit_code == 1
    printed = json.loads(done.stdout)
    assert [c["line"] for c in printed["Owl.md"] if c["outcome"] == "fails"] == [10]
    root = ElementTree.parse("report.xml").getroot()
    failing = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert [(case.get("classname"), case.get("name")) for case in failing] == [("Owl.md", "block")]
    assert [suite.get("failures") for suite in root] == ["1", "0"]


def test_update_writes_what_comes(vault: Path) -> None:
    break_owl(vault)
    assert run("check", "birds", "--update").exit_code == 0
    assert (vault / "Owl.md").read_text() == OWL
    assert run("check", "birds").exit_code == 0


@pytest.mark.usefixtures("vault")
def test_what_is_known_does_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    once = json.loads(run("check", "birds", "--json").stdout)

    def refuse(*_: object) -> None:
        raise RuntimeError("a note runs")

    monkeypatch.setattr("vaultkit.workers.pool.Workers.submit", refuse)
    assert json.loads(run("check", "birds", "--json", "--known").stdout) == once
    with pytest.raises(RuntimeError, match="a note runs"):
        run("check", "birds")


def test_a_note_that_may_not_be_written_stays_and_fails(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_owl(vault)
    before = (vault / "Owl.md").read_bytes()

    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr("vaultkit.doors.command_line.apply_edits", refuse)
    done = run("check", "birds", "--update")
    assert done.exit_code == 1
    assert "not rewritten: read-only" in done.stderr
    assert "0 rewritten" in done.stderr
    assert (vault / "Owl.md").read_bytes() == before


@pytest.mark.long
def test_a_baseline_excepts_what_failed_and_nothing_else(vault: Path) -> None:
    break_owl(vault)
    done = run("check", "birds", "--baseline")
    assert done.exit_code == 0
    assert "1 failures noted" in done.stderr
    # The same failure on another line is no new one.
    (vault / "Owl.md").write_text("\n\n" + (vault / "Owl.md").read_text())
    done = run("check", "birds", "--baseline")
    assert done.exit_code == 0
    assert "1 excepted; nothing wrong" in done.stdout
    # A second one of the same kind is.
    with (vault / "Tern.md").open("a") as tern:
        tern.write("\n[[Gull]]\n")
    done = run("check", "birds", "--baseline")
    assert done.exit_code == 1
    assert "[[Gull]]" in done.stdout
    assert "the output differs" not in done.stdout
    (vault / "Owl.md").write_text(OWL)
    assert (
        "failures of the baseline that no longer occur: 1"
        in run("check", "birds", "--baseline").stderr
    )
    (vault / ".vaultkit-baseline.json").write_text("[1]")
    assert run("check", "birds", "--baseline").exit_code == 2


def git(*arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


def looked_at(*arguments: str) -> list[str]:
    done = run("check", "birds", "--json", "--changed", *arguments)
    assert done.exit_code in (0, 1)
    return sorted(json.loads(done.stdout))


@pytest.mark.long
def test_what_changed_is_checked_with_what_rests_on_it(vault: Path) -> None:
    (vault / "Gull.md").write_text("# Gull\n\nNo link.\n")
    (vault / "Wing.md").write_text("# Wing\n\n```python\nimport lift\n\nlift.area\n```\n")
    (vault / "Data.md").write_text("# Data\n\n```python\nopen('birds/a.csv').read()\n```\n")
    (vault / "a.csv").write_text("1")
    (vault.parent / "lift.py").write_text("area = 2\n")
    (vault.parent / ".gitignore").write_text(".cache\n__pycache__\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "all")
    run("check", "birds")
    assert looked_at() == []
    (vault / "Owl.md").write_text(OWL.replace("# Owl", "# Barn Owl"))
    assert looked_at() == ["Owl.md", "Tern.md"]
    git("commit", "-qam", "owl")
    assert looked_at() == []
    assert looked_at("HEAD~1") == ["Owl.md", "Tern.md"]
    (vault.parent / "lift.py").write_text("area = 3\n")
    assert looked_at() == ["Wing.md"]
    git("commit", "-qam", "lift")
    (vault / "a.csv").write_text("2")
    assert "Data.md" in looked_at()
    git("commit", "-qam", "data")
    (vault / "Tern.md").rename(vault / "Gone.md")  # whoever linked to it fails now
    assert looked_at() == ["Gone.md", "Owl.md"]
    (vault.parent / "vaultkit.toml").write_text('unwritten = "plain"\n')
    assert len(looked_at()) == 5


@pytest.mark.parametrize("named", [["birds", "--note", "Tern"], ["birds/Tern.md"]])
def test_of_what_changed_only_the_named_notes_are_checked(vault: Path, named: list[str]) -> None:
    (vault.parent / ".gitignore").write_text(".cache\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "all")
    assert json.loads(run("check", *named, "--json", "--changed").stdout) == {}
    (vault / "Owl.md").write_text(OWL.replace("# Owl", "# Barn Owl"))
    assert sorted(json.loads(run("check", *named, "--json", "--changed").stdout)) == ["Tern.md"]


@pytest.mark.parametrize("named", [["birds", "--note", "Tern"], ["birds/Tern.md"]])
def test_after_a_save_only_the_named_notes_are_checked(
    vault: Path, monkeypatch: pytest.MonkeyPatch, named: list[str]
) -> None:
    def saves(*_: Any, **__: Any) -> Iterator[set[tuple[int, str]]]:
        break_owl(vault)  # the tern links to it
        yield {(2, str(vault / "Owl.md"))}

    monkeypatch.setattr("watchfiles.watch", saves)
    first, second = run("check", *named, "--watch").stdout.splitlines()
    assert first == second == "birds: 1 note: 1 link holds; nothing wrong"


def test_while_the_settings_are_invalid_the_last_valid_ones_are_used(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = vault.parent / "vaultkit.toml"
    settings.write_text('unwritten = "plain"\n')

    def saves(*_: Any, **__: Any) -> Iterator[set[tuple[int, str]]]:
        settings.write_text('unwritten = "pl')
        yield {(2, str(settings))}
        (vault / "Tern.md").write_text("# Tern\n\nUnlike a [[Gull]].\n")
        yield {(2, str(vault / "Tern.md"))}
        settings.write_text('unwritten = "fail"\n')
        yield {(2, str(settings))}

    monkeypatch.setattr("watchfiles.watch", saves)
    done = run("check", "birds", "--watch")
    (said,) = [line for line in done.stderr.splitlines() if "vaultkit.toml" in line]
    assert said.endswith("; until this is corrected, the last valid settings apply")
    reports = [line for line in done.stdout.splitlines() if line.startswith("birds: ")]
    assert [line.rpartition("; ")[2] for line in reports] == [*["nothing wrong"] * 3, "1 wrong"]
    assert done.exit_code == 0


def test_links_reports_how_notes_hang_together(vault: Path) -> None:
    (vault / "index.md").write_text("# Birds\n\n[[Owl]]\n")
    (vault / "Gull.md").write_text("# Gull\n\nIt is no tern, they say.\n")
    done = run("links", "birds", "--json")
    assert done.exit_code == 0
    printed = json.loads(done.stdout)
    assert printed["orphans"] == ["Gull.md"]
    assert printed["dead_ends"] == ["Gull.md"]
    assert printed["longest_way"] == ["index.md", "Owl.md", "Tern.md"]
    assert printed["unreachable"] == ["Gull.md"]
    assert [(m["note"], m["names"]) for m in printed["unlinked_mentions"]] == [
        ("Gull.md", "Tern.md")
    ]
    assert "Gull.md names Tern.md: It is no tern, they say." in run("links", "birds").stdout


def test_a_new_note_passes(vault: Path) -> None:
    done = run("new", "Arctic Skua", "--vault", "birds")
    assert done.exit_code == 0
    assert (vault / "Arctic Skua.md").is_file()
    checked = run("check", "birds", "--note", "Arctic Skua")
    assert checked.exit_code == 0
    assert "1 block, 1 equation" in checked.stdout


def test_a_new_note_begins_as_the_vaults_own_template(vault: Path) -> None:
    (vault.parent / "vaultkit.toml").write_text('template = ".templates/bird.md"\n')
    assert run("new", "Skua", "--vault", "birds").exit_code == 2
    (vault / ".templates").mkdir()
    (vault / ".templates" / "bird.md").write_text("# {{title}}\n\nA bird.\n")
    assert run("new", "Skua", "--vault", "birds").exit_code == 0
    assert (vault / "Skua.md").read_text() == "# Skua\n\nA bird.\n"


def test_a_site_that_was_not_built_is_not_offered(vault: Path) -> None:
    hook = vault.parent / "hook.py"
    hook.write_text(
        "from mkdocs.exceptions import PluginError\n\n\n"
        "def on_files(files, config):\n    raise PluginError('no files today')\n"
    )
    settings = f"site_name: A\ndocs_dir: {vault.name}\nplugins: [vaultkit]\nhooks: [hook.py]\n"
    (vault.parent / "mkdocs.yml").write_text(settings)
    done = run("build", str(vault), "--site-dir", str(vault.parent / "site"))
    assert done.exit_code == 1
    assert "no files today" in done.output
    assert "index.html" not in done.output


@pytest.mark.long
def test_no_property_breaks_a_build(vault: Path) -> None:
    """What other programs mean by a property is not what Material means by it."""
    (vault / "Owl.md").write_text(
        "---\nicon: trees\nstatus: [draft]\ntemplate: nowhere.html\ntags: one, two\nhide: all\n"
        "search: no\ntitle: 3\ndescription: {a: b}\n---\n" + OWL
    )
    (vault / "Tern.md").write_text(
        "---\nicon: [a]\nstatus: true\ntemplate: true\ntags: 5\nhide: 3\n---\n# Tern\n"
    )
    done = run("build", str(vault), "--site-dir", str(vault.parent / "site"), "--strict")
    assert done.exit_code == 0, done.output
    page = (vault.parent / "site/owl/index.html").read_text("utf-8")
    assert re.findall(r'class="md-tag"[^>]*>([^<]*)<', page) == ["one", "two"]
    assert "<title>Owl" in page


@pytest.fixture
def watching(vault: Path) -> Iterator[Callable[[str], str]]:
    """Watch the birds; return a function that reads the output up to a line with some words."""
    (vault / "Auk.md").write_text("# Auk\n\nIt has 3.5 eggs<!-- given: who counts? -->.\n")
    command = [sys.executable, "-u", "-m", "vaultkit", "check", "birds", "--watch"]
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, cwd=vault.parent, text=True, **both) as program:  # type: ignore[call-overload]

        def until(words: str) -> str:
            printed = ""
            while words not in printed:
                line = program.stdout.readline()
                assert line, f"it ended, and printed: {printed}"
                printed += line
            return printed

        timer = threading.Timer(240, program.kill)
        timer.start()
        try:
            yield until
            # Python drops an interrupt that comes while it collects an object.
            for _ in range(5):
                program.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    program.wait(20)
                    break
            assert program.poll() == 0
        finally:
            timer.cancel()
            program.kill()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no signal there stops it")
def test_a_save_is_checked_with_what_rests_on_it(
    vault: Path, watching: Callable[[str], str]
) -> None:
    assert "birds: 3 notes: 1 block," in watching("watching")
    save(vault / "Owl.md", OWL.replace("2\n```\n", "3\n```\n"))
    printed = watching("birds: ")
    assert "birds/Owl.md:10: the output differs" in printed
    assert "birds: 2 notes: " in printed  # the tern links to the owl
    assert "1 wrong" in printed
    # It stays wrong, and is reported again, as long as it is.
    save(vault / "Owl.md", OWL.replace("2\n```\n", "3\n```\n") + "\nIt hoots.\n")
    assert "birds/Owl.md:10: the output differs" in watching("birds: ")
    save(vault / "Owl.md", OWL)
    assert "1 block" in (printed := watching("birds: "))
    assert "nothing wrong" in printed
    # A note that goes leaves a link to nothing.
    (vault / "Tern.md").unlink()
    assert "birds/Owl.md:3: [[Tern]]" in watching("birds: ")
    save(vault / "Tern.md", "# Tern\n\nUnlike an [[Owl]].\n")
    assert "birds: 2 notes: 1 block," in watching("birds: ")


def save(path: Path, text: str) -> None:
    """Write a file atomically, as editors do."""
    (path.parent / ".new").write_text(text)
    (path.parent / ".new").replace(path)
