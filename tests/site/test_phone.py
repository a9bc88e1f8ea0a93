"""Small screens, paper, the reader's own colours, and those who cannot see: on the built site."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, expect
from visitor import CHECKED, LOST, NEAR, OPEN, Visitor, violations

from tests.own_vault import VAULT

PAGES = sorted(
    "" if note.name == "index" else VAULT.address(note) + "/" for note in VAULT.notes.values()
)


@pytest.mark.long
@pytest.mark.parametrize("address", ["first-principles/", "common-mistakes/"])
def test_what_scrolls_is_reached_before_it_is_laid_out(visit: Visitor, address: str) -> None:
    page = visit.open(width=390)
    # What is far below the screen is laid out when a browser has nothing else to do: never here.
    page.add_init_script("window.requestIdleCallback = () => 0")
    visit.go(page, address)
    page.wait_for_selector("pre > code[tabindex='0'][data-more]")
    rule = {"runOnly": {"type": "rule", "values": ["scrollable-region-focusable"]}}
    assert violations(page, rule) == []
    # What does not scroll is no stop for the keyboard, once that is known.
    page.evaluate(NEAR)
    page.wait_for_function(
        """() => [...document.querySelectorAll("article pre > code")].every(
             box => !box.checkVisibility()
               || (box.scrollWidth - box.clientWidth > 1) === (box.tabIndex === 0))"""
    )


def inner(page: Page, selector: str) -> list[list[Any]]:
    """Return each box's sideways scroll, its content, and where it shows that there is more."""
    return page.evaluate(
        """selector => [...document.querySelectorAll(selector)]
             .filter(b => b.checkVisibility())
             .map(b => [b.scrollWidth - b.clientWidth, b.textContent, b.dataset.more ?? ""])""",
        selector,
    )


SIX = re.compile(r"\s*\[+\s*(-?\d\.\d*\s+){5}-?\d\.\d*\s*\]+")


@pytest.mark.usually("masks-in-detail/")
@pytest.mark.parametrize("address", ["masks-in-detail/", "the-equation-taken-apart/"])
def test_six_columns_fit_a_phone(visit: Visitor, address: str) -> None:
    page = visit(address, width=390)
    page.evaluate(OPEN)
    outputs = inner(page, ".output pre > code")
    six = [o for o in outputs if all(SIX.fullmatch(line) for line in o[1].splitlines())]
    assert six
    assert [o for o in six if o[0] > 1] == []


@pytest.mark.long
def test_what_does_not_fit_shows_that_it_scrolls(visit: Visitor) -> None:
    page = visit("attention-equation/", width=390)
    page.evaluate(OPEN)
    page.evaluate(NEAR)
    # The observer reports boxes a moment after they have been opened.
    page.wait_for_function(
        """() => [...document.querySelectorAll("article pre > code")].every(
             box => !box.checkVisibility()
               || (box.scrollWidth - box.clientWidth > 1) === (box.dataset.more === "right"))"""
    )
    boxes = inner(page, "article pre > code")
    assert {more for wide, _, more in boxes if wide > 1} == {"right"}
    assert {more for wide, _, more in boxes if wide <= 1} == {""}
    box = page.locator("article pre > code[data-more]").first
    assert "gradient" in box.evaluate("b => getComputedStyle(b).maskImage")
    box.evaluate("b => { b.scrollLeft = 9999 }")
    expect(box).to_have_attribute("data-more", "left")


#: How far what is drawn, and the controls, end from the right edge of the text.
RIGHT = """(figure) => {
  const edge = figure.closest("article").querySelector("p").getBoundingClientRect().right;
  const ends = (selector) => Math.max(...[...figure.querySelectorAll(selector)]
    .map((each) => each.getBoundingClientRect().right)) - edge;
  return [ends("svg :is(path, rect, text)"), ends("figcaption, .touch")];
}"""


@pytest.mark.long
def test_figures_end_where_the_text_ends(visit: Visitor) -> None:
    page = visit(width=390)
    for address in ("self-attention/", "causal-and-padding-masks/", "context-vector/"):
        visit.go(page, address)
        page.evaluate(NEAR)
        for found in page.locator("article > figure").all():
            drawn, words = found.evaluate(RIGHT)
            assert -7 < drawn < 2, address
            assert abs(words) < 1, address


