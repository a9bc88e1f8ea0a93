"""What readers answer: predictions before an output is shown, and flashcards that come back."""

from __future__ import annotations

import datetime
import json
import math
import re
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asked import ASK, BOX, CARDS, FAILING, INDEX
from playwright.sync_api import Page, expect
from visitor import Contexts, Visitor, violations, visiting

from vaultkit.pipeline.inspect import Settings, inspect
from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.vault import Vault

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
nav: [index.md, Ask.md, Failing.md, Cards.md]
"""
FORM = ".vk-predict"
SAID = ".vk-predict__said"


@pytest.fixture(scope="module")
def small(served: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A site below a path whose notes have questions; one note has not been checked."""
    root = tmp_path_factory.mktemp("learn")
    docs = root / "docs"
    docs.mkdir()
    for name, text in (("index", INDEX), ("Ask", ASK), ("Failing", FAILING), ("Cards", CARDS)):
        (docs / f"{name}.md").write_text(text, encoding="utf-8")
    (docs / "box.svg").write_text(BOX, encoding="utf-8")
    # Pages are loaded in place where the site knows its address.
    address = f"{served[1]}learn/site/"
    (root / "mkdocs.yml").write_text(f"site_url: {address}{CONFIG}", encoding="utf-8")
    vault = Vault(docs)
    for note in vault.notes.values():
        Ledger(vault).record(note, list(inspect(note, vault, Settings())))
    folder = served[0] / "learn" / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return address


@pytest.fixture
def ask(contexts: Contexts, small: str) -> Iterator[Visitor]:
    with visiting(contexts, small) as visitor:
        yield visitor


def kept(page: Page) -> dict[str, Any]:
    """Return the stored answers to the questions of a note, in order."""
    return stored(page, "predictions")


def stored(page: Page, what: str) -> dict[str, Any]:
    key = "Object.keys(localStorage).find((key) => key.includes(what))"
    text = page.evaluate(f"(what) => localStorage.getItem({key})", what)
    return dict(json.loads(text or "{}"))


@pytest.mark.long
def test_without_a_script_the_question_is_above_the_output(ask: Visitor) -> None:
    page = ask("ask/", java_script_enabled=False)
    assert page.locator(".output").count() == 6
    for output in page.locator(".output").all()[:3]:
        assert output.is_visible()
    assert page.locator(FORM).count() == 0
    page.locator("details.failure > summary").first.click()
    expect(page.get_by_text("queries are the rows")).to_be_visible()


@pytest.mark.long
def test_where_the_setting_for_it_is_missing_no_page_runs_code(ask: Visitor, built: Path) -> None:
    page = ask.open()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for address in ("", "ask/", "cards/"):
        ask.go(page, address)
        assert page.locator(".vk-run, .vk-cell, .vk-elsewhere").count() == 0
        assert "in your browser" not in (page.locator("article").text_content() or "")
    assert [url for url in asked if "check-" in url or "engine" in url] == []
    for folder, has_it in ((built, True), (built.with_name("learn") / "site", False)):
        names = [path.name for path in folder.rglob("*")]
        runs = [name for name in names if name.startswith(("check-", "engine."))]
        assert bool(runs) is has_it


