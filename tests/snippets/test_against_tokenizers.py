"""Hugging Face's `tokenizers` as a witness, where it is installed."""

from collections import Counter

import numpy as np
import pytest

from snippets.bank_text import TEXT
from snippets.byte_pair import encode, learn_byte_pairs, learn_merges, pair_counts, split_text
from snippets.word_piece import split_words, word_pieces

tokenizers = pytest.importorskip(
    "tokenizers", reason="tokenizers, an optional witness, is not installed"
)

TEXTS = [
    TEXT,
    "The bankers don't lend 1001 coins; it's  the river's.",
    "Zürich, Ångström — naïve café… 北京 🏦 \u00a0 x_2\n\n  y\t\n",
    "",
    "100% of $5.00 + <tag> ~a^b|c`",
]


def letters():
    """Give the sign by which GPT-2's files write each byte: itself where it can be printed."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printed]
    signs = printed + [256 + i for i in range(len(others))]
    return {byte: chr(sign) for byte, sign in zip(printed + others, signs, strict=True)}


def byte_level(merges):
    sign = letters()

    def written(piece):
        return "".join(sign[byte] for byte in piece)

    vocabulary = {sign[byte]: byte for byte in range(256)}
    for first, second in merges:
        vocabulary.setdefault(written(first + second), len(vocabulary))
    pairs = [(written(first), written(second)) for first, second in merges]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, pairs))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    return tokenizer


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_cut_alike(text):
    witness = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    parts = [text[start:end] for _, (start, end) in witness.pre_tokenize_str(text)]
    assert split_text(text) == parts


@pytest.mark.parametrize("num_merges", [0, 20, 150])
@pytest.mark.parametrize("text", TEXTS)
def test_the_numbers_agree(text, num_merges):
    merges = learn_byte_pairs(TEXT, num_merges)
    assert encode(text, merges) == byte_level(merges).encode(text).ids


def test_the_same_merges_are_learned_until_two_pairs_are_equally_frequent():
    rng = np.random.default_rng(0)
    words = Counter()
    while len(words) < 40:
        words["".join(rng.choice(list("abcd"), size=rng.integers(2, 5)))] += int(rng.integers(99))
    by_letters = {tuple(word): count for word, count in words.items()}
    merges, clear = learn_merges(by_letters, 100), 0
    pieces = dict(by_letters)
    while len(top := pair_counts(pieces).most_common(2)) == 2 and top[0][1] > top[1][1]:
        clear += 1
        pieces = {}
        for word, count in words.items():
            cut = tuple(word)
            for pair in merges[:clear]:
                cut = tuple(_join(cut, pair))
            pieces[cut] = pieces.get(cut, 0) + count
    assert clear > 10

    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=4 + clear, show_progress=False)
    tokenizer.train_from_iterator([" ".join(words.elements())], trainer)
    learned = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    assert [token for token, _ in learned[4:]] == [a + b for a, b in merges[:clear]]


def _join(pieces, pair):
    i = 0
    while i < len(pieces):
        both = pieces[i : i + 2] == pair
        yield "".join(pair) if both else pieces[i]
        i += 1 + both


@pytest.mark.parametrize("text", TEXTS)
def test_words_of_bert_are_cut_alike(text):
    normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    witness = tokenizers.pre_tokenizers.BertPreTokenizer()
    cut = [word for word, _ in witness.pre_tokenize_str(normalizer.normalize_str(text))]
    assert split_words(text) == cut


def test_word_pieces_agree():
    pieces = ["[UNK]", *"abcd", *("##" + letter for letter in "abcd")]
    pieces += ["ab", "abc", "##bc", "##cd", "##abcd", "dab", "##da"]
    vocabulary = {piece: number for number, piece in enumerate(pieces) if piece != "##b"}
    witness = tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]")
    rng = np.random.default_rng(0)
    for _ in range(500):
        word = "".join(rng.choice(list("abcd"), size=rng.integers(1, 9)))
        assert word_pieces(word, vocabulary) == [token.value for token in witness.tokenize(word)]
