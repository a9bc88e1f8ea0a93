r"""Translates the chemistry of mhchem, ``\ce`` and ``\pu``, to plain TeX.

MathJax, and therefore Obsidian, supports mhchem. Its syntax is described at
https://mhchem.github.io/MathJax-mhchem/.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from vaultkit.read.macros import COMMAND, argument_at

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
_LETTERS = re.compile(rf"(?:[^\W\d_]|{_GREEK})+")
#: A stoichiometric number: *2*, *0.5*, *1/2*, *n*, *2n*, *$n$/2*; but not the *p* of *pH*.
#: (*$n$* alone is mathematics.)
_AMOUNT = re.compile(
    r"(?!(?:pH|pOH|pK|pC|iPr|iBu)(?![a-z]))(?P<sign>[-+]?)(?:(?P<above>\d+|[a-z]|\$[a-z]\$)/(?P<below>\d+)"
    r"|\([-+]?\d+/\d+\)|\d+[.,]\d+|\.\d+|\d+(?:[a-z](?=\s*[A-Z]))?|[a-z](?=\s*[A-Z]))"
)
#: A superscript without braces: a charge, a number, a letter, a dot; its minus is not a bond.
_RAISED = re.compile(
    r"[-+]?\d+[a-z]?(?:\++|-+(?![A-Za-z\d\[\\$]))?|[a-zA-Z](?:\++|-+(?![A-Za-z]))?|[-+*]+|\.+[-+]*|'+"
)
_SCRIPT = re.compile(r"[\^_]|'+")
_LOWERED = re.compile(r"[-+]?\d+|[a-zA-Z]")
#: A charge without ``^``: a plus, or a minus at the end of a formula.
_CHARGE = re.compile(r"\++|-+(?=$|[\s\]}.,;:_^|&]|\\\}|\\\\|\([a-z]{1,3}\))")
_STATE = re.compile(r"\s*\((?:[a-z]{1,3}(?:,\s*\$[^$]*\$)?|(?:\\ca\s*)?\$[^$]*\$)\)")
_ISOTOPE = re.compile(r"\^(?:\d+|\{\d+\})(?:_(?:-?\d+|\{-?\d+\}))?(?=[A-Za-z])")
#: After numbers and single letters, a hyphen is not a bond: *1s^2-N*, *2-butene*, *d-orbital*.
_IS_PREFIX = re.compile(r"(?:^|[^_{\d])\d+$|\^\{\d+\}$|\\mathrm\{(?:[a-z]|\\[A-Za-z]+)\}$")
#: The sign of a precipitate or gas.
_FALLS = re.compile(r"\s(?:v|\(v\)|\^|\(\^\))(?=\s|$)")
#: Commands whose arguments also contain chemistry, and the number of arguments.
_WITH_CHEMISTRY = {
    **dict.fromkeys(("frac", "overset", "underset", "stackrel"), 2),
    **dict.fromkeys(("underbrace", "overbrace", "boxed", "cancel", "ce"), 1),
}
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

    Parameters
    ----------
    text
        The argument of ``\ce``.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        #: The position up to which it is parsed.
        self.position = 0
        #: The translated parts; scripts that follow apply to the last one if it is an atom.
        self.parts: list[str] = []
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
        """Consume and return a match of a pattern."""
        match = re.compile(pattern).match(self.text, self.position)
        self.position = match.end() if match else self.position
        return match

    def parse_precipitate_or_gas(self) -> bool:
        """Parse the sign of a precipitate, *v*, or a gas, *^*."""
        match = self.match(_FALLS) if self.parts else None
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
        apart = self.takes_scripts and re.match(r"[\w\[(\\{$^]", self.text[self.position :])
        return self.add("~" if apart and not _ARROW.match(self.text, self.position) else " ")

    def parse_arrow(self) -> bool:
        """Parse an arrow with its labels above and below."""
        match = self.match(_ARROW)
        if not match:
            return False
        written = _ARROWS[match[0]]
        texts: list[str] = []
        while self.text[self.position : self.position + 1] == "[" and len(texts) < 2:
            end = _find_closing(self.text, self.position)
            texts.append(formula_to_tex(self.text[self.position + 1 : end]))
            self.position = end + 1
        self.match(r"\s+")
        for where, text in zip(("overset", "underset"), texts, strict=False):
            written = rf"\{where}{{{text}}}{{{written}}}"
        apart = r"\;" if texts else " "
        return self.add(f"{apart}{written}{apart}")

    def parse_mathematics(self) -> bool:
        """Parse mathematics between dollars."""
        match = self.match(r"\$(?P<tex>(?:\\.|[^$])*)\$")
        return match is not None and self.add(f"{{{match['tex']}}}", takes_scripts=True)

    def parse_isotope(self) -> bool:
        """Parse the numbers before an element, and the element: *^{227}_{90}Th*."""
        begin = re.compile(r"(?P<nothing>\{\})?(?=[\^_])").match(self.text, self.position)
        if not begin:
            return False
        is_script_of_part = self.takes_scripts and not begin["nothing"]
        if is_script_of_part and not _ISOTOPE.match(self.text, begin.end()):
            return False
        self.position = begin.end()
        above, below = self.read_scripts(before_atom=True)
        base = self.match(_LETTERS)
        if not base:
            self.position = begin.end()
            return bool(begin["nothing"]) and self.parse_scripts()
        lowered, raised = _script_to_tex(below or ""), _script_to_tex(above or "")
        written = rf"\prescript{{{raised}}}{{{lowered}}}{{{_to_upright(base[0])}}}"
        return self.add(written, takes_scripts=True)

    def read_scripts(self, *, before_atom: bool = False) -> tuple[str | None, str | None]:
        """Parse at most one superscript and one subscript; return both, None for a missing one.

        Before an atom they may have any order, as in ``^{14}_6C`` and ``_6^{14}C``. After an atom a
        superscript ends before the subscript begins.
        """
        raised = lowered = None
        while sign := _SCRIPT.match(self.text, self.position):
            lowers = sign[0] == "_"
            is_second = (lowered if lowers else raised) is not None
            is_out_of_order = not before_atom and lowered is not None
            if is_second or is_out_of_order:
                break
            self.position = sign.end()
            if sign[0].startswith("'"):
                inner = sign[0]
            elif self.text[self.position : self.position + 1] in ("{", "$", "\\"):
                inner, self.position = _parse_script(self.text, self.position)
            else:
                match = self.match(_LOWERED if lowers else _RAISED)
                inner = match[0] if match else ""
            lowered, raised = (inner, raised) if lowers else (lowered, inner)
        return raised, lowered

    def parse_scripts(self) -> bool:
        """Parse the scripts after a part."""
        self.match(r"\{\}(?=[\^_])")
        begins = self.position
        raised, lowered = self.read_scripts()
        if self.position == begins:
            return False
        self.attach_scripts(raised, lowered)
        return True

    def attach_scripts(self, raised: str | None, lowered: str | None) -> None:
        """Add scripts to the last part."""
        base = self.parts.pop() if self.takes_scripts and self.parts else "{}"
        if re.search(r"[\^_]\{", base) or base in (")", "]", r"\}"):
            base = f"{{{base}}}"
        for sign, inner in (("_", lowered), ("^", raised)):
            if inner is not None:
                base += f"{sign}{{{_script_to_tex(inner, is_raised=sign == '^')}}}"
        self.add(base, takes_scripts=True)

    def parse_amount(self) -> bool:
        """Parse the stoichiometric number before a formula."""
        if self.takes_scripts:
            return False
        if italic := self.match(r"([a-z])-(?=[A-Z])"):
            return self.add(rf"{italic[1]}\text{{-}}")
        match = self.match(_AMOUNT)
        if not match:
            return False
        text = match[0].replace(",", "{,}")
        if match["above"]:
            text = rf"{match['sign']}\tfrac{{{match['above'].strip('$')}}}{{{match['below']}}}"
        apart = re.compile(r"\s*(?=[A-Z\[({\\$^])").match(self.text, self.position)
        self.position = apart.end() if apart else self.position
        return self.add(text + (r"\," if apart else ""))

    def parse_letters(self) -> bool:
        """Parse elements, and other words in letters."""
        match = self.match(_LETTERS)
        return match is not None and self.add(_to_upright(match[0]), takes_scripts=True)

    def parse_number(self) -> bool:
        """Parse the number after a part as its subscript."""
        match = self.match(r"\d+")
        if match and self.takes_scripts:
            self.attach_scripts(None, match[0])
        elif match:
            self.add(match[0], takes_scripts=True)
        return bool(match)

    def parse_sign(self) -> bool:
        """Parse a charge, a bond, a plus sign, or a sign that separates two parts."""
        if self.takes_scripts and not self.begins_open_group() and (charge := self.match(_CHARGE)):
            self.attach_scripts(charge[0], None)
            return True
        if self.match(r"\.\.\."):
            return self.add(r"\ldots ")
        if self.match(r"\s*(?:\*|\\cdot(?![A-Za-z])|\.)\s*"):
            return self.add(r"\,{\cdot}\,")
        prefix = bool(self.parts) and _IS_PREFIX.search(self.parts[-1])
        if self.match(r"-(?=[A-Za-z\d])" if prefix else r"-(?=\d)"):
            return self.add(r"\text{-}")
        if match := self.match(r"[-=#]"):
            return self.add(f"{{{_BONDS[match[0]]}}}")
        if self.match(r"\+\s*"):
            return self.add("{}+{} ")
        if match := self.match(r"([,;])(\s*)"):
            return self.add(f"{{{match[1]}}}" + r"\;" * bool(match[2]))
        return False

    def begins_open_group(self) -> bool:
        """Return whether a group with open bonds at both ends begins here: *-CH2-*."""
        term = re.split(r"\s", self.text[: self.position])[-1]
        return term.startswith("-") and self.text[self.position] == "-"

    def parse_bracket(self) -> bool:
        """Parse a bracket; a closing one may have scripts."""
        match = self.match(r"[\[\]()]|\\[{}]")
        if not match:
            return False
        return self.add(match[0], takes_scripts=match[0] in (")", "]", r"\}"))

    def parse_words(self) -> bool:
        """Parse words in braces."""
        if self.text[self.position] != "{":
            return False
        words, self.position = argument_at(self.text, self.position)
        return self.add(rf"\text{{{words}}}" if words else "", takes_scripts=bool(words))

    def parse_command(self) -> bool:
        """Parse a command with its arguments."""
        match = self.match(COMMAND)
        if not match:
            return False
        name = match["name"] or match[0][1:]
        if name == "bond":
            kind, self.position = argument_at(self.text, self.position)
            return self.add(f"{{{_BONDS.get(kind.strip(), '-')}}}")
        if name in _SIGNS:
            return self.add(_SIGNS[name])
        written = rf"\{name}"
        is_colour = name in ("color", "textcolor")
        if is_colour:
            colour, self.position = argument_at(self.text, self.position)
            written = rf"\textcolor{{{colour}}}"
        for _ in range(_WITH_CHEMISTRY.get(name, int(is_colour))):
            inner, self.position = argument_at(self.text, self.position)
            written += f"{{{formula_to_tex(inner)}}}"
        written = written.removeprefix(r"\ce")  # within \ce, \ce{…} is only its argument
        if name not in _WITH_CHEMISTRY:
            while self.text[self.position : self.position + 1] == "{":
                inner, self.position = argument_at(self.text, self.position)
                written += f"{{{inner}}}"
            # A command without arguments must not join the letters behind it.
            written += " " * written.endswith(name)
        return self.add(written, takes_scripts=True)


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
    return rf"\mathrm{{{letters.replace('{}', '').rstrip()}}}"


#: The parts of a script: mathematics, words, numbers with single letters, dots and primes.
_PIECE = re.compile(
    r"\$(?P<tex>(?:\\.|[^$])*)\$|\{(?P<words>[^{}]*)\}|\((?P<state>[a-z]{1,3})(?=[,)])"
    r"|(?P<variable>(?<![A-Za-z])[a-z](?![A-Za-z]))"
    rf"|(?P<upright>(?:[^\W\d_]|{_GREEK})+)|(?P<dot>\.(?!\d))|(?P<comma>,\s*)|(?P<prime>')"
    r"|(?P<star>\*)|(?P<command>\\[A-Za-z]+)"
)


def _script_to_tex(text: str, *, is_raised: bool = False) -> str:
    """Return a script or state in TeX: variables in italics, words upright."""
    if is_raised and text == "x":
        return r"\times"
    if not is_raised and text == "i":
        return r"\mathrm{i}"

    def piece(match: re.Match[str]) -> str:
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

    return _PIECE.sub(piece, text)


_QUANTITY = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d*)(?:(?P<point>[.,])(?P<part>\d+))?(?P<error>\(\d+\))?"
    r"(?:(?P<e>[eE])(?P<power>[-+]?\d+))?"
)
_UNIT = re.compile(
    r"(?P<quantity>[-+]?(?:\d|(?<![\w)])\.\d)[\d.,eE()]*(?:(?<=[eE])[-+]?\d+)?)"
    r"|(?P<times>\s*[*.](?=\S)|\s*\\cdot\s*)"
    r"|(?P<degree>°|\\degree|\\deg|(?:\{\})?\^?\\circ)\s*(?P<of>[CFK]?)|(?P<sign>\s*\\(?:pm|times)\s*)"
    r"|(?P<fraction>\\d?frac\s*(?=\{))"
    r"|(?P<name>(?:[^\W\d_]|%|[Ωµμ]|\\(?!pm|cdot|times|d?frac)[A-Za-z%]+)+)(?P<power>[-+]?\d+)?"
    r"|\^(?P<raised>\{[^{}]*\}|[-+]?\d+)|(?P<space>\s+)|(?P<other>.)"
)


def quantity_to_tex(text: str) -> str:
    r"""Translate a number with its unit.

    Examples
    --------
    >>> quantity_to_tex("123 kJ/mol"), quantity_to_tex("12345")
    ('123~\\mathrm{kJ}/\\mathrm{mol}', '12\\,345')
    """
    above, over, below = text.strip().partition("//")
    if over:
        number = re.match(r"[-+]?[\d.,eE]*\d\s*", above)
        written = _plain_quantity_to_tex(number[0].strip()) + "~" if number else ""
        rest = above[number.end() :] if number else above
        return rf"{written}\tfrac{{{quantity_to_tex(rest)}}}{{{quantity_to_tex(below)}}}"
    return _plain_quantity_to_tex(text.strip())


def _plain_quantity_to_tex(text: str) -> str:
    r"""Translate a physical quantity, the argument of ``\pu``: numbers, units, powers, products."""
    parts: list[str] = []
    at = 0
    while match := _UNIT.match(text, at):
        at = match.end()
        # A number and its unit are separated by a space, even if they are written without.
        alone = len(parts) == 1 and parts[0][-1] in "0123456789)}"
        is_unit = match["name"] or match["degree"]
        parts += ["~"] * bool(alone and is_unit)
        if match["quantity"]:
            parts.append(_number_to_tex(match["quantity"]))
        elif match["name"]:
            parts.append(rf"\mathrm{{{match['name']}}}")
            parts += [f"^{{{match['power']}}}"] * bool(match["power"])
        elif match["degree"]:
            parts.append(rf"{{}}^{{\circ}}\mathrm{{{match['of']}}}")
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
            parts.append("~" if alone else r"\,")
        else:
            parts.append(match[0])
    return "".join(parts)


def _number_to_tex(text: str) -> str:
    """Translate a number: digits in groups of three, with its error and its power of ten."""
    match = _QUANTITY.fullmatch(text)
    if not match:
        return text
    whole, part = match["whole"], match["part"] or ""
    if len(whole) > 4:
        first = len(whole) % 3
        groups = [whole[at : at + 3] for at in range(first, len(whole), 3)]
        whole = r"\,".join([whole[:first], *groups] if first else groups)
    if len(part) > 4:
        part = re.sub(r"(\d{3})(?=\d)", r"\1\\,", part)
    point = {",": "{,}", ".": "."}.get(match["point"] or "", "")
    times = {"e": r"\cdot", "E": r"\times"}.get(match["e"] or "", "")
    power = f"{times} 10^{{{match['power']}}}" if times else ""
    return f"{match['sign']}{whole}{point}{part}{match['error'] or ''}{power}"
