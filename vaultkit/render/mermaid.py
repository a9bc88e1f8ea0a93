"""Draws Mermaid diagrams while the site is built, without a script on the page.

`draw_fence` is a custom fence of `pymdownx.superfences`. `mermaidx` runs Mermaid itself, with
placeholder colours that are replaced by the page's variables, so one drawing serves light and dark.
"""

from __future__ import annotations

import hashlib
import html
import logging
import os
import re
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from vaultkit.read.note import Link
from vaultkit.read.vault import BrokenLinkError
from vaultkit.render.safe import is_active
from vaultkit.store import Store

#: Placeholder colours, and the CSS variables that replace them.
_COLOURS = {
    "#010203": "var(--vk-diagram-fill)",
    "#040506": "var(--vk-diagram-line)",
    "#070809": "var(--md-typeset-color)",
    "#0a0b0c": "var(--vk-diagram-edge)",
    "#0d0e0f": "var(--md-default-bg-color)",
}
_FILL, _LINE, _TEXT, _EDGE, _PAGE = _COLOURS
_CONFIG = {
    "htmlLabels": False,
    "flowchart": {"htmlLabels": False},
    "themeVariables": {
        "background": _PAGE,
        "primaryColor": _FILL,
        "primaryBorderColor": _LINE,
        "primaryTextColor": _TEXT,
        "secondaryColor": _FILL,
        "secondaryTextColor": _TEXT,
        "tertiaryColor": _PAGE,
        "tertiaryBorderColor": _LINE,
        "tertiaryTextColor": _TEXT,
        "lineColor": _EDGE,
        "textColor": _TEXT,
        "edgeLabelBackground": _PAGE,
        "actorBkg": _FILL,
        "actorBorder": _LINE,
        "actorTextColor": _TEXT,
        "actorLineColor": _EDGE,
        "signalColor": _EDGE,
        "signalTextColor": _TEXT,
        "noteBkgColor": _PAGE,
        "noteBorderColor": _LINE,
        "noteTextColor": _TEXT,
        # The drawing is measured with a sans serif; text in a wider font would not fit its boxes.
        "fontFamily": "Helvetica, Arial, sans-serif",
    },
}

#: The processes that have started Mermaid. Its threads do not exist in a forked process, which
#: would wait for them forever.
_started_in: set[int] = set()
_log = logging.getLogger("mkdocs.plugins.vaultkit")


class DiagramError(ValueError):
    """A diagram that Mermaid cannot draw."""


@lru_cache(maxsize=256)
def to_svg(source: str, store: Store | None = None) -> str:
    """Draw a diagram.

    Parameters
    ----------
    source
        The text of the fence.
    store
        Caches drawings between builds, since starting Mermaid takes more than a second.

    Raises
    ------
    DiagramError
        If Mermaid cannot parse it, or the package `mermaidx` is not installed.
    """
    try:
        recipe = f"{version('mermaidx')}{_CONFIG}{_COLOURS}{source}"
    except PackageNotFoundError as error:
        raise DiagramError("the package mermaidx is not installed") from error
    key = hashlib.sha256(recipe.encode()).digest()
    name = key.hex()[:12]
    if store is None:
        return _draw(source, name)
    return store.get("diagram", name, key, lambda: _draw(source, name).encode()).decode()


def _draw(source: str, name: str) -> str:
    """Return the SVG of a diagram in the colours of the theme.

    Raise DiagramError if it has errors.
    """
    if _started_in - {os.getpid()}:
        raise DiagramError("another process has started Mermaid")
    _started_in.add(os.getpid())
    # Only loaded if a site has diagrams, since it takes long.
    mermaidx = import_module("mermaidx")
    try:
        svg = str(mermaidx.render(source, theme="base", config=_CONFIG).svg())
    except RuntimeError as error:
        raise DiagramError(str(error)) from error
    if is_active(svg):
        raise DiagramError("it contains a script")
    # Styles and arrowheads refer to ids, which must be unique on a page.
    svg = svg.replace("my-svg", f"mermaid-{name}")
    svg = re.sub("|".join(_COLOURS), lambda match: _COLOURS[match[0]], svg, flags=re.IGNORECASE)
    # At 100 %, a small diagram would be as wide as the page.
    view_box = re.search(r'viewBox="[-\d.]+ [-\d.]+ (?P<width>[\d.]+)', svg)
    if view_box:
        svg = svg.replace('width="100%"', f'width="{float(view_box["width"]):.0f}"', 1)
    return svg


#: A node that Obsidian makes a link: `class A internal-link;`.
_NODE = re.compile(r'<g class="node [^"]*\binternal-link\b[^"]*"')
_GROUP = re.compile(r"<(?P<closes>/?)g\b[^<>]*?(?P<empty>/?)>")


def _add_links(svg: str, md: Any) -> str:
    """Add links to the nodes of class ``internal-link``, each to the note of its name.

    A node whose name is that of no note remains without a link.
    """
    if not _NODE.search(svg) or "vaultkit" not in md.treeprocessors:
        return svg
    page = md.treeprocessors["vaultkit"].page
    pieces, copied = [], 0  # `copied` is the position up to which the drawing is in the pieces
    for node in _NODE.finditer(svg):
        end = _find_end_of_group(svg, node.start())
        group = svg[node.start() : end]
        name = html.unescape(" ".join(re.sub(r"<[^>]*>", " ", group).split()))
        with suppress(BrokenLinkError):
            target = page.resolve(Link(0, name, "", "", embed=False, wiki=True))
            href = html.escape(page.url(page.href(target)))
            pieces += [svg[copied : node.start()], f'<a class="wikilink" href="{href}">{group}</a>']
            copied = end
    return "".join([*pieces, svg[copied:]])


def _find_end_of_group(svg: str, start: int) -> int:
    """Return the position behind the end of the ``<g>`` that begins at a position.

    Examples
    --------
    >>> _find_end_of_group("<svg><g><g></g></g></svg>", 5)
    19
    """
    depth = 0
    for tag in _GROUP.finditer(svg, start):
        if not tag["empty"]:
            depth += -1 if tag["closes"] else 1
        if not depth:
            return tag.end()
    return len(svg)


def draw_fence(
    source: str,
    language: str,
    css_class: str,
    options: dict[str, Any],
    md: Any,
    store: Store | None = None,
    **_: Any,
) -> str:
    """Return a diagram as HTML, or its source with the error.

    The parameters are those with which `pymdownx.superfences` calls a formatter.
    """
    del language, options
    try:
        svg = _add_links(to_svg(source, store), md)
    except DiagramError as error:
        _log.warning("a Mermaid diagram cannot be drawn: %s", error)
        return f'<pre class="mermaid-error" title="{html.escape(str(error))}">' + (
            f"<code>{html.escape(source, quote=False)}</code></pre>"
        )
    return f'<figure class="{css_class}">{svg}</figure>'
