import numpy as np
import pytest
from numpy.testing import assert_allclose

from snippets.adam import AdamState, adam


def test_two_steps_worked_by_hand():
    # mean: 0.1·2 = 0.2, then 0.9·0.2 - 0.1·1 = 0.08; square: 0.001·4, then 0.999·0.004 + 0.001
    weight, state = adam(np.array(5.0), np.array(2.0), AdamState(), lr=0.5)
    assert_allclose(weight, 5 - 0.5, rtol=1e-7)
    weight, state = adam(weight, np.array(-1.0), state, lr=0.5)
    assert_allclose([state.mean, state.square, state.step], [0.08, 0.004996, 2], rtol=1e-12)
    change = (0.08 / 0.19) / (np.sqrt(0.004996 / 0.001999) + 1e-8)
    assert_allclose(weight, 4.5 - 0.5 * change, rtol=1e-7)


def test_the_defaults_are_those_of_the_paper():
    small = adam(np.zeros(1), np.array([1e-8]), AdamState())[0]
    assert_allclose(small, -0.001 / 2, rtol=1e-12)  # eps is as large as the root
    _, state = adam(np.zeros(1), np.ones(1), AdamState())
    assert_allclose([state.mean[0], state.square[0]], [0.1, 0.001], rtol=1e-12)


def test_a_gradient_of_zero_moves_nothing():
    assert adam(np.array([3.0]), np.zeros(1), AdamState())[0] == 3


def test_finds_the_lowest_point_of_a_narrow_valley():
    weight, state, steepness = np.array([5.0, 5.0]), AdamState(), np.array([1.0, 1000.0])
    for _ in range(500):
        weight, state = adam(weight, steepness * weight, state, lr=0.1)
    assert_allclose(weight, 0, atol=1e-3)


def test_leaves_its_arguments_alone():
    weight, gradient = np.ones(2), np.ones(2)
    adam(weight, gradient, AdamState())
    assert_allclose([weight, gradient], 1)


def test_refuses_another_shape():
    with pytest.raises(ValueError, match=r"weight \(2,\) and gradient \(2, 1\)"):
        adam(np.ones(2), np.ones((2, 1)), AdamState())


def test_equals_pytorch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    weight, state = rng.normal(size=(3, 2)), AdamState()
    parameter = torch.nn.Parameter(torch.tensor(weight))
    optimizer = torch.optim.Adam([parameter], lr=0.02)
    for _ in range(10):
        gradient = rng.normal(size=(3, 2))
        weight, state = adam(weight, gradient, state, lr=0.02)
        parameter.grad = torch.tensor(gradient)
        optimizer.step()
    assert_allclose(weight, parameter.detach().numpy(), rtol=1e-12)
