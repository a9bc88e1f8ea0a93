"""``python -m vaultkit.mutants docs``."""

import sys

from vaultkit.mutants.judge import main

sys.exit(main())
