"""Every page, in one visit: it opens, it fits, and it shuts nobody out."""

from __future__ import annotations

import re
import zlib

import pytest
from playwright.sync_api import Page, Route, expect
from visitor import LOST, NEAR, OPEN, Visitor, restyle, violations

from tests.own_vault import VAULT

ADDRESSES = {
    "" if note.name == "index" else VAULT.address(note) + "/": note.name
    for note in VAULT.notes.values()
}
# What a page says, but for the formulas that the list of checks and code show as they are written.
SEEN = """() => {
  const article = document.querySelector("article").cloneNode(true);
  article.querySelectorAll(".vk-checks, code").forEach(part => part.remove());
  return {
    words: article.textContent,
    errors: article.querySelectorAll(".math-error, .mermaid-error").length,
    wide: document.documentElement.scrollWidth - innerWidth,
    // Drawings whose edges are not those of the text: by how many pixels, and what share is drawn.
    ragged: [...document.querySelectorAll(".md-content__inner > figure svg.vk-figure")].map(svg => {
      const drawn = [...svg.querySelectorAll("text, rect, path, line, circle")]
        .map(part => part.getBoundingClientRect()).filter(box => box.width + box.height);
      const { left, width } = svg.closest("figure").getBoundingClientRect();
      const off = Math.min(...drawn.map(box => box.left)) - left;
      const end = Math.max(...drawn.map(box => box.right)) - left;
      // Some that can be touched leave room for what moves.
      const share = svg.querySelector("metadata[data-touch]") ? 1 : end / width;
      return [svg.getAttribute("aria-labelledby"), Math.round(off), share];
    }).filter(([, off, share]) => off < Infinity  // hidden ones have none
      && (Math.abs(off) > 3 || share < 0.95 || share > 1.02)),
  };
}"""
# The rule on the size of what is tapped is off unless asked for.
EVERY = {"rules": {"target-size": {"enabled": True}}}
# What else may differ with colours and width.
LOOKS = {
    "runOnly": {
        "type": "rule",
        "values": [
            "color-contrast",
            "link-in-text-block",
            "scrollable-region-focusable",
            "target-size",
        ],
    }
}
# To judge the contrast of each word takes seconds a page, and most words look like those of another
# page: marks one of each look that is not known yet, and returns these looks.
MARK = """known => {
  const found = new Map();
  for (const element of document.querySelectorAll("body *")) {
    const words = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!words || !element.checkVisibility()) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const look = [color, fontSize, fontWeight];
    for (let behind = element; behind; behind = behind.parentElement) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(behind);
      const seen = [backgroundColor, backgroundImage, opacity].join();
      if (seen !== "rgba(0, 0, 0, 0),none,1") look.push(seen);
    }
    if (!found.has(look.join(";"))) found.set(look.join(";"), element);
  }
  known.forEach(look => found.delete(look));
  document.querySelectorAll("[data-look]").forEach(e => delete e.dataset.look);
  found.forEach(element => { element.dataset.look = ""; });
  return [...found.keys()];
}"""
# Axe takes longer the more elements there are. What is marked is kept; of the rest of code,
# formulas and drawings only the text, and nothing of the navigation.
SLIM = """() => {
  document.querySelectorAll(".md-sidebar, .md-footer").forEach(e => e.remove());
  const slim = (where, what) => document.querySelectorAll(where).forEach(part => {
    const found = [...part.querySelectorAll(what)].filter(e => !e.querySelector("[data-look]"));
    found.forEach(e => e.replaceWith(e.textContent));
    part.normalize();
  });
  slim("article pre > code", "span:not([data-look])");
  slim("article math", ":scope > :not([data-look])");
  slim("article svg:not(:has(a, [tabindex], [role]))", ":scope > :not([data-look], title, desc)");
}"""
#: Pages that are looked at as a whole.
WHOLE = {"", "softmax/", "checks/", "glossary/", "attention-explorer/", LOST}
EVERY_PAGE = [*sorted(ADDRESSES), LOST]
#: Pages that are opened without ``--all``: each kind of page, and every third one.
SOME = {*WHOLE, "importance-of-dk-in-scaling/"} | {
    address for address in EVERY_PAGE if zlib.crc32(address.encode()) % 3 == 0
}
#: Combinations of colours whose contrast was found to be enough.
ENOUGH: set[str] = set()


def few_checks(route: Route) -> None:
    """Answer a request with a check of each outcome."""
    row = {"kind": "link", "line": 7, "what": "[[Tren]]", "seconds": 0.001}
    route.fulfill(
        json={"Softmax.md": [{**row, "outcome": o} for o in ("holds", "fails", "not checked")]}
    )


def complaints(page: Page, rules: dict[str, object], *, whole: bool) -> list[str]:
    """Return violations of these accessibility rules, on the whole page or in its article."""
    page.evaluate(NEAR)
    looks = page.evaluate(MARK, [*ENOUGH])
    if not whole:
        page.evaluate(SLIM)
    found = violations(page, rules, contrast_of="[data-look]")
    if "color-contrast" not in {rule["id"] for rule in found}:
        ENOUGH.update(looks)
    return [
        f"{page.url}: {rule['id']}: {node['html'][:120]} {node['failureSummary'][:300]}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.usually("importance-of-dk-in-scaling/", LOST)
@pytest.mark.parametrize(
    "address", [a if a in SOME else pytest.param(a, marks=pytest.mark.full) for a in EVERY_PAGE]
)
def test_a_page_is_for_everybody(visit: Visitor, address: str, pytestconfig: pytest.Config) -> None:
    """Axe, which takes longest, judges each kind of page, and with ``--all`` every page."""
    page = visit.open()
    page.route("**/checks.json", few_checks)
    visit.go(page, address)
    if address in ADDRESSES and address:
        expect(page.locator("h1")).to_contain_text(ADDRESSES[address])
    seen = page.evaluate(SEEN)
    assert seen["errors"] == 0
    assert not re.search(r"\\\(|\\\[|\$\$|\\(frac|sqrt|text)\b", seen["words"])
    assert seen["wide"] <= 0
    assert seen["ragged"] == []
    page.evaluate(OPEN)
    whole = address in WHOLE
    judged = whole or pytestconfig.option.all
    found = complaints(page, EVERY, whole=whole) if judged else []
    restyle(page, 390, "dark")
    assert found + (complaints(page, LOOKS, whole=whole) if judged else []) == []
