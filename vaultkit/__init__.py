"""The engine: parses, runs, checks and renders the notes of any vault, a folder of linked notes.

Read the folders in this order. From a note to its verdicts: `read` (the parser of notes), `claims`
(what sentences state), `tex` and `values` (formulas and their values), `run` (the code of a note),
`checks` (the verdicts), `workers` (a process for each note) and `pipeline` (all of it, and the
results). From a note to its page: `render` (HTML), `site` and `theme` (what surrounds it). Then
`edit` (what editors offer), `mutants` (do the checks detect changes?) and `doors` (pytest, MkDocs,
command line, editors).

Four modules serve several folders: `store` is the cache, `files` writes files atomically, `figure`
defines the drawings that code makes, and `starter` writes a new note.
"""

__version__ = "0.1.0"
