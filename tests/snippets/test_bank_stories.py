import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from snippets.bank_stories import (
    END,
    NAMES,
    NUMBERS,
    PROBABILITIES,
    STORIES,
    VOCABULARY,
    all_stories,
    split_stories,
)

RIVER, MONEY = {"green", "steep", "muddy"}, {"open", "closed", "rich"}


def test_every_story_occurs_once():
    # one person or an ordered pair, river or money, three verbs, three adjectives, two endings
    assert len(STORIES) == (8 + 8 * 7) * 2 * 3 * 3 * 2
    stories, probabilities = all_stories()
    assert len({tuple(story) for story in stories}) == len(STORIES)
    assert stories == STORIES
    alone = np.array([story[1] != "and" for story in stories])
    # Each kind has half, in equal parts.
    assert_allclose(probabilities[alone], 0.5 / alone.sum())
    assert_allclose(probabilities[~alone], 0.5 / (~alone).sum())
    assert_array_equal(probabilities, PROBABILITIES)


def test_what_comes_later_agrees_with_what_came_before():
    for story in STORIES:
        first, second = " ".join(story).split(" . the bank is ")
        assert len(RIVER & set(story)) == ("river" in first)
        assert len(MONEY & set(story)) == ("money" in first)
        who = [word for word in first.split() if word in NAMES]
        assert who == [word for word in second.split() if word in NAMES]
        verb = first.split()[len(" and ".join(who).split())]
        assert verb.endswith("s") == (len(who) == 1)
        assert (("goes" in second) or ("stays" in second)) == (len(who) == 1)
        assert story[-1] == END


def test_the_parts_share_no_story_and_miss_none():
    training, held_out = split_stories(np.random.default_rng(3), share=0.25)
    assert (len(training.numbers), len(held_out.numbers)) == (1728, 576)
    rows = np.concatenate([training.numbers, held_out.numbers])
    assert len(np.unique(rows, axis=0)) == len(STORIES)
    for part in (training, held_out):
        assert_allclose(part.probability.sum(), 1)
        # a story of one person is 7 times as probable as one of two
        assert_allclose(part.probability.max() / part.probability.min(), 7)


def test_a_row_begins_and_ends_with_the_token_for_the_end():
    training, _ = split_stories(np.random.default_rng(0))
    for row, counted in zip(training.numbers[:50], training.counted[:50], strict=True):
        story = [VOCABULARY[number] for number in row[1:][counted]]
        assert story in STORIES
        assert row[0] == NUMBERS[END]
        assert_array_equal(row[1:][~counted], NUMBERS[END])
