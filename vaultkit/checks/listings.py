"""Distinguishes notes whose code computes something from notes whose code is a listing."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from vaultkit.claims.claims import claims_of
from vaultkit.read.note import Note
from vaultkit.read.options import CHECKS, OF_CODE, Options

_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def checks_of(note: Note, options: Options, path: str) -> frozenset[str]:
    """Return the names of the checks that a note gets.

    Parameters
    ----------
    note
        The note.
    options
        The settings of its vault.
    path
        The path of the note, relative to the vault's root.
    """
    asked = options.requested_checks(note, path)
    if asked is not None:
        return frozenset(asked) & set(CHECKS)
    # A question about an output means that the code is to be run.
    is_about_code = bool(note.predictions) or (bool(note.blocks) and computes(note))
    if is_about_code or options.without_code:
        return frozenset(options.checks)
    return frozenset(options.checks) - set(OF_CODE)


def computes(note: Note) -> bool:
    """Return whether the formulas and numbers of a note may be about what its blocks compute.

    They may if a block shows an output, does more than define functions, or defines a function that
    a formula calls. If a block is not Python, and none shows an output, the blocks are a listing,
    and the formulas beside it are about something else.
    """
    if _shows_output(note):
        return True
    statements = _statements(note)
    if not all(map(_is_definition, statements)):
        return True
    called = _words_of_formulas(note)
    return any(not called.isdisjoint(_defined_names(statement)) for statement in statements)


def is_only_read(note: Note) -> bool:
    """Return whether the code of a note shows no output, and defines functions that nothing calls.

    Algorithms are often listed in this way, below an example of their input. Whether the formulas
    beside such code are about it is known only after they have been judged.
    """
    if _shows_output(note):
        return False
    called = _words_of_formulas(note)
    statements = _statements(note)
    for definition in statements:
        if isinstance(definition, _FUNCTION) and definition.name not in called:
            # A recursive function uses itself.
            others = [other for other in statements if other is not definition]
            nodes = (node for other in others for node in ast.walk(other))
            if not any(isinstance(n, ast.Name) and n.id == definition.name for n in nodes):
                return True
    return False


def _shows_output(note: Note) -> bool:
    """Return whether a block of a note has an output, or is a session, which has its own."""
    return any(block.output or block.kind != "python" for block in note.blocks)


def _statements(note: Note) -> list[ast.stmt]:
    """Return the statements of all blocks at the top level; none if a block does not parse."""
    try:
        return [node for block in note.blocks for node in ast.parse(block.fence.text).body]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _words_of_formulas(note: Note) -> set[str]:
    """Return the words of all formulas, and of the code in the text that states something.

    In TeX, some characters of a name are escaped with a backslash.
    """
    texts = [
        formula.tex.replace("\\_", "_") for formula in (*note.formulas, *note.untypeset_formulas)
    ]
    texts += [said.code for said in claims_of(note).said]
    return {word for text in texts for word in re.findall(r"\w+", text)}


def _is_definition(node: ast.stmt) -> bool:
    """Return whether a statement only defines a function or class, or imports Python's own."""
    if isinstance(node, ast.ImportFrom):
        # An import of another package may provide data.
        return (node.module or "").split(".")[0] in sys.stdlib_module_names
    return isinstance(node, _FUNCTION | ast.Import)


def _defined_names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a definition, or an import from a module, binds.

    A formula calls none of the names of ``import math``, which are modules.
    """
    if isinstance(node, _FUNCTION):
        yield node.name
    elif isinstance(node, ast.ImportFrom):
        yield from (each.asname or each.name for each in node.names)
