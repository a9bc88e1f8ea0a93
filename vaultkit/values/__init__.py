"""What a formula means on the variables of a note."""

from vaultkit.values.compare import judge, misfit
from vaultkit.values.laws import law
from vaultkit.values.records import EvaluationError, Settings, UnboundError, Verdict

__all__ = ["EvaluationError", "Settings", "UnboundError", "Verdict", "judge", "law", "misfit"]
