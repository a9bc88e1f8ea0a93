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
from vaultkit.render.equation_numbers import REFERENCE, labels, numbered
from vaultkit.render.latex import FormulaError, prepared

_INLINE = re.compile(r"\\\((.+?)\\\)", re.DOTALL)
_TAG = re.compile(r"<(?P<closes>/?)[^<>]*?(?P<empty>/?)>")
# XML has five named entities; math-core also writes HTML's, such as `&ApplyFunction;`.
_HTML_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]+;")

_converter = LatexToMathML(fancy_error=False)

# The converter is recursive, and a stack overflow would end pytest, the build or the server. Each
# level needs at least one of these characters; some three thousand levels were safe.
_LAST_LINE = re.compile(
    r'<mtable(?: style="(?P<style>[^"]*)")?(?P<rows>(?:(?!<mtable|</mtable>).)*?</mtr>)'
    r'<mtr><mtd style="border-top: (?P<line>[^;"]*);[^"]*"></mtd></mtr></mtable>',
    re.DOTALL,
)
#: The number of symbols that fit a line on a phone.
_LONG = 30
_OPENS = re.compile(r"[\\{(\[]")
_BRACE = re.compile("[{}]")
#: Brackets: each unclosed one doubles the converter's time.
_BRACKET = re.compile(
    r"(?P<opens>[(\[]|\\(?:\{|l(?:brace|brack|angle|floor|ceil)(?![A-Za-z])))"
    r"|[)\]]|\\(?:\}|r(?:brace|brack|angle|floor|ceil)(?![A-Za-z])|right\s*\.)"
)
_MOST_UNCLOSED = 12
_MOST_OPEN = 2000
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
    opens = [found.start() for found in _OPENS.finditer(tex)]
    if len(opens) > _MOST_OPEN:
        raise FormulaError("too many brackets and commands", tex, opens[_MOST_OPEN])
    try:
        written = prepared(preamble, False) + prepared(tex, display)
    except RecursionError:
        raise FormulaError("nested too deeply", tex, 0) from None
    except FormulaError:
        if preamble:
            return to_mathml(tex, display)  # the error may be in a definition; see below
        raise
    if _deepest(written) > _MOST_OPEN // 2:
        raise FormulaError("nested too deeply", tex, 0)
    if (unclosed := _unclosed(written)) > _MOST_UNCLOSED:
        raise FormulaError(f"{unclosed} brackets are not closed", tex, 0)
    try:
        mathml = _converter.convert_with_local_state(written, displaystyle=display)
    except LatexError as error:
        if preamble:
            # An error in a definition is reported at the definition only.
            return to_mathml(tex, display)
        offset, _, reason = str(error).partition(": ")
        raise _error(reason.rstrip("."), tex, written, int(offset)) from error
    mathml = _LAST_LINE.sub(_below, _HTML_ENTITY.sub(lambda found: html.unescape(found[0]), mathml))
    if _depth(mathml) > DEEPEST:
        raise FormulaError("nested too deeply", tex, 0)
    return mathml


def _deepest(tex: str) -> int:
    """Return the depth of nested braces."""
    deepest = depth = 0
    for brace in _BRACE.finditer(tex):
        depth += 1 if brace[0] == "{" else -1
        deepest = max(deepest, depth)
    return deepest


def _unclosed(tex: str) -> int:
    r"""Return the number of unclosed brackets; any kind closes any other, as in ``[0, 1)``.

    >>> _unclosed(r"[0, 1) \cup (2, 3] \lfloor ("), _unclosed("]0, 1[")
    (2, 1)
    """
    depth = 0
    for bracket in _BRACKET.finditer(tex):
        depth = depth + 1 if bracket["opens"] else max(0, depth - 1)
    return depth


def _below(found: re.Match[str]) -> str:
    """Draw a line below a table with CSS; the typesetter makes it a row with a single cell."""
    line = f"border-bottom: {found['line']};"
    return f'<mtable style="{line}{found["style"] or ""}"{found["rows"]}</mtable>'


def _error(reason: str, tex: str, written: str, offset: int) -> FormulaError:
    """Return the error with its position in the original ``tex``, not in the rewritten one."""
    found = COMMAND.match(written, offset) or re.compile(r"[^\s\\]").match(written, offset)
    what = found[0] if found else ""
    at = offset if written == tex else max(0, tex.find(what))
    named = not what.startswith("\\") or what in reason
    return FormulaError(reason if named else f"{what}: {reason}", tex, min(at, len(tex)))


def _depth(xml: str) -> int:
    """Return how deeply the elements of XML are nested."""
    deepest = depth = 0
    for tag in _TAG.finditer(xml):
        if not tag["empty"]:
            depth += -1 if tag["closes"] else 1
            deepest = max(deepest, depth)
    return deepest


def spoken(tex: str) -> str:
    r"""Return a formula as one line of plain text, for search, headings and tooltips.

    Examples
    --------
    >>> spoken(r"\alpha = \operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)")
    'α = softmax(QKᵀ/√d_k)'
    >>> spoken(r"\sum_{j=1}^{n} \alpha_{ij} = \frac{1}{a + b}, W_Q \in \mathbb{R}^{d \times d_k}")
    'Σ_(j=1)ⁿ αᵢⱼ = 1/(a + b), W_Q ∈ ℝ^(d×d_k)'
    """
    try:
        words = " ".join(_linear(fromstring(to_mathml(tex, False))).split())
        return _NEGATIVE.sub("−", words).replace(" ,", ",")
    except FormulaError:
        return tex


