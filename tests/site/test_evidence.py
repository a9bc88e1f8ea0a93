"""What a reader is shown of the checks: marks, and a box by mouse, keyboard and touch."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from visitor import Contexts, Visitor, violations, visiting

from vaultkit.pipeline.inspect import Settings, inspect
from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.vault import Vault

NOTE = r"""
# Evidence

The ratio is 0.8210 here, see [[Other|the 0.8210 of another]]. The matrix `Q` is (3, 2),
and $s = 4.5$ is in a line; twice that is $t = 2 s$, and 9 is too small a number to check,
see [[Arrays|the arrays]].

```python
import numpy as np

Q = np.array([[1.0, 0.5], [2.0, 0.25], [0.5, 0.25]])
K = Q * 2
s = Q.sum()
t = s + s
np.array([0.8210, 0.5])
```

```text
array([0.821, 0.5  ])
```

$$
K = 2 Q
$$

What follows holds for these numbers alone.

$$
Q_{22} = 0.25
$$

<!-- here: the array was chosen so -->

$$
K = K^{\text{made up}}
$$

<!-- not run: it names nothing -->
""".lstrip()
ARRAYS = r"""
# Arrays

The matrix $Q$ is given.

```python
import numpy as np

Q = np.array([[1.0, 2.0], [3.0, 4.0]])
W_Q = np.eye(2)
print(Q)
```

```text
[[1. 2.]
 [3. 4.]]
```

```python
K = 2 * W_Q
```

$$
K Q = 2 Q W_Q
$$

```python
u = np.array([0.5, 0.25])
v = 2 * u
```

$$
v = 2 u
$$
""".lstrip()
OTHER = "# Other\n\nThe ratio is 0.8210.\n\n```python\n0.8210\n```\n\n```text\n0.821\n```\n"
TABLE = """
# Table

The bank has 0.27 and −0.09, and so has the code: 2 and −1.

```python
vector = [2.0, -1.0]
print("Z     water money")
print("river  0.97  0.10")
print("bank   0.27 -0.09")
```

```text
Z     water money
river  0.97  0.10
bank   0.27 -0.09
```
""".lstrip()
CONFIG = """
site_name: Small
theme:
  name: material
  font: false
  features: [navigation.instant]
  palette:
    - {media: "(prefers-color-scheme: light)", scheme: default}
    - {media: "(prefers-color-scheme: dark)", scheme: slate}
plugins: [search, vaultkit]
extra_css: [own.css]
"""
#: One array has a colour of its own.
STYLE = "body { --vk-array-Q: 210; } .vk-of-Q { color: rgb(0, 0, 200); }"
BOX = ".vk-box"


@pytest.fixture(scope="module")
def small(served: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A site of two notes below a path, one of them checked on other numbers, too."""
    root = tmp_path_factory.mktemp("small")
    docs = root / "docs"
    docs.mkdir()
    (docs / "index.md").write_text(NOTE, encoding="utf-8")
    (docs / "Other.md").write_text(OTHER, encoding="utf-8")
    (docs / "Arrays.md").write_text(ARRAYS, encoding="utf-8")
    (docs / "Table.md").write_text(TABLE, encoding="utf-8")
    (docs / "own.css").write_text(STYLE, encoding="utf-8")
    (root / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    vault = Vault(docs)
    for name in ("index.md", "Arrays.md", "Table.md"):
        note = vault.notes[docs / name]
        checks = list(inspect(note, vault, Settings(trials=2)))
        Ledger(vault).record(note, checks)
    folder = served[0] / "small" / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return f"{served[1]}small/site/"


@pytest.fixture
def look(contexts: Contexts, small: str) -> Iterator[Visitor]:
    with visiting(contexts, small) as visitor:
        yield visitor


def test_marks_are_not_printed(look: Visitor) -> None:
    page = look()
    marks = page.locator(".vk-math--display > .vk-mark")
    expect(marks.first).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator(".vk-mark").filter(visible=True)).to_have_count(0)
    shape = page.locator("span[data-check^=shape][data-scope]")
    expect(shape).to_have_css("border-bottom-style", "none")


