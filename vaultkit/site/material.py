"""What Material for MkDocs can bear of a note, and what is mended of the pages that it makes."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vaultkit.read.note import tags_of

_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_HREF = re.compile(r"(<a\s[^>]*?)(?<!:)\bhref=")
_MATERIALS_WORKER = re.compile(r'(?<="search": ")([^"]*)assets/javascripts/workers/search\.[^"]*')
#: A script of a page that asks for nothing special.
_SCRIPT = re.compile(r'<script src="([^"]*)"></script>\s*')
#: Nothing is drawn in a page that nobody looks at: there they come after a while.
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


def bearable(meta: Mapping[str, Any], folders: list[str]) -> dict[str, Any]:
    """Leave out the properties that the theme would take for orders of another kind.

    Obsidian's users name icons, templates and states of their own; the theme ends the build where
    it finds no file of that name, or another type than it expects.
    """
    properties = dict(meta)
    if "tags" in properties:
        properties["tags"] = list(tags_of(properties["tags"]))

    def there(name: object) -> bool:
        return isinstance(name, str) and any((Path(folder) / name).is_file() for folder in folders)

    fits: dict[str, Callable[[Any], bool]] = {
        "icon": lambda value: there(f".icons/{value}.svg"),
        "template": there,
        "status": lambda value: isinstance(value, str),
        "title": lambda value: isinstance(value, str),
        "description": lambda value: isinstance(value, str),
        "hide": lambda value: isinstance(value, list),
        "search": lambda value: isinstance(value, dict),
    }
    return {
        name: value for name, value in properties.items() if name not in fits or fits[name](value)
    }


def escaped(value: Any) -> Any:
    """Escape all words in the properties of a page."""
    match value:
        case str():
            return html.escape(value)
        case list():
            return [escaped(one) for one in value]
        case dict():
            return {name: escaped(one) for name, one in value.items()}
    return value


def later(scripts: str) -> str:
    """Have plain scripts loaded, in their order, once the page has been drawn.

    Material's begins when the page has been read. It is told so again when it is there.
    """
    plain = [html.unescape(address) for address in _SCRIPT.findall(scripts)]
    return _SCRIPT.sub("", scripts) + f"<script>{_LOADER % json.dumps(plain)}</script>"


def mended(output: str) -> str:
    """Name the search dialog and the path, which Material leaves without names of their own."""
    dialog = 'data-md-component="search" role="dialog"'
    output = output.replace(dialog, f'{dialog} aria-label="Search"', 1)
    output = re.sub('(?<=<nav class="md-path" aria-label=)"[^"]*"', '"Path to this page"', output)
    # And drop empty attributes.
    return output.replace(' tabindex=""', "")


def linked(content: str) -> str:
    """Write the links of drawings as Material can bear them.

    Its script sets ``.href`` of all that has such an attribute, which SVG forbids: one such link,
    and neither previews nor pages in place work any more.
    """
    return _DRAWING.sub(lambda svg: _HREF.sub(r"\1xlink:href=", svg[0]), content)


def searching(settings: str, worker: str) -> str:
    """Put the address of another worker in the place of that which searches for Material."""
    return _MATERIALS_WORKER.sub(lambda found: found[1] + worker, settings)
