"""A number beside a name is contradicted if the page has it for another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaultkit.failed import failed_numbers

BOATS = "print({'Heron': 6, 'Otter': 4, 'Gull': 9})"
HUTS = "metres = {'a': 3, 'b': 5, 'c': 8}\nprint(metres)"
LAKES = (
    "for lake, depth in {'Ness': 227, 'Lomond': 190, 'Morar': 310}.items():\n"
    "    print(lake, depth, 'm')"
)
HOURS = "for hour, level in ((3, 41.5), (9, 38.25), (15, 44.75)):\n    print(hour, level)"
LANGUAGES = "print({'Ada': 18, 'Java': 21, 'C++': 25})"
DUTY = "for line in ('2031-05-07 Ines', '2031-05-12 Otto'):\n    print(line)"
SHOWN = f"print('the duty:')\n{DUTY}\n```\n\n```text\nthe duty:\n2031-05-07 Ines\n2031-05-12 Otto"

MOONS = (
    "for moon, a in {'Io': 421.5, 'Europa': 671.25, 'Callisto': 1882.5}.items():\n"
    "    print(f'{moon:9s} a={a:7.2f} Mm  T={a / 100:6.3f} d')"
)
CREWS = (
    "for crew, km in ((3, 41.5), (9, 38.25), (15, 44.75)):\n"
    "    print(f'crew={crew:2d} rowed {km:.2f} km at {km / 4:.4f} km/h')"
)
FIFTHS = (
    "for step, name in enumerate(['C', 'Gis', 'B', 'F#']):\n"
    "    print(f'{name:3s} {step * 1.96:+.2f}')"
)  # fmt: skip
RACES = (
    "took = {'Heron': 45.25, 'Otter': 38.75}\n"
    "for boat in took:\n    print(boat, took[boat] + 0 * took['Otter'], f'{took[boat]:.2f}')"
)
#: Code, a sentence that is right, one that is wrong, and why.
WRONG = [
    (BOATS, "Gull carries nine people.", "Otter carries nine people.",
     "nine: output at line 5 has 4 for Otter, and 9 for Gull"),
    (BOATS, "The smallest is Otter, with 4 seats.", "The smallest is Heron, with 4 seats.",
     "4: output at line 5 has 6 for Heron, and 4 for Otter"),
    (LAKES, "They dived through 227 m of Ness.", "They dived through 310 m of Ness.",
     "310 m: output at line 6 has 227 for Ness, and 310 for Morar"),
    ("run = {'Ito': 1466, 'Sato': 1521}", "Sato won with 1,521 votes against 1,466.",
     "Ito won with 1,521 votes against 1,466.",
     "1,521: variable run has 1466 for Ito, and 1521 for Sato"),
    (RACES, "Heron took 45.25 s.", "Otter took 45.25 s.",
     "45.25 s: output at line 7 has 38.75 for Otter, and 45.25 for Heron"),
    (BOATS, "Gull is by far the largest of all boats here, with nine seats.",
     "Otter is by far the smallest of all boats here, with nine seats.",
     "nine: output at line 5 has 4 for Otter, and 9 for Gull"),
    (BOATS, "Gull comes in first place with 9 points.", "Otter comes in third place with 9 points.",
     "9: output at line 5 has 4 for Otter, and 9 for Gull"),
    (HUTS, "The farthest hut is `c`, eight metres up.", "The farthest hut is `b`, eight metres up.",
     "eight: output at line 6 has 5 for b, and 8 for c"),
    (LAKES, "The deepest is Morar at 310 m.", "The deepest are Morar and Ness at 310 m.",
     "310 m: output at line 6 has 227 for Ness, and 310 for Morar"),
    (HOURS, "At hour 9 the level is 38.25.", "At hour 9 the level is 44.75.",
     "44.75: output at line 6 has 38.25 for 9, and 44.75 for 15"),
    (MOONS, "Callisto takes about 18.8 days.", "Callisto takes about 6.713 days.",
     "6.713: output at line 6 has 18.825 for Callisto, and 6.713 for Europa"),
    (CREWS, "A crew of 9 has a speed of 9.5625 km/h.", "A crew of 15 has a speed of 9.5625 km/h.",
     "9.5625 km/h: output at line 6 has 11.1875 for 15, and 9.5625 for 9"),
    (CREWS, "Crew = 3 is in between with 41.5 km.", "Crew = 15 is in between with 41.5 km.",
     "41.5 km: output at line 6 has 44.75 for 15, and 41.5 for 3"),
    (FIFTHS, "Each adds 1.96, so it grows and F# is the worst at 5.88.",
     "Each adds 1.96, so it grows and F# is the worst at 3.92.",
     "3.92: output at line 6 has 5.88 for F#, and 3.92 for B"),
    (HOURS, "At hour 9 the level is 38.25 and each of us reads 38.",
     "At hour 9 the level is 44.75 and each of us reads 38.",
     "44.75: output at line 6 has 38.25 for 9, and 44.75 for 15"),
    (DUTY, "Otto is on duty on the 12th.", "Ines is on duty on the 12th.",
     "12th: output at line 6 has 7 for Ines, and 12 for Otto"),
    (SHOWN, "Otto is on duty on the 12th.", "Ines is on duty on the 12th.",
     "12th: output at line 11 has 7 for Ines, and 12 for Otto"),
]  # fmt: skip

#: Code, and sentences in which the number may be something else.
DOUBT = [
    (BOATS, "Three years earlier Heron had carried 9 people."),
    (BOATS, "Gull has more than Otter, and the Heron has 6 oars."),
    (BOATS, "Gull has as many as the harbour, but from there Heron is 9 miles away."),
    (
        "for k, n in {'oak': 34, 'elm': 46}.items(): print(k, n)\n"
        "for k, n in {'oak': 34, 'elm': 46}.items(): print(k, n, 'eggs')",
        "The oak has 46 loaves.",
    ),
    (BOATS, "Gull needs four people more."),
    (BOATS, "Between Heron and Otter there are 9 boats."),
    (
        "items = {'Heron': (40, 6.5), 'Otter': (260, 2.5)}\nprint('half: 50 %')",
        "The Heron comes last, with about 2 % of all.",
    ),
    ("print([('the', 4), ('oar', 2)])", "The commonest two are short."),
    (BOATS, "Otter is 9 minutes late."),
    # The steps may be counted from 0 or from 1.
    (
        "for n, x in ((1, 0.25), (2, 0.75), (3, 5)):\n    print(n, x)",
        "Now 2 steps are done, it is 0.25 by now, of 7 and 9.",
    ),
    (BOATS, "Otter lost nine people."),
    (BOATS, "It is wrong that Otter carries nine people."),
    (LANGUAGES, "It is a mistake that Ada has 25 points."),
    (LANGUAGES, "Java has 25 points, as many as C++."),
    (BOATS, "An Otter carries nine people."),
    (BOATS, "Otter is longer by nine feet."),
    (BOATS, "Otter carries nine people at most."),
    (BOATS, "If Otter carried nine people, it would sink."),
    (BOATS, "Otter and Gull have four and nine seats."),
    (BOATS, "Otter has 9 fewer oars."),
    (BOATS, "Otter saw nine people in Heron."),
    (BOATS, "Otter was built one day, and one of many."),
    (BOATS, "Otter came in after nine days."),
    (BOATS, "Otter carries 9 kg of rope."),
    (BOATS, "The otter, which people here rarely see now, has nine toes."),
    (HUTS, "The hut b is eight metres up, and a is a letter."),
    (HUTS, "There is one path (to `a` and `b`), the highest 8."),
    (HOURS, "At hour 9 there are 15 people."),
    (LAKES, "Lomond has 310 trees."),
    ("for n, level in ((2, 4.15), (7, 3.85)):\n    print(n, level)", "The two banks are at 3.85."),
    ("print('boats', 19)\nprint('lakes', 31)", "Of all lakes, a map had 19."),
    ("print([(3, 41), (41, 9)])", "There are 3 lines and 9 boats."),
    ("print('{[1]: 2}')", "There are 3 lines."),  # looks like a dictionary, and is none
    (
        "for n, v in (('espresso', 2), ('press', 16), ('filter', 16.7)):\n"
        "    print(f'{n}: 1 to {v:.1f}')",
        "Filter is the weaker and press the stronger of the two.",
    ),
]


@pytest.mark.parametrize(("code", "right", "wrong", "why"), WRONG)
def test_the_number_of_another_name_is_contradicted(
    tmp_path: Path, code: str, right: str, wrong: str, why: str
) -> None:
    assert failed_numbers(tmp_path, code, right) == []
    assert why in [check.why for check in failed_numbers(tmp_path, code, wrong)]


@pytest.mark.parametrize(("code", "text"), DOUBT)
def test_a_number_that_may_be_something_else_is_not(tmp_path: Path, code: str, text: str) -> None:
    assert failed_numbers(tmp_path, code, text) == []
