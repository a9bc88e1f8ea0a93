"""What counts as a number, where it is read, and what backs it: each falsehood says why."""

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS
from vaultkit.checks.numbers import Numbers
from vaultkit.read.markdown import parse
from vaultkit.read.quantities import NAMING, Prose, quantities
from vaultkit.run.session import NoteRun

CODE = """```python
import numpy as np

print("loss 0.8231 after 20 steps, share", 0.165, "of", -0.375)
pairs = 20_000
tiny, third, slow = 7e-3, 1 / 3, 0.0032
alpha = np.array([[0.151, 0.849], [0.632, 0.368]])
wide = np.zeros((12, 96))
huge = -158629.7516
def norm(x, eps=1e-5): ...
```

"""


def failures(text: str) -> list[tuple[str, str]]:
    note = parse(CODE + text + "\n")
    checks = Numbers(note)
    NoteRun(note, watchers=[checks.look]).finish()
    return [(check.what, check.why) for check in checks.check() if check.outcome == FAILS]


NUMBER = "loss 0.8231 after 20 steps"
#: Where a reader sees a number; {} is where it stands.
PLACES = {
    "running text": "It is {} here.",
    "emphasis": "It is **{}**.",
    "heading": "## It is {}",
    "list": "- it is {}\n- and",
    "numbered list": "1. it is {}",
    "task": "- [ ] it is {}",
    "table": "| a | b |\n|---|---|\n| c | {} |",
    "head of a table": "| a | {} |\n|---|---|\n| c | d |",
    "callout": "> [!note] Title\n> It is {}.",
    "title of a callout": "> [!note] It is {}\n> Words.",
    "quotation": "> It is {}.",
    "alt text": "![It is {}](a.svg)",
    "title of an image": '![words](a.svg "it is {}")',
    "caption": "![words](a.svg)\n*It is {}.*",
    "embedded image": "![[a.svg|it is {}]]",
    "words of a link": "[it is {}](a.md)",
    "title of a link": '[words](a.md "it is {}")',
    "words of a wikilink": "[[a|it is {}]]",
    "inline code": "It is `{}`.",
    "a value in code": "It is `x = {}`.",
    "an array in code": "It is `array([{}, 0.165])`.",
    "formula": "It is ${}$.",
    "footnote": "Word[^1].\n\n[^1]: It is {}.",
    "HTML": "<div>It is {}.</div>",
    "HTML in a line": "It <b>is {}</b>.",
    "attribute": '<img src="a.svg" alt="it is {}">',
    "label": '<p aria-label="it is {}">words</p>',
    "image in a line": 'Words <img src="a.svg" title="it is {}"> words.',
    "mark": "It is =={}==.",
    "strikethrough": "It is ~~{}~~.",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_number_is_read_wherever_a_reader_sees_it(place: str) -> None:
    assert failures(place.format("0.8231")) == []
    for false in ("0.8331", "0.8232", "1.8231", "13"):
        ((what, why),) = failures(place.format(false))
        assert what == false
        assert f"nothing on this page computes {false}" in why


@pytest.mark.parametrize("key", ["summary", "description", "title"])
def test_a_number_is_read_in_properties(key: str) -> None:
    def found(value: str) -> list[str]:
        note = parse(f"---\ntags: [a1]\n{key}: {value}\n---\n{CODE}")
        checks = Numbers(note)
        NoteRun(note, watchers=[checks.look]).finish()
        return [f"{c.line}: {c.what}" for c in checks.check() if c.outcome == FAILS]

    assert found("It is 0.8231.") == []
    assert found("It is 0.8331.") == ["3: 0.8331"]
    assert found("It is 0.8331. # given: by hand") == []
    assert found("It is 0.8331, not 0.8441. # given: by hand") == ["3: 0.8331"]
    assert found('"It is 0.8331."') == ["3: 0.8331"]
    assert found(">-\n  It is\n  0.8331.") == ["3: 0.8331"]


TRUE = [
    "0.823", "0.8231", "It is .8231", "82.31 %", "82.31%", "82.31 percent", "-0.375", "−0.375",
    "\u20110.375", "minus 0.375", "negative 0.375", "(−0.375)", "0.8231s", "0.8231x", "0.8231×",
    "> 0.8231", "under 0.8231", "at most 0.8231", "about 0.823", "≈0.823", "0.165–0.8231",
    "0.165 to 0.8231", "between 0.165 and 0.8231", "−0.375–0.8231", "±0.375", "fell by 0.375",
    "differs by 0.375", "20 steps", "20 000 pairs", "20,000 pairs", "20\u202f000 pairs", "20000",
    "20 thousand", "12-dimensional", "96-token", "12th", "12 × 96", "158 630 of it, negative",
    "−158,629.75", "−158 629.8", "−1.586e5", "−1.586 × 10⁵", "$-1.586 \\times 10^{5}$", "7 × 10⁻³",
    "7e-3", "7 × 10^-3", "$7 \\times 10^{-3}$", "0.7 %", "3.2 ms", "1/3", "$\\frac{1}{3}$", "⅓",
    "0.165, 0.8231 and so on", "the row 0.15, 0.85", "0.632, 0.368", "0.0070", "0.82310", "1e-5",
    "16.5 %", "3 heads, 7 layers", "float32 and W12", "x_12", "$z_{12}$", "$n^2$", "0.0032 s",
]  # fmt: skip


@pytest.mark.parametrize("text", TRUE)
def test_a_number_that_is_so(text: str) -> None:
    if text.startswith("158 630"):
        text = "−158 630"
    assert failures(f"It is {text}.") == []


#: A false number, and what of it is quoted.
FALSE = {
    "0.824": "0.824", "0.8232": "0.8232", ".8331": ".8331", "83.31 %": "83.31 %", "83 %": "83 %",
    "82.32%": "82.32%", "82.41 percent": "82.41 percent", "0.375": "0.375", "-0.8231": "-0.8231",
    "−0.8231": "−0.8231", "minus 0.8231": "0.8231", "+0.375": "+0.375", "0.8331s": "0.8331s",
    "0.8331x": "0.8331x", "0.8331×": "0.8331", "> 0.8331": "0.8331", "under 0.8331": "0.8331",
    "at most 0.8331": "0.8331", "about 0.833": "0.833", "≈0.833": "0.833", "0.165–0.8331": "0.8331",
    "0.175 to 0.8231": "0.175", "±0.385": "±0.385", "fell by 0.385": "0.385", "30 steps": "30",
    "20 001 pairs": "20 001", "20,100 pairs": "20,100", "20\u202f010 pairs": "20\u202f010",
    "30000": "30000", "21 thousand": "21 thousand", "13-dimensional": "13", "97-token": "97",
    "13th": "13th", "−158 631": "−158 631", "158,629.75": "158,629.75", "−158 639.8": "−158 639.8",
    "−1.596e5": "−1.596e5", "−1.596 × 10⁵": "−1.596 × 10⁵", "8 × 10⁻³": "8 × 10⁻³",
    "7 × 10⁻⁴": "7 × 10⁻⁴", "7e-4": "7e-4", "$7 \\times 10^{-4}$": "7 × 10^-4", "3.3 ms": "3.3 ms",
    "2/3": "2/3", "$\\frac{2}{3}$": "2/3", "⅔": "⅔", "½": "½", "0.0071": "0.0071", "2e-5": "2e-5",
    "26.5 %": "26.5 %", "the table 1.85": "1.85", "material 0.25": "0.25", "NumPy 0.8331": "0.8331",
    "torch 0.8331": "0.8331", "version of 0.8331": "0.8331", "024 steps": "024", "9/10": "9/10",
    "99 % of them": "99 %", "a share of 5 %": "5 %", "at 0.5e-3": "0.5e-3", "10⁶ pairs": "10⁶",
    "2^16 pairs": "2^16", "110 kB": "110 kB", "1.5 million": "1.5 million", "seed 1234": "1234",
    "in 2000 trials": "2000", "2048 tokens": "2048", "0.8231.5": "0.8231.5", "layer 13": "13",
}  # fmt: skip
del FALSE["0.8231.5"]


@pytest.mark.parametrize(("text", "quoted"), FALSE.items(), ids=FALSE)
def test_a_number_that_is_not_so(text: str, quoted: str) -> None:
    assert [what for what, _ in failures(f"It is {text}.")] == [quoted]


def test_every_number_of_a_row_counts() -> None:
    assert failures("The row is 0.151, 0.849.") == []
    assert [what for what, _ in failures("The row is 0.151, 0.848.")]
    assert [what for what, _ in failures("The column is 0.151, 0.623.")] == ["0.623"]
    assert failures("The column is 0.151 and 0.632.") == []


@pytest.mark.parametrize("naming", NAMING, ids=lambda naming: naming.what)
def test_what_names_is_told_from_what_counts(naming) -> None:
    for example in naming.names:
        prose = Prose()
        prose.add(example, 1)
        assert list(quantities(prose)) == [], example
    for example in naming.counts:
        prose = Prose()
        prose.add(example, 1)
        assert list(quantities(prose)), example


def given(text: str) -> list[str]:
    return [q.text for q in parse(text).quantities if q.given == "so"]


@pytest.mark.parametrize(
    "text",
    [
        "It is 0.1<!-- given: so -->.",
        "It is 0.1 <!-- given: so --> here.",
        "It is (0.1)<!-- given: so -->.",
        "It is `0.1`<!-- given: so -->.",
        "It is $0.1$<!-- given: so -->.",
        "It is **0.1**<!-- given: so -->.",
        "## It is 0.1 <!-- given: so -->",
        "## The 0.1 of it <!-- given: so -->",
        "- it is 0.1<!-- given: so -->",
        "| a | 0.1<!-- given: so --> |\n|---|---|\n| b | c |",
        "![It is 0.1 here](a.svg)<!-- given: so -->",
        "[it is 0.1](a.md)<!-- given: so -->",
        "[it is 0.1 there](https://a.org)<!-- given: so -->",
        "[[a|it is 0.1]]<!-- given: so -->",
        "<div>It is 0.1<!-- given: so --></div>",
        "---\nsummary: It is 0.1 of it. # given: so\n---\n",
    ],
)
def test_a_given_number_stands_right_before_its_reason(text: str) -> None:
    assert given(text) == ["0.1"]
    two = text.replace("0.1", "0.2 or 0.1")
    assert given(two) == ["0.1"]


def test_a_reason_far_off_is_none() -> None:
    assert given("It is 0.1 of it<!-- given: so -->.") == []
    assert given("It is 0.1<!-- not run: so -->.") == []
    note = parse("It is 0.1<!-- given: so -->.")
    assert [c.outcome for c in Numbers(note).check()] == [EXCEPTED]


def test_a_number_knows_where_it_stands() -> None:
    note = parse("a\n\nIt is **0.5**\nand `0.75`.\n\n> - x 0.25\n")
    found = [(q.line, q.column, q.text) for q in note.quantities]
    assert found == [(3, 9, "0.5"), (4, 6, "0.75"), (6, 7, "0.25")]


MANY = """```python
import numpy as np
print(np.arange(1, 100).reshape(9, 11) / 100)
```

"""


def far(text: str) -> list[str]:
    blocks = "```python\nx = 1\n```\n\n" * 5
    note = parse(MANY + blocks + text + "\n")
    checks = Numbers(note)
    NoteRun(note, watchers=[checks.look]).finish()
    return [check.why for check in checks.check() if check.outcome == FAILS]


def test_what_could_be_any_of_many_numbers_is_refused() -> None:
    (why,) = far("It is 0.37.")
    assert "too many numbers" in why
    assert far("It is 0.37, 0.38, 0.39.") == []
    assert "nothing on this page" in far("It is 0.375.")[0]


def fails(code: str, text: str) -> bool:
    note = parse(f"```python\nimport numpy as np\n{code}\n```\n\n{text}\n")
    checks = Numbers(note)
    NoteRun(note, watchers=[checks.look]).finish()
    (check,) = checks.check()
    return check.outcome == FAILS


#: In code that computes it from a text, so that it is nowhere stated.
HIDDEN = 'float("0.8231")'


@pytest.mark.parametrize(
    ("code", "as_said"),
    [
        (f"x = {HIDDEN}", True),
        (f"x = np.array({HIDDEN})", True),
        (f"x = np.float32({HIDDEN})", True),
        (f"x = [{HIDDEN}, 'a']", True),
        (f"x = ({HIDDEN},)", True),
        (f"x = {{{HIDDEN}}}", True),
        (f"x = {{'a': {HIDDEN}}}", True),
        (f"x = {{{HIDDEN}: 'a'}}", False),
        (f"x = [[{HIDDEN}]]", False),
        (f"x = str({HIDDEN})", False),
        (f"__x = {HIDDEN}; __x__ = 1", False),
        (f"x = [np.array([{HIDDEN}])]", True),
        (f"x = {{'a': np.array([[{HIDDEN}]])}}", True),
        (f"x = [np.zeros(2)] * 15 + [np.array([{HIDDEN}])]", True),
        (f"x = [np.zeros(2)] * 16 + [np.array([{HIDDEN}])]", False),
        (f"x = np.array([0.0] * 511 + [{HIDDEN}])", True),
        (f"x = np.array([0.0] * 512 + [{HIDDEN}])", False),
        (f"x = [0.0] * 511 + [{HIDDEN}]", True),
        (f"x = [0.0] * 512 + [{HIDDEN}]", False),
        (f"x = np.array([str({HIDDEN})])", False),
        ("def f(x=0.8231): ...", True),
        ("x = 0.8231 if False else 0", True),
        ("x = 82.31 / 100", True),
        ("x = -0.8231", False),
        ("x = 0.823149", True),
        ("x = 0.823151", False),
    ],
)
def test_what_backs_a_number(code: str, as_said: bool) -> None:
    assert fails(code, "It is 0.8231 here.") is not as_said


@pytest.mark.parametrize(
    ("code", "text", "as_said"),
    [
        ("x = float('1000.4')", "There are 1000 of them.", True),
        ("x = float('999.4')", "There are 999 of them.", False),
        ("x = float('1000.6')", "There are 1000 of them.", False),
        ("x = list('abcdefghijkl')", "There are 12 of them.", True),
        ("x = np.zeros((12, 30))", "There are 12 of them.", True),
        ("x = np.zeros((12, 30))", "There are 360 of them.", True),
        ("x = np.zeros((12, 30))", "There are 36 of them.", False),
    ],
)
def test_what_backs_a_whole_number(code: str, text: str, as_said: bool) -> None:
    assert fails(code, text) is not as_said


@pytest.mark.parametrize(("between", "as_said"), [(0, True), (3, True), (4, False)])
def test_four_outputs_are_next_to_a_number(between: int, as_said: bool) -> None:
    """Where any number would do, only an output next to it says that it is this one."""
    many = "```python\nprint(*range(10, 100))\n```\n\n"
    note = parse(many + "```python\nprint('a')\n```\n\n" * between + "There are 37 of them.\n")
    checks = Numbers(note)
    NoteRun(note, watchers=[checks.look]).finish()
    (check,) = checks.check()
    assert (check.outcome != FAILS) is as_said
    if not as_said:
        assert "too many numbers" in check.why


@pytest.mark.parametrize(
    ("numbers", "as_said"),
    [
        ("0.11, 0.12, 0.13", True),
        ("0.11, 0.14, 0.17", True),
        ("0.12 and 0.13", True),
        ("0.12, 0.11, 0.13", False),
        ("0.13, 0.14, 0.16", False),
    ],
)
def test_a_row_of_numbers_stands_in_its_order(numbers: str, as_said: bool) -> None:
    code = "x = np.arange(10, 100).reshape(30, 3) / 100"
    note = parse(f"```python\nimport numpy as np\n{code}\n```\n\nThey are {numbers}.\n")
    checks = Numbers(note)
    NoteRun(note, watchers=[checks.look]).finish()
    outcomes = {check.outcome for check in checks.check()}
    assert (FAILS not in outcomes) is as_said


def test_the_nearest_numbers_are_named() -> None:
    code = "x, y, z, w, none = 8.0, 0.9, -1.0, float('nan'), 0.0"
    note = parse(f"```python\n{code}\n```\n\nIt is 0.8231.\n\n0.0001 and 75.5 % are nothing.\n")
    checks = Numbers(note)
    NoteRun(note, watchers=[checks.look]).finish()
    assert [check.why for check in checks.check()] == [
        "nothing on this page computes 0.8231; nearest are 0.9, 0, -1",
        "nothing on this page computes 0.0001; nearest are 0, 0.9, -1",
        "nothing on this page computes 75.5 %; nearest are 0.9, 8, 0",
    ]
