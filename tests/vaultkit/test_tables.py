"""Tables as the site writes them, and formulas as drawings hold them."""

from __future__ import annotations

import pytest

from vaultkit.site.outlines import draw_formula


def test_a_formula_is_drawn_with_its_bars_in_no_colour_of_its_own() -> None:
    drawn, width = draw_formula(r"\frac{a}{\sqrt{d_k}}", 20)
    assert drawn.count("<rect") == 2
    assert drawn.count("<path") == 4
    assert "fill" not in drawn
    assert draw_formula(r"\frac{a}{\sqrt{d_k}}", 40)[1] == pytest.approx(2 * width, rel=0.1)
