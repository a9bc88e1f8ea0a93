"""Parses a note from Markdown: tokens of markdown-it-py become records, each with its line.

The checks, the link graph and the site all use these records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from markdown_it.token import Token

from vaultkit.read import extract, fences, properties, source
from vaultkit.read.comments import comments_behind_row, comments_in_html, hide, shown
from vaultkit.read.note import (
    Block,
    Cell,
    Fence,
    Formula,
    Heading,
    Link,
    Note,
    ParagraphWithCode,
    Passage,
    Problem,
    RowLabel,
    Texts,
    UnparsedMarkup,
    tags_of,
)
from vaultkit.read.positions import Places, Source, join_texts, lines_of
from vaultkit.read.predictions import Prediction, prediction_at
from vaultkit.read.prose import Prose, has_relation
from vaultkit.read.sentences import Sentences
from vaultkit.read.syntax import (
    CALLOUT,
    HTML_ALT,
    HTML_LINK,
    HTML_NOT_TEXT,
    LINE_END,
    SURROGATE,
    block_id,
    slug,
    unique_anchor,
)
from vaultkit.read.tokenizer import DEEPEST, Parsed, tokenize_line, tokenize_visible

#: Most characters of a paragraph, and most of them that may be marks: the parser reads some marks
#: repeatedly.
LONGEST, MOST_MARKS = 50_000, 2000
_MARK = re.compile(r"[][!*_`~<&\\$%#]")
#: An image in the text itself, which has no marks that are read repeatedly.
_EMBEDDED = re.compile(r"data:[\w/+.-]+;base64,[\w+/=]+")
#: Dollars that begin a display formula, before the line end or mathematics: ``$$``, ``$$a = b``;
#: but not those of a price range (``$$ to $$$``).
_UNCLOSED_MATHS = re.compile(r"^\$\$(?!\$)(?=\s*$|[^$]*[=^_\\<>])")
#: Front matter that is not closed: Obsidian shows it as a line across the page and text.
_UNCLOSED_FRONT = re.compile(r"---[ \t]*\n[\w-]+[ \t]*:(?:[ \t]|\n|\Z)")
#: Marks that remain in a text only if no rule has parsed them.
_UNPARSED_MARKS = ("[", "$", "\\begin{", "!!!", "???", ":::")
#: A formula between dollars in a text that is not parsed as Markdown: ``$a = b$``.
_DOLLARS = re.compile(r"(?<![\\$])\$(?![\s$])(?P<tex>[^$\n]*[^$\s\\])\$(?!\d)")
#: An address of the web: ``https://a.b``, ``mailto:a@b``, ``//a.b``.
_WEB_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
#: One of the addresses in a ``srcset``: ``a.png`` and ``b.png`` in ``a.png 1x, b.png 640w``.
_ADDRESS_IN_SET = re.compile(r"(?:^|,\s|(?<=\d[xw]),)\s*(\S+?)(?=,?\s|,?$)")


def parse(text: str, path: Path = Path("note.md")) -> Note:
    """Parse the text of a note. Any text gives a note; defects are among its problems."""
    problems = list(_odd_characters(text))
    text = SURROGATE.sub("\ufffd", text)
    hidden = hide(text)
    if hidden.unclosed:
        why = "this comment is never closed: all that follows is hidden"
        problems.append(Problem(hidden.unclosed, why))
    parsed = tokenize_visible(hidden.text)
    note = _Reader(Note(path, text, comments=hidden.lines), parsed, hidden.bound).read()
    return replace(note, problems=(*problems, *note.problems)) if problems else note


def read(path: Path) -> Note:
    """Read a note from its file; a file that cannot be read gives a note with a problem."""
    try:
        return parse(source.read(path), path)
    except source.UnreadableError as error:
        return unreadable(path, error)


def unreadable(path: Path, error: source.UnreadableError) -> Note:
    """Return the note of a file that cannot be read. Links to its headings still resolve."""
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
    """Report the first NUL character and the first half of a surrogate pair."""
    for pattern, what in (
        ("\0", "a NUL character: this is not text, or it is UTF-16; save it as UTF-8"),
        (SURROGATE, "half a character, which cannot be stored in a file"),
    ):
        if match := re.search(pattern, text):
            before = LINE_END.sub("\n", text[: match.start()])
            yield Problem(before.count("\n") + 1, what, len(before) - before.rfind("\n"))


class _Reader:
    """Walks over the tokens of a note and collects its records."""

    def __init__(self, note: Note, parsed: Parsed, bound: Mapping[tuple[int, int], str]) -> None:
        self.note = note
        self.parsed = parsed
        #: The content of the hidden comments ``%%= … %%``, by their lines and columns.
        self.bound = bound
        self.lines = parsed.lines
        self.source = Source(parsed.lines)
        #: The titles of the section and of the callouts around the token, the innermost last.
        self.sections = [note.name]
        self.headings: list[Heading] = []
        self.fences: list[Fence] = []
        self.blocks: list[Block] = []
        self.formulas: list[Formula] = []
        self.predictions: list[Prediction] = []
        self.prose: list[Prose] = []
        self.coded: list[ParagraphWithCode] = []
        self.untypeset_formulas: list[Formula] = []
        self.links: list[Link] = []
        self.passages: list[Passage] = []
        self.block_ids: dict[str, tuple[int, int]] = {}
        self.tags: list[str] = []
        self.problems: list[Problem] = []
        self.unfenced: list[tuple[int, str]] = []
        self.marked: list[UnparsedMarkup] = []
        self.bracketed: list[UnparsedMarkup] = []
        self.meta: dict[str, Any] = {}
        self.anchors_in_use: dict[str, int] = {}
        self.front = 0
        self.refused = ""
        #: The texts of the cells of the row read so far, with its first cell, and its label.
        self.row_texts: list[Prose] = []
        self.row_label = RowLabel("", 0, 0, "")
        #: The titles of the columns of the table.
        self.titles: list[str] = []
        self.cells: list[Cell] = []

    def read(self) -> Note:
        """Return the note with everything that its tokens contain."""
        self.walk(self.parsed.with_footnotes_last())
        self.read_lone_comments()
        if not self.front and _UNCLOSED_FRONT.match("\n".join(self.lines[:2])):
            why = "these properties are never closed, so they are read as text; write --- below"
            self.problems.insert(0, Problem(1, why))
        return replace(
            self.note,
            meta=self.meta,
            front=self.front,
            headings=tuple(self.headings),
            fences=tuple(self.fences),
            blocks=tuple(self.blocks),
            formulas=tuple(self.formulas),
            untypeset_formulas=tuple(self.untypeset_formulas),
            predictions=tuple(self.predictions),
            texts=Texts(tuple(self.prose), tuple(self.coded), tuple(self.cells)),
            links=tuple(self.links),
            passages=tuple(self.passages),
            block_ids=self.block_ids,
            tags=tuple(dict.fromkeys([*tags_of(self.meta.get("tags")), *self.tags])),
            unfenced=tuple(self.unfenced),
            marked=tuple(self.marked),
            bracketed=tuple(self.bracketed),
            problems=tuple(self.problems),
            refused=self.refused,
        )

    def read_lone_comments(self) -> None:
        """Add the hidden comments that are alone on their lines to the text above them."""
        within_text = {(c.line, c.column) for text in self.prose for c in text.comments}
        for (line, column), content in self.bound.items():
            texts_above = [p for p in self.prose if p.parts and p.parts[0].line <= line]
            if (line, column) not in within_text and texts_above:
                # Footnotes come last among the texts, wherever they are in the file.
                nearest = max(texts_above, key=lambda p: (p.parts[-1].line, p.parts[-1].column))
                nearest.add_comment(content, line, column, self.tex_above(line))

    def tex_above(self, line: int) -> str:
        """Return the display formula directly above a line, but for blank lines; else empty."""
        displays = [f for f in self.formulas if f.display and f.line < line]
        if not displays:
            return ""
        between = self.lines[displays[-1].lines[-1] : line - 1]
        return "" if any(row.strip("> \t$") for row in between) else displays[-1].tex

    def refuse(self, line: int, why: str) -> None:
        """Refuse the note, since it exceeds the limits of the parser."""
        self.refused = self.refused or why
        self.problems.append(Problem(line, why))

    def walk(self, tokens: list[Token]) -> None:
        """Record what each block token contains."""
        #: The lines of the blocks around the token; a token without lines has those of its block.
        open_spans: list[tuple[int, int]] = []
        previous: Token | None = None
        for index, token in enumerate(tokens):
            span = lines_of(token) or (open_spans[-1] if open_spans else (0, 0))
            if token.nesting == 1:
                if token.level == DEEPEST - 1 and token.type in _CONTAINERS:
                    self.refuse(span[0] + 1, "nested too deeply: nothing of it is read")
                open_spans.append(span)
            match token.type:
                case "front_matter":
                    self.read_front_matter(token)
                case "blockquote_open":
                    self.sections.append(self.callout_title(tokens, index) or self.sections[-1])
                    if prediction := prediction_at(tokens, index, self.place):
                        self.predictions.append(prediction)
                case "blockquote_close":
                    self.sections.pop()
                case "heading_open":
                    self.read_heading(token, tokens[index + 1])
                case "fence":
                    self.read_fence(token, previous, len(open_spans))
                case "code_block" | "html_block" if fences.is_code(_code_in(token)):
                    self.unfenced.append((span[0] + 1, _code_in(token)))
                case "math_block":
                    self.read_display_formula(token, span[0], tokens[index + 1 : index + 2])
                case "inline":
                    self.read_inline(token, span, tokens, index)
                case "html_block" if self.prose and (comments := comments_in_html(token.content)):
                    # Comments alone belong to the text above them.
                    for content in comments:
                        tex = self.tex_above(span[0] + 1)
                        self.prose[-1].add_comment(content, span[0] + 1, 1, tex)
                case "html_block":
                    self.read_html_block(token, span)
            if token.nesting == -1:
                open_spans.pop()
            previous = token

    def read_display_formula(self, token: Token, first: int, behind: list[Token]) -> None:
        """Record a displayed formula that begins on the line ``first``, counted from 0.

        ``behind`` has the next token, if any: a comment there may give a reason.
        """
        not_run, here = (extract.reason_behind(behind, what) for what in ("not run", "here"))
        tex = token.content.strip()
        first_line = self.lines[first] if first < len(self.lines) else ""
        column = max(first_line.find("$$"), 0) + 1
        lines_before_tex = token.content[: token.content.find(tex)].count("\n")
        formula = Formula(first + 1, tex, True, not_run, here, column, lines_before_tex)
        self.formulas.append(formula)
        display = Prose()
        display.add_formula(tex, first + 1, column, not_run=bool(not_run))
        self.prose.append(display)

    def read_front_matter(self, token: Token) -> None:
        """Record the properties: values, links, problems, and the texts that readers see."""
        front = properties.read(token.content)
        self.front = (token.map or (0, 0))[1]
        self.meta = front.values
        # Lines of the properties are counted from the second line of the file.
        self.problems += [replace(problem, line=problem.line + 1) for problem in front.problems]
        self.links += [replace(link, line=link.line + 1) for link in front.links]
        first_line = _line(token) + 1  # of the properties, below the `---`
        lines = token.content.split("\n")
        for key in extract.PROPERTIES:
            number = next((n for n, text in enumerate(lines) if text.startswith(f"{key}:")), 0)
            value = str(front.values.get(key) or "")
            self.read_formulas_left_as_text(value, first_line + number)
        self.prose += extract.text_of_properties(front.values, token.content, first_line)

    def callout_title(self, tokens: list[Token], index: int) -> str | None:
        """Return the title of the callout that begins at ``index``; None for a plain quote."""
        # The first paragraph of a quote is an opening token and an inline token.
        first = next((t for t in tokens[index + 1 : index + 3] if t.type == "inline"), None)
        match = CALLOUT.match(first.content) if first else None
        if not match:
            return None
        title = "".join(map(extract.plain_words, tokenize_line(match["title"])))
        return title or match["type"].capitalize()

    def read_heading(self, token: Token, inline: Token) -> None:
        """Record a heading, with the anchor that the site gives it."""
        text = "".join(map(extract.plain_words, inline.children or [])).strip()
        id_match = block_id(text)
        # The site joins the words around a comment in the same way.
        text = " ".join((text[: id_match.start()] if id_match else text).split())
        anchor = unique_anchor(slug(text), self.anchors_in_use)
        line, column = self.source.places(inline, (_line(token) - 1, 0))(0)
        level = int(token.tag.removeprefix("h"))
        heading = Heading(line, level, text, anchor, column, shown(inline.content))
        self.headings.append(heading)
        self.sections[-1] = text or self.sections[-1]

    def read_fence(self, token: Token, previous: Token | None, depth: int) -> None:
        """Record a fence: a block of code, the output of the block above it, or a diagram.

        ``previous`` is the token before it, and ``depth`` the number of blocks around it.
        """
        start, stop = token.map or [0, 0]
        first_line = self.lines[start] if start < len(self.lines) else ""
        # The prefix is repeated on each line, except the mark of a list.
        prefix = re.sub(r"[^>\s]", " ", first_line[: first_line.find(token.markup)])
        lines = tuple(token.content.removesuffix("\n").split("\n")) if token.content else ()
        # The parser counts the closing line among the lines of the fence.
        closed = stop - start == len(lines) + 2
        # Anything between a block and a fence, even the end of a list, means it is not its output.
        follows_fence = previous is not None and previous.type == "fence"
        # The fence directly below a block that runs has a role (`Fence.role`).
        role = ""
        if follows_fence and self.blocks and self.blocks[-1].fence is self.fences[-1]:
            role = "compared" if self.blocks[-1].kind == "python" else "behind"
        # A line may be indented less than the first one: `>x` after `> `.
        in_file = self.lines[start + 1 : start + 1 + len(lines)]
        indents = tuple(
            max(0, len(whole) - len(line)) for whole, line in zip(in_file, lines, strict=False)
        )
        info = token.info.strip()
        fence = Fence(start + 1, stop, info, lines, prefix, closed, depth, role, indents)
        self.fences.append(fence)
        if not closed:
            self.problems.append(Problem(fence.line, "this block of code is never closed"))
        code_line = fence.line + 1
        if fence.language in fences.RUNS:
            self.blocks.append(Block(fence, None, self.sections[-1]))
            # A block that mirrors a file has that file's comments, which are no text of the note.
            if closed and "#" in fence.text and "title=" not in fence.info:
                self.prose += extract.text_of_comments(fence.text, code_line, indents)
        elif fence.language == "text" and role == "compared":
            self.blocks[-1] = replace(self.blocks[-1], output=fence)
        elif fence.language == "mermaid":
            self.prose += extract.text_of_diagram(lines, code_line, indents)
            for number, link in extract.links_of_diagram(lines):
                column = indents[number] + link.start("href") + 1
                self.read_link(link["href"], "", code_line + number, column, "")

    def place(self, token: Token, at: int) -> tuple[int, int]:
        """Return line and column in the file of a place in the text of a token."""
        first = (token.map or [0])[0]
        return self.source.places(token, (first, first))(at)

    def read_inline(
        self, token: Token, span: tuple[int, int], tokens: list[Token], index: int
    ) -> None:
        """Record the inline content of a paragraph, heading or cell: text, links, formulas, ids.

        ``span`` are the lines of the block around it; the token has this index among ``tokens``.
        """
        if self.is_beyond_bounds(token.content, span):
            return
        opening = tokens[index - 1].type
        is_cell = opening in ("td_open", "th_open")
        places = self.source.places(token, span, is_cell)
        children = join_texts(token.children or [])
        self.read_children(token.content, children, places)
        passage = extract.passage_of(token.content, children, span[0] + 1)
        if "\\(" in token.content or "\\[" in token.content:
            self.bracketed.append(UnparsedMarkup(token.content, passage.plain, ((0, 0),), places))
        place = "heading" if opening == "heading_open" else ""
        if not place:
            self.passages.append(passage)
        *texts_beside, text = extract.text_of_inline(children, places, place, self.bound)
        if is_cell:
            self.add_to_row(text, begins_row=tokens[index - 2].type == "tr_open")
            if tokens[index + 2].type == "tr_close":
                self.read_comments_behind_row(text, places(0)[0])
            if opening == "td_open":
                self.read_cell(token.content, places(0))
            else:
                self.titles = [*self.titles[: len(text.cells)], token.content]
        unclosed = [c for c in children if c.type == "text" and _UNCLOSED_MATHS.match(c.content)]
        if unclosed and not is_cell:
            # Its text is not that of a formula, and its numbers are no statements.
            line, column = places(unclosed[0].meta["at"])
            why = "$$: no other $$ ends this formula, which is read as text"
            self.problems.append(Problem(line, why, column))
        else:
            self.prose += (*texts_beside, text)
        if any(child.type == "code_inline" for child in children):
            self.coded.append(extract.paragraph_with_code(token.content, children, places))
        self.read_block_id(token, span, tokens, index)

    def add_to_row(self, cell: Prose, begins_row: bool) -> None:
        """Connect the text of a cell with the cells before it in its row."""
        if begins_row:
            self.row_texts = []
        cell.cells = tuple(self.row_texts)
        self.row_texts.append(cell)
        cell.row = self.row_texts[0].text

    def read_cell(self, content: str, place: tuple[int, int]) -> None:
        """Record a cell below the heads, with the title of its column and the label of its row.

        The first cell is the label.
        """
        column = len(self.row_texts) - 1
        # A head that is too long is not read. (The parser drops cells that are below no head.)
        title = self.titles[column] if column < len(self.titles) else ""
        if column == 0:
            self.row_label = RowLabel(content, *place, title)
        else:
            self.cells.append(Cell(content, *place, title, self.row_label))

    def read_comments_behind_row(self, last_cell: Prose, line: int) -> None:
        """Add the comments behind the last bar of a row, which the parser drops, to its text."""
        row = self.lines[line - 1] if line <= len(self.lines) else ""
        for column, content in comments_behind_row(row):
            last_cell.add_comment(content, line, column)

    def is_beyond_bounds(self, content: str, span: tuple[int, int]) -> bool:
        """Return whether a paragraph cannot be parsed in bounded time; if so, refuse the note."""
        # Most paragraphs are short, and need no search.
        if len(content) > LONGEST and len(_EMBEDDED.sub("", content)) > LONGEST:
            self.refuse(span[0] + 1, f"a paragraph of more than {LONGEST:,} characters")
        elif len(content) > MOST_MARKS and len(_MARK.findall(content)) > MOST_MARKS:
            self.refuse(span[0] + 1, f"a paragraph of more than {MOST_MARKS:,} brackets and marks")
        else:
            return False
        return True

    def read_html_block(self, token: Token, span: tuple[int, int]) -> None:
        """Read a block of HTML: its links, marks that are not closed, and the text between tags.

        That text is read as Markdown, since its links and formulas are checked, too. CommonMark
        would not do so.
        """
        if self.is_beyond_bounds(token.content, span):
            return
        places = self.source.places(token, span)
        for match in HTML_NOT_TEXT.finditer(token.content):
            if match["tag"]:
                self.read_tag(match["tag"], places, match.start())
            elif match["never_closed"]:
                line, column = places(match.start())
                why = f"{match['never_closed']} is never closed: it hides what follows"
                self.problems.append(Problem(line, why, column))
        # Hidden parts and tags become blanks, so that positions stay the same.
        text = HTML_NOT_TEXT.sub(_blank_out, token.content)
        if text.strip():
            self.read_children(text, join_texts(tokenize_line(text)), places)
        # What readers see of it, as the HTML parser finds it.
        self.prose += extract.text_of_html(token.content, span[0] + 1)

    def read_children(self, content: str, children: list[Token], places: Places) -> None:
        """Record links, formulas, images, HTML and tags among the children of an inline token.

        ``content`` is the Markdown of the paragraph, and ``places`` are those of its positions.
        """
        visible = [c for c in children if c.type in _VISIBLE or c.content.strip()]
        alone = len(visible) == 1
        sentences = Sentences(content)
        for position, child in enumerate(children):
            if child.type == "text":
                if any(mark in child.content for mark in _UNPARSED_MARKS):
                    parts = tuple(child.meta["parts"])
                    self.marked.append(UnparsedMarkup(content, child.content, parts, places))
                continue
            at = child.meta.get("at", 0)
            line, column = places(at)
            match child.type:
                case "wikilink":
                    link = Link.from_match(child.meta["match"], line, column)
                    self.links.append(replace(link, alone=alone, sentence=sentences.around(at)))
                    words = child.meta["match"]["words"]
                    if words and not link.embed:  # the words of an embed are plain text
                        begins = child.meta["match"].start("words")
                        within = join_texts(tokenize_line(words))
                        self.read_children(words, within, places.of_part(begins))
                case "link_open":
                    words = extract.words_of_link(children, position)
                    href = str(child.attrs.get("href", ""))
                    self.read_link(href, words, line, column, sentences.around(at))
                case "image":
                    src = str(child.attrs.get("src", ""))
                    self.read_formulas_left_as_text(child.content, line, column)
                    self.read_link(src, child.content, line, column, sentences.around(at), True)
                case "math_inline" | "math_inline_double":
                    behind = children[position + 1 :]
                    not_run, here = (
                        extract.reason_behind(behind, what) for what in ("not run", "here")
                    )
                    display = child.type == "math_inline_double"
                    formula = Formula(line, child.content, display, not_run, here, column)
                    self.formulas.append(formula)
                case "html_inline":
                    self.read_tag(child.content, places, at)
                case "tag":
                    self.tags.append(child.meta["match"]["tag"])

    def read_tag(self, tag: str, places: Places, at: int) -> None:
        """Record the links of an HTML tag that begins at the position ``at`` of the paragraph."""
        alt = HTML_ALT.search(tag)
        words = unescape(alt["value"].strip("\"'")) if alt else ""
        for match in HTML_LINK.finditer(tag):
            name = match["name"].lower()
            if name == "data" and not tag.lower().startswith("<object"):
                continue  # elsewhere, `data` is no address
            value = unescape((match["value"] or match["bare"]).strip("\"'"))
            # `srcset` has several addresses, each with a width or density.
            addresses = _ADDRESS_IN_SET.findall(value) if name == "srcset" else [value]
            line, column = places(at + match.start("name"))
            for address in filter(None, addresses):
                is_image = name in ("src", "srcset")
                self.read_link(address, words, line, column, "", is_image)

    def read_formulas_left_as_text(self, text: str, line: int, column: int = 1) -> None:
        """Record the formulas with a relation sign in text that the site shows as it is.

        This is the alternative text of images, and text of the front matter.
        """
        for match in _DOLLARS.finditer(text):
            if has_relation(match["tex"]):
                self.untypeset_formulas.append(Formula(line, match["tex"], False, column=column))

    def read_link(
        self, href: str, words: str, line: int, column: int, sentence: str, embed: bool = False
    ) -> None:
        """Record a Markdown link, unless it leads to an address of the web."""
        if _WEB_ADDRESS.match(href):
            return
        target, _, sub = unquote(href).partition("#")
        self.links.append(
            Link(line, target, sub, words, embed, False, sentence=sentence, column=column)
        )

    def read_block_id(
        self, token: Token, span: tuple[int, int], tokens: list[Token], index: int
    ) -> None:
        """Record the lines that a block id ``^id`` names: a paragraph, an item, the block above.

        The id ends the text of the token, which has this index among ``tokens``; ``span`` are its
        lines, counted from 0.
        """
        match = block_id(token.content)
        if not match:
            return
        # A footnote within a line has no block of its own.
        first, last = span[0] + 1, max(span[0] + 1, span[1])
        lines_above = None
        if not token.content[: match.start()].strip():  # it is on a line of its own
            above = (tokens[at] for at in range(index - 2, -1, -1))
            siblings = (other for other in above if other.level == token.level - 1)
            lines_above = next(filter(None, map(lines_of, siblings)), None)
        if lines_above:
            first, last = lines_above[0] + 1, lines_above[1]
        elif index > 1 and tokens[index - 2].type == "list_item_open":
            # It names the whole item, with the blocks in it, but without blank lines at its end.
            end_of_text = last
            last = max(last, (lines_of(tokens[index - 2]) or span)[1])
            while last > end_of_text and not self.lines[last - 1].strip("> \t"):
                last -= 1
        self.block_ids[match["id"]] = (first, last)


def _blank_out(match: re.Match[str]) -> str:
    """Return blanks in place of all characters of a match but line ends."""
    return re.sub(r"[^\n]", " ", match[0])


def _code_in(token: Token) -> str:
    """Return the text of indented code, or of HTML that shows code; empty for other HTML."""
    if token.type == "code_block":
        return token.content
    shown = re.search(r"<(pre|code)\b[^>]*>(.*?)</\1>", token.content, re.DOTALL | re.IGNORECASE)
    return unescape(re.sub(r"<[^>]*>", "", shown[2])) if shown else ""


def _line(token: Token) -> int:
    """Return the first line of a token, counted from 1."""
    return (token.map or [0])[0] + 1


#: Visible tokens, even if they have no content of their own.
_VISIBLE = {"image", "link_open", "math_inline", "math_inline_double"}
#: Tokens that contain blocks, which may be nested.
_CONTAINERS = {"blockquote_open", "list_item_open", "footnote_open"}
