"""The real site, built once, served below a path, and looked at in a real browser.

Where there is no browser, site or Pyodide, those tests are skipped that need it. That the first two
are there is a test of its own.
"""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from checking import EQUATION, follow, load
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright
from visitor import CHECKED, EDITED, EMPTY, ROOT, Contexts, Visitor, visiting

HOW = (
    "no browser: install Chromium with the system's package manager, "
    "or `playwright install chromium`"
)
NO_SITE = "no site: tests/site/test_build.py says why it is not built"
NO_PYODIDE = (
    "no Pyodide: no package registry has the files that vaultkit/site/runnable.py names; "
    "put them into .cache/pyodide"
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
    # Pages of one context share a process, which keeps its fonts and compiled scripts.
    "--process-per-site",
]
# A machine that does much else at the same time is slow, and no page is at fault.
expect.set_options(timeout=30_000)
#: Pyodide's files, where somebody has put them into the checkout or beside it.
PYODIDE = next(
    (
        path
        for path in (ROOT / ".cache/pyodide", *(above / "shared/pyodide" for above in ROOT.parents))
        if path.is_dir()
    ),
    None,
)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and isinstance(report.longrepr, tuple):
        for reason in (HOW, NO_SITE, NO_PYODIDE):
            if reason in report.longrepr[2]:
                # One place for all, so that `-ra` lists them in one line.
                report.longrepr = (__file__, None, reason)  # type: ignore[assignment]


@pytest.fixture(scope="session")
def started() -> Iterator[Browser | Error | None]:
    """Start the browser, if there is one; return the error if it cannot start."""
    # The first is Chromium without the parts that only a window needs; it opens pages faster.
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    installed = next((path for name in names if (path := shutil.which(name))), None)
    with sync_playwright() as playwright:
        executable = installed or playwright.chromium.executable_path
        if not Path(executable).exists():
            yield None
            return
        try:
            running = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        except Error as error:
            yield error
            return
        yield running
        running.close()


@pytest.fixture(scope="session")
def browser(started: Browser | Error | None) -> Browser:
    if not isinstance(started, Browser):
        pytest.skip(HOW)
    return started


@pytest.fixture(scope="session")
def contexts(browser: Browser, served: tuple[Path, str]) -> Contexts:
    """Share contexts, and with them the browser's cache of pages and files, among all tests."""
    return Contexts(browser, served[1])


class _Server(http.server.SimpleHTTPRequestHandler):
    """Keeps connections open, and lets the browser cache files, which do not change."""

    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Serve a folder, and return its address."""
    folder = tmp_path_factory.mktemp("www")
    # No icon of its own would be asked for, and not be there.
    (folder / EMPTY).write_text("<link rel='icon' href='data:,'>", encoding="utf-8")
    # The pages that redirect have none, either; whether a browser asks depends on its haste.
    (folder / "favicon.ico").write_bytes(b"")
    handler = functools.partial(_Server, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class Build(NamedTuple):
    """A build of the whole site, which may have failed."""

    folder: Path
    done: subprocess.CompletedProcess[str]
    #: Whether the notes that were checked before the site was built passed.
    checked: bool


@pytest.fixture(scope="session")
def build(served: tuple[Path, str]) -> Build:
    """Build the site for an address with a path.

    Two notes are checked before, so that there is something to show of them.
    """
    folder = served[0] / "vault"
    notes = [f"docs/{name}.md" for name in (CHECKED, EDITED)]
    passed = _run(["pytest", "-q", *notes]).returncode == 0
    # Python comes from this very site: no test leaves the machine.
    done = _build(folder, SITE_URL=served[1] + "vault/", PYODIDE_URL="pyodide/")
    return Build(folder, done, passed)


@pytest.fixture(scope="session")
def built(build: Build) -> Path:
    """The folder of the site."""
    if build.done.returncode:
        pytest.skip(NO_SITE)
    if PYODIDE:
        (build.folder / "pyodide").symlink_to(PYODIDE)
    return build.folder


@pytest.fixture
def checked(build: Build) -> None:
    """Run the check of the notes that the site shows, for tests about something else."""
    if not build.checked:
        pytest.skip(f"the notes {CHECKED} and {EDITED} do not pass their own checks")


def _build(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    return _run(["mkdocs", "build", "--site-dir", str(folder)], **settings)


def _run(command: list[str], **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )


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
def visit(contexts: Contexts, base: str, built: Path) -> Iterator[Visitor]:
    [modules] = built.glob("assets/vaultkit/*/javascripts")
    with visiting(contexts, base, f"{base}{modules.relative_to(built).as_posix()}/") as visitor:
        yield visitor


@pytest.fixture(scope="module")
def loaded(contexts: Contexts, base: str, pyodide: Path) -> Iterator[Visitor]:  # noqa: ARG001
    """A visitor with a page that has loaded Python, which takes ten seconds, for several tests."""
    with visiting(contexts, base) as visitor:
        page = visitor(EQUATION)
        load(page)
        yield visitor


@pytest.fixture
def ready(loaded: Visitor) -> Page:
    """The page with Python, at the equation, without edits and results."""
    (page,) = loaded.pages
    page.evaluate("sessionStorage.clear()")
    follow(page, loaded.base, "context-vector/", "Context Vector")
    follow(page, loaded.base, EQUATION, "Attention Equation")
    return page
