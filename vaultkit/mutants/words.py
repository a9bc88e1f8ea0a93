"""Generates mutants of words: comparisons turned round, and numbers, names and cells exchanged.

The words come from the lexicon of the checks, and the sentences from the raw text, without the
engine's parsers. Questions and requests state nothing and are left alone, and so is an exchange
after which a sentence says the same: *2 or 3*, *between 0 and 1*.

``plain`` is the text of a note in as many characters, with blanks for everything that is not prose.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from vaultkit.claims.lexicon import Lexicon, lexicon


class Change(NamedTuple):
    """A change of a text: its position, the old and the new text, and its kind."""

    at: int
    before: str
    after: str
    kind: str


class Piece(NamedTuple):
    """A number or a name in a text, with its position."""

    at: int
    text: str

    @property
    def end(self) -> int:
        """The position behind it."""
        return self.at + len(self.text)


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
#: A comparison and its opposite have the same ending.
_ENDINGS = ("est", "er", "ing", "ed", "s")
#: A character for one that says nothing.
_BLANK = "\ufffc"
#: Words with which a request begins.
_REQUEST = re.compile(
    r"[\W\d_]*(?:question\]|Next:|(?:(?:First|Now|Then|Again|Next|now|then),?\s+)?(?:Predict|Add|"
    r"Divide|Multiply|Subtract|Compute|Write|Show|Name|Find|Change|Take|Give|Let|Suppose|Imagine|"
    r"Try|Explain|Choose|Look|Lower|Raise|Set|Use|Replace|Drag|Compare|Count|Check|Read|Move|Pick|"
    r"Turn|Remove|Leave|Exchange|Swap|Press|Click|Open|Say|Prove|Think|Put|Make|Assume|Consider|"
    r"Recall|Note|See|Hide|Follow|Fill|In a browser)\b)"
)
#: The text between two numbers or names that may be exchanged in any sentence.
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
    rf"(?P<ordinal>{'|'.join(_ORDINALS)})\b(?!\s+(?:time|place)\b)"
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
    """Yield changes of the words of a note: some for each sentence and each row of a table.

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
    with_code = plain
    plain = re.sub(r"`[^`\n]*`", lambda code: _BLANK * len(code[0]), plain)
    for start, end in spans_of_statements(plain):
        yield from turn_comparisons(plain, start, end, words)
        yield from _exchange(text, _numbers_in(text, plain, start, end), ROLE, rng)
        names = [Piece(m.start(), m[0]) for m in _NAMED.finditer(with_code, start, end)]
        yield from _exchange(text, names, NAME, rng)
        yield from _change_counts(text, plain, start, end, rng)
    for row in re.finditer(r"(?m)^[> ]*\|.*$", plain):
        cells = _CELL.finditer(plain, *row.span())
        numbers = [Piece(cell.start("number"), cell["number"]) for cell in cells]
        yield from _exchange(text, numbers, CELL, rng)


