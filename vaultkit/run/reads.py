"""Finds the variables that a block of code reads, and those that it binds."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from vaultkit.run.contents import UnknownContentsError, names_of_code

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass
class Names:
    """The names that code uses at its top level.

    Attributes
    ----------
    read
        Names whose values may matter when the code begins.
    bound
        Names that it binds in any case, unless it raises an error.
    possibly_bound
        Other names that it may bind: in loops, and in one branch of a condition.
    imports
        Whether it imports modules.
    """

    read: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    possibly_bound: set[str] = field(default_factory=set)
    imports: bool = False


@lru_cache(256)
def names_of(source: str) -> Names | None:
    r"""Return the names that a piece of code uses; None if they cannot be determined.

    They cannot if the code does not parse, or if it may use names that it does not contain.

    >>> names = names_of("x = a + 1\nfor i in x:\n    y = x * b")
    >>> sorted(names.read), sorted(names.bound), sorted(names.possibly_bound)
    (['a', 'b'], ['x'], ['i', 'y'])
    """
    try:
        tree = ast.parse(source)
        found = Names(possibly_bound=set(_stored(tree.body)))
        found.bound = _follow(tree.body, set(), found.read)
    except (SyntaxError, ValueError, RecursionError, UnknownContentsError):
        return None
    found.possibly_bound -= found.bound
    found.imports = any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in ast.walk(tree))
    return found


def _follow(body: Iterable[ast.stmt], bound: set[str], read: set[str]) -> set[str]:
    """Follow statements in order, from names that are bound already; return those bound at the end.

    Names that a statement uses and that are not bound yet are added to ``read``, in place. Loops
    may run no time, so that what they bind counts as bound only within them.
    """
    bound = set(bound)
    for statement in body:
        match statement:
            case ast.For(target=target, iter=sequence, body=inner, orelse=orelse):
                read |= _used([sequence, *_parts_of(target)]) - bound
                _follow(inner, bound | set(_stored([target])), read)
                _follow(orelse, bound, read)
            case ast.While(test=test, body=inner, orelse=orelse):
                read |= _used([test]) - bound
                _follow(inner, bound, read)
                _follow(orelse, bound, read)
            case ast.If(test=test, body=inner, orelse=orelse):
                read |= _used([test]) - bound
                bound = _follow(inner, bound, read) & _follow(orelse, bound, read)
            case ast.With(items=items, body=inner):
                given = [item.context_expr for item in items]
                targets = [item.optional_vars for item in items if item.optional_vars]
                read |= _used([*given, *_parts_of(*targets)]) - bound
                # What is within may be left by an error that is caught.
                _follow(inner, bound | set(_stored(targets)), read)
            case ast.Assign(targets=targets, value=value):
                read |= _used([value, *_parts_of(*targets)]) - bound
                bound |= set(_stored(targets))
            case ast.FunctionDef(name=name, args=arguments, decorator_list=decorators):
                # Its body counts as read here, since a later statement may call it.
                given = [*arguments.defaults, *filter(None, arguments.kw_defaults), *decorators]
                read |= (_used(given) | (_used([statement]) - {name})) - bound
                bound.add(name)
            case ast.Import() | ast.ImportFrom():
                bound |= set(_stored([statement]))
            case _:
                read |= _used([statement]) - bound
    return bound


def _parts_of(*targets: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions that targets of an assignment read: ``x`` and ``i`` in ``x[i] = 0``."""
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Load):
                yield node


def _used(nodes: Iterable[ast.expr | ast.stmt]) -> set[str]:
    """Return all names that code uses, except for local variables of functions.

    Names of attributes are among them, which does no harm.
    """
    names: set[str] = set()
    for node in nodes:
        tree = ast.Module([node], []) if isinstance(node, ast.stmt) else ast.Expression(node)
        mode = "exec" if isinstance(node, ast.stmt) else "eval"
        names |= names_of_code(compile(tree, "", mode, dont_inherit=True))
    return names


def _stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that code binds or deletes, except for local variables of functions.

    Raises
    ------
    UnknownContentsError
        If it imports all names of a module.
    """
    queue = list(nodes)
    while queue:
        node = queue.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.alias(name="*"):
                raise UnknownContentsError
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
        if not isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
            queue += ast.iter_child_nodes(node)
