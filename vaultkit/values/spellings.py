"""The Python names that a name in a formula may have."""

from __future__ import annotations

from functools import lru_cache

_CAPITALS = {"Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi",
             "Omega"}  # fmt: skip
#: Other names that code gives to Greek letters.
_SHORT = {"epsilon": ("eps",), "lambda": ("lam", "lamda", "lmbda", "lambd")}


@lru_cache(maxsize=1024)
def spellings(name: str) -> tuple[str, ...]:
    """Return the Python names that a name in a formula may have.

    Words may be capitalised in a formula; but Φ is not φ, and Q is not q.

    >>> spellings("R_0")
    ('R_0', 'R_0_', 'r_0')
    >>> spellings("epsilon"), spellings("lambda__1")
    (('epsilon', 'epsilon_', 'eps'), ('lambda__1', 'lambda__1_', 'lambda_1', 'lam_1', ...))
    """
    base, _, index = name.partition("_")
    index = index.lstrip("_")  # of ``lambda_`` with the index 1
    names = [name, f"{name}_"]  # lambda_, since lambda is a keyword
    if len(name) > 1 and name not in _CAPITALS:
        names.append(name.lower())
    others = (base, *_SHORT[base]) if base in _SHORT else ()
    names += [f"{other}_{index}" if index else other for other in others]
    return tuple(dict.fromkeys(names))


def without_underscore(name: str) -> tuple[str, ...]:
    """Return the Python names without an underscore that a name with an index may have.

    >>> without_underscore("x_1"), without_underscore("epsilon_0")
    (('x1',), ('epsilon0', 'eps0'))
    """
    names = (s.rstrip("_") for s in spellings(name))
    return tuple(dict.fromkeys(s.replace("_", "") for s in names if "_" in s))
