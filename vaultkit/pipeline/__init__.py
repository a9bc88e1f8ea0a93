"""Takes a note to its checks, for every door, and records the results.

`inspect` checks one note in this process. `runner` checks the notes of a vault, each in a process
of its own, in which `process` runs the code. `ledger` records the results, `changed` finds the
notes that a change affects, `baseline` lets pass the failures that a vault already had, and
`update` rewrites stale outputs.
"""
