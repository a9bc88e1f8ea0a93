"""Tables as the site writes them, and formulas as drawings hold them."""

from __future__ import annotations

import pytest

from vaultkit.site.outlines import outlined
from vaultkit.theme.fonts import slanted


def test_a_formula_is_drawn_with_its_bars_in_no_colour_of_its_own() -> None:
    drawn, width = outlined(r"\frac{a}{\sqrt{d_k}}", 20)
    assert drawn.count("<rect") == 2
    assert drawn.count("<path") == 4
    assert "fill" not in drawn
    assert outlined(r"\frac{a}{\sqrt{d_k}}", 40)[1] == pytest.approx(2 * width, rel=0.1)


def test_letters_bring_their_slanted_twins() -> None:
    assert slanted({"h", "Q", "α", "2"}) == {"h", "\u210e", "Q", "𝑄", "α", "𝛼", "2"}
