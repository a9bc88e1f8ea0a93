"""The features of an editor: definitions, completion, hover, code actions."""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultkit.checks.check import FAILS, Check
from vaultkit.checks.evidence import Value
from vaultkit.doors.command_line import main
from vaultkit.edit.actions import Action, code_actions
from vaultkit.edit.annotate import Annotations, NotOursError
from vaultkit.edit.complete import completions
from vaultkit.edit.find import (
    find_definition,
    find_references,
    find_rename_target,
    symbols_of_note,
    vault_symbols,
)
from vaultkit.edit.hover import hover_text
from vaultkit.edit.names import tex_spellings
from vaultkit.edit.rename import RenameError, rename_heading, rename_note
from vaultkit.edit.spans import span_of_check
from vaultkit.edit.text import Span, text_with_edits
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.discovery import read_draft
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault

TWICE = """\
---
aliases: [Doubling]
tags:
  - sum
  - arithmetic/simple
summary: Twice is once and once more.
---

# Twice

See [[Other#Why]], [[#More]], Other things and ![[draw.svg]]. #sum

## More

```python
import numpy as np

x, d_model = np.array([1.0, 2.0]), 2
y = 2 * x
y
```

```text
array([2., 4.])
```

Here $y = 2 x$ and $d_{\\text{model}} = 2$; the largest is 4.0. ^end

```python title="lib.py"
def half(a):
    return a / 2
```
"""
OTHER = "# Other\n\nSee [[Twice]].\n\n## Why\n\nBecause of [[Twice#More]]. ^reason\n"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Twice.md").write_text(TWICE)
    (folder / "Other.md").write_text(OTHER)
    (folder / "draw.svg").write_text("<svg/>")
    (tmp_path / "lib.py").write_text("import math\n\n\ndef half(a):\n    return a / 2\n")
    return Vault(folder)


def at(text: str, words: str, by: int = 0) -> tuple[int, int]:
    before = text[: text.index(words) + by].split("\n")
    return len(before), len(before[-1]) + 1


def draft(vault: Vault, old: str, new: str, name: str = "Twice") -> Note:
    path = vault.root / f"{name}.md"
    text = vault.notes[path].text
    assert old in text
    return read_draft(path, text.replace(old, new))


def twice(vault: Vault) -> Note:
    return vault.notes[vault.root / "Twice.md"]


def words(note: Note, where: Span) -> str:
    assert where.line == where.end_line
    return note.lines[where.line - 1][where.column - 1 : where.end_column - 1]


# --- Where it leads


@pytest.mark.parametrize(
    ("place", "name", "line"),
    [
        ("[[Other#Why", "Other.md", 5),
        ("[[#More", "Twice.md", 13),
        ("draw.svg", "draw.svg", 1),
        ("2 x$", "Twice.md", 18),
        ("\\text{model", "Twice.md", 18),
        ("* x", "Twice.md", 18),
        ('title="lib', "lib.py", 4),
        ("Here", None, None),
    ],
)
def test_definition(vault: Vault, place: str, name: str | None, line: int | None) -> None:
    found = find_definition(vault, twice(vault), *at(TWICE, place, 2))
    assert (found and found.path.name, found and found.span.line) == (name, line)


@pytest.mark.parametrize(
    ("code", "line"), [("def area(r):", 4), ("async def wait():", 6), ("class Box:", 8)]
)
def test_a_definition_has_the_whole_name(vault: Vault, code: str, line: int) -> None:
    rows = "def area_of_circle(r): 1", "", "class Boxes: 1", "def area(a, b): 1", "def wait(): 1"
    file = "\n".join([*rows, "async def wait(): 1", "", "class Box(Boxes): 1"])
    (vault.root.parent / "lib.py").write_text(file)
    note = draft(vault, "def half(a):", code)
    found = find_definition(vault, note, *at(note.text, 'title="lib', 2))
    assert found
    assert found.span.line == line


