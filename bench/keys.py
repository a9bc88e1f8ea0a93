"""How long an editor waits after a key, as a multiple of checking the note once.

``python -m bench.keys`` prints it: from a key to the verdict on a link and on an equation, on the
longest note of the vault that has both, and to that on a link among ``--notes`` notes. The pause
after the last key is part of it. Half of the times are shorter than the median, which is printed.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from bench.__main__ import COPIED, ROOT, machine
from tests.vaultkit.editor import Editor, Message
from vaultkit.pipeline.inspect import Settings
from vaultkit.pipeline.runner import Runner
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault
from vaultkit.render.mathematics import to_mathml

#: A failure typed at the end of the note, different each time.
LINK, EQUATION = "[[No note {}]]", "$1 = {}$"
_NUMBERS = count(2)
#: Only the open note runs.
OPEN = {"vaultkit": {"check": "open"}}


def once(vault: Path, note: Path) -> float:
    """Check a note as ``vaultkit check --note`` does, the process of the note included."""
    known = Vault(vault)
    runner = Runner(known, Settings(known.options.timeout, 0, to_mathml), count=1)
    try:
        runner.result(next(iter(known.notes.values())))  # the keeper is there from now on
        began = time.perf_counter()
        runner.result(known.notes[note])
        return time.perf_counter() - began
    finally:
        runner.close()


def typed(editor: Editor, name: str, words: str) -> float:
    """Type a failure, wait for its report, remove it, and wait again."""
    words = words.format(next(_NUMBERS))

    def has(problems: list[Message]) -> bool:
        return any(words in problem["message"] for problem in problems)

    text = editor.texts[name]
    editor.texts[name] = text + f"\n{words}\n"
    where = {"start": editor.position(text, len(text)), "end": editor.position(text, len(text))}
    began = time.perf_counter()
    editor.change(name, [{"range": where, "text": f"\n{words}\n"}])
    editor.problems(name, has)
    seconds = time.perf_counter() - began
    editor.texts[name] = text
    editor.change(name, [{"text": text}])
    editor.problems(name, lambda problems: not has(problems))
    return seconds


def median(times: int, measure: Callable[[], float]) -> float:
    """Return the median of some times."""
    return statistics.median(measure() for _ in range(times))


def longest(vault: Vault) -> Note:
    """Return the longest Markdown note with code."""
    notes = (note for note in vault.notes.values() if note.blocks and note.path.suffix == ".md")
    return max(notes, key=lambda note: len(note.text))


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.keys", description=__doc__)
    parser.add_argument("--times", type=int, default=11, help="how often each (11)")
    parser.add_argument("--notes", type=int, default=1000, help="notes of the large vault (1000)")
    given = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "vault"
        root.mkdir()
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, root / name)
        vault = Vault(root / "docs")
        note = longest(vault)
        name = note.path.relative_to(root).as_posix()
        check = median(given.times, lambda: once(vault.root, note.path))
        print(f"{note.name}: {len(note.lines)} lines, {len(note.blocks)} blocks; ", end="")
        print(f"the median of {given.times}, as multiples of checking it once\n")
        rows = {"checking the note once": check}
        with Editor(root, "--vault", "docs", initializationOptions=OPEN) as editor:
            editor.open(name)
            typed(editor, name, EQUATION)
            rows["key to link"] = median(given.times, lambda: typed(editor, name, LINK))
            rows["key to equation"] = median(given.times, lambda: typed(editor, name, EQUATION))
        for number in range(given.notes - len(vault.notes)):
            text = f"# Note {number}\n\nSee [[Note {number // 2}]] and [[Softmax]].\n"
            (vault.root / f"Note {number}.md").write_text(text)
        with Editor(root, "--vault", "docs", initializationOptions=OPEN) as editor:
            editor.open(name)
            typed(editor, name, EQUATION)
            what = f"key to link, {given.notes} notes"
            rows[what] = median(given.times, lambda: typed(editor, name, LINK))
            what = f"key to equation, {given.notes} notes"
            rows[what] = median(given.times, lambda: typed(editor, name, EQUATION))
    for what, seconds in rows.items():
        print(f"{what:32} {1000 * seconds:7.0f} ms {seconds / check:7.2f}")


if __name__ == "__main__":
    sys.exit(main())
