"""Links back: the sentence that says most, the notes that say most first, and mere mentions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaultkit.agreement import converter
from vaultkit.read.mentions import UnlinkedMention
from vaultkit.read.sentences import Sentences, informativeness, is_whole
from vaultkit.read.vault import Vault


def vault_of(root: Path, **notes: str) -> Vault:
    for name, text in notes.items():
        (root / f"{name.replace('_', ' ')}.md").write_text(text, encoding="utf-8")
    return Vault(root)


@pytest.mark.parametrize(
    ("text", "at", "sentence"),
    [
        ("One. Two here. Three.", "here", "Two here."),
        ("Before (one. Two here). After.", "here", "Before (one. Two here)."),
        ("Before. (One. Two here.) After.", "here", "(One. Two here.)"),
        ("As `f(` does. Two here. Three.", "here", "Two here."),
        ("An interval $[0, 1)$ and (so. Two here.", "here", "Two here."),
        ("From Vaswani et al. (2017), here. Next.", "here", "From Vaswani et al. (2017), here."),
        ("One. See [[A#1. Two]] here. Three.", "here", "See [[A#1. Two]] here."),
        ("![One. Two.](a.svg) Three here. Four.", "here", "![One. Two.](a.svg) Three here."),
        ("Before. See [one. Two](b.md) here.", "here", "See [one. Two](b.md) here."),
        ("One. Two %%said\nin secret%% here. ^id", "here", "Two here."),
    ],
)
def test_a_sentence_is_whole_in_its_brackets(text: str, at: str, sentence: str) -> None:
    assert Sentences(text).around(text.index(at)) == sentence


def test_a_fragment_is_distinguished_from_a_sentence() -> None:
    whole = ["It is so.", "[[A|So]] it is:", "$Q$ asks.", "`f` gives 1!", "**T**: a *thing.*"]
    fragments = [
        "[[A]]",
        "[[A|scores]], *not* scaled",
        "so it is.",
        "It is (as [[A]].",
        "[[a|so]].",
    ]
    assert [is_whole(text) for text in whole] == [True] * len(whole)
    assert [is_whole(text) for text in fragments] == [False] * len(fragments)
    said = sorted(
        ["See [[A]].", "[[A|so]]", "[[A]], [[B]] and [[C]] are three.", whole[1], whole[0]],
        key=informativeness,
    )
    assert said[0] == "[[A|so]]"
    assert said[-1] == "It is so."


def test_those_who_say_most_come_first(tmp_path: Path) -> None:
    vault = vault_of(
        tmp_path,
        Host="# Host\n",
        A="- [[Host]]\n- [[B]]\n",
        B="Many: [[A]], [[C]], [[A]], [[C]], [[Host]].\n",
        C="What [[Host]] is. And what the long word for [[Host]] is, too.\n",
    )
    found = vault.backlinks(vault.notes[tmp_path / "Host.md"])
    assert [(link.source.name, link.link.sentence) for link in found] == [
        ("C", "And what the long word for [[Host]] is, too."),
        ("B", "Many: [[A]], [[C]], [[A]], [[C]], [[Host]]."),
        ("A", "[[Host]]"),
    ]


def mentions(vault: Vault, name: str) -> list[UnlinkedMention]:
    return vault.mentions(vault.notes[vault.root / f"{name}.md"])


def test_who_names_a_note_and_does_not_link_to_it(tmp_path: Path) -> None:
    vault = vault_of(
        tmp_path,
        Layer="# Layer\n\nA layer is a layer.\n",
        Layer_Norm="---\naliases: [Scores, Twice]\n---\n# Layer Norm\n",
        Other="---\naliases: [Twice]\n---\n# Other\n",
        A="First. It is the **layer\nnorm** `layer norm` of [the layer](x.md) here. "
        "Layer norm again.\n",
        B="The [[Layer Norm]] is a layer norm.\n\n## A layer\n\n"
        "$layer$ and <b title='layer'>this</b>.\n",
        C="Scores and scores are no Scores. Twice it is said.\n\n"
        "| layer | of |\n|---|---|\n| a layer | b |\n",
        D="Layered sub-layers; multi-layer norm.\n",
    )
    (first, second) = mentions(vault, "Layer Norm")
    assert (first.source.name, first.before, first.name, first.after) == (
        "A",
        "It is the **",
        "layer\nnorm",
        "** `layer norm` of [the layer](x.md) here.",
    )
    assert (second.source.name, second.before) == ("C", "Scores and scores are no ")
    assert mentions(vault, "Layer") == []
    assert mentions(vault, "Other") == []


def test_what_is_many_is_folded(tmp_path: Path) -> None:
    notes = {f"N{n}": f"See the [[Host]] of {n}.\n" for n in range(10)}
    vault = vault_of(
        tmp_path,
        Host="# Host\n",
        Cell="## Table\n\n| a | b |\n|---|---|\n| [[Host]] | c |\n",
        Says="Some *host* is meant.\n",
        **notes,
    )
    html = converter(vault, tmp_path / "Host.md", backlinks=True).convert("# Host\n")
    shown, more, named = html[html.index("<aside") :].split("<details")
    assert shown.count("<li>") == 8
    assert ' class="vk-fold"><summary>3 more</summary>' in more
    assert more.count("<li>") == 3
    assert more.rstrip().endswith("</details>")
    cell = (
        '<a class="wikilink" href="Cell.md">Cell</a><p>In <a class="wikilink" href="Cell.md#table">'
    )
    assert f"{cell}Table</a></p>" in more
    assert "<summary>Also mentioned in 1 other note</summary>" in named
    assert "<p>Some <em><mark>host</mark></em> is meant.</p>" in named