@pytest.mark.long
def test_nothing_is_asked_of_what_failed(ask: Visitor) -> None:
    page = ask("failing/")
    assert page.locator(".output").first.is_visible()
    assert page.locator(FORM).count() == 0


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 390])
def test_an_answer_is_judged_and_kept(ask: Visitor, width: int) -> None:
    page = ask("ask/", width=width, has_touch=width == 390)
    output = page.locator(".output").first
    field = page.get_by_label("Shape", exact=True)
    press = "tap" if width == 390 else "click"
    expect(output).to_be_hidden()
    expect(page.locator("details.failure").first).to_be_hidden()
    field.fill("4 by 6")
    getattr(page.get_by_role("button", name="Check").first, press)()
    said = page.locator(SAID).first
    expect(said).to_have_text(
        "✗ No. Your answer is the value of (K @ Q.T).shape: queries are the rows."
    )
    expect(output).to_be_hidden()
    field.fill("6x4")
    getattr(page.get_by_role("button", name="Check").first, press)()
    expect(said).to_have_text("✓ Right, at the second attempt.")
    expect(output).to_be_visible()
    expect(page.locator("details.failure").first).to_be_visible()
    ((note, answers),) = kept(page).items()
    assert (note, list(answers.values())) == ("Ask.md", [{"tries": 2, "right": True}])
    # It is still there when the page is opened again, and on the page that shows what was right.
    page.reload()
    expect(said).to_have_text("✓ Right, at the second attempt.")
    expect(output).to_be_visible()
    page.goto(ask.base)
    table = page.locator(".vk-predicted")
    expect(table.get_by_role("status")).to_contain_text("answered 1 of 6 questions")
    assert table.locator("tbody :is(th, td)").all_inner_texts() == ["Ask", "6", "–", "1", "–"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.on("dialog", lambda dialog: dialog.accept())
    getattr(table.get_by_role("button", name="Forget"), press)()
    expect(table.get_by_role("status")).to_contain_text("none of 6")
    assert kept(page) == {}
    page.goto(f"{ask.base}ask/")
    expect(output).to_be_hidden()


def test_by_keyboard_alone(ask: Visitor) -> None:
    page = ask("ask/")
    page.locator("h1 .headerlink").focus()
    focused = "document.activeElement.matches('.vk-predict input')"
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate(focused):
            break
    page.keyboard.press("Enter")
    expect(page.locator(SAID).first).to_have_text("Type what you expect.")
    page.keyboard.type("(6, 4)")
    page.keyboard.press("Enter")
    expect(page.locator(SAID).first).to_have_text("✓ Right.")
    # The focus stays where it was, and the next stop is what can be done now.
    assert page.evaluate(focused)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Try again"
    page.keyboard.press("Enter")
    assert page.evaluate(focused)
    expect(page.locator(".output").first).to_be_hidden()
    assert kept(page)["Ask.md"] == {}


RIGHT = {
    0: ["(6, 4)", "6, 4", "6 4", "6x4", "6 × 4", "6 BY 4", "[6,4]"],
    1: ["0.16", ".16", "0.1626", "0.1649", "+0.16", "16/100", "0,16", "about 0.16", "s = 0.16"],
    2: ["[0.4, 0.6]", "0.4 0.6", "0.40,0.60", "2/5 3/5", "0.44; 0.6", "0.4 and 0.6"],
    3: ["True", "true", " TRUE ", "'True'"],
    4: ["(6, 4)", "6, 4", "6 4", "6 and 4", "n = 6, m = 4"],
    5: ["Tom", "tom", "“Tom”", "'Tom'", "Tom.", "`Tom`", "*TOM*"],
}
#: What the page says about the form of each answer.
FORMS = {
    0: "as 3 × 4 or (3, 4)",
    1: "2 decimals",
    2: "blanks or commas between, 1 decimal",
    3: "True or False",
    4: "2 numbers",
    5: "one word; capitals do not matter",
}
WRONG = {
    0: {
        "6 2": "1 of 2 axes agrees.",
        "6": "It has 2 axes; you gave 1.",
        "2x2": "(Q.T @ Q).shape",
        "six by four": "That is not a shape",
        "6.0, 4": "That is not a shape",
    },
    1: {
        "0.23": "Q[1] @ K[2]: the root is missing",
        "0.115": "Q[1] @ K[2] / 2",
        "−0.16": "The sign is the other way round.",
        "0.2": "It is smaller.",
        "0.1": "It is larger.",
        "0.154": "It is larger.",
        "0.16 0.16": "That is not a number.",
        "2 * 0.08": "That is not a number.",
        "none": "That is not a number.",
    },
    2: {
        "0.2 0.6 1 1.4": "K[:, 1] * 2",
        "0.6 0.4": "0 of 2 entries agree.",
        "0.4": "It has 2 entries; you gave 1.",
        "": "Type what you expect.",
    },
    3: {"False": "so small a difference is none", "perhaps": "No."},
    4: {
        "6 6": "1 of 2 numbers agrees.",
        "6": "It has 2 numbers; you gave 1.",
        "2 2": "the columns",
    },
    5: {"Ada": "she does not ask", "Tom and Ada": "It has 1 word; you gave 3."},
}


@pytest.mark.long
def test_what_is_typed_is_understood(ask: Visitor) -> None:
    page = ask("ask/")
    for question in RIGHT:
        form, said = page.locator(FORM).nth(question), page.locator(SAID).nth(question)
        expect(form.locator(".vk-predict__form")).to_have_text(FORMS[question])
        for typed, words in WRONG[question].items():
            form.locator("input").fill(typed)
            form.get_by_role("button", name="Check").click()
            expect(said).to_contain_text(words)
            expect(form.get_by_role("button", name="Check")).to_be_visible()
            if "entries; you gave" in words:  # no attempt
                expect(said).to_have_text(words)
        for typed in RIGHT[question]:
            form.locator("input").fill(typed)
            form.get_by_role("button", name="Check").click()
            expect(said).to_contain_text("✓ Right")
            form.get_by_role("button", name="Try again").click()


@pytest.mark.long
def test_who_looks_is_not_asked_any_more(ask: Visitor) -> None:
    page = ask("ask/")
    # From below the code, from the question, and by unfolding an answer that the page folds.
    page.get_by_role("button", name="Show the output").first.click()
    expect(page.locator(".output").first).to_be_visible()
    assert page.evaluate("document.activeElement.textContent") == "Try again"
    page.locator(FORM).nth(1).get_by_role("button", name="Show").click()
    expect(page.locator(".output").nth(1)).to_be_visible()
    page.locator("details.success > summary").click()
    for index in (0, 1, 3):
        expect(page.locator(SAID).nth(index)).to_contain_text("Looked up")
    assert list(kept(page)["Ask.md"].values()) == [{"tries": 0, "shown": True}] * 3
    page.locator(FORM).nth(3).get_by_role("button", name="Try again").click()
    expect(page.locator("details.success")).not_to_have_attribute("open", re.compile(""))


@pytest.mark.long
def test_what_a_number_rests_on_is_shown_though_it_is_folded(ask: Visitor) -> None:
    page = ask("ask/")
    page.locator("[data-check=number-0]").last.hover()
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".output").nth(1)).to_be_visible()


