"""What a reader checks in the browser: a page, all pages, with other code; and what goes wrong."""

from __future__ import annotations

import functools
import http.server
import re
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from visitor import Contexts, Visitor, visiting

from tests.own_vault import VAULT
from vaultkit.checks.check import Check
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.ledger import Ledger
from vaultkit.pipeline.runner import Runner
from vaultkit.site.runnable import PYODIDE

# Two cores that others use, too.
BOOT, RUN, ALL = 120_000, 60_000, 400_000
EQUATION = "attention-equation/"
# Keeps all messages of workers, so that it can be compared.
LISTEN = """
window.received = [];
const Before = Worker;
window.Worker = class extends Before {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", (event) => window.received.push(event.data));
  }
};
"""


def start(page: Page) -> Locator:
    return page.locator(".vk-run__start")


def said(page: Page) -> Locator:
    return page.locator(".vk-run__said")


def cell(page: Page, holds: str) -> Locator:
    return page.locator(".highlight[data-check^=block]", has_text=re.compile(holds)).first


def edit(page: Page, holds: str, change: tuple[str, str]) -> Locator:
    block = cell(page, holds)
    name = block.get_attribute("data-check")
    block.get_by_role("button", name="Edit").click()
    block = page.locator(f"[data-check={name}]")  # what it holds is text of a field now
    area = block.locator("[contenteditable]")
    before = area.text_content() or ""
    assert change[0] in before
    area.fill(before.replace(*change).rstrip())
    return block


def load(page: Page) -> None:
    start(page).click()
    expect(said(page)).to_contain_text("hold", timeout=BOOT)


#: Removes rows of the list of notes before the page's own scripts see them.
FEWER = """document.addEventListener("DOMContentLoaded", () => {
  if (window.fewer) return;
  window.fewer = true;
  const rows = document.querySelectorAll(".vk-ledger tr[data-note]");
  rows.forEach((row, i) => i % step && row.remove());
});"""

#: Follows a link, as a reader does: the page is loaded in place.
FOLLOW = """(href) => {
  const link = Object.assign(document.createElement("a"), { href });
  document.body.append(link);
  link.click();
  link.remove();
}"""


#: Forgets the answers to all questions.
FORGET = """() => Object.keys(localStorage).filter((key) => key.includes("predictions"))
  .forEach((key) => localStorage.removeItem(key))"""


def follow(page: Page, base: str, path: str, title: str) -> None:
    page.evaluate(FOLLOW, base + path)
    expect(page.locator("h1")).to_contain_text(title)
    expect(start(page)).to_be_visible()


@pytest.fixture(scope="module")
def loaded(contexts: Contexts, base: str, pyodide: Path) -> Iterator[Visitor]:  # noqa: ARG001
    """A visitor with a page that has loaded Python, which takes ten seconds, for several tests."""
    with visiting(contexts, base) as visitor:
        page = visitor(EQUATION)
        load(page)
        yield visitor


@pytest.fixture
def ready(loaded: Visitor) -> Page:
    """The page with Python, at the equation, without edits and results."""
    (page,) = loaded.pages
    page.evaluate("sessionStorage.clear()")
    follow(page, loaded.base, "context-vector/", "Context Vector")
    follow(page, loaded.base, EQUATION, "Attention Equation")
    return page


@pytest.mark.long
def test_run_and_edit_appear_for_pointer_and_keyboard(visit: Visitor) -> None:
    page = visit(EQUATION)
    block = cell(page, r"sqrt\(d_k\)")
    buttons = block.locator(".vk-cell__acts")
    expect(buttons).to_have_css("opacity", "0")
    block.hover()
    expect(buttons).to_have_css("opacity", "1")
    page.mouse.move(2, 2)
    expect(buttons).to_have_css("opacity", "0")
    block.get_by_role("button", name="Edit").focus()
    expect(buttons).to_have_css("opacity", "1")


