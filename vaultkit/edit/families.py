"""The elements of one list, dictionary or loop, with an expression for all of them together.

``x[0]``, ``x[1]`` and ``x[2]`` are ``v for v in x``; what a loop prints for each key of a
dictionary is ``60 / d[k] for k in d``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from vaultkit.edit.expressions import Atom
from vaultkit.edit.syntax import identifiers, in_brackets
from vaultkit.edit.wording import stems

#: Longest expression for all elements.
_LONGEST = 150
#: The forms of texts of times and dates, with zeros for digits.
_TIMES = {"00:00", "00:00:00", "0000-00-00", "0000-00-00 00:00", "0000-00-00T00:00"}
#: Names of variables in it; one that the elements use is not taken.
_VARIABLES = ("v", "k", "w", "m")


@dataclass(frozen=True)
class Loop:
    """An expression for each element, the variable in it, and what the variable runs over."""

    each: str
    variable: str
    over: str

    @property
    def values(self) -> str:
        """The code of an iterable of all values, for a call with one argument."""
        if self.each == self.variable:
            return self.over
        return f"{self.each} for {self.variable} in {self.over}"

    @property
    def listed(self) -> str:
        """The code of all values as an operand."""
        return self.over if self.each == self.variable else f"[{self.values}]"

    def that(self, condition: str) -> str:
        """Return the code of an iterable of truths: ``v > 3 for v in x``."""
        return f"{in_brackets(self.each)} {condition} for {self.variable} in {self.over}"


@dataclass(frozen=True)
class Family:
    """The elements of one list, dictionary or loop, in order.

    Attributes
    ----------
    series
        The name that its elements share.
    elements
        The elements, all numbers or all texts.
    count
        How many elements the list or dictionary has, if that is known.
    """

    series: str
    elements: tuple[Atom, ...]
    count: int | None = None
    #: The names of families that are multiples of it.
    beside: frozenset[str] = frozenset()

    @cached_property
    def names(self) -> frozenset[str]:
        """The words for what its values are: those of all its elements, and of their column."""
        common = frozenset.intersection(*(element.names for element in self.elements))
        columns = [frozenset().union(*element.labels[1:]) for element in self.elements]
        labels = (label for element in self.elements for label in element.labels[:1])
        words = common | frozenset.intersection(*columns) | self.beside
        return words - frozenset().union(*labels)

    @cached_property
    def variables(self) -> frozenset[str]:
        """The words of the variables that a loop uses for its values, besides its items."""
        if self.owner:
            columns = [frozenset().union(*one.labels[1:]) for one in self.elements]
            column = frozenset.intersection(*columns)
            return column or stems(self.owner)
        return frozenset().union(*map(stems, self.names_in_loop))

    @property
    def names_in_loop(self) -> frozenset[str]:
        """The names in the expression that a loop prints; none for a list or dictionary."""
        source = re.fullmatch(r"\d+: (.*)", self.series, re.DOTALL)
        return identifiers(source[1]) if source else frozenset()

    @cached_property
    def owner(self) -> str:
        """The list or dictionary of which these are the elements; empty for a loop."""
        name = self.series.partition("[*]")[0]
        return name if name.isidentifier() and "[*]" in self.series else ""

    @cached_property
    def loop(self) -> Loop | None:
        """The expression for all elements; None if there is no short one."""
        base, mark, rest = self.series.rpartition("[*]")
        if mark and not rest and not self.owner and self.elements[0].code == f"{base}[0]":
            # All elements of a list that has no name.
            name = next(one for one in _VARIABLES if one not in identifiers(base))
            return Loop(name, name, base) if len(base) <= _LONGEST else None
        whole = self.count == len(self.elements)
        return _loop(tuple(element.code for element in self.elements), whole=whole)

    @property
    def is_text(self) -> bool:
        """Whether its elements are texts."""
        return isinstance(self.elements[0].value, str)

    @property
    def is_time(self) -> bool:
        """Whether its elements are texts of times or dates, which are in order as texts."""
        shapes = {re.sub(r"\d", "0", str(element.value)) for element in self.elements}
        return self.is_text and len(shapes) == 1 and shapes <= _TIMES

    @cached_property
    def ranks(self) -> list[float]:
        """Numbers in the order of its elements: their values, or the places of texts in order."""
        if not self.is_text:
            return self.numbers
        texts = sorted({str(element.value) for element in self.elements})
        return [float(texts.index(str(element.value))) for element in self.elements]

    @cached_property
    def numbers(self) -> list[float]:
        """The values of its elements."""
        return [float(element.value) for element in self.elements]

    def extreme(self, function: str) -> str:
        """Return the code of its largest or smallest value."""
        values = self.loop.values if self.loop else ", ".join(one.code for one in self.elements)
        return f"{function}({values})"

    @property
    def is_ordered_by_place(self) -> bool:
        """Whether a rise or fall from each element to the next may be meant."""
        return len(self.elements) > 2 and "_*" not in self.series

    @property
    def is_ordered(self) -> bool:
        """Whether its elements have places: they are of a list, or of a loop."""
        return not (self.owner and "['" in self.elements[0].code)


def families(pool: Sequence[Atom], *, distinct: bool = True) -> list[Family]:
    """Return the families of two or more elements among expressions.

    Of families that are multiples of each other, ``distinct`` ones are the simplest.
    """
    by_series: dict[tuple[str, bool], list[Atom]] = {}
    counts = {atom.code: int(atom.value) for atom in pool
              if atom.code.startswith("len(") and not isinstance(atom.value, str)}  # fmt: skip
    for atom in pool:
        if atom.series and not atom.extreme:
            by_series.setdefault((atom.series, isinstance(atom.value, str)), []).append(atom)
    made = []
    for (series, _), elements in by_series.items():
        if len(elements) < 2:
            continue
        family = Family(series, tuple(elements))
        owner = family.owner or _only_owner(elements)
        if family.owner and len(elements) < counts.get(f"len({owner})", 0):
            continue  # the others have no such part
        made.append(Family(series, tuple(elements), counts.get(f"len({owner})")))
    if not distinct:
        return made
    return [*_different(made), *_of_variables(pool)]


def _of_variables(pool: Sequence[Atom]) -> list[Family]:
    """Return families of variables with one word in common: ``cost_bus``, ``cost_car``."""
    groups: dict[str, list[Atom]] = {}
    for atom in pool:
        if not atom.code.isidentifier() or isinstance(atom.value, str) or atom.series:
            continue
        first, _, rest = atom.code.partition("_")
        head, _, last = atom.code.rpartition("_")
        for word, label in ((f"{first}_", rest), (f"_{last}", head)):
            named = stems(word)
            if named and stems(label) and any(len(part) > 1 for part in stems(label)):
                element = replace(atom, names=named, labels=(stems(label),), series=word)
                groups.setdefault(word, []).append(element)
    return [Family(word, tuple(element)) for word, element in groups.items() if len(element) > 1]


def _different(families: Sequence[Family]) -> list[Family]:
    """Return families without those that are multiples of a simpler one, whose names they share.

    *The share of red* and *the votes of red* compare alike.
    """
    kept: dict[object, Family] = {}
    for n, family in enumerate(
        sorted(families, key=lambda other: (not other.owner, other.elements[0].cost))
    ):
        labels = [element.labels[:1] for element in family.elements]
        is_labelled = all(label and label[0] for label in labels)
        largest = 0.0 if family.is_text else max(family.numbers)
        # Multiples have the same labels and ratios; other families have a key of their own.
        key: object = n
        if is_labelled and largest > 0:
            ratios = (f"{value / largest:.9g}" for value in family.numbers)
            key = frozenset(zip(labels, ratios, strict=True))
        old = kept.get(key)
        kept[key] = replace(old, beside=old.beside | family.names) if old else family
    return list(kept.values())


def _only_owner(elements: Sequence[Atom]) -> str:
    """Return the list or dictionary of which each element of a loop uses one item.

    It is ``d`` of ``60 / d['a']``; empty if there is none.
    """
    tree = ast.parse(elements[0].code, mode="eval")
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ast.Name(name), ast.Constant()):
                return name
    return ""


@lru_cache(maxsize=4000)
def _loop(codes: tuple[str, ...], *, whole: bool) -> Loop | None:
    """Return the expression for all of some expressions that differ in one constant.

    Parameters
    ----------
    codes
        The expressions.
    whole
        Whether they are all of their list or dictionary.

    Examples
    --------
    >>> _loop(("60 / d['a']", "60 / d['b']"), whole=True).values
    '60 / d[k] for k in d'
    >>> _loop(("x[0]", "x[-1]"), whole=True).values, _loop(("f(2)", "f(5)"), whole=False).values
    ('x', 'f(k) for k in (2, 5)')
    >>> _loop(("x[0][1]", "x[1][1]", "x[-1][1]"), whole=True).values
    'v[1] for v in x'
    """
    trees = [_counted_from_start(ast.parse(code, mode="eval").body, len(codes)) for code in codes]
    differing = _differing(trees)
    if not differing:
        return None
    loop = _loop_over_constants(trees[0], differing, codes, whole=whole)
    return loop if loop and len(loop.values) <= _LONGEST else None


def _loop_over_constants(
    tree: ast.expr, differing: Sequence[Sequence[ast.Constant]], codes: Sequence[str], *,
    whole: bool,
) -> Loop | None:  # fmt: skip
    """Return the expression for some that differ in one constant, which may occur several times.

    Parameters
    ----------
    tree
        The syntax tree of the first expression.
    differing
        The constants in which they differ (`_differing`).
    codes, whole
        As in `_loop`.
    """
    constants: list[object] = []
    for nodes in zip(*differing, strict=True):  # the constants of one expression
        if len({repr(node.value) for node in nodes}) != 1:
            return None
        constants.append(nodes[0].value)
    places = {id(nodes[0]) for nodes in differing}
    free = [name for name in _VARIABLES if name not in identifiers(codes[0])]
    key_name = "k" if "k" in free else free[0]
    owners = set(_owners(tree, places))
    over = f"({', '.join(map(repr, constants))})"
    if len(owners) == 1 and whole:
        over = owners.pop()
        are_places = constants == list(range(len(codes)))
        if are_places and all(type(one) is int for one in constants):
            return _replaced(tree, lambda node: _is_item(node, places), free[0], over)
        if list(codes) == [f"{over}[{key!r}]" for key in constants]:
            return Loop(free[0], free[0], f"{over}.values()")
    return _replaced(tree, lambda node: id(node) in places, key_name, over)


def _renamed(tree: ast.expr, chosen: Mapping[int, str]) -> str:
    """Return the code of an expression with names in place of some of its nodes."""
    marked = {n: chosen[id(node)] for n, node in enumerate(ast.walk(tree)) if id(node) in chosen}
    copy = deepcopy(tree)
    new_names = {id(node): marked[n] for n, node in enumerate(ast.walk(copy)) if n in marked}

    class Renamed(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if id(node) in new_names:
                return ast.Name(new_names[id(node)], ast.Load())
            return self.generic_visit(node)

    return ast.unparse(Renamed().visit(copy))


def _counted_from_start(tree: ast.expr, count: int) -> ast.expr:
    """Return an expression whose negative indices count from the start of a list."""

    class Counted(ast.NodeTransformer):
        def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
            self.generic_visit(node)
            match node.slice:
                case ast.UnaryOp(ast.USub(), ast.Constant(int(index))) if index <= count:
                    node.slice = ast.Constant(count - index)
            return node

    made: ast.expr = Counted().visit(tree)
    return made


def _differing(trees: Sequence[ast.expr]) -> list[list[ast.Constant]]:
    """Return the constants in which expressions differ; nothing if they differ elsewhere, too.

    There is one list for each place: ``f(1, 2)`` and ``f(3, 4)`` give those of 1 and 3, and of 2
    and 4.
    """
    walks = [list(ast.walk(tree)) for tree in trees]
    if len({len(walk) for walk in walks}) != 1:
        return []
    differing = []
    for nodes in zip(*walks, strict=True):
        if len({type(node) for node in nodes}) != 1:
            return []
        constants = [node for node in nodes if isinstance(node, ast.Constant)]
        if constants:
            if len({repr(node.value) for node in constants}) > 1:
                differing.append(constants)
        elif len({_own_name(node) for node in nodes}) > 1:
            return []
    return differing


def _own_name(node: ast.AST) -> str:
    """Return the name that a node of a syntax tree itself has; empty if it has none."""
    match node:
        case ast.Name(name) | ast.Attribute(_, name) | ast.keyword(str(name)):
            return name
    return ""


def _owners(tree: ast.expr, places: set[int]) -> list[str]:
    """Return, for each of some constants, the variable that it is an index of.

    ``places`` has the ids of the constants. The list is empty if one of them is no index.
    """
    owners = [
        node.value.id for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and id(node.slice) in places
        and isinstance(node.value, ast.Name)
    ]  # fmt: skip
    return owners if len(owners) == len(places) else []


def _is_item(node: ast.AST, places: set[int]) -> bool:
    return isinstance(node, ast.Subscript) and id(node.slice) in places


def _replaced(tree: ast.expr, these: Callable[[ast.AST], bool], name: str, over: str) -> Loop:
    """Return an expression with a variable in place of some of its parts."""
    chosen = {id(node): name for node in ast.walk(tree) if these(node)}
    return Loop(_renamed(tree, chosen), name, over)
