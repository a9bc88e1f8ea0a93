"""Work that several processes share is done once, and all of it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable

import pytest

from vaultkit.doors import helpers
from vaultkit.doors.helpers import divide
from vaultkit.run.processes import children


@pytest.fixture(autouse=True)
def three_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no processes can be forked here")
    monkeypatch.setattr(helpers, "can_fork", lambda: True)
    monkeypatch.setattr(helpers, "count_cores", lambda: 3)


@pytest.mark.parametrize("count", [0, 1, 40, 10_000])
def test_every_thing_is_done_by_one_process(count: int) -> None:
    done = divide(range(count), lambda things: [os.getpid(), *things])
    assert len(done) == (3 if count >= 40 else 1)
    assert len({pid for pid, *_ in done}) == len(done)
    assert sorted(thing for _, *things in done for thing in things) == list(range(count))


@pytest.mark.parametrize("how", ["raises", "logs", "dies"])
def test_what_a_helper_is_not_able_to_do_is_done_here(
    how: str, caplog: pytest.LogCaptureFixture
) -> None:
    here = os.getpid()
    reader, writer = os.pipe()
    waited: list[bool] = []

    def work(things: Iterable[int]) -> list[int]:
        done = []
        for thing in things:
            done.append(thing)
            if os.getpid() != here:
                if len(done) == 1:
                    os.write(writer, b".")
                if how == "raises":
                    raise ValueError(thing)
                if how == "dies":
                    os._exit(0)
            elif not waited:
                waited.append(True)
                assert os.read(reader, 1) == b"."  # until a helper has taken something
            if how == "logs":
                logging.getLogger("mkdocs.here").warning("%s is logged", thing)
        return done

    done = divide(range(40), work)
    assert sorted(thing for part in done for thing in part) == list(range(40))
    assert len(done) == 3
    if how == "logs":
        assert sorted(caplog.messages) == sorted(f"{thing} is logged" for thing in range(40))


def test_all_is_done_elsewhere() -> None:
    done = divide(range(64), lambda things: [os.getpid(), *things], here=False)
    assert os.getpid() not in {pid for pid, *_ in done}
    assert len(done) == 3
    assert sorted(thing for _, *things in done for thing in things) == list(range(64))


def test_what_nobody_else_is_able_to_do_is_left() -> None:
    def work(things: Iterable[int]) -> list[int]:
        raise ValueError([*things])

    assert divide(range(64), work, here=False) == []
    assert divide(range(2), work, here=False) == []


def test_what_is_wrong_here_ends_all() -> None:
    here = os.getpid()

    def work(things: Iterable[int]) -> None:
        for thing in things:
            if os.getpid() == here:
                raise ValueError(thing)
            while True:
                pass

    before = children(here)
    with pytest.raises(ValueError, match=r"\d"):
        divide(range(40), work)
    assert set(children(here)) <= set(before)
