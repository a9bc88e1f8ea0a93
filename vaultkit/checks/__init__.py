"""What can be wrong with a note: one module a kind of check, and one record for what was found.

`form`, `links`, `typeset` and `mirrors` need only the text of the notes; `outputs`, `equations` and
`numbers` need their code run. `vaultkit.pipeline.inspect` puts them together.
"""
