"""The reader's road: one order in `nav`, in the closing lines, and in the words that are used.

`python tests/test_road.py` lists what is not in order, without failing.

A term of the Glossary is *introduced* in the section that its entry links first. Before the road
has come to the end of that section, a note may use the term only if it explains it on the spot.
The first time it stands there, in reading order,
- it is bold (a definition) or in italics (the word as a word), or
- a link stands in the same paragraph, list item or table row that leads to the note that
  introduces it, or to one further links of the entry name, or
- a gloss follows it at once: brackets, or ", that is,".
After that the note may use it freely. A definition in bold or a gloss introduces it for all later
notes, too. A term as a part of a longer term of the Glossary (the "attention" in "cross-attention")
counts as the longer one.
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
OFF_THE_ROAD = {"Look up", "For those who write notes"}
NEXT = re.compile(r"Next: (?:\[\[(?P<name>[^]|#]+)\]\]|\[(?P<title>[^]]+)\]\([^)#]+\)), .+\.$")


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml, whose `!ENV` is nobody's business here."""


_Loader.add_multi_constructor("!", lambda *_: None)


def nav() -> list[tuple[str, Note]]:
    """Give every note of `nav` with its section, in order."""
    settings = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), _Loader)

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

    return list(flat(settings["nav"], ""))


ROAD = [note for section, note in nav() if section not in OFF_THE_ROAD]
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


def faults(road: list[Note]) -> list[Fault]:
    """Walk the road and list each term that comes too early, once a note."""
    known, found = terms(road), []
    by_word = {word: term for term in known for word in term.words}
    words = sorted(by_word, key=len, reverse=True)
    pattern = re.compile(
        r"(?<![\w-])(?P<word>" + "|".join(map(re.escape, words)) + r")(?P<plural>e?s)?(?![\w-])",
        re.IGNORECASE,
    )
    introduced: set[str] = set()
    for step, note in enumerate(road):
        if note.path.suffix != ".md":
            continue
        seen: set[str] = set()
        links = {
            line: {VAULT.resolve(link, note).path.stem for link in note.links if link.line == line}
            for line in {link.line for link in note.links if not link.embed}
        }
        for number, raw in prose(note):
            text = shown(raw)
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
                if bold or gloss:
                    introduced.add(term.name)
                elif not as_word and not links.get(number, set()) & term.links:
                    said = text[max(0, match.start() - 50) : match.end() + 30].strip()
                    found.append(Fault(note.name, number, term.name, said))
    return found


def _too_early(note: Note, number: int, start: int) -> bool:
    """Tell whether a line stands above the section that begins at `start`, below the opening."""
    opening = note.headings[1].line if len(note.headings) > 1 else start
    return opening <= number < start


def last_line(note: Note) -> str:
    """Give the last line that says something."""
    return [line for line in note.lines if line.strip()][-1]


def test_every_note_is_on_the_road_or_off_it() -> None:
    listed = [note.path.name for _, note in nav()]
    assert sorted(listed) == sorted(NOTES)


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


def test_the_home_page_starts_the_road() -> None:
    (alone,) = (link for link in ROAD[0].links if link.alone and not link.embed)
    assert VAULT.resolve(alone, ROAD[0]).path == ROAD[1].path


def test_the_home_page_lists_the_road() -> None:
    start = ROAD[0].heading("The road")
    assert start
    first, last = ROAD[0].section_lines(start)
    found = [
        VAULT.resolve(link, ROAD[0]).path.stem
        for link in ROAD[0].links
        if first < link.line <= last
    ]
    assert found[: len(ROAD) - 1] == [note.name for note in ROAD[1:]]


def test_the_last_words_of_the_road_lead_nowhere() -> None:
    assert not NEXT.fullmatch(last_line(ROAD[-1]))


def test_no_term_stands_before_the_road_introduces_it() -> None:
    found = faults(ROAD)
    assert not found, "\n".join(map(str, found))


def test_a_term_that_comes_too_early_is_noticed() -> None:
    home, first, *rest = ROAD
    found = {fault.term for fault in faults([home, *rest, first])}
    assert {"Variance", "Gradient", "Expectation", "PyTorch", "Logarithm", "O(·)"} <= found


MISSED = """gradient variance expectation exponential logarithm projection encoder decoder residual
O(·) PyTorch GPT-2 BERT logit invertible einsum eigenvalue nat tanh erf normal"""


@pytest.mark.parametrize("term", MISSED.split())
def test_the_glossary_has_the_words_that_were_missed(term: str) -> None:
    names = " ".join(known.name.lower() for known in terms(ROAD))
    assert term.lower() in names


def test_the_glossary_is_in_order() -> None:
    names = [re.sub(r"[^a-z0-9 ]", "", term.name.lower().replace("-", " ")) for term in terms(ROAD)]
    assert names == sorted(names)


def test_the_section_that_introduces_a_term_says_the_word() -> None:
    silent = []
    for term in terms(ROAD):
        note = ROAD[term.step]
        lines = note.lines[term.lines[0] - 1 : term.lines[1]]
        said = " ".join([*lines, note.summary]).lower().replace("-", " ")
        names = [name.replace("-", " ").split() for name in term.words]
        if not any(all(_stem(word) in said for word in name) for name in names):
            silent.append(term.name)
    assert not silent


def _stem(word: str) -> str:
    return re.sub(r"(ion|ed|es|s|ce|y|(?<=n)t)$", "", word)


if __name__ == "__main__":
    for fault in faults(ROAD):
        if len(sys.argv) < 2 or sys.argv[1] in fault.note:
            print(fault)
