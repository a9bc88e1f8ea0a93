r"""Rewrites TeX commands that MathJax supports and the converter `math_core` does not.

Obsidian typesets with MathJax. Commands that only change sizes and boxes are dropped, others are
expressed by supported ones: ``\substack`` as a matrix, ``split`` as ``aligned``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree.ElementTree import fromstring

from math_core import LatexToMathML

from vaultkit.read.macros import COMMAND, argument_at
from vaultkit.render.chemistry import formula_to_tex, quantity_to_tex
from vaultkit.render.environments import rewrite_environments
from vaultkit.render.equation_numbers import move_tags_to_row_ends

_converter = LatexToMathML()

#: ``\verb|…|``, in which all other characters are themselves; any other command; a comment.
_RAW = re.compile(
    r"(?P<verb>\\verb(?![A-Za-z])\s*(?P<star>\*?)\s*"
    r"(?:(?P<mark>\S)(?P<verbatim>[^\n]*?)(?P<end>(?P=mark)))?)"
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
#: Commands with text, and the ones that replace them.
_TEXT = {
    **{name: name for name in ("text", "textbf", "textit", "textrm", "textsf", "texttt")},
    **dict.fromkeys(("mbox", "hbox", "textnormal", "textup", "textmd", "fbox"), "text"),
}
#: Commands that change only sizes or positions, with the number of their arguments; both are
#: dropped.
_DROPPED = {
    **dict.fromkeys(
        ("Huge", "huge", "LARGE", "Large", "large", "normalsize", "small", "footnotesize",
         "scriptsize", "tiny", "allowbreak", "nobreak", "displaybreak", "nonumber", "notag",
         "strut", "hfil", "MoveEqLeft"), 0,
    ),
    **dict.fromkeys(("label", "require", "vspace", "hfill", "uproot", "leftroot", "skew"), 1),
}  # fmt: skip
#: Commands of which only the last argument is kept, with the number of those before it.
_KEEP_LAST = {
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
#: Other commands, which are moved out of the text: ``\textcolor{red}{a}``, ``\alpha``.
_OTHER_COMMAND = r"\\textcolor\{[^{}]*\}\{[^{}]*\}|\\[A-Za-z]+|\\\\"
#: Commands with a starred form; after others, a star is an asterisk.
_STARRED = {"operatorname", "DeclareMathOperator", "newcommand", "renewcommand", "hspace", "tag"}
#: Font commands in the name of an operator: ``\mathbb{E}``, ``\mathbf x``, ``\text{arg min}``.
_FONT = re.compile(
    r"\\(?P<font>text(?=\s*\{)|math(?:bb|bf|cal|frak|it|rm|scr|sf|tt))(?![A-Za-z])"
    r"\s*(?P<brace>\{)?(?P<letters>(?(brace)[A-Za-z0-9 -]+|[A-Za-z0-9]))(?(brace)\})"
)
#: Commands before a delimiter; and characters that stand for angle brackets after them.
_SIZES = re.compile(r"left|right|middle|[bB]igg?[lrm]?")
_ANGLE = re.compile(r"\s*([<>])")
_ANGLES = {"<": r"\langle ", ">": r"\rangle "}
#: Commands without arguments that the converter lacks, and what replaces them.
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
#: Templates of commands, filled with their arguments; ``{0:.0}`` takes an argument and drops it.
_TEMPLATES = {
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
_SCRIPT = re.compile(r"\s*(?P<sign>[_^])")
#: The command of an upright Greek letter: ``\upmu``.
_UPRIGHT = re.compile(
    r"up(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma"
    r"|tau|upsilon|phi|chi|psi|omega)"
)


#: Rewritten TeX, and the position in the formula behind the part that it replaces.
_Rewritten = tuple[str, int]


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


def prepare_formula(tex: str, display: bool) -> str:
    r"""Rewrite a formula for the converter.

    Examples
    --------
    >>> prepare_formula(r"\large x \text{ if $y$}", False)
    ' x \\text{ if }y'
    >>> prepare_formula(r"\begin{split}a &= b\end{split} \tag{1}", True)
    '\\begin{equation}\\begin{aligned}a &= b\\end{aligned} \\tag{1}\\end{equation}'

    Raises
    ------
    FormulaError
        If ``\verb`` is not closed on its line.
    """
    tex = _rewrite_commands(_RAW.sub(_without_raw, tex))
    return move_tags_to_row_ends(rewrite_environments(tex), display)


def _without_raw(match: re.Match[str]) -> str:
    r"""Return ``\verb|…|`` as typewriter text, a comment as nothing, other commands unchanged."""
    if match["comment"]:
        return ""
    if match["end"]:
        # The starred form shows spaces.
        verbatim = match["verbatim"].replace(" ", "␣" if match["star"] else " ")
        text = "".join(_AS_TEXT.get(sign, sign) for sign in verbatim)
        return rf"\texttt{{{text}}}"
    if match["verb"]:
        why = r"\verb is not closed on its line by the character that follows it"
        raise FormulaError(why, match.string, match.start())
    return match[0]


def _rewrite_commands(tex: str) -> str:
    r"""Return a formula in which each command is rewritten.

    Examples
    --------
    >>> _rewrite_commands(r"a \varpropto \pmb b")
    'a \\propto  \\boldsymbol b'
    """
    pieces, at = [], 0
    while match := COMMAND.search(tex, at):
        pieces.append(tex[at : match.start()].translate(_UNICODE))
        written, at = _rewrite_command(match)
        pieces.append(written)
    return "".join([*pieces, tex[at:].translate(_UNICODE)])


def _rewrite_command(match: re.Match[str]) -> _Rewritten:
    """Rewrite a command with its arguments; one that needs no change stays as it is.

    ``match`` is that of `COMMAND` in the formula, as in the functions of `_WRITERS`.
    """
    name, at = match["name"] or "", match.end()
    if name in _SIGNS:
        return _SIGNS[name], at
    if name in _WRITERS and (written := _WRITERS[name](match)):
        return written
    if upright := _UPRIGHT.fullmatch(name):
        return rf"\mathrm{{\{upright[1]}}}", at
    if match[0].endswith("*") and name and name not in _STARRED:
        return rf"\{name} *", at
    if _SIZES.fullmatch(name) and (angle := _ANGLE.match(match.string, at)):
        return match[0] + _ANGLES[angle[1]], angle.end()
    return (r"\ " if match[0] == "\\\n" else match[0]), at  # a line end is a blank


def _rewrite_argument(tex: str, at: int) -> _Rewritten:
    """Rewrite the argument that begins at a position."""
    inner, at = argument_at(tex, at)
    return _rewrite_commands(inner), at


def _rewrite_text(match: re.Match[str]) -> _Rewritten:
    r"""Rewrite a command with text: ``\mbox{…}`` as ``\text{…}``."""
    words, at = argument_at(match.string, match.end())
    return _move_formulas_out(_TEXT[match["name"]], words), at


def _drop(match: re.Match[str]) -> _Rewritten:
    """Drop a command and its arguments."""
    at = match.end()
    for _ in range(_DROPPED[match["name"]]):
        at = argument_at(match.string, at)[1]
    return "", at


def _keep_last_argument(match: re.Match[str]) -> _Rewritten:
    """Keep the last argument of a command, in braces; drop the others."""
    tex, at = match.string, match.end()
    if tex[at : at + 1] == "[":
        at = tex.find("]", at) + 1 or len(tex)
    for _ in range(_KEEP_LAST[match["name"]]):
        at = argument_at(tex, at)[1]
    inner, at = _rewrite_argument(tex, at)
    return "{" + inner + "}", at


def _fill_template(match: re.Match[str]) -> _Rewritten | None:
    """Fill a template with the arguments of a command; None if they are missing."""
    tex, at, template = match.string, match.end(), _TEMPLATES[match["name"]]
    arguments = []
    for _ in range(template.count("{0") + template.count("{1") + template.count("{2")):
        if not tex[at:].lstrip().startswith("{"):
            return None
        argument, at = argument_at(tex, at)
        arguments.append(_rewrite_commands(argument))
    return template.format(*arguments), at


def _rewrite_infix(match: re.Match[str]) -> _Rewritten:
    r"""Rewrite ``\buildrel a \over b`` and ``\root a \of b`` of plain TeX."""
    is_root = match["name"] == "root"
    first, word, _ = match.string[match.end() :].partition(r"\of" if is_root else r"\over")
    second, at = _rewrite_argument(match.string, match.end() + len(first) + len(word))
    template = r"\sqrt[{}]{{{}}}" if is_root else r"\overset{{{}}}{{{}}}"
    return template.format(_rewrite_commands(first), second), at


def _rewrite_limits(match: re.Match[str]) -> _Rewritten | None:
    r"""Rewrite ``\mathop{a}\limits_b^c``: scripts are below and above. None without ``\limits``."""
    tex = match.string
    operator, behind_operator = _rewrite_argument(tex, match.end())
    limits = _LIMITS.match(tex, behind_operator)
    if not limits:
        return None
    written, at = rf"\mathop{{{operator}}}", limits.end()
    while script := _SCRIPT.match(tex, at):
        inner, at = _rewrite_argument(tex, script.end())
        command = "underset" if script["sign"] == "_" else "overset"
        written = rf"\{command}{{{inner}}}{{{written}}}"
    return written, at


def _drop_hexadecimal_colour(match: re.Match[str]) -> _Rewritten | None:
    """Drop a colour that the converter does not support; None for other colours."""
    if not _HEXADECIMAL.match(match.string, match.end()):
        return None
    return "", argument_at(match.string, match.end())[1]


def _rewrite_reference(match: re.Match[str]) -> _Rewritten:
    """Rewrite a reference whose number is unknown as the name of its label."""
    label, at = argument_at(match.string, match.end())
    return rf"\text{{{f'({label})' if match['name'] == 'eqref' else label}}}", at


def _rewrite_wide_tilde(match: re.Match[str]) -> _Rewritten:
    """Rewrite a wide tilde as a plain one over a letter, else as a sign above."""
    inner, at = _rewrite_argument(match.string, match.end())
    inner = inner.strip()
    mark = r"\tilde" if re.fullmatch(r"\w|\\[A-Za-z]+", inner) else r"\overset{\sim}"
    return f"{mark}{{{inner}}}", at


def _stack_lines(match: re.Match[str]) -> _Rewritten:
    """Rewrite lines below each other as a matrix."""
    inner, at = _rewrite_argument(match.string, match.end())
    return rf"{{\begin{{matrix}}{inner}\end{{matrix}}}}", at


def _rewrite_character_code(match: re.Match[str]) -> _Rewritten:
    r"""Rewrite ``\unicode{x41}`` as the character."""
    number, at = argument_at(match.string, match.end())
    return _character(number), at


def _rewrite_definition(match: re.Match[str]) -> _Rewritten:
    """Rewrite a definition so that it may redefine a command or define a new one, as in MathJax."""
    word, at = argument_at(match.string, match.end())
    written = rf"\providecommand{{{word}}}{{}}\renewcommand{{{word}}}"
    if match["name"] == "DeclareMathOperator":
        operator_name, at = argument_at(match.string, at)
        star = "*" if match[0].endswith("*") else ""
        operator = _rewrite_commands(rf"\operatorname{star}{{{operator_name}}}")
        written += f"{{{operator}}}"
    return written, at


def _rewrite_operator(match: re.Match[str]) -> _Rewritten | None:
    """Replace font commands in the name of an operator; None if it has none."""
    at = argument_at(match.string, match.end())[1]
    argument = match.string[match.end() : at]
    without_fonts = _FONT.sub(_to_unicode_letters, argument)
    if without_fonts == argument:
        return None
    return match[0] + _rewrite_commands(without_fonts), at


def _to_unicode_letters(match: re.Match[str]) -> str:
    r"""Replace letters in a font command by Unicode characters: ``\mathbb{E}`` by ``𝔼``."""
    if match["font"] == "text":
        return rf"\text{{{match['letters'].replace(' ', '~')}}}"
    if match["font"] == "mathrm":
        return match["letters"]
    mathml = _converter.convert_with_local_state(match[0], displaystyle=False)
    return "".join(fromstring(mathml).itertext())


def _rewrite_chemistry(match: re.Match[str]) -> _Rewritten:
    r"""Rewrite ``\ce{…}`` or ``\pu{…}``."""
    text, at = argument_at(match.string, match.end())
    translate = formula_to_tex if match["name"] == "ce" else quantity_to_tex
    written = _rewrite_commands(translate(text))
    # A group with columns is part of the table around it, so it keeps no braces.
    return written if "&" in written else f"{{{written}}}", at


#: Functions that rewrite a command with its arguments, or return None to leave it as it is.
_WRITERS: dict[str, Callable[[re.Match[str]], _Rewritten | None]] = {
    **dict.fromkeys(_TEXT, _rewrite_text),
    **dict.fromkeys(_DROPPED, _drop),
    **dict.fromkeys(_KEEP_LAST, _keep_last_argument),
    **dict.fromkeys(_TEMPLATES, _fill_template),
    **dict.fromkeys(("buildrel", "root"), _rewrite_infix),
    **dict.fromkeys(("color", "textcolor"), _drop_hexadecimal_colour),
    **dict.fromkeys(("eqref", "ref"), _rewrite_reference),
    **dict.fromkeys(("substack", "displaylines"), _stack_lines),
    **dict.fromkeys(("newcommand", "renewcommand", "DeclareMathOperator"), _rewrite_definition),
    **dict.fromkeys(("ce", "pu"), _rewrite_chemistry),
    "operatorname": _rewrite_operator,
    "mathop": _rewrite_limits,
    "widetilde": _rewrite_wide_tilde,
    "unicode": _rewrite_character_code,
}


def _move_formulas_out(name: str, words: str) -> str:
    r"""Return text as commands ``\{name}{…}``, with the formulas and symbols in it between them.

    Examples
    --------
    >>> _move_formulas_out("text", "if $x$ is 0")
    '\\text{if }x\\text{ is 0}'
    """
    # Formulas are between `$` and `$`, or `\(` and `\)`: every second part is one.
    parts = re.split(r"(?<!\\)\$", re.sub(r"(?<!\\)\\[()]", "$", words))
    if len(parts) % 2 == 0:
        parts = [words.replace("$", r"\$")]  # one is not closed: all dollars are text
    written = []
    for number, part in enumerate(parts):
        if number % 2:
            written.append(_rewrite_commands(part))
            continue
        commands = set(re.findall(r"\\([A-Za-z]+)", part))
        # A part with another command for text, which may contain commands, is not divided.
        has_other_command = bool(commands - _IN_TEXT) and commands.isdisjoint(_TEXT)
        pieces = re.split(f"({_OTHER_COMMAND})", part) if has_other_command else [part]
        # Every second piece is a command.
        for index, piece in enumerate(pieces):
            if index % 2:
                # Coloured text remains text.
                written.append(re.sub(r"\{([^{}]*)\}$", rf"{{\\{name}{{\1}}}} ", piece))
            elif piece or number == 0:
                written.append(rf"\{name}{{{_escape_text(piece)}}}")
    return "".join(written)


def _escape_text(words: str) -> str:
    r"""Escape the characters of a text that have a meaning in TeX: ``a_b`` → ``a\_b``."""
    escaped = re.sub(r"(?<!\\)[_&#]", r"\\\g<0>", words)
    escaped = re.sub(r"(\\[%&#_$]) ", r"\1{} ", escaped)  # the converter drops a blank behind these
    return re.sub(r"(?<!\\)\^", r"\\textasciicircum ", escaped)


def _character(number: str) -> str:
    """Return the character with a code such as ``x41``, ``0101`` or ``65``; else the text itself.

    Examples
    --------
    >>> _character("x41"), _character("66"), _character("c")
    ('A', 'B', 'c')
    """
    number = number.strip()
    try:
        return chr(int(f"0{number}" if number.startswith("x") else number, 0))
    except (ValueError, OverflowError):
        return number
