"""Cuts web fonts out of the fonts that Python packages carry, and keeps them in a cache.

The fonts come under the SIL Open Font License: STIX Two Math with `ziamath`, Source Serif 4 with
`fontpkg-source-serif-4`. Cutting one takes seconds, so a font is cut anew only when what goes
into it changes.
"""

from __future__ import annotations

import hashlib
import io
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import fontTools
from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

from vaultkit.files import write_atomically

#: Characters of running text: Latin, and the marks and signs of prose.
TEXT = frozenset(
    chr(code)
    for code in (
        *range(0x20, 0x7F),
        *range(0xA0, 0x180),
        *range(0x2010, 0x2027),
        *(0x2032, 0x2033, 0x20AC, 0x2190, 0x2191, 0x2192, 0x2193, 0x2194, 0x2212, 0x2248, 0x2260),
        *(0x2264, 0x2265),
    )
)

#: Characters of mathematics that any note may need next. Browsers draw a lone letter with its
#: slanted twin (U+1D434 and on), so those belong here with the letters themselves.
MATHEMATICS = frozenset(
    chr(code)
    for code in (
        *range(0x20, 0x7F),
        *(0xA0, 0xAC, 0xB1, 0xB7, 0xD7, 0xF7, 0x131, 0x237),
        *range(0x300, 0x30D),
        *(0x332, 0x338),
        *range(0x391, 0x3A2),
        *range(0x3A3, 0x3AA),
        *range(0x3B1, 0x3CA),
        *(0x3D1, 0x3D5, 0x3D6, 0x3F0, 0x3F1, 0x3F5),
        *(0x2016, 0x2020, 0x2026, 0x2032, 0x2033, 0x203E, 0x20D7),
        *(0x2102, 0x210E, 0x210B, 0x2112, 0x2115, 0x211D, 0x2119, 0x211A, 0x2124, 0x2113, 0x2131),
        *range(0x2190, 0x2195),
        *(0x21A6, 0x21D0, 0x21D2, 0x21D4, 0x27F6, 0x27F9),
        *(0x2200, 0x2202, 0x2203, 0x2205, 0x2207, 0x2208, 0x2209, 0x220F, 0x2211, 0x2212, 0x2213),
        *(0x2217, 0x2218, 0x2219, 0x221A, 0x221D, 0x221E, 0x2223, 0x2225, 0x2227, 0x2228, 0x2229),
        *(0x222A, 0x222B, 0x223C, 0x2243, 0x2245, 0x2248, 0x2254, 0x2260, 0x2261, 0x2264, 0x2265),
        *(0x226A, 0x226B, 0x2282, 0x2286, 0x2295, 0x2297, 0x2299, 0x22A4, 0x22A5, 0x22C5),
        *(0x22EE, 0x22EF, 0x22F1, 0x2308, 0x2309, 0x230A, 0x230B, 0x23DE, 0x23DF),
        *(0x27E8, 0x27E9, 0x2A7D, 0x2A7E, 0x2061, 0x2062, 0x2063, 0xFE00, 0xFE01),
        *range(0x1D434, 0x1D468),  # italic letters
        *range(0x1D6E2, 0x1D71C),  # and Greek ones
        *(0x1D53C, 0x1D7D9),  # expectation, the indicator's one
    )
)

_log = logging.getLogger("mkdocs.plugins.vaultkit")


@dataclass(frozen=True)
class Font:
    """One font file, and what to keep of it.

    Parameters
    ----------
    family, style, weight, display
        As CSS calls them.
    package, path
        The Python package that carries it, and where in there.
    keep
        Characters to keep, whatever the notes say.
    axes
        Values or ranges at which to pin a variable font.
    features
        OpenType features to keep.
    """

    family: str
    package: str
    path: str
    keep: frozenset[str]
    style: str = "normal"
    weight: str = "400"
    display: str = "swap"
    axes: dict[str, float | tuple[float, float]] = field(default_factory=dict)
    features: tuple[str, ...] = ()


