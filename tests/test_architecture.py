"""Arrows run one way: docs → snippets → NumPy, and vaultkit knows none of them."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultkit.read.vault import Vault

ROOT = Path(__file__).parents[1]
DOORS = {"pytest_plugin.py", "mkdocs_plugin.py"}


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
    hosts = imported(path.read_text(encoding="utf-8")) & {"pytest", "_pytest", "mkdocs", "material"}
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
