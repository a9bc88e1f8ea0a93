"""Collects small expressions on a note's variables, with their values, as plain data.

`Expressions` runs in the process of the note. A proposal for a binding (`vaultkit.edit.bind`) is
one of these expressions, or a combination of two.
"""

from __future__ import annotations

import ast
import math
import time
import types
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from vaultkit.claims.expressions import parsed
from vaultkit.edit.printed import CodeExpression, evaluated, expressions_in_code
from vaultkit.edit.wording import MEANINGS, stems
from vaultkit.read.note import Note

#: Limits that keep the expressions few and the search short, as a sentence is hardly about more:
#: elements of a list, array or dictionary; parts of an element; characters of an expression;
_MOST, _PARTS, _LONGEST = 60, 12, 180
#: elements whose sum and extremes are taken; elements of a matrix; expressions in all.
_LONG, _CELLS, _MOST_ATOMS = 20_000, 64, 3000
#: Seconds for the expressions of a note's code, after each block.
_SECONDS = 1.0
#: Fewest letters of a name that is a word.
_WORD = 3
#: Larger integers are not floats.
_HUGE = 10**300
#: The label of an element that no word names.
NAMELESS: frozenset[str] = frozenset()


#: How far-fetched an expression is, by its form: what the code prints is the likeliest. Then come
#: items of a dictionary, what the code contains, lengths, sums and extremes, those of a matrix, its
#: elements, and elements of a list that has no name.
_PRINTED, _ITEM, _WRITTEN, _LENGTH, _DERIVED, _OF_ARRAY, _CELL = 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9
_OF_EXPRESSION = 1.2


@dataclass(frozen=True)
class Atom:
    """An expression with its value.

    Attributes
    ----------
    code
        The expression.
    value
        Its value: a number or a text.
    names
        The words of its names.
    labels
        For each index in it, the words that name the element.
    cost
        How far-fetched it is.
    shown
        The text with which a block prints it.
    series
        The elements of one list or dictionary have the same name here: ``x[*]``.
    extreme
        ``max`` or ``min`` for the largest and smallest of a series, ``argmax`` or ``argmin`` for
        the place of these; else empty.
    phrases
        The words that a block prints right before and behind it.
    nouns
        For a length, the words for what it counts.
    """

    code: str
    value: float | str
    names: frozenset[str] = frozenset()
    labels: tuple[frozenset[str], ...] = ()
    cost: float = 0.0
    shown: str = ""
    series: str = ""
    extreme: str = ""
    phrases: tuple[frozenset[str], ...] = ()
    nouns: frozenset[str] = frozenset()

    def plain(self) -> list[Any]:
        """Return it as data that JSON can hold."""
        labels = [sorted(label) for label in self.labels]
        phrases = [sorted(phrase) for phrase in self.phrases]
        return [self.code, self.value, sorted(self.names), labels, self.cost, self.shown,
                self.series, self.extreme, phrases, sorted(self.nouns)]  # fmt: skip

    @classmethod
    def from_plain(cls, data: Sequence[Any]) -> Atom:
        """Return the atom that `plain` has described."""
        code, value, names, labels, cost, shown, series, extreme, phrases, nouns = data
        labels, phrases = (tuple(map(frozenset, groups)) for groups in (labels, phrases))
        return cls(
            code, value, frozenset(names), labels, cost, shown, series, extreme, phrases,
            frozenset(nouns),
        )  # fmt: skip


def collected(note: Note, variables: Mapping[str, Any]) -> list[Any]:
    """Return the atoms of a note and its variables as plain data; called in its process."""
    sources = [b.fence.text for b in note.blocks if b.kind == "python"]
    return [atom.plain() for atom in Expressions(sources).atoms(variables)]