def test_marks_are_where_something_was_checked(look: Visitor) -> None:
    page = look(java_script_enabled=False)
    marks = page.locator(".vk-math--display > .vk-mark")
    assert marks.all_inner_texts() == ["✓ holds in general", "✓ holds here", "not run"]
    assert page.locator("span.vk-math > .vk-mark").first.get_attribute("aria-label")
    assert page.locator("span[data-check^=shape][data-scope]").count() == 1
    # Nothing runs for this page, and nothing was checked on that one.
    assert page.locator("[role=button][aria-haspopup]").count() == 0
    look.go(page, "other/")
    assert page.locator("[data-check^=number]").count() == 1
    assert page.locator(".vk-mark, [data-scope], template.vk-evidence").count() == 0


WAYS: dict[str, Callable[[Page, str], None]] = {
    "mouse": lambda page, what: page.locator(what).first.hover(),
    "touch": lambda page, what: page.locator(what).first.tap(),
    "keyboard": lambda page, what: reach(page, what),
}


def reach(page: Page, what: str) -> None:
    """Press Tab until an element has the focus, then arrows if its paragraph has several."""
    wanted = page.locator(what).first
    at = "(e) => e === document.activeElement || e.contains(document.activeElement)"
    page.locator("h1 .headerlink").focus()
    for _ in range(40):
        page.keyboard.press("Tab")
        for _ in range(5):
            if wanted.evaluate(at):
                return
            if not page.evaluate("document.activeElement.matches('[data-asks], .vk-mark')"):
                break
            page.keyboard.press("ArrowRight")
    raise AssertionError(f"{what} is not reached")


RESTS_ON = {
    "[data-check=number-0]": "Output: 0.821",
    "span[data-check^=shape]": "Q, of shape (3, 2)",
    "span.vk-math": "Both sides 4.5; they are equal",
    ".vk-math--display > .vk-mark": "Checked on K of shape (3, 2) and Q of shape (3, 2)",
}


@pytest.mark.sample("mouse-1280", "touch-390", "keyboard-390")
@pytest.mark.usually("mouse-1280")
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("way", WAYS)
def test_a_box_shows_what_it_rests_on(look: Visitor, way: str, width: int) -> None:
    page = look(width=width, has_touch=way == "touch")
    height = page.evaluate("document.documentElement.scrollHeight")
    for what, words in RESTS_ON.items():
        WAYS[way](page, what)
        expect(page.locator(BOX)).to_contain_text(words)
        assert page.evaluate("document.documentElement.scrollHeight") == height
        box = page.locator(BOX).bounding_box()
        assert box
        assert 0 <= box["x"] <= width - box["width"]
        assert page.locator("[aria-expanded=true]").count() == 1
        # One at a time, wherever the first one is.
        page.locator(".vk-math--display > .vk-mark").nth(1).dispatch_event("click")
        expect(page.locator(BOX)).to_have_count(1)
        expect(page.locator(BOX)).to_contain_text("The note says why: the array was chosen so")
        page.keyboard.press("Escape")
        expect(page.locator(BOX)).to_have_count(0)
        assert page.locator("[aria-expanded=true]").count() == 0


def test_an_array_of_one_row_is_set_as_code(look: Visitor) -> None:
    page = look("arrays/")
    page.locator(".vk-math--display > .vk-mark").last.hover()
    array = page.locator(f"{BOX} .vk-box__array")
    expect(array).to_have_text("[1.0 0.5]")
    font = "e => getComputedStyle(e).fontFamily"
    assert "monospace" in array.evaluate(font)
    assert "monospace" not in page.locator(BOX).evaluate(font)
    # So is a matrix, but not what is said about it.
    page.locator(".vk-math--display > .vk-mark").first.hover()
    rows = page.locator(f"{BOX} .vk-box__rows")
    expect(rows).to_have_text(re.compile(r"^\[\[[^a-z]*\]\]$"))
    expect(page.locator(BOX)).to_contain_text("they are equal")
    # So are names.
    page.keyboard.press("Escape")
    page.locator(".vk-math--display > .vk-mark").last.hover()
    names = page.locator(f"{BOX} code")
    expect(names).to_have_text(["v", "u"])
    assert "monospace" in names.first.evaluate(font)


