"""Runs the blocks of one note, top to bottom, in a namespace of its own."""

from __future__ import annotations

import ast
import contextlib
import copy
import doctest
import linecache
import os
import re
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from vaultkit.read import prompts
from vaultkit.read.note import Block, Note
from vaultkit.run.capture import (
    MOST_OUTPUT,
    BlockTimeoutError,
    Capture,
    OutputLimitError,
    slowness,
)
from vaultkit.run.compiling import Compiler, TooDeepError
from vaultkit.run.examples import Namespace, Outcome, run_examples
from vaultkit.run.files import Watch, guard_files
from vaultkit.run.memory import Memory
from vaultkit.run.originals import ORIGINALS, list_first
from vaultkit.run.processes import children, is_alive
from vaultkit.run.state import COMPUTING, State, Variables
from vaultkit.run.steps import Observer, Step

#: Prints the value of an expression, unless it is None.
Printer = Callable[[object], None]
#: A failure of a block: its line and message.
Failure = tuple[int, str]
#: Daemon threads end with the program, so they get only this many seconds to end by themselves; and
#: so many get the processes that a note has started.
_GRACE = 0.2
#: A block or call that took so many seconds is announced again, so that the process that watches
#: the run does not take the time of what follows for a part of it.
_LONG = 1.0
#: So many seconds may the methods of an exception take to return its message.
_FOR_MESSAGE = 1.0


