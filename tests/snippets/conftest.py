"""What the tests of the snippets share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture(scope="session")
def published() -> Callable[[str], Any]:
    """Look up a published figure; its rounding is the reason for the tests' tolerances."""
    text = Path(__file__).with_name("published_numbers.json").read_text("utf-8")
    figures = json.loads(text)
    # "-inf" is not JSON: the file holds it as a word
    return lambda name: np.array(figures[name], dtype=np.float64)
