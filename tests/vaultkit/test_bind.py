"""Bindings that are proposed: a note in, the bound note out; and that nothing else is changed."""

import ast
import contextlib
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from vaultkit.checks.check import FAILS
from vaultkit.doors.command_line import main
from vaultkit.edit.bind import harmless, insertions, propose
from vaultkit.edit.expressions import collected
from vaultkit.edit.printed import expressions_in_code
from vaultkit.edit.sentences import Candidate, Proposal
from vaultkit.edit.text import Edit, Span, text_with_edits
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.markdown import parse
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault

CODE = """
wins = {"stay": 0.3295, "switch": 0.6705, "wait": 0.512}
games = 20_000
hydration = 325.0 / 478
pH, pH_after = 4.584, 4.76
cities = ["Oslo", "Cairo", "Quito", "Lima"]
height = [23.0, 75.0, 2850.0, 154.0]
results = [("A", 2), ("B", 1), ("C", 5)]
steps = 5
spread = [0.9, 0.41, 0.12, 0.03]
lost = [3, 5, 7]
bonus, tiles, loss, layers, B, day = 2, 64, 9.5, 4, 7, 6
votes = {"red": 9, "blue": 4, "green": 2}
walk, ride = 3.2, 1.6
months = ["Jan", "Feb", "Mar", "Apr", "May"]
rain = [88.5, 62.5, 41.5, 55.5, 71.5]
mild = 6
quota = 0.125
ticks = [0, 2, 4, 6, 8, 10, 12]
print("days above freezing:", mild)
print(f"entropy {1.823:.3f}")
for label, share in wins.items():
    print(label, f"{share:.1%}")
"""


def read(prose: str, code: str = CODE) -> tuple[Note, list[Proposal]]:
    """Return a note and its proposals; its block is above the prose."""
    note = parse(f"# Note\n\n```python\n{code.strip()}\n```\n\n{prose}\n", Path("Note.md"))
    variables: dict[str, Any] = {}
    found = {}
    for number, block in enumerate(note.blocks):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(block.fence.text, variables)
        found[number] = collected(note, variables)
    return note, propose(note, found)


