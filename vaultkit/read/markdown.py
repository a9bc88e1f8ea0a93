"""Reads a note from Markdown: tokens of markdown-it-py become records, each with its line.

Everything that asks what a note says asks here: the checks, the link graph, the site.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, MutableMapping
from copy import copy
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock, code
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter, Scanned
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_block_dollar, math_inline_dollar
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_tail
from mdit_py_plugins.front_matter import front_matter_plugin

from vaultkit.read import extract, fences, properties, source
from vaultkit.read.comments import hide, shown
from vaultkit.read.note import (
    Block,
    Cell,
    Coded,
    Fence,
    Formula,
    Heading,
    Inline,
    Link,
    Note,
    Passage,
    Problem,
    tags_of,
)
from vaultkit.read.predictions import Prediction, predictions
from vaultkit.read.prose import Prose, states
from vaultkit.read.sentences import LONGEST as LONGEST_SENTENCE
from vaultkit.read.sentences import Sentences
from vaultkit.read.syntax import (
    CALLOUT,
    COMMENT,
    HTML_ALT,
    HTML_HIDDEN,
    HTML_LINK,
    HTML_TAG,
    LINE_END,
    PRICES,
    REASON,
    SURROGATE,
    TAG,
    WIKILINK,
    block_id,
    slug,
)

#: Blocks within blocks, beyond which nothing is read; characters of a paragraph, and how many of
#: them may be marks: what comes after reads some of those again and again.
DEEPEST, LONGEST, MOST_MARKS = 50, 50_000, 2000
#: A picture in the text itself, which has no marks to be read again.
_EMBEDDED = re.compile(r"data:[\w/+.-]+;base64,[\w+/=]+")
#: Dollars that begin a formula on lines of its own, where no others end it: what a price may be
#: (`$$`, `$$$`) does not look like this.
_UNCLOSED_MATHS = re.compile(r"^\$\$(?!\$)(?=\s*$|[^$]*[=^_\\<>])")
#: Properties that nothing closes: Obsidian shows them as a line across the page and text.
_UNCLOSED_FRONT = re.compile(r"---[ \t]*\n[\w-]+[ \t]*:(?:[ \t]|\n|\Z)")
#: What stands in a text only because it is not what it was meant to be, and why it is not.
_UNREAD = {
    re.compile(r"\[\^[^\]\s]+\](?!:)"): "there is no such footnote on this note",
    re.compile(
        r"(?<![\w\])])\[(?=[^]]*[A-Za-z])[^][^][^][]{0,199}\]\[(?=[^]]*[A-Za-z])[^][^][^][]{0,99}\]"
    ): "this note says nowhere where that leads",
    re.compile(r"\\begin\{[a-z]+\*?\}"): "this stands outside mathematics; write $$ around it",
    re.compile(
        r"\$(?:[^$\n]*(?:\\[A-Za-z]{2,}|[_^]\{)[^$\n]*\$"
        r"|\s?[A-Za-z](?:[_^]\w)?\s?[=<>≤≥≈≠][^$\n]*\$(?![\w$]))"
    ): "this is read as text; no space stands behind the first $, nor before the last one",
    # Callouts of Python-Markdown and of MyST.
    re.compile(r'^(?:!!!|\?\?\?\+?|:::+)\s?\{?[a-z][a-z-]*\}?(?:\s".*")?$'): (
        "this is read as text; write > [!note]"
    ),
}
#: What one of these holds.
_UNREAD_MARKS = ("[", "$", "\\begin{", "!!!", "???", ":::")
#: Mathematics between the brackets of LaTeX, which Obsidian and Markdown show as text.
_LATEX = re.compile(r"(?<!\\)\\([(\[])((?:(?!\\[()\[\]]).){1,500}?)\\[)\]]", re.DOTALL)
_IS_MATHS = re.compile(r"[=<>≤≥≈≠∈^_]|\\[A-Za-z]{2}")
_DOLLARS = re.compile(r"(?<![\\$])\$(?![\s$])([^$\n]*[^$\s\\])\$(?!\d)")
_MARK = re.compile(r"[][!*_`~<&\\$%#]")


def parse(text: str, path: Path = Path("note.md")) -> Note:
    """Read the text of a note. Whatever the text is, it comes back as a note, with its problems."""
    problems = list(_odd_characters(text))
    text = SURROGATE.sub("\ufffd", text)
    hidden = hide(text)
    if hidden.unclosed:
        told = "this comment is never closed: all that follows is hidden"
        problems.append(Problem(hidden.unclosed, told))
    note = _Reader(Note(path, text, comments=hidden.lines), _tokenize(hidden.text)).read()
    return replace(note, problems=(*problems, *note.problems)) if problems else note


def read(path: Path) -> Note:
    """Read a note from its file; one that cannot be read is a note with a problem."""
    try:
        return parse(source.read(path), path)
    except source.UnreadableError as error:
        return unread(path, error)


def unread(path: Path, error: source.UnreadableError) -> Note:
    """Make a note of a file that cannot be read. Links to its headings still hold."""
    note = parse(error.text, path)
    return Note(
        path,
        note.text,
        meta=note.meta,
        front=note.front,
        headings=note.headings,
        block_ids=note.block_ids,
        problems=(Problem(error.line, error.reason),),
        refused=error.reason,
    )


def _odd_characters(text: str) -> Iterator[Problem]:
    for pattern, what in (
        ("\0", "a NUL character: no text, or UTF-16; save it as UTF-8"),
        (SURROGATE, "half a character, which no file can hold"),
    ):
        if found := re.search(pattern, text):
            before = LINE_END.sub("\n", text[: found.start()])
            yield Problem(before.count("\n") + 1, what, len(before) - before.rfind("\n"))


# --- How markdown-it-py learns Obsidian's syntax ------------------------------------------------


def _inline_rule(pattern: re.Pattern[str], kind: str) -> Any:
    def rule(state: StateInline, silent: bool) -> bool:
        found = pattern.match(state.src, state.pos)
        if not found or (kind == "wikilink" and found["target"].count("`") > 1):
            return False  # code is not the name of a note
        if not silent:
            token = state.push(kind, "", 0)
            token.content = found[0]
            token.meta = {"match": found}
        state.pos = found.end()
        return True

    return rule


#: What would end a paragraph, within mathematics on lines of its own.
_ENDS = re.compile(r"(?:$|[-+*]\s|>|#{1,6}\s|\d+[.)]\s|```|~~~|[=-]+\s*$|<)")


def _displayed(rule: Any) -> Any:
    """Let mathematics that holds blank lines, or what looks like a list, end a paragraph.

    All other mathematics can stand in one. Nothing but a formula has two dollars at both ends.
    """

    def read(state: StateBlock, first: int, end: int, silent: bool) -> bool:
        def line(number: int) -> str:
            return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]

        if not line(first).startswith("$$"):
            return False
        if not silent:
            last = first
            if "$$" not in line(first)[2:]:
                last = next((n for n in range(first + 1, end) if "$$" in line(n)), first)
            if line(last).count("$$") > 1 + (last == first):
                return False  # several, in one line
            stops = state.eMarks[last]
            if last > first:
                # What stands behind a formula is another block.
                state.eMarks[last] = state.src.index("$$", state.bMarks[last]) + 2
            found = bool(rule(state, first, end, False))
            begins, state.eMarks[last] = state.eMarks[last], stops
            rest = state.src[begins:stops]
            if found and last > first and rest.strip():
                state.line, state.bMarks[last] = last, begins
                state.tShift[last] = len(rest) - len(rest.lstrip())
                state.sCount[last] = state.blkIndent
            return found

        if "$$" in line(first)[2:]:
            return False
        # Asked line by line, so the marks above are counted on from the line asked about before.
        begun, counted, marks = state.env.get("displayed", (-1, 0, 0))
        if begun != state.line or counted > first:
            counted, marks = state.line, 0
        marks += sum(line(number).count("$$") for number in range(counted, first))
        state.env["displayed"] = (state.line, first, marks)
        if marks % 2:
            return False  # here one ends
        ends = False
        for number in range(first + 1, end):
            if "$$" in line(number):
                return ends
            ends = ends or bool(_ENDS.match(line(number)))
        return False

    return read


def _unpriced(rule: Any) -> Any:
    """Take no prices for mathematics."""

    def read(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] != "$" or PRICES.match(state.src, state.pos):
            return False
        return bool(rule(state, silent))

    return read


def _indented(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Take no text that goes on behind a formula for code."""
    above = first - 1
    if first and state.src[state.bMarks[above] : state.eMarks[above]].rstrip().endswith("$$"):
        return False
    return code(state, first, end, silent)