def test_references(vault: Vault) -> None:
    note, other = twice(vault), vault.notes[vault.root / "Other.md"]

    def found(*place: int) -> list[tuple[str, int]]:
        return [(p.path.name, p.span.line) for p in find_references(vault, note, *place)]

    assert found(*at(TWICE, "# Twice")) == [("Other.md", 3), ("Other.md", 7), ("Twice.md", 11)]
    assert found(*at(TWICE, "## More")) == [("Other.md", 7), ("Twice.md", 11)]
    assert found(*at(TWICE, "[[Other#Why", 3)) == [("Twice.md", 11)]
    (place,) = find_references(vault, other, 5, 1)
    assert words(note, place.span) == "[[Other#Why]]"
    own, _ = find_references(vault, other, 5, 1, with_target=True)
    assert (own.path, own.span.line) == (other.path, 5)


def test_symbols(vault: Vault) -> None:
    reported = [
        (s.kind, s.name, s.whole.line, s.whole.end_line) for s in symbols_of_note(twice(vault))
    ]
    assert ("heading", "More", 13, 32) in reported
    assert ("block", "import numpy as np", 15, 21) in reported
    assert ("id", "^end", 27, 27) in reported
    assert {(s.kind, s.name) for s in vault_symbols(vault, "o")} == {
        ("note", "Other"), ("alias", "Doubling"), ("heading", "Other"), ("heading", "More"),
    }  # fmt: skip


def test_what_can_be_renamed(vault: Vault) -> None:
    note = twice(vault)

    def found(place: str, by: int = 0) -> tuple[str, str | None, str] | None:
        there = find_rename_target(vault, note, *at(TWICE, place, by))
        if there is None:
            return None
        heading = there.heading.text if there.heading else None
        return there.note.name, heading, words(note, there.span)

    assert found("# Twice") == ("Twice", None, "Twice")
    assert found("## More") == ("Twice", "More", "More")
    assert found("Other#Why") == ("Other", "Why", "Why")
    assert found("Here") is None


# --- What may be written there


@pytest.mark.parametrize(
    ("typed", "labels", "text"),
    [
        ("[[", ["Doubling", "Other", "Twice"], "Doubling: Twice|Doubling]]"),
        ("| [[", ["Doubling", "Other", "Twice"], "Doubling: Twice\\|Doubling]]"),
        ("![[", ["Doubling", "Other", "Twice", "draw.svg"], "draw.svg: draw.svg]]"),
        ("[[Other#", ["Other", "Why", "^reason"], "Why: Why]]"),
        ("[[Other#^", ["^reason"], "^reason: ^reason]]"),
        ("[[Nothing#", [], ""),
        ("#a", ["arithmetic/simple", "sum"], "sum: sum"),
        ("so $y = ", ["\\text{half}", "\\text{np}", "d_{\\text{model}}", "x", "y"], ""),
        ("so $y$ = ", [], ""),
        ("a `[[", [], ""),
        ("```py", ["mermaid", "pycon", "python", "text"], "python: python"),
        ("```python no-run t", ["hl_lines", "linenums", "raises", "timeout", "title", "volatile"],
         "title: title="),
        ("```text t", [], ""),
        ("$$\n\\fr", ["\\text{half}", "\\text{np}", "d_{\\text{model}}", "x", "y"], ""),
        ("plain", [], ""),
    ],
)  # fmt: skip
def test_offers(vault: Vault, typed: str, labels: list[str], text: str) -> None:
    note = draft(vault, "Here", f"{typed}\n\nHere")
    line, column = at(note.text, f"{typed}\n\nHere", len(typed))
    found = completions(vault.replacing(note), note, line, column)
    assert sorted(offer.label for offer in found) == labels
    if text:
        assert text in {f"{offer.label}: {offer.text}" for offer in found}


