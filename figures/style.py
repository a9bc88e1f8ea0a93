"""One visual language for all figures: colours, type, and the few shapes they are made of.

A drawing is a list of SVG fragments; each function here returns one. What a figure shows, and
where, belongs in the modules named after concepts.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path

import numpy as np
import numpy.typing as npt

from figures import signs
from vaultkit.site.outlines import draw_formula

WIDTH = 480  # of a figure: nearly one scale, so nearly one size of type on a page
EDGE = 1 / 40  # of the width: margin on the left, for fonts with wider letters
SMALL = 13.5  # secondary text; on a 390 px phone still some 10 px
INDEX = 0.9  # of an index to its letter; on that phone no index is below 9.5 px
ROW = 1  # the row that is followed through the pipeline: "journey"
# Letters with the colours of arrays: `vaultkit.site.outlines` makes classes of them.
Q, K, V, ALPHA = (
    rf"\textcolor{{{hue}}}{{{letter}}}"
    for hue, letter in (("query", "Q"), ("key", "K"), ("value", "V"), ("score", r"\alpha"))
)
SOFTMAX = rf"\operatorname{{softmax}}\left(\frac{{{Q}{K}^\top}}{{\sqrt{{d_k}}}}\right)"
FULL = 0.48  # opacity of a heat map's largest value: text over it keeps 4.5 : 1
FAINT = 0.05  # and of its smallest
TINT = 0.04  # opacity of a card's colour: the letters of all arrays can be read on it

# A colour means the same in every figure. Each reaches 4.5 : 1 as text on its page.
LIGHT = {
    "fg": "#1d2330",
    "muted": "#5a6273",
    "line": "#c3c9d4",
    "input": "#5f6b80",
    "query": "#1560bd",
    "key": "#b8520a",
    "value": "#0a7a58",
    "score": "#7d1d72",
}
DARK = {
    "fg": "#eceff5",
    "muted": "#a8b0c0",
    "line": "#4b5263",
    "input": "#a3b0c6",
    "query": "#57a5f5",
    "key": "#f0a15c",
    "value": "#5bd8a6",
    "score": "#eab0e4",
}

#: Colours of what is no array, such as methods that are compared. Only drawings that use them
#: define them.
SERIES = {
    "light": {"petrol": "#046f87", "rose": "#9b424d", "ochre": "#7e5d1d"},
    "dark": {"petrol": "#17a9cb", "rose": "#f65b72", "ochre": "#d9a514"},
}


def _variables(palette: dict[str, str]) -> str:
    return ";".join(f"--vk-{name}:{colour}" for name, colour in palette.items())


def _coloured(light: dict[str, str], dark: dict[str, str]) -> str:
    """Return the rules that define these colours, and a class for each."""
    return (
        f"svg.vk-figure{{{_variables(light)}}}"
        f"@media screen and (prefers-color-scheme:dark){{svg.vk-figure{{{_variables(dark)}}}}}"
        f"[data-md-color-scheme] svg.vk-figure{{{_variables(light)}}}"
        f'@media screen{{[data-md-color-scheme="slate"] svg.vk-figure{{{_variables(dark)}}}}}'
        + "".join(
            f"svg.vk-figure .vk-{name}{{color:var(--vk-{name});fill:currentColor}}"
            for name in light
        )
    )


# As an image a figure follows the system; inside a page, the page's own scheme. Paper is light.
STYLE = (
    _coloured(LIGHT, DARK) + "svg.vk-figure{color:var(--vk-fg);fill:currentColor;"
    'font:15px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;'
    "font-variant-numeric:tabular-nums;font-size-adjust:.486}"
    "[data-md-color-scheme] svg.vk-figure{font-family:inherit;font-size-adjust:none}"
    "svg.vk-figure .vk-stroke{fill:none;stroke:currentColor}"
    'svg.vk-figure .vk-math{font-family:"STIX Two Math","STIX Two Text","Cambria Math",Cambria,'
    'Georgia,"Times New Roman",serif;font-size:1.08em;font-weight:400}'
)

# For a figure whose stages are links: `vk-frame` is a stage's card, `vk-name` its name.
LINKS = (
    "svg.vk-figure a{text-decoration:none;outline:none}"
    "svg.vk-figure .vk-name{fill:var(--vk-fg)}"  # not the page's colour of links
    f"svg.vk-figure .vk-frame{{fill:currentColor;fill-opacity:{TINT};stroke:currentColor;"
    "stroke-opacity:.55}"
    "svg.vk-figure a:is(:hover,:focus-visible) .vk-frame{stroke-opacity:1;stroke-width:2.5}"
    "svg.vk-figure a:is(:hover,:focus-visible) .vk-name{text-decoration:underline}"
)


def figure_svg(
    name: str,
    title: str,
    desc: str,
    height: float,
    parts: Iterable[str],
    *,
    left: float = 0,
    right: float | None = None,
    extra_style: str = "",
    role: str = "img",
) -> str:
    """Wrap fragments as a whole drawing; `name` keeps its ids apart from other figures'.

    `left` and `right` are the x coordinates of the outermost marks, which a site aligns with the
    text. A drawing without `right` is as wide as most.
    """
    ids = f"{name}-title", f"{name}-desc"
    span = WIDTH if right is None else right - left
    edge = EDGE * span
    parts = list(parts)
    has_series = any(f"vk-{name}" in part for name in SERIES["light"] for part in parts)
    series = _coloured(SERIES["light"], SERIES["dark"]) if has_series else ""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="vk-figure" role="{role}"'
            f' aria-labelledby="{ids[0]}" aria-describedby="{ids[1]}"'
            f' width="{num(edge + span)}" height="{height:g}"'
            f' viewBox="{num(left - edge)} 0 {num(edge + span)} {height:g}"'
            ' preserveAspectRatio="xMinYMin">',  # at the left also where the page has less room
            f'<title id="{ids[0]}">{escape(title)}</title>',
            f'<desc id="{ids[1]}">{escape(desc)}</desc>',
            f"<style>{series}{STYLE}{extra_style}</style>",
            *parts,
            "</svg>\n",
        ]
    )


def num(x: float) -> str:
    """Write a coordinate: one decimal, none where it is zero."""
    return f"{round(float(x), 1):g}"


def listed(values: npt.NDArray[np.float64], decimals: int = 2) -> str:
    """Write numbers for those who hear the figure."""
    return ", ".join(f"{value:.{decimals}f}" for value in values)


def text(
    x: float,
    y: float,
    words: str,
    *,
    cls: str = "",
    anchor: str = "start",
    size: float | None = None,
    bold: bool = False,
    coloured: bool = False,
) -> str:
    r"""Set words at a baseline; `$…$` holds mathematics (see `rich`).

    If it is `coloured`, arrays in it have their colours.

    One formula among them may be TeX, as ``$\sqrt{d_k}$`` is: it is set as in the text, its
    fractions and roots included (see `vaultkit.site.outlines`).
    """
    if found := _TEX.fullmatch(words):
        before, tex, after = found.groups()
        return _around(x, y, before, tex, after, cls=cls, anchor=anchor, size=size, bold=bold)
    attributes = f' class="{cls}"' if cls else ""
    attributes += f' text-anchor="{anchor}"' if anchor != "start" else ""
    attributes += f' font-size="{size:g}"' if size else ""
    attributes += ' font-weight="600"' if bold else ""
    return f'<text x="{num(x)}" y="{num(y)}"{attributes}>{rich(words, coloured=coloured)}</text>'


def rich(words: str, *, coloured: bool = False) -> str:
    """Turn `$W_Q$`, `$K^T$`, `$d_{model}$` into tspans: letters italic, indices lowered."""
    spans, owed = [], 0.0
    for i, part in enumerate(words.split("$")):
        if i % 2:
            span, owed = _math(part, owed, coloured=coloured)
            spans.append(span)
        elif part:
            spans.append(f'<tspan dy="{-owed:g}">{escape(part)}</tspan>' if owed else escape(part))
            owed = 0.0
    return "".join(spans)


def _math(source: str, owed: float, *, coloured: bool) -> tuple[str, float]:
    """Return a tspan, and by how much the next one is off the line; `owed` is this one's."""
    if coloured and len(arrays := _ARRAY.split(source)) > 1:
        spans = []
        for name in filter(None, arrays):
            span, owed = _math(name, owed, coloured=False)
            hue = _HUES.get(name[-1]) if _ARRAY.fullmatch(name) else None
            spans.append(f'<tspan class="vk-{hue}">{span}</tspan>' if hue else span)
        return "".join(spans), owed
    spans = []
    for mark, braced, plain in re.findall(r"([_^]?)(?:\{([^}]*)\}|([A-Za-zα]+|.))", source):
        # A mark takes one letter; what the match took more is set on the line.
        body, rest = (braced, "") if braced else (plain[:1], plain[1:]) if mark else (plain, "")
        shift = {"_": 4.0, "^": -6.0}.get(mark, 0.0)
        spans.append(_span(body, shift - owed, small=bool(mark)))
        owed = shift
        if rest:
            spans.append(_span(rest, -owed))
            owed = 0.0
    return f'<tspan class="vk-math">{"".join(spans)}</tspan>', owed


