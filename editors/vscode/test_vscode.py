"""A session in real VS Code, which code-server shows in a browser.

``make editors`` runs it; it is no part of ``make test``. ``editors/vscode/prepare.sh`` installs
code-server; ``CODE_SERVER`` names another folder with its ``node_modules``.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api")

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CODE = Path(os.environ.get("CODE_SERVER", HERE / ".code-server"))
ENTRY = CODE / "node_modules/code-server/out/node/entry.js"
#: Seconds to wait for anything; a machine may be busy.
PATIENCE = 180.0
#: Bytes of the packed extension.
LARGEST = 120_000
#: It asks nothing of the network.
SETTINGS = {
    "workbench.startupEditor": "none",
    "telemetry.telemetryLevel": "off",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "git.enabled": False,
}
#: Saves all notes. The palette of commands closes when a note that was renamed takes the focus.
SAVE_ALL = "Control+Alt+s"
KEYS = [{"key": "ctrl+alt+s", "command": "workbench.action.files.saveAll"}]

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed"),
    pytest.mark.skipif(not ENTRY.is_file(), reason="code-server is not there: run prepare.sh"),
]


@pytest.fixture(scope="module")
def extension() -> Path:
    """The extension, packed anew."""
    if not (HERE / "node_modules").is_dir():
        options = ["--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(["npm", "install", *options], cwd=HERE, check=True)
    subprocess.run(["npm", "run", "--silent", "package"], cwd=HERE, check=True)
    packed = HERE / "dist/checked-vault.vsix"
    assert packed.stat().st_size < LARGEST
    return packed


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the vault of this repository, with its results and an environment."""
    folder = tmp_path_factory.mktemp("code") / "vault"
    folder.mkdir()
    for name in ("docs", "snippets", "figures"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("mkdocs.yml", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder / name)
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    # The results are known from here on, so that the status waits for no run of the whole vault.
    if (ROOT / ".cache").is_dir():
        shutil.copytree(ROOT / ".cache", folder / ".cache")
    command = [sys.executable, "-m", "vaultkit", "check", "docs", "--known"]
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return folder


@pytest.fixture(scope="module")
def address(extension: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """VS Code with the extension, served."""
    home = tmp_path_factory.mktemp("home")
    where = ["--user-data-dir", str(home / "data"), "--extensions-dir", str(home / "extensions")]
    (home / "data/User").mkdir(parents=True)
    (home / "data/User/settings.json").write_text(json.dumps(SETTINGS))
    (home / "data/User/keybindings.json").write_text(json.dumps(KEYS))
    node = ["node", str(ENTRY), *where]
    subprocess.run([*node, "--install-extension", str(extension)], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        "--disable-telemetry",
        "--disable-update-check",
        "--disable-getting-started-override",
    ]
    served = subprocess.Popen(
        [*node, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}", *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    began = time.monotonic()
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            assert time.monotonic() - began < PATIENCE
            time.sleep(0.1)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(served.pid, 15)
        served.wait(PATIENCE)


@pytest.fixture(scope="module")
def page(address: str, vault: Path) -> Iterator["playwright.Page"]:
    """VS Code with the folder of the vault."""
    browser = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome")
         if (path := shutil.which(name))), None,
    )  # fmt: skip
    if browser is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        shown = running.new_page(viewport={"width": 1280, "height": 800})
        shown.set_default_timeout(1000 * PATIENCE)
        shown.goto(f"{address}/?folder={vault}")
        yield shown
        running.close()


def wait(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def open_note(page: "playwright.Page", path: Path, text: str, at: str) -> None:
    """Open a note, with the cursor behind some text of it."""
    place = text.index(at) + len(at)
    line, column = text[:place].count("\n") + 1, place - text.rfind("\n", 0, place)
    page.keyboard.press("Control+p")
    # By its path: searching for a name needs ripgrep, which npm does not have.
    page.locator(".quick-input-widget input").first.fill(f"{path}:{line}:{column}")
    page.locator(".quick-input-list .monaco-list-row").filter(has_text=path.name).first.click()
    page.locator(".tab.active").filter(has_text=path.name).wait_for()
    page.get_by_text(f"Ln {line}, Col {column}").wait_for()


def press_until(page: "playwright.Page", keys: str, shown: "playwright.Locator") -> None:
    """Press keys until something is shown. On a busy machine the first time may show nothing."""
    end = time.monotonic() + PATIENCE
    while True:
        page.keyboard.press(keys)
        try:
            shown.wait_for(timeout=5000)
            return
        except playwright.TimeoutError:
            assert time.monotonic() < end, keys
            print(f"{keys} showed nothing; pressed again")
            page.keyboard.press("Escape")


def status(page: "playwright.Page") -> str:
    item = page.locator("#attention-vault\\.checked-vault\\.vaultkit\\.status")
    return item.inner_text().strip() if item.count() else ""


def is_settled(page: "playwright.Page") -> bool:
    """Return whether all notes have been checked; a note of the vault may fail."""
    return re.search(r"notes? (hold|fail)s?$", status(page)) is not None


def test_nothing_runs_before_the_folder_is_trusted(page: "playwright.Page") -> None:
    page.get_by_text("Do you trust the authors of the files in this folder?").wait_for()
    assert status(page) == ""
    page.get_by_role("button", name="Yes, I trust the authors").click()
    wait(lambda: is_settled(page), "the status")


def test_a_changed_digit_is_contradicted_with_both_sides(
    page: "playwright.Page", vault: Path
) -> None:
    note = vault / "docs/Softmax.md"
    open_note(page, note, note.read_text(), r"\exp(x_1 - ")
    page.get_by_text("✓").first.wait_for()
    before = status(page)
    began = time.monotonic()
    page.keyboard.type("2 ")
    page.locator(".squiggly-error").first.wait_for()
    print(f"contradicted after {time.monotonic() - began:.1f} s")
    wait(lambda: "fail" in status(page) and status(page) != before, "the status")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Control+k")
    page.keyboard.press("Control+i")
    hover = page.locator(".monaco-hover").filter(has_text="does not hold").first
    hover.wait_for()
    assert "left 2.71828, right 1" in hover.inner_text()
    page.screenshot(path=HERE / "pictures/contradicted.png")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    wait(lambda: status(page) == before, "the status")
    assert page.locator(".squiggly-error").count() == 0


def test_a_fix_writes_the_output(page: "playwright.Page", vault: Path) -> None:
    note = vault / "docs/Softmax.md"
    before = note.read_text()
    first = before.index("```text\n") + len("```text\n")
    open_note(page, note, before, before[: before.index("\n", first)])
    page.keyboard.type("9")
    page.locator(".squiggly-error").first.wait_for()
    press_until(page, "Control+.", page.get_by_text("Write this output").first)
    page.screenshot(path=HERE / "pictures/fix.png")
    page.keyboard.press("Enter")
    page.locator(".squiggly-error").first.wait_for(state="detached")
    page.keyboard.press("Control+s")
    wait(lambda: note.read_text() == before, "the note is as before")


def test_a_rename_in_the_explorer_mends_links(page: "playwright.Page", vault: Path) -> None:
    def links(name: str) -> int:
        found = (re.findall(rf"\[\[{name}(?=[\]|#])", p.read_text()) for p in notes.glob("*.md"))
        return sum(map(len, found))

    notes = vault / "docs"
    before = links("Softmax")
    assert before
    rows = page.locator(".explorer-folders-view .monaco-list-row")
    rows.filter(has_text=re.compile(r"^Softmax\.md")).first.click()
    page.keyboard.press("F2")
    name = page.locator(".explorer-folders-view input").first
    name.fill("Soft maximum.md")
    name.press("Enter")
    page.get_by_text("wants to make refactoring changes").wait_for()
    page.get_by_role("button", name="OK").click()
    wait((notes / "Soft maximum.md").exists, "the file is renamed")
    page.locator(".tab").filter(has_text="Soft maximum.md").wait_for()

    def saved() -> bool:
        page.keyboard.press(SAVE_ALL)
        return links("Softmax") == 0

    wait(saved, "the links")
    assert links("Soft maximum") == before
    assert "- Soft maximum.md" in (vault / "mkdocs.yml").read_text()


def test_what_is_tried_is_said_when_no_python_is_found(
    page: "playwright.Page", vault: Path
) -> None:
    (vault / ".vscode").mkdir()
    (vault / ".vscode/settings.json").write_text('{"vaultkit.python": "/nowhere/python"}')
    page.get_by_text("/nowhere/python: not there").first.wait_for()
    assert "no Python" in status(page)
    (vault / ".vscode/settings.json").write_text("{}")
    wait(lambda: "notes" in status(page), "the status")
