"""The reader's roads: one order in `nav`, in the closing lines, and in the words that are used.

The *road* is what `nav` puts into an order; its first pages are the *short road*, which needs no
page beyond. *Side roads* leave from it; each of their notes is linked from a note of the road.
`python tests/test_road.py` lists what is not in order, without failing.

A term of the Glossary is *introduced* in the section that its entry links first. Before the road
has come to the end of that section, a note may use the term only if it explains it on the spot.
The first time it occurs there, in reading order,
- it is bold (a definition) or in italics (the word as a word), or
- a link is in the same paragraph, list item or table row that leads to the note that
  introduces it, or to one further links of the entry name, or
- a gloss follows it at once: brackets, or ", that is,".
After that the note may use it freely. A definition in bold or a gloss introduces it for all later
notes, too; so does a link to the note that introduces it, if that is beside the road. A term as a
part of a longer term of the Glossary (the "attention" in "cross-attention") counts as the longer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
import yaml

from tests.own_vault import ROOT, VAULT
from vaultkit.read.note import Note

NOTES = {note.path.name: note for note in VAULT.notes.values()}
NEXT = re.compile(r"Next: (?:\[\[(?P<name>[^]|#]+)\]\]|\[(?P<title>[^]]+)\]\([^)#]+\)), .+\.$")


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml, whose `!ENV` is nobody's business here."""


_Loader.add_multi_constructor("!", lambda *_: None)


SETTINGS: dict[str, Any] = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), _Loader)
(OURS,) = (plugin["vaultkit"] for plugin in SETTINGS["plugins"] if "vaultkit" in plugin)


def nav() -> list[tuple[str, Note]]:
    """Give every note of `nav` with its section, in order."""

    def flat(entries: list[Any], section: str) -> Iterator[tuple[str, Note]]:
        for entry in entries:
            if isinstance(entry, str):
                yield section, NOTES[entry]
                continue
            for title, below in entry.items():
                if isinstance(below, str):
                    yield section, NOTES[below]
                else:
                    yield from flat(below, title)

    return list(flat(SETTINGS["nav"], ""))


def of(sections: list[str]) -> list[Note]:
    """Give the notes of these sections, in the order of `nav`."""
    return [note for section, note in nav() if section in sections]


BESIDE = [*OURS["side_roads"], *OURS["off_the_road"]]
ROAD = [note for section, note in nav() if section not in BESIDE]
SHORT_NAME, SHORT_PAGES = next(iter(OURS["roads"].items()))
SHORT = [NOTES[name] for name in SHORT_PAGES]
SIDES = of(OURS["side_roads"])
#: All notes that use the words of the Glossary, in the order in which one may come to them.
WALK = [*ROAD, *SIDES, NOTES["Questions and Answers.md"], NOTES["Before You Start.md"]]
STEPS = list(pairwise(ROAD))


class Term(NamedTuple):
    """An entry of the Glossary: its words, and where the road introduces it."""

    name: str
    words: tuple[str, ...]
    step: int  # the note's place on the road
    lines: tuple[int, int]  # the section in it
    links: frozenset[str]  # the notes that explain it


class Fault(NamedTuple):
    """A term where the road has not come to it yet."""

    note: str
    line: int
    term: str
    said: str

    def __str__(self) -> str:
        return (
            f"docs/{self.note}.md:{self.line}: {self.term!r} before it is introduced: {self.said}"
        )


ENTRY = re.compile(r"- \*\*(?P<name>.+?)\*\*(?: \(also (?P<also>[^)]*\)?[^)]*)\))?: .+")


def terms(road: list[Note]) -> list[Term]:
    """Read the Glossary."""
    glossary = NOTES["Glossary.md"]
    found = []
    for number, line in enumerate(glossary.lines, 1):
        if not (entry := ENTRY.fullmatch(line)):
            continue
        links = [link for link in glossary.links if link.line == number]
        places = [VAULT.resolve(link, glossary) for link in links]
        note = VAULT.notes[places[0].path]
        heading = note.heading(links[0].sub) if links[0].sub else note.headings[0]
        assert heading
        words = [entry["name"], *(entry["also"] or "").split(", ")]
        found.append(
            Term(
                entry["name"],
                tuple(word.lower() for word in words if word),
                road.index(note),
                note.section_lines(heading),
                frozenset(place.path.stem for place in places),
            )
        )
    return found