@pytest.mark.long
def test_words_in_drawings_can_be_read_on_a_phone(visit: Visitor, built: Path) -> None:
    page = visit.open(width=390)
    small = []
    for path in sorted(built.glob("*/index.html")):
        if 'class="vk-figure"' not in path.read_text(encoding="utf-8"):
            continue
        visit.go(page, f"{path.parent.name}/")
        small += page.evaluate(
            """() => {
              document.head.append(Object.assign(document.createElement("style"),
                { textContent: "* { content-visibility: visible !important }" }));
              return [...document.querySelectorAll("article svg.vk-figure :is(text, tspan)")]
                .filter((text) => text.textContent.trim() && text.getBoundingClientRect().width)
                .map((text) => {
                  const { a, b } = text.getScreenCTM();  // of labels that are turned, too
                  return [parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b),
                    text.textContent, text.closest("svg").getAttribute("aria-label")];
                })
                .filter(([size]) => size < 9);
            }"""
        )
    assert small == []


@pytest.mark.long
def test_formulas_in_drawings_are_those_of_the_text(visit: Visitor) -> None:
    page = visit("attention-equation/")
    drawn = page.locator("article svg.vk-figure").first
    assert drawn.locator("g > path").count() > 20  # the line on top, with its fraction and root
    assert drawn.locator("g > rect").count() >= 2
    assert "√" not in drawn.text_content()
    faces = drawn.locator(".vk-math").first.evaluate("e => getComputedStyle(e).fontFamily")
    assert faces.startswith('"STIX Two Math"')


@pytest.mark.long
def test_a_first_visit_is_light(visit: Visitor, built: Path) -> None:
    notes = (
        "",
        "importance-of-dk-in-scaling/",
        "a-head-that-learns/",
        "attention-scores/",
        "layer-normalization/",
        "attention-explorer/",
    )
    for width, address in ((1280, ""), *((390, address) for address in notes)):
        page = visit.open(width=width, fresh=True)
        sent: dict[str, int] = {}
        page.on("response", lambda response, sent=sent: sent.update({response.url: 0}))
        visit.go(page, address)
        page.wait_for_load_state("networkidle")
        for url in sent:
            file = built / unquote(url.removeprefix(visit.base).partition("?")[0])
            data = (file / "index.html" if file.is_dir() else file).read_bytes()
            sent[url] = len(data if file.suffix == ".woff2" else gzip.compress(data))
        most = 300_000 if address == "attention-explorer/" else 220_000
        assert sum(sent.values()) <= most, (address, sent)


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 390])
def test_a_message_is_read_whole(visit: Visitor, width: int) -> None:
    page = visit("the-equation-taken-apart/", width=width)
    page.evaluate(OPEN)
    messages = inner(page, ".raises + .output pre > code")
    assert len(messages) >= 2
    assert [m for m in messages if m[0] > 1] == []


@pytest.mark.long
def test_the_word_raises_is_below_its_code(visit: Visitor) -> None:
    page = visit("the-equation-taken-apart/", width=390)
    gap = page.evaluate(
        """() => [...document.querySelectorAll("article .raises.highlight")].map(block => {
             const code = block.querySelector("pre > code").getBoundingClientRect();
             return block.getBoundingClientRect().bottom - code.bottom; })"""
    )
    assert gap
    assert min(gap) > 10


@pytest.mark.long
def test_the_red_rule_runs_down_the_whole_block(visit: Visitor) -> None:
    page = visit("the-equation-taken-apart/", width=390)
    page.wait_for_selector("article .raises.highlight > .vk-cell")
    parts = page.evaluate(
        """() => [...document.querySelectorAll("article .raises.highlight")].flatMap(block => [
             getComputedStyle(block.querySelector("pre > code")).boxShadow,
             getComputedStyle(block.querySelector(".vk-cell")).boxShadow,
             getComputedStyle(block, "::after").boxShadow])"""
    )
    assert len(set(parts)) == 1
    assert "inset" in parts[0]


@pytest.mark.long
@pytest.mark.usefixtures("checked")
@pytest.mark.parametrize("part", ["mfrac", "munder"])
def test_the_rule_below_a_formula_crosses_nothing(visit: Visitor, part: str) -> None:
    # Only formulas that were checked have a rule: one of this note is made as high as others are.
    page = visit(f"{CHECKED.lower()}/", width=390)
    page.wait_for_selector("article span.vk-math > .vk-mark")
    below = page.evaluate(
        """part => [...document.querySelectorAll("article span.vk-math > .vk-mark")].map(mark => {
             const math = mark.parentElement.querySelector("math");
             math.innerHTML = `<mrow><${part}><mi>y</mi><mi>y</mi></${part}></mrow>`;
             const inner = [...math.querySelectorAll(`${part} *`)];
             return mark.getBoundingClientRect().bottom
               - Math.max(...inner.map(each => each.getBoundingClientRect().bottom));
           })""",
        part,
    )
    assert below
    assert min(below) > 0


