"""What holds for all tests."""

import signal
from pathlib import Path

import vaultkit

# Where the engine is installed as a copy, its examples are not collected from here as well.
collect_ignore = (
    []
    if Path(vaultkit.__file__).is_relative_to(Path(__file__).parent / "vaultkit")
    else ["vaultkit"]
)

# A shell that runs the tests in the background has Ctrl-C ignored, by all that they start, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
