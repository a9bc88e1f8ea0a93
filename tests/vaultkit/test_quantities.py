"""Which numbers of a text are read, and what it says has that value."""

from vaultkit.claims.claims import claims_of
from vaultkit.read.markdown import parse
from vaultkit.read.prose import plain_tex


def test_signs_of_tex_are_those_of_text() -> None:
    assert plain_tex(r"\pm 0.02 \cdot K^\top \times \infty") == "±0.02 · K^T × ∞"
    (either,) = claims_of(parse("# A\n\nIt is off by $\\pm 0.02$.\n")).quantities
    assert either.readings[0][0].either_sign
