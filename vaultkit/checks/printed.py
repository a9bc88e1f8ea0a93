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
from vaultkit.run.steps import Step

#: One printed value: a list, a quoted text, or anything without blanks.
_ITEM = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}|'[^']*'|[^\s,;()\[\]{}]+")
#: Functions and methods whose value means what their argument or object means.
_KEEPING = {"round", "float", "int", "abs", "str", "asarray", "array", "format", "item"}
#: What an f-string has put into a text: a word without blanks, and the number that it begins with.
_FIELD = re.compile(r"\s*([^\s,;()]+)")
_NUMBER_IN_FIELD = re.compile(r"[\d.,+\-eE%]+")
#: Signs behind a number that belong to the sentence, unless the code has formatted a percentage.
_SENTENCE_SIGNS = ".,%"
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
    """Yield each printed number with its expression and line, as `printed_numbers` does.

    The statements that print are paired with the lines of the output, in order.
    """
    if block.kind == "pycon" or len(steps) != 1:  # each prompt of a session is a step of its own
        return
    with suppress(ValueError, RecursionError, MemoryError):
        body = parsed(source_of(block))
        lines = steps[0].got.splitlines()
        printing = [arguments for node in body if (arguments := _arguments(node, body)) is not None]
        if len(printing) != len(lines) or len(lines) > _MOST:
            return
        statements = [n for n in body if isinstance(n, ast.Expr) and is_print_call(n.value)]
        in_statements = {id(inner) for statement in statements for inner in ast.walk(statement)}
        calls = [node for node in nodes_of(source_of(block)) if is_print_call(node)]
        if any(id(call) not in in_statements for call in calls):
            return  # a loop or a function prints as often as it runs
        first = steps[0].shown_lines[0]
        for index, (arguments, line) in enumerate(zip(printing, lines, strict=True)):
            for code, number in _match_arguments(arguments, line):
                yield code, number, first + index


def is_print_call(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return whether a node is a call of `print`."""
    match node:
        case ast.Call(ast.Name("print")):
            return True
    return False


def _arguments(node: ast.stmt, body: Sequence[ast.stmt]) -> list[ast.expr] | None:
    """Return what a statement prints; None if it prints nothing.

    It is empty if the arguments of `print` have other separators. The value of the last expression
    of a block is shown without `print`.
    """
    if not isinstance(node, ast.Expr):
        return None
    if is_print_call(node.value):
        return node.value.args if not node.value.keywords else []
    is_none = isinstance(node.value, ast.Constant) and node.value.value is None
    if node is not body[-1] or is_none:
        return None
    return list(node.value.elts) if isinstance(node.value, ast.Tuple) else [node.value]


def _match_arguments(arguments: Sequence[ast.expr], line: str) -> list[tuple[ast.expr, str]]:
    """Return the arguments that were printed as a number, with the number; none if in doubt.

    An argument that is an f-string is replaced by the expressions in it.
    """
    found: list[tuple[ast.expr, str]] = []
    is_tuple = line.startswith("(") and len(arguments) > 1
    line = line.strip("()") if is_tuple else line
    end = 0  # of what has been matched
    for argument in arguments:
        end += len(line[end:]) - len(line[end:].lstrip(" ,"))
        parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
        for part, following in zip(parts, [*parts[1:], None], strict=True):
            match part:
                case ast.Constant(str(text)):
                    if not line.startswith(text, end):
                        return []
                    end += len(text)
                case ast.FormattedValue(inner):
                    field = _FIELD.match(line, end)
                    number = _NUMBER_IN_FIELD.match(field[1]) if field else None
                    if field is None or number is None:
                        return []
                    text = number[0].rstrip(_SENTENCE_SIGNS)
                    found.append((inner, text))
                    end = field.start(1) + len(text)
                    # The format ``:.1%`` has written the sign, unless it is the text behind it.
                    end += line.startswith("%", end) and not _begins_with_percent(following)
                case _:
                    item = _ITEM.match(line, end)
                    if item is None:
                        return []
                    found.append((part, item[0]))
                    end = item.end()
    if line[end:].strip():
        return []
    return [(code, text) for code, text in found if NUMBER_IN_OUTPUT.fullmatch(text)]


def _begins_with_percent(part: ast.expr | None) -> bool:
    """Return whether a part of an f-string is a text that begins with a percent sign."""
    match part:
        case ast.Constant(str(text)):
            return text.startswith("%")
    return False


def names_in_expression(code: ast.expr) -> str:
    """Return the names in an expression that say what its value is; empty if they do not.

    >>> codes = ("round(st.mean(x), 2)", "a / b", "oak['height']", "oak.height", "math.PI")
    >>> [names_in_expression(ast.parse(code, mode="eval").body) for code in codes]
    ['mean() x', '', 'oak height', 'oak height', 'PI']
    """
    match code:
        case ast.Name(name):
            return name
        case ast.Attribute(ast.Name(), name) if name.isupper():  # a constant of a module
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
