"""Labels numbers with words: names of scalars, and words before numbers in outputs.

*The loss is 0.37* is compared with the variable ``loss``, and with an output *loss 0.37*. If the
page has 0.37 only as the value of something else, the number is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from vaultkit.checks.lookup import Evidence
from vaultkit.claims.lexicon import Lexicon, lexicon

_NAME = re.compile(r"[a-z]{3,}")
_LABEL = re.compile(
    r"(?<![\w.-])([A-Za-z][a-z]{2,})\s?[:=]?\s+([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.]*\w)"
)
#: A word before more numbers than this labels none of them.
_FEW = 8


class Labels:
    """Numbers by the words that label them.

    Parameters
    ----------
    words
        The words of a language, English by default. Those in its list ``no_label`` label nothing.
        Nor do superlatives: *the largest is 0.37* does not say which quantity it is the largest of.

    Examples
    --------
    >>> labels = Labels()
    >>> labels.read("payment 373.51 and interest: 946.53", "output at line 9")
    >>> labels.bind({"payment": 373.514})
    >>> [sorted(labels.labelled_by(word).numbers) for word in ("payment", "Interest")]
    [[373.51, 373.514], [946.53]]
    """

    def __init__(self, words: Lexicon | None = None) -> None:
        words = words or lexicon()
        self._named: dict[str, Evidence] = {}
        self._ignored = set(words.words["labelling"]["no_label"])
        self._superlative = re.compile(words.pattern("labelling", "superlatives"), re.IGNORECASE)

    def read(self, text: str, source: str) -> None:
        """Add the numbers of a line of output, labelled by the words right before them."""
        for word, number in _LABEL.findall(text):
            if word.lower() not in self._ignored:
                self._named.setdefault(word.lower(), Evidence()).add_printed([number], source)

    def bind(self, values: Mapping[str, float]) -> None:
        """Add scalars, labelled by their names."""
        for name, value in values.items():
            if _NAME.fullmatch(name) and name not in self._ignored:
                self._named.setdefault(name, Evidence()).add([value], f"variable {name}")

    def labelled_by(self, word: str) -> Evidence:
        """Return the numbers that a word labels; none if there are too many."""
        if self._superlative.fullmatch(word):
            return Evidence()
        named = self._named.get(word.lower()) or Evidence()
        return named if len(named.numbers) <= _FEW else Evidence()
