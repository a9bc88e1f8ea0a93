"""That there is a browser, that the site is built, and that its build warns of nothing.

All other tests of pages build without ``--strict``, and are skipped where there is nothing to look
at, so that one wrong note, and one thing that is missing, is one failure.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Error

if TYPE_CHECKING:
    from conftest import Build


def test_a_browser_starts(started: Browser | Error | None) -> None:
    if started is None and not os.environ.get("CI"):
        pytest.skip("no browser is installed")
    assert isinstance(started, Browser), started or "no browser is installed"


def test_the_site_is_built(build: Build) -> None:
    assert build.done.returncode == 0, build.done.stderr


def test_the_build_warns_of_nothing(build: Build) -> None:
    """That is what `--strict` asks for; `make site` builds with it."""
    assert re.findall(r"^(?:WARNING|ERROR|CRITICAL).*", build.done.stderr, re.MULTILINE) == []
