"""Two numbers that a text exchanges are contradicted by the words around them on the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaultkit.failed import failed_numbers
from vaultkit.checks.labelled import LabelledNumbers
from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.stated import numbers
from vaultkit.read.markdown import parse
from vaultkit.run.session import NoteRun

#: By name, code, and a text that states its numbers; the text is false with two of them exchanged.
RIGHT = {
    "a dictionary": (
        'print({"moss": 3.31, "fern": 1.67, "reed": 1.43})',
        "Mossy banks last 3.31 years, ferny ones 1.67.",
        ("3.31", "1.67"),
    ),
    "numbers with a unit that the output does not show": (
        'print({"moss": 42, "fern": 31})',
        "Moss needs 42 minutes, fern 31.",
        ("42", "31"),
    ),
    "short forms of months": (
        'for month, x in (("Mar", 6.5), ("Apr", 6.25)):\n    print(month, x)',
        "March came to 6.50 and April to 6.25 litres per 100 km.",
        ("6.50", "6.25"),
    ),
    "labels that are letters with numbers": (
        'for n, x in ((5, 434.2), (6, 410.3)):\n    print(f"n={n} {x} nm")',
        "n=5 gives 434.2 nm and n=6 gives 410.3 nm.",
        ("434.2", "410.3"),
    ),
    "keys with a unit in the text alone": (
        'for n, x in ((12, 8236.87), (24, 4241.65)):\n    print(f"{n} {x} {x / 7:.2f}")',
        "After 12 months we owe 8236.87, after 24 months 4241.65.",
        ("8236.87", "4241.65"),
    ),
    "beside a third number with a name of its own": (
        'print("ceres: 4.6\\njupiter: 11.9\\nsaturn: 29.7")'.replace("\\\\", "\\"),
        "Ceres needs 4.6 years, Jupiter 11.9 and Saturn 29.7.",
        ("11.9", "29.7"),
    ),
    "labels behind the numbers": (
        'print("0.99797 with yeast, 0.96060 without")',
        "| dough | risen |\n|---|---|\n| with yeast | 99.797 % |\n| without yeast | 96.060 % |",
        ("99.797", "96.060"),
    ),
    "a label and a clause": (
        'print("crest 10.47 m, steep from 5.23 m")',
        "Walk to the crest at 10.47 m, and all from 5.23 m to the top is steep.",
        ("10.47", "5.23"),
    ),
    "three clauses": (
        'print("first 1953, depth 62")\nprint("middle 338, depth 5")',
        "The middle pivot needs 338, fewer than 400, and a depth of 5 is enough.",
        ("338", "5"),
    ),
    "items of a list": (
        'print("nitrogen: O2 680 g, CO2 575 g, water 294 g")',
        "- makes 575 g of carbon dioxide\n- and 294 g of water",
        ("575", "294"),
    ),
    "names in an f-string": (
        'e_arrow, e_weight = 4.704, 9.732\nprint(f"{e_arrow} kJ of {e_weight} kJ")',
        "- The arrow leaves with 4.704 kJ.\n- The counterweight gives 9.732 kJ.",
        ("4.704", "9.732"),
    ),
    "lines that are indented": (
        'for day, ill in ((0, 4), (14, 79), (28, 898)):\n    print("  day", day, "ill", ill)',
        "On day 14 there are 79 ill, on day 28 there are 898.",
        ("79", "898"),
    ),
    "lines that begin with a number": (
        'for day, ill in ((0, 4), (14, 79), (28, 898)):\n    print(day, "ill", ill)',
        "After two weeks 79 are ill, after four weeks 898.",
        ("79", "898"),
    ),
    "names with numbers": (
        'for n, hours in ((8, 147.0), (17, 301.9)):\n    print(f"Apollo {n:2d} {hours} h")',
        "Apollo 17 was the longest with 301.9 h, Apollo 8 the shortest with 147.0 h.",
        ("301.9", "147.0"),
    ),
}
#: Texts whose words only seem to be in the wrong order.
OPEN = [
    (
        "for n, k in ((2, 5), (5, 3), (6, 2)): print(n, k)",
        "There are five words of two letters, three more than there are of six.",
    ),
    (
        "for n, k in enumerate('Ash Birch Cedar Ash Birch Ash Cedar'.split(), 1): print(n, k)\n"
        "print({'Ash': 3, 'Birch': 2, 'Cedar': 2})",
        "Ash wins three of the seven seats, Birch and Cedar two each.",
    ),
    (
        "for yarn, balls, cost in (('merino', 4, 27.6), ('alpaca', 2, 30.0)):\n"
        "    print(yarn, balls, 'balls', f'{cost:.2f} euros')",
        "With alpaca 2 balls are enough, but they cost 30 euros.",
    ),
    (
        "stops = [('Mill', 60, 40), ('West', 300, 175)]\nprint('slowest: 60 km/h')",
        "- The slowest part is the one to West, at 60 km/h.\n- That to Mill takes 5 minutes more.",
    ),
    ('print({"ada": 0.23, "bo": 0.15})', "Ada reads 0.15 from Bo, 0.23 from herself."),
    ('print({"ada": 42, "bo": 31})', "Longer than Ada is Bo: 42 against 31."),
    ('print({"ada": 4.2, "bo": 3.1})', "Bo has 4.2 at first, and Ada 3.1, but then Bo has 3.1."),
    ('print({"ada": 4.2, "bo": 3.1})', "Bo waits, then 4.2 come to him, and Ada has 3.1."),
    ("print([4, 8, 16, 18])", "- (3, 16) comes second\n- the third is (2, 8, 5)"),
    ('for n in (5, 8):\n    print(n, "in", n + 6)', "Roll 8, 11 or 5, 14."),
    ('for n, m in ((8, 21), (16, 14)):\n    print(n, "weeks", m)', "After 8 weeks 14 came."),
    ("print([4, 8, 16, 18])", "The third of 8 is not the second of 16."),
    (
        "weeks = [9.1, 6.2, 2.8]\nfor n, w in enumerate(weeks, 4):\n"
        "    drop = '' if n == 4 else f'{100 * (w / weeks[n - 5] - 1):.0f}%'\n"
        "    print(n, w, drop)",
        "The steepest drop came in week 6, minus 55 percent; the mildest in week 5.",
    ),
    (
        'print({"30": 44.5, "10": 71.2})',
        "With 30 g of milk, it cools in 71.2 s, with 10 g in 44.5 s.",
    ),
    (
        'rain = {"Fri": 18.6}\nprint("total", 26.3, "mm")\nprint("share of Fri", 71, "%")',
        "Of the 26.3 mm most fell on Fri: 18.6 mm, 71 % of the total.",
    ),
    (
        'picked = {"a": 14.2, "b": 30.5}\nt = sum(picked.values())\nprint(picked, "in 74 days")',
        "We picked 44.7 kg in all. The harvest weighs 44,700 g.",
    ),
    ("pairs = [[4, 5], [7, 2]]\nprint([a * b for a, b in pairs])", "They are 20 and 14."),
]


@pytest.mark.parametrize("name", RIGHT)
def test_exchanged_numbers_are_contradicted(name: str, tmp_path: Path) -> None:
    code, text, (one, other) = RIGHT[name]
    assert failed_numbers(tmp_path, code, text) == []
    false = text.replace(one, "\0").replace(other, one).replace("\0", other)
    assert len(failed_numbers(tmp_path, code, false)) == 2


@pytest.mark.parametrize(("code", "text"), OPEN)
def test_numbers_in_doubt_are_not_failed_numbers(tmp_path: Path, code: str, text: str) -> None:
    assert failed_numbers(tmp_path, code, text) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("At 2 m it takes 31.5 s.", "31.5 s: output at line 6 has 12.5 for 2, and 31.5 for 10"),
        ("At 10 m it takes 12.5 s.", "12.5 s: output at line 6 has 31.5 for 10, and 12.5 for 2"),
        ("At 2 m it is 5.4 %.", "5.4 %: output at line 6 has 7.2 for 2, and 5.4 for 10"),
    ],
)
def test_the_number_of_the_named_line_is_that_of_the_same_column(
    tmp_path: Path, text: str, why: str
) -> None:
    code = (
        "for depth, share, seconds in ((2, 7.2, 12.5), (10, 5.4, 31.5)):\n"
        '    print(f"{depth} m  {share}%  {seconds} s")'
    )
    assert [check.why for check in failed_numbers(tmp_path, code, text)] == [why]


def test_a_message_has_the_words_of_a_label_in_their_order(tmp_path: Path) -> None:
    code = (
        'for bed, litres in {"north bed": 42.5, "south bed": 18.2, "fern corner": 27.3}.items():\n'
        "    print(bed, litres)"
    )
    text = "The fern corner gets 18.2 litres, the south bed 27.3."
    whys = " ".join(check.why for check in failed_numbers(tmp_path, code, text))
    assert "south bed" in whys
    assert "bed south" not in whys


def test_the_number_of_a_list_item_labels_nothing() -> None:
    code = (
        "print('48 states, cut size 8')\nprint('1. It maximizes 43')\nprint('2. It minimizes 40')"
    )
    note = parse(f"```python\n{code}\n```\n")
    labelled = LabelledNumbers(lexicon())
    NoteRun(note).finish(labelled.observe)
    text = "1, 2, 8, 40, 43, 48"
    stated = numbers(text, len(text), lexicon())
    assert [n.text for n in stated if labelled.agreeing_with(n)] == ["8", "40", "43", "48"]


def test_an_ordinal_that_is_also_a_unit_is_no_empty_word(tmp_path: Path) -> None:
    code = 'print("moss 331 m, fern 167 m")'
    text = "- In the second: fern 331 m\n- In the second: 167 m"
    assert [check.what for check in failed_numbers(tmp_path, code, text)] == ["331 m"]
