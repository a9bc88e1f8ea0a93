"""The line at the top of a page, its position on the roads, and the links at its foot."""

from __future__ import annotations

from pathlib import Path

from vaultkit.read.vault import Vault
from vaultkit.site.road import (
    Place,
    Step,
    entry_note,
    links_at_the_end,
    needed_notes,
    onward_links,
    side_road_line,
    step_line,
)


def test_a_note_builds_on_the_earlier_ones_that_it_links_to_most(tmp_path: Path) -> None:
    links = "[[B]] [[C]] [[D]] [[B]] [[A]] [[F]] [[Nowhere]] [[#Here]]"
    for name in "ABCDF":
        (tmp_path / f"{name}.md").write_text(f"# {name}\n")
    (tmp_path / "E.md").write_text(f"# E\n\n## Here\n\n{links}\n")
    vault = Vault(tmp_path)
    road = [tmp_path / f"{name}.md" for name in "ABCDEF"]
    note = vault.notes[tmp_path / "E.md"]
    # B is linked twice; of the others, the nearer ones. F comes later.
    assert [path.stem for path in needed_notes(note, vault, road)] == ["B", "C", "D"]
    assert needed_notes(note, vault, road[:3]) == []


def test_names_are_escaped() -> None:
    assert '<a href="x/?a&amp;b">a&lt;b</a>' in onward_links("A.md", [], [Step("a<b", "x/?a&b")])
    assert onward_links("A.md", [], []) == ""
    written = step_line([Place("", 1, 4, None)], 1)
    assert "1 minute<" in written
    assert "--vk-done:25.0%" in written
    assert links_at_the_end({"Edit this page": ""}) == ""


def test_a_step_of_two_roads_leads_on_to_both() -> None:
    next_, other = Step("Next", "next/"), Step("Other", "other/")
    places = [Place("In <1> hour", 2, 7, next_), Place("", 9, 25, other)]
    top, written = step_line(places, 6, "map/"), onward_links("A.md", places, [])
    assert '<a href="map/">In &lt;1&gt; hour: step 2 of 7</a>' in top
    assert '<span class="vk-onward__next">Next: <a href="next/">Next</a></span>' in written
    assert '<span>On the whole road: <a href="other/">Other</a></span>' in written
    assert "--vk-done:28.6%" in top
    assert "whole road" not in onward_links("A.md", [places[0], Place("", 9, 25, next_)], [])


def test_a_side_road_is_entered_from_the_note_that_links_to_it_most(tmp_path: Path) -> None:
    texts = {"A": "[[Side]]", "B": "[[Side]] [[Side]]", "C": "[[Side]] [[Side]]", "Side": "[[A]]"}
    for name, text in texts.items():
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{text}\n")
    vault = Vault(tmp_path)
    road = [tmp_path / f"{name}.md" for name in "ABC"]
    note = vault.notes[tmp_path / "Side.md"]
    assert entry_note(note, vault, road) == tmp_path / "B.md"
    assert entry_note(note, vault, road[:1]) == tmp_path / "A.md"
    assert entry_note(vault.notes[tmp_path / "B.md"], vault, road) is None
    assert '<a href="map/">Side road</a>' in side_road_line(12, "map/")
    assert 'From <a href="b/">B</a>' in onward_links("Side.md", [], [], Step("B", "b/"))
