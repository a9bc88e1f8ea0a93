"""Drawings that a script of the page moves: what it finds in them.

The script (``docs/javascripts``, of the drawing's name) starts from the data in the drawing, and
changes its named parts. So nothing is typed twice, and what is seen without the script is what is
seen before anything was touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np


def part(name: str, fragment: str) -> str:
    """Name a fragment's outermost element for the script; several may share a name."""
    return re.sub(r"<(\w+)", rf'<\1 data-part="{escape(name)}"', fragment, count=1)


def group(name: str, fragments: Iterable[str]) -> str:
    """Name several fragments as one."""
    return "\n".join([f'<g data-part="{escape(name)}">', *fragments, "</g>"])


def touchable(name: str, svg: str, data: Mapping[str, Any], *, hint: str = "") -> str:
    """Put the data that the script starts from, and the script's name, into a drawing.

    A hint says what a reader can do with the controls. The site shows it above them, and only
    where scripts run.
    """
    text = json.dumps(_plain(data), ensure_ascii=False, separators=(",", ":"))
    metadata = f'<metadata data-touch="{name}">{escape(text, quote=False)}</metadata>'
    hinted = f'<svg data-hint="{escape(hint)}"' if hint else "<svg"
    return re.sub(r"<svg\b([^>]*>)", lambda found: hinted + found[1] + metadata, svg, count=1)


def _plain(value: Any) -> Any:
    """Turn arrays into lists; eight digits are more than anybody sees."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.8g}")
    return value.item() if isinstance(value, np.generic) else value
