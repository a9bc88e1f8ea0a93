"""Reads Markdown as Obsidian does: the extension that a site lists in its configuration.

Its blocks are those that the checks find (`lines`, `blocks`), what stands inside a line is read by
inline patterns (`inline`), embedded notes (`embeds`) and drawings (`drawings`) are put into the
finished tree.
"""

from __future__ import annotations

import re
import string
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE, AtomicString

from vaultkit.read.syntax import PRICES, address, block_id, comparable
from vaultkit.site.backlinks import linked_from
from vaultkit.site.blocks import Blocks, FootnoteOrder
from vaultkit.site.drawings import caption_figures, inline_drawings
from vaultkit.site.embeds import transclude
from vaultkit.site.equations import address_equations
from vaultkit.site.flashcards import Flashcards
from vaultkit.site.inline import (
    BareAddresses,
    Comments,
    Displays,
    FootnoteMarks,
    LineBreaks,
    Tags,
    WikiLinks,
)
from vaultkit.site.lines import Lines
from vaultkit.site.links import Links
from vaultkit.site.marks import NameFormulas, NameLinks, NameSpots
from vaultkit.site.page import Page
from vaultkit.site.predictions import NamePredictions
from vaultkit.site.properties import show_properties
from vaultkit.site.safe import Addresses, forbid_html
from vaultkit.site.tables import Tables
from vaultkit.site.unpublished import make_text

#: The callouts that Material styles, and Obsidian's other names for them.
CALLOUTS = {
    "note": (),
    "abstract": ("summary", "tldr"),
    "info": ("todo",),
    "tip": ("hint", "important"),
    "success": ("check", "done"),
    "question": ("help", "faq"),
    "warning": ("caution", "attention"),
    "failure": ("fail", "missing"),
    "danger": ("error",),
    "bug": (),
    "example": (),
    "quote": ("cite",),
}
_LISTED = re.compile(r"(?P<name>(?P<id>\S+)/name) \{ #(?P<slug>(?P=id)/slug) \}")
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_STYLE = {name: style for style, names in CALLOUTS.items() for name in (style, *names)}


class ObsidianExtension(Extension):
    """Obsidian's links, embeds, block ids, comments, tags, callouts, flashcards; backlinks."""

    def __init__(self, **options: Any) -> None:
        # The defaults are words where Python-Markdown would make a truth value of a vault.
        self.config = {
            "vault": ["", "the Vault, where the host has read it"],
            "docs_dir": ["docs", "the vault's folder, where the host gives neither"],
            "note": ["", "path of the page's source, where the host does not tell"],
            "tags_page": ["", "the page of tags, that tags are to lead to"],
            "backlinks": [True, "end a page with those that link to it"],
            "places": [False, "tell which part of the page is which for checks"],
            "html": [True, "let raw HTML through; otherwise it is shown as text"],
            "attributes": [True, "read {: .class #id } behind text, as attr_list does"],
            "inline_svg": [True, "put drawings of class vk-figure into the page"],
        }
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        r"""Register what reads Obsidian's syntax.

        Links and comments come after code (190) and mathematics (189.9), and before escapes
        (180): the bar in ``[[A\|b]]`` is theirs.
        """
        # CommonMark lets every mark be escaped; Python-Markdown some of them.
        md.ESCAPED_CHARS = [*dict.fromkeys([*md.ESCAPED_CHARS, *string.punctuation])]
        page = Page(md, self.getConfigs())
        md.registerExtension(self)
        md.preprocessors.register(Lines(md, page), "vaultkit-lines", 29)
        md.inlinePatterns.register(Displays(md), "vaultkit-display", 189.95)
        if "arithmatex-inline" in md.inlinePatterns:
            formulas = md.inlinePatterns["arithmatex-inline"]
            pattern = f"(?!{PRICES.pattern}){formulas.compiled_re.pattern}"
            formulas.compiled_re = re.compile(pattern, re.DOTALL)
        md.inlinePatterns.register(WikiLinks(md, page), "vaultkit-wikilink", 185)
        md.inlinePatterns.register(Comments(md, page), "vaultkit-comment", 184)
        md.inlinePatterns.register(FootnoteMarks(md, page), "vaultkit-footnote", 174)
        # Behind Python-Markdown's links (160), addresses in angle brackets (120) and HTML (90).
        md.inlinePatterns.register(BareAddresses(md), "vaultkit-address", 85)
        # Behind all other ends of lines (100).
        md.inlinePatterns.register(LineBreaks(md, page), "vaultkit-line-break", 75)
        md.inlinePatterns.register(Tags(md, page), "vaultkit-tag", 70)
        # Before Python-Markdown lists them (50).
        md.treeprocessors.register(FootnoteOrder(page), "vaultkit-footnote-order", 51)
        md.treeprocessors.register(_BlockIds(md), "vaultkit-block-ids", 26)
        md.treeprocessors.register(Links(md, page), "vaultkit-links", 19.95)
        md.treeprocessors.register(_Callouts(md), "vaultkit-callouts", 19.9)
        md.treeprocessors.register(_Captions(md), "vaultkit-captions", 7)
        md.treeprocessors.register(Tables(md), "vaultkit-tables", 6.5)
        # After all that changes the tree, before `toc` (5) gives headings their addresses.
        md.treeprocessors.register(_Finish(md, page), "vaultkit-obsidian", 6)
        md.treeprocessors.register(_TagAddresses(md, page), "vaultkit-tag-addresses", -1)
        # After all that writes attributes.
        md.treeprocessors.register(Addresses(md, page.options["html"]), "vaultkit-safe", -2)
        if not page.options["html"]:
            forbid_html(md)
        if not page.options["attributes"]:
            # Fences ask whether there is one; Obsidian shows what it would read.
            md.treeprocessors.register(_TagHeadings(md), "attr_list", 8)
        if page.options["places"]:
            md.treeprocessors.register(NameLinks(md, page), "vaultkit-name-links", 6.2)
            # When the formulas are typeset (4), and when stashed code is back in its place (30).
            md.treeprocessors.register(NameFormulas(md, page), "vaultkit-name-formulas", 3)
            md.treeprocessors.register(NamePredictions(md, page), "vaultkit-name-predictions", 2)
            md.postprocessors.register(NameSpots(md), "vaultkit-name-spots", 1)
        self.cards = Flashcards()
        md.parser.blockprocessors.register(Blocks(page, self.cards), "vaultkit-blocks", 200)

    def reset(self) -> None:
        """Begin another page."""
        self.cards.used.clear()


