"""What the code of a block says about the numbers in its output: `print(max(gaps))` prints one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TypeGuard

from vaultkit.checks.literals import source_of
from vaultkit.checks.observed import NUMBER_IN_OUTPUT
from vaultkit.claims.expressions import nodes_of, parsed
from vaultkit.read.note import Block
from vaultkit.run.session import Step

#: One printed value: a list, a quoted text, or anything without blanks.
_ITEM = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}|'[^']*'|[^\s,;()\[\]{}]+")
#: Functions that keep what their first argument means.
_KEEPING = {"round", "float", "int", "abs", "str", "asarray", "array", "format", "item"}
_INSIDE = re.compile(r"[\d.,+\-eE%]+")
#: Most statements and lines that are compared.
_MOST = 64


def printed_numbers(block: Block, steps: Sequence[Step]) -> Iterator[tuple[str, str, int]]:
    r"""Yield each printed number whose expression has a name.

    It yields the names in the expression, the number as it is printed, and the line of the note
    where the output has it. It yields nothing unless each printing statement prints one line.

    Examples
    --------
    >>> from vaultkit.read.markdown import parse
    >>> code = "print(max(gaps), len(x))\nprint(f'a {np.mean(x):.1f}')"
    >>> block = parse(f"```python\n{code}\n```").blocks[0]
    >>> list(printed_numbers(block, [Step(1, None, (5, 4), got="8 25\na 0.5")]))
    [('max() gaps', '8', 5), ('len() x', '25', 5), ('mean() x', '0.5', 6)]
    """
    for code, number, line in printed_arguments(block, steps):
        if words := names_in_expression(code):
            yield words, number, line


def printed_arguments(block: Block, steps: Sequence[Step]) -> Iterator[tuple[ast.expr, str, int]]:
    """Yield each printed number with its expression and line, as `printed_numbers` does."""
    if block.kind == "pycon" or len(steps) != 1:
        return
    with suppress(ValueError, RecursionError, MemoryError):
        body = parsed(source_of(block))
        lines = steps[0].got.splitlines()
        printing = [arguments for node in body if (arguments := _arguments(node, body)) is not None]
        if len(printing) != len(lines) or len(lines) > _MOST:
            return
        statements = [n for n in body if isinstance(n, ast.Expr) and is_print_call(n.value)]
        read = {id(inner) for statement in statements for inner in ast.walk(statement)}
        calls = [node for node in nodes_of(source_of(block)) if is_print_call(node)]
        if any(id(call) not in read for call in calls):
            return  # a loop or a function prints as often as it runs
        first = steps[0].shown_lines[0]
        for index, (arguments, line) in enumerate(zip(printing, lines, strict=True)):
            for code, number in _matched_arguments(arguments, line):
                yield code, number, first + index


def is_print_call(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return whether a node is a call of `print`."""
    match node:
        case ast.Call(ast.Name("print")):
            return True
    return False


def _arguments(node: ast.stmt, body: Sequence[ast.stmt]) -> list[ast.expr] | None:
    """Return what a statement prints; None if it prints nothing."""
    if not isinstance(node, ast.Expr):
        return None
    if is_print_call(node.value):
        return node.value.args if not node.value.keywords else []
    silent = isinstance(node.value, ast.Constant) and node.value.value is None
    if node is not body[-1] or silent:
        return None
    return list(node.value.elts) if isinstance(node.value, ast.Tuple) else [node.value]


def _matched_arguments(arguments: Sequence[ast.expr], line: str) -> list[tuple[ast.expr, str]]:
    """Return the arguments that were printed as a number, with the number; none if in doubt."""
    found: list[tuple[ast.expr, str]] = []
    at = 0
    line = line.strip("()") if line.startswith("(") and len(arguments) > 1 else line
    for argument in arguments:
        at += len(line[at:]) - len(line[at:].lstrip(" ,"))
        match argument:
            case ast.Constant(str(text)):
                if not line.startswith(text, at):
                    return []
                at += len(text)
            case ast.JoinedStr(values):
                for part in values:
                    if isinstance(part, ast.Constant):
                        if not line.startswith(str(part.value), at):
                            return []
                        at += len(str(part.value))
                    elif isinstance(part, ast.FormattedValue):
                        item = re.compile(r"\s*([^\s,;()]+)").match(line, at)
                        number = _INSIDE.match(item[1]) if item else None
                        if item is None or number is None:
                            return []
                        found.append((part.value, number[0].rstrip(".,%")))
                        at = item.start(1) + len(number[0].rstrip(".,%"))
                        at += line.startswith("%", at) and not _is_before_percent(values, part)
            case _:
                item = _ITEM.match(line, at)
                if item is None:
                    return []
                found.append((argument, item[0]))
                at = item.end()
    if line[at:].strip():
        return []
    return [(code, text) for code, text in found if NUMBER_IN_OUTPUT.fullmatch(text)]


def _is_before_percent(values: Sequence[ast.expr], part: ast.expr) -> bool:
    """Return whether ``part`` is followed by a percent sign in the values of an f-string."""
    following = values[values.index(part) + 1 :][:1]
    match following:
        case [ast.Constant(str(own))]:
            return own.startswith("%")
    return False


def names_in_expression(code: ast.expr) -> str:
    """Return the names in an expression that say what its value is; empty if they do not.

    >>> codes = ("round(st.mean(x), 2)", "a / b")
    >>> [names_in_expression(ast.parse(code, mode="eval").body) for code in codes]
    ['mean() x', '']
    """
    match code:
        case ast.Name(name):
            return name
        case ast.Attribute(ast.Name(), name) if name.isupper():
            return name
        case ast.Attribute(inner, name):
            own = names_in_expression(inner)
            return own and f"{own} {name}"
        case ast.Subscript(inner, ast.Constant(str(key))):
            own = names_in_expression(inner)
            return own and f"{own} {key}"
        case ast.Call(ast.Name(name) | ast.Attribute(_, name), [first, *_]) if name in _KEEPING:
            return names_in_expression(first)
        case ast.Call(ast.Attribute(inner, name), []):
            own = names_in_expression(inner)
            return own if name in _KEEPING else own and f"{name}() {own}"
        case ast.Call(ast.Attribute(inner, name), _) if name in _KEEPING:
            return names_in_expression(inner)
        case ast.Call(ast.Name(name) | ast.Attribute(_, name), [first, *_]):
            own = names_in_expression(first)
            return f"{name}() {own}".rstrip()
    return ""
