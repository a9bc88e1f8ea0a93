"""A visitor who opens pages of the site in a browser."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).parents[2]
# Scripts come when a page has been drawn; Material's starts all others.
BEGUN = "typeof document$ !== 'undefined'"
LOADED = "new Promise((done) => document$.subscribe(() => done(0)))"
#: An empty page at the root of the server.
EMPTY = "empty.html"
#: The page shown for a broken link.
LOST = "404.html"
#: The notes that are checked before the site is built; the second one is edited in the browser.
CHECKED = "Softmax"
EDITED = "Attention Equation"

#: A font is requested when its letters are laid out, which a busy machine does after `load`.
FONTS = """async () => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  await document.fonts.ready;
}"""

#: Colours that change slowly are neither the old nor the new ones.
SETTLED = """() => document.getAnimations().every(
  (one) => !(one instanceof CSSTransition) || one.playState !== "running")"""
#: Lays out the whole page at once, which a reader's browser does when it is idle.
WHOLE = "document.documentElement.classList.add('vk-whole')"
OPEN = "document.querySelectorAll('article details').forEach(d => d.open = true)"
#: Scrolls through the page, since elements far below the screen are laid out only near it.
NEAR = """async () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("article * { content-visibility: visible !important }");
  document.adoptedStyleSheets.push(sheet);
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
}"""


@dataclass
class Contexts:
    """Browser contexts, one per width, scheme and other options.

    Each keeps its cache of files, and in a page that stays open the process of its pages.
    """

    browser: Browser
    #: The address of the server.
    root: str
    kept: dict[str, BrowserContext] = field(default_factory=dict)

    def get(self, fresh: bool, width: int, scheme: str, options: dict[str, Any]) -> BrowserContext:
        """Return the context with these options; a fresh one must be closed by the caller."""
        key = repr((width, scheme, sorted(options.items())))
        if fresh or key not in self.kept:
            size = {"width": width, "height": 900 if width > 600 else 844}
            context = self.browser.new_context(viewport=size, color_scheme=scheme, **options)
            if fresh:
                return context
            context.new_page().goto(self.root + EMPTY)
            self.kept[key] = context
        return self.kept[key]


@dataclass
class Visitor:
    """Opens pages, and remembers what went wrong on any of them.

    Contexts are shared with all tests that ask for the same width, scheme and options, so that
    files come from the cache. What a page stores is forgotten when a test opens its first page in a
    context; what a test changes in a context is undone at its end.
    """

    contexts: Contexts
    base: str
    #: The folder of the scripts of interactive figures.
    modules: str = ""
    wrong: list[str] = field(default_factory=list)
    #: The pages that the test has opened.
    pages: list[Page] = field(default_factory=list)
    #: Pages without scripts.
    plain: list[Page] = field(default_factory=list)

    def __call__(self, path: str = "", **options: Any) -> Page:
        """Open a page of the site."""
        page = self.open(**options)
        self.go(page, path)
        return page

    def open(
        self, *, width: int = 1280, scheme: str = "light", fresh: bool = False, **options: Any
    ) -> Page:
        """Open an empty page in a shared context, or in a fresh one, which has no files yet."""
        context = self.contexts.get(fresh, width, scheme, options)
        known = any(page.context is context for page in self.pages)
        page = context.new_page()
        self.pages.append(page)
        if not (known or fresh):
            stored = {"origin": urljoin(self.base, "/").rstrip("/"), "storageTypes": "all"}
            context.new_cdp_session(page).send("Storage.clearDataForOrigin", stored)
        if not options.get("java_script_enabled", True):
            self.plain.append(page)
        page.on("request", lambda r: self.note(f"asked {r.url}", not self.is_ours(r.url)))
        page.on("response", lambda r: self.note(f"{r.status} {r.url}", r.status >= 400))
        page.on("console", lambda m: self.note(m.text, m.type in ("error", "warning")))
        page.on("pageerror", lambda error: self.note(str(error)))
        return page

    def modules_alone(self) -> Page:
        """Open an empty page that can import the modules of interactive figures."""
        page = self.open()
        page.goto(urljoin(self.base, f"/{EMPTY}"))
        return page

    def go(self, page: Page, path: str) -> None:
        page.goto(self.base + path)
        if page not in self.plain:
            page.evaluate(FONTS)
            page.wait_for_function(BEGUN)
            page.evaluate(LOADED)
            page.evaluate(WHOLE)

    def is_ours(self, url: str) -> bool:
        empty = urljoin(self.base, f"/{EMPTY}")
        return url == empty or url.startswith((self.base, "data:", "blob:"))

    def note(self, what: str, wrong: bool = True) -> None:
        if wrong:
            self.wrong.append(what)

    def leave(self) -> None:
        """Close the opened pages, and restore the shared contexts."""
        shared = self.contexts.kept.values()
        for context in dict.fromkeys(page.context for page in self.pages):
            if context in shared:
                for page in context.pages[1:]:  # the first keeps the process
                    page.close()
                context.unroute_all()
                context.set_offline(False)
            else:
                context.close()


def restyle(page: Page, width: int, scheme: Literal["light", "dark"], **media: Any) -> None:
    """Change the width and the colours of an open page."""
    page.set_viewport_size({"width": width, "height": 900 if width > 600 else 844})
    page.emulate_media(color_scheme=scheme, **media)
    colours = "slate" if scheme == "dark" else "default"
    # A page that is open follows no change of the system's colours, but its own switch.
    page.evaluate(f"document.querySelector('input[data-md-color-scheme={colours}]').click()")
    page.wait_for_selector(f"body[data-md-color-scheme={colours}]")
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    page.wait_for_function(SETTLED)


AXE = Axe().axe_script


def violations(
    page: Page,
    options: dict[str, Any],
    context: str | None = None,
    *,
    contrast_of: str = "*",
) -> list[dict[str, Any]]:
    """Return axe's accessibility violations on the page or a part of it.

    Contrast is judged only for elements that match `contrast_of`.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate(
        """async ([context, options, contrast]) => {
          axe.configure({ rules: [{ id: "color-contrast", selector: contrast }] });
          const all = { ...options, resultTypes: ["violations"] };
          return (await axe.run(context ?? document, all)).violations;
        }""",
        [context, options, contrast_of],
    )
    return found


@contextlib.contextmanager
def visiting(contexts: Contexts, base: str, modules: str = "") -> Iterator[Visitor]:
    """Visit a site; fail at the end if anything went wrong on a page."""
    visitor = Visitor(contexts, base, modules)
    try:
        yield visitor
    finally:
        visitor.leave()
    assert not visitor.wrong, "\n".join(visitor.wrong)
