"""What readers type finds what they look for, and costs nothing before they do."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from queries import AMONG_THREE, FIRST, ONE_OF
from visitor import Visitor

from vaultkit.site.search_index import Entry, Section, join_entries, serialize_entry

# The page's own worker, asked as Material's box asks it; it may be given another index.
ASK = """async ([questions, index]) => {
  const { base, search } = JSON.parse(document.querySelector("#__config").textContent);
  const address = new URL(search, new URL(base, location));
  if (index) address.searchParams.set("index", `data:,${encodeURIComponent(index)}`);
  const worker = new Worker(address);
  const answer = (message) => new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(message);
  });
  await answer({ type: 0, data: { config: {}, docs: [], options: {} } });
  const found = {};
  for (const question of questions) {
    const { data } = await answer({ type: 2, data: question });
    found[question] = data.items.slice(0, 3).map((item) =>
      item.find(({ location }) => !location.includes("#")).title.replace(/<.*?>/g, ""));
  }
  worker.terminate();
  return found;
}"""


# The excerpts of all sections that are found.
EXCERPTS = """async (questions) => {
  const { base, search } = JSON.parse(document.querySelector("#__config").textContent);
  const worker = new Worker(new URL(search, new URL(base, location)));
  const found = [];
  for (const question of questions) {
    const { data } = await new Promise((resolve) => {
      worker.onmessage = (message) => { if (message.data.type === 3) resolve(message.data); };
      worker.postMessage({ type: 2, data: question });
    });
    for (const { text } of data.items.flat()) {
      const box = document.createElement("div");
      box.innerHTML = text;
      found.push(box.textContent);
    }
  }
  worker.terminate();
  return found;
}"""


# The words that a note lacks, of those that are searched.
MISSED = """async (question) => {
  const { base, search } = JSON.parse(document.querySelector("#__config").textContent);
  const worker = new Worker(new URL(search, new URL(base, location)));
  const { data } = await new Promise((resolve) => {
    worker.onmessage = (message) => { if (message.data.type === 3) resolve(message.data); };
    worker.postMessage({ type: 2, data: question });
  });
  worker.terminate();
  return [...new Set(data.items.flat().flatMap(({ terms }) =>
    Object.keys(terms).filter((word) => terms[word] === false)))];
}"""


# Asks at every key, as who types faster than is searched; counts the answers.
TYPE = """async (text) => {
  const { base, search } = JSON.parse(document.querySelector("#__config").textContent);
  const worker = new Worker(new URL(search, new URL(base, location)));
  const wanted = (test) => new Promise((resolve) => {
    let answers = 0;
    worker.onmessage = ({ data }) => { answers += 1; if (test(data)) resolve(answers); };
  });
  const began = wanted(() => true);
  worker.postMessage({ type: 0, data: { config: {}, docs: [], options: {} } });
  await began;
  const first = wanted(() => true);
  worker.postMessage({ type: 2, data: "softmax" });
  await first;
  const last = wanted(({ data }) => data.items[0][0].location.includes("the-equation-taken-apart"));
  for (let end = 1; end <= text.length; end += 1)
    worker.postMessage({ type: 2, data: text.slice(0, end) });
  const answers = await last;
  worker.terminate();
  return answers;
}"""


def found_in(visit: Visitor, notes: list[Entry], *questions: str) -> list[list[str]]:
    """Return the names of the first three notes for each question, in a vault of these notes."""
    index = join_entries(map(serialize_entry, notes)).decode()
    found = visit().evaluate(ASK, [list(questions), index])
    return [found[question] for question in questions]


def note(name: str, text: str = "It flies.", keywords: Sequence[str] = ()) -> Entry:
    return Entry(f"{name}/", name, sections=[Section(text=text)], keywords=keywords)


def search(page: Page, words: str) -> None:
    # Letter by letter: the box listens to keys.
    page.locator(".md-search__input").press_sequentially(words)


def test_every_question_of_the_table_is_answered(visit: Visitor) -> None:
    assert len(FIRST) >= 35
    assert len(FIRST) + len(AMONG_THREE) >= 40
    found = visit().evaluate(ASK, [[*FIRST, *AMONG_THREE], ""])
    missed = {words: found[words] for words, note in FIRST.items() if [note] != found[words][:1]}
    missed |= {
        words: found[words] for words, note in AMONG_THREE.items() if note not in found[words]
    }
    assert missed == {}


def test_a_word_that_a_note_lacks_is_named_as_it_was_typed(visit: Visitor) -> None:
    missed = visit().evaluate(MISSED, "causal masks during generating")
    assert "during" in missed
    assert set(missed) <= {"causal", "masks", "during", "generating"}


def test_queries_written_before_they_were_measured_are_answered(visit: Visitor) -> None:
    assert len(ONE_OF) >= 175
    found = visit().evaluate(ASK, [list(ONE_OF), ""])
    missed = {words: found[words] for words in ONE_OF if not set(ONE_OF[words]) & {*found[words]}}
    assert missed == {}


def test_a_note_is_found_by_its_keywords(visit: Visitor) -> None:
    text = "At night its vision, its night vision, is good. Which bird sees at night?"
    others = [note("Tern", text), note("Gull", text), note("Vision"), note("Finch")]
    asked = ["night vision", "how does it see with night vision?", "mice hunting", "nihgt vision"]
    keywords = ["night vision", "which bird hunts mice in the dark"]
    found = found_in(visit, [*others, note("Owl", keywords=keywords)], *asked)
    assert [names[0] for names in found] == ["Owl"] * 4
    found = found_in(visit, [*others, note("Owl")], *asked)
    assert not [names for names in found if "Owl" in names]


def test_a_name_is_better_than_a_keyword(visit: Visitor) -> None:
    tern = Entry("tern/", "Tern and Sea Gull", ["Little Gull"], summary="No gull.", linked=9)
    tern.sections = [Section("gull", "Gull explained", "A gull explained.")]
    tern.keywords = ["gull", "what is a gull"]
    asked = ["what is a gull", "gull explained", "what is the definition of a gull?"]
    found = found_in(visit, [tern, note("Gull", "It cries.")], *asked)
    assert found == [["Gull", "Tern and Sea Gull"]] * 3


def test_a_common_word_of_keywords_hardly_counts(visit: Visitor) -> None:
    birds = [note(f"Kind {n}", "A bird.", [f"bird of kind {n}"]) for n in range(9)]
    wing = note("Zzz", "It has two wings, as each bird.")
    (names,) = found_in(visit, [note("Aaa", "A bird.", ["bird"]), *birds, wing], "wings of a bird")
    assert names[0] == "Zzz"


def test_a_good_match_does_not_hide_all_others(visit: Visitor) -> None:
    notes = [note("Owl", "It sees at night."), note("Bat", "It flies at night.")]
    (names,) = found_in(visit, [*notes, note("Night Sight")], "night sight")
    assert set(names) == {"Night Sight", "Owl", "Bat"}


@pytest.mark.parametrize(
    "asked",
    [
        "barn owls",
        "barm owl",
        "banr owl nests",
        "barnowl",
        "barn_owl",
        "BarnOwl",
        "BARN OWL",
        "i don't understand barn owls",
    ],
)
def test_a_name_is_found_in_any_spelling(visit: Visitor, asked: str) -> None:
    others = [note("Barn", "It stores hay. Do not enter."), note("Owl", "A barn is no nest.")]
    (names,) = found_in(visit, [*others, note("Barn Owl", "It nests.")], asked)
    assert names[0] == "Barn Owl"


def test_two_letters_of_a_long_word_may_be_wrong(visit: Visitor) -> None:
    notes = [note("Navigation"), note("Nightingale"), note("Nutcracker")]
    asked = ["nihgtingael", "nigthingele", "nutcarckre", "ngihtingale", "navigatoin", "nightingla"]
    found = found_in(visit, notes, *asked)
    assert [names[0] for names in found] == [
        *("Nightingale", "Nightingale", "Nutcracker", "Nightingale", "Navigation", "Nightingale")
    ]


def test_symbols_may_be_typed_as_two_words(visit: Visitor) -> None:
    notes = [note("Widths", "The width is w_wing."), note("Wing", "A wing."), note("W", "W.")]
    (names,) = found_in(visit, notes, "what is w wing")
    assert names[0] == "Widths"


def test_abbreviations_are_searched_in_full(visit: Visitor) -> None:
    notes = [note("Attention", "It looks."), note("Code", "attn = attn + attn")]
    (first, second) = found_in(visit, notes, "attn", "y does attn work")
    assert first[0] == second[0] == "Attention"


def test_words_side_by_side_say_more_than_apart(visit: Visitor) -> None:
    apart = [note(f"Fast {n}", "Fast wings. The weight is low. A weight.") for n in range(5)]
    (names,) = found_in(visit, [*apart, note("Zzz", "It has fast weights.")], "fast weights")
    assert names[0] == "Zzz"


def test_no_page_shows_a_keyword(built: Path) -> None:
    (index,) = (built / "assets/vaultkit").glob("search.*.json")
    assert "normalized exponential" in index.read_text("utf-8")
    page = (built / "softmax/index.html").read_text("utf-8")
    assert "normalized exponential" not in page


@pytest.mark.long
def test_nothing_is_fetched_before_the_box_is_opened(visit: Visitor) -> None:
    page = visit.open()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visit.go(page, "softmax/")
    page.wait_for_load_state("networkidle")
    index = re.compile(r"/assets/vaultkit/search\.\w+\.json$")
    assert not [url for url in asked if index.search(url)]
    with page.expect_response(index):
        page.locator(".md-search__input").focus()
    search(page, "softmax")
    expect(page.locator(".md-search-result__link").first).to_contain_text("Softmax")
    assert len([url for url in asked if index.search(url)]) == 1


@pytest.mark.long
def test_who_types_fast_waits_for_the_last_key_alone(visit: Visitor) -> None:
    # The first of them may have been searched before the others came.
    assert visit().evaluate(TYPE, "key transpose of a matrix of keys") <= 3


@pytest.mark.long
def test_what_is_pasted_is_searched_for(visit: Visitor) -> None:
    page = visit()
    page.locator(".md-search__input").fill("softmax")
    expect(page.locator(".md-search-result__link").first).to_contain_text("Softmax")


def test_what_is_fetched_with_every_page_is_small(built: Path) -> None:
    assert json.loads((built / "search/search_index.json").read_text("utf-8"))["docs"] == []
    (worker,) = (built / "assets/vaultkit").glob("search.*.js")
    assert worker.stat().st_size < 3_000


@pytest.mark.long
def test_it_says_so_where_the_index_cannot_be_fetched(visit: Visitor) -> None:
    page = visit()
    page.context.route("**/assets/vaultkit/search.*.json", lambda route: route.abort())
    page.on("requestfailed", lambda _: visit.wrong.clear())  # the browser complains of it, too
    search(page, "softmax")
    results = page.locator(".md-search-result__list")
    expect(results).to_contain_text("Search does not work right now")
    page.context.unroute("**/assets/vaultkit/search.*.json")
    search(page, " function")
    expect(page.locator(".md-search-result__link").first).to_contain_text("Softmax")
    visit.wrong[:] = [what for what in visit.wrong if "ERR_FAILED" not in what]


@pytest.mark.long
def test_results_write_formulas_as_titles_do(visit: Visitor) -> None:
    page = visit()
    search(page, "why divide by the square root")
    results = page.locator(".md-search-result__list")
    expect(results.locator("h1").first).to_contain_text("Importance of dk in Scaling")
    expect(results).to_contain_text("√dk")
    assert not re.search(r"[\u2061-\u2064]|\\[a-z]|d_k", results.inner_text())
    expect(results.locator(".vk-symbol sub", has_text="k").first).to_be_attached()
    # Opened again and again: the list is made again while results still come in.
    page.wait_for_function(
        """() => {
            const list = document.querySelector(".md-search-result__list");
            for (const fold of list.querySelectorAll("details")) fold.open = true;
            const marks = [...list.querySelectorAll("mark")];
            return marks.some(mark => mark.textContent === "√dk" && mark.checkVisibility());
        }"""
    )


def test_no_page_has_lost_a_root_or_an_index(built: Path) -> None:
    (index,) = (built / "assets/vaultkit").glob("search.*.json")
    notes = {note[1]: note for note in json.loads(index.read_text("utf-8"))["notes"]}
    text = " ".join(part[2] for part in notes["Attention Equation"][7])
    assert "softmax(QKᵀ/√d_k)V" in text
    assert "αᵢⱼ" in " ".join(part[2] for part in notes["Attention Weights"][7])
    assert notes["Attention Scores"][6][0] == "S = QKᵀ"
    assert "Linked from" not in index.read_text("utf-8")
    assert "keep a word from reading what comes after it" in notes["Causal and Padding Masks"][8]


@pytest.mark.long
def test_a_result_leads_to_the_section_that_holds_it(visit: Visitor) -> None:
    page = visit()
    search(page, "difference quotient")
    link = page.locator(".md-search-result__link[href*='#']:visible").first
    expect(link).to_be_visible()
    section = str(link.get_attribute("href")).partition("#")[2]
    link.click()
    page.wait_for_url(f"**#{section}")
    expect(page.locator(".md-content h1")).not_to_have_text("Attention Vault")
    expect(page.locator(f"[id='{section}']")).to_be_in_viewport()


@pytest.mark.usually("390")
@pytest.mark.parametrize("width", [1280, 390])
def test_search_by_keyboard(visit: Visitor, width: int) -> None:
    page = visit(width=width)
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    search(page, "K^T")
    expect(page.locator(".md-search-result__link").first).to_contain_text(
        "The Equation Taken Apart"
    )
    page.keyboard.press("Enter")
    page.wait_for_url("**/the-equation-taken-apart/**")


@pytest.mark.long
def test_who_finds_nothing_is_led_on(visit: Visitor) -> None:
    page = visit()
    search(page, "zzqqx attenshun")
    ways = page.locator(".vk-nothing")
    expect(ways).to_contain_text("Attention Scores")
    expect(ways.get_by_role("link", name="the list of all notes")).to_have_attribute(
        "href", re.compile(r"/vault/$")
    )
    search(page, " softmax")
    expect(ways).to_have_count(0)
    # It counts what it shows.
    count = page.locator(".md-search-result__meta").inner_text().partition(" ")[0]
    expect(page.locator(".md-search-result__item")).to_have_count(int(count))


@pytest.mark.long
def test_code_is_shown_as_code(visit: Visitor) -> None:
    page = visit()
    search(page, "np.swapaxes")
    code = page.locator(".md-search-result__list pre code").first
    expect(code).to_contain_text("swapaxes")
    assert "\n" in code.inner_text()


@pytest.mark.long
def test_no_excerpt_begins_with_an_empty_line_or_a_rule(visit: Visitor) -> None:
    found = visit().evaluate(EXCERPTS, ["attention scores", "residual", "causal mask", "logsumexp"])
    assert len(found) > 50
    assert [text for text in found if re.match(r"\s*\n|(… )?[-=_*]{3}", text)] == []


@pytest.mark.long
def test_words_of_the_reader_stay_words(visit: Visitor) -> None:
    page = visit()
    search(page, "<img src=x onerror=alert(1)> softmax")
    expect(page.locator(".md-search-result__link").first).to_contain_text("Softmax")
    assert page.locator(".md-search-result img").count() == 0
