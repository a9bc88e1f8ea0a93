"""The figures that can be touched: opening one, and reading what it draws and computes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from visitor import Visitor

#: The interactive figures, with their pages.
WIDGETS = {
    "context-vector": "context-vector/",
    "dot-against-cosine": "dot-product-and-cosine/",
    "mask-to-paint": "causal-and-padding-masks/",
    "pipeline": "self-attention/",
    "rotation-of-positions": "positional-encoding-in-detail/",
    "scale-and-gradient": "importance-of-dk-in-scaling/",
    "single-query": "single-query-walkthrough/",
    "softmax-temperature": "softmax/",
    "two-banks": "",
}
#: Figures with test modules of their own, such as test_explorer.py.
HEADS = {
    "next-word": "",
    "attention-explorer": "attention-explorer/",
    "own-sentence": "attention-explorer/",
    "own-attention": "common-mistakes/",
    "train-live": "a-head-that-learns/",
    "trained-head": "a-head-that-learns/",
    "translation": "cross-attention/",
    "two-heads": "multi-head-attention-in-detail/",
}
WIDGET = pytest.mark.parametrize("name", WIDGETS)
SLIDER = "input[type=range], [role=slider]"


#: Scrolls to a figure: elements near it are only then laid out, which may move it.
CENTRE = """async (element) => {
  for (let time = 0; time < 5; time += 1) {
    element.scrollIntoView({ block: "center" });
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
  }
}"""


def figure(page: Page, name: str) -> Locator:
    found = page.locator(f"figure:has(metadata[data-touch={name}])")
    # Nothing begins before somebody comes near, and some not before that somebody is active.
    found.scroll_into_view_if_needed()
    page.mouse.move(1, 1)
    expect(found).to_have_attribute("data-touch", "ready")
    return found


def opened(visit: Visitor, name: str, **options: Any) -> Locator:
    return figure(visit(WIDGETS[name], **options), name)


def reset(found: Locator) -> None:
    """Press Reset, which is there once something was changed."""
    again = found.locator(".touch__reset")
    if again.get_attribute("aria-disabled") == "false":
        again.press("Enter")
    expect(again).to_have_attribute("aria-disabled", "true")


def words(found: Locator) -> str:
    return found.locator(".touch__words").inner_text()


def run(visit: Visitor, page: Page, module: str, call: str, *arguments: Any) -> Any:
    """Call a function of a module in the page; infinity is passed as a word, as JSON lacks it."""
    text = json.dumps([_plain(each) for each in arguments]).replace("-Infinity", '"-Infinity"')
    answer = page.evaluate(
        """async ([address, call, text]) => {
          const made = await import(address);
          const given = JSON.parse(text, (_, value) => (value === "-Infinity" ? -Infinity : value));
          return JSON.stringify(made[call](...given));
        }""",
        [f"{visit.modules}{module}.js", call, text],
    )
    return json.loads(answer)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


DRAWN = """(found) => [
  ...found.querySelectorAll("svg [data-part], svg [data-part] *"),
].map((part) => [
  part.dataset.part ?? part.tagName,
  part.childElementCount ? "" : part.textContent,
  Object.fromEntries([...part.attributes].map((each) => [each.name, each.value])),
])"""


def drawn(found: Locator) -> list[tuple[str, str, dict[str, str]]]:
    return [(name, text, attributes) for name, text, attributes in found.evaluate(DRAWN)]


def assert_same_drawing(one: Locator | list[Any], other: Locator | list[Any]) -> None:
    """Assert that two drawings have equal elements and texts, and coordinates equal to rounding."""
    left, right = (each if isinstance(each, list) else drawn(each) for each in (one, other))
    assert left
    assert [part[:2] for part in left] == [part[:2] for part in right]
    for (name, _, a), (_, _, b) in zip(left, right, strict=True):
        assert a.keys() == b.keys(), name
        for key in a:
            texts, numbers = zip(*(split(value) for value in (a[key], b[key])), strict=True)
            assert texts[0] == texts[1], (name, key)
            np.testing.assert_allclose(*numbers, atol=0.101, err_msg=f"{name} {key}")


def split(value: str) -> tuple[list[str], list[float]]:
    number = r"-?\d*\.?\d+(?:e-?\d+)?"
    return re.split(number, value), [float(each) for each in re.findall(number, value)]


def drag(page: Page, handle: Locator, way: tuple[float, float]) -> None:
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + way[0], y + way[1], steps=4)
    page.mouse.up()


def swipe(page: Page, handle: Locator, way: tuple[float, float]) -> None:
    """Drag with a finger, with raw touch events, from which Chromium derives scrolling."""
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)

    def send(kind: str, points: list[dict[str, float]]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", [{"x": x, "y": y}])
    for step in range(1, 5):
        send("touchMove", [{"x": x + way[0] * step / 4, "y": y + way[1] * step / 4}])
    send("touchEnd", [])


WAYS: dict[str, Callable[[Page, Locator, tuple[float, float]], None]] = {
    "mouse": drag,
    "touch": swipe,
}
