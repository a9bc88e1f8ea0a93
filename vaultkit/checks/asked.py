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
        of = [("prediction", prediction.line)]
        of += [("distractor", wrong.line) for wrong in prediction.distractors]
        judged = [found[key] for key in of if key in found and found[key].outcome == HOLDS]
        output = (
            note.blocks[blocks[prediction.below]].output if prediction.below in blocks else None
        )
        if len(judged) < len(of) or not output:
            continue
        right = right_answer(prediction, output.text)
        questions.append(
            {
                "place": f"prediction-{index}",
                "output": f"output-{blocks[prediction.below]}",
                "key": prediction.key,
                "part": prediction.part,
                "right": _plain(right.tokens),
                "slack": right.slack,
                "wrong": [
                    _plain(answer_tokens(check.why, prediction.part)) for check in judged[1:]
                ],
            }
        )
    return questions


def _plain(given: Sequence[float | str]) -> list[float | str]:
    """Replace infinity and NaN, which JSON lacks, by words."""
    return [str(token) if isinstance(token, float) and not -1e308 < token < 1e308 else token
            for token in given]  # fmt: skip
