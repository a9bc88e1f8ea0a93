"""The page while a reader types into its code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checking import EQUATION, RUN, cell, edit, follow, load, said
from playwright.sync_api import Page, expect
from visitor import Visitor

#: Moves a block down in its article, after the parts below it have been laid out.
PUSHED = """block => {
  delete block.dataset.laidOut;
  for (let at = 0; at < 18; at += 1) block.before(document.createElement("p"));
}"""


@pytest.mark.long
def test_the_buttons_of_an_edited_block_can_be_clicked(visit: Visitor, pyodide: Path) -> None:  # noqa: ARG001
    page = visit("softmax/", width=1280)
    # As on the first page of a visit: what is far below is not laid out yet.
    page.evaluate("document.documentElement.classList.remove('vk-whole')")
    load(page)
    # What is inserted above the block moves it below the parts that are laid out at once.
    cell(page, r"exps\.sum\(\)").evaluate(PUSHED)
    block = edit(page, r"exps\.sum\(\)", ("exps.sum()", "exps.max()"))
    onward = block.get_by_role("button", name="Next")
    expect(onward).to_have_text(re.compile(r"\(\d+ of \d+\)"), timeout=RUN)
    before = onward.inner_text()
    block.scroll_into_view_if_needed()
    onward.click(timeout=10_000)
    expect(onward).not_to_have_text(before)


#: Records how many milliseconds after the last letter each box with an error has come.
RECORDS = """() => {
  let typed = 0;
  window.waited = [];
  document.addEventListener("input", () => { typed = performance.now(); }, true);
  new MutationObserver((changes) => {
    const added = changes.flatMap((change) => [...change.addedNodes]);
    if (added.some((node) => node.matches?.(".vk-why"))) waited.push(performance.now() - typed);
  }).observe(document.querySelector("article"), { childList: true, subtree: true });
}"""


@pytest.mark.long
def test_an_error_waits_until_the_code_rests(ready: Page) -> None:
    page = ready
    load(page)
    block = edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k"))
    # A question folds the first one.
    expect(page.locator("div.vk-now").first).to_be_attached(timeout=RUN)
    page.evaluate(RECORDS)
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("\n(")
    expect(page.locator(".vk-why", has_text="SyntaxError").first).to_be_visible(timeout=RUN)
    assert min(page.evaluate("waited")) > 1400
    # The error is not kept back when the reader runs the code, or leaves it.
    page.keyboard.insert_text("(")
    page.keyboard.press("Escape")
    expect(page.locator(".vk-why", has_text="SyntaxError").first).to_be_visible(timeout=RUN)
    block.get_by_role("button", name="Reset").click()
    expect(page.locator(".vk-why, .vk-now")).to_have_count(0)


@pytest.mark.long
def test_a_formula_whose_sizes_no_longer_fit_is_not_red(ready: Page, loaded: Visitor) -> None:
    page = ready
    follow(page, loaded.base, "importance-of-dk-in-scaling/", "Importance of dk in Scaling")
    load(page)
    block = edit(page, r"row = np", ("[1.0, 0.5, -1.0]", "[1.0, 0.5]"))
    box = page.locator("p.vk-now", has_text="The sizes no longer fit: J is 2 × 2")
    expect(box).to_have_text(re.compile(r"α has 2 numbers, δ is 3 × 3\.$"), timeout=RUN)
    expect(page.locator("[data-outcome=fails], .vk-why")).to_have_count(0)
    expect(said(page)).to_contain_text("1 check not judged")
    expect(block.locator(".vk-cell__said")).not_to_contain_text("formula")


def test_reset_returns_the_focus_to_the_button_that_edits(visit: Visitor) -> None:
    page = visit(EQUATION)
    block = edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k"))
    block.get_by_role("button", name="Reset").click()
    expect(block.get_by_role("button", name="Edit")).to_be_focused()
    edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k"))
    page.get_by_role("button", name="Reset the page").click()
    expect(page.locator(".vk-run__start")).to_be_focused()


def test_the_first_edit_says_how_its_effect_is_seen(visit: Visitor) -> None:
    page = visit(EQUATION)
    block = edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k"))
    told = block.locator(".vk-cell__said")
    expect(told).to_have_text(re.compile(r"^Run to see the effect \(loads Python, about 1[01] MB"))
    assert cell(page, "import numpy").locator(".vk-cell__said").inner_text() == ""
