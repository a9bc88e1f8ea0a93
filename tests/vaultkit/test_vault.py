"""Names, aliases, places and the graph of a vault."""

import os
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultkit.read.discovery import read_draft, read_guarded
from vaultkit.read.markdown import parse
from vaultkit.read.note import Note
from vaultkit.read.vault import BrokenLinkError, Vault
from vaultkit.store import Store


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    notes = {
        "index.md": "[[Softmax]] once. And [[softmax#Stable]] at greater length than before.",
        "Softmax.md": "---\naliases: [Soft arg max, Q/K]\n---\n# Softmax\n\n## Stable\n\n"
        "Fact. ^f\n",
        "Twin.md": "top",
        "sub/Twin.md": "below [[Twin]] [[Softmax]]",
        "sub/Deep.md": "[[Twin]] [[../Twin]] [s](../Softmax.md)",
        "sub/Alias.md": "---\naliases: Softmax\n---\n",
        "far/away/Triplet.md": "",
        "sub/under/Triplet.md": "",
        "Cafe\u0301.md": "decomposed",
        "figures/a.svg": "<svg/>",
        ".obsidian/hidden.md": "hidden",
    }
    for name, text in notes.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Vault(tmp_path)


@pytest.mark.parametrize(
    ("name", "source", "found"),
    [
        ("Softmax", "index.md", "Softmax.md"),
        ("SOFTMAX", "index.md", "Softmax.md"),
        ("Softmax.md", "index.md", "Softmax.md"),
        ("softmax.md", "index.md", "Softmax.md"),
        ("soft ARG max", "index.md", "Softmax.md"),
        ("Q/K", "index.md", "Softmax.md"),
        ("Twin", "index.md", "Twin.md"),
        ("Twin", "sub/Deep.md", "sub/Twin.md"),
        ("Triplet", "sub/Deep.md", "sub/under/Triplet.md"),
        ("Triplet", "far/Deep.md", "far/away/Triplet.md"),
        ("../Twin", "sub/Deep.md", "Twin.md"),
        ("sub/twin", "index.md", "sub/Twin.md"),
        ("Deep", "index.md", "sub/Deep.md"),
        ("a.svg", "sub/Deep.md", "figures/a.svg"),
        ("A.SVG", "sub/Deep.md", "figures/a.svg"),
        ("figures/a.svg", "sub/Deep.md", "figures/a.svg"),
        ("Caf\u00e9", "index.md", "Cafe\u0301.md"),
        ("", "sub/Deep.md", "sub/Deep.md"),
    ],
)
def test_a_name_is_found(vault: Vault, name: str, source: str, found: str) -> None:
    assert vault.relative(vault.find(name, vault.root / source)) == found


@pytest.mark.parametrize(
    "name",
    ["Sofmax", "hidden", ".obsidian/hidden", "sub", "a", "other/Twin", ".", "..", "/", "//",
     "a.svg.md", "Softmax/", "Softmax.md/", "../" * 40, "x" * 5000, "a\0b", "/etc/hostname"],
)  # fmt: skip
def test_what_is_not_there_is_not_found(vault: Vault, name: str) -> None:
    with pytest.raises(BrokenLinkError, match="there is no note or file"):
        vault.find(name, vault.root / "index.md")


def resolved(vault: Vault, text: str, source: str = "index.md") -> Any:
    note = parse(text, vault.root / source)
    return vault.resolve(note.links[0], note)


def test_places(vault: Vault) -> None:
    assert resolved(vault, "[[Softmax#stable]]").anchor == "stable"
    assert resolved(vault, "[[Softmax#stable]]").lines == (6, 8)
    assert resolved(vault, "[[Softmax#^f]]").anchor == "^f"
    assert resolved(vault, "[[Softmax#^f]]").lines == (8, 8)
    assert resolved(vault, "[x](Softmax.md#stable)").anchor == "stable"
    assert resolved(vault, "# Here\n\n[[#here]]").path == vault.root / "index.md"
    assert resolved(vault, "[[Softmax]]").note is vault.notes[vault.root / "Softmax.md"]
    assert resolved(vault, "![[a.svg|300]]").note is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[Sofmax]]", "no note or file 'Sofmax'; did you mean 'Softmax'"),
        ("[[Softmax#Stabel]]", "'Softmax' has no heading 'Stabel'; did you mean 'Stable'?"),
        ("[[Softmax#^g]]", r"'Softmax' has no block '\^g'"),
        ("[x](Softmax.md#Stabel)", "has no heading 'Stabel'; did you mean 'stable'?"),
    ],
)
def test_what_comes_near_is_named(vault: Vault, text: str, message: str) -> None:
    with pytest.raises(BrokenLinkError, match=message):
        resolved(vault, text)


def test_backlinks(vault: Vault) -> None:
    found = {
        vault.relative(link.source.path): str(link.link)
        for link in vault.backlinks(vault.notes[vault.root / "Softmax.md"])
    }
    assert found == {
        # One of a note, the one whose sentence says more.
        "index.md": "[[softmax#Stable]]",
        "sub/Twin.md": "[[Softmax]]",
        "sub/Deep.md": "[s](../Softmax.md)",
    }
    twin = vault.backlinks(vault.notes[vault.root / "sub/Twin.md"])
    assert [link.source.name for link in twin] == ["Deep"]
    assert vault.backlinks(vault.notes[vault.root / "sub/Alias.md"]) == []


