"""What a reader's edit means for the questions of a page, whose outputs are folded."""

from __future__ import annotations

import pytest
from checking import FORGET, RUN, cell, edit, load, opened, said
from playwright.sync_api import Page, expect
from visitor import Visitor


def unanswered(ready: Page, loaded: Visitor) -> Page:
    """Open `Softmax` without the answers that the browser has kept, with Python loaded."""
    page = opened(ready, loaded, "Softmax", run=False)
    page.evaluate(FORGET)
    page.reload()
    load(page)
    return page


@pytest.mark.long
def test_who_runs_a_block_sees_an_output_that_a_question_folds(
    ready: Page,
    loaded: Visitor,
    checked: None,  # noqa: ARG001
) -> None:
    page = opened(ready, loaded, "Softmax", run=False)
    block = cell(page, "by the sum")
    output = page.locator("[data-check=output-0]")
    expect(output).to_be_hidden()
    block.get_by_role("button", name="Run").click()
    expect(output).to_be_visible(timeout=RUN)
    expect(block.locator(".vk-cell__said")).to_contain_text("shows what the page shows")
    # The reader has run it, and has not looked the answer up.
    question = page.locator(".question[data-predicted]")
    expect(question).to_have_attribute("data-predicted", "ran")
    assert "shown" not in str(page.evaluate("JSON.stringify(localStorage)"))
    question.get_by_role("button", name="Try again").click()
    expect(output).to_be_hidden()


@pytest.mark.long
def test_an_edit_answers_no_question(
    ready: Page,
    loaded: Visitor,
    checked: None,  # noqa: ARG001
) -> None:
    page = unanswered(ready, loaded)
    block = edit(page, "by the sum", ("array([2.0", "array([3.0"))
    now = page.locator(".output[data-check=output-0] ~ .vk-now").first
    expect(now).to_contain_text("0.33", timeout=RUN, use_inner_text=False)
    block.get_by_role("button", name="Run").click()
    expect(said(page)).to_contain_text("With your edit", timeout=RUN)
    # The new output is folded, too: much of it is the answer.
    expect(now).to_be_hidden()
    expect(page.locator("[data-check=output-0]")).to_be_hidden()
    expect(page.locator("[data-predicted=shown]")).to_have_count(0)
    folded = page.locator(".output[data-check=output-0] ~ .vk-folded").first
    told = folded.locator("span").evaluate("e => getComputedStyle(e, '::after').content")
    assert "changed" in told
    folded.get_by_role("button").click()
    expect(page.locator("[data-check=output-0]")).to_be_visible()
    expect(now).to_be_visible()
    page.evaluate(FORGET)


@pytest.mark.long
def test_an_answer_is_judged_by_the_output_of_the_edit(
    ready: Page,
    loaded: Visitor,
    checked: None,  # noqa: ARG001
) -> None:
    page = unanswered(ready, loaded)
    edit(page, "by the sum", ("array([2.0", "array([3.0"))
    expect(said(page)).to_contain_text("With your edit", timeout=RUN)
    question = page.locator("[data-check=prediction-2]")
    for answer, verdict in (("2.72", "No. It is larger."), ("7.39", "Right, with your edit.")):
        question.locator("input").fill(answer)
        question.get_by_role("button", name="Check").click()
        expect(question.get_by_role("status")).to_contain_text(verdict)
    # It is not kept as an answer to the question of the page.
    assert page.evaluate(f"({STORED})()") == []
    page.get_by_role("button", name="Reset the page").click()
    question.get_by_role("button", name="Try again").click()
    question.locator("input").fill("2.72")
    question.get_by_role("button", name="Check").click()
    expect(question.get_by_role("status")).to_have_text("✓ Right.")
    page.evaluate(FORGET)


#: The answers that the browser keeps.
STORED = """() => Object.entries(localStorage).filter(([key]) => key.includes("predictions"))
  .flatMap(([, kept]) => Object.values(JSON.parse(kept)).flatMap(Object.values))"""
