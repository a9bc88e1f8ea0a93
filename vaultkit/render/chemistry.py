r"""Translates the chemistry of mhchem, ``\ce`` and ``\pu``, to plain TeX.

MathJax, and therefore Obsidian, supports mhchem. Its syntax is described at
https://mhchem.github.io/MathJax-mhchem/.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from vaultkit.read.macros import COMMAND, argument_at

#: The arrows of mhchem and their TeX; the longer ones first, since shorter ones may begin them.
_ARROWS = {
    "<-->": r"\rightleftarrows",
    "<=>>": r"\mathrel{⥂}",
    "<<=>": r"\mathrel{⥄}",
    "<=>": r"\rightleftharpoons",
    "<->": r"\longleftrightarrow",
    "->": r"\longrightarrow",
    "<-": r"\longleftarrow",
}
_ARROW = re.compile("|".join(map(re.escape, _ARROWS)) + "|[→←↔⇌]")
_ARROWS |= {"→": _ARROWS["->"], "←": _ARROWS["<-"], "↔": _ARROWS["<->"], "⇌": _ARROWS["<=>"]}
#: The bonds of ``\bond{…}`` and their TeX.
_BONDS = {
    **dict.fromkeys(("-", "1"), "-"),
    **dict.fromkeys(("=", "2"), "="),
    **dict.fromkeys(("#", "3"), r"\equiv"),
    "~": r"\cdots",
    **dict.fromkeys(("~-", "~--", "~=", "-~-"), r"\overset{\cdots}{-}"),
    "...": r"\cdot\cdot\cdot",
    "....": r"\cdot\cdot\cdot\cdot",
    "->": r"\rightarrow",
    "<-": r"\leftarrow",
}
_GREEK = (
    r"\\(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma"
    r"|tau|upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega)"
    r"(?![A-Za-z])(?:\{\}|\s+)?"
)
#: Letters, Greek ones included: *Na*, ``\mu``.
_LETTERS = re.compile(rf"(?:[^\W\d_]|{_GREEK})+")
#: A stoichiometric number: *2*, *0.5*, *1/2*, *n*, *2n*, *$n$/2*; but not the *p* of *pH*.
#: (*$n$* alone is mathematics.)
_AMOUNT = re.compile(
    r"""
    (?! (?:pH|pOH|pK|pC|iPr|iBu)(?![a-z]) )
    (?P<sign> [-+]? )
    (?:
        (?P<above> \d+ | [a-z] | \$[a-z]\$ ) / (?P<below> \d+ )
        | \([-+]?\d+/\d+\)
        | \d+[.,]\d+ | \.\d+
        | \d+ (?:[a-z](?=\s*[A-Z]))?
        | [a-z](?=\s*[A-Z])
    )""",
    re.VERBOSE,
)
#: A superscript without braces; its minus is not a bond.
_RAISED = re.compile(
    r"""
    [-+]?\d+[a-z]? (?: \++ | -+(?![A-Za-z\d\[\\$]) )?  # a number, perhaps with a charge: *2-*
    | [a-zA-Z] (?: \++ | -+(?![A-Za-z]) )?             # a letter, the same: *n+*
    | [-+*]+                                           # a charge
    | \.+[-+]* | '+                                    # radicals, primes
    """,
    re.VERBOSE,
)
_SCRIPT = re.compile(r"[\^_]|'+")
_LOWERED = re.compile(r"[-+]?\d+|[a-zA-Z]")
#: A charge without ``^``: a plus, or a minus at the end of a formula.
_CHARGE = re.compile(r"\++|-+(?=$|[\s\]}.,;:_^|&]|\\\}|\\\\|\([a-z]{1,3}\))")
#: A state of aggregation or a crystal system: *(aq)*, *(s, $\alpha$)*, *($\infty$)*.
_STATE = re.compile(r"\s*\((?:[a-z]{1,3}(?:,\s*\$[^$]*\$)?|(?:\\ca\s*)?\$[^$]*\$)\)")
#: The numbers before an element: ``^14_6``, ``^{227}_{90}``.
_ISOTOPE = re.compile(r"\^(?:\d+|\{\d+\})(?:_(?:-?\d+|\{-?\d+\}))?(?=[A-Za-z])")
#: TeX after which a hyphen is not a bond, since it ends in a number or a single letter: *1s^2-N*,
#: *2-butene*, *d-orbital*.
_ENDS_IN_PREFIX = re.compile(r"(?:^|[^_{\d])\d+$|\^\{\d+\}$|\\mathrm\{(?:[a-z]|\\[A-Za-z]+)\}$")
#: The sign of a precipitate, *v*, or a gas, *^*.
_FALLS_OR_RISES = re.compile(r"\s(?:v|\(v\)|\^|\(\^\))(?=\s|$)")
#: Commands whose arguments also contain chemistry, and the number of arguments.
_WITH_CHEMISTRY = {
    **dict.fromkeys(("frac", "overset", "underset", "stackrel"), 2),
    **dict.fromkeys(("underbrace", "overbrace", "boxed", "cancel", "ce"), 1),
}
#: Commands without arguments, by their names, that TeX writes otherwise or as they are.
_SIGNS = {"{": r"\{", "}": r"\}", ",": r"\,", ";": r"\;", " ": r"\ ", "\\": r"\\", "ca": r"{\sim}"}


def formula_to_tex(text: str) -> str:
    r"""Translate chemical formulas and equations.

    Examples
    --------
    >>> formula_to_tex("H2O"), formula_to_tex("SO4^2-")
    ('\\mathrm{H}_{2}\\mathrm{O}', '{\\mathrm{SO}_{4}}^{2-}')
    """
    return _Formula(text.strip()).write()


class _Formula:
    r"""Parses chemistry from left to right; each method tries to parse one kind of part.

    The methods ``parse_…`` return whether such a part begins at the position; if so, they add its
    TeX and move the position behind it.

    Parameters
    ----------
    text
        The argument of ``\ce``.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        #: The position up to which it is parsed.
        self.position = 0
        #: The translated parts.
        self.parts: list[str] = []
        #: Whether scripts that follow are those of the last part, such as an atom.
        self.takes_scripts = False

    def write(self) -> str:
        """Return the formula as TeX."""
        parsers: tuple[Callable[[], bool], ...] = (
            self.parse_precipitate_or_gas, self.parse_state, self.parse_space, self.parse_arrow,
            self.parse_amount, self.parse_mathematics, self.parse_isotope, self.parse_scripts,
            self.parse_letters, self.parse_number, self.parse_sign, self.parse_bracket,
            self.parse_words, self.parse_command,
        )  # fmt: skip
        while self.position < len(self.text):
            if not any(parse() for parse in parsers):
                self.add(self.text[self.position])
                self.position += 1
        return "".join(self.parts).strip()

    def add(self, tex: str, *, takes_scripts: bool = False) -> bool:
        """Append a part; return True, since a part was parsed."""
        self.parts.append(tex)
        self.takes_scripts = takes_scripts
        return True

    def match(self, pattern: re.Pattern[str] | str) -> re.Match[str] | None:
        """Return the match of a pattern at the position, and move behind it; None without one."""
        match = re.compile(pattern).match(self.text, self.position)
        self.position = match.end() if match else self.position
        return match

    def parse_precipitate_or_gas(self) -> bool:
        """Parse the sign of a precipitate, *v*, or a gas, *^*."""
        match = self.match(_FALLS_OR_RISES) if self.parts else None
        if not match:
            return False
        return self.add(r"\,\downarrow " if "v" in match[0] else r"\,\uparrow ")

    def parse_state(self) -> bool:
        """Parse a state of aggregation, or a crystal system: *(aq)*."""
        match = self.match(_STATE) if self.parts and self.takes_scripts else None
        if not match:
            return False
        return self.add(rf"\mkern2mu {_script_to_tex(match[0].strip())}", takes_scripts=True)

    def parse_space(self) -> bool:
        """Parse a space, which separates formulas and makes the signs beside it operators."""
        match = self.match(r"\s+")
        if not match:
            return False
        if sign := self.match(r"(?:[-+=]|\\pm|\\mp)(?=\s|$)"):
            self.match(r"\s+")
            return self.add(f" {{}}{sign[0]}{{}} ")
        # TeX would ignore the blank between two formulas.
        begins_formula = re.match(r"[\w\[(\\{$^]", self.text[self.position :])
        is_arrow = _ARROW.match(self.text, self.position)
        is_between = self.takes_scripts and begins_formula and not is_arrow
        return self.add("~" if is_between else " ")

    def parse_arrow(self) -> bool:
        """Parse an arrow with its labels above and below: *->[above][below]*."""
        match = self.match(_ARROW)
        if not match:
            return False
        tex = _ARROWS[match[0]]
        labels: list[str] = []
        while self.text[self.position : self.position + 1] == "[" and len(labels) < 2:
            end = _find_closing(self.text, self.position)
            labels.append(formula_to_tex(self.text[self.position + 1 : end]))
            self.position = end + 1
        self.match(r"\s+")
        for command, label in zip(("overset", "underset"), labels, strict=False):
            tex = rf"\{command}{{{label}}}{{{tex}}}"
        space = r"\;" if labels else " "
        return self.add(f"{space}{tex}{space}")

    def parse_mathematics(self) -> bool:
        """Parse mathematics between dollars."""
        match = self.match(r"\$(?P<tex>(?:\\.|[^$])*)\$")
        return match is not None and self.add(f"{{{match['tex']}}}", takes_scripts=True)

    def parse_isotope(self) -> bool:
        """Parse the numbers before an element, and the element: *^{227}_{90}Th*.

        Empty braces before them, ``{}^{14}C``, say that they are those of the element behind them.
        Without an element, as in ``H{}^2``, they are scripts of the part before.
        """
        begin = re.compile(r"(?P<braces>\{\})?(?=[\^_])").match(self.text, self.position)
        if not begin:
            return False
        may_be_of_last_part = self.takes_scripts and not begin["braces"]
        if may_be_of_last_part and not _ISOTOPE.match(self.text, begin.end()):
            return False
        self.position = begin.end()
        above, below = self.read_scripts(before_atom=True)
        element = self.match(_LETTERS)
        if not element:
            # They are scripts of nothing, or of the part before.
            self.position = begin.end()
            return bool(begin["braces"]) and self.parse_scripts()
        lowered, raised = _script_to_tex(below or ""), _script_to_tex(above or "")
        tex = rf"\prescript{{{raised}}}{{{lowered}}}{{{_to_upright(element[0])}}}"
        return self.add(tex, takes_scripts=True)

    def read_scripts(self, *, before_atom: bool = False) -> tuple[str | None, str | None]:
        """Parse at most one superscript and one subscript; return both, None for a missing one.

        Before an atom they may have any order, as in ``^{14}_6C`` and ``_6^{14}C``. After an atom a
        superscript ends before the subscript begins.
        """
        raised = lowered = None
        while sign := _SCRIPT.match(self.text, self.position):
            is_lowered = sign[0] == "_"
            is_second = (lowered if is_lowered else raised) is not None
            is_out_of_order = not before_atom and lowered is not None
            if is_second or is_out_of_order:
                break
            self.position = sign.end()
            if sign[0].startswith("'"):
                script = sign[0]
            elif self.text[self.position : self.position + 1] in ("{", "$", "\\"):
                script, self.position = _parse_script(self.text, self.position)
            else:
                match = self.match(_LOWERED if is_lowered else _RAISED)
                script = match[0] if match else ""
            if is_lowered:
                lowered = script
            else:
                raised = script
        return raised, lowered

    def parse_scripts(self) -> bool:
        """Parse the scripts after a part."""
        begins = self.position
        raised, lowered = self.read_scripts()
        if self.position == begins:
            return False
        self.attach_scripts(raised, lowered)
        return True

    def attach_scripts(self, raised: str | None, lowered: str | None) -> None:
        """Add scripts to the last part, or to nothing if it takes none; None is no script."""
        base = self.parts.pop() if self.takes_scripts and self.parts else "{}"
        # What has scripts already, or is a bracket, must be a group to get scripts.
        if re.search(r"[\^_]\{", base) or base in (")", "]", r"\}"):
            base = f"{{{base}}}"
        if lowered is not None:
            base += f"_{{{_script_to_tex(lowered)}}}"
        if raised is not None:
            base += f"^{{{_script_to_tex(raised, is_raised=True)}}}"
        self.add(base, takes_scripts=True)

    def parse_amount(self) -> bool:
        """Parse the stoichiometric number before a formula: *2 H2O*, *1/2 O2*."""
        if self.takes_scripts:
            return False  # the number behind an atom is its subscript
        if italic := self.match(r"(?P<letter>[a-z])-(?=[A-Z])"):
            return self.add(rf"{italic['letter']}\text{{-}}")  # *n-Bu*
        match = self.match(_AMOUNT)
        if not match:
            return False
        tex = match[0].replace(",", "{,}")
        if match["above"]:
            tex = rf"{match['sign']}\tfrac{{{match['above'].strip('$')}}}{{{match['below']}}}"
        is_before_formula = self.match(r"\s*(?=[A-Z\[({\\$^])")
        return self.add(tex + (r"\," if is_before_formula else ""))

    def parse_letters(self) -> bool:
        """Parse elements, and other words in letters: *NaCl*."""
        match = self.match(_LETTERS)
        return match is not None and self.add(_to_upright(match[0]), takes_scripts=True)

    def parse_number(self) -> bool:
        """Parse a number: behind a part that takes scripts, it is the subscript."""
        match = self.match(r"\d+")
        if match and self.takes_scripts:
            self.attach_scripts(None, match[0])
        elif match:
            self.add(match[0], takes_scripts=True)
        return bool(match)

    def parse_sign(self) -> bool:
        """Parse a charge, a bond, a plus sign, or a sign that separates two parts."""
        if self.takes_scripts and not self.is_end_of_group() and (charge := self.match(_CHARGE)):
            self.attach_scripts(charge[0], None)
            return True
        if self.match(r"\.\.\."):
            return self.add(r"\ldots ")
        if self.match(r"\s*(?:\*|\\cdot(?![A-Za-z])|\.)\s*"):
            return self.add(r"\,{\cdot}\,")  # the water of a salt: *CuSO4 * 5H2O*
        is_behind_prefix = bool(self.parts) and _ENDS_IN_PREFIX.search(self.parts[-1])
        if self.match(r"-(?=[A-Za-z\d])" if is_behind_prefix else r"-(?=\d)"):
            return self.add(r"\text{-}")
        if bond := self.match(r"[-=#]"):
            return self.add(f"{{{_BONDS[bond[0]]}}}")
        if self.match(r"\+\s*"):
            return self.add("{}+{} ")
        if comma := self.match(r"(?P<sign>[,;])(?P<space>\s*)"):
            return self.add(f"{{{comma['sign']}}}" + r"\;" * bool(comma["space"]))
        return False

    def is_end_of_group(self) -> bool:
        """Return whether a minus here is the second open bond of a group: *-CH2-*."""
        formula = re.split(r"\s", self.text[: self.position])[-1]
        return formula.startswith("-") and self.text[self.position] == "-"

    def parse_bracket(self) -> bool:
        """Parse a bracket; a closing one may have scripts."""
        match = self.match(r"[\[\]()]|\\[{}]")
        if not match:
            return False
        return self.add(match[0], takes_scripts=match[0] in (")", "]", r"\}"))

    def parse_words(self) -> bool:
        """Parse words in braces, which are text: *{(excess)}*."""
        if self.text[self.position] != "{":
            return False
        words, self.position = argument_at(self.text, self.position)
        return self.add(rf"\text{{{words}}}" if words else "", takes_scripts=bool(words))

    def parse_command(self) -> bool:
        """Parse a command with its arguments."""
        match = self.match(COMMAND)
        if not match:
            return False
        name = match["name"] or match[0].removeprefix("\\")
        if name == "bond":
            return self.add(f"{{{_BONDS.get(self.read_argument().strip(), '-')}}}")
        if name in _SIGNS:
            return self.add(_SIGNS[name])
        tex = rf"\{name}"
        is_colour = name in ("color", "textcolor")  # both with a colour, then chemistry
        if is_colour:
            tex = rf"\textcolor{{{self.read_argument()}}}"
        for _ in range(_WITH_CHEMISTRY.get(name, int(is_colour))):
            tex += f"{{{formula_to_tex(self.read_argument())}}}"
        tex = tex.removeprefix(r"\ce")  # within \ce, \ce{…} is only its argument
        if name not in _WITH_CHEMISTRY:
            while self.text[self.position : self.position + 1] == "{":
                tex += f"{{{self.read_argument()}}}"
            # A command without arguments must not join the letters behind it.
            tex += " " * tex.endswith(name)
        return self.add(tex, takes_scripts=True)

    def read_argument(self) -> str:
        """Return the argument of a command that begins at the position, and move behind it."""
        argument, self.position = argument_at(self.text, self.position)
        return argument


def _find_closing(text: str, at: int) -> int:
    """Return the position of the sign that closes the bracket at a position, or else the end.

    Brackets and braces are counted together; what is between dollars is skipped.
    """
    depth = 0
    for sign in re.finditer(r"\\.|\$[^$]*\$|[\[\]{}]", text[at:]):
        depth += (sign[0] in "[{") - (sign[0] in "]}")
        if depth == 0:
            return at + sign.start()
    return len(text)


def _parse_script(text: str, at: int) -> tuple[str, int]:
    """Return a script: in braces, between dollars, or a command with its arguments.

    Dollars are kept.
    """
    if match := re.compile(r"\$(?:\\.|[^$])*\$").match(text, at):
        return match[0], match.end()
    if text[at] == "{":
        return argument_at(text, at)
    inner, at = argument_at(text, at)
    while text[at : at + 1] == "{":
        more, at = argument_at(text, at)
        inner += f"{{{more}}}"
    return inner, at


def _to_upright(letters: str) -> str:
    r"""Return letters as TeX sets them upright: ``\mathrm{Na}``; ``{}`` may end a Greek one."""
    return rf"\mathrm{{{letters.replace('{}', '').rstrip()}}}"


#: The parts of a script: mathematics, words, numbers with single letters, dots and primes.
_PIECE = re.compile(
    rf"""
    \$ (?P<tex> (?:\\.|[^$])* ) \$
    | \{{ (?P<words> [^{{}}]* ) \}}
    | \( (?P<state> [a-z]{{1,3}} )(?=[,)])
    | (?P<variable> (?<![A-Za-z])[a-z](?![A-Za-z]) )
    | (?P<upright> (?: [^\W\d_] | {_GREEK} )+ )
    | (?P<dot> \.(?!\d) )
    | (?P<comma> ,\s* )
    | (?P<prime> ' )
    | (?P<star> \* )
    | (?P<command> \\[A-Za-z]+ )
    """,
    re.VERBOSE,
)


def _script_to_tex(text: str, *, is_raised: bool = False) -> str:
    """Return a script or state in TeX: variables in italics, words upright."""
    if is_raised and text == "x":
        return r"\times"  # no charge, in the notation of Kröger and Vink
    if not is_raised and text == "i":
        return r"\mathrm{i}"  # an interstitial place, in the same notation

    def piece_to_tex(match: re.Match[str]) -> str:
        """Return a piece of the script in TeX."""
        match match.lastgroup:
            case "tex":
                return f"{{{match['tex']}}}"
            case "words":
                return rf"\text{{{match['words']}}}"
            case "state":
                return f"({_to_upright(match['state'])}"
            case "upright":
                return _to_upright(match[0])
            case "dot":
                return r"\bullet "
            case "comma":
                return "{,}"
            case "prime":
                return r"\prime "
            case "command":
                return _SIGNS.get(match[0][1:], f"{match[0]} ")
        return match[0]

    return _PIECE.sub(piece_to_tex, text)


#: A number: *-12.5*, with its error, *1.23(4)*, with a power of ten, *2.5e-3*.
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d*)(?:(?P<point>[.,])(?P<decimals>\d+))?(?P<error>\(\d+\))?"
    r"(?:(?P<e>[eE])(?P<power>[-+]?\d+))?"
)
#: A part of a quantity.
_PART = re.compile(
    r"""
    (?P<number> [-+]? (?: \d | (?<![\w)])\.\d ) [\d.,eE()]* (?: (?<=[eE])[-+]?\d+ )? )
    | (?P<times> \s*[*.](?=\S) | \s*\\cdot\s* )
    | (?P<degree> ° | \\degree | \\deg | (?:\{\})?\^?\\circ ) \s* (?P<scale> [CFK]? )
    | (?P<sign> \s*\\(?:pm|times)\s* )
    | (?P<fraction> \\d?frac\s*(?=\{) )
    | (?P<unit> (?: [^\W\d_] | % | [Ωµμ] | \\(?!pm|cdot|times|d?frac)[A-Za-z%]+ )+ )
      (?P<power> [-+]?\d+ )?
    | \^ (?P<raised> \{[^{}]*\} | [-+]?\d+ )
    | (?P<space> \s+ )
    | (?P<other> . )
    """,
    re.VERBOSE,
)


