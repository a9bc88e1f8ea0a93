"""Each figure that can be touched shows the numbers of the snippets."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, expect
from touching import (
    WAYS,
    assert_same_drawing,
    drag,
    drawn,
    opened,
    reset,
    words,
)
from visitor import Visitor

from figures.mixing import context_data
from figures.scaling import gradient_data
from snippets import bank_by_hand as hand
from snippets import running_example as ex
from snippets.attention import (
    attention_weights,
)
from snippets.feed_forward import feed_forward
from snippets.masks import causal_mask, padding_mask
from snippets.multi_head import multi_head_attention
from snippets.positional_encoding import sinusoidal_positions
from snippets.softmax import softmax


def shown(found: Locator, part: str) -> list[float]:
    """Return the numbers in the drawing's text."""
    texts = found.locator(f"[data-part='{part}']").all_text_contents()
    return [float(text.replace("−", "-").replace("-∞", "-inf")) for text in texts]


def numbers(text: str) -> list[float]:
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("−", "-"))
    return [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?", plain)]


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
        reset(found)
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
    scale = found.locator("svg").evaluate("e => e.getBoundingClientRect().width / 492")
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


@pytest.mark.long
def test_no_word_of_the_plane_is_hidden_behind_a_handle(visit: Visitor) -> None:
    found = opened(visit, "two-banks", width=390)
    apart = """(figure) => {
      const words = ["name", "bank name", "new name"].flatMap(
        (part) => [...figure.querySelectorAll(`[data-part="${part}"]`)]);
      const boxes = words.map((word) => word.getBoundingClientRect());
      const gaps = [...figure.querySelectorAll("[role=slider]")].flatMap((handle) => {
        const ring = handle.getBoundingClientRect();
        const [x, y] = [ring.x + ring.width / 2, ring.y + ring.height / 2];
        return boxes.map((box) => Math.hypot(
          Math.max(box.left - x, 0, x - box.right),
          Math.max(box.top - y, 0, y - box.bottom)) - ring.width / 2);
      });
      return Math.min(...gaps);
    }"""
    assert found.evaluate(apart) >= 1


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
    expect(found.get_by_role("button", name="Next step")).to_have_count(0)


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
    causal = found.get_by_role("radio", name="Causal")
    expect(causal).not_to_be_checked()  # it has been painted over
    both = found.get_by_role("radio", name="Both")
    both.check(force=True)
    assert_masked(found, causal_mask(6) & padding_mask(np.array(4), 6)[0])
    assert "the mask is causal" in words(found)


PICTURE_IS_SEEN = """() => {
  const stage = document.querySelector(".touch--zoomed .touch__stage").getBoundingClientRect();
  const panel = document.querySelector(".touch--zoomed .touch").getBoundingClientRect();
  const below = stage.bottom - innerHeight;
  return panel.bottom <= stage.top && panel.top >= 48 && below <= stage.height / 3;
}"""
#: Words and numbers of what is computed now that are cut off: none, heads and names included.
CUT_OFF = """(figure) => {
  const stage = figure.querySelector(".touch__stage").getBoundingClientRect();
  const inside = ({ left, right, top, bottom }) =>
    left >= stage.left && right <= stage.right && top >= stage.top && bottom <= stage.bottom;
  return [...figure.querySelectorAll("[data-part^=inside]:not([display]) text")]
    .filter((text) => !inside(text.getBoundingClientRect())).map((text) => text.textContent);
}"""
AROUND = {"around", "beyond Head"}
ARRIVED = """([x, y, width]) => {
  const seen = document.querySelector(".touch--zoomed svg").viewBox.baseVal;
  const off = [seen.x + seen.width / 2 - x, seen.y + seen.height / 2 - y, seen.width - width];
  return Math.max(...off.map(Math.abs)) < 0.01 * width;
}"""


@pytest.mark.sample("390-reduce")
@pytest.mark.long
@pytest.mark.parametrize(("width", "motion"), [(1280, "no-preference"), (390, "reduce")])
def test_the_pipeline_is_one_zoom(visit: Visitor, width: int, motion: str) -> None:
    found = opened(visit, "pipeline", width=width, reduced_motion=motion, has_touch=width == 390)
    page, forward = found.page, found.get_by_role("button", name="Next")
    bank = hand.BANK
    scores = hand.Q[bank] @ hand.K.T
    scaled = scores / np.sqrt(hand.d_k)
    exps = np.exp(scaled)
    weights = softmax(scaled)
    read = hand.X + multi_head_attention(hand.X, hand.X, hand.X, hand.heads, 2)
    settled = read + feed_forward(read, hand.W_1, hand.b_1, hand.W_2, hand.b_2)
    # What the words of each stop must say, computed here from the snippets.
    told = {
        "text": [hand.n],
        "token": hand.X[bank],
        "query": hand.Q[bank],
        "key": hand.K[6],
        "value": hand.V[6],
        "scores": [scores.max(), scores.min()],
        "scaling": [scores.max(), scaled.max().round(2)],
        "softmax": [exps.max().round(1), 1.0, exps.sum().round(1)],
        "weights": [weights.max().round(2), weights.min().round(4)],
        "output": (weights @ hand.V).round(2),
        "head": [hand.n],
        "block": [read[bank, 2].round(2), settled[bank, 2].round(2)],
        "model": [2, 2],
    }
    places = found.evaluate("f => JSON.parse(f.querySelector('[data-touch]').textContent).steps")
    assert [place["title"].lower() for place in places] == [*told]
    for step, (title, wanted) in enumerate(told.items(), 1):
        (forward.tap if width == 390 else forward.click)()
        text = words(found)
        assert text.startswith(f"Step {step} of {len(told)}, {title}.")
        given = numbers(text)
        row = [float(number) for number in wanted]
        assert any(given[at : at + len(row)] == row for at in range(len(given))), text
        place = places[step - 1]
        when = found.locator("[data-when]").evaluate_all("all => all.map((e) => e.dataset.when)")
        at = place["step"]
        assert when == ((at and ["before"] * (at - 1) + ["now"] + ["after"] * (7 - at)) or [])
        inside = found.locator("[data-part^=inside]:not([display])")
        assert [each.get_attribute("data-part") for each in inside.all()] == (
            [f"inside {place['title']}"] if at else []
        )
        expect(found.locator("[data-part=around]:not([display])")).to_have_count(0 if at else 1)
        page.wait_for_function(PICTURE_IS_SEEN)
        page.wait_for_function(ARRIVED, arg=place["at"])
        assert found.evaluate(CUT_OFF) == []
        # Of the heads of a block, none is named where one of them fills the picture.
        beyond = found.locator("[data-part='beyond Head'] text").first
        assert beyond.is_visible() == (title in ("block", "model"))
        # The Tab key stops at no link that is out of sight.
        links = found.locator("svg a:not([tabindex])").evaluate_all(
            "all => all.map((a) => a.closest('[data-part]').dataset.part)"
        )
        assert set(links) <= ({f"step {at}", f"inside {place['title']}"} if at else AROUND)
        # The stop leads to its note.
        link = found.locator(".touch__note")
        expect(link).to_have_text(f"Note: {place['note']}")
        address = link.evaluate("link => link.href")
        assert page.request.get(address).ok
    expect(forward).to_have_attribute("aria-disabled", "true")
    forward.focus()
    page.keyboard.press("ArrowLeft")
    assert words(found).startswith(f"Step {len(told) - 1} of {len(told)}")
    found.get_by_role("slider").press("Home")
    assert words(found).startswith("One zoom")
    expect(found.locator("svg")).to_have_attribute("viewBox", "-3.7 0 480.3 822")


@pytest.mark.long
def test_paper_shows_the_whole_pipeline(visit: Visitor) -> None:
    found = opened(visit, "pipeline", reduced_motion="reduce")
    page, start = found.page, drawn(found)
    for _ in range(3):
        found.get_by_role("button", name="Next").click()
    zoomed, place = drawn(found), found.locator("svg").get_attribute("viewBox")
    page.emulate_media(media="print")
    expect(found.locator("svg")).to_have_attribute("viewBox", "-3.7 0 480.3 822")
    assert_same_drawing(drawn(found), start)
    page.emulate_media(media="screen")
    expect(found.locator("svg")).to_have_attribute("viewBox", str(place))
    assert_same_drawing(drawn(found), zoomed)


@pytest.mark.sample("390")
@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 390])
def test_next_stays_where_it_is_at_each_step(visit: Visitor, width: int) -> None:
    found = opened(visit, "pipeline", width=width, reduced_motion="reduce")
    forward = found.get_by_role("button", name="Next")
    forward.evaluate("(b) => { b.scrollIntoView(); scrollBy(0, -100) }")
    top = "async (b) => (await new Promise(requestAnimationFrame), b.getBoundingClientRect().top)"
    before = forward.evaluate(top)
    while forward.get_attribute("aria-disabled") == "false":
        forward.evaluate("(b) => b.click()")
        assert abs(forward.evaluate(top) - before) <= 1


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