#: The arrays with a colour, and the colour by the last letter.
_ARRAY = re.compile(r"(W_[QKV]|[QKVα](?!_))")
_HUES = {"Q": "query", "K": "key", "V": "value", "α": "score"}


def _span(body: str, dy: float, *, small: bool = False) -> str:
    upright = not body.isalpha() or (small and (len(body) > 1 or body == "T"))
    body = body if upright else "".join(map(_slanted, body))
    attributes = f' dy="{dy:g}"' if dy else ""
    attributes += f' font-size="{INDEX:g}em"' if small else ""
    return f"<tspan{attributes}>{escape(body)}</tspan>" if attributes else escape(body)


def _slanted(letter: str) -> str:
    """Return the letter of mathematics, as browsers set it in a formula of the text."""
    if letter == "h":
        return "\N{PLANCK CONSTANT}"
    case = "SMALL" if letter.islower() else "CAPITAL"
    kind, name = ("", letter) if letter.isascii() else (" ", unicodedata.name(letter).split()[-1])
    return unicodedata.lookup(f"MATHEMATICAL ITALIC {case} {kind.strip()}{name}")


_TEX = re.compile(r"([^\\]*?)\$([^$]*\\[^$]*)\$([^\\]*)")

#: The formulas of figures that a browser draws again, as outlines; `python -m figures` writes it.
OUTLINES = Path(__file__).with_name("outlines.json")
#: The outlines and width of each formula that was set, by its TeX and size.
used: dict[str, tuple[str, float]] = {}