@dataclass
class Expressions:
    """The expressions of a note.

    Parameters
    ----------
    sources
        The code of its blocks.
    """

    sources: Sequence[str]
    #: The statements of the code.
    _trees: list[ast.stmt] = field(default_factory=list)
    #: The words for the places of a tuple in a list, by the list's name.
    _columns: dict[str, list[frozenset[str]]] = field(default_factory=dict)
    #: The names of the expressions that are assigned to one.
    _defined: dict[str, str] = field(default_factory=dict)
    _loop_variables: set[str] = field(default_factory=set)
    #: For each list, the lists that a loop runs over together with it.
    _beside: dict[str, set[str]] = field(default_factory=dict)
    #: The words for the items of a list, by the code of the list.
    _items: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for source in self.sources:
            self._trees += parsed(source)
        for tree in self._trees:
            for node in ast.walk(tree):
                self._record_assignment(node)

    def _record_assignment(self, node: ast.AST) -> None:
        """Store what an assignment or a loop says: a name, the items or columns of a list."""
        match node:
            case ast.For(target):
                names = (part for part in ast.walk(target) if isinstance(part, ast.Name))
                self._loop_variables |= {name.id for name in names}
                self._record_items(target, node.iter)
            case ast.comprehension(target, iterable):
                self._record_items(target, iterable)
            case ast.Call(ast.Attribute(ast.Name(name), "append"), [ast.Tuple(parts)]):
                self._columns[name] = [stems(ast.unparse(part)) for part in parts]
            case ast.Assign([ast.Name(name)], ast.ListComp(ast.Tuple(parts))):
                self._columns[name] = [stems(ast.unparse(part)) for part in parts]
            case ast.Assign([ast.Name(name)], value):
                self._defined[ast.unparse(value)] = name

    def _record_items(self, target: ast.expr, iterable: ast.expr) -> None:
        """Store what a loop calls the items of a list: parties, of ``for party in votes``."""
        match iterable, target:
            case ast.Call(ast.Name("zip"), iterables), ast.Tuple(parts):
                lists = {part.id for part in iterables if isinstance(part, ast.Name)}
                for name in lists:
                    self._beside.setdefault(name, set()).update(lists - {name})
                for part, inner in zip(parts, iterables, strict=False):
                    self._record_items(part, inner)
            case ast.Call(ast.Name("enumerate"), [inner, *_]), ast.Tuple([_, part]):
                self._record_items(part, inner)
            case ast.Call(ast.Attribute(inner, "items"), []), ast.Tuple([part, value]):
                self._record_items(part, inner)
                self._record_columns(value, inner)
            case ast.Call(ast.Attribute(inner, "values"), []), _:
                self._record_columns(target, inner)
            case _, ast.Tuple():
                self._record_columns(target, iterable)
            case _, ast.Name(name) if len(name) >= _WORD:
                code = ast.unparse(iterable)
                self._items[code] = self._items.get(code, NAMELESS) | stems(name)

    def _record_columns(self, target: ast.expr, iterable: ast.expr) -> None:
        """Store what a loop calls the parts of an item: *sand*, of ``for bed, sand in beds``."""
        match iterable, target:
            case ast.Name(name), ast.Tuple(parts):
                columns = [stems(ast.unparse(part)) for part in parts]
                known = self._columns.get(name, [])
                if sum(map(bool, columns)) > sum(map(bool, known)):
                    self._columns[name] = columns

    def atoms(self, variables: Mapping[str, Any]) -> list[Atom]:
        """Return the expressions that can be evaluated now; the names of variables come first."""
        atoms: dict[str, Atom] = {}
        # A loop's variable has the last value by chance.
        bound = _bound_names(self._trees) - self._loop_variables
        bound_variables = {
            name: value
            for name, value in variables.items()
            if name in bound and not callable(value) and not isinstance(value, types.ModuleType)
        }
        for name, value in bound_variables.items():
            for atom in self._expressions_on_variable(name, value, bound_variables):
                _add(atoms, atom)
        until = time.monotonic() + _SECONDS
        for expression in expressions_in_code(self._trees, variables):
            if time.monotonic() > until or len(atoms) > _MOST_ATOMS:
                break
            for atom in self._expressions_in_code(expression, variables):
                _add(atoms, atom)
        return list(atoms.values())

    # --- Variables ---------------------------------------------------------------------------

    def _expressions_on_variable(
        self, name: str, value: Any, variables: Mapping[str, Any]
    ) -> Iterator[Atom]:
        """Yield the expressions on a variable: itself, its length, its items."""
        named = stems(name)
        if (plain := _number_or_text(value)) is not None:
            yield Atom(name, plain, named)
            return
        if isinstance(value, np.ndarray) and value.ndim != 1:
            yield from _expressions_on_matrix(name, value, named)
            return
        if not isinstance(value, (list, tuple, dict, set, frozenset, np.ndarray, str, range)):
            return
        nouns = stems(name) | self._items.get(name, NAMELESS)
        words = named | stems(MEANINGS["len"])
        yield Atom(f"len({name})", len(value), words, cost=_LENGTH, nouns=nouns)
        if isinstance(value, dict):
            yield from self._expressions_on_dict(name, value, named)
        elif isinstance(value, (list, tuple, np.ndarray)):
            yield from self._expressions_on_list(
                name,
                value,
                named,
                _labels_of_elements(name, value, variables, self._beside.get(name, ())),
            )

    def _expressions_on_dict(
        self, name: str, value: dict[Any, Any], named: frozenset[str]
    ) -> Iterator[Atom]:
        """Yield the expressions on a dictionary: its items; of numbers, also extremes and sum."""
        plain = {key: _number_or_text(item) for key, item in value.items()}
        for key, item in list(value.items())[:_MOST]:
            if not isinstance(key, (str, int, float, tuple)) or isinstance(key, np.generic):
                continue
            label, code = (stems(str(key)),), f"{name}[{key!r}]"
            if (number_or_text := plain[key]) is not None:
                yield Atom(code, number_or_text, named, label, _ITEM, series=f"{name}[*]")
            else:
                yield from self._expressions_on_parts(code, f"{name}[*]", item, named, label)
        numbers = [item for item in plain.values() if isinstance(item, (int, float))]
        if len(numbers) == len(plain) > 1:
            for function, extreme in (("max", max(numbers)), ("min", min(numbers))):
                series, words = f"{name}[*]", named | stems(MEANINGS[function])
                code = f"{function}({name}.values())"
                yield Atom(code, extreme, words, (), _DERIVED, series=series, extreme=function)
                key = next(k for k, item in plain.items() if item == extreme)
                if isinstance(key, str) and numbers.count(extreme) == 1:
                    code = f"{function}({name}, key={name}.get)"
                    yield Atom(code, key, words, (), _DERIVED, series=series, extreme=function)
            words = named | stems(MEANINGS["sum"])
            yield Atom(f"sum({name}.values())", sum(numbers), words, cost=_DERIVED)

    def _expressions_on_parts(
        self, code: str, series: str, item: Any, named: frozenset[str],
        label: tuple[frozenset[str], ...],
    ) -> Iterator[Atom]:  # fmt: skip
        """Yield the parts of an element that is a tuple, list or dictionary.

        ``code`` is the element, and ``series`` is the same for all elements of its list; ``named``
        are the words of the list's name, and ``label`` are those of the element. In a list of
        tuples, the places have the names with which the code unpacks them.
        """
        if isinstance(item, dict):
            parts = [(f"[{key!r}]", stems(str(key)), part) for key, part in item.items()]
        elif isinstance(item, (tuple, list)) and len(item) < _PARTS:
            columns = self._columns.get(series.partition("[")[0], [])
            if len(columns) != len(item):
                columns = [NAMELESS] * len(item)
            parts = [(f"[{n}]", columns[n], part) for n, part in enumerate(item)]
        else:
            return
        for index, words, part in parts:
            if (plain := _number_or_text(part)) is not None:
                labels = *label, words
                yield Atom(f"{code}{index}", plain, named, labels, _DERIVED, series=series + index)

    def _expressions_on_list(
        self, name: str, value: Any, named: frozenset[str], labels: list[frozenset[str]],
        cost: float = _DERIVED,
    ) -> Iterator[Atom]:  # fmt: skip
        """Yield the elements, sums and extremes of a list or array.

        ``cost`` is that of its elements: expressions of less cost are proposed first.
        """
        needs_brackets = not (name.isidentifier() or name.endswith((")", "]")))
        owner = f"({name})" if needs_brackets else name
        count, series = len(value), f"{owner}[*]"
        # Of a long list, a text names hardly more than the ends.
        places = range(count) if count <= _MOST else (0, 1, 2, count - 2, count - 1)
        for n in places:
            item = value[n]
            is_from_end = n > 0 and (n == count - 1 or n > _MOST)
            code = f"{owner}[{n - count if is_from_end else n}]"
            label = (labels[n] if labels else NAMELESS) or _ordinal(n, count)
            if (plain := _number_or_text(item)) is not None:
                yield Atom(code, plain, named, (label,), cost, series=series)
            else:
                # In a list of tuples, the first part names the others.
                first = next(iter(item), None) if isinstance(item, (tuple, list)) else None
                label = stems(str(first)) if isinstance(first, (str, int)) else label
                yield from self._expressions_on_parts(code, series, item, named, (label,))
        if count > _LONG:
            return
        numbers = [
            number for item in value if isinstance(number := _number_or_text(item), (int, float))
        ]
        if len(numbers) == count > 1 and name.isidentifier():
            yield from _expressions_on_numbers(owner, value, numbers, named, cost)

    # --- Code --------------------------------------------------------------------------------

    def _expressions_in_code(
        self, expression: CodeExpression, variables: Mapping[str, Any]
    ) -> Iterator[Atom]:
        """Yield the expressions for one that the code itself contains or prints."""
        is_printed = expression.form is not None
        code, cost = ast.unparse(expression.node), _PRINTED if is_printed else _WRITTEN
        nodes = ast.walk(expression.node)
        has_variable = any(isinstance(node, ast.Name) and node.id in variables for node in nodes)
        if len(code) > _LONGEST or not has_variable or _is_trivial(expression.node):
            return
        if code in self._defined:
            return  # its name is an expression already
        value = evaluated(expression.node, variables)
        names = _words_of_names(expression.node) | expression.names
        if (plain := _number_or_text(value)) is not None:
            shown = _printed_text(value, expression.form)
            yield Atom(
                code, plain, names, expression.labels, cost, shown, expression.series,
                phrases=expression.phrases,
            )  # fmt: skip
        elif is_printed and not isinstance(expression.node, ast.Name) and _is_row(value):
            yield from self._expressions_on_list(
                code, value, names, _labels_of_elements(code, value, variables), _OF_EXPRESSION
            )


