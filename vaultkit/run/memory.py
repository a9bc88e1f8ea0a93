"""Remembers the run of a note, so that the next one runs only what an edit can change.

A block is not run again if its code, all that it can read, and the global settings are as they were
when it ran last. What it has bound and changed is then restored: the same objects, with their
contents at that time, so that the run goes on as if the block had run.

An edit that adds or removes lines moves the blocks below it. These are not run again either: their
outputs and functions get the new lines.
"""

from __future__ import annotations

import re
import sys
import types
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from vaultkit.read.note import Block
from vaultkit.run.contents import (
    Contents,
    UnknownContentsError,
    becomes_former,
    code_at_line,
    names_of_code,
)
from vaultkit.run.reads import Names, names_of
from vaultkit.run.state import State

_ABSENT = object()
#: How many runs of a block, or values of an expression, are remembered: with the published code,
#: and with some edits.
_RUNS = 3
#: Matches names by which code can learn the numbers of its lines.
_LINE_NUMBERS = re.compile(
    r"\b(?:catch_warnings|exc_info|inspect|traceback|\w*lineno|__traceback__)\b"
)
#: References to an object that one name is bound to: this one, and two of the code that counts.
_ONE_REFERENCE = 3


@dataclass(frozen=True)
class Beginning:
    """With what a block begins.

    Attributes
    ----------
    names
        The names that its code uses.
    variables, state
        All variables, and the global settings.
    read
        The contents of all objects that it can read.
    """

    names: Names
    variables: Mapping[str, Any]
    state: State
    read: Contents


@dataclass(frozen=True)
class _Remembered:
    """A block that has run, with all that it could read and all that it has left.

    Attributes
    ----------
    block
        The block, with the lines that it had.
    begin
        With what it began.
    bound
        The variables that it has bound, with their objects.
    unchanged
        Names that its code binds only under a condition, and has not bound, with the objects to
        which they were bound before (`_ABSENT` if to none): if these differ now, the names would
        have other objects after the block.
    left
        The contents of all that it could read, and of ``bound``, after it.
    state, steps
        The state after it, and its steps.
    defined
        The functions that it has defined, and how far below its first line each begins.
    knows_lines
        Whether what it has left may depend on lines of the note. Then it is valid only for these.
    """

    block: Block
    begin: Beginning
    bound: Mapping[str, Any]
    unchanged: Mapping[str, Any]
    left: Contents
    state: State
    steps: list[Any]
    defined: list[tuple[types.FunctionType, int]]
    knows_lines: bool

    def move_to(self, line: int) -> list[Any]:
        """Move the functions that it has defined to its new line; return its steps there."""
        for function, below in self.defined:
            if function.__code__.co_firstlineno != line + below:
                function.__code__ = code_at_line(function.__code__, line + below)
        down = line - self.block.fence.line
        if not down:
            return self.steps
        return [
            replace(
                step,
                line=step.line + down,
                shown_lines=(step.shown_lines[0] + down, step.shown_lines[1] + down),
            )
            for step in self.steps
        ]