#: How much of its code each button of a block covers, and of each other.
COVERED = """block => {
    const boxes = [block.querySelector("code"), ...block.querySelectorAll("button:not([hidden])")]
        .map(part => part.getBoundingClientRect());
    const shared = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > .5
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > .5;
    const covered = boxes.filter((one, at) => boxes.slice(0, at).some(b => shared(one, b)));
    return [boxes.length, covered.length];
}"""


@pytest.mark.parametrize("width", [390, 1000, 1280])
def test_no_button_covers_code(visit: Visitor, width: int) -> None:
    page = visit("importance-of-dk-in-scaling/", width=width)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    for part in ("article > .highlight:not(.output)", "article details .highlight:not(.output)"):
        block = page.locator(part).first
        block.scroll_into_view_if_needed()
        block.locator(".md-code__nav").wait_for(state="attached")
        # Copy, Run and Edit.
        assert block.evaluate(COVERED) == [4, 0], part


@pytest.mark.long
def test_nothing_is_fetched_before_the_click(visit: Visitor, pyodide: Path) -> None:  # noqa: ARG001
    page = visit.open()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    visit.go(page, EQUATION)
    expect(start(page)).to_have_text("Check this page in your browser")
    expect(page.locator(".vk-run__cost")).to_contain_text(re.compile(r"about 1[01] MB from 127"))
    engine = [name for name in asked if "pyodide" in name or name.startswith(("engine", "checks."))]
    assert engine == []
    block = cell(page, r"sqrt\(d_k\)")
    block.get_by_role("button", name="Run").click()
    expect(block.locator(".vk-cell__said")).to_contain_text(re.compile("about 1[01] MB"))
    assert not set(PYODIDE) & set(asked)


@pytest.mark.long
def test_a_page_is_checked_where_it_is_read(ready: Page, loaded: Visitor) -> None:
    asked: list[str] = []
    ready.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    load(ready)
    vault = VAULT
    note = vault.notes[vault.root / "Attention Equation.md"]
    blocks = ready.locator(".highlight[data-outcome=holds]")
    expect(blocks).to_have_count(len(note.blocks))
    expect(said(ready)).to_contain_text(f"{len(note.blocks)} blocks")
    assert ready.locator(".vk-math[data-outcome=holds]").count() >= 10
    assert ready.locator("[data-outcome=fails], .vk-why").count() == 0
    # Python is kept from page to page.
    follow(ready, loaded.base, "context-vector/", "Context Vector")
    load(ready)
    assert not set(PYODIDE) & set(asked)


@pytest.mark.long
def test_an_edit_makes_what_rests_on_it_fall(ready: Page) -> None:
    page = ready
    load(page)
    edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k"))
    # No button is needed: what is below follows the edit.
    expect(said(page)).to_contain_text("1 formula no longer holds", timeout=RUN)
    fallen = page.locator(".vk-math[data-outcome=fails]")
    assert fallen.count() == 1
    assert r"\frac" in str(fallen.first.locator("math").get_attribute("data-tex"))
    colours = "getComputedStyle(e).color"
    red, plain = (
        page.locator(which).first.evaluate(f"e => {colours}")
        for which in (".vk-math[data-outcome=fails]", ".vk-math[data-outcome=holds]")
    )
    assert red != plain
    why = page.locator(f"#{fallen.first.get_attribute('aria-describedby')}")
    expect(why).to_contain_text("the largest difference is")
    # An array is shown in rows.
    assert re.search(r"left\n+\[\[[\d. ]+\]\n \[", why.inner_text())
    sign = "getComputedStyle(e, '::before').content"
    assert fallen.first.evaluate(f"e => {sign}") == '"✗"'
    # The box at the formula says the same, not what the build had found.
    fallen.first.hover()
    expect(page.locator(".vk-box__title")).to_have_text("Does not hold; the reason is below")
    page.mouse.move(2, 2)
    # An output that has changed is no failure.
    expect(page.locator(".vk-now", has_text="With your edit").first).to_contain_text(
        re.compile(r"bank\s+0\.88\s+0\.02")
    )


