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
from checking import ALL, BOOT, EQUATION, RUN, cell, edit, follow, load, said, start
from playwright.sync_api import Page, Route, expect
from visitor import Contexts, Visitor, visiting

from tests.own_vault import VAULT
from vaultkit.checks.check import Check
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.ledger import Ledger
from vaultkit.pipeline.runner import Runner
from vaultkit.site.runnable import PYODIDE

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


#: Removes rows of the list of notes before the page's own scripts see them.
FEWER = """document.addEventListener("DOMContentLoaded", () => {
  if (window.fewer) return;
  window.fewer = true;
  const rows = document.querySelectorAll(".vk-ledger tr[data-note]");
  rows.forEach((row, i) => i % step && row.remove());
});"""


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
    expect(page.locator(".vk-run__cost")).to_contain_text(re.compile(r"about 1[01] MB\.$"))
    engine = [name for name in asked if "pyodide" in name or name.startswith(("engine", "checks."))]
    assert engine == []
    block = cell(page, r"sqrt\(d_k\)")
    run = block.get_by_role("button", name="Run")
    run.hover()
    expect(run).to_have_attribute("title", re.compile("about 1[01] MB$"))
    assert not set(PYODIDE) & set(asked)
    # One click fetches Python and runs the page.
    run.click()
    expect(block.locator(".vk-cell__said")).to_contain_text("shows what the page", timeout=BOOT)
    assert set(PYODIDE) <= set(asked)
    # What a browser has is not announced again.
    asked.clear()
    visit.go(page, EQUATION)
    expect(page.locator(".vk-run__cost")).to_be_hidden()
    run.hover()
    expect(run).to_have_attribute("title", "")
    run.click()
    expect(block.locator(".vk-cell__said")).to_have_text(re.compile("^starting Python"))
    assert "MB" not in said(page).inner_text()


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
    unchecked = ready.locator(".vk-checked--unchecked")
    if unchecked.count():  # unless all notes were checked before the site was built
        expect(unchecked).to_contain_text("Not checked")
    load(ready)
    expect(unchecked).to_have_count(0)
    assert not set(PYODIDE) & set(asked)


@pytest.mark.long
def test_a_loop_that_nobody_stops_ends_at_the_limit(visit: Visitor, pyodide: Path) -> None:  # noqa: ARG001
    page = visit.open()
    page.clock.install()
    visit.go(page, EQUATION)
    # Python comes while the page learns what code it is to run.
    block = edit(page, r"Z = alpha @ V", ("S = Q @ K.T", "while True: pass"))
    told = block.locator(".vk-cell__said")
    expect(told).to_contain_text(
        re.compile(r"^Run to see the effect \(loads Python, about 1[01] MB")
    )
    block.get_by_role("button", name="Run").click()
    expect(block.get_by_role("button", name="Stop")).to_be_visible(timeout=BOOT)
    expect(cell(page, "import numpy")).to_have_attribute("data-outcome", "holds", timeout=BOOT)
    page.clock.fast_forward("00:03")
    expect(block.locator(".vk-cell__said")).to_have_text(re.compile(r"is stopped after \d+ s"))
    page.clock.fast_forward("10:00")
    for told in (said(page), block.locator(".vk-cell__said")):
        expect(told).to_contain_text(
            re.compile(
                r"Stopped after \d+ s, which is the limit of a block: a loop .* may not end"
            ),
            timeout=RUN,
        )
        expect(told).to_contain_text("what it had computed is lost")
    block.get_by_role("button", name="Reset").click()
    start(page).click()
    expect(said(page)).to_contain_text("hold", timeout=BOOT)


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
    page.keyboard.press("Enter")
    expect(buttons.nth(1)).to_be_focused()
    # The bar is at the block that was run.
    bars = page.get_by_role("progressbar", name="Loading Python")
    expect(bars).to_have_count(1)
    expect(cell(page, r"Z = alpha @ V").get_by_role("progressbar")).to_be_in_viewport()
    expect(cell(page, r"Z = alpha @ V").get_by_role("status")).to_contain_text("loading Python")
    page.keyboard.press("Enter")
    expect(bars).to_have_count(0)
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
