"""Figures that can be touched: by mouse, finger and keyboard, with the numbers of the snippets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from visitor import NEAR, ROOT, Visitor, restyle, violations

from figures.mixing import context_data
from figures.scaling import gradient_data
from snippets import bank_by_hand as hand
from snippets import running_example as ex
from snippets.attention import (
    attention_scores,
    attention_weights,
    scaled_dot_product_attention,
)
from snippets.masks import causal_mask, padding_mask
from snippets.positional_encoding import sinusoidal_positions
from snippets.rotary import rotary_angles, rotate
from snippets.softmax import softmax

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
}
#: Figures with test modules of their own: test_explorer.py and test_next_word.py.
HEADS = {
    "next-word": "",
    "attention-explorer": "attention-explorer/",
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
    # Nothing begins before somebody comes near.
    found.scroll_into_view_if_needed()
    expect(found).to_have_attribute("data-touch", "ready")
    return found


def opened(visit: Visitor, name: str, **options: Any) -> Locator:
    return figure(visit(WIDGETS[name], **options), name)


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


# --- All of them ----------------------------------------------------------------------------------


def test_every_one_is_tried() -> None:
    found = {
        name
        for drawing in (ROOT / "docs" / "figures").glob("*.svg")
        for name in re.findall(r'data-touch="([^"]*)"', drawing.read_text(encoding="utf-8"))
    }
    assert found == {*WIDGETS, *HEADS}
    for name in found:
        assert (ROOT / "docs" / "javascripts" / f"{name}.js").is_file()
        drawing = (ROOT / "docs" / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert f'data-touch="{name}"' in drawing


@pytest.mark.sample("320", "1280")
@pytest.mark.long
@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nothing_moves_when_one_comes(visit: Visitor, width: int) -> None:
    """Each figure is tried at a narrow and at a wide one of these widths."""
    page = visit(width=width)
    # Low enough that nothing is near at first.
    page.set_viewport_size({"width": width, "height": 200})
    second = [320, 390, 768, 1280].index(width) % 2
    for name, path in list((WIDGETS | HEADS).items())[second::2]:
        visit.go(page, path)
        page.evaluate(NEAR)
        found = page.locator(f"figure:has(metadata[data-touch={name}])")
        height = "(figure) => [figure.getBoundingClientRect().height, figure.dataset.touch]"
        before, state = found.evaluate(height)
        assert state is None, name
        after, _ = figure(page, name).evaluate(height)
        assert abs(after - before) <= 1, (name, before, after)


@pytest.mark.sample("pipeline", "mask-to-paint", "context-vector")
@pytest.mark.long
@WIDGET
def test_it_fits_and_axe_finds_nothing(visit: Visitor, name: str) -> None:
    found = opened(visit, name)
    page = found.page
    for width, scheme in ((1280, "light"), (390, "dark")):
        restyle(page, width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        options = {"rules": {"target-size": {"enabled": True}}}
        wrong = violations(page, options, "figure[data-touch]")
        assert [(rule["id"], node["html"]) for rule in wrong for node in rule["nodes"]] == []
        for target in found.locator("input, button, [role=slider]").all():
            box = target.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= 24
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
    # Colours of the system are kept.
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    for handle in found.locator("[role=slider]").all():
        style = handle.evaluate("e => [getComputedStyle(e).borderTopStyle, e.offsetWidth]")
        assert style == ["solid", 28]


@pytest.mark.sample("softmax-temperature", "pipeline", "single-query", "context-vector")
@pytest.mark.usually("softmax-temperature")
@WIDGET
def test_it_begins_as_drawn_and_every_control_works_by_keyboard(visit: Visitor, name: str) -> None:
    still = visit(WIDGETS[name], java_script_enabled=False)
    built = still.locator(f"figure:has(metadata[data-touch={name}])")
    expect(built.locator("svg")).to_be_visible()
    assert built.locator(".touch, [role=slider], input, button").count() == 0
    found = opened(visit, name)
    assert_same_drawing(built, found)
    page, start, said = found.page, drawn(found), words(found)
    assert said
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
    for radios in found.locator("fieldset").all():
        chosen = radios.locator(":checked")
        value = chosen.input_value()
        chosen.focus()
        page.keyboard.press("ArrowRight")
        assert radios.locator(":checked").input_value() != value
        expect(radios.locator(":checked")).to_be_focused()
    heard = {words(found)}
    for button in found.locator(".touch__buttons button").all()[:-1]:
        found.get_by_role("button", name="Reset").press("Enter")
        if button.get_attribute("aria-disabled") == "true":
            found.locator(".touch__buttons button").first.press("Enter")
        before = drawn(found)
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_be_focused()
        heard |= {words(found)}
        if button.inner_text() != "Causal":  # It is, at the start.
            assert drawn(found) != before
    for cell in found.locator(".touch__grid button").all()[:1]:
        cell.press("Enter")
    # A step back may lead to where all began.
    assert {*heard, words(found)} != {said}
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


@pytest.mark.sample(
    "mouse-1280-context-vector", "touch-390-softmax-temperature", "mouse-1280-dot-against-cosine"
)
@pytest.mark.long
@WIDGET
@pytest.mark.parametrize(("way", "width"), [("mouse", 1280), ("touch", 390)])
def test_every_handle_and_slider_can_be_dragged(
    visit: Visitor, name: str, way: str, width: int
) -> None:
    found = opened(visit, name, width=width, has_touch=way == "touch")
    page = found.page
    for slider in found.locator(SLIDER).all():
        # Where a handle has been moved to, it may lie on another one.
        found.get_by_role("button", name="Reset").dispatch_event("click")
        # Clear of what Material lays over the page above and below.
        slider.evaluate(CENTRE)
        scrolled = page.evaluate("scrollY")
        before = str(slider.get_attribute("aria-valuetext"))
        if slider.get_attribute("role"):
            # Upwards enough to scroll the page, if it did not keep the finger.
            WAYS[way](page, slider, (-25, -45))
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


@pytest.mark.long
def test_pages_without_one_load_the_loader_alone(visit: Visitor) -> None:
    assert (ROOT / "docs" / "javascripts" / "touch.js").stat().st_size <= 2048
    page = visit("key-matrix/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_load_state("networkidle")
    assert [url.removeprefix(visit.modules) for url in asked if url.startswith(visit.modules)] == [
        "touch.js"
    ]
    # A page that is loaded in place has its things to touch, too.
    page.locator("a[href$='softmax/']").first.dispatch_event("click")
    found = figure(page, "softmax-temperature")
    assert words(found)


@pytest.mark.long
def test_the_drawing_stays_where_the_module_fails(visit: Visitor) -> None:
    page = visit("key-matrix/")
    page.route(
        "**/softmax-temperature.js",
        lambda route: route.fulfill(body="throw new Error()", content_type="text/javascript"),
    )
    visit.go(page, "softmax/")
    found = page.locator("figure:has(metadata[data-touch=softmax-temperature])")
    found.scroll_into_view_if_needed()
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
    page = visit.modules_alone()
    rows = [*grid(1), *grid(6, seed=1), *grid(40, seed=2)]
    rows += [np.array([-np.inf, 1.0, -np.inf]), np.array([-np.inf, -np.inf])]
    for x in [*rows, np.array([1e300, -1e300])]:
        same(run(visit, page, "attention", "softmax", x), softmax(x))
    tau = np.logspace(-2, 2, 24)
    for x, t in zip(grid(4, seed=3), tau, strict=True):
        p = run(visit, page, "softmax-temperature", "shares", {"x": x, "tau": t})
        same(p, softmax(x / t))


def test_attention(visit: Visitor) -> None:
    page = visit.modules_alone()
    rng = np.random.default_rng(1)
    for n, (Q, K) in enumerate(zip(grid(3, 4), grid(5, 4, seed=1), strict=True)):
        V = rng.standard_normal((5, 2))
        mask = rng.random((3, 5)) < 0.6
        mask[n % 3] = False  # a query that may read nothing
        same(run(visit, page, "attention", "attention_scores", Q, K), attention_scores(Q, K))
        for attn_mask in (None, mask, mask[:1]):
            found = run(
                visit, page, "attention", "scaled_dot_product_attention", Q, K, V, attn_mask
            )
            expected = scaled_dot_product_attention(Q, K, V, attn_mask, return_weights=True)
            same(found["output"], expected[0])
            same(found["weights"], expected[1])
        found = run(
            visit, page, "attention", "scaled_dot_product_attention", Q, K, V, None, True, 0.3
        )
        same(found["output"], scaled_dot_product_attention(Q, K, V, is_causal=True, scale=0.3))
        S = attention_scores(Q, K)
        found = run(visit, page, "attention", "attention_weights", S, mask, 0.5)
        same(found, attention_weights(S, mask, 0.5))


def test_masks(visit: Visitor) -> None:
    page = visit.modules_alone()
    for n, m in ((1, 1), (4, 4), (2, 6), (6, 2)):
        assert run(visit, page, "attention", "causal_mask", n, m) == causal_mask(n, m).tolist()
    for length in range(5):
        found = run(visit, page, "attention", "padding_mask", length, 4)
        assert found == padding_mask(np.array(length), 4).tolist()


def test_positions(visit: Visitor) -> None:
    page = visit.modules_alone()
    for n, d_model in ((1, 2), (65, 8), (500, 32)):
        PE = sinusoidal_positions(n, d_model)
        same(run(visit, page, "attention", "sinusoidal_positions", n, d_model), PE)
    PE = sinusoidal_positions(97, 8)
    for position in (0, 1, 10, 64):
        pairs = run(visit, page, "rotation-of-positions", "pairs_at", position, 8)
        same(pairs, PE[position].reshape(4, 2))
        for move in (0, 3, 32):
            moved = run(visit, page, "rotation-of-positions", "moved", pairs, move)
            same(moved, PE[position + move].reshape(4, 2))
    for x in grid(10):
        for position in (0, 1, 1024):
            angles = rotary_angles(position, 8, 500.0)
            same(run(visit, page, "attention", "rotary_angles", position, 8, 500.0), angles)
            cos, sin = np.cos(angles), np.sin(angles)
            for interleaved in (False, True):
                found = run(visit, page, "attention", "rotate", x, cos, sin, interleaved)
                same(found, rotate(x[None], cos, sin, interleaved=interleaved)[0])


def test_measures(visit: Visitor) -> None:
    page = visit.modules_alone()
    for q, k in zip(grid(2), grid(2, seed=1), strict=True):
        same(run(visit, page, "attention", "dot_product", q, k), q @ k)
        cosine = q @ k / (np.linalg.norm(q) * np.linalg.norm(k))
        same(run(visit, page, "attention", "cosine", q, k), cosine)
    for x in grid(8, seed=2):
        alpha = softmax(x)
        J = np.diag(alpha) - np.outer(alpha, alpha)
        same(run(visit, page, "attention", "jacobian", alpha), J)
        same(run(visit, page, "attention", "jacobian_norm", alpha), np.linalg.norm(J))
        logs = np.log(np.where(alpha > 0, alpha, 1))
        same(run(visit, page, "attention", "entropy", alpha), -alpha @ logs)


def test_rows_and_walks(visit: Visitor) -> None:
    page = visit.modules_alone()
    for d_k in (1, 64, 1024):
        for scores in grid(8)[::4]:
            for name, divisor in (("none", 1), ("root", np.sqrt(d_k)), ("d_k", d_k)):
                found = run(visit, page, "scale-and-gradient", "row", scores, d_k, name)
                same(found["weights"], softmax(scores / divisor))
                same(found["norm"], np.linalg.norm(found["J"]))
    data = {"Q": ex.Q, "K": ex.K, "V": ex.V, "d_k": ex.d_k}
    for row in range(ex.n):
        found = run(visit, page, "single-query", "walk", data, row)
        same(found["scores"], ex.S[row])
        same(found["scaled"], ex.scaled_scores[row])
        same(found["weights"], ex.alpha[row])
        same(found["z"], ex.Z[row])
        same(run(visit, page, "context-vector", "context_vector", ex.alpha[row], ex.V), ex.Z[row])
    for weights in (ex.alpha[1], np.eye(6)[2]):
        for chosen, weight in ((2, 0.0), (2, 0.25), (2, 1.0), (4, 0.5)):
            found = run(visit, page, "context-vector", "reweighted", weights, chosen, weight)
            same(np.sum(found), 1)
            assert found[chosen] == weight
            others = np.delete(weights, chosen)
            if others.sum():
                same(np.delete(found, chosen), others * (1 - weight) / others.sum())


# --- Each of them -------------------------------------------------------------------------------


def shown(found: Locator, part: str) -> list[float]:
    """Return the numbers in the drawing's text."""
    texts = found.locator(f"[data-part='{part}']").all_text_contents()
    return [float(text.replace("−", "-").replace("-∞", "-inf")) for text in texts]


def numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


@pytest.mark.long
def test_temperature(visit: Visitor) -> None:
    found = opened(visit, "softmax-temperature")
    x = np.array([2.0, 1.0, 1.0, -2.0])
    assert shown(found, "share label") == softmax(x).round(2).tolist()
    found.locator("input").fill("-1")
    found.locator("[role=slider]").nth(1).press("Shift+ArrowRight")  # 1 further
    assert shown(found, "number label") == [2.0, 2.0, 1.0, -2.0]
    assert shown(found, "share label") == [0.5, 0.5, 0.0, 0.0]
    assert "or 0.00 after the division by τ" in words(found)
    found.locator("[role=slider]").first.press("End")
    assert shown(found, "number label")[0] == 4
    found.locator("[role=slider]").first.press("PageDown")
    found.locator("[role=slider]").first.press("PageDown")
    found.locator("input").fill("2")
    assert words(found).startswith("Nearly even: the largest share is 0.25")
    widths = found.locator("[data-part=share]").evaluate_all(
        "all => all.map((e) => +e.getAttribute('width'))"
    )
    x = np.array([2.0, 2.0, 1.0, -2.0])
    np.testing.assert_allclose(np.array(widths) / 126, softmax(x / 100), atol=1e-3)


@pytest.mark.long
def test_scale(visit: Visitor) -> None:
    found = opened(visit, "scale-and-gradient")
    data = gradient_data()
    for power, query, divisor in ((6, 0, "none"), (6, 0, "root"), (10, 1, "none"), (10, 1, "d_k")):
        found.get_by_role("button", name="Reset").click()
        found.locator("input[type=range]").fill(str(power))
        found.locator(f"input[value={divisor}]").check()
        for _ in range(query):
            found.get_by_role("button", name="Another").click()
        d_k = 2**power
        scores = data["scores"][power, query] / {"none": 1, "root": d_k**0.5, "d_k": d_k}[divisor]
        alpha = softmax(scores)
        gradient = np.linalg.norm(np.diag(alpha) - np.outer(alpha, alpha)) / 0.5
        expected = [d_k, scores.std(), alpha.max(), gradient]
        np.testing.assert_allclose(numbers(words(found))[:4], expected, atol=0.0051)
        assert ("dead" in words(found)) == (gradient / 2 < 0.01)
    assert "nearly even" in words(found)


