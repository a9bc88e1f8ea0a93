"""Highlights code, with one formatter for all blocks of a kind, and draws diagrams."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from markdown import Markdown
from markdown.extensions.attr_list import get_attrs_and_remainder
from pygments import highlight
from pygments.lexer import Lexer
from pymdownx.highlight import BlockHtmlFormatter, Highlight, HighlightExtension

from vaultkit.read.note import Fence
from vaultkit.render import mermaid
from vaultkit.store import Store

#: Fences whose content an Obsidian plugin computes, with a name for it.
COMPUTED = {
    "dataview": "Dataview",
    "dataviewjs": "Dataview",
    "base": "Base",
    "query": "Search",
    "tasks": "Tasks",
}
#: Characters that are not part of the name of a language, such as ``c++`` or ``f#``.
_NO_LANGUAGE = re.compile(r"[^\w#.+-]")
#: A cell of a notebook in Markdown, perhaps in a language other than Python.
_CELL = re.compile(r"\{code-cell\}\s*(?P<language>bash|julia|r\b)?")
#: ```` ```{ .python #id title="a" } ````, the syntax of Python-Markdown.
_ATTRIBUTES = re.compile(r"\{(?P<inner>\s*[.#].*)\}\s*$")
#: The element around highlighted code, to which classes and attributes are added.
_FIRST_DIV = re.compile(r'^<div(?: class="(?P<classes>[^"]*)")?>')


@dataclass
class CodeBlock:
    """The options of a fence."""

    language: str
    classes: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)


def parse_info_string(fence: Fence, classes: Sequence[str], name: str) -> CodeBlock:
    """Return the options in the info string of a fence; ``name`` is its name in checks.

    A fence with attributes, ``{.python #id}``, has its own classes. It never runs, so it has no
    checks.

    Examples
    --------
    >>> fence = Fence(1, 3, 'python title="a.py"', ("x = 1",), "", True)
    >>> parse_info_string(fence, ["long"], "block-0")
    CodeBlock(language='python', classes=['long'], options={'title': 'a.py'}, attributes={'data-check': 'block-0'})
    """  # noqa: E501 (the output is one line)
    if match := _ATTRIBUTES.match(fence.info):
        return _parse_attributes(match["inner"])
    cell = _CELL.match(fence.info)
    language = _NO_LANGUAGE.sub("", fence.language)
    code = CodeBlock((cell["language"] or "python") if cell else language, [*classes])
    # Without a value, `title` has no title to show; `linenums` begins with 1.
    code.options = {
        option: value or "1"
        for option, value in fence.options.items()
        if value or option != "title"
    }
    if name:
        code.attributes["data-check"] = name
    return code


def _parse_attributes(attributes: str) -> CodeBlock:
    """Parse the attributes of a fence, ``{.python #id title="…"}``: first the language."""
    code = CodeBlock("")
    for key, value in get_attrs_and_remainder(attributes)[0]:
        if key == "." and not code.language:
            code.language = value
        elif key == ".":
            code.classes.append(value)
        elif key == "id" or key.startswith("data-"):
            code.attributes[key] = value
        else:
            code.options[key] = value
    return code


def diagram_fences(store: Store) -> list[dict[str, Any]]:
    """Return the custom fences of `pymdownx.superfences` that are not highlighted as code.

    Drawings of diagrams are cached in a store.
    """
    draw = partial(mermaid.draw_fence, store=store)
    computed = {"class": "vk-computed", "format": show_source}
    return [
        {"name": "mermaid", "class": "vk-diagram", "format": draw},
        *({"name": name, **computed} for name in COMPUTED),
    ]


def show_source(source: str, language: str, css_class: str, *_: Any, **__: Any) -> str:
    """Return a folded box with the source of a fence whose content only Obsidian computes."""
    name = html.escape(COMPUTED[language])
    return (
        f'<details class="info {css_class}"><summary>{name}: computed in Obsidian alone</summary>'
        f"<pre><code>{html.escape(source, quote=False)}</code></pre></details>"
    )


class Highlighter(Highlight):  # type: ignore[misc]
    """`pymdownx.highlight`, without a new formatter for each block of code.

    Parameters
    ----------
    md
        The converter of pages. If `pymdownx.highlight` is not registered with it, its defaults
        apply.
    drawn
        The languages that are drawn, as `diagram_fences` lists them.
    """

    def __init__(self, md: Markdown, drawn: Sequence[Mapping[str, Any]]) -> None:
        extensions = (e for e in md.registeredExtensions if isinstance(e, HighlightExtension))
        extension: Any = next(extensions, None)
        if extension:
            settings = extension.get_pymdownx_highlight_settings()
        else:
            settings = HighlightExtension().getConfigs()
        self.css_class = settings.pop("css_class")
        settings.pop("_enabled")
        super().__init__(md, **settings)
        #: By language, the function that draws a fence, and the CSS class of the drawing.
        self.drawers: dict[str, tuple[Callable[..., str], str]] = {
            one["name"]: (one["format"], one["class"]) for one in drawn
        }
        self.lexers: dict[str, tuple[Lexer, str]] = {}
        #: The number of the last block of code, for the ids of its lines.
        self.count = -1

    def to_html(self, source: str, code: CodeBlock) -> str:
        """Return a block of code as HTML: drawn, if its language is, or else highlighted."""
        attributes = dict(code.attributes)
        name = attributes.pop("id", "")
        if code.language in self.drawers:
            draw, css_class = self.drawers[code.language]
            extra = {"classes": code.classes, "id_value": name, "attrs": attributes}
            return draw(source, code.language, css_class, code.options, self.md, **extra)
        # Up to three numbers: the first line, the step from one numbered line to the next, and the
        # step from one emphasised number to the next; -1 is none.
        numbers = map(int, re.findall(r"\d+", code.options.get("linenums", "")))
        start, step, special = [*numbers, -1, -1, -1][:3]
        self.count += 1
        return str(
            self.highlight(
                source,
                code.language,
                self.css_class,
                hl_lines=_parse_line_numbers(code.options.get("hl_lines", "")),
                linestart=start,
                linestep=step,
                linespecial=special,
                classes=code.classes,
                id_value=name,
                attrs=attributes,
                title=code.options.get("title"),
                code_block_count=self.count,
            )
        )

    def highlight(self, src: str, language: str, css_class: str = "highlight", **known: Any) -> Any:
        """Return a block of code as HTML; unusual options are passed to `pymdownx.highlight`.

        The parameters are those of `Highlight.highlight`.
        """
        has_unusual_settings = (
            self.auto_title or self.line_spans or self.line_anchors or self.guess_lang
        )
        is_numbered = self.linenums or known["linestart"] > 0
        is_unusual = has_unusual_settings or is_numbered or known["hl_lines"] or known["id_value"]
        if not self.use_pygments or is_unusual:
            return super().highlight(src, language, css_class, **known)
        lexer, name = self.lexer(language or self.default_lang)
        title = (known["title"] or "").strip()
        formatter = _formatter(css_class, self.pygments_style, self.noclasses, title)
        coloured = highlight(src, lexer, formatter).strip()
        classes = [self.language_prefix + name] if self.pygments_lang_class else []
        classes += [*known["classes"], css_class]
        attributes = "".join(f' {key}="{value}"' for key, value in known["attrs"].items())
        return _FIRST_DIV.sub(f'<div class="{" ".join(classes)}"{attributes}>', coloured, count=1)

    def lexer(self, language: str) -> tuple[Lexer, str]:
        """Return the lexer of a language and the language's name; both are cached."""
        if language not in self.lexers:
            self.lexers[language] = self.get_lexer("", language, False, self.stripnl)
        return self.lexers[language]


@lru_cache(maxsize=256)
def _formatter(css_class: str, style: str, noclasses: bool, title: str) -> BlockHtmlFormatter:
    """Return the formatter with these settings; creating one is slower than using it."""
    return BlockHtmlFormatter(
        cssclass=css_class, style=style, noclasses=noclasses, wrapcode=True, filename=title
    )


def _parse_line_numbers(words: str) -> list[int]:
    """Return the numbers of lines given as numbers and ranges.

    Examples
    --------
    >>> _parse_line_numbers("2 4-6")
    [2, 4, 5, 6]
    """
    lines: list[int] = []
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", words):
        lines += range(int(first), int(last or first) + 1)
    return lines


def fold(coloured: str, lines: Sequence[str]) -> str:
    """Add a switch to highlighted code; while it is off, the style sheet shows the first line.

    Lines that only prepare the others, such as imports, are marked, so that it can hide them, too.
    ``lines`` is the code.
    """
    switch = (
        '<label class="vk-unfold" data-search-exclude="true"><input type="checkbox">'
        f"<span>All {len(lines)} lines of code</span></label>"
    )
    # The highlighter leaves out blank lines at the beginning.
    blank = next((number for number, line in enumerate(lines) if line.strip()), 0)
    head, code_tag, code = coloured.removesuffix("</div>").partition("<code>")
    if (count := count_preparing_lines("\n".join(lines)) - blank) > 0:
        html_lines = code.split("\n")
        preparing = "\n".join(html_lines[:count])
        code = f'<span class="vk-prepares">{preparing}\n</span>' + "\n".join(html_lines[count:])
    return f"{head}{code_tag}{code}{switch}</div>"


def count_preparing_lines(code: str) -> int:
    r"""Return the number of lines above the first statement that is not an import.

    Blank lines, comments and settings for printing do not count as statements, either. If there is
    no such statement, or the code is not Python, the number is 0.

    Examples
    --------
    >>> count_preparing_lines("import numpy as np\n\n# A comment.\nx = 1")
    3
    >>> count_preparing_lines("x = 1\nimport numpy"), count_preparing_lines("import numpy")
    (0, 0)
    """
    try:
        statements = ast.parse(code).body
    except (SyntaxError, ValueError):
        return 0
    first = next((statement for statement in statements if not _only_prepares(statement)), None)
    if first is None:
        return 0
    # The line of a function is that of its `def`, below its decorators.
    decorators: list[ast.expr] = getattr(first, "decorator_list", [])
    return min([first.lineno, *(decorator.lineno for decorator in decorators)]) - 1


def _only_prepares(statement: ast.stmt) -> bool:
    """Return whether a statement is an import, or calls a function ``set_printoptions``."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "set_printoptions"
