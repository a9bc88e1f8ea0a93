"""What a formula means on the variables of a note."""

from vaultkit.values.compare import judge
from vaultkit.values.records import EvaluationError, UnboundError, Verdict

__all__ = ["EvaluationError", "UnboundError", "Verdict", "judge"]
