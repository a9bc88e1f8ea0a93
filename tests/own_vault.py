"""The vault of this repository, read once for all tests that look at its notes and change none."""

from pathlib import Path

from vaultkit.read.vault import Vault

ROOT = Path(__file__).parents[1]
VAULT = Vault(ROOT / "docs")
