"""Numbers in inline code that a sentence asks for, supposes or denies; and such as it states."""

import pytest

from vaultkit.claims.claims import claims_of
from vaultkit.claims.suppositions import is_supposed
from vaultkit.read.markdown import parse

#: Sentences that do not state the value of n, k or lr.
SUPPOSED = [
    "Set `n = 20` and run the block again.",
    "Set `n = 20`, `k = 30`, and run it.",
    "Copy the block, set `n = 20`, and run it.",
    "Copy the block and set `n = 20`.",
    "You can also try `k = 40`.",
    "For example, set `n = 31`.",
    "Then try `f(n=50)` instead.",
    "Try `k = 40`: the loop takes longer.",
    "If `n = 20`, the list below has more lines.",
    "It has more lines if `n = 20` or `n = 30`.",
    "Let `y = 31`, then nothing below changes.",
    "When `lr = 0.5`, the steps get large.",
    "When you set `lr = 0.5`, the steps get large.",
    "Suppose `n = 64`. The array is as it was.",
    "Change `n` from `n = 12` to `n = 24`.",
    "What happens with `lr = 0.75`?",
    "Would `k = 16` be better here?",
    "With `n = 48` it would need more memory.",
    "A run that has `n = 48` would need more memory.",
    "Without `n = 99` in the call, it ends.",
    "Unless `n == 50`, the loop goes on.",
    "It goes on unless `n > 50`.",
    "It is not so that `n = 13`.",
    "It isn't `n = 13`.",
    "Instead of `n = 77`, any other number does.",
]
#: Sentences that state it, with similar words.
STATED = [
    "Here `n = 20`, and that is all.",
    "Here we use `n = 20`.",
    "Since `n = 20`, the loop is short.",
    "As `n = 20`, one would not notice it.",
    "We set `n = 20` above.",
    "The code sets `n = 20`.",
    "The block makes `x`, and set `n = 20` is its end.",
    "If you look above, `n = 20`.",
    "When the loop ends, `n = 20`.",
    "It is not surprising that `n = 20`.",
    "Let us look: `n = 20`.",
    "Let us take `n = 20`.",
    "This time, with `n = 20`, the loop ends.",
    "Here `n = 20`. What would it be else? What if not?",
    "What if not? Here `n = 20`.",
    "Would it help? As `n = 20`, it does not.",
    "Set the table: `n = 20` is what it says.",
    "If $50$ is it, `n = 20`.",
]


@pytest.mark.parametrize("text", SUPPOSED)
def test_what_is_supposed_states_no_number(text: str) -> None:
    assert claims_of(parse(f"# A\n\n{text}\n")).quantities == ()


@pytest.mark.parametrize("text", STATED)
def test_what_is_stated_is_a_number(text: str) -> None:
    assert "20" in [q.text for q in claims_of(parse(f"# A\n\n{text}\n")).quantities]


def test_only_code_that_compares_or_binds_is_supposed() -> None:
    text = "If it is `234` or $500$, and n = 12 of 30, set `np.zeros(15)`."
    found = [q.text for q in claims_of(parse(f"# A\n\n{text}\n")).quantities]
    assert found == ["234", "500", "12", "30", "15"]


def test_the_sentence_ends_a_question() -> None:
    assert is_supposed("Is ", " so?)")
    assert not is_supposed("It is ", " so")