LINES = """part => [...document.querySelectorAll(part)].filter(e => e.checkVisibility()).map(e => {
  const range = document.createRange(); range.selectNodeContents(e);
  return new Set([...range.getClientRects()].map(r => r.top)).size; })"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("address", "width", "part"),
    [
        ("rmsnorm-and-swiglu/", 390, 'article span[data-check^="number-"]'),
        ("key-matrix/", 390, 'article span[data-check^="shape-"]:not(.vk-math)'),
        ("sources/", 1280, "article table[data-rows] td:first-child"),
    ],
)
def test_a_number_or_name_of_a_row_is_in_one_line(
    visit: Visitor, address: str, width: int, part: str
) -> None:
    lines = visit(address, width=width).evaluate(LINES, part)
    assert lines
    assert set(lines) == {1}


@pytest.mark.usually("sources/")
@pytest.mark.parametrize("address", ["sources/", "notation/", "glossary/", "checks/"])
def test_tables_fit_a_phone(visit: Visitor, address: str) -> None:
    page = visit(address, width=390)
    # Material's script puts each table into a box.
    boxed = "!document.querySelector('article table:not(.md-typeset__table *, [class])')"
    page.wait_for_function(boxed)
    tables = inner(page, ".md-typeset__scrollwrap:not(:has(td:nth-child(7)))")
    assert [t for t in tables if t[0] > 1] == []
    ledger = inner(page, ".vk-ledger")
    assert [t for t in ledger if t[0] > 1] == []


def test_all_columns_of_the_table_of_checks_have_names_in_sight(visit: Visitor) -> None:
    page = visit("checks/", width=1280)
    assert [t for t in inner(page, ".vk-ledger") if t[0] > 1] == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".vk-ledger tfoot").scroll_into_view_if_needed()
    for head in page.locator(".vk-ledger thead th:not(:first-child)").all():
        expect(head).to_be_in_viewport(ratio=1)


@pytest.mark.long
def test_a_row_of_four_columns_becomes_a_block(visit: Visitor) -> None:
    page = visit("sources/", width=390)
    row = page.locator("table[data-rows] tbody tr").first
    cells = row.locator("td")
    tops = [(cells.nth(i).bounding_box() or {})["y"] for i in range(4)]
    assert tops == sorted(set(tops))
    labels = cells.evaluate_all("all => all.map(c => getComputedStyle(c, '::before').content)")
    assert labels == ["none", '"statement"', '"verdict"', '"where"']
    page.set_viewport_size({"width": 1280, "height": 900})
    tops = [(cells.nth(i).bounding_box() or {})["y"] for i in range(4)]
    assert max(tops) - min(tops) < 2


#: The left edge and the last line of the words of each head, and the left edge of those of a cell.
EDGES = """rows => rows.map(row => [...row.cells].map(cell => {
    const words = new Range();
    words.selectNodeContents(cell);
    const box = [...words.getClientRects()].at(-1);
    return [Math.round(words.getBoundingClientRect().left), Math.round(box.bottom)]; }))"""


def test_heads_are_in_line_with_each_other_and_with_their_cells(visit: Visitor) -> None:
    page = visit("variants-compared/")
    table = page.locator("table[data-rows]").first
    heads, cells = table.locator("tr").evaluate_all(f"all => ({EDGES})(all.slice(0, 2))")
    assert len({bottom for _, bottom in heads}) == 1, heads
    assert [left for left, _ in heads] == [left for left, _ in cells]


def test_the_label_of_a_cell_is_one_line_above_its_words(visit: Visitor) -> None:
    page = visit("variants-compared/", width=390)
    cells = page.locator("table[data-rows] td:not(:first-child)")
    labels = cells.evaluate_all("""all => all.map(c => {
        const label = getComputedStyle(c, '::before');
        return [label.display, parseFloat(label.height) / parseFloat(label.lineHeight)]; })""")
    assert labels
    assert all(shown == "block" and lines < 1.1 for shown, lines in labels), labels


@pytest.mark.long
def test_kinds_of_checks_are_not_broken(visit: Visitor) -> None:
    page = visit.open(width=1280)
    row = {"kind": "equation", "line": 7, "what": "x", "outcome": "holds", "seconds": 0.001}
    page.route("**/checks.json", lambda route: route.fulfill(json={"Softmax.md": [row]}))
    visit.go(page, "checks/")
    for width in (1280, 800, 390):
        page.set_viewport_size({"width": width, "height": 900})
        lines = page.locator(".vk-checks__kind").evaluate(
            "c => { const r = document.createRange(); r.selectNodeContents(c);"
            " return r.getClientRects().length }"
        )
        assert lines == 1, width


def test_both_neighbours_are_named_on_a_phone(visit: Visitor) -> None:
    page = visit("softmax/", width=390)
    for side in ("prev", "next"):
        words = page.locator(f".md-footer__link--{side} .md-footer__title .md-ellipsis")
        expect(words).to_be_visible()
        assert words.inner_text().strip()


SHOWN_ON_THE_WAY_UP = """() => {
  scrollBy({ top: -20, behavior: "instant" });
  return !document.querySelector(".md-top").hidden;
}"""


@pytest.mark.long
def test_the_way_to_the_top_covers_no_text_of_a_phone(visit: Visitor) -> None:
    page = visit("softmax/", width=390, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page.evaluate("scrollTo({ top: 3000, behavior: 'instant' })")
    page.wait_for_function(SHOWN_ON_THE_WAY_UP)
    top = page.locator(".md-top")
    bar, button = page.locator(".md-header").bounding_box(), top.bounding_box()
    assert bar
    assert button
    assert button["y"] + button["height"] <= bar["y"] + bar["height"]
    colours = page.locator("label[for^=__palette]:visible").bounding_box()
    assert colours
    assert button["x"] + button["width"] <= colours["x"]
    top.tap()
    page.wait_for_function("scrollY === 0")


@pytest.mark.long
def test_the_way_to_the_top_covers_no_text_of_a_screen(visit: Visitor) -> None:
    page = visit("softmax/", reduced_motion="reduce")
    page.evaluate("scrollTo({ top: 3000, behavior: 'instant' })")
    page.wait_for_function(SHOWN_ON_THE_WAY_UP)
    top = page.locator(".md-top")
    bar, button = page.locator(".md-header").bounding_box(), top.bounding_box()
    assert bar
    assert button
    assert button["y"] + button["height"] <= bar["y"] + bar["height"]
    top.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("scrollY === 0")


@pytest.mark.long
def test_the_title_of_a_long_list_of_headings_is_read(visit: Visitor) -> None:
    page = visit("tags/#tag:weights")
    title = page.locator(".md-nav--secondary > .md-nav__title")
    colour = "e => getComputedStyle(e).backgroundColor"
    assert title.evaluate(colour) == page.locator("body").evaluate(colour)


@pytest.mark.long
def test_there_is_no_button_where_nothing_answers(visit: Visitor) -> None:
    page = visit("attention-equation/", java_script_enabled=False)
    copy = page.locator(".vk-math__copy")
    assert copy.count() > 5
    assert [button.is_visible() for button in copy.all()] == [False] * copy.count()


@pytest.mark.long
def test_the_keyboard_shows_in_the_search(visit: Visitor) -> None:
    page = visit("softmax/")
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    outline = "e => { const s = getComputedStyle(e); return [s.outlineStyle, s.outlineWidth] }"
    style, width = page.locator(".md-search__form").evaluate(outline)
    assert style != "none"
    assert float(width.removesuffix("px")) >= 1


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_keyboard_shows_on_a_tag_that_can_be_read(visit: Visitor, scheme: str) -> None:
    page = visit("softmax/", scheme=scheme, reduced_motion="reduce")
    tag = page.locator(".md-tags a").first
    page.locator(".md-path a").last.focus()
    page.keyboard.press("Tab")
    expect(tag).to_be_focused()
    style = "(e, name) => getComputedStyle(e)[name]"
    assert tag.evaluate(style, "color") == page.locator("body").evaluate(style, "backgroundColor")
    assert tag.evaluate(style, "outlineStyle") == "solid"


CONTRAST = """(element) => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => numbers(colour).slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  let below = element;
  const ground = () => getComputedStyle(below).backgroundColor;
  while ((numbers(ground())[3] ?? 1) < 0.9) below = below.parentElement;
  const pair = [getComputedStyle(element).color, ground()].map(light);
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}"""


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_pointed_at_can_be_read(visit: Visitor, scheme: str) -> None:
    page = visit("questions-and-answers/", scheme=scheme, reduced_motion="reduce")
    page.get_by_role("button", name="Practise").click()
    for part in (".vk-deck .md-button", ".vk-run .md-button", ".md-tag"):
        found = page.locator(f"article {part}:visible").all()
        assert found
        for each in found:
            each.hover()
            assert each.evaluate(CONTRAST) >= 4.5, each.inner_text()
            page.mouse.move(0, 0)
            each.focus()
            assert each.evaluate(CONTRAST) >= 4.5, each.inner_text()


@pytest.mark.long
def test_own_colours_keep_the_boxes_of_code(visit: Visitor) -> None:
    page = visit("query-matrix/", forced_colors="active")
    for selector in ("article .highlight pre > code", "article p > code", "article .output code"):
        border = page.locator(selector).first.evaluate("e => getComputedStyle(e).borderBottom")
        assert not border.startswith("0px"), selector
    # Of the road, what is behind; between the parts of the path, a sign.
    ground = page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor")
    for selector, part in ((".vk-here__bar", ""), (".md-path__item:last-child", "::before")):
        colour = "(e, part) => getComputedStyle(e, part).backgroundColor"
        assert page.locator(selector).evaluate(colour, part) not in (ground, "rgba(0, 0, 0, 0)")


@pytest.mark.long
def test_paper_ends_with_the_text(visit: Visitor) -> None:
    page = visit("softmax/", scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).color")
    page.emulate_media(media="print", color_scheme="dark")
    light = page.evaluate("getComputedStyle(document.querySelector('article h1')).color")
    assert light != dark
    assert max(int(number) for number in re.findall(r"\d+", light)[:3]) < 80
    # The edges of the paper, too.
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    for selector in (".md-header", ".md-footer", ".linked-from", ".vk-checked", ".md-tags"):
        expect(page.locator(selector).first).to_be_hidden()
    last = page.evaluate(
        """() => [...document.querySelector("article").children]
             .filter(e => e.checkVisibility() && e.getBoundingClientRect().height)
             .at(-1).textContent"""
    )
    assert last.startswith("Next:")


@pytest.mark.long
def test_paper_has_the_answers_that_the_reader_has_opened(visit: Visitor) -> None:
    page = visit("softmax/")
    exercise = page.locator("article details.success").last
    folded = page.locator(".vk-folded").first
    outputs = page.locator(".output[hidden]")
    questions = outputs.count()
    page.emulate_media(media="print")
    expect(exercise).to_be_hidden()
    expect(outputs.first).to_be_hidden()
    expect(folded).to_be_hidden()
    page.emulate_media(media="screen")
    exercise.locator("summary").click()
    folded.get_by_role("button").click()
    page.emulate_media(media="print")
    expect(exercise.locator("p").first).to_be_visible()
    expect(outputs).to_have_count(questions - 1)


def test_a_drawing_is_whole_on_paper_and_leaves_room_on_its_page(visit: Visitor) -> None:
    # As wide as the text of a sheet of A4, which is 1040 pixels high.
    page = visit("attention-explorer/", width=718)
    page.emulate_media(media="print")
    figure = page.locator("article figure").first
    words = figure.locator("svg text").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(box => [box.left, box.right])"
    )
    assert min(left for left, _ in words) >= 0
    assert max(right for _, right in words) <= 718
    assert (figure.bounding_box() or {})["height"] < 600


@pytest.mark.long
def test_a_wide_output_is_in_its_lines_on_paper(visit: Visitor) -> None:
    # As wide as the text of a sheet of A4.
    page = visit("common-mistakes/", width=608)
    page.emulate_media(media="print")
    page.evaluate(OPEN)
    page.evaluate(NEAR)
    more = page.locator(".output pre > code").evaluate_all(
        """all => all.map(code => {
             const style = getComputedStyle(code);
             const room = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
             const lines = code.textContent.trimEnd().split("\\n").length;
             return (code.clientHeight - room) / parseFloat(style.lineHeight) - lines; })"""
    )
    assert len(more) > 5
    assert max(more) < 0.5


@pytest.mark.long
def test_lost_visitors_find_the_note(visit: Visitor, built: Path) -> None:
    page = visit.open()
    page.route(
        "**/query-matrixx/",
        lambda route: route.fulfill(
            body=(built / LOST).read_text(encoding="utf-8"), content_type="text/html"
        ),
    )
    visit.go(page, "query-matrixx/")
    results = page.locator(".vk-lost a:visible")
    expect(results.first).to_have_text("Query Matrix")
    for typed in ("softm", "sofmax"):
        page.get_by_label("Find a page by its name").fill(typed)
        expect(results.first).to_have_text("Softmax")
        assert results.count() < 5
    # By keyboard alone: what came from the address gives way, and Enter opens the first.
    visit.go(page, "query-matrixx/")
    page.get_by_label("Find a page by its name").focus()
    page.keyboard.type("kv cach")
    expect(results.first).to_have_text("KV Cache")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("KV Cache")
    plain = visit(LOST, java_script_enabled=False)
    assert plain.locator(".vk-lost a").count() == len(PAGES)
