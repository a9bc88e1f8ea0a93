"""Formulas as a page shows them, in a line."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, fromstring

from vaultkit.render.latex import FormulaError
from vaultkit.render.mathematics import formula_to_text, to_mathml


def typeset(tex: str) -> list[str]:
    """Return a formula as it is shown and as it is spoken; or mark the place of an error."""
    try:
        shown = read(tex)
    except FormulaError as error:
        place = "" if error.position is None else f"{' ' * error.position}^ "
        return [f"{place}{error.reason}"]
    return [shown, f"in words: {formula_to_text(tex)}"]


def read(tex: str) -> str:
    """Return a formula in a line, with ^ before superscripts and _ before subscripts."""
    text = _line(fromstring(to_mathml(tex, True)))
    return re.sub("[\u2061-\u2064\\s]", "", text)


def _line(element: Element) -> str:
    parts = [_line(child) for child in element]
    match element.tag.rpartition("}")[2], parts:
        case "msup", [base, above]:
            return f"{base}^{above}"
        case "msub", [base, below]:
            return f"{base}_{below}"
        case "msubsup", [base, below, above]:
            return f"{base}_{below}^{above}"
        case "mmultiscripts", [base, _, after, _, below, above]:
            return f"^{above}_{below}{base}^{after}"
        case "mmultiscripts", [base, _, below, above]:
            return f"^{above}_{below}{base}"
        case "msqrt", _:
            return f"√({''.join(parts)})"
        case "mroot", [base, index]:
            return f"√[{index}]({base})"
        case "mfrac", [above, below]:
            return f"{above}/{below}"
        case "mover" | "munder", [base, ""]:
            return base
        case "mover", [base, above]:
            return f"{base}[{above}]"
        case "munder", [base, below]:
            return f"{base}[][{below}]"
        case "munderover", [base, below, above]:
            return f"{base}[{above}][{below}]"
    return (element.text or "") + "".join(parts)