#: Where text may end and something else begin.
_NO_TEXT = re.compile(r"[\n!#$%&*+\-:<=>@\[\\\]^_`{}~\ufdd0]")


def _text(state: StateInline, silent: bool) -> bool:
    """Do what markdown-it-py's own rule does, which knows no filler of comments."""
    found = _NO_TEXT.search(state.src, state.pos)
    end = found.start() if found else state.posMax
    if end == state.pos:
        return False
    if not silent:
        state.append_pending(state.src[state.pos : end])
    state.pos = end
    return True


#: Letters and signs of languages that have no blanks between words.
_UNSPACED = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


class _State(StateInline):
    """Lets emphasis begin and end at a bracket or full stop within a Chinese or Japanese sentence.

    CommonMark wants a blank there: ``（**Hi**！）`` has none.
    """

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802
        found = super().scanDelims(start, canSplitWord)
        if self.src[start] == "_":
            return found  # a part of a name: 変数_x_値
        end = start + found.length
        before, behind = self.src[start - 1 : start] if start else "", self.src[end : end + 1]
        opens = bool(_UNSPACED.match(before)) and bool(behind.strip())
        closes = bool(_UNSPACED.match(behind)) and bool(before.strip())
        return Scanned(found.can_open or opens, found.can_close or closes, found.length)


