"""The cases in files (``tests/vaultkit/cases``), and what reads, compares and rewrites them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vaultkit.cases import files
from tests.vaultkit.cases.tables import TABLES, file


@pytest.mark.parametrize(
    ("table", "section"),
    [(table, part) for table in TABLES for part in files.sections(file(table))],
)
def test_each_case_has_its_outcome(table: str, section: str) -> None:
    failures = list(files.failures(file(table), TABLES[table], section))
    if failures:
        command = f"python -m tests.vaultkit.cases --update {table}"
        failures.append(f"failed: {len(failures)}; to rewrite the outcomes for review: {command}")
        pytest.fail("\n".join(failures), pytrace=False)


def test_each_file_is_a_table_with_cases() -> None:
    assert {path.stem for path in Path(__file__).with_name("cases").glob("*.txt")} == set(TABLES)
    for table in TABLES:
        cases, _ = files.read(file(table).read_text("utf-8"))
        assert cases
        inputs = [case.whole for case in cases]
        assert sorted(set(inputs)) == sorted(inputs)


CASES = """\
# Sums.

> 3
> 1 + 2
> 4
  3

# Pairs, one line for each number.
> 1, 2
  1
  2
"""


def values(text: str) -> list[str]:
    value = eval(text)
    return [str(number) for number in value] if isinstance(value, tuple) else [str(value)]


def test_a_failure_names_file_line_and_outcomes(tmp_path: Path) -> None:
    path = tmp_path / "sums.txt"
    path.write_text(CASES)
    assert list(files.failures(path, values)) == [f"{path}:5: 4\n  - 3\n  + 4"]


def test_only_the_outcomes_that_differ_are_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "sums.txt"
    path.write_text(CASES)
    assert files.update(path, values) == 1
    assert path.read_text() == CASES.replace("> 4\n  3", "  3\n> 4\n  4")
    assert files.update(path, values) == 0


def test_a_case_at_the_end_needs_no_outcome_to_begin_with(tmp_path: Path) -> None:
    path = tmp_path / "sums.txt"
    path.write_text("> 1\n  1\n> 2\n")
    assert files.update(path, values) == 1
    assert path.read_text() == "> 1\n  1\n> 2\n  2\n"


def test_inputs_may_have_several_lines_and_a_text_around_them(tmp_path: Path) -> None:
    path = tmp_path / "sums.txt"
    path.write_text("| 1 +\n> 2\n> (\n: 4)\n  3\n\n| {}\n| * 2\n> 3 + (\n:\n: 1)\n  5\n")
    assert list(files.failures(path, lambda text: values(f"({text})"))) == [
        f"{path}:3: (\n4)\n  - 3\n  + 5"
    ]
    assert files.update(path, lambda text: values(f"({text})")) == 1
    assert path.read_text() == (
        "| 1 +\n> 2\n  3\n> (\n: 4)\n  5\n\n| {}\n| * 2\n> 3 + (\n:\n: 1)\n  5\n"
    )


@pytest.mark.parametrize(
    ("outcome", "agrees"), [("1.…", True), ("1.…5", True), ("…", True), ("1.…4", False)]
)
def test_dots_match_any_text_of_one_line(tmp_path: Path, outcome: str, agrees: bool) -> None:
    path = tmp_path / "sums.txt"
    path.write_text(f"> 1 / 8\n  {outcome}\n".replace("1.", "0."))
    assert (not list(files.failures(path, values))) is agrees
    path.write_text(f"> 1, 2\n  {outcome}\n")
    assert list(files.failures(path, values))


@pytest.mark.parametrize("text", ["3\n", "  3\n", "> 3\n# so\n  3\n", "> 3\n\n  3\n", "> 3\n 3\n"])
def test_a_line_that_is_none_of_a_file_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no input, outcome or comment"):
        files.read(text)
