"""The small pictures on the cards of a road."""

from pathlib import Path

from vaultkit.read.vault import Vault
from vaultkit.site.cards import read_cover


def test_a_small_picture_has_no_words_and_is_not_cut(tmp_path: Path) -> None:
    (tmp_path / "Owl.md").write_text("---\ncover: owl.svg\n---\n# Owl\n", encoding="utf-8")
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>Owl</title><path/>'
        '<text>of <tspan class="vk-math">\U0001d465</tspan></text></svg>'
    )
    (tmp_path / "owl.svg").write_text(drawing, encoding="utf-8")
    vault = Vault(tmp_path)
    shown = read_cover(vault.notes[tmp_path / "Owl.md"], vault)
    assert shown == '<svg class="vk-figure" viewBox="0 0 9 9" aria-hidden="true"><path/></svg>'
