"""Decides whether what a note says is true; each verdict is a `Check` record.

Begin with `check`, the record, and `equations`, a kind of check. There is a module for each kind;
the other modules hold what these compare with.

`form`, `links`, `typeset`, `mirrors`, `contrasts` and `cited` need only the texts of the notes.
`outputs`, `equations`, `shapes`, `numbers`, `said` (inline code), `bindings` and `predictions` need
the note's code to be run: their `observe` is called after each block, with its variables. `roles`
compares the words of a sentence with what outputs and variables say (`facts`), asks `keyed` for
numbers of another key (`key_tables` has the numbers of lists and dictionaries by their keys),
`assigned` for exchanged numbers (`labelled` has the words of each number of the page), `series` for
extremes, `ranking` for orders of names, and `measures`, `dates` and `wholes` for one kind of slip
each. `trials` finds out whether an equation also holds for other numbers.
`vaultkit.pipeline.inspect` calls all of them.
"""
