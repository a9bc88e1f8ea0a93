"""The check *block*: the code runs, and its computed output agrees with the one shown."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from vaultkit.checks.canonical import canonical
from vaultkit.checks.check import EXCEPTED, FAILS, UNBOUND, UNJUDGED, Check, Fix
from vaultkit.read.note import Block
from vaultkit.run.steps import Step

#: A number in an output, ``-0.5``, ``3.``, ``2e-3`` or ``nan``, but not a digit of a name (float32,
#: W1) or of a dotted version.
NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w]|\.\d)|(?<!\w)[-+]?(?:nan|inf)\b"
)
#: The last line of a traceback of code that uses a name that is not defined.
_LACKS_NAME = re.compile("^NameError: ", re.MULTILINE)
#: A string as `repr` writes it, ``b'a\'b'``, which is compared character by character.
_STRING = re.compile(
    r"""((?<!\w)(?:[bru]{0,2})(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")(?!\w))"""
)
#: A number as NumPy 2 prints it, ``np.float64(0.5)`` or ``np.True_``; NumPy 1 printed ``0.5``.
_SCALAR = re.compile(
    r"\bnp\.(?:(?:float|u?int|complex|longdouble|str|bytes)\w*\(([^()]*)\)|(True|False)_\b)"
)
#: Why an output is outdated, but not wrong.
_OLD_FORM = "the output shown is right, but in the format of NumPy 1"
#: Floats with so many digits have all of them (zeros at the end are left out, so the other one may
#: have fewer), and agree if they differ by no more than this share of them.
_PRECISE, _ZEROS, _ROUNDING = 15, 3, Decimal("1e-12")
#: How far a float that NumPy prints as ``3.`` may be from 3: it shows up to eight digits.
_WHOLE = Decimal("1e-8")
#: Most lines of a difference that a message has.
_LINES = 12
#: In place of volatile text, and of white space in brackets: characters that no output has.
_MASK = "\ufffc"
_GAP = "\ue000"


def check(
    index: int, block: Block, steps: Sequence[Step], seconds: float, *, every_digit: bool = False
) -> Iterator[Check]:
    """Yield the check of a block that was run: it runs, and its outputs agree with those shown.

    Parameters
    ----------
    index, block
        The block, and its index in the note.
    steps
        The pieces of its code that have run, with their outputs.
    seconds
        The time that it took.
    every_digit
        Whether rounded numbers, and other forms of the same value, are refused.
    """
    if "no-run" in block.fence.options:
        yield Check("block", block.fence.line, block.section, EXCEPTED, "no-run", block=index)
        return
    volatile = block.volatile  # a regular expression for text that is not compared
    if volatile and (why := _wrong_mask(volatile, "\n".join(step.got for step in steps))):
        why = f"volatile={volatile}: {why}"
        yield Check("block", block.fence.line, block.section, FAILS, why, block=index)
        return
    if volatile:
        yield Check("output", block.fence.line, volatile, EXCEPTED, "volatile", block=index)
    problems = [
        (step, line, why) for step in steps for line, why in _problems(step, volatile, every_digit)
    ]
    if not problems:
        yield Check("block", block.fence.line, block.section, seconds=seconds, block=index)
    for step, line, why in problems:
        # A fence that is not closed contains the text below it, which must not be rewritten.
        has_fix = not (step.error or step.example) and block.closed
        fix = _fix(index, block, step) if has_fix else None
        # A block without an output fence says nothing about its output.
        is_silent = has_fix and block.output is None and block.kind == "python"
        is_outdated = not every_digit and why.startswith(_OLD_FORM)
        outcome = UNJUDGED if is_silent or is_outdated else FAILS
        reason = UNBOUND if _LACKS_NAME.search(step.error) else ""
        yield Check(
            "block", line, block.section, outcome, why, seconds=seconds, block=index, fix=fix,
            reason=reason,
        )  # fmt: skip


def _problems(step: Step, volatile: str, every_digit: bool) -> Iterator[tuple[int, str]]:
    """Yield line and description of the problem of a step that has been run, if it has one."""
    if step.error:
        yield step.line, step.error
        return
    shown, got = step.shown or "", step.got
    if volatile:
        shown, got = (re.sub(volatile, _MASK, text) for text in (shown, got))
    difference = describe_difference(shown, got, every_digit=every_digit)
    if difference:
        first, last = step.shown_lines
        line = first if last >= first else step.line  # without an output, the line of the code
        prefix = "an example in a docstring: " if step.example else ""
        hint = "" if step.example else "\n--update writes the real output"
        yield line, f"{prefix}{difference}{hint}"


def _fix(index: int, block: Block, step: Step) -> Fix:
    """Return the edit that replaces the output shown by the computed one."""
    first, last = step.shown_lines
    lines = step.got.split("\n") if step.got else []
    prefix = block.fence.prefix  # of lines in a list or callout, such as ``> ``
    if block.output is None and block.kind == "python":  # it has no output fence yet
        mark = _enclosing_fence(step.got)
        lines = ["", f"{mark}text", *lines, mark]
    elif not step.got and block.output:
        # The blank lines between code and output are removed with it.
        first, last = block.fence.end + 1, block.output.end
    elif block.output:
        prefix = block.output.prefix
    shown = tuple((prefix + line).rstrip() for line in lines)
    return Fix(first, last, shown, block.fence.text, step.got, index)


def _enclosing_fence(text: str) -> str:
    """Return a fence longer than any in the text that it will enclose."""
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", text, re.MULTILINE)), default=2)
    return "`" * (longest + 1)


def _wrong_mask(volatile: str, got: str) -> str:
    """Explain why a pattern of volatile output is invalid; empty if it is valid."""
    masked, count = re.subn(volatile, _MASK, got)
    if not count:
        return "it matches no part of the real output" + _quote("really", got)
    if not re.sub(r"[\W_]", "", masked):
        return "it matches the whole real output" + _quote("really", got)
    return ""


def describe_difference(shown: str, got: str, *, every_digit: bool = False) -> str:
    """Describe how the output shown differs from the computed one; empty if they agree.

    A number agrees if it is the computed number, rounded to the digits shown. Strings and all other
    text must be equal. White space within brackets, with which NumPy sets arrays, does not count;
    elsewhere it does, unless a number shows fewer digits than computed, which moves columns. With
    ``every_digit``, all digits must be shown; without it, the same value in another form
    (`vaultkit.checks.canonical`) agrees, too.

    >>> describe_difference("array([0.15 , 0.23])", "array([0.15002, 0.22637])")
    ''
    >>> print(describe_difference("0.1501", "0.15002"))
    the output differs
      shown:   0.1501
      really:  0.15002
      1 of 1 numbers differ; the worst: 0.1501 is really 0.15002 (off by 8e-05)
    """
    shown, got = (
        "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n") for text in (shown, got)
    )
    if shown == got:
        return ""
    if not got and shown:
        return "an output is shown, but the code has none" + _quote("shown", shown)
    if got and not shown:
        return "the code has an output, but none is shown" + _quote("really", got)
    in_old_form = _SCALAR.sub(lambda found: found[1] or found[2], got)
    if in_old_form != got and not describe_difference(shown, in_old_form):
        return _OLD_FORM + _quote("now", got)
    difference = _difference(shown, got, every_digit=every_digit)
    if difference and not every_digit:
        forms = canonical(shown), canonical(got)
        if forms != (shown, got) and not _difference(*forms):
            return ""
    return difference