# Characters with a superscript and subscript in Unicode: only letters of indices, so that d_k
# stays.
_RAISED = str.maketrans("0123456789+-−=()nijT⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱʲᵀᵀ")
_LOWERED = str.maketrans("0123456789ij", "₀₁₂₃₄₅₆₇₈₉ᵢⱼ")
_SPACED = frozenset("=≈≠<>≤≥∈∉+−×⋅⊙→↦∼∝≪≫⟹⇒⟶⟵⟷⇌⇄")
# `-` is typeset as U+2212, the minus sign.
_SUM = re.compile(r"(?<=\S)\s*[+−]")
_NEGATIVE = re.compile(r"(?:(?<=^)|(?<=[(\[,/^])|(?<=[=≈≠<>≤≥] ))\s?− ")
_ACCENTS = {"^": "\u0302", "ˆ": "\u0302", "¯": "\u0304", "~": "\u0303", "˜": "\u0303"}


def _linear(element: Element) -> str:
    """Return MathML as one line of text, for labels and for search: ``√(a/b)``, ``x²``."""
    parts = [_linear(child) for child in element]
    match element.tag, parts:
        case "mfrac", [above, below]:
            below = f"({below})" if re.search(r"[\s/]", below) else below
            return f"{_whole(above)}/{below}"
        case "msqrt", _:
            return "√" + _whole("".join(parts))
        case "msub" | "munder", [base, index]:
            return base + _script("_", _LOWERED, index) + " " * (base in ("Σ", "Π"))
        case "mover", [base, accent] if accent.strip() in _ACCENTS:
            return base + _ACCENTS[accent.strip()]
        case "msup" | "mover", [base, index]:
            return base + _script("^", _RAISED, index)
        case "msubsup" | "munderover", [base, below, above]:
            limits = _script("_", _LOWERED, below) + _script("^", _RAISED, above)
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
            sign = element.text or ""
            sign = {"∑": "Σ", "∏": "Π"}.get(sign, sign)
            # U+2061 to U+2064 are invisible operators.
            sign = re.sub("[\u2061-\u2064]", "", sign)
            return f" {sign} " if sign in _SPACED and sign else sign + " " * (sign == ",")
        case _:
            return re.sub("[\u2061-\u2064]", "", element.text or "") + "".join(parts)


def _whole(part: str) -> str:
    """Put a sum in brackets."""
    return f"({part})" if _SUM.search(part.strip()) else part


def _script(mark: str, table: dict[int, int], index: str) -> str:
    """Return an index or exponent as raised or lowered characters, or behind ``^`` or ``_``."""
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

    The arrays in ``coloured`` are marked. It runs after the ids of headings were
    derived from the TeX.
    """
    formulas = [(el, *found) for el in list(root.iter()) if (found := _formula(el))]
    known = labels(tex for _, tex, display in formulas if display)
    places = {
        label: element.get("id", "")
        for element, tex, display in formulas
        if display
        for label in labels([tex])
    }
    for element, tex, display in formulas:
        alone = REFERENCE.fullmatch(tex)
        if alone and places.get(alone["name"]):
            number = known[alone["name"]]
            element.tag = "a"
            element.attrib = {"href": f"#{places[alone['name']]}"}
            element.text = f"({number})" if alone["eq"] else number
        else:
            _replace(element, tex, display, preamble, known)
            mark_formula(element, coloured)
    for token in _flat(toc):
        for key, write in (("name", _name), ("html", _inner)):
            token[key] = _INLINE.sub(write, token.get(key, ""))


def _formula(element: Element) -> tuple[str, bool] | None:
    """Return the TeX of an element, and whether it is displayed."""
    if "arithmatex" not in element.get("class", "").split():
        return None
    text = (element.text or "").strip()
    display = text.startswith(r"\[")
    if not text.startswith((r"\(", r"\[")):
        return None
    tex = text[2:-2].strip()
    # TeX that looks like an entity was escaped.
    return html.unescape(tex) if "&amp;" in tex else tex, display


def _replace(
    element: Element, tex: str, display: bool, preamble: str, known: dict[str, str]
) -> None:
    """Replace the TeX in an element by the typeset formula."""
    element.text = None
    try:
        mathml = fromstring(to_mathml(numbered(tex, known), display, preamble))
    except FormulaError as error:
        element.attrib.pop("data-check", None)
        element.set("class", "math-error")
        element.set("title", str(error))
        element.text = html.escape(tex, quote=False)
        return
    for part in mathml.iter():
        part.text = html.escape(part.text, quote=False) if part.text else None
    # The TeX is an attribute: it can be copied, and search does not find it twice.
    mathml.set("data-tex", tex)
    if name := element.attrib.pop("data-check", ""):
        mathml.set("data-check", name)
    if not display:
        # A formula too long for a phone's line scrolls.
        signs = sum(len(part.text or "") for part in mathml.iter())
        element.set("class", "vk-math vk-math--long" if signs > _LONG else "vk-math")
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


def _flat(tokens: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for token in tokens:
        yield token
        yield from _flat(token.get("children", []))


def _name(found: re.Match[str]) -> str:
    return html.escape(spoken(html.unescape(found[1])), quote=False)


def _inner(found: re.Match[str]) -> str:
    try:
        return to_mathml(html.unescape(found[1]), False)
    except FormulaError:
        return found[0]