def test_offers_take_the_place_of_what_was_typed(vault: Vault) -> None:
    note = draft(vault, "Here", "[[Oth]] Here")
    line, column = at(note.text, "[[Oth]]", 5)
    now = vault.replacing(note)
    offer = next(offer for offer in completions(now, note, line, column) if offer.label == "Other")
    assert (words(note, offer.span), offer.text) == ("Oth", "Other")


def test_tags_are_offered_in_the_properties(vault: Vault) -> None:
    note = draft(vault, "  - sum\n", "  - sum\n  - a\n")
    line, column = at(note.text, "  - a\n", 5)
    assert {offer.label for offer in completions(vault, note, line, column)} >= {
        "arithmetic/simple"
    }
    assert completions(vault, note, 2, 5) == []


@pytest.mark.parametrize(
    "name",
    ["x", "W_Q", "d_model", "alpha", "lambda_", "sigma_x", "x_alpha", "scaled_scores", "out"],
)
def test_a_formula_reads_names_as_they_are_offered(tmp_path: Path, name: str) -> None:
    for number, tex in enumerate(tex_spellings(name)):
        if "operatorname" in tex:
            continue
        code = f"```python\n{name} = 2.5\n```\n\n${tex} = 2.5$\n"
        (tmp_path / f"{number}.md").write_text(code)
    vault = Vault(tmp_path)
    assert vault.notes
    for note in vault.notes.values():
        assert [c.why for c in inspect(note, vault) if c.outcome == FAILS] == []


# --- What is said of it


def checked(vault: Vault, note: Note) -> list[Check]:
    return list(inspect(note, vault))


def test_what_is_said_of_a_place(vault: Vault) -> None:
    note = twice(vault)
    checks = checked(vault, note)
    values = {"x": [Value(0, "float64 array of shape (2,)", "array([1., 2.])")]}

    def said(place: str, by: int = 0) -> str:
        found = hover_text(vault, note, *at(TWICE, place, by), checks, values)
        return found[1] if found else ""

    assert said("[[Other#Why", 3).startswith("## Why\n\nBecause of")
    assert "Holds for the arrays of this page" in said("y = 2 x$")
    assert "Checked on `y` of shape (2,) and `x`" in said("y = 2 x$")
    assert "(block 1, line 15)" in said("4.0") or "output" in said("4.0").lower()
    assert "This number occurs on this page" in said("4.0")
    assert "array of shape (2,)" in said("x, d_model")
    assert "array([1., 2.])" in said("* x", 2)
    assert "array of shape (2,) (block 1" in said("x$", 1)
    assert said("```python").startswith("holds · ")
    assert said("See") == ""


def test_what_fails_is_said_with_both_sides(vault: Vault) -> None:
    note = draft(vault, "$y = 2 x$", "$y = 3 x$")
    found = hover_text(vault, note, *at(note.text, "y = 3", 1), checked(vault, note), {})
    assert found
    assert "left [2. 4.], right [3. 6.]" in found[1]
    assert words(note, found[0]) == "$y = 3 x$"


# --- What fixes it


def fixing(vault: Vault, note: Note, place: str, by: int = 0) -> dict[str, Action]:
    line, column = at(note.text, place, by)
    where = Span(line, column, line, column)
    vault = vault.replacing(note)
    return {
        action.title: action for action in code_actions(vault, note, where, checked(vault, note))
    }


def fixed(note: Note, action: Action) -> str:
    return text_with_edits(note.text, action.edits[note.path])


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_an_output_is_written_with_the_line_ends_of_the_note(vault: Vault, end: str) -> None:
    text = "```python\nprint(1)\nprint(2)\n```\n\n```text\n3\n```\n".replace("\n", end)
    note = read_draft(vault.root / "Twice.md", text)
    vault = vault.replacing(note)
    (action, *_) = code_actions(vault, note, Span(7, 1, 7, 2), checked(vault, note))
    assert fixed(note, action) == text.replace("3", f"1{end}2")


