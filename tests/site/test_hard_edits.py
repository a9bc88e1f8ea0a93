"""Edits that no page can compute: an error, nothing, too much, a loop. The next one works again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checking import BOOT, RUN, cell, edit, load, said
from playwright.sync_api import Locator, Page, expect
from visitor import Visitor

#: What is added to the first block, and what the page says of it.
ADDED = {
    "1 / 0": "ZeroDivisionError: division by zero",
    "big = np.zeros(10**10)": "ValueError: Maximum allowed dimension exceeded",
    "big = [0] * 10**10": "OverflowError",
    "(": "Python cannot read this code: a bracket is opened and never closed.",
    "import sys; sys.exit()": "SystemExit",
    "while True: print('x')": "Stopped: it wrote more than 1,000,000 characters",
}


@pytest.fixture
def softmax(visit: Visitor, pyodide: Path) -> tuple[Page, Locator, str]:  # noqa: ARG001
    """The page with Python, its first block, edited once, and the published code of that."""
    page = visit("softmax/")
    code = cell(page, r"x = np\.array").locator("code").inner_text().rstrip("\n")
    load(page)
    block = edit(page, r"x = np\.array", ("2.0", "3.0"))
    _changes(page)
    return page, block, code


def _changes(page: Page) -> None:
    """Wait until the page shows what a number has changed."""
    expect(said(page)).to_contain_text(re.compile(r"\d figures? changed"), timeout=BOOT)
    expect(page.locator(".vk-why")).to_have_count(0)


@pytest.mark.long
def test_the_page_says_why_code_does_not_run_and_runs_the_next_edit(
    softmax: tuple[Page, Locator, str],
) -> None:
    page, block, code = softmax
    area = block.locator("[contenteditable]")
    for number, (added, told) in enumerate(ADDED.items()):
        area.fill(f"{code}\n{added}")
        expect(page.locator(".vk-why").first).to_contain_text(told, timeout=RUN)
        expect(said(page)).to_contain_text("1 block does not run")
        area.fill(code.replace("2.0", f"{number + 4}.0"))
        _changes(page)
    area.fill("")
    expect(page.locator(".vk-why").first).to_contain_text("No code above defines x.", timeout=RUN)
    area.fill(code.replace("2.0", "3.0"))
    _changes(page)


@pytest.mark.long
def test_an_endless_loop_is_stopped_and_the_next_edit_runs(
    softmax: tuple[Page, Locator, str],
) -> None:
    page, block, code = softmax
    area = block.locator("[contenteditable]")
    area.fill(f"{code}\nwhile True: pass")
    block.get_by_role("button", name="Stop").click(timeout=RUN)
    expect(block.locator(".vk-cell__said")).to_contain_text("Stopped.")
    expect(block.get_by_role("button", name="Stop")).to_be_hidden()
    area.fill(code.replace("2.0", "3.0"))
    _changes(page)