@cache
def _kept_outlines() -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = json.loads(OUTLINES.read_text(encoding="utf-8"))
    return found


def _outlined(tex: str, size: float) -> tuple[str, float]:
    """Set a formula; where the package for it is missing, as in a browser, take it from a file."""
    key = f"{tex} {size:g}"
    try:
        used[key] = draw_formula(tex, size)
    except ModuleNotFoundError:
        if key not in _kept_outlines():
            raise LookupError(f"no outlines of this formula: {tex}") from None
        return _kept_outlines()[key]
    return used[key]


def _around(
    x: float,
    y: float,
    before: str,
    tex: str,
    after: str,
    *,
    cls: str,
    anchor: str,
    size: float | None,
    bold: bool,
) -> str:
    """Set a formula with words on either side, close to it whatever the reader's font."""
    em = size or 15.0
    outlines, width = _outlined(tex, 1.08 * em)
    # Nobody knows that font: this much a letter is near enough for the outer edges.
    left, right = (0.57 * em * len(re.sub(r"[$_^{}]", "", words)) for words in (before, after))
    start = x + left - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * (left + width + right)
    attributes = f' class="{cls}"' if cls else ""
    parts = [f'<g{attributes} transform="translate({num(start)} {num(y)})">{outlines}</g>']
    for words, edge, side in ((before, start, "end"), (after, start + width, "start")):
        if words.strip():
            space = 0.26 * em if words.strip() != words or side == "end" else 0.06 * em
            edge += -space if side == "end" else space
            parts.append(text(edge, y, words.strip(), cls=cls, anchor=side, size=size, bold=bold))
    return "".join(parts)


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    cls: str = "",
    radius: float = 3,
    opacity: float | None = None,
    stroke: float | None = None,
) -> str:
    """Draw a rounded box, filled (with an opacity) or, given a stroke width, outlined."""
    cls = f"{cls} vk-stroke" if stroke else cls
    attributes = f' class="{cls}"' if cls else ""
    attributes += f' fill-opacity="{opacity:g}"' if opacity is not None else ""
    attributes += f' stroke-width="{stroke:g}"' if stroke else ""
    box = f'x="{num(x)}" y="{num(y)}" width="{num(width)}" height="{num(height)}"'
    return f'<rect {box} rx="{radius:g}"{attributes}/>'


