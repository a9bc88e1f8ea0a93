"""The figures of Raschka's chapter 3 that attention alone decides, redone with NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from snippets.attention import (
    attention_scores,
    attention_weights,
    scaled_dot_product_attention,
)
from snippets.multi_head import MultiHeadWeights, multi_head_attention
from snippets.projection import project
from snippets.softmax import softmax
from snippets.torch_random import TorchRandom

INPUTS = np.array(
    [
        [0.43, 0.15, 0.89],  # Your
        [0.55, 0.87, 0.66],  # journey
        [0.57, 0.85, 0.64],  # starts
        [0.22, 0.58, 0.33],  # with
        [0.77, 0.25, 0.10],  # one
        [0.05, 0.80, 0.55],  # step
    ]
)
CAUSAL = np.tri(6, dtype=bool)
SCALE = 1 / np.sqrt(2)


@pytest.fixture
def agree(published):
    def agree(actual, name):
        assert_allclose(actual, published(f"raschka.{name}"), rtol=0, atol=1e-4)

    return agree


def linear_maps(random, count):
    """Draw maps from 3 to 2 dimensions without bias, and project the inputs with each."""
    return [project(INPUTS, random.linear(3, 2, bias=False)[0].T) for _ in range(count)]


def test_weightless_attention_of_the_second_token(agree):
    scores = attention_scores(INPUTS[1], INPUTS)
    agree(scores, "scores2")
    agree(scores / scores.sum(), "sumnorm2")
    agree(softmax(scores), "softmax2")
    agree(softmax(scores) @ INPUTS, "context2")


def test_weightless_attention_of_all_tokens(agree):
    agree(attention_scores(INPUTS, INPUTS), "scores")
    output, weights = scaled_dot_product_attention(
        INPUTS, INPUTS, INPUTS, scale=1.0, return_weights=True
    )
    agree(weights, "weights")
    agree(output, "contexts")


def test_trainable_weights(agree):
    random = TorchRandom(123)
    Q, K, V = (project(INPUTS, random.rand(3, 2)) for _ in range(3))
    agree(Q[1], "query2")
    agree(attention_scores(Q, K)[1, 1], "score22")
    agree(attention_scores(Q[1], K), "tscores2")
    agree(attention_weights(attention_scores(Q[1], K), scale=SCALE), "tweights2")
    agree(scaled_dot_product_attention(Q, K, V)[1], "tcontext2")
    agree(scaled_dot_product_attention(Q, K, V), "sa_v1")


def test_linear_layers(agree):
    Q, K, V = linear_maps(TorchRandom(789), 3)
    output, weights = scaled_dot_product_attention(Q, K, V, return_weights=True)
    agree(output, "sa_v2")
    agree(weights, "weights_v2")


def test_causal_weights(agree):
    Q, K, _ = linear_maps(TorchRandom(789), 3)
    scores = attention_scores(Q, K)
    agree(np.where(CAUSAL, scores, -np.inf), "masked")
    agree(attention_weights(scores, CAUSAL, SCALE), "causal")


def test_two_causal_heads_side_by_side(agree):
    random = TorchRandom(123)
    one, two = [[random.linear(3, 2, bias=False)[0].T for _ in range(3)] for _ in range(2)]
    joined = [np.concatenate(pair, axis=-1) for pair in zip(one, two, strict=True)]
    weights = MultiHeadWeights(*joined, W_O=np.eye(4))  # the wrapper only concatenates
    output = multi_head_attention(INPUTS, INPUTS, INPUTS, weights, 2, is_causal=True)
    agree(output, "CausalAttention+Wrapper")


def test_multi_head_attention_with_an_output_projection(agree):
    random = TorchRandom(123)
    W_Q, W_K, W_V = (random.linear(3, 2, bias=False)[0].T for _ in range(3))
    W_O, b_O = random.linear(2, 2)
    weights = MultiHeadWeights(W_Q, W_K, W_V, W_O.T, b_O=b_O)
    batch = np.stack([INPUTS, INPUTS])
    output = multi_head_attention(batch, batch, batch, weights, 2, is_causal=True)
    agree(output[0], "MultiHeadAttention")
    agree(output[1], "MultiHeadAttention")


def test_scores_of_two_heads_at_once(agree):
    two_heads = np.array(
        [
            [
                [0.2745, 0.6584, 0.2775, 0.8573],
                [0.8993, 0.0390, 0.9268, 0.7388],
                [0.7179, 0.7058, 0.9156, 0.4340],
            ],
            [
                [0.0772, 0.3565, 0.1479, 0.5331],
                [0.4066, 0.2318, 0.4545, 0.9737],
                [0.4606, 0.5159, 0.4220, 0.5786],
            ],
        ]
    )
    agree(attention_scores(two_heads, two_heads), "batched matmul")


def test_parameters_of_gpt2s_attention(agree):
    random = TorchRandom(0)
    maps = [random.linear(768, 768, bias=False)[0] for _ in range(3)]
    W_O, b_O = random.linear(768, 768)
    weights = MultiHeadWeights(*maps, W_O, b_O=b_O)
    agree(sum(x.size for x in weights if x is not None), "ex3.3 params")
