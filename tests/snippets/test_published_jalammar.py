"""The figures of The Illustrated Transformer: scores 112 and 96, d_k = 64."""

import numpy as np
from numpy.testing import assert_allclose

from snippets.attention import attention_weights
from snippets.softmax import softmax

SCORES = np.array([112.0, 96.0])
SCALE = 1 / np.sqrt(64)


def test_scaled_scores(published):
    assert_allclose(SCORES * SCALE, published("jalammar.scaled"))


def test_softmax_of_the_scaled_scores(published):
    assert_allclose(softmax(published("jalammar.scaled")), published("jalammar.softmax"), atol=5e-3)
    weights = attention_weights(SCORES, scale=SCALE)
    assert_allclose(weights, published("jalammar.softmax"), atol=5e-3)
