"""The pipeline from a note to its checks, which every door uses, and the records of the results.

`inspect` judges one note in this process. `runner` judges the notes of a vault, each in a process
of its own. `ledger` keeps what was found, `changed` says which notes a change touches, `baseline`
sets aside the failures that a vault already had, and `update` rewrites stale outputs.
"""
