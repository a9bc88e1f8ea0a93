"""A number of another note, behind the link to it, is compared with what that note shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaultkit.checks.check import FAILS
from vaultkit.pipeline.inspect import inspect
from vaultkit.pipeline.rests_on import fingerprint, rests_on
from vaultkit.read.vault import Vault

SAG = """# Sag

```python
sag, span = 12.48, 2740
print(f"sag {sag:.2f} mm over {span} mm, share {sag / span:.2%}")
```

```text
sag 12.48 mm over 2740 mm, share 0.46%
```

The beam sags 12.48 mm at its middle, and 23 people can stand on it. The longest rope has 41 mm.
The knot is 16 mm wide.

See [[Bridge]].
"""
#: A sentence that is right, and one whose number is another than that of the linked note.
PAIRS = [
    ("As in [[Sag]], where it sags 12.48 mm.", "As in [[Sag]], where it sags 12.84 mm."),
    ("As in [[Sag]], where the beam sags 12.5 mm.", "As in [[Sag]], where the beam sags 15.2 mm."),
    ("As in [[Sag]], where the beam sags 12.5 mm.", "As in [[Sag]], where the beam sags 99.9 mm."),
    ("The beam of [[Sag]], with 2740 mm, is long.", "The beam of [[Sag]], with 2470 mm, is long."),
    ("See [[Sag|the beam of 12.48 mm]].", "See [[Sag|the beam of 12.84 mm]]."),
    ("It sags [[Sag|12.48 mm]] in [[Sag|2740]].", "It sags [[Sag|12.84 mm]] in [[Sag|2740]]."),
    ("In [[Sag]] there is a share of 0.46 %.", "In [[Sag]] there is a share of 0.64 %."),
    ("In [[Sag]] the beam sags at most by 12.48 mm.", "In [[Sag]] the beam sags by 12.84 mm."),
    ("It sags 12.5 mm<!-- = [[Sag]].sag -->.", "It sags 13.5 mm<!-- = [[Sag]].sag -->."),
    ("The share is 0.46 %<!-- = [[Sag]].share -->.", "It is 0.46 %<!-- = [[Sag]].width -->."),
    ("As in [[Sag]], where 23 people can stand.", "As in [[Sag]], where 32 people can stand."),
    ("The beam sags 12.48 mm (see [[Sag]]).", "The beam sags 12.84 mm (see [[Sag]])."),
    ("In [[Sag]] 23 people can stand, fewer than here.", "In [[Sag]] 32 people can stand, fewer."),
    ("[[Sag|The beam sags 12.48 mm]] here.", "[[Sag|The beam sags 12.84 mm]] here."),
]  # fmt: skip
#: Sentences whose number need not be one of the linked note.
OPEN = [
    "As in [[Sag]], and here it sags 12.84 mm.",
    "It sags 12.84 mm, more than in [[Sag]].",
    "As in [[Sag]] and [[Bridge]], where the beam sags 12.84 mm.",
    "As in [[Sag]], where another beam would sag 12.84 mm.",
    "It does not sag [[Sag|12.84 mm]].",
    "As in [[Sag]], where 32 ropes hang.",
    "As in [[Sag]], where the rope sags 99.9 mm.",
    "The beam sags 12.84 mm, which is much (see [[Sag]]).",
    "In [[Sag]] the knot of a rope has 16 mm.",
    "In [[Sag]] the widest rope has 16 mm.",
    "As in [[Sag]], where the beam sags more than 12.84 mm.",
    "As in [[Sag]], where the beam sags 12.84 mm.\n\n```python\nown = 12.84\n```",
]


def vault_of(folder: Path, text: str, sag: str = SAG) -> Vault:
    (folder / "Sag.md").write_text(sag)
    (folder / "Bridge.md").write_text(f"# Bridge\n\n```python\nropes = 4\n```\n\n{text}\n")
    return Vault(folder)


def contradicted(folder: Path, text: str) -> list[str]:
    vault = vault_of(folder, text)
    found = inspect(vault.notes[folder / "Bridge.md"], vault)
    return [check.what for check in found if check.outcome == FAILS]


@pytest.mark.parametrize(("right", "wrong"), PAIRS)
def test_a_number_that_a_linked_note_shows_otherwise_is_contradicted(
    tmp_path: Path, right: str, wrong: str
) -> None:
    assert contradicted(tmp_path, right) == []
    assert contradicted(tmp_path, wrong) != []


@pytest.mark.parametrize("text", OPEN)
def test_a_number_that_may_be_of_another_note_is_not_contradicted(
    tmp_path: Path, text: str
) -> None:
    assert contradicted(tmp_path, text) == []


def test_checks_rest_on_the_numbers_of_a_note_that_is_cited(tmp_path: Path) -> None:
    def key(text: str, sag: str) -> bytes:
        vault = vault_of(tmp_path, text, sag)
        return fingerprint(rests_on(vault.notes[tmp_path / "Bridge.md"], vault))

    edited = SAG.replace("12.48", "12.49")
    cites, links = PAIRS[0][0], "As in [[Sag]], the beam is long."
    assert key(cites, SAG) != key(cites, edited)
    assert key(links, SAG) == key(links, edited)


def test_a_name_that_gets_its_value_in_a_loop_has_the_value_that_is_shown(tmp_path: Path) -> None:
    code = 'run = 0\nfor x in (3, 4):\n    run += x\ntotal = run * 2\nprint("total", total)'
    vault = vault_of(
        tmp_path,
        "All is 0<!-- = [[Sag]].run -->; all of it is 14<!-- = [[Sag]].total -->.",
        f"# Sag\n\n```python\n{code}\n```\n\n```text\ntotal 14\n```\n",
    )
    note = vault.notes[tmp_path / "Bridge.md"]
    failed = [check.why for check in inspect(note, vault) if check.outcome == FAILS]
    assert failed == ["0: [[Sag]] shows no single number for run"]


def test_a_name_with_a_literal_that_has_no_value_has_the_value_that_is_shown(
    tmp_path: Path,
) -> None:
    vault = vault_of(
        tmp_path,
        "It is 14<!-- = [[Sag]].total -->.",
        "# Sag\n\n```python no-run\ntotal = {[1]: 2}\n```\n\n```text\ntotal 14\n```\n",
    )
    note = vault.notes[tmp_path / "Bridge.md"]
    assert [check.outcome for check in inspect(note, vault)] == ["holds"] * 2
