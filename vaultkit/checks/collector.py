"""`Collector`, the base of the classes that collect what a page shows, to judge its sentences."""

from __future__ import annotations

from vaultkit.claims.lexicon import Lexicon


class Collector:
    """Collects what the blocks of a note print and bind.

    Parameters
    ----------
    lexicon
        The words of the language of the note.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