FONTS = (
    Font(
        "STIX Two Math",
        "ziamath",
        "fonts/STIXTwoMath-Regular.ttf",
        MATHEMATICS,
        # A formula in another font is not worth the jump.
        display="block",
        # Variants for indices; the feature that gives an accent a dotless base.
        features=("ssty", "dtls", "flac", "kern", "ccmp", "mark", "mkmk"),
    ),
    Font(
        "Source Serif 4",
        "fontpkg_source_serif_4",
        "files/SourceSerif4[opsz,wght].ttf",
        TEXT,
        weight="400 700",
        axes={"opsz": 16, "wght": (400, 700)},
        features=("kern", "liga", "ccmp"),
    ),
    Font(
        "Source Serif 4",
        "fontpkg_source_serif_4",
        "files/SourceSerif4-Italic[opsz,wght].ttf",
        TEXT,
        style="italic",
        axes={"opsz": 16, "wght": 400},
        features=("kern", "liga", "ccmp"),
    ),
)


def web_font(font: Font, characters: Iterable[str], cache: Path) -> bytes | None:
    """Cut a font to the characters in use and return it as WOFF2.

    Parameters
    ----------
    font
        What to cut.
    characters
        Characters needed beyond those it always keeps.
    cache
        Folder for what was cut before.

    Returns
    -------
    bytes or None
        None if the package that carries the font is not installed: a page then uses the next font
        in its list.
    """
    # Found, not imported: a package that draws takes its time to load.
    package = find_spec(font.package)
    if not package or not package.origin:
        _log.info("%s: no package %s, the system's fonts serve", font.family, font.package)
        return None
    source = (Path(package.origin).parent / font.path).read_bytes()
    kept = "".join(sorted({*font.keep, *characters}))
    recipe = (fontTools.version, kept, sorted(font.axes.items()), font.features)
    # This module is part of the recipe, too.
    code = Path(__file__).read_bytes()
    key = hashlib.sha256(source + code + repr(recipe).encode()).hexdigest()[:16]
    file = cache / f"{font.family.replace(' ', '')}-{font.style}-{key}.woff2"
    if file.is_file():
        return file.read_bytes()
    cut = _cut(source, kept, font)
    # Two builds at once must not read half a file of each other's.
    write_atomically(file, cut)
    return cut


def _cut(source: bytes, characters: str, font: Font) -> bytes:
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    opened = TTFont(io.BytesIO(source), recalcTimestamp=False)
    options = subset.Options(
        layout_features=list(font.features), hinting=False, notdef_outline=True, name_IDs=[1, 2]
    )
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(opened)
    if "MATH" in opened and "glyf" in opened:
        _fit_to_chromium(opened)
    if font.axes:
        opened = instancer.instantiateVariableFont(opened, font.axes)
    opened.flavor = "woff2"
    written = io.BytesIO()
    opened.save(written)
    return written.getvalue()


def _fit_to_chromium(font: TTFont) -> None:
    """Make up for what Chromium does otherwise than TeX with the same font."""
    constants = font["MATH"].table.MathConstants
    # Thin enough not to be rounded up to a bar that is thicker than the root sign's own stroke.
    constants.RadicalRuleThickness.Value = 56
    # TeX measures this drop from boxes, Chromium from letters too: in q_2 the index would hang
    # far lower than in x_2.
    constants.SubscriptBaselineDropMin.Value = 0
    _narrow_radicals(font)


def _narrow_radicals(font: TTFont) -> None:
    """Make the tall forms of the root sign hardly wider than the small one.

    Chromium reserves, for any root, the width of the widest form: beside a small root of STIX,
    whose tallest form is half as wide again, a gap would stay open. Only the width changes.
    """
    variants = font["MATH"].table.MathVariants
    root = font.getBestCmap().get(ord("√"))
    if root not in variants.VertGlyphCoverage.glyphs:
        return
    forms = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(root)]
    names = [record.VariantGlyph for record in forms.MathGlyphVariantRecord]
    if forms.GlyphAssembly:
        names += [part.glyph for part in forms.GlyphAssembly.PartRecords]
    glyphs, metrics = font["glyf"], font["hmtx"]
    widest = metrics[root][0] * 1.06
    for name in dict.fromkeys(names):
        width, bearing = metrics[name]
        scale = widest / width
        if scale < 1:
            glyph = glyphs[name]
            glyph.coordinates.scale((scale, 1))
            glyph.coordinates.toInt()
            glyph.recalcBounds(glyphs)
            metrics[name] = (round(widest), round(bearing * scale))
