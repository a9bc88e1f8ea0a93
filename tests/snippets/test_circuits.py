"""Held to TransformerLens, to weights written by hand, and to what a path must add up to."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from snippets import trained_induction
from snippets.attention_only import (
    AttentionOnlyWeights,
    first_weights,
    next_token_logits,
    run,
    without_head,
)
from snippets.circuits import (
    composition_score,
    head_outputs,
    ov_matrices,
    patch_path,
    qk_matrices,
)
from snippets.cross_entropy import cross_entropy
from snippets.induction import induction_weights
from snippets.multi_head import MultiHeadWeights
from snippets.repeated_sequences import repeated_batch

rng = np.random.default_rng(0)
WEIGHTS = first_weights(rng, 21, 24, 32, num_layers=2)
PRECISIONS = [(np.float64, 1e-6), (np.float32, 2e-6), (np.float16, 2e-3)]


def filled(shape, seed):
    """Fill an array with numbers that need no file: the same as were given to their code."""
    k = np.arange(np.prod(shape))
    return (((k * k * (seed % 7 + 1) + 7 * k + 13 * seed) % 101) / 50.5 - 1).reshape(shape)


def scores(first, second, num_heads):
    """Give the composition of all pairs, by the part of the later head."""
    writes = ov_matrices(first, num_heads)[:, np.newaxis]
    reads = qk_matrices(second, num_heads)
    parts = {"q": reads, "k": reads.swapaxes(-1, -2), "v": ov_matrices(second, num_heads)}
    return {part: composition_score(writes, matrices) for part, matrices in parts.items()}


def cast(weights, dtype):
    """Give the weights of a model in another precision."""
    E, positions, layers, U = weights
    layers = tuple(MultiHeadWeights(*(W.astype(dtype) for W in layer[:4])) for layer in layers)
    return AttentionOnlyWeights(E.astype(dtype), positions.astype(dtype), layers, U.astype(dtype))


@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_transformer_lens_gives_the_same_scores(published, dtype, atol):
    first, second = (
        MultiHeadWeights(*(filled((6, 6), seed).astype(dtype) for seed in seeds))
        for seeds in ((1, 2, 3, 4), (5, 6, 7, 8))
    )
    for part, found in scores(first, second, num_heads=2).items():
        assert found.dtype == dtype
        assert_allclose(found, published(f"transformerlens.{part}"), atol=atol)
    QK = qk_matrices(second, 2)
    assert QK.dtype == dtype
    sizes = np.linalg.svd(QK.astype(float), compute_uv=False)
    assert_allclose(sizes[:, :3], published("transformerlens.singular"), atol=10 * atol)
    assert_allclose(sizes[:, 3:], 0, atol=atol)


def test_the_scores_of_large_float16_matrices_are_finite():
    large = np.full((8, 8), 300, np.float16)  # the sum of squares is beyond 65504
    assert_allclose(composition_score(large, large), 1)


@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_outputs_and_paths_are_the_same_in_each_precision(dtype, atol):
    weights, text, other = cast(WEIGHTS, dtype), *rng.integers(0, 21, (2, 3, 7))
    embedded = run(weights, text, 2)[0][0]
    exact = run(WEIGHTS, text, 2)[0][0]
    for found, wanted in (
        (head_outputs(weights, embedded, 0, 2), head_outputs(WEIGHTS, exact, 0, 2)),
        (
            patch_path(weights, text, other, 0, 1, "k", 2),
            patch_path(WEIGHTS, text, other, 0, 1, "k", 2),
        ),
    ):
        assert found.dtype == dtype
        assert_allclose(found, wanted, atol=5 * atol)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_the_matrices_give_scores_and_outputs_of_the_heads(batch):
    numbers = rng.integers(0, 21, (*batch, 7))
    states, alpha = run(WEIGHTS, numbers, num_heads=2)
    x = states[0][..., np.newaxis, :, :]
    logits = x @ qk_matrices(WEIGHTS.layers[0], 2) @ x.swapaxes(-1, -2) / 4  # the root of 16
    exps = np.exp(logits) * np.tri(7)
    assert_allclose(exps / exps.sum(axis=-1, keepdims=True), alpha[0])
    outputs = head_outputs(WEIGHTS, states[0], 0, num_heads=2)
    assert outputs.shape == (*batch, 2, 7, 32)
    assert_allclose(outputs.sum(axis=-3), states[1] - states[0])


def test_the_pair_written_by_hand_composes_through_keys_alone():
    weights = induction_weights(c=5, n_max=8)
    found = scores(*weights.layers, num_heads=1)
    assert found["k"].item() > 0.4
    assert_allclose([found["q"].item(), found["v"].item()], 0)
    clean, corrupted = np.array([0, 3, 1, 4, 3]), np.array([0, 2, 1, 4, 3])  # 3 1 … 3
    right = next_token_logits(weights, clean, 1)[-1]
    wrong = next_token_logits(weights, corrupted, 1)[-1]
    assert right.argmax() == 1
    assert abs(wrong[1] - right[1]) > 0.5
    restored = patch_path(weights, corrupted, clean, 0, 0, "k", num_heads=1)[-1]
    assert_allclose(restored, right, atol=1e-9)
    for part in "qv":
        assert_allclose(patch_path(weights, corrupted, clean, 0, 0, part, 1)[-1], wrong, atol=1e-9)


def test_the_scores_find_the_pair_that_ablation_and_patching_find():
    weights, h = trained_induction.load()[0].weights, trained_induction.NUM_HEADS
    numbers, told = repeated_batch(np.random.default_rng(5), 100, periods=(8, 8))
    losses = [
        [
            cross_entropy(
                next_token_logits(without_head(weights, layer, head, h), numbers[:, :-1], h)[told],
                numbers[:, 1:][told],
            )
            for head in range(h)
        ]
        for layer in range(2)
    ]
    pair = tuple(np.argmax(losses, axis=1))
    found = scores(*weights.layers, h)
    assert np.unravel_index(found["k"].argmax(), (2, 2)) == pair == (0, 0)
    assert found["k"].min() > 2 * max(found["q"].max(), found["v"].max())


@pytest.mark.parametrize("part", ["q", "k", "v"])
def test_only_the_part_of_the_receiver_changes(part):
    text, other = rng.integers(0, 21, (2, 3, 7))
    same = next_token_logits(WEIGHTS, text, 2)
    for sender in (0, 1):
        patched = patch_path(WEIGHTS, text, other, sender, 1, part, 2)
        assert not np.allclose(patched, same)
        silent = without_head(WEIGHTS, 1, 1, 2)
        assert_allclose(
            patch_path(silent, text, other, sender, 1, part, 2), next_token_logits(silent, text, 2)
        )
        mute = without_head(WEIGHTS, 0, sender, 2)
        assert_allclose(
            patch_path(mute, text, other, sender, 1, part, 2), next_token_logits(mute, text, 2)
        )


def test_the_paths_into_values_add_up():
    """Values are read linearly: both senders together change as much as each alone."""
    text, other = rng.integers(0, 21, (2, 7))
    same = next_token_logits(WEIGHTS, text, 2)
    each = sum(patch_path(WEIGHTS, text, other, i, 0, "v", 2) - same for i in (0, 1))
    (before, between, _), alpha = run(WEIGHTS, text, 2)
    instead = run(WEIGHTS, other, 2)[0]
    change = (instead[1] - instead[0]) - (between - before)
    wanted = alpha[1][0] @ change @ ov_matrices(WEIGHTS.layers[1], 2)[0] @ WEIGHTS.U
    assert_allclose(each, wanted)


@pytest.mark.parametrize(
    ("weights", "part"),
    [(first_weights(rng, 21, 24, 32, num_layers=1), "k"), (WEIGHTS, "o")],
)
def test_what_does_not_fit_is_refused(weights, part):
    with pytest.raises(ValueError, match=r"^[12] layers are not 2, or part"):
        patch_path(weights, np.zeros(3, int), np.zeros(3, int), 0, 0, part, 2)
