"""Computes the data of a vault's figures, each in its own process.

A figure is up to date if the fingerprint in its drawing is that of its data (`vaultkit.figure`).
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from vaultkit.pipeline import rests_on
from vaultkit.run.dependencies import LocalFinder
from vaultkit.run.reordering import compile_reordered
from vaultkit.store import Store
from vaultkit.workers.ending import Limits
from vaultkit.workers.pool import Workers
from vaultkit.workers.work import Send


class FigureError(Exception):
    """The data of a figure could not be computed."""


class Figures:
    """The figures of a module, by their names.

    Parameters
    ----------
    module
        Name of the module whose ``FIGURES`` list them.
    count
        The number of figures computed at a time; 0 to compute them in this process, for debuggers.
    limits
        Limits of the process of a figure; by default, one thread.
    reordered
        The folder whose modules sum matrix products in another order; None for none.
    store
        Where the fingerprints of data are kept; None to keep none.
    reuses
        Whether those are reused whose code and data files are unchanged.
    """

    def __init__(
        self,
        module: str,
        count: int = 1,
        limits: Limits | None = None,
        reordered: Path | None = None,
        store: Store | None = None,
        reuses: bool = False,
    ) -> None:
        self.module, self._store = module, store
        self._workers = Workers(_Work(module, reordered), count, limits or Limits(threads=1))
        #: The fingerprints that are known, by the names of the figures.
        self._known: dict[str, str] = {}
        #: The names of the figures that are being computed.
        self._submitted: set[str] = set()
        self._reuses = reuses

    @cached_property
    def _key(self) -> bytes:
        """The fingerprint of everything that the figures rest on; empty if that is unknown."""
        spec = importlib.util.find_spec(self.module.partition(".")[0]) if self.module else None
        if spec is None or spec.origin is None:
            return b""
        file = Path(spec.origin)  # of a package, that of its ``__init__.py``
        beside = file.parents[1] if spec.submodule_search_locations else file.parent
        return rests_on.fingerprint(rests_on.rests_on_module(self.module, beside))

    def _look_up(self, name: str) -> None:
        """Take the fingerprint of a figure from the store, if it is there and still right."""
        if self._reuses and self._store and self._key:
            stored = self._store.find(_KIND, name, self._key)
            if stored is not None:
                self._known[name] = stored.decode()

    def submit(self, names: Iterable[str]) -> None:
        """Announce the figures that will be requested, in this order."""
        for name in dict.fromkeys(names):
            self._look_up(name)
            if name not in self._known:
                self._submitted.add(name)
                self._workers.submit(name)

    def attend(self) -> None:
        """Start or continue computing the submitted figures in the background."""
        self._workers.attend()

    def fingerprint(self, name: str) -> str:
        """Return the fingerprint of the current data of a figure.

        Raises
        ------
        FigureError
            If there is no such figure, or its function or the process that runs it fails.
        """
        if name not in self._known and name not in self._submitted:
            self.submit([name])
        if name not in self._known:
            self._submitted.discard(name)
            fingerprint = self._known[name] = self._result(name)
            if self._store and self._key:
                self._store.put(_KIND, name, self._key, fingerprint.encode())
        return self._known[name]

    def render(self, name: str) -> str:
        """Return the SVG of a figure.

        Raises
        ------
        FigureError
            As in `fingerprint`.
        """
        self._workers.submit(_DRAW + name)
        return self._result(_DRAW + name)

    def _result(self, key: str) -> str:
        """Return the fingerprint or SVG that the process of a key (see `_Work`) has computed.

        Raises
        ------
        FigureError
            If it failed, or there is no such figure.
        """
        ending = self._workers.result(key)
        if ending.kind == "raised":
            raise FigureError(f"what it shows could not be computed:\n{ending.details}")
        if ending.kind != "done":
            raise FigureError(f"what it shows could not be computed: its process {ending}")
        result: str | None = ending.messages[0]["result"]
        if result is None:  # there is no figure of this name
            raise FigureError(f"no figure of {self.module!r} draws this")
        return result

    def close(self) -> None:
        """End all processes."""
        self._workers.close()


#: The kind of the entries in the store.
_KIND = "figure"
#: Prefix of the key of a figure that is to be drawn; no file name contains a slash.
_DRAW = "draw/"


@dataclass
class _Work:
    """The work of the process of a figure; its attributes are those of `Figures`."""

    module: str
    reordered: Path | None

    def load(self, key: str, data: bytes) -> None:  # noqa: ARG002
        """Import the module before the processes of the figures are forked."""
        if self.reordered and not any(isinstance(finder, LocalFinder) for finder in sys.meta_path):
            sys.meta_path.insert(0, LocalFinder(self.reordered, compile_reordered))
        importlib.import_module(self.module)

    def __call__(self, key: str, send: Send) -> None:
        """Send the fingerprint or the drawing of a figure; None if there is no such figure.

        The key is the figure's name, for a drawing after `_DRAW`.
        """
        figure = importlib.import_module(self.module).FIGURES.get(key.removeprefix(_DRAW))
        if figure is None:
            send({"result": None})
        else:
            send({"result": figure.render() if key.startswith(_DRAW) else figure.fingerprint()})
