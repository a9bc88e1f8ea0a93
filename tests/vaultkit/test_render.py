"""What the renderer makes of tokens, where it is not Obsidian's syntax that is asked about."""

import re
from pathlib import Path
from typing import Any

import pytest
from markdown import Markdown
from pymdownx.highlight import Highlight

from tests.vaultkit.agreement import converter
from vaultkit.read.tokenizer import tokenize, tokenize_line
from vaultkit.read.vault import Vault
from vaultkit.render import code
from vaultkit.render.code import CodeBlock, Highlighter
from vaultkit.render.inline import part


@pytest.fixture
def render(tmp_path: Path) -> Any:
    def call(text: str, *extensions: str, name: str = "Host.md", **options: Any) -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        vault = Vault(tmp_path)
        settings = {"backlinks": False, **options}
        return converter(vault, vault.root / name, extensions, **settings).convert(text)

    return call


# --- Code ---------------------------------------------------------------------------------------

SOURCES = {
    "python": "x = '<a>' # &amp;\n\ndef f(): ...",
    "": "a < b",
    "text": "\n\n  1\n",
    "nowhere": "x",
    "pycon": ">>> 1\n1",
}


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize(
    "options", [{}, {"title": 'a "b"'}, {"hl_lines": "1"}, {"linenums": "3"}], ids=str
)
@pytest.mark.parametrize("settings", [{}, {"pygments_lang_class": True}, {"line_spans": "l"}])
def test_code_is_coloured_as_pymdownx_does(
    language: str, options: dict[str, str], settings: dict[str, Any]
) -> None:
    md = Markdown(
        extensions=["pymdownx.highlight"], extension_configs={"pymdownx.highlight": settings}
    )
    attributes = {"data-check": "block-0"}
    written = Highlighter(md, []).write(
        SOURCES[language], CodeBlock(language, ["output"], options, {**attributes})
    )
    expected = Highlight(md, **settings).highlight(
        SOURCES[language],
        language,
        hl_lines=[1] if "hl_lines" in options else [],
        linestart=int(options.get("linenums", -1)),
        classes=["output"],
        attrs=attributes,
        title=options.get("title"),
        code_block_count=0,
    )
    assert written == expected


def test_all_blocks_of_code_share_a_formatter(render: Any) -> None:
    code._formatter.cache_clear()
    html = render("```python\n1\n```\n\n" * 5 + "```text\n1\n```\n\n    indented\n")
    assert html.count("<pre>") == 7
    assert code._formatter.cache_info().misses == 1


def test_code_in_a_directive_is_coloured(render: Any) -> None:
    html = render("````{note}\n```python\nimport os\n```\n````\n")
    assert '<span class="kn">import</span>' in html


# --- Lines --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("これは**（太字）**です。", "これは<strong>（太字）</strong>です。"),
        ("**「[[A|設定]]」**を開く", "<strong>「設定」</strong>を開く"),
        ("左上の**+**ボタン", "左上の<strong>+</strong>ボタン"),
        ("==「印」==こと", "<mark>「印」</mark>こと"),
        # A name may hold such marks.
        ("変数_x_値", "変数_x_値"),
        ("a**(b)**c", "a**(b)**c"),
    ],
)
def test_emphasis_needs_no_blanks_where_words_have_none(
    render: Any, text: str, expected: str
) -> None:
    html = re.sub("</?(?:span|a)[^>]*>", "", render(text))
    assert html == f"<p>{expected}</p>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("==a *b*== c", "<mark>a <em>b</em></mark> c"),
        ("x==y and z==w", "x==y and z==w"),
        ("`a` == 7 == `b`", "<code>a</code> == 7 == <code>b</code>"),
        ("===a===", "===a==="),
        (r"\==a==", "==a=="),
        ("[==a==](https://x.org)", '<a href="https://x.org"><mark>a</mark></a>'),
    ],
)
def test_marks(render: Any, text: str, expected: str) -> None:
    assert render(text) == f"<p>{expected}</p>"


def test_a_mark_is_no_text_of_the_note() -> None:
    kinds = [token.type for token in tokenize_line("==a==")]
    assert kinds == ["mark_open", "text", "mark_close"]


def test_what_is_cut_out_of_a_paragraph_keeps_its_places() -> None:
    tokens = tokenize_line("one *two* three &amp; four")
    cut = part(tokens, 2, 14)
    assert [(token.content, token.meta["at"]) for token in cut] == [
        ("e ", 2), ("", 4), ("two", 5), ("", 8), (" thre", 9),
    ]  # fmt: skip
    assert [token.content for token in part(tokens, 16)] == ["&", " four"]