class Memory:
    """The last runs of each block of a note in this process."""

    def __init__(self) -> None:
        #: One module for all runs, since functions of earlier runs refer to its variables.
        self.module = types.ModuleType("__main__")
        self._fresh = dict(vars(self.module))
        #: The last runs of each block, and values of each expression, the newest first.
        self._blocks: defaultdict[int, deque[_Remembered]] = defaultdict(
            lambda: deque(maxlen=_RUNS)
        )
        self._values: defaultdict[Hashable, deque[tuple[Contents, State, Any]]] = defaultdict(
            lambda: deque(maxlen=_RUNS)
        )
        #: The state after the last block; None before the first.
        self._state: State | None = None
        self.modules = LocalModules()

    def begin(self) -> types.ModuleType:
        """Return the module of the note, without variables."""
        variables = vars(self.module)
        for name in variables.keys() - self._fresh.keys() - {"__builtins__"}:
            del variables[name]
        variables.update(self._fresh)
        self._state = None
        return self.module

    def recall(self, index: int, block: Block, state: State) -> tuple[list[Any], State] | None:
        """Restore what a block has left, if it need not run again; else return None.

        Parameters
        ----------
        index, block
            The block, and its number.
        state
            The state in which it would run.

        Returns
        -------
        steps, state
            The steps of the block, and the state after it.
        """
        variables = vars(self.module)
        for known in self._blocks[index]:
            has_same_code = _without_lines(known.block) == _without_lines(block)
            if not has_same_code or not self._begins_so(known, block, state):
                continue
            if not known.left.restore(variables):
                return None  # something has changed that cannot be restored
            variables.update(known.bound)
            self._state = known.state
            return known.move_to(block.fence.line), known.state
        return None

    def _begins_so(self, known: _Remembered, block: Block, state: State) -> bool:
        """Return whether a block would begin as it did in an earlier run."""
        names, variables = known.begin.names, vars(self.module)
        if not known.begin.state.equals(state):
            return False
        if any(variables.get(name, _ABSENT) is not v for name, v in known.unchanged.items()):
            return False
        if names.imports and not self.modules.are_fresh:
            return False
        now = _contents(variables, names.read)
        if now is None or now != known.begin.read:
            return False
        if not known.knows_lines:
            return True
        is_moved = block.fence.line != known.block.fence.line
        return not is_moved and now.code_by_function == known.begin.read.code_by_function

    def beginning(self, block: Block, state: State) -> Beginning | None:
        """Return with what a block begins; None if it has to run each time.

        That is so for sessions, errors that are expected, modules that have changed since their
        import, and code or objects that cannot be inspected.
        """
        variables = vars(self.module)
        names = names_of(block.fence.text) if block.kind == "python" else None
        if names is None or "raises" in block.fence.options:
            return None
        if names.imports and not self.modules.are_fresh:
            return None
        read = _contents(variables, names.read)
        return Beginning(names, dict(variables), state, read) if read is not None else None

    def remember(
        self, index: int, block: Block, begin: Beginning | None, steps: list[Any], state: State
    ) -> None:
        """Remember a block that has run.

        Parameters
        ----------
        index, block
            The block, and its number.
        begin
            With what it began; None if it has to run each time.
        steps, state
            Its steps, and the state after it.
        """
        self._state = state
        # Errors name lines. Examples run without lasting effects, and are judged each time.
        if begin is None or any(step.error or step.example for step in steps):
            return
        names, before, variables = begin.names, begin.variables, vars(self.module)
        if newest := next(iter(self._blocks[index]), None):
            self._keep_equal_objects(newest, before)
        has_deleted_a_name = not (before.keys() | names.bound) <= variables.keys()
        if has_deleted_a_name:
            return  # what is remembered can bind names, not delete them
        changed = {n for n, value in variables.items() if before.get(n, _ABSENT) is not value}
        bound_names = (names.bound | changed) - {"__builtins__"}
        # In the order of the variables, which messages depend on.
        bound = {name: value for name, value in variables.items() if name in bound_names}
        unchanged = {n: before.get(n, _ABSENT) for n in names.possibly_bound - bound.keys()}
        left = _contents(variables, {*names.read, *bound})
        if left is None:
            return
        defined = _functions_defined_in(block, left, begin.read, variables)
        # A function that a function of another block has made begins in that block.
        is_made_by_another = any(not 0 < below <= len(block.fence.lines) for _, below in defined)
        knows_lines = is_made_by_another or bool(_LINE_NUMBERS.search(block.fence.text))
        run = _Remembered(block, begin, bound, unchanged, left, state, steps, defined, knows_lines)
        self._blocks[index].appendleft(run)

    def _keep_equal_objects(self, known: _Remembered, before: Mapping[str, Any]) -> None:
        """Bind names to the objects of an earlier run, where a block has made equal ones.

        Then the blocks that read these need not run again. ``before`` are the variables with which
        the block began.
        """
        variables = vars(self.module)
        for name, former in known.bound.items():
            value = variables.get(name, _ABSENT)
            if value is former or before.get(name, _ABSENT) is value:
                continue
            # Nothing else may refer to the new object.
            is_alone = sys.getrefcount(value) <= _ONE_REFERENCE
            if is_alone and becomes_former(value, former, known.left):
                variables[name] = former

    def evaluate(
        self, evaluate: Callable[..., Any], code: str, *, variables: Mapping[str, Any], **more: Any
    ) -> Any:
        """Evaluate code in the text; return a former value if it had the same variables then.

        Parameters
        ----------
        evaluate
            Evaluates it: ``vaultkit.checks.computed.evaluate``.
        code, variables, more
            Its arguments.
        """
        compute = partial(evaluate, code, variables=variables, **more)
        try:
            names = names_of_code(compile(code.strip(), "", "eval", dont_inherit=True))
        except (SyntaxError, UnknownContentsError):
            return compute()
        return self.value(code, names, variables, compute)

    def value(
        self,
        key: Hashable,
        names: Iterable[str],
        variables: Mapping[str, Any],
        compute: Callable[[], Any],
    ) -> Any:
        """Compute something from variables; return a former value if they were the same then.

        Parameters
        ----------
        key
            What is computed.
        names, variables
            The names of the variables that it depends on, and all variables.
        compute
            Computes it.
        """
        before, state = _contents(variables, names), self._state
        if before is None or state is None:
            return compute()
        for known, state_then, value in self._values[key]:
            if known == before and state_then.equals(state):
                return value
        value = compute()
        has_changed_nothing = _contents(variables, names) == before
        if has_changed_nothing:
            self._values[key].appendleft((before, state, value))
        return value


