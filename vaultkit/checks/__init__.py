"""Decides whether what a note says is true; each verdict is a `Check` record.

Begin with `check`, the record, and `equations`, a kind of check. There is a module for each kind;
the other modules hold what these compare with.

`form`, `links`, `typeset` and `mirrors` need only the text of the note. `outputs`, `equations`,
`shapes`, `numbers`, `said` (inline code) and `predictions` need its code to be run: their `observe`
is called after each block, with the variables of the note. `trials` finds out whether an
equation also holds for other numbers.
`vaultkit.pipeline.inspect` calls all of them.
"""
