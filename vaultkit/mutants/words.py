"""Generates mutants of words: comparisons turned round, and numbers, names and cells exchanged.

The words come from the lexicon of the checks, and the sentences from the raw text, without the
engine's parsers. Questions and requests state nothing and are left alone, and so is an exchange
after which a sentence says the same: *2 or 3*, *between 0 and 1*.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from functools import cache

from vaultkit.claims.lexicon import Lexicon, lexicon

#: A change: the place, the old and the new text, and the kind.
Change = tuple[int, str, str, str]
COMPARISON, NAME, CELL, ROLE = "comparison", "name", "cell", "role"
COUNT, ORDINAL, MULTIPLE = "small integer", "ordinal", "multiple"
KINDS = (COMPARISON, NAME, CELL, ROLE, COUNT, ORDINAL, MULTIPLE)

#: Lists of the lexicon that say the opposite.
_OPPOSITES = {
    ("directions", one): other
    for pair in (("more", "less"), ("rises", "falls"), ("largest", "smallest"),
                 ("at_least", "at_most"), ("same", "different"))
    for one, other in (pair, pair[::-1])
} | {
    ("sides", one): other
    for pair in (("more", "less"), ("better", "worse"))
    for one, other in (pair, pair[::-1])
}  # fmt: skip
#: Words with a better opposite than the first one of the same ending.
_PAIRS = (
    ("more", "less"), ("more", "fewer"), ("larger", "smaller"), ("greater", "smaller"),
    ("bigger", "smaller"), ("higher", "lower"), ("longer", "shorter"), ("wider", "narrower"),
    ("deeper", "shallower"), ("stronger", "weaker"), ("later", "earlier"), ("farther", "closer"),
    ("further", "nearer"), ("sharper", "flatter"), ("exceeds", "falls short of"),
    ("exceed", "fall short of"), ("at least", "at most"), ("at least", "up to"),
    ("or more", "or less"),
    ("rises", "falls"), ("rise", "fall"), ("rose", "fell"), ("rising", "falling"),
    ("grows", "shrinks"), ("grow", "shrink"), ("grew", "shrank"), ("grown", "shrunk"),
    ("growing", "shrinking"), ("increases", "decreases"), ("increase", "decrease"),
    ("increased", "decreased"), ("increasing", "decreasing"), ("gains", "loses"),
    ("widens", "narrows"), ("reduces", "raises"),
    ("gained", "lost"), ("gains", "drops"), ("rises", "decays"), ("largest", "smallest"),
    ("greatest", "least"), ("highest", "lowest"), ("longest", "shortest"),
    ("strongest", "weakest"), ("farthest", "closest"), ("furthest", "nearest"),
    ("latest", "earliest"),
    ("the most", "the least"), ("most likely", "least likely"), ("the same", "different"),
    ("same", "different"), ("equal", "unequal"), ("equal", "different"), ("equally", "differently"),
    ("equals", "differs from"), ("equals", "differs"), ("agree", "differ"), ("agrees", "differs"),
    ("identical", "different"), ("unchanged", "different"), ("matches", "differs from"),
    ("match", "differ from"), ("faster", "slower"), ("fastest", "slowest"), ("better", "worse"),
    ("best", "worst"),
)  # fmt: skip
_OTHER_WORDS = {
    **{other: one for one, other in reversed(_PAIRS)},
    **dict(reversed(_PAIRS)),
}
#: Multiples and parts, and what they become.
_MULTIPLES = {
    "twice": "three times", "double": "triple", "doubles": "triples", "doubled": "tripled",
    "half": "a third", "halves": "triples", "halved": "tripled", "a half": "a third",
    "one half": "one third", "a third": "a quarter", "two thirds": "three quarters",
    "a quarter": "a third", "three quarters": "two thirds", "a fifth": "a quarter",
    "a sixth": "a fifth", "an eighth": "a quarter", "a tenth": "a fifth",
}  # fmt: skip
_MULTIPLE = re.compile(
    rf"\b(?<!-)(?i:{'|'.join(sorted(_MULTIPLES, key=len, reverse=True))})\b(?!-)"
)
_ENDINGS = ("est", "er", "ing", "ed", "s")
#: Words with which a request begins.
_REQUEST = re.compile(
    r"[\W\d_]*(?:question\]|Next:|(?:(?:First|Now|Then|Again|Next|now|then),?\s+)?(?:Predict|Add|"
    r"Divide|Multiply|Subtract|Compute|Write|Show|Name|Find|Change|Take|Give|Let|Suppose|Imagine|"
    r"Try|Explain|Choose|Look|Lower|Raise|Set|Use|Replace|Drag|Compare|Count|Check|Read|Move|Pick|"
    r"Turn|Remove|Leave|Exchange|Swap|Press|Click|Open|Say|Prove|Think|Put|Make|Assume|Consider|"
    r"Recall|Note|See|Hide|Follow|Fill|On the site)\b)"
)
#: What stands between two numbers or names that may be exchanged in any sentence.
_SYMMETRIC = re.compile(
    r"[*`\s]*(?:,?\s*or|[-+×·*]|equals|(?:is|are) (?:equal to|the same as|as [^*`]{1,20} as))"
    r"[*`\s]*(?:the\s+)?[*`]*",
    re.IGNORECASE,
)
#: The same, of names only.
_LISTED = re.compile(
    r"[*`\s]*(?:,|,?\s*(?:and|or|nor|with)(?:\s+one\s+(?:for|of|with))?)[*`\s]*"
    r"(?:(?:an?|the|its)\s+)?[*`]*"
)
#: Most characters between two numbers or names that are exchanged.
_NEAR = 80
_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
           "twelve")  # fmt: skip
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
#: An ordinal with a noun: *the first word*, and not *squares first* or *a third*.
_ORDINAL = re.compile(
    rf"\b(?i:the|its|their|this|that|each|every|whose|in|of|from|for)\s+[*]*"
    rf"(?P<own>{'|'.join(_ORDINALS)})\b(?!\s+(?:time|place)\b)"
)
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?!\s)|\n(?!\s*(?:\n|[-*|>#]|\d+\. )))+[.!?]?")
_DIGITS = re.compile(r"(?<![\w.,§#^(/×-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w/]|[.,]\d|\s*[)×])")
_SMALL = re.compile(
    rf"(?<![\w.,:§#^/(-])(?:[2-9](?![\w:/%]|[.,]\d|\s*[)×])|(?i:{'|'.join(_COUNTS)})\b(?!-))"
)
#: Emphasized words that name nothing.
_STRESSED = "needs|and|own|self|not|no|where|who|what|how|one|all|only|any|every|each|its|this"
_NAMED = re.compile(
    r"`(?P<code>[A-Za-z]\w*)`|(?<![*\w])\*"
    rf"(?!(?i:{_STRESSED})\*)(?P<word>[A-Za-z]+)\*(?![*\w])"
)
_CELL = re.compile(r"(?<=\|)(?P<left>\s*)(?P<number>-?\d+(?:,\d{3})*(?:\.\d+)?)(?=\s*(?:<|\|))")
_REFERENCE = re.compile(
    r"\b(?:[Ss]ections?|[Cc]hapters?|[Ff]igures?|[Tt]ables?|[Ee]quations?|[Ff]ootnotes?|[Pp]ages?|[Vv]ersions?|"
    r"[Ll]ayer|[Bb]lock|[Hh]ead|GPT|BERT|LLaMA|p\.)[\s-]*$"
)


def word_changes(text: str, plain: str, rng: random.Random) -> Iterator[Change]:
    """Yield mutants of the words of a note: some for each sentence and each row of a table.

    Parameters
    ----------
    text
        The note's text.
    plain
        The same with everything blank that is not prose, in as many characters.
    rng
        Chooses among the possible changes.
    """
    words = lexicon()
    with_names = plain
    plain = re.sub(r"`[^`\n]*`", lambda own: "\ufffc" * len(own[0]), plain)
    for start, end in statements(plain):
        yield from turned(plain, start, end, words)
        yield from _exchanges(text, _numbers(text, plain, start, end), ROLE, rng)
        names = [(one.start(), one[0]) for one in _NAMED.finditer(with_names, start, end)]
        yield from _exchanges(text, names, NAME, rng)
        yield from _changed_counts(text, plain, start, end, rng)
    for row in re.finditer(r"(?m)^[> ]*\|.*$", plain):
        cells = [(m.start("number"), m["number"]) for m in _CELL.finditer(plain, *row.span())]
        yield from _exchanges(text, cells, CELL, rng)


def statements(plain: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence of a prose that states something.

    >>> [(a, b) for a, b in statements("Add 1. Is it? It is.")]
    [(13, 20)]
    """
    for found in _SENTENCE.finditer(plain):
        line = plain[plain.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
        asks = found[0].rstrip("*_)” ").endswith("?") or _REQUEST.match(found[0])
        if not asks and not re.match(r"[> ]*\|", line):
            yield found.span()


def turned(plain: str, start: int, end: int, words: Lexicon) -> Iterator[Change]:
    """Yield each comparison of a sentence turned round."""
    # Behind a hyphen, no word is searched, which is faster.
    sentence = re.sub(r"(?<=\ufffc)\ufffc(?=\ufffc)", "-", plain[start:end])
    if _rare_words(words).isdisjoint(re.findall(r"[a-z]+", sentence.lower())):
        return
    void = [own.span() for own, name in words.find("negations", sentence) if name != "words"]
    for table in ("directions", "sides"):
        for own, name in words.find(table, sentence):
            if (table, name) not in _OPPOSITES or _is_no_comparison(sentence, own):
                continue
            if any(a < own.end() and own.start() < b for a, b in void):
                continue
            others = words.words[table][_OPPOSITES[table, name]]
            other = _opposite(own[0].lower(), others)
            if other:
                yield start + own.start(), own[0], _capital(other, own[0]), COMPARISON


@cache
def _rare_words(words: Lexicon) -> frozenset[str]:
    """Return the longest word of each comparison of a lexicon; most sentences have none of them."""
    lists = (entry for table in ("directions", "sides") for entry in words.words[table].values())
    entries = (entry for own in lists for entry in own if "\\" not in entry)
    return frozenset(max(re.split(r"[\s-]", entry), key=len) for entry in entries)


def _is_no_comparison(sentence: str, own: re.Match[str]) -> bool:
    """Return whether a word compares nothing, or has no opposite of one word.

    *One more matrix* adds, *even, or more sharply peaked* corrects, the opposite of *as wide*
    is *not as wide*.
    """
    word, before, behind = own[0].lower(), sentence[: own.start()], sentence[own.end() :]
    if word in ("gain", "gains", "match") or (
        word == "up to" and not re.match(r"\W*(?:\d|\w+ (?:of|times))", behind)
    ):
        return True  # the gain of a norm, *up to the sign*
    if word == "more" and re.search(r"\b(?:one|two|three|some|once)\s+$", before, re.IGNORECASE):
        return True
    return word.startswith("as ") or (word.startswith("or ") and bool(re.match(r"\s+\w", behind)))


def _capital(word: str, like: str) -> str:
    """Return a word with a capital if another one has one."""
    return word.capitalize() if like[0].isupper() else word


def _opposite(word: str, others: Sequence[str]) -> str:
    """Return the opposite of a word, or the first of some words with the same ending, or none.

    >>> _opposite("largest", []), _opposite("soars", ["fell", "sinks"]), _opposite("ahead of", [])
    ('smallest', 'sinks', '')
    """
    if word in _OTHER_WORDS:
        return _OTHER_WORDS[word]
    ending = next((one for one in _ENDINGS if word.endswith(one)), "")
    plain = (other for other in others if "\\" not in other and ending)
    return next((other for other in plain if other.endswith(ending)), "")


def _numbers(text: str, plain: str, start: int, end: int) -> list[tuple[int, str]]:
    """Return position and text of the numbers in a part of a text that are not names."""
    return [
        (one.start(), one[0])
        for one in _DIGITS.finditer(plain, start, end)
        if not _is_name(text, plain, *one.span())
    ]


def _is_name(text: str, plain: str, start: int, end: int) -> bool:
    """Return whether a number is a name, a year or the number of a list item, or is given.

    The number is ``text[start:end]``; ``plain`` is the text with blanks instead of code, formulas
    and comments.
    """
    line = plain[plain.rfind("\n", 0, start) + 1 : start]
    given = re.match(r"[^\n<]{0,12}<!--\s*given", text[end:])
    year = re.fullmatch(r"(?:19|20)\d\d", text[start:end])
    item = re.fullmatch(r"[> ]*", line) and re.match(r"[.)] ", text[end:])
    return bool(given or year or item or _REFERENCE.search(line))


def _exchanges(
    text: str, several: Sequence[tuple[int, str]], kind: str, rng: random.Random
) -> Iterator[Change]:
    """Yield one mutant in which two neighbours of different texts are exchanged."""
    pairs = [pair for pair in itertools.pairwise(several) if _may_exchange(text, *pair, kind)]
    if pairs:
        (first, one), (second, other) = rng.choice(pairs)
        between = text[first + len(one) : second]
        yield first, text[first : second + len(other)], other + between + one, kind


def _may_exchange(text: str, one: tuple[int, str], other: tuple[int, str], kind: str) -> bool:
    """Return whether a sentence says something else if two of its numbers or names are exchanged.

    Each is given with its place. An exchange of 2 and 2.0 changes nothing.
    """
    between = text[one[0] + len(one[1]) : other[0]]
    if _value(one[1]) == _value(other[1]) or (kind != CELL and len(between) > _NEAR):
        return False
    if kind == CELL:
        return True
    pair = re.search(r"\bbetween\s+[*`]*$", text[: one[0]]) and between.strip(" *`") == "and"
    alike = _SYMMETRIC.fullmatch(between) or (kind == NAME and _LISTED.fullmatch(between))
    return not pair and not alike


def _value(text: str) -> float | str:
    """Return the number in a text; the text itself if it is a name."""
    return float(text.replace(",", "")) if text.lstrip("-")[0].isdigit() else text


def _changed_counts(
    text: str, plain: str, start: int, end: int, rng: random.Random
) -> Iterator[Change]:  # fmt: skip
    """Yield a sentence's small integers, ordinals, multiples and parts changed by one."""
    for found in _SMALL.finditer(plain, start, end):
        if _is_name(text, plain, *found.span()):
            continue
        own = found[0].lower()
        if own.isdigit():
            new = str(int(own) + rng.choice([-1, 1]))
        else:
            place = _COUNTS.index(own)
            new = _COUNTS[place - 1 if place == len(_COUNTS) - 1 else place + 1]
        yield found.start(), found[0], new.capitalize() if found[0][0].isupper() else new, COUNT
    for found in _ORDINAL.finditer(plain, start, end):
        place = _ORDINALS.index(found["own"])
        new = _ORDINALS[place - 1 if place == len(_ORDINALS) - 1 else place + 1]
        yield found.start("own"), found["own"], new, ORDINAL
    for found in _MULTIPLE.finditer(plain, start, end):
        yield found.start(), found[0], _capital(_MULTIPLES[found[0].lower()], found[0]), MULTIPLE
