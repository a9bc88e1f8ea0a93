"""What the properties of a note say, and where that is which could not be read."""

import sys

import pytest

from vaultkit.read.properties import DEEPEST, LONGEST, read

# Python's own words, which name the number from 3.14 on.
NO_MONTH = "month must be in 1..12" + (", not 13" if sys.version_info >= (3, 14) else "")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: 1\nb: [x\n", 3, 1, "expected ',' or ']', but got '<stream end>'"),
        ("a: 1\nb: \a x\n", 2, 4,
         "unacceptable character #x0007: special characters are not allowed"),
        ("a: b: c\n", 1, 5, "mapping values are not allowed here"),
        ("- a\n", 1, 1, "not a list of `name: value` lines"),
        ("b: 1\na: 2020-13-45\n", 2, 4, NO_MONTH),
        ("x: 1\na: &x 1\nb: *x\n", 2, 4, "anchors (&x) and their copies (*x) are not read"),
        ("a: 1\nb: *x\n", 2, 4, "anchors (&x) and their copies (*x) are not read"),
        ("[[F]]: 1\n", 1, 1, "found unhashable key"),
        ("a: !x 1\n", 1, 4, "could not determine a constructor for the tag '!x'"),
        (f"a: {'[' * DEEPEST}{']' * DEEPEST}", 1, DEEPEST + 3, "nested too deeply"),
        (f"a: {'b' * (LONGEST - 2)}", 1, 1, "longer than 50,000 characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_reported_at_its_place(
    text: str, line: int, column: int, message: str
) -> None:
    found = read(text)
    (problem,) = found.problems
    assert (problem.line, problem.column) == (line, column)
    assert problem.message == f"front matter: {message}"
    assert (found.values, found.links) == ({}, [])


def test_what_is_as_long_and_as_deep_as_may_be_is_read() -> None:
    assert read(f"a: {'b' * (LONGEST - 3)}").values == {"a": "b" * (LONGEST - 3)}
    deep = read(f"a: {'[' * (DEEPEST - 1)}{']' * (DEEPEST - 1)}")
    assert (list(deep.values), deep.problems) == (["a"], [])
    assert read("") == read("# only a comment\n") == read("---\n")
    assert (read("").values, read("").problems) == ({}, [])


def test_names_are_taken_as_they_are_written() -> None:
    found = read("1: a\nyes: no\n2024-01-01: b\n")
    assert (list(found.values), found.problems) == (["1", "yes", "2024-01-01"], [])


def test_links_in_values_have_their_places() -> None:
    found = read("x: 1\nup: '[[A]] [[B#c|d]]'\nlist:\n  - word\n  - '![[E]]'\n# [[no]]\ny: [[1]]\n")
    assert [(link.target, link.sub, link.line, link.column) for link in found.links] == [
        ("A", "", 2, 6),
        ("B", "c", 2, 12),
        ("E", "", 5, 6),
    ]
    assert found.values["list"] == ["word", "![[E]]"]
    assert found.values["y"] == [[1]]
