"""Nothing but raw HTML makes a page run a script, and that can be forbidden."""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page
from visitor import Contexts

#: Mark-up that would make a browser run a script; ``{0}`` names the place in the report.
IMG = "<img src=x onerror=hacked('{0}')>"
QUOTED = "\"'></title></script><script>hacked('{0}')</script>"
FRONT = """\
---
title: {title}
aliases: [{alias}]
tags: [{tag}]
summary: {summary}
description: {description}
author: {author}
authors: [{author}]
subtitle: {author}
---
"""
LINKS = """\
# Links

[a](javascript:hacked('link')) [b](JaVaScRiPt:hacked('case')) [c](&#106;avascript:hacked('entity'))
[d](java&Tab;script:hacked('tab')) <javascript:hacked('auto')> [e][ref] [f](vbscript:x)
[g](data:text/html,<script>hacked('data')</script>) ![i](javascript:hacked('image'))
[[javascript:hacked('wiki')]] ![[javascript:hacked('embed')|x]] [j](  javascript:hacked('blank'))
[k](<java\tscript:hacked('t')>) [l](\x01javascript:hacked('control'))

[ref]: javascript:hacked('reference)

> [!note] {img}

```python title="{img}" no-run
1
```

```mermaid
flowchart LR
  A["{img}"] --> B
  click A "javascript:hacked('mermaid')"
```

$\\text{{{img}}}$ and `{img}` and [[{img}]]

| a | b |
|---|---|
| x | y |
{{: onclick="hacked('attribute')" }}

![drawn](evil.svg)

![[evil.svg]]
"""
SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 class="vk-figure" viewBox="0 0 9 9" onload="hacked('root')"><title>a</title>
<script>hacked('svg script')</script><script href="data:,hacked('svg data')"/>
<g onclick="hacked('g')" onmouseover='hacked("over")'><a href="javascript:hacked('svg link')">
<text>x</text></a><a xlink:href="java&#10;script:hacked('xlink')"><text>y</text></a></g>
<image href="x" onerror="hacked('svg image')"/><use href="data:image/svg+xml,x"/>
<animate attributeName="href" values="javascript:hacked('animate')"/>
<set attributeName="onclick" to="hacked('set')"/>
<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:hacked(1)"/>
<img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror="hacked('foreign')"/></foreignObject>
<style>@import "x"; a{fill:url(javascript:hacked(1))}</style><rect width="3" height="3"/></svg>"""


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def write(docs: Path) -> None:
    docs.mkdir()
    every = ("title", "alias", "tag", "summary", "description", "author")
    for name, how in (("Images", IMG), ("Quotes", QUOTED)):
        front = FRONT.format(**{key: quoted(how.format(key)) for key in every})
        (docs / f"{name}.md").write_text(f"{front}\n# {name}\n\nSee [[Links]] and [[Plain]].\n")
    untitled = FRONT.format(**{key: quoted(QUOTED.format(key)) for key in every})
    (docs / "Untitled.md").write_text(untitled.replace("title:", "x:") + "\nNo heading.\n")
    (docs / (IMG.format("file") + ".md")).write_text("No heading, [[Plain]] alone.\n")
    (docs / "Links.md").write_text(LINKS.format(img=IMG.format("text").replace('"', "'")))
    (docs / "Plain.md").write_text("# Plain `<img src=x onerror=hacked('code')>` &lt;b>\n\nText.\n")
    (docs / "evil.svg").write_text(SVG)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hostile")
    write(folder / "docs")
    (folder / "vaultkit.toml").write_text("html = false\n")
    (folder / "docs" / "Raw.md").write_text(
        "# Raw\n\n<script>hacked('raw')</script>\n\n<div onclick=\"hacked('div')\">*a*</div>\n\n"
        "In <b onmouseover=hacked('b')>line</b> <!-- unseen --> and\n\n<!-- unseen -->\n\n"
        "<div markdown>\n<script>hacked('md')</script>\n</div>\n\n"
        "# Head <img src=x onerror=hacked('heading')>\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "vaultkit", "build", "docs", "-d", "site"],
        cwd=folder,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder / "site")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def page(contexts: Contexts) -> Iterator[Page]:
    page = contexts.get(False, 1280, "light", {}).new_page()
    page.add_init_script("window.found = []; window.hacked = where => found.push(where)")
    yield page
    page.close()


PAGES = ("", "images/", "quotes/", "untitled/", "links/", "plain/", "raw/", "tags/")


@pytest.mark.usually("images/", "raw/")
@pytest.mark.parametrize("path", PAGES)
def test_no_page_runs_what_a_note_says(page: Page, address: str, path: str) -> None:
    answer = page.goto(address + path)
    assert answer
    assert answer.ok
    page.wait_for_load_state("networkidle")
    # Whatever could be touched is.
    page.evaluate(
        """() => document.querySelectorAll('article *').forEach(element => {
            for (const name of ['click', 'mouseover', 'error', 'load'])
                element.dispatchEvent(new Event(name))
        })"""
    )
    assert page.evaluate("found") == []
    wrong = page.evaluate(
        """() => [...document.querySelectorAll('*')].flatMap(element =>
            [...element.attributes].filter(({name, value}) =>
                name.startsWith('on') && !element.closest('head')
                || /^(xlink:)?(href|src|action)$/.test(name)
                && /^[\\s\\x00-\\x20]*(javascript|vbscript|data:text)/i.test(
                    value.replace(/[\\t\\n\\r]/g, '')))
            .map(attribute => `${element.tagName} ${attribute.name}=${attribute.value}`))"""
    )
    assert wrong == []


def test_words_are_shown_as_they_were_written(page: Page, address: str) -> None:
    page.goto(address + "images/")
    assert page.title().startswith("<img src=x onerror=hacked('title')>")
    described = page.locator("meta[name=description]").get_attribute("content")
    assert described == "<img src=x onerror=hacked('description')>"
    assert page.locator("meta[name=author]").get_attribute("content") == IMG.format("author")


def test_where_html_is_forbidden_it_is_text(page: Page, address: str) -> None:
    page.goto(address + "raw/")
    text = page.locator("article").inner_text()
    assert "<script>hacked('raw')</script>" in text
    assert "<b onmouseover=hacked('b')>line</b>" in text
    assert "unseen" not in text


def test_what_is_found_is_text(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_function("typeof document$ !== 'undefined'")  # scripts come after the first look
    page.keyboard.press("/")
    page.keyboard.type("hacked", delay=20)
    page.locator(".md-search-result__item").first.wait_for()
    assert page.evaluate("found") == []
    assert page.locator(".md-search-result img, .md-search-result script").count() == 0
