import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets import (
    pronoun_example,
    subject_object_example,
    trained_head,
    translation_example,
)
from snippets.attention import scaled_dot_product_attention
from snippets.multi_head import multi_head_attention
from snippets.recall_head import accuracy
from snippets.recall_task import recall_batch


def test_the_file_holds_what_the_script_makes():
    for kept, made in zip(trained_head.load(), trained_head.train_head(), strict=True):
        for kept_array, made_array in zip(kept, made, strict=True):
            assert_allclose(kept_array, made_array, rtol=1e-6, atol=1e-9)


def test_the_file_can_be_written_again(tmp_path, monkeypatch):
    kept = trained_head.load()
    monkeypatch.setattr(trained_head, "FILE", tmp_path / "head.npz")
    monkeypatch.setattr(trained_head, "train_head", lambda: (kept[1], kept[0], -kept[2]))
    trained_head.write()
    for written, given in zip(trained_head.load(), (kept[1], kept[0], -kept[2]), strict=True):
        for written_array, given_array in zip(written, given, strict=True):
            assert_array_equal(written_array, given_array)
    assert (tmp_path / "head.npz").stat().st_size < 20_000


def test_the_head_has_learned_to_recall():
    before, after, losses = trained_head.load()
    X, answer = recall_batch(np.random.default_rng(1), 1000)
    assert accuracy(before, X, answer) < 0.2
    assert accuracy(after, X, answer) == 1
    assert losses[0] > 2
    assert losses[-1] < 0.05


def test_the_example_reads_the_pair_it_was_asked_for():
    assert trained_head.tokens[trained_head.alpha[-1].argmax()] == "e2"
    assert trained_head.alpha[-1].max() > 0.95
    assert trained_head.Z[-1].argmax() == 2


def test_the_pronoun_finds_the_name_of_its_gender():
    example = pronoun_example
    she, mary = example.tokens.index("she"), example.tokens.index("Mary")
    assert_allclose(example.alpha[she, mary], 1 / (1 + 5 * np.exp(-8 / np.sqrt(2))), rtol=1e-12)

    tokens = ["Tom", "saw", "Mary", "and", "he", "waved"]
    X = np.array([example.vocabulary[token] for token in tokens])
    output, alpha = scaled_dot_product_attention(
        X @ example.W_Q, X @ example.W_K, X @ example.W_V, return_weights=True
    )
    assert_allclose(alpha[4, 0], example.alpha[she, mary], rtol=1e-12)
    assert_array_equal(output[4].round(1), [1, 0, 1])


def test_each_word_reads_its_translation():
    example = translation_example
    for word, row in zip(example.tokens, example.alpha, strict=True):
        assert example.tokens_kv[row.argmax()] == example.alignment[word]
        assert row.max() > 0.95
    # Without its language, a French word gets the features of its English counterpart.
    assert_allclose(example.Z[:, :4], example.X[:, :4], atol=0.03)


def test_a_verb_finds_its_subject_and_its_object():
    example = subject_object_example
    assert_array_equal(example.embed("she"), [[1, 0, 0, 1, 0, 0]])
    assert_array_equal(example.embed("today she sees him"), example.X)
    with pytest.raises(KeyError, match="it"):
        example.embed("it sees")
    X = example.embed("him sees she")  # the other way round
    _, alpha = multi_head_attention(X, X, X, example.weights, example.h, return_weights=True)
    assert_array_equal(alpha[:, 1].round(2), [[0.01, 0.01, 0.98], [0.98, 0.01, 0.01]])
