import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.vaultkit import hostile
from vaultkit.doors import pytest_session as session
from vaultkit.pipeline.ledger import Ledger, describe_proven
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.store import store_beside
from vaultkit.workers.pool import Workers

NOTE = """\
# A

```python
x = 1
x
```

```text
1
```

## Twice

```python
x += 1
x
```

```text
2
```

> [!tip] In a *box*
> ```python
> x
> ```
>
> ```text
> 2
> ```

## Twice

```python
x
```

```text
2
```
"""


@pytest.fixture
def vault(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".md", **{"docs/A": NOTE})
    return pytester


def run(vault: pytest.Pytester, *args: str) -> pytest.RunResult:
    return plain(vault, "-o", "vault=docs", *args)


def plain(vault: pytest.Pytester, *args: str) -> pytest.RunResult:
    return vault.runpytest_inprocess("-p", "no:cacheprovider", *args)


def test_one_item_a_block_named_by_its_heading_or_callout(vault: pytest.Pytester) -> None:
    result = run(vault, "docs", "--collect-only", "-q")
    assert result.outlines[:10] == [
        "docs/A.md::A",
        "docs/A.md::Twice[1]",
        "docs/A.md::In a box",
        "docs/A.md::Twice[2]",
        "docs/A.md::(form)",
        "docs/A.md::(links)",
        "docs/A.md::(formulas)",
        "docs/A.md::(mirrors)",
        "docs/A.md::(equations)",
        "docs/A.md::(numbers)",
    ]


@pytest.mark.long
def test_a_section_runs_alone_after_what_is_above_it(vault: pytest.Pytester) -> None:
    run(vault, "docs/A.md::Twice").assert_outcomes(passed=2)
    run(vault, "docs/A.md::Twice[2]").assert_outcomes(passed=1)


def test_a_failure_names_the_note_and_the_line(vault: pytest.Pytester) -> None:
    path = vault.path / "docs/A.md"
    path.write_text(NOTE.replace("> 2", "> 3"))
    result = run(vault, "docs")
    result.assert_outcomes(passed=9, failed=1)
    result.stdout.fnmatch_lines(["docs/A.md:29: the output differs", "*3 is really 2*"])
    (failure,) = re.findall(r"(?s)In a box ___+\n(.*?)\n===", result.stdout.str())
    assert "vaultkit" not in failure


@pytest.mark.long
def test_endless_code_stops_and_other_notes_run(vault: pytest.Pytester) -> None:
    (vault.path / "docs/0.md").write_text("```python\nwhile True: pass\n```\n")
    result = run(vault, "docs", "-o", "vault_timeout=0.2")
    result.assert_outcomes(passed=16, failed=1)
    result.stdout.fnmatch_lines(["docs/0.md:2: stopped after 0.2 s, at line 2"])


def test_line_ends_spaces_and_names_beyond_ascii(vault: pytest.Pytester) -> None:
    crlf = NOTE.replace("# A", "# Größe ß").replace("text\n2", "text\n3").replace("\n", "\r\n")
    (vault.path / "docs/Größe ß.md").write_bytes(crlf.encode())
    result = run(vault, "docs/Größe ß.md")
    result.assert_outcomes(passed=8, failed=2)
    result.stdout.fnmatch_lines(["docs/Größe ß.md:20: the output*", "docs/Größe ß.md:39: the*"])


def test_update_rewrites_and_then_all_is_well(vault: pytest.Pytester) -> None:
    path = vault.path / "docs/A.md"
    path.write_text(NOTE.replace("> 2", "> 3") + "\n```python\n1 / 0\n```\n")
    result = run(vault, "docs", "--update")
    result.assert_outcomes(passed=10, failed=1)
    result.stdout.fnmatch_lines(["vault: *; 1 output rewritten"])
    assert path.read_text() == NOTE + "\n```python\n1 / 0\n```\n"


def test_update_copies_mirrors_before_it_runs_them(vault: pytest.Pytester) -> None:
    vault.makepyfile(lib="def f():\n    return 2\n")
    path = vault.path / "docs/A.md"
    path.write_text(
        '```python title="lib.py"\ndef f():\n    return 1\n```\n\n'
        "```python\nf()\n```\n\n```text\n1\n```\n"
    )
    run(vault, "docs", "--update").assert_outcomes(passed=8)
    assert "return 2" in path.read_text()
    assert "text\n2\n" in path.read_text()