def test_only_an_array_with_a_colour_has_one_in_a_box(look: Visitor) -> None:
    page = look("arrays/")
    page.locator(".vk-math--display > .vk-mark").first.hover()
    code = page.locator(f"{BOX} code")
    expect(code).to_have_text(["K", "Q", "W_Q"])
    colour = "getComputedStyle(e.firstElementChild ?? e).color"
    names = code.evaluate_all(f"all => all.map((e) => [e.textContent, {colour}])")
    text = page.locator(BOX).evaluate("e => getComputedStyle(e).color")
    assert dict(names) == {"K": text, "Q": "rgb(0, 0, 200)", "W_Q": text}


@pytest.mark.long
def test_the_box_leads_to_the_output(look: Visitor) -> None:
    page = look(reduced_motion="reduce")
    reach(page, "[data-check=number-0]")
    expect(page.locator(BOX)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(f"{BOX} button")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("[data-check=number-0]")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    shown = page.locator(".vk-shown")
    expect(shown).to_have_attribute("data-check", "output-0")
    expect(shown).to_be_focused()
    marked = "String([...CSS.highlights.get('vk-shown')][0])"
    assert page.evaluate(marked) == "0.821"
    page.locator("h1").click()
    expect(shown).to_have_count(0)
    assert page.evaluate("CSS.highlights.has('vk-shown')") is False


@pytest.mark.long
def test_numbers_are_shown_in_a_table(look: Visitor) -> None:
    page = look("table/", reduced_motion="reduce")
    page.locator("[data-check=number-0]").hover()
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".vk-shown")).to_have_attribute("data-check", "output-0")
    shown = page.evaluate("String([...CSS.highlights.get('vk-shown')][0])")
    assert shown.split() == ["0.27", "-0.09"]
    expect(page.locator(".vk-shown table")).to_have_count(1)


@pytest.mark.long
def test_links_stay_links(look: Visitor) -> None:
    page = look()
    assert page.locator("a [aria-haspopup], [aria-haspopup] [aria-haspopup]").count() == 0
    page.locator("article a", has_text="of another").click()
    expect(page.locator("h1")).to_contain_text("Other")
    # A page that was loaded in place.
    page.go_back()
    page.locator("[data-check=number-0]").hover()
    expect(page.locator(BOX)).to_contain_text("0.821")


@pytest.mark.long
@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_a_number_in_a_link_shows_what_it_rests_on(look: Visitor, way: str) -> None:
    page = look()
    link = page.locator("article a", has_text="of another")
    if way == "mouse":
        link.hover()
    else:
        page.keyboard.press("Tab")
        link.focus()
    card = page.locator(".vk-preview")
    expect(card).to_contain_text("Other")
    foot = card.locator(".vk-preview__evidence")
    expect(foot).to_have_text("0.8210: This number occurs on this page. Output: 0.821")


def test_a_formula_that_was_run_has_one_mark(look: Visitor) -> None:
    page = look()
    display = page.locator(".vk-math--display").first
    mark = display.locator("> .vk-mark")
    expect(mark).to_be_visible()
    signs = {"holds": "none", "fails": '"✗"', "changed": '"≠"', "unjudged": '"–"'}
    for outcome, sign in signs.items():
        display.evaluate("(e, outcome) => e.dataset.outcome = outcome", outcome)
        assert display.evaluate("e => getComputedStyle(e, '::before').content") == sign
        assert mark.is_visible() == (sign == "none"), outcome
    # The line below a formula or shape in a sentence says that it holds, too.
    for outcome in ("fails", "changed", "unjudged"):
        lines = page.locator("span[data-scope]").evaluate_all(HAS_LINE, outcome)
        assert not any(lines), outcome


