"""The shipped bundle on real CodeMirror 6 in Chromium, with the real server.

``make editors`` runs these tests; they are no part of ``make test``. The workspace of Obsidian is
that of the npm package ``obsidian-test-mocks``. What only a person can see is listed in
``BY_HAND.md``.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api")

sys.path.insert(0, str(Path(__file__).parent / "harness"))
from bridge import Bridge  # noqa: E402
from window import FILES, HERE, PATIENCE, make_vault, run  # noqa: E402

BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome")
     if (path := shutil.which(name))), None,
)  # fmt: skip

#: Obsidian's variables that the styles use, for the pictures.
PAGE = """<!doctype html><meta charset="utf-8"><title>Obsidian</title>
<link rel="stylesheet" href="/styles.css">
<style>
:root { --radius-s: 4px; --radius-m: 8px; --background-secondary: #eee; --background-primary: #fff;
  --text-muted: #666; --text-faint: #aaa; --text-normal: #222; --text-error: #c33;
  --text-success: #080; --text-warning: #c80; --color-red-rgb: 233, 49, 71;
  --background-modifier-border: #ddd; --font-ui-smaller: 12px; --size-4-2: 8px; --size-4-1: 4px;
  --size-2-1: 2px; --font-interface: sans-serif; --font-monospace: monospace; }
body { font-family: sans-serif; } .window { width: 760px; } pre { font-size: 13px; }
.drawn, .math { font-family: serif; font-style: italic; }
.math-block { display: block; text-align: center; padding: 6px; }
</style><body></body>"""


@pytest.fixture(scope="session")
def bundle() -> Path:
    """The plugin as it is shipped, built anew."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    if not (HERE / "node_modules").exists():
        options = ["--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(["npm", "install", *options], cwd=HERE, check=False)
        if done.returncode:
            pytest.skip("the npm packages of editors/obsidian could not be installed")
    run("npm", "run", "--silent", "build")
    return HERE / "dist/main.js"


@pytest.fixture(scope="session")
def harness(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script of the page; the packages that it needs are there after the bundle was built."""
    assert bundle.is_file()
    built = tmp_path_factory.mktemp("harness") / "page.js"
    run("npx", "esbuild", "harness/page.ts", "--bundle", "--log-level=error", f"--outfile={built}")
    return built


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    if BROWSER is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def bridge(bundle: Path, harness: Path) -> Iterator[Bridge]:
    script = "window.bundle = " + json.dumps(bundle.read_text())
    served = Bridge({
        "/": PAGE, "/page.js": harness, "/bundle.js": script, "/styles.css": HERE / "styles.css",
    })  # fmt: skip
    yield served
    served.close()


@pytest.fixture
def page(bridge: Bridge, browser: "playwright.Browser") -> Iterator["playwright.Page"]:
    shown = browser.new_page(viewport={"width": 800, "height": 480})
    shown.set_default_timeout(1000 * PATIENCE)
    errors: list[str] = []
    shown.on("pageerror", lambda error: errors.append(str(error)))
    shown.goto(bridge.address)
    shown.add_script_tag(url="/bundle.js")
    shown.add_script_tag(url="/page.js")
    yield shown
    shown.close()
    assert not errors


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "a vault, ü", FILES)
