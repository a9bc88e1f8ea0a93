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
  | (?P<number>\d+(?:(?:\{,\}|\\,)\d{3}(?!\d))+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
  | (?P<raised>[\u2070\u00b9\u00b2\u00b3\u2074-\u207f\u1d40\u02e3]+)
  | (?P<lowered>[\u2080-\u208e\u2090-\u209c\u1d62-\u1d65\u2c7c]+)
  | (?P<command>\\(?:[A-Za-z]+\*?|.))
  | (?P<char>:=|.)
    """,
    re.VERBOSE | re.DOTALL,
)

_QUANTITY = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_POWER = re.compile(r"[eE]\+?(-?\d+)$")

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
SEPARATORS = {",", ";", r"\quad", r"\qquad", r"\\"}
OPEN = {"(": ")", "[": "]", r"\{": r"\}", "{": "}", r"\langle": r"\rangle", r"\lbrace": r"\rbrace",
        r"\lfloor": r"\rfloor", r"\lceil": r"\rceil", r"\lbrack": r"\rbrack"}  # fmt: skip
BARS = {"|": "|", r"\lvert": r"\rvert", r"\vert": r"\vert"}
DOUBLE_BARS = {r"\|": r"\|", r"\lVert": r"\rVert", r"\Vert": r"\Vert"}
REDUCTIONS = {r"\sum": "sum", r"\prod": "prod", r"\max": "max", r"\min": "min",
              r"\argmax": "argmax", r"\argmin": "argmin"}  # fmt: skip
#: Functions with a TeX command, and words that need no brackets, either.
FUNCTIONS = {r"\exp", r"\log", r"\ln", r"\lg", r"\sin", r"\cos", r"\tan", r"\tanh", r"\sinh",
             r"\cosh", r"\arccos", r"\arcsin", r"\arctan", r"\det"}  # fmt: skip
PREFIXES = {"tr", "rank", "det", "diag", "sgn", "Tr"}
#: Words for functions that also have a TeX command.
OPERATOR_WORDS = {"argmax": r"\argmax", "argmin": r"\argmin", "arg,max": r"\argmax",
                  "arg,min": r"\argmin", "max": r"\max", "min": r"\min"}  # fmt: skip
ACCENTS = {r"\hat": "_hat", r"\widehat": "_hat", r"\bar": "_bar", r"\overline": "_bar",
           r"\tilde": "_tilde", r"\widetilde": "_tilde", r"\vec": "", r"\dot": "_dot",
           r"\check": "_check", r"\breve": "_breve", r"\ddot": "_ddot"}  # fmt: skip
FONTS = {r"\text", r"\boldsymbol", r"\bm", r"\pmb", r"\mathbf", r"\mathrm", r"\mathit", r"\mathsf",
         r"\mathcal", r"\mathtt", r"\mathfrak", r"\mathscr"}  # fmt: skip
OPERATORS = {r"\cdot": r"\cdot", "*": "*", r"\ast": "*", r"\times": r"\times", r"\odot": r"\odot",
             r"\circ": r"\odot", "/": "/", r"\div": "/", r"\otimes": r"\otimes",
             r"\bmod": "mod", r"\mod": "mod"}  # fmt: skip
DOTS = {r"\dots", r"\ldots", r"\cdots", r"\vdots", r"\ddots", r"\dotsc", r"\dotsb"}
TOPS = {r"\top", "T", r"\intercal", r"\mathsf{T}"}
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
    r"\lbrack": "[", r"\rbrack": "]", r"\Vert": r"\|", r"\vert": "|", r"\land": r"\text{and}",
    r"\wedge": r"\text{and}", r"\owns": r"\ni", r"\mathsf{T}": r"\top", r"\cfrac": r"\frac",
    r"\colon": ":", r"\dotsc": r"\dots", r"\dotsb": r"\dots", r"\ldots": r"\dots",
    r"\cdots": r"\dots", r"\vdots": r"\dots", r"\ddots": r"\dots",
    **dict(zip("αβγδεζηθικλμνξπρστυφχψω", [f"\\{n}" for n in _GREEK.split()[:24]
                                          if n != "omicron"], strict=True)),
    "ϵ": r"\epsilon", "ϕ": r"\phi", "ϑ": r"\theta", "µ": r"\mu",
    **dict(zip("ΓΔΘΛΞΠΣΥΦΨΩ", [f"\\{n}" for n in _GREEK.split()[-11:]], strict=True)),
}  # fmt: skip
_KNOWN = {
    *RELATIONS, *UNJUDGED, *IMPLIES, *SEPARATORS, *OPEN, *OPEN.values(), *BARS, *BARS.values(),
    *DOUBLE_BARS, *DOUBLE_BARS.values(), *REDUCTIONS, *FUNCTIONS, *ACCENTS, *FONTS, *OPERATORS,
    *DOTS, *NAMES, *_OTHERS,
}  # fmt: skip
# Environments in which & separates columns. In aligned rows, the first & only aligns; the second
# one separates adjacent statements, unless a relation or sign continues the first.
_CONTINUES = re.compile(
    r"\s*(?:[=<>+\-&≤≥≈≠]|\\(?:approx|le|ge|ne|lt|gt|leq|geq|neq|in)(?![A-Za-z]))"
)
_COLUMNS = re.compile(r"\{(?:(?:[pbvBV]|small)?matrix|d?cases|array)\}")


@dataclass(frozen=True)
class Token:
    """A token: its kind (number, command, text, char), its text and its span."""

    kind: str
    text: str
    start: int = 0
    end: int = 0


def tokenize(tex: str) -> list[Token]:
    """Split TeX into tokens.

    Raises
    ------
    TexError
        If a command is not known, or the formula is too long.
    """
    if len(tex) > LONGEST:
        raise TexError(f"a formula of {len(tex)} characters; at most {LONGEST} are read")
    tokens: list[Token] = []
    depth = columns = 0
    for match in _TOKEN.finditer(tex):
        kind, text = str(match.lastgroup), match[0]
        start, end = match.span()
        if kind == "space":
            continue
        if text == "&" and not depth:
            columns += 1
            if columns % 2 or _CONTINUES.match(tex, end):
                continue
            kind, text = "command", r"\quad"
        if text in (r"\begin", r"\end") and _COLUMNS.match(tex, end):
            depth += 1 if text == r"\begin" else -1
        elif text in (r"\begin", r"\end", r"\\") and not depth:
            columns = 0
        if kind == "chemistry" and match["package"] == "pu":
            inner = _tokenize_quantity(match["inner"])
            tokens += [replace(token, start=start, end=end) for token in inner]
            continue
        if kind == "chemistry" and re.search(r"\s|->|<|=", match["inner"].strip()):
            continue  # a reaction states nothing about numbers
        if kind in ("text", "words", "chemistry"):
            # A substance is part of a name: the mass m_{\ce{H2O}} is m_H2O in code.
            words = match["words"] or re.sub(r"\W", "", match["inner"] or "")
            kind, text = "text", words
            if not text.strip():
                continue  # an empty token would look like the end
            if match[0].startswith(r"\operatorname"):
                word = re.sub(r"\\|\s", "", text)
                if word in OPERATOR_WORDS:
                    kind, text = "command", OPERATOR_WORDS[word]
        elif kind == "number":
            text = text.replace("{,}", "").replace(r"\,", "")
            if len(text) > MOST_DIGITS:
                raise TexError(f"a number of {len(text)} digits; at most {MOST_DIGITS} are read")
        elif kind in ("raised", "lowered"):
            inner = _tokenize_script(text, "^" if kind == "raised" else "_")
            tokens += [replace(token, start=start, end=end) for token in inner]
            continue
        if text in _SPELLINGS and kind != "text":
            text = _SPELLINGS[text]
            kind = "command" if text.startswith("\\") and len(text) > 1 else "char"
            if text.startswith(r"\text{"):
                kind, text = "text", text[6:-1]
        if kind == "command" and text not in _KNOWN:
            raise TexError(f"the command {text} is not known", start, end)
        tokens.append(Token(kind, text, start, end))
        if len(tokens) > MOST_TOKENS:
            raise TexError(f"a formula of more than {MOST_TOKENS} signs")
    return tokens


def _tokenize_quantity(quantity: str) -> list[Token]:
    r"""Split the number of a quantity into tokens; its unit is left out, as in code.

    >>> [token.text for token in _tokenize_quantity("1.5e-3 kg")]
    ['1.5', '\\times', '10', '^', '{', '-', '3', '}']
    """
    number = _QUANTITY.match(quantity)
    return tokenize(_POWER.sub(r"\\times 10^{\1}", number[0])) if number else []


def _tokenize_script(text: str, mark: str) -> list[Token]:
    r"""Split superscripts or subscripts of Unicode into tokens, as in ℝ², x₁ and Kᵀ.

    >>> [token.text for token in _tokenize_script("²ˣ³", "^")]
    ['^', '{', '2', '\\times', '3', '}']
    """
    plain = unicodedata.normalize("NFKC", text)
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
        run = tokens[at : _end_of_run(tokens, at)]
        up_to_underscore = next((n for n, t in enumerate(run) if t.text == "_"), len(run))
        for size in (len(run), up_to_underscore):
            name = "".join(token.text for token in run[:size])
            # x_1 and x_{ab} are read as an index, which may be part of a name.
            has_index = "_" in name and len(name.partition("_")[2]) < 2
            if len(name) > 1 and name in names and not has_index:
                run = [Token("name", name, run[0].start, run[size - 1].end)]
                at += size - 1
                break
        else:
            at += max(0, len(run) - 1)
        joined += run or tokens[at : at + 1]
        at += 1
    return joined


def _end_of_run(tokens: Sequence[Token], at: int) -> int:
    """Return where a run of letters, digits and underscores ends that begins at an index.

    It is the index itself if no letter is there.
    """
    # TeX takes one letter as an exponent or index: x^TP is x^T P.
    is_script = at > 0 and tokens[at - 1].text in ("^", "_")
    is_at_letter = tokens[at].kind == "char" and _is_letter(tokens[at].text)
    if is_script or not is_at_letter:
        return at
    end = at + 1
    while end < len(tokens) and tokens[end].start == tokens[end - 1].end:
        text = tokens[end].text
        if not (_is_letter(text) or text == "_" or text.isdigit()):
            break
        end += 1
    return end


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text.isascii() and text.isalpha()


def python_name(words: str) -> str:
    """Return words as a Python name.

    >>> python_name("scaled scores"), python_name("lambda")
    ('scaled_scores', 'lambda_')
    """
    name = re.sub(r"\\[_ ]|[\s\-]+", "_", words.strip())
    name = re.sub(r"\W", "", name)
    return name + "_" if keyword.iskeyword(name) else name