@pytest.mark.long
def test_it_works_on_pages_that_are_loaded_in_place(ask: Visitor) -> None:
    page = ask()
    for _ in range(2):
        page.locator("article").get_by_role("link", name="Ask", exact=True).last.click()
        expect(page.locator(FORM)).to_have_count(6)
        page.locator(".linked-from").get_by_role("link", name="Index").click()
        expect(page.locator(".vk-predicted [role=status]")).to_have_count(1)


@pytest.mark.sample("390-dark")
@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing(ask: Visitor, width: int, scheme: str) -> None:
    page = ask("ask/", width=width, scheme=scheme)
    page.locator(FORM).nth(0).locator("input").fill("4 6")
    page.locator(FORM).nth(0).get_by_role("button", name="Check").click()
    page.locator(FORM).nth(1).get_by_role("button", name="Show").click()
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]}
    for path in ("ask/", "", "cards/"):
        if path != "ask/":
            page.goto(ask.base + path)
        if not path:
            expect(page.locator(".vk-predicted [role=status]")).to_be_visible()
        elif path == "cards/":
            page.get_by_role("button", name="Practise").click()
            page.keyboard.press("Space")
        assert violations(page, rules) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.long
def test_evidence_does_not_give_an_answer_away(visit: Visitor) -> None:
    page = visit("softmax/")
    formula = page.locator(".vk-math--display", has=page.locator("math[data-tex*='x + c']"))
    box = page.locator(".vk-box")
    formula.hover()
    expect(box).to_contain_text("when you have answered")
    expect(box).not_to_contain_text("0.57")
    page.mouse.move(2, 2)
    expect(box).to_have_count(0)
    question = page.locator(".vk-predict", has_text="2 decimals").last
    question.get_by_role("button", name="Show").click()
    formula.hover()
    expect(box).to_contain_text("0.57")


