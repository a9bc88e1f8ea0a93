"""Tell which of the common mistakes an attention function makes.

A right layer is made of steps. Each mistake replaces one step by a wrong one (the note Common
Mistakes has all of them as code). A function is called with a few small inputs, and its outputs are
compared with those of the right layer, and with those of the layer with each mistake.
"""

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from snippets.errors_of_code import explain
from snippets.masks import causal_mask
from snippets.softmax import softmax
from snippets.wrong_steps import MISTAKES, OTHERS, Steps

KNOWN = MISTAKES | OTHERS
#: The mistake that shows with large scores alone.
OVERFLOW = "MaximumNotSubtracted"


class Layer(NamedTuple):
    """What a function is meant to compute, beside attention itself."""

    causal: bool = False
    residual: bool = False
    norm: bool = False


class Case(NamedTuple):
    """Inputs by name, and what they are in words."""

    words: str
    given: Mapping[str, Any]
    optional: bool = False  # a right function may refuse it


class Diagnosis(NamedTuple):
    """What was found out about a function."""

    mistakes: tuple[str, ...] | None  # none if it is right; None if it equals no known mistake
    case: str  # the first inputs for which its output differs, or the first of all
    found: np.ndarray | None  # its output for them; None if it raised an error
    expected: np.ndarray
    error: str  # what it did there instead of returning an array
    remarks: tuple[str, ...]


def expected_output(given: Mapping[str, Any], layer: Layer, steps: Steps) -> np.ndarray:
    """Compute the output of the layer with these steps.

    Parameters
    ----------
    given
        Q (..., n, d_k), K (..., m, d_k) and V (..., m, d_v); or X (..., n, d_model) with W_Q, W_K,
        W_V and, if there are heads, W_O and their number h. Also mask (n, m), True where a token
        may be read.
    layer : Layer
    steps : Steps

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> given = {"Q": np.zeros((2, 3)), "K": np.ones((4, 3)), "V": np.arange(8.0).reshape(4, 2)}
    >>> expected_output(given, Layer(), Steps())
    array([[3., 4.],
           [3., 4.]])
    """
    if "Q" in given:
        Q, K, V = X = given["Q"], given["K"], given["V"]
        d_model = Q.shape[-1] * (Q.shape[-3] if Q.ndim > 3 else 1)
        values = V
    else:
        X, h = given["X"], given.get("h", 1)
        d_model, heads = X.shape[-1], "W_O" in given
        Q, K, V = (steps.project(X, given[name]) for name in ("W_Q", "W_K", "W_V"))
        values = X
        if heads:
            Q, K, V, values = (steps.split(each, h) for each in (Q, K, V, X))
    scores = steps.scale(steps.score(Q, K), steps.width(Q, V), d_model)
    allowed = given.get("mask")
    if layer.causal or given.get("is_causal"):
        allowed = causal_mask(Q.shape[-2], K.shape[-2])
    if allowed is None:
        alpha = steps.softmax(scores)
    else:
        allowed = steps.allow(allowed)
        alpha = steps.after(steps.softmax(steps.hide(scores, allowed)), allowed)
    Z = steps.mix(steps.rescale(alpha, Q.shape[-1]), steps.mixed(K, V), values)
    if "Q" not in given:
        Z = steps.project(steps.merge(Z), given["W_O"]) if heads else Z
        Z = steps.add(X, Z) if layer.residual else Z
        Z = steps.norm(Z) if layer.norm else Z
    return Z


