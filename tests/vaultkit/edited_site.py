"""A small vault, its site while it is edited, and what a server makes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from vaultkit.doors.mkdocs_plugin import VaultPlugin

SITE = "site_name: Birds\ntheme: {name: material, font: false}\nplugins: [search, vaultkit]\n"
OWL = "---\naliases: [Tyto alba]\n---\n# Barn Owl\n\nUnlike a [[Tern]], it hears mice.\n"
TERN = "---\naliases: [Sea swallow]\n---\n# Tern\n\n## In flight\n\nIt flies far. ^far\n"
FRONT = """# Birds

See [[Barn Owl]], [[Tern#In flight]], [[Heron]], [a page](Tern.md#in-flight) at $x^2$.

![[Tern#In flight]]

![[wing.svg]]

The sea swallow is quick.
"""
WING = (
    '<svg xmlns="http://www.w3.org/2000/svg" class="vk-figure"><a href="[[Tern]]"><g/></a></svg>\n'
)

Edit = Callable[[Path], object]


def replaced(name: str, old: str, new: str) -> Edit:
    def edit(docs: Path) -> None:
        text = (docs / name).read_text("utf-8")
        assert old in text
        (docs / name).write_text(text.replace(old, new), "utf-8")

    return edit


def make_vault(vault: Path) -> Path:
    """Write the vault into a new folder; return the folder of its notes."""
    docs = vault / "docs"
    (docs / "Sea").mkdir(parents=True)
    (vault / "mkdocs.yml").write_text(SITE)
    (docs / "index.md").write_text(FRONT)
    (docs / "Barn Owl.md").write_text(OWL)
    (docs / "Tern.md").write_text(TERN)
    (docs / "Sea" / "Gull.md").write_text("# Gull\n\nIt cries.\n")
    (docs / "wing.svg").write_text(WING)
    return docs


def files_below(site: Path) -> dict[str, bytes]:
    """Return all files of a site, except those that contain the time of the build."""
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in sorted(site.rglob("*"))
        if path.is_file() and not path.name.startswith("sitemap.xml") and path.suffix != ".apkg"
    }


class Server:
    """Does what ``mkdocs serve --dirty`` does, without a server."""

    def __init__(self, vault: Path, site: str) -> None:
        self.vault, self.site = vault, vault / site
        self.plugin: VaultPlugin | None = None
        #: The plugins that MkDocs keeps between the builds of a server.
        self._plugins: dict[str, object] = {}

    def build(self) -> None:
        kept = dict(MkDocsConfig._schema)["plugins"].plugin_cache
        kept.clear()
        kept.update(self._plugins)
        config = load_config(str(self.vault / "mkdocs.yml"), site_dir=str(self.site))
        if not self.plugin:
            self.plugin = config.plugins["vaultkit"]
            config.plugins.on_startup(command="serve", dirty=True)
        self._plugins = dict(kept)
        build(config, serve_url="http://127.0.0.1:8000/", dirty=True)
