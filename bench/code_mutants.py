"""How many changes of the code its tests notice: a sample of mutmut's mutants, a room at a time.

mutmut makes the mutants. Which of them are judged, and by which tests, is decided here: a random
sample that a seed makes again, and for each mutant those tests of its room that reach the changed
function, the fast ones first. Nothing is remembered from one run to the next.

    python -m bench.code_mutants checks --sample 150 --seed 1

All tests of a room judge them; with ``VAULT_TESTS=few`` in the environment, those of ``make test``.
Only what a test fails on, twice, counts as killed. Counted apart are those that run out of time or
end the process of the tests, and those in functions that no test of the room reaches. mutmut makes
no mutants of decorated functions, which are named, nor of what is outside functions (tables,
patterns). What runs only when a module is imported has run before there is a mutant. Doors, mutants
of notes, and what is for the site and for editors are in no room.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import fnmatch
import functools
import gc
import io
import mmap
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import types
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestItem
from _pytest.runner import runtestprotocol
from mutmut.__main__ import create_mutants
from mutmut.configuration import config
from mutmut.mutation import trampoline
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.utils.file_utils import (
    change_cwd,
    copy_also_copy_files,
    copy_src_dir,
    setup_source_paths,
    walk_mutatable_files,
)
from mutmut.utils.format_utils import mangled_name_from_mutant_name

#: The modules of each room, and its tests: their folder and their names.
ROOMS = {
    "checks": (
        ["vaultkit/checks/*"],
        "arrays assigned bindings cases check checks cited contrasts derived equations"
        " evidence_of_checks fences form inspect mirrors names notebooks numbers outputs"
        " predictions rests_on roles said shapes tables tables_of_numbers trials update verdicts",
    ),
    "claims": (
        ["vaultkit/claims/*"],
        "assigned bindings cases cited contrasts derived numbers places predictions quantities"
        " reading_anything roles said shapes tables_of_numbers verdicts",
    ),
    "inspect": (
        ["vaultkit/pipeline/inspect.py"],
        "checkpoints checks inspect notebooks options rests_on trials update",
    ),
    "ledger": (
        ["vaultkit/pipeline/ledger.py", "vaultkit/files.py"],
        "cache cached files ledger report runner",
    ),
    "read": (
        ["vaultkit/read/*"],
        "backlinks cache cases check checks chemistry equations fences graph hostile html_reader"
        " linear links_of_a_vault macros malformed meanings nearest note notebook notebooks numbers"
        " obsidian old_headings options places predictions properties quantities reading_anything"
        " said shapes vault",
    ),
    "render": (
        ["vaultkit/render/*"],
        "backlinks browser cases chemistry extension mathematics obsidian obsidian_agreement"
        " printed render tables",
    ),
    "run": (
        ["vaultkit/run/*", "vaultkit/workers/*"],
        "cases checkpoints dependencies endings"
        " rests_on run sandbox state trials variation watch workers",
    ),
    "snippets": (["snippets/*"], ""),
    "tex": (
        ["vaultkit/tex/*"],
        "cases chemistry formulas formulas_hostile mathematics tex",
    ),
    "update": (["vaultkit/pipeline/update.py"], "cases notebook update"),
    "values": (
        ["vaultkit/values/*"],
        "bindings cases formulas names roundings tables values",
    ),
}
#: Seconds, and multiples of the tests' time, after which a mutant counts as hanging.
_PATIENCE, _MULTIPLE = 30, 5
#: Outcomes of a mutant other than being killed.
OTHERS = ("timeout", "crashed", "survived", "unreached")
ROOT = Path(__file__).parents[1]


def tests_of(room: str) -> list[str]:
    """Return the tests of a room: its doctests, and the test modules for it."""
    code, names = ROOMS[room]
    near = [f"tests/vaultkit/test_{name}.py" for name in names.split()]
    doctests = [glob.removesuffix("/*") for glob in code]
    return [*doctests, *near, *(["tests/snippets"] if room == "snippets" else [])]


def never_changed(room: str) -> list[str]:
    """Return the functions of a room that mutmut does not change, since they are decorated."""
    found = []
    for path in (path for glob in ROOMS[room][0] for path in sorted(ROOT.glob(glob))):
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_bytes())):
                decorators = [ast.unparse(d) for d in getattr(node, "decorator_list", ())]
                if (
                    isinstance(node, ast.FunctionDef)
                    and decorators
                    and (
                        len(decorators) > 1 or decorators[0] not in {"classmethod", "staticmethod"}
                    )
                ):
                    found.append(f"{path.stem}.{node.name}")
    return found


class Hits:
    """The functions that a test reaches, in the processes that it forks as well.

    They are noted in memory that these share: a file would be one that a note's code has opened.
    """

    def __init__(self, names: list[str]) -> None:
        self.places = {name: place for place, name in enumerate(names)}
        self.memory = mmap.mmap(-1, len(names))

    def add(self, name: str) -> None:
        """Record a function."""
        if name in self.places:
            self.memory[self.places[name]] = 1

    def __iter__(self) -> Iterator[str]:
        return (name for name, place in self.places.items() if self.memory[place])

    def clear(self) -> None:
        """Forget all recorded functions."""
        self.memory[:] = bytes(len(self.places))


class Judge:
    """Runs the tests on the code as it is, and then on one mutant after the other.

    It is a plugin of one run of pytest, which collects the tests once. Each mutant is judged in a
    copy of this process.
    """

    def __init__(self, every: list[str], only: list[str]) -> None:
        self.hits = Hits(sorted({mangled_name_from_mutant_name(name) for name in every}))
        self.only = only
        self.tests: dict[str, set[pytest.Item]] = defaultdict(set)
        self.seconds: dict[pytest.Item, float] = {}
        self.outcomes: dict[str, str] = {}
        self.left_out: list[str] = []
        self.began = time.monotonic()
        #: The names in a doctest's namespace, which are restored after it has run.
        self.names: dict[pytest.Item, dict[str, object]] = {}
        self.caches: list[functools._lru_cache_wrapper[object]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the collected tests in this way."""
        # mutmut copies a function with its docstring, and the example in it, for each mutant.
        items = [item for item in session.items if not re.search("__mutmut_\\d", item.nodeid)]
        doctests = [item for item in items if isinstance(item, DoctestItem)]
        self.names = {item: dict(item.dtest.globs) for item in doctests}
        self.caches = [
            found
            for found in gc.get_objects()
            if isinstance(found, functools._lru_cache_wrapper)
            and str(found.__module__).startswith(("snippets", "vaultkit"))
        ]
        self.reach(items)
        print(f"{len(self.seconds)} tests, known after {self.elapsed:.0f} s", flush=True)
        if self.judge("", set(self.seconds)) != "survived":
            pytest.exit("the tests fail in a copy of this process")
        for name in self.only:
            # What no test is seen to reach, as it runs in a process made afresh: by all tests.
            tests = self.tests[mangled_name_from_mutant_name(name)]
            outcome = self.judge(name, tests or set(self.seconds))
            self.outcomes[name] = "unreached" if outcome == "survived" and not tests else outcome
            if outcome != "killed":
                with change_cwd(ROOT):
                    difference = get_diff_for_mutant(name).splitlines()[2:]
                print(f"\n{name}: {self.outcomes[name]}, {len(tests)} tests")
                print("\n".join(line for line in difference if line.strip()), flush=True)
            if len(self.outcomes) % 10 == 0:
                print(f"{len(self.outcomes)} judged after {self.elapsed:.0f} s", flush=True)
        return True

    @property
    def elapsed(self) -> float:
        """The seconds since the beginning."""
        return time.monotonic() - self.began

    def reach(self, items: list[pytest.Item]) -> None:
        """Record which tests reach which function, and the time of each."""
        # Some tests replace what Python has built in; what mutmut calls in each function needs it.
        vars(trampoline).update({**vars(builtins), **vars(trampoline)})
        state()._stats = self.hits
        set_mutant_under_test("stats")
        del os.environ["MUTANT_UNDER_TEST"]  # programs that a test starts know nothing of mutmut
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.hits.clear()
            before = time.monotonic()
            if failed := self.failure(item, following):
                self.left_out.append(item.nodeid)
                print(f"left out, as it fails on the code as it is:\n{failed}", flush=True)
                continue
            self.seconds[item] = time.monotonic() - before
            for name in self.hits:
                self.tests[name].add(item)

    def failure(self, item: pytest.Item, following: pytest.Item | None) -> str:
        """Run a test; return how it fails, or an empty text."""
        if isinstance(item, DoctestItem):
            item.dtest.globs = dict(self.names[item])
        # What an earlier test has had computed would hide a mutant, and that a test reaches it.
        for cache in self.caches:
            cache.cache_clear()
        reports = runtestprotocol(item, log=False, nextitem=following)
        return "\n".join(f"{item.nodeid}\n{r.longreprtext}" for r in reports if r.failed)

    def judge(self, mutant: str, tests: set[pytest.Item]) -> str:
        """Run the tests on a mutant, the fast ones first; return its outcome."""
        ordered = sorted(tests, key=lambda item: self.seconds[item])
        seconds = _PATIENCE + _MULTIPLE * sum(self.seconds[item] for item in tests)
        child = os.fork()
        if child == 0:
            os.setsid()
            most = int(time.process_time() + seconds)
            resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
            set_mutant_under_test(mutant)
            code = 2
            try:
                pairs = zip(ordered, [*ordered[1:], None], strict=True)
                # Twice, as a test may fail because the machine is busy.
                twice = (self.failure(*pair) and self.failure(*pair) for pair in pairs)
                failed = next(filter(None, twice), "")
                if failed and not mutant:
                    print(failed, flush=True)
                code = 1 if failed else 0
            finally:
                os._exit(code)
        until = time.monotonic() + seconds
        ended, status = 0, 0
        while not ended and time.monotonic() < until:
            time.sleep(0.01)
            ended, status = os.waitpid(child, os.WNOHANG)
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        if not ended:
            os.waitpid(child, 0)
            return "timeout"
        if os.WIFSIGNALED(status):
            return "timeout" if os.WTERMSIG(status) == signal.SIGXCPU else "crashed"
        return {0: "survived", 1: "killed"}.get(os.WEXITSTATUS(status), "crashed")


