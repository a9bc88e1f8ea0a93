"""Every outcome is enumerated: what comes out has the distribution of the large model, exactly.

The functions draw from a scripted generator, which takes one branch at a time and keeps its
probability; all branches together are the distribution. The costs are those that Leviathan et al.
2023 print in table 1.
"""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets import trained_decoder
from snippets.bank_stories import VOCABULARY, to_numbers
from snippets.decoder import next_token_logits
from snippets.softmax import softmax
from snippets.speculative import (
    acceptance,
    check_guesses,
    check_siblings,
    expected_tokens,
    residual,
    tree_logits,
    tree_mask,
)
from snippets.weight_vector import parameters_to_vector, vector_to_parameters

C = len(VOCABULARY)
HEADS = trained_decoder.NUM_HEADS
WEIGHTS, _ = trained_decoder.load()
TEXT = to_numbers(
    ["<end>", "Mia", "and", "Tom", "wade", "in", "the", "river", ".", "the", "bank", "is"]
)
rng = np.random.default_rng(0)


class Script:
    """A generator that accepts as it is told, by a hair, and keeps from what a token is drawn."""

    def __init__(self, accepted, ratios):
        self.draws = [
            min(ratio, 1.0) * (1 - 1e-9 if yes else 1 + 1e-9)
            for yes, ratio in zip(accepted, ratios, strict=False)
        ]
        self.drawn_from = None

    def random(self):
        return self.draws.pop(0)

    def choice(self, c, p):
        assert len(p) == c
        self.drawn_from = p
        return -1  # a token of no number: its place in the result


def rows(kind, *, dtype=np.float64):
    """Give p after the text and after each one token more, and q of a model that sees one word."""
    if kind == "decoder":
        weights = vector_to_parameters(parameters_to_vector(WEIGHTS).astype(dtype), like=WEIGHTS)
        longer = np.column_stack([np.tile(TEXT, (C, 1)), np.arange(C)])
        p = softmax(next_token_logits(weights, longer, HEADS)[:, -2:])
        first, second = p[0, 0], p[:, 1]
        training, _ = trained_decoder.stories()
        pairs = np.full((C, C), 1e-3)
        np.add.at(pairs, (training.numbers[:, :-1], training.numbers[:, 1:]), training.counted)
        q = (pairs / pairs.sum(axis=1, keepdims=True)).astype(dtype)
        return first, second, q[TEXT[-1]], q
    p, q = rng.dirichlet(np.full(6, 0.4), size=(2, 7)).astype(dtype)
    q[0, 0] += 1e-3  # nothing is impossible for both
    return p[0], p[1:], q[0] / q[0].sum(), q[1:]


def of_a_run(first, second, q_first, q_second):
    """Enumerate a run with two guesses: the joint distribution of the first two new tokens."""
    c = len(first)
    joint = np.zeros((c, c))
    for a, b in product(range(c), repeat=2):
        drawn = q_first[a] * q_second[a, b]
        p = np.stack([first, second[a], np.full(c, 1 / c)])
        q = np.stack([q_first, q_second[a]])
        ratios = [first[a] / q_first[a], second[a, b] / q_second[a, b]]
        for accepted in ((False,), (True, False), (True, True)):
            chances = [
                min(1.0, ratio) if yes else 1 - min(1.0, ratio)
                for yes, ratio in zip(accepted, ratios, strict=False)
            ]
            chance = drawn * np.prod(chances)
            if chance == 0:
                continue
            script = Script(accepted, ratios)
            new = check_guesses(p, q, np.array([a, b]), script)
            assert len(new) == sum(accepted) + 1
            assert_array_equal(new[:-1], [a, b][: sum(accepted)])
            if accepted == (True, True):
                assert_allclose(script.drawn_from, p[2])
                joint[a, b] += chance
            elif accepted == (True, False):
                joint[a] += chance * script.drawn_from
            else:  # one token only; the next run gives the second one
                joint += chance * script.drawn_from[:, np.newaxis] * second
    return joint