SYMBOLS = {
    r"\mathbb{E}": "expectation",
    r"\operatorname{Var}": "variance",
    r"\exp": "exponential",
    r"\log": "logarithm",
    r"\tanh": "tanh",
    r"\partial": "derivative",
    "O(": "O(·)",
}


def symbols(tex: str) -> str:
    """Name the terms that a formula writes as symbols."""
    return " ".join(["", *(word for symbol, word in SYMBOLS.items() if symbol in tex), ""])


def prose(note: Note) -> Iterator[tuple[int, str]]:
    """Give the lines that a reader reads as sentences: no headings, code, formulas or pictures."""
    hidden = {n for fence in note.fences for n in range(fence.line, fence.end + 1)}
    first = next((h.line for h in note.headings), 1)
    display = False
    for number, line in enumerate(note.lines, 1):
        if number < first or number in hidden:
            continue
        if line.strip() == "$$":
            display = not display
            continue
        if display:
            yield number, symbols(line)
            continue
        if NEXT.fullmatch(line) or line.startswith("#"):
            continue
        text = re.sub(r"\$([^$]*)\$", lambda formula: symbols(formula[1]), line)
        text = re.sub(r"<!--.*?-->|`[^`]*`|!\[[^]]*\]\([^)]*\)", " ", text)
        yield number, text


def shown(text: str) -> str:
    """Give the words of a line as a reader sees them, links by their words."""
    text = re.sub(r"\[\[[^]|]*\|([^]]*)\]\]", r"\1", text)
    text = re.sub(r"\[\[([^]]*)\]\]", r"\1", text)
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)


def faults(road: list[Note], within: list[Note] | None = None) -> list[Fault]:
    """Walk the road and list each term that comes too early, once a note.

    With `within`, only what is on these notes is read, and only links between them count.
    """
    known, found = terms(road), []
    pages = {note.name for note in within or road}
    beside = {note.name for note in road if note not in ROAD}
    by_word = {word: term for term in known for word in term.words}
    words = sorted(by_word, key=len, reverse=True)
    pattern = re.compile(
        r"(?<![\w-])(?P<word>" + "|".join(map(re.escape, words)) + r")(?P<plural>e?s)?(?![\w-])",
        re.IGNORECASE,
    )
    introduced: set[str] = set()
    for step, note in enumerate(road):
        if note.path.suffix != ".md" or note.name not in pages:
            continue
        seen: set[str] = set()
        links = {
            line: pages
            & {VAULT.resolve(link, note).path.stem for link in note.links if link.line == line}
            for line in {link.line for link in note.links if not link.embed}
        }
        for number, raw in prose(note):
            # The name of a page is no use of the words in it.
            text = shown(re.sub(r"\[\[[^]|]*\]\]", " ", raw))
            for match in pattern.finditer(text):
                term = by_word[match["word"].lower()]
                if term.name in introduced or term.name in seen:
                    continue
                if term.step < step:
                    introduced.add(term.name)
                    continue
                seen.add(term.name)
                if term.step == step and not _too_early(note, number, term.lines[0]):
                    continue
                before, after = text[: match.start()], text[match.end() :]
                bold = re.search(r"\*\*[^*]*$", before) and re.match(r"[^*]*\*\*", after)
                gloss = re.match(r"\*{0,2} \(|,? that is,", after)
                as_word = before.endswith("*") and after.startswith("*")
                if bold or gloss or beside & links.get(number, set()) & term.links:
                    introduced.add(term.name)
                elif not as_word and not links.get(number, set()) & term.links:
                    said = text[max(0, match.start() - 50) : match.end() + 30].strip()
                    found.append(Fault(note.name, number, term.name, said))
    return found


