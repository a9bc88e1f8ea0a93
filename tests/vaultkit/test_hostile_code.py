"""A note cannot harm another, nor the run: each of these fails alone, with its file and line."""

import os
import re
import subprocess
import sys
from typing import Any

import pytest

from vaultkit.run.processes import descendants

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="how Linux ends processes")

GOOD = """\
# {name}

```python
import numpy as np
np.array([1 / 3, 2.0]).sum(), "x" in globals()
```

```text
(np.float64(2.3333333333333335), False)
```

$1 + 1 = 2$
"""
NOTE = """\
# {name}

```python
x = 1
```

```python
{code}
```

```python
x
```

```text
1
```
"""
FIRST = 8  # the line in which the code of a note begins

# Python counts calls that go through C, too, from 3.12 on.
NATIVE = (10, "SIGSEGV") if sys.version_info < (3, 12) else (11, "RecursionError")

#: The name of a note, its code, the line that fails, and words of the failure.
HOSTILE = [
    ("Count", "import itertools\nsum(itertools.count())", 9, "stopped"),
    ("Power", "x = 10 ** 10 ** 10", 8, "stopped"),
    ("Regex", "import re\nre.match(r'(a+)+$', 'a' * 64 + 'b')", 9, "stopped"),
    ("Swallow", "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
     None, "stopped"),
    ("Alarm off", "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass",
     10, "stopped"),
    ("Alarm ignored", "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: 0",
     10, "stopped"),
    ("Masked", "import signal\nsignal.pthread_sigmask(0, range(1, 65))\nwhile True: 0",
     None, "stopped"),
    ("Loop", "while True: pass", 8, "stopped after 1 s, at line 8"),
    ("Sleep", "import time\ntime.sleep(1000)", 9,
     "stopped after 10 s by the clock, at line 9"),
    ("Thread", "import threading\ndef f():\n    while True: pass\n"
     "threading.Thread(target=f).start()", 10, "a thread is still running"),
    ("Daemon", "import threading\ndef f():\n    while True: pass\n"
     "threading.Thread(target=f, daemon=True).start()", 10, "a thread is still running"),
    ("Waiting thread", "import threading\nthreading.Thread(target=threading.Event().wait).start()",
     None, "has threads or exit handlers that never end"),
    ("Exit handler", "import atexit, time\n@atexit.register\ndef f():\n    time.sleep(1000)",
     11, "has threads or exit handlers that never end"),
    ("Threads", "import threading, time\nwhile True:\n"
     "    threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
     10, "can't start new thread"),
    ("Memory", "y = []\nwhile True: y.append(bytes(10**6))", 9, "MemoryError"),
    ("Little by little", "y = []\nwhile True: y.append([])", 9, ""),
    ("Array", "import numpy as np\nnp.ones(10**12)", 9, "Unable to allocate"),
    ("Exit 0", "import os\nos._exit(0)", 7, "exit status 0 before all was checked"),
    ("Exit 1", "import os\nos._exit(1)", 7, "exit status 1"),
    ("System exit", "import sys\nsys.exit(0)", 9, "SystemExit: 0"),
    ("Quit", "raise SystemExit", 8, "SystemExit"),
    ("Abort", "import os\n\nos.abort()", 10, "SIGABRT"),
    ("Segfault", "import ctypes\nctypes.string_at(0)", 9, "SIGSEGV"),
    ("Kill", "import os\nos.kill(os.getpid(), 9)", 7, "SIGKILL"),
    ("Kill the group", "import os\nos.kill(0, 9)", 7, "SIGKILL"),
    ("Terminate", "import os\nos.kill(os.getpid(), 15)", 7, "SIGTERM"),
    ("Kill the parent", "import os, time\ntime.sleep(.2)\nos.kill(os.getppid(), 9)", None,
     "the process that watches it"),
    ("Recursion", "import sys\nsys.setrecursionlimit(10**9)\nf = lambda n: f(n + 1)\nf(0)",
     None, ""),
    ("Native recursion", "import sys\nsys.setrecursionlimit(10**9)\n"
     "f = lambda: max(map(lambda _: f(), [0]))\nf()", *NATIVE),
    ("Interrupt", "raise KeyboardInterrupt", 8, "KeyboardInterrupt"),
    ("Interrupt itself", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)", None, ""),
    ("Child", "import subprocess\nsubprocess.Popen(['sleep', '1000'])", 9, "is still running"),
    ("Orphan", "import os\nos.system('sleep 1000 &')", 9, "is still running"),
    ("Session", "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)",
     9, "is still running"),
    ("Fork", "import os\npid = os.fork()", 7, "left processes running"),
    ("Forks", "import os\nwhile True:\n    os.fork()", None, "left processes running"),
    ("Pool", "import multiprocessing as m\np = m.get_context('fork').Pool(3)", None, "run"),
    ("numpy.array", "import numpy as np\nnp.array = lambda *_: 0", 9, "numpy.array was replaced"),
    ("numpy.sum", "import numpy as np\nnp.sum = lambda *_: 0", 9, "numpy.sum was replaced"),
    ("allclose", "import numpy as np\nnp.allclose = lambda *a, **k: True", 9, "was replaced"),
    ("builtins", "import builtins\nbuiltins.len = lambda _: 0", 9, "builtins.len was replaced"),
    ("import", "import builtins\nbuiltins.__import__ = None", 9, "builtins.__import__ was repl"),
    ("modules", "import sys\nsys.modules['numpy'] = None", 9, "sys.modules['numpy'] was repl"),
    ("engine", "import vaultkit.checks.outputs as o\no.compare = lambda *_: ''", 9, "was replaced"),
    ("verdicts", "from vaultkit.run.session import NoteRun\nNoteRun.steps = lambda *_: []", 9,
     "NoteRun.steps was replaced"),
    ("json", "import json\njson.dumps = json.loads = None", 9, "json.dumps was replaced"),
    ("Delete", "import os\nos.remove('docs/After Count.md')", 9, "may not change"),
    ("Delete all", "import shutil\nshutil.rmtree('docs', ignore_errors=True)", 9, "may not"),
    ("Change", "open('docs/After Count.md', 'w').write('')", 8, "may not change"),
    ("Shell", "import os\nos.system('echo x > \"docs/New.md\"')", 9, "was made by a process"),
    ("Much", "print('x' * 10**8)", 8, "more than 1,000,000 characters"),
    ("Much said", "raise ValueError('x' * 10**8)", 8, "ValueError"),
    ("Endless", "while True: print('x' * 1000)", 8, "more than 1,000,000 characters"),
    ("Endless below", "import os\nwhile True: os.write(1, bytes(10**6))", 9, ""),
    ("Shown", "list(range(10**6))", 8, "more than 1,000,000 characters"),
    ("Close", "import sys\nsys.stdout.close()", 9, "sys.stdout or sys.stderr was closed"),
    ("Descriptors", "import os\nos.closerange(0, 1000)", 7, "closed the channel of its results"),
    ("Forged", "import os\nfor n in range(1000):\n    try: os.write(n, b'{}\\n')\n"
     "    except OSError: pass", None, "closed the channel of its results"),
]  # fmt: skip

