"""The Python-Markdown extension ``vaultkit``, through which hosts such as MkDocs use the renderer.

A preprocessor renders the page and leaves an empty text for Python-Markdown. A tree processor,
which runs after Python-Markdown's inline patterns, inserts the rendered elements. The host does the
rest: it indents them, makes the table of contents, resolves links to notes, and serialises the
HTML.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from vaultkit.read.markdown import parse
from vaultkit.read.note import Note
from vaultkit.read.syntax import address, comparable, slug
from vaultkit.read.tokenizer import tokenize
from vaultkit.render.backlinks import render_backlinks
from vaultkit.render.blocks import HEADINGS, BlockRenderer
from vaultkit.render.drawings import inline_drawings
from vaultkit.render.embeds import finish_parts, replace_embeds
from vaultkit.render.equations import address_equations
from vaultkit.render.inline import literal
from vaultkit.render.mathematics import typeset
from vaultkit.render.old_headings import keep_addresses
from vaultkit.render.page import Page
from vaultkit.render.places import Names
from vaultkit.render.properties import show_properties
from vaultkit.render.quotes import curl
from vaultkit.render.safe import keep_safe
from vaultkit.render.unpublished import make_text

#: The Python-Markdown extensions for every page, with their settings.
EXTENSIONS: dict[str, dict[str, Any]] = {
    "toc": {"slugify": slug, "permalink": "#", "permalink_title": "Link to here", "marker": ""},
    "pymdownx.highlight": {"pygments_lang_class": True},
    "vaultkit.render.host": {},
}
#: The text shown for a note in which the Excalidraw plugin stores a drawing.
_EXCALIDRAW_PAGE = "> [!info] A drawing of Excalidraw\n> It is shown in Obsidian alone."
#: Material's tags plugin writes each heading of its list as ``ID/name { #ID/slug }``.
_TAG_LIST_HEADING = re.compile(r"(?P<name>(?P<id>\S+)/name) \{ #(?P<slug>(?P=id)/slug) \}")


class VaultExtension(Extension):
    """Renders Markdown as Obsidian does."""

    def __init__(
        self, parts: Mapping[str, Mapping[str, Any]] | None = None, **options: Any
    ) -> None:
        #: The settings of each extension, of which ``parts`` replaces some.
        self.parts = {
            name: {**defaults, **(parts or {}).get(name, {})}
            for name, defaults in EXTENSIONS.items()
        }
        # String defaults, since Python-Markdown would convert a vault to a Boolean.
        self.config = {
            "vault": ["", "the Vault, if the host has read it"],
            "docs_dir": ["docs", "the vault's folder, if the host gives neither"],
            "note": ["", "path of the page's source, if the host does not know it"],
            "tags_page": ["", "the page of tags, to which tags lead"],
            "backlinks": [True, "list the backlinks at the end of a page"],
            "places": [False, "name the parts of the page for checks"],
            "html": [True, "let raw HTML through; otherwise it is shown as text"],
            "inline_svg": [True, "put drawings of class vk-figure into the page"],
            "mathematics": [True, "typeset formulas; otherwise their TeX is shown"],
            "fences": [
                [],
                "functions that draw fences, like `custom_fences` of pymdownx.superfences",
            ],
        }
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register the processors.

        The last argument of each registration is a priority: of two, the higher one runs first.
        """
        for name, settings in self.parts.items():
            if name != __name__ and not _is_registered(md, name):
                md.registerExtensions([name], {name: settings})
        page = Page(md, self.getConfigs())
        reader = _Reader(md, page)
        # Before all preprocessors that read HTML.
        md.preprocessors.register(reader, "vaultkit", 29)
        if "html_block" in md.preprocessors:  # which would stash the raw HTML a second time
            md.preprocessors.deregister("html_block")
        md.parser.blockprocessors.register(_SkipText(md.parser), "vaultkit", 1000)
        # After inline patterns (20), before indentation (10).
        md.treeprocessors.register(_InsertTree(md, page, reader), "vaultkit", 19.95)
        # After attribute lists (8), before the ids of headings (5).
        md.treeprocessors.register(_AddFromVault(md, page), "vaultkit-finish", 6)
        if page.options["mathematics"]:
            md.treeprocessors.register(_Mathematics(md, page), "vaultkit-mathematics", 4)
        # After all processors that set attributes.
        md.treeprocessors.register(_FinishPage(md, page), "vaultkit-addresses", -2)


def _is_registered(md: Markdown, extension: str) -> bool:
    """Return whether an extension is registered, by its tree processor."""
    processor = {"toc": "toc", "pymdownx.highlight": "indent-highlight"}[extension]
    return processor in md.treeprocessors


class _Reader(Preprocessor):
    """Renders a page, and stashes the raw HTML of its author with the host."""

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(md)
        self.page = page
        self.root = Element("div")

    def run(self, lines: list[str]) -> list[str]:
        """Render the page from its Markdown, and return the raw HTML that its author wrote.

        MkDocs looks for the ids in it, to which links may lead; `_SkipText` then drops it.
        """
        page = self.page
        path = page.begin()
        of_vault = page.vault.notes.get(path)
        is_parsed = of_vault is not None and _shows(lines, of_vault)
        note = of_vault if of_vault and is_parsed else parse("\n".join(lines), path)
        page.host = page.note = note
        if of_vault and "excalidraw-plugin" in of_vault.meta and not note.refused:
            note = replace(parse(_EXCALIDRAW_PAGE), path=path)
        if note.refused:
            note = replace(parse("\n".join(refusal_page(note))), path=path)
        # A generated page, such as that of tags, is not a note: nothing on it is checked.
        names = Names(note, of_vault) if page.options["places"] else None
        self.root = BlockRenderer(page, tokenize(note.text), note, names=names).render()
        return "\n".join(page.author_html).split("\n")


