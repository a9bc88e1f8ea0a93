"""What a reader meets: every page, its formulas, links, search, colours, keyboard, phone."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
from playwright.sync_api import Route, expect
from visitor import BEGUN, CHECKED, LOADED, SETTLED, Visitor

from tests.own_vault import VAULT

ADDRESSES = {
    note.name: "" if note.name == "index" else VAULT.address(note) + "/"
    for note in VAULT.notes.values()
}
FORMULAS = "importance-of-dk-in-scaling/"


class _Anchors(HTMLParser):
    """Collects the links of a page, and the anchors in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids.add(values.get("id") or "")
        href = values.get("href", values.get("xlink:href"))
        if tag == "a" and href is not None:
            self.hrefs.append(href)


def test_every_link_leads_somewhere(built: Path, base: str) -> None:
    pages = {path: _Anchors(path) for path in built.rglob("*.html")}
    broken = []
    for path, found in pages.items():
        # The page for lost visitors has absolute links, and no address.
        here = base + path.relative_to(built).as_posix()
        for href in found.hrefs:
            url = urljoin(here, href)
            if url.startswith(base):
                where, _, anchor = url.removeprefix(base).partition("#")
                file = built / unquote(where.partition("?")[0])
                file = file / "index.html" if file.is_dir() else file
                anchor = unquote(anchor)
                there = file.is_file() and (
                    not anchor or anchor.startswith("__") or anchor in pages[file].ids
                )
                broken += [] if there else [(path.relative_to(built), href)]
    assert len(pages) > len(ADDRESSES)
    assert broken == []


def test_formulas_are_mathml_in_a_font_made_for_them(visit: Visitor) -> None:
    page = visit(FORMULAS)
    heights = page.evaluate(
        "[...document.querySelectorAll('article math')].map(m => m.getBoundingClientRect().height)"
    )
    assert len(heights) > 5
    assert min(heights) > 5
    faces = "[...document.fonts].filter(f => f.family.includes('STIX')).map(f => f.status)"
    assert page.evaluate(faces) == ["loaded"]
    root = page.locator("article msqrt").first.bounding_box()
    inner = page.locator("article msqrt > *").first.bounding_box()
    assert root
    assert inner
    assert root["height"] > inner["height"]  # the sign reaches over what is below it


@pytest.mark.long
@pytest.mark.parametrize("scripts", [True, False])
def test_a_picture_of_the_whole_page_shows_all_of_it(visit: Visitor, scripts: bool) -> None:
    page = visit.open(java_script_enabled=scripts)
    page.goto(visit.base + FORMULAS)
    later = (
        "[...document.querySelectorAll('.md-content__inner > *')]"
        ".filter(box => getComputedStyle(box).contentVisibility === 'auto').length"
    )
    page.wait_for_function(f"{later} === 0")


@pytest.mark.long
def test_what_is_far_below_waits_for_the_first_move(visit: Visitor) -> None:
    skipped = (
        "[...document.querySelectorAll('.md-content__inner > *')]"
        ".filter(box => getComputedStyle(box).contentVisibility === 'auto').length"
    )
    page = visit.open()
    # The move alone begins it here, not the time.
    page.add_init_script(
        "const later = setTimeout;"
        "window.setTimeout = (run, ms, ...rest) => ms === 5000 ? 0 : later(run, ms, ...rest)"
    )
    page.goto(visit.base + FORMULAS)
    page.wait_for_function(BEGUN)
    page.evaluate(LOADED)
    page.wait_for_timeout(500)
    assert page.evaluate(skipped) > 10
    page.mouse.move(100, 200)  # may only say where the pointer is
    page.mouse.move(100, 300)
    page.wait_for_function(f"{skipped} === 0")


@pytest.mark.long
@pytest.mark.parametrize(
    ("note", "section"),
    [
        ("induction-heads/", "take-a-head-away"),
        ("induction-heads/", "what-goes-wrong"),
        (FORMULAS, "what-scaling-does-not-promise"),
    ],
)
def test_a_section_that_is_asked_for_is_below_the_bar(
    visit: Visitor, note: str, section: str
) -> None:
    page = visit.open(width=390)
    page.goto(f"{visit.base}{note}#{section}")
    assert page.evaluate("document.documentElement.classList.contains('vk-whole')")
    page.wait_for_function(BEGUN)
    page.evaluate(LOADED)
    bar = page.locator(".md-header").bounding_box()
    box = page.locator(f"[id='{section}']").bounding_box()
    assert bar
    assert box
    assert bar["height"] <= box["y"] < bar["height"] + 60