def bound(prose: str, code: str = CODE) -> str:
    """Return the prose with the bindings that are accepted unseen."""
    note, proposals = read(prose, code)
    chosen = [(one, one.candidates[0]) for one in proposals if one.accepted]
    return text_with_edits(note.text, insertions(note, chosen)).partition("```\n\n")[2].rstrip("\n")


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("The dough has a hydration of 68.0 %.",
         "The dough has a hydration of 68.0 %<!-- = hydration -->."),
        ("Who has to switch wins 67.05 % of the games.",
         "Who has to switch wins 67.05 %<!-- = wins['switch'] --> of the games."),
        ("It converges in five steps.", "It converges in five<!-- = steps --> steps."),
        ("Quito has the greatest height, 2850 m.",
         "Quito has the greatest<!-- height[2] == max(height) --> height,"
         " 2850 m<!-- = height[2] # m -->."),
        ("The spread falls each time.",
         "The spread falls<!-- all(b < a for a, b in zip(spread, spread[1:])) --> each time."),
        ("| city | height |\n|---|---|\n| Oslo | 23 |\n| Lima | 154 |",
         "| city | height |\n|---|---|\n| Oslo | 23<!-- = height[0] --> |"
         "\n| Lima | 154<!-- = height[-1] --> |"),
        ("The bonus is 2.", "The bonus is 2<!-- = bonus -->."),
        ("There are four cities, and A has 2 points.",
         "There are four<!-- = len(cities) --> cities, and A has 2 points."),
        ("Red got 9 votes, blue 4 and green 2.",
         "Red got 9<!-- = votes['red'] --> votes, blue 4<!-- = votes['blue'] -->"
         " and green 2<!-- = votes['green'] -->."),
        ("Two colours had more than 3 votes.",
         "Two<!-- = sum(v > 3 for v in votes.values()) --> colours had"
         " more<!-- sum(v > 3 for v in votes.values()) == 2 --> than 3 votes."),
        ("Red has more than twice as many votes as blue.",
         "Red has more than twice<!-- = votes['red'] / votes['blue'] --> as many votes as blue."),
        ("A loss of 9.5 is above the bonus of 2.",
         "A loss of 9.5<!-- = loss --> is above the bonus of 2<!-- = bonus -->."),
        ("The ride took 1.6 h, which is half of the walk.",
         "The ride took 1.6<!-- = ride # h --> h,"
         " which is half<!-- = ride / walk --> of the walk."),
        ("From Mar on the rain rises.",
         "From Mar on the rain rises"
         "<!-- all(b > a for a, b in zip(rain[2:], rain[3:])) -->."),
        ("The rain was least in the third month, with 41.5 mm.",
         "The rain was least<!-- rain[2] == min(rain) -->"
         " in the third<!-- = rain.index(min(rain)) + 1 --> month,"
         " with 41.5 mm<!-- = min(rain) # mm -->."),
        ("The hydration is 0.6799, so more than half is water.",
         "The hydration is 0.6799<!-- = hydration -->, so more than half<!-- hydration > 0.5 -->"
         " is water."),
        ("Of 6 days above freezing nobody spoke.",
         "Of 6<!-- = mild --> days above freezing nobody spoke."),
        ("Of the day, 60 of 250 mg, about a quarter, are left.",
         "Of the day, 60 of 250 mg, about a quarter<!-- = 60 / 250 -->, are left."),
        ("Of the votes, red has more than half.",
         "Of the votes, red has more than half"
         "<!-- = votes['red'] / sum(votes.values()) -->."),
        ("The rain was 71.5 mm in May, below the usual 80 mm.",
         "The rain was 71.5 mm<!-- = rain[-1] # mm --> in May,"
         " below<!-- rain[-1] < 80 --> the usual 80 mm."),
        ("The list has 12 parts in code, `12`, and $12$.",
         "The list has 12 parts in code, `12`, and $12$."),
    ],
)  # fmt: skip
def test_what_the_sentence_names_is_bound(prose: str, expected: str) -> None:
    assert bound(prose) == expected


