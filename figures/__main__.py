"""`python -m figures [name …]`: redraw the stale drawings, or those named."""

from __future__ import annotations

import sys
from pathlib import Path

from figures import FIGURES, FILES, formulas
from figures.style import OUTLINES
from vaultkit.figure import Figure, stamp_of

FOLDER = Path(__file__).parent.parent / "docs" / "figures"
SCRIPTS = FOLDER.parent / "javascripts"


def main(names: list[str]) -> None:
    """Redraw, and say what was redrawn."""
    wanted = [name.removesuffix(".svg") + ".svg" for name in names]
    if unknown := sorted(set(wanted) - set(FIGURES)):
        sys.exit(f"no such figure: {', '.join(unknown)}. There are: {', '.join(FIGURES)}")
    FOLDER.mkdir(exist_ok=True)
    for name, figure in FIGURES.items():
        target = FOLDER / name
        if (name not in wanted) if wanted else _is_fresh(target, figure):
            continue
        target.write_text(figure.render(), encoding="utf-8", newline="\n")
        print(f"drew {target.relative_to(FOLDER.parent.parent)}")
    files = {SCRIPTS / name: write for name, write in FILES.items()} | {OUTLINES: formulas}
    for target, write in files.items():
        content = write()
        if not target.exists() or target.read_text(encoding="utf-8") != content:
            target.write_text(content, encoding="utf-8", newline="\n")
            print(f"wrote {target.relative_to(FOLDER.parent.parent)}")


def _is_fresh(drawing: Path, figure: Figure) -> bool:
    return (
        drawing.exists() and stamp_of(drawing.read_text(encoding="utf-8")) == figure.fingerprint()
    )


if __name__ == "__main__":
    main(sys.argv[1:])
