"""Runs the code of a note in this process, where it can harm nothing.

`session` runs the blocks of the note: `capture` captures their output and enforces their time
limits, `files` guards the vault, `state` restores global settings, `originals` detects replaced
functions, `processes` queries the operating system. `dependencies` records the modules beside the
vault. Before code runs, `variation` changes its numbers, and `reordering` the order of its sums, as
other machines have it.

Each note gets a process of its own from `vaultkit.workers`.
"""
