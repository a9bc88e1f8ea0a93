"""Queries, keys, values and weights have one colour each, which can be read and told apart."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from figures.style import DARK, FULL, LIGHT, SERIES, TINT
from vaultkit.site.assets import STYLES, read_theme_file

Colour = npt.NDArray[np.float64]
ROOT = Path(__file__).parents[1]
SITE = (ROOT / "docs/stylesheets/touch.css").read_text(encoding="utf-8")
PAGE = "".join(map(read_theme_file, STYLES))
ARRAYS = ("query", "key", "value", "score")
SCHEMES = {"light": LIGHT, "dark": DARK}
#: What three kinds of colour-blind readers see, in linear RGB (Machado, Oliveira and Fernandes,
#: 2009, severity 1), and the least distance of two of these colours for them. One unit of CIELAB
#: is about the smallest difference that a trained eye sees.
SEEN = {
    "deuteranopia": (
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
        25,
    ),
    "protanopia": ([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]], 20),
    "tritanopia": ([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]], 15),
}


def linear(code: str) -> Colour:
    """Return a colour such as ``#1f68b3`` in linear RGB."""
    red, green, blue = (int(code[at : at + 2], 16) / 255 for at in (1, 3, 5))
    each = np.array([red, green, blue])
    return np.where(each <= 0.04045, each / 12.92, ((each + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours by WCAG 2, from 1 to 21."""
    lights = sorted(float(linear(code) @ [0.2126, 0.7152, 0.0722]) for code in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def lab(rgb: Colour) -> Colour:
    """Return linear RGB in CIELAB, with the white of sRGB."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x = to_xyz @ np.clip(rgb, 0, 1) / to_xyz.sum(axis=1)
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def declared(css: str, name: str, scheme: str) -> str:
    """Return the value of a custom property: the first is that of the light scheme."""
    return re.findall(rf"{name}: (#[0-9a-f]{{6}});?", css)[scheme == "dark"]


def mixed(front: str, back: str, share: float) -> str:
    """Return the colour of a background with some of another colour on it."""
    pairs = ((int(front[at : at + 2], 16), int(back[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_site_has_the_colours_of_the_figures(scheme: str) -> None:
    figures = {name: SCHEMES[scheme][name] for name in (*ARRAYS, "input")} | SERIES[scheme]
    assert {name: declared(SITE, f"--vk-{name}", scheme) for name in figures} == figures


def test_the_site_has_the_dark_colours_of_the_figures() -> None:
    (rule,) = re.findall(r"svg\.vk-figure \{ (--vk[^}]*) \}", SITE)
    assert dict(re.findall(r"--vk-(\w+): (#\w+)", rule)) == DARK | SERIES["dark"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_else_in_code_has_them(scheme: str) -> None:
    code = {
        kind: declared(PAGE, f"--md-code-hl-{kind}-color", scheme)
        for kind in ("keyword", "string", "number", "function", "constant", "special", "comment")
    }
    close = {
        (kind, name): distance
        for kind, colour in code.items()
        for name in ARRAYS
        if (
            distance := float(
                np.linalg.norm(lab(linear(colour)) - lab(linear(SCHEMES[scheme][name])))
            )
        )
        < 25
    }
    assert close == {}
    background = declared(PAGE, "--md-code-bg-color", scheme)
    low = {kind: contrast(colour, background) for kind, colour in code.items()}
    assert min(low.values()) >= 4.5, low


@pytest.mark.parametrize("scheme", SCHEMES)
def test_they_can_be_read(scheme: str) -> None:
    page = declared(PAGE, "--md-default-bg-color", scheme)
    grounds = [page, declared(PAGE, "--md-code-bg-color", scheme)]
    callouts = ("blue", "green", "amber", "red", "violet", "grey")
    (share,) = re.findall(r"color-mix\(in srgb, var\(--vk-callout\) (\d+)%, transparent\)", PAGE)
    grounds += [
        mixed(declared(PAGE, f"--vk-{name}", scheme), page, int(share) / 100) for name in callouts
    ]
    # The cards of figures, whose formulas name several arrays.
    grounds += [mixed(SCHEMES[scheme][name], page, TINT) for name in ARRAYS]
    low = {
        (name, ground): ratio
        for name in ARRAYS
        for ground in grounds
        if (ratio := contrast(SCHEMES[scheme][name], ground)) < 4.5
    }
    assert low == {}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_numbers_can_be_read_on_the_strongest_cell_of_a_map(scheme: str) -> None:
    page = declared(PAGE, "--md-default-bg-color", scheme)
    cells = {name: mixed(SCHEMES[scheme][name], page, FULL) for name in ARRAYS}
    low = {name: contrast(SCHEMES[scheme]["fg"], cell) for name, cell in cells.items()}
    assert min(low.values()) >= 4.5, low


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("eye", SEEN)
def test_colour_blind_readers_tell_them_apart(scheme: str, eye: str) -> None:
    matrix, least = SEEN[eye]
    seen = {name: lab(np.array(matrix) @ linear(SCHEMES[scheme][name])) for name in ARRAYS}
    close = {
        pair: distance
        for pair in itertools.combinations(ARRAYS, 2)
        if (distance := float(np.linalg.norm(seen[pair[0]] - seen[pair[1]]))) < least
    }
    assert close == {}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_methods_have_colours_of_their_own(scheme: str) -> None:
    """They can be read, told apart by all readers, and are not taken for those of an array."""
    page = declared(PAGE, "--md-default-bg-color", scheme)
    low = {name: contrast(colour, page) for name, colour in SERIES[scheme].items()}
    assert min(low.values()) >= 4.5, low
    colours = [*SERIES[scheme].values(), SCHEMES[scheme]["fg"]]
    for matrix in (np.eye(3), *(np.array(matrix) for matrix, _ in SEEN.values())):
        seen = [lab(matrix @ linear(colour)) for colour in colours]
        apart = [float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2)]
        assert min(apart) >= 20, (matrix, apart)
    close = {
        (name, array): distance
        for name, colour in SERIES[scheme].items()
        for array in ARRAYS
        if (
            distance := float(
                np.linalg.norm(lab(linear(colour)) - lab(linear(SCHEMES[scheme][array])))
            )
        )
        < 20
    }
    assert close == {}


@pytest.mark.parametrize("typed", [r"-\d[^<]*", r"[^<]*(?:'|&#x27;|\"|&quot;)[^<]*"])
def test_figures_have_minus_signs_and_curly_quotes(typed: str) -> None:
    """A negative number has a minus sign and no hyphen, and words have no typewriter's quotes."""
    wrong = [
        (path.name, found)
        for path in sorted((ROOT / "docs/figures").glob("*.svg"))
        for found in re.findall(
            rf"<(?:text|tspan)[^>]*>({typed})", path.read_text(encoding="utf-8")
        )
    ]
    assert wrong == []
