"""The output shown is compared with the computed one: text exactly, numbers to their digits."""

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, Check, Mend
from vaultkit.checks.outputs import agrees, check, compare
from vaultkit.read.markdown import parse
from vaultkit.run.session import NoteRun


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
        ("+inf", "+inf"),
        ("+0.5", "+0.5"),
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
        ("", "3", "the code has an output, but none is shown"),
        ("3", "", "an output is shown, but the code has none"),
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


@pytest.mark.parametrize(
    ("shown", "real", "told"),
    [
        ("0.15", "0.1502", "0.15 is 0.1502"),
        ("a 0.5, 0.150", "a 0.5, 0.15", "0.150 is 0.15"),
        ("1.", "1.0", "1. is 1.0"),
        ("1e-3", "1.0e-3", "1e-3 is 1.0e-3"),
        ("[1.  2.5]", "[1. 2.5]", ""),
        ("[1.,\n 2.5]", "[1., 2.5]", ""),
        ("0.15", "0.15", ""),
    ],
)
def test_every_digit_is_to_be_shown_where_that_is_asked_for(
    shown: str, real: str, told: str
) -> None:
    assert compare(shown, real) == ""
    why = compare(shown, real, every_digit=True)
    assert why.endswith(f"\n  not with every digit: {told}") if told else why == ""
    assert why.startswith("the output differs\n") or not told


def test_a_difference_is_told_line_by_line_and_not_without_end() -> None:
    shown, real = "same\na\nb ", "same\na\nc"
    assert compare(shown, real) == (
        "the output differs\n"
        "  shown:\n    same\n    a\n    b\n"
        "  really:\n    same\n    a\n    c\n"
        "  line by line (- shown, + really):\n    - b\n    + c"
    )
    many = compare("a", "\n".join("bcdefghijklmnopq"))
    assert many.count("\n    ") == 16 + 12
    assert compare("", "3") == "the code has an output, but none is shown\n  really:  3"
    assert compare("3", "") == "an output is shown, but the code has none\n  shown:   3"


def checked(text: str) -> list[Check]:
    note = parse(text)
    run = NoteRun(note)
    return [
        found
        for index, block in enumerate(note.blocks)
        for found in check(index, block, run.steps(index), 0.5)
    ]


def fails(line: int, why: str, mend: Mend | None, section: str = "note") -> Check:
    return Check("block", line, section, FAILS, why, seconds=0.5, block=0, mend=mend)


