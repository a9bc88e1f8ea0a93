import pytest

from snippets.word_piece import split_words, word_pieces

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = ["c", "!", ",", "-", "(", ")", "'", "do", "##n", "t", "北"]
VOCABULARY = dict.fromkeys(["a", "ab", "abc", "##b", "##c", "##cd", "##d", "d"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("River bank is calm", "river bank is calm"),
        ("I can't;don't", "i can ' t ; don ' t"),
        ("100% of $5.00 + <tag> ~a^b|c`", "100 % of $ 5 . 00 + < tag > ~ a ^ b | c `"),
        ("naïve Ångström — Zürich", "naive angstrom — zurich"),
        ("  two\tlines\r\nand\u00a0a\u3000space ", "two lines and a space"),
        ("soft\u00adhyphen zero\u200bwidth nul\x00 lost\ufffd", "softhyphen zerowidth nul lost"),
        ("bell\x07\x1f tab\x0b", "bell tab"),
        ("北京 is 首都", "北 京 is 首 都"),
        ("a㐀b豈c𠀀d", "a 㐀 b 豈 c 𠀀 d"),
        ("İstanbul ΣΊΣΥΦΟΣ", "istanbul σισυφοσ"),
        ("", ""),
    ],
)
def test_words_are_in_lower_case_and_punctuation_is_alone(text, words):
    assert split_words(text) == words.split()


def test_every_ascii_sign_is_alone():
    signs = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    assert split_words("x".join(f"{sign}" for sign in signs)) == list("x".join(signs))
    assert split_words("box \x7f09 az AZ") == ["box", "09", "az", "az"]


@pytest.mark.parametrize("character", "一\u9fff㐀\u4dbf\ufa0e\ufa29𠀀\U0002a6df…。¿«")
def test_chinese_characters_and_punctuation_are_alone(character):
    assert split_words(f"a{character}b") == ["a", character, "b"]


@pytest.mark.parametrize("character", "\u33ff\u4dc0\u0301\ufb06©½ぁ")
def test_other_signs_do_not(character):
    assert len(split_words(f"a{character}b")) == 1


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("abc", ["abc"]),
        ("abcd", ["abc", "##d"]),
        ("abcc", ["abc", "##c"]),
        ("acd", ["a", "##cd"]),
        ("dd", ["d", "##d"]),
        ("b", ["[UNK]"]),
        ("abx", ["[UNK]"]),
        ("", []),
    ],
)
def test_the_longest_piece_comes_first(word, pieces):
    assert word_pieces(word, VOCABULARY) == pieces


def test_words_and_pieces_are_those_of_the_library():
    tokenizers = pytest.importorskip("tokenizers", reason="an optional witness")
    vocabulary = {token: number for number, token in enumerate([*SPECIAL, *VOCABULARY, *LETTERS])}
    theirs = tokenizers.BertWordPieceTokenizer(vocab=vocabulary)
    for text in ("abcd abcc dd, b abx", "Ábc\u0301! d-d (a)", "ab\tcd 北 a\u200bb", "don't"):
        pieces = [piece for word in split_words(text) for piece in word_pieces(word, vocabulary)]
        assert pieces == theirs.encode(text, add_special_tokens=False).tokens
