"""Reads what a sentence says of a number: its label, the noun that it counts, its unit.

*Calais has 7.35 m* gives 7.35 to *Calais*, in *m*; *a ferry to Calais takes 7 hours* gives it
nothing. A *label* is a set of stems (see `vaultkit.claims.mentions`). The words are lists of the
table *roles* of the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from vaultkit.claims.lexicon import Lexicon
from vaultkit.claims.mentions import Sentence, label_stems, stem
from vaultkit.claims.stated import Stated

#: Most words of a subject; longer ones are seldom the label of one value.
_LONGEST_SUBJECT = 4
#: A number in digits, without a stop behind it: *1,200.5*.
_DIGITS = re.compile(r"[-−+]?\d[\d,_.\u00a0\u202f]*(?<![.,])")
#: A unit or a word behind a number, and the word behind that: *%*, *km/h*, *big nests*.
_UNIT = re.compile(r"\s?(%|‰|°\s?[CF]?|[$€£]|[^\W\d]+(?:/[^\W\d]+)?)(?:\s([^\W\d]+))?")
_MONEY = ("$", "€", "£")
#: The end of a phrase before a number: *for Ann, 5*.
_PHRASE_END = r"[,:(—–]\s"
#: Most words between a link and a number that belongs to its note; in *In [[Sag]] the …*, more.
_NEAR_LINK, _NEAR_OPENING_LINK = 5, 8


@cache
def role_pattern(lexicon: Lexicon, template: str, *lists: str) -> re.Pattern[str]:
    r"""Return a template as a pattern, with the words of one list for each ``{}`` in it.

    The lists are those of the table *roles* of the lexicon, in the order of the ``{}``.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> role_pattern(lexicon(), r"{}\s", "there").match("There are 3")[0]
    'There are '
    """
    words = [lexicon.pattern("roles", name) for name in lists]
    return re.compile(template.format(*words), re.IGNORECASE)


def words_behind(sentence: Sentence, number: Stated) -> list[str]:
    """Return the words right behind a number that may be its unit or what it counts.

    There are at most two; the sign of money before a number is one, too.

    Examples
    --------
    >>> from vaultkit.claims.lexicon import lexicon
    >>> from vaultkit.claims.mentions import sentences
    >>> from vaultkit.read.markdown import parse
    >>> (own,) = sentences(parse("It has 12 big nests, 5 % and 3 in all."), lexicon())
    >>> [words_behind(own, number) for number in own.numbers]
    [['big', 'nests'], ['%'], []]
    """
    # The end of a number in digits may be that of its unit, which is wanted here.
    digits = _DIGITS.match(sentence.text, number.start) if number.digits else None
    unit = _UNIT.match(sentence.text, digits.end() if digits else number.end)
    before = sentence.text[max(0, number.start - 1) : number.start]
    words = [before] if before in _MONEY else []
    function_word = role_pattern(sentence.lexicon, "{}", "no_noun")
    for word in unit.groups() if unit else ():
        if not word or function_word.fullmatch(word):
            break
        words.append("".join(word.split()))  # *° C* is *°C*
    return words


def is_unit_of(words: Sequence[str], known: frozenset[str], lexicon: Lexicon) -> bool:
    """Return whether one of some words, or its stem, is among the known units and nouns.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> [is_unit_of([word], frozenset({"loav"}), lexicon()) for word in ("loaves", "hours")]
    [True, False]
    """
    return any(word in known or stem(word, lexicon).lower() in known for word in words)


def is_apart(sentence: Sentence, text: str) -> bool:
    """Return whether a text of a sentence supposes, denies or compares: *if it were*, *other than*.

    A number near such words need not be that of the label before it.
    """
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
    """Return a pattern of what is behind a difference: *lower*, *cm lower*, *cups more*.

    *More* may be behind any noun (*cups*); *lower*, only behind a unit, which is short.
    """
    unit = r"(?:[^\W\d]{1,3}\s|[%°]\s)?\s*"
    lower, more = (
        lexicon.pattern("signs", "up", "down", "apart"),
        lexicon.pattern("signs", "beyond", "added"),
    )
    return re.compile(rf"\s*(?:{unit}{lower}|(?:[^\W\d]+\s)?{more})(?![\w-])", re.IGNORECASE)


def subject_stems(sentence: Sentence, number: Stated) -> list[str]:
    """Return the stems of the subject whose value a number is; empty if in doubt.

    >>> from vaultkit.claims.lexicon import lexicon
    >>> from vaultkit.claims.mentions import sentences
    >>> from vaultkit.read.markdown import parse
    >>> texts = "So the largest gap is 8.", "The gap at noon is 8.", "The gap is not 8."
    >>> parsed = [next(sentences(parse(text), lexicon())) for text in texts]
    >>> [subject_stems(own, own.numbers[0]) for own in parsed]
    [['max', 'gap'], [], []]
    """
    lexicon = sentence.lexicon
    before = sentence.text[: number.start]
    verb = re.search(rf"(?:\s+{lexicon.pattern('roles', 'between', 'verbs')})+\s+[$€£]?$", before)
    if not verb or is_apart(sentence, before) or not _ends_clause(sentence, number):
        return []
    phrases = re.split(_PHRASE_END, before[: verb.start()])
    words = phrases[-1].split()
    roles = lexicon.words["roles"]
    if _first_word(before) in roles["case"]:
        return []  # *For Ann, the gap is 8*: the gap of another case
    while words and words[0].lower() in roles["opening"]:
        words = words[1:]
    if words and words[0].lower() in roles["determiners"]:
        words = words[1:]
    if not 1 <= len(words) <= _LONGEST_SUBJECT:
        return []
    if not all(re.fullmatch(r"[^\W\d]\w*", word) for word in words):
        return []
    if {word.lower() for word in words} & {*roles["case"], *roles["of_another"]}:
        return []  # *the gap at noon*, *its gap*
    label = label_stems(" ".join(words), lexicon)
    return [own for own in (stem(word, lexicon) for word in words) if own in label]


def possession_stems(sentence: Sentence, number: Stated) -> list[str]:
    """Return the stems of *hydration* in *the dough has a hydration of 68 %*; empty if in doubt.

    The sentence must begin with its subject: *it*, or a determiner and one word.
    """
    lexicon, before = sentence.lexicon, sentence.text[: number.start]
    # *It has a hydration of*, *the dough has a final hydration of*.
    pattern = r"\s*(?:{}|(?:{})\s\w+)\s{}\s(?:an?\s)?(?P<label>[^\W\d]\w*(?:\s[^\W\d]\w*)?)\s{}\s"
    lists = ("it", "determiners", "having", "of_value")
    possession = role_pattern(lexicon, pattern, *lists).fullmatch(before)
    if not possession or is_apart(sentence, before) or not _ends_clause(sentence, number):
        return []
    return sorted(label_stems(possession["label"], lexicon))


def opens_paragraph(sentence: Sentence, number: Stated) -> bool:
    """Return whether no words before a number set another case: *for Ann, the gap is 5*.

    Its sentence must begin its paragraph, and its phrase the sentence.
    """
    earlier = sentence.piece.text[: sentence.begins]
    return not earlier.strip() and not re.search(_PHRASE_END, sentence.text[: number.start])


def is_cited(sentence: Sentence, link_end: int, number_start: int) -> bool:
    """Return whether a number belongs to the note of a link before it: *[[Sag]], where it is 3*."""
    gap = sentence.text[link_end:number_start]
    lexicon = sentence.lexicon
    if role_pattern(lexicon, r"\b{}\b", "cited").search(gap):
        return True
    # *In [[Sag]] the largest deflection is 3 mm.*
    opens = re.fullmatch(r"\W*(?:as |see )?in\W*", sentence.text[:link_end].lower())
    most_words = _NEAR_OPENING_LINK if opens else _NEAR_LINK
    turns_away = role_pattern(lexicon, r"\b{}\b|[)—–:]", "turns").search(gap)
    return not turns_away and len(gap.split()) <= most_words


def _ends_clause(sentence: Sentence, number: Stated) -> bool:
    """Return whether a number ends its clause, apart from a unit: *is 8 km per hour, and*."""
    unit = r"\s?[%°‰]|\s(?!{}\b)[^\W\d]{{1,14}}(?:\s?/\s?\w+|\s{}\s\w+)?"  # *%*, *km per hour*
    end = r"$|[.,;:)](?!\d)|\s{}\b"
    pattern = role_pattern(sentence.lexicon, rf"(?:{unit})?\s*(?:{end})", "no_unit", "per", "ends")
    is_last = bool(pattern.match(sentence.text, number.end))
    return is_last and not is_difference(sentence, number)


def is_copula(sentence: Sentence, number: Stated) -> bool:
    """Return whether the verb before a number says that the number is the value itself.

    That is every verb but those of a quantity, which need not be the label: *the crate weighs 3*.
    """
    verbs = role_pattern(sentence.lexicon, r"\b{}(?:\s\w+)?\s+[$€£]?$", "verbs")
    return not verbs.search(sentence.text[: number.start])


@dataclass(frozen=True)
class Count:
    """What a number counts: the labels of its noun, with and without the word before it."""

    labels: tuple[frozenset[str], ...]
    #: Whether something takes or needs so many: *it takes 6 steps*.
    takes: bool


def counted_noun(sentence: Sentence, number: Stated) -> Count | None:
    """Return what a number counts in *it takes 6 steps* and *there are 6 words*; None if in doubt.

    Examples
    --------
    >>> from vaultkit.claims.lexicon import lexicon
    >>> from vaultkit.claims.mentions import sentences
    >>> from vaultkit.read.markdown import parse
    >>> (own,) = sentences(parse("It takes 6 big steps."), lexicon())
    >>> count = counted_noun(own, own.numbers[0])
    >>> count.takes, sorted(map(sorted, count.labels))
    (True, [['big', 'step'], ['step']])
    """
    lexicon, before = sentence.lexicon, sentence.text[: number.start]
    # *It takes*, *there are only*; and behind the number, *big steps*, *pairs of steps*.
    verb_pattern = r"(?:\b{}\s(?P<takes>{})|\b{})\s(?:{}\s)?$"
    # *In all* and *among them* are no nouns. Shorter words are units: *6 cm*.
    noun_pattern = (
        r"\s(?!(?:{}|{})\b)(?P<all>(?:{}\s|[a-z]+\s)?(?P<noun>[a-z]{{3,}}))(?=\s*$|[.,;:)]|\s{}\b)"
    )
    verb = role_pattern(lexicon, verb_pattern, "it", "counting", "there", "only").search(before)
    lists = ("no_noun", "behind_counted", "pairs", "behind_counted")
    noun = role_pattern(lexicon, noun_pattern, *lists).match(sentence.text, number.end)
    if not verb or not noun or is_apart(sentence, before):
        return None
    roles = lexicon.words["roles"]
    if _first_word(before) in {*roles["case"], *roles["opening_uncounted"]}:
        return None  # *For Ann, it takes 6 steps*, *a search takes …*: not the page's only one
    labels = label_stems(noun["all"], lexicon), label_stems(noun["noun"], lexicon)
    return Count(labels, bool(verb["takes"]))


def _first_word(text: str) -> str:
    """Return the first word of a text in lower case, *for* of *(For Ann*; empty if it has none."""
    word = re.search(r"\w+", text)
    return word[0].lower() if word else ""