class _TagHeadings(Treeprocessor):
    """Reads no attributes but those that Material's plugin writes into its list of tags."""

    def run(self, root: Element) -> None:
        for element in root.iter():
            if element.tag in HEADINGS and (found := _LISTED.fullmatch(element.text or "")):
                element.text = found["name"]
                element.set("id", found["slug"])


class _BlockIds(Treeprocessor):
    """Gives what ends in ``^id`` that id. Comes before inline patterns, while text is text."""

    def run(self, root: Element) -> None:
        for parent in list(root.iter()):
            for child in list(parent):
                self.name(parent, child)

    def name(self, parent: Element, element: Element) -> None:
        text = element.text or ""
        found = None if isinstance(text, AtomicString) else block_id(text)
        if not found:
            return
        name = f"^{found['id']}"
        element.text = text[: found.start()].rstrip()
        above = list(parent)[: list(parent).index(element)]
        if element.tag == "p" and not element.text and not len(element) and above:
            parent.remove(element)
            element = above[-1]
        if element.tag in HEADINGS:
            # A heading keeps its own address.
            SubElement(element, "span", {"id": name})
        elif HTML_PLACEHOLDER_RE.match(element.text or "") or "id" in element.attrib:
            # Python-Markdown will put ready HTML, a block of code, in the place of the paragraph.
            index = list(parent).index(element)
            box = Element("div", {"id": name})
            box.append(element)
            parent[index] = box
        else:
            element.set("id", name)


class _Callouts(Treeprocessor):
    """Adds to a callout's own name the one that Material styles."""

    def run(self, root: Element) -> None:
        for element in root.iter():
            names = element.get("class", "").split()
            folded = element.tag == "details" and "flashcard" not in names
            callout = folded or (element.tag == "div" and "admonition" in names)
            if callout and not set(names) & set(CALLOUTS):
                styles = [_STYLE[name] for name in names if name in _STYLE]
                element.set("class", " ".join([*names, *(styles[:1] or ["note"])]))


class _Captions(Treeprocessor):
    def run(self, root: Element) -> None:
        caption_figures(self.md, root)


class _Finish(Treeprocessor):
    """Puts into the page what comes from other files."""

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(md)
        self.page = page

    def run(self, root: Element) -> None:
        transclude(self.page, root)
        give_title(self.page, root)
        show_properties(self.page, root)
        if self.page.options["backlinks"]:
            aside = linked_from(self.page)
            if aside is not None:
                root.append(aside)
        if self.page.options["inline_svg"]:
            inline_drawings(self.page, root)
        address_equations(self.page, root)
        make_text(self.page, root)


def give_title(page: Page, root: Element) -> None:
    """Write the name of a note above it unless it begins with a heading of its own.

    Where a page has none at all, the theme does so.
    """
    if page.trail or page.host.path not in page.vault.notes:
        return
    raw = page.md.htmlStash.rawHtmlBlocks
    if root.find(".//h1") is None and not any("<h1" in str(block) for block in raw):
        return
    if not _begins_with_title(root, page.host.name):
        title = Element("h1", {"id": f"note-{address(page.host.name)}"})
        title.text = AtomicString(page.host.name)
        root.insert(0, title)


def _begins_with_title(root: Element, name: str) -> bool:
    first = next((element for element in root if element.tag in HEADINGS), None)
    if first is None or first.tag != "h1":
        return False
    # One that comes behind text is the title of the page if it says so.
    return first is root[0] or comparable("".join(first.itertext())) == comparable(name)


class _TagAddresses(Treeprocessor):
    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(md)
        self.page = page

    def run(self, root: Element) -> None:
        page = self.page
        for anchor in root.iter("a"):
            tag = anchor.attrib.pop("data-tag", None)
            if tag is not None:
                # From the vault's root: any file there does to say so.
                href = page.rebase(page.options["tags_page"], page.vault.root / "index.md")
                anchor.set("href", f"{page.address(href)}#tag:{tag}")


def makeExtension(**options: Any) -> ObsidianExtension:  # noqa: N802
    """Make the extension, as Python-Markdown asks for it."""
    return ObsidianExtension(**options)
