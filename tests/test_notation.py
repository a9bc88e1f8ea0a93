"""One letter, one meaning: what the note Notation decides holds in every note.

Its table gives each letter a shape or says that it is a number. Two things are held. A shape that
a note states of a letter is the table's, where `n` may stand for `m` (self-attention), axes may
stand in front (a batch, heads), and a width may be multiplied by `h` (heads side by side). And
what a note's code binds to the letter is of its kind: scores are not scaled, rows of weights sum
to 1, a permutation matrix permutes.

`python tests/test_notation.py` lists what breaks this, without failing.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from snippets import running_example
from tests.own_vault import VAULT
from vaultkit.read.note import Note
from vaultkit.read.vault import Vault

NOTES = {note.name: note for note in VAULT.notes.values()}
# These explain the checks, on arrays of their own.
ABOUT_CHECKS = {"Checks", "Equations That Run"}
OTHERS = [note for name, note in sorted(NOTES.items()) if name not in {"Notation"} | ABOUT_CHECKS]

STATEMENT = re.compile(
    r"(?P<letters>[^$]+?)\\in \\mathbb\{R\}\^(?P<shape>\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\w)"
)
LETTER = re.compile(r"\\?[A-Za-z]+(?:_(?:\w|\{\\text\{\w+\}\}))?")


def statements(tex: str) -> Iterator[tuple[str, list[str]]]:
    """Give each plain letter that a formula states a shape of, with the sizes of its axes."""
    for found in STATEMENT.finditer(tex):
        shape = found["shape"].removeprefix("{").removesuffix("}")
        axes = [axis.replace(" ", "") for axis in shape.split(r"\times")]
        for part in found["letters"].split(","):
            if LETTER.fullmatch(letter := part.strip()):
                yield letter, axes


TABLE = dict(
    pair for formula in NOTES["Notation"].formulas for pair in statements(formula.tex)
)  # fmt: skip


def fits(stated: list[str], decided: list[str]) -> bool:
    """Return whether a stated shape is the table's; a number may be any size."""

    def plain(axes: list[str]) -> list[str]:
        return ["n" if axis == "m" else axis.removeprefix("h") for axis in axes]

    last = plain(stated)[-len(decided) :]
    return len(last) == len(decided) and all(
        a == b or a.isdigit() for a, b in zip(last, plain(decided), strict=True)
    )


def misstated(note: Note) -> list[str]:
    """List the shapes that a note states and the table does not."""
    return [
        f"docs/{note.name}.md:{formula.line}: {letter} is {' × '.join(axes)} here and"
        f" {' × '.join(TABLE[letter])} in Notation"
        for formula in note.formulas
        for letter, axes in statements(formula.tex)
        if letter in TABLE and not fits(axes, TABLE[letter])
    ]


def _matrix(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim >= 2


def _size(value: Any) -> bool:
    """Several sizes at once are an array of integers."""
    return np.asarray(value).dtype.kind in "iu" and bool(np.all(np.asarray(value) > 0))


def _weights(value: Any) -> bool:
    """Rows of weights sum to 1, or to 0 where nothing may be read."""
    if not isinstance(value, np.ndarray) or (value < 0).any():
        return False
    sums = value.sum(axis=-1)
    return bool(np.all(np.isclose(sums, 1, atol=1e-3) | (sums == 0)))


def _permutation(value: Any) -> bool:
    return _matrix(value) and np.array_equal(value @ value.T, np.eye(len(value)))


def _mask(value: Any) -> bool:
    hides = _matrix(value) and (value.dtype == bool or np.isin(value, [0, -np.inf]).all())
    return bool(hides)


def _loss(value: Any) -> bool:
    return np.ndim(value) == 0


def _scaled(names: dict[str, Any]) -> bool:
    """Return whether S is made from the Q and K at hand, and is not their product."""
    if "Q" not in names or "K" not in names:
        return False
    Q, K, S = names["Q"], names["K"], names["S"]
    if Q.shape[-1] != K.shape[-1] or S.shape[-2:] != (Q.shape[-2], K.shape[-2]):
        return False
    return not np.allclose(S, Q @ K.swapaxes(-1, -2))


MATRICES = ("X", "X_kv", "Q", "K", "V", "S", "Z", "W_Q", "W_K", "W_V", "W_O", "E", "J")
SIZES = ("B", "n", "m", "d_k", "d_v", "d_model", "d_ff", "num_heads")
KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(MATRICES, ("a matrix", _matrix)),
    **dict.fromkeys(SIZES, ("a size", _size)),
    "h": ("the number of heads", _size),
    "alpha": ("weights, whose rows sum to 1", _weights),
    "P": ("a permutation matrix", _permutation),
    "M": ("a mask", _mask),
    "attn_mask": ("a mask", lambda value: value is None or _mask(value)),
    "L": ("a loss, one number", _loss),
}


