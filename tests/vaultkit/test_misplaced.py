"""A number in the place of another one is contradicted by the words around it, or by what is left.

The notes are about other subjects than those on which the mechanism was made.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaultkit.failed import failed_numbers

#: By name: code, a text, two versions of a part of it, the second of which is false, and why.
RIGHT = {
    "a label": (
        'ages = [31, 35, 52]\nprint("mean", 39.3)\nprint("median", 35)\nprint("oldest", 52)',
        "On average they are 39.3 years old, and the median is 35. The oldest is 52.",
        ("median is 35", "median is 52"),
        "52: output at line 8 has median 35, and output at line 8 has oldest 52",
    ),
    "the name of a variable": (
        "yeast, flour = 1.75, 412.5\nprint(yeast)\nprint(flour)",
        "The flour weighs 412.5 g. Of yeast, 1.75 g is enough.",
        ("flour weighs 412.5", "flour weighs 1.75"),
        "1.75 g: flour is 412.5 (output at line 9), and this is another number (output at line 8)",
    ),
    "a name in a loop": (
        "kelp = {'Skye': 14.25, 'Mull': 11.5, 'Iona': 9.75}\n"
        "for isle, tonnes in kelp.items():\n    print(f'{isle}: {tonnes} t')",
        "Skye has 14.25 t. Mull, with 11.5 t, comes second, and Iona has 9.75 t.",
        ("Mull, with 11.5", "Mull, with 14.25"),
        "14.25: output at line 7 has Mull 11.5, which the text does not state; "
        "output at line 7 has Skye 14.25",
    ),
    "the title of a column": (
        "print('pony   height  girth')\nprint('Moss   1.22  1.57')\nprint('Fern   1.31  1.66')",
        "Moss has a height of 1.22 m and a girth of 1.57 m; Fern has a girth of 1.66 m.",
        ("girth of 1.57", "girth of 1.22"),
        "1.22 m: output at line 7 has girth 1.57, and output at line 7 has height 1.22",
    ),
    "a comment": (
        "a = 61.5  # toll of the bridge\nb = 18.25  # fare of the ferry\nprint(a, b, a - b)",
        "The toll is 61.50, and the fare 18.25. The difference is 43.25.",
        ("toll is 61.50", "toll is 18.25"),
        "18.25: output at line 7 has toll bridge 61.5, which the text does not state; "
        "output at line 7 has fare ferry 18.25",
    ),
    "a variable of two lists": (
        "dawn, dusk = [14.25, 15.5], [21.5, 23.75]\n"
        "for day, (a, b) in enumerate(zip(dawn, dusk), 1):\n    print(day, a, b)",
        "On day 2 it was 15.5 degrees at dawn and 23.75 at dusk.",
        ("15.5 degrees at dawn and 23.75", "23.75 degrees at dawn and 15.5"),
        "23.75: exchanged with 15.5: output at line 7 has dawn 15.5, "
        "and output at line 7 has dusk 23.75",
    ),
    "units": (
        "print(f'{2.718:.3f} kg, {45.25:.2f} days')",
        "The rope holds 2.718 kg for 45.25 days.",
        ("holds 2.718 kg for 45.25", "holds 45.25 kg for 2.718"),
        "45.25 kg: exchanged with 2.718: output at line 5 has 2.718, "
        "and output at line 5 has 45.25",
    ),
    "nouns": (
        "tenors, basses = 22, 31\nprint(tenors, basses)",
        "The choir has 22 tenors and 31 basses.",
        ("22 tenors and 31", "31 tenors and 22"),
        "31: exchanged with 22: output at line 6 has tenors 22, "
        "and output at line 6 has 22 basses 31",
    ),
    "a number that is left out": (
        "print(round(38.4, 1))\nprint(round(51.7, 1))\nprint(round(44.9, 1))",
        "With one lamp we read 38.4 lux, with two 51.7. Through a curtain 44.9 are left.",
        ("lamp we read 38.4", "lamp we read 44.9"),
        "44.9: output at line 7 has 38.4, which the text does not state; output at line 7 has 44.9",
    ),
    "a number that one digit does not state": (
        "print('half: 0.717 s, whole: 2.272 s')",
        "- It is cooked in 0.717 s\n- It is cold after 2.272 s, and one more.",
        ("cooked in 0.717", "cooked in 2.272"),
        "2.272 s: output at line 5 has half 0.717, which the text does not state; "
        "output at line 5 has whole 2.272",
    ),
    "a label that begins as another one": (
        "print('weekend', 489.25)\nprint('weekday', 304.9)",
        "- weekend: 489.25 L\n- weekday: 304.9 L",
        ("weekend: 489.25", "weekend: 304.9"),
        "304.9 L: output at line 6 has weekend 489.25, which the text does not state; "
        "output at line 6 has weekday 304.9",
    ),
}

#: Code and text that is true, or not known to be false.
OPEN = [
    # a whole and its part
    (
        "print('lame sheep', 192)\nprint('flock', 350)",
        "The flock has 350. It has lame sheep, 263 of its 350.",
    ),
    # days of a month
    (
        "print('Friday 13 December 2024')\n"
        "print(5, '2024-12-20', 'Friday', 7)\nprint(10, '2024-12-31', 'Tuesday', 18)",
        "Service was on Friday 13 December 2024. Five end on Friday 20 December. "
        "Ten end on Tuesday 31 December, 18 days later. Fourteen run to Tuesday 7 January 2025.",
    ),
    # a later output counts something else
    (
        "print(16)",
        "There are 16 such Fridays.\n\n```python\nprint('Friday', 688)\n```\n\nIt is 688.",
    ),
    # the beginning of a change
    (
        "print('share', 0.351)",
        "It is 0.351.\n\n```python\nprint(0.229, 0.334)\n```\n\nIt falls from 0.351 to 0.229.",
    ),
    # The words are near another number, to which they belong.
    ('print("mean", 39.3)\nprint("median", 35.5)',
     "Half are above the median, 35.5; the mean is 39.3."),
    # Nothing on the page says what the number is.
    ('print(14.75)\nprint("recall", 0.8125)', "The recall of the other model is 14.75."),
    # The number is stated again.
    ('print("low 3.25")\nprint("high 9.75")', "It is 9.75. The high of 9.75 is no record."),
    # Both rows are compared.
    (
        'print({"oak": 21.5, "elm": 17.25})',
        "The elm is lower than the oak, whose 21.5 m it will reach in 17 years.",
    ),
    # It is the number of something else: of a year, of several things, of a difference.
    ('print("fare", 12.25, "toll", 147.0)',
     "The fare is 12.25. The toll is 147.0. The yearly fare is 147.0."),
    ('print("fare", 12.25, "toll", 147.0)', "The toll is 147.0. The fare is 147.0 in all."),
    ('print("fare", 12.25, "toll", 147.0)', "The toll is 147.0, and the fare is 147.0 lower."),
    # The sum of two numbers.
    ('print("oak boards 498.0 mm")\nprint("elm boards 702.0 mm")\nshelf = {"ash boards": 1200}',
     "The oak boards and the elm boards add up to 1200 mm. The shelf takes 1200 mm."),
    # The text says the sign.
    ('for cars, v in ((40, 78.6), (100, 31.4)):\n    print(f"{cars:3d} {v:5.1f}")\n'
     'print("wave at the jam:", -31.4)\nprint("slow truck:", 15.7)',
     "With 100 cars the speed is 31.4. When traffic meets a jam, the wave moves back at 31.4. "
     "Behind a slow truck it moves at 15.7."),
    # The two numbers are in the order of their words.
    ('print("win 0.7205, draw 0.1795")', "A win and a draw have 0.7205 and 0.1795."),
]  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_number_in_the_place_of_another_is_contradicted(name: str, tmp_path: Path) -> None:
    code, text, (right, wrong), why = RIGHT[name]
    assert text.count(right) == 1
    assert failed_numbers(tmp_path, code, text) == []
    assert failed_numbers(tmp_path, code, text.replace(right, wrong))[0].why == why


@pytest.mark.parametrize(("code", "text"), OPEN)
def test_numbers_in_doubt_are_not_failed_numbers(tmp_path: Path, code: str, text: str) -> None:
    assert failed_numbers(tmp_path, code, text) == []