def test_blocks_that_do_not_run_are_skipped_in_sight(vault: pytest.Pytester) -> None:
    (vault.path / "docs/A.md").write_text("```python no-run\n1 / 0\n```\n")
    result = run(vault, "docs")
    result.assert_outcomes(passed=6, skipped=1)
    result.stdout.fnmatch_lines(["vault: *1 block not run*"])


@pytest.mark.long
def test_other_plugins_hear_of_every_check_once(vault: pytest.Pytester) -> None:
    wrong = NOTE.replace("x = 1\nx\n", "x = 1\n3\n") + "\n```python no-run\nx\n```\n"
    (vault.path / "docs/A.md").write_text(wrong)
    vault.makeconftest(
        "heard = []\n"
        "def pytest_exception_interact(node, call, report):\n"
        "    heard.append((node.name, report.when, str(call.excinfo.type.__name__)))\n"
        "def pytest_terminal_summary(terminalreporter):\n"
        "    terminalreporter.write_line(f'heard: {heard}')\n"
    )
    result = vault.runpytest("--vault=docs", "docs", "--junitxml=report.xml")
    result.assert_outcomes(failed=1, passed=9, skipped=1)
    result.stdout.fnmatch_lines("heard: [[]('A', 'call', 'CheckError')]")
    cases = ElementTree.parse(vault.path / "report.xml").getroot().findall("*/testcase")
    assert [(len(case.findall("failure")), len(case.findall("skipped"))) for case in cases] == [
        (1, 0), *[(0, 0)] * 3, (0, 1), *[(0, 0)] * 6,
    ]  # fmt: skip


