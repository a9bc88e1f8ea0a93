"""Subsets the fonts of Python packages to web fonts, and caches them in a store.

The fonts are under the SIL Open Font License: STIX Two Math comes with `ziamath`, Source Serif 4
with `fontpkg-source-serif-4`. HarfBuzz subsets them; fontTools adjusts the table for mathematics to
Chromium and compresses the result. A font is subset again only when one of its inputs changes.
"""

from __future__ import annotations

import hashlib
import io
import logging
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import fontTools
import uharfbuzz
from fontTools.ttLib import TTFont

from vaultkit.store import Store

#: Characters of the template, which every page may contain.
TEXT = frozenset(chr(code) for code in range(0x20, 0x7F)) | frozenset("\u2019\u201c\u201d\u2026")

#: Characters with which formulas are drawn beyond those that they contain.
MATHEMATICS = frozenset("\u221a\u2061\u2062\u2063")

#: By letter, the slanted letter that browsers draw for it alone in ``<mi>``.
_SLANTED = {
    unicodedata.normalize("NFKC", chr(code)): chr(code)
    for code in (0x210E, *range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C))
}

#: Frequencies of letters and the space in English, in per cent.
_OFTEN = {" ": 18, "e": 10.2, "t": 7.5, "a": 6.5, "o": 6.2, "n": 5.7, "i": 5.7, "s": 5.3, "r": 5}
_OFTEN |= {"h": 4.9, "l": 3.3, "d": 3.3, "u": 2.3, "c": 2.2, "m": 2, "f": 2, "w": 1.7, "g": 1.6}
_OFTEN |= {"p": 1.5, "y": 1.4, "b": 1.3, "v": 0.8, "k": 0.6, ",": 0.8, ".": 0.7}
#: Serif fonts of operating systems: their names, and the average width of their letters in text,
#: upright and slanted, in ems.
_SYSTEMS = {
    "Georgia": (("Georgia", "Gelasio"), (0.4348, 0.4348)),
    "Times": (("Times New Roman", "Liberation Serif", "Tinos", "Nimbus Roman"), (0.3963, 0.398)),
    "DejaVu": (("DejaVu Serif",), (0.5076, 0.5076)),
}

_log = logging.getLogger("mkdocs.plugins.vaultkit")


