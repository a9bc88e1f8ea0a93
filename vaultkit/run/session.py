"""Runs the blocks of one note, top to bottom, in one namespace that no other note shares."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import os
import random
import signal
import sys
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vaultkit.read import prompts
from vaultkit.read.note import Block, Note


class BlockTimeoutError(BaseException):
    """A block ran longer than it may. Not an Exception, so that a note's own code lets it pass."""


@dataclass(frozen=True)
class Step:
    """A piece of code, the output the note shows for it, and the output it really has.

    A ``python`` block is one step, each prompt of a ``pycon`` block is one.

    Attributes
    ----------
    line
        Where the code stands.
    shown
        The output in the note; None if it shows none.
    shown_lines
        First and last line of that output. Where there is none the last line comes before the
        first, and the output would go in between.
    got
        The output when run; for an error that was announced, its last line too.
    error
        An error that nobody announced, told with the lines of the note; else empty.
    """

    line: int
    shown: str | None
    shown_lines: tuple[int, int]
    got: str = ""
    error: str = ""


Watcher = Callable[[Block, list[Step], Mapping[str, Any]], None]


class NoteRun:
    """The blocks of a note, run in order and each but once, whoever asks first.

    Parameters
    ----------
    note
        The note.
    timeout
        Seconds that one block may take.
    watchers
        Called after each block with it, its steps and the names bound so far.
    rewrite
        Changes the code of each block before it runs, so that it computes with other numbers.
    """

    def __init__(
        self,
        note: Note,
        timeout: float = 10.0,
        watchers: Iterable[Watcher] = (),
        rewrite: Callable[[ast.Module], ast.Module] = lambda tree: tree,
    ) -> None:
        self.rewrite = rewrite
        self.note = note
        self.timeout = timeout
        self.watchers = tuple(watchers)
        self._module = types.ModuleType("__main__")
        self._filename = os.path.relpath(note.path)
        self._state = _State.fresh()
        self._steps: list[list[Step]] = []
        #: How long each block took, in seconds.
        self.seconds: list[float] = []

    def steps(self, index: int) -> list[Step]:
        """Run what has not run yet, up to and with the block ``index``; return its steps."""
        while len(self._steps) <= index:
            block = self.note.blocks[len(self._steps)]
            began = time.perf_counter()
            self._steps.append(self._run(block))
            self.seconds.append(time.perf_counter() - began)
            for watch in self.watchers:
                watch(block, self._steps[-1], self.namespace)
        return self._steps[index]

    def finish(self) -> None:
        """Run what has not run yet."""
        if self.note.blocks:
            self.steps(len(self.note.blocks) - 1)

    @property
    def namespace(self) -> dict[str, Any]:
        """Names that the blocks have bound so far."""
        return self._module.__dict__

    def _run(self, block: Block) -> list[Step]:
        if "no-run" in block.fence.options:
            return []
        # Tracebacks quote the note from here, also where it is the text of a notebook's cells.
        lines = [line + "\n" for line in self.note.lines]
        linecache.cache[self._filename] = (len(self.note.text), None, lines, self._filename)
        outside = _State.capture()
        self._state.apply()
        try:
            with _as_main(self._module):
                if block.kind == "pycon":
                    return list(self._session(block))
                return [self._program(block)]
        finally:
            self._state = _State.capture()
            outside.apply()

    def _program(self, block: Block) -> Step:
        fence, output = block.fence, block.output
        shown = output.text if output else None
        lines = (output.line + 1, output.end - 1) if output else (fence.end + 1, fence.end)
        source = fence.text

        def call(print_value: Callable[[object], None]) -> None:
            tree = self._parse(source, fence.line + 1, len(fence.prefix.encode()))
            last = tree.body[-1] if tree.body else None
            value = None
            if isinstance(last, ast.Expr) and not source.rstrip().endswith(";"):
                tree.body.pop()
                value = ast.Expression(last.value)
            exec(compile(tree, self._filename, "exec", dont_inherit=True), self.namespace)
            if value is not None:
                code = compile(value, self._filename, "eval", dont_inherit=True)
                print_value(eval(code, self.namespace))

        got, raised = self._capture(call)
        expected = fence.options.get("raises")
        if expected and raised is None:
            return Step(fence.line, shown, lines, got, f"this should raise {expected}")
        if expected and expected in (kind.__name__ for kind in type(raised).__mro__):
            return Step(fence.line, shown, lines, got + _last_line(raised))
        return Step(self._line_of(raised, fence.line), shown, lines, got, self._told(raised))

    def _session(self, block: Block) -> Iterator[Step]:
        fence = block.fence
        try:
            examples = prompts.examples(fence.text)
        except ValueError as error:
            yield Step(fence.line, None, (fence.end, fence.end - 1), "", str(error))
            return
        for example in examples:
            line = fence.line + 1 + example.line
            lines = (fence.line + 1 + example.first, fence.line + 1 + example.last)
            prefix = len(fence.prefix.encode()) + 4 + example.indent

            def call(
                print_value: Callable[[object], None],
                example: prompts.Example = example,
                line: int = line,
                prefix: int = prefix,
            ) -> None:
                tree = self._parse(example.source, line, prefix)
                code = compile(
                    ast.Interactive(tree.body), self._filename, "single", dont_inherit=True
                )
                hook, sys.displayhook = sys.displayhook, print_value
                try:
                    exec(code, self.namespace)
                finally:
                    sys.displayhook = hook

            got, raised = self._capture(call)
            shown = example.shown
            if raised and example.error is not None:
                # As in doctest, only the last line of a traceback is compared.
                head = "Traceback (most recent call last):\n"
                between = shown.removeprefix(head).removesuffix(example.error.rstrip("\n"))
                got += head + between + _last_line(raised)
                raised = None
            yield Step(line, shown, lines, got, self._told(raised))

    def _parse(self, source: str, line: int, indent: int) -> ast.Module:
        """Parse code so that it believes to stand where it stands in the note."""
        try:
            # Not by the name of the note: Python would look up the wrong line in it.
            tree = ast.parse(source)
        except SyntaxError as error:
            error.filename = self._filename
            error.lineno = (error.lineno or 1) + line - 1
            error.end_lineno = (error.end_lineno or 1) + line - 1
            error.text = linecache.getline(self._filename, error.lineno)
            if error.offset:
                error.offset += indent
            if error.end_offset and error.end_offset > 0:
                error.end_offset += indent
            raise
        tree = self.rewrite(tree)
        for node in ast.walk(tree):
            if isinstance(node, (ast.expr, ast.stmt)):
                node.col_offset += indent
                node.end_col_offset = (node.end_col_offset or 0) + indent
        ast.increment_lineno(tree, line - 1)
        return tree

    def _capture(
        self, call: Callable[[Callable[[object], None]], None]
    ) -> tuple[str, BaseException | None]:
        """Run code; return all it printed or warned of, and the error that ended it."""
        buffer = io.StringIO()

        def print_value(value: object) -> None:
            if value is not None:
                buffer.write(f"{value!r}\n")

        ended_by: BaseException | None = None
        try:
            with (
                contextlib.redirect_stdout(buffer),
                contextlib.redirect_stderr(buffer),
                _limit(self.timeout),
            ):
                call(print_value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too: a note ends itself, not the run
            ended_by = error
        got = "\n".join(line.rstrip() for line in buffer.getvalue().split("\n")).rstrip("\n")
        # What announced errors say goes on a line of its own.
        return got + "\n" if got and ended_by else got, ended_by

    def _line_of(self, error: BaseException | None, default: int) -> int:
        """Line of the note in which an error arose."""
        if isinstance(error, SyntaxError) and error.filename == self._filename:
            return error.lineno or default
        frame = error.__traceback__ if error else None
        while frame and frame.tb_frame.f_code.co_filename != self._filename:
            frame = frame.tb_next
        return frame.tb_lineno if frame else default

    def _told(self, error: BaseException | None) -> str:
        """Tell an error as a traceback that begins in the note."""
        if error is None:
            return ""
        frame = error.__traceback__
        while frame and frame.tb_frame.f_code.co_filename != self._filename:
            frame = frame.tb_next
        error.__traceback__ = frame
        if isinstance(error, BlockTimeoutError):
            line = frame.tb_lineno if frame else "?"
            return f"stopped after {self.timeout:g} s, at line {line}"
        return "".join(traceback.format_exception(error)).rstrip("\n")


def _last_line(error: BaseException | None) -> str:
    return "".join(traceback.format_exception_only(error)).rstrip("\n")


@contextlib.contextmanager
def _as_main(module: types.ModuleType) -> Iterator[None]:
    """Let a module be the main one: pickle, dataclasses and their like look names up there."""
    before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        yield
    finally:
        sys.modules["__main__"] = before


@contextlib.contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Raise `BlockTimeoutError` in code that takes longer, again and again until it gives in.

    Needs SIGALRM (Linux, macOS) and the main thread; elsewhere code runs without a limit.
    """
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_signal: int, _frame: types.FrameType | None) -> None:
        raise BlockTimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass
class _State:
    """What code can change for all that runs after it."""

    folder: Path
    environment: dict[str, str]
    search_path: list[str]
    filters: list[Any]
    show_warning: Any
    random: Any
    numpy: tuple[Any, Any, Any]

    @classmethod
    def capture(cls) -> _State:
        return cls(
            folder=Path.cwd(),
            environment=dict(os.environ),
            search_path=list(sys.path),
            filters=list(warnings.filters),
            show_warning=warnings.showwarning,
            random=random.getstate(),
            numpy=(np.get_printoptions(), np.geterr(), np.random.get_state()),  # noqa: NPY002,
        )

    @classmethod
    def fresh(cls) -> _State:
        """Return the state in which a note begins: Python's and NumPy's own defaults."""
        state = cls.capture()
        state.filters = [
            ("default", None, DeprecationWarning, "__main__", 0),
            *(("ignore", None, kind, None, 0) for kind in _QUIET),
            # Not "default": that shows a warning but once, in whichever note comes first.
            ("always", None, Warning, None, 0),
        ]
        state.show_warning = _show_warning
        return state

    def apply(self) -> None:
        os.chdir(self.folder)
        if dict(os.environ) != self.environment:
            os.environ.clear()
            os.environ.update(self.environment)
        sys.path[:] = self.search_path
        warnings.resetwarnings()  # also forgets which warnings have been shown
        warnings.filters[:] = self.filters  # type: ignore[index]
        warnings.showwarning = self.show_warning
        random.setstate(self.random)
        options, errors, seed = self.numpy
        np.set_printoptions(**options)
        np.seterr(**errors)
        np.random.set_state(seed)  # noqa: NPY002


_QUIET = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Show a warning among the output, without the path and line that differ between machines."""
    print(f"{category.__name__}: {message}")
