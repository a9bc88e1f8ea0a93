"""The Python-Markdown extension that passes rendered pages to Zensical.

The text of such a page is its HTML. Its table of contents is the property ``vaultkit_toc`` of its
front matter, which Zensical has parsed.
"""

from __future__ import annotations

from typing import Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

#: The property with the table of contents, in the form of `toc_tokens` of Python-Markdown.
TOC = "vaultkit_toc"


class FinishedPages(Extension):
    """Uses the text of a page as its HTML."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register the processors."""
        taker = _Taker(md)
        # Before every processor that changes the text, and after every one that changes the HTML.
        md.preprocessors.register(taker, "vaultkit-finished", 1000)
        md.postprocessors.register(_Giver(taker), "vaultkit-finished", -1000)


class _Taker(Preprocessor):
    """Takes the finished HTML of a page, so that the host converts nothing."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self.host = md
        self.html = ""

    def run(self, lines: list[str]) -> list[str]:
        """Keep the text, which is HTML, and give the host an empty one."""
        self.html = "\n".join(lines)
        return [""]


class _Giver(Postprocessor):
    """Gives the finished HTML back as the result of the conversion."""

    def __init__(self, taker: _Taker) -> None:
        super().__init__()
        self.taker = taker

    def run(self, text: str) -> str:  # noqa: ARG002
        """Return the finished page whatever the text is, and pass on its table of contents."""
        host: Any = self.taker.host
        if "rendering_context" in host.preprocessors:
            # Only now: `toc` has set an empty list, since it has seen no headings.
            host.toc_tokens = host.preprocessors["rendering_context"].page.meta.get(TOC, [])
        return self.taker.html


def makeExtension(**options: Any) -> FinishedPages:  # noqa: N802
    """Return the extension; the entry point of Python-Markdown."""
    return FinishedPages(**options)
