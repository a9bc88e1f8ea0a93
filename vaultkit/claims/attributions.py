"""Reads what a sentence says of a number: its label, the noun that it counts, its unit.

*Calais has 7.35 m* gives 7.35 to *Calais*, in *m*; *a ferry to Calais takes 7 hours* gives it
nothing. The words are in the lexicon of the language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, label_stems, stem
from vaultkit.claims.stated import Stated

#: Most words of a subject.
_LONGEST_SUBJECT = 4
_WRITTEN = re.compile(r"[-−+]?\d[\d,_.\u00a0\u202f]*(?<![.,])")
_UNIT = re.compile(r"\s?(%|‰|°\s?[CF]?|[$€£]|[^\W\d]+(?:/[^\W\d]+)?)(?:\s([^\W\d]+))?")


@cache
def role_pattern(lexicon: Lexicon, form: str, *lists: str) -> re.Pattern[str]:
    r"""Return the pattern ``form``, where each ``{}`` stands for the words of one of the lists.

    The lists are those of the table *roles* of the lexicon.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> role_pattern(lexicon(), r"{}\s", "there").match("There are 3")[0]
    'There are '
    """
    words = [lexicon.pattern("roles", name) for name in lists]
    return re.compile(form.format(*words), re.IGNORECASE)


def words_behind(sentence: Sentence, number: Stated) -> list[str]:
    """Return the words right behind a number that may be its unit or what it counts.

    Examples
    --------
    >>> from vaultkit.claims.lexicon import lexicon
    >>> from vaultkit.claims.mentions import sentences
    >>> from vaultkit.read.markdown import parse
    >>> (own,) = sentences(parse("It has 12 big nests, 5 % and 3 in all."), lexicon())
    >>> [words_behind(own, number) for number in own.numbers]
    [['big', 'nests'], ['%'], []]
    """
    written = _WRITTEN.match(sentence.text, number.start) if number.digits else None
    behind = _UNIT.match(sentence.text, written.end() if written else number.end)
    money = sentence.text[max(0, number.start - 1) : number.start]
    words = [money] if money in ("$", "€", "£") else []
    function_word = role_pattern(sentence.lexicon, "{}", "no_noun")
    for word in behind.groups() if behind else ():
        if not word or function_word.fullmatch(word):
            break
        words.append("".join(word.split()))
    return words


def is_unit_of(words: Sequence[str], known: frozenset[str], lexicon: Lexicon) -> bool:
    """Return whether some words behind a number are among those of its kind.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [is_unit_of([word], frozenset({"loav"}), lexicon()) for word in ("loaves", "hours")]
    [True, False]
    """
    return any(word in known or stem(word, lexicon).lower() in known for word in words)


def is_apart(sentence: Sentence, text: str) -> bool:
    """Return whether a text supposes, denies or compares."""
    apart = role_pattern(sentence.lexicon, r"(?<![\w-])(?:{}|{})(?![\w-])", "apart", "denied")
    return bool(apart.search(text))


def is_difference(sentence: Sentence, number: Stated) -> bool:
    """Return whether the word behind a number and its unit makes it a difference.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> from vaultkit.claims.mentions import sentences
    >>> from vaultkit.read.markdown import parse
    >>> (own,) = sentences(parse("3 lower, 4 cents too wide, 2 cups more, 5 in May."), lexicon())
    >>> [is_difference(own, number) for number in own.numbers]
    [True, True, True, False]
    """
    return bool(_difference(sentence.lexicon).match(sentence.text, number.end))


@cache
def _difference(lexicon: Lexicon) -> re.Pattern[str]:
    """Return a pattern of the words behind a number that make it a difference."""
    signs, beyond = (
        lexicon.pattern("signs", "up", "down", "apart"),
        lexicon.pattern("signs", "beyond", "added"),
    )
    difference = rf"(?:[^\W\d]{{1,3}}\s|[%°]\s)?\s*{signs}|(?:[^\W\d]+\s)?{beyond}"
    return re.compile(rf"\s*(?:{difference})(?![\w-])", re.IGNORECASE)


def subject_stems(sentence: Sentence, number: Stated) -> list[str]:
    """Return the stems of *the largest gap* in *the largest gap is 8*; empty if in doubt."""
    lexicon = sentence.lexicon
    before = sentence.text[: number.start]
    between = re.search(
        rf"(?:\s+{lexicon.pattern('roles', 'between', 'verbs')})+\s+[$€£]?$", before
    )
    if not between or is_apart(sentence, before) or not _ends_clause(sentence, number):
        return []
    clause = re.split(r"[,:(—–]\s", before[: between.start()])
    words = clause[-1].split()
    opening = [word.lower() for word in clause[0].split()[:1]]
    roles = lexicon.words["roles"]
    if opening and opening[0] in roles["case"]:
        return []
    while words and words[0].lower() in roles["opening"]:
        words = words[1:]
    if words and words[0].lower() in roles["determiners"]:
        words = words[1:]
    if not 1 <= len(words) <= _LONGEST_SUBJECT:
        return []
    if not all(re.fullmatch(r"[^\W\d]\w*", word) for word in words):
        return []
    inner = {word.lower() for word in words} & {*roles["case"], *roles["of_another"]}
    kept = label_stems(" ".join(words), lexicon)
    return [] if inner else [s for s in (stem(w, lexicon) for w in words) if s in kept]


def possession_stems(sentence: Sentence, number: Stated) -> list[str]:
    """Return the stems of *hydration* in *the dough has a hydration of 68 %*; empty if in doubt."""
    lexicon, before = sentence.lexicon, sentence.text[: number.start]
    found = role_pattern(
        lexicon,
        r"\s*(?:{}|(?:{})\s\w+)\s{}\s(?:an?\s)?(?P<own>[^\W\d]\w*(?:\s[^\W\d]\w*)?)\s{}\s",
        "it",
        "determiners",
        "having",
        "of_value",
    ).fullmatch(before)
    if not found or is_apart(sentence, before) or not _ends_clause(sentence, number):
        return []
    return sorted(label_stems(found["own"], lexicon))


def opens_paragraph(sentence: Sentence, number: Stated) -> bool:
    """Return whether no words before a number, in sentence or paragraph, may set another case."""
    earlier = sentence.piece.text[: sentence.begins]
    return not earlier.strip() and not re.search(r"[,:(—–]\s", sentence.text[: number.start])


def is_cited(sentence: Sentence, link: int, number: int) -> bool:
    """Return whether a number belongs to the note of a link before it: *[[Sag]], where it is 3*."""
    gap = sentence.text[link:number]
    lexicon = sentence.lexicon
    if role_pattern(lexicon, r"\b{}\b", "cited").search(gap):
        return True
    # *In [[Sag]] the largest deflection is 3 mm.*
    opens = re.fullmatch(r"\W*(?:as |see )?in\W*", sentence.text[:link].lower())
    far = 8 if opens else 5
    return (
        not role_pattern(lexicon, r"\b{}\b|[)—–:]", "turns").search(gap) and len(gap.split()) <= far
    )


def _ends_clause(sentence: Sentence, number: Stated) -> bool:
    """Return whether a number ends its clause, apart from a unit."""
    return not is_difference(sentence, number) and bool(
        role_pattern(
            sentence.lexicon,
            r"(?:\s?[%°‰]|\s(?!{}\b)[^\W\d]{{1,14}}(?:\s?/\s?\w+|\s{}\s\w+)?)?\s*"
            r"(?:$|[.,;:)](?!\d)|\s{}\b)",
            "no_unit",
            "per",
            "ends",
        ).match(sentence.text, number.end)
    )


def is_copula(sentence: Sentence, number: Stated) -> bool:
    """Return whether the verb before a number says that the number is the value itself."""
    verbs = role_pattern(sentence.lexicon, r"\b{}(?:\s\w+)?\s+[$€£]?$", "verbs")
    return not verbs.search(sentence.text[: number.start])


@dataclass(frozen=True)
class Count:
    """What a number counts: its noun, with and without the word before it."""

    labels: tuple[frozenset[str], ...]
    #: Whether it is how many there are that something takes: *it takes 6 steps*.
    takes: bool


def counted_noun(sentence: Sentence, number: Stated) -> Count | None:
    """Return what a number counts in *it takes 6 steps* and *there are 6 words*; None if in doubt.

    Examples
    --------
    >>> from vaultkit.claims.lexicon import lexicon
    >>> from vaultkit.claims.mentions import sentences
    >>> from vaultkit.read.markdown import parse
    >>> (own,) = sentences(parse("It takes 6 steps."), lexicon())
    >>> counted_noun(own, own.numbers[0]).takes
    True
    """
    lexicon, before = sentence.lexicon, sentence.text[: number.start]
    verb = role_pattern(
        lexicon,
        r"(?:\b{}\s(?P<takes>{})|\b{})\s(?:{}\s)?$",
        "it",
        "counting",
        "there",
        "only",
    ).search(before)
    noun = role_pattern(
        lexicon,
        r"\s(?P<all>(?:{}\s|[a-z]+\s)?(?P<noun>[a-z]{{3,}}))(?=\s*$|[.,;:)]|\s{}\b)",
        "pairs",
        "counted_before",
    ).match(sentence.text, number.end)
    if not verb or not noun or is_apart(sentence, before):
        return None
    roles = lexicon.words["roles"]
    if before.split()[0].strip(",").lower() in {*roles["case"], *roles["uncounted"]}:
        return None
    labels = {label_stems(noun[words], lexicon) for words in ("all", "noun")}
    return Count(tuple(labels), bool(verb["takes"]))
