"""Explain errors of pasted code: the line that raised one, the shapes of a failed product."""

import ast
import linecache
import traceback
from types import TracebackType
from typing import Any

import numpy as np

#: The name of the file of code that was pasted.
PASTED = "own"


def explain(error: BaseException) -> str:
    """Return the type, the line and the message of an error; of a failed product, its shapes.

    The line is that of pasted code, whose text `linecache` has.

    Parameters
    ----------
    error : BaseException
        As it was caught.

    Examples
    --------
    >>> Q, K = np.ones((6, 4)), np.ones((6, 4))
    >>> try:
    ...     Q @ K
    ... except ValueError as error:
    ...     print(explain(error)[:19])
    ValueError: matmul:
    """
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == PASTED]
    where = f" in line {lines[-1]}" if lines else ""
    said = _failed_product(error.__traceback__) or str(error).strip() or "no message"
    return f"{type(error).__name__}{where}: {said}{'' if said.endswith(('.', '?')) else '.'}"


def _failed_product(raised: TracebackType | None) -> str:
    """Explain a product ``A @ B`` whose lengths do not fit; nothing if it was something else."""
    while raised and raised.tb_next:
        raised = raised.tb_next
    if not raised or raised.tb_frame.f_code.co_filename != PASTED:
        return ""
    frame = raised.tb_frame
    positions = list(frame.f_code.co_positions())[raised.tb_lasti // 2]
    product = _node_at(positions)
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.MatMult):
        return ""
    try:
        factors = [_value(each, frame) for each in (product.left, product.right)]
    except Exception:  # whatever a reader's code raises when it is repeated
        return ""
    left, right = (np.shape(factor) for factor in factors)
    if not left or not right or left[-1] == right[-2:][0]:
        return ""
    said = (
        f"{ast.unparse(product)} is {left} times {right}, and the last length of the first, "
        f"{left[-1]}, differs from the {'second to last' if len(right) > 1 else 'length'} of the"
        f" second, {right[-2:][0]}."
    )
    if len(right) > 1 and right[-1] == left[-1]:
        name = ast.unparse(product.right)
        said += f" {name}.swapaxes(-1, -2) would fit: is a transpose missing?"
    return said


def _node_at(positions: tuple[int | None, ...]) -> ast.expr | None:
    """Return the expression of the pasted code at a place."""
    try:
        tree = ast.parse("".join(linecache.getlines(PASTED)))
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            place = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
            if place == positions:
                return node
    return None


def _value(expression: ast.expr, frame: Any) -> Any:
    code = compile(ast.Expression(expression), PASTED, "eval")
    return eval(code, frame.f_globals, frame.f_locals)
