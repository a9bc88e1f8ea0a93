"""Classifies fences, as code that runs or not, and parses the options behind the language."""

from __future__ import annotations

import ast
import re
import shlex

#: Names after the opening mark that make a block run, and the kind of the block.
RUNS = {"python": "python", "py": "python", "python3": "python", "pycon": "pycon"}
#: The words that may follow ```` ```python ````, and whether each takes a value.
OPTIONS = {
    "title": True,
    "raises": True,
    "no-run": False,
    "timeout": True,
    "volatile": True,
    "hl_lines": True,
    "linenums": True,
}
#: Admonitions of MyST, and the Obsidian callouts that correspond to them.
ADMONITIONS = {
    **{name: name for name in ("note", "tip", "hint", "important", "warning", "caution")},
    **{name: name for name in ("attention", "danger", "error", "todo")},
    "admonition": "note",
    "seealso": "info",
}
#: A prompt of Python or IPython at the beginning of a line: ``>>> `` or ``In [1]: ``.
_PROMPT = re.compile(r"^\s*(?:>>>|In \[\d+\]:)(?:\s|$)", re.MULTILINE)


def parse_options(info: str) -> dict[str, str | None]:
    """Parse the words after the language: ``title="a.py" no-run``.

    Raises
    ------
    ValueError
        If a quotation mark is not closed, or a word occurs twice.

    >>> parse_options('python title="a b.py" no-run')
    {'title': 'a b.py', 'no-run': None}
    """
    options: dict[str, str | None] = {}
    try:
        words = shlex.split(info)[1:]
    except ValueError as error:
        # `shlex` has only two errors: "No closing quotation" and "No escaped character".
        is_quote = "quotation" in str(error)
        what = "a quotation mark is not closed" if is_quote else "a backslash at the end"
        raise ValueError(what) from error
    for word in words:
        key, equals, value = word.partition("=")
        if key in options:
            raise ValueError(f"{key!r} occurs twice")
        options[key] = value if equals else None
    return options


def readable_options(info: str) -> dict[str, str | None]:
    """Parse the words after the language; if that fails, take the known words without quotes.

    >>> readable_options('python no-run title="a b')
    {'no-run': None}
    """
    try:
        return parse_options(info)
    except ValueError:
        words = (
            word.partition("=") for word in info.split()[1:] if not re.search(r"[\"'\\]", word)
        )
        return {key: value if equals else None for key, equals, value in words if key in OPTIONS}


def looks_like_python(text: str) -> bool:
    """Return whether text is Python that does something.

    >>> looks_like_python("x = f(2)"), looks_like_python("docs/"), looks_like_python("softmax")
    (True, False, False)
    >>> looks_like_python("x[0] + 1"), looks_like_python("a - b")
    (True, False)
    """
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(map(_does_something, body))


def _does_something(statement: ast.stmt) -> bool:
    """Return whether a statement is more than words that happen to be Python.

    Such are *softmax*, *docs/a* and *size: int*.
    """
    match statement:
        case ast.Expr(value):
            return _computes(value)
        case ast.AnnAssign(value=value):
            return value is not None
    return True


def _computes(node: ast.expr) -> bool:
    """Return whether an expression is a call, or an operation or index with a call or index in it.

    Other expressions may be words and signs: *a - b*, *(see above)*.
    """
    if isinstance(node, ast.Call | ast.Await):
        return True
    return isinstance(node, ast.BinOp | ast.Subscript) and any(
        isinstance(inner, ast.Subscript | ast.Call) for inner in ast.walk(node)
    )


def is_session(text: str) -> bool:
    """Return whether text holds a prompt of Python (``>>>``) or IPython (``In [1]:``)."""
    return bool(_PROMPT.search(text))


def is_code(text: str) -> bool:
    """Return whether text without a fence (indented, in HTML) is code that should run."""
    return is_session(text) or looks_like_python(text)


def is_pattern(text: str) -> bool:
    """Return whether text is a valid regular expression.

    >>> is_pattern("0x."), is_pattern("((")
    (True, False)
    """
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True
