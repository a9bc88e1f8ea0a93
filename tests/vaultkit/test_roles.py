"""A number said to be one thing is contradicted if it is another one on the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaultkit.checks.check import FAILS, Check
from vaultkit.checks.dates import Dates
from vaultkit.claims.attributions import counted_noun, subject_stems
from vaultkit.claims.lexicon import lexicon
from vaultkit.claims.mentions import sentences
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.markdown import parse
from vaultkit.read.vault import Vault

TIDE = """
```python
level = {"Brest": 6.92, "Calais": 7.35, "Dover": 6.71}
for port, metres in level.items():
    print(f"{port}: {metres} m")
```

```text
Brest: 6.92 m
Calais: 7.35 m
Dover: 6.71 m
```
"""
ROWS = """
```python
side = 16
added, joined = side**2, 2 * side**2
print("added: ", added, "parameters")
print("joined:", joined, "parameters")
```

```text
added:  256 parameters
joined: 512 parameters
```

```python
print("rows", joined, "first missing", joined)
```

```text
rows 512 first missing 512
```
"""
VOTES = """
```python
import random

random.seed(4)
count = {"yes": 417, "no": 238}
print(f"yes {417 / 655:.4f}, no {238 / 655:.4f}")
```

```text
yes 0.6366, no 0.3634
```
"""
RAIN = """
```python
import statistics as st

rain = [0.0, 2.4, 0.0, 11.8, 5.1, 0.3, 9.6]
wet = [mm for mm in rain if mm > 0.2]
print(round(st.mean(rain), 2), st.median(rain), max(rain), len(wet))
print("wet days", len(wet))
storms = 3
drought = 21
```

```text
4.17 2.4 11.8 5
wet days 5
```
"""
SEARCH = """
```python
words = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu"]
low, high, probes = 0, len(words), 0
lookups = 3
rounds = 3
print("lookups", lookups, "of", len(words), "words")
```

```text
lookups 3 of 7 words
```
"""
LOAF = """
```python
dough, loaf = 935.5, 823.5
house, price = 120, 250
print(f"dough {dough:.1f}, loaf {loaf:.1f}")
```

```text
dough 935.5, loaf 823.5
```
"""
HUGE = """
```python
print("large", 10**400)
many = 2**70
print([3, 1, 2].index(max([3, 1, 2])))
```
"""
TABLE = """
| metal | density | melts at |
|---|---|---|
| iron | 7.87 | 1538 |
| lead | 11.34 | 327 |
| zinc | 7.14 | 420 |

```python
print(11.34 - 7.87)
```

```text
3.4699999999999998
```
"""

BAKERY = """
```python
flour, water = 500, 340
hydration = water / flour
loaves = {"rye": 12, "wheat": 31, "spelt": 7}
temps = [22.0, 24.5, 27.0]
for name, n in loaves.items():
    print(name, n)
print(f"hydration {hydration:.0%}, mean {sum(temps) / 3:.2f}")
```

```text
rye 12
wheat 31
spelt 7
hydration 68%, mean 24.50
```
"""
LOAVES = """
| flour | loaves |
|---|---|
| rye | 12 |
| spelt | {} |
| wheat | {} |
"""
TREES = """
```python
height = {"oak": 23.4, "birch": 17.8, "yew": 9.6}
age = {"oak": 142, "birch": 38, "yew": 310}
mass = 5
for tree in height:
    print(f"{tree:6} {height[tree]:5.1f} m {age[tree]:4d} years")
print(f"oldest {max(age.values())} mean height {sum(height.values()) / 3:.2f}")
print(f"mass {mass} g")
```

```text
oak     23.4 m  142 years
birch   17.8 m   38 years
yew      9.6 m  310 years
oldest 310 mean height 16.93
mass 5 g
```
"""

#: A page, a sentence that is right, and one in which the number has another role.
STONE = """
```python
t = 2.5
print(0.5 * 9.81 * t**2, 9.81 * t)
```

```text
30.65625 24.525000000000002
```
"""
RULE = """
```python
for n in (4, 8, 16):
    print(n, round(0.4 / n**2, 5))
```

