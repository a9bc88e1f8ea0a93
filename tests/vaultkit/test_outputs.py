import pytest

from vaultkit.checks.outputs import agrees, compare


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        ("0.15", "0.1502"),
        ("0.1500", "0.15004"),
        ("0.125", "0.1254999"),
        ("-0.0", "-0.0"),
        ("-0.00", "-0.0003"),
        ("1.", "1.000000001"),
        ("1.5e-3", "0.00151"),
        ("nan", "nan"),
        ("-inf", "-inf"),
        ("12", "12"),
        # Half a unit of the last digit, from both sides, to the last decimal.
        ("0.12", "0.125"),
        ("0.12", "0.115"),
        ("1.5e-3", "0.00155"),
        # As NumPy writes what is whole: to eight digits of itself, or eight decimals.
        ("1.", "1.0000000099"),
        ("100.", "99.9999991"),
        ("0.", "0.0000000099"),
    ],
)
def test_a_number_is_another_rounded_to_its_digits(shown: str, real: str) -> None:
    assert agrees(shown, real)


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        ("0.15", "0.1551"),
        ("0.1500", "0.1501"),
        ("0.1501", "0.15"),
        ("3", "3.0"),
        ("3.0", "3"),
        ("3", "4"),
        ("1.", "1.4"),
        ("1.5e-3", "1.5e-4"),
        ("nan", "1.0"),
        ("inf", "-inf"),
        ("0.15", "-0.15"),
        ("-0.0", "0.0"),
        ("0.", "-0."),
        ("+0.5", "0.5"),
        ("0.12", "0.12500001"),
        ("0.12", "0.11499999"),
        ("1.5e-3", "0.00155001"),
        ("1.", "1.0000000101"),
        ("100.", "99.9999989"),
        ("0.", "0.0000000101"),
    ],
)
def test_a_number_is_not_another(shown: str, real: str) -> None:
    assert not agrees(shown, real)


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        ("[0.15 0.2264]", "[0.1500 0.2264]"),
        ("[ 1.  2.]", "[1. 2.]"),
        ("array([1, 2,\n       3])", "array([1, 2, 3])"),
        ("[[1. 2.]\n [3. 4.]]", "[[1.  2. ]\n [3.  4. ]]"),
        ("[[[1]\n  [2]]\n\n [[3]\n  [4]]]", "[[[1]\n  [2]]\n\n [[3]\n  [4]]]"),
        ("loss  0.25", "loss 0.2501"),
        ("(6, 2) float32", "(6, 2) float32"),
        ("array([1, 2], dtype=float32)", "array([1, 2],\n      dtype=float32)"),
        ("x      0.25\ny     10.50", "x    0.2501\ny   10.4999"),
        ("it's 0.25, and that's all", "it's 0.2499, and that's all"),
        ("['a', 'b']", "['a',\n 'b']"),
        ("\na", "\na"),
    ],
)
def test_outputs_that_agree(shown: str, real: str) -> None:
    assert compare(shown, real) == ""


@pytest.mark.parametrize(
    ("shown", "real", "said"),
    [
        ("[0.1500 0.2265]", "[0.15 0.2264]", "1 of 2 numbers differ; the worst: 0.2265"),
        ("[1. 5. 9.]", "[2. 5. 19.]", "2 of 3 numbers differ; the worst: 9. is really 19."),
        ("shape (6, 2)", "shape (6, 3)", "2 is really 3 (off by 1)"),
        ("float32", "float64", "+ float64"),
        ("a\nb", "a b", "+ a b"),
        ("[1 2]", "[1 2 3]", "+ [1 2 3]"),
        ("True", "False", "+ False"),
        ("", "3", "an output comes, but none is shown"),
        ("3", "", "an output is shown, but nothing comes"),
        ("v1.2.3", "v1.2.4", "+ v1.2.4"),
        ("  indented", "indented", "+ indented"),
        ("a\n\nb", "a\nb", "-"),
        ("a", "\na", "-"),
        ("a  b", "a b", "+ a b"),
        ("'0.10'", "'0.1'", "+ '0.1'"),
        ("'a  b'", "'a b'", "+ 'a b'"),
        ("['a  b']", "['a b']", "+ ['a b']"),
        ("['a']", "['b']", "+ ['b']"),
        ("'a'", '"a"', "+"),
        ("x = '0.5'", "x = '0.50'", "+"),
        ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", "+"),
        ("[1, 2]", "(1, 2)", "+"),
        ("[1 2]", "[1, 2]", "+"),
        ("[1, 2]", "array([1, 2])", "+"),
        ("(1+2j)", "(1+3j)", "+ (1+3j)"),
        ("array([1.], dtype=float16)", "array([1.], dtype=float32)", "+"),
        ("None", "True", "+ True"),
        ("3", "3.0", "3 is really 3.0"),
        ("3.0", "3", "3.0 is really 3"),
        ("-0.0", "0.0", "-0.0 is really 0.0"),
        ("np.float64(0.5)", "0.5", "+ 0.5"),
        ("np.datetime64('2026-11-21')", "np.datetime64('2026-11-22')", "+"),
        ("99 %", "98 %", "99 is really 98"),
        ("0.25 ms", "0.25 s", "+"),
        ("0.25  ms\n", "0.25 ms", "+"),
        ("if x:\n    y", "if x:\n  y", "+"),
    ],
)
def test_outputs_that_differ_are_told_apart(shown: str, real: str, said: str) -> None:
    assert said in compare(shown, real)


def test_a_difference_is_told_line_by_line_and_not_without_end() -> None:
    shown, real = "same\na\nb ", "same\na\nc"
    assert compare(shown, real) == (
        "the output shown is not what comes\n"
        "  shown:\n    same\n    a\n    b\n"
        "  really:\n    same\n    a\n    c\n"
        "  line by line (- shown, + really):\n    - b\n    + c"
    )
    many = compare("a", "\n".join("bcdefghijklmnopq"))
    assert many.count("\n    ") == 16 + 12
    assert compare("", "3") == "an output comes, but none is shown\n  really:  3"
    assert compare("3", "") == "an output is shown, but nothing comes\n  shown:   3"
