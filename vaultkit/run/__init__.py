"""Runs the code of a note in the process that calls it, and guards the vault against it.

`session` runs the blocks of the note in `steps`: `capture` captures their output and enforces their
time limits, `files` guards the vault, `state` restores global settings, `originals` detects
replaced functions, `processes` queries the operating system. `dependencies` records the modules
beside the vault. Before code runs, `variation` changes its numbers, and `reordering` the order of
its sums, as other machines have it.

`vaultkit.workers` starts such a process for each note, so that whatever the code does ends with it.
"""
