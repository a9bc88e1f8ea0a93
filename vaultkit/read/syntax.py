"""Obsidian's own syntax as patterns, each once: for the checks and for the site."""

from __future__ import annotations

import os
import re
import unicodedata

WIKILINK = re.compile(
    # Something must be named: `[[]]`, `[[#]]` and `[[|words]]` are text.
    r"(?P<embed>!?)\[\[(?=[^\[\]|\n]*[^\[\]|#\s\\])"
    r"(?P<target>[^\[\]|#\\\n]*)(?P<sub>#(?:[^\[\]|\\\n]|\\(?!\|))*)?"
    r"(?:\\?\|(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]*\])*))?\]\]"
)
#: What stands at the end of the words of an image: its size, ``center|400`` or ``120x80``.
SIZE = re.compile(r"(?:(?P<alt>.*)\|)?\s*(?P<width>\d+)(?:x(?P<height>\d+))?\s*", re.DOTALL)
#: What `vaultkit.read.comments` leaves of a comment, or one that it could not see.
COMMENT = re.compile("\ufdd0+|%%.*?%%", re.DOTALL)
_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff"
TAG = re.compile(rf"(?<![\w/#&])#(?P<tag>[\w/{_EMOJI}-]*(?:[^\W\d_]|[{_EMOJI}])[\w/{_EMOJI}-]*)")
#: Obsidian wants a blank before it, but not behind an embed.
BLOCK_ID = re.compile(r"(?:^|(?<=\s)|(?<=\]\]))\^(?P<id>[A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)
#: ``[!tip|left] words``: what stands behind the bar is for style sheets.
CALLOUT = re.compile(
    r"\[!(?P<type>[\w-]+(?: +[\w-]+)*) *(?:\|[^\]\n]*)?\](?P<fold>[+-]?)[ \t]*(?P<title>[^\n]*)"
)
CARD_MARK = re.compile(r"^[ ]*\?[ ]*$", re.MULTILINE)
#: A paragraph with a ``?`` alone on a line: a flashcard, as a plugin for spaced repetition has it.
CARD = re.compile(r"(?P<question>.*?\S.*?)\n[ ]*\?[ ]*(?:\n(?P<answer>.*\S.*))?", re.DOTALL)
#: What an item of a list begins with that is a task. Any sign but a blank says that it is done.
TASK = re.compile(r"\[(?P<state>[^\n])\][ \t]+(?=\S)")

#: ``$5-$10``: dollars with a number behind each, between which is no mathematics.
PRICES = re.compile(r"\$\d(?:\\.|[^\\$])*\$\d", re.DOTALL)

REASON = re.compile(r"<!--\s*(?P<what>not run|given|here):\s*(?P<why>.*?)\s*-->", re.DOTALL)

#: HTML: a tag; what of a block no reader sees as text; an address in a tag; what an image shows.
_ATTRIBUTES = r"(?:\"[^\"]{0,4096}+\"|'[^']{0,4096}+'|[^<>\"']){0,4096}+"
HTML_TAG = re.compile(rf"</?[A-Za-z][\w-]*+{_ATTRIBUTES}>")
HTML_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<tag>code|pre|script|style|svg)\b.*?(?:</(?P=tag)>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_VALUE = r"\s*=\s*(?P<value>\"[^\"]*+\"|'[^']*+')"
HTML_LINK = re.compile(
    rf"(?<=[\s\"'])(?P<name>href|srcset|src|poster|data)(?:{_VALUE}|\s*=\s*(?P<bare>[^\s\"'>]++))",
    re.IGNORECASE,
)
HTML_ALT = re.compile(rf"(?<=[\s\"'])alt{_VALUE}", re.IGNORECASE)

SURROGATE = re.compile("[\ud800-\udfff]")
LINE_END = re.compile(r"\r\n?")


#: What Obsidian does not compare in the words of headings; underscores where they are marks.
_UNCOMPARED = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\]|(?<!\w)_+|_+(?!\w)")


def slug(words: str, separator: str = "-") -> str:
    """Address of a heading: lower case, words with hyphens, as the site writes it."""
    words = re.sub(r"</?[^>]*>", "", unicodedata.normalize("NFC", words)).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", separator)


def comparable(words: str) -> str:
    """Words as links compare them: without case, marks that links cannot hold, or extra space."""
    words = unicodedata.normalize("NFC", words).casefold()
    return " ".join(_UNCOMPARED.sub(" ", words).split())


def natural(name: str) -> list[tuple[int, str]]:
    """Key by which names are in the order that Obsidian lists them in: 2 comes before 10.

    >>> sorted(["10 End", "2 Middle", "a", "B"], key=natural)
    ['2 Middle', '10 End', 'a', 'B']
    """
    parts = re.split(r"(\d+)", unicodedata.normalize("NFC", name).casefold())
    return [(int(part), "") if n % 2 else (-1, part) for n, part in enumerate(parts)]


def printable(name: str) -> str:
    r"""Write a name whose bytes are no UTF-8 so that it can be printed: ``caf\xe9``."""
    if not SURROGATE.search(name):
        return name
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def block_id(text: str) -> re.Match[str] | None:
    """Find the ``^id`` that a block ends in."""
    text = text.rstrip()
    return next((m for m in BLOCK_ID.finditer(text) if m.end() == len(text)), None)


def address(name: str) -> str:
    """Address of a tag or alias on the site: words with hyphens."""
    return "/".join(slug(part) for part in name.split("/"))


def place(name: str) -> str:
    """Address of a page by its path; a part that leaves no letters, as a sign does, has one, too.

    >>> place("Notes & more/🎉/C++")
    'notes--more/note/c'
    """
    return "/".join(slug(part).strip("-") or "note" for part in name.split("/"))
