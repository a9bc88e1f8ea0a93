"""A note's changes to global state are failures of that note, and are undone."""

import decimal
import json
import logging
import operator
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from vaultkit.read.markdown import parse
from vaultkit.run import capture
from vaultkit.run.originals import ORIGINALS
from vaultkit.run.session import NoteRun
from vaultkit.run.steps import Step
from vaultkit.values import judge


def run(*blocks: str, info: str = "python", timeout: float = 5.0, vault: Any = None) -> list[Step]:
    text = "# Note\n\n" + "".join(f"```{info}\n{block}\n```\n\n" for block in blocks)
    session = NoteRun(parse(text, Path("Note.md")), timeout, vault=vault)
    return [step for index in range(len(blocks)) for step in session.steps(index)]


def errors(*blocks: str, **options: Any) -> list[tuple[int, str]]:
    return [(step.line, step.error) for step in run(*blocks, **options) if step.error]


def session(*blocks: str, timeout: float = 5.0, vault: Path | None = None) -> NoteRun:
    text = "".join(f"```python\n{block}\n```\n\n" for block in blocks)
    return NoteRun(parse(text, Path("Note.md")), timeout, vault=vault)


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ("import numpy as np\nnp.sum = lambda *_: 7", 5, "numpy.sum was replaced"),
        ("import numpy as np\n\ndel np.array", 6, "numpy.array was deleted"),
        ("import numpy.linalg\nnumpy.linalg.norm = abs", 5, "numpy.linalg.norm was replaced"),
        (
            "import numpy._core.numeric as n\nn.isclose = abs",
            5,
            "numpy._core.numeric.isclose was replaced",
        ),
        ("import builtins\nbuiltins.print = None", 5, "builtins.print was replaced"),
        ("__builtins__['len'] = lambda _: 1", 4, "builtins.len was replaced"),
        ("__builtins__['all'] = lambda _: True", 4, "builtins.all was replaced"),
        ("del __builtins__['map']", 4, "builtins.map was deleted"),
        ("__builtins__['list'] = lambda *_: []", 4, "builtins.list was replaced"),
        ("__builtins__['sorted'] = lambda *_: []", 4, "builtins.sorted was replaced"),
        ("del __builtins__['enumerate']", 4, "builtins.enumerate was deleted"),
        ("import json\njson.dumps = None", 5, "json.dumps was replaced"),
        (
            "import json\njson.JSONEncoder.encode = None",
            5,
            "json.encoder.JSONEncoder.encode was replaced",
        ),
        ("import re\nre.compile = None", 5, "re.compile was replaced"),
        ("import time\ntime.monotonic = None", 5, "time.monotonic was replaced"),
        ("import sys\nsys.modules['numpy'] = 1", 5, "sys.modules['numpy'] was replaced"),
        ("import sys\ndel sys.modules['json']", 5, "sys.modules['json'] was deleted"),
        ("import sys\nsys.modules = {**sys.modules}", 5, "sys.modules was replaced"),
        (
            "import vaultkit.values.compare as c\nc.judge = None",
            5,
            "vaultkit.values.compare.judge was replaced",
        ),
        (
            "import vaultkit.values.compare as c\nc._judge_among = None",
            5,
            "vaultkit.values.compare._judge_among was replaced",
        ),
        (
            "import vaultkit.values.compare as c\nc.judge.__code__ = (lambda: 1).__code__",
            5,
            "the code of vaultkit.values.compare.judge was replaced",
        ),
        (
            "import vaultkit.values.compare as c\nc.abs = lambda _: 0",
            5,
            "vaultkit.values.compare.abs was added",
        ),
        (
            "from vaultkit.run.session import NoteRun\nNoteRun._run_block = None",
            5,
            "vaultkit.run.session.NoteRun._run_block was replaced",
        ),
        (
            "from vaultkit.read.fences import OPTIONS\nOPTIONS.clear()",
            4,
            "vaultkit.read.fences.OPTIONS was changed",
        ),
    ],
)
def test_what_the_engine_runs_on_is_put_back(code: str, line: int, message: str) -> None:
    (failure,) = errors(code)
    assert failure[1].split(", ")[0].endswith(message)
    assert failure[0] == line
    assert not errors("import numpy as np\nnp.sum(np.array([1])), len('ab'), print, __import__")
    assert np.sum([1, 2]) == 3
    assert json.loads(json.dumps([len("ab")])) == [2]
    assert judge.__module__ == "vaultkit.values.compare"