def prepare(room: str) -> list[str]:
    """Create all mutants of a room in ``mutants/``; return their names."""
    config().only_mutate = ROOMS[room][0]
    shutil.rmtree("mutants", ignore_errors=True)
    Path("mutants").mkdir()
    with contextlib.redirect_stdout(io.StringIO()):
        copy_src_dir()
        copy_also_copy_files()
        setup_source_paths()
        create_mutants(1)
    # Whatever a test starts shall find the mutants, not the code as it is installed.
    os.environ["PYTHONPATH"] = str(Path("mutants").absolute())
    os.environ.setdefault("VAULT_TESTS", "all")
    names = []
    for path in walk_mutatable_files():
        data = SourceFileMutationData(path=path)
        data.load()
        names += [name.replace("__init__.", "") for name in data.exit_code_by_key]
    return sorted(names)


def main() -> None:
    """Judge a sample; report the mutants that survive, and their share."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("--sample", type=int, help="how many mutants to judge; all, if not given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="*", help="their names, as 'vaultkit.checks.shapes*'")
    given = parser.parse_args()
    # A shell has what runs in the background ignore it, and some tests need it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A process that a test spawns would import this module, where mutmut finds no settings.
    sys.modules["__main__"] = types.ModuleType("__main__")
    every = prepare(given.room)
    names = fnmatch.filter(every, given.only)
    if given.sample:
        names = random.Random(given.seed).sample(names, min(given.sample, len(names)))
    print(f"{len(names)} of {len(every)} mutants", flush=True)
    with tempfile.TemporaryDirectory() as folder, change_cwd("mutants"):
        judge = Judge(every, sorted(names))
        options = ["-q", f"--basetemp={folder}/tmp", "-o", "tmp_path_retention_policy=none"]
        ended = pytest.main(
            [*options, *config().pytest_add_cli_args, *tests_of(given.room)], plugins=[judge]
        )
    if len(judge.outcomes) < len(names):
        sys.exit(f"not all was judged; pytest ended with {ended}")
    by_module: dict[str, Counter[str]] = defaultdict(Counter)
    for name, outcome in judge.outcomes.items():
        for room in (name.rpartition(".")[0], given.room):
            by_module[room][outcome] += 1
    print()
    for module, counted in sorted(by_module.items(), reverse=True):
        others = (f"{counted[how]} {how}" for how in OTHERS if counted[how])
        print(", ".join((f"{counted['killed']:4} of {counted.total():4} killed", *others, module)))
    print("Never changed, as they are decorated:", *never_changed(given.room))
    print("Left out, as they fail on the code as it is:", *judge.left_out)
    share = counted["killed"] / len(names)
    print(f"{share:.1%} of {len(names)} killed, seed {given.seed}, in {judge.elapsed:.0f} s")


if __name__ == "__main__":
    main()
