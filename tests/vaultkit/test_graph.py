"""The graph of the notes: what is left of it, and how it is laid out."""

from __future__ import annotations

import random
import re

import pytest

from vaultkit.site import graph
from vaultkit.site.graph import (
    Stop,
    draw_all,
    draw_around,
    draw_graph,
    neighbourhood,
    transitive_reduction,
)

BOX = re.compile(
    r'<a xlink:href="(?P<href>[^"]*)" role="link" data-n="(?P<n>\d+)"(?P<more>[^>]*)>'
    r'<rect x="(?P<x>-?\d+)" y="(?P<y>\d+)" width="(?P<w>\d+)" height="(?P<h>\d+)"'
)
DIAMOND = {"a": [], "b": ["a"], "c": ["a"], "d": ["a", "b", "c"], "e": ["a", "d"], "f": ["e"]}


def stops(keys: object, current: str = "") -> dict[str, Stop]:
    return {key: Stop(f"The {key}", f"../{key}/", key == current) for key in keys}  # type: ignore[attr-defined]


def test_what_follows_from_other_needs_is_left_out() -> None:
    assert transitive_reduction(DIAMOND) == {
        "a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": ["d"], "f": ["e"],
    }  # fmt: skip


def test_what_is_near() -> None:
    near = transitive_reduction(DIAMOND)
    assert neighbourhood("e", near) == {"b": [], "c": [], "d": ["b", "c"], "e": ["d"], "f": ["e"]}
    assert neighbourhood("e", near, 1) == {"d": [], "e": ["d"], "f": ["e"]}
    assert neighbourhood("a", near, 1) == {"a": [], "b": ["a"], "c": ["a"]}


def test_a_bold_title_has_fewer_letters_in_a_line() -> None:
    title = "Windows and Sinks"
    for current, lines in ((False, [title]), (True, ["Windows and", "Sinks"])):
        assert _lines_of(title, current) == lines


def test_a_title_breaks_at_a_hyphen_only_where_a_word_is_too_long() -> None:
    assert _lines_of("Soft Cap, QK-Norm and Gates", True) == ["Soft Cap,", "QK-Norm and", "Gates"]
    assert _lines_of("Cross-Attention", True) == ["Cross-", "Attention"]
    assert _lines_of("Cross-Attention", False) == ["Cross-Attention"]


def test_a_symbol_in_a_title_is_set_as_in_a_formula() -> None:
    stop = Stop("Size of dk & more", "../s/", shown="Size of $d_k$ & more")
    svg = draw_graph({"s": stop}, {"s": []}, "One")
    assert ">Size of <tspan class=" in svg
    assert '>k</tspan></tspan><tspan dy="-.15em"> &amp;</tspan>' in svg
    assert 'aria-label="Size of dk &amp; more"' in svg


def _lines_of(title: str, current: bool) -> list[str]:
    svg = draw_graph({"w": Stop(title, "../w/", current)}, {"w": []}, "One")
    return re.findall(r">([^<>\n]+)</t", svg)


@pytest.mark.parametrize("seed", range(8))
def test_every_note_is_below_its_needs_and_over_none(seed: int) -> None:
    draw = random.Random(seed)
    keys = [f"note {n}" for n in range(40)]
    needs = transitive_reduction({
        key: draw.sample(keys[:n], min(n, draw.randint(0, 3))) for n, key in enumerate(keys)
    })  # fmt: skip
    svg = draw_graph(stops(keys), needs, "All")
    assert svg == draw_graph(stops(keys), needs, "All")
    boxes = [{k: v if k in ("href", "more") else int(v) for k, v in found.groupdict().items()}
             for found in BOX.finditer(svg)]  # fmt: skip
    assert [box["n"] for box in boxes] == list(range(40))
    bottoms = {}
    for key, box in zip(keys, boxes, strict=True):
        assert all(bottoms[other] < box["y"] for other in needs[key])
        bottoms[key] = box["y"] + box["h"]
        assert box["x"] >= 0
        assert box["x"] + box["w"] <= graph.WIDTH
        same = [other for other in boxes if other is not box and other["y"] == box["y"]]
        assert all(abs(other["x"] - box["x"]) >= box["w"] for other in same)
    edges = re.findall(r'data-e="(\d+) (\d+)"', svg)
    assert [(int(a), int(b)) for a, b in edges] == [
        (keys.index(other), n) for n, key in enumerate(keys) for other in needs[key]
    ]


def test_lines_begin_and_end_at_their_boxes() -> None:
    svg = draw_graph(stops("ab"), {"a": [], "b": ["a"]}, "x")
    assert 'd="M183 25V25C183 37 183 37 183 49"' in svg
    assert [(int(m["x"]), int(m["y"]), int(m["h"])) for m in BOX.finditer(svg)] == [
        (128, 0, 25), (128, 49, 25),
    ]  # fmt: skip


def test_few_lines_cross() -> None:
    needs = {"a": [], "b": [], "c": [], "x": ["c"], "y": ["b"], "z": ["a"]}
    xs = {m["href"]: int(m["x"]) for m in BOX.finditer(draw_graph(stops(needs), needs, "x"))}
    top = sorted("abc", key=lambda key: xs[f"../{key}/"])
    assert sorted("xyz", key=lambda key: xs[f"../{key}/"]) == [
        {"a": "z", "b": "y", "c": "x"}[key] for key in top
    ]


def test_what_is_said_of_a_note() -> None:
    html = draw_around("d", stops(DIAMOND, "d"), transitive_reduction(DIAMOND), "../map/")
    assert "Directly before it: The b and The c. Directly after it: The e." in html
    assert html.count('aria-current="page"') == 1
    assert '<a href="../map/">The map of all notes</a>' in html
    assert draw_around("a", stops("ab"), {"a": [], "b": []}, "") == ""
    listed = draw_all({**stops(DIAMOND), "f": Stop("<f>", "?a&b")}, transitive_reduction(DIAMOND))
    assert '<li><a href="../d/">The d</a>: after The b and The c</li>' in listed
    assert '<li><a href="?a&amp;b">&lt;f&gt;</a>: after The e</li>' in listed
