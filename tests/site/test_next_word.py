"""The decoder on the home page: its numbers are the snippets', and it can be used by everyone."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from numpy.testing import assert_allclose
from playwright.sync_api import Locator, Page, expect
from visitor import Visitor

from figures.storied import BEGINNINGS, decoder_weights, next_data
from snippets import bank_stories, trained_decoder
from snippets.decoder import DecoderWeights, next_token_logits
from snippets.softmax import softmax

HEADS = list(itertools.product(range(2), range(2)))


def panel_of(page: Page) -> Locator:
    page.locator("figure:has(metadata[data-touch=next-word])").scroll_into_view_if_needed()
    page.mouse.move(1, 1)
    panel = page.get_by_role("group", name="The decoder", exact=True)
    expect(panel).to_be_visible()
    return panel


def shown(panel: Locator) -> dict[str, float]:
    """Return the words that are listed, and their probabilities in per cent."""
    rows = panel.locator(".next__words button").all_inner_texts()
    pairs = (row.split() for row in rows)
    return {word: float(number) for word, number, _ in pairs}


def without(weights: DecoderWeights, hidden: list[tuple[int, int]]) -> DecoderWeights:
    """Return the weights with zeros in the rows of W_O that a hidden head multiplies."""
    blocks = list(weights.blocks)
    for block, head in hidden:
        attention = blocks[block].attention
        W_O = attention.W_O.copy()
        width = len(W_O) // trained_decoder.NUM_HEADS
        W_O[head * width : (head + 1) * width] = 0
        blocks[block] = blocks[block]._replace(attention=attention._replace(W_O=W_O))
    return weights._replace(blocks=tuple(blocks))


def probabilities(words: str, hidden: list[tuple[int, int]]) -> np.ndarray:
    weights = without(trained_decoder.load()[0], hidden)
    numbers = bank_stories.to_numbers(words.split())
    return softmax(next_token_logits(weights, numbers, trained_decoder.NUM_HEADS)[-1])


def test_its_probabilities_are_those_of_the_snippets(visit: Visitor) -> None:
    """Every set of hidden heads, on five beginnings."""
    page = visit("checks/")
    sets = [list(s) for count in range(5) for s in itertools.combinations(HEADS, count)]
    beginnings = [*BEGINNINGS, "<end>", "<end> Ada", "<end> rich rich Mia . steep in"]
    tried: list[Any] = list(itertools.product(beginnings, sets))
    numbers = [bank_stories.to_numbers(words.split()).tolist() for words, _ in tried]
    found = page.evaluate(
        """async ([base, tried]) => {
            const { next_token_probabilities, unpack_weights } = await import(`${base}decoder.js`);
            const { default: packed } = await import(`${base}decoder-weights.js`);
            const weights = unpack_weights(packed);
            return tried.map(([numbers, hidden]) =>
                next_token_probabilities(weights, numbers, packed.num_heads, hidden).probabilities);
        }""",
        [visit.modules, [[n, hidden] for n, (_, hidden) in zip(numbers, tried, strict=True)]],
    )
    for (words, hidden), p in zip(tried, found, strict=True):
        assert_allclose(p, probabilities(words, hidden), rtol=0, atol=1e-9, err_msg=words)


@pytest.mark.long
def test_it_begins_with_the_numbers_of_the_drawing(visit: Visitor) -> None:
    panel = panel_of(visit())
    data = next_data()
    listed = shown(panel)
    for word, share in zip(data["words"], data["shares"][0], strict=True):
        assert abs(listed.get(word, 0) / 100 - share) < 0.001, word


def test_a_word_is_added_by_a_click_and_by_typing(visit: Visitor) -> None:
    panel = panel_of(visit())
    panel.get_by_role("button", name="steep, ").click()
    expect(panel.locator(".next__sentence")).to_contain_text("the bank is steep …")
    expect(panel).to_contain_text("what “steep”, the last word, reads")
    expect(panel.locator(".touch__words")).not_to_contain_text("a bank that keeps money")
    wanted = probabilities(f"{BEGINNINGS[0]} steep", [])
    likeliest = bank_stories.VOCABULARY[int(wanted.argmax())]
    expect(panel.locator(".next__words button").first).to_contain_text(likeliest)
    field = panel.get_by_label("Add words")
    field.fill(". Mia")
    field.press("Enter")
    expect(panel.locator(".next__sentence")).to_contain_text("is steep . Mia …")
    expect(panel.locator(".next__words button").first).to_contain_text("and")
    panel.get_by_role("button", name="Take a word back").click()
    expect(panel.locator(".next__sentence")).to_contain_text("is steep . …")


@pytest.mark.long
def test_a_new_beginning_takes_one_press(visit: Visitor) -> None:
    panel = panel_of(visit())
    sentence = panel.locator(".next__sentence")
    river, money = (panel.get_by_role("radio", name=name) for name in ("river", "money"))
    field = panel.get_by_label("Add words")
    field.fill("Mia sees the dragon")
    field.press("Enter")
    expect(panel.locator(".next__problem")).to_contain_text("is not one of them")
    panel.get_by_role("button", name="Clear").click()
    expect(field).to_have_value("")
    expect(sentence).to_have_text("A new story …")
    assert min(shown(panel).values()) >= 0.1
    expect(panel).to_contain_text("<end> is the end of the previous story")
    wanted = 100 * probabilities("<end>", []).max()
    assert abs(max(shown(panel).values()) - wanted) < 0.051
    expect(river).not_to_be_checked()
    panel.get_by_text("words it knows").click()
    known = panel.locator(".next__choices button")
    assert set(known.all_inner_texts()) == set(bank_stories.VOCABULARY) - {bank_stories.END}
    known.get_by_text("Ada", exact=True).click()
    expect(sentence).to_have_text("Ada …")
    money.check()
    expect(sentence).to_contain_text("lend the money . the bank is …")
    known.get_by_text("rich", exact=True).click()
    expect(money).not_to_be_checked()
    money.check()  # the same beginning again
    expect(sentence).to_contain_text("the bank is …")


@pytest.mark.long
def test_a_word_that_it_does_not_know_is_named(visit: Visitor) -> None:
    panel = panel_of(visit())
    field = panel.get_by_label("Add words")
    field.fill("cat")
    field.press("Enter")
    expect(panel.locator(".next__problem")).to_have_text(
        f"The model knows {len(bank_stories.VOCABULARY) - 1} words, and “cat” is not one of them."
    )
    field.fill("the " * 30)
    field.press("Enter")
    expect(panel.locator(".next__problem")).to_have_text("The model reads 19 words at most.")
    panel.get_by_role("radio", name="money").check()
    expect(panel.locator(".next__problem")).to_be_empty()
    expect(panel.locator(".next__sentence")).to_contain_text("lend the money . the bank is …")


@pytest.mark.long
def test_without_a_head_river_and_money_come_nearer(visit: Visitor) -> None:
    panel = panel_of(visit())
    said = panel.locator(".touch__words")
    river, money = ((bank_stories.SCENES[k][2]) for k in (0, 1))

    def share(words: tuple[str, ...], hidden: list[tuple[int, int]]) -> str:
        p = probabilities(BEGINNINGS[0], hidden)
        return f"{100 * p[bank_stories.to_numbers(list(words))].sum():.1f} %"

    expect(said).to_contain_text(
        f"{share(river, [])}; for a bank that keeps money: {share(money, [])}"
    )
    panel.get_by_text("the last word, reads").click()  # folded where it would be below
    hide = panel.get_by_role("button", name="Hide head 1.2")
    hide.focus()
    hide.press("Enter")
    expect(said).to_contain_text(
        f"{share(river, [(0, 1)])}; for a bank that keeps money: {share(money, [(0, 1)])}"
    )
    expect(hide).to_have_attribute("aria-pressed", "true")
    struck = panel.locator(".next__strip--hidden span").first
    expect(struck).to_have_css("text-decoration-line", "line-through")
    panel.get_by_role("button", name="Reset").click()
    expect(hide).to_have_attribute("aria-pressed", "false")
    expect(said).to_contain_text(share(river, []))


@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_it_fits_and_axe_finds_nothing(visit: Visitor, width: int, scheme: str) -> None:
    page = visit(width=width, scheme=scheme)
    panel = panel_of(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    options = {"rules": {"target-size": {"enabled": True}}}
    wrong = Axe().run(page, context=".touch.heads", options=options).response["violations"]
    assert [(rule["id"], node["html"]) for rule in wrong for node in rule["nodes"]] == []
    for target in panel.locator("input:visible, button").all():
        box = target.bounding_box()
        assert box
        assert box["height"] >= 24
        assert box["x"] + box["width"] <= width


@pytest.mark.long
def test_nothing_of_it_is_sent_before_the_visitor_is_active(visit: Visitor) -> None:
    page = visit()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    visit.go(page, "")
    expect(page.locator("figure:has(metadata[data-touch=next-word])")).to_be_in_viewport()
    page.wait_for_load_state("networkidle")
    assert not {"next-word.js", "decoder-weights.js"} & set(asked)
    panel_of(page)
    assert "decoder-weights.js" in asked


def test_the_weights_are_light() -> None:
    held = json.loads(decoder_weights().split("export default ")[1].rstrip(";\n"))
    assert len(decoder_weights()) < 60_000
    assert held["vocabulary"] == bank_stories.VOCABULARY
