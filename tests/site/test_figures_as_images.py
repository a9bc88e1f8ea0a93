"""A figure as an image, outside the site, is set in a font of the system and is cut at its edge."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser
from visitor import ROOT

#: Finds the texts of each drawing that leave it, and the pairs of level texts that meet.
FAULTS = """() => [...document.querySelectorAll('svg.vk-figure')].flatMap(svg => {
  const whole = svg.getBoundingClientRect(), faults = [];
  const texts = [...svg.querySelectorAll('text')].map(element => {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    const { b } = element.getCTM();  // not 0: turned
    // A line is higher than its letters.
    const ink = { top: top + .25 * height, bottom: bottom - .22 * height };
    return { words: element.textContent, left, right, top, bottom, width, ink, turned: b !== 0 };
  }).filter(({ width, words }) => width > 0 && words.trim());
  for (const t of texts)
    if (Math.max(whole.left - t.left, t.right - whole.right, whole.top - t.top,
                 t.bottom - whole.bottom) > 0.5)
      faults.push(`${svg.parentNode.id}: “${t.words}” leaves it`);
  const level = texts.filter(({ turned }) => !turned);
  level.forEach((a, i) => level.slice(0, i).forEach(b => {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.ink.bottom, b.ink.bottom) - Math.max(a.ink.top, b.ink.top);
    if (wide > 1 && high > 1) faults.push(`${svg.parentNode.id}: “${b.words}” on “${a.words}”`);
  }));
  return faults;
})"""


@pytest.mark.parametrize("font", ["system-ui", "Arial"])
def test_no_text_leaves_its_drawing_or_meets_another(browser: Browser, font: str) -> None:
    drawings = sorted((ROOT / "docs/figures").glob("*.svg"))
    page = browser.new_page()
    page.set_content(
        f"<!doctype html><style>svg.vk-figure {{ font-family: {font} !important }}</style>"
        + "".join(
            f"<div id={path.stem}>{path.read_text(encoding='utf-8')}</div>" for path in drawings
        )
    )
    found = page.evaluate(FAULTS)
    assert page.locator("svg.vk-figure").count() == len(drawings)
    page.close()
    assert found == []
