import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from snippets import trained_decoder
from snippets.bank_stories import PROBABILITIES, VOCABULARY, to_numbers
from snippets.decoder import next_token_logits
from snippets.softmax import softmax
from snippets.trained_decoder import NUM_HEADS
from snippets.weight_vector import parameters_to_vector


@pytest.fixture(autouse=True)
def one_thread():
    """Products as small as these gain nothing from threads, and lose much beside other programs."""
    with threadpool_limits(1):
        yield


@pytest.mark.long
def test_the_file_holds_what_the_script_makes():
    """Weights to the accuracy of float16, in which they are kept; losses to that of float32."""
    kept, kept_losses = trained_decoder.load()
    made, made_losses = trained_decoder.train_decoder()
    assert_allclose(made_losses, kept_losses, rtol=1e-5)
    assert_allclose(
        parameters_to_vector(made), parameters_to_vector(kept), rtol=2**-11, atol=2**-20
    )


def test_the_file_can_be_written_again(tmp_path, monkeypatch):
    weights, losses = trained_decoder.load()
    monkeypatch.setattr(trained_decoder, "FILE", tmp_path / "decoder.npz")
    monkeypatch.setattr(trained_decoder, "train_decoder", lambda: (weights, -losses))
    trained_decoder.write()
    written, written_losses = trained_decoder.load()
    assert_array_equal(parameters_to_vector(written), parameters_to_vector(weights))
    assert_array_equal(written_losses, -losses)
    assert (tmp_path / "decoder.npz").stat().st_size < 50_000


def test_the_first_steps_are_those_of_the_whole_training():
    assert_allclose(trained_decoder.train_decoder(3)[1], trained_decoder.load()[1][:3], rtol=1e-6)


def test_it_predicts_held_out_stories_almost_as_well_as_one_can():
    weights, _ = trained_decoder.load()
    _, held_out = trained_decoder.stories()
    logits = next_token_logits(weights, held_out.numbers[:, :-1], NUM_HEADS)
    p = np.take_along_axis(softmax(logits), held_out.numbers[:, 1:, np.newaxis], -1)[..., 0]
    surprise = -(np.log(p) * held_out.counted).sum(axis=1) @ held_out.probability
    # A story's probability is that of one person's or of one of two persons'.
    alone = held_out.counted.sum(axis=1) < 18
    best = np.where(alone, -np.log(PROBABILITIES.max()), -np.log(PROBABILITIES.min()))
    assert 0 < surprise - best @ held_out.probability < 0.4


def test_the_bank_and_the_names_come_from_the_beginning_of_the_story():
    weights, _ = trained_decoder.load()

    def likeliest(start, count):
        numbers = to_numbers(f"<end> {start}".split())
        p = softmax(next_token_logits(weights, numbers, NUM_HEADS)[-1])
        order = np.argsort(-p)[:count]
        return {VOCABULARY[number] for number in order}, p[order].sum()

    for start, words in (
        ("Ada swims in the river . the bank is", {"green", "steep", "muddy"}),
        ("Ben and Zoe lend the money . the bank is", {"open", "closed", "rich"}),
        ("Ben and Zoe lend the money . the bank is open .", {"Ben"}),
        ("Ben and Zoe lend the money . the bank is open . Ben and", {"Zoe"}),
        ("Ben and Zoe lend the money . the bank is open . Ben and Zoe", {"go", "stay"}),
        ("Ben lends the money . the bank is open . Ben", {"goes", "stays"}),
    ):
        found, together = likeliest(start, len(words))
        assert found == words
        assert together > 0.9
