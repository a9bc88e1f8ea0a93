"""The data with which a page asks the questions of a note, and judges the answers of readers.

A question (`Prediction`) asks for a part of the output of the block above it. A distractor is a
wrong answer that the question gives as code: a value that a usual mistake leads to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from vaultkit.checks.check import HOLDS, Check
from vaultkit.checks.predictions import answer_tokens, right_answer
from vaultkit.read.note import Note


def question_data(note: Note, checks: Iterable[Check]) -> list[dict[str, Any]]:
    """Return the data with which a script judges the answers to the questions of a note.

    Returns
    -------
    list of dict
        For each question its ``place`` on the page and that of the ``output`` that answers it;
        ``key``, under which its progress is kept; the ``part`` asked for; the ``right`` answer,
        number by number; how far off each may be, ``slack``; the ``wrong`` answers. A question is
        left out if it has no output, or if its check or that of a distractor does not hold.
    """
    holding = {(check.kind, check.line): check for check in checks if check.outcome == HOLDS}
    blocks = {block.fence.line: index for index, block in enumerate(note.blocks)}
    questions = []
    for index, prediction in enumerate(note.predictions):
        block = blocks.get(prediction.below)
        output = None if block is None else note.blocks[block].output
        wrong = [holding.get(("distractor", wrong.line)) for wrong in prediction.distractors]
        if not output or ("prediction", prediction.line) not in holding or None in wrong:
            continue
        right = right_answer(prediction, output.text)
        questions.append(
            {
                "place": f"prediction-{index}",
                "output": f"output-{block}",
                "key": prediction.key,
                "part": prediction.part,
                "right": _as_json(right.tokens),
                "slack": right.tolerances,
                # The message of the check of a distractor is the value of its code.
                "wrong": [
                    _as_json(answer_tokens(check.why, prediction.part)) for check in wrong if check
                ],
            }
        )
    return questions


def _as_json(tokens: Sequence[float | str]) -> list[float | str]:
    """Replace infinity and NaN, which JSON lacks, by words.

    >>> _as_json((1.0, float("inf"), "true"))
    [1.0, 'inf', 'true']
    """
    return [str(token) if str(token) in ("inf", "-inf", "nan") else token for token in tokens]
