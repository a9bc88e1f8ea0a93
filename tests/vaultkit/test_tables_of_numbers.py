"""Numbers in tables: proven if all rows of a column agree with their labels, or one is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaultkit.checks.check import FAILS, FOUND
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.vault import Vault

PLANETS = """
| planet | $T$ / years |
|---|---|
| Venus | 0.61 |
| Mars | 1.88 |
| **Jupiter** | 11.87 |
| Saturn | 29.4 |
"""
#: Code that shows or binds these numbers beside their labels.
SOURCES = {
    "lines": "for row in zip(names, years):\n    print(*row)",
    "lines with words": 'for name, year in zip(names, years):\n    print(f"{name}: {year} years")',
    "a dictionary": "found = dict(zip(names, years))",
    "a dictionary of tuples": "found = {n: (1.0, t) for n, t in zip(names, years)}",
    "a dictionary of texts": 'found = {n: f"{t} a" for n, t in zip(names, years)}',
    "a printed dictionary": "print(dict(zip(names, years)))",
    "rows": "rows = list(zip(names, years))",
    "lists side by side": "times = np.array(years)",
}
CODE = """
import numpy as np
names = ["Venus", "Earth", "Mars", "Jupiter", "Saturn"]
years = [t / 100 for t in (61, 100, 188, 1187, 2944)]
"""


def checks(folder: Path, code: str, table: str) -> dict[str, tuple[str, str]]:
    """Return outcome and scope of the numbers in a table, by text."""
    (folder / "Note.md").write_text(f"# Note\n\n```python\n{code}\n```\n{table}\n")
    vault = Vault(folder)
    (note,) = vault.notes.values()
    found = (c for c in inspect(note, vault) if c.kind == "number")
    return {c.what: (c.outcome, c.scope) for c in found}


@pytest.mark.parametrize("name", SOURCES)
def test_a_column_that_agrees_with_its_labels_is_proven(name: str, tmp_path: Path) -> None:
    found = checks(tmp_path, CODE + SOURCES[name], PLANETS)
    assert set(found.values()) == {("holds", "")}


@pytest.mark.parametrize("name", SOURCES)
def test_one_cell_that_differs_is_contradicted(name: str, tmp_path: Path) -> None:
    found = checks(tmp_path, CODE + SOURCES[name], PLANETS.replace("1.88", "0.61"))
    assert [what for what, (outcome, _) in found.items() if outcome == FAILS] == ["0.61"]
    exchanged = PLANETS.replace("1.88", "x").replace("11.87", "1.88").replace("x", "11.87")
    found = checks(tmp_path, CODE + SOURCES[name], exchanged)
    assert [what for what, (outcome, _) in found.items() if outcome == FAILS] == ["11.87", "1.88"]


def test_small_numbers_and_given_ones(tmp_path: Path) -> None:
    code = 'for row in (("a", 12.5, 3), ("b", 13.75, 4), ("c", 11.25, 5)):\n    print(*row)'
    head = "\n| | x | y |\n|---|---|---|\n"
    rows = "| a | 12.5 | 313 |\n| b | 13.75 | 4{} |\n| c | 11.25 | 525 |\n"
    code = code.replace("3)", "313)").replace("5))", "525))")
    assert checks(tmp_path, code, head + rows.format(""))["12.5"] == ("holds", "")
    wrong = checks(tmp_path, code, head + rows.format("").replace("| 4 |", "| 7 |"))
    assert wrong["7"][0] == FAILS
    given = checks(tmp_path, code, head + rows.format("").replace("13.75", "9.1<!-- given: b -->"))
    assert given["9.1"][0] == "excepted"


def test_rows_and_columns_with_labels(tmp_path: Path) -> None:
    code = """
for row in ("A small 93%", "A large 73%", "B small 87%", "B large 69%", "A all 273 78%"):
    print(row)
print("B all 289 350 83%")
"""
    table = "\n| | A | B |\n|---|---|---|\n| small | 93 % | 87 % |\n| large | 73 % | 69 % |\n"
    table += "| all | 78 % | 83 % |\n"
    assert {s for _, s in checks(tmp_path, code, table).values()} == {""}
    wrong = checks(tmp_path, code, table.replace("| 73 % | 69 % |", "| 69 % | 73 % |"))
    assert [what for what, (outcome, _) in wrong.items() if outcome == FAILS] == ["69", "73"]


#: Tables of something else, which only resemble what the code has.
SILENT = {
    "other numbers": PLANETS.replace("1.88", "0.64").replace("11.87", "317.8"),
    "two rows": "\n| planet | a |\n|---|---|\n| Mars | 1.88 |\n| Venus | 0.72 |\n",
    "other labels": PLANETS.replace("Mars", "Ares").replace("Saturn", "Kronos"),
    "words between": PLANETS.replace("1.88", "less than 2.5 of ours"),
}


@pytest.mark.parametrize("name", SILENT)
def test_other_tables_are_left_alone(name: str, tmp_path: Path) -> None:
    for source in SOURCES.values():
        found = checks(tmp_path, CODE + source, SILENT[name])
        assert FAILS not in {outcome for outcome, _ in found.values()}


def test_round_numbers_agree_by_chance(tmp_path: Path) -> None:
    rows = "".join(f"| {n} | {n}0 |\n" for n in (1, 2, 3)) + "| 4 | 45 |\n"
    found = checks(tmp_path, "x = [10, 20, 30, 40]", f"\n| a | b |\n|---|---|\n{rows}")
    assert FAILS not in {outcome for outcome, _ in found.values()}


def test_labels_that_occur_twice_and_odd_values_are_no_source(tmp_path: Path) -> None:
    code = CODE + "for t in (1, 2):\n    for n, y in zip(names, years):\n        print(n, y * t)\n"
    code += "del years\nodd = {'Venus': [1, [2, 3]], 4: {'x': None}, (1, object()): 2}\n"
    code += "sets = {frozenset([1]): 3, frozenset([2]): 10**400}\n"
    found = checks(tmp_path, code, PLANETS.replace("1.88", "0.61"))
    assert {outcome for outcome, _ in found.values()} == {"holds"}
    assert {scope for _, scope in found.values()} == {FOUND}


LITRES = """
| day | litres (l) |
|---|---|
| Monday | 20 |
| Tuesday | 40 |
"""


@pytest.mark.parametrize(
    "code",
    [
        'litres = {"Monday": 20, "Tuesday": 40, "Wednesday": 60}',
        'days, litres = ["Monday", "Tuesday", "Wednesday"], np.array([20.0, 40.0, 60.0])',
    ],
)
def test_a_short_column_with_the_name_of_a_variable(code: str, tmp_path: Path) -> None:
    def wrong(table: str) -> list[str]:
        found = checks(tmp_path, f"import numpy as np\n{code}", table)
        return [what for what, (outcome, _) in found.items() if outcome == FAILS]

    assert not wrong(LITRES)
    assert wrong(LITRES.replace("20", "60")) == ["60"]
    assert wrong(LITRES.replace("20", "x").replace("40", "20").replace("x", "40")) == ["40", "20"]
    # A number that no row has, and another title, may be about something else.
    assert not wrong(LITRES.replace("20", "25"))
    assert not wrong(LITRES.replace("20", "60").replace("litres", "litres at noon"))
