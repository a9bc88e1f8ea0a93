"""What holds for the tests of code and pages."""

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
settings.register_profile("all", parent=settings(), max_examples=100)


@pytest.hookimpl(tryfirst=True)  # --hypothesis-profile comes later, and wins
def pytest_configure(config: pytest.Config) -> None:
    """Choose how many random examples are tried, before a test is read."""
    full = config.option.all or config.option.rest
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("all" if full else "few"))


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
