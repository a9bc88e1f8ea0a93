"""What the reader of a note finds, and on which line."""

from pathlib import Path

import pytest

from vaultkit.checks import misread
from vaultkit.claims.claims import claims_of
from vaultkit.read.comments import hide, shown
from vaultkit.read.markdown import parse, read
from vaultkit.read.note import Link, Note
from vaultkit.read.syntax import comparable

TEXT = """\
---
aliases: [Other name, 2]
tags: [one]
summary: A sentence.
---
# Title `code` [[B|bee]] <b>bold</b> %%no%%

Para one [[L]] and
[[M#H|m]] here. Next [words](N%20x.md#h) [out](https://x.org)! ^p

> [!tip] In *the* title $t$
> ```python title="a b.py" no-run
> x
>
> y
> ```
>
> ```text
> 1
> ```
> ![[Q]] #two ^q

- a
    - [[R]] ^r

      ```pycon
      >>> y
      ```

| a | b |
|---|---|
| [[T\\|tee]] | $x$ |

^tab

$$
z
$$

%%
[[c]]

```python
c
```
%%

## Title

![[E#S]]

`[[no]]` $[[no]]$ %%[[no]]
[[no]]%% #two #three

    [[no]] #no
"""


@pytest.fixture(scope="module")
def note() -> Note:
    return parse(TEXT, Path("folder/My note.md"))


def test_front_matter(note: Note) -> None:
    assert note.name == "My note"
    assert note.aliases == ("Other name", "2")
    assert note.summary == "A sentence."
    assert note.tags == ("one", "two", "three")
    assert note.problems == ()


def test_headings(note: Note) -> None:
    assert [(h.line, h.level, h.text, h.slug) for h in note.headings] == [
        (6, 1, "Title code bee bold", "title-code-bee-bold"),
        (48, 2, "Title", "title"),
    ]


def test_links(note: Note) -> None:
    assert [(link.line, str(link), link.embed, link.wiki, link.alone) for link in note.links] == [
        (6, "[[B|bee]]", False, True, False),
        (8, "[[L]]", False, True, False),
        (9, "[[M#H|m]]", False, True, False),
        (9, "[words](N x.md#h)", False, False, False),
        (21, "![[Q]]", True, True, False),
        (24, "[[R]]", False, True, False),
        (32, "[[T|tee]]", False, True, True),
        (50, "![[E#S]]", True, True, True),
    ]


def test_sentences(note: Note) -> None:
    sentences = {link.target: link.sentence for link in note.links}
    assert sentences["L"] == sentences["M"] == "Para one [[L]] and [[M#H|m]] here."
    assert sentences["N x.md"].startswith("Next [words]")
    assert sentences["N x.md"].endswith("!")
    assert sentences["R"] == "[[R]]"
    assert sentences["T"] == "[[T|tee]]"


def test_blocks(note: Note) -> None:
    tip, session = note.blocks
    assert (tip.kind, tip.section) == ("python", "In the title t")
    assert (tip.fence.line, tip.fence.end, tip.fence.prefix) == (12, 16, "> ")
    assert tip.fence.text == "x\n\ny"
    assert tip.fence.options == {"title": "a b.py", "no-run": None}
    assert tip.output is not None
    assert (tip.output.line, tip.output.text) == (18, "1")
    assert (session.kind, session.fence.line, session.fence.prefix) == ("pycon", 26, " " * 6)
    assert session.section == "Title code bee bold"


def test_formulas(note: Note) -> None:
    assert [(f.line, f.tex, f.display) for f in note.formulas] == [
        (11, "t", False),
        (32, "x", False),
        (36, "z", True),
        (52, "[[no]]", False),
    ]


def test_block_ids_and_comments(note: Note) -> None:
    assert note.block_ids == {"p": (8, 9), "q": (21, 21), "r": (24, 28), "tab": (30, 32)}
    assert note.comments == ((40, 46),)


@pytest.mark.parametrize(
    "item",
    [
        "- a",
        "  - a",
        "- a\nb",
        "- a\n\n  b\nc",
        "- a\n#tag b",
        "-\n  a",
        "b[^1]\n\n[^1]: a",
    ],
)
def test_a_comment_in_an_item_of_a_list_is_hidden(item: str) -> None:
    text = f"{item}\n\n    x %%secret\n\n    secret%% d\n"
    assert "secret" not in shown(hide(text).text)


@pytest.mark.parametrize(
    "above",
    [
        *("a", "- a\n\nb", "- a\n\n## H", "- a\n\nb\n  c", "- a\n#"),
        *("   1. a", "> a"),
        *("* * *", "- a\n---", "- a\n- - -", "- a\n> b", "- a\n```\nb\n```"),
    ],
)
def test_indented_code_has_no_comments(above: str) -> None:
    text = f"{above}\n\n    x %%code%%\n"
    assert "code" in shown(hide(text).text)