def _difference(shown: str, got: str, *, every_digit: bool = False) -> str:
    """Describe how an output shown differs from the computed one; empty if they agree.

    Their numbers are compared in pairs, and the text between them.
    """
    if shown == got:
        return ""
    lines = "the output differs" + _quote("shown", shown) + _quote("really", got)
    shown_words, shown_numbers = _text_and_numbers(shown)
    real_words, real_numbers = _text_and_numbers(got)
    is_rounded = len(shown_numbers) == len(real_numbers) and shown_numbers != real_numbers
    if not _same_words(shown_words, real_words, is_rounded=is_rounded):
        return lines + _first_difference(shown, got)
    pairs = list(zip(shown_numbers, real_numbers, strict=True))
    wrong = [pair for pair in pairs if not agrees(*pair)]
    if not every_digit:
        wrong = [pair for pair in wrong if not _is_rounding(*pair)]
    if not wrong:
        shortened = [pair for pair in pairs if every_digit and pair[0] != pair[1]]
        if not shortened:
            return ""
        return lines + "\n  not with every digit: {} is {}".format(*shortened[0])
    shown_worst, real_worst = max(wrong, key=lambda pair: _distance(*pair))
    off = _distance(shown_worst, real_worst)
    return (
        f"{lines}\n  {len(wrong)} of {len(pairs)} numbers differ; "
        f"the worst: {shown_worst} is really {real_worst} (off by {off:.4g})"
    )


def agrees(shown: str, real: str) -> bool:
    """Return whether a number is a rounding of another one to the digits shown.

    An integer (``3``) must equal an integer; ``3.``, NumPy's form of a float that is whole, must be
    3 to eight digits. A zero keeps its sign.

    >>> agrees("0.15", "0.1502"), agrees("3", "3.0"), agrees("3.", "3.2"), agrees("0.0", "-0.0")
    (True, False, False, False)
    >>> agrees("1.8e+308", "1.8e+308"), agrees("1.8e+358", "1.8e+308"), agrees("nan", "nan")
    (True, False, True)
    """
    if shown[0] != real[0] and {shown[0], real[0]} & set("+-"):
        return False
    if "n" in (shown + real).lower():  # nan and inf are compared as words
        return shown.lstrip("+").lower() == real.lstrip("+").lower()
    is_integer = shown.lstrip("+-").isdigit()
    if is_integer or real.lstrip("+-").isdigit():
        return is_integer and shown.lstrip("+") == real.lstrip("+")
    # As decimals: in binary, 0.12 + 0.005 is not 0.125, and 1.8e+308 is infinite.
    try:
        a, b = Decimal(shown), Decimal(real)
        if re.split("[eE]", shown)[0].endswith("."):
            return abs(a - b) <= _WHOLE * max(Decimal(1), abs(a))
        last_digit = Decimal(1).scaleb(int(a.as_tuple().exponent))
        return abs(a - b) <= last_digit / 2
    except ArithmeticError:  # an exponent of millions
        return shown == real


