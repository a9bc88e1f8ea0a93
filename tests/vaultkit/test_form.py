"""What Obsidian, the site and a code host would show differently, and in which line it stands."""

from pathlib import Path

import pytest

from vaultkit.checks import form
from vaultkit.checks.check import FAILS, Check
from vaultkit.read.vault import Vault


def inspected(tmp_path: Path, **texts: str) -> list[list[Check]]:
    (tmp_path / "docs").mkdir()
    for name, text in texts.items():
        (tmp_path / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    vault = Vault(tmp_path / "docs")
    return [list(form.check(vault.notes[vault.root / f"{name}.md"], vault)) for name in texts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # All of this reads the same everywhere.
        ("word\n$$\na\n$$\nword\n- b\n  - c\n> [!note] T\n> $$x$$\n> 2) d\n", []),
        ("a $$x$$ b ^[c]\n<!-- c --> word [[A]]\n", []),
        ("word `$$` \\[^1] `[^1]` `^[a]` $[^a]$ $$[^a]$$\n", []),
        ("```sh\n[^1]\n```\n\n    [^1]\n\n$$\n[^1]\n$$\n\n%%[^1]%%", []),
        ("---\ntags: ['[^1]']\n---\n- a\n", []),
        ("word [^1], [^2] and [^3]\n\n[^2]: a\n", [
            (1, 6, "[^1]: there is no such footnote on this note"),
            (1, 21, "[^3]: there is no such footnote on this note"),
        ]),
        ("a \\\\[^1], \\[^2] and \\\\\\[^3]\n", [
            (1, 5, "[^1]: there is no such footnote on this note"),
        ]),
        ("> | a |\n> |---|\n> | b [^x] |\n", [
            (3, 7, "[^x]: there is no such footnote on this note"),
        ]),
        ("word [a][b c] and [d][]\n\n[b c]: A.md\n", []),
        ("word x[i][j], [1][2], \\[a][b], `[a][b]`, $[a][b]$\n", []),
        ("word [a b][nowhere]\n", [
            (1, 6, "[a b][nowhere]: the target of this link is not defined"),
        ]),
        ("$$\n\\begin{cases} a \\end{cases}\n$$\n\n`\\begin{a}`\n", []),
        ("word\n\\begin{align*}\na\n\\end{align*}\n", [
            (2, 1, "\\begin{align*}: this is outside mathematics; write $$ around it"),
        ]),
        ("word $Q = X W^\\top $ and $ \\alpha$, $ W_{a} $\n", [
            (1, column, f"{tex}: this is read as text; remove the spaces inside the dollars")
            for column, tex in ((6, "$Q = X W^\\top $"), (26, "$ \\alpha$"), (37, "$ W_{a} $"))
        ]),
        ("both $Z = W V $ and $ d_k = 2$\n", [
            (1, column, f"{tex}: this is read as text; remove the spaces inside the dollars")
            for column, tex in ((6, "$Z = W V $"), (21, "$ d_k = 2$"))
        ]),
        ('!!! note "A title"\n\n    Words.\n\n> ???+ tip\n\n- :::{seealso}\n', [
            (line, column, f"{words}: this is read as text; write > [!note]")
            for line, column, words in (
                (1, 1, '!!! note "A title"'), (5, 3, "???+ tip"), (7, 3, ":::{seealso}")
            )
        ]),
        ("So what!!! Why??? \\!!! note\n\n!!! note that\n\n`!!! note`\n\n::: \n", []),
        ("$A = 5 and $B = 6, $HOME=/a and $PATH, it costs $5 = 4 € and $6\n", []),
        ("$a^\\top$ or \\$\\alpha \\$, `$ \\alpha $`, $5 and $6, $HOME/a_b and $X\n", []),
        ("so \\(x_2 = 3\\) is\n\n\\[\nx = 3\n\\]\n", [
            (line, column, f"{tex}: this is read as text; write mathematics between dollars")
            for line, column, tex in ((1, 4, "\\(x_2 = 3\\)"), (3, 1, "\\[ x = 3 \\]"))
        ]),
        ("\\[1\\] Name, \\(a word\\), `\\(x = 3\\)`, $\\text{\\(x = 3\\)}$\n", []),
        ("```python\n1\n```\n![](a.svg)\n", [(4, 1, "![](a.svg) has no alt text")]),
        ("```python\n1\n```\n![ ](a.SVG)\n", [(4, 1, "![ ](a.SVG) has no alt text")]),
        ("```python\n1\n```\n![[a.svg]] [](b.md) ![](a.mp3) ![](A.md)\n", []),
        ("![](a.svg)\n", []),
        ("\n" r"![in \[0, 1)](a.svg)", []),
    ],
)  # fmt: skip
def test_form(tmp_path: Path, text: str, expected: list[tuple[int, int, str]]) -> None:
    (found,) = inspected(tmp_path, A=text)
    assert [(check.line, check.column, check.why) for check in found] == expected


def test_what_could_not_be_read_tells_its_place_and_begins_with_what_it_is(tmp_path: Path) -> None:
    (found,) = inspected(tmp_path, A="---\nx: [a\n---\nword\n\n```python skip\n1\n```\n")
    matter, word = found
    why = "front matter: expected ',' or ']', but got '<stream end>'"
    assert matter == Check("form", 2, why, FAILS, why, column=6)
    assert (word.line, word.what) == (6, word.why.split("\n")[0])
    assert "unknown word 'skip'" in word.what


def test_names_belong_to_one_note(tmp_path: Path) -> None:
    alias = "---\naliases: [{}]\n---\n"
    a, b, c, d = inspected(
        tmp_path, A=alias.format("b, Z"), B=alias.format("x"), C=alias.format("z"), D="# D"
    )
    assert [(check.line, check.why) for check in a] == [
        (1, "its alias 'b' also names B.md"),
        (1, "its alias 'Z' also names C.md"),
    ]
    assert [check.why for check in c] == ["its alias 'z' also names A.md"]
    assert b == d == []


def test_where_the_page_counts_nothing_is_said_of_code_that_does_not_run(tmp_path: Path) -> None:
    text = "# A\n\n```{code-cell}\n1\n```\n\n    >>> 1\n\n```python rasies=X\n1\n```\n\n```sh\n"
    (found,) = inspected(tmp_path, A=text)
    assert len(found) == 4
    vault = Vault(tmp_path / "docs")
    (note,) = vault.notes.values()
    (seen,) = form.check(note, vault, shown=True)
    assert (seen.line, seen.why) == (13, "this block of code is never closed")


def test_a_picture_in_the_text_is_no_long_paragraph(tmp_path: Path) -> None:
    picture = "![A cat](data:image/png;base64," + "iVBORw0KGgo/+A" * 4000 + ")"
    (checks, long) = inspected(tmp_path, A=f"{picture} is $x$.\n", B="word " * 11000 + "\n")
    assert not [check for check in checks if check.outcome == FAILS]
    assert [check.why for check in long] == ["a paragraph of more than 50,000 characters"]