def test_a_thread_that_runs_nothing_of_the_note_is_not_reported() -> None:
    code = "import threading\nt = threading.Timer(3, int)\nt.daemon = True\nt.start()"
    assert not errors(code)


def test_a_module_is_not_the_engines_because_its_name_begins_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ORIGINALS.remember()
    snapshots = ORIGINALS._snapshots
    monkeypatch.setitem(sys.modules, "vaultkit_own", ModuleType("vaultkit_own"))
    ORIGINALS.remember()
    assert ORIGINALS._snapshots is snapshots
    monkeypatch.setitem(sys.modules, "vaultkit.own", ModuleType("vaultkit.own"))
    ORIGINALS.remember()
    assert ORIGINALS._snapshots is not snapshots
    assert not ORIGINALS.restore()
    monkeypatch.undo()
    ORIGINALS.remember()


def test_a_block_that_puts_things_back_itself_does_no_harm() -> None:
    code = (
        "from unittest import mock\nwith mock.patch('numpy.sum'): pass\nimport numpy.fft, tempfile"
    )
    assert not errors(code)


def test_everything_that_can_be_set_is_each_notes_own(tmp_path: Path) -> None:
    change = f"""
import decimal, gc, locale, logging, os, random, signal, sys
import numpy as np
sys.setrecursionlimit(4321)
sys.set_int_max_str_digits(0)
decimal.getcontext().prec = 3
logging.basicConfig(level=1)
logging.disable(50)
np.seterrcall(print)
np.setbufsize(16384)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.displayhook = sys.excepthook = sys.stdout = sys.stdin = None
sys.argv = []
gc.disable()
sys.settrace(lambda *_: None)
locale.setlocale(locale.LC_ALL, "C")
os.chdir({str(tmp_path)!r})
"""
    show = """
import decimal, gc, logging, os, sys, signal
import numpy as np
(sys.getrecursionlimit() == 4321, decimal.getcontext().prec == 3, np.getbufsize() == 16384,
 logging.getLogger().level == 1, logging.root.manager.disable, signal.getsignal(15).value)
"""
    seen: dict[str, Callable[[], Any]] = {
        "limit": sys.getrecursionlimit,
        "digits": sys.get_int_max_str_digits,
        "prec": lambda: decimal.getcontext().prec,
        "handlers": lambda: list(logging.getLogger().handlers),
        "level": lambda: logging.getLogger().level,
        "disable": lambda: logging.getLogger().manager.disable,
        "errcall": np.geterrcall,
        "size": np.getbufsize,
        "signal": lambda: signal.getsignal(signal.SIGTERM),
        "streams": lambda: (sys.stdin, sys.stdout, sys.stderr, sys.displayhook, sys.argv),
        "trace": sys.gettrace,
        "folder": Path.cwd,
    }
    before = {name: get() for name, get in seen.items()}
    # What sys.stdout was is known to be gone: the block after writes all the same.
    changed = run(change, show)
    assert [step.error for step in changed] == ["", ""]
    assert changed[1].got == "(True, True, True, True, 50, 1)"
    assert {name: get() for name, get in seen.items()} == before
    assert run(show)[0].got == "(False, False, False, False, 0, 0)"


def test_what_claims_to_equal_all_else_is_put_back_too() -> None:
    code = (
        "import sys\nimport numpy as np\n\nclass Equal:\n    __eq__ = lambda self, other: True\n"
        "    write = print\n\nsys.argv = sys.displayhook = sys.stdin = Equal()\n"
        "np.seterrcall(sys.stdin)"
    )
    before = sys.argv, sys.displayhook, sys.stdin, np.geterrcall()
    run(code)
    assert all(map(operator.is_, before, (sys.argv, sys.displayhook, sys.stdin, np.geterrcall())))


def test_a_log_reads_the_same_whoever_runs_the_note() -> None:
    code = "import logging\nlogging.warning('a')\nlogging.info('b')"
    assert run(code)[0].got == "WARNING:root:a"
    later = "logging.basicConfig(format='%(message)s!', force=True)\nlogging.warning('c')"
    shown = [step.got for step in run(code, later, "logging.warning('d')")]
    assert shown == ["WARNING:root:a", "c!", "d!"]


# What a block writes


