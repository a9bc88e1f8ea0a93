"""What Obsidian, the site and a code host would show differently, and in which line it is."""

from pathlib import Path

from vaultkit.checks import form
from vaultkit.checks.check import FAILS, Check
from vaultkit.read.vault import Vault


def inspected(tmp_path: Path, **texts: str) -> list[list[Check]]:
    (tmp_path / "docs").mkdir()
    for name, text in texts.items():
        (tmp_path / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    vault = Vault(tmp_path / "docs")
    return [list(form.check(vault.notes[vault.root / f"{name}.md"], vault)) for name in texts]


def test_what_could_not_be_read_has_its_place_and_begins_with_what_it_is(tmp_path: Path) -> None:
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


def test_a_keyword_is_a_text(tmp_path: Path) -> None:
    front = "---\nkeywords:\n{}\n---\n"
    texts = ["- what is an owl?\n- 2\n-", "- 'owl: a bird'", "- owl: a bird", "- [owl, bird]"]
    names = dict(zip("ABCD", map(front.format, texts), strict=True))
    found = [[check.why for check in checks] for checks in inspected(tmp_path, **names)]
    why = "keywords: each item is a text; one with a colon needs quotes"
    assert found == [[], [], [why], [why]]


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
