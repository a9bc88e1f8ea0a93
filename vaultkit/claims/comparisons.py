"""What words of comparison state (*larger*, *never*, *most*), compared with a condition.

Both are described by operators: *larger* agrees with ``>`` and ``>=``, *not larger* with ``<=``.
The words are in tables of the lexicon, each in the list of its meaning: *larger* in the list *more*
of the table *directions*.
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
#: The functions that select what a word says: *the largest* is ``max(…)``.
_EXTREMES = {"largest": "max", "more": "max", "smallest": "min", "less": "min"}
_SUPERLATIVES = ("largest", "smallest")
#: Superlatives whose meaning in the lexicon is *more*, *less*, *better* or *worse*.
_SUPERLATIVES_OF_QUALITY = ("best", "worst", "fastest", "slowest", "quickest")
_CHANGES = ("rises", "falls")
#: How many words before a comparison its negation may be.
_MOST_WORDS_TO_NEGATION = 4
#: How many words before a comment a weak word, such as *high*, may be.
_MOST_WORDS_TO_COMMENT = 4
#: Shortest word of the text that may be part of a name in the condition.
_SHORTEST_PART = 4


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
    selected = relation(tree)
    if len(selected.extremes) != 1:
        return ""
    end = clause_end(words, "joining", "contrasting", marks=",;:")
    begins = max((stop.end() for stop in end.finditer(text)), default=0)
    stop = end.search(behind)
    candidates = (
        _superlatives(text[begins:], words)[-1:]
        or _superlatives(behind[: stop.start()] if stop else behind, words)[:1]
        or _superlatives(text, words)[-1:]
    )
    if not candidates or candidates[0].denied:
        return ""
    superlative = candidates[0]
    meaning = superlative.meaning
    if superlative.table == "sides":
        meaning = _direction_of_quality(meaning, selected, words, text + behind)
    extreme = _EXTREMES.get(meaning)
    return superlative.word if extreme and selected.extremes != {extreme} else ""


def _superlatives(text: str, words: Lexicon) -> list[ComparisonWord]:
    """Return the superlatives of a text, in order."""
    return [
        word for word in comparisons(text, words, before_comment=False)
        if word.meaning in _SUPERLATIVES or word.word in _SUPERLATIVES_OF_QUALITY
    ]  # fmt: skip


@dataclass(frozen=True)
class ComparisonWord:
    """A word or phrase of comparison in a text.

    Attributes
    ----------
    word
        The word itself, in lower case: *larger*.
    meaning, table
        Its list and table in the lexicon: ``more`` of ``directions``.
    denied
        Whether a negation is before it, as in *not larger*.
    start, end
        Its place in the text.
    """

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


def comparisons(text: str, words: Lexicon, *, before_comment: bool = True) -> list[ComparisonWord]:
    """Return the words of comparison in a text, in order.

    Words that may mean something else (*over*, *high*, *after*) count only at the end of the text,
    where a comment binds them; with ``before_comment=False``, anywhere.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [(s.word, s.meaning, s.denied) for s in comparisons("It is not larger", lexicon())]
    [('larger', 'more', True)]
    """
    plain = _without_idioms(text, words)
    compared = []
    for table in ("directions", "weak", "order", "sides", "quantifiers"):
        for match, meaning in words.find(table, plain):
            if meaning in _LISTS_OF_NAMES or _is_ambiguous(match, table, words, before_comment):
                continue
            if meaning == "same" and _is_multiple(plain[: match.start()], words):
                continue
            # *None are larger* has a quantifier, which is a negation itself.
            denied = table != "quantifiers" and _is_denied(plain, match.start(), words)
            compared.append(ComparisonWord(match[0].lower(), meaning, table, denied, *match.span()))
    compared.sort(key=lambda word: (word.start, -word.end))
    # *More accurate* is one word of comparison.
    return [
        word for word in compared
        if not any(other.start <= word.start and word.end < other.end for other in compared)
    ]  # fmt: skip


#: The lists of the table *sides* with parts of names of variables.
_LISTS_OF_NAMES = ("speeds", "times", "goods", "bads")
#: A character in place of one that says nothing.
_BLANK = "\ufffc"


def _without_idioms(text: str, words: Lexicon) -> str:
    """Return a text of the same length without idioms that contain a negation or a comparison.

    *More or less* compares nothing; *no longer* is a mere *not*.
    """
    void, negating = (
        rf"(?<![\w-]){words.pattern('negations', name)}(?![\w-])" for name in ("void", "phrases")
    )
    text = re.sub(void, lambda own: _BLANK * len(own[0]), text, flags=re.IGNORECASE)
    return re.sub(negating, lambda own: "not".ljust(len(own[0]), _BLANK), text, flags=re.IGNORECASE)


def _is_ambiguous(match: re.Match[str], table: str, words: Lexicon, before_comment: bool) -> bool:
    """Return whether a word may mean something else than a comparison at its place.

    A word of order (*after*) compares right before a comment, a weak one (*high*) close before it.
    """
    text, behind = match.string, match.string[match.end() :]
    if table == "order":
        return before_comment and bool(behind.strip())
    if table != "weak":
        return False
    # *As high* compares by *as*.
    if re.search(
        rf"\b{words.pattern('grammar', 'like')}\s+$", text[: match.start()], re.IGNORECASE
    ):
        return True
    last_words = " ".join(text.split()[-_MOST_WORDS_TO_COMMENT:])
    is_far = match.start() < len(text) - len(last_words)
    is_of_other_clause = ", " in behind
    return before_comment and (is_far or is_of_other_clause)


def _is_multiple(before: str, words: Lexicon) -> bool:
    """Return whether *as large as* follows *twice*, *half* or *three times*."""
    multiple = (words.pattern(table) for table in ("multiples", "parts"))
    either = "|".join((*multiple, words.pattern("grammar", "times")))
    return bool(re.search(rf"(?:{either})\s+$", before, re.IGNORECASE))


def _is_denied(text: str, at: int, words: Lexicon) -> bool:
    """Return whether a negation shortly before a place, or at the start of its clause, denies it.

    *It is not larger*, *in no year was the crop larger*.
    """
    clause = text[text.rfind(",", 0, at) + 1 : at]
    if any(_is_negation(word, words) for word in clause.split()[-_MOST_WORDS_TO_NEGATION:]):
        return True
    denying = words.pattern("grammar", "denying")
    return bool(re.match(rf"\W*(?:\w+\s+)?{denying}\b", clause, re.IGNORECASE))


def _is_negation(word: str, words: Lexicon) -> bool:
    pattern = words.pattern("negations", "words")
    return bool(re.fullmatch(pattern, word.strip(f"()“”\"'*`{_BLANK}"), re.IGNORECASE))


def contradiction(text: str, condition: Relation, words: Lexicon, behind: str = "") -> str:
    """Return the word before a condition that contradicts it; empty if they agree.

    Of several words of comparison the last one counts, since it is next to the condition.

    Parameters
    ----------
    text, behind
        The text before the condition, and that behind it.
    condition
        What the condition states.
    words
        The words of the language.
    """
    compared = comparisons(text, words)
    if condition.joint_growth:
        return _contradicting_growth(compared, condition)
    # *As before* and *the day after* compare nothing: something must follow, as in *before noon*.
    is_like = re.search(rf"\b{words.pattern('grammar', 'than')}\s+\w+\W*$", text, re.IGNORECASE)
    is_followed = re.match(r"\s+[^\W\d_]", behind)
    if is_like or not is_followed or not condition.operators & MIRRORED.keys():
        compared = [word for word in compared if word.table != "order"]
    strong = [word for word in compared if word.table in ("directions", "order", "sides")]
    directions = strong or [word for word in compared if word.table == "weak"]
    quantifiers = [word for word in compared if word.table == "quantifiers"]
    quantity = quantifiers[-1].meaning if quantifiers else ""
    # *Most are larger than 3*: the quantifier says how many, and *larger* what holds of them.
    is_share = quantity in _SHARES and condition.quantifier in _SHARES and condition.inner_operators
    directed = replace(condition, operators=condition.inner_operators) if is_share else condition
    # *Not all are larger*: what *larger* says is not stated of any of them.
    is_checked = bool(directions) and quantity != "not_all"
    if is_checked and not _agrees(directions[-1], directed, words, text):
        return directions[-1].phrase
    if quantifiers and not _quantifier_agrees(quantity, condition, bool(directions)):
        return quantifiers[-1].word
    if not directions and not quantifiers:
        return _contradicting_negation(text, condition, words)
    return ""


#: Whether a meaning says that something is or becomes more (1) or less (−1).
_WAYS = {"more": 1, "rises": 1, "less": -1, "falls": -1}


def _contradicting_growth(compared: list[ComparisonWord], condition: Relation) -> str:
    """Return the last word of *the larger, the longer* if two things do not grow together so.

    One word alone says how something changes with another thing that grows: *it falls with age*.
    """
    ways = [(word, _WAYS[word.meaning]) for word in compared if word.meaning in _WAYS]
    if not ways or any(word.denied for word, _ in ways):
        return ""
    (_, first_way), (last_word, last_way) = ways[0], ways[-1]
    stated_growth = first_way * last_way if len(ways) > 1 else first_way
    return "" if stated_growth == condition.joint_growth else last_word.phrase


def _contradicting_negation(text: str, condition: Relation, words: Lexicon) -> str:
    """Return the negation in *it is not symmetric* if the condition states that it is.

    If the condition denies what the words state without a negation, return the last word.
    """
    last_words = text.rpartition(",")[2].split()[-3:]
    negations = [word for word in last_words if _is_negation(word, words)]
    # *Symmetric* is said of ``is_symmetric(A)``.
    is_named = any(
        word.strip("`*.()") in name
        for name in condition.names
        for word in last_words
        if len(word) >= _SHORTEST_PART
    )
    operators = condition.operators
    if negations and condition.quantifier != "none":
        if operators in ({"=="}, {"in"}) or (operators == {"true"} and is_named):
            return negations[0]
    elif operators == {"false"} and is_named and not negations:
        return last_words[-1]
    return ""


def _agrees(word: ComparisonWord, condition: Relation, words: Lexicon, text: str) -> bool:
    """Return whether a word that says a direction agrees with a condition; also if in doubt.

    The numbers and units of the text may say whether *faster* is about a time or a speed.
    """
    meaning = word.meaning
    if word.table == "sides":
        meaning = _direction_of_quality(meaning, condition, words, text)
        if not meaning:
            return True
    orders = condition.operators & MIRRORED.keys()
    extreme = _EXTREMES.get(meaning)
    # *The larger one* is ``max(a, b)``; in ``max(a, b) > c``, *larger* is about the ``>``.
    if extreme and len(condition.extremes) == 1 and (meaning in _SUPERLATIVES or not orders):
        return (condition.extremes == {extreme}) != word.denied
    if meaning in _SUPERLATIVES and len(condition.extremes) > 1:
        return True
    operators = condition.operators - {"true", "false", "in", "not in"}
    if not operators:
        return True
    if condition.has_many_sides and meaning not in _CHANGES:
        return True
    # ``x[0] < x[1]`` rises, although its left side is the smaller one.
    if condition.is_chronological and meaning in _CHANGES:
        operators = frozenset(MIRRORED.get(operator, operator) for operator in operators)
    return bool(operators & (_DENIED if word.denied else _AGREE)[meaning])


#: The units of time and of speed behind a number, by their names in the lexicon.
_TIMES = ("s", "min", "h", "d")
#: *20 km/h*, *3 pages a minute*.
_SPEED = re.compile(r"\d\s?(?:k?m/(?:h|s)|mph|\w+s?\s(?:a|per)\s(?:second|minute|hour))\b")


def _direction_of_quality(quality: str, condition: Relation, words: Lexicon, text: str) -> str:
    """Return ``more`` or ``less`` for a word of quality; empty if it is not clear.

    ``quality`` is ``more`` (*faster*), ``less`` (*slower*), ``better`` or ``worse``. The names in
    the condition decide: *faster* is more of a speed, and less of a time; *better* is more of a
    gain, and less of a loss. If they name neither, or both, the direction is not clear, except for
    *faster* and *slower* in a text with numbers of seconds, or of kilometres per hour.
    """
    parts = {part for name in condition.names for part in (name, *name.split("_"))}
    parts |= {part.removesuffix("s") for part in parts}
    lists = words.words["sides"]
    high, low = ("goods", "bads") if quality in ("better", "worse") else ("speeds", "times")
    is_of_high, is_of_low = not parts.isdisjoint(lists[high]), not parts.isdisjoint(lists[low])
    if is_of_high == is_of_low and quality in ("more", "less"):
        units = words.pattern("measures", *_TIMES)
        is_of_high = bool(_SPEED.search(text))
        is_of_low = bool(re.search(rf"\d\s?{units}(?![\w/])", text))
    if is_of_high == is_of_low:
        return ""
    return "more" if (quality in ("better", "more")) == is_of_high else "less"


#: The operators between a share and a half of *most* and *few*.
_SHARES = {"most": {">", ">="}, "few": {"<", "<="}}


def _quantifier_agrees(quantity: str, condition: Relation, is_directed: bool) -> bool:
    """Return whether a word for a share of things agrees with a condition; also if in doubt.

    ``quantity`` is the meaning of the word: ``all``, ``none``, ``some``, ``most``, ``few`` or
    ``not_all``; ``is_directed``, whether another word says a direction, such as *larger*.
    """
    wrong = {
        "all": ("any", "none", "few"), "none": ("any", "all", "most"), "some": ("none",),
        "most": ("none", "few"), "few": ("all", "most"), "not_all": ("all",),
    }[quantity]  # fmt: skip
    if quantity in ("all", "none") and condition.is_of_half and condition.quantifier in _SHARES:
        return False
    if quantity == "none" and is_directed:
        return True  # *none is larger* is a direction that is denied
    if quantity == "none" and not condition.quantifier:
        return condition.denies or "false" in condition.operators
    if quantity in _SHARES and not condition.quantifier and not is_directed:
        # ``share > 0.6`` is *most*.
        orders = condition.operators & MIRRORED.keys()
        return not orders or bool(orders & _SHARES[quantity])
    return condition.quantifier not in wrong
