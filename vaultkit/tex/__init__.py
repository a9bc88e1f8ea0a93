r"""The parser of formulas: TeX to tokens (`tokens`) to a syntax tree (`tree`), without any values.

The parser is a recursive descent; its methods are divided among `cursor` (tokens), `atoms`,
`expressions`, `ranges` (dots) and `grammar` (statements). `vaultkit.values` evaluates the tree.

The grammar, from the loosest binding to the tightest::

    statements  statement { ("," | ";" | "\quad" | "\\" | words) statement }
    statement   sum { "," sum } { relation sum }        W_Q, W_K \in \mathbb{R}^{n \times m}
    sum         [sign] term { sign term }
    term        product { (\cdot | \times | \odot | / | \div) product }
    product     factor { factor }                        side by side
    factor      \sum_{j=1}^{n} term | \max_j term | \exp argument
                | atom { _ index | ^ exponent | ' }
    argument    "(" sum ")" | factor { factor }          up to the next function or bracket
    atom        number | symbol | (…) | […] | \{…\} | |…| | \lVert … \rVert | \frac{…}{…}
                | \sqrt{…} | matrix | cases | atom "(" sum { "," sum } ")"

A function without brackets takes the factors beside it: ``\exp 2 x`` is exp(2x), and so is
``\exp{2} x``, since readers of the page see no braces.

A symbol is a Python name: ``d_{\text{model}}`` is ``d_model``, ``\alpha`` is ``alpha``.
"""

from vaultkit.tex.grammar import parse, parse_expression

__all__ = ["parse", "parse_expression"]