@contextlib.contextmanager
def on_its_own() -> Iterator[None]:
    """Import the snippets again, and forget them: a note may change what it imports."""

    def snippets() -> dict[str, ModuleType]:
        return {name: m for name, m in sys.modules.items() if name.split(".")[0] == "snippets"}

    before = snippets()
    for name in before:
        del sys.modules[name]
    try:
        with np.printoptions():
            yield
    finally:
        for name in snippets():
            del sys.modules[name]
        sys.modules.update(before)


@on_its_own()
def misbound(note: Note) -> list[str]:
    """Run a note, and list what its code binds to a letter of another kind."""
    names: dict[str, Any] = {"__name__": "note"}
    found, seen = [], {}
    for block in note.blocks:
        if block.kind != "python" or "no-run" in block.fence.options:
            continue
        raises = (Exception,) if "raises" in block.fence.options else ()
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.suppress(*raises),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            exec(compile(block.fence.text, note.name, "exec"), names)
        new = {name for name in KINDS if name in names and names[name] is not seen.get(name)}
        seen = {name: names[name] for name in KINDS if name in names}
        where = f"docs/{note.name}.md:{block.fence.line}"
        for name in sorted(new):
            kind, holds = KINDS[name]
            if not holds(names[name]):
                found.append(f"{where}: {name} is not {kind}")
        if "S" in new and _scaled(names):
            found.append(f"{where}: S is not Q Kᵀ; are the scores scaled?")
    if "omega" in names and note.name != "Single Query Walkthrough":
        found.append(f"docs/{note.name}.md: omega, where no letter of Raschka's is quoted")
    if _matrix(names.get("s")):
        found.append(f"docs/{note.name}.md: s, a matrix; scores are S, or scaled_scores")
    return found


def test_the_table_is_read() -> None:
    assert set(MATRICES) - {"E", "J"} <= {
        letter.replace(r"_{\text{kv}}", "_kv") for letter in TABLE
    }
    assert TABLE["S"] == ["n", "m"]


@pytest.mark.parametrize(
    ("tex", "holds"),
    [
        (r"S \in \mathbb{R}^{n \times n}", True),
        (r"Q \in \mathbb{R}^{h \times n \times d_k}", True),
        (r"W_Q \in \mathbb{R}^{d_{\text{model}} \times h d_k}", True),
        (r"S \in \mathbb{R}^{n \times d_k}", False),
        (r"Q, V \in \mathbb{R}^{d_k \times n}", False),
    ],
)
def test_shapes_are_compared(tex: str, holds: bool) -> None:
    assert all(fits(axes, TABLE[letter]) for letter, axes in statements(tex)) is holds


@pytest.mark.parametrize("note", OTHERS, ids=lambda note: note.name)
def test_a_letter_has_one_shape(note: Note) -> None:
    assert not misstated(note)


@pytest.mark.long
@pytest.mark.parametrize("note", OTHERS, ids=lambda note: note.name)
def test_code_binds_what_a_letter_means(note: Note) -> None:
    assert not misbound(note)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("alpha = np.array([[0.5, 0.6]])", "alpha is not weights"),
        ("n = 2.5", "n is not a size"),
        ("P = np.ones((2, 2))", "P is not a permutation matrix"),
        ("M = np.full((2, 2), 3.0)", "M is not a mask"),
        ("L = np.ones(2)", "L is not a loss"),
        ("Q = K = np.eye(2)\nS = Q @ K.T / 2", "S is not Q Kᵀ"),
        ("s = np.eye(2)", "s, a matrix"),
        ("omega = np.eye(2)", "no letter of Raschka's"),
        ("alpha = np.array([[0.5, 0.5]])\nn, P, L = 2, np.eye(2)[::-1], 0.3", ""),
    ],
)
def test_another_meaning_is_noticed(code: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "Other.md"
    path.write_text(f"# Other\n\n```python\nimport numpy as np\n{code}\n```\n", "utf-8")
    (note,) = Vault(tmp_path).notes.values()
    found = misbound(note)
    assert len(found) == bool(said)
    assert said in "".join(found)


def test_a_note_changes_nothing_for_others(tmp_path: Path) -> None:
    path = tmp_path / "Other.md"
    code = [
        "import numpy as np",
        "from snippets import running_example",
        "running_example.X[0] = 7",
        "np.set_printoptions(precision=1)",
    ]
    path.write_text("\n".join(["# Other\n", "```python", *code, "```\n"]), "utf-8")
    (note,) = Vault(tmp_path).notes.values()
    assert not misbound(note)
    assert running_example.X[0, 0] == 0.43
    assert np.get_printoptions()["precision"] == 8


if __name__ == "__main__":
    for note in OTHERS:
        for fault in [*misstated(note), *misbound(note)]:
            print(fault)
