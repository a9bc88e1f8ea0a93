"""What a reader meets: every page, its formulas, links, search, colours, keyboard, phone."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from urllib.parse import urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from visitor import ROOT, Visitor

from vaultkit.vault import Vault

VAULT = Vault(ROOT / "docs")
ADDRESSES = {
    note.name: "" if note.name == "index" else VAULT.address(note) + "/"
    for note in VAULT.notes.values()
}
FORMULAS = "importance-of-dk-in-scaling/"


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_opens_and_fits(visit: Visitor, width: int) -> None:
    page = visit(width=width)
    for name, address in ADDRESSES.items():
        visit.go(page, address)
        if address:
            expect(page.locator("h1")).to_contain_text(name)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} px too wide"


def test_every_link_leads_somewhere(visit: Visitor, built: Path) -> None:
    page = visit()
    broken = []
    for address in ADDRESSES.values():
        visit.go(page, address)
        hrefs = "[...document.querySelectorAll('a')].map(a => a.href?.baseVal ?? a.href)"
        for href in page.evaluate(hrefs):
            if not href.startswith("http"):
                href = urljoin(visit.base + address, href)
            if href.startswith(visit.base):
                path, _, anchor = href.removeprefix(visit.base).partition("#")
                file = built / path.partition("?")[0]
                file = file / "index.html" if file.is_dir() else file
                there = file.is_file() and (
                    not anchor or f'id="{anchor}"' in file.read_text(encoding="utf-8")
                    or anchor.startswith(("__", ":~:"))
                )  # fmt: skip
                broken += [] if there else [(address, href)]
    assert broken == []


def test_formulas_are_mathml_in_a_font_made_for_them(visit: Visitor) -> None:
    page = visit(FORMULAS)
    heights = page.evaluate(
        "[...document.querySelectorAll('article math')]"
        ".filter(m => m.checkVisibility()).map(m => m.getBoundingClientRect().height)"
    )
    assert len(heights) > 5
    assert min(heights) > 5
    faces = "[...document.fonts].filter(f => f.family.includes('STIX')).map(f => f.status)"
    assert page.evaluate(faces) == ["loaded"]
    root = page.locator("article msqrt").first.bounding_box()
    inner = page.locator("article msqrt > *").first.bounding_box()
    assert root
    assert inner
    assert root["height"] > inner["height"]  # the sign reaches over what stands below it
    for address in ADDRESSES.values():
        visit.go(page, address)
        assert page.locator(".math-error, .mermaid-error").count() == 0
        words = page.locator("article").inner_text()
        assert not re.search(r"\\\(|\\\[|\$\$|\\(frac|sqrt|text)\b", words)


def test_formulas_are_copied_as_tex(visit: Visitor) -> None:
    page = visit(FORMULAS)
    copied = page.evaluate(
        """() => {
          getSelection().selectAllChildren(document.querySelector("article"));
          const event = new ClipboardEvent(
            "copy", {clipboardData: new DataTransfer(), bubbles: true, cancelable: true});
          document.dispatchEvent(event);
          return event.clipboardData.getData("text/plain");
        }"""
    )
    tex = page.locator("article .vk-math--display math").first.get_attribute("data-tex")
    inline = page.locator("article p .vk-math math").first.get_attribute("data-tex")
    assert f"$$\n{tex}\n$$" in copied
    assert f"${inline}$" in copied


def test_a_button_copies_a_formula(visit: Visitor) -> None:
    page = visit(FORMULAS, permissions=["clipboard-read", "clipboard-write"])
    formula = page.locator(".vk-math--display").first
    formula.hover()
    formula.locator("button").click()
    tex = formula.locator("math").get_attribute("data-tex")
    assert page.evaluate("navigator.clipboard.readText()") == tex


def test_colours_follow_the_system_and_the_reader(visit: Visitor) -> None:
    page = visit(scheme="dark")
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    dark = body.evaluate("b => getComputedStyle(b).backgroundColor")
    page.locator("label[for^=__palette]:not([hidden])").click()
    expect(body).to_have_attribute("data-md-color-scheme", "default")
    assert body.evaluate("b => getComputedStyle(b).backgroundColor") != dark
    visit.go(page, "softmax/")
    expect(body).to_have_attribute("data-md-color-scheme", "default")


def test_pages_load_in_place(visit: Visitor) -> None:
    page = visit()
    page.evaluate("window.still = true")
    page.locator("article a.wikilink").first.click()
    expect(page.locator("h1")).not_to_have_text("Attention Vault")
    assert page.evaluate("window.still")
    assert page.url.startswith(visit.base)


def test_the_site_may_move(visit: Visitor, built: Path) -> None:
    """Without the address it was built for, pages load one by one, and all links hold."""
    moved = built.with_name("elsewhere")
    shutil.copytree(built, moved, dirs_exist_ok=True)
    visit.base = visit.base.replace("/vault/", "/elsewhere/")
    page = visit()
    page.locator("article a.wikilink").first.click()
    expect(page.locator("h1")).not_to_have_text("Attention Vault")
    page.locator(".md-nav__link", has_text="Softmax").first.click()
    expect(page.locator("h1")).to_contain_text("Softmax")
    assert page.url == visit.base + "softmax/"


def test_a_link_shows_what_it_leads_to(visit: Visitor) -> None:
    page = visit("softmax/")
    links = page.locator("article > p > a.wikilink")
    links.first.hover()
    preview = page.locator(".md-tooltip2--active")
    expect(preview).to_be_visible()
    expect(preview.locator("h1, h2, p").first).to_be_visible()


def test_search_finds_a_note(visit: Visitor) -> None:
    page = visit()
    page.locator(".md-search__input").fill("query matrix")
    result = page.locator(".md-search-result__link").first
    expect(result).to_contain_text("Query Matrix")
    result.click()
    page.wait_for_url(re.compile("/query-matrix/"))
    expect(page.locator(".md-content h1")).to_contain_text("Query Matrix")


@pytest.mark.parametrize("scripts", [True, False])
def test_an_alias_leads_to_its_note(visit: Visitor, built: Path, scripts: bool) -> None:
    aliases = [path.parent for path in built.glob("*/index.html")]
    aliases = [p for p in aliases if 'name="robots"' in (p / "index.html").read_text("utf-8")]
    assert len(aliases) >= 5
    page = visit(aliases[0].name + "/", java_script_enabled=scripts) if scripts else None
    if page is None:
        page = visit.browser.new_context(java_script_enabled=False).new_page()
        page.goto(visit.base + aliases[0].name + "/")
    target = re.search('canonical" href="../([^"]+)"', (aliases[0] / "index.html").read_text())
    assert target
    page.wait_for_url(f"**/{target[1]}")
    page.context.close()


def test_notes_say_who_links_to_them(visit: Visitor) -> None:
    page = visit("query-matrix/")
    links = page.locator(".linked-from a")
    assert links.count() >= 2
    links.first.click()
    expect(page.locator("h1")).not_to_contain_text("Query Matrix")


def test_the_pipeline_leads_to_every_stage(visit: Visitor) -> None:
    page = visit()
    hrefs = page.evaluate(
        "[...document.querySelectorAll('article svg a')].map(a => a.href.baseVal ?? a.href)"
    )
    names = {href.strip("./").rpartition("/")[2] for href in hrefs}
    assert {"query-matrix", "key-matrix", "value-matrix", "softmax", "context-vector"} <= names
    page.locator("article svg a").nth(1).click()
    expect(page.locator("h1")).not_to_have_text("Attention Vault")


def test_an_output_is_joined_to_its_code(visit: Visitor) -> None:
    page = visit("query-matrix/")
    output = page.locator(".output").first
    below = output.bounding_box()
    above = output.locator("xpath=preceding-sibling::*[1]").bounding_box()
    assert above
    assert below
    assert abs(above["y"] + above["height"] - below["y"]) < 2


def test_the_keyboard_shows_where_it_is(visit: Visitor) -> None:
    page = visit("softmax/")
    hidden = []
    for _ in range(25):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
              const e = document.activeElement, s = getComputedStyle(e);
              const r = e.getBoundingClientRect();
              const shown = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0
                || e.matches(".md-search__input");
              return [e.outerHTML.slice(0, 90), shown || r.width === 0 || e === document.body];
            }"""
        )
        hidden += [] if seen[1] else [seen[0]]
    assert hidden == []


def test_nothing_moves_for_those_who_ask_for_rest(visit: Visitor) -> None:
    page = visit("softmax/", reduced_motion="reduce")
    moving = page.evaluate("document.getAnimations().length")
    assert moving == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(visit: Visitor, scheme: str) -> None:
    page = visit(scheme=scheme)
    found = []
    for address in ("", "softmax/", FORMULAS):
        visit.go(page, address)
        found += serious(page)
    assert found == []


def serious(page: Page) -> list[str]:
    results = json.loads(json.dumps(Axe().run(page).response))
    return [
        f"{rule['id']}: {node['html'][:120]} {node['failureSummary'][:300]}"
        for rule in results["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]