def path(points: str, *, cls: str = "line", width: float = 1, more: str = "") -> str:
    """Stroke a path."""
    return f'<path class="vk-{cls} vk-stroke" stroke-width="{width:g}" d="{points}"{more}/>'


def polyline(points: Iterable[Sequence[float]], *, closed: bool = False) -> str:
    """Return path data through the points."""
    return "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points) + ("Z" if closed else "")


def arrow(points: Sequence[tuple[float, float]], cls: str = "muted", width: float = 1.5) -> str:
    """Stroke a path that ends in an open arrowhead."""
    (x0, y0), (x1, y1) = points[-2:]
    ux, uy = np.array([x1 - x0, y1 - y0]) / np.hypot(x1 - x0, y1 - y0)
    a, b = (
        (x1 - 6 * ux - 4 * uy, y1 - 6 * uy + 4 * ux),
        (x1 - 6 * ux + 4 * uy, y1 - 6 * uy - 4 * ux),
    )
    head = polyline([a, (x1, y1), b])
    line = path(polyline(points) + head, cls=cls, width=width)
    return line.replace("/>", ' stroke-linecap="round" stroke-linejoin="round"/>')


def link(note: str, parts: Iterable[str]) -> str:
    """Let fragments link to a note (a figure with links wants `extra_style=LINKS`)."""
    return "\n".join([f'<a href="[[{note}]]" role="link" aria-label="{note}">', *parts, "</a>"])


def sheet(x: float, y: float, width: float, height: float, hue: str) -> str:
    """Draw a tensor of which only the shape counts."""
    return rect(x, y, width, height, cls=f"vk-{hue}", opacity=0.16, radius=2) + rect(
        x, y, width, height, cls=f"vk-{hue}", radius=2, stroke=1.25
    )


def dot(x: float, y: float, radius: float, hue: str) -> str:
    """Draw a disc."""
    return f'<circle class="vk-{hue}" cx="{num(x)}" cy="{num(y)}" r="{num(radius)}"/>'


def plus(x: float, y: float) -> str:
    """Draw the place where two paths are added."""
    return (
        f'<circle class="vk-fg vk-stroke" stroke-width="1.5" cx="{num(x)}" cy="{num(y)}" r="10"/>'
        + path(f"M{num(x - 5)} {num(y)}h10M{num(x)} {num(y - 5)}v10", cls="fg", width=1.5)
    )


def bars(
    x: float,
    y: float,
    values: npt.NDArray[np.float64],
    full: float,
    *,
    length: float = 72,
    decimals: int = 2,
    hue: str = "score",
) -> str:
    """Draw horizontal bars, 26 apart, with their numbers behind them."""
    lengths = np.maximum(length * values / full, 1)
    return "".join(
        rect(x, y + 26 * i + 5, extent, 16, cls=f"vk-{hue}", opacity=0.75, radius=2)
        for i, extent in enumerate(lengths)
    ) + "".join(
        text(x + extent + 6, y + 26 * i + 18, f"{value:.{decimals}f}", size=SMALL)
        for i, (extent, value) in enumerate(zip(lengths, values, strict=True))
    )


