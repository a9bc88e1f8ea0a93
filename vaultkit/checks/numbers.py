"""Every number in prose is one that the note shows, computes or states in its code."""

from __future__ import annotations

import ast
import inspect
import math
import operator
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from vaultkit.checks.check import EXCEPTED, FAILS, Check
from vaultkit.read.note import Block, Note
from vaultkit.read.quantities import Amount, Quantity, as_float, plain_tex, states
from vaultkit.run.session import Step

_IN_OUTPUT = re.compile(
    r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
)
_IN_FORMULA = re.compile(r"(?<![\w.])[-−]?(?:\d+(?:\.\d+)?|\.\d+)")
_OUTPUT = "output at line {}"
#: Arrays and lists larger than this are data; a number that is among them proves nothing.
_LARGE = 512
#: How many blocks, the nearest ones, are next to a number.
_NEAR = 4
#: From here on an integer may be a rounding: 158 630 of 158629.75.
_LONG = 1000
#: How far from a number that is stated without decimals the computed one may be.
_HALF = Fraction(1, 2)
#: How many numbers make a row, which is looked for as a whole.
_ROW = 2
#: How many make one that is no other row by chance: where all but one of them are found, that one
#: is wrong, though it may stand elsewhere.
_SURE = 4
#: Places that stand apart from what they speak of.
_APART = {"summary", "description", "title"}
#: What share of the numbers with one digit changed may pass by chance: of integers and fractions,
#: of decimals that code states, of sizes of arrays, of roundings of what is shown next to the
#: number, of all that the page computes.
_LIKELY, _STATED, _SIZED, _ROUNDED, _UNLIKELY = 0.5, 0.3, 0.1, 0.1, 0.04


class Evidence:
    """Numbers, sorted, in which one can be looked up by its rounding."""

    def __init__(self) -> None:
        #: Where each was found first, and as what.
        self.sources: dict[float, tuple[str, str]] = {}
        #: Of the whole ones those that are measured, and not counted: 2.0, and not 2.
        self.measured: set[float] = set()
        self._sorted: list[float] | None = None

    @property
    def numbers(self) -> Set[float]:
        """The numbers."""
        return self.sources.keys()

    def add(self, numbers: Iterable[float], source: str) -> None:
        """Add numbers, and tell where they are from."""
        for number in numbers:
            self.sources.setdefault(float(number), (source, ""))
            if isinstance(number, (float, np.floating)) and float(number).is_integer():
                self.measured.add(float(number))
        self._sorted = None

    def print(self, printed: Iterable[str], source: str) -> None:
        """Add numbers as an output shows them."""
        for text in printed:
            self.sources.setdefault(_number(text), (source, text))
            if not text.lstrip("+-").isdigit():
                self.measured.add(_number(text))
        self._sorted = None

    def told(self, number: float | None) -> str:
        """Tell where one of the numbers is from: *variable x: 0.25*."""
        if number is None:
            return ""
        source, text = self.sources[float(number)]
        return f"{source}: {text or f'{number:.6g}'}"

    def include(self, other: Evidence) -> None:
        """Add the numbers of another, each with its own source."""
        self.sources = {**other.sources, **self.sources}
        self.measured |= other.measured
        self._sorted = None

    def between(self, low: float, high: float) -> list[float]:
        """Return the numbers from one to another, and a little beyond."""
        if self._sorted is None:
            self._sorted = sorted(number for number in self.numbers if math.isfinite(number))
        margin = 1e-9 * max(abs(low), abs(high))
        first = bisect_left(self._sorted, low - margin)
        return self._sorted[first : bisect_right(self._sorted, high + margin)]

    def rounds_to(self, amount: Amount, counted: bool = False) -> bool:
        """Tell whether one of the numbers, rounded to the digits stated, is this."""
        return self.rounded(amount, counted) is not None

    def holds(self, amount: Amount, counted: bool = False) -> bool:
        """Tell whether one of the numbers is exactly this."""
        return self.exact(amount, counted) is not None

    def rounded(self, amount: Amount, counted: bool = False) -> float | None:
        """Find a number that, rounded to the digits stated, is this.

        What was counted counts for what is stated with decimals only if it is said to.
        """
        for wanted, _, slack in amount.wanted:
            counts = counted or slack >= _HALF
            reach = slack if amount.unit else abs(wanted) / 200  # as far as three digits go
            for number in self.between(as_float(wanted - reach), as_float(wanted + reach)):
                if not counts and self._is_counted(number):
                    continue
                if abs(_exactly(number) - wanted) <= slack:
                    return number
                if not amount.unit and _is_rounding(number, wanted):
                    return number
        return None

    def exact(self, amount: Amount, counted: bool = False) -> float | None:
        """Find the number that is exactly this; see `rounded`."""
        for wanted, nearest, slack in amount.wanted:
            counts = counted or slack >= _HALF or not slack
            for number in self.between(nearest, nearest):
                if not counts and self._is_counted(number):
                    continue
                # Of a fraction, a float is what it comes to: no decimals are stated.
                if _exactly(number) == wanted or (amount.over and number == nearest):
                    return number
        return None

    def _is_counted(self, number: float) -> bool:
        """Tell 2, which was counted, from 2.0: it does not back 2.00, which is measured."""
        return number.is_integer() and number not in self.measured


