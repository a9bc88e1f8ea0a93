"""Builds a site from a folder of notes, with or without a ``mkdocs.yml``."""

from __future__ import annotations

import io
import logging
import os
from pathlib import Path
from typing import Any

import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import ConfigurationError

from vaultkit.doors.site_settings import bare_settings
from vaultkit.read.options import OptionsError


class _Listener(logging.Handler):
    """Collects the warnings that MkDocs logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the text of a warning."""
        self.messages.append(record.getMessage())


def build_site(root: Path, site_dir: Path, strict: bool = False) -> list[str]:
    """Build a site from the notes below a folder.

    Parameters
    ----------
    root
        The folder. A ``mkdocs.yml`` in it or in its parent is used if it is for this folder.
    site_dir
        The folder to which the site is written.
    strict
        Whether warnings count as failures.

    Returns
    -------
    list of str
        The warnings if ``strict``, otherwise nothing.

    Raises
    ------
    OptionsError
        If the settings cannot be used.
    mkdocs.exceptions.Abort
        If the site cannot be built; it ends a program with 1.
    """
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")  # Material's notice at each start
    listener = _Listener()
    logger = logging.getLogger("mkdocs")
    terminal = logging.StreamHandler()
    terminal.setLevel(logging.WARNING)
    logger.addHandler(listener)
    logger.addHandler(terminal)
    try:
        config = _config(root.resolve(), site_dir.resolve())
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
        config.plugins.on_shutdown()
    except ConfigurationError as error:
        raise OptionsError(str(error)) from error
    finally:
        logger.removeHandler(listener)
        logger.removeHandler(terminal)
    return listener.messages if strict else []


def _config(root: Path, site_dir: Path) -> Any:
    """Return the configuration of MkDocs: of the vault's ``mkdocs.yml``, else our own.

    A ``mkdocs.yml`` beside the vault may be for another folder; then it is not used.
    """
    for path in (root / "mkdocs.yml", root.parent / "mkdocs.yml"):
        if path.is_file():
            config: Any = load_config(str(path), site_dir=str(site_dir))
            if Path(config.docs_dir).resolve() in (root, root / "docs"):
                return config
    return load_config(_settings(root), docs_dir=str(root), site_dir=str(site_dir))


def _settings(root: Path) -> io.BytesIO:
    """Return a ``mkdocs.yml`` for a vault without one."""
    stream = io.BytesIO(yaml.safe_dump(bare_settings(root), allow_unicode=True).encode())
    # MkDocs shows this path in messages, and resolves relative paths against it.
    stream.name = str(root.parent / "mkdocs.yml")
    return stream
