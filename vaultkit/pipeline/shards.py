"""Shards of a vault, so that each of several machines checks a part."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


class ShardError(ValueError):
    """A shard that cannot be parsed."""


@dataclass(frozen=True)
class Shard:
    """A shard of the notes, for example the first of three.

    Attributes
    ----------
    number, count
        The number of the shard, from 1, and their count.
    """

    number: int
    count: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """Parse a shard.

        Raises
        ------
        ShardError
            If the text is not a shard.

        >>> Shard.read("1/4")
        Shard(number=1, count=4)
        """
        # Six digits are enough, and `int` refuses a text of thousands.
        found = re.fullmatch(r"(?P<number>[0-9]{1,6})/(?P<count>[0-9]{1,6})", text)
        number, count = (int(found["number"]), int(found["count"])) if found else (0, 0)
        if not 1 <= number <= count:
            raise ShardError(f"--shard {text}: write 1/4 for the first of four shares, up to 4/4")
        return cls(number, count)

    def select(self, paths: Iterable[Path]) -> set[Path]:
        """Return the files in the shard; the same on all machines with the same files.

        >>> sorted(str(path) for path in Shard(1, 2).select([Path("c"), Path("a"), Path("b")]))
        ['a', 'c']
        """
        return set(sorted(paths, key=Path.as_posix)[self.number - 1 :: self.count])
