"""The tables of cases: what their formulas are judged on, and how an outcome is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.vaultkit.cases import notes
from tests.vaultkit.cases.files import Outcome
from tests.vaultkit.cases.pages import named, page
from tests.vaultkit.cases.typeset import typeset
from tests.vaultkit.formulas import NOTE
from vaultkit.tex import parse
from vaultkit.tex.tree import (
    Apply,
    Bracketed,
    Cases,
    Derivative,
    Differential,
    Dots,
    Function,
    Matrix,
    Membership,
    Node,
    Norm,
    Number,
    Power,
    Product,
    Range,
    Reduce,
    Slice,
    Statement,
    Subscript,
    Sum,
    Symbol,
    TexError,
    Transpose,
)
from vaultkit.values import UnboundError, is_law, judge
from vaultkit.values.evaluator import Evaluator
from vaultkit.values.records import EvaluationError, Value

# --- Syntax --------------------------------------------------------------------------------------


def tree(node: Node | None) -> str:
    """Return a tree in one line: all its fields except spans."""

    def row(nodes: tuple[Node, ...]) -> str:
        return ", ".join(map(tree, nodes))

    def when(conditions: tuple[Node, ...]) -> str:
        return " when " * bool(conditions) + " and ".join(map(tree, conditions))

    match node:
        case None:
            return "-"
        case Number(text):
            return text
        case Symbol(name):
            return name
        case Function(name):
            return f"!{name}"
        case Subscript(base, indices, name):
            return f"{tree(base)}[{row(indices)}]" + f"={name}" * bool(name)
        case Bracketed(base, index):
            return f"{tree(base)}^({tree(index)})"
        case Transpose(base):
            return f"{tree(base)}'"
        case Power(base, exponent):
            return f"{tree(base)}^{tree(exponent)}"
        case Sum(terms):
            return "(" + "".join("+-"[sign < 0] + tree(term) for sign, term in terms) + ")"
        case Product(op, left, right):
            return f"({tree(left)} {op or '.'} {tree(right)})"
        case Differential(body):
            return f"d({tree(body)})"
        case Derivative(above, below, quotient):
            either = f" or {tree(quotient)}" if quotient else ""
            return f"d({tree(above)})/d({tree(below)}){either}"
        case Apply(function, arguments):
            return f"{tree(function)}({row(arguments)})"
        case Reduce(kind, indices, low, high, body, conditions):
            over = f"{','.join(indices)} {tree(low)} {tree(high)}{when(conditions)}"
            return f"{kind}<{over}> {tree(body)}"
        case Norm(kind, body):
            return f"||{tree(body)}||{kind}"
        case Matrix(rows, is_tuple, column):
            return "tuple" * is_tuple + "column" * column + f"[{'; '.join(map(row, rows))}]"
        case Cases(branches):
            return f"cases({'; '.join(tree(v) + when(conditions) for v, conditions in branches)})"
        case Dots():
            return "..."
        case Slice():
            return ":"
        case Statement(sides, relations, conditions):
            chain = "".join(f" {r} {tree(s)}" for r, s in zip(relations, sides[1:], strict=True))
            return tree(sides[0]) + chain + when(conditions)
        case Membership(element, kind, dims, interval, numbers, negated, conditions):
            text = f"{tree(element)} {'not ' * negated}in {kind}"
            text += f"({row(dims)})" if dims is not None else ""
            if interval:
                text += f"{interval[0]}{row(interval[1:3])}{interval[3]}"
            return text + f"{{{row(numbers)}}}" * bool(numbers) + when(conditions)
        case Range(index, low, high, conditions):
            return f"{tree(index)} from {tree(low)} to {tree(high)}{when(conditions)}"
    raise TypeError(node)


def syntax(tex: str) -> list[str]:
    """Write the tree of each statement, or mark the place of an error and say what is wrong.

    ``^^^`` is below what cannot be read, ``|`` where something is missing.
    """
    try:
        return [tree(statement) for statement in parse(tex)] or ["states nothing"]
    except TexError as error:
        start, end = error.start or 0, error.end or 0
        return [f"{' ' * start}{'^' * (end - start) or '|'} {error}"]


# --- Verdicts ------------------------------------------------------------------------------------

REFUSALS: dict[str, Any] = {
    "x": np.array([1.0, 2.0, 3.0]),
    "y": np.array([1.0, 2.0]),
    "A": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "B": np.arange(6.0).reshape(2, 3),
    "N": np.array([[1.0, 2.0], [2.0, 4.0]]),
    "c": 2.0,
    "h": 0.5,
    "f": lambda v: v,
    "g": lambda _: "a",
    "infs": np.array([[1.0, np.inf], [0.0, 1.0]]),
    "many": np.zeros((12, 12)),
    "long": np.zeros(20000),
    "D": np.ones((3, 4, 5)),
    "two": lambda v: (v, v),
    "bad": lambda _: 1 / 0,
    "words": "abc",
    "ragged": [np.zeros(2), np.zeros(3)],
}

RNG = np.random.default_rng(0)
Q, K, V = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))
S = Q @ K.T
W5 = RNG.normal(size=(5, 3))


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


ALPHA = softmax(S / np.sqrt(3))
VALUES: dict[str, Any] = {
    "Q": Q, "K": K, "V": V, "scores": S, "s": S, "alpha": ALPHA, "Z": ALPHA @ V,
    "n": 5, "d_k": 3, "d_v": 2, "softmax": softmax, "head": [Q, K, W5], "h": 3,
    "H": np.concatenate([Q, K, W5], -1), "a": 2.0, "A": np.array([1.0, 2.0]),
    "B": np.array([3.0, -1.0]), "theta": np.arccos(1 / np.sqrt(50)),
    "M": np.where(np.tri(5, dtype=bool), 0.0, -np.inf),
    "J": np.diag(ALPHA[1]) - np.outer(ALPHA[1], ALPHA[1]), "p": ALPHA[1],
    "weight": np.array([0.25, 0.75]), "embedding": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "e_new": np.array([2.5, 3.5]), "W": RNG.normal(size=(3, 3)), "X32": np.float32(Q),
    "W_2": RNG.normal(size=(2, 5)), "Y32": (np.float32(Q) @ np.float32(K).T).astype(np.float32),
    "attention": lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v,
}  # fmt: skip
SAMPLE = {
    "q": RNG.normal(size=(40_000, 16)),
    "k": RNG.normal(size=(40_000, 16)),
    "d_k": 16,
    "c": 3.0,
}
DERIVATIVES: dict[str, Any] = {
    "dL_dV": V, "dL_dW_Q": W5, "dL_dalpha": ALPHA, "dL_dS": S, "dalpha_ds": VALUES["J"],
    "dL_dx": 3.0, "alpha": ALPHA[1], "X": Q, "dL_dQ": Q, "dL_dW": Q.T @ Q,
}  # fmt: skip
SETS = {"e_0": 0.0, "e_1": -1.0}


def refuse(_: Any) -> None:
    raise ValueError("no")


VERDICTS: dict[str, Any] = {
    "A": np.array([[1, 2], [3, 4]]), "B": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "C": np.array([[1, 2, 3], [4, 5, 6]]), "T": np.arange(8).reshape(2, 2, 2),
    "x": np.array([3.0, -4.0]), "y": np.array([1.0, 2.0]), "z": np.array([1, 2, 3]),
    "n": 2, "m": 3, "c": 2.5, "zero": 0.0, "d_k": 4, "name": "a", "flag": True,
    "heads": [np.eye(2), np.ones((2, 2))], "ragged": [np.ones(2), np.ones(3)],
    "relu": lambda v: np.maximum(v, 0), "pair": lambda v: (v, v), "fail": refuse,
    "total": lambda v: float(np.sum(v)), "word": lambda v: str(v), "add": lambda v, w: v + w,
    "nan": np.nan, "inf_": np.inf, "loss": 0.25, "dloss_dA": np.array([[1.0, 0.0], [0.0, 1.0]]),
    "h16": np.float16([0.5, 0.25]), "h32": np.float32([0.1, 0.2]), "empty": np.zeros((0, 2)),
    "counts": np.array([0, 1, 2]), "y_i": 7.0, "y_j": np.ones(3), "W_x": np.array([2.0, 3.0]),
    "n_c": 8.0, "many": np.arange(20), "grid": np.arange(400).reshape(20, 20),
    "box": np.arange(64).reshape(4, 4, 4), "W_Q": np.array([[1.0, 1.0]]), "e_n": 7,
}  # fmt: skip


def verdict(statement: Node, variables: Mapping[str, Any], sides: bool) -> str:
    """Return the verdict on a statement; if it holds, the values of its sides on request."""
    try:
        found = judge(statement, variables)
    except UnboundError as error:
        return f"unbound: {error}"
    if not found.holds:
        return f"fails: {found.why}"
    if not sides:
        return "holds"
    # The digits of a rounding error are not the same on every machine.
    off = f" off by {found.difference:.3g}" if found.difference > 1e-9 else ""
    place = f" at {found.place}" if found.place else ""
    return f"holds: {found.left} and {found.right}{off}{place}"


def judged_on(variables: Mapping[str, Any], *, sides: bool = False) -> Outcome:
    """Return a function that judges the statements of a formula on these variables, in lines."""

    def outcome(tex: str) -> list[str]:
        try:
            return [verdict(statement, variables, sides) for statement in parse(tex)]
        except TexError as error:
            return [f"cannot be read: {error}"]

    return outcome


def laws(tex: str) -> list[str]:
    """Return for each statement whether it is a law, which contains no number of the page."""
    return ["a law" if is_law(statement) else "no law" for statement in parse(tex)]


# --- Rounding errors -----------------------------------------------------------------------------

ROUNDINGS: dict[str, Any] = {
    "f": 0.5, "g": 0.25, "n": 2, "x": np.array([0.5, -0.25]), "y": np.array([1.5, 0.5]),
    "A": np.array([[0.5, 1.5], [0.25, 0.5]]), "k": np.array([1, 2, 3]),
    "h": np.float16([0.5, 0.25]), "sq": lambda v: v * v, "H": np.float16([[0.5, 1.5], [0.25, 0.5]]),
    "s": np.float32(0.5), "head": [np.array([0.5, 1.5]), np.array([0.25, 2.0])],
    "bad": np.array([[1.0, np.nan], [2.0, 3.0]]), "far": np.array([1.0, -np.inf]), "fl": 3.0,
    "difference": lambda u, v: u - v, "T": np.arange(8.0).reshape(2, 2, 2) / 2,
    "b": np.array([True, False]), "big": np.array([2.0**60, 1.0]),
    "huge": np.array([1.5e308, 1.5e308]), "kind": lambda v: float(v.dtype.kind == "i"),
    "sum": lambda *v: sum(v), "one": np.array([[1.0, 2.0], [2.0, 4.0]]),
}  # fmt: skip


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of `ROUNDINGS`."""
    return function(*arguments)


