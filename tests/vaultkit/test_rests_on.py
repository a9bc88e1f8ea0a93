"""A check that holds names its evidence; the page marks it, and does not mark a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, GENERAL, HERE, Check
from vaultkit.checks.evidence import CHECKED, Part, parts
from vaultkit.pipeline.inspect import Settings, inspect
from vaultkit.read.vault import Vault
from vaultkit.site import evidence

NOTE = """
# Note

A is 0.8210, B is 12.25, C is 30 and the share is 0.4567. `Q` is (3, 2), $t = 2 s$.

```python
import numpy as np

s = 12.25
t = s + s
Q = np.ones((3, 2)) * 0.4567
rows = [0] * 30
np.array([0.5, 0.8210])
```

```text
array([0.5  , 0.821])
```
""".lstrip()


@pytest.fixture
def checks(tmp_path: Path) -> list[Check]:
    (tmp_path / "Note.md").write_text(NOTE, encoding="utf-8")
    vault = Vault(tmp_path)
    return list(inspect(vault.notes[tmp_path / "Note.md"], vault, Settings(trials=1)))


def shown(tmp_path: Path, checks: list[Check]) -> dict[str, Part]:
    return parts(Vault(tmp_path).notes[tmp_path / "Note.md"], checks)


def test_a_number_shows_what_it_rounds(checks: list[Check]) -> None:
    why = {check.what: check.why for check in checks if check.kind == "number"}
    assert why == {
        "0.8210": "output at line 16: 0.821",
        "12.25": "code at line 5: 12.25",
        "30": "code at line 5: 30",
        "0.4567": "code at line 5: 0.4567",
    }


def test_an_equation_shows_both_sides(checks: list[Check]) -> None:
    [equation] = [check for check in checks if check.kind == "equation"]
    assert equation.sides == "both sides 24.5; they are equal"
    assert Check.from_plain(equation.plain()) == equation


def test_parts_say_what_they_rest_on(tmp_path: Path, checks: list[Check]) -> None:
    found = shown(tmp_path, checks)
    assert found["shape-0"].lines == [("`Q`, of shape (3, 2)", "block-0", "")]
    assert found["formula-0"].scope == GENERAL
    assert found["formula-0"].lines[1] == ("Both sides 24.5; they are equal",)


@pytest.mark.parametrize(
    ("outcomes", "scope"),
    [
        ([("holds", GENERAL), ("holds", GENERAL)], GENERAL),
        ([("holds", GENERAL), ("holds", HERE)], HERE),
        ([("holds", HERE), ("holds", "")], CHECKED),
        ([("holds", GENERAL), (EXCEPTED, "")], EXCEPTED),
    ],
)
def test_the_weakest_statement_counts(
    tmp_path: Path, checks: list[Check], outcomes: list[tuple[str, str]], scope: str
) -> None:
    assert checks
    all_ = [Check("equation", 3, "t = 2 s", outcome, scope=s) for outcome, s in outcomes]
    assert shown(tmp_path, all_)["formula-0"].scope == scope
    assert shown(tmp_path, [*all_, Check("equation", 3, "t = 2 s", FAILS)]) == {}


def test_marks_are_behind_the_formula() -> None:
    line = '<span class="vk-math"><math data-check="formula-0"><mi>a</mi></math></span>'
    display = (
        '<div class="vk-math vk-math--display" id="x"><a href="#x"></a><div class="vk-math__box">'
        '<math data-check="formula-1"><mi>a</mi></math></div><button></button></div>'
    )
    scopes = {"formula-0": HERE, "formula-1": GENERAL, "shape-0": CHECKED}
    page = evidence.insert_marks(f'{line}{display}<span data-check="shape-0">(2)</span>', scopes)
    assert 'math></div><span class="vk-mark">✓ holds in general</span><button>' in page
    assert 'math><span class="vk-mark" role="img" aria-label="holds here"></span></span>' in page
    assert page.count("data-scope=") == 3
    assert evidence.insert_marks(line + display, {}) == line + display


def test_the_data_cannot_end_their_element() -> None:
    data = evidence.data_element({"number-0": ["</template><b>", ["<", "block-0", "&"]]})
    assert data.count("</template>") == 1
    assert "<b>" not in data
    assert evidence.data_element({}) == ""