@pytest.mark.long
def test_answers_stay_hidden_when_the_rest_of_the_page_is_laid_out(visit: Visitor) -> None:
    page = visit.open()
    page.goto(visit.base + "softmax/")  # not as `go` does, which lays out all at once
    answers = page.locator(".highlight[hidden]")
    expect(answers).to_have_count(3)
    last = page.locator(".md-content__inner > :is(p, div)").last
    expect(last).to_have_attribute("data-laid-out", "", timeout=30_000)
    heights = answers.evaluate_all("boxes => boxes.map(box => box.clientHeight)")
    assert heights == [0, 0, 0]


# --- Flashcards -----------------------------------------------------------------------------------

DECK = ".vk-deck"
MONDAY = datetime.datetime(2026, 3, 2, 12)


def practise(visit: Visitor, **options: Any) -> Page:
    """Open the cards on a Monday; the clock of a context cannot be set back."""
    page = visit(fresh=True, **options)
    page.clock.install(time=MONDAY)
    page.goto(visit.base + "cards/")
    expect(page.locator(f"{DECK} [role=status]")).to_have_text("0 cards due, 3 new of 3.")
    return page


def day(number: int) -> int:
    """Return the number of days since 1970 on that Monday, plus some."""
    return (MONDAY.date() - datetime.date(1970, 1, 1)).days + number


def test_without_a_script_cards_unfold_and_the_deck_is_there(ask: Visitor) -> None:
    page = ask("cards/", java_script_enabled=False)
    assert page.locator(f"{DECK} button").count() == 0
    page.locator("summary", has_text="Last?").click()
    expect(page.get_by_text("Yes.")).to_be_visible()
    expect(page.get_by_role("link", name="All 3 cards as a deck for Anki")).to_be_visible()


@pytest.mark.long
def test_its_script_is_loaded_where_a_page_has_cards(ask: Visitor) -> None:
    page = ask()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    ask.go(page, "ask/")
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "flashcards" in url]
    # A page that is loaded in place has its cards, too, as often as it is opened.
    for _ in range(2):
        page.locator(".md-nav--primary").get_by_role("link", name="Cards").click()
        expect(page.locator(f"{DECK} [role=status]")).to_have_count(1)
        page.locator(".md-nav--primary").get_by_role("link", name="Ask").click()
        expect(page.locator(FORM)).to_have_count(6)
    assert len([url for url in asked if "flashcards" in url]) == 1


def test_the_deck_for_anki_holds_the_same_cards(ask: Visitor, tmp_path: Path) -> None:
    page = ask("cards/")
    with page.expect_download() as found:
        page.get_by_role("link", name="All 3 cards").click()
    with zipfile.ZipFile(found.value.path()) as archive:
        (tmp_path / "collection").write_bytes(archive.read("collection.anki2"))
        ((at, name),) = json.loads(archive.read("media")).items()
        assert archive.read(at).decode() == BOX
    collection = sqlite3.connect(tmp_path / "collection")
    fields = [
        row[0].split("\x1f") for row in collection.execute("SELECT flds FROM notes ORDER BY id")
    ]
    collection.close()
    assert fields == [
        [
            r"What is \(d_k\)?",
            f'<p>The <strong>width</strong>, see <a href="{ask.base}ask/">Ask</a>.</p>',
        ],
        ["What is seen?", f'<p><img src="{name}" alt="A box"></p>'],
        ["Last?", "<p>Yes.</p>"],
    ]


