"""Cuts web fonts out of the fonts that Python packages carry, and keeps them in a store.

The fonts come under the SIL Open Font License: STIX Two Math with `ziamath`, Source Serif 4 with
`fontpkg-source-serif-4`. HarfBuzz cuts them; it knows nothing of compression, nor of what Chromium
does with the table for mathematics, which is fontTools' part. A font is cut anew only when what
goes into it changes.
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

#: What every page may hold, whatever its notes do.
TEXT = frozenset(chr(code) for code in range(0x20, 0x7F)) | frozenset("\u2019\u201c\u201d\u2026")

#: What formulas are drawn with beyond the characters they hold.
MATHEMATICS = frozenset("\u221a\u2061\u2062\u2063")

#: By letter, the slanted one that browsers draw where it stands alone in ``<mi>``.
_SLANTED = {
    unicodedata.normalize("NFKC", chr(code)): chr(code)
    for code in (0x210E, *range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C))
}

#: How often letters and spaces come up in English, in per cent.
_OFTEN = {" ": 18, "e": 10.2, "t": 7.5, "a": 6.5, "o": 6.2, "n": 5.7, "i": 5.7, "s": 5.3, "r": 5}
_OFTEN |= {"h": 4.9, "l": 3.3, "d": 3.3, "u": 2.3, "c": 2.2, "m": 2, "f": 2, "w": 1.7, "g": 1.6}
_OFTEN |= {"p": 1.5, "y": 1.4, "b": 1.3, "v": 0.8, "k": 0.6, ",": 0.8, ".": 0.7}
#: Serif fonts of systems: what they are called there, and how wide their letters are on average in
#: text, upright and slanted, in ems.
_SYSTEMS = {
    "Georgia": (("Georgia", "Gelasio"), (0.4348, 0.4348)),
    "Times": (("Times New Roman", "Liberation Serif", "Tinos", "Nimbus Roman"), (0.3963, 0.398)),
    "DejaVu": (("DejaVu Serif",), (0.5076, 0.5076)),
}

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
        Characters to keep, whatever the notes hold.
    formulas
        Whether it is the one that formulas are set in.
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
    formulas: bool = False


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
    """Cut a font to the characters in use and return it as WOFF2.

    Parameters
    ----------
    font
        What to cut.
    characters
        Characters needed beyond those it always keeps.
    store
        Where what was cut before is kept.

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
    name = f"{font.family} {font.style}"
    key = _key(font, source, kept)
    return store.get("font", name, key, lambda: _cut(source, kept, font))


def _key(font: Font, source: bytes, kept: str) -> bytes:
    versions = fontTools.version, uharfbuzz.__version__
    recipe = (versions, kept, sorted(font.axes.items()), font.features)
    # This module is part of the recipe, too.
    code = Path(__file__).read_bytes()
    return hashlib.sha256(source + code + repr(recipe).encode()).digest()


def fallbacks(font: Font, content: bytes) -> str:
    """Write the faces that stand in for a font until it is there, so that no line moves then.

    Each is a font that systems have, as wide on average as ours, and as high.
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
    """Add to the characters of formulas the slanted twins that browsers put in their place.

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