@pytest.mark.long
def test_dot_against_cosine(visit: Visitor) -> None:
    found = opened(visit, "dot-against-cosine")
    assert words(found).startswith("They disagree. k1")
    first = found.locator("[role=slider]").nth(1)
    for _ in range(10):
        first.press("ArrowRight")
    q, keys = np.array([2.0, 1.0]), np.array([[2.6, 0.4], [1.0, 3.0]])
    assert first.get_attribute("aria-valuetext") == "2.6, 0.4"
    assert shown(found, "dot") == (keys @ q).round(2).tolist()
    lengths = np.linalg.norm(keys, axis=1)
    cosines = keys @ q / lengths / np.linalg.norm(q)
    assert shown(found, "cosine") == cosines.round(2).tolist()
    assert shown(found, "length") == lengths.round(2).tolist()
    assert words(found).startswith("Both measures prefer k1")
    # It stays in the plane, and never becomes so short that it has no direction.
    first.press("Home")
    for _ in range(4):
        first.press("Shift+ArrowDown")
    assert first.get_attribute("aria-valuetext") == "−4.0, −2.0"
    assert words(found).startswith("Both measures prefer k2")
    page = found.page
    box = first.bounding_box()
    scale = found.locator("svg").evaluate("e => e.getBoundingClientRect().width / 480")
    assert box
    drag(page, first, (4 * 54 * scale, -2 * 54 * scale))
    assert first.get_attribute("aria-valuetext") != "0.0, 0.0"


