"""Finds what a note shows otherwise than its author meant: code that does not run, raw mark-up.

Code that does not run because of a typo in its fence is a failure, with the words that would make
it run. So is mark-up that readers would see as text: footnotes and links without a target, and
mathematics and callouts in the syntax of other programs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from vaultkit.read.fences import (
    ADMONITIONS,
    OPTIONS,
    RUNS,
    is_session,
    looks_like_python,
    parse_options,
)
from vaultkit.read.note import Fence, Note, Problem, UnparsedMarkup

#: Options after ```` ```pycon ````, where tracebacks show errors.
_SESSION_OPTIONS = set(OPTIONS) - {"raises"}
#: The first line of a fence whose author wants Python to run it, in other words than those that
#: run: ``{.python .numberLines}``, ``{code-cell}``, ``py3``, ``ipython``, ``Python title="a.py"``.
_PYTHON = re.compile(
    r"\{.*\bi?py(?:thon|con)?\d?\b|\{(?:code-cell|jupyter-execute)\}(?!\s*(?:bash|julia|r)\b)"
    r"|\.?i?py(?:thon|con|rb)?[\d.]*(?:\W.*|$)|i?pycon\d*(?:\W|$)"
    r"|(?:python-repl|pyrepl|python-console|jupyter|doctest|sage|cpython|pypy)[\d.]*(?:\W|$)",
    re.IGNORECASE,
)
#: Directives of MyST, the dialect of Jupyter's books, whose text readers would see unchecked.
_DIRECTIVE = re.compile(r"\{(?P<name>[\w-]+)\}")
#: By the name of a directive, the syntax of a note with the same meaning.
_INSTEAD = {
    **{name: f"> [!{kind}]" for name, kind in ADMONITIONS.items()},
    "dropdown": "> [!note]-",
    "math": "$$",
    "include": "![[a note]]",
    "figure": "![alt](file)",
    "image": "![alt](file)",
}
#: Most characters of a fence's first line in a message.
_LONGEST_INFO = 100
#: Other words for ``text``, with which a fence looks like an output and is not compared.
_OUTPUT = {"txt", "output", "out", "plain", "plaintext", "stdout", "result", "none"}
#: References without a target, ``[^1]`` and ``[words][target]``, and the message for each.
_BROKEN = {
    re.compile(r"\[\^[^\]\s]+\](?!:)"): "there is no such footnote on this note",
    re.compile(
        r"(?<![\w\])])\[(?=[^]]*[A-Za-z])[^][^][^][]{0,199}\]\[(?=[^]]*[A-Za-z])[^][^][^][]{0,99}\]"
    ): "the target of this link is not defined",
}
#: Mark-up of other programs that would be shown as text, and the message for each.
_UNREAD = {
    re.compile(r"\\begin\{[a-z]+\*?\}"): "this is outside mathematics; write $$ around it",
    # Dollars with a space inside, around what only a formula has: ``$ \alpha $``, ``$ x = 1$``.
    re.compile(
        r"\$(?:[^$\n]*(?:\\[A-Za-z]{2,}|[_^]\{)[^$\n]*\$"
        r"|\s?[A-Za-z](?:[_^]\w)?\s?[=<>≤≥≈≠][^$\n]*\$(?![\w$]))"
    ): "this is read as text; remove the spaces inside the dollars",
    # Callouts of Python-Markdown and of MyST: ``!!! note "Title"``, ``:::{note}``.
    re.compile(r'^(?:!!!|\?\?\?\+?|:::+)\s?\{?[a-z][a-z-]*\}?(?:\s".*")?$'): (
        "this is read as text; write > [!note]"
    ),
}
#: Mathematics between the brackets of LaTeX, which Obsidian and Markdown show as text:
#: ``\(x = 1\)`` or ``\[x = 1\]``.
_LATEX = re.compile(r"(?<!\\)\\([(\[])((?:(?!\\[()\[\]]).){1,500}?)\\[)\]]", re.DOTALL)
_IS_MATHS = re.compile(r"[=<>≤≥≈≠∈^_]|\\[A-Za-z]{2}")


def problems(note: Note) -> Iterator[Problem]:
    """Yield what a note shows otherwise than its author meant."""
    for fence in note.fences:
        yield from (Problem(fence.line, why, unseen=True) for why in fence_problems(fence))
        yield from (
            Problem(fence.line, why, of_code=True, unseen=True)
            for why in code_fence_problems(fence)
        )
    for line, code in note.unfenced:
        why = "this looks like code, and does not run; put it into ```python or ```pycon"
        yield Problem(line, why, of_code=not is_session(code), unseen=True)
    for text in note.marked:
        yield from _unrendered_markup(text)
    for text in note.bracketed:
        yield from _bracketed_formulas(text)


def _unrendered_markup(text: UnparsedMarkup) -> Iterator[Problem]:
    """Yield mark-up that is shown as text."""
    for pattern, why in (*_BROKEN.items(), *_UNREAD.items()):
        for found in pattern.finditer(text.words):
            at = text.place_of(found.start())
            # What the source does not have here was written with escapes, and is meant as text.
            if text.paragraph.startswith(found[0], at):
                line, column = text.places(at)
                is_of_other_program = pattern in _UNREAD
                yield Problem(line, f"{found[0]}: {why}", column, foreign=is_of_other_program)


def _bracketed_formulas(text: UnparsedMarkup) -> Iterator[Problem]:
    r"""Yield ``\(x = 1\)``, which is not mathematics in Obsidian or CommonMark."""
    for found in _LATEX.finditer(text.paragraph):
        bracket, formula = found.groups()
        # The page shows the bracket without its backslash.
        if _IS_MATHS.search(formula) and text.words[found.start()] == bracket:
            line, column = text.places(found.start())
            why = f"{found[0]}: this is read as text; write mathematics between dollars"
            yield Problem(line, " ".join(why.split()), column, foreign=True)


def fence_problems(fence: Fence) -> Iterator[str]:
    """Yield the problems of a fence that are problems in every note.

    A *session* is code with the prompts ``>>>`` of Python's console; ``pycon`` fences have one.
    """
    info, language, body, role = fence.info, fence.language, fence.text, fence.role
    if language in RUNS:
        yield from _wrong_options(info, language)
        first_line = body.strip().split("\n", 1)[0]
        if RUNS[language] == "python" and is_session(first_line):
            yield f"```{language} holds a session with >>>; write ```pycon"
        elif RUNS[language] == "pycon" and first_line and not first_line.startswith(">>>"):
            yield "```pycon does not begin with >>>; write ```python if it is not a session"
    elif language == "text":
        if role == "behind":
            yield "the session above shows its own outputs; this one is not compared"
    elif _PYTHON.match(info):
        yield f"```{info} does not run; write ```{'pycon' if is_session(body) else 'python'}"
    elif language.lower() == "math":
        yield "```math is mathematics on code hosts only and is not checked; write $$"
    elif (directive := _DIRECTIVE.match(info)) and directive["name"] in _INSTEAD:
        yield (
            f"```{directive[0]} is code in Obsidian, and nothing checks what it says; "
            f"write {_INSTEAD[directive['name']]}"
        )
    elif is_session(body):
        yield f"a session with >>> does not run as ```{info}; write ```pycon"
    elif not language and role:
        yield "this fence is not compared with anything; write ```text if it is an output"


def code_fence_problems(fence: Fence) -> Iterator[str]:
    """Yield the problems of a fence that are problems only in a note whose code runs."""
    info, language, body, role = fence.info, fence.language, fence.text, fence.role
    if language == "text" and not role:
        yield (
            "no block of code is directly above this output, so nothing is compared with it; "
            "put it there, or name another language"
        )
    elif language != "text" and language.lower() in {*_OUTPUT, "text"}:
        yield f"```{info} is compared with nothing; write ```text directly below the block"
    elif not language and not role and not is_session(body) and looks_like_python(body):
        yield "this looks like Python, and does not run; write ```python"


def _wrong_options(info: str, language: str) -> Iterator[str]:
    """Yield what is wrong with the words after the language of a fence."""
    try:
        options = parse_options(info)
    except ValueError as error:
        yield f"the words after ```{language} cannot be read: {error}: {_shortened(info)}"
        return
    known = _SESSION_OPTIONS if RUNS[language] == "pycon" else set(OPTIONS)
    for word in sorted(set(options) - known):
        yield f"unknown word {word!r} after ```{language}; known are {', '.join(sorted(known))}"
    for word, value in options.items():
        if word not in known:
            continue
        if OPTIONS[word] and not (value and value.strip()):
            yield f"{word} after ```{language} needs a value: {word}=…"
        elif not OPTIONS[word] and value is not None:
            yield f"{word} after ```{language} takes no value"
        elif why := _wrong_value(word, value or ""):
            yield f"{word}={value}: {why}"
    if "no-run" in options and options.keys() & {"raises", "volatile", "timeout"}:
        yield "no-run together with options for a run"


def _shortened(info: str) -> str:
    return info if len(info) <= _LONGEST_INFO else f"{info[:_LONGEST_INFO]} …"


def _wrong_value(word: str, value: str) -> str:
    """Return why the value of an option is invalid; empty if it is valid."""
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
                return f"not a regular expression: {error}"
            return "it also matches empty text" if pattern.fullmatch("") else ""
    return ""
