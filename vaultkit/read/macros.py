r"""Finds the TeX commands that formulas define, which then work in all formulas of a note."""

from __future__ import annotations

import re
from collections.abc import Callable

COMMAND = re.compile(r"\\(?:(?P<name>[A-Za-z]+)\*?|.)", re.DOTALL)


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
            continue
        if command["name"] in ("newcommand", "renewcommand", "providecommand"):
            at = argument_at(tex, command.end())[1]
            at = options_at(tex, at)[1]
            spans.append((command.start(), argument_at(tex, at)[1]))
        elif command["name"] == "DeclareMathOperator":
            at = argument_at(tex, command.end())[1]
            spans.append((command.start(), argument_at(tex, at)[1]))
        elif command["name"] == "def":
            at = tex.find("{", command.end())
            if at >= 0:
                spans.append((command.start(), argument_at(tex, at)[1]))
    return spans


def argument_at(tex: str, at: int) -> tuple[str, int]:
    r"""Return the argument of a command that begins at ``at``, and its end.

    It is in braces, or else a single character or command.

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


def options_at(tex: str, at: int) -> tuple[list[str], int]:
    r"""Return the arguments in square brackets that begin at ``at``, and the end of the last.

    A bracket in braces does not end them.

    >>> options_at(r" [2] [{]}]{#1}", 0)
    (['2', '{]}'], 10)
    """
    options: list[str] = []
    while opening := re.compile(r"\s*\[").match(tex, at):
        start, at, depth = opening.end(), len(tex), 0
        for sign in re.compile(r"\\.|[{}\]]", re.DOTALL).finditer(tex, start):
            depth += (sign[0] == "{") - (sign[0] == "}")
            if sign[0] == "]" and depth <= 0:
                at = sign.end()
                break
        options.append(tex[start:at].removesuffix("]"))
    return options, at


_CHEMISTRY = re.compile(r"\\(?P<name>ce|pu)(?![A-Za-z])\s*(?=\{)")


def replace_chemistry(tex: str, write: Callable[[str, str], str]) -> str:
    r"""Replace the commands of mhchem, given their name and argument: ``\ce{H2O}``, ``\pu{12 kJ}``.

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
