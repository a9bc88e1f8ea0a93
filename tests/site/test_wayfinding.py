"""Readers see where they are, what comes before and after, and what else is like it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from visitor import Visitor


@pytest.mark.usually("390")
@pytest.mark.parametrize("width", [1280, 390])
def test_a_note_says_which_step_of_the_road_it_is(visit: Visitor, width: int) -> None:
    page = visit("self-attention/", width=width)
    here = page.get_by_role("navigation", name="Where you are")
    expect(here).to_contain_text(re.compile(r"45 minutes: step 3 of 7\s+\d+ minutes"))
    # No more than this line is above the title.
    box = page.locator("h1").bounding_box()
    assert box
    assert box["y"] < 140
    onward = page.get_by_role("navigation", name="Before and after")
    expect(onward).to_contain_text("Builds on Softmax")
    # The footer names the next page, so this line does not.
    expect(onward.get_by_role("link", name="One Head by Hand")).to_be_hidden()
    page.locator(".md-footer__link--next").click()
    expect(page.locator("h1")).to_contain_text("One Head by Hand")
    expect(here).to_contain_text("45 minutes: step 4 of 7")


@pytest.mark.long
def test_the_road_has_a_beginning_and_an_end(visit: Visitor) -> None:
    page = visit("")
    here, onward = page.locator(".vk-here"), page.locator(".vk-onward")
    expect(here).to_contain_text("45 minutes: step 1 of 7")
    expect(onward).not_to_contain_text("Builds on")
    took = page.locator(".vk-card__said").all_text_contents()
    assert sum(int(words.split()[0]) for words in took) <= 45
    page.get_by_role("link", name="45 minutes", exact=True).click()
    expect(page.locator("h1")).to_contain_text("Softmax")
    visit.go(page, "a-decoder-end-to-end/")
    expect(here).to_contain_text("45 minutes: step 7 of 7")
    expect(onward).to_contain_text("On the whole road: Ten Questions")
    visit.go(page, "transformer-block/")
    expect(here).to_contain_text(re.compile(r"Step (\d+) of \1\s"))
    expect(onward).not_to_contain_text("Next")
    visit.go(page, "padding-masks/")
    expect(here).to_contain_text(re.compile(r"Side road\s+\d+ minutes"))
    expect(onward).to_contain_text("From Causal and Padding Masks")
    for address in ("before-you-start/", "questions-and-answers/", "glossary/", "checks/"):
        visit.go(page, address)
        expect(here).to_have_count(0)


@pytest.mark.long
def test_a_card_says_that_its_page_was_read(visit: Visitor) -> None:
    page = visit("softmax/")
    page.locator(".vk-onward").scroll_into_view_if_needed()
    page.wait_for_function("Object.values(localStorage).some(v => v.includes('Softmax.md'))")
    visit.go(page, "")
    cards = page.locator(".vk-card")
    expect(cards).to_have_count(7)
    expect(cards.filter(has_text="✓ read")).to_have_text(re.compile("Softmax"))
    expect(cards.locator("svg")).to_have_count(7)
    cards.nth(1).click()
    expect(page.locator("h1")).to_contain_text("Softmax")


def test_the_cards_are_near_the_top_of_the_home_page(visit: Visitor) -> None:
    page = visit("")
    page.mouse.move(1, 1)  # the decoder comes, which must not push them away
    expect(page.locator("figure[data-touch=ready]")).to_have_count(2)
    moving, decoder = (page.locator("figure").nth(i).bounding_box() or {} for i in range(2))
    assert decoder["x"] > moving["x"] + moving["width"]
    tops = {card.bounding_box()["y"] for card in page.locator(".vk-card").all()}
    assert len(tops) == 1
    assert tops.pop() < 1250


@pytest.mark.long
def test_breadcrumbs_lead_to_the_first_page(visit: Visitor) -> None:
    page = visit("softmax/")
    path = page.get_by_role("navigation", name="Path to this page")
    expect(path).to_contain_text("In 45 minutes")
    path.get_by_role("link", name="Attention Vault").click()
    expect(page.locator("h1")).to_contain_text("Attention Vault")


@pytest.mark.long
def test_a_tag_leads_to_the_notes_that_have_it(visit: Visitor) -> None:
    page = visit("softmax-saturation/")
    page.locator(".md-tags").get_by_role("link", name="scaling").click()
    page.wait_for_url("**/tags/#tag:scaling")
    heading = page.locator("[id='tag:scaling']")
    expect(heading).to_be_in_viewport()
    listed = heading.locator("xpath=following-sibling::ul[1]")
    for name in ("Importance of dk in Scaling", "Initialization", "Softmax Saturation"):
        expect(listed.get_by_role("link", name=name)).to_be_visible()


def test_nothing_is_said_of_a_source_whose_address_is_unknown(built: Path) -> None:
    for path in built.rglob("*.html"):
        text = path.read_text("utf-8")
        assert "Edit this page" not in text
        assert "md-source" not in text


def test_no_two_pages_call_themselves_the_same(built: Path) -> None:
    pages_of: dict[str, list[str]] = {}
    for path in sorted(built.rglob("index.html")):
        text = path.read_text("utf-8")
        if "<article" not in text:
            continue
        for pattern in ("<title>(.*?)</title>", '<meta name="description" content="(.*?)"'):
            found = re.search(pattern, text)
            assert found, (path, pattern)
            pages_of.setdefault(found[1], []).append(path.parent.name)
    assert len(pages_of) > 80
    assert {words: pages for words, pages in pages_of.items() if len(pages) > 1} == {}


@pytest.mark.long
def test_a_notebook_has_its_markdown_too(visit: Visitor, built: Path) -> None:
    page = visit("first-principles/")
    link = page.get_by_role("link", name="Markdown", exact=True)
    expect(link).to_have_attribute("href", re.compile(r"/first-principles\.md$"))
    text = (built / "first-principles.md").read_text("utf-8")
    assert text.lstrip().startswith("# First Principles")
    assert "```python" in text
    assert "$$" in text
    assert "[First Principles](" in (built / "llms.txt").read_text("utf-8")


def test_the_address_of_a_section_that_moved_leads_to_it(visit: Visitor) -> None:
    page = visit("self-attention/")
    page.evaluate("location.assign('../softmax/#along-rows')")
    expect(page).to_have_url(re.compile(r"/softmax-in-detail/#along-rows$"))
    expect(page.locator("#along-rows")).to_be_in_viewport()
