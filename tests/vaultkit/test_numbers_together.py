"""Numbers that are on the page, but not where the sentence has them: each falsehood says why."""

import pytest

from vaultkit.checks.check import FAILS, HOLDS, strictly
from vaultkit.checks.numbers import Numbers
from vaultkit.checks.observed import Observed
from vaultkit.checks.together import is_edit
from vaultkit.claims.quantities import quantities
from vaultkit.read.markdown import parse
from vaultkit.read.prose import Prose
from vaultkit.run.session import NoteRun


def block(code: str) -> str:
    return f"```python\n{code}\n```\n\n"


TABLE = block("print(0.777, 1.0)") + block("""import numpy as np

print("width   norm    share")
print("   16   0.301   0.181")
print("   64   0.213   0.183")
print("  256   0.118   0.189")
alpha = np.array([[0.1503, 0.2256, 0.6241], [0.1500, 0.2264, 0.6236]])
query, q = np.array([0.43, 1.46]), [1.6, 0.4]
print("loss", 2.3026, "for", 0.1)
print("loss", 0.6931, "for", 0.5)
print("journey", query[0], "*", 0.44, "+ 1.46 * 1.14")
print("bytes", 48, "in all", 92, 93, 0.929, "of 100", -3.6742, 3.6742)""")


def failures(text: str, before: str = TABLE) -> dict[str, str]:
    note = parse(before + text + "\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    return {c.what: c.why for c in strictly(numbers.check()) if c.outcome == FAILS}


@pytest.mark.parametrize(
    ("text", "wrong", "why"),
    [
        # Three of a line, of a column, and of a row of an array.
        ("The norm is 0.301 against 0.181 at 16.", "", ""),
        ("The norm is 0.301 against 0.189 at 16.", "0.189", "16, 0.301, 0.181"),
        ("The norm is 0.301 against 0.118 at 16.", "0.118", "16, 0.301, 0.181"),
        ("It goes from 0.301 by 0.213 to 0.118.", "", ""),
        ("It goes from 0.301 by 0.213 then 0.181.", "0.181", "0.301, 0.213, 0.118"),
        ("It gives 0.1500 to one, 0.2264 to itself, 0.6236 to the rest.", "", ""),
        ("It gives 0.1503 to one, 0.2264 to itself, 0.6236 to the rest.", "0.1503", "0.15, 0.2264"),
        # Far from what stands there, in another sentence, or in a list of another kind.
        ("The norm is 0.301 against 0.929 at 16.", "0.929", "16, 0.301, 0.181, and not in"),
        ("The norm is 0.301 against 0.777 at 16.", "", ""),
        ("The norm is 0.301. It has 0.189 at 256.", "", ""),
        # What one belongs to.
        ("The loss is 2.30 at p = 0.1 and 0.69 at p = 0.5.", "", ""),
        ("The loss is 2.30 at p = 0.5.", "2.30", "0.6931, 0.5, and not in"),
        ("It is 0.183 for width 64, and 0.118 for width 256.", "", ""),
        ("It is 0.183 for width 16.", "0.183", "16, 0.301, 0.181, and not in"),
        ("The loss is 2.30 at p = 1.0.", "1.0", "2.3026, 0.1"),
        ("At 16 the norm is 0.301.", "", ""),
        ("At 16 the norm is 0.213.", "0.213", "16, 0.301, 0.181, and not in"),
        ("For p = 0.5 it loses 0.69.", "", ""),
        ("For p = 0.1 it loses 0.69.", "0.69", "2.3026, 0.1, and not in"),
        ("By 16 the norm is 0.213.", "", ""),
        # Pairs in brackets.
        ("The query is (0.43, 1.46).", "", ""),
        ("The query is (0.44, 1.46).", "0.44", "0.43, 1.46"),
        ("The point is (1.6, 0.4).", "", ""),
        ("The point is (1.6, 0.5).", "0.5", "1.6, 0.4"),
    ],
)
def test_numbers_that_stand_together_are_of_one_line(text: str, wrong: str, why: str) -> None:
    found = failures(text)
    assert list(found) == [wrong] * bool(wrong), found
    assert why in "".join(found.values())


@pytest.mark.parametrize(
    ("text", "wrong", "why"),
    [
        ("It is smaller than 0.95.", "0.95", "nothing"),
        ("It is smaller than 0.93.", "", ""),
        ("It is larger than 0.93.", "0.93", "0.929 is not more than that"),
        ("It is not larger than 0.93.", "", ""),
        ("It is more than −3.7.", "", ""),
        ("It is less than −3.67.", "", ""),
        ("It is less than 3.67.", "3.67", "3.6742 is not less than that"),
        ("It is at least 0.929.", "", ""),
        ("It is at most 0.929.", "", ""),
        ("It lies between −3.7 and 3.7.", "", ""),
        ("It is 92 to 93 %, from 0.181 to 0.301.", "", ""),
        ("It is 93 to 93 %.", "93", "no number is between"),
        ("It is 0.181 and 0.181.", "", ""),
        ("It lies between about 3.7 and 3.7.", "3.7", "no number is between"),
    ],
)
def test_a_bound_lies_on_its_side(text: str, wrong: str, why: str) -> None:
    found = failures(text)
    assert list(found) == [wrong] * bool(wrong), found
    assert why in "".join(found.values())


def test_what_only_an_array_holds_is_no_slip_of_what_is_shown() -> None:
    code = block(
        "import numpy as np\nhidden = np.array([8022, 1]) / 10000\nprint('cosine', 0.8202)"
    )
    assert failures("It falls to 0.8202.", code) == {}
    told = "it is in variable hidden: 0.8022, but nearby in output of the code at line 4:"
    assert failures("It falls to 0.8022.", code) == {"0.8022": f"0.8022: {told} 0.8202"}
    # What is shown with fewer digits says nothing, and what is far from it neither.
    assert failures("It falls to 0.8022.", code.replace("0.8202)", "0.80)")) == {}
    assert failures("It falls to 0.8022.", code.replace("0.8202)", "0.9202)")) == {}


@pytest.mark.parametrize(
    ("text", "scale"),
    [("It is 48 %.", True), ("It is 0.929 %.", False), ("It is 92.9 %.", True)],
)
def test_less_than_a_percent_is_no_share(text: str, scale: bool) -> None:
    assert bool(failures(text)) is not scale


def test_a_percentage_below_one_is_shown_as_one() -> None:
    assert failures("It is 0.37 %.", block("print('lost', 0.3716, 'percent')")) == {}
    assert failures("It is 0.37 %.", block("print('lost', 0.3716)")).keys() == {"0.37 %"}
    assert failures("It is 0.37 %.", block("print('lost', 0.003716)")) == {}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Salt is two percent of it.", ""),
        ("Salt is three percent of it.", "three percent"),
        ("Water is sixty-five per cent of it.", ""),
        ("Water is sixty-six per cent of it.", "sixty-six per cent"),
        ("Two of them are so.", ""),
    ],
)
def test_percent_in_words(text: str, wrong: str) -> None:
    found = failures(text, block("salt, water = 0.02, 0.65\nprint(salt, water)"))
    assert list(found) == [wrong] * bool(wrong)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Here `x[1] == 4.0`.", ""),
        ("Here `x[1] == 3.0`.", "3.0"),
        ("Here `x[-1]` is 4.", ""),
        ("Here x₂ = 4.", ""),
        ("Here x₂ = 3.", "3"),
        ("Here S₂₁ = 5.", ""),
        ("Here S₁₂ = 5.", "5"),
        ("Here `S[1, 0]` = 5.", ""),
        ("Here `x[7]` = 4.", ""),
    ],
)
def test_an_element_has_its_value(text: str, wrong: str) -> None:
    before = block("import numpy as np\nx = np.array([3.0, 4.0])\nS = np.array([[1, 2], [5, 6]])")
    found = failures(text, before)
    assert list(found) == [wrong] * bool(wrong)
    if wrong:
        assert " is " in found[wrong]