#: Whether a visible line is below each formula and shape with this outcome.
HAS_LINE = """(all, outcome) => all.map((e) => {
  e.dataset.outcome = outcome;
  const { visibility, borderBottomColor } = getComputedStyle(e.querySelector(".vk-mark") ?? e);
  return visibility === "visible" && borderBottomColor !== "rgba(0, 0, 0, 0)";
})"""


@pytest.mark.parametrize("outcome", ["", "fails"])
def test_a_box_leaves_its_formula_in_sight(look: Visitor, outcome: str) -> None:
    page = look(width=390)
    display = page.locator(".vk-math--display").first
    display.evaluate("(e, outcome) => { if (outcome) e.dataset.outcome = outcome; }", outcome)
    display.evaluate("e => { e.style.marginTop = '80vh'; e.scrollIntoView({block: 'end'}); }")
    display.locator("math").click()
    box, formula = page.locator(BOX).bounding_box(), display.bounding_box()
    assert box
    assert formula
    assert box["y"] + box["height"] <= formula["y"] or box["y"] >= formula["y"] + formula["height"]


@pytest.mark.parametrize("width", [390, 1280])
def test_a_reason_is_read_whole(look: Visitor, width: int) -> None:
    page = look(width=width)
    why = f"<div class=vk-why><pre>left {list(range(40))}</pre></div>"
    page.locator(".vk-math--display").first.evaluate(
        "(e, why) => e.insertAdjacentHTML('afterend', why)", why
    )
    room = "e => e.scrollWidth - e.clientWidth"
    assert page.locator(".vk-why pre").evaluate(room) <= 0


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_can_be_read(look: Visitor, scheme: str) -> None:
    page = look(scheme=scheme)
    page.locator(".vk-mark").last.hover()
    expect(page.locator(BOX)).to_be_visible()
    for what in (".vk-math--display > .vk-mark >> nth=1", f"{BOX} p >> nth=0"):
        assert page.locator(what).evaluate(CONTRAST) >= 4.5
    wrong = [
        (rule["id"], node["html"])
        for rule in violations(page, {"rules": {"target-size": {"enabled": True}}})
        for node in rule["nodes"]
        if "vk-" in node["html"] or "data-check" in node["html"]
    ]
    assert wrong == []
    kinds = page.locator("span[data-scope]").evaluate_all(
        "all => all.map((e) => [e.dataset.scope,"
        " getComputedStyle(e.querySelector('.vk-mark') ?? e).borderBottomStyle])"
    )
    styles = {"general": "solid", "here": "dashed", "checked": "dotted"}
    assert {tuple(kind) for kind in kinds} == set(styles.items())


# --- The same array, in one colour ----------------------------------------------------------------

#: The highlighted things: letters of formulas, and colour names in code and lines of outputs.
LIT = """() => [
  [...document.querySelectorAll(".vk-same")].map((e) => e.textContent),
  [...CSS.highlights].filter(([name]) => name.startsWith("vk-array"))
    .flatMap(([, ranges]) => [...ranges].map(String)),
]"""
NONE: list[list[str]] = [[], []]


def shows(page: Page, letters: list[str], names: list[str]) -> None:
    """Wait until these letters of formulas, and these texts of code or outputs, are lit up."""
    wanted = [sorted(letters), sorted(names)]
    page.wait_for_function(
        f"(wanted) => JSON.stringify(({LIT})().map((some) => some.sort()))"
        " === JSON.stringify(wanted)",
        arg=wanted,
    )


@pytest.mark.long
@pytest.mark.parametrize("way", ["mouse", "touch"])
def test_a_letter_lights_its_array(look: Visitor, way: str) -> None:
    page = look("arrays/", has_touch=way == "touch")
    WAYS[way](page, "[data-check=formula-1] mi >> text=Q")
    shows(page, ["Q", "Q", "Q"], ["Q", "Q", "[[1. 2.]\n [3. 4.]]"])
    # The index of another is another.
    WAYS[way](page, "[data-check=formula-1] msub")
    shows(page, ["WQ"], ["W_Q", "W_Q"])
    WAYS[way](page, "h1")
    shows(page, *NONE)


