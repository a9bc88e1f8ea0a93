from pathlib import Path

import pytest

from tests.own_vault import VAULT
from tests.vaultkit.agreement import of_checks, of_site
from vaultkit.read.vault import Vault

DOCS = Path(__file__).parents[2] / "docs"

TORTURE = """\
---
aliases: [Racked, Q/K]
tags: [pain]
---
# Torture

Plain [[Other]], [[other|lower case]], [[Other#Part two]], [[#Code]], [[Other#^fact]], [[Alias É]],
[[sub/Deep one|deep]], [[Nowhere]], [[Other#Nothing]] and [words](<sub/Deep one.md#end>). ^first

Not links: `[[no]]`, `` `[[no]]` ``, $[[Q]]$, \\[[no]], [[]], [[#]], ![[|]], [[ and [.
#tag at a start, `#no`, a#b, C# and #nested/tag. %%[[hidden]] `x` over
two lines%% After it [[Other|after]].

## Formulas $\\alpha_i$ and *emphasis* `code`

Inline $a_b$ and $x^\\top$, costs 5$ or 6$, \\$7.

$$
\\begin{aligned}
a &= b < c \\\\
[[Q]] &= #tag %%no%%
\\end{aligned}
$$

^formula

> $$
> x^2
> $$

## Code

```python title="snippets/a b.py" raises=ValueError
x = "[[no]]"  # %%no%% ^no

## no heading
```
```text
[[no]] $x$
```

^code

~~~python no-run
y = 1
~~~

````text
```python
inner
```
````

1. first ^one

    ```pycon
    >>> 1
    1
    ```

2. second [[Other]]

## Code

> [!tip]- A title with [[Other|a link]] and $t$
> Body ==marked== ![[Other#Part two]]
>
> ![[Other]]
>
> > [!unknown] Nested
> > ```python
> > z = [1,
> >
> >      2]
> > ```
> >
> > ### Heading in a callout ^deep
>
> ```text
> after
> ```

%%
[[gone]]

```python
gone
```

# gone
%%

| a | b |
|---|---|
| [[Other\\|bee]] | `x \\| y` |
| $q$ | ![[pic.svg\\|20]] |

^table

- [ ] todo [[Other]]
- [x] done[^2]
    - nested ^nested
- ![[Other#^fact]]

![[pic.svg|300]] ![alt](pic.svg) ![[Missing.svg]]

![[Torture#Code]]

Footnotes[^1] in turn[^2]. [out](https://example.org/#frag)

[^2]: second [[Other#Part two|from a footnote]]
[^1]: first $f$ [[Other]]

Is $x$ [[Other]]?
?
Yes, $y$ and [[Torture]]. ^card

## Ünïcode Straße

### [[Other#Part two]] as a heading

Setext
------

Last ^last
"""
OTHER = """\
---
aliases: [Alias É]
---
# Other

A fact[^1], [[Torture]]. ^fact

## Part two

Part $p$ ![[pic.svg]]

```python
p
```

[^1]: of other
"""


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "Torture.md").write_text(TORTURE, encoding="utf-8")
    (tmp_path / "Other.md").write_text(OTHER, encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/Deep one.md").write_text("# Deep one\n\n## End\n")
    (tmp_path / "pic.svg").write_text("<svg/>")
    return Vault(tmp_path)


@pytest.mark.parametrize("what", ["headings", "links", "formulas", "code", "block_ids"])
@pytest.mark.parametrize("name", ["Torture.md", "Other.md", "sub/Deep one.md"])
def test_both_parsers_agree_on_torture(vault: Vault, name: str, what: str) -> None:
    note = vault.notes[vault.root / name]
    assert getattr(of_site(note, vault), what) == getattr(of_checks(note, vault), what)


def test_torture_is_seen_at_all(vault: Vault) -> None:
    found = of_site(vault.notes[vault.root / "Torture.md"], vault)
    assert len(found.headings) == 8
    assert len(found.links) == 28
    assert len(found.formulas) == 11
    assert len(found.code) == 7
    assert len(found.block_ids) == 9


@pytest.fixture(scope="module")
def docs() -> Vault:
    return VAULT


@pytest.mark.usually("Checks", "Sources", "Multi-Head Attention")
@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.stem)
def test_both_parsers_agree_on_our_notes(docs: Vault, path: Path) -> None:
    note = docs.notes[path]
    assert of_site(note, docs) == of_checks(note, docs)