@pytest.mark.long
@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ("x = 'x' * 10**8\nprint(x)", 5, "stopped at line 5: it wrote more than 1,000,000 char"),
        ("def f():\n    while True: print('1' * 99)\nf()", 6, "stopped at line 6"),
        ("import sys\n'x' * 10**8", 5, "stopped at line 5"),
        ("\nraise ValueError('x' * 10**8)", 5, "[… 99,997,"),
        ("class E(Exception):\n def __str__(_): 1/0\nraise E", 6, "<exception str() failed>"),
        (
            "class E(Exception):\n def __str__(_):\n  while 1: 0\nraise E",
            7,
            "E: <exception str() failed>",
        ),
        (
            "class R:\n    def __repr__(self):\n        while True: pass\n\nR()",
            6,
            "stopped after 0.5 s, at line 6",
        ),
        (
            "import sys\nsys.setrecursionlimit(10**6)\n"
            "def f(n): return f(n + 1) if n < 9**5 else g\nf(0)",
            7,
            "NameError: name 'g' is not defined",
        ),
        ("raise KeyboardInterrupt", 4, "KeyboardInterrupt"),
        ("while True:\n  try: input()\n  except EOFError: break\n\n1 / 0", 8, "ZeroDivision"),
    ],
)
def test_however_much_a_block_writes_little_is_reported(code: str, line: int, words: str) -> None:
    began = time.monotonic()
    first, second = run(code, "print('went on')", timeout=0.5 if "class" in code else 5)
    assert first.line == line
    assert words in first.error
    assert len(first.error) < 5000
    assert len(first.got) < 5000
    assert (second.got, second.error) == ("went on", "")
    assert time.monotonic() - began < 30


def test_to_close_the_output_is_a_failure_and_has_no_effect() -> None:
    code = "import sys\nsys.stdout.close()\nprint('a')"
    steps = run(code, "print('b')")
    assert [step.got for step in steps] == ["a", "", "b"]
    assert errors(code) == [(5, "sys.stdout or sys.stderr was closed")]


def test_output_that_is_long_is_kept_whole_up_to_the_limit() -> None:
    (step,) = run("print('x' * 999_999)")
    assert (len(step.got), step.error) == (999_999, "")


def test_a_stop_cannot_be_announced_as_an_error() -> None:
    (step,) = run("while True: pass", info="python raises=BaseException", timeout=0.2)
    assert "stopped after 0.2 s" in step.error


def test_ctrl_c_ends_the_run_and_not_the_block() -> None:
    thread = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run("while True: pass")
    thread.join()


@pytest.mark.long
def test_one_block_may_take_longer() -> None:
    text = "```python timeout=2\nimport time\ntime.sleep(0.8)\n```\n\n"
    text += "```python\ntime.sleep(5)\n```\n"
    beats: list[tuple[int, float]] = []
    running = NoteRun(parse(text), 0.05, beat=lambda *beat: beats.append(beat))
    running.finish()
    assert [running.steps(n)[0].error for n in (0, 1)] == [
        "",
        "stopped after 0.5 s by the clock, at line 7",
    ]
    assert beats == [(0, 2.0), (1, 0.05)]


# What goes on behind its back


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        (
            "import threading, time\ndef f():\n    time.sleep(2)\n"
            "threading.Thread(target=f, daemon=True, name='T').start()",
            None,
            "a thread is still running: T",
        ),
        (
            "import subprocess\n\nsubprocess.Popen(['sleep', '60'])",
            6,
            "a process that was started here is still running",
        ),
    ],
)
def test_what_a_block_leaves_running(code: str, line: int | None, words: str) -> None:
    steps = run(code, "1 + 1", timeout=0.5)
    (failure,) = [step for step in steps if step.error]
    assert words in failure.error
    assert failure.line in ((5, 6) if line is None else (line,))


def test_what_a_block_waits_for_is_not_left() -> None:
    assert not errors(
        "import subprocess, threading, time\nsubprocess.run(['true'], check=True)\n"
        "t = threading.Thread(target=time.sleep, args=(0.1,))\nt.start()\nt.join()"
    )


# Files


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project" / "docs"
    folder.mkdir(parents=True)
    (folder / "Other.md").write_text("# Other\n")
    (folder.parent / "code.py").write_text("x = 1\n")
    monkeypatch.chdir(folder.parent)
    return folder


def everything(vault: Path) -> dict[str, str]:
    files = [path for path in vault.parent.rglob("*") if path.is_file()]
    return {str(path): path.read_text() for path in files}


