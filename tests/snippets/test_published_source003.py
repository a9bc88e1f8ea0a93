"""Every printed figure of source 003, redone with NumPy alone."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import (
    attention_scores,
    attention_weights,
    scaled_dot_product_attention,
)
from snippets.projection import project
from snippets.softmax import softmax
from snippets.torch_random import TorchRandom

CORNER = [0, 1, 2, -3, -2, -1]  # the rows and columns that the source printed


def corner(array):
    return array[np.ix_(CORNER, CORNER)]


@pytest.fixture(scope="module")
def notebook():
    random = TorchRandom(1234)
    X = random.rand(100, 64)
    random.rand(64, 16), random.rand(64, 16)  # the source had run this cell twice
    W_Q, W_K = random.rand(64, 16), random.rand(64, 16)
    random = TorchRandom(1234)
    random.rand(100, 64)
    W_V = random.rand(64, 64)
    Q, K, V = project(X, W_Q), project(X, W_K), project(X, W_V)
    return SimpleNamespace(X=X, Wq=W_Q, Wk=W_K, Q=Q, K=K, V=V, QKt=attention_scores(Q, K))


@pytest.mark.parametrize("name", ["X", "Wq", "Wk", "Q", "K"])
def test_inputs_and_projections_are_the_published_ones(notebook, published, name):
    assert_allclose(corner(getattr(notebook, name)), published(f"source003.{name}"), atol=1e-4)


def test_scores_are_the_published_ones(notebook, published):
    assert_allclose(corner(notebook.QKt), published("source003.QKt"), rtol=0, atol=2e-3)


def test_scaled_scores_are_the_published_ones(notebook, published):
    expected = published("source003.QKt/4")
    assert_allclose(corner(notebook.QKt / 4), expected, rtol=0, atol=5e-4)


def test_variances_are_the_published_ones(notebook, published):
    variances = [notebook.Q.var(ddof=1), notebook.K.var(ddof=1)]
    assert_allclose(variances, published("source003.var"), atol=1e-4)
    assert_allclose(
        notebook.QKt.astype(np.float64).var(ddof=1), published("source003.varQKt"), rtol=1e-6
    )


def test_softmax_of_the_keys_is_the_published_one(notebook, published):
    assert_allclose(corner(softmax(notebook.K)), published("source003.softmaxK"), atol=1e-4)


def test_output_is_the_published_one(notebook, published):
    output = scaled_dot_product_attention(notebook.Q, notebook.K, notebook.V)
    assert_allclose(corner(output), published("source003.output"), atol=1e-4)


def test_every_row_puts_its_whole_weight_on_token_31_even_after_scaling(notebook):
    weights = attention_weights(notebook.QKt.astype(np.float64), scale=1 / np.sqrt(16))
    assert_array_equal(weights.argmax(axis=-1), np.full(100, 31))
    assert (1 - weights[:, 31] < 1e-9).all()


def test_all_hundred_outputs_are_the_value_of_token_31(notebook):
    output = scaled_dot_product_attention(notebook.Q, notebook.K, notebook.V)
    assert_allclose(output, np.tile(notebook.V[31], (100, 1)), rtol=1e-6)


def test_the_published_variance_comes_from_the_means_of_queries_and_keys(notebook):
    scores = notebook.QKt.astype(np.float64)
    queries = scores.mean(axis=1, keepdims=True) - scores.mean()
    keys = scores.mean(axis=0, keepdims=True) - scores.mean()
    interaction = scores - scores.mean() - queries - keys
    parts = [queries.var(), keys.var(), interaction.var()]
    assert_allclose(parts, [76217, 82023, 373], rtol=2e-3)
    assert_allclose(sum(parts), scores.var(), rtol=1e-9)
