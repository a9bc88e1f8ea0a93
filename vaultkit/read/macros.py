r"""Finds the TeX commands that formulas define, which then work in all formulas of a note."""

from __future__ import annotations

import re
from collections.abc import Callable

#: A command: letters with a star or without, or a single other sign: ``\alpha``, ``\tag*``, ``\,``.
COMMAND = re.compile(r"\\(?:(?P<name>[A-Za-z]+)\*?|.)", re.DOTALL)


#: The commands whose arguments are a name, options such as the number of arguments, and a body.
_DEFINING = ("newcommand", "renewcommand", "providecommand", "DeclareMathOperator")


def definitions_in(tex: str) -> str:
    r"""Return the definitions of commands in a formula.

    Examples
    --------
    >>> definitions_in(r"\newcommand{\R}{\mathbb{R}} x \in \R")
    '\\newcommand{\\R}{\\mathbb{R}}'
    """
    return "".join(tex[start:end] for start, end in spans_of_definitions(tex))


def spans_of_definitions(tex: str) -> list[tuple[int, int]]:
    r"""Return the spans of the definitions of commands in a formula.

    These are ``\newcommand``, ``\renewcommand``, ``\providecommand``, ``\DeclareMathOperator`` and
    ``\def``, but not ``\let``.
    """
    spans: list[tuple[int, int]] = []
    for command in COMMAND.finditer(tex):
        if spans and command.start() < spans[-1][1]:
            continue  # within the definition before
        if command["name"] in _DEFINING:
            at = argument_at(tex, command.end())[1]
            option: str | None = ""
            while option is not None:
                option, at = option_at(tex, at)
            spans.append((command.start(), argument_at(tex, at)[1]))
        elif command["name"] == "def":
            at = tex.find("{", command.end())
            if at >= 0:
                spans.append((command.start(), argument_at(tex, at)[1]))
    return spans


def argument_at(tex: str, at: int) -> tuple[str, int]:
    r"""Return the argument of a command that begins at ``at``, and the position behind it.

    It is in braces, or else a single character or command. Braces that are not closed extend to the
    end of the text.

    >>> argument_at(r"\sqrt {x_1} y", 5), argument_at(r"\sqrt 2 y", 5)
    (('x_1', 11), ('2', 7))
    """
    while at < len(tex) and tex[at].isspace():
        at += 1
    if tex[at : at + 1] != "{":
        match = COMMAND.match(tex, at)
        end = match.end() if match else min(at + 1, len(tex))
        return tex[at:end], end
    depth = 0
    for sign in re.finditer(r"\\.|[{}]", tex[at:], re.DOTALL):
        depth += (sign[0] == "{") - (sign[0] == "}")
        if depth == 0:
            return tex[at + 1 : at + sign.start()], at + sign.end()
    return tex[at + 1 :], len(tex)


def option_at(tex: str, at: int) -> tuple[str | None, int]:
    r"""Return the argument in square brackets that begins at ``at``, and its end.

    If there is none, return None and ``at``. A bracket in braces does not end it.

    >>> option_at(r" [{]}]{#1}", 0), option_at("{#1}", 0)
    (('{]}', 6), (None, 0))
    """
    opening = re.compile(r"\s*\[").match(tex, at)
    if not opening:
        return None, at
    depth = 0
    for sign in re.compile(r"\\.|[{}\]]", re.DOTALL).finditer(tex, opening.end()):
        depth += (sign[0] == "{") - (sign[0] == "}")
        if sign[0] == "]" and depth <= 0:
            return tex[opening.end() : sign.start()], sign.end()
    return tex[opening.end() :], len(tex)


#: The beginning of a command of mhchem, without its argument: the ``\ce`` of ``\ce{H2O}``.
_CHEMISTRY = re.compile(r"\\(?P<name>ce|pu)(?![A-Za-z])\s*(?=\{)")


def replace_chemistry(tex: str, write: Callable[[str, str], str]) -> str:
    r"""Replace the commands of mhchem: ``\ce{H2O}``, ``\pu{12 kJ}``.

    ``write`` returns what replaces a command, given its name (``ce``) and argument (``H2O``).

    Examples
    --------
    >>> replace_chemistry(r"m_{\ce{Fe^{2+}}} = 3", lambda name, inner: f"<{name} {inner}>")
    'm_{<ce Fe^{2+}>} = 3'
    """
    parts, at = [], 0
    while match := _CHEMISTRY.search(tex, at):
        inner, end = argument_at(tex, match.end())
        parts += [tex[at : match.start()], write(match["name"], inner)]
        at = end
    return "".join((*parts, tex[at:]))
