"""Adapts notes and pages to Material for MkDocs: front matter, links of drawings, scripts."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path
from typing import Any

from vaultkit.read.note import tags_of

#: Most pages of a folder in the navigation of a page.
_MOST_BESIDE = 100
_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
#: The attribute of a link in a drawing, but not ``xlink:href``.
_HREF = re.compile(r"(<a\s[^>]*?)(?<!:)\bhref=")
#: The address of the search worker in Material's settings.
_MATERIALS_WORKER = re.compile(r'(?<="search": ")([^"]*)assets/javascripts/workers/search\.[^"]*')
#: Where Material's script reads the address of a page in the sitemap, relative to nothing.
_SITEMAP_ADDRESS = re.compile(r"(new URL\(\w+\.textContent)\),(\w+)\)")
#: Where it adds a tag with the scheme of the page, by which Chromium restyles all elements, twice.
_SCHEME = '{name:"color-scheme"}'
#: The breadcrumbs of a page, with their label.
_PATH = re.compile('(<nav class="md-path" aria-label=)"[^"]*"')
#: Where it makes the addresses of a page absolute, by which a browser reads a style sheet again and
#: lays everything out anew; and where it compares the tags in the heads of two pages.
_ABSOLUTE = "{t[r]=t[r];break}"
_ABSOLUTE_BUT_LINKS = '{if(e===document&&t.localName==="link")t.vkHref=t.href;else t[r]=t[r];break}'
_TAG = re.compile(r"(t\.set\()(r\.outerHTML)(,r\))")
#: A plain external script, without attributes such as `defer`.
_SCRIPT = re.compile(r'<script src="([^"]*)"></script>\s*')
#: Loads scripts after the first frame, or after half a second in a background tab, which draws
#: none.
_LOADER = (
    "(()=>{let begun;const begin=()=>{if(begun)return;begun=1;let left=0;for(const src of %s){"
    'left+=1;const one=Object.assign(document.createElement("script"),{src,async:false});'
    "one.onload=one.onerror=()=>{left-=1;"
    'if(!left)document.dispatchEvent(new Event("DOMContentLoaded"))};'
    "document.body.append(one)}};"
    "const read=()=>{requestAnimationFrame(()=>setTimeout(begin));setTimeout(begin,500)};"
    'if(document.readyState==="loading")addEventListener("DOMContentLoaded",read,{once:true});'
    "else read()})()"
)


def drop_misread_properties(meta: Mapping[str, Any], folders: list[str]) -> dict[str, Any]:
    """Return front matter without properties that the theme would misinterpret.

    Obsidian's users have icons, templates and states with other meanings; the theme aborts the
    build if it finds no file of that name, or a value of another type.
    """
    properties = dict(meta)
    if "tags" in properties:
        properties["tags"] = list(tags_of(properties["tags"]))

    def exists(name: object) -> bool:
        return isinstance(name, str) and any((Path(folder) / name).is_file() for folder in folders)

    fits: dict[str, Callable[[Any], bool]] = {
        "icon": lambda value: exists(f".icons/{value}.svg"),
        "template": exists,
        "status": lambda value: isinstance(value, str),
        "title": lambda value: isinstance(value, str),
        "description": lambda value: isinstance(value, str),
        "hide": lambda value: isinstance(value, list),
        "search": lambda value: isinstance(value, dict),
    }
    return {
        name: value for name, value in properties.items() if name not in fits or fits[name](value)
    }


def escape_strings(value: Any) -> Any:
    """Return the properties of a page with all strings HTML-escaped."""
    match value:
        case str():
            return html.escape(value)
        case list():
            return [escape_strings(item) for item in value]
        case dict():
            return {name: escape_strings(item) for name, item in value.items()}
    return value


def defer_scripts(scripts: str) -> str:
    """Return scripts that are loaded, in order, after the page has been drawn.

    Material's script starts on ``DOMContentLoaded``, so that event is dispatched again afterwards.
    """
    plain = [html.unescape(address) for address in _SCRIPT.findall(scripts)]
    return _SCRIPT.sub("", scripts) + f"<script>{_LOADER % json.dumps(plain)}</script>"


def add_labels(output: str) -> str:
    """Add labels to the search dialog and the breadcrumbs, which have no accessible names."""
    dialog = 'data-md-component="search" role="dialog"'
    output = output.replace(dialog, f'{dialog} aria-label="Search"', 1)
    output = _PATH.sub(r'\1"Path to this page"', output)
    # Material writes empty attributes; drop them.
    return output.replace(' tabindex=""', "")


def replace_svg_href(content: str) -> str:
    """Replace ``href`` by ``xlink:href`` in the links of drawings.

    Material's script assigns to ``.href`` of every element with such an attribute, and raises
    for SVG: after that, neither previews nor instant navigation work.
    """
    return _DRAWING.sub(lambda svg: _HREF.sub(r"\1xlink:href=", svg[0]), content)


def replace_search_worker(settings: str, worker: str) -> str:
    """Replace the address of Material's search worker by another one."""
    return _MATERIALS_WORKER.sub(lambda match: match[1] + worker, settings)


def adapt_script(script: str) -> str:
    """Return Material's script with three changes.

    It reads relative addresses in a sitemap, too: pages listed there are loaded in place, and a
    site that is built without its address can only list relative ones. And it does not set the
    colour scheme of a page in a tag: `main.html` and `vaultkit.js` do. And it leaves the links in
    the head of the first page as they are.

    Examples
    --------
    >>> adapt_script("f(new URL(loc.textContent),base)")
    'f(new URL(loc.textContent,base),base)'
    """
    script = script.replace(_SCHEME, '{name:"vk-color-scheme"}')
    if _ABSOLUTE in script and len(_TAG.findall(script)) == 1:
        script = script.replace(_ABSOLUTE, _ABSOLUTE_BUT_LINKS)
        script = _TAG.sub(r'\1r.localName==="link"?r.rel+(r.vkHref||r.href):\2\3', script)
    return _SITEMAP_ADDRESS.sub(r"\1,\2),\2)", script)


def limit_navigation(nav: Any) -> Any:
    """Return the navigation for the active page: of a large folder, only the pages beside it.

    Otherwise every page would list all others, and the time and size of a site would grow with the
    square of its notes.
    """

    def part(items: list[Any]) -> list[Any]:
        """Return the entries of a folder: all folders, and the pages near the active one."""
        pages = [item for item in items if not item.children]
        active = next((n for n, entry in enumerate(pages) if entry.active), 0)
        # As many before the active page as after it, except near the ends.
        first = max(0, min(active - _MOST_BESIDE // 2, len(pages) - _MOST_BESIDE))
        beside = {id(entry) for entry in pages[first : first + _MOST_BESIDE]}
        near = []
        for entry in items:
            if entry.children and entry.active:
                folder = copy(entry)
                folder.children = part(entry.children)
                near.append(folder)
            elif entry.children or id(entry) in beside:
                near.append(entry)
        return near

    shown = copy(nav)
    shown.items = part(nav.items)
    return shown


def lists_notes(page: object, tags: Any) -> bool:
    """Return whether Material's tags plugin lists notes on a page after all are rendered."""
    return any(listing.page is page for listing in (tags and tags.listings) or ())
