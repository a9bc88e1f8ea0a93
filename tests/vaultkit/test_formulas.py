"""Nothing false passes, and what is right is read."""

import numpy as np
import pytest

from tests.vaultkit.formulas import FALSE, NOTE, TRUE
from vaultkit.tex import TexError, parse
from vaultkit.values import UnboundError, judge


@pytest.mark.parametrize("tex", TRUE)
def test_what_is_true_holds(tex: str) -> None:
    statements = parse(tex)
    assert statements
    for statement in statements:
        verdict = judge(statement, NOTE)
        assert verdict.holds, verdict


@pytest.mark.parametrize(("tex", "why"), FALSE)
def test_what_is_false_does_not_pass(tex: str, why: str) -> None:
    try:
        statements = parse(tex)
        assert statements, "it was not read"
        verdicts = [judge(statement, NOTE) for statement in statements]
    except (TexError, UnboundError):
        return
    wrong = [verdict for verdict in verdicts if not verdict.holds]
    assert wrong, why
    assert wrong[0].why


def test_no_formula_changes_what_it_is_judged_on() -> None:
    before = np.array(NOTE["x"])
    for tex in (r"\operatorname{shout}(x) = 0", r"\operatorname{shout}(x + 0) = 0"):
        assert all(judge(statement, NOTE).holds for statement in parse(tex))
    assert (NOTE["x"] == before).all()