@pytest.mark.long
def test_no_letter_of_an_arrow_is_hidden_behind_a_handle(visit: Visitor) -> None:
    found = opened(visit, "dot-against-cosine", width=390)
    first = found.locator("[role=slider]").nth(1)
    clear = """(figure) => {
      const middle = (e) => {
        const box = e.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
      };
      const [handles, letters] = ["[role=slider]", "[data-part=name]"].map(
        (part) => [...figure.querySelectorAll(part)].map(middle));
      const apart = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);
      return Math.min(...letters.flatMap((letter, i) => [
        ...handles.map((handle) => apart(letter, handle)),
        ...letters.slice(i + 1).map((other) => apart(letter, other))]));
    }"""
    assert found.evaluate(clear) >= 20
    for key in ["ArrowUp"] * 3 + ["ArrowRight"] * 4 + ["ArrowUp"] * 3:  # onto the query at last
        first.press(key)
        assert found.evaluate(clear) >= 18, first.get_attribute("aria-valuetext")


def test_context_vector(visit: Visitor) -> None:
    found = opened(visit, "context-vector")
    data = context_data()
    V, alpha = data["V"], data["weights"]
    assert numbers(words(found))[1:3] == data["z"].round(3).tolist()
    found.locator("input").nth(1).fill("0.8")
    weights = np.delete(alpha, 1)
    weights = np.insert(weights * 0.2 / weights.sum(), 1, 0.8)
    assert numbers(words(found))[1:3] == (weights @ V).round(3).tolist()
    found.locator("input").nth(1).press("End")
    assert words(found).startswith("All weight is on money: z = (0.000, 1.000)")
    found.get_by_role("button", name="All even").click()
    assert words(found).startswith("All weights are 0.250: z = ")
    assert numbers(words(found))[1:3] == V.mean(axis=0).round(3).tolist()