LABELS = """
jumps = [("Eva", 420), ("Ida", 390), ("Liv", 512)]
for name, jump in jumps:
    print(f"{name} jumps {jump / 100} m, run up {jump / 40} m")
catch = {"robin": 41, "wren": 9, "finch": 28, "tit": 33}
weight = {"robin": 18.2, "wren": 9.0, "finch": 24.1, "tit": 11.0}
leaves = {"slow": "07:10", "express": "08:05"}
doughs = [("rye", 500, 340), ("bagel", 600, 330), ("roll", 400, 320)]
for name, flour, water in doughs:
    print(f"{name} hydration {water / flour:.2f}")
mug, flask = [90.0, 62.5, 45.8, 35.6], [91.0, 84.6, 79.7, 75.1]
names, gravity = ["Mercury", "Venus", "Mars", "Earth"], [3.7, 8.9, 3.7, 9.8]
days, level = ["Mon", "Tue", "Wed", "Thu", "Fri"], [2.1, 2.35, 3.05, 2.8, 2.2]
life_mug, life_flask = 13.9, 86.6
"""


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("Wrens are lighter than robins.",
         "Wrens are lighter<!-- weight['wren'] < weight['robin'] --> than robins."),
        ("The finch is the heaviest, the wren the lightest.",
         "The finch<!-- = max(weight, key=weight.get) --> is the"
         " heaviest<!-- weight['finch'] == max(weight.values()) -->, the"
         " wren<!-- = min(weight, key=weight.get) --> the"
         " lightest<!-- weight['wren'] == min(weight.values()) -->."),
        ("None of the birds weighs more than 25 g.",
         "None of the birds weighs more"
         "<!-- not any(v > 25 for v in weight.values()) --> than 25 g."),
        ("Most birds have a weight above 10 g.",
         "Most birds have a weight"
         " above<!-- sum(v > 10 for v in weight.values()) > len(weight) / 2 --> 10 g."),
        ("Two of the three jumps are longer than four metres.",
         "Two<!-- = sum((v[1] / 100) > 4 for v in jumps) --> of the three"
         "<!-- = len(jumps) --> jumps are"
         " longer<!-- sum((v[1] / 100) > 4 for v in jumps) == 2 --> than four metres."),
        ("Half of the birds weigh 15 g or more.",
         "Half<!-- = sum(v >= 15 for v in weight.values()) / len(weight) --> of the birds weigh"
         " 15 g or more<!-- sum(v >= 15 for v in weight.values()) == len(weight) / 2 -->."),
        ("Only one of the lifes is longer than a day.",
         "Only one of the lifes is longer than a day."),  # two of them
        ("The slow train leaves before the express.",
         "The slow train leaves before<!-- leaves['slow'] < leaves['express'] --> the express."),
        ("The bagel takes the most flour.",
         "The bagel<!-- = max(doughs, key=lambda v: v[1])[0] --> takes the"
         " most<!-- doughs[1][1] == max(v[1] for v in doughs) --> flour."),
        ("Mercury and Mars have the same gravity.",
         "Mercury and Mars have the same<!-- gravity[0] == gravity[2] --> gravity."),
        ("The flask cools steadily from 91.0 to 75.1 degrees.",
         "The flask cools steadily from 91.0<!-- = flask[0] --> to 75.1<!-- = flask[-1] -->"
         " degrees."),
        ("Down the list the flask falls to 75.1.",
         "Down the list the flask falls<!-- all(b < a for a, b in zip(flask, flask[1:])) --> to"
         " 75.1<!-- = flask[-1] -->."),
        ("Each day it fell.", "Each day it fell."),  # the mug, or the flask?
        ("Two of the four have levels of 2.8 or more.",
         "Two of the four have levels of 2.8 or more."),  # there are five
        ("Two of the five have levels of 2.8 or more.",
         "Two<!-- = sum(v >= 2.8 for v in level) --> of the five have levels of 2.8 or"
         " more<!-- sum(v >= 2.8 for v in level) == 2 -->."),
        ("Only the first level is below 2.15 m.",
         "Only the first level is below<!-- sum(v < 2.15 for v in level) == 1 and level[0] < 2.15"
         " --> 2.15 m."),
        ("The finch is the only bird above 20 g.",
         "The finch is the only bird"
         " above<!-- sum(v > 20 for v in weight.values()) == 1 and weight['finch'] > 20 --> 20 g."),
        ("The line robin-wren is the longest.", "The line robin-wren is the longest."),
        ("The life of the flask is longer than that of the mug.",
         "The life of the flask is longer<!-- life_flask > life_mug --> than that of the mug."),
        ("Robins were caught most often.",
         "Robins were caught most often<!-- catch['robin'] == max(catch.values()) -->."),
        ("The weight of robins is twice that of wrens.",
         "The weight of robins is twice<!-- = weight['robin'] / weight['wren'] --> that of wrens."),
        ("Robins outweigh wrens by 9.2 g.",
         "Robins outweigh<!-- weight['robin'] > weight['wren'] --> wrens"
         " by 9.2 g<!-- = weight['robin'] - weight['wren'] # g -->."),
        ("The finch is older than the tit.", "The finch is older than the tit."),
        ("The tit sings longer than the wren.", "The tit sings longer than the wren."),
        ("The wren is the most beautiful bird.", "The wren is the most beautiful bird."),
    ],
)  # fmt: skip
def test_labels_are_compared_in_the_list_that_the_sentence_means(prose: str, expected: str) -> None:
    assert bound(prose, LABELS) == expected


