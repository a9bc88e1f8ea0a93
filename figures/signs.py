"""Numbers with signs: one scale of colours for all maps of them, and a real minus sign."""

from __future__ import annotations

STRONGEST = 0.95  # opacity of the largest number


def shade(value: float, full: float) -> tuple[str, float]:
    """Return the hue and the opacity of a number: blue above 0, orange below, nothing at 0.

    Parameters
    ----------
    value
        The number.
    full
        The size from which the colour has its full strength.

    Examples
    --------
    >>> shade(4.0, 8.0), shade(-20.0, 8.0), shade(0.0, 8.0)
    (('query', 0.47), ('key', 0.95), ('query', 0.0))
    """
    strength = min(abs(float(value)) / full, 1.0)
    return ("query" if value >= 0 else "key"), round(STRONGEST * strength, 2)


def minus(drawing: str) -> str:
    """Return a drawing whose negative numbers begin with a minus sign.

    Examples
    --------
    >>> minus('<text x="-2">-1</text>')
    '<text x="-2">−1</text>'
    """
    return drawing.replace(">-", ">−")