@pytest.mark.long
def test_by_keyboard_and_by_sm_2(ask: Visitor) -> None:
    page = practise(ask)
    card = page.locator(".vk-deck__card")
    page.get_by_role("button", name="Practise").focus()
    page.keyboard.press("Enter")
    expect(card).to_contain_text("What is")
    expect(card.locator("math")).to_have_count(1)
    page.keyboard.press("4")  # Nothing is graded before the answer was seen.
    page.keyboard.press("Space")
    expect(card).to_contain_text("The width")
    page.keyboard.press("4")
    expect(card).to_contain_text("What is seen?")
    page.keyboard.press("Space")
    page.keyboard.press("2")
    expect(card).to_contain_text("Last?")
    page.keyboard.press("Space")
    page.keyboard.press("1")
    # Both that were below 4 come again, but that moves them no more.
    for words in ("What is seen?", "Last?"):
        expect(card).to_contain_text(words)
        page.keyboard.press("Space")
        page.keyboard.press("3")
    expect(card).to_be_hidden()
    said = page.locator(f"{DECK} [role=status]")
    expect(said).to_have_text("Done: 5 answers. 0 cards due, the next tomorrow, 0 new of 3.")
    # Ease after a grade q: 2.5 + 0.1 - (5 - q)(0.08 + (5 - q) 0.02), as SM-2 has it.
    assert stored(page, "cards") == {
        "card-what-is-d_k-": {"times": 2, "ease": 2.6, "days": 6, "due": day(6)},
        "card-what-is-seen": {"times": 1, "ease": 2.36, "days": 1, "due": day(1)},
        "card-last": {"times": 0, "ease": 2.5, "days": 1, "due": day(1)},
    }


@pytest.mark.long
def test_intervals_grow_and_a_failure_begins_again(ask: Visitor) -> None:
    page = practise(ask)
    expected = []
    ease, days, now = 2.5, 0, 0
    # An easy card skips the interval of 6 days.
    for times, key, grade in [(1, "3", 4), (3, "4", 5), (4, "2", 3), (5, "3", 4)]:
        ease = round(ease + 0.1 - (5 - grade) * (0.08 + (5 - grade) * 0.02), 4)
        days = 1 if times == 1 else math.ceil(max(days, 6) * ease)
        expected.append({"times": times, "ease": ease, "days": days, "due": day(now + days)})
        page.get_by_role("button", name="Practise").click()
        while page.locator(".vk-deck__question").is_visible():
            asked = page.locator(".vk-deck__question").inner_text()
            page.keyboard.press("Space")
            first = asked == "Last?" and stored(page, "cards").get("card-last") != expected[-1]
            page.keyboard.press(key if first else "4")
        assert stored(page, "cards")["card-last"] == expected[-1]
        now += days
        page.clock.set_system_time(MONDAY + datetime.timedelta(days=now))
        page.reload()
    assert [each["days"] for each in expected] == [1, 16, 40, 99]
    page.get_by_role("button", name="Practise").click()
    while page.locator(".vk-deck__question").inner_text() != "Last?":
        page.keyboard.press("Space")
        page.keyboard.press("4")
    page.keyboard.press("Space")
    page.keyboard.press("1")
    lost = {"times": 0, "ease": expected[-1]["ease"], "days": 1, "due": day(now + 1)}
    assert stored(page, "cards")["card-last"] == lost


@pytest.mark.long
def test_by_finger_export_and_reset(ask: Visitor) -> None:
    page = practise(ask, width=390, has_touch=True)
    expect(page.get_by_role("button", name="Export")).to_be_disabled()
    page.get_by_role("button", name="Practise").tap()
    page.get_by_role("button", name="Show the answer").tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    grades = page.locator(".vk-deck__grade small")
    assert grades.all_inner_texts() == ["after 2 cards", "at the end", "tomorrow", "in 6 days"]
    page.get_by_role("button", name="Good").tap()
    page.get_by_role("button", name="End").tap()
    said = page.locator(f"{DECK} [role=status]")
    expect(said).to_have_text("Done: 1 answer. 0 cards due, the next tomorrow, 2 new of 3.")
    with page.expect_download() as found:
        page.get_by_role("button", name="Export").tap()
    assert json.loads(found.value.path().read_text()) == stored(page, "cards") != {}
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Reset").tap()
    expect(said).to_have_text("0 cards due, 3 new of 3.")
    assert stored(page, "cards") == {}
