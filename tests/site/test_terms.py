"""A term shows its meaning where a note first uses it: by mouse, by touch, by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from visitor import NEAR, Visitor, restyle, violations

BOX = ".vk-box"
TERM = "[data-term]:not(.vk-math)"
MEANS = "An attention score divided by the root of the key width"


def reach(page: Page) -> None:
    page.locator("h1 .headerlink").focus()
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches('{TERM}')"):
            return
    raise AssertionError("no term is reached")


@pytest.mark.usually("keyboard-1280")
@pytest.mark.parametrize(
    ("way", "width"), [("mouse", 1280), ("touch", 390), ("keyboard", 390), ("keyboard", 1280)]
)
def test_a_term_shows_its_meaning(visit: Visitor, way: str, width: int) -> None:
    page = visit("attention-weights/", width=width, has_touch=way == "touch")
    term = page.locator(TERM).first
    expect(term).to_have_text("scaled scores")
    page.evaluate(NEAR)
    height = page.evaluate("document.documentElement.scrollHeight")
    if way == "mouse":
        term.hover()
    elif way == "touch":
        term.tap()
    else:
        reach(page)
    box = page.get_by_role("dialog", name="What this means")
    expect(box).to_contain_text(f"Scaled score{MEANS}")
    assert page.evaluate("document.documentElement.scrollHeight") == height
    place = box.bounding_box()
    assert place
    assert 0 <= place["x"] <= width - place["width"]
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)


@pytest.mark.long
def test_a_meaning_leads_to_where_it_is_explained(visit: Visitor) -> None:
    page = visit("attention-weights/")
    reach(page)
    page.keyboard.press("Enter")
    expect(page.locator(f"{BOX} a")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("One Head by Hand")


@pytest.mark.long
def test_a_letter_shows_its_meaning(visit: Visitor) -> None:
    page = visit("attention-equation/")
    letter = page.locator(".vk-math[data-term]:has(math[data-tex='V'])")
    expect(letter).to_have_count(1)
    letter.hover()
    expect(page.locator(BOX)).to_contain_text("Values")
    expect(page.locator(BOX)).to_contain_text("V ∈ ℝ")


@pytest.mark.long
def test_once_on_a_page_and_never_where_it_is_explained(visit: Visitor) -> None:
    page = visit("attention-weights/", java_script_enabled=False)
    names = [text.lower() for text in page.locator(TERM).all_text_contents()]
    assert len(names) == len(set(names)) > 8
    # Without scripts nothing asks to be pressed.
    assert "underline" not in page.locator(TERM).first.evaluate(
        "e => getComputedStyle(e).textDecorationLine"
    )
    assert "attention weights" not in names
    inside = ":is(a, code, h1, h2, h3, summary, svg) [data-term]"
    assert page.locator(inside).count() == 0
    visit.go(page, "glossary/")
    assert page.locator("[data-term]").count() == 0
    visit.go(page, "query-key-value-analogy/")
    assert "key" not in [text.lower() for text in page.locator(TERM).all_inner_texts()]


@pytest.mark.long
def test_terms_shut_nobody_out(visit: Visitor) -> None:
    page = visit("attention-weights/", width=390)
    page.locator(TERM).first.hover()
    expect(page.locator(BOX)).to_be_visible()
    page.evaluate(NEAR)
    for scheme in ("light", "dark"):
        restyle(page, 390, scheme)
        found = violations(page, {"rules": {"target-size": {"enabled": True}}})
        assert [rule["id"] for rule in found] == []