def test_a_callout_may_cut_emphasis_in_two(render: Any) -> None:
    html = render("> [!note] *a\n> b* c\n")
    assert html.count("<em>") == html.count("</em>") == 1
    assert re.sub("<[^>]*>", "", html).split() == ["a", "b", "c"]


def test_signs_of_the_host_are_no_text(render: Any) -> None:
    html = render("a\x02b\x03 `c\x02` &amp;lt; <b\x02>x</b>\n\n```text\n\x02\n```\n\n<i>\x03</i>\n")
    assert not re.search("[\x02\x03]", html)
    assert "<p>ab <code>c</code> &amp;lt; <b>x</b></p>" in html


# --- Footnotes ----------------------------------------------------------------------------------


def test_footnotes_are_numbered_as_they_are_marked(render: Any) -> None:
    html = render(
        "a[^x] b^[in *it*[^y]] c[^x] [[Host|d^[in a link]]]\n\n[^y]: Y\n[^x]: X\n[^z]: Z\n"
    )
    assert re.findall('<li id="(.*?)">', html) == ["fn:x", "fn:inline-2", "fn:inline-4", "fn:y"]
    assert re.findall('<sup id="(.*?)"', html)[:3] == ["fnref:x", "fnref:inline-2", "fnref2:x"]
    assert re.findall('backref" href="#(.*?)"', html)[:2] == ["fnref:x", "fnref2:x"]
    ids = re.findall(' id="(.*?)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall('href="#(.*?)"', html)) <= set(ids)
    # What nothing marks is not shown, as in Obsidian.
    assert ">Z" not in html


def test_a_part_of_a_note_has_what_the_note_defines(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text(
        "# A\n\n## B\n\n[x][y][^1]\n\n## C\n\n[y]: https://x.org\n[^1]: F\n"
    )
    (tmp_path / "Host.md").write_text("![[A#B]]\n")
    vault = Vault(tmp_path)
    html = converter(vault, vault.root / "Host.md").convert("![[A#B]]\n")
    assert '<a href="https://x.org">x</a><sup id="fnref:e1-1">' in html
    assert '<li id="fn:e1-1">' in html


# --- Names of parts -----------------------------------------------------------------------------


def test_parts_are_named_where_they_stand(render: Any) -> None:
    html = render(
        "---\nup: '[[Host]]'\n---\n# 12 items\n\n> [!tip]- T [[Host]] of 13\n"
        "> ` M x 14` and $x$\n>\n> $$y$$\n\n"
        "| [[Host]] | b |\n|---|---|\n| 15 | $x$ |\n\n![16 dots](p.png)\n",
        places=True,
    )
    assert re.findall(r'wikilink" data-check="(.*?)"', html) == ["link-1", "link-2"]
    assert re.findall(r'arithmatex" data-check="(.*?)"', html) == [
        "formula-0", "formula-1", "formula-2",
    ]  # fmt: skip
    spots = re.findall(r'<span data-check="(?:number|shape)-\d">(\d+|M x [^/]*)</span>', html)
    assert spots == ["13", 'M x <span data-check="number-2">14', "15"]
    assert '<h1 id="12-items">12 items<' in html


def test_a_shape_that_code_begins_with_is_named(render: Any) -> None:
    html = render("Of `M x N` and `(2, 3)`.\n", places=True)
    assert re.findall("<code><span data-check=.(shape-.).>(.*?)</span></code>", html) == [
        ("shape-0", "M x N"), ("shape-1", "(2, 3)"),
    ]  # fmt: skip


def test_a_shape_in_a_comment_of_code_is_named(render: Any) -> None:
    html = render("```python\nx = 1  # one query: (B, 1, d_v)\n```\n", places=True)
    assert '# one query: <span data-check="shape-0">(B, 1, d_v)</span></span>' in html


def test_what_is_parsed_keeps_footnotes_where_they_stand() -> None:
    parsed = tokenize("a[^1]\n\n[^1]: b\n\nc")
    assert [token.content for token in parsed.tokens if token.type == "inline"] == [
        "a[^1]",
        "b",
        "c",
    ]
    moved = parsed.with_footnotes_last()
    assert [token.content for token in moved if token.type == "inline"] == ["a[^1]", "c", "b"]