@pytest.mark.parametrize("between", ["", "\n", "\n\n"])
def test_an_output_follows_its_block(between: str) -> None:
    (block,) = parse(f"```python\n1\n```\n{between}```text\n1\n```\n").blocks
    assert block.output is not None


@pytest.mark.parametrize("between", ["words\n", "## H\n", "```yaml\n```\n", "$$\nx\n$$\n"])
def test_what_is_between_parts_them(between: str) -> None:
    (block,) = parse(f"```python\n1\n```\n\n{between}\n```text\n1\n```\n").blocks
    assert block.output is None


def test_a_comment_parts_nothing_that_is_together_on_the_page() -> None:
    (block,) = parse("```python\n1\n```\n\n%%\nx\n%%\n\n```text\n1\n```\n").blocks
    assert block.output is not None


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a %%b%%\nc", "a\nc"),
        ("a %%\nb\n\n%% c `%%d%%` %%e%%", "a\n \n\n c `%%d%%`"),
        ("%%\nb\n%%\nc", "  \n \n  \nc"),
        ("100%% sure", "100%% sure"),
        ("> %%b\n> b%% c", ">    \n>  c"),
        ("- a\n\n  %%b%%\n\nc\n\n    %%d%%", "- a\n\n       \n\nc\n\n    %%d%%"),
        ("- a\n\n      %%b%%\n", "- a\n\n      %%b%%"),
        ("# H\n    %%b%%\n \n    %%c%%", "# H\n    %%b%%\n \n    %%c%%"),
        ("$$\n%%\n$$\n%%b%% c", "$$\n%%\n$$\n c"),
        ("$%%a%%$ $5 %%b%% $6", "$%%a%%$ $5  $6"),
        ("a\n%%\nb `", "a\n  \n   "),
    ],
)
def test_comments_are_found_wherever_they_begin(text: str, seen: str) -> None:
    assert "\n".join(parse(text).shown) == seen
    assert len(hide(text).text) == len(text)


def test_a_comment_without_end_is_a_problem() -> None:
    (problem,) = parse("a\n\n%%\nb\n").problems
    assert (problem.line, "never closed" in problem.message) == (3, True)


@pytest.mark.parametrize(
    ("info", "message"),
    [
        ("python skip", "unknown word 'skip' after ```python"),
        ('python title="a', "a quotation mark is not closed"),
        ("{.python}", "does not run; write ```python"),
        ("python{1}", "does not run; write ```python"),
        ("Python,x", "does not run; write ```python"),
    ],
)
def test_a_fence_that_is_misread_is_a_problem(info: str, message: str) -> None:
    (problem,) = misread.problems(parse(f"text\n\n```{info}\n1\n```\n"))
    assert problem.line == 3
    assert message in problem.message


@pytest.mark.parametrize(
    "text",
    [
        "<script>\nlet a = '<!--';\n</script>\n\n<pre><?php</pre>\n",
        "<!-- XML begins with <?xml -->\n",
        "<div title='<!--'>x</div>\n",
        "<div><!--> x</div>\n",
    ],
)
def test_html_whose_marks_are_closed_is_no_problem(text: str) -> None:
    assert not parse(text).problems


@pytest.mark.parametrize(
    "html", ["<!-->", "<!--->", "<i title='<!--'>", "<!-- <? -->", "<? <!-- ?>"]
)
def test_a_link_behind_a_comment_of_html_is_read(html: str) -> None:
    assert [link.target for link in parse(f"<div>{html} [[A]]</div>\n").links] == ["A"]


@pytest.mark.parametrize(
    "text",
    [
        "> ```python\n> 1\n",
        "```python\n> ```",
        "```python\nx = 1\n    ```",
        "```python\n",
        "```python\n1",
    ],
)
def test_a_fence_that_the_parser_does_not_close_is_a_problem(text: str) -> None:
    note = parse(text)
    (problem,) = note.problems
    assert "never closed" in problem.message
    assert not note.fences[0].closed


def test_other_problems() -> None:
    (problem,) = parse("---\na: b\nc: [\n---\n").problems
    assert problem.message.startswith("front matter")
    (problem,) = parse("---\n- a\n---\n").problems
    assert problem.message.startswith("front matter")


def test_headings_of_the_same_words_have_addresses_of_their_own() -> None:
    note = parse("# Code\n\n# Code\n\n# Code_1\n\n#\n\n# Code\n")
    assert [h.slug for h in note.headings] == ["code", "code_1", "code_2", "_1", "code_3"]
    assert parse("## a %%b%% c <!-- d --> `e`").headings[0].slug == "a-c-e"


