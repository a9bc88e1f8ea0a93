"""What the tests do in a window of the mocked Obsidian, and the vault that it shows."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

#: The folder of the plugin.
HERE = Path(__file__).parents[1]
#: Seconds to wait for anything; a machine may be busy.
PATIENCE = 60.0

NOTE = """# Note

```python
x = 3.25
y = 2 * x
y + 1
```

```text
7.5
```

The double of $x = 3.25$ is $y = 6.5$, and x is 3.25 here.

$$
y = 2 x
$$

See [[Other]].
"""
FILES = {
    "Note.md": NOTE,
    "Other.md": "# Other\n\n```python\nz = 5.0\n```\n\nHere $z = 5$.\n",
    "Wrong.md": "# Wrong\n\n```python\nv = 1.5\nw = 2 * v\n```\n\nHere $w = 2$.\n",
}


def run(*words: str) -> None:
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def make_vault(folder: Path, files: dict[str, str]) -> Path:
    (folder / ".obsidian").mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return folder


def load(
    page: Page, vault: Path, name: str = "one", allow: bool = True, **settings: object
) -> None:
    """Load the plugin in a window of its own, and answer its question."""
    files = {path.name: path.read_text() for path in vault.glob("*.md")}
    page.evaluate(
        """([name, base, files, settings, path]) => {
            process.env.PATH = path;
            window[name] = new Window(base, files, settings);
            return window[name].load();
        }""",
        [name, str(vault), files, settings, os.environ["PATH"]],
    )
    page.locator(".modal").wait_for()
    if allow:
        page.get_by_role("button", name="Run and check").click()


def wait(page: Page, holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, (what, page.evaluate("notices"), page.content()[-3000:])
        page.wait_for_timeout(50)


def status(page: Page, name: str = "one") -> str:
    return page.evaluate(f"{name}.plugin.statusBarItems__[0].textContent")


def badges(page: Page, within: str = ".cm-content") -> list[str]:
    return page.locator(f"{within} .checked-vault-badge").all_inner_texts()


def text_of(page: Page, index: int = 0) -> str:
    return page.evaluate(f"one.leaves[{index}].editor.state.doc.toString()")


def put_cursor(page: Page, behind: str, index: int = 0) -> None:
    page.evaluate(
        f"""(behind) => {{
            const {{ editor }} = one.leaves[{index}];
            const at = editor.state.doc.toString().indexOf(behind);
            if (at < 0) throw new Error(behind);
            const selection = {{ anchor: at + behind.length }};
            editor.dispatch({{ selection, scrollIntoView: true }});
            editor.focus();
        }}""",
        behind,
    )


def picture(page: Page, name: str) -> None:
    """Take a picture, into the folder that ``PICTURES`` names."""
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def descendants(process: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout.split()
    children = list(zip(map(int, listed[::2]), map(int, listed[1::2]), strict=True))
    found = [process]
    for one in found:
        found += [child for child, parent in children if parent == one]
    return found


def memory(process: int) -> float:
    """Return the memory of a process in MB; what it shares with others counts in part."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:  # it has ended
        return 0.0
    return int(lines.partition("\nPss:")[2].split()[0]) / 1e3


def alive(processes: list[int]) -> list[int]:
    return [one for one in processes if Path(f"/proc/{one}").exists()]