def test_the_text_before_each_printed_value_is_its_name() -> None:
    code = "import numpy as np\nx = np.array([1.5, 2.25, 3.3])\n"
    code += "print('mean', round(x.mean(), 1), 'median', np.median(x))"
    assert bound("The median is 2.2.", code) == "The median is 2.2<!-- = np.median(x) -->."
    assert bound("The mean is 2.35 and the median 2.25.", code) == (
        "The mean is 2.35<!-- = x.mean() --> and the median 2.25<!-- = np.median(x) -->."
    )


def test_a_count_of_things_is_the_length_of_all_lists() -> None:
    code = "bills = [20.5, 31.0, 24.0]\nkwh = [110, 160, 135]"
    assert bound("In three months nobody complained.", code) == (
        "In three<!-- = len(kwh) --> months nobody complained."
    )
    for prose in ("Three hours were long.", "The other three months were dry.", "It came in May."):
        assert bound(prose, code) == prose
    other = f"{code}\ncolours = ['red', 'green', 'blue', 'grey']"
    assert bound("In three months nobody complained.", other) == (
        "In three months nobody complained."
    )


def test_a_superlative_is_of_the_bound_number_beside_it() -> None:
    code = "total = 1000\nfor n in (3, 5, 9):\n    print(n, f'{total / n:.2f}')"
    assert bound("The largest part has 333.33.", code) == (
        "The largest<!-- total / 3 == max(total / k for k in (3, 5, 9)) --> part has"
        " 333.33<!-- = total / 3 -->."
    )
    assert bound("The largest part has not 111.11.", code) == (
        "The largest part has not 111.11<!-- = total / 9 -->."
    )


def test_what_a_loop_in_a_loop_prints_has_two_labels() -> None:
    code = "x = {'Rome': 41.9, 'Oslo': 59.91, 'Kiev': 50.45}\n\n"
    code += "def far(a, b): return abs(x[a] - x[b])\n\n"
    code += "towns = list(x)\nfor n, a in enumerate(towns):\n    for b in towns[n + 1:]:\n"
    code += "        print(f'{a}-{b} {far(a, b):.2f}')"
    distances = "far('Rome', 'Oslo'), far('Rome', 'Kiev'), far('Oslo', 'Kiev')"
    assert bound("Rome-Oslo is the longest.", code) == (
        f"Rome-Oslo is the longest<!-- far('Rome', 'Oslo') == max({distances}) -->."
    )


@pytest.mark.parametrize(
    ("prose", "condition"),
    [
        ("Few of the trees with no leaves are below 20 m.", ""),
        ("Some of the trees that have no leaves are below 20 m.", ""),
        (
            "Two of the trees that have no leaves are below 26 m.",
            "sum(v < 26 for v in trees)",
        ),
        ("The wood has no trees below 20 m.", "not any(v < 20 for v in trees)"),
        ("No tree of these few is below 20 m.", "not any(v < 20 for v in trees)"),
        ("All but two of the five trees are below 26 m.", ""),
        ("All trees but two are below 26 m.", ""),
        ("All trees are tall, but two are below 26 m.", "sum(v < 26 for v in trees) == 2"),
    ],
)
def test_the_quantifier_is_the_word_that_says_of_how_many(prose: str, condition: str) -> None:
    _, proposals = read(prose, "trees = [22.0, 25.5, 28.0, 27.0, 31.0]")
    found = [one.candidates[0].code for one in proposals if one.text in ("below", "Two")]
    assert found == [condition] * bool(condition)


def test_equal_cells_of_a_column_are_different_elements() -> None:
    table = "| day | sales |\n|---|---|\n| a | {} |\n| b | {} |\n| c | {} |"
    cells = "51<!-- = sales[0] -->", "51<!-- = sales[1] -->"
    assert bound(table.format(51, 51, 73), "sales = [51, 51, 73]") == (
        table.format(*cells, "73<!-- = sales[-1] -->")
    )
    assert bound(table.format(51, 51, 51), "sales = [51, 51, 51]") == (
        table.format(*cells, "51<!-- = sales[-1] -->")
    )
    # There are more cells with this number than elements.
    same = table.format(51, 73, 51)
    assert bound(same, "sales = [51, 73]") == same


