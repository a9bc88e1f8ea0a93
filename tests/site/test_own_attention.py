"""A function that the reader pastes: what the page shows of a report, and Python that makes it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from touching import figure
from visitor import Visitor, restyle, violations

from snippets.own_attention import EXAMPLES, report
from vaultkit.site.runnable import PYODIDE

PAGE = "common-mistakes/"
BOOT = 120_000
CAUSAL = """
def attention(Q, K, V):
    S = Q @ K.swapaxes(-1, -2)
    S = np.where(np.tri(len(Q), len(K), k=1, dtype=bool), S, -np.inf) / np.sqrt(K.shape[-1])
    E = np.exp(S - S.max(-1, keepdims=True))
    return E / E.sum(-1, keepdims=True) @ V
"""
ENDLESS = "def attention(Q, K, V):\n    while True: pass"
HUGE = "def attention(Q, K, V):\n    return np.zeros(10**10)"
RIGHT = EXAMPLES["einsum"]
OVERFLOWS = EXAMPLES["einsum"].replace(" - S.max(axis=-1, keepdims=True)", "")
TOO_LATE = "The mask ends one token too late"
#: In place of Python, reports that are known, or an error.
STUB = """(answers) => {
  class Stopped extends Error {}
  const call = async (where, code) => {
    if (where !== "snippets.own_attention:report") throw new Error(where);
    if (code in answers) return answers[code];
    throw new Stopped("Stopped after 10 s, which is the limit.");
  };
  const engine = { loaded: true, call, stop() {} };
  globalThis.vaultkitPython = { engine, Stopped, cost: () => "" };
}"""


def opened(visit: Visitor) -> tuple[Page, Locator]:
    page = visit(PAGE)
    return page, figure(page, "own-attention")


def check(found: Locator, code: str, says: str, timeout: float = 30_000) -> str:
    """Check a function, and return the result below the sentences."""
    found.get_by_role("textbox").fill(code)
    expect(found.locator(".own__result")).to_be_empty()
    found.get_by_role("textbox").press("Control+Enter")
    expect(found.locator(".touch__words")).to_contain_text(says, timeout=timeout)
    return found.locator(".own__result").inner_text()


@pytest.mark.long
def test_a_report_is_shown(visit: Visitor) -> None:
    page, found = opened(visit)
    start = found.locator(".own__result").inner_text()
    assert start.startswith("The scale has no root. Here: S / dk. It should be: S / √dk.")
    first = json.loads(report(EXAMPLES["one mistake"]))
    difference = f"{first['found'][3][1] - first['expected'][3][1]:.2f}"
    row = found.get_by_role("row", name="token 4")
    assert row.get_by_role("cell").nth(1).inner_text() == difference
    expect(found.get_by_role("columnheader")).to_have_text(list("12345"))
    heading = found.get_by_role("link", name="The scale has no root")
    expect(heading).to_have_attribute("href", "#scale")
    wrong = "def own(Q, K, V) return V"
    page.evaluate(STUB, {code: report(code) for code in (CAUSAL, OVERFLOWS, "x = 1", wrong, RIGHT)})
    assert TOO_LATE in check(found, CAUSAL, "makes a known mistake")
    height = found.bounding_box()
    assert "The maximum is not subtracted" in check(found, OVERFLOWS, "makes a known mistake")
    elsewhere = found.get_by_role("link", name="The maximum is not subtracted")
    expect(elsewhere).to_have_attribute(
        "href", re.compile(r"numerical-stability/#subtract-the-maximum$")
    )
    assert check(found, RIGHT, "six tokens with large scores") == ""
    shorter = found.bounding_box()
    assert height
    assert shorter
    assert shorter["height"] < height["height"] - 100  # no room for a map
    assert check(found, wrong, "Line 1: expected ':'").splitlines()[0] == wrong
    assert check(found, "x = 1", "There is no function: begin with def attention(Q, K, V):") == ""
    assert check(found, "while True: pass", "did not end: look for an endless loop.") == ""
    expect(found.get_by_role("button", name="Check")).to_be_enabled()
    expect(found.get_by_role("button", name="Stop")).to_be_hidden()
    # Examples to begin with, by keyboard; the first is the one that was there.
    found.get_by_role("radio", name="two").check(force=True)
    found.get_by_role("radio", name="two").press("ArrowRight")
    expect(found.get_by_role("textbox")).to_have_value(EXAMPLES["loops"])
    found.get_by_role("button", name="Reset").press("Enter")
    expect(found.get_by_role("textbox")).to_have_value(EXAMPLES["one mistake"])
    assert found.locator(".own__result").inner_text() == start


@pytest.mark.long
def test_it_fits_and_axe_finds_nothing(visit: Visitor) -> None:
    page, found = opened(visit)
    # A map as wide as the model.
    page.evaluate(STUB, {EXAMPLES["heads"]: report(EXAMPLES["heads"])})
    assert "The heads are split" in check(found, EXAMPLES["heads"], "makes a known mistake")
    for width, scheme in ((1280, "light"), (390, "dark"), (320, "light")):
        restyle(page, width, scheme)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        options = {"rules": {"target-size": {"enabled": True}}}
        wrong = violations(page, options, "figure:has(metadata[data-touch=own-attention])")
        assert [(rule["id"], node["html"]) for rule in wrong for node in rule["nodes"]] == []


@pytest.mark.long
def test_python_in_the_page_recognizes_a_mistake(visit: Visitor, pyodide: Path) -> None:  # noqa: ARG001
    page, found = opened(visit)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    found.get_by_role("textbox").press("ArrowRight")
    found.get_by_role("textbox").type(" ")
    expect(found.locator(".touch__words")).to_contain_text(re.compile(r"about \d+ MB"))
    assert not set(PYODIDE) & set(asked)
    assert TOO_LATE in check(found, CAUSAL, "makes a known mistake", BOOT)
    right = EXAMPLES["einsum"] + "print('printed')"
    assert check(found, right, "is right: no output differs") == ""
    check(found, "def attention(Q, K, V: pass", "Line 1: ")
    check(found, ENDLESS, "Checking …")
    found.get_by_role("button", name="Stop").click()
    expect(found.locator(".touch__words")).to_contain_text("Stopped.")
    expect(found.get_by_role("button", name="Stop")).to_be_hidden()
    check(found, HUGE, "raises ValueError in line 2", BOOT)  # Python starts again
    check(found, "def attention(Q, K, V): return Q @ K", "Q @ K is (6, 4) times (6, 4)")
