"""Runs the code of notes, where it can harm nothing.

Each note has a process of its own, forked by a *keeper*, which runs no code of notes itself::

    run or editor ── Workers ──┬── keeper ──┬── process of a note ── what the note starts
                               │            └── checkpoints of drafts
                               └── keeper …

A *key* names one job: a note, and how far to run it. `workers` distributes the keys among keepers
and receives how each ended (`ending`). `keeper` forks the process of a note, watches its time,
memory and descendants, and ends it with its process group and all processes that it has left
behind. `note_process` sets up that process: streams, limits, and the trace of a crash. `channel`
defines the messages between the two, `processes` queries the operating system. `checkpoints` are
copies of a draft's process after blocks, from which the editor resumes.

In the process, `session` runs the blocks of the note: `capture` captures their output and enforces
their time limits, `files` guards the vault, `state` restores global settings, `originals` detects
replaced functions. `dependencies` records the modules beside the vault. Before code runs,
`variation` changes its numbers, and `reordering` the order of its sums, as other machines have it.
"""
