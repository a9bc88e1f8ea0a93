"""The engine: parses, runs, checks and renders the notes of any vault, a folder of linked notes."""
