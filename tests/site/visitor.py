"""Someone who opens pages of the site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
# Scripts come when a page has been drawn; Material's tells all others when to begin.
BEGUN = "typeof document$ !== 'undefined'"
TOLD = "new Promise((done) => document$.subscribe(() => done(0)))"
#: The note that is checked before the site is built.
CHECKED = "Softmax"

#: A font is asked for when letters of it are laid out: a busy machine comes to that after `load`.
FONTS = """async () => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  await document.fonts.ready;
}"""

#: What is far below the screen is laid out when a reader comes near: this brings all of it near.
NEAR = """async () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("article * { content-visibility: visible !important }");
  document.adoptedStyleSheets.push(sheet);
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
}"""


@dataclass
class Visitor:
    """Opens pages, and remembers what went wrong on any of them."""

    browser: Browser
    base: str
    #: Where the scripts of the things to touch are.
    modules: str = ""
    wrong: list[str] = field(default_factory=list)
    close: list[Callable[[], None]] = field(default_factory=list)
    #: Pages without scripts.
    plain: list[Page] = field(default_factory=list)

    def __call__(
        self, path: str = "", *, width: int = 1280, scheme: str = "light", **options: Any
    ) -> Page:
        size = {"width": width, "height": 900 if width > 600 else 844}
        context = self.browser.new_context(viewport=size, color_scheme=scheme, **options)
        self.close.append(context.close)
        page = context.new_page()
        if not options.get("java_script_enabled", True):
            self.plain.append(page)
        page.on("request", lambda r: self.note(f"asked {r.url}", not self.is_ours(r.url)))
        page.on("response", lambda r: self.note(f"{r.status} {r.url}", r.status >= 400))
        page.on("console", lambda m: self.note(m.text, m.type in ("error", "warning")))
        page.on("pageerror", lambda error: self.note(str(error)))
        self.go(page, path)
        return page

    def go(self, page: Page, path: str) -> None:
        page.goto(self.base + path)
        if page not in self.plain:
            page.evaluate(FONTS)
            page.wait_for_function(BEGUN)
            page.evaluate(TOLD)

    def is_ours(self, url: str) -> bool:
        return url.startswith((self.base, "data:", "blob:"))

    def note(self, what: str, wrong: bool = True) -> None:
        if wrong:
            self.wrong.append(what)
