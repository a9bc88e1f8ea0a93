"""Heads to look into: what they compute, and how they are used by mouse, touch and keyboard."""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from playwright.sync_api import Locator, Page, Route, expect
from visitor import Visitor, restyle, violations

from snippets import subject_object_example as two
from snippets import trained_head, translation_example
from snippets.attention import scaled_dot_product_attention
from snippets.minilm_heads import minilm_heads, relative_change, shared_words
from snippets.multi_head import multi_head_attention
from snippets.recall_head import HeadWeights, answer_scores
from snippets.recall_task import DIGITS, LETTERS, decode, encode, recall_batch
from snippets.softmax import softmax

PAGES = {
    "attention-explorer/": "Attention Explorer",
    "a-head-that-learns/": "The trained head",
    "cross-attention/": "Cross-attention",
    "multi-head-attention-in-detail/": "Two heads",
}
#: The figure that each explorer takes the place of; two pages have another one to touch.
FIGURES = {
    "attention-explorer/": "attention-explorer",
    "a-head-that-learns/": "trained-head",
    "cross-attention/": "translation",
    "multi-head-attention-in-detail/": "two-heads",
}
CLOSE = {"rtol": 0, "atol": 1e-6}


def figure_of(page: Page, path: str) -> Locator:
    return page.locator(f"figure:has(metadata[data-touch={FIGURES[path]}])")


def panel_of(page: Page, path: str) -> Locator:
    """Scroll to the page's explorer, and wait until it is there."""
    figure_of(page, path).scroll_into_view_if_needed()
    panel = page.get_by_role("group", name=PAGES[path], exact=True)
    expect(panel).to_be_visible()
    return panel


def words(panel: Locator) -> Locator:
    return panel.locator(".touch__words")


@pytest.fixture
def compute(visit: Visitor) -> Callable[..., Any]:
    """Call a function of one of the page's modules."""
    page = visit.modules_alone()

    def call(module: str, name: str, *arguments: Any) -> Any:
        plain = [_plain(argument) for argument in arguments]
        address = f"{visit.modules}{module}.js"
        run = "async ([module, name, given]) => (await import(module))[name](...given)"
        return page.evaluate(run, [address, name, plain])

    return call


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


# What is computed.


def test_attention_is_the_snippets(compute: Any) -> None:
    rng = np.random.default_rng(0)
    for n, m, d_k, d_v, size in itertools.product((1, 5), (1, 4), (1, 6), (1, 3), (0.1, 1, 30)):
        Q, K, V = (size * rng.normal(size=shape) for shape in ((n, d_k), (m, d_k), (m, d_v)))
        output, weights = scaled_dot_product_attention(Q, K, V, return_weights=True)
        found = compute("heads", "attention", Q, K, V)
        assert_allclose(found["weights"], weights, **CLOSE)
        assert_allclose(found["output"], output, **CLOSE)


@pytest.mark.usually("True")
@pytest.mark.parametrize("trained", [False, True])
def test_the_trained_head_is_the_snippets(compute: Any, trained: bool) -> None:
    weights = trained_head.load()[trained]
    X, _ = recall_batch(np.random.default_rng(7), 40)
    for sequence in X:
        found = compute(
            "trained-head",
            "answers",
            decode(sequence),
            weights._asdict(),
            LETTERS,
        )
        assert compute("heads", "encode", decode(sequence), LETTERS + DIGITS) == sequence.tolist()
        assert_allclose(found["digits"], softmax(answer_scores(weights, sequence)), **CLOSE)
        Q, K, V = (sequence @ W for W in weights)
        _, alpha = scaled_dot_product_attention(Q, K, V, return_weights=True)
        assert_allclose(found["weights"], alpha, **CLOSE)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_translation_is_the_snippets(compute: Any, swapped: bool) -> None:
    ex = translation_example
    names = ("X", "X_kv", "W_Q", "W_K", "W_V")
    found = compute("translation", "translate", {n: getattr(ex, n) for n in names}, swapped)
    X, X_kv = (ex.X_kv, ex.X) if swapped else (ex.X, ex.X_kv)
    output, weights = scaled_dot_product_attention(
        X @ ex.W_Q, X_kv @ ex.W_K, X_kv @ ex.W_V, return_weights=True
    )
    assert_allclose(found["weights"], weights, **CLOSE)
    assert_allclose(found["output"], output, **CLOSE)


