"""Byte pairs, against the example of the paper, a rule written differently, and round trips."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.bank_text import TEXT
from snippets.byte_pair import (
    apply_merges,
    decode,
    encode,
    learn_byte_pairs,
    learn_merges,
    merge_pair,
    pair_counts,
    split_text,
    to_bytes,
    vocabulary_of,
)

# The dictionary in the code of Sennrich et al. 2016; </w> ends a word.
PAPER = {
    ("l", "o", "w", "</w>"): 5,
    ("l", "o", "w", "e", "r", "</w>"): 2,
    ("n", "e", "w", "e", "s", "t", "</w>"): 6,
    ("w", "i", "d", "e", "s", "t", "</w>"): 3,
}


def test_the_code_of_the_paper_joins_the_same_pairs():
    """That code replaces in strings, by a regular expression."""
    words, expected = {" ".join(pieces): count for pieces, count in PAPER.items()}, []
    for _ in range(10):
        counts: Counter[tuple[str, ...]] = Counter()
        for word, count in words.items():
            pieces = word.split()
            for pair in zip(pieces, pieces[1:]):  # noqa: B905, RUF007
                counts[pair] += count
        best = max(counts, key=counts.get)
        expected.append(best)
        pattern = re.compile(r"(?<!\S)" + re.escape(" ".join(best)) + r"(?!\S)")
        words = {pattern.sub("".join(best), word): count for word, count in words.items()}
    assert learn_merges(PAPER, 10) == expected
    assert expected[:3] == [("e", "s"), ("es", "t"), ("est", "</w>")]


def test_a_word_that_was_not_in_the_dictionary_is_cut_into_known_parts():
    merges = learn_merges(PAPER, 10)
    assert apply_merges((*"lowest", "</w>"), merges) == ("low", "est</w>")


def test_learning_ends_when_nothing_is_left_to_join():
    merges = learn_merges(PAPER, 1000)
    assert len(merges) < 20
    assert all(apply_merges(word, merges) == ("".join(word),) for word in PAPER)
    assert learn_merges({("a",): 3}, 5) == []


def test_pairs_are_counted_with_their_words():
    counts = pair_counts(PAPER)
    assert counts["e", "s"] == 9
    assert counts["w", "e"] == 8  # lower and newest
    assert counts["l", "o"] == 7


@pytest.mark.parametrize(
    ("pieces", "merged"),
    [("aaaa", ("aa", "aa")), ("baab", ("b", "aa", "b")), ("", ()), ("ab", ("a", "b"))],
)
def test_a_pair_is_joined_from_the_left(pieces, merged):
    assert merge_pair(tuple(pieces), ("a", "a")) == merged


def lowest_rank_first(pieces, merges):
    """Join, again and again, the pair that was learned first: how GPT-2's code puts it."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    pieces = list(pieces)
    while True:
        found = [
            (ranks[pair], i)
            for i, pair in enumerate(zip(pieces, pieces[1:], strict=False))  # noqa: RUF007
            if pair in ranks
        ]
        if not found:
            return tuple(pieces)
        _, i = min(found)
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]


def test_merges_in_order_are_those_of_the_lowest_rank():
    merges = learn_byte_pairs(TEXT, 150)
    rng = np.random.default_rng(0)
    for _ in range(300):
        word = "".join(rng.choice(list("  abdeiknorst"), size=rng.integers(1, 12)))
        assert apply_merges(to_bytes(word), merges) == lowest_rank_first(to_bytes(word), merges)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The bank's rich.", ["The", " bank", "'s", " rich", "."]),
        ("1000 + 20 = 1020!", ["1000", " +", " 20", " =", " 1020", "!"]),
        ("a  b", ["a", " ", " b"]),
        ("a\n\nb \n", ["a", "\n", "\n", "b", " \n"]),
        ("snake_case x2", ["snake", "_", "case", " x", "2"]),
        ("Zürich 北京", ["Zürich", " 北京"]),
    ],
)
def test_text_is_cut_before_words(text, parts):
    assert split_text(text) == parts


@given(st.text())
def test_nothing_is_lost(text):
    assert "".join(split_text(text)) == text
    numbers = encode(text, MERGES)
    assert decode(numbers, MERGES) == text.encode(errors="replace").decode()
    assert len(numbers) <= len(text.encode())


MERGES = learn_byte_pairs(TEXT, 60)


def test_each_merge_makes_the_text_shorter():
    merges = learn_byte_pairs(TEXT, 100)
    lengths = [len(encode(TEXT, merges[:count])) for count in range(101)]
    assert lengths[0] == len(TEXT.encode())
    assert all(b < a for a, b in zip(lengths, lengths[1:], strict=False))  # noqa: RUF007


def test_two_merges_that_make_one_token_share_its_number():
    merges = [(b"a", b"b"), (b"ab", b"c"), (b"b", b"c"), (b"a", b"bc")]
    assert vocabulary_of(merges)[257] == vocabulary_of(merges)[259] == b"abc"
    assert encode("abc", merges) == [257]
    assert decode([259], merges) == "abc"


def test_a_part_of_a_letter_is_no_letter():
    numbers = encode("é", [])
    assert numbers == [0xC3, 0xA9]
    assert decode(numbers[:1], []) == "\ufffd"


@pytest.mark.parametrize("numbers", [[-1], [256], [3, 300]])
def test_a_number_without_a_token_is_refused(numbers):
    with pytest.raises(ValueError, match="between 0 and 255"):
        decode(numbers, [])
