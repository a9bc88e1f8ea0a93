"""What a fence is: code that runs, an output, or neither; and what may stand behind its language.

Nothing that looks like code is passed over: what does not run for a slip is refused, with the words
that would make it run.
"""

from __future__ import annotations

import ast
import math
import re
import shlex
from collections.abc import Iterator

#: The names under which a block of code runs.
RUNS = {"python": "python", "py": "python", "python3": "python", "pycon": "pycon"}
#: What may stand after ```` ```python ````, and whether a value belongs to it.
OPTIONS = {
    "title": True,
    "raises": True,
    "no-run": False,
    "timeout": True,
    "volatile": True,
    "hl_lines": True,
    "linenums": True,
}
#: What may stand after ```` ```pycon ````: its errors are shown as tracebacks.
_SESSION_OPTIONS = set(OPTIONS) - {"raises"}
_PYTHON = re.compile(
    r"\{.*\bi?py(?:thon|con)?\d?\b|\{(?:code-cell|jupyter-execute)\}(?!\s*(?:bash|julia|r)\b)"
    r"|\.?i?py(?:thon|con|rb)?[\d.]*(?:\W.*|$)|i?pycon\d*(?:\W|$)"
    r"|(?:python-repl|pyrepl|python-console|jupyter|doctest|sage|cpython|pypy)[\d.]*(?:\W|$)",
    re.IGNORECASE,
)
#: Directives of MyST, the dialect of Jupyter's books, whose text readers would see unchecked.
_DIRECTIVE = re.compile(r"\{(?P<name>[\w-]+)\}")
#: Those that are callouts there, and what Obsidian calls them.
ADMONITIONS = {
    **{name: name for name in ("note", "tip", "hint", "important", "warning", "caution")},
    **{name: name for name in ("attention", "danger", "error", "todo")},
    "admonition": "note",
    "seealso": "info",
}
#: By the name of a directive, what says the same in a note.
_INSTEAD = {
    **{name: f"> [!{kind}]" for name, kind in ADMONITIONS.items()},
    "dropdown": "> [!note]-",
    "math": "$$",
    "include": "![[a note]]",
    "figure": "![alt](file)",
    "image": "![alt](file)",
}
#: So many characters of what stands behind the opening mark are told.
_LONGEST_INFO = 100
_OUTPUT = {"txt", "output", "out", "plain", "plaintext", "stdout", "result", "none"}
_PROMPT = re.compile(r"^\s*(?:>>>|In \[\d+\]:)(?:\s|$)", re.MULTILINE)


def options(info: str) -> dict[str, str | None]:
    """Read the words after the language: ``title="a.py" no-run``.

    Raises
    ------
    ValueError
        If they cannot be read: a quotation mark is left open, or a word is there twice.

    >>> options('python title="a b.py" no-run')
    {'title': 'a b.py', 'no-run': None}
    """
    found: dict[str, str | None] = {}
    try:
        words = shlex.split(info)[1:]
    except ValueError as error:
        quotes = "quotation" in str(error)
        what = "a quotation mark is not closed" if quotes else "a backslash has nothing behind it"
        raise ValueError(what) from error
    for word in words:
        key, equals, value = word.partition("=")
        if key in found:
            raise ValueError(f"{key!r} is there twice")
        found[key] = value if equals else None
    return found


def readable_options(info: str) -> dict[str, str | None]:
    """Read the words after the language, of which some may be unreadable: those are left out.

    >>> readable_options('python no-run title="a b')
    {'no-run': None}
    """
    try:
        return options(info)
    except ValueError:
        words = (
            word.partition("=") for word in info.split()[1:] if not re.search(r"[\"'\\]", word)
        )
        return {key: value if equals else None for key, equals, value in words if key in OPTIONS}


