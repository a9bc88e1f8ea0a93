"""Runs the code of every note, and nothing else: what no checker can undercut.

``python -m bench.bare docs`` prints the seconds that this took, by the clock and of processors.
"""

import contextlib
import io
import sys
import time
import warnings
from pathlib import Path

from vaultkit.read import prompts
from vaultkit.read.note import Block
from vaultkit.read.vault import Vault


def run(block: Block, names: dict[str, object]) -> None:
    """Run a block as Python does, without capturing its output."""
    if block.kind == "python":
        exec(block.fence.text, names)
        return
    for example in prompts.examples(block.fence.text):
        with contextlib.suppress(Exception if example.error is not None else ()):
            exec(compile(example.source, "<block>", "single"), names)


def main(folder: Path) -> None:
    """Run all notes in this process; they are read before the clock starts."""
    notes = list(Vault(folder).notes.values())
    began = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for note in notes:
            names: dict[str, object] = {"__name__": "__main__"}
            for block in note.blocks:
                if "no-run" not in block.fence.options:
                    expected = Exception if "raises" in block.fence.options else ()
                    with contextlib.suppress(expected):
                        run(block, names)
    print(time.perf_counter() - began[0], time.process_time() - began[1])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
