"""Several machines check a vault, each a share of it, and what they found is one ledger."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from vaultkit.doors.command_line import main
from vaultkit.pipeline.shards import Shard
from vaultkit.read.vault import Vault
from vaultkit.store import store_beside

pytest_plugins = ["pytester"]
NAMES = ["A", "B", "C", "D", "E", "F", "G"]
SHARDS = ["1/3", "2/3", "3/3"]


def vault(folder: Path) -> Vault:
    folder.mkdir()
    (folder / "vaultkit.toml").touch()
    for number, name in enumerate(NAMES, 1):
        code = f"```python\nx = {number}\nx\n```\n\n```text\n{number}\n```\n"
        (folder / f"{name}.md").write_text(f"# {name}\n\nAs in [[A]].\n\n{code}\n$x = {number}$\n")
    return Vault(folder)


def check(folder: Path, *options: str) -> Any:
    return CliRunner().invoke(main, ["check", str(folder), *options])


def ledger(found: Vault) -> dict[str, Any]:
    """Return the entries of the ledger as they are in the store, without the times."""
    known = {}
    for name, key, content in store_beside(found.root).rows("checks"):
        entry = json.loads(content)
        for row in entry["checks"]:
            row.pop("seconds", None)
        known[name] = key, entry
    return known


@pytest.mark.parametrize("count", [1, 2, 3, 7, 9])
def test_all_shares_are_all_notes_each_once(count: int) -> None:
    paths = [Path(name) for name in NAMES]
    shares = [Shard(number, count).select(reversed(paths)) for number in range(1, count + 1)]
    assert sorted(path for share in shares for path in share) == paths
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.full
def test_shares_of_one_machine_fill_its_ledger(tmp_path: Path) -> None:
    one = vault(tmp_path / "notes")
    done = [check(one.root, "--shard", shard).output.splitlines() for shard in SHARDS]
    message = [next(line for line in lines if line.startswith("notes: ")) for lines in done]
    assert [line.split(";")[0].split(":")[1] for line in message] == [" 3 notes", *[" 2 notes"] * 2]
    joined = ledger(one)
    assert sorted(joined) == [f"notes/{name}.md" for name in NAMES]
    store_beside(one.root).forget_others("checks", [])
    check(one.root)
    assert ledger(one) == joined


@pytest.mark.long
def test_the_results_of_several_machines_are_joined(tmp_path: Path) -> None:
    here = vault(tmp_path / "notes")
    assert check(here.root).exit_code == 0
    whole = ledger(here)
    store_beside(here.root).forget_others("checks", [])
    for shard in SHARDS:
        machine = tmp_path / shard.replace("/", "of")
        machine.mkdir()
        there = vault(machine / "notes")
        assert check(there.root, "--shard", shard).exit_code == 0
        assert len(ledger(there)) in (2, 3)
        store = store_beside(there.root)
        store.close()
        file = shutil.copy(store.file, tmp_path / f"{machine.name}.sqlite")
        done = CliRunner().invoke(main, ["merge", str(file), "--vault", str(here.root)])
        assert re.fullmatch(r".*sqlite: [23] notes\n", done.output)
    assert ledger(here) == whole


@pytest.mark.parametrize("wrong", ["0/3", "4/3", "x", "1", "1/0", "-1/3", "1/3/4", "1.0/3"])
def test_what_is_no_share_is_reported_in_a_line(
    tmp_path: Path, pytester: pytest.Pytester, wrong: str
) -> None:
    message = f"--shard {wrong}: write 1/4 for the first of four shares, up to 4/4"
    done = check(vault(tmp_path / "notes").root, f"--shard={wrong}")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == f"Error: {message}"
    asked = pytester.runpytest_inprocess("--vault", str(tmp_path / "notes"), f"--shard={wrong}")
    assert asked.ret == pytest.ExitCode.USAGE_ERROR
    assert asked.errlines == [f"ERROR: {message}", ""]


@pytest.mark.long
def test_a_share_is_not_watched_nor_the_baseline(tmp_path: Path) -> None:
    notes = vault(tmp_path / "notes").root
    assert "--watch checks what was saved" in check(notes, "--shard=1/2", "--watch").output
    assert "with all notes first" in check(notes, "--shard=1/2", "--baseline").output


@pytest.mark.full
def test_pytest_checks_a_share(pytester: pytest.Pytester) -> None:
    found = vault(pytester.path / "notes")
    for name in NAMES:
        (found.root / f"{name}.svg").write_text("<svg/>")
    pytester.makepyfile(drawn="FIGURES = {}")
    pytester.makeini("[pytest]\nvault = notes\nvault_figures = drawn\npythonpath = .")
    ran: list[str] = []
    for shard in SHARDS:
        done = pytester.runpytest_subprocess("notes", "--shard", shard, "-v", "--tb=no", "-r", "")
        items = [line.split()[0] for line in done.outlines if ":: " not in line and "::" in line]
        ran += [item for item in items if item.startswith("notes/")]
    assert len(set(ran)) == len(ran) == 7 * 7 + 7
    files = {item.split("::")[0] for item in ran}
    assert files == {f"notes/{name}{end}" for name in NAMES for end in (".md", ".svg")}
    joined = ledger(found)
    store_beside(found.root).forget_others("checks", [])
    assert check(found.root).exit_code == 0
    assert ledger(found) == joined


@pytest.mark.long
def test_notes_pass_with_xdist(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist, which no vault needs, is not installed")
    notes = vault(pytester.path / "notes").root
    (notes / "Wrong.md").write_text("# Wrong\n\n[[Nowhere]]\n")
    pytester.makeini("[pytest]\nfilterwarnings = error")
    done = pytester.runpytest_subprocess("--vault", "notes", "notes", "-n", "2")
    done.assert_outcomes(passed=7 * 7 + 3, failed=1)
    done.stdout.fnmatch_lines(["*notes/Wrong.md:3: *there is no note or file 'Nowhere'*"])
