"""A site that is served is what it would be if all of it were written at each save."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.vaultkit.edited_site import SITE, Server, files_below, make_vault
from vaultkit.pipeline.ledger import Ledger
from vaultkit.read.vault import Vault

pytestmark = pytest.mark.usefixtures("same_parts")

CODE = "\n```python\n1 + 1\n```\n\n```text\n2\n```\n"


def test_what_a_build_has_written_that_did_not_end_is_written_again(tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    hook = docs.parent / "hook.py"
    hook.write_text("")
    server = Server(docs.parent, "served")
    server.build()
    gull, settings = docs / "Sea" / "Gull.md", docs.parent / "mkdocs.yml"
    was = gull.read_text()
    gull.write_text("# Gull\n\nIt sleeps.\n")
    hook.write_text("def on_post_build(**_): raise ValueError(1)\n")
    settings.write_text(f"{SITE}hooks: [hook.py]\n")
    with pytest.raises(ValueError, match="1"):
        server.build()
    gull.write_text(was)
    settings.write_text(SITE)
    server.build()
    Server(docs.parent, "new").build()
    assert files_below(docs.parent / "served") == files_below(docs.parent / "new")


def test_what_a_hook_shows_is_written_each_time(tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    words_of = docs.parent / "words.txt"
    (docs.parent / "hook.py").write_text(
        "from pathlib import Path\n\n"
        f"def on_post_page(output, **_): return output + Path({str(words_of)!r}).read_text()\n"
    )
    (docs.parent / "mkdocs.yml").write_text(f"{SITE}hooks: [hook.py]\n")
    server = Server(docs.parent, "served")
    for words in ("One.", "Two."):
        words_of.write_text(words)
        server.build()
        assert (docs.parent / "served" / "tern" / "index.html").read_text("utf-8").endswith(words)


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


@pytest.mark.long
def test_a_note_that_was_saved_is_checked(tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    asks = SITE.replace("vaultkit]", "{vaultkit: {check_saved: true}}]")
    (docs.parent / "mkdocs.yml").write_text(asks)
    server = Server(docs.parent, "served")
    server.build()
    page = docs.parent / "served" / "sea" / "gull" / "index.html"
    for shown, words_of in ("2", "1 block proven"), ("3", "1 check fails"):
        (docs / "Sea" / "Gull.md").write_text(f"# Gull\n{CODE}".replace("\n2\n", f"\n{shown}\n"))
        server.build()
        assert words_of in page.read_text("utf-8")


def test_nothing_runs_that_was_not_asked_for(tmp_path: Path) -> None:
    docs = make_vault(tmp_path / "vault")
    (docs / "Tern.md").write_text("# Tern\n\n```python\nopen('made', 'w').close()\n```\n")
    Server(docs.parent, "served").build()
    vault = Vault(docs)
    assert Ledger(vault).fresh_checks(vault.notes[docs.resolve() / "Tern.md"]) is None
    assert not list(tmp_path.rglob("made"))


def test_a_hook_remembers_all_pages(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for number in range(60):
        (tmp_path / "docs" / f"N{number}.md").write_text(f"# N{number}\n\nWords.\n")
    (tmp_path / "hook.py").write_text(
        "from pathlib import Path\n\nseen = set()\n\n\n"
        "def on_post_page(output, page, config):\n    seen.add(page.url)\n\n\n"
        "def on_post_build(config):\n    Path(config.site_dir, 'seen').write_text(str(len(seen)))\n"
    )
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        "site_name: A\ntheme: {name: material, font: false}\n"
        "plugins: [vaultkit]\nhooks: [hook.py]\n"
    )
    build(load_config(str(config)))
    # The front page is one more.
    assert (tmp_path / "site" / "seen").read_text() == "61"
