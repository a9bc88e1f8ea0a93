"""Which array is where: in formulas, in code, in what is printed."""

import ast
from pathlib import Path

import pytest

from vaultkit.checks.arrays import Array, _printed_variables, find_arrays
from vaultkit.checks.check import EXCEPTED, Check
from vaultkit.pipeline.inspect import Settings, inspect
from vaultkit.read.vault import Vault

NOTE = r"""# Note

The matrix $Q$ is given, and $x$ is not.

```python
import numpy as np

Q = np.array([[1.0, 2.0], [3.0, 4.0]])
K = 2 * Q
print("twice", K.T)
print(Q)
half = lambda Q: Q / 2
W_K = np.eye(2)
[Q for Q in (1, 2)]
```

```text
twice [[2. 6.]
 [4. 8.]]
[[1. 2.]
 [3. 4.]]
[1, 2]
```

$$
K = 2 Q W_K
$$

```python
Q = Q + 1
Q.round(1)
```

```text
array([[2., 3.],
       [4., 5.]])
```

Now $Q = K / 2 + 1$ with $Q \in \mathbb{R}^{2 \times 2}$.

$$
Q = K^{\text{other}}
$$

<!-- not run: it names nothing -->
"""


@pytest.fixture
def found(tmp_path: Path) -> dict[tuple[str, int], Array]:
    """Write a note; return its arrays by name, and by how often the name was bound before."""
    (tmp_path / "Note.md").write_text(NOTE, encoding="utf-8")
    vault = Vault(tmp_path)
    note = vault.notes[tmp_path / "Note.md"]
    checks = list(inspect(note, vault, Settings()))
    assert {check.outcome for check in checks} <= {"holds", EXCEPTED}
    every: dict[tuple[str, int], Array] = {}
    for array in find_arrays(note, checks):
        every[array.name, sum(name == array.name for name, _ in every)] = array
    return every


def test_a_name_is_another_array_after_it_is_bound_again(
    found: dict[tuple[str, int], Array],
) -> None:
    assert set(found) == {("Q", 0), ("K", 0), ("W_K", 0), ("Q", 1)}
    # The letter in the text, and the equation below the first block.
    assert found["Q", 0].formulas == [2, 0]
    assert found["Q", 1].formulas == [3, 4]
    assert found["K", 0].formulas == [2, 3]
    # Not the parameter, nor what a comprehension counts by; on the right side, the old one.
    assert found["Q", 0].code == {0: [(2, 0), (3, 8), (5, 6)], 1: [(0, 4)]}
    assert found["Q", 1].code == {1: [(0, 0), (1, 0)]}


def test_printed_lines_are_those_of_the_array(found: dict[tuple[str, int], Array]) -> None:
    assert found["K", 0].printed == {0: (0, 1)}
    assert found["Q", 0].printed == {0: (2, 3)}
    assert found["Q", 1].printed == {1: (0, 1)}
    assert found["W_K", 0].printed == {}


@pytest.mark.parametrize(
    ("code", "output", "shown"),
    [
        ("print(Q)", "1\n", {"Q": (0, 0)}),
        ("print(Q.round(2), 'rounded')", "1\n", {"Q": (0, 0)}),
        ("np.round(Q[0], 2)", "1\n", {"Q": (0, 0)}),
        ("print(Q.T.tolist())", "1\n", {"Q": (0, 0)}),
        ("print(Q.sum())", "1\n", {}),
        ("print(Q, K)", "1 2\n", {}),
        ("for q in Q:\n    print(q)", "1\n2\n", {}),
        # Two lines of one, or one line of each: nobody knows.
        ("print(Q)\nprint(K)", "1\n2\n3\n", {}),
        ("def f():\n    print(1)\nprint(Q)", "1\n", {"Q": (0, 0)}),
    ],
)
def test_what_is_printed_is_reported_where_it_is_plain(
    code: str, output: str, shown: dict[str, tuple[int, int]]
) -> None:
    assert dict(_printed_variables(ast.parse(code).body, output)) == shown


def test_of_what_was_not_checked_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "Note.md").write_text(NOTE, encoding="utf-8")
    vault = Vault(tmp_path)
    note = vault.notes[tmp_path / "Note.md"]
    wrong = Check("equation", 28, "K = 2 Q W_K", "fails", "K (2, 2)")
    assert find_arrays(note, [wrong]) == []
