"""Outputs that are tables are set as tables; all others are left as they are."""

import html
import re

import pytest

from vaultkit.render.printed import tables_to_html
from vaultkit.render.printed_heads import find_tables
from vaultkit.render.printed_rows import find_rows

WEIGHTS = """\
weights river    .  the
river    0.14 0.00 0.00
bank     0.97 0.00 0.00
whole rows sum to 1.00"""
SCALED = """\
          unscaled        scaled
 d_k     std   max      std   max
   1   0.968 0.075    0.968 0.075
1024  31.931 0.951    0.998 0.106"""
SHORT = """\
                off by  at the limit
grouped         4.1734  0.0000
window          1.5435  0.0000
QK-norm         1.0638"""
BESIDE = """\
              previous  induction
layer 1 head 1     0.34       0.06
layer 2 head 1     0.04       0.98
both of the heads 0.50"""
TWO = """\
W_K  name gender
name    1      0
male    0     -1
W_V  name female
name    1      0
male    0      1"""

NOT = {
    "data": "step   0 loss 3.90\nstep  20 loss 2.36\nstep  50 loss 0.70",
    "words": "one block    1,774,464\nsix blocks  10,646,784\nthe tables  11,918,592",
    "values": "float64  True   True\nfloat32  True  False\nfloat16  True   True",
    "array": "[[ 1.0000  3.0000]\n [ 0.0000  3.0000]\n [-1.0000 -6.0000]]",
    # The heads are not where their columns are.
    "heads": "  n       whole  one\n 10    4,456,448    1\n 40   68,157,440    2",
    # No head of a group is above the last column.
    "groups": "  same  mixed\n     a    b    c  all\n0  0.1  0.2  0.3  1.0\n1  0.1  0.2  0.3  0.9",
    # A head that has two lines, and a last row that the table may go on in.
    "above": "in words   divided\n    n  norm  bias\n   32  0.10  0.20\n   64  0.30  0.20",
    "below": "    n  norm  bias\n   32  0.10  0.20\n   64  0.30  0.20\neven      0.1  0.2",
    # A value that two heads may have, and values that are in line with nothing.
    "two heads": "name  one  two\n a    1,000,000    1\n b    2,000,000    2",
    "in line": "name   one  two\n a     0.1  0.2\n b    0.11  0.21\n c     0.11  0.2",
    "one row": "column river    .\nsum     1.88 0.91",
    "prose": "the bank of a river\nbank 0.76  0.60\nloan 0.65  0.74",
    "one head": "mean    of all\nfirst      0.5\nsecond    0.25",
    "numbers": "bank   2   1\nriver  3   1\nmoney  4   1",
    "one of a row": "column  river  bank\nsum      1.88",
}


#: Those of them that are tables without heads, and others: their heads, and what the cells show.
ROWS = {
    "words": (NOT["words"], [""], [["one block", "1,774,464"], ["six blocks", "10,646,784"]]),
    "values": (NOT["values"], ["", ""], [["float64", "True", "True"]]),
    "numbers": (NOT["numbers"], ["", ""], [["bank", "2", "1"], ["river", "3", "1"]]),
    "repeated": (
        "  5 tokens: weight 0.99, answer 2: 0.98\n 32 tokens: weight 0.93, answer 2: 0.97\n"
        "302 tokens: weight 0.59, answer 2: 0.68",
        ["weight", "answer 2"],
        [
            ["5 tokens", "0.99", "0.98"],
            ["32 tokens", "0.93", "0.97"],
            ["302 tokens", "0.59", "0.68"],
        ],
    ),
    "units": (
        "block 1: 38 % on average, 56 % in one head\nblock 2: 62 % on average, 85 % in one head\n"
        "block 3: 62 % on average, 91 % in one head\nan even share: 18 %",
        ["% on average", "% in one head"],
        [["block 1", "38", "56"], ["block 2", "62", "85"], ["block 3", "62", "91"]],
    ),
    "ranges": (
        "digits  3.8 to 4.4\nothers  -3.0 to -2.3\nletters -0.3 to 0.2",
        [""],
        [["digits", "3.8 to 4.4"], ["others", "-3.0 to -2.3"], ["letters", "-0.3 to 0.2"]],
    ),
}
NO_ROWS = {
    "two": "unigram 24.23\nbigram   3.28",
    "out of line": "cap 10: 485,165 keys\ncap 3: 404 keys\ncap 5: 1 keys",
    "sum": "Your 2.46 / 16.37 = 0.15\nwith 2.15 / 16.37 = 0.13\nstep 2.98 / 16.37 = 0.18",
    "array": "x    [-3.0 1.0]\nrelu [ 0.0 1.0]\ngelu [ 0.0 0.8]",
    "sentences": "Ada stays there .\nEva and Tom go home .\nTom and Mia go home .",
    "one more": "step  0 loss 3.9\nstep 20 loss 2.4\nstep 50 loss 0.7\nall     at last  0.4",
    "numbers": "-2.0 -6.0\n-1.0 -3.0\n 1.0  3.0",
    "same": "x: 1 of 2\nx: 1 of 2\nx: 1 of 2",
}