def _too_early(note: Note, number: int, start: int) -> bool:
    """Return whether a line is above the section that begins at `start`, below the opening."""
    opening = note.headings[1].line if len(note.headings) > 1 else start
    return opening <= number < start


def last_line(note: Note) -> str:
    """Give the last line that says something."""
    return [line for line in note.lines if line.strip()][-1]


def test_every_note_is_on_the_road_or_off_it() -> None:
    listed = [note.path.name for _, note in nav()]
    assert sorted(listed) == sorted(NOTES)


def words(note: Note) -> int:
    """Count what a reader reads of a note as sentences, captions and table cells."""
    folded = re.compile(r"> (?:> )?\[!\w+\]-")
    hidden = {n for fence in note.fences for n in range(fence.line, fence.end + 1)}
    first = next(h.line for h in note.headings)
    count, skip, display = 0, False, False
    for number, line in enumerate(note.lines, 1):
        skip = line.startswith(">") and (skip or bool(folded.match(line)))
        display ^= line.strip() == "$$"
        if number < first or number in hidden or skip or display:
            continue
        text = shown(re.sub(r"<!--.*?-->|!\[[^]]*\]\([^)]*\)", "", line))
        count += sum(bool(re.search(r"\w", word)) for word in text.split())
    return count


def blocks(note: Note) -> int:
    """Count the blocks of code that a reader sees without opening anything."""
    return sum(note.lines[block.fence.line - 1].startswith("```") for block in note.blocks)


def figures(note: Note) -> int:
    """Count the figures on lines of their own, outside folded parts (which begin with `>`)."""
    return sum(line.startswith("![") for line in note.lines)


def test_the_short_road_is_short_and_begins_the_whole() -> None:
    assert ROAD[: len(SHORT)] == SHORT
    assert len(SHORT) == 7
    read, run = sum(map(words, SHORT)), sum(map(blocks, SHORT))
    assert read <= 5500
    assert run <= 40
    # 170 words a minute, and 20 seconds for a block or a figure.
    minutes = read / 170 + (run + sum(map(figures, SHORT))) / 3
    assert minutes <= int(SHORT_NAME.split()[0])


#: They need numbers of another kind: a row of four, and a task with a known answer.
WITHOUT_THE_SENTENCE = {"Softmax", "A Head That Learns"}


@pytest.mark.parametrize("note", ROAD, ids=lambda note: note.name)
def test_one_sentence_leads_along_the_road(note: Note) -> None:
    mentions = "Mia and Tom wade in the river . the bank is" in note.text
    computes = "from snippets.bank_by_hand import" in note.text
    assert mentions or computes or note.name in WITHOUT_THE_SENTENCE
    assert "running_example" not in note.text


def test_the_whole_road_has_25_notes_at_most() -> None:
    assert len(ROAD) <= 25


@pytest.mark.parametrize("note", ROAD, ids=lambda note: note.name)
def test_a_note_of_the_road_is_one_idea(note: Note) -> None:
    assert words(note) <= 900
    assert blocks(note) <= 10


@pytest.mark.parametrize("note", SHORT, ids=lambda note: note.name)
def test_a_page_of_the_short_road_begins_with_its_question(note: Note) -> None:
    opening = next(line for line in note.lines[note.headings[0].line :] if line.strip())
    assert re.fullmatch(r"\*\*.*\?\*\*", opening)


def test_the_short_road_needs_no_page_beyond_it() -> None:
    found = faults(WALK, within=SHORT)
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("note", SIDES, ids=lambda note: note.name)
def test_a_side_road_is_entered_from_the_road(note: Note) -> None:
    entries = {link.source.name for link in VAULT.backlinks(note)}
    assert entries & {step.name for step in ROAD[1:]}


