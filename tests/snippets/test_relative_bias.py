"""Held to the values that T5's own code prints, and to the vectors of ONNX Runtime."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from snippets.relative_bias import relative_bucket


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(("num_buckets", "max_distance"), [(32, 128), (12, 10)])
def test_the_buckets_begin_where_those_of_t5_begin(published, num_buckets, max_distance, is_causal):
    way = "causal" if is_causal else "both"
    buckets, begins = published(f"t5.{num_buckets}.{max_distance}.{way}").astype(int)
    distance = np.arange(-200, 201)
    wanted = np.repeat(buckets, np.diff([*begins, 201]))
    found = relative_bucket(distance, num_buckets, max_distance, is_causal=is_causal)
    assert_array_equal(found, wanted)
    batched = relative_bucket(
        distance.reshape(1, 401, 1), num_buckets, max_distance, is_causal=is_causal
    )
    assert_array_equal(batched[0, :, 0], found)


@pytest.mark.parametrize(
    ("table", "is_causal", "wanted"),
    [
        ([[1, 3, 5, 7], [2, 4, 6, 8]], False, [[[1, 7], [3, 1]], [[2, 8], [4, 2]]]),
        (
            [[1, 4, 7, 10], [2, 5, 8, 11], [3, 6, 9, 12]],
            False,
            [[[1, 10], [4, 1]], [[2, 11], [5, 2]], [[3, 12], [6, 3]]],
        ),
        (
            [[1, 4, 7, 10], [2, 5, 8, 11], [3, 6, 9, 12]],
            True,
            [[[1, 1], [4, 1]], [[2, 2], [5, 2]], [[3, 3], [6, 3]]],
        ),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_onnx_runtime_gives_the_same_biases(table, is_causal, wanted, dtype):
    """RelativePositionBias of microsoft/onnxruntime, relative_attention_bias_test.cc."""
    distance = np.arange(2) - np.arange(2)[:, np.newaxis]
    bias = np.array(table, dtype)[:, relative_bucket(distance, 4, 128, is_causal=is_causal)]
    assert_array_equal(bias, wanted)


@pytest.mark.parametrize(
    "arguments", [(30, 128, False), (31, 128, True), (0, 128, True), (32, 8, False)]
)
def test_what_cannot_be_divided_is_refused(arguments):
    num_buckets, max_distance, is_causal = arguments
    with pytest.raises(
        ValueError, match=f"num_buckets {num_buckets} .* max_distance {max_distance}"
    ):
        relative_bucket(np.arange(3), num_buckets, max_distance, is_causal=is_causal)