@pytest.mark.parametrize("name", ROWS)
def test_lines_with_the_same_words_are_rows(name: str) -> None:
    text, heads, rows = ROWS[name]
    lines = text.split("\n")
    [(first, table)] = find_rows(lines)
    assert list(table.heads) == heads
    shown = [
        [line[part.shown_start : part.shown_end] for part in row]
        for row, line in zip(table.rows, lines[first:], strict=False)
    ]
    assert shown[: len(rows)] == rows
    assert html.unescape(re.sub(r"<[^>]*>", "", tables_to_html(text))).rstrip("\n") == text


#: The words of an output as `check-shown.js` counts them; a colon at the beginning is no word.
WORD = re.compile(r"[^\s,;=()[\]{}]+")


@pytest.mark.parametrize("name", ROWS)
def test_no_word_is_in_two_parts_of_a_cell(name: str) -> None:
    text, _, _ = ROWS[name]
    shown = tables_to_html(text)
    cells = re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>|<code>(.*?)</code>", shown, re.DOTALL)
    parts = [part for cell in cells for part in re.split("<span[^>]*>|</span>", "".join(cell))]
    words = [word for part in parts for word in WORD.findall(part.removeprefix(":"))]
    assert [word.rstrip(":") for word in words] == [w.rstrip(":") for w in WORD.findall(text)]


@pytest.mark.parametrize("name", NO_ROWS)
def test_what_is_not_surely_rows_is_left(name: str) -> None:
    assert tables_to_html(NO_ROWS[name]) == ""


def test_words_that_are_a_head_are_hidden_in_the_lines() -> None:
    shown = tables_to_html(ROWS["repeated"][0])
    assert '<td data-head="answer 2"></td>' in shown
    assert (
        '<td><span class="vk-said">weight </span><span class="vk-own">0.99</span>'
        '<span class="vk-said">,</span></td>' in shown
    )


def found(text: str) -> list[tuple[list[str], list[list[str]]]]:
    lines = text.split("\n")
    return [
        (
            [cell.text for cell in (table.corner, *table.heads) if cell],
            [
                [cell.text if cell else "" for cell in (row.label, *row.values)]
                for row in table.rows
            ],
        )
        for _, table in find_tables(lines)
    ]


def test_heads_labels_and_values() -> None:
    assert found(WEIGHTS) == [
        (
            ["weights", "river", ".", "the"],
            [["river", "0.14", "0.00", "0.00"], ["bank", "0.97", "0.00", "0.00"]],
        )
    ]
    assert [heads for heads, _ in found(TWO)] == [
        ["W_K", "name", "gender"],
        ["W_V", "name", "female"],
    ]
    # The heads end a column before the numbers; the last line has words and numbers elsewhere.
    assert found(BESIDE) == [
        (
            ["previous", "induction"],
            [["layer 1 head 1", "0.34", "0.06"], ["layer 2 head 1", "0.04", "0.98"]],
        )
    ]
    assert found(SHORT)[0][1][-1] == ["QK-norm", "1.0638", ""]
    assert "<th scope=colgroup colspan=2>unscaled</th>" in tables_to_html(SCALED)


@pytest.mark.parametrize("name", NOT)
def test_what_is_not_surely_a_table_is_left(name: str) -> None:
    assert found(NOT[name]) == []
    assert tables_to_html(NOT[name]) == "" or name in ROWS


