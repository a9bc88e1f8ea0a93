"""Nothing false passes, and what is right is read."""

import numpy as np

from tests.vaultkit.cases import files
from tests.vaultkit.cases.tables import file
from tests.vaultkit.formulas import NOTE
from vaultkit.tex import parse
from vaultkit.values import judge


def outcomes(table: str) -> dict[str, list[str]]:
    cases, _ = files.read(file(table).read_text("utf-8"))
    return {case.input: case.outcome for case in cases}


def test_no_outcome_of_a_true_statement_is_rewritten_to_another() -> None:
    assert {line for found in outcomes("true").values() for line in found} == {"holds"}


def test_no_outcome_of_a_false_statement_is_rewritten_to_one_that_holds() -> None:
    assert [tex for tex, found in outcomes("false").items() if {*found} <= {"holds"}] == []


def test_no_formula_changes_what_it_is_judged_on() -> None:
    before = np.array(NOTE["x"])
    for tex in (r"\operatorname{shout}(x) = 0", r"\operatorname{shout}(x + 0) = 0"):
        assert all(judge(statement, NOTE).holds for statement in parse(tex))
    assert (NOTE["x"] == before).all()
