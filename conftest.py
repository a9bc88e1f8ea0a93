"""Where the engine is installed as a copy, its examples are not collected from here as well."""

from pathlib import Path

import vaultkit

collect_ignore = (
    []
    if Path(vaultkit.__file__).is_relative_to(Path(__file__).parent / "vaultkit")
    else ["vaultkit"]
)
