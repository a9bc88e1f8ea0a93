"""A site that is served is what it would be if all of it were written at each save."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from tests.vaultkit.edited_site import EDITS, SITE, files_below, make_vault
from vaultkit.ledger import Ledger
from vaultkit.read.vault import Vault

CODE = "\n```python\n1 + 1\n```\n\n```text\n2\n```\n"


class Server:
    """What ``mkdocs serve --dirty`` does, without the server."""

    def __init__(self, vault: Path, site: str) -> None:
        self.vault, self.site = vault, vault / site
        self.begun = False

    def build(self) -> None:
        if not self.begun:
            # Where MkDocs keeps the plugins that want to know of the start.
            dict(MkDocsConfig._schema)["plugins"].plugin_cache.clear()
        config = load_config(str(self.vault / "mkdocs.yml"), site_dir=str(self.site))
        if not self.begun:
            self.begun = True
            config.plugins.on_startup(command="serve", dirty=True)
        build(config, serve_url="http://127.0.0.1:8000/", dirty=True)


def pages_below(site: Path) -> dict[str, bytes]:
    """All that can be reached: style sheets and scripts of before may still be there."""
    return {name: told for name, told in files_below(site).items() if name.endswith(".html")}


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
    assert pages_below(vault / "served") == pages_below(vault / "new")


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
