"""Subsets the fonts of Python packages to web fonts, and caches them in a store.

The fonts are under the SIL Open Font License: STIX Two Math comes with `ziamath`, Source Serif 4
and Source Sans 3 with packages of their own. HarfBuzz subsets them; fontTools adjusts the table for
mathematics to Chromium and compresses the result. A font is subset again only when one of its
inputs changes.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

import fontTools
import uharfbuzz
from fontTools.ttLib import TTFont

from vaultkit.store import Store, key_of


def _range(first: int, last: int) -> frozenset[str]:
    return frozenset(map(chr, range(first, last + 1)))


_ASCII = _range(0x20, 0x7E)
#: Characters of text that every page may contain.
TEXT = _ASCII | frozenset("–—‘’“”•…°±²³µ·¹½×Éßàáäçèéêíñóöüœ←→−√∞≈≠≤≥")
#: Characters of formulas that every page may contain, with the letters that browsers slant, and the
#: invisible operators.
FORMULAS = (
    _ASCII
    | _range(0x1D434, 0x1D467)
    | _range(0x1D6FC, 0x1D71B)
    | frozenset("\xa0ℎΓΔΘΛΞΠΣΦΨΩ𝛤𝛥𝛩𝛬𝛯𝛱𝛴𝛷𝛹𝛺ℕℝℤ𝔼𝟏\u2061\u2062\u2063")
    | frozenset("±·×ˆ˙…‖′→⇒∂∇∈∉∏∑−∗√∝∞∫≈≠≡≤≥≪≫⊙⊤⋅⋯⌈⌉⌊⌋⏟⟂⟨⟩")
)

#: Frequencies of letters and the space in English, in per cent.
_OFTEN = {" ": 18, "e": 10.2, "t": 7.5, "a": 6.5, "o": 6.2, "n": 5.7, "i": 5.7, "s": 5.3, "r": 5}
_OFTEN |= {"h": 4.9, "l": 3.3, "d": 3.3, "u": 2.3, "c": 2.2, "m": 2, "f": 2, "w": 1.7, "g": 1.6}
_OFTEN |= {"p": 1.5, "y": 1.4, "b": 1.3, "v": 0.8, "k": 0.6, ",": 0.8, ".": 0.7}
#: Fonts of operating systems: their names, and the average width of their letters in text, upright
#: and slanted, in ems.
_SERIFS = {
    "Georgia": (("Georgia", "Gelasio"), (0.4348, 0.4348)),
    "Times": (("Times New Roman", "Liberation Serif", "Tinos", "Nimbus Roman"), (0.3963, 0.398)),
    "DejaVu": (("DejaVu Serif",), (0.5076, 0.5076)),
}
_SANS = {
    "Arial": (("Arial", "Helvetica", "Liberation Sans", "Arimo"), (0.4374, 0.4374)),
    "DejaVu": (("DejaVu Sans",), (0.5022, 0.5022)),
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
    common
        Characters of its first file, which every page loads.
    rest
        The first and last code of the characters of each further file. A page loads it if it
        contains such a character that the font has; a browser sets others in the next font of the
        style sheet's list.
    formulas
        Whether formulas are set in it.
    preloaded
        Whether a page asks for it before the browser has read the style sheet.
    size
        The factor by which its letters are enlarged.
    systems
        Fonts of operating systems that replace it until it is loaded: see `_SERIFS`.
    axes
        Values or ranges to which the axes of a variable font are restricted.
    features
        OpenType features to keep.
    """

    family: str
    package: str
    path: str
    common: frozenset[str]
    rest: tuple[tuple[int, int], ...]
    style: str = "normal"
    weight: str = "400"
    display: str = "swap"
    axes: dict[str, float | tuple[float, float]] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    formulas: bool = False
    preloaded: bool = True
    size: float = 1
    systems: Mapping[str, tuple[tuple[str, ...], tuple[float, float]]] = field(
        default_factory=lambda: _SERIFS
    )


