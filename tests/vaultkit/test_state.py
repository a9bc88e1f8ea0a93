"""Saving and restoring the global state around a note: settings and variables."""

import builtins
import decimal
import gc
import locale
import logging
import os
import random
import signal
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vaultkit.run.state import State, Variables

#: For each setting, how a note changes it, and how to read it.
CHANGES: dict[str, tuple[Callable[[], object], Callable[[], Any]]] = {
    "hooks": (lambda: setattr(sys, "argv", ["x"]), lambda: sys.argv),
    "folder": (lambda: os.chdir("/"), os.getcwd),
    "environment": (lambda: os.environ.update(NEW="1"), lambda: dict(os.environ)),
    "search path": (lambda: sys.path.append("/x"), lambda: list(sys.path)),
    "warnings": (lambda: warnings.simplefilter("once"), lambda: list(warnings.filters)),
    "random": (random.random, random.getstate),
    "numpy": (
        lambda: (np.set_printoptions(precision=3), np.seterr(all="raise"), np.setbufsize(16384)),
        lambda: (np.get_printoptions(), np.geterr(), np.getbufsize()),
    ),
    "numpy.random": (
        np.random.standard_normal,
        lambda: [np.asarray(part).tolist() for part in np.random.get_state()],  # noqa: NPY002
    ),
    "decimal": (
        lambda: setattr(decimal.getcontext(), "prec", 3),
        lambda: decimal.getcontext().prec,
    ),
    "logging": (
        lambda: (
            logging.getLogger().addHandler(logging.NullHandler()),
            logging.getLogger().setLevel(5),
            logging.disable(40),
        ),
        lambda: (
            list(logging.getLogger().handlers),
            logging.getLogger().level,
            logging.getLogger().manager.disable,
        ),
    ),
    "locale": (
        lambda: locale.setlocale(locale.LC_ALL, "C"),
        lambda: locale.setlocale(locale.LC_ALL),
    ),
    "signals": (
        lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN),
        lambda: signal.getsignal(signal.SIGUSR1),
    ),
    "interpreter": (
        lambda: (sys.setrecursionlimit(777), sys.setswitchinterval(0.1)),
        lambda: (sys.getrecursionlimit(), sys.getswitchinterval()),
    ),
    "collector": (
        lambda: (gc.disable(), gc.set_threshold(7, 8, 9)),
        lambda: (gc.isenabled(), gc.get_threshold()),
    ),
    "last value": (
        lambda: sys.__displayhook__(random.random()),
        lambda: getattr(builtins, "_", None),
    ),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("alone", [True, False])
def test_what_is_set_is_put_back(what: str, alone: bool) -> None:
    change, now = CHANGES[what]
    whole = State.capture()
    try:
        kept = State.capture([what]) if alone else whole
        before = now()
        change()
        assert now() != before or what == "locale"
        kept.apply()
        assert now() == before
        change()
        kept.apply([what], present=State.capture())
        assert now() == before
        # What is not named stays as it is.
        change()
        changed = now()
        kept.apply(["trace"])
        assert now() == changed
    finally:
        whole.apply()


def test_a_note_begins_with_defaults_where_there_are_any() -> None:
    whole = State.capture()
    try:
        decimal.getcontext().prec = 3
        logging.getLogger().setLevel(5)
        sys.setswitchinterval(0.125)
        sys.__displayhook__(3)
        kept = State.capture()
        fresh = State.fresh(kept)
        decimal.getcontext().prec = 4
        sys.setswitchinterval(0.25)
        fresh.apply()
        assert decimal.getcontext().prec == 28
        root = logging.getLogger()
        assert (root.level, root.handlers, root.disabled) == (logging.WARNING, [], False)
        assert sys.getswitchinterval() == 0.125
        assert not hasattr(builtins, "_")
        kept.apply(["last value"])
        assert builtins.__dict__["_"] == 3
        assert [(action, kind) for action, _, kind, *_ in warnings.filters] == [
            ("default", DeprecationWarning),
            ("ignore", DeprecationWarning),
            ("ignore", PendingDeprecationWarning),
            ("ignore", ImportWarning),
            ("ignore", ResourceWarning),
            ("always", Warning),
        ]
    finally:
        whole.apply()


def test_a_folder_that_is_gone_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    state = State.capture(["folder"])
    monkeypatch.chdir(tmp_path)
    gone.rmdir()
    state.apply()
    assert Path.cwd() == tmp_path


class Thing:
    def __init__(self, content: Any) -> None:
        self.content = content

    def method(self) -> Any:
        return self.content


def closure(content: Any) -> Callable[[], Any]:
    return lambda: content


def drawn(generator: Any) -> float:
    return float(generator.random())


HOLDERS: dict[str, Callable[[Any], Any]] = {
    "a name": lambda x: x,
    "a list": lambda x: [1, [x]],
    "a dictionary": lambda x: {"a": {"b": x}},
    "a tuple": lambda x: ((x,),),
    "an object": Thing,
    "a method": lambda x: Thing(x).method,
    "a closure": closure,
    "a default": lambda x: types.FunctionType((lambda y=0: y).__code__, {}, argdefs=(x,)),
}
#: Things that can change, how they change, and how to read them.
CONTENTS: dict[str, tuple[Callable[[], Any], Callable[[Any], object], Callable[[Any], Any]]] = {
    "an array": (lambda: np.array([1.0, 2.0]), lambda x: x.fill(7), lambda x: x.tolist()),
    "a list": (lambda: [1, 2], lambda x: x.append(3), list),
    "a list of the same length": (lambda: [1, 2], lambda x: x.reverse(), list),
    "a dictionary": (lambda: {1: 2}, lambda x: x.update({3: 4}), dict),
    "a dictionary with the same keys": (lambda: {1: 2}, lambda x: x.update({1: 4}), dict),
    "a set": (lambda: {1, 2}, lambda x: x.add(3), set),
    "a generator": (lambda: np.random.default_rng(0), drawn, lambda x: str(x.bit_generator.state)),
    "an older one": (lambda: np.random.RandomState(0), drawn, lambda x: str(x.get_state())),
    "one of Python": (lambda: random.Random(0), drawn, lambda x: x.getstate()),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("content", CONTENTS)
def test_variables_hold_again_what_they_held(holder: str, content: str) -> None:
    make, change, see = CONTENTS[content]
    thing = make()
    before = see(thing)
    variables = Variables({"x": HOLDERS[holder](thing)})
    change(thing)
    assert see(thing) != before
    variables.restore()
    assert see(thing) == before


def test_names_are_put_back_too_and_large_arrays_are_not() -> None:
    large, still = np.zeros((4 << 20) // 8 + 1), np.zeros(3)
    fits = np.zeros((4 << 20) // 8)
    still.flags.writeable = False
    space = {"large": large, "fits": fits, "still": still, "a": 1}
    variables = Variables(space)
    large[0] = fits[0] = space["b"] = 2
    del space["a"]
    assert len(variables._restore) == 2  # of the names, and of the array that fits
    variables.restore()
    assert (large[0], fits[0], list(space)) == (2.0, 0.0, ["large", "fits", "still", "a"])