@pytest.mark.long
def test_walk(visit: Visitor) -> None:
    found = opened(visit, "single-query")
    found.get_by_label("step", exact=True).check()
    press = found.get_by_role("button", name="First step").click
    press()
    visible = [["q"], [], ["scores"], [], ["weights"], ["z"]]
    for step in range(1, 7):
        assert words(found).startswith(f"Step {step} of 6.")
        for at, names in enumerate(visible):
            for name in names:
                group = found.locator(f"[data-part={name}] text").first
                expect(group).to_be_visible(visible=at < step)
        if step == 4:
            texts = found.locator("[data-part=scores] text").all_text_contents()
            assert texts == [f"{score:.2f}" for score in ex.scaled_scores[5]]
        if step < 6:
            found.get_by_role("button", name="Next step").click()
    assert found.locator("[data-part=weights] text").all_text_contents() == [
        f"{weight:.3f}" for weight in ex.alpha[5]
    ]
    assert f"({ex.Z[5, 0]:.2f}, {ex.Z[5, 1]:.2f})" in words(found)
    expect(found.get_by_role("button", name="Next step")).to_have_attribute("aria-disabled", "true")


@pytest.mark.long
def test_rotation(visit: Visitor) -> None:
    found = opened(visit, "rotation-of-positions")
    PE = sinusoidal_positions(97, 8)
    for position, move in ((10, 3), (64, 3), (64, 32), (0, 0)):
        found.locator("input").nth(0).fill(str(position))
        found.locator("input").nth(1).fill(str(move))
        assert shown(found, "angle") == [move, move / 10, move / 100, move / 1000]
        product = PE[position] @ PE[position + move]
        assert shown(found, "dot") == [round(product, 2)]
        assert f"position {position} to {position + move}" in words(found)


def weights_under(found: Locator) -> np.ndarray:
    return np.array(shown(found, "weight")).reshape(6, 6)


def assert_masked(found: Locator, mask: np.ndarray) -> None:
    part = slice(hand.BANK - 5, hand.BANK + 1)  # in the river . the bank
    weights = attention_weights(hand.S[part, part], mask, 1 / np.sqrt(hand.d_k))
    np.testing.assert_allclose(weights_under(found), np.where(mask, weights, -np.inf), atol=0.0051)
    assert shown(found, "sum") == mask.any(axis=1).astype(float).tolist()
    pressed = found.locator(".touch__grid button").evaluate_all(
        "all => all.map(e => e.ariaPressed)"
    )
    assert pressed == [str(bool(each)).lower() for each in mask.ravel()]


@pytest.mark.usually("touch")
@pytest.mark.parametrize("way", ["mouse", "touch", "keyboard"])
def test_a_mask_is_painted(visit: Visitor, way: str) -> None:
    found = opened(visit, "mask-to-paint", width=390, has_touch=way == "touch")
    page, cells = found.page, found.locator(".touch__grid button")
    mask = causal_mask(6)
    assert_masked(found, mask)
    found.scroll_into_view_if_needed()
    # One cell of the first row, and the two of the second.
    if way == "keyboard":
        cells.first.focus()
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Space")
        assert page.evaluate("document.activeElement.tabIndex") == 0
        assert found.locator(".touch__grid [tabindex='0']").count() == 1
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    else:
        cells.nth(5).click() if way == "mouse" else cells.nth(5).tap()
        box = cells.nth(6).bounding_box()
        assert box
        WAYS[way](page, cells.nth(6), (box["width"], 0))
    mask[0, 5], mask[1, :2] = True, False
    assert_masked(found, mask)
    assert words(found).startswith("Row 2, “the”, may read from nothing: all its weights are 0.")
    assert "Some token may read from a later one." in words(found)
    # A cell is a button again after a stroke.
    cells.nth(6).press("Enter")
    mask[1, 0] = True
    assert_masked(found, mask)
    found.get_by_role("button", name="Both").click()
    assert_masked(found, causal_mask(6) & padding_mask(np.array(4), 6)[0])
    assert "the mask is causal" in words(found)


