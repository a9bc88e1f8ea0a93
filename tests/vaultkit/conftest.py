"""Fixtures for the tests of the engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def same_parts() -> Iterator[None]:
    """Compile each template, and cut each font, once for all sites that this process builds.

    Both take longer than the rest of a small site. They depend on their sources alone.
    """
    from jinja2 import FileSystemLoader
    from mkdocs.theme import Theme

    from vaultkit.doors.output_index import CompiledTemplates
    from vaultkit.theme import fonts

    compiled, environment, cut = CompiledTemplates(), Theme.get_env, fonts._cut
    listed = FileSystemLoader.list_templates
    cuts: dict[tuple[bytes, str, str], bytes] = {}

    def get_env(self: Theme) -> object:
        made = environment(self)
        made.bytecode_cache = compiled
        return made

    def share(self: CompiledTemplates) -> None:
        self._compiled = compiled._compiled

    def without_icons(self: FileSystemLoader) -> list[str]:
        # Those of the theme, 14,000 of them: MkDocs passes over what begins with a dot.
        return [name for name in listed(self) if not name.startswith(".")]

    def cut_once(source: bytes, characters: str, font: fonts.Font) -> bytes:
        key = source, characters, repr(font)
        if key not in cuts:
            cuts[key] = cut(source, characters, font)
        return cuts[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Theme, "get_env", get_env)
        patch.setattr(CompiledTemplates, "__init__", share)
        patch.setattr(FileSystemLoader, "list_templates", without_icons)
        patch.setattr(fonts, "_cut", cut_once)
        yield


@pytest.fixture
def usual_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits as on a machine of the usual speed; on a slow one they are longer."""
    monkeypatch.setattr("vaultkit.run.session.slowness", lambda: 1)
