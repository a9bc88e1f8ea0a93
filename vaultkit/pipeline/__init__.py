"""The pipeline from a note to its checks, which every door uses, and the records of the results.

`inspect` checks one note in this process. `runner` checks the notes of a vault, each in a process
of its own. `ledger` records the results, `changed` finds the notes that a change affects,
`baseline` excepts the failures that a vault already had, and `update` rewrites stale outputs.
"""
