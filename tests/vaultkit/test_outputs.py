"""The output shown is compared with the computed one: text exactly, numbers to their digits."""

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, UNJUDGED, Check, Fix, strictly
from vaultkit.checks.outputs import check, describe_difference
from vaultkit.read.markdown import parse
from vaultkit.run.session import NoteRun


def test_a_difference_is_reported_line_by_line_and_not_without_end() -> None:
    shown, real = "same\na\nb ", "same\na\nc"
    assert describe_difference(shown, real) == (
        "the output differs\n"
        "  shown:\n    same\n    a\n    b\n"
        "  really:\n    same\n    a\n    c\n"
        "  line by line (- shown, + really):\n    - b\n    + c"
    )
    many = describe_difference("a", "\n".join("bcdefghijklmnopq"))
    assert many.count("\n    ") == 16 + 12
    assert describe_difference("", "3") == "the code has an output, but none is shown\n  really:  3"
    assert describe_difference("3", "") == "an output is shown, but the code has none\n  shown:   3"


def checked(text: str) -> list[Check]:
    note = parse(text)
    run = NoteRun(note)
    return [
        found
        for index, block in enumerate(note.blocks)
        for found in check(index, block, run.steps(index), 0.5)
    ]


def fails(line: int, why: str, fix: Fix | None, section: str = "note") -> Check:
    return Check("block", line, section, FAILS, why, seconds=0.5, block=0, fix=fix)


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
                Fix(6, 6, ("a1 b",), 'print("a1 b")', "a1 b"),
            ),
        ],
    ),
    "none is shown": (
        '## B\n\n```python\nprint("a")\n```\n',
        [
            fails(
                4, f"{MISSING}  a{WRITES}",
                Fix(6, 5, ("", "```text", "a", "```"), 'print("a")', "a"), "B",
            )
        ],
    ),
    "none is shown in a list in a callout": (
        '> - x\n>\n>     ```python\n>     print("a\\n\\n  ```` b `````")\n>     ```\n',
        [
            fails(
                4, f"{MISSING}\n    a\n    \n      ```` b `````{WRITES}",
                Fix(
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
                Fix(4, 8, (), "x=1", ""),
            )
        ],
    ),
    "an empty one is shown": (
        "```python\n1\n```\n\n```text\n```\n",
        [fails(2, f"{MISSING}  1{WRITES}", Fix(6, 5, ("1",), "1", "1"))],
    ),
    "an output of another list": (
        "> ```python\n> 1\n> ```\n>\n> ```text\n> 2\n> ```\n",
        [
            fails(
                6,
                "the output differs\n  shown:   2\n  really:  1\n"
                "  1 of 1 numbers differ; the worst: 2 is really 1 (off by 1)" + WRITES,
                Fix(6, 6, ("> 1",), "1", "1"),
            )
        ],
    ),
    "prompts": (
        "```pycon\n>>> 1\n>>> x = 2\n3\n>>> 4\n5\n```\n",
        [
            fails(2, f"{MISSING}  1{WRITES}", Fix(3, 2, ("1",), SESSION, "1")),
            fails(
                4, f"an output is shown, but the code has none\n  shown:   3{WRITES}",
                Fix(4, 4, (), SESSION, ""),
            ),
            fails(
                6,
                "the output differs\n  shown:   5\n  really:  4\n"
                "  1 of 1 numbers differ; the worst: 5 is really 4 (off by 1)" + WRITES,
                Fix(6, 6, ("4",), SESSION, "4"),
            ),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), RECORDS.values(), ids=RECORDS)
def test_what_is_reported_about_a_block(text: str, expected: list[Check]) -> None:
    assert list(strictly(checked(text))) == expected


def test_an_error_is_no_output_to_be_written() -> None:
    (found,) = checked("a\n\n```python\n1 / 0\n```\n\n```text\nold\n```\n")
    assert (found.line, found.outcome, found.fix) == (4, FAILS, None)
    assert found.why.startswith("Traceback (most recent call last):\n")
    assert found.why.endswith("ZeroDivisionError: division by zero")


@pytest.mark.parametrize(
    ("shown", "got"),
    [
        ("1.0", "np.float64(1.0)"),
        ("0.33", "np.float64(0.3333)"),
        ("(2, True)", "(np.int64(2), np.True_)"),
        ("{'a': 1.5}", "{np.str_('a'): np.float32(1.5)}"),
    ],
)
def test_what_numpy_1_wrote_is_distinguished_from_what_is_wrong(shown: str, got: str) -> None:
    assert "in the format of NumPy 1" in describe_difference(shown, got)
    (found,) = checked(f"```python\nimport numpy as np\n{got}\n```\n\n```text\n{shown}\n```\n")
    assert found.outcome == UNJUDGED
    assert found.fix
    assert "the output differs" in describe_difference(
        shown.replace("1", "7").replace("3", "7").replace("2", "7"), got
    )


@pytest.mark.parametrize(
    ("shown", "got", "slip"),
    [
        ("{'b', 'a'}", "{'a', 'b'}", "{'b', 'c'}"),
        ("[{(2, 1), (1, 2)}, 3]", "[{(1, 2), (2, 1)}, 3]", "[{(2, 2), (1, 2)}, 3]"),
        ("{2: 'x',\n 1: 'y'}", "{1: 'y', 2: 'x'}", "{2: 'y',\n 1: 'x'}"),
        ("Counter({'a': 1, 'b': 3})", "Counter({'b': 3, 'a': 1})", "Counter({'a': 3, 'b': 1})"),
        ("frozenset({'b',\n           'a'})", "frozenset({'a', 'b'})", "frozenset({'b'})"),
        ("[int, numpy.ndarray]", "[<class 'int'>, <class 'numpy.ndarray'>]", "[int, float]"),
        ("<m.Film at 0x7fc862>", "<m.Film object at 0x7f6f68>", "<m.Clip at 0x7fc862>"),
        ("<function __main__.f(x)>", "<function f at 0x7f6>", "<function __main__.g(x)>"),
        ("sum 3\n{'b', 'a'}", "sum 3\n{'a', 'b'}", "sum 4\n{'b', 'a'}"),
        ("array([ True], dtype=bool)", "array([ True])", "array([False], dtype=bool)"),
        ("array([1, ..., 9])", "array([1, ..., 9], shape=(2500,))", "array([1, ..., 8])"),
        ("0.5149145040963757", "0.5149145040963756", "0.5149145049963757"),
        ("0.6186673737323087", "0.61866737373231", "0.6186673747323087"),
        ("(set(),\n {0},\n 'a\\n')", "(set(), {0}, 'a\\n')", "(set(),\n {1},\n 'a\\n')"),
        ("(0.5+0j)", "np.complex128(0.5+0j)", "(0.4+0j)"),
        (
            "SyntaxError: invalid syntax (<ipython-input-2>, line 1)",
            '  File "a.ipynb", line 6\n    3 * * 4\n        ^\nSyntaxError: invalid syntax',
            "SyntaxError: unexpected indent (<ipython-input-2>, line 1)",
        ),
    ],
)  # fmt: skip
def test_the_same_value_in_another_form_is_right_without_every_digit(
    shown: str, got: str, slip: str
) -> None:
    assert describe_difference(shown, got) == ""
    assert describe_difference(shown, got, every_digit=True)
    assert describe_difference(slip, got)


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
    assert not any("--update" in c.why or c.fix for c in found)
    # What shows a file holds the examples of that file, which are run with it.
    note = parse(text.replace("```python\nimport", '```python title="a.py"\nimport'))
    running = NoteRun(note)
    assert not [c for c in check(0, note.blocks[0], running.steps(0), 0.0) if c.outcome == FAILS]
