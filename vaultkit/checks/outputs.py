"""What a block shows as its output is its output: the words match, the numbers to their digits."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from vaultkit.checks.check import EXCEPTED, FAILS, Check, Mend
from vaultkit.read.note import Block
from vaultkit.run.session import Step

#: A number in an output. A digit of a name (float32, W1) or of a dotted version is none.
NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w]|\.\d)|(?<!\w)[-+]?(?:nan|inf)\b"
)


def check(index: int, block: Block, steps: Sequence[Step], seconds: float) -> Iterator[Check]:
    """Tell of a block that has been run whether it runs, and shows what it shows."""
    if "no-run" in block.fence.options:
        yield Check("block", block.fence.line, block.section, EXCEPTED, "no-run", block=index)
        return
    problems = [(step, line, why) for step in steps for line, why in _problems(step)]
    if not problems:
        yield Check("block", block.fence.line, block.section, seconds=seconds, block=index)
    for step, line, why in problems:
        mend = None if step.error else _mend(block, step)
        yield Check(
            "block", line, block.section, FAILS, why, seconds=seconds, block=index, mend=mend
        )


def _problems(step: Step) -> Iterator[tuple[int, str]]:
    """Find what is wrong with a step that has been run, and where."""
    if step.error:
        yield step.line, step.error
        return
    difference = compare(step.shown or "", step.got)
    if difference:
        first, last = step.shown_lines
        line = first if last >= first else step.line
        yield line, f"{difference}\n--update writes what it really is"


def _mend(block: Block, step: Step) -> Mend:
    """Put the real output of a step in the place of the one that is shown."""
    first, last = step.shown_lines
    lines = step.got.split("\n") if step.got else []
    prefix = block.fence.prefix
    if block.kind == "pycon":
        lines = [line or "<BLANKLINE>" for line in lines]  # a blank line would end the output
    elif block.output is None:
        mark = _mark(step.got)
        lines = ["", f"{mark}text", *lines, mark]
    elif not step.got:
        # The blank lines between code and output go with it.
        first, last = block.fence.end + 1, block.output.end
    else:
        prefix = block.output.prefix
    shown = tuple((prefix + line).rstrip() for line in lines)
    return Mend(first, last, shown, block.fence.text, step.got)


def _mark(text: str) -> str:
    """Return a mark longer than any in the text that it will enclose."""
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", text, re.MULTILINE)), default=2)
    return "`" * (longest + 1)


def compare(shown: str, got: str) -> str:
    """Tell how the output that is shown differs from the one that came; empty if it does not.

    A number agrees if it is what came, rounded to the digits shown. White space inside brackets
    and the width of columns do not count.

    >>> compare("array([0.15 , 0.23])", "array([0.15002, 0.22637])")
    ''
    >>> print(compare("0.1501", "0.15002"))
    the output shown is not what comes
      shown:   0.1501
      really:  0.15002
      1 of 1 numbers differ; the worst: 0.1501 is really 0.15002 (off by 8e-05)
    """
    if not got and shown:
        return "an output is shown, but nothing comes" + _quote("shown", shown)
    if got and not shown:
        return "an output comes, but none is shown" + _quote("really", got)
    wanted_words, wanted = _split(shown)
    real_words, real = _split(got)
    lines = "the output shown is not what comes" + _quote("shown", shown) + _quote("really", got)
    if wanted_words != real_words:
        return lines + _first_difference(shown, got)
    pairs = list(zip(wanted, real, strict=True))
    wrong = [(w, r) for w, r in pairs if not agrees(w, r)]
    if not wrong:
        return ""
    shown_worst, real_worst = max(wrong, key=lambda pair: _distance(*pair))
    off = _distance(shown_worst, real_worst)
    return (
        f"{lines}\n  {len(wrong)} of {len(pairs)} numbers differ; "
        f"the worst: {shown_worst} is really {real_worst} (off by {off:.4g})"
    )


def agrees(shown: str, real: str) -> bool:
    """Tell whether a number is another one, rounded to the digits shown.

    A whole number (``3``) must be that whole number; ``3.``, as NumPy writes a float that is
    exactly whole, must be 3 to eight digits.

    >>> agrees("0.15", "0.1502"), agrees("3", "3.0"), agrees("3.", "3.2")
    (True, False, False)
    """
    a, b = float(shown), float(real)
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    whole = shown.lstrip("+-").isdigit()
    if whole or real.lstrip("+-").isdigit():
        return whole and shown.lstrip("+") == real.lstrip("+")
    mantissa = re.split("[eE]", shown)[0]
    if mantissa.endswith("."):
        return abs(a - b) <= 1e-8 * max(1.0, abs(a))
    # In decimals, since 0.12 + 0.005 is not 0.125 in binary.
    exponent = Decimal(shown).as_tuple().exponent
    unit = Decimal(1).scaleb(int(exponent))
    return abs(Decimal(shown) - Decimal(real)) <= unit / 2


def _split(text: str) -> tuple[list[str], list[str]]:
    """Part text into the words between numbers, evenly spaced, and the numbers."""
    lines = [" ".join(line.split()) for line in text.strip("\n").split("\n")]
    flat, depth = "", 0
    for line in lines:
        # An array may be broken into lines elsewhere; words may not.
        flat += ("" if not flat else " " if depth > 0 else "\n") + line
        depth += sum(line.count(c) for c in "[(") - sum(line.count(c) for c in "])")
    words = [re.sub(r" ?([\[\](),]) ?", r"\1", part).strip(" ") for part in NUMBER.split(flat)]
    return words, NUMBER.findall(flat)


def _distance(shown: str, real: str) -> float:
    distance = abs(float(shown) - float(real))
    return math.inf if math.isnan(distance) else distance


def _quote(label: str, text: str) -> str:
    lines = text.split("\n")
    if len(lines) == 1:
        return f"\n  {label + ':':8} {text}"
    return f"\n  {label}:" + "".join(f"\n    {line}" for line in lines)


def _first_difference(shown: str, got: str) -> str:
    lines = [
        line
        for line in difflib.ndiff(shown.split("\n"), got.split("\n"))
        if not line.startswith(" ")
    ]
    return "\n  line by line (- shown, + really):" + "".join(
        f"\n    {line.rstrip()}" for line in lines[:12]
    )
