"""Reads a note from Markdown: tokens of markdown-it-py become records, each with its line.

Everything that asks what a note says asks here: the checks, the link graph, the site.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from vaultkit.read import fences
from vaultkit.read.note import (
    Block,
    Fence,
    Formula,
    Heading,
    Link,
    Note,
    Problem,
    Quantity,
    words_of,
)
from vaultkit.read.syntax import (
    BLOCK_ID,
    CALLOUT,
    COMMENT,
    LINE_END,
    NAMED,
    QUANTITY,
    REASON,
    TAG,
    WIKILINK,
    block_id,
    slug,
)


def parse(text: str, path: Path = Path("note.md")) -> Note:
    """Read the text of a note."""
    return _Reader(Note(path, text)).read(_PARSER.parse(LINE_END.sub("\n", text)))


def read(path: Path) -> Note:
    """Read a note from its file."""
    return parse(path.read_bytes().decode("utf-8-sig"), path)


# --- How markdown-it-py learns Obsidian's syntax ------------------------------------------------


def _inline_rule(pattern: re.Pattern[str], kind: str) -> Any:
    def rule(state: StateInline, silent: bool) -> bool:
        found = pattern.match(state.src, state.pos)
        if not found:
            return False
        if not silent:
            token = state.push(kind, "", 0)
            token.content = found[0]
            token.meta = {"match": found}
        state.pos = found.end()
        return True

    return rule


def _comment_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    def line(number: int) -> str:
        return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]

    if state.is_code_block(start) or not line(start).startswith("%%"):
        return False
    if "%%" in line(start)[2:]:
        # A comment closed on its own line is inline, unless it is all there is on the line.
        if not re.fullmatch(r"%%((?!%%).)*%%\s*", line(start)):
            return False
        last = start
    else:
        below = range(start + 1, end)
        last = next((n for n in below if line(n).rstrip().endswith("%%")), end - 1)
    if silent:
        return True
    token = state.push("comment_block", "", 0)
    token.map = [start, last + 1]
    state.line = last + 1
    return True


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(footnote_plugin)
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, double_inline=True)
    parser.block.ruler.before(
        "fence", "comment", _comment_block, {"alt": ["paragraph", "blockquote", "list"]}
    )
    parser.inline.ruler.before("link", "wikilink", _inline_rule(WIKILINK, "wikilink"))
    parser.inline.ruler.before("link", "comment", _inline_rule(COMMENT, "comment"))
    parser.inline.ruler.before("link", "tag", _inline_rule(TAG, "tag"))
    return parser


_PARSER = _make_parser()


# --- From tokens to a note ----------------------------------------------------------------------


class _Reader:
    """Walks over the tokens of one note and collects what they say."""

    def __init__(self, note: Note) -> None:
        self.note = note
        self.lines = note.lines
        self.sections = [note.name]
        self.headings: list[Heading] = []
        self.fences: list[Fence] = []
        self.blocks: list[Block] = []
        self.formulas: list[Formula] = []
        self.quantities: list[Quantity] = []
        self.links: list[Link] = []
        self.block_ids: dict[str, tuple[int, int]] = {}
        self.comments: list[tuple[int, int]] = []
        self.tags: list[str] = []
        self.problems: list[Problem] = []
        self.meta: dict[str, Any] = {}
        self.slugs: dict[str, int] = {}

    def read(self, tokens: list[Token]) -> Note:
        self.walk(tokens)
        return replace(
            self.note,
            meta=self.meta,
            headings=tuple(self.headings),
            fences=tuple(self.fences),
            blocks=tuple(self.blocks),
            formulas=tuple(self.formulas),
            quantities=tuple(self.quantities),
            links=tuple(self.links),
            block_ids=self.block_ids,
            comments=tuple(self.comments),
            tags=tuple(dict.fromkeys([*words_of(self.meta.get("tags")), *self.tags])),
            problems=tuple(self.problems),
        )

    def walk(self, tokens: list[Token]) -> None:
        open_maps: list[tuple[int, int]] = []
        previous: Token | None = None
        for index, token in enumerate(tokens):
            if token.nesting == 1:
                open_maps.append(_map(token) or (open_maps[-1] if open_maps else (0, 0)))
            span = _map(token) or (open_maps[-1] if open_maps else (0, 0))
            match token.type:
                case "front_matter":
                    self.front_matter(token)
                case "blockquote_open":
                    self.sections.append(self.callout_title(tokens, index) or self.sections[-1])
                case "blockquote_close":
                    self.sections.pop()
                case "heading_open":
                    self.heading(token, tokens[index + 1])
                case "fence":
                    self.fence(token, previous, len(open_maps))
                case "code_block" | "html_block" if fences.is_unread_code(_unescaped(token)):
                    told = (
                        "this looks like code, and does not run; put it into ```python or ```pycon"
                    )
                    self.problems.append(Problem(span[0] + 1, told))
                case "math_block":
                    behind = tokens[index + 1 : index + 2]
                    reasons = _reason(behind, "not run"), _reason(behind, "here")
                    tex = token.content.strip()
                    self.formulas.append(Formula(span[0] + 1, tex, True, *reasons))
                case "comment_block":
                    self.comments.append((span[0] + 1, span[1]))
                case "inline":
                    self.inline(token, span, tokens, index)
            if token.nesting == -1:
                open_maps.pop()
            previous = token

    def front_matter(self, token: Token) -> None:
        try:
            meta = yaml.safe_load(token.content) or {}
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 2 if mark else 1
            self.problems.append(Problem(line, f"front matter: {getattr(error, 'problem', error)}"))
            return
        if not isinstance(meta, dict):
            self.problems.append(Problem(1, "front matter: not a list of `name: value` lines"))
            return
        self.meta = meta

    def callout_title(self, tokens: list[Token], index: int) -> str | None:
        first = next((t for t in tokens[index + 1 : index + 3] if t.type == "inline"), None)
        found = CALLOUT.match(first.content) if first else None
        if not found:
            return None
        return _plain(found["title"]) or found["type"].capitalize()

    def heading(self, token: Token, inline: Token) -> None:
        text = "".join(_spoken(child) for child in inline.children or []).strip()
        found = block_id(text)
        # As the site does: without the gap that a comment leaves.
        text = " ".join((text[: found.start()] if found else text).split())
        # The site's own way to tell headings of the same words apart.
        anchor = _unique(slug(text), self.slugs)
        heading = Heading(_line(token), int(token.tag[1:]), text, anchor)
        self.headings.append(heading)
        self.sections[-1] = text or self.sections[-1]

    def fence(self, token: Token, previous: Token | None, depth: int) -> None:
        start, stop = token.map or [0, 0]
        raw = self.lines[start] if start < len(self.lines) else ""
        at = raw.find(token.markup)
        # What stands before the mark stands before every line, but for a list's own mark.
        prefix = re.sub(r"[^>\s]", " ", raw[:at])
        last = self.lines[stop - 1] if stop <= len(self.lines) else ""
        body = last.lstrip("> \t").rstrip()
        closed = (
            stop - 1 > start and len(body) >= len(token.markup) and set(body) == {token.markup[0]}
        )
        lines = tuple(token.content.removesuffix("\n").split("\n")) if token.content else ()
        fence = Fence(start + 1, stop, token.info.strip(), lines, prefix, closed, depth)
        before = self.fences[-1] if self.fences else None
        self.fences.append(fence)
        if not closed:
            self.problems.append(Problem(fence.line, "this block of code is never closed"))
        # Anything between the two, be it the end of a list, parts an output from its block.
        near = previous is not None and previous.type == "fence" and self.blocks
        role = ""
        if near and self.blocks[-1].fence is before:
            role = "compared" if self.blocks[-1].kind == "python" else "behind"
        self.problems += [
            Problem(fence.line, why)
            for why in fences.misread(fence.info, fence.language, fence.text, role)
        ]
        if fence.language in fences.RUNS:
            self.blocks.append(Block(fence, None, self.sections[-1]))
        elif fence.language == "text" and role == "compared":
            self.blocks[-1] = replace(self.blocks[-1], output=fence)

    def inline(self, token: Token, span: tuple[int, int], tokens: list[Token], index: int) -> None:
        children = token.children or []
        # Nothing marks where in its paragraph a token begins, so search on from the last one.
        at = 0
        in_heading = tokens[index - 1].type == "heading_open"
        for position, child in enumerate(children):
            if child.type in ("wikilink", "link_open", "image", "math_inline", "tag",
                              "math_inline_double", "text", "code_inline"):  # fmt: skip
                needle = _source(child)
                found = token.content.find(needle, at)
                at = found if found >= 0 else at
            line = span[0] + 1 + token.content.count("\n", 0, at)
            match child.type:
                case "wikilink":
                    link = Link.from_match(child.meta["match"], line)
                    alone = len([c for c in children if _source(c).strip()]) == 1
                    self.links.append(
                        replace(link, alone=alone, sentence=_sentence(token.content, at))
                    )
                    at += len(child.content)
                case "link_open":
                    words = _words_of_link(children, child)
                    self.link(str(child.attrs.get("href", "")), words, line, token.content, at)
                case "image":
                    self.link(str(child.attrs.get("src", "")), child.content, line,
                              token.content, at, embed=True)  # fmt: skip
                case "math_inline" | "math_inline_double":
                    behind = children[position + 1 :]
                    reasons = _reason(behind, "not run"), _reason(behind, "here")
                    display = child.type == "math_inline_double"
                    self.formulas.append(Formula(line, child.content, display, *reasons))
                    if not re.search(r"[=<>]|\\(approx|le|ge|ne|in|equiv)", child.content):
                        # It states nothing, so the numbers in it are read as in prose.
                        plain = child.content.replace(r"\times", "×").replace(r"\,", " ")
                        self.numbers(line, plain.replace("{,}", ","), children[position + 1 :])
                    at += len(child.content)
                case "text" if not in_heading:
                    self.numbers(line, child.content, children[position + 1 :])
                    at += len(child.content)
                case "code_inline":
                    at += len(child.content)
                case "tag":
                    self.tags.append(child.meta["match"]["tag"])
        self.block_id(token, span, tokens, index)

    def numbers(self, line: int, text: str, behind: list[Token]) -> None:
        found = [q for q in QUANTITY.finditer(text) if not NAMED.search(text[: q.start()])]
        for quantity in found:
            last = quantity is found[-1] and not text[quantity.end() :].strip(" ).,;:")
            why = _reason(behind, "given") if last else ""
            self.quantities.append(Quantity(line, quantity[0].strip(), why))

    def link(
        self, href: str, words: str, line: int, content: str, at: int, embed: bool = False
    ) -> None:
        if re.match(r"[a-z][a-z0-9+.-]*:|//", href, re.IGNORECASE):
            return
        target, _, sub = unquote(href).partition("#")
        self.links.append(
            Link(line, target, sub, words, embed, False, sentence=_sentence(content, at))
        )

    def block_id(
        self, token: Token, span: tuple[int, int], tokens: list[Token], index: int
    ) -> None:
        found = block_id(token.content)
        if not found:
            return
        block = (span[0] + 1, span[1])
        alone = not token.content[: found.start()].strip()
        if alone:
            # An id on a line of its own names the block above it.
            level, close = token.level - 1, index - 2
            while close >= 0 and not (tokens[close].level == level and _map(tokens[close])):
                close -= 1
            above = _map(tokens[close]) if close >= 0 else None
            block = (above[0] + 1, above[1]) if above else block
        self.block_ids[found["id"]] = block


def _reason(behind: list[Token], what: str) -> str:
    """Find the reason that a comment gives right behind a formula or number."""
    for token in behind:
        if token.type in ("html_inline", "html_block"):
            found = REASON.match(token.content.strip())
            return found["why"] if found and found["what"] == what else ""
        if token.content.strip() and token.type != "softbreak":
            return ""
    return ""


def _unique(wanted: str, taken: dict[str, int]) -> str:
    """Tell headings of the same words apart in the site's own way: ``x``, ``x_1``, ``x_2``.

    ``taken`` holds the addresses in use, each with the last number tried for its words, so that
    ten thousand equal headings do not take a hundred million looks.
    """
    stem, number = wanted, 0
    if found := re.fullmatch(r"(.*)_(\d+)", wanted):
        stem, number = found[1], int(found[2])
    address = wanted
    number = max(number, taken.get(wanted, 0))
    while address in taken or not address:
        number += 1
        address = f"{stem}_{number}"
    taken[wanted] = number
    taken.setdefault(address, 0)
    return address


def _map(token: Token) -> tuple[int, int] | None:
    return (token.map[0], token.map[1]) if token.map else None


def _unescaped(token: Token) -> str:
    """Text of indented code, or of HTML that shows code."""
    if token.type == "code_block":
        return token.content
    shown = re.search(r"<(pre|code)\b[^>]*>(.*?)</\1>", token.content, re.DOTALL | re.IGNORECASE)
    return unescape(re.sub(r"<[^>]*>", "", shown[2])) if shown else ""


def _line(token: Token) -> int:
    return (token.map or [0])[0] + 1


def _source(token: Token) -> str:
    """Tell how a token begins in the source, near enough to find it again."""
    match token.type:
        case "math_inline":
            return f"${token.content}$"
        case "math_inline_double":
            return f"$${token.content}$$"
        case "image":
            return "!["
        case "link_open":
            return "["
        case _:
            return token.content


def _words_of_link(children: list[Token], opening: Token) -> str:
    index = children.index(opening)
    closing = next(i for i in range(index, len(children)) if children[i].type == "link_close")
    return "".join(_spoken(child) for child in children[index + 1 : closing])


def _spoken(token: Token) -> str:
    """Plain words of an inline token."""
    match token.type:
        case "wikilink":
            return Link.from_match(token.meta["match"]).shown
        case "comment" | "html_inline" | "image":
            return ""
        case "softbreak" | "hardbreak":
            return " "
        case _:
            return token.content


def _plain(markdown: str) -> str:
    """Plain words of one line of Markdown."""
    return "".join(_spoken(child) for child in _PARSER.parseInline(markdown)[0].children or [])


def _sentence(content: str, at: int) -> str:
    """Return the sentence of a paragraph that holds the position ``at``."""
    ends = [m.end() for m in re.finditer(r"[.!?][)\"'*_]*\s+(?=[\W\dA-Z])", content)]
    start = max((end for end in ends if end <= at), default=0)
    stop = min((end for end in ends if end > at), default=len(content))
    sentence = BLOCK_ID.sub("", COMMENT.sub("", content[start:stop]))
    return " ".join(sentence.split())
