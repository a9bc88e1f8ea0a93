"""From TeX to tokens."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from vaultkit.tex.tree import TexError

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|~|%[^\n]*|\\[,;:!\ >]|\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle
        |limits|nolimits|middle|mathstrut|hphantom\{[^{}]*\}|vphantom\{[^{}]*\})(?![A-Za-z]))
  | (?P<text>\\(?:text|textrm|textit|textbf|texttt|mathrm|mathit|mathbf|mathsf|mathcal|mathtt
        |boldsymbol|bm|operatorname\*?)\s*\{(?P<words>(?:[^{}\\]|\\[_\ \-&%,;])*)\})
  | (?P<number>\d+(?:\{,\}\d{3})*(?:\.\d+)?)
  | (?P<command>\\(?:[A-Za-z]+\*?|.))
  | (?P<char>.)
    """,
    re.VERBOSE | re.DOTALL,
)

RELATIONS = {
    "=": "=", ":=": "=", r"\equiv": "=", r"\approx": "≈", r"\simeq": "≈", r"\ne": "≠",
    r"\neq": "≠", "<": "<", r"\lt": "<", ">": ">", r"\gt": ">", r"\le": "≤", r"\leq": "≤",
    r"\leqslant": "≤", r"\ge": "≥", r"\geq": "≥", r"\geqslant": "≥", r"\in": "∈",
    r"\ll": "≪", r"\gg": "≫", r"\propto": "∝", r"\sim": "∼",
}  # fmt: skip
SEPARATORS = {",", ";", r"\quad", r"\qquad", r"\\"}
OPEN = {"(": ")", "[": "]", r"\{": r"\}", "{": "}", r"\langle": r"\rangle"}
BARS = {"|": "|", r"\lvert": r"\rvert", r"\vert": r"\vert"}
DOUBLE_BARS = {r"\|": r"\|", r"\lVert": r"\rVert", r"\Vert": r"\Vert"}
REDUCTIONS = {r"\sum": "sum", r"\prod": "prod", r"\max": "max", r"\min": "min",
               r"\argmax": "argmax", r"\argmin": "argmin"}  # fmt: skip
FUNCTIONS = {r"\exp", r"\log", r"\ln", r"\sin", r"\cos", r"\tan", r"\tanh", r"\sinh", r"\cosh",
              r"\arccos", r"\det"}  # fmt: skip
ACCENTS = {r"\hat": "_hat", r"\widehat": "_hat", r"\bar": "_bar", r"\overline": "_bar",
            r"\tilde": "_tilde", r"\widetilde": "_tilde", r"\vec": ""}  # fmt: skip
OPERATORS = {r"\cdot": r"\cdot", "*": r"\cdot", r"\times": "", r"\odot": r"\odot", "/": "/",
              r"\div": "/"}  # fmt: skip
DOTS = {r"\dots", r"\ldots", r"\cdots", r"\vdots", r"\ddots", "…"}
TOPS = {r"\top", "T", r"\intercal", r"\mathsf{T}"}
# Words between statements: what they say is for readers.
WORDS = re.compile(r"\s*(for|where|if|and|so|with|when|or|otherwise|because|since|hence)\b")


@dataclass(frozen=True)
class Token:
    """A kind (number, command, text, char) and what stands there."""

    kind: str
    text: str


def tokenize(tex: str) -> list[Token]:
    """Cut TeX into tokens."""
    tokens = []
    # Marks of columns mean something in a matrix; in aligned rows they are for looks.
    depth = 0
    for found in _TOKEN.finditer(tex):
        if re.match(r"\{([pb]?matrix|cases)\}", tex[found.end() :]):
            depth += {r"\begin": 1, r"\end": -1}.get(found[0], 0)
        match found.lastgroup:
            case "space":
                continue
            case "char" if found[0] == "&" and not depth:
                continue
            case "text" | "words":
                tokens.append(Token("text", found["words"]))
            case "command" if found[0].startswith(r"\operatorname"):
                raise TexError(f"cannot read {found[0]} here")
            case kind:
                tokens.append(Token(str(kind), found[0]))
    return tokens


def python_name(words: str) -> str:
    r"""Name that words in a formula stand for: ``scaled\_scores`` and ``scaled scores`` are one."""
    name = re.sub(r"\\[_ ]|[\s\-]+", "_", words.strip())
    name = re.sub(r"\W", "", name)
    return name + "_" if keyword.iskeyword(name) else name
