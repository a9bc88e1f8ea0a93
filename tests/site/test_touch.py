"""Figures that can be touched: by mouse, finger and keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from touching import (
    CENTRE,
    HEADS,
    SLIDER,
    WAYS,
    WIDGET,
    WIDGETS,
    assert_same_drawing,
    drawn,
    figure,
    opened,
    reset,
    words,
)
from visitor import NEAR, ROOT, Visitor, restyle, violations


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


@pytest.mark.sample("320")
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


#: The controls of a figure in the order of the Tab key: p(rimary), b(utton), s(lider), c(hoice).
KINDS = """(figure) => [...figure.querySelectorAll(
  ".touch__controls button, .touch__controls input, .touch__reset, form button")].map((each) =>
    each.matches(".touch__reset") ? "R" : each.matches(".touch__primary") ? "p"
    : each.matches("button:not([aria-pressed])") ? "b" : each.matches("[type=range]") ? "s"
    : each.matches("[type=text]") ? "" : "c").join("")"""


#: Whether all controls are above all that they change.
ABOVE = """(figure) => {
  const shown = (selector) => [...figure.querySelectorAll(selector)]
    .map((each) => each.getBoundingClientRect()).filter(({ height }) => height);
  const controls = shown(".touch__controls, form");
  const seen = shown(`svg:has(metadata[data-touch]), .heads__lines, .heads__grid, .heads__output,
    .own__result`);
  const first = Math.min(...seen.map(({ top }) => top));
  return seen.length > 0 && controls.every(({ bottom }) => bottom <= first + 1);
}"""


@pytest.mark.sample("390")
@pytest.mark.long
@pytest.mark.parametrize("width", [390, 1280])
def test_all_controls_have_one_order(visit: Visitor, width: int) -> None:
    page = visit(width=width)
    for name, path in (WIDGETS | HEADS).items():
        visit.go(page, path)
        found = figure(page, name)
        assert re.fullmatch("p?b*s*c*R", found.evaluate(KINDS)), name
        assert found.evaluate(ABOVE), name
        again = found.locator(".touch__reset")
        expect(again).to_be_hidden()
        place = "(each) => [each.offsetLeft, each.offsetWidth]"
        before = again.evaluate(place)
        control = found.locator(".touch__controls :is(button, input):visible, [role=slider]").last
        pressed = control.evaluate("e => e.matches('button, [type=radio]') ? 'Space' : 'ArrowUp'")
        control.press(pressed)
        expect(again).to_be_visible()
        assert again.evaluate(place) == before, name
        box = again.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= (36 if width == 390 else 24)
        again.click()
        expect(again).to_be_hidden()


#: Where options and sliders begin that are beside their names.
GRID = """(figure) => {
  const all = (selector) => [...figure.querySelectorAll(selector)]
    .filter((each) => each.getClientRects().length);
  const place = (each) => each.getBoundingClientRect();
  const beside = all(".touch__controls :is(.touch__options, [type=range])").filter((each) =>
    place(each).top < place(each.parentElement.firstElementChild).bottom);
  return [...new Set(beside.map((each) => Math.round(place(each).left)))];
}"""

#: The controls that a finger may miss: those that it hits in less than 44 pixels across or down
#: through their middle. A small cell is left out where a slider or a choice does the same.
MISSED = """(figure) => {
  figure.querySelectorAll("details").forEach((each) => { each.open = true; });
  const ways = [[-1, 0], [1, 0], [0, -1], [0, 1]];
  const reach = (control) => {
    const whole = control.closest("label") ?? control;
    const box = (control.matches("[type=radio]") ? whole : control).getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const hit = (dx, dy) => {
      const found = document.elementFromPoint(x + dx, y + dy);
      return found && (whole.contains(found) || found.closest("label") === whole);
    };
    const [left, right, up, down] = ways.map(([dx, dy]) => {
      let far = 0;
      while (far < 40 && hit(dx * (far + .25), dy * (far + .25))) far += .25;
      return far;
    });
    return Math.min(left + right, up + down);
  };
  const found = [...figure.querySelectorAll("button, input, textarea, summary, [role=slider]")];
  return found.filter((each) => {
    if (each.closest(".heads__grid, .sentence .heads__asks")) return false;
    if (!each.checkVisibility({ visibilityProperty: true })) return false;
    each.scrollIntoView({ block: "center" });
    return reach(each) < 43;
  }).map((each) => each.outerHTML);
}"""


@pytest.mark.long
def test_on_a_phone_controls_are_in_one_grid(visit: Visitor) -> None:
    page = visit(width=390)
    for name, path in (WIDGETS | HEADS).items():
        if name == "pipeline":  # has one control with a name
            continue
        visit.go(page, path)
        columns = figure(page, name).evaluate(GRID)
        assert len(columns) <= 1, (name, columns)


@pytest.mark.long
def test_a_finger_hits_every_control(visit: Visitor) -> None:
    page = visit(width=390)
    for name, path in (WIDGETS | HEADS).items():
        visit.go(page, path)
        # Two arrows that begin near each other share what is between their ends.
        missed = [html for html in figure(page, name).evaluate(MISSED) if "query q" not in html]
        assert missed == [], name
    # On a tablet, too.
    page = visit("a-head-that-learns/", width=1024, has_touch=True, is_mobile=True)
    assert figure(page, "trained-head").evaluate(MISSED) == []


@pytest.mark.long
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
@pytest.mark.parametrize("name", ["pipeline", "single-query"])
def test_a_step_its_words_and_its_picture_are_on_one_screen(
    visit: Visitor, name: str, width: int, height: int
) -> None:
    found = opened(visit, name, width=width, reduced_motion="reduce")
    found.page.set_viewport_size({"width": width, "height": height})
    onward = found.locator(".touch__primary")
    onward.evaluate("e => { e.scrollIntoView(); scrollBy(0, -70); }")
    before = words(found)
    for _ in range(3):
        onward.press("Enter")
        assert words(found) != before
        expect(onward).to_be_in_viewport(ratio=1)
        expect(found.locator(".touch__words")).to_be_in_viewport(ratio=1)
        expect(found.locator(".touch__stage")).to_be_in_viewport(ratio=0.95)


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
    for button in found.locator(".touch__buttons button").all():
        reset(found)
        if button.get_attribute("aria-disabled") == "true":
            found.locator(".touch__buttons button").first.press("Enter")
        before = drawn(found)
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_be_focused()
        heard |= {words(found)}
        assert drawn(found) != before
    for cell in found.locator(".touch__grid button").all()[:1]:
        cell.press("Enter")
    # A step back may lead to where all began.
    assert {*heard, words(found)} != {said}
    now = words(found)
    assert found.locator("svg").get_attribute("aria-label") == (label if now == said else now)
    if now != said:
        again = found.get_by_role("button", name="Reset")
        again.focus()
        page.keyboard.press("Enter")
        expect(again).to_be_focused()
    assert words(found) == said
    assert found.locator("svg").get_attribute("aria-label") == label
    assert_same_drawing(start, found)


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
        found.locator(".touch__reset").dispatch_event("click")
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
        # The picture that is zoomed is brought into sight.
        assert page.evaluate("scrollY") == scrolled or name == "pipeline"


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
