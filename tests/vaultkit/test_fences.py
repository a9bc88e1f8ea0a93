"""Code that does not run, and output that is not compared, is a failure."""

from collections.abc import Iterator

import pytest

from vaultkit.checks import misread, outputs
from vaultkit.checks.check import EXCEPTED, FAILS
from vaultkit.read.fences import looks_like_python
from vaultkit.read.markdown import parse
from vaultkit.read.prompts import examples
from vaultkit.run.session import NoteRun

REFUSED = {
    "text alone": ("word\n\n```text\n1\n```\n", 3, "nothing is compared"),
    "text behind words": (
        "```python\n1\n```\n\nso:\n\n```text\n1\n```\n",
        7,
        "nothing is compared",
    ),
    "a second output": (
        "```python\n1\n```\n\n```text\n1\n```\n\n```text\n2\n```\n",
        9,
        "nothing is compared",
    ),
    "text behind a session": ("```pycon\n>>> 1\n1\n```\n\n```text\n1\n```\n", 6, "own outputs"),
    "Text": ("```python\n1\n```\n\n```Text\n1\n```\n", 5, "write ```text"),
    "output": ("```python\n1\n```\n\n```output\n1\n```\n", 5, "write ```text"),
    "txt": ("```txt\n1\n```\n", 1, "write ```text"),
    "an output without a language": ("```python\n1\n```\n\n```\n1\n```\n", 5, "write ```text"),
    "Python": ("```Python\n1\n```\n", 1, "write ```python"),
    "PYTHON": ("```PYTHON\n1\n```\n", 1, "write ```python"),
    "Py": ("```Py\n1\n```\n", 1, "write ```python"),
    "py3": ("```py3\n1\n```\n", 1, "write ```python"),
    "python2": ("```python2\n1\n```\n", 1, "write ```python"),
    "python3.12": ("```python3.12\n1\n```\n", 1, "write ```python"),
    "ipython": ("```ipython\n1\n```\n", 1, "write ```python"),
    "ipython3": ("```ipython3\n1\n```\n", 1, "write ```python"),
    "jupyter": ("```jupyter\n1\n```\n", 1, "write ```python"),
    "{code-cell}": ("```{code-cell}\n1\n```\n", 1, "write ```python"),
    "{code-cell} ipython3": ("```{code-cell} ipython3\n1\n```\n", 1, "write ```python"),
    "{python}": ("```{python}\n1\n```\n", 1, "write ```python"),
    "{.python}": ("```{.python .numberLines}\n1\n```\n", 1, "write ```python"),
    "{code-block} python": ("```{code-block} python\n1\n```\n", 1, "write ```python"),
    "python,title": ("```python,title=a\n1\n```\n", 1, "write ```python"),
    "tildes": ("~~~Python\n1\n~~~\n", 1, "write ```python"),
    "Pycon": ("```Pycon\n>>> 1\n```\n", 1, "write ```pycon"),
    "python-repl": ("```python-repl\n>>> 1\n```\n", 1, "write ```pycon"),
    "mathematics": ("```math\nx = 1\n```\n", 1, "is not checked; write $$"),
    "MyST's mathematics": ("```{math}\n:label: a\nx = 1\n```\n", 1, "write $$"),
    "a callout of MyST": ("```{note} On it\nThere are 37 %.\n```\n", 1, "write > [!note]"),
    "a text of MyST": ("```{include} a.md\n```\n", 1, "write ![[a note]]"),
    "console": ("```console\n>>> 1\n1\n```\n", 1, "write ```pycon"),
    "bash": ("```bash\n$ python\n>>> 1\n1\n```\n", 1, "write ```pycon"),
    "no language, a session": ("```\n>>> 1\n1\n```\n", 1, "write ```pycon"),
    "no language, code": ("```\nimport numpy as np\n```\n", 1, "write ```python"),
    "no language, a call": ("~~~\nprint(1)\n~~~\n", 1, "write ```python"),
    "a session as python": ("```python\n>>> 1\n1\n```\n", 1, "write ```pycon"),
    "code as a session": ("```pycon\nx = 1\n```\n", 1, "write ```python"),
    "words before a session": ("```pycon\nfirst:\n>>> 1\n1\n```\n", 1, "begin with >>>"),
    "indented session": ("word\n\n    >>> 1\n    1\n", 3, "does not run"),
    "indented code": ("word\n\n    x = 1\n    print(x)\n", 3, "does not run"),
    "code in HTML": ("<pre><code>&gt;&gt;&gt; 1\n1</code></pre>\n", 1, "does not run"),
    "in a callout": ("> [!note]\n> ```Python\n> 1\n> ```\n", 2, "write ```python"),
    "in a list": ("- a\n\n    ```ipython\n    1\n    ```\n", 3, "write ```python"),
    "unknown word": ("```python skip\n1\n```\n", 1, "unknown word 'skip'"),
    "raises in a session": (
        "```pycon raises=KeyError\n>>> 1\n1\n```\n",
        1,
        "unknown word 'raises'",
    ),
    "twice": ("```python raises=KeyError raises=ValueError\n1\n```\n", 1, "there twice"),
    "no value": ("```python raises\n1\n```\n", 1, "raises after ```python needs a value"),
    "empty value": ("```python title=''\n1\n```\n", 1, "title after ```python needs a value"),
    "a value too many": ("```python no-run=yes\n1\n```\n", 1, "takes no value"),
    "two errors": ("```python raises='A, B'\n1\n```\n", 1, "the name of one class"),
    "no number": ("```python timeout=soon\n1\n```\n", 1, "timeout=soon: seconds"),
    "no time": ("```python timeout=0\n1\n```\n", 1, "timeout=0: seconds"),
    "negative": ("```python timeout=-1\n1\n```\n", 1, "timeout=-1: seconds"),
    "for ever": ("```python timeout=inf\n1\n```\n", 1, "timeout=inf: seconds"),
    "no pattern": ("```python volatile='('\n1\n```\n", 1, "no regular expression"),
    "an empty match": ("```python volatile='x*'\n1\n```\n", 1, "matches empty text"),
    "contradiction": ("```python no-run timeout=5\n1\n```\n", 1, "no-run together"),
}
PASSED = {
    "an output": "```python\n1\n```\n\n```text\n1\n```\n",
    "tildes": "~~~python\n1\n~~~\n\n~~~text\n1\n~~~\n",
    "python3": "```python3\n1\n```\n",
    "a session": "```pycon\n>>> 1\n1\n```\n",
    "all words": (
        "```python title=\"a.py\" raises=KeyError timeout=2.5 volatile='0x\\w+' "
        'hl_lines="1 2" linenums=1\n1\n```\n'
    ),
    "shell": "```sh\nmake test\n```\n",
    "a tree": "```\ndocs/\n  index.md   the way in\n```\n",
    "other languages": "```yaml\na: 1\n```\n\n```toml\na = 1\n```\n\n```markdown\n# a\n```\n",
    "indented words": "word\n\n    a poem, indented\n",
    "pseudocode": "```\nfor each token: look at all others\n```\n",
    "a docstring with prompts": '```python\ndef f():\n    """\n    >>> 1\n    1\n    """\n```\n',
}


