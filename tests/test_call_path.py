"""Following one note from its file to its verdict and its page, one seldom returns to a room.

A *room* is a folder of the engine. A *return* is a call from one room into another one that the
stack of calls has been in already: the reader comes back to code that seemed to be done. Each pair
of functions counts once, however often one calls the other. pytest, MkDocs and Jinja call hooks:
what they call is taken as called by the engine's function that has called them.
"""

from __future__ import annotations

import functools
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType

import pytest
from click.testing import CliRunner
from mkdocs.commands.build import build
from mkdocs.config import load_config

import vaultkit
from vaultkit.doors.command_line import main

#: Most returns on the way to a verdict, and to a page.
MOST = 8
ENGINE = Path(vaultkit.__file__).parent
#: Calls the handlers of the class that uses it, as Python's parser does.
PARSER = ENGINE / "read" / "html.py"
NOTE = """# Halves

Half of $x$ is $\\frac{x}{2} = h$, or 1.5, as [[Halves#Predictions]] asks; `h` is 1.5.

```python
def half(x):
    return x / 2

x = 3
h = half(x)
h
```

```text
1.5
```

$$\\operatorname{half}(x) = h$$

## Predictions

> [!question] Predict the number
> What is a third of it?
>
> - `h * 3`: multiplied by it.

```python
h / 3
```

```text
0.5
```
"""


class Calls:
    """Counts returns while it is the profile function of the process."""

    def __init__(self) -> None:
        self.returns: set[tuple[CodeType, CodeType]] = set()

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        """Take note of a call."""
        if event != "call" or not (room := _room(frame)):
            return
        caller = frame.f_back
        while caller and not _room(caller):
            caller = caller.f_back
        if caller is None or _room(caller) == room:
            return
        pair, above = (caller.f_code, frame.f_code), caller
        while above:
            if _room(above) == room:
                self.returns.add(pair)
                return
            above = above.f_back  # type: ignore[assignment]

    def __enter__(self) -> Calls:
        threading.setprofile(self)
        sys.setprofile(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def named(self) -> list[str]:
        """Return the pairs in words."""
        return sorted(f"{a.co_qualname} calls {b.co_qualname}" for a, b in self.returns)


def _room(frame: FrameType) -> str:
    return _room_of(frame.f_code.co_filename)


@functools.cache
def _room_of(file: str) -> str:
    """Return the room of some code; empty for other code, and for templates."""
    path = Path(file)
    if path.suffix != ".py" or not path.is_relative_to(ENGINE) or path == PARSER:
        return ""
    return path.relative_to(ENGINE).parts[0]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "Halves.md").write_text(NOTE)
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: Site\ntheme:\n  name: material\nplugins: [search, vaultkit]\n"
    )
    return folder


def test_the_way_to_a_verdict(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultkit.workers.pool.count_cores", lambda: 0)  # in this process
    with Calls() as calls:
        result = CliRunner().invoke(main, ["check", str(docs)])
    assert "2 blocks, 2 equations, 1 number, 1 prediction" in result.output
    assert 0 < len(calls.returns) <= MOST, calls.named()


@pytest.mark.long
def test_the_way_to_a_page(docs: Path) -> None:
    config = load_config(str(docs.parent / "mkdocs.yml"), site_dir=str(docs.parent / "site"))
    with Calls() as calls:
        build(config)
    assert "<math" in (docs.parent / "site" / "halves" / "index.html").read_text()
    assert 0 < len(calls.returns) <= MOST, calls.named()
