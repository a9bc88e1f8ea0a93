"""What is a number in running text, and what only names something.

In the string of a piece of text (`Prose`) whatever `NAMING` finds is no number; whatever `_NUMBER`
then finds is one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from vaultkit.claims.numerals import LARGE, NUMERAL, TENS, number_of
from vaultkit.claims.suppositions import is_supposed, supposing
from vaultkit.read.prose import CODE, END, LINK, NAME, Prose
from vaultkit.read.sentences import clause

_HIGH = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


@dataclass(frozen=True)
class Amount:
    """A number as it is stated.

    Attributes
    ----------
    value
        The number, with its sign.
    unit
        One in the last digit shown; 0 for a number that is exact as it stands.
    scales
        What a computed number may be multiplied by to be this one: 100 for a percentage.
    either_sign
        Whether the number stands for a size alone: ``±0.02``, ``fell by 0.5``.
    whole
        Whether it is an integer that is not rounded.
    over
        The denominator of a fraction.
    is_rough
        Whether it is a fraction in words, which comes near to a number.
    """

    value: Fraction
    unit: Fraction
    scales: tuple[Fraction, ...] = (Fraction(1),)
    either_sign: bool = False
    whole: bool = False
    over: Fraction | None = None
    is_rough: bool = False

    @cached_property
    def wanted(self) -> tuple[tuple[Fraction, float, Fraction], ...]:
        """What a computed number may be, also as the nearest float, and half a unit of it."""
        found = []
        for scale in self.scales:
            alike = scale == 1
            value, unit = (
                (self.value, self.unit) if alike else (self.value / scale, self.unit / scale)
            )
            found += [
                (v, as_float(v), unit / 2)
                for v in ((value, -value) if self.either_sign else (value,))
            ]
        return tuple(found)

    @cached_property
    def digits(self) -> int:
        """Count the digits that are stated: 2 in 12, and in 0.05."""
        if not self.unit:
            return 0
        return max(len(str(abs(self.value) // self.unit)), len(str(self.unit.denominator)) - 1)

    @property
    def decimals(self) -> int:
        """Count the decimals of a number that would be this one without its scale."""
        scale = max(self.scales)
        return len(str((scale / self.unit).numerator)) - 1 if self.unit else 0

    def changed(self) -> Iterator[Amount]:
        """Return the numbers in which one digit is another one."""
        if self.over:
            above = self.value * self.over
            for digit in range(10):
                if digit != abs(above) % 10:
                    changed = above - abs(above) % 10 + digit
                    yield replace(self, value=changed / self.over)
                below = self.over - self.over % 10 + digit
                if below and below != self.over:
                    yield replace(self, value=above / below)
        if not self.unit:
            return
        sign = -1 if self.value < 0 else 1
        steps = int(abs(self.value) / self.unit)
        places = max(len(str(steps)), len(str(self.unit.denominator)))
        for place in range(min(places, 12)):
            digit = steps // 10**place % 10
            for other in range(10):
                if other != digit:
                    value = sign * (steps + (other - digit) * 10**place) * self.unit
                    yield replace(self, value=value)


def as_float(number: Fraction) -> float:
    """Return the nearest float; beyond the largest one, infinity."""
    try:
        return number.numerator / number.denominator
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


@dataclass(frozen=True)
class Quantity:
    """A number in prose.

    Attributes
    ----------
    line
        Where it stands.
    text
        As it is written.
    given
        Why no code computes it, where the note says so.
    place
        What it stands in, where that is not running text: ``alt text``, ``summary``.
    readings
        What it may mean. 9/10 is a fraction, or two numbers; 12 345 is one number, or two.
    """

    line: int
    text: str
    given: str = ""
    place: str = ""
    readings: tuple[tuple[Amount, ...], ...] = ()
    column: int = 1
    #: Whether it goes on from the number before it, as in *0.1, 0.2 and 0.7*.
    goes_on: bool = False
    #: Whether it is a vector of small whole numbers, as in *(2, −1)*.
    is_vector: bool = False
    #: Whether a bracket opens right before it, and closes right behind it.
    opens: bool = False
    closes: bool = False
    #: The name that the text says has this value, as in *`n` = 6* and *$d$ is 2*.
    of: str = ""
    #: Whether it is too small to be backed by anything but that name.
    is_small: bool = False
    #: Where its sentence begins, and what stands between it and the number before it there.
    sentence: tuple[int, int] | None = None
    behind: str = ""
    #: Whether what follows is said to be so there: *At 16 the norm is …*.
    leads: bool = False
    #: The word to which it is given: *the loss is 0.37*, *with loss 0.37*.
    word: str = ""
    #: What it is said to bound: ``less`` and ``more`` what stands before it; ``between``, too.
    bounds: str = ""


# --- What names ---------------------------------------------------------------------------------

_YEAR = r"(?:19[5-9]\d|20[0-3]\d)"
_YEARS = rf"{_YEAR}(?:\s?[-–]\s?{_YEAR}|\s(?:and|to)\s{_YEAR})?"
#: A plural behind a number: then it counts, whatever stands before it.
_MANY = r"(?!(?:has|was|is|its|this|as|does|uses|shows|gives|makes|says|states)\b)[a-z]+s\b"
_LABEL = r"[1-9]\d{0,2}(?:\.[1-9]\d?){0,2}[a-z]?"
_LABELS = (
    rf"{_LABEL}(?:(?:\s?[-–,]\s?|,? (?:and|or|to) ){_LABEL})*(?![\d.]*\d)(?!\s?(?:%|×|times\b))"
)
_VERSION = r"(?:[1-9]\d?|0)(?:\.(?:0|[1-9]\d?)){1,3}"
_VERSIONS = rf"{_VERSION}(?:(?:\s?[-–,]\s?|,? (?:and|or|to) ){_VERSION})*(?![\d.]*\d)(?!\s?(?:%|×))"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)


@dataclass(frozen=True)
class Naming:
    """Digits that name something: a pattern whose group ``n`` (or all of it) counts nothing.

    ``names`` are examples of it; ``counts`` look alike, and hold a number all the same.
    """

    what: str
    pattern: re.Pattern[str]
    names: tuple[str, ...]
    counts: tuple[str, ...] = ()


def _naming(what: str, pattern: str, *names: str, counts: tuple[str, ...] = ()) -> Naming:
    return Naming(what, re.compile(pattern), names, counts)


#: All that is recognised as a name, in the order in which it is looked for.
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
        # Up to its first letter nothing is looked at again.
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


def _unnamed(text: str) -> str:
    """Put a mark in the place of each character that only names something."""
    for naming in NAMING:
        for found in list(naming.pattern.finditer(text)):
            groups = [found.span(name) for name, value in found.groupdict().items() if value]
            for start, end in groups or [found.span()]:
                text = text[:start] + NAME * (end - start) + text[end:]
    return text


# --- What counts --------------------------------------------------------------------------------

_MINUS = "-\u2212\u2010\u2011\ufe63\uff0d"
_SUPER = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
_VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5),
           "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7),
           "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8)}  # fmt: skip
_BLANK = " \u00a0\u202f\u2009"
# More digits say nothing more, and Python refuses to read thousands of them.
_LONGEST = 60
_DIGITS = rf"(?:\d{{1,3}}(?:[,_]\d{{3}})+|\d{{1,3}}(?:[{_BLANK}]\d{{3}})+|\d+)(?!\d)"
_POWER = r"(?:\^[-−+]?\d+|\^\{[-−+]?\d+\}|\*\*-?\d+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
_SCALE = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "k": 3, "K": 3, "M": 6,
          "B": 9, "G": 9, "kB": 3, "KB": 3, "MB": 6, "GB": 9, "TB": 12, "KiB": 3, "MiB": 6,
          "GiB": 9, "ms": -3, "µs": -6, "μs": -6, "us": -6, "ns": -9, "percent": -2,
          "per cent": -2, "%": -2, "‰": -3}  # fmt: skip
_PERCENT_SIGNS = {"%", "percent", "per cent"}
_BINARY = {"kB": 10, "KB": 10, "MB": 20, "GB": 30, "TB": 40, "KiB": 10, "MiB": 20, "GiB": 30}
_UNITS = "|".join(sorted(map(re.escape, _SCALE), key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?:(?<![\w.^])|(?<=[\w)]\^)(?=[{_MINUS}]?\d*\.\d))"
    rf"(?:(?<![\w)\]{END}{NAME}½¼¾%])(?P<sign>[\{_MINUS}+±–]))?"
    rf"(?:(?P<whole>{_DIGITS})?(?P<vulgar>[{''.join(_VULGAR)}])"
    rf"|(?P<number>{_DIGITS}(?:\.\d+)?|\.\d+)"
    rf"(?P<exponent>[eE][-+−]?\d+|[{_BLANK}]?[×·⋅x*][{_BLANK}]?10{_POWER}|{_POWER})?"
    rf"(?P<over>[{_BLANK}]?[/⁄∕][{_BLANK}]?\d+(?:\.\d+)?(?![\w/]))?)"
    rf"(?P<unit>[{_BLANK}]?(?:{_UNITS})(?!\w))?"
    r"(?P<glued>[^\W\d_]+)?(?![\d]|\.\d)"
)
_DIGIT = re.compile(rf"[\d{''.join(_VULGAR)}]")
#: Letters that may be glued to an integer: others make it a name.
_GLUED = {"s", "x", "th", "st", "nd", "rd", "px", "pt", "em", "d", "D", "h", "m", "min", "cm", "mm",
          "W"}  # fmt: skip
_FALLING = re.compile(
    r"(?i:\b(?:fell|falls?|fallen|dropp?(?:s|ed)?|decreas(?:es?|ed|ing)|shrinks?|shrank|shrunk"
    r"|lower(?:s|ed)?|reduc(?:es?|ed|ing)|los(?:es?|t|ing)|sinks?|sank|sunk|declin(?:es?|ed)|smaller|less|differs?"
    r"|differing|down|apart|off|away)\s(?:by|of)\s(?:about\s|only\s)?)$"
)
_ABOUT = re.compile(
    r"(?i:\b(?:about|around|roughly|nearly|almost|approximately|some|circa|over|under|more than"
    r"|less than)\s(?:the\s)?|[≈~∼]\s?)$"
)
_AND = re.compile(rf"[\s,;|&{CODE}{END}\[\]()]*(?:\band\b|\bor\b|\bto\b|–)?[\s{CODE}{END}\[\]()]*")
_OPENS, _CLOSES = re.compile(r"[(\[]\s?$"), re.compile(r"\s?[)\]]")
_NEGATIVE = re.compile(r"(?i:\b(?:minus|negative)\s)$")


#: A variable, or an element of one: ``x``, ``alpha[1, 0]``.
_ELEMENT = r"[A-Za-z]\w*(?:\[-?\d{1,3}(?:\s?,\s?-?\d{1,3}){0,3}\])?"
#: What is said to be a number: code, mathematics, or a letter or a name with an underscore in text.
_OF = re.compile(
    rf"(?:{CODE}(?P<code>{_ELEMENT}){END}\s?(?:=|==|is|equals)\s?{CODE}?"
    rf"|{CODE}(?P<within>{_ELEMENT})\s?==?\s?"
    rf"|(?<![\w'’.,\-{CODE}])(?P<plain>[B-HJ-Zb-z]|[A-Za-z]+_\w+|[A-Za-z]\w*[₀-₉])\s?=\s?)$"
)
#: Words before it by which that is not said, and what it may be followed by.
_SUPPOSED = supposing(
    "without", "neither", "no", "none", "otherwise", "mistake", "cannot", "for", "with", "set",
    "take", "try", "choose", "at", "from", "as", "like", "say", r"e\.g", "than", r"(?<!,\s)where",
    "by", r"change\w*", "becomes?",
)  # fmt: skip
_STATED = re.compile(
    rf"{END}?(?![\w%^]|\.\d|\s?[-+*/·×−–%]|,\d|{END}?\s(?:or|to|times|if|when|unless|more|less|of|by|and"
    r"\s\d|percent|per)\b)"
)
_SENTENCE = re.compile(r"[.!?:;](?:\s|$)")


def _of(text: str, found: re.Match[str]) -> str:
    """Name what a text says has the value that it gives."""
    named = _OF.search(text, max(0, found.start() - 60), found.start())
    if not named or not _STATED.match(text, found.end()):
        return ""
    if named["plain"] and text.rfind(CODE, 0, named.start()) > text.rfind(END, 0, named.start()):
        return ""  # an argument of a call
    begins, ends = clause(text, named.start(), found.end())
    supposed = _SUPPOSED.search(text, begins, named.start()) or text[ends : ends + 1] == "?"
    name = named["code"] or named["within"] or named["plain"]
    # Mathematics counts from 1: x₂ is x[1], and S₂₁ is S[1, 0].
    if low := re.search("[₀-₉]+$", name):
        name = name[: low.start()] + str([int(digit) - 1 for digit in low[0].translate(_HIGH)])
    return "" if supposed or ("[-" in name and low) else name


_TICKS = str.maketrans(CODE + END, "``")


def _states_nothing(text: str, at: int) -> bool:
    """Tell whether a number stands in code that is only supposed: *Set `n = 12`, and look*.

    Mathematics that has a relation is read elsewhere.
    """
    first, last = text.rfind(CODE, 0, at), text.find(END, at)
    if first < 0 or last < 0 or text.rfind(END, 0, at) > first:
        return False
    if not re.search("[=<>]", text[first:last]):
        return False
    begins, ends = clause(text, first, last)
    before, behind = text[begins:first].lstrip(), text[last + 1 : ends + 1]
    return is_supposed(before.translate(_TICKS), behind.translate(_TICKS))


#: Numbers in brackets that are too small to be backed one by one; a shape may look like that, too.
_SMALL = rf"(?:\s?[{_MINUS}]?\d\s?,){{1,}}\s?[{_MINUS}]?\d\s?"
#: In square brackets only where they say what something is; elsewhere they may name sources.
_VECTOR = re.compile(
    rf"(?<![\w)\]}}{END}])\({_SMALL}\)"
    rf"|(?:(?<=\bis )|(?<=\bare )|(?<=\bvector )|(?<=\brow ))\[{_SMALL}\]"
)
#: Words behind which they are places or bounds; and what leads from one to the next.
_PLACE = re.compile(
    r"(?i:\b(?:elements?|entry|entries|position|index|indices|cells?|axis|axes|intervals?|range|between"
    r"|pairs?|scores?|seeds?|equations?|exercises?|sections?|steps?|cases?|parts?|at|in|on|within|over"
    r"|not|than|instead of)\s(?:the\s|of\s)?)"
    rf"[{CODE}(]?$"
)
_NEXT = re.compile(rf"{END}?,?(?:\s(?:and|or|to))?\s{CODE}?")


def vectors(prose: Prose) -> Iterator[Quantity]:
    """Find the vectors of small whole numbers in a piece of text."""
    text, end, is_place, is_one = prose.text, -1, False, False
    for found in _VECTOR.finditer(text):
        start = found.start()
        goes_on = end >= 0 and bool(_NEXT.fullmatch(text, end, start))
        if not goes_on:
            is_place = bool(_PLACE.search(text, max(0, start - 30), start))
        end = found.end()
        within_code = text.rfind(CODE, 0, start) > text.rfind(END, 0, start)
        alone = text[start - 1 : start] == CODE and text[end : end + 1] == END
        goes_on, is_one = goes_on and is_one, not is_place and (alone or not within_code)
        if not is_one:
            continue
        minus = str.maketrans(_MINUS, "-" * len(_MINUS))
        numbers = re.findall(r"-?\d", found[0].translate(minus))
        row = tuple(Amount(Fraction(number), Fraction(1), whole=True) for number in numbers)
        reason = prose.reason_behind(text, end)
        line, column = prose.place_of(start)
        yield Quantity(line, found[0], reason, prose.place, (row,), column, goes_on, is_vector=True)


def quantities(prose: Prose) -> Iterator[Quantity]:
    """Find the numbers in a piece of text."""
    yield from _spelled(prose)
    yield from _fractions(prose)
    if not _DIGIT.search(prose.text):
        return
    yield from vectors(prose)
    text = _FACTOR.sub(" ", _unnamed(prose.text))
    found = []
    for number in _NUMBER.finditer(text):
        if _states_nothing(text, number.start()):
            continue
        before = text[max(0, number.start() - 60) : number.start()]
        readings = tuple(dict.fromkeys(_readings(number, before)))
        if more := _MORE.match(text, number.end()):
            readings = tuple(_sum(reading, int(more[1])) for reading in readings)
        of = _of(text, number)
        small = bool(of and not readings and number[0].isdigit())
        if small:
            readings = ((Amount(Fraction(number[0]), Fraction(1), whole=True),),)
        if readings:
            found.append((number, readings, of, small))
    end = begins = -1
    stops = [stop.end() for stop in _SENTENCE.finditer(text)]
    for number, readings, of, small in found:
        goes_on = end >= 0 and bool(_AND.fullmatch(text, end, number.start()))
        began, begins = begins, stops[n - 1] if (n := bisect_right(stops, number.start())) else 0
        behind = text[end : number.start()] if began == begins and end >= 0 else ""
        end = number.end()
        reason = prose.reason_behind(text, number.end())
        if not reason and prose.covers_last and number is found[-1][0]:
            reason = prose.last_reason()
        line, column = prose.place_of(number.start())
        yield Quantity(
            line,
            number[0].strip(),
            reason,
            prose.place,
            readings,
            column,
            goes_on,
            opens=bool(_OPENS.search(text, max(0, number.start() - 2), number.start())),
            closes=bool(_CLOSES.match(text, number.end())),
            of=of,
            is_small=small,
            sentence=prose.place_of(begins),
            behind=behind[:_LONGEST],
            leads=bool(_LEADS.fullmatch(text[begins : number.start()].strip())),
            word=_word(text[begins : number.start()], number, text[number.end() :][:_LONGEST]),
            bounds=_bounds(text[max(0, begins, number.start() - 60) : number.start()]),
        )


_LEADS = re.compile(rf"(?:At|After|For|With|In)(?:\s[a-z]+){{0,2}}(?:\s{CODE}?[A-Za-z_]\w*\s?=)?")
#: *The loss is 0.37*, *has slope 1.04*, and nothing between the word and what it is of.
_WORD = re.compile(
    rf"(?:^|[,:(]\s|\b(?:the|and|has|have|with|then)\s[{CODE}*]*)(?P<word>[A-Za-z][a-z]{{2,}})[{END}{LINK}*]*"
    r"(?:(?P<verb>\s(?:is|was|equals|comes\sto)(?:\s(?:about|only|now|just|exactly|nearly))?|\s?=)?)"
    rf"\s[{CODE}]?$",
    re.IGNORECASE,
)
_WORD_ENDS = re.compile(rf"[{END}*]*(?:[.,;:!?)](?:\s|$)|\s?$|\s(?:and|but|so|while|which)\s)")
_IF = supposing(
    "no", "without", "than", "other", "another", "mistake", "first", "last", "next", "each", "every"
)


def _word(before: str, number: re.Match[str], behind: str) -> str:
    """Name what a number is given to, where that is said to be so."""
    found = _WORD.search(before.lstrip())
    if not found or not _WORD_ENDS.match(behind) or _IF.search(before):
        return ""
    # *Layer 12* is no layer of 12.
    return found["word"] if found["verb"] or "." in number[0] else ""


#: *Less than 0.9* says of some number that it is smaller, whatever it rounds to.
_BOUNDS = re.compile(
    r"(?i:(?P<no>\b(?:not?|never|nor|hardly|cannot be)\s(?:\w+\s)?)?\b"
    r"(?:(?P<less>(?:less|smaller|lower|fewer)\sthan|below|at\smost)"
    r"|(?P<more>(?:more|greater|larger|higher|bigger)\sthan|above|at\sleast)|(?P<between>between))"
    r"\s(?:about\s)?)$"
)


def _bounds(before: str) -> str:
    found = _BOUNDS.search(before)
    return found.lastgroup or "" if found and not found["no"] else ""


#: *20 000 + 1*: what is added to a number that is exact.
_MORE = re.compile(r"\s?\+\s?(\d)(?!\w|[.,]\d|\s?[-+*/^×·−])")


def _sum(reading: tuple[Amount, ...], more: int) -> tuple[Amount, ...]:
    *others, last = reading or (None,)
    if last is None or others or last.value.denominator != 1:
        return reading
    return (replace(last, value=last.value + more, unit=Fraction(1), whole=True),)


#: *x1.5* and *x129* are factors, but in code, where they are names.
_FACTOR = re.compile(rf"(?<![\w{CODE}.])x(?=\d{{2}}|\d\.\d)")
#: Numbers in words, from *eleven* on: *ten* and *a hundred* are figures of speech.
_SPELLED = re.compile(rf"(?<![\w-])(?i:{NUMERAL})(?![\w’'-]|\syears\sago)")


_PERCENT = re.compile(r"\sper\s?cent\b")
#: One of these stands in each: to look for them is faster.
_WORDS = ("eleven", "twelve", "teen", *TENS, *LARGE, "cent")


#: Fractions in words: *two thirds*, *one quarter*; *half* and *a third* are figures of speech.
_PARTS = {
    "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10,
}  # fmt: skip
_FRACTION = re.compile(
    rf"(?<![\w-])(?i:(?P<one>one)|(?P<above>two|three|four|five|six|seven|eight|nine))[- ]"
    rf"(?P<part>{'|'.join(_PARTS)})(?(one)|s)(?![\w’'-]|\s(?:way|time)s?\b)"
)
#: How far a number may be from the fraction that stands for it.
_ROUGH = Fraction(1, 20)


def _fractions(prose: Prose) -> Iterator[Quantity]:
    text = prose.text.lower()
    if not any(part in text for part in _PARTS):
        return
    for found in _FRACTION.finditer(prose.text):
        value = Fraction(number_of(found["one"] or found["above"]), _PARTS[found["part"].lower()])
        if value >= 1:
            continue
        share = Amount(value, _ROUGH, (Fraction(1), Fraction(1, 100)), is_rough=True)
        reason = prose.reason_behind(prose.text, found.end())
        line, column = prose.place_of(found.start())
        yield Quantity(line, found[0], reason, prose.place, ((share,),), column)


def _spelled(prose: Prose) -> Iterator[Quantity]:
    text = prose.text.lower()
    if not any(word in text for word in _WORDS):
        return
    for found in _SPELLED.finditer(prose.text):
        value = number_of(found[0])
        title = found[0][0].isupper() and prose.text[found.end() + 1 : found.end() + 2].isupper()
        percent = _PERCENT.match(prose.text, found.end())
        if (value < 11 and not (percent and value)) or title:
            continue
        scales = (Fraction(1), Fraction(100)) if percent else (Fraction(1),)
        exact = Amount(Fraction(value), Fraction(1), scales, whole=not percent)
        readings = [replace(exact, is_rough=value < 11)]
        if value % 10 == 0:
            # *Fifty* may be a rounding.
            unit = 10 ** (len(str(value)) - len(str(value).rstrip("0")))
            readings.append(Amount(Fraction(value), Fraction(unit), scales))
        end = percent.end() if percent else found.end()
        reason = prose.reason_behind(prose.text, end)
        line, column = prose.place_of(found.start())
        text = prose.text[found.start() : end]
        own = tuple((amount,) for amount in readings)
        yield Quantity(line, text, reason, prose.place, own, column)


def _readings(found: re.Match[str], before: str) -> Iterator[tuple[Amount, ...]]:
    sign = -1 if (found["sign"] or "") in [*_MINUS, "–"] and found["sign"] else 1
    if _NEGATIVE.search(before):
        sign = -1
    either = found["sign"] == "±" or bool(_FALLING.search(before))
    if found["vulgar"]:
        whole = Fraction(_joined(found["whole"])) if found["whole"] else Fraction(0)
        amount = Amount(
            sign * (whole + Fraction(*_VULGAR[found["vulgar"]])), Fraction(0), either_sign=either
        )
        yield (amount,)
        return
    digits = found["number"]
    decimal = "." in digits
    unit = (found["unit"] or "").strip(_BLANK)
    if (
        unit in ("k", "K", "M", "B", "G")
        and found["unit"] == unit
        and not decimal
        and len(digits) < 2
    ):
        return  # 7B is the name of a model
    if found["glued"] and not decimal and not found["unit"] and found["glued"] not in _GLUED:
        return
    exponent, power = found["exponent"] or "", None
    if exponent and exponent[0] in "eE":
        power = int(exponent[1:].replace("−", "-")[:_LONGEST])
    elif exponent and "10" in exponent and exponent[0] not in "^*⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹":
        power = _power(exponent[exponent.index("10") + 2 :])
    elif exponent and digits == "10":
        # A bare power of ten.
        value = Fraction(10) ** _power(exponent) * sign
        yield (Amount(value, Fraction(0), either_sign=either),)
        return
    elif exponent:
        # Some other power: its value, or the numbers of which it is made.
        base, top = Fraction(_joined(digits)), _power(exponent)
        if abs(top) <= 64 and (base or top > 0):
            yield (Amount(sign * base**top, Fraction(0), either_sign=either),)
        if top > 0:
            yield (
                Amount(base, _unit(digits), whole=not decimal),
                Amount(Fraction(top), Fraction(1), whole=True),
            )
        return
    if power is not None and abs(power) > 400:
        power = 400
    scale = Fraction(10) ** power if power is not None else Fraction(1)
    scales = [Fraction(1)]
    if unit:
        # 0.37 % is no rounding of 0.37.
        scales = [] if unit in _PERCENT_SIGNS and abs(Decimal(_joined(digits))) < 1 else scales
        scales.append(1 / Fraction(10) ** _SCALE[unit])
        if unit in _BINARY:
            scales.append(1 / Fraction(2) ** _BINARY[unit])
    value = sign * Fraction(_joined(digits)) * scale
    # An integer is what it says; with a unit, a power of ten, or *about* before it, it is rounded.
    rounded = decimal or unit or power is not None or bool(_ABOUT.search(before))
    amount = Amount(value, _unit(digits) * scale, tuple(scales), either, not rounded)
    if found["over"]:
        below = Fraction(found["over"].strip(_BLANK + "/⁄∕")[:_LONGEST])
        if below:
            yield (Amount(value / below, Fraction(0), tuple(scales), either, over=below),)
        if max(abs(value), below) >= 10:
            yield (amount, Amount(below, _unit(found["over"]), whole=below.denominator == 1))
        return
    if not decimal and digits[0] == "0" and len(digits) > 1:
        yield ()  # no number is written so: nothing can back it
    elif _counts(amount) or unit or power is not None:
        yield (amount,)
        parts = re.split("[ ,]", digits)
        if not decimal and len(parts) > 1 and not any(part.startswith("0") for part in parts):
            several = [Amount(Fraction(part), Fraction(1), whole=True) for part in parts]
            yield tuple(part for part in several if _counts(part))


def _counts(amount: Amount) -> bool:
    """Tell whether a number must be backed: decimals, and integers from 10 on."""
    return amount.unit != 1 or abs(amount.value) >= 10


def _power(text: str) -> int:
    power = int(re.sub(r"[\^{}*]", "", text.translate(_SUPER)).replace("−", "-")[:_LONGEST])
    return max(-400, min(400, power))


def _joined(digits: str) -> Decimal:
    return Decimal(re.sub(rf"[{_BLANK},_]", "", digits)[:_LONGEST])


def _unit(digits: str) -> Fraction:
    return Fraction(1, 10 ** len(digits.partition(".")[2][:_LONGEST]))
