"""Writes a new note that passes every check, as a template to be changed piece by piece."""

from __future__ import annotations

import re
from pathlib import Path

from vaultkit.files import write_atomically
from vaultkit.read.vault import Vault

#: The text of a new note if the vault names no template.
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
#: A character that a file name cannot contain on some system, or in an Obsidian link.
FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]')
#: The mark for the title in a template, as in Obsidian.
_TITLE = re.compile(r"\{\{\s*title\s*\}\}")


class TakenError(ValueError):
    """A name that is invalid for a note, or already in use."""


def write(name: str, vault: Vault) -> Path:
    """Write a new note, and return its path.

    Raises
    ------
    TakenError
        If the name is invalid or in use.
    """
    path, text = draft(name, vault)
    write_atomically(path, text)
    return path


def draft(name: str, vault: Vault, folder: Path | None = None) -> tuple[Path, str]:
    """Return the path and the text of a new note in a folder of a vault; the note is not written.

    Without ``folder``, it is at the vault's root. If the vault's settings name a ``template``, the
    text is that of the template, with the name for ``{{title}}``.

    Raises
    ------
    TakenError
        If the name is invalid or in use, or the folder is outside the vault.
    """
    title = name.strip().removesuffix(".md")
    is_hidden = title.startswith(".")
    if not title or FORBIDDEN.search(title) or is_hidden:
        raise TakenError(f"{name!r} cannot be the name of a note")
    folder = folder or vault.root
    if not folder.resolve().is_relative_to(vault.root.resolve()):
        raise TakenError(f"{folder} is outside the vault")
    path = folder / f"{title}.md"
    taken = vault.notes_by_name.get(title.casefold())
    if taken or path.exists():
        raise TakenError(f"{title!r} is taken: {vault.relative(taken[0]) if taken else path}")
    text = NOTE.replace("{title}", title)
    if vault.options.template:
        try:
            text = (vault.root / vault.options.template).read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            raise TakenError(f"template {vault.options.template!r}: {error}") from error
        text = _TITLE.sub(lambda _: title, text)
    return path, text
