"""Renders the block tokens of a text as elements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from markdown.util import HTML_PLACEHOLDER_RE
from markdown_it.token import Token

from vaultkit.read.comments import shown
from vaultkit.read.fences import ADMONITIONS
from vaultkit.read.note import Fence, Note
from vaultkit.read.positions import Source, lines_of
from vaultkit.read.syntax import CALLOUT, CARD, CARD_MARK, TASK, address, block_id
from vaultkit.read.tokenizer import Parsed, tokenize, tokenize_line
from vaultkit.render import printed
from vaultkit.render.code import CodeBlock, fold, parse_info_string
from vaultkit.render.coloured import mark_code
from vaultkit.render.footnotes import Footnotes
from vaultkit.render.inline import InlineRenderer, append, literal, position_of, tokens_between
from vaultkit.render.page import Page
from vaultkit.render.places import Names, name_shapes
from vaultkit.render.safe import close_html

#: The callouts that Material styles, and Obsidian's other names for them.
CALLOUTS = {
    "note": (),
    "abstract": ("summary", "tldr"),
    "info": ("todo",),
    "tip": ("hint", "important"),
    "success": ("check", "done"),
    "question": ("help", "faq"),
    "warning": ("caution", "attention"),
    "failure": ("fail", "missing"),
    "danger": ("error",),
    "bug": (),
    "example": (),
    "quote": ("cite",),
}
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_STYLE_OF = {name: style for style, names in CALLOUTS.items() for name in (style, *names)}
#: Most lines of code that are not folded: above an output, which readers should see with the text
#: above the code, and without one.
_MOST_LINES, _MOST_WITHOUT_OUTPUT = 14, 24
#: A directive of MyST, the dialect of Jupyter's books: ```` ```{note} Title ````.
_DIRECTIVE = re.compile(r"\{(?P<name>[\w-]+)\}[ \t]*(?P<title>.*)")
#: A field of such a directive before its text: ``:class: wide``.
_FIELD = re.compile(r":[\w-]+:")
#: The end of a notebook's cell: ``+++ {"tags": ["a"]}``.
_CELL_ENDS = re.compile(r"\+\+\+(?:[ \t]+\{.*\})?")
#: Properties of notes that are also notebooks.
_PROPERTIES_OF_NOTEBOOKS = {"jupytext", "kernelspec"}
#: A disabled check box.
_BOX = (
    '<label class="task-list-control"><input type="checkbox" disabled{}/>'
    '<span class="task-list-indicator"></span></label> '
)


class BlockRenderer:
    """Renders the blocks of a text.

    Parameters
    ----------
    page
        The page that is being rendered.
    parsed
        The parsed text.
    note
        The note that contains the text.
    lines_above
        The number of lines of the note above the text.
    names
        The names by which checks refer to its parts; None if they have none.
    defined
        The parsed note, for the footnotes that the text refers to but does not contain.
    """

    def __init__(
        self,
        page: Page,
        parsed: Parsed,
        note: Note,
        lines_above: int = 0,
        names: Names | None = None,
        defined: Parsed | None = None,
    ) -> None:
        self.page, self.note, self.lines_above, self.names = page, note, lines_above, names
        self.lines = parsed.lines
        self.source = Source(parsed.lines)
        self.env = parsed.env
        footnotes = _footnotes_in(defined.tokens) if defined else {}
        self.footnotes = Footnotes({**footnotes, **_footnotes_in(parsed.tokens)}, parsed.env)
        self.tokens: Sequence[Token] = parsed.tokens
        #: The lines of the open blocks.
        self.spans = [(0, 0)]
        self.fences = {fence.line: fence for fence in note.fences}
        self.classes = _css_classes_of_fences(note)
        self.headings = {heading.line: heading.slug for heading in note.headings}

    def render(self) -> Element:
        """Return an element with all blocks and the list of footnotes."""
        root = Element("div")
        self._render_all(root, self.tokens)
        box = self.footnotes.render_list(self._render_all)
        if box is not None:
            root.append(box)
        return root

    def _render_all(self, parent: Element, tokens: Sequence[Token]) -> None:
        """Render all of the given tokens into an element.

        These may be the tokens of another text, such as a footnote.
        """
        outer, self.tokens = self.tokens, tokens
        at = 0
        while at < len(tokens):
            at = self._render_block(parent, at)
        self.tokens = outer

    def _render_block(self, parent: Element, at: int) -> int:
        """Render the block whose first token has the index ``at``; return that of the next block.

        The other methods take and return such indices, too.
        """
        token = self.tokens[at]
        match token.type:
            case "front_matter":
                return at + 1
            case "footnote_reference_open":
                # The footnotes are rendered at the end of the text.
                while self.tokens[at].type != "footnote_reference_close":
                    at += 1
                return at + 1
            case "paragraph_open":
                return self._render_paragraph(parent, at)
            case "heading_open":
                return self._render_heading(parent, at)
            case "hr":
                SubElement(parent, "hr")
            case "code_block":
                self._add_finished_html(
                    parent, self.page.highlighted(token.content.rstrip("\n"), CodeBlock(""))
                )
            case "math_block":
                name = self._check_name_of_display(token)
                self._add_display(parent, token.content, name)
            case "fence":
                self._render_fence(parent, token)
            case "html_block":
                self._render_html(parent, token)
            case "table_open":
                return self._render_table(parent, at)
            case "blockquote_open":
                return self._render_quote(parent, at)
            case _ if token.nesting == 1:  # a list or an item
                attributes = {name: str(value) for name, value in token.attrs.items()}
                if token.type == "list_item_open" and (task := self._task_at(at)):
                    parent.set("class", "task-list")
                    attributes |= _attributes_of_task(task)
                return self._render_inside(SubElement(parent, token.tag, attributes), at, at + 1)
        return at + 1

    def _render_inside(self, element: Element, opened: int, at: int) -> int:
        """Render the blocks in an open block, from ``at`` on; return the index behind its end.

        ``opened`` is the index of the token that opened it.
        """
        token = self.tokens[opened]
        self.spans.append(lines_of(token) or self.spans[-1])
        while self.tokens[at].level > token.level or self.tokens[at].nesting != -1:
            at = self._render_block(element, at)
        self.spans.pop()
        return at + 1

    # --- Text ------------------------------------------------------------------------------------

    def _inline_renderer(
        self, inline: Token, cell: bool = False, block: Token | None = None
    ) -> InlineRenderer:
        """Return the renderer for the inline tokens of a paragraph, cell or heading.

        Their lines in the file are their own, or else those of the block, or of the open block.
        """
        renderer = InlineRenderer(self.page, self.footnotes, self.names)
        if self.names is not None:
            span = lines_of(inline) or (block and lines_of(block)) or self.spans[-1]
            renderer.places = self.source.places(inline, span, cell)
        return renderer

    def _render_paragraph(self, parent: Element, at: int) -> int:
        """Render the paragraph that begins at a token; return the index of the token behind it."""
        inline = self.tokens[at + 1]
        is_notebook = bool(_PROPERTIES_OF_NOTEBOOKS & self.note.meta.keys())
        if is_notebook and _CELL_ENDS.fullmatch(inline.content):
            return at + 3
        renderer = self._inline_renderer(inline, block=self.tokens[at])
        first = 0
        if self.tokens[at - 1].type == "list_item_open" and (task := self._task_at(at - 1)):
            first = task.end()
            box = _BOX.format(" checked" if task["state"] != " " else "")
            renderer.html_before = self.page.stash(box)
        is_tight = self.tokens[at].hidden
        return self._render_prose(parent, inline, renderer, first, is_tight, at + 3)

    def _render_prose(
        self,
        parent: Element,
        inline: Token,
        renderer: InlineRenderer,
        first: int,
        is_tight: bool,
        at: int,
    ) -> int:
        """Render the text of a paragraph; return the index of the next block.

        Parameters
        ----------
        parent
            The element into which the text is rendered.
        inline, renderer
            The token of the whole paragraph, and the renderer for it.
        first
            The position at which the text begins, such as behind the type of a callout.
        is_tight
            Whether the text becomes no paragraph: it belongs to an item of a tight list.
        at
            The index of the token behind the paragraph.
        """
        content = inline.content[first:]
        # Searching for the mark of a card is far quicker than matching a card.
        card = CARD.fullmatch(content) if CARD_MARK.search(content) else None
        children = inline.children or []
        if card and (card["answer"] or self._follows_directly(at)):
            return self._render_card(parent, inline, renderer, first, card, at)
        tokens = tokens_between(children, first) if first else children
        before_display: list[Token] = []
        for index, token in enumerate(tokens):
            if not _is_lone_display(tokens, index):
                before_display.append(token)
                continue
            self._render_text(parent, inline, before_display, renderer, is_tight)
            before_display = []
            name = renderer.check_name("formula", position_of(token))
            self._add_display(parent, token.content, name)
        self._render_text(parent, inline, before_display, renderer, is_tight)
        return at

    def _render_text(
        self,
        parent: Element,
        inline: Token,
        tokens: list[Token],
        renderer: InlineRenderer,
        is_tight: bool,
    ) -> None:
        """Render tokens of a paragraph between two displayed formulas; nothing if all are blank.

        The parameters are those of `_render_prose`.
        """
        tokens = tokens_between(tokens, 0)
        if all(token.type in ("text", "comment") and not token.content.strip() for token in tokens):
            return
        if not is_tight:
            self._render_with_id(parent, SubElement(parent, "p"), inline, tokens, renderer)
            return
        if len(parent):
            append(parent, "\n")  # behind a displayed formula
        self._render_with_id(parent, parent, inline, tokens, renderer)

    def _render_with_id(
        self,
        parent: Element,
        element: Element,
        inline: Token,
        tokens: list[Token],
        renderer: InlineRenderer,
    ) -> None:
        """Render tokens into an element; if the paragraph ends in ``^id``, set this id.

        A paragraph that has nothing but the id is removed, and the element above it gets the id.
        ``parent`` contains the element, or is the element itself if it is an item of a tight list.
        """
        match = block_id(inline.content)
        # The tokens may be only a part of the paragraph, which ends before the id.
        ends_in_id = match and tokens and _text_reaches(tokens[-1], match.end("id"))
        if not match or not ends_in_id:
            renderer.fill(element, tokens)
            return
        tokens = tokens_between(tokens, 0, match.start())
        if tokens and tokens[-1].type == "text":
            last = tokens.pop()
            tokens.append(Token("text", "", 0, content=last.content.rstrip(), meta=last.meta))
        renderer.fill(element, tokens)
        siblings = [child for child in parent if child is not element]
        if element.tag == "p" and not tokens and siblings:
            parent.remove(element)
            element = siblings[-1]
        _set_id(parent, element, f"^{match['id']}")

    def _render_heading(self, parent: Element, at: int) -> int:
        """Render a heading; only on the page of its own note does it get its anchor."""
        token, inline = self.tokens[at], self.tokens[at + 1]
        renderer = self._inline_renderer(inline, block=token)
        renderer.is_heading = True
        heading = SubElement(parent, token.tag)
        if not self.page.open_embeds and (slug := self.headings.get(_line(token))):
            heading.set("id", slug)
        self._render_with_id(parent, heading, inline, inline.children or [], renderer)
        return at + 3

    def _render_table(self, parent: Element, at: int) -> int:
        """Render the table that begins at a token; return the index of the token behind it."""
        table = SubElement(parent, "table")
        section = row = table
        self.spans.append(lines_of(self.tokens[at]) or self.spans[-1])
        while self.tokens[at].type != "table_close":
            token = self.tokens[at]
            if token.nesting == 1 and token.map:
                self.spans[-1] = (token.map[0], token.map[1])
            match token.type:
                case "thead_open" | "tbody_open":
                    section = SubElement(table, token.tag)
                case "tr_open":
                    row = SubElement(section, "tr")
                case "th_open" | "td_open":
                    cell = SubElement(row, token.tag)
                    align = str(token.attrs.get("style", "")).removeprefix("text-align:")
                    if align:
                        cell.set("style", f"text-align: {align};")
                    inline = self.tokens[at + 1]
                    renderer = self._inline_renderer(inline, cell=True)
                    self._render_with_id(row, cell, inline, inline.children or [], renderer)
            at += 1
        self.spans.pop()
        if table.find("tbody") is None:
            SubElement(table, "tbody")  # as Python-Markdown does for a table with heads only
        return at + 1

    # --- Formulas, code, HTML --------------------------------------------------------------------

    def _check_name_of_display(self, token: Token) -> str | None:
        """Return the name of the check of a displayed formula; None on pages without checks."""
        if self.names is None:
            return None
        first = (token.map or [0])[0]
        first_line = self.lines[first] if first < len(self.lines) else ""
        return self.names.at("formula", first + 1, max(first_line.find("$$"), 0) + 1)

    def _add_display(self, parent: Element, tex: str, name: str | None) -> None:
        """Append a displayed formula, in the delimiters that the typesetting looks for."""
        box = SubElement(parent, "div", {"class": "arithmatex"})
        box.text = f"\\[\n{literal(tex.strip())}\n\\]"
        if name:
            box.set("data-check", name)

    def _add_finished_html(self, parent: Element, source: str) -> None:
        """Append HTML that the host inserts as it is."""
        # If the HTML is alone in its paragraph, the host removes the paragraph.
        SubElement(parent, "p").text = self.page.stash(source)

    def _render_fence(self, parent: Element, token: Token) -> None:
        """Render a fence: an admonition of MyST as a callout, all others as highlighted code."""
        lines = token.content.removesuffix("\n").split("\n")
        info = token.info.strip()
        if directive := _DIRECTIVE.fullmatch(info):
            while lines and _FIELD.match(lines[0]):
                del lines[0]
            if kind := ADMONITIONS.get(directive["name"]):
                self._render_admonition(parent, kind, directive["title"].strip(), lines)
                return
        line = _line(token)
        fence = self.fences.get(line + self.lines_above)
        if fence is None or fence.info != info:
            # A fence that is not one of the note, such as one in a text that a directive contains.
            fence = Fence(0, 0, info, (), prefix="", closed=True)
        name = self.names.blocks.get(line, "") if self.names else ""
        code = parse_info_string(fence, self.classes.get(fence.line, []), name)
        coloured = self.page.highlighted("\n".join(lines), code)
        arrays = self.page.vault.options.coloured
        if "output" in code.classes:
            tables = printed.tables_to_html("\n".join(lines), arrays)
            # The tables replace the ``<pre>`` in the box of the output.
            coloured = f"{coloured.partition('<pre')[0]}{tables}</div>" if tables else coloured
        coloured = mark_code(coloured, arrays)
        if self.names and self.names.spots:
            coloured = name_shapes(coloured, lines, line, self.names)
        if "long" in code.classes:
            coloured = fold(coloured, lines)
        self._add_finished_html(parent, coloured)

    def _render_admonition(self, parent: Element, kind: str, title: str, lines: list[str]) -> None:
        """Render a MyST admonition, which is a fence for the checks."""
        box = SubElement(parent, "div", {"class": _callout_classes(["admonition", kind])})
        name = SubElement(box, "p", {"class": "admonition-title"})
        words = tokenize_line(title or kind.title(), self.env)
        # Its lines are not those of the note, so that no name or fence of the note is in it.
        names, self.names = self.names, None
        fences, self.fences = self.fences, {}
        InlineRenderer(self.page, self.footnotes).fill(name, words)
        self._render_all(box, tokenize("\n".join(lines), self.env).tokens)
        self.names, self.fences = names, fences

    def _render_html(self, parent: Element, token: Token) -> None:
        """Render HTML as it is written if the page may contain it; else as text."""
        source = shown(token.content.strip("\n"))
        if self.page.options["html"]:
            SubElement(parent, "p").text = self.page.stash_author_html(close_html(source))
        else:
            words = tokenize_line(source, self.env)
            InlineRenderer(self.page, self.footnotes).fill(SubElement(parent, "p"), words)

    # --- Lists, quotes, cards --------------------------------------------------------------------

    def _task_at(self, at: int) -> re.Match[str] | None:
        """Return the match of ``[ ] `` in the list item that begins at a token, if it is a task."""
        is_text = self.tokens[at + 1].tag == "p"
        return TASK.match(self.tokens[at + 2].content) if is_text else None

    def _render_quote(self, parent: Element, at: int) -> int:
        """Render a quote, or the callout that its first line makes of it.

        Returns the index of the token behind it.
        """
        inline = self.tokens[at + 2] if self.tokens[at + 1].type == "paragraph_open" else None
        callout = CALLOUT.match(inline.content) if inline else None
        if not inline or not callout:
            return self._render_inside(SubElement(parent, "blockquote"), at, at + 1)
        kind = "-".join(callout["type"].lower().split())
        if callout["fold"]:
            box = SubElement(parent, "details", {"class": _callout_classes([kind])})
            if callout["fold"] == "+":
                box.set("open", "open")
            title = SubElement(box, "summary")
        else:
            box = SubElement(parent, "div", {"class": _callout_classes(["admonition", kind])})
            title = SubElement(box, "p", {"class": "admonition-title"})
            name = self.names.predictions.get(_line(self.tokens[at]), "") if self.names else ""
            if name and "question" in box.attrib["class"].split():
                box.set("data-check", name)
        renderer = self._inline_renderer(inline, block=self.tokens[at + 1])
        if callout["title"].strip():
            words = tokens_between(
                inline.children or [], callout.start("title"), callout.end("title")
            )
            self._render_with_id(box, title, inline, words, renderer)
        else:
            title.text = literal(callout["type"].title())
        # Text on the lines below the title is part of its paragraph; other blocks follow it.
        first, behind_paragraph = callout.end(), at + 4
        next_block = self._render_prose(box, inline, renderer, first, False, behind_paragraph)
        return self._render_inside(box, at, next_block)

    def _render_card(
        self,
        parent: Element,
        inline: Token,
        renderer: InlineRenderer,
        first: int,
        card: re.Match[str],
        at: int,
    ) -> int:
        """Render a flashcard, a question and its folded answer; return the index of the next block.

        The answer is the rest of the paragraph, and all blocks that follow without a blank line.
        ``card`` is the match of `CARD` in the text of the paragraph from position ``first`` on; the
        other parameters are those of `_render_prose`.
        """
        name = self._unique_card_id(card["question"])
        box = SubElement(parent, "details", {"class": "flashcard", "id": name})
        children = inline.children or []
        question = tokens_between(children, first, first + card.end("question"))
        renderer.fill(SubElement(box, "summary"), question)
        if card["answer"]:
            self._render_prose(box, inline, renderer, first + card.start("answer"), False, at)
        while self._follows_directly(at):
            at = self._render_block(box, at)
        return at

    def _unique_card_id(self, question: str) -> str:
        """Return an id for a question, unique on the page: *What is $x$?* → ``card-what-is-x``."""
        words = " ".join(re.sub(r"[/$^]", " ", question).split())
        base = name = f"card-{address(words)}"
        number = 1
        while name in self.page.cards:
            number += 1
            name = f"{base}-{number}"
        self.page.cards.add(name)
        return name

    def _follows_directly(self, at: int) -> bool:
        """Return whether a block begins at a token, without a blank line above it."""
        if at >= len(self.tokens) or self.tokens[at].nesting == -1:
            return False
        first = (self.tokens[at].map or (0, 0))[0]
        return first > 0 and bool(self.lines[first - 1].strip("> \t"))


def _line(token: Token) -> int:
    """Return the first line of a token, counted from 1; 0 if it has none."""
    return (token.map or [-1])[0] + 1


def _attributes_of_task(task: re.Match[str]) -> dict[str, str]:
    """Return the attributes of a list item that is a task, given the match of `TASK`.

    As in Obsidian, any character but a blank ticks its box; style sheets may show others than *x*.
    """
    attributes = {"class": "task-list-item"}
    return attributes if task["state"] in " xX" else {**attributes, "data-task": task["state"]}


def _footnotes_in(tokens: Sequence[Token]) -> dict[str, list[Token]]:
    """Return the tokens of each footnote of a text, by its label."""
    footnotes: dict[str, list[Token]] = {}
    label, first = "", 0
    for position, token in enumerate(tokens):
        if token.type == "footnote_reference_open":
            label, first = token.meta["label"], position + 1
        elif token.type == "footnote_reference_close":
            footnotes[label] = [*tokens[first:position]]
    return footnotes


def _css_classes_of_fences(note: Note) -> dict[int, list[str]]:
    """Return the CSS classes of the blocks of code and their outputs, by the lines of their fences.

    Such are ``output``, ``raises`` and ``long``, which is code that is folded.
    """
    classes: dict[int, list[str]] = {}
    for block in note.blocks:
        if block.output:
            classes[block.output.line] = ["output"]
        options = block.fence.options
        names: list[str] = [name for name in ("raises", "no-run", "volatile") if name in options]
        most = _MOST_LINES if block.output else _MOST_WITHOUT_OUTPUT
        if len(block.fence.lines) > most:
            names.append("long")
        classes[block.fence.line] = names
    return classes


def _callout_classes(names: list[str]) -> str:
    """Return the classes of a callout, including one that Material styles; *note* for others.

    Examples
    --------
    >>> _callout_classes(["admonition", "faq"]), _callout_classes(["recipe"])
    ('admonition faq question', 'recipe note')
    """
    if not set(names) & set(CALLOUTS):
        styles = [_STYLE_OF[name] for name in names if name in _STYLE_OF]
        names = [*names, *(styles[:1] or ["note"])]
    return " ".join(names)


def _is_lone_display(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token is a displayed formula, alone on its lines within a paragraph.

    Blanks may be between it and the end of the line.
    """
    if tokens[at].type != "math_inline_double" or tokens[at].level:
        return False
    line_ends = ("softbreak", "hardbreak")
    begins_line = at == 0 or tokens[at - 1].type in line_ends
    behind = [*tokens[at + 1 : at + 3]]
    if behind and behind[0].type == "text" and not behind[0].content.strip():
        del behind[0]
    ends_line = not behind or behind[0].type in line_ends
    return begins_line and ends_line


def _text_reaches(token: Token, place: int) -> bool:
    """Return whether a token is text that ends at or after a place of its paragraph."""
    return token.type == "text" and position_of(token) + len(token.content.rstrip()) >= place


def _set_id(parent: Element, element: Element, name: str) -> None:
    """Set the id of an element to the ``^id`` written after it.

    ``parent`` contains the element, or is the element itself.
    """
    if element.tag in HEADINGS:
        # A heading keeps its own anchor.
        SubElement(element, "span", {"id": name})
    elif parent is element:
        # Text directly in a list item.
        element.set("id", name)
    elif HTML_PLACEHOLDER_RE.fullmatch(element.text or "") or "id" in element.attrib:
        # The host will replace the paragraph by finished HTML, such as a block of code.
        index = list(parent).index(element)
        box = Element("div", {"id": name})
        box.append(element)
        parent[index] = box
    else:
        element.set("id", name)
