"""Words that a comment binds to code are compared with its value, and with what it states."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown import markdown

from vaultkit.checks.check import FAILS, GENERAL, HERE, HOLDS, Check
from vaultkit.checks.evidence import parts
from vaultkit.edit.actions import code_actions
from vaultkit.edit.hover import hover_text
from vaultkit.edit.text import Span
from vaultkit.pipeline.inspect import Settings, inspect
from vaultkit.pipeline.ledger import describe_proven
from vaultkit.pipeline.update import REWRITTEN, apply_edits
from vaultkit.read.vault import Vault
from vaultkit.render.host import EXTENSIONS
from vaultkit.site.runnable import zip_files

SUBJECTS = {
    "statistics": """
import numpy as np
wins = {"stay": 0.3295, "switch": 0.6705}
games = 10_000
sample = np.array([2.0, 3.0, 3.0, 8.0, 14.0])
mean, median = sample.mean(), np.median(sample)
share = np.mean(sample > 3)
""",
    "numerics": """
import numpy as np
from itertools import pairwise
steps, limit = 5, 20
errors = [0.9, 0.4, 0.1, 0.02, 0.003]
A = np.array([[2.0, 1.0], [1.0, 3.0]])
err_newton, err_bisect = 1e-12, 1e-6
n_iter_newton, n_iter_bisect = 5, 27
x = np.linalg.solve(A, [3.0, 4.0])
half = errors[1] / errors[0]
""",
    "graphs": """
distance = {"a": 0, "b": 2, "c": 4, "f": 9}
path = ["a", "b", "f"]
edges = {("a", "b"): 2, ("b", "f"): 7, ("a", "c"): 4}
def reaches(start, end): return end in distance
degree = {"Oak": 4, "Elm": 2}
cups = {"Milk": 1.5, "Coffee": 4.25}
prices = {"tea": 1.5, "coffee": 2.5}
def count(tree): return degree[tree]
""",
    "physics": """
depth = 408e3
sag = 0.0125
t_before, t_after = 293.0, 280.5
energies = [1.5, 2.5, 0.75]
speed_car, speed_train = 30.0, 75.0
time_car, time_train = 5.0, 2.0
""",
    "dates": """
import datetime
start = datetime.date(2026, 11, 23)
end = datetime.date(2027, 2, 1)
best = "Thursday"
cities = {"Lima": 10.1, "Oslo": 0.7, "New York": 8.3}
""",
    "finance": """
balance = [1000.0, 1050.0, 1102.5]
banks = ["east", "west", "north"]
rate = growth = 0.05
loss_a, loss_b = 0.31, 0.27
accuracy_a, accuracy_b = 0.81, 0.86
fees = 0
""",
}
#: By subject: true sentences, and in braces, behind a bar, what a slip makes of their words.
PAIRS = {
    "statistics": """