@pytest.mark.parametrize(
    ("loop", "printed"),
    [
        ("print(n, n - prev)\n    prev = n", set()),
        ("total = total + n\n    print(n, total)", set()),
        ("for m in xs:\n        print(m - prev)\n    prev = n", set()),
        ("for m in xs:\n        last = m + n\n    print(n, last)", set()),
        ("print(n)\n    n = 2 * n", set()),
        ("n = 2 * n\n    print(n)", {"2 * xs[0]", "2 * xs[1]"}),
        ("for m in xs[:1]:\n        print(m + n)\n    last = n", {
            "xs[:1][0] + xs[0]", "xs[:1][0] + xs[1]"}),
        ("rest = [k for k in xs]\n    print(n + rest[0])", {
            "xs[0] + [k for k in xs][0]", "xs[1] + [k for k in xs][0]"}),
    ],
)  # fmt: skip
def test_a_loop_whose_turns_need_earlier_ones_is_not_unrolled(loop: str, printed: set[str]) -> None:
    code = f"xs = [5, 8]\nprev = total = last = 3\nfor n in xs:\n    {loop}"
    variables = {"xs": [5, 8], "prev": 8, "total": 16, "last": 16, "n": 8, "m": 8}
    found = expressions_in_code(ast.parse(code).body, variables)
    assert {ast.unparse(one.node) for one in found if one.series} == printed


def test_code_of_any_form_is_read() -> None:
    # The code of a list may have a colon, as the name of a series of a loop has.
    code = "held = ['ab', 'cd', 'ef']\nsorted({p: n for n, p in enumerate(held)}.values())"
    assert bound("The largest number is 3.", code) == "The largest number is 3."


def test_a_name_may_be_a_word_without_its_vowels() -> None:
    code = "rng, other = [2.5, 3.25, 4.75, 4.25], [1, 2, 4, 3]"
    assert bound("The range grows until the third day.", code) == (
        "The range grows<!-- all(b > a for a, b in zip(rng[:3], rng[1:3])) --> until the third day."
    )


def test_labels_of_letters_and_digits_are_compared() -> None:
    code = "steps = {'A4': 0, 'B4': 2, 'C5': 3}"
    assert bound("B4 sits below C5.", code) == "B4 sits below<!-- steps['B4'] < steps['C5'] --> C5."


def test_what_no_other_expression_comes_near_is_bound() -> None:
    code = "def ph(base): return 4.755 + base / 10\nprint(f'{ph(0.05):.3f}, {ph(0.2):.2f}')"
    text = "Half of it lowers the value to 4.760"
    assert bound(f"{text}.", code) == f"{text}<!-- = ph(0.05) -->."
    # A number of two digits may be the rounding of something else.
    code = "def far(angle): return 29.97 + angle\nprint(f'{far(0):.2f}')"
    assert bound("It is thrown at 30 degrees.", code) == "It is thrown at 30 degrees."


@pytest.mark.parametrize(
    "prose",
    [
        "Two of us went there twice, 12 years ago.",  # nothing on the page
        "It costs 5 euros.",  # a small number that meets one by chance
        "No more than 5 steps are needed.",  # a bound
        "He lost 3 games, more or less.",
        "See [the 20,000 games](https://example.org) and [[Note|5 steps]].",
        "A third of the people left.",  # 0.3295 by chance
        "In 1990 the second edition came out.",
        "It takes more time than money.",
        "The 5s and the 1990s.",
        "The games come close to 1, and the lost ones to 2.",  # 0, 1 and 2 agree by chance
        "Cairo has the widest river.",  # another superlative
        "In half precision the pressure is written.",  # a term
        "In 64 of the oldest cases there were broken tiles.",  # named, but elsewhere
        "The loss in its layers was larger than before the layers.",
        "A Boeing 7B has hydration.",
        "Day 6, early: nobody came to the day itself.",
        "Together red and blue have more than half of everything.",  # a sum, and no ratio
        "Green is the largest house.",
        "It is 12.5 % of the quota.",  # a part of it, and not the quota itself
        "In city 4 there were 9.75 bonus points for all cities.",
        "Red leads with ten points, two ahead of green.",
        "In [[Dough]] the hydration was 68.0 %.",  # the number of another note
        "The ticks rise, and begin at index 4.",  # a grid, and an element by its place
    ],
)
def test_nothing_is_accepted_where_nothing_fits(prose: str) -> None:
    assert bound(prose) == prose


