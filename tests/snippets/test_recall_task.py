import numpy as np
import pytest
from numpy.testing import assert_array_equal

from snippets.recall_task import decode, encode, recall_batch, recall_two_batch


def test_writes_a_letter_and_a_digit_as_two_ones():
    X = encode(["h0", "a9", "c"])
    assert X.shape == (3, 18)
    assert [np.flatnonzero(row).tolist() for row in X] == [[7, 8], [0, 17], [2]]
    assert decode(X) == ["h0", "a9", "c"]


def test_refuses_what_is_neither_letter_nor_digit():
    with pytest.raises(ValueError, match="'z' in 'z1'"):
        encode(["z1"])


@pytest.mark.parametrize("ahead", [0, 1, 3])
@pytest.mark.parametrize("num_pairs", [1, 4, 8])
def test_the_answer_is_the_digit_of_the_letter_asked_for(num_pairs, ahead):
    X, answer = recall_batch(np.random.default_rng(0), 50, num_pairs, ahead)
    for sequence, digit in zip(X, answer, strict=True):
        *pairs, asked = decode(sequence)
        wanted = "abcdefgh"[("abcdefgh".index(asked) + ahead) % 8]
        assert dict(pairs)[wanted] == str(digit)
        assert len({pair[0] for pair in pairs}) == len({pair[1] for pair in pairs}) == num_pairs


def test_every_letter_digit_and_place_is_drawn_about_as_often():
    X, answer = recall_batch(np.random.default_rng(0), 8000)
    assert abs(X[:, :4].mean(axis=(0, 1))[:8] - 1 / 8).max() < 0.01
    assert abs(X[:, 4].mean(axis=0)[:8] - 1 / 8).max() < 0.02
    assert abs(np.bincount(answer, minlength=10) / 8000 - 0.1).max() < 0.02
    place = (X[:, :4, :8] * X[:, 4:, :8]).sum(axis=-1).mean(axis=0)
    assert abs(place - 1 / 4).max() < 0.02


def test_the_seed_decides():
    first, again = (recall_batch(np.random.default_rng(7), 3) for _ in range(2))
    assert_array_equal(first[0], again[0])
    assert_array_equal(first[1], again[1])


def test_digits_may_repeat_if_asked_to():
    X, answer = recall_batch(np.random.default_rng(0), 200, 8, distinct_digits=False)
    numbers_of_digits = set()
    for sequence, digit in zip(X, answer, strict=True):
        *pairs, asked = decode(sequence)
        assert dict(pairs)[asked] == str(digit)
        numbers_of_digits.add(len({pair[1] for pair in pairs}))
    assert min(numbers_of_digits) < 6


@pytest.mark.parametrize("num_pairs", [2, 4, 8])
def test_two_answers_are_the_digits_of_the_letter_and_of_the_next(num_pairs):
    X, answer = recall_two_batch(np.random.default_rng(0), 1000, num_pairs)
    places = set()
    for sequence, digits in zip(X, answer, strict=True):
        *pairs, asked = decode(sequence)
        after = "bcdefgha"["abcdefgh".index(asked)]
        assert [dict(pairs)[asked], dict(pairs)[after]] == [str(digit) for digit in digits]
        assert len({pair[0] for pair in pairs}) == len({pair[1] for pair in pairs}) == num_pairs
        letters = [pair[0] for pair in pairs]
        places.add((letters.index(asked), letters.index(after)))
    assert len(places) == num_pairs * (num_pairs - 1)


def test_there_are_four_pairs_by_default():
    for draw in (recall_batch, recall_two_batch):
        X, _ = draw(np.random.default_rng(0), 2)
        assert X.shape == (2, 5, 18)


@pytest.mark.parametrize("num_pairs", [1, 9])
def test_two_answers_need_two_pairs(num_pairs):
    with pytest.raises(ValueError, match=f"num_pairs is {num_pairs}"):
        recall_two_batch(np.random.default_rng(0), 1, num_pairs)


@pytest.mark.parametrize("num_pairs", [0, 9])
def test_refuses_more_pairs_than_letters(num_pairs):
    with pytest.raises(ValueError, match=f"num_pairs is {num_pairs}"):
        recall_batch(np.random.default_rng(0), 1, num_pairs)
