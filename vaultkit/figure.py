"""Figures that code draws, with fingerprints that show whether a drawing is up to date.

A drawing contains the fingerprint of its data. Checking it needs only the data; redrawing it may
need a plotting library, which the figure's own ``draw`` imports.

If the function of the data has parameters, they are variables of the notes that show the figure,
and their defaults are the values in the published notes. A page then draws the figure again when a
reader's edit changes these variables.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

#: Matches the fingerprint in a drawing, its *stamp*.
_STAMP = re.compile(r"<metadata>drawn from (?P<fingerprint>[0-9a-f]{64})</metadata>")
#: The beginning of an SVG, behind which the stamp is inserted.
_SVG_TAG = re.compile(r"<svg\b[^>]*>")
#: Numbers below this are rounding errors, which are not visible.
_NOISE = 1e-12
_source = cache(inspect.getsource)


@dataclass(frozen=True)
class Figure:
    """A drawing, the function that computes its data, and the function that draws them.

    Parameters
    ----------
    name
        File name of the drawing, for example ``softmax.svg``.
    data
        Computes everything that the drawing shows: a mapping from names to arrays, numbers or
        words. Its parameters, which need defaults, have the names of variables of a note.
    draw
        Returns the text of an SVG, given those data. It imports its plotting library itself, so
        that checking a figure needs none.
    modules
        The modules that ``draw`` uses: if their source changes, the drawing is stale.
    """

    name: str
    data: Callable[..., Mapping[str, Any]]
    draw: Callable[[Mapping[str, Any]], str]
    modules: tuple[ModuleType, ...] = ()

    @property
    def variables(self) -> frozenset[str]:
        """The variables of a note from which the figure can be drawn; empty if there are none."""
        return frozenset(inspect.signature(self.data).parameters)

    def fingerprint(self) -> str:
        """SHA-256 of the data, to six significant digits, and of what draws them.

        Six digits, because machines differ in the last bits of a sum, and these are not visible.
        """
        digest = hashlib.sha256(inspect.getsource(self.draw).encode())
        for module in self.modules:
            digest.update(_source(module).encode())
        for key, value in sorted(self.data().items()):
            digest.update(f"{key}={_canonical(value)};".encode())
        return digest.hexdigest()

    def render(self) -> str:
        """Return the SVG with the fingerprint in its metadata."""
        svg = self.draw(self.data())
        stamp = f"<metadata>drawn from {self.fingerprint()}</metadata>"
        return _SVG_TAG.sub(rf"\g<0>{stamp}", svg, count=1)


def without_stamp(svg: str) -> str:
    """Return a drawing without the fingerprint of its data."""
    return _STAMP.sub("", svg, count=1)


def stamp_of(svg: str) -> str | None:
    """Return the fingerprint in a drawing, or None if it contains none."""
    found = _STAMP.search(svg)
    return found["fingerprint"] if found else None


def _canonical(value: Any) -> str:
    """Return a text that is equal for equal arrays, up to six digits.

    >>> _canonical([0.1 + 0.2, -0.0]), _canonical("a")
    ('(2,)[0.3,0]', '()[a]')
    """
    array = np.asarray(value)
    if array.dtype.kind in "fc":  # float or complex
        # Adding zero turns -0.0 into 0.0.
        values = [f"{0.0 + (x if abs(x) > _NOISE else 0.0):.6g}" for x in array.ravel()]
    else:
        values = [str(x) for x in array.ravel()]
    return f"{array.shape}[{','.join(values)}]"
