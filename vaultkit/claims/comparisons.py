"""What words of comparison state (*larger*, *never*, *most*), compared with a condition.

Both are described by operators: *larger* agrees with ``>`` and ``>=``, *not larger* with ``<=``.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from vaultkit.claims.clauses import clause_end
from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.relations import MIRRORED, Relation, relation

#: The operators that agree with a direction, and with its negation.
_AGREE = {
    "more": {">", ">="}, "less": {"<", "<="}, "at_least": {">=", ">"}, "at_most": {"<=", "<"},
    "same": {"=="}, "different": {"!=", "<", ">"}, "rises": {">", ">="}, "falls": {"<", "<="},
    "largest": {">", ">="}, "smallest": {"<", "<="}, "near": {"<", "<=", "=="},
}  # fmt: skip
_DENIED = {
    "more": {"<=", "<", "=="}, "less": {">=", ">", "=="}, "at_least": {"<"}, "at_most": {">"},
    "same": {"!=", "<", ">"}, "different": {"=="}, "rises": {"<=", "<", "=="},
    "falls": {">=", ">", "=="}, "largest": {"<", "<=", "!="}, "smallest": {">", ">=", "!="},
    "near": {">", ">=", "!="},
}  # fmt: skip
_SUPERLATIVES = ("largest", "smallest")
_BEST = ("best", "worst", "fastest", "slowest", "quickest")
_CHANGES = ("rises", "falls")
#: How many words before a comparison its negation may stand.
_NEAR = 4
#: The last words before a comment, among which a direction in one short word counts.
_LATE = 4


def contrary_extreme(text: str, behind: str, tree: ast.expr, words: Lexicon) -> str:
    """Return the superlative about a value if its expression selects the other extreme.

    The superlative is the last one of the clause before the value, else the first one of the clause
    behind it, else the last one of the text before.

    Parameters
    ----------
    text, behind
        The sentence before and behind the value.
    tree
        The expression.
    words
        The words of the language.

    Examples
    --------
    >>> from vaultkit.claims.lexicon import lexicon
    >>> low, words = ast.parse("min(x)", mode="eval").body, lexicon()
    >>> contrary_extreme("The largest is", "", low, words)
    'largest'
    >>> contrary_extreme("Ann is the largest and Ben", "the smallest", low, words)
    ''
    """
    found = relation(tree)
    if len(found.extremes) != 1:
        return ""
    end = clause_end(words, "joining", "contrasting", marks=",;:")
    begins = max((stop.end() for stop in end.finditer(text)), default=0)
    stop = end.search(behind)
    near = _superlatives(text[begins:], words)[-1:]
    near = near or _superlatives(behind[: stop.start()] if stop else behind, words)[:1]
    spoken = near or _superlatives(text, words)[-1:]
    if not spoken or spoken[0].denied:
        return ""
    last = spoken[0]
    what = last.meaning
    if last.table == "sides":
        what = _direction_of_quality(what, found, words, text + behind)
    extreme = {"largest": "max", "more": "max", "smallest": "min", "less": "min"}.get(what)
    return last.word if extreme and found.extremes != {extreme} else ""


def _superlatives(text: str, words: Lexicon) -> list[ComparisonWord]:
    return [
        one for one in comparisons(text, words, late=False)
        if one.meaning in _SUPERLATIVES or one.word in _BEST
    ]  # fmt: skip


@dataclass(frozen=True)
class ComparisonWord:
    """A word of comparison: its table and list in the lexicon, and whether it is denied."""

    word: str
    meaning: str
    table: str = "directions"
    denied: bool = False
    start: int = 0
    end: int = 0

    @property
    def phrase(self) -> str:
        """The word, and whether it is denied."""
        return f"not {self.word}" if self.denied else self.word


def comparisons(text: str, words: Lexicon, *, late: bool = True) -> list[ComparisonWord]:
    """Return the words of comparison in a text, in order.

    Words that may mean something else count only at its end, unless ``late`` is false.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [(s.word, s.meaning, s.denied) for s in comparisons("It is not larger", lexicon())]
    [('larger', 'more', True)]
    """
    plain = re.sub(
        rf"(?<![\w-]){words.pattern('negations', 'void')}(?![\w-])",
        lambda own: "\ufffc" * len(own[0]), text, flags=re.IGNORECASE,
    )  # fmt: skip
    plain = re.sub(
        rf"(?<![\w-]){words.pattern('negations', 'phrases')}(?![\w-])",
        lambda own: "not".ljust(len(own[0]), "\ufffc"), plain, flags=re.IGNORECASE,
    )  # fmt: skip
    like = re.compile(rf"\b{words.pattern('grammar', 'like')}\s+$", re.IGNORECASE)
    # *No item*, *in no year*.
    denial = words.pattern("grammar", "denying")
    denying = re.compile(rf"\W*(?:\w+\s+)?{denial}\b", re.IGNORECASE)
    least = len(plain) - len(" ".join(plain.split()[-_LATE:])) if late else 0
    found = []
    for table in ("directions", "weak", "order", "sides", "quantifiers"):
        for own, name in words.find(table, plain):
            if name in _NAMES:
                continue
            if table == "weak" and (own.start() < least or like.search(plain, 0, own.start())):
                continue
            if table == "order" and late and plain[own.end() :].strip():
                continue
            if table == "weak" and late and ", " in plain[own.end() :]:
                continue  # of a clause before
            if name == "same" and _is_multiple(plain[: own.start()], words):
                continue
            start = plain.rfind(",", 0, own.start()) + 1
            clause = plain[start : own.start()]
            before = clause.split()[-_NEAR:]
            denied = table != "quantifiers" and (
                any(_denies(word, words) for word in before) or bool(denying.match(clause))
            )
            found.append(ComparisonWord(own[0].lower(), name, table, denied, *own.span()))
    found.sort(key=lambda one: (one.start, -one.end))
    # *More accurate* is one word of comparison.
    return [
        spoken for spoken in found
        if not any(o.start <= spoken.start and spoken.end < o.end for o in found)
    ]  # fmt: skip


#: The lists of the lexicon with parts of names.
_NAMES = ("speeds", "times", "goods", "bads")


def _is_multiple(before: str, words: Lexicon) -> bool:
    """Return whether *as large as* follows *twice*, *half* or *three times*."""
    multiple = (words.pattern(table) for table in ("multiples", "parts"))
    either = "|".join((*multiple, words.pattern("grammar", "times")))
    return bool(re.search(rf"(?:{either})\s+$", before, re.IGNORECASE))


def _denies(word: str, words: Lexicon) -> bool:
    pattern = words.pattern("negations", "words")
    return bool(re.fullmatch(pattern, word.strip("()“”\"'*`\ufffc"), re.IGNORECASE))


def contradiction(text: str, found: Relation, words: Lexicon, behind: str = "") -> str:
    """Return the word before a condition that it contradicts; empty if they agree.

    Of several words of comparison the last one counts, since it is next to the condition. *Before*
    and *after* count only if something follows: *as before* and *the day after* compare nothing.

    Parameters
    ----------
    text, behind
        The text before the condition, and that behind it.
    found
        What the condition states.
    words
        The words of the language.
    """
    spoken = comparisons(text, words)
    if found.together:
        return _contradicting_growth(spoken, found)
    is_like = re.search(rf"\b{words.pattern('grammar', 'than')}\s+\w+\W*$", text, re.IGNORECASE)
    if is_like or not re.match(r"\s+[^\W\d_]", behind) or not found.operators & MIRRORED.keys():
        spoken = [one for one in spoken if one.table != "order"]
    strong = [one for one in spoken if one.table in ("directions", "order", "sides")]
    directions = strong or [one for one in spoken if one.table == "weak"]
    quantifiers = [one for one in spoken if one.table == "quantifiers"]
    partly = bool(quantifiers) and quantifiers[-1].meaning == "not_all"
    counts = (
        bool(quantifiers) and quantifiers[-1].meaning in _SHARES and found.quantifier in _SHARES
    )
    # *Most are larger than 3*: the quantifier says how many, and *larger* what holds of them.
    own = replace(found, operators=found.inner) if counts and found.inner else found
    if directions and not partly and not _agrees(directions[-1], own, words, text):
        return directions[-1].phrase
    if quantifiers and not _quantifier_agrees(quantifiers[-1], found, bool(directions)):
        return quantifiers[-1].word
    if not directions and not quantifiers:
        return _contradicting_negation(text, found, words)
    return ""


#: Which way a word of a list says that something goes.
_WAYS = {"more": 1, "rises": 1, "less": -1, "falls": -1}


def _contradicting_growth(spoken: list[ComparisonWord], found: Relation) -> str:
    """Return the last word of *the larger, the longer* if two things do not grow together so.

    One word alone says how something changes with another thing that grows: *it falls with age*.
    """
    ways = [(one, _WAYS[one.meaning]) for one in spoken if one.meaning in _WAYS]
    if not ways or any(one.denied for one, _ in ways):
        return ""
    product = ways[0][1] * (ways[-1][1] if len(ways) > 1 else 1)
    return "" if product == found.together else ways[-1][0].phrase


def _contradicting_negation(text: str, found: Relation, words: Lexicon) -> str:
    """Return the negation in *it is not symmetric* if the condition states that it is.

    If the condition denies what the words state without a negation, return the last word.
    """
    last = text.rpartition(",")[2].split()[-3:]
    denials = [word for word in last if _denies(word, words)]
    # Whether a name of the condition is said: *symmetric* for ``is_symmetric(A)``.
    is_named = any(
        word.strip("`*.()") in name for name in found.names for word in last if len(word) >= _NEAR
    )
    if denials and found.quantifier != "none":
        if found.operators in ({"=="}, {"in"}) or (found.operators == {"true"} and is_named):
            return denials[0]
    elif found.operators == {"false"} and is_named and not denials:
        return last[-1]
    return ""


def _agrees(spoken: ComparisonWord, found: Relation, words: Lexicon, text: str) -> bool:
    """Return whether a direction agrees with a condition, in a text with its numbers."""
    what = spoken.meaning
    if spoken.table == "sides":
        what = _direction_of_quality(what, found, words, text)
        if not what:
            return True
    orders = found.operators & MIRRORED.keys()
    extreme = {"largest": "max", "smallest": "min", "more": "max", "less": "min"}.get(what)
    if extreme and len(found.extremes) == 1 and (what in _SUPERLATIVES or not orders):
        return (found.extremes == {extreme}) != spoken.denied
    if what in _SUPERLATIVES and len(found.extremes) > 1:
        return True
    operators = found.operators - {"true", "false", "in", "not in"}
    if not operators:
        return True
    if found.many and what not in _CHANGES:
        return True
    if found.chain and what in _CHANGES:
        operators = frozenset(MIRRORED.get(operator, operator) for operator in operators)
    return bool(operators & (_DENIED if spoken.denied else _AGREE)[what])


#: The units of time and of speed behind a number, by their names in the lexicon.
_TIMES = ("s", "min", "h", "d")
_SPEED = re.compile(r"\d\s?(?:k?m/(?:h|s)|mph|\w+s?\s(?:a|per)\s(?:second|minute|hour))\b")


def _direction_of_quality(name: str, found: Relation, words: Lexicon, text: str) -> str:
    """Return ``more`` or ``less`` for *faster*, *better* and the like; empty if it is not clear.

    The names in the condition decide: *faster* is more of a speed, and less of a time; *better* is
    more of a gain, and less of a loss. If they name neither, or both, the direction is not clear,
    except for *faster* and *slower* in a text with numbers of seconds, or of kilometres per hour.
    """
    sides = words.words["sides"]

    def holds(*lists: str) -> bool:
        parts = {part for name in found.names for part in (name, *name.split("_"))}
        stems = {part.removesuffix("s") for part in parts} | parts
        return any(word in stems for one in lists for word in sides[one])

    forward = holds("goods") if name in ("better", "worse") else holds("speeds")
    backward = holds("bads") if name in ("better", "worse") else holds("times")
    if forward == backward and name in ("more", "less"):
        units = words.pattern("measures", *_TIMES)
        forward = bool(_SPEED.search(text))
        backward = bool(re.search(rf"\d\s?{units}(?![\w/])", text))
    if forward == backward:
        return ""
    rises = (name in ("better", "more")) == forward
    return "more" if rises else "less"


#: The operators between a share and a half of *most* and *few*.
_SHARES = {"most": {">", ">="}, "few": {"<", "<="}}


def _quantifier_agrees(spoken: ComparisonWord, found: Relation, directed: bool) -> bool:
    """Return whether a word for a share of things, such as *most*, agrees with a condition.

    ``directed``: whether a word of the same sentence says a direction, such as *larger*.
    """
    wrong = {
        "all": ("any", "none", "few"), "none": ("any", "all", "most"), "some": ("none",),
        "most": ("none", "few"), "few": ("all", "most"), "not_all": ("all",),
    }[spoken.meaning]  # fmt: skip
    if spoken.meaning in ("all", "none") and found.half and found.quantifier in _SHARES:
        return False
    if spoken.meaning == "none" and directed:
        return True  # *none is larger* is a direction that is denied
    if spoken.meaning == "none" and not found.quantifier:
        return found.denies or "false" in found.operators
    if spoken.meaning in _SHARES and not found.quantifier and not directed:
        orders = found.operators & MIRRORED.keys()
        return not orders or bool(orders & _SHARES[spoken.meaning])
    return found.quantifier not in wrong
