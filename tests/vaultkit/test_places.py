"""What the parts of a page are called that checks speak of."""

import pytest

from vaultkit.claims.places import formula_at, page_places
from vaultkit.read.markdown import parse

NOTE = parse(
    """\
# A

Here are $n = 12$, 2.5 and $n = 12$, of shape (3, 4), in [[B]] and [[C]], $0.25$ of it.

```python
n = 12
```

$$
\\begin{aligned}
a &= b \\\\
c &= d
\\end{aligned}
$$

> [!question] Predict the number
> What?
>
> - `n + 1`: too much
> - `n - 1`: too little

```python
n
```
"""
)
ALIGNED = "\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned}"


@pytest.mark.parametrize(
    ("kind", "line", "column", "what", "names"),
    [
        ("mirror", 4, 1, "", []),
        ("mirror", 5, 1, "", ["block-0"]),
        ("mirror", 21, 1, "", ["block-0"]),
        ("mirror", 23, 1, "", ["block-1"]),
        # Of the same formula twice on a line, the one that is meant; else both.
        ("equation", 3, 10, "n = 12", ["formula-0"]),
        ("equation", 3, 28, "n = 12", ["formula-1"]),
        ("equation", 3, 1, "n = 12", ["formula-0", "formula-1"]),
        ("equation", 3, 10, "n = 13", []),
        *(("equation", line, 1, ALIGNED, ["formula-3"]) for line in range(9, 14)),
        ("equation", 14, 1, ALIGNED, []),
        ("equation", 8, 1, ALIGNED, []),
        ("number", 3, 20, "2.5", ["number-0"]),
        # A number in mathematics is a part of that.
        ("number", 3, 76, "0.25", ["formula-2"]),
        ("shape", 3, 47, "(3, 4)", ["shape-0"]),
        ("shape", 9, 1, ALIGNED, ["formula-3"]),
        ("link", 3, 58, "", ["link-0"]),
        ("link", 3, 68, "", ["link-1"]),
        ("link", 3, 59, "", []),
        *(("prediction", line, 1, "", ["prediction-0"]) for line in (16, 19, 20)),
        ("block", 5, 1, "", []),
    ],
)
def test_names_of_the_parts_of_a_page(
    kind: str, line: int, column: int, what: str, names: list[str]
) -> None:
    assert page_places(NOTE).names_of(kind, line, column, what) == names


def test_a_formula_is_between_its_dollars() -> None:
    # $n = 12$ is in columns 10 to 17.
    found = [formula_at(NOTE, 3, column) for column in (9, 10, 17, 18, 28, 35, 36)]
    assert found == [None, 0, 0, None, 1, 1, None]
    assert formula_at(NOTE, 2, 10) is None
    assert formula_at(NOTE, 9, 1) is None
