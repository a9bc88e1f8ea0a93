"""The graph of the notes in a browser: whole, and of a note."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from visitor import BEGUN, WHOLE, Visitor, violations

LIT = """() => [...document.querySelectorAll(".vk-graph a.vk-lit")]
  .map((a) => a.getAttribute("aria-label") ?? a.textContent)"""
LEFT = """() => [...document.querySelectorAll(".vk-graph a[data-n]:not(.vk-lit)")]
  .every((a) => parseFloat(getComputedStyle(a).opacity) < .5)"""


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 390])
def test_a_note_shows_where_it_stands(visit: Visitor, width: int) -> None:
    page = visit("multi-head-attention/", width=width, reduced_motion="reduce")
    here = page.locator("aside.vk-graph")
    expect(here.locator("[aria-current=page]")).to_have_attribute(
        "aria-label", "Multi-Head Attention"
    )
    expect(here).to_contain_text("Directly before it: One Head by Hand.")
    smallest = here.locator("text").first.evaluate(
        "t => parseFloat(getComputedStyle(t).fontSize) * t.ownerSVGElement.getScreenCTM().a"
    )
    assert smallest >= 9.5
    other = here.locator("a[aria-label='Feed-Forward Layer']")
    assert page.evaluate(LIT) == []
    other.focus()
    joined = ["Positional Encoding", "Residual Connection", "Feed-Forward Layer"]
    assert page.evaluate(LIT) == joined
    assert page.evaluate(LEFT)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Feed-Forward Layer")
    # The hidden parts above the map would move it when they are laid out.
    page.wait_for_function(BEGUN)
    page.evaluate(WHOLE)
    page.locator(".vk-graph a[aria-label='Residual Connection']").hover()
    assert "Residual Connection" in page.evaluate(LIT)
    page.locator("h1").hover()
    assert page.evaluate(LIT) == []


@pytest.mark.long
def test_a_bold_title_fits_its_box(visit: Visitor) -> None:
    page = visit("common-mistakes/")
    here = page.locator("aside.vk-graph [aria-current=page]")
    left = here.evaluate(
        """a => a.querySelector("rect").getBBox().width
             - Math.max(...[...a.querySelectorAll("tspan")].map(t => t.getComputedTextLength()))"""
    )
    assert left > 6


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_all_notes_on_one_map(visit: Visitor, scheme: str, width: int) -> None:
    page = visit("softmax/", scheme=scheme, width=width, reduced_motion="reduce")
    page.get_by_role("navigation", name="Where you are").get_by_role("link", name="step 2").click()
    expect(page.locator("h1")).to_contain_text("Map")
    boxes = page.locator(".vk-graph a")
    listed = page.locator(".vk-graph__list li")
    assert boxes.count() == listed.count() > 30
    expect(listed.nth(8)).to_contain_text("Naive Attention: after Self Attention and Static")
    assert violations(page, {"rules": {"target-size": {"enabled": True}}}) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes.nth(0).click()
    expect(page.locator("h1")).to_contain_text("Softmax")


def test_the_map_is_there_without_scripts(visit: Visitor) -> None:
    page = visit("map/", java_script_enabled=False)
    page.locator(".vk-graph a").first.click()
    expect(page.locator("h1")).to_contain_text("Softmax")


@pytest.mark.long
def test_the_graph_of_a_note_is_light(visit: Visitor) -> None:
    page = visit("multi-head-attention/")
    assert len(page.locator("aside.vk-graph").evaluate("e => e.outerHTML")) < 8000
