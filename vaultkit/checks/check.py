"""The one record for what a check found, and what would mend it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

#: What can have become of a check. *Excepted*: the note says why it cannot be made.
HOLDS, FAILS, EXCEPTED = "holds", "fails", "excepted"
#: How far a statement holds: whatever the numbers, or for those of the page.
GENERAL, HERE = "general", "here"


@dataclass(frozen=True)
class Mend:
    """Lines ``first`` to ``last`` (from 1) give way to others; none do if ``last < first``.

    In a notebook the cell of block number ``block``, whose code is ``source``, gets the output
    ``output`` instead.
    """

    first: int
    last: int
    lines: tuple[str, ...]
    source: str = ""
    output: str = ""
    block: int = 0


@dataclass(frozen=True)
class Check:
    """One thing that a note says, and whether it is so.

    Attributes
    ----------
    kind
        ``block``, ``equation``, ``shape``, ``number``, ``prediction``, ``distractor``, ``link``,
        ``formula``, ``mirror``, ``form``.
    line, column
        Where it stands in the note's file, counted from 1.
    what
        The statement, as the note writes it.
    outcome
        `HOLDS`, `FAILS` or `EXCEPTED`.
    why
        What is wrong; what it rests on, if it holds; the note's reason for an exception.
    sides
        What the two sides of an equation that holds come to, and how far they differ.
    scope
        `GENERAL` or `HERE`, where trials with other numbers have told the two apart.
    pinned
        What stayed the same in all trials, where that is why it is not called `GENERAL`.
    seconds
        How long it took.
    block
        Number of the block that it is of, from 0; None for all else.
    mend
        What would make it hold, where a machine can tell.
    """

    kind: str
    line: int
    what: str
    outcome: str = HOLDS
    why: str = ""
    column: int = 1
    scope: str = ""
    sides: str = ""
    pinned: str = ""
    seconds: float = 0.0
    block: int | None = None
    mend: Mend | None = None

    def plain(self) -> dict[str, Any]:
        """Return it as plain data, what is empty left out.

        Halves of surrogate pairs, which no file can hold, are escaped: code may print them.

        >>> Check("block", 1, "x", FAILS, chr(0xD800)).plain()["why"] == chr(92) + "ud800"
        True
        """
        kept = ("kind", "line", "what", "outcome")
        data = {**vars(self), "mend": self.mend and asdict(self.mend)}.items()
        return {k: _encodable(v) for k, v in data if k in kept or v not in ("", None)}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Check:
        """Read what `plain` has written.

        Raises
        ------
        TypeError, ValueError
            If it is anything else.
        """
        check = cls(**data)
        mend = data.get("mend")
        words = ("kind", "what", "outcome", "why", "scope", "sides", "pinned")
        given = (getattr(check, name) for name in words)
        if not all(isinstance(value, str) for value in given) or not isinstance(check.line, int):
            raise TypeError("a check has words where numbers should be")
        if mend is None:
            return check
        return cls(**{**data, "mend": Mend(**{**mend, "lines": tuple(mend["lines"])})})


def _encodable(value: Any) -> Any:
    if isinstance(value, str) and not value.isascii():
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, tuple):
        return tuple(map(_encodable, value))
    if isinstance(value, dict):
        return {key: _encodable(inner) for key, inner in value.items()}
    return value