the smallest has the {largest|smallest} square<!-- (min(sample) - 9)**2 == max((sample - 9)**2) -->
Who switches wins {67.05|32.95} %<!-- = wins["switch"] -->
{Who switches|Who stays} wins more often<!-- wins["{switch|stay}"] > wins["{stay|switch}"] -->
about {twice|three times}<!-- = wins["switch"] / wins["stay"] --> as often
about {half|a third}<!-- = wins["stay"] / wins["switch"] -->
{more|less} than half<!-- = wins["switch"] -->
{two|one} in three<!-- = wins["switch"] --> games
{2|3} of 5<!-- = share --> and {two|three} out of five<!-- = share -->
{two|three} {thirds|quarters}<!-- = wins["switch"] -->
of {10|1},000<!-- = games --> games
the mean is {larger|smaller}<!-- mean > median -->
larger<!-- mean {>|<} median -->
The mean, 6.0<!-- = {mean|median} -->, is above the median<!-- mean > median -->
The mean is {above|below} the median<!-- mean > median -->
The mean {exceeds|does not exceed} it<!-- mean > median -->
{fewer|more} than half<!-- = share --> are large
{few|most}<!-- share < 0.5 --> are large
{40|60} %<!-- = share --> are
{two|three}<!-- = sum(sample > 3) --> are
the {fifth|fourth}<!-- = sample.argmax() + 1 --> is
the {maximum|minimum}, 14<!-- = sample.max() -->
The {mean|median} is 6<!-- = sample.mean() -->
The {mean|median} is 6<!-- = mean -->
{most|all} are larger<!-- sum(s > 2 for s in sample) > len(sample) / 2 --> than 2
most are {larger|smaller}<!-- sum(s > 2 for s in sample) > len(sample) / 2 --> than 2
most are larger<!-- sum(s > 2 for s in sample) > len(sample) / 2 --> than {2|3}
most are above<!-- sum(s > 2 for s in sample) > len(sample) / 2 --> {2.0|3}
The second smallest is {3|2}<!-- = sorted(sample)[1] -->
The three smallest sum to {8|9}<!-- = sum(sorted(sample)[:3]) -->
The {smallest|largest} is 2<!-- = sorted(sample, reverse=False)[0] -->
The {largest|smallest} is 14<!-- = sorted(sample, reverse=True)[0] -->
The {largest|smallest} is 14<!-- = sorted(sample)[-1] -->
The largest is {14|2}<!-- = sorted(sample, key=lambda s: -s)[0] -->
in {every|no} case it is larger<!-- all(s > 1 for s in sample) --> than 1
""",
    "numerics": """
in {five|six} steps<!-- = steps -->
in {5|6} steps<!-- = steps -->
{286|287}<!-- = 317.8 * errors[0] --> in all
as much weight as {x|y}<!-- x[0] {==|!=} x[1] -->
The {larger|smaller} x, the larger<!-- all((a < b) == (2 * a < 2 * b) for a in x for b in x) --> y
Minus x {falls|grows}<!-- all((a < b) == (-a > -b) for a in x for b in x) --> with x
The error {falls|rises}<!-- all(b < a for a, b in pairwise(errors)) -->
It {falls|grows}<!-- np.diff(errors) < 0 --> each time
It {falls|rises}<!-- errors[0] > errors[-1] -->
It {plummets|soars}<!-- np.diff(errors) < 0 --> and it {dwindles|mounts}<!-- np.diff(errors) < 0 -->
It {always|never} falls<!-- np.diff(errors) < 0 -->
It {never|sometimes} rises<!-- not any(np.diff(errors) > 0) -->
from 0.{9|003}<!-- = errors[0] --> to 0.{003|9}<!-- = errors[-1] -->
0.{9|4}, 0.{4|9} and 0.1<!-- = errors[:3] -->
`A` is no longer {larger|smaller}<!-- A[0, 0] <= 2 --> than 2
The matrix is{| not} symmetric<!-- np.allclose(A, A.T) -->
Both {are equal|differ}<!-- x[0] == x[1] -->
at {most|least} 20 steps<!-- steps <= limit -->
less than {half|a third}<!-- half < 0.5 -->
Newton is {more|less} accurate<!-- err_newton < err_bisect -->
and {faster|slower}<!-- n_iter_newton < n_iter_bisect -->
{four|three} of the five errors<!-- = sum(e < 0.5 for e in errors) -->
h {<|>} 0.5<!-- half < 0.5 -->
{All|None} {are|is} positive<!-- all(e > 0 for e in errors) -->
{None|All} {is|are} negative<!-- not any(e < 0 for e in errors) -->
It {fell|rose} by 0.5<!-- = errors[1] - errors[0] -->
It {fell|rose} by 0.5<!-- = errors[0] - errors[1] -->
They are {close|far}<!-- {np.isclose(x[0], x[1])|not np.isclose(x[0], x[1])} -->
{close|not close}<!-- abs(x[0] - x[1]) < 0.01 -->
above 5, {few|most}<!-- np.mean(np.array(errors) > 0.5) < 0.3 --> are
none<!-- any(e {>|<} 1 for e in errors) == False --> is above 1
not all<!-- {not |}all(e > 0.1 for e in errors) or steps < 1 --> are
the smallest, 3 × 10⁻{³|²}<!-- = min(errors) -->
""",
    "graphs": """
