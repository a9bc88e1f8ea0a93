"""What Obsidian, the site and a code host would show differently, and in which line it stands."""

from pathlib import Path

import pytest

from vaultkit.checks import form
from vaultkit.checks.check import FAILS, Check
from vaultkit.read.vault import Vault

BEFORE = "leave a blank line before $$: else it is not a display"
AFTER = "leave a blank line after $$: else it is not a display"
MIDST = "$$ in mid-sentence: write $…$, or put it on lines of its own"
NESTED = "indent a nested list by 4 spaces: the site needs them"
LIST = "leave a blank line before a list"
CALLOUT = "leave a blank line before a callout"
COMMENT = "no check reads the text behind a comment that begins its line"
INLINE = "inline footnotes show as garbage on the site"


def inspected(tmp_path: Path, **texts: str) -> list[list[Check]]:
    (tmp_path / "docs").mkdir()
    for name, text in texts.items():
        (tmp_path / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    vault = Vault(tmp_path / "docs")
    return [list(form.check(vault.notes[vault.root / f"{name}.md"], vault)) for name in texts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word\n$$\na\n$$\n", [(2, BEFORE)]),
        ("> [!note] T\n> word\n> $$\n> x\n> $$\n", [(3, BEFORE)]),
        ("> > word\n> > $$\n> > x\n> > $$\n", [(2, BEFORE)]),
        ("word\n$$x$$\n", [(2, BEFORE)]),
        ("> word\n> $$x$$\n", [(2, BEFORE)]),
        ("$$x$$\n$$y$$\n", [(2, BEFORE)]),
        ("$$x$$\nword\n", [(2, AFTER)]),
        ("$$x$$\n> [!note] T\n", [(2, AFTER), (2, CALLOUT)]),
        ("$$x$$\n \n$$y$$\n", []),
        ("a $$x$$ b\n", [(1, MIDST)]),
        ("a `b` $$x$$\n", [(1, MIDST)]),
        ("word `$$` \\[^1] `[^1]` `^[a]`\n", []),
        # What stands between the two marks is no Markdown, what comes behind them is.
        ("$$\n- a\n  - b\na $$ b\n$$\n", []),
        ("$$\na\n$$\nword\n- b\n", [(5, LIST)]),
        ("- a\n - b\n", [(2, NESTED)]),
        ("- a\n  - b\n", [(2, NESTED)]),
        ("- a\n   - b\n", [(2, NESTED)]),
        ("- a\n    - b\n- c\n", []),
        ("  - a\n- b\n", []),
        ("1) a\n  1) b\n", [(2, NESTED)]),
        ("10. a\n  * b\n", [(2, NESTED)]),
        (">> a\n>> - b\n", [(2, LIST)]),
        ("word\n- a\n", [(2, LIST)]),
        ("word\n+ a\n", [(2, LIST)]),
        ("word\n1. a\n", [(2, LIST)]),
        ("word\n22) a\n", [(2, LIST)]),
        ("word\n-a\n", []),
        ("word\n    word\n- a\n", []),
        ("```sh\na\n```\n- b\n", []),
        ("word\n\n```sh\na\n```\n$$\nx\n$$\n", []),
        # Front matter is no text; a line of dashes further down does not begin one.
        ("---\ntags: []\n---\n- a\n---\n- b\n", [(6, LIST)]),
        ("---\na: b\nsummary:\n- c\n---\n$$x$$\n", []),
        ("word\n\n---\n\n- a\n  - b\n---\n- c\n  - d\n", [(6, NESTED), (8, LIST), (9, NESTED)]),
        ("%%\nword\n- a\n%%\n- b\n", []),
        # Behind the ? of a flashcard its answer begins.
        ("Q\n?\n$$\nx\n$$\n", []),
        ("Q\n?\n1. x\n", []),
        ("Q\n?\n$$x$$\n", []),
        ("<!-- c --> word [[B]]\n", [(1, COMMENT)]),
        ("> - <!-- c --> word\n", [(1, COMMENT)]),
        ("1. <!-- c --> word\n", [(1, COMMENT)]),
        ("<!-- c --> <!-- d --> e\n", [(1, COMMENT)]),
        ("<!-- c -->\nword\n\n<!-- c --> <!-- d\n-->\n", []),
        ("a <!-- c --> d\n\n<!-- c", []),
        ("word [^1], [^2] and [^3]\n\n[^2]: a\n", [
            (1, "[^1]: there is no such footnote on this note"),
            (1, "[^3]: there is no such footnote on this note"),
        ]),
        ("a ^[b c] and ^[d](e) \\^[f] ^[g]\n", [(1, f"^[b c]: {INLINE}"), (1, f"^[g]: {INLINE}")]),
        ("word\n> [!note] T\n> words\n", [(2, CALLOUT)]),
        ("\nword\n  > [!note] T\n", [(3, CALLOUT)]),
        ("> word\n> [!note] T\n", []),
        ("word\n\n> [!note] T\n", []),
        ("word\n> a quotation\n", []),
        ("word\n[!note] T\n", []),
        ("\n![](a.svg)\n", [(2, "![](a.svg) has no alt text")]),
        ("![ ](a.svg)\n", [(1, "![ ](a.svg) has no alt text")]),
        ("![[a.svg]] [](b.md)\n", []),
        ("\n" r"![in \[0, 1)](a.svg)", [
            (2, r"![in \[0, 1)](a.svg): a bracket in the words breaks it on the site"),
        ]),
    ],
)  # fmt: skip
def test_form(tmp_path: Path, text: str, expected: list[tuple[int, str]]) -> None:
    (found,) = inspected(tmp_path, A=text)
    assert found == [Check("form", line, why, FAILS, why) for line, why in expected]


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


def test_addresses_belong_to_one_note(tmp_path: Path) -> None:
    a, b, c = inspected(tmp_path, **{"Two Words": "# A", "two-words": "# B", "C": "# C"})
    assert [(x.line, x.why) for x in a] == [(1, "has the same address on the site as two-words.md")]
    assert [(x.line, x.why) for x in b] == [(1, "has the same address on the site as Two Words.md")]
    assert c == []
