"""Evaluates the syntax trees of formulas on the variables of a note, and judges statements."""

from vaultkit.values.compare import judge, shape_mismatch
from vaultkit.values.laws import is_law, relates_names
from vaultkit.values.records import EvaluationError, UnboundError, Verdict

__all__ = [
    "EvaluationError",
    "UnboundError",
    "Verdict",
    "is_law",
    "judge",
    "relates_names",
    "shape_mismatch",
]
