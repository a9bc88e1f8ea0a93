"""Obsidian's syntax, case by case: what a note says, and the HTML that it becomes."""

import re

import pytest

from tests.vaultkit.agreement import converter
from vaultkit.read.vault import Vault

FILES = {
    "Other.md": "# Other\n\n## Part: two (C++)\n\nA fact. ^fact\n\n### Deep $O(n)$\n\nx\n",
    "Far away/Some note.md": "---\naliases: [Nick]\n---\n# Some note\n\n## Last part\n\ny\n",
    "files/picture.png": "",
    "files/paper.pdf": "",
    "files/sound.mp3": "",
    "files/film.mp4": "",
    "plan.canvas": "{}",
    "list.base": "",
    "sketch.excalidraw": "",
}
PLAYER = 'controls="controls" preload="metadata"'
UL = "<ul><li>a</li><li>b</li></ul>"
B = '<span class="arithmatex">\\(x\\)</span>'


def display(number: int, tex: str = "x") -> str:
    link = (
        f'<a aria-label="Link to this equation" class="headerlink vk-math__link" '
        f'href="#equation-{number}" title="Link to this equation"></a>'
    )
    return f'<div class="arithmatex" id="equation-{number}">\\[ {tex} \\]{link}</div>'


def callout(inner: str, kind: str = "note", title: str = "T") -> str:
    return f'<div class="admonition {kind}"><p class="admonition-title">{title}</p>{inner}</div>'


def tasks(state: str, sign: str = "") -> str:
    sign = f' data-task="{sign}"' if sign else ""
    return (
        f'<ul class="task-list"><li class="task-list-item"{sign}>'
        f'<label class="task-list-control"><input type="checkbox" disabled{state}/>'
        '<span class="task-list-indicator"></span></label> a</li></ul>'
    )


