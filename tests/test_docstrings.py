"""The docstrings of public code: what they list as parameters are its parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(
    p for name in ("vaultkit", "snippets", "figures") for p in (ROOT / name).rglob("*.py")
)


def listed(docstring: str) -> list[str]:
    """Return the names at the margin of the section *Parameters*."""
    _, _, section = docstring.partition("\nParameters\n----------\n")
    section = re.split(r"\n\n(?=\w+\n-{3,})", section)[0]
    lines = (line for line in section.splitlines() if line and not line[0].isspace())
    return [name.strip(" *") for line in lines for name in line.split(" : ")[0].split(",")]


def parameters(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    """Return the parameters of a function, or those with which a class is called."""
    if isinstance(node, ast.FunctionDef):
        given = node.args
        return {a.arg for a in ast.walk(given) if isinstance(a, ast.arg)}
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
            return parameters(inner)
    return {
        inner.target.id
        for inner in node.body
        if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name)
    }


def strangers(source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line and names of what is listed and is no parameter."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            unknown = [
                n for n in listed(ast.get_docstring(node) or "") if n not in parameters(node)
            ]
            if unknown:
                yield node.lineno, unknown


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_is_listed_are_its_parameters(path: Path) -> None:
    assert list(strangers(path.read_text(encoding="utf-8"))) == []


def test_a_name_that_was_overwritten_is_found() -> None:
    wrong = 'def f(x):\n    """Do it.\n\n    Parameters\n    ----------\n    The number.\n    """\n'
    assert list(strangers(wrong)) == [(1, ["The number."])]
    assert list(strangers(wrong.replace("The number.", "x : int"))) == []


#: From this number of lines on, a function of the engine needs a docstring.
LINES = 6


def undocumented(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and name of longer functions without a docstring, but for those within functions.

    Methods such as `__init__` do what Python's own documentation says.
    """

    def visit(parent: ast.AST) -> Iterator[tuple[int, str]]:
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.FunctionDef):
                is_long = (node.end_lineno or 0) - node.lineno + 1 >= LINES
                if is_long and not node.name.startswith("__") and not ast.get_docstring(node):
                    yield node.lineno, node.name
            else:
                yield from visit(node)

    yield from visit(ast.parse(source))


def test_longer_functions_of_the_engine_have_docstrings() -> None:
    paths = (path for path in FILES if path.is_relative_to(ROOT / "vaultkit"))
    found = {path.name: list(undocumented(path.read_text(encoding="utf-8"))) for path in paths}
    assert {name: functions for name, functions in found.items() if functions} == {}


def test_a_function_without_a_docstring_is_found() -> None:
    body = "    x = 1\n" * LINES
    assert list(undocumented(f"class A:\n  def f(self):\n{body}")) == [(2, "f")]
    assert list(undocumented(f'class A:\n  def f(self):\n    "Do it."\n{body}')) == []
