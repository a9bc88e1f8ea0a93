"""Mutation testing of notes: makes one change at a time, which a check should detect."""
