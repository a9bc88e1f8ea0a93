import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets import word_vectors as module
from snippets.minilm import encode
from snippets.word_vectors import (
    bank_example,
    compute,
    different_words,
    on_special_tokens,
    telling_heads,
    word_vectors,
    write,
)


@pytest.mark.long
def test_the_file_is_what_the_model_makes(minilm):
    computed = compute(minilm)
    with np.load(module.FILE) as file:
        assert set(file) == set(computed)
        for name, array in computed.items():
            assert file[name].dtype == array.dtype
            if name in ("tokens", "heads"):
                assert_array_equal(file[name], array)
            else:
                assert_allclose(file[name], array, rtol=0, atol=1e-5, err_msg=name)


def test_the_file_is_small():
    assert module.FILE.stat().st_size < 20_000


def test_every_word_has_a_vector_of_length_one():
    vectors = word_vectors()
    assert list(vectors) == ["River", "bank", "is", "calm", "Bank", "stores", "money"]
    for vector in vectors.values():
        assert (vector.shape, vector.dtype) == ((384,), np.float32)
        assert_allclose(vector @ vector, 1, rtol=1e-6)
    assert_array_equal(vectors["bank"], vectors["Bank"])


def test_the_words_give_the_published_scores(published):
    vectors = word_vectors()
    scores = [vectors["bank"] @ vectors[word] for word in ["River", "bank", "is", "calm"]]
    assert_allclose(scores, published("source003.bank.scores"), atol=5e-5)


def test_banks_of_one_sense_end_closer_than_banks_of_two():
    cosines = bank_example().cosines
    same = np.array([[1, 0, 1, 0], [0, 1, 0, 1]] * 2, bool)
    for block in range(1, 7):  # from the first block on; the embeddings know but the position
        assert cosines[block][same].min() > cosines[block][~same].max()


def test_different_words_are_less_alike_than_two_banks():
    mean, largest = different_words()[-1]
    cosines = bank_example().cosines[-1]
    banks = cosines[np.triu_indices(4, 1)]
    assert_allclose([mean, largest, banks.mean()], [0.202, 0.617, 0.823], atol=5e-4)
    assert largest < banks.min()


def test_bank_attends_to_its_clue_in_the_telling_heads():
    tokens, from_bank, maps, _ = bank_example()
    river, money = (row.index("bank") for row in tokens)
    assert_array_equal(maps[1, 5][0, river], from_bank[0, 0, 4])
    assert_array_equal(maps[6, 8][1, money], from_bank[1, 5, 7])
    assert maps[1, 5][0, river, tokens[0].index("river")] > 0.8
    assert maps[1, 5][1, money, tokens[1].index("deposit")] > 0.6
    assert maps[6, 8][1, money, tokens[1].index("deposit")] > 0.6
    # the first one looks at the token before, whatever it is
    for alpha in maps[1, 3]:
        assert alpha.diagonal(-1).min() > 0.99
    for alphas in maps.values():
        assert_allclose(alphas.sum(axis=-1), 1, rtol=1e-5)


def test_heads_are_chosen_by_rule():
    weights = np.zeros((2, 3, 4, 5, 5))  # sentences, blocks, heads, n, n
    weights[:, 1, 2] = np.eye(5, k=-1)  # looks at the token before
    weights[0, 0, 3, 3] = [0.5, 0.4, 0, 0, 0]  # looks at both clues, in both sentences
    weights[1, 0, 3, 2] = [0, 0, 0, 0, 0.8]
    weights[0, 0, 1, 3] = [1, 0, 0, 0, 0]  # looks at a clue, in one sentence
    weights[:, 2, 0, :] = [0.3, 0, 0, 0, 0.3]
    heads = telling_heads(list(weights), [3, 2], [[0, 1], [4]])
    assert_array_equal(heads, [[2, 3], [1, 4], [3, 1]])


@pytest.mark.long
def test_the_file_can_be_written_again(minilm, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "FILE", tmp_path / "data" / "bank.npz")
    write(minilm)
    assert_allclose(word_vectors()["bank"], encode(minilm, "bank"))


def test_most_weight_of_the_middle_blocks_is_on_what_is_no_word():
    share = on_special_tokens()
    assert share.shape == (6, 12)
    assert_allclose(share.mean(axis=1), [0.377, 0.625, 0.620, 0.601, 0.626, 0.479], atol=5e-4)
    assert_allclose(share.max(), 0.911, atol=5e-4)