@pytest.mark.parametrize(
    "code",
    [
        "open('docs/Other.md', 'w')",
        "open('docs/Other.md', 'a').write('x')",
        "from pathlib import Path; Path('docs/Other.md').write_text('')",
        "import os; os.remove('docs/Other.md')",
        "import os; os.rename('docs/Other.md', '/tmp/x')",
        "import os; os.truncate('docs/Other.md', 0)",
        "import os; os.open('docs/Other.md', os.O_WRONLY | os.O_TRUNC)",
        "import os; os.unlink('Other.md', dir_fd=os.open('docs', os.O_RDONLY))",
        "import os; os.chdir('docs'); os.remove('Other.md')",
        "import os; os.remove(b'docs/../docs/Other.md')",
        "import shutil; shutil.rmtree('docs')",
        "import os; os.mkdir('docs/new')",
        "open('docs/New.md', 'x')",
        "open('code.py', 'w')",
        "import os; os.symlink('docs', 'mine'); os.remove('mine/Other.md')",
    ],
)
def test_a_note_cannot_change_files(vault: Path, code: str) -> None:
    before = everything(vault)
    (failure,) = errors(f"\n{code}", vault=vault)
    assert failure[0] == 5
    assert "PermissionError: a note may not " in failure[1]
    assert everything(vault) == before
    swallowed = f"try:\n    {code}\nexcept OSError:\n    pass"
    (failure,) = errors(swallowed, vault=vault)
    assert failure[0] == 5
    assert failure[1].startswith("a note may not ")
    assert everything(vault) == before


def test_left_files_are_removed_if_no_memory_is_left(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture.Capture, "ensure_reserve", lambda _: False)
    before = everything(vault)
    code = "open('left.txt', 'w').close()\nraise MemoryError"
    leaving, last = errors(code, "1", vault=vault)
    assert leaving[1].endswith("MemoryError")
    assert last == (8, "not run: no memory was left after line 5")
    assert everything(vault) == before


def test_a_note_may_make_files_of_its_own(vault: Path) -> None:
    code = """
import os, shutil, tempfile
with open("mine.txt", "w") as file: file.write("a")
os.rename("mine.txt", "yours.txt")
os.remove("yours.txt")
folder = tempfile.mkdtemp(dir=".")
open(folder + "/x", "w").close()
shutil.rmtree(folder)
with tempfile.TemporaryDirectory() as other: open(other + "/x", "w").close()
open("docs/Other.md").read()
"""
    before = everything(vault)
    assert not errors(code, vault=vault)
    assert everything(vault) == before


LEFT = "a note may not leave files beside its vault: {}; a folder of tempfile is removed by itself"


@pytest.mark.parametrize(
    ("code", "message", "stays"),
    [
        ('open("Mine.md", "w").close()', "Mine.md (removed now)", ()),
        ("for n in range(5): open(f'{n}', 'w').close()", "0, 1, 2 and 2 more (removed now)", ()),
        ("import os; os.symlink('docs', 'mine')", "mine (removed now)", ()),
        ("import os; os.mkdir('a'); open('a/b', 'w').close()", "a", ("a/b",)),
        ("import os; os.rename('../far', 'near')", "near", ("near",)),
        ("import os; open('a', 'w').close(); os.rename('../far', 'a')", "a", ("a",)),
    ],
)
def test_a_note_leaves_no_files(
    vault: Path, code: str, message: str, stays: tuple[str, ...]
) -> None:
    (vault.parents[1] / "far").touch()
    before = everything(vault)
    text = f"{code}\n```\n\n```python no-run\n1"  # of those that run, it is the last
    assert errors("1", text, vault=vault) == [(8, LEFT.format(message))]
    kept = {str(vault.parent / name): "" for name in stays}
    assert everything(vault) == {**before, **kept}


def test_what_a_note_may_leave(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(vault.parent / "temporary"))
    code = """
import os
os.makedirs(".cache/of/fonts")
open(".cache/list", "w").close()
os.mkdir("temporary")
open("temporary/x", "w").close()
open("../far", "w").close()
"""
    assert errors(code, vault=vault) == []


def test_a_file_that_stays_for_an_error_is_no_second_failure(vault: Path) -> None:
    before = everything(vault)
    (failure,) = errors('open("Mine.md", "w").close()\n1 / 0', vault=vault)
    assert "ZeroDivisionError" in failure[1]
    assert everything(vault) == before