@pytest.mark.parametrize(("text", "line", "said"), REFUSED.values(), ids=REFUSED)
def test_what_would_be_passed_over_is_refused(text: str, line: int, said: str) -> None:
    ((found, message),) = [(p.line, p.message) for p in misread.problems(parse(text))]
    assert found == line
    assert said in message


@pytest.mark.parametrize("text", PASSED.values(), ids=PASSED)
def test_what_is_read_is_left_alone(text: str) -> None:
    assert list(misread.problems(parse(text))) == []
    assert parse(text).problems == ()


def problems(text: str) -> Iterator[tuple[int, str]]:
    note = parse(text)
    run = NoteRun(note)
    for index, block in enumerate(note.blocks):
        for check in outputs.check(index, block, run.steps(index), 0.0):
            if check.outcome == FAILS:
                yield check.line, check.why


ARRAY = "[[[1]\n  [2]]\n\n [[3]\n  [4]]]"


def test_an_output_of_a_session_holds_blank_lines() -> None:
    code = ">>> import numpy as np\n>>> print(np.arange(1, 5).reshape(2, 2, 1))\n"
    for shown in (ARRAY, ARRAY.replace("\n\n", "\n<BLANKLINE>\n")):
        assert list(problems(f"```pycon\n{code}{shown}\n\n>>> 1\n1\n\n```\n")) == []
    ((line, message),) = problems(f"```pycon\n{code}{ARRAY.replace('4', '5')}\n\n>>> 1\n1\n```\n")
    assert line == 4
    assert "5 is really 4" in message
    ((_, message),) = problems("```pycon\n>>> print('a')\na\n\nb\n>>> 1\n1\n```\n")
    assert "- b" in message


