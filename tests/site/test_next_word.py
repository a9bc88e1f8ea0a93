"""The decoder on the home page: its numbers are the snippets', and it can be used by everyone."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from numpy.testing import assert_allclose
from playwright.sync_api import Locator, Page, expect
from touching import assert_same_drawing, figure
from visitor import Visitor

from figures.storied import BEGINNINGS, LIKELIEST, decoder_weights
from snippets import bank_stories, trained_decoder
from snippets.decoder import DecoderWeights, next_token_logits
from snippets.softmax import softmax

HEADS = list(itertools.product(range(2), range(2)))


def panel_of(page: Page) -> Locator:
    return figure(page, "next-word")


def shown(panel: Locator, chart: int = 0) -> dict[str, float]:
    """Return the words that are listed after a beginning, and their probabilities in per cent."""
    rows = panel.locator("[data-part=row]").all()[chart * LIKELIEST : (chart + 1) * LIKELIEST]
    pairs = [
        row.evaluate("r => [...r.querySelectorAll('text')].map((each) => each.textContent)")
        for row in rows
        if row.is_visible()
    ]
    return {word: float(number.split()[0]) for word, number in pairs}


def title_of(panel: Locator) -> Locator:
    return panel.locator("[data-part=beginning]").first


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
@pytest.mark.parametrize("width", [390, 1280])
def test_it_grows_out_of_the_drawing(visit: Visitor, width: int) -> None:
    still = visit(width=width, java_script_enabled=False).locator("figure svg").nth(1)
    panel = panel_of(visit(width=width))
    expect(panel.locator("svg")).to_have_count(1)
    before, box = panel.locator("svg").bounding_box(), still.bounding_box()
    assert_same_drawing(still, panel)
    assert before
    assert box
    assert (before["x"], before["width"]) == (box["x"], box["width"])
    # Computed, its numbers are those that were drawn; the drawing stays in its place.
    top = "svg => svg.getBoundingClientRect().top + scrollY"
    place = panel.locator("svg").evaluate(top)
    recorded = [shown(panel, chart) for chart in (0, 1)]
    panel.get_by_role("button", name="Add steep").click()
    expect(title_of(panel)).to_contain_text("the bank is steep …")
    panel.get_by_role("button", name="Take a word back").click()
    expect(title_of(panel)).to_contain_text("the bank is …")
    assert [shown(panel, chart) for chart in (0, 1)] == recorded
    hide = panel.get_by_role("button", name="Hide head 1.1")
    for pressed in ("true", "false"):
        hide.click()
        expect(hide).to_have_attribute("aria-pressed", pressed)
    assert panel.locator("svg").evaluate(top) == place


def test_a_word_is_added_by_a_click_and_by_typing(visit: Visitor) -> None:
    panel = panel_of(visit())
    panel.get_by_role("button", name="Add steep").click()
    expect(title_of(panel)).to_contain_text("the bank is steep …")
    expect(panel).to_contain_text("What “steep”, the last word, reads")
    expect(panel.locator(".touch__words")).not_to_contain_text("a bank that keeps money")
    wanted = probabilities(f"{BEGINNINGS[0]} steep", [])
    likeliest = bank_stories.VOCABULARY[int(wanted.argmax())]
    assert next(iter(shown(panel))) == likeliest
    field = panel.get_by_label("Add words")
    field.fill(". Mia")
    field.press("Enter")
    expect(title_of(panel)).to_contain_text("is steep . Mia …")
    assert next(iter(shown(panel))) == "and"
    panel.get_by_role("button", name="Take a word back").click()
    expect(title_of(panel)).to_contain_text("is steep . …")


@pytest.mark.long
def test_a_new_beginning_takes_one_press(visit: Visitor) -> None:
    panel = panel_of(visit())
    sentence = title_of(panel)
    river, money = (panel.get_by_role("radio", name=name) for name in ("river", "money"))
    caption = panel.get_by_text("Only words before bank were exchanged")
    expect(caption).to_be_visible()
    field = panel.get_by_label("Add words")
    field.fill("Mia sees the dragon")
    field.press("Enter")
    expect(panel.locator(".next__problem")).to_contain_text("is not one of them")
    panel.get_by_role("button", name="Clear").click()
    expect(field).to_have_value("")
    expect(sentence).to_have_text("A new story …")
    expect(caption).to_be_hidden()
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
    expect(caption).to_be_visible()
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
    expect(title_of(panel)).to_contain_text("lend the money . the bank is …")


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
    expect(said).to_contain_text("Head 1.2 is hidden.")
    ground = "button => getComputedStyle(button).backgroundColor"
    other = panel.get_by_role("button", name="Hide head 2.1")
    assert hide.evaluate(ground) != other.evaluate(ground)
    other.press("Enter")
    expect(said).to_contain_text("Heads 1.2 and 2.1 are hidden.")
    other.press("Enter")
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
    wrong = Axe().run(page, context="figure[data-touch]", options=options).response["violations"]
    assert [(rule["id"], node["html"]) for rule in wrong for node in rule["nodes"]] == []
    for target in panel.locator("input:visible, button").all():
        box = target.bounding_box()
        assert box
        assert box["height"] >= 24
        assert box["x"] + box["width"] <= width


@pytest.mark.long
def test_its_weights_are_sent_when_they_are_needed(visit: Visitor) -> None:
    page = visit()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    visit.go(page, "")
    panel = panel_of(page)
    panel.get_by_role("radio", name="money").check()
    expect(title_of(panel)).to_contain_text("lend the money . the bank is …")
    assert "decoder-weights.js" not in asked
    panel.get_by_role("button", name="Add rich").click()
    expect(title_of(panel)).to_contain_text("the bank is rich …")
    assert "decoder-weights.js" in asked


@pytest.mark.long
def test_missing_weights_are_said(visit: Visitor) -> None:
    page = visit.open(fresh=True)
    page.route("**/decoder-weights*.js", lambda route: route.abort())
    visit.go(page, "")
    panel = panel_of(page)
    panel.get_by_role("button", name="Clear").click()
    said = panel.locator(".touch__words")
    expect(said).to_contain_text(
        re.compile(r"could not be loaded from [\w.:]+\. Choose again to try again\.$")
    )
    panel.get_by_role("button", name="Reset").click()
    expect(said).to_contain_text("Likeliest: “steep”, 34.3 %")
    visit.wrong.clear()


def test_the_weights_are_light() -> None:
    held = json.loads(decoder_weights().split("export default ")[1].rstrip(";\n"))
    assert len(decoder_weights()) < 60_000
    assert held["vocabulary"] == bank_stories.VOCABULARY
