"""``python -m vaultkit``: the same as ``vaultkit``."""

from vaultkit.doors.command_line import main

main(prog_name="vaultkit")
