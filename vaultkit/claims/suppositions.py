"""Recognises what a sentence only asks, supposes or denies, so that it is not a statement."""

from __future__ import annotations

import re

from vaultkit.claims.lexicon import alternatives, lexicon

_ENGLISH = lexicon()


def supposition_pattern(*words: str) -> re.Pattern[str]:
    """Return a pattern for words that suppose or deny, and for the given words.

    >>> supposition_pattern().search("Unless x is 3")[0]
    'Unless'
    >>> supposition_pattern("where").search("where x is 3")[0]
    'where'
    """
    known = alternatives([*_ENGLISH.words["suppositions"]["doubting"], *words])
    return _ENGLISH.regex(rf"\b{known}\b|<suppositions.not_at_end>\b")


#: Words before a name by which the value behind it is not stated: *Without `n` = 12*.
NOT_STATED = supposition_pattern(*_ENGLISH.words["suppositions"]["not_stated"])
#: More code to which the same words apply: *from `n = 12` to `n = 24`*.
_MORE = r"(?:`[^`]*`(?:,|,?\s<suppositions.joining_code>)\s(?:<suppositions.before_more_code>\s)?)*"
_GOVERNED = _ENGLISH.regex(
    r"(?:"
    # A condition, up to the comma that ends it.
    r"\b(?i:<suppositions.conditions>)\b[^,;:]*"
    r"|\b(?i:<suppositions.times>)\s(?:<suppositions.persons>\s[a-z]+\s)?"
    r"|(?i:\b<suppositions.denying>|<suppositions.not_at_end>)\s"
    r"(?:<suppositions.true>\s)?(?:<suppositions.before_denied>\s)?"
    # A request to the reader.
    r"|^(?:<suppositions.first>,?\s)?(?i:<suppositions.requests>)\s[^,;:]*"
    r"|^(?!<suppositions.no_request>\b)[A-Z][a-z]+\s[^;:]*(?:,|,?\s<suppositions.then>)\s"
    r"<suppositions.requests>\s[^,;:]*"
    r"|\b<suppositions.reader>\s<suppositions.may>\s(?:<suppositions.also>\s)?<suppositions.requests>\s"
    rf"[^,;:]*){_MORE}$",
    re.NOFLAG,
)
#: *With `n = 48` it would …*, *`n = 48` would …*.
_WITH = _ENGLISH.regex(
    rf"\b(?i:<suppositions.with>)\s(?:<suppositions.article>\s)?{_MORE}$", re.NOFLAG
)
_WOULD = _ENGLISH.regex(r"\b<suppositions.would>\b", re.NOFLAG)


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


_DOUBT = supposition_pattern(*_ENGLISH.words["suppositions"]["doubtful"])


def is_doubtful(before: str, behind: str) -> bool:
    """Return whether a word makes it doubtful that a sentence states a piece of code.

    A word at the beginning of a sentence applies only up to the next comma.

    >>> is_doubtful("When it ends, ", "."), is_doubtful("This is so when ", ".")
    (False, True)
    """
    before = before.lstrip()
    # Without its first letter, the first word of the sentence is none of the words of doubt.
    sentence = f"{before[1:]} {behind}"
    return "?" in sentence or bool(_DOUBT.search(sentence)) or is_supposed(before, behind)


#: Words before a comparison, and a verb behind it, by which it is a condition and no statement:
#: *the mask `x > 3`*, *`x > 3` selects*, *`x > 3` is false*.
_TESTED = _ENGLISH.regex(r"\b<suppositions.tested>\s$")
_ACTS = _ENGLISH.regex(
    r"\s(?:<grammar.being>\s<suppositions.not_true>\b"
    r"|(?!<suppositions.no_verb>\b)[a-z]+(?<!s)s\b)",
    re.NOFLAG,
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
