"""`Check`, the record of what a check found, and `Fix`, an edit that repairs it.

A statement of a note is *proven* if it holds, and *contradicted* if it fails. A *trial* runs the
note again with other numbers, to see whether a statement holds for them, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from vaultkit.claims.mentions import Sentence
from vaultkit.claims.stated import Stated

#: Outcomes of a check: proven, contradicted, and without a verdict. *Excepted*: the note gives the
#: reason why it is not checked. *Not judged*: it can neither be proven nor contradicted.
HOLDS, FAILS, EXCEPTED, UNJUDGED = "holds", "fails", "excepted", "unjudged"
#: Outcomes of a statement that should be proven and is not.
UNPROVEN = (FAILS, UNJUDGED)
#: Reasons of a missing verdict: code needs what a browser lacks, or depends on such code; a name is
#: not defined; a formula cannot be computed, or the sizes of its arrays do not fit.
LACKS, UNBOUND, UNCOMPUTABLE, UNFIT = "lacks", "unbound", "uncomputable", "sizes"
#: The kind of a sentence that compares in words alone.
COMPARISON = "comparison"
#: Most characters of a name or formula in a message.
LONGEST = 200
#: A longer name, with the marks behind it: ``]]:`` in ``[[aaaa…]]: there is no such note``.
_LONG_NAME = re.compile(rf"(?P<beginning>\S{{{LONGEST - 1}}})\S+?(?P<marks>[^\w\s…]{{0,4}})(?!\S)")
#: Scopes of a statement: it holds for other numbers, too, or for those of the page; or a number
#: occurs on the page, which does not prove that it is the right one.
GENERAL, HERE, FOUND = "general", "here", "found"


@dataclass(frozen=True)
class Fix:
    """An edit: replaces lines ``first`` to ``last`` (from 1), or inserts if ``last < first``.

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
    """One statement of a note, and whether it holds.

    Attributes
    ----------
    kind
        ``block``, ``equation``, ``shape``, ``number``, ``prediction``, ``distractor``, ``link``,
        ``formula``, ``mirror``, ``form``, ``comparison``.
    line, column
        Its position in the note's file, counted from 1.
    what
        The statement, as the note writes it.
    outcome
        `HOLDS`, `FAILS`, `EXCEPTED` or `UNJUDGED`.
    why
        The failure, or why it is not judged; if it holds, the evidence; if it is excepted, the
        note's reason.
    sides
        For an equation that holds, the values of both sides and their difference.
    scope
        `GENERAL` or `HERE`, if trials on other numbers have decided which; `FOUND` for a number
        that occurs on the page.
    pinned
        What stayed the same in all trials, if the scope is not `GENERAL` for that reason.
    seconds
        The time that it took.
    block
        The index of the block that was checked, from 0; None for other checks.
    fix
        The edit that would make it hold, if one is known.
    now
        The numbers that a comment binds, if one of them differs from its value: each as the text
        has it, and in the same form as the code gives it.
    of_cases
        Whether those are the numbers of the last case of a loop (`names_of_cases`).
    reason
        `LACKS`, `UNBOUND`, `UNCOMPUTABLE` or `UNFIT`, if that is why there is no verdict.
    sizes
        The shapes of the arrays in a formula whose sizes do not fit.
    values
        For a sentence, its code and the value in the digits of the page (`shown`); for a
        comparison, the values of its sides: ``2 > 1``.
    is_law
        Whether an equation relates names to names, so that it may hold for other numbers, too.
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
    fix: Fix | None = None
    now: tuple[tuple[str, str], ...] = ()
    of_cases: bool = False
    reason: str = ""
    sizes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    is_law: bool = False

    def __post_init__(self) -> None:
        """Shorten names and formulas in the message; that of a block, with outputs, stays."""
        # A damaged ledger may contain anything.
        are_texts = isinstance(self.why, str) and isinstance(self.what, str)
        if are_texts and len(self.why) > LONGEST and self.kind != "block":
            object.__setattr__(self, "why", _shortened(self.why, self.what))

    def plain(self) -> dict[str, Any]:
        """Return the record as plain data without empty values.

        Lone surrogates, which no file can contain but code may print, are escaped.

        >>> Check("block", 1, "x", FAILS, chr(0xD800)).plain()["why"] == chr(92) + "ud800"
        True
        """
        required = ("kind", "line", "what", "outcome")
        data = {**vars(self), "fix": self.fix and asdict(self.fix)}
        return {
            name: _encodable(value)
            for name, value in data.items()
            # False is not in the tuple, since it equals 0, and `block` may be 0.
            if name in required or not (value is False or value in ("", None, ()))
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Check:
        """Create a check from the data of `plain`, in which JSON has made lists of tuples.

        Raises
        ------
        TypeError, ValueError
            If the data have another form.
        """
        check = cls(**data)
        texts = ("kind", "what", "outcome", "why", "scope", "sides", "pinned", "reason")
        are_texts = all(isinstance(getattr(check, name), str) for name in texts)
        if not are_texts or not isinstance(check.line, int):
            raise TypeError("a check has a value of another type")
        fix = data.get("fix")
        return replace(
            check,
            fix=None if fix is None else Fix(**{**fix, "lines": tuple(fix["lines"])}),
            now=tuple((old, new) for old, new in data.get("now", ())),
            values=tuple((code, value) for code, value in data.get("values", ())),
            sizes=tuple((name, tuple(shape)) for name, shape in data.get("sizes", ())),
        )


@dataclass(frozen=True)
class Contradiction:
    """A number, word or date of the text that the page contradicts.

    Attributes
    ----------
    place
        Its line and column in the note's file.
    what
        Its text.
    why
        What contradicts it.
    in_wrong_unit
        Whether its unit is wrong, so that it is wrong even if its value is computed.
    """

    place: tuple[int, int]
    what: str
    why: str
    in_wrong_unit: bool = False

    @classmethod
    def of_number(
        cls, sentence: Sentence, number: Stated, why: str, *, in_wrong_unit: bool = False
    ) -> Contradiction:
        """Return the contradiction of a number of a sentence, at the place of the number."""
        return cls(sentence.place_of(number.start), number.text, why, in_wrong_unit)


def strictly(checks: Iterable[Check]) -> Iterator[Check]:
    """Yield checks as the strict mode reports them: a check that is not judged fails.

    Comparisons in words are only counted; `vaultkit.checks.compared` has a setting of its own.

    >>> kinds = "number", "comparison"
    >>> [check.outcome for check in strictly(Check(kind, 1, "", UNJUDGED) for kind in kinds)]
    ['fails', 'unjudged']
    """
    for check in checks:
        is_open = check.outcome == UNJUDGED and check.kind != COMPARISON
        yield replace(check, outcome=FAILS) if is_open else check


def _encodable(value: Any) -> Any:
    """Return a value with lone surrogates escaped, also within containers."""
    if isinstance(value, str) and not value.isascii():  # faster than encoding every text
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, tuple):
        return tuple(map(_encodable, value))
    if isinstance(value, dict):
        return {key: _encodable(inner) for key, inner in value.items()}
    return value


def _shortened(why: str, what: str) -> str:
    """Shorten the statement ``what`` in a message ``why`` to `LONGEST` characters, and long names.

    >>> print(_shortened("[[" + "a" * 5000 + "]]: there is no such note", "")[195:])
    aaaa…]]: there is no such note
    """
    if LONGEST < len(what) < len(why.partition("\n")[0]):  # the first line has more than it
        why = why.replace(what, f"{what[: LONGEST - 1]}…")
    return _LONG_NAME.sub(r"\g<beginning>…\g<marks>", why)
