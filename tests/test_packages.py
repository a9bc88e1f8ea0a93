"""What is installed where the vault or its engine is: the engine alone, whole, and nothing else."""

import zipfile
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.long


def wheel(project: Path, folder: Path) -> tuple[set[str], Distribution]:
    """Build a wheel; return the files it installs, and what it says of itself."""
    (built,) = WheelBuilder(str(project)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "there")
        names = set(archive.namelist())
    (info,) = (folder / "there").glob("*.dist-info")
    return {name for name in names if ".dist-info/" not in name}, PathDistribution(info)


def test_the_engine_is_installed_whole_and_alone(tmp_path: Path) -> None:
    names, distribution = wheel(ROOT / "vaultkit", tmp_path)
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "vaultkit").rglob("*.py")}
    theme = (path for path in (ROOT / "vaultkit" / "theme").rglob("*") if path.is_file())
    files = {path.relative_to(ROOT).as_posix() for path in theme if path.suffix != ".pyc"}
    words = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "vaultkit/claims").glob("*.toml")
    }
    assert names == modules | files | words | {"vaultkit/py.typed"}
    for point in distribution.entry_points:
        assert f"{point.module.replace('.', '/')}.py" in names, point


def test_the_vault_puts_nothing_at_the_top_of_anybodys_packages(tmp_path: Path) -> None:
    names, distribution = wheel(ROOT, tmp_path)
    assert names == set()
    # An engine of this name at a registry need not be this one.
    engines = [need for need in distribution.requires or () if need.startswith("checked-vault")]
    assert engines
    assert all(f"@ {ROOT.as_uri()}/vaultkit" in need for need in engines)


@pytest.mark.parametrize("project", [ROOT, ROOT / "vaultkit"], ids=["vault", "engine"])
def test_both_come_with_the_licence(project: Path, tmp_path: Path) -> None:
    wheel(project, tmp_path)
    (licence,) = tmp_path.rglob("LICENSE")
    assert licence.read_text("utf-8") == (ROOT / "LICENSE").read_text("utf-8")
