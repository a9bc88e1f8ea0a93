"""Sentences that compare: on the road each is bound to code, or has its number in it.

`vaultkit check docs --unjudged` lists those of the other notes that are not.
"""

from __future__ import annotations

import pytest

from tests.test_road import ROAD
from vaultkit.claims.compared import compared
from vaultkit.read.note import Note


@pytest.mark.parametrize("note", ROAD, ids=lambda note: note.name)
def test_a_comparison_on_the_road_is_bound_or_has_its_number(note: Note) -> None:
    assert [(own.line, own.text) for own in compared(note)] == []
