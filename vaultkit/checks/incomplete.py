"""Decides whether code fails because the page lacks something, which does not make it wrong.

A page may show parts of a program only, or code that needs a package, a file or an answer from its
reader. Then its errors are not judged, nor is what later code computes with variables that this
code should have bound. An error that the page announces is not judged either, nor is an output that
differs in each run.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Sequence

from vaultkit.checks.literals import source_of
from vaultkit.checks.unsteady import Unsteady
from vaultkit.claims.expressions import nodes_of
from vaultkit.read.fences import is_session
from vaultkit.read.note import Block, Note
from vaultkit.run.steps import Step

#: Errors of code that needs more than the page: a package, a file, an answer, another host.
_ABSENT = {
    "ModuleNotFoundError", "FileNotFoundError", "EOFError", "ConnectionError", "gaierror",
    "URLError", "ConnectionRefusedError",
}  # fmt: skip
#: The last line of a traceback: ``NameError: name 'x' is not defined``.
_LAST = re.compile(r"(?P<kind>(?:\w+\.)*\w+)(?::\s*(?P<what>.*))?")
_NAME = re.compile(r"name '(?P<name>\w+)' is not defined")
#: Messages about the syntax of a part of a program, and of Python 2.
_PART = re.compile(
    r"unexpected indent|unindent does not match|outside (?:function|loop)|not properly in loop"
    r"|expected an indented block|[Mm]issing parentheses in call to"
)
#: A statement of newer versions of Python.
_NEWER = re.compile(r"^\s*type \w+(?:\[.*\])? = ", re.MULTILINE)
#: The error of a module of a package that the page shows alone.
_RELATIVE = "attempted relative import"
#: Marks of code that was left out: ``...``, ``<your code>``, but not ``x[...]``.
_LEFT_OUT = re.compile(r"(?<![\w.)\]])(?:\.\.\.|…)|<[a-z_ ]+>")
#: A branch without its beginning.
_BRANCH = re.compile(r"\s*(?:#.*\n\s*)*(?:elif|else|except|finally)\b")
#: A line for IPython or the shell: ``%timeit f()``, ``!pip list``, ``?len``, ``len?``, ``ls data``.
_NO_PYTHON = re.compile(
    r"^\s*(?:%{1,2}[A-Za-z]|!\s?[A-Za-z]|\?{1,2}\w|[\w.]+\?{1,2}\s*$"
    r"|(?:ls|cat|cd|pwd|mkdir|cp|mv|less|head)[ ]+[\w./~*-]+\s*$)",
    re.MULTILINE,
)
#: Text that can only be an output: ``[2.77 0.48]``, ``array([1, nan], dtype=float32)``.
_OUTPUT = re.compile(
    r"[\s\d.,:;\[\](){}eE+-]*(?:\b(?:array|nan|inf|dtype=\w+)\b[\s\d.,:;\[\](){}eE+-]*)*"
)
#: An assignment in code that does not parse, such as a session that is not marked as one.
_ASSIGNMENT = re.compile(r"^\s*(?:>>> )?([A-Za-z_]\w*)\s*=(?!=)", re.MULTILINE)
#: Words of a comment that announce an error.
_ANNOUNCES = re.compile(r"#.*\b(?:error|fails?|invalid|raises?|throws?|wrong|not allowed)\b", re.I)
#: The number of lines below a block in which the text may show its error.
_BELOW = 12
#: The least number of characters of a name that may be misspelt.
_LONG = 4


class Incomplete:
    """Decides which blocks cannot be judged, and keeps the names that they should have bound.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        self.rebase(note)
        #: Names that have no value, or one that depends on such names.
        self.unbound: set[str] = set()
        #: All names that the blocks so far bind in their code, even if it fails.
        self.bound: set[str] = set(dir(builtins))
        #: Detects code whose output differs in each run.
        self.unsteady = Unsteady()

    def rebase(self, note: Note) -> None:
        """Rebase onto an edited note whose text is the same up to the last block that has run."""
        self.note = note

    def excuses(self, index: int, steps: Sequence[Step]) -> bool:
        """Return whether a block that has run cannot be judged; ask for all blocks, in order."""
        block = self.note.blocks[index]
        reads, binds = _names(block)
        # An example shows an error on purpose.
        error = next((step for step in steps if step.error and not step.example), None)
        depends = bool(reads & self.unbound)
        self.bound |= binds
        differs = self.unsteady.shows(source_of(block))  # which must read every block, too
        if error or depends:
            self.unbound |= binds
        else:
            self.unbound -= binds
        if depends:
            return True
        return self._shows_a_lack(block, index, error) if error else differs

    def _shows_a_lack(self, block: Block, index: int, step: Step) -> bool:
        """Return whether an error shows that the page lacks something, or is announced."""
        last = _LAST.fullmatch(step.error.rstrip().rpartition("\n")[2])
        if not last:
            return False
        kind, what = last["kind"].rpartition(".")[2], last["what"] or ""
        if kind in _ABSENT or _RELATIVE in what or self._announces(block, index, step.line, kind):
            return True
        if kind in ("SyntaxError", "IndentationError", "TabError"):
            return bool(_PART.search(what)) or _is_no_whole_program(block.fence.text)
        name = _NAME.match(what) if kind == "NameError" else None
        return name is not None and self._is_foreign(name["name"])

    def _is_foreign(self, name: str) -> bool:
        """Return whether no block so far binds a name, or one with nearly the same spelling.

        Then code that the page does not show must have bound it. IPython binds ``_`` to its last
        output.
        """
        return name == "_" or not any(_is_slip(name, other) for other in self.bound)

    def _announces(self, block: Block, index: int, line: int, kind: str) -> bool:
        """Return whether the page shows an error of this kind: in a comment, or below the block.

        ``line`` is the line of the note with the code that raises it.
        """
        lines = self.note.lines
        if block.output and block.output.text.startswith(f"{kind}:"):  # the output of a notebook
            return True
        if _ANNOUNCES.search(lines[line - 1] if line <= len(lines) else ""):
            return True
        if re.search(rf"#.*\b{kind}\b", block.fence.text):
            return True
        following = [other.fence.line for other in self.note.blocks[index + 1 : index + 2]]
        end = min([*following, block.fence.end + _BELOW, len(lines)])
        return any(re.search(rf"\b{kind}\b", text) for text in lines[block.fence.end : end])


