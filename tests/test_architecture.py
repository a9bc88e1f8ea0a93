"""Arrows run one way: docs → snippets → NumPy, and vaultkit knows none of them."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultkit.read.vault import Vault

ROOT = Path(__file__).parents[1]
DOORS = {
    "built_pages.py",
    "language_server.py",
    "mkdocs_plugin.py",
    "pytest_plugin.py",
    "redirects.py",
    "rendered_pages.py",
    "saved_pages.py",
    "contents.py",
    "site_assets.py",
    "site_builder.py",
    "written_pages.py",
}
HOSTS = {"pytest", "_pytest", "mkdocs", "material", "pygls"}


def imported(source: str) -> set[str]:
    def names() -> Iterator[str]:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or ""

    return {name.split(".")[0] for name in names()}


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", modules("vaultkit"), ids=str)
def test_the_engine_knows_nothing_of_what_the_notes_are_about(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert not imported(source) & {"snippets", "figures", "docs", "tests"}
    # Obsidian calls one of its callouts so.
    assert "attention" not in source.lower().replace('"attention"', "")


@pytest.mark.parametrize("path", modules("vaultkit"), ids=str)
def test_only_the_doors_import_their_hosts(path: Path) -> None:
    hosts = imported(path.read_text(encoding="utf-8")) & HOSTS
    assert path.name in DOORS or not hosts
    assert len(hosts) <= 1


@pytest.mark.parametrize("path", modules("snippets"), ids=str)
def test_snippets_need_numpy_alone(path: Path) -> None:
    used = imported(path.read_text(encoding="utf-8"))
    assert used - sys.stdlib_module_names <= {"numpy", "snippets"}


@pytest.mark.parametrize("path", modules("figures"), ids=str)
def test_figures_are_drawn_from_the_snippets(path: Path) -> None:
    used = imported(path.read_text(encoding="utf-8"))
    assert used - sys.stdlib_module_names <= {"numpy", "snippets", "figures", "vaultkit"}


def test_notes_import_snippets_and_numpy_alone() -> None:
    for note in Vault(ROOT / "docs").notes.values():
        for block in note.blocks:
            if block.kind == "python" and "raises" not in block.fence.options:
                used = imported(block.fence.text) - sys.stdlib_module_names
                assert used <= {"numpy", "snippets"}, f"{note.path}:{block.fence.line}"


# What a room may import of the others, besides itself; `update`, `ledger` and `files` serve all.
BELOW = {
    "read": set(),
    "run": {"read"},
    "tex": set(),
    "values": {"tex"},
    "checks": {"read", "run", "tex", "values"},
    "edit": {"read", "checks"},
    "site": {"read"},
}


@pytest.mark.parametrize("room", BELOW)
def test_the_rooms_import_one_way(room: str) -> None:
    rooms = {path.name for path in (ROOT / "vaultkit").iterdir() if path.is_dir()}
    for path in modules(f"vaultkit/{room}"):
        if room == "site" and path.name == "report.py":
            continue  # shows the ledger, which holds checks
        tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        names = {node.module or "" for node in tree if isinstance(node, ast.ImportFrom)}
        used = {name.split(".")[1] for name in names if name.startswith("vaultkit.")} & rooms
        assert used <= BELOW[room] | {room}, path


BARRED = """
import sys

class Bar:
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        known = {"numpy", "markdown_it", "mdurl", "mdit_py_plugins", "yaml", "_yaml", "vaultkit"}
        rooms = ("vaultkit.site", "vaultkit.theme", "vaultkit.doors", "vaultkit.mutants")
        if top not in known | sys.stdlib_module_names or name.startswith(rooms):
            raise ModuleNotFoundError(f"{name} is barred")

sys.meta_path.insert(0, Bar())
from pathlib import Path
from vaultkit.inspect import inspect
from vaultkit.read.vault import Vault
vault = Vault(Path(sys.argv[1]))
(note,) = vault.notes.values()
print([check.outcome for check in inspect(note, vault)])
"""


def test_a_note_is_inspected_without_a_renderer_or_a_host(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    text = "# A\n\n```python\nx = 1 + 1\nx\n```\n\n```text\n2\n```\n\n$x = 2$ and [[A]]\n"
    (tmp_path / "docs" / "A.md").write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", BARRED, str(tmp_path / "docs")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.strip() == str(["holds"] * 3)
