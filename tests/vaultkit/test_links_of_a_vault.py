"""The link structure of a vault: orphans, dead ends, paths, and unreachable notes."""

from pathlib import Path

import pytest

from vaultkit.read.graph import front_note, graph_of
from vaultkit.read.vault import Vault

NOTES = {
    "index": "To [[Owl]] and to [[Wren]], and to [[index]].",
    "Owl": "To [[Tern]], to [[Nobody]].",
    "Wren": "To [[Tern]] and [[Owl]].",
    "Tern": "As Wren does, it leads nowhere.",
    "Heron": "To [[Stork]].",
    "Stork": "To [[Heron]].",
    "Crane": "To [[index]].",
}


def vault(folder: Path, notes: dict[str, str]) -> Vault:
    for name, text in notes.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {path.stem}\n\n{text}\n")
    return Vault(folder)


def test_what_is_striking_about_links(tmp_path: Path) -> None:
    graph = graph_of(vault(tmp_path, NOTES))
    assert graph.orphans == ("Crane.md",)
    assert graph.dead_ends == ("Tern.md",)
    assert graph.mentions == (("Tern.md", "Wren.md", "As Wren does, it leads nowhere."),)
    assert graph.longest == ("index.md", "Owl.md", "Tern.md")
    assert set(graph.unreachable) == {"Heron.md", "Stork.md", "Crane.md"}
    assert graph.plain()["longest_way"] == ["index.md", "Owl.md", "Tern.md"]
    assert [rows for title, rows in graph.sections() if "Mentions" in title.title()] == [
        ["Tern.md names Wren.md: As Wren does, it leads nowhere."]
    ]


def test_without_a_way_in_nothing_is_far_from_it(tmp_path: Path) -> None:
    graph = graph_of(vault(tmp_path, {"Heron": "To [[Stork]].", "Stork": "", "deep/index": ""}))
    assert graph.orphans == ("Heron.md", "deep/index.md")
    assert graph.longest == graph.unreachable == ()


@pytest.mark.parametrize(
    ("names", "front"),
    [
        (["Home", "README", "A"], "README"),
        (["Welcome", "Start", "A"], "Start"),
        (["birds", "A"], "birds"),
        (["deep/index", "A"], None),
    ],
)
def test_the_way_in_is_a_note_at_the_top(tmp_path: Path, names: list[str], front: str) -> None:
    found = front_note(vault(tmp_path / "Birds", dict.fromkeys(names, "Words.")))
    assert (found.name if found else None) == front
