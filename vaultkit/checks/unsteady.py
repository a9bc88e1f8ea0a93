"""Follows values that differ in each run: random numbers without a seed, times, addresses.

An output that contains such a value cannot be compared with that of another run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from vaultkit.claims.expressions import parsed

#: Modules whose functions give other values in each run, or on each machine: ``numpy.random`` is
#: found by its last part.
_MODULES = {"random", "time", "secrets", "uuid", "platform", "timeit", "psutil"}
#: Names in these modules that give the same value each time.
_FIXED = {"seed", "Random", "RandomState", "default_rng", "SeedSequence", "sleep", "Generator",
          "PCG64", "MT19937", "set_state", "setstate", "strftime", "strptime",
          "struct_time", "gmtime"}  # fmt: skip
#: Names that differ in each run, in whatever module.
_ANYWHERE = {"now", "utcnow", "today", "urandom", "getpid", "getcwd", "listdir", "environ", "empty",
             "empty_like", "getsizeof", "__version__", "version"}  # fmt: skip
#: Functions that make a generator, which is steady if they are passed a seed.
_GENERATORS = {"default_rng", "Random", "RandomState", "SeedSequence", "PCG64", "MT19937"}
#: Functions that make the random numbers of a module the same in each run.
_SEEDS = {"seed", "set_seed", "manual_seed"}
#: Functions of Python itself whose values differ in each run.
_BUILT_IN = {"id", "hash", "help", "dir", "input"}
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Unsteady:
    """Keeps the names of a note whose values differ in each run."""

    def __init__(self) -> None:
        #: The names with such values, and of functions that return or print them.
        self.names: set[str] = set()
        #: The names of modules and of their parts, with their full names.
        self._imported: dict[str, str] = {}
        #: All names that the note has bound so far; its own ``id`` is not that of Python.
        self._bound: set[str] = set()
        #: The names that the body of each function reads, which may be bound below it.
        self._reads: dict[str, set[str]] = {}
        self._seeded = False

    def shows(self, source: str) -> bool:
        """Read the next block of the note; return whether its output may contain such a value.

        Examples
        --------
        >>> seen = Unsteady()
        >>> seen.shows("import random; x = random.random(); y = 2"), seen.shows("x + 1")
        (False, True)
        >>> seen.shows("y + 1"), seen.shows("random.seed(3); random.random()")
        (False, False)
        """
        shows = False
        for statement in parsed(source):
            nodes = [*ast.walk(statement)]
            self._import(nodes)
            is_unsteady = self._uses_unsteady_value(nodes)
            bound = set(_bound_names(nodes))
            self._bound |= bound
            if is_unsteady:
                self.names |= bound | set(self._names_in_calls(nodes))
            elif not isinstance(statement, ast.AugAssign):  # which keeps a part of the old value
                self.names -= bound
            if isinstance(statement, _DEFINES):
                self._reads[statement.name] = {n.id for n in nodes if isinstance(n, ast.Name)}
            if is_unsteady:
                self._add_functions_that_read_them()
            is_silent = isinstance(statement, (*_DEFINES, ast.Assign, ast.AnnAssign))
            shows |= is_unsteady and not is_silent
        return shows

    def _add_functions_that_read_them(self) -> None:
        """Add the functions that read such a name, also through others."""
        while more := {
            name
            for name, reads in self._reads.items()
            if name not in self.names and reads & self.names
        }:
            self.names |= more

    def _import(self, nodes: Iterable[ast.AST]) -> None:
        """Remember the full names of what a statement, given as its nodes, imports."""
        for node in nodes:
            if isinstance(node, ast.Import):
                for one in node.names:
                    # ``import numpy.random`` binds only the name numpy.
                    full = one.name if one.asname else one.name.partition(".")[0]
                    self._imported[one.asname or full] = full
            elif isinstance(node, ast.ImportFrom):
                for one in node.names:
                    self._imported[one.asname or one.name] = f"{node.module}.{one.name}"

    def _uses_unsteady_value(self, nodes: Iterable[ast.AST]) -> bool:
        """Return whether a statement, given as its nodes, uses a value that differs in each run.

        A call such as ``random.seed(3)`` is recorded: random numbers behind it do not differ.
        """
        is_unsteady = False
        for node in nodes:
            match node:
                case ast.Call(func) if (name := self._full(func)).rpartition(".")[2] in _SEEDS:
                    self._seeded |= bool(node.args or node.keywords) and "." in name
                case ast.Call(func) if self._full(func).rpartition(".")[2] in _GENERATORS:
                    is_unsteady |= not node.args and not node.keywords
                case ast.Name(name, ast.Load()) if name in self.names:
                    is_unsteady = True
                case ast.Name(_, ast.Load()) | ast.Attribute():
                    is_unsteady |= self._differs(self._full(node))
        return is_unsteady

    def _differs(self, full_name: str) -> bool:
        """Return whether a name, such as ``time.time`` or ``id``, differs in each run."""
        *modules, last = full_name.split(".")
        if last in _ANYWHERE if modules else last in _BUILT_IN - self._bound:
            return True
        if last in _FIXED or not set(modules) & _MODULES:
            return False
        return not (self._seeded and "random" in modules)

    def _full(self, node: ast.expr) -> str:
        """Return the name of a part of a module, such as ``numpy.random.rand``; else nothing."""
        match node:
            case ast.Name(name):
                return self._imported.get(name, name)
            case ast.Attribute(inner, attribute):
                before = self._full(inner)
                return f"{before}.{attribute}" if before else ""
        return ""

    def _names_in_calls(self, nodes: Sequence[ast.AST]) -> Iterator[str]:
        """Yield the names that calls in a statement may change: ``random.shuffle(x)``.

        They are the arguments, and the object of a method, ``x.append(…)``.
        """
        if isinstance(nodes[0], _DEFINES):
            return
        for node in nodes:
            if isinstance(node, ast.Call):
                yield from (part.id for part in node.args if isinstance(part, ast.Name))
                match node.func:
                    case ast.Attribute(ast.Name(name)) if name not in self._imported:
                        yield name


def _bound_names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the names that a statement, given as its nodes, binds or changes."""
    if isinstance(nodes[0], _DEFINES):
        yield nodes[0].name
        return
    for node in nodes:
        match node:
            case ast.Name(name, ast.Store()):
                yield name
            case ast.Subscript(ast.Name(name), ctx=ast.Store()):
                yield name
