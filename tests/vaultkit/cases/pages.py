"""The pages of notes: the HTML that each text becomes, in a small vault."""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

from tests.vaultkit.agreement import converter
from vaultkit.read.vault import Vault

#: The other notes and files of the vault.
FILES = {
    "Other.md": "# Other\n\nA *fact*. ^fact\n\n## Part two\n\nMore.\n\n### Sub\n\nDeep.\n\n"
    "## Last\n\nEnd.\n",
    "Signs.md": "# Signs\n\n## Part: two (C++)\n\nA fact.\n\n### Deep $O(n)$\n\nx\n",
    "Short.md": "---\nsummary: S.\n---\nText\n",
    "Mixed.md": "Text\n\n- item\n\n```python\nx\n```\n",
    "Parts.md": "a\n\n- one ^item\n    - two ^sub\n\n      three\n\n- four\n\n"
    "| x |\n|---|\n| y |\n\n"
    "^t\n\n![[files/picture.png]]^image\n\nNo ^2 and x^3\n",
    "Noted.md": "A[^1] twice[^1] and[^x].\n\n## S\n\nIn S[^1]. ^b\n\n[^1]: Of Noted\n[^x]: X\n",
    "Defined.md": "# A\n\n## B\n\n[x][y][^1]\n\n## C\n\n[y]: https://x.org\n[^1]: F\n",
    "Equation.md": "# Equation\n\n$$\nq\n$$\n",
    "Secret.md": "before %%secret%%\n\n%%\nsecret\n%%\n",
    "Card.md": "Q\n?\nC\n",
    "Empty.md": "",
    "Round A.md": "In A.\n\n![[Round B]]\n",
    "Round B.md": "In B.\n\n![[Round A]]\n\n![[Host]]\n",
    "Host.md": "In Host.\n",
    ".obsidian/app.json": '{"strictLineBreaks": true}',
    "Captioned.md": "![alt](drawing.svg)\n*Look at [[Other]], **here**.*\n",
    "Far away/Some note.md": "---\naliases: [Nick]\n---\n# Some note\n\n## Last part\n\ny\n",
    "Far away/Links.md": "[o](../Other.md#last) [[Other]] ![p](pic.png) [h](#here) [[#Here]]\n"
    "<https://x.org/a> [s](/abs)\n\n## Here\n\n![[Deeper]]\n",
    "Far away/c/Deeper.md": "[d](../Links.md) ![q](q%20r.png) ![w](../../drawing.svg)\n",
    "Far away/pic.png": "",
    "Far away/c/q r.png": "",
    "Déep one.md": "",
    "snake_case_note.md": "",
    "x *y* z.md": "",
    "drawing.svg": '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "x" "y">\n'
    '<svg xmlns="http://www.w3.org/2000/svg" class="vk-figure" aria-labelledby="t" width="9">'
    '<title id="t">T</title><a href="[[Other#Part two]]"><text>1.25</text></a>'
    "<a xlink:href='[[Gone]]'/></svg>\n",
    "hinted.svg": '<svg class="vk-figure" data-hint="Press A &amp; B."/>',
    "plain.svg": "<svg/>",
    "files/picture.png": "",
    "files/paper.pdf": "",
    "files/sound.mp3": "",
    "files/film.mp4": "",
    "plan.canvas": "{}",
    "list.base": "",
    "sketch.excalidraw": "",
}
#: What all links to headings and equations, code and tasks have in common, and what replaces it.
SHORT = {
    r'<a class="headerlink" href="[^"]*" title="Link to here">#</a>': "",
    r'<a aria-label="Link to this equation" class="[^"]*" href="(.*?)" [^>]*></a>': r"↪\1",
    r'<label class="task-list-control">(<input [^>]*>)<span [^>]*></span></label>': r"\1",
    r">\s*\n\s*<": "><",
}


@cache
def folder() -> Path:
    """Write the vault, once for all texts."""
    root = Path(tempfile.mkdtemp(prefix="vaultkit-pages-")).resolve()
    atexit.register(shutil.rmtree, root)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@cache
def vault() -> Vault:
    """Read the vault, once for all texts."""
    return Vault(folder())


def squeezed(html: str) -> str:
    """Shorten HTML: code without its colours, no line ends between elements."""
    html = re.sub("<pre>.*?</pre>", uncoloured, html, flags=re.DOTALL)
    for pattern, short in SHORT.items():
        html = re.sub(pattern, short, html)
    return html


def uncoloured(found: re.Match[str]) -> str:
    """Leave out the elements that colour code; those that name parts of it stay."""
    code, count = re.sub("</?code>|<span></span>", "", found[0]), 1
    while count:
        code, count = re.subn('<span class="[^"]*">([^<]*)</span>', r"\1", code)
    return code.replace("\n</pre>", "</pre>")


def page(text: str) -> list[str]:
    """Return the HTML of a note called Host, in lines."""
    return convert(text, vault())


def named(text: str) -> list[str]:
    """Return the HTML of a note called Host, with the names of its parts."""
    (folder() / "Host.md").write_text(text, encoding="utf-8")
    try:
        return convert(text, Vault(folder()), places=True)
    finally:
        (folder() / "Host.md").write_text(FILES["Host.md"], encoding="utf-8")


def convert(text: str, read: Vault, **options: bool) -> list[str]:
    """Convert a text to lines of short HTML."""
    md = converter(read, read.root / "Host.md", backlinks=False, **options)
    lines = squeezed(md.convert(text)).split("\n")
    return [line.rstrip() for line in lines if line.strip()] or ["nothing"]
