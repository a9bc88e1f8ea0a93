"""The bundle: its types, the rules of Obsidian's reviewers, its size and its command."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page
from window import HERE, run

#: Bytes of the shipped bundle.
LARGEST = 25_000


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
    page: Page, command: str, windows: bool, there: list[str], words: list[str]
) -> None:
    found = page.evaluate(
        """([line, windows, there]) => command.commandOf(
            { ...command.DEFAULTS, command: line }, windows ? 'C:\\\\n\\\\v' : '/v',
            { windows, path: windows ? 'C:\\\\p;' : '/p:/q', exists: (one) => there.includes(one) },
        )""",
        [command, windows, there],
    )
    assert found == words
