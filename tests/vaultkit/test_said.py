"""A statement in inline code is evaluated on the variables at its place."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, Check
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.vault import Vault

CODE = """# A

```python
import numpy as np

x = np.array([3.0, 4.0])
y = np.array([1.0, -2.0])
A = np.array([[2.0, 1.0], [0.0, 3.0]])
rng = np.random.default_rng(0)
words = ["a", "b"]
n = 2


def f(v):
    words.append("c")
    return v * v
```

"""


@pytest.fixture
def found(tmp_path: Path) -> Callable[[str], list[Check]]:
    (tmp_path / "docs").mkdir()

    def inspected(text: str) -> list[Check]:
        (tmp_path / "docs" / "A.md").write_text(text)
        vault = Vault(tmp_path / "docs")
        (note,) = vault.notes.values()
        return [c for c in inspect(note, vault) if c.kind not in ("block", "link", "formula")]

    return inspected


def test_formulas_are_judged_where_none_is_typeset(found: Callable[[str], list[Check]]) -> None:
    def outcomes(value: int) -> list[tuple[int, str]]:
        text = (
            f"---\ntags: [a]\nsummary: Here $x_1 = {value}$, and $x$.\n---\n{CODE}"
            f"![The point $x_1 = {value}$](https://a.org/b.svg)\n"
        )
        return [(c.line, c.outcome) for c in found(text)]

    assert outcomes(3) == [(3, HOLDS), (23, HOLDS)]
    assert outcomes(4) == [(3, FAILS), (23, FAILS)]
    assert EXCEPTED not in dict(outcomes(4)).values()
