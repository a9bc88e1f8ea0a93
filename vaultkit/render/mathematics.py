"""Typesets formulas as MathML while the site is built, so that no page needs a script.

`inline` and `blocks` write the TeX of formulas into the page; `math_core` typesets it. A formula
that does not compile is shown as TeX, marked, with the error as its tooltip.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element, SubElement, fromstring

from math_core import LatexError, LatexToMathML

from vaultkit.read.macros import COMMAND
from vaultkit.render.coloured import mark_formula
from vaultkit.render.equation_numbers import REFERENCE, insert_numbers, number_labels
from vaultkit.render.latex import FormulaError, prepare_formula

#: A formula within a line, as `inline` writes it: ``\(x\)``.
_INLINE_TEX = re.compile(r"\\\((?P<tex>.+?)\\\)", re.DOTALL)
_TAG = re.compile(r"<(?P<closes>/?)[^<>]*?(?P<empty>/?)>")
# XML has five named entities; math-core also writes HTML's, such as `&ApplyFunction;`.
_HTML_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]+;")

_converter = LatexToMathML(fancy_error=False)

#: A table whose last row is only a line, which is drawn as the border of an empty cell.
_LAST_LINE = re.compile(
    r'<mtable(?: style="(?P<style>[^"]*)")?(?P<rows>(?:(?!<mtable|</mtable>).)*?</mtr>)'
    r'<mtr><mtd style="border-top: (?P<line>[^;"]*);[^"]*"></mtd></mtr></mtable>',
    re.DOTALL,
)
#: The number of symbols that fit a line on a phone.
_LONGEST_ON_PHONE = 30
#: The converter is recursive, and a stack overflow would end pytest, the build or the server. Each
#: level needs at least one of these characters; some three thousand levels were safe.
_OPENING = re.compile(r"[\\{(\[]")
_BRACE = re.compile("[{}]")
#: Brackets; ``\right.`` closes one, too.
_BRACKET = re.compile(
    r"(?P<opens>[(\[]|\\(?:\{|l(?:brace|brack|angle|floor|ceil)(?![A-Za-z])))"
    r"|[)\]]|\\(?:\}|r(?:brace|brack|angle|floor|ceil)(?![A-Za-z])|right\s*\.)"
)
#: Most unclosed brackets: each doubles the converter's time.
_MOST_UNCLOSED = 12
#: Most opening brackets, braces and commands, and half as many levels of braces.
_MOST_OPENING = 2000
#: Deepest nesting of elements for browsers, and most characters of TeX.
DEEPEST, LONGEST = 100, 20_000


@lru_cache(maxsize=4096)
def to_mathml(tex: str, display: bool, preamble: str = "") -> str:
    """Typeset a formula.

    Parameters
    ----------
    tex
        The formula in LaTeX, without dollars.
    display
        Whether it is displayed.
    preamble
        Definitions of commands; see `vaultkit.read.macros`.

    Returns
    -------
    str
        A ``<math>`` element that is well-formed XML.

    Raises
    ------
    FormulaError
        If the formula does not compile.
    """
    if len(tex) > LONGEST:
        raise FormulaError(f"longer than {LONGEST:,} characters", tex, LONGEST)
    opening = [sign.start() for sign in _OPENING.finditer(tex)]
    if len(opening) > _MOST_OPENING:
        raise FormulaError("too many brackets and commands", tex, opening[_MOST_OPENING])
    try:
        prepared = prepare_formula(preamble, False) + prepare_formula(tex, display)
    except RecursionError:
        raise FormulaError("nested too deeply", tex, 0) from None
    except FormulaError:
        if preamble:
            # An error in a definition is reported at the definition only.
            return to_mathml(tex, display)
        raise
    if _brace_depth(prepared) > _MOST_OPENING // 2:
        raise FormulaError("nested too deeply", tex, 0)
    if (unclosed := _count_unclosed(prepared)) > _MOST_UNCLOSED:
        raise FormulaError(f"{unclosed} brackets are not closed", tex, 0)
    try:
        mathml = _converter.convert_with_local_state(prepared, displaystyle=display)
    except LatexError as error:
        if preamble:
            return to_mathml(tex, display)
        offset, _, reason = str(error).partition(": ")
        raise _locate_error(reason.rstrip("."), tex, prepared, int(offset)) from error
    mathml = _LAST_LINE.sub(
        _draw_line_below, _HTML_ENTITY.sub(lambda match: html.unescape(match[0]), mathml)
    )
    if _element_depth(mathml) > DEEPEST:
        raise FormulaError("nested too deeply", tex, 0)
    return mathml


def _brace_depth(tex: str) -> int:
    """Return how deeply the braces of a formula are nested: 2 for ``{{a}b}``."""
    deepest = depth = 0
    for brace in _BRACE.finditer(tex):
        depth += 1 if brace[0] == "{" else -1
        deepest = max(deepest, depth)
    return deepest


def _count_unclosed(tex: str) -> int:
    r"""Return the number of unclosed brackets; any kind closes any other, as in ``[0, 1)``.

    >>> _count_unclosed(r"[0, 1) \cup (2, 3] \lfloor ("), _count_unclosed("]0, 1[")
    (2, 1)
    """
    depth = 0
    for bracket in _BRACKET.finditer(tex):
        depth = depth + 1 if bracket["opens"] else max(0, depth - 1)
    return depth


def _draw_line_below(match: re.Match[str]) -> str:
    """Return a table with its last line as a CSS border, in place of a row with an empty cell."""
    line = f"border-bottom: {match['line']};"
    return f'<mtable style="{line}{match["style"] or ""}"{match["rows"]}</mtable>'


def _locate_error(reason: str, tex: str, prepared: str, offset: int) -> FormulaError:
    """Return the error with its position in the original ``tex``.

    ``offset`` is the position in the prepared formula. If that differs from the original, the first
    equal command or character there is taken for the wrong one.
    """
    match = COMMAND.match(prepared, offset) or re.compile(r"[^\s\\]").match(prepared, offset)
    wrong = match[0] if match else ""
    position = offset if prepared == tex else max(0, tex.find(wrong))
    if wrong.startswith("\\") and wrong not in reason:
        reason = f"{wrong}: {reason}"
    return FormulaError(reason, tex, min(position, len(tex)))


def _element_depth(xml: str) -> int:
    """Return how deeply the elements of XML are nested."""
    deepest = depth = 0
    for tag in _TAG.finditer(xml):
        if not tag["empty"]:
            depth += -1 if tag["closes"] else 1
            deepest = max(deepest, depth)
    return deepest


def formula_to_text(tex: str) -> str:
    r"""Return a formula as one line of plain text, for search, headings and tooltips.

    A formula that does not compile is returned as it is.

    Examples
    --------
    >>> formula_to_text(r"\alpha = \operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)")
    'α = softmax(QKᵀ/√d_k)'
    >>> formula_to_text(r"\sum_{j=1}^{n} \alpha_{ij} = \frac{1}{a + b}, W \in \mathbb{R}^d")
    'Σ_(j=1)ⁿ αᵢⱼ = 1/(a + b), W ∈ ℝ^d'
    """
    try:
        words = " ".join(_mathml_to_text(fromstring(to_mathml(tex, False))).split())
        return _NEGATIVE.sub("−", words).replace(" ,", ",")
    except FormulaError:
        return tex


# Characters with a superscript and subscript in Unicode; of the letters only the usual indices, so
# that d_k stays.
_SUPERSCRIPTS = str.maketrans("0123456789+-−=()nijT⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱʲᵀᵀ")
_SUBSCRIPTS = str.maketrans("0123456789ij", "₀₁₂₃₄₅₆₇₈₉ᵢⱼ")
_SPACED = frozenset("=≈≠<>≤≥∈∉+−×⋅⊙→↦∼∝≪≫⟹⇒⟶⟵⟷⇌⇄")
#: A plus or minus between terms. (`-` is typeset as U+2212, the minus sign.)
_SUM = re.compile(r"(?<=\S)\s*[+−]")
#: A minus that begins a term, so that no blanks belong around it: ``= − 2``, ``(− 2``.
_NEGATIVE = re.compile(r"(?:(?<=^)|(?<=[(\[,/^])|(?<=[=≈≠<>≤≥] ))\s?− ")
#: Operators that are not shown, such as that between a function and its argument.
_INVISIBLE = re.compile("[\u2061-\u2064]")
#: Accents above a letter, and the combining characters for text.
_ACCENTS = {"^": "\u0302", "ˆ": "\u0302", "¯": "\u0304", "~": "\u0303", "˜": "\u0303"}


def _mathml_to_text(element: Element) -> str:
    """Return MathML as one line of text, for labels and for search: ``√(a/b)``, ``x²``.

    Operators have blanks around them, which `formula_to_text` reduces.
    """
    parts = [_mathml_to_text(child) for child in element]
    match element.tag, parts:
        case "mfrac", [above, below]:
            is_compound = re.search(r"[\s/]", below) is not None
            return f"{_bracket_sum(above)}/{f'({below})' if is_compound else below}"
        case "msqrt", _:
            return "√" + _bracket_sum("".join(parts))
        case "msub" | "munder", [base, index]:
            # A term follows the limits of a sum: Σᵢ a.
            return base + _script_to_text("_", _SUBSCRIPTS, index) + " " * (base in ("Σ", "Π"))
        case "mover", [base, accent] if accent.strip() in _ACCENTS:
            return base + _ACCENTS[accent.strip()]
        case "msup" | "mover", [base, index]:
            return base + _script_to_text("^", _SUPERSCRIPTS, index)
        case "msubsup" | "munderover", [base, below, above]:
            limits = _script_to_text("_", _SUBSCRIPTS, below) + _script_to_text(
                "^", _SUPERSCRIPTS, above
            )
            return base + limits + " " * (base in ("Σ", "Π"))
        case "mtable", _:
            return "; ".join(parts)
        case "mtr", _:
            return " ".join(parts)
        case "mtd", _:
            return _NEGATIVE.sub("−", "".join(parts).strip())
        case "mspace", _:
            return " " * ("width" in element.attrib)
        case "mo", []:
            sign = _INVISIBLE.sub("", element.text or "")
            sign = {"∑": "Σ", "∏": "Π"}.get(sign, sign)
            return f" {sign} " if sign in _SPACED else sign + " " * (sign == ",")
        case _:
            return _INVISIBLE.sub("", element.text or "") + "".join(parts)


def _bracket_sum(part: str) -> str:
    """Return a term in brackets if it is a sum, so that it can be part of a fraction or root.

    Examples
    --------
    >>> _bracket_sum("a + b"), _bracket_sum("−ab")
    ('(a + b)', '−ab')
    """
    return f"({part})" if _SUM.search(part.strip()) else part


def _script_to_text(mark: str, table: dict[int, int], index: str) -> str:
    """Return an index or exponent in characters of a table, or else behind its ``mark``, ^ or _.

    Examples
    --------
    >>> _script_to_text("_", _SUBSCRIPTS, "ij"), _script_to_text("^", _SUPERSCRIPTS, "a + b")
    ('ᵢⱼ', '^(a+b)')
    """
    index = index.replace(" ", "")
    if index and all(ord(sign) in table for sign in index):
        return index.translate(table)
    # An index that is a name or number stays as in code: d_model, W_Q.
    return mark + (index if re.fullmatch(r"\w+|.", index) else f"({index})")


def typeset(
    root: Element,
    toc: list[dict[str, Any]],
    preamble: str = "",
    coloured: Collection[str] = (),
) -> None:
    """Replace TeX by typeset formulas, on a page and in its table of contents.

    It runs after the ids of headings were derived from the TeX.

    Parameters
    ----------
    root, toc
        The page, and its table of contents as Python-Markdown stores it.
    preamble
        Definitions of commands, for all formulas.
    coloured
        The names of the arrays that are marked.
    """
    formulas = [(element, *parsed) for element in root.iter() if (parsed := _tex_of(element))]
    displays = [(element, tex) for element, tex, display in formulas if display]
    numbers = number_labels(tex for _, tex in displays)
    ids = {label: el.get("id", "") for el, tex in displays for label in number_labels([tex])}
    for element, tex, display in formulas:
        reference = REFERENCE.fullmatch(tex)
        if reference and ids.get(reference["name"]):
            # A reference that is the whole formula becomes a link.
            number = numbers[reference["name"]]
            element.tag = "a"
            element.attrib = {"href": f"#{ids[reference['name']]}"}
            element.text = f"({number})" if reference["eq"] else number
        else:
            _typeset_element(element, tex, display, preamble, numbers)
            mark_formula(element, coloured)
    for entry in _all_entries(toc):
        entry["name"] = _INLINE_TEX.sub(_inline_to_text, entry.get("name", ""))
        entry["html"] = _INLINE_TEX.sub(_inline_to_mathml, entry.get("html", ""))


def _tex_of(element: Element) -> tuple[str, bool] | None:
    r"""Return the TeX of an element, and whether it is displayed; None if it is not a formula.

    Examples
    --------
    >>> _tex_of(fromstring(r'<span class="arithmatex">\[ a &lt; b \]</span>'))
    ('a < b', True)
    """
    if "arithmatex" not in element.get("class", "").split():
        return None
    text = (element.text or "").strip()
    if not text.startswith((r"\(", r"\[")):
        return None
    display = text.startswith(r"\[")
    tex = text[len(r"\(") : -len(r"\)")].strip()
    # TeX that looks like an entity was escaped.
    return html.unescape(tex) if "&amp;" in tex else tex, display


def _typeset_element(
    element: Element, tex: str, display: bool, preamble: str, numbers: dict[str, str]
) -> None:
    """Replace the TeX in an element by the typeset formula.

    ``numbers`` are those of the labels on the page.
    """
    element.text = None
    try:
        mathml = fromstring(to_mathml(insert_numbers(tex, numbers), display, preamble))
    except FormulaError as error:
        element.attrib.pop("data-check", None)  # which is the name of a typeset formula
        element.set("class", "math-error")
        element.set("title", str(error))
        element.text = html.escape(tex, quote=False)
        return
    for part in mathml.iter():
        # The host writes what looks like an entity as it is.
        part.text = html.escape(part.text, quote=False) if part.text else None
    # The TeX is an attribute: it can be copied, and search does not find it twice.
    mathml.set("data-tex", tex)
    if name := element.attrib.pop("data-check", ""):
        mathml.set("data-check", name)
    if not display:
        # A formula too long for a phone's line scrolls.
        signs = sum(len(part.text or "") for part in mathml.iter())
        element.set("class", "vk-math vk-math--long" if signs > _LONGEST_ON_PHONE else "vk-math")
        element.append(mathml)
        return
    element.set("class", "vk-math vk-math--display")
    # A paragraph cannot contain a div.
    box = SubElement(element, element.tag, {"class": "vk-math__box"})
    box.append(mathml)
    # Material's script handles clicks on elements with this attribute.
    label = "Copy this formula as LaTeX"
    attributes = {"class": "vk-math__copy", "type": "button", "title": label, "aria-label": label}
    SubElement(element, "button", {**attributes, "data-clipboard-text": tex})


def _all_entries(toc: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the entries of a table of contents, those below others included."""
    for entry in toc:
        yield entry
        yield from _all_entries(entry.get("children", []))


def _inline_to_text(match: re.Match[str]) -> str:
    """Return a formula in the name of a heading as text, escaped for HTML."""
    return html.escape(formula_to_text(html.unescape(match["tex"])), quote=False)


def _inline_to_mathml(match: re.Match[str]) -> str:
    """Return a formula in the HTML of a heading as MathML; unchanged if it does not compile."""
    try:
        return to_mathml(html.unescape(match["tex"]), display=False)
    except FormulaError:
        return match[0]
