"""The parser of notes: Markdown and notebooks to `Note` records, and the `Vault` of all notes.

`markdown.parse` turns text into a `Note` (`note`), from tokens that the renderer uses, too
(`tokens`). `vault.Vault` finds the notes of a folder and resolves links. Nothing is judged here.
"""