@pytest.mark.parametrize("kind", ["random", "decoder"])
def test_two_guesses_leave_the_distribution_of_two_tokens(kind):
    first, second, q_first, q_second = rows(kind)
    joint = of_a_run(first, second, q_first, q_second)
    assert_allclose(joint, first[:, np.newaxis] * second, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("kind", ["random", "decoder"])
def test_a_guess_and_what_replaces_it_make_up_the_model(kind, dtype):
    """Leviathan et al. 2023, appendix A.1."""
    p, _, q, _ = rows(kind, dtype=dtype)
    left = residual(p, q)
    assert left.dtype == dtype
    beta = acceptance(p, q)
    assert_allclose(beta, 1 - abs(p - q).sum() / 2, atol=9 * np.finfo(dtype).eps)  # theorem 3.5
    found = np.minimum(p, q) + (1 - beta) * left
    assert_allclose(found, p, atol=9 * np.finfo(dtype).eps)


@pytest.mark.parametrize("kind", ["random", "decoder"])
@pytest.mark.parametrize("k", [1, 2])
def test_siblings_leave_the_distribution_of_the_model(kind, k):
    """Miao et al. 2024, theorem 4.2; and theorem 4.3: more are accepted than by looking p up."""
    p, _, q, _ = rows(kind)
    c = len(p)
    found, taken = np.zeros(c), 0.0
    for guesses in product(range(c), repeat=k):
        left, reached, ratios = p, np.prod(q[list(guesses)]), []
        for i, guess in enumerate(guesses):
            if reached == 0:
                break
            ratios.append(left[guess] / q[guess])
            chance = min(1.0, ratios[-1])
            if chance > 0:
                script = Script([False] * i + [True], ratios)
                assert check_siblings(p, q, np.array(guesses), script) == (guess, True)
            found[guess] += reached * chance
            taken += reached * chance
            reached *= 1 - chance
            left = residual(left, q)
        if reached > 0:
            script = Script([False] * k, ratios)
            assert check_siblings(p, q, np.array(guesses), script) == (-1, False)
            found += reached * script.drawn_from
    assert_allclose(found, p, rtol=1e-9, atol=1e-15)
    looked_up = (p * (1 - (1 - q) ** k)).sum()  # draw from p, and see whether it was guessed
    assert taken >= looked_up - 1e-12


# Leviathan et al. 2023, table 1: α, γ, operations and speed, with guesses that cost nothing.
@pytest.mark.parametrize(
    ("alpha", "k", "operations", "speed"),
    [
        (0.6, 2, "1.53", "1.96"),
        (0.7, 3, "1.58", "2.53"),
        (0.8, 2, "1.23", "2.44"),
        (0.8, 5, "1.63", "3.69"),
        (0.9, 2, "1.11", "2.71"),
        (0.9, 10, "1.60", "6.86"),
    ],
)
def test_the_costs_are_those_of_table_1(alpha, k, operations, speed):
    tokens = expected_tokens(alpha, k)
    assert f"{tokens:.2f}" == speed
    assert f"{(k + 1) / tokens:.2f}" == operations


def test_the_tokens_of_a_run_are_a_sum_of_powers():
    for alpha in (0.0, 0.3, 1.0):
        assert_allclose(
            expected_tokens(alpha, [0, 1, 5]), [1, 1 + alpha, sum(alpha ** np.arange(6))]
        )


#: Eight guesses in depth-first order: the second leads to two more, and so does the third.
PARENTS = np.array([-1, 0, 1, 2, 2, 4, 1, 6])


def paths(parents):
    """Follow each node back to its root."""
    for node in range(len(parents)):
        path = [node]
        while parents[path[0]] >= 0:
            path.insert(0, int(parents[path[0]]))
        yield path


def test_a_node_reads_its_path_and_nothing_else():
    mask = tree_mask(PARENTS)
    for row, path in zip(mask, paths(PARENTS), strict=True):
        assert_array_equal(np.flatnonzero(row), path)
    assert_array_equal(tree_mask(np.arange(5) - 1), np.tri(5))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_a_tree_gives_what_path_after_path_gives(dtype):
    weights = vector_to_parameters(parameters_to_vector(WEIGHTS).astype(dtype), like=WEIGHTS)
    guesses = to_numbers(["green", ".", "muddy", ".", "Mia", "the", "steep", "."])
    numbers = np.concatenate([TEXT, guesses])
    parents = np.concatenate([np.arange(len(TEXT)) - 1, PARENTS + len(TEXT)])
    found = tree_logits(weights, numbers, parents, HEADS)
    assert found.dtype == dtype
    bound = 100 * np.finfo(dtype).eps
    for node, path in enumerate(paths(parents)):
        wanted = next_token_logits(weights, numbers[path], HEADS)[-1]
        assert_allclose(found[node].astype(float), wanted.astype(float), atol=bound)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_any_precision_can_be_drawn_from(dtype):
    first, second, q_first, _ = rows("decoder", dtype=dtype)
    draw = np.random.default_rng(0)
    p = np.stack([first, second[3]])
    assert 1 <= len(check_guesses(p, q_first[np.newaxis], np.array([3]), draw)) <= 2
    assert 0 <= check_siblings(first, q_first, np.array([3, 4]), draw)[0] < C


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: check_guesses(np.ones((2, 3)), np.ones((2, 3)), np.zeros(2, int), rng),
            r"p \(2, 3\), q \(2, 3\) and guesses \(2,\) are not",
        ),
        (
            lambda: check_guesses(np.ones((2, 3)), np.ones((1, 3)), np.zeros(2, int), rng),
            r"p \(2, 3\), q \(1, 3\) and guesses \(2,\) are not",
        ),
        (lambda: expected_tokens(1.5, 2), r"rate \(\) is not between 0 and 1"),
        (lambda: expected_tokens(0.5, -1), r"rate \(\) is not between 0 and 1, or a k"),
        (lambda: tree_mask(np.array([-1, 1])), r"parents \[-1, 1\] do not come before"),
        (lambda: tree_mask(np.array([-2])), r"parents \[-2\] do not come before"),
        (
            lambda: tree_logits(WEIGHTS, np.zeros(3, int), np.array([-1, 0]), HEADS),
            r"numbers \(3,\) and parents \(2,\) differ",
        ),
        (
            lambda: tree_logits(WEIGHTS, np.zeros(21, int), np.arange(21) - 1, HEADS),
            r".* a path has more than 20 tokens",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