def test_outputs_are_written(vault: Vault) -> None:
    note = draft(vault, "array([2., 4.])", "array([2., 5.])")
    found = fixing(vault, note, "array([2., 5.])")
    assert fixed(note, found["Write this output"]) == TWICE
    assert fixed(note, fixing(vault, note, "Here")["Write all outputs of this note (1)"]) == TWICE


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_missing_output_is_written(vault: Vault, end: str) -> None:
    text = "# Twice\n\n```python\n1 + 1\n```" + end
    note = read_draft(vault.root / "Twice.md", text)
    found = fixing(vault, note, "1 + 1")
    assert fixed(note, found["Write this output"]).endswith("```\n\n```text\n2\n```\n")


def test_the_computed_number_is_taken_with_as_many_digits(vault: Vault) -> None:
    note = draft(vault, "is 4.0", "is 4.2")
    found = fixing(vault, note, "4.2", 1)
    assert fixed(note, found["Write 4.0 (computed: 4)"]) == TWICE
    given = fixed(note, found["Mark as given: reason"])
    assert "4.2<!-- given: reason -->." in given
    after = read_draft(note.path, given)
    assert not [check for check in checked(vault, after) if check.outcome == FAILS]


@pytest.mark.parametrize(
    ("stated", "computed", "offered"),
    [
        ("+4.2", -4.0, "−4.0"),
        ("+4.2", 4.0, "+4.0"),
        ("-4.2", -4.0, "-4.0"),
        ("4.2", -4.0, "−4.0"),
    ],
)
def test_a_sign_is_that_of_the_computed_number(
    vault: Vault, stated: str, computed: float, offered: str
) -> None:
    text = f"# Twice\n\nIt is {stated} here.\n\n```python\nx = {computed}\n```\n"
    found = fixing(vault, read_draft(vault.root / "Twice.md", text), stated)
    assert any(title.startswith(f"Write {offered} (computed: ") for title in found), list(found)


def test_an_equation_is_marked_as_not_run(vault: Vault) -> None:
    for wrong in ("$y = 3 x$", "\n\n$$\ny = 3 x\n$$\n\n"):
        note = draft(vault, "$y = 2 x$", wrong)
        given = fixed(note, fixing(vault, note, wrong.strip())["Mark as not run: reason"])
        after = read_draft(note.path, given)
        assert not [c for c in checked(vault, after) if c.outcome == FAILS], given


def test_a_missing_note_is_made_and_a_slip_is_fixed(vault: Vault) -> None:
    note = draft(vault, "[[Other#Why]]", "[[Othr]] and [[Other#Wy]]")
    found = fixing(vault, note, "[[Othr]]", 3)
    makes = found["Make the note 'Othr'"].makes
    assert makes
    assert makes[0] == vault.root / "Othr.md"
    assert "# Othr" in makes[1]
    assert not makes[0].exists()
    assert "See [[Other]] and" in fixed(note, found["Link to 'Other'"])
    found = fixing(vault, note, "[[Other#Wy]]", 3)
    assert "[[Other#Why]]" in fixed(note, found["Link to 'Why'"])


@pytest.mark.parametrize(
    ("link", "changed"),
    [
        ("[[Bayess rule]]", {"[[Bayes' rule]]", "[[Bayes rules]]"}),
        ("[[Bayes' rul]]", {"[[Bayes' rule]]"}),
        ("[[Pytho?]]", {"[[Python]]"}),  # no file may have this name
        ("[[Pythons|it]]", {"[[Python|it]]"}),
        ("[[Other#Wy]]", {"[[Other#Why]]"}),
        ("[[Whys#Why]]", {"[[Whys#Whys]]"}),
    ],
)
def test_similar_names_are_offered_as_they_are_written(
    vault: Vault, link: str, changed: set[str]
) -> None:
    for name in ("Bayes' rule", "Bayes rules", "Python", "Whys"):
        (vault.root / f"{name}.md").write_text(f"# {name}\n\n## Whys\n")
    with_names = Vault(vault.root)
    note = draft(with_names, "[[Other#Why]]", link)
    found = fixing(with_names, note, link, 3)
    written = {fixed(note, one) for title, one in found.items() if title.startswith("Link to ")}
    assert written == {note.text.replace(link, other) for other in changed}


