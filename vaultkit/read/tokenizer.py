"""The tokeniser of Obsidian's Markdown: markdown-it-py with additional rules.

The checks and the renderer both use these tokens.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any, NamedTuple

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

from vaultkit.read.comments import hide
from vaultkit.read.syntax import COMMENT, PRICES, SURROGATE, TAG, WIKILINK

#: Deepest nesting of blocks that is parsed.
DEEPEST = 50


def _inline_rule(pattern: re.Pattern[str], kind: str) -> Any:
    """Return a rule of markdown-it that turns each match of a pattern into a token of a kind.

    The token's ``meta["match"]`` is the match.
    """

    def rule(state: StateInline, silent: bool) -> bool:
        """Parse at ``state.pos``, and return whether the rule applies; ``silent`` adds no token."""
        match = pattern.match(state.src, state.pos)
        if not match:
            return False
        if kind == "wikilink" and match["target"].count("`") > 1:
            return False  # code is not the name of a note
        if not silent:
            token = state.push(kind, "", 0)
            token.content = match[0]
            token.meta = {"match": match}
        state.pos = match.end()
        return True

    return rule


#: The beginning of a line that would end a paragraph if it were not within display mathematics.
_ENDS_PARAGRAPH = re.compile(r"(?:$|[-+*]\s|>|#{1,6}\s|\d+[.)]\s|```|~~~|[=-]+\s*$|<)")


def _display_rule(rule: Any) -> Any:
    """Wrap the rule of display mathematics so that only some formulas end a paragraph.

    These are formulas with blank lines, or with lines that look like a list or the like. All others
    may be part of a paragraph.
    """

    def read(state: StateBlock, first: int, end: int, silent: bool) -> bool:
        """Parse display mathematics; when ``silent``, return whether it ends a paragraph."""
        if not _line_of(state, first).startswith("$$"):
            return False
        if silent:
            return _ends_paragraph(state, first, end)
        return _parse_display(rule, state, first, end)

    return read


def _line_of(state: StateBlock, number: int) -> str:
    """Return a line of the block that is parsed, without its indentation."""
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _parse_display(rule: Any, state: StateBlock, first: int, end: int) -> bool:
    """Parse a displayed formula by a rule; return whether one begins in the line ``first``.

    Text behind its closing dollars is left as the beginning of the next block.
    """
    last = first
    if "$$" not in _line_of(state, first)[2:]:
        last = next((n for n in range(first + 1, end) if "$$" in _line_of(state, n)), first)
    is_on_one_line = last == first
    if _line_of(state, last).count("$$") > 1 + is_on_one_line:
        return False  # several formulas on one line
    line_end = state.eMarks[last]
    if not is_on_one_line:
        # The rule shall not see the text behind the formula.
        state.eMarks[last] = state.src.index("$$", state.bMarks[last]) + len("$$")
    is_parsed = bool(rule(state, first, end, False))
    formula_end, state.eMarks[last] = state.eMarks[last], line_end
    text_behind = state.src[formula_end:line_end]
    if is_parsed and not is_on_one_line and text_behind.strip():
        # The parser goes on in the same line, which now begins behind the formula.
        state.line, state.bMarks[last] = last, formula_end
        state.tShift[last] = len(text_behind) - len(text_behind.lstrip())
        state.sCount[last] = state.blkIndent
    return is_parsed


class _DollarCount(NamedTuple):
    """How many ``$$`` a paragraph has above the line ``end``.

    The paragraph is given by its first line.
    """

    paragraph: int
    end: int
    dollars: int


def _ends_paragraph(state: StateBlock, first: int, end: int) -> bool:
    """Return whether the dollars that begin the line ``first`` of a paragraph begin a block.

    They do if they open a formula, it is closed above the line ``end``, and a line of it would end
    the paragraph.
    """
    if "$$" in _line_of(state, first)[2:]:
        return False  # the formula ends on the same line
    # The parser asks for each line of a paragraph in turn, so the count of the dollars in the lines
    # before continues from the last call.
    count = state.env.get("dollar_count")
    if not count or count.paragraph != state.line or count.end > first:
        count = _DollarCount(state.line, state.line, 0)
    new = sum(_line_of(state, number).count("$$") for number in range(count.end, first))
    count = state.env["dollar_count"] = _DollarCount(state.line, first, count.dollars + new)
    if count.dollars % 2:
        return False  # these close a formula
    has_line_that_ends = False
    for number in range(first + 1, end):
        line = _line_of(state, number)
        if "$$" in line:
            return has_line_that_ends
        has_line_that_ends = has_line_that_ends or bool(_ENDS_PARAGRAPH.match(line))
    return False  # never closed


def _without_prices(rule: Any) -> Any:
    """Wrap the rule of inline mathematics so that it does not match prices: *$5 and $10*."""

    def read(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] != "$" or PRICES.match(state.src, state.pos):
            return False
        return bool(rule(state, silent))

    return read


def _parse_indented_code(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Parse indented code, but not text that continues a paragraph after a formula."""
    if first:
        line_above = state.src[state.bMarks[first - 1] : state.eMarks[first - 1]]
        if line_above.rstrip().endswith("$$"):
            return False
    return code(state, first, end, silent)


