"""The commands that formulas define, and where a definition ends."""

import pytest

from vaultkit.read.macros import argument_at, definitions_in


@pytest.mark.parametrize(
    ("tex", "found"),
    [
        (r"x \renewcommand{\g}{c} y", r"\renewcommand{\g}{c}"),
        (r"\providecommand{\g}{{a}b}c", r"\providecommand{\g}{{a}b}"),
        (r"\newcommand\f[2]{#1}x", r"\newcommand\f[2]{#1}"),
        (r"\newcommand{\f}[2][a]{#1+#2} z", r"\newcommand{\f}[2][a]{#1+#2}"),
        (r"\newcommand{\f} [2] [a]{#1+#2} z", r"\newcommand{\f} [2] [a]{#1+#2}"),
        (r"\newcommand{\f}[1][{]}]{#1} z", r"\newcommand{\f}[1][{]}]{#1}"),
        (r"\newcommand*{\R}{\{a\}} z", r"\newcommand*{\R}{\{a\}}"),
        (r"\newcommand{\f}[2 never closed", r"\newcommand{\f}[2 never closed"),
        (r"\DeclareMathOperator{\h}{max}(x)", r"\DeclareMathOperator{\h}{max}"),
        (r"\DeclareMathOperator* \h {max}(x)", r"\DeclareMathOperator* \h {max}"),
        (r"\def\k#1{#1!}\k{a}", r"\def\k#1{#1!}"),
        (r"\def\k", ""),
        (r"\newcommand{\a}{b} + \def\c{d}", r"\newcommand{\a}{b}\def\c{d}"),
        (r"\definition{x} \\newcommand{\a}{b}", ""),
        (r"\frac{a}{b}", ""),
    ],
)
def test_a_definition_is_found_whole(tex: str, found: str) -> None:
    assert definitions_in(tex) == found


@pytest.mark.parametrize(
    ("tex", "at", "found"),
    [
        ("{ab}c", 0, ("ab", 4)),
        ("x {a{b}c}d", 1, ("a{b}c", 9)),
        (r"{a\}b}c", 0, (r"a\}b", 6)),
        (r"{a\\}b}", 0, (r"a\\", 5)),
        (" \n ab", 0, ("a", 4)),
        (r" \alpha b", 0, (r"\alpha", 7)),
        (r"\{a", 0, (r"\{", 2)),
        ("{ab", 0, ("ab", 3)),
        ("  ", 0, ("", 2)),
    ],
)
def test_what_a_command_takes(tex: str, at: int, found: tuple[str, int]) -> None:
    assert argument_at(tex, at) == found