STEP_IS_SEEN = """() => {
  const now = document.querySelector("[data-when=now]").getBoundingClientRect();
  const panel = document.querySelector(".touch[data-announced]").getBoundingClientRect();
  const seen = now.top >= 48 && now.bottom <= panel.top + 1;
  return seen && panel.bottom <= innerHeight + 1;
}"""


@pytest.mark.sample("390-reduce")
@pytest.mark.long
@pytest.mark.parametrize(("width", "motion"), [(1280, "no-preference"), (390, "reduce")])
def test_the_pipeline_is_described_in_steps(visit: Visitor, width: int, motion: str) -> None:
    found = opened(visit, "pipeline", width=width, reduced_motion=motion, has_touch=width == 390)
    page, forward = found.page, found.get_by_role("button", name="Next")
    scores = hand.Q[hand.BANK] @ hand.K.T
    scaled = scores / np.sqrt(hand.d_k)
    exps = np.exp(scaled)
    weights = softmax(scaled)
    # What the words of each step must say, computed here from the snippets.
    announced = [
        hand.X[hand.BANK],
        hand.Q[hand.BANK],
        [scores.max(), scores.min()],
        [scores.max(), scaled.max().round(2)],
        [exps.max().round(1), 1.0, exps.sum().round(1)],
        [weights.max().round(2), weights.min().round(4)],
        (weights @ hand.V).round(2),
    ]
    for step, numbers in enumerate(announced, 1):
        (forward.tap if width == 390 else forward.click)()
        text = words(found)
        assert text.startswith(f"Step {step} of 7")
        given = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]
        wanted = [float(number) for number in numbers]
        assert any(given[at : at + len(wanted)] == wanted for at in range(len(given))), text
        when = found.locator("[data-when]").evaluate_all("all => all.map((e) => e.dataset.when)")
        assert when == ["before"] * (step - 1) + ["now"] + ["after"] * (7 - step)
        # What is computed now is seen above the words, which are seen, too.
        page.wait_for_function(STEP_IS_SEEN)
    expect(forward).to_have_attribute("aria-disabled", "true")
    forward.focus()
    page.keyboard.press("ArrowLeft")
    assert words(found).startswith("Step 6 of 7")
    duration = found.locator("[data-when]").first.evaluate("e => getComputedStyle(e).transition")
    assert ("0.25s" in duration) == (motion != "reduce")


@pytest.mark.long
def test_a_step_comes_into_sight_where_something_ends_the_movement(visit: Visitor) -> None:
    found = opened(visit, "pipeline")
    page, forward = found.page, found.get_by_role("button", name="Next")
    forward.evaluate("(button) => { for (let step = 0; step < 6; step += 1) button.click() }")
    page.wait_for_function(STEP_IS_SEEN)
    # The first step is far above the sixth.
    found.evaluate(
        """async (figure) => {
          const [, back] = figure.querySelectorAll("button");
          for (let step = 0; step < 5; step += 1) back.click();
          await new Promise((begun) => addEventListener("scroll", begun, { once: true }));
          scrollBy({ top: 1, behavior: "instant" });
        }"""
    )
    page.wait_for_function(STEP_IS_SEEN)
    assert words(found).startswith("Step 1 of 7")


@pytest.mark.long
def test_a_drag_is_read_out_when_it_rests(visit: Visitor) -> None:
    found = opened(visit, "softmax-temperature")
    announced = found.locator(".touch__words")
    announced.evaluate(
        """(words) => {
          window.announced = [];
          const add = () => announced.push([words.getAttribute("aria-live"), words.textContent]);
          const every = { childList: true, characterData: true, subtree: true };
          new MutationObserver(add).observe(words, every);
        }"""
    )
    slider = found.locator("input[type=range]").first
    for _ in range(6):
        slider.press("ArrowRight")
    found.page.wait_for_function("announced.some(([live]) => live === 'polite')")
    expect(announced).to_have_attribute("aria-live", "off")
    every = found.page.evaluate("announced")
    assert [live for live, _ in every].count("off") == 6
    assert [text for live, text in every if live == "polite"] == [announced.text_content()]
