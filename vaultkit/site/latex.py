r"""Writes formulas as the converter takes them: what MathJax knows, and `math_core` does not.

Obsidian typesets with MathJax. Its commands that change nothing but sizes and boxes are left out,
others are written with those that there are: ``\substack`` as a matrix, ``split`` as ``aligned``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from vaultkit.read.macros import COMMAND, group

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*\n?")
_TEXT = {
    **{name: name for name in ("text", "textbf", "textit", "textrm", "textsf", "texttt")},
    **dict.fromkeys(("mbox", "hbox", "textnormal", "textup", "textmd", "fbox"), "text"),
}
#: They change how large something is, or where: nothing that it says.
_LEFT_OUT = {
    *("Huge", "huge", "LARGE", "Large", "large", "normalsize", "small", "footnotesize"),
    *("scriptsize", "tiny", "allowbreak", "nobreak", "displaybreak", "nonumber", "notag"),
    *("strut", "hfil", "MoveEqLeft"),
}
#: The same, with what stands behind them.
_LEFT_OUT_WITH = {"label", "require", "vspace", "hfill", "uproot", "leftroot", "skew"}
#: Of these the last part is kept; how many come before it.
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
#: Commands that words may hold.
_IN_TEXT = {"dots", "ldots", "quad", "qquad", "textasciicircum", "textbackslash", *_TEXT}
#: What else they hold stands beside them.
_STRANGE = r"\\textcolor\{[^{}]*\}\{[^{}]*\}|\\[A-Za-z]+|\\\\"
#: Commands that have a form with a star; behind others it is an asterisk.
_STARRED = {"operatorname", "DeclareMathOperator", "newcommand", "renewcommand", "hspace", "tag"}
#: What a delimiter stands behind; of those, what one can type for angle brackets.
_SIZES = re.compile(r"left|right|middle|[bB]igg?[lrm]?")
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
#: Signs of text that formulas may hold, too.
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
#: Signs that the converter knows by their commands alone.
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
#: By command, what is made of the groups behind it.
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
#: What stands for an environment that there is not, with what follows its beginning.
_ENVIRONMENTS = {
    "split": (r"\begin{aligned}", r"\end{aligned}"),
    "alignedat": (r"\begin{aligned}", r"\end{aligned}"),
    "flalign": (r"\begin{align*}", r"\end{align*}"),
    "alignat": (r"\begin{align*}", r"\end{align*}"),
    "eqnarray": (r"\begin{array}{rcl}", r"\end{array}"),
    "smallmatrix": (r"{\scriptstyle\begin{matrix}", r"\end{matrix}}"),
    "subarray": (r"\begin{matrix}", r"\end{matrix}"),
    "multlined": (r"\begin{gathered}", r"\end{gathered}"),
    "lgathered": (r"\begin{gathered}", r"\end{gathered}"),
    "rgathered": (r"\begin{gathered}", r"\end{gathered}"),
    "psmallmatrix": (r"\left(\scriptstyle\begin{matrix}", r"\end{matrix}\right)"),
    "bsmallmatrix": (r"\left[\scriptstyle\begin{matrix}", r"\end{matrix}\right]"),
    "empheq": (r"\begin{aligned}", r"\end{aligned}"),
    "numcases": (r"\begin{cases}", r"\end{cases}"),
    "equation": ("", ""),
    "displaymath": ("", ""),
    "math": ("", ""),
}
#: These take a word, of how many columns or of which kind.
_WITH_A_WORD = {"alignat", "alignedat", "subarray", "empheq"}
#: These take options, of how columns stand; matrices do with a star.
_WITH_OPTIONS = {
    *("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix"),
    *("psmallmatrix", "bsmallmatrix", "multlined", "empheq"),
}
#: A colour that the converter does not know: what has it is left as it is.
_HEXADECIMAL = re.compile(r"\s*\{\s*#")
_LIMITS = re.compile(r"\s*\\limits(?![A-Za-z])")
_UPRIGHT = re.compile(
    r"up(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma"
    r"|tau|upsilon|phi|chi|psi|omega)"
)
_BEGINS = re.compile(r"\\(?P<what>begin|end)\s*\{(?P<name>[A-Za-z]+)(?P<star>\*?)\}")
_ROWS = {"align": "align", "aligned": "align", "gather": "gather", "gathered": "gather"}
_LABEL = re.compile(r"\\label\s*\{(?P<name>[^{}]*)\}")
REFERENCE = re.compile(r"\\(?P<eq>eq)?ref\s*\{(?P<name>[^{}]*)\}")
_TAG = re.compile(r"\\tag(?P<star>\*?)\s*(?=\{)")


def prepared(tex: str, display: bool) -> str:
    r"""Write a formula with what the converter knows.

    Examples
    --------
    >>> prepared(r"\large x \text{ if $y$}", False)
    ' x \\text{ if }y'
    >>> prepared(r"\begin{split}a &= b\end{split} \tag{1}", True)
    '\\begin{equation}\\begin{aligned}a &= b\\end{aligned} \\tag{1}\\end{equation}'
    """
    tex = "".join(_commands(_COMMENT.sub(r"\1", tex)))
    return _tagged("".join(_environments(tex)), display)


def labels(formulas: Iterable[str]) -> dict[str, str]:
    r"""Give numbers to the equations of a page that have a label, and no tag of their own.

    Examples
    --------
    >>> labels([r"a \label{x}", r"b \tag{A}\label{y}", r"c \label{z}"])
    {'x': '1', 'y': 'A', 'z': '2'}
    """
    found: dict[str, str] = {}
    number = 0
    for tex in formulas:
        tags: list[str] = []
        _without_tags(tex, tags)
        for label in _LABEL.finditer(tex):
            number += not tags
            tag = tags[0] if tags else str(number)
            found.setdefault(label["name"], tag.removeprefix("(").removesuffix(")"))
    return found


def numbered(tex: str, known: Mapping[str, str]) -> str:
    r"""Write the numbers of labels into a formula.

    Examples
    --------
    >>> numbered(r"a \label{x} by \eqref{y}", {"x": "1", "y": "A"})
    'a \\tag{1} by \\text{(A)}'
    """
    if _LABEL.search(tex) and not _TAG.search(tex):
        tex = _LABEL.sub(lambda found: rf"\tag{{{known.get(found['name'], '?')}}}", tex)

    def reference(found: re.Match[str]) -> str:
        number = known.get(found["name"], "?")
        return rf"\text{{({number})}}" if found["eq"] else rf"\text{{{number}}}"

    return REFERENCE.sub(reference, tex)


def _commands(tex: str) -> Iterator[str]:
    at = 0
    while found := COMMAND.search(tex, at):
        yield tex[at : found.start()].translate(_UNICODE)
        at = found.end()
        name = found["name"] or ""
        if name in _TEXT:
            words, at = group(tex, at)
            yield _text(_TEXT[name], words)
        elif name in _LEFT_OUT:
            pass
        elif name in _LEFT_OUT_WITH:
            at = group(tex, at)[1]
        elif name in _KEPT_LAST:
            if tex[at : at + 1] == "[":
                at = tex.find("]", at) + 1 or len(tex)
            for _ in range(_KEPT_LAST[name]):
                at = group(tex, at)[1]
            inner, at = group(tex, at)
            yield "{" + "".join(_commands(inner)) + "}"
        elif name in _SIGNS:
            yield _SIGNS[name]
        elif name in _MADE_OF and (made := _made(_MADE_OF[name], tex, at)):
            yield made[0]
            at = made[1]
        elif name in ("buildrel", "root"):
            # Plain TeX parts them by a word.
            above, word, _ = tex[at:].partition(r"\over" if name == "buildrel" else r"\of")
            what, at = group(tex, at + len(above) + len(word))
            above, what = ("".join(_commands(part)) for part in (above, what))
            form = r"\overset{{{}}}{{{}}}" if name == "buildrel" else r"\sqrt[{}]{{{}}}"
            yield form.format(above, what)
        elif name == "mathop" and (limits := _LIMITS.match(tex, group(tex, at)[1])):
            inner, _ = group(tex, at)
            written, at = rf"\mathop{{{''.join(_commands(inner))}}}", limits.end()
            while script := re.compile(r"\s*([_^])").match(tex, at):
                inner, at = group(tex, script.end())
                where = "underset" if script[1] == "_" else "overset"
                written = rf"\{where}{{{''.join(_commands(inner))}}}{{{written}}}"
            yield written
        elif name == "verb" and at < len(tex):
            end = tex.find(tex[at], at + 1)
            yield rf"\texttt{{{_plain(tex[at + 1 : end])}}}"
            at = end + 1 or len(tex)
        elif upright := _UPRIGHT.fullmatch(name):
            yield rf"\mathrm{{\{upright[1]}}}"
        elif name in ("color", "textcolor") and _HEXADECIMAL.match(tex, at):
            at = group(tex, at)[1]
        elif name in ("eqref", "ref"):
            label, at = group(tex, at)
            yield rf"\text{{{'(' * (name == 'eqref')}{label}{')' * (name == 'eqref')}}}"
        elif name == "widetilde":
            inner, at = group(tex, at)
            inner = "".join(_commands(inner)).strip()
            mark = r"\tilde" if re.fullmatch(r"\w|\\[A-Za-z]+", inner) else r"\overset{\sim}"
            yield f"{mark}{{{inner}}}"
        elif name in ("substack", "displaylines"):
            inner, at = group(tex, at)
            yield rf"{{\begin{{matrix}}{''.join(_commands(inner))}\end{{matrix}}}}"
        elif name == "unicode":
            number, at = group(tex, at)
            yield _sign(number)
        elif name in ("newcommand", "renewcommand"):
            # MathJax lets it define anew what there is, and what there is not.
            word, at = group(tex, at)
            yield rf"\providecommand{{{word}}}{{}}\renewcommand{{{word}}}"
        elif name == "DeclareMathOperator":
            word, at = group(tex, at)
            says, at = group(tex, at)
            star = "*" if found[0].endswith("*") else ""
            yield rf"\providecommand{{{word}}}{{}}\renewcommand{{{word}}}"
            yield rf"{{\operatorname{star}{{{says}}}}}"
        elif found[0].endswith("*") and name and name not in _STARRED:
            yield rf"\{name} *"
        elif _SIZES.fullmatch(name) and (angle := re.compile(r"\s*([<>])").match(tex, at)):
            yield found[0] + _ANGLES[angle[1]]
            at = angle.end()
        elif found[0] == "\\\n":
            yield r"\ "
        else:
            yield found[0]
    yield tex[at:].translate(_UNICODE)


def _made(form: str, tex: str, at: int) -> tuple[str, int] | None:
    """Fill a form with the groups that stand behind a command; tell where they end."""
    groups = []
    for _ in range(form.count("{0") + form.count("{1") + form.count("{2")):
        if not tex[at:].lstrip().startswith("{"):
            return None
        inner, at = group(tex, at)
        groups.append("".join(_commands(inner)))
    return form.format(*groups), at


def _text(name: str, words: str) -> str:
    """Write words in a formula; formulas and signs in them stand beside them."""
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
                # What is coloured stays words.
                written.append(re.sub(r"\{([^{}]*)\}$", rf"{{\\{name}{{\1}}}} ", f"{piece}"))
            elif piece or number == 0:
                written.append(rf"\{name}{{{_plain(piece)}}}")
    return "".join(written)


def _plain(words: str) -> str:
    plain = re.sub(r"(?<!\\)[_&#]", r"\\\g<0>", words)
    return re.sub(r"(?<!\\)\^", r"\\textasciicircum ", plain)


def _sign(number: str) -> str:
    number = number.strip()
    try:
        return chr(int(f"0{number}" if number.startswith("x") else number, 0))
    except (ValueError, OverflowError):
        return number


def _environments(tex: str) -> Iterator[str]:
    at = 0
    for found in _BEGINS.finditer(tex):
        if found.start() < at:
            continue
        yield tex[at : found.start()]
        at = found.end()
        name, begins = found["name"], found["what"] == "begin"
        if begins and name in ("gather", "gathered"):
            inner, end = _whole(tex, found)
            rows = [_cells(row) for row in _rows(inner)]
            if any(len(row) > 1 for row in rows):
                yield _columns(rows)
                at = end
                continue
        options = name in _WITH_OPTIONS and (found["star"] or name in ("multlined", "empheq"))
        if begins and options and tex[at : at + 1] == "[":
            at = tex.find("]", at) + 1 or len(tex)
        if begins and name == "array" and not (given := group(tex, at))[0].strip():
            at = given[1]
            inner = _whole(tex, found)[0][at - found.end() :]
            columns = max(len(_cells(row)) for row in _rows(inner))
            yield rf"{found[0]}{{{'c' * columns}}}"
        elif name in _ENVIRONMENTS:
            if begins and name == "numcases":
                left, at = group(tex, at)
                yield left
            elif begins and name in _WITH_A_WORD:
                at = group(tex, at)[1]
            yield _ENVIRONMENTS[name][not begins]
        elif name in _WITH_OPTIONS:
            yield rf"\{found['what']}{{{name}}}"
        elif name in ("align", "gather", "multline"):
            # Obsidian numbers nothing by itself.
            yield rf"\{found['what']}{{{name}*}}"
        else:
            yield found[0]
    yield tex[at:]


def _whole(tex: str, begins: re.Match[str]) -> tuple[str, int]:
    """Read an environment up to its end; tell where that is."""
    depth = 0
    for found in _BEGINS.finditer(tex, begins.start()):
        depth += 1 if found["what"] == "begin" else -1
        if depth == 0:
            return tex[begins.end() : found.start()], found.end()
    return tex[begins.end() :], len(tex)


def _columns(rows: list[list[str]]) -> str:
    """Write rows of centred formulas with several columns: MathJax's `gather` may have them."""
    cells = r"\\".join(
        "&".join(rf"\displaystyle {''.join(_environments(cell))}" for cell in row) for row in rows
    )
    return rf"\begin{{array}}{{{'c' * max(map(len, rows))}}}{cells}\end{{array}}"