class _Inline(ParserInline):
    """Notes in each token where in its paragraph it begins: ``meta["at"]``."""

    def parse(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> list[Token]:
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens

    def tokenize(self, state: StateInline) -> None:
        rules = self.ruler.getRules("")
        begun = state.pos  # of the text that waits to become a token
        while state.pos < state.posMax:
            before, count = state.pos, len(state.tokens)
            if not state.pending:
                begun = before
            for rule in rules:
                if rule(state, False):
                    break
            else:
                state.append_pending(state.src[state.pos])
                state.pos += 1
            for token in state.tokens[count:]:
                waited = token is state.tokens[count] and token.type == "text" and begun < before
                token.meta.setdefault("at", begun if waited else before)
            if len(state.tokens) > count and state.pending:
                begun = before
        if state.pending:
            state.pushPending().meta["at"] = begun


def _marks(state: StateInline, silent: bool) -> bool:
    """Read the ends of ``==marked words==``; within a word they are none: ``a==b``."""
    if silent or state.src[state.pos] != "=":
        return False
    run = state.scanDelims(state.pos, False)
    token = state.push("text", "", 0)
    token.content = state.src[state.pos : state.pos + run.length]
    if run.length == len("=="):
        here = len(state.tokens) - 1
        ends = Delimiter(ord("="), 0, here, -1, run.can_open, run.can_close)
        state.delimiters.append(ends)
    state.pos += run.length
    return True


def _pair_marks(state: StateInline) -> None:
    nested = (meta["delimiters"] for meta in state.tokens_meta if meta)
    for delimiters in (state.delimiters, *nested):
        for begins in delimiters:
            if begins.marker == ord("=") and begins.end >= 0:
                ends = delimiters[begins.end]
                for where, kind, nesting in ((begins, "mark_open", 1), (ends, "mark_close", -1)):
                    token = state.tokens[where.token]
                    token.type, token.tag, token.nesting = kind, "mark", nesting
                    token.markup, token.content = "==", ""


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST})
    parser.inline = _Inline()
    parser.configure("commonmark", {"maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    # Joining texts loses where the parts began; `_joined` keeps it.
    parser.inline.ruler2.disable("fragments_join")
    parser.core.ruler.disable("text_join")
    parser.use(front_matter_plugin).use(footnote_plugin, move_to_end=False)
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, double_inline=True)
    display = _displayed(math_block_dollar(allow_labels=False, allow_blank_lines=True))
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("math_block", display, {"alt": ends})
    inline = math_inline_dollar(allow_space=False, allow_double=True)
    parser.inline.ruler.at("math_inline", _unpriced(inline))
    parser.block.ruler.at("code", _indented)
    parser.inline.ruler.at("text", _text)
    parser.inline.ruler.before("link", "wikilink", _inline_rule(WIKILINK, "wikilink"))
    parser.inline.ruler.before("link", "comment", _inline_rule(COMMENT, "comment"))
    parser.inline.ruler.before("link", "tag", _inline_rule(TAG, "tag"))
    parser.inline.ruler.after("strikethrough", "mark", _marks)
    parser.inline.ruler2.after("strikethrough", "mark", _pair_marks)
    return parser


_PARSER = _make_parser()


@dataclass
class Parsed:
    """What the parser finds in a text.

    Attributes
    ----------
    lines
        The lines of the text, with a filler for what comments hide.
    tokens
        Its blocks, with what stands in their lines; footnotes where they are defined.
    env
        The addresses and the footnotes that it defines, as markdown-it-py keeps them.
    """

    lines: list[str]
    tokens: list[Token]
    env: dict[str, Any]

    def with_footnotes_last(self) -> list[Token]:
        """Return the tokens with the footnotes that are marked behind all else, in their order."""
        state = StateCore("", _PARSER, self.env, [*self.tokens])
        footnote_tail(state)
        return state.tokens


def tokenize(text: str, env: dict[str, Any] | None = None) -> Parsed:
    """Parse a text: all that notes and pages are made of.

    Parameters
    ----------
    text
        The text, with its comments.
    env
        Addresses and footnotes that are defined elsewhere.

    Examples
    --------
    >>> [token.type for token in tokenize("- a").tokens if token.nesting == 1]
    ['bullet_list_open', 'list_item_open', 'paragraph_open']
    """
    return _tokenize(hide(SURROGATE.sub("\ufffd", text)).text, env)


def _tokenize(hidden: str, env: dict[str, Any] | None = None) -> Parsed:
    # Of what the parser keeps there, only that is of use elsewhere.
    env = {name: env[name] for name in ("references", "footnotes") if env and name in env}
    return Parsed(hidden.removesuffix("\n").split("\n"), _PARSER.parse(hidden, env), env)


def tokenize_line(text: str, env: dict[str, Any] | None = None) -> list[Token]:
    """Parse what stands in a line: the words of a link, a sentence.

    Examples
    --------
    >>> [token.type for token in tokenize_line("a $x$")]
    ['text', 'math_inline']
    """
    return _PARSER.parseInline(text, env)[0].children or []


# --- From tokens to a note ----------------------------------------------------------------------


class _Reader:
    """Walks over the tokens of one note and collects what they say."""

    def __init__(self, note: Note, parsed: Parsed) -> None:
        self.note = note
        self.parsed = parsed
        self.lines = parsed.lines
        self.source = Source(parsed.lines)
        self.sections = [note.name]
        self.headings: list[Heading] = []
        self.fences: list[Fence] = []
        self.blocks: list[Block] = []
        self.formulas: list[Formula] = []
        self.predictions: list[Prediction] = []
        self.prose: list[Prose] = []
        self.coded: list[Coded] = []
        self.asides: list[Formula] = []
        self.links: list[Link] = []
        self.passages: list[Passage] = []
        self.block_ids: dict[str, tuple[int, int]] = {}
        self.tags: list[str] = []
        self.problems: list[Problem] = []
        self.meta: dict[str, Any] = {}
        self.slugs: dict[str, int] = {}
        self.front = 0
        self.refused = ""
        #: What its first cell says.
        self.row = ""
        #: The titles of its columns, and how many cells of the row were read, with the first one.
        self.titles: list[str] = []
        self.first = ("", 0, 0)
        self.row_cells = 0
        self.cells: list[Cell] = []

    def read(self) -> Note:
        self.walk(self.parsed.with_footnotes_last())
        if not self.front and _UNCLOSED_FRONT.match("\n".join(self.lines[:2])):
            told = "these properties are never closed, so they are read as text; write --- below"
            self.problems.insert(0, Problem(1, told))
        return replace(
            self.note,
            meta=self.meta,
            front=self.front,
            headings=tuple(self.headings),
            fences=tuple(self.fences),
            blocks=tuple(self.blocks),
            formulas=tuple(self.formulas),
            asides=tuple(self.asides),
            predictions=tuple(self.predictions),
            prose=tuple(self.prose),
            coded=tuple(self.coded),
            cells=tuple(self.cells),
            links=tuple(self.links),
            passages=tuple(self.passages),
            block_ids=self.block_ids,
            tags=tuple(dict.fromkeys([*tags_of(self.meta.get("tags")), *self.tags])),
            problems=tuple(self.problems),
            refused=self.refused,
        )

    def refuse(self, line: int, why: str) -> None:
        """Say what is beyond all bounds."""
        self.refused = self.refused or why
        self.problems.append(Problem(line, why))

    def walk(self, tokens: list[Token]) -> None:
        open_maps: list[tuple[int, int]] = []
        previous: Token | None = None
        for index, token in enumerate(tokens):
            if token.nesting == 1:
                if token.level == DEEPEST - 1 and token.type in _CONTAINERS:
                    line = (_map(token) or (open_maps or [(0, 0)])[-1])[0] + 1
                    self.refuse(line, "nested too deeply: nothing of it is read")
                open_maps.append(_map(token) or (open_maps[-1] if open_maps else (0, 0)))
            span = _map(token) or (open_maps[-1] if open_maps else (0, 0))
            match token.type:
                case "front_matter":
                    self.front_matter(token)
                case "blockquote_open":
                    self.sections.append(self.callout_title(tokens, index) or self.sections[-1])
                    self.predictions += predictions(tokens, index, self.place)
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
                    of_code = not fences.is_session(_unescaped(token))
                    self.problems.append(Problem(span[0] + 1, told, of_code=of_code, unseen=True))
                case "math_block":
                    behind = tokens[index + 1 : index + 2]
                    reasons = _reason(behind, "not run"), _reason(behind, "here")
                    tex = token.content.strip()
                    raw = self.lines[span[0]] if span[0] < len(self.lines) else ""
                    column = max(raw.find("$$"), 0) + 1
                    lead = token.content[: token.content.find(tex)].count("\n")
                    self.formulas.append(Formula(span[0] + 1, tex, True, *reasons, column, lead))
                    display = Prose()
                    display.add_formula(tex, span[0] + 1, column)
                    self.prose.append(display)
                case "inline":
                    self.inline(token, span, tokens, index)
                case "html_block":
                    self.html_block(token, span)
            if token.nesting == -1:
                open_maps.pop()
            previous = token

    def front_matter(self, token: Token) -> None:
        found = properties.read(token.content)
        self.front = (token.map or (0, 0))[1]
        self.meta = found.values
        # The properties begin on the second line.
        self.problems += [replace(problem, line=problem.line + 1) for problem in found.problems]
        self.links += [replace(link, line=link.line + 1) for link in found.links]
        for key in extract.PROPERTIES:
            lines = token.content.split("\n")
            where = (n for n, raw in enumerate(lines) if raw.startswith(f"{key}:"))
            self.aside(str(found.values.get(key) or ""), _line(token) + 1 + next(where, 0))
        self.prose += extract.of_properties(found.values, token.content, _line(token) + 1)

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
        line, column = self.source.places(inline, (_line(token) - 1, 0))(0)
        source = shown(inline.content)
        heading = Heading(line, int(token.tag[1:]), text, anchor, column, source)
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
        what = fence.info, fence.language, fence.text, role
        told = fences.misread(*what)
        self.problems += [Problem(fence.line, why, unseen=True) for why in told]
        told = fences.unused(*what)
        self.problems += [Problem(fence.line, why, of_code=True, unseen=True) for why in told]
        if fence.language in fences.RUNS:
            self.blocks.append(Block(fence, None, self.sections[-1]))
            # What shows a file has the comments of that file, and its names.
            if closed and "#" in fence.text and "title=" not in fence.info:
                column = len(prefix) + 1
                self.prose += extract.of_comments(fence.text, fence.line + 1, column)
        elif fence.language == "text" and role == "compared":
            self.blocks[-1] = replace(self.blocks[-1], output=fence)
        elif fence.language == "mermaid":
            self.prose += extract.of_diagram(lines, fence.line + 1, len(prefix) + 1)
            for number, found in extract.clicks(lines):
                line = fence.line + 1 + number
                self.link(found["href"], "", line, len(prefix) + 1 + found.start("href"), "")

    def place(self, token: Token, at: int) -> tuple[int, int]:
        """Tell where in the file a place in the text of a token stands."""
        first = (token.map or [0])[0]
        return self.source.places(token, (first, first))(at)

    def inline(self, token: Token, span: tuple[int, int], tokens: list[Token], index: int) -> None:
        if self.is_beyond_bounds(token.content, span):
            return
        above = tokens[index - 1].type
        places = self.source.places(token, span, above in ("td_open", "th_open"))
        children = _joined(token.children or [])
        self.line_of_text(token.content, children, places)
        if "\\(" in token.content or "\\[" in token.content:
            self.in_brackets(token.content, children, places)
        where = "heading" if above == "heading_open" else ""
        if not where:
            self.passages.append(_passage(token.content, children, span[0] + 1))
        pieces = list(extract.of_inline(children, places, where))
        if above in ("td_open", "th_open"):
            if tokens[index - 2].type == "tr_open":
                self.row = pieces[-1].text
            pieces[-1].row = self.row
            self.cell_of_table(token.content, places(0), above == "th_open",
                               tokens[index - 2].type == "tr_open")  # fmt: skip
        unclosed = [c for c in children if c.type == "text" and _UNCLOSED_MATHS.match(c.content)]
        if unclosed and above not in ("td_open", "th_open"):
            line, column = places(_source_of(unclosed[0], 0))
            told = "$$: no other $$ ends this formula, which is read as text"
            self.problems.append(Problem(line, told, column))
        else:
            self.prose += pieces
        if any(child.type == "code_inline" for child in children):
            self.coded.append(_coded(token.content, children, places))
        self.block_id(token, span, tokens, index)

    def cell_of_table(
        self, content: str, place: tuple[int, int], heads: bool, begins: bool
    ) -> None:
        """Read a cell, with the title of its column and the first cell of its row."""
        if heads:
            self.titles = [] if begins else self.titles
            self.titles.append(content)
            return
        if begins:
            self.first, self.row_cells = (content, *place), 0
        self.row_cells += 1
        if 1 < self.row_cells <= len(self.titles):
            title = self.titles[self.row_cells - 1]
            self.cells.append(Cell(content, *place, title, self.first))

    def is_beyond_bounds(self, content: str, span: tuple[int, int]) -> bool:
        """Refuse a paragraph that no reader gets through in time."""
        if len(content) > LONGEST and len(_EMBEDDED.sub("", content)) > LONGEST:
            self.refuse(span[0] + 1, f"a paragraph of more than {LONGEST:,} characters")
        elif len(content) > MOST_MARKS and len(_MARK.findall(content)) > MOST_MARKS:
            self.refuse(span[0] + 1, f"a paragraph of more than {MOST_MARKS:,} brackets and marks")
        else:
            return False
        return True

    def html_block(self, token: Token, span: tuple[int, int]) -> None:
        """Read what stands between tags as a line of text: CommonMark would not."""
        if self.is_beyond_bounds(token.content, span):
            return
        text = HTML_HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), token.content)
        places = self.source.places(token, span)
        for tag in HTML_TAG.finditer(text):
            self.html(tag[0], places, tag.start())
        text = HTML_TAG.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
        if text.strip():
            (inline,) = _PARSER.parseInline(text)
            self.line_of_text(text, _joined(inline.children or []), places)
        self.prose += extract.of_html(token.content, span[0] + 1)

    def line_of_text(self, content: str, children: list[Token], places: Places) -> None:
        alone = sum(child.type in _SHOWN or bool(child.content.strip()) for child in children) == 1
        sentences = Sentences(content)
        for position, child in enumerate(children):
            if child.type == "text":
                if any(mark in child.content for mark in _UNREAD_MARKS):
                    self.unread(content, child, places)
                continue
            at = child.meta.get("at", 0)
            line, column = places(at)
            match child.type:
                case "wikilink":
                    link = Link.from_match(child.meta["match"], line, column)
                    self.links.append(replace(link, alone=alone, sentence=sentences.around(at)))
                    words = child.meta["match"]["words"]
                    if words and not link.embed:
                        begins = child.meta["match"].start("words")
                        (inner,) = _PARSER.parseInline(words)
                        within = _joined(inner.children or [])
                        self.line_of_text(words, within, places.from_(begins))
                case "link_open":
                    words = _words_of_link(children, position)
                    href = str(child.attrs.get("href", ""))
                    self.link(href, words, line, column, sentences.around(at))
                case "image":
                    src = str(child.attrs.get("src", ""))
                    self.aside(child.content, line, column)
                    self.link(src, child.content, line, column, sentences.around(at), True)
                case "math_inline" | "math_inline_double":
                    why, here = (
                        _reason(children, what, position + 1) for what in ("not run", "here")
                    )
                    display = child.type == "math_inline_double"
                    self.formulas.append(Formula(line, child.content, display, why, here, column))
                case "html_inline":
                    self.html(child.content, places, at)
                case "tag":
                    self.tags.append(child.meta["match"]["tag"])

    def unread(self, content: str, text: Token, places: Places) -> None:
        """Find what is text only because it is not what it was meant to be."""
        for pattern, why in _UNREAD.items():
            for found in pattern.finditer(text.content):
                at = _source_of(text, found.start())
                if content.startswith(found[0], at):
                    line, column = places(at)
                    self.problems.append(Problem(line, f"{found[0]}: {why}", column))

    def in_brackets(self, content: str, children: list[Token], places: Places) -> None:
        r"""Find ``\(x = 1\)``, which is no mathematics here."""
        plain = _passage(content, children, 0).plain
        for found in _LATEX.finditer(content):
            if _IS_MATHS.search(found[2]) and plain[found.start()] == found[1]:
                line, column = places(found.start())
                told = f"{found[0]}: this is read as text; mathematics stands between dollars"
                self.problems.append(Problem(line, " ".join(told.split()), column))

    def html(self, tag: str, places: Places, at: int) -> None:
        """Find the links of a tag."""
        alt = HTML_ALT.search(tag)
        for found in HTML_LINK.finditer(tag):
            href = unescape((found["value"] or found["bare"]).strip("\"'"))
            words = unescape(alt["value"].strip("\"'")) if alt else ""
            name = found["name"].lower()
            image = name in ("src", "srcset")
            if name == "data" and not tag.lower().startswith("<object"):
                continue
            line, column = places(at + found.start("name"))
            if name == "srcset":
                # Several, each with how wide or dense it is.
                for one in re.findall(r"(?:^|,\s|(?<=\d[xw]),)\s*(\S+?)(?=,?\s|,?$)", href):
                    self.link(one, words, line, column, "", image)
            elif href:
                self.link(href, words, line, column, "", image)

    def aside(self, text: str, line: int, column: int = 1) -> None:
        """Find the formulas that state something where none is typeset."""
        for found in _DOLLARS.finditer(text):
            if states(found[1]):
                self.asides.append(Formula(line, found[1], False, column=column))

    def link(
        self, href: str, words: str, line: int, column: int, sentence: str, embed: bool = False
    ) -> None:
        if re.match(r"[a-z][a-z0-9+.-]*:|//", href, re.IGNORECASE):
            return
        target, _, sub = unquote(href).partition("#")
        self.links.append(
            Link(line, target, sub, words, embed, False, sentence=sentence, column=column)
        )

    def block_id(
        self, token: Token, span: tuple[int, int], tokens: list[Token], index: int
    ) -> None:
        found = block_id(token.content)
        if not found:
            return
        # A footnote within a line spans none.
        block = (span[0] + 1, max(span[0] + 1, span[1]))
        if index > 1 and tokens[index - 2].type == "list_item_open":
            # With all else in the item.
            last = max(block[1], (_map(tokens[index - 2]) or block)[1])
            while last > block[1] and not self.lines[last - 1].strip("> \t"):
                last -= 1
            block = (block[0], last)
        alone = not token.content[: found.start()].strip()
        if alone:
            # An id on a line of its own names the block above it.
            level, close = token.level - 1, index - 2
            while close >= 0 and not (tokens[close].level == level and _map(tokens[close])):
                close -= 1
            above = _map(tokens[close]) if close >= 0 else None
            block = (above[0] + 1, above[1]) if above else block
        self.block_ids[found["id"]] = block


