"""Processes for notes: whatever a note does ends with its process.

Each note has a process of its own, forked by a *keeper*, which runs no code of notes itself::

    run or editor ── Workers ──┬── keeper ──┬── process of a note ── what the note starts
                               │            └── checkpoints of drafts
                               └── keeper …

A *key* names one job: a note, and how far to run it. `pool` distributes the keys among keepers and
receives how each ended (`ending`). `keeper` forks the process of a note, watches its time, memory
and descendants, and ends it with its process group and all processes that it has left behind.
`note_process` sets up that process: streams, limits, and the trace of a crash. `channel` defines
the messages between the two, and `work` what is done in the process. `checkpoints` are copies of a
draft's process after blocks, from which the editor resumes.
"""
