"""Runs the code of notes, where it can harm nothing.

Each note has a process of its own, forked by a *keeper* that runs nothing of a note itself::

    run or editor ── Workers ──┬── keeper ──┬── process of a note ── what the note starts
                               │            └── checkpoints of drafts
                               └── keeper …

`workers` hands out keys and takes in how each ended (`ending`). `keeper` makes the process of a
note, watches its time, memory and family, and ends it with its process group and all that it left
behind. `note_process` is that process from inside: streams, limits, where Python says that it dies.
`channel` is what the two say to each other, `processes` what the system knows of processes.
`checkpoints` are copies of a draft's process at the ends of blocks, from which the editor goes on.

In the process, `session` runs the blocks of the note: `capture` takes what they write and stops
them in time, `files` guards the vault, `state` puts back what a note may set, `originals` finds
what it must not replace. `dependencies` knows the modules beside the vault; `variation` and
`reordering` change code before it runs: other numbers, other machines.
"""
