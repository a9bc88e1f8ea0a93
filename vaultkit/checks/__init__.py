"""The checks of a note, a module for each kind; all yield `Check` records.

`form`, `links`, `typeset` and `mirrors` need only the text of the note. `outputs`, `equations`,
`shapes`, `numbers`, `said` (inline code) and `predictions` need its code to be run: their `observe`
is called after each block, with the variables of the note. `trials` runs the note on other numbers.
`vaultkit.pipeline.inspect` calls all of them.
"""
