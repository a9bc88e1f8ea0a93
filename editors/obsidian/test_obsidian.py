"""The plugin for Obsidian: the shipped bundle on real CodeMirror 6, with the real server.

``make editors`` runs it; it is no part of ``make test``. The workspace of Obsidian is that of the
npm package ``obsidian-test-mocks``. What only a person can see is listed in ``BY_HAND.md``.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api")

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE / "harness"))
from bridge import Bridge  # noqa: E402

#: Seconds to wait for anything; a machine may be busy.
PATIENCE = 60.0
#: Bytes of the shipped bundle.
LARGEST = 25_000
BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome")
     if (path := shutil.which(name))), None,
)  # fmt: skip

pytestmark = [
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
    pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed"),
]

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

NOTE = """# Note

```python
x = 3.25
y = 2 * x
y + 1
```

```text
7.5
```

The double of $x = 3.25$ is $y = 6.5$, and x is 3.25 here.

$$
y = 2 x
$$

See [[Other]].
"""
FILES = {
    "Note.md": NOTE,
    "Other.md": "# Other\n\n```python\nz = 5.0\n```\n\nHere $z = 5$.\n",
    "Wrong.md": "# Wrong\n\n```python\nv = 1.5\nw = 2 * v\n```\n\nHere $w = 2$.\n",
}


def run(*words: str) -> None:
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def bundle() -> Path:
    """The plugin as it is shipped, built anew."""
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


def make_vault(folder: Path, files: dict[str, str]) -> Path:
    (folder / ".obsidian").mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return folder


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "a vault, ü", FILES)


def load(
    page: "playwright.Page", vault: Path, name: str = "one", allow: bool = True, **settings: object
) -> None:
    """Load the plugin in a window of its own, and answer its question."""
    files = {path.name: path.read_text() for path in vault.glob("*.md")}
    page.evaluate(
        """([name, base, files, settings, path]) => {
            process.env.PATH = path;
            window[name] = new Window(base, files, settings);
            return window[name].load();
        }""",
        [name, str(vault), files, settings, os.environ["PATH"]],
    )
    page.locator(".modal").wait_for()
    if allow:
        page.get_by_role("button", name="Run and check").click()


def wait(page: "playwright.Page", holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, (what, page.evaluate("notices"), page.content()[-3000:])
        page.wait_for_timeout(50)


def status(page: "playwright.Page", name: str = "one") -> str:
    return page.evaluate(f"{name}.plugin.statusBarItems__[0].textContent")


def badges(page: "playwright.Page", within: str = ".cm-content") -> list[str]:
    return page.locator(f"{within} .checked-vault-badge").all_inner_texts()


def text_of(page: "playwright.Page", index: int = 0) -> str:
    return page.evaluate(f"one.leaves[{index}].editor.state.doc.toString()")


def put_cursor(page: "playwright.Page", behind: str, index: int = 0) -> None:
    page.evaluate(
        f"""(behind) => {{
            const {{ editor }} = one.leaves[{index}];
            const at = editor.state.doc.toString().indexOf(behind);
            if (at < 0) throw new Error(behind);
            const selection = {{ anchor: at + behind.length }};
            editor.dispatch({{ selection, scrollIntoView: true }});
            editor.focus();
        }}""",
        behind,
    )


def picture(page: "playwright.Page", name: str) -> None:
    """Take a picture, into the folder that ``PICTURES`` names."""
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")


# --- The code


def test_types_and_the_rules_of_obsidian(bundle: Path) -> None:
    run("npm", "run", "--silent", "check")
    run("npm", "run", "--silent", "lint", "--", "--quiet")
    code = bundle.read_text()
    assert len(code.encode()) < LARGEST
    assert not re.findall(r"innerHTML|outerHTML|fetch\(|XMLHttpRequest|requestUrl|eval\(", code)
    names = ("manifest.json", "package.json")
    manifest, package = (json.loads((HERE / name).read_text()) for name in names)
    assert manifest["version"] == package["version"]
    assert json.loads((HERE / "versions.json").read_text()) == {
        manifest["version"]: manifest["minAppVersion"]
    }
    if re.search(r"^- \[ \]", (HERE / "BY_HAND.md").read_text(), re.MULTILINE):
        assert "Not yet run in Obsidian" in manifest["description"]
        assert "Not yet run in Obsidian" in (HERE / "README.md").read_text()


SERVER = ["-P", "-m", "vaultkit", "lsp"]


@pytest.mark.parametrize(
    ("command", "windows", "there", "words"),
    [
        ("", False, ["/v/.venv/bin/python"], ["/v/.venv/bin/python", *SERVER]),
        ("", False, ["/.venv/bin/python"], ["python3", *SERVER]),
        ("", False, ["/p/vaultkit"], ["vaultkit", "lsp"]),
        ("", True, [r"C:\n\venv\Scripts\python.exe"], [r"C:\n\venv\Scripts\python.exe", *SERVER]),
        ("", True, [], ["py", *SERVER]),
        (r'"C:\my env\python.exe"', True, [], [r"C:\my env\python.exe", *SERVER]),
        (r"C:\my env\python.exe", True, [r"C:\my env\python.exe"],
         [r"C:\my env\python.exe", *SERVER]),
        (r'"C:\a b\vaultkit.exe" lsp', True, [], [r"C:\a b\vaultkit.exe", "lsp"]),
        ("'/a b/python3.12' -I -m vaultkit lsp", False, [],
         ["/a b/python3.12", "-I", "-m", "vaultkit", "lsp"]),
        (r"/a\ b/python", False, [], ["/a b/python", *SERVER]),
    ],
)  # fmt: skip
def test_the_command(
    page: "playwright.Page", command: str, windows: bool, there: list[str], words: list[str]
) -> None:
    found = page.evaluate(
        """([line, windows, there]) => command.commandOf(
            { ...command.DEFAULTS, command: line }, windows ? 'C:\\\\n\\\\v' : '/v',
            { windows, path: windows ? 'C:\\\\p;' : '/p:/q', exists: (one) => there.includes(one) },
        )""",
        [command, windows, there],
    )
    assert found == words


# --- In the page


def test_nothing_runs_before_it_is_allowed(
    page: "playwright.Page", bridge: Bridge, vault: Path
) -> None:
    load(page, vault, allow=False)
    assert "runs its Python code" in page.locator(".modal").inner_text()
    assert f"{vault}/.venv/bin/python" in page.locator(".modal pre").inner_text()
    picture(page, "question")
    page.get_by_role("button", name="Not now").click()
    page.wait_for_timeout(300)
    assert not bridge.children
    assert "not checked" in status(page)
    page.evaluate("one.run('check')")
    page.get_by_role("button", name="Run and check").click()
    wait(page, lambda: "1 of 3 notes fails" in status(page), "the status")
    # It is remembered on this device, and only for this command.
    page.evaluate("one.run('restart')")
    wait(page, lambda: len(bridge.children) == 2, "a second server")
    page.evaluate("one.plugin.set({ environment: 'A=1' }).then(() => one.run('restart'))")
    page.locator(".modal").wait_for()
    assert "A=1" in page.locator(".modal pre").inner_text()
    page.get_by_role("button", name="Run and check").click()
    wait(page, lambda: len(bridge.children) == 3, "a third server")
    assert bridge.children[2].env["A"] == "1"


def test_badges_underline_hover_and_undo(page: "playwright.Page", vault: Path) -> None:
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    # Also behind the drawn display.
    assert page.locator(".math-block + .checked-vault-badges").inner_text() == "✓"
    put_cursor(page, "$y = 6")
    began = time.monotonic()
    page.keyboard.type("1")
    wait(page, lambda: "✗ 6.5 ≠ 61.5" in badges(page), "the badge")
    print(f"contradicted after {time.monotonic() - began:.2f} s")
    wait(page, lambda: "2 of 3 notes fail" in status(page), "the status")
    assert page.locator(".checked-vault-underline.mod-error").inner_text() == "$y = 61.5$"
    assert page.locator(".checked-vault-mark.mod-fails").count() == 1
    page.locator(".checked-vault-underline").hover()
    hover = page.locator(".checked-vault-hover")
    hover.wait_for()
    assert "left 6.5, right 61.5" in hover.inner_text()
    picture(page, "contradicted")
    # The badge stays behind the drawn formula.
    put_cursor(page, "# Note")
    assert page.locator(".drawn ~ .checked-vault-badge.mod-fails").count() == 1
    picture(page, "live-preview")
    page.evaluate("commands.undo(one.leaves[0].editor)")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    assert page.locator(".checked-vault-underline").count() == 0


def test_badges_below_callouts_and_tables(page: "playwright.Page", vault: Path) -> None:
    """Live Preview draws them as blocks, which hide what is in them."""
    code = NOTE[: NOTE.index("```text")].replace("y + 1\n", "")
    more = "> [!note] One\n> Here $y = 7$,\n> and $x = 3.25$.\n\n| a |\n|---|\n| $y = 8$ |\n| b |\n"
    (vault / "Note.md").write_text(code + more)
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page) == ["✗ 6.5 ≠ 7", "✗ 6.5 ≠ 8"], "the badges")
    above = "(one) => one.parentElement.previousElementSibling.textContent"
    both = page.locator(".checked-vault-badges.mod-block .checked-vault-badge")
    assert [both.nth(n).evaluate(above)[:5] for n in range(2)] == ["> and", "| b |"]


def test_emoji_and_several_changes_at_once(page: "playwright.Page", vault: Path) -> None:
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    page.evaluate(
        """() => {
            const { editor } = one.leaves[0];
            const places = [...editor.state.doc.toString().matchAll(/ \\$[^$]+\\$|\\n\\n/g)];
            editor.dispatch({ changes: places.map(({ 0: one, index }) => ({
                from: index, insert: one === '\\n\\n' ? '\\n' : '😀' })) });
        }"""
    )
    for letter in "𝛼ü漢":
        put_cursor(page, "# Note")
        page.keyboard.insert_text(letter)
    put_cursor(page, "$y = 6")
    page.keyboard.type("1")
    wait(page, lambda: "✗ 6.5 ≠ 61.5" in badges(page), "the badge")
    marked = page.locator(".checked-vault-underline.mod-error").all_inner_texts()
    assert "".join(marked).startswith("$y = 61.5"), marked
    # Edits anywhere, also several at a time: the server then has the text of the editor.
    page.evaluate(
        """() => {
            let seed = 7;
            const random = (most) => (seed = (seed * 16807) % 2147483647) % most;
            const { editor } = one.leaves[0];
            for (let round = 0; round < 200; round++) {
                const size = editor.state.doc.length;
                const ends = [random(size), random(size), random(size), random(size)];
                const [a, b, c, d] = ends.sort((one, other) => one - other);
                const insert = ['😀', 'a\\nb', '\\n\\n', '', '𝛼$'][random(5)];
                const short = (from, to) => ({ from, to: Math.min(to, from + 3), insert });
                editor.dispatch({ changes: a < b && b < c ? [short(a, b), short(c, d)] : [] });
            }
            const code = '# End\\n\\n```python\\nq = 4.0\\n```\\n\\nHere 😀 $q = 9$.\\n';
            editor.dispatch({ changes: { from: editor.state.doc.length,
                insert: '\\n```\\n\\n' + code } });
        }"""
    )
    if text_of(page).count("```") % 2:  # the edits have left a fence open
        page.evaluate("one.leaves[0].editor.dispatch({ changes: { from: 0, insert: '```\\n' } })")
    wait(page, lambda: "✗ 4 ≠ 9" in badges(page), "the badge")
    put_cursor(page, "$q = 9")
    assert "$q = 9$" in page.locator(".checked-vault-underline.mod-error").all_inner_texts()


def test_two_editors_of_a_note(page: "playwright.Page", vault: Path) -> None:
    load(page, vault)
    page.evaluate("Promise.all([one.open('Note.md'), one.open('Note.md')])")
    wait(page, lambda: badges(page).count("✓") == 6, "the badges")
    put_cursor(page, "$y = 6")
    page.keyboard.type("1")
    # Obsidian repeats the change in the other editor.
    page.evaluate(
        """() => { const [{ editor: a }, { editor: b }] = one.leaves;
            b.dispatch({ changes: { from: 0, to: b.state.doc.length, insert: a.state.doc } }); }"""
    )
    wait(page, lambda: badges(page).count("✗ 6.5 ≠ 61.5") == 2, "the badges")
    page.evaluate("one.close(1)")
    page.keyboard.press("Backspace")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")


def test_fixes(page: "playwright.Page", vault: Path) -> None:
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    put_cursor(page, "```text\n7.5")
    page.keyboard.type("9")
    wait(page, lambda: "✗ 7.59 ≠ 7.5" in badges(page), "the badge of the output")
    picture(page, "output")
    put_cursor(page, "y + 1")  # in the code above it
    page.evaluate("one.run('write-output')")
    wait(page, lambda: text_of(page) == NOTE, "the output")
    put_cursor(page, "x is 3.2")
    page.evaluate("one.run('bind-number')")
    wait(page, lambda: "x is 3.25<!-- = x --> here" in text_of(page), "the binding")
    page.evaluate("commands.undo(one.leaves[0].editor)")
    wait(page, lambda: text_of(page) == NOTE, "undo")
    put_cursor(page, "See [[Other")
    page.keyboard.type("x")
    page.locator(".checked-vault-underline").first.wait_for()
    page.evaluate("one.run('fix')")
    page.locator(".suggestion", has_text="Link to 'Other'").click()
    wait(page, lambda: text_of(page) == NOTE, "the link")
    page.evaluate("one.run('write-output')")
    wait(page, lambda: "the real one" in page.evaluate("notices.join()"), "a notice")


def test_reading_view(page: "playwright.Page", vault: Path) -> None:
    text = NOTE.replace("y = 6.5", "y = 61.5").replace("\n7.5\n", "\n7.9\n")
    (vault / "Note.md").write_text(text)
    (vault / "Note.md").write_text(text.replace("See [[Other]].", "Also $q$ and $y = 3$."))
    load(page, vault)
    page.evaluate("one.read('Note.md')")
    within = ".markdown-preview-view"
    expected = ["✗ 7.9 ≠ 7.5", "✓", "✗ 6.5 ≠ 61.5", "✓", "✗ 6.5 ≠ 3"]
    wait(page, lambda: badges(page, within) == expected, "the badges")
    assert page.locator(".math + .checked-vault-badge").count() == 4
    tooltip = page.locator(f"{within} .mod-fails").nth(1).get_attribute("aria-label")
    assert "left 6.5, right 61.5" in tooltip
    picture(page, "reading")
    # A change from outside.
    page.evaluate(
        """() => one.app.vault.process(one.app.vault.getFileByPath('Note.md'),
            (text) => text.replace('61.5', '6.55'))"""
    )
    wait(page, lambda: "✗ 6.5 ≠ 6.55" in badges(page, within), "the badge")


def test_the_pane_leads_to_notes_that_are_not_open(page: "playwright.Page", vault: Path) -> None:
    load(page, vault)
    wait(page, lambda: "1 of 3 notes fails" in status(page), "the status")
    page.evaluate("one.plugin.statusBarItems__[0].click()")
    page.wait_for_timeout(100)
    page.evaluate("one.pane('checked-vault-failures')")
    pane = page.locator(".checked-vault-pane")
    wait(page, lambda: "$w = 2$ does not hold" in pane.inner_text(), "the failure")
    assert "1 of 3 notes fails" in pane.inner_text()
    picture(page, "pane")
    pane.get_by_role("button").click()
    wait(page, lambda: page.evaluate("one.app.workspace.getActiveFile()?.path") == "Wrong.md", "it")
    # It is mended on disk.
    (vault / "Wrong.md").write_text(FILES["Wrong.md"].replace("$w = 2$", "$w = 3$"))
    wait(page, lambda: "3 notes hold" in status(page), "the status")
    wait(page, lambda: "does not hold" not in pane.inner_text(), "the pane")


def test_a_rename_is_followed(page: "playwright.Page", vault: Path) -> None:
    load(page, vault)
    page.evaluate("one.open('Wrong.md')")
    wait(page, lambda: "✗ 3 ≠ 2" in badges(page), "the badge")
    (vault / "Wrong.md").rename(vault / "Right.md")
    page.evaluate("one.app.vault.rename(one.app.vault.getFileByPath('Wrong.md'), 'Right.md')")
    put_cursor(page, "$w = ")
    page.keyboard.press("Delete")
    page.keyboard.type("3")
    wait(page, lambda: badges(page) == ["✓"], "the badge")
    wait(page, lambda: "3 notes hold" in status(page), "the status")


def test_a_killed_server_is_restarted(page: "playwright.Page", bridge: Bridge, vault: Path) -> None:
    load(page, vault)
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")
    bridge.running[0].process.kill()
    wait(page, lambda: "⚠" in status(page), "the status")
    assert not badges(page)
    put_cursor(page, "$y = 6")
    page.keyboard.type("1")
    wait(page, lambda: "✗ 6.5 ≠ 61.5" in badges(page), "the badge")
    for count in (2, 3):
        bridge.running[0].process.kill()
        wait(page, lambda count=count: len(bridge.children) == count + 1, "another server")
        wait(page, lambda: "notes fail" in status(page), "the status")
    bridge.running[0].process.kill()
    wait(page, lambda: "again and again" in page.evaluate("notices.join()"), "a notice")
    page.wait_for_timeout(1500)
    assert not bridge.running
    page.evaluate("one.run('restart')")
    wait(page, lambda: "✗ 6.5 ≠ 61.5" in badges(page), "the badge")


def test_a_missing_command_and_a_silent_one(
    page: "playwright.Page", bridge: Bridge, vault: Path
) -> None:
    load(page, vault, command="/nowhere/python")
    told = lambda words: words in page.evaluate("notices.join()")  # noqa: E731
    wait(page, lambda: told("/nowhere/python is not there"), "a notice")
    assert "not checked" in status(page)
    page.evaluate("one.settingsTab()")
    picture(page, "settings")
    page.evaluate("one.plugin.set({ command: 'sleep 1000', patience: 1 })")
    page.evaluate("one.run('restart')")
    page.get_by_role("button", name="Run and check").click()
    wait(page, lambda: told("did not answer within 1 s"), "a notice")
    wait(page, lambda: not bridge.running, "its end")
    page.evaluate("one.plugin.set({ command: 'python3 -c 1/0', patience: 60 })")
    page.evaluate("one.run('restart')")
    page.get_by_role("button", name="Run and check").click()
    wait(page, lambda: told("ZeroDivisionError"), "a notice")
    count = len(bridge.children)
    page.wait_for_timeout(1500)
    assert len(bridge.children) == count  # it is not started again
    page.evaluate("one.plugin.set({ command: '' })")
    page.evaluate("one.run('restart')")
    page.get_by_role("button", name="Run and check").click()
    wait(page, lambda: "1 of 3 notes fails" in status(page), "the status")


def descendants(process: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout.split()
    children = list(zip(map(int, listed[::2]), map(int, listed[1::2]), strict=True))
    found = [process]
    for one in found:
        found += [child for child, parent in children if parent == one]
    return found


def alive(processes: list[int]) -> list[int]:
    return [one for one in processes if Path(f"/proc/{one}").exists()]


def test_unload_leaves_nothing(page: "playwright.Page", bridge: Bridge, vault: Path) -> None:
    before = page.locator("[class*=checked-vault]").count()
    load(page, vault)
    page.evaluate("Promise.all([one.open('Wrong.md'), one.read('Wrong.md')])")
    wait(page, lambda: "✗ 3 ≠ 2" in badges(page, ".markdown-preview-view"), "the badge")
    wait(page, lambda: "✗ 3 ≠ 2" in badges(page), "the badge")
    processes = descendants(bridge.running[0].process.pid)
    page.evaluate("one.unload()")
    assert page.locator("[class*=checked-vault]").count() == before == 0
    wait(page, lambda: not alive(processes), "the end of the processes")
    assert bridge.children[0].process.returncode == 0
    put_cursor(page, "$w = ")
    page.keyboard.type("1")
    page.wait_for_timeout(300)
    assert not badges(page)
    assert page.evaluate("one.app.workspace.getLeavesOfType('markdown').length") == 2


def test_the_server_ends_with_the_app(page: "playwright.Page", bridge: Bridge, vault: Path) -> None:
    load(page, vault)
    wait(page, lambda: "1 of 3 notes fails" in status(page), "the status")
    processes = descendants(bridge.running[0].process.pid)
    page.goto("about:blank")
    end = time.monotonic() + PATIENCE
    while alive(processes):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert bridge.children[0].process.returncode == 128 + signal.SIGTERM


def test_two_vaults(page: "playwright.Page", bridge: Bridge, vault: Path, tmp_path: Path) -> None:
    other = make_vault(tmp_path / "other", {"Only.md": FILES["Other.md"].replace("5.0", "6.0")})
    load(page, vault)
    load(page, other, "two")
    wait(page, lambda: "1 of 3 notes fails" in status(page), "the status")
    wait(page, lambda: "1 of 1 note fails" in status(page, "two"), "the status")
    page.evaluate("two.unload()")
    wait(page, lambda: len(bridge.running) == 1, "one server")
    page.evaluate("one.open('Note.md')")
    wait(page, lambda: badges(page).count("✓") == 3, "the badges")


def test_a_digit_of_softmax(page: "playwright.Page", tmp_path: Path) -> None:
    """In the vault of this repository, of which only open notes run."""
    notes = tmp_path / "vault/docs"
    for name in ("docs", "snippets", "figures"):
        shutil.copytree(ROOT / name, notes.parent / name)
    shutil.copy2(ROOT / "mkdocs.yml", notes.parent)
    make_vault(tmp_path / "made", {})
    shutil.move(tmp_path / "made/.venv", notes.parent / ".venv")
    load(page, notes, check="open")
    page.evaluate("one.open('Softmax.md')")
    put_cursor(page, r"\exp(x_1 - ")  # only what is in view is drawn
    wait(page, lambda: "✓" in " ".join(badges(page)), "the badges")
    began = time.monotonic()
    page.keyboard.type("2 ")
    wait(page, lambda: "✗ 2.71828 ≠ 1" in badges(page), "the badge")
    took = time.monotonic() - began
    print(f"contradicted after {took:.2f} s")
    page.locator(".checked-vault-underline.mod-error").first.hover()
    page.locator(".checked-vault-hover").wait_for()
    assert "left 2.71828, right 1" in page.locator(".checked-vault-hover").inner_text()
    picture(page, "softmax")