class Numbers:
    """The numbers in the prose of a note, and all that may back them.

    Parameters
    ----------
    note
        The note.
    """

    def __init__(self, note: Note) -> None:
        #: Numbers in the outputs of each block, by the line of the block.
        self.outputs: list[tuple[int, Evidence]] = []
        self.shown = Evidence()
        #: Numbers bound to names; elements of what is bound, and lengths of its axes.
        self.bound, self.elements, self.lengths = Evidence(), Evidence(), Evidence()
        #: How many numbers arrays hold: of all integers, many are products of lengths.
        self.sizes = Evidence()
        #: What the parameters of functions are by default.
        self.defaults = Evidence()
        self._seen: dict[str, Any] = {}
        #: Numbers in the order in which an output or an array holds them, and which of them does.
        self.sequences: list[tuple[list[float], str]] = []
        #: Arrays of numbers as lists of their rows, and of their columns, and where they are from.
        self.tables: list[tuple[list[tuple[float, ...]], str]] = []
        #: Rows of arrays, and shapes, and where they are from.
        self.made: dict[tuple[float, ...], str] = {}
        self.texts: list[tuple[str, str]] = []
        #: By the line of each block, the numbers that names are bound to behind it.
        self.values: list[tuple[int, dict[str, float]]] = []
        self._near: dict[tuple[int, ...], Evidence] = {}
        #: Of rows that are found but for one number, which number that is, what stands there, and
        #: whether that is enough; of rows in brackets in another order, the first number.
        self._misses: dict[int, tuple[str, bool]] = {}
        self._swapped: dict[int, str] = {}
        #: Two numbers in brackets that stand side by side nowhere else.
        self._apart: dict[int, list[Quantity]] = {}
        self.turn_to(note)

    def turn_to(self, note: Note) -> None:
        """Take up a note that reads the same up to where this one was looked at."""
        self.note = note
        #: What code and formulas state.
        self.stated = Evidence()
        #: Lists that code writes out, and where they are from.
        self.rows: dict[tuple[float, ...], str] = {}
        for formula in note.formulas:
            if not formula.not_run and states(formula.tex):
                found = _IN_FORMULA.findall(plain_tex(formula.tex))
                numbers = (_written(number.replace("−", "-")) for number in found)
                place = f"line {formula.line}, column {formula.column}"
                self.stated.add(numbers, f"formula at {place}")
        for block in note.blocks:
            source = f"code at line {block.fence.line}"
            literals, rows = _stated(block)
            self.stated.add(literals, source)
            for row in rows:
                self.rows.setdefault(row, source)
        self.stated.include(self.defaults)

    @property
    def are_of_something_else(self) -> bool:
        """Whether the code shows nothing and has computed no number, be it that it broke."""
        found = (self.shown, self.bound, self.elements, self.lengths, self.sizes, self.defaults)
        outputs = any(block.output for block in self.note.blocks)
        return not outputs and not any(evidence.numbers for evidence in found)

    def look(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        """Gather the numbers of outputs, and of variables."""
        shown = Evidence()
        for step in steps:
            numbers: list[float] = []
            for line, text in _printed(step):
                found = _IN_OUTPUT.findall(text)
                shown.print(found, line)
                numbers += map(_number, found)
                self.texts.append((text, line))
            self.sequences.append((numbers, _OUTPUT.format(max(step.shown_lines[0], step.line))))
        self.outputs.append((block.fence.line, shown))
        self.shown.include(shown)
        for name, value in variables.items():
            if not name.startswith("__"):
                self._gather(name, value)
        values = {name: float(v) for name, v in variables.items() if _is_number(v)}
        self.values.append((block.fence.line, values))

    def _gather(self, name: str, value: Any) -> None:
        if isinstance(value, (bool, np.bool_, str, bytes)):
            return
        if isinstance(value, (ModuleType, FunctionType)):
            if self._seen.get(name) is value:
                return
            self._seen[name] = value
        if isinstance(value, ModuleType):
            # A page that imports a module as such may speak of the rows of its arrays.
            for attribute, array in list(vars(value).items()):
                if isinstance(array, np.ndarray) and array.ndim and array.size <= _LARGE:
                    for row in rows_of(array) | rows_of(array.T):
                        self.made.setdefault(row, f"variable {name}.{attribute}")
            return
        if _is_number(value):
            self.bound.add([value], f"variable {name}")
        elif isinstance(value, np.ndarray):
            if value.dtype.kind not in "fiu":
                return
            if value.ndim == 0:
                self.bound.add([value.item()], f"variable {name}")
                return
            seen = value.shape, value.tobytes() if value.size <= _LARGE else b""
            if self._seen.get(name) == seen:
                return
            self._seen[name] = seen
            self.lengths.add(value.shape, f"length of an axis of {name}")
            self.sizes.add([value.size], f"how many numbers {name} holds")
            self.made.setdefault(value.shape, f"shape of {name}")
            if value.size <= _LARGE:
                source = f"variable {name}"
                for row in rows_of(value) | rows_of(value.T):
                    self.made.setdefault(row, source)
                self.elements.add(value.ravel().tolist(), source)
                self.sequences.append((value.ravel().tolist(), source))
                if value.ndim > 1:
                    self.sequences.append((value.swapaxes(-1, -2).ravel().tolist(), source))
                if value.ndim == 2:
                    for table in (value, value.T):
                        self.tables.append((list(map(tuple, table.tolist())), source))
        elif isinstance(value, (list, tuple, dict, set, frozenset)):
            self.lengths.add([len(value)], f"length of {name}")
            if len(value) <= _LARGE:
                inner = list(value.values()) if isinstance(value, dict) else list(value)
                self.elements.add((v for v in inner if _is_number(v)), f"variable {name}")
                for index, item in enumerate(inner[:16]):
                    if isinstance(item, np.ndarray):
                        self._gather(f"{name}.{index}", item)
        elif isinstance(value, FunctionType):
            parameters = inspect.signature(value).parameters.values()
            given = [p.default for p in parameters if _is_number(p.default)]
            for evidence in (self.stated, self.defaults):
                evidence.add(given, f"default of {name}")

    def check(self) -> Iterator[Check]:
        """Tell of each number whether something backs it."""
        in_order = self.in_order()
        odd = self._odd_vectors()
        for index, quantity in enumerate(self.note.quantities):
            line, text, column = quantity.line, quantity.text, quantity.column
            known = self._known(quantity) if quantity.of else None
            if quantity.is_small and not known:
                continue
            if quantity.given:
                yield Check("number", line, text, EXCEPTED, quantity.given, column)
            elif known and not any(
                r and all(known.rounds_to(a, counted=True) for a in r) for r in quantity.readings
            ):
                told = " or ".join(f"{number:.6g}" for number in sorted(known.numbers))
                yield Check("number", line, text, FAILS, f"{text}: {quantity.of} is {told}", column)
            elif known and len(quantity.readings) == 1:
                told = f"variable {quantity.of}: {quantity.of} = {text}"
                yield Check("number", line, text, why=told, column=column)
            elif index in odd:
                why = f"{text}: all others of this list are rows of {odd[index]}, one after another"
                yield Check("number", line, text, FAILS, why, column)
            elif quantity.is_vector:
                yield self._vector(quantity)
            elif in_order.get(index):
                yield Check("number", line, text, why=in_order[index], column=column)
            elif index in in_order:
                why = f"{text}: nothing on this page shows the fractions of this row in their order"
                yield Check("number", line, text, FAILS, why, column)
            elif index in self._swapped:
                why = f"{text}: this row stands in another order in {self._swapped[index]}"
                yield Check("number", line, text, FAILS, why, column)
            elif index in self._misses and (
                self._misses[index][1] or not self._is_written(quantity)
            ):
                why = f"{text}: all others of this row stand in {self._misses[index][0]}"
                yield Check("number", line, text, FAILS, why, column)
            elif not self.backed(quantity):
                yield Check("number", line, text, FAILS, self.why(quantity), column)
            elif not all(map(self._is_bound, self._apart.get(index, ()))):
                why = "nothing on this page shows or computes this and the next number side by side"
                yield Check("number", line, text, FAILS, f"{text}: {why}", column)
            else:
                yield Check("number", line, text, why=self.rests_on(quantity), column=column)

    def in_order(self) -> dict[int, str]:
        """Find the numbers that stand in a row, as they do in an output or an array, and which.

        A fraction is one of few numbers, of which a page has most: a row of them must be a row
        there, too, and is told with nothing if it is not.
        """
        found: dict[int, str] = {}
        row: list[int] = []
        for index, quantity in enumerate((*self.note.quantities, None)):
            if quantity is None or not quantity.goes_on:
                if len(row) >= _ROW:
                    quantities = [self.note.quantities[n] for n in row]
                    source = self._sequence(quantities)
                    fractions = all(q.readings[0] and q.readings[0][0].over for q in quantities)
                    found.update(dict.fromkeys(row, source) if source or fractions else {})
                    if not source and len(row) > _ROW and (miss := self._near_miss(quantities)):
                        self._misses[row[miss[0]]] = miss[1], len(row) >= _SURE
                    bracketed = not source and quantities[0].opens and quantities[-1].closes
                    if bracketed and (told := self._permuted(quantities)):
                        self._swapped[row[0]] = told
                    if bracketed and len(row) == _ROW and any(map(_has_decimals, quantities)):
                        self._apart[row[0]] = quantities
                row = []
            row.append(index)
        return found

    def _sequence(self, row: list[Quantity]) -> str:
        return next((told for told, wrong in self._runs(row, 0) if not wrong), "")

    def _near_miss(self, row: list[Quantity]) -> tuple[int, str] | None:
        """Find the one number of a row that is another one where all others are found."""
        return next(((wrong[0], told) for told, wrong in self._runs(row, 1)), None)

    def _permuted(self, row: list[Quantity]) -> str:
        """Find a row with the same numbers in another order, where none has them in this one."""
        amounts = [q.readings[0][0] for q in row if q.readings[0]]
        if len(row) <= _ROW or len(amounts) < len(row):
            return ""
        wanted = [(as_float(a.value), as_float(a.unit / 2) * (1 + 1e-9)) for a in amounts]
        told = ""
        for numbers, source in self.sequences:
            for start in range(len(numbers) - len(row) + 1):
                run = numbers[start : start + len(row)]
                if _are(run, wanted):
                    return ""
                if not told and _are(sorted(run), sorted(wanted)):
                    told = f"{source}: {', '.join(f'{number:.6g}' for number in run)}"
        return told

    def _runs(self, row: list[Quantity], most: int) -> Iterator[tuple[str, list[int]]]:
        """Lay a row beside all numbers in their order; tell where, and which of it differ."""
        amounts = [q.readings[0][0] for q in row if q.readings[0]]
        if len(amounts) < len(row) or not any(a.over or 0 < a.unit < 1 for a in amounts):
            return
        reach = [max(as_float(a.unit / 2) * (1 + 1e-9), 1e-12) for a in amounts]
        wanted = [(as_float(a.value), far, a) for a, far in zip(amounts, reach, strict=True)]

        def fits(number: float, value: float, far: float, amount: Amount) -> bool:
            near = abs(number - value) <= far
            return near or bool(amount.over and _is_rounding(number, amount.value))

        for numbers, source in self.sequences:
            for start in range(len(numbers) - len(row) + 1):
                if not most and not fits(numbers[start], *wanted[0]):
                    continue
                run = numbers[start : start + len(row)]
                wrong: list[int] = []
                for place, (number, one) in enumerate(zip(run, wanted, strict=True)):
                    if not fits(number, *one):
                        wrong.append(place)
                        if len(wrong) > most:
                            break
                else:
                    yield f"{source}: {', '.join(f'{number:.6g}' for number in run)}", wrong

    def _odd_vectors(self) -> dict[int, str]:
        """Find the one vector of a list that is another one where all others are found in order."""
        lists: list[list[int]] = []
        for index, quantity in enumerate(self.note.quantities):
            if quantity.is_vector:
                if not (quantity.goes_on and lists):
                    lists.append([])
                lists[-1].append(index)
        odd: dict[int, str] = {}
        for found in lists:
            vectors = [_row(self.note.quantities[index]) for index in found]
            if len(vectors) > _ROW and (miss := self._one_off(vectors)):
                odd[found[miss[0]]] = miss[1]
        return odd

    def _one_off(self, vectors: list[tuple[float, ...]]) -> tuple[int, str] | None:
        """Tell which vector alone is no row of an array that has all others, and of which array."""
        near = None
        for rows, source in self.tables:
            for start in range(len(rows) - len(vectors) + 1):
                pairs = zip(rows[start : start + len(vectors)], vectors, strict=True)
                wrong = [n for n, (row, vector) in enumerate(pairs) if row != vector]
                if not wrong:
                    return None
                if len(wrong) == 1:
                    near = near or (wrong[0], source)
        return near

    def _vector(self, quantity: Quantity) -> Check:
        """Tell whether some array has a row like this, or code or an output shows it."""
        where = ("number", quantity.line, quantity.text)
        row = _row(quantity)
        source = self.rows.get(row) or self.made.get(row, "")
        for numbers, shown in self.sequences:
            if not source and any(
                tuple(numbers[at : at + len(row)]) == row for at in range(len(numbers))
            ):
                source = shown
        if source:
            return Check(*where, why=f"{source}: {quantity.text}", column=quantity.column)
        why = f"nothing on this page shows or computes {quantity.text}"
        return Check(*where, FAILS, why, quantity.column)

    def _known(self, quantity: Quantity) -> Evidence | None:
        """Return what a name is bound to before a number that is said to be its, and below it."""
        found = [(line, v[quantity.of]) for line, v in self.values if quantity.of in v]
        above = [value for line, value in found if line < quantity.line]
        below = [value for line, value in found if line > quantity.line]
        if not found:
            return None
        known = Evidence()
        known.add({*above[-1:], *below[:1]}, f"variable {quantity.of}")
        return known

    def backed(self, quantity: Quantity) -> bool:
        """Tell whether a number is shown, computed or stated in code, in one of its readings."""
        if self.is_quoted(quantity):
            return True
        near = self.near(quantity)
        return any(
            reading and all(self.backs(amount, near) for amount in reading)
            for reading in quantity.readings
        )

    def rests_on(self, quantity: Quantity) -> str:
        """Tell what a number that is backed is or rounds, the nearest and most exact first."""
        quoted = self.quoted(quantity)
        if quoted:
            return quoted
        near = self.near(quantity)
        for reading in quantity.readings:
            if reading and all(self.backs(amount, near) for amount in reading):
                found = (self._source(amount, quantity) for amount in reading)
                return "; ".join(dict.fromkeys(found))
        return ""

    def _source(self, amount: Amount, quantity: Quantity) -> str:
        near: list[Evidence] = []
        if quantity.place not in _APART:
            near = self._by_distance(quantity)
        stated = [self.stated, self.bound]
        if amount.whole:
            stated += [self.lengths, self.shown, self.sizes]
        for evidence in (*near, *stated):
            if told := evidence.told(evidence.exact(amount)):
                return told
        for evidence in (*near, self.bound, self.elements, self.shown, self.stated):
            if told := evidence.told(evidence.rounded(amount)):
                return told
        for evidence in (*near, *stated):
            if told := evidence.told(evidence.exact(amount, counted=True)):
                return told
        return ""

    def is_quoted(self, quantity: Quantity) -> bool:
        """Tell whether an output has a number with its very unit: *90 MB*, *16.50 %*."""
        return bool(self.quoted(quantity))

    def quoted(self, quantity: Quantity) -> str:
        """Find the line of an output that has a number with its very unit."""
        if not any(len(amount.scales) > 1 for reading in quantity.readings for amount in reading):
            return ""
        wanted = re.compile(rf"(?<![\w.]){re.escape(_spaceless(quantity.text))}(?!\w)")
        for text, line in self.texts:
            if wanted.search(_spaceless(text)):
                return f"{line}: {quantity.text}"
        return ""

    def near(self, quantity: Quantity) -> Evidence:
        """Return the numbers in the outputs next to a quantity."""
        if quantity.place in _APART:
            return Evidence()
        by_distance = sorted(
            range(len(self.outputs)), key=lambda n: abs(self.outputs[n][0] - quantity.line)
        )
        nearest = tuple(sorted(by_distance[:_NEAR]))
        if nearest not in self._near:
            self._near[nearest] = Evidence()
            for index in nearest:
                self._near[nearest].include(self.outputs[index][1])
        return self._near[nearest]

    def _by_distance(self, quantity: Quantity) -> list[Evidence]:
        outputs = sorted(self.outputs, key=lambda output: abs(output[0] - quantity.line))
        return [evidence for _, evidence in outputs[:_NEAR]]

    def backs(self, amount: Amount, near: Evidence) -> bool:
        """Tell whether something backs a number: outputs next to it, or else what is telling."""
        if near.holds(amount) and amount.digits > 1:
            return True
        if amount.is_rough:
            every = (near, self.stated, self.bound, self.shown)
            return any(evidence.rounds_to(amount, counted=True) for evidence in every)
        for found, share in (
            (near.holds, _STATED),
            (self._exact, _STATED),
            (partial(self._rounded, near), _ROUNDED),
            (self._sized, _SIZED),
            (self._anywhere, _UNLIKELY),
        ):
            allowed = _LIKELY if amount.over or (amount.whole and share == _STATED) else share
            if found(amount) and self.chance(amount, found) <= allowed:
                return True
        return False

    def _is_written(self, quantity: Quantity) -> bool:
        near = self.near(quantity)
        return any(
            reading and all(near.holds(amount) or self._exact(amount) for amount in reading)
            for reading in quantity.readings
        )

    def _is_bound(self, quantity: Quantity) -> bool:
        """Tell whether each number has a name, or is stated or shown as it is."""
        return any(
            reading
            and all(
                self.bound.rounds_to(a) or self.stated.holds(a) or self.shown.holds(a)
                for a in reading
            )
            for reading in quantity.readings
        )

    def _exact(self, amount: Amount, counted: bool = False) -> bool:
        """Tell whether code states, binds or shows exactly this; or an axis is as long."""
        exact = (self.stated, self.bound, *((self.lengths, self.shown) if amount.whole else ()))
        return any(evidence.holds(amount, counted) for evidence in exact)

    def _sized(self, amount: Amount) -> bool:
        return amount.whole and (self.sizes.holds(amount) or self._exact(amount))

    def _rounded(self, near: Evidence, amount: Amount) -> bool:
        return self._exact(amount) or (
            (not amount.whole or abs(amount.value) >= _LONG)
            and (near.rounds_to(amount) or self.bound.rounds_to(amount))
        )

    def _anywhere(self, amount: Amount) -> bool:
        if self._exact(amount, counted=True) or (amount.whole and self.elements.holds(amount)):
            return True
        if amount.whole and self.sizes.holds(amount):
            return True
        if amount.whole and abs(amount.value) < _LONG:
            return False
        every = (self.shown, self.bound, self.elements)
        return any(evidence.rounds_to(amount, counted=True) for evidence in every)

    def chance(self, amount: Amount, found: Callable[[Amount], bool]) -> float:
        """Return the share of the numbers with one digit changed that would pass as well."""
        changed = list(amount.changed())
        return sum(map(found, changed)) / len(changed) if changed else 0.0

    def why(self, quantity: Quantity) -> str:
        """Tell why a number is not backed, and name the computed numbers that come nearest."""
        if not any(quantity.readings):
            return f"{quantity.text} is no number as one writes it"
        amount = next(reading[0] for reading in quantity.readings if reading)
        where = f" (in the {quantity.place})" if quantity.place else ""
        if not amount.is_rough and any(
            r and all(map(self._anywhere, r)) for r in quantity.readings
        ):
            return (
                f"{quantity.text}{where} may come from too many numbers of this page: "
                "show more digits, or show it in an output next to it"
            )
        every = self.shown.numbers | self.bound.numbers
        wanted = [value for _, value, _ in amount.wanted]
        nearest = sorted(
            (number for number in every if np.isfinite(number)),
            key=lambda n: min(abs(n - w) / (abs(w) or 1) for w in wanted),
        )
        hint = f"; nearest are {', '.join(f'{n:.6g}' for n in nearest[:3])}" if nearest else ""
        return f"nothing on this page computes {quantity.text}{where}{hint}"


def _row(quantity: Quantity) -> tuple[float, ...]:
    return tuple(float(amount.value) for amount in quantity.readings[0])


def _has_decimals(quantity: Quantity) -> bool:
    return any(0 < amount.unit < 1 for amount in (quantity.readings or ((),))[0])


def _printed(step: Step) -> Iterator[tuple[str, str]]:
    """Tell the lines of an output, each with where the page shows it."""
    first, last = step.shown_lines
    for index, text in enumerate(step.got.splitlines()):
        shown = _OUTPUT.format(min(first + index, last)) if last >= first else ""
        yield shown or f"output of the code at line {step.line}", text


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _written(text: str) -> float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _spaceless(text: str) -> str:
    """Write numbers with their units right behind them."""
    return re.sub(r"(?<=\d)[ \u00a0\u202f\u2009]+(?=[A-Za-zµμ%‰])", "", text)


def rows_of(array: Any) -> set[tuple[float, ...]]:
    """Find the rows of an array: what runs along its last axis."""
    length = array.shape[-1]
    return set(map(tuple, array.reshape(array.size // max(1, length), length).tolist()))


def _are(numbers: Sequence[float], wanted: Sequence[tuple[float, float]]) -> bool:
    """Tell whether numbers are those that are wanted, each as near as it has to be."""
    return all(abs(n - value) <= far for n, (value, far) in zip(numbers, wanted, strict=True))


def _stated(block: Block) -> tuple[list[float], list[tuple[float, ...]]]:
    """Find the numbers that code states, and the lists of numbers that it writes out."""
    source = block.fence.text
    if block.kind == "pycon":
        found = re.findall(r"^\s*(?:>>>|\.\.\.) ?(.*)$", source, re.MULTILINE)
        source = "\n".join(found)
    try:
        nodes = _nodes(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], []
    # Of -0.5 the code does not state 0.5.
    within = {
        id(node.operand)
        for node in nodes
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    }
    numbers = [_kept(node, _folded(node)) for node in nodes if id(node) not in within]
    rows = []
    for node in nodes if block.kind != "pycon" else ():
        items = node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
        items = node.args if isinstance(node, ast.Call) else items
        row = [number for number in map(_folded, items) if number is not None]
        if 1 < len(row) == len(items):
            rows.append(tuple(row))
    return [number for number in numbers if number is not None], rows


def _nodes(tree: ast.AST) -> list[ast.AST]:
    """List all parts of a program; `ast.walk` takes twice as long."""
    nodes = [tree]
    for node in nodes:  # of which there are more and more
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, list):
                nodes += [one for one in part if isinstance(one, ast.AST)]
            elif isinstance(part, ast.AST) and name != "ctx":
                nodes.append(part)
    return nodes


def _kept(node: ast.AST, number: float | None) -> float | None:
    """Return a number that code states as what it is: what is made of whole ones is counted."""
    if number is None or not number.is_integer():
        return number
    parts = ast.walk(node) if not isinstance(node, ast.Constant) else (node,)
    measured = any(
        isinstance(part, ast.Div) or (isinstance(part, ast.Constant) and type(part.value) is float)
        for part in parts
    )
    return number if measured else int(number)


def _folded(node: ast.AST) -> float | None:
    """Compute an expression that is made of numbers alone: ``-1e9``, ``1 / 6``, ``2**16``."""
    match node:
        case ast.Constant(value=int() | float() as value) if _is_number(value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _folded(operand)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            sides = _folded(left), _folded(right)
            if sides[0] is None or sides[1] is None:
                return None
            try:
                result = _OPERATIONS[type(op)](*sides)
            except (ArithmeticError, ValueError):
                return None
            return result if _is_number(result) else None
    return None


_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def _is_number(thing: Any) -> bool:
    if not isinstance(thing, (int, float, np.integer, np.floating)) or isinstance(thing, bool):
        return False
    try:
        return abs(float(thing)) < 1e300
    except OverflowError:
        return False


def _exactly(number: float) -> Fraction:
    """Return the number that is printed, not the one that is stored."""
    return Fraction(repr(number))


def _is_rounding(number: float, wanted: Fraction) -> bool:
    """Tell whether a number is this one as far as it shows digits, and it shows three or more."""
    _, digits, last = Decimal(repr(number)).as_tuple()
    half = Fraction(10) ** int(last) / 2
    enough = len(digits) >= 3 and abs(_exactly(number) - wanted) <= half
    return enough or number == as_float(wanted)