The farthest is `f`, and `a`<!-- = min(distance, key=distance.get) --> the {nearest|farthest}
The {largest|smallest} debt is 9<!-- = -min(-d for d in distance.values()) -->
The farthest node is `{f|c}`<!-- = max(distance, key=distance.get) -->
The {farthest|nearest} node is `f`<!-- = max(distance, key=distance.get) -->
The farthest node is `{f|f`, `g_2}`<!-- = max(distance, key=distance.get) -->
The way is {a|b}, {b|a}, f<!-- = path -->
over {two|three} edges<!-- = len(path) - 1 -->
`b` is {nearer|farther}<!-- distance["b"] < distance["c"] --> than `c`
`f` is{| not} on it<!-- "f" in path -->
{no|one} node<!-- = sum(d < 0 for d in distance.values()) --> is
`f` is the {most distant|closest}<!-- distance["f"] == max(distance.values()) -->
The {oak|elm} is commoner<!-- count("Oak") > count("Elm") --> than the {elm|oak}
{Milk-free days cost|Milk costs} 4.25<!-- = cups["Coffee"] --> euros
{Teams|Teas} pay more<!-- prices["coffee"] > prices["tea"] --> for coffee
The edge from `{b|f}` to `{f|b}`<!-- = max(edges, key=edges.get) -->
""",
    "physics": """
The car needed 5 s<!-- = time_car -->, so the train is {faster|slower}<!-- time_train < time_car -->
It lasts {more|less} than {one|two} day<!-- t_before > 24 -->
408 {km|m}<!-- = depth --> up
12.5 {mm|cm}<!-- = sag -->
1.{25|52} cm<!-- = sag -->
{cooler|warmer}<!-- t_after < t_before -->
{12|11}.5 K<!-- = t_after - t_before --> cooler
It {dropped|climbed} by 12.5 K<!-- = t_after - t_before -->
the {second|first}<!-- = energies.index(max(energies)) + 1 --> level
The train is {faster|slower}<!-- speed_train > speed_car -->
The train is {faster|slower}<!-- time_train < time_car -->
about {300|400},000 km/s<!-- = 299_792_458 * depth / depth -->
{twice|three times} as long<!-- energies[0] == 2 * energies[2] -->
{2|3}.5 times<!-- = speed_train / speed_car --> as fast
{150|250} % {more|less}<!-- = speed_train / speed_car - 1 -->
4 % {less|more}<!-- = t_after / t_before - 1 -->
energies of 1.5, {|0.75 and }2.5{ and 0.75|} J<!-- = energies -->
""",
    "dates": """
The {city|Lima} has 0.7<!-- = cities["Oslo"] --> million people
{Oslo|Lima} is smaller<!-- cities["Oslo"] < cities["New York"] -->
a {Monday|Sunday}<!-- = start -->
on 23 {November|October} 2026<!-- = start -->
on November {23|22}<!-- = start -->
in {2027|2026}<!-- = end.year -->
{70|71} days<!-- = (end - start).days --> later
on a {Thursday|Tuesday}<!-- = best -->
in {Lima|Oslo}<!-- = max(cities, key=cities.get) -->
the city of{ New|} York<!-- = sorted(cities)[1] -->
{earlier|later}<!-- start < end -->
It begins {before|after}<!-- start < end --> the end
{Oslo|Lima} is smaller<!-- cities["Oslo"] < cities["Lima"] --> than {Lima|Oslo}
{Lima|Oslo} has the least letters<!-- len("Lima") == min(len(c) for c in ("Lima", "Oslo")) -->
There are fewer<!-- cities["Oslo"] < cities["Lima"] --> in {Oslo|Lima} than in {Lima|Oslo}
Oslo is smaller<!-- cities["Oslo"] < cities["Lima"] --> than {Lima|New York}
The largest<!-- cities["Lima"] == max(cities.values()) --> city is {Lima|Oslo}
""",
    "finance": """