#: Code by which a note changes its own process; the notes after it are not affected.
CONTAINED = """
import decimal, locale, logging, os, random, sys
import numpy as np
sys.setrecursionlimit(400)
decimal.getcontext().prec = 1
logging.disable(50)
np.set_printoptions(precision=1, suppress=True)
np.seterr(all="raise")
random.seed(0)
np.random.seed(0)
os.chdir("/")
os.environ.clear()
sys.path.clear()
sys.stdout = sys.stderr = None
"""


#: One of each kind, for a short run.
FEW = {
    "Count", "Exit 0", "Segfault", "numpy.array", "Contained",
}  # fmt: skip


def each(params: list[tuple[Any, ...]]) -> list[Any]:
    """Mark all but the few ``long``, and every second one of these ``full``."""
    marks = {p[0]: (pytest.mark.long, pytest.mark.full)[n % 2] for n, p in enumerate(HOSTILE)}
    return [pytest.param(*p, marks=() if p[0] in FEW else marks[p[0]]) for p in params]


@pytest.fixture(scope="module")
def failures_of(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, list[tuple[int, str]]]:
    """Run all of it at once, with a good note after each; return the failures of each note."""
    asked = {
        item.callspec.params["name"]
        for item in request.session.items
        if item.path == request.path and hasattr(item, "callspec")
    }
    root = tmp_path_factory.mktemp("hostile")
    docs = root / "docs"
    docs.mkdir()
    (root / "pytest.ini").write_text("[pytest]\nvault = docs\nvault_timeout = 1\n")
    wanted = [(name, code) for name, code, *_ in HOSTILE] + [("Contained", CONTAINED)]
    files = []
    for name, code in wanted:
        if name in FEW | asked:
            files += [f"docs/{name}.md", f"docs/After {name}.md"]
        (docs / f"{name}.md").write_text(NOTE.format(name=name, code=code))
        (docs / f"After {name}.md").write_text(GOOD.format(name=f"After {name}"))
    before = set(descendants(os.getpid()))
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tb=short", "-q", *files],
        cwd=root, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    text = run.stdout + run.stderr
    found: dict[str, list[tuple[int, str]]] = {name: [] for name, _ in wanted}
    found |= {f"After {name}": [] for name, _ in wanted}
    parts = re.split(r"^docs/(.*?)\.md:(\d+): ", text, flags=re.M)[1:]
    for name, line, what in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        found[name].append((int(line), what[:5000]))
    assert f"vault: {len(files)} notes" in text
    found["(run)"] = [(run.returncode, text[-3000:])]
    found["(left)"] = [(pid, "") for pid in set(descendants(os.getpid())) - before]
    return found


@pytest.mark.parametrize(
    ("name", "line", "words"), each([(n, at, what) for n, _, at, what in HOSTILE])
)
def test_it_fails_with_its_line(
    failures_of: dict[str, list[tuple[int, str]]], name: str, line: int | None, words: str
) -> None:
    failures = failures_of[name]
    assert failures, failures_of["(run)"]
    at = {number for number, what in failures if words in what}
    assert at, failures
    assert line in at if line else any(7 <= number <= 16 for number in at), failures


@pytest.mark.parametrize("name", each([(name,) for name, *_ in HOSTILE] + [("Contained",)]))
def test_the_note_after_it_is_judged_right(
    failures_of: dict[str, list[tuple[int, str]]], name: str
) -> None:
    assert not failures_of[f"After {name}"]


def test_what_a_note_may_set_stays_its_own(failures_of: dict[str, list[tuple[int, str]]]) -> None:
    assert not failures_of["Contained"]


def test_the_run_comes_to_its_end(failures_of: dict[str, list[tuple[int, str]]]) -> None:
    ((status, text),) = failures_of["(run)"]
    assert status == 1, text
    assert re.search(r"\d+ failed, \d+ passed", text)
    assert not failures_of["(left)"]
