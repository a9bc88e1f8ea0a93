"""What every note of this vault has, beyond what any vault must have."""

import re
from pathlib import Path

import pytest

from figures import FIGURES, FILES, formulas
from figures.style import OUTLINES
from tests.own_vault import VAULT
from vaultkit.claims.claims import claims_of
from vaultkit.read.note import Note
from vaultkit.render.printed_heads import find_tables
from vaultkit.render.printed_rows import find_rows
from vaultkit.tex import parse

NOTES = sorted(VAULT.notes.values(), key=lambda note: note.path)
# What is there to look things up in; and a notebook, which has a form of its own.
REFERENCE = {"index", "Checks", "Equations That Run", "First Principles", "Glossary", "Notation",
             "Questions and Answers", "References", "Sources"}  # fmt: skip
CONCEPTS = [note for note in NOTES if note.name not in REFERENCE]
PAGES = [note for note in NOTES if note.path.suffix == ".md"]

every_note = pytest.mark.parametrize("note", PAGES, ids=lambda note: note.name)
every_concept = pytest.mark.parametrize("note", CONCEPTS, ids=lambda note: note.name)


@every_note
def test_front_matter(note: Note) -> None:
    assert isinstance(note.meta.get("aliases"), list), "aliases: a list, empty if there are none"
    assert note.meta.get("tags"), "tags: at least one"
    assert note.summary.endswith("."), "summary: one sentence"
    assert len(note.summary) < 200


@every_concept
def test_the_title_is_the_name_of_the_file(note: Note) -> None:
    assert note.headings[0].level == 1
    assert note.headings[0].text == note.name


@every_concept
def test_it_has_code_and_formulas_that_run(note: Note) -> None:
    assert note.blocks
    assert any(parse(formula.tex) for formula in note.formulas)


@every_concept
def test_it_has_a_figure(note: Note) -> None:
    if note.name != "Self-Attention and Multi-Head Attention Compared":  # a table is its picture
        assert any(link.embed and link.target.endswith(".svg") for link in note.links)


@every_concept
def test_its_blocks_end_in_something_to_look_at(note: Note) -> None:
    shown = [block for block in note.blocks if block.output or block.kind == "pycon"]
    assert 2 * len(shown) >= len(note.blocks)


@every_concept
def test_it_is_linked_from_others_and_links_onward(note: Note) -> None:
    assert VAULT.backlinks(note)
    assert sum(not link.embed for link in note.links) >= 2


@pytest.mark.parametrize(
    "name", ["Query Matrix", "Key Matrix", "Value Matrix", "Importance of dk in Scaling"]
)
def test_the_notes_that_the_sources_link_exist_and_link_back(name: str) -> None:
    (note,) = (note for note in NOTES if note.name == name)
    found = {VAULT.find(link.target, note.path).stem for link in note.links}
    assert "Self Attention" in found


def test_every_figure_is_drawn_and_shown() -> None:
    drawn = {path.name for path in (VAULT.root / "figures").glob("*.svg")}
    shown = {Path(link.target).name for note in NOTES for link in note.links if link.embed}
    shown |= {Path(note.meta["cover"]).name for note in NOTES if "cover" in note.meta}
    assert drawn == set(FIGURES)
    assert drawn <= shown


def test_blocks_that_do_not_run_are_rare() -> None:
    assert not [n.name for n in NOTES for b in n.blocks if "no-run" in b.fence.options]


def test_every_paper_that_a_note_cites_is_in_the_references() -> None:
    def papers(text: str) -> set[str]:
        return set(re.findall(r"arxiv\.org/abs/[\d.]+\d", text))

    (references,) = (note for note in NOTES if note.name == "References")
    cited = {(note.name, paper) for note in NOTES for paper in papers(note.text)}
    assert not [(name, paper) for name, paper in cited if paper not in papers(references.text)]


def test_every_figure_has_a_caption() -> None:
    for note in PAGES:
        for number, line in enumerate(note.lines, 1):
            if re.match(r"!\[.*\]\(figures/", line):
                assert re.fullmatch(r"\*[^*].*\*", note.lines[number]), f"{note.path}:{number}"


#: Four or more digits without a comma.
LONG = re.compile(r"(?<![\d.,])\d{4,}")
#: Names that are numbers: a seed, and a word of an example.
NUMBER_NAMES = {"1234", "1001"}


@every_note
def test_long_numbers_in_sentences_have_commas(note: Note) -> None:
    lines = note.text.splitlines()
    missing = [
        (quantity.line, quantity.text)
        for quantity in claims_of(note).quantities
        if LONG.search(quantity.text) and quantity.text not in NUMBER_NAMES
        # Formulas and code have none.
        if not any(
            part.start() < quantity.column - 1 < part.end()
            for part in re.finditer(r"\$[^$]*\$|`[^`]*`", lines[quantity.line - 1])
        )
    ]
    assert missing == []


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.name)
def test_long_numbers_in_printed_tables_have_commas(note: Note) -> None:
    outputs = [block.output.text.splitlines() for block in note.blocks if block.output]
    tables = [
        lines[first : first + size]
        for lines in outputs
        for first, size in (
            *((first, table.size) for first, table in find_tables(lines)),
            *((first, len(table.rows)) for first, table in find_rows(lines)),
        )
    ]
    # Shapes are written as Python does.
    rows = [re.sub(r"\([^()]*\)", "", row) for table in tables for row in table]
    assert [row for row in rows if LONG.search(row)] == []


def test_long_numbers_in_figures_have_commas() -> None:
    missing = {
        path.name: found
        for path in sorted((VAULT.root / "figures").glob("*.svg"))
        if (found := [text for text in _texts(path) if LONG.search(text)])
    }
    assert missing == {}


def _texts(path: Path) -> list[str]:
    drawing = re.sub(
        r"<(style|desc|title|metadata)\b.*?</\1>",
        "",
        path.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    return re.findall(r">([^<]+)<", drawing)


@every_note
def test_a_note_does_not_announce_what_only_the_site_has(note: Note) -> None:
    """What can be done with a figure is said above its controls: `hint` in `figures/touch.py`."""
    assert not re.search(r"\bin a browser\b", note.text, re.IGNORECASE)


def test_every_note_is_three_clicks_from_the_way_in() -> None:
    (start,) = (note for note in NOTES if note.name == "index")
    reached = {start.path}
    for _ in range(3):
        reached |= {
            VAULT.find(link.target, path)
            for path in list(reached)
            if path in VAULT.notes
            for link in VAULT.notes[path].links
        }
    assert {note.path for note in NOTES} <= reached


def test_few_equations_do_not_run() -> None:
    displayed = [formula for note in NOTES for formula in note.formulas if formula.display]
    assert 20 * sum(bool(formula.not_run) for formula in displayed) <= len(displayed)


@pytest.mark.parametrize("name", FILES)
def test_what_scripts_read_is_current(name: str) -> None:
    written = (VAULT.root / "javascripts" / name).read_text(encoding="utf-8")
    assert written == FILES[name](), "python -m figures writes it again"


def test_a_browser_has_the_formulas_of_the_figures_that_it_draws() -> None:
    assert OUTLINES.read_text(encoding="utf-8") == formulas(), "python -m figures writes it again"
