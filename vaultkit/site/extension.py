"""All that makes Python-Markdown read a note as Obsidian does, under one name: ``vaultkit``.

Any host of Python-Markdown can list it; MkDocs' plugin lists the same parts itself, so that a site
can set each of them.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown

from vaultkit.read.syntax import slug
from vaultkit.site import mermaid

#: The parts, and their settings. Those of vaultkit come last: they see what the others have left.
PARTS: dict[str, dict[str, Any]] = {
    "attr_list": {},
    "footnotes": {},
    "md_in_html": {},
    "toc": {"slugify": slug, "permalink": "#", "permalink_title": "Link to here", "marker": ""},
    "pymdownx.arithmatex": {
        "generic": True,
        "smart_dollar": True,
        "inline_syntax": ["dollar"],
        "block_syntax": ["dollar"],
    },
    "pymdownx.highlight": {"pygments_lang_class": True},
    "pymdownx.inlinehilite": {},
    "pymdownx.mark": {},
    "pymdownx.superfences": {},
    "pymdownx.tasklist": {"custom_checkbox": True},
    "pymdownx.tilde": {"subscript": False},
    "vaultkit.site.obsidian": {"attributes": False},
    "vaultkit.site.mathematics": {},
}

#: Fences that plugins of Obsidian compute something in, and what these are called.
COMPUTED = {
    "dataview": "Dataview",
    "dataviewjs": "Dataview",
    "base": "Base",
    "query": "Search",
    "tasks": "Tasks",
}
#: The last of them.
OURS = tuple(name for name in PARTS if name.startswith("vaultkit."))


def fences(cache: Path) -> list[dict[str, Any]]:
    """Name the fences that are drawn; drawings are kept in a folder from build to build."""
    draw = partial(mermaid.fence, cache=cache)
    computed = {"class": "vk-computed", "format": placeholder}
    return [
        {"name": "mermaid", "class": "vk-diagram", "format": draw},
        *({"name": name, **computed} for name in COMPUTED),
    ]


def placeholder(source: str, language: str, css_class: str, *_: Any, **__: Any) -> str:
    """Say what stands there in Obsidian, and is computed by it alone."""
    name = html.escape(COMPUTED[language])
    return (
        f'<details class="info {css_class}"><summary>{name}: computed in Obsidian alone</summary>'
        f"<pre><code>{html.escape(source, quote=False)}</code></pre></details>"
    )


class VaultExtension(Extension):
    """The parts as one. Its options are those of `vaultkit.site.obsidian`, and ``parts``."""

    def __init__(self, parts: Mapping[str, Mapping[str, Any]] | None = None, **options: Any):
        super().__init__()
        own = {
            name: {**settings, **(parts or {}).get(name, {})} for name, settings in PARTS.items()
        }
        own["vaultkit.site.obsidian"].update(options)
        own["pymdownx.superfences"].setdefault("custom_fences", fences(Path(".cache/vaultkit")))
        self.parts: dict[str, dict[str, Any]] = own

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register all of them."""
        if "attr_list" in md.treeprocessors:  # the author has listed it, too
            self.parts["vaultkit.site.obsidian"]["attributes"] = True
        md.registerExtensions(list(self.parts), self.parts)


def makeExtension(**options: Any) -> VaultExtension:  # noqa: N802
    """Make the extension, as Python-Markdown asks for it."""
    return VaultExtension(**options)