def test_a_head_is_hidden_as_in_the_snippets(compute: Any) -> None:
    """Random weights, several numbers of heads, every set of hidden ones."""
    rng = np.random.default_rng(1)
    for h in (1, 2, 3):
        d_model = 6
        X = rng.normal(size=(4, d_model))
        W_Q, W_K, W_V, W_O = rng.normal(size=(4, d_model, d_model))
        given = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
        whole = None
        for hidden in itertools.chain.from_iterable(
            itertools.combinations(range(h), count) for count in range(h + 1)
        ):
            rows = np.isin(np.arange(d_model) // (d_model // h), hidden)
            without = two.weights._replace(
                W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=np.where(rows[:, np.newaxis], 0, W_O)
            )
            output, alpha = multi_head_attention(X, X, X, without, h, return_weights=True)
            found = compute("heads", "multiHead", X, given, h, list(hidden))
            assert_allclose(found["output"], output, **CLOSE)
            assert_allclose(found["weights"], alpha, **CLOSE)
            whole = output if whole is None else whole
            change = compute("heads", "relativeChange", whole[1], output[1])
            assert_allclose(change, relative_change(whole[1], output[1]), **CLOSE)


@pytest.mark.long
def test_the_recording_is_the_snippets(visit: Visitor) -> None:
    page = visit.modules_alone()
    found = page.evaluate(
        """async (base) => {
            const { default: recording } = await import(`${base}minilm-heads.js`);
            const { read } = await import(`${base}attention-explorer.js`);
            const { shape, sentences: first, sentencesOf, pairs } = read(recording);
            const others = pairs.slice(1).map((_, i) => sentencesOf(i + 1));
            const sentences = [first, ...await Promise.all(others)].flat();
            const [blocks, heads] = shape.map((count) => [...Array(count).keys()]);
            const all = (get) => blocks.map((b) => heads.map((h) => get(b, h)));
            return {
                sentences: sentences.map(({ tokens, row, weight, change, distance }) => {
                    const each = [...tokens.keys()];
                    return {
                        tokens,
                        weights: all((b, h) => each.map((i) => row(b, h, i))),
                        again: all((b, h) => each.map((i) => each.map((j) => weight(b, h, i, j)))),
                        change: all((b, h) => each.map((i) => change(b, h, i))),
                        distance: all((b, h) => each.map((i) => distance(b, h, i))),
                    };
                }),
                whole: pairs.map(({ whole }) => whole),
                without: pairs.map(({ without }) => all(without)),
            };
        }""",
        visit.modules,
    )
    for computed, heads in zip(found["sentences"], minilm_heads(), strict=True):
        assert computed["tokens"] == heads.tokens
        assert computed["again"] == computed["weights"]
        for name in ("weights", "change", "distance"):
            assert_allclose(computed[name], getattr(heads, name), **CLOSE, err_msg=name)
    whole, without = shared_words()
    assert_allclose(found["whole"], whole, **CLOSE)
    assert_allclose(found["without"], without, **CLOSE)


def test_the_recording_is_light(built: Path) -> None:
    sent = {path.name: gzip.compress(path.read_bytes()) for path in built.rglob("minilm-heads*")}
    assert len(sent) == len(minilm_heads()) / 2
    assert max(map(len, sent.values())) < 40_000


@pytest.mark.long
def test_nothing_is_fetched_before_someone_comes_near(visit: Visitor) -> None:
    page = visit.open()
    page.set_viewport_size({"width": 390, "height": 300})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    visit.go(page, "attention-explorer/")
    figure = figure_of(page, "attention-explorer/")
    expect(figure).to_have_count(1)
    page.wait_for_load_state("networkidle")
    assert "touch.js" in asked
    assert not {"attention-explorer.js", "minilm-heads.js"} & set(asked)
    with page.expect_request("**/minilm-heads.js"):
        figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-touch", "ready")
    page.wait_for_load_state("networkidle")
    assert [name for name in asked if name.startswith("minilm-heads")] == ["minilm-heads.js"]


@pytest.mark.long
def test_where_the_recording_is_missing_the_drawing_stays(visit: Visitor) -> None:
    page = visit.open()
    page.route("**/minilm-heads.js", lambda route: route.abort())
    visit.go(page, "attention-explorer/")
    figure = figure_of(page, "attention-explorer/")
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-touch", "failed")
    expect(figure.locator("svg.vk-figure")).to_be_visible()
    visit.wrong = [each for each in visit.wrong if "ERR_FAILED" not in each]


@pytest.mark.long
def test_where_other_sentences_are_missing_the_first_ones_stay(visit: Visitor) -> None:
    page = visit("attention-explorer/")
    panel = panel_of(page, "attention-explorer/")
    waiting: list[Route] = []
    page.route("**/minilm-heads-2.json", lambda route: waiting.append(route))

    def held() -> Route:
        while not waiting:
            page.wait_for_timeout(20)
        return waiting.pop()

    first = panel.get_by_role("radio", name="“bank”")
    chosen = panel.get_by_role("radio", name="“it”")
    chosen.check()
    expect(words(panel)).to_have_text("The sentences with “it” are being loaded.")
    held().abort()
    expect(words(panel)).to_contain_text("The sentences with “it” could not be loaded")
    expect(words(panel)).to_contain_text("Choose them again to try again.")
    expect(first).to_be_checked()
    visit.wrong = [each for each in visit.wrong if "ERR_FAILED" not in each]
    # What is chosen meanwhile stays, and the last pair that is chosen is the one that is shown.
    chosen.check()
    panel.get_by_role("radio", name="block 1, head 6:").check()
    expect(chosen).to_be_checked()
    expect(words(panel)).to_contain_text("In block 1, head 6, “bank” gives")
    first.check()
    with page.expect_response("**/minilm-heads-2.json"):
        held().continue_()
    page.wait_for_load_state("networkidle")
    expect(words(panel)).to_contain_text("In block 1, head 6, “bank” gives")
    chosen.check()
    expect(words(panel)).to_contain_text("In block 1, head 6, “it” gives")


# How it is used.


@pytest.mark.sample("attention-explorer/")
@pytest.mark.long
@pytest.mark.parametrize("path", PAGES)
def test_without_javascript_the_drawing_stays(visit: Visitor, path: str) -> None:
    page = visit(path, width=390, java_script_enabled=False)
    drawing = figure_of(page, path).locator("svg.vk-figure:has(metadata[data-touch])")
    assert drawing.is_visible()
    assert page.locator(".heads").count() == 0
    smallest = drawing.evaluate(
        """(svg) => Math.min(...[...svg.querySelectorAll("text")].map((text) =>
            parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width
            / svg.viewBox.baseVal.width))"""
    )
    assert smallest >= 9.5
    cut = drawing.evaluate(
        """(svg) => [...svg.querySelectorAll("text")].filter((text) =>
            text.getBoundingClientRect().left < svg.getBoundingClientRect().left - 0.5)
            .map((text) => text.textContent)"""
    )
    assert cut == []


@pytest.mark.sample("attention-explorer/", "cross-attention/")
@pytest.mark.usually("attention-explorer/")
@pytest.mark.parametrize("path", PAGES)
def test_it_begins_as_drawn_resets_and_leaves_paper_to_the_drawing(
    visit: Visitor, path: str
) -> None:
    page = visit(path)
    panel = panel_of(page, path)
    drawing = figure_of(page, path).locator("svg.vk-figure:has(metadata[data-touch])")
    drawn = drawing.locator("text").all_text_contents()
    shown = panel.locator(".heads__cell--some .heads__share").all_inner_texts()
    assert shown
    assert set(shown) <= set(drawn)
    before = words(panel).inner_text()
    panel.locator("input[type=radio]:not(:checked)").first.evaluate("input => input.click()")
    expect(words(panel)).not_to_have_text(before)
    panel.get_by_role("button", name="Reset").press("Enter")
    expect(words(panel)).to_have_text(before)
    assert not drawing.is_visible()
    page.emulate_media(media="print")
    assert drawing.is_visible()
    assert not panel.is_visible()


@pytest.mark.long
def test_a_row_is_seen_by_mouse(visit: Visitor) -> None:
    page = visit("attention-explorer/")
    panel = panel_of(page, "attention-explorer/")
    said = words(panel)
    expect(said).to_contain_text("In block 1, head 5, “bank” gives 83.8 % of its weight to “river”")
    expect(said).to_contain_text("and 68.0 % to “deposit” in sentence 2")
    first = panel.get_by_role("group", name="sentence 1")
    river = minilm_heads()[0]
    row = river.weights[0, 4, river.tokens.index("fish")]
    first.locator(".heads__asks .heads__cell").nth(river.tokens.index("fish")).hover()
    expect(said).to_contain_text(f"“fish” gives {100 * row.max():.1f} %")
    page.mouse.move(0, 0)
    expect(said).to_contain_text("“bank” gives 83.8 %")
    # The word of both sentences is followed in both.
    first.get_by_role("group", name="who asks").get_by_role("radio", name="to", exact=True).click()
    asked = panel.locator(".heads__asks .heads__cell--on")
    assert asked.all_inner_texts() == ["to", "to"]
    # A token on the right shades the table by what it gets.
    to_sat = first.get_by_role("group", name="who is read").get_by_role("radio", name="sat")
    to_sat.click()
    caption = panel.locator(".heads__caption")
    expect(caption).to_have_text("Stronger: “to” gives more to “sat”, sentence 1")
    i, j = river.tokens.index("to"), river.tokens.index("sat")
    share = f"{100 * river.weights[3, 6, i, j]:.1f} %"
    expect(panel.get_by_role("radio", name=f"block 4, head 7: {share}")).to_have_count(1)


@pytest.mark.long
def test_a_head_is_chosen_and_hidden_by_keyboard(visit: Visitor) -> None:
    page = visit("attention-explorer/")
    panel = panel_of(page, "attention-explorer/")
    grid = panel.get_by_role("radiogroup", name="Block and head")
    grid.get_by_role("radio", name="block 1, head 5:").focus()
    for key, where in (
        ("ArrowRight", "block 1, head 6"),
        ("ArrowDown", "block 2, head 6"),
        ("ArrowLeft", "block 2, head 5"),
        ("ArrowUp", "block 1, head 5"),
        ("ArrowUp", "block 1, head 5"),
    ):
        page.keyboard.press(key)
        expect(grid.get_by_role("radio", name=f"{where}:")).to_be_focused()
        expect(words(panel)).to_contain_text(f"In {where}, “bank” gives")
    page.keyboard.press("Tab")
    hide = panel.get_by_role("button", name="Hide this head")
    expect(hide).to_be_focused()
    page.keyboard.press("Space")
    whole, without = shared_words()
    river, money = minilm_heads()[:2]
    bank = [heads.tokens.index("bank") for heads in (river, money)]
    last = [1 - h.distance[0, 4, i] for h, i in zip((river, money), bank, strict=True)]
    expect(words(panel)).to_contain_text(f"{last[0]:.4f} and {last[1]:.4f}")
    expect(words(panel)).to_contain_text(f"{without[0, 0, 4]:.4f}")
    change = f"{100 * river.change[0, 4, bank[0]]:.1f} %"
    expect(panel.get_by_role("row").nth(1)).to_contain_text(change)
    expect(panel.get_by_role("row").nth(3)).to_contain_text(f"{whole[0]:.4f}")
    page.keyboard.press("Space")
    expect(panel.get_by_role("table")).to_be_hidden()
    # Rows, with the arrow keys.
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    expect(words(panel)).to_contain_text("“river” gives")
    # Two words now, one of each sentence.
    hide.press("Space")
    expect(words(panel)).to_contain_text("“river” and “bank” have the cosines")
    expect(words(panel)).to_contain_text("with what they were")


@pytest.mark.sample("attention-explorer/", "cross-attention/")
@pytest.mark.long
@pytest.mark.parametrize("path", PAGES)
def test_it_is_used_by_touch_on_a_phone(visit: Visitor, path: str) -> None:
    page = visit(path, width=390, has_touch=True, is_mobile=True)
    panel = panel_of(page, path)
    before = words(panel).inner_text()
    cell = panel.locator(".heads__asks .heads__cell").nth(0)
    cell.scroll_into_view_if_needed()
    cell.tap()
    expect(words(panel)).not_to_have_text(before)
    expect(cell).to_have_class("heads__cell heads__cell--on")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    inside = panel.evaluate(
        """(panel) => [...panel.querySelectorAll("*")].every((part) => {
            const { left, right } = part.getBoundingClientRect();
            return left >= -1 && right <= innerWidth + 1;
        })"""
    )
    assert inside


@pytest.mark.long
def test_two_sentences_are_exchanged_for_others(visit: Visitor) -> None:
    page = visit("attention-explorer/")
    panel = panel_of(page, "attention-explorer/")
    panel.get_by_role("radio", name="“it”").check()
    tired, wide = minilm_heads()[2:4]
    expect(
        panel.get_by_role("group", name="sentence 1").locator(".heads__asks label")
    ).to_have_text(tired.tokens)
    expect(
        panel.get_by_role("group", name="sentence 2").locator(".heads__asks label")
    ).to_have_text(wide.tokens)
    panel.get_by_role("radio", name="block 6, head 12:").check()
    expect(words(panel)).to_contain_text("“it” gives 65.8 % of its weight to “animal”")
    panel.get_by_role("radio", name="loss without it").check()
    loss = 1 - tired.distance[5, 11, tired.tokens.index("it")]
    name = f"block 6, head 12: cosine {loss:.4f} without it"
    expect(panel.get_by_role("radio", name=name)).to_be_checked()


@pytest.mark.long
def test_the_trained_head_answers(visit: Visitor) -> None:
    page = visit("a-head-that-learns/")
    panel = panel_of(page, "a-head-that-learns/")
    expect(words(panel)).to_have_text(
        "“e” gives 99.1 % of its weight to “e2”, and answers 2 with 98.8 %. That is right."
    )
    panel.get_by_role("radio", name="g", exact=True).last.check()
    expect(words(panel)).to_contain_text("answers 4")
    panel.get_by_role("radio", name="h", exact=True).check()
    expect(words(panel)).to_contain_text("No pair holds “h”, so no digit is right.")
    panel.get_by_role("button", name="Reset").click()
    panel.get_by_role("radio", name="before").check()
    before: HeadWeights = trained_head.load()[0]
    shares = softmax(answer_scores(before, encode(trained_head.tokens)))
    said = f"answers {shares.argmax()} with {100 * shares.max():.1f} %"
    expect(words(panel)).to_contain_text(said)
    panel.get_by_role("radio", name="after").check()
    for _ in range(5):
        panel.get_by_role("button", name="Other pairs").click()
        expect(words(panel)).to_contain_text("That is right.")


@pytest.mark.long
def test_a_word_reads_its_translation(visit: Visitor) -> None:
    page = visit("cross-attention/")
    panel = panel_of(page, "cross-attention/")
    panel.get_by_role("radio", name="noir").check()
    expect(words(panel)).to_contain_text("“noir” gives 97.2 % of its weight to “black”")
    panel.get_by_role("radio", name="English").check()
    panel.get_by_role("radio", name=".", exact=True).check()
    expect(words(panel)).to_contain_text("reads evenly, 33.3 % from each word")


@pytest.mark.long
def test_a_hidden_head_of_two_takes_what_it_found(visit: Visitor) -> None:
    page = visit("multi-head-attention-in-detail/")
    panel = panel_of(page, "multi-head-attention-in-detail/")
    panel.get_by_role("button", name="Hide head 2").click()
    expect(words(panel)).to_contain_text("changes by 70.7 % of its length")
    output = panel.locator(".heads__bars dd").all_inner_texts()
    assert output == ["0.97", "0.01", "0.01", "0.00", "0.00", "0.00"]
    panel.get_by_role("button", name="Hide head 1").click()
    expect(words(panel)).to_contain_text("consists of zeros")
    panel.get_by_role("button", name="Show head 2").click()
    panel.get_by_role("radio", name="today he sees her").check()
    expect(words(panel)).to_contain_text("its subject is lost")


#: Where the cells of a panel are, relative to the first, and how high the panel is.
PLACES = """(panel) => {
  const boxes = [...panel.querySelectorAll(".heads__asks .heads__cell")]
    .filter((cell) => cell.checkVisibility()).map((cell) => cell.getBoundingClientRect());
  const place = (box) => [box.x, box.y - boxes[0].y].map((x) => x.toFixed(1)).join();
  return [panel.getBoundingClientRect().height, ...boxes.map(place)];
}"""


@pytest.mark.sample("attention-explorer/", "cross-attention/")
@pytest.mark.long
@pytest.mark.parametrize("path", PAGES)
def test_nothing_moves_while_a_reader_points(visit: Visitor, path: str) -> None:
    page = visit(path)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        panel = panel_of(page, path)
        before = panel.evaluate(PLACES)
        for cell in panel.locator(".heads__asks .heads__cell:visible").all():
            cell.hover()
            assert panel.evaluate(PLACES) == before


# For everyone.


@pytest.mark.sample("attention-explorer/", "a-head-that-learns/")
@pytest.mark.long
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(visit: Visitor, path: str) -> None:
    page = visit(path)
    panel = panel_of(page, path)
    press = panel.get_by_role("button", name="Hide").first
    if press.count():
        press.click()
    rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}}
    restyle(page, 1280, "light")
    found = violations(page, rules, ".heads")
    restyle(page, 390, "dark")
    found += violations(page, rules, ".heads")
    if path == "attention-explorer/":
        restyle(page, 1280, "dark", forced_colors="active")
        found += violations(page, rules, ".heads")
    assert [(rule["id"], rule["nodes"][0]["target"]) for rule in found] == []