def _is_trivial(node: ast.expr) -> bool:
    """Return whether an expression is the length of something that is written out.

    >>> [_is_trivial(ast.parse(c, mode="eval").body) for c in ("len([a, b])", "len(a)")]
    [True, False]
    """
    match node:
        case ast.Call(ast.Name("len"), [ast.List() | ast.Tuple() | ast.Set() | ast.Constant()]):
            return True
    return False


def _is_row(value: Any) -> bool:
    """Return whether a value is a list or array of a few elements."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return False
    return getattr(value, "ndim", 1) == 1 and 1 < len(value) <= _MOST


def _add(atoms: dict[str, Atom], atom: Atom) -> None:
    """Add an expression; if its code is there already, join what is known of both.

    One that overflows is left out: it would agree with every number.
    """
    if isinstance(atom.value, float) and not math.isfinite(atom.value):
        return
    old = atoms.get(atom.code)
    if old:
        atom = replace(
            old, names=old.names | atom.names, cost=min(old.cost, atom.cost),
            shown=old.shown or atom.shown, labels=old.labels or atom.labels,
            series=old.series or atom.series, phrases=old.phrases or atom.phrases,
            nouns=old.nouns | atom.nouns,
        )  # fmt: skip
    atoms[atom.code] = atom


def _number_or_text(value: Any) -> float | str | None:
    """Return a number or a short text as plain data; None for anything else."""
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value.item()
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, str):
        return str(value) if 0 < len(value) <= _LONGEST else None
    if isinstance(value, (int, np.integer)):
        return int(value) if abs(int(value)) < _HUGE else None
    if isinstance(value, (float, Fraction, np.floating)):
        number = float(value)
        return number if math.isfinite(number) else None
    return None


def _words_of_names(node: ast.expr) -> frozenset[str]:
    """Return the words of the names in an expression, and of what its functions mean."""
    words: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Name(name) | ast.Attribute(_, name):
                words |= stems(name) | stems(MEANINGS.get(name, ""))
            case ast.Constant(str(text)):
                words |= stems(text)
    return frozenset(words)


def _bound_names(trees: Sequence[ast.stmt]) -> set[str]:
    """Return the names that the code binds."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _labels_of_elements(
    name: str, value: Any, variables: Mapping[str, Any], beside: Collection[str] = ()
) -> list[frozenset[str]]:
    """Return the words for each element: those beside it in a list of the same length.

    Texts name an element; numbers do, if there is no list of texts. Of several lists of texts, one
    that a loop runs over together with these elements (``beside``) comes first, and a dictionary
    comes last.
    """
    if len(value) > _MOST:
        return []
    #: For each list of texts: whether no loop runs over it, too; whether it is a dictionary.
    texts: list[tuple[bool, bool, list[str]]] = []
    numbers: list[set[str]] = [set() for _ in value]
    for other, items in variables.items():
        if other == name or not isinstance(items, (list, tuple, np.ndarray, dict)):
            continue
        if getattr(items, "ndim", 1) != 1 or len(items) != len(value):
            continue
        plain = [_number_or_text(item) for item in items]
        if all(isinstance(item, str) for item in plain):
            texts.append((other not in beside, isinstance(items, dict), list(map(str, plain))))
        else:
            for n, item in enumerate(plain):
                numbers[n].update(stems(str(item)) if item is not None else ())
    if texts:
        *_, best = min(texts, key=lambda ranked: ranked[:2])
        return [stems(text) for text in best]
    return [frozenset(number) for number in numbers]


