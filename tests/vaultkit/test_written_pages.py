"""A site that is served is what it would be if all of it were written at each save."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from tests.vaultkit.edited_site import EDITS, SITE, Edit, files_below, make_vault, replaced
from vaultkit.doors.mkdocs_plugin import VaultPlugin
from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.vault import Vault

pytestmark = pytest.mark.usefixtures("same_parts")

CODE = "\n```python\n1 + 1\n```\n\n```text\n2\n```\n"


class Server:
    """What ``mkdocs serve --dirty`` does, without the server."""

    def __init__(self, vault: Path, site: str) -> None:
        self.vault, self.site = vault, vault / site
        self.plugin: VaultPlugin | None = None
        #: How often it has built the whole site.
        self.wholes = 0

    def build(self) -> None:
        if self.plugin:
            self.plugin.saved.build(self.build_all)
        else:
            # Where MkDocs keeps the plugins that want to know of the start.
            dict(MkDocsConfig._schema)["plugins"].plugin_cache.clear()
            self.build_all()

    def build_all(self) -> None:
        self.wholes += 1
        config = load_config(str(self.vault / "mkdocs.yml"), site_dir=str(self.site))
        if not self.plugin:
            self.plugin = config.plugins["vaultkit"]
            config.plugins.on_startup(command="serve", dirty=True)
        build(config, serve_url="http://127.0.0.1:8000/", dirty=True)


#: Those of the edits that are seen on other pages than the one that was edited.
SEEN_ELSEWHERE = (
    "words that another page quotes",
    "a title that the navigation shows",
    "a note that is gone",
    "a note that is no longer public",
    "a setting of the site",
)


@pytest.mark.parametrize("what", SEEN_ELSEWHERE)
def test_what_is_served_is_what_would_be_written(what: str, tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    vault = docs.parent
    server = Server(vault, "served")
    server.build()
    EDITS[what][0](docs)
    server.build()
    Server(vault, "new").build()
    assert files_below(vault / "served") == files_below(vault / "new")


SETTINGS = f"""{SITE.replace("[search, vaultkit]", "[search, tags, typeset, vaultkit]")}
INHERIT: base.yml
nav: [index.md, Sea bird: Tern.md, Barn Owl.md, Sea/Gull.md]
"""
IN_FLIGHT = "\n\nIt nests, as a [[Barn Owl]] does.\n\n"


def older_picture(docs: Path) -> None:
    (docs / "owl.png").write_bytes(b"another")
    os.utime(docs / "owl.png", (1, 1))


#: Edits that are seen on other pages, or on none of them.
OTHERS: dict[str, Edit] = {
    "a title that the navigation has another for": replaced("Tern.md", "# Tern", "# Common Tern"),
    "a state that the navigation shows": replaced(
        "Tern.md", "---\naliases", "---\nstatus: new\naliases"
    ),
    "how a title is set": replaced("Sea/Gull.md", "# Gull", "# *Gull*"),
    "a setting that is inherited": lambda docs: (docs.parent / "base.yml").write_text(
        "copyright: B"
    ),
    "a picture that is older": older_picture,
    "a picture that is gone": lambda docs: (docs / "owl.png").unlink(),
    "what is no longer to be found": replaced(
        "Barn Owl.md", "---\naliases", "---\nsearch: {exclude: true}\naliases"
    ),
    "a note with a page on one alone": lambda docs: (docs / "Sea" / "Gull.md").unlink(),
}


@pytest.mark.parametrize("what", OTHERS)
def test_nothing_of_what_was_served_is_left(what: str, tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    (docs.parent / "mkdocs.yml").write_text(SETTINGS)
    (docs.parent / "base.yml").write_text("copyright: A")
    (docs / "owl.png").write_bytes(b"one")
    replaced("Tern.md", "\n\n## In", f"{IN_FLIGHT}## In")(docs)
    server = Server(docs.parent, "served")
    server.build()
    OTHERS[what](docs)
    server.build()
    Server(docs.parent, "new").build()
    assert files_below(docs.parent / "served") == files_below(docs.parent / "new")


def test_a_template_that_was_edited_shows_on_all_pages(tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    own = docs.parent / "own"
    own.mkdir()
    theme = SITE.replace("font: false", "font: false, custom_dir: own")
    (docs.parent / "mkdocs.yml").write_text(theme)
    (own / "main.html").write_text(
        '{% extends "base.html" %}{% block announce %}{% include "said.html" %}{% endblock %}'
    )
    server = Server(docs.parent, "served")
    for words in ("One", "Two"):
        (own / "said.html").write_text(f"<b>{words} said</b>")
        server.build()
        shown = (docs.parent / "served" / "tern" / "index.html").read_text("utf-8")
        assert f"<b>{words} said</b>" in shown
    Server(docs.parent, "new").build()
    assert files_below(docs.parent / "served") == files_below(docs.parent / "new")


def test_what_a_build_has_written_that_did_not_end_is_written_again(tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    hook = docs.parent / "hook.py"
    hook.write_text("")
    server = Server(docs.parent, "served")
    server.build()
    gull, settings = docs / "Sea" / "Gull.md", docs.parent / "mkdocs.yml"
    was = gull.read_text()
    gull.write_text("# Gull\n\nIt sleeps.\n")
    hook.write_text("def on_post_build(**_): raise ValueError(1)\n")
    settings.write_text(f"{SITE}hooks: [hook.py]\n")
    with pytest.raises(ValueError, match="1"):
        server.build()
    gull.write_text(was)
    settings.write_text(SITE)
    server.build()
    Server(docs.parent, "new").build()
    assert files_below(docs.parent / "served") == files_below(docs.parent / "new")


def test_what_a_hook_shows_is_written_each_time(tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    told = docs.parent / "told.txt"
    (docs.parent / "hook.py").write_text(
        "from pathlib import Path\n\n"
        f"def on_post_page(output, **_): return output + Path({str(told)!r}).read_text()\n"
    )
    (docs.parent / "mkdocs.yml").write_text(f"{SITE}hooks: [hook.py]\n")
    server = Server(docs.parent, "served")
    for words in ("One.", "Two."):
        told.write_text(words)
        server.build()
        assert (docs.parent / "served" / "tern" / "index.html").read_text("utf-8").endswith(words)


def test_what_has_not_changed_is_not_written(tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    server = Server(docs.parent, "served")
    server.build()
    site = docs.parent / "served"
    before = {path: path.stat().st_mtime_ns for path in site.rglob("index.html")}
    (docs / "Sea" / "Gull.md").write_text("# Gull\n\nIt cries and cries.\n")
    server.build()
    written = {
        path.parent.name
        for path, when in before.items()
        if path.exists() and path.stat().st_mtime_ns != when
    }
    assert written == {"gull"}


@pytest.mark.long
def test_a_note_that_was_saved_is_checked(tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    asks = SITE.replace("vaultkit]", "{vaultkit: {check_saved: true}}]")
    (docs.parent / "mkdocs.yml").write_text(asks)
    server = Server(docs.parent, "served")
    server.build()
    page = docs.parent / "served" / "sea" / "gull" / "index.html"
    for shown, told in ("2", "1 block checked"), ("3", "1 check fails"):
        (docs / "Sea" / "Gull.md").write_text(f"# Gull\n{CODE}".replace("\n2\n", f"\n{shown}\n"))
        server.build()
        assert told in page.read_text("utf-8")


def test_nothing_runs_that_was_not_asked_for(tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    (docs / "Tern.md").write_text("# Tern\n\n```python\nopen('made', 'w').close()\n```\n")
    Server(docs.parent, "served").build()
    vault = Vault(docs)
    assert Ledger(vault).checks(vault.notes[docs.resolve() / "Tern.md"]) is None
    assert not list(tmp_path.rglob("made"))


def test_what_is_wrong_with_a_note_is_told_at_each_save(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    docs = make_vault(tmp_path / "vault")
    (docs / "Heron.md").write_text("# Heron\n\n![[wing.svg]]\n")
    server = Server(docs.parent, "served")

    def told() -> set[str]:
        caplog.clear()
        server.build()
        messages = [r.getMessage() for r in caplog.records if r.name == "mkdocs.plugins.vaultkit"]
        return {message.split(":")[0] for message in messages}

    assert told() == set()
    # What is wrong comes of another note, of a drawing, of a setting; the notes are as they were.
    replaced("Tern.md", "## In flight", "## Out")(docs)
    assert told() == {"docs/index.md"}
    replaced("Barn Owl.md", "mice", "voles")(docs)
    assert told() == {"docs/index.md"}
    replaced("Tern.md", "## Out", "## In flight")(docs)
    replaced("wing.svg", "[[Tern]]", "[[Auk]]")(docs)
    assert told() == {"docs/index.md", "docs/Heron.md"}
    (docs / "vaultkit.toml").write_text('unwritten = "mark"\n')
    assert told() == set()


def test_a_hook_remembers_all_pages(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for number in range(60):
        (tmp_path / "docs" / f"N{number}.md").write_text(f"# N{number}\n\nWords.\n")
    (tmp_path / "hook.py").write_text(
        "from pathlib import Path\n\nseen = set()\n\n\n"
        "def on_post_page(output, page, config):\n    seen.add(page.url)\n\n\n"
        "def on_post_build(config):\n    Path(config.site_dir, 'seen').write_text(str(len(seen)))\n"
    )
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        "site_name: A\ntheme: {name: material, font: false}\n"
        "plugins: [vaultkit]\nhooks: [hook.py]\n"
    )
    build(load_config(str(config)))
    # The front page is one more.
    assert (tmp_path / "site" / "seen").read_text() == "61"
