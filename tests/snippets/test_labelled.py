"""Matrices with names: what is printed, and what is refused."""

import numpy as np
import pytest

from snippets.labelled import show


def test_a_column_is_as_wide_as_its_name_or_its_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    show("S", ["Mia", "."], np.array([[0.0, -12.0], [1.0, 3.0]]), ["river", "."])
    assert capsys.readouterr().out == "S   river   .\nMia     0 -12\n.       1   3\n"


def test_a_zero_has_no_minus(capsys: pytest.CaptureFixture[str]) -> None:
    show("", ["a"], np.array([[-0.001]]), ["x"], digits=2)
    assert capsys.readouterr().out.split() == ["x", "a", "0.00"]


@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (2, 1)])
def test_every_row_and_column_needs_a_name(rows: int, columns: int) -> None:
    with pytest.raises(ValueError, match=rf"{rows} rows and {columns} columns .* \(2, 2\)"):
        show("", ["r"] * rows, np.eye(2), ["c"] * columns)
