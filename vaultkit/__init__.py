"""Reads, runs, checks and renders a vault of notes. Knows nothing of what the notes are about."""
