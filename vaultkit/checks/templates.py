"""The calls of ``print`` as templates of the lines that they print, in loops and functions, too.

``print(f"{name}: {far} km")`` printed *Mars: 225 km*, so ``far`` was 225 there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from vaultkit.checks.literals import source_of
from vaultkit.claims.expressions import nodes_of
from vaultkit.read.note import Block

#: Most characters of a line, and most values in it, that are compared.
_LONGEST, _MOST = 300, 16
#: A value without text behind it: brackets and what is between them, or anything without blanks.
_VALUE = re.compile(r"\s*(?:\[[^\]]*\]+|\([^)]*\)|\{[^}]*\}|'[^']*'|\S+)")
_FORMATTED = re.compile(r"%[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z]|%%")


@dataclass(frozen=True)
class Template:
    """A line that a call prints: its texts, and the expressions between them, in order."""

    parts: tuple[str | ast.expr, ...]

    @cached_property
    def expressions(self) -> str:
        """Its expressions, to be compared with those of another call."""
        return " ".join(ast.dump(part) for part in self.parts if isinstance(part, ast.expr))

    @cached_property
    def letters(self) -> int:
        """The number of letters and digits of its texts."""
        return sum(map(str.isalnum, "".join(p for p in self.parts if isinstance(p, str))))

    def values(self, line: str) -> list[tuple[ast.expr, int, int]] | None:
        """Return the expressions and the places of their values in a line.

        None if another call printed the line.
        """
        found: list[tuple[ast.expr, int, int]] = []
        at = 0
        texts = [part if isinstance(part, str) else None for part in (*self.parts, None)]
        if texts[-2]:
            texts[-2] = texts[-2].rstrip()
        for part, own, following in zip(self.parts, texts[:-1], texts[1:], strict=True):
            if isinstance(part, str):
                if not line.startswith(own or "", at):
                    return None
                at += len(own or "")
                continue
            if following and following.strip():
                end = line.find(following, at)
            elif part is self.parts[-1]:
                end = len(line)
            else:
                item = _VALUE.match(line, at)
                end = item.end() if item else -1
            if end < 0 or not (value := line[at:end].strip()):
                return None
            begin = line.index(value, at)
            found.append((part, begin, begin + len(value)))
            at = end
        return found if not line[at:].strip() else None


def templates(block: Block) -> tuple[Template, ...]:
    """Return the templates of the lines that the code of a block prints."""
    return _templates(source_of(block))


@lru_cache(256)
def _templates(source: str) -> tuple[Template, ...]:
    """Return the templates of the lines that code prints; each check of a page asks for them."""
    found: list[Template] = []
    for node in nodes_of(source):
        match node:
            case ast.Call(ast.Name("print")):
                found += _of_call(node)
    return tuple(found)


def _of_call(call: ast.Call) -> Iterator[Template]:
    """Yield the templates of the lines of a call of ``print``."""
    options = {keyword.arg: keyword.value for keyword in call.keywords}
    between = options.get("sep", ast.Constant(" "))
    if options.keys() - {"sep"} or not isinstance(between, ast.Constant):
        return
    line: list[str | ast.expr] = []
    for index, argument in enumerate(call.args):
        for part in ([str(between.value)] if index else []) + list(_parts(argument)):
            if isinstance(part, ast.expr):
                line.append(part)
                continue
            for number, text in enumerate(part.split("\n")):
                if number:
                    yield from _whole(line)
                    line = []
                if line and isinstance(line[-1], str):
                    line[-1] += text
                elif text:
                    line.append(text)
    yield from _whole(line)


def _whole(line: Sequence[str | ast.expr]) -> Iterator[Template]:
    """Yield the template of a line with an expression."""
    if 0 < sum(isinstance(part, ast.expr) for part in line) <= _MOST:
        yield Template(tuple(line))


def _parts(code: ast.expr) -> Iterator[str | ast.expr]:
    """Yield the texts and expressions of an argument in order."""
    match code:
        case ast.Constant(str(text)):
            yield text
        case ast.JoinedStr(values):
            for value in values:
                yield from _parts(value.value if isinstance(value, ast.FormattedValue) else value)
        case ast.BinOp(ast.Constant(str(text)), ast.Mod(), right):
            operands = iter(right.elts if isinstance(right, ast.Tuple) else [right])
            begins = 0
            for form in _FORMATTED.finditer(text):
                yield text[begins : form.start()]
                yield "%" if form[0] == "%%" else next(operands, ast.Constant(None))
                begins = form.end()
            yield text[begins:]
        case ast.BinOp(left, ast.Add(), right) if _is_text(left) or _is_text(right):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield code


def _is_text(code: ast.expr) -> bool:
    """Return whether code is a text, or a sum that begins or ends with one."""
    match code:
        case ast.Constant(str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left, ast.Add(), right):
            return _is_text(left) or _is_text(right)
    return False


def printed_by(line: str, known: Sequence[Template]) -> list[tuple[ast.expr, int, int]]:
    r"""Return what a line of an output has for each expression of the call that printed it.

    Returns
    -------
    list
        The expression, and where its value begins and ends; empty if in doubt.

    Examples
    --------
    >>> from vaultkit.read.markdown import parse
    >>> code = "for name, far in x:\n    print(f'{name}: {far:6.1f} km')"
    >>> known = templates(parse(f"```python\n{code}\n```").blocks[0])
    >>> line = "Mars:  225.0 km"
    >>> [(ast.unparse(e), line[a:b]) for e, a, b in printed_by(line, known)]
    [('name', 'Mars'), ('far', '225.0')]
    """
    if len(line) > _LONGEST:
        return []
    fitting = [(own, found) for own in known if (found := own.values(line))]
    most = max((own.letters for own, _ in fitting), default=0)
    best = [(own, found) for own, found in fitting if own.letters == most]
    return best[0][1] if len({own.expressions for own, _ in best}) == 1 else []
