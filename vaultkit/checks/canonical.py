"""Writes an output in one form, whichever program or version has printed it.

IPython and Python, and versions of NumPy, print the same value differently; a set has no order,
and an address differs in each run. Such a difference does not make an output wrong.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

#: Most characters of an output, and most lines of one value, that are read.
_LONGEST, _LINES = 50_000, 400
_CLASS = re.compile(r"<(?:class|type) '(?P<name>[\w.]+)'>")
_FUNCTION = re.compile(r"<(?:bound method|function) [\w.<>]*?(?P<name>\w+)(?:\([^()]*\)| at \w+)?>")
_BREAK = re.compile(r"\s*\n\s*")
_ADDRESS = re.compile(r"(?: object)? at 0x[0-9a-fA-F]+")
#: What one version of NumPy prints and another one leaves out.
_EXTRA = re.compile(r",\s*(?:shape=\([\d, ]*\)|dtype=(?:bool|np\.bool_?|'?<U\d+'?))(?=\))")
_SCALAR = re.compile(
    r"\bnp\.(?:(?:float|u?int|longdouble|str|bytes)\w*"
    r"\((?P<value>\([^()]*\)|[^()]*)\)|void\((?P<row>\([^()]*\))(?:,\s*dtype=[^()]*(?:\([^()]*\)[^()]*)*)?\)"
    r"|complex\d+(?P<complex>\([^()]*\))|(?P<truth>True|False)_\b)"
)
#: A traceback of code that does not parse, and the place that IPython adds to its message.
_SYNTAX = re.compile(
    r"(?:  File [^\n]*\n(?:[^\n]*\n)*?)?(\w+Error: [^\n]*?)(?: \([^()]*, line \d+\))?"
)


def canonical(text: str) -> str:
    r"""Return an output in one form for all programs.

    Examples
    --------
    >>> canonical("{'b', 'a'}"), canonical("[<class 'int'>]")
    ("{'a', 'b'}", '[int]')
    >>> canonical("{'b': 1,\n 'a': {3, 2}}"), canonical("<f at 0x7f>\n(set(),\n 2)")
    ("{'a': {2, 3}, 'b': 1}", '<f>\n(set(), 2)')
    """
    if len(text) > _LONGEST:
        return text
    text = _CLASS.sub(lambda found: found["name"], text)
    text = _ADDRESS.sub("", _FUNCTION.sub(lambda found: f"<function {found['name']}>", text))
    text = _SCALAR.sub(lambda found: next(filter(None, found.groups())), text)
    if found := _SYNTAX.fullmatch(text):
        return found[1]
    text = _EXTRA.sub("", text)
    return "\n".join(_values(text)) if re.search(r"[{(]", text) else text


def _values(text: str) -> Iterator[str]:
    """Yield the values of an output, each on one line, and its other lines as they are."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        depth, end = 0, at
        while end < min(len(lines), at + _LINES):
            depth += sum(lines[end].count(c) for c in "([{") - sum(map(lines[end].count, ")]}"))
            end += 1
            if depth <= 0:
                break
        value = "\n".join(lines[at:end])
        tree = _parsed(value.strip())
        if tree is None:
            value, end = lines[at], at + 1
        yield value if tree is None else _written(tree, value.strip())
        at = end


def _parsed(text: str) -> ast.expr | None:
    """Return the tree of an expression; None if the text is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _written(tree: ast.expr, source: str) -> str:
    """Return a value with the items of sets and dictionaries in order; other parts stay."""
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()) + 1)
    raw = source.encode()

    def place(node: ast.expr) -> tuple[int, int]:
        last = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        return starts[node.lineno - 1] + node.col_offset, last

    def write(node: ast.AST, begin: int, end: int) -> str:
        if isinstance(node, ast.Set):
            return "{" + ", ".join(sorted(map(own, node.elts))) + "}"
        if isinstance(node, ast.Dict) and all(node.keys):
            pairs = zip((k for k in node.keys if k), node.values, strict=True)
            return "{" + ", ".join(sorted(f"{own(k)}: {own(v)}" for k, v in pairs)) + "}"
        pieces, at = [], begin
        for child in sorted(_children(node), key=place):
            first, last = place(child)
            pieces += [_BREAK.sub(" ", raw[at:first].decode()), write(child, first, last)]
            at = last
        return "".join([*pieces, raw[at:end].decode()])

    def own(node: ast.expr) -> str:
        return write(node, *place(node))

    first, last = place(tree)
    return raw[:first].decode() + own(tree) + raw[last:].decode()


def _children(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions directly within a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.keyword):
            yield child.value
