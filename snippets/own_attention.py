"""Read an attention function that somebody has pasted, and report which mistakes it makes."""

import contextlib
import io
import json
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np

from snippets.errors_of_code import PASTED, explain
from snippets.mistakes import KNOWN, LARGE, NOTHING, OTHER_BATCH, Diagnosis, cases, diagnose, roles

#: Functions to begin with, right and wrong ones.
EXAMPLES = {
    "one mistake": """\
def attention(Q, K, V):
    S = Q @ K.swapaxes(-1, -2) / K.shape[-1]
    E = np.exp(S - S.max(-1, keepdims=True))
    alpha = E / E.sum(-1, keepdims=True)
    return alpha @ V
""",
    "two": """\
def attention(Q, K, V, mask=None):
    S = Q @ K.swapaxes(-1, -2)
    if mask is not None:
        S = S * mask
    E = np.exp(S - S.max(-1, keepdims=True))
    alpha = E / E.sum(-1, keepdims=True)
    return alpha @ V
""",
    "loops": """\
def attention(Q, K, V):
    Z = []
    for q in Q:
        scores = [sum(q * k) / len(q) ** 0.5 for k in K]
        exps = np.exp(np.array(scores) - max(scores))
        Z.append(sum(e * v for e, v in zip(exps, V)) / sum(exps))
    return np.array(Z)
""",
    "einsum": """\
def attention(query, key, value, mask=None):
    S = np.einsum("...id,...jd->...ij", query, key)
    S = S / np.sqrt(query.shape[-1])
    if mask is not None:
        S = np.where(mask, S, -1e9)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    alpha = E / E.sum(axis=-1, keepdims=True)
    return np.einsum("...ij,...jd->...id", alpha, value)
""",
    "heads": """\
def multi_head(X, W_Q, W_K, W_V, W_O, num_heads):
    n, d_model = X.shape

    def split(x):
        return x.reshape(num_heads, n, -1)

    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    E = np.exp(S - S.max(-1, keepdims=True))
    Z = E / E.sum(-1, keepdims=True) @ V
    return Z.transpose(1, 0, 2).reshape(n, d_model) @ W_O
""",
}


def function_of(source: str) -> Callable[..., Any]:
    """Run code, and return the last function in it whose parameters are those of attention.

    Parameters
    ----------
    source : str
        Python; ``np`` is NumPy. What it prints is dropped.

    Raises
    ------
    ValueError
        If it does not run, or has no such function; the message says which line. That of a syntax
        error shows the line, and the place in it.

    Examples
    --------
    >>> function_of("def attention(Q, K, V): return V").__name__
    'attention'
    >>> function_of("def attention(Q, K, V) return V")
    Traceback (most recent call last):
    ...
    ValueError: Line 1: expected ':'
    def attention(Q, K, V) return V
                           ^
    """
    names: dict[str, Any] = {"np": np, "__name__": PASTED}
    linecache.cache[PASTED] = (len(source), None, source.splitlines(keepends=True), PASTED)
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            exec(compile(source, PASTED, "exec"), names)
    except SyntaxError as error:
        line = (error.text or "").rstrip()
        place = " " * ((error.offset or 1) - 1) + "^"
        raise ValueError(f"Line {error.lineno}: {error.msg}\n{line}\n{place}") from None
    except ModuleNotFoundError as error:
        raise ValueError(f"{error}: only Python and NumPy are here") from None
    except (Exception, SystemExit) as error:
        raise ValueError(explain(error)) from None
    made = [each for each in names.values() if callable(each) and _is_own(each)]
    if not made:
        raise ValueError("There is no function: begin with def attention(Q, K, V):")
    for function in reversed(made):
        with contextlib.suppress(ValueError):
            roles(function)
            return function
    roles(made[-1])  # says what is wrong with it
    return made[-1]


def _is_own(made: Any) -> bool:
    return getattr(getattr(made, "__code__", None), "co_filename", "") == PASTED


def report(source: str) -> str:
    """Report, for a page, what a pasted function computes.

    Parameters
    ----------
    source : str

    Returns
    -------
    str
        JSON: ``verdict`` is right, mistake, unknown or error; ``words`` are sentences; ``line`` is
        the line of a syntax error, with its place below it; ``formulas`` has of each mistake the
        name, the mistake in words, the right formula and what is computed instead; ``found`` and
        ``expected`` are the outputs for the inputs ``case``, of one sequence and one head.

    Examples
    --------
    >>> found = json.loads(report("def own(q, k, v): return v"))
    >>> found["verdict"], found["words"][0]
    ('unknown', 'own(q, k, v) equals neither a right function nor one with a known mistake.')
    >>> json.loads(report("import torch"))["verdict"]
    'error'
    """
    try:
        function = function_of(source)
        with contextlib.redirect_stdout(io.StringIO()):
            found = diagnose(function)
    except ValueError as error:
        words, _, line = str(error).partition("\n")
        return json.dumps({"verdict": "error", "words": [words], "line": line})
    name = f"{function.__name__}({', '.join(roles(function))})"
    tried = "; ".join(case.words for case in cases(set(roles(function).values())))
    return json.dumps(_plain(name, found, f"{tried}; {LARGE}", hint=".T" in source))


#: How many mistakes there are, in words.
COUNTED = {1: "a known mistake", 2: "two mistakes", 3: "three mistakes"}


def _plain(name: str, found: Diagnosis, tried: str, hint: bool) -> dict[str, Any]:
    words = [*found.remarks]
    if hint and any("batch" in each for each in words):
        words.append(".T reverses all axes; swapaxes(-1, -2) exchanges the last two.")
    if found.mistakes is None and found.error:
        for_case = "" if found.error == NOTHING else f", for {found.case},"
        verdict, first = "error", f"{name}{for_case} {found.error}"
    elif found.mistakes is None:
        verdict = "unknown"
        first = f"{name} equals neither a right function nor one with a known mistake."
    elif found.mistakes:
        verdict = "mistake"
        first = f"{name} makes {COUNTED[len(found.mistakes)]}."
    else:
        single = any(each.endswith(OTHER_BATCH) for each in found.remarks)
        which = " for one sequence" if single else ""
        verdict = "right"
        first = f"{name} is right{which}: no output{which} differs from that of a right function."
        words.append(f"The inputs were: {tried}.")
    told: dict[str, Any] = {
        "verdict": verdict,
        "words": [first, *words],
        "case": found.case,
        "formulas": [
            [each, KNOWN[each].words, KNOWN[each].formula, KNOWN[each].instead]
            for each in found.mistakes or ()
        ],
    }
    if found.found is not None and verdict != "right" and found.found.shape == found.expected.shape:
        rows = found.found.shape[-2:]
        told["found"], told["expected"] = (
            [
                [round(float(x), 6) if np.isfinite(x) else None for x in row]
                for row in each.reshape(-1, *rows)[0]
            ]
            for each in (found.found, found.expected)
        )
    return told