#: A note, a block, an edit of it, a figure, and a label that it has only with the edit.
FIGURES_EDITED = (
    ("Softmax", "by the sum", ("array([2.0", "array([3.0"), "softmax", "20.09"),
    (
        "Query Matrix",
        "looks_for",
        ("looks_for =", "W_Q = W_Q / 3\nlooks_for ="),
        "query-matrix",
        "2.7",
    ),
    ("Attention Weights", "alpha =", ("np.sqrt(d_k)", "4"), "attention-weights", "0.42"),
)


@pytest.mark.long
def test_an_edit_draws_figures_again_and_reset_brings_them_back(
    ready: Page, loaded: Visitor
) -> None:
    page = ready
    for title, block, change, figure, label in FIGURES_EDITED:
        follow(page, loaded.base, f"{title.lower().replace(' ', '-')}/", title)
        published_svg = page.locator(f"[data-figure='{figure}.svg'] svg")
        published = published_svg.locator("text")
        texts = published.all_text_contents()
        assert label not in texts
        load(page)
        expect(page.locator(".vk-pair")).to_have_count(0)
        edit(page, block, change)
        pair = page.locator(".vk-pair", has=page.locator(f"[data-figure='{figure}.svg']"))
        new = pair.locator(".vk-now svg")
        changed = new.locator("text.vk-changed", has_text=label).first
        expect(changed).to_be_visible(timeout=RUN)
        old, now = published_svg.bounding_box(), new.bounding_box()
        assert old
        assert now
        assert abs(now["width"] - old["width"]) < 2
        assert now["y"] > old["y"] + old["height"]
        assert published.all_text_contents() == texts
        expect(said(page)).to_contain_text(re.compile(r"\d figures?"))
        # There is one figure to touch, the published one.
        expect(page.locator(".vk-now [data-touch]")).to_have_count(0)
        expect(new).to_have_attribute("aria-label", re.compile("^With your edit: "))
        ids = "[...document.querySelectorAll('[id]')].map((part) => part.id)"
        assert page.evaluate(f"(new Set({ids})).size === {ids}.length")
        page.get_by_role("button", name="Reset the page").click()
        expect(page.locator(".vk-pair, .vk-now")).to_have_count(0)
        assert published.all_text_contents() == texts


@pytest.mark.long
def test_who_runs_a_block_sees_an_output_that_a_question_folds(
    ready: Page,
    loaded: Visitor,
    checked: None,  # noqa: ARG001
) -> None:
    page = ready
    follow(page, loaded.base, "softmax/", "Softmax")
    block = cell(page, "by the sum")
    output = page.locator("[data-check=output-0]")
    expect(output).to_be_hidden()
    block.get_by_role("button", name="Run").click()
    expect(output).to_be_visible(timeout=RUN)
    expect(block.locator(".vk-cell__said")).to_contain_text("shows what the page shows")


@pytest.mark.long
def test_an_edit_answers_no_question(
    ready: Page,
    loaded: Visitor,
    checked: None,  # noqa: ARG001
) -> None:
    page = ready
    follow(page, loaded.base, "softmax/", "Softmax")
    page.evaluate(FORGET)
    page.reload()
    load(page)
    block = edit(page, "by the sum", ("array([2.0", "array([3.0"))
    now = page.locator(".output[data-check=output-0] ~ .vk-now").first
    expect(now).to_contain_text("0.33", timeout=RUN, use_inner_text=False)
    block.get_by_role("button", name="Run").click()
    expect(said(page)).to_contain_text("With your edit", timeout=RUN)
    expect(now).to_be_hidden()
    expect(page.locator("[data-predicted=shown]")).to_have_count(0)
    page.locator(".output[data-check=output-0] ~ .vk-folded button").first.click()
    expect(now).to_be_visible()
    page.evaluate(FORGET)


