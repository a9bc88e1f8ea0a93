"""Pages that depend on other notes, settings or the host; the syntax is in ``cases/pages.txt``."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.vaultkit.agreement import converter
from vaultkit.read.vault import Vault

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


def test_links_from_a_folder_lead_out_of_it(render: Write) -> None:
    html = render("[[Other]] ![[pic.svg]]", "sub/Host.md", Other="", **{"img/pic.svg": "<svg/>"})
    assert 'href="../Other.md"' in html
    assert 'src="../img/pic.svg"' in html


def test_embedded_headings_are_none_for_the_table_of_contents(tmp_path: Path) -> None:
    (tmp_path / "Other.md").write_text(OTHER)
    vault = Vault(tmp_path)
    md = converter(vault, vault.root / "Host.md")
    html = md.convert("# Host\n\n## Part two\n\n![[Other]]\n\n## After\n")
    assert re.findall('id="(.*?)"', html) == ["host", "part-two", "after"]
    (top,) = md.toc_tokens  # type: ignore[attr-defined]
    assert [token["name"] for token in top["children"]] == ["Part two", "After"]
    assert '<p aria-level="3" class="transclusion-heading transclusion-h3" role="heading">' in html


def test_attributes_of_headings_are_read_where_the_site_lists_the_extension(render: Write) -> None:
    assert '<h2 class="b" id="a">H<' in render("## H {#a .b}", extensions=["attr_list"])


def test_doubling_embeds_end(render: Write) -> None:
    notes = {f"N{i}": f"{i}\n\n![[N{i + 1}]]\n\n![[N{i + 1}]]\n" for i in range(12)}
    assert render("![[N0]]", N12="", **notes).count('class="transclusion"') == 1 + 2 + 4 + 8 + 16


def test_tags_lead_to_their_page(render: Write) -> None:
    html = render("#Some/Tag [#no](x.md)", "sub/Host.md", options={"tags_page": "tags.md"})
    assert '<a class="md-tag" href="../tags.md#tag:some/tag">#Some/Tag</a>' in html
    assert html.count("md-tag") == 1


def test_lines_can_be_highlighted(render: Write) -> None:
    html = render('```python title="t" hl_lines="2" linenums="5" no-run\na\nb\n```')
    assert html.count('class="hll"') == 1
    assert ">5</span>" in html or ">5<" in html


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


def test_a_drawing_is_read_again(tmp_path: Path) -> None:
    for word in ("one", "two"):
        (tmp_path / "f.svg").write_text(f'<svg class="vk-figure">{word}</svg>')
        vault = Vault(tmp_path)
        assert word in converter(vault, vault.root / "Host.md").convert("![w](f.svg)")


def test_drawings_stay_images_where_the_site_asks_for_it(render: Write) -> None:
    drawing = {"f.svg": '<svg class="vk-figure"/>'}
    assert "<img" not in render("![w](f.svg)", **drawing)
    assert "<img" in render("![w](f.svg)", options={"inline_svg": False}, **drawing)


@pytest.mark.parametrize(
    ("unwritten", "text", "expected"),
    [
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


def test_windows_lines(render: Write) -> None:
    text = "# Host\n\n![[Other]]\n\n%%\nc\n%%\n\nx ^b\n\n```python no-run\ny\n```\n"
    assert render(text.replace("\n", "\r\n"), Other=OTHER.replace("\n", "\r\n")) == render(
        text, Other=OTHER
    )


def test_there_is_an_end_to_embeds(render: Write) -> None:
    names = [f"N{number}" for number in range(12)]
    every = "\n\n".join(f"![[{name}]]" for name in names)
    html = render(every, **dict.fromkeys(names, every))
    assert html.count('<div class="transclusion">') == 100


# --- Properties, settings of Obsidian ------------------------------------------------------------


def test_the_properties_of_a_page(tmp_path: Path) -> None:
    text = (
        "---\ntags: [a]\naliases: [b]\nkeywords: [c]\nicon: trees\n"
        "author: '[[Other|her]] and [[Nobody]]'\n"
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
    vault = Vault(tmp_path)
    assert "<dl" not in page("Host.md")


def test_ends_of_lines_are_as_obsidian_is_set(render: Write) -> None:
    text = "a\nb `c\nd`\n\n- e\n  f\n\n![alt](a.svg)\n*Words.*\n"
    assert "<br" not in render(text)
    html = render(text, **{".obsidian/app.json": "{}", "a.svg": ""})
    assert "<p>a<br />b <code>c d</code></p>" in re.sub("\n", "", html)
    assert "<li>e<br />f</li>" in re.sub("\n", "", html)
    assert "<figcaption>Words.</figcaption>" in html
    assert "<br" not in render(text, **{".obsidian/app.json": '{"strictLineBreaks": true}'})


@pytest.mark.parametrize("comment", ["", "<!-- = x -->", "<!-- = x[0] --> <!-- y -->"])
def test_a_comment_for_the_checks_is_no_part_of_a_caption(render: Write, comment: str) -> None:
    html = render(f"![alt](a.svg){comment}\n*Words.*{comment}\n", **{"a.svg": ""})
    assert "<figcaption>Words.</figcaption>" in html


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


def test_a_base_that_is_not_published_is_still_reported(tmp_path: Path) -> None:
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
