"""What a note builds on, and what is written of it."""

from __future__ import annotations

from pathlib import Path

from vaultkit.read.vault import Vault
from vaultkit.site.road import Step, line, needed, ways


def test_a_note_builds_on_the_earlier_ones_that_it_links_to_most(tmp_path: Path) -> None:
    links = "[[B]] [[C]] [[D]] [[B]] [[A]] [[F]] [[Nowhere]] [[#Here]]"
    for name in "ABCDF":
        (tmp_path / f"{name}.md").write_text(f"# {name}\n")
    (tmp_path / "E.md").write_text(f"# E\n\n## Here\n\n{links}\n")
    vault = Vault(tmp_path)
    road = [tmp_path / f"{name}.md" for name in "ABCDEF"]
    note = vault.notes[tmp_path / "E.md"]
    # B is linked twice; of the others, the nearer ones. F comes later.
    assert [path.stem for path in needed(note, vault, road)] == ["B", "C", "D"]
    assert needed(note, vault, road[:3]) == []


def test_names_are_escaped() -> None:
    written = line(1, 4, 1, [Step("a<b", "x/?a&b")], None)
    assert '<a href="x/?a&amp;b">a&lt;b</a>' in written
    assert "1 minute<" in written
    assert "--vk-done:25.0%" in written
    assert ways({"Edit this page": ""}) == ""
