"""The record of a check, as plain data and back."""

import dataclasses
import json
from pathlib import Path

import pytest

from vaultkit.checks.check import (
    EXCEPTED,
    FAILS,
    GENERAL,
    HOLDS,
    UNBOUND,
    UNCOMPUTABLE,
    UNFIT,
    Check,
    Fix,
)
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.vault import Vault

FIX = Fix(2, 3, ("a", "b"), "code", "out")
FULL = Check("block", 4, "w", FAILS, "why", 5, GENERAL, "sides", "n", 0.5, 0, FIX)


def test_what_is_empty_is_left_out() -> None:
    assert Check("link", 0, "").plain() == {
        "kind": "link", "line": 0, "what": "", "outcome": "holds", "column": 1, "seconds": 0.0,
    }  # fmt: skip
    # Whatever else is empty, its kind and its outcome are kept.
    assert Check("", 1, "", "").plain() == {
        "kind": "", "line": 1, "what": "", "outcome": "", "column": 1, "seconds": 0.0,
    }  # fmt: skip
    assert FULL.plain() == {
        "kind": "block",
        "line": 4,
        "what": "w",
        "outcome": FAILS,
        "why": "why",
        "column": 5,
        "scope": GENERAL,
        "sides": "sides",
        "pinned": "n",
        "seconds": 0.5,
        "block": 0,
        "fix": {
            "first": 2,
            "last": 3,
            "lines": ("a", "b"),
            "source": "code",
            "output": "out",
            "block": 0,
        },
    }


@pytest.mark.parametrize("check", [FULL, Check("link", 1, "[[a]]", EXCEPTED)])
def test_it_comes_back(check: Check) -> None:
    plain = check.plain()
    if check.fix:
        plain["fix"]["lines"] = list(check.fix.lines)  # as JSON has it
    assert Check.from_plain(plain) == check


@pytest.mark.parametrize("name", ["kind", "what", "outcome", "why", "scope", "sides", "line"])
def test_words_are_words_and_numbers_are_numbers(name: str) -> None:
    wrong = {**FULL.plain(), name: "1" if name == "line" else 1}
    with pytest.raises(TypeError, match=r"^a check has a value of another type$"):
        Check.from_plain(wrong)


def test_nothing_else_is_a_check() -> None:
    with pytest.raises(TypeError):
        Check.from_plain({**FULL.plain(), "more": 1})
    with pytest.raises(TypeError):
        Check.from_plain({"kind": "link"})


def test_it_cannot_be_changed() -> None:
    for record in (FULL, FIX):
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.line = 1  # type: ignore[misc]


def test_halves_of_surrogate_pairs_are_escaped() -> None:
    fix = Fix(1, 1, ("ü", "\ud800"), "", "\udfff")
    plain = Check("block", 1, "ü", FAILS, "é \ud800", fix=fix).plain()
    assert (plain["what"], plain["why"]) == ("ü", "é \\ud800")
    assert (plain["fix"]["lines"], plain["fix"]["output"]) == (("ü", "\\ud800"), "\\udfff")


REASONS = r"""# A

```python
import numpy as np
J, alpha, delta = np.ones((2, 2)), np.ones(2), np.eye(3)
a = 2
def double(x):
    return x @ np.ones((5, 5))
```

$J_{ij} = \alpha_i (\delta_{ij} - \alpha_j)$, $J = J \alpha J$, $\lVert a \rVert = a$,
$Z = a$, $a = 3$, $a = J$, $J = \operatorname{double}(J)$, and it is two<!-- = z -->.

```python
y
```
"""


def test_a_check_has_its_reason_as_data(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text(REASONS)
    vault = Vault(tmp_path)
    (note,) = vault.notes.values()
    checks = list(inspect(note, vault))
    found = {c.what: (c.reason, dict(c.sizes), c.is_law) for c in checks if c.kind == "equation"}
    shapes = {"J": (2, 2), "alpha": (2,), "delta": (3, 3)}
    assert found == {
        r"J_{ij} = \alpha_i (\delta_{ij} - \alpha_j)": (UNFIT, shapes, True),
        r"J = J \alpha J": (UNFIT, {"J": (2, 2), "alpha": (2,)}, True),
        r"\lVert a \rVert = a": (UNCOMPUTABLE, {}, True),
        "Z = a": (UNBOUND, {}, True),
        "a = 3": ("", {}, False),
        "a = J": ("", {}, True),
        r"J = \operatorname{double}(J)": (UNFIT, {"J": (2, 2)}, True),
    }
    others = [c.reason for c in checks if c.kind in ("block", "sentence") and c.outcome != HOLDS]
    assert others == [UNBOUND, UNBOUND]
    for check in checks:
        assert Check.from_plain(json.loads(json.dumps(check.plain()))) == check
