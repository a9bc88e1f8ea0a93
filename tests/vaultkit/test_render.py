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
from vaultkit.render.inline import tokens_between


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
    written = Highlighter(md, []).to_html(
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


def test_code_is_highlighted_without_the_extension_of_pymdownx() -> None:
    block, highlighter = CodeBlock("python", attributes={"id": "one"}), Highlighter(Markdown(), [])
    first = highlighter.to_html("x = 1", block)
    assert first.startswith('<div id="one"')
    assert highlighter.to_html("x = 1", block) == first


def test_code_in_a_directive_is_coloured(render: Any) -> None:
    html = render("````{note}\n```python\nimport os\n```\n````\n")
    assert '<span class="kn">import</span>' in html


def test_arrays_are_marked_in_code_within_text(render: Any, tmp_path: Path) -> None:
    (tmp_path / "vaultkit.toml").write_text('coloured = ["Q", "W_Q"]', encoding="utf-8")
    code = '<code>x @ <span class="vk-of-W_Q">W_Q</span></code>'
    assert f"by {code}, not <code>block.Q</code>" in render("by `x @ W_Q`, not `block.Q`")


# --- Lines --------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", ["", ' title="own.py"'])
def test_long_code_is_folded_also_below_a_title(render: Any, title: str) -> None:
    def fence(lines: int) -> str:
        return f"```python{title}\n" + "x = 1\n" * lines + "```\n"

    assert "All 25 lines of code" in render(fence(25))
    assert "vk-unfold" not in render(fence(24))


@pytest.mark.parametrize("blank", ["", "\n"])
def test_folded_code_begins_with_a_line_that_says_something(render: Any, blank: str) -> None:
    imports = f"{blank}import numpy as np\nfrom math import (\n    e,\n)\n\n# What follows.\n"
    html = render(
        f"```python\n{imports}np.set_printoptions(precision=2)\n" + "x = e\n" * 24 + "```\n"
    )
    [before] = re.findall(r'<code><span class="vk-prepares">(.*?)\n</span>', html, re.DOTALL)
    assert re.sub("<[^>]*>", "", before).startswith("import numpy as np\n")
    assert re.sub("<[^>]*>", "", before).endswith("set_printoptions(precision=2)")
    assert "vk-prepares" not in render("```python\n" + "x = 1\nimport numpy\n" * 24 + "```\n")


def test_a_mark_is_no_text_of_the_note() -> None:
    kinds = [token.type for token in tokenize_line("==a==")]
    assert kinds == ["mark_open", "text", "mark_close"]


def test_what_is_cut_out_of_a_paragraph_keeps_its_places() -> None:
    tokens = tokenize_line("one *two* three &amp; four")
    cut = tokens_between(tokens, 2, 14)
    assert [(token.content, token.meta["at"]) for token in cut] == [
        ("e ", 2), ("", 4), ("two", 5), ("", 8), (" thre", 9),
    ]  # fmt: skip
    assert [token.content for token in tokens_between(tokens, 16)] == ["&", " four"]


def test_signs_of_the_host_are_no_text(render: Any) -> None:
    html = render("a\x02b\x03 `c\x02` &amp;lt; <b\x02>x</b>\n\n```text\n\x02\n```\n\n<i>\x03</i>\n")
    assert not re.search("[\x02\x03]", html)
    assert "<p>ab <code>c</code> &amp;lt; <b>x</b></p>" in html


# --- Footnotes ----------------------------------------------------------------------------------


# --- Names of parts -----------------------------------------------------------------------------


def test_what_is_parsed_keeps_footnotes_where_they_stand() -> None:
    parsed = tokenize("a[^1]\n\n[^1]: b\n\nc")
    assert [token.content for token in parsed.tokens if token.type == "inline"] == [
        "a[^1]",
        "b",
        "c",
    ]
    moved = parsed.with_footnotes_last()
    assert [token.content for token in moved if token.type == "inline"] == ["a[^1]", "c", "b"]
