import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets import minilm_heads as module
from snippets.minilm import MiniLM, hidden_states
from snippets.minilm_heads import (
    SENTENCES,
    SHARED,
    Heads,
    compute,
    cosine,
    hide_head,
    lost,
    minilm_heads,
    relative_change,
    shared_words,
    write,
)
from snippets.multi_head import MultiHeadWeights, merge_heads, split_heads
from snippets.transformer_block import BlockWeights
from snippets.word_piece import split_words
from snippets.word_vectors import bank_example


@pytest.fixture
def small() -> MiniLM:
    """Two random blocks of twelve heads, each of width one."""
    draw, width = np.random.default_rng(0), 12
    one, zero = np.ones(width), np.zeros(width)

    def block() -> BlockWeights:
        parts = [draw.normal(0, 0.5, (width, width)) for _ in range(4)]
        wide = draw.normal(0, 0.5, (width, 2 * width)), np.zeros(2 * width)
        back = draw.normal(0, 0.5, (2 * width, width)), zero
        return BlockWeights(MultiHeadWeights(*parts), *wide, *back, one, zero, one, zero)

    words = sorted({word for sentence in SENTENCES for word in split_words(sentence)})
    words = ["[CLS]", "[SEP]", *words]
    return MiniLM(
        {word: number for number, word in enumerate(words)},
        draw.normal(size=(len(words), width)),
        draw.normal(size=(20, width)),
        zero,
        one,
        zero,
        [block(), block()],
    )


@pytest.fixture(scope="module")
def whole(minilm):
    """What the real model makes of the sentences with all its heads."""
    return [hidden_states(minilm, sentence) for sentence in SENTENCES]


@pytest.mark.long
def test_the_file_holds_what_the_model_attends_to(whole):
    for trace, heads in zip(whole, minilm_heads(), strict=True):
        assert heads.tokens == trace.tokens
        assert_allclose(heads.weights, trace.weights, rtol=0, atol=0.00051)


# All would take minutes, and one takes ten seconds.
@pytest.mark.full
@pytest.mark.parametrize(("block", "head"), [(0, 4), (5, 7)])
def test_the_file_holds_what_is_lost_without_a_head(minilm, whole, block, head):
    change, distance, shared = lost(minilm, whole, block, head)
    for i, heads in enumerate(minilm_heads()):
        assert_allclose(heads.change[block, head], change[i], rtol=0, atol=6e-5)
        assert_allclose(heads.distance[block, head], distance[i], rtol=0, atol=6e-5)
    assert_allclose(shared_words()[1][:, block, head], shared, rtol=0, atol=6e-5)
    before = [
        cosine(*(t.states[-1, t.tokens.index(word)] for t in whole[2 * i : 2 * i + 2]))
        for i, word in enumerate(SHARED)
    ]
    assert_allclose(shared_words()[0], before, rtol=0, atol=6e-5)


def test_both_files_agree():
    _, from_bank, _, cosines = bank_example()
    for heads, rows in zip(minilm_heads()[:2], from_bank, strict=True):
        bank = heads.tokens.index("bank")
        assert_allclose(heads.weights[:, :, bank], rows, rtol=0, atol=0.00051)
    assert_allclose(shared_words()[0][0], cosines[-1, 0, 1], rtol=0, atol=6e-5)


def test_the_file_is_small():
    assert module.FILE.stat().st_size < 120_000


def test_a_hidden_head_adds_nothing(small):
    """Its part of the sum is missing, that of the others is as it was."""
    hidden = hide_head(small, 1, 3)
    x = np.random.default_rng(1).normal(size=(5, 12))
    heads = split_heads(x, 12)
    without = heads.copy()
    without[3] = 0
    assert_allclose(
        merge_heads(heads) @ hidden.blocks[1].attention.W_O,
        merge_heads(without) @ small.blocks[1].attention.W_O,
    )
    assert_array_equal(hidden.blocks[0].attention.W_O, small.blocks[0].attention.W_O)
    assert np.all(small.blocks[1].attention.W_O[3] != 0)


@pytest.mark.parametrize(("block", "head"), [(2, 0), (-1, 0), (0, 12), (0, -1)])
def test_there_is_no_such_head(small, block, head):
    with pytest.raises(ValueError, match=f"no head {head} of 12 in block {block} of 2"):
        hide_head(small, block, head)


def test_nothing_changes_below_the_hidden_head(small):
    whole, hidden = (
        hidden_states(model, SENTENCES[0]) for model in (small, hide_head(small, 1, 0))
    )
    assert_array_equal(whole.states[:2], hidden.states[:2])
    assert_array_equal(whole.weights, hidden.weights)
    assert np.all(cosine(whole.states[2], hidden.states[2]) < 1 - 1e-9)


def test_a_change_is_a_share_of_the_length():
    output = np.array([[[3.0, 4.0], [0.0, 2.0]]])
    assert_allclose(relative_change(output, 0 * output), [[1, 1]])
    assert_allclose(relative_change(output, output), [[0, 0]])
    assert_allclose(relative_change(output, 2.5 * output), [[1.5, 1.5]])


def test_the_file_can_be_written_again(small, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "FILE", tmp_path / "heads.npz")
    write(small)
    found = minilm_heads()
    trace = hidden_states(small, SENTENCES[1])
    assert found[1].tokens == trace.tokens
    assert found[1]._fields == Heads._fields
    assert_allclose(found[1].weights, trace.weights, rtol=0, atol=0.00051)
    whole = [hidden_states(small, sentence) for sentence in SENTENCES]
    change, distance, shared = lost(small, whole, 1, 5)
    assert_allclose(found[2].change[1, 5], change[2], rtol=0, atol=6e-5)
    assert_allclose(found[2].distance[1, 5], distance[2], rtol=0, atol=6e-5)
    assert_allclose(shared_words()[1][:, 1, 5], shared, rtol=0, atol=6e-5)
    assert set(compute(small)) >= {"whole", "without", "tokens 7", "weights 7"}