#: Most digits that are not divided into groups, as in *1234*.
_MOST_DIGITS_IN_ONE = 4


def quantity_to_tex(text: str) -> str:
    r"""Translate a number with its unit.

    Examples
    --------
    >>> quantity_to_tex("123 kJ/mol"), quantity_to_tex("12345")
    ('123~\\mathrm{kJ}/\\mathrm{mol}', '12\\,345')
    >>> quantity_to_tex("3 m//s")
    '3~\\tfrac{\\mathrm{m}}{\\mathrm{s}}'
    """
    above, bar, below = text.strip().partition("//")
    if not bar:
        return _line_to_tex(above)
    # The number is before the fraction of the units.
    number = re.match(r"[-+]?[\d.,eE]*\d\s*", above)
    factor = _line_to_tex(number[0].strip()) + "~" if number else ""
    unit = above[number.end() :] if number else above
    return rf"{factor}\tfrac{{{quantity_to_tex(unit)}}}{{{quantity_to_tex(below)}}}"


def _line_to_tex(text: str) -> str:
    """Translate a quantity without ``//``: numbers, units, powers, products."""
    parts: list[str] = []
    at = 0
    while match := _PART.match(text, at):
        at = match.end()
        # A number and its unit are separated by a space, even if they are written without.
        is_behind_number = len(parts) == 1 and parts[0][-1] in "0123456789)}"
        if is_behind_number and (match["unit"] or match["degree"]):
            parts.append("~")
        if match["number"]:
            parts.append(_number_to_tex(match["number"]))
        elif match["unit"]:
            parts.append(rf"\mathrm{{{match['unit']}}}")
            parts += [f"^{{{match['power']}}}"] * bool(match["power"])
        elif match["degree"]:
            parts.append(rf"{{}}^{{\circ}}\mathrm{{{match['scale']}}}")
        elif match["raised"]:
            parts.append(f"^{{{match['raised'].strip('{}')}}}")
        elif match["fraction"]:
            above, at = argument_at(text, at)
            below, at = argument_at(text, at)
            parts.append(rf"\tfrac{{{quantity_to_tex(above)}}}{{{quantity_to_tex(below)}}}")
        elif match["times"]:
            parts.append(r"{\cdot}")
        elif match["sign"]:
            parts.append(f" {{}}{match[0].strip()}{{}} ")
        elif match["space"]:
            parts.append("~" if is_behind_number else r"\,")
        else:
            parts.append(match[0])
    return "".join(parts)


def _number_to_tex(text: str) -> str:
    r"""Translate a number: digits in groups of three, with its error and its power of ten.

    >>> _number_to_tex("1234.5"), _number_to_tex("0.12345(6)e-3")
    ('1234.5', '0.123\\,45(6)\\cdot 10^{-3}')
    """
    match = _NUMBER.fullmatch(text)
    if not match:
        return text
    whole, decimals = match["whole"], match["decimals"] or ""
    if len(whole) > _MOST_DIGITS_IN_ONE:
        whole = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", r"\\,", whole)
    if len(decimals) > _MOST_DIGITS_IN_ONE:
        decimals = re.sub(r"(\d{3})(?=\d)", r"\1\\,", decimals)
    point = {",": "{,}", ".": "."}.get(match["point"] or "", "")
    times = {"e": r"\cdot", "E": r"\times"}.get(match["e"] or "", "")
    power = f"{times} 10^{{{match['power']}}}" if times else ""
    return f"{match['sign']}{whole}{point}{decimals}{match['error'] or ''}{power}"