#: Words for the places of a list.
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
             "ninth", "tenth", "eleventh", "twelfth")  # fmt: skip


def _ordinal(n: int, count: int) -> frozenset[str]:
    """Return the word for a place."""
    if n == count - 1:
        return stems("last")
    return stems(_ORDINALS[n]) if n < len(_ORDINALS) else NAMELESS


def _expressions_on_numbers(
    name: str, value: Any, numbers: list[float], named: frozenset[str], cost: float
) -> Iterator[Atom]:  # fmt: skip
    """Yield the sum, mean and extremes of numbers, and the places of the extremes.

    The numbers are those of a list or array ``value``, whose code is ``name``; places are counted
    from 0, and also from 1.
    """
    series, array = f"{name}[*]", isinstance(value, np.ndarray)
    for function, extreme in (("max", max(numbers)), ("min", min(numbers))):
        words = named | stems(MEANINGS[function])
        code = f"{name}.{function}()" if array else f"{function}({name})"
        yield Atom(code, extreme, words, (), cost, series=series, extreme=function)
        place = f"{name}.arg{function}()" if array else f"{name}.index({code})"
        index, arg = numbers.index(extreme), f"arg{function}"
        yield Atom(place, index, words, (), cost + 1, series=series, extreme=arg)
        yield Atom(f"{place} + 1", index + 1, words, (), cost + 1, series=series, extreme=arg)
    total = f"{name}.sum()" if array else f"sum({name})"
    yield Atom(total, sum(numbers), named | stems(MEANINGS["sum"]), (), cost)
    mean = f"{name}.mean()" if array else f"sum({name}) / len({name})"
    yield Atom(mean, sum(numbers) / len(numbers), named | stems(MEANINGS["mean"]), (), cost)
    if array:
        yield Atom(
            f"{name}.std()", float(np.std(numbers)), named | stems(MEANINGS["std"]), (), cost
        )


