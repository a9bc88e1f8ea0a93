import random
from collections import Counter
from pathlib import Path

import pytest

from vaultkit.mutants.changes import Mutant, change_formula, mutants_of
from vaultkit.mutants.judge import IN_TRIALS, NOTICED, SURVIVED, judge, main
from vaultkit.mutants.words import KINDS
from vaultkit.read.note import Note
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
    (tmp_path / "vaultkit.toml").write_text('unjudged = "fail"\n')
    (tmp_path / "docs/A.md").write_text(NOTE)
    (tmp_path / "docs/Bee.md").write_text("# Bee\n\n```python\nx = 1\n```\n")
    return Vault(tmp_path / "docs")


def mutants_in(vault: Vault, text: str = NOTE) -> tuple[Note, list[Mutant]]:
    path = vault.root / "A.md"
    path.write_text(text)
    vault = Vault(vault.root)
    found = mutants_of(text, "A.md", random.Random(0))
    return vault.notes[path], [one for one in found if one.kind not in KINDS]


def test_changes_of_a_note_are_all_noticed(vault: Vault) -> None:
    note, mutants = mutants_in(vault)
    kinds = Counter(mutant.kind for mutant in mutants)
    assert kinds == {
        "output": 3, "decimal": 1, "shape": 4, "link": 1, "relation": 1, "sign": 1, "factor": 1,
        "transposition": 1, "symbol": 3,
    }  # fmt: skip
    verdicts = dict(zip(mutants, judge(vault, note, mutants), strict=True))
    assert [m for m, v in verdicts.items() if v == SURVIVED] == []


def test_a_change_that_nothing_notices_survives(vault: Vault) -> None:
    # 1.0 is in no output, and yet a scalar that the note computes rounds to it.
    text = NOTE.replace("Q @ K.T\n", "Q @ K.T\na, b = 0.12, 0.18\n") + "\nIt is 0.12.\n"
    note, _ = mutants_in(vault, text)
    at = text.rindex("2.")
    found = judge(vault, note, [Mutant("decimal", "A.md", 23, at, "2", d) for d in "345678"])
    assert found == [NOTICED] * 5 + [SURVIVED]


def test_a_symbol_of_the_same_value_differs_on_other_numbers(vault: Vault) -> None:
    text = NOTE.replace("d_k, d_v = 4, 3, 3", "d_k, d_v = 4, 3, 3\nx = np.ones((n, d_k))")
    text = text.replace("As $Q", "$x").replace("$Q ", "$x ")
    note, _ = mutants_in(vault, text)
    at = text.index("d_k}$")
    mutants = [Mutant("shape", "A.md", 17, at, "d_k", other) for other in ("d_v", "n")]
    assert judge(vault, note, mutants) == [IN_TRIALS, NOTICED]


PLACES = {
    "## Of 2.5\n": "decimal in a heading",
    "| 2.5 |\n": "decimal in a table",
    "![of 2.5](a.svg)\n": "decimal in an alt text",
    "*Of 2.5*\n": "decimal in a caption",
    "[of 2.5](a.md)\n": "decimal in the words of a link",
    "---\nsummary: Of 2.5.\n---\n": "decimal in a summary",
    "Of 20,000 pairs\n": "integer",
}


@pytest.mark.parametrize(("text", "kind"), PLACES.items())
def test_numbers_are_changed_wherever_they_stand(text: str, kind: str) -> None:
    kinds = [
        m.kind
        for m in mutants_of(text, "A.md", random.Random(0))
        if "link" not in m.kind or "words" in m.kind
    ]
    assert kinds == [kind]


SHAPES = {
    "Q is (n, d_k).": ["n, d_k → d_k, n", "d_k → m"],
    "Q is $n \\times d_k$.": ["n \\times d_k → d_k \\times n", "d_k → n"],
    "A 4 by 6 matrix": ["4 by 6 → 6 by 4", "6 → 0"],
    "A `(2, n, n)`": ["2, n → n, 2", "n → m"],
    "A 4 × 4 one": ["4 → 0"],
    "(2, 3), (n, d_k)<!-- given: so -->, f(n, d)": [],
    "> - `(n, d)`: an answer to choose": [],
    "$n \\times d_k = 3$": [],
}


@pytest.mark.parametrize("text", SHAPES)
def test_shapes_in_running_text_are_changed(text: str) -> None:
    found = mutants_of(f"{text}\n\n`m`\n", "A.md", random.Random(0))
    assert [f"{m.before} → {m.after}" for m in found if m.kind == "prose shape"] == SHAPES[text]