@pytest.mark.parametrize(
    ("link", "made"),
    [
        ("[[sub/Pelican]]", "sub/Pelican.md"),
        ("[x](./sub/Pelican.md)", "sub/Pelican.md"),
        ("[[Pelican#Wings]]", "Pelican.md"),
        ("[[../../Pelican]]", ""),
    ],
)
def test_a_note_is_made_where_the_link_leads(vault: Vault, link: str, made: str) -> None:
    (vault.root / "sub").mkdir()
    note = draft(vault, "[[Other#Why]]", link)
    action = fixing(vault, note, link, 3).get("Make the note 'Pelican'")
    assert bool(action) == bool(made)
    if action and action.makes:
        path, text = action.makes
        assert path == vault.root / made
        path.write_text(text)
        wrong = [c for c in checked(Vault(vault.root), note) if c.line == 11 and c.outcome == FAILS]
        assert bool(wrong) == (action.fixes is None)


def test_a_mention_is_linked(vault: Vault) -> None:
    note = twice(vault)
    found = fixing(vault, note, "Other things", 2)
    assert ", [[Other]] things" in fixed(note, found["Link to 'Other'"])
    # In a link it is linked already, and code is code.
    assert fixing(vault, note, "[[Other#Why", 4) == {}
    assert fixing(vault, note, "import numpy") == {}


def test_each_check_is_marked_as_a_whole(vault: Vault) -> None:
    note = draft(vault, "$y = 2 x$", "$y = 3\n x$")
    (check,) = [check for check in checked(vault, note) if check.outcome == FAILS]
    found = span_of_check(check, note)
    assert (found.line, found.end_line) == (check.line, check.line + 1)


# --- The note of all failures


def test_failures_are_kept_as_a_note_of_links(vault: Vault) -> None:
    note = draft(vault, "$y = 2 x$", "$y = 3 x$")
    kept = Annotations(vault, "Failures")
    kept.update(vault, [(note, checked(vault, note))])
    vault = Vault(vault.root)
    text = kept.path.read_text()
    assert "1 in 1 note." in text
    assert "- [[Twice#More|Twice, line 27]]: equation" in text
    assert "    left [2. 4.], right [3. 6.]" in text
    written = vault.notes[kept.path]
    assert not vault.options.is_published(written, "Failures.md")
    assert checked(vault, written) == []
    assert [vault.resolve(link, written).path for link in written.links] == [note.path]
    # Another note is checked: what failed before is kept. All holds: it goes.
    kept.update(vault, [(vault.notes[vault.root / "Other.md"], [])])
    assert kept.path.read_text() == text
    kept.update(vault, [(note, [])])
    assert not kept.path.exists()
    kept.update(vault, [(note, [])])


def test_no_note_written_by_hand_is_overwritten(vault: Vault) -> None:
    with pytest.raises(NotOursError, match="Twice: a note of that name exists"):
        Annotations(vault, "Twice")
    with pytest.raises(NotOursError, match="outside of the vault"):
        Annotations(vault, "../Failures")


def test_the_command_keeps_the_note_of_failures(vault: Vault) -> None:
    draft = vault.root / "Twice.md"
    folder, kept = str(vault.root), vault.root / "Failures.md"

    def run(*options: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["check", folder, "--annotate", *options])
        return done.exit_code, done.output

    assert run("Failures")[0] == 0
    assert not kept.exists()
    draft.write_text(TWICE.replace("$y = 2 x$", "$y = 3 x$"))
    for _ in range(2):  # it is no note that is checked
        code, reported = run("Failures")
        assert (code, "vault: 2 notes" in reported) == (1, True), reported
        assert kept.exists()
    draft.write_text(TWICE)
    assert run("Failures")[0] == 0
    assert not kept.exists()
    code, reported = run("Twice")
    assert (code, "written by hand" in reported) == (2, True)


