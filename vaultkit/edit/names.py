"""The spelling of a variable's name in formulas."""

from __future__ import annotations

_LETTERS = """
alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
_GREEK = set(_LETTERS.split())


def tex_spellings(name: str) -> tuple[str, ...]:
    r"""Return the spellings of a Python name in formulas; completion offers the first.

    >>> tex_spellings("d_model"), tex_spellings("W_Q"), tex_spellings("scaled_scores")[0]
    (('d_{\\text{model}}', 'd_{model}'), ('W_Q', 'W_{Q}'), '\\text{scaled scores}')
    """
    base, _, below = name.rstrip("_").partition("_")
    if len(base) > 1 and base not in _GREEK:
        words = name.strip("_").replace("_", " ")
        first = (rf"\text{{{words}}}", rf"\operatorname{{{words}}}", rf"\mathrm{{{words}}}")
        return first if words else ()
    letter = _letter(base)
    if not letter or "_" in below:
        return ()
    if not below:
        return (letter,)
    if below in _GREEK:
        return rf"{letter}_\{below}", rf"{letter}_{{\{below}}}"
    if len(below) == 1:
        return f"{letter}_{below}", f"{letter}_{{{below}}}"
    return rf"{letter}_{{\text{{{below}}}}}", f"{letter}_{{{below}}}"


def _letter(word: str) -> str:
    return f"\\{word}" if word in _GREEK else word
