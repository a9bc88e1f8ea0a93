"""The data with which a page asks the questions of a note, and judges the answers of readers."""

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
        number by number; how far off each may be, ``slack``; the ``wrong`` answers. A question of
        which any check does not hold is left out.
    """
    found = {(check.kind, check.line): check for check in checks}
    blocks = {block.fence.line: index for index, block in enumerate(note.blocks)}
    questions = []
    for index, prediction in enumerate(note.predictions):
        keys = [("prediction", prediction.line)]
        keys += [("distractor", wrong.line) for wrong in prediction.distractors]
        holding = [found[key] for key in keys if key in found and found[key].outcome == HOLDS]
        output = (
            note.blocks[blocks[prediction.below]].output if prediction.below in blocks else None
        )
        if len(holding) < len(keys) or not output:
            continue
        right = right_answer(prediction, output.text)
        questions.append(
            {
                "place": f"prediction-{index}",
                "output": f"output-{blocks[prediction.below]}",
                "key": prediction.key,
                "part": prediction.part,
                "right": _as_json(right.tokens),
                "slack": right.slack,
                "wrong": [
                    _as_json(answer_tokens(check.why, prediction.part)) for check in holding[1:]
                ],
            }
        )
    return questions


def _as_json(tokens: Sequence[float | str]) -> list[float | str]:
    """Replace infinity and NaN, which JSON lacks, by words.

    >>> _as_json((1.0, float("inf"), "true"))
    [1.0, 'inf', 'true']
    """
    lacking = (str(token) in ("inf", "-inf", "nan") for token in tokens)
    return [str(t) if is_lacking else t for t, is_lacking in zip(tokens, lacking, strict=True)]
