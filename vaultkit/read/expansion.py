r"""Expands the commands that a note defines with ``\newcommand`` and the like."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from vaultkit.read.macros import COMMAND, argument_at, option_at, spans_of_definitions

#: Most expansions in a formula, and most characters; beyond these, commands stay as they are. A
#: command that contains itself would be expanded without end.
_MOST_EXPANSIONS, _LONGEST = 500, 20_000
_PARAMETER = re.compile(r"#(\d)")


@dataclass(frozen=True)
class _Macro:
    """A command: the number of its arguments, the default of an optional first one, its body."""

    arity: int
    default: str | None
    body: str


class Expanded:
    r"""A formula with its commands expanded, and the place of each character in the source.

    Parameters
    ----------
    tex
        The formula.
    definitions
        The definitions of commands, one after the other.

    Examples
    --------
    >>> Expanded(r"x \in \R^2", r"\newcommand{\R}{\mathbb{R}}").tex
    'x \\in \\mathbb{R}^2'
    >>> Expanded(r"\n{x_1}", r"\newcommand{\n}[1]{\lVert #1 \rVert}").tex
    '\\lVert x_1 \\rVert'
    >>> Expanded(r"\v{a} \v [{]}]{b}", r"\newcommand{\v}[2][x]{#1_#2}").tex
    'x_a {]}_b'
    """

    def __init__(self, tex: str, definitions: str) -> None:
        self.tex = tex
        self._length = len(tex)
        #: The place in the source of each character of `tex`; None while `tex` is the source.
        self._origins: list[int] | None = None
        for first, last in reversed(spans_of_definitions(tex)):
            self._replace(first, last, "")
        macros = _macros(definitions) if definitions else {}
        at = expansions = 0
        while macros and (match := COMMAND.search(self.tex, at)):
            macro = macros.get(match["name"] or "")
            if macro is None:
                at = match.end()
                continue
            expansions += 1
            if expansions > _MOST_EXPANSIONS or len(self.tex) > _LONGEST:
                break  # an expansion that does not end
            body, end = self._expand(macro, match.end())
            at = match.start()  # the body may contain other commands
            self._replace(at, end, body)

    def origin(self, at: int) -> int:
        """Return the place in the source of a place in the expansion."""
        if self._origins is None:
            return at
        return self._origins[at] if at < len(self._origins) else self._length

    def _expand(self, macro: _Macro, at: int) -> tuple[str, int]:
        """Return the body of a command with its arguments put in, and where the arguments end.

        The arguments begin at the position ``at`` of the formula.
        """
        arguments: list[str] = []
        if macro.default is not None:
            option, at = option_at(self.tex, at)
            arguments.append(macro.default if option is None else option)
        while len(arguments) < macro.arity:
            argument, at = argument_at(self.tex, at)
            arguments.append(argument)

        def argument_of(match: re.Match[str]) -> str:
            number = int(match[1])
            return arguments[number - 1] if 0 < number <= len(arguments) else match[0]

        body = _PARAMETER.sub(argument_of, macro.body)
        # A command that ends the body must not join the letters behind it.
        joins = re.search(r"\\[A-Za-z]+$", body) and self.tex[at : at + 1].isalpha()
        return f"{body} " if joins else body, at

    def _replace(self, first: int, last: int, by: str) -> None:
        """Replace the text from ``first`` to ``last``.

        All of the new text originates where the old one began.
        """
        if self._origins is None:
            self._origins = list(range(len(self.tex)))
        origin = self.origin(first)
        self._origins[first:last] = [origin] * len(by)
        self.tex = self.tex[:first] + by + self.tex[last:]


@lru_cache(maxsize=64)
def _macros(definitions: str) -> dict[str, _Macro]:
    r"""Return the commands that are defined, by their names without the backslash.

    >>> _macros(r"\newcommand{\v}[2][x]{#1_#2}")
    {'v': _Macro(arity=2, default='x', body='#1_#2')}
    >>> _macros(r"\def\w#1{#1!}")
    {'w': _Macro(arity=1, default=None, body='#1!')}
    """
    macros: dict[str, _Macro] = {}
    for first, last in spans_of_definitions(definitions):
        source = definitions[first:last]
        defining = COMMAND.match(source)
        assert defining is not None
        at = defining.end()
        if defining["name"] == "def":
            opening = source.find("{", at)
            head, body = source[at:opening], argument_at(source, opening)[0]
            name, arity, default = head.partition("#")[0], head.count("#"), None
        else:
            name, at = argument_at(source, at)
            count, at = option_at(source, at)
            default, at = option_at(source, at)
            body = argument_at(source, at)[0]
            arity = int(count) if count and count.isdigit() else 0
            if defining["name"] == "DeclareMathOperator":
                star = "*" if defining[0].endswith("*") else ""
                body = f"\\operatorname{star}{{{body}}}"
        command = COMMAND.fullmatch(name.strip())
        if command and command["name"]:
            macros[command["name"]] = _Macro(arity, default, body)
    return macros