def test_an_element_has_its_value_where_it_is_named() -> None:
    code = block("import numpy as np\nx = np.array([3.0, 4.0])")
    later = block("x[1] = 6.0")
    assert failures("Here `x[1]` is 4.", code) == {}
    assert failures("Here `x[1]` is 6.", code) != {}
    note = parse(code + "Here `x[1]` is 6.\n\n" + later + "Here `x[1]` is 4.\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    assert [(c.what, c.outcome) for c in strictly(numbers.check())] == [("6", HOLDS), ("4", FAILS)]


def test_the_length_of_a_named_array_backs_its_number() -> None:
    many = "print(*range(10, 15), *range(16, 99))"
    code = block(f"import numpy as np\nalpha = np.ones((3, 5))\n{many}")
    assert failures("`alpha` has 15 entries.", code) == {}
    assert failures("There are 15 of them.", code).keys() == {"15"}


def test_a_summary_is_next_to_all_outputs_of_a_short_note() -> None:
    weights = block("import numpy as np\nprint(np.linspace(0.101, 0.899, 25).round(3))")
    summary = "---\nsummary: The second gets 0.134 of it.\n---\n"
    assert failures("", summary + weights) == {}
    assert failures("", summary + weights * 5).keys() == {"0.134"}


def test_code_far_from_a_number_must_tell_more() -> None:
    digits = block("rates = 0.1, 0.3, 0.7")
    assert failures("It is 0.3 here.", digits) == {}
    far = digits + "".join(block(f"print('{word}')") for word in "abcdef")
    assert "too many" in failures("It is 0.3 here.", far)["0.3"]
    # What has several digits is told from others wherever it stands.
    assert failures("It is 0.37 here.", far.replace("0.3,", "0.37,")) == {}


@pytest.mark.parametrize(
    ("stated", "number", "edit"),
    [
        ("0.181", 0.189, True),
        ("0.181", 0.1887, True),
        ("0.181", 0.1809, False),
        ("0.181", 0.118, True),
        ("0.181", 0.192, False),
        ("0.181", -0.181, True),
        ("0.181", -0.189, False),
        ("0.05", 0.5, True),
        ("100", 0.0, False),
        ("100", 120, True),
        ("48 %", 0.84, True),
        ("0.3", 0.5, False),
        ("0.181", float("nan"), False),
        ("0.181", float("inf"), False),
    ],
)
def test_a_slip_is_one_digit_two_that_change_places_or_the_sign(
    stated: str, number: float, edit: bool
) -> None:
    prose = Prose()
    prose.add(f"It is {stated}.", 1)
    (quantity,) = quantities(prose)
    assert is_edit(quantity.readings[0][0], number) is edit
