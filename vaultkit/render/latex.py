r"""Rewrites TeX commands that MathJax supports and the converter `math_core` does not.

Obsidian typesets with MathJax. Commands that only change sizes and boxes are dropped, others are
expressed by supported ones: ``\substack`` as a matrix, ``split`` as ``aligned``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import fromstring

from math_core import LatexToMathML

from vaultkit.read.macros import COMMAND, argument_at
from vaultkit.render.chemistry import formula, quantity
from vaultkit.render.environments import environments
from vaultkit.render.equation_numbers import tagged

_converter = LatexToMathML()

#: ``\verb|…|``, in which all other characters are themselves; any other command; a comment.
_RAW = re.compile(
    r"\\verb(?![A-Za-z])\s*(?P<star>\*?)\s*(?:(?P<mark>\S)(?P<verbatim>[^\n]*?)(?P<end>(?P=mark)))?"
    r"|\\.|(?P<comment>%[^\n]*\n?)",
    re.DOTALL,
)
#: Characters in verbatim text that have a meaning elsewhere.
_AS_TEXT = {
    **{sign: rf"\{sign}" for sign in "{}$&#%_ "},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
_TEXT = {
    **{name: name for name in ("text", "textbf", "textit", "textrm", "textsf", "texttt")},
    **dict.fromkeys(("mbox", "hbox", "textnormal", "textup", "textmd", "fbox"), "text"),
}
#: Commands that change only sizes or positions, with the number of their arguments; both are
#: dropped.
_LEFT_OUT = {
    **dict.fromkeys(
        ("Huge", "huge", "LARGE", "Large", "large", "normalsize", "small", "footnotesize",
         "scriptsize", "tiny", "allowbreak", "nobreak", "displaybreak", "nonumber", "notag",
         "strut", "hfil", "MoveEqLeft"), 0,
    ),
    **dict.fromkeys(("label", "require", "vspace", "hfill", "uproot", "leftroot", "skew"), 1),
}  # fmt: skip
#: Commands of which only the last argument is kept, with the number of those before it.
_KEPT_LAST = {
    "rlap": 0,
    "llap": 0,
    "clap": 0,
    "mathrlap": 0,
    "mathllap": 0,
    "mathclap": 0,
    "smash": 0,
    "bbox": 0,
    "href": 1,
    "class": 1,
    "cssId": 1,
    "style": 1,
    "colorbox": 1,
    "fcolorbox": 2,
    "enclose": 1,
    "raise": 1,
    "lower": 1,
}
#: Commands that may be used within text.
_IN_TEXT = {
    *("dots", "ldots", "quad", "qquad", "textasciicircum", "textasciitilde", "textbackslash"),
    *_TEXT,
}
#: Other commands, which are moved out of the text.
_STRANGE = r"\\textcolor\{[^{}]*\}\{[^{}]*\}|\\[A-Za-z]+|\\\\"
#: Commands with a starred form; after others, a star is an asterisk.
_STARRED = {"operatorname", "DeclareMathOperator", "newcommand", "renewcommand", "hspace", "tag"}
#: Font commands in the name of an operator.
_FONT = re.compile(
    r"\\(?P<font>text(?=\s*\{)|math(?:bb|bf|cal|frak|it|rm|scr|sf|tt))(?![A-Za-z])"
    r"\s*(?P<brace>\{)?(?P<letters>(?(brace)[A-Za-z0-9 -]+|[A-Za-z0-9]))(?(brace)\})"
)
#: Commands before a delimiter; and characters that stand for angle brackets after them.
_SIZES = re.compile(r"left|right|middle|[bB]igg?[lrm]?")
_ANGLE = re.compile(r"\s*([<>])")
_ANGLES = {"<": r"\langle ", ">": r"\rangle "}
_SIGNS = {
    "euro": "€",
    "cr": r"\\",
    "newline": r"\\",
    "lq": "‘",
    "rq": "’",
    "bgroup": "{",
    "egroup": "}",
    "TeX": r"\text{TeX}",
    "LaTeX": r"\text{LaTeX}",
    "celsius": r"{}^\circ\mathrm{C}",
    "ohm": r"\mathrm{\Omega}",
    "micro": r"\mathrm{\mu}",
    "perthousand": r"\text{‰}",
    **dict.fromkeys(("dotsc", "dotso", "textellipsis"), r"\ldots "),
    **dict.fromkeys(("dotsb", "dotsi", "dotsm"), r"\cdots "),
    "smallsetminus": r"\setminus ",
    "centerdot": r"\cdot ",
    "varpropto": r"\propto ",
    "thicksim": r"\sim ",
    "thickapprox": r"\approx ",
    "smallint": r"\int ",
    "intop": r"\int ",
    "smallsmile": r"\smile ",
    "smallfrown": r"\frown ",
    "centernot": r"\not ",
    "shortmid": r"\mid ",
    "shortparallel": r"\parallel ",
    "nshortmid": r"\nmid ",
    "nshortparallel": r"\nparallel ",
    "varlimsup": r"\mathop{\overline{\lim}}",
    "varliminf": r"\mathop{\underline{\lim}}",
    "varinjlim": r"\mathop{\underrightarrow{\lim}}",
    "varprojlim": r"\mathop{\underleftarrow{\lim}}",
    "pmb": r"\boldsymbol",
    "mit": r"\it ",
}
#: Symbols of text mode that are also used in formulas.
_SIGNS_OF_TEXT = {
    "copyright": "©",
    "registered": "®",
    "trademark": "™",
    "degree": "°",
    "mu": "µ",
    "ohm": "Ω",
    "pm": "±",
    "onehalf": "½",
    "onequarter": "¼",
    "threequarters": "¾",
    "section": "§",
    "paragraph": "¶",
    "bullet": "•",
    "asciitilde": "~",
    "minus": "−",
    "times": "×",
    "div": "÷",
    "yen": "¥",
    "sterling": "£",
    "cent": "¢",
    "dollar": r"\$",
    "rightarrow": "→",
    "leftarrow": "←",
    "euro": "€",
    "perthousand": "‰",
}
_SIGNS |= {f"text{name}": rf"\text{{{sign}}}" for name, sign in _SIGNS_OF_TEXT.items()}
#: Characters for which the converter knows only the commands.
_UNICODE = str.maketrans(
    {
        "∅": r"\varnothing ",
        "⊥": r"\perp ",
        "⊤": r"\top ",
        "√": r"\surd ",
        "∴": r"\therefore ",
        "∵": r"\because ",
        "∠": r"\angle ",
        "∡": r"\measuredangle ",
        "∢": r"\sphericalangle ",
        "⟂": r"\perp ",
    }
)
#: Templates of commands, filled with their arguments.
_MADE_OF = {
    "cancelto": r"{{\cancel{{{1}}}}}^{{{0}}}",
    "ketbra": r"|{0}\rangle\langle {1}|",
    "intertext": r"\text{{{0}}}\\",
    "shortintertext": r"\text{{{0}}}\\",
    "cases": r"\begin{{cases}}{0}\end{{cases}}",
    "matrix": r"\begin{{matrix}}{0}\end{{matrix}}",
    "pmatrix": r"\begin{{pmatrix}}{0}\end{{pmatrix}}",
    "eqalign": r"\begin{{aligned}}{0}\end{{aligned}}",
    "Aboxed": "{0}",
    "rule": "{0:.0}{1:.0}",
    "Rule": "{0:.0}{1:.0}{2:.0}",
    "Space": "{0:.0}{1:.0}{2:.0}",
}
#: A hexadecimal colour, which the converter does not support; such a command is left unchanged.
_HEXADECIMAL = re.compile(r"\s*\{\s*#")
_LIMITS = re.compile(r"\s*\\limits(?![A-Za-z])")
_SCRIPT = re.compile(r"\s*([_^])")
_UPRIGHT = re.compile(
    r"up(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma"
    r"|tau|upsilon|phi|chi|psi|omega)"
)


class FormulaError(ValueError):
    """A formula that cannot be typeset.

    Parameters
    ----------
    reason
        The reason, in words.
    tex
        The formula.
    position
        Index of the wrong character in ``tex``.
    """

    def __init__(self, reason: str, tex: str, position: int) -> None:
        self.reason, self.tex, self.position = reason, tex, position
        super().__init__(f"{reason} (at character {position + 1})")


def prepared(tex: str, display: bool) -> str:
    r"""Rewrite a formula for the converter.

    Examples
    --------
    >>> prepared(r"\large x \text{ if $y$}", False)
    ' x \\text{ if }y'
    >>> prepared(r"\begin{split}a &= b\end{split} \tag{1}", True)
    '\\begin{equation}\\begin{aligned}a &= b\\end{aligned} \\tag{1}\\end{equation}'

    Raises
    ------
    FormulaError
        If ``\verb`` is not closed on its line.
    """
    tex = "".join(_commands(_RAW.sub(_without_raw, tex)))
    return tagged("".join(environments(tex)), display)


def _without_raw(found: re.Match[str]) -> str:
    r"""Return ``\verb|…|`` as typewriter text, and a comment as nothing."""
    if found["comment"]:
        return ""
    if found["end"]:
        # The starred form shows spaces.
        verbatim = found["verbatim"].replace(" ", "␣" if found["star"] else " ")
        text = "".join(_AS_TEXT.get(sign, sign) for sign in verbatim)
        return rf"\texttt{{{text}}}"
    if re.match(r"\\verb(?![A-Za-z])", found[0]):
        why = r"\verb is not closed on its line by the character that follows it"
        raise FormulaError(why, found.string, found.start())
    return found[0]


def _commands(tex: str) -> Iterator[str]:
    """Yield the formula in pieces, each command rewritten."""
    at = 0
    while found := COMMAND.search(tex, at):
        yield tex[at : found.start()].translate(_UNICODE)
        written, at = _command(found)
        yield written
    yield tex[at:].translate(_UNICODE)


def _command(found: re.Match[str]) -> tuple[str, int]:
    """Return a rewritten command with its arguments, and its end."""
    name, at = found["name"] or "", found.end()
    if name in _SIGNS:
        return _SIGNS[name], at
    if name in _WRITERS and (written := _WRITERS[name](found)):
        return written
    if upright := _UPRIGHT.fullmatch(name):
        return rf"\mathrm{{\{upright[1]}}}", at
    if found[0].endswith("*") and name and name not in _STARRED:
        return rf"\{name} *", at
    if _SIZES.fullmatch(name) and (angle := _ANGLE.match(found.string, at)):
        return found[0] + _ANGLES[angle[1]], angle.end()
    return (r"\ " if found[0] == "\\\n" else found[0]), at


def _inner(tex: str, at: int) -> tuple[str, int]:
    """Return a rewritten argument, and its end."""
    inner, at = argument_at(tex, at)
    return "".join(_commands(inner)), at


def _words(found: re.Match[str]) -> tuple[str, int]:
    words, at = argument_at(found.string, found.end())
    return _text(_TEXT[found["name"]], words), at


def _left_out(found: re.Match[str]) -> tuple[str, int]:
    at = found.end()
    for _ in range(_LEFT_OUT[found["name"]]):
        at = argument_at(found.string, at)[1]
    return "", at


def _kept_last(found: re.Match[str]) -> tuple[str, int]:
    """Return the last argument of a command in braces, and the index behind it; drop the others."""
    tex, at = found.string, found.end()
    if tex[at : at + 1] == "[":
        at = tex.find("]", at) + 1 or len(tex)
    for _ in range(_KEPT_LAST[found["name"]]):
        at = argument_at(tex, at)[1]
    inner, at = _inner(tex, at)
    return "{" + inner + "}", at


def _filled(found: re.Match[str]) -> tuple[str, int] | None:
    """Fill a template with the arguments of a command; None if they are missing."""
    tex, at, form = found.string, found.end(), _MADE_OF[found["name"]]
    groups = []
    for _ in range(form.count("{0") + form.count("{1") + form.count("{2")):
        if not tex[at:].lstrip().startswith("{"):
            return None
        inner, at = argument_at(tex, at)
        groups.append(inner)
    return form.format(*("".join(_commands(inner)) for inner in groups)), at


def _parted_by_a_word(found: re.Match[str]) -> tuple[str, int]:
    r"""Rewrite ``\buildrel a \over b`` and ``\root a \of b`` of plain TeX."""
    is_root = found["name"] == "root"
    above, word, _ = found.string[found.end() :].partition(r"\of" if is_root else r"\over")
    what, at = _inner(found.string, found.end() + len(above) + len(word))
    form = r"\sqrt[{}]{{{}}}" if is_root else r"\overset{{{}}}{{{}}}"
    return form.format("".join(_commands(above)), what), at


def _with_limits(found: re.Match[str]) -> tuple[str, int] | None:
    """Rewrite an operator with scripts above and below; None if it has none."""
    tex = found.string
    limits = _LIMITS.match(tex, argument_at(tex, found.end())[1])
    if not limits:
        return None
    written, at = rf"\mathop{{{_inner(tex, found.end())[0]}}}", limits.end()
    while script := _SCRIPT.match(tex, at):
        inner, at = _inner(tex, script.end())
        where = "underset" if script[1] == "_" else "overset"
        written = rf"\{where}{{{inner}}}{{{written}}}"
    return written, at


def _coloured(found: re.Match[str]) -> tuple[str, int] | None:
    hexadecimal = _HEXADECIMAL.match(found.string, found.end())
    return ("", argument_at(found.string, found.end())[1]) if hexadecimal else None


def _reference(found: re.Match[str]) -> tuple[str, int]:
    label, at = argument_at(found.string, found.end())
    return rf"\text{{{f'({label})' if found['name'] == 'eqref' else label}}}", at


def _wide_tilde(found: re.Match[str]) -> tuple[str, int]:
    inner, at = _inner(found.string, found.end())
    inner = inner.strip()
    mark = r"\tilde" if re.fullmatch(r"\w|\\[A-Za-z]+", inner) else r"\overset{\sim}"
    return f"{mark}{{{inner}}}", at


def _stacked(found: re.Match[str]) -> tuple[str, int]:
    inner, at = _inner(found.string, found.end())
    return rf"{{\begin{{matrix}}{inner}\end{{matrix}}}}", at


def _unicode(found: re.Match[str]) -> tuple[str, int]:
    number, at = argument_at(found.string, found.end())
    return _sign(number), at


def _defined(found: re.Match[str]) -> tuple[str, int]:
    """Rewrite a definition so that it may redefine a command or define a new one, as in MathJax."""
    word, at = argument_at(found.string, found.end())
    written = rf"\providecommand{{{word}}}{{}}\renewcommand{{{word}}}"
    if found["name"] == "DeclareMathOperator":
        says, at = argument_at(found.string, at)
        star = "*" if found[0].endswith("*") else ""
        operator = "".join(_commands(rf"\operatorname{star}{{{says}}}"))
        written += f"{{{operator}}}"
    return written, at


def _operator(found: re.Match[str]) -> tuple[str, int] | None:
    at = argument_at(found.string, found.end())[1]
    name = found.string[found.end() : at]
    plain = _FONT.sub(_letters, name)
    return None if plain == name else (found[0] + "".join(_commands(plain)), at)


def _letters(found: re.Match[str]) -> str:
    """Replace letters in a font command by Unicode characters, for names of operators."""
    if found["font"] == "text":
        return rf"\text{{{found['letters'].replace(' ', '~')}}}"
    if found["font"] == "mathrm":
        return found["letters"]
    mathml = _converter.convert_with_local_state(found[0], displaystyle=False)
    return "".join(fromstring(mathml).itertext())


def _chemical(found: re.Match[str]) -> tuple[str, int]:
    text, at = argument_at(found.string, found.end())
    written = "".join(_commands((formula if found["name"] == "ce" else quantity)(text)))
    # A group with columns is part of the table around it, so it keeps no braces.
    return written if "&" in written else f"{{{written}}}", at


_Writer = Callable[[re.Match[str]], tuple[str, int] | None]
#: Functions that rewrite a command with its arguments, or return None if they do not fit.
_WRITERS: dict[str, _Writer] = {
    **dict.fromkeys(_TEXT, _words),
    **dict.fromkeys(_LEFT_OUT, _left_out),
    **dict.fromkeys(_KEPT_LAST, _kept_last),
    **dict.fromkeys(_MADE_OF, _filled),
    **dict.fromkeys(("buildrel", "root"), _parted_by_a_word),
    **dict.fromkeys(("color", "textcolor"), _coloured),
    **dict.fromkeys(("eqref", "ref"), _reference),
    **dict.fromkeys(("substack", "displaylines"), _stacked),
    **dict.fromkeys(("newcommand", "renewcommand", "DeclareMathOperator"), _defined),
    **dict.fromkeys(("ce", "pu"), _chemical),
    "operatorname": _operator,
    "mathop": _with_limits,
    "widetilde": _wide_tilde,
    "unicode": _unicode,
}


def _text(name: str, words: str) -> str:
    """Return rewritten text of a formula; formulas and symbols within it are moved out."""
    parts = re.split(r"(?<!\\)\$", re.sub(r"(?<!\\)\\[()]", "$", words))
    if len(parts) % 2 == 0:
        parts = [words.replace("$", r"\$")]
    written = []
    for number, part in enumerate(parts):
        if number % 2:
            written.append("".join(_commands(part)))
            continue
        within = set(re.findall(r"\\([A-Za-z]+)", part))
        strange = _STRANGE if within - _IN_TEXT and not within & set(_TEXT) else "(?!)"
        for piece in re.split(f"({strange})", part):
            if re.fullmatch(strange, piece):
                # Coloured text remains text.
                written.append(re.sub(r"\{([^{}]*)\}$", rf"{{\\{name}{{\1}}}} ", f"{piece}"))
            elif piece or number == 0:
                written.append(rf"\{name}{{{_plain(piece)}}}")
    return "".join(written)


def _plain(words: str) -> str:
    plain = re.sub(r"(?<!\\)[_&#]", r"\\\g<0>", words)
    plain = re.sub(r"(\\[%&#_$]) ", r"\1{} ", plain)  # the converter drops a blank behind these
    return re.sub(r"(?<!\\)\^", r"\\textasciicircum ", plain)


def _sign(number: str) -> str:
    """Return the character with a code such as ``x41``, ``0101`` or ``65``.

    Else the text itself.
    """
    number = number.strip()
    try:
        return chr(int(f"0{number}" if number.startswith("x") else number, 0))
    except (ValueError, OverflowError):
        return number
