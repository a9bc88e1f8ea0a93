"""Adds the data of the questions of a note to its page, for the script that asks them.

Without scripts, a page shows the question above the visible output. A script hides the output,
asks the question, and judges the answer with this data. Questions without a check are left out.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


def data_element(note: str, questions: Sequence[Mapping[str, Any]]) -> str:
    """Return the data of a note's questions as a script element; empty if there are none."""
    if not questions:
        return ""
    text = html.escape(
        json.dumps(questions, separators=(",", ":"), ensure_ascii=False), quote=False
    )
    return f'<template class="vk-predictions" data-note="{html.escape(note)}">{text}</template>'


@dataclass(frozen=True)
class NoteWithQuestions:
    """A note with questions: its title, path and address, and the keys of its questions."""

    title: str
    path: str
    href: str
    keys: Sequence[str]


def table_html(notes: Sequence[NoteWithQuestions]) -> str:
    """Return the table of all notes with questions; a script fills in the right answers."""
    rows = "".join(
        f'<tr data-note="{html.escape(note.path)}" data-keys="{" ".join(note.keys)}">'
        f'<th scope="row"><a href="{html.escape(note.href)}">{html.escape(note.title)}</a></th>'
        f"<td>{len(note.keys)}</td></tr>"
        for note in notes
    )
    asked = sum(len(note.keys) for note in notes)
    return (
        f'<div class="vk-predicted" data-asked="{asked}">'
        '<div class="md-typeset__scrollwrap" tabindex="0" role="region"'
        ' aria-label="Predictions by note"><table class="vk-ledger__notes">'
        '<thead><tr><th scope="col">Note</th><th scope="col">Questions</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></div>"
    )
