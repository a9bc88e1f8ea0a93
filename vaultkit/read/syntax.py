"""Obsidian's syntax as regular expressions, which the checks and the renderer share."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import Any

#: ``[[Note#Heading|words]]``, ``![[figure.svg|300]]``. In a table, the bar is escaped: ``\|``.
WIKILINK = re.compile(
    # A target is required: `[[]]`, `[[#]]` and `[[|words]]` are text.
    r"(?P<embed>!?)\[\[(?=[^\[\]|\n]*[^\[\]|#\s\\])"
    r"(?P<target>[^\[\]|#\\\n]*)(?P<sub>#(?:[^\[\]|\\\n]|\\(?!\|))*)?"
    r"(?:\\?\|(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]*\])*))?\]\]"
)
#: The size at the end of an image's alt text: ``center|400`` or ``120x80``.
SIZE = re.compile(r"(?:(?P<alt>.*)\|)?\s*(?P<width>\d+)(?:x(?P<height>\d+))?\s*", re.DOTALL)
#: A comment that `vaultkit.read.comments` has hidden, or could not see.
COMMENT = re.compile("\ufdd0+|%%.*?%%", re.DOTALL)
_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff"
#: ``#tag/part``; at least one character is not a digit, so ``#12`` is text.
TAG = re.compile(rf"(?<![\w/#&])#(?P<tag>[\w/{_EMOJI}-]*(?:[^\W\d_]|[{_EMOJI}])[\w/{_EMOJI}-]*)")
#: Obsidian requires white space before it, except after an embed.
BLOCK_ID = re.compile(r"(?:^|(?<=\s)|(?<=\]\]))\^(?P<id>[A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)
#: ``[!tip|left] words``: what follows the bar is for style sheets.
CALLOUT = re.compile(
    r"\[!(?P<type>[\w-]+(?: +[\w-]+)*) *(?:\|[^\]\n]*)?\](?P<fold>[+-]?)[ \t]*(?P<title>[^\n]*)"
)
CARD_MARK = re.compile(r"^[ ]*\?[ ]*$", re.MULTILINE)
#: A paragraph with a ``?`` alone on a line: a flashcard, as in the Spaced Repetition plugin.
CARD = re.compile(r"(?P<question>.*?\S.*?)\n[ ]*\?[ ]*(?:\n(?P<answer>.*\S.*))?", re.DOTALL)
#: The beginning of a list item that is a task. Any character but a blank means that it is done.
TASK = re.compile(r"\[(?P<state>[^\n])\][ \t]+(?=\S)")

#: ``$5-$10``: each dollar is followed by a number, so the text between is not a formula.
PRICES = re.compile(r"\$\d(?:\\.|[^\\$])*\$\d", re.DOTALL)

#: A comment with a reason: ``<!-- given: by the task -->``.
REASON = re.compile(r"<!--\s*(?P<what>not run|given|here)(?::\s*(?P<why>.*?))?\s*-->", re.DOTALL)
#: The reason of a comment that gives none.
NO_REASON = "no reason is given"


def reason(comment: str, what: str) -> str:
    """Return the reason in a comment of HTML; empty if it does not begin with the word ``what``.

    >>> reason("<!-- given: by the task -->", "given"), reason("<!-- given -->", "not run")
    ('by the task', '')
    >>> reason("<!-- given -->", "given")
    'no reason is given'
    """
    match = REASON.match(comment.strip())
    return (match["why"] or NO_REASON) if match and match["what"] == what else ""


#: A comment of HTML alone, with its content.
HTML_COMMENT = re.compile(r"<!--((?:(?!-->).)*)-->", re.DOTALL)

#: The attributes of a tag. The bounds and possessive quantifiers keep the time of a search linear.
_ATTRIBUTES = r"(?:\"[^\"]{0,4096}+\"|'[^']{0,4096}+'|[^<>\"']){0,4096}+"
_HTML_TAG = re.compile(rf"</?[A-Za-z][\w-]*+{_ATTRIBUTES}>")
#: The parts of HTML that are not text: what is hidden or shown as it is, and tags. A tag may
#: contain the marks of a comment: ``title="<!--"``.
HTML_NOT_TEXT = re.compile(
    rf"""
    <!--(?:-?>|.*?-->) | <\?.*?\?> | <!\[CDATA\[.*?\]\]>
    | <(?P<kept>code|pre|script|style|svg)\b.*?(?:</(?P=kept)>|\Z)
    | (?P<tag>{_HTML_TAG.pattern})
    | (?P<never_closed><!--|<\?|<!\[CDATA\[).*
    """,
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_VALUE = r"\s*=\s*(?P<value>\"[^\"]*+\"|'[^']*+')"
#: An address in a tag, and the text of an image.
HTML_LINK = re.compile(
    rf"(?<=[\s\"'])(?P<name>href|srcset|src|poster|data)(?:{_VALUE}|\s*=\s*(?P<bare>[^\s\"'>]++))",
    re.IGNORECASE,
)
HTML_ALT = re.compile(rf"(?<=[\s\"'])alt{_VALUE}", re.IGNORECASE)

SURROGATE = re.compile("[\ud800-\udfff]")
LINE_END = re.compile(r"\r\n?")


#: Characters that Obsidian ignores when it compares headings; underscores only as marks.
_UNCOMPARED = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\]|(?<!\w)_+|_+(?!\w)")


def slug(words: str) -> str:
    """Return the anchor of a heading as the site writes it: lower case, with hyphens.

    >>> slug("What is Q K^T?")
    'what-is-q-kt'
    """
    without_tags = re.sub(r"</?[^>]*>", "", unicodedata.normalize("NFC", words))
    return re.sub(r"[^\w\- ]", "", without_tags.strip().lower()).replace(" ", "-")


def unique_anchor(wanted: str, in_use: dict[str, int]) -> str:
    """Return an anchor for a heading that no other has, as the site does, and add it to ``in_use``.

    ``in_use`` holds the anchors, each with the last number tried for its words, so that ten
    thousand equal headings do not need a hundred million comparisons.

    >>> in_use = {}
    >>> [unique_anchor(wanted, in_use) for wanted in ("x", "x", "x", "x_1", "")]
    ['x', 'x_1', 'x_2', 'x_3', '_1']
    """
    stem, number = wanted, 0
    if numbered := re.fullmatch(r"(?P<stem>.*)_(?P<number>\d+)", wanted):
        stem, number = numbered["stem"], int(numbered["number"])
    anchor = wanted
    number = max(number, in_use.get(wanted, 0))
    while anchor in in_use or not anchor:
        number += 1
        anchor = f"{stem}_{number}"
    in_use[wanted] = number
    in_use.setdefault(anchor, 0)
    return anchor


def folded(name: str) -> str:
    """Return the name of a note or file as links compare it: without case, in one Unicode form."""
    return unicodedata.normalize("NFC", name).casefold()


def comparable(words: str) -> str:
    """Return words as links compare them: without case, forbidden characters, or extra space.

    >>> comparable("What  is: Q?")
    'what is q'
    """
    words = folded(words)
    return " ".join(_UNCOMPARED.sub(" ", words).split())


def natural_key(name: str) -> list[Any]:
    """Return the sort key of a name in Obsidian's order: 2 comes before 10.

    >>> sorted(["10 End", "2 Middle", "a", "B"], key=natural_key)
    ['2 Middle', '10 End', 'a', 'B']
    """
    parts = re.split(r"(\d+)", folded(name))  # every second part is a number
    return [int(part) if n % 2 else part for n, part in enumerate(parts)]


def printable(name: str) -> str:
    r"""Return a name that may not be UTF-8 in a form that can be printed: ``caf\xe9``."""
    if not SURROGATE.search(name):
        return name
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def block_id(text: str) -> re.Match[str] | None:
    """Return the match of the ``^id`` at the end of a block; None if it ends otherwise."""
    text = text.rstrip()
    # Other lines may end in such an id, too.
    return next((m for m in BLOCK_ID.finditer(text) if m.end() == len(text)), None)


def address(name: str) -> str:
    """Return the address of a tag or alias on the site: words with hyphens.

    >>> address("Deep learning/A")
    'deep-learning/a'
    """
    return "/".join(slug(part) for part in name.split("/"))


def address_of_path(name: str) -> str:
    """Return the address of a page, given its path; no part of it is empty.

    >>> address_of_path("Notes & more/🎉/C++")
    'notes--more/note/c'
    """
    return "/".join(slug(part).strip("-") or "note" for part in name.split("/"))