def _tagged(tex: str, display: bool) -> str:
    """Put tags where the converter takes them: at the ends of rows that are numbered."""
    if r"\tag" not in tex:
        return tex
    tags: list[str] = []
    if not display:
        return _without_tags(tex, tags) + "".join(rf"\quad\text{{{tag}}}" for tag in tags)
    whole = re.fullmatch(r"\s*\\begin\{(\w+)\*?\}(.*)\\end\{\1\*?\}\s*", tex, re.DOTALL)
    rows = _rows(whole[2]) if whole and whole[1] in _ROWS else []
    if whole and rows and r"\begin{" + whole[1] not in whole[2]:
        name = _ROWS[whole[1]]
        numbered = [row if _TAG.search(row) else rf"{row}\notag " for row in rows]
        return rf"\begin{{{name}}}" + r"\\".join(numbered) + rf"\end{{{name}}}"
    rest = _without_tags(tex, tags)
    tag = ", ".join(tag.removeprefix("(").removesuffix(")") for tag in tags)
    return rf"\begin{{equation}}{rest}\tag{{{tag}}}\end{{equation}}"


def _without_tags(tex: str, tags: list[str]) -> str:
    while found := _TAG.search(tex):
        words, end = group(tex, found.end())
        words = words.replace("$", "")
        tags.append(words if found["star"] else f"({words})")
        tex = tex[: found.start()] + tex[end:]
    return tex


def _rows(tex: str) -> list[str]:
    """Part an environment into its rows."""
    return _parted(tex, r"\\")


def _cells(row: str) -> list[str]:
    """Part a row into its cells."""
    return _parted(row, "&")


def _parted(tex: str, mark: str) -> list[str]:
    parts, depth, begun = [], 0, 0
    for sign in re.finditer(r"\\begin\b|\\end\b|\\\\|\\.|[{}&]", tex, re.DOTALL):
        if sign[0] == mark and depth == 0:
            parts.append(tex[begun : sign.start()])
            begun = sign.end()
        depth += sign[0] in ("{", r"\begin")
        depth -= sign[0] in ("}", r"\end")
    return [*parts, tex[begun:]]
