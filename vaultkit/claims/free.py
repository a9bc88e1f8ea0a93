"""Finds formulas whose letters are free: *solve $2x + 6y = 6$*, *suppose $n = 10$*, exercises.

Such a formula may use a letter of the code for something else, so it is not a statement about the
variable of that name.
"""

from __future__ import annotations

import re

from vaultkit.read.note import Formula, Note
from vaultkit.read.prose import FORMULA
from vaultkit.read.sentences import clause_span

#: Words directly before a formula that is supposed, or asked for: *Suppose that $n = 10$*.
_SUPPOSED = re.compile(
    r"\b(?:if|when|whenever|suppos(?:e|ing)|imagine|unless|whether"
    r"|solv(?:e|es|ing)|solutions?\s(?:of|to)|equations?|lines?|curves?|parabolas?|circles?|planes?"
    r"|constraints?|subject\sto|satisf(?:y|ies|ying)|inequality|inequalities|(?:roots?|zeros?)\sof"
    r"|polynomials?|systems?|find)\s(?:that\s|the\s|for\s|when\s|we\shave\s)?$"
    r"|\bfor\s(?:any|all|every|each|some)\s$",
    re.IGNORECASE,
)
#: Words before the value of a letter, which may be another one than that of the page: *at $x = 2$*.
_AT = re.compile(r"\b(?:at|for|from|until|near|towards?|around)\s$", re.IGNORECASE)
#: What is between two formulas that are supposed together: *Suppose $k = 8$, $n = 10$ and $m = 9$*.
_AND = re.compile(
    rf",?\s(?:and|or)\s(?:that\s)?(?={FORMULA})"
    rf"|,\s(?=(?:{FORMULA},\s)*{FORMULA},?\s(?:and|or)\s(?:that\s)?{FORMULA})",
    re.IGNORECASE,
)
#: The value of a letter: ``x = 2``, ``\alpha = -0.5``.
_VALUE = re.compile(r"\s*(?P<letter>[A-Za-z]|\\[a-z]+)\s*=\s*-?[\d.]+\s*")
#: The beginning of the definition of a function, whose argument may be any number: ``f(x) =``.
_FUNCTION = re.compile(r"\s*[A-Za-z]\s*\(\s*(?P<letter>[a-z]|\\[a-z]+)\s*\)\s*=")
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
    >>> len(free_formulas(parse("Suppose $k = 8$, $n = 10$ and $m = 9$. If $k = 8$, $n = 9$.")))
    4
    """
    by_place = {(formula.line, formula.column): formula for formula in note.formulas}
    reasons: dict[tuple[int, int], str] = {}
    for piece in note.prose:
        marks = [at for at, sign in enumerate(piece.text) if sign == FORMULA]
        places = [(at, piece.place_of(at)) for at in marks]
        formulas = [(at, by_place[place]) for at, place in places if place in by_place]
        functions = (_FUNCTION.match(formula.tex) for _, formula in formulas)
        arguments = {function["letter"] for function in functions if function}
        behind_supposed = 0  # where the last supposed formula ends
        for at, formula in formulas:
            begins, _ = clause_span(piece.text, at, at)
            before = piece.text[begins:at]
            value = _VALUE.fullmatch(formula.tex)
            place = formula.line, formula.column
            joint = _AND.match(piece.text, behind_supposed) if behind_supposed else None
            is_joined = joint is not None and joint.end() == at
            if is_joined or _SUPPOSED.search(before) or (value and _AT.search(before)):
                reasons[place] = "the sentence supposes it"
                behind_supposed = at + 1
            elif value and value["letter"] in arguments:
                reasons[place] = f"{value['letter']} is the argument of a function"
            elif _is_exercise(note, formula):
                reasons[place] = "it belongs to an exercise"
    return reasons


def _is_exercise(note: Note, formula: Formula) -> bool:
    """Return whether the heading above a formula, other than the title, names an exercise."""
    above = [heading for heading in note.headings if heading.line < formula.line]
    return bool(above and above[-1].level > 1 and _EXERCISE.search(above[-1].text))
