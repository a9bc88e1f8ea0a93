"""Equations and numbers of a note, checked on what its blocks computed."""

from vaultkit.checks.check import FAILS, strictly
from vaultkit.checks.equations import Equations
from vaultkit.checks.numbers import Numbers
from vaultkit.checks.observed import Observed
from vaultkit.read.markdown import parse
from vaultkit.run.session import NoteRun


def problems(text: str, kind: type[Equations] | type[Numbers]) -> list[tuple[int, str]]:
    note = parse(text)
    observed = Observed(note)
    checks = Equations(note) if kind is Equations else Numbers(observed)
    watcher = checks if isinstance(checks, Equations) else observed
    NoteRun(note, watchers=[watcher.observe]).finish()
    return [(check.line, check.why) for check in strictly(checks.check()) if check.outcome == FAILS]


def block(code: str) -> str:
    return f"```python\n{code}\n```\n\n"


def test_an_equation_is_judged_where_it_stands() -> None:
    text = "$x = 1$\n\n" + block("x = 1") + "$x = 1$\n\n" + block("x = 2") + "$x = 2$ $x = 1$\n"
    assert problems(text, Equations) == [
        (
            13,
            "$x = 1$ does not hold\n  left 2, right 1; the largest difference is 1: "
            "2 = 1 does not hold\n  with x = 2",
        )
    ]


def test_what_is_not_bound_or_not_read_fails() -> None:
    text = block("x = 1") + "$y = 1$ and $x = (1$ and $z$\n"
    assert problems(text, Equations) == [
        (5, "$x = (1$ cannot be read: cannot read 'the end' here"),
        (5, "$y = 1$: no block of this note binds y"),
    ]


def test_an_exception_is_taken_with_its_reason_alone() -> None:
    marked = "$y = 1$<!-- not run: no code -->\n\n$$\ny = 2\n$$\n\n<!-- not run: none -->\n"
    assert problems(marked, Equations) == []
    assert problems(marked.replace("not run", "given"), Equations)
    assert problems("$y = 1$ words <!-- not run: too far -->\n", Equations)


def test_statements_in_tables_and_callouts_are_checked() -> None:
    text = (
        block("x = 1") + "| a | b |\n|---|---|\n| c | $x = 2$ |\n\n> [!note] $x = 3$\n> $x = 4$\n"
    )
    assert [line for line, _ in problems(text, Equations)] == [7, 9, 10]


COMPUTED = block("print('loss 0.12345 of -158629.7516')\nshare = 0.16502\nbig = 5.43e8")


def numbers(prose: str) -> list[str]:
    return [message for _, message in problems(COMPUTED + prose + "\n", Numbers)]


def test_numbers_that_were_computed() -> None:
    prose = (
        "It is 0.123, **0.12**, −158 629.75, −158,629.8, 16.5 %, 0.1650, 5.4 × 10⁸, 5.4e8, "
        "[0.12](a.md), $0.12$ and $5.4 \\times 10^8$."
    )
    assert numbers(prose) == []


def test_numbers_that_were_not() -> None:
    assert numbers("It is 0.124.") == [
        "nothing on this page computes 0.124; nearest are 0.12345, 0.16502, -158630"
    ]
    assert len(numbers("16.6 %, 1.650, $0.13$, 5.5 × 10⁸, 0.1235.")) == 4


def test_numbers_that_name_things_or_are_given() -> None:
    assert numbers("NumPy 2.4, section 3.4, version 1.5.2, 2026-11-21, § 4.2") == []
    assert numbers("Say 9.9<!-- given: an example -->.") == []
    assert numbers("Say 9.9 <!-- given: --> or 8.8 of it <!-- given: too far -->.")