WRITES = "\n--update writes the real output"
SESSION = ">>> 1\n>>> x = 2\n3\n>>> 4\n5"
MISSING = "the code has an output, but none is shown\n  really:"
RECORDS = {
    "no-run": (
        "# A\n\n## B\n\n```python no-run\n1 / 0\n```\n",
        [Check("block", 5, "B", EXCEPTED, "no-run", block=0)],
    ),
    "all is well": (
        "# A\n\n## B\n\n```python\n1\n```\n\n```text\n1\n```\n",
        [Check("block", 5, "B", HOLDS, seconds=0.5, block=0)],
    ),
    "what changes is not compared": (
        '## B\n\n```python volatile="\\d+"\nprint("a1")\n```\n\n```text\na2\n```\n',
        [
            Check("output", 3, "\\d+", EXCEPTED, "volatile", block=0),
            Check("block", 3, "B", HOLDS, seconds=0.5, block=0),
        ],
    ),
    "all changes": (
        '## B\n\n```python volatile="\\d+"\nprint("1_2 ")\n```\n\n```text\n2\n```\n',
        [
            Check(
                "block", 3, "B", FAILS,
                "volatile=\\d+: it matches the whole real output\n  really:  1_2", block=0,
            )
        ],
    ),
    "nothing changes": (
        '```pycon volatile="x+"\n>>> "a1"\n>>> "b"\n```\n',
        [
            Check(
                "block", 1, "note", FAILS,
                "volatile=x+: it matches no part of the real output\n"
                "  really:\n    'a1'\n    'b'", block=0,
            )
        ],
    ),
    "the rest changes": (
        '```python volatile="1"\nprint("a1 b")\n```\n\n```text\na1 c\n```\n',
        [
            Check("output", 1, "1", EXCEPTED, "volatile", block=0),
            fails(
                6,
                "the output differs\n  shown:   a\ufffc c\n  really:  a\ufffc b\n"
                "  line by line (- shown, + really):\n    - a\ufffc c\n    ?    ^\n"
                "    + a\ufffc b\n    ?    ^" + WRITES,
                Mend(6, 6, ("a1 b",), 'print("a1 b")', "a1 b"),
            ),
        ],
    ),
    "none is shown": (
        '## B\n\n```python\nprint("a")\n```\n',
        [
            fails(
                4, f"{MISSING}  a{WRITES}",
                Mend(6, 5, ("", "```text", "a", "```"), 'print("a")', "a"), "B",
            )
        ],
    ),
    "none is shown in a list in a callout": (
        '> - x\n>\n>     ```python\n>     print("a\\n\\n  ```` b `````")\n>     ```\n',
        [
            fails(
                4, f"{MISSING}\n    a\n    \n      ```` b `````{WRITES}",
                Mend(
                    6, 5,
                    (">", ">     `````text", ">     a", ">", ">       ```` b `````", ">     `````"),
                    'print("a\\n\\n  ```` b `````")', "a\n\n  ```` b `````",
                ),
            )
        ],
    ),
    "none comes": (
        "```python\nx=1\n```\n\n\n```text\nold\n```\n",
        [
            fails(
                7, f"an output is shown, but the code has none\n  shown:   old{WRITES}",
                Mend(4, 8, (), "x=1", ""),
            )
        ],
    ),
    "an empty one is shown": (
        "```python\n1\n```\n\n```text\n```\n",
        [fails(2, f"{MISSING}  1{WRITES}", Mend(6, 5, ("1",), "1", "1"))],
    ),
    "an output of another list": (
        "> ```python\n> 1\n> ```\n>\n> ```text\n> 2\n> ```\n",
        [
            fails(
                6,
                "the output differs\n  shown:   2\n  really:  1\n"
                "  1 of 1 numbers differ; the worst: 2 is really 1 (off by 1)" + WRITES,
                Mend(6, 6, ("> 1",), "1", "1"),
            )
        ],
    ),
    "prompts": (
        "```pycon\n>>> 1\n>>> x = 2\n3\n>>> 4\n5\n```\n",
        [
            fails(2, f"{MISSING}  1{WRITES}", Mend(3, 2, ("1",), SESSION, "1")),
            fails(
                4, f"an output is shown, but the code has none\n  shown:   3{WRITES}",
                Mend(4, 4, (), SESSION, ""),
            ),
            fails(
                6,
                "the output differs\n  shown:   5\n  really:  4\n"
                "  1 of 1 numbers differ; the worst: 5 is really 4 (off by 1)" + WRITES,
                Mend(6, 6, ("4",), SESSION, "4"),
            ),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), RECORDS.values(), ids=RECORDS)
def test_what_is_told_of_a_block(text: str, expected: list[Check]) -> None:
    assert checked(text) == expected


def test_an_error_is_no_output_to_be_written() -> None:
    (found,) = checked("a\n\n```python\n1 / 0\n```\n\n```text\nold\n```\n")
    assert (found.line, found.outcome, found.mend) == (4, FAILS, None)
    assert found.why.startswith("Traceback (most recent call last):\n")
    assert found.why.endswith("ZeroDivisionError: division by zero")


@pytest.mark.parametrize(
    ("shown", "real", "told"),
    [
        (
            "[1. 5. 9.]", "[2. 5. 19.]",
            "  2 of 3 numbers differ; the worst: 9. is really 19. (off by 10)",
        ),
        ("0.1501", "0.15002", "  1 of 1 numbers differ; the worst: 0.1501 is really 0.15002 "
         "(off by 8e-05)"),
        ("1. nan 3.", "2. 1.0 3.", "  2 of 3 numbers differ; the worst: nan is really 1.0 "
         "(off by inf)"),
        ("0.123456", "0.234567", "  1 of 1 numbers differ; the worst: 0.123456 is really 0.234567 "
         "(off by 0.1111)"),
        ("a\nb\n c", "a\nb\n d", "  line by line (- shown, + really):\n    -  c\n    +  d"),
    ],
)  # fmt: skip
def test_a_difference_is_told_in_its_last_lines(shown: str, real: str, told: str) -> None:
    assert compare(shown, real).endswith(f"\n{told}")


@pytest.mark.parametrize(
    ("shown", "real", "agree"),
    [
        # A number that is rounded moves what is in line with it.
        ("a  0.25  b", "a 0.2501 b", True),
        ("a  0.25  b", "a 0.25 b", False),
        ("0.25\tb", "0.2501 b", True),
        ("  0.25", " 0.2501", True),
        ("0.25 ab", "0.2501 a b", False),
        ("a\n  0.25", "a\n0.2501", False),
        # White space between brackets never counts, in words it does.
        ("[1,2]", "[1, 2]", True),
        ("[ 1 , 2 ]", "[1, 2]", True),
        ("[1  2]", "[1\n 2]", True),
        ("[12]", "[1 2]", False),
        ("array( [1])", "array([1])", True),
        ("f( [1])", "f([1])", False),
        ("( 1)", "(1)", False),
        ("[( 1)]", "[(1)]", False),
        ("[1] a  b", "[1] a b", False),
        ("[X  1]", "[X 1]", True),
        ("[(1] a  b", "[(1] a b", True),
        ("['a  b', 1]", "['a b', 1]", False),
        ("'[' a  b", "'[' a b", False),
        ("[b'a  b', 1]", "[b'a b', 1]", False),
        ("['a' , 'b']", "['a', 'b']", True),
        ("'1' 1.50", "'1' 1.5", True),
        ("'1' 1.5", "'1' 1.50", True),
        ("'1.0' 2 '3'", "'1.00' 2 '3'", False),
        ("1 'a' 2.0 'b' 3.0", "1 'a' 2.04 'b' 3.0", True),
        ("don't 1.5 'won't", "don't 1.50 'won't", True),
        ("+inf", "inf", False),
        ("Infinity", "infinity", False),
        ("NaN", "nan", False),
        ("1e400000000", "1e400000000", True),
        ("1e400000000", "2e400000000", False),
        ("1e9999999999", "2e9999999999", False),
        ("+5", "5", False),
        ("+5", "+5", True),
        ("1.5E-3", "0.00151", True),
        ("1.E-3", "0.001000001", True),
        ("0.5e0", "0.46", True),
        ("1234567.", "1234567.01", True),
        ("1234567.", "1234567.02", False),
    ],
)
def test_where_white_space_and_digits_count(shown: str, real: str, agree: bool) -> None:
    assert (compare(shown, real) == "") is agree


@pytest.mark.parametrize(
    ("shown", "got"),
    [
        ("1.0", "np.float64(1.0)"),
        ("0.33", "np.float64(0.3333)"),
        ("(2, True)", "(np.int64(2), np.True_)"),
        ("{'a': 1.5}", "{np.str_('a'): np.float32(1.5)}"),
    ],
)
def test_what_numpy_1_wrote_is_told_from_what_is_wrong(shown: str, got: str) -> None:
    assert "in the format of NumPy 1" in compare(shown, got)
    assert "the output differs" in compare(
        shown.replace("1", "7").replace("3", "7").replace("2", "7"), got
    )


def test_an_example_in_a_docstring_shows_what_comes() -> None:
    code = (
        "import numpy as np\nrng = np.random.default_rng(0)\n\n\ndef half(v):\n"
        '    """Half.\n\n    >>> half(4)\n    2.0\n    >>> half(5)\n    2.0\n'
        "    >>> half('a')\n    Traceback (most recent call last):\n      ...\n"
        "    TypeError: unsupported operand type(s) for /: 'str' and 'int'\n"
        "    >>> half(1 / 3)\n    0.17\n    >>> nowhere\n    >>> rng.normal() > 9\n    False\n"
        "    >>> no()  # doctest: +SKIP\n"
        '    """\n    return v / 2\n'
    )
    text = f"```python\n{code}```\n\n```python\nfloat(rng.normal())\n```\n\n```text\n0.1257\n```\n"
    note = parse(text)
    running = NoteRun(note)
    found = [c for k, b in enumerate(note.blocks) for c in check(k, b, running.steps(k), 0.0)]
    assert [(c.line, c.outcome) for c in found] == [(11, FAILS), (19, FAILS), (27, HOLDS)]
    assert "2.0 is really 2.5" in found[0].why
    assert "NameError" in found[1].why
    assert not any("--update" in c.why or c.mend for c in found)
    # What shows a file holds the examples of that file, which are run with it.
    note = parse(text.replace("```python\nimport", '```python title="a.py"\nimport'))
    running = NoteRun(note)
    assert not [c for c in check(0, note.blocks[0], running.steps(0), 0.0) if c.outcome == FAILS]
