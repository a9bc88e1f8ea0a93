"""Matrices that a formula writes out, made of numbers, of vectors, or of other matrices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vaultkit.values import functions
from vaultkit.values.records import EvaluationError, SizeError, Value, make_value


def build_matrix(rows: list[list[Value]], is_tuple: bool) -> tuple[Value, bool]:
    """Build a matrix from its cells.

    Parameters
    ----------
    rows
        The cells: all numbers, or all vectors or matrices.
    is_tuple
        Whether it is written as a tuple, which is neither a row nor a column.

    Returns
    -------
    Value
        The matrix; a vector if there is only one row or column.
    bool
        Whether the result depends on the orientation of its vectors.

    Raises
    ------
    EvaluationError
        If the cells do not fit together.
    """
    cells = [cell for row in rows for cell in row]
    if any(cell.rank or cell.unsized for cell in cells):
        return _build_from_arrays(rows, is_tuple)
    if len({len(row) for row in rows}) != 1:
        raise EvaluationError("a matrix written out has rows of different lengths")
    shape = np.broadcast_shapes(*(c.array.shape for c in cells))

    def lay_out(arrays: Iterable[Iterable[Any]]) -> Any:
        """Return the arrays of the cells as one array, whose last axes are rows and columns."""
        array = np.array([[np.broadcast_to(cell, shape) for cell in row] for row in arrays])
        return np.moveaxis(array, (0, 1), (-2, -1))

    array = lay_out([cell.array for cell in row] for row in rows)
    spread = lay_out([cell.spread for cell in row] for row in rows)
    half_units = [cell.half_unit for cell in cells if cell.half_unit is not None]
    # A 0 or 1 beside 0.25 has as many significant decimals as its neighbours.
    half_unit = min(half_units) if len(half_units) == len(cells) else None
    is_row, is_column = len(rows) == 1, len(rows[0]) == 1
    if not is_row and not is_column:
        return make_value(array, spread, 2, *cells, half_unit=half_unit), False
    line = (..., 0, slice(None)) if is_row else (..., slice(None), 0)
    orientation = "" if is_tuple or len(cells) == 1 else "row" if is_row else "column"
    vector = make_value(
        array[line], spread[line], 1, *cells, half_unit=half_unit, orientation=orientation
    )
    return vector, bool(orientation)


def _build_from_arrays(rows: list[list[Value]], is_tuple: bool) -> tuple[Value, bool]:
    """Build a block matrix from matrices, or a matrix from vectors as its rows or columns.

    Returns the matrix, and whether it depends on the orientation of the vectors.
    """
    cells = [cell for row in rows for cell in row]
    first = cells[0]
    are_alike = all(cell.rank == first.rank and not cell.unsized for cell in cells)
    is_grid = len(rows) > 1 and len(rows[0]) > 1
    if is_grid or not are_alike:
        raise EvaluationError("a matrix written out is not made of numbers")
    is_row_of_matrices = first.rank == 2 and len(rows) == 1
    if is_row_of_matrices and not is_tuple:
        return functions.concatenate(cells), False
    # Vectors side by side are the columns, vectors below each other the rows.
    orientation = "column" if len(rows) == 1 else "row"
    if first.rank != 1 or any(c.shape != first.shape for c in cells):
        raise EvaluationError("a matrix written out is not made of numbers")
    if any(c.orientation not in ("", orientation) for c in cells):
        raise SizeError("vectors of the other orientation; transpose it")
    axis = -1 if orientation == "column" else -2
    shape = np.broadcast_shapes(*(c.array.shape for c in cells))
    array = np.stack([np.broadcast_to(c.array, shape) for c in cells], axis)
    spread = np.stack([np.broadcast_to(c.spread, shape) for c in cells], axis)
    return make_value(array, spread, 2, *cells), True
