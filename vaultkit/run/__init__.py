"""Runs the code of notes, where it can harm nothing."""