def spans_of_statements(plain: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence of a prose that states something.

    >>> list(spans_of_statements("Add 1. Is it? It is."))
    [(13, 20)]
    """
    for match in _SENTENCE.finditer(plain):
        line = plain[plain.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0]
        asks = match[0].rstrip("*_)” ").endswith("?") or _REQUEST.match(match[0])
        # A heading names what its section says, and a row of a table has its own changes.
        if not asks and not re.match(r"[> ]*(?:\||#)", line):
            yield match.span()


def turn_comparisons(plain: str, start: int, end: int, words: Lexicon) -> Iterator[Change]:
    """Yield each comparison of the sentence ``plain[start:end]`` turned round.

    >>> list(turn_comparisons("It is larger.", 0, 13, lexicon()))
    [Change(at=6, before='larger', after='smaller', kind='comparison')]
    """
    # Behind a hyphen, no word is searched, which is faster.
    sentence = re.sub(rf"(?<={_BLANK}){_BLANK}(?={_BLANK})", "-", plain[start:end])
    if _rare_words(words).isdisjoint(re.findall(r"[a-z]+", sentence.lower())):
        return
    # Idioms such as *more or less* and *no longer* compare nothing.
    idioms = [m.span() for m, name in words.find("negations", sentence) if name != "words"]
    for table in ("directions", "sides"):
        for match, name in words.find(table, sentence):
            if (table, name) not in _OPPOSITES or _is_no_comparison(sentence, match, words):
                continue
            if any(first < match.end() and match.start() < last for first, last in idioms):
                continue
            opposite = _opposite(match[0].lower(), words.words[table][_OPPOSITES[table, name]])
            if opposite:
                after = _with_case_of(opposite, match[0])
                yield Change(start + match.start(), match[0], after, COMPARISON)


@cache
def _rare_words(words: Lexicon) -> frozenset[str]:
    """Return the longest word of each comparison of a lexicon; most sentences have none of them."""
    lists = (entry for table in ("directions", "sides") for entry in words.words[table].values())
    entries = (entry for entries in lists for entry in entries if "\\" not in entry)
    return frozenset(max(re.split(r"[\s-]", entry), key=len) for entry in entries)


def _is_no_comparison(sentence: str, match: re.Match[str], words: Lexicon) -> bool:
    """Return whether a word compares nothing, or has no opposite of one word.

    *One more matrix* adds, *even, or more sharply peaked* corrects, the opposite of *as wide*
    is *not as wide*.
    """
    word, before, behind = match[0].lower(), sentence[: match.start()], sentence[match.end() :]
    if word in words.words["grammar"]["unsure"] and not behind.startswith(_BLANK):
        return True  # *the gain of a norm*; no code is bound to it
    if word == "up to":
        return not re.match(r"\W*(?:\d|\w+ (?:of|times))", behind)  # *up to the sign*
    if re.fullmatch(r"[\W_]*\*[^*:]*", before) and re.match(r"[^*:]*\*:[\W_]*$", behind):
        return True  # the title of a list of links
    if word == "more" and re.match(r"\s(?:on|about)\b", behind):
        return True  # *More on this*
    if word == "more":
        return bool(re.search(r"\b(?:one|two|three|some|once)\s+$", before, re.IGNORECASE))
    if word.startswith("or "):
        return bool(re.match(r"\s+\w", behind))
    return word.startswith("as ")


def _with_case_of(word: str, model: str) -> str:
    """Return a word with a capital if another one has one."""
    return word.capitalize() if model[0].isupper() else word


def _opposite(word: str, others: Sequence[str]) -> str:
    """Return the opposite of a word, or the first of some words with the same ending; or empty.

    >>> _opposite("largest", []), _opposite("soars", ["fell", "sinks"]), _opposite("ahead of", [])
    ('smallest', 'sinks', '')
    """
    if word in _OTHER_WORDS:
        return _OTHER_WORDS[word]
    ending = next((ending for ending in _ENDINGS if word.endswith(ending)), "")
    plain_words = [other for other in others if "\\" not in other]
    if not ending:
        return ""
    return next((other for other in plain_words if other.endswith(ending)), "")


def _numbers_in(text: str, plain: str, start: int, end: int) -> list[Piece]:
    """Return the numbers in a part of a text that are not names."""
    return [
        Piece(match.start(), match[0])
        for match in _DIGITS.finditer(plain, start, end)
        if not _is_name(text, plain, *match.span())
    ]


def _is_name(text: str, plain: str, start: int, end: int) -> bool:
    """Return whether a number is a name, a year or the number of a list item, or is given.

    The number is ``text[start:end]``; ``plain`` is the text with blanks instead of code, formulas
    and comments.
    """
    before = plain[plain.rfind("\n", 0, start) + 1 : start]
    is_year = re.fullmatch(r"(?:19|20)\d\d", text[start:end])
    if is_year or re.match(r"[^\n<]{0,12}<!--\s*given", text[end:]):
        return True
    if re.fullmatch(r"[> ]*", before) and re.match(r"[.)] ", text[end:]):
        return True  # the number of a list item
    return bool(_REFERENCE.search(before))


def _exchange(
    text: str, pieces: Sequence[Piece], kind: str, rng: random.Random
) -> Iterator[Change]:
    """Yield one change in which two neighbours are exchanged, if that changes what is said."""
    pairs = [pair for pair in itertools.pairwise(pieces) if _may_exchange(text, *pair, kind)]
    if pairs:
        first, second = rng.choice(pairs)
        between = text[first.end : second.at]
        after = second.text + between + first.text
        yield Change(first.at, text[first.at : second.end], after, kind)


def _may_exchange(text: str, first: Piece, second: Piece, kind: str) -> bool:
    """Return whether a sentence says something else if two of its numbers or names are exchanged.

    An exchange of 2 and 2.0 changes nothing.
    """
    if _value(first.text) == _value(second.text):
        return False
    if kind == CELL:
        return True
    between = text[first.end : second.at]
    if len(between) > _NEAR or _SYMMETRIC.fullmatch(between):
        return False
    # *three times with a and three times with b*
    words = re.sub(r"<!--.*?-->|\s*\band\b|[*`]", "", between).strip()
    before = re.sub(r"<!--.*?-->|[*`]", "", text[: first.at][-_NEAR:]).rstrip()
    if len(words.split()) > 1 and before.endswith(words):
        return False
    if kind == NAME and _LISTED.fullmatch(between):
        return False
    # *A weight* is no name, and `True` is none of the things that are named.
    is_any = any(re.search(r"\ban?\s$", ahead) for ahead in (text[: first.at], between))
    if kind == NAME and (is_any or {"`True`", "`False`", "`None`"} & {first.text, second.text}):
        return False
    is_range = between.strip(" *`") == "and"  # *between 0 and 1*
    return not is_range or not re.search(r"\bbetween\s+[*`]*$", text[: first.at])


def _value(text: str) -> float | str:
    """Return the number in a text; the text itself if it is a name."""
    return float(text.replace(",", "")) if text.lstrip("-")[0].isdigit() else text


def _change_counts(
    text: str, plain: str, start: int, end: int, rng: random.Random
) -> Iterator[Change]:  # fmt: skip
    """Yield a sentence's small integers, ordinals, multiples and parts, each changed to another."""
    for match in _SMALL.finditer(plain, start, end):
        if _is_name(text, plain, *match.span()):
            continue
        count = match[0].lower()
        if count.isdigit():
            other = str(int(count) + rng.choice([-1, 1]))
        else:
            other = _neighbour(count, _COUNTS)
        yield Change(match.start(), match[0], _with_case_of(other, match[0]), COUNT)
    for match in _ORDINAL.finditer(plain, start, end):
        other = _neighbour(match["ordinal"], _ORDINALS)
        yield Change(match.start("ordinal"), match["ordinal"], other, ORDINAL)
    for match in _MULTIPLE.finditer(plain, start, end):
        other = _with_case_of(_MULTIPLES[match[0].lower()], match[0])
        yield Change(match.start(), match[0], other, MULTIPLE)


def _neighbour(word: str, words: Sequence[str]) -> str:
    """Return the next of some words in order; the one before for the last.

    >>> _neighbour("first", _ORDINALS), _neighbour("eighth", _ORDINALS)
    ('second', 'seventh')
    """
    index = words.index(word)
    return words[index - 1 if index == len(words) - 1 else index + 1]