def misread(info: str, language: str, body: str, output: str = "") -> Iterator[str]:
    """Say what is wrong with a fence.

    Parameters
    ----------
    info
        All that stands behind the opening mark.
    language
        Its first word.
    body
        What stands between the marks.
    output
        What the fence is to a block that runs: ``compared`` if it is the output of one, ``behind``
        if it could be, since it stands right behind one; empty if neither.
    """
    if language in RUNS:
        yield from _wrong_options(info, language)
        first = body.strip().split("\n", 1)[0]
        if RUNS[language] == "python" and _PROMPT.match(first):
            yield f"```{language} holds a session with >>>; write ```pycon"
        elif RUNS[language] == "pycon" and first and not first.lstrip().startswith(">>>"):
            yield "```pycon does not begin with >>>; write ```python if it is no session"
    elif language == "text":
        if output == "behind":
            yield "the session above shows its own outputs; nothing is compared with this one"
    elif _PYTHON.match(info):
        yield f"```{info} does not run; write ```{'pycon' if _PROMPT.search(body) else 'python'}"
    elif language.lower() == "math":
        yield "```math is mathematics on a code host alone, and nothing checks it; write $$"
    elif (directive := _DIRECTIVE.match(info)) and directive["name"] in _INSTEAD:
        yield (
            f"```{directive[0]} is code in Obsidian, and nothing checks what it says; "
            f"write {_INSTEAD[directive['name']]}"
        )
    elif _PROMPT.search(body):
        yield f"a session with >>> does not run as ```{info}; write ```pycon"
    elif not language and output:
        yield "nothing is compared with this fence; write ```text if it is an output"


def unused(info: str, language: str, body: str, output: str = "") -> Iterator[str]:
    """Say what is wrong with a fence if code of its note runs, and with no other; see `misread`."""
    if language == "text" and not output:
        yield (
            "no block of code stands right above this output, so nothing is compared with it; "
            "put it there, or name another language"
        )
    elif language != "text" and language.lower() in {*_OUTPUT, "text"}:
        yield f"```{info} is compared with nothing; write ```text right behind the block"
    elif not language and not output and not _PROMPT.search(body) and looks_like_python(body):
        yield "this looks like Python, and does not run; write ```python"


def looks_like_python(text: str) -> bool:
    """Tell whether text is Python that does something.

    >>> looks_like_python("x = f(2)"), looks_like_python("docs/"), looks_like_python("softmax")
    (True, False, False)
    >>> looks_like_python("x[0] + 1"), looks_like_python("a - b")
    (True, False)
    """
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(
        not isinstance(node, ast.Expr | ast.AnnAssign)
        or (isinstance(node, ast.Expr) and _computes(node.value))
        or (isinstance(node, ast.AnnAssign) and node.value is not None)
        for node in body
    )


def _computes(node: ast.expr) -> bool:
    """Tell an expression that names elements or calls something from words and signs."""
    if isinstance(node, ast.Call | ast.Await):
        return True
    return isinstance(node, ast.BinOp | ast.Subscript) and any(
        isinstance(inner, ast.Subscript | ast.Call) for inner in ast.walk(node)
    )


def is_session(text: str) -> bool:
    """Tell whether text holds a session with ``>>>``."""
    return bool(_PROMPT.search(text))


def is_unread_code(text: str) -> bool:
    """Tell whether text that is no fence (indented, in HTML) is code that ought to run."""
    return is_session(text) or looks_like_python(text)


def _wrong_options(info: str, language: str) -> Iterator[str]:
    try:
        found = options(info)
    except ValueError as error:
        yield f"the words behind ```{language} cannot be read: {error}: {_shortened(info)}"
        return
    known = _SESSION_OPTIONS if RUNS[language] == "pycon" else set(OPTIONS)
    for word in sorted(set(found) - known):
        yield f"unknown word {word!r} after ```{language}; known are {', '.join(sorted(known))}"
    for word, value in found.items():
        if word not in known:
            continue
        if OPTIONS[word] and not (value and value.strip()):
            yield f"{word} after ```{language} needs a value: {word}=…"
        elif not OPTIONS[word] and value is not None:
            yield f"{word} after ```{language} takes no value"
        elif why := _wrong_value(word, value or ""):
            yield f"{word}={value}: {why}"
    if "no-run" in found and len(found.keys() & {"raises", "volatile", "timeout"}):
        yield "no-run beside words that say how it runs"


def is_pattern(text: str) -> bool:
    """Tell whether text is a regular expression.

    >>> is_pattern("0x."), is_pattern("((")
    (True, False)
    """
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _shortened(info: str) -> str:
    return info if len(info) <= _LONGEST_INFO else f"{info[:_LONGEST_INFO]} …"


def _wrong_value(word: str, value: str) -> str:
    match word:
        case "raises" if not re.fullmatch(r"[^\W\d]\w*", value):
            return "the name of one class of errors"
        case "timeout":
            try:
                seconds = float(value)
            except ValueError:
                seconds = math.nan
            return "" if 0 < seconds <= 3600 else "seconds, more than 0 and at most 3600"
        case "volatile":
            try:
                pattern = re.compile(value)
            except re.error as error:
                return f"no regular expression: {error}"
            return "it matches nothing at all" if pattern.fullmatch("") else ""
    return ""
