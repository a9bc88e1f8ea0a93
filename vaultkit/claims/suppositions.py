"""Recognises what a sentence only asks, supposes or denies, so that it is not a statement."""

from __future__ import annotations

import re

_WORDS = (
    r"if|when|whenever|unless|whether|once|until|let|suppose|imagine|would|could|should|must|not"
    r"|never|instead|wrong"
)


def supposition_pattern(*words: str) -> re.Pattern[str]:
    """Return a pattern for words that suppose or deny, and for the given words.

    >>> supposition_pattern().search("Unless x is 3")[0]
    'Unless'
    >>> supposition_pattern("where").search("where x is 3")[0]
    'where'
    """
    return re.compile(rf"(?i:\b(?:{'|'.join((_WORDS, *words))})\b|n't\b)")


#: Words before a name by which the value behind it is not stated.
NOT_STATED = supposition_pattern(
    "without", "neither", "no", "none", "otherwise", "mistake", "cannot", "for", "with", "set",
    "take", "try", "choose", "at", "from", "as", "like", "say", r"e\.g", "than", r"(?<!,\s)where",
    "by", r"change\w*", "becomes?", r"(?:up|down)\s+to", "beyond", "through",
)  # fmt: skip
#: Verbs for what a reader may do with a value; words that may precede them; and beginnings of
#: sentences in which nobody is asked to do it.
_DO = (
    r"(?:set|try|choose|pick|put|take|use|pass|change|replace|raise|lower|increase|add|write|call)"
)
_FIRST = (
    r"(?:Now|Then|Next|Instead|Finally|First|Here|So|Please|Or|For\s(?:instance|example)"
    r"|As\san\sexercise)"
)
_NO_ORDER = (
    r"(?:The|An?|This|That|These|Those|It|They|We|I|You|He|She|One|Both|Each|Every|All|Some|Our|In|On"
    r"|At|As|By|For|From|With|Of|To|Since|Because|After|Before|While|Where|There|Here|So)\b"
)
#: More code to which the same words apply: *from `n = 12` to `n = 24`*.
_MORE = r"(?:`[^`]*`(?:,|,?\s(?:and|or|to))\s(?:to\s|with\s)?)*"
_GOVERNED = re.compile(
    r"(?:"
    # A condition, up to the comma that ends it.
    r"\b(?i:if|unless|whether|suppos(?:e|ing)|imagine|consider|assum(?:e|ing)|let(?!['’]?s\b|\sus\b))\b[^,;:]*"
    r"|\b(?i:when|whenever)\s(?:(?:you|we|one)\s[a-z]+\s)?"
    r"|(?i:\b(?:not|never|cannot|without|instead\sof|rather\sthan|no\slonger)|n't)\s"
    r"(?:(?:so|true|the\scase)\s)?(?:that\s|with\s|be\s|set\s|use\s)?"
    # A request to the reader.
    rf"|^(?:{_FIRST},?\s)?(?i:{_DO})\s[^,;:]*"
    rf"|^(?!{_NO_ORDER})[A-Z][a-z]+\s[^;:]*(?:,|,?\s(?:and|then))\s{_DO}\s[^,;:]*"
    rf"|\b(?:[Yy]ou|one)\s(?:can|could|may|might|should)\s(?:also\s|now\s)?{_DO}\s[^,;:]*"
    rf"){_MORE}$"
)
#: *With `n = 48` it would …*, *`n = 48` would …*.
_WITH = re.compile(rf"\b(?i:with|for|at|by|using)\s(?:an?\s|the\s)?{_MORE}$")
_WOULD = re.compile(r"\b(?:would|could|might)\b")


def is_supposed(before: str, behind: str) -> bool:
    """Return whether a sentence asks, supposes or denies a statement in its code.

    A word of doubt elsewhere in the sentence is not enough: *If you look above, `n = 20`* states
    the value.

    Parameters
    ----------
    before, behind
        The sentence before and after the code, with backticks around other code.

    Examples
    --------
    >>> is_supposed("Set ", " and look."), is_supposed("What if ", "?"), is_supposed("We set ", ".")
    (True, True, False)
    """
    if behind.rstrip(" )*_\"'").endswith("?") or _GOVERNED.search(before):
        return True
    if re.match(rf"\s{_WOULD.pattern}", behind):
        return True
    return bool(_WITH.search(before) and _WOULD.search(f"{before} {behind}"))


_DOUBT = supposition_pattern(
    "before", "after", "first", r"at\s+most", r"at\s+least", "about", "around"
)


def is_doubtful(before: str, behind: str) -> bool:
    """Return whether a word makes it doubtful that a sentence states a piece of code.

    A word at the beginning of a sentence applies only up to the next comma.

    >>> is_doubtful("When it ends, ", "."), is_doubtful("This is so when ", ".")
    (False, True)
    """
    said = f"{before.lstrip()[1:]} {behind}"
    return "?" in said or bool(_DOUBT.search(said)) or is_supposed(before.lstrip(), behind)


#: Words before a comparison, and a verb behind it, by which it is a condition and no statement.
_TESTED = re.compile(
    r"(?i:\b(?:conditions?|masks?|tests?|checks?|filters?|comparisons?|quer(?:y|ies)|until|while)\s$)"
)
_ACTS = re.compile(
    r"\s(?:(?:is|was|are)\s(?:not|never|false|False)\b"
    r"|(?!(?:always|as|besides|has|his|holds|is|its|perhaps|plus|minus|sometimes|this|thus|us|was)\b)"
    r"[a-z]+(?<!s)s\b)"
)


def is_condition(before: str, behind: str) -> bool:
    """Return whether a sentence uses a comparison in code as a condition.

    Then it does not say that the comparison holds.

    Examples
    --------
    >>> is_condition("The mask ", " selects nothing."), is_condition("Then ", " ends it.")
    (True, True)
    >>> is_condition("So ", "."), is_condition("Here ", " holds."), is_condition("", " as well.")
    (False, False, False)
    """
    return bool(_TESTED.search(before) or _ACTS.match(behind))