def _is_no_whole_program(text: str) -> bool:
    r"""Return whether code that does not parse is a part of a program, or no Python.

    >>> texts = ("else:\n    x = 1", "for item in ...", "%timeit f()", "[2.77 0.48]", "x = (1")
    >>> [_is_no_whole_program(text) for text in texts]
    [True, True, True, True, False]
    """
    return is_session(text) or any(
        (
            _LEFT_OUT.search(text),
            _NO_PYTHON.search(text),
            _BRANCH.match(text),
            _OUTPUT.fullmatch(text),
            _NEWER.search(text),
        )
    )


def _is_slip(name: str, other: str) -> bool:
    """Return whether two names may differ by a slip: in case, two letters exchanged, one left out.

    Names such as *stock* and *stocks* are often two different ones.

    >>> _is_slip("Width", "width"), _is_slip("totel", "totle"), _is_slip("length", "lenth")
    (True, True, True)
    >>> _is_slip("stocks", "stock"), _is_slip("x_train", "y_train"), _is_slip("data2", "data1")
    (False, False, False)
    """
    if name == other or name.casefold() == other.casefold():
        return True
    if min(len(name), len(other)) < _LONG:
        return False
    short, long = sorted((name, other), key=len)
    if len(short) == len(long):
        exchanged = (long[:n] + long[n + 1] + long[n] + long[n + 2 :] for n in range(len(long) - 1))
        return short in exchanged
    if len(long) - len(short) > 1 or long[-1] in "s_" or long[-1].isdigit():
        return False
    one_left_out = (long[:n] + long[n + 1 :] for n in range(len(long)) if long[n].isalpha())
    return short in one_left_out


def _names(block: Block) -> tuple[set[str], set[str]]:
    """Return the names that a block reads, and those that it binds, in the code of functions too.

    If it does not parse, only plain assignments are found, and nothing is taken to be read.
    """
    source = source_of(block)
    nodes = nodes_of(source)
    if not nodes:
        return set(), set(_ASSIGNMENT.findall(source))
    reads, binds = set[str](), set[str]()
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Load() | ast.Del()):
                reads.add(name)
            case ast.AugAssign(target=ast.Name(id=name)):
                reads.add(name)  # `x += 1` reads x; its target, a node of its own, binds it
            case ast.Name(id=name):
                binds.add(name)
            case (
                ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):  # fmt: skip
                binds.add(name)
            case ast.alias(name=name, asname=other):
                binds.add(other or name.partition(".")[0])
    return reads, binds
