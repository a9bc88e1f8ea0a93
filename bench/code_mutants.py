"""How many changes of the code its tests notice: a sample of mutmut's mutants, a room at a time.

mutmut makes the mutants. Which of them are judged, and by which tests, is decided here: a random
sample that a seed makes again, and for each mutant those tests of its room that reach the changed
function, the fast ones first. Nothing is remembered from one run to the next.

    python -m bench.code_mutants checks --sample 150 --seed 1
"""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import io
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mutmut.__main__ import create_mutants
from mutmut.configuration import config
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.runners.harness import PytestRunner
from mutmut.state import state
from mutmut.utils.file_utils import (
    change_cwd,
    copy_also_copy_files,
    copy_src_dir,
    setup_source_paths,
    walk_mutatable_files,
)
from mutmut.utils.format_utils import mangled_name_from_mutant_name

#: What is changed in each room, and the tests near it: where they are, what they are called.
ROOMS = {
    "checks": (
        ["vaultkit/checks/*"],
        "check checks equations evidence form inspect mirrors numbers outputs predictions rests_on"
        " shapes statements trials update",
    ),
    "inspect": (["vaultkit/inspect.py"], "inspect rests_on trials update"),
    "ledger": (["vaultkit/ledger.py", "vaultkit/files.py"], "ledger files report"),
    "run": (
        ["vaultkit/run/*"],
        "capture dependencies files inspect keeper run sandbox session trials variation workers",
    ),
    "snippets": (["snippets/*"], ""),
    "tex": (["vaultkit/tex/*"], "formulas formulas_hostile mathematics refusals tex"),
    "update": (["vaultkit/update.py"], "update notebook"),
    "values": (["vaultkit/values/*"], "formulas refusals statements tables values"),
}
#: Seconds, and multiples of what the tests take, after which a mutant that hangs is noticed.
_PATIENCE, _MULTIPLE = 30, 5
#: Exit status of a process that could not even begin with its tests.
_UNABLE = 99


def tests_of(room: str) -> list[str]:
    """Find the tests of a room: its doctests, and the modules near it."""
    code, names = ROOMS[room]
    near = [Path(f"tests/vaultkit/test_{name}.py") for name in names.split()]
    doctests = [glob.removesuffix("/*") for glob in code]
    return [*doctests, *(str(path) for path in near if path.exists())] + (
        ["tests/snippets"] if room == "snippets" else []
    )


class Hits(set[str]):
    """The functions that a test reaches, in the processes that it starts as well."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.process = os.getpid()
        self.path = Path(folder) / "hits"
        self.path.touch()

    def add(self, name: str) -> None:
        """Note a function down; in another process in a file, which is all that comes back."""
        if name not in self and os.getpid() != self.process:
            with contextlib.suppress(OSError), self.path.open("a") as file:
                file.write(f"{name}\n")
        super().add(name)

    def __iter__(self) -> Iterator[str]:
        yield from {*super().__iter__(), *self.path.read_text().split()}

    def clear(self) -> None:
        """Forget all of them."""
        super().clear()
        self.path.write_text("")


class Order:
    """Picks the tests of a mutant, and lets the fast ones run first."""

    def __init__(self, tests: set[str]) -> None:
        self.tests = tests

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Sort them by what they took when they ran on the code as it is."""
        items[:] = [item for item in items if item.nodeid in self.tests]
        items.sort(key=lambda item: state().duration_by_test[item.nodeid])


def judge(runner: PytestRunner, mutant: str, tests: set[str], folder: str) -> str:
    """Run the tests on a mutant, in a process of its own; tell what becomes of it."""
    files = sorted({test.partition("::")[0] for test in tests})
    options = ["-x", "-q", f"--basetemp={folder}/tmp"]
    seconds = _PATIENCE + _MULTIPLE * sum(state().duration_by_test[test] for test in tests)
    child = os.fork()
    if child == 0:
        os.setsid()
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        most = int(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
        set_mutant_under_test(mutant)
        code = _UNABLE
        try:
            with change_cwd("mutants"):
                code = runner.execute_pytest([*options, *files], plugins=[Order(tests)])
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
    unable = (_UNABLE, pytest.ExitCode.NO_TESTS_COLLECTED)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) in unable:
        sys.exit(f"{mutant}: its tests cannot be run")
    return "survived" if status == 0 else "timeout" if status == signal.SIGXCPU else "killed"


def prepare(room: str) -> list[str]:
    """Make all mutants of a room, in ``mutants/``; name them."""
    config().only_mutate = ROOMS[room][0]
    config().pytest_add_cli_args_test_selection = tests_of(room)
    shutil.rmtree("mutants", ignore_errors=True)
    Path("mutants").mkdir()
    with contextlib.redirect_stdout(io.StringIO()):
        copy_src_dir()
        copy_also_copy_files()
        setup_source_paths()
        create_mutants(1)
    # Whatever a test starts shall find the mutants, not the code as it is installed.
    os.environ["PYTHONPATH"] = str(Path("mutants").absolute())
    names = []
    for path in walk_mutatable_files():
        data = SourceFileMutationData(path=path)
        data.load()
        names += [name.replace("__init__.", "") for name in data.exit_code_by_key]
    return sorted(names)


def reach(runner: PytestRunner, folder: str) -> None:
    """Find out which tests reach which function, and how long each takes."""
    state()._stats = Hits(folder)
    set_mutant_under_test("stats")
    del os.environ["MUTANT_UNDER_TEST"]  # programs that a test starts know nothing of mutmut
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        ended = runner.run_stats(tests=[])
    if ended != 0:
        sys.exit(f"{told.getvalue()[-5000:]}\nthe tests fail on the code as it is")


def main() -> None:
    """Judge a sample; tell what survives, and how many do not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("--sample", type=int, help="how many mutants to judge; all, if not given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="*", help="their names, as 'vaultkit.checks.shapes*'")
    given = parser.parse_args()
    # A shell has what runs in the background ignore it, and some tests need it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    began = time.monotonic()
    every = prepare(given.room)
    names = fnmatch.filter(every, given.only)
    if given.sample:
        names = random.Random(given.seed).sample(names, min(given.sample, len(names)))
    runner = PytestRunner()
    outcomes = {}
    with tempfile.TemporaryDirectory() as folder:
        reach(runner, folder)
        known = set(state().duration_by_test)
        if judge(runner, "", known, folder) != "survived":
            sys.exit("the tests fail in a process of their own")
        took = time.monotonic() - began
        print(f"{len(every)} mutants, {len(known)} tests, known after {took:.0f} s", flush=True)
        for name in sorted(names):
            # What no test is seen to reach, as it runs in a process made afresh: by all tests.
            tests = state().tests_by_mangled_function_name[mangled_name_from_mutant_name(name)]
            outcomes[name] = judge(runner, name, tests or known, folder)
            if outcomes[name] == "survived":
                print(f"\n{name} survives {len(tests)} tests")
                difference = get_diff_for_mutant(name).splitlines()[2:]
                print("\n".join(line for line in difference if line.strip()), flush=True)
    by_module: dict[str, Counter[str]] = {}
    for name, outcome in outcomes.items():
        by_module.setdefault(name.rpartition(".")[0], Counter())[outcome] += 1
    print()
    for module, counted in {**by_module, given.room: Counter(outcomes.values())}.items():
        noticed = counted.total() - counted["survived"]
        print(f"{noticed:4} of {counted.total():4} noticed, {counted['timeout']} by time: {module}")
    share = 1 - Counter(outcomes.values())["survived"] / len(outcomes)
    print(f"{share:.1%} of {len(outcomes)} in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
