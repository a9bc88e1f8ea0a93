"""A figure that has parameters is drawn from the variables of each note that shows it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from figures import FIGURES, style
from figures.learning import matrices_data
from figures.scaling import saturation_data, variance_data
from snippets import trained_head
from tests.own_vault import VAULT
from vaultkit.doors.browser import BrowserChecker
from vaultkit.pipeline.inspect import run_code, task_of
from vaultkit.pipeline.redrawn import RedrawnFigures

#: The notes that show figures whose variables they do not bind: those keep their numbers there.
ELSEWHERE = {
    "Biases in Attention": {"key-transpose.svg"},
    "First Principles": {"dot-and-cosine.svg", "score-variance.svg", "softmax-saturation.svg"},
    "Ten Questions": {"bank-reads-twice.svg"},
    "Two Matrices or One": {"head-matrices.svg"},
}


def shown() -> dict[str, set[str]]:
    """Return for each note the figures on it that can be drawn again."""
    names = {name for name, figure in FIGURES.items() if figure.variables}
    found = {
        note.name: {Path(link.target).name for link in note.links if link.embed} & names
        for note in VAULT.notes.values()
    }
    return {name: figures - ELSEWHERE.get(name, set()) for name, figures in found.items()}


@pytest.mark.usually("Softmax", "Query Matrix", "One Head by Hand")
@pytest.mark.parametrize("name", [name for name, figures in shown().items() if figures])
def test_the_variables_of_a_note_give_the_figure_that_it_shows(name: str) -> None:
    (note,) = (note for note in VAULT.notes.values() if note.name == name)
    figures = RedrawnFigures(note, VAULT, FIGURES)
    task = task_of(note, VAULT)
    list(run_code(task, watch=figures.observe))
    found = {figure.name: (figure.svg, figure.error) for figure in figures.drawn}
    assert found == dict.fromkeys(shown()[name], (None, ""))


def test_many_figures_can_be_drawn_again() -> None:
    assert sum(map(len, shown().values())) >= 30
    assert all(shown().get(name, set()).isdisjoint(figures) for name, figures in ELSEWHERE.items())


@pytest.fixture
def desk(tmp_path: Path) -> BrowserChecker:
    """A checker of a copy of the notes, which an edit rewrites while it runs."""
    shutil.copytree(VAULT.root, tmp_path / "docs", ignore=shutil.ignore_patterns("javascripts"))
    return BrowserChecker(tmp_path / "docs", figures_module="figures")


@pytest.mark.parametrize(
    ("name", "change", "figure", "label"),
    [
        ("Softmax", ("x = np.array([2.0", "x = np.array([3.0"), "softmax.svg", ">20.09<"),
        (
            "Query Matrix",
            ("looks_for =", "W_Q = W_Q / 3\nlooks_for ="),
            "query-matrix.svg",
            ">2.7<",
        ),
        ("Attention Scores", ("S = Q @", "S = 3 * Q @"), "attention-scores.svg", ">24<"),
        ("Self Attention", ("S, d_k = Q", "S, d_k = 3 * Q"), "pipeline.svg", ">16.97<"),
        ("A Head That Learns", ("lr=0.03", "lr=0.003"), "train-live.svg", ">9 (0.14)<"),
        ("A Head That Learns", ("lr=0.03", "lr=0.003"), "trained-head.svg", ">38.5\u00a0%<"),
        ("One Head by Hand", ("np.sqrt(d_k)", "d_k"), "bank-reads.svg", ">0.85<"),
        (
            "Importance of dk in Scaling",
            ("    raw = ", "    raw = 2 * "),
            "score-variance.svg",
            ">std 64<",
        ),
    ],
)
def test_an_edit_changes_the_labels_of_a_figure(
    desk: BrowserChecker, name: str, change: tuple[str, str], figure: str, label: str
) -> None:
    (note,) = (note for note in desk.vault.notes.values() if note.name == name)
    codes = ["\n".join(block.fence.lines) for block in note.blocks]
    index = next(i for i, code in enumerate(codes) if change[0] in code)
    found: list[dict[str, Any]] = []
    path = str(note.path.relative_to(desk.vault.root))
    desk.check(path, {index: codes[index].replace(*change)}, found.append)
    json.dumps(found)
    svg = next(message["svg"] for message in found if message.get("figure") == figure)
    published = (VAULT.root / "figures" / figure).read_text(encoding="utf-8")
    assert label in svg
    assert label not in published
    # Without the edit there is nothing to show.
    found.clear()
    desk.check(path, {}, found.append)
    assert not any("figure" in message for message in found)


def test_a_figure_that_cannot_be_drawn_says_why(desk: BrowserChecker) -> None:
    found: list[dict[str, Any]] = []
    path = "Attention Scores.md"
    note = desk.vault.notes[desk.vault.root / path]
    code = "\n".join(note.blocks[0].fence.lines).replace("S = Q @ K.T", "S = None")
    desk.check(path, {0: code}, found.append)
    [figure] = [message for message in found if message.get("figure") == "attention-scores.svg"]
    assert figure["svg"] is None
    assert figure["error"].startswith(
        "the figure needs variables of the same kinds and shapes as on the page (TypeError: "
    )


@pytest.mark.parametrize("change", ["S = Q @ K.T * np.inf", "S = Q @ K.T * 1e300"])
def test_a_figure_of_numbers_that_cannot_be_shown_says_so(
    desk: BrowserChecker, change: str
) -> None:
    found: list[dict[str, Any]] = []
    path = "Attention Scores.md"
    note = desk.vault.notes[desk.vault.root / path]
    code = "\n".join(note.blocks[0].fence.lines).replace("S = Q @ K.T", change)
    desk.check(path, {0: "import numpy as np\n" + code}, found.append)
    [figure] = [message for message in found if message.get("figure") == "attention-scores.svg"]
    assert figure["svg"] is None
    assert figure["error"] == "it would show numbers that are infinite, undefined or too large"


def test_a_figure_gets_nothing_published_for_an_empty_variable() -> None:
    with pytest.raises(KeyError):
        variance_data(measured={})
    assert saturation_data(measured={})["widths"] == []
    loaded = trained_head.load()[0]
    with pytest.raises(AttributeError):
        matrices_data(before={}, after=loaded)


def test_arrays_may_be_the_variables_of_a_figure() -> None:
    published = variance_data()
    scores = np.zeros((1025, 3, 3))
    assert variance_data(measured=scores).keys() == published.keys()


def test_a_formula_without_outlines_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*_: object) -> tuple[str, float]:
        raise ModuleNotFoundError("ziamath")

    monkeypatch.setattr(style, "draw_formula", lacking)
    with pytest.raises(LookupError, match=r"no outlines of this formula: \\alpha\^9"):
        style.text(0, 0, r"$\alpha^9$")
