"""Packs the files that check a page in a browser: the engine, the vault, and its modules.

The site's configuration names the address of Pyodide. Its files are compared with the hashes in
this module, so that a changed file is not run.
"""

from __future__ import annotations

import ast
import html
import json
from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path

from vaultkit.read.options import FILES
from vaultkit.read.vault import Vault
from vaultkit.site.archives import make_zip

#: The files of Pyodide 0.27.7 that are fetched, their sizes in bytes and their SHA-256.
PYODIDE = {
    "pyodide.js": (14_913, "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98"),
    "pyodide.asm.js": (
        1_255_688,
        "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    ),
    "pyodide.asm.wasm": (
        10_105_545,
        "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    ),
    "python_stdlib.zip": (
        2_360_737,
        "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
    ),
    "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl": (
        3_061_133,
        "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08",
    ),
}
#: Size of those files when compressed for transfer, in megabytes.
MEGABYTES = 9

#: The packages that `vaultkit.pipeline.inspect` needs, apart from NumPy.
_PACKAGES = ("markdown-it-py", "mdit-py-plugins", "mdurl", "pyyaml")
#: The packages of the engine that a browser needs; the others serve other hosts.
_ROOMS = ("checks", "claims", "read", "run", "tex", "values")
#: Further modules of the engine that a browser needs.
_MODULES = (
    "__init__.py",
    "figure.py",
    "files.py",
    "store.py",
    "pipeline/__init__.py",
    "pipeline/inspect.py",
    "pipeline/redrawn.py",
    "doors/__init__.py",
    "doors/browser.py",
    "site/__init__.py",
    "site/outlines.py",
)
#: The endings of files that the notes of a vault may read.
_SUFFIXES = {".py", ".md", ".ipynb", ".svg", ".npz", ".npy", ".json", ".csv", ".txt"}
_ENGINE = Path(__file__).parents[1]


def zip_files(vault: Vault, figures: str = "") -> bytes:
    """Return a zip of all files that Pyodide does not contain.

    Parameters
    ----------
    vault
        The vault.
    figures
        Name of the module whose ``FIGURES`` draw the figures of the vault; empty if there is none.

    Returns
    -------
    bytes
        The same for the same files: ``packages/`` is added to Python's path; ``vault/`` contains
        the folder of the notes and the modules that they import from beside it.
    """
    return make_zip(
        dict(sorted([*_package_files(), *_engine_files(), *_vault_files(vault, figures)]))
    )


def addresses_script(
    vault: Vault,
    address: str,
    *,
    worker: str,
    results: str,
    bundle: str,
    size: int,
    root: str,
    figures: str = "",
) -> str:
    """Return a line of JavaScript with the addresses for the page's script.

    Parameters
    ----------
    vault
        The vault.
    address
        The address of Pyodide: a web address, or a path below the site's root.
    worker, results, bundle
        Addresses of the worker, the module of results and the zip, relative to the script.
    size
        The size of the zip in bytes.
    root
        The root of the site, relative to the script.
    figures
        As in `zip_files`.
    """
    pyodide = address if "://" in address else f"{root}/{address.lstrip('/')}"
    addresses = {
        "pyodide": pyodide.rstrip("/") + "/",
        "files": PYODIDE,
        "megabytes": MEGABYTES + round(size / 1e6),
        "worker": worker,
        "results": results,
        "bundle": {"address": bundle, "size": size},
        "ledger": f"{root}/checks.json",
        "root": vault.root.name,
        "figures": figures,
    }
    return f"const VAULTKIT_ENGINE = {json.dumps(addresses)};\n"


def controls_html(note: str = "") -> str:
    """Return the element to which the script adds buttons, for one note or for all notes."""
    of = f'data-note="{html.escape(note)}"' if note else "data-vault"
    return f'<div class="vk-run" {of}></div>'


def local_modules(vault: Vault, figures: str = "") -> list[Path]:
    """Return the modules and packages beside the vault: those of the notes and of the figures."""
    names = {figures.partition(".")[0]} if figures else set()
    for note in vault.notes.values():
        for block in note.blocks:
            for line in block.fence.lines:
                names |= _imported_modules(line.lstrip("> ").strip())
    beside = vault.root.parent
    modules = (path for name in sorted(names) for path in (beside / name, beside / f"{name}.py"))
    return [path for path in modules if (path / "__init__.py").is_file() or path.is_file()]


def _imported_modules(line: str) -> set[str]:
    """Return the modules that a line imports, even if the statement continues on the next line.

    >>> sorted(_imported_modules("import a.b, c")), _imported_modules("from d import (")
    (['a', 'c'], {'d'})
    """
    if not line.startswith(("import ", "from ")):
        return set()
    if line.endswith("("):  # the names follow on the next lines
        line = f"{line.rstrip('(')} x"
    try:
        [statement] = ast.parse(line).body
    except (SyntaxError, ValueError):
        return set()
    if isinstance(statement, ast.Import):
        return {alias.name.partition(".")[0] for alias in statement.names}
    module = getattr(statement, "module", None)
    return {module.partition(".")[0]} if module and not statement.level else set()  # type: ignore[attr-defined]


def _package_files() -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the installed dependencies' Python files and licences."""
    for package in _PACKAGES:
        for file in files(package) or ():
            licence = "LICEN" in file.name.upper()
            path = Path(str(file.locate()))
            if (file.suffix == ".py" or licence) and ".." not in file.parts and path.is_file():
                yield f"packages/{file.as_posix()}", path.read_bytes()


def _engine_files() -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each file of the engine that runs in a browser."""
    paths = [_ENGINE / name for name in _MODULES]
    paths += [path for room in _ROOMS for path in (_ENGINE / room).rglob("*.py")]
    paths += (_ENGINE / "claims").glob("*.toml")
    for path in paths:
        yield f"packages/vaultkit/{path.relative_to(_ENGINE).as_posix()}", path.read_bytes()


def _vault_files(vault: Vault, figures: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the settings, of the vault's files and of the modules beside it.

    Files that are not text, such as photographs, are empty: links need only find them.
    """
    beside = vault.root.parent
    yield f"vault/{vault.root.name}/{FILES[0]}", vault.options.toml().encode()
    paths = list(vault.files)
    for module in local_modules(vault, figures):
        paths += [module] if module.is_file() else module.rglob("*")
    for path in paths:
        if path.is_file() and path.suffix in _SUFFIXES and "__pycache__" not in path.parts:
            yield f"vault/{path.relative_to(beside).as_posix()}", path.read_bytes()
        elif path in vault.files:
            yield f"vault/{path.relative_to(beside).as_posix()}", b""
