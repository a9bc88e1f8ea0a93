"""Headings that were renamed, or moved to another note, keep their addresses."""

from pathlib import Path

import pytest

from tests.vaultkit.test_extension import rendered
from vaultkit.checks import form
from vaultkit.read.vault import Vault

NOTE = """---
old_headings: [{0}]
---
# Home

Words.

> [!note]
> ## Within

## Now
"""
NO_LINK = 'old_headings: each item is a link, "[[Note#Heading|its old words]]"'


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("[[#Now|Once & then]]", '<span class="vk-moved-here" id="once--then"></span><h2 id="now"'),
        ("[[Home#Within|Once]]", '<span class="vk-moved-here" id="once"></span><h2 id="within"'),
        ("[[Home|Once]]", '<span class="vk-moved-here" id="once"></span><h1'),
        (
            "[[Other#Part|Once]]",
            '<p class="vk-moved" data-search-exclude="true" id="once">“Once” is now in'
            ' <a class="wikilink" href="Other.md#part">Other &gt; Part</a></p>',
        ),
        ("[[Other#Missing|Once]]", None),
        ("[[#Now|Within]]", None),
    ],
)
def test_an_old_heading_leads_to_its_content(tmp_path: Path, link: str, shown: str | None) -> None:
    (tmp_path / "Other.md").write_text("# Other\n\n## Part\n", encoding="utf-8")
    home = tmp_path / "Home.md"
    home.write_text(NOTE.format(f'"{link}"'), encoding="utf-8")
    html = rendered(tmp_path, NOTE.split("---\n")[2], note=str(home))
    assert (shown in html) if shown else ("vk-moved" not in html)


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ('"[[#Now|Once]]"', None),
        ('"[[#Now]]"', NO_LINK),
        ('"Once"', NO_LINK),
        ("[[Home#Now|Once]]", NO_LINK),  # without quotes
        ('"[[#Now|within]]"', "old_headings: this note has a heading 'within'"),
    ],
)
def test_what_keeps_no_address_is_refused(tmp_path: Path, link: str, problem: str | None) -> None:
    (tmp_path / "Home.md").write_text(NOTE.format(link), encoding="utf-8")
    vault = Vault(tmp_path)
    checks = form.check(vault.notes[tmp_path / "Home.md"], vault)
    assert [check.why for check in checks] == [problem] * bool(problem)
