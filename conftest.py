"""What holds for all tests: which of them run, and what is said of them at the end.

Tests marked ``long`` are left out, unless somebody gives ``--all`` (or sets ``VAULT_TESTS=all``),
chooses by ``-m``, or names a test by its id. ``--rest`` (``VAULT_TESTS=rest``) runs only what is
left out without ``--all``; of tests that repeat one thing on many pages or inputs it runs a sample,
and leaves out those marked ``full``. Without either, tests on random examples take few of them:
``tests/conftest.py``.
"""

import os
import signal
import zlib
from pathlib import Path

import pytest

import vaultkit

# Where the engine is installed as a copy, its examples are not collected from here as well.
collect_ignore = (
    []
    if Path(vaultkit.__file__).is_relative_to(Path(__file__).parent / "vaultkit")
    else ["vaultkit"]
)

# They hold no examples, and are modules of one name.
collect_ignore_glob = ["*conftest.py"]

# A shell that runs the tests in the background has Ctrl-C ignored, by all that they start, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what says how many of the tests run."""
    group = parser.getgroup("vault tests", "which tests of this vault run")
    asked = os.environ.get("VAULT_TESTS")
    group.addoption(
        "--all",
        action="store_true",
        default=asked == "all",
        help="run the tests marked `long`, too, and as many random examples as there are",
    )
    group.addoption(
        "--rest",
        action="store_true",
        default=asked == "rest",
        help="run what is left out without --all, and nothing else",
    )
    group.addoption(
        "--half",
        type=int,
        choices=(1, 2),
        help="take one half of the files alone; another process may run the other one",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files of the other half."""
    half = config.option.half
    if half is None or collection_path.suffix != ".py":
        return None
    return zlib.crc32(collection_path.name.encode()) % 2 != half - 1 or None


def pytest_configure(config: pytest.Config) -> None:
    """Count from nothing."""
    config.stash[_LEFT_OUT] = 0


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes long, or what does not."""
    if config.option.all or config.option.markexpr or any("::" in name for name in config.args):
        return
    rest = config.option.rest
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        full = item.get_closest_marker("full") is not None
        long = full or item.get_closest_marker("long") is not None
        # Those on random examples take more of them in the rest.
        examples = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        chosen = (long or examples) and not full if rest else not long
        (kept if chosen else left).append(item)
        config.stash[_LEFT_OUT] += full if rest else not chosen
    if left:
        items[:] = kept
        config.hook.pytest_deselected(items=left)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End with what is flaky, and with what was left out."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    failed = {report.nodeid for report in reporter.stats.get("failed", ())}
    again = dict.fromkeys(report.nodeid for report in reporter.stats.get("rerun", ()))
    for name in again:
        if name not in failed:
            reporter.write_line(f"flaky: {name} failed, and passed when it was tried again")
    if left := config.stash.get(_LEFT_OUT, 0):
        tests = "1 long test was" if left == 1 else f"{left} long tests were"
        reporter.write_line(f"{tests} left out: make test-all runs everything")
