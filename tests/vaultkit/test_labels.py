"""A number that a word names is compared with the values of that name only."""

import pytest

from vaultkit.checks.check import FAILS, strictly
from vaultkit.checks.labels import Labels
from vaultkit.checks.numbers import Numbers
from vaultkit.checks.observed import Observed
from vaultkit.read.markdown import parse
from vaultkit.run.session import NoteRun

CODE = """```python
payment, interest, largest = 373.51, 946.53, 11.25
steps = 20
print("payment", payment, "interest", interest)
print("slope: 1.9900, intercept: 1.0400 after", 64)
print("and 0.66 of 0.02")
for width in range(10):
    print("width", width + 0.5)
```

"""


def failures(text: str) -> dict[str, str]:
    note = parse(CODE + text + "\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    return {c.what: c.why for c in strictly(numbers.check()) if c.outcome == FAILS}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("The payment is 373.51 and the interest is 946.53.", ""),
        ("The payment is 946.53 and the interest is 373.51.", "946.53 373.51"),
        ("The *payment* is 946.53.", "946.53"),
        ("The payment is about 374.", ""),
        ("It has slope 1.99 and intercept 1.04.", ""),
        ("It has slope 1.04 and intercept 1.99.", "1.04 1.99"),
        ("It has slope 1.04, and more.", "1.04"),
        ("The steps are few: steps = 64.", "64"),
        # What is supposed, denied, or said of something else.
        ("If the payment is 946.53, it is too much.", ""),
        ("The payment is not the interest, it is 946.53.", ""),
        ("Together the payment is 946.53 lower.", ""),
        ("The yearly payment is 946.53.", ""),
        ("Each payment is 946.53.", ""),
        ("The payment is 946.53 in all.", ""),
        # A number of something, a word that any number follows, and one of many.
        ("It has steps 64.", ""),
        ("The largest is 946.53.", ""),
        ("The width is 946.53.", ""),
        ("The price is 946.53.", ""),
    ],
)
def test_a_word_has_its_own_number(text: str, wrong: str) -> None:
    assert " ".join(failures(text)) == wrong


def test_the_message_tells_what_the_word_is() -> None:
    told = "946.53: payment is output of the code at line 1: 373.51"
    assert failures("The payment is 946.53.") == {"946.53": told}
    told = "1.04: slope is output of the code at line 1: 1.9900"
    assert failures("The slope is 1.04.") == {"1.04": told}


def test_only_words_name_numbers() -> None:
    labels = Labels()
    labels.bind({"x": 1.5, "d_k": 4.0, "the": 3.0, "rate": 0.5})
    labels.read("about 12.5 of rate=0.25, x 7 v1.5 rates 3rd", "output")
    named = {word: sorted(labels.of(word).numbers) for word in ("x", "d_k", "the", "about", "Rate")}
    assert named == {"x": [], "d_k": [], "the": [], "about": [], "Rate": [0.5]}
