"""Puts questions that are answered before looking into a page: which they are, and their answers.

The page as it is sent shows the question above the open output. A script folds the output, asks,
and judges, by what is written here; of a question that no check has judged nothing is written.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


def data(note: str, told: Sequence[Mapping[str, Any]]) -> str:
    """Write what the script needs of a note; nothing where nothing is asked."""
    if not told:
        return ""
    text = html.escape(json.dumps(told, separators=(",", ":"), ensure_ascii=False), quote=False)
    return f'<template class="vk-predictions" data-note="{html.escape(note)}">{text}</template>'


@dataclass(frozen=True)
class Asking:
    """A note that asks something: its title, its path, where it is, the keys of its questions."""

    title: str
    path: str
    href: str
    keys: Sequence[str]


def table(notes: Sequence[Asking]) -> str:
    """Write the table of all notes that ask; a script fills in what was right."""
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