#: Each with what its cells are.
MORE = {
    "a row": (
        "S    river bank\nsum   1.88 0.91",
        [["S", "river", "bank"], ["sum", "1.88", "0.91"]],
    ),
    "no label": ("b_1 water money\n       -4    -4", [["b_1", "water", "money"], ["", "-4", "-4"]]),
    "two words": (
        "bank of water money\nriver    0.76  0.60\nmoney    0.65  0.74",
        [["bank of", "water", "money"], ["river", "0.76", "0.60"], ["money", "0.65", "0.74"]],
    ),
    "counted": (
        "Q       1    2\nbank 0.55 0.87\nis   0.25 0.69",
        [["Q", "1", "2"], ["bank", "0.55", "0.87"], ["is", "0.25", "0.69"]],
    ),
    "one column": (
        "largest entry  width\n          0.5      9\n            2    242",
        [["largest entry", "width"], ["0.5", "9"], ["2", "242"]],
    ),
    "arrays": (
        "token  value        sum\nis     [0.00 1.00]  0.50\nbank   [2.00 1.00]  1.50",
        [["token", "value", "sum"], ["is", "[0.00 1.00]", "0.50"], ["bank", "[2.00 1.00]", "1.50"]],
    ),
    "units": (
        " tau  entropy  as many as\n   1   1.3181   3.74 keys\n 0.1   0.0402   1.04 keys",
        [
            ["tau", "entropy", "as many as"],
            ["1", "1.3181", "3.74 keys"],
            ["0.1", "0.0402", "1.04 keys"],
        ],
    ),
}


@pytest.mark.parametrize("name", MORE)
def test_more_forms_of_tables(name: str) -> None:
    text, [heads, *rows] = MORE[name]
    assert found(text) == [(heads, rows)]
    assert html.unescape(re.sub(r"<[^>]*>", "", tables_to_html(text))).rstrip("\n") == text


def test_tables_with_the_same_counted_heads_are_two() -> None:
    text, _ = MORE["counted"]
    assert [heads[0] for heads, _ in found(f"{text}\n{text.replace('Q', 'K')}")] == ["Q", "K"]


def test_groups_with_the_same_columns() -> None:
    # No head of a group is above the last of its columns.
    lines = [
        "          at once        in parts",
        "   n    adds  most    adds  most",
        "  64    1.31  4.1     1.31  1.1",
        " 256    2.97  6.6     2.97  4.1",
    ]
    [(_, table)] = find_tables(lines)
    assert [(head.text, count) for head, count in table.groups] == [("at once", 2), ("in parts", 2)]


def test_a_cell_that_names_an_array_has_its_class() -> None:
    shown = tables_to_html(TWO, ["W_K"])
    assert '<th scope=col><span class="vk-of-W_K"><i class="vk-symbol">W' in shown
    assert "vk-of-W_V" not in shown


POWERS = """\
           loss  largest
full    8.8e+12     -0.50
linear  3.4e-10      1.50"""


def test_signs_powers_and_indices_are_marked() -> None:
    assert '<i class="vk-symbol">W<span>_</span><sub>K</sub></i>' in tables_to_html(TWO)
    shown = tables_to_html(POWERS)
    assert '<span class="vk-power" data-factor="8.8" data-power="12">8.8e+12</span>' in shown
    assert '<td><span class="vk-minus">-</span>0.50</td>' in shown


@pytest.mark.parametrize(
    "text", [WEIGHTS, SCALED, SHORT, BESIDE, TWO, POWERS, f"a < b\n\n{TWO}\n\n&"]
)
def test_the_text_is_what_was_printed(text: str) -> None:
    assert html.unescape(re.sub(r"<[^>]*>", "", tables_to_html(text))).rstrip("\n") == text


def test_a_line_of_blanks_may_follow_rows() -> None:
    assert "<table" in tables_to_html("a: loss 3.9\nb: loss 2.4\nc: loss 0.7\n   ")


def test_a_row_of_equal_numbers_is_no_row_of_heads() -> None:
    assert not [*find_tables(["a  0  0  0  0", "b  1  2  3  4", "c  5  6  7  8"])]
    (found,) = find_tables(["a  rows  2  rows  2", "b  1     2  3     4", "c  5     6  7     8"])
    assert [head.text for head in found[1].heads] == ["rows", "2", "rows", "2"]