```text
4 0.025
8 0.00625
16 0.00156
```
"""
UNITS = """
```python
limit = 24_000
minutes, volts = 48.5, 9
print(f"pace {minutes / 10:.2f} min/km")
print(f"speed {600 / minutes:.2f} km/h")
print(f"current {volts / 8:.3f} mA")
```

```text
pace 4.85 min/km
speed 12.37 km/h
current 1.125 mA
```
"""

DOUGH = """
```python
recipe = {"flour": 250, "milk": 500, "sugar": 20}
scaled = {name: grams * 10 / 4 for name, grams in recipe.items()}
print(scaled)
```

```text
{'flour': 625.0, 'milk': 1250.0, 'sugar': 50.0}
```
"""
HEADS = """
```python
heads = 8 * 4
share = heads / 59
print(heads, round(share, 2))
```

```text
32 0.54
```
"""

SWIM = """
```python
seconds = {50: 27.31, 100: 59.84, 200: 131.5}
for metres, s in seconds.items():
    print(f"{metres} m  {s} s")
print("16 slowest 131.5 s, quickest 27.31 s")
print(f"{59.84} -> {58.27}")
```

```text
50 m  27.31 s
100 m  59.84 s
200 m  131.5 s
16 slowest 131.5 s, quickest 27.31 s
59.84 -> 58.27
```
"""
TANK = """
```python
tank, heater = 210.5, 1840.0  # L, W
print(f"steady top {61.25}, bottom {38.75}")
print(f"heat {1.2345} kWh")
```

```text
steady top 61.25, bottom 38.75
heat 1.2345 kWh
```
"""
SCALE = """
```python
for name, ratio, off in (("major third", 386.31, 13.69), ("major sixth", 884.36, 15.64)):
    print(f"{name} {ratio} {off}")
```

```text
major third 386.31 13.69
major sixth 884.36 15.64
```
"""
FEASTS = """
```python
from datetime import date

print("Pentecost", date(2025, 6, 8))
print(date(2008, 3, 23), date(2038, 4, 25))
```

