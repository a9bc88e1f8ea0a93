"""Changes code so that it sums matrix products in another order, as another BLAS may.

The last bits of a matrix product depend on the order in which it is summed. Everything else that
code computes remains the same.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np


def product(left: Any, right: Any) -> Any:
    """Multiply like ``@``, but sum floating-point numbers from the last term to the first."""
    are_arrays = type(left) is type(right) is np.ndarray and left.ndim and right.ndim
    if not are_arrays or np.result_type(left, right).kind not in "fc":
        return left @ right
    backwards = right[::-1] if right.ndim == 1 else right[..., ::-1, :]
    return np.ascontiguousarray(left[..., ::-1]) @ np.ascontiguousarray(backwards)


def reorder_products(tree: ast.Module) -> ast.Module:
    """Replace each ``@`` in parsed code by a call of `product`, in place.

    >>> ast.unparse(reorder_products(ast.parse("y = x @ W"))).replace(__name__, "this")
    "y = __import__('this', fromlist=['product']).product(x, W)"
    """
    _Rewriter().visit(tree)
    return ast.fix_missing_locations(tree)


@cache
def compile_reordered(path: str) -> CodeType:
    """Compile a module so that it sums its products in another order."""
    tree = reorder_products(ast.parse(Path(path).read_bytes()))
    return compile(tree, path, "exec", dont_inherit=True)


class _Rewriter(ast.NodeTransformer):
    """Replaces matrix products by calls of a function that sums in another order."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replace ``a @ b`` by a call of `product`, which sums in another order."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.MatMult):
            return node
        # As an expression, it binds no name that the code could see.
        call = ast.parse(f"__import__({__name__!r}, fromlist=['product']).product(0, 0)")
        (statement,) = call.body
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        statement.value.args = [node.left, node.right]
        for inner in ast.walk(statement.value.func):
            ast.copy_location(inner, node)
        return ast.copy_location(statement.value, node)