@pytest.mark.long
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


@pytest.mark.long
def test_a_button_copies_a_formula(visit: Visitor) -> None:
    page = visit(FORMULAS, permissions=["clipboard-read", "clipboard-write"])
    formula = page.locator(".vk-math--display").first
    formula.hover()
    formula.locator("button").click()
    tex = formula.locator("math").get_attribute("data-tex")
    assert page.evaluate("navigator.clipboard.readText()") == tex


@pytest.mark.long
def test_without_scripts_colours_follow_the_system(visit: Visitor) -> None:
    """The page and its figures have the colours that the scripts would choose."""
    shown = """() => ["body", "article pre code", "svg.vk-figure", "svg.vk-figure .vk-score"].map(
      (part) => getComputedStyle(document.querySelector(part))).map(
      (style) => [style.color, style.backgroundColor])"""
    seen = []
    for scheme in ("light", "dark"):
        for scripts in (True, False):
            page = visit("softmax/", scheme=scheme, java_script_enabled=scripts)
            if scripts:
                page.wait_for_function(SETTLED)
            seen.append(page.evaluate(shown))
    assert seen[0] == seen[1]
    assert seen[2] == seen[3]
    assert seen[0] != seen[2]


@pytest.mark.long
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


def test_a_page_is_styled_once(visit: Visitor) -> None:
    """An address that Material's script makes absolute would have its style sheet read again."""
    page = visit("softmax/")
    sheet = page.locator("link[rel=stylesheet]")
    assert str(sheet.get_attribute("href")).startswith("../assets/")
    sheet.evaluate("link => { window.still = link.sheet }")
    page.locator("article a.wikilink").first.click()
    page.wait_for_function("document.title !== 'Softmax - Attention Vault'")
    assert sheet.count() == 1
    assert sheet.evaluate("link => link.sheet === window.still")
    assert page.locator("link[rel=next]").count() == 1


@pytest.mark.long
def test_the_site_may_move(visit: Visitor, built: Path) -> None:
    """Without the address it was built for, pages load one by one, and all links hold."""
    moved = built.with_name("elsewhere")
    shutil.copytree(built, moved, dirs_exist_ok=True)
    visit.base = visit.base.replace("/vault/", "/elsewhere/")
    page = visit()
    page.locator("article a.wikilink").first.click()
    expect(page.locator("h1")).not_to_have_text("Attention Vault")
    page.locator(".md-nav__link[href]", has_text="Self Attention").first.click()
    expect(page.locator("h1")).to_contain_text("Self Attention")
    assert page.url == visit.base + "self-attention/"


@pytest.mark.usually("True")
@pytest.mark.parametrize("scripts", [True, False])
def test_an_alias_leads_to_its_note(visit: Visitor, built: Path, scripts: bool) -> None:
    aliases = [path.parent for path in built.glob("*/index.html")]
    aliases = [p for p in aliases if 'name="robots"' in (p / "index.html").read_text("utf-8")]
    assert len(aliases) >= 5
    page = visit(aliases[0].name + "/", java_script_enabled=scripts)
    target = re.search('canonical" href="../([^"]+)"', (aliases[0] / "index.html").read_text())
    assert target
    page.wait_for_url(f"**/{target[1]}")


@pytest.mark.long
def test_notes_say_who_links_to_them(visit: Visitor) -> None:
    page = visit("query-matrix/")
    links = page.locator(".linked-from a")
    assert links.count() >= 2
    links.first.click()
    expect(page.locator("h1")).not_to_contain_text("Query Matrix")


@pytest.mark.usefixtures("checked")
def test_a_note_shows_what_was_checked(visit: Visitor) -> None:
    page = visit(ADDRESSES[CHECKED])
    line = page.locator(".vk-checked--holds a")
    expect(line).to_have_text(re.compile(r"^\d+ blocks, \d+ equations\b.* proven(; \d+ more)?$"))
    blocks = line.inner_text().partition(" ")[0]
    line.click()
    page.wait_for_url("**/checks/#of-softmax")
    row = page.locator("article tr#of-softmax")
    expect(row.locator("a")).to_have_text(CHECKED)
    expect(row.locator("td").first).to_have_text(blocks)
    # It was loaded in place, and its script ran all the same.
    page.get_by_label("Note", exact=True).select_option(CHECKED)
    page.get_by_label("Kind").select_option("block")
    expect(page.locator(".vk-checks [role=status]")).to_have_text(f"{blocks} checks")


