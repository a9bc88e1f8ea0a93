"""One style sheet, without what no page uses; fonts of fixed characters, and their stand-ins."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml
from vaultkit.site.model import SiteModel, SiteSettings
from vaultkit.site.pages import SitePage
from vaultkit.site.styles import Used, drop_unread_properties, join_sheets, prune
from vaultkit.store import Store
from vaultkit.theme import fonts
from vaultkit.theme.fonts import FONTS, FORMULAS, TEXT, Font, FontFile, fallbacks, web_font

USED = Used.collect(
    ['<html dir="ltr"><body data-md-color-scheme="slate" class="a  b-c"><p class="d">'],
    ["element.className = 'made-later'"],
)


@pytest.mark.parametrize(
    ("css", "left"),
    [
        (".a{x:y}.gone{x:y}", ".a{x:y}"),
        (".a.gone,.a .b-c,p:hover{x:y}", ".a .b-c,p:hover{x:y}"),
        (".a:not(.gone){x:y}", ".a:not(.gone){x:y}"),
        (":is(.gone,.d) p{x:y}:is(.gone,.gone) p{x:y}", ":is(.gone,.d) p{x:y}"),
        (".made-later::before{content:'.gone{}'}", '.made-later::before{content:".gone{}"}'),
        ("@media print{.gone{x:y}.a{x:y}}@media print{.gone{x:y}}", "@media print{.a{x:y}}"),
        ("[dir=rtl] p{x:y}[dir=ltr] p{x:y}", "[dir=ltr] p{x:y}"),
        ("[data-md-color-scheme=default]{x:y}", ""),
        ('[dir="ltr"]{x:y}[hidden]{x:y}', '[dir="ltr"]{x:y}[hidden]{x:y}'),
        ("[data-md-color-switching] *{x:y}a{x:y}", "a{x:y}"),
        ("@keyframes k{0%{x:y}}", "@keyframes k{0%{x:y}}"),
        ("@font-face{src:url(a)}", "@font-face{src:url(a)}"),
    ],
)  # fmt: skip
def test_what_matches_nothing_is_left_out(css: str, left: str) -> None:
    assert prune(css, USED) == left


def test_what_nothing_reads_is_left_out() -> None:
    css = ":root{--a:1;--b:url('data:;{}');--c:\";\";--d:2;x:y}p{x:var(--a,var( --d))}"
    assert drop_unread_properties(css, ["style='x: var(--c)'"]) == (
        ':root{--a:1;--c:";";--d:2;x:y}p{x:var(--a,var( --d))}'
    )


def test_all_style_sheets_become_one(tmp_path: Path) -> None:
    def write(name: str, text: str) -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    write("assets/stylesheets/main.css", ".a{x:y}.gone{x:y}")
    write("assets/ours/ours.css", ".gone{src:url('font.woff2')}")
    write("own.css", "p{x:y}")
    write("apart/pictures.css", "p{background:url(a.png)}")
    write("code.js", "'md-search'; 'gone'")

    def page(root: str) -> str:
        names = (
            "assets/stylesheets/main.css",
            "assets/ours/ours.css",
            "own.css",
            "apart/pictures.css",
        )
        links = "\n".join(f'<link rel="stylesheet" href="{root}{name}">' for name in names)
        return f'<head>{links}\n<style></style></head><p class="a">'

    deep, lost = write("b/c/index.html", page("../../")), write("404.html", page("/path/"))
    plain = write("plain.html", "<p>")
    join_sheets(tmp_path, "assets/ours")
    (sheet,) = (tmp_path / "assets/ours").glob("site.*.css")
    assert sheet.read_text() == ".a{x:y}.gone{src:url('font.woff2')}p{x:y}"
    hrefs = re.compile('href="([^"]*)"')
    name = f"assets/ours/{sheet.name}"
    assert hrefs.findall(deep.read_text()) == [f"../../{name}", "../../apart/pictures.css"]
    assert hrefs.findall(lost.read_text()) == [f"/path/{name}", "/path/apart/pictures.css"]
    assert plain.read_text() == "<p>"


def test_an_address_with_escaped_characters_leads_to_the_style_sheet(tmp_path: Path) -> None:
    (tmp_path / "my styles").mkdir()
    (tmp_path / "my styles" / "é.css").write_text("p{x:y}", encoding="utf-8")
    page = tmp_path / "b" / "index.html"
    page.parent.mkdir()
    page.write_text('<link rel="stylesheet" href="../my%20styles/%C3%A9.css"><p>', "utf-8")
    join_sheets(tmp_path, "assets")
    (sheet,) = (tmp_path / "assets").glob("site.*.css")
    assert f'href="../assets/{sheet.name}"' in page.read_text("utf-8")


def test_without_scripts_colours_follow_the_system(tmp_path: Path) -> None:
    (tmp_path / "own.css").write_text(
        '[data-md-color-scheme="slate"] p,body[data-md-color-scheme="slate"] .a,.b'
        "{--c:2;x:var(--c)}"
    )
    head = '<head><link rel="stylesheet" href="own.css"></head><body class="a">'
    chosen = '<input data-md-color-media="(prefers-color-scheme: dark)">'
    for name, page in {"one.html": head + chosen, "other.html": head}.items():
        (tmp_path / name).write_text(page)
    join_sheets(tmp_path, ".")
    (dark,) = tmp_path.glob("dark.*.css")
    assert dark.read_text() == ("body[data-md-color-scheme] p,body[data-md-color-scheme] .a{--c:2}")
    link = f'<body class="a"><noscript><link rel="stylesheet" href="./{dark.name}" media="(prefers'
    assert link in (tmp_path / "one.html").read_text()
    assert "noscript" not in (tmp_path / "other.html").read_text()


def files(font: Font, letters: str, tmp_path: Path) -> list[tuple[FontFile, set[str]]]:
    """The files of a font, each with the characters that it has."""
    found = web_font(font, letters, Store(tmp_path / "store"))
    return [(file, set(map(chr, opened(file).getBestCmap()))) for file in found]


def opened(file: FontFile) -> TTFont:
    return TTFont(io.BytesIO(file.content))


def test_what_replaces_a_font_is_as_wide_and_as_high(tmp_path: Path) -> None:
    upright = FONTS[1]
    [(file, _)] = files(upright, "", tmp_path)
    faces = fallbacks(upright, file.content)
    (dejavu,) = re.findall(r'@font-face{font-family:"Source Serif 4 DejaVu"[^}]*}', faces)
    assert 'src:local("DejaVu Serif");' in dejavu
    # 0.4619 em on average against 0.5076 em; 1.036 em above the line.
    assert "size-adjust:90.99%" in dejavu
    assert "ascent-override:113.8" in dejavu
    assert "descent-override:36.8" in dejavu


def test_a_font_has_a_file_for_all_pages_and_others_for_other_letters(tmp_path: Path) -> None:
    upright = FONTS[1]
    [(common, characters)] = files(upright, "ab", tmp_path)
    assert characters == TEXT
    assert common.characters.startswith("U+20-7E,U+B0-B3,U+B5,")
    [(greek, more), last] = files(upright, "aλ", tmp_path)
    assert last == (common, characters)
    # A page loads it for the letters of the site that the font has.
    assert greek.characters == "U+3BB"
    assert {"λ", "Ω"} < more
    assert not more & (characters | {"Я", "\u0301"})
    assert files(upright, "aᵀ𝐾", tmp_path) == [last]
    assert [file.name for file, _ in files(upright, "ő✓☃", tmp_path)] == [
        "source-serif-4-normal-80",
        "source-serif-4-normal-1e00",
        "source-serif-4-normal",
    ]


def test_the_signs_of_formulas_decide_which_files_of_their_font_there_are(tmp_path: Path) -> None:
    def names(tex: str) -> list[str]:
        model = SiteModel(Vault(tmp_path), SiteSettings("A"))
        page = SitePage("a.md", "a/", "Å", tmp_path / "a.md", None, (), False)
        model.read_page(page, f"<p>Ж</p>{to_mathml(tex, False)}", None, lambda _: None)
        assert {"Å", "Ж"} <= model.letters
        return [file.name for file, _ in files(FONTS[0], "".join(model.signs), tmp_path)]

    # A browser replaces the letter by a slanted one, which is a common character.
    assert names(r"\alpha = x \in \mathbb{R}") == ["stix-two-math-normal"]
    assert names(r"a \vdash b") == ["stix-two-math-normal-2000", "stix-two-math-normal"]
    assert names(r"\mathfrak{g}") == ["stix-two-math-normal-1d400", "stix-two-math-normal"]


def test_a_font_bends_as_its_axes_say(tmp_path: Path) -> None:
    [(file, _)] = files(FONTS[1], "", tmp_path)
    font = opened(file)
    axes = [(axis.axisTag, axis.minValue, axis.maxValue) for axis in font["fvar"].axes]
    assert axes == [("wght", 400, 700)]
    assert {one.FeatureTag for one in font["GSUB"].table.FeatureList.FeatureRecord} == {
        "ccmp",
        "liga",
    }
    assert {one.FeatureTag for one in font["GPOS"].table.FeatureList.FeatureRecord} == {"kern"}


def test_the_font_of_formulas_keeps_what_formulas_are_laid_out_by(tmp_path: Path) -> None:
    (_, rare), (file, common) = files(FONTS[0], "\u22a2", tmp_path)
    assert FORMULAS - {"\U0001d455"} <= common  # no such character exists
    assert {"\u22a2", "\u21a6"} < rare
    font = opened(file)
    table = font["MATH"].table
    assert table.MathConstants.RadicalRuleThickness.Value == 56
    # A bracket and a root grow: their taller forms are there though no character calls for them.
    grown = dict(
        zip(
            table.MathVariants.VertGlyphCoverage.glyphs,
            table.MathVariants.VertGlyphConstruction,
            strict=True,
        )
    )
    for sign in "(\u221a":
        forms = grown[font.getBestCmap()[ord(sign)]].MathGlyphVariantRecord
        assert len(forms) > 3
        assert {form.VariantGlyph for form in forms} <= set(font.getGlyphOrder())


def test_a_font_is_cut_once_for_all_sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = files(FONTS[2], "é", tmp_path)
    monkeypatch.setattr(fonts, "_cut", lambda *_: b"another")
    assert files(FONTS[2], "abc", tmp_path) == cut