def test_an_output_of_a_session_may_begin_with_a_blank_line() -> None:
    assert list(problems("```pycon\n>>> print('\\na')\n\na\n>>> 1\n1\n```\n")) == []
    assert len(list(problems("```pycon\n>>> print('a')\n\na\n```\n"))) == 1


def test_examples_know_their_lines() -> None:
    found = examples(">>> a\n\n>>> for b in c:\n...     b\n\n  1\n\n>>> d\n2\n\n")
    assert [(e.shown, e.line, e.first, e.last) for e in found] == [
        ("", 0, 1, 0),
        ("\n  1", 2, 4, 5),
        ("2", 7, 8, 8),
    ]


def volatile(pattern: str, code: str, shown: str) -> list[str]:
    text = f"```python volatile='{pattern}'\n{code}\n```\n\n```text\n{shown}\n```\n"
    return [message for _, message in problems(text)]


def test_what_changes_from_run_to_run_is_masked() -> None:
    code = "print('took 12.5 ms, loss 0.25')"
    assert volatile(r"[\d.]+ ms", code, "took 8.1 ms, loss 0.25") == []
    assert "+ took" in volatile(r"[\d.]+ ms", code, "took a while, loss 0.25")[0]
    assert "0.26 is really 0.25" in volatile(r"[\d.]+ ms", code, "took 8.1 ms, loss 0.26")[0]
    assert "it matches no part" in volatile("0x[0-9a-f]+", code, "took 12.5 ms, loss 0.25")[0]
    for everything in (".+", r"[\s\S]+", r"\w+", r"(?s).+"):
        assert "it matches the whole" in volatile(everything, code, "took 12.5 ms, loss 0.25")[0]


def test_a_mask_is_counted_as_an_exception() -> None:
    note = parse("```pycon volatile='0x[0-9a-f]+'\n>>> hex(31)\n'0x2f'\n>>> 1\n1\n```\n")
    found = outputs.check(0, note.blocks[0], NoteRun(note).steps(0), 0.0)
    assert [(c.kind, c.outcome, c.what) for c in found] == [
        ("output", EXCEPTED, "0x[0-9a-f]+"),
        ("block", "holds", "note"),
    ]


@pytest.mark.parametrize(
    ("text", "python"),
    [("x = 1", True), ("import a", True), ("f(1)", True), ("for x in y: z", True),
     ("x: int", False), ("x[0] + 1", True), ("x[0]", True), ("1 - f(2)", True), ("a - b", False),
     ("softmax", False), ("a.b", False), ("x @ y", False), ("so it is", False), ("", False)],
)  # fmt: skip
def test_what_looks_like_python(text: str, python: bool) -> None:
    assert looks_like_python(text) == python
