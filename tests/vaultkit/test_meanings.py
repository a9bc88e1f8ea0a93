"""Terms and letters show their meaning where a page first uses them."""

from __future__ import annotations

from pathlib import Path

from vaultkit.read.markdown import parse
from vaultkit.site.meanings import Meaning, Meanings, read_meanings

TERMS = r"""
# Terms

A list.

- **Key** (also keys, lookup key): the $k_i$ by which *it* is found: [[Where#Here]], in [[Key]].
- **O(·)** (also O(n)): how a cost grows: [[Cost]].
- **Query**: what asks.
- **Not this** one: no.

| letter | what | shape |
|---|---|---|
| $Q$ | [[Query\|queries]], `Q` | $Q \in \mathbb{R}^{n \times d_k}$ |
| $d_k$, $d_v$ | widths | integers |
| word | $x$ | |

| here | there |
|---|---|
| $Q$ | other |
"""


def known() -> list[Meaning]:
    return read_meanings(parse(TERMS, Path("Terms.md")))


def test_terms_and_letters_are_read() -> None:
    key, cost, query, *letters = known()
    assert (key.name, key.words) == ("Key", ("Key", "keys", "lookup key"))
    assert key.lines == ("The kᵢ by which it is found",)
    assert str(key.link) == "[[Where#Here]]"
    assert cost.words == ("O(·)", "O(n)")
    assert (query.lines, query.link) == (("What asks.",), None)
    assert [letter.words for letter in letters] == [("Q",), ("d_k", "d_v"), ("Q",)]
    assert letters[0].lines[0] == "Queries, `Q`"
    assert letters[0].lines[1].startswith("Q ∈ ℝ")
    assert str(letters[0].link) == "[[Query|queries]]"
    assert key.is_named(["Other", "Lookup Key"])
    assert not key.is_named(["Key Matrix"])
    assert letters[1].name == "d_k, d_v"


def marked(html: str, *leave: str) -> tuple[str, list[str]]:
    meanings = known()
    left = [meaning for meaning in meanings if meaning.name in leave]
    page, used = Meanings(meanings).mark(html, left)
    return page, [meaning.name for meaning in used]


def test_the_first_use_is_marked_and_no_other() -> None:
    page, used = marked("<p>Two queries and a query,<br>a <em>Key</em>; keys.</p>")
    assert page == (
        '<p>Two <span data-term="term-0">queries</span> and a query,<br>'
        'a <em><span data-term="term-1">Key</span></em>; keys.</p>'
    )
    assert used == ["Query", "Key"]
    assert marked("<p>Monkey, key-word, keyed; a lookup\nkey.</p>")[0] == (
        '<p>Monkey, key-word, keyed; a <span data-term="term-0">lookup\nkey</span>.</p>'
    )


def test_what_is_no_running_text_is_left_alone() -> None:
    left = (
        '<h2 id="key">A key</h2><a href="#key">The key</a><pre><code>key</code></pre>'
        '<img alt="key"><!-- key <p> --><code>key</code><table><tr><th>key</th></tr></table>'
        "<svg><text>key</text></svg><details><summary>key</summary></details>"
        '<aside class="linked-from"><p>key</p></aside>'
    )
    page, used = marked(f"{left}<p>A key.</p>")
    assert page == f'{left}<p>A <span data-term="term-0">key</span>.</p>'
    assert used == ["Key"]
    assert marked("<p>A key.</p>", "Key") == ("<p>A key.</p>", [])
    # Here the page says itself what it is, and every later use is known.
    assert marked("<p>A <strong>key</strong> is a key.</p>")[1] == []


def test_a_letter_alone_is_marked() -> None:
    def formula(tex: str, start: str = '<span class="vk-math"') -> str:
        return f'{start}><math data-tex="{tex}" data-check="formula-0"><mi>key</mi></math></span>'

    page, used = marked(
        f"<p>{formula('Q K')} {formula('d_ v')} {formula('d_k')} {formula('Q')}</p>"
    )
    assert used == ["d_k, d_v", "Q"]
    marks = [f'<span class="vk-math" data-term="term-{n}"' for n in range(2)]
    assert page == (
        f"<p>{formula('Q K')} {formula('d_ v', marks[0])} {formula('d_k')}"
        f" {formula('Q', marks[1])}</p>"
    )
    assert marked(f"<h2>{formula('Q')}</h2><a>{formula('Q')}</a>")[1] == []


def test_without_meanings_nothing_changes() -> None:
    assert Meanings([]).mark("<p>key</p>") == ("<p>key</p>", [])
