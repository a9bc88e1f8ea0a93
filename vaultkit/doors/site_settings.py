"""The settings of a site, read without MkDocs, and the defaults without a ``mkdocs.yml``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from vaultkit.read.graph import front_note
from vaultkit.read.options import OptionsError
from vaultkit.read.vault import Vault
from vaultkit.store import store_beside

#: Names of folders that do not describe the notes in them.
_COMMON_NAMES = {"", "content", "docs", "documentation", "en", "notes", "vault"}


def bare_settings(root: Path) -> dict[str, Any]:
    """Return the settings of a vault without a ``mkdocs.yml``: those of Material for MkDocs."""
    # A button goes from one palette to the next: its media query, its colours (without a name, the
    # browser's), and the icon and the words of the button.
    palettes = [
        ("(prefers-color-scheme)", None, "brightness-auto", "as the system"),
        ("(prefers-color-scheme: light)", "default", "weather-sunny", "light"),
        ("(prefers-color-scheme: dark)", "slate", "weather-night", "dark"),
    ]
    palette = [
        {
            "media": media,
            **({"scheme": scheme} if scheme else {}),
            "primary": "custom",
            "accent": "custom",
            "toggle": {"icon": f"material/{icon}", "name": f"Colours: {words}"},
        }
        for media, scheme, icon, words in palettes
    ]
    features = ["content.code.copy", "content.lazy", "navigation.instant", "navigation.prune"]
    return {
        "site_name": title_of(root),
        "theme": {
            "name": "material",
            "font": False,
            "palette": palette,
            "features": [*features, "navigation.top", "search.highlight", "toc.follow"],
        },
        "plugins": ["search", "tags", "vaultkit"],
    }


def title_of(root: Path) -> str:
    """Return the title of a vault: that of its front page, or the name of its folder.

    If the folder has a name such as *docs*, the name of the nearest folder above that has another
    one: *Bird Lore* for ``bird-Lore/docs``.
    """
    front = front_note(Vault(root, public=True, store=store_beside(root)))
    # A note without a heading has its name as its title, such as *index*.
    if front and front.title.casefold() != front.name.casefold():
        return front.title
    folders = (root, *root.parents)
    folder = next((f for f in folders if f.name.casefold() not in _COMMON_NAMES), root)
    words = folder.name.replace("-", " ").replace("_", " ").strip() or "Notes"
    return words[0].upper() + words[1:]


def settings_for(root: Path) -> tuple[dict[str, Any], Path]:
    """Return the settings for a folder of notes, and the folder that contains their file.

    A ``mkdocs.yml`` beside the folder may be for another one; then it is not used.
    """
    for path in (root / "mkdocs.yml", root.parent / "mkdocs.yml"):
        if path.is_file():
            settings = read_settings(path)
            docs = (path.parent / (settings.get("docs_dir") or "docs")).resolve()
            if docs in (root, root / "docs"):
                return settings, path.parent
    return {**bare_settings(root), "docs_dir": str(root)}, root.parent


class _Settings(yaml.SafeLoader):
    """Loads a ``mkdocs.yml``; tags that name Python objects become None."""


def _environment_value(loader: _Settings, node: yaml.Node) -> Any:
    """Read ``!ENV NAME`` and ``!ENV [NAME, …, default]``, as MkDocs does.

    The value of the first variable that is set is read as a scalar of YAML, such as *true*. Without
    one, the default applies, which is the last of several; or else None.
    """
    nodes: list[Any] = node.value if isinstance(node, yaml.SequenceNode) else [node]
    default = None
    if len(nodes) > 1:
        *nodes, last = nodes
        default = loader.construct_object(last)
    # Names are text, even those that YAML reads as another type, such as NO.
    names = [loader.construct_scalar(node) for node in nodes]
    value = next((os.environ[name] for name in names if name in os.environ), None)
    if value is None:
        return default
    # (True, False): as an unquoted scalar, whose type YAML finds by its form.
    tag = loader.resolve(yaml.ScalarNode, value, (True, False))  # type: ignore[no-untyped-call]
    return loader.construct_object(yaml.ScalarNode(tag, value))


_Settings.add_constructor("!ENV", _environment_value)
_Settings.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def read_settings(config_file: Path) -> dict[str, Any]:
    """Read a ``mkdocs.yml``.

    Raises
    ------
    OptionsError
        If it cannot be read, names no site, or inherits from another one.
    """
    try:
        settings: Any = yaml.load(config_file.read_text(encoding="utf-8"), _Settings)
    except (OSError, ValueError, yaml.YAMLError) as error:  # ValueError: a date like 2024-13-45
        raise OptionsError(f"{config_file}: {error}") from error
    if not isinstance(settings, dict) or not settings.get("site_name"):
        raise OptionsError(f"{config_file}: site_name is missing")
    if "INHERIT" in settings:
        raise OptionsError(f"{config_file}: INHERIT is read by MkDocs alone")
    return settings


def options_by_name(listed: Any) -> dict[str, dict[str, Any]]:
    """Return the options of listed plugins or extensions by name; YAML may use lists or mappings.

    Examples
    --------
    >>> options_by_name(["a", {"b": {"c": 1}}]), options_by_name({"a": None})
    ({'a': {}, 'b': {'c': 1}}, {'a': {}})
    """
    if isinstance(listed, Mapping):
        return {name: options or {} for name, options in listed.items()}
    by_name: dict[str, dict[str, Any]] = {}
    for item in listed or ():
        by_name |= options_by_name(item if isinstance(item, Mapping) else {item: {}})
    return by_name
