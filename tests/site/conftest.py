"""The real site, built once, served below a path, and looked at in a real browser."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from visitor import CHECKED, ROOT, Visitor

HOW = (
    "no browser: install Chromium with the system's package manager, "
    "or `playwright install chromium`"
)
# None of these reach the page; they keep Chromium itself from asking its maker's servers.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A machine that does much else at the same time is slow, and no page is at fault.
expect.set_options(timeout=30_000)
#: Pyodide's files, where somebody has put them beside the checkout; no test fetches them.
PYODIDE = next(
    (path for above in ROOT.parents if (path := above / "shared" / "pyodide").is_dir()), None
)
NO_PYODIDE = "no Pyodide: put the files that vaultkit/site/runnable.py names into ../shared/pyodide"
skipped = 0


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    global skipped
    if report.skipped and isinstance(report.longrepr, tuple) and HOW in report.longrepr[2]:
        skipped += 1
        # One place for all, so that `-ra` tells of them in one line.
        report.longrepr = (__file__, None, HOW)  # type: ignore[assignment]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    # With `-ra` or `-rs` pytest's own line says the same.
    if skipped and "s" not in terminalreporter.reportchars:
        terminalreporter.write_line(f"{skipped} tests of the site were skipped: {HOW}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    installed = next((path for name in names if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        executable = installed or playwright.chromium.executable_path
        if not Path(executable).exists():
            (pytest.fail if os.environ.get("CI") else pytest.skip)(HOW)
        running = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield running
        running.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Serve a folder, and say where."""
    folder = tmp_path_factory.mktemp("www")
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def built(browser: Browser, served: tuple[Path, str]) -> Path:  # noqa: ARG001
    """Build the site, every warning an error, for an address with a path.

    One note is checked before, so that there is something to tell of it.
    """
    folder = served[0] / "vault"
    _run(["pytest", "-q", f"docs/{CHECKED}.md"])
    # Python comes from this very site: no test leaves the machine.
    _build(folder, SITE_URL=served[1] + "vault/", PYODIDE_URL="pyodide/")
    if PYODIDE:
        (folder / "pyodide").symlink_to(PYODIDE)
    return folder


@pytest.fixture
def rebuilt(built: Path, served: tuple[Path, str]) -> Callable[..., tuple[Path, str]]:
    """Build the site with other settings, beside the first one; say where it is."""

    def rebuild(name: str, **settings: str) -> tuple[Path, str]:
        _build(built.with_name(name), **settings)
        return built.with_name(name), f"{served[1]}{name}/"

    return rebuild


def _build(folder: Path, **settings: str) -> None:
    _run(["mkdocs", "build", "--strict", "--site-dir", str(folder)], **settings)


def _run(command: list[str], **settings: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def base(served: tuple[Path, str], built: Path) -> str:
    return f"{served[1]}{built.name}/"


@pytest.fixture(scope="session")
def pyodide(built: Path) -> Path:
    """Pyodide's files, as the site serves them."""
    if not PYODIDE:
        pytest.skip(NO_PYODIDE)
    return built / "pyodide"


@pytest.fixture
def visit(browser: Browser, base: str, built: Path) -> Iterator[Visitor]:
    [modules] = built.glob("assets/vaultkit/*/javascripts")
    visitor = Visitor(browser, base, f"{base}{modules.relative_to(built).as_posix()}/")
    yield visitor
    for close in visitor.close:
        close()
    assert visitor.wrong == []
