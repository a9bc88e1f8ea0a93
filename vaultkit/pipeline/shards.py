"""Shares of the notes of a vault, so that several machines can check it, each a part."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


class ShardError(ValueError):
    """What is no share of the notes."""


@dataclass(frozen=True)
class Shard:
    """A share of the notes: the first of three, say.

    Attributes
    ----------
    number, count
        Which share, from 1, of how many.
    """

    number: int
    count: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """Read a share as somebody types it.

        Raises
        ------
        ShardError
            If it is none.

        >>> Shard.read("1/4")
        Shard(number=1, count=4)
        """
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        number, count = map(int, found.groups()) if found else (0, 0)
        if not 1 <= number <= count:
            raise ShardError(f"--shard {text}: write 1/4 for the first of four shares, up to 4/4")
        return cls(number, count)

    def of(self, paths: Iterable[Path]) -> set[Path]:
        """Return the share of some files that is the same wherever the same files are.

        >>> sorted(str(path) for path in Shard(1, 2).of([Path("c"), Path("a"), Path("b")]))
        ['a', 'c']
        """
        return set(sorted(paths, key=Path.as_posix)[self.number - 1 :: self.count])
