"""A small vault, and edits that change what its site shows, each in another way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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


#: What is edited, and how many of the four pages must be rendered again.
EDITS: dict[str, tuple[Edit, int]] = {
    "nothing": (lambda _: None, 0),
    "words of a page": (replaced("Barn Owl.md", "mice", "voles"), 2),
    "words that another page shows": (
        replaced("Tern.md", "flies far", "flies to the other pole"),
        2,
    ),
    "words that another page quotes": (replaced("Barn Owl.md", "Unlike a", "As no"), 2),
    "a drawing": (replaced("wing.svg", "<g/>", "<path/>"), 4),
    "a heading that others link to": (replaced("Tern.md", "## In", "## Out of"), 4),
    "a title that the navigation shows": (replaced("Tern.md", "# Tern", "# Common Tern"), 4),
    "an alias that another page names": (replaced("Tern.md", "Sea swallow", "Kip"), 4),
    "a note that a link waits for": (lambda d: (d / "Heron.md").write_text("# Heron\n"), 5),
    "a note that is gone": (lambda d: (d / "Tern.md").unlink(), 3),
    "a note in another place": (lambda d: (d / "Tern.md").rename(d / "Sea" / "Tern.md"), 4),
    "a note that is no longer public": (
        replaced("Tern.md", "---\naliases", "---\npublish: false\naliases"),
        3,
    ),
    "a setting of the vault": (
        lambda d: (d / "vaultkit.toml").write_text('unwritten = "mark"\n'),
        4,
    ),
    "a setting of Obsidian": (lambda d: (d / ".obsidian").mkdir(), 4),
    "a setting of the site": (
        lambda d: (d.parent / "mkdocs.yml").write_text(f"{SITE}use_directory_urls: false\n"),
        4,
    ),
    "another extension": (
        lambda d: (d.parent / "mkdocs.yml").write_text(f"{SITE}markdown_extensions: [nl2br]\n"),
        4,
    ),
}


def make_vault(vault: Path) -> Path:
    """Write the vault into a folder that there is not yet; return that of its notes."""
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
    """Read all files of a site, but for those that hold the time of the build."""
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in sorted(site.rglob("*"))
        if path.is_file() and not path.name.startswith("sitemap.xml") and path.suffix != ".apkg"
    }
