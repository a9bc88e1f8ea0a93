"""The settings of a vault's site in ``mkdocs.yml``."""

from __future__ import annotations

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig

from vaultkit.site.model import SiteSettings


class VaultConfig(Config):  # type: ignore[no-untyped-call]
    """Settings below ``plugins: - vaultkit:`` in ``mkdocs.yml``."""

    cache_dir = config_options.Type(str, default=".cache/vaultkit")
    #: The note whose ``<!-- ledger -->`` is replaced by the table of all checks.
    checks_page = config_options.Type(str, default=SiteSettings.checks_page)
    #: The sections of ``nav`` that are not part of the reader's road, such as references.
    off_the_road = config_options.ListOfItems(config_options.Type(str), default=[])
    #: The sections of ``nav`` beside the road: each of their notes is entered from one on the road.
    side_roads = config_options.ListOfItems(config_options.Type(str), default=[])
    #: Shorter roads: a name, and the notes in their order.
    roads = config_options.DictOfItems(
        config_options.ListOfItems(config_options.Type(str)), default={}
    )
    #: The notes that explain terms and letters, whose meanings all other pages then show.
    meanings = config_options.ListOfItems(config_options.Type(str), default=[])
    #: Whether ``mkdocs serve`` checks the notes that were saved.
    check_saved = config_options.Type(bool, default=False)
    #: Folders of scripts and style sheets whose addresses contain the hash of their content.
    named_by_content = config_options.ListOfItems(config_options.Type(str), default=[])
    #: Address of Pyodide, with which readers can check pages in their browsers; empty: they cannot.
    pyodide = config_options.Type(str, default="")
    #: The module whose ``FIGURES`` draw the figures; a reader's edits redraw them in the browser.
    figures = config_options.Type(str, default="")

    def site_settings(self, config: MkDocsConfig) -> SiteSettings:
        """Return the settings of the site model, given those of MkDocs."""
        return SiteSettings(
            name=str(config.site_name),
            description=config.site_description or "",
            url=config.site_url or "",
            off_the_road=self.off_the_road,
            side_roads=self.side_roads,
            roads=self.roads,
            meanings=self.meanings,
            checks_page=self.checks_page,
            can_run=bool(self.pyodide),
        )
