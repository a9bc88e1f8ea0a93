"""Patterns of digits that name something: years, versions, sections, files.

In a piece of text (`Prose`), matches of `NAMING` are not numbers. Each has examples, which a test
tries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from vaultkit.read.prose import LINK, NAME

_DIGIT = re.compile(r"\d")
#: 1950 to 2039; and *2014–2017*, *2014 and 2017*.
_YEAR = r"(?:19[5-9]\d|20[0-3]\d)"
_YEARS = rf"{_YEAR}(?:\s?[-–]\s?{_YEAR}|\s(?:and|to)\s{_YEAR})?"
#: A plural after a number: then it counts, whatever precedes it.
_MANY = r"(?!(?:has|was|is|its|this|as|does|uses|shows|gives|makes|says|states)\b)[a-z]+s\b"
#: The number of a section or figure: *12*, *3.4*, *2a*; and several: *3.4 and 3.5*, *24–31*.
_LABEL = r"[1-9]\d{0,2}(?:\.[1-9]\d?){0,2}[a-z]?"
_LABELS = (
    rf"{_LABEL}(?:(?:\s?[-–,]\s?|,? (?:and|or|to) ){_LABEL})*(?![\d.]*\d)(?!\s?(?:%|×|times\b))"
)
#: A version: *2.4*, *0.10.3*; and several: *3.11–3.14*.
_VERSION = r"(?:[1-9]\d?|0)(?:\.(?:0|[1-9]\d?)){1,3}"
_VERSIONS = rf"{_VERSION}(?:(?:\s?[-–,]\s?|,? (?:and|or|to) ){_VERSION})*(?![\d.]*\d)(?!\s?(?:%|×))"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)


@dataclass(frozen=True)
class Naming:
    """A pattern of digits that name something: those in its groups, or else the whole match.

    ``what`` is what they are, such as *a year*; ``names`` are examples; ``counts`` are similar
    texts that do contain a number.
    """

    what: str
    pattern: re.Pattern[str]
    names: tuple[str, ...]
    counts: tuple[str, ...] = ()


def _naming(what: str, pattern: str, *names: str, counts: tuple[str, ...] = ()) -> Naming:
    return Naming(what, re.compile(pattern), names, counts)


#: The number of patterns, the first ones, that also match text without digits.
_WITHOUT_DIGITS = 3
#: All patterns, in the order in which they are tried.
NAMING = (
    _naming(
        "an address",
        r"\bhttps?://\S+|\bwww\.\S+|(?<![\w.+-])[\w.+-]+@[\w-]+\.\w[\w.-]*"
        r"|\b(?<!-)(?<!\w\.)(?:[\w-]+\.)+(?:org|com|io|dev|net|edu|ai)\b(?:/[^\s)\]]*)?",
        "https://example.org/10.25",
        "arxiv.org/abs/1706.03762",
        "mail@example12.org",
    ),
    _naming(
        "a file or a path",
        # Possessive, so that the text up to the first letter is not searched again.
        r"(?<![\w./-])(?:[.-]|[^\WA-Za-z_])*+[A-Za-z_/][\w./-]*"
        r"\.(?:py|md|svg|png|jpe?g|txt|json|toml|ya?ml|ipynb|html|js|css|pdf|npz?|csv|bin)\b(?:::?[\w:.]+)?",
        "snippets/v12.py",
        "figure-12.svg",
        "note10.md:14",
        counts=("12/13.5",),
    ),
    _naming(
        "an identifier of a text",
        r"(?i:\barxiv[: ]\s?|\bdoi[: ]\s?)(?P<n>[\w./-]*\w)|\b10\.\d{4,}/\S*\w"
        r"|(?i:\bisbn(?:-1[03])?:?\s)(?P<m>[\dX–-]+)|\b(?:RFC|ISO|IEEE|PEP|BWV|ECMA)[ -](?P<o>\d+)",
        "arXiv 1706.03762",
        "arXiv:1607.06450v1",
        "doi 10.1145/12.34",
        "ISBN 978-1-63343-716-6",
        "RFC 2119",
        "IEEE 754",
        counts=("arXiv holds 2.25 million",),
    ),
    _naming(
        "a date",
        rf"\b\d{{4}}-\d{{2}}(?:-\d{{2}})?\b|\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?)?{_MONTH}\s"
        rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\b(?!\.\d))?(?:,?\s?{_YEAR}\b)?"
        r"|\b(?:1[5-9]|20)\d0s\b|\b(?:1\d|2[01])(?:th|st)[ -]century"
        r"|\b[012]?\d:[0-5]\d(?::[0-5]\d)?\b",
        "2026-11-21",
        "12 June 2017",
        "June 12, 2017",
        "November 2026",
        "the 1990s",
        "the 20th century",
        "at 10:30",
        counts=("May 0.25 be", "12.5 of June"),
    ),
    _naming(
        "a year",
        rf"(?<=\()(?P<n>{_YEAR}[a-z]?)(?=[),;:])"
        rf"|(?:\b[A-Za-z][\w-]{{0,60}}{LINK}?,|[)\]\"”’{LINK}],?)\s(?P<o>{_YEAR}[a-z]?)(?=[.,;:)\]|]|\s\(|\s*$)"
        rf"|\b(?:et al\.?|and others),?{LINK}?[)\]]?\s\(?(?P<m>{_YEAR}[a-z]?)\b(?!\.\d)"
        rf"|\b[A-Z][\w’'-]*,?\s\(?(?P<q>{_YEAR}[a-z]?)\b(?!\.\d)(?!\s?(?:%|×|{_MANY}))"
        rf"|\b(?:[Ii]n|[Oo]f|[Ff]rom|early|late|mid)[\s-](?P<p>{_YEARS})\b(?!\.\d)(?![-/])"
        rf"(?!\s?(?:%|×|{_MANY}|\w+ {_MANY}))"
        rf"|\b(?:[Ss]ince|[Bb]y|[Uu]ntil|[Bb]efore|[Aa]fter|than)\s(?P<r>{_YEARS})\b(?!\.\d)(?![-/])"
        rf"(?!\s?(?:%|×|{_MANY}))|©\s?(?P<s>{_YEAR})",
        "(2017)",
        "Vaswani et al. (2017)",
        "Vaswani et al., 2017",
        "NeurIPS 2017",
        "Raschka, 2024",
        "in 2017, it",
        "the paper of 2017 has",
        "since 2020",
        "since 2021 turn queries",
        "by Vaswani and others, 2017.",
        "(the repository, 2018)",
        "between the papers of 2014 and 2017",
        counts=(
            "in 2000 trials",
            "of 2017 tokens",
            "of 2048",
            "2017",
            "in 2000 random pairs",
            "it is 2017.",
        ),
    ),
    _naming(
        "a version",
        r"\b(?:NumPy|SciPy|Python|CPython|PyTorch|TensorFlow|JAX|ONNX|MkDocs|Material for MkDocs|"
        r"Material|Pyodide|Obsidian|Jupyter|pandas|Matplotlib|nbformat|Unicode|CommonMark|KaTeX|"
        r"MathJax|Transformers|CUDA|Ubuntu|Debian|[Vv]ersions?|[Rr]elease)(?:\s(?:≥|>=|from|since))?\s?"
        rf"(?P<n>{_VERSIONS})|\bv(?P<m>\d+(?:\.\d+)*)\b"
        rf"|\b(?:CC[ -]BY(?:-[A-Z]{{2}})*|Apache(?: Licen[cs]e)?(?:,? Version)?|L?GPL)"
        r"[ -]?v?(?P<o>\d\.\d)"
        r"|(?<![\w.])(?P<p>\d+(?:\.\d+){2,})(?![\w])",
        "NumPy 2.4",
        "NumPy 2.0 to 2.4",
        "Python 3.11–3.14",
        "version 1.5.2",
        "v0.12",
        "CC BY 4.0",
        "Apache 2.0",
        "it is 1.2.3 now",
        counts=("NumPy 0.8231", "Material 0.25 %", "NumPy 2.0315", "NumPy gives 2.4"),
    ),
    _naming(
        "a part of a text",
        r"(?:\b(?i:sections?|chapters?|chs?\.|equations?|eqs?\.|exercises?|footnotes?|pages?|appendix|"
        r"lines?|theorem|lemma|lectures?|pp?\.)\s|§{1,2}\s?|\b(?:Figures?|Figs?\.|Tables?|Listings?|"
        rf"Algorithms?|Definitions?|Volumes?|Vol\.|No\.|Parts?)\s)\(?(?P<n>{_LABELS})(?!\s?(?:%|×|\w+s\b))",
        "section 3.4",
        "Sections 3.4 and 3.5",
        "§ 4.2",
        "Table 12",
        "Figure 3.14",
        "equation (12)",
        "pages 24–31",
        "line 28",
        counts=(
            "the table 1.85",
            "section 0.25",
            "Table 0.5",
            "the figure 3.14",
            "lines 12 tokens",
        ),
    ),
    _naming(
        "a number of a list",
        r"\b0\d+-\d+[a-z]?\b|(?<!\d[ ,\u00a0\u202f\u2009])(?<![\w.])00\d\b(?!\.\d)|#(?P<n>\d+)\b"
        r"|\b(?i:issues?|pull requests?|PR|tickets?)\s#?(?P<m>\d+)\b(?!\.\d)",
        "#141128",
        "004-10",
        "document 001",
        "issue 12345",
        counts=("# 0.25", "issues 12.5", "20 000", "024"),
    ),
    _naming(
        "a name",
        r"\b(?=[\w-]{0,60}[A-Z])[A-Za-z]\w{0,60}(?:-\w{1,60}){0,8}-\d[\w.]*\b"
        r"|\b(?:8|16|32|64|128|256)[- ]?bits?\b",
        "GPT-2",
        "GPT-3.5",
        "SHA-256",
        "MiniLM-L12-v2",
        "16-bit",
        counts=("12-dimensional", "top-10", "about-0.5", "96-token"),
    ),
)


@lru_cache(1 << 8)  # several checks read a text
def mask_names(text: str) -> str:
    """Return a text of the same length with a mark for each character that only names something.

    >>> mask_names("In 2017, 12 of 2048").replace(NAME, "#")
    'In ####, 12 of 2048'
    """
    for naming in NAMING if _DIGIT.search(text) else NAMING[:_WITHOUT_DIGITS]:
        for match in list(naming.pattern.finditer(text)):  # in the text before it changes
            groups = [match.span(name) for name, value in match.groupdict().items() if value]
            for start, end in groups or [match.span()]:
                text = text[:start] + NAME * (end - start) + text[end:]
    return text