def test_a_vault_takes_over_the_notes_that_are_unchanged(vault: Vault, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    vault = Vault(vault.root, store=store)
    softmax = vault.root / "Softmax.md"
    kept = vault.notes[vault.root / "index.md"]
    softmax.rename(vault.root / "New.md")
    (vault.root / "Twin.md").write_text("to [[New]]", encoding="utf-8")
    os.utime(vault.root / "Twin.md", ns=(1, 1))
    before, vault = vault, Vault(vault.root, store=store)
    assert softmax in before.notes
    assert softmax not in vault.notes
    assert vault.notes[vault.root / "index.md"] is kept
    assert vault.find("soft arg max", kept.path) == vault.root / "New.md"
    sources = {link.source.name for link in vault.backlinks(vault.notes[vault.root / "New.md"])}
    assert "Twin" in sources


def test_addresses(vault: Vault) -> None:
    assert vault.address(vault.notes[vault.root / "sub/Deep.md"]) == "sub/deep"
    assert vault.address(parse("", vault.root / "A Note: more.md")) == "a-note-more"


def test_no_two_notes_have_one_address(tmp_path: Path) -> None:
    for name in ("C++", "C", "C#", "C-2", "a/🎉", "🎉/$", "🎉/~"):
        file = tmp_path / f"{name}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
    vault = Vault(tmp_path)
    assert {vault.relative(note.path): vault.address(note) for note in vault.notes.values()} == {
        "C.md": "c",
        "C#.md": "c-2",
        "C-2.md": "c-2-2",
        "C++.md": "c-3",
        "a/🎉.md": "a/note",
        "🎉/$.md": "note/note",
        "🎉/~.md": "note/note-2",
    }


def test_the_shorter_name_has_the_address_whatever_the_file_is(tmp_path: Path) -> None:
    (tmp_path / "C++.md").write_text("")
    (tmp_path / "C.ipynb").write_text('{"cells": [], "metadata": {}, "nbformat": 4}')
    vault = Vault(tmp_path)
    addresses = {vault.relative(path): vault.address(note) for path, note in vault.notes.items()}
    assert addresses == {"C.ipynb": "c", "C++.md": "c-2"}


def test_a_folder_that_is_not_there_is_an_empty_vault(tmp_path: Path) -> None:
    assert Vault(tmp_path / "none").notes == {}


DRAFTS = st.sampled_from(
    ["# A\n", "---\naliases: [Other]\n---\n\n[[B]]", "[[C#Deep]] [[Other]]", "# Deep"]
)


@settings(max_examples=settings().max_examples * 3 // 5, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["A", "B", "folder/C", "D"]), DRAFTS), max_size=6))
def test_a_vault_with_drafts_is_the_vault_that_they_would_make(
    tmp_path_factory: pytest.TempPathFactory, drafts: list[tuple[str, str]]
) -> None:
    root = tmp_path_factory.mktemp("vault")
    (root / "folder").mkdir()
    for name in ("A", "B", "folder/C"):
        (root / f"{name}.md").write_text(f"# {name}\n\n[[A]] [[B]] [[C]] [[D]] [[Other]]\n")
    vault = Vault(root)
    for name, text in drafts:
        before = state_of(vault)
        other = vault.replacing(read_draft(vault.root / f"{name}.md", text))
        assert state_of(vault) == before  # it does not change
        vault = other
    for name, text in drafts:
        (root / f"{name}.md").write_text(text)
    assert state_of(vault) == state_of(Vault(root))


def state_of(vault: Vault) -> dict[str, object]:
    found: dict[str, object] = {}
    for note in vault.notes.values():
        for link in note.links:
            try:
                found[f"{note.path} {link}"] = vault.resolve(link, note).path
            except LookupError as error:
                found[f"{note.path} {link}"] = str(error)
        found[f"{note.path}"] = (
            {backlink.source.path for backlink in vault.backlinks(note)},
            {mention.source.path for mention in vault.mentions(note)},
            {name: set(paths) for name, paths in vault.notes_by_name.items()},
            vault.address(note),
        )
    return found


def test_a_note_that_no_reader_gets_through_is_one_problem(tmp_path: Path) -> None:
    def fail() -> Note:
        raise LookupError("no such thing")

    path = tmp_path / "A.md"
    note = read_guarded(path, fail)
    state_of = "this note cannot be read: LookupError: no such thing"
    assert (note.path, note.text, note.refused) == (path, "", state_of)
    assert [(problem.line, problem.message) for problem in note.problems] == [(1, state_of)]
    with pytest.raises(OSError, match="gone"):
        read_guarded(path, Mock(side_effect=OSError("gone")))


def test_a_folder_that_leads_into_itself_is_a_note_that_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "A.md").write_text("# A\n")
    (tmp_path / "sub" / "again").symlink_to(tmp_path / "sub", target_is_directory=True)
    (refused,) = [note for note in Vault(tmp_path).notes.values() if note.refused]
    state_of = "this symbolic link leads to a folder that contains it, or is listed already"
    assert (refused.path.name, refused.refused) == ("again", state_of)
    assert [problem.message for problem in refused.problems] == [state_of]