@pytest.mark.parametrize(
    ("command", "what"),
    [("rm docs/Other.md", "deleted"), ("echo x > docs/Other.md", "changed"),
     ("echo x > docs/New.md", "made")],
)  # fmt: skip
def test_what_other_programs_change_is_found(vault: Path, command: str, what: str) -> None:
    steps = run("1", f"import os\n\nos.system({command!r})", vault=vault)
    name = "New.md" if what == "made" else "Other.md"
    message = f"{Path('docs', name)} was {what} by a process started here"
    assert [(step.line, step.error) for step in steps if step.error] == [(10, message)]


# Functions that an equation calls


def test_a_call_changes_nothing() -> None:
    running = session(
        "import random\nimport numpy as np\nrng = np.random.default_rng(0)\ncalls = []\n"
        "x = np.array([1.0, 2.0])\ncount = 0\nclass Box: pass\nbox = Box()\nbox.seen = {}\n"
        "def f(a):\n    global count\n    count += 1\n    calls.append(a)\n    x[0] = a[0] = 9\n"
        "    box.seen[count] = 1\n    print('called')\n    np.set_printoptions(precision=1)\n"
        "    return rng.normal() + random.random() + np.random.rand()",
        "count, calls, x, box.seen, round(rng.normal(), 5), 1 / np.ones(1) / 3",
    )
    running.steps(0)
    given = np.array([3.0])
    first = running.call(running.namespace["f"], given)
    assert first == running.call(running.namespace["f"], given)
    assert given == [3.0]
    called = running.steps(1)[0].got
    assert called == "(0, [], array([1., 2.]), {}, 0.12573, array([0.33333333]))"


def test_a_call_knows_its_limits() -> None:
    running = session(
        "import itertools, sys\nimport numpy as np\n"
        "def endless():\n    while True: pass\n"
        "def talks():\n    while True: print('x' * 1000)\n"
        "def leaves(): sys.exit(3)\ndef fails(): 1 / 0\n"
        "def patches(): np.sum = None\n"
        "def main(): return sys.modules['__main__'].leaves.__name__\n",
        timeout=0.3,
    )
    running.finish()
    names = running.namespace
    with pytest.raises(TimeoutError, match=r"it did not end within (0\.3 s|3 s by the clock)"):
        running.call(names["endless"])
    with pytest.raises(RuntimeError, match="it writes without end"):
        running.call(names["talks"])
    with pytest.raises(RuntimeError, match="it ends the program: SystemExit: 3"):
        running.call(names["leaves"])
    with pytest.raises(ZeroDivisionError):
        running.call(names["fails"])
    with pytest.raises(
        RuntimeError, match=r"functions that the checks need: numpy\.sum was replaced"
    ):
        running.call(names["patches"])
    assert running.call(names["main"]) == "leaves"
    assert np.sum([1]) == 1


def test_a_copy_of_an_argument_is_made_under_the_same_rules(vault: Path) -> None:
    running = session(
        "import numpy as np\nclass A:\n    v = 3\n    def __deepcopy__(self, memo): return act()\n"
        "def writes(): return open('docs/Other.md', 'a')\n"
        "def endless():\n    while True: pass\n"
        "def fails(): np.seterr(all='raise'); 1 / 0\n"
        "a = [A()]\ndef f(a): return a[0]\n",
        timeout=0.3,
        vault=vault,
    )
    running.finish()
    names, before, settings = running.namespace, everything(vault), np.geterr()
    for act, error in ("writes", OSError), ("endless", TimeoutError), ("fails", ZeroDivisionError):
        names["act"] = names[act]
        with pytest.raises(error):
            running.call(names["f"], names["a"])
    assert everything(vault) == before
    assert np.geterr() == settings


def test_calls_while_a_block_is_judged_are_undone_together() -> None:
    seen: list[float] = []
    text = "```python\nimport numpy as np\nrng = np.random.default_rng(0)\n"
    text += "draw = lambda: rng.normal()\n```\n\n```python\nround(rng.normal(), 5)\n```\n"
    running: NoteRun

    def watch(_block: object, _steps: object, names: Any) -> None:
        seen.extend(running.call(names["draw"]) for _ in range(3))

    running = NoteRun(parse(text))
    running.finish(watch)
    assert running.steps(1)[0].got == "0.12573"
    assert round(seen[0], 5) == 0.12573
    assert len(set(seen[:3])) == 3


def test_the_limit_is_the_one_that_is_reported() -> None:
    assert capture.MOST_OUTPUT == 1_000_000