#: Characters at which text may end and another token begin; the last is the filler of comments.
_NO_TEXT = re.compile(r"[\n!#$%&*+\-:<=>@\[\\\]^_`{}~\ufdd0]")


def _parse_text(state: StateInline, silent: bool) -> bool:
    """Parse text as markdown-it-py does, but stop at the filler of comments."""
    match = _NO_TEXT.search(state.src, state.pos)
    end = match.start() if match else state.posMax
    if end == state.pos:
        return False
    if not silent:
        state.append_pending(state.src[state.pos : end])
    state.pos = end
    return True


#: Characters of languages that do not separate words with blanks.
_UNSPACED = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


class _State(StateInline):
    """Lets emphasis begin and end at a bracket or full stop in a Chinese or Japanese sentence.

    CommonMark requires a blank there: ``（**Hi**！）`` has none.
    """

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802
        """Let ``**`` open and close also between letters of scripts without spaces."""
        delimiters = super().scanDelims(start, canSplitWord)
        if self.src[start] == "_":
            return delimiters  # part of a name: 変数_x_値
        end = start + delimiters.length
        before, behind = self.src[start - 1 : start] if start else "", self.src[end : end + 1]
        # As CommonMark requires, no blank may be at the inner side.
        can_open = bool(_UNSPACED.match(before)) and bool(behind.strip())
        can_close = bool(_UNSPACED.match(behind)) and bool(before.strip())
        return Scanned(
            delimiters.can_open or can_open, delimiters.can_close or can_close, delimiters.length
        )


