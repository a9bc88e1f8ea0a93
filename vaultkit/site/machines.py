"""Writes metadata for programs: ``llms.txt``, and Open Graph and JSON-LD for each page."""

from __future__ import annotations

import html
import json
import re
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_GROUP = re.compile(r"<g\b[^>]*>")
_RECT = re.compile(r"<rect\b[^>]*>")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
#: Width and height of the picture of a link, as Open Graph recommends.
_WIDTH, _HEIGHT = 1200, 630
#: The brightness of the background, from 0 to 255, and the share of the picture that a logo fills.
_PAPER, _LOGO = 250, 0.7


@dataclass(frozen=True)
class PageMetadata:
    """The metadata of a page. ``url`` and ``image`` are empty where the site has no address."""

    site: str
    title: str
    description: str
    url: str = ""
    image: str = ""
    tags: Sequence[str] = ()
    minutes: int = 0


def metadata_elements(about: PageMetadata) -> str:
    """Return Open Graph and JSON-LD elements for the head of a page."""
    graph = {
        "og:type": "article",
        "og:site_name": about.site,
        "og:title": about.title,
        "og:description": about.description,
        "og:url": about.url,
        "og:image": about.image,
        "og:image:width": str(_WIDTH) if about.image else "",
        "og:image:height": str(_HEIGHT) if about.image else "",
        "og:image:alt": about.site if about.image else "",
    }
    lines = [
        f'<meta property="{name}" content="{html.escape(value)}">'
        for name, value in graph.items()
        if value
    ]
    if about.image:
        lines.append('<meta name="twitter:card" content="summary_large_image">')
    data: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "LearningResource",
        "name": about.title,
        "description": about.description,
        "url": about.url,
        "image": about.image,
        "keywords": list(about.tags),
        "timeRequired": f"PT{about.minutes}M" if about.minutes else "",
        "isPartOf": {"@type": "WebSite", "name": about.site},
    }
    text = json.dumps({key: value for key, value in data.items() if value}, ensure_ascii=False)
    # The JSON must not contain a tag that ends the script.
    text = text.replace("</", "<\\/").replace("<!--", "<\\u0021--")
    return "\n".join([*lines, f'<script type="application/ld+json">{text}</script>'])


@dataclass(frozen=True)
class ListedNote:
    """A note in ``llms.txt``."""

    title: str
    href: str
    summary: str = ""


def write_llms_txt(
    site: str, description: str, sections: Mapping[str, Iterable[ListedNote]]
) -> str:
    """Return ``llms.txt``: all notes in order, each with its summary and a link to its Markdown."""
    lines = [f"# {site}"]
    if description:
        lines += ["", f"> {description}"]
    for name, notes in sections.items():
        listed = [
            f"- [{note.title}]({note.href})" + f": {note.summary}" * bool(note.summary)
            for note in notes
        ]
        if listed:
            lines += ["", f"## {name}", "", *listed]
    return "\n".join(lines) + "\n"


def draw_picture(logo: str) -> bytes:
    """Return a PNG with the rectangles of an SVG logo in its middle; other shapes are left out."""
    canvas = np.full((_HEIGHT, _WIDTH, 3), _PAPER, dtype=np.uint8)
    # What a group has, its rectangles have, too.
    common = dict(_ATTRIBUTE.findall((_GROUP.search(logo) or [""])[0]))
    rects = [common | dict(_ATTRIBUTE.findall(rectangle)) for rectangle in _RECT.findall(logo)]
    rects = [rect for rect in rects if re.fullmatch("#[0-9a-fA-F]{6}", rect.get("fill", ""))]
    boxes = [[float(rect.get(key, 0)) for key in ("x", "y", "width", "height")] for rect in rects]
    if boxes:
        left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
        wide = max(box[0] + box[2] for box in boxes) - left
        high = max(box[1] + box[3] for box in boxes) - top
        scale = _LOGO * min(_WIDTH / wide, _HEIGHT / high)
        x0, y0 = (_WIDTH - scale * wide) / 2, (_HEIGHT - scale * high) / 2
        for rect, (x, y, width, height) in zip(rects, boxes, strict=True):
            rows = slice(round(y0 + scale * (y - top)), round(y0 + scale * (y - top + height)))
            columns = slice(round(x0 + scale * (x - left)), round(x0 + scale * (x - left + width)))
            colour = bytes.fromhex(rect["fill"][1:])
            canvas[rows, columns] = _blend_with_paper(colour, float(rect.get("opacity", 1)))
    # Each row of a PNG begins with the number of its filter; 0 is none.
    rows_of_bytes = canvas.reshape(_HEIGHT, -1)
    raw = np.concatenate([np.zeros((_HEIGHT, 1), np.uint8), rows_of_bytes], axis=1)
    # Eight bits per colour (8), in red, green and blue (2), not interlaced.
    header = struct.pack(">IIBBBBB", _WIDTH, _HEIGHT, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(raw.tobytes(), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )


def _blend_with_paper(colour: bytes, opacity: float) -> list[int]:
    """Return a colour over the background."""
    return [round(opacity * part + (1 - opacity) * _PAPER) for part in colour]
