"""The page of the sources: every statement once, every link on the evidence."""

import re
from collections import Counter

import pytest

from tests.own_vault import VAULT
from vaultkit.read.note import Link

PAGE = next(note for note in VAULT.notes.values() if note.name == "Sources")
STATEMENTS = {"000": 18, "001": 47, "002": 18, "003": 75, "004": 20}
PARTS = [f"001-36{part}" for part in "abcde"]  # of one row, judged one by one
VERDICTS = ["right", "with conditions", "sloppy", "wrong", "missing"]

ROW = re.compile(r"\| (?P<id>\d{3}-\d+[a-z]?) \| (?P<rest>.+) \| (?P<verdict>[^|]+) \| [^|]+ \|")
ROWS = {number: row for number, line in enumerate(PAGE.lines, 1) if (row := ROW.fullmatch(line))}
LINKS = [link for link in PAGE.links if link.line in ROWS]


def verdict(row: re.Match[str]) -> str:
    return row["verdict"].partition(":")[0]


def test_every_statement_has_one_row() -> None:
    assert sum(STATEMENTS.values()) == 178
    wanted = [f"{s}-{i}" for s, count in STATEMENTS.items() for i in range(1, count + 1)]
    assert sorted(row["id"] for row in ROWS.values()) == sorted(wanted + PARTS)


def test_no_row_is_missed_by_this_test() -> None:
    assert [line for line in PAGE.lines if re.match(r"\| \d{3}-", line)] == [
        row[0] for row in ROWS.values()
    ]


def test_every_row_has_a_verdict_and_one_link() -> None:
    assert {verdict(row) for row in ROWS.values()} == set(VERDICTS)
    assert Counter(link.line for link in LINKS) == dict.fromkeys(ROWS, 1)


def test_the_verdicts_are_counted_right() -> None:
    for source in [*STATEMENTS, "all"]:
        found = Counter(
            verdict(row)
            for row in ROWS.values()
            if row["id"] not in PARTS and source in ("all", row["id"][:3])
        )
        counts = [found[name] for name in VERDICTS]
        cells = " | ".join(str(count) for count in [*counts, sum(counts)])
        assert any(source in line and line.endswith(f" | {cells} |") for line in PAGE.lines), source


@pytest.mark.parametrize("link", LINKS, ids=lambda link: ROWS[link.line]["id"])
def test_the_link_lands_on_the_evidence(link: Link) -> None:
    target = VAULT.resolve(link, PAGE)
    assert target.path != PAGE.path
    assert link.sub, "a heading or a block, not a whole page"
    assert target.lines
