"""The server's text equals the client's after any sequence of edits, whatever they count in."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from vaultkit.edit.text import (
    Edit,
    Span,
    common_lines,
    from_units,
    split_lines,
    text_with_edits,
    to_units,
)

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
#: Characters with several units, and characters that only some programs take for a line end.
TEXT = st.text(st.sampled_from("ab$[]é😀\u2028\x0b\x0c\x85\r\n\ud800"), max_size=12)


class Client:
    """An editor that stores its text as units of an encoding."""

    def __init__(self, text: str, encoding: str) -> None:
        self.codec, self.width = CODECS[encoding]
        self.text = text

    def position(self, at: int) -> tuple[int, int]:
        before = re.split(r"\r\n|\r|\n", self.text[:at])
        units = len(before[-1].encode(self.codec, "surrogatepass")) // self.width
        return len(before) - 1, units

    def replace(self, first: int, last: int, text: str) -> None:
        self.text = self.text[:first] + text + self.text[last:]


class Typing(RuleBasedStateMachine):
    @initialize(text=TEXT, encoding=st.sampled_from(sorted(CODECS)))
    def open(self, text: str, encoding: str) -> None:
        self.encoding = encoding
        self.client = Client(text, encoding)
        self.server = text

    @rule(data=st.data(), text=TEXT)
    def type(self, data: st.DataObject, text: str) -> None:
        # Between \r and \n there is no position in an editor.
        places = [
            at
            for at in range(len(self.client.text) + 1)
            if self.client.text[at - 1 : at + 1] != "\r\n"
        ]
        ends = data.draw(st.lists(st.sampled_from(places), min_size=2, max_size=2))
        first, last = sorted(ends)
        positions = self.client.position(first), self.client.position(last)
        self.client.replace(first, last, text)
        rows = split_lines(self.server)
        places = [(line, from_units(rows[line], at, self.encoding)) for line, at in positions]
        (line, column), (end_line, end_column) = places
        edit = Edit(Span(line + 1, column, end_line + 1, end_column), text)
        self.server = text_with_edits(self.server, [edit])

    @invariant()
    def both_hold_the_same(self) -> None:
        if hasattr(self, "server"):
            assert self.server == self.client.text


Typing.TestCase.settings = settings(
    max_examples=settings().max_examples * 3 // 2, stateful_step_count=12, deadline=None
)
TestTyping = Typing.TestCase


@given(TEXT, st.sampled_from(sorted(CODECS)))
def test_units_and_columns_are_each_others_inverse(text: str, encoding: str) -> None:
    line = re.sub(r"[\r\n]", "", text)
    for column in range(1, len(line) + 2):
        assert from_units(line, to_units(line, column, encoding), encoding) == column


def test_what_is_beyond_a_line_is_its_end() -> None:
    assert from_units("ab\r\n", 99, "utf-16") == 3
    assert from_units("a😀\n", 99, "utf-16") == 3
    # In the middle of a character: before it.
    assert from_units("😀b", 1, "utf-16") == 1
    assert text_with_edits("ab\n", [Edit(Span(9, 9, 9, 9), "c")]) == "ab\nc"


def test_edits_give_places_in_the_text_as_it_was() -> None:
    edits = [Edit(Span(2, 1, 2, 2), "Y"), Edit(Span(1, 1, 1, 2), "XX"), Edit(Span(1, 3, 2, 1), "-")]
    assert text_with_edits("ab\ncd\n", edits) == "XXb-Yd\n"
    with pytest.raises(ValueError, match="overlap at line 1"):
        text_with_edits("abc", [Edit(Span(1, 1, 1, 3), ""), Edit(Span(1, 2, 1, 4), "")])


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_what_an_edit_has_left_is_found(before: list[str], after: list[str]) -> None:
    head, tail, by = common_lines(before, after)
    assert before[:head] == after[:head]
    assert before[tail - 1 :] == (after[tail - 1 + by :] if tail <= len(before) else [])
    assert head < tail, json.dumps([before, after])
