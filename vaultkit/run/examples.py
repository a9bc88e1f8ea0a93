"""Runs the examples in the docstrings of a note's functions."""

from __future__ import annotations

import contextlib
import doctest
import io
import sys
import traceback
from typing import Any, NamedTuple

_CHECKER = doctest.OutputChecker()


class Namespace(dict[str, Any]):
    """The namespace of a note, which deepcopy shares rather than copies."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Namespace:
        return Namespace(self)


class Outcome(NamedTuple):
    """The outcome of a docstring example: its line from 0, its expected and its real output.

    Both outputs are the same text if doctest takes them for equal.
    """

    line: int
    expected: str
    got: str


def run_examples(examples: list[doctest.Example], namespace: dict[str, Any]) -> list[Outcome]:
    """Run the examples of a docstring, and compare their outputs as doctest does."""
    outcomes = []
    for example in examples:
        if example.options.get(doctest.SKIP):
            continue
        output = io.StringIO()

        def show(value: object, output: io.StringIO = output) -> None:
            if value is not None:
                output.write(f"{value!r}\n")

        hook, sys.displayhook = sys.displayhook, show
        expected = example.want
        try:
            with contextlib.redirect_stdout(output):
                code = compile(example.source, "<docstring>", "single", dont_inherit=True)
                exec(code, namespace)
        except Exception as error:
            expected = example.exc_msg or expected  # of a traceback, its last line
            output.write("".join(traceback.format_exception_only(error)))
        finally:
            sys.displayhook = hook
        got = output.getvalue()
        if _CHECKER.check_output(expected, got, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE):
            got = expected
        outcomes.append(Outcome(example.lineno, expected.rstrip("\n"), got.rstrip("\n")))
    return outcomes