def many_checks(route: Route) -> None:
    """Answer a request with thousands of checks, since the site may have none."""
    kinds = ("block", "equation", "number")
    note = [
        {"kind": kinds[n % 3], "line": n, "what": f"x_{n} < 2", "outcome": "holds", "seconds": 0.25}
        for n in range(2999)
    ]
    fails = {"kind": "link", "line": 7, "what": "[[Tren]]", "outcome": "fails", "seconds": 0.0}
    route.fulfill(json={"Softmax.md": note, "Query Matrix.md": [fails], "index.md": None})


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 390])
def test_checks_can_be_filtered(visit: Visitor, width: int) -> None:
    page = visit(width=width)
    page.route("**/checks.json", many_checks)
    visit.go(page, "checks/")
    status, rows = page.locator(".vk-checks [role=status]"), page.locator(".vk-checks tbody tr")
    expect(status).to_have_text("3,000 checks, 1 of them failing")
    assert rows.count() == 200
    page.get_by_role("button", name="Show all 3,000 checks").click()
    assert rows.count() == 3000
    page.get_by_label("Find").fill("softmax X_77")
    expect(status).to_have_text("11 checks")
    page.get_by_label("Kind").select_option("number")
    expect(status).to_have_text("5 checks")
    expect(rows.first).to_contain_text("x_77 < 2")
    link = rows.first.get_by_role("link", name="Softmax")
    expect(link).to_have_attribute("href", re.compile("/softmax/$"))
    page.get_by_label("Find").fill("")
    page.get_by_label("Kind").select_option("")
    page.get_by_label("Outcome").select_option("fails")
    expect(status).to_have_text("1 check, 1 of them failing")
    page.get_by_label("Outcome").select_option("")
    page.get_by_label("Note", exact=True).select_option("Query Matrix")
    expect(status).to_have_text("1 check, 1 of them failing")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_checks_are_shown_without_scripts(visit: Visitor) -> None:
    page = visit("checks/", java_script_enabled=False)
    assert page.locator(".vk-ledger tbody tr").count() == len(ADDRESSES)
    expect(page.locator(".vk-checks a")).to_have_attribute("href", "../checks.json")


def test_a_notebook_is_a_page_like_others(visit: Visitor, built: Path) -> None:
    address = "first-principles/"
    page = visit(address)
    assert page.locator("article math").count() > 10
    assert page.locator(".output").count() > 5
    assert page.locator(".md-nav--secondary .md-nav__link").count() > 5
    expect(page.locator(".linked-from")).to_be_visible()
    expect(page.locator(".vk-checked")).to_be_visible()
    html = (built / address / "index.html").read_text(encoding="utf-8")
    assert len(html) < 250_000
    assert not re.search(r"jp-|mathjax|cdnjs", html, re.IGNORECASE)
    page.locator("article a[href$='static-embeddings/']").first.click()
    expect(page.locator("h1")).to_contain_text("Static Embeddings")


@pytest.mark.long
def test_a_flashcard_opens(visit: Visitor) -> None:
    page = visit("questions-and-answers/")
    card = page.locator(".flashcard").nth(1)
    answer = card.locator("p").first
    expect(answer).to_be_hidden()
    card.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(answer).to_be_visible()
    other = page.locator(".flashcard").nth(9)
    visit.go(page, f"questions-and-answers/#{other.get_attribute('id')}")
    expect(other.locator("p").first).to_be_visible()
    page.emulate_media(media="print")
    expect(answer).to_be_visible()


@pytest.mark.long
def test_the_pipeline_leads_to_every_stage(visit: Visitor) -> None:
    page = visit("self-attention/")
    hrefs = page.evaluate(
        "[...document.querySelectorAll('article svg a')].map(a => a.href.baseVal ?? a.href)"
    )
    names = {href.strip("./").rpartition("/")[2] for href in hrefs}
    assert {"query-matrix", "key-matrix", "value-matrix", "softmax", "context-vector"} <= names
    page.locator("article svg a").nth(1).click()
    expect(page.locator("h1")).not_to_contain_text("Self Attention")


@pytest.mark.long
def test_an_output_is_joined_to_its_code(visit: Visitor) -> None:
    page = visit("query-matrix/")
    output = page.locator(".output").first
    below = output.bounding_box()
    above = output.locator("xpath=preceding-sibling::*[1]").bounding_box()
    assert above
    assert below
    assert abs(above["y"] + above["height"] - below["y"]) < 2


@pytest.mark.long
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


@pytest.mark.long
def test_nothing_moves_for_those_who_ask_for_rest(visit: Visitor) -> None:
    page = visit("softmax/", reduced_motion="reduce")
    moving = page.evaluate("document.getAnimations().length")
    assert moving == 0
