"""Held to ml_dtypes, the types of JAX and ONNX, code by code, and to the tables of the OCP."""

import ml_dtypes
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from snippets.quantized_cache import to_e4m3
from snippets.small_floats import float_values, round_to_float

TYPES = [
    (np.float16, (5, 10), False),
    (ml_dtypes.bfloat16, (8, 7), False),
    (ml_dtypes.float8_e5m2, (5, 2), False),
    (ml_dtypes.float8_e4m3fn, (4, 3), True),
]
IDS = ["float16", "bfloat16", "e5m2", "e4m3"]
ALL_FLOAT16 = np.arange(2**16, dtype=np.uint16).view(np.float16)
ALL_FLOAT16[np.isnan(ALL_FLOAT16)] = np.nan  # some would raise the flag of an invalid operation


@pytest.mark.parametrize(("dtype", "bits", "finite"), TYPES, ids=IDS)
def test_every_code_means_what_it_means_to_ml_dtypes(dtype, bits, finite):
    values, code = float_values(*bits, finite=finite), f"u{np.dtype(dtype).itemsize}"
    assert_array_equal(values, np.arange(len(values), dtype=code).view(dtype).astype(float))
    beyond = np.array([len(values)], code).view(dtype).astype(float)
    assert not np.isfinite(beyond).any()


@pytest.mark.parametrize("given", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize(("dtype", "bits", "finite"), TYPES, ids=IDS)
def test_numbers_are_rounded_as_ml_dtypes_rounds_them(dtype, bits, finite, given):
    x = ALL_FLOAT16.astype(given)
    if given != np.float16:
        rng = np.random.default_rng(0)
        drawn = rng.standard_normal(500) * 10.0 ** rng.integers(-44, 38, 500)
        x = np.concatenate([x, drawn.astype(np.float32).astype(given)])
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = x.astype(np.float32).astype(dtype).astype(np.float32)
    found = round_to_float(x, *bits, finite=finite)
    assert found.dtype == np.result_type(given, np.float32)
    if finite:  # ml_dtypes gives NaN; ONNX's Cast and we saturate
        wanted = np.where(np.isnan(wanted) & ~np.isnan(x), np.copysign(448, x), wanted)
        assert_array_equal(to_e4m3(x), found)
    assert_array_equal(found, wanted)


def test_the_ranges_are_those_of_the_specification():
    """OCP 8-bit Floating Point Specification, revision 1.0, table 2."""
    e5m2, e4m3 = float_values(5, 2), float_values(4, 3, finite=True)
    assert (e5m2[1], e5m2[4], e5m2[-1]) == (2.0**-16, 2.0**-14, 57344)
    assert (e4m3[1], e4m3[8], e4m3[-1]) == (2.0**-9, 2.0**-6, 448)
