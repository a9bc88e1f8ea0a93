"""The engine is nobody's: a vault on another subject, by the guide in its README and no more."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "least-squares"


def vaultkit(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vaultkit", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_checked() -> None:
    done = vaultkit("check", str(EXAMPLE))
    assert done.returncode == 0, done.stdout
    assert "10 blocks, 5 equations, 2 shapes, 9 links hold; 3 numbers occur" in done.stdout


@pytest.mark.long
def test_it_is_built_without_any_other_file(tmp_path: Path) -> None:
    done = vaultkit("build", str(EXAMPLE), "--strict", "-d", str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "<title>Least squares</title>" in page
    assert 'href="fitting-a-line/"' in page
    assert "<math" in (tmp_path / "site" / "residuals" / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ("github-workflows", ".github/workflows/tests.yml"),
        ("github-workflows", ".github/workflows/site.yml"),
        ("github-actions", "action.yml"),
    ],
)
def test_what_github_runs_is_written_as_it_reads_it(schema: str, name: str) -> None:
    command = ["-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", name]
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
