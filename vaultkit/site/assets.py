"""The files of a site besides its pages: the theme's, the checker's, the notebooks."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Iterator, Mapping, MutableMapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vaultkit.read.vault import Vault
from vaultkit.site import machines, notebooks, runnable
from vaultkit.site.model import ALL_NOTEBOOKS, notebook_uri
from vaultkit.store import Store
from vaultkit.theme.fonts import FONTS, fallbacks, web_font

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
    "road.js",
    "predict.js",
)
#: The scripts that only some pages need, each with the selector of the element that needs it.
NEEDED = {"flashcards.js": ".vk-deck"}
_COMMENTS = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_INDENTS = re.compile(r"^[ \t]+", re.MULTILINE)
#: The scripts that check a page in the browser, published as one file, in one function.
CHECKER = ("check-engine.js", "check-cells.js", "check-page.js")
#: The scripts that judge and show results, published as one module, loaded after a click.
RESULTS = (
    "check-results.js",
    "check-colours.js",
    "check-steps.js",
    "check-figures.js",
    "check-shown.js",
)
#: Style sheets, published as one file. Rules of a later one prevail over those of an earlier one.
STYLES = (
    "colours.css",
    "page.css",
    "text.css",
    "code.css",
    "mathematics.css",
    "parts.css",
    "checks.css",
    "devices.css",
    "finding.css",
    "graph.css",
    "check-page.css",
    "evidence.css",
    "predict.css",
    "flashcards.css",
)


@dataclass(frozen=True)
class SiteFile:
    """A generated file of the site: its path and its content."""

    uri: str
    content: str | bytes


@dataclass(frozen=True)
class Appearance:
    """The settings of a host that name what all pages load; `SiteAssets` adds to them.

    Parameters
    ----------
    extra_css, extra_javascript
        Paths of style sheets and scripts; a script may be an object that has a ``path``.
    theme
        Settings of the theme.
    """

    extra_css: list[Any]
    extra_javascript: list[Any]
    theme: MutableMapping[str, Any]


class SiteAssets:
    """The generated files, each named after its content, so that browsers may cache it forever.

    Parameters
    ----------
    vault
        The notes.
    appearance
        The style sheets, scripts and theme settings of the host.
    store
        The store of subset fonts.
    incremental
        Whether only changed pages are written: the names of files, which every page contains, then
        do not depend on their content.
    """

    def __init__(
        self, vault: Vault, appearance: Appearance, store: Store, incremental: bool
    ) -> None:
        self.vault, self.appearance = vault, appearance
        self.store, self.incremental = store, incremental
        #: Addresses of fonts, and whether formulas are set in them.
        self.fonts: list[tuple[str, bool]] = []
        #: Address of the picture that other sites show for a link to this one.
        self.picture = ""

    def generated_file(self, name: str, content: str | bytes) -> SiteFile:
        """Return a generated file.

        Its name contains the hash of its content, unless only changed pages are written.
        """
        if self.incremental:
            return SiteFile(f"{FOLDER}/{name}", content)
        data = content.encode() if isinstance(content, str) else content
        stem, ending = posixpath.splitext(name)
        digest = hashlib.sha256(data).hexdigest()[:8]
        return SiteFile(f"{FOLDER}/{stem}.{digest}{ending}", content)

    def themed(self, name: str) -> SiteFile:
        """Return a file of the theme."""
        return self.generated_file(name, read_theme_file(name))

    def scripts(self) -> Iterator[SiteFile]:
        """Yield the scripts, the logo and the picture of the site; add them to the settings."""
        selector_of = {}
        for name, selector in NEEDED.items():
            file = self.themed(name)
            selector_of[posixpath.basename(file.uri)] = selector
            yield file
        needed = f"const VAULTKIT_NEEDED = {json.dumps(selector_of)};\n"
        # Every first visit loads them. No text in them has a second line, so none is indented.
        scripts = {name: _INDENTS.sub("", read_theme_file(name)) for name in SCRIPTS}
        scripts["needed.js"] = needed + read_theme_file("needed.js")
        for name, content in scripts.items():
            file = self.generated_file(name, content)
            self.appearance.extra_javascript.append(file.uri)
            yield file
        drawn = read_theme_file("logo.svg")
        logo = self.generated_file("logo.svg", drawn)
        yield logo
        picture = self.generated_file("picture.png", machines.draw_picture(drawn))
        self.picture = picture.uri
        yield picture
        theme_config = self.appearance.theme
        if not theme_config.get("logo") and not (theme_config.get("icon") or {}).get("logo"):
            theme_config["logo"] = logo.uri
        if theme_config.get("favicon") in (None, "", "assets/images/favicon.png"):
            theme_config["favicon"] = logo.uri

    def styles(self, letters: Set[str], signs: Set[str]) -> Iterator[SiteFile]:
        """Yield the style sheet and the fonts that it loads.

        Parameters
        ----------
        letters, signs
            The characters of all pages, and those of their formulas.
        """
        faces: list[str] = []
        self.fonts = []
        for font in FONTS:
            parts = list(web_font(font, signs if font.formulas else letters, self.store))
            for part in parts:
                file = self.generated_file(f"{part.name}.woff2", part.content)
                yield file
                faces.append(
                    f'@font-face{{font-family:"{font.family}";font-style:{font.style};'
                    f"font-weight:{font.weight};font-display:{font.display};size-adjust:{font.size:.0%};"
                    f'src:url("{posixpath.basename(file.uri)}") format("woff2");'
                    f"unicode-range:{part.characters}}}"
                )
            # The last file is the one that every page loads.
            if parts and not font.formulas:
                faces.append(fallbacks(font, parts[-1].content))
            if parts and font.preloaded:
                self.fonts.append((file.uri, font.formulas))
        css = "\n".join(("".join(faces), *map(read_theme_file, STYLES)))
        file = self.generated_file("vaultkit.css", css)
        self.appearance.extra_css.insert(0, file.uri)
        yield file

    def rename(self, files: Mapping[str, bytes]) -> dict[str, str]:
        """Put the hash of some files' content into their addresses, for browsers' caches.

        All of them get the same hash, since scripts refer to each other and to style sheets by
        relative paths.

        Parameters
        ----------
        files
            The content of each file, by its path.

        Returns
        -------
        dict
            The new path of each file, by its path; empty if they keep their names.
        """
        if self.incremental or not files:
            return {}
        digest = hashlib.sha256()
        for uri in sorted(files):
            digest.update(uri.encode() + b"\0" + files[uri] + b"\0")
        moved = {uri: f"{FOLDER}/{digest.hexdigest()[:8]}/{uri}" for uri in files}
        styles, scripts = self.appearance.extra_css, self.appearance.extra_javascript
        styles[:] = [moved.get(path, path) for path in styles]
        for index, script in enumerate(scripts):
            if isinstance(script, str):
                scripts[index] = moved.get(script, script)
            else:
                script.path = moved.get(script.path, script.path)
        return moved

    def checker(self, pyodide: str, figures: str = "") -> Iterator[SiteFile]:
        """Yield the files that check a page in a browser: a worker, a zip, and the scripts.

        Parameters
        ----------
        pyodide
            The address of Pyodide.
        figures
            Name of the module whose ``FIGURES`` draw the figures of the vault.
        """
        worker = self.themed("check-worker.js")
        results = self.generated_file("check-results.js", "\n".join(map(read_theme_file, RESULTS)))
        content = runnable.zip_files(self.vault, figures)
        bundle = self.generated_file("engine.zip", content)
        engine = runnable.addresses_script(
            self.vault,
            pyodide,
            worker=posixpath.basename(worker.uri),
            results=posixpath.basename(results.uri),
            bundle=posixpath.basename(bundle.uri),
            size=len(content),
            root=posixpath.relpath(".", FOLDER),
            figures=figures,
        )
        parts = _INDENTS.sub("", "\n".join(map(read_theme_file, CHECKER)))
        script = self.generated_file(
            "check-page.js", f'{engine}(() => {{\n"use strict";\n{parts}}})();\n'
        )
        self.appearance.extra_javascript.append(script.uri)
        yield from (worker, bundle, results, script)


def read_theme_file(name: str) -> str:
    """Return a file of the theme; of a script, without lines that are comments."""
    text = (THEME / name).read_text(encoding="utf-8")
    return _COMMENTS.sub("", text) if name.endswith(".js") else text


def notebook_files(vault: Vault) -> Iterator[SiteFile]:
    """Yield each note as a notebook, and a zip of all of them."""
    made = notebooks.all_notebooks(vault)
    for name, content in made.items():
        yield SiteFile(notebook_uri(name), content)
    yield SiteFile(ALL_NOTEBOOKS, notebooks.zip_notebooks(vault, made))
