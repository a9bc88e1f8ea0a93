"""Whatever is edited, the site is what it would be if all of it were built again."""

from __future__ import annotations

import json
import logging
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.vaultkit.edited_site import Server, files_below, make_vault
from vaultkit.checks.check import Check
from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.vault import Vault
from vaultkit.store import store_beside

pytestmark = pytest.mark.usefixtures("same_parts")

SETTINGS = """INHERIT: base.yml
site_name: Birds
theme: {name: material, font: false, custom_dir: own}
nav: [index.md, Sea bird: Tern.md, Barn Owl.md, Sea/Gull.md, Look up: [Glossary.md, Checks.md]]
plugins:
  - search
  - tags
  - vaultkit: {meanings: [Glossary.md], roads: {Short: [Tern.md, Barn Owl.md]}MORE}
EXTENSIONS"""
FILES = {
    "base.yml": "copyright: A\n",
    "mkdocs.yml": "",
    "part.md": "One part.\n",
    # Not the page's own template: ours shows there what was checked, the meanings, the road.
    "own/partials/copyright.html": '{% include "said.html" %}',
    "own/said.html": "<b>One</b>",
    "docs/owl.png": "one",
    "docs/Checks.md": "# Checks\n\n<!-- ledger -->\n\n<!-- predictions -->\n",
    "docs/Glossary.md": "# Glossary\n\n- **Mouse**: small: [[Barn Owl]].\n- **Fish**: wet.\n",
    "docs/Cards.md": "# Cards\n\nWhat cries? #bird\n?\nA gull.\n\n<!-- flashcards -->\n",
    "docs/Part.md": "# Part\n\nIt eats fish. See [[Sea crow]], [[Sea swallow]], ![[owl.png]].\n\n"
    '--8<-- "part.md"\n',
    "docs/Shag.md": "---\npublish: false\naliases: [Sea crow]\n---\n# Shag\n\n![[owl.png]]\n",
}
#: The parts of random sentences.
WORDS = (
    "tern", "Barn Owl", "[[Tern]]", "[[Gull|it]]", "[[Tyto alba]]", "![[Gull]]", "mice", "fish",
    "![[Tern#In flight]]", "*far*", "sea swallow", "[[Heron]]", "$x^2$", "$\\Sigma$", "Σ", "#sea",
    "![[wing.svg]]", "[[Tern#In flight]]", "==flies==", "1.5", "![[owl.png]]", "[[#^far]]",
)  # fmt: skip

Edit = Callable[[Path, random.Random], object]


def swap(name: str, one: str, other: str) -> Edit:
    """Replace whichever of two texts is there by the other one."""

    def edit(vault: Path, _: random.Random) -> None:
        path = vault / name
        if path.is_file():
            text = path.read_text("utf-8")
            old, new = (one, other) if one in text else (other, one)
            path.write_text(text.replace(old, new, 1), "utf-8")

    return edit


def there_or_not(name: str, text: str = "") -> Edit:
    """Write a file, or remove it and remember its content."""

    def edit(vault: Path, _: random.Random) -> None:
        path, aside = vault / name, vault / f"aside-{Path(name).name}"
        if path.is_file():
            path.replace(aside)
        elif aside.is_file():
            aside.replace(path)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")

    return edit


def here_or_there(one: str, other: str) -> Edit:
    def edit(vault: Path, _: random.Random) -> None:
        old, new = (one, other) if (vault / one).is_file() else (other, one)
        if (vault / old).is_file():
            (vault / old).rename(vault / new)

    return edit


def sentence(vault: Path, chance: random.Random) -> None:
    """Write random words into any note, and drop some lines."""
    path = chance.choice(sorted((vault / "docs").rglob("*.md")))
    lines = path.read_text("utf-8").split("\n")
    at = chance.randrange(5, len(lines) + 1) if len(lines) > 5 else len(lines)
    lines[at:at] = ["", f"It is {' '.join(chance.choices(WORDS, k=4))} there.", ""]
    if chance.random() < 0.3 and len(lines) > 12:
        del lines[8:11]
    path.write_text("\n".join(lines), "utf-8")


