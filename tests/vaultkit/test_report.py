"""What the site says of the checks: what they found, and never more."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, FOUND, UNJUDGED, Check
from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.vault import Vault
from vaultkit.site.report import (
    Entry,
    Totals,
    draw_badge,
    foot_line,
    main,
    read_entries,
    summarize,
    table_html,
)

CHECKS = [
    Check("block", 3, "Run"),
    Check("number", 5, "2.5"),
    Check("number", 6, "<3.5>", scope=FOUND),
]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "docs").mkdir()
    for name in ("Barn Owl", "Tern"):
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name}\n")
    return Vault(tmp_path / "docs")


def test_a_note_shows_what_was_checked(vault: Vault) -> None:
    ledger = Ledger(vault)
    owl = next(note for note in vault.notes.values() if note.name == "Barn Owl")
    ledger.record(owl, CHECKS)
    found, tern = read_entries(vault)
    assert "1 block, 1 number proven; 1 more number found on this page" in foot_line(found)
    assert 'href="x#y"' in foot_line(found, "x#y")
    assert "Not checked on this machine yet" in foot_line(tern)
    assert (found.href, found.anchor) == ("barn-owl", "of-barn-owl")

    owl.path.write_text("# Barn Owl\n\nEdited.\n")
    vault = Vault(vault.root)
    (edited, _) = read_entries(vault)
    assert "Not checked since it was edited" in foot_line(edited)
    assert "block" not in foot_line(edited)
    assert "not checked since it was edited" in table_html([edited, tern])


def test_what_fails_comes_first() -> None:
    checks = [*CHECKS, Check("link", 7, "[[Tren]]", FAILS), Check("number", 8, "1.5", EXCEPTED)]
    entry = Entry("Owl", "Owl.md", checks)
    assert (
        ">1 check fails; 1 block, 1 number proven; 1 more number found on this page;"
        " 1 left unchecked<" in foot_line(entry)
    )
    assert "vk-checked--fails" in foot_line(entry)
    assert '<td class="vk-fails">1 of 1 fail</td>' in table_html([entry])


def test_it_says_on_how_many_machines_a_note_was_tried() -> None:
    entry = Entry("Owl", "Owl.md", CHECKS, machines=6)
    assert (
        ">1 block, 1 number proven; 1 more number found on this page; tried on 6 machines<"
        in foot_line(entry)
    )
    tern = Entry("Tern", "Tern.md", CHECKS)
    assert "tried" not in foot_line(tern) + table_html([tern])
    assert "6 hold. 1 note was tried on 6 machines.</p>" in table_html([entry, tern])


def test_what_is_not_judged_is_counted_apart() -> None:
    unjudged = [
        Check("number", line, "7", UNJUDGED, "nothing computes 7\nnear 8") for line in (8, 9)
    ]
    entry = Entry("Owl", "Owl.md", [*CHECKS, *unjudged])
    assert "1 block, 1 number proven; 1 more number found on this page; 2 not judged<" in foot_line(
        entry
    )
    assert "vk-checked--holds" in foot_line(entry)
    assert "<td>2</td></tr></tfoot>" in table_html([entry])
    assert summarize(entry.checks or ())[1:] == ["Not judged, number: nothing computes 7 (2 times)"]


def test_a_note_with_nothing_to_check_says_nothing() -> None:
    assert foot_line(Entry("Owl", "Owl.md", [])) == ""


def test_the_badge_shows_the_totals() -> None:
    holds, fails = (
        Entry("a", "a.md", CHECKS * 500),
        Entry("b", "b.md", [Check("link", 1, "", FAILS)]),
    )
    unjudged = Entry("b", "b.md", [Check("number", 1, "", UNJUDGED)] * 2)
    unknown = Entry("c", "c.md", None)
    red, grey, green = "#b3261e", "#566074", "#0a6b52"
    for found, words, colour in (
        ([holds], "1,500 hold", green),
        ([holds, fails], "1,500 hold, 1 fails", red),
        ([fails, fails, unknown], "0 hold, 2 fail, 1 note not checked", red),
        ([holds, unjudged], "1,500 hold, 2 not judged", green),
        ([holds, unknown], "1,500 hold, 1 note not checked", grey),
        ([holds, unknown, unknown], "1,500 hold, 2 notes not checked", grey),
        ([], "0 hold", green),
    ):
        svg = draw_badge(Totals.of(found))
        assert words in "".join(fromstring(svg).itertext())
        assert {red, grey, green} & set(re.findall("#[0-9a-f]{6}", svg)) == {colour}
    assert "url(" not in svg.replace("url(#r)", "")


def test_the_badge_is_written_by_command(vault: Vault, tmp_path: Path) -> None:
    main([str(vault.root), str(tmp_path / "badge.svg")])
    assert "0 hold, 2 notes not checked" in (tmp_path / "badge.svg").read_text()
    with pytest.raises(SystemExit):
        main([])
