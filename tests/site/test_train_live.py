"""The head that is trained in front of the reader: with the numbers of NumPy and of the notes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from playwright.sync_api import Locator, Page, expect
from touching import assert_same_drawing, drawn, figure, run, words
from visitor import ROOT, Visitor, restyle, violations

from snippets import trained_head
from snippets.adam import AdamState, adam
from snippets.backward import softmax_backward
from snippets.cross_entropy import cross_entropy, cross_entropy_backward
from snippets.recall_head import HeadWeights, accuracy, first_weights
from snippets.recall_task import recall_batch
from snippets.softmax import softmax

WHOLE = {"seed": 0, "width": 4, "own": True, "scaled": True, "withSoftmax": True, "ahead": 0}
PAGE = "a-head-that-learns/"


def test_random_numbers_are_numpys(visit: Visitor) -> None:
    page = visit.modules_alone()
    draw = """async ([address, seed]) => {
      const rng = (await import(address)).generator(seed);
      const many = (count, one) => Array.from({ length: count }, one);
      return [many(3000, rng.normal), many(9, () => rng.permuted(8)), many(9, () => rng.integer(5)),
              many(9, () => rng.permuted(10)), rng.normal()];
    }"""
    for seed in (0, 4, 20260101):
        normal, eight, whole, ten, last = page.evaluate(draw, [f"{visit.modules}random.js", seed])
        rng = np.random.default_rng(seed)
        assert_allclose(normal, rng.normal(size=3000), rtol=1e-12)
        for rows, kinds in ((eight, 8), (whole, 0), (ten, 10)):
            if kinds:
                assert rows == rng.permuted(np.tile(np.arange(kinds), (9, 1)), axis=1).tolist()
            else:
                assert rows == rng.integers(5, size=9).tolist()
        assert_allclose(last, rng.normal(), rtol=1e-12)


def test_the_training_is_the_notes(visit: Visitor) -> None:
    _, after, losses = trained_head.load()
    found = run(visit, visit.modules_alone(), "train-live", "trained", WHOLE, len(losses))
    assert_allclose(found["losses"], losses, atol=1e-9)
    for name, weight in after._asdict().items():
        assert_allclose(found[name], weight, atol=1e-6)


def learned(options: dict[str, Any], steps: int) -> tuple[HeadWeights, list[float]]:
    """Train as the note Taking Parts Away does, with its switches."""
    rng = np.random.default_rng(options["seed"])
    if options["width"] == 4:
        W = first_weights(rng, 18, 4, 10)
    else:
        W_Q, W_K = rng.normal(0, np.sqrt(0.5), (2, 18, options["width"]))
        W = HeadWeights(W_Q, W_K, rng.normal(0, 1 / np.sqrt(18), (18, 10)))
    W = W if options["own"] else W._replace(W_K=W.W_Q)
    scale = 1 / np.sqrt(options["width"]) if options["scaled"] else 1.0
    states, losses = [AdamState()] * 3, []
    for _ in range(steps):
        X, answer = recall_batch(rng, 64, ahead=options["ahead"])
        Q, K, V = X[:, -1:] @ W.W_Q, X @ W.W_K, X @ W.W_V
        scores = Q @ K.swapaxes(-1, -2) * scale
        alpha = softmax(scores) if options["withSoftmax"] else scores
        logits = (alpha @ V)[:, 0]
        losses.append(cross_entropy(logits, answer))
        dL_dZ = cross_entropy_backward(logits, answer)[:, np.newaxis]
        dL_dV, dL_dS = alpha.swapaxes(-1, -2) @ dL_dZ, dL_dZ @ V.swapaxes(-1, -2) * scale
        if options["withSoftmax"]:
            dL_dS = softmax_backward(dL_dS, alpha)
        pairs = (X[:, -1:], dL_dS @ K), (X, dL_dS.swapaxes(-1, -2) @ Q), (X, dL_dV)
        q, k, v = (np.einsum("bni,bnj->ij", *pair) for pair in pairs)
        if not options["own"]:
            q = k = q + k
        moved = [adam(*each, lr=0.03) for each in zip(W, (q, k, v), states, strict=True)]
        W, states = HeadWeights(*(weight for weight, _ in moved)), [state for _, state in moved]
    return W, losses


@pytest.mark.usually("own-ahead", "width-scaled-seed")
@pytest.mark.parametrize(
    "part",
    [
        {"scaled": False, "seed": 1},
        {"withSoftmax": False},
        {"own": False, "ahead": 1},
        {"width": 256, "scaled": False, "seed": 4},
        {"width": 256, "own": False, "withSoftmax": False},
    ],
    ids=lambda part: "-".join(part),
)
def test_a_part_is_taken_away_as_in_the_note(visit: Visitor, part: dict[str, Any]) -> None:
    options = WHOLE | part
    found = run(visit, visit.modules_alone(), "train-live", "trained", options, 12)
    W, losses = learned(options, 12)
    assert_allclose(found["losses"], losses, rtol=1e-8)
    for name, weight in W._asdict().items():
        assert_allclose(found[name], weight, atol=1e-7)


def at(found: Locator, step: int) -> list[str]:
    """Choose a step, and return the numbers of the sentence."""
    found.get_by_label("step", exact=True).fill(str(step))
    expect(found.locator(".touch__words")).to_contain_text(f"Step {step} of 300")
    return re.findall(r"\d+(?:\.\d+)?", words(found))


def opened(visit: Visitor, **options: Any) -> tuple[Page, Locator]:
    page = visit(PAGE, **options)
    return page, figure(page, "train-live")


@pytest.mark.long
def test_every_step_has_the_numbers_of_the_note(visit: Visitor) -> None:
    note = (ROOT / "docs" / "A Head That Learns.md").read_text(encoding="utf-8")
    rows = re.findall(r"^ +(\d+)  (\d\.\d{3})  (\d\.\d{3})  (\d\.\d\d)$", note, re.MULTILINE)
    assert len(rows) == 7
    _, found = opened(visit)
    for step, loss, right, largest in rows:
        count = f"{1000 * float(right):.0f}"
        assert at(found, int(step)) == [step, "300", loss, count, "1000", largest]
    # Another seed alone takes no part away.
    found.get_by_role("radio", name="1", exact=True).check(force=True)
    at(found, 20)
    expect(found.locator(".touch__words")).not_to_contain_text("Taking Parts Away")
    # The head of another seed, without scaling, as the snippets judge it.
    found.get_by_role("radio", name="nothing").check(force=True)
    numbers = at(found, 20)
    expect(found.locator(".touch__words")).to_contain_text("Taking Parts Away uses other batches")
    link = found.locator(".touch__words").get_by_role("link", name="Taking Parts Away")
    expect(link).to_have_attribute("href", re.compile(r"taking-parts-away/$"))
    W, _ = learned(WHOLE | {"scaled": False, "seed": 1}, 20)
    test = recall_batch(np.random.default_rng(2), 1000)
    assert numbers[3] == f"{1000 * accuracy(W, *test, scale=1.0):.0f}"


@pytest.mark.long
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_it_plays_and_is_reset_by_keyboard(visit: Visitor, motion: str) -> None:
    page, found = opened(visit, reduced_motion=motion)
    start, said = drawn(found), words(found)
    play = found.get_by_role("button", name="Play")
    play.press("Enter")
    pause = found.get_by_role("button", name="Pause")
    expect(pause).to_be_focused()
    begun = found.locator(".touch__words")
    expect(begun).to_contain_text(re.compile("Step [1-9]"))
    pause.press("Enter")
    paused = words(found)
    step = int(paused.split()[1])
    assert 0 < step < 300
    assert (step % 50 == 0) or motion == "no-preference"
    page.wait_for_timeout(100)
    assert words(found) == paused
    # A switch begins from new weights.
    found.get_by_role("radio", name="same letter").press("ArrowRight")
    expect(begun).to_contain_text("Step 0 of 300")
    page.wait_for_timeout(100)
    expect(begun).to_contain_text("Step 0 of 300")
    play.press("Enter")
    expect(begun).to_contain_text("Step 300", timeout=60_000)
    expect(found.get_by_role("button", name="Play")).to_be_visible()
    texts = found.locator("[data-part=asks]").all_text_contents()
    assert texts == ["a", "d", "h", "f"]
    assert found.locator("[data-part=legend]").text_content() == "thin: the head of this note"
    found.get_by_role("button", name="Reset").press("Enter")
    assert words(found) == said
    assert_same_drawing(start, found)


@pytest.mark.long
def test_a_loss_off_the_scale_is_said(visit: Visitor) -> None:
    _, found = opened(visit)
    above = found.locator("[data-part=above]")
    at(found, 20)
    expect(above).to_be_empty()
    found.get_by_role("radio", name="no", exact=True).check(force=True)
    found.get_by_role("radio", name="256").check(force=True)
    found.get_by_role("radio", name="nothing").check(force=True)
    at(found, 20)
    wrong = {"withSoftmax": False, "width": 256, "scaled": False}
    _, losses = learned(WHOLE | wrong, 21)
    assert max(losses) > 2.5
    expect(above).to_have_text(f"↑ off the scale: up to {max(losses):.1f}")


#: The height of controls, loss and map, which a phone shows together below its header.
TOGETHER = """(figure) => figure.querySelector(".vk-figure-box").getBoundingClientRect().bottom
  - figure.querySelector(".touch").getBoundingClientRect().top"""


@pytest.mark.long
def test_it_fits_and_axe_finds_nothing(visit: Visitor) -> None:
    page, found = opened(visit)
    found.get_by_role("radio", name="no", exact=True).check(force=True)
    at(found, 120)  # with weights that are negative and larger than 1
    shown = [
        float(n.replace("−", "-")) for n in found.locator("[data-part=number]").all_text_contents()
    ]
    full = max(map(abs, shown))
    assert full > 1
    scale = found.locator("[data-part=scale]")
    assert scale.text_content() == f"strongest colour: {full:.2f}; orange: below 0"
    strengths = [
        float(str(cell.get_attribute("fill-opacity")))
        for cell in found.locator("[data-part=weight]").all()
    ]
    assert np.argsort(np.abs(shown))[-2:].tolist() == np.argsort(strengths)[-2:].tolist()
    for width, scheme in ((1280, "light"), (390, "dark"), (320, "light")):
        restyle(page, width, scheme)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if width == 390:
            assert found.evaluate(TOGETHER) <= 844 - 48
        options = {"rules": {"target-size": {"enabled": True}}}
        wrong = violations(page, options, "figure[data-touch]:has(metadata[data-touch=train-live])")
        assert [(rule["id"], node["html"]) for rule in wrong for node in rule["nodes"]] == []