@pytest.mark.long
def test_it_is_there_after_a_page_that_was_loaded_in_place(visit: Visitor) -> None:
    page = visit("attention-explorer/")
    panel_of(page, "attention-explorer/")
    page.get_by_role("link", name="cross-attention", exact=True).click()
    expect(page.get_by_role("heading", name="Cross-Attention", level=1)).to_be_visible()
    panel_of(page, "cross-attention/")
    page.go_back()
    expect(page.get_by_role("heading", name="Attention Explorer", level=1)).to_be_visible()
    panel = panel_of(page, "attention-explorer/")
    expect(page.locator(".heads")).to_have_count(1)
    panel.get_by_role("radio", name="“she”").check()
    expect(words(panel)).to_contain_text("“she” gives")


@pytest.mark.sample("390")
@pytest.mark.long
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_jumps_when_it_comes(visit: Visitor, width: int) -> None:
    page = visit("attention-explorer/", width=width)
    # Without scrolling to it: it comes before a reader has seen where it ends.
    expect(page.locator("figure[data-touch=ready]")).to_have_count(1)
    shift = page.evaluate(
        """() => new Promise((resolve) => {
            let sum = 0;
            new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
                if (!entry.hadRecentInput) sum += entry.value;
            })).observe({ type: "layout-shift", buffered: true });
            setTimeout(() => resolve(sum), 300);
        })"""
    )
    assert shift < 0.02
