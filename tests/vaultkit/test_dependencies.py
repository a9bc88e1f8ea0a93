"""What the code of a note rests on: its own modules, and the files it reads."""

import importlib.machinery
import py_compile
import runpy
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from vaultkit.run import dependencies
from vaultkit.run.dependencies import (
    LocalFinder,
    code_of_module,
    compile_ahead,
    is_local,
    local_modules,
    record_dependencies,
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a_local_module.py").write_text("import a_local_package.inner\nx = 1\n")
    (tmp_path / "a_local_package").mkdir()
    (tmp_path / "a_local_package" / "__init__.py").write_text("")
    (tmp_path / "a_local_package" / "inner.py").write_text("y = 2\n")
    (tmp_path / "data.txt").write_text("1")
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("a_local_")]:
        del sys.modules[name]


def test_modules_beside_the_vault_are_found_from_anywhere(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So a command finds them that is installed elsewhere.
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(root)])
    with record_dependencies(root, set()):
        import a_local_module  # type: ignore[import-not-found]

        assert a_local_module.x == 1


def test_what_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path("/vault")
    cases = {
        ("m", "/vault/m.py"): True,
        ("p.m", "/vault/p/m.py"): True,
        ("m", "/vaults/m.py"): False,
        ("m", "/other/m.py"): False,
        ("m", "/vault/m.so"): False,
        ("m", None): False,
        ("__main__", "/vault/m.py"): False,
        ("vaultkit.pipeline.inspect", "/vault/vaultkit/pipeline/inspect.py"): False,
        ("vaultkits", "/vault/vaultkits.py"): True,
        ("m", "/vault/.venv/lib/site-packages/m.py"): False,
        ("m", "/vault/env/lib/m.py"): False,
        ("m", "/vault/environment/m.py"): True,
    }
    monkeypatch.setattr(sys, "prefix", "/vault/env")
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    assert {case: is_local(*case, root) for case in cases} == cases
    # Without an environment of its own Python itself may be there.
    monkeypatch.setattr(sys, "base_prefix", "/vault/env")
    assert is_local("m", "/vault/env/lib/m.py", root)


def test_modules_and_files_that_are_read_are_noted_down(root: Path) -> None:
    read: set[Path] = set()
    before = list(sys.meta_path)
    (root / ".venv" / "site-packages").mkdir(parents=True)
    (root / ".venv" / "site-packages" / "a.txt").write_text("")
    with record_dependencies(root, read):
        import a_local_module  # type: ignore[import-not-found]

        first = a_local_module
        Path("data.txt").read_text()
        open(b"data.txt").close()  # noqa: PTH123
        for other in ("new.txt", root / "newer.txt"):
            Path(other).write_text("1")
        Path("new.txt").open("a").close()
        Path("a_local_module.py").read_text()
        Path(".venv/site-packages/a.txt").read_text()
        Path("/dev/null").open("rb").close()
        assert local_modules(root) != []
    package = root / "a_local_package"
    modules = {root / "a_local_module.py", package / "__init__.py", package / "inner.py"}
    assert read == {*modules, root / "data.txt"}
    assert local_modules(root) == []
    assert sys.meta_path == before
    assert dependencies._recording == []
    # Afresh for each note; what was imported outside comes back.
    import a_local_module

    assert a_local_module is not first
    outside = a_local_module
    with record_dependencies(root, set()):
        assert "a_local_module" not in sys.modules
    assert sys.modules["a_local_module"] is outside


def test_code_that_is_read_in_any_other_way_is_noted_down(root: Path) -> None:
    for name in ("text.py", "run.py", "loaded.py", "kept.py"):
        (root / name).write_text("x = 1\n")
    py_compile.compile(str(root / "kept.py"))
    read: set[Path] = set()
    with record_dependencies(root, read):
        (root / "text.py").read_text()
        runpy.run_path("run.py")
        for name in ("loaded", "kept"):
            loader = importlib.machinery.SourceFileLoader(name, str(root / f"{name}.py"))
            loader.exec_module(types.ModuleType(name))
        Path(dependencies.__file__).read_text()
    assert read == {root / name for name in ("text.py", "run.py", "loaded.py", "kept.py")}


def test_what_is_read_inside_is_noted_down_there(root: Path) -> None:
    outer: set[Path] = set()
    inner: set[Path] = set()
    with record_dependencies(root, outer):
        with record_dependencies(root, inner):
            Path(root / "data.txt").read_text()
        assert (inner, outer) == ({root / "data.txt"}, set())
        Path(root / "data.txt").read_text()
    assert outer == {root / "data.txt"}
    Path(root / "a_local_package" / "other.txt").write_text("")
    Path(root / "a_local_package" / "other.txt").read_text()
    assert outer == inner == {root / "data.txt"}


def test_a_module_is_compiled_once_until_it_changes(root: Path) -> None:
    path = root / "a_local_module.py"
    first = code_of_module(str(path))
    assert first is code_of_module(str(path))
    assert first.co_filename == str(path)
    path.write_text("x = 3\n")
    assert code_of_module(str(path)) is not first
    found: dict[str, int] = {}
    exec(code_of_module(str(path)), found)
    assert found["x"] == 3


def test_modules_are_compiled_ahead_of_the_notes_that_import_them(root: Path) -> None:
    (root / "a_local_bad.py").write_text("def f(:\n")
    before = set(dependencies._codes)
    compile_ahead(root, ["x = 1\n  import a_local_module as m", "from a_local_package import inner",
                         "import a_local_bad, numpy"])  # fmt: skip
    made = {Path(path).name for path, *_ in set(dependencies._codes) - before}
    assert made == {"a_local_module.py", "__init__.py", "inner.py"}
    before = set(dependencies._codes)
    compile_ahead(root, ["ximport a_local_nothing"])
    assert set(dependencies._codes) == before


def test_only_local_modules_come_from_what_is_handed_in(root: Path) -> None:
    asked: list[str] = []

    def other(path: str):  # type: ignore[no-untyped-def]
        asked.append(Path(path).name)
        return compile("x = 7", path, "exec")

    finder = LocalFinder(root, other)
    assert finder.find_spec("json") is None
    assert finder.find_spec("a_local_nothing") is None
    spec = finder.find_spec("a_local_module")
    assert spec.origin == str(root / "a_local_module.py")
    sys.meta_path.insert(0, finder)
    try:
        import a_local_module
    finally:
        sys.meta_path.remove(finder)
    assert a_local_module.x == 7
    assert a_local_module.__file__ == str(root / "a_local_module.py")
    assert asked == ["a_local_module.py"]


def test_an_error_before_the_code_runs_is_the_one_that_is_raised(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> list[str]:
        raise OSError("no such folder")

    monkeypatch.setattr(dependencies, "local_modules", fail)
    with pytest.raises(OSError, match="no such folder"), record_dependencies(root, set()):
        pass
    assert not dependencies._recording