def older_picture(vault: Path, chance: random.Random) -> None:
    (vault / "docs" / "owl.png").write_bytes(chance.randbytes(3))
    os.utime(vault / "docs" / "owl.png", (1, chance.randrange(99)))


def checked(vault: Path, chance: random.Random) -> None:
    """Record the checks of a note, as `vaultkit check` beside the server does."""
    read = Vault(vault / "docs")
    note = chance.choice(list(read.notes.values()))
    Ledger(read).record(note, [Check("link", chance.randrange(1, 9), "[[Tern]]")])


#: Edits, each of which affects other pages than the others.
EDITS: dict[str, Edit] = {
    "words of a page": swap("docs/Sea/Gull.md", "cries", "cries there"),
    "words that another page embeds": swap("docs/Tern.md", "It flies", "It swims"),
    "words that another page quotes": swap("docs/Barn Owl.md", "Unlike a", "As no"),
    "a link": swap("docs/Barn Owl.md", "[[Tern]]", "gull"),
    "a name without a link": swap("docs/Sea/Gull.md", "It", "A tyto alba"),
    "a heading": swap("docs/Tern.md", "## In flight", "## Out of flight"),
    "a block id": swap("docs/Tern.md", "^far", "^wide"),
    "a title": swap("docs/Tern.md", "# Tern\n", "# Common Tern\n"),
    "how a title is set": swap("docs/Sea/Gull.md", "# Gull", "# *Gull*"),
    "an alias": swap("docs/Tern.md", "Sea swallow", "Kip"),
    "a status": swap("docs/Tern.md", "---\naliases", "---\nstatus: new\naliases"),
    "a summary": swap("docs/Barn Owl.md", "---\naliases", "---\nsummary: It flies.\naliases"),
    "a keyword": swap("docs/Barn Owl.md", "---\naliases", "---\nkeywords: [night]\naliases"),
    "a tag": swap("docs/Sea/Gull.md", "\n\nIt", "\n\n#bird It"),
    "whether search finds it": swap(
        "docs/Barn Owl.md", "---\naliases", "---\nsearch: {exclude: true}\naliases"
    ),
    "whether it is public": swap("docs/Tern.md", "---\naliases", "---\npublish: false\naliases"),
    "an alias of a hidden note": swap("docs/Shag.md", "Sea crow", "Crow"),
    "what only a hidden note shows": swap("docs/Shag.md", "![[owl.png]]", "![[wing.svg]]"),
    "where lines end": swap("docs/Sea/Gull.md", "It cries", "It cries\nand cries"),
    "a meaning": swap("docs/Glossary.md", "wet", "dry"),
    "where a term is explained": swap("docs/Glossary.md", ": [[Barn Owl]]", ": [[Tern]]"),
    "a flashcard": swap("docs/Cards.md", "What cries?", "Who cries?"),
    "a fault of the text": swap("docs/Sea/Gull.md", "# Gull", "# Gull\n\n[[Nowhere]]"),
    "a drawing": swap("docs/wing.svg", "<g/>", "<path/>"),
    "a link in a drawing": swap("docs/wing.svg", "[[Tern]]", "[[Gull]]"),
    "a picture that is older": older_picture,
    "a picture": there_or_not("docs/owl.png"),
    "a note that links wait for": there_or_not("docs/Heron.md", "# Heron\n\nIt stands.\n"),
    "a note that others link to": there_or_not("docs/Tern.md"),
    "the only note in a folder": there_or_not("docs/Sea/Gull.md"),
    "where a note is": here_or_there("docs/Barn Owl.md", "docs/Sea/Barn Owl.md"),
    "a setting of the vault": there_or_not("docs/vaultkit.toml", 'unwritten = "mark"\n'),
    "a setting of Obsidian": there_or_not("docs/.obsidian/app.json", '{"strictLineBreaks": true}'),
    "a setting of the site": swap("mkdocs.yml", "site_name: Birds", "site_name: Owls"),
    "a setting of the pages": swap(
        "mkdocs.yml", "plugins:", "markdown_extensions: [nl2br]\nplugins:"
    ),
    "a setting that is inherited": swap("base.yml", "A", "B"),
    "a template": swap("own/said.html", "One", "Two"),
    "a file that an extension reads": swap("part.md", "One", "Another"),
    "what was found in a note": checked,
    "any words": sentence,
    "any other words": sentence,
}