CASES = {
    # Lists
    "list behind a paragraph": ("w\n- a\n- b", f"<p>w</p>{UL}"),
    "list behind a heading": ("# H\n- a\n- b", f'<h1 id="h">H</h1>{UL}'),
    "list behind a callout's title": ("> [!note] T\n> - a\n> - b", callout(UL)),
    "list in a callout behind words": ("> [!note] T\n> w\n> - a\n> - b", callout(f"<p>w</p>{UL}")),
    "list in a quote": ("> w\n> - a\n> - b", f"<blockquote><p>w</p>{UL}</blockquote>"),
    "list nested by a tab": ("- w\n\t- a\n\t- b", f"<ul><li>w{UL}</li></ul>"),
    "list nested by 2": ("- w\n  - a\n  - b", f"<ul><li>w{UL}</li></ul>"),
    "list nested by 3": ("- w\n   - a\n   - b", f"<ul><li>w{UL}</li></ul>"),
    "list nested by 4": ("- w\n    - a\n    - b", f"<ul><li>w{UL}</li></ul>"),
    "list nested thrice": (
        "- a\n  - b\n    - c\n      - d",
        "<ul><li>a<ul><li>b<ul><li>c<ul><li>d</li></ul></li></ul></li></ul></li></ul>",
    ),
    "list nested by 2 in a callout": (
        "> [!note] T\n> - w\n>   - a\n>   - b",
        callout(f"<ul><li>w{UL}</li></ul>"),
    ),
    "list with a bracket": ("1) a\n2) b", "<ol><li>a</li><li>b</li></ol>"),
    "list that starts at 3": ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
    "a year is no list": ("w\n1986. was a year", "<p>w 1986. was a year</p>"),
    "list of other marks": ("- a\n- b\n\n* c", f"{UL}<ul><li>c</li></ul>"),
    "list of numbers behind one of points": ("- a\n- b\n\n1. c", f"{UL}<ol><li>c</li></ol>"),
    "list of points behind one of numbers": ("1. c\n- a\n- b", f"<ol><li>c</li></ol>{UL}"),
    "numbers nested by 3": (
        "1. a\n   1. b\n   2. c\n2. d",
        "<ol><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ol>",
    ),
    "points in numbers": ("1. w\n   - a\n   - b", f"<ol><li>w{UL}</li></ol>"),
    "numbers in points": ("- w\n  1. a", "<ul><li>w<ol><li>a</li></ol></li></ul>"),
    "list with gaps": ("- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
    "two paragraphs in an item": (
        "- a\n\n  b\n- c",
        "<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>",
    ),
    "an item goes on": ("- a\n  b\n- c", "<ul><li>a b</li><li>c</li></ul>"),
    "a quote goes on": ("> a\nb", "<blockquote><p>a b</p></blockquote>"),
    "a quote in an item": (
        "- a\n  > b",
        "<ul><li>a<blockquote><p>b</p></blockquote></li></ul>",
    ),
    "a callout in an item": (
        "- a\n  > [!note] T\n  > b",
        f"<ul><li>a{callout('<p>b</p>')}</li></ul>",
    ),
    # Headings
    "heading behind a table": (
        "|a|\n|-|\n# H",
        '<table><thead><tr><th>a</th></tr></thead><tbody></tbody></table><h1 id="h">H</h1>',
    ),
    "heading behind a callout": (
        "> [!note] T\n> w\n# H",
        callout("<p>w</p>") + '<h1 id="h">H</h1>',
    ),
    "heading behind words": ("w\n# H\nw", '<p>w</p><h1 id="h">H</h1><p>w</p>'),
    "underlined heading": ("H\n===", '<h1 id="h">H</h1>'),
    "underlined heading of two lines": ("Two\nlines\n---", '<h2 id="two-lines">Two lines</h2>'),
    "no heading": ("#tag w", '<p><span class="md-tag">#tag</span> w</p>'),
    "heading closed": ("## H ##", '<h2 id="h">H</h2>'),
    # Code
    "fence of a plugin": ("```ad-note\na\n```", "CODE a"),
    "fence with braces": ("```{code-cell} ipython3\na\n```", "CODE a"),
    "fence with words": ("```python foo bar=1 'baz\na\n```", "CODE a"),
    "fence with a sign": ("```c++ x\na\n```", "CODE a"),
    "fence touching words": ("w\n```\na\n```\nw", "<p>w</p>CODE a<p>w</p>"),
    "fence in an item": ("- w\n  ```\n  a\n\n    b\n  ```", "<ul><li>wCODE a b</li></ul>"),
    "fence of tildes": ("~~~~\n~~~\n```\n~~~~", "CODE ~~~ ```"),
    "fence in a callout": ("> [!note] T\n> ```\n> a\n> ```", callout("CODE a")),
    "fence that is not closed": ("```\n# a", "CODE # a"),
    "indented code": ("w\n\n    - a", "<p>w</p>CODE - a"),
    # HTML
    "details": (
        "<details>\n<summary>S</summary>\n\nw **b**\n\n- a\n- b\n\n</details>\n\nz",
        f"<details><summary>S</summary><p>w <strong>b</strong></p>{UL}</details><p>z</p>",
    ),
    "html stays as it is": ("<div>\n*a*\n</div>", "<div> *a* </div>"),
    "html in a line": ("a <kbd>b</kbd> *c*", "<p>a <kbd>b</kbd> <em>c</em></p>"),
    # Mathematics
    "display": ("$$x$$", display(1)),
    "display touching words": ("w\n$$\nx\n$$\nz", f"<p>w</p>{display(1)}<p>z</p>"),
    "display in a list": (
        "- w\n  $$\n  x\n  $$\n- b",
        f"<ul><li>w{display(1)}</li><li>b</li></ul>",
    ),
    "display with a blank line that touches words": (
        "w\n$$\nx\n\ny\n$$\nz",
        f"<p>w</p>{display(1, 'x  y')}<p>z</p>",
    ),
    "display with a blank line behind a list": (
        "- w\n$$\n- x\n\ny\n$$\n- z",
        f"<ul><li>w</li></ul>{display(1, '- x  y')}<ul><li>z</li></ul>",
    ),
    "text behind a display and a list": (
        "- w\n$$\nx\n\ny\n$$\n\tz $x$\n\n    a",
        f"<ul><li>w</li></ul>{display(1, 'x  y')}<p>z {B}</p>CODE a",
    ),
    "display with what looks like a list": (
        "> w\n> $$\n> x\n> - y\n> $$\n> z\n> $$\n> a\n> $$\n>\n> c",
        f"<blockquote><p>w</p>{display(1, 'x - y')}<p>z</p>{display(2, 'a')}<p>c</p></blockquote>",
    ),
    "display in a line": ("w $$x$$ z", '<p>w <span class="arithmatex">\\[x\\]</span> z</p>'),
    "display in a callout": ("> [!note] T\n> $$x$$\n> w", callout(f"{display(1)}<p>w</p>")),
    "two displays": ("$$x$$\n$$y$$", display(1) + display(2, "y")),
    "a bar in a table": (
        "|a|\n|-|\n|$\\|x\\|$|",
        'TABLE a <td><span class="arithmatex">\\(|x|\\)</span></td>',
    ),
    "an escaped bracket": ("\\(a\\) \\[See also\\]", "<p>(a) [See also]</p>"),
    "prices": ("$5 and $6", "<p>$5 and $6</p>"),
    "a formula": ("a $x$ b", f"<p>a {B} b</p>"),
    # Comments
    "comment": ("a %%s%% b", "<p>a  b</p>"),
    "comment that begins in a line": ("a %%\ns\n%%\n\nb", "<p>a</p><p>b</p>"),
    "comment over blocks": ("a %%s\n\n# s\n\ns%% b", "<p>a</p><p> b</p>"),
    "comment in an item": ("- a %%s%%\n- b", UL),
    "percents": ("100%% sure", "<p>100%% sure</p>"),
    # Links
    "special signs": ("[[Other#Part two C]]", "HREF Other.md#part-two-c Other &gt; Part two C"),
    "special signs as they are": ("[[Other#Part: two (C++)|w]]", "HREF Other.md#part-two-c w"),
    "rising levels": ("[[Other#Part two C#Deep O(n)|w]]", "HREF Other.md#deep-on w"),
    "rising levels across sections": (
        "# A\n\n### B\n\n## C\n\n#### D\n\n[[#B#D|w]]",
        '<h1 id="a">A</h1><h3 id="b">B</h3><h2 id="c">C</h2><h4 id="d">D</h4><p>HREF #d w</p>',
    ),
    "the same words but for signs": (
        "## C++\n\n## C\n\n[[#C|w]]",
        '<h2 id="c">C++</h2><h2 id="c_1">C</h2><p>HREF #c_1 w</p>',
    ),
    "a command of TeX in a heading": (
        "# The $\\alpha$ of $x_i$\n\n[[#The $\\alpha$ of $x_i$|w]]",
        '<h1 id="the-alpha-of-x_i">The <span class="arithmatex">\\(\\alpha\\)</span> of '
        '<span class="arithmatex">\\(x_i\\)</span></h1><p>HREF #the-alpha-of-x_i w</p>',
    ),
    "a formula in a heading": ("[[Other#Deep $O(n)$|w]]", "HREF Other.md#deep-on w"),
    "a bare name": ("[w](Some%20note)", '<p><a href="Far%20away/Some%20note.md">w</a></p>'),
    "a bare name with its ending": (
        "[w](Some%20note.md)",
        '<p><a href="Far%20away/Some%20note.md">w</a></p>',
    ),
    "a name in brackets": ("[w](<Some note>)", '<p><a href="Far%20away/Some%20note.md">w</a></p>'),
    "a heading by its words": (
        "[w](Some%20note#Last%20part)",
        '<p><a href="Far%20away/Some%20note.md#last-part">w</a></p>',
    ),
    "a heading here by its words": (
        "# A b\n\n[w](#A%20b)",
        '<h1 id="a-b">A b</h1><p><a href="#a-b">w</a></p>',
    ),
    "a block": ("[w](Other.md#^fact)", '<p><a href="Other.md#^fact">w</a></p>'),
    "an alias": ("[[Nick]]", "HREF Far%20away/Some%20note.md Nick"),
    "a bare address": (
        "see https://a.org/b_c_d.",
        '<p>see <a href="https://a.org/b_c_d">https://a.org/b_c_d</a>.</p>',
    ),
    "an address in brackets": (
        "(https://a.org)",
        '<p>(<a href="https://a.org">https://a.org</a>)</p>',
    ),
    "an address in a link": (
        "[https://a.org](https://b.org)",
        '<p><a href="https://b.org">https://a.org</a></p>',
    ),
    "a defined address": ("[w][d]\n\n[d]: https://a.org", '<p><a href="https://a.org">w</a></p>'),
    # Embeds
    "a pdf": (
        "![[paper.pdf#page=3]]",
        '<iframe class="vk-media" loading="lazy" src="files/paper.pdf#page=3" title="paper.pdf">'
        " </iframe>",
    ),
    "audio": (
        "![[sound.mp3]]",
        f'<audio class="vk-media" {PLAYER} src="files/sound.mp3">'
        '<a href="files/sound.mp3">sound.mp3</a></audio>',
    ),
    "video": (
        "![[film.mp4|300]]",
        f'<video class="vk-media" {PLAYER} src="files/film.mp4" width="300">'
        '<a href="files/film.mp4">film.mp4</a></video>',
    ),
    "an image by its name": (
        "![alt](picture.png)",
        '<p><img alt="alt" src="files/picture.png" /></p>',
    ),
    "an image with words and size": (
        "![alt|120](files/picture.png)",
        '<p><img alt="alt" src="files/picture.png" width="120" /></p>',
    ),
    "an image with a size": (
        "![120](files/picture.png)",
        '<p><img alt="" src="files/picture.png" width="120" /></p>',
    ),
    "an image with two sizes": (
        "![a|120x80](https://a.org/b.png)",
        '<p><img alt="a" height="80" src="https://a.org/b.png" width="120" /></p>',
    ),
    "a film elsewhere": (
        "![a film](https://www.youtube.com/watch?v=1)",
        '<a href="https://www.youtube.com/watch?v=1">a film</a>',
    ),
    "a canvas": (
        "![[plan.canvas]]",
        '<p><span class="vk-computed">Canvas plan: shown in Obsidian alone</span></p>',
    ),
    "a base": (
        "![[list.base]]",
        '<p><span class="vk-computed">Base list: shown in Obsidian alone</span></p>',
    ),
    "a drawing": (
        "![[sketch.excalidraw]]",
        '<span class="vk-computed">Drawing of Excalidraw sketch: shown in Obsidian alone</span>',
    ),
    # Tasks
    "a task": ("- [ ] a", tasks("")),
    "a task that is done": ("- [x] a", tasks(" checked")),
    "a task of another state": ("- [-] a", tasks(" checked", "-")),
    "a task with numbers": ("1. [ ] a", tasks("").replace("ul", "ol")),
    # Footnotes
    "a footnote in its place": ("a ^[w *b*] c", "NOTE w <em>b</em>"),
    "a footnote": ("a [^1] c\n\n[^1]: w *b*", "NOTE w <em>b</em>"),
    "footnotes in the order of their marks": (
        "a[^2] b[^1]\n\n[^1]: z\n\n[^2]: w *b*",
        "NOTE w <em>b</em>",
    ),
    "a footnote of two paragraphs": ("a [^1] c\n\n[^1]: w\n\n    z", "NOTE w</p><p>z"),
    # Callouts
    "a callout without a title": ("> [!tip]\n> w", callout("<p>w</p>", "tip", "Tip")),
    "a callout with a style": ("> [!tip|left] T\n> w", callout("<p>w</p>", "tip")),
    "a callout touching words": ("w\n> [!note] T\n> a", f"<p>w</p>{callout('<p>a</p>')}"),
    "a callout in a callout": (
        "> [!note] T\n> > [!tip] T\n> > w",
        callout(callout("<p>w</p>", "tip")),
    ),
    "a folded callout": (
        "> [!note]- T\n> w",
        '<details class="note"><summary>T</summary><p>w</p></details>',
    ),
    "a table in a callout": ("> [!note] T\n> |a|\n> |-|\n> |b|", callout("TABLE a <td>b</td>")),
    # Lines
    "lines": ("a\nb", "<p>a b</p>"),
    "a line that ends": ("a  \nb\\\nc", "<p>a<br /> b<br /> c</p>"),
    "a rule": ("a\n\n***\n\n---", "<p>a</p><hr /><hr />"),
}


def squeezed(html: str) -> str:
    """Remove white space that only affects the layout of a page's source."""
    html = re.sub(r'<a class="headerlink" href="[^"]*" title="Link to here">#</a>', "", html)
    html = re.sub(
        r'<div class="[^"]*highlight"><pre>(?:<span></span>)?<code>(.*?)</code></pre></div>',
        lambda found: f"CODE {' '.join(re.sub('<[^>]*>', '', found[1]).split())}",
        html,
        flags=re.DOTALL,
    )
    html = re.sub(
        r"<table><thead><tr><th>a</th></tr></thead><tbody><tr>(<td>.*?</td>)</tr></tbody></table>",
        r"TABLE a \1",
        re.sub(r">\s*\n\s*<", "><", html),
    )
    html = re.sub(r'<a class="wikilink" href="([^"]*)">([^<]*)</a>', r"HREF \1 \2", html)
    if note := re.search(r'<li id="fn:[\w-]+"><p>(.*?)&#160;', html):
        return f"NOTE {note[1]}"
    return re.sub(r"\n?(CODE[^\n<]*)\n?", r"\1", html).replace("\n", " ").strip()


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    root = tmp_path_factory.mktemp("syntax")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Vault(root)


def render(vault: Vault, text: str) -> str:
    return squeezed(converter(vault, vault.root / "Host.md", backlinks=False).convert(text))


@pytest.mark.parametrize("name", CASES)
def test_syntax(vault: Vault, name: str) -> None:
    text, expected = CASES[name]
    html = render(vault, text)
    assert html.removeprefix("<p>").removesuffix("</p>") == expected.removeprefix(
        "<p>"
    ).removesuffix("</p>")