def test_a_heading_is_found_by_its_words() -> None:
    note = parse("# A\n\n## X\n\n### Y: z\n\n# B\n\n## X\n\ntext\n\n## W\n")
    lines = {words: h.line for words in ("x", "B#X", "A#y Z", "w") if (h := note.heading(words))}
    assert lines == {"x": 3, "B#X": 9, "A#y Z": 5, "w": 13}
    assert note.heading("B#Y z") is None
    found = note.heading("B#X")
    assert found is not None
    assert note.section_lines(found) == (9, 12)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("a ^x\nb ^y", {"y": (1, 2)}),
        ("a ^x\nb", {}),
        ("# H ^h", {"h": (1, 1)}),
        ("- a\n- b\n\n^l", {"l": (1, 3)}),
        ("```\nx ^n\n```\n\n^c", {"c": (1, 3)}),
        ("> q\n> r\n\n^q", {"q": (1, 2)}),
        ("`a ^b` $c ^d$", {}),
        ("^alone", {"alone": (1, 1)}),
    ],
)
def test_block_ids(text: str, ids: dict[str, tuple[int, int]]) -> None:
    assert parse(text).block_ids == ids


@pytest.mark.parametrize(
    "text", ["[[]]", "[[ ]]", "[[#]]", "![[|]]", "[[|w]]", "\\[[a]]", "[[a", "[[a\nb]]"]
)
def test_no_link(text: str) -> None:
    assert parse(text).links == ()


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("[[A]]", "A"),
        ("[[A#B]]", "A > B"),
        ("[[#B#C]]", "B > C"),
        ("[[A#^b]]", "A > ^b"),
        ("[[A|w]]", "w"),
    ],
)
def test_the_words_of_a_link(link: str, shown: str) -> None:
    (found,) = parse(link).links
    assert found.shown == shown
    assert str(found) == link


def test_ends_of_lines_and_marks_of_windows(tmp_path: Path) -> None:
    path = tmp_path / "Straße.md"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    found, plain = read(path), parse(TEXT)
    for what in ("headings", "blocks", "formulas", "links", "block_ids", "comments", "lines"):
        assert getattr(found, what) == getattr(plain, what)


@pytest.mark.parametrize(
    "text", ["", "\n", "---", "---\n---", "%%", "```", "> ", "^", "#", "$$", "[[", "|-|"]
)
def test_odd_notes(text: str) -> None:
    assert isinstance(parse(text), Note)


def test_words_are_compared_as_obsidian_does() -> None:
    assert comparable("  A:  b|C#d ") == comparable("a b c d")
    assert comparable("STRASSE") == comparable("Straße")
    assert comparable("e\u0301") == comparable("é")
    assert Link(1, "A", "b", "", False, True) != Link(1, "A", "c", "", False, True)


def test_columns() -> None:
    note = parse(
        '---\nsee: "[[F]] [[F]]"\n---\n## [[H]] $h$\n\n'
        "é \\* [[B|b]] 1.5 [[B|the $x$]] \\* 2.5 `x` [[B|b]]\n\n"
        "| [[T\\|t]] | [[T\\|t $z$]] |\n|-|-|\n| [[T]] | |\n\n"
        "> - x [[Q]]\n>   [[Q]] [w](x.md) <a href='R.md'>r</a>\n>\n>   $$\n>   q\n>   $$\n"
    )
    assert [(link.target, link.line, link.column) for link in note.links] == [
        ("F", 2, 7),
        ("F", 2, 13),
        ("H", 4, 4),
        ("B", 6, 6),
        ("B", 6, 18),
        ("B", 6, 43),
        ("T", 8, 3),
        ("T", 8, 14),
        ("T", 10, 3),
        ("Q", 12, 7),
        ("Q", 13, 5),
        ("x.md", 13, 11),
        ("R.md", 13, 24),
    ]
    assert [(f.tex, f.line, f.column) for f in note.formulas] == [
        ("h", 4, 10),
        ("x", 6, 26),
        ("z", 8, 21),
        ("q", 15, 5),
    ]
    assert [(q.text, q.line, q.column) for q in claims_of(note).quantities] == [
        ("1.5", 6, 14),
        ("2.5", 6, 35),
    ]
    assert [(h.line, h.column) for h in note.headings] == [(4, 4)]


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("<div>\n\n[[A]]\n\n</div>", [("A", 3)]),
        ("<div>\n[[A]] [b](B.md)\n</div>", [("A", 2), ("B.md", 2)]),
        ("<details><summary>[[A]]</summary>\n<a title='x'\nhref=\"B.md#c\">b</a></details>",
         [("B.md", 3), ("A", 1)]),
        ('word <a href="A.md">a</a> <img src=a.svg alt="words">', [("A.md", 1), ("a.svg", 1)]),
        ('word <img src="a.svg" srcset="b.svg 2x, c.svg 300w,d.svg" alt="words">',
         [("a.svg", 1), ("b.svg", 1), ("c.svg", 1), ("d.svg", 1)]),
        ('<video poster="a.svg"></video>', [("a.svg", 1)]),
        ('<a href="https://x.org">x</a> <a name="href">y</a>', []),
        ('<!-- <a href="A.md"> [[B]] -->', []),
        ('```mermaid\ngraph LR\n  a --> b\n  click a "A.md#b"\n  click b href "B.md" "b"\n  '
         'click c call("C.md")\n```', [("A.md", 4), ("B.md", 5)]),
        ("<pre>\n[[A]]\n</pre>\n\n<code>[[A]]</code>", [("A", 5)]),
        ("---\nup: '[[A]]'\nsee:\n  - \"[[B#c|d]]\"\n  - word\n# [[no]]\nn: [[1]]\n---\n",
         [("A", 2), ("B", 4)]),
    ],
)  # fmt: skip
def test_links_in_html_and_front_matter(text: str, links: list[tuple[str, int]]) -> None:
    assert [(link.target, link.line) for link in parse(text).links] == links


