"""Finds formulas whose letters are free: *solve $2x + 6y = 6$*, *suppose $n = 10$*, exercises.

Such a formula may use a letter of the code for something else, so it is not a statement about the
variable of that name.
"""

from __future__ import annotations

import re

from vaultkit.read.note import Formula, Note
from vaultkit.read.prose import FORMULA
from vaultkit.read.sentences import clause_span

#: Words directly before a formula that is supposed, or asked for.
_SUPPOSED = re.compile(
    r"\b(?:if|when|whenever|suppos(?:e|ing)|imagine|unless|whether"
    r"|solv(?:e|es|ing)|solutions?\s(?:of|to)|equations?|lines?|curves?|parabolas?|circles?|planes?"
    r"|constraints?|subject\sto|satisf(?:y|ies|ying)|inequality|inequalities|(?:roots?|zeros?)\sof"
    r"|polynomials?|systems?|find)\s(?:that\s|the\s|for\s|when\s|we\shave\s)?$"
    r"|\bfor\s(?:any|all|every|each|some)\s$",
    re.IGNORECASE,
)
#: Words before the value of a letter, which may be another one than that of the page.
_AT = re.compile(r"\b(?:at|for|from|until|near|towards?|around)\s$", re.IGNORECASE)
_VALUE = re.compile(r"\s*(?P<letter>[A-Za-z]|\\[a-z]+)\s*=\s*-?[\d.]+\s*")
#: The definition of a function, whose argument may be any number.
_OF_ANY = re.compile(r"\s*[A-Za-z]\s*\(\s*(?P<letter>[a-z]|\\[a-z]+)\s*\)\s*=")
_EXERCISE = re.compile(
    r"\b(?:exercises?|problems?|tasks?|homework|your\sturn|practice|quiz)\b", re.IGNORECASE
)


def free_formulas(note: Note) -> dict[tuple[int, int], str]:
    r"""Return why formulas are not about the variables of a note, by their line and column.

    Examples
    --------
    >>> from vaultkit.read.markdown import parse
    >>> free_formulas(parse("Suppose $n = 10$. Then $m = 9$."))
    {(1, 9): 'the sentence supposes it'}
    """
    formulas = {(formula.line, formula.column): formula for formula in note.formulas}
    found: dict[tuple[int, int], str] = {}
    for piece in note.prose:
        places = [at for at, sign in enumerate(piece.text) if sign == FORMULA]
        own = [(at, formulas.get(piece.place_of(at))) for at in places]
        free = {m["letter"] for _, f in own if f and (m := _OF_ANY.match(f.tex))}
        for at, formula in own:
            if formula is None:
                continue
            begins, _ = clause_span(piece.text, at, at)
            before = piece.text[begins:at].replace(FORMULA, " ")
            value = _VALUE.fullmatch(formula.tex)
            where = formula.line, formula.column
            if _SUPPOSED.search(before) or (value and _AT.search(before)):
                found[where] = "the sentence supposes it"
            elif value and value["letter"] in free:
                found[where] = f"{value['letter']} is the argument of a function"
            elif _is_exercise(note, formula):
                found[where] = "it belongs to an exercise"
    return found


def _is_exercise(note: Note, formula: Formula) -> bool:
    """Return whether the heading above a formula names an exercise."""
    above = [heading for heading in note.headings if heading.line < formula.line]
    return bool(above and above[-1].level > 1 and _EXERCISE.search(above[-1].text))