def _is_rounding(shown: str, real: str) -> bool:
    """Return whether two floats with all their digits differ by an error of rounding only.

    >>> _is_rounding("0.5149145040963757", "0.5149145040963756"), _is_rounding("0.51", "0.52")
    (True, False)
    """
    fewer, more = sorted(map(_digits, (shown, real)))
    if more < _PRECISE or fewer < _PRECISE - _ZEROS or "." not in shown:
        return False
    a, b = Decimal(shown), Decimal(real)
    return abs(a - b) <= _ROUNDING * abs(a)


def _digits(number: str) -> int:
    """Return the number of significant digits of a number."""
    return len(re.sub(r"[eE].*|\D", "", number).lstrip("0"))


def _text_and_numbers(text: str) -> tuple[list[str], list[str]]:
    """Return the pieces of text between the numbers of an output, and the numbers.

    Numbers in strings belong to the text. White space within brackets is replaced by marks.

    >>> _text_and_numbers("a = 2, 'b 3'")
    (['a = ', ", 'b 3'"], ['2'])
    """
    pieces, numbers, end = [], [], 0
    strings = [found.span() for found in _STRING.finditer(text)]
    for found in NUMBER.finditer(text):
        while strings and strings[0][1] <= found.start():  # the number is behind this string
            strings.pop(0)
        is_in_string = strings and strings[0][0] <= found.start()
        if not is_in_string:
            pieces.append(text[end : found.start()])
            numbers.append(found[0])
            end = found.end()
    pieces.append(text[end:])
    open_brackets, marked = "", []
    for piece in pieces:
        # With the group in the pattern, each second part is a string.
        parts = _STRING.split(piece)
        for index, part in enumerate(parts):
            if index % 2 == 0:
                parts[index], open_brackets = _mark_space(part, open_brackets)
        marked.append("".join(parts))
    return marked, numbers


def _mark_space(text: str, open_brackets: str) -> tuple[str, str]:
    """Replace white space within brackets by marks, since arrays may be wrapped differently.

    White space next to brackets and commas is removed. ``open_brackets`` are those open at the
    beginning, such as ``([``; the second result is those open at the end. Parentheses count only
    within brackets, and in ``array(…)``: other text is compared with its white space.
    """
    out, gap = "", ""
    for char in text:
        if open_brackets and char.isspace():
            gap = _GAP
            continue
        if char == "[" or (char == "(" and (open_brackets or out.endswith("array"))):
            open_brackets += char
        elif char in ")]" and open_brackets.endswith("(" if char == ")" else "["):
            open_brackets = open_brackets[:-1]
        out += gap + char
        gap = ""
    return re.sub(f"{_GAP}?([\\[\\],]){_GAP}?", r"\1", out + gap), open_brackets


def _same_words(shown: list[str], real: list[str], *, is_rounded: bool) -> bool:
    """Return whether the pieces of text between the numbers of two outputs are equal.

    Rounded numbers shift columns, so with ``is_rounded``, several blanks are equal to one.
    """
    if len(shown) != len(real):
        return False
    if is_rounded:
        shown, real = (
            [re.sub(r"(?<=\S)[ \t]+|^[ \t]+|[ \t]+$", " ", word) for word in words]
            for words in (shown, real)
        )
    return shown == real


def _distance(shown: str, real: str) -> float:
    """Return how far apart two numbers are; infinite if one of them is nan."""
    distance = abs(float(shown) - float(real))
    return math.inf if math.isnan(distance) else distance


def _quote(label: str, text: str) -> str:
    """Return a part of a message that shows an output below its label, or beside it."""
    lines = text.split("\n")
    if len(lines) == 1:
        return f"\n  {label + ':':8} {text}"
    return f"\n  {label}:" + "".join(f"\n    {line}" for line in lines)


def _first_difference(shown: str, got: str) -> str:
    """Return the first lines that differ, with ``-`` and ``+``."""
    lines = [
        line
        for line in difflib.ndiff(shown.split("\n"), got.split("\n"))
        if not line.startswith(" ")
    ]
    return "\n  line by line (- shown, + really):" + "".join(
        f"\n    {line.rstrip()}" for line in lines[:_LINES]
    )