#: Latin letters, accents, Greek letters, other letters, raised letters, and signs.
_LETTERS = (
    (0x80, 0x2FF),
    (0x300, 0x36F),
    (0x370, 0x3FF),
    (0x400, 0x1CFF),
    (0x1D00, 0x1DFF),
    (0x1E00, 0xFFFF),
)
_ITALIC = Font(
    "Source Serif 4",
    "fontpkg_source_serif_4",
    "files/SourceSerif4-Italic[opsz,wght].ttf",
    TEXT,
    _LETTERS,
    style="italic",
    preloaded=False,
    axes={"opsz": 16, "wght": 400},
    features=("kern", "liga", "ccmp"),
)
FONTS = (
    Font(
        "STIX Two Math",
        "ziamath",
        "fonts/STIXTwoMath-Regular.ttf",
        FORMULAS,
        ((0x80, 0x1FFF), (0x2000, 0x22FF), (0x2300, 0x2BFF), (0x1D400, 0x1EEFF)),
        # A formula in a fallback font would move the text when the font is loaded.
        display="block",
        # dtls: dotless letters below accents. Letters for indices (ssty), which Chromium does not
        # use, would double the file.
        features=("dtls", "flac", "kern", "ccmp", "mark", "mkmk"),
        formulas=True,
    ),
    Font(
        "Source Serif 4",
        "fontpkg_source_serif_4",
        "files/SourceSerif4[opsz,wght].ttf",
        TEXT,
        _LETTERS,
        weight="400 700",
        axes={"opsz": 16, "wght": (400, 700)},
        features=("kern", "liga", "ccmp"),
    ),
    _ITALIC,
    replace(_ITALIC, weight="700", axes={"opsz": 16, "wght": 700}),
    # The interface: navigation, buttons, figures and tables of numbers.
    Font(
        "Source Sans 3",
        "fontpkg_source_sans_3",
        "files/SourceSans3[wght].ttf",
        _ASCII | frozenset("–—‘’“”•…·×÷−→←"),
        (),
        weight="400 600",
        preloaded=False,
        # So its small letters are as high as those of the systems' fonts.
        size=1.07,
        systems=_SANS,
        axes={"wght": (400, 600)},
        features=("kern", "ccmp"),
    ),
)


@dataclass(frozen=True)
class FontFile:
    """A font file: its name without the extension, its characters as in CSS, its content."""

    name: str
    characters: str
    content: bytes


def web_font(font: Font, letters: Iterable[str], store: Store) -> Iterator[FontFile]:
    """Yield the files of a font that a site needs, as WOFF2, the common one last.

    In a style sheet the last file takes precedence for the characters of several.

    Parameters
    ----------
    font
        The font.
    letters
        The characters of the site. A page loads a file for those of them that it contains; they do
        not change what the file holds.
    store
        The store of files that were cut before. They do not depend on the site.
    """
    # The package is located, not imported: importing one that draws takes long.
    package = find_spec(font.package)
    if not package or not package.origin:
        _log.info("%s: no package %s, the system's fonts are used", font.family, font.package)
        return
    source = (Path(package.origin).parent / font.path).read_bytes()
    weight = f" {font.weight}" if font.weight.isdigit() and font.weight != "400" else ""
    name = f"{font.family} {font.style}{weight}".lower().replace(" ", "-")
    # A file that is loaded for a character that it lacks would be loaded for nothing.
    there = frozenset(map(chr, uharfbuzz.Face(source).unicodes)) - font.common
    for first, last in font.rest:
        kept = there & _range(first, last)
        if used := "".join(sorted(kept.intersection(letters))):
            characters, cut = ",".join(_ranges(used)), "".join(sorted(kept))
            yield _file(f"{name}-{first:x}", characters, cut, font, source, store)
    common = "".join(sorted(font.common))
    yield _file(name, ",".join(_ranges(common)), common, font, source, store)


def _file(
    name: str, characters: str, kept: str, font: Font, source: bytes, store: Store
) -> FontFile:
    """Return a font with the characters ``kept``, from the store if it was made before.

    ``characters`` is its ``unicode-range`` in the style sheet.
    """
    key = _key(font, source, kept)
    content = store.get("font", name, key, lambda: _cut(source, kept, font))
    return FontFile(name, characters, content)


def _ranges(letters: str) -> Iterator[str]:
    """Yield the ranges of sorted characters, as CSS writes them.

    >>> list(_ranges("abcx"))
    ['U+61-63', 'U+78']
    """
    for _, run in groupby(enumerate(letters), lambda pair: ord(pair[1]) - pair[0]):
        codes = [ord(letter) for _, letter in run]
        yield f"U+{codes[0]:X}" + (f"-{codes[-1]:X}" if len(codes) > 1 else "")


def _key(font: Font, source: bytes, kept: str) -> bytes:
    """Return the fingerprint of all that a subset depends on."""
    versions = fontTools.version, uharfbuzz.__version__
    recipe = (versions, kept, sorted(font.axes.items()), font.features)
    # This module's code affects the result, too.
    code = Path(__file__).read_bytes()
    return key_of(source, code, recipe)


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
    for name, (local, widths) in font.systems.items():
        size = font.size * width / widths[font.style == "italic"]
        height = size / font.size
        sources = ",".join(f'local("{one}")' for one in local)
        faces.append(
            f'@font-face{{font-family:"{font.family} {name}";font-style:{font.style};'
            f"font-weight:{font.weight};src:{sources};size-adjust:{size:.2%};"
            f"ascent-override:{ascent / height:.2%};descent-override:{descent / height:.2%};"
            f"line-gap-override:0%}}"
        )
    return "".join(faces)


def _cut(source: bytes, characters: str, font: Font) -> bytes:
    """Return a font as WOFF2 with only some characters, features and parts of its axes."""
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
    if root is None:
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
