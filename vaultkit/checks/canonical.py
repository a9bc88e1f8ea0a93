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
#: A class, ``<class 'int'>``, which IPython prints as ``int``.
_CLASS = re.compile(r"<(?:class|type) '(?P<name>[\w.]+)'>")
#: A function, ``<function f at 0x7f>``, and a method, ``<bound method list.sort of …>``.
_FUNCTION = re.compile(r"<(?:bound method|function) [\w.<>]*?(?P<name>\w+)(?:\([^()]*\)| at \w+)?>")
_BREAK = re.compile(r"\s*\n\s*")
#: The address of an object, ``<f object at 0x7f>``.
_ADDRESS = re.compile(r"(?: object)? at 0x[0-9a-fA-F]+")
#: What one version of NumPy prints and another one leaves out: ``array([], shape=(0,))``.
_EXTRA = re.compile(r",\s*(?:shape=\([\d, ]*\)|dtype=(?:bool|np\.bool_?|'?<U\d+'?))(?=\))")
#: A scalar of NumPy 2, which NumPy 1 prints like one of Python.
_SCALAR = re.compile(
    r"""\bnp\.(?:
        (?:float|u?int|longdouble|str|bytes)\w*\((?P<value>\([^()]*\)|[^()]*)\)  # np.float64(2.0)
      | void\((?P<row>\([^()]*\))(?:,\s*dtype=[^()]*(?:\([^()]*\)[^()]*)*)?\)    # np.void((1, 2))
      | complex\d+(?P<complex>\([^()]*\))                                        # np.complex128(1j)
      | (?P<truth>True|False)_\b                                                 # np.True_
    )""",
    re.VERBOSE,
)
#: The message of code that does not parse, after its traceback, ``  File …``, and before the place
#: that IPython adds: ``SyntaxError: invalid syntax (note.py, line 3)``.
_SYNTAX = re.compile(
    r"(?:  File [^\n]*\n(?:[^\n]*\n)*?)?(?P<message>\w+Error: [^\n]*?)(?: \([^()]*, line \d+\))?"
)


def canonical(text: str) -> str:
    r"""Return an output in one form for all programs; one that is too long is returned as it is.

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
        return found["message"]
    text = _EXTRA.sub("", text)
    # Only sets, dictionaries and tuples have parts that need sorting or line breaks that vary.
    return "\n".join(_values(text)) if re.search(r"[{(]", text) else text


def _values(text: str) -> Iterator[str]:
    r"""Yield the values of an output, each on one line, and its other lines as they are.

    >>> list(_values("(1,\n 2)\nall (done"))
    ['(1, 2)', 'all (done']
    """
    lines = text.split("\n")
    first = 0
    while first < len(lines):
        # A value ends with the line that closes all its brackets.
        depth, end = 0, first
        while end < min(len(lines), first + _LINES):
            depth += sum(lines[end].count(c) for c in "([{") - sum(map(lines[end].count, ")]}"))
            end += 1
            if depth <= 0:
                break
        value = "\n".join(lines[first:end]).strip()
        tree = _parsed(value)
        if tree is None:
            yield lines[first]
            first += 1
        else:
            yield _written(tree, value)
            first = end


def _parsed(text: str) -> ast.expr | None:
    """Return the tree of an expression; None if the text is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _written(tree: ast.expr, source: str) -> str:
    """Return a value with the items of sets and dictionaries in order; other parts stay.

    ``tree`` is the syntax tree of ``source``.
    """
    encoded = source.encode()  # the tree counts bytes
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line.encode()) + 1)

    def span(node: ast.expr) -> tuple[int, int]:
        """Return where a node begins and ends in the bytes of the source."""
        end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        return starts[node.lineno - 1] + node.col_offset, end

    def write(node: ast.expr) -> str:
        """Return a part of the value: its source, with its children written in the same way."""
        if isinstance(node, ast.Set):
            return "{" + ", ".join(sorted(map(write, node.elts))) + "}"
        if isinstance(node, ast.Dict) and all(node.keys):  # without ``**other``
            pairs = zip((key for key in node.keys if key), node.values, strict=True)
            return "{" + ", ".join(sorted(f"{write(k)}: {write(v)}" for k, v in pairs)) + "}"
        written_up_to, end = span(node)
        pieces = []
        for child in sorted(_children(node), key=span):
            first, last = span(child)
            between = encoded[written_up_to:first].decode()
            pieces += [_BREAK.sub(" ", between), write(child)]
            written_up_to = last
        return "".join([*pieces, encoded[written_up_to:end].decode()])

    first, last = span(tree)
    return encoded[:first].decode() + write(tree) + encoded[last:].decode()


def _children(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions directly within a node, and the values of keyword arguments."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.keyword):
            yield child.value