#: Names that people give to what an attention function receives, without _ and in small letters.
NAMES = {
    **dict.fromkeys(("q", "query", "queries"), "Q"),
    **dict.fromkeys(("k", "key", "keys"), "K"),
    **dict.fromkeys(("v", "value", "values"), "V"),
    **dict.fromkeys(("x", "input", "inputs", "tokens", "embeddings", "hiddenstates"), "X"),
    **dict.fromkeys(("wq", "wquery"), "W_Q"),
    **dict.fromkeys(("wk", "wkey"), "W_K"),
    **dict.fromkeys(("wv", "wvalue"), "W_V"),
    **dict.fromkeys(("wo", "wout", "woutput"), "W_O"),
    **dict.fromkeys(("h", "heads", "numheads", "nheads", "nhead"), "h"),
    **dict.fromkeys(("mask", "attnmask", "attentionmask", "allowed"), "mask"),
    **dict.fromkeys(("causal", "iscausal"), "is_causal"),
    **dict.fromkeys(("dk", "dhead", "headdim"), "d_k"),
}


def roles(function: Callable[..., Any]) -> dict[str, str]:
    """Tell which input each parameter of a function is for.

    Parameters
    ----------
    function : callable

    Returns
    -------
    dict
        The name of the input by the name of the parameter; parameters with defaults that are not
        known are left out.

    Raises
    ------
    ValueError
        If it is not clear what a parameter is for, or if Q, K and V (or X and the matrices) are
        not all among them.

    Examples
    --------
    >>> roles(lambda query, key, value, attn_mask=None, dropout=0.0: None)
    {'query': 'Q', 'key': 'K', 'value': 'V', 'attn_mask': 'mask'}
    """
    found, unknown = {}, []
    for name, parameter in inspect.signature(function).parameters.items():
        role = NAMES.get(name.replace("_", "").lower())
        if role:
            found[name] = role
        elif parameter.default is parameter.empty and parameter.kind.name[:3] != "VAR":
            unknown.append(name)
    if unknown:
        known = "Q, K, V, X, W_Q, W_K, W_V, W_O, num_heads, d_k, mask and is_causal"
        raise ValueError(f"it is not clear what {unknown[0]!r} is for; known are {known}")
    inputs = set(found.values())
    if not ({"Q", "K", "V"} <= inputs or {"X", "W_Q", "W_K", "W_V"} <= inputs):
        raise ValueError("a function has the parameters Q, K and V, or X, W_Q, W_K and W_V")
    return found


def cases(inputs: set[str]) -> list[Case]:
    """Return the inputs with which a function is called: small, and of different sizes.

    Parameters
    ----------
    inputs : set of str
        The names of what the function receives, as `roles` gives them.

    Examples
    --------
    >>> [case.words for case in cases({"Q", "K", "V", "mask"})]
    ['six tokens', 'five queries, seven keys', 'six tokens and a causal mask', 'a batch with heads']
    """
    draw: Any = np.random.default_rng(0).standard_normal
    first: dict[str, Any]
    causal = causal_mask(6, 6)
    masked = [
        Case("six tokens and a causal mask", {name: value})
        for name, value in (("mask", causal), ("is_causal", True))
        if name in inputs
    ]
    if "Q" in inputs:
        first = {"Q": draw((6, 4)), "K": draw((6, 4)), "V": draw((6, 5))}
        sizes = ((5, 4), (7, 4), (7, 6)), ((3, 2, 5, 4), (3, 2, 5, 4), (3, 2, 5, 6))
        cross, batch = (dict(zip("QKV", map(draw, shapes), strict=True)) for shapes in sizes)
        others = [Case("five queries, seven keys", cross, optional=True)]
        last = [Case("a batch with heads", batch, optional=True)]
    else:
        width = 12
        heads: dict[str, Any] = {"h": 3, "W_O": draw((width, width)) / 3} if "W_O" in inputs else {}
        W = {name: draw((width, width)) / 2 for name in ("W_Q", "W_K", "W_V")} | heads
        first = {"X": draw((6, width)), **W}
        small = {name: draw((9, 9)) / 2 for name in W if name != "h"}
        others = [Case("three tokens, three heads", {"X": draw((3, 9)), **small, "h": 3})]
        others = others if heads else []
        last = [Case("a batch", {"X": draw((2, 6, width)), **W}, optional=True)]
    masked = [case._replace(given={**first, **case.given}) for case in masked]
    return [Case("six tokens", first), *others, *masked, *last]