@dataclass(frozen=True)
class Font:
    """A font file, and the parts of it that are kept.

    Parameters
    ----------
    family, style, weight, display
        As in CSS.
    package, path
        The Python package that contains it, and the path in that package.
    keep
        Characters that are always kept.
    formulas
        Whether formulas are set in it.
    axes
        Values or ranges to which the axes of a variable font are restricted.
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
    formulas: bool = False


FONTS = (
    Font(
        "STIX Two Math",
        "ziamath",
        "fonts/STIXTwoMath-Regular.ttf",
        MATHEMATICS,
        # A formula in a fallback font would move the text when the font is loaded.
        display="block",
        # ssty: variants for indices; dtls: dotless letters below accents.
        features=("ssty", "dtls", "flac", "kern", "ccmp", "mark", "mkmk"),
        formulas=True,
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


def web_font(font: Font, characters: Iterable[str], store: Store) -> bytes | None:
    """Subset a font to the characters in use and return it as WOFF2.

    Parameters
    ----------
    font
        The font.
    characters
        Characters in use.
    store
        The store of fonts that were subset before.

    Returns
    -------
    bytes or None
        The font; None if its package is not installed. A page then uses the next font of its list.
    """
    # The package is located, not imported: importing one that draws takes long.
    package = find_spec(font.package)
    if not package or not package.origin:
        _log.info("%s: no package %s, the system's fonts serve", font.family, font.package)
        return None
    source = (Path(package.origin).parent / font.path).read_bytes()
    kept = "".join(sorted({*font.keep, *characters}))
    name = f"{font.family} {font.style}"
    key = _key(font, source, kept)
    return store.get("font", name, key, lambda: _cut(source, kept, font))


def _key(font: Font, source: bytes, kept: str) -> bytes:
    versions = fontTools.version, uharfbuzz.__version__
    recipe = (versions, kept, sorted(font.axes.items()), font.features)
    # This module's code affects the result, too.
    code = Path(__file__).read_bytes()
    return hashlib.sha256(source + code + repr(recipe).encode()).digest()


def fallbacks(font: Font, content: bytes) -> str:
    """Return ``@font-face`` rules that replace a font until it is loaded, without moving any line.

    Each adjusts a font of an operating system to the average width and the height of this one.
    """
    opened = TTFont(io.BytesIO(content))
    glyphs, names, em = opened["hmtx"], opened.getBestCmap(), opened["head"].unitsPerEm
    shares = {letter: share for letter, share in _OFTEN.items() if ord(letter) in names}
    width = sum(glyphs[names[ord(letter)]][0] * share for letter, share in shares.items())
    width /= em * sum(shares.values())
    ascent, descent = opened["hhea"].ascent / em, -opened["hhea"].descent / em
    faces = []
    for name, (local, widths) in _SYSTEMS.items():
        size = width / widths[font.style == "italic"]
        sources = ",".join(f'local("{one}")' for one in local)
        faces.append(
            f'@font-face{{font-family:"{font.family} {name}";font-style:{font.style};'
            f"font-weight:{font.weight};src:{sources};size-adjust:{size:.2%};"
            f"ascent-override:{ascent / size:.2%};descent-override:{descent / size:.2%};"
            f"line-gap-override:0%}}"
        )
    return "".join(faces)


def slanted(characters: Iterable[str]) -> set[str]:
    """Return the characters of formulas with the slanted letters that browsers use for some.

    Examples
    --------
    >>> sorted(slanted("h2")) == ["2", "h", "\N{PLANCK CONSTANT}"]
    True
    """
    kept = set(characters)
    return kept | {_SLANTED[letter] for letter in kept & _SLANTED.keys()}


def _cut(source: bytes, characters: str, font: Font) -> bytes:
    face = uharfbuzz.Face(source)
    wanted = uharfbuzz.SubsetInput()
    wanted.flags = uharfbuzz.SubsetFlags.NO_HINTING | uharfbuzz.SubsetFlags.NOTDEF_OUTLINE
    wanted.unicode_set.update(map(ord, characters))
    wanted.layout_feature_tag_set.clear()
    wanted.layout_feature_tag_set.update(
        int.from_bytes(name.encode(), "big") for name in font.features
    )
    for axis, place in font.axes.items():
        if isinstance(place, tuple):
            wanted.set_axis_range(face, axis, *place)
        else:
            wanted.pin_axis_location(face, axis, place)
    opened = TTFont(io.BytesIO(wanted.subset(face).blob.data), recalcTimestamp=False)
    if "MATH" in opened:
        _fit_to_chromium(opened)
    opened.flavor = "woff2"
    written = io.BytesIO()
    opened.save(written)
    return written.getvalue()


def _fit_to_chromium(font: TTFont) -> None:
    """Adjust the constants of the MATH table to Chromium, which uses them differently from TeX."""
    constants = font["MATH"].table.MathConstants
    # Otherwise Chromium rounds the bar up, and it is thicker than the root sign's stroke.
    constants.RadicalRuleThickness.Value = 56
    # TeX measures this drop from boxes, Chromium also from letters: the index of q_2 would be far
    # lower than that of x_2.
    constants.SubscriptBaselineDropMin.Value = 0
    _narrow_radicals(font)


def _narrow_radicals(font: TTFont) -> None:
    """Make the tall forms of the root sign only slightly wider than the small one.

    For every root, Chromium reserves the width of the widest form. The tallest form of STIX is half
    as wide again as the small one, so a small root would have a gap. Only the width is changed.
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
