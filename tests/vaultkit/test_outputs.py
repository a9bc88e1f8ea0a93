import pytest

from vaultkit.checks.outputs import agrees, compare


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        ("0.15", "0.1502"),
        ("0.1500", "0.15004"),
        ("0.125", "0.1254999"),
        ("-0.0", "0.0"),
        ("1.", "1.000000001"),
        ("1.5e-3", "0.00151"),
        ("nan", "nan"),
        ("-inf", "-inf"),
        ("12", "12"),
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
        ("  indented", "indented"),
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
    ],
)
def test_outputs_that_differ_are_told_apart(shown: str, real: str, said: str) -> None:
    assert said in compare(shown, real)
