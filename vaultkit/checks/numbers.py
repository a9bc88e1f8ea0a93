"""Every number in prose is one that the note shows, computes or states in its code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import groupby, pairwise
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from vaultkit.checks.check import EXCEPTED, FAILS, Check
from vaultkit.checks.labels import Labels
from vaultkit.checks.literals import is_number, literals_of
from vaultkit.checks.lookup import Evidence, exactly, is_rounding, number_of
from vaultkit.checks.together import Row, is_edit, misplaced
from vaultkit.claims.claims import claims_of
from vaultkit.claims.quantities import Amount, Quantity, as_float
from vaultkit.read.note import Block, Note
from vaultkit.read.prose import plain_tex, states
from vaultkit.run.session import Step

_IN_OUTPUT = re.compile(
    r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
)
#: *60 to 63 %*.
_TO = re.compile(r"\W*(?:\bto\b|–)\W*")
#: What stands on both sides of these is no row.
_SIGN = re.compile(r"\s[*+/×·]\s")
_IN_PERCENT = re.compile(r"%|\bper ?cent\b")
_IN_FORMULA = re.compile(r"(?<![\w.])[-−]?(?:\d+(?:\.\d+)?|\.\d+)")
_OUTPUT = "output at line {}"
#: Arrays and lists larger than this are data; a number that is among them proves nothing.
_LARGE = 512
#: How many blocks, the nearest ones, are next to a number.
_NEAR = 4
#: How many digits tell a number from others by chance.
_TELLING = 3
#: From here on an integer may be a rounding: 158 630 of 158629.75.
_LONG = 1000
#: How many numbers make a row, which is looked for as a whole.
_ROW = 2
#: How many make one that is no other row by chance: where all but one of them are found, that one
#: is wrong, though it may stand elsewhere.
_SURE = 4
#: Places that stand apart from what they speak of.
_APART = {"summary", "description", "title"}
#: What share of the numbers with one digit changed may pass by chance: of integers and fractions,
#: of decimals that code states, of both where that code is far from the number, of sizes of
#: arrays, of roundings of what is shown next to the number, of all that the page computes.
_LIKELY, _STATED = 0.5, 0.3
_LIKELY_FAR, _STATED_FAR = 0.4, 0.05
_SIZED, _ROUNDED, _UNLIKELY = 0.1, 0.1, 0.04


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
        self.labels = Labels()
        #: By the line of each block, the numbers in each line of its output.
        self.lines: list[tuple[int, list[Row]]] = []
        #: By the line of each block, the numbers that names are bound to behind it, and arrays.
        self.values: list[tuple[int, dict[str, float]]] = []
        self.arrays: list[tuple[int, dict[str, np.ndarray]]] = []
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
        #: What code and formulas state, and where each of them does.
        self.stated = Evidence()
        self.stated_at: list[tuple[int, Evidence]] = []
        #: Lists that code writes out, and where they are from.
        self.rows: dict[tuple[float, ...], str] = {}
        for formula in note.formulas:
            if not formula.not_run and states(formula.tex):
                found = _IN_FORMULA.findall(plain_tex(formula.tex))
                numbers = (_written(number.replace("−", "-")) for number in found)
                place = f"line {formula.line}, column {formula.column}"
                self._state(formula.line, numbers, f"formula at {place}")
        for block in note.blocks:
            source = f"code at line {block.fence.line}"
            literals, rows = literals_of(block)
            self._state(block.fence.line, literals, source)
            for row in rows:
                self.rows.setdefault(row, source)
        self.stated.include(self.defaults)

    def _state(self, line: int, numbers: Iterable[float], source: str) -> None:
        own = Evidence()
        own.add(numbers, source)
        self.stated_at.append((line, own))
        self.stated.include(own)

    @property
    def are_of_something_else(self) -> bool:
        """Whether the code shows nothing and has computed no number, be it that it broke."""
        found = (self.shown, self.bound, self.elements, self.lengths, self.sizes, self.defaults)
        outputs = any(block.output for block in self.note.blocks)
        return not outputs and not any(evidence.numbers for evidence in found)

    def look(self, block: Block, steps: list[Step], variables: Mapping[str, Any]) -> None:
        """Gather the numbers of outputs, and of variables."""
        shown = Evidence()
        lines: list[Row] = []
        for step in steps:
            numbers: list[float] = []
            output = len(self.sequences)
            for line, text in _printed(step):
                found = _IN_OUTPUT.findall(text)
                shown.print(found, line)
                row = Row(tuple(map(number_of, found)), line, output)
                lines.append(row)
                for part, run in enumerate(_SIGN.split(text)):
                    if part and numbers:
                        self.sequences.append((numbers, line))
                        numbers = []
                    numbers += map(number_of, _IN_OUTPUT.findall(run))
                self.texts.append((text, line))
                self.labels.read(text, line)
            source = _OUTPUT.format(max(step.shown_lines[0], step.line))
            self.sequences.append((numbers, source))
            own = [row.numbers for row in lines if row.output == output]
            lines += [Row(column, source) for column in _columns(own)]
        self.outputs.append((block.fence.line, shown))
        if lines:
            self.lines.append((block.fence.line, lines))
        self.shown.include(shown)
        for name, value in variables.items():
            # What is called _ is thrown away.
            if not name.startswith("__") and name != "_":
                self._gather(name, value)
        values = {name: float(v) for name, v in variables.items() if is_number(v)}
        self.values.append((block.fence.line, values))
        self.labels.bind(values)
        arrays = {n: v for n, v in variables.items() if isinstance(v, np.ndarray)}
        arrays = {n: v for n, v in arrays.items() if v.size <= _LARGE and v.dtype.kind in "fiu"}
        last = self.arrays[-1][1] if self.arrays else {}
        for name, value in arrays.items():
            same = name in last and np.array_equal(last[name], value, equal_nan=True)
            arrays[name] = last[name] if same else value.copy()
        self.arrays.append((block.fence.line, arrays))

    def _gather(self, name: str, value: Any) -> None:
        if isinstance(value, (bool, np.bool_, str, bytes)):
            return
        if isinstance(value, (ModuleType, FunctionType)):
            if self._seen.get(name) is value:
                return
            self._seen[name] = value
        if isinstance(value, ModuleType):
            # A page that imports a module as such may speak of the rows of its arrays. NumPy has
            # none, and to look at each of its names would copy the memory that all of it is in.
            for attribute, array in list(vars(value).items()) if value is not np else ():
                if isinstance(array, np.ndarray) and array.ndim and array.size <= _LARGE:
                    for row in rows_of(array) | rows_of(array.T):
                        self.made.setdefault(row, f"variable {name}.{attribute}")
            return
        if is_number(value):
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
                self.elements.add((v for v in inner if is_number(v)), f"variable {name}")
                for index, item in enumerate(inner[:16]):
                    if isinstance(item, np.ndarray):
                        self._gather(f"{name}.{index}", item)
        elif isinstance(value, FunctionType):
            parameters = inspect.signature(value).parameters.values()
            given = [p.default for p in parameters if is_number(p.default)]
            for evidence in (self.stated, self.defaults):
                evidence.add(given, f"default of {name}")

    def check(self) -> Iterator[Check]:
        """Tell of each number whether something backs it."""
        in_order = self.in_order()
        odd = self._odd_vectors()
        misplaced = self._misplaced()
        counted = self._counted()
        empty = {
            index
            for index, (one, other) in enumerate(pairwise(claims_of(self.note).quantities))
            if other.goes_on and (one.bounds == "between" or _TO.fullmatch(other.behind))
            if _value(one) == _value(other) is not None
        }
        for index, quantity in enumerate(claims_of(self.note).quantities):
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
            elif length := counted.get((line, column), {}).get(text.split()[0]):
                yield Check("number", line, text, why=length, column=column)
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
            elif index in empty:
                why = f"{text}: nothing lies between this and the same number"
                yield Check("number", line, text, FAILS, why, column)
            elif index in misplaced:
                why = f"{text}: the numbers beside it stand with another one in {misplaced[index]}"
                yield Check("number", line, text, FAILS, why, column)
            elif beyond := self._beyond(quantity):
                why = f"{text}: {beyond} is not {quantity.bounds} than that"
                yield Check("number", line, text, FAILS, why, column)
            elif named := self._named_otherwise(quantity):
                why = f"{text}: {quantity.word} is {named}"
                yield Check("number", line, text, FAILS, why, column)
            elif slip := self._slip(quantity):
                why = f"{text}: it stands in {self.rests_on(quantity)}, but next to it in {slip}"
                yield Check("number", line, text, FAILS, why, column)
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
        for index, quantity in enumerate((*claims_of(self.note).quantities, None)):
            if quantity is None or not quantity.goes_on:
                if len(row) >= _ROW:
                    quantities = [claims_of(self.note).quantities[n] for n in row]
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
                        if miss := self._slip_of_pair(quantities):
                            self._misses[row[miss[0]]] = miss[1], True
                row = []
            row.append(index)
        return found

    def _sequence(self, row: list[Quantity]) -> str:
        return next((told for told, _, _ in self._runs(row, 0)), "")

    def _near_miss(self, row: list[Quantity]) -> tuple[int, str] | None:
        """Find the one number of a row that is another one where all others are found."""
        return next(((wrong[0], told) for told, wrong, _ in self._runs(row, 1)), None)

    def _slip_of_pair(self, row: list[Quantity]) -> tuple[int, str] | None:
        """Find the one of two numbers in brackets that is but a digit away from its place."""
        if any(all(_held(q, numbers) for q in row) for numbers, _ in self.sequences):
            return None
        for told, wrong, run in self._runs(row, 1):
            (place,) = wrong
            beside = row[1 - place].readings[0][0]
            if beside.digits > 1 and is_edit(row[place].readings[0][0], run[place], 1):
                return place, told
        return None

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

    def _runs(
        self, row: list[Quantity], most: int
    ) -> Iterator[tuple[str, list[int], Sequence[float]]]:
        """Lay a row beside all numbers in their order; tell where, and which of it differ."""
        amounts = [q.readings[0][0] for q in row if q.readings[0]]
        if len(amounts) < len(row) or not any(a.over or 0 < a.unit < 1 for a in amounts):
            return
        reach = [max(as_float(a.unit / 2) * (1 + 1e-9), 1e-12) for a in amounts]
        wanted = [(as_float(a.value), far, a) for a, far in zip(amounts, reach, strict=True)]

        def fits(number: float, value: float, far: float, amount: Amount) -> bool:
            near = abs(number - value) <= far
            return near or bool(amount.over and is_rounding(number, amount.value))

        written = [(list(row), source) for row, source in self.rows.items()]
        for numbers, source in (*self.sequences, *written):
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
                    yield f"{source}: {', '.join(f'{n:.6g}' for n in run)}", wrong, run

    def _counted(self) -> dict[tuple[int, int], dict[str, str]]:
        """Tell how long the arrays are whose entries text counts by their names, by its place."""
        found: dict[tuple[int, int], dict[str, str]] = {}
        for shape in claims_of(self.note).shapes:
            own = [array[shape.subject] for _, array in self.arrays if shape.subject in array]
            if shape.axis and own:
                lengths = {str(n) for array in own for n in (*array.shape, array.size)}
                told = {n: f"variable {shape.subject}: {n} {shape.axis}" for n in lengths}
                found.setdefault((shape.line, shape.column), {}).update(told)
        return found

    def _misplaced(self) -> dict[int, str]:
        """Find the numbers that are in the wrong company; see `together`."""
        of_arrays = [Row(row, source) for table, source in self.tables for row in table]

        def rows(line: int) -> list[Row]:
            near = sorted(self.lines, key=lambda one: abs(one[0] - line))[:_NEAR]
            return [row for _, own in near for row in own] + of_arrays

        return misplaced(claims_of(self.note).quantities, rows)

    def _slip(self, quantity: Quantity) -> str:
        """Find what is shown next to a number that is one digit away, where the number is not."""
        near, stated = self.near(quantity), self._stated_near(quantity)
        if stated is None or self.is_quoted(quantity):
            return ""
        amounts = [amount for reading in quantity.readings for amount in reading]
        for amount in amounts:
            if amount.whole or amount.over or amount.digits < _TELLING:
                return ""
            if near.rounds_to(amount) or stated.rounds_to(amount) or self.stated.holds(amount):
                return ""
        for number in near.numbers if amounts else ():
            if is_edit(amounts[0], number) and near.decimals(number) >= amounts[0].decimals:
                return near.told(number)
        return ""

    def _named_otherwise(self, quantity: Quantity) -> str:
        """Tell what the word is to which a number is given; nothing if it is this, or no name."""
        named = self.labels.of(quantity.word)
        if (
            not named.numbers
            or self.is_quoted(quantity)
            or any(
                reading and all(named.rounds_to(amount, counted=True) for amount in reading)
                for reading in quantity.readings
            )
        ):
            return ""
        return " or ".join(map(named.told, sorted(named.numbers)))

    def _beyond(self, quantity: Quantity) -> str:
        """Tell of *less than 0.9* what rounds to it and is not less; nothing if something is."""
        amounts = [a for reading in quantity.readings[:1] for a in reading]
        if quantity.bounds not in ("less", "more") or not _has_decimals(quantity):
            return ""
        (amount,) = amounts
        every = (self.near(quantity), self.shown, self.bound, self.elements)
        if self.stated.holds(amount) or any(
            e.exact(amount, counted=True) is not None for e in every
        ):
            return ""
        beyond = ""
        for evidence in every:
            for wanted, _, slack in amount.wanted:
                for number in evidence.between(as_float(wanted - slack), as_float(wanted + slack)):
                    if (number < wanted) == (quantity.bounds == "less"):
                        return ""
                    beyond = beyond or evidence.told(number)
        return beyond

    def _odd_vectors(self) -> dict[int, str]:
        """Find the one vector of a list that is another one where all others are found in order."""
        lists: list[list[int]] = []
        for index, quantity in enumerate(claims_of(self.note).quantities):
            if quantity.is_vector:
                if not (quantity.goes_on and lists):
                    lists.append([])
                lists[-1].append(index)
        odd: dict[int, str] = {}
        for found in lists:
            vectors = [_row(claims_of(self.note).quantities[index]) for index in found]
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
        if "[" in quantity.of:
            name, _, place = quantity.of.rstrip("]").partition("[")
            index = tuple(map(int, place.split(",")))
            found = [
                (line, float(array[name][index]))
                for line, array in self.arrays
                if name in array and _is_place(index, array[name].shape)
            ]
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
        near, stated = self.near(quantity), self._stated_near(quantity)
        return any(
            reading and all(self.backs(amount, near, stated) for amount in reading)
            for reading in quantity.readings
        )

    def rests_on(self, quantity: Quantity) -> str:
        """Tell what a number that is backed is or rounds, the nearest and most exact first."""
        quoted = self.quoted(quantity)
        if quoted:
            return quoted
        near, stated = self.near(quantity), self._stated_near(quantity)
        for reading in quantity.readings:
            if reading and all(self.backs(amount, near, stated) for amount in reading):
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
        amounts = [amount for reading in quantity.readings for amount in reading]
        if all(amount.scales == (Fraction(1),) for amount in amounts):
            return ""
        wanted = re.compile(rf"(?<![\w.]){re.escape(_spaceless(quantity.text))}(?!\w)")
        for text, line in self.texts:
            if wanted.search(_spaceless(text)):
                return f"{line}: {quantity.text}"
            if _IN_PERCENT.search(text) and amounts[0].scales == (Fraction(100),):
                (amount,) = amounts
                for number in map(number_of, _IN_OUTPUT.findall(text)):
                    if abs(exactly(number) - amount.value) <= amount.unit / 2:
                        return f"{line}: {number:g}"
        return ""

    def near(self, quantity: Quantity) -> Evidence:
        """Return the numbers in the outputs next to a quantity.

        A summary is next to all outputs of a note that has only a few.
        """
        if quantity.place in _APART and len(self.outputs) > _NEAR:
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

    def _stated_near(self, quantity: Quantity) -> Evidence | None:
        """Return what code and formulas state next to a quantity, if it stands next to any."""
        if quantity.place in _APART or not self.outputs:
            return None
        lines = sorted(abs(line - quantity.line) for line, _ in self.outputs)
        reach = lines[:_NEAR][-1]
        found = Evidence()
        for line, numbers in self.stated_at:
            if abs(line - quantity.line) <= reach:
                found.include(numbers)
        return found

    def _by_distance(self, quantity: Quantity) -> list[Evidence]:
        outputs = sorted(self.outputs, key=lambda output: abs(output[0] - quantity.line))
        return [evidence for _, evidence in outputs[:_NEAR]]

    def backs(self, amount: Amount, near: Evidence, stated: Evidence | None) -> bool:
        """Tell whether something backs a number: outputs next to it, or else what is telling."""
        if near.holds(amount) and amount.digits > 1:
            return True
        if amount.is_rough:
            every = (near, self.stated, self.bound, self.shown)
            return any(evidence.rounds_to(amount, counted=True) for evidence in every)
        far = (_STATED, _LIKELY) if stated is None else (_STATED_FAR, _LIKELY_FAR)
        tiers: list[tuple[Callable[[Amount], bool], float, float]] = [
            (near.holds, _STATED, _LIKELY),
            (self._exact, *far),
            (partial(self._rounded, near), _ROUNDED, _ROUNDED),
            (self._sized, _SIZED, _SIZED),
            (self._anywhere, _UNLIKELY, _UNLIKELY),
        ]
        if stated is not None:
            tiers.insert(1, (lambda a: near.holds(a) or stated.holds(a), _STATED, _LIKELY))
        for found, of_decimals, of_integers in tiers:
            allowed = of_integers if amount.whole else of_decimals
            allowed = _LIKELY if amount.over else allowed
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


def _value(quantity: Quantity) -> Fraction | None:
    """Return the number as it is written, whatever its unit."""
    return quantity.readings[0][0].value if quantity.readings and quantity.readings[0] else None


def _held(quantity: Quantity, numbers: Sequence[float]) -> bool:
    wanted = quantity.readings[0][0].wanted
    return any(abs(n - value) <= slack for n in numbers for _, value, slack in wanted)


def _is_place(index: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    inside = all(-length <= at < length for at, length in zip(index, shape, strict=False))
    return len(index) == len(shape) and inside


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


def _columns(rows: Sequence[tuple[float, ...]]) -> Iterator[tuple[float, ...]]:
    """Find the columns of a table, of which the lines hold equally many numbers."""
    for length, lines in groupby(rows, key=len):
        table = list(lines)
        if length and len(table) > _ROW:
            yield from zip(*table, strict=True)


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
