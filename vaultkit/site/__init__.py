"""A site as data: what it has besides its rendered notes, such as search, graph and navigation.

A *road* is an ordered course of notes (`road`, `roads`), the *deck* the flashcards of all notes as
a file for Anki (`anki`), and the *ledger* the table of all checks (`report`).

Each module takes notes, finished HTML or checks, and returns HTML or data; `model` joins them. None
imports a host: `vaultkit.doors` calls them for MkDocs and for Zensical.
"""