LARGE = "six tokens with large scores"


def _large(case: Case) -> Case:
    """Return the inputs with scores so large that exp overflows if nothing is subtracted."""
    larger = {name: 100 * case.given[name] for name in "QKX" if name in case.given}
    return Case(LARGE, {**case.given, **larger})


Outcome = np.ndarray | str  # what a call returned, or in words that it returned or raised no array


def call(function: Callable[..., Any], names: Mapping[str, str], given: Mapping[str, Any]) -> Any:
    """Call a function with the inputs that its parameters are for; an error becomes its text.

    Parameters
    ----------
    function : callable
    names : mapping
        Of `roles`.
    given : mapping
        The inputs by name.

    Returns
    -------
    array, or tuple of arrays, or str

    Examples
    --------
    >>> call(lambda q, k, v: q / k, {"q": "Q", "k": "K"}, {"Q": 6.0, "K": 2.0})
    "TypeError: <lambda>() missing 1 required positional argument: 'v'."
    """
    plain = {"mask": True, "is_causal": False, "d_k": 4, "h": 1}
    parameters = inspect.signature(function).parameters
    keywords = {}
    for name, role in names.items():
        if role in given:
            value = given[role]
            keywords[name] = value.copy() if isinstance(value, np.ndarray) else value
        elif role == "d_k" and ("K" in given or "W_K" in given):
            wide = given["K"] if "K" in given else given["W_K"]
            keywords[name] = wide.shape[-1] // given.get("h", 1)
        elif parameters[name].default is inspect.Parameter.empty and role in plain:
            keywords[name] = plain[role]
    try:
        with np.errstate(all="ignore"):
            return function(**keywords)
    except Exception as error:  # whatever a reader's code raises
        return explain(error)


NOTHING = "returns nothing: is there a return?"
OTHER_BATCH = "does not compute what it computes for one sequence."


def _outcome(returned: Any, shape: tuple[int, ...]) -> Outcome:
    """Return the output among what a function returned: weights may come with it."""
    if isinstance(returned, str):
        return f"raises {returned}"
    among = returned if isinstance(returned, tuple) else (returned,)
    among = tuple(each for each in among if each is not None)
    if not among:
        return NOTHING
    try:
        arrays = [np.asarray(each, dtype=float) for each in among]
    except (TypeError, ValueError):
        return f"returns {type(returned).__name__}, which is no array."
    return next((each for each in arrays if each.shape == shape), arrays[0])


def _expected(case: Case, layer: Layer, steps: Steps) -> Outcome:
    try:
        with np.errstate(all="ignore"):
            return expected_output(case.given, layer, steps)
    except (ValueError, IndexError) as error:
        return str(error)


def _same(found: Outcome, case: Case, layer: Layer, steps: Steps) -> bool:
    """Return whether an outcome equals the layer's; fully masked rows are ignored."""
    expected = _expected(case, layer, steps)
    if isinstance(found, str) or isinstance(expected, str):
        return isinstance(found, str) and (isinstance(expected, str) or case.optional)
    if found.shape != expected.shape:
        return False
    some = np.full(found.shape[:-1], True)
    if layer.causal or case.given.keys() & {"mask", "is_causal"}:
        n = found.shape[-2]
        S = steps.hide(np.zeros((n, n)), steps.allow(causal_mask(n)))
        some &= ~np.isneginf(S).all(axis=-1)
        if steps.softmax is not softmax:  # along another axis, there may be nothing to divide by
            some &= ~np.isnan(found).any(axis=-1)
    close = np.allclose(found[some], expected[some], rtol=1e-3, atol=1e-4, equal_nan=True)
    return close and bool(some.any())