@pytest.mark.parametrize("section", OURS["side_roads"])
def test_a_side_road_leads_on_or_back(section: str) -> None:
    notes = of([section])
    for note, following in pairwise(notes):
        if note.path.suffix == ".md":
            last = last_line(note)
            assert following.name in last or "Back to the road: [[" in last, note.name
    assert following.path.suffix != ".md" or "road: [[" in last_line(following)


@pytest.mark.parametrize(("note", "following"), STEPS, ids=lambda note: note.name)
def test_a_note_leads_on_to_the_next_of_the_road(note: Note, following: Note) -> None:
    found = NEXT.fullmatch(last_line(note))
    if note.name != "index":  # whose button leads on
        assert found, "its last line is not: Next: [[Name]], what it adds."
        assert (found["name"] or found["title"]) == following.name


@pytest.mark.parametrize("note", ROAD[1:-1], ids=lambda note: note.name)
def test_a_note_of_the_road_ends_in_an_exercise(note: Note) -> None:
    last = [heading for heading in note.headings if heading.level == 2][-1]
    assert last.text.startswith("Exercise")
    if note.path.suffix == ".md":
        assert any("> [!success]- Answer" in line for line in note.lines[last.line :])


def test_the_home_page_names_two_ways_in_the_short_one_first() -> None:
    buttons = [n for n, line in enumerate(ROAD[0].lines, 1) if line.startswith("**[[")]
    first, second = (link for link in ROAD[0].links if link.line in buttons)
    assert first.words == SHORT_NAME
    assert VAULT.resolve(first, ROAD[0]).path == SHORT[1].path
    assert second.sub == "The road"


def test_the_home_page_lists_the_road() -> None:
    start = ROAD[0].heading("The road")
    assert start
    first, last = ROAD[0].section_lines(start)
    found = [
        VAULT.resolve(link, ROAD[0]).path.stem
        for link in ROAD[0].links
        if first < link.line <= last
    ]
    wanted = [*SHORT[1:], ROAD[len(SHORT)], *ROAD[len(SHORT) :], *SIDES]
    assert list(dict.fromkeys(found))[: len(ROAD) - 1 + len(SIDES)] == list(
        dict.fromkeys(note.name for note in wanted)
    )


def test_the_last_words_of_the_road_lead_nowhere() -> None:
    assert not NEXT.fullmatch(last_line(ROAD[-1]))


def test_no_term_occurs_before_the_road_introduces_it() -> None:
    found = faults(WALK)
    assert not found, "\n".join(map(str, found))


def test_a_term_that_comes_too_early_is_noticed() -> None:
    home, *rest = WALK
    found = {fault.term for fault in faults([home, *rest[::-1]])}
    assert {"Temperature", "Attention weight", "Causal mask", "Logit"} <= found


MISSED = """gradient variance expectation exponential logarithm projection encoder decoder residual
O(·) PyTorch GPT-2 BERT logit invertible einsum eigenvalue nat tanh erf normal"""


@pytest.mark.parametrize("term", MISSED.split())
def test_the_glossary_has_the_words_that_were_missed(term: str) -> None:
    names = " ".join(known.name.lower() for known in terms(WALK))
    assert term.lower() in names


def test_the_glossary_is_in_order() -> None:
    names = [re.sub(r"[^a-z0-9 ]", "", term.name.lower().replace("-", " ")) for term in terms(WALK)]
    assert names == sorted(names)


def test_the_section_that_introduces_a_term_says_the_word() -> None:
    silent = []
    for term in terms(WALK):
        note = WALK[term.step]
        lines = note.lines[term.lines[0] - 1 : term.lines[1]]
        said = " ".join([*lines, note.summary]).lower().replace("-", " ")
        names = [name.replace("-", " ").split() for name in term.words]
        if not any(all(_stem(word) in said for word in name) for name in names):
            silent.append(term.name)
    assert not silent


def _stem(word: str) -> str:
    return re.sub(r"(ion|ed|es|s|ce|y|(?<=n)t)$", "", word)


if __name__ == "__main__":
    for fault in faults(WALK):
        if len(sys.argv) < 2 or sys.argv[1] in fault.note:
            print(fault)
