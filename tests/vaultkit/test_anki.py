"""The deck for Anki: what its cards hold, and that it stays the same file for the same cards."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from vaultkit.site.anki import Card, make_deck, read_cards

PAGE = """
<h1>Cards</h1>
<h2 id="one">First things<a class="headerlink" href="#one">#</a></h2>
<p>Text outside.</p>
<details class="flashcard" id="card-a"><summary>What is <span class="vk-math"><math
 data-tex="d_k &lt; 3"><mi>d</mi><mo>&lt;</mo></math></span>, &lt;b&gt; or <code>x &amp; y</code>?
</summary>
<p>It is <span data-check="number-0">0.5</span>: <a href="../softmax/#s">Softmax</a>,
<a href="https://example.org/?a=1&amp;b=2">elsewhere</a>.</p>
<div class="vk-math vk-math--display"><math display="block" data-tex="a = b"><mi>a</mi></math>
<a class="headerlink vk-math__link" href="#eq"></a></div>
<ul><li>one<br>two</li></ul>
<button>Copy</button>
</details>
<details class="note"><summary>No card</summary><p>Nothing.</p></details>
<h2>Second<a class="headerlink" href="#two">#</a></h2>
<details class="flashcard" id="card-b"><summary>Seen?</summary>
<p><img src="../figures/a%20b.png" alt="A &amp; B"> <img src="../gone.png" alt="gone"></p>
<span class="vk-figure-box">
<svg aria-label="drawn &amp; seen" width="2"><text>no &amp; text</text></svg></span>
<details><summary>Inner</summary><p>more</p></details>
</details>
"""


def read(address: str) -> bytes | None:
    return b"PNG" if address == "figures/a b.png" else None


@pytest.fixture
def found() -> list[Card]:
    return read_cards(PAGE, "cards/", "", read)


def test_both_sides_are_read(found: list[Card]) -> None:
    one, two = found
    assert (one.key, one.section, two.key, two.section) == (
        "card-a",
        "First things",
        "card-b",
        "Second",
    )
    assert one.question == r"What is \(d_k &lt; 3\), &lt;b&gt; or <code>x &amp; y</code>?"
    assert " ".join(one.answer.split()) == (
        "<p>It is 0.5: Softmax, "
        '<a href="https://example.org/?a=1&amp;b=2">elsewhere</a>.</p> '
        r"\[a = b\] <ul><li>one<br>two</li></ul>"
    )
    assert "Inner<p>more</p>" in two.answer


def test_links_lead_to_the_site_where_its_address_is_known() -> None:
    one, _ = read_cards(PAGE, "cards/", "https://vault.example/x/", read)
    assert '<a href="https://vault.example/x/softmax/#s">Softmax</a>' in one.answer


def test_images_travel_along(found: list[Card]) -> None:
    images = found[1].images
    assert sorted(name[-4:] for name in images) == [".png", ".svg"]
    svg = '<svg aria-label="drawn &amp; seen" width="2"><text>no &amp; text</text></svg>'
    assert set(images.values()) == {b"PNG", svg.encode()}
    for name in images:
        assert f'<img src="{name}" alt="' in found[1].answer
    assert 'alt="drawn &amp; seen"' in found[1].answer
    # Of an image that is not there its words are left.
    assert "> gone</p>" in found[1].answer


def opened(packed: bytes, tmp_path: Path) -> tuple[sqlite3.Connection, dict[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        (tmp_path / "collection").write_bytes(archive.read("collection.anki2"))
        media = {name: archive.read(at) for at, name in json.loads(archive.read("media")).items()}
    return sqlite3.connect(tmp_path / "collection"), media


def test_the_deck_holds_the_cards(found: list[Card], tmp_path: Path) -> None:
    collection, media = opened(make_deck("Vault", found), tmp_path)
    rows = collection.execute("SELECT guid, flds, tags FROM notes ORDER BY id").fetchall()
    assert [tuple(fields.split("\x1f")) for _, fields, _ in rows] == [
        (card.question, card.answer) for card in found
    ]
    assert [tags.strip() for _, _, tags in rows] == ["first-things", "second"]
    assert collection.execute("SELECT due FROM cards ORDER BY id").fetchall() == [(0,), (1,)]
    ((decks, models),) = collection.execute("SELECT decks, models FROM col").fetchall()
    assert "Vault" in {each["name"] for each in json.loads(decks).values()}
    (model,) = json.loads(models).values()
    assert [field["name"] for field in model["flds"]] == ["Question", "Answer"]
    assert media == found[1].images
    collection.close()


def test_it_is_the_same_file_each_time(
    found: list[Card], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_deck("Vault", found)
    assert make_deck("Vault", found) == first
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    later = make_deck("Vault", found)
    assert later != first

    def known(packed: bytes) -> list[tuple[str, int]]:
        collection, _ = opened(packed, tmp_path)
        rows: list[tuple[str, int]] = collection.execute(
            "SELECT guid, mid FROM notes ORDER BY id"
        ).fetchall()
        collection.close()
        return rows

    # Who has learned them keeps that: their identity hangs on neither date nor answer.
    changed = [Card(card.key, card.question, "other", card.section, {}) for card in reversed(found)]
    assert known(first) == known(later) == known(make_deck("Vault", changed))[::-1]
    assert known(first) != known(make_deck("Other", found))