def test_a_picture_in_html_is_shown_where_it_stands() -> None:
    text = (
        'a <img src="a.svg" srcset="b.svg 2x" alt="words"> <a href="c.md">c</a>'
        ' <object data="d.svg"></object> <p data="e"> <video poster="f.svg"></video>'
    )
    assert [(link.target, link.embed, link.words) for link in parse(text).links] == [
        ("a.svg", True, "words"),
        ("b.svg", True, "words"),
        ("c.md", False, ""),
        ("d.svg", False, ""),
        ("f.svg", False, ""),
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a\r\nb\0\n\0", 2, "a NUL character: this is not text, or it is UTF-16; save it as UTF-8"),
        ("a\n\nb\ud800", 3, "half a character, which cannot be stored in a file"),
    ],
)
def test_characters_that_no_text_holds(text: str, line: int, message: str) -> None:
    (problem,) = parse(text).problems
    assert (problem.line, problem.message) == (line, message)


def test_a_comment_of_html_that_does_not_end_hides_none_behind_it() -> None:
    hidden = hide("It is <!-- open, %%gone%% or not, <!-- and %%gone%% so.")
    assert shown(hidden.text) == "It is <!-- open,  or not, <!-- and  so."
    assert hidden.unclosed == 0
    # One that ends hides it from being one.
    assert shown(hide("<!-- %%kept --> %%gone%%.").text) == "<!-- %%kept --> ."
    assert shown(hide("<!--> %%gone%%. -->").text) == "<!--> . -->"


def test_text_behind_a_link_is_text_again() -> None:
    text = "See [one](https://a.org/1) and [[A|two]], and \\(x = 1\\).\n"
    (problem,) = misread.problems(parse(f"# A\n\n{text}"))
    assert problem.message == (
        "\\(x = 1\\): this is read as text; write mathematics between dollars"
    )
    assert (problem.line, problem.column) == (3, text.index("\\(") + 1)
    # The words of a link are its own.
    assert not list(misread.problems(parse("# A\n\nSee [one \\(x = 1\\)](https://a.org/1).\n")))


def test_what_is_written_on_two_lines_is_reported_in_one() -> None:
    (problem,) = misread.problems(parse("# A\n\nIt is \\(x =\n  1\\).\n"))
    assert problem.message.startswith("\\(x = 1\\): this is read")


def test_a_number_in_a_comment_of_code_has_its_place() -> None:
    for prefix, line in (("", "x = 1  # of 25 birds"), ("> ", "x = 1  # of 25 birds")):
        text = f"# A\n\n{prefix}```python\n{prefix}{line}\n{prefix}```\n"
        (number,) = claims_of(parse(text)).quantities
        assert (number.line, number.column) == (4, len(prefix) + line.index("25") + 1)


@pytest.mark.parametrize(
    ("opening", "indent"), [("  ```", ""), ("> ```", ">"), ("-\t```", "\t"), ("> ```", "> ")]
)
def test_a_line_of_a_fence_may_be_indented_less_than_its_mark(opening: str, indent: str) -> None:
    line = "x = 1  # of 25 birds"
    code = parse(f"# A\n\n{opening}python\n{indent}{line}\n{indent}```\n")
    (number,) = claims_of(code).quantities
    assert (number.line, number.column) == (4, len(indent) + line.index("25") + 1)
    (line, link) = ("a[25 birds]", 'click a "B.md"')
    diagram = parse(f"# A\n\n{opening}mermaid\n{indent}{line}\n{indent}{link}\n{indent}```\n")
    (number,) = claims_of(diagram).quantities
    assert (number.line, number.column) == (4, len(indent) + line.index("25") + 1)
    assert [found.column for found in diagram.links] == [len(indent) + link.index("B") + 1]