def diagnose(function: Callable[..., Any]) -> Diagnosis:
    """Tell which mistakes a function makes: none, one, or two of the known ones, and an overflow.

    Parameters
    ----------
    function : callable
        Of Q, K and V, or of X, W_Q, W_K, W_V and, with heads, W_O and h; both may receive mask
        (True where a token may be read; a mask that is added is recognized, too) or is_causal.
        With W_O, it may add X, and then normalize. It returns the output, or a tuple with it.

    Returns
    -------
    Diagnosis

    Raises
    ------
    ValueError
        If it is not clear what a parameter is for.

    Examples
    --------
    >>> diagnose(lambda Q, K, V: softmax(Q @ K.T / np.sqrt(K.shape[-1])) @ V).mistakes
    ()
    >>> diagnose(lambda Q, K, V: softmax(Q @ K.T / K.shape[-1], axis=0) @ V).mistakes
    ('ScaleWithoutRoot', 'SoftmaxOverQueries')
    >>> diagnose(lambda Q, K, V: softmax(Q @ K.swapaxes(-1, -2) / 2, axis=0) @ V).remarks
    ('For a batch with heads it does not compute what it computes for one sequence.',)
    >>> diagnose(
    ...     lambda Q, K, V: (E := np.exp(Q @ K.T / 2)) / E.sum(-1, keepdims=True) @ V
    ... ).mistakes
    ('MaximumNotSubtracted',)
    >>> print(diagnose(lambda Q, K, V: Q).mistakes)
    None
    """
    names = roles(function)
    inputs = set(names.values())
    every, layers = cases(inputs), _layers(inputs)
    searched = [name for name in KNOWN if name != OVERFLOW]

    def made(outcomes: list[Outcome], count: int) -> Diagnosis | None:
        for layer, chosen in itertools.product(layers, itertools.combinations(searched, count)):
            wrong = [KNOWN[name].wrong for name in chosen]
            steps = Steps()._replace(**{name: step for one in wrong for name, step in one.items()})
            if _all_same(every, outcomes, layer, steps):
                remarks = _remarks(every, outcomes)
                if _overflows(large, layer, steps, found_large):
                    both = [*every, large], [*outcomes, found_large]
                    return _diagnosis((*chosen, OVERFLOW), *both, layer, remarks)
                return _diagnosis(chosen, every, outcomes, layer, remarks)
        return None

    large = _large(every[0])
    [found_large] = _outcomes(function, names, [large])
    outcomes = _outcomes(function, names, every)
    found = made(outcomes, 0) or made(outcomes, 1)
    added = _outcomes(function, names, every, added=True) if "mask" in inputs else outcomes
    if not found and (found := made(added, 0)):
        note = "It adds its mask: 0 where a token may be read, −∞ where not."
        found = found._replace(remarks=(*found.remarks, note))
    if not (found := found or made(outcomes, 2)):
        # An axis counted from the front is another one in a batch.
        single = [_refused_if_batch(*pair) for pair in zip(every, outcomes, strict=True)]
        found = made(single, 0) or made(single, 1) or made(single, 2)
    return found or _unknown(function, names, every, outcomes, layers[0])


def _overflows(large: Case, layer: Layer, steps: Steps, found: Outcome) -> bool:
    """Return whether a function gives NaN or infinity where the layer gives numbers."""
    expected = _expected(large, layer, steps)
    return not (
        isinstance(found, str) or isinstance(expected, str) or np.isfinite(found).all()
    ) and bool(np.isfinite(expected).all())


def _refused_if_batch(case: Case, found: Outcome) -> Outcome:
    return OTHER_BATCH if "batch" in case.words and not isinstance(found, str) else found


def _layers(inputs: set[str]) -> list[Layer]:
    causal = (False,) if inputs & {"mask", "is_causal"} else (False, True)
    kinds = ((False, False), (True, False), (True, True)) if "W_O" in inputs else ((False, False),)
    return [Layer(first, *kind) for kind in kinds for first in causal]