def test_an_element_without_its_label_is_asked_and_not_accepted() -> None:
    _, proposals = read("In the end it wins 67 % of them.")
    assert not any(one.accepted for one in proposals)


@pytest.mark.parametrize(
    "prose",
    [
        "Oslo has a height of 23.0, and that was 23.0 before.",  # which of the two?
        "The wins by pressure grow with the spread.",
        "The score of the day is 6.",
    ],
)
def test_what_may_mean_something_else_is_asked(prose: str) -> None:
    assert bound(prose) == prose


def test_comments_that_are_harmless_alone_may_not_be_so_together() -> None:
    note = parse("The sum is **3**.")
    edits = [Edit(Span(1, column, 1, column), "<!-- = s -->") for column in (13, 14)]
    assert [harmless(note, [edit]) for edit in edits] == [[edit] for edit in edits]
    assert harmless(note, edits) == edits[:1]


def test_a_binding_that_would_not_hold_is_left_out() -> None:
    note = parse("It takes 4.0 hours.")
    wrong = Proposal("4.0", "", 1, 13, (Candidate("x", 1.0, True, value=5.0),))
    right = Proposal("4.0", "", 1, 13, (Candidate("x", 1.0, True, value=4.0),))
    assert insertions(note, [(wrong, wrong.candidates[0])]) == []
    edits = insertions(note, [(right, right.candidates[0])])
    assert text_with_edits(note.text, edits) == "It takes 4.0<!-- = x --> hours."


def test_a_sum_that_overflows_is_not_proposed() -> None:
    assert read("It is 12.5 in total.", 'd = {"a": 1e308, "b": 1.2e308}')[1] == []


def test_a_second_run_adds_nothing() -> None:
    prose = "It converges in five steps, and the hydration is 68.0 %."
    once = bound(prose)
    assert once != prose
    assert bound(once) == once


def test_given_numbers_stay_given() -> None:
    prose = "A hydration of 68.0 %<!-- given: the recipe --> and five steps %%really%%."
    assert bound(prose) == prose.replace("five", "five<!-- = steps -->")


def test_a_name_has_the_value_of_the_block_above_or_else_below() -> None:
    note = "A rate of 0.25 first.\n\n```python\nrate = 0.125\n```\n\nThen a rate of 0.125."
    assert bound(note, "rate = 0.25") == (
        "A rate of 0.25<!-- = rate --> first.\n\n```python\nrate = 0.125\n```\n\n"
        "Then a rate of 0.125<!-- = rate -->."
    )