def _reason(tokens: list[Token], what: str, first: int = 0) -> str:
    """Find the reason that a comment gives right behind a formula or number."""
    for index in range(first, len(tokens)):
        token = tokens[index]
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


class Source:
    """The lines of a text, and where in them the text of its tokens stands."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        #: The line of the last cell of a table, and where in it the cell ended.
        self.cell = (0, 0)

    def places(self, token: Token, span: tuple[int, int], cell: bool = False) -> Places:
        """Tell where in the file the text of a paragraph, heading or cell stands.

        Cells are to be asked for in their order. ``span`` are the lines of the block around.
        """
        first = (token.map or span)[0]
        raw = self.lines[first] if first < len(self.lines) else ""
        if not cell:
            contents = token.content.split("\n")
            return Places(first, contents, self.lines[first : first + len(contents)])
        cell_ = token.content.replace("|", "\\|")
        at = max(0, raw.find(cell_, self.cell[1] if self.cell[0] == first else 0))
        self.cell = (first, at + len(cell_))
        return Places(first, [token.content], [raw], at)


class Places:
    """Turns places in a paragraph into lines and columns of its file, both from 1.

    Parameters
    ----------
    first
        Its first line, from 0.
    contents
        Its lines without what stands before them: ``> ``, an indent, ``## ``.
    raw
        The same lines as the file has them.
    column
        Where the first begins, if that is known.
    """

    def __init__(
        self, first: int, contents: list[str], raw: list[str], column: int | None = None
    ) -> None:
        self.first, self.contents, self.raw, self.column = first, contents, raw, column
        self.befores: dict[int, int] = {}
        self.begins = 0
        self.starts = [0]
        for line in contents[:-1]:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def from_(self, begins: int) -> Places:
        """Return the places of a part that begins there."""
        part = copy(self)
        part.begins = self.begins + begins
        return part

    def __call__(self, at: int) -> tuple[int, int]:
        """Return the line and the column."""
        at += self.begins
        number = bisect_right(self.starts, at) - 1
        if number not in self.befores:
            self.befores[number] = self.before(number)
        offset = at - self.starts[number]
        if self.column is not None:
            # In a table a bar is written `\|`.
            offset += self.contents[number].count("|", 0, offset)
        length = len(self.raw[number]) if number < len(self.raw) else 0
        return self.first + number + 1, max(1, min(self.befores[number] + offset, length) + 1)

    def before(self, number: int) -> int:
        """Count what stands before a line of the text in its line of the file."""
        if self.column is not None or number >= len(self.raw):
            return self.column or 0
        raw = self.raw[number].replace("\0", "\ufffd")
        return max(0, raw.rfind(self.contents[number].rstrip()))


#: Tokens that one sees, though they have no content of their own.
_SHOWN = {"image", "link_open", "math_inline", "math_inline_double"}
_CONTAINERS = {"blockquote_open", "list_item_open", "footnote_open"}


def _joined(children: list[Token]) -> list[Token]:
    """Join texts that follow each other, and note where the parts of each began."""
    joined: list[Token] = []
    parts: list[str] = []
    length = 0

    def finish() -> None:
        if parts:
            joined[-1].content = "".join(parts)
            parts.clear()

    for child in children:
        if child.type in ("text", "text_special"):
            if not parts:
                child.type = "text"
                child.meta["parts"] = []
                joined.append(child)
                length = 0
            joined[-1].meta["parts"].append((length, child.meta.get("at", 0)))
            parts.append(child.content)
            length += len(child.content)
        else:
            finish()
            joined.append(child)
    finish()
    return joined


def _passage(content: str, children: list[Token], line: int) -> Passage:
    """Blank all of a text but its words: links with theirs, code, mathematics, tags."""
    plain: list[str] = []
    length = linked = 0
    for child in children:
        linked += (child.type == "link_open") - (child.type == "link_close")
        if child.type == "text" and not linked:
            parts = child.meta.get("parts") or [(0, child.meta.get("at", 0))]
            for (offset, at), (end, _) in zip(
                parts, [*parts[1:], (len(child.content), 0)], strict=True
            ):
                plain += " " * (at - length), child.content[offset:end]
                length = max(at, length) + end - offset
    plain.append(" " * (len(content) - length))
    words = "".join(plain)[: len(content)]
    # Most say nothing else: held once, and kept once.
    return Passage(line, content, content if words == content else words)


def _coded(content: str, children: list[Token], places: Places) -> Coded:
    """Keep the parts of a paragraph that holds inline code."""
    parts = []
    for child in children:
        at = child.meta.get("at", 0)
        length = len(child.content) + 2 * len(child.markup)
        parts.append(Inline(child.type, child.content, at, length, *places(at)))
    return Coded(content, tuple(parts))


def _source_of(token: Token, offset: int) -> int:
    """Tell where in its paragraph a character of a text stands; for a formula, where it begins."""
    parts = token.meta.get("parts")
    if not parts:
        return int(token.meta.get("at", 0))
    begins, at = parts[bisect_right(parts, offset, key=lambda part: part[0]) - 1]
    return int(at + offset - begins)


def _words_of_link(children: list[Token], opening: int) -> str:
    words = []
    for child in children[opening + 1 : opening + 1 + LONGEST_SENTENCE]:
        if child.type == "link_close":
            break
        words.append(_spoken(child))
    return "".join(words)


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
