"""What counts as a number, where it is read, and what backs it: each falsehood says why."""

from fractions import Fraction

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS, HOLDS, Check, strictly
from vaultkit.checks.lookup import Evidence
from vaultkit.checks.numbers import Numbers
from vaultkit.checks.observed import Observed
from vaultkit.claims.amounts import Amount
from vaultkit.claims.claims import claims_of
from vaultkit.claims.naming import NAMING
from vaultkit.claims.quantities import quantities
from vaultkit.read.markdown import parse
from vaultkit.read.prose import Prose
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
    checks = Numbers(Observed(note))
    NoteRun(note, watchers=[checks.seen.observe]).finish()
    return [(check.what, check.why) for check in strictly(checks.check()) if check.outcome == FAILS]


NUMBER = "loss 0.8231 after 20 steps"
#: Places where a reader sees a number; {} is the number.
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
    "a shape of a diagram": "```mermaid\ngraph LR\n  a[It is {}] --> b\n```",
    "a quoted shape": '```mermaid\ngraph LR\n  a(["It is {}"]) --> b\n```',
    "an arrow of a diagram": "```mermaid\ngraph LR\n  a -->|it is {}| b{{word}}\n```",
    "words on an arrow": "```mermaid\ngraph LR\n  a -- it is {} --> b\n```",
    "a message": "```mermaid\nsequenceDiagram\n  A->>B: it is {}\n```",
    "a piece of a pie": '```mermaid\npie\n  "word" : {}\n```',
    "strikethrough": "It is ~~{}~~.",
    "a comment in code": "```python\nq = 1  # it is {}\n```",
    "a comment in a session": "```pycon\n>>> q = 1  # it is {}\n```",
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
        checks = Numbers(Observed(note))
        NoteRun(note, watchers=[checks.seen.observe]).finish()
        return [f"{c.line}: {c.what}" for c in strictly(checks.check()) if c.outcome == FAILS]

    assert found("It is 0.8231.") == []
    assert found("It is 0.8331.") == ["3: 0.8331"]
    assert found("It is 0.8331. # given: by hand") == []
    assert found("It is 0.8331, not 0.8441. # given: by hand") == ["3: 0.8331"]
    assert found('"It is 0.8331."') == ["3: 0.8331"]
    assert found(">-\n  It is\n  0.8331.") == ["3: 0.8331"]


def test_a_reason_ends_a_comment_and_a_file_has_its_own() -> None:
    assert failures("```python\nq = 1  # 0.7 # given: so\n```") == []
    assert failures('```python\ns = "# 0.7"\n```') == []
    assert failures('```python title="a.py"\nq = 1  # 0.7\n```') == []
    ((what, _),) = failures("> - a\n>\n>   ```python\n>   q = 1\n>   # 0.7, 0.8231\n>   ```")
    assert what == "0.7"


def test_what_styles_a_diagram_is_no_number() -> None:
    lines = (
        "graph LR\n  a[0.9] --> b13\n  %% given: so\n  style a stroke-width:13px\n  %% it: 0.7\n"
    )
    assert failures(f"```mermaid\n{lines}```") == []
    assert [what for what, _ in failures(f"```mermaid\n{lines}  b[0.9]\n```")] == ["0.9"]


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
    "16.5 %", "3 heads, 7 layers", "float32 and W12", "x_12", "0.82\u200b31", "$z_{12}$", "$n^2$",
    "0.0032 s", "twenty", "Twenty thousand", "twelve heads", "x20", "x20000", "12x", "`x13`",
    "$e^{0.8231}$", "$x^{-0.375}$", "$x^{12}$",
    "ten of a hundred", "two hundred years ago", "Are Sixteen Heads Better", "a dozen, hundreds",
    "twelve- or twenty-fold", "the twentieth", "nine", "someone", "often",
]  # fmt: skip


@pytest.mark.parametrize("text", TRUE)
def test_a_number_that_is_so(text: str) -> None:
    if text.startswith("158 630"):
        text = "−158 630"
    assert failures(f"It is {text}.") == []


#: A false number, and a part of the message about it.
FALSE = {
    "0.823\u200b2": "0.8232", "0.8\u00ad232": "0.8232",
    "0.824": "0.824", "0.8232": "0.8232", ".8331": ".8331", "83.31 %": "83.31 %", "83 %": "83 %",
    "82.32%": "82.32%", "82.41 percent": "82.41 percent", "0.375": "0.375", "-0.8231": "-0.8231",
    "−0.8231": "−0.8231", "minus 0.8231": "0.8231", "+0.375": "+0.375", "0.8331s": "0.8331s",
    "0.8331x": "0.8331x", "0.8331×": "0.8331", "> 0.8331": "0.8331", "under 0.8331": "0.8331",
    "at most 0.8331": "0.8331", "about 0.833": "0.833", "≈0.833": "0.833", "0.165–0.8331": "0.8331",
    "0.175 to 0.8231": "0.175", "±0.385": "±0.385", "fell by 0.385": "0.385", "30 steps": "30",
    "20 001 pairs": "20 001", "`pairs = 20_001`": "20_001",
    "20,100 pairs": "20,100", "20\u202f010 pairs": "20\u202f010",
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
    "thirteen heads": "thirteen", "eleven heads": "eleven",
    "twenty-one of them": "twenty-one", "Sixteen heads": "Sixteen",
    "thirty thousand pairs": "thirty thousand", "two hundred and five": "two hundred and five",
    "$e^{0.83}$": "0.83", "$e^{-0.8231}$": "-0.8231", "e^0.83": "0.83",
    "x129": "129", "x1.5 as large": "1.5", "forty million": "forty million",
}  # fmt: skip
del FALSE["0.8231.5"]


