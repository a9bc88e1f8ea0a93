import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from snippets import trained_induction
from snippets.attention_only import next_token_logits, run, without_head
from snippets.induction import induction_score, induction_weights, previous_token_score
from snippets.repeated_sequences import VOCABULARY, repeated_batch
from snippets.trained_induction import NUM_HEADS, measure
from snippets.weight_vector import parameters_to_vector


@pytest.fixture(autouse=True)
def one_thread():
    """Products as small as these gain nothing from threads, and lose much beside other programs."""
    with threadpool_limits(1):
        yield


def right(weights, num_heads, periods=(6, 12)):
    numbers, repeated = repeated_batch(np.random.default_rng(3), 300, periods=periods)
    guess = next_token_logits(weights, numbers[:, :-1], num_heads).argmax(axis=-1)
    return (guess == numbers[:, 1:])[repeated].mean(), (guess == numbers[:, 1:])[~repeated].mean()


@pytest.mark.parametrize("periods", [(2, 4), (6, 12), (15, 20)])
def test_the_weights_written_down_complete_whatever_has_come_before(periods):
    weights = induction_weights(len(VOCABULARY), 24)
    assert right(weights, 1, periods) == (1, 0)


def test_the_heads_written_down_read_where_they_should():
    numbers, _ = repeated_batch(np.random.default_rng(3), 20)
    _, (first, second) = run(induction_weights(len(VOCABULARY), 25), numbers, 1)
    assert_allclose(previous_token_score(first), 1, atol=1e-9)
    assert_allclose(induction_score(second, numbers), 1, atol=1e-9)
    assert previous_token_score(second).max() < 0.2
    assert induction_score(first, numbers) < 0.1


def test_sharpness_is_the_scaled_score_of_a_match():
    weights = induction_weights(c=4, n_max=3, sharpness=np.log(3))
    _, (first, _) = run(weights, np.array([[0, 1, 2]]), 1)
    assert_allclose(first[0, 0], [[1, 0, 0], [3 / 4, 1 / 4, 0], [1 / 5, 3 / 5, 1 / 5]])


def test_scores_of_patterns_that_are_known():
    n = 5
    before = np.eye(n, k=-1)
    before[0, 0] = 1
    even = np.tri(n) / np.arange(1, n + 1)[:, np.newaxis]
    alpha = np.stack([before, even, np.eye(n)])[np.newaxis]
    expected = [1, np.mean([1 / 2, 1 / 3, 1 / 4, 1 / 5]), 0]
    assert_allclose(previous_token_score(alpha), [expected])
    # In 7 8 7 7 9, the third token should read the second; the fourth the second, or itself.
    numbers = np.array([[7, 8, 7, 7, 9]])
    expected = [(1 + 0) / 2, (1 / 3 + 2 / 4) / 2, (0 + 1) / 2]
    assert_allclose(induction_score(alpha, numbers), expected)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"alpha \(1, 1, 3, 3\) and numbers \(1, 4\)"):
        induction_score(np.ones((1, 1, 3, 3)), np.zeros((1, 4), int))
    with pytest.raises(ValueError, match="no token occurs twice"):
        induction_score(np.ones((1, 1, 3, 3)), np.array([[1, 2, 3]]))


# The trained models


@pytest.mark.full  # ten seconds
def test_the_file_holds_what_the_script_makes():
    """Weights to the accuracy of float16, in which they are kept."""
    for kept, num_layers in zip(trained_induction.load(), (2, 1), strict=True):
        made = trained_induction.train_model(num_layers)
        for name in ("repeat_loss", "new_loss", "previous", "induction"):
            assert_allclose(getattr(made, name), getattr(kept, name), rtol=1e-4, atol=1e-6)
        assert_allclose(
            parameters_to_vector(made.weights),
            parameters_to_vector(kept.weights),
            rtol=2**-11,
            atol=2**-20,
        )


def test_the_file_can_be_written_again(tmp_path, monkeypatch):
    kept = trained_induction.load()
    monkeypatch.setattr(trained_induction, "FILE", tmp_path / "induction.npz")
    monkeypatch.setattr(trained_induction, "train_model", lambda num_layers: kept[2 - num_layers])
    trained_induction.write()
    for written, given in zip(trained_induction.load(), kept, strict=True):
        assert_array_equal(parameters_to_vector(written), parameters_to_vector(given))
    assert (tmp_path / "induction.npz").stat().st_size < 50_000


def test_two_layers_complete_what_one_cannot():
    two, one = trained_induction.load()
    assert right(two.weights, NUM_HEADS)[0] > 0.99
    assert right(one.weights, NUM_HEADS)[0] < 0.5
    # of lengths that were never met in training
    for periods in ((3, 4), (14, 18)):
        assert right(two.weights, NUM_HEADS, periods)[0] > 0.98
    assert right(one.weights, NUM_HEADS, (14, 18))[0] < 0.01


def test_the_second_layer_has_induction_heads_and_the_first_reads_the_token_before():
    two, _ = trained_induction.load()
    repeat_loss, _, previous, induction = measure(two.weights)
    assert repeat_loss < 0.05
    assert induction[1].min() > 0.9
    assert induction[0].max() < 0.1
    assert previous[0].min() > 0.25
    assert previous[1].max() < 0.1
    for head in range(2):
        assert measure(without_head(two.weights, 0, head, NUM_HEADS))[0] > 5 * repeat_loss


def test_it_happens_within_a_few_steps():
    two, one = trained_induction.load()
    assert two.repeat_loss[8] > 2.5  # after 80 steps
    assert two.repeat_loss[16] < 0.3  # after 160
    assert two.induction[8].max() < 0.2
    assert two.induction[16].max() > 0.9
    assert one.repeat_loss.min() > 1.5
    # letters that cannot be known stay nearly as hard as they are: log 20 = 3.0
    assert abs(two.new_loss[-1] - np.log(20)) < 0.2