#: An extension that reads files which nothing else reads.
SNIPPETS = "markdown_extensions:\n  - pymdownx.snippets: {base_path: [VAULT]}\n"
#: Other extensions, and another kind of address.
OTHERS = "markdown_extensions: [attr_list, abbr]\nuse_directory_urls: false\n"


class Site:
    """A served site with all its caches, and one that is built from nothing beside it."""

    def __init__(self, folder: Path, more: str = "", extensions: str = "") -> None:
        self.vault, self.anew = folder / "vault", folder / "anew"
        make_vault(self.vault)
        for name, text in FILES.items():
            (self.vault / name).parent.mkdir(parents=True, exist_ok=True)
            (self.vault / name).write_text(text, "utf-8")
        settings = SETTINGS.replace("MORE", more).replace("EXTENSIONS", extensions)
        settings = settings.replace("VAULT", json.dumps(str(self.vault)))
        (self.vault / "mkdocs.yml").write_text(settings, "utf-8")
        self.server = Server(self.vault, "site")
        warnings_of(self.server)

    def assert_is_fresh(self) -> None:
        """Assert that the site and its build's messages equal those of a build from nothing."""
        reported = warnings_of(self.server)
        without = shutil.ignore_patterns("site", "store.sqlite*")
        shutil.copytree(self.vault, self.anew, ignore=without)
        kept = store_beside(self.anew / "docs")
        for row in store_beside(self.vault / "docs").rows("checks"):
            kept.put("checks", *row)  # what was found is no cache
        server = Server(self.anew, "site")
        reported_anew = warnings_of(server)
        found, wanted = files_below(self.server.site), files_below(server.site)
        kept.close()
        shutil.rmtree(self.anew)
        assert sorted(found) == sorted(wanted)
        assert [name for name in found if found[name] != wanted[name]] == []
        assert reported == reported_anew


def warnings_of(server: Server) -> list[str]:
    """Build a site; return the warnings."""
    found: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: found.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("mkdocs").addHandler(handler)
    try:
        server.build()
    finally:
        logging.getLogger("mkdocs").removeHandler(handler)
    return sorted(found)


long, full = pytest.mark.long, pytest.mark.full


@pytest.mark.parametrize(
    ("seed", "count", "more", "extensions"),
    [
        (0, 5, "", ""),
        pytest.param(0, None, "", "", marks=full),
        pytest.param(1, 5, ", pyodide: pyodide", OTHERS, marks=long),
        pytest.param(4, 7, "", SNIPPETS, marks=full),
        pytest.param(2, 5, "", SNIPPETS, marks=long),
    ],
)
def test_any_edit_leaves_the_site_as_if_it_were_new(
    seed: int, count: int | None, more: str, extensions: str, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    site = Site(tmp_path, more, extensions)
    names = list(EDITS)
    chance.shuffle(names)
    for name in names[:count]:
        assert_is_fresh_after(name, site, chance)


def test_what_an_extension_reads_is_shown_as_it_is(tmp_path: Path) -> None:
    site = Site(tmp_path, extensions=SNIPPETS)
    page = site.server.site / "part" / "index.html"
    assert "One part." in page.read_text("utf-8")
    assert_is_fresh_after("a file that an extension reads", site, random.Random(0))
    assert "Another part." in page.read_text("utf-8")


def assert_is_fresh_after(name: str, site: Site, chance: random.Random) -> None:
    EDITS[name](site.vault, chance)
    try:
        site.assert_is_fresh()
    except AssertionError as error:
        raise AssertionError(f"after an edit of {name}") from error