@pytest.mark.parametrize(
    ("code", "prose", "expected"),
    [
        ("sizes = {n: n ** 3 for n in (2, 7)}\nfor n in sizes:\n    print(n, 100 / sizes[n])",
         "With a size of 7 it is 0.2915.", "100 / sizes[7]"),
        ("rows = []\nfor k in range(4):\n    rows.append((k, 1.5 ** k))\nrest = 0",
         "Nothing at all, 7.", ""),
        ("def area(r):\n    return 3.14159 * r * r\nprint('area', area(4.0))",
         "Its area is 50.27.", "area(4.0)"),
    ],
)  # fmt: skip
def test_what_a_block_prints_is_an_expression(code: str, prose: str, expected: str) -> None:
    _, proposals = read(prose, code)
    assert expected in [one.code for p in proposals for one in p.candidates] + [""]


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nx = np.zeros((0, 3)); y = np.array(5.0); z = np.array([])",
        "x = [[1, 2], [3, [4, (5,)]]]; y = {1: {2: (3, 4)}, (1, 2): [5]}; z = {frozenset({1})}",
        "x = float('nan'); y = 10 ** 400; z = [x, y]; w = 1j; v = b'0'; u = None; t = range(3)",
        "class A:\n    def __len__(self):\n        raise ValueError\nx = A(); y = [A()]",
        "x = [1, 2]\nx.append(x)\ny = iter(x)\nfor a, *b in [(1, 2, 3)]:\n    print(a, b)",
        "for a, b in zip('ab', [1, 2]):\n    c = a * b\n    print(c, f'{b / 3:.2f}')",
    ],
)
def test_any_value_is_survived(code: str) -> None:
    assert isinstance(bound("The value is 5 or 0.33.", code), str)


def test_expressions_do_not_change_the_variables() -> None:
    code = "x = [3, 1]\nprint(x.pop)\ny = x.append\ncount = len([x.sort()])"
    note = parse(f"# Note\n\n```python\n{code}\n```\n")
    variables: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, variables)
        before = list(variables["x"])
        collected(note, variables)
    assert variables["x"] == before


NOTE = """\
# Loaf

```python
flour, water = 500.0, 340.0
hydration = water / flour
steps = 5
print(f"hydration {hydration:.1%}")
```

```text
hydration 68.0%
```

It has a hydration of 68.0 %.\r
It takes five steps, and 500 g.
"""


def test_the_command_writes_what_is_sure_and_checks_hold(tmp_path: Path) -> None:
    path = tmp_path / "Loaf.md"
    path.write_text(NOTE, newline="")
    result = CliRunner().invoke(main, ["bind", str(path), "--accept"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    text = path.read_bytes().decode()
    assert "68.0 %<!-- = hydration -->.\r\n" in text
    assert "five<!-- = steps --> steps" in text
    vault = Vault(tmp_path)
    checks = list(inspect(vault.notes[path], vault))
    assert sum(check.kind == "sentence" for check in checks) >= 2
    assert not [check for check in checks if check.outcome == FAILS]
    assert CliRunner().invoke(main, ["bind", str(path), "--accept"]).exit_code == 0
    assert path.read_bytes().decode() == text


def test_the_command_writes_nothing_that_fails_in_the_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The value of a candidate comes from a copy of the variables; the note may not know the name.
    def of_a_copy(note: Note, found: Mapping[int, Any]) -> list[Proposal]:
        proposals = propose(note, found)
        wrong = replace(proposals[0].candidates[0], code="dough['hydration']")
        return [replace(proposals[0], candidates=(wrong,)), *proposals[1:]]

    monkeypatch.setattr("vaultkit.doors.binding.propose", of_a_copy)
    path = tmp_path / "Loaf.md"
    path.write_text(NOTE, newline="")
    result = CliRunner().invoke(main, ["bind", str(path), "--accept"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    text = path.read_bytes().decode()
    assert "68.0 %.\r\n" in text
    assert "five<!-- = steps --> steps" in text
    assert "dough" not in result.output


def test_the_command_asks(tmp_path: Path) -> None:
    path = tmp_path / "Loaf.md"
    path.write_text(NOTE, newline="")
    answers = CliRunner().invoke(main, ["bind", str(path)], input="n\ny\nq\n")
    assert "line 14: It has a hydration of 68.0 %." in answers.output
    text = path.read_bytes().decode()
    assert "68.0 %." in text
    assert "five<!-- = steps --> steps" in text


def test_the_command_refuses_what_is_no_note(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("no note")
    result = CliRunner().invoke(main, ["bind", str(tmp_path / "x.txt")])
    assert result.exit_code == 2