@pytest.mark.long
def test_each_number_that_changes_shows_its_new_value(
    ready: Page,
    loaded: Visitor,
    checked: None,  # noqa: ARG001
) -> None:
    page = ready
    follow(page, loaded.base, "softmax/", "Softmax")
    load(page)
    question = page.locator("[data-check=prediction-2] > p", has_text="begins with")
    before = question.text_content() or ""
    block = edit(page, "by the sum", ("array([2.0", "array([3.0"))
    # The number that has changed, not the last one, which the comment is behind.
    expect(question).to_contain_text("begins with 2\u00a0→\u00a03 and 1. ", timeout=RUN)
    expect(question.locator("[data-outcome=changed]")).to_have_count(0)
    five = page.locator("[data-check=sentence-7]")
    expect(five).to_have_attribute("data-now", "7 with your edit, 6 without it")
    expect(page.locator("article")).not_to_contain_text(re.compile("No longer true"))
    # The block where one types says how much has changed, and leads there.
    told = block.locator(".vk-cell__said")
    expect(told).to_contain_text(re.compile(r"5 outputs, \d numbers, 2 figures"))
    told.get_by_role("button", name="Show the first").click()
    expect(page.locator("ins.vk-now").first).to_be_focused()
    page.get_by_role("button", name="Reset the page").click()
    expect(page.locator("ins.vk-now")).to_have_count(0)
    assert question.text_content() == before


@pytest.mark.long
def test_an_output_that_is_a_table_stays_one(ready: Page, loaded: Visitor) -> None:
    page = ready
    follow(page, loaded.base, "query-matrix/", "Query Matrix")
    load(page)
    edit(page, "looks_for =", ("looks_for =", "W_Q = W_Q * 2\nlooks_for ="))
    table = page.locator(".vk-now table").first
    expect(table.get_by_role("row", name="asks").locator("mark")).to_have_text(
        ["16", "16"], timeout=RUN
    )
    old = page.locator("[data-check=output-0] table")
    assert table.locator("mark").count() == 2
    assert table.locator("th").all_inner_texts() == old.locator("th").all_inner_texts()
    left, right = (
        one.get_by_role("columnheader", name="place?").bounding_box() for one in (old, table)
    )
    assert left
    assert right
    assert abs(left["x"] + left["width"] - right["x"] - right["width"]) < 2


@pytest.mark.long
def test_a_figure_with_its_own_numbers_says_so(ready: Page, loaded: Visitor) -> None:
    page = ready
    follow(page, loaded.base, "context-vector/", "Context Vector")
    load(page)
    edit(page, "Z = alpha @ V", ("Z = alpha", "Z = 2 * alpha"))
    told = page.locator(".vk-now", has_text="shows the original numbers, without your edit")
    expect(told).to_have_count(1, timeout=RUN)
    expect(page.locator(".vk-pair")).to_have_count(0)


@pytest.mark.long
def test_an_edit_is_no_failure_and_an_error_is_reported(ready: Page, loaded: Visitor) -> None:
    page = ready
    follow(page, loaded.base, "importance-of-dk-in-scaling/", "Importance of dk in Scaling")
    block = edit(page, "from snippets.softmax import softmax", ("scores.std()", "scores.std() / 2"))
    run = block.locator(".vk-cell button").first
    run.focus()
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("With your edit", timeout=RUN)
    expect(said(page)).to_contain_text("2 outputs, 1 figure changed")
    expect(page.locator("[data-outcome=fails], .vk-why")).to_have_count(0)
    area = block.locator("[contenteditable]")
    area.fill("1 / 0")
    area.press("Control+Enter")
    expect(page.locator(".vk-why", has_text="ZeroDivisionError").first).to_be_visible(timeout=RUN)
    expect(said(page)).to_contain_text("1 block does not run", timeout=RUN)
    page.get_by_role("button", name="Show the first ✗").click()
    expect(page.locator(".vk-why").first).to_be_focused()
    page.get_by_role("button", name="Reset the page").click()
    edit(page, "scaled score:", ("np.sqrt(d_k)", "d_k"))
    expect(said(page)).to_contain_text("With your edit: 1 output, 1 figure changed;", timeout=RUN)


