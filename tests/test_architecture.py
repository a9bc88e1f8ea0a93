"""Arrows run one way: docs → snippets → NumPy, and vaultkit knows none of them."""

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.own_vault import VAULT

ROOT = Path(__file__).parents[1]
DOORS = {
    "parallel_build.py",
    "bind_action.py",
    "language_server.py",
    "messages.py",
    "mkdocs_plugin.py",
    "pytest_items.py",
    "pytest_plugin.py",
    "pytest_session.py",
    "render_cache.py",
    "page_spool.py",
    "site_builder.py",
    "site_files.py",
    "vault_config.py",
    "output_index.py",
}
HOSTS = {"pytest", "_pytest", "mkdocs", "material", "zensical", "pygls"}


@functools.cache
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
    for note in VAULT.notes.values():
        for block in note.blocks:
            if block.kind == "python" and "raises" not in block.fence.options:
                used = imported(block.fence.text) - sys.stdlib_module_names
                assert used <= {"numpy", "snippets"}, f"{note.path}:{block.fence.line}"


def test_no_file_is_long() -> None:
    folders = ("bench", "docs", "editors", "figures", "snippets", "tests", "vaultkit")
    long = {
        str(path.relative_to(ROOT)): lines
        for folder in folders
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in (".css", ".js", ".lua", ".py", ".ts")
        and not {"node_modules", "dist", ".code-server"} & set(path.parts)
        and (lines := path.read_bytes().count(b"\n")) >= 600
    }
    assert long == {}


# What a room may import of the others, besides itself; the modules beside the rooms serve all.
BELOW = {
    "read": set(),
    "run": {"read"},
    "workers": {"run"},
    "tex": set(),
    "values": {"tex"},
    "claims": {"read"},
    "checks": {"claims", "read", "run", "tex", "values"},
    "pipeline": {"checks", "claims", "read", "run", "workers"},
    "edit": {"checks", "claims", "read"},
    "theme": set(),
    "render": {"claims", "read"},
    "site": {"checks", "claims", "pipeline", "read", "render", "theme"},
    "mutants": {"checks", "claims", "pipeline", "read", "render", "run"},
}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def edges() -> dict[str, set[str]]:
    """Which module of the engine imports which others, within functions and for types, too."""
    known = {module_name(path): path for path in modules("vaultkit")}
    found: dict[str, set[str]] = {}
    for name, path in known.items():
        used = found.setdefault(name, set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                used |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                used |= {
                    full if (full := f"{module}.{alias.name}") in known else module
                    for alias in node.names
                }
        used &= known.keys() - {name}
    return found


@pytest.mark.parametrize("room", BELOW)
def test_the_rooms_import_one_way(room: str) -> None:
    rooms = {path.name for path in (ROOT / "vaultkit").iterdir() if path.is_dir()}
    for name, used in edges().items():
        if not name.startswith(f"vaultkit.{room}."):
            continue
        assert {u.split(".")[1] for u in used if "." in u} & rooms <= BELOW[room] | {room}, name


#: What renders, and what is native but NumPy.
RENDERERS = {"markdown", "pymdownx", "pygments", "math_core", "mermaidx", "uharfbuzz", "ziamath"}


@pytest.mark.parametrize("room", BELOW)
def test_only_render_and_site_use_a_renderer(room: str) -> None:
    if room not in ("render", "site", "theme"):
        for path in modules(f"vaultkit/{room}"):
            assert not imported(path.read_text(encoding="utf-8")) & RENDERERS, path


def test_every_room_has_its_place() -> None:
    rooms = {path.parent.name for path in (ROOT / "vaultkit").glob("*/*.py")}
    assert rooms - {"doors"} == BELOW.keys()


def test_no_module_is_between_a_room_and_what_it_must_not_import() -> None:
    graph = edges()
    below = {name for name in graph if name.split(".")[1:2] != ["doors"]}
    above = {(name, used) for name in below for used in graph[name] - below}
    assert above <= {("vaultkit.__main__", "vaultkit.doors.command_line")}


def test_no_modules_import_each_other() -> None:
    graph = edges()
    while leaves := {name for name, used in graph.items() if not used & graph.keys()}:
        graph = {name: used for name, used in graph.items() if name not in leaves}
    # A module that only imports from a circle is in none.
    while graph and (roots := graph.keys() - set().union(*graph.values())):
        graph = {name: used for name, used in graph.items() if name not in roots}
    assert not graph


BARRED = """
import sys

class Bar:
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        known = {"numpy", "markdown_it", "mdurl", "mdit_py_plugins", "yaml", "_yaml", "vaultkit"}
        rooms = ("render", "site", "theme", "doors", "mutants")
        rooms = tuple(f"vaultkit.{room}" for room in rooms)
        if top not in known | sys.stdlib_module_names or name.startswith(rooms):
            raise ModuleNotFoundError(f"{name} is barred")

sys.meta_path.insert(0, Bar())
from pathlib import Path
from vaultkit.pipeline.inspect import inspect
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