@pytest.mark.usually("mouse")
@pytest.mark.parametrize("way", ["mouse", "touch"])
def test_a_name_in_code_lights_its_array(look: Visitor, way: str) -> None:
    page = look("arrays/", has_touch=way == "touch")
    WAYS[way](page, "[data-check=block-1] .n >> text=K")
    shows(page, ["K"], ["K"])
    WAYS[way](page, "[data-check=output-0] code")
    shows(page, ["Q", "Q", "Q"], ["Q", "Q", "[[1. 2.]\n [3. 4.]]"])
    WAYS[way](page, "[data-check=block-0] .kn")
    shows(page, *NONE)


def test_the_keyboard_lights_all_arrays_of_a_formula(look: Visitor) -> None:
    page = look("arrays/")
    reach(page, ".vk-math--display")
    shows(page, ["K", "Q", "Q", "Q", "WQ"], ["K", "Q", "Q", "W_Q", "W_Q", "[[1. 2.]\n [3. 4.]]"])
    # Those without a colour of their own are grey.
    hues = page.locator(".vk-math--display .vk-same").evaluate_all(HUES)
    assert hues == {"K": False, "Q": True, "WQ": False}
    # A mouse that passes takes nothing away.
    page.locator("h1").hover()
    shows(page, ["K", "Q", "Q", "Q", "WQ"], ["K", "Q", "Q", "W_Q", "W_Q", "[[1. 2.]\n [3. 4.]]"])
    page.keyboard.press("Escape")
    shows(page, *NONE)


#: Whether the background of each array has a colour: its red, green and blue differ much.
HUES = """(all) => Object.fromEntries(all.map((e) => {
  const parts = getComputedStyle(e).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number);
  return [e.textContent, Math.max(...parts) - Math.min(...parts) > 30];
}))"""


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_lit_can_be_read(look: Visitor, scheme: str) -> None:
    page = look("arrays/", scheme=scheme)
    reach(page, ".vk-math--display")
    lit = page.locator(".vk-math--display .vk-same")
    expect(lit).to_have_count(4)
    for at in range(4):
        assert lit.nth(at).evaluate(CONTRAST_WITHIN) >= 4.5


@pytest.mark.long
def test_what_is_lit_has_the_colours_of_the_system_and_stays_off_paper(look: Visitor) -> None:
    page = look("arrays/", forced_colors="active")
    reach(page, ".vk-math--display")
    lit = page.locator(".vk-math--display .vk-same")
    expect(lit).to_have_count(4)
    expect(lit.first).to_have_css("outline-style", "solid")
    # Styles follow a change of the medium a moment later on a busy machine.
    clear = """(none) => [...CSS.highlights.keys()].every((name) => getComputedStyle(
      document.querySelector("pre > code"), `::highlight(${name})`
    ).backgroundColor.endsWith(", 0)") === none)"""
    page.wait_for_function(clear, arg=False)
    page.emulate_media(media="print")
    # The other layout may move the formula away from the pointer, so that nothing is lit.
    page.wait_for_function("""() => [...document.querySelectorAll(".vk-math--display .vk-same")]
      .every((part) => getComputedStyle(part).outlineStyle === "none")""")
    page.wait_for_function(clear, arg=True)


@pytest.mark.long
def test_arrays_of_a_page_that_was_loaded_in_place(look: Visitor) -> None:
    page = look()
    page.evaluate("window.isTheSame = true")
    page.locator("article a", has_text="arrays").click()
    expect(page.locator("h1")).to_contain_text("Arrays")
    # The site does not know its address.
    assert page.evaluate("window.isTheSame"), "the page was loaded anew"
    page.locator("[data-check=formula-1] mi >> text=Q").first.hover()
    shows(page, ["Q", "Q", "Q"], ["Q", "Q", "[[1. 2.]\n [3. 4.]]"])


CONTRAST = """(element) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
      .map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
  };
  const both = [getComputedStyle(element).color, getComputedStyle(document.body).backgroundColor]
    .map(light);
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}"""
#: Elements with a background colour of their own.
CONTRAST_WITHIN = CONTRAST.replace("getComputedStyle(document.body)", "getComputedStyle(element)")
