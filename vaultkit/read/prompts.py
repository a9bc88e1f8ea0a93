"""Splits ``>>>`` sessions into examples, whose outputs may contain blank lines."""

from __future__ import annotations

import doctest
import re
from dataclasses import dataclass

_PROMPT = re.compile(r"\s*>>>(?:\s|$)")


@dataclass(frozen=True)
class Example:
    """A prompt of a session: its code, the output shown, and the lines of both.

    ``line`` is that of the prompt, counted from 0; ``first`` and ``last`` are those of the output
    (``last`` before ``first`` if there is none). ``error`` is the last line of a traceback that is
    shown, else None.
    """

    source: str
    shown: str
    line: int
    first: int
    last: int
    indent: int
    error: str | None


def examples(text: str) -> list[Example]:
    r"""Split a session into its examples.

    An output extends to the next ``>>>``, or to the end. Blank lines within it are part of it,
    those at its end are not. ``<BLANKLINE>`` also stands for a blank line.

    >>> [(e.source, e.shown) for e in examples(">>> a\n1\n\n2\n\n>>> b\n>>> c\n\n3")]
    [('a\n', '1\n\n2'), ('b\n', ''), ('c\n', '\n3')]

    Raises
    ------
    ValueError
        If a line is indented less than its prompt, or a prompt is not followed by a blank.
    """
    # doctest ends an output at a blank line; replace blank lines within outputs by its marker.
    lines = text.split("\n")
    marked_lines, indent = list(lines), None
    for index, line in enumerate(lines):
        if _PROMPT.match(line):
            indent = len(line) - len(line.lstrip())
        if indent is not None and not line.strip():
            next_text = next((below for below in lines[index:] if below.strip()), "")
            if next_text and not _PROMPT.match(next_text):
                marked_lines[index] = " " * indent + "<BLANKLINE>"
    converted = []
    for example in doctest.DocTestParser().get_examples("\n".join(marked_lines)):
        first = example.lineno + example.source.count("\n")
        shown = re.sub(r"^<BLANKLINE>$", "", example.want, flags=re.MULTILINE)
        converted.append(
            Example(
                source=example.source,
                shown=shown.removesuffix("\n"),
                line=example.lineno,
                first=first,
                last=first + example.want.count("\n") - 1,
                indent=example.indent,
                error=example.exc_msg,
            )
        )
    return converted
