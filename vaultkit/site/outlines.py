"""Draws a formula as outlines, for drawings: no font goes along with an SVG file.

The face is that of the formulas in the text, STIX Two Math, which `ziamath` carries.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from xml.etree import ElementTree

_DECIMAL = re.compile(r"-?\d+\.\d+")
#: The attributes of the bar of a fraction or root.
_BAR = ("x", "y", "width", "height")


@lru_cache(maxsize=256)
def draw_formula(tex: str, size: float) -> tuple[str, float]:
    r"""Draw a formula about the start of its baseline.

    Parameters
    ----------
    tex
        The formula in LaTeX, without dollars.
    size
        Of its letters, in units of the drawing.

    Returns
    -------
    tuple of str and float
        SVG paths and bars in the current colour, and the formula's width. What has another colour,
        as in ``\textcolor{key}{K}``, gets the class ``vk-key``.
    """
    # It takes its time to load, and most who import this draw nothing.
    with warnings.catch_warnings():
        # It reads its font in a way that Python 3.11 and 3.12 warn of.
        warnings.simplefilter("ignore", DeprecationWarning)
        from ziamath.config import config
        from ziamath.zmath import Latex

    config.svg2 = False  # no ids that two drawings could share
    drawn = Latex(tex, size=size, color="currentColor")
    shapes = "".join(map(_shape_to_svg, ElementTree.fromstring(drawn.svg())))
    return shapes, float(drawn.getsize()[0])


def _shape_to_svg(part: ElementTree.Element) -> str:
    """Write a letter's outline or the bar of a fraction, short, with a class for its colour."""
    colour = part.attrib.get("fill", "currentColor")
    kind = "" if colour == "currentColor" else f' class="vk-{colour}"'
    if part.tag.endswith("}path"):
        points = _DECIMAL.sub(lambda match: f"{float(match[0]):.2f}", part.attrib["d"])
        # Each outline begins by drawing a line to where it is.
        points = re.sub(r"(M (\S+ \S+)) L \2 ", r"\1 ", points)
        return f'<path{kind} d="{points.replace(" Z ", "Z").strip()}"/>'
    if part.tag.endswith("}rect"):
        bar = " ".join(f'{key}="{float(part.attrib[key]):.2f}"' for key in _BAR)
        return f"<rect {bar}/>"
    raise ValueError(f"a formula drawn with {part.tag}")