class NoteRun:
    """Runs the blocks of a note in order, each once, on request.

    Parameters
    ----------
    note
        The note.
    timeout
        Processor time of a block in seconds, unless it has the option ``timeout=``; longer on a
        slow machine.
    rewrite
        Changes the code of each block before it runs, so that it computes with other numbers.
    vault
        The folder whose files are guarded.
    beat
        Called before each block, and by `call`, with the index of the block and its time limit in
        seconds.
    compares_later
        Whether `undo_replacements` will be called at the end, so that the last block need not be
        followed by the same comparison.
    memory
        Remembers the last run of the note, so that only what has changed runs again.
    """

    def __init__(
        self,
        note: Note,
        timeout: float = 10.0,
        rewrite: Callable[[ast.Module], ast.Module] | None = None,
        *,
        vault: Path | None = None,
        beat: Callable[[int, float], None] = lambda _index, _seconds: None,
        compares_later: bool = False,
        memory: Memory | None = None,
    ) -> None:
        self.note = note
        self.timeout = timeout * slowness()
        self.beat = beat
        self._memory = memory
        self._module = memory.begin() if memory else types.ModuleType("__main__")
        self._filename = os.path.relpath(note.path)
        self._compiler = Compiler(self._filename, rewrite)
        ORIGINALS.remember()
        #: The state of the engine, and that of the note.
        self._outside = State.capture()
        self._state = State.fresh(self._outside)
        self._capture = Capture()
        self._watch = Watch(vault)
        self._threads = set(threading.enumerate())
        #: The processes that blocks have started, by id, with the line.
        self._processes: dict[int, int] = dict.fromkeys(children(os.getpid()), 0)
        #: The line at which memory ran out; 0 if it has not.
        self._out_of_memory = 0
        self._lines = [line + "\n" for line in note.lines]
        self._compares_later = compares_later
        self._is_undoing_calls = False
        #: The variables before the first of several calls (`calls_undone_together`).
        self._variables: Variables | None = None
        #: The index of the present block.
        self._running = 0
        self._last_beat = 0.0
        #: The steps of each block that has run.
        self._steps: list[list[Step]] = []
        #: The time of each block, in seconds.
        self.seconds: list[float] = []

    def steps(self, index: int) -> list[Step]:
        """Return the steps of the block with this index; run the blocks up to it if need be."""
        while len(self._steps) <= index:
            block = self.note.blocks[len(self._steps)]
            self._running = len(self._steps)
            self._send_beat(self.time_limit(block))
            began = time.perf_counter()
            steps = self._recall(block) or self._run_block(block)
            self.seconds.append(time.perf_counter() - began)
            self._steps.append(steps)
            if self.seconds[-1] > _LONG:
                self._send_beat(self.timeout)
        return self._steps[index]

    def _recall(self, block: Block) -> list[Step]:
        """Return the steps of a block that need not run again, in the state after it; else none.

        Files and threads are not remembered: after a block that has made some, all blocks run.
        """
        has_effects = self._watch.touched or set(threading.enumerate()) - self._threads
        if self._memory is None or has_effects:
            return []
        known = self._memory.recall(len(self._steps), block, self._state)
        if known is None:
            return []
        steps, self._state = known
        return steps

    @property
    def can_resume(self) -> bool:
        """Whether the blocks have had no effects beyond this process, so that copies may resume."""
        return not self._watch.touched

    def rebase(self, note: Note) -> None:
        """Continue with an edited note that agrees so far, in a resumed process."""
        self.note = note
        self._lines = [line + "\n" for line in note.lines]
        self._send_beat(self.timeout)

    def finish(self, *observers: Observer) -> None:
        """Run all blocks; after each, pass the block, its steps and the variables to observers."""
        for index, block in enumerate(self.note.blocks):
            steps = self.steps(index)
            with self.calls_undone_together():
                for observe in observers:
                    observe(block, steps, self.namespace)

    def time_limit(self, block: Block) -> float:
        """Return the time limit of a block on this machine, in seconds."""
        option = block.fence.options.get("timeout")
        is_number = option is not None and option.replace(".", "", 1).isdecimal()
        return float(option) * slowness() if option and is_number else self.timeout

    @property
    def namespace(self) -> dict[str, Any]:
        """The variables that the blocks have bound so far."""
        return self._module.__dict__

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the note without lasting side effects.

        It runs with the note's settings, on copies of the arguments, within the time limit of a
        block. Its output is dropped, and changes of the state are undone.

        Raises
        ------
        TimeoutError
            If it exceeds the time limit.
        RuntimeError
            If it exits, exceeds the limit of output, or replaces functions that the checks need.
        Exception
            Whatever it raises.
        """
        if time.monotonic() - self._last_beat > _LONG:
            self._send_beat(self.timeout)
        results: list[Any] = []
        with self.calls_undone_together():
            around = State.capture(COMPUTING)
            if self._variables is None:
                self._variables = Variables(self.namespace)
                self._state.apply()
            else:
                self._state.apply(COMPUTING)
            try:
                with _as_main(self._module), guard_files(self._watch, self._filename):
                    # To copy an object of the note may run code of the note.
                    error = self._capture.run(
                        lambda: results.append(function(*copy.deepcopy(arguments))), self.timeout
                    )
            finally:
                broken = ORIGINALS.restore(essential=True)
                around.apply()
                self._capture.output.take()
        if broken:
            raise RuntimeError(f"it replaces functions that the checks need: {list_first(broken)}")
        match error:
            case None:
                return results[0]
            case BlockTimeoutError():
                raise TimeoutError(f"it did not end within {error}")
            case OutputLimitError():
                raise RuntimeError("it writes without end")
            case Exception():
                raise error
        message = self._capture.traceback_of(error, _FOR_MESSAGE, brief=True)
        raise RuntimeError(f"it ends the program: {message}")

    @contextlib.contextmanager
    def calls_undone_together(self) -> Iterator[None]:
        """Undo the effects of all calls within (`call`) at the end, which is faster than each."""
        if self._is_undoing_calls:
            yield
            return
        self._is_undoing_calls = True
        try:
            yield
        finally:
            self._is_undoing_calls = False
            if self._variables:
                self._variables.restore()
                self._outside.apply()
            self._variables = None

    def _send_beat(self, seconds: float) -> None:
        """Announce that the present block, or what judges it, may take so many seconds."""
        self._last_beat = time.monotonic()
        self.beat(self._running, seconds)

    def _run_block(self, block: Block) -> list[Step]:
        """Run a block and return its steps; forbidden side effects become failing steps.

        After the last block, the files, threads and processes that the note has left are removed or
        ended. Left files are reported unless a step has failed.
        """
        if "no-run" in block.fence.options:
            return []
        # Tracebacks quote the note from here, also the text of a notebook's cells.
        linecache.cache[self._filename] = (len(self.note.text), None, self._lines, self._filename)
        restored: list[str] = []
        begin = self._memory.beginning(block, self._state) if self._memory else None
        if self._out_of_memory:
            why = f"not run: no memory was left after line {self._out_of_memory}"
            steps = [_failing_step(block, block.fence.line, why)]
        else:
            steps, restored = self._run_in_state_of_note(block)
        steps += [
            _failing_step(block, line, why)
            for line, why in self._report_side_effects(block, restored)
            if not any(why in step.error for step in steps)
        ]
        if self._is_last(block):
            left_files = self._watch.remove_left_files()
            # Code that has failed may not have reached the lines that remove its files.
            has_failed = any(step.error for of_block in (*self._steps, steps) for step in of_block)
            if left_files and not has_failed:
                steps.append(_failing_step(block, *left_files))
        if self._memory:
            if self._watch.touched:
                begin = None  # it may have changed files, which are not remembered
            self._memory.remember(len(self._steps), block, begin, steps, self._state)
        return steps

    def _run_in_state_of_note(self, block: Block) -> tuple[list[Step], list[str]]:
        """Run a block in the note's state of NumPy, warnings and so on.

        Return its steps, and messages about functions that it has replaced, which are restored.
        """
        self._state.apply(present=self._outside)
        self._capture.output.closed_by_note = False
        try:
            with _as_main(self._module), guard_files(self._watch, self._filename):
                program = self._run_session if block.kind == "pycon" else self._run_program
                steps = list(program(block))
        finally:
            # All functions are compared once, at the end; before that, only the essential ones.
            is_end = self._is_last(block) and not self._compares_later
            restored = ORIGINALS.restore(essential=not is_end)
            self._state = State.capture()
            self._outside.apply(present=self._state)
        return steps, restored

    def _report_side_effects(self, block: Block, restored: list[str]) -> Iterator[Failure]:
        """Yield each effect of a block beyond its own note, as a failure.

        ``restored`` has the messages about functions that it had replaced. After the last block,
        the threads and processes of the note are ended, too.
        """
        yield from ((self._line_of_change(block, message), message) for message in restored)
        if self._capture.output.closed_by_note:
            yield self._line_with(block, "close"), "sys.stdout or sys.stderr was closed"
        yield from self._watch.refused
        self._watch.refused.clear()
        # The line that has started a program last, in this block or an earlier one.
        line_of_program = self._watch.started[-1] if self._watch.started else 0
        for change in self._watch.describe_changes():
            # The guard stops the note's own changes: only a program can have made this one.
            yield line_of_program or block.fence.line, f"{change} by a process started here"
        if line_of_program:
            for child in children(os.getpid()):
                self._processes.setdefault(child, line_of_program)
        if self._is_last(block):
            yield from self._end_threads_and_processes(block)

    def _is_last(self, block: Block) -> bool:
        """Return whether this is the last block that runs."""
        runs = (b for b in reversed(self.note.blocks) if "no-run" not in b.fence.options)
        return next(runs, None) is block

    def _end_threads_and_processes(self, block: Block) -> Iterator[Failure]:
        """Wait for threads and processes left after the last block; yield those still running.

        Processes are killed then. Threads cannot be.
        """
        until = time.monotonic() + self.time_limit(block)
        for thread in set(threading.enumerate()) - self._threads:
            line = self._line_in(thread)
            if line and thread is not threading.current_thread():
                thread.join(_GRACE if thread.daemon else max(0.0, until - time.monotonic()))
                if thread.is_alive():
                    yield self._line_in(thread) or line, f"a thread is still running: {thread.name}"
        # Those that ran before the note have line 0.
        processes = [pid for pid, line in self._processes.items() if line]
        until = time.monotonic() + _GRACE
        while any(map(is_alive, processes)) and time.monotonic() < until:
            time.sleep(0.005)
        for pid in filter(is_alive, processes):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            yield self._processes[pid], "a process that was started here is still running"

    def _line_in(self, thread: threading.Thread) -> int:
        """Return the line of the note at which a thread is; 0 if it runs other code.

        Of several functions of the note that call each other, it is the line of the outermost one.
        """
        line, frame = 0, sys._current_frames().get(thread.ident or 0)
        while frame:
            if frame.f_code.co_filename == self._filename:
                line = frame.f_lineno
            frame = frame.f_back
        return line

    def undo_replacements(self) -> list[Failure]:
        """Undo all replacements of functions by the note; return them as failures."""
        messages = ORIGINALS.restore()  # none for a note without blocks
        return [(self._line_of_change(self.note.blocks[-1], text), text) for text in messages]

    def _line_of_change(self, block: Block, message: str) -> int:
        """Return the line of the note that names a replaced function.

        It is ``sum`` in *numpy.sum was replaced*, and ``os`` in *sys.modules['os'] was deleted*.
        """
        name = re.search(r"\w+(?='?\]? was)", message)
        return self._line_with(block, name[0] if name else "")

    def _line_with(self, block: Block, word: str) -> int:
        """Return the line with a word, in a block or above it; else the line of the block."""
        blocks_above = self.note.blocks[: self.note.blocks.index(block)]
        for fence in (block.fence, *(other.fence for other in reversed(blocks_above))):
            for number, text in enumerate(fence.lines, fence.line + 1):
                if word and re.search(rf"\b{re.escape(word)}\b", text):
                    return number
        return block.fence.line

    def _run_program(self, block: Block) -> Iterator[Step]:
        """Run a ``python`` block; yield one step for it, and one for each docstring example."""
        fence, output = block.fence, block.output
        shown = output.text if output else None
        shown_lines = (output.line + 1, output.end - 1) if output else (fence.end + 1, fence.end)
        source = fence.text
        seconds = self.time_limit(block)
        line = fence.line

        def call(print_value: Printer) -> None:
            """Execute the block, and print the value of its last expression."""
            nonlocal line
            tree = self._compiler.parse(source, fence.line + 1, fence.indents)
            value = None
            last_statement = tree.body[-1] if tree.body else None
            # As in a notebook, a semicolon at the end hides the value.
            is_shown = not source.rstrip().endswith(";")
            if isinstance(last_statement, ast.Expr) and is_shown:
                tree.body.pop()
                value = ast.Expression(last_statement.value)
            exec(self._compiler.compile(tree, "exec", source, fence.line + 1), self.namespace)
            if value is not None:
                code = self._compiler.compile(value, "eval", source, fence.line + 1)
                line = value.body.lineno
                print_value(eval(code, self.namespace))

        got, raised = self._run_code(call, seconds)
        expected = fence.options.get("raises")
        if expected and raised is None:
            yield Step(fence.line, shown, shown_lines, got, f"this should raise {expected}")
        elif raised and expected in _names_of_error(raised):
            last_line = self._capture.traceback_of(raised, seconds, brief=True)
            yield Step(fence.line, shown, shown_lines, got + last_line)
        else:
            line = self._line_of(raised, line)
            yield Step(line, shown, shown_lines, got, self._describe_error(raised, line, seconds))
        # A block that mirrors a file contains the file's examples, which run with the file.
        mirrors_file = "title" in fence.options
        if raised is None and ">>>" in source and not mirrors_file:
            yield from self._run_docstrings(block)

    def _run_docstrings(self, block: Block) -> Iterator[Step]:
        """Run the docstring examples of a block, without lasting side effects."""
        kinds = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
        for node in ast.walk(ast.parse(block.fence.text)):
            text = ast.get_docstring(node, clean=False) if isinstance(node, kinds) else None
            if not text or ">>>" not in text:
                continue
            assert isinstance(node, kinds)
            first = block.fence.line + node.body[0].lineno  # the line of the docstring
            try:
                examples = doctest.DocTestParser().get_examples(text)
                with self.calls_undone_together():
                    outcomes = self.call(run_examples, examples, Namespace(self.namespace))
            except Exception as error:
                outcomes = [Outcome(0, "", f"{type(error).__name__}: {error}")]
            for outcome in outcomes:
                line = first + outcome.line
                yield Step(line, outcome.expected, (line + 1, line), outcome.got, example=True)

    def _run_session(self, block: Block) -> Iterator[Step]:
        """Run a ``pycon`` session, and yield a step for each of its prompts."""
        fence = block.fence
        seconds = self.time_limit(block)
        try:
            examples = prompts.examples(fence.text)
        except ValueError as error:
            yield Step(fence.line, None, (fence.end, fence.end - 1), "", str(error))
            return
        for example in examples:
            first_line = fence.line + 1
            line = first_line + example.line
            shown_lines = (first_line + example.first, first_line + example.last)
            prompt = len(">>> ") + example.indent
            indents = [indent + prompt for indent in fence.indents[example.line :]]

            def call(
                print_value: Printer,
                example: prompts.Example = example,
                line: int = line,
                indents: Sequence[int] = indents,
            ) -> None:
                """Execute an example, and print the values of its expressions."""
                tree = self._compiler.parse(example.source, line, indents)
                whole = ast.Interactive(tree.body)
                code = self._compiler.compile(whole, "single", example.source, line)
                hook, sys.displayhook = sys.displayhook, print_value
                try:
                    exec(code, self.namespace)
                finally:
                    sys.displayhook = hook

            got, raised = self._run_code(call, seconds)
            shown = example.shown
            if raised and _names_of_error(raised) and example.error is not None:
                # As in doctest, only the last line of a traceback is compared.
                head = "Traceback (most recent call last):\n"
                between = shown.removeprefix(head).removesuffix(example.error.rstrip("\n"))
                got += head + between + self._capture.traceback_of(raised, seconds, brief=True)
                raised = None
            failure = self._describe_error(raised, self._line_of(raised, line), seconds)
            yield Step(line, shown, shown_lines, got, failure)

    def _run_code(
        self, call: Callable[[Printer], None], seconds: float
    ) -> tuple[str, BaseException | None]:
        """Run code; return its output, with warnings, and the exception that ended it.

        ``call`` runs the code; it gets a function that prints the value of an expression.
        """
        output = self._capture.output

        def print_value(value: object) -> None:
            if value is not None:
                output.write(f"{value!r}\n")

        ended_by = self._capture.run(lambda: call(print_value), seconds)
        if isinstance(ended_by, MemoryError) and not self._capture.ensure_reserve():
            self._out_of_memory = self._line_of(ended_by, 1)
        got = "\n".join(line.rstrip() for line in output.take().split("\n")).rstrip("\n")
        # The message of an expected error begins on a new line.
        return got + "\n" if got and ended_by else got, ended_by

    def _line_of(self, error: BaseException | None, default: int) -> int:
        """Return the line of the note at which an error was raised: of the outermost call there."""
        if isinstance(error, SyntaxError) and error.filename == self._filename:
            return error.lineno or default
        frame = error.__traceback__ if error else None
        while frame and frame.tb_frame.f_code.co_filename != self._filename:
            frame = frame.tb_next
        return frame.tb_lineno if frame else default

    def _describe_error(self, error: BaseException | None, line: int, seconds: float) -> str:
        """Return a traceback that begins in the note."""
        if error is None:
            return ""
        frame = error.__traceback__
        while frame and frame.tb_frame.f_code.co_filename != self._filename:
            frame = frame.tb_next
        error.__traceback__ = frame
        if isinstance(error, BlockTimeoutError):
            return f"stopped after {error}, at line {line}"
        if isinstance(error, TooDeepError):
            return error.msg
        if isinstance(error, OutputLimitError):
            return f"stopped at line {line}: it wrote more than {MOST_OUTPUT:,} characters"
        return self._capture.traceback_of(error, seconds)


def _failing_step(block: Block, line: int, why: str) -> Step:
    """Return a step that reports a fault of a block other than its output."""
    return Step(line, None, (block.fence.end + 1, block.fence.end), "", why)


def _names_of_error(error: BaseException) -> set[str]:
    """Return the names by which ``raises=`` may expect an error; none for errors of the run."""
    if isinstance(error, (BlockTimeoutError, OutputLimitError)):
        return set()
    return {kind.__name__ for kind in type(error).__mro__}


@contextlib.contextmanager
def _as_main(module: types.ModuleType) -> Iterator[None]:
    """Make a module ``__main__``, where pickle and dataclasses look names up."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        yield
    finally:
        sys.modules["__main__"] = main