of three banks the west{| in north}<!-- = banks[1] -->
the {last|first} balance is the largest<!-- balance[-1] == max(balance) -->
the {third|fifth} balance is the largest<!-- balance[2] == max(balance) -->
the {last|first} balance is 1102.5<!-- = balance[-1] -->
the {last|first} balance, 1102.5<!-- = balance[-1] -->, is it
1000<!-- = balance[0] --> comes first and 1050<!-- = balance[1] --> comes {second|third}
Only the {first|last} is under<!-- sum(b < 1009 for b in balance) == 1 and balance[0] < 1009 -->
The {rate|fees} is 5 %<!-- = rate -->
{No|Every} balance of the three years is below 1,000<!-- not any(one < 1000 for one in balance) -->
{five|six} per cent<!-- = rate -->
{|0.}5 %<!-- = rate -->
{no|two} fees<!-- = fees -->
B is {better|worse}<!-- loss_b < loss_a -->
B is {better|worse}<!-- accuracy_b > accuracy_a -->
It {grew|shrank} by 5 %<!-- = growth -->
It {grows|shrinks} by 50<!-- = balance[1] - balance[0] -->
{10|12}.{25|05} % higher<!-- = balance[2] / balance[0] -->
1.1 {thousand|million}<!-- = balance[2] -->
nearly 1,{103|102}<!-- = balance[2] -->
It exceeds 1,{100|200}<!-- balance[2] > 1100 -->
{The west|The north} has less<!-- balance[1] < balance[2] --> than the last one
less<!-- balance[0] < balance[1] --> in the east than in the {west|north}
the {highest|lowest}<!-- balance[2] == max(balance) -->
""",
}


@pytest.fixture
def found(tmp_path: Path) -> Callable[..., list[Check]]:
    (tmp_path / "docs").mkdir()

    def inspected(text: str, code: str = "", trials: int = 0) -> list[Check]:
        source = f"# A\n\n```python\n{code.strip()}\n```\n\n{text}\n" if code else text
        (tmp_path / "docs" / "A.md").write_text(source)
        vault = Vault(tmp_path / "docs")
        (note,) = vault.notes.values()
        checks = inspect(note, vault, Settings(trials=trials))
        return [check for check in checks if check.kind not in ("block", "link", "formula")]

    return inspected


_SLIP = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")


@pytest.mark.parametrize("subject", PAIRS)
def test_true_sentences_hold_and_slips_are_seen(
    subject: str, found: Callable[..., list[Check]]
) -> None:
    lines = PAIRS[subject].strip().split("\n")
    true = "\n\n".join(f"It is so: {line}." for line in lines)
    held = found(_SLIP.sub(r"\1", true), SUBJECTS[subject])
    assert len(held) >= len(lines)
    assert not [f"{check.what}: {check.why}" for check in held if check.outcome != HOLDS]
    for line in lines:
        assert _SLIP.search(line), line
        checks = found(_SLIP.sub(r"\2", f"It is so: {line}."), SUBJECTS[subject])
        failed = [check for check in checks if check.outcome == FAILS]
        assert {check.kind for check in failed} == {"sentence"}, line


CODE = """
import numpy as np

