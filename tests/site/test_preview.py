"""Links show what they lead to: by pointer, keyboard and finger, wherever the site is served."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from visitor import CHECKED, Visitor

TEX = re.compile(r"\\[a-z]{2,}|\$[^$]+\$|\\\(")


def card(page: Page) -> Locator:
    return page.locator(".vk-preview")


def leave(page: Page) -> None:
    """Move the pointer to where no link is, and expect that the card vanishes."""
    page.mouse.move(2, 2)
    expect(card(page)).to_have_count(0)


def point(page: Page, link: Locator) -> None:
    """Rest the pointer on a link until its card is shown.

    What is laid out or loaded meanwhile moves the link away from a resting pointer, which is then
    put on it again.
    """
    for timeout in (5_000, 10_000, None):
        link.scroll_into_view_if_needed()
        link.hover()
        with contextlib.suppress(*([AssertionError] if timeout else [])):
            expect(card(page)).to_be_visible(timeout=timeout)
            return
        leave(page)


@pytest.mark.long
def test_a_link_shows_what_it_leads_to_wherever_the_site_is_served(
    visit: Visitor, built: Path
) -> None:
    """The address for which it was built is another one."""
    moved = built.with_name("moved")
    if not moved.exists():
        moved.symlink_to(built)
    visit.base = visit.base.replace("/vault/", "/moved/")
    page = visit("softmax/")
    point(page, page.locator("article p > a.wikilink").first)
    expect(card(page).locator("h1")).to_be_visible()
    expect(card(page)).to_have_count(1)
    leave(page)


@pytest.mark.long
def test_each_link_shows_its_own_section(visit: Visitor) -> None:
    page = visit("questions-and-answers/")
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    links = page.locator("article a.wikilink[href*='#']")
    seen = set()
    for at in range(0, 16, 2):
        link = links.nth(at)
        point(page, link)
        anchor = (link.get_attribute("href") or "").partition("#")[2]
        expected = page.evaluate(
            """async ([href, id]) => {
              const page = await (await fetch(href)).text();
              const found = new DOMParser().parseFromString(page, "text/html").getElementById(id);
              found.querySelectorAll(".headerlink").forEach(extra => extra.remove());
              return found.textContent.trim();
            }""",
            [link.evaluate("link => link.href.split('#')[0]"), anchor],
        )
        expect(card(page).locator(".vk-preview__text > :first-child")).to_have_text(expected)
        seen.add(expected)
        assert not TEX.search(card(page).inner_text())
        leave(page)
    assert len(seen) > 4


def test_a_card_ends_with_a_block_and_cuts_no_code(visit: Visitor) -> None:
    page = visit("importance-of-dk-in-scaling/")
    point(page, page.locator("article p > a.wikilink[href$='#independence']").first)
    text = card(page).locator(".vk-preview__text")
    cut = text.evaluate("""text => {
        const end = text.getBoundingClientRect().bottom;
        return [...text.children].filter(part => {
            const box = part.getBoundingClientRect();
            return box.top < end && box.bottom > end; }).length; }""")
    assert cut == 0
    assert text.evaluate("e => e.scrollHeight > e.clientHeight")
    room = "all => all.map(e => e.scrollWidth - e.clientWidth)"
    assert max(text.locator("pre > code").evaluate_all(room)) <= 0


@pytest.mark.long
def test_formulas_in_cards_are_typeset(visit: Visitor) -> None:
    page = visit("self-attention/")
    point(page, page.locator("article a.wikilink[href$='attention-equation/']").first)
    assert card(page).locator("math").count() >= 1
    assert not TEX.search(card(page).inner_text())
    assert card(page).locator("[id], a[href]").count() == 0


@pytest.mark.long
def test_a_card_by_keyboard(visit: Visitor) -> None:
    page = visit("one-head-by-hand/")
    page.locator("article h1").click()
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('article p > a.wikilink')"):
            break
    expect(card(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(card(page)).to_have_count(0)
    expect(page.locator("a.wikilink:focus")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_card_by_touch(visit: Visitor, scheme: str) -> None:
    page = visit("one-head-by-hand/", width=390, scheme=scheme, has_touch=True, is_mobile=True)
    link = page.locator("article p > a.wikilink").first
    link.scroll_into_view_if_needed()
    # A link may go on in a second line.
    point = link.evaluate(
        """(link) => { const [first] = link.getClientRects();
             return { x: first.x + 8, y: first.y + 8 }; }"""
    )
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    expect(card(page)).to_be_visible()
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(card(page)).to_be_visible()
    assert page.url.endswith("one-head-by-hand/")
    seen = card(page).bounding_box()
    assert seen
    assert seen["x"] >= 0
    assert seen["x"] + seen["width"] <= 390
    # What can be pressed looks like it, and can be read.
    edges = "(button) => getComputedStyle(button).borderTopStyle"
    assert (
        card(page).locator(".md-button").evaluate_all(f"all => all.map({edges})") == ["solid"] * 2
    )
    style = "(parts, name) => parts.map(part => getComputedStyle(part)[name])"
    ways = card(page).locator(".md-button")
    [ground] = card(page).evaluate_all(style, "backgroundColor")
    assert ways.evaluate_all(style, "backgroundColor")[0] != ground
    assert ways.evaluate_all(style, "color")[0] == ground
    assert ways.evaluate_all(style, "color")[1] != ground
    card(page).get_by_role("button", name="Close").tap()
    expect(card(page)).to_have_count(0)
    # A tap follows the link as ever.
    link.tap()
    expect(page.locator("h1")).not_to_contain_text("One Head by Hand")


@pytest.mark.long
def test_a_drawing_in_a_card_has_its_colours(visit: Visitor) -> None:
    page = visit("questions-and-answers/")
    assert page.locator("svg.vk-figure").count() == 0
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    point(page, page.locator("article a.wikilink[href$='#must-it-be-softmax']").first)
    drawing = card(page).locator("svg.vk-figure").first
    fill = "svg => getComputedStyle(svg.querySelector('rect')).fill"
    assert drawing.evaluate(fill) != "rgb(0, 0, 0)"
    # No room is kept for what could be touched elsewhere.
    visit.go(page, "softmax-saturation/")
    point(page, page.locator("article a.wikilink[href*='importance-of-dk-in-scaling/#']").first)
    assert card(page).locator("metadata").count() == 0


@pytest.mark.long
def test_no_card_outlives_its_page(visit: Visitor) -> None:
    page = visit("one-head-by-hand/")
    link = page.locator("article p > a.wikilink").first
    point(page, link)
    link.click()
    expect(page.locator("h1")).not_to_contain_text("One Head by Hand")
    expect(card(page)).to_have_count(0)


@pytest.mark.long
def test_a_page_that_is_gone_shows_no_card(visit: Visitor) -> None:
    page = visit("one-head-by-hand/")
    page.route(
        "**/*", lambda route: route.fulfill(body="<p>Nothing.</p>", content_type="text/html")
    )
    with page.expect_request("**/"):
        page.locator("article p > a.wikilink").first.hover()
    expect(card(page)).to_have_count(0)


@pytest.mark.long
@pytest.mark.usefixtures("checked")
def test_the_line_of_checks_shows_the_checks_of_its_note(visit: Visitor) -> None:
    page = visit(f"{CHECKED.lower()}/")
    link = page.locator(".vk-checked a")
    point(page, link)
    expect(card(page)).to_contain_text("This note's checks")
    expect(card(page)).to_contain_text(re.compile(r"Verdicts: \d+ blocks, \d+ equations"))
    leave(page)
    page.keyboard.press("Tab")
    link.focus()
    expect(card(page)).to_contain_text("Verdicts")
