"""What a reader's edit changes on a page, and what it does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checking import BOOT, EQUATION, RUN, cell, edit, load, opened, said, start
from playwright.sync_api import Page, expect
from visitor import Visitor


@pytest.mark.long
def test_an_edit_makes_what_rests_on_it_fall(ready: Page) -> None:
    page = ready
    load(page)
    edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k"))
    # No button is needed: what is below follows the edit.
    expect(said(page)).to_contain_text("1 formula no longer holds", timeout=RUN)
    fallen = page.locator(".vk-math[data-outcome=fails]")
    assert fallen.count() == 1
    assert r"\frac" in str(fallen.first.locator("math").get_attribute("data-tex"))
    colours = "getComputedStyle(e).color"
    red, plain = (
        page.locator(which).first.evaluate(f"e => {colours}")
        for which in (".vk-math[data-outcome=fails]", ".vk-math[data-outcome=holds]")
    )
    assert red != plain
    # At the foot, only what has fallen is red.
    expect(said(page).locator("strong")).to_have_text("1 formula no longer holds")
    assert said(page).evaluate(f"e => {colours}") != red
    assert said(page).locator("strong").evaluate(f"e => {colours}") == red
    # So is the line at the edited block.
    fails = page.locator(".vk-cell__said > strong")
    expect(fails).to_have_text("1 formula no longer holds")
    assert fails.evaluate(f"e => {colours}") == red
    why = page.locator(f"#{fallen.first.get_attribute('aria-describedby')}")
    expect(why).to_contain_text(
        "The formula in “One entry at a time” does not hold: its two sides differ by up to"
    )
    # An array is shown in rows.
    assert re.search(r"Left side:\n+\[\[[\d. ]+\]\n \[", why.inner_text())
    sign = "getComputedStyle(e, '::before').content"
    assert fallen.first.evaluate(f"e => {sign}") == '"✗"'
    # The box at the formula says the same, not what the build had found.
    fallen.first.hover()
    expect(page.locator(".vk-box__title")).to_have_text("Does not hold; the reason is below")
    page.mouse.move(2, 2)
    # An output that has changed is no failure.
    expect(page.locator(".vk-now", has_text="With your edit").first).to_contain_text(
        re.compile(r"bank\s+0\.88\s+0\.02")
    )
    for width in (390, 1280):  # as it was
        page.set_viewport_size({"width": width, "height": 900})
        larger, right, wider = page.evaluate(BESIDE)
        assert (larger, abs(right) <= 2, wider) == (0, True, 0), (width, right)


#: How much larger the letters of a new output are than those of the published one, how far to
#: their right they begin, and how much room is around a word that differs.
BESIDE = """() => {
  const now = [...document.querySelectorAll("div.vk-now")].find(
    (box) => box.querySelector("pre") && box.previousElementSibling.matches(".output"));
  const size = (e) => parseFloat(getComputedStyle(e).fontSize);
  const edge = (e) => e.getBoundingClientRect().left + parseFloat(getComputedStyle(e).paddingLeft);
  const [mine, old] = [now.querySelector("pre"),
    now.previousElementSibling.querySelector("pre > code")];
  const room = parseFloat(getComputedStyle(now.querySelector("mark")).paddingLeft);
  return [size(mine) - size(old), Math.round(edge(mine) - edge(old)), room];
}"""


#: A note, a block, an edit of it, a figure, and a label that it has only with the edit.
FIGURES_EDITED = (
    ("Softmax", "by the sum", ("array([2.0", "array([3.0"), "softmax", "20.09"),
    (
        "Query Matrix",
        "looks_for",
        ("looks_for =", "W_Q = W_Q / 3\nlooks_for ="),
        "query-matrix",
        "2.7",
    ),
    ("Attention Weights", "alpha =", ("np.sqrt(d_k)", "4"), "attention-weights", "0.42"),
)


@pytest.mark.long
def test_an_edit_draws_figures_again_and_reset_brings_them_back(
    ready: Page, loaded: Visitor
) -> None:
    page = ready
    for title, block, change, figure, label in FIGURES_EDITED:
        opened(page, loaded, title, run=False)
        published_svg = page.locator(f"[data-figure='{figure}.svg'] svg")
        published = published_svg.locator("text")
        texts = published.all_text_contents()
        assert label not in texts
        load(page)
        expect(page.locator(".vk-pair")).to_have_count(0)
        edit(page, block, change)
        pair = page.locator(".vk-pair", has=page.locator(f"[data-figure='{figure}.svg']"))
        new = pair.locator(".vk-now svg")
        changed = new.locator("text.vk-changed", has_text=label).first
        expect(changed).to_be_visible(timeout=RUN)
        old, now = published_svg.bounding_box(), new.bounding_box()
        assert old
        assert now
        assert abs(now["width"] - old["width"]) < 2
        assert now["y"] > old["y"] + old["height"]
        assert published.all_text_contents() == texts
        expect(said(page)).to_contain_text(re.compile(r"\d figures?"))
        # There is one figure to touch, the published one.
        expect(page.locator(".vk-now [data-touch]")).to_have_count(0)
        expect(new).to_have_attribute("aria-label", re.compile("^With your edit: "))
        ids = "[...document.querySelectorAll('[id]')].map((part) => part.id)"
        assert page.evaluate(f"(new Set({ids})).size === {ids}.length")
        page.get_by_role("button", name="Reset the page").click()
        expect(page.locator(".vk-pair, .vk-now")).to_have_count(0)
        assert published.all_text_contents() == texts


@pytest.mark.long
def test_each_number_that_changes_shows_its_new_value(
    ready: Page,
    loaded: Visitor,
    checked: None,  # noqa: ARG001
) -> None:
    page = opened(ready, loaded, "Softmax")
    question = page.locator("[data-check=prediction-2] > p", has_text="begins with")
    before = question.text_content() or ""
    block = edit(page, "by the sum", ("array([2.0", "array([3.0"))
    # The number that has changed, not the last one, which the comment is behind.
    expect(question).to_contain_text("begins with 2\u00a0→\u00a03 and 1. ", timeout=RUN)
    expect(question.locator("[data-outcome=changed]")).to_have_count(0)
    five = page.locator("[data-check=sentence-8]")
    expect(five).to_have_attribute("data-now", "7 with your edit, 6 without it")
    # The block where one types says how much has changed, and leads there.
    expect(block.locator(".vk-cell__said")).to_contain_text(
        re.compile(r"5 outputs, \d numbers, 2 figures")
    )
    # The first question names all numbers of the block.
    asked = page.locator("[data-check=prediction-0] > p", has_text="Divide each")
    expect(asked).to_contain_text("numbers 2\u00a0→\u00a03, 1, 1 and −2 by")
    assert page.locator("[data-check=sentence-7]").get_attribute("data-now") is None
    page.get_by_role("button", name="Reset the page").click()
    expect(page.locator("ins.vk-now")).to_have_count(0)
    assert question.text_content() == before


@pytest.mark.long
def test_a_whole_number_that_becomes_a_decimal_is_shown_as_one(
    ready: Page,
    loaded: Visitor,
    checked: None,  # noqa: ARG001
) -> None:
    page = opened(ready, loaded, "Softmax")
    asked = page.locator("[data-check=prediction-0] > p", has_text="Divide each")
    edit(page, "by the sum", ("2.0, 1.0, 1.0, -2.0", "2.5, 1.0, 1.0, -2.6"))
    expect(asked).to_contain_text(
        "numbers 2\u00a0→\u00a02.5, 1, 1 and −2\u00a0→\u00a0−2.6 by", timeout=RUN
    )
    page.get_by_role("button", name="Reset the page").click()


@pytest.mark.long
def test_words_that_an_edit_leaves_behind_say_so(ready: Page, loaded: Visitor) -> None:
    page = opened(ready, loaded, "Layer Normalization")
    edit(page, "gamma, beta = np.ones", ("1.0, 2.0, 3.0, 4.0", "5.0, 2.0, 3.0, 7.5"))
    told = page.locator("ins.vk-now", has_text="as before your edit")
    # It is in another section, and names another number of the edited line, too.
    expect(page.locator("p", has=told)).to_contain_text(
        "The numbers 1 (as before your edit) to 4\u00a0→\u00a07.5 are multiplied", timeout=RUN
    )
    # The ticks of a figure, and the numbers of another block, are other numbers.
    expect(page.locator("p", has_text="A token has the numbers 1, 1 and 4.")).to_have_count(1)
    expect(page.locator("svg ins")).to_have_count(0)
    page.get_by_role("button", name="Reset the page").click()
    expect(told).to_have_count(0)


@pytest.mark.long
def test_changes_in_hidden_parts_of_a_figure_are_listed(ready: Page, loaded: Visitor) -> None:
    page = opened(ready, loaded, "Self Attention")
    edit(page, "S, d_k = Q", ("np.sqrt(d_k)", "d_k"))
    expect(page.locator(".vk-pair .vk-now > p")).to_contain_text(
        re.compile(r"Inside Softmax: \d+\.\d+ → \d+\.\d+"), timeout=RUN
    )
    page.get_by_role("button", name="Reset the page").click()


@pytest.mark.long
def test_what_several_edits_change_is_counted_at_the_last_one(ready: Page, loaded: Visitor) -> None:
    page = opened(ready, loaded, "Softmax")
    edit(page, "by the sum", ("array([2.0", "array([3.0"))
    # The first edit still runs.
    last = edit(page, "c = 100", ("100.0", "50.0"))
    counts = page.locator(".vk-cell__said", has_text=re.compile(r"\d+ outputs, \d+ numbers"))
    for _ in range(2):
        expect(last.locator(".vk-cell__said")).to_have_text(
            re.compile(r"^\d outputs, \d+ numbers, \d figures"), timeout=RUN
        )
        expect(counts).to_have_count(1)
        expect(page.get_by_role("button", name="Next")).to_have_count(1)
        page.reload()  # and what was found is shown again
        last = page.locator(f"[data-check={last.get_attribute('data-check')}]")
    page.get_by_role("button", name="Reset the page").click()


#: Whether the bar at the foot of the screen is over a change that fits above it.
COVERED = """() => {
  const bar = document.querySelector(".vk-steps--away")?.getBoundingClientRect();
  const change = document.querySelector(".vk-at").getBoundingClientRect();
  return bar && change.height < innerHeight / 2 && change.bottom > bar.top + 1 || false;
}"""
#: How far the end of the page is above that bar.
ABOVE_BAR = """() => {
  scrollTo({ top: document.body.scrollHeight, behavior: "instant" });
  const end = document.querySelector("footer").getBoundingClientRect().bottom;
  return document.querySelector(".vk-steps--away").getBoundingClientRect().top - end;
}"""


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 390])
def test_a_control_leads_from_change_to_change(ready: Page, loaded: Visitor, width: int) -> None:
    ready.set_viewport_size({"width": width, "height": 844})
    page = opened(ready, loaded, "Softmax")
    block = edit(page, "by the sum", ("array([2.0", "array([3.0"))
    onward = block.get_by_role("button", name="Next")
    expect(onward).to_have_text(re.compile(r"\(\d+ of \d+\)"), timeout=RUN)
    expect(onward).to_be_in_viewport()
    first, many = map(int, re.findall(r"\d+", onward.inner_text()))
    counts = re.findall(r"\d+", block.locator(".vk-cell__said").inner_text())
    assert many == sum(map(int, counts))
    onward.focus()
    places = []
    for at in range(many):
        page.keyboard.press("Enter")
        shown = page.locator(".vk-at")
        expect(shown).to_have_count(1)
        expect(shown).to_be_in_viewport()
        # It stays on the screen, where it can be pressed again.
        expect(onward).to_be_in_viewport(ratio=1)
        expect(onward).to_be_focused()
        expect(onward).to_contain_text(f"({(first + at) % many + 1} of {many})")
        places.append(shown.evaluate("e => e.getBoundingClientRect().top + scrollY"))
        assert not page.evaluate(COVERED)
    below = places[: many - first + 1]
    assert below == sorted(below)
    back = page.get_by_role("button", name="Back to the code")
    for _ in range(many // 2):
        page.keyboard.press("Enter")
    expect(page.locator(".vk-at")).to_be_in_viewport()
    if width == 390:
        assert page.evaluate(ABOVE_BAR) >= -1
    back.click()
    expect(block.locator("[contenteditable]")).to_be_in_viewport()
    page.get_by_role("button", name="Reset the page").click()
    expect(onward).to_have_count(0)
    expect(page.locator(".vk-at")).to_have_count(0)
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.long
def test_an_output_that_is_a_table_stays_one(ready: Page, loaded: Visitor) -> None:
    page = opened(ready, loaded, "Query Matrix")
    edit(page, "looks_for =", ("looks_for =", "W_Q = W_Q * 2\nlooks_for ="))
    # Only then are all results in their places.
    expect(said(page)).to_contain_text("With your edit", timeout=RUN)
    table = page.locator(".vk-now table").first
    expect(table.get_by_role("row", name="asks").locator("mark")).to_have_text(
        ["16", "16"], timeout=RUN
    )
    old = page.locator("[data-check=output-0] table")
    assert table.locator("mark").count() == 2
    assert table.locator("th").all_inner_texts() == old.locator("th").all_inner_texts()
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        left, right = (
            one.get_by_role("columnheader", name="place?").bounding_box() for one in (old, table)
        )
        assert left
        assert right
        assert abs(left["x"] + left["width"] - right["x"] - right["width"]) < 2


@pytest.mark.long
def test_the_summary_at_a_block_with_the_same_output_is_not_green(
    ready: Page, loaded: Visitor
) -> None:
    page = opened(ready, loaded, "Causal and Padding Masks")
    words = "in the river . the bank"
    block = edit(page, "causal_mask\\(n", (words, " ".join(reversed(words.split()))))
    expect(block.locator(".vk-cell__said")).to_contain_text("changed", timeout=RUN)
    expect(block).to_have_attribute("data-outcome", "changed")
    page.get_by_role("button", name="Reset the page").click()


@pytest.mark.long
def test_cells_of_a_table_keep_their_numbers_if_rows_are_exchanged(
    ready: Page, loaded: Visitor
) -> None:
    page = opened(ready, loaded, "Importance of dk in Scaling")
    edit(page, r"for width in \(1, 4", ("1, 4, 16, 64, 256, 1024", "1024, 256, 64, 16, 4, 1"))
    expect(said(page)).to_contain_text("With your edit", timeout=RUN)
    labels = page.locator(".vk-now tbody").first.get_by_role("rowheader")
    expect(labels).to_have_text(["1,024", "256", "64", "16", "4", "1"])
    # The sentence is about all widths, and the code has the weight of the last one.
    sentence = page.locator("p", has_text="stays near a tenth")
    expect(sentence).to_contain_text("a tenth (as before your edit) for widths from 16 on")
    page.get_by_role("button", name="Reset the page").click()
    expect(page.locator("ins.vk-now")).to_have_count(0)


@pytest.mark.long
def test_lines_that_an_edit_adds_are_below_the_table(ready: Page, loaded: Visitor) -> None:
    page = opened(ready, loaded, "Query Matrix")
    block = cell(page, "looks_for =")
    code = block.locator("pre > code").text_content() or ""
    last = code.rstrip().splitlines()[-1]
    edit(page, "looks_for =", (last, f'{last}\nprint("added")'))
    expect(said(page)).to_contain_text("With your edit", timeout=RUN)
    now = page.locator(".vk-now", has=page.locator("table")).first
    expect(now.locator("table ~ pre, .vk-values__box ~ pre").last).to_have_text("added")
    expect(now.locator("mark")).to_have_count(0)
    page.get_by_role("button", name="Reset the page").click()


@pytest.mark.long
def test_a_figure_with_its_own_numbers_says_so(ready: Page, loaded: Visitor) -> None:
    page = opened(ready, loaded, "Context Vector")
    edit(page, "Z = alpha @ V", ("Z = alpha", "Z = 2 * alpha"))
    told = page.locator(".vk-now", has_text="shows the original numbers, without your edit")
    expect(told).to_have_count(1, timeout=RUN)
    expect(page.locator(".vk-pair")).to_have_count(0)


@pytest.mark.long
def test_an_edit_is_no_failure_and_an_error_is_reported(ready: Page, loaded: Visitor) -> None:
    page = opened(ready, loaded, "Importance of dk in Scaling", run=False)
    block = edit(page, "from snippets.softmax import softmax", ("scores.std()", "scores.std() / 2"))
    run = block.locator(".vk-cell button").first
    run.focus()
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("With your edit", timeout=RUN)
    expect(said(page)).to_contain_text("With your edit: 2 outputs changed;")
    expect(page.locator("[data-outcome=fails], .vk-why")).to_have_count(0)
    area = block.locator("[contenteditable]")
    area.fill("1 / 0")
    area.press("Control+Enter")
    expect(page.locator(".vk-why", has_text="ZeroDivisionError").first).to_be_visible(timeout=RUN)
    # The output above the error is not that of the edited code, and says so.
    label = "getComputedStyle(e, '::before').content"
    published = page.locator(".output[data-published]")
    assert published.evaluate_all(f"all => all.map((e) => {label})") == [
        '"Published output, without your edit"'
    ]
    expect(said(page)).to_contain_text("1 block does not run", timeout=RUN)
    page.get_by_role("button", name="Show the first ✗").click()
    expect(page.locator(".vk-why").first).to_be_focused()
    page.get_by_role("button", name="Reset the page").click()
    edit(page, "scaled score:", ("np.sqrt(d_k)", "d_k"))
    expect(said(page)).to_contain_text("With your edit: 1 output changed;", timeout=RUN)


@pytest.mark.long
def test_a_sentence_whose_example_an_edit_reverses_says_so_once_and_without_red(
    ready: Page, loaded: Visitor
) -> None:
    page = opened(ready, loaded, "Softmax")
    block = edit(page, "by the sum", ("array([2.0", "array([0.5"))
    told = page.locator(".vk-found", has_text="“larger”")
    # One box for both statements of the paragraph, with the digits of the page.
    expect(told).to_have_count(1, timeout=RUN)
    expect(told.locator("p")).to_have_text(
        [
            "The page checks “larger” on x[0] > x[1] (2 > 1). With your edit it is 0.5 < 1.",
            "The page checks “larger” on p[0] > p[1] (0.57 > 0.21). "
            "With your edit it is 0.23 < 0.38.",
        ]
    )
    # It is below its own paragraph.
    above = told.evaluate("e => e.previousElementSibling.textContent")
    assert "Softmax turns a row of numbers" in above
    # Two sentences with the same code are told once.
    codes = page.locator(".vk-found code").all_text_contents()
    assert len(set(codes)) == len(codes) > 2
    expect(page.locator("[data-outcome=fails], .vk-why")).to_have_count(0)
    assert "no longer" not in (page.locator("article").text_content() or "")
    expect(block.locator(".vk-cell__said")).to_contain_text(
        re.compile(r"\d+ statements come out differently")
    )
    page.get_by_role("button", name="Reset the page").click()
    expect(page.locator(".vk-now")).to_have_count(0)


@pytest.mark.long
def test_a_number_named_in_the_text_shows_its_new_value(ready: Page, loaded: Visitor) -> None:
    page = opened(ready, loaded, "Importance of dk in Scaling")
    edit(page, "5,000 pairs", ("d_k = 64", "d_k = 16"))
    question = page.locator("[data-check^=prediction] > p", has_text="What is the variance of")
    expect(question.first).to_contain_text("is 64\u00a0→\u00a016. What", timeout=RUN)
    expect(question.locator("[data-new='16']").first).to_be_visible()


#: The texts of the boxes that show what an edit has changed.
CHANGES = "[...document.querySelectorAll('.vk-now, .vk-why, .vk-pair p')].map(e => e.textContent)"


@pytest.mark.long
def test_what_an_edit_has_changed_is_shown_again_after_a_reload(ready: Page) -> None:
    page = ready
    load(page)
    block = edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k"))
    expect(said(page)).to_contain_text("1 formula no longer holds", timeout=RUN)
    before, foot = page.evaluate(CHANGES), said(page).inner_text()
    assert len(before) > 2
    page.reload()
    expect(said(page)).to_have_text(foot, use_inner_text=True)
    assert page.evaluate(CHANGES) == before
    # Python is not loaded for it, and other code has no results yet.
    assert page.evaluate("vaultkitPython.engine.ready") is None
    block = page.locator(".highlight", has=page.locator("[contenteditable]"))
    block.get_by_role("button", name="Reset").click()
    expect(page.locator(".vk-now, .vk-why, .vk-pair")).to_have_count(0)
    page.reload()
    expect(start(page)).to_be_visible()
    assert page.evaluate(CHANGES) == []


@pytest.mark.long
def test_editing_is_left_by_escape_and_by_done(visit: Visitor) -> None:
    page = visit(EQUATION)
    block = cell(page, r"Z = alpha @ V")
    name = block.get_attribute("data-check")
    edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k * 2.5"))
    block = page.locator(f"[data-check={name}]")
    block.locator("[contenteditable]").press("Escape")
    expect(block.get_by_role("button", name="Edit")).to_be_focused()
    expect(page.locator("[contenteditable]")).to_have_count(0)
    # The code keeps the edit, and has its colours.
    expect(block.locator(".mf", has_text="2.5")).to_have_count(1)
    expect(block.locator("code")).to_contain_text("scaled_scores = S / d_k * 2.5")
    block.get_by_role("button", name="Edit").click()
    expect(block.locator("[contenteditable]")).to_be_focused()
    block.get_by_role("button", name="Done").click()
    expect(page.locator("[contenteditable]")).to_have_count(0)
    page.get_by_role("button", name="Reset the page").click()
    expect(block.locator("code")).not_to_contain_text("2.5")


#: The words of the code with the focus, by the colour that highlights give them.
PAINTED = """() => [...CSS.highlights].filter(([name]) => name.startsWith("vk-code"))
  .flatMap(([name, ranges]) => [...ranges].map((range) => {
    const words = new Range();
    words.setStart(range.startContainer, range.startOffset);
    words.setEnd(range.endContainer, range.endOffset);
    return [String(words), getComputedStyle(document.activeElement, `::highlight(${name})`).color];
  }))"""
#: The colour of a class of words in code.
COLOUR = """(kind) => getComputedStyle(
  document.querySelector(`.highlight code:not([data-painted]) > span${kind}`)).color"""


@pytest.mark.long
def test_code_keeps_its_colours_while_it_is_typed(visit: Visitor) -> None:
    page = visit(EQUATION)
    block = cell(page, r"Z = alpha @ V")
    block.get_by_role("button", name="Edit").click()
    code = block.locator("pre > code")
    expect(code).to_have_attribute("data-painted", "")
    before = code.text_content() or ""
    page.keyboard.press("Control+Home")
    page.keyboard.type('print("typed", 12.5)\n')
    # Half of a word that had another colour.
    page.keyboard.type("im")
    painted = dict(page.evaluate(PAINTED))
    kinds = {
        "print": ".nb",
        '"typed"': ".s2",
        "12.5": ".mi",
        "alpha": ".vk-of-alpha",
        "imS": "[class=n]",
    }
    for words, kind in kinds.items():
        assert painted[words] == page.evaluate(COLOUR, kind), words
    light = painted['"typed"']
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    page.wait_for_function(f"(light) => Object.fromEntries(({PAINTED})())['\"typed\"'] !== light",
                           arg=light)  # fmt: skip
    # The browser can still undo.
    for _ in range(60):
        page.keyboard.press("Control+z")
    assert code.text_content() == before


@pytest.mark.long
def test_edited_code_keeps_its_size_on_a_phone(visit: Visitor) -> None:
    page = visit(EQUATION, width=390, has_touch=True, is_mobile=True)
    long_line = r"    return softmax\(Q @ K\.T / np\.sqrt\(d_k\)\) @ V"
    code = cell(page, long_line).locator("pre > code")
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    before = code.evaluate(size)
    block = cell(page, long_line)
    block.get_by_role("button", name="Edit").tap()
    expect(code).to_be_focused()
    assert code.evaluate(size) >= 16  # with smaller letters, Safari would zoom in
    # No line wraps to the left edge, where its indent could not be read, and none is cut.
    height = code.evaluate("e => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)")
    assert height < len((code.text_content() or "").splitlines()) + 2
    code.evaluate("e => { e.scrollLeft = 999; }")
    assert code.evaluate("e => e.scrollLeft + e.clientWidth - e.scrollWidth") >= -1
    block.get_by_role("button", name="Done").tap()
    expect(page.locator("[contenteditable]")).to_have_count(0)
    assert code.evaluate(size) == before


@pytest.mark.full  # Python is loaded twice
def test_edits_flow_again_after_a_stop(visit: Visitor, pyodide: Path) -> None:  # noqa: ARG001
    page = visit(EQUATION)
    load(page)
    block = edit(page, r"Z = alpha @ V", ("S = Q @ K.T", "S = ("))
    expect(page.locator(".vk-why", has_text="SyntaxError").first).to_be_visible(timeout=RUN)
    area = block.locator("[contenteditable]")
    broken = area.text_content() or ""
    area.fill(broken.replace("S = (", "while True: pass"))
    block.get_by_role("button", name="Stop").click(timeout=RUN)
    expect(block.locator(".vk-cell__said")).to_contain_text("Stopped")
    # What an older edit has caused is gone.
    expect(page.locator(".vk-why")).to_have_count(0)
    expect(page.locator("[data-outcome=unjudged]")).to_have_count(0)
    area.fill(broken.replace("S = (", "S = 2 * Q @ K.T").rstrip())
    expect(page.locator(".vk-now").first).to_be_attached(timeout=BOOT)
    expect(block.locator(".vk-cell__said")).to_contain_text("changed")


# The last one, since the visitor closes the page that the others share.
@pytest.mark.long
def test_edits_survive_that_the_page_is_loaded_again_and_run_nothing(visit: Visitor) -> None:
    page = visit(EQUATION)
    expect(start(page)).to_be_visible()
    # What is not on the screen has no `innerText`.
    article = page.locator("article").text_content() or ""
    block = edit(page, r"Z = alpha @ V", ("np.sqrt(d_k)", "d_k"))
    page.reload()
    block = page.locator(".highlight", has=page.locator("[contenteditable]"))
    expect(block.locator("[contenteditable]")).to_have_text(re.compile("scaled_scores = S / d_k"))
    assert page.locator("[data-outcome]").count() == 0
    page.get_by_role("button", name="Reset the page").click()
    expect(page.locator("[contenteditable]")).to_have_count(0)
    foot = "Check this page"
    now = page.locator("article").text_content() or ""
    assert now.partition(foot)[0] == article.partition(foot)[0]
    page.reload()
    expect(page.locator("[contenteditable]")).to_have_count(0)