rng = np.random.default_rng(0)
n = 4
x = rng.normal(size=n) ** 2 + 1
shares = x / x.sum()
weights = [0.15, 0.23, 0.62]
total = 1.0
"""

BOUND = {
    "a row of a table": "| a | 0.15 | 0.23 | 0.62<!-- = weights --> |",
    "behind a row": "| a | 0.15 | 0.23 | 0.62 | <!-- = weights -->",
    "below a row": "| a | 0.15 | 0.23 | 0.62 |\n<!-- = weights -->",
    "a row in Obsidian's way": "| a | 0.15 | 0.23 | 0.62%%= weights%% |",
}


@pytest.mark.parametrize("row", BOUND.values(), ids=BOUND)
def test_a_row_binds_its_numbers_in_order(row: str, found: Callable[..., list[Check]]) -> None:
    table = "| a | b | c | d |\n|---|---|---|---|\n"
    (held,) = found(table + row, CODE)
    assert (held.kind, held.outcome) == ("sentence", HOLDS)
    (swapped,) = found(table + row.replace("0.15 | 0.23", "0.23 | 0.15"), CODE)
    assert swapped.outcome == FAILS
    assert "0.23 is compared with number 1 of weights, 0.15" in swapped.why
    assert swapped.fix
    assert swapped.fix.lines[0].startswith("| a | 0.15 | 0.23 | 0.62")


@pytest.mark.parametrize(
    "text",
    [
        "*A caption with 0.62*<!-- = weights[2] -->",
        "## A title with 0.62<!-- = weights[2] -->",
        "$0.62$<!-- = weights[2] -->",
        "$w = 0.62$<!-- = weights[2] -->",
        "$$\nw \\ge 0.62\n$$\n<!-- = weights[2] -->",
        "**0.62**<!-- = weights[2] -->",
        "[[A|0.62]]<!-- = weights[2] -->",
        "`0.62`<!-- = weights[2] -->",
        "> [!note] 0.62%%= weights[2]%%",
        "It is 0.62\n%%= weights[2] %%",
        "- 0.15, 0.23 and 0.62<!--\n  = weights -->",
        "<p>0.62<!-- = weights[2] --></p>",
    ],
)
def test_comments_bind_in_every_place(text: str, found: Callable[..., list[Check]]) -> None:
    # The formula alone is about a name that the note does not bind.
    (held,) = (check for check in found(text, CODE) if check.kind == "sentence")
    assert held.outcome == HOLDS, held.why
    (wrong,) = (c for c in found(text.replace("62", "63"), CODE) if c.kind == "sentence")
    assert wrong.outcome == FAILS


@pytest.mark.parametrize(
    ("formula", "slip", "code"),
    [
        (r"\sqrt{n}", "n^2", "np.sqrt(n)"),
        ("n - 1", "n + 1", "n - 1"),
        (r"x / n", "x n", "x / n"),
        (r"A x", r"A^\top x", "A @ x"),
        (r"\frac{n}{2}", r"\frac{n}{3}", "n / 2"),
    ],
)
def test_a_formula_without_a_relation_has_the_value_of_its_comment(
    formula: str, slip: str, code: str, found: Callable[..., list[Check]]
) -> None:
    source = f"{CODE}A = rng.normal(size=(4, 4))\n"
    (held,) = found(f"Divide by ${formula}$<!-- = {code} -->.", source)
    assert held.outcome == HOLDS, held.why
    (wrong,) = found(f"Divide by ${slip}$<!-- = {code} -->.", source)
    assert (wrong.kind, wrong.outcome) == ("sentence", FAILS)
    assert f"but {code} is" in wrong.why


@pytest.mark.parametrize("text", ["484 kg", "484", "484 litres", "484 mg"])
def test_a_number_has_the_unit_of_its_comment(text: str, found: Callable[..., list[Check]]) -> None:
    code = "left = 484.0"
    (held,) = found("It is 484 g<!-- = left # g -->.", code)
    (slip,) = found(f"It is {text}<!-- = left # g -->.", code)
    assert (held.outcome, slip.outcome) == (HOLDS, FAILS)
    unit = text.removeprefix("484").strip().replace("litres", "L") or "no unit"
    assert slip.why == f"{slip.what}: left is 484 g, but the text has {unit}"


@pytest.mark.parametrize(
    "text",
    ["13<!-- = x # total -->", "13 %<!-- = x # % -->", "13 €<!-- = x # € -->",
     "$13<!-- = x # $ -->",
     "13 °C<!-- = x # °C -->", "13 days<!-- = x # days -->", "13 kilograms<!-- = x # kg -->",
     "13 kg<!-- = x # kilograms -->", "13 per cent<!-- = x # % -->", "−13 s<!-- = -x # s -->",
     "13<!-- = d[' #a'] -->", "13<!-- = d[' # s'] -->"],
)  # fmt: skip
def test_a_remark_behind_code_may_be_a_unit_in_any_form_or_none(
    text: str, found: Callable[..., list[Check]]
) -> None:
    (held,) = found(f"It is {text}.", "x = 13\nd = {' #a': 13, ' # s': 13}")
    assert held.outcome == HOLDS, held.why


@pytest.mark.parametrize("text", ["13 %<!-- = x # € -->", "13 °C<!-- = x # °F -->"])
def test_signs_are_units(text: str, found: Callable[..., list[Check]]) -> None:
    (slip,) = found(f"It is {text}.", "x = 13")
    assert slip.outcome == FAILS


@pytest.mark.parametrize(
    "comment",
    ["TODO: is this < that?", "work in progress", "not finished", "flashcards", "x -> y",
     "include(n)", "<b>old</b>", "see n and total", "here: it is", "end of list", ""],
)  # fmt: skip
def test_other_comments_are_left_alone(comment: str, found: Callable[..., list[Check]]) -> None:
    code = CODE.replace("total", "see")
    assert not [c for c in found(f"Text<!-- {comment} --> goes on.", code) if c.kind == "sentence"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("three<!-- = -->", "there is no expression"),
        ("three<!-- = n + -->", "n + cannot be read"),
        ("three<!-- = m -->", "no code of this note defines m"),
        ("three<!-- = 1 / 0 -->", "1 / 0 cannot be evaluated: ZeroDivisionError"),
        ("larger<!-- n < -->", "n < cannot be read"),
        ("larger<!-- n > m -->", "no code of this note defines m"),
        ("text<!-- = n -->", "there is no number before n, which is 4"),
        (
            "$h$<!-- = n -->",
            "h: the formula before it cannot be computed: no code of this note defines h",
        ),
        ("three<!-- = float('nan') -->", "is nan"),
        ("three<!-- = print -->", "cannot"),
        ("0.15 and 0.23<!-- = weights -->", "3 numbers, but only 2 before it"),
    ],
)
def test_what_cannot_be_judged_is_a_failure(
    text: str, why: str, found: Callable[..., list[Check]]
) -> None:
    (wrong,) = (check for check in found(text, CODE) if check.kind == "sentence")
    assert wrong.outcome == FAILS
    assert why in wrong.why


def test_code_is_evaluated_at_its_place(found: Callable[..., list[Check]]) -> None:
    later = "\n\n```python\nn = 7\nlate = 9\n```\n\nSeven<!-- = n -->.\n"
    held = found("Four<!-- = n -->, nine<!-- = late -->." + later, CODE)
    assert [(check.what, check.outcome) for check in held] == [
        ("Four", HOLDS), ("nine", HOLDS), ("Seven", HOLDS),
    ]  # fmt: skip
    wrong = found("Seven<!-- = n -->." + later, CODE)
    assert [check.outcome for check in wrong] == [FAILS, HOLDS]


def test_code_has_no_lasting_effects(found: Callable[..., list[Check]]) -> None:
    held = found("Three<!-- = weights.pop() and 3 -->, 0.62<!-- = weights[2] -->.", CODE)
    assert [check.outcome for check in held] == [HOLDS, HOLDS]


def test_a_sentence_holds_in_general_or_here(found: Callable[..., list[Check]]) -> None:
    text = "It is one<!-- = shares.sum() -->, and four<!-- = n --> are positive<!-- x > 0 -->."
    scopes = [check.scope for check in found(text, CODE, trials=4)]
    assert scopes == [GENERAL, HERE, GENERAL]


def test_numbers_are_rewritten_but_words_are_not(tmp_path: Path) -> None:
    path = tmp_path / "A.md"
    before = (
        f"```python{CODE}```\n\nThe share is 61 %<!-- = weights[2] -->, 0.14<!-- = weights[0] -->"
        " or five<!-- = n -->, of 2.50<!-- = total -->.\n"
    )
    path.write_text(before)
    for _ in range(2):
        vault = Vault(tmp_path)
        (note,) = vault.notes.values()
        apply_edits(note, [c.fix for c in inspect(note, vault) if c.fix and c.kind in REWRITTEN])
    after = before.replace("61 %", "62 %").replace("0.14<", "0.15<").replace("2.50", "1.00")
    assert path.read_text() == after


@pytest.mark.parametrize(
    ("text", "value", "now"),
    [
        ("3e5", "420000", "4e5"),
        ("3.0 × 10^5", "420000", "4.2 × 10^5"),
        ("2", "-3", "−3"),
        ("2", "-2", "−2"),
        ("-2", "2", "2"),
        ("5", "0", "0"),
        ("5.0", "0", "0.0"),
        ("0", "0.03", "0.03"),
        ("0.5 %", "-0.25", "−25.0 %"),
        ("It falls by 2", "-3", "It falls by 3"),
        ("It is minus 2", "-3", "It is minus 3"),
        ("It is minus 2", "3", "It is minus 2"),
        ("1,200", "1300", "1,300"),
        ("2 **times**", "3", "3 **times**"),
        ("-2 *percent*", "3", "3 *percent*"),
        ("It is −2\n%", "-3", "It is −3\n%"),
    ],
)
def test_a_number_is_rewritten_in_its_form(tmp_path: Path, text: str, value: str, now: str) -> None:
    path = tmp_path / "A.md"
    path.write_text(f"```python\nx = {value}\n```\n\n{text}<!-- = x --> m.\n")
    vault = Vault(tmp_path)
    (note,) = vault.notes.values()
    apply_edits(note, [c.fix for c in inspect(note, vault) if c.fix and c.kind in REWRITTEN])
    assert f"\n{now}<!-- = x --> m.\n" in path.read_text()


def test_a_number_that_differs_comes_with_its_value(found: Callable[..., list[Check]]) -> None:
    two, one, share = "0.15 and −0.30<!-- = weights[:2] -->", "four<!-- = n + 1 -->", "61 %"
    text = f"It is {two}, {one} and {share}<!-- = -weights[2] -->."
    checks = found(text, CODE)
    assert [check.now for check in checks] == [
        (("0.15", "0.15"), ("−0.30", "0.23")),
        (("four", "5"),),
        (("61 %", "−62 %"),),
    ]
    assert [Check.from_plain(json.loads(json.dumps(c.plain()))) for c in checks] == checks
    (holds,) = found("It is four<!-- = n -->.", CODE)
    assert "now" not in holds.plain()


@pytest.mark.parametrize(
    ("text", "value", "now"),
    [
        ("2", 0.5, "0.5"),
        ("−2", -2.6, "−2.6"),
        ("2", 2.4, "2.4"),
        ("2", 7.38906, "7.39"),
        ("2", 3.0, "3"),
        ("0", 1e-17, "0"),
        ("2", 0.0, "0"),
        ("0.45", 0.0181, "0.018"),
        ("0.45", 0.333333, "0.33"),
        ("1,000", 1234.4, "1,234"),
    ],
)
def test_a_new_value_has_the_digits_that_tell_it(
    found: Callable[..., list[Check]], text: str, value: float, now: str
) -> None:
    (check,) = found(f"It is {text}<!-- = v -->.", f"\nv = {value!r}\n")
    assert check.now == ((text, now),)


def test_it_is_counted_shown_and_offered(tmp_path: Path) -> None:
    path = tmp_path / "A.md"
    path.write_text(
        f"# A\n\n```python{CODE}```\n\nIt is four<!-- = n -->, not 0.14<!-- = weights[0] -->.\n"
    )
    vault = Vault(tmp_path)
    (note,) = vault.notes.values()
    checks = list(inspect(note, vault))
    assert "1 sentence" in describe_proven(checks)
    known = parts(note, checks)
    (place,) = (name for name in known if name.startswith("sentence-"))
    assert known[place].plain() == ["Checked: this page computes it", ("`n`: 4",)]
    line = note.lines[-1]
    span, words = hover_text(vault, note, len(note.lines), line.index("four") + 2, checks, {}) or (
        0,
        "",
    )
    assert isinstance(span, Span)
    assert "`n`: 4" in words
    at = Span.within(len(note.lines), line.index("0.14") + 1, 4)
    titles = [action.title for action in code_actions(vault, note, at, checks)]
    assert "Write the computed value" in titles


def test_the_engine_for_the_browser_has_the_words(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text("# A\n")
    with zipfile.ZipFile(io.BytesIO(zip_files(Vault(tmp_path)))) as archive:
        assert "packages/vaultkit/claims/en.toml" in archive.namelist()


def test_the_page_hides_comments_and_names_the_words(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text("# A\n\nIt is five<!-- = n -->, more%%= n > m%% than it.\n")
    vault = Vault(tmp_path)
    (note,) = vault.notes.values()
    options = {"vaultkit.render.host": {"vault": vault, "note": str(note.path), "places": True}}
    page = markdown(
        note.text, extensions=list(EXTENSIONS), extension_configs={**EXTENSIONS, **options}
    )
    assert "It is five, more than it." in re.sub(r"<[^>]*>", "", page)
    assert '<span data-check="sentence-0">five</span>' in page
    assert '<span data-check="sentence-1">more</span>' in page


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("It is more<!-- a > b --> than that.", "0.67 < 1.5"),
        ("It is not more<!-- not a > b --> than that.", "0.67 < 1.5"),
        ("It is another<!-- a != c -->.", "0.6667 ≠ 0.6666"),
        ("It is the same<!-- n == 3 -->.", "3 = 3"),
        ("It is two thirds<!-- = a -->.", "0.67"),
        ("They are positive<!-- x > 0 -->.", ""),
        ("They are equal<!-- np.allclose(x, x) -->.", "True"),
    ],
)
def test_a_sentence_has_its_code_with_values_as_the_page_shows_them(
    sentence: str, value: str, tmp_path: Path
) -> None:
    code = "import numpy as np\nn, a, b, c = 3, 2 / 3, 1.5, 0.6666\nx = np.ones(9)\na.round(2)"
    text = f"# A\n\n```python\n{code}\n```\n\n```text\n0.67\n```\n\n{sentence}\n"
    (tmp_path / "A.md").write_text(text)
    vault = Vault(tmp_path)
    (note,) = vault.notes.values()
    (found,) = [check.values for check in inspect(note, vault) if check.kind == "sentence"]
    comment = re.sub(r".*<!-- (?:= )?(.*) -->.*", r"\1", sentence)
    assert found == ((comment, value),)


def test_a_comment_behind_an_image_binds_its_alt_text(found: Callable[..., list[Check]]) -> None:
    image = "![Bars. Of 4, one has 0.15. The last has 0.62.](a.svg)<!-- = [n, 1, 0.15, 0.62] -->"
    assert [c.outcome for c in found(image, CODE) if c.kind == "sentence"] == [HOLDS]
    exchanged = image.replace("0.15.", "0.62.").replace("0.62.]", "0.15.]")
    assert [c.outcome for c in found(exchanged, CODE) if c.kind == "sentence"] == [FAILS]