@pytest.mark.parametrize(
    "text",
    ["In 2017", "section 3.2", "2. item", "`x = 25`", "```python\n25\n```", "<!-- 2.5 -->", "a 1",
     "2.5<!-- given: so -->", "<https://x.y/25>", "| 003-12 | right |"],
)  # fmt: skip
def test_what_is_no_number_is_left_alone(text: str) -> None:
    assert list(mutants_of(text + "\n", "A.md", random.Random(0))) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The river is longer.", ["comparison: longer → shorter"]),
        ("It rises once more.", ["comparison: rises → falls"]),
        ("30 euros, not 45.", ["role: 30 euros, not 45 → 45 euros, not 30"]),
        ("It costs 30 or 45 euros, between `ant` and `bee`. Is it longer? Add the third.", []),
        ("Twice as long, half of it first.",
         ["multiple: Twice → Three times", "multiple: half → a third"]),
        ("`ant` eats `bee`.", ["name: `ant` eats `bee` → `bee` eats `ant`"]),
        ("| a | 30 | 45 |", ["cell: 30 | 45 → 45 | 30"]),
        ("| b | 2 | 2.0 |", []),
        ("It was 1,000 and is 1000.0 now.", []),
        ("Five of them.", ["small integer: Five → Six"]),
        ("The third day.", ["ordinal: third → fourth"]),
        ("In section 4, GPT-2 and `x[3] < 4`; more or less, $2 < 3$.", []),
    ],
)  # fmt: skip
def test_words_are_changed(text: str, expected: list[str]) -> None:
    found = [m for m in mutants_of(text + "\n", "A.md", random.Random(0)) if m.kind in KINDS]
    assert [str(one).partition(": ")[2] for one in found] == expected


BOUND = """\
# Rivers

```python
length = {"Rhine": 1233, "Elbe": 1094}
```

The `Rhine` is longer<!-- length["Rhine"] > length["Elbe"] -->. Two<!-- = len(length) --> rivers:
1,233<!-- = length["Rhine"] --> and 1,094<!-- = length["Elbe"] --> km.
"""


def test_words_that_are_bound_are_noticed_and_others_are_not(vault: Vault) -> None:
    path = vault.root / "A.md"
    path.write_text(BOUND)
    found = [m for m in mutants_of(BOUND, "A.md", random.Random(0)) if m.kind in KINDS]
    assert {m.kind for m in found} == {"comparison", "small integer", "role"}
    assert set(judge(vault, Vault(vault.root).notes[path], found)) == {NOTICED}
    text = "# A\n\n```python\nx = 1\n```\n\nThe Rhine is longer.\n"
    path.write_text(text)
    found = list(mutants_of(text, "A.md", random.Random(0)))
    assert judge(vault, Vault(vault.root).notes[path], found) == [SURVIVED]


def test_changes_of_a_formula() -> None:
    found = change_formula(
        r"$s_{ij} = \frac{a^2 - b}{\sqrt{d_k}} K^\top + \sum_{i=1}^n \exp(i)$",
        ["K", "V"],
        random.Random(0),
    )
    assert [(before, after, kind) for _, before, after, kind in found][:10] == [
        ("=", r"\ne ", "relation"),
        ("", "-", "sign"),
        ("", r"2 \cdot ", "factor"),
        (r"^\top", "", "transposition"),
        ("-", "+", "sign"),
        ("+", "-", "sign"),
        ("2", "3", "exponent"),
        (r"\sqrt", "", "root"),
        (r"\sum", r"\prod", "function"),
        (r"\exp", r"\sin", "function"),
    ]


@pytest.mark.long
def test_the_whole_is_reproducible_and_leaves_the_tree_alone(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(vault.root.parent)
    before = {path: path.read_bytes() for path in vault.root.rglob("*.md")}
    arguments = ["docs", "--jobs", "1"]
    first = main(arguments), capsys.readouterr().out
    again = main(arguments), capsys.readouterr().out
    assert first == again
    assert "output" in first[1]
    assert "100.00%" in first[1]
    assert {path: path.read_bytes() for path in vault.root.rglob("*.md")} == before


def test_a_note_that_fails_as_it_is_is_no_ground_for_verdicts(vault: Vault) -> None:
    path = vault.root / "A.md"
    path.write_text(NOTE.replace("1.082", "1.083"))
    vault = Vault(vault.root)
    with pytest.raises(ValueError, match="fails without a change"):
        judge(vault, vault.notes[path], [])