@pytest.mark.parametrize(("text", "quoted"), FALSE.items(), ids=FALSE)
def test_a_number_that_is_not_so(text: str, quoted: str) -> None:
    assert [what for what, _ in failures(f"It is {text}.")] == [quoted]


@pytest.mark.parametrize(
    ("text", "as_said"),
    [("fifty", True), ("fifty-two", False), ("sixty", False), ("five hundred", False)],
)
def test_a_round_number_in_words_may_be_rounded(text: str, as_said: bool) -> None:
    note = parse(f"```python\nx = 52.3\nx\n```\n\n```text\n52.3\n```\n\nIt is {text}.\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    assert [check.outcome for check in strictly(numbers.check())] == [HOLDS if as_said else FAILS]


def test_every_number_of_a_row_counts() -> None:
    assert failures("The row is 0.151, 0.849.") == []
    assert [what for what, _ in failures("The row is 0.151, 0.848.")]
    assert [what for what, _ in failures("The column is 0.151, 0.623.")] == ["0.623"]
    assert failures("The column is 0.151 and 0.632.") == []


VECTORS = """```python
import numpy as np
from numpy.polynomial import chebyshev
q = np.array([2.0, 1.0])
K = np.array([[3, 4], [-5, 6]])
none = np.zeros((3, 0))
pairs = [(1, 7)]
farther = max(5, 9)
print("goes to", 8, 9)
```

"""


@pytest.mark.parametrize(
    ("text", "false"),
    [
        ("A query is (2, 1).", ""),
        ("A query is (1, 2).", "(1, 2)"),
        ("The domain is (-1, 1).", ""),
        ("The domain is (1, -1).", "(1, -1)"),
        ("A query is $(1, 2)$ here.", "(1, 2)"),
        ("The keys are (3, 4) and (−5, 6).", ""),
        ("The keys are (3, 4) and (5, 6).", "(5, 6)"),
        ("The keys are (3, 4), (−5, 6) and (3, 5).", "(3, 5)"),
        ("A column is (3, −5).", ""),
        ("A column is (4, -6).", "(4, -6)"),
        ("A query is (2, 1, 3).", "(2, 1, 3)"),
        ("The pair we write is (1, 7).", ""),
        ("It goes to (8, 9).", ""),
        ("The larger of (5, 9).", ""),
        ("The larger of (5, 8).", "(5, 8)"),
        ("It is (1, 7), not (7, 1), rather than (7, 1).", ""),
        ("See equations (3, 5).", ""),
        ("The query is [2, 1], row [-5, 6].", ""),
        ("The query is [2, 3].", "[2, 3]"),
        ("The vector [1, 2, 2] is no row.", "[1, 2, 2]"),
        ("As others say [1, 2], between [0, 1].", ""),
        ("It goes to (9, 8).", "(9, 8)"),
        ("It lies in (0, 1); element (5, 5) and (1, 5), the interval (0, 5).", ""),
        ("Then f(1, 2) and `f(1, 2)` and `x = f((1, 2))`.", ""),
        ("Then (1, 2)<!-- given: so -->.", ""),
        ("![A key (3, 5)](a.svg)", "(3, 5)"),
    ],
)
def test_a_vector_of_small_numbers_is_a_row(text: str, false: str) -> None:
    note = parse(VECTORS + text + "\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    failed = [
        (check.what, check.why) for check in strictly(numbers.check()) if check.outcome == FAILS
    ]
    why = f"nothing on this page shows or computes {false}"
    assert failed == ([(false, why)] if false else [])


@pytest.mark.parametrize(
    ("code", "text", "false"),
    [
        ("x = float('0.7312')", "It is three quarters.", ""),
        ("x = float('0.7312')", "It is three-quarters.", ""),
        ("x = float('73.1')", "It is three quarters, in percent.", ""),
        ("x = float('0.7312')", "It is two thirds.", "two thirds"),
        ("x = float('0.7312')", "Four fifths of it.", "Four fifths"),
        ("x = float('0.7252')", "It is three quarters.", ""),
        ("x = float('0.7248')", "It is three quarters.", "three quarters"),
        ("x = 3 / 4", "It is one quarter.", "one quarter"),
        ("x = 1 / 4", "It is one quarter.", ""),
        ("x = np.array([0.75])", "It is three quarters.", ""),
        ("x = np.array([float('0.75')])", "It is three quarters.", "three quarters"),
        ("x = 3 / 4", "It is two thirds<!-- given: so -->.", ""),
        ("x = 3 / 4", "The one third row, a third, two halves, four quarters, half.", "one third"),
        ("x = 3 / 4", "Three third rows, two tenth-graders, one quarterly.", ""),
        ("x = 20_000", "There are 2·10⁴+1.", "2·10⁴"),
        ("x = 20_000 + 1", "There are 2·10⁴+1, 20 000 + 1 or 20001.", ""),
        ("x = 20_000", "There are 20 000 + 1.", "20 000"),
        ("x = 20_000", "There are 20 000 + 1 · 3, 20 000 + n, 20000 + 15000 - 15000.", "15000"),
        ("x = 0.25", "It is 0.25 + 1.", ""),
    ],
)
def test_fractions_in_words_and_sums(code: str, text: str, false: str) -> None:
    note = parse(f"```python\nimport numpy as np\n{code}\n```\n\n{text}\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    failed = [
        (check.what, check.why) for check in strictly(numbers.check()) if check.outcome == FAILS
    ]
    assert {what for what, _ in failed} == ({false} if false else set())
    assert all(why.startswith("nothing on this page computes") for _, why in failed)


NAMED = """```python
n, d_k, rate, x = 6, 2, 0.25, [7]
n = 4
```

{}

```python
n = 5
n * d_k
```

```text
10
```
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("There $n$ = 4.", ["n = 4"]),
        ("There `n` = 5 of them", []),
        ("There `n` is 5 then.", ["n = 5"]),
        ("There `n` = 6.", "6: n is 4 or 5"),
        ("It is `n = 7`.", "7: n is 4 or 5"),
        ("It is n = 7.", "7: n is 4 or 5"),
        ("It is 10 here, where $n$ is 7 now.", "7: n is 4 or 5"),
        ("A width d_k = 3 and so on", "3: d_k is 2"),
        ("The size is d_k = 10, though.", "10: d_k is 2"),
        ("`rate` equals 0.25, $rate$ is 0.3.", ["rate = 0.25", "rate = 0.3"]),
        ("`rate` equals 0.26.", "0.26: rate is 0.25"),
        ("## With words: $n$ = 7", "7: n is 4 or 5"),
        ("| a | $n$ = 7 |\n|---|---|\n| b | c |", "7: n is 4 or 5"),
        ("If $n$ = 7, more. For `n` = 7, less. Take n = 7.", []),
        ("It fails where $n$ is 7. What is it where $n$ = 7?", []),
        ("Is $n$ = 7? Then $n$ is 7 times as long, n = 7 or 8, `n` is 7 if so.", []),
        ("`f(n=7)` or $n_1$ = 7, $n_{2}$ is 7 or $x$ = 7 or h = 7 or $n$ is 7d.", []),
        ("`n` = 7<!-- given: elsewhere -->.", []),
    ],
)
def test_a_number_that_a_name_is_said_to_be(text: str, told: list[str] | str) -> None:
    note = parse(NAMED.replace("{}", text))
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    checks = [
        check for check in strictly(numbers.check()) if check.what != "10" or check.outcome == FAILS
    ]
    failed = [check.why for check in checks if check.outcome == FAILS]
    held = [check.why.split(": ")[1] for check in checks if check.outcome == HOLDS]
    assert (failed, held) == (([told], []) if isinstance(told, str) else ([], told))


@pytest.mark.parametrize(
    ("text", "false"),
    [
        ("The keys are (1, 0), (0, 3) and (2, 2).", ""),
        ("The keys are (0, 3), (2, 2) and (1, 1).", ""),
        ("The keys are `(1, 0)`, `(0, 3)`, `(2, 2)`, `(1, 1)`.", ""),
        ("The keys are (0, 1), (0, 3) and (2, 2).", "(0, 1)"),
        ("The keys are (1, 0), (1, 1) and (2, 2).", "(1, 1)"),
        ("The keys are (1, 0), (0, 3), (1, 1).", "(1, 1)"),
        ("Others are (1, 0), (2, 2) and (0, 3).", ""),
        ("Two of them are (1, 0) and (1, 1).", ""),
        ("One is (1, 0). Others are (0, 3), (1, 1).", ""),
        ("The columns are (1, 0, 2, 1) and (0, 3, 2, 1).", ""),
        ("See elements (0, 1), (0, 3), (2, 2).", ""),
        ("(1, 0), (0, 3) and (1, 1)<!-- given: so -->.", ""),
    ],
)
def test_vectors_of_a_list_are_rows_in_their_order(text: str, false: str) -> None:
    code = "import numpy as np\nK = np.array([[1, 0], [0, 3], [2, 2], [1, 1]])\nother = 0, 1"
    note = parse(f"```python\n{code}\n```\n\n{text}\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    failed = [
        (check.what, check.why) for check in strictly(numbers.check()) if check.outcome == FAILS
    ]
    why = "all others of this list are rows of variable K, one after another"
    assert failed == ([(false, f"{false}: {why}")] if false else [])


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
    return [q.text for q in claims_of(parse(text)).quantities if q.given == "so"]


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


@pytest.mark.parametrize(
    "text",
    [
        "It is 30 kg<!-- given: so -->.",
        "It is 30 km/h <!-- given: so --> here.",
        "It is 9.81 m/s^2<!-- given: so -->.",
        "It is 30 °C<!-- given: so -->.",
        "It is 30 l per day<!-- given: so -->.",
        "It is **30 apples**<!-- given: so -->.",
    ],
)
def test_a_unit_may_stand_between_a_given_number_and_its_reason(text: str) -> None:
    (quantity,) = (q for q in claims_of(parse(text)).quantities if q.given)
    assert quantity.text in ("30", "9.81")
    assert given(text.replace("It is", "Of 40 kg it is")) == [quantity.text]


def test_a_comment_need_not_give_a_reason() -> None:
    quantities = claims_of(parse("It is 30<!-- given --> and 40.")).quantities
    assert [bool(q.given) for q in quantities] == [True, False]
    (formula,) = parse("It is $x = 3$<!-- not run -->.").formulas
    assert formula.not_run


def test_the_numbers_of_a_formula_that_is_not_run_are_excepted_with_it() -> None:
    assert failures(r"It is $\frac{17}{23}$ of it.")[0][0] == "17/23"
    assert failures(r"It is $\frac{17}{23}$<!-- not run: so --> of it.") == []
    assert failures("$$\n\\frac{17}{23}\n$$\n<!-- not run: so -->\n") == []


def test_a_docstring_states_its_numbers() -> None:
    code = '```python\ndef f(t):\n    """At most 250 steps of 0.0125, −20,000 or -3.5."""\n```\n'
    assert failures(f"{code}\nIt takes 250 steps of 0.0125, 20 000 in all, −3.5.") == []
    assert failures(f"{code}\nIt takes 260 steps.")[0][0] == "260"


def test_a_masked_element_is_no_number() -> None:
    code = (
        "```python\nimport numpy as np\nx = np.ma.masked_array([[1.25, 2.5], [3.75, 9.5]], "
        "mask=[[0, 1], [0, 0]])\ny = x[0, 1]\nz = [x, y]\nM = np.matrix([[4.25, 1.0]])\n```\n"
    )
    assert failures(f"{code}\nIt is 3.75 or 9.5, and 4.25.") == []
    assert failures(f"{code}\nIt is 2.55.")[0][0] == "2.55"


def test_a_reason_far_off_is_none() -> None:
    assert given("It is 0.1 of it<!-- given: so -->.") == []
    assert given("It is 0.1<!-- not run: so -->.") == []
    note = parse("It is 0.1<!-- given: so -->.")
    assert [c.outcome for c in Numbers(Observed(note)).check()] == [EXCEPTED]


def test_a_number_knows_where_it_stands() -> None:
    note = parse("a\n\nIt is **0.5**\nand `0.75`.\n\n> - x 0.25\n")
    found = [(q.line, q.column, q.text) for q in claims_of(note).quantities]
    assert found == [(3, 9, "0.5"), (4, 6, "0.75"), (6, 7, "0.25")]


MANY = """```python
import numpy as np
print(np.arange(1, 100).reshape(9, 11) / 100)
```

"""


def far(text: str) -> list[str]:
    blocks = "```python\nx = 1\n```\n\n" * 5
    note = parse(MANY + blocks + text + "\n")
    checks = Numbers(Observed(note))
    NoteRun(note, watchers=[checks.seen.observe]).finish()
    return [check.why for check in strictly(checks.check()) if check.outcome == FAILS]


def test_what_could_be_any_of_many_numbers_is_refused() -> None:
    (why,) = far("It is 0.37.")
    assert "too many numbers" in why
    assert far("It is 0.37, 0.38, 0.39.") == []
    assert "nothing on this page" in far("It is 0.375.")[0]


def fails(code: str, text: str) -> bool:
    note = parse(f"```python\nimport numpy as np\n{code}\n```\n\n{text}\n")
    checks = Numbers(Observed(note))
    NoteRun(note, watchers=[checks.seen.observe]).finish()
    (check,) = strictly(checks.check())
    return check.outcome == FAILS


#: Text in code that computes the number from it, so that the number is nowhere stated.
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
    ("text", "wrong"),
    [
        ("12, 15, 11 and 13", ""),
        ("(12, 15, 11, 13)", ""),
        ("15, 11, 12, 13", ""),
        ("(15, 11, 12, 13)", "15"),
        # Whole numbers may count anything: one that differs is no slip of the row.
        ("12, 15, 11 and 14", ""),
        ("(12, 15, 11, 14)", ""),
        ("12, 15, 11 and 16", "16"),
    ],
)
def test_of_whole_numbers_each_stands_for_itself(text: str, wrong: str) -> None:
    code = "import numpy as np\nx = np.array([11, 12, 13, 15])\nz = np.array([12, 15, 11, 13])"
    code += "\ny = 14"
    note = parse(f"```python\n{code}\n```\n\nIt is {text}.\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    found = [check.what for check in strictly(numbers.check()) if check.outcome == FAILS]
    assert found == [wrong] * bool(wrong)


#: A counted number backs 2.00, which is measured, only where few others would.
@pytest.mark.parametrize(
    ("code", "as_said"),
    [
        ("x = 2", False),
        ("x = 2.0", True),
        ("print(2)", False),
        ("print(2.0)", True),
        ("x = np.array([1.0, 2.0])", True),
        ("x = np.array([1, 2])", False),
        ("x = np.array(2)", False),
        ("x = np.array(float('2'))", True),
        ("x = len('ab')", False),
        ("x = 4 - 2", False),
        ("x = 4 / 2", True),
        ("x = 4 - 2.0", True),
        ("def f(x=2): ...", False),
        ("def f(x=2.0): ...", True),
        ("x = float('1.9963')", True),
    ],
)
def test_what_backs_a_measured_number(code: str, as_said: bool) -> None:
    # Of many counts one would be this by chance.
    many = f"counts = [0, 1, 3, 4, 5, 6, 7, 8]\n{code}"
    assert fails(many, "It is 2.00 here.") is not as_said
    # Where there are few, it is this one.
    assert not fails(code, "It is 2.00 here.")


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
        # Where many sizes would do, it is none of them.
        ("x = [np.zeros((k, 5)) for k in range(2, 16)]", "There are 40 of them.", False),
        ("x = np.zeros(40)", "There are 40 of them.", True),
        ("x = [np.zeros((k, 5)) for k in (8, 9)]", "There are 40 of them.", True),
        ("x = [np.zeros((k, 5)) for k in (8, 18)]", "There are 40 of them.", True),
        ("x = [np.zeros((k, 5)) for k in (4, 8, 18)]", "There are 40 of them.", False),
        ("x = 1234567", "There are 1.23 million of them.", True),
        ("x = 1234567", "There are 1.24 million of them.", False),
        ("x = 2000", "There are 2.00 thousand of them.", True),
    ],
)
def test_what_backs_a_whole_number(code: str, text: str, as_said: bool) -> None:
    assert fails(code, text) is not as_said


@pytest.mark.parametrize(("between", "as_said"), [(0, True), (3, True), (4, False)])
def test_four_outputs_are_next_to_a_number(between: int, as_said: bool) -> None:
    """Where any number would do, only an output next to it says that it is this one."""
    many = "```python\nprint(*range(10, 100))\n```\n\n"
    note = parse(many + "```python\nprint('a')\n```\n\n" * between + "There are 37 of them.\n")
    checks = Numbers(Observed(note))
    NoteRun(note, watchers=[checks.seen.observe]).finish()
    (check,) = strictly(checks.check())
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
    checks = Numbers(Observed(note))
    NoteRun(note, watchers=[checks.seen.observe]).finish()
    outcomes = {check.outcome for check in strictly(checks.check())}
    assert (FAILS not in outcomes) is as_said


@pytest.mark.parametrize(
    ("text", "false"),
    [
        ("They are 3/4 and 1/4.", []),
        ("They are 1/4 and 3/4.", ["1/4", "3/4"]),
        ("They are 1/4 and 1/4.", ["1/4", "1/4"]),
        ("They are $\\frac{3}{4}$ and $\\frac{1}{4}$.", []),
        ("They are $\\frac{2}{4}$ and $\\frac{1}{4}$.", ["2/4", "1/4"]),
        ("They are 2/3, 1/3.", []),
        ("It is 1/4 of it; the other is 3/4.", []),
    ],
)
def test_a_row_of_fractions_stands_in_its_order(text: str, false: list[str]) -> None:
    code = "print(3 / 4, 1 / 4)\nprint(2 / 3, 1 / 3)\nhalf = 1 / 2"
    note = parse(f"```python\n{code}\n```\n\n{text}\n")
    checks = Numbers(Observed(note))
    NoteRun(note, watchers=[checks.seen.observe]).finish()
    order = "nothing on this page shows the fractions of this row in their order"
    assert [(c.what, c.why) for c in strictly(checks.check()) if c.outcome == FAILS] == [
        (fraction, f"{fraction}: {order}") for fraction in false
    ]


def test_the_nearest_numbers_are_named() -> None:
    code = "x, y, z, w, none = 8.0, 0.9, -1.0, float('nan'), 0.0"
    note = parse(f"```python\n{code}\n```\n\nIt is 0.8231.\n\n0.0001 and 75.5 % are nothing.\n")
    checks = Numbers(Observed(note))
    NoteRun(note, watchers=[checks.seen.observe]).finish()
    assert [check.why for check in strictly(checks.check())] == [
        "nothing on this page computes 0.8231; nearest are 0.9, 0, -1",
        "nothing on this page computes 0.0001; nearest are 0, 0.9, -1",
        "nothing on this page computes 75.5 %; nearest are 0.9, 8, 0",
    ]


PRINTED = "output of the code at line 3"
LITERAL = "code at line 1"
#: Code, a text on it, and the message about each number of the text.
TOLD = {
    "outputs": (
        f'x = {HIDDEN}; print("a", x); print(90, "MB 16.5 %")',
        "It is 0.82 and 82.3 % and 90 MB and 16.5 % and 90 000 kB here.",
        [
            ("0.82", f"{PRINTED}: 0.8231"),
            ("82.3 %", f"{PRINTED}: 0.8231"),
            ("90 MB", f"{PRINTED}: 90 MB"),
            ("16.5 %", f"{PRINTED}: 16.5 %"),
            ("90 000 kB", None),
        ],
    ),
    "what is bound": (
        f'x = {HIDDEN}; v = np.array([x, 2*x]); w = [x*3]; z = list("abcdefghijklm")',
        "It is 0.823, 1.646, 2.469, 13 or 0.9.",
        [
            ("0.823", "variable x: 0.8231"),
            ("1.646", "variable v: 1.6462"),
            ("2.469", "variable w: 2.4693"),
            ("13", "length of z: 13"),
            ("0.9", None),
        ],
    ),
    "arrays and functions": (
        "def f(a, b=float('0.625'), c=77): ...\na = 12; A = np.zeros((a, a + 28))",
        "It is 0.625 or 77, 12, or 480, also 40.",
        [
            ("0.625", "default of f: 0.625"),
            ("77", f"{LITERAL}: 77"),
            ("12", f"{LITERAL}: 12"),
            ("480", "how many numbers A holds: 480"),
            ("40", "length of an axis of A: 40"),
        ],
    ),
    "lengths": (
        "a = 11; A = np.zeros((a, a + 26)); d = {i: 0 for i in range(a + a)}",
        "It is 37, also 22 here.",
        [("37", "length of an axis of A: 37"), ("22", "length of d: 22")],
    ),
    "rows and columns": (
        "x = np.arange(40).reshape(10, 4) / 25; x[0] = 0",
        "They are 0.16, 0.20 and 0.24 there, 0.16 and 0.32 but 0.16 and 0.28 not.",
        [
            *[(n, "variable x: 0.16, 0.2, 0.24") for n in ("0.16", "0.20", "0.24")],
            *[(n, "variable x: 0.16, 0.32") for n in ("0.16", "0.32")],
            ("0.16", "too many"), ("0.28", "too many"),
        ],
    ),
    "a row that is printed": (
        f"x = {HIDDEN}; print(x, 2 * x, -x)",
        "It goes 0.82, 1.65, −0.82.",
        [(n, "output at line 5: 0.8231, 1.6462, -0.8231") for n in ("0.82", "1.65", "−0.82")],
    ),
    "numbers as outputs write them": (
        'print("a 1,234.5 b 12,34 1e3 .5 x37 -14 +15")',
        "It is 1234.5, then 0.5, then 1000, −14 and 15, not 37.",
        [
            ("1234.5", f"{PRINTED}: 1,234.5"),
            ("0.5", f"{PRINTED}: .5"),
            ("1000", f"{PRINTED}: 1e3"),
            ("−14", f"{PRINTED}: -14"),
            ("15", f"{PRINTED}: +15"),
            ("37", None),
        ],
    ),
    "what code works out": (
        "f = 1 / 6, 2**16, -(0.75), 3 * 4.5, 10 - 0.25, 11.5 + 1, 1 / 0 if 0 else 1",
        "It is 1/6, or 65536, or −0.75, or 13.5, or 9.75, or 12.5 or 4.5.",
        [
            ("1/6", f"{LITERAL}: 0.166667"),
            *[(n, f"{LITERAL}: {n.replace('−', '-')}")
              for n in ("65536", "−0.75", "13.5", "9.75", "12.5", "4.5")],
        ],
    ),
    "what a formula states": (
        "x = 1", "$q = -7.25$ and $q < .5$ then −7.25, 0.5 but 7.25.",
        [("−7.25", "formula at line 6, column 1: -7.25"),
         ("0.5", "formula at line 6, column 17: 0.5"),
         ("7.25", None)],
    ),
    "a formula with the sign that is printed": (
        "x = 1", "$q = −3.5$ then −3.5 but 3.5.",
        [("−3.5", "formula at line 6, column 1: -3.5"), ("3.5", None)],
    ),
    "what is no number": (
        "x = 1", "It is 024, 12e9999 and −12e9999.",
        [("024", "024 is not written like a number"), ("12e9999", None), ("−12e9999", None)],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("code", "text", "expected"), TOLD.values(), ids=TOLD)
def test_what_is_told_of_a_number(
    code: str, text: str, expected: list[tuple[str, str | None]]
) -> None:
    note = parse(f"```python\nimport numpy as np\n{code}\n```\n\n{text}\n")
    line = 5 + code.count("\n") + 1
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    found = list(strictly(numbers.check()))
    assert [check.what for check in found] == [what for what, _ in expected]
    for check, (what, why) in zip(found, expected, strict=True):
        assert (check.kind, check.line) == ("number", line)
        column = text.index(what) + 1
        assert check.column >= column
        if why == "too many":
            assert (check.outcome, check.why) == (
                FAILS,
                f"{what} may come from too many numbers of this page: "
                "show more digits, or show it in an output next to it",
            )
        elif why is None:
            assert check.outcome == FAILS
            assert check.why.startswith(f"nothing on this page computes {what}; nearest are ")
        elif "is not written like a number" in why:
            assert (check.outcome, check.why) == (FAILS, why)
        else:
            assert (check.outcome, check.why) == (HOLDS, why)


def test_a_number_tells_where_an_output_shows_it() -> None:
    shown = "```text\na\nb 0.8231\n```\n"
    code = "```python\nprint('a'); print('b', 0.8231 * 1); print('c 0.7777')\n```\n\n"
    note = parse(f"{code}{shown}\nIt is 0.823. It is 0.778.\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    assert [check.why for check in strictly(numbers.check())] == [
        "output at line 7: 0.8231",
        "output at line 7: 0.7777",
    ]


def test_a_number_in_an_alt_text_or_a_summary_tells_so() -> None:
    note = parse("---\nsummary: It is 0.55.\n---\n\n![0.44 of it](a.svg)\n")
    assert sorted(check.why for check in Numbers(Observed(note)).check()) == [
        "nothing on this page computes 0.44 (in the alt text)",
        "nothing on this page computes 0.55 (in the summary)",
    ]


def test_a_given_number_is_told_with_its_reason() -> None:
    (check,) = Numbers(Observed(parse("\nIt is 0.1<!-- given: so -->."))).check()
    assert check == Check("number", 2, "0.1", EXCEPTED, "so", 7)


def amount(value: str, unit: str = "0", **given: object) -> Amount:
    return Amount(Fraction(value), Fraction(unit), **given)  # type: ignore[arg-type]


PERCENT = (Fraction(1), Fraction(100))


@pytest.mark.parametrize(
    ("number", "stated", "rounded", "exact"),
    [
        (0.125, amount("0.125", "0.001"), True, True),
        (0.1254, amount("0.125", "0.001"), True, False),
        (0.1255, amount("0.125", "0.001"), True, False),
        (0.12551, amount("0.125", "0.001"), False, False),
        (0.1245, amount("0.125", "0.001"), True, False),
        (0.12449, amount("0.125", "0.001"), False, False),
        (-0.125, amount("0.125", "0.001"), False, False),
        (-0.125, amount("0.125", "0.001", either_sign=True), True, True),
        (0.125, amount("-0.125", "0.001", either_sign=True), True, True),
        (0.125, amount("12.5", "0.1", scales=PERCENT), True, True),
        (0.12549, amount("12.5", "0.1", scales=PERCENT), True, False),
        (0.12551, amount("12.5", "0.1", scales=PERCENT), False, False),
        (12.5, amount("12.5", "0.1", scales=PERCENT), True, True),
        (1 / 6, amount("1/6", over=Fraction(6)), True, True),
        (1 / 3, amount("1/3", over=Fraction(3)), True, True),
        (0.333, amount("1/3", over=Fraction(3)), True, False),
        (0.33, amount("1/3", over=Fraction(3)), False, False),
        (0.334, amount("1/3", over=Fraction(3)), False, False),
        (0.667, amount("2/3", over=Fraction(3)), True, False),
        (0.0667, amount("1/15", over=Fraction(15)), True, False),
        (0.0666, amount("1/15", over=Fraction(15)), False, False),
        (1.234e-05, amount("1/80000", over=Fraction(80000)), False, False),
        (1.25e-05, amount("1/80000", over=Fraction(80000)), True, True),
        (1.06, amount("1055/1000", over=Fraction(1000)), True, False),
        (101.0, amount("100501/1000", over=Fraction(1000)), False, False),
        (0.0, amount("0", "1"), True, True),
        (0.0, amount("0", "0.1"), True, True),
        (0.05, amount("0", "0.1"), True, False),
        (0.051, amount("0", "0.1"), False, False),
        (float("inf"), amount("1/3", over=Fraction(3)), False, False),
        (float("nan"), amount("1", "1"), False, False),
        (1e308, amount("1e400", "1e399"), False, False),
        (-1e308, amount("-1e400", "1e399"), False, False),
    ],
)
def test_when_a_number_is_another(
    number: float, stated: Amount, rounded: bool, exact: bool
) -> None:
    evidence = Evidence()
    evidence.add([5.0, number, -5.0], "here")
    assert (evidence.rounds_to(stated), evidence.holds(stated)) == (rounded, exact)
    assert evidence.rounded(stated) == (number if rounded else None)
    assert evidence.exact(stated) == (number if exact else None)


def test_numbers_come_from_where_they_were_found_first() -> None:
    first, second = Evidence(), Evidence()
    first.print(["1,500.0", "0.5"], "output")
    second.add([0.5, 0.25, 1 / 3], "variable")
    second.include(first)
    second.print(["0.25"], "later")
    assert second.numbers == {0.5, 0.25, 1 / 3, 1500.0}
    assert [second.source_of(number) for number in (0.5, 0.25, 1 / 3, 1500.0, None)] == [
        "variable: 0.5", "variable: 0.25", "variable: 0.333333", "output: 1,500.0", "",
    ]  # fmt: skip
    assert second.between(0.25, 0.5)[:3] == [0.25, 1 / 3, 0.5]
    second.add([0.4], "late")
    assert 0.4 in second.between(0.3, 0.5)
    third = Evidence()
    assert third.between(0, 1) == []
    third.include(second)
    assert 0.4 in third.between(0.3, 0.5)


def test_what_could_be_any_of_many_numbers_is_told_by_its_unit() -> None:
    assert [why.split(" of this")[0] for why in far("It is 37 % of it.")] == [
        "37 % may come from too many numbers"
    ]
    many = "```python\nimport numpy as np\nprint(np.arange(1, 100) / 100, '37 %')\n```\n\n"
    note = parse(many + "```python\nx = 1\n```\n\n" * 5 + "It is 37 % of it.\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    (check,) = strictly(numbers.check())
    assert (check.outcome, check.why.split(": ")[1]) == (HOLDS, "37 %")


ROWS = """```python
p = [0.659, 0.2424, 0.0892, 0.0089]
share, part = 0.3081, 0.5
print(p)
```

```text
[0.659, 0.2424, 0.0892, 0.0089]
```

"""


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("0.66, 0.24, 0.09 and 0.01", ""),
        ("0.66, 0.31, 0.09 and 0.01", "0.31"),
        ("0.31, 0.24, 0.09", "0.31"),
        ("0.66, 0.24, 0.31", "0.31"),
        # Two differ: it is another row.
        ("0.31, 0.24, 0.3081", ""),
        ("0.66 and 0.31", ""),
        # It is what the page states.
        ("0.66, 0.3081, 0.09", ""),
        ("0.66, 0.5, 0.09", ""),
        # Where three others are in their places, it stands for the fourth.
        ("0.66, 0.5, 0.09, 0.01", "0.5"),
        ("0.66, 0.5, 0.3081, 0.01", ""),
        ("0.66, 0.31<!-- given: so -->, 0.09", ""),
    ],
)
def test_of_a_row_all_numbers_are_in_their_places(text: str, wrong: str) -> None:
    note = parse(ROWS + f"It is {text}.\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    found = [check for check in strictly(numbers.check()) if check.outcome == FAILS]
    assert [check.what for check in found] == [wrong] * bool(wrong)
    if wrong:
        assert (found[0].line, found[0].column) == (11, 7 + text.index(wrong))
        told = "all other numbers of this row are in output at line 8: 0.659, 0.2424, 0.0892"
        assert found[0].why.startswith(f"{wrong}: {told}")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("(0.66, 0.24)", ""),
        ("(0.66, 0.09)", "0.66"),
        ("0.66, 0.09", ""),
        # Each of them has a name, is stated, or is shown with all its digits.
        ("(0.31, 0.5)", ""),
        ("(0.659, 0.0892)", ""),
        ("(0.66, 0.09<!-- given: so -->)", ""),
    ],
)
def test_two_numbers_in_brackets_stand_side_by_side(text: str, wrong: str) -> None:
    note = parse(ROWS + f"It is {text}.\n")
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    whys = {check.what: check.why for check in strictly(numbers.check()) if check.outcome == FAILS}
    told = "nothing on this page shows or computes this and the next number side by side"
    assert whys == ({wrong: f"{wrong}: {told}"} if wrong else {})


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("It is (0.25, 0.5, 0.75).", ""),
        ("It is (0.25, 0.75, 0.5).", "0.25"),
        ("It is `[0.5, 0.25, 0.75]`.", "0.5"),
        ("It is [ 0.50, 0.25, 0.75 ].", "0.50"),
        ("In order, 0.75, 0.5 and 0.25.", ""),
        ("The interval (0.75, 0.5).", ""),
        ("The pieces (0.75, 0.5, 0.25, 0.5).", ""),
    ],
)
def test_in_brackets_the_order_of_numbers_counts(text: str, wrong: str) -> None:
    note = parse(
        "```python\nx = [0.25, 0.5, 0.75]\nprint(x)\n```\n\n```text\n[0.25, 0.5, 0.75]\n```\n\n"
        + text
        + "\n"
    )
    numbers = Numbers(Observed(note))
    NoteRun(note, watchers=[numbers.seen.observe]).finish()
    found = [check for check in strictly(numbers.check()) if check.outcome == FAILS]
    told = "the order of this row differs in output at line 7: 0.25, 0.5, 0.75"
    assert [check.why for check in found] == [f"{wrong}: {told}"] * bool(wrong)
    for check in found:
        assert (check.line, check.column) == (10, 1 + text.index(wrong))