class _Inline(ParserInline):
    """Records the position of each token in its paragraph in ``meta["at"]``."""

    def parse(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> list[Token]:
        """Return the tokens of ``src``; like the method of the library, with our `_State`."""
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens

    def tokenize(self, state: StateInline) -> None:
        """Apply the rules from left to right; record in ``meta["at"]`` where a token begins.

        The ``meta["end"]`` of an image or a link is where its address ends.
        """
        rules = self.ruler.getRules("")
        text_start = state.pos  # the beginning of pending text
        while state.pos < state.posMax:
            start, count = state.pos, len(state.tokens)
            if not state.pending:
                text_start = start
            for rule in rules:
                if rule(state, False):
                    break
            else:
                state.append_pending(state.src[state.pos])
                state.pos += 1
            added = state.tokens[count:]
            for index, token in enumerate(added):
                # Text that was pending is added before the token of the rule.
                was_pending = index == 0 and token.type == "text" and text_start < start
                token.meta.setdefault("at", text_start if was_pending else start)
                if token.type in ("image", "link_open"):
                    token.meta.setdefault("end", state.pos)
            if added and state.pending:
                text_start = start  # a rule added tokens, and then text
        if state.pending:
            state.pushPending().meta["at"] = text_start


def _parse_mark_delimiters(state: StateInline, silent: bool) -> bool:
    """Parse the delimiters of ``==marked words==``, but not within a word: ``a==b``.

    They are text until `_pair_marks` makes tokens of those that have a partner.
    """
    if silent or state.src[state.pos] != "=":
        return False
    run = state.scanDelims(state.pos, canSplitWord=False)
    token = state.push("text", "", 0)
    token.content = state.src[state.pos : state.pos + run.length]
    if run.length == len("=="):
        at = len(state.tokens) - 1
        delimiter = Delimiter(
            marker=ord("="), length=0, token=at, end=-1, open=run.can_open, close=run.can_close
        )  # `end` is set when it is paired
        state.delimiters.append(delimiter)
    state.pos += run.length
    return True


def _pair_marks(state: StateInline) -> None:
    """Turn each pair of ``==`` delimiters into the tokens of a mark."""
    in_other_tokens = (meta["delimiters"] for meta in state.tokens_meta if meta)
    for delimiters in (state.delimiters, *in_other_tokens):
        for opening in delimiters:
            is_paired = opening.end >= 0
            if opening.marker == ord("=") and is_paired:
                closing = delimiters[opening.end]
                for mark, kind, nesting in ((opening, "mark_open", 1), (closing, "mark_close", -1)):
                    token = state.tokens[mark.token]
                    token.type, token.tag, token.nesting = kind, "mark", nesting
                    token.markup, token.content = "==", ""


def _make_parser() -> MarkdownIt:
    """Return markdown-it with Obsidian's links, comments, tags, marks, formulas and footnotes."""
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST})
    parser.inline = _Inline()
    parser.configure("commonmark", {"maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    # Joining text tokens loses the positions of their parts; `join_texts` keeps them.
    parser.inline.ruler2.disable("fragments_join")
    parser.core.ruler.disable("text_join")
    parser.use(front_matter_plugin).use(footnote_plugin, move_to_end=False)
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, double_inline=True)
    display = _display_rule(math_block_dollar(allow_labels=False, allow_blank_lines=True))
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("math_block", display, {"alt": ends})
    inline = math_inline_dollar(allow_space=False, allow_double=True)
    parser.inline.ruler.at("math_inline", _without_prices(inline))
    parser.block.ruler.at("code", _parse_indented_code)
    parser.inline.ruler.at("text", _parse_text)
    parser.inline.ruler.before("link", "wikilink", _inline_rule(WIKILINK, "wikilink"))
    parser.inline.ruler.before("link", "comment", _inline_rule(COMMENT, "comment"))
    parser.inline.ruler.before("link", "tag", _inline_rule(TAG, "tag"))
    parser.inline.ruler.after("strikethrough", "mark", _parse_mark_delimiters)
    parser.inline.ruler2.after("strikethrough", "mark", _pair_marks)
    return parser


_PARSER = _make_parser()


@dataclass
class Parsed:
    """The tokens of a text.

    Attributes
    ----------
    lines
        The lines of the text, with fillers for comments.
    tokens
        The block tokens, with inline tokens as children; footnotes where they are defined.
    env
        The link definitions and footnotes, as markdown-it-py stores them.
    """

    lines: list[str]
    tokens: list[Token]
    env: dict[str, Any]

    def with_footnotes_last(self) -> list[Token]:
        """Return the tokens with the footnotes at the end, in the order of their references.

        Footnotes without a reference are left out.
        """
        state = StateCore("", _PARSER, self.env, [*self.tokens])
        footnote_tail(state)
        return state.tokens


def tokenize(text: str, env: dict[str, Any] | None = None) -> Parsed:
    """Tokenise a text.

    Parameters
    ----------
    text
        The text, with its comments.
    env
        Link definitions and footnotes from elsewhere.

    Examples
    --------
    >>> [token.type for token in tokenize("- a").tokens if token.nesting == 1]
    ['bullet_list_open', 'list_item_open', 'paragraph_open']
    """
    return tokenize_visible(hide(SURROGATE.sub("\ufffd", text)).text, env)


def tokenize_visible(hidden: str, env: dict[str, Any] | None = None) -> Parsed:
    """Tokenise a text whose comments are hidden already (`vaultkit.read.comments.hide`)."""
    # Other entries of the environment belong to one run of the parser.
    env = {name: env[name] for name in ("references", "footnotes") if env and name in env}
    return Parsed(hidden.removesuffix("\n").split("\n"), _PARSER.parse(hidden, env), env)


def tokenize_line(text: str, env: dict[str, Any] | None = None) -> list[Token]:
    """Tokenise inline text: the words of a link, a sentence.

    Examples
    --------
    >>> [token.type for token in tokenize_line("a $x$")]
    ['text', 'math_inline']
    """
    return _PARSER.parseInline(text, env)[0].children or []
