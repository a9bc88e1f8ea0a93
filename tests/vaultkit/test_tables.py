"""Tables as the site writes them, and formulas as drawings hold them."""

from __future__ import annotations

import re
from pathlib import Path

import markdown
import pytest

from vaultkit.render.host import PARTS
from vaultkit.site.outlines import outlined
from vaultkit.theme.fonts import slanted


@pytest.fixture
def render(tmp_path: Path):
    def html(text: str) -> str:
        (tmp_path / "note.md").write_text(text, encoding="utf-8")
        settings = {name: dict(values) for name, values in PARTS.items()}
        settings["vaultkit.render.host"] = {"docs_dir": str(tmp_path)}
        return markdown.markdown(text, extensions=list(settings), extension_configs=settings)

    return html


def test_a_corner_heads_nothing(render) -> None:
    html = render("|  | b |\n|---|---|\n| 1 | 2 |\n")
    assert "<td></td>\n<th>b</th>" in html


def test_long_rows_of_four_columns_may_become_blocks(render) -> None:
    words = "a whole sentence of words"
    html = render(
        f"| a | b | c | d |\n|---|---|---|---|\n| 1 | {words} | {words} | `x` {words} |\n"
    )
    assert '<table data-rows="" role="table">' in html
    assert re.findall('data-label="(.)" role="cell"', html) == list("abcd")
    assert html.count('role="columnheader"') == 4


@pytest.mark.parametrize(
    "table",
    [
        "| a | b | c | d |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |\n",
        "| a | b |\n|---|---|\n| 1 | " + "words " * 40 + "|\n",
    ],
)
def test_other_tables_stay_tables(render, table: str) -> None:
    assert "<table>" in render(table)


def test_a_name_in_a_table_may_break_behind_its_joints(render) -> None:
    html = render("`a_b`\n\n| a |\n|---|\n| `nn.Linear_x` and `0.5` |\n")
    assert "<code>nn.<wbr />Linear_<wbr />x</code>" in html
    assert "<code>0.5</code>" in html
    assert "<code>a_b</code>" in html


def test_a_name_that_fills_a_line_may_break_in_running_text(render) -> None:
    html = render("`torch.nn.functional.scaled_dot_product_attention(q)` and `scaled_dot_x`\n")
    assert (
        "<code>torch.<wbr />nn.<wbr />functional.<wbr />scaled_<wbr />dot_<wbr />product_" in html
    )
    assert "<code>scaled_dot_x</code>" in html


def test_a_formula_is_drawn_with_its_bars_in_no_colour_of_its_own() -> None:
    drawn, width = outlined(r"\frac{a}{\sqrt{d_k}}", 20)
    assert drawn.count("<rect") == 2
    assert drawn.count("<path") == 4
    assert "fill" not in drawn
    assert outlined(r"\frac{a}{\sqrt{d_k}}", 40)[1] == pytest.approx(2 * width, rel=0.1)


def test_letters_bring_their_slanted_twins() -> None:
    assert slanted({"h", "Q", "α", "2"}) == {"h", "\u210e", "Q", "𝑄", "α", "𝛼", "2"}