@pytest.mark.long
def test_the_note_of_failures_follows_what_is_saved(vault: Vault) -> None:
    kept, note = vault.root / "Failures.md", vault.root / "Twice.md"
    command = [sys.executable, "-m", "vaultkit", "check", str(vault.root)]
    watching = subprocess.Popen(
        [*command, "--watch", "--annotate", "Failures"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert watching.stdout
    try:
        assert "nothing wrong" in watching.stdout.readline()
        for wrong in ("$y = 3 x$", "$y = 5 x$"):
            note.write_text(TWICE.replace("$y = 2 x$", wrong))
            wait(lambda wrong=wrong: kept.exists() and wrong in kept.read_text())
        note.write_text(TWICE)
        wait(lambda: not kept.exists())
    finally:
        watching.terminate()
        watching.wait()
        watching.stdout.close()


def wait(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


MARKS = "[[ ]] ![[ # ^ | $ $$ ` \\frac{ x 4.0 Other %% 😀 title="
ENDS = ["```python\n", "```\n", "\n", "\n\n", "> ", "---\n", "tags: [", "# ", "<!-- given: "]
PIECES = st.sampled_from([*MARKS.split(), *ENDS, "\u2028", "\r\n"])


@settings(max_examples=settings().max_examples * 3 // 2, deadline=None)
@given(st.data())
def test_nothing_that_is_half_typed_ends_an_answer(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / "half"
    if not folder.exists():
        folder.mkdir()
        (folder / "Other.md").write_text(OTHER)
        (folder / "Twice.md").write_text(TWICE)
    vault = Vault(folder)
    at = data.draw(st.integers(0, len(TWICE)))
    typed = "".join(data.draw(st.lists(PIECES, max_size=5)))
    rest = TWICE[data.draw(st.integers(at, len(TWICE))) :]
    note = read_draft(vault.root / "Twice.md", TWICE[:at] + typed + rest)
    vault = vault.replacing(note)
    line = data.draw(st.integers(1, len(note.lines)))
    column = data.draw(st.integers(1, len(note.lines[line - 1]) + 1))
    checks = list(inspect(note, vault, run=None))
    reported = [*checks, Check("number", line, "4.0", FAILS, "no; nearest are 4, 5", column)]
    reported += [Check("equation", line, formula.tex, FAILS, "no") for formula in note.formulas]
    values = {name: [Value(0, "float", "1.0")] for name in ("x", "y")}
    for offer in completions(vault, note, line, column):
        assert offer.span.line == line
        assert offer.span.end_column == column
    hover_text(vault, note, line, column, reported, values)
    for check in reported:
        found = span_of_check(check, note)
        assert (found.line, found.column) <= (found.end_line, found.end_column)
    for action in code_actions(vault, note, Span(line, column, line, column), reported):
        for path, edits in action.edits.items():
            text_with_edits(vault.notes[path].text, edits)
    find_definition(vault, note, line, column)
    find_references(vault, note, line, column)
    for symbol in symbols_of_note(note):
        assert symbol.whole.line <= symbol.span.line <= symbol.span.end_line
        assert (symbol.span.end_line, symbol.span.end_column) <= (
            symbol.whole.end_line,
            symbol.whole.end_column,
        )
    there = find_rename_target(vault, note, line, column)
    if there:
        assert there.span.column >= 1
        for new in ("New", typed):
            with suppress(RenameError):
                if there.heading:
                    changes = rename_heading(vault, there.note, there.heading, new)
                else:
                    changes = rename_note(vault, there.note.path, new)
                for path, edits in changes.edits.items():
                    text_with_edits(vault.notes[path].text, edits)