def _outcomes(
    function: Callable[..., Any],
    names: Mapping[str, str],
    every: Sequence[Case],
    added: bool = False,
) -> list[Outcome]:
    found = []
    for case in every:
        given = dict(case.given)
        if added and "mask" in given:
            given["mask"] = np.where(given["mask"], 0.0, -np.inf)
        elif added:
            given["mask"] = 0.0
        shape = np.shape(_expected(case, Layer(), Steps()))
        found.append(_outcome(call(function, names, given), shape))
    return found


def _all_same(
    every: Sequence[Case], outcomes: Sequence[Outcome], layer: Layer, steps: Steps
) -> bool:
    """Return whether each outcome is what the layer computes; some case must give numbers."""
    pairs = ((case, found) for case, found in zip(every, outcomes, strict=True))
    if layer.causal:
        pairs = ((case, found) for case, found in pairs if "queries" not in case.words)
    return all(_same(found, case, layer, steps) for case, found in pairs) and not all(
        isinstance(found, str) for found in outcomes
    )


def _remarks(every: Sequence[Case], outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return the errors that a function may raise."""
    return tuple(
        f"For {case.words} it {found}"
        for case, found in zip(every, outcomes, strict=True)
        if case.optional and isinstance(found, str)
    )


def _unknown(
    function: Callable[..., Any],
    names: Mapping[str, str],
    every: Sequence[Case],
    outcomes: Sequence[Outcome],
    layer: Layer,
) -> Diagnosis:
    """Return which simple property an unknown function lacks."""
    found = _diagnosis(None, every, outcomes, layer, ())
    if found.error or "Q" not in names.values():
        return found
    given, shape = every[0].given, found.expected.shape
    if found.found is not None and found.found.shape != shape:
        return found._replace(remarks=(f"The output is {found.found.shape}, not {shape}.",))
    ones, even = {**given, "V": np.ones(shape)}, {**given, "K": np.zeros(given["K"].shape)}
    mean = np.broadcast_to(given["V"].mean(axis=0), shape)
    remarks = []
    for inputs, expected, words in (
        (
            ones,
            np.ones(shape),
            "Where all values are 1, the output is not 1: a row of weights does not sum to 1.",
        ),
        (even, mean, "Where all keys are 0, the output is not the mean of the values."),
    ):
        output = _outcome(call(function, names, inputs), shape)
        if isinstance(output, str) or not np.allclose(output, expected, atol=1e-4):
            remarks.append(words)
    return found._replace(remarks=tuple(remarks))


def _shown(mistakes: tuple[str, ...], case: Case, layer: Layer) -> int:
    """Return how many of the mistakes would change the output for a case if made alone."""
    right = _expected(case, layer, Steps())
    alone = (_expected(case, layer, Steps()._replace(**KNOWN[name].wrong)) for name in mistakes)
    return sum(
        isinstance(right, str)
        or isinstance(output, str)
        or output.shape != right.shape
        or not np.allclose(output, right, atol=1e-4)
        for output in alone
    )


def _diagnosis(
    mistakes: tuple[str, ...] | None,
    every: Sequence[Case],
    outcomes: Sequence[Outcome],
    layer: Layer,
    remarks: tuple[str, ...],
) -> Diagnosis:
    """Describe a case that differs from the right layer, best one in which each mistake shows.

    An array is preferred to an error.
    """
    wrong = [
        (case, found)
        for case, found in zip(every, outcomes, strict=True)
        if not _same(found, case, layer, Steps())
    ]
    wrong.sort(key=lambda pair: (isinstance(pair[1], str), -_shown(mistakes or (), pair[0], layer)))
    case, found = wrong[0] if wrong else (every[0], outcomes[0])
    expected = expected_output(case.given, layer, Steps())
    return Diagnosis(
        mistakes,
        case.words,
        None if isinstance(found, str) else found,
        expected,
        found if isinstance(found, str) else "",
        remarks,
    )
