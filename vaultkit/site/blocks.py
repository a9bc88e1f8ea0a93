"""Hands Python-Markdown the blocks that markdown-it-py has found, where it would find others.

Python-Markdown wants a blank line before a list, four blanks before what is nested, code and
headings away from text; CommonMark and Obsidian do not. So the page is written again before it
reads it: each block becomes a line that `Blocks` alone understands, without quote marks or indent,
and only code and HTML stay text, for the extensions that read those.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown.blockprocessors import BlockProcessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import ETX, STX, AtomicString
from markdown_it.token import Token

from vaultkit.read.comments import shown
from vaultkit.read.fences import ADMONITIONS
from vaultkit.read.html import HTMLReader
from vaultkit.read.markdown import blocks
from vaultkit.read.syntax import CALLOUT, CARD, CARD_MARK, TASK
from vaultkit.site.flashcards import Flashcards
from vaultkit.site.page import Made, Page

_LINE = re.compile(f"{STX}vk:(\\d+){ETX}")
#: A formula within a paragraph, on lines of its own if it is ``alone``; and what is none.
_DISPLAY = re.compile(
    r"\\.|(?P<code>`+).*?(?<!`)(?P=code)(?!`)"
    r"|(?P<begins>^)?\$\$(?P<tex>(?:\\.|(?!\$\$)[^\\])+?)\$\$(?P<alone>[ \t]*$)?",
    re.MULTILINE | re.DOTALL,
)
#: A footnote in its place, and what is none: escapes, code, formulas.
_FOOTNOTE = re.compile(
    r"\\.|(?P<code>`+).*?(?<!`)(?P=code)(?!`)|\$[^$]*\$"
    r"|\^\[(?P<note>(?:[^\[\]]|\[\[[^\[\]]*\]\]|\[[^\[\]]*\])+)\](?!\()",
    re.DOTALL,
)
_MARK = re.compile(r"\[\^([^\]\s]+)\]")
_BREAK = re.compile(r"(?<!\\)\\\n")
#: A directive of MyST, the dialect of Jupyter's books: ```` ```{note} Title ````.
_DIRECTIVE = re.compile(r"\{(?P<name>[\w-]+)\}[ \t]*(?P<title>.*)")
#: What such a block says of itself ahead of its text; and where a cell of a notebook ends.
_FIELD = re.compile(r":[\w-]+:")
_CELL_ENDS = re.compile(r"\+\+\+(?:[ \t]+\{.*\})?")
#: Properties of notes that are notebooks, too.
_NOTEBOOK = {"jupytext", "kernelspec"}
_VOID = {
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
    *("source", "track", "wbr"),
}


class Writer:
    """Writes the blocks of a page, or of a part of one.

    Parameters
    ----------
    page
        The page; its ``made`` takes the blocks.
    lines
        The lines that the tokens are of.
    openings
        What stands behind the marks of fences, by their lines.
    """

    def __init__(self, page: Page, lines: list[str], openings: Mapping[int, str]) -> None:
        self.page = page
        self.lines = lines
        self.openings = openings
        self.out: list[str] = []
        self.tokens: Sequence[Token] = ()

    def write(self, tokens: Sequence[Token]) -> list[str]:
        """Write the blocks as lines."""
        self.tokens = tokens
        self.page.marks = []
        at = 0
        while at < len(tokens):
            at = self._block(at)
        return self.out

    def _put(self, made: Made) -> int:
        # Python-Markdown knows but one way to end a line.
        made.text = _BREAK.sub("  \n", self._footnotes(shown(made.text)))
        self.page.marks += _MARK.findall(made.text)
        self.page.made.append(made)
        number = len(self.page.made) - 1
        self.out += [f"{STX}vk:{number}{ETX}", ""]
        return number

    def _cell(self, text: str) -> str:
        text = self._footnotes(text)
        self.page.marks += _MARK.findall(text)
        return text

    def _footnotes(self, text: str) -> str:
        """Give footnotes that stand where they are marked, ``^[words]``, a mark and a place."""
        footnotes = self.page.footnotes
        if "^[" not in text or footnotes is None:
            return text

        def mark(found: re.Match[str]) -> str:
            if found["note"] is None:
                return found[0]
            label = f"inline-{len(footnotes.footnotes) + 1}"
            footnotes.setFootnote(label, found["note"])
            return f"[^{label}]"

        return _FOOTNOTE.sub(mark, text)

    def _close(self, number: int) -> None:
        self.out += [f"{STX}vk:/{number}{ETX}", ""]

    def _block(self, at: int) -> int:
        """Write the block that begins at a token; return where the next one begins."""
        token = self.tokens[at]
        match token.type:
            case "front_matter":
                return at + 1
            case "paragraph_open":
                return self._paragraph(at)
            case "heading_open":
                words = " ".join(self.tokens[at + 1].content.split("\n"))
                self._put(Made(token.tag, words))
                return at + 3
            case "hr":
                self._put(Made("hr"))
            case "code_block":
                pre = Element("pre")
                code = html.escape(token.content.rstrip(), quote=False)
                SubElement(pre, "code").text = AtomicString(f"{code}\n")
                self._put(Made("pre", element=pre))
            case "math_block":
                self._display(token.content)
            case "fence":
                self._fence(token)
            case "html_block":
                self._html(token)
            case "table_open":
                return self._table(at)
            case "blockquote_open":
                return self._quote(at)
            case _ if token.nesting == 1:
                return self._within(at, self._container(at))
        return at + 1

    def _within(self, at: int, made: Made) -> int:
        """Write a block with all that is in it."""
        level, number = self.tokens[at].level, self._put(made)
        at += 1
        while self.tokens[at].level > level or self.tokens[at].nesting != -1:
            at = self._block(at)
        self._close(number)
        return at + 1

    def _container(self, at: int) -> Made:
        token = self.tokens[at]
        attributes = {name: str(value) for name, value in token.attrs.items()}
        if token.type == "footnote_reference_open":
            return Made("footnote", token.meta["label"], holds=True)
        if token.type == "list_item_open":
            words = self.tokens[at + 2].content if self.tokens[at + 1].tag == "p" else ""
            if (task := TASK.match(words)) and task["state"] not in " xX":
                attributes["data-task"] = task["state"]
        return Made(token.tag, attributes=attributes, holds=True)

    def _paragraph(self, at: int) -> int:
        content = self.tokens[at + 1].content
        if _CELL_ENDS.fullmatch(content) and _NOTEBOOK & self.page.note.meta.keys():
            return at + 3
        if self.tokens[at - 1].type == "list_item_open" and (task := TASK.match(content)):
            # Whatever the sign, Obsidian shows a box that is ticked.
            state = task["state"] if task["state"] in " xX" else "x"
            content = f"[{state}] {content[task.end() :]}"
        return self._prose(content, self.tokens[at].hidden, at + 3)

    def _prose(self, content: str, tight: bool, at: int) -> int:
        """Write the text of a paragraph; return where the next block begins: ``at``, or behind."""
        # To look for what divides a card first is far quicker than to look for a card.
        card = CARD.fullmatch(content) if CARD_MARK.search(content) else None
        if card and (card["answer"] or self._touches(at)):
            number = self._put(Made("card", card["question"], holds=True))
            if card["answer"]:
                self._prose(card["answer"], False, at)
            while self._touches(at):
                at = self._block(at)
            self._close(number)
            return at
        done = 0
        for display in _DISPLAY.finditer(content):
            if display["begins"] is None or display["alone"] is None:
                continue
            self._words(content[done : display.start()], tight)
            self._display(display["tex"])
            done = display.end()
        self._words(content[done:], tight)
        return at

    def _words(self, content: str, tight: bool) -> None:
        if content.strip():
            self._put(Made("p", content.strip("\n"), tight=tight))

    def _display(self, tex: str) -> None:
        box = Element("div", {"class": "arithmatex"})
        box.text = AtomicString(f"\\[\n{html.escape(tex.strip(), quote=False)}\n\\]")
        self._put(Made("div", element=box))

    def _touches(self, at: int) -> bool:
        """Tell whether a block begins right below the one before it."""
        if at >= len(self.tokens) or self.tokens[at].nesting == -1:
            return False
        begins = (self.tokens[at].map or (0, 0))[0]
        return begins > 0 and bool(self.lines[begins - 1].strip("> \t"))

    def _quote(self, at: int) -> int:
        first = self.tokens[at + 2] if self.tokens[at + 1].type == "paragraph_open" else None
        found = CALLOUT.match(first.content) if first else None
        if not first or not found:
            return self._within(at, Made("blockquote", holds=True))
        kind = "-".join(found["type"].lower().split())
        if found["fold"]:
            opened = {"open": "open"} if found["fold"] == "+" else {}
            made = Made("details", attributes={**opened, "class": kind}, holds=True)
            title = Made("summary")
        else:
            made = Made("div", attributes={"class": f"admonition {kind}"}, holds=True)
            title = Made("p", attributes={"class": "admonition-title"})
        title.text = found["title"].strip() or found["type"].title()
        level, number = self.tokens[at].level, self._put(made)
        self._put(title)
        rest = first.content[found.end() :].lstrip("\n")
        at = self._prose(rest, False, at + 4)
        while self.tokens[at].level > level or self.tokens[at].nesting != -1:
            at = self._block(at)
        self._close(number)
        return at + 1

    def _fence(self, token: Token) -> None:
        lines = token.content.split("\n")[:-1]
        if directive := _DIRECTIVE.fullmatch(token.info.strip()):
            while lines and _FIELD.match(lines[0]):
                del lines[0]
            if kind := ADMONITIONS.get(directive["name"]):
                self._admonition(kind, directive["title"], lines)
                return
        runs = re.findall(r"`{3,}", token.content)
        mark = "`" * max([2, *map(len, runs)]) + "`"
        line = (token.map or [0])[0] + 1
        self.out += [mark + self.openings.get(line, ""), *lines, mark, ""]

    def _admonition(self, kind: str, title: str, lines: list[str]) -> None:
        """Write what MyST has for a callout, and checks read as code."""
        made = Made("div", attributes={"class": f"admonition {kind}"}, holds=True)
        number = self._put(made)
        name = Made("p", title.strip() or kind.title(), {"class": "admonition-title"})
        self._put(name)
        marks = self.page.marks
        inner = Writer(self.page, lines, {})
        self.out += inner.write(blocks("\n".join(lines))[0])
        self.page.marks = marks + self.page.marks
        self._close(number)

    def _html(self, token: Token) -> None:
        source = shown(token.content.strip("\n"))
        if not self.page.options["html"]:
            self._put(Made("p", source))
        elif (
            _is_whole(source)
            and self.page.md.is_block_level(_first_tag(source))
            and "<![" not in source
        ):
            self.out += [source, ""]
        else:
            # Python-Markdown would look for the end of an element beyond this block, and gives up
            # where a section of XML seems to begin.
            self._put(Made("p", self.page.md.htmlStash.store(source)))

    def _table(self, at: int) -> int:
        table = Element("table")
        part = row = table
        while self.tokens[at].type != "table_close":
            token = self.tokens[at]
            match token.type:
                case "thead_open" | "tbody_open":
                    part = SubElement(table, token.tag)
                case "tr_open":
                    row = SubElement(part, "tr")
                case "th_open" | "td_open":
                    cell = SubElement(row, token.tag)
                    align = str(token.attrs.get("style", "")).removeprefix("text-align:")
                    if align:
                        cell.set("style", f"text-align: {align};")
                    cell.text = self._cell(shown(self.tokens[at + 1].content))
            at += 1
        if table.find("tbody") is None:
            SubElement(table, "tbody")
        self._put(Made("table", element=table))
        return at + 1


class FootnoteOrder(Treeprocessor):
    """Numbers footnotes as they are marked: Python-Markdown does so as they are defined."""

    def __init__(self, page: Page) -> None:
        super().__init__(page.md)
        self.page = page

    def run(self, root: Element) -> None:  # noqa: ARG002
        """Put them into that order before any mark is read."""
        footnotes = self.page.footnotes
        if footnotes is not None:
            first = {label: number for number, label in reversed([*enumerate(self.page.marks)])}
            known = sorted(
                footnotes.footnotes.items(), key=lambda one: first.get(one[0], len(self.page.marks))
            )
            footnotes.footnotes = type(footnotes.footnotes)(known)


class Blocks(BlockProcessor):
    """Makes elements of what `Writer` has written."""

    def __init__(self, page: Page, cards: Flashcards) -> None:
        super().__init__(page.md.parser)
        self.page = page
        self.cards = cards

    def test(self, parent: Element, block: str) -> bool:  # noqa: ARG002, D102
        return _LINE.match(block.strip()) is not None

    def run(self, parent: Element, blocks: list[str]) -> None:  # noqa: D102
        found = _LINE.match(blocks.pop(0).strip())
        assert found
        made = self.page.made[int(found[1])]
        if not made.holds:
            _put(parent, made)
            return
        closing = f"{STX}vk:/{found[1]}{ETX}"
        count = next(n for n, block in enumerate(blocks) if block.strip() == closing)
        inner = blocks[:count]
        del blocks[: count + 1]
        if made.tag == "footnote":
            if self.page.footnotes is not None:
                self.page.footnotes.setFootnote(made.text, "\n\n".join(inner))
            return
        if made.tag == "card":
            element = self.cards.open(parent, made.text)
        else:
            element = SubElement(parent, made.tag, made.attributes)
        self.parser.parseBlocks(element, inner)


def _put(parent: Element, made: Made) -> None:
    if made.element is not None:
        parent.append(made.element)
    elif not made.tight:
        SubElement(parent, made.tag, made.attributes).text = made.text
    elif len(parent):
        parent[-1].tail = f"\n{made.text}"
    else:
        parent.text = made.text


class _Balance(HTMLReader):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.whole = True

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        self.whole = self.whole and bool(self.open) and self.open.pop() == tag


def _is_whole(source: str) -> bool:
    balance = _Balance()
    balance.feed(source)
    return balance.whole and not balance.open


def _first_tag(source: str) -> str:
    found = re.match(r"\s*<!?([A-Za-z][\w-]*|--)", source)
    # A comment goes where other comments go.
    return ("div" if found[1] == "--" else found[1].lower()) if found else ""
