"""Runs the checks of notes, for every door, and records the results.

`inspect` checks one note in this process. `runner` checks the notes of a vault, each in a process
of its own, in which `process` runs the code. `ledger` records the results under a fingerprint of
all that they rest on (`rests_on`), `changed` finds the notes that a change affects, `baseline` lets
pass the failures that a vault already had, and `update` rewrites stale outputs.
"""
