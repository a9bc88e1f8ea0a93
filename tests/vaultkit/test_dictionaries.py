"""Whatever is done to a dictionary, what it held before is not taken for what it holds now."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkit.run import dictionaries
from vaultkit.run.dictionaries import Dictionaries

NAMES = st.text("abcdefgh", min_size=1, max_size=2)
OBJECTS = [object() for _ in range(4)]


class Namespace:
    """Its class is looked at, too."""


@given(st.dictionaries(NAMES, st.sampled_from(OBJECTS), min_size=1), st.data())
def test_no_change_is_missed(known: dict[str, Any], data: st.DataObject) -> None:
    watched = Dictionaries([{"a": 1}, known])
    before = dict(known)
    edits = data.draw(st.lists(st.tuples(NAMES, st.sampled_from([*OBJECTS, None])), max_size=40))
    for name, value in edits:
        if value is None:
            known.pop(name, None)
        else:
            known[name] = value
        same = known.keys() == before.keys() and all(known[n] is before[n] for n in before)
        assert same or watched.changed() == [1]
    watched.take(1)
    assert not watched.changed()


def test_what_is_emptied_or_filled_anew_has_changed() -> None:
    known = {str(n): n for n in range(100)}
    watched = Dictionaries([known])
    known.clear()
    assert watched.changed() == [0]
    known.update({str(n): n for n in range(1000)})
    assert watched.changed() == [0]


def test_nothing_is_concluded_from_a_table_that_others_share() -> None:
    one, other = Namespace(), Namespace()
    one.a, other.a = 1, 2  # type: ignore[attr-defined]
    watched = Dictionaries([vars(one)])
    one.a = 3  # type: ignore[attr-defined]
    assert watched.changed() == [0]


def test_where_memory_cannot_be_read_all_may_have_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionaries, "_READABLE", False)
    watched = Dictionaries([{}, {}])
    watched.take(0)
    assert watched.changed() == [0, 1]


def test_memory_can_be_read_here() -> None:
    assert dictionaries._READABLE
