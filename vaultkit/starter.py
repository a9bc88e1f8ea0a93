"""Writes a new note that passes every check, to be made one's own piece by piece."""

from __future__ import annotations

import re
from pathlib import Path

from vaultkit.files import write_atomically
from vaultkit.read.vault import Vault

#: What a note begins as where the vault names no template of its own.
NOTE = """\
---
aliases: []
tags: []
summary: One sentence that says what the note says.
---
# {title}

One sentence that answers the question.

$$
y = 2 x
$$

```python
import numpy as np

x = np.array([1.0, 2.0])
y = 2 * x
y
```

```text
array([2., 4.])
```
"""
#: What a file's name cannot hold on some system, or a link in Obsidian.
FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]')


class TakenError(ValueError):
    """A name that cannot be a note's, or is one's already."""


def write(name: str, vault: Vault) -> Path:
    """Write a note, and return its path.

    Raises
    ------
    TakenError
        If there is something of this name, or there cannot be.
    """
    path, text = begin(name, vault)
    write_atomically(path, text)
    return path


def begin(name: str, vault: Vault) -> tuple[Path, str]:
    """Return what a note begins as, and where it is to stand.

    Where the vault's settings name a ``template``, it begins as that, with ``{{title}}`` filled in
    as Obsidian does.

    Raises
    ------
    TakenError
        If there is something of this name, or there cannot be.
    """
    title = name.strip().removesuffix(".md")
    if not title or FORBIDDEN.search(title) or title.startswith("."):
        raise TakenError(f"{name!r} cannot be the name of a note")
    path = vault.root / f"{title}.md"
    taken = vault.taken.get(title.casefold())
    if taken or path.exists():
        raise TakenError(f"{title!r} is taken: {vault.relative(taken[0]) if taken else path}")
    text = NOTE.replace("{title}", title)
    if vault.options.template:
        try:
            text = (vault.root / vault.options.template).read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            raise TakenError(f"template {vault.options.template!r}: {error}") from error
        text = re.sub(r"\{\{\s*title\s*\}\}", lambda _: title, text)
    return path, text
