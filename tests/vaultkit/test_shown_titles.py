"""A symbol in the title of a note is shown as in a formula, wherever a page names the note."""

from __future__ import annotations

from pathlib import Path

from vaultkit.read.vault import Vault
from vaultkit.site.shown_titles import ShownTitles


def test_a_title_is_set_in_text_alone(tmp_path: Path) -> None:
    (tmp_path / "Size of dk.md").write_text("---\nshown_title: Size of $d_k$\n---\n# Size of dk\n")
    titles = ShownTitles(Vault(tmp_path).notes.values())
    shown = 'Size of <i class="vk-symbol">d<sub>k</sub></i>'
    assert titles.of("Size of dk") == shown
    assert titles.of("Size") == ""
    data = '<template class="vk-evidence">["See Size of dk"]</template>'
    assert titles.insert(data) == data
    kept = '<title>Size of dk</title><a title="Size of dk > 1"><script>"Size of dk"</script>'
    assert titles.insert(f"{kept}Size of dk</a>") == f"{kept}{shown}</a>"
