"""What the extension makes of Obsidian's syntax, without MkDocs."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.vaultkit.agreement import converter
from vaultkit.read.vault import Vault
from vaultkit.render.blocks import CALLOUTS

Write = Any


@pytest.fixture
def render(tmp_path: Path) -> Any:
    """Write the notes of a vault, render the one called ``Host``."""

    def call(
        text: str,
        path: str = "Host.md",
        *,
        options: Any = None,
        extensions: tuple[str, ...] = (),
        **notes: str,
    ) -> str:
        for name, content in {path: text, **notes}.items():
            file = tmp_path / (name if "." in name else f"{name}.md")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8", newline="")
        vault = Vault(tmp_path)
        settings = {"backlinks": False, **(options or {})}
        return converter(vault, vault.root / path, extensions, **settings).convert(text)

    return call


OTHER = (
    "# Other\n\nA *fact*. ^fact\n\n## Part two\n\nMore.\n\n### Sub\n\nDeep.\n\n## Last\n\nEnd.\n"
)


@pytest.mark.parametrize(
    ("text", "href", "words"),
    [
        ("[[Other]]", "Other.md", "Other"),
        ("[[other]]", "Other.md", "other"),
        ("[[Other.md]]", "Other.md", "Other.md"),
        ("[[OTHER.MD|x]]", "Other.md", "x"),
        ("[[Other|some *words*]]", "Other.md", "some <em>words</em>"),
        ("[[Other#Part two]]", "Other.md#part-two", "Other &gt; Part two"),
        ("[[Other#part TWO|x]]", "Other.md#part-two", "x"),
        ("[[Other#Part two#Sub]]", "Other.md#sub", "Other &gt; Part two &gt; Sub"),
        ("[[Other#^fact]]", "Other.md#^fact", "Other &gt; ^fact"),
        ("[[Nick name]]", "sub/D%C3%A9ep%20one.md", "Nick name"),
        ("[[Déep one]]", "sub/D%C3%A9ep%20one.md", "Déep one"),
        ("[[sub/Déep one|d]]", "sub/D%C3%A9ep%20one.md", "d"),
        ("# Top\n\n[[#Top]]", "#top", "Top"),
        ("# $2$-forms\n\n[[#$2$-forms|x]]", "#2-forms", "x"),
        ("# In [[Other#Sub|it]]\n\n[[#In Other Sub it|x]]", "#in-it", "x"),
        ("# In [[Other#Sub|it]]\n\n[[#In it|x]]", "#in-it", "x"),
        ("# $x$\n\n## A <b>b</b>\n\n[[#$x$#A <b>b</b>|x]]", "#a-b", "x"),
        ("text ^b\n\n[[#^b]]", "#^b", "^b"),
        ("[[x *y* z]]", "x%20%2Ay%2A%20z.md", "x *y* z"),
        ("\\![[Other]]", "Other.md", "Other"),
        ("[[snake_case_note]]", "snake_case_note.md", "snake_case_note"),
        ("[[Other|`code`]]", "Other.md", "<code>code</code>"),
        ("[[Other#`Part` two|x]]", "Other.md#part-two", "x"),
        ("[[Other|a [b] c]]", "Other.md", "a [b] c"),
        ("[[Other|[1]]]", "Other.md", "[1]"),
    ],
)
def test_a_link(render: Write, text: str, href: str, words: str) -> None:
    html = render(
        text,
        Other=OTHER,
        snake_case_note="",
        **{"x *y* z": "", "sub/Déep one": "---\naliases: [Nick name]\n---\n", "paper.pdf": ""},
    )
    assert f'<a class="wikilink" href="{href}">{words}</a>' in html


def test_a_link_from_the_root(render: Write) -> None:
    html = render("[a](/sub/b%20c.md) [d](/e)", **{"sub/b c.md": ""})
    assert re.findall('href="(.*?)"', html) == ["sub/b%20c.md", "/e"]


def test_links_from_a_folder_lead_out_of_it(render: Write) -> None:
    html = render("[[Other]] ![[pic.svg]]", "sub/Host.md", Other="", **{"img/pic.svg": "<svg/>"})
    assert 'href="../Other.md"' in html
    assert 'src="../img/pic.svg"' in html


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[Othr]]", "there is no note or file 'Othr'; did you mean 'Other'?"),
        ("[[Other#Part too]]", "'Other' has no heading 'Part too'; did you mean 'Part two'?"),
        ("![[Other#^fakt]]", "'Other' has no block '^fakt'; did you mean '^fact'?"),
        ("![[gone.png|300]]", "there is no note or file 'gone.png'"),
    ],
)
def test_a_broken_link_says_why(render: Write, text: str, message: str) -> None:
    html = render(text, Other=OTHER)
    assert f'<span class="wikilink broken" title="{message}">' in html
    assert "<a " not in html


def test_a_bar_in_a_table(render: Write) -> None:
    html = render(
        "| a | b |\n|---|---|\n| [[Other\\|o]] | ![[p.svg\\|20]] |", Other="", **{"p.svg": ""}
    )
    assert '<td><a class="wikilink" href="Other.md">o</a></td>' in html
    assert '<td><img alt="" src="p.svg" width="20" /></td>' in html


@pytest.mark.parametrize(
    "text",
    [
        "`[[Other]] #tag %%c%% ==m==`",
        "    [[Other]] #tag %%c%% ==m== ^id",
        "```\n[[Other]] #tag %%c%% ==m== ^id\n```",
        "~~~python\n'[[Other]] #tag %%c%% ==m== ^id'\n~~~",
        "> ```text\n> [[Other]] #tag %%c%% ==m== ^id\n> ```",
        "$[[Other]] #tag %%c%% ==m==$",
        "$$\n[[Other]] #tag %%c%% ==m== ^id\n$$",
        "%%\n\n%%\n\n```text\n%%c%%\n[[Other]] #tag ==m==\n\n![[Other]]\n```",
    ],
)
def test_code_and_mathematics_are_left_alone(render: Write, text: str) -> None:
    html = render(text, Other="")
    assert "[[Other]] #tag" in re.sub("<[^>]*>", "", html)
    assert re.sub("<[^>]*>", "", html).count("%%c%%") == 1
    assert "==m==" in html
    assert "wikilink" not in html
    assert 'id="^' not in html


@pytest.mark.parametrize(
    ("text", "image"),
    [
        ("![[p.svg]]", '<img alt="" src="p.svg" />'),
        ("![[p.svg|300]]", '<img alt="" src="p.svg" width="300" />'),
        ("![[p.svg|300x200]]", '<img alt="" height="200" src="p.svg" width="300" />'),
        ("![[p.svg|Two curves]]", '<img alt="Two curves" src="p.svg" />'),
        ("![[p.svg|Of $a$ and `b`]]", '<img alt="Of \\(a\\) and b" src="p.svg" />'),
        ("![[P.SVG|Two curves|300]]", '<img alt="Two curves" src="p.svg" width="300" />'),
    ],
)
def test_an_image(render: Write, text: str, image: str) -> None:
    html = render(text, **{"p.svg": "<svg/>"})
    assert re.sub(r'(height="200") (src="p.svg") ', r"\1 \2 ", html) == f"<p>{image}</p>"


# --- Transclusion -------------------------------------------------------------------------------


def test_a_note_is_shown_without_its_title_and_front_matter(render: Write) -> None:
    html = render("![[Other]]", Other=f"---\nsummary: S.\n---\n{OTHER}")
    assert html.startswith(
        '<div class="transclusion"><p class="transclusion-source">'
        '<a class="wikilink" href="Other.md">Other</a></p><p>A <em>fact</em>.</p>'
    )
    assert "S." not in html
    assert html.count("<div") == html.count("</div>") == 1


def test_a_section_ends_where_the_next_begins(render: Write) -> None:
    html = render("![[Other#Part two]]", Other=OTHER)
    assert 'href="Other.md#part-two">Other &gt; Part two</a>' in html
    assert "Deep." in html
    assert "fact" not in html
    assert "End." not in html


def test_a_block(render: Write) -> None:
    html = render("![[Other#^fact]]", Other=OTHER)
    assert "<p>A <em>fact</em>.</p>" in html
    assert "More." not in html
    html = render("![[O#^r]]", O="- a\n    - b ^r\n\n| x |\n|---|\n| y |\n\n^t\n")
    assert "<li>b</li>" in html
    html = render("![[O#^t]]", O="a\n\n| x |\n|---|\n| y |\n\n^t\n")
    assert "<td>y</td>" in html
    assert 'id="' not in html


def test_embedded_headings_are_none_for_the_table_of_contents(tmp_path: Path) -> None:
    (tmp_path / "Other.md").write_text(OTHER)
    vault = Vault(tmp_path)
    md = converter(vault, vault.root / "Host.md")
    html = md.convert("# Host\n\n## Part two\n\n![[Other]]\n\n## After\n")
    assert re.findall('id="(.*?)"', html) == ["host", "part-two", "after"]
    (top,) = md.toc_tokens  # type: ignore[attr-defined]
    assert [token["name"] for token in top["children"]] == ["Part two", "After"]
    assert '<p aria-level="3" class="transclusion-heading transclusion-h3" role="heading">' in html


def test_links_and_images_are_meant_from_where_they_stand(render: Write) -> None:
    html = render(
        "![[Deep]]",
        "a/Host.md",
        Other=OTHER,
        **{
            "b/Deep.md": "[o](../Other.md#last) [[Other]] ![p](pic.png) [h](#here) [[#Here]]\n"
            "<https://x.org/a> [s](/abs)\n\n## Here\n\n![[Deeper]]\n",
            "b/c/Deeper.md": "[d](../Deep.md) ![q](q%20r.png)\n",
            "b/pic.png": "",
            "b/c/q r.png": "",
        },
    )
    assert re.findall('(?:href|src)="(.*?)"', html) == [
        "../b/Deep.md",
        "../Other.md#last",
        "../Other.md",
        "../b/pic.png",
        "../b/Deep.md#here",
        "../b/Deep.md#here",
        "https://x.org/a",
        "/abs",
        "../b/c/Deeper.md",
        "../b/Deep.md",
        "../b/c/q%20r.png",
    ]


def test_embeds_work_in_callouts_and_lists(render: Write) -> None:
    other = "Text\n\n- item\n\n```python\nx\n```\n"
    html = render("> [!tip]\n> ![[Other]]\n\n1. one\n2. ![[Other]]\n    - sub\n", Other=other)
    box = '<div class="transclusion"><p class="transclusion-source">'
    assert f'<p class="admonition-title">Tip</p>\n{box}' in html
    assert f"<li>{box}" in html
    assert html.count("<p>Text</p>") == 2
    assert html.count('class="n">x</span>') == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See *it* ![[Other]] there.", "<p>See <em>it</em></p>BOX<p>there.</p>"),
        ("See ![[Other]] ^a", '<p id="^a">See</p>BOX'),
        ("![[Other]]\n![[Other]]\nthere *so*  \n![](Other.md)",
         "BOXBOX<p>there <em>so</em></p>BOX"),
        ("- a ![[Other]] there\n    - b",
         "<ul>\n<li>a BOXthere<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"),
        ("> ![[Other]]\n> more", "<blockquote>\nBOX<p>more</p>\n</blockquote>"),
        ("|a ![[Other]] b|\n|-|", "<th>a BOXb</th>"),
    ],
)  # fmt: skip
def test_in_mid_sentence_an_embed_parts_the_text(render: Write, text: str, expected: str) -> None:
    html = render(text, Other="Text")
    box = r'<div class="transclusion">.*?</p><p>Text</p>\n</div>'
    assert expected in re.sub(box, "BOX", html)
    assert "data-embed" not in html


@pytest.mark.parametrize("text", ["# ![[Other]]", "**![[Other]]**", "> [!tip] ![[Other]]"])
def test_where_no_block_can_stand_an_embed_is_a_link(render: Write, text: str) -> None:
    html = render(text, Other="Text")
    assert '<a class="wikilink" href="Other.md">Other</a>' in html
    assert "Text" not in html
    assert "data-embed" not in html


def test_an_item_is_embedded_with_what_is_in_it(render: Write) -> None:
    html = render("![[O#^a]]", O="- one ^a\n    - two\n\n      three\n\n- four\n")
    assert [word in html for word in ("one", "two", "three", "four")] == [True, True, True, False]


def test_a_block_with_an_image_of_a_note_keeps_its_heading(render: Write) -> None:
    html = render("![](Other.md#Part%20two)", Other=OTHER)
    assert "Deep." in html
    assert "End." not in html
    assert "<img" not in html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("costs $5-$10", "costs $5-$10"),
        ("$5/$10 and $b$2.", '$5/$10 and <span class="arithmatex">\\(b\\)</span>2.'),
        ("3$\\times$4", '3<span class="arithmatex">\\(\\times\\)</span>4'),
        ("$$a$$ $$b$$", '<span class="arithmatex">\\[a\\]</span> <span class="arithmatex">\\[b\\]'),
        ("$$\na\n$$and $c$ so\n$$\nb\n$$", "</a></div>\n<p>and <span"),
        ("$$\na\n$$and $c$ so\n$$\nb\n$$", " so</p>\n<div"),
        ("- x\n  $$\n  a\n  - b\n\n  c\n  $$ d\n  e\n- f", "</a></div>\nd\ne</li>\n<li>f</li>"),
        ("$$\na\n$$ and $$\nb\n$$", "\\[a\\]</span> and <span"),
        ("x\n$$a$$ b\n$$\nc\n$$\nd", " b</p>\n<div"),
    ],
)
def test_what_two_dollars_enclose(render: Write, text: str, expected: str) -> None:
    assert expected in render(text)


def test_what_obsidian_does_not_read_is_text(render: Write) -> None:
    html = render("[TOC]\n\n## H {#a .b}")
    assert "<p>[TOC]</p>" in html
    assert ">H {#a .b}<" in html
    html = render("## H {#a .b}", extensions=["attr_list"])
    assert '<h2 class="b" id="a">H<' in html


def test_an_address_ends_with_the_bracket_that_it_has_opened(render: Write) -> None:
    html = render("(https://x.org/a_(b)) https://x.org/(c).")
    assert re.findall('href="(.*?)"', html) == ["https://x.org/a_(b)", "https://x.org/(c)"]
    assert html.count("</a>)") == html.count("</a>.") == 1


def test_cycles_end_in_a_link(render: Write) -> None:
    html = render(
        "Host.\n\n![[A]]\n\n![[Host]]", A="In A.\n\n![[B]]", B="In B.\n\n![[A]]\n\n![[Host]]"
    )
    assert [html.count(words) for words in ("Host.<", "In A.", "In B.")] == [1, 1, 1]
    assert html.count('<p><a class="wikilink" href="A.md">A</a></p>') == 1
    assert html.count('<p><a class="wikilink" href="Host.md">Host</a></p>') == 2


def test_doubling_embeds_end(render: Write) -> None:
    notes = {f"N{i}": f"{i}\n\n![[N{i + 1}]]\n\n![[N{i + 1}]]\n" for i in range(12)}
    assert render("![[N0]]", N12="", **notes).count('class="transclusion"') == 1 + 2 + 4 + 8 + 16


def test_footnotes_do_not_clash(render: Write) -> None:
    other = "Other[^1] twice[^1] and[^x].\n\n## S\n\nIn S[^1]. ^b\n\n[^1]: OF OTHER\n[^x]: X\n"
    html = render(
        "Host[^1].\n\n![[Other]]\n\n![[Other#S]]\n\n![[Other#^b]]\n\n[^1]: OF HOST", Other=other
    )
    ids = re.findall(' id="(.*?)"', html)
    assert len(ids) == len(set(ids))
    anchors = re.findall('href="#(.*?)"', html)
    assert anchors
    assert set(anchors) <= set(ids)
    assert html.count("OF HOST") == 1
    assert html.count("OF OTHER") == 3
    assert html.count(">X&#160;") == 1
    assert "[^" not in html
    first = html.index("OF HOST")
    assert html.rindex("OF OTHER") < first


def test_block_ids_are_not_doubled(render: Write) -> None:
    html = render("![[Other]]\n\nmine ^fact", Other=OTHER)
    assert html.count('id="^fact"') == 1
    assert '<p id="^fact">mine</p>' in html
    assert "^fact<" not in html


# --- Block ids ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Words ^a-1", '<p id="^a-1">Words</p>'),
        ("Two\nlines ^a", '<p id="^a">Two\nlines</p>'),
        ("- one ^a\n- two", '<li id="^a">one</li>'),
        ("- one ^a\n    - sub ^b", '<li id="^b">sub</li>'),
        ("## Head ^a", '<h2 id="head">Head<span id="^a"></span>'),
        ("| a |\n|---|\n| b |\n\n^a", '<table id="^a">'),
        ("> [!note] T\n> b\n\n^a", '<div class="admonition note" id="^a">'),
        ("- x\n- y\n\n^a", '<ul id="^a">'),
        ("$$\nx\n$$\n\n^a", '<div class="arithmatex" id="^a">'),
        ("```python\nx\n```\n\n^a", '<div id="^a">\n<div class="language-python highlight">'),
        ("```python\nx\n```\n^a", '<div id="^a">\n<div class="language-python highlight">'),
        ("> quote ^a", '<p id="^a">quote</p>'),
        ("![[Other]]\n\n^a", '<div class="transclusion" id="^a">'),
        ("a ^a\n\n^b", '<div id="^b">\n<p id="^a">a</p>'),
    ],
)
def test_a_block_id_is_an_anchor_and_not_seen(render: Write, text: str, expected: str) -> None:
    html = render(text, Other="o")
    assert expected in html
    assert "^" not in re.sub('(id|href)="[^"]*"', "", html)


@pytest.mark.parametrize("text", ["2 ^n", "x^a", "`a ^b`", "$a ^b$", "a ^b c", "^a b"])
def test_what_is_no_block_id_stays(render: Write, text: str) -> None:
    html = render(text)
    if text == "2 ^n":
        assert 'id="^n"' in html
    else:
        assert 'id="^' not in html
        assert "^" in html


# --- Comments, tags, marks, callouts ------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a %%secret%% b",
        "a %%secret\nsecret%% b",
        "a\n\n%%\nsecret\n\n```python\nsecret\n```\n%%\n\nb",
        "a\n\n%%secret%%\n\nb",
        "a\n\n> q\n>\n> %%\n> secret\n> %%\n>\n> q\n\nb",
        "# a %%secret%%\n\nb",
        "a %%`secret` [[secret]] $secret$%% b",
        "a ![[Other]]\n\n![[Other]]\n\nb",
        "a %%\nsecret\n%%\n\nb",
        "a %%secret\n\n# secret\n\n```\nsecret\n```\nsecret %% b",
        "a\n\n%%\nsecret\n%% b",
        "- a %%secret\n- secret %% b",
        "- a\n\n    %%secret%%\n\nb",
        "| a |\n|---|\n| %%secret%% b |",
        "a `%` b\n\n%%\nsecret",
        "> a %%secret\n>\n> secret%% b",
        "- `a\n- %%secret%% b",
        "b\n\n> ```\n> a\n\n%%secret%%",
    ],
)
def test_comments_are_gone(render: Write, text: str) -> None:
    html = render(text, Other="o %%secret%%\n\n%%\nsecret\n%%\n")
    assert "secret" not in html
    assert "%%" not in html
    assert "a" in html
    assert "b" in html


def test_a_comment_does_not_cut_its_callout_in_two(render: Write) -> None:
    html = render("> [!tip] T\n> a\n>\n> %%\n> secret\n> %%\n>\n> b")
    assert html.count('<div class="admonition tip">') == html.count("</div>") == 1
    assert "<p>b</p>\n</div>" in html


def test_an_escaped_comment_is_text(render: Write) -> None:
    assert "%%a%%" in render("\\%%a%%")


@pytest.mark.parametrize("tag", ["tag", "a/b", "Straße", "1a", "snake_case", "a🎉", "☀️"])
def test_a_tag(render: Write, tag: str) -> None:
    assert f'<p>so <span class="md-tag">#{tag}</span>.</p>' in render(f"so #{tag}.")
    assert f'<p><span class="md-tag">#{tag}</span> is' in render(f"#{tag} is no heading")


@pytest.mark.parametrize(
    "text", ["a#b", "#1", "&#65;", "<https://x.org/#frag>", "[x](y.md#z)", "\\#no"]
)
def test_no_tag(render: Write, text: str) -> None:
    assert "md-tag" not in render(text, y="# Z\n")


def test_tags_lead_to_their_page(render: Write) -> None:
    html = render("#Some/Tag [#no](x.md)", "sub/Host.md", options={"tags_page": "tags.md"})
    assert '<a class="md-tag" href="../tags.md#tag:some/tag">#Some/Tag</a>' in html
    assert html.count("md-tag") == 1


def test_a_flashcard_folds_its_answer(render: Write) -> None:
    html = render("Why $d_k$\nor [[Host]]?\n?\nSince **so** ^why\n\nNext?\n?\n- one\n- two\n\nEnd.")
    first, second = re.findall(r"<details.*?</details>", html, re.DOTALL)
    assert first.startswith('<details class="flashcard" id="card-why-d_k-or-host">\n<summary>Why ')
    assert "arithmatex" in first[: first.index("</summary>")]
    assert '<a class="wikilink" href="Host.md">' in first[: first.index("</summary>")]
    assert '<p id="^why">Since <strong>so</strong></p>' in first
    assert "<li>two</li>" in second
    assert html.endswith("<p>End.</p>")


def test_flashcards_stand_in_callouts_and_have_addresses_of_their_own(render: Write) -> None:
    html = render("> [!tip] T\n> Q?\n> ?\n> A\n\nQ\n?\nB\n\n![[Other]]", Other="Q\n?\nC")
    assert re.findall('class="flashcard"(?: id="([^"]*)")?', html) == ["card-q", "card-q-2", ""]


@pytest.mark.parametrize(
    "text", ["?\nA", "Q\n?", "Q\n? A", "Q ?\nA", "```text\nQ\n?\nA\n```", "Q\n\n?\n\nA", "Q\n??\nA"]
)
def test_what_is_no_flashcard(render: Write, text: str) -> None:
    assert "<details" not in render(text)


def test_marks_and_tasks(render: Write) -> None:
    html = render("==m==\n\n- [x] done")
    assert "<mark>m</mark>" in html
    assert "checked" in html


@pytest.mark.parametrize(
    ("name", "style"),
    [(name, style) for style, names in CALLOUTS.items() for name in (style, *names)],
)
def test_every_callout_has_a_style(render: Write, name: str, style: str) -> None:
    names = name if name == style else f"{name} {style}"
    html = render(f"> [!{name}]\n> text")
    assert f'<div class="admonition {names}">' in html
    assert f'<p class="admonition-title">{name.title()}</p>' in html


def test_all_names_of_obsidian_are_known() -> None:
    names = "note abstract summary tldr info todo tip hint important success check done question "
    names += "help faq warning caution attention failure fail missing danger error bug example "
    names += "quote cite"
    assert {n for style, more in CALLOUTS.items() for n in (style, *more)} == set(names.split())


def test_unknown_and_folded_and_nested_callouts(render: Write) -> None:
    html = render(
        "> [!Wow]- *Title* $t$\n> $$\n> x\n> $$\n>\n"
        "> > [!faq]+ In\n> > ```python\n> > y\n> > ```\n> after\n"
    )
    assert '<details class="wow note">\n<summary><em>Title</em>' in html
    assert '<details class="faq question" open="open">\n<summary>In</summary>' in html
    assert '<div class="arithmatex" id="equation-1">' in html
    assert '<span class="n">y</span>' in html
    assert "<p>after</p>" in html


def test_what_a_callout_tells_style_sheets_is_not_seen(render: Write) -> None:
    html = render("> [!note|right wide]+ T\n> b\n\n> [!my Type]\n> b\n\n> [!x|]\n")
    assert '<details class="note" open="open">\n<summary>T</summary>' in html
    assert '<div class="admonition my-type note">\n<p class="admonition-title">My Type</p>' in html
    assert '<div class="admonition x note">\n<p class="admonition-title">X</p>' in html


# --- Code ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("info", "classes", "title"),
    [
        ("python", "language-python highlight", None),
        ("python no-run", "language-python no-run highlight", None),
        ("python raises=ValueError", "language-python raises highlight", None),
        ('python title="snippets/a b.py"', "language-python highlight", "snippets/a b.py"),
        ("python raises=E title='say \"hi\"'", "language-python raises highlight", 'say "hi"'),
        ('python title="open', "language-python highlight", None),
        ("python whatever this is", "language-python highlight", None),
        ('yaml title="a.yml" odd', "language-yaml highlight", "a.yml"),
        ("pycon", "language-pycon highlight", None),
    ],
)
@pytest.mark.parametrize("mark", ["```", "~~~", "````"])
@pytest.mark.parametrize("prefix", ["", "> ", "    "])
def test_the_opening_of_a_fence(
    render: Write, info: str, classes: str, title: str | None, mark: str, prefix: str
) -> None:
    lines = [f"{mark}{info}", ">>> x = 1", mark]
    before = "1. item\n\n" if prefix.isspace() else ""
    html = render(before + "\n".join(prefix + line for line in lines))
    assert f'<div class="{classes}">' in html
    assert mark not in html
    shown = re.search('<span class="filename">(.*?)</span>', html)
    assert (shown[1].replace("&quot;", '"') if shown else None) == title


def test_lines_can_be_highlighted(render: Write) -> None:
    html = render('```python title="t" hl_lines="2" linenums="5" no-run\na\nb\n```')
    assert html.count('class="hll"') == 1
    assert ">5</span>" in html or ">5<" in html


def test_an_output_is_told_from_other_text(render: Write) -> None:
    html = render("```python\n1\n```\n```text\n1\n```\n\nText.\n\n```text\nother\n```\n")
    assert html.count("output") == 1
    assert html.index("output") < html.index("other")


def test_code_that_touches_text(render: Write) -> None:
    html = render("Text\n```python\nx\n```\nmore\n\n> [!tip] T\n> ```python\n> y\n> ```\n> end")
    assert "<p>Text</p>\n<div" in html
    assert "<p>more</p>" in html
    assert "<p>end</p>" in html
    assert "<p><div" not in html


# --- Backlinks ----------------------------------------------------------------------------------


def test_backlinks_quote_the_sentence(render: Write) -> None:
    html = render(
        "# Host\n",
        options={"backlinks": True},
        **{
            "b/Far.md": "First. It *uses* [[Host|it]] and $x^2$, [o](../Other.md), [[#H]][^1] "
            "%%c%% ![[Other]]. Last.\n\n## H\n\n[^1]: f\n",
            "List.md": "- [[Host]]\n",
            "Other.md": "",
        },
    )
    aside = html[html.index("<aside") :]
    assert aside.startswith('<aside class="linked-from" data-search-exclude="true">')
    assert aside.count("<aside") == 1  # Material's search reads on at the end of an inner one.
    assert "Linked from</p>" in aside
    assert '<li><a class="wikilink" href="List.md">List</a></li>' in aside
    assert '<a class="wikilink" href="b/Far.md">Far</a><p>It <em>uses</em> ' in aside
    assert '<a class="wikilink" href="Host.md">it</a>' in aside
    assert 'class="arithmatex"' in aside
    assert '<a href="Other.md">o</a>' in aside
    assert '<a class="wikilink" href="b/Far.md#h">H</a>' in aside
    for gone in ("First", "Last", "[^1]", "%%", "<sup", "Other</a>", "data-embed"):
        assert gone not in aside


PLAINLY = [
    "Words before [[Host]] and behind it.",
    "[[Host]] (in brackets; with “signs”), [[Host#Part one|another – way]]: why?",
    "See [[b/Deep|deep]], [[Gone]], [[Host#Gone]], [[sub/Host]] and [[Nick]] there.",
    'A name.Md, 1.5 and 2 - 3, [[Host.md|it\'s]] "quoted".',
    "Über [[Host|ein Wort]] geht 很好.",
]
MARKED = [
    "It *is* [[Host]].",
    "A_b [[Host]] c_d.",
    "`x` [[Host]].",
    "A #tag [[Host]].",
    "1 < [[Host]].",
]


@pytest.mark.parametrize("sentence", [*PLAINLY, *MARKED])
def test_a_sentence_is_quoted_as_its_own_page_shows_it(render: Write, sentence: str) -> None:
    notes = {
        "b/Deep.md": "# Deep\n",
        "sub/Host.md": "# Another\n",
        "Near.md": f"---\naliases: [Nick]\n---\n# Near\n\n{sentence}\n",
    }
    quoted = render("# Host\n\n## Part one\n", options={"backlinks": True}, **notes)
    assert quoted.count("<li>") == 1
    own = render(notes["Near.md"], "Near.md", options={"backlinks": False})
    shown = own[own.rindex("<p>") :].strip()
    assert shown in quoted.replace('href="#part-one"', 'href="Host.md#part-one"')


def test_what_extensions_of_others_make_of_text_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "Host.md").write_text("# Host")
    (tmp_path / "Near.md").write_text("Press ++c++ at [[Host]].")
    vault = Vault(tmp_path)
    text = "++c++ of HTML[^1]\n\n*[HTML]: x\n\n!!! note\n    a\n\n[^1]: y\n\n|a|\n|-|\n"
    others = ["pymdownx.keys", "abbr", "admonition", "footnotes", "md_in_html", "tables"]
    page = converter(vault, vault.root / "Host.md", others).convert(text)
    assert page == converter(vault, vault.root / "Host.md").convert(text)
    assert page.startswith("<p>++c++ of HTML<sup")
    assert "<p>Press ++c++ at <a" in page


def test_backlinks_can_be_switched_off(render: Write) -> None:
    assert "aside" not in render("# Host", Other="[[Host]]")
    assert "aside" in render("# Host", Other="[[Host]]", options={"backlinks": True})
    assert "aside" not in render("# Host", Other="none", options={"backlinks": True})


# --- Drawings -----------------------------------------------------------------------------------

SVG = (
    '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "x" "y">\n'
    '<svg xmlns="http://www.w3.org/2000/svg" class="vk-figure" aria-labelledby="t" width="9">'
    '<title id="t">T</title><a href="[[Other#Part two]]"><text>1.25</text></a>'
    "<a xlink:href='[[Gone]]'/></svg>\n"
)


def test_a_drawing_becomes_part_of_the_page(render: Write) -> None:
    html = render(
        '![Two "curves"](figures/f.svg "A caption")', Other=OTHER, **{"figures/f.svg": SVG}
    )
    assert html.startswith('<figure class="vk-figure-box"><svg')
    assert html.endswith("</svg><figcaption>A caption</figcaption></figure>")
    assert 'aria-label="Two &quot;curves&quot;"' in html
    assert "aria-labelledby" not in html
    assert 'data-search-exclude="true"' in html
    assert 'href="Other.md#part-two"' in html
    assert "data-broken=\"there is no note or file 'Gone'" in html.replace("&#x27;", "'")
    assert "<?xml" not in html
    assert "DOCTYPE" not in html
    assert 'id="t"' in html


def test_a_drawing_by_its_name(render: Write) -> None:
    html = render("![[f.svg|Words|120]]", "sub/Host.md", Other=OTHER, **{"figures/f.svg": SVG})
    assert html.startswith('<figure class="vk-figure-box" style="width: 120px"><svg')
    assert 'aria-label="Words"' in html
    assert 'href="../Other.md#part-two"' in html
    html = render("so ![[f.svg|Words]] it is")
    assert html.startswith('<p>so <span class="vk-figure-box"><svg')
    assert html.endswith("</svg></span> it is</p>")


def test_a_drawing_in_an_embedded_note(render: Write) -> None:
    html = render("![[sub/N]]", Other=OTHER, **{"sub/N.md": "![w](f.svg)\n", "sub/f.svg": SVG})
    assert '<figure class="vk-figure-box"><svg' in html
    assert 'href="Other.md#part-two"' in html


def test_a_drawing_is_read_anew(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    for word in ("one", "two"):
        (tmp_path / "f.svg").write_text(f'<svg class="vk-figure">{word}</svg>')
        vault.refresh()
        assert word in converter(vault, vault.root / "Host.md").convert("![w](f.svg)")


def test_other_images_stay_images(render: Write) -> None:
    plain = SVG.replace("vk-figure", "other")
    assert "<img" in render("![w](f.svg)", **{"f.svg": plain})
    assert "<img" in render("![w](f.svg)", options={"inline_svg": False}, **{"f.svg": SVG})
    assert "<img" in render("![w](https://x.org/f.svg)")


@pytest.mark.parametrize(
    ("unwritten", "text", "expected"),
    [
        ("fail", "[a *b*](No.md#x)", 'class="wikilink broken" title="there is no note or file '),
        ("fail", "![a b](no.svg)", 'class="wikilink broken" title="there is no note or file '),
        ("fail", "[a *b*](Other.md#No)", 'class="wikilink broken" title="'),
        ("mark", "[a *b*](No.md)", 'class="wikilink unwritten" title="Not written yet"'),
        ("plain", "[a *b*](No.md)", "<p><span>a <em>b</em></span></p>"),
    ],
)
def test_a_link_of_markdown_that_leads_nowhere_looks_so(
    render: Write, tmp_path: Path, unwritten: str, text: str, expected: str
) -> None:
    (tmp_path / "vaultkit.toml").write_text(f'unwritten = "{unwritten}"')
    html = render(text, Other=OTHER)
    assert expected in html
    assert "a <em>b</em></span>" in html or "a b</span>" in html
    assert "<a" not in html
    assert "<img" not in html


def test_every_mark_can_be_escaped(render: Write) -> None:
    marks = "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"
    html = render("x" + "".join(f"\\{mark}" for mark in marks) + r"\a")
    assert (
        html
        == "<p>x"
        + marks.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        + "\\a</p>"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![[p.png|center|450]]", 'alt="center" src="p.png" width="450"'),
        ("![a 12|45x67](p.png)", 'alt="a 12" height="67" src="p.png" width="45"'),
    ],
)
def test_the_size_of_an_image_is_no_number_that_it_tells(
    render: Write, text: str, expected: str
) -> None:
    text = f"{text}\n\n```python\n1 + 1\n```\n"
    html = render(text, options={"places": True}, **{"p.png": ""})
    attributes = " ".join(sorted(re.findall(r'(?:alt|height|src|width)="[^"]*"', html)))
    assert attributes == expected


def test_an_embed_can_be_named_without_a_blank(render: Write) -> None:
    note = "![[p.png]]^here\n\nNo ^2 and x^3\n"
    html = render("![[Other#^here]]", Other=note, **{"p.png": ""})
    assert 'src="p.png"' in html
    assert "^here" not in html.replace("#^here", "").replace("&gt; ^here", "")
    assert "x^3" in render(note, **{"p.png": ""})


NOTEBOOK = "---\njupytext:\n  format: myst\n---\n"


def test_the_dialect_of_notebooks_is_shown_as_it_is_meant(render: Write) -> None:
    html = render(
        f"{NOTEBOOK}# A\n\n```{{code-cell}} ipython3\n:tags: [hide]\n\nimport os\n```\n\n+++\n\n"
        "```{note} Mind *this*\n:class: x\nSee [[Other]].[^1]\n\n- one\n```\n\n"
        "````{admonition} T\n```{tip}\nIn it.\n```\n````\n\nB.[^1]\n\n[^1]: F.\n",
        Other=OTHER,
    )
    assert '<span class="kn">import</span>' in html
    assert ":tags:" not in html
    assert "+++" not in html
    callout = (
        '<div class="admonition note">\n<p class="admonition-title">Mind <em>this</em></p>\n'
        '<p>See <a class="wikilink" href="Other.md">Other</a>.<sup'
    )
    assert callout in html
    assert "<li>one</li>" in html
    assert (
        '<div class="admonition tip">\n<p class="admonition-title">Tip</p>\n<p>In it.</p>' in html
    )
    assert html.count('class="footnote-ref"') == 2
    # Elsewhere it is text.
    assert "<p>+++</p>" in render("+++\n")


# --- Hosts and odd input ------------------------------------------------------------------------


def test_without_a_host_it_reads_the_vault_itself_and_again(tmp_path: Path) -> None:
    from markdown import markdown

    def render(text: str = "[[New]]") -> str:
        name = "vaultkit.render.host"
        options = {"docs_dir": str(tmp_path), "note": str(tmp_path / "Host.md")}
        return markdown(text, extensions=[name], extension_configs={name: options})

    assert "broken" in render()
    (tmp_path / "New.md").write_text("")
    assert render() == '<p><a class="wikilink" href="New.md">New</a></p>'
    assert "<code>code ^id\n</code></pre>" in render("    code ^id")
    (tmp_path / "New.md").unlink()
    assert "broken" in render()


@pytest.mark.parametrize(
    "text",
    [
        "[[",
        "]]",
        "[[]]",
        "[[#]]",
        "[[|]]",
        "![[",
        "![[]]",
        "![[|]]",
        "![[#]]",
        "[[ ]]",
        "[[|words]]",
    ],
)
def test_what_names_nothing_is_text(render: Write, text: str) -> None:
    assert render(f"a {text} b") == f"<p>a {text} b</p>"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "---\n---\n",
        "---\nunfinished: [\n---\n\ntext",
        "---\nno end",
        "[[/]]",
        "[[..]]",
        "[[../../../../../../../../../..]]",
        "[[" + "x" * 400 + "]]",
        "[[a\0b]]",
        "%%",
        "%% open",
        "```",
        "> ```python title=\n> x",
        "> %%",
        "[[`x`]]",
        "![[Empty]]",
        "![[Empty#^x]]",
        "^id",
        "- ^id",
        "> ^id",
        "# ^id",
        "#",
        "![]()",
        "<div markdown>\n[[Empty]]\n</div>",
        "[[Empty|\u2028]]",
        "[x](http://[)",
    ],
)
def test_odd_input_does_no_harm(render: Write, text: str) -> None:
    for prefix in ("", "> ", "- ", "    "):
        html = render("\n".join(prefix + line for line in text.split("\n")), Empty="")
        assert "\2" not in html
        assert "\3" not in html


def test_code_is_not_the_name_of_a_note(render: Write) -> None:
    assert render("[[`x`]] ![[`x`|y]]") == "<p>[[<code>x</code>]] ![[<code>x</code>|y]]</p>"


def test_windows_lines(render: Write) -> None:
    text = "# Host\n\n![[Other]]\n\n%%\nc\n%%\n\nx ^b\n\n```python no-run\ny\n```\n"
    assert render(text.replace("\n", "\r\n"), Other=OTHER.replace("\n", "\r\n")) == render(
        text, Other=OTHER
    )


CAPTIONED = "![alt](a.svg)\n*Look at [[Other]], **here**.*"
DRAWING = '<svg class="vk-figure" xmlns="http://www.w3.org/2000/svg"><path/></svg>'


@pytest.mark.parametrize("behind", ["", " <!-- given: a reason -->"])
def test_an_emphasised_line_below_an_image_is_its_caption(render: Write, behind: str) -> None:
    html = render(CAPTIONED + behind, Other=OTHER, **{"a.svg": DRAWING})
    assert re.fullmatch(
        r'<figure class="vk-captioned"><span class="vk-figure-box"><svg[^>]*aria-label="alt".*'
        r'</svg></span><figcaption>Look at <a class="wikilink" href="Other.md">Other</a>, '
        r"<strong>here</strong>.</figcaption></figure>",
        html,
    )


def test_captions_stand_in_callouts_and_embeds(render: Write) -> None:
    text = "> [!note] N\n> ![alt](a.svg)\n> *In it.*\n\n![[Fig]]\n\n![[a.svg|300]]\n*Wide.*\n"
    html = render(text, Fig=CAPTIONED, Other=OTHER, **{"a.svg": DRAWING})
    assert re.findall("<figcaption>(.*?)</figcaption>", html) == [
        "In it.",
        'Look at <a class="wikilink" href="Other.md">Other</a>, <strong>here</strong>.',
        "Wide.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "![alt](a.svg) *behind*",
        "![alt](a.svg)\nword *below*",
        "![alt](a.svg)\n*below* word",
        "word ![alt](a.svg)\n*below*",
        "![alt](a.svg)\n\n*apart*",
        "![alt](a.svg)\n**bold**",
        "[[Other]]\n*below*",
    ],
)
def test_what_is_no_caption(render: Write, text: str) -> None:
    assert "figcaption" not in render(text, Other=OTHER, **{"a.svg": DRAWING})


def test_displays_have_addresses(render: Write) -> None:
    html = render(
        "# Equation 2\n\n$$\na\n$$\n\n$x$ $y$\n\n![[Other]]\n\n> [!note] N\n> $$\n> b\n> $$\n\n"
        "$$\nc\n$$\n\n^law\n\n- d\n\n    $$\n    e\n    $$\n\nSee [[#^law]].\n",
        Other="# Other\n\n$$\nq\n$$\n",
    )
    # That of a heading stays; an embedded one has its own on its own page.
    ids = ["equation-1", "equation-2_1", "^law", "equation-4"]
    assert re.findall(r'<div class="arithmatex" id="([^"]*)"', html) == ids
    assert re.findall(r'class="headerlink vk-math__link" href="#([^"]*)"', html) == ids
    assert '<h1 id="equation-2">' in html
    assert '<a class="wikilink" href="#^law">' in html


def test_there_is_an_end_to_embeds(render: Write) -> None:
    names = [f"N{number}" for number in range(12)]
    every = "\n\n".join(f"![[{name}]]" for name in names)
    html = render(every, **dict.fromkeys(names, every))
    assert html.count('<div class="transclusion">') == 100


# --- Properties, settings of Obsidian ------------------------------------------------------------


def test_the_properties_of_a_page(tmp_path: Path) -> None:
    text = (
        "---\ntags: [a]\naliases: [b]\nicon: trees\nauthor: '[[Other|her]] and [[Nobody]]'\n"
        "rating: 7\nread: true\nurl: 'see https://a.org/b'\nparts:\n  - one\n  - '[[Other]]'\n"
        "when: 2024-05-06\nempty:\nmap: {a: 1}\nbad: '<script>*x*'\n---\n# Host\n\nWords.\n"
    )
    (tmp_path / "Host.md").write_text(text)
    (tmp_path / "Other.md").write_text("# Other\n\n![[Host]]\n")
    vault = Vault(tmp_path)

    def page(name: str) -> str:
        body = (tmp_path / name).read_text().rpartition("---\n")[2]
        html = converter(vault, vault.root / name, backlinks=False).convert(body)
        return re.sub(r"\n", "", html)

    assert (
        '</h1><dl class="vk-properties" data-search-exclude="true"><dt>author</dt><dd>'
        '<a class="wikilink" href="Other.md">her</a> and <span class="wikilink broken" title="'
    ) in page("Host.md")
    assert (
        "<dt>rating</dt><dd>7</dd><dt>read</dt><dd>yes</dd><dt>url</dt>"
        '<dd>see <a href="https://a.org/b">https://a.org/b</a></dd><dt>parts</dt><dd>one</dd>'
        '<dd><a class="wikilink" href="Other.md">Other</a></dd><dt>when</dt><dd>2024-05-06</dd>'
        "<dt>bad</dt><dd>&lt;script&gt;*x*</dd></dl><p>Words.</p>"
    ) in page("Host.md")
    assert "<dl" not in page("Other.md")
    (tmp_path / "vaultkit.toml").write_text("properties = false\n")
    vault.refresh()
    assert "<dl" not in page("Host.md")


def test_ends_of_lines_are_as_obsidian_is_set(render: Write) -> None:
    text = "a\nb `c\nd`\n\n- e\n  f\n\n![alt](a.svg)\n*Words.*\n"
    assert "<br" not in render(text)
    html = render(text, **{".obsidian/app.json": "{}", "a.svg": ""})
    assert "<p>a<br />b <code>c d</code></p>" in re.sub("\n", "", html)
    assert "<li>e<br />f</li>" in re.sub("\n", "", html)
    assert "<figcaption>Words.</figcaption>" in html
    assert "<br" not in render(text, **{".obsidian/app.json": '{"strictLineBreaks": true}'})


def test_ends_of_lines_where_nobody_keeps_the_settings_of_obsidian(render: Write) -> None:
    text = "a\nb\n\n- e\n  f\n"
    assert render(text).count("<br") == 0
    assert render(text, Other="[[Host]]").count("<br") == 2
    wrapped = "\n".join([f"{'word ' * 14}[[Host]]"] * 6)
    assert render(text, Other=wrapped).count("<br") == 0


def test_templates_and_drawings_are_no_notes(tmp_path: Path) -> None:
    for name, text in {
        ".obsidian/templates.json": '{"folder": "Forms"}',
        "Forms/New.md": "---\ntitle: {{title}}\n---\n[[Nowhere]]\n",
        "Host.md": "# Host\n",
        "Sketch.md": "---\nexcalidraw-plugin: parsed\n---\n# Text Elements\nsecret\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    vault = Vault(tmp_path, public=True)
    assert [note.name for note in vault.notes.values()] == ["Host", "Sketch"]
    assert {path.name for path in vault.hidden} == {"New.md"}
    html = converter(vault, vault.root / "Sketch.md").convert("# Text Elements\nsecret\n")
    assert "A drawing of Excalidraw" in html
    assert "secret" not in html


def test_a_name_stands_above_a_page_whose_headings_come_late(render: Write) -> None:
    html = render("Words.\n\n## Early\n\n# Host\n")
    assert html.startswith('<h1 id="note-host">Host')
    assert re.findall('<h[1-6] id="([^"]*)"', html) == ["note-host", "early", "host"]
    assert render("Words.\n\n<h1>Raw</h1>\n").startswith('<h1 id="note-host">Host')
    assert render("Words.\n\n# Part\n\n# Part two\n").startswith('<h1 id="note-host">Host')
    assert "note-host" not in render("# Late\n") + render("## Late\n") + render("Words.\n")
    assert "note-host" not in render("To [[Host]].\n\n# *Host*\n")


def test_of_an_image_that_is_not_there_its_name_is_shown(render: Write) -> None:
    assert ">gone.png</span>" in render("![[gone.png|300]]")
    assert ">words</span>" in render("![[gone.png|words]]")


def test_a_base_that_is_not_published_is_still_told_of(tmp_path: Path) -> None:
    for name, text in {
        ".obsidian/templates.json": '{"folder": "Forms"}',
        "Forms/All.base": "views: secret",
        "Host.md": "# Host\n\n![[All.base#Part]]\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    vault = Vault(tmp_path, public=True)
    html = converter(vault, vault.root / "Host.md").convert("![[All.base#Part]]")
    assert html == '<p><span class="vk-computed">Base All: shown in Obsidian alone</span></p>'
