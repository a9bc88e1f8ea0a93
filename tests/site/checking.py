"""Runs and edits the code of a page in a browser, for several tests."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect
from visitor import Visitor

# Two cores that others use, too.
BOOT, RUN, ALL = 120_000, 60_000, 400_000
EQUATION = "attention-equation/"


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


def opened(page: Page, loaded: Visitor, title: str, *, run: bool = True) -> Page:
    """Return the page with Python at another note, which is run if asked for."""
    follow(page, loaded.base, f"{title.lower().replace(' ', '-')}/", title)
    if run:
        load(page)
    return page
