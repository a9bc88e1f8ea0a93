"""The style sheet, scripts, fonts and logo of a site, as files that MkDocs publishes."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

from vaultkit.read.vault import Vault
from vaultkit.render import mathematics
from vaultkit.site import machines
from vaultkit.store import Store
from vaultkit.theme.fonts import FONTS, Font, fallbacks, slanted, web_font

THEME = Path(__file__).parents[1] / "theme"
#: The folder of these files on the site.
FOLDER = "assets/vaultkit"
#: The scripts that every page loads.
SCRIPTS = (
    "vaultkit.js",
    "finding.js",
    "preview.js",
    "evidence.js",
    "arrays.js",
    "graph.js",
    "kept.js",
    "predict.js",
)
#: The scripts that only some pages need, each with the selector of the element that needs it.
NEEDED = {"flashcards.js": ".vk-deck"}
_COMMENTS = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
#: Style sheets, published as one file.
STYLES = (
    "vaultkit.css",
    "finding.css",
    "graph.css",
    "check-page.css",
    "evidence.css",
    "predict.css",
    "flashcards.css",
)


class SiteAssets:
    """The generated files, each named after its content, so that browsers may cache it forever.

    Parameters
    ----------
    vault
        The notes, for the characters that the fonts must contain.
    config
        The configuration of MkDocs.
    store
        The store of subset fonts.
    incremental
        Whether only changed pages are written: the names of files, which every page contains, then
        do not depend on their content.
    """

    def __init__(self, vault: Vault, config: MkDocsConfig, store: Store, incremental: bool) -> None:
        self.vault, self.config, self.store, self.incremental = vault, config, store, incremental
        #: Addresses of fonts, and whether formulas are set in them.
        self.fonts: list[tuple[str, bool]] = []
        #: Address of the picture that other sites show for a link to this one.
        self.picture = ""
        self._letters = self._characters()

    def file(self, name: str, content: str | bytes) -> File:
        """Return a generated file."""
        if self.incremental:
            return generated(self.config, f"{FOLDER}/{name}", content)
        data = content.encode() if isinstance(content, str) else content
        stem, ending = posixpath.splitext(name)
        digest = hashlib.sha256(data).hexdigest()[:8]
        return generated(self.config, f"{FOLDER}/{stem}.{digest}{ending}", content)

    def scripts(self) -> Iterator[File]:
        """Yield the scripts, the logo, and the picture of the site."""
        needed = {}
        for name, part in NEEDED.items():
            file = self.file(name, theme(name))
            needed[posixpath.basename(file.src_uri)] = part
            yield file
        needed_js = f"const VAULTKIT_NEEDED = {json.dumps(needed)};\n"
        every = {name: theme(name) for name in SCRIPTS} | {
            "needed.js": needed_js + theme("needed.js")
        }
        for name, content in every.items():
            file = self.file(name, content)
            self.config.extra_javascript.append(file.src_uri)
            yield file
        drawn = theme("logo.svg")
        logo = self.file("logo.svg", drawn)
        yield logo
        picture = self.file("picture.png", machines.picture(drawn))
        self.picture = picture.url
        yield picture
        theme_config = self.config.theme
        if not theme_config.get("logo") and not (theme_config.get("icon") or {}).get("logo"):
            theme_config["logo"] = logo.src_uri
        if theme_config.get("favicon") in (None, "", "assets/images/favicon.png"):
            theme_config["favicon"] = logo.src_uri

    def styles(self) -> Iterator[File]:
        """Yield the style sheet and the fonts that it loads."""
        faces: list[str] = []
        self.fonts = []
        for font, kept in self._letters:
            content = web_font(font, kept, self.store)
            if content is None:
                continue
            name = f"{font.family} {font.style}".lower().replace(" ", "-") + ".woff2"
            file = self.file(name, content)
            yield file
            faces.append(
                f'@font-face{{font-family:"{font.family}";font-style:{font.style};'
                f"font-weight:{font.weight};font-display:{font.display};"
                f'src:url("{posixpath.basename(file.src_uri)}") format("woff2")}}'
            )
            if not font.formulas:
                faces.append(fallbacks(font, content))
            if font.style == "normal":
                self.fonts.append((file.src_uri, font.formulas))
        css = "\n".join(("".join(faces), *map(theme, STYLES)))
        file = self.file("vaultkit.css", css)
        self.config.extra_css.insert(0, file.src_uri)
        yield file

    def rename(self, files: Files, folders: Sequence[str]) -> None:
        """Put the hash of some folders' content into their addresses, for browsers' caches.

        All of them get the same hash, since scripts refer to each other and to style sheets by
        relative paths.
        """
        beginnings = tuple(f"{name.strip('/')}/" for name in folders)
        found = [file for file in files if file.src_uri.startswith(beginnings)]
        if self.incremental or not found:
            return
        digest = hashlib.sha256()
        for file in sorted(found, key=lambda file: file.src_uri):
            digest.update(file.src_uri.encode() + b"\0" + file.content_bytes + b"\0")
        for file in found:
            move(file, f"{FOLDER}/{digest.hexdigest()[:8]}/{file.src_uri}")
        there = {file.src_uri: file.dest_uri for file in found}
        styles, scripts = self.config.extra_css, self.config.extra_javascript
        styles[:] = [there.get(path, path) for path in styles]
        for index, script in enumerate(scripts):
            if isinstance(script, str):
                scripts[index] = there.get(script, script)
            else:
                script.path = there.get(script.path, script.path)

    def _characters(self) -> list[tuple[Font, set[str]]]:
        """Return each font with the characters that it keeps.

        A font for formulas keeps those of all formulas, and their slanted forms; any other font
        those of all notes.
        """
        notes = self.vault.notes.values()
        formulas = [f for note in notes for f in note.formulas]
        signs = slanted(set().union(*(mathematics.characters(f.tex, f.display) for f in formulas)))
        letters: set[str] = set().union(*(note.text for note in notes))
        return [(font, signs if font.formulas else letters) for font in FONTS]


def theme(name: str) -> str:
    """Return a file of the theme; of a script, without lines that are comments."""
    text = (THEME / name).read_text(encoding="utf-8")
    return _COMMENTS.sub("", text) if name.endswith(".js") else text


def move(file: File, uri: str) -> None:
    """Move a file to another address on the site."""
    file.dest_uri = uri
    for computed in ("url", "abs_dest_path"):
        file.__dict__.pop(computed, None)


def generated(
    config: MkDocsConfig,
    uri: str,
    content: str | bytes,
    inclusion: InclusionLevel = InclusionLevel.INCLUDED,
) -> File:
    """Return a file of the site that is not in the folder of the notes."""
    return File.generated(config, uri, content=content, inclusion=inclusion)
