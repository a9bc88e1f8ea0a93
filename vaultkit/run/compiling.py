"""Compiles code from the text of a note so that its lines are those of the note."""

from __future__ import annotations

import ast
import linecache
import types
from bisect import bisect_left
from collections.abc import Callable, Sequence

#: Bytes that can be allocated unless memory has run out. Python raises a MemoryError for code that
#: is nested too deeply, too.
_SOME_MEMORY = 8 << 20


class TooDeepError(SyntaxError):
    """Code that is nested too deeply for Python's own parser or compiler."""


class Compiler:
    """Parses and compiles the code of a note, with the lines and columns of the note.

    Parameters
    ----------
    filename
        The file name in tracebacks.
    rewrite
        Changes the code before it is compiled, if given.
    """

    def __init__(
        self, filename: str, rewrite: Callable[[ast.Module], ast.Module] | None = None
    ) -> None:
        self._filename = filename
        self._rewrite = rewrite

    def parse(self, source: str, line: int, indents: Sequence[int]) -> ast.Module:
        """Parse code that begins on a line; ``indents`` are the bytes before each of its lines.

        Raises
        ------
        SyntaxError
            If it cannot be parsed; its line is that of the note.
        MemoryError
            If memory has run out.
        """

        def indent_of(number: int | None) -> int:
            """Return the bytes before a line; Python may report an error behind the last one."""
            index = (number or 0) - line
            return indents[index] if 0 <= index < len(indents) else 0

        try:
            # Without the file name, since Python would show a wrong line of that file.
            tree = ast.parse("\n" * (line - 1) + source)
        except (MemoryError, RecursionError):
            raise self._too_deep(source, line) from None
        except SyntaxError as error:
            error.filename = self._filename
            error.text = linecache.getline(self._filename, error.lineno or 1)
            if error.offset:
                error.offset += indent_of(error.lineno)
            if error.end_offset and error.end_offset > 0:
                error.end_offset += indent_of(error.end_lineno)
            raise
        tree = self._rewrite(tree) if self._rewrite else tree
        for node in ast.walk(tree) if any(indents) else ():
            if isinstance(node, (ast.expr, ast.stmt)):
                node.col_offset += indent_of(node.lineno)
                node.end_col_offset = (node.end_col_offset or 0) + indent_of(node.end_lineno)
        return tree

    def compile(
        self, tree: ast.Module | ast.Expression | ast.Interactive, mode: str, source: str, line: int
    ) -> types.CodeType:
        """Compile parsed code; errors are as in `parse`."""
        try:
            code: types.CodeType = compile(tree, self._filename, mode, dont_inherit=True)
        except (MemoryError, RecursionError):
            raise self._too_deep(source, line) from None
        return code

    def _too_deep(self, source: str, line: int) -> Exception:
        """Return the error for code nested too deeply to parse or compile, with its line."""
        try:
            bytearray(_SOME_MEMORY)
        except MemoryError as error:
            return error  # memory has run out, whatever the code is
        lines = source.split("\n")

        def is_too_deep(count: int) -> bool:
            """Return whether the first lines of the code are nested too deeply."""
            try:
                compile("\n".join(lines[:count]), self._filename, "exec", dont_inherit=True)
            except (MemoryError, RecursionError):
                return True
            except (SyntaxError, ValueError):  # the part ends within a statement
                pass
            return False

        # The first line with which they are, found by halving.
        number = line + bisect_left(range(1, len(lines)), True, key=is_too_deep)
        why = "Python cannot compile this line: an expression in it is nested too deeply"
        return TooDeepError(why, (self._filename, number, None, None))