def _expressions_on_matrix(name: str, value: np.ndarray, named: frozenset[str]) -> Iterator[Atom]:
    """Yield the expressions on an array with several axes: lengths, extremes, sum, mean, elements.

    Elements are those of a small matrix.
    """
    for axis, length in enumerate(value.shape):
        words = named | stems(("rows", "columns")[axis] if axis < 2 else "")
        yield Atom(f"{name}.shape[{axis}]", int(length), words, (), _OF_ARRAY)
    if value.dtype.kind not in "iuf" or not value.size or not np.isfinite(value).all():
        return
    for function in ("max", "min", "sum", "mean"):
        words = named | stems(MEANINGS[function])
        number = _number_or_text(getattr(value, function)())
        if number is not None:
            yield Atom(f"{name}.{function}()", number, words, (), _OF_ARRAY)
    if value.ndim == 2 and value.size <= _CELLS:
        for (row, column), item in np.ndenumerate(value):
            code = f"{name}[{row}, {column}]"
            yield Atom(
                code,
                _number_or_text(item) or 0,
                named,
                (NAMELESS,),
                _CELL,
                series=f"{name}[*, {column}]",
            )


def _printed_text(value: Any, form: str | None) -> str:
    """Return the text with which a value is printed; empty if it is not."""
    if form is None:
        return ""
    try:
        return format(value, form).strip()
    except (ValueError, TypeError):
        return ""
