r"""The lexer: TeX to tokens.

Synonyms are normalised: ``≤``, ``\le`` and ``\leq`` are one token, as are ``α`` and
``\alpha``. Commands that affect only the layout (``\left``, ``\,``, ``\displaystyle``, ``\tag{1}``)
are dropped; an unknown command is an error.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from vaultkit.tex.tree import TexError

#: Most characters and tokens of a formula, and most digits of a number.
LONGEST, MOST_TOKENS, MOST_DIGITS = 20_000, 2_000, 60

#: A token, or what is between two tokens (``space``): blanks, comments, and what affects only the
#: layout; a commutative diagram states nothing either. ``text`` is a font or operator with its
#: words, ``\mathbf{W}``; ``chemistry`` a substance or reaction, ``\ce{H2O}``, or a quantity,
#: ``\pu{3 m}``; ``raised`` and ``lowered`` are Unicode's superscripts and subscripts.
_TOKEN = re.compile(
    r"""
    (?P<space>\s+|~|\\begin\{CD\}(?:(?!\\begin\{CD\}).)*?\\end\{CD\}|(?<!\\)%[^\n]*
        |\\[,;:!\ >]
        |\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle
        |limits|nolimits|middle|mathstrut|nonumber|notag|hphantom\{[^{}]*\}|vphantom\{[^{}]*\}
        |mathrel|mathbin|mathop|allowbreak|thinspace|enspace|hspace\{[^{}]*\}|vspace\{[^{}]*\}
        |smash|hfill|label\s*\{[^{}]*\}|tag\*?\s*\{[^{}]*\}|rm|bf|it)(?![A-Za-z]))
  | (?P<text>\\(?:text|textrm|textit|textbf|texttt|textsf|mathrm|mathit|mathbf|mathsf|mathcal
        |mathtt|mathfrak|mathscr|boldsymbol|bm|pmb|operatorname\*?)
        \s*\{(?P<words>(?:[^{}\\$]|\\[_\ \-&%,;])*)\})
  | (?P<chemistry>\\(?P<package>ce|pu)\s*
        \{(?P<inner>(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\})
  | (?P<number>[0-9]+(?:(?:\{,\}|\\,)[0-9]{3}(?![0-9]))+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?
        |\.[0-9]+)
  | (?P<raised>[\u2070\u00b9\u00b2\u00b3\u2074-\u207f\u1d40\u02e3]+)
  | (?P<lowered>[\u2080-\u208e\u2090-\u209c\u1d62-\u1d65\u2c7c]+)
  | (?P<command>\\(?:[A-Za-z]+\*?|.))
  | (?P<char>:=|.)
    """,
    re.VERBOSE | re.DOTALL,
)

#: The number of a quantity, ``-1.5e-3``, and its power of ten, ``e-3``.
_QUANTITY = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_POWER = re.compile(r"[eE]\+?(?P<exponent>-?\d+)$")
#: What makes the content of ``\ce{…}`` a reaction, and no substance: ``2 H2 + O2 -> 2 H2O``.
_REACTION = re.compile(r"\s|->|<|=")

#: The relations that are judged.
RELATIONS = {
    "=": "=", ":=": "=", r"\coloneqq": "=", r"\equiv": "=", r"\triangleq": "=", r"\doteq": "=",
    r"\approx": "≈", r"\simeq": "≈", r"\approxeq": "≈", r"\ne": "≠", r"\neq": "≠",
    "<": "<", r"\lt": "<", ">": ">", r"\gt": ">",
    r"\le": "≤", r"\leq": "≤", r"\leqslant": "≤", r"\leqq": "≤",
    r"\ge": "≥", r"\geq": "≥", r"\geqslant": "≥", r"\geqq": "≥",
    r"\in": "∈", r"\notin": "∉", r"\ll": "≪", r"\gg": "≫",
}  # fmt: skip
#: Relations that may be mentioned alone, but not used in a statement.
UNJUDGED = {
    r"\propto", r"\sim", r"\cong", r"\lesssim", r"\gtrsim", r"\to", r"\rightarrow", r"\gets",
    r"\leftarrow", r"\mapsto", r"\longrightarrow", r"\longmapsto", r"\leftrightarrow", r"\subset",
    r"\subseteq", r"\supset", r"\supseteq", r"\nsubseteq", r"\ni", r"\perp", r"\bot", r"\parallel",
    r"\iff", r"\Leftrightarrow", r"\Longleftrightarrow", r"\asymp", r"\prec", r"\succ", r"\preceq",
    r"\succeq", r"\models", r"\vdash", r"\sqsubseteq", r"\xrightarrow", r"\xleftarrow", r"\not",
    r"\nmid", r"\Leftarrow", r"\uparrow", r"\downarrow", r"\Vdash", r"\bowtie", r"\lll", r"\ggg",
    r"\nless", r"\ngtr", r"\nleq", r"\ngeq", r"\ncong", r"\nsim", r"\propeq", r"\longleftarrow",
    r"\rightsquigarrow", r"\leadsto", r"\hookrightarrow", r"\rightleftharpoons", r"\between",
    r"\lessapprox", r"\gtrapprox", r"\backsim", r"\thicksim", r"\smile", r"\frown", r"\dashv",
    r"\risingdotseq", r"\fallingdotseq", r"\bumpeq", r"\eqcirc", r"\circeq", r"\vartriangleleft",
    r"\ntriangleleft", r"\subsetneq", r"\supsetneq", r"\nparallel", r"\mid",
}  # fmt: skip
#: Relations that make the statement before them the condition of the one after them.
IMPLIES = {r"\implies", r"\Rightarrow", r"\Longrightarrow"}
#: Signs between statements.
SEPARATORS = {",", ";", r"\quad", r"\qquad", r"\\"}
#: Opening brackets with their closing ones.
OPEN = {"(": ")", "[": "]", r"\{": r"\}", "{": "}", r"\langle": r"\rangle", r"\lbrace": r"\rbrace",
        r"\lfloor": r"\rfloor", r"\lceil": r"\rceil", r"\lbrack": r"\rbrack"}  # fmt: skip
BARS = {"|": "|", r"\lvert": r"\rvert", r"\vert": r"\vert"}
DOUBLE_BARS = {r"\|": r"\|", r"\lVert": r"\rVert", r"\Vert": r"\Vert"}
REDUCTIONS = {r"\sum": "sum", r"\prod": "prod", r"\max": "max", r"\min": "min",
              r"\argmax": "argmax", r"\argmin": "argmin"}  # fmt: skip
#: Functions with a TeX command, which need no brackets: ``\exp x``.
FUNCTIONS = {r"\exp", r"\log", r"\ln", r"\lg", r"\sin", r"\cos", r"\tan", r"\tanh", r"\sinh",
             r"\cosh", r"\arccos", r"\arcsin", r"\arctan", r"\det"}  # fmt: skip
#: Words for functions that need no brackets, either: ``\operatorname{tr} A``.
PREFIXES = {"tr", "rank", "det", "diag", "sgn", "Tr"}
#: Words for functions that also have a TeX command.
OPERATOR_WORDS = {"argmax": r"\argmax", "argmin": r"\argmin", "arg,max": r"\argmax",
                  "arg,min": r"\argmin", "max": r"\max", "min": r"\min"}  # fmt: skip
#: Accents, and how a name with each of them is spelled in Python: ``\hat{y}`` is ``y_hat``.
ACCENTS = {r"\hat": "_hat", r"\widehat": "_hat", r"\bar": "_bar", r"\overline": "_bar",
           r"\tilde": "_tilde", r"\widetilde": "_tilde", r"\vec": "", r"\dot": "_dot",
           r"\check": "_check", r"\breve": "_breve", r"\ddot": "_ddot"}  # fmt: skip
FONTS = {r"\text", r"\boldsymbol", r"\bm", r"\pmb", r"\mathbf", r"\mathrm", r"\mathit", r"\mathsf",
         r"\mathcal", r"\mathtt", r"\mathfrak", r"\mathscr"}  # fmt: skip
#: Signs between factors, and their names in `Product.op`.
OPERATORS = {r"\cdot": r"\cdot", "*": "*", r"\ast": "*", r"\times": r"\times", r"\odot": r"\odot",
             r"\circ": r"\odot", "/": "/", r"\div": "/", r"\otimes": r"\otimes",
             r"\bmod": "mod", r"\mod": "mod"}  # fmt: skip
DOTS = {r"\dots", r"\ldots", r"\cdots", r"\vdots", r"\ddots", r"\dotsc", r"\dotsb"}
#: Exponents that transpose.
TOPS = {r"\top", "T", r"\intercal"}
#: Exponents that mark a name.
PRIMES = {r"\prime", "*", r"\ast", r"\star", "'", "+", r"\dagger"}
_GREEK = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho
    sigma tau upsilon phi chi psi omega varepsilon vartheta varpi varrho varsigma varphi
    Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"""
#: Commands that are names or numbers.
NAMES = {f"\\{name}" for name in _GREEK.split()} | {r"\ell", r"\infty", r"\hbar", r"\imath",
                                                   r"\jmath", r"\top", r"\bot"}  # fmt: skip
#: Other commands of the grammar.
_OTHERS = {
    r"\frac", r"\dfrac", r"\tfrac", r"\sqrt", r"\mathbb", r"\begin", r"\end", r"\partial",
    r"\nabla", r"\arg", r"\binom", r"\dbinom", r"\tbinom", r"\underbrace", r"\overbrace", r"\%",
    r"\pm", r"\mp", r"\forall", r"\prime", r"\star", r"\_", r"\underset", r"\overset",
    r"\stackrel", r"\dagger", r"\cfrac", r"\land", r"\wedge", r"\colon", r"\setminus", r"\cup",
    r"\cap", r"\emptyset", r"\intercal", r"\varnothing", r"\oplus", r"\int", r"\lim", r"\pmod",
}  # fmt: skip
#: Commands that may be mentioned alone, but are not part of the grammar.
SPOKEN = {r"\pm", r"\mp", r"\oplus", r"\cup", r"\cap", r"\setminus", r"\emptyset", r"\varnothing",
          r"\forall", r"\nabla", r"\int", r"\lim", r"\partial"}  # fmt: skip

#: The spelling that replaces other ones in Unicode and TeX.
_SPELLINGS = {
    "≤": r"\le", "≦": r"\le", "⩽": r"\le", "≥": r"\ge", "≧": r"\ge", "⩾": r"\ge", "≠": r"\ne",
    "≈": r"\approx", "≃": r"\approx", "∈": r"\in", "∉": r"\notin", "≪": r"\ll", "≫": r"\gg",
    "≔": ":=", "≜": r"\triangleq", "≡": r"\equiv", "≐": r"\doteq", "∝": r"\propto", "∼": r"\sim",
    "≅": r"\cong", "≲": r"\lesssim", "≳": r"\gtrsim", "→": r"\to", "⟶": r"\to", "←": r"\gets",
    "↦": r"\mapsto", "⊥": r"\perp", "∥": r"\parallel", "⊂": r"\subset", "⊆": r"\subseteq",
    "⊃": r"\supset", "⊇": r"\supseteq", "∋": r"\ni", "⟹": r"\implies", "⇒": r"\implies",
    "⟺": r"\iff", "⇔": r"\iff", "↔": r"\leftrightarrow", "≍": r"\asymp", "⇐": r"\Leftarrow",
    "−": "-", "–": "-", "·": r"\cdot", "⋅": r"\cdot", "×": r"\times", "⊙": r"\odot", "∘": r"\circ",
    "⊗": r"\otimes", "÷": r"\div", "±": r"\pm", "…": r"\dots", "⋯": r"\dots", "∞": r"\infty",
    "⊤": r"\top", "∑": r"\sum", "∏": r"\prod", "∂": r"\partial", "√": r"\sqrt", "‖": r"\|",
    "∀": r"\forall", "′": "'", "∇": r"\nabla", "⟨": r"\langle", "⟩": r"\rangle", "⌊": r"\lfloor",
    "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil", "ℓ": r"\ell",
    r"\leq": r"\le", r"\geq": r"\ge", r"\neq": r"\ne", r"\lbrace": r"\{", r"\rbrace": r"\}",
    r"\lbrack": "[", r"\rbrack": "]", r"\Vert": r"\|", r"\vert": "|",
    # \land is the word *and*, and 𝟏 the vector of ones, as in \mathbf{1}.
    r"\land": r"\text{and}", r"\wedge": r"\text{and}", "𝟏": r"\text{1}", "𝟙": r"\text{1}",
    r"\owns": r"\ni", r"\cfrac": r"\frac",
    r"\colon": ":", r"\dotsc": r"\dots", r"\dotsb": r"\dots", r"\ldots": r"\dots",
    r"\cdots": r"\dots", r"\vdots": r"\dots", r"\ddots": r"\dots",
    **dict(zip("αβγδεζηθικλμνξπρστυφχψω", [f"\\{n}" for n in _GREEK.split()[:24]
                                          if n != "omicron"], strict=True)),
    "ϵ": r"\epsilon", "ϕ": r"\phi", "ϑ": r"\theta", "µ": r"\mu",
    **dict(zip("ΓΔΘΛΞΠΣΥΦΨΩ", [f"\\{n}" for n in _GREEK.split()[-11:]], strict=True)),
}  # fmt: skip
#: All commands that are read.
_KNOWN = {
    *RELATIONS, *UNJUDGED, *IMPLIES, *SEPARATORS, *OPEN, *OPEN.values(), *BARS, *BARS.values(),
    *DOUBLE_BARS, *DOUBLE_BARS.values(), *REDUCTIONS, *FUNCTIONS, *ACCENTS, *FONTS, *OPERATORS,
    *DOTS, *NAMES, *_OTHERS,
}  # fmt: skip
#: What continues the statement before a ``&`` in aligned rows: a relation or sign.
_CONTINUES = re.compile(
    r"\s*(?:[=<>+\-&≤≥≈≠]|\\(?:approx|le|ge|ne|lt|gt|leq|geq|neq|in)(?![A-Za-z]))"
)
#: Environments in which ``&`` separates columns.
_COLUMNS = re.compile(r"\{(?:(?:[pbvBV]|small)?matrix|d?cases|array)\}")


@dataclass(frozen=True)
class Token:
    r"""A token: its kind, its text and its span in the TeX.

    The kind is ``number``, ``command`` (``\frac``), ``text`` (the words of ``\text{…}``), ``char``
    (any other sign) or ``name`` (several letters that `with_names` has joined).
    """

    kind: str
    text: str
    start: int = 0
    end: int = 0


def tokenize(tex: str) -> list[Token]:
    r"""Split TeX into tokens.

    In aligned rows, the first ``&`` only aligns, and the second one separates adjacent statements,
    as ``\quad`` does, unless a relation or sign continues the first.

    >>> [token.text for token in tokenize(r"a &\leq b & c &= \text{mean age}")]
    ['a', '\\le', 'b', '\\quad', 'c', '=', 'mean age']

    Raises
    ------
    TexError
        If a command is not known, or the formula is too long.
    """
    if len(tex) > LONGEST:
        raise TexError(f"a formula of {len(tex)} characters; at most {LONGEST} are read")
    tokens: list[Token] = []
    matrices = 0  # that are open
    ampersands = 0  # in this row, outside matrices
    for match in _TOKEN.finditer(tex):
        text = match[0]
        is_environment = text in (r"\begin", r"\end")
        if is_environment and _COLUMNS.match(tex, match.end()):
            matrices += 1 if text == r"\begin" else -1
        elif (is_environment or text == r"\\") and not matrices:
            ampersands = 0
        if text == "&" and not matrices:
            ampersands += 1
            if ampersands % 2 == 0 and not _CONTINUES.match(tex, match.end()):
                tokens.append(Token("command", r"\quad", *match.span()))
        elif match.lastgroup != "space":
            tokens += _tokens_of(match)
        if len(tokens) > MOST_TOKENS:
            raise TexError(f"a formula of more than {MOST_TOKENS} signs")
    return tokens


def _tokens_of(match: re.Match[str]) -> list[Token]:
    """Return the tokens of a match of `_TOKEN`; they all have its span."""
    kind, text = str(match.lastgroup), match[0]
    tokens: list[Token]
    match kind:
        case "raised" | "lowered":
            tokens = _tokenize_script(text, "^" if kind == "raised" else "_")
        case "chemistry" if match["package"] == "pu":
            tokens = _tokenize_quantity(match["inner"])
        case "chemistry" if _REACTION.search(match["inner"].strip()):
            tokens = []  # a reaction states nothing about numbers
        case "chemistry":
            # A substance is part of a name: the mass m_{\ce{H2O}} is m_H2O in code.
            tokens = [Token("text", re.sub(r"\W", "", match["inner"]))]
        case "text":
            word = re.sub(r"\\|\s", "", match["words"])
            # \operatorname{arg\,max} is \argmax.
            is_operator = text.startswith(r"\operatorname") and word in OPERATOR_WORDS
            operator = Token("command", OPERATOR_WORDS[word]) if is_operator else None
            tokens = [operator or Token("text", match["words"])]
        case "number":
            digits = text.replace("{,}", "").replace(r"\,", "")
            if len(digits) > MOST_DIGITS:
                raise TexError(f"a number of {len(digits)} digits; at most {MOST_DIGITS} are read")
            tokens = [Token("number", digits)]
        case _:
            tokens = [_sign(kind, text, *match.span())]
    # An empty token would look like the end.
    return [replace(t, start=match.start(), end=match.end()) for t in tokens if t.text.strip()]


def _sign(kind: str, text: str, start: int, end: int) -> Token:
    """Return the token of a command or character in its usual spelling.

    ``start`` and ``end`` are for the error only.
    """
    if text in _SPELLINGS:
        text = _SPELLINGS[text]
        if text.startswith(r"\text{"):
            return Token("text", text.removeprefix(r"\text{").removesuffix("}"))
        kind = "command" if text.startswith("\\") else "char"
    if kind == "command" and text not in _KNOWN:
        raise TexError(f"the command {text} is not known", start, end)
    return Token(kind, text)


def _tokenize_quantity(quantity: str) -> list[Token]:
    r"""Split the number of a quantity into tokens; its unit is left out, as in code.

    >>> [token.text for token in _tokenize_quantity("1.5e-3 kg")]
    ['1.5', '\\times', '10', '^', '{', '-', '3', '}']
    """
    number = _QUANTITY.match(quantity)
    return tokenize(_POWER.sub(r"\\times 10^{\g<exponent>}", number[0])) if number else []


def _tokenize_script(text: str, mark: str) -> list[Token]:
    r"""Split superscripts or subscripts of Unicode into tokens, as in ℝ², x₁ and Kᵀ.

    >>> [token.text for token in _tokenize_script("²ˣ³", "^")]
    ['^', '{', '2', '\\times', '3', '}']
    """
    plain = unicodedata.normalize("NFKC", text)
    # ˣ between digits or n is a product of lengths: ℝⁿˣ³. Of the raised letters that are read, ⁱ,
    # ⁿ, ᵀ and ˣ, only n is a length.
    inner = tokenize(re.sub(r"(?<=[\dn])x(?=[\dn])", r"\\times ", plain))
    return [Token("char", mark), Token("char", "{"), *inner, Token("char", "}")]


def with_names(tokens: list[Token], names: Collection[str]) -> list[Token]:
    """Join runs of letters that are names: ``TP`` is one name if the note binds it.

    A run may contain digits and an underscore: ``R1``, ``d_model``.

    >>> [t.text for t in with_names(tokenize("TP = 2 TN"), {"TP"})]
    ['TP', '=', '2', 'T', 'N']
    """
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        end = _end_of_run(tokens, at)
        if end == at:
            joined.append(tokens[at])
            at += 1
        elif size := _size_of_name(tokens[at:end], names):
            name = tokens[at : at + size]
            text = "".join(token.text for token in name)
            joined.append(Token("name", text, name[0].start, name[-1].end))
            at += size
        else:
            joined += tokens[at:end]
            at = end
    return joined


def _size_of_name(run: Sequence[Token], names: Collection[str]) -> int:
    """Return how many tokens of a run are one of the names: all, those before ``_``, or none.

    A single letter is a name anyway; and ``x_1`` is read as an index, which may be part of a name.
    """
    before_underscore = next((n for n, t in enumerate(run) if t.text == "_"), len(run))
    for size in (len(run), before_underscore):
        name = "".join(token.text for token in run[:size])
        has_short_index = "_" in name and len(name.partition("_")[2]) < 2
        if len(name) > 1 and name in names and not has_short_index:
            return size
    return 0


def _end_of_run(tokens: Sequence[Token], at: int) -> int:
    """Return where a run of letters, digits and underscores ends that begins at an index.

    It is the index itself if the token there is no letter, or an exponent or index.
    """
    # TeX takes one letter as an exponent or index: x^TP is x^T P.
    is_script = at > 0 and tokens[at - 1].text in ("^", "_")
    is_at_letter = tokens[at].kind == "char" and _is_letter(tokens[at].text)
    if is_script or not is_at_letter:
        return at
    end = at + 1
    while end < len(tokens) and tokens[end].start == tokens[end - 1].end:  # without a blank
        text = tokens[end].text
        if not (_is_letter(text) or text == "_" or text.isdigit()):
            break
        end += 1
    return end


def _is_letter(text: str) -> bool:
    """Return whether a text is one Latin letter."""
    return len(text) == 1 and text.isascii() and text.isalpha()


def python_name(words: str) -> str:
    """Return words as a Python name; the caller must check that it is one.

    >>> python_name("scaled scores"), python_name("lambda")
    ('scaled_scores', 'lambda_')
    """
    name = re.sub(r"\\[_ ]|[\s\-]+", "_", words.strip())
    name = re.sub(r"\W", "", name)
    return name + "_" if keyword.iskeyword(name) else name
