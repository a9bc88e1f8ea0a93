import pytest

from snippets.word_piece import split_words, word_pieces

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
def test_words_are_in_lower_case_and_punctuation_stands_alone(text, words):
    assert split_words(text) == words.split()


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