def shades(
    x: float,
    y: float,
    levels: npt.NDArray[np.int_],
    hue: str,
    cell: tuple[float, float],
    opacities: Sequence[float],
) -> str:
    """Colour a map of many cells by level, cells of one level below one another as one stroke."""
    strokes: dict[int, list[str]] = {}
    for j, column in enumerate(levels.T):
        ends = np.flatnonzero(np.diff(column, append=-1)).tolist()
        start = 0
        for end in ends:
            strokes.setdefault(int(column[end]), []).append(f"M{j} {start}v{end + 1 - start}")
            start = end + 1
    place = f"translate({num(x + cell[0] / 2)} {num(y)}) scale({cell[0]:g} {cell[1]:g})"
    return "\n".join(
        [
            f'<g class="vk-{hue} vk-stroke" shape-rendering="crispEdges" transform="{place}">',
            *(
                f'<path stroke-opacity="{opacities[level]:g}" d="{"".join(strokes[level])}"/>'
                for level in sorted(strokes)
                if opacities[level]
            ),
            "</g>",
        ]
    )


def ramp(values: npt.NDArray[np.float64], full: float = FULL) -> npt.NDArray[np.float64]:
    """Map values that are not negative onto opacities: 0 is faint, the largest full."""
    highest = values.max() or 1.0  # if all values are 0
    return np.asarray(FAINT + (full - FAINT) * values / highest)


def heat_map(
    x: float,
    y: float,
    values: npt.NDArray[np.float64],
    hue: str,
    cell: tuple[float, float],
    *,
    decimals: int | None = 2,
    full: float = FULL,
    gap: float = 2,
    size: float | None = None,
    marked: int | None = None,
) -> str:
    """Colour each number's cell by its size, write it there, outline the marked row.

    If there are negative numbers, all cells have the colours of `signs`, which are those of every
    map of numbers with signs.
    """
    width, height = cell
    parts = [f'<g class="vk-{hue}">']
    signed, largest = bool((values < 0).any()), float(np.abs(values).max())
    opacities = ramp(np.abs(values), full)
    for (i, j), ramped in np.ndenumerate(opacities):
        cls, opacity = "", float(ramped)
        if signed:
            sign, strength = signs.shade(float(values[i, j]), largest)
            cls, opacity = f"vk-{sign}", full / signs.STRONGEST * strength
        parts.append(
            rect(
                x + j * width + gap / 2,
                y + i * height + gap / 2,
                width - gap,
                height - gap,
                cls=cls,
                opacity=round(opacity, 2),
                radius=min(3, height / 6),
            )
        )
    parts.append("</g>")
    if decimals is not None:
        size_attribute = f' font-size="{size:g}"' if size else ""
        parts.append(f'<g text-anchor="middle"{size_attribute}>')
        parts += [
            text(
                x + (j + 0.5) * width,
                y + (i + 0.5) * height + 5,
                f"{value:.{decimals}f}".replace("-", "−"),
            )
            for (i, j), value in np.ndenumerate(values)
        ]
        parts.append("</g>")
    if marked is not None:
        parts.append(outline(x, y + marked * height, values.shape[1] * width, height))
    return "\n".join(parts)


def outline(x: float, y: float, width: float, height: float) -> str:
    """Outline what belongs to the token that is followed."""
    return rect(x - 1, y - 1, width + 2, height + 2, cls="vk-fg", radius=4, stroke=1.5)


def tokens_down(
    x: float, y: float, tokens: Sequence[str], height: float, marked: int | None = ROW
) -> str:
    """Write the tokens beside the rows of a heat map, right-aligned at `x`."""
    return "\n".join(
        text(
            x,
            y + (i + 0.5) * height + 5,
            token,
            anchor="end",
            bold=i == marked,
            cls="" if i == marked else "vk-muted",
        )
        for i, token in enumerate(tokens)
    )


def query_key(x: float, y: float, middle: float) -> str:
    """Say that queries go down and keys across."""
    return text(x, y + 28, "query ↓", anchor="end", cls="vk-query", size=SMALL) + text(
        middle, y, "key →", anchor="middle", cls="vk-key", size=SMALL
    )


def tokens_across(x: float, y: float, tokens: Sequence[str], width: float) -> str:
    """Write the tokens above the columns of a heat map."""
    return "\n".join(
        text(x + (j + 0.5) * width, y, token, anchor="middle", cls="vk-muted", size=SMALL)
        for j, token in enumerate(tokens)
    )