def _without_lines(block: Block) -> list[tuple[Any, ...]]:
    """Return the code of a block and its output, each with its distance from the block's line."""
    fences = (block.fence, block.output) if block.output else (block.fence,)
    return [(f.info, f.prefix, f.indents, f.lines, f.line - block.fence.line) for f in fences]


def _functions_defined_in(
    block: Block, left: Contents, read: Contents, variables: dict[str, Any]
) -> list[tuple[types.FunctionType, int]]:
    """Return the functions that a block has made, and how far below its first line each begins.

    They are in the contents after the block (``left``) and not in those before (``read``).
    Functions of local modules, whose global variables are not those of the note, are left out.
    """
    earlier = {id(function) for function in read.functions}
    return [
        (function, function.__code__.co_firstlineno - block.fence.line)
        for function in left.functions
        if function.__globals__ is variables and id(function) not in earlier
    ]


def _contents(variables: Mapping[str, Any], names: Iterable[str]) -> Contents | None:
    """Return the contents of variables; None if they are unknown."""
    try:
        return Contents(variables, names)
    except UnknownContentsError:
        return None


class LocalModules:
    """The modules beside the vault that a note has imported.

    They are imported once, as long as that has no effects and their contents stay as they were.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[types.ModuleType, Path]] = {}
        #: The contents of all of them after their imports; None if these are unknown, or if an
        #: import had other effects.
        self._after_imports: Contents | None = Contents({}, ())
        #: How many imports are being executed: a module may import others.
        self._depth = 0

    @property
    def are_fresh(self) -> bool:
        """Whether all modules are as they were after their import."""
        return self._after_imports is not None and self._after_imports == self._present()

    def _present(self) -> Contents | None:
        """Return the present contents of all modules; None if they are unknown."""
        return _contents({name: module for name, (module, _) in self._known.items()}, self._known)

    def reusable(self) -> dict[str, tuple[types.ModuleType, Path]]:
        """Return the modules that need not be imported again, with their files."""
        if not self.are_fresh:
            self._known.clear()
            self._after_imports = Contents({}, ())
        return dict(self._known)

    def execute(self, module: types.ModuleType, path: Path, execute: Callable[[], None]) -> None:
        """Execute a module, and remember it."""
        if not self._depth and not self.are_fresh:
            self._after_imports = None
        state, written = State.capture(), getattr(sys.stdout, "length", 0)
        self._depth += 1
        try:
            execute()
        finally:
            self._depth -= 1
        self._known[module.__name__] = module, path
        is_silent = written == getattr(sys.stdout, "length", 0)
        if not (is_silent and state.equals(State.capture())):
            self._after_imports = None
        elif not self._depth and self._after_imports is not None:
            self._after_imports = self._present()
