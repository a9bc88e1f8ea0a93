"""What rounding may have done to each value, in its units, as running error analysis counts it.

A number of the note that was computed brings 4 of its own size, one written out with a fraction 1,
a whole one none; each operation passes on what its operands bring, and adds the size of its result.
"""

from typing import Any

import numpy as np
import pytest

from tests.vaultkit.cases.tables import value
from vaultkit.tex import parse
from vaultkit.values import judge
from vaultkit.values.samples import _means, standard_error


def test_how_far_a_root_may_be_off() -> None:
    """The last digit of a power differs from processor to processor, and the bound with it."""
    root = value(r"\sqrt[3]{f}")
    assert abs(root.array.item() - 0.5 ** (1 / 3)) < 1e-15
    assert 2.5 <= root.spread.item() <= 4


def test_parts_are_left_out_along_both_axes_of_a_sample() -> None:
    rows = np.repeat(np.arange(40.0), 40).reshape(1, 40, 40)
    for sample, other in ((rows, slice(41, 81)), (rows.swapaxes(1, 2), slice(1, 41))):
        means = _means(sample, 2)
        assert means.shape == (81,)
        assert means[0] == 19.5
        assert means[other].tolist() == pytest.approx([19.5] * 40)
        left_out = np.delete(means, other)[1:]
        assert left_out.tolist() == pytest.approx([20 - i / 39 for i in range(40)])
    # What is small is all there is; what has no long axis is one row.
    assert _means(np.arange(9.0).reshape(1, 3, 3), 2).tolist() == [4.0]
    assert _means(np.arange(100.0).reshape(1, 10, 10), 2).shape == (81,)


def test_a_standard_error_is_that_of_the_parts_of_both_axes() -> None:
    estimates = np.zeros((81, 2))
    estimates[1:41, 0] = np.arange(40.0)
    estimates[41:, 0] = 2 * np.arange(40.0)
    # The squares of 0 to 39 less their mean add up to 5330.
    assert standard_error(estimates)[0] == pytest.approx([np.sqrt(39 / 40 * 5 * 5330), 0.0])
    assert standard_error(np.ones((1, 3))).tolist() == [[0.0, 0.0, 0.0]]


@pytest.mark.parametrize("seed", range(8))
def test_elements_that_cancel_inside_a_function_are_known_as_well_as_its_terms(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, order = rng.normal(size=(64, 32)), np.eye(64)[rng.permutation(64)]

    def mix(x: Any) -> Any:
        weights = np.exp(x @ x.T / 32)
        return (weights / weights.sum(axis=1, keepdims=True)) @ x

    variables = {"f": mix, "X": x, "P": order}
    (statement,) = parse("f(P X) = P f(X)")
    assert judge(statement, variables).holds
    assert not judge(statement, {**variables, "f": lambda x: mix(x) + 1e-13 * x[0]}).holds