def test_every_check_is_where_its_line_is_also_for_a_run_from_elsewhere(
    vault: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.makeini("[pytest]\nvault = docs\n")
    monkeypatch.chdir(vault.path / "docs")
    found = [item for item in vault.inline_genitems("A.md")[0] if isinstance(item, pytest.Item)]
    lines = [number for number, line in enumerate(NOTE.split("\n")) if "```python" in line]
    path = str(Path("docs", "A.md"))
    locations = [item.location for item in found]
    assert locations[:4] == [
        (path, line, name)
        for line, name in zip(lines, ["A", "Twice[1]", "In a box", "Twice[2]"], strict=True)
    ]
    assert locations[4] == (path, 0, "(form)")


@pytest.mark.long
def test_processes_are_made_before_the_notes_are_read_where_notes_will_run(
    vault: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    begin = Workers.begin

    def noted(self: Workers) -> None:
        made.append(self)
        begin(self)

    monkeypatch.setattr(Workers, "begin", noted)
    read = session.Vault

    def reads(*args: object, **kwargs: object) -> Vault:
        made.append("read")
        return read(*args, **kwargs)

    monkeypatch.setattr(session, "Vault", reads)
    run(vault, "docs").assert_outcomes(passed=10)
    assert [one if one == "read" else "made" for one in made] == ["made", "read"]
    made.clear()
    run(vault, "docs", "--collect-only")
    run(vault, "docs", "--vault-cached").assert_outcomes(passed=10)
    assert made == ["read", "read"]


@pytest.mark.long
def test_a_plugin_that_runs_what_failed_again_changes_nothing(vault: pytest.Pytester) -> None:
    (vault.path / "docs/A.md").write_text(NOTE.replace("2\n```", "3\n```"))
    # The last item of a note takes pytest's own way, where such a plugin runs it again.
    alone = run(vault, "docs/A.md::Twice[2]", "--reruns", "2")
    alone.stdout.fnmatch_lines(["vault: * 1 block*", "*1 failed, 2 rerun*"])
    result = run(vault, "docs", "--reruns", "2")
    result.stdout.fnmatch_lines(["vault: * 4 blocks*", "*2 failed, 8 passed*"])
    ledger, notes = ledger_of(vault)
    outcomes = [check.outcome for check in ledger.fresh_checks(notes["A"]) or []]
    assert outcomes == ["holds", "fails", "holds", "fails"]


@pytest.mark.long
def test_the_run_ends_at_a_failure_where_that_is_asked_for(vault: pytest.Pytester) -> None:
    (vault.path / "docs/A.md").write_text(NOTE.replace("x = 1\nx\n", "x = 1\n3\n"))
    vault.runpytest("--vault=docs", "docs", "-x").assert_outcomes(failed=1)


def test_one_line_of_totals(vault: pytest.Pytester) -> None:
    with (vault.path / "docs/A.md").open("a") as file:
        file.write("\n[[A]] $x = 2$ $y$ 2.0 $x \\in \\mathbb{R}$ 0.7<!-- given: so -->\n")
    run(vault, "docs").stdout.fnmatch_lines(
        [
            "vault: 1 note, 4 blocks, 1 equation, 1 shape, 0 numbers, 0 sentences, "
            "0 predictions, 1 link, 3 formulas; exceptions: 0 blocks not run, "
            "0 outputs masked, 0 formulas not run, 0 links to notes not written yet, "
            "1 number given; 1 not judged"
        ]
    )


@pytest.mark.long
def test_markdown_outside_a_vault_is_left_alone(vault: pytest.Pytester) -> None:
    vault.makefile(".md", README="```python\n1 / 0\n```\n")
    run(vault, ".").assert_outcomes(passed=10)


@pytest.mark.long
def test_nothing_runs_unasked(vault: pytest.Pytester) -> None:
    vault.mkdir("notes").joinpath(".obsidian").mkdir()
    for name in ("docs/guide.md", "notes/B.md"):
        (vault.path / name).write_text("```python\nopen('ran', 'w').close()\n```\n")
    vault.makepyfile(test_other="def test_other(): pass")
    for args in ((".",), ("docs",), ("docs/A.md",), ("docs", "notes")):
        plain(vault, *args, "--continue-on-collection-errors")
        assert not (vault.path / "ran").exists()
    result = plain(vault, "docs", "--vault", "docs")
    result.assert_outcomes(passed=16, failed=1)
    result.stdout.fnmatch_lines(["*may not leave files beside its vault: ran *"])


@pytest.mark.long
def test_several_vaults_are_named_in_the_settings(vault: pytest.Pytester) -> None:
    vault.mkdir("my notes")
    (vault.path / "my notes/B.md").write_text("```python\n1 / 0\n```\n")
    vault.makepyprojecttoml('[tool.pytest.ini_options]\nvault = ["docs", "my notes"]\n')
    plain(vault).assert_outcomes(passed=16, failed=1)


@pytest.mark.long
def test_short_names_of_options_are_left_to_others_where_no_vault_is_named(
    vault: pytest.Pytester,
) -> None:
    vault.makeconftest(
        "def pytest_addoption(parser):\n    parser.addoption('--update', action='store_true')\n"
    )
    vault.makepyfile("def test_it(request): assert request.config.getoption('--update')")
    plain(vault, "--update").assert_outcomes(passed=1)
    stale = NOTE.replace("> 2", "> 3")
    (vault.path / "docs/A.md").write_text(stale)
    # Here it means what the other one means by it.
    run(vault, "--update", "docs").assert_outcomes(passed=9, failed=1)
    run(vault, "--vault-update", "docs").assert_outcomes(passed=10)


FIGURES = """
from vaultkit.figure import Figure

DATA = {data}

def draw(data):
    return f"<svg><text>{{data['x']:.2f}}</text></svg>"

FIGURES = {{"a.svg": Figure("a.svg", lambda: {{"x": DATA}}, draw)}}
"""


def test_a_stale_figure_fails_and_is_redrawn(
    vault: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(vault.path)
    settings = ("docs/figures/a.svg", "-o", "vault_figures=drawings")
    vault.makefile(".svg", **{"docs/figures/a": "<svg></svg>"})
    vault.makepyfile(drawings=FIGURES.format(data=0.25))
    run(vault, *settings).stdout.fnmatch_lines(["docs/figures/a.svg:1: its data have changed*"])
    run(vault, *settings, "--update").assert_outcomes(passed=1)
    assert "<text>0.25</text>" in (vault.path / "docs/figures/a.svg").read_text()
    run(vault, *settings).assert_outcomes(passed=1)


@pytest.mark.long
def test_a_figure_that_ends_its_process_ends_nothing_else(
    vault: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(vault.path)
    drawings = {f"docs/figures/{name}": "<svg></svg>" for name in "abcd"}
    vault.makefile(".svg", **drawings)
    vault.makepyfile(
        drawings=FIGURES.format(data=0.25) + "import os, signal\n"
        "def crash(): os.kill(os.getpid(), signal.SIGSEGV)\n"
        "FIGURES['b.svg'] = Figure('b.svg', crash, draw)\n"
        "FIGURES['c.svg'] = Figure('c.svg', lambda: {'x': 1 / 0}, draw)\n"
    )
    settings = ("docs", "-o", "vault_figures=drawings")
    run(vault, "docs/figures/a.svg", *settings[1:], "--update")
    result = run(vault, *settings)
    result.assert_outcomes(passed=11, failed=3)
    result.stdout.fnmatch_lines(
        [
            "docs/figures/b.svg:1: what it shows could not be computed: "
            "its process was ended by SIGSEGV (Segmentation fault)",
            "docs/figures/c.svg:1: what it shows could not be computed:",
            "ZeroDivisionError: division by zero",
            "docs/figures/d.svg:1: no figure of 'drawings' draws this",
        ]
    )
    result = run(vault, "docs", "-o", "vault_figures=nowhere")
    result.assert_outcomes(passed=10, failed=4)
    result.stdout.fnmatch_lines(["ModuleNotFoundError: No module named 'nowhere'"])


def ledger_of(vault: pytest.Pytester) -> tuple[Ledger, dict[str, Note]]:
    notes = Vault(vault.path / "docs")
    return Ledger(notes), {note.name: note for note in notes.notes.values()}


@pytest.mark.long
def test_the_ledger_holds_what_was_found_in_notes_that_ran_whole(vault: pytest.Pytester) -> None:
    path = vault.path / "docs/A.md"
    path.write_text(NOTE + "\n[[A]] [[B]]\n\n$x / 4 = 0.5$ 0.5 0.7<!-- given: so -->\n")
    run(vault, "docs/A.md::Twice")
    ledger, notes = ledger_of(vault)
    assert ledger.entry(notes["A"]) is None
    run(vault, "docs")
    checks = ledger.fresh_checks(notes["A"])
    assert checks
    assert [(c.kind, c.line, c.outcome) for c in checks] == [
        ("block", 3, "holds"),
        ("block", 14, "holds"),
        ("block", 24, "holds"),
        ("block", 34, "holds"),
        ("link", 42, "holds"),
        ("link", 42, "fails"),
        ("formula", 44, "holds"),
        ("equation", 44, "holds"),
        ("number", 44, "holds"),
        ("number", 44, "excepted"),
    ]
    assert describe_proven(checks) == "4 blocks, 1 equation, 1 link, 1 formula"
    path.write_text(path.read_text() + "more\n")
    ledger, notes = ledger_of(vault)
    assert ledger.fresh_checks(notes["A"]) is None
    assert ledger.entry(notes["A"])
    path.rename(path.with_name("C.md"))
    run(vault, "docs")
    assert store_beside(ledger.vault.root).names("checks") == {"docs/C.md"}


CHANGES: dict[str, Callable[[Path], object]] = {
    "a module that it imports": lambda root: (root / "lib.py").write_text("x = 2\n"),
    "a module that that one imports": lambda root: (root / "deep.py").write_text("y = 2\n"),
    "a file that it reads": lambda root: (root / "data.txt").write_text("other"),
    "a heading of a note that it links to": lambda root: (root / "docs/B.md").write_text("# C\n"),
    "a file that it shows": lambda root: (root / "shown.py").write_text("z = 1  # now\n"),
    "a picture that it shows": lambda root: (root / "docs/a.svg").write_text("<svg> </svg>"),
}


@pytest.mark.usually("a module that that one imports")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nothing_is_known_once_what_it_rests_on_has_changed(
    vault: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object]
) -> None:
    monkeypatch.syspath_prepend(vault.path)
    vault.makepyfile(lib="import deep\n\nx = 1\n", deep="y = 1\n", shown="z = 1\n")
    files = {"data.txt": "some", "docs/B.md": "# B\n", "docs/a.svg": "<svg></svg>"}
    for name, text in files.items():
        (vault.path / name).write_text(text)
    (vault.path / "docs/A.md").write_text(
        "[[B]] ![a](a.svg)\n\n```python\nimport lib\nfrom pathlib import Path\n\n"
        'text = Path("data.txt").read_text()\n```\n\n'
        '```python title="shown.py"\nz = 1\n```\n'
    )
    run(vault, "docs").assert_outcomes(passed=12)  # of B, without code, no equations or numbers
    ledger, notes = ledger_of(vault)
    assert ledger.fresh_checks(notes["A"])
    change(vault.path)
    ledger, notes = ledger_of(vault)
    assert ledger.fresh_checks(notes["A"]) is None


def test_what_rests_on_nothing_that_changed_stays_known(vault: pytest.Pytester) -> None:
    vault.makefile(".md", **{"docs/B": "# B\n\nWords.\n", "docs/C": "# C\n\n[[B]]\n"})
    run(vault, "docs")
    (vault.path / "docs/B.md").write_text("# B\n\nOther words.\n")
    ledger, notes = ledger_of(vault)
    assert [name for name, note in notes.items() if ledger.fresh_checks(note) is None] == ["B"]


@pytest.mark.long
def test_trials_are_remembered_until_something_changes(vault: pytest.Pytester) -> None:
    path = vault.path / "docs/A.md"
    path.write_text("```python\nx = 2\n```\n\n$x = 2$\n")

    def scopes() -> list[str]:
        ledger, notes = ledger_of(vault)
        return [c.scope for c in ledger.fresh_checks(notes["A"]) or () if c.kind == "equation"]

    run(vault, "docs", "--trials", "2")
    assert scopes() == ["here"]
    run(vault, "docs")
    assert scopes() == ["here"]
    path.write_text(path.read_text() + "\nmore\n")
    run(vault, "docs")
    assert scopes() == [""]


@pytest.mark.long
def test_what_no_check_was_made_of_fails_in_the_ledger_too(vault: pytest.Pytester) -> None:
    path = vault.path / "docs/A.md"
    block = '```python title="no.py"\ny = 1\n```\n'
    path.write_text(NOTE + "\n$x = (2$\n\nword\n[^1]\n\n" + block)
    run(vault, "docs").assert_outcomes(passed=9, failed=2)
    ledger, notes = ledger_of(vault)
    checks = ledger.fresh_checks(notes["A"])
    assert checks
    assert [(c.kind, c.line) for c in checks if c.outcome == "fails"] == [
        ("form", 45),
        ("mirror", 47),
    ]
    assert [(c.kind, c.line) for c in checks if c.outcome == "unjudged"] == [("equation", 42)]


@pytest.mark.long
def test_what_is_no_file_fails_and_no_folder_is_read_twice(pytester: pytest.Pytester) -> None:
    docs = pytester.path / "docs"
    docs.mkdir()
    (docs / "A.md").write_text("# A\n\n```python\n1\n```\n\n```text\n1\n```\n")
    names = hostile.write_files(docs)
    # It is borne, too, but its name is no text that pytester could read in the report.
    names.pop("caf\\xe9.md")
    next(path for path in docs.iterdir() if path.name.startswith("caf")).unlink()
    for name in ("latin.md", "nested.ipynb", "laughs.md"):
        (docs / name).write_bytes(hostile.WRONG[name][0])
    result = pytester.runpytest_subprocess("--vault", "docs", "docs", "-q", "-rf")
    assert result.parseoutcomes().get("errors") is None
    assert result.parseoutcomes()["failed"] == len(names) + 3
    result.stdout.fnmatch_lines(["*docs/latin.md:3: this file is not UTF-8*"])


def test_who_runs_other_tests_does_not_wait_for_the_vault(
    vault: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.makepyfile(test_other="def test_other(): pass")

    def read(_root: Path) -> Vault:
        raise AssertionError("the vault is read")

    monkeypatch.setattr("vaultkit.doors.pytest_session.Vault", read)
    run(vault, "test_other.py").assert_outcomes(passed=1)