class _SkipText(BlockProcessor):
    """Consumes the text without parsing it, since `_Reader` has rendered it.

    ``test`` says that it applies to any block, and ``run`` drops all blocks.
    """

    def test(self, parent: Element, block: str) -> bool:  # noqa: ARG002
        return True

    def run(self, parent: Element, blocks: list[str]) -> None:  # noqa: ARG002
        blocks.clear()


class _PageProcessor(Treeprocessor):
    """A tree processor of Python-Markdown that knows the page."""

    def __init__(self, md: Markdown, page: Page) -> None:
        super().__init__(md)
        self.page = page


class _InsertTree(_PageProcessor):
    """Hands the tree that was rendered to the host, in place of its own."""

    def __init__(self, md: Markdown, page: Page, reader: _Reader) -> None:
        super().__init__(md, page)
        self.reader = reader

    def run(self, root: Element) -> Element:  # noqa: ARG002
        return self.reader.root


class _AddFromVault(_PageProcessor):
    """Adds content from other files: embeds, drawings, backlinks."""

    def run(self, root: Element) -> None:
        """Add to the rendered tree what needs the whole page.

        Title, properties, old addresses, backlinks, drawings.
        """
        page = self.page
        if "attr_list" not in page.md.treeprocessors:
            _apply_tag_list_attributes(root)  # which that extension would have applied
        finish_parts(page, root)
        replace_embeds(page, root)
        insert_title(page, root)
        show_properties(page, root)  # below the title
        keep_addresses(page, root)
        if page.options["backlinks"]:
            aside = render_backlinks(page)
            if aside is not None:
                root.append(aside)
        if page.options["inline_svg"]:
            inline_drawings(page, root)
        address_equations(page, root)
        make_text(page, root)


class _Mathematics(_PageProcessor):
    """Typesets the formulas."""

    def run(self, root: Element) -> None:
        """Typeset the formulas, and set curly quotes if the vault asks for them."""
        preamble = self.page.vault.preamble + self.page.host.preamble
        options = self.page.vault.options
        toc = getattr(self.md, "toc_tokens", [])
        typeset(root, toc, preamble, options.coloured)
        if options.curly_quotes:
            curl(root, toc)


class _FinishPage(_PageProcessor):
    """Sets what is known only for the finished page, and removes what could run a script."""

    def run(self, root: Element) -> None:
        """Set the addresses of tags; then remove scripts from addresses and attributes."""
        page = self.page
        for anchor in root.iter("a"):
            tag = anchor.attrib.pop("data-tag", None)
            if tag is not None:
                # The address is relative to the vault's root, which any file there can represent.
                href = page.rebase(page.options["tags_page"], page.vault.root / "index.md")
                anchor.set("href", f"{page.url(href)}#tag:{tag}")
        keep_safe(root, page.options["html"])


def _shows(page_lines: list[str], note: Note) -> bool:
    """Return whether a page has the text of a note of the vault, without its front matter.

    Blank lines at the beginning and end do not count.
    """
    if note.refused:
        return False
    page = "\n".join(page_lines).rstrip("\n").split("\n")
    begin = len("\n".join(note.lines).rstrip("\n").split("\n")) - len(page)
    if begin < note.front or note.lines[begin : begin + len(page)] != page:
        return False
    return not any(note.lines[note.front : begin])


def refusal_page(note: Note) -> list[str]:
    """Return the text of a page for a note that cannot be rendered."""
    return [f"# {note.name}", "", "> [!failure] This note cannot be shown", f"> {note.refused}"]


def _apply_tag_list_attributes(root: Element) -> None:
    """Apply the attributes that Material's tags plugin writes as text into its list."""
    for element in root.iter():
        if element.tag in HEADINGS and (match := _TAG_LIST_HEADING.fullmatch(element.text or "")):
            element.text = match["name"]
            element.set("id", match["slug"])


def insert_title(page: Page, root: Element) -> None:
    """Insert the name of a note as its title, unless it begins with a heading.

    On a page without headings of the first level, the theme does that.
    """
    if page.open_embeds or page.host.path not in page.vault.notes:
        return
    html_blocks = page.md.htmlStash.rawHtmlBlocks
    if root.find(".//h1") is None and not any("<h1" in str(block) for block in html_blocks):
        return
    if not _begins_with_title(root, page.host.name):
        title = Element("h1", {"id": f"note-{address(page.host.name)}"})
        title.text = literal(page.host.name)
        root.insert(0, title)


def _begins_with_title(root: Element, name: str) -> bool:
    """Return whether the first heading of a page is its title."""
    first = next((element for element in root if element.tag in HEADINGS), None)
    if first is None or first.tag != "h1":
        return False
    # A heading after other text is the title only if it equals the name.
    return first is root[0] or comparable("".join(first.itertext())) == comparable(name)


def makeExtension(**options: Any) -> VaultExtension:  # noqa: N802
    """Return the extension; the entry point of Python-Markdown."""
    return VaultExtension(**options)