def value(tex: str) -> Value:
    """Evaluate an expression, with vectors read as rows, or else as columns."""
    (statement,) = parse(f"{tex} > 99")
    for reading in ("row", "column"):
        evaluator = Evaluator(statement, ROUNDINGS, call, reading)
        assert isinstance(evaluator.statement, Statement)
        try:
            with np.errstate(all="ignore"):
                return evaluator.value(evaluator.statement.sides[0])
        except EvaluationError:
            continue
    raise AssertionError(tex)


def bounded(found: Value) -> str:
    """Return a value, the bound of its rounding error, and its other attributes, as text."""
    array, spread = (" ".join(f"{v:.5g}" for v in np.ravel(a)) for a in (found.array, found.spread))
    text = f"{array} ± {spread}"
    text += f" half {found.half_unit:.5g}" if found.half_unit is not None else ""
    text += f" {found.orientation}" if found.orientation else ""
    text += f" rank {found.rank}" if found.rank else ""
    text += f" {found.unsized}" if found.unsized else ""
    text += " sample" if found.sample else ""
    lead = found.array.shape[: found.array.ndim - found.rank]
    text += f" for {lead}" if set(lead) > {1} else ""
    return text + (f" unit 2^{int(np.log2(found.unit))}" if found.unit != 2**-53 else "")


#: By the name of a table's file, the function that computes the outcomes.
TABLES: dict[str, Outcome] = {
    "trees": syntax,
    "syntax_errors": syntax,
    "values": judged_on(VALUES),
    "derivatives": judged_on(DERIVATIVES),
    "samples": judged_on(SAMPLE),
    "sets": judged_on(SETS),
    "laws": laws,
    "refusals": judged_on(REFUSALS),
    "verdicts": judged_on(VERDICTS, sides=True),
    "roundings": lambda tex: [bounded(value(tex))],
    "true": judged_on(NOTE),
    "false": judged_on(NOTE),
    "typeset": typeset,
    "form": notes.form,
    "agreement": notes.agreement,
    "said": notes.checks,
    "numbers": notes.checks,
    "shapes": notes.checks,
    "equations": notes.checks,
    "quantities": notes.quantities,
    "updates": notes.updated,
    "variations": notes.varied,
    "pages": page,
    "places": named,
}


def file(table: str) -> Path:
    """Return the file of a table, relative to the current folder where it is below that."""
    path = Path(__file__).with_name(f"{table}.txt")
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
