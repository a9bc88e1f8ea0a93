"""Figures that can be touched: by mouse, finger and keyboard, with the numbers of the snippets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect
from visitor import ROOT, Visitor

from snippets.softmax import softmax

#: What can be touched, and on which page.
WIDGETS = {"softmax-temperature": "softmax/"}
WIDGET = pytest.mark.parametrize("name", WIDGETS)
SLIDER = "input[type=range], [role=slider]"


def figure(page: Page, name: str) -> Locator:
    found = page.locator(f"figure:has(metadata[data-touch={name}])")
    expect(found).to_have_attribute("data-touch", "ready")
    return found


def opened(visit: Visitor, name: str, **options: Any) -> Locator:
    return figure(visit(WIDGETS[name], **options), name)


def words(found: Locator) -> str:
    return found.locator(".touch__words").inner_text()


def run(visit: Visitor, page: Page, module: str, call: str, *arguments: Any) -> Any:
    """Call a function of a module in the page; JSON knows no infinity, so it goes as a word."""
    text = json.dumps([_plain(each) for each in arguments]).replace("-Infinity", '"-Infinity"')
    answer = page.evaluate(
        """async ([address, call, text]) => {
          const made = await import(address);
          const given = JSON.parse(text, (_, value) => (value === "-Infinity" ? -Infinity : value));
          return JSON.stringify(made[call](...given));
        }""",
        [f"{visit.base}javascripts/{module}.js", call, text],
    )
    return json.loads(answer)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


DRAWN = """(found) => [...found.querySelectorAll("svg [data-part]")].map((part) => [
  part.dataset.part,
  part.childElementCount ? "" : part.textContent,
  Object.fromEntries([...part.attributes].map((each) => [each.name, each.value])),
])"""


def drawn(found: Locator) -> list[tuple[str, str, dict[str, str]]]:
    return [(name, text, attributes) for name, text, attributes in found.evaluate(DRAWN)]


def assert_same_drawing(one: Locator | list[Any], other: Locator | list[Any]) -> None:
    """Same parts, same words, coordinates as equal as two roundings are."""
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


# --- All of them ----------------------------------------------------------------------------------


def test_every_one_is_tried() -> None:
    found = {
        name
        for drawing in (ROOT / "docs" / "figures").glob("*.svg")
        for name in re.findall(r'data-touch="([^"]*)"', drawing.read_text(encoding="utf-8"))
    }
    assert found == set(WIDGETS)
    for name in found:
        assert (ROOT / "docs" / "javascripts" / f"{name}.js").is_file()
        drawing = (ROOT / "docs" / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert f'data-touch="{name}"' in drawing


@WIDGET
def test_it_begins_as_it_was_drawn(visit: Visitor, name: str) -> None:
    still = visit(WIDGETS[name], java_script_enabled=False)
    built = still.locator(f"figure:has(metadata[data-touch={name}])")
    expect(built.locator("svg")).to_be_visible()
    assert built.locator(".touch, [role=slider], input, button").count() == 0
    found = opened(visit, name)
    assert_same_drawing(built, found)
    assert words(found)


@WIDGET
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_and_axe_finds_nothing(visit: Visitor, name: str, width: int, scheme: str) -> None:
    found = opened(visit, name, width=width, scheme=scheme)
    page = found.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    options = {"rules": {"target-size": {"enabled": True}}}
    wrong = Axe().run(page, context="figure[data-touch]", options=options).response["violations"]
    assert [(rule["id"], node["html"]) for rule in wrong for node in rule["nodes"]] == []
    for target in found.locator("input, button, [role=slider]").all():
        box = target.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@WIDGET
def test_every_control_works_by_keyboard_and_reset_brings_it_back(
    visit: Visitor, name: str
) -> None:
    found = opened(visit, name)
    page, start, said = found.page, drawn(found), words(found)
    label = found.locator("svg").get_attribute("aria-label")
    for slider in found.locator(SLIDER).all():
        assert slider.get_attribute("aria-valuetext")
        before = slider.get_attribute("aria-valuetext")
        slider.focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        if slider.get_attribute("aria-valuetext") == before:  # It was at that end.
            page.keyboard.press("ArrowRight")
        expect(slider).not_to_have_attribute("aria-valuetext", str(before))
        expect(slider).to_be_focused()
    assert words(found) != said
    assert found.locator("svg").get_attribute("aria-label") == words(found)
    reset = found.get_by_role("button", name="Reset")
    reset.focus()
    page.keyboard.press("Enter")
    expect(reset).to_be_focused()
    assert words(found) == said
    assert found.locator("svg").get_attribute("aria-label") == label
    assert_same_drawing(start, found)


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
    """Drag with a finger: what Chromium makes of raw touches, scrolling included."""
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


@WIDGET
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("width", [1280, 390])
def test_every_handle_and_slider_can_be_dragged(
    visit: Visitor, name: str, way: str, width: int
) -> None:
    found = opened(visit, name, width=width, has_touch=way == "touch")
    page = found.page
    for slider in found.locator(SLIDER).all():
        # Where a handle has been moved to, it may lie on another one.
        found.get_by_role("button", name="Reset").dispatch_event("click")
        slider.scroll_into_view_if_needed()
        scrolled = page.evaluate("scrollY")
        before = str(slider.get_attribute("aria-valuetext"))
        if slider.get_attribute("role"):
            WAYS[way](page, slider, (-30, -12))
        else:
            box = slider.bounding_box()
            assert box
            share = (
                0.8
                if float(slider.input_value())
                < 0.5 * sum(float(str(slider.get_attribute(end))) for end in ("min", "max"))
                else 0.2
            )
            place = box["x"] + share * box["width"], box["y"] + box["height"] / 2
            (page.mouse.click if way == "mouse" else page.touchscreen.tap)(*place)
        expect(slider).not_to_have_attribute("aria-valuetext", before)
        assert page.evaluate("scrollY") == scrolled


@WIDGET
def test_colours_of_the_system_are_kept(visit: Visitor, name: str) -> None:
    found = opened(visit, name, forced_colors="active", reduced_motion="reduce")
    for handle in found.locator("[role=slider]").all():
        style = handle.evaluate("e => [getComputedStyle(e).borderTopStyle, e.offsetWidth]")
        assert style == ["solid", 28]


def test_pages_without_one_load_the_loader_alone(visit: Visitor) -> None:
    assert (ROOT / "docs" / "javascripts" / "touch.js").stat().st_size <= 2048
    page = visit("key-matrix/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_load_state("networkidle")
    assert [
        url.rpartition("/")[2] for url in asked if "/javascripts/" in url and "assets" not in url
    ] == ["touch.js"]
    # A page that is loaded in place has its things to touch, too.
    page.locator("a[href$='softmax/']").first.dispatch_event("click")
    found = figure(page, "softmax-temperature")
    assert words(found)


def test_the_drawing_stays_where_the_module_fails(visit: Visitor) -> None:
    page = visit("key-matrix/")
    page.route(
        "**/softmax-temperature.js",
        lambda route: route.fulfill(body="throw new Error()", content_type="text/javascript"),
    )
    visit.go(page, "softmax/")
    found = page.locator("figure:has(metadata[data-touch=softmax-temperature])")
    expect(found).to_have_attribute("data-touch", "failed")
    expect(found.locator("svg")).to_be_visible()
    assert found.locator(".touch").count() == 0


# --- What they compute ----------------------------------------------------------------------------


def grid(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers from tiny to far beyond what exp can hold."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((24, *shape)) * np.logspace(-3, 4, 24).reshape(-1, *[1] * len(shape))


def same(found: Any, expected: Any) -> None:
    assert np.isfinite(np.asarray(found, dtype=float)).all()
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_softmax(visit: Visitor) -> None:
    page = visit("softmax/")
    rows = [*grid(1), *grid(6, seed=1), *grid(40, seed=2)]
    rows += [
        np.array([-np.inf, 1.0, -np.inf]),
        np.array([-np.inf, -np.inf]),
        np.array([1e300, -1e300]),
    ]
    for x in rows:
        same(run(visit, page, "attention", "softmax", x), softmax(x))


# --- Each of them ---------------------------------------------------------------------------------


def shown(found: Locator, part: str) -> list[float]:
    """Return the numbers written in the drawing."""
    texts = found.locator(f"[data-part='{part}']").all_text_contents()
    return [float(text.replace("−", "-")) for text in texts]


def test_temperature(visit: Visitor) -> None:
    found = opened(visit, "softmax-temperature")
    assert (
        shown(found, "proportion label")
        == softmax(np.array([2.0, 1.0, 0.0, -2.0])).round(2).tolist()
    )
    found.locator("input").fill("-1")
    found.locator("[role=slider]").nth(1).press("Shift+ArrowRight")  # 1 further
    assert shown(found, "number label") == [2.0, 2.0, 0.0, -2.0]
    assert shown(found, "proportion label") == [0.5, 0.5, 0.0, 0.0]
    assert "divided by τ that is 0.00" in words(found)
    found.locator("input").fill("2")
    assert words(found).startswith("Nearly even: the largest proportion is 0.25")
    widths = found.locator("[data-part=proportion]").evaluate_all(
        "all => all.map(e => +e.getAttribute('width'))"
    )
    x = np.array([2.0, 2.0, 0.0, -2.0])
    np.testing.assert_allclose(np.array(widths) / 126, softmax(x / 100), atol=1e-3)
