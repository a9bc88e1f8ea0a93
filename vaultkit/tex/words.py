"""Words in formulas: those before conditions, connectives, and those that cannot be judged."""

from __future__ import annotations

import re

#: All words of a text before a condition: *for all*, *if*.
CONDITION = re.compile(
    r"\s*(?:and\s+)?(?:if|for|when|whenever|provided|unless|as long as)"
    r"(?:\s+(?:all|each|every|any|that|and only if))?\s*$"
)
#: All words of a text that only join two statements: *and so*, *where*.
JOINING = re.compile(
    r"\s*(?:(?:and|so|then|hence|thus|therefore|because|since|where|with|but|while|also|that is|"
    r"so that|we have|it holds|let|i\.e\.|as)[\s,:]*)+$"
)
#: The words in place of the last condition of cases.
OTHERWISE = re.compile(r"\s*(?:otherwise|else|elsewhere)[\s.,]*$")
#: The first word of a text between statements or before a condition; other texts are names.
WORDS = re.compile(
    r"\s*(?:for|where|if|and|so|with|when|or|otherwise|else|because|since|hence|unless|iff|thus|"
    r"therefore|whenever|provided|then|but|while)\b"
)
#: Words that state something that cannot be judged: *is at most*.
CLAIMING = re.compile(
    r"\b(?:is|are|equals?|becomes?|exceeds?|at most|at least|less|greater|larger|smaller|same as|"
    r"not|gives|yields|if|unless|or)\b"
)
#: Relations, which cannot be judged in a text.
SIGNS = re.compile(r"[=<>≤≥≈≠∈→⇒]")
#: Words that state a number, all in one \\text.
SAYING = re.compile(CLAIMING.pattern + r"[^.;]*\d")

#: Digits that would have to be backed.
COUNTS = re.compile(r"\d\d|\d\.\d")
#: Braces, and the mark before their label.
BRACES = {r"\underbrace": "_", r"\overbrace": "^"}
