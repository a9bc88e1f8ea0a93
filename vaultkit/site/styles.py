"""Joins the style sheets of a site, without the theme's rules that no page uses.

A theme has rules for everything that a site may contain: tabs, cards, annotations, right-to-left
languages. A browser matches many of them with every element repeatedly; on a phone, that takes
longer than everything else that it does for a page.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import tinycss2
from tinycss2.ast import Node

from vaultkit.files import write_atomically

#: The link of a page to a style sheet.
_LINK = re.compile(r'<link rel="stylesheet" href="([^"?#]+)">\s*')
#: What ties a style sheet to its folder, or to its place before all rules.
_RELATIVE = re.compile(r"url\((?![\"']?(?:data:|/|#|\w+:))|@import|@charset(?! \"utf-8\")", re.I)
#: The folder of Material's style sheets, and the form of its names, since its scripts have others.
_THEME = "assets/stylesheets"
_THEMES_NAME = re.compile(r"\bmd-[\w-]+")
#: Classes that scripts set to the state of an element.
_STATES = "js no-js focus-visible"

# These begin with letters, by which `re` searches fast; a boundary before them would prevent that.
_CLASS = re.compile(r'class="([^"]*)"')
_NAME = re.compile(r"[A-Za-z][\w-]*")
_TEXT = r"(?P<text>\"[^\"\n]*\"|'[^'\n]*')"
_COMMENT = re.compile(rf"{_TEXT}|/\*.*?\*/", re.DOTALL)
#: Blanks beside a sign that needs none.
_BLANKS = re.compile(rf"{_TEXT}|(?P<sign>[:,]) +| +(?={{)")
#: Line ends beside a sign, which are not needed either.
_LINE_ENDS = re.compile(r"(?<=[{};,(])\n+|\n+(?=[})])")
#: Attributes whose values are all written in the pages.
_WRITTEN = re.compile(r"dir|data-md-color-\w+")
_ATTRIBUTE = re.compile(rf'({_WRITTEN.pattern})="([^"]*)"')
#: A custom property that is read.
_PROPERTY = re.compile(r"--[\w-]+(?=[,)\s\"'`])")
#: Material sets this attribute and removes it at each start, which restyles all elements, only to
#: suppress transitions for a quarter of a second.
_COSTLY = "data-md-color-switching"
#: With rules such as ``table:not([class]) td>:first-child``, each change of a class restyles all
#: elements below. `text.css` has them without the attribute.
_COSTLY_RULE = re.compile(r"table:not\(\[class\]\) t[dh]\s*>\s*:(?:first|last)-child")
#: Material's script gives the body of a page the dark scheme, if the system's colours are dark.
_SLATE = re.compile(r'(?:body)?\[data-md-color-scheme="?slate"?\]')
_BODY = re.compile(r"<body\b[^>]*>")
_MEDIA = "(prefers-color-scheme: dark)"
_SYSTEM = f'data-md-color-media="{_MEDIA}"'


@dataclass(frozen=True)
class Used:
    """The classes, ids and attributes that occur on a site.

    Attributes
    ----------
    classes
        All classes that an element may have.
    values
        All values of attributes, each with the attribute's name.
    """

    classes: frozenset[str]
    values: frozenset[tuple[str, str]]

    @classmethod
    def collect(cls, pages: Iterable[str], scripts: Iterable[str]) -> Used:
        """Collect them from the HTML of all pages, and from the scripts."""
        classes: set[str] = set()
        values: set[tuple[str, str]] = set()
        for page in pages:
            for in_page in set(_CLASS.findall(page)):
                classes.update(in_page.split())
            values.update(_ATTRIBUTE.findall(page))
        for script in scripts:
            classes.update(_NAME.findall(script))
        return cls(frozenset(classes), frozenset(values))


#: Type of a function that divides items among processes and lists what each process returns.
Divided = Callable[[Sequence[Any], Callable[[Iterable[Any]], Any]], list[Any]]


def join_sheets(
    site: Path, folder: str, divide: Divided = lambda things, work: [work(things)]
) -> None:
    """Replace all style sheets that the pages of a site link to by a single one.

    Parameters
    ----------
    site
        The folder of the finished site.
    folder
        The path in it at which the style sheet is written.
    divide
        Divides reading and writing among processes, like `vaultkit.doors.helpers.divide`.
    """
    pages = [*enumerate(sorted(site.rglob("*.html")))]
    read = divide(pages, lambda part: _read_pages(part, site))
    # In the order in which pages link to them, since later rules prevail.
    linked = sorted((page, names) for part in read for names, page in part["named"])
    sheets = _read_sheets([Path(name) for _, names in linked for name in names], site / folder)
    scripts = [path.read_text("utf-8") for path in sorted(site.rglob("*.js"))]
    # Of the theme's own script, only the names of its classes count.
    named = [" ".join(_THEMES_NAME.findall(s)) if "md-search" in s else s for s in scripts]
    by_scripts = Used.collect([], [*named, _STATES])
    used = Used(
        by_scripts.classes.union(*(part["classes"] for part in read)),
        frozenset((name, value) for part in read for name, value in part["values"]),
    )
    rules = (
        prune(css, used) if file.parent == site / _THEME else minify(css)
        for file, css in sheets.items()
    )
    properties = (f"{name} " for part in read for name in part["properties"])
    joined = drop_unread_properties("\n".join(rules), [*properties, *scripts])
    joined = _LINE_ENDS.sub("", joined)
    names = [_write(site, folder, "site", joined)]
    if dark := dark_colours(joined):
        names.append(_write(site, folder, "dark", dark))
    divide(pages, lambda part: _replace_links(part, site, sheets.keys(), *names))


def _write(site: Path, folder: str, name: str, css: str) -> str:
    """Write a style sheet, and return its path, which changes with its content."""
    uri = f"{folder}/{name}.{hashlib.sha256(css.encode()).hexdigest()[:8]}.css"
    write_atomically(site / uri, css)
    return uri


def _read_sheets(files: Iterable[Path], folder: Path) -> dict[Path, str]:
    """Return the content of each style sheet that can be moved to a folder."""
    sheets: dict[Path, str] = {}
    for file in files:
        if file in sheets or not file.is_file():
            continue
        css = file.read_text("utf-8")
        # Relative addresses in a style sheet of another folder would no longer lead to their files.
        if file.parent == folder or not _RELATIVE.search(css):
            sheets[file] = css
    return sheets


def _read_pages(pages: Iterable[tuple[int, Path]], site: Path) -> dict[str, list[Any]]:
    """Collect the style sheets that pages link to, and all names used in the pages.

    Each page comes with its number. ``named`` has each list of style sheets that some page links
    to, with the number of the first such page; ``classes``, ``values`` and ``properties`` are those
    in the HTML of the pages. The result is sent between processes, so it consists of lists.
    """
    named: dict[tuple[str, ...], int] = {}
    classes: set[str] = set()
    values: set[tuple[str, str]] = set()
    properties: set[str] = set()
    for number, path in pages:
        page = path.read_text("utf-8")
        files = tuple(os.fspath(_file_of(match, path, site)) for match in _LINK.finditer(page))
        if files:
            named.setdefault(files, number)
            used = Used.collect([page], [])
            classes |= used.classes
            values |= used.values
            properties.update(_PROPERTY.findall(page))
    return {
        "named": [[names, number] for names, number in named.items()],
        "classes": [*classes],
        "values": [*values],
        "properties": [*properties],
    }


def _replace_links(
    pages: Iterable[tuple[int, Path]],
    site: Path,
    sheets: Collection[Path],
    name: str,
    dark: str | None = None,
) -> None:
    """Replace the links to these style sheets in pages by one link, in the place of the first.

    A page that chooses its colours by a script gets the style sheet ``dark`` for readers without
    scripts.
    """
    for _, path in pages:
        page = path.read_text("utf-8")
        links = [f for f in _LINK.finditer(page) if _file_of(f, path, site) in sheets]
        if not links:
            continue
        first = links[0]
        # The links of the error page are relative to the root of the host.
        old = _file_of(first, path, site).relative_to(site).parts
        # What leads from the page to the root of the site: `../`, or `/` and the path of the site.
        root = "".join(f"{part}/" for part in first[1].split("/")[: -len(old)])
        text = page[: first.start()] + f'<link rel="stylesheet" href="{root}{name}">\n    '
        # The text between each link and the next one, and behind the last.
        for (_, end), (start, _) in pairwise([*(link.span() for link in links), (len(page), 0)]):
            text += page[end:start]
        if dark and _SYSTEM in page:
            # Not in the head: a page that is loaded in place would add it there, with its content.
            sheet = f'<link rel="stylesheet" href="{root}{dark}" media="{_MEDIA}">'
            text = _BODY.sub(rf"\g<0><noscript>{sheet}</noscript>", text, count=1)
        path.write_text(text, encoding="utf-8", newline="")


def _file_of(link: re.Match[str], page: Path, site: Path) -> Path:
    """Return the file that a link to a style sheet names."""
    href = unquote(link[1])
    if href.startswith("/"):
        # The address of the site may have a path, which is not a folder of the site.
        parts = href.strip("/").split("/")
        tails = (site.joinpath(*parts[n:]) for n in range(len(parts)))
        return next((tail for tail in tails if tail.is_file()), site / href.strip("/"))
    return Path(posixpath.normpath((page.parent / href).as_posix()))


def prune(css: str, used: Used) -> str:
    """Return a style sheet without the rules that match nothing.

    Parameters
    ----------
    css
        A style sheet.
    used
        The names that occur on the site.

    Examples
    --------
    >>> prune(".a,.b:not(.c) .d{x:y}@media print{.c{x:y}}", Used.collect(['<p class="a d">'], []))
    '.a{x:y}'
    """
    return "".join(_used_rules(_parse(css), used))


def minify(css: str) -> str:
    r"""Return a style sheet without comments, indentation and blanks beside signs.

    Examples
    --------
    >>> minify('/* Why. */\n.a {\n  content: "/* \\201C */";\n}\n')
    '\n.a{\ncontent:"/* \\201C */";\n}\n'
    """
    kept = _COMMENT.sub(lambda match: match["text"] or "", css)
    return _BLANKS.sub(
        lambda match: match["text"] or match["sign"] or "", re.sub(r"\n\s*", "\n", kept)
    )


def drop_unread_properties(css: str, texts: Sequence[str]) -> str:
    """Drop custom properties that neither the style sheet nor one of the texts reads.

    Examples
    --------
    >>> drop_unread_properties(".a{--b:1;--c:2;x:var(--b)}", [])
    '.a{--b:1;x:var(--b)}'
    """
    read = {name for text in (css, *texts) for name in _PROPERTY.findall(text)}
    return re.sub(
        r"(?<=[{;])(--[\w-]+):(?:\"[^\"]*\"|'[^']*'|url\([^()]*\)|[^;{}\"'])*;",
        lambda match: match[0] if match[1] in read else "",
        css,
    )


def dark_colours(css: str) -> str:
    """Return the custom properties of the dark scheme, as rules for a body of any scheme.

    Without scripts, a page has the first scheme of its palette.

    Examples
    --------
    >>> dark_colours("p{--a:1}@media screen{[data-md-color-scheme=slate] p,p{--a:2;x:y}}")
    '@media screen{body[data-md-color-scheme] p{--a:2}}'
    """
    return "".join(_dark_rules(_parse(css)))


def _dark_rules(rules: Iterable[Any]) -> Iterable[str]:
    """Yield the rules with custom properties of the dark scheme, and of each nothing else."""
    for rule in rules:
        if rule.type == "qualified-rule":
            heads = (tinycss2.serialize(s).strip() for s in _split_selectors(rule.prelude))
            slate = [head for head in heads if _SLATE.search(head) and ":not(" not in head]
            parts = tinycss2.parse_blocks_contents(rule.content)
            variables = [p for p in parts if p.type == "declaration" and p.name.startswith("--")]
            if slate and variables:
                head = _SLATE.sub("body[data-md-color-scheme]", ",".join(slate))
                yield f"{head}{{{';'.join(p.serialize() for p in variables)}}}"
        elif inner := _inner_rules(rule):
            kept = "".join(_dark_rules(inner))
            if kept:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{kept}}}"


def _inner_rules(rule: Any) -> list[Any]:
    """Return the rules within an at-rule."""
    if rule.type != "at-rule" or not rule.content or rule.lower_at_keyword not in _NESTING:
        return []
    rules: list[Any] = tinycss2.parse_rule_list(
        rule.content, skip_comments=True, skip_whitespace=True
    )
    return rules


def _parse(css: str) -> tuple[Node, ...]:
    return tuple(tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True))


def _used_rules(rules: Iterable[Any], used: Used) -> Iterable[str]:
    """Yield the CSS rules that may apply to a page, with only the selectors that may match."""
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [s for s in _split_selectors(rule.prelude) if _may_match(s, used)]
            if selectors:
                heads = ",".join(tinycss2.serialize(selector).strip() for selector in selectors)
                yield f"{heads}{{{tinycss2.serialize(rule.content).strip()}}}"
        elif inner := _inner_rules(rule):
            kept = "".join(_used_rules(inner, used))
            if kept:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{kept}}}"
        else:
            yield rule.serialize()


#: At-rules that contain other rules.
_NESTING = ("media", "supports", "layer", "container")


def _split_selectors(tokens: Iterable[Any]) -> list[list[Any]]:
    """Split a list of selectors at its commas."""
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _may_match(selector: Sequence[Any], used: Used) -> bool:
    """Return whether a selector can match an element: each class and attribute in it is used."""
    if _COSTLY_RULE.search(tinycss2.serialize(selector)):
        return False
    is_class = False  # whether the token before was a dot
    for token in selector:
        if is_class and token.type == "ident" and token.value not in used.classes:
            return False
        is_class = token == "."
        if token.type == "function" and token.lower_name in ("is", "where"):
            if not any(_may_match(part, used) for part in _split_selectors(token.arguments)):
                return False
        elif token.type == "[] block" and not _attribute_may_occur(token.content, used):
            return False
    return True


def _attribute_may_occur(attribute: Sequence[Any], used: Used) -> bool:
    """Return whether some page may have an attribute, given as the tokens between ``[`` and ``]``.

    For attributes whose values are all in the pages, it must be one of ``used.values``; scripts may
    set all others at any time.
    """
    tokens = [token for token in attribute if token.type != "whitespace"]
    if tokens and tokens[0].value == _COSTLY:
        return False
    if len(tokens) != 3 or tokens[1] != "=" or not _WRITTEN.fullmatch(tokens[0].value):
        return True
    return (tokens[0].value, tokens[2].value) in used.values
