"""A reader's own sentence through the real model: the page computes what the snippets compute."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from playwright.sync_api import Locator, expect
from touching import figure, run
from visitor import Visitor, restyle, violations

from snippets.minilm import MiniLM, find_minilm, hidden_states, load_minilm, tokenize
from snippets.minilm_8bit import differences, pack, unpack
from snippets.multi_head import MultiHeadWeights
from snippets.transformer_block import BlockWeights
from snippets.word_piece import split_words

PAGE = "attention-explorer/"
FILE = "minilm-0.safetensors"
RUN = """async ([module, data, texts]) => {
  const { open, tokenize, splitWords, attentionMaps } = await import(module);
  const model = open(Uint8Array.from(atob(data), (one) => one.charCodeAt(0)).buffer);
  const tokens = texts.map((text) => tokenize(model, text));
  return [texts.map(splitWords), tokens, await attentionMaps(model, tokens[0])];
}"""
TEXTS = [
    "Banks sit, by the river's bank!",
    "CAFÉ naïve Ünder—“quoted” 3.14 x_y+z",
    "\u4f60\u597d a\tb\nc\u200bd \u00a0e\ufffdf £5",
    "unbankable ##s ½ İstanbul ß",
    "",
]


def small() -> MiniLM:
    """Draw a model of two blocks, 48 wide, that knows the pieces of a few words."""
    draw = np.random.default_rng(0)

    def random(*shape: int) -> np.ndarray:
        return 0.3 * draw.standard_normal(shape).astype(np.float32)

    blocks = [
        BlockWeights(
            MultiHeadWeights(*random(4, 48, 48), *random(4, 48)),
            random(48, 96),
            random(96),
            random(96, 48),
            *random(5, 48),
        )
        for _ in range(2)
    ]
    words = "[CLS] [SEP] [UNK] bank ##s sit , by the river ' s ! cafe a b c ##d e ##f £ 5 \u4f60 un"
    tokens = [*words.split(), "##bank", "##able", "naive"]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    return MiniLM(vocabulary, random(len(tokens), 48), random(32, 48), *random(3, 48), blocks)


def test_the_page_computes_what_the_snippets_compute(visit: Visitor) -> None:
    data = pack(small())
    model = unpack(data)
    page = visit.modules_alone()
    given = [f"{visit.modules}minilm.js", base64.b64encode(data).decode(), TEXTS]
    words, tokens, maps = page.evaluate(RUN, given)
    assert words == [split_words(text) for text in TEXTS]
    assert tokens == [tokenize(model, text) for text in TEXTS]
    assert_allclose(maps, hidden_states(model, TEXTS[0]).weights, atol=2e-6)


@pytest.mark.long
def test_without_the_weights_the_page_says_so(visit: Visitor) -> None:
    page = visit(PAGE)
    found = figure(page, "own-sentence")
    expect(found).to_contain_text("built without the weights")
    expect(found.get_by_role("textbox")).to_have_count(0)
    # The recorded sentence can be looked into: by keyboard, and at the maps.
    said = found.locator(".touch__words")
    expect(said).to_contain_text(
        "block 1, head 5, “bank” gives 83.8\u00a0% of its weight to “river”"
    )
    reset = found.get_by_role("button", name="Reset")
    found.locator("[data-part=map]").first.click()
    expect(said).to_contain_text("block 1, head 1")
    expect(reset).to_be_visible()
    reset.press("Enter")
    found.get_by_role("radio", name="5", exact=True).last.press("ArrowLeft")
    expect(said).to_contain_text("block 1, head 4")
    expect(found).to_contain_text("Choose a head, or press a map")
    cursor = "(map) => getComputedStyle(map).cursor"
    assert found.locator("[data-part=map] rect").first.evaluate(cursor) == "pointer"
    found.locator("[data-part=map]").nth(12 * 5 + 7).click()
    expect(said).to_contain_text("block 6, head 8")
    # The same map, large: the same cells, each at least ten pixels wide.
    large = found.get_by_role("img", name="block 6, head 8: queries down")
    cells = "(map) => [...map.querySelectorAll('path')].map((path) => path.getAttribute('d'))"
    assert large.evaluate(cells) == found.locator("[data-part=map]").nth(12 * 5 + 7).evaluate(cells)
    box = large.bounding_box()
    assert box
    assert box["width"] >= 11 * 10
    # Beside its rows and above its columns are the tokens; the one that asks stands out.
    tokens = "[CLS] i sat on the river bank to fish . [SEP]"
    assert " ".join(large.locator("text").all_text_contents()) == f"{tokens} {tokens}"
    expect(large.locator(".sentence__asks")).to_have_text("bank")
    expect(found.get_by_role("radio", name="6", exact=True).first).to_be_checked()
    found.get_by_role("button", name="Reset").press("Enter")
    expect(said).to_contain_text("block 1, head 5")
    for width, scheme in ((1280, "light"), (390, "dark")):
        restyle(page, width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page, {}, "figure:has([data-touch=own-sentence])") == []


def with_weights(visit: Visitor, **options: Any) -> Locator:
    """Open the page as if the site had been given the weights."""
    page = visit.open(fresh=True, **options)
    files = {"weights": FILE, "licence": "minilm-licence.txt"}
    page.route("**/minilm-weights.json", lambda route: route.fulfill(json=files))
    visit.go(page, PAGE)
    return figure(page, "own-sentence")


def test_the_last_word_asks_first(visit: Visitor) -> None:
    page = visit.modules_alone()
    for tokens, at in (
        (["[CLS]", "she", "waits", ".", "[SEP]"], 2),
        (["[CLS]", "un", "##bank", "!", "[SEP]"], 2),
        (["[CLS]", "!", "?", "[SEP]"], 1),
    ):
        assert run(visit, page, "own-sentence", "lastWord", tokens) == at


#: What is hit at the centre of a control or a paragraph, if it is something else.
COVERED = """() => [...document.querySelectorAll("article :is(p, button, input, a, summary)")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .filter((each) => each.getClientRects().length)
  .flatMap((each) => {
    const target = each.type === "radio" ? each.closest("label") : each;
    target.scrollIntoView({ block: "center" });
    const { left, top, width, height } = target.getClientRects()[0];
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    const own = !hit || target.contains(hit) || (hit.contains(target) && !hit.closest("a"));
    return own ? [] : [[target.outerHTML.slice(0, 90), hit.outerHTML.slice(0, 90)]];
  })"""


@pytest.mark.long
def test_no_target_covers_another_one_on_a_touch_screen(visit: Visitor) -> None:
    found = with_weights(visit, width=390, has_touch=True, is_mobile=True)
    expect(found.get_by_role("link", name="Licence")).to_be_visible()
    assert found.page.evaluate(COVERED) == []
    restyle(found.page, 640, "light")
    assert found.page.evaluate("document.documentElement.scrollWidth") <= 640


LARGE = """async ([module, tokens, weights, asks]) => {
  const texts = (box, each) => [...box.querySelectorAll(each)].map((text) => text.textContent);
  const { enlarged } = await import(module);
  const { box, show } = enlarged([0.1, 0.3, 0.5, 0.7]);
  document.body.append(box);
  show(tokens, weights, asks, "block 2, head 3");
  return {
    named: texts(box, "text"),
    marked: texts(box, ".sentence__asks, .sentence__most"),
    row: Number(box.querySelector(".sentence__row").getAttribute("y")),
    heading: box.querySelector("p").textContent,
  };
}"""


@pytest.mark.parametrize("count", [5, 40])
def test_the_large_map_names_its_head_and_its_tokens(visit: Visitor, count: int) -> None:
    page = visit.modules_alone()
    tokens = [f"w{number}" for number in range(count)]
    weights = np.full((count, count), 0.5 / count)
    weights[3, 1] = 0.6
    given = [f"{visit.modules}own-sentence.js", tokens, weights.tolist(), 3]
    shown = page.evaluate(LARGE, given)
    assert shown["heading"] == "block 2, head 3"
    assert shown["marked"] == ["w3", "w1"]
    # Where rows are too low for words, only those two tokens are named.
    assert shown["named"] == ([*tokens, *tokens] if count == 5 else ["w3", "w1"])
    other = page.evaluate(LARGE, [*given[:3], 0])
    assert other["row"] < shown["row"]


@pytest.mark.long
@pytest.mark.skipif(find_minilm() is None, reason="needs the real model")
def test_a_sentence_is_read_in_the_page(visit: Visitor, built: Path) -> None:
    whole = load_minilm()
    [modules] = built.glob("assets/vaultkit/*/javascripts")
    (modules / FILE).write_bytes(pack(whole))
    found = with_weights(visit)
    size = f"{differences().size / 1e6:.1f} MB"
    button = found.get_by_role("button", name=f"Load the model, {size}")
    field = found.get_by_role("textbox")
    text = "The old bank lends money."
    field.fill(text)
    field.press("Enter")
    said = found.locator(".touch__words")
    expect(said).to_contain_text("Your sentence has 9 tokens")
    expect(button).to_have_count(0)
    trace = hidden_states(whole, text)
    # The last word asks.
    expect(said).to_contain_text("“money” gives")
    row = trace.weights[0, 4, trace.tokens.index("money")]
    shown = found.locator(".heads__share").all_inner_texts()
    given = [float(share.replace("\u00a0%", "")) / 100 for share in shown]
    assert len(given) == len(trace.tokens)
    assert_allclose(given, row, atol=float(differences().largest.max()) + 0.001)
    # Another one, once it is chosen, asks also when the sentence is run again.
    found.locator(".heads__cell").nth(3).click()
    expect(said).to_contain_text("“bank” gives")
    field.press("Enter")
    expect(found.get_by_role("button", name="Run")).to_have_attribute("aria-disabled", "false")
    expect(found.get_by_role("status").first).to_be_empty()
    expect(said).to_contain_text("“bank” gives")
    field.fill("bank " * 50)
    field.press("Enter")
    expect(found.get_by_role("status").first).to_contain_text("40 tokens at most")
    # Nothing stays of the sentence before.
    expect(said).to_be_empty()
    expect(found.locator("[data-part=map] path").first).to_be_hidden()
    expect(found.locator(".heads__lines")).to_be_hidden()
    expect(found.locator(".sentence__map")).to_be_hidden()
    field.fill(text)
    field.press("Enter")
    expect(said).to_contain_text("Your sentence has 9 tokens")
    expect(found.locator(".heads__lines")).to_be_visible()
    found.get_by_role("button", name="Reset").click()
    expect(said).to_contain_text("The recorded sentence has 11 tokens")
    (modules / FILE).unlink()


@pytest.mark.long
def test_a_failure_to_load_is_said(visit: Visitor) -> None:
    found = with_weights(visit)
    found.get_by_role("textbox").press("Enter")
    problem = found.get_by_role("status").first
    expect(problem).to_contain_text(re.compile(r"loaded from [\w.:]+: the server answers 404\."))
    found.page.route(f"**/{FILE}", lambda route: route.abort())
    found.get_by_role("textbox").press("Enter")
    expect(problem).to_contain_text(re.compile(r"loaded from [\w.:]+: the connection failed\."))
    expect(found.get_by_role("button", name="Load the model")).to_have_attribute(
        "aria-disabled", "false"
    )
    visit.wrong.clear()  # The browser says so, too.
