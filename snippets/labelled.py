"""Matrices with names: a name in front of each row, a name above each column."""

from collections.abc import Sequence

import numpy as np


def show(
    title: str,
    rows: Sequence[str],
    matrix: np.ndarray,
    columns: Sequence[str],
    digits: int = 0,
) -> None:
    """Print a matrix with a name for each row and each column.

    A column is as wide as its name, or as its widest number.

    Parameters
    ----------
    title : str
        Printed in the corner, above the names of the rows.
    rows : n names
    matrix : (n, m)
    columns : m names
    digits : int
        Decimals of each number.

    Raises
    ------
    ValueError
        If there are not as many names as rows and columns.

    Examples
    --------
    >>> show("S", ["she", "Tom"], np.array([[8.0, -0.2], [0.0, 1.0]]), ["Mary", "."], digits=1)
    S   Mary    .
    she  8.0 -0.2
    Tom  0.0  1.0
    """
    if matrix.shape != (len(rows), len(columns)):
        raise ValueError(
            f"{len(rows)} rows and {len(columns)} columns are named; the matrix is {matrix.shape}"
        )
    rounded = np.round(matrix, digits) + 0.0  # no minus before a zero
    cells = [[f"{number:.{digits}f}" for number in row] for row in rounded]
    table = [[title, *columns], *([name, *row] for name, row in zip(rows, cells, strict=True))]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for first, *others in table:
        line = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        print(f"{first:{widths[0]}}", *line)
