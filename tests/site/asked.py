"""Notes with questions and flashcards, of which a small site is made."""

ASK = """# Ask

It shows scores.

> [!question] Predict the shape
> `Q` holds 6 queries and `K` 4 keys, each of width 2. What is the shape of `Q @ K.T`?
>
> > [!failure]- Usual wrong answers
> >
> > - `(K @ Q.T).shape`: queries are the **rows**.
> > - `(Q.T @ Q).shape`: the sum runs over the width.

```python
import numpy as np

Q = np.arange(12.0).reshape(6, 2) / 10
K = np.arange(8.0).reshape(4, 2) / 10
(Q @ K.T).shape
```

```text
(6, 4)
```

> [!question] Predict the number
> The score of query 2 with key 3 is divided by the root of 2. What is it?
>
> > [!failure]- Usual wrong answers
> >
> > - `Q[1] @ K[2]`: the root is missing.
> > - `Q[1] @ K[2] / 2`: the width itself is no root.

```python
print(f"{-Q[1] @ K[2] / -np.sqrt(2):.2f}")
```

```text
0.16
```

> [!question] Predict the second row
> What is the second row of `K`, times 2?
>
> > [!failure]- Usual wrong answers
> >
> > - `K[:, 1] * 2`: that is the column.

```python
print(K * 2)
```

```text
[[0.  0.2]
 [0.4 0.6]
 [0.8 1. ]
 [1.2 1.4]]
```

> [!question] Predict
> Are the two equal?
>
> > [!failure]- Usual wrong answers
> >
> > - `not np.allclose(Q, Q + 1e-12)`: so small a difference is none.

> [!success]- Answer
> They are.
>
> ```python
> np.allclose(Q, Q + 1e-12)
> ```
>
> ```text
> True
> ```

## What it was

The score is 0.16, see [[Index]].

## How many

> [!question] Predict
> How many rows have `Q` and `K`?
>
> > [!failure]- Usual wrong answers
> >
> > - `len(Q.T), len(K.T)`: those are the columns.

```python
len(Q), len(K)
```

```text
(6, 4)
```

> [!question] Predict the line
> Who asks?
>
> > [!failure]- Usual wrong answers
> >
> > - `"Ada"`: she does not ask.

```python
print("Tom")
```

```text
Tom
```
"""
INDEX = "# Index\n\n## Your predictions\n\n<!-- predictions -->\n\n[[Ask]], [[Failing]]\n"
CARDS = """# Cards

<!-- flashcards -->

## Some

What is $d_k$?
?
The **width**, see [[Ask]].

What is seen?
?
![A box](box.svg)

Last?
?
Yes.
"""
BOX = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><path d="M0 0h9v9z"/></svg>'
FAILING = "# Failing\n\n" + ASK.partition("scores.\n\n")[2].replace("(6, 4)", "(4, 6)")