```text
Pentecost 2025-06-08
2008-03-23 2038-04-25
```
"""
REIGNS = """
```python
days = {"Ada": 1947, "Bo": 2351, "Cy": 8642}
peaks = [8.0, 11.2, 12.4]
```
"""
PLANETS = (
    f"{REIGNS}\n| Planet | Mass |\n|---|---|\n| Mars | 0.1 |\n| Venus | 0.8 |\n| Uranus | 14.5 |\n"
)
SHOTS = f"{REIGNS}\n| Name | Shots |\n|---|---|\n| same | same |\n| a | b |\n"
HEADS = "| letter | seen |\n|---|---|\n| 50 m | {} s |\n| 100 m | {} s |\n| 200 m | 131.5 s |"
PAIRS = [
    (REIGNS, "Ada had the shortest time of 1947 days.", "Ada had the longest time of 1947 days."),
    (REIGNS, "The longest time is that of Cy: 8642.", "The longest time is Ada: 1947."),
    (REIGNS, "All three peaks are high.", "All four peaks are high."),
    (PLANETS, "All three planets are round.", "All four planets are round."),
    (SWIM, HEADS.format(27.31, 59.84), HEADS.format(59.84, 27.31)),
    (
        SWIM,
        "At 50 m it is 27.31 s and at 100 m 59.84 s.",
        "At 50 m it is 59.84 s and at 100 m 27.31 s.",
    ),
    (
        SWIM,
        "The slowest took 131.5 s, the quickest 27.31 s.",
        "The slowest took 27.31 s, the quickest 131.5 s.",
    ),
    (
        SWIM,
        "It is slow, 131.5 s, and quick, 27.31 s.",
        "It is slow, 131.5 min, and quick, 27.31 s.",
    ),
    (
        TANK,
        "It lies between a bottom of 38.75 and a top of 61.25.",
        "It lies between a bottom of 61.25 and a top of 38.75.",
    ),
    (TANK, "The heat of 1.2345 kWh is lost.", "The heat of 1.2345 MWh is lost."),
    (TANK, "It heats 210.5 litres with 1.84 kW.", "It heats 210.5 mL with 1.84 kW."),
    (FEASTS, "It is on Sunday 8 June.", "It is on Monday 8 June."),
    (FEASTS, "It was on Sunday, 3 March 2024.", "It was on Monday, 3 March 2024."),
    (
        FEASTS,
        "| feast | day |\n|---|---|\n| Pentecost | 8 June |",
        "| feast | day |\n|---|---|\n| Pentecost | 15 June |",
    ),
    (FEASTS, "Pentecost is on 8 June 2025.", "Pentecost is on 15 June 2025."),
    (
        FEASTS,
        "It is late. Pentecost falls on the 8th of June.",
        "It is late. Pentecost falls on the 9th of June.",
    ),
    (RULE, "With 8 pieces the error is 0.0062.", "With 8 pieces the error is 0.0016."),
    (UNITS, "We measured 1.125 mA.", "We measured 1.125 µA."),
    (TIDE, "Calais has 7.35 m.", "Calais has 6.92 m."),
    (TIDE, "Brest has 6.92 m, Dover 6.71 m.", "Brest has 6.71 m, Dover 6.92 m."),
    (TIDE, "Brest and Dover have 6.92 m and 6.71 m.", "Dover and Brest have 6.92 m and 6.71 m."),
    (TIDE, "It is 6.92 m in Brest, 7.35 in Calais.", "It is 7.35 m in Brest, 6.92 in Calais."),
    (VOTES, "Who says yes gets 63.66 % of all.", "Who says yes gets 36.34 % of all."),
    (VOTES, "Yes has 0.64 and no 0.36.", "Yes has 0.36 and no 0.64."),
    (RAIN, "The median is 2.4 mm.", "The median is 11.8 mm."),
    (RAIN, "The mean is 4.17, the median only 2.4.", "The mean is 2.4, the median only 4.17."),
    (RAIN, "So the largest rain is 11.8.", "So the largest rain is 4.17."),
    (RAIN, "The average is 4.17 mm.", "The average is 4.71 mm."),
    (RAIN, "There are five wet days.", "There are six wet days."),
    (SEARCH, "It takes 3 lookups.", "It takes 4 lookups."),
    (SEARCH, "It needs three rounds.", "It needs two rounds."),
    (SEARCH, "There are seven words.", "There are eight words."),
    (LOAF, "The dough weighs 935.5 g.", "The dough weighs 823.5 g."),
    (TABLE, "Iron has 7.87, zinc 7.14.", "Iron has 7.14, zinc 7.87."),
    (BAKERY, "We baked 12 loaves of rye.", "We baked 31 loaves of rye."),
    (BAKERY, "We sold 12 loaves of rye, 7 of spelt.", "We sold 7 loaves of rye, 12 of spelt."),
    (BAKERY, "The hydration is 68 %.", "The hydration is 72 %."),
    (BAKERY, "The mean is 24.5.", "The mean is 27.0."),
    (TREES, "The birch is 38 years old.", "The birch is 142 years old."),
    (BAKERY, LOAVES.format(7, 31), LOAVES.format(31, 7)),
    (TREES, "The oldest is 310.", "The oldest is 142."),
    (TREES, "The mean height is 16.9.", "The mean height is 19.6."),
    (TREES, "The mass is 5 g.", "The mass is 5 kg."),
]  # fmt: skip

#: Sentences in which the number may belong to something else, and which are not contradicted.
LATE = (
    "```python\nprint('4500 cars: without 67.5 with 90.0')\n```\n\n"
    "```python\nprint('the light: 22.5 s')\n```\n"
)
RACE = "```python\nprint('days', 83, 'weeks', 11, 'rest', 6)\n```\n"
OPEN = [
    (RACE, "It takes 83 days, or 11 full weeks and 6 more days."),
    ("| moves | squares |\n|---|---|\n| 2 | 4 |\n| 3 | 60 |\n", "All 64 squares are reached."),
    (SHOTS, "All four shots are bad."),
    (f"{PLANETS}| Sum | 15.422 |\n", "All three planets are round."),
    (f"{PLANETS}| 2 others | 412.3 |\n", "All five planets are round."),
    (f"{PLANETS}| Mars | 0.11 |\n", "All three planets are round."),
    (f"{PLANETS}|  | 0.11 |\n", "All three planets are round."),
    (REIGNS, "Ada had the second longest time of 3."),
    (REIGNS, "Bo had the longest time of 2351 days."),
    (REIGNS, "The two peaks that we saw are high."),
    (SWIM, "At 50 m he is 31.5 s ahead, at 100 m 59.84 s."),
    (SWIM, "The 100 m came first, then 27.31 s of rest, and the 50 m after 59.84 s."),
    (SWIM, "It rose from 12.5 to 59.84."),
    (TANK, "A tank of 210.5 gallons is larger."),
    (SCALE, "The major sixth is 13.69 cents above another one."),
    (FEASTS, "The next one is on Monday 9 June."),
    (FEASTS, "In 2010 it was on 4 April."),
    (FEASTS, "It was not on Monday, 3 March 2024."),
    (FEASTS, "Was it on Monday, 3 March 2024?"),
    (FEASTS, "It was not on Monday, 8 June 2025."),
    (FEASTS, "Was it on Monday, 8 June 2025?"),
    (FEASTS, "Pentecost is on 9 June 2025?"),
    (FEASTS, "It was on Monday, 31 February 2024."),
    (HEADS, "Of 32 queries, one reads with 32 numbers."),
    (ROWS, "It has 512 rows, and there is no row for position 512."),
    (STONE, "The mean is 24.5 and the median 24.5, too."),
    (STONE, "Both have 24.5 m, and 24.5 m is far."),
    (STONE, "Light travels 299792 km in a second, or 30.9 m in a tenth of a microsecond."),
    (RULE, "With 8 pieces, and then with 16, it is 0.0016."),
    (UNITS, "A snail has 0.0012 km/h, and sound 1235 km/h."),
    (UNITS, "Another wire has 1.125 A."),
    (TIDE, "Without Calais, 6.92 m is the most."),
    (TIDE, "Calais is next, and then come 6.92 m."),
    (TIDE, "From Dover it is not far to a tide of 7.35 m."),
    (TIDE, "The port opposite Dover has 7.35 m."),
    (TIDE, "Calais has more than 6.92 m."),
    (TIDE, "Has Calais 6.92 m?"),
    (TIDE, "If Calais had 6.92 m, it would be dry."),
    (TIDE, "Calais, Brest and Dover: the middle one has 6.92 m."),
    (TIDE, "A ferry leaves Dover 12 times a day."),
    (TIDE, "Next to Brest (6.92 m) is a port with 7.35 m, not Dover."),
    (VOTES, "Yes wins: 0.36 are not enough."),
    (RAIN, "In another year the mean is 2.4."),
    (RAIN, "For the south the median is 11.8."),
    (RAIN, "The mean of the south is 2.4."),
    (RAIN, "The mean is not 2.4."),
    (RAIN, "The mean is 3."),
    (RAIN, "So the largest is 4.17."),
    (RAIN, "The rain is 1, and its mean is 2.4."),
    (HUGE, "The rank is 1."),
    (RAIN, "A year has 5 storms."),
    (RAIN, "After 2 storms it was over."),
    (RAIN, "With luck it has two storms."),
    (SEARCH, "The cat needs 2 lookups."),
    (SEARCH, "Each half needs 2 lookups."),
    (SEARCH, "It takes 2 lookups more."),
    (SEARCH, "It takes at most 4 lookups."),
    (SEARCH, "It takes 4 lookups per word."),
    (SEARCH, "It contains three words with an e."),
    (TABLE, "Iron sinks in lead, at 327 degrees or more."),
    (LOAF, "The house costs 250 euros."),
    (TABLE, "Iron is three times as hard."),
    (BAKERY, "A loaf of rye costs 4 euros in 3 shops; the spelt needs 12 hours to rise."),
    (
        "\n```python\nprint('word 0110011')\n```\n\n```text\nword 0110011\n```\n",
        "There are 16 words.",
    ),
    (BAKERY, "On day 12 the spelt ran out."),
    (BAKERY, "In the spelt bag are 31 kg."),
    (BAKERY, "Rye was 31 euros."),
    (BAKERY, "| flour | days |\n|---|---|\n| rye | 12 |\n| spelt | 12 |\n| wheat | 7 |"),
    (BAKERY, "Twelve rye rolls and seven wheat rolls are free."),
    (BAKERY, "A hydration of 75 % makes big holes."),
    (BAKERY, "Take more water. If so, the hydration is 75 %."),
    (BAKERY, "For pizza it is less. For rye it is more. The hydration is 75 %."),
    (TREES, "The oak stands 38 m from the gate."),
    (TREES, "An oak is felled after 38 years in some countries."),
    (TREES, "Behind the oak a birch of 9.6 m grows."),
    (TREES, "The birch lost 142 leaves in an hour."),
    (TREES, "A yew of 38 years is young."),
    (TREES, "After 38 years the yew was moved."),
    (TREES, "The mean height is 55.5 feet."),
    (TREES, "It is spring. The mean height is 12.3."),
    (TREES, "The mass is 5000 mg."),
    (TREES, "The birch has 142 leaves at least."),
    (TREES, "A birch has 142 years to live."),
    (TREES, "The yew is 17.8 km away."),
    ("```python\nloss = -340.5\ngain = 12.25\n```", "The loss is 340.5 euros."),
    ("```python\nlinks, pitch = 114, 12.7\n```", "The chain has 114 links of 12.7 mm."),
    (LATE, "With 4500 cars the loss is 22.5 minutes."),
]


def contradictions(folder: Path, text: str) -> list[Check]:
    (folder / "Note.md").write_text(f"# Note\n{text}\n")
    vault = Vault(folder)
    (note,) = vault.notes.values()
    found = [check for check in inspect(note, vault) if check.outcome == FAILS]
    assert all(check.kind == "number" for check in found), found
    return found


def contradicted(folder: Path, text: str) -> list[str]:
    return [check.what for check in contradictions(folder, text)]


@pytest.mark.parametrize(("page", "right", "wrong"), PAIRS)
def test_a_number_with_the_role_of_another_one_is_contradicted(
    tmp_path: Path, page: str, right: str, wrong: str
) -> None:
    assert contradicted(tmp_path, f"{page}\n{right}") == []
    assert contradicted(tmp_path, f"{page}\n{wrong}") != []


@pytest.mark.parametrize(("page", "text"), OPEN)
def test_a_number_whose_role_is_in_doubt_is_not_contradicted(
    tmp_path: Path, page: str, text: str
) -> None:
    assert contradicted(tmp_path, f"{page}\n{text}") == []


def test_a_message_has_the_words_of_the_page(tmp_path: Path) -> None:
    code = (
        'for name, metres in (("sunny shade", 6.92), ("deep cave", 7.35)):\n    print(name, metres)'
    )
    page = f"\n```python\n{code}\n```\n\nThe sunny shade has 7.35.\n"
    (check,) = contradictions(tmp_path, page)
    assert check.why == "7.35: output at line 6 has 6.92 for sunny shade, and 7.35 for deep cave"


def test_a_word_that_begins_as_a_month_does_is_none() -> None:
    dates = Dates(lexicon())
    assert list(dates.contradictions(parse("We found 23 marbles on Monday 3 marbles, 2024."))) == []
    for march in ("March", "Mar"):
        assert len(list(dates.contradictions(parse(f"It was Monday 3 {march} 2024.")))) == 1


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("There are 6 steps in all.", True),
        ("There are 6 among them.", False),
        ("There are 6 in all.", False),
        ("There are 6 below.", False),
        ("(It takes 6 steps)", True),
        ("(For Ann, it takes 6 steps)", False),
    ],
)
def test_a_number_counts_only_a_noun_of_the_page(text: str, counts: bool) -> None:
    (own,) = sentences(parse(text), lexicon())
    assert bool(counted_noun(own, own.numbers[0])) is counts


def test_a_sentence_in_brackets_may_be_about_another_case() -> None:
    parsed = [
        next(sentences(parse(text), lexicon()))
        for text in ("(Now look, the gap is 8)", "(At noon, the gap is 8)")
    ]
    assert [subject_stems(own, own.numbers[0]) for own in parsed] == [["gap"], []]