@pytest.mark.long
def test_editing_is_left_by_escape_and_by_done(visit: Visitor) -> None:
    page = visit(EQUATION)
    block = cell(page, r"Z = alpha @ V")
    name = block.get_attribute("data-check")
    edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k * 2.5"))
    block = page.locator(f"[data-check={name}]")
    block.locator("[contenteditable]").press("Escape")
    expect(block.get_by_role("button", name="Edit")).to_be_focused()
    expect(page.locator("[contenteditable]")).to_have_count(0)
    # The code keeps the edit, and has its colours.
    expect(block.locator(".mf", has_text="2.5")).to_have_count(1)
    expect(block.locator("code")).to_contain_text("scaled_scores = S / d_k * 2.5")
    block.get_by_role("button", name="Edit").click()
    expect(block.locator("[contenteditable]")).to_be_focused()
    block.get_by_role("button", name="Done").click()
    expect(page.locator("[contenteditable]")).to_have_count(0)
    page.get_by_role("button", name="Reset the page").click()
    expect(block.locator("code")).not_to_contain_text("2.5")


@pytest.mark.long
def test_edited_code_keeps_its_size_on_a_phone(visit: Visitor) -> None:
    page = visit(EQUATION, width=390, has_touch=True, is_mobile=True)
    code = cell(page, r"Z = alpha @ V").locator("pre > code")
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    before = code.evaluate(size)
    block = cell(page, r"Z = alpha @ V")
    block.get_by_role("button", name="Edit").tap()
    expect(code).to_be_focused()
    assert code.evaluate(size) >= 16  # with smaller letters, Safari would zoom in
    block.get_by_role("button", name="Done").tap()
    expect(page.locator("[contenteditable]")).to_have_count(0)
    assert code.evaluate(size) == before


@pytest.mark.long
def test_a_loop_that_nobody_stops_ends_at_the_limit(visit: Visitor, pyodide: Path) -> None:  # noqa: ARG001
    page = visit.open()
    page.clock.install()
    visit.go(page, EQUATION)
    # Python comes while the page learns what code it is to run.
    block = edit(page, r"Z = alpha @ V", ("S = Q @ K.T", "while True: pass"))
    block.get_by_role("button", name="Run").click()  # shows the megabytes
    block.get_by_role("button", name="Run").click()
    expect(block.get_by_role("button", name="Stop")).to_be_visible(timeout=BOOT)
    expect(cell(page, "import numpy")).to_have_attribute("data-outcome", "holds", timeout=BOOT)
    page.clock.fast_forward("10:00")
    expect(said(page)).to_contain_text("which is the limit", timeout=RUN)
    expect(said(page)).to_contain_text("what it had computed is lost")
    block.get_by_role("button", name="Reset").click()
    start(page).click()
    expect(said(page)).to_contain_text("hold", timeout=BOOT)


@pytest.mark.full  # Python is loaded twice
def test_edits_flow_again_after_a_stop(visit: Visitor, pyodide: Path) -> None:  # noqa: ARG001
    page = visit(EQUATION)
    load(page)
    block = edit(page, r"Z = alpha @ V", ("S = Q @ K.T", "S = ("))
    expect(page.locator(".vk-why", has_text="SyntaxError").first).to_be_visible(timeout=RUN)
    area = block.locator("[contenteditable]")
    broken = area.text_content() or ""
    area.fill(broken.replace("S = (", "while True: pass"))
    block.get_by_role("button", name="Stop").click(timeout=RUN)
    expect(block.locator(".vk-cell__said")).to_contain_text("Stopped")
    # What an older edit has caused is gone.
    expect(page.locator(".vk-why")).to_have_count(0)
    expect(page.locator("[data-outcome=unjudged]")).to_have_count(0)
    area.fill(broken.replace("S = (", "S = 2 * Q @ K.T").rstrip())
    expect(page.locator(".vk-now").first).to_be_visible(timeout=BOOT)
    expect(block.locator(".vk-cell__said")).to_contain_text("changed")


