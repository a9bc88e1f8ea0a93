"""Settings for the tests of code and pages."""

import os
import shlex
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# How many random examples are tried. A test that needs another number multiplies it:
# ``settings(max_examples=15 * settings().max_examples)``.
settings.register_profile("few", parent=settings(), max_examples=20)
settings.register_profile("some", parent=settings(), max_examples=40)
settings.register_profile("all", parent=settings(), max_examples=100)


@pytest.hookimpl(tryfirst=True)  # --hypothesis-profile comes later, and wins
def pytest_configure(config: pytest.Config) -> None:
    """Choose the number of random examples before any test module is read."""
    usual = "all" if config.option.all else "some" if config.option.rest else "few"
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or usual)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Name the command that repeats a failure alone."""
    report = yield
    if report.failed:
        python = Path(sys.executable)
        here = Path.cwd()
        command = [str(python.relative_to(here) if python.is_relative_to(here) else python)]
        full = item.config.option.all or item.config.option.rest
        command += ["-m", "pytest", *(["--all"] if full else []), item.nodeid]
        report.sections.append(("repeat it alone", shlex.join(command)))
    return report


@pytest.hookimpl(tryfirst=True)  # before long tests are left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark ``long`` what ``usually`` does not name, and ``full`` what ``sample`` does not."""
    named: dict[tuple[str, str], bool] = {}
    for item in items:
        if not isinstance(item, pytest.Function):
            continue
        for name, other in (("usually", "long"), ("sample", "full")):
            if not (mark := item.get_closest_marker(name)):
                continue
            known = [end for end in mark.args if item.callspec.id.endswith(end)]
            if not known:
                item.add_marker(other)
            test = item.nodeid.partition("[")[0]
            for end in mark.args:
                named[test, end] = named.get((test, end), False) or end in known
    wrong = [f"{test}: {end}" for (test, end), found in named.items() if not found]
    if wrong and not any("::" in name for name in config.args):
        raise pytest.UsageError(f"a mark names what is no parameter: {wrong}")
