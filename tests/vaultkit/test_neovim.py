"""A session in a real Neovim: what is typed, what is reported of it, and what a rename changes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vaultkit.checks.check import FAILS
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.vault import Vault

pytest.importorskip("pygls")
NVIM = shutil.which("nvim")
ROOT = Path(__file__).parents[2]
SESSION = Path(__file__).with_name("neovim.lua")
#: The recorded session, for readers.
RECORDED = ROOT / "vaultkit" / "session.txt"
OLD, NEW = r"\exp(x_1 - x_2)", r"\exp(x_1 - 2 x_2)"


@pytest.mark.long
@pytest.mark.skipif(NVIM is None, reason="Neovim is not installed")
def test_a_session_in_neovim(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    for name in ("docs", "snippets", "figures"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("mkdocs.yml", "pyproject.toml"):
        shutil.copy2(ROOT / name, tmp_path / name)
    seen = tmp_path / "seen.json"
    environment = {
        **os.environ,
        "VAULT": str(tmp_path),
        "NOTE": str(tmp_path / "docs" / "Softmax.md"),
        "PYTHON": sys.executable,
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
        "OLD": OLD,
        "NEW": NEW,
        "HEADING": "## Along rows",
        "RENAMED": "Along each row",
        "SEEN": str(seen),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    done = subprocess.run(
        [str(NVIM), "--headless", "--clean", "-c", f"luafile {SESSION}"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert seen.exists(), done.stderr
    results = json.loads(seen.read_text())
    assert "problem" not in results, results["problem"]
    (problem,) = results["diagnostics"]
    assert problem["line"] == results["row"]
    assert problem["code"] == "equation"
    assert "does not hold\n  left " in problem["message"]
    assert "the largest difference is" in problem["message"]
    assert "does not hold" in results["hover"]
    assert results["undone"]
    assert results["missing"]
    written, before = results["output"]
    assert written == before
    # All links lead to the heading by its new name, and nothing else has changed.
    vault = Vault(tmp_path / "docs")
    assert "## Along each row\n" in (tmp_path / "docs" / "Softmax.md").read_text()
    wrong = [
        check.why
        for note in vault.notes.values()
        for check in inspect(note, vault, run=None)
        if check.outcome == FAILS
    ]
    assert wrong == []
    changed = [
        path.name
        for path in (ROOT / "docs").rglob("*.*")
        if path.is_file() and path.read_bytes() != (tmp_path / path.relative_to(ROOT)).read_bytes()
    ]
    assert len(changed) == results["files"] > 1
    # All of the vault holds yet: what it says, and what its code computes.
    whole = subprocess.run(
        [sys.executable, "-m", "pytest", "docs", "-q", "-p", "no:cacheprovider"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert whole.returncode == 0, whole.stdout[-3000:]
    session = "\n".join([*results["session"], "$ pytest docs", "(all of it holds)", ""])
    if request.config.getoption("--update"):
        RECORDED.write_text(session, encoding="utf-8")
    assert session == RECORDED.read_text(encoding="utf-8"), "--update records it anew"
