"""Mutation tests of notes: changes one thing at a time; a check should notice each change."""
