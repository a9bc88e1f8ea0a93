import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.grouped_heads import grouped_query_attention, latent_attention, repeat_heads
from snippets.masks import causal_mask

rng = np.random.default_rng(0)


def test_neighbours_share_a_head():
    x = np.arange(2).reshape(2, 1, 1)
    assert_array_equal(repeat_heads(x, 6).ravel(), [0, 0, 0, 1, 1, 1])
    assert repeat_heads(np.ones((5, 2, 3, 4)), 4).shape == (5, 4, 3, 4)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("g", [1, 2, 4])
def test_each_head_alone_gives_the_same(batch, g):
    query = rng.normal(size=(*batch, 4, 5, 3))
    key, value = rng.normal(size=(*batch, g, 5, 3)), rng.normal(size=(*batch, g, 5, 2))
    output = grouped_query_attention(query, key, value, is_causal=True)
    masked = grouped_query_attention(query, key, value, causal_mask(5))
    for i in range(4):
        head = i * g // 4
        alone = scaled_dot_product_attention(
            query[..., i, :, :], key[..., head, :, :], value[..., head, :, :], is_causal=True
        )
        assert_allclose(output[..., i, :, :], alone)
        assert_allclose(masked[..., i, :, :], alone)


def test_large_scores_stay_finite_and_a_masked_row_is_zero():
    query, key = np.full((4, 2, 3), 1e4), np.full((2, 2, 3), 1e4)
    output = grouped_query_attention(query, key, key, np.array([[True, True], [False, False]]))
    assert_array_equal(output[:, 0], np.full((4, 3), 1e4))
    assert_array_equal(output[:, 1], 0)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_absorbing_changes_the_order_of_a_product_alone(batch):
    query, latent = rng.normal(size=(*batch, 4, 5, 3)), rng.normal(size=(*batch, 6, 7))
    W_UK, W_UV = rng.normal(size=(4, 7, 3)), rng.normal(size=(4, 7, 2))
    made = latent_attention(query, latent, W_UK, W_UV, absorbed=False)
    assert made.shape == (*batch, 4, 5, 2)
    for i in range(4):
        alone = scaled_dot_product_attention(
            query[..., i, :, :], latent @ W_UK[i], latent @ W_UV[i]
        )
        assert_allclose(made[..., i, :, :], alone)
    assert_allclose(latent_attention(query, latent, W_UK, W_UV, absorbed=True), made, rtol=1e-9)


@pytest.mark.parametrize(
    ("function", "shapes", "message"),
    [
        (lambda x: repeat_heads(x, 4), [(3, 5, 2)], r"x \(3, 5, 2\) is not .* that divides 4"),
        (lambda x: repeat_heads(x, 4), [(5, 2)], r"x \(5, 2\) is not"),
        (lambda x: repeat_heads(x, 4), [(0, 5, 2)], r"x \(0, 5, 2\) is not"),
        (
            grouped_query_attention,
            [(4, 5, 3), (2, 5, 3), (1, 5, 3)],
            r"query \(4, 5, 3\), key \(2, 5, 3\) and value \(1, 5, 3\)",
        ),
        (grouped_query_attention, [(5, 3), (1, 5, 3), (1, 5, 3)], r"query \(5, 3\)"),
        (grouped_query_attention, [(4, 5, 3), (3, 5, 3), (3, 5, 3)], r"x \(3, 5, 3\)"),
    ],
)
def test_what_does_not_fit_is_refused(function, shapes, message):
    with pytest.raises(ValueError, match="^" + message):
        function(*map(np.ones, shapes))
