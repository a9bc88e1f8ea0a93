"""The parser of notes: Markdown and notebooks to `Note` records, and the `Vault` of all notes.

`tokenizer` splits text into tokens, and `markdown.parse` turns them into a `Note` (`note`); the
renderer starts from the same tokens. `vault.Vault` finds the notes of a folder and resolves links.
Nothing is judged here.
"""