@pytest.mark.long
def test_edits_survive_that_the_page_is_loaded_again_and_run_nothing(visit: Visitor) -> None:
    page = visit(EQUATION)
    expect(start(page)).to_be_visible()
    # What is not on the screen has no `innerText`.
    article = page.locator("article").text_content() or ""
    block = edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k"))
    page.reload()
    block = page.locator(".highlight", has=page.locator("[contenteditable]"))
    expect(block.locator("[contenteditable]")).to_have_text(re.compile("scaled_scores = S / d_k"))
    assert page.locator("[data-outcome]").count() == 0
    page.get_by_role("button", name="Reset the page").click()
    expect(page.locator("[contenteditable]")).to_have_count(0)
    foot = "Check this page"
    now = page.locator("article").text_content() or ""
    assert now.partition(foot)[0] == article.partition(foot)[0]
    page.reload()
    expect(page.locator("[contenteditable]")).to_have_count(0)


@pytest.mark.long
def test_the_focus_stays_at_its_button(visit: Visitor, pyodide: Path) -> None:  # noqa: ARG001
    page = visit(EQUATION)
    # Python comes as slowly as need be.
    page.route("**/pyodide.asm.wasm", lambda _: None)
    stop = page.locator(".vk-run__stop")
    start(page).focus()
    page.keyboard.press("Enter")
    expect(stop).to_be_focused()
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text("Stopped.")
    expect(start(page)).to_be_focused()
    buttons = cell(page, r"Z = alpha @ V").locator(".vk-cell button")
    buttons.first.focus()
    page.keyboard.press("Enter")  # shows the megabytes
    page.keyboard.press("Enter")
    expect(buttons.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(buttons.first).to_be_focused()
    expect(buttons.first).to_have_text("Run")


class _Isolated(http.server.SimpleHTTPRequestHandler):
    """A host whose pages may share memory with their workers."""

    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture
def isolated(contexts: Contexts, pyodide: Path) -> Iterator[Visitor]:
    folder = pyodide.parents[1]
    handler = functools.partial(_Isolated, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        base = f"http://127.0.0.1:{server.server_port}/{pyodide.parent.name}/"
        with visiting(contexts, base) as visitor:
            yield visitor
        server.shutdown()
        thread.join()


@pytest.mark.full  # half a minute
def test_where_the_host_isolates_pages_a_loop_is_interrupted(isolated: Visitor) -> None:
    page = isolated(EQUATION)
    assert page.evaluate("crossOriginIsolated")
    load(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    block = edit(page, r"Z = alpha @ V", ("S = Q @ K.T", "while True: pass"))
    block.get_by_role("button", name="Run").click()
    stop = block.get_by_role("button", name="Stop")
    expect(stop).to_be_visible(timeout=RUN)
    stop.click()
    expect(said(page)).to_contain_text("Python stays loaded", timeout=RUN)
    # What is above was judged, and stays so.
    assert page.locator(".highlight[data-outcome=holds]").count() > 0
    block.get_by_role("button", name="Reset").click()
    start(page).click()
    expect(said(page)).to_contain_text("hold", timeout=RUN)
    assert not set(PYODIDE) & set(asked)
    # Code that catches all there is, an interrupt too, is ended with its worker.
    deaf = (
        "n = 0\n    try:\n        n = 1\n        while True: n += 1\n    except BaseException: pass"
    )
    block = edit(page, r"Z = alpha @ V", ("S = Q @ K.T", f"while True:\n    {deaf}"))
    block.get_by_role("button", name="Run").click()
    expect(stop).to_be_visible(timeout=RUN)
    stop.click()
    expect(said(page)).to_contain_text("what it had computed is lost", timeout=RUN)


@pytest.mark.long
def test_what_cannot_be_loaded_is_reported_in_a_sentence(visit: Visitor, pyodide: Path) -> None:  # noqa: ARG001
    page = visit(EQUATION)
    page.route("**/pyodide.asm.wasm", lambda route: route.abort())
    start(page).click()
    expect(said(page)).to_contain_text(
        re.compile(r"127\.0\.0\.1:\d+ cannot be reached\."), timeout=BOOT
    )
    expect(start(page)).to_be_enabled()
    page.unroute("**/pyodide.asm.wasm")

    def other(route: Route) -> None:
        route.fulfill(body="self.loadPyodide = () => { throw Error('run'); }")

    page.route("**/pyodide.js", other)
    for name in PYODIDE:
        if name != "pyodide.js":
            page.route(f"**/{name}", lambda route: route.fulfill(body="nothing"))
    start(page).click()
    expect(said(page)).to_contain_text(
        "is not the file that this site was tested with", timeout=BOOT
    )
    visit.wrong = [what for what in visit.wrong if "ERR_FAILED" not in what]


@pytest.mark.long
def test_a_lost_network_is_reported_in_a_sentence(visit: Visitor) -> None:
    page = visit.open(fresh=True)  # nothing that others have loaded
    visit.go(page, EQUATION)
    page.context.set_offline(True)
    start(page).click()
    expect(said(page)).to_contain_text("There is no network")
    visit.wrong = [what for what in visit.wrong if "ERR_INTERNET_DISCONNECTED" not in what]


@pytest.mark.long
def test_a_blocked_worker_is_reported_in_a_sentence(visit: Visitor) -> None:
    page = visit.open()
    page.add_init_script("window.Worker = class { constructor() { throw new Error('no'); } };")
    visit.go(page, EQUATION)
    start(page).click()
    expect(said(page)).to_contain_text("did not let a web worker start")


@pytest.mark.long
def test_a_page_opened_from_a_file_says_so(visit: Visitor, built: Path) -> None:
    page = visit()
    page.goto((built / "attention-equation" / "index.html").as_uri())
    start(page).click()
    expect(said(page)).to_contain_text("opened from a file")
    expect(page.locator(".vk-run__cost")).to_have_text(re.compile(r"about 1[01] MB\.$"))
    visit.wrong.clear()  # a browser has much to say of fonts in files


@pytest.mark.long
def test_without_javascript_nothing_is_added(visit: Visitor) -> None:
    page = visit(EQUATION, java_script_enabled=False)
    assert page.locator(".vk-run").inner_text() == ""
    assert page.locator(".vk-cell").count() == 0


def outcomes(checks: list[Check]) -> Counter[tuple[Any, ...]]:
    # Only the build typesets.
    return Counter(
        (check.kind, check.line, check.column, check.what, check.outcome)
        for check in checks
        if check.kind != "formula"
    )


@pytest.mark.long
def test_all_notes_come_out_in_a_browser_as_they_do_here(
    visit: Visitor,
    pyodide: Path,  # noqa: ARG001
    pytestconfig: pytest.Config,
) -> None:
    """NumPy is 2.0 there. It prints no output of any note otherwise than the newest does.

    Without ``--all``, every eighth note runs: all of them take two minutes.
    """
    page = visit.open()
    page.add_init_script(LISTEN)
    step = 1 if pytestconfig.option.all else 8
    page.add_init_script(f"const step = {step};" + FEWER)
    visit.go(page, "checks/")
    rows = page.locator(".vk-ledger tr[data-note]")
    start(page).click()
    expect(said(page)).to_contain_text("Checking note", timeout=BOOT)
    expect(page.locator(".vk-run progress")).to_be_hidden()
    expect(page.locator(".vk-run__cost")).to_be_hidden()
    expect(said(page)).to_have_text(re.compile("hold.*, on .* notes"), timeout=ALL)
    ids = {data["id"]: data for data in page.evaluate("received") if data.get("done")}
    found: dict[int, list[Check]] = {id_: [] for id_ in ids}
    for data in page.evaluate("received"):
        if "check" in data:
            found[data["id"]].append(Check.from_plain(data["check"]))
    vault = VAULT
    names = rows.evaluate_all("rows => rows.map(row => row.dataset.note)")
    assert len(names) == -(-len(vault.notes) // step)
    runner = Runner(vault, Settings(), ledger=Ledger(vault))  # knows what has been checked
    try:
        runner.submit([(vault.notes[vault.root / name], None) for name in names])
        for name, there in zip(names, found.values(), strict=True):
            here = outcomes(runner.result(vault.notes[vault.root / name]).checks)
            assert outcomes(there) == here, name
    finally:
        runner.close()
