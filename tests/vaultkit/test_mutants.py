import random
from collections import Counter
from pathlib import Path

import pytest

from vaultkit.mutants.notes import (
    KILLED,
    SAME,
    SURVIVED,
    Mutant,
    code_mutants,
    formula_changes,
    judge_note,
    main,
    note_mutants,
)
from vaultkit.read.vault import Vault

NOTE = r"""# A

```python
import numpy as np
n, d_k, d_v = 4, 3, 3
Q = np.arange(12.0).reshape(4, 3) / 7
K = Q[::-1] + 1
scores = Q @ K.T
scores[0, :2]
```

```text
array([1.08163265, 0.89795918])
```

The first score is 1.082, as $Q \in \mathbb{R}^{n \times d_k}$ says nothing of. See [[Bee]].

$$
\text{scores} = Q K^\top
$$
"""


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/A.md").write_text(NOTE)
    (tmp_path / "docs/Bee.md").write_text("# Bee\n\n```python\nx = 1\n```\n")
    return Vault(tmp_path / "docs")


def test_changes_of_a_note_are_all_noticed(vault: Vault) -> None:
    note = vault.notes[vault.root / "A.md"]
    mutants = list(note_mutants(note, "A.md", random.Random(0)))
    kinds = Counter(mutant.kind for mutant in mutants)
    assert kinds == {"output": 2, "number": 1, "shape": 4, "equation": 4, "link": 1}
    verdicts = judge_note(vault, note, mutants)
    assert set(verdicts) <= {KILLED, SAME}
    assert verdicts.count(KILLED) >= len(mutants) - 1


def test_a_change_that_nothing_notices_survives(vault: Vault) -> None:
    # 1.0 is in no output, and yet a scalar that the note computes rounds to it.
    text = NOTE.replace("Q @ K.T\n", "Q @ K.T\na, b = 0.12, 0.18\n") + "\nIt is 0.12.\n"
    path = vault.root / "A.md"
    path.write_text(text)
    vault.refresh()
    note = vault.notes[path]
    found = [
        verdict
        for digit in "345678"
        for verdict in judge_note(
            vault, note, [Mutant("number", "A.md", 23, text.rindex("2."), "2", digit)]
        )
    ]
    assert found == [KILLED] * 5 + [SURVIVED]


def test_a_symbol_of_the_same_value_says_the_same(vault: Vault) -> None:
    note = vault.notes[vault.root / "A.md"]
    at = NOTE.index("d_k}$")
    mutants = [Mutant("shape", "A.md", 16, at, "d_k", other) for other in ("d_v", "n")]
    assert judge_note(vault, note, mutants) == [SAME, KILLED]


def test_an_alias_of_the_same_note_says_the_same(vault: Vault) -> None:
    (vault.root / "Bee.md").write_text("---\naliases: [Be]\n---\n# Bee\n")
    (vault.root / "Bees.md").write_text("# Bees\n")
    vault.refresh()
    note = vault.notes[vault.root / "A.md"]
    at = NOTE.index("e]]")
    mutants = [Mutant("link", "A.md", 16, at, "e", other) for other in ("", "es", "x")]
    assert judge_note(vault, note, mutants) == [SAME, SURVIVED, KILLED]


def test_changes_of_a_formula() -> None:
    changes = formula_changes(
        r"s_{ij} = \frac{a^2 - b}{\sqrt{d_k}} K^\top", ["K", "V"], "equation", random.Random(0)
    )
    assert [(before, after) for _, before, after in changes] == [
        (r"^\top", ""),
        ("-", "+"),
        ("2", "3"),
        (r"\sqrt", ""),
        ("ij", "ji"),
        ("d_k", "V"),
        ("K", "V"),
    ]


def test_changes_of_code() -> None:
    source = (
        'def f(x: int | None = 2) -> int:\n    """1 + 1."""\n'
        '    if x < 0 or not True:\n        raise ValueError(f"{1 + 1}")\n'
        "    return x.sum(axis=-1) @ x\n"
    )
    mutants = list(code_mutants(source, "f.py"))
    assert sorted((m.line, m.before, m.after) for m in mutants) == [
        (1, "2", "3"),
        (3, "0", "1"),
        (3, "<", "<="),
        (3, "True", "False"),
        (3, "or", "and"),
        (5, "1", "2"),
        (5, "@", "*"),
    ]
    assert all(mutant.apply(source) != source for mutant in mutants)


def test_the_whole_is_reproducible_resumable_and_leaves_the_tree_alone(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(vault.root.parent)
    before = {path: path.read_bytes() for path in vault.root.rglob("*.md")}
    arguments = ["docs", "--jobs", "1", "--cache", "cache.json"]
    first = main(arguments), capsys.readouterr().out
    stored = Path("cache.json").read_bytes()
    again = main(arguments), capsys.readouterr().out
    assert first == again
    assert "output" in first[1]
    assert "100.00%" in first[1]
    assert Path("cache.json").read_bytes() == stored
    assert {path: path.read_bytes() for path in vault.root.rglob("*.md")} == before


def test_a_note_that_fails_as_it_is_is_no_ground_for_verdicts(vault: Vault) -> None:
    path = vault.root / "A.md"
    path.write_text(NOTE.replace("1.082", "1.083"))
    vault.refresh()
    with pytest.raises(ValueError, match="fails as it is"):
        judge_note(vault, vault.notes[path], [])
